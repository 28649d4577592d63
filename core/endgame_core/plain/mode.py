"""A room of the dialogue: the face of one task, with the commands that it has, and those that all have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final

from endgame_core.errors import EndgameError
from endgame_core.games import metrics_of
from endgame_core.plain.commands import CommandRegistry, unknown
from endgame_core.plain.console import Console
from endgame_core.untrusted import quoted
from endgame_core.words.screen_reader import spoken
from endgame_core.words.text_model import Choices, either

TO_BEGIN: Final = "Type begin, or an empty line, to begin."
"""What is said where something is chosen."""

ROOM = CommandRegistry()
"""The commands of all rooms."""


class PlainMode:
    """Where commands are carried out.

    Args:
        desk: What all rooms share.
        game: The game.
    """

    TABLE: ClassVar[CommandRegistry]
    """Its commands."""

    NAME: ClassVar[str] = ""
    """The command that leads here, and the prompt."""

    ABOUT: ClassVar[str] = ""
    """What is done here, for help."""

    def __init__(self, desk: Console, game: str) -> None:
        self.desk, self.game = desk, game
        self.lab = desk.lab

    @property
    def stage(self) -> str:
        """How far the task has come; some commands are for some stages only."""
        return ""

    def enter(self, argument: str) -> None:
        """One comes in, with what was typed behind the name of the room."""
        raise NotImplementedError

    def typed(self, text: str) -> None:
        """Something was typed that is no command; raises EndgameError."""
        raise unknown(text.split()[0])

    def blank(self) -> None:
        """An empty line: what was said last is said again."""
        self.desk.repeat()

    def tick(self) -> None:
        """Time has passed."""

    def tables_changed(self) -> None:
        """Tables have come or gone."""

    def leave(self) -> str:
        """The program ends: what is under way is kept, or given up; what became of it, a sentence."""
        return ""

    def candidates(self) -> Iterable[str]:
        """What may be typed besides commands, for completion."""
        return ()

    def say(self, *sentences: str) -> None:
        """Says something."""
        for sentence in sentences:
            self.desk.say(sentence, self.game)

    def choose_option(self, text: str, choices: Sequence[Choices], change: Callable[[int, int], object]) -> int:
        """Changes the row of some choices that a text names to the option that it names; tells the row."""
        row, option = self.option_of(text, choices)
        for _ in range((option - choices[row].chosen) % len(choices[row].options)):
            change(row, 1)
        return row

    def option_of(self, text: str, choices: Sequence[Choices]) -> tuple[int, int]:
        """The row of some choices that a text names, and the option; raises EndgameError.

        ``defence tricky`` names both, and so does the option alone where no other row has it. An option is called as it
        is written, or as it is told.
        """
        wanted = text.casefold()
        result: list[tuple[bool, int, int]] = []
        for row, choice in enumerate(choices):
            for number, option in enumerate(choice.options):
                rows = "", f"{choice.label} ", f"{choice.label.split()[0]} "
                called = [option, spoken(option, self.game, self.desk.in_words), *choice.aliases[number : number + 1]]
                names = [f"{before}{name}".casefold() for before in rows for name in called]
                if any(name.startswith(wanted) for name in names):
                    result.append((wanted not in names, row, number))
        result.sort()
        if result and (len(result) == 1 or not result[0][0] or len({row for _, row, _ in result}) == 1):
            return result[0][1:]
        row = next((each for each in choices if each.label.casefold().startswith(wanted.split()[0])), None)
        if row is not None:
            raise EndgameError(f"{row.label.lower()} is {either(row.options)}", "type one of these")
        labels = either([choice.label.split()[0].lower() for choice in choices])
        raise EndgameError(f"nothing can be set to {quoted(text)}", f"type {labels} and what it is to be")

    # Commands of all rooms

    def here(self) -> str:
        """The position at hand, as text; empty for none."""
        return ""

    def wanted_ending(self) -> str:
        """The ending that is meant where none is named; empty for none."""
        return ""

    def wanted_metric(self) -> str:
        """The metric of tables that is meant where none is named."""
        return metrics_of(self.game)[0]


def number_of(text: str, most: int, what: str) -> int:
    """A number from 1 on, counted from 0; raises EndgameError."""
    if not text.isdecimal() or not 1 <= int(text[:9]) <= most:
        raise EndgameError(f"there are {most} {what}" if most else f"there are no {what}", "type a number from 1 on")
    return int(text) - 1


@ROOM("build .", "build an ending and everything it requires; add dtz for the table by DTZ", "[ENDING]")
def build(room: PlainMode, text: str) -> None:
    """Builds an ending: by default the one that is offered here."""
    room.desk.build(text, room.wanted_ending(), room.wanted_metric())


ROOM.does("builds", "show the current build and the queue", "desk.tell_builds")
ROOM.does("wait", "wait for all builds; Ctrl-C stops waiting, not the build", "desk.wait_for_builds")
ROOM.does("cancel x", "cancel the build", "desk.cancel_builds")


@ROOM("moves-as", "say moves in words, or in notation", "words or letters")
def style(room: PlainMode, name: str) -> None:
    """How moves are told."""
    if name not in ("words", "letters"):
        raise EndgameError("moves are spoken in words or in letters", "type moves-as words, or moves-as letters")
    room.desk.in_words = name == "words"
    room.say(f"Moves are spoken in {name}.")


ROOM.does("repeat", "repeat the last output", "desk.repeat")
