"""Grades and defenders behave as their definitions say."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.errors import EndgameError
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence, accepts_draw, can_win, has_chances, reply, suggestion
from endgame_core.practice.match import Match
from endgame_core.practice.theme import DrillMode, Starts, Theme
from endgame_core.tables.explorer import Explorer
from endgame_core.values import DRAW, Category, Grade, GradeTally, Kind, code_before, grade_of, value_of
from tests.positions import by_depth, grade

Chess = Explorer[chess.Board, chess.Move]
Draw = Callable[[str], chess.Board]
ENDINGS = ["KQvK", "KPvK", "KBNvK", "KQvKR", "KPvKP", "KRvKB", "KBPvK"]


@given(st.integers(0, 255), st.integers(0, 255))
def test_grades_follow_from_the_results(one: int, two: int) -> None:
    best, played = max(one, two), min(one, two)
    found = grade_of(best, played)
    (was, deep), (now, deeper) = value_of(best), value_of(played)
    assert found.kind.is_error == (was is not now)
    if was is now and deep is not None and deeper is not None:
        assert found.plies == abs(deep - deeper)
        assert (found.kind is Kind.BEST) == (best == played)
        assert found.kind in (Kind.BEST, Kind.SLOWER if now is Category.WIN else Kind.FASTER)
    else:
        assert found.plies == 0


@pytest.mark.parametrize("ending", ENDINGS)
def test_grades_agree_with_the_rated_moves(explorer: Chess, random_board: Draw, ending: str) -> None:
    same = {"slower": Kind.SLOWER, "faster": Kind.FASTER, "draw": Kind.WIN_GONE, "loss": Kind.LOSES}
    for _ in range(5):
        board = random_board(ending)
        drawn = explorer.code(board) == DRAW
        for move in by_depth(explorer, board):
            expected = same.get(move.grade) or (Kind.HOLDS if drawn else Kind.BEST)
            assert grade(explorer, board, move.move) == Grade(expected, move.later)


def test_a_tally_counts_grades_plies_and_errors() -> None:
    found = GradeTally.of([Grade(Kind.BEST), Grade(Kind.SLOWER, 4), None, Grade(Kind.SLOWER, 2), Grade(Kind.LOSES)])
    assert found.counts == {Kind.BEST: 1, Kind.SLOWER: 2, Kind.LOSES: 1}
    assert (found.plies, found.errors, found.moves) == (6, 1, 4)


@pytest.mark.parametrize("defence", Defence)
@pytest.mark.parametrize("ending", ENDINGS)
def test_results_are_kept_and_wins_are_shortest(
    explorer: Chess, random_board: Draw, ending: str, defence: Defence
) -> None:
    rng = random.Random(4)
    for _ in range(12):
        board = random_board(ending)
        if board.is_game_over():
            continue
        move = reply(Judge(explorer), board, defence, rng)
        found = grade(explorer, board, move)
        assert not found.kind.is_error and found.kind is not Kind.SLOWER
        if defence in (Defence.PERFECT, Defence.VARIED):
            assert found.plies == 0


def left(explorer: Chess, board: chess.Board, move: chess.Move) -> tuple[int, int]:
    """How many moves keep the opponent's result after a reply, and minus what the reply is worth."""
    after = explorer.game.play(board, move)
    worth = code_before(explorer.code(after))
    codes = [code_before(explorer.code(explorer.game.play(after, answer))) for answer in explorer.game.moves(after)]
    keeps = [code for code in codes if (code > DRAW if worth < DRAW else code >= DRAW)]
    return len(keeps), -worth


@pytest.mark.parametrize("ending", ENDINGS)
def test_tricky_leaves_the_fewest_good_moves(explorer: Chess, random_board: Draw, ending: str) -> None:
    rng, seen = random.Random(5), 0
    while seen < 6:
        board = random_board(ending)
        code = explorer.code(board)
        if board.is_game_over() or code >= DRAW:
            continue
        seen += 1
        options = {move: left(explorer, board, move) for move in board.legal_moves}
        assert options[reply(Judge(explorer), board, Defence.TRICKY, rng)] == min(options.values())


