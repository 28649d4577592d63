"""The board editor of Nine Men's Morris: stones are put on points by letter, from a palette, or moved by hand."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.widget import Widget

from endgame_core.morris import notation, rules
from endgame_core.morris.editor import Edit
from endgame_core.morris.rules import BLACK, WHITE, Position
from endgame_core.morris.texts import parse
from endgame_tui.morris_walk import StoneFindings
from endgame_tui.screens.board_plan import SMALL, frame, stones_pitch
from endgame_tui.screens.editing import EditingScreen, keys
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import KeyBar, TopBar
from endgame_tui.widgets.palette_men import MenPalette, PaletteView
from endgame_tui.widgets.palette_stones import NAMES, StonesPalette
from endgame_tui.widgets.stones import Pitch, StonesView
from endgame_tui.widgets.words import FenRow

WIDE_KEYS = (
    ("o x", "put a stone"), ("Del", "remove"), ("t", "side to move"), ("i I", "in hand"), ("u", "undo"),
    ("s", "done, send it"), ("Esc", "leave"),
)  # fmt: skip
KEYS = (
    ("o x", "put"), ("Del", "remove"), ("t", "side"), ("i I", "hand"), ("u", "undo"), ("s", "done"), ("Esc", "leave"),
)  # fmt: skip
SMALL_KEYS = (("o x", "put"), ("t", "side"), ("s", "done"), ("Esc", "leave"))
_PALETTE_KEYS = (
    ("[ ]", "choose a stone"), ("Enter", "put or move it"), ("t", "side to move"),
    ("i I", "stones in hand"), ("C", "the empty board"), ("X", "exchange the colours"),
    ("u U", "undo, redo"), (":", "type a position"),
)  # fmt: skip


class MorrisEditorScreen(EditingScreen[Edit]):
    """Sets up a position of stones and sends it to Play or Explore.

    Args:
        position: To begin with.
        mode: The screen it was opened from.
    """

    GAME: ClassVar[str] = "morris"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "put(0)", "Put a white stone", show=False, id="stones-editor.white"),
        Binding("x", "put(1)", "Put a black stone", show=False, id="stones-editor.black"),
        Binding("i", "hold(0)", "White's stones in hand", show=False, id="stones-editor.white-hand"),
        Binding("I", "hold(1)", "Black's stones in hand", show=False, id="stones-editor.black-hand"),
        *keys("stones-editor", "stone", "position", "The empty board"),
    ]

    def __init__(self, position: Position, mode: str = "explore") -> None:
        super().__init__(Edit(position), mode)

    def widgets(self) -> tuple[Widget, MenPalette, KeyBar]:
        """A board of points, two stones."""
        return (
            Board(id="board"), StonesPalette(id="palette"), KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")
        )  # fmt: skip

    @property
    def men(self) -> int:
        """A stone of either colour."""
        return 2

    @property
    def text(self) -> str:
        """The line of text."""
        return notation.line(self.edit.position)

    def read(self, text: str) -> Edit:
        """The position of a text; raises PositionError."""
        return Edit(parse(text))

    def man_on(self, place: int) -> int | None:
        """Whose stone it is."""
        return self.edit.stone(place)

    def put(self, place: int, man: int | None) -> Edit:
        """Puts a stone on a point."""
        return self.edit.put(place, man)

    def hand_over(self, mode: str) -> None:
        """Play sets it up, Explore shows it."""
        position = self.edit.finished()
        if mode == "play":
            self.session.sent_stones = position
        else:
            self.session.ask, self.session.ask_metric = notation.line(position), self.session.morris.game.metric

    def on_mount(self) -> None:
        """The position is no FEN."""
        self.query_one(FenRow).label = "position"

    # Where everything stands

    def _pitch(self, size: Size) -> Pitch:
        width, height = size
        if width >= SMALL:
            return stones_pitch(width, height)
        return Pitch(4, 2) if height >= 16 else Pitch(4, 1)

    def regions(self, size: Size) -> dict[str, Region]:
        """Board left, palette right; on small screens the palette goes."""
        width, height = size
        pitch, small = self._pitch(size), width < SMALL
        regions, bottom = frame(width, height, self.has_strip)
        top = 2 if height >= 30 else 1
        left = 2 if small else 4 if pitch.large else 3
        regions["board"] = Region(0, top, left + pitch.columns, min(pitch.rows + 1, bottom - top))
        if bottom > regions["board"].bottom:
            bottom -= 1
            regions["fen"] = Region(0, bottom, width, 1)
        beside = left + pitch.columns + (3 if width < 100 else 6)
        if not small:
            regions["palette"] = Region(beside, top, width - 1 - beside, bottom - top)
        return self.bottom(regions)

    def fit(self) -> None:
        """Gives the board the right size."""
        pitch = self._pitch(self.size)
        margin = 2 if self.size.width < SMALL else 4 if pitch.large else 3
        self.query_one(Board).resize(pitch, margin)

    # What is shown

    def show(self) -> None:
        """Shows the position, and whether it can occur."""
        here, hands = self.edit.position, self.edit.position.hands
        self.query_one(Board).view = StonesView(
            (here.white, here.black), self._cursor, self._held, hands=hands if any(hands) else None,
            placing=here.turn if hands[here.turn] else None, flipped=self._flipped,
        )  # fmt: skip
        on_board = [rules.count(here, player) for player in (WHITE, BLACK)]
        facts = (
            ("to move", NAMES[here.turn]),
            ("on board", f"White {on_board[WHITE]}, Black {on_board[BLACK]}"),
            ("White’s hand", str(hands[WHITE])),
            ("Black’s hand", str(hands[BLACK])),
        )
        problem = self.edit.problem
        plain = self.look.glyphs.plain
        self.query_one(StonesPalette).view = PaletteView(
            self._chosen,
            tuple((plain(label), value) for label, value in facts),
            self._verdict(),
            tuple((key, plain(does)) for key, does in _PALETTE_KEYS),
        )
        self.query_one(FenRow).fen = self.text
        glyphs = self.look.glyphs
        side = (glyphs.white, glyphs.black)[here.turn]
        self.query_one(TopBar).right = ("not legal", "loss") if problem else (f"{side} to move", "text")

    def _verdict(self) -> tuple[str, str]:
        """Why the position cannot occur, or what the tables say of it."""
        edit = self.edit
        if edit.problem:
            return edit.problem[0].upper() + edit.problem[1:], "loss"
        found = StoneFindings(self.session.morris, edit.position, {})
        side = NAMES[edit.position.turn]
        if lost := rules.lost(edit.position):
            return f"{side} has lost: {lost}.", "loss"
        if found.problem is not None or found.verdict is None:
            return "No table knows it, the search can play it.", "text"
        words, role = found.result
        return f"{found.name}, {side} to move: {words}.", role

    # Keys

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        self.point_at(event.point)

    @on(Board.Chosen)
    def _point_chosen(self, event: Board.Chosen) -> None:
        self.choose_place(event.point)
        if self._chosen is None and self._held is None and self.man_on(event.point) is None and not self._past:
            self.say("press o for a white stone here, x for a black one; ] chooses what Enter puts down.")

    @on(StonesPalette.Pressed)
    def _fact_pressed(self, event: StonesPalette.Pressed) -> None:
        if event.fact == 0:
            self.action_turn()
        elif event.fact >= 2:
            self.action_hold(event.fact - 2)

    def action_hold(self, player: int) -> None:
        """Gives a player one stone less in hand, or all that are left."""
        self.change(self.edit.hold(player))
