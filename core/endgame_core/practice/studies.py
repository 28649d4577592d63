"""Sets of studies: those that are shipped, and the user's own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from endgame_core import paths
from endgame_core.errors import BusyError, EndgameError, EndingError, StudyError
from endgame_core.game import Game
from endgame_core.movetext import Collected
from endgame_core.paths import storage_errors, write_text
from endgame_core.practice.study import Goal, Study, StudySet, decode_set, encode_set, goal_of
from endgame_core.tables.explorer import WINNERS
from endgame_core.values import Category

MY_POSITIONS = "My positions"
"""The set of the user that positions go to when no other is named."""

_SUFFIX = ".json"
_LONGEST_NAME = 60
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
class Imported:
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
    found: list[StudySet] = []
    for path in sorted(paths.curated_dir().glob(f"*{_SUFFIX}")):
        text = path.read_text("utf-8")
        if json.loads(text).get("game") == game.name:
            studies = decode_set(text, game, own=False)
            found.append(replace(studies, id=slug(studies.name)))
    return tuple(found)


def slug(name: str) -> str:
    """The id of a set's name: small letters and digits of any script, joined by ``-``; raises StudyError."""
    found = "-".join(re.findall(r"[^\W_]+", name.casefold()))
    if not found or len(found) > _LONGEST_NAME:
        problem = "is too long" if found else "has no letter or digit"
        raise StudyError(f"the name {name[:40]!r} of a set {problem}", "choose another name")
    return found


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
        found = [self._read(stem) for stem in stems]
        return tuple(sorted(found, key=lambda s: (s.name != MY_POSITIONS, s.name.casefold())))

    def find(self, name: str) -> StudySet:
        """A set by its id or name, in any letter case; raises StudyError."""
        wanted = name.strip().casefold()
        for found in self.sets():
            if wanted in (found.id.casefold(), found.name.casefold()):
                return found
        raise StudyError(f"there is no set {name!r}", "see: endgame-tui studies")

    def study(self, name: str) -> Study:
        """A study by its id; raises StudyError."""
        wanted = name.strip().casefold()
        for found in (study for studies in self.sets() for study in studies.studies):
            if found.id == wanted:
                return found
        raise StudyError(f"there is no study {name!r}", "see: endgame-tui studies show GROUP")

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
            position: In any notation of the game.
            set_name: Name or id of the set.
            note: The user's words.
            name: What to call it; its ending by default.
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
        with self._change(set_name) as draft:
            return draft.take(Study("", name.strip(), draft.name, position, side or "", note=note.strip()), beyond)

    def import_records(self, records: Iterable[Collected], set_name: str, *, beyond: bool = False) -> Imported:
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
                    refused.append(Refusal(record.where, record.text, str(error)))
        return Imported(tuple(added), tuple(refused))

    def remove(self, name: str) -> int:
        """Deletes a study of the user by its id, or one of his sets; returns how many studies went.

        Raises:
            StudyError: There is none, it is shipped, or the set it is in is damaged.
            StorageError: It cannot be deleted.
            BusyError: Another app keeps the directory locked.
        """
        wanted = name.strip().casefold()
        if "/" in wanted:
            with self._change(wanted.partition("/")[0]) as draft:
                before = len(draft.studies)
                draft.studies = [study for study in draft.studies if study.id != wanted]
                if len(draft.studies) == before:
                    raise StudyError(f"there is no study {name!r} of yours", "see: endgame-tui studies show SET")
            return 1
        if any(wanted == study.id for studies in curated(self.game) for study in studies.studies):
            raise StudyError(f"{name!r} is shipped with the program", "only your own studies can be removed")
        with self._locked():
            found = self.find(name)
            if not found.own:
                raise StudyError(f"{found.name!r} is shipped with the program", "only your own sets can be removed")
            with storage_errors(self._path(found.id)):
                self._path(found.id).unlink(missing_ok=True)
            return len(found.studies)

    def _path(self, set_id: str) -> Path:
        return self.directory / f"{set_id}{_SUFFIX}"

    def _read(self, stem: str) -> StudySet:
        try:
            if stem != slug(stem):
                raise StudyError(f"its name should be {slug(stem)}{_SUFFIX}")
            found = decode_set(self._path(stem).read_text("utf-8"), self.game, own=True)
        except (OSError, ValueError, StudyError) as error:
            reason = error.what if isinstance(error, StudyError) else "it cannot be read"
            return StudySet(stem, stem, (), True, f"the file {self._path(stem)} is damaged: {reason}.")
        problem = f"in {self._path(stem)} {found.problem}." if found.problem else ""
        studies = tuple(replace(study, id=f"{stem}/{study.id.rpartition('/')[2]}") for study in found.studies)
        return StudySet(stem, found.name, studies, True, problem)

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
    def _change(self, set_name: str) -> Generator[_Draft]:
        """A set of the user to be changed; written at the end, when it was changed and nothing was raised."""
        set_id = slug(set_name)
        if any(set_id == studies.id for studies in curated(self.game)):
            raise StudyError(f"the set {set_name!r} is shipped with the program", "choose another name")
        with self._locked():
            before = StudySet(set_id, set_name.strip(), (), True)
            if self._path(set_id).exists():
                before = self._read(set_id)
            if before.problem:
                raise StudyError(before.problem.rstrip("."), "mend the file, or move it away")
            draft = _Draft(self.game, before)
            yield draft
            after = replace(before, studies=tuple(draft.studies))
            if after.studies == before.studies:
                return
            if after.studies:
                write_text(self._path(set_id), encode_set(after, self.game))
            else:
                with storage_errors(self._path(set_id)):
                    self._path(set_id).unlink(missing_ok=True)