@pytest.mark.parametrize("defence", Defence)
@pytest.mark.parametrize("ending", ["KRvKN", "KRvKB"])
def test_a_defender_with_winning_chances_keeps_the_material(explorer: Chess, ending: str, defence: Defence) -> None:
    rng = random.Random(8)
    for _ in range(2):
        start = Starts(explorer, rng).draw(Theme(ending, DrillMode.HOLD))
        match = Match(Judge(explorer), start.position, start.learner, defence)
        for _ in range(12):
            if match.your_turn:
                replies = [
                    move
                    for move in explorer.game.moves(match.position)
                    if code_before(explorer.code(explorer.game.play(match.position, move))) >= DRAW
                ]
                match.play(rng.choice(replies))
            else:
                match.play(match.reply(rng))
        rooks = match.position.occupied_co[match.opponent == "white"] & match.position.rooks
        assert rooks.bit_count() == 1, match.position.fen()
        keys = [explorer.game.start_game(ply.after).key for ply in match.plies if not ply.own]
        assert len(set(keys)) == len(keys), "no position is repeated"


@pytest.mark.parametrize("fen", ["8/7Q/3K4/8/8/8/pk6/8 w - - 0 1", "8/8/8/3K4/8/8/3R4/6bk w - - 0 1"])
def test_a_defender_does_not_give_a_piece_away(explorer: Chess, fen: str) -> None:
    board = chess.Board(fen)
    if not explorer.library.is_built(explorer.game.ending_of(board)):
        pytest.skip("its ending is not among the tables of tests")
    for seed in range(5):
        after = explorer.game.play(board, reply(Judge(explorer), board, Defence.PERFECT, random.Random(seed)))
        assert explorer.game.terminal(after) is None and can_win(explorer, after, "white")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        ("8/8/4k3/8/8/3K4/4B3/6b1 w - - 0 1", False, False),  # can be won, but only with the loser's help
        ("8/8/4k3/8/8/3K4/4R3/6b1 w - - 0 1", True, False),
        ("8/8/4k1p1/8/8/3K4/4B3/8 w - - 0 1", False, True),
    ],
)
def test_a_few_won_positions_are_no_winning_chances(explorer: Chess, fen: str, white: bool, black: bool) -> None:
    board = chess.Board(fen)
    assert (has_chances(explorer, board, "white"), has_chances(explorer, board, "black")) == (white, black)


@pytest.mark.parametrize("defence", [Defence.PERFECT, Defence.TRICKY, Defence.VARIED])
def test_a_defender_pushes_no_pawn_into_capture(explorer: Chess, defence: Defence) -> None:
    """In a drawn KBvKP the side with the pawn keeps it, as long as any move does."""
    rng = random.Random(11)

    def keeps(after: chess.Board) -> bool:
        captures = (move for move in after.legal_moves if after.is_capture(move))
        return all(code_before(explorer.code(_played(after, move))) < DRAW for move in captures)

    for _ in range(30):
        board = explorer.random("KBvKP", None, None, rng, 1)
        drawing = [
            after
            for move in board.legal_moves
            if code_before(explorer.code(after := _played(board, move))) == DRAW and after.pawns
        ]
        if not any(map(keeps, drawing)):
            continue
        after = _played(board, reply(Judge(explorer), board, defence, rng))
        assert keeps(after) and (after.pawns or after.queens or after.rooks or after.knights or after.bishops)


