"""The dialogue: reads a line, has the room carry it out, says what became of it, and loses nothing at its end."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.paths import FREE, AccessPolicy
from endgame_core.plain.commands import CommandRegistry, ConsoleCommand, alike, unknown
from endgame_core.plain.console import Console
from endgame_core.plain.mode import ROOM, PlainMode
from endgame_core.plain.terminal import Terminal
from endgame_core.settings import CLUSTER, GLYPHS, Settings
from endgame_core.tasks.play import PLAY
from endgame_core.untrusted import quoted
from endgame_core.words import tables as words
from endgame_core.words.text_model import capital

ROOMS: Final = {
    "explore": "Explore",
    "play": "Playing",
    "practise": "Practise",
    "library": "LibraryMode",
    "progress": "ProgressMode",
}
"""The modes and their classes; a module is imported when its mode is first entered."""

EVERYWHERE: Final = CommandRegistry()
"""Commands of the dialogue itself."""

_NAMED = frozenset(("build", "library", "open", "facts", "delete", "survey", "verify"))
"""Commands behind which an ending may stand."""


_LIKE_MOVE: Final = re.compile("[KQRBN]|[a-h]x[a-h]")
"""How what can be nothing but a move of chess begins."""


class Quit(Exception):  # noqa: N818 - no error
    """The dialogue is to end."""


class Dialogue:
    """The rooms, and the way between them.

    Args:
        desk: What they share.
    """

    def __init__(self, desk: Console) -> None:
        self.desk = desk
        self._rooms: dict[tuple[str, str], PlainMode] = {}
        self._seen = 0
        self.room: PlainMode = self._room("explore")
        """Where one is."""
        desk.terminal.complete_with(self.completions)

    # Rooms

    def _room(self, name: str) -> PlainMode:
        key = name, self.desk.game
        if key not in self._rooms:
            kind: type[PlainMode] = getattr(import_module(f"endgame_core.plain.{name}"), ROOMS[name])
            self._rooms[key] = kind(self.desk, self.desk.game)
        return self._rooms[key]

    def go(self, name: str, argument: str = "") -> None:
        """Changes to a room."""
        self.room = self._room(name)
        self.room.enter(argument)

    def has_unfinished_game(self) -> bool:
        """Return whether a game against the tables was begun and is not over."""
        room = self._rooms.get(("play", self.desk.game))
        return room is not None and room.stage == PLAY

    def offered(self) -> Iterator[ConsoleCommand]:
        """The commands that mean something now."""
        yield from self.room.TABLE.offered(self.room.stage)
        yield from EVERYWHERE

    def found(self, name: str) -> ConsoleCommand | None:
        """The command of a name, meaning something now or not."""
        return self.room.TABLE.found(self.room.stage, name) or EVERYWHERE.found("", name)

    def completions(self, line: str) -> list[str]:
        """What the last word of a line may become."""
        begun = line.split() if line.endswith(" ") else line.split()[:-1]
        names = [each.name for each in self.offered()]
        if not begun:
            return sorted({*names, *self.room.candidates()})
        if begun[0] == "help":
            return sorted(names)
        if begun[0] in _NAMED:
            return list(self.desk.lab.explorer_of(self.desk.game).game.endings())
        return sorted(self.room.candidates())

    # Lines

    def run(self, first: str | None = None) -> None:
        """Goes on until the input ends, or somebody leaves."""
        try:
            self.desk.say("Endgame laboratory, plain mode. Type help for the commands, quit to leave.")
            self._attempt(lambda: self._open(first))
            self._say_what_is_amiss()
            while (line := self._next()) is not None:
                self.obey(line)
            if self.desk.builds.job is not None and not self.desk.terminal.typed:
                self.desk.wait_for_builds()
        except Quit:
            pass
        finally:
            self.close()

    def _open(self, first: str | None) -> None:
        if first is not None and (name := games.game_by_spelling(first)) is not None:
            self.desk.game = name
        self.go("explore", first or "")

    def _next(self) -> str | None:
        """The next line; after Ctrl-C another one."""
        while True:
            try:
                return self.desk.read(f"{self.room.NAME}: ")
            except KeyboardInterrupt:
                self.desk.terminal.write("")
                self.desk.say("Type quit to leave.")

    def obey(self, line: str) -> None:
        """Carries out what was typed."""
        desk = self.desk
        desk.begin_answer()
        desk.builds.watch()
        if self._seen != desk.builds.changes:
            self._seen = desk.builds.changes
            desk.lab.forget()
            for room in self._rooms.values():
                room.tables_changed()
        self._attempt(lambda: self._obey(line.strip()))
        wished, desk.wished = desk.wished, None
        if wished is not None:
            self._attempt(lambda: self.go(*wished))
        self._say_what_is_amiss()

    def _say_what_is_amiss(self) -> None:
        if notice := self.desk.lab.journal.take_notice():
            self.desk.say(notice)
        while self.desk.troubles:
            self.desk.say(f"Warning: {str(self.desk.troubles.pop(0)).rstrip('.')}.")

    def _attempt(self, act: Callable[[], None]) -> None:
        """Does something; what is wrong with it is a sentence."""
        try:
            act()
        except NotBuiltError as problem:
            self.desk.say(f"{problem.ending} is not built; type build {problem.ending} to build it.")
        except EndgameError as problem:
            self.desk.say(f"{str(problem).rstrip('.')}.")

    def _obey(self, line: str) -> None:
        room = self.room
        room.tick()
        if not line:
            room.blank()
            return
        name, _, rest = line.partition(" ")
        told, rest = self.found(name), rest.strip()
        if told is None:
            try:
                room.typed(line)
            except EndgameError as problem:
                if isinstance(problem, PositionError) and name.isalpha() and not _LIKE_MOVE.match(name):
                    problem = unknown(name)
                meant = alike(self.offered(), name)
                raise EndgameError(problem.what, f"did you mean {meant}") if meant else problem from None
            return
        if not told.fits(room.stage):
            raise EndgameError(f"{told.name} is not available now: it works {told.when}", "type help for a list")
        if told.needs and not rest:
            raise EndgameError(f"{told.name} what", f"type {told.name} {told.needs}")
        if rest and not told.takes:
            raise EndgameError(f"{told.name} takes no argument", f"type {told.name} alone")
        told.run(self if told in EVERYWHERE else room, rest)

    # The end

    def close(self) -> None:
        """Ends what is under way; what can be kept is kept."""
        for room in self._rooms.values():
            with suppress(OSError, ValueError):
                self.desk.say(room.leave())
        self.desk.builds.cancel(everything=True)
        self.desk.builds.wait(10.0)
        self.desk.terminal.close()


@EVERYWHERE("help ?", "list the commands, or explain one", "[COMMAND]")
def tell_help(dialogue: Dialogue, name: str) -> None:
    """Tells the commands that mean something now; a command keeps its small letter."""
    desk, room = dialogue.desk, dialogue.room
    if name:
        told = dialogue.found(name)
        if told is None:
            raise unknown(name)
        desk.terminal.write(f"{told.usage}: {told.told}.")
        return
    desk.say(room.ABOUT)
    everywhere = [*ROOM, *EVERYWHERE]
    for told in dialogue.offered():
        if told not in everywhere:
            desk.terminal.write(f"{told.usage}: {told.told}.")
    desk.say(f"Everywhere: {', '.join(told.name for told in everywhere)}. Type help and a command for details.")


EVERYWHERE.does("explore", "walk through positions and layers", "go", "explore", takes="[POSITION]")


@EVERYWHERE("play", "play the current position or another one, or resume an unfinished game", "[POSITION or here]")
def to_play(dialogue: Dialogue, argument: str) -> None:
    """Changes to the game: to the unfinished one, else to the position at hand."""
    room = dialogue.room
    if argument == "here" or (not argument and room.NAME != "play" and not dialogue.has_unfinished_game()):
        argument = room.here()
    dialogue.go("play", argument)


EVERYWHERE.does("practise drill", "choose a drill, or type its name", "go", "practise", takes="[NAME]")
EVERYWHERE.does("library", "list endings and build their tables", "go", "library", takes="[ENDING]")
EVERYWHERE.does("progress", "show your practice and your results", "go", "progress")


@EVERYWHERE("game G", "switch between chess and Nine Men's Morris", "[chess or morris]")
def change_game(dialogue: Dialogue, name: str) -> None:
    """Changes the game; by default to the other one."""
    known, desk = games.NAMES, dialogue.desk
    wanted = name.casefold() or known[(known.index(desk.game) + 1) % len(known)]
    if wanted not in known:
        raise EndgameError(f"no game is called {quoted(name)}", f"type game {' or game '.join(known)}")
    desk.game = wanted
    dialogue.go(dialogue.room.NAME)


@EVERYWHERE("quit q exit", "quit; the end of the input quits as well")
def leave(dialogue: Dialogue, _: str) -> None:
    """Leaves the program; asks before a build is stopped."""
    desk = dialogue.desk
    job = desk.builds.job
    if job is not None:
        if not desk.terminal.typed:
            desk.wait_for_builds()
        elif not desk.ask(f"Quit? {capital(words.stopped_by_quitting(job.wish.endings, len(desk.builds.waiting)))}."):
            return
    raise Quit


def run(root: Path, first: str | None, ascii: bool | None, syzygy: str | None, reach: AccessPolicy = FREE) -> None:
    """The dialogue on standard input and output.

    Args:
        root: The data directory.
        first: A position or an ending to begin at.
        ascii: Whether only letters of ASCII are written; None asks the settings, then the encoding.
        syzygy: Directories of Syzygy files.
        reach: What may be used beside the data directory.

    Raises:
        EndgameError: What was practised could not be written at last, or nobody reads on.
    """
    kept = Settings(root)
    troubles = list(kept.problems)
    if ascii is None and kept[GLYPHS] != "auto":
        ascii = kept[GLYPHS] == "ascii"
    lab = AppContext(root, syzygy, troubles.append, access=reach)
    desk = Console(lab, Terminal(ascii, history=root / "plain-history"), where=lambda: kept[CLUSTER])
    desk.troubles = troubles
    signal.signal(signal.SIGINT, desk.interrupted)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _end)
    try:
        Dialogue(desk).run(first)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise EndgameError("the output was closed", "unfinished games and drills are saved") from None
    finally:
        lab.close()


def _end(_signal: int, _frame: Any) -> None:
    """The terminal has gone, or the program is to end: as at the end of the input."""
    raise Quit
