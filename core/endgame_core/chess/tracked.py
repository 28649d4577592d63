"""A board that keeps its Zobrist key, repetition counts and evaluation up to date move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Self

import chess
from chess.polyglot import POLYGLOT_RANDOM_ARRAY, ZobristHasher

from endgame_core.chess import evaluation
from endgame_core.chess.material import MOST_MEN
from endgame_core.tracked import Draw, Win
from endgame_core.values import Category

_TURN = POLYGLOT_RANDOM_ARRAY[780]
_FILES = POLYGLOT_RANDOM_ARRAY[772:780]
_CASTLING = dict(zip((chess.BB_H1, chess.BB_A1, chess.BB_H8, chess.BB_A8), POLYGLOT_RANDOM_ARRAY[768:772], strict=True))
_CHESS960 = ZobristHasher(POLYGLOT_RANDOM_ARRAY)

_FIFTY = 100
_SEVENTY_FIVE = 150
"""Plies of the two draws without capture or pawn move."""

_Man = tuple[int, int, int]
"""What one man on one square adds: its Zobrist number, packed scores and packed count."""


def _men() -> list[list[list[_Man]]]:
    """The sums of every man: ``[colour][piece type][square]``."""
    return [
        [[]]
        + [
            [
                (
                    POLYGLOT_RANDOM_ARRAY[64 * (2 * (piece - 1) + color) + square],
                    evaluation.SCORES[color][piece][square],
                    evaluation.COUNTS[color][piece],
                )
                for square in chess.SQUARES
            ]
            for piece in chess.PIECE_TYPES
        ]
        for color in (chess.BLACK, chess.WHITE)
    ]


_MEN = _men()


@lru_cache(maxsize=64)
def _castling(rights: chess.Bitboard) -> int:
    """The Zobrist number of castling rights that have been cleaned, rooks standing in the corners."""
    number = 0
    for rook, own in _CASTLING.items():
        if rights & rook:
            number ^= own
    return number


class TrackedBoard(chess.Board):
    """A :class:`chess.Board` whose key, occurrences and evaluation cost the same at move 200 as at move 1.

    ``push`` and ``pop`` keep sums over the men, and the positions passed through; all of it is undone exactly. What
    depends on side to move, castling and en passant is added when asked, so that ``turn``, ``castling_rights`` and
    ``ep_square`` may be set directly, as with any board. Satisfies :class:`~endgame_core.tracked.Tracked`.
    """

    def __init__(self, fen: str | None = chess.STARTING_FEN, *, chess960: bool = False) -> None:
        self._zobrist = 0
        self._scores = 0
        self._counts = 0
        self._sums: list[tuple[int, int, int, int]] = []
        self._past: dict[int, int] = {}
        super().__init__(fen, chess960=chess960)

    @classmethod
    def starting(cls, position: chess.Board) -> Self:
        """A board that starts from a position, whose own past is left out."""
        board = cls(None, chess960=position.chess960)
        _set(board, position)
        board._recount()
        return board

    # The men: every change but those that set all bitboards at once goes through these two.

    def _remove_piece_at(self, square: chess.Square) -> chess.PieceType | None:
        white = self.occupied_co[chess.WHITE] & chess.BB_SQUARES[square]
        piece = super()._remove_piece_at(square)
        if piece is not None:
            zobrist, score, count = _MEN[1 if white else 0][piece][square]
            self._zobrist ^= zobrist
            self._scores -= score
            self._counts -= count
        return piece

    def _set_piece_at(
        self, square: chess.Square, piece_type: chess.PieceType, color: chess.Color, promoted: bool = False
    ) -> None:
        super()._set_piece_at(square, piece_type, color, promoted)
        if chess.PAWN <= piece_type <= chess.KING:
            zobrist, score, count = _MEN[color][piece_type][square]
            self._zobrist ^= zobrist
            self._scores += score
            self._counts += count

    def _recount(self) -> None:
        """Sums up the men anew."""
        self._zobrist = self._scores = self._counts = 0
        for color in (chess.BLACK, chess.WHITE):
            for piece in chess.PIECE_TYPES:
                for square in chess.scan_forward(self.pieces_mask(piece, color)):
                    zobrist, score, count = _MEN[color][piece][square]
                    self._zobrist ^= zobrist
                    self._scores += score
                    self._counts += count

    def _clear_board(self) -> None:
        super()._clear_board()
        self._zobrist = self._scores = self._counts = 0

    def _reset_board(self) -> None:
        super()._reset_board()
        self._recount()

    def _set_chess960_pos(self, scharnagl: int) -> None:
        super()._set_chess960_pos(scharnagl)
        self._recount()

    def apply_transform(self, f: Callable[[chess.Bitboard], chess.Bitboard]) -> None:
        """Transforms the board in place; the past is forgotten."""
        super().apply_transform(f)
        self._recount()

    def apply_mirror(self) -> None:
        """Exchanges the colours in place; the past is forgotten."""
        super().apply_mirror()
        self._recount()

    def root(self) -> Self:
        """A copy of the position the moves began from."""
        board = super().root()
        board._recount()
        return board

    def copy(self, *, stack: bool | int = True) -> Self:
        """A copy, with all moves, none, or so many of the last."""
        board = super().copy(stack=stack)
        board._zobrist, board._scores, board._counts = self._zobrist, self._scores, self._counts
        if stack:
            board._sums = self._sums[-len(board.move_stack) :] if board.move_stack else []
            for *_, place in board._sums:
                board._past[place] = board._past.get(place, 0) + 1
        return board

    def clear_stack(self) -> None:
        """Forgets the past."""
        super().clear_stack()
        self._sums.clear()
        self._past.clear()

    def push(self, move: chess.Move) -> None:
        """Makes a pseudo-legal move, or a null move."""
        place = self._place()
        self._sums.append((self._zobrist, self._scores, self._counts, place))
        self._past[place] = self._past.get(place, 0) + 1
        super().push(move)

    def pop(self) -> chess.Move:
        """Takes back the last move; raises IndexError when there is none."""
        move = super().pop()
        self._zobrist, self._scores, self._counts, place = self._sums.pop()
        times = self._past[place] - 1
        if times:
            self._past[place] = times
        else:
            del self._past[place]
        return move

    # Keys.

    def _without_passing(self) -> int:
        """The Zobrist key but for en passant."""
        key = self._zobrist
        if self.turn:
            key ^= _TURN
        if self.castling_rights:
            key ^= _CHESS960.hash_castling(self) if self.chess960 else _castling(self.clean_castling_rights())
        return key

    @property
    def key(self) -> int:
        """The Zobrist key, equal to :func:`chess.polyglot.zobrist_hash`.

        It tells en passant when a pawn stands ready to capture, be that legal or not.
        """
        key = self._without_passing()
        passed = self.ep_square
        if passed and _ready(self, passed):
            key ^= _FILES[passed & 7]
        return key

    def _place(self) -> int:
        """The key by which positions repeat: it tells en passant only when that is legal."""
        key = self._without_passing()
        passed = self.ep_square
        if passed is not None and self.has_legal_en_passant():
            key ^= _FILES[passed & 7]
        return key

    @property
    def occurrences(self) -> int:
        """How often the position has occurred since the start, this time included."""
        return self._past.get(self._place(), 0) + 1

    def is_repetition(self, count: int = 3) -> bool:
        """Whether the position has occurred so many times."""
        return self.occurrences >= count

    # What search and play ask.

    @property
    def clock(self) -> int:
        """Plies since the last capture or pawn move."""
        return self.halfmove_clock

    @property
    def phase(self) -> int:
        """How much of the middle game is left, 256 to 0."""
        return evaluation.balance(self._counts).phase

    @property
    def evaluation(self) -> int:
        """An estimate for the side to move, in hundredths of a pawn."""
        return evaluation.judge(self, self._scores, self._counts)

    @property
    def position(self) -> chess.Board:
        """A plain copy without the past."""
        return _plain(self)

    @property
    def here(self) -> chess.Board:
        """The board itself, to be looked at."""
        return self

    @property
    def start(self) -> chess.Board:
        """A plain copy of the position the moves began from."""
        return _plain(self.root())

    @property
    def made(self) -> Sequence[chess.Move]:
        """The moves made."""
        return self.move_stack

    def skip(self) -> bool:
        """Makes a null move, unless in check or so short of pieces that having to move may be what loses."""
        pieces = self.occupied_co[self.turn] & ~self.pawns & ~self.kings
        if not pieces & (pieces - 1) or self.is_check():
            return False
        self.push(chess.Move.null())
        return True

    def moves(self) -> list[chess.Move]:
        """All legal moves."""
        return list(self.generate_legal_moves())

    def forcing(self) -> list[chess.Move]:
        """Captures and promotions; in check, all legal moves."""
        if self.is_check():
            return list(self.generate_legal_moves())
        found = list(self.generate_legal_captures())
        ready = self.pawns & self.occupied_co[self.turn] & (chess.BB_RANK_7 if self.turn else chess.BB_RANK_2)
        if ready:
            found += self.generate_legal_moves(ready, chess.BB_BACKRANKS & ~self.occupied)
        return found

    def gain(self, move: chess.Move) -> int:
        """What a move wins: the most valuable victim first, of equal ones by the least valuable man; 0 if quiet."""
        taken = self.piece_type_at(move.to_square)
        if taken is None:
            if move.promotion is not None:
                return 16 * (move.promotion - 1)
            if move.to_square != self.ep_square or not self.pawns & chess.BB_SQUARES[move.from_square]:
                return 0
            taken = chess.PAWN
        mover = self.piece_type_at(move.from_square)
        return 16 * (taken + (move.promotion or 1) - 1) + 7 - (mover or 0)

    def threatened(self) -> bool:
        """Whether the side to move is in check."""
        return self.is_check()

    def tabled(self) -> bool:
        """Whether there are as few men as tables reach."""
        return self.occupied.bit_count() <= MOST_MEN

    def finished(self) -> Category | None:
        """A loss by mate, a draw by stalemate, None while there is a move."""
        if any(self.generate_legal_moves()):
            return None
        return Category.LOSS if self.is_check() else Category.DRAW

    def won(self) -> Win | None:
        """Checkmate, if it is one."""
        return Win.MATE if self.is_checkmate() else None

    def claim(self, move: chess.Move | None = None) -> Draw | None:
        """The draw that may be claimed now, or by announcing a move."""
        if move is not None:
            self.push(move)
            found = self.claim()
            self.pop()
            return found
        if self._past.get(self._place(), 0) >= 2:
            return Draw.THREEFOLD
        return Draw.FIFTY if self.halfmove_clock >= _FIFTY and any(self.generate_legal_moves()) else None

    def dead(self) -> bool:
        """Whether neither side has the men to mate."""
        counted = evaluation.balance(self._counts)
        return counted.dead or (counted.light and self.is_insufficient_material())

    def drawn(self) -> Draw | None:
        """The draw that has happened without anyone claiming it."""
        finished = self.finished()
        if finished is not None:
            return Draw.STALEMATE if finished is Category.DRAW else None
        if self.dead():
            return Draw.MEN
        if self.occurrences >= 5:
            return Draw.FIVEFOLD
        return Draw.SEVENTY_FIVE if self.halfmove_clock >= _SEVENTY_FIVE else None


def _ready(board: chess.Board, passed: chess.Square) -> int:
    """Pawns that stand ready to capture en passant."""
    return chess.BB_PAWN_ATTACKS[not board.turn][passed] & board.pawns & board.occupied_co[board.turn]


def _plain(board: chess.Board) -> chess.Board:
    plain = chess.Board(None, chess960=board.chess960)
    _set(plain, board)
    return plain


def _set(board: chess.Board, like: chess.Board) -> None:
    """Sets an empty board to another one's position."""
    board.pawns, board.knights, board.bishops = like.pawns, like.knights, like.bishops
    board.rooks, board.queens, board.kings = like.rooks, like.queens, like.kings
    board.occupied_co[:] = like.occupied_co
    board.occupied, board.promoted = like.occupied, like.promoted
    board.turn, board.castling_rights, board.ep_square = like.turn, like.clean_castling_rights(), like.ep_square
    board.halfmove_clock, board.fullmove_number = like.halfmove_clock, like.fullmove_number
