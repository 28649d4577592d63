"""Sets of studies, shipped and the user's own: files, import, and comparison with the tables."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from endgame_core import paths
from endgame_core.errors import BusyError, EndgameError, EndingError, NotBuiltError, StudyError
from endgame_core.game import Game, Opcodes, PositionRecord
from endgame_core.language import N_, _
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
from endgame_core.practice.titles import english_set_title, set_title, study_title
from endgame_core.tables.explorer import Explorer
from endgame_core.untrusted import decoded, quoted, read_json, read_regular
from endgame_core.values import WINNERS, Category, Verdict

VERSION = 1
"""The version of the file format; files of a newer version are neither read nor written."""


class StudyGoal(StrEnum):
    """The goal of the learner's side."""

    WIN = "win"
    DRAW = "draw"
    HOLD_OUT = N_("hold out")


@dataclass(frozen=True, slots=True)
class Study:
    """A position worth practising.

    Attributes:
        id: Stable name, unique among all sets (``lucena``; the user's own: ``my-positions/3``).
        name: The name of the study.
        group: The name of its set (``Rook endings``).
        position: The position as text (FEN for chess).
        side: The learner's side, ``white`` or ``black``.
        goal: The learner's goal; None if it is neither stated nor looked up in a table yet.
        expected: The result for the side to move; None if it is neither stated nor looked up yet.
        depth: Plies to mate under best play; None for a draw, or if not stated.
        rating: Difficulty on the scale of the learner's rating; 0 if unknown.
        note: The idea, in one or two sentences.
        source: The source of the position or the analysis.
        remark: How the 50-move rule changes the result; empty if it does not.
        best: The stated best moves in SAN; empty to take them from the tables.
        opcodes: Other EPD operations of an imported position.
        estimate: Whether the position has too many pieces for tables, so that nothing stated is proved.
        lesson: The idea explained step by step; empty if there is only the note.
    """

    id: str
    name: str
    group: str
    position: str
    side: str
    goal: StudyGoal | None = None
    expected: Category | None = None
    depth: int | None = None
    rating: int = 0
    note: str = ""
    source: str = ""
    remark: str = ""
    best: tuple[str, ...] = ()
    opcodes: Opcodes = field(default_factory=dict[str, str | int | float])
    estimate: bool = False
    lesson: tuple[LessonStep, ...] = ()

    @property
    def is_from_game(self) -> bool:
        """Whether the position is an error in one of the user's games."""
        return self.id.startswith(f"{slug(MY_GAMES)}/")


@dataclass(frozen=True, slots=True)
class StudySet:
    """A named set of studies, stored in one file.

    Attributes:
        id: Stable name for commands (``rook-endings``).
        name: The name of the set (``Rook endings``).
        studies: The studies in the order of the file.
        own: Whether the set belongs to the user.
        problem: Why the user's file, or a study in it, cannot be read, as one sentence; else empty. A set with a
            problem is read-only.
    """

    id: str
    name: str
    studies: tuple[Study, ...]
    own: bool = False
    problem: str = ""


def goal_of(expected: Category, to_move: bool) -> StudyGoal:
    """Return the goal that the learner can reach.

    Args:
        expected: The result for the side to move.
        to_move: Whether the learner is to move.
    """
    if expected is Category.DRAW:
        return StudyGoal.DRAW
    learner_wins = (expected is Category.WIN) == to_move
    if learner_wins:
        return StudyGoal.WIN
    return StudyGoal.HOLD_OUT


