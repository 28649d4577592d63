"""Grades, best moves and promises under the 50-move rule: held against what the tables by DTZ say of each position."""

from __future__ import annotations

import random
from collections.abc import Callable

import chess
import pytest

from endgame_core.chess.fifty.rule import FiftyMoves, OwnSource, Source, Zeroing
from endgame_core.chess.game import CHESS
from endgame_core.errors import MissingError
from endgame_core.practice.grading import Grade, Kind, grade
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import Category, Verdict
from endgame_tui.judging import Judge
from endgame_tui.prospects import Prospect
from endgame_tui.walk import MOST_CLOCK, ChessExplorer

SPOILT = "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1"
"""By DTM Qe5+ is best; Qe4 alone keeps the win."""

CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
BLESSED = "8/8/8/8/4k3/8/8/3RK3 b - - 74 1"
"""Kf3 alone is mated before a draw can be claimed."""

ENDINGS = ("KQvKR", "KBNvK", "KRvKP", "KPvK")
_DRAWN = (Category.CURSED_WIN, Category.DRAW, Category.BLESSED_LOSS)
_RESULT = {**dict.fromkeys(_DRAWN, 0), Category.WIN: 1, Category.LOSS: -1}


@pytest.fixture(scope="module")
def explorer(dtz_library: Library) -> ChessExplorer:
    return Explorer(CHESS, Library(CHESS, dtz_library.root))


@pytest.fixture(scope="module")
def fifty(dtz_library: Library, explorer: ChessExplorer) -> FiftyMoves:
    return FiftyMoves(OwnSource(dtz_library), explorer.probe)


@pytest.fixture(scope="module")
def judge(explorer: ChessExplorer, fifty: FiftyMoves) -> Judge:
    return Judge(explorer, lambda: fifty)


def late(board: chess.Board, fifty: FiftyMoves, rng: random.Random) -> chess.Board:
    """The board with a clock at which a win is just in time, or just too late."""
    dtz = abs(fifty.verdict(board).dtz)
    board.halfmove_clock = max(min(MOST_CLOCK - dtz + rng.choice((-2, -1, 0, 0, 0, 1, 2)), 99), 0)
    return board


def grades(judge: Judge, explorer: ChessExplorer, fen: str) -> dict[str, Grade]:
    board = chess.Board(fen)
    found = {board.san(m): judge.grade(board, m, grade(explorer, board, m)) for m in board.legal_moves}
    return {san: worth for san, worth in found.items() if worth is not None}


def test_a_move_that_lets_the_win_become_cursed(judge: Judge, explorer: ChessExplorer) -> None:
    found = grades(judge, explorer, SPOILT)
    assert found["Qe5+"] == Grade(Kind.CURSED) and found["Qe4"] == Grade(Kind.BEST)
    assert found["Kc1"] == Grade(Kind.WIN_GONE) and found["Qe8"] == Grade(Kind.LOSES)
    board = chess.Board(SPOILT)
    assert judge.rated(board, explorer.moves(board))[0].san == "Qe4"
    spoilt = judge.spoilt(board)
    assert spoilt is not None and spoilt.san == "Qe5+"


def test_where_dtz_alone_knows_no_plies_are_counted(judge: Judge) -> None:
    board = chess.Board(SPOILT)
    assert judge.known(board).moves and judge.rated(board, []) == []
    found = {board.san(move): judge.grade(board, move, None) for move in board.legal_moves}
    assert found["Qe4"] == Grade(Kind.KEEPS) and found["Qe5+"] == Grade(Kind.CURSED)
    assert found["Kc1"] == Grade(Kind.WIN_GONE) and found["Qe8"] == Grade(Kind.LOSES)
    assert judge.keeping(board) == ["Qe4"]
    mate = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    assert judge.grade(mate, mate.parse_san("Ra8#"), None) == Grade(Kind.BEST)


class Vague:
    """A source that knows less than another: of some positions nothing, of others a distance that is rounded."""

    def __init__(self, source: Source, missing: int, rounded: int) -> None:
        self.source, self.missing, self.rounded = source, missing, rounded

    def look(self, board: chess.Board) -> Zeroing:
        seed = random.Random(f"{board.board_fen()} {board.turn}")
        if seed.randrange(100) < self.missing:
            raise MissingError("KQvK", "KQvK.rtbw", "add it")
        found = self.source.look(board)
        if found.category not in (Category.WIN, Category.LOSS) or seed.randrange(100) >= self.rounded:
            return found
        less = int(abs(found.dtz) > 1 and seed.random() < 0.5)
        return Zeroing(found.category, found.dtz - less if found.dtz > 0 else found.dtz + less, not found.dtz)


