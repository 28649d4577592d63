"""What Explore and Play show alike: a board and beside it the moves, what may be taken, why; panels that fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import on
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.words.position import MoveGroup, RatedRow
from endgame_core.words.text_model import Headline, LineText, Message, TextRow, TextSpan
from endgame_tui.faces import SMALL
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.lines import Lines, Notes, headline, moves_line, said
from endgame_tui.widgets.moves import MovesPanel, headed, shortened
from endgame_tui.widgets.rows import Picker, RowItem, Rows

SLIM = 14
"""A column of moves narrower than this shows one move in a row, and has no room for a headline."""


_DTM, _DTZ, _MARK = 12, 16, 17
"""Right ends of the numbers, and where the mark begins."""

ZEROING = "z"
"""Marks a move that sets the clock to 0."""

Takes = Sequence[tuple[int, str, MoveGroup]]
"""Stones that may be taken: point, name, what taking it leads to."""


class _Takes(Rows):
    """The stones to choose from; a click takes one."""

    def on_click(self, event: Click) -> None:
        """Takes the stone that the list points at then."""
        self.call_next(self.action_choose)


class BoardView(Vertical):
    """Everything on a screen with a board between its first row and its last ones.

    It shows what it is given; what is chosen in it, the screen does.

    Args:
        board: The board.
        id: DOM id.
    """

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board
        self.fold = ""
        """The panel that covers the board of a small screen: ``moves``, ``before`` or none."""
        self.by_depth = MovesPanel("Moves", id="moves", shape=headed)
        self.rated = Rows("Moves", id="rated")
        self.takes = _Takes("Take", id="takes", steady=True)

    # What is shown

    def put(self, name: str, notes: Notes) -> None:
        """Shows other words."""
        self.query_one(f"#{name}", Lines).show(notes)

    def put_headline(self, told: Headline) -> None:
        """Who is to move, and the verdict."""
        self.put("verdict", lambda size: headline(told, size, self.board.look.glyphs))

    def put_said(self, name: str, told: Callable[[int], Message]) -> None:
        """A heading and a sentence, told for its width."""
        self.put(name, lambda size: said(told(size.width), size, self.board.look.glyphs))

    def put_line(self, told: Callable[[int], LineText], letters: int) -> None:
        """A line of moves, told for as many plies as there may be room for when one takes so many letters."""
        self.put("line", lambda size: self.line_in(size, told, letters))

    def line_in(self, size: Size, told: Callable[[int], LineText], letters: int) -> list[TextRow]:
        """Such a line in the rows there are."""
        plies = 2 * max((size.width - 7) * size.height // letters, 2)
        return moves_line(told(plies), size, self.board.look.glyphs)

    def show_rated(self, rows: Sequence[RatedRow], cursor: int | None = None) -> None:
        """The moves by DTZ: move, zeroing mark, DTM, DTZ, category; where there is little room, the move alone."""

        def head(size: Size) -> TextRow:
            return (
                TextRow()
                if size.width < _DTM
                else TextRow((TextSpan("DTM", "dim", end=_DTM), TextSpan("DTZ", "dim", end=_DTZ)))
            )

        def made(size: Size) -> list[RowItem]:
            return [RowItem(_rated(row, size.width), key=number) for number, row in enumerate(rows)]

        self.rated.show(made, head=head, cursor=cursor)

    def show_takes(self, told: Callable[[str, Sequence[int]], Takes]) -> bool:
        """Shows what may be taken, where a move leaves only that open; tells whether that has changed.

        Args:
            told: Tells of the move so far and of points what taking from each leads to.
        """
        board, taking = self.board, self.board.hand.is_taking
        other = self.has_class("-taking") is not taking
        self.set_class(taking, "-taking")
        if taking:
            begun = board.hand.words
            result = told(begun, board.hand.takeable(board.moves))
            head = TextRow((), (TextSpan(begun, "faint"),))

            def made(size: Size) -> list[RowItem]:
                return [RowItem(_taken(name, worth, size.width), key=point) for point, name, worth in result]

            self.takes.show(made, cursor=board.cursor, head=head)
            self.takes.styles.height = len(result) + 1
        elif self.takes.has_focus:
            board.focus()
        return other

    # Where the keys go

    @property
    def moves(self) -> MovesPanel | Rows:
        """The panel of moves that is shown."""
        return self.rated if self.has_class("-by-clock") else self.by_depth

    def named(self, name: str) -> Widget:
        """The panel that a key leads to."""
        return self.moves if name == "moves" else self.query_one(f"#{name}")

    def home(self) -> Widget:
        """The board has the focus unless a panel covers it."""
        return self.named(self.fold) if self.fold else self.board

    def panel(self, name: str) -> None:
        """Goes to a panel, or from it back to the board; on small screens the panel covers the board meanwhile."""
        panel = self.named(name)
        if self.has_class("-small"):
            self.fold = "" if self.fold == name else name
            self.fit()
            self.call_after_refresh(lambda: self.home().focus())
        elif panel.has_focus:
            self.board.focus()
        elif panel.display:
            self.spread(panel is self.moves and not self.moves.shows_all)
            panel.focus()

    def back(self) -> None:
        """Takes back the last choice of a move, closes a panel, goes back to where the keys belong."""
        if self.board.unpick():
            return
        if self.fold:
            self.panel(self.fold)
        else:
            self.home().focus()

    @on(Picker.Pointed, "#takes")
    def _take_pointed(self, event: Picker.Pointed) -> None:
        event.stop()
        if event.key != self.board.cursor and isinstance(event.key, int):
            self.board.call_later(self.board.point_at, event.key)  # so that its messages are its own

    @on(Picker.Chosen, "#takes")
    def _take_chosen(self, event: Picker.Chosen) -> None:
        event.stop()
        self.board.call_later(self.board.choose, event.key)

    def fit_below(self, free: int, most: int) -> int:
        """Gives the words below the board the rows that are free, and tells how many."""
        rows = min(max(free, 1 + (not self.has_class("-small"))), most)
        self.query_one("#below").styles.height = rows
        return rows

    def on_descendant_blur(self) -> None:
        """A panel was left."""
        if self.screen.focused is not self.moves:
            self.spread(False)

    def spread(self, spread: bool) -> None:
        """Gives the moves the room of the panels around them, while one looks at all of them."""
        if spread is not self.has_class("-spread"):
            self.set_class(spread, "-spread")
            self.fit()

    def on_resize(self, _event: Resize) -> None:
        """Fits the panels to the size."""
        self.fit()

    def fit(self) -> None:
        """Folds the panels away where there is no room for them."""
        width = self.screen.size.width
        small = width < SMALL
        self.fold = self.fold if small else ""
        self.set_class(small, "-small")
        self.set_class(small and not self.fold and self.beside < SLIM, "-slender")
        for name in ("moves", "before"):
            self.set_class(self.fold == name, f"-fold-{name}")

    @property
    def beside(self) -> int:
        """Columns beside the board."""
        return (self.size.width or self.screen.size.width) - self.board.get_content_width(self.size, self.size) - 1


def _rated(row: RatedRow, width: int) -> tuple[TextSpan, ...]:
    role = "text" if row.best else "dim"
    if width < _DTM:
        return (TextSpan(shortened(row.san, width - 1), row.kind.role, row.best),)
    mark = row.kind.sign
    if width >= _MARK + 3 + len(mark) + len(row.kind.words):
        mark = f"{mark:<2} {row.kind.words}"
    zeroing = (TextSpan(ZEROING, "text", True, at=8),) if row.zeroing else ()
    numbers = TextSpan(row.dtm, role, end=_DTM), TextSpan(row.dtz, role, end=_DTZ)
    return (TextSpan(row.san, role, row.best), *zeroing, *numbers, TextSpan(mark, row.kind.role, True, at=_MARK))


def _taken(name: str, worth: MoveGroup, width: int) -> tuple[TextSpan, ...]:
    """A stone that may be taken, and where there is room what that leads to."""
    stone = TextSpan(f"×{name}", "text", worth.best)
    if width < _DTM:
        return (stone,)
    layer = TextSpan(worth.title, worth.role, worth.best, at=6)
    return (stone, layer, TextSpan(worth.note_within(width - 11), worth.role if worth.best else "dim", at=11))
