"""The board editor: men are put on squares until the position can occur."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import chess

from endgame_core.chess import material, notation
from endgame_core.errors import PositionError

MEN: Final = tuple(chess.Piece.from_symbol(letter) for letter in "KQRBNPkqrbnp")
"""The palette: White's men, then Black's."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A position being set up; every change gives a new one.

    Attributes:
        men: The men by square, 0 (a1) to 63 (h8).
        white: Whether White is to move.
        passed: Square that a pawn may just have passed, for en passant; None when there is none.
        clock: Plies since the last zeroing move, kept while the men are.
    """

    men: Mapping[int, chess.Piece] = field(default_factory=dict[int, chess.Piece])
    white: bool = True
    passed: int | None = None
    clock: int = 0

    @classmethod
    def of(cls, board: chess.Board) -> Edit:
        """Begins with a board."""
        return cls(board.piece_map(), board.turn, board.ep_square, board.halfmove_clock)

    @property
    def palette(self) -> tuple[chess.Piece, ...]:
        """What can be put on the board."""
        return MEN

    @property
    def text(self) -> str:
        """The FEN, whether the position can occur or not."""
        return self.board().fen()

    @property
    def drawn(self) -> chess.Board:
        """The position, whether it can occur or not."""
        return self.board()

    def man(self, square: int) -> chess.Piece | None:
        """What stands on a square."""
        return self.men.get(square)

    def put(self, square: int, man: chess.Piece | None) -> Edit:
        """Puts a man on a square, or takes away what stands there; a king that is put down moves there."""
        men = {at: other for at, other in self.men.items() if at != square}
        if man is not None:
            if man.piece_type == chess.KING:
                men = {at: other for at, other in men.items() if other != man}
            men[square] = man
        return self._with(men)

    def move(self, source: int, target: int) -> Edit:
        """Moves a man; what stood on the target is gone. Nothing happens from an empty square."""
        man = self.men.get(source)
        if man is None or source == target:
            return self
        men = {at: other for at, other in self.men.items() if at != source}
        return self._with({**men, target: man})

    def clear(self) -> Edit:
        """Takes all men away but the kings."""
        return self._with({at: man for at, man in self.men.items() if man.piece_type == chess.KING})

    def turn(self) -> Edit:
        """Gives the move to the other side."""
        return replace(self, white=not self.white, passed=None)

    def exchange(self) -> Edit:
        """Exchanges the colours, and turns the position round so that pawns go their own way."""
        men = {square ^ 56: chess.Piece(man.piece_type, not man.color) for square, man in self.men.items()}
        return Edit(men, not self.white, None if self.passed is None else self.passed ^ 56, self.clock)

    def _with(self, men: Mapping[int, chess.Piece]) -> Edit:
        changed = replace(self, men=men, clock=0)
        return changed if self.passed in changed.passable() else replace(changed, passed=None)

    def passable(self) -> tuple[int, ...]:
        """The squares that a pawn of the side that has just moved may have passed by two steps, a to h.

        Only where an enemy pawn stands beside it: elsewhere en passant means nothing.
        """
        step, rank = (8, 4) if self.white else (-8, 3)
        own, enemy = chess.Piece(chess.PAWN, not self.white), chess.Piece(chess.PAWN, self.white)
        found: list[int] = []
        for file in range(8):
            square = chess.square(file, rank)
            beside = [square + by for by in (-1, 1) if 0 <= file + by < 8]
            behind = (square + step, square + 2 * step)
            if (
                self.men.get(square) == own
                and any(self.men.get(at) == enemy for at in beside)
                and not any(at in self.men for at in behind)
            ):
                found.append(square + step)
        return tuple(found)

    def next_passed(self) -> Edit:
        """The next possibility of en passant: none, then each passable square, round and round."""
        order = (None, *self.passable())
        at = order.index(self.passed) if self.passed in order else 0
        passed = order[(at + 1) % len(order)]
        return replace(self, passed=passed, clock=self.clock if passed is None else 0)

    def board(self) -> chess.Board:
        """The position as it stands, whether it can occur or not."""
        board = chess.Board(None)
        board.set_piece_map(self.men)
        board.turn = self.white
        board.ep_square = self.passed
        board.halfmove_clock = self.clock
        return board

    def finished(self) -> chess.Board:
        """The position, when it can occur.

        Raises:
            PositionError: It cannot; it says why.
        """
        board = self.board()
        notation.check(board)
        return board

    @property
    def problem(self) -> str:
        """Why the position cannot occur, one sentence; empty when it can."""
        try:
            self.finished()
        except PositionError as problem:
            return str(problem)
        return ""

    @property
    def ending(self) -> str | None:
        """The ending of the position; None when it has too many men for tables, bare kings, or no king."""
        if self.problem or len(self.men) < 3:
            return None
        name, _ = notation.name_of(self.board())
        return name if material.is_known(name) else None
