"""Commands of the line dialogue: each is declared once, where it is carried out; help and completion come from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from operator import attrgetter
from typing import Any, Final, TypeVar

from endgame_core.errors import EndgameError

_Run = TypeVar("_Run", bound=Callable[[Any, str], None])


_WHEN: Final = {
    "setup": "before you begin", "choose": "before you begin", "play": "in a game", "review": "after a game",
    "drill": "in a drill", "over": "after a drill", "question": "in a question", "decides": "in a question",
}  # fmt: skip
"""The first stages at which commands mean something."""


@dataclass(frozen=True, slots=True)
class ConsoleCommand:
    """Something that can be typed.

    Attributes:
        names: Its name, and shorter ones.
        told: What it does, for help.
        takes: What is typed behind it, in capitals; in brackets what may be left out; empty for nothing.
        stages: The stages of a task at which it means something; empty for all.
        run: Does it; given what has it, and what was typed behind it.
    """

    names: tuple[str, ...]
    told: str
    takes: str
    stages: tuple[str, ...]
    run: Callable[[Any, str], None]

    @property
    def name(self) -> str:
        """Its full name."""
        return self.names[0]

    @property
    def usage(self) -> str:
        """How it is typed: ``scan LINE, or s``."""
        short = f", or {' or '.join(self.names[1:])}" if self.names[1:] else ""
        return f"{self.name}{' ' if self.takes else ''}{self.takes}{short}"

    @property
    def needs(self) -> str:
        """What must be typed behind it; empty for nothing."""
        return "" if self.takes.startswith("[") else self.takes

    @property
    def when(self) -> str:
        """At what stage it means something, in words: ``before you begin``."""
        return _WHEN[self.stages[0]]

    def fits(self, stage: str) -> bool:
        """Whether it means something at a stage."""
        return not self.stages or stage in self.stages


class CommandRegistry:
    """Commands that belong together, by their names; as a decorator it takes one more.

    Args:
        below: More of them, of which those with a name of our own do not count.
    """

    def __init__(self, below: CommandRegistry | None = None) -> None:
        self._below = below
        self._own: list[ConsoleCommand] = []

    def __call__(self, names: str, told: str, takes: str = "", stages: str = "") -> Callable[[_Run], _Run]:
        """Declares a command; names and stages are separated by blanks."""

        def declared(run: _Run) -> _Run:
            self._own.append(ConsoleCommand(tuple(names.split()), told, takes, tuple(stages.split()), run))
            return run

        return declared

    def does(self, names: str, told: str, method: str, *args: object, takes: str = "", stages: str = "") -> None:
        """Declares a command that is one method of what has it, by its name; given these, and what was typed behind."""

        def run(room: Any, text: str) -> None:
            attrgetter(method)(room)(*args, *((text,) if takes else ()))

        self(names, told, takes, stages)(run)

    def tells(
        self, names: str, told: str, said: Callable[[Any, str], str | Iterable[str]], takes: str = "", stages: str = ""
    ) -> None:
        """Declares a command that only says something, in a sentence or several, from the room and what was typed."""

        def run(room: Any, text: str) -> None:
            result = said(room, text)
            room.say(*([result] if isinstance(result, str) else result))

        self(names, told, takes, stages)(run)

    def __iter__(self) -> Iterator[ConsoleCommand]:
        own = {each.name for each in self._own}
        yield from self._own
        yield from (each for each in self._below or () if each.name not in own)

    def offered(self, stage: str) -> Iterator[ConsoleCommand]:
        """The commands that mean something at a stage."""
        return (each for each in self if each.fits(stage))

    def found(self, stage: str, name: str) -> ConsoleCommand | None:
        """The command of a name, as it is spelled, else in small letters; at this stage, else at another."""
        some = sorted(self, key=lambda each: not each.fits(stage))
        for spelled in dict.fromkeys((name, name.casefold() if len(name) > 1 else name)):
            for each in some:
                if spelled in each.names:
                    return each
        return None


def unknown(name: str) -> EndgameError:
    """There is no such command."""
    return EndgameError(f"there is no command {name!r} here", "type help for a list")


def alike(commands: Iterator[ConsoleCommand], name: str) -> str:
    """The command that may have been meant; empty for none."""
    return next(iter(get_close_matches(name.casefold(), [each.name for each in commands], 1, 0.7)), "")
