"""Lessons: a study explained step by step, each step with a board, moves to play over, and claims that tables prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from endgame_core.errors import EndgameError, StudyError
from endgame_core.game import Game
from endgame_core.language import _
from endgame_core.practice.records import is_text, read, values
from endgame_core.tables.explorer import Explorer
from endgame_core.untrusted import quoted
from endgame_core.values import Category

MOST_STEPS = 40
"""Steps of a lesson at most."""

MOST_MOVES = 250
"""Moves of a step, or of one of its claims, at most."""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One page of a lesson.

    The claims (``expected`` and everything after it) are about the position after ``moves``. Moves are written as
    people write them (SAN for chess).

    Attributes:
        text: The words: paragraphs, separated by an empty line.
        position: The position it begins with, as text; empty for the one in which the step before ended, or for the
            first step the study's.
        moves: A line from that position.
        expected: The value for the side to move.
        depth: Plies to the end under best play.
        only: All moves that keep the result; every other legal move spoils it.
        keep: Some of the moves that keep the result.
        wrong: Moves that spoil the result: a win becomes a draw or a loss, a draw a loss.
    """

    text: str
    position: str = ""
    moves: tuple[str, ...] = ()
    expected: Category | None = None
    depth: int | None = None
    only: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LessonPage:
    """A step of a lesson with the boards to show.

    Attributes:
        text: The words of the step.
        positions: As text: the position that the step begins with, and the one after each of its moves.
        moves: The moves between them, one fewer than positions.
        step: The step, with its claims about the last position.
    """

    text: str
    positions: tuple[str, ...]
    moves: tuple[str, ...]
    step: LessonStep


@dataclass(frozen=True, slots=True)
class LessonProblem:
    """A claim of a lesson that the tables do not confirm.

    Attributes:
        step: The number of the step, from 1.
        claim: The field of :class:`LessonStep`.
        stated: What the lesson says.
        actual: What the tables say.
    """

    step: int
    claim: str
    stated: str
    actual: str


_LINES = ("moves", "only", "keep", "wrong")
"""Fields of a step that hold moves."""


def encode_lesson(lesson: Sequence[LessonStep]) -> list[dict[str, Any]]:
    """The steps as JSON objects, without the fields that say nothing."""
    return [
        {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values(step).items()
            # A depth of 0 (mate) is a claim, too.
            if value or (name == "depth" and value is not None)
        }
        for step in lesson
    ]


def decode_lesson(raw: Any, start: Any, game: Game[Any, Any], *, trusted: bool = False) -> tuple[LessonStep, ...]:
    """Reads the steps of a lesson.

    Args:
        raw: The JSON value.
        start: The study's position.
        game: The game.
        trusted: Do not replay the moves, which are known to be legal and written in the game's own way. That saves
            most of the time that reading the shipped studies takes.

    Raises:
        StudyError: It is no lesson, or a position or a move in it is not legal.
    """
    if not isinstance(raw, list):
        raise StudyError(_("its lesson is not a list of steps"))
    if len(raw) > MOST_STEPS:
        raise StudyError(
            _("its lesson has {raw} steps; the limit is {most_steps}").format(raw=len(raw), most_steps=MOST_STEPS)
        )
    result: list[LessonStep] = []
    position = start
    for number, each in enumerate(raw, 1):
        try:
            # Without a position of its own a step begins where the last one has ended.
            step = _read_step(each)
            if not trusted:
                step, position = _replayed(step, position, game)
        except EndgameError as error:
            raise StudyError(
                _("its lesson cannot be read: step {number}: {reason}").format(number=number, reason=error.what)
            ) from None
        result.append(step)
    return tuple(result)


def _read_step(raw: Any) -> LessonStep:
    """A step whose fields have the right types; raises StudyError."""
    if not isinstance(raw, dict):
        raise StudyError(_("it is not a JSON object"))
    # The first by name, so that the same file always gives the same message.
    if unknown := set(raw) - set(LessonStep.__dataclass_fields__):
        raise StudyError(_("its field {unknown} is unknown").format(unknown=quoted(min(unknown))))
    text = raw.get("text")
    if not is_text(text):
        raise StudyError(_("it has no text"))
    for name in _LINES:
        moves = raw.get(name)
        if isinstance(moves, list) and len(moves) > MOST_MOVES:
            raise StudyError(_("its {name} is longer than {most_moves} moves").format(name=name, most_moves=MOST_MOVES))
    return read(LessonStep, raw, lambda what: StudyError(_("its {what}").format(what=what)))


