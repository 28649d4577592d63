"""Progress: statistics of the practice journal in panels, and the list of the attempts behind them.

:class:`ProgressScreen` shows the statistics, :class:`AttemptsScreen` lists attempts; both read the journal in threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.events import ScreenResume
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError, StorageError
from endgame_core.language import _, verb_of
from endgame_core.practice.journal import day_of
from endgame_core.practice.journal_exchange import export_file, import_file
from endgame_core.practice.records import JournalError, JournalImport, Record, ending_words
from endgame_core.practice.stats import WEEKS, ProgressFigures, SolvedCount, last_of
from endgame_core.practice.theme import label_words
from endgame_core.tasks.drill_picker import WEAKEST
from endgame_core.words import progress as words
from endgame_core.words.progress import AttemptFilter, ItemDetails, JournalSummary
from endgame_core.words.text_model import TextRow, TextSpan, fitted, grouped, in_rows, wrapped
from endgame_tui.keys import CHOOSE, LEAVE, NEXT_PANEL, PREVIOUS_PANEL, Key
from endgame_tui.look import Look
from endgame_tui.screens.base import BaseScreen, OverScreen, Request
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.charts import DaysChart, DueChart, WeeksChart, bar
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Picker, RowItem, Rows
from endgame_tui.widths import MEDIUM, WIDE

EXPORT: Final = "endgame-journal.jsonl"
"""The file name that is proposed for an export."""

WINDOWS: Final = (1, 2, 6, 13, 26, 52, 104, 520)
"""Numbers of weeks to choose from."""

PANELS: Final = ("hardest", "recent", "solved", "days", "weeks", "due")
"""The panels in the order of Tab."""

PAGE: Final = 200
"""Attempts that are read at a time."""

_GOOD = 0.8
"""From this share of solved drills on a bar is green."""

_BAR_START = 9
"""Column where the bars begin."""

_RESULT_WIDTH = 24
"""Columns for the result of an attempt, where there is room."""

_NEWEST = 999_999
"""A cursor beyond the last item of a chart, which stands for the newest one."""


def _detail_rows(details: ItemDetails, size: Size, separator: str) -> list[TextRow]:
    """Details of an item: all in one or two rows, or a row for each fact and key."""
    title = TextSpan(details.title, bold=True)
    if size.height <= 2:
        row = TextRow((title, TextSpan(f"  {f' {separator} '.join(details.lines)}", "dim")))
        return [*fitted([row], size.width, size.height)]
    rows = [TextRow((title,))]
    for number, line in enumerate(details.lines):
        is_first_of_position = number == 0 and details.position is not None
        role = "text" if is_first_of_position else "dim"
        rows += wrapped(line, size.width, role)
    rows.append(TextRow())
    for action, effect in zip(("choose", "review"), details.keys, strict=True):
        if effect:
            rows.append(TextRow((TextSpan(control(action), bold=True), TextSpan(f" {effect}", "dim"))))
    return rows


def _show_details(screen: BaseScreen, details: ItemDetails) -> None:
    """Show the details of the item under the cursor, and its first position where there is a board."""
    for name in ("#about", "#facts"):
        screen.query_one(name, Lines).show(lambda size: _detail_rows(details, size, screen.look.glyphs.middle_dot))
    board = screen.query_one(BoardCanvas)
    board.resize(*screen.face.compact_layout(screen.look.can_draw_pieces))
    board.view = screen.face.board_view(details.position)


def attempt_items(records: Sequence[Record], today: int, width: int) -> list[RowItem]:
    """Attempts as rows: solved or not, ending, theme, day, result where there is room, moves lost."""
    days = [words.day_words(record.day, today) for record in records]
    day_width = max(map(len, days), default=0)
    result_width = _RESULT_WIDTH if width >= 70 else 0
    # At the right end the moves lost have 11 columns, in narrow lists 5.
    if width >= 58:
        day_start = max(width - 11 - day_width - result_width, 11)
    else:
        day_start = width - day_width - 5
    result_start = 0
    if result_width:
        result_start = day_start + day_width + 2
    return [
        RowItem(tuple(_attempt(record, day, day_start, result_start)), key=number)
        for number, (record, day) in enumerate(zip(records, days, strict=True))
    ]


def _attempt(record: Record, day: str, day_start: int, result_start: int) -> list[TextSpan]:
    """The spans of an attempt; without a result if ``result_start`` is 0."""
    sign, role = {True: ("✓", "win"), False: ("✗", "loss"), None: ("·", "faint")}[words.solved_of(record)]
    spans = [
        TextSpan(sign, role),
        TextSpan(f" {ending_words(record.ending, record.game)}"),
        TextSpan(label_words(record.theme, record.label), "dim", at=10),
        TextSpan(day, "dim", at=day_start),
    ]
    if result_start:
        spans.append(TextSpan(words.result_of(record), "dim", at=result_start))
    return [*spans, TextSpan(words.moves_lost(record), end=0)]


def _figure_row(summary: JournalSummary, size: Size) -> list[TextRow]:
    """The main figures spread over the row; with short names where the long ones do not fit."""
    figures = words.figures(summary.progress)
    names: list[str] = []
    length = 0
    # The first wording that fits; if none does, the shorter one, of which the last figures are cut.
    for names in ([figure.words for figure in figures], [figure.short for figure in figures]):
        length = sum(len(figure.number) + 1 + len(name) for figure, name in zip(figures, names, strict=True))
        if length + 2 * len(figures) <= size.width:
            break

    # Free columns are shared among the gaps: the gap before figure n gets free * n / gaps - free * (n - 1) / gaps of
    # them, rounded down each, so that all add up to the free columns.
    free = max(size.width - 2 - length, 0)
    gaps = max(len(figures) - 1, 1)
    spans: list[TextSpan] = []
    column = 1
    for number, (figure, name) in enumerate(zip(figures, names, strict=True)):
        if number:
            column += max(free * number // gaps - free * (number - 1) // gaps, 2)
        end = column + len(figure.number) + 1 + len(name)
        if end > size.width:
            break
        spans += [TextSpan(figure.number, figure.role, bold=True, at=column), TextSpan(f" {name}", "dim")]
        column = end
    return [TextRow(tuple(spans))]


def _solved_items(summary: JournalSummary, size: Size, look: Look) -> list[RowItem]:
    """Endings, best first: a bar, the percentage solved, and the number of drills."""
    endings = summary.progress.endings
    count_width = max((len(grouped(count.drills)) for count in endings), default=0)
    # Right of the bar: the percentage (5 columns, a gap) and the number of drills.
    bar_end = size.width - max(count_width + 3, 5) - 6
    items: list[RowItem] = []
    for number, count in enumerate(endings):
        spans = (
            TextSpan(ending_words(count.name, summary.progress.game)),
            *_bar(count, bar_end - _BAR_START, look),
            TextSpan(f"{100 * count.share:.0f} %", end=bar_end + 5),
            TextSpan(grouped(count.drills), "dim", end=0),
        )
        items.append(RowItem(spans, key=number))
    return items


def _bar(count: SolvedCount, width: int, look: Look) -> list[TextSpan]:
    """The share of solved drills as a bar, and the rest of its width as a rail."""
    if width < 4:
        return []
    glyphs = look.glyphs
    if look.palette.has_colours:  # rail and bar differ by their colour
        rail_glyph = glyphs.bar if glyphs.unicode else glyphs.dot
        rail_role = "bar"
    else:
        rail_glyph = glyphs.thin if glyphs.unicode else glyphs.dot
        rail_role = "faint"
    solved = bar(count.share, width, glyphs)
    role = "winner_bar"
    if count.share >= _GOOD:
        role = "win"
    rail = rail_glyph * (width - len(solved) - 1)
    return [TextSpan(solved, role, at=_BAR_START - 1), TextSpan(rail, rail_role)]


def _hardest_items(figures: ProgressFigures) -> list[RowItem]:
    """Themes, hardest first."""
    items: list[RowItem] = []
    for number, theme in enumerate(figures.themes):
        spans = (
            TextSpan(f" {ending_words(theme.ending, figures.game)}"),
            TextSpan(label_words(theme.name, theme.label), "dim", at=10),
            TextSpan(words.solved(theme.solved, theme.drills), end=0),
        )
        items.append(RowItem(spans, key=number))
    return items


def _welcome(size: Size) -> list[TextRow]:
    """What to do first, shown while the journal is empty."""
    rows = [*wrapped(words.NOTHING_YET, size.width, bold=True), TextRow()]
    for action, sentence, remark in words.ADVICE:
        key = control(action)
        remark = instruct(remark)
        first_line, *more_lines = in_rows(sentence, size.width - 3)
        # A remark follows a sentence of a single line if both fit into it.
        has_room = not more_lines and 5 + len(first_line) + len(remark) <= size.width
        rows.append(
            TextRow(
                (
                    TextSpan(key, "amber", bold=True),
                    TextSpan(first_line, at=3),
                    TextSpan(f"  {remark}" if has_room else "", "dim"),
                )
            )
        )
        rows += [TextRow((TextSpan(line, at=3),)) for line in more_lines]
    return [*rows, TextRow(), *wrapped(words.COUNTED, size.width, "dim")]


@dataclass(slots=True)
class GameFigures:
    """The statistics of one game as they are shown.

    Attributes:
        summary: The summary of the journal; None before it is read.
        weeks: How many weeks are counted.
        back: How many weeks ago they end.
        panel: The panel that has the focus.
    """

    summary: JournalSummary | None = None
    weeks: int = WEEKS
    back: int = 0
    panel: str = ""


class ProgressScreen(BaseScreen):
    """The statistics of the practice journal."""

    TASK = "progress"
    FOCUSABLE = (Rows, DaysChart, WeeksChart, DueChart)
    CSS_PATH = "progress.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (16, "-low"), (22, "-middle"), (38, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("r", "review", _("Review attempts"), short=_("review attempts"), rank=1),
        Key("w", "practise_weakest", _("Practise the weakest theme"), short=_("weakest"), rank=1),
        NEXT_PANEL.adapted(short=_("next panel")),
        PREVIOUS_PANEL,
        Key("less_than_sign", "count(-1,0)", _("Show fewer weeks"), id="fewer_weeks", short=_("weeks"), rank=3),
        Key("greater_than_sign", "count(1,0)", _("Show more weeks"), id="more_weeks", short=_("weeks"), rank=3),
        Key(
            "left_square_bracket",
            "count(0,1)",
            _("Earlier weeks"),
            id="earlier_weeks",
            short=_("earlier, later"),
            rank=3,
        ),
        Key(
            "right_square_bracket", "count(0,-1)", _("Later weeks"), id="later_weeks", short=_("earlier, later"), rank=3
        ),
        Key("o", "export", _("Export the journal"), priority=True, short=_("export")),
        Key("O", "import", _("Import a journal"), priority=True, short=_("import"), rank=3),
        LEAVE.adapted(_("Back to the hardest themes")),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.strip.reserved = True
        self._games: dict[str, GameFigures] = {}
        self._request = 0
        """Number of the last reading of the journal; results of earlier ones are out of date and dropped."""

    def body(self) -> ComposeResult:
        """Yield the figures, two columns of panels, and the details of the item under the cursor."""
        yield Lines(id="figures", indent=1)
        with Container(id="main"):
            with Horizontal(id="statistics"):
                with Vertical(id="left"):
                    yield Rows(_("Solved, by ending"), id="solved", pointer=False)
                    yield DaysChart(id="days")
                with Vertical(id="right"):
                    yield WeeksChart(id="weeks")
                    yield DueChart(id="due")
                    yield Rows(_("Hardest"), id="hardest")
            with Container(id="attempts"):
                with Horizontal(id="here"):
                    board = BoardCanvas(id="board")
                    board.can_focus = False
                    yield board
                    yield Lines(id="facts")
                yield Rows(_("Last drills"), id="recent", pointer=False)
        yield Lines(id="about")
        yield Lines(id="welcome")

    @property
    def figures(self) -> GameFigures:
        """The statistics of the current game."""
        return self._games.setdefault(self.game, GameFigures())

    # Reading the journal

    def on_screen_resume(self, _event: ScreenResume) -> None:
        """Read the journal again: other screens may have written to it."""
        self.load()

    def game_changed(self) -> None:
        """Show the other game, then read the journal for it."""
        self.show()
        self.load()

    def load(self) -> None:
        """Read the journal in a thread."""
        self._request += 1
        game = self.game
        figures = self.figures
        journal = self.lab.journal

        def read() -> JournalSummary:
            return JournalSummary.of(journal, game, figures.weeks, figures.back)

        # The request that this reading answers: the game or window may have changed when it ends.
        loaded = partial(self._loaded, self._request)
        self.run_in_thread(read, loaded, "progress", loaded)

    def _loaded(self, request: int, result: JournalSummary | EndgameError) -> None:
        """Show the summary of a reading, or its error."""
        if request != self._request:
            return
        if isinstance(result, JournalSummary):
            self.figures.summary = result
            self.show()
            # After the layout, which decides which panels have room.
            self.call_after_refresh(self._focus_panel)
        notice = self.lab.journal.take_notice()
        if notice:
            self.say(notice, "loss")
        elif isinstance(result, EndgameError):
            self.complain(result)

    def _focus_panel(self) -> None:
        """Focus the panel that had the focus last, or the first one."""
        if not self.last_row.is_open and self.app.screen is self:
            self.set_focus(self.home())

    def action_count(self, wider: int, back: int) -> None:
        """Count more or fewer weeks, or earlier or later ones."""
        figures = self.figures
        window = WINDOWS.index(figures.weeks) + wider
        figures.weeks = WINDOWS[min(max(window, 0), len(WINDOWS) - 1)]
        # By whole windows, so that no week is skipped or shown twice.
        figures.back = max(figures.back + back * figures.weeks, 0)
        self.say()
        self.load()

    # What is shown

    def show(self) -> None:
        """Show the summary, or a welcome if the journal is empty."""
        summary = self.figures.summary
        # Nothing is drawn before the first reading: neither empty panels nor the welcome.
        self.set_class(summary is None, "unread")
        self.set_class(summary is not None and summary.is_empty, "empty")
        if summary is None:
            return

        window = _("Progress")
        if not summary.is_empty:
            window = words.window(summary.progress, self.figures.weeks, self.figures.back)
        game = (self.face.name,) if self.face.name else ()
        self.crumbs(*game, window, named=False)
        self.query_one("#figures", Lines).show(lambda size: _figure_row(summary, size))
        self._show_lists(summary)
        self._show_charts(summary.progress)
        self.query_one("#welcome", Lines).show(_welcome)
        self._show_cursor()

    def _show_lists(self, summary: JournalSummary) -> None:
        look = self.look
        progress = summary.progress
        self.query_one("#solved", Rows).show(
            lambda size: _solved_items(summary, size, look), head=TextRow(right=(TextSpan(_("drills"), "faint"),))
        )
        self.query_one("#hardest", Rows).show(
            _hardest_items(progress), head=TextRow(right=(TextSpan(_("solved"), "faint"),))
        )
        self.query_one("#recent", Rows).show(
            lambda size: attempt_items(progress.recent, progress.today, size.width),
            head=TextRow(right=(TextSpan(_("moves lost"), "faint"),)),
        )

    def _show_charts(self, progress: ProgressFigures) -> None:
        """Show the charts; a cursor on the newest item stays on the newest item."""
        days = self.query_one(DaysChart)
        weeks = self.query_one(WeeksChart)
        # None keeps the cursor of a chart: until a panel is entered, all are on the newest item.
        cursor = None if self.figures.panel else _NEWEST
        if days.cursor < days.count - 1:
            days_cursor = cursor
        else:
            days_cursor = _NEWEST
        days.show(
            progress.days,
            days_cursor,
            longest=progress.longest_run,
            today=progress.last == progress.today,
        )
        if weeks.cursor < weeks.count - 1:
            weeks_cursor = cursor
        else:
            weeks_cursor = _NEWEST
        weeks.show(progress.weeks, words.lost_trend(progress), weeks_cursor)
        self.query_one(DueChart).show(list(zip(words.due_names(progress), progress.due, strict=True)))

    @property
    def _cursor(self) -> tuple[JournalSummary | None, str, int]:
        """The summary, the panel that has the focus, and the number of the item under its cursor."""
        panel = self.figures.panel
        cursor = None
        if panel:
            cursor = getattr(self.query_one(f"#{panel}"), "cursor", None)
        number = cursor if isinstance(cursor, int) else 0
        return self.figures.summary, panel, number

    def _details(self) -> ItemDetails:
        """Details of the item under the cursor; its position is looked up only if there is room for the board."""
        summary, panel, number = self._cursor
        if summary is None or summary.is_empty or not panel:
            return ItemDetails()

        def last_attempt(theme: str) -> Record | None:
            has_board = self.size.width >= WIDE and self.has_class("-tall")
            if not has_board:
                return None
            try:
                return last_of(self.lab.journal, theme)
            except JournalError:
                return None  # the next reading reports it

        return summary.details(panel, number, self.lab.explorer_of(self.game).game, last_attempt)

    def _show_cursor(self) -> None:
        """Show the details of the item under the cursor."""
        details = self._details()
        _show_details(self, details)
        self.set_class(details.position is not None, "-board")
        self.refresh_bindings()

    def label(self, key: Key) -> str:
        """Name of a key in the last row; of Enter and r, what they do at the cursor."""
        summary = self.figures.summary
        if summary is not None and summary.is_empty:
            if key.id == "import":
                return key.short
            return ""
        if key.id == "game":
            return ""
        enter, review = self._details().keys
        label = {CHOOSE.id: enter, "review": review}.get(key.id, super().label(key))
        if label and self.has_class("-narrow"):
            if key.id == NEXT_PANEL.id:
                return label.split()[-1]
            return verb_of(label)
        return label

    # Panels

    def panels(self) -> list[str]:
        """Names of the visible panels that have any items, in the order of Tab."""
        summary = self.figures.summary
        if summary is None or summary.is_empty:
            return []
        return [name for name in PANELS if summary.items(name) and self.query_one(f"#{name}").region.area]

    def home(self) -> Widget:
        """The panel that had the focus last, else the first one."""
        names = self.panels()
        if self.figures.panel in names:
            name = self.figures.panel
        else:
            name = next(iter(names), "welcome")
        return self.query_one(f"#{name}")

    def on_resize(self) -> None:
        """Move the focus from a panel that is hidden now."""
        self.strip.reserved = self.size.width >= MEDIUM  # on the smallest screens the details have its row
        self.call_after_refresh(self._focus_panel)

    @on(Picker.Pointed, "Picker")
    def _pointed(self, event: Picker.Pointed) -> None:
        if event.control.has_focus:
            self.figures.panel = event.control.id or ""
            if not event.entered:
                self.say()
            self._show_cursor()

    def action_panel(self, steps: int) -> None:
        """Focus the next or previous panel."""
        self.say()
        names = self.panels()
        panel = self.figures.panel
        if names:
            index = 0
            if panel in names:
                index = names.index(panel) + steps
            self.set_focus(self.query_one(f"#{names[index % len(names)]}"))

    def action_leave(self) -> None:
        """Clear the message and focus the first panel."""
        self.say()
        self.figures.panel = ""
        self.set_focus(self.home())

    @on(Picker.Chosen, "Picker")
    async def _chosen(self) -> None:
        """Drill the theme or what is due; review the attempt, game or day."""
        summary, panel, number = self._cursor
        if summary is None:
            return
        theme = summary.theme_at(panel, number)
        record = summary.record_at(panel, number)
        cards = []
        if panel == "due":
            cards = summary.due_on(number)
        if record is not None:
            self.app.push_screen(ReplayScreen(record))
        elif cards:
            # Today all due drills are started; for a later day, its first theme.
            row = cards[0].theme if number else "due"
            await self.host.open("practise", Request(self.game, text=row))
        elif panel == "due":
            self.say(_("nothing is due then."))
        elif theme is not None and words.is_drill(theme.name):
            await self.host.open("practise", Request(self.game, text=theme.name))
        else:
            self.action_review()

    async def action_practise_weakest(self) -> None:
        """Start the drills that are solved least often."""
        await self.host.open("practise", Request(self.game, text=WEAKEST))

    def action_review(self) -> None:
        """List the attempts of the theme, ending or day under the cursor, else all."""
        summary, panel, number = self._cursor
        if summary is None:
            return
        try:
            has_attempts = bool(self.lab.journal.attempts(game=self.game, limit=1))
        except EndgameError as problem:
            self.complain(problem)
            return
        if not has_attempts:
            self.say(_("there are no attempts to review yet."))
            return
        self.say()
        self.app.push_screen(AttemptsScreen(summary.attempt_filter(panel, number)))

    # Export and import

    def action_export(self) -> None:
        """Ask for a file and write the journal into it."""

        def write(file: Path) -> None:
            def report(records: int) -> None:
                self.say(words.exported(records, file), "win")
                self.deliver(file)

            self.say(_("writing …"))
            self.run_in_thread(partial(export_file, self.lab.journal, file), report, "exchange")

        def export(text: str) -> None:
            file = _export_path(self.lab.file(text).absolute())
            if file.exists():
                replace_it = Choice("y", _("replace"), lambda: write(file))
                self.last_row.ask(_("{file} already exists. Replace it?").format(file=file.name), replace_it)
            else:
                write(file)

        self.say()
        self.last_row.prompt(_("Export to"), _("a JSON file with one line per attempt"), export, EXPORT)

    def action_import(self) -> None:
        """Ask for a file and add its new attempts to the journal."""

        def start(text: str) -> None:
            file = self.lab.file(text or ".").absolute()
            if not file.is_file():
                what = _("{text} is not a file").format(text=text) if text else _("no name was typed")
                raise StorageError(what, _("type the name of an exported journal"))
            self.say(_("reading …"))
            self.run_in_thread(partial(import_file, self.lab.journal, file), finish, "exchange", fail)

        def finish(result: JournalImport) -> None:
            self.load()
            self.say(words.imported(result), "loss" if result.bad else "win")

        def fail(problem: EndgameError) -> None:
            self.load()  # the attempts before the bad one are imported
            self.complain(problem)

        self.say()
        self.last_row.prompt(_("Import from"), instruct(_("a file written with {export}")), start)


def _export_path(file: Path) -> Path:
    """The file to write for a typed path, which may be a directory; raises StorageError if its parent is missing."""
    if file.is_dir():
        file /= EXPORT
    if not file.parent.is_dir():
        raise StorageError(
            _("there is no directory {parent}").format(parent=file.parent), _("choose a different directory")
        )
    return file


class AttemptsScreen(OverScreen):
    """Attempts, newest first: all, or those of one theme, ending or day. They are read page by page.

    Args:
        query: Which attempts to list.
    """

    TASK = "progress"
    CSS_PATH = "progress.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("a", "all_attempts", _("All attempts"), short=_("all attempts")),
        LEAVE.adapted(_("Back to the statistics"), short=_("back")),
    ]

    def __init__(self, query: AttemptFilter) -> None:
        super().__init__()
        self.strip.reserved = True
        self._filter = query
        self._records: list[Record] = []
        self._next_page: float | None = None
        """Time before which the next page begins; None if all attempts are read."""
        self._is_reading = False

    def body(self) -> ComposeResult:
        """Yield the list, and a board and details of the attempt under the cursor."""
        with Horizontal(id="main"):
            yield Rows(_("Attempts"), id="attempts", pointer=False)
            with Vertical(id="side"):
                board = BoardCanvas(id="board")
                board.can_focus = False
                yield board
                yield Lines(id="facts")
        yield Lines(id="about")

    @property
    def _today(self) -> int:
        return day_of(self.lab.journal.clock())

    def on_mount(self) -> None:
        """Read the first page."""
        self._read(self._filter.before)

    def _read(self, before: float | None) -> None:
        """Read a page in a thread: attempts that began before a time, or the newest ones."""
        self._is_reading = True
        loaded = partial(self._loaded, self._filter)
        self.run_in_thread(partial(self._page, self._filter, self.game, before), loaded, "attempts", loaded)

    def _page(self, query: AttemptFilter, game: str, before: float | None) -> tuple[list[Record], float | None]:
        """A page of attempts, and the time before which the next one begins, None after the last; runs in a thread.

        The journal cannot select an ending, so several of its pages are read until there are enough attempts of it.
        """
        result: list[Record] = []
        next_page = before
        while len(result) < PAGE:
            records = self.lab.journal.attempts(theme=query.theme, game=game, limit=PAGE, before=next_page)
            result += [record for record in records if query.theme or query.ending in ("", record.ending)]
            if len(records) < PAGE:
                return result, None
            # A time, not a number of attempts: new ones would shift the pages.
            next_page = records[-1].started
        return result, next_page

    def _loaded(self, query: AttemptFilter, page: tuple[list[Record], float | None] | EndgameError) -> None:
        """Append a page to the list, or show its error; a page of another filter is dropped."""
        if query != self._filter:
            return
        records: list[Record] = []
        self._next_page = None
        if not isinstance(page, EndgameError):
            records, self._next_page = page
        self._is_reading = False
        self._records += records
        self.show()
        if isinstance(page, EndgameError):
            self.complain(page)
        elif not self._records:
            self.say(_("no attempts yet."))

    def show(self) -> None:
        """Show the attempts read so far."""
        records = self._records
        today = self._today
        self.crumbs(_("Progress"), _("attempts"), self._filter.words(today), named=False)
        head = TextRow(right=(TextSpan(_("moves lost"), "faint"),))
        self.query_one(Rows).show(lambda size: attempt_items(records, today, size.width), head=head)
        self._show_cursor()

    def _show_cursor(self) -> None:
        """Show the details of the attempt under the cursor."""
        number = self.query_one(Rows).cursor
        details = ItemDetails()
        if isinstance(number, int) and number < len(self._records):
            game = self.lab.explorer_of(self.game).game
            details = words.about_attempt(self._records[number], self._today, game)
            details = replace(details, keys=(_("review it"), ""))
        _show_details(self, details)

    @on(Picker.Pointed, "Picker")
    def _pointed(self, event: Picker.Pointed) -> None:
        self._show_cursor()
        number = 0
        if isinstance(event.key, int):
            number = event.key
        # Ahead of time, so that the cursor does not have to wait at the end of the list.
        is_near_end = number >= len(self._records) - PAGE // 4
        if self._next_page is not None and not self._is_reading and is_near_end:
            self._read(self._next_page)

    # Keys

    @on(Picker.Chosen, "Picker")
    def _chosen(self, event: Picker.Chosen) -> None:
        self.say()
        self.app.push_screen(ReplayScreen(self._records[int(str(event.key))]))

    def action_all_attempts(self) -> None:
        """List the attempts of all themes."""
        if self._filter != AttemptFilter():
            self._filter = AttemptFilter()
            self._records = []
            self.say()
            self.show()
            self._read(None)

    def label(self, key: Key) -> str:
        """Name of a key in the last row; the game cannot be switched here."""
        return {CHOOSE.id: _("review it"), "game": ""}.get(key.id, super().label(key))
