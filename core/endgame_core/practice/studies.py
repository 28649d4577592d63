"""Sets of studies: those that are shipped, and the user's own."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from endgame_core import paths
from endgame_core.errors import BusyError, EndgameError, EndingError, NotBuiltError, StudyError
from endgame_core.game import Game, Opcodes, PositionRecord
from endgame_core.paths import storage_errors, write_text
from endgame_core.practice.lessons import (
    LessonPage,
    LessonProblem,
    LessonStep,
    decode_lesson,
    encode_lesson,
    has_claims,
    lesson_pages,
    lesson_problems,
    one_line,
)  # fmt: skip
from endgame_core.practice.records import LONGEST_TEXT, is_text, read, values
from endgame_core.tables.explorer import Explorer
from endgame_core.untrusted import decoded, quoted, read_json, read_regular
from endgame_core.values import WINNERS, Category, Verdict

VERSION = 1
"""Of the files; a file with a higher number is left alone."""


class StudyGoal(StrEnum):
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
        lesson: The idea explained step by step; empty when the note is all there is.
    """

    id: str
    name: str
    group: str
    position: str
    side: str
    goal: StudyGoal | None = None
    expected: Category | None = None
    depth: int | None = None
    note: str = ""
    source: str = ""
    remark: str = ""
    best: tuple[str, ...] = ()
    opcodes: Opcodes = field(default_factory=dict[str, str | int | float])
    estimate: bool = False
    lesson: tuple[LessonStep, ...] = ()


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


def goal_of(expected: Category, to_move: bool) -> StudyGoal:
    """What a learner can reach, given the value for the side to move and whether that side is his."""
    if expected is Category.DRAW:
        return StudyGoal.DRAW
    return StudyGoal.WIN if (expected is Category.WIN) == to_move else StudyGoal.HOLD_OUT


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
        document = read_json(text)
    except EndgameError:
        document = None
    if not isinstance(document, dict):
        raise StudyError("it is no JSON document of studies")
    version, name, listed = document.get("version"), document.get("name"), document.get("studies")
    if isinstance(version, int) and version > VERSION:
        raise StudyError(f"it is of version {version}, made by a newer endgame-tui")
    if version != VERSION or not is_text(name) or not isinstance(listed, list):
        raise StudyError("it has no version, name or list of studies")
    if document.get("game") != game.name:
        raise StudyError(f"it is of another game, {quoted(document.get('game'))}")
    result: dict[str, Study] = {}
    problems: list[str] = []
    for number, raw in enumerate(listed, 1):
        try:
            study = _decode(raw, name, game, own)
            if study.id in result:
                raise StudyError(f"another has the id {quoted(study.id)}")
            result[study.id] = study
        except EndgameError as error:
            problems.append(f"study {number} cannot be read: {error.what}")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return StudySet(str(document.get("id", "")), name, tuple(result.values()), own, (problems or [""])[0] + more)


_OPTIONAL = ("goal", "expected", "depth", "note", "remark", "source", "best", "opcodes", "estimate")
"""Fields that are left out of a file when they say nothing."""

_WRITTEN = {"id", "name", "position", "side", "lesson", *_OPTIONAL}


def _encode(study: Study, game: Game[Any, Any]) -> dict[str, Any]:
    raw: dict[str, Any] = {"id": study.id, "name": study.name, "position": study.position}
    if study.side != game.mover(game.parse(study.position)):
        raw["side"] = study.side
    for name in _OPTIONAL:
        value: Any = getattr(study, name)
        if value or (name == "depth" and value is not None):
            raw[name] = list(value) if name == "best" else dict(value) if name == "opcodes" else value
    if study.lesson:
        raw["lesson"] = encode_lesson(study.lesson)
    return raw


def _check_bounds(study: Study) -> None:
    """Raise StudyError for a study that its reader would refuse: one check serves the writer and the reader."""
    _checked({**values(study), "best": list(study.best)})


def _checked(raw: dict[str, Any]) -> Study:
    """The study without its lesson; raises StudyError."""
    return read(
        Study, {name: value for name, value in raw.items() if name != "lesson"}, lambda what: StudyError(f"its {what}")
    )


