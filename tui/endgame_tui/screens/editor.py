"""The board editor: men are put on squares by letter, from a palette, or moved by hand."""

from __future__ import annotations

from typing import ClassVar

import chess
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size

from endgame_core.chess.editor import MEN, Edit
from endgame_core.chess.notation import plain_name
from endgame_core.errors import EndgameError
from endgame_tui import scenes
from endgame_tui.screens.board_plan import SMALL, frame, largest, panels_left, small
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.walk import Facts
from endgame_tui.widgets.board import Board, BoardView
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.palette_men import MenPalette, PaletteView
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice, Question
from endgame_tui.widgets.words import FenRow


def _name(man: chess.Piece) -> str:
    """A man in words."""
    return f"{'White' if man.color else 'Black'} {chess.piece_name(man.piece_type)}"


WIDE_KEYS = (
    ("KQRBNP kqrbnp", "put a man"), ("Del", "remove"), ("t", "side to move"), ("e", "en passant"), ("u", "undo"),
    ("s", "done, send it"), ("Esc", "leave"),
)  # fmt: skip
KEYS = (
    ("K k Q q", "put"),
    ("Del", "remove"),
    ("t", "side"),
    ("e", "e.p."),
    ("u", "undo"),
    ("s", "done"),
    ("Esc", "leave"),
)
SMALL_KEYS = (("t", "side"), ("s", "done"), ("Esc", "leave"))
_PALETTE_KEYS = (
    ("[ ]", "choose a man"), ("Enter", "put it, or move by hand"), ("t", "side to move"), ("e", "en passant"),
    ("C", "clear but the kings"), ("X", "exchange the colours"), ("u U", "undo, redo"), (":", "type a FEN"),
)  # fmt: skip


