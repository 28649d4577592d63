"""The walk: where the user is, where they came from, and all facts about the place.

No Textual here: the Explore screen shows what this module knows and tells it what was asked for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import cast

import chess

from endgame_core.chess import notation
from endgame_core.chess.game import ChessGame
from endgame_core.errors import EndgameError, LayerError, NotBuiltError, PositionError
from endgame_core.tables.explorer import Explorer, Layers, Previous, RatedMove
from endgame_core.values import LAST_CLOCK, Category
from endgame_tui.trail import WINNERS, Findings, Trail, is_over, loses, unbuilt

Move = RatedMove[chess.Board, chess.Move]
Earlier = Previous[chess.Board, chess.Move]
ChessExplorer = Explorer[chess.Board, chess.Move]

START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
"""Where the first launch begins: the longest win of queen against king."""

METRICS = ("dtm", "dtz")
"""What layers count: plies to mate, or to the next zeroing move that keeps the result."""

MOST_CLOCK = 100
"""Plies without a zeroing move after which a draw can be claimed."""


__all__ = [
    "METRICS", "MOST_CLOCK", "START", "WINNERS", "ChessExplorer", "Earlier", "Facts", "Move", "Walk",
    "is_over", "loses", "origin_of", "unbuilt",
]  # fmt: skip


class Facts(Findings[chess.Board, chess.Move]):
    """All that the tables say about one chess position."""

    @property
    def name(self) -> str:
        """The ending in the colours of the board."""
        return notation.plain_name(self.position)

    @property
    def over(self) -> bool:
        """Whether the 75-move rule has ended the game, mate and stalemate apart."""
        position = self.position
        return position.halfmove_clock >= LAST_CLOCK and any(position.generate_legal_moves())

    @property
    def result(self) -> tuple[str, str]:
        """The result in words, and its role."""
        if self.over:
            return "draw", "draw"
        verdict = self.verdict
        if verdict is None:
            return "", "text"
        if verdict.depth is None:
            if self.moves or self.problem is not None or self.position.occupied == self.position.kings:
                return "draw", "draw"
            return "stalemate", "draw"
        if verdict.depth == 0:
            return "checkmate", "loss"
        moves = (verdict.depth + 1) // 2
        if verdict.category is Category.WIN:
            return f"mate in {moves}", "win"
        return f"mated in {moves}", "loss"

    def origin(self, item: Earlier) -> str:
        """The man that will move, and where it stands."""
        return origin_of(item)


def origin_of(item: Earlier) -> str:
    """A previous position's name: the man that will move, and where it stands."""
    piece = item.position.piece_at(item.move.from_square)
    letter = piece.symbol().upper() if piece else ""
    return letter + chess.square_name(item.move.from_square)


class Walk(Trail[chess.Board, chess.Move]):
    """A walk through chess positions.

    Args:
        explorer: The tables by DTM.
        by_dtz: Those by DTZ, for who can walk through their layers.
        rng: What is left to chance.
    """

    def __init__(
        self, explorer: ChessExplorer, by_dtz: ChessExplorer | None = None, rng: random.Random | None = None
    ) -> None:
        super().__init__(explorer, chess.Board(START), rng)
        self.by_dtz = by_dtz

    @property
    def game(self) -> ChessGame:
        """The rules."""
        game = self.explorer.game
        assert isinstance(game, ChessGame)
        return game

    @property
    def here(self) -> ChessExplorer:
        """The tables whose layers are walked through."""
        return self.explorer if self.metric == "dtm" or self.by_dtz is None else self.by_dtz

    @property
    def facts(self) -> Facts:
        """All about where we are, by the metric of the layers."""
        return cast("Facts", self.findings)

    @property
    def by_dtm(self) -> Facts:
        """The same by DTM."""
        return cast("Facts", self.findings_by("dtm"))

    @property
    def is_late(self) -> bool:
        """Whether the mate by DTM comes later than the clock allows, so that what is best by DTM may keep nothing."""
        verdict = self.by_dtm.verdict
        return verdict is not None and (verdict.depth or 0) + self.position.halfmove_clock > MOST_CLOCK

    @property
    def about_line(self) -> Facts:
        """The best line goes by DTM."""
        return self.by_dtm

    def find(self, metric: str, known: dict[str, Layers]) -> Facts:
        """Asks the tables of the metric; where the clock has ended the game, there is no move any more."""
        found = Facts(self.here if metric == self.metric else self.explorer, self.position, known)
        if found.over:
            found.moves = []
        return found

    def play(self, move: chess.Move) -> None:
        """Plays a legal move; raises LayerError where the game is over."""
        if self.facts.over:
            raise LayerError("the 75-move rule has ended the game here", "u goes back, C sets another clock")
        super().play(move)

    def writing(self, position: chess.Board, move: chess.Move) -> tuple[str, str]:
        """By the man and where it goes."""
        piece = position.piece_type_at(move.from_square) or chess.KING
        return chess.piece_symbol(piece), chess.square_name(move.to_square)

    def spelled(self, moves: Sequence[chess.Move]) -> list[str]:
        """Moves in SAN, on one board."""
        board = self.position.copy(stack=False)
        return [board.san_and_push(move) for move in moves]

    def layers_of(self, ending: str) -> Layers:
        """The layers of an ending."""
        return self.here.layers(ending)

    def nth(self, ending: str, winner: str | None, n: int | None, number: int, side: int) -> chess.Board:
        """A position of a layer, White being the side named first."""
        return self.here.nth(ending, winner, n, number, side)

    def nowhere(self) -> EndgameError:
        """Two bare kings are in no table; what is over by the rules needs none, but has no layers without."""
        if not self.game.is_trivial(self.position):
            return NotBuiltError(self.game.ending_of(self.position))
        return LayerError("two bare kings are a draw", "open an ending with more men")

    def open(self, ending: str) -> None:
        """Goes to the longest win of an ending, the winner to move; to a draw when nobody wins.

        Raises:
            EndgameError: The name is no ending, or it is not built.
        """
        ending = self.game.canonical_name(ending)
        if self.metric == "dtm" and ending == self.game.ending_of(chess.Board(START)):
            self.go(chess.Board(START))
            return
        layers = self.layers_of(ending)
        winner = max(layers.families, key=lambda w: len(layers.families[w]), default=None)
        self.open_family(layers, winner)

    def set_clock(self, plies: int) -> None:
        """Goes to the same position with so many plies since the last zeroing move; raises PositionError."""
        notation.check_clock(plies)
        board = self.position.copy(stack=False)
        board.halfmove_clock = plies
        self.go(board)

    def promotions(self, text: str) -> list[chess.Move]:
        """The promotions that a typed move may mean when it does not say to what; see the notation."""
        return notation.promotions(self.position, text)

    def typed_else(self, text: str) -> None:
        """A move, an ending, a position, or the clock.

        Raises:
            EndgameError: It is none of these, or cannot be done here.
        """
        if match := re.fullmatch(r"(?i)clock\s*([0-9]{1,6})", text):
            self.set_clock(int(match[1]))
        elif re.match(r"(?i)clock\b", text):
            raise PositionError("the clock is a number of plies", f"type clock and 0 to {LAST_CLOCK}")
        elif re.fullmatch(r"(?i)k[qrbnp]*v?k[qrbnp]*", text):
            self.open(text)
        elif "/" in text or "\n" in text or text.isdigit():
            self.go(self.game.parse(text))
        elif not text:
            raise PositionError("nothing was typed", "type a move, a FEN, S12, 12/3 or KBNvK")
        else:
            self.play(self.game.parse_move(self.position, text))
