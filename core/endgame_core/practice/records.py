"""What the journal keeps: attempts, their moves, cards and ratings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeGuard, TypeVar, cast, get_args, get_origin, get_type_hints

from endgame_core.errors import EndgameError

R = TypeVar("R")

LONGEST_TEXT = 10_000
MOST = 1 << 53
LATEST = 253_370_764_800.0
"""The year 9999 in seconds since 1970; later moments have no day."""


@cache
def types(kind: type[Any]) -> dict[str, Any]:
    """The fields of a record and their types, in order."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def values(record: Any) -> dict[str, Any]:
    """A record as a JSON object."""
    return {name: getattr(record, name) for name in types(type(record))}


def read(kind: type[R], given: Mapping[str, Any], error: Callable[[str], Exception]) -> R:
    """Makes a record of a JSON object, every field checked; unknown names are passed over.

    Args:
        kind: The record.
        given: The object.
        error: Makes the error that says which field is missing or is not what it should be; it is raised.
    """
    found: dict[str, Any] = {}
    for name, what in types(kind).items():
        if name in given:
            try:
                found[name] = _checked(what, given[name])
            except ValueError as problem:
                raise error(f"{name} {problem}") from None
    try:
        return kind(**found)
    except TypeError:
        missing = next(name for name in types(kind) if name not in given)
        raise error(f"something is missing, perhaps {missing}") from None


def _checked(what: Any, value: Any) -> Any:
    """The value of a field of some type; raises ValueError with what is wrong with it, a predicate."""
    if isinstance(what, UnionType):
        return None if value is None else _checked(get_args(what)[0], value)
    if get_origin(what) is tuple and isinstance(value, list):
        return tuple(_checked(str, each) for each in cast("list[Any]", value))
    if get_origin(what) is Mapping and isinstance(value, dict):
        found = cast("dict[Any, Any]", value)
        if not all(isinstance(each, str | int | float) for each in found.values()):
            raise ValueError("has more than texts and numbers")
        return {_checked(str, key): _checked(str, v) if isinstance(v, str) else v for key, v in found.items()}
    if isinstance(what, type) and issubclass(what, StrEnum):
        if value not in list(what):
            raise ValueError(f"is none of {', '.join(what)}")
        return what(value)
    kind, types, fits = _KINDS.get(what, ("list, or no facts by name", (), bool))
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise ValueError(f"has {len(value)} characters, more than {LONGEST_TEXT}")
    if type(value) not in types or not fits(value):
        raise ValueError(f"is no {kind}")
    return float(value) if what is float else value


def is_text(value: Any) -> TypeGuard[str]:
    """Whether something is text that can be written again, and no longer than anybody writes."""
    return (
        isinstance(value, str)
        and len(value) <= LONGEST_TEXT
        and not any("\ud800" <= sign <= "\udfff" for sign in value)
    )  # half characters


_KINDS: dict[Any, tuple[str, tuple[type, ...], Callable[[Any], bool]]] = {
    int: ("whole number from 0", (int,), lambda value: 0 <= value < MOST),
    float: ("number from 0", (int, float), lambda value: 0 <= value <= LATEST),
    str: ("text", (str,), is_text),
    bool: ("true or false", (bool,), lambda value: True),
}
"""What a type is called in an error, what JSON may give for it, and which of these values are taken."""

PLAY = "play"
"""The mode of games on the Play screen; the other modes are drills."""


def ending_words(ending: str, game: str) -> str:
    """An ending's name, or what the positions of a game are called that belong to no ending."""
    return ending or ("other" if game == "chess" else "placing")


UNCOUNTED = ("", "keeps", "still lost")
"""Grades that do not tell how many plies a move lost; see ``Kind.is_counted``."""


class JournalError(EndgameError):
    """A journal that cannot be read or written just now, or a line of an export that is none."""


class Outcome(StrEnum):
    """What became of an attempt.

    Only solved and failed attempts count in figures. Open ones were never finished (the program was killed, or they
    are still going on); left ones were given up before they had come to anything.
    """

    OPEN = "open"
    SOLVED = "solved"
    FAILED = "failed"
    LEFT = "left"


