"""What is shown around a walk: the board and beside it verdict, clocks, layers, moves and positions before; below, why.

It shows a walk and says what was chosen in it; it walks nowhere itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.events import Click, Resize
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from endgame_core.words import position as words
from endgame_core.words.speech import speech_of
from endgame_core.words.told import Note, Word
from endgame_tui.faces import SMALL, Label, View
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.layers import LayersPanel
from endgame_tui.widgets.lines import Lines, headline, moves_line, said
from endgame_tui.widgets.moves import (
    MovesPanel,
    headed,
    in_rows,
    rated_head,
    rated_items,
    slim,
    take_items,
    wrapped,
)
from endgame_tui.widgets.rows import Rows

if TYPE_CHECKING:
    from endgame_core.judge import Clerk
    from endgame_core.tasks.walk import Walk

ROOMY = 50
"""With more columns beside the board, layers are counted in both ways."""

SLIM = 14
"""A column of moves narrower than this shows one move in a row."""


class _Takes(Rows):
    """The stones to choose from; a click takes one."""

    def on_click(self, event: Click) -> None:
        """Takes the stone that the list points at then."""
        del event
        self.call_next(self.action_choose)


class WalkView(Vertical):
    """Everything on the Explore screen between its first row and its last ones.

    Args:
        board: The board.
        id: DOM id.
    """

    @dataclass
    class Chosen(Message):
        """A place to go to was chosen: the step of the walk that leads there, and what it takes."""

        step: str
        args: tuple[Any, ...]

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board
        self.fold = ""
        """The panel that covers the board on small screens: ``moves``, ``before`` or none."""
        self._walk: Walk[Any, Any] | None = None
        self._clerk: Clerk[Any, Any] | None = None
        self._verdict, self._clocks = Lines(id="verdict"), Lines(id="clocks")
        self._takes = _Takes("Take", id="takes", steady=True)
        self._layers = LayersPanel(id="layers")
        self._moves = MovesPanel("Moves", id="moves", shape=headed)
        self._rated = Rows("Moves", id="rated")
        self._before = MovesPanel("Before", id="before", shape=wrapped, steady=False)
        self._reason, self._line, self._fen = Lines(id="reason"), Lines(id="line"), Lines(id="fen")

    def compose(self) -> ComposeResult:
        """The board, the panels, the words below."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield self._verdict
                yield self._clocks
                yield self._takes
                with Container(id="lists"):
                    yield self._layers
                    yield self._moves
                    yield self._rated
                    yield self._before
                yield Lines(id="marks")
        yield self._reason
        yield self._line
        yield self._fen

    def on_mount(self) -> None:
        """Draws the legend of the marks on a board of stones."""
        glyphs = self.board.look.glyphs
        moved = "◎" if glyphs.unicode else "{O}"
        row = ("×", "loss", " may be taken  "), (glyphs.bar, "amber", " mill  "), (moved, "amber", " moved  ")
        signs = [Word(text, "dim") if text[0] == " " else Word(text, role, True) for sign, role, meaning in row
                 for text in (sign, meaning)]  # fmt: skip
        signs += [Word("( )", "amber"), Word(" from", "dim")]
        self.query_one("#marks", Lines).show((Note((Word("Marks", bold=True),)), Note(tuple(signs))))

    # What is shown

    def show(self, walk: Walk[Any, Any], clerk: Clerk[Any, Any], anew: bool) -> None:
        """Shows the place a walk has come to, as far as it is known.

        Args:
            walk: The walk.
            clerk: Knows the best line by DTZ.
            anew: Whether it has come there just now, so that no move is chosen yet.
        """
        other, self._walk, self._clerk = walk is not self._walk, walk, clerk
        known, first = walk.known, 0 if anew else None
        legal = [rated.move for rated in known.by_depth] or walk.rules.moves(walk.position)
        told = known.by_dtz if walk.metric != walk.metrics[0] else known.by_depth
        rated = [(move.move, Label(*words.label(move, walk.metric != walk.metrics[0]))) for move in told]
        named = tuple(dict.fromkeys(p for move in known.by_depth for p in getattr(move.move, "taken", ())))
        view = View(cursor=0, last=walk.step.move, rated=rated, show_all=True, named=named)
        self.board.show(walk.position, () if known.over else legal, view)
        listed = words.moves(walk)
        self._layers.show(words.layers(walk))
        self._moves.show(listed.groups, *filter(None, [listed.notice]), cursor=first)
        head = rated_head(self._rated.size.width) if listed.rows else Note()
        notice = [] if listed.rows or not listed.notice else [_notice(listed.notice)]
        self._rated.show(rated_items(listed.rows) if listed.rows else notice, head=head, cursor=first)
        groups, why_not = words.before(walk)
        self._before.show(groups, *filter(None, [why_not]), cursor=first)
        self._show_by_clock(walk.by_clock)
        if other:
            self._fit()
        self._show_words()
        self.show_choice()

    def _show_by_clock(self, by_clock: bool) -> None:
        """Of the two panels of moves, shows the one that tells them; the focus stays with them."""
        if self.has_class("-by-clock") is not by_clock:
            inside = self.moves.has_focus
            self.set_class(by_clock, "-by-clock")
            if inside:
                self.call_after_refresh(self.moves.focus)

    def _show_words(self) -> None:
        """Shows verdict and clocks, and what stands below the board."""
        walk, clerk, glyphs = self._walk, self._clerk, self.board.look.glyphs
        if walk is None or clerk is None:
            return
        known, rules = walk.known, walk.rules
        hand = self.board.hand
        metric = walk.metric if len(walk.metrics) > 1 else ""
        key = "z" if walk.ending else ""
        text, label = rules.format(walk.position), speech_of(walk.game).position
        self._verdict.show(lambda size: headline(words.headline(known, rules, hand.is_taking), size, glyphs))
        self._clocks.show(lambda size: () if known.clock is None else (words.clocks(known, metric, key, size.width),))
        by_clock = clerk.line(walk.position)
        self._line.show(lambda size: moves_line(words.line(walk, _most(size), by_clock), size, glyphs))
        self._fen.show(lambda size: (_fen_row(text, label, size.width),))
        self.show_reason()

    def header(self) -> tuple[tuple[str, ...], tuple[str, str]]:
        """Where we are, for the first row; and for its right end the result, with its role."""
        if (walk := self._walk) is None:
            return (), ("", "text")
        told, glyphs = words.headline(walk.known, walk.rules), self.board.look.glyphs
        path = words.crumbs_with_clock(walk) if self.has_class("-small") else words.crumbs(walk)
        if begun := self.board.hand.words:
            path = (*path[:3], f"after {begun}")
        side, result = glyphs.white if told.white else glyphs.black, told.result.partition(",")[0].partition(" ·")[0]
        return path, (f"{side} {result}", told.role)

    def show_reason(self) -> None:
        """Shows the sentence: of the chosen move while the moves have the focus, else of the position."""
        if (walk := self._walk) is not None:
            glyphs, chosen = self.board.look.glyphs, self.chosen
            self._reason.show(lambda size: (said(words.reason(walk, chosen, size.width >= 100), size.width, glyphs),))

    def show_choice(self) -> None:
        """Shows what may be taken, where a move leaves only that open."""
        if (walk := self._walk) is None:
            return
        if self.has_class("-taking") is not self.board.hand.is_taking:
            self._verdict.redraw()
        board, taking = self.board, self.board.hand.is_taking
        self.set_class(taking, "-taking")
        if taking:
            begun = board.hand.words
            takes = words.takes(walk.known, begun, board.hand.takeable(board.moves))
            head = Note((), (Word(begun.partition("x")[0], "faint"),))
            self._takes.show(take_items(takes), cursor=board.cursor, head=head)
            self._takes.styles.height = len(takes) + 1
        elif self._takes.has_focus:
            self.board.focus()

    # What is chosen

    @property
    def moves(self) -> Widget:
        """The panel of moves that is shown."""
        return self._rated if self.has_class("-by-clock") else self._moves

    @property
    def chosen(self) -> int | None:
        """The number of the move under the cursor, while the moves have the focus."""
        if self._rated.has_focus:
            return cast("int | None", self._rated.cursor)
        return self._moves.cursor if self._moves.has_focus else None

    def home(self) -> Widget:
        """The board has the focus unless a panel covers it."""
        return {"moves": self.moves, "before": self._before}.get(self.fold, self.board)

    def panel(self, name: str) -> None:
        """Goes to a panel, or from it back to the board; on small screens the panel covers the board meanwhile."""
        panel = self.moves if name == "moves" else self._before
        if self.has_class("-small"):
            self.fold = "" if self.fold == name else name
            self._fit()
            self.call_after_refresh(lambda: self.home().focus())
        elif panel.has_focus:
            self.board.focus()
        else:
            panel.focus()

    def back(self) -> None:
        """Takes back a choice, closes a panel, goes back to the board."""
        if self.board.unpick():
            return
        if self.fold:
            self.panel(self.fold)
        else:
            self.board.focus()

    def copy(self) -> str:
        """Copies the position to the terminal's clipboard; tells so in a sentence."""
        if (walk := self._walk) is None:
            return ""
        self.app.copy_to_clipboard(walk.rules.format(walk.position))
        return f"copied the {speech_of(walk.game).position}."

    @on(LayersPanel.Chosen)
    def _layer_chosen(self, event: LayersPanel.Chosen) -> None:
        event.stop()
        self.post_message(self.Chosen("to_row", (event.row,)))

    @on(MovesPanel.Chosen)
    def _move_chosen(self, event: MovesPanel.Chosen) -> None:
        event.stop()
        self.post_message(self.Chosen("to_previous" if event.panel is self._before else "play_listed", (event.number,)))

    @on(Rows.Chosen, "#rated")
    def _rated_chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        self.post_message(self.Chosen("play_listed", (event.key,)))

    @on(MovesPanel.Pointed)
    @on(Rows.Pointed, "#rated")
    def _move_pointed(self) -> None:
        self.show_reason()

    @on(Rows.Pointed, "#takes")
    def _take_pointed(self, event: Rows.Pointed) -> None:
        event.stop()
        if event.key != self.board.cursor and isinstance(event.key, int):
            self.board.call_later(self.board.point_at, event.key)  # so that its messages are its own

    @on(Rows.Chosen, "#takes")
    def _take_chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        if isinstance(event.key, int):
            self.board.call_later(self.board.choose, event.key)

    @on(Lines.Clicked, "#fen")
    def _fen_clicked(self, event: Lines.Clicked) -> None:
        event.stop()
        self.post_message(self.Chosen("copy", ()))

    def on_descendant_focus(self) -> None:
        """A panel was entered: the sentence is of what is chosen there."""
        self.show_reason()

    # Where everything stands

    def on_resize(self, _event: Resize) -> None:
        """Fits the panels to the size."""
        self._fit()

    def _fit(self) -> None:
        """Folds the panels away where there is no room for them, and gives the moves the shape that fits."""
        small = self.screen.size.width < SMALL
        self.fold = self.fold if small else ""
        beside = self.screen.size.width - self.board.get_content_width(self.size, self.size) - 1
        slender = small and not self.fold and beside < SLIM
        self.set_class(beside > ROOMY, "-roomy")
        self.set_class(small, "-small")
        self.set_class(slender, "-slender")
        for name in ("moves", "before"):
            self.set_class(self.fold == name, f"-fold-{name}")
        stacked = self.screen.has_class("-morris")
        self._moves.reshape(slim if slender else in_rows if stacked else headed)
        self._layers.stretched = stacked
        lists = self.query_one("#lists")
        if lists.children and (lists.children[0] is self._layers) is stacked:
            if stacked:
                lists.move_child(self._layers, after=self._rated)
            else:
                lists.move_child(self._layers, before=self._moves)
        self.query_one("#main").styles.min_height = self.board.get_content_height(self.size, self.size, 0)


def _notice(text: str) -> Any:
    from endgame_tui.widgets.rows import Item

    return Item((Word(text, "dim"),))


def _most(size: Size) -> int:
    """Plies of the best line that there may be room for."""
    return 2 * max((size.width - 7) * size.height // 10, 2)


def _fen_row(text: str, label: str, width: int) -> Note:
    """The position as text, and the key that copies it."""
    shown, hint = f"{label}  {text}", f"c copy {label}" if width >= 100 else "c copy"
    fits = 1 + len(shown) + len(hint) + 2 < width
    return Note((Word(shown, "faint", at=1), *((Word(hint, "faint", end=-1),) if fits else ())))