def _replayed(step: LessonStep, position: Any, game: Game[Any, Any]) -> tuple[LessonStep, Any]:
    """The step in the game's own notation, and the position after its moves; raises EndgameError."""
    text = "\n\n".join(filter(None, map(one_line, step.text.split("\n\n"))))
    if not text:
        raise StudyError(_("it has no text"))
    written = ""
    if step.position:
        position = game.parse(step.position)
        written = game.format(position)
    moves: list[str] = []
    for word in step.moves:
        move = _legal(position, word, game)
        moves.append(game.san(position, move))
        position = game.play(position, move)
    only, keep, wrong = (
        tuple(game.san(position, _legal(position, word, game)) for word in words)
        for words in (step.only, step.keep, step.wrong)
    )
    step = LessonStep(text, written, tuple(moves), step.expected, step.depth, only, keep, wrong)
    return step, position


def _legal(position: Any, word: str, game: Game[Any, Any]) -> Any:
    """The legal move that a word means; raises StudyError."""
    try:
        move = game.file_notation.read_move(position, word)
    except EndgameError as error:
        raise StudyError(f"{quoted(word)} {error.what}") from None
    if game.is_null(move):
        raise StudyError(_("{word} is not a legal move").format(word=quoted(word)))
    return move


def one_line(text: str) -> str:
    """Text on one line, without what a terminal would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def lesson_pages(lesson: Sequence[LessonStep], start: str, game: Game[Any, Any]) -> list[LessonPage]:
    """The pages of a lesson that begins with a position, given as text."""
    result: list[LessonPage] = []
    position = game.parse(start)
    for step in lesson:
        if step.position:
            position = game.parse(step.position)
        positions = [game.format(position)]
        for word in step.moves:
            position = game.play(position, game.file_notation.read_move(position, word))
            positions.append(game.format(position))
        result.append(LessonPage(step.text, tuple(positions), step.moves, step))
    return result


def lesson_problems(
    explorer: Explorer[Any, Any], lesson: Sequence[LessonStep], start: str
) -> tuple[LessonProblem, ...]:
    """The claims of a lesson that the tables do not confirm.

    Raises:
        NotBuiltError: A table is missing.
        EndingError: No table can cover a position.
    """
    result: list[LessonProblem] = []
    pages = lesson_pages(lesson, start, explorer.game)
    for number, page in enumerate(pages, 1):
        for claim, stated, actual in _differences(explorer, page):
            result.append(LessonProblem(number, claim, stated, actual))
    return tuple(result)


def _differences(explorer: Explorer[Any, Any], page: LessonPage) -> list[tuple[str, str, str]]:
    """Each claim of a page that is wrong: the field, what is stated, what the tables say."""
    step = page.step
    game = explorer.game
    if not has_claims(step):
        return []
    position = game.parse(page.positions[-1])
    verdict = explorer.probe(position)
    result: list[tuple[str, str, str]] = []
    if step.expected not in (None, verdict.category):
        result.append(("expected", str(step.expected), str(verdict.category)))
    if step.depth not in (None, verdict.depth):
        result.append(("depth", str(step.depth), str(verdict.depth)))
    if not (step.only or step.keep or step.wrong):
        return result

    keeping: set[str] = set()
    spoiling: set[str] = set()
    for move in game.moves(position):
        after = explorer.probe(game.play(position, move)).category.negated
        if after is verdict.category:
            keeping.add(game.san(position, move))
        else:
            spoiling.add(game.san(position, move))
    if step.only and set(step.only) != keeping:
        result.append(("only", _listed(step.only), _listed(keeping)))
    if set(step.keep) - keeping:
        result.append(("keep", _listed(step.keep), _listed(keeping)))
    if set(step.wrong) - spoiling:
        result.append(("wrong", _listed(step.wrong), _listed(spoiling)))
    return result


def has_claims(step: LessonStep) -> bool:
    """Whether tables have anything to confirm."""
    stated = step.expected is not None or step.depth is not None
    return stated or bool(step.only or step.keep or step.wrong)


def _listed(moves: Sequence[str] | set[str]) -> str:
    return " ".join(sorted(moves)) or _("none")