def _decode(raw: Any, group: str, game: Game[Any, Any], own: bool) -> Study:
    """One study; raises StudyError, or PositionError for its position."""
    if not isinstance(raw, dict):
        raise StudyError("it is no JSON object")
    if unknown := set(raw) - _WRITTEN:
        raise StudyError(f"its field {quoted(min(unknown))} is unknown")
    if missing := [name for name in ("id", "name", "position") if not raw.get(name)]:
        raise StudyError(f"it has no {missing[0]}")
    study = _checked({"side": "", "group": group, **raw})
    position = game.parse(study.position)
    side = study.side or game.mover(position)
    if side not in WINNERS:
        raise StudyError(f"its side {quoted(side)} is neither white nor black")
    lesson = decode_lesson(raw.get("lesson", []), position, game, trusted=not own)
    return replace(study, position=game.format(position), side=side, lesson=lesson)


def lesson_positions(study: Study, game: Game[Any, Any]) -> list[LessonPage]:
    """The pages of a study's lesson, each with its boards; none where it has no lesson."""
    return lesson_pages(study.lesson, study.position, game)


class Agreement(StrEnum):
    """How what a study states stands with the tables."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_BUILT = "not built"
    NOTHING_STATED = "nothing stated"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class StudyCheck:
    """A study compared with the tables.

    Attributes:
        study: The study.
        outcome: How it stands.
        ending: Its ending, empty for an estimate.
        verdict: What the table says; None when it was not asked.
        lesson: The claims of its lesson that are wrong.
    """

    study: Study
    outcome: Agreement
    ending: str = ""
    verdict: Verdict | None = None
    lesson: tuple[LessonProblem, ...] = ()


def compare(explorer: Explorer[Any, Any], study: Study) -> StudyCheck:
    """Compares what a study states with the tables and, when that is right, what its lesson states."""
    check = _compare_study(explorer, study)
    if check.outcome not in (Agreement.RIGHT, Agreement.NOTHING_STATED):
        return check
    if not any(has_claims(step) for step in study.lesson):
        return check
    try:
        problems = lesson_problems(explorer, study.lesson, study.position)
    except NotBuiltError as error:
        return replace(check, outcome=Agreement.NOT_BUILT, ending=error.ending)
    except EndingError:  # a position of the lesson has more pieces than tables reach
        return replace(check, outcome=Agreement.ESTIMATE)
    return replace(check, outcome=Agreement.WRONG if problems else Agreement.RIGHT, lesson=problems)


def _compare_study(explorer: Explorer[Any, Any], study: Study) -> StudyCheck:
    """Compares what a study states (value, depth, goal) with the table of its ending."""
    if study.estimate:
        return StudyCheck(study, Agreement.ESTIMATE)
    position = explorer.game.parse(study.position)
    ending = explorer.game.ending_of(position)
    try:
        verdict = explorer.probe(position)
    except NotBuiltError as error:
        return StudyCheck(study, Agreement.NOT_BUILT, error.ending)
    if study.expected is None and study.goal is None:
        return StudyCheck(study, Agreement.NOTHING_STATED, ending, verdict)
    known = judged(explorer, replace(study, goal=None, expected=None, depth=None))
    right = study.goal in (None, known.goal) and study.expected in (None, known.expected)
    right = right and study.depth in (None, known.depth)
    return StudyCheck(study, Agreement.RIGHT if right else Agreement.WRONG, ending, verdict)


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


MOST_AT_ONCE = 500
"""Positions of a list that become studies, chosen at random where there are more."""
MY_POSITIONS = "My positions"
"""The set of the user that positions go to when no other is named."""
MY_GAMES = "My games"
"""The set of the user that errors in games go to."""

_SUFFIX = ".json"
LONGEST_NAME = 60
_NAMED = 3
"""So many studies of one name are told."""
_PATIENCE = 10.0
"""Seconds to wait for another app that is writing."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A position that was not imported.

    Attributes:
        where: Where it stands in the file (``line 3``, ``game 12``).
        text: What stands there.
        reason: Why it was refused: one sentence.
    """

    where: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class StudyImport:
    """What an import did: every record of the file is in one of the two.

    Attributes:
        added: The new studies, in the order of the file.
        refused: The others, in the order of the file.
    """

    added: tuple[Study, ...]
    refused: tuple[Refusal, ...]


@cache
def curated(game: Game[Any, Any]) -> tuple[StudySet, ...]:
    """The shipped sets of a game, in their order."""
    result: list[StudySet] = []
    for path in sorted(paths.shipped("studies").glob(f"*{_SUFFIX}")):
        text = path.read_text("utf-8")
        if json.loads(text).get("game") == game.name:
            studies = decode_set(text, game, own=False)
            result.append(replace(studies, id=slug(studies.name)))
    return tuple(result)


def slug(name: str) -> str:
    """The id of a set's name: small letters and digits of any script, joined by ``-``; raises StudyError."""
    result = "-".join(re.findall(r"[^\W_]+", name.casefold()))
    if not result or len(result) > LONGEST_NAME or len(name) > LONGEST_TEXT:
        problem = "is too long" if result else "has no letter or digit"
        raise StudyError(f"the name {quoted(name)} of a set {problem}", "choose another name")
    return result