COUNTED = f"outcome IN ('{Outcome.SOLVED}', '{Outcome.FAILED}')"
"""The attempts that count in figures, as SQL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What is known when a drill or a game begins.

    Attributes:
        theme: The theme's key, under which it is scheduled; for a game the ending.
        label: The theme in words, without the ending: ``mate in 3–6``.
        ending: The ending, empty for a position that belongs to none.
        mode: A drill's mode, or :data:`PLAY`.
        start: The start position in the game's text form (FEN for chess).
        colour: The learner's side in the position's own colours; empty when both sides are played.
        defence: The defender, empty when there is none.
        goal: What is to be reached: ``win``, ``draw``, ``last`` (as long as can be), ``answer``, ``move``; or empty.
        perfect: Plies to the end under best play from the start; None for a draw or an unknown value.
        run: Joins attempts made in a row (a streak, all that was due); empty when alone.
        game: The game's name.
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
    game: str = "chess"


@dataclass(frozen=True, slots=True)
class Made:
    """One move of an attempt, or one answer to a question.

    Attributes:
        ply: Its number in the game, from 1; a move played after taking back has the same number as the one before.
        uci: The move as programs write it; empty for an answer.
        san: The move as people write it, or the answer in words.
        own: Whether the learner made it.
        grade: The kind of its grade (``best``, ``slower`` …), empty when it was not graded.
        plies: Plies lost by it, as far as known.
        error: Whether it changed the result for the worse, or was a wrong answer.
        layer: Plies to the end after it; None for a draw or an unknown value.
        seconds: Thought about it.
        taken: Whether it was taken back later.
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
        """Whether it is a move of the learner of which it is not known how many plies it lost."""
        return self.own and bool(self.uci) and self.grade in UNCOUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Attempt):
    """An attempt as the journal has it.

    Attributes:
        uuid: Its name in all journals.
        started: Seconds since 1970.
        day: The day it began where the learner was, as a proleptic ordinal (:meth:`datetime.date.toordinal`).
        finished: Seconds since 1970, None while open.
        outcome: What became of it.
        result: The result in words, such as ``won`` or ``drawn``.
        plies_lost: By the learner's moves, taken back ones included, as far as known.
        errors: The learner's moves that changed the result, and wrong answers.
        hints: Hints asked for.
        takebacks: Moves taken back.
        seconds: Thought by the learner.
        uncounted: The learner's moves of which it is not known how many plies they lost.
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
    """When a theme is to be met again.

    Attributes:
        theme: The theme's key.
        label: The theme in words, without the ending.
        ending: The ending.
        due: Seconds since 1970.
        reviewed: Of the last review; 0 before the first.
        state: What the scheduler remembers, as JSON.
    """

    theme: str
    label: str = ""
    ending: str = ""
    due: float
    reviewed: float = 0.0
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardReview:
    """One rating given to a card.

    Attributes:
        theme: The card.
        reviewed: Seconds since 1970.
        rating: 1 (again), 2 (hard), 3 (good), 4 (easy).
        attempt: The attempt's uuid, or empty.
    """

    theme: str
    reviewed: float
    rating: int
    attempt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """A playing strength in the streak mode: the learner's (named ``you``), or how hard a theme is.

    Attributes:
        name: ``you`` in chess, ``you morris`` in Nine Men's Morris, or the theme's key.
        rating: Expected strength.
        deviation: How unsure that is.
        games: Results that went into it.
        updated: Seconds since 1970.
    """

    name: str
    rating: float
    deviation: float
    games: int = 0
    updated: float = 0.0


@dataclass(slots=True)
class JournalImport:
    """What an import did.

    Attributes:
        attempts: Attempts added, or replaced because they were finished elsewhere.
        cards: Cards that were newer than ours.
        known: Lines that brought nothing new.
        bad: Line numbers, from 1, and why they were left out.
    """

    attempts: int = 0
    cards: int = 0
    known: int = 0
    bad: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
