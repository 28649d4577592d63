"""Progress: what was practised, what is due, what is hard, and a list of the attempts behind all that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import ScreenResume
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError, StorageError
from endgame_core.practice.journal import day_of, export_file, import_file
from endgame_core.practice.records import JournalError, JournalImport, Record, ending_words
from endgame_core.practice.stats import WEEKS, ProgressFigures, SolvedCount, last_of
from endgame_core.words import progress as words
from endgame_core.words.progress import ItemDetails, JournalSummary, Wanted
from endgame_core.words.text_model import TextRow, TextSpan, grouped, in_rows, wrapped
from endgame_tui.look import Look
from endgame_tui.screens.base import BaseScreen, OverScreen, Request, beside
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import WIDE, Key
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.charts import DaysChart, DueChart, PliesChart, bar
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Picker, RowItem, Rows

EXPORT: Final = "endgame-journal.jsonl"
"""The name that is proposed for an export."""

WINDOWS: Final = (1, 2, 6, 13, 26, 52, 104, 520)
"""Numbers of weeks one can choose."""

PANELS: Final = ("hardest", "recent", "solved", "days", "lost", "due")
"""The panels in the order of Tab."""

PAGE: Final = 200
"""Attempts that are read at once."""

_GOOD = 0.8
"""From this share on a bar is in the colour of success."""

_BARS = 9
"""Where the bars begin."""

_RESULT = 24
"""Columns for the result of an attempt, where there is room."""

_LAST = 999_999
"""The newest item of a chart."""


def _said(about: ItemDetails, size: Size, middle: str) -> list[TextRow]:
    """What is said about an item: in one row, or a row for each fact and key."""
    title = TextSpan(about.title, bold=True)
    if size.height == 1:
        return [TextRow((title, TextSpan(f"  {f' {middle} '.join(about.lines)}", "dim")))]
    rows = [TextRow((title,))]
    for number, line in enumerate(about.lines):
        rows += wrapped(line, size.width, "dim" if number or about.position is None else "text")
    keys = zip(("Enter", "r"), about.keys, strict=True)
    return [
        *rows,
        TextRow(),
        *(TextRow((TextSpan(key, bold=True), TextSpan(f" {does}", "dim"))) for key, does in keys if does),
    ]


def _show_about(screen: BaseScreen, about: ItemDetails) -> None:
    """Says what the item under the cursor is, and what the keys do there; shows its start where there is a board."""
    for name in ("#about", "#facts"):
        screen.query_one(name, Lines).show(lambda size: _said(about, size, screen.look.glyphs.middle_dot))
    board = screen.query_one(BoardCanvas)
    board.resize(*screen.face.compact_layout(screen.look.can_draw_pieces))
    board.view = screen.face.board_view(about.position)


def attempt_items(records: Sequence[Record], today: int, width: int) -> list[RowItem]:
    """Attempts as rows: solved or not, ending, theme, day, result where there is room, plies lost."""
    days = [words.day_words(record.day, today) for record in records]
    day, result = max(map(len, days), default=0), _RESULT if width >= 70 else 0
    start = max(width - 11 - day - result, 11) if width >= 58 else width - day - 5
    return [
        RowItem(tuple(_attempt(record, when, start, start + day + 2 if result else 0)), key=number)
        for number, (record, when) in enumerate(zip(records, days, strict=True))
    ]


def _attempt(record: Record, when: str, start: int, result: int) -> list[TextSpan]:
    solved = words.solved_of(record)
    sign, role = {True: ("✓", "win"), False: ("✗", "loss"), None: ("·", "faint")}[solved]
    told = [
        TextSpan(sign, role),
        TextSpan(f" {ending_words(record.ending, record.game)}"),
        TextSpan(record.label, "dim", at=10),
        TextSpan(when, "dim", at=start),
    ]
    if result:
        told.append(TextSpan(words.result_of(record), "dim", at=result))
    return [*told, TextSpan(words.moves_lost(record), end=0)]


def _figures(found: JournalSummary, size: Size) -> list[TextRow]:
    """The figures side by side, spread over the row; the words are one each where there is no room."""
    figures = words.figures(found.progress)
    told, length = [figure.words for figure in figures], 0
    for told in ([figure.words for figure in figures], [figure.short for figure in figures]):
        length = sum(len(figure.number) + 1 + len(text) for figure, text in zip(figures, told, strict=True))
        if length + 2 * len(figures) <= size.width:
            break
    free, gaps = max(size.width - 2 - length, 0), max(len(figures) - 1, 1)
    row: list[TextSpan] = []
    column = 1
    for number, (figure, text) in enumerate(zip(figures, told, strict=True)):
        if number:
            column += max(free * number // gaps - free * (number - 1) // gaps, 2)
        if column + len(figure.number) + 1 + len(text) > size.width:
            break
        row += [TextSpan(figure.number, figure.role, bold=True, at=column), TextSpan(f" {text}", "dim")]
        column += len(figure.number) + 1 + len(text)
    return [TextRow(tuple(row))]


def _solved(found: JournalSummary, size: Size, look: Look) -> list[RowItem]:
    """Endings, best first: a bar, percents and the number of drills."""
    endings, game = found.progress.endings, found.progress.game
    end = size.width - max(max((len(grouped(each.drills)) for each in endings), default=0) + 3, 5) - 6
    return [
        RowItem(
            (
                TextSpan(ending_words(each.name, game)),
                *_bar(each, end - _BARS, look),
                TextSpan(f"{100 * each.share:.0f} %", end=end + 5),
                TextSpan(grouped(each.drills), "dim", end=0),
            ),
            key=number,
        )
        for number, each in enumerate(endings)
    ]


def _bar(count: SolvedCount, width: int, look: Look) -> list[TextSpan]:
    """The part solved as a bar, and the rail it runs on."""
    if width < 4:
        return []
    pen, glyphs = look.palette, look.glyphs
    done = bar(count.share, width, glyphs)
    rest, rail, role = width - len(done) - 1, glyphs.bar if glyphs.unicode else glyphs.dot, "bar"
    if not pen.has_colours:
        rail, role = glyphs.thin if glyphs.unicode else rail, "faint"
    return [TextSpan(done, "win" if count.share >= _GOOD else "winner_bar", at=_BARS - 1), TextSpan(rail * rest, role)]


def _hardest(found: ProgressFigures) -> list[RowItem]:
    """Themes, hardest first."""
    return [
        RowItem(
            (
                TextSpan(f" {ending_words(theme.ending, found.game)}"),
                TextSpan(theme.label, "dim", at=10),
                TextSpan(words.solved(theme.solved, theme.drills), end=0),
            ),
            key=number,
        )
        for number, theme in enumerate(found.themes)
    ]


def _welcome(size: Size) -> list[TextRow]:
    """What is said before anything was practised."""
    rows = [*wrapped(words.NOTHING_YET, size.width, bold=True), TextRow()]
    for action, does, more in words.ADVICE:
        key, more = control(action), instruct(more)
        first, *rest = in_rows(does, size.width - 3)
        aside = f"  {more}" if not rest and 5 + len(first) + len(more) <= size.width else ""
        rows.append(TextRow((TextSpan(key, "amber", bold=True), TextSpan(first, at=3), TextSpan(aside, "dim"))))
        rows += [TextRow((TextSpan(text, at=3),)) for text in rest]
    return [*rows, TextRow(), *wrapped(words.COUNTED, size.width, "dim")]


@dataclass(slots=True)
class GameFigures:
    """What is shown of one game.

    Attributes:
        found: What the journal says; None before it was read.
        weeks: How many are counted.
        back: How many weeks ago they end.
        panel: The panel that has the focus.
    """

    found: JournalSummary | None = None
    weeks: int = WEEKS
    back: int = 0
    panel: str = ""


class ProgressScreen(BaseScreen):
    """The figures of the journal."""

    TASK = "progress"
    CSS_PATH = "progress.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (16, "-low"), (22, "-middle"), (38, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("r", "review", "Review attempts", id="progress.review", short="review attempts", rank=1),
        Key("tab", "next_panel(1)", "Next panel", id="progress.next-panel", short="next panel", rank=1),
        Key("shift+tab", "next_panel(-1)", "Panel before", id="progress.panel-before"),
        Key("less_than_sign", "count(-1,0)", "Show fewer weeks", id="progress.narrower", short="weeks", rank=3),
        Key("greater_than_sign", "count(1,0)", "Show more weeks", id="progress.wider", short="weeks", rank=3),
        Key(
            "left_square_bracket", "count(0,1)", "Earlier weeks", id="progress.earlier", short="earlier, later", rank=3
        ),
        Key("right_square_bracket", "count(0,-1)", "Later weeks", id="progress.later", short="earlier, later", rank=3),
        Key("o", "export", "Export the journal", priority=True, id="progress.export", short="export"),
        Key("O", "import", "Import a journal", priority=True, id="progress.import", short="import", rank=3),
        Key("escape", "back", "Back to the hardest themes", id="progress.back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.strip.reserved = True
        self._games: dict[str, GameFigures] = {}
        self._request = 0

    def body(self) -> ComposeResult:
        """Figures, two columns of panels, what is said of the item under the cursor."""
        yield Lines(id="figures", indent=1)
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield Rows("Solved, by ending", id="solved", pointer=False)
                yield DaysChart(id="days")
                with Horizontal(id="here"):
                    yield BoardCanvas(id="board")
                    yield Lines(id="facts")
            with Vertical(id="right"):
                yield PliesChart(id="lost")
                yield DueChart(id="due")
                yield Rows("Hardest", id="hardest")
                yield Rows("Last drills", id="recent", pointer=False)
        yield Lines(id="about")
        yield Lines(id="welcome")

    @property
    def shown(self) -> GameFigures:
        """What is shown of the game."""
        return self._games.setdefault(self.game, GameFigures())

    # Reading the journal

    def on_screen_resume(self, _event: ScreenResume) -> None:
        """Reads the journal anew: other screens may have written to it."""
        self.load()

    def game_changed(self) -> None:
        """Reads what it says of the other game."""
        self.show()
        self.load()

    def load(self) -> None:
        """Reads the journal in a thread."""
        self._request += 1
        request, game, shown, journal = self._request, self.game, self.shown, self.lab.journal

        def read() -> JournalSummary:
            return JournalSummary.of(journal, game, shown.weeks, shown.back)

        beside(self, read, partial(self._loaded, request), "progress", partial(self._loaded, request))

    def _loaded(self, request: int, found: JournalSummary | EndgameError) -> None:
        if request != self._request:
            return
        if isinstance(found, JournalSummary):
            self.shown.found = found
            self.show()
            self.call_after_refresh(self._settle)
        notice = self.lab.journal.take_notice()
        if notice:
            self.say(notice, "loss")
        elif isinstance(found, EndgameError):
            self.complain(found)

    def _settle(self) -> None:
        """Gives the focus to the panel that had it last, else to the first one."""
        if not self.last_row.is_open and self.app.screen is self:
            self.set_focus(self.home())

    def action_count(self, wider: int, back: int) -> None:
        """Counts more weeks or fewer, or those before and after them."""
        shown = self.shown
        shown.weeks = WINDOWS[min(max(WINDOWS.index(shown.weeks) + wider, 0), len(WINDOWS) - 1)]
        shown.back = max(shown.back + back * shown.weeks, 0)
        self.say()
        self.load()

    # What is shown

    def show(self) -> None:
        """Shows what was found."""
        shown, found = self.shown, self.shown.found
        self.set_class(found is None, "unread")
        self.set_class(found is not None and found.is_empty, "empty")
        if found is None:
            return
        counted, newest = found.progress, None if shown.panel else _LAST
        window = "Progress" if found.is_empty else words.window(counted, shown.weeks, shown.back)
        self.crumbs(*((self.face.name,) if self.face.name else ()), window, named=False)
        look = self.look
        self.query_one("#figures", Lines).show(lambda size: _figures(found, size))
        solved, hardest = self.query_one("#solved", Rows), self.query_one("#hardest", Rows)
        solved.show(lambda size: _solved(found, size, look), head=TextRow(right=(TextSpan("drills", "faint"),)))
        hardest.show(_hardest(counted), head=TextRow(right=(TextSpan("solved", "faint"),)))
        self.query_one("#recent", Rows).show(
            lambda size: attempt_items(counted.recent, counted.today, size.width),
            head=TextRow(right=(TextSpan("moves lost", "faint"),)),
        )
        days, lost = self.query_one(DaysChart), self.query_one(PliesChart)
        days.show(
            counted.days, newest if days.cursor < days.count - 1 else _LAST,
            longest=counted.longest_run, today=counted.last == counted.today,
        )  # fmt: skip
        drills = [
            (None if record.errors else record.plies_lost, bool(words.solved_of(record))) for record in counted.lost
        ]
        lost.show(drills, newest if lost.cursor < lost.count - 1 else _LAST)
        self.query_one(DueChart).show(list(zip(words.due_names(counted), counted.due, strict=True)))
        self.query_one("#welcome", Lines).show(_welcome)
        self._show_about()

    @property
    def _here(self) -> tuple[JournalSummary | None, str, int]:
        """What was found, the panel that has the focus, and the number of the item under its cursor."""
        panel = self.shown.panel
        cursor = getattr(self.query_one(f"#{panel}"), "cursor", None) if panel else None
        return self.shown.found, panel, cursor if isinstance(cursor, int) else 0

    def _about(self) -> ItemDetails:
        """About the item under the cursor; its start is looked up only where the board is shown."""
        found, panel, number = self._here
        if found is None or found.is_empty or not panel:
            return ItemDetails()

        def last(theme: str) -> Record | None:
            try:
                wide = self.size.width >= WIDE and self.has_class("-tall")
                return last_of(self.lab.journal, theme) if wide else None
            except JournalError:
                return None  # the next load says what is wrong

        return found.about(panel, number, self.lab.explorer_of(self.game).game, last)

    def _show_about(self) -> None:
        about = self._about()
        _show_about(self, about)
        self.set_class(about.position is not None, "-board")
        self.refresh_bindings()

    def label(self, key: Key) -> str:
        """What Enter and r do where the cursor is."""
        found = self.shown.found
        if found is not None and found.is_empty:
            return key.short if key.action == "import" else ""
        if key.action == "game":
            return ""
        enter, review = self._about().keys
        told = {"choose": enter, "review": review}.get(key.action, super().label(key))
        if told and self.has_class("-narrow"):
            return told.split()[-1 if key.id == "progress.next-panel" else 0]
        return told

    # Panels

    def panels(self) -> list[str]:
        """The panels on the screen that have anything to point at."""
        found = self.shown.found
        if found is None or found.is_empty:
            return []
        return [name for name in PANELS if found.items(name) and self.query_one(f"#{name}").region.area]

    def home(self) -> Widget:
        """The panel that had the focus last, else the first one."""
        names = self.panels()
        name = self.shown.panel if self.shown.panel in names else next(iter(names), "welcome")
        return self.query_one(f"#{name}")

    def on_resize(self) -> None:
        """A panel that is gone gives the focus back."""
        self.call_after_refresh(self._settle)

    @on(Picker.Pointed, "Picker")
    def _pointed(self, event: Picker.Pointed) -> None:
        if event.control.has_focus:
            self.shown.panel = event.control.id or ""
            if not event.entered:
                self.say()
            self._show_about()

    def action_next_panel(self, steps: int) -> None:
        """Goes to the next panel, or to the one before."""
        self.say()
        names, panel = self.panels(), self.shown.panel
        if names:
            at = names.index(panel) + steps if panel in names else 0
            self.set_focus(self.query_one(f"#{names[at % len(names)]}"))

    def action_back(self) -> None:
        """Takes the sentence away, goes to the first panel."""
        self.say()
        self.shown.panel = ""
        self.set_focus(self.home())

    @on(Picker.Chosen, "Picker")
    async def _chosen(self) -> None:
        """Drills the theme, or all that is due; reviews the attempt, the game, or the day."""
        found, panel, number = self._here
        if found is None:
            return
        theme, record = found.theme_at(panel, number), found.record_at(panel, number)
        cards = found.due_on(number) if panel == "due" else []
        if record is not None:
            self.app.push_screen(ReplayScreen(record))
        elif cards:
            await self.host.open("practise", Request(self.game, text=cards[0].theme if number else "due"))
        elif panel == "due":
            self.say("nothing is due then.")
        elif theme is not None and words.is_drill(theme.name):
            await self.host.open("practise", Request(self.game, text=theme.name))
        else:
            self.action_review()

    def action_review(self) -> None:
        """Shows the attempts: of the theme, ending or day under the cursor, else all."""
        found, panel, number = self._here
        if found is None:
            return
        try:
            known = bool(self.lab.journal.attempts(game=self.game, most=1))
        except EndgameError as problem:
            self.complain(problem)
            return
        if not known:
            self.say("there is no attempt to review yet.")
            return
        self.say()
        self.app.push_screen(AttemptsScreen(found.wanted(panel, number)))

    # Export and import

    def action_export(self) -> None:
        """Asks for a file, and writes the journal into it."""

        def write(file: Path) -> None:
            self.say("writing …")
            beside(
                self,
                partial(export_file, self.lab.journal, file),
                lambda records: self.say(words.exported(records, file), "win"),
                "exchange",
            )

        def export(text: str) -> None:
            file = _file_to_write(self.lab.file(text).absolute())
            if file.exists():
                replace_it = Choice("y", "replace", lambda: write(file))
                self.last_row.ask(f"{file.name} is there already: replace it?", replace_it)
            else:
                write(file)

        self.say()
        self.last_row.prompt("Export to", "a file; JSON, a line for each attempt", export, EXPORT)

    def action_import(self) -> None:
        """Asks for a file, and adds what is new in it."""

        def take(text: str) -> None:
            file = self.lab.file(text or ".").absolute()
            if not file.is_file():
                raise StorageError(f"{text or 'nothing'} is no file", "type the name of an exported journal")
            self.say("reading …")
            beside(self, partial(import_file, self.lab.journal, file), taken, "exchange", failed)

        def taken(done: JournalImport) -> None:
            self.load()
            self.say(words.imported(done), "loss" if done.bad else "win")

        def failed(problem: EndgameError) -> None:
            self.load()  # what came before it is in the journal
            self.complain(problem)

        self.say()
        self.last_row.prompt("Import from", "a file that o has written", take)


def _file_to_write(file: Path) -> Path:
    """The file that a typed name means; raises StorageError when there is no place for it."""
    if file.is_dir():
        file /= EXPORT
    if not file.parent.is_dir():
        raise StorageError(f"there is no directory {file.parent}", "choose another")
    return file


class AttemptsScreen(OverScreen):
    """Attempts: all that were made, newest first, or those of one theme, ending or day.

    Args:
        wanted: Which ones.
    """

    TASK = "progress"
    CSS_PATH = "progress.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("a", "all", "All attempts", id="attempts.all", short="all attempts"),
        Key("escape", "back", "Back to the statistics", id="attempts.back", short="back", rank=1),
    ]

    def __init__(self, wanted: Wanted) -> None:
        super().__init__()
        self.strip.reserved = True
        self._wanted = wanted
        self._records: list[Record] = []
        self._next: float | None = None
        self._reading = False

    def body(self) -> ComposeResult:
        """The list; a board and facts about the attempt under the cursor."""
        with Horizontal(id="main"):
            yield Rows("Attempts", id="attempts", pointer=False)
            with Vertical(id="side"):
                yield BoardCanvas(id="board")
                yield Lines(id="facts")
        yield Lines(id="about")

    @property
    def _today(self) -> int:
        return day_of(self.lab.journal.clock())

    def on_mount(self) -> None:
        """Reads the first page."""
        self._read(self._wanted.before)

    def _read(self, before: float | None) -> None:
        """Reads a page in a thread."""
        self._reading = True
        wanted, game = self._wanted, self.game
        told = partial(self._loaded, wanted)
        beside(self, lambda: self._page(wanted, game, before), told, "attempts", told)

    def _page(self, wanted: Wanted, game: str, before: float | None) -> tuple[list[Record], float | None]:
        """A page, and when the last attempt looked at began, None when there are no more; in a thread."""
        found: list[Record] = []
        last = before
        while len(found) < PAGE:
            page = self.lab.journal.attempts(theme=wanted.theme, game=game, most=PAGE, before=last)
            found += [record for record in page if wanted.theme or wanted.ending in ("", record.ending)]
            last = page[-1].started if len(page) == PAGE else None
            if last is None:
                break
        return found, last

    def _loaded(self, wanted: Wanted, found: tuple[list[Record], float | None] | EndgameError) -> None:
        """A page was read, or why it was not."""
        if wanted != self._wanted:
            return
        records, self._next = ([], None) if isinstance(found, EndgameError) else found
        self._reading = False
        self._records += records
        self.show()
        if isinstance(found, EndgameError):
            self.complain(found)
        elif not self._records:
            self.say("no attempt yet.")

    def show(self) -> None:
        """Shows the attempts read so far."""
        records, today = self._records, self._today
        self.crumbs("Progress", "attempts", self._wanted.words(today), named=False)
        head = TextRow(right=(TextSpan("moves lost", "faint"),))
        self.query_one(Rows).show(lambda size: attempt_items(records, today, size.width), head=head)
        self._show_about()

    def _show_about(self) -> None:
        number, about = self.query_one(Rows).cursor, ItemDetails()
        if isinstance(number, int) and number < len(self._records):
            game = self.lab.explorer_of(self.game).game
            about = replace(words.about_attempt(self._records[number], self._today, game), keys=("review it", ""))
        _show_about(self, about)

    @on(Picker.Pointed, "Picker")
    def _pointed(self, event: Picker.Pointed) -> None:
        self._show_about()
        last = event.key if isinstance(event.key, int) else 0
        if self._next is not None and not self._reading and last >= len(self._records) - PAGE // 4:
            self._read(self._next)

    # Keys

    @on(Picker.Chosen, "Picker")
    def _chosen(self, event: Picker.Chosen) -> None:
        self.say()
        self.app.push_screen(ReplayScreen(self._records[int(str(event.key))]))

    def action_all(self) -> None:
        """Shows the attempts of all themes."""
        if self._wanted != Wanted():
            self._wanted, self._records = Wanted(), []
            self.say()
            self.show()
            self._read(None)

    def label(self, key: Key) -> str:
        """What Enter does."""
        return {"choose": "review it", "game": ""}.get(key.action, super().label(key))