def _played(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


def test_varied_plays_every_longest_move_and_human_others_too(explorer: Chess) -> None:
    board = chess.Board("8/8/8/3k4/8/8/6B1/KN6 b - - 0 1")
    rng = random.Random(6)
    seen = {defence: {reply(Judge(explorer), board, defence, rng) for _ in range(200)} for defence in Defence}
    longest = {move.move for move in by_depth(explorer, board) if move.grade == "best"}
    assert seen[Defence.PERFECT] <= longest
    assert seen[Defence.VARIED] == longest
    assert len(seen[Defence.HUMAN]) > len(longest)


def test_human_prefers_what_gives_away_less(explorer: Chess) -> None:
    board = chess.Board("8/8/8/3k4/8/8/6B1/KN6 b - - 0 1")
    rng = random.Random(7)
    played = [grade(explorer, board, reply(Judge(explorer), board, Defence.HUMAN, rng)).plies for _ in range(400)]
    counts = [
        sum(explorer_move.later == plies for explorer_move in by_depth(explorer, board))
        for plies in sorted(set(played))
    ]
    rates = [played.count(plies) / count for plies, count in zip(sorted(set(played)), counts, strict=True)]
    assert rates[0] > rates[-1]


def test_a_hint_in_a_draw_keeps_many_moves_that_hold(explorer: Chess, random_board: Draw) -> None:
    rng, seen = random.Random(9), 0
    while seen < 4:
        board = random_board("KRvKN")
        probe = Judge(explorer).probe(board)
        best = [rated for rated in probe.by_depth if rated.grade == "best"]
        if explorer.code(board) != DRAW or len(best) < 2:
            continue
        seen += 1
        move = suggestion(Judge(explorer), board, probe, rng)
        assert move in [rated.move for rated in best] and grade(explorer, board, move).kind is Kind.HOLDS


def test_a_defender_has_no_reply_when_the_game_is_over(explorer: Chess) -> None:
    with pytest.raises(EndgameError, match="over"):
        reply(Judge(explorer), chess.Board("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), Defence.TRICKY, random.Random(1))


@pytest.mark.parametrize(
    ("fen", "white", "black"),
    [
        ("8/8/8/3k4/8/8/4P3/K7 w - - 0 1", True, False),
        ("8/4p3/8/3k4/8/8/8/K7 w - - 0 1", False, True),
        ("8/8/8/3k4/8/8/4R3/K6r w - - 0 1", True, True),
        ("8/8/8/3k4/8/8/4B3/K7 w - - 0 1", False, False),
        ("8/8/8/3k4/8/8/8/K7 w - - 0 1", False, False),
    ],
)
def test_a_side_can_win_only_with_mating_material(explorer: Chess, fen: str, white: bool, black: bool) -> None:
    board = chess.Board(fen)
    assert (can_win(explorer, board, "white"), can_win(explorer, board, "black")) == (white, black)


@pytest.mark.parametrize(
    ("fen", "side", "accepts"),
    [
        ("8/8/8/8/4k3/8/4P3/K7 b - - 0 1", "white", True),  # Black cannot go wrong: the pawn falls
        ("8/8/8/8/4k3/8/4P3/K7 b - - 0 1", "black", True),  # Black can never win this
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "black", False),  # lost for him
        ("3k4/8/4K3/4P3/8/8/8/8 b - - 0 1", "black", False),
        ("8/8/8/3k4/8/8/4R3/K6r w - - 0 1", "white", False),  # the king is in check and may go wrong
    ],
)
def test_a_defender_accepts_a_draw_only_without_winning_chances(
    explorer: Chess, fen: str, side: str, accepts: bool
) -> None:
    board = chess.Board(fen)
    if explorer.code(board) != DRAW:
        assert not accepts
    assert accepts_draw(Judge(explorer), board, side) == accepts


def test_a_side_with_winning_chances_declines_a_draw(explorer: Chess, random_board: Draw) -> None:
    seen: set[bool] = set()
    while len(seen) < 2:
        board = random_board("KPvK")
        pawn = "white" if board.pawns & board.occupied_co[chess.WHITE] else "black"
        if explorer.code(board) != DRAW or board.is_game_over() or explorer.game.mover(board) == pawn:
            continue
        loses = any(move.grade == "loss" for move in by_depth(explorer, board))
        assert accepts_draw(Judge(explorer), board, pawn) == (not loses)
        seen.add(loses)
