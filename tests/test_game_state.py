"""``ChessGameState`` against python-chess: keys, repetitions, evaluation and undo in random games."""

from __future__ import annotations

import copy
import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.chess.game_state import MEN, ChessGameState, judge
from endgame_core.game_state import Draw, Win

from .conftest import fast

STARTS = (
    chess.STARTING_FEN,
    "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
    "4k3/2p1p3/8/1P1P1P2/1p1p1p2/8/2P1P3/4K3 w - - 5 20",
    "8/8/8/KPp4r/8/8/8/7k w - c6 0 1",
    "8/2k5/8/8/3BN3/8/5K2/8 w - - 40 80",
    "8/8/4k3/8/8/3QK3/8/8 b - - 0 1",
    "6k1/5p2/8/8/3r4/8/1R3PP1/6K1 w - - 3 50",
)


def evaluate(board: chess.Board) -> int:
    """The evaluation of any board, summed up from its men, for the side to move."""
    return judge(board, sum(MEN[man.color][man.piece_type][square] for square, man in board.piece_map().items()))


def agree(board: ChessGameState, plain: chess.Board) -> None:
    assert board.key == ChessGameState(plain).key
    assert board.evaluation == evaluate(plain) == evaluate(plain.mirror())
    assert board.fen() == plain.fen()
    assert board.clock == plain.halfmove_clock


def started(fen: str) -> ChessGameState:
    return ChessGameState(chess.Board(fen))


def again(board: chess.Board) -> chess.Board:
    """A plain board set up from the FEN."""
    return chess.Board(board.fen(en_passant="fen"))


def choose(board: chess.Board, rng: random.Random) -> chess.Move:
    """A legal move that often goes back, so that positions repeat; now and then a null move."""
    if rng.random() < 0.02 and not board.is_check():
        return chess.Move.null()
    legal = list(board.legal_moves)
    if len(board.move_stack) >= 2 and rng.random() < 0.6:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in legal:
            return back
    return rng.choice(legal)


def play(seed: int, steps: int) -> None:
    rng = random.Random(seed)
    board, plain = started(STARTS[seed % 8]), chess.Board(STARTS[seed % 8])
    seen: list[tuple[int, int, int, str]] = []
    for _ in range(steps):
        if plain.move_stack and (rng.random() < 0.2 or not any(plain.legal_moves)):
            for _ in range(rng.randint(1, min(6, len(seen)))):
                assert board.pop() == plain.pop()
                now = (board.key, board.evaluation, board.occurrences, board.fen())
                assert now == seen.pop()
        elif any(plain.legal_moves):
            seen.append((board.key, board.evaluation, board.occurrences, board.fen()))
            move = choose(plain, rng)
            board.push(move)
            plain.push(move)
        agree(board, plain)
        for count in (2, 3, 5):
            assert (board.occurrences >= count) == plain.is_repetition(count)


@pytest.mark.parametrize("block", fast(range(4)))
def test_random_games_with_takebacks_keep_the_state(block: int) -> None:
    for seed in range(54 * block, 54 * block + 54):
        play(seed, 40)


