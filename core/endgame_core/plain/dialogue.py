"""The main loop of plain mode: reads lines, runs commands, switches modes, and saves unfinished work at the end."""

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

from endgame_core import actions, games
from endgame_core.app_context import AppContext
from endgame_core.chess import notation
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.language import _
from endgame_core.paths import UNRESTRICTED, AccessPolicy
from endgame_core.plain.commands import CommandRegistry, ConsoleCommand, closest_name, unknown_command_error
from endgame_core.plain.console import Console
from endgame_core.plain.mode import MODE_COMMANDS, PlainMode
from endgame_core.plain.terminal import Terminal
from endgame_core.settings import CLUSTER, GLYPHS, PIECE_LETTERS, Settings
from endgame_core.system import hangup_signal
from endgame_core.tasks.play_state import PLAY
from endgame_core.untrusted import quoted
from endgame_core.words import tables as words
from endgame_core.words.missing_tables import type_to_build
from endgame_core.words.text_model import capital

MODES: Final = {
    "explore": "ExploreMode",
    "play": "PlayMode",
    "practise": "PractiseMode",
    "library": "LibraryMode",
    "progress": "ProgressMode",
}
"""The modes and their classes; a module is imported when its mode is first entered."""

GLOBAL_COMMANDS: Final = CommandRegistry()
"""The commands that switch modes or quit. They run with the dialogue, the commands of a mode with the mode."""

_TAKES_ENDING = frozenset(("build", "library", "open", "facts", "delete", "survey", "verify"))
"""Commands whose argument is completed to an ending."""


_LIKE_MOVE: Final = re.compile("[KQRBN]|[a-h]x[a-h]|(?:king|queen|rook|bishop|knight|pawn|takes)$")
"""The beginning of what can only be a chess move, not a mistyped command."""


class Quit(Exception):  # noqa: N818 - no error
    """Ends the dialogue."""


