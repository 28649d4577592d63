"""The board editor: men are put on squares by letter, from a palette, or moved by hand."""

from __future__ import annotations

from typing import ClassVar

import chess
from textual import on
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.widget import Widget

from endgame_core.chess.editor import MEN, Edit
from endgame_core.chess.notation import plain_name
from endgame_core.words.told import KINDS, UNSURE
from endgame_tui import scenes
from endgame_tui.screens.board_plan import SMALL, frame, largest, panels_left, small
from endgame_tui.screens.editing import EditingScreen, keys
from endgame_tui.walk import Facts
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import KeyBar, TopBar
from endgame_tui.widgets.palette_men import MenPalette, PaletteView
from endgame_tui.widgets.squares import SquaresView
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


_COMMON = keys("editor", "man", "FEN", "Clear but the kings")


class EditBoard(Board, inherit_bindings=False):
    """A board whose letters are free for the men."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "point(0,-1)", "Cursor up", show=False, id="edit.up"),
        Binding("down", "point(0,1)", "Cursor down", show=False, id="edit.down"),
        Binding("left", "point(-1,0)", "Cursor left", show=False, id="edit.left"),
        Binding("right", "point(1,0)", "Cursor right", show=False, id="edit.right"),
        Binding("enter,space", "choose", "Put the man, or move it", show=False, id="edit.choose"),
    ]


class EditorScreen(EditingScreen[Edit]):
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
        *_COMMON[:4],
        Binding("e", "passed", "En passant", show=False, id="editor.passed"),
        *_COMMON[4:],
    ]

    def __init__(self, position: chess.Board, mode: str = "play") -> None:
        super().__init__(Edit.of(position), mode)
        self._cursor = chess.E4

    def widgets(self) -> tuple[Widget, MenPalette, KeyBar]:
        """A board of squares, twelve men."""
        return EditBoard(id="board"), MenPalette(id="palette"), KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")

    @property
    def men(self) -> int:
        """Six of either colour."""
        return len(MEN)

    @property
    def text(self) -> str:
        """The FEN."""
        return self.edit.board().fen()

    def read(self, text: str) -> Edit:
        """The position of a FEN; raises PositionError."""
        return Edit.of(self.session.explorer.game.parse(text))

    def man_on(self, place: int) -> int | None:
        """The number of a square's man."""
        man = self.edit.men.get(place)
        return None if man is None else MEN.index(man)

    def put(self, place: int, man: int | None) -> Edit:
        """Puts a man on a square."""
        return self.edit.put(place, None if man is None else MEN[man])

    def hand_over(self, mode: str) -> None:
        """Play sets it up, Explore shows it."""
        position = self.edit.finished()
        if mode == "play":
            self.session.sent = position
        else:
            self.session.ask = position.fen()

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
            self.query_one(Board).resize(made.cells, made.margin)
        else:
            self.query_one(Board).resize(largest(width, height, self._half(), self._half()), 3)

    # What is shown

    def show(self) -> None:
        """Shows the position, and whether it can occur."""
        edit = self.edit
        board = edit.board()
        self.query_one(Board).view = SquaresView(
            scenes.men(board), self._cursor, self._held, flipped=self._flipped
        )  # fmt: skip
        passed = "none" if edit.passed is None else chess.square_name(edit.passed)
        if edit.passed is None and edit.passable():
            passed = "none, e sets it"
        facts = (
            ("to move", "White" if edit.white else "Black"),
            ("en passant", passed),
            *((("clock", str(edit.clock)),) if edit.clock else ()),
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
        position = edit.finished()
        facts, category = Facts(self.session.explorer, position, placed=False), self.session.judge.category(position)
        name = plain_name(position)
        if category is not None and (facts.verdict is None or category in UNSURE):
            words, role = KINDS[category].words, KINDS[category].role
        elif facts.problem is not None or facts.verdict is None:
            return f"{name}: no table knows it, the search can play it.", "text"
        else:
            words, role = facts.result
        side = "White" if edit.white else "Black"
        return f"{name}, {side} to move: {words}.", role

    # Keys

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        self.point_at(event.point)

    @on(Board.Chosen)
    def _square_chosen(self, event: Board.Chosen) -> None:
        self.choose_place(event.point)

    def action_passed(self) -> None:
        """Changes the square of en passant."""
        if not self.edit.passable():
            self.say("no pawn stands where it could just have passed another.")
            return
        self.change(self.edit.next_passed())