@pytest.mark.parametrize(("missing", "rounded"), [(0, 0), (20, 0), (0, 80), (3, 30)])
@pytest.mark.parametrize("ending", ENDINGS)
def test_grades_by_dtz_alone_are_those_of_all_tables_or_none(
    ending: str,
    missing: int,
    rounded: int,
    judge: Judge,
    explorer: ChessExplorer,
    fifty: FiftyMoves,
    dtz_library: Library,
    random_board: Callable[[str], chess.Board],
) -> None:
    source = Vague(OwnSource(dtz_library), missing, rounded)
    vague = Judge(explorer, lambda: FiftyMoves(source))
    rng, found, out_of = random.Random(ending), 0, 0
    for _ in range(25):
        board = late(random_board(ending), fifty, rng)
        keeping = set[str]()
        for move in board.legal_moves:
            sure, counted = judge.grade(board, move, None), judge.grade(board, move, grade(explorer, board, move))
            assert sure is not None and counted is not None and sure.plies == 0
            assert sure.kind.is_error == counted.kind.is_error
            assert sure.kind is counted.kind or not sure.kind.is_counted
            assert sure.kind is not Kind.BEST or counted.kind is Kind.BEST
            if not sure.kind.is_error:
                keeping.add(board.san(move))
            told = vague.grade(board, move, None)
            assert told in (None, sure), (board.fen(), board.san(move))
            found, out_of = found + (told is not None), out_of + 1
        assert set(judge.keeping(board)) == keeping
        assert set(vague.keeping(board)) in (set(), keeping)
    assert found == out_of if not missing + rounded else 0 < found < out_of


def test_a_blessed_loss_is_held_or_lost_and_a_cursed_win_pursued(judge: Judge, explorer: ChessExplorer) -> None:
    found = grades(judge, explorer, BLESSED)
    assert found.pop("Kf3") == Grade(Kind.LOSES) and set(found.values()) == {Grade(Kind.HOLDS)}
    found = grades(judge, explorer, CURSED)
    assert found["Kf2"] == found["Rb1"] == Grade(Kind.HOLDS) and found["Rd3"] == Grade(Kind.WIN_GONE)


def test_once_a_draw_can_be_claimed_a_grade_says_what_the_row_says(judge: Judge, explorer: ChessExplorer) -> None:
    board = chess.Board("4k3/1P4q1/8/2K5/8/8/8/8 b - - 104 1")
    found = grades(judge, explorer, board.fen())
    for move in judge.rated(board, explorer.moves(board)):
        assert (found[move.san].kind is Kind.CURSED) == (move.grade == "cursed-win")
    assert found["Qxb7"] == Grade(Kind.HOLDS) and found["Qb2"] == Grade(Kind.CURSED)


def test_plies_are_counted_from_the_best_that_keeps_the_win(judge: Judge, explorer: ChessExplorer) -> None:
    found = grades(judge, explorer, "8/K6k/1P6/8/8/8/8/8 w - - 97 1")
    assert found["b7"] == Grade(Kind.BEST) and found["Kb7"] == Grade(Kind.CURSED)
    assert found["Ka6"] == Grade(Kind.SLOWER, 2)


@pytest.mark.parametrize("ending", ENDINGS)
def test_grades_tell_what_became_of_the_result(
    ending: str,
    judge: Judge,
    explorer: ChessExplorer,
    fifty: FiftyMoves,
    random_board: Callable[[str], chess.Board],
) -> None:
    rng = random.Random(ending)
    for _ in range(40):
        board = late(random_board(ending), fifty, rng)
        was = _RESULT[fifty.verdict(board).category]
        for rated in fifty.moves(board):
            now = -_RESULT[rated.category]
            found = judge.grade(board, rated.move, grade(explorer, board, rated.move))
            assert found is not None
            expected = found.kind in (Kind.BEST, Kind.SLOWER, Kind.FASTER, Kind.HOLDS)
            given_up = was == 0 and found.kind is Kind.WIN_GONE
            assert expected == (was == now) or given_up, (board.fen(), board.san(rated.move), found)
            if now < was:
                assert (found.kind is Kind.LOSES) == (now < 0)
                assert (found.kind is Kind.CURSED) == (rated.category is Category.BLESSED_LOSS and was > 0)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_shown_keeps_every_result(
    ending: str, judge: Judge, fifty: FiftyMoves, random_board: Callable[[str], chess.Board]
) -> None:
    rng, won = random.Random(ending), 0
    while won < 8:
        board = late(random_board(ending), fifty, rng)
        was = _RESULT[fifty.verdict(board).category]
        line = judge.line(board)
        for move in line:
            assert not board.is_game_over()
            board.push(move)
            if was and not board.is_checkmate():
                assert board.halfmove_clock < MOST_CLOCK
        if was:
            won += 1
            assert board.is_checkmate()


