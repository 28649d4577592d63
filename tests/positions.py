"""Positions for tests: any men anywhere, and positions in which a pawn has just passed another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import chess
from hypothesis import strategies as st

from endgame_core.chess import material
from endgame_core.judge import Judge
from endgame_core.tables.explorer import Explorer, RatedMove
from endgame_core.values import Grade, code_before, grade_of

T = TypeVar("T")
P = TypeVar("P")
M = TypeVar("M")
Pick = Callable[[Sequence[T]], T]

UP_TO_FIVE = tuple(name for name in material.ENDINGS if material.men_count(name) <= 5)
PAWNLESS = tuple(name for name in UP_TO_FIVE if not material.has_pawns(name))
WITH_PAWNS = tuple(name for name in UP_TO_FIVE if material.has_pawns(name))
PASSABLE = tuple(name for name in WITH_PAWNS if all("P" in side for side in name.split("v")))
"""Endings in which en passant is possible."""

PAWN_SQUARES = chess.BB_ALL & ~chess.BB_BACKRANKS


def men_of(ending: str) -> list[chess.Piece]:
    """The men of an ending, pawns first: they have fewer squares."""
    white, black = ending.split("v")
    men = [chess.Piece.from_symbol(letter) for letter in white + black.lower()]
    return sorted(men, key=lambda man: man.piece_type)


def place(board: chess.Board, men: Sequence[chess.Piece], pick: Pick[int], kept_free: int = 0) -> chess.Board:
    """Puts men on free squares, pawns on ranks 2 to 7."""
    for man in men:
        allowed = PAWN_SQUARES if man.piece_type == chess.PAWN else chess.BB_ALL
        board.set_piece_at(pick(list(chess.SquareSet(allowed & ~board.occupied & ~kept_free))), man)
    return board


def is_legal(board: chess.Board) -> bool:
    """Whether the kings stand apart and the side that has just moved is not in check."""
    kings = board.king(chess.WHITE), board.king(chess.BLACK)
    assert kings[0] is not None and kings[1] is not None
    return chess.square_distance(kings[0], kings[1]) > 1 and not board.was_into_check()


def just_passed(ending: str, pick: Pick[int]) -> chess.Board:
    """A pawn has just gone two squares and stands beside an enemy pawn; not always legal."""
    pusher, file = pick([chess.WHITE, chess.BLACK]) == chess.WHITE, pick(range(8))
    beside = pick([at for at in (file - 1, file + 1) if 0 <= at < 8])
    ranks = (1, 2, 3) if pusher else (6, 5, 4)
    board = chess.Board(None)
    board.set_piece_at(chess.square(file, ranks[2]), chess.Piece(chess.PAWN, pusher))
    board.set_piece_at(chess.square(beside, ranks[2]), chess.Piece(chess.PAWN, not pusher))
    men = men_of(ending)
    men.remove(chess.Piece(chess.PAWN, chess.WHITE))
    men.remove(chess.Piece(chess.PAWN, chess.BLACK))
    passed = chess.BB_SQUARES[chess.square(file, ranks[0])] | chess.BB_SQUARES[chess.square(file, ranks[1])]
    place(board, men, pick, kept_free=passed)
    board.turn = not pusher
    board.ep_square = chess.square(file, ranks[1])
    return board


@st.composite
def placed(draw: st.DrawFn, endings: Sequence[str] = UP_TO_FIVE) -> tuple[str, chess.Board]:
    """An ending and its men on any squares, either side to move; not always legal."""
    ending = draw(st.sampled_from(endings))
    board = place(chess.Board(None), men_of(ending), lambda squares: draw(st.sampled_from(squares)))
    board.turn = draw(st.booleans())
    return ending, board


@st.composite
def passed(draw: st.DrawFn, endings: Sequence[str] = PASSABLE) -> tuple[str, chess.Board]:
    """An ending, and a position of it after a double push beside an enemy pawn; not always legal."""
    ending = draw(st.sampled_from(endings))
    return ending, just_passed(ending, lambda choices: draw(st.sampled_from(choices)))


def grade(explorer: Explorer[chess.Board, chess.Move], board: chess.Board, move: chess.Move) -> Grade:
    """Grades a legal move by the tables alone, which know neither the 50-move rule nor repetitions."""
    return grade_of(explorer.code(board), code_before(explorer.code(explorer.game.play(board, move))))


def by_depth(explorer: Explorer[P, M], position: P) -> tuple[RatedMove[P, M], ...]:
    """All moves of a position by depth, best first; raises what keeps them from being known."""
    known = Judge(explorer).probe(position)
    if known.problem is not None:
        raise known.problem
    return known.by_depth