def encode_set(studies: StudySet, game: Game[Any, Any]) -> str:
    """Encode a set as the JSON text of its file."""
    document = {
        "version": VERSION,
        "game": game.name,
        "id": studies.id,
        "name": studies.name,
        "studies": [_encode(study, game) for study in studies.studies],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def decode_set(text: str, game: Game[Any, Any], own: bool) -> StudySet:
    """Decode the text of a set's file; invalid studies are left out, and ``problem`` reports the first of them.

    Raises:
        StudyError: The text is not a set of studies, or one of a newer version or of another game.
    """
    try:
        document = read_json(text)
    except EndgameError:
        document = None
    if not isinstance(document, dict):
        raise StudyError(_("it is not a JSON document of studies"))
    version = document.get("version")
    name = document.get("name")
    entries = document.get("studies")
    if isinstance(version, int) and version > VERSION:
        raise StudyError(_("it has version {version} and was written by a newer endgame-tui").format(version=version))
    if version != VERSION or not is_text(name) or not isinstance(entries, list):
        raise StudyError(_("it has no version, name or list of studies"))
    if document.get("game") != game.name:
        raise StudyError(_("it belongs to a different game: {get}").format(get=quoted(document.get("game"))))
    result: dict[str, Study] = {}
    problems: list[str] = []
    for number, raw in enumerate(entries, 1):
        try:
            study = _decode(raw, name, game, own)
            if study.id in result:
                raise StudyError(_("the id {id} is used twice").format(id=quoted(study.id)))
            result[study.id] = study
        except EndgameError as error:
            problems.append(_("study {number} cannot be read: {reason}").format(number=number, reason=error.what))
    more = ""
    if len(problems) > 1:
        more = _(" (and {problems} more)").format(problems=len(problems) - 1)
    return StudySet(str(document.get("id", "")), name, tuple(result.values()), own, (problems or [""])[0] + more)


_OPTIONAL = ("goal", "expected", "depth", "rating", "note", "remark", "source", "best", "opcodes", "estimate")
"""Fields that a file omits when they are empty."""

_FILE_FIELDS = {"id", "name", "position", "side", "lesson", *_OPTIONAL}


def _encode(study: Study, game: Game[Any, Any]) -> dict[str, Any]:
    raw: dict[str, Any] = {"id": study.id, "name": study.name, "position": study.position}
    if study.side != game.mover(game.parse(study.position)):
        raw["side"] = study.side
    for name in _OPTIONAL:
        value: Any = getattr(study, name)
        if value or (name == "depth" and value is not None):
            if name == "best":
                value = list(value)
            elif name == "opcodes":
                value = dict(value)
            raw[name] = value
    if study.lesson:
        raw["lesson"] = encode_lesson(study.lesson)
    return raw


def _check_bounds(study: Study) -> None:
    """Raise StudyError for a study that could not be read back from a file."""
    _read_fields({**values(study), "best": list(study.best)})


def _read_fields(raw: dict[str, Any]) -> Study:
    """Make a study, without its lesson, from the fields of a file; raises StudyError for invalid fields."""
    fields = {name: value for name, value in raw.items() if name != "lesson"}
    return read(Study, fields, lambda problem: StudyError(_("its {problem}").format(problem=problem)))


def _decode(raw: Any, group: str, game: Game[Any, Any], own: bool) -> Study:
    """Decode one study; raises StudyError, or PositionError for an invalid position."""
    if not isinstance(raw, dict):
        raise StudyError(_("it is not a JSON object"))
    unknown = set(raw) - _FILE_FIELDS
    if unknown:
        raise StudyError(_("its field {unknown} is unknown").format(unknown=quoted(min(unknown))))
    missing = [name for name in ("id", "name", "position") if not raw.get(name)]
    if missing:
        raise StudyError(_("it has no {missing}").format(missing=missing[0]))
    study = _read_fields({"side": "", "group": group, **raw})
    position = game.parse(study.position)
    side = study.side or game.mover(position)
    if side not in WINNERS:
        raise StudyError(_("its side {side} is neither white nor black").format(side=quoted(side)))
    lesson = decode_lesson(raw.get("lesson", []), position, game, trusted=not own)
    return replace(study, position=game.format(position), side=side, lesson=lesson)


def lesson_positions(study: Study, game: Game[Any, Any]) -> list[LessonPage]:
    """Return the pages of a study's lesson, each with its boards; empty without a lesson."""
    return lesson_pages(study.lesson, study.position, game)


class Agreement(StrEnum):
    """Whether the statements of a study agree with the tables."""

    RIGHT = "right"
    WRONG = "wrong"
    NOT_BUILT = N_("not built")
    NOTHING_STATED = N_("nothing stated")
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class StudyCheck:
    """A study compared with the tables.

    Attributes:
        study: The study.
        outcome: Whether the study agrees with the tables.
        ending: The ending of the study, or the one that is not built; empty for an estimate.
        verdict: The verdict of the table; None if it was not probed.
        lesson: The wrong claims of the lesson.
    """

    study: Study
    outcome: Agreement
    ending: str = ""
    verdict: Verdict | None = None
    lesson: tuple[LessonProblem, ...] = ()


def compare(explorer: Explorer[Any, Any], study: Study) -> StudyCheck:
    """Compare the statements of a study with the tables, and if they are right, the claims of its lesson too."""
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
    """Compare the stated result, depth and goal of a study with the table of its ending."""
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
    truth = judged(explorer, replace(study, goal=None, expected=None, depth=None))
    is_right = (
        study.goal in (None, truth.goal)
        and study.expected in (None, truth.expected)
        and study.depth in (None, truth.depth)
    )
    return StudyCheck(study, Agreement.RIGHT if is_right else Agreement.WRONG, ending, verdict)


def judged(explorer: Explorer[Any, Any], study: Study) -> Study:
    """Return the study with missing statements (result, depth, goal) filled in from the tables.

    Raises:
        NotBuiltError: A statement is missing, and so is the table.
        EndingError: A statement is missing, and no table can cover the position.
    """
    has_depth = study.expected is Category.DRAW or study.depth is not None  # draws have no depth
    if study.goal is not None and study.expected is not None and has_depth:
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
"""The maximum number of positions added from a list at once; of more, a random sample is added."""
MY_POSITIONS = "My positions"
"""The user's default set for added positions."""
MY_GAMES = "My games"
"""The user's set for errors in games."""

_SUFFIX = ".json"
LONGEST_NAME = 60
_MAX_LISTED = 3
"""The maximum number of studies listed in the error about an ambiguous name."""
_LOCK_TIMEOUT = 10.0
"""Seconds to wait for another app that is writing."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A position that was not imported.

    Attributes:
        where: The place in the file (``line 3``, ``game 12``).
        text: The text of the record.
        reason: Why the position was refused, as one sentence.
    """

    where: str
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class StudyImport:
    """The result of an import; every record of the file is either added or refused.

    Attributes:
        added: The new studies, in the order of the file.
        refused: The refused records, in the order of the file.
    """

    added: tuple[Study, ...]
    refused: tuple[Refusal, ...]


@cache
def curated(game: Game[Any, Any]) -> tuple[StudySet, ...]:
    """Load the shipped sets of a game, in the order of their files."""
    result: list[StudySet] = []
    for path in sorted(paths.shipped("studies").glob(f"*{_SUFFIX}")):
        text = path.read_text("utf-8")
        if json.loads(text).get("game") == game.name:
            studies = decode_set(text, game, own=False)
            result.append(_with_titles(replace(studies, id=slug(studies.name))))
    return tuple(result)


def _with_titles(studies: StudySet) -> StudySet:
    """Return a shipped set with its titles in the language in use."""
    title = set_title(studies.name)
    translated = (replace(study, name=study_title(study.id, study.name), group=title) for study in studies.studies)
    return replace(studies, name=title, studies=tuple(translated))


_RESERVED_NAME = re.compile(r"con|prn|aux|nul|(com|lpt)\d")
"""Names that no file can have on Windows, with whatever suffix."""


def slug(name: str) -> str:
    """Return the ID of a set with this name: lower-case letters and digits of any script, joined by ``-``.

    Raises:
        StudyError: The name is too long, or has no letter or digit.
    """
    result = "-".join(re.findall(r"[^\W_]+", name.casefold()))
    if _RESERVED_NAME.fullmatch(result):
        result += "-set"
    if not result or len(result) > LONGEST_NAME or len(name) > LONGEST_TEXT:
        if result:
            problem = _("is too long")
        else:
            problem = _("has no letter or digit")
        raise StudyError(
            _("the name {name} of a set {problem}").format(name=quoted(name), problem=problem),
            _("choose a different name"),
        )
    return result


def _find_study(name: str, sets: Iterable[StudySet]) -> Study | None:
    """Find a study by its ID, else by its name; raises StudyError if several studies have the name."""
    key = name.strip().casefold()
    studies = [study for study_set in sets for study in study_set.studies]
    matches = [study for study in studies if study.id == key]
    if not matches:
        matches = [study for study in studies if study.name.strip().casefold() == key]
    if len(matches) > 1:
        ids = ", ".join(study.id for study in matches[:_MAX_LISTED])
        if len(matches) > _MAX_LISTED:
            ids += ", …"
        raise StudyError(
            _("{matches} studies are named {name}").format(matches=len(matches), name=quoted(name)),
            _("use the id of one of them: {ids}").format(ids=ids),
        )
    return matches[0] if matches else None


class Studies:
    """All sets of one game: the shipped ones, and the user's own in a directory.

    Several apps may write at once: every change locks the directory, rereads the file, and replaces it atomically.

    Args:
        game: The game.
        directory: The directory of the user's sets; by default in the user data directory. A game with a
            :attr:`~endgame_core.game.Game.storage_tag` has a subdirectory of it.
    """

    def __init__(self, game: Game[Any, Any], directory: Path | None = None) -> None:
        self.game = game
        self.directory = (directory or paths.studies_dir()) / game.storage_tag

    def sets(self) -> tuple[StudySet, ...]:
        """Return all sets, the shipped ones first."""
        return curated(self.game) + self.own()

    def own(self) -> tuple[StudySet, ...]:
        """Return the user's sets by name, `My positions` first; a damaged file gives an empty set with a problem."""
        try:
            stems = sorted(p.stem for p in self.directory.glob(f"*{_SUFFIX}") if p.is_file())
        except OSError:
            stems = []
        result = [self._read(stem) for stem in stems]
        return tuple(sorted(result, key=lambda s: (s.name != MY_POSITIONS, s.name.casefold())))

    def find(self, name: str) -> StudySet:
        """Find a set by its ID or name, ignoring case; raises StudyError if there is none."""
        text = name.strip()
        keys = {text.casefold(), english_set_title(text).casefold()}
        for study_set in self.sets():
            if not keys.isdisjoint((study_set.id.casefold(), study_set.name.casefold())):
                return study_set
        raise StudyError(
            _("there is no set {name}").format(name=quoted(name)), _("for a list, run: endgame-tui studies")
        )

    def study(self, name: str) -> Study:
        """Find a study by its ID or name, ignoring case; raises StudyError if there is none, or more than one."""
        study = _find_study(name, self.sets())
        if study is None:
            what = _("no set or study is named {name}").format(name=quoted(name))
            similar = self.similar_name(name)
            raise StudyError(
                what,
                _("did you mean {name}?").format(name=quoted(similar))
                if similar
                else _("for a list, run: endgame-tui studies"),
            )
        return study

    def similar_name(self, name: str) -> str:
        """Return the ID or name of a set or study that is most similar to a mistyped one; empty if none is."""
        names: dict[str, str] = {}
        for each in self.sets():
            for item in (each, *each.studies):
                names |= {item.id.casefold(): item.id, item.name.casefold(): item.name}
        matches = get_close_matches(name.strip().casefold(), names, n=1, cutoff=0.75)
        return names[matches[0]] if matches else ""

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
        """Add a position to a set of the user, which is created if it does not exist.

        Args:
            position: The position in any notation of the game, e.g. EPD with operations.
            set_name: The name or ID of the set.
            note: The note of the study; by default the one in the EPD.
            name: The name of the study; by default the one in the EPD, else the ending with a number.
            side: The learner's side; by default the one in the EPD, else the side to move.
            beyond: Whether to accept positions with too many pieces for tables, as estimates.

        Returns:
            The new study.

        Raises:
            PositionError: The position cannot be parsed, or is illegal.
            EndingError: No table can cover the position.
            StudyError: The set already has the position, is shipped or is damaged, or the game is over.
            StorageError: The file cannot be written.
            BusyError: Another app keeps the directory locked.
        """
        record = PositionRecord(position=position)
        with suppress(EndgameError):  # not a line of a file: the draft parses it, and reports what is wrong
            record = self.game.file_notation.read_line(position)
        with self._change(set_name) as draft:
            study = _study_of(record, draft.name)
            study = replace(
                study,
                name=name.strip() or study.name,
                note=note.strip() or study.note,
                side=side or study.side,
            )
            return draft.take(study, beyond)

    def import_records(self, records: Iterable[PositionRecord], set_name: str, *, beyond: bool = False) -> StudyImport:
        """Add the valid positions of a file to a set of the user, and report why the others were refused.

        Args:
            records: The records of the file.
            set_name: The name or ID of the set; it is created if it does not exist and a position is valid.
            beyond: Whether to accept positions with too many pieces for tables, as estimates.

        Raises:
            StudyError: The set is shipped or damaged.
            StorageError: The file cannot be written.
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
        """Delete one of the user's sets, or one of the user's studies; return the number of deleted studies.

        Args:
            name: The ID or name of the set or study, in any case.

        Raises:
            StudyError: There is none, or more than one; it is shipped; or the set of the study is damaged.
            StorageError: The file cannot be deleted or written.
            BusyError: Another app keeps the directory locked.
        """
        key = name.strip().casefold()
        is_set = any(key in (study_set.id.casefold(), study_set.name.casefold()) for study_set in self.sets())
        if not is_set:
            study = _find_study(name, self.own())
            if study is not None:
                key = study.id

        if "/" in key:  # the ID of a study of the user, e.g. my-positions/3
            with self._change(key.partition("/")[0]) as draft:
                before = len(draft.studies)
                draft.studies = [study for study in draft.studies if study.id != key]
                if len(draft.studies) == before:
                    raise StudyError(
                        _("you have no study named {name}").format(name=quoted(name)),
                        _("for a list, run: endgame-tui studies show SET"),
                    )
            return 1

        if any(key == study.id for studies in curated(self.game) for study in studies.studies):
            raise StudyError(
                _("{name} is shipped with the program").format(name=quoted(name)),
                _("only your own studies can be removed"),
            )
        with self._locked():
            result = self.find(name)
            if not result.own:
                raise StudyError(
                    _("{result} is shipped with the program").format(result=quoted(result.name)),
                    _("only your own sets can be removed"),
                )
            with storage_errors(self._path(result.id)):
                self._path(result.id).unlink(missing_ok=True)
            return len(result.studies)

    def _path(self, set_id: str) -> Path:
        return self.directory / f"{set_id}{_SUFFIX}"

    def _read(self, stem: str) -> StudySet:
        try:
            if stem != slug(stem):
                raise StudyError(_("its name should be {slug}{suffix}").format(slug=slug(stem), suffix=_SUFFIX))
            result = decode_set(decoded(read_regular(self._path(stem))), self.game, own=True)
        except (OSError, ValueError, StudyError) as error:
            if isinstance(error, StudyError):
                reason = error.what
            else:
                reason = _("it cannot be read")
            return StudySet(
                stem,
                stem,
                (),
                True,
                _("the file {path} is damaged: {reason}.").format(path=self._path(stem), reason=reason),
            )
        problem = ""
        if result.problem:
            problem = _("in {path} {problem}.").format(path=self._path(stem), problem=result.problem)
        studies = tuple(replace(study, id=f"{stem}/{study.id.rpartition('/')[2]}") for study in result.studies)
        return StudySet(stem, result.name, studies, True, problem)

    @contextmanager
    def _locked(self) -> Generator[None]:
        with storage_errors(self.directory):
            self.directory.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.directory / ".lock")
            try:
                lock.acquire(_LOCK_TIMEOUT)
            except Timeout:
                raise BusyError(
                    _("another app is changing your studies"), _("try again when it has finished")
                ) from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _change(self, set_name: str) -> Generator[_SetDraft]:
        """Open a draft of a user's set, under the lock; write it at the end if it has changed and nothing was raised.

        A set without studies is deleted.
        """
        set_id = slug(set_name)
        if any(set_id == studies.id for studies in curated(self.game)):
            raise StudyError(
                _("the set {set_name} is shipped with the program").format(set_name=quoted(set_name)),
                _("choose a different name"),
            )
        with self._locked():
            before = StudySet(set_id, one_line(set_name), (), True)
            if self._path(set_id).exists():
                before = self._read(set_id)
            if before.problem:
                raise StudyError(before.problem.rstrip("."), _("fix or move the file"))
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
    """A set of the user while it is being changed."""

    def __init__(self, game: Game[Any, Any], before: StudySet) -> None:
        self.game = game
        self.id = before.id
        self.name = before.name
        self.studies = list(before.studies)
        self._known = {_men_and_mover(study.position): study for study in self.studies}
        self._ids = {study.id for study in self.studies}
        self._names = {study.name.casefold() for study in self.studies}
        self._numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: itertools.count(1))

    def take(self, study: Study, beyond: bool) -> Study:
        """Add a study with its position in any notation; return it with an ID and a normalized position.

        Raises:
            EndgameError: The position is invalid or already in the set, the game is over, or a field is too long.
        """
        game = self.game
        self._refuse_known(study.position)  # catches most duplicates without parsing the position
        position = game.parse(study.position)
        over = game.terminal(position)
        if game.is_trivial(position) and over is not None and over.winner is None:
            raise EndingError(_("only the kings are left, which is always a draw"))
        ending = ""
        estimate = False
        try:
            ending = game.ending_of(position)
        except EndingError:
            if not beyond:
                raise
            estimate = True
        if over is not None:
            raise StudyError(_("the game is already over in this position"))
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
        if cached := self._known.get(_men_and_mover(text)):
            raise StudyError(_("this position is already in the set, as {id}").format(id=cached.id))

    def _new_name(self, ending: str) -> str:
        """Return the ending with the first free number.

        The name does not mention squares or the side to move, because a drill may mirror the board or swap colours.
        """
        names = (f"{ending} {number}" for number in self._numbers[ending])
        return next(name for name in names if name.casefold() not in self._names)

    def _new_id(self, text: str) -> str:
        """Return an ID computed from the position, so that a position added again finds its history again."""
        digest = hashlib.sha256(_men_and_mover(text).encode()).hexdigest()
        lengths = (f"{self.id}/{digest[:n]}" for n in range(6, len(digest) + 1))
        return next(name for name in lengths if name not in self._ids)


def _men_and_mover(text: str) -> str:
    """Return the part of a FEN that identifies a position: everything but the two move counters."""
    return " ".join(text.split()[:4])


def _study_of(record: PositionRecord, group: str) -> Study:
    """Convert a record to a study without an ID; the opcodes ``side`` and ``goal`` are this program's own."""
    opcodes = dict(record.opcodes)
    side = ""
    if opcodes.get("side") in WINNERS:
        side = str(opcodes.pop("side"))
    goal = None
    if opcodes.get("goal") in list(StudyGoal):
        goal = StudyGoal(opcodes.pop("goal"))
    expected = None
    if goal is StudyGoal.DRAW:
        expected = Category.DRAW
    if record.mate is not None:
        goal = None  # follows from the result
        expected = Category.WIN if record.mate > 0 else Category.LOSS
    return Study(
        id="",
        name=record.name,
        group=group,
        position=record.position,
        side=side,
        goal=goal,
        expected=expected,
        depth=None if record.mate is None else abs(record.mate),
        note=record.note,
        source=record.source,
        best=record.best,
        opcodes=opcodes,
    )


def record_of(study: Study, game: Game[Any, Any]) -> PositionRecord:
    """Convert a study to a record for export, from which an import makes the study again."""
    mate = None
    if study.depth is not None and study.expected is not None:
        if study.expected is Category.WIN:
            mate = study.depth
        else:
            mate = -study.depth
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
