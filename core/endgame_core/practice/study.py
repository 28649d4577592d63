"""A study, a set of them, how they are written in a file, and how what they state stands with the tables.

A study tells which side the learner plays and what he is to reach. What a position is worth may be stated (every
shipped study states it) or left to the tables; depths are plies to mate under best play.

A set is one JSON document: ``version``, ``game``, ``id``, ``name`` and ``studies``, a list of objects whose fields
are those of :class:`Study`; fields that say nothing are left out, and the learner's side is written only when it is not
the side to move.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from endgame_core.errors import EndgameError, NotBuiltError, StudyError
from endgame_core.game import Game
from endgame_core.movetext import Opcodes
from endgame_core.practice.fields import read
from endgame_core.tables.explorer import WINNERS, Explorer
from endgame_core.values import Category, Verdict

VERSION = 1
"""Of the files; a file with a higher number is left alone."""


class Goal(StrEnum):
    """What the learner is to reach with his side."""

    WIN = "win"
    DRAW = "draw"
    HOLD_OUT = "hold out"


@dataclass(frozen=True, slots=True)
class Study:
    """A position worth practising.

    Attributes:
        id: Stable name, unique among all sets (``lucena``; the user's own: ``my-positions/3``).
        name: What it is called.
        group: The name of its set (``Rook endings``).
        position: The position as text (FEN for chess).
        side: The side that the learner plays, ``white`` or ``black``.
        goal: What he is to reach; None when it is neither stated nor found in a table yet.
        expected: The value of the position for its side to move; None likewise.
        depth: Plies to mate under best play; None for a draw, or when not stated.
        note: The idea, in one or two sentences.
        source: Where the position or the fact comes from.
        remark: How the 50-move rule changes the result; empty when it does not.
        best: Moves given as best, as people write them; empty when left to the tables.
        opcodes: Other facts that came with an imported position, by their EPD names.
        estimate: More men than tables reach: nothing stated of it is proved.
    """

    id: str
    name: str
    group: str
    position: str
    side: str
    goal: Goal | None = None
    expected: Category | None = None
    depth: int | None = None
    note: str = ""
    source: str = ""
    remark: str = ""
    best: tuple[str, ...] = ()
    opcodes: Opcodes = field(default_factory=dict[str, str | int | float])
    estimate: bool = False


@dataclass(frozen=True, slots=True)
class StudySet:
    """Studies that belong together.

    Attributes:
        id: Stable name for commands (``rook-endings``).
        name: What it is called (``Rook endings``).
        studies: In the order of the file.
        own: Whether it is the user's.
        problem: Why the file of a set of the user, or a study in it, cannot be read, as one sentence; else empty.
            A set with a problem can be read, but nothing is written to it.
    """

    id: str
    name: str
    studies: tuple[Study, ...]
    own: bool = False
    problem: str = ""


def goal_of(expected: Category, to_move: bool) -> Goal:
    """What a learner can reach, given the value for the side to move and whether that side is his."""
    if expected is Category.DRAW:
        return Goal.DRAW
    return Goal.WIN if (expected is Category.WIN) == to_move else Goal.HOLD_OUT


def encode_set(studies: StudySet, game: Game[Any, Any]) -> str:
    """The text of a set's file."""
    document = {
        "version": VERSION,
        "game": game.name,
        "id": studies.id,
        "name": studies.name,
        "studies": [_encode(study, game) for study in studies.studies],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def decode_set(text: str, game: Game[Any, Any], own: bool) -> StudySet:
    """Reads the text of a set's file; studies that cannot be read are left out, and the first is named in ``problem``.

    Raises:
        StudyError: It is no set of studies, or one of a newer version or another game.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise StudyError("it is no JSON document of studies")
    version, name, listed = document.get("version"), document.get("name"), document.get("studies")
    if isinstance(version, int) and version > VERSION:
        raise StudyError(f"it is of version {version}, made by a newer endgame-tui")
    if version != VERSION or not isinstance(name, str) or not isinstance(listed, list):
        raise StudyError("it has no version, name or list of studies")
    if document.get("game") != game.name:
        raise StudyError(f"it is of another game, {document.get('game')!r}")
    found: dict[str, Study] = {}
    problems: list[str] = []
    for number, raw in enumerate(listed, 1):
        try:
            study = _decode(raw, name, game)
            if study.id in found:
                raise StudyError(f"another has the id {study.id!r}")
            found[study.id] = study
        except EndgameError as error:
            problems.append(f"study {number} cannot be read: {error.what}")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return StudySet(str(document.get("id", "")), name, tuple(found.values()), own, (problems or [""])[0] + more)


_OPTIONAL = ("goal", "expected", "depth", "note", "remark", "source", "best", "opcodes", "estimate")
"""Fields that are left out of a file when they say nothing."""

_WRITTEN = {"id", "name", "position", "side", *_OPTIONAL}


def _encode(study: Study, game: Game[Any, Any]) -> dict[str, Any]:
    raw: dict[str, Any] = {"id": study.id, "name": study.name, "position": study.position}
    if study.side != game.mover(game.parse(study.position)):
        raw["side"] = study.side
    for name in _OPTIONAL:
        value: Any = getattr(study, name)
        if value or (name == "depth" and value is not None):
            raw[name] = list(value) if name == "best" else dict(value) if name == "opcodes" else value
    return raw


def _wrong(what: str) -> StudyError:
    return StudyError(f"its {what}")


def _decode(raw: Any, group: str, game: Game[Any, Any]) -> Study:
    """One study; raises StudyError, or PositionError for its position."""
    if not isinstance(raw, dict):
        raise StudyError("it is no JSON object")
    if unknown := set(raw) - _WRITTEN:
        raise StudyError(f"its field {min(unknown)!r} is unknown")
    if missing := [name for name in ("id", "name", "position") if not raw.get(name)]:
        raise StudyError(f"it has no {missing[0]}")
    study = read(Study, {"side": "", "group": group, **raw}, _wrong)
    position = game.parse(study.position)
    side = study.side or game.mover(position)
    if side not in WINNERS:
        raise StudyError(f"its side {side!r} is neither white nor black")
    return replace(study, position=game.format(position), side=side)


class Agreement(StrEnum):
    """How what a study states stands with the tables."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_BUILT = "not built"
    NOTHING_STATED = "nothing stated"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Compared:
    """A study compared with the tables.

    Attributes:
        study: The study.
        outcome: How it stands.
        ending: Its ending, empty for an estimate.
        verdict: What the table says; None when it was not asked.
    """

    study: Study
    outcome: Agreement
    ending: str = ""
    verdict: Verdict | None = None


def compare(explorer: Explorer[Any, Any], study: Study) -> Compared:
    """Compares what a study states (value, depth, goal) with the table of its ending."""
    if study.estimate:
        return Compared(study, Agreement.ESTIMATE)
    position = explorer.game.parse(study.position)
    ending = explorer.game.ending_of(position)
    try:
        verdict = explorer.probe(position)
    except NotBuiltError as error:
        return Compared(study, Agreement.NOT_BUILT, error.ending)
    if study.expected is None and study.goal is None:
        return Compared(study, Agreement.NOTHING_STATED, ending, verdict)
    known = judged(explorer, replace(study, goal=None, expected=None, depth=None))
    right = study.goal in (None, known.goal) and study.expected in (None, known.expected)
    right = right and study.depth in (None, known.depth)
    return Compared(study, Agreement.RIGHT if right else Agreement.WRONG, ending, verdict)


def judged(explorer: Explorer[Any, Any], study: Study) -> Study:
    """The study with what it does not state (value, depth, goal) taken from the tables.

    Raises:
        NotBuiltError: Something is not stated, and the table is missing.
        EndingError: Something is not stated, and no table can cover the position.
    """
    decided = study.expected is Category.DRAW or study.depth is not None
    if study.goal is not None and study.expected is not None and decided:
        return study
    position = explorer.game.parse(study.position)
    verdict = explorer.probe(position)
    expected = study.expected or verdict.category
    return replace(
        study,
        goal=study.goal or goal_of(expected, study.side == explorer.game.mover(position)),
        expected=expected,
        depth=verdict.depth if study.depth is None else study.depth,
    )
