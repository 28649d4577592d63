"""The base of all modes of plain mode: how a mode answers input, and the commands that every mode has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar, Final

from endgame_core import actions
from endgame_core.errors import EndgameError
from endgame_core.games import metrics_of
from endgame_core.language import _, english, lowered
from endgame_core.metric import Metric
from endgame_core.plain.commands import CommandRegistry, unknown_command_error
from endgame_core.plain.console import Console
from endgame_core.untrusted import quoted
from endgame_core.words.screen_reader import spoken
from endgame_core.words.text_model import Choices, either

HOW_TO_BEGIN: Final = _("Type begin, or an empty line, to begin.")
"""Printed after the choices for a game or a drill."""

MODE_COMMANDS = CommandRegistry()
"""The commands that every mode has."""


class PlainMode:
    """One task of plain mode: exploring, playing, practising, the library or the progress.

    Args:
        console: Input and output, shared by all modes.
        game: The name of the game.
    """

    COMMANDS: ClassVar[CommandRegistry]
    """The commands of the mode."""

    NAME: ClassVar[str] = ""
    """The command that enters the mode; also its prompt."""

    HELP: ClassVar[str] = ""
    """The first sentence of the help: what can be typed."""

    def __init__(self, console: Console, game: str) -> None:
        self.console = console
        self.game = game
        self.lab = console.lab

    @property
    def stage(self) -> str:
        """The stage of the task, on which the available commands depend; empty for a mode without stages."""
        return ""

    def enter(self, argument: str) -> None:
        """Start or resume the task; ``argument`` is the text typed after the name of the mode."""
        raise NotImplementedError

    def handle_text(self, text: str) -> None:
        """Handle a line that is not a command, e.g. a move; raises EndgameError."""
        raise unknown_command_error(text.split()[0])

    def handle_empty_line(self) -> None:
        """Handle an empty line: by default, repeat the last output."""
        self.console.repeat()

    def tick(self) -> None:
        """Check the clocks; called before each line is handled."""

    def tables_changed(self) -> None:
        """Drop cached results; called after tables were built or deleted."""

    def close(self) -> str:
        """Save or give up the unfinished task at the end of the program.

        Returns:
            A sentence about what became of it; empty for nothing to report.
        """
        return ""

    def candidates(self) -> Iterable[str]:
        """Return what can be typed besides commands, for completion."""
        return ()

    def say(self, *sentences: str) -> None:
        """Print sentences, one per line; empty ones are skipped."""
        for sentence in sentences:
            self.console.say(sentence, self.game)

    def choose_option(self, text: str, choices: Sequence[Choices], change: Callable[[int, int], object]) -> int:
        """Set the choice that ``text`` names to the option that it names.

        Args:
            text: The typed text, see :meth:`find_option`.
            choices: The rows of choices.
            change: Moves the row with an index on by a number of options, in a circle.

        Returns:
            The index of the changed row.

        Raises:
            EndgameError: The text names no option.
        """
        row, option = self.find_option(text, choices)
        # The tasks offer only steps to the next option, as the keys of the screens do.
        steps = (option - choices[row].chosen) % len(choices[row].options)
        for __ in range(steps):
            change(row, 1)
        return row

    def find_option(self, text: str, choices: Sequence[Choices]) -> tuple[int, int]:
        """Return the indices of the row and of the option that ``text`` names; raises EndgameError.

        ``defence tricky`` names both; the option alone is enough where no other row has it. An option can be typed as
        it is written, as it is spoken, or by its alias, and may be abbreviated.
        """
        query = text.casefold()
        matches: list[tuple[bool, int, int]] = []  # whether it is abbreviated, row, option; exact matches sort first
        for row, choice in enumerate(choices):
            for number, option in enumerate(choice.options):
                spoken_option = spoken(option, self.game, self.console.moves_in_words)
                option_names = [option, spoken_option, english(option), *choice.aliases[number : number + 1]]
                labels = choice.label, english(choice.label)
                prefixes = "", *(f"{label} " for text in labels for label in (text, text.split()[0]))
                names = [f"{prefix}{name}".casefold() for prefix in prefixes for name in option_names]
                if any(name.startswith(query) for name in names):
                    matches.append((query not in names, row, number))

        if matches:
            # False sorts before True: an exact name first, then the order of the rows.
            matches.sort()
            is_abbreviated, row, number = matches[0]
            # Several options of one row: the first of them is meant. Of several rows: ask, unless a name is exact.
            is_same_row = len({row for __, row, __ in matches}) == 1
            if not is_abbreviated or is_same_row:
                return row, number

        # Nothing, or an ambiguous abbreviation: list the options of the row, or else the rows.
        label = query.split()[0]
        for choice in choices:
            if any(name.casefold().startswith(label) for name in (choice.label, english(choice.label))):
                raise EndgameError(
                    _("{choice_label} can be {options}").format(
                        choice_label=lowered(choice.label), options=either(choice.options)
                    ),
                    _("type one of these"),
                )
        labels = either([lowered(choice.label.split()[0]) for choice in choices])
        raise EndgameError(
            _("{text} is not a value of any setting").format(text=quoted(text)),
            _("type {labels}, then the new value").format(labels=labels),
        )

    # What the commands of all modes refer to when nothing is named

    def position_text(self) -> str:
        """Return the position on the board as text, e.g. a FEN; empty if there is none."""
        return ""

    def default_ending(self) -> str:
        """Return the ending that commands refer to when none is named; empty if there is none."""
        return ""

    def default_metric(self) -> Metric:
        """Return the metric of the tables that are built when none is named."""
        return metrics_of(self.game)[0]


def parse_index(text: str, count: int, noun: str) -> int:
    """Return the index from 0 for a number typed from 1 to ``count``.

    Args:
        text: The number as typed.
        count: How many items there are.
        noun: What the items are, for the error: "there are 5 ``noun``".

    Raises:
        EndgameError: It is no number from 1 to ``count``.
    """
    if not text.isdecimal() or not 1 <= int(text[:9]) <= count:  # nine digits: int() takes long for thousands of them
        if count:
            problem = _("there are {count} {noun}").format(count=count, noun=noun)
        else:
            problem = _("there are no {noun}").format(noun=noun)
        raise EndgameError(problem, _("type a number, 1 or more"))
    return int(text) - 1


@MODE_COMMANDS.register(
    actions.BUILD, _("build an ending and everything it requires; add dtz to build the DTZ table"), "[ENDING]"
)
def build(mode: PlainMode, text: str) -> None:
    """Build an ending: by default the one that the mode shows."""
    mode.console.build(text, mode.default_ending(), mode.default_metric())


MODE_COMMANDS.add("builds", _("show the current build and the queue"), lambda mode, __: mode.console.report_builds())
MODE_COMMANDS.add(
    "wait",
    _("wait for all builds; Ctrl-C stops waiting, not the build"),
    lambda mode, __: mode.console.wait_for_builds(),
)
MODE_COMMANDS.add(actions.CANCEL_BUILD, _("cancel the build"), lambda mode, __: mode.console.cancel_builds())


@MODE_COMMANDS.register("moves-as", _("say moves in words, or in notation"), _("words or letters"))
def set_move_style(mode: PlainMode, style: str) -> None:
    """Set whether moves are printed in words."""
    if style not in ("words", "letters"):
        raise EndgameError(_("moves are spoken in words or in letters"), _("type moves-as words, or moves-as letters"))
    mode.console.moves_in_words = style == "words"
    mode.say(_("Moves are spoken in {style}.").format(style=style))


MODE_COMMANDS.add("repeat", _("repeat the last output"), lambda mode, __: mode.console.repeat())