class EditBoard(Board, inherit_bindings=False):
    """A board whose letters are free for the men."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "point(0,-1)", "Cursor up", show=False, id="edit.up"),
        Binding("down", "point(0,1)", "Cursor down", show=False, id="edit.down"),
        Binding("left", "point(-1,0)", "Cursor left", show=False, id="edit.left"),
        Binding("right", "point(1,0)", "Cursor right", show=False, id="edit.right"),
        Binding("enter,space", "choose", "Put the man, or move it", show=False, id="edit.choose"),
    ]


class EditorScreen(ModeScreen):
    """Sets up a position and sends it to Play or Explore.

    Args:
        position: To begin with.
        mode: The screen it was opened from.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(man.symbol(), f"put({number})", _name(man), show=False, id=f"editor.{man.symbol()}")
            for number, man in enumerate(MEN)
        ),
        Binding("delete,backspace,full_stop", "remove", "Remove a man", show=False, id="editor.remove"),
        Binding("left_square_bracket", "choose(-1)", "The man before", show=False, id="editor.before"),
        Binding("right_square_bracket,tab", "choose(1)", "The man after", show=False, id="editor.after"),
        Binding("t", "turn", "The other side to move", show=False, id="editor.turn"),
        Binding("e", "passed", "En passant", show=False, id="editor.passed"),
        Binding("C", "clear", "Clear but the kings", show=False, id="editor.clear"),
        Binding("X", "exchange", "Exchange the colours", show=False, id="editor.exchange"),
        Binding("u", "undo", "Undo", show=False, id="editor.undo"),
        Binding("U", "redo", "Redo", show=False, id="editor.redo"),
        Binding("f", "flip", "Turn the board", show=False, id="editor.flip"),
        Binding("c", "copy", "Copy the FEN", show=False, id="editor.copy"),
        Binding("colon", "type", "Type a FEN", show=False, priority=True, id="editor.type"),
        Binding("s", "send", "Done: to Play or Explore", show=False, priority=True, id="editor.send"),
        Binding("escape", "leave", "Leave without it", show=False, id="editor.leave"),
    ]

    def __init__(self, position: chess.Board, mode: str = "play") -> None:
        super().__init__()
        self._mode = mode
        self.edit = Edit.of(position)
        self._past: list[Edit] = []
        self._future: list[Edit] = []
        self._chosen: int | None = None
        self._cursor: int = chess.E4
        self._held: int | None = None
        self._flipped = False

    def compose(self) -> ComposeResult:
        """Board and palette in the frame."""
        yield TopBar(self._mode, id="top")
        yield EditBoard(id="board")
        yield MenPalette(id="palette")
        yield FenRow(id="fen")
        yield JobStrip(id="strip")
        yield KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Begins with the position that was handed over."""
        self.query_one(TopBar).crumbs = ("Board editor",)
        self.fit()
        self.show()
        self.focus_home()

    def focus_home(self) -> None:
        """The board has the focus."""
        self.set_focus(self.query_one(Board))

    # Where everything stands

    def _half(self) -> bool:
        look = self.look
        return look.palette.coloured and look.glyphs.unicode

    def regions(self, size: Size) -> dict[str, Region]:
        """Board left, palette right; on small screens the palette goes."""
        width, height = size
        if width < SMALL:
            regions = dict(small(width, height, self._half() and height > 21, self.has_strip).regions)
            regions.pop("moves", None)
            if "reason" in regions:
                regions["fen"] = regions.pop("reason")
            return self.bottom(regions)
        cells = largest(width, height, self._half(), self._half())
        top = 2 if height >= 30 else 1
        regions, bottom = frame(width, height, self.has_strip)
        regions["board"] = Region(0, top, 3 + 8 * cells.width, min(cells.rows + 1, bottom - top))
        left = panels_left(width, cells)
        if bottom - regions["board"].bottom > 1:
            bottom -= 1
            regions["fen"] = Region(0, bottom, width, 1)
        regions["palette"] = Region(left, top, width - 1 - left, bottom - top - 1)
        return self.bottom(regions)

    def fit(self) -> None:
        """Gives the board cells of the right size."""
        width, height = self.size
        if width < SMALL:
            made = small(width, height, self._half() and height > 21, self.has_strip)
            self.query_one(Board).resize_cells(made.cells, made.margin)
        else:
            self.query_one(Board).resize_cells(largest(width, height, self._half(), self._half()), 3)

    # What is shown

    def show(self) -> None:
        """Shows the position, and whether it can occur."""
        edit = self.edit
        board = edit.board()
        self.query_one(Board).view = BoardView(
            scenes.men(board), self._cursor, self._held, flipped=self._flipped
        )  # fmt: skip
        passed = "none" if edit.passed is None else chess.square_name(edit.passed)
        if edit.passed is None and edit.passable():
            passed = "none, e sets it"
        facts = (
            ("to move", "White" if edit.white else "Black"),
            ("en passant", passed),
            ("men", str(len(edit.men))),
        )
        verdict = self._verdict()
        self.query_one(MenPalette).view = PaletteView(self._chosen, facts, verdict, _PALETTE_KEYS)
        self.query_one(FenRow).fen = board.fen()
        self.query_one(TopBar).right = ("", "text") if not edit.problem else ("not legal", "loss")

    def _verdict(self) -> tuple[str, str]:
        """Why the position cannot occur, or what the tables say of it."""
        edit = self.edit
        if edit.problem:
            return edit.problem[0].upper() + edit.problem[1:], "loss"
        facts = Facts(self.session.explorer, edit.finished(), placed=False)
        name = plain_name(edit.board())
        if facts.problem is not None or facts.verdict is None:
            return f"{name}: no table knows it, the search can play it.", "text"
        words, role = facts.result
        side = "White" if edit.white else "Black"
        return f"{name}, {side} to move: {words}.", role

    def _change(self, edit: Edit) -> None:
        self.hush()
        if edit != self.edit:
            self._past.append(self.edit)
            self._future.clear()
            self.edit = edit
        self.show()

    # Keys

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        self._cursor = event.square
        self.hush()
        self.show()

    @on(Board.Chosen)
    def _square_chosen(self, event: Board.Chosen) -> None:
        """Puts the chosen man; the hand picks up and drops."""
        self._cursor = event.square
        if self._chosen is not None:
            man = MEN[self._chosen]
            self._change(self.edit.put(event.square, None if self.edit.men.get(event.square) == man else man))
        elif self._held is None:
            self._held = event.square if event.square in self.edit.men else None
            self.show()
        else:
            source, self._held = self._held, None
            self._change(self.edit.move(source, event.square))

    @on(MenPalette.Chosen)
    def _man_chosen(self, event: MenPalette.Chosen) -> None:
        self._chosen, self._held = event.man, None
        self.show()

    def action_put(self, number: int) -> None:
        """Puts a man on the square of the cursor."""
        self._held = None
        self._change(self.edit.put(self._cursor, MEN[number]))

    def action_remove(self) -> None:
        """Removes the man under the cursor."""
        self._held = None
        self._change(self.edit.put(self._cursor, None))

    def action_choose(self, by: int) -> None:
        """Chooses the next man of the palette, the hand among them."""
        order: list[int | None] = [None, *range(len(MEN))]
        self._chosen, self._held = order[(order.index(self._chosen) + by) % len(order)], None
        self.show()

    def action_turn(self) -> None:
        """Gives the move to the other side."""
        self._change(self.edit.turn())

    def action_passed(self) -> None:
        """Changes the square of en passant."""
        if not self.edit.passable():
            self.say("no pawn stands where it could just have passed another.")
            return
        self._change(self.edit.next_passed())

    def action_clear(self) -> None:
        """Takes everything away but the kings."""
        self._held = None
        self._change(self.edit.clear())

    def action_exchange(self) -> None:
        """Exchanges the colours."""
        self._held = None
        self._change(self.edit.exchange())

    def action_undo(self) -> None:
        """Goes back a change."""
        self._step(self._past, self._future, "this is where you began.")

    def action_redo(self) -> None:
        """Takes back an undo."""
        self._step(self._future, self._past, "nothing has been undone.")

    def _step(self, source: list[Edit], target: list[Edit], otherwise: str) -> None:
        self.hush()
        self._held = None
        if not source:
            self.say(otherwise)
            return
        target.append(self.edit)
        self.edit = source.pop()
        self.show()

    def action_flip(self) -> None:
        """Turns the board."""
        self._flipped = not self._flipped
        self.show()

    @on(FenRow.Copied)
    def action_copy(self) -> None:
        """Copies the FEN to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.edit.board().fen())
        self.say("copied the FEN.")

    def action_type(self) -> None:
        """Asks for a FEN."""
        self.prompt(":", "a FEN", self._typed)

    def _typed(self, text: str) -> None:
        board = self.session.explorer.game.parse(text)
        self.stop_asking()
        self._change(Edit.of(board))

    def action_send(self) -> None:
        """Asks where the position is to go, once it can occur."""
        try:
            self.edit.finished()
        except EndgameError as problem:
            self.complain(problem)
            return
        self.question(
            "Send it to",
            Choice("3", "3", "Play", lambda: self._send("play")),
            Choice("1", "1", "Explore", lambda: self._send("explore")),
        )

    def _send(self, mode: str) -> None:
        position = self.edit.finished()
        if mode == "play":
            self.session.sent = position
        else:
            self.session.ask = position.fen()
        self.dismiss()
        self.app.call_later(self.app.run_action, f"screen('{mode}')")

    def action_leave(self) -> None:
        """Puts a held man down, or leaves the board as it was."""
        if self._held is not None:
            self._held = None
            self.show()
        else:
            self.dismiss()
