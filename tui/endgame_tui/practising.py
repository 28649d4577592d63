"""What one does on the Practise screen: changes what is chosen, starts it, finds rows, adds and deletes one's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.practice.records import JournalError
from endgame_core.tasks.choosing import Chooser, Entry
from endgame_core.tasks.sitting import Sitting
from endgame_core.words import practice as words
from endgame_core.words.speech import speech_of
from endgame_core.words.tables import price
from endgame_core.words.told import Note
from endgame_tui.host import Request
from endgame_tui.screens.base import BaseScreen
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.widgets.ask import Choice

_ANSWERS = 24
"""Columns that the answers of a question take."""


class Practising:
    """What is chosen of one game, and done with it.

    Args:
        chooser: What is chosen.
        screen: Where it is asked and said.
        show: Shows the choices anew.
    """

    def __init__(self, chooser: Chooser, screen: BaseScreen, show: Callable[[], None]) -> None:
        self.chooser, self.screen, self._show = chooser, screen, show
        self.said: tuple[Note, ...] = ()
        """Rows that are shown in place of the figures."""

    @property
    def shows_sample(self) -> bool:
        """Whether there is room for a board that shows a start."""
        return self.screen.has_class("-grand") and self.screen.has_class("-wide")

    def look_up(self) -> None:
        """Looks up all figures; says so when the journal cannot be read."""
        course = self.chooser.course
        try:
            course.refresh()
        except JournalError as problem:
            self.screen.complain(problem)
        if notice := course.journal.take_notice():
            self.screen.say(notice, "loss")

    def go(self, key: str) -> None:
        """Puts the cursor on a row."""
        self.screen.say()
        self.said = ()
        self.chooser.go(key)
        self._show()

    def point(self, row: int) -> None:
        """Puts the cursor on a choice."""
        self.screen.say()
        self.chooser.row = row
        self._show()

    def move(self, by: int) -> None:
        """Moves the window of layers."""
        self.screen.say()
        self.chooser.move_window(by)
        self._show()

    def open(self) -> None:
        """Opens or closes the set."""
        self.screen.say()
        if self.chooser.toggle():
            self.screen.show()
        else:
            self.screen.say(words.NOT_OPENED)

    def change(self, by: int) -> None:
        """Changes a choice; in the list the mode."""
        self.screen.say()
        self.said = ()
        chooser = self.chooser
        if self.screen.focused is None or self.screen.focused.id != "setup":
            chooser.row = 0
        told = words.changed(chooser.change(chooser.row, by), chooser)
        self._show()
        self.screen.say(told)

    def widen(self, by: int) -> None:
        """Takes a layer more, or one less, into the window."""
        self.screen.say()
        if self.chooser.widen_window(by):
            self._show()
        else:
            self.screen.say(words.NO_LAYERS)

    def back(self) -> None:
        """Takes the sentence away, goes back to the list."""
        self.screen.say()
        self.said = ()
        self._show()

    def start(self) -> None:
        """Begins a sitting of what is chosen; what is not built is offered."""
        self.screen.say()
        chooser = self.chooser
        try:
            order = chooser.order(chooser.sample() if self.shows_sample else None)
        except NotBuiltError as problem:
            self._offer(chooser.missing() or (problem.ending,))
        except EndgameError as problem:
            self.screen.complain(problem)
        else:
            screen, game = self.screen, self.chooser.game.name
            make = partial(
                Sitting, order, screen.lab.judge(game), chooser.course, screen.host.rng, screen.host.clock
            )  # fmt: skip
            screen.app.push_screen(DrillScreen(game, make), self.drilled)

    def drilled(self, result: EndgameError | Request | None) -> None:
        """A sitting is over; it may have ended with a wish, or because nothing could be drilled."""
        if isinstance(result, EndgameError):
            self.screen.complain(result)
        elif result is not None:
            self.screen.receive(result)

    def _offer(self, endings: Sequence[str]) -> None:
        """Asks whether to build endings."""
        cost = price(self.chooser.explorer.library, endings)
        text = words.shall_build(endings, cost.endings - len(endings), cost.words, self.screen.size.width - _ANSWERS)
        build = Choice("enter", "Enter", "build", lambda: self._build(endings))
        self.screen.ask.question(self.screen.look.glyphs.plain(text), build)

    def _build(self, endings: Sequence[str]) -> None:
        try:
            self.screen.jobs.build(endings, self.chooser.game.metric)
        except EndgameError as problem:
            self.screen.complain(problem)

    def build(self) -> None:
        """Offers to build what the row needs."""
        missing = self.chooser.missing()
        if missing:
            self._offer(missing)
        else:
            self.screen.say(words.ALL_BUILT)

    def another(self) -> None:
        """Draws another start to look at."""
        self.screen.say()
        sample = self.chooser.sample(another=True)
        if sample is None:
            self.screen.say(words.NO_SINGLE_START)
        elif self.shows_sample:
            self._show()
        else:
            self.screen.say(words.start_sentence(sample, self.chooser))

    def send(self) -> None:
        """Shows the start in Explore."""
        sample = self.chooser.sample()
        if sample is None:
            self.screen.say(words.NO_START)
        else:
            game = self.chooser.game
            self.screen.call_later(self.screen.host.open, "explore", Request(game.name, game.format(sample.position)))

    def find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        self.chooser.begin_search()
        self.screen.ask.text("/", words.to_find(self.chooser), self._found, typed=self._searching)

    def _searching(self, text: str) -> None:
        if self.chooser.search(text):
            self.go(self.chooser.cursor)

    def _found(self, text: str) -> None:
        if not self.chooser.end_search(text):
            raise words.not_found(text, self.chooser)
        self.go(self.chooser.cursor)

    def give_up(self) -> None:
        """Goes back to where a search began."""
        if self.chooser.end_search(None):
            self.go(self.chooser.cursor)

    def add(self) -> None:
        """Asks for a position, or a file of them."""
        self.screen.ask.text("+", speech_of(self.chooser.game.name).to_add, self._added)

    def _added(self, text: str) -> None:
        if not text:
            raise words.nothing_to_add(self.chooser)
        done = self.chooser.add(text)
        self.said = words.left_out(done)
        self.screen.show()
        self.screen.say(*words.added(done))

    def delete(self) -> None:
        """Asks, then deletes an own position, an own set, or an own theme."""
        chooser, entry = self.chooser, self.chooser.entry
        if chooser.can_delete:
            delete = Choice("y", "y", "delete", lambda: self._delete(entry))
            self.screen.ask.question(words.shall_delete(entry), delete)
        else:
            self.screen.say(words.NOT_DELETED)

    def _delete(self, entry: Entry) -> None:
        try:
            self.chooser.delete(entry)
        except EndgameError as problem:
            self.screen.complain(problem)
            return
        self.screen.show()
        self.screen.say(words.deleted(entry))
