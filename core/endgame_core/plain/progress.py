"""What was practised, line by line."""

from __future__ import annotations

from functools import partial

from endgame_core.errors import EndgameError
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.mode import ROOM, PlainMode, number_of
from endgame_core.practice.stats import last_of
from endgame_core.tasks.review import ReviewSession
from endgame_core.words import progress as words
from endgame_core.words import screen_reader
from endgame_core.words.text_model import count

_SHOWN = 12


PROGRESS = CommandRegistry(ROOM)
"""The commands here."""


class ProgressMode(PlainMode):
    """The figures of the journal."""

    TABLE = PROGRESS
    NAME = "progress"
    ABOUT = "Type one of these commands. Type show and a number for details of an item of the last list."

    weeks = 6
    panel = "hardest"

    @property
    def found(self) -> words.JournalSummary:
        """What the journal says now."""
        return words.JournalSummary.of(self.lab.journal, self.game, self.weeks)

    def enter(self, argument: str) -> None:
        """Tells the figures."""
        result = self.found
        if result.is_empty:
            self.say(words.NOTHING_YET, *(f"{what}, {takes}." for _, what, takes in words.ADVICE[:2]))
            return
        self.say(", ".join(f"{each.number} {each.words}" for each in words.figures(result.progress)) + ".")
        self.say(
            f"{words.window(result.progress, self.weeks, 0)}: {count(sum(result.progress.days), 'drill', 'drills')}."
        )

    def list_of(self, panel: str) -> None:
        """Lists what a panel of the screen shows."""
        self.panel, result = panel, self.found
        for number in range(min(len(result.items(panel)), _SHOWN)):
            about = result.about(panel, number, self.lab.explorer_of(self.game).game, lambda _: None)
            first = about.lines[:2] if panel == "due" else about.lines[-2:]
            self.say(f"{number + 1}: {about.title}; {', '.join(first)}.")
        if not result.items(panel):
            self.say("Nothing yet.")


@PROGRESS("weeks", "count the last N weeks", "NUMBER")
def change_weeks(room: ProgressMode, number: str) -> None:
    """Changes the weeks."""
    room.weeks = number_of(number, 52, "weeks that can be counted") + 1
    room.enter("")


PROGRESS.does("hardest", "list the themes that you solve least often", "list_of", "hardest")
PROGRESS.does("recent", "list your last drills and games", "list_of", "recent")
PROGRESS.does("solved", "list solved drills by ending", "list_of", "solved")
PROGRESS.does("lost", "list your last drills by moves lost", "list_of", "lost")
PROGRESS.does("due", "list what is due today and in the next days", "list_of", "due")


@PROGRESS("show", "show details of an item of the last list", "NUMBER")
def show(room: ProgressMode, number: str) -> None:
    """Tells of an item."""
    result = room.found
    item = number_of(number, len(result.items(room.panel)), "of them")
    game = room.lab.explorer_of(room.game).game
    about = result.about(room.panel, item, game, partial(last_of, room.lab.journal))
    room.say(f"{about.title}.", *(f"{line}." for line in about.lines))
    if about.position is not None:
        room.desk.terminal.write_as_is(game.format(about.position))


@PROGRESS("review", "list the moves of an item, after recent or lost", "NUMBER")
def review(room: ProgressMode, number: str) -> None:
    """Tells the moves of an attempt."""
    result = room.found
    item = number_of(number, len(result.items(room.panel)), "of them")
    record = result.record_at(room.panel, item)
    if record is None:
        raise EndgameError("only a drill or a game has moves", "type recent, then review and a number")
    judge = room.lab.judge(room.game)
    review = ReviewSession.of_attempt(judge, record, room.lab.journal.moves(record.uuid))
    for at in range(len(review.items)):
        review.go(at)
        room.say(screen_reader.of_said(words.review_reason(review, record)))
    if not review.items:
        room.say("No move was made.")
