"""The records of the journal: attempts, their moves, cards and ratings, with their validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeGuard, TypeVar, cast, get_args, get_origin, get_type_hints

from endgame_core.errors import EndgameError
from endgame_core.games import DEFAULT_GAME, by_name
from endgame_core.language import _

R = TypeVar("R")

LONGEST_TEXT = 10_000
"""The maximum number of characters in a text field."""
MOST = 1 << 53
"""Integers are below this limit, up to which JSON numbers are exact in every language."""
LATEST = 253_370_764_800.0
"""The year 9999 in seconds since 1970; `datetime` has no later dates."""


@cache
def types(kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a record class and their types, in order."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def values(record: Any) -> dict[str, Any]:
    """Convert a record to a JSON object."""
    return {name: getattr(record, name) for name in types(type(record))}


def read(kind: type[R], document: Mapping[str, Any], error: Callable[[str], Exception]) -> R:
    """Make a record from a JSON object and validate every field; unknown names are ignored.

    Args:
        kind: The record class.
        document: The JSON object.
        error: Makes the exception to raise from a message about a missing or invalid field.

    Returns:
        The record.
    """
    arguments: dict[str, Any] = {}
    for name, field_type in types(kind).items():
        if name not in document:
            continue
        try:
            arguments[name] = _validated(field_type, document[name])
        except ValueError as problem:
            raise error(f"{name} {problem}") from None
    try:
        return kind(**arguments)
    except TypeError:
        missing = next(name for name in types(kind) if name not in document)
        raise error(_("something is missing, perhaps {missing}").format(missing=missing)) from None


def _validated(field_type: Any, value: Any) -> Any:
    """Validate a JSON value and convert it to the type of its field.

    Raises:
        ValueError: The value is invalid; the message is the predicate of a sentence about the field.
    """
    if isinstance(field_type, UnionType):  # always a type or None, e.g. `int | None`
        if value is None:
            return None
        return _validated(get_args(field_type)[0], value)
    if get_origin(field_type) is tuple and isinstance(value, list):
        return tuple(_validated(str, item) for item in cast("list[Any]", value))
    if get_origin(field_type) is Mapping and isinstance(value, dict):
        return _validated_mapping(cast("dict[Any, Any]", value))
    if isinstance(field_type, type) and issubclass(field_type, StrEnum):
        if value not in list(field_type):
            raise ValueError(_("is not one of {choices}").format(choices=", ".join(field_type)))
        return field_type(value)

    type_name, json_types, is_valid = _SCALARS.get(field_type, (_("a list, or an object"), (), bool))
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise ValueError(
            _("has {characters} characters, more than {most}").format(characters=len(value), most=LONGEST_TEXT)
        )
    # Not isinstance(): a bool is an int, but not a number in JSON.
    if type(value) not in json_types or not is_valid(value):
        raise ValueError(_("should be {type_name}").format(type_name=type_name))
    if field_type is float:
        return float(value)
    return value


def _validated_mapping(mapping: dict[Any, Any]) -> dict[str, Any]:
    """Validate a JSON object whose values are strings and numbers; raises ValueError like :func:`_validated`."""
    if not all(isinstance(value, str | int | float) for value in mapping.values()):
        raise ValueError(_("should contain only text and numbers"))
    result: dict[str, Any] = {}
    for key, value in mapping.items():
        name = _validated(str, key)
        result[name] = _validated(str, value) if isinstance(value, str) else value
    return result


def is_text(value: Any) -> TypeGuard[str]:
    """Whether a value is a string of acceptable length that can be encoded as UTF-8."""
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_TEXT
        and not any("\ud800" <= character <= "\udfff" for character in value)  # lone surrogates
    )


_SCALARS: dict[Any, tuple[str, tuple[type, ...], Callable[[Any], bool]]] = {
    int: (_("a whole number, 0 or more"), (int,), lambda value: 0 <= value < MOST),
    float: (_("a number, 0 or more"), (int, float), lambda value: 0 <= value <= LATEST),
    str: (_("text"), (str,), is_text),
    bool: (_("true or false"), (bool,), lambda value: True),
}
"""For each scalar type: its name in error messages, the types that JSON may have for it, and the valid values."""

PLAY = "play"
"""The mode of games on the Play screen; the other modes are drills."""


def ending_words(ending: str, game: str) -> str:
    """Return the name of an ending; for positions without one (an empty name) what the game calls them."""
    return ending or by_name(game).no_ending


UNCOUNTED = ("", "keeps", "still lost")
"""Grades of moves whose lost plies are unknown; see ``Kind.is_counted``."""


class JournalError(EndgameError):
    """The journal cannot be read or written, or a line of an export is invalid."""


class Outcome(StrEnum):
    """The outcome of an attempt.

    Only solved and failed attempts count in statistics. Open ones are unfinished: still running, or interrupted when
    the program was killed. Left ones were given up without a result.
    """

    OPEN = "open"
    SOLVED = "solved"
    FAILED = "failed"
    LEFT = "left"


COUNTED = f"outcome IN ('{Outcome.SOLVED}', '{Outcome.FAILED}')"
"""The SQL condition for attempts that count in statistics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The properties of a drill or a game at its beginning.

    Attributes:
        theme: The key of the theme; for a game the ending.
        label: The theme in words, without the ending, e.g. ``mate in 3–6``.
        ending: The ending; empty for a position without one.
        mode: The mode of a drill, or :data:`PLAY`.
        start: The start position in the game's text form (FEN for chess).
        colour: The learner's side in the position's own colours; empty if the learner plays both sides.
        defence: The defender; empty if there is none.
        goal: A value of :class:`endgame_core.practice.goals.GameGoal`.
        perfect: Plies to the end under best play from the start; None for a draw or an unknown value.
        run: The common name of attempts made in one session, e.g. a streak; empty for a single attempt.
        game: The name of the game.
    """

    theme: str
    label: str = ""
    ending: str
    mode: str
    start: str
    colour: str
    defence: str = ""
    goal: str = ""
    perfect: int | None = None
    run: str = ""
    game: str = DEFAULT_GAME


@dataclass(frozen=True, slots=True)
class Made:
    """A move of an attempt, or the answer to a question.

    Attributes:
        ply: The ply number in the game, from 1; a move replayed after a takeback gets the same number again.
        uci: The move in UCI notation; empty for an answer.
        san: The move in SAN, or the text of the answer.
        own: Whether the learner made it.
        grade: The kind of grade (``best``, ``slower`` …); empty if it was not graded.
        plies: Plies lost by the move; 0 if unknown.
        error: Whether the move worsened the result, or the answer was wrong.
        layer: Plies to the end after the move; None for a draw or an unknown value.
        seconds: Thinking time.
        taken: Whether the move was taken back later.
    """

    ply: int
    uci: str
    san: str
    own: bool
    grade: str = ""
    plies: int = 0
    error: bool = False
    layer: int | None = None
    seconds: float = 0.0
    taken: bool = False

    @property
    def is_uncounted(self) -> bool:
        """Whether this is a move of the learner with an unknown number of lost plies."""
        return self.own and bool(self.uci) and self.grade in UNCOUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Attempt):
    """An attempt as stored in the journal.

    Attributes:
        uuid: The unique name of the attempt, the same in all journals.
        started: When it began, in seconds since 1970.
        day: The day when it began, in the learner's time zone, as a proleptic ordinal
            (:meth:`datetime.date.toordinal`).
        finished: When it ended, in seconds since 1970; None while open.
        outcome: The outcome.
        result: The reason of the outcome in words, e.g. ``checkmate``.
        plies_lost: Known plies lost by the learner's moves, including moves taken back.
        errors: The learner's moves that worsened the result, and wrong answers.
        hints: Hint steps used.
        takebacks: Number of takebacks.
        seconds: The learner's thinking time.
        uncounted: The learner's moves with an unknown number of lost plies.
    """

    uuid: str
    started: float
    day: int
    finished: float | None = None
    outcome: Outcome = Outcome.OPEN
    result: str = ""
    plies_lost: int = 0
    errors: int = 0
    hints: int = 0
    takebacks: int = 0
    seconds: float = 0.0
    uncounted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The schedule of a theme: when it is due for review.

    Attributes:
        theme: The key of the theme.
        label: The theme in words, without the ending.
        ending: The ending.
        due: When the theme is due, in seconds since 1970.
        reviewed: The time of the last review, in seconds since 1970; 0 before the first.
        state: The state of the FSRS scheduler, as JSON.
    """

    theme: str
    label: str = ""
    ending: str = ""
    due: float
    reviewed: float = 0.0
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReview:
    """A review of a card.

    Attributes:
        theme: The key of the card's theme.
        reviewed: The time of the review, in seconds since 1970.
        rating: 1 (again), 2 (hard), 3 (good), 4 (easy).
        attempt: The UUID of the reviewed attempt, or empty.
    """

    theme: str
    reviewed: float
    rating: int
    attempt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A Glicko rating in streaks: the strength of the learner, or the difficulty of a theme.

    Attributes:
        name: ``you`` in chess, ``you morris`` in Nine Men's Morris, or the key of a theme.
        rating: The expected strength.
        deviation: The rating deviation, i.e. the uncertainty of the rating.
        games: The number of rated results.
        updated: The time of the last result, in seconds since 1970.
    """

    name: str
    rating: float
    deviation: float
    games: int = 0
    updated: float = 0.0


@dataclass(slots=True)
class JournalImport:
    """The result of importing an exported journal.

    Attributes:
        attempts: Attempts added, or replaced by a finished version.
        cards: Cards added, or replaced by a newer version.
        unchanged: Lines without anything new.
        bad: Rejected lines: the line number, from 1, and the reason.
    """

    attempts: int = 0
    cards: int = 0
    unchanged: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