@pytest.mark.exhaustive
@pytest.mark.parametrize("block", range(16))
def test_thousands_of_random_games_with_takebacks_keep_the_state(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        play(seed, 80)


@pytest.mark.slow
def test_games_end_when_python_chess_ends_them() -> None:
    for seed in range(20):
        rng = random.Random(seed)
        board, plain = started(STARTS[5 + seed % 3]), chess.Board(STARTS[5 + seed % 3])
        while not plain.is_game_over():
            move = rng.choice(list(plain.legal_moves))
            assert (board.board_outcome(), board.automatic_draw()) == (None, None)
            assert (board.claimable_draw() is Draw.FIFTY) == (
                plain.halfmove_clock >= 100 and not plain.is_repetition(3)
            )
            announced = board.claimable_draw(move)
            board.push(move)
            plain.push(move)
            assert announced == board.claimable_draw()
            agree(board, plain)
        outcome = plain.outcome()
        assert outcome is not None
        expected = {
            chess.Termination.CHECKMATE: None,
            chess.Termination.STALEMATE: Draw.STALEMATE,
            chess.Termination.INSUFFICIENT_MATERIAL: Draw.MEN,
            chess.Termination.SEVENTYFIVE_MOVES: Draw.SEVENTY_FIVE,
            chess.Termination.FIVEFOLD_REPETITION: Draw.FIVEFOLD,
        }[outcome.termination]
        assert board.automatic_draw() == expected
        assert (board.board_outcome() is Win.MATE) == plain.is_checkmate()


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("kept", [True, False])
def test_copies_are_equal_and_independent(start: str, kept: bool) -> None:
    rng = random.Random(7)
    board = started(start)
    while len(board.move_stack) < 20:
        board.push(choose(board, rng))
    twin = board.copy(stack=kept)
    agree(twin, again(board))
    before = board.key, board.occurrences, board.evaluation
    if kept:
        assert (twin.key, twin.occurrences, twin.evaluation) == before
        assert copy.deepcopy(board).occurrences == board.occurrences
    while twin.move_stack:
        twin.pop()
        agree(twin, again(twin))
    assert twin.occurrences == 1
    assert (board.key, board.occurrences, board.evaluation) == before
    assert twin.start == again(twin) and board.start == chess.Board(start)


def test_a_game_starts_without_the_history_of_its_board() -> None:
    board = chess.Board(STARTS[7])
    for uci in ("g1h2", "g8g7", "h2g1", "g7g8"):
        board.push_uci(uci)
    tracked = CHESS.start_game(board)
    assert tracked.occurrences == 1
    assert not tracked.history
    assert tracked.fen() == board.fen()
    assert type(tracked.position) is chess.Board


def test_a_pinned_en_passant_capture_does_not_distinguish_positions() -> None:
    board, plain = started("8/2p5/8/KP5r/8/8/8/4k3 b - - 0 1"), chess.Board("8/2p5/8/KP5r/8/8/8/4k3 b - - 0 1")
    for uci in ("c7c5", "a5a4", "e1d1", "a4a5", "d1e1"):
        move = chess.Move.from_uci(uci)
        board.push(move)
        plain.push(move)
        agree(board, plain)
    assert board.occurrences == 2
    assert plain.is_repetition(2)


def test_a_position_that_occurs_three_and_five_times_is_a_draw() -> None:
    board = started("8/8/4k3/8/8/3QK3/8/8 w - - 0 1")
    for times in range(1, 6):
        assert board.occurrences == times
        assert (board.claimable_draw() is Draw.THREEFOLD) == (times >= 3)
        assert (board.automatic_draw() is Draw.FIVEFOLD) == (times >= 5)
        for uci in ("d3d2", "e6e5", "d2d3"):
            board.push_uci(uci)
        announced = board.claimable_draw(chess.Move.from_uci("e5e6"))
        assert (announced is Draw.THREEFOLD) == (times >= 2)
        board.push_uci("e5e6")


def test_mate_on_the_hundredth_ply_is_no_draw() -> None:
    board = started("7k/5K2/8/8/8/8/8/6Q1 w - - 99 90")
    board.push_uci("g1g7")
    assert (board.board_outcome(), board.claimable_draw(), board.automatic_draw()) == (Win.MATE, None, None)
    board.pop()
    board.push_uci("g1g6")
    assert board.automatic_draw() is Draw.STALEMATE


@given(st.lists(st.integers(0, 10_000), max_size=80))
def test_any_moves_can_be_undone(choices: list[int]) -> None:
    board = started(STARTS[1])
    before = board.key, board.evaluation, board.occurrences
    for number in choices:
        legal = board.moves()
        if not legal:
            break
        board.push(legal[number % len(legal)])
    assert set(board.forcing_moves()) <= set(board.moves())
    agree(board, again(board))
    while board.history:
        board.pop()
    assert (board.key, board.evaluation, board.occurrences) == before
    with pytest.raises(IndexError):
        board.pop()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("7k/8/8/8/4K3/8/8/Q7 w - - 0 1", "8/8/4k3/8/8/8/8/QK6 w - - 0 1"),  # a bare king at the edge
        ("4k3/8/P7/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/P7/8/4K3 w - - 0 1"),  # a pawn that nobody stops
        ("k7/8/1K6/8/8/8/8/5BN1 w - - 0 1", "7k/8/6K1/8/8/8/8/1N3B2 b - - 0 1"),  # KBNvK, the right corner
        ("8/5k2/8/8/8/8/1R3P2/6K1 w - - 0 1", "8/5k2/8/8/8/8/1R3b2/6K1 w - - 0 1"),
        ("4k3/8/8/8/3K4/8/4P3/8 w - - 0 1", "4k3/8/8/8/8/8/4P3/K7 w - - 0 1"),  # an active king
    ],
)
def test_the_evaluation_knows_basic_endings(better: str, worse: str) -> None:
    assert started(better).evaluation > started(worse).evaluation


@pytest.mark.parametrize(
    "fen",
    [
        "8/8/4k3/8/8/3NK3/8/8 w - - 0 1",
        "k7/8/8/8/8/4B3/P7/1K6 w - - 0 1",  # a dark bishop, the pawn promotes on a light square
        "8/8/4k3/8/8/2NNK3/8/8 w - - 0 1",
        "8/8/4kb2/8/8/3RK3/8/8 w - - 0 1",
    ],
)
def test_extra_pieces_that_cannot_win_count_little(fen: str) -> None:
    assert abs(started(fen).evaluation) < 60
