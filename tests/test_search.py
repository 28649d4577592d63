"""The search finds mates, agrees with known values, and stops when told to."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import chess
import pytest

from endgame_core.chess.game import CHESS
from endgame_core.chess.game_state import ChessGameState
from endgame_core.search import MATE, Searcher, mate_in, shifted
from endgame_core.search_estimate import Limits, SearchEstimate
from endgame_core.tables.library import Library
from endgame_core.thinking import table_probe
from endgame_core.values import DRAW, Category, code_before, value_of

from .conftest import fast

Opinion = SearchEstimate[chess.Move]

MATES = (
    ("8/1R6/7q/4p2p/8/7K/4R3/6k1 w - - 0 1", 3),
    ("4N3/8/7k/8/1r5p/K7/1p6/6Q1 w - - 0 1", 3),
    ("8/4kp2/8/1N6/1K1p4/r7/7Q/8 w - - 0 1", 3),
    ("1q1R4/1p6/4K3/1p6/8/6R1/k7/8 w - - 0 1", 3),
    ("k7/3q4/K7/8/1Q4p1/2P5/8/8 w - - 0 1", 3),
    ("8/1Bp1p3/1P6/2q5/7Q/4k3/8/3K4 w - - 0 1", 3),
    ("8/7k/1R6/8/K1p5/p7/3Rq3/8 w - - 0 1", 5),
    ("8/6P1/3p3k/3N4/p7/2B5/4K3/8 w - - 0 1", 5),
    ("8/2p5/7K/8/3P3p/8/2BQ4/3q3k w - - 0 1", 5),
    ("6Q1/p7/4p3/8/7N/1K6/4r3/2k5 w - - 0 1", 5),
    ("3k3B/8/1PK5/4p3/6N1/5p2/8/8 w - - 0 1", 7),
    ("4q3/p6p/2Q5/8/1P2B3/5K2/8/6k1 w - - 0 1", 7),
)
"""Random positions of six to nine men with the plies to mate, as Stockfish 15.1 found them in two million nodes."""

LONGER_MATES = (
    ("4k3/6P1/8/6Q1/8/8/4pK2/3q4 w - - 0 1", 7),
    ("1N6/k1P3R1/6p1/6r1/8/8/4K3/8 w - - 0 1", 7),
    ("3k2B1/P7/6p1/5Q2/1p1q4/8/2K5/8 w - - 0 1", 7),
    ("8/2P5/8/4K3/p2B4/8/4N1p1/1k6 w - - 0 1", 7),
)


def think(fen: str, limits: Limits, searcher: Searcher[chess.Move] | None = None) -> list[Opinion]:
    return list((searcher or Searcher()).estimates(CHESS.start_game(chess.Board(fen)), limits))


def solve(fen: str, plies: int) -> None:
    for position, mirrored in ((chess.Board(fen), False), (chess.Board(fen).mirror(), True)):
        found = think(position.fen(), Limits(seconds=3600, depth=plies))
        assert found[-1].mate == plies, mirrored
        for move in found[-1].line:
            assert move in position.legal_moves
            position.push(move)
        assert position.is_checkmate()


@pytest.mark.parametrize(("fen", "plies"), fast(MATES, 6))
def test_mates_with_many_pieces_are_found(fen: str, plies: int) -> None:
    solve(fen, plies)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("fen", "plies"), LONGER_MATES)
def test_longer_mates_with_many_pieces_are_found(fen: str, plies: int) -> None:
    solve(fen, plies)


def few(library: Library, most: int) -> Callable[[chess.Board], int | None]:
    """Tables of at most so many men, as if no other had been built."""
    probe = table_probe(library)
    return lambda position: probe(position) if position.occupied.bit_count() <= most else None


def truth(library: Library, board: chess.Board) -> int | None:
    """Plies to mate as the search counts them: positive for the side to move; None for a draw."""
    category, depth = value_of(library.code(board))
    return depth if category is Category.WIN else None if depth is None else -depth


@pytest.mark.parametrize("ending", fast(["KQvKR", "KPvKP", "KRvKB", "KQPvK", "KRvKP", "KNvKP"], 2))
def test_mates_have_the_length_of_the_tables(
    ending: str, library: Library, random_board: Callable[[str], chess.Board]
) -> None:
    """With three-men tables alone, the search finds in four-men endings what the four-men tables say."""
    seen: set[int] = set()
    for _ in range(4000):
        board = random_board(ending)
        mate = truth(library, board)
        if mate is None or abs(mate) > 5 or board.is_game_over():
            continue
        seen.add(mate)
        last = list(Searcher(few(library, 3)).estimates(CHESS.start_game(board), Limits(3600, 6)))[-1]
        assert last.mate == mate, board.fen()
        if len(seen) > 2:
            break
    assert seen


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQvKR", "KQvKP", "KQvKQ", "KBvKP"])
def test_exact_results_agree_with_the_tables(
    ending: str, library: Library, random_board: Callable[[str], chess.Board]
) -> None:
    exact = 0
    searcher: Searcher[chess.Move] = Searcher(few(library, 3))
    while exact < 2:
        board = random_board(ending)
        if board.is_game_over():
            continue
        last = list(searcher.estimates(CHESS.start_game(board), Limits(3600, 3)))[-1]
        if last.exact:
            exact += 1
            assert last.mate == truth(library, board), board.fen()
            assert last.mate is not None or last.score == 0


def test_in_a_table_one_probe_is_enough(library: Library, random_board: Callable[[str], chess.Board]) -> None:
    for ending in ("KQvKR", "KPvKP", "KBNvK"):
        for _ in range(10):
            board = random_board(ending)
            found = list(Searcher(table_probe(library)).estimates(CHESS.start_game(board), Limits(3600)))
            assert len(found) == 1
            assert found[0].exact
            assert found[0].mate == truth(library, board)
            best = found[0].move
            if best is not None:
                after = truth(library, CHESS.play(board, best))
                mate = found[0].mate
                assert (mate is None) == (after is None)
                assert mate is None or after is None or abs(after) == abs(mate) - 1


SIMPLIFYING = (
    ("k7/1p3Q2/K7/8/1q1p4/8/8/8 w - - 0 1", -10),
    ("k7/q1Q5/1q6/8/8/8/7P/K7 w - - 0 1", -14),
    ("6q1/8/8/2P4K/8/8/Q6q/7k w - - 0 1", -16),
    ("8/K7/1q6/k2q4/P2Q4/8/8/8 w - - 0 1", None),
    ("2K5/2q1Q3/1k6/1P6/8/5p2/8/8 w - - 0 1", 19),
    ("k7/qq6/8/K7/8/3P4/8/6Q1 w - - 0 1", -12),
)
"""Positions of six men that must be simplified into four; plies to mate for White."""


def plainly(library: Library, board: chess.Board, depth: int) -> int | None:
    """The code by plain minimax with tables, or None where a line of so many plies leaves it open."""
    if board.occupied.bit_count() <= 4:
        return library.code(board)
    if not any(board.legal_moves):
        return 0 if board.is_check() else DRAW
    if not depth:
        return None
    codes: list[int | None] = []
    for move in board.legal_moves:
        code = plainly(library, CHESS.play(board, move), depth - 1)
        codes.append(None if code is None else code_before(code))
    known = [code for code in codes if code is not None]
    return max(known) if len(known) == len(codes) else None


@pytest.mark.parametrize(("fen", "mate"), SIMPLIFYING)
def test_six_pieces_that_simplify_into_a_table_have_its_distance(fen: str, mate: int | None, library: Library) -> None:
    """Both sides must take: the mate is plies on the board and plies in the table, added up exactly."""
    board = chess.Board(fen)
    code = plainly(library, board, 4)
    assert code is not None
    category, depth = value_of(code)
    assert mate == (None if depth is None else depth if category is Category.WIN else -depth)
    last = list(Searcher(table_probe(library)).estimates(CHESS.start_game(board), Limits(3600, 6)))[-1]
    assert last.exact
    assert (last.mate, last.score) == (mate, 0)
    assert last.looked_up


def test_the_first_estimate_is_of_depth_1() -> None:
    first = next(iter(Searcher().estimates(ChessGameState(chess.Board()), Limits(3600))))
    assert first.depth == 1
    assert first.move in chess.Board().legal_moves


def test_without_time_the_search_still_returns_a_move() -> None:
    found = think("8/5k2/3p4/1p1Pp3/pP2Pp2/P4P2/5K2/8 w - - 0 1", Limits(seconds=0))
    assert [estimate.depth for estimate in found] == [1]
    assert found[0].move is not None


def test_the_search_obeys_limits_of_depth_and_nodes() -> None:
    fen = "2k5/2p1p3/8/1P1P1P2/1p1p1p2/8/2P1P3/2K5 w - - 0 1"
    assert [estimate.depth for estimate in think(fen, Limits(3600, 4))] == [1, 2, 3, 4]
    assert think(fen, Limits(3600, 60, 2000))[-1].nodes < 2000


def test_the_search_can_be_cancelled_at_any_moment() -> None:
    fen = "2k5/2p1p3/8/1P1P1P2/1p1p1p2/8/2P1P3/2K5 w - - 0 1"
    game = CHESS.start_game(chess.Board(fen))
    for moment in (1, 2, 5, 40):
        asked = count(1)
        searcher: Searcher[chess.Move] = Searcher()
        found = list(searcher.estimates(game, Limits(3600), lambda asked=asked, last=moment: next(asked) >= last))
        assert all(estimate.line for estimate in found)
        assert next(asked) == moment + 1
        again = think(fen, Limits(3600, 4), searcher)
        assert [estimate.depth for estimate in again] == [1, 2, 3, 4]
    assert game.fen() == fen
    assert not game.history


def test_a_game_that_is_over_has_no_line() -> None:
    mated, stalemate = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1"
    assert [(e.mate, e.line, e.exact) for e in think(mated, Limits())] == [(0, (), True)]
    assert [(e.mate, e.score, e.line) for e in think(stalemate, Limits())] == [(None, 0, ())]


def test_a_losing_side_repeats_if_it_can() -> None:
    """White has stood on g1 twice already, with the same men: once more is a draw."""
    board = ChessGameState(chess.Board("8/8/4k3/8/8/q7/8/5K2 w - - 0 1"))
    for _ in range(2):
        for uci in ("f1g1", "e6e5", "g1f1", "e5e6"):
            board.push_uci(uci)
    last = list(Searcher[chess.Move]().estimates(board, Limits(3600, 3)))[-1]
    assert (last.score, last.mate, last.move) == (0, None, chess.Move.from_uci("f1g1"))


def test_a_mate_beyond_the_50_move_rule_is_a_draw() -> None:
    """Mate in two plies more than the clock allows is no mate."""
    fen = "7k/8/5K2/8/8/8/8/R7 w - - {} 90"
    assert think(fen.format(0), Limits(3600, 6))[-1].mate == 3
    late = think(fen.format(98), Limits(3600, 6))[-1]
    assert (late.mate, late.score) == (None, 0)


def test_a_passed_move_is_undone() -> None:
    game = ChessGameState(chess.Board("8/2k5/3p4/3PR3/8/2K1B3/8/3r2b1 w - - 7 30"))
    before = game.key, game.fen()
    assert game.skip()
    assert game.key != before[0]
    game.pop()
    assert (game.key, game.fen()) == before
    assert not ChessGameState(chess.Board("8/2k5/3p4/3P4/8/2K5/8/3r2b1 w - - 0 30")).skip()


@pytest.mark.parametrize("score", [0, 15, -900, MATE - 61, MATE - 300, 75 - MATE, 60 - MATE])
def test_mate_scores_in_the_cache_are_relative_to_their_position(score: int) -> None:
    for ply in (0, 1, 60):
        stored = shifted(score, -ply)
        assert shifted(stored, ply) == score
        mate, there = mate_in(score), mate_in(stored)
        assert (mate is None) == (there is None)
        assert mate is None or there is None or abs(mate) == abs(there) + ply