class Dialogue:
    """Reads lines and runs them in the current mode.

    Args:
        console: Input and output, shared by all modes.

    Attributes:
        mode: The current mode.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._modes: dict[tuple[str, str], PlainMode] = {}
        """The modes entered so far, by name and game."""
        self._printed_warnings: set[str] = set()
        self._reported_changes = 0
        """How many changes of the tables the modes know of."""
        self.mode: PlainMode = self._mode_named("explore")
        console.terminal.complete_with(self.completions)

    # Modes

    def _mode_named(self, name: str) -> PlainMode:
        """Return the mode for the current game, created on first use."""
        game = self.console.game
        if (name, game) not in self._modes:
            module = import_module(f"endgame_core.plain.{name}")
            mode_class: type[PlainMode] = getattr(module, MODES[name])
            self._modes[name, game] = mode_class(self.console, game)
        return self._modes[name, game]

    def enter_mode(self, name: str, argument: str = "") -> None:
        """Switch to a mode."""
        self.mode = self._mode_named(name)
        self.mode.enter(argument)

    def has_unfinished_game(self) -> bool:
        """Return whether a game against the tables was begun and is not over."""
        mode = self._modes.get(("play", self.console.game))
        return mode is not None and mode.stage == PLAY

    # Commands

    def available_commands(self) -> Iterator[ConsoleCommand]:
        """Yield the commands that work now."""
        yield from self.mode.COMMANDS.available(self.mode.stage)
        yield from GLOBAL_COMMANDS

    def find_command(self, name: str) -> ConsoleCommand | None:
        """Return the command with a name, whether it works now or not."""
        return self.mode.COMMANDS.find(self.mode.stage, name) or GLOBAL_COMMANDS.find("", name)

    def completions(self, line: str) -> list[str]:
        """Return what the last word of a line can become."""
        if line.endswith(" "):
            words_before = line.split()
        else:
            words_before = line.split()[:-1]
        names = [command.name for command in self.available_commands()]
        if not words_before:
            return sorted({*names, *self.mode.candidates()})
        if words_before[0] == "help":
            return sorted(names)
        if words_before[0] in _TAKES_ENDING:
            return list(self.console.lab.explorer_of(self.console.game).game.endings())
        return sorted(self.mode.candidates())

    # Lines

    def run(self, initial: str | None = None) -> None:
        """Read and run lines until the end of the input or ``quit``; ``initial`` is a position or an ending to open."""
        try:
            self.console.say(_("Plain mode of endgame-tui. Type help for the commands, quit to leave."))
            self._attempt(lambda: self._open(initial))
            self._report_problems()
            while (line := self._read()) is not None:
                self.obey(line)
            # The end of a script: its builds are part of what it asked for. A user at a terminal has pressed Ctrl-D.
            if self.console.builds.job is not None and not self.console.terminal.is_interactive:
                self.console.wait_for_builds()
        except Quit:
            pass
        finally:
            self.close()

    def _open(self, text: str | None) -> None:
        """Open Explore, at a position or an ending if one is given; its spelling determines the game."""
        game = None
        if text is not None:
            game = games.game_by_spelling(text)
        if game is not None:
            self.console.game = game
        self.enter_mode("explore", text or "")

    def _read(self) -> str | None:
        """Return the next line; None at the end of the input. Ctrl-C starts a new line."""
        while True:
            try:
                return self.console.read(f"{self.mode.NAME}: ")
            except KeyboardInterrupt:
                self.console.terminal.write("")
                self.console.say(_("Type quit to leave."))

    def obey(self, line: str) -> None:
        """Run a line and print the answer."""
        console = self.console
        console.begin_answer()

        # Also notices tables that other programs have built or deleted.
        console.builds.watch()
        if self._reported_changes != console.builds.changes:
            self._reported_changes = console.builds.changes
            console.lab.forget()
            for mode in self._modes.values():
                mode.tables_changed()

        self._attempt(lambda: self._run_line(line.strip()))

        # Only now: a command of one mode must not be replaced by another mode while it runs.
        request = console.requested_mode
        console.requested_mode = None
        if request is not None:
            self._attempt(lambda: self.enter_mode(*request))
        self._report_problems()

    def _report_problems(self) -> None:
        """Print the notice of the journal, if any, and the pending warnings."""
        notice = self.console.lab.journal.take_notice()
        if notice:
            self.console.say(notice)
        while self.console.warnings:
            warning = str(self.console.warnings.pop(0)).rstrip(".")
            if warning not in self._printed_warnings:  # several parts of the program read the same settings
                self._printed_warnings.add(warning)
                self.console.say(_("Warning: {warning}.").format(warning=warning))

    def _attempt(self, action: Callable[[], None]) -> None:
        """Call a function and print its error, if any, as a sentence."""
        try:
            action()
        except NotBuiltError as problem:
            self.console.say(type_to_build(problem.ending))
        except EndgameError as problem:
            sentence = str(problem).rstrip(".")
            if not sentence.endswith("?"):
                sentence += "."
            self.console.say(sentence)

    def _run_line(self, line: str) -> None:
        mode = self.mode
        mode.tick()
        if not line:
            mode.handle_empty_line()
            return

        name, __, argument = line.partition(" ")
        argument = argument.strip()
        command = self.find_command(name)
        if command is None:
            self._handle_text(line, name)
            return
        if not command.is_available(mode.stage):
            raise EndgameError(
                _("{command} is not available now, only {stage_description}").format(
                    command=command.name, stage_description=command.stage_description
                ),
                _("type help for a list"),
            )
        if command.required_argument and not argument:
            raise EndgameError(
                _("{command} needs an argument").format(command=command.name),
                _("type {command} {required_argument}").format(
                    command=command.name, required_argument=command.required_argument
                ),
            )
        if argument and not command.argument:
            raise EndgameError(
                _("{command} takes no argument").format(command=command.name),
                _("type only {command}").format(command=command.name),
            )
        if command in GLOBAL_COMMANDS:
            command.run(self, argument)
        else:
            command.run(mode, argument)

    def _handle_text(self, line: str, name: str) -> None:
        """Let the mode handle a line that is no command; its error suggests the command that ``name`` resembles."""
        try:
            self.mode.handle_text(line)
        except EndgameError as error:
            problem = error
            # A single word that is no move: the user meant a command, not a position.
            if isinstance(error, PositionError) and name.isalpha() and not _LIKE_MOVE.match(name):
                problem = unknown_command_error(name)
            suggestion = closest_name(self.available_commands(), name)
            if suggestion:
                problem = EndgameError(problem.what, _("did you mean {name}?").format(name=quoted(suggestion)))
            raise problem from None

    # The end

    def close(self) -> None:
        """Save or give up unfinished games and drills, stop the builds and store the history."""
        for mode in self._modes.values():
            with suppress(OSError, ValueError):  # the output may be closed
                self.console.say(mode.close())
        self.console.builds.cancel(everything=True)
        self.console.builds.wait(10.0)
        self.console.terminal.close()


@GLOBAL_COMMANDS.register(actions.HELP, _("list the commands, or explain one"), "[COMMAND]")
def print_help(dialogue: Dialogue, name: str) -> None:
    """List the commands that work now, or explain one; both keep the lower case of command names."""
    console = dialogue.console
    if name:
        command = dialogue.find_command(name)
        if command is None:
            raise unknown_command_error(name)
        console.terminal.write(f"{command.usage}: {command.help}.")
        return

    console.say(dialogue.mode.HELP)
    everywhere = [*MODE_COMMANDS, *GLOBAL_COMMANDS]
    for command in dialogue.available_commands():
        if command not in everywhere:
            console.terminal.write(f"{command.usage}: {command.help}.")
    names = ", ".join(command.name for command in everywhere)
    console.say(_("Commands everywhere: {names}. Type help and a command for details.").format(names=names))


@GLOBAL_COMMANDS.register(actions.EXPLORE_SCREEN, _("walk through positions and layers"), _("[POSITION or here]"))
def explore(dialogue: Dialogue, argument: str) -> None:
    """Open Explore where it was, at a position, or at the current position of another mode."""
    if argument == "here":
        argument = dialogue.mode.position_text()
    dialogue.enter_mode("explore", argument)


@GLOBAL_COMMANDS.register(
    actions.PLAY_SCREEN,
    _("play the current position or a different one, or resume an unfinished game"),
    _("[POSITION or here]"),
)
def play(dialogue: Dialogue, argument: str) -> None:
    """Resume the unfinished game, else offer a game from the given or the current position."""
    uses_current_position = argument == "here"
    if not argument and dialogue.mode.NAME != "play" and not dialogue.has_unfinished_game():
        uses_current_position = True
    if uses_current_position:
        argument = dialogue.mode.position_text()
    dialogue.enter_mode("play", argument)


GLOBAL_COMMANDS.add(
    actions.PRACTISE_SCREEN,
    _("choose a drill, or type its name"),
    lambda dialogue, name: dialogue.enter_mode("practise", name),
    "[NAME]",
)
GLOBAL_COMMANDS.add(
    actions.LIBRARY_SCREEN,
    _("list endings and build their tables"),
    lambda dialogue, ending: dialogue.enter_mode("library", ending),
    "[ENDING]",
)
GLOBAL_COMMANDS.add(
    actions.PROGRESS_SCREEN,
    _("show your practice results"),
    lambda dialogue, __: dialogue.enter_mode("progress"),
)


@GLOBAL_COMMANDS.register(actions.GAME, _("switch between chess and Nine Men's Morris"), _("[chess or morris]"))
def switch_game(dialogue: Dialogue, name: str) -> None:
    """Switch to a game (default: the next one) in the same mode."""
    console = dialogue.console
    names = games.NAMES
    game = name.casefold()
    if not game:
        game = names[(names.index(console.game) + 1) % len(names)]
    if game not in names:
        raise EndgameError(
            _("there is no game called {name}").format(name=quoted(name)),
            _("type game {names}").format(names=_(" or game ").join(names)),
        )
    console.game = game
    dialogue.enter_mode(dialogue.mode.NAME)


@GLOBAL_COMMANDS.register(actions.QUIT, _("quit; the end of the input quits as well"))
def quit_dialogue(dialogue: Dialogue, __: str) -> None:
    """Quit; ask a user before the build is cancelled, and wait for it in a script."""
    console = dialogue.console
    job = console.builds.job
    if job is not None:
        if not console.terminal.is_interactive:
            console.wait_for_builds()
        else:
            consequence = capital(words.stopped_by_quitting(job.request.endings, len(console.builds.waiting)))
            if not console.ask(_("Quit? {consequence}.").format(consequence=consequence)):
                return
    raise Quit


def run(
    root: Path,
    initial: str | None,
    ascii: bool | None,
    syzygy: str | None,
    reach: AccessPolicy = UNRESTRICTED,
    gaviota: str | None = None,
) -> None:
    """Run plain mode on standard input and output.

    Args:
        root: The data directory.
        initial: A position or an ending to open.
        ascii: Whether to write ASCII only; None for as the settings say, else as the encoding of the output allows.
        syzygy: Directories of Syzygy files.
        reach: What may be accessed besides the data directory.
        gaviota: Directories of Gaviota files.

    Raises:
        EndgameError: The journal could not be written at the end, or the output was closed.
    """
    settings = Settings(root)
    notation.use_letters(settings[PIECE_LETTERS])
    # A list that other parts append to: AppContext has its method as the handler of problems.
    warnings = list(settings.problems)
    if ascii is None and settings[GLYPHS] != "auto":
        ascii = settings[GLYPHS] == "ascii"
    lab = AppContext(root, syzygy, warnings.append, access=reach, gaviota=gaviota)
    terminal = Terminal(ascii, history=root / "plain-history")
    console = Console(lab, terminal, where=lambda: settings[CLUSTER])
    console.warnings = warnings

    signal.signal(signal.SIGINT, console.on_sigint)
    for number in (signal.SIGTERM, hangup_signal()):
        if number is not None:
            signal.signal(number, _on_termination)

    try:
        Dialogue(console).run(initial)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python fails to flush it at exit
        raise EndgameError(_("the output was closed"), _("unfinished games and drills are saved")) from None
    finally:
        lab.close()


def _on_termination(_signal: int, _frame: Any) -> None:
    """End as at the end of the input, so that unfinished work is saved."""
    raise Quit
