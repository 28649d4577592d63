"""A board for search and play, with key, repetition counts and evaluation updated move by move.

The evaluation has piece-square scores for the middle game and the endgame, interpolated by the remaining material. The
board keeps their sum. Pawn structures are cached. The rest (king and passed pawns, driving a bare king to the edge,
endings in which extra material does not win) takes the same few steps in every position. Units: hundredths of a pawn.

A packed score is ``middle + (end << 32)``, both from White's point of view. A packed sum also has the number of pieces
from bit 64 on: four bits for each type of piece of each colour, Black's first. So a single addition updates all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import chess

from endgame_core.chess.material import MOST_MEN
from endgame_core.game_state import Draw, Win
from endgame_core.values import HORIZON, LAST_CLOCK

_SHIFT = 32
_HALF = 1 << 31
_COUNT = 64
_HALF_COUNT = 1 << 63

MIDDLE = (0, 88, 315, 330, 490, 960, 0)
END = (0, 112, 300, 325, 530, 970, 0)
"""Piece values in the middle game and in the endgame, by python-chess's piece type."""

_WEIGHTS = (0, 0, 1, 1, 2, 4, 0)
"""Contribution of each piece to the game phase; 24 in all at the start of a game."""

_ALL_WEIGHTS = 24

_ROOK_FILES = chess.BB_FILE_A | chess.BB_FILE_H


def _ring(square: chess.Square) -> int:
    """Return the distance of a square from the four in the centre: 0 to 3."""
    file = chess.square_file(square)
    rank = chess.square_rank(square)
    return max(abs(2 * file - 7), abs(2 * rank - 7)) // 2


def _standing(piece: chess.PieceType, square: chess.Square) -> tuple[int, int]:
    """Return the bonus of a white piece on a square, in the middle game and in the endgame."""
    file = chess.square_file(square)
    rank = chess.square_rank(square)
    ring = _ring(square)
    inner = 3 - abs(2 * file - 7) // 2
    if piece == chess.PAWN:
        return (6 * inner * (rank in (2, 3, 4)) + 3 * (rank - 1), (0, 0, 4, 11, 24, 44, 72, 0)[rank])
    if piece == chess.KNIGHT:
        return (16 - 14 * ring, 12 - 11 * ring)
    if piece == chess.BISHOP:
        return (8 - 6 * ring, 8 - 6 * ring)
    if piece == chess.ROOK:
        return (2 * inner + 18 * (rank == 6), 6 * (rank >= 5))
    if piece == chess.QUEEN:
        return (-2 * (rank > 2), 12 - 7 * ring)
    sides = 0 if 2 < file < 6 else 18
    corner = min(file, 7 - file) + min(rank, 7 - rank)
    return (sides - 26 * min(rank, 3), 24 - 17 * ring + 3 * corner)


def _packed() -> list[list[list[int]]]:
    """Build :data:`MEN`."""
    men: list[list[list[int]]] = [[[]], [[]]]
    for piece in chess.PIECE_TYPES:
        white: list[int] = []
        for square in chess.SQUARES:
            middle, end = _standing(piece, square)
            white.append(MIDDLE[piece] + middle + ((END[piece] + end) << _SHIFT))
        one = 1 << 4 * (piece - 1) + _COUNT
        men[chess.WHITE].append([score + (one << 24) for score in white])
        men[chess.BLACK].append([one - white[chess.square_mirror(square)] for square in chess.SQUARES])
    return men


MEN = _packed()
"""Contribution of a piece to a packed sum: ``[colour][piece type][square]``."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Facts that follow from the material alone.

    Attributes:
        phase: Game phase, from 256 in the middle game to 0 in the endgame.
        dead: Whether neither side has enough material to mate.
        share: By colour, how many sixteenths of an advantage count if that colour has it.
        hunter: The colour that drives a bare king to the edge, or None.
        cornering: Whether the hunter has only bishop and knight, and so needs the right corner.
        bare: By colour, whether it has nothing but king and pawns.
        lone_bishop: By colour, whether its only piece is one bishop.
    """

    phase: int
    dead: bool
    share: tuple[int, int]
    hunter: chess.Color | None
    cornering: bool
    bare: tuple[bool, bool]
    lone_bishop: tuple[bool, bool]