class _Draft:
    """A set of the user while it is changed."""

    def __init__(self, game: Game[Any, Any], before: StudySet) -> None:
        self.game = game
        self.id, self.name = before.id, before.name
        self.studies = list(before.studies)
        self._known = {_men_and_mover(study.position): study for study in self.studies}
        self._ids = {study.id for study in self.studies}

    def take(self, study: Study, beyond: bool) -> Study:
        """Adds a study whose position is any text, with an id; raises EndgameError for one that does not fit."""
        game = self.game
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
        if known := self._known.get(_men_and_mover(text)):
            raise StudyError(f"the set has this position already, as {known.id}")
        side = study.side or game.mover(position)
        goal = study.goal
        if goal is None and study.expected is not None:
            goal = goal_of(study.expected, side == game.mover(position))
        study = replace(
            study, id=self._new_id(text), position=text, side=side, goal=goal, estimate=estimate,
            name=_plain(study.name) or f"{ending or 'Position'}, {game.mover(position).capitalize()} to move",
            note=_plain(study.note), source=_plain(study.source), best=tuple(map(_plain, study.best)),
            opcodes={_plain(name): _plain(v) if isinstance(v, str) else v for name, v in study.opcodes.items()},
        )  # fmt: skip
        self.studies.append(study)
        self._known[_men_and_mover(text)] = study
        self._ids.add(study.id)
        return study

    def _new_id(self, text: str) -> str:
        """An id that depends on the position alone: who adds a position again finds its history again."""
        digest = hashlib.sha256(_men_and_mover(text).encode()).hexdigest()
        lengths = (f"{self.id}/{digest[:n]}" for n in range(6, len(digest) + 1))
        return next(name for name in lengths if name not in self._ids)


def _men_and_mover(text: str) -> str:
    """What makes a position the same: all but the counts of moves that end a FEN."""
    return " ".join(text.split()[:4])


def _study_of(record: Collected, group: str) -> Study:
    """A record as a study without id; its opcodes ``side`` and ``goal`` are our own."""
    opcodes = dict(record.opcodes)
    side = str(opcodes.pop("side")) if opcodes.get("side") in WINNERS else ""
    goal = Goal(opcodes.pop("goal")) if opcodes.get("goal") in list(Goal) else None
    expected = Category.DRAW if goal is Goal.DRAW else None
    if record.mate is not None:
        goal, expected = None, Category.WIN if record.mate > 0 else Category.LOSS
    return Study(
        "", record.name, group, record.position, side, goal, expected,
        None if record.mate is None else abs(record.mate),
        record.note, record.source, "", record.best, opcodes,
    )  # fmt: skip


def _plain(text: str) -> str:
    """Text on one line, without what a terminal would obey."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
