"""The Syzygy files that were found: sizes, checksums, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message

from endgame_core.chess.syzygy.blocks import AGAIN
from endgame_core.chess.syzygy.files import SyzygyTable, check
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.words import syzygy as words
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.widgets.detail import Detail, DetailView
from endgame_tui.widgets.files import FilesPanel, rows
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.panel import Panel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.summary import Summary

KEYS = (("v", "check it"), ("V", "check all"), ("↑ ↓", "choose"), ("Esc", "back"))
SMALL_KEYS = (("v", "check"), ("Esc", "back"))


class SyzygyScreen(ModeScreen):
    """The files, one ending in a row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "Check its files", show=False, id="syzygy.verify"),
        Binding("V", "verify_all", "Check all files", show=False, id="syzygy.verify-all"),
        Binding("escape,y", "back", "Back to the Library", show=False, id="syzygy.back"),
    ]

    @dataclass
    class Checked(Message):
        """An ending has been checked, or a check begins: ``problems`` tell what is wrong with its files."""

        ending: str
        over: bool
        problems: tuple[EndgameError, ...] = ()
        last: bool = False

    def __init__(self) -> None:
        super().__init__()
        self._tables: tuple[SyzygyTable, ...] = ()
        self._sound: dict[str, bool] = {}
        self._problems: dict[str, tuple[EndgameError, ...]] = {}
        self._checking: str | None = None
        self._busy = False
        self._left = False

    def compose(self) -> ComposeResult:
        """The list, and what is to be said of an ending."""
        yield TopBar("library", id="top")
        yield Summary(id="summary")
        yield FilesPanel((), id="files")
        yield Detail(id="detail")
        yield JobStrip(id="strip")
        yield KeyBar(KEYS, KEYS, SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Lists the files."""
        self._seen = self.session.changes
        self.query_one(TopBar).crumbs = ("Library", "Syzygy files")
        syzygy = self.session.syzygy
        self._tables = () if syzygy is None else tuple(syzygy.tables)
        left_out = {} if syzygy is None else syzygy.left_out
        for table in self._tables:
            if wrong := tuple(left_out[file.path] for file in table.files if file.path in left_out):
                self._sound[table.ending], self._problems[table.ending] = False, wrong
        self.show()
        self.focus_home()
        if self.session.syzygy_problem is not None:
            self.complain(self.session.syzygy_problem)

    def regions(self, size: Size) -> dict[str, Region]:
        """List left, words right, or below where there is no room."""
        width, height = size
        regions = {"top": Region(0, 0, width, 1), "keys": Region(0, height - 1, width, 1)}
        bottom = height - 1
        if self.has_strip:
            bottom -= 1
            regions["strip"] = Region(0, bottom, width, 1)
        regions["summary"] = Region(0, 1, width, 1)
        top = 3 if height >= 16 else 2
        if width >= 76:
            left = 64 if width >= 110 else 52
            regions["files"] = Region(0, top, left - 4, max(bottom - top - 1, 1))
            regions["detail"] = Region(left, top, min(width - 1, left + 55) - left, max(bottom - top - 1, 1))
        elif self._tables:
            words = min(5, max(bottom - top - 4, 0))
            regions["files"] = Region(0, top, width, max(bottom - top - words, 1))
            if words:
                regions["detail"] = Region(1, bottom - words, width - 2, words)
        else:
            regions["detail"] = Region(1, top, width - 2, max(bottom - top, 1))
        return self.bottom(regions)

    def focus_home(self) -> None:
        """The list has the focus."""
        self.set_focus(self.query_one(FilesPanel))

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.query_one(Summary).show(*words.summary(self._tables))
        self.query_one(FilesPanel).show(rows(self._tables, self._sound, self._checking))
        self._show_detail()

    def _show_detail(self) -> None:
        if not self._tables:
            problem = self.session.syzygy_problem
            why = words.NONE if problem is None else words.unread(str(problem))
            view = DetailView(heading=("Syzygy files", why))
        else:
            table = self._tables[self.query_one(FilesPanel).cursor]
            lines = words.about(
                table, {found.ending: found for found in self._tables}, self._problems.get(table.ending, ())
            )
            view = DetailView(heading=(table.ending, lines[0]), more=tuple(lines[1:]))
        self.query_one(Detail).view = view

    @on(Panel.Pointed)
    def _pointed(self) -> None:
        self._show_detail()

    @on(Panel.Chosen)
    def _chosen(self) -> None:
        self.action_verify()

    # Checking

    def action_verify(self) -> None:
        """Checks the files of the ending under the cursor."""
        if self._tables:
            self._check((self._tables[self.query_one(FilesPanel).cursor],))

    def action_verify_all(self) -> None:
        """Checks all files."""
        if self._tables:
            self._check(self._tables)

    def _check(self, tables: tuple[SyzygyTable, ...]) -> None:
        if self._busy:
            self.say("one check at a time.")
            return
        self._busy = True
        self.say(f"checking {tables[0].ending} …")
        self.run_worker(lambda: self._work(tables), name="check", group="check", thread=True)

    def _work(self, tables: tuple[SyzygyTable, ...]) -> None:
        """Runs in a thread; a file whose checksum fails is not read any more."""
        syzygy = self.session.syzygy
        for table in tables:
            last = table is tables[-1]
            self.post_message(self.Checked(table.ending, over=False))
            problems: list[EndgameError] = []
            for file in table.files:
                problem = None
                try:
                    check(file, self._stop_when_left)
                except BuildCancelledError:
                    return
                except EndgameError as error:
                    problem = error
                except OSError as error:
                    problem = EndgameError(f"{file.path.name} cannot be read ({error.strerror})", AGAIN)
                if problem is not None:
                    problems.append(problem)
                if syzygy is not None and (problem is None or problem.then == AGAIN):
                    self.session.changes += syzygy.leave_out(file, problem)
            self.post_message(self.Checked(table.ending, over=True, problems=tuple(problems), last=last))

    def _stop_when_left(self, _part: float) -> None:
        if self._left:
            raise BuildCancelledError("the check was cancelled", "")

    @on(Checked)
    def _checked(self, event: Checked) -> None:
        self._checking = None if event.over else event.ending
        if event.over:
            self._sound[event.ending] = not event.problems
            self._problems[event.ending] = event.problems
        self.show()
        if not event.last:
            return
        self._busy = False
        wrong = [ending for ending, sound in self._sound.items() if not sound]
        if len(event.problems) == len(wrong) == 1:
            self.complain(words.short(event.problems[0]))
        else:
            told, well = words.checked(self._sound)
            self.say(told, "win" if well else "loss")

    def action_back(self) -> None:
        """Goes back; a check under way is left."""
        self._left = True
        self.dismiss()