def _called(name: str, sets: Iterable[StudySet]) -> Study | None:
    """The study that has an id, or else a name; raises StudyError where several have the name."""
    wanted, every = name.strip().casefold(), [study for one in sets for study in one.studies]
    result = [study for study in every if study.id == wanted]
    result = result or [study for study in every if study.name.strip().casefold() == wanted]
    if len(result) > 1:
        ids = ", ".join(study.id for study in result[:_NAMED]) + ", …" * (len(result) > _NAMED)
        raise StudyError(f"{len(result)} studies are called {quoted(name)}", f"write the id of one: {ids}")
    return result[0] if result else None


class Studies:
    """All sets of one game: the shipped ones, and the user's own in a directory.

    Several apps may write at once: each change is made under a lock, to the file as it then is, and appears whole.

    Args:
        game: The game.
        directory: Of the user's sets; that below the user data directory by default. Other games than chess have
            a directory of their own in it.
    """

    def __init__(self, game: Game[Any, Any], directory: Path | None = None) -> None:
        self.game = game
        directory = directory or paths.studies_dir()
        self.directory = directory if game.name == "chess" else directory / game.name

    def sets(self) -> tuple[StudySet, ...]:
        """All sets, the shipped ones first."""
        return curated(self.game) + self.own()

    def own(self) -> tuple[StudySet, ...]:
        """The user's sets by name; one whose file is damaged is there, with its problem."""
        try:
            stems = sorted(p.stem for p in self.directory.glob(f"*{_SUFFIX}") if p.is_file())
        except OSError:
            stems = []
        result = [self._read(stem) for stem in stems]
        return tuple(sorted(result, key=lambda s: (s.name != MY_POSITIONS, s.name.casefold())))

    def find(self, name: str) -> StudySet:
        """A set by its id or name, in any letter case; raises StudyError."""
        wanted = name.strip().casefold()
        for result in self.sets():
            if wanted in (result.id.casefold(), result.name.casefold()):
                return result
        raise StudyError(f"there is no set {quoted(name)}", "see: endgame-tui studies")

    def study(self, name: str) -> Study:
        """A study by its id or name, in any letter case; raises StudyError where there is none, or several."""
        result = _called(name, self.sets())
        if result is None:
            raise StudyError(f"there is neither a set nor a study {quoted(name)}", "see: endgame-tui studies")
        return result

    def add(
        self,
        position: str,
        set_name: str = MY_POSITIONS,
        note: str = "",
        *,
        name: str = "",
        side: str | None = None,
        beyond: bool = False,
    ) -> Study:
        """Adds a position to a set of the user, which is made when it is not there.

        Args:
            position: In any notation of the game; EPD with its operations, others with a note.
            set_name: Name or id of the set.
            note: The user's words; as the position's line says by default.
            name: What to call it; as that line says or else its ending and a number by default.
            side: The side to learn with; the side to move by default.
            beyond: Take positions of more men than tables reach, too, marked as estimates.

        Returns:
            The new study.

        Raises:
            PositionError: The position cannot be read, or cannot occur.
            EndingError: No table can cover it.
            StudyError: The set has it already, is shipped or is damaged, or the game is over in the position.
            StorageError: It cannot be written.
            BusyError: Another app keeps the directory locked.
        """
        record = PositionRecord(position=position)
        with suppress(EndgameError):  # a diagram, or one that cannot be read: what it is not is told below
            record = self.game.file_notation.read_line(position)
        with self._change(set_name) as draft:
            study = _study_of(record, draft.name)
            name, note = name.strip() or study.name, note.strip() or study.note
            return draft.take(replace(study, name=name, note=note, side=side or study.side), beyond)

    def import_records(self, records: Iterable[PositionRecord], set_name: str, *, beyond: bool = False) -> StudyImport:
        """Adds the good positions of a file to a set of the user, and lists the others with the reason.

        Args:
            records: What a reader made of the file.
            set_name: Name or id of the set; made when it is not there and there is a good position.
            beyond: As for :meth:`add`.

        Raises:
            StudyError: The set is shipped or damaged.
            StorageError: It cannot be written.
            BusyError: Another app keeps the directory locked.
        """
        added: list[Study] = []
        refused: list[Refusal] = []
        with self._change(set_name) as draft:
            for record in records:
                try:
                    if record.problem:
                        raise StudyError(record.problem)
                    added.append(draft.take(_study_of(record, draft.name), beyond))
                except EndgameError as error:
                    refused.append(Refusal(record.location, record.text, str(error)))
        return StudyImport(tuple(added), tuple(refused))

    def remove(self, name: str) -> int:
        """Deletes one of the user's sets, or a study of his by its id or name; returns how many studies went.

        Raises:
            StudyError: There is none, or there are several, it is shipped, or the set it is in is damaged.
            StorageError: It cannot be deleted.
            BusyError: Another app keeps the directory locked.
        """
        wanted = name.strip().casefold()
        is_set = any(wanted in (found.id.casefold(), found.name.casefold()) for found in self.sets())
        if not is_set and (study := _called(name, self.own())) is not None:
            wanted = study.id
        if "/" in wanted:
            with self._change(wanted.partition("/")[0]) as draft:
                before = len(draft.studies)
                draft.studies = [study for study in draft.studies if study.id != wanted]
                if len(draft.studies) == before:
                    raise StudyError(f"there is no study {quoted(name)} of yours", "see: endgame-tui studies show SET")
            return 1
        if any(wanted == study.id for studies in curated(self.game) for study in studies.studies):
            raise StudyError(f"{quoted(name)} is shipped with the program", "only your own studies can be removed")
        with self._locked():
            result = self.find(name)
            if not result.own:
                raise StudyError(f"{quoted(result.name)} is shipped with the program", "only your own can be removed")
            with storage_errors(self._path(result.id)):
                self._path(result.id).unlink(missing_ok=True)
            return len(result.studies)

    def _path(self, set_id: str) -> Path:
        return self.directory / f"{set_id}{_SUFFIX}"

    def _read(self, stem: str) -> StudySet:
        try:
            if stem != slug(stem):
                raise StudyError(f"its name should be {slug(stem)}{_SUFFIX}")
            result = decode_set(decoded(read_regular(self._path(stem))), self.game, own=True)
        except (OSError, ValueError, StudyError) as error:
            reason = error.what if isinstance(error, StudyError) else "it cannot be read"
            return StudySet(stem, stem, (), True, f"the file {self._path(stem)} is damaged: {reason}.")
        problem = f"in {self._path(stem)} {result.problem}." if result.problem else ""
        studies = tuple(replace(study, id=f"{stem}/{study.id.rpartition('/')[2]}") for study in result.studies)
        return StudySet(stem, result.name, studies, True, problem)

    @contextmanager
    def _locked(self) -> Generator[None]:
        with storage_errors(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.directory / ".lock")
            try:
                lock.acquire(_PATIENCE)
            except Timeout:
                raise BusyError("another app is changing your studies", "try again when it has finished") from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _change(self, set_name: str) -> Generator[_SetDraft]:
        """A set of the user to be changed; written at the end, when it was changed and nothing was raised."""
        set_id = slug(set_name)
        if any(set_id == studies.id for studies in curated(self.game)):
            raise StudyError(f"the set {quoted(set_name)} is shipped with the program", "choose another name")
        with self._locked():
            before = StudySet(set_id, one_line(set_name), (), True)
            if self._path(set_id).exists():
                before = self._read(set_id)
            if before.problem:
                raise StudyError(before.problem.rstrip("."), "mend the file, or move it away")
            draft = _SetDraft(self.game, before)
            yield draft
            after = replace(before, studies=tuple(draft.studies))
            if after.studies == before.studies:
                return
            if after.studies:
                write_text(self._path(set_id), encode_set(after, self.game))
            else:
                with storage_errors(self._path(set_id)):
                    self._path(set_id).unlink(missing_ok=True)


