"""How chess is told, and where the words of a game are found."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import chess

from endgame_core.chess import notation
from endgame_core.errors import EndgameError
from endgame_core.words.text_model import FIFTY_MOVES, LabelledValue, Placed, Speech

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.tables.explorer import Previous


class ChessSpeech(Speech):
    """Mate in moves, men by their squares."""

    numbers = True
    kinds = frozenset(("king", "queen", "rook", "bishop", "knight", "pawn"))
    winning = "mate"
    losing = "mated"
    won = "mate"
    task = "Mate it"
    ends = result = "mated in {mate}", "mate in {mate}"
    lost = "checkmate"
    possible = "mate in {mate} is possible"
    layer = "S{n}, mated in {mate}", "S{n}, mate in {mate}"
    began = "mated in {mate}", "at mate in {mate}"
    win_in = ": mate in {mate}"
    estimate = "{{side}} mates in {mate}"
    moves = to_play = "Kd5, e8=Q, e7e8q"
    positions = "a FEN, KRvK, KRvK S12, S12/3, philidor"
    position = "FEN"
    starts = ("random, mirrored", "random, White is first")
    technical = "a pawn promoted safely, or an ending that you master"
    quiet = FIFTY_MOVES, "{} of 100"
    to_begin = "type a FEN, KRvK S12, or a study"

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """``KQvK``, ``KvKQ``."""
        return notation.plain_name(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The men by name; how many they are where no table can be."""
        try:
            return super().called(game, position)
        except EndgameError:
            return f"{position.occupied.bit_count()} men"

    def placed(self, position: Any) -> list[Placed]:
        """Kings first, pawns last."""
        return [
            Placed(
                chess.COLOR_NAMES[colour], chess.piece_name(kind), chess.square_name(square),
                chess.Piece(kind, colour).symbol(),
            )
            for colour in (chess.WHITE, chess.BLACK)
            for kind in range(chess.KING, 0, -1)
            for square in position.pieces(kind, colour)
        ]  # fmt: skip

    def places_in_rows(self) -> list[str]:
        """The squares."""
        return chess.SQUARE_NAMES

    def man(self, man: Any) -> str:
        """``king``."""
        return chess.piece_name(man.piece_type)

    def place(self, place: int) -> str:
        """``d5``."""
        return chess.square_name(place)

    def first_step(self, position: Any, move: Any) -> str:
        """The man, and where it stands."""
        man = position.piece_at(move.from_square)
        name = chess.piece_name(man.piece_type) if man else "man"
        return f"move the {name} on {chess.square_name(move.from_square)}"

    def origin(self, item: Previous[Any, Any]) -> str:
        """``Kd5``; ``c7=Q`` for a pawn that became a queen, ``Kd5xR`` for a king that took a rook."""
        piece = item.position.piece_at(item.move.from_square)
        taken = item.position.piece_at(item.move.to_square)
        became = f"={chess.piece_symbol(item.move.promotion).upper()}" if item.move.promotion else ""
        took = "xep" if item.kind == "en-passant" else f"x{taken.symbol().upper()}" if taken else ""
        return f"{piece.symbol().upper() if piece else ''}{chess.square_name(item.move.from_square)}{took}{became}"

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Squares, files and wings are those of the copy."""
        return notation.retold(note, told_of, copy)

    def set_up(self, edit: Any) -> list[LabelledValue]:
        """Side to move, en passant, clock, men."""
        passed = "none" if edit.passed is None else chess.square_name(edit.passed)
        if edit.passed is None and edit.passable():
            passed = "none, e sets it"
        board = edit.drawn
        clock = [LabelledValue(FIFTY_MOVES, str(board.halfmove_clock))] if board.halfmove_clock else []
        mover = LabelledValue("to move", "White" if board.turn else "Black", change="turn")
        return [
            mover,
            LabelledValue("en passant", passed),
            *clock,
            LabelledValue("men", str(board.occupied.bit_count())),
        ]


@cache
def speech_of(game: str) -> Speech:
    """How a game is told, by its name."""
    if game == "morris":
        from endgame_core.words.speech_stones import MorrisSpeech  # whoever plays chess need not wait for it

        return MorrisSpeech()
    return ChessSpeech() if game == "chess" else Speech()