@lru_cache(maxsize=4096)
def balance(counts: int) -> Balance:
    """Return the facts about packed counts of pieces."""
    men = [[counts >> 4 * (piece + 6 * color) & 15 for piece in range(6)] for color in (chess.BLACK, chess.WHITE)]
    weight = sum(_WEIGHTS[piece + 1] * (men[0][piece] + men[1][piece]) for piece in range(6))
    pieces = [sum(END[piece + 1] * side[piece] for piece in range(1, 5)) for side in men]
    # No pawn (0), rook (3) or queen (4): with a single minor piece at most, nobody can mate.
    light = not any(side[0] or side[3] or side[4] for side in men)
    bare = (pieces[0] == 0, pieces[1] == 0)
    hunter = None
    for color in (chess.BLACK, chess.WHITE):
        is_bare_king = bare[not color] and not men[not color][0]
        if is_bare_king and pieces[color] >= END[chess.ROOK]:
            hunter = color
    return Balance(
        phase=min(256, weight * 256 // _ALL_WEIGHTS),
        dead=light and sum(pieces) <= END[chess.BISHOP],
        share=(_share(men[0], pieces[0], pieces[1]), _share(men[1], pieces[1], pieces[0])),
        hunter=hunter,
        cornering=hunter is not None and men[hunter][:5] == [0, 1, 1, 0, 0],
        bare=bare,
        lone_bishop=(men[0][1:5] == [0, 1, 0, 0], men[1][1:5] == [0, 1, 0, 0]),
    )


def _share(men: list[int], mine: int, theirs: int) -> int:
    """Return how many sixteenths of an advantage count: few without pawns, unless the pieces can force mate."""
    if men[0]:
        return 16
    # Two knights, or one minor piece, cannot force mate.
    if men[1:5] == [2, 0, 0, 0] or mine <= END[chess.BISHOP]:
        return 1
    if mine - theirs <= END[chess.BISHOP] + 25:
        return 2
    return 16


@lru_cache(maxsize=16384)
def structure(white: chess.Bitboard, black: chess.Bitboard) -> tuple[int, chess.Bitboard, chess.Bitboard]:
    """Evaluate the pawns of both sides; return their packed score, White's passed pawns and Black's."""
    score, passed_white = _structure(white, black)
    # Black's pawns move up the mirrored board.
    mirrored, passed_black = _structure(chess.flip_vertical(black), chess.flip_vertical(white))
    return score - mirrored, passed_white, chess.flip_vertical(passed_black)


_PASSED = (0, 4, 8, 18, 36, 66, 110, 0)
"""Bonus of a passed pawn in the endgame, by rank; half of it counts in the middle game."""


def _structure(mine: chess.Bitboard, theirs: chess.Bitboard) -> tuple[int, chess.Bitboard]:
    """Evaluate the pawns of the side that moves up the board; return their packed score and its passed pawns."""
    middle = end = passed = 0
    for square in chess.scan_forward(mine):
        file = chess.square_file(square)
        rank = chess.square_rank(square)
        ahead = sum(chess.BB_RANKS[rank + 1 :])
        lane = chess.BB_FILES[file]
        beside = (chess.BB_FILES[file - 1] if file else 0) | (chess.BB_FILES[file + 1] if file < 7 else 0)
        if mine & lane & ahead:  # doubled; only the front pawn can be passed
            middle -= 9
            end -= 16
            continue
        if not theirs & (lane | beside) & ahead:
            passed |= chess.BB_SQUARES[square]
            guarded = chess.BB_PAWN_ATTACKS[chess.BLACK][square] & mine
            middle += _PASSED[rank] // 2
            end += _PASSED[rank]
            if guarded:
                end += 8 + 2 * rank
        if not mine & beside:  # isolated
            middle -= 8
            end -= 8
    return middle + (end << _SHIFT), passed


def _escort(board: chess.Board, passed: chess.Bitboard, color: chess.Color, hopeless: bool) -> int:
    """Return the endgame score of the kings' distances to the passed pawns of a colour.

    Args:
        board: The board.
        passed: The passed pawns of the colour.
        color: The colour.
        hopeless: Whether the other side has only its king to stop them; then a pawn outside its square counts extra.
    """
    friend = board.king(color)
    foe = board.king(not color)
    if friend is None or foe is None:
        return 0
    total = fastest = 0
    for square in chess.scan_forward(passed):
        # The rank as the pawn's owner sees it.
        if color:
            rank = chess.square_rank(square)
        else:
            rank = 7 - chess.square_rank(square)
        stop = square + 8 if color else square - 8
        total += (rank - 1) * (3 * chess.square_distance(foe, stop) - 2 * chess.square_distance(friend, stop))
        if hopeless:
            goal = chess.square(chess.square_file(square), 7 if color else 0)
            steps = 7 - rank - (rank == 1) + (board.turn != color)  # less one for the double step
            if chess.square_distance(foe, goal) > steps and not chess.between(square, goal) & board.occupied:
                fastest = max(fastest, 520 - 20 * steps)
    return total + fastest


def _hunt(board: chess.Board, hunter: chess.Color, cornering: bool) -> int:
    """Return a score for driving a bare king to the edge (or the right corner) and for bringing the king near."""
    friend = board.king(hunter)
    prey = board.king(not hunter)
    if friend is None or prey is None:
        return 0
    driven = 16 * _ring(prey)
    if cornering:
        light = bool(board.bishops & chess.BB_LIGHT_SQUARES)
        if light:
            corners = (chess.A8, chess.H1)
        else:
            corners = (chess.A1, chess.H8)
        # Only a corner of the bishop's colour is a mating corner.
        driven += 14 * (7 - min(chess.square_manhattan_distance(prey, corner) for corner in corners))
    return driven + 9 * (7 - chess.square_distance(friend, prey)) - chess.square_manhattan_distance(friend, prey)


def _bishops(board: chess.Board, material: Balance, leader: chess.Color) -> int:
    """Return how many sixteenths of an advantage count for a side whose only piece is a bishop.

    None with rook pawns and the wrong bishop if the defending king reaches the corner; half with opposite bishops.
    """
    pawns = board.pawns & board.occupied_co[leader]
    bishop = board.bishops & board.occupied_co[leader]
    light = bool(bishop & chess.BB_LIGHT_SQUARES)
    if material.bare[not leader] and pawns and not pawns & ~_ROOK_FILES:
        for file, lane in ((0, chess.BB_FILE_A), (7, chess.BB_FILE_H)):
            corner = chess.square(file, 7 if leader else 0)
            foe = board.king(not leader)
            wrong = bool(chess.BB_SQUARES[corner] & chess.BB_LIGHT_SQUARES) != light
            if not pawns & ~lane and wrong and foe is not None and chess.square_distance(foe, corner) <= 1:
                return 0
    if material.lone_bishop[not leader]:
        other = bool(board.bishops & board.occupied_co[not leader] & chess.BB_LIGHT_SQUARES)
        return 16 if other == light else 8
    return 16


def judge(board: chess.Board, total: int) -> int:
    """Return the evaluation for the side to move.

    Args:
        board: The board.
        total: The packed sum over its pieces.
    """
    # Halves are added before shifting since the lower parts of a packed number may be negative.
    counts = total + _HALF_COUNT >> _COUNT
    scores = total - (counts << _COUNT)
    material = balance(counts)
    if material.dead:
        return 0
    if board.pawns:
        white = board.occupied_co[chess.WHITE]
        black = board.occupied_co[chess.BLACK]
        pawns, white_passed, black_passed = structure(board.pawns & white, board.pawns & black)
        scores += pawns
        if white_passed:
            scores += _escort(board, white_passed, chess.WHITE, material.bare[chess.BLACK]) << _SHIFT
        if black_passed:
            scores -= _escort(board, black_passed, chess.BLACK, material.bare[chess.WHITE]) << _SHIFT
    if material.hunter is not None:
        hunt = _hunt(board, material.hunter, material.cornering) << _SHIFT
        scores += hunt if material.hunter else -hunt
    if not board.turn:
        scores = -scores
    end = (scores + _HALF) >> _SHIFT
    middle = scores - (end << _SHIFT)
    score = (middle * material.phase + end * (256 - material.phase)) >> 8
    leader = board.turn if score > 0 else not board.turn
    share = material.share[leader]
    if material.lone_bishop[leader] and share == 16:
        share = _bishops(board, material, leader)
    if share == 16:
        return score
    return score * share >> 4


class ChessGameState(chess.Board):
    """A :class:`chess.Board` whose repetitions and evaluation cost the same at move 200 as at move 1.

    ``push`` and ``pop`` update the packed sum and the earlier positions. Satisfies
    :class:`~endgame_core.game_state.GameState`.

    Args:
        position: The start position; its move stack is ignored.
    """

    def __init__(self, position: chess.Board | None = None) -> None:
        self._sum = 0
        self._past: dict[int, int] = {}  # occurrences of earlier positions by key
        self._undo: list[tuple[int, int]] = []  # packed sum and key before each move
        super().__init__(None)
        if position is not None:
            for square, piece in position.piece_map().items():
                self._set_piece_at(square, piece.piece_type, piece.color)
            self.turn = position.turn
            self.castling_rights = position.clean_castling_rights()
            self.ep_square = position.ep_square
            self.halfmove_clock = position.halfmove_clock
            self.fullmove_number = position.fullmove_number
        self._start = self.position

    # python-chess makes every move through these two methods.

    def _remove_piece_at(self, square: chess.Square) -> chess.PieceType | None:
        white = self.occupied_co[chess.WHITE] & chess.BB_SQUARES[square]
        piece = super()._remove_piece_at(square)
        if piece is not None:
            self._sum -= MEN[1 if white else 0][piece][square]
        return piece

    def _set_piece_at(
        self, square: chess.Square, piece_type: chess.PieceType, color: chess.Color, promoted: bool = False
    ) -> None:
        super()._set_piece_at(square, piece_type, color, promoted)
        self._sum += MEN[color][piece_type][square]

    def copy(self, *, stack: bool | int = True) -> Self:
        """Return a copy, with all moves or without history."""
        board = super().copy(stack=bool(stack))
        board._sum = self._sum
        board._start = self._start if stack else board.position
        if stack:
            board._undo = self._undo.copy()
            board._past = self._past.copy()
        return board

    def push(self, move: chess.Move) -> None:
        """Make a pseudo-legal move or a null move."""
        key = self.key
        self._undo.append((self._sum, key))
        self._past[key] = self._past.get(key, 0) + 1
        super().push(move)

    def pop(self) -> chess.Move:
        """Take back the last move; raises IndexError if there is none."""
        # python-chess restores the whole board at once, not through the two methods above, hence the stored sum.
        move = super().pop()
        self._sum, key = self._undo.pop()
        occurrences = self._past.pop(key)
        if occurrences > 1:
            self._past[key] = occurrences - 1
        return move

    @property
    def key(self) -> int:
        """A 64-bit hash of the pieces, side to move, castling rights and a legal en passant capture."""
        passed = self.ep_square
        if passed is not None and not self.has_legal_en_passant():
            passed = None
        men = (
            self.occupied_co[chess.WHITE], self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings,
        )  # fmt: skip
        # Python hashes an int modulo 2**61 - 1, so that f8 would hash like a1, g8 like b1 and h8 like c1.
        corner = tuple(bitboard >> 61 for bitboard in men)
        return hash((men, corner, self.turn, self.castling_rights, passed))

    @property
    def occurrences(self) -> int:
        """The number of times that the position has occurred since the start, including now."""
        return self._past.get(self.key, 0) + 1

    # The interface of GameState.

    @property
    def clock(self) -> int:
        """Plies since the last capture or pawn move."""
        return self.halfmove_clock

    @property
    def evaluation(self) -> int:
        """The evaluation for the side to move, in hundredths of a pawn."""
        return judge(self, self._sum)

    @property
    def position(self) -> chess.Board:
        """A plain :class:`chess.Board` without history."""
        return chess.Board(self.fen(en_passant="fen"))

    @property
    def live_position(self) -> chess.Board:
        """The board itself, not to be changed."""
        return self

    @property
    def start(self) -> chess.Board:
        """The position that the game started from."""
        return self._start

    @property
    def history(self) -> Sequence[chess.Move]:
        """All moves since the start."""
        return self.move_stack

    def skip(self) -> bool:
        """Make a null move; return False instead in check or with fewer than two pieces, where zugzwang is likely."""
        # x & (x - 1) is 0 if at most one bit is set.
        pieces = self.occupied_co[self.turn] & ~self.pawns & ~self.kings
        if not pieces & (pieces - 1) or self.is_check():
            return False
        self.push(chess.Move.null())
        return True

    def moves(self) -> list[chess.Move]:
        """Return all legal moves."""
        return list(self.generate_legal_moves())

    def forcing_moves(self) -> list[chess.Move]:
        """Return captures and promotions; in check, all legal moves."""
        if self.is_check():
            return list(self.generate_legal_moves())
        result = list(self.generate_legal_captures())
        # Promotions by capture are among the captures; these are the others.
        ready = self.pawns & self.occupied_co[self.turn] & (chess.BB_RANK_7 if self.turn else chess.BB_RANK_2)
        if ready:
            result += self.generate_legal_moves(ready, chess.BB_BACKRANKS & ~self.occupied)
        return result

    def gain(self, move: chess.Move) -> int:
        """Return the rank of a move for move ordering: most valuable victim, least valuable attacker; 0 if quiet."""
        captured = self.piece_type_at(move.to_square)
        if captured is None:
            # The target is empty: a promotion, an en passant capture or a quiet move.
            if move.promotion is not None:
                return 16 * (move.promotion - 1)
            if move.to_square != self.ep_square or not self.pawns & chess.BB_SQUARES[move.from_square]:
                return 0
            captured = chess.PAWN
        mover = self.piece_type_at(move.from_square)
        return 16 * (captured + (move.promotion or 1) - 1) + 7 - (mover or 0)

    def is_threatened(self) -> bool:
        """Return whether the side to move is in check."""
        return self.is_check()

    def may_be_in_tables(self) -> bool:
        """Return whether the number of pieces is within the range of tables."""
        return self.occupied.bit_count() <= MOST_MEN

    def board_outcome(self) -> Win | Draw | None:
        """Return checkmate or stalemate; None while there is a legal move."""
        if any(self.generate_legal_moves()):
            return None
        if self.is_check():
            return Win.MATE
        return Draw.STALEMATE

    def claimable_draw(self, move: chess.Move | None = None) -> Draw | None:
        """Return the draw that can be claimed now, or by announcing a move; None for no draw."""
        if move is not None:
            self.push(move)
            result = self.claimable_draw()
            self.pop()
            return result
        if self._past.get(self.key, 0) >= 2:
            return Draw.THREEFOLD
        # Checkmate, and stalemate, come before the claim.
        if self.halfmove_clock >= HORIZON and any(self.generate_legal_moves()):
            return Draw.FIFTY
        return None

    def is_dead(self) -> bool:
        """Return whether neither side has enough material to mate."""
        return self.is_insufficient_material()

    def automatic_draw(self) -> Draw | None:
        """Return the draw that ends the game without a claim; None while it goes on, and after checkmate."""
        finished = self.board_outcome()
        if finished is not None:
            if isinstance(finished, Draw):
                return finished
            return None
        if self.is_dead():
            return Draw.MEN
        if self.occurrences >= 5:
            return Draw.FIVEFOLD
        if self.halfmove_clock >= LAST_CLOCK:
            return Draw.SEVENTY_FIVE
        return None