class _SetDraft:
    """A set of the user while it is changed."""

    def __init__(self, game: Game[Any, Any], before: StudySet) -> None:
        self.game = game
        self.id, self.name = before.id, before.name
        self.studies = list(before.studies)
        self._known = {_men_and_mover(study.position): study for study in self.studies}
        self._ids = {study.id for study in self.studies}
        self._names = {study.name.casefold() for study in self.studies}
        self._numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))

    def take(self, study: Study, beyond: bool) -> Study:
        """Adds a study whose position is any text, with an id; raises EndgameError for one that does not fit."""
        game = self.game
        self._refuse_known(study.position)  # as a file has it, which is cheaper than to read it first
        position = game.parse(study.position)
        over = game.terminal(position)
        if game.is_trivial(position) and over is not None and over.winner is None:
            raise EndingError("only the kings are left, which is always a draw")
        ending, estimate = "", False
        try:
            ending = game.ending_of(position)
        except EndingError:
            if not beyond:
                raise
            estimate = True
        if over is not None:
            raise StudyError("the game is over in it")
        text = game.format(position)
        self._refuse_known(text)
        side = study.side or game.mover(position)
        goal = study.goal
        if goal is None and study.expected is not None:
            goal = goal_of(study.expected, side == game.mover(position))
        study = replace(
            study, id=self._new_id(text), position=text, side=side, goal=goal, estimate=estimate,
            name=one_line(study.name) or self._new_name(ending or "Position"),
            note=one_line(study.note), source=one_line(study.source), best=tuple(map(one_line, study.best)),
            opcodes={one_line(name): one_line(v) if isinstance(v, str) else v for name, v in study.opcodes.items()},
        )  # fmt: skip
        _check_bounds(study)
        self.studies.append(study)
        self._known[_men_and_mover(text)] = study
        self._ids.add(study.id)
        self._names.add(study.name.casefold())
        return study

    def _refuse_known(self, text: str) -> None:
        if known := self._known.get(_men_and_mover(text)):
            raise StudyError(f"the set has this position already, as {known.id}")

    def _new_name(self, ending: str) -> str:
        """An ending with the first free number: a drill may mirror the board, and whose move it is."""
        names = (f"{ending} {number}" for number in self._numbers[ending])
        return next(name for name in names if name.casefold() not in self._names)

    def _new_id(self, text: str) -> str:
        """An id that depends on the position alone: who adds a position again finds its history again."""
        digest = hashlib.sha256(_men_and_mover(text).encode()).hexdigest()
        lengths = (f"{self.id}/{digest[:n]}" for n in range(6, len(digest) + 1))
        return next(name for name in lengths if name not in self._ids)


