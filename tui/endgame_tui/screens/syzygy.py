"""The Syzygy files that were found: sizes, checksums, and what is missing."""

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
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.errors import format_size as in_bytes
from endgame_core.words import tables as words
from endgame_core.words.text_model import TextRow, TextSpan, wrapped
from endgame_tui.screens.base import OverScreen, beside
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

_WDL, _DTZ, _STATE = 18, 28, 30
"""Right ends of the sizes, and where the state begins."""

_HEAD = TextRow(
    (
        TextSpan("WDL", "dim", end=_WDL),
        TextSpan("DTZ", "dim", end=_DTZ),
        TextSpan("checksum", "dim", at=_STATE),
    )
)


class SyzygyScreen(OverScreen):
    """The files, one ending in a row."""

    TASK = "library"
    CSS_PATH = "syzygy.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("v", "verify", "Verify its files", id="syzygy.verify", short="check it", rank=1),
        Key("V", "verify_all", "Verify all files", id="syzygy.verify-all", short="check all"),
        Key("escape,y", "back", "Back to the Library", id="syzygy.back", short="back", rank=1),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._tables: dict[str, SyzygyTable] = {}
        self._problems: dict[str, tuple[EndgameError, ...]] = {}
        self._checking: str | None = None
        self._busy = False

    def body(self) -> ComposeResult:
        """The list, and what is to be said of an ending."""
        yield Lines(id="summary", indent=1)
        with Horizontal(id="main"):
            yield Rows("Ending", id="files")
            yield Lines(id="detail")

    def on_mount(self) -> None:
        """Lists the files."""
        syzygy = self.lab.syzygy
        if syzygy is not None:
            self._tables = {table.ending: table for table in syzygy.tables}
            for table in self._tables.values():
                if wrong := tuple(syzygy.left_out[file.path] for file in table.files if file.path in syzygy.left_out):
                    self._problems[table.ending] = wrong
        self.set_class(not self._tables, "empty")
        if self.lab.syzygy_problem is not None:
            self.complain(self.lab.syzygy_problem)

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.crumbs("Library", "Syzygy files", named=False)
        strong, plain, dim = words.summary(list(self._tables.values()))
        self.query_one("#summary", Lines).show(
            [TextRow((TextSpan(strong, bold=True), TextSpan(plain), TextSpan(f"   {dim}", "dim")))]
        )
        self.query_one(Rows).show(self._items, head=_HEAD)
        self.query_one("#detail", Lines).show(self._detail)

    def _items(self, size: Size) -> Sequence[RowItem]:
        return [RowItem(tuple(self._row(table, size.width)), key=ending) for ending, table in self._tables.items()]

    def _row(self, table: SyzygyTable, width: int) -> Iterator[TextSpan]:
        """Name, sizes, state."""
        yield TextSpan(table.ending)
        for file, end in ((table.wdl, _WDL), (table.dtz, _DTZ)):
            yield TextSpan("missing", "loss", end=end) if file is None else TextSpan(in_bytes(file.size), end=end)
        glyphs = self.look.glyphs
        if table.ending == self._checking:
            yield TextSpan(glyphs.pointer, "amber", at=_STATE)
        elif table.ending not in self._problems:
            yield TextSpan(glyphs.nothing, "faint", at=_STATE)
        else:
            wrong = bool(self._problems[table.ending])
            yield TextSpan(glyphs.cross if wrong else glyphs.check, "loss" if wrong else "win", at=_STATE)
            yield TextSpan(" wrong" if wrong else " right")
        if width >= _STATE + 18 and missing(table, self._tables):
            yield TextSpan("incomplete", "dim", at=_STATE + 8)

    def _detail(self, size: Size) -> list[TextRow]:
        """What is wrong and what is missing; why there is nothing."""
        if not self._tables:
            problem = self.lab.syzygy_problem
            title, told = "Syzygy files", [words.NONE if problem is None else words.unread(str(problem))]
        else:
            title = str(self.query_one(Rows).cursor)
            told = words.about(self._tables[title], self._tables, self._problems.get(title, ()))
        return [
            TextRow((TextSpan(title, bold=True),)),
            *(row for text in told for row in wrapped(text, size.width, "dim")),
        ]

    @on(Rows.Pointed)
    def _pointed(self) -> None:
        self.query_one("#detail", Lines).redraw()

    @on(Rows.Chosen)
    def _chosen(self) -> None:
        self.action_verify()

    def label(self, key: Key) -> str:
        """There are no such files of another game."""
        return "" if key.action == "game" else super().label(key)

    # Checking

    def action_verify(self) -> None:
        """Checks the files of the ending under the cursor."""
        if self._tables:
            self._check((self._tables[str(self.query_one(Rows).cursor)],))

    def action_verify_all(self) -> None:
        """Checks all files."""
        if self._tables:
            self._check(tuple(self._tables.values()))

    def _check(self, tables: tuple[SyzygyTable, ...]) -> None:
        if self._busy:
            self.say("one check at a time.")
            return
        self._busy = True
        self.say(f"checking {tables[0].ending} …")
        beside(self, partial(self._work, tables), self._over, "check", lambda _: None)

    def _work(self, tables: tuple[SyzygyTable, ...]) -> tuple[EndgameError, ...]:
        """Checks files; what is wrong with the last of them. Runs in a thread."""
        problems: tuple[EndgameError, ...] = ()
        for table in tables:
            self.call_later(self._told, table.ending)
            problems = tuple(problem for file in table.files if (problem := self._proved(file)) is not None)
            self.call_later(self._told, None, table.ending, problems)
        return problems

    def _proved(self, file: SyzygyFile) -> EndgameError | None:
        """What is wrong with a file; one whose checksum fails is not read any more."""
        problem = None
        try:
            check(file, self._stop_when_left)
        except BuildCancelledError:
            raise
        except EndgameError as error:
            problem = error
        except OSError as error:
            problem = EndgameError(f"{file.path.name} cannot be read ({error.strerror})", AGAIN)
        files = self.lab.syzygy if problem is None or problem.then == AGAIN else None
        if files is not None and files.leave_out(file, problem):
            self.jobs.changed()
        return problem

    def _stop_when_left(self, _part: float) -> None:
        if not self.is_running:
            raise BuildCancelledError

    def _told(self, checking: str | None, ending: str = "", problems: tuple[EndgameError, ...] = ()) -> None:
        """What is being checked, or was."""
        self._checking = checking
        if ending:
            self._problems[ending] = problems
        self.show()

    def _over(self, problems: tuple[EndgameError, ...]) -> None:
        """All was checked."""
        self._busy = False
        if len(problems) == sum(map(bool, self._problems.values())) == 1:
            self.complain(words.short(problems[0]))
        else:
            told, well = words.checked({ending: not wrong for ending, wrong in self._problems.items()})
            self.say(told, "win" if well else "loss")
