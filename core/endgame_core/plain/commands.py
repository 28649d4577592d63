"""Commands of plain mode, each declared once beside the code that runs it; help and completion use the declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from endgame_core.actions import Action
from endgame_core.errors import EndgameError
from endgame_core.language import _, or_list

RunCommand = Callable[[Any, str], None]
"""Runs a command; called with the mode, or the dialogue for global commands, and the argument as typed."""

Report = Callable[[Any, str], str | Iterable[str]]
"""Returns the sentences that a command prints; called like :data:`RunCommand`."""

_Run = TypeVar("_Run", bound=RunCommand)


_STAGE_DESCRIPTIONS: Final = {
    "setup": _("before you begin"),
    "choose": _("before you begin"),
    "play": _("in a game"),
    "review": _("after a game"),
    "drill": _("in a drill"),
    "over": _("after a drill"),
    "question": _("in a question"),
    "turn": _("in a question"),
}
"""When a command works, by the first of its stages."""


@dataclass(frozen=True, slots=True)
class ConsoleCommand:
    """A command of plain mode.

    Attributes:
        names: Its full name, then its short ones.
        help: What it does, for help.
        argument: The argument after the name, e.g. ``NUMBER``; ``[NUMBER]`` if it is optional, empty if there is none.
        stages: The stages of a mode in which it works; empty for all.
        run: Runs it.
    """

    names: tuple[str, ...]
    help: str
    argument: str
    stages: tuple[str, ...]
    run: RunCommand

    @property
    def name(self) -> str:
        """The full name."""
        return self.names[0]

    @property
    def usage(self) -> str:
        """How to type it: ``scan LINE, or s``."""
        argument = ""
        if self.argument:
            argument = f" {self.argument}"
        short_names = self.names[1:]
        alternatives = ""
        if short_names:
            alternatives = _(", or {short_names}").format(short_names=or_list(short_names))
        return f"{self.name}{argument}{alternatives}"

    @property
    def required_argument(self) -> str:
        """The argument that must be typed; empty if there is none or it is optional."""
        if self.argument.startswith("["):
            return ""
        return self.argument

    @property
    def stage_description(self) -> str:
        """When it works: ``before you begin``. Only for a command with stages."""
        return _STAGE_DESCRIPTIONS[self.stages[0]]

    def is_available(self, stage: str) -> bool:
        """Return whether it works in a stage."""
        return not self.stages or stage in self.stages


class CommandRegistry:
    """The commands of a mode, in the order of the help.

    Args:
        base: A registry whose commands are included, except those with the name of a command registered here.
    """

    def __init__(self, base: CommandRegistry | None = None) -> None:
        self._base = base
        self._commands: list[ConsoleCommand] = []

    def register(self, action: Action | str, help: str, argument: str = "", stages: str = "") -> Callable[[_Run], _Run]:
        """Return a decorator that adds a function as a command, see :meth:`add`."""

        def decorate(run: _Run) -> _Run:
            self.add(action, help, run, argument, stages)
            return run

        return decorate

    def add(self, action: Action | str, help: str, run: RunCommand, argument: str = "", stages: str = "") -> None:
        """Add a command.

        Args:
            action: What it does; the names of the command, separated by spaces, if only plain mode has it.
            help: What it does, for help.
            run: Runs it.
            argument: The argument after the name, see :class:`ConsoleCommand`.
            stages: The stages in which it works, separated by spaces; empty for all.
        """
        if isinstance(action, Action):
            names = action.command
        else:
            names = action
        self._commands.append(ConsoleCommand(tuple(names.split()), help, argument, tuple(stages.split()), run))

    def add_report(self, action: Action | str, help: str, report: Report, argument: str = "", stages: str = "") -> None:
        """Add a command that prints one or more sentences and changes nothing, see :meth:`add`."""

        def run(mode: Any, text: str) -> None:
            result = report(mode, text)
            # A string is iterable, too: its letters would be printed one by one.
            sentences = [result] if isinstance(result, str) else result
            mode.say(*sentences)

        self.add(action, help, run, argument, stages)

    def __iter__(self) -> Iterator[ConsoleCommand]:
        yield from self._commands
        # By the full name: a mode replaces a command of its base by one of the same name.
        overridden = {command.name for command in self._commands}
        for command in self._base or ():
            if command.name not in overridden:
                yield command

    def available(self, stage: str) -> Iterator[ConsoleCommand]:
        """Yield the commands that work in a stage."""
        return (command for command in self if command.is_available(stage))

    def find(self, stage: str, name: str) -> ConsoleCommand | None:
        """Return the command with a name, or None.

        The name is looked up as typed first, then in lower case. One letter is looked up only as typed: ``d`` and ``D``
        may be different commands. Among commands with the same name, one that works in ``stage`` comes first.
        """
        # Stable, so that otherwise the order of the help decides.
        candidates = sorted(self, key=lambda command: not command.is_available(stage))
        if len(name) == 1:
            spellings = [name]
        else:
            spellings = [name, name.casefold()]
        for spelling in spellings:
            for command in candidates:
                if spelling in command.names:
                    return command
        return None


def unknown_command_error(name: str) -> EndgameError:
    """Return the error for a name that no command has."""
    return EndgameError(_("there is no command {name!r} here").format(name=name), _("type help for a list"))


_SHORTEST_BEGINNING: Final = 3
"""How many letters of a command suffice to suggest the whole."""


def closest_name(commands: Iterable[ConsoleCommand], name: str) -> str:
    """Return the command name that a mistyped or shortened one means; empty if it is similar to none."""
    names = [command.name for command in commands]
    name = name.casefold()
    matches = get_close_matches(name, names, n=1, cutoff=0.7)
    longer: list[str] = []
    if len(name) >= _SHORTEST_BEGINNING:
        longer = [other for other in names if other.startswith(name)]
    return next(iter(matches or longer), "")
