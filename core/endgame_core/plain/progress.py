"""Progress in plain mode: what the journal says about drills and games, line by line."""

from __future__ import annotations

from functools import partial

from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.mode import MODE_COMMANDS, PlainMode, parse_index
from endgame_core.practice.stats import last_of
from endgame_core.tasks.review import ReviewSession
from endgame_core.words import progress as words
from endgame_core.words import screen_reader
from endgame_core.words.text_model import count

_LIST_LIMIT = 12
"""Items of a list that are printed at most."""


PROGRESS_COMMANDS = CommandRegistry(MODE_COMMANDS)
"""The commands of the progress."""


class ProgressMode(PlainMode):
    """The results in the journal.

    Attributes:
        weeks: How many weeks are counted.
        panel: The list printed last, to which the numbers of items refer; named as the panels of the screen.
    """

    COMMANDS = PROGRESS_COMMANDS
    NAME = "progress"
    HELP = _("Type one of these commands. Type show and a number for details of an item in the last list.")

    weeks = 6
    panel = "hardest"

    def summary(self) -> words.JournalSummary:
        """Return the current summary of the journal."""
        return words.JournalSummary.of(self.lab.journal, self.game, self.weeks)

    def enter(self, argument: str) -> None:
        """Print the figures, or advice while the journal is empty."""
        summary = self.summary()
        if summary.is_empty:
            advice = [f"{what}, {remark}." for __, what, remark in words.ADVICE[:2]]
            self.say(words.NOTHING_YET, *advice)
            return
        progress = summary.progress
        figures = [f"{figure.number} {figure.words}" for figure in words.figures(progress)]
        self.say(f"{', '.join(figures)}.")
        self.say(f"{words.window(progress, self.weeks, 0)}: {count(sum(progress.days), 'drill', 'drills')}.")

    def print_list(self, panel: str) -> None:
        """Print the items of a panel of the screen, numbered."""
        self.panel = panel
        summary = self.summary()
        items = summary.items(panel)
        if not items:
            self.say(_("Nothing yet."))
        game = self.lab.explorer_of(self.game).game
        for index in range(min(len(items), _LIST_LIMIT)):
            # A list shows no positions: without the last attempt, the journal is not queried for each item.
            details = summary.details(panel, index, game, lambda __: None)
            if panel == "due":
                lines = details.lines[:2]
            else:
                lines = details.lines[-2:]
            self.say(f"{index + 1}: {details.title}; {', '.join(lines)}.")


@PROGRESS_COMMANDS.register("weeks", _("show the results of the last N weeks"), "NUMBER")
def set_weeks(mode: ProgressMode, number: str) -> None:
    """Set how many weeks are counted."""
    mode.weeks = parse_index(number, 52, _("weeks that can be counted")) + 1
    mode.enter("")


PROGRESS_COMMANDS.add(
    "hardest", _("list the themes that you solve least often"), lambda mode, __: mode.print_list("hardest")
)
PROGRESS_COMMANDS.add("recent", _("list your last drills and games"), lambda mode, __: mode.print_list("recent"))
PROGRESS_COMMANDS.add("solved", _("list solved drills by ending"), lambda mode, __: mode.print_list("solved"))
PROGRESS_COMMANDS.add("lost", _("list your last drills by moves lost"), lambda mode, __: mode.print_list("lost"))
PROGRESS_COMMANDS.add("rates", _("list solved and perfect drills by week"), lambda mode, __: mode.print_list("weeks"))
PROGRESS_COMMANDS.add(
    "due", _("list what is due today and in the coming days"), lambda mode, __: mode.print_list("due")
)


@PROGRESS_COMMANDS.register("show", _("show details of an item in the last list"), "NUMBER")
def show(mode: ProgressMode, number: str) -> None:
    """Print the details of an item of the last list."""
    summary = mode.summary()
    index = parse_index(number, len(summary.items(mode.panel)), _("of them"))
    game = mode.lab.explorer_of(mode.game).game
    details = summary.details(mode.panel, index, game, partial(last_of, mode.lab.journal))
    mode.say(f"{details.title}.", *(f"{line}." for line in details.lines))
    if details.position is not None:
        mode.console.terminal.write_as_is(game.format(details.position))


@PROGRESS_COMMANDS.register("review", _("list the moves of an item in the last list (recent or lost)"), "NUMBER")
def review(mode: ProgressMode, number: str) -> None:
    """Print the moves of a drill or game of the last list, with their explanations."""
    summary = mode.summary()
    index = parse_index(number, len(summary.items(mode.panel)), _("of them"))
    record = summary.record_at(mode.panel, index)
    if record is None:
        raise EndgameError(_("only a drill or a game has moves"), _("type recent, then review and a number"))

    moves = mode.lab.journal.moves(record.uuid)
    session = ReviewSession.of_attempt(mode.lab.judge(mode.game), record, moves)
    for ply in range(len(session.items)):
        session.go(ply)
        mode.say(screen_reader.of_said(words.review_reason(session, record)))
    if not session.items:
        mode.say(_("No move was made."))
