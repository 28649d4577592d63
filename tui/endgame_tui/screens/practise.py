"""Practise: choose what to drill, and how."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import BindingType

from endgame_core.errors import EndgameError, NotBuiltError, StudyError
from endgame_core.practice.records import JournalError
from endgame_core.practice.studies import MY_POSITIONS, Imported
from endgame_core.words.numbers import count
from endgame_core.words.tables import price
from endgame_core.words.told import Note, Word
from endgame_tui import practise_scenes as scenes
from endgame_tui.jobs import Wish
from endgame_tui.order import Order
from endgame_tui.practising import DUE
from endgame_tui.screens.practise_keys import BINDINGS
from endgame_tui.screens.practise_view import PractiseView
from endgame_tui.widgets.courses import CourseList
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.window import WindowPanel

if TYPE_CHECKING:
    from endgame_tui.screens.drilling import Drilling

_ANSWERS = 24
"""Columns that the answers of a question take."""
_FILES = (".fen", ".epd", ".pgn", ".txt")


class PractiseScreen(PractiseView):
    """Sets, themes and studies; the mode; the window of layers."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def on_mount(self) -> None:
        """Begins at what is due, or at the first set."""
        self._seen = self.session.changes
        self.fit()
        self.show()
        self.focus_home()
        self.run_worker(_warm_up, name="warm-up", thread=True, exit_on_error=False)
        self._drill_as_asked()

    def _drill_as_asked(self) -> None:
        """Begins what another screen has asked for."""
        wanted, self.session.drill = self.session.drill, None
        if wanted is None:
            return
        self._go(wanted or DUE)
        if self.chooser.entry.key == (wanted or DUE):
            self._start()
        else:
            self.say("what is to be drilled is no longer there.")

    def resumed(self) -> None:
        """Figures have changed after a sitting; an own position may have been added elsewhere."""
        if self._chooser is None:
            return
        self._chooser.course.read_sets()
        self.look_up()
        self.show()
        trouble, self.session.trouble = self.session.trouble, None
        if trouble is not None:
            self.complain(trouble)
        self._drill_as_asked()

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._chooser is not None:
            self._chooser.forget()
            self.show()

    def ended(self, wish: Wish) -> None:
        """Says so."""
        if self.session.job is None:
            self.say(f"{count(len(wish.endings), 'ending is', 'endings are')} built.", "win")

    # The cursor and the panels

    @on(CourseList.Pointed)
    def _pointed(self, event: CourseList.Pointed) -> None:
        self._go(event.key)

    def _go(self, key: str) -> None:
        self.hush()
        self._said = ()
        self.chooser.go(key)
        self.chooser.row = 0
        self.query_one(CourseList).view = scenes.courses(self.chooser)
        self.show_choices()

    @on(CourseList.Opened)
    def _opened(self) -> None:
        self.hush()
        if self.chooser.toggle():
            self.show()
        else:
            self.say("only a set with positions can be opened.")

    @on(CourseList.Changed)
    def _mode_changed(self, event: CourseList.Changed) -> None:
        self.chooser.row = 0
        self._change("mode", event.by)

    @on(SetupPanel.Pointed)
    def _row_pointed(self, event: SetupPanel.Pointed) -> None:
        self.hush()
        self.chooser.row = event.row
        self.show_choices()

    @on(SetupPanel.Changed)
    def _row_changed(self, event: SetupPanel.Changed) -> None:
        rows = scenes.setup_rows(self.chooser)
        self._change(rows[min(event.row, len(rows) - 1)], event.by)

    def _change(self, name: str, by: int) -> None:
        """Changes one of the choices."""
        self.hush()
        self._said = ()
        chooser = self.chooser
        if name == "mode":
            chooser.change_mode(by)
        elif name == "result":
            chooser.change_result(by)
        elif name == "defence":
            chooser.change_defence(by)
            self.say(f"{chooser.defence.value}: {scenes.DEFENCES[chooser.defence]}.")
        else:
            chooser.colours = not chooser.colours
        self.show_choices()

    @on(WindowPanel.Moved)
    def _window_moved(self, event: WindowPanel.Moved) -> None:
        self.hush()
        self.chooser.move_window(event.by)
        self.show_choices()

    @on(WindowPanel.Widened)
    def _window_widened(self, event: WindowPanel.Widened) -> None:
        self.action_widen(event.by)

    def action_widen(self, by: int) -> None:
        """Takes a layer more, or one less, into the window."""
        self.hush()
        if self.chooser.widen_window(by):
            self.show_choices()
        else:
            self.say("there are no layers to choose from here.")

    def action_panel(self, by: int) -> None:
        """Goes to the next panel; on small screens it takes the place of the list."""
        panels = self.panels()
        at = next((number for number, panel in enumerate(panels) if panel.has_focus), 0)
        panel = panels[(at + by) % len(panels)]
        if self._on_list != isinstance(panel, CourseList):
            self._on_list = not self._on_list
            if self.is_small:
                self.relayout()
        self.set_focus(panel)

    def action_back(self) -> None:
        """Takes the sentence away, goes back to the list."""
        self.hush()
        self._said = ()
        if self.is_small and not self._on_list:
            self._on_list = True
            self.relayout()
        self.show_choices()
        self.focus_home()

    # Starting

    @on(CourseList.Chosen)
    @on(WindowPanel.Chosen)
    @on(SetupPanel.Begun)
    def _start(self) -> None:
        self.hush()
        chooser = self.chooser
        first = chooser.sample() if "board" in self.regions(self.size) else None
        try:
            order = chooser.order(first)
        except NotBuiltError as problem:
            self.offer(chooser.missing() or (problem.ending,))
        except EndgameError as problem:
            self.complain(problem)
        else:
            chooser.use_sample()
            self.drill(order)

    def drill(self, order: Order) -> None:
        """Begins a sitting."""
        self.app.push_screen(self.drill_screen(order))

    def drill_screen(self, order: Order) -> Drilling:
        """The screen of a sitting."""
        from endgame_tui.screens.drill import DrillScreen

        return DrillScreen(order, self.chooser.course)

    def offer(self, endings: Sequence[str]) -> None:
        """Asks whether to build endings."""
        cost = price(self.chooser.explorer.library, endings)
        first = f", {cost.endings - len(endings)} first" if cost.endings > len(endings) else ""
        what = ", ".join(endings) if len(endings) < 3 else count(len(endings), "ending", "endings")
        text = f"Not built: build {what}? {cost.words}{first}"
        if len(text) > self.size.width - _ANSWERS:
            text = f"Build {what}? {cost.words}{first}"
        build = Choice("enter", "Enter", "build", lambda: self._build(endings))
        self.question(self.drawn_in.glyphs.plain(text), build)

    def _build(self, endings: Sequence[str]) -> None:
        try:
            self.session.build(endings, self.speech.metric)
        except EndgameError as problem:
            self.complain(problem)
            return
        self.progressed()

    def action_build(self) -> None:
        """Offers to build what the row needs."""
        missing = self.chooser.missing()
        if missing:
            self.offer(missing)
        else:
            self.say("everything this needs is built.")

    def action_another(self) -> None:
        """Draws another start to look at."""
        self.hush()
        sample = self.chooser.sample(another=True)
        if sample is None:
            self.say("this has no single start to show: Enter draws one for each drill.")
        elif "board" in self.regions(self.size):
            self.show_sample()
        else:
            self.say(scenes.start_sentence(sample, self.speech))

    async def action_send(self) -> None:
        """Shows the start in Explore."""
        sample = self.chooser.sample()
        if sample is None:
            self.say("there is no start to look at here.")
            return
        self.session.ask = self.chooser.explorer.game.format(sample.position)
        self.session.ask_metric = self.ask_metric
        await self.app.run_action("screen('explore')")

    # Finding, adding, deleting

    def action_find(self) -> None:
        """Asks for a name and goes there while it is typed."""
        self._before = (self.chooser.entry.key, frozenset(self.chooser.opened))
        self.prompt("/", f"a set, a study, or an ending such as {self.speech.to_find}", self._found)

    @on(Prompt.Changed)
    def _searching(self, event: Prompt.Changed) -> None:
        if event.prompt.label == "/" and len(event.text) > 1 and (key := self.chooser.find(event.text)):
            self._close_again()
            if self.chooser.course.item(key) or key in self.chooser.entries():
                self._go(key)

    def _found(self, text: str) -> None:
        self._close_again()
        key = self.chooser.find(text)
        if key is None:
            raise EndgameError(
                f"nothing is called {text}" if text else "nothing was typed", f"type a set, or {self.speech.to_find}"
            )
        self._before = None
        self._go(key)

    def _close_again(self) -> None:
        """Closes the sets that were opened by what was typed so far."""
        if self._before is not None:
            self.chooser.opened = set(self._before[1])

    @on(Prompt.Cancelled)
    def _not_found(self) -> None:
        """Goes back to where the search began."""
        if self._before is not None:
            self._close_again()
            cursor, self._before = self._before[0], None
            self._go(cursor)

    def action_add(self) -> None:
        """Asks for a position, or a file of them."""
        self.prompt("+", self.speech.to_add, self._added)

    def _added(self, text: str) -> None:
        if not text:
            raise StudyError("nothing was typed", f"type a {self.speech.position}, or the name of a file")
        path = Path(text).expanduser()
        try:
            is_file = path.is_file()
        except OSError:
            is_file = False
        if is_file or path.suffix.lower() in _FILES:
            self._import(path)
            return
        study = self.chooser.course.studies.add(text)
        self._show_own(f"study {study.id}")
        self.say(f"{study.name} is in {MY_POSITIONS}.", "win")

    def _import(self, path: Path) -> None:
        done = self.chooser.course.studies.import_records(self.speech.records(path), MY_POSITIONS)
        self._show_own(f"set {MY_POSITIONS}")
        self._said = _refused(done)
        self.show_choices()
        words = f"{count(len(done.added), 'position', 'positions')} added to {MY_POSITIONS}"
        if done.refused:
            words += f", {len(done.refused)} left out ({done.refused[0].where}: {done.refused[0].reason.rstrip('.')})"
        self.say(f"{words}.", "win" if done.added else "loss")

    def _show_own(self, key: str) -> None:
        """Shows the own set with what is new in it."""
        self.chooser.course.read_sets()
        self.chooser.opened.add(MY_POSITIONS)
        self._go(key)
        self.show()

    def action_delete(self) -> None:
        """Asks, then deletes an own position, an own set, or an own theme."""
        chooser, entry = self.chooser, self.chooser.entry
        course = chooser.course
        if entry.study is not None and course.own_set(entry.study) is not None:
            study = entry.study
            delete = Choice("y", "y", "delete", lambda: self._delete(study.id, entry.title))
            self.question(f"Delete {entry.title} from {study.group}?", delete)
        elif entry.collection is not None and entry.collection.own and entry.items:
            name = entry.collection.name
            delete = Choice("y", "y", "delete", lambda: self._delete(name, name))
            self.question(f"Delete all {count(len(entry.items), 'position', 'positions')} of {name}?", delete)
        elif entry.theme is not None and course.is_own(entry.theme):
            delete = Choice("y", "y", "delete", lambda: self._drop(entry.key))
            self.question(f"Schedule {entry.title} {entry.theme.label} no more?", delete)
        else:
            self.say("only your own positions and themes can be deleted.")

    def _delete(self, name: str, title: str) -> None:
        studies = self.chooser.course.studies
        try:
            studies.remove(studies.find(name).id if "/" not in name else name)
        except EndgameError as problem:
            self.complain(problem)
            return
        self.chooser.course.read_sets()
        self.show()
        self.say(f"{title} is deleted.")

    def _drop(self, key: str) -> None:
        try:
            self.session.schedule.drop(key)
            self.chooser.drop(key)
            self.chooser.course.refresh()
        except JournalError as problem:
            self.complain(problem)
            return
        self.show()
        self.say("it is scheduled no more; what was drilled is kept.")


def _warm_up() -> None:
    """Loads in a thread what the first drill needs, so that it starts at once."""
    import fsrs
    import numpy

    del fsrs, numpy


def _refused(done: Imported) -> tuple[Note, ...]:
    """What a file had that could not be taken."""
    if not done.refused:
        return ()
    notes = [Note((Word(f"Left out: {len(done.refused)}", bold=True),))]
    for refusal in done.refused:
        notes += [Note((Word(f"{refusal.where}: ", "dim"), Word(refusal.reason)))]
    return tuple(notes)