def test_where_dtz_is_not_known_nothing_changes(explorer: ChessExplorer, empty_library: Library) -> None:
    judge = Judge(explorer, lambda: FiftyMoves(OwnSource(Library(CHESS, empty_library.root)), explorer.probe))
    board = chess.Board(SPOILT)
    moves = explorer.moves(board)
    assert judge.rated(board, moves) == moves and judge.spoilt(board) is None and judge.category(board) is None
    by_dtm = {move.san: grade(explorer, board, move.move) for move in moves}
    assert grades(judge, explorer, SPOILT) == by_dtm
    assert judge.minding(board, moves[0].move) == moves[0].move


@pytest.mark.parametrize(
    ("category", "fifty", "clock", "yours", "promise", "start", "perfect"),
    [
        ("win", None, 0, True, "You can win: mate in 10.", "at mate in 10", "perfect: 10"),
        ("win", None, 81, True, "You can win: mate in 10.", "at mate in 10", "perfect: 10"),
        ("win", None, 82, True, "You can force mate in 10, but", "at mate in 10, the clock at 82", "DTM: mate in 10"),
        ("win", "win", 82, True, "You can win: mate in 10, or later", "at mate in 10 or later", "DTM: mate in 10"),
        ("win", "cursed-win", 82, True, "A cursed win: mate in 10, but", "in a cursed win", "a cursed win"),
        ("win", "cursed-win", 82, False, "A blessed loss: hold out", "in a blessed loss", ""),
        ("win", None, 82, False, "You are mated in 10, unless", "mated in 10, the clock at 82", ""),
        ("win", "win", 0, False, "You are lost: resist for 10 moves.", "mated in 10", ""),
        (None, "win", 82, True, "You can win.", "in a won position", ""),
        (None, "win", 0, False, "You are lost: hold out.", "in a lost position", ""),
        (None, "maybe-win", 50, True, "You may win: one ply decides", "in what may be a win", ""),
        (None, "cursed-win", 82, True, "A cursed win: a draw can be claimed", "in a cursed win", "a cursed win"),
        (None, "draw", 0, True, "The position is drawn: hold it.", "in a draw", ""),
        ("draw", None, 99, True, "The position is drawn: hold it.", "in a draw", ""),
    ],
)
def test_promises(
    category: str | None, fifty: str | None, clock: int, yours: bool, promise: str, start: str, perfect: str
) -> None:
    verdict = None
    if category is not None:
        drawn = category == "draw"
        verdict = Verdict(Category(category), None if drawn else 19, None if drawn else "white")
    prospect = Prospect.of(verdict, None if fifty is None else Category(fifty), clock, yours)
    assert prospect is not None
    assert prospect.promise.startswith(promise)
    assert (prospect.start, prospect.began, prospect.perfect) == (start, f"You began {start}.", perfect)


def test_once_a_draw_can_be_claimed_the_winner_resets_the_clock_and_the_loser_does_not(
    judge: Judge, explorer: ChessExplorer
) -> None:
    board = chess.Board("8/8/8/8/1R1K4/4p3/k7/8 w - - 100 1")
    capture = board.parse_san("Kxe3")
    assert judge.rated(board, explorer.moves(board))[0].move == capture == judge.line(board, 1)[0]
    assert judge.minding(board, explorer.moves(board)[0].move) == capture
    board = chess.Board("8/7k/1R6/1K6/p7/8/8/8 b - - 101 1")
    longest = explorer.moves(board)[0].move
    assert board.is_zeroing(longest) and not board.is_zeroing(judge.minding(board, longest))
    assert not board.is_zeroing(judge.rated(board, explorer.moves(board))[0].move)
