"""What every screen has that shows a board nobody moves on: a board of chess, or one of stones."""

from __future__ import annotations

from endgame_tui.screens.board_plan import BoardSize
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.speech import Picture, Speech, speech_of
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.squares import Cells, SquaresView
from endgame_tui.widgets.stones import Pitch, StonesView

_SMALL = Pitch(4, 2)


class Pictured(ModeScreen):
    """A screen about one game, with a board ``#board`` to look at."""

    @property
    def speech(self) -> Speech:
        """How the game is told."""
        return speech_of(self.GAME)

    @property
    def ask_metric(self) -> str | None:
        """The metric by which Explore is to show a position of the game; None where it is as it was."""
        return "depth" if self.GAME == "morris" else None

    def crumbs(self, *words: str) -> tuple[str, ...]:
        """Where we are, with the game where it is not chess."""
        named = (self.speech.name, *words) if self.speech.name else words
        return tuple(map(self.look.glyphs.plain, named))

    def make_board(self) -> Board:
        """The board of the game."""
        board = Board(id="board")
        board.can_focus = False
        return board

    def fit_small_board(self, margin: int) -> None:
        """Gives the board cells for a place beside other things."""
        half = self.look.palette.coloured and self.look.glyphs.unicode
        self.fit_board(BoardSize(_SMALL if self.GAME == "morris" else Cells(2, 4, shifted=half), margin))

    def fit_board(self, size: BoardSize) -> None:
        """Gives the board cells of a size."""
        self.query_one(Board).resize(size.cells, size.margin)

    def show_picture(self, picture: Picture | None) -> None:
        """Shows a position; an empty board when there is none."""
        self.query_one(Board).view = picture or (StonesView() if self.GAME == "morris" else SquaresView())
