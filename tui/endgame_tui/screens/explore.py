"""Explore: a position, its layer, all its moves and what each leads to.

:class:`WalkView` draws a :class:`~endgame_core.tasks.walk.Walk`; :class:`ExploreScreen` moves the walk and asks
questions. Values that take long to look up are drawn later: ``show`` runs again once they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.events import Click
from textual.events import Key as Pressed
from textual.geometry import Size
from textual.widget import Widget

from endgame_core import games
from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.game import Game
from endgame_core.language import _, pgettext
from endgame_core.metric import Metric
from endgame_core.settings import AUTOPLAY
from endgame_core.tasks.walk import Walk
from endgame_core.values import HORIZON, LAST_CLOCK
from endgame_core.words import position as words
from endgame_core.words import tables
from endgame_core.words.find import looking, walked
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import LayerRow, LayerRows
from endgame_core.words.text_model import FIFTY_MOVES, TextRow, TextSpan, grouped
from endgame_tui.faces import Label, PositionView
from endgame_tui.jobs import Ended
from endgame_tui.keys import (
    ALL_MOVES,
    CHESS,
    CHOOSE,
    COPY,
    CURSOR_DOWN,
    CURSOR_UP,
    EDIT,
    FIND,
    FIRST,
    FLIP,
    LAST,
    LEAVE,
    MAP,
    METRIC,
    PAGE_DOWN,
    PAGE_UP,
    PROMPT,
    REDO,
    STONES,
    TAKE_BACK,
    Key,
)
from endgame_tui.screens.base import BoardScreen, Request, StepTimer
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.boardview import BoardView
from endgame_tui.widgets.charts import MountainChart, bar
from endgame_tui.widgets.lines import Lines, message_rows
from endgame_tui.widgets.moves import MovesPanel, headed_shape, row_shape, slim_shape, wrapped_shape
from endgame_tui.widgets.rows import Picker, RowItem, Rows
from endgame_tui.widths import WIDE

if TYPE_CHECKING:
    from endgame_core.tables.find import FindResult

T = TypeVar("T")

MOST_ROWS_BELOW = 4
"""Rows of the text below the board of a small screen, at most; other screens have one less."""

COLUMNS_OF_TWO_PLIES = 10
"""Columns that a move and its reply take in the best line, on average."""

ROOMY = 50
"""Columns beside the board above which the layers panel shows both counts."""

BAR = 6
"""Cells of the longest bar of a layer."""

BOARDS_END = 19
"""Right end of the column that counts all boards, symmetric copies included; the panel ends there (grid-columns in
explore.tcss)."""

UNIQUE_END = 26
"""Right end of the column that counts symmetric copies once; the panel of a screen with the class ``-roomy`` ends there
(grid-columns in explore.tcss)."""

STRETCHED_UNIQUE_MIN_WIDTH = 40
"""Columns from which a panel as wide as all panels has room for both counts."""

STRETCHED_UNIQUE_WIDTH = 8
"""Columns of the second count there."""

CHART_MIN_HEIGHT = 50
"""Rows of a screen that has room for the chart of all layers."""

CHART_OF_MANY_MIN_HEIGHT = 40
"""Rows from which a screen has the chart because the list cannot show all layers."""

MOST_LISTED_LAYERS = 24
"""More layers than the list can show there."""

LEAST_LISTS = 24
"""Rows of the lists of layers and moves above the chart of a large screen, at least."""

LEAST_MOUNTAIN = 16
"""Rows of that chart, at least."""

ROWS_AROUND_LISTS = 8
"""Rows of such a screen that neither the lists nor the chart have."""

BOARDS_LIMIT = 10_000_000
"""Counts of boards are printed in millions from here on."""

UNIQUE_LIMIT = 100_000
"""Counts of unique positions are printed in millions from here on."""


def count_text(number: int, limit: int) -> str:
    """A count, in millions from ``limit`` on."""
    if number < limit:
        return grouped(number)
    decimals = 2 if number < 1_000_000 else 1
    return f"{number / 1_000_000:.{decimals}f} M"


class LayersPanel(Rows, inherit_bindings=False):
    """The layers of an ending, each with a bar and its size; the cursor is on the layer of the current position.

    The key of a row is its number, not its layer: draws have two rows, one for each side to move.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        CURSOR_UP.adapted(_("Layer nearer to the end")),
        CURSOR_DOWN.adapted(_("Layer farther from the end")),
        PAGE_UP.adapted(_("Ten layers nearer"), action="step(-10)"),
        PAGE_DOWN.adapted(_("Ten layers farther"), action="step(10)"),
        FIRST.adapted(_("First layer")),
        LAST.adapted(_("Last layer")),
    ]
    tinted = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, pointer=False, steady=True)
        self.stretched = False
        """Whether the bars fill the width of the panel."""
        self._view = LayerRows()
        self._first_row = 0
        """Number of the topmost layer in sight, so that scrolling is steady: see :meth:`_window`."""

    def show_layers(self, view: LayerRows) -> None:
        """Show the layers of an ending, or the notice why there are none."""
        self._view = view
        notice = [RowItem((TextSpan(line, "dim"),)) for line in view.notice]
        self.show(notice or self._layers, cursor=view.current, head=self._heads, title=view.title)
        if view.current is None:
            # To `show` no cursor means that it stays; but the position is in none of these layers.
            self.cursor = None
            self.redraw()

    def move_cursor(self, key: Any) -> None:
        """Choose a layer instead of only pointing at it: the screen goes there and then moves the cursor."""
        self.post_message(self.Chosen(self, key))

    def _window(self) -> list[RowItem]:
        """The rows in sight; layers out of sight are named in a row at the top and one at the bottom.

        The window does not move while it contains the row of the cursor and its neighbours.
        """
        items = list(self._current_items())
        total = len(items)
        height = max(self.size.height - 1, 1)
        row = self.cursor or 0
        if total <= height:
            return items
        if height < 4:  # no room for the two rows that name the rest
            first = min(row, total - height)
            return items[first : first + height]

        # One row of the height names the layers above, so at most height - 1 rows from `first` on are layers.
        first = self._first_row
        if not first < row < first + height - 3 or first + height - 1 > total:
            first = min(max(row - height // 2 + 1, 0), total - height + 1)
        # Near an end that end itself is in sight, and only the other one is named.
        if row < height - 2:
            first = 0
        elif row >= total - height + 3:
            first = total - height + 1
        self._first_row = first

        last = min(first + height - 1, total)
        has_more_above = first > 0
        has_more_below = last < total
        if has_more_above and has_more_below:
            last -= 1
        visible = items[first:last]
        if has_more_above:
            visible.insert(0, self._hidden_layers(self.look.glyphs.up, 0, first - 1))
        if has_more_below:
            visible.append(self._hidden_layers(self.look.glyphs.down, last, total - 1))
        return visible

    def _hidden_layers(self, arrow: str, first: int, last: int) -> RowItem:
        """A row that names the layers out of sight, from row ``first`` to row ``last``."""
        rows = self._view.rows
        text = rows[first].name.removesuffix("=")  # "=": beyond the 50-move rule, which need not apply to all of them
        if last > first:
            text += self.look.glyphs.dash + rows[last].name.removesuffix("=")
        return RowItem((TextSpan(arrow + text, "faint"),))

    def _arrows(self, in_sight: int) -> str:
        del in_sight
        return ""  # the window names the layers out of sight itself

    def _column_ends(self, width: int) -> tuple[int, int]:
        """Right ends of the columns of boards and of unique positions; 0 for a column that does not fit."""
        if self.stretched:
            if width >= STRETCHED_UNIQUE_MIN_WIDTH:
                return width - STRETCHED_UNIQUE_WIDTH, width
            return width, 0
        if width >= UNIQUE_END:
            return BOARDS_END, UNIQUE_END
        return BOARDS_END, 0

    def _heads(self, size: Size) -> TextRow:
        if self._view.notice:
            return TextRow()
        columns = zip((_("boards"), _("unique")), self._column_ends(size.width), strict=True)
        return TextRow(tuple(TextSpan(name, "dim", end=end) for name, end in columns if end))

    def _layers(self, size: Size) -> list[RowItem]:
        rows = self._view.rows
        boards_end, unique_end = self._column_ends(size.width)
        bar_start = max(5, max((len(row.name) for row in rows), default=0) + 2)
        count_width = max((len(count_text(row.boards, BOARDS_LIMIT)) for row in rows), default=0)
        bar_cells = boards_end - 1 - count_width - bar_start
        if not self.stretched:
            bar_cells = min(bar_cells, BAR)
        # The bars have the scale of square roots, as MountainChart. The largest layer has a full bar.
        largest = max((row.boards for row in rows), default=0) or 1
        smallest_bar = 1
        if self.look.glyphs.half_bar:
            smallest_bar = 0.5

        def spans(number: int, row: LayerRow) -> tuple[TextSpan, ...]:
            is_current = number == self.cursor
            if is_current:
                name_role = bar_role = "amber"
                count_role = "text"
                pointer = self.look.glyphs.pointer
            else:
                name_role = row.role if row.strong else "dim"
                bar_role = "loser_bar"
                if row.strong:
                    bar_role = "winner_bar"
                count_role = "dim"
                pointer = " "
            share = 0.0
            if row.boards and bar_cells > 0:  # a layer with any positions has a bar that can be seen
                share = max(sqrt(row.boards / largest), smallest_bar / bar_cells)
            result = [
                TextSpan(pointer, "amber"),
                TextSpan(row.name, name_role, is_current),
                TextSpan(bar(share, max(bar_cells, 0), self.look.glyphs), bar_role, at=bar_start),
                TextSpan(count_text(row.boards, BOARDS_LIMIT), count_role, is_current, end=boards_end),
            ]
            if unique_end:
                unique = count_text(row.unique, UNIQUE_LIMIT)
                result.append(TextSpan(unique, count_role, is_current, end=unique_end))
            return tuple(result)

        return [RowItem(key=number, make_spans=partial(spans, number, row)) for number, row in enumerate(rows)]


class WalkView(BoardView):
    """The body of the Explore screen: it draws a walk and never changes it."""

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(board, id=id)
        self._walk: Walk[Any, Any] | None = None
        self._layers = LayersPanel(id="layers")
        self._previous = MovesPanel(_("Previous positions"), id="before", shape=wrapped_shape, steady=False)
        self._mountain = MountainChart(id="mountain")
        self._is_greeting = False

    def compose(self) -> ComposeResult:
        """Yield the board, the panels and the rows below."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield Lines(id="verdict")
                yield Lines(id="distances")
                yield self.takes
                with Container(id="lists"):
                    yield self._layers
                    yield self.by_depth
                    yield self.rated
                    yield self._previous
                yield self._mountain
                yield Lines(id="greeting")
                yield Lines(id="marks")
        yield Lines(id="below")
        yield Lines(id="fen")

    def on_mount(self) -> None:
        """Show the legend of the marks, which is visible beside a board of stones."""
        glyphs = self.board.look.glyphs
        moved = "◎" if glyphs.unicode else "{O}"
        legend: list[TextSpan] = []
        for sign, role, meaning in (
            ("×", "loss", _(" may be taken  ")),
            (glyphs.bar, "amber", _(" mill  ")),
            (moved, "amber", _(" moved  ")),
        ):
            legend += [TextSpan(sign, role, bold=True), TextSpan(meaning, "dim")]
        legend += [TextSpan("( )", "amber"), TextSpan(_(" from"), "dim")]
        self.show_rows("marks", (TextRow((TextSpan(_("Marks"), bold=True),)), TextRow(tuple(legend))))

    # What is shown

    def show(self, walk: Walk[Any, Any], moved: bool) -> None:
        """Show the current position of a walk, as far as its value is known by now.

        Args:
            walk: The walk.
            moved: Whether it has just come to this position; then the cursors of the moves go back to the first move.
        """
        is_other_walk = walk is not self._walk
        self._walk = walk
        cursor = 0 if moved else None
        self._show_board(walk)

        layers = words.layers(walk)
        self._layers.show_layers(layers)
        self._mountain.show(layers)
        self._mountain.display = self._has_mountain(len(layers.rows))
        move_list = words.moves(walk)
        self.by_depth.show(move_list.groups, *filter(None, [move_list.notice]), cursor=cursor)
        if move_list.rows or not move_list.notice:
            self.show_rated(move_list.rows, cursor)
        else:
            self.rated.show([RowItem((TextSpan(move_list.notice, "dim"),))], head=TextRow())
        previous, notice = words.before(walk)
        self._previous.show(previous, *filter(None, [notice]), cursor=cursor)

        self._choose_moves_panel(walk.rates_by_dtz)
        if is_other_walk:
            self.fit()
        self._show_greeting()
        self.show_takes(partial(words.takes, walk.probe))
        self._show_words()

    def _has_mountain(self, layers: int) -> bool:
        """Whether there is room for the chart of all layers: where the list cannot show them all, or room is left."""
        if layers <= 2 or self.has_class("-small") or self.has_class("-greeting"):
            return False
        height = self.screen.size.height
        if height >= CHART_MIN_HEIGHT:
            return True
        is_stacked = self.screen.has_class("-morris")  # there it would take the rows of the list
        return height >= CHART_OF_MANY_MIN_HEIGHT and layers > MOST_LISTED_LAYERS and not is_stacked

    def _show_board(self, walk: Walk[Any, Any]) -> None:
        probe = walk.probe
        moves: Sequence[Any] = ()
        if not probe.is_over:
            # The best first, so that the board proposes it; in any order if no table rates them.
            moves = [rated.move for rated in probe.by_depth] or walk.rules.moves(walk.position)

        in_dtz_layers = walk.metric == walk.rules.rule_metric
        if in_dtz_layers:
            rated_moves = probe.by_dtz
        else:
            rated_moves = probe.listed_by_depth
        labels = [(rated.move, Label(*words.label(rated, in_dtz_layers))) for rated in rated_moves]

        # The stones that moves take, those of the best moves first: the cursor goes there when a mill is closed.
        captured = [point for rated in probe.by_depth for point in getattr(rated.move, "captured", ())]
        view = PositionView(
            cursor=0,
            last_move=walk.step.move,
            rated_moves=labels,
            show_all=True,
            hinted_points=tuple(dict.fromkeys(captured)),
        )
        self.board.show(walk.position, moves, view)

    def _choose_moves_panel(self, rates_by_dtz: bool) -> None:
        """Show one of the two panels of moves, by DTM or by DTZ; the focus stays with the moves."""
        if self.has_class("-by-dtz") is not rates_by_dtz:
            had_focus = self.moves.has_focus
            self.set_class(rates_by_dtz, "-by-dtz")
            if had_focus:
                self.call_after_refresh(self.moves.focus)

    def _show_words(self) -> None:
        """Show the verdict, the distances, and the rows below the board."""
        walk = self._walk
        if walk is None:
            return
        probe = walk.probe
        metric = None
        if len(walk.metrics) > 1:
            metric = walk.metric
        key = control("metric") if walk.ending else ""
        text = walk.rules.format(walk.position)
        text_name = speech_of(walk.game).position
        self.show_headline(words.headline(probe, walk.rules, self.board.move_input.is_taking))

        def distances_rows(size: Size) -> Sequence[TextRow]:
            if probe.clock is None:
                return ()
            return (words.distances_row(probe, metric, key, size.width),)

        self.show_rows("distances", distances_rows)
        self.show_rows("fen", lambda size: (_fen_row(text, text_name, size.width),))
        self.show_reason()

    def header(self) -> tuple[tuple[str, ...], tuple[str, str]]:
        """The parts of the breadcrumb; and for the right end of the first row the result with its role."""
        walk = self._walk
        if walk is None:
            return (), ("", "text")
        is_small = self.has_class("-small")
        if is_small:
            path = words.crumbs_with_clock(walk)
        else:
            path = words.crumbs(walk)
        begun = self.board.move_input.notation
        if begun:
            # The move that is being entered replaces the number in the layer.
            last_part = begun if is_small else _("after {begun}").format(begun=begun)
            path = (*path[:3], last_part)

        headline = words.headline(walk.probe, walk.rules)
        glyphs = self.board.look.glyphs
        side = glyphs.white if headline.white else glyphs.black
        # The result alone: without its distance, or the result by DTM after one by the 50-move rule.
        result = headline.result.partition(",")[0].partition(" ·")[0]
        return path, (f"{side} {result}", headline.role)

    def show_reason(self) -> None:
        """Show the sentence about the position, or about the chosen move while the moves have the focus; and the line.

        Both share one widget: a long sentence takes a row of the line without a new layout.
        """
        walk = self._walk
        if walk is None:
            return
        chosen = None
        if self.moves.has_focus:
            chosen = self.moves.cursor

        def rows_for(size: Size) -> Sequence[TextRow]:
            is_small = self.has_class("-small")
            if self.has_class("-greeting"):
                if is_small:
                    return words.greeting(walk, size.height)
                return ()

            # On a normal screen one row is kept for the line, on a small one the sentence may fill all of them.
            sentence_height = size.height if is_small else size.height - 1
            message = words.reason(walk, chosen, size.width >= WIDE)
            sentence = message_rows(message, Size(size.width, sentence_height), self.board.look.glyphs)

            remaining = size.height - len(sentence)
            line_height = min(remaining, self._most_line_rows(size.width))
            line: list[TextRow] = []
            if line_height:
                line = self.line_rows(
                    Size(size.width, line_height), lambda plies: words.line(walk, plies), COLUMNS_OF_TWO_PLIES
                )
            blank = [TextRow()] * (remaining - line_height)
            return [*blank, *sentence, *line]

        self.show_rows("below", rows_for)

    def _most_line_rows(self, width: int) -> int:
        """The most rows of the best line: two where the board leaves room for them and one would be short."""
        if width >= WIDE:
            return 1
        is_small = self.has_class("-small")
        if self.screen.has_class("-morris"):
            return 2 if is_small else 1  # on small screens the board of stones is smaller, too
        return 1 if is_small else 2

    def greet(self, is_greeting: bool) -> None:
        """Show or hide the introduction for new users, in place of the panels and of the sentence below the board."""
        if is_greeting is not self._is_greeting:
            self._is_greeting = is_greeting
            self._show_greeting()
            self.show_reason()

    def _show_greeting(self) -> None:
        """Show the introduction if it is wanted and a table has the position."""
        walk = self._walk
        rows = ()
        if walk is not None and self._is_greeting:
            rows = words.greeting(walk, 1)
        if bool(rows) is not self.has_class("-greeting"):
            self.set_class(bool(rows), "-greeting")
            self.fit()
        if rows and walk is not None:
            self.show_rows("greeting", lambda size: words.introduction(walk, size.width))

    def show_choice(self) -> None:
        """Show the stones that may be taken while a move only lacks that choice, and adapt the words to that."""
        walk = self._walk
        if walk is not None and self.show_takes(partial(words.takes, walk.probe)):
            self._show_words()

    def copy(self) -> str:
        """Copy the position to the terminal's clipboard; return a message."""
        walk = self._walk
        if walk is None:
            return ""
        self.app.copy_to_clipboard(walk.rules.format(walk.position))
        return _("copied the {position}.").format(position=speech_of(walk.game).position)

    @on(Picker.Pointed)
    def _pointed(self) -> None:
        self.show_reason()

    @on(Click, "#fen")
    def _fen_clicked(self) -> None:
        self.call_later(self.run_action, "screen.copy")

    def on_descendant_focus(self) -> None:
        """Show the sentence about the move under the cursor when the moves get the focus."""
        self.show_reason()

    def fit(self) -> None:
        """Fit the panels to the screen: fold them, shape the moves, and order moves and layers."""
        super().fit()
        self.set_class(bool(self.size) and self.columns_beside > ROOMY, "-roomy")
        layer_count = 0
        if self._walk is not None:
            layer_count = len(words.layers(self._walk).rows)
        self._mountain.display = self._has_mountain(layer_count)

        # Beside a board of stones the panels stand below each other: moves one group a row, layers below the moves.
        is_stacked = self.screen.has_class("-morris")
        if self.has_class("-slender"):
            shape = slim_shape
        elif is_stacked and not self.has_class("-spread"):
            shape = row_shape
        else:
            shape = headed_shape
        self.by_depth.reshape(shape)
        self._layers.stretched = is_stacked
        self._place_layers(is_stacked)

        # On the largest screens the lists have as many rows as they need, and the chart has all others. On the rest the
        # style sheet decides.
        lists_height = chart_height = None
        if self._mountain.display and self.screen.has_class("-huge") and not is_stacked:
            room = self.size.height - LEAST_MOUNTAIN - ROWS_AROUND_LISTS
            lists_height = max(min(layer_count + 1, room), LEAST_LISTS)
            chart_height = "1fr"
        self.query_one("#lists").styles.height = lists_height
        self._mountain.styles.height = chart_height

        board_height = 0
        if not self.fold:
            board_height = self.board.content_rows(self.size)
        self.query_one("#main").styles.min_height = board_height
        free_rows = 3
        if not self.fold:
            free_rows = self.size.height - board_height - 1
        most_rows = MOST_ROWS_BELOW - 1
        if self.has_class("-small"):
            most_rows = MOST_ROWS_BELOW
        self.fit_below(free_rows, most_rows)

    def _place_layers(self, is_stacked: bool) -> None:
        """Place the layers below the moves where the panels stand below each other, else before them."""
        lists = self.query_one("#lists")
        if not lists.children:  # not composed yet
            return
        are_first = lists.children[0] is self._layers
        if is_stacked and are_first:
            lists.move_child(self._layers, after=self.rated)
        elif not is_stacked and not are_first:
            lists.move_child(self._layers, before=self.by_depth)


def _fen_row(text: str, text_name: str, width: int) -> TextRow:
    """The position as text, and the key that copies it where it fits."""
    position = f"{text_name}  {text}"
    hint = instruct(_("{copy} copy"))
    if width >= WIDE:
        hint += f" {text_name}"
    spans = [TextSpan(position, "faint", at=1)]
    if 1 + len(position) + len(hint) + 2 < width:
        spans.append(TextSpan(hint, "faint", end=-1))
    return TextRow(tuple(spans))


@dataclass(frozen=True, slots=True)
class _PendingBuild:
    """An ending whose build was started here.

    Attributes:
        game: Name of the game.
        ending: The ending.
        metric: The metric it is built by.
        opens: Whether to go to the ending once it is built.
    """

    game: str
    ending: str
    metric: Metric
    opens: bool


class ExploreScreen(BoardScreen):
    """Walk through positions and the layers of their endings."""

    TASK = "explore"
    CSS_PATH = "explore.tcss"
    PANELS = (LayersPanel,)
    CRUMB_ACTIONS = ("library_screen", "family", "go_to", "go_to")
    FOCUSABLE = (MoveBoard, LayersPanel, MovesPanel, Rows)
    BINDINGS: ClassVar[list[BindingType]] = [
        LEAVE.adapted(_("Cancel; back to the board"), words={"morris": _("Cancel; back to the board")}),
        Key("full_stop", "best", _("Play the best move"), short=pgettext("key", "best"), rank=1),
        TAKE_BACK.adapted(_("Undo"), short=_("undo"), rank=1),
        REDO.adapted(short=_("redo"), rank=3),
        Key(
            "left_square_bracket",
            "step_layer(-1)",
            _("Layer nearer to mate"),
            id="near",
            short=_("layer"),
            rank=1,
            words={"morris": _("Layer nearer to the end")},
        ),
        Key(
            "right_square_bracket",
            "step_layer(1)",
            _("Layer farther from mate"),
            id="far",
            short=_("layer"),
            rank=1,
            words={"morris": _("Layer farther from the end")},
        ),
        Key("n", "step_position(1)", _("Next position in the layer"), id="next_position", short=_("next|position")),
        Key("p", "step_position(-1)", _("Previous position"), id="previous_position", short=_("next|position")),
        Key("r", "random", _("Random position"), short=_("random"), rank=3),
        Key("g", "go_to", _("Go to a layer or position"), priority=True, typing=True),
        FIND.adapted(_("Find positions with a query"), rank=3),
        METRIC,
        Key("C", "counter", _("Set the 50-move counter"), games=CHESS, priority=True, typing=True),
        Key("a", "autoplay", _("Start or stop autoplay"), short=_("auto"), rank=3),
        Key("b", "list_previous", _("Show previous positions"), short=_("previous")),
        Key("t", "captures", _("Include captures"), games=CHESS),
        Key("w", "family", _("White wins, Black wins, draw"), short=_("wins"), rank=3),
        ALL_MOVES.adapted(short=_("moves"), rank=1),
        FLIP,
        MAP.adapted(short=_("map"), rank=3, games=CHESS + STONES, words={"morris": _("Map: one stone, all points")}),
        COPY.adapted(words={"morris": _("Copy the position")}),
        Key("s", "play_here", _("Play from this position"), priority=True),
        EDIT.adapted(games=STONES),
        PROMPT.adapted(
            _("Type a move, FEN, S12, KQvK"),
            short=pgettext("key", "type"),
            words={"morris": _("Type a move, S12 or 4-3")},
        ),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.add_class(f"-{self.game}")
        self.view = WalkView(self.board, id="walk")
        self.walk = self._restored_walk()
        """The walk through the current game."""
        self._walks = {self.game: self.walk}
        self._has_moved = True
        """Whether the walk has come to another position since the last drawing: see :meth:`show`."""
        self._has_opened = False
        """Whether a position was opened before; see :meth:`receive`."""
        self._pending_build: _PendingBuild | None = None
        self._autoplay = StepTimer(self)

    def on_mount(self) -> None:
        """Open the position or ending of the command line, or the last or first position."""
        start_text = self.host.start_text
        self.host.start_text = None
        self.set_focus(self.home())
        self.view.greet(self.host.memory.is_new)
        self.receive(Request(text=start_text))

    @on(Pressed)
    def _hide_greeting(self) -> None:
        self.view.greet(False)

    def body(self) -> ComposeResult:
        """Yield the view of the walk."""
        yield self.view

    def home(self) -> Widget:
        """The board, or the panel that covers it."""
        return self.view.home()

    def game_changed(self) -> None:
        """Show the walk through the other game; each game has its own."""
        if self.game not in self._walks:
            self._walks[self.game] = self._restored_walk()
        self.walk = self._walks[self.game]
        self.jobs.stop_search()
        super().game_changed()

    def show(self) -> None:
        """Show the current position; values that take long to look up are requested and drawn once they are known."""
        walk = self.walk
        for game in games.NAMES:
            self.set_class(game == self.game, f"-{game}")

        # The first request may be answered at once; then `walk` knows only after it how moves are rated.
        show_later = partial(self.call_later, self.show)
        if not walk.probe.is_complete:
            walk.prober.ask(walk.position, show_later)
        if walk.rates_by_dtz:
            most_plies = 2 * MOST_ROWS_BELOW * self.size.width // COLUMNS_OF_TWO_PLIES
            walk.prober.ask(walk.position, show_later, most_plies)

        self.view.show(walk, self._has_moved)
        self._has_moved = False
        self.host.memory.note([walk.rules.format(walk.position), walk.metric], "explore", walk.game)
        self._show_header()

    def _show_header(self) -> None:
        """Show the breadcrumb and the keys, which depend on the move that is being entered."""
        path, right = self.view.header()
        is_clock_late = (self.walk.probe.clock or 0) >= HORIZON // 2
        self.crumbs(*path, right=right, keeps_last=is_clock_late)
        self.refresh_bindings()

    def label(self, key: Key) -> str:
        """Name of a key in the last row.

        On narrow screens the panels are folded and their keys are named. While a stone is to be taken, Enter takes it
        and Esc goes back to another move.
        """
        is_narrow = self.has_class("-narrow")
        is_taking = self.board.move_input.is_taking
        if key.id == LEAVE.id and self.view.fold:
            return _("board")
        if key.id == LEAVE.id and is_taking:
            return _("other move")
        if key.id == CHOOSE.id and is_taking:
            return _("take")
        if key.id in ("near", "far"):
            return "S" if is_narrow else _("layer")
        if key.id == ALL_MOVES.id:
            return _("moves") if is_narrow else ""
        return super().label(key)

    # Walking

    def take_step(self, step: Callable[[], T], opens: bool = False) -> T | None:
        """Take a step of the walk and show where it led; offer to build a missing table.

        Args:
            step: The step, a method of the walk with its arguments.
            opens: Whether to open the missing ending once it is built.

        Returns:
            What the step returns; None if a table was missing.

        Raises:
            EndgameError: The step is not possible.
        """
        before = self.walk.step
        try:
            outcome = step()
        except NotBuiltError as problem:
            self.offer(problem.ending, self.walk.metric, opens)
            return None

        has_moved = self.walk.step is not before
        self._has_moved |= has_moved
        self.show()
        if has_moved:
            self._offer_missing_table()
        return outcome

    def go(self, step: Callable[..., T], *args: Any) -> T | None:
        """Take a step that the user asked for; show why it is not possible.

        Args:
            step: The step, a method of the walk.
            args: Its arguments.

        Returns:
            What the step returns; None if it was not possible.
        """
        self._stop_and_clear()
        try:
            return self.take_step(partial(step, *args))
        except EndgameError as problem:
            self.complain(problem)
            return None

    def action_best(self) -> None:
        """Play the best move."""
        self.go(self.walk.play_best)

    def action_take_back(self) -> None:
        """Undo the last step."""
        if self.go(self.walk.undo) is False:
            self.say(_("this is where you started."))

    def action_redo(self) -> None:
        """Redo the step that was undone."""
        if self.go(self.walk.redo) is False:
            self.say(_("there is nothing to redo."))

    def action_step_layer(self, layers: int) -> None:
        """Go to a layer farther from the end, or (negative) nearer to it."""
        self.go(self.walk.step_layer, layers)

    def action_step_position(self, positions: int) -> None:
        """Go to another position of the layer or of the search."""
        self.go(self.walk.step_position, positions)

    def action_random(self) -> None:
        """Go to a random position of the layer or of the search."""
        self.go(self.walk.to_random)

    def action_metric(self) -> None:
        """Switch between DTM and DTZ layers; offer to build the table if there is none."""
        missing_metric = self.go(self.walk.switch_metric)
        if missing_metric is None:
            return
        problem = self.walk.probe.fifty_problem
        if problem is not None and self.walk.metric == self.walk.metrics[0]:
            self.complain(problem)
        self.offer(self.walk.ending, missing_metric)

    def action_captures(self) -> None:
        """Include captures in the previous positions, or leave them out."""
        if self.go(self.walk.toggle_captures) is False:
            self.say(_("no capture in the built endings leads here."))

    def action_family(self) -> None:
        """Switch between White's wins, Black's wins and draws."""
        self.go(self.walk.next_family)

    @on(Picker.Chosen)
    def _chosen(self, event: Picker.Chosen) -> None:
        panel = event.control.id
        if panel == "layers":
            self.go(self.walk.to_row, event.key)
        elif panel == "before":
            self.go(self.walk.to_previous, event.key)
        elif panel in ("moves", "rated"):
            self.go(self.walk.play_listed, event.key)

    def move_made(self, move: Any) -> None:
        """Play a move that was entered on the board."""
        self.go(self.walk.play, move)

    def user_acted(self) -> None:
        """Stop autoplay and clear the message; show the stones that may be taken by the move being entered."""
        self._stop_and_clear()
        self.view.show_choice()
        self._show_header()

    def _stop_and_clear(self) -> None:
        """Stop autoplay and remove the message and the introduction, as everything does that the user does.

        :meth:`go` calls this, since it draws everything afterwards; :meth:`user_acted` also draws the choice of a move.
        """
        self._autoplay.stop()
        self.say()
        self.view.greet(False)

    def promote(self, moves: Sequence[Any], best: Any = None) -> None:
        """Ask what the pawn becomes; the cursor starts at the best promotion, at ``best`` where none is rated."""
        ratings = {rated.move: (rated.grade, rated.layer) for rated in self.walk.probe.listed_by_depth}
        first_rated = next((move for move in ratings if move in moves), None)  # ratings begin with the best move
        if first_rated is not None:
            # Of equally good promotions the first in `moves`, which begin with the queen.
            best = next(move for move in moves if ratings.get(move) == ratings[first_rated])
        super().promote(moves, best)

    def promotion_outcomes(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
        """The layer that a promotion leads to, and what that means."""
        return words.promoted(self.walk.probe, move)

    def action_leave(self) -> None:
        """Take back the choice of a move, else leave a search, else go back to the board."""
        if not self.board.move_input.is_empty:
            self.say()
        else:
            self.user_acted()
            if self.board.has_focus and self._leave_search():
                return
        self.view.back()

    def action_all_moves(self) -> None:
        """Focus the moves, or the board again."""
        self.user_acted()
        self.view.panel("moves")

    def action_list_previous(self) -> None:
        """Focus the previous positions, or the board again."""
        self.user_acted()
        self.view.panel("before")

    def browsed_result(self) -> FindResult | None:
        """Return the query result that the walk goes through."""
        return self.walk.results

    def walk_for_help(self) -> Walk[Any, Any]:
        """Return the walk."""
        return self.walk

    def shown_position(self) -> tuple[Game[Any, Any], Any] | None:
        """The game and the position on the board."""
        return self.walk.rules, self.walk.position

    def action_copy(self) -> None:
        """Copy the position."""
        self.user_acted()
        self.say(self.view.copy())

    def action_autoplay(self) -> None:
        """Start or stop playing the best moves one after the other."""
        was_running = self._autoplay.stop()
        self.user_acted()
        if was_running:
            self.say(_("autoplay stopped."))
            return
        if self._offer_missing_table():
            return

        self._autoplay.begin(self.host.settings[AUTOPLAY], lambda: bool(self.take_step(self.walk.play_on)))

    # The prompt

    def action_prompt(self) -> None:
        """Ask for a move, a position, a layer or an ending."""
        self.user_acted()
        self.last_row.prompt(":", words.may_be_typed(self.walk.rules), self._open_text)

    def paste(self, text: str) -> None:
        """Open a pasted position, move, layer or ending."""
        self.user_acted()
        self._open_text(text)

    def action_go_to(self) -> None:
        """Ask for a layer or the number of a position."""
        self.user_acted()
        self.last_row.prompt(_("Go to"), _("S12, 12/3, or the number of a position"), self._open_text)

    def action_counter(self) -> None:
        """Ask for the 50-move counter."""
        self.user_acted()
        hint = _("in plies, as in a FEN: 0 to {last_clock}; now {clock}").format(
            last_clock=LAST_CLOCK, clock=self.walk.probe.clock
        )
        self.last_row.prompt(FIFTY_MOVES, hint, lambda text: self._open_text(f"clock {text}"))

    def action_find(self) -> None:
        """Ask for a query."""
        self.user_acted()
        self._ask_query()

    def _open_text(self, text: str) -> None:
        """Do what a typed text says, in the other game if it belongs there."""
        text = self.board.move_input.complete(text)
        other_game = games.foreign_game(text, self.game)
        if other_game is not None:
            self.app.call_later(self.host.open, self.TASK, Request(other_game, text))
            return

        self.say()
        promotions = self.face.ambiguous_moves(self.walk.position, text)
        if promotions:
            self.promote(promotions)
            return
        lacks_capture = self.board.begin_typed(text)  # the user then chooses the stone to take on the board
        if not lacks_capture:
            self.take_step(partial(self.walk.execute, text), opens=True)

    # Other screens

    def receive(self, request: Request) -> None:
        """Open what another screen or the command line requests."""
        is_first = not self._has_opened
        if not is_first and not request.is_explicit:
            return
        self._has_opened = True

        walk = self.walk
        if request.metric is not None and request.metric in walk.metrics:
            walk.choose_metric(request.metric)

        step: Callable[[], object] | None = None
        if request.position is not None:
            step = partial(walk.go, request.position)
        elif request.text and is_first:
            step = partial(walk.begin, request.text)
        elif request.text:
            step = partial(walk.execute, request.text)

        self._has_moved = True
        if step is not None:
            try:
                self.take_step(step, opens=is_first or request.text is not None)
            except EndgameError as problem:
                self.complain(problem)
        if self._has_moved:  # nothing has been drawn: there was no step, or it was not possible
            self.show()

        if is_first and not self.last_row.is_open:  # otherwise the step has already asked
            self._offer_missing_table()

    def handover(self) -> Request:
        """The position, for a screen that shows nothing yet."""
        return Request(self.game, position=self.walk.position, is_explicit=False)

    def action_play_here(self) -> None:
        """Open the position in Play."""
        self.user_acted()
        self.app.call_later(self.host.open, "play", Request(self.game, position=self.walk.position))

    def action_map(self) -> None:
        """Show the map of the piece under the cursor."""
        self.user_acted()
        self._show_map()

    def action_edit(self) -> None:
        """Open the board editor."""
        from endgame_tui.screens.editor import EditorScreen

        self.user_acted()
        self.app.push_screen(EditorScreen(self.walk.position, self.TASK))

    # Building

    def _offer_missing_table(self) -> bool:
        """Ask whether to build the current ending if no table covers the position; return whether that is so."""
        ending = self.walk.ending_to_offer
        if ending is None:
            return False
        self.offer(ending, self.walk.metric)
        return True

    def offer(self, ending: str, metric: Metric, opens: bool = False) -> None:
        """Ask whether to build an ending.

        Args:
            ending: The ending.
            metric: The metric to build it by.
            opens: Whether to go to the ending once it is built.
        """

        def build(keep_requested_only: bool) -> None:
            self.jobs.build([ending], metric, keep_requested_only=keep_requested_only)
            self._pending_build = _PendingBuild(self.game, ending, metric, opens)

        first_metric, *other_metrics = self.walk.metrics
        cost = tables.price(self.lab.library(metric), [ending], self.jobs.workers)
        choices = self.build_choices(cost, build)
        named_metric = None
        if metric != first_metric:
            named_metric = metric
        else:
            built = next((other for other in other_metrics if self.lab.library(other).is_built(ending)), None)
            if built is not None:
                ending_to_open = ending if opens else ""
                show_layers = partial(self.go, self.walk.show_layers_by, built, ending_to_open)
                choices.append(Choice("z", built.upper(), show_layers))
        question = tables.offers([ending], named_metric, cost, self.last_row.room(*choices))
        self.last_row.ask(question, *choices)

    def tables_changed(self) -> None:
        """Look up the values again; open the ending whose build was started here once it is built."""
        for walk in self._walks.values():
            walk.forget()
        walk = self.walk
        pending = self._pending_build
        if pending is None or pending.game != self.game:
            self.show()
            return
        if not self.lab.library(pending.metric).is_built(pending.ending):
            self.show()
            return

        self._pending_build = None
        is_first_metric = pending.metric == walk.metrics[0]
        if is_first_metric and pending.opens:
            self.go(walk.open, pending.ending)
        elif not is_first_metric and walk.ending == pending.ending:
            self.go(walk.show_layers_by, pending.metric)
        else:
            self.show()

    def build_finished(self, event: Ended) -> None:
        """Report a build that succeeded."""
        self.say(event.words, "win")

    def _restored_walk(self) -> Walk[Any, Any]:
        """A walk from the position of the last run; from the first position of the game if that is gone."""
        walk: Walk[Any, Any] = Walk(self.lab, self.game, self.host.rng)
        if self.host.start_text is None:
            stored = self.host.memory.texts("explore", walk.game)
            text, metric_name = [*stored, "", ""][:2]  # nothing is stored before the first run
            with suppress(EndgameError):
                walk.begin(text)
                metric = games.metric_named(metric_name)
                if metric is not None and metric in walk.metrics:
                    walk.choose_metric(metric)
        return walk

    def _show_map(self) -> None:
        """Open the map of the piece under the cursor, or offer to build the table it requires."""
        from endgame_tui.screens.placing import PlacingScreen

        walk = self.walk
        board = self.board

        def on_close(cursor: int | None) -> None:
            """Show where the walk went on the map; None if the map was closed for another request."""
            if cursor is not None:
                self.show()
                board.move_cursor(cursor)

        problem = walk.judge.quick_probe(walk.position).problem
        if isinstance(problem, NotBuiltError):
            self.offer(problem.ending, walk.metrics[0])
        elif problem is not None:
            self.complain(problem)
        else:
            self.app.push_screen(PlacingScreen(walk, board.cursor), on_close)

    def _ask_query(self) -> None:
        """Ask for a query about the ending, search for it and show the first match; Tab completes old queries."""
        walk = self.walk

        def show_progress(message: str) -> None:
            if not self.last_row.is_open:  # keep the error about a query that is being typed
                self.say(message)

        def search_ended(result: FindResult | EndgameError) -> None:
            if isinstance(result, EndgameError):
                self.complain(result)
                return
            if result.count:
                self.take_step(partial(walk.browse, result))
            self.say(walked(result.count, result.query.ending))

        def search(text: str) -> None:
            try:
                query = walk.new_query(text)
            except NotBuiltError as problem:
                missing_metric = walk.metrics[0]
                if self.lab.library(missing_metric).is_built(problem.ending):
                    missing_metric = walk.rules.rule_metric or missing_metric  # the query is about the 50-move rule
                self.offer(problem.ending, missing_metric)
                return
            self.say(looking(_("searching positions"), 0.0))
            self.jobs.find(query, show_progress, search_ended)

        def complete(text: str) -> list[str]:
            return [query for query in walk.queries if query.startswith(text)]

        self.last_row.prompt("/", _("white wins and depth > 20 and only move"), search, complete=complete)

    def _leave_search(self) -> bool:
        """Stop the running search, or leave its result for the layer; return False if there is neither."""
        if self.jobs.stop_search():
            self.say(_("the search was stopped."))
        elif self.walk.results is not None:
            self.walk.leave_results()
            self.show()
            self.say(instruct(_("back in the layer: step through it with {next_position} and {previous_position}.")))
        else:
            return False
        return True
