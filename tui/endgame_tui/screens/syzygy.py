"""The list of Syzygy files: sizes, checksums, and missing files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size

from endgame_core.chess.syzygy import AGAIN, SyzygyFile, SyzygyTable, check, missing
from endgame_core.controls import instruct
from endgame_core.errors import BuildCancelledError, EndgameError, system_reason
from endgame_core.errors import format_size as in_bytes
from endgame_core.language import _
from endgame_core.words import tables as words
from endgame_core.words.text_model import TextRow, TextSpan, wrapped
from endgame_tui.keys import LEAVE, SYZYGY, VERIFY, Key
from endgame_tui.screens.base import OverScreen
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

_WDL_END = 18
_DTZ_END = 28
"""Right ends of the columns of file sizes."""

_STATE = 30
"""Column where the result of the check begins."""

_HEAD = TextRow(
    (
        TextSpan("WDL", "dim", end=_WDL_END),
        TextSpan("DTZ", "dim", end=_DTZ_END),
        TextSpan(_("checksum"), "dim", at=_STATE),
    )
)


class SyzygyScreen(OverScreen):
    """The files, one row for each ending."""

    TASK = "library"
    CSS_PATH = "syzygy.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        VERIFY.adapted(_("Verify its files"), short=_("check it"), rank=1),
        Key("V", "verify_all", _("Verify all files"), short=_("check all")),
        LEAVE.adapted(_("Back to the Library"), short=_("back")),
        SYZYGY.adapted(_("Back to the Library"), action="leave"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[str, SyzygyTable] = {}
        self._problems: dict[str, tuple[EndgameError, ...]] = {}
        """By ending, the problems of its files; empty for files that are right, no entry for files not checked yet."""
        self._checking: str | None = None
        self._is_checking = False

    def body(self) -> ComposeResult:
        """Yield the summary, the list, and details of the ending under the cursor."""
        yield Lines(id="summary", indent=1)
        with Horizontal(id="main"):
            yield Rows(_("Ending"), id="files")
            yield Lines(id="detail")

    def on_mount(self) -> None:
        """List the files; those left out since a failed check are marked as wrong."""
        syzygy = self.lab.syzygy
        if syzygy is not None:
            self._tables = {table.ending: table for table in syzygy.tables}
            for table in self._tables.values():
                problems = tuple(syzygy.left_out[file.path] for file in table.files if file.path in syzygy.left_out)
                if problems:
                    self._problems[table.ending] = problems
        self.set_class(not self._tables, "empty")
        if self.lab.syzygy_problem is not None:
            self.complain(self.lab.syzygy_problem)

    # What is shown

    def show(self) -> None:
        """Update everything on the screen."""
        self.crumbs(_("Library"), _("Syzygy files"), named=False)
        strong, plain, dim = words.summary(list(self._tables.values()))
        summary = TextRow((TextSpan(strong, bold=True), TextSpan(plain), TextSpan(f"   {dim}", "dim")))
        self.query_one("#summary", Lines).show([summary])
        self.query_one(Rows).show(self._items, head=_HEAD)
        self.query_one("#detail", Lines).show(self._detail)

    def _items(self, size: Size) -> Sequence[RowItem]:
        return [RowItem(tuple(self._row(table, size.width)), key=ending) for ending, table in self._tables.items()]

    def _row(self, table: SyzygyTable, width: int) -> Iterator[TextSpan]:
        """Yield the spans of a row: name, sizes, result of the check."""
        yield TextSpan(table.ending)
        for file, end in ((table.wdl, _WDL_END), (table.dtz, _DTZ_END)):
            if file is None:
                yield TextSpan(_("missing"), "loss", end=end)
            else:
                yield TextSpan(in_bytes(file.size), end=end)

        glyphs = self.look.glyphs
        if table.ending == self._checking:
            yield TextSpan(glyphs.pointer, "amber", at=_STATE)
        elif table.ending not in self._problems:
            yield TextSpan(glyphs.dot, "faint", at=_STATE)
        elif self._problems[table.ending]:
            yield TextSpan(glyphs.cross, "loss", at=_STATE)
            yield TextSpan(_(" wrong"))
        else:
            yield TextSpan(glyphs.check, "win", at=_STATE)
            yield TextSpan(_(" right"))
        if width >= _STATE + 18 and missing(table, self._tables):
            yield TextSpan(_("incomplete"), "dim", at=_STATE + 8)

    def _detail(self, size: Size) -> list[TextRow]:
        """Problems and missing files of the ending under the cursor; without any file, why there is none."""
        if not self._tables:
            problem = self.lab.syzygy_problem
            title = _("Syzygy files")
            if problem is None:
                paragraphs = [instruct(words.NONE)]
            else:
                paragraphs = [words.unread(str(problem))]
        else:
            title = str(self.query_one(Rows).cursor)
            paragraphs = words.file_problems(self._tables[title], self._tables, self._problems.get(title, ()))
        rows = [TextRow((TextSpan(title, bold=True),))]
        for text in paragraphs:
            rows += wrapped(text, size.width, "dim")
        return rows

    @on(Rows.Pointed)
    def _pointed(self) -> None:
        self.query_one("#detail", Lines).redraw()

    @on(Rows.Chosen)
    def _chosen(self) -> None:
        self.action_verify()

    def label(self, key: Key) -> str:
        """Name of a key in the last row; the game cannot be switched here, as only chess has such files."""
        if key.id == "game":
            return ""
        return super().label(key)

    # Checking

    def action_verify(self) -> None:
        """Check the files of the ending under the cursor."""
        if self._tables:
            self._check((self._tables[str(self.query_one(Rows).cursor)],))

    def action_verify_all(self) -> None:
        """Check all files."""
        if self._tables:
            self._check(tuple(self._tables.values()))

    def _check(self, tables: tuple[SyzygyTable, ...]) -> None:
        if self._is_checking:
            self.say(_("only one check can run at a time."))
            return
        self._is_checking = True
        self.say(_("checking {ending} …").format(ending=tables[0].ending))
        # An error here is only the cancellation by closing the screen, which needs no message.
        self.run_in_thread(partial(self._check_tables, tables), self._all_checked, "check", lambda __: None)

    def _check_tables(self, tables: tuple[SyzygyTable, ...]) -> tuple[EndgameError, ...]:
        """Check files in a thread; return the problems of the last table."""
        # Runs in a thread: results reach the screen only by call_later.
        problems: tuple[EndgameError, ...] = ()
        for table in tables:
            self.call_later(self._show_progress, table.ending)
            results = [self._problem_of(file) for file in table.files]
            problems = tuple(problem for problem in results if problem is not None)
            self.call_later(self._show_progress, None, table.ending, problems)
        return problems

    def _problem_of(self, file: SyzygyFile) -> EndgameError | None:
        """Check a file and return its problem; a file with a wrong checksum is not read any more."""
        problem = None
        try:
            check(file, self._cancel_if_closed)
        except BuildCancelledError:
            # It is an EndgameError, too, but says nothing about the file.
            raise
        except EndgameError as error:
            problem = error
        except OSError as error:
            problem = EndgameError(
                _("{path} cannot be read ({reason})").format(path=file.path.name, reason=system_reason(error)), AGAIN
            )

        # AGAIN is the advice for bad files; other problems are of the check itself.
        is_conclusive = problem is None or problem.then == AGAIN
        syzygy = None
        if is_conclusive:
            syzygy = self.lab.syzygy
        if syzygy is not None and syzygy.leave_out(file, problem):
            # Positions may have other values now: other screens look them up again.
            self.jobs.changed()
        return problem

    def _cancel_if_closed(self, _share: float) -> None:
        if not self.is_running:
            raise BuildCancelledError

    def _show_progress(self, checking: str | None, checked: str = "", problems: tuple[EndgameError, ...] = ()) -> None:
        """Show the ending that is being checked, and the problems of the one checked before."""
        self._checking = checking
        if checked:
            self._problems[checked] = problems
        self.show()

    def _all_checked(self, problems: tuple[EndgameError, ...]) -> None:
        """Report the check: a single problem in full, else how many endings are right and wrong."""
        self._is_checking = False
        bad_endings = sum(map(bool, self._problems.values()))
        if len(problems) == 1 and bad_endings == 1:
            self.complain(words.short(problems[0]))
        else:
            message, is_good = words.checked({ending: not errors for ending, errors in self._problems.items()})
            self.say(message, "win" if is_good else "loss")
