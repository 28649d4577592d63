"""The part of Explore and Play that is the same: a board with the moves beside it, text below, panels that fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.language import _
from endgame_core.words.position import MoveGroup, RatedRow
from endgame_core.words.text_model import Headline, LineText, Message, TextRow, TextSpan
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.lines import Lines, Notes, headline_rows, line_rows, message_rows
from endgame_tui.widgets.moves import MovesPanel, headed_shape, shorten_move
from endgame_tui.widgets.rows import Picker, RowItem, Rows
from endgame_tui.widths import PANELS_MIN_WIDTH

SLIM_WIDTH = 14
"""A column of moves narrower than this shows one move in a row, and has no room for a headline."""

_DTM_END = 12
"""The column where DTM ends; narrower panels show the moves only."""

_DTZ_END = 16
"""The column where DTZ ends."""

_MARK_COLUMN = 17
"""The column where the mark of the category starts."""

ZEROING_MARK = "z"
"""Marks a move that sets the 50-move counter to 0."""

TakeableStones = Sequence[tuple[int, str, MoveGroup]]
"""Stones that a move may take: the point, its name, and the group of the move that takes it."""


class _TakeList(Rows):
    """The stones to choose from; a click takes one."""

    def on_click(self, event: Click) -> None:
        """Take the stone under the mouse: Rows moves the cursor there first."""
        self.call_next(self.action_choose)


class BoardView(Vertical):
    """The part of a screen between its first row and its last ones, with a board.

    It shows what it is given; the screen acts on what the user chooses in it.

    Args:
        board: The board.
        id: DOM id.
    """

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board
        self.fold = ""
        """The panel that covers the board of a small screen: ``moves``, ``before``, or empty for none."""
        self.by_depth = MovesPanel(_("Moves"), id="moves", shape=headed_shape)
        self.rated = Rows(_("Moves"), id="rated")
        self.takes = _TakeList(_("Take"), id="takes", steady=True)

    # Content

    def show_rows(self, name: str, notes: Notes) -> None:
        """Show other text in the ``Lines`` with an id."""
        self.query_one(f"#{name}", Lines).show(notes)

    def show_headline(self, headline: Headline) -> None:
        """Show the side to move and the verdict."""
        self.show_rows("verdict", lambda size: headline_rows(headline, size, self.board.look.glyphs))

    def show_message(self, name: str, message_for: Callable[[int], Message]) -> None:
        """Show a heading and a sentence; ``message_for`` returns them for a width."""
        self.show_rows(name, lambda size: message_rows(message_for(size.width), size, self.board.look.glyphs))

    def show_line(self, line_for: Callable[[int], LineText], letters: int) -> None:
        """Show a line of moves.

        Args:
            line_for: Returns the line with at most a number of plies.
            letters: Columns that a pair of moves takes, from which the number of plies is estimated.
        """
        self.show_rows("line", lambda size: self.line_rows(size, line_for, letters))

    def line_rows(self, size: Size, line_for: Callable[[int], LineText], letters: int) -> list[TextRow]:
        """The rows of a line of moves within a size; see :meth:`show_line`."""
        plies = 2 * max((size.width - 7) * size.height // letters, 2)
        return line_rows(line_for(plies), size, self.board.look.glyphs)

    def show_rated(self, rows: Sequence[RatedRow], cursor: int | None = None) -> None:
        """Show the moves by DTZ: move, zeroing mark, DTM, DTZ, category; in a narrow panel the moves only."""

        def head(size: Size) -> TextRow:
            if size.width < _DTM_END:
                return TextRow()
            return TextRow((TextSpan("DTM", "dim", end=_DTM_END), TextSpan("DTZ", "dim", end=_DTZ_END)))

        def items(size: Size) -> list[RowItem]:
            return [RowItem(_rated_spans(row, size.width), key=number) for number, row in enumerate(rows)]

        self.rated.show(items, head=head, cursor=cursor)

    def show_takes(self, stones_for: Callable[[str, Sequence[int]], TakeableStones]) -> bool:
        """Show the stones to choose from if the move lacks only the stone to take.

        Args:
            stones_for: Returns the stones for the move so far and the points of the takeable ones.

        Returns:
            Whether the list has appeared or disappeared.
        """
        board = self.board
        is_taking = board.move_input.is_taking
        is_change = self.has_class("-taking") is not is_taking
        self.set_class(is_taking, "-taking")
        if is_taking:
            move_so_far = board.move_input.notation
            stones = stones_for(move_so_far, board.move_input.takeable_points(board.moves))
            head = TextRow((), (TextSpan(move_so_far, "faint"),))

            def items(size: Size) -> list[RowItem]:
                return [RowItem(_take_spans(name, group, size.width), key=point) for point, name, group in stones]

            # The list and the board share the cursor: keys on either of them move it.
            self.takes.show(items, cursor=board.cursor, head=head)
            self.takes.styles.height = len(stones) + 1
        # The list is about to disappear, and the focus with it.
        elif self.takes.has_focus:
            board.focus()
        return is_change

    # Focus

    @property
    def moves(self) -> MovesPanel | Rows:
        """The panel of moves that is shown."""
        if self.has_class("-by-dtz"):
            return self.rated
        return self.by_depth

    def panel_named(self, name: str) -> Widget:
        """The panel to which a key leads."""
        if name == "moves":
            return self.moves
        return self.query_one(f"#{name}")

    def home(self) -> Widget:
        """The widget that has the focus by default: the board, or the panel that covers it."""
        if self.fold:
            return self.panel_named(self.fold)
        return self.board

    def panel(self, name: str) -> None:
        """Focus a panel or, from it, the board again; on small screens the panel covers the board meanwhile."""
        panel = self.panel_named(name)
        if self.has_class("-small"):
            self.fold = "" if self.fold == name else name
            self.fit()
            # Only after the layout is the panel, or the board, visible and able to take the focus.
            self.call_after_refresh(lambda: self.home().focus())
        elif panel.has_focus:
            self.board.focus()
        elif self.has_class("-spread") and panel is not self.moves:
            self.spread(False)  # the spread moves hide the other panels until the next layout
            self.call_after_refresh(self.panel, name)
        elif panel.display:
            # Moves that do not fit take the room of the other panels while they have the focus.
            self.spread(panel is self.moves and not self.moves.shows_all)
            panel.focus()

    def back(self) -> None:
        """Take back the last choice of a move, else close a panel, else focus the default widget."""
        if self.board.unpick():
            return
        if self.fold:
            self.panel(self.fold)
        else:
            self.home().focus()

    @on(Picker.Pointed, "#takes")
    def _on_take_pointed(self, event: Picker.Pointed) -> None:
        event.stop()
        if event.key != self.board.cursor and isinstance(event.key, int):
            # Called in the board's own task, so that the messages it posts are its own.
            self.board.call_later(self.board.move_cursor, event.key)

    @on(Picker.Chosen, "#takes")
    def _on_take_chosen(self, event: Picker.Chosen) -> None:
        event.stop()
        self.board.call_later(self.board.choose, event.key)

    # Layout

    def fit_below(self, free: int, max_rows: int) -> int:
        """Give the text below the board the free rows, at most ``max_rows``; return how many it has."""
        least = 1 if self.has_class("-small") else 2
        rows = min(max(free, least), max_rows)
        self.query_one("#below").styles.height = rows
        return rows

    def on_descendant_blur(self) -> None:
        """Give the moves their usual room again when they lose the focus."""
        # This is called for every widget inside that loses the focus, also when the moves have just received it.
        if self.screen.focused is not self.moves:
            self.spread(False)

    def spread(self, spread: bool) -> None:
        """Let the moves take the room of the panels around them, or give it back."""
        if spread is not self.has_class("-spread"):
            self.set_class(spread, "-spread")
            self.fit()

    def on_resize(self, _event: Resize) -> None:
        """Fit the panels to the size."""
        self.fit()

    def fit(self) -> None:
        """Fold the panels on small screens."""
        is_small = self.screen.size.width < PANELS_MIN_WIDTH
        # A fold exists only where the panels have no room beside the board.
        if not is_small:
            self.fold = ""
        self.set_class(is_small, "-small")
        self.set_class(is_small and not self.fold and self.columns_beside < SLIM_WIDTH, "-slender")
        for name in ("moves", "before"):
            self.set_class(self.fold == name, f"-fold-{name}")

    @property
    def columns_beside(self) -> int:
        """Columns beside the board."""
        # Before the first layout the view has no size.
        width = self.size.width or self.screen.size.width
        return width - self.board.get_content_width(self.size, self.size) - 1


def _rated_spans(row: RatedRow, width: int) -> tuple[TextSpan, ...]:
    """A move with its DTM, DTZ and category, as far as there is room."""
    # No room for numbers: the colour of the move shows its category.
    if width < _DTM_END:
        return (TextSpan(shorten_move(row.san, width - 1), row.kind.role, row.best),)
    role = "text" if row.best else "dim"
    mark = row.kind.sign
    if width >= _MARK_COLUMN + 3 + len(mark) + len(row.kind.words):
        mark = f"{mark:<2} {row.kind.words}"
    zeroing = ()
    if row.zeroing:
        zeroing = (TextSpan(ZEROING_MARK, "text", True, at=8),)
    return (
        TextSpan(row.san, role, row.best),
        *zeroing,
        TextSpan(row.dtm, role, end=_DTM_END),
        TextSpan(row.dtz, role, end=_DTZ_END),
        TextSpan(mark, row.kind.role, True, at=_MARK_COLUMN),
    )


def _take_spans(name: str, group: MoveGroup, width: int) -> tuple[TextSpan, ...]:
    """A stone that the move may take and, if there is room, the layer to which that leads."""
    stone = TextSpan(f"×{name}", "text", group.best)
    if width < _DTM_END:
        return (stone,)
    layer = TextSpan(group.title, group.role, group.best, at=6)
    note_role = group.role if group.best else "dim"
    note = TextSpan(group.note_within(width - 11), note_role, at=11)
    return stone, layer, note