def _men_and_mover(text: str) -> str:
    """What makes a position the same: all but the counts of moves that end a FEN."""
    return " ".join(text.split()[:4])


def _study_of(record: PositionRecord, group: str) -> Study:
    """A record as a study without id; its opcodes ``side`` and ``goal`` are our own."""
    opcodes = dict(record.opcodes)
    side = str(opcodes.pop("side")) if opcodes.get("side") in WINNERS else ""
    goal = StudyGoal(opcodes.pop("goal")) if opcodes.get("goal") in list(StudyGoal) else None
    expected = Category.DRAW if goal is StudyGoal.DRAW else None
    if record.mate is not None:
        goal, expected = None, Category.WIN if record.mate > 0 else Category.LOSS
    return Study(
        "", record.name, group, record.position, side, goal, expected,
        None if record.mate is None else abs(record.mate),
        record.note, record.source, "", record.best, opcodes,
    )  # fmt: skip


def record_of(study: Study, game: Game[Any, Any]) -> PositionRecord:
    """A study as a file has it; read again, it gives such a study."""
    mate = None
    if study.depth is not None and study.expected is not None:
        mate = study.depth if study.expected is Category.WIN else -study.depth
    opcodes = dict(study.opcodes)
    for opcode, text in (("c1", study.remark), ("c2", study.source)):
        if text:
            opcodes.setdefault(opcode, text)
    if study.side != game.mover(game.parse(study.position)):
        opcodes["side"] = study.side
    if mate is None and study.goal is not None:
        opcodes["goal"] = study.goal
    return PositionRecord(
        position=study.position, name=study.name, note=study.note, best=study.best, mate=mate, opcodes=opcodes
    )  # fmt: skip
