"""Grades, best moves and results under the 50-move rule, compared with the DTZ tables."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.chess.fifty import FiftyMoves, OwnSource, Source
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.chess.metrics import Zeroing
from endgame_core.errors import EndgameError, MissingError, PositionError, TableError
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.metric import DTZ
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.probe_result import ProbeResult
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.values import HORIZON, Category, Fifty, Grade, Kind
from tests.conftest import link
from tests.positions import by_depth, grade

from .conftest import fast

ChessExplorer = Explorer[chess.Board, chess.Move]
ChessJudge = Judge[chess.Board, chess.Move]

SPOILT = "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1"
"""By DTM Qe5+ is best; Qe4 alone keeps the win."""

CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
BLESSED = "8/8/8/8/4k3/8/8/3RK3 b - - 74 1"
"""Kf3 alone is mated before a draw can be claimed."""

ENDINGS = ("KQvKR", "KBNvK", "KRvKP", "KPvK")
_DRAWN = (Category.CURSED_WIN, Category.DRAW, Category.BLESSED_LOSS)
_RESULT = {**dict.fromkeys(_DRAWN, 0), Category.WIN: 1, Category.LOSS: -1}


@pytest.fixture(scope="session")
def explorer(dtz_library: Library) -> ChessExplorer:
    return Explorer(CHESS, Library(CHESS, dtz_library.root))


@pytest.fixture(scope="session")
def fifty(dtz_library: Library, explorer: ChessExplorer) -> FiftyMoves:
    return FiftyMoves(OwnSource(dtz_library))


@pytest.fixture(scope="session")
def judge(explorer: ChessExplorer, fifty: FiftyMoves) -> ChessJudge:
    return Judge(explorer, lambda: fifty)


@pytest.fixture(scope="session")
def blind(fifty: FiftyMoves, tmp_path_factory: pytest.TempPathFactory) -> ChessJudge:
    """Knows DTZ alone."""
    return Judge(Explorer(CHESS, Library(CHESS, tmp_path_factory.mktemp("blind"))), lambda: fifty)


class NoSource(Source):
    """No table by DTZ at all, not even a shipped one."""

    def reaches(self, board: chess.Board) -> bool:
        return False

    def look(self, board: chess.Board) -> Zeroing:
        raise MissingError("KPvKP", "KPvKP by DTZ", "build it")


@pytest.fixture(scope="session")
def by_dtm(explorer: ChessExplorer) -> ChessJudge:
    """Knows DTM alone."""
    return Judge(explorer, lambda: FiftyMoves(NoSource()))


def fifty_of(judge: ChessJudge, board: chess.Board) -> Fifty:
    found = judge.probe(board).fifty
    assert found is not None
    return found


def late(board: chess.Board, judge: ChessJudge, rng: random.Random) -> chess.Board:
    """The board with a clock at which a win is just in time, or just too late."""
    dtz = abs(fifty_of(judge, board).dtz)
    board.halfmove_clock = max(min(HORIZON - dtz + rng.choice((-2, -1, 0, 0, 0, 1, 2)), 99), 0)
    return board


def grades(judge: ChessJudge, fen: str) -> dict[str, Grade]:
    board = chess.Board(fen)
    found = {board.san(m): judge.grade(board, m) for m in board.legal_moves}
    return {san: worth for san, worth in found.items() if worth is not None}


def test_a_move_into_a_cursed_win_is_graded_cursed(judge: ChessJudge) -> None:
    found = grades(judge, SPOILT)
    assert found["Qe5+"] == Grade(Kind.CURSED) and found["Qe4"] == Grade(Kind.BEST)
    assert found["Kc1"] == Grade(Kind.WIN_GONE) and found["Qe8"] == Grade(Kind.LOSES)
    board = chess.Board(SPOILT)
    assert judge.probe(board).moves[0].san == "Qe4"
    spoilt = judge.probe(board).spoiling_best
    assert spoilt is not None and spoilt.san == "Qe5+"


def test_grades_by_dtz_alone_count_no_plies(blind: ChessJudge) -> None:
    board, known = chess.Board(SPOILT), blind.probe(chess.Board(SPOILT))
    assert known.verdict is None and not known.by_depth and known.moves == known.by_dtz and known.moves[0].san == "Qe4"
    found = {board.san(move): blind.grade(board, move) for move in board.legal_moves}
    assert found["Qe4"] == Grade(Kind.KEEPS) and found["Qe5+"] == Grade(Kind.CURSED)
    assert found["Kc1"] == Grade(Kind.WIN_GONE) and found["Qe8"] == Grade(Kind.LOSES)
    assert [rated.san for rated in blind.keeping_moves(board)] == ["Qe4"]
    mate = chess.Board("7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    assert blind.grade(mate, mate.parse_san("Ra8#")) == Grade(Kind.BEST)


MAYBE = (Category.MAYBE_WIN, Category.MAYBE_LOSS)


class Vague(Source):
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


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQvKR", "KQvKQ"])
def test_moves_of_a_partly_known_position_are_graded_where_proved(
    ending: str, judge: ChessJudge, blind: ChessJudge, dtz_library: Library, random_board: Callable[[str], chess.Board]
) -> None:
    """Where some moves are missing, the others are no vaguer than the moves behind them: none is told wrongly."""
    rule = FiftyMoves(Vague(OwnSource(dtz_library), 2, 90))
    vague = Judge(blind.explorer, lambda: rule)
    rng, settled = random.Random(ending), 0
    for _ in range(100):
        for rated in vague.probe(late(random_board(ending), judge, rng)).partial_by_dtz:
            if rated.fifty is not None and rule.probe(rated.after, None).category in MAYBE:
                settled += rated.fifty.category not in MAYBE
                assert rated.fifty.category in MAYBE or rated.fifty.category is judge.category_by_dtz(rated.after)
    assert settled > 5


@pytest.mark.slow
@pytest.mark.parametrize(("missing", "rounded"), [(0, 0), (20, 0), (0, 80), (3, 30)])
@pytest.mark.parametrize("ending", fast(ENDINGS))
def test_grades_by_dtz_alone_are_those_of_all_tables_or_none(
    ending: str,
    missing: int,
    rounded: int,
    judge: ChessJudge,
    blind: ChessJudge,
    dtz_library: Library,
    random_board: Callable[[str], chess.Board],
) -> None:
    source = Vague(OwnSource(dtz_library), missing, rounded)
    vague = Judge(blind.explorer, lambda: FiftyMoves(source))
    rng, found, out_of = random.Random(ending), 0, 0
    for _ in range(25):
        board = late(random_board(ending), judge, rng)
        keeping = set[str]()
        for move in board.legal_moves:
            sure, counted = blind.grade(board, move), judge.grade(board, move)
            assert sure is not None and counted is not None and sure.plies == 0
            assert sure.kind.is_error == counted.kind.is_error
            assert sure.kind is counted.kind or not sure.kind.is_counted
            assert sure.kind is not Kind.BEST or counted.kind is Kind.BEST
            if not sure.kind.is_error:
                keeping.add(board.san(move))
            told = vague.grade(board, move)
            assert told in (None, sure), (board.fen(), board.san(move))
            found, out_of = found + (told is not None), out_of + 1
        assert {rated.san for rated in blind.keeping_moves(board)} == keeping
        assert {rated.san for rated in vague.keeping_moves(board)} in (set(), keeping)
    assert found == out_of if not missing + rounded else 0 < found < out_of


def test_a_blessed_loss_is_held_or_lost_and_a_cursed_win_is_held(judge: ChessJudge) -> None:
    found = grades(judge, BLESSED)
    assert found.pop("Kf3") == Grade(Kind.LOSES) and set(found.values()) == {Grade(Kind.HOLDS)}
    found = grades(judge, CURSED)
    assert found["Kf2"] == found["Rb1"] == Grade(Kind.HOLDS) and found["Rd3"] == Grade(Kind.WIN_GONE)


CLAIMABLE = "4k3/8/8/8/4p3/4K3/2P5/8 w - - 100 3"
"""Kxe4 wins if nobody claims; Kd4 and Kf4 keep the cursed win, all other moves give it up."""


@pytest.mark.parametrize("source", ["both", "dtz", "dtm"])
def test_once_a_draw_can_be_claimed_no_win_becomes_cursed(
    source: str, judge: ChessJudge, blind: ChessJudge, by_dtm: ChessJudge
) -> None:
    """A cursed win is a draw that holds as long as it stays one, as ``probe`` says of the position and of each move."""
    asked = {"both": judge, "dtz": blind, "dtm": by_dtm}[source]
    board = chess.Board(CLAIMABLE)
    assert asked.probe(board).category is Category.CURSED_WIN
    found = grades(asked, CLAIMABLE)
    assert {san for san, worth in found.items() if worth == Grade(Kind.HOLDS)} == {"Kxe4", "Kd4", "Kf4"}
    assert {worth for san, worth in found.items() if san not in ("Kxe4", "Kd4", "Kf4")} == {Grade(Kind.WIN_GONE)}
    best = asked.probe(board).best
    assert best is not None and best.san == "Kxe4"
    before = grades(asked, CLAIMABLE.replace("100", "99"))
    assert before["Kd4"] == Grade(Kind.CURSED) and before["Kxe4"].kind in (Kind.BEST, Kind.KEEPS)


def test_once_a_draw_can_be_claimed_a_grade_says_what_the_row_says(judge: ChessJudge) -> None:
    board = chess.Board("4k3/1P4q1/8/2K5/8/8/8/8 b - - 104 1")
    found = grades(judge, board.fen())
    for rated in judge.probe(board).by_dtz:
        assert found[rated.san].kind.is_error is (rated.category_after is not Category.BLESSED_LOSS)
    assert found["Qxb7"] == found["Qb2"] == Grade(Kind.HOLDS)


def test_lost_plies_are_counted_from_the_fastest_move_that_keeps_the_win(judge: ChessJudge) -> None:
    found = grades(judge, "8/K6k/1P6/8/8/8/8/8 w - - 97 1")
    assert found["b7"] == Grade(Kind.BEST) and found["Kb7"] == Grade(Kind.CURSED)
    assert found["Ka6"] == Grade(Kind.SLOWER, 2)


@pytest.mark.parametrize("ending", ENDINGS)
def test_grades_follow_from_the_change_of_the_result(
    ending: str,
    judge: ChessJudge,
    random_board: Callable[[str], chess.Board],
) -> None:
    rng = random.Random(ending)
    for _ in range(40):
        board = late(random_board(ending), judge, rng)
        was = _RESULT[fifty_of(judge, board).category]
        for rated in judge.probe(board).by_dtz:
            assert rated.category_after is not None
            now = -_RESULT[rated.category_after]
            found = judge.grade(board, rated.move)
            assert found is not None
            expected = found.kind in (Kind.BEST, Kind.SLOWER, Kind.FASTER, Kind.HOLDS)
            given_up = was == 0 and found.kind is Kind.WIN_GONE
            assert expected == (was == now) or given_up, (board.fen(), board.san(rated.move), found)
            if now < was:
                assert (found.kind is Kind.LOSES) == (now < 0)
                assert (found.kind is Kind.CURSED) == (rated.category_after is Category.BLESSED_LOSS and was > 0)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_shown_line_keeps_every_result(
    ending: str, judge: ChessJudge, random_board: Callable[[str], chess.Board]
) -> None:
    rng, won = random.Random(ending), 0
    while won < 8:
        board = late(random_board(ending), judge, rng)
        was = _RESULT[fifty_of(judge, board).category]
        for move in judge.line(board, metric=DEPTH_UNDER_RULE).moves:
            assert not board.is_game_over()
            board.push(move)
            if was and not board.is_checkmate():
                assert board.halfmove_clock < HORIZON
        if was:
            won += 1
            assert board.is_checkmate()


def test_without_dtz_grades_are_by_dtm(explorer: ChessExplorer, empty_library: Library) -> None:
    judge = Judge(explorer, lambda: FiftyMoves(OwnSource(Library(CHESS, empty_library.root))))
    board = chess.Board(SPOILT)
    moves, known = by_depth(explorer, board), judge.probe(board)
    assert [move.san for move in known.moves] == [move.san for move in moves]
    assert known.spoiling_best is None and judge.category_by_dtz(board) is None
    assert isinstance(known.fifty_problem, MissingError) and known.problem is None and not known.partial_by_dtz
    by_dtm = {move.san: grade(explorer, board, move.move) for move in moves}
    assert grades(judge, SPOILT) == by_dtm and judge.line(board, 3).problem is None
    assert judge.keep_result(board, moves[0].move) == moves[0].move


def test_once_a_draw_can_be_claimed_the_winner_resets_the_clock_and_the_loser_does_not(
    judge: ChessJudge, explorer: ChessExplorer
) -> None:
    board = chess.Board("8/8/8/8/1R1K4/4p3/k7/8 w - - 100 1")
    capture = board.parse_san("Kxe3")
    assert judge.probe(board).moves[0].move == capture
    assert capture == judge.line(board, 1, DEPTH_UNDER_RULE).moves[0]
    assert judge.keep_result(board, by_depth(explorer, board)[0].move) == capture
    board = chess.Board("8/7k/1R6/1K6/p7/8/8/8 b - - 101 1")
    longest = by_depth(explorer, board)[0].move
    assert board.is_zeroing(longest) and not board.is_zeroing(judge.keep_result(board, longest))
    assert not board.is_zeroing(judge.probe(board).moves[0].move)


class Counted(OwnSource):
    """Counts how often it is asked."""

    asked = 0

    def look(self, board: chess.Board) -> Zeroing:
        self.asked += 1
        return super().look(board)


class CountedLibrary(Library):
    """Counts how often it is asked for a value."""

    asked = 0

    def code(self, position: chess.Board) -> int:
        self.asked += 1
        return super().code(position)


def test_a_position_is_probed_once(dtz_library: Library) -> None:
    board, tables = chess.Board("8/8/3k4/8/3Q4/8/8/4K2r w - - 12 40"), CountedLibrary(CHESS, dtz_library.root)
    source = Counted(dtz_library)
    judge = Judge(Explorer(CHESS, tables), lambda: FiftyMoves(source))
    for _ in range(2):
        known, moves = judge.probe(board), board.legal_moves.count()
        assert judge.probe_by_depth(board) is known is judge.peek(board)
        assert known.best is not None and judge.grade(board, known.best.move) == Grade(Kind.BEST)
        judge.keep_result(board, known.best.move)
        assert (tables.asked, source.asked) == (moves + 1, moves + 1)


def test_a_damaged_dtz_table_is_named_before_a_missing_one(dtz_library: Library, tmp_path: Path) -> None:
    """Who finds it damaged puts it aside; what the moves lead to is asked for after that."""
    damaged = Library(CHESS_DTZ, tmp_path)
    link(dtz_library, damaged)
    damaged.path("KQvKR").unlink()
    damaged.path("KQvKR").write_bytes(b"damaged")
    judge = Judge(Explorer(CHESS, Library(CHESS, dtz_library.root)), lambda: FiftyMoves(OwnSource(damaged)))
    known = judge.probe(chess.Board(SPOILT))
    assert known.by_depth and isinstance(known.fifty_problem, TableError)


def followed(explorer: Explorer[Any, Any], position: Any) -> list[str]:
    """The best moves by depth, found one by one."""
    names: list[str] = []
    while moves := by_depth(explorer, position):
        names.append(moves[0].san)
        position = moves[0].after
        if moves[0].layer in (0, None):
            break
    return names


@pytest.mark.slow
@pytest.mark.parametrize("ending", fast(ENDINGS, 2))
def test_lines_are_best_by_the_requested_metric(
    ending: str, judge: ChessJudge, random_board: Callable[[str], chess.Board]
) -> None:
    rng = random.Random(ending)
    for _ in range(6):
        board = random_board(ending)
        by_dtm = judge.line(board, metric="dtm")
        assert by_dtm.problem is None and by_dtm.sans == followed(judge.explorer, board)
        assert by_dtm.ends_in_win == (judge.explorer.probe(board).depth not in (0, None))
        board = late(board, judge, rng)
        for step in judge.line(board, metric=DTZ).steps:
            best = judge.probe(board).by_dtz[0]
            assert (step.move, step.san, step.dtz) == (best.move, best.san, best.dtz)
            board = step.after
        drawn = fifty_of(judge, board).category is Category.DRAW
        assert drawn or board.is_checkmate() or board.halfmove_clock == HORIZON


def test_stones_are_judged_by_depth_only(morris: Explorer[Position, MorrisMove]) -> None:
    judge = Judge(morris)
    position = MORRIS.parse("OXOOXX2/8/8 w")
    known = judge.probe(position)
    assert known.is_complete and known.clock is None and known.fifty is None and not known.is_ended_by_limit
    assert known.moves == known.by_depth and [r.san for r in known.moves] == [r.san for r in by_depth(morris, position)]
    assert judge.line(position).sans == followed(morris, position)
    assert judge.grade(position, known.moves[0].move) == Grade(Kind.BEST)
    assert judge.keep_result(position, known.moves[-1].move) == known.moves[-1].move


def test_an_app_context_has_one_judge_for_each_game(dtz_library: Library) -> None:
    told: list[EndgameError] = []
    laboratory = AppContext(dtz_library.root, "/nowhere", told.append)
    judge = laboratory.judge("chess")
    assert judge is laboratory.judge("chess") and judge.explorer is laboratory.explorer("dtm")
    known: ProbeResult[chess.Board, chess.Move] = judge.probe(chess.Board(SPOILT))
    assert known.category is Category.WIN and laboratory.syzygy is None and len(told) == 1
    assert laboratory.library("dtz").game is CHESS_DTZ and laboratory.explorer_of("morris").game is MORRIS
    laboratory.forget()
    assert judge.peek(chess.Board(SPOILT)) is None
    laboratory.close()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("KQvKR", ("chess", "ending")), ("4-3", ("morris", "ending")), (SPOILT, ("chess", "position")),
        ("OXOOXX2/8/8 w", ("morris", "position")), ("12345", None), ("Kd5", None),
        ("[[0, 0], []] w", ("morris", "position")),
    ],
)  # fmt: skip
def test_the_form_of_a_text_shows_its_game(text: str, found: tuple[str, str] | None) -> None:
    assert games.identify(text) == found and games.game_by_spelling(text) == (found and found[0])


class Shared(chess.Board):
    """A board on which no move may be made, not even for a moment: another thread may be looking at it."""

    def push(self, move: chess.Move) -> None:
        raise AssertionError(f"{move} is made on a board that others have")

    def copy(self, *, stack: bool | int = True) -> chess.Board:  # type: ignore[override]
        return chess.Board(self.fen())


@pytest.mark.parametrize(
    "fen", [SPOILT, BLESSED, "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", "8/1P6/8/8/1k6/8/6K1/7r w - - 0 1"]
)
def test_a_probe_makes_no_move_on_the_given_board(fen: str, judge: ChessJudge) -> None:
    board = Shared(fen)
    judge.forget()
    for rated in judge.probe(board).moves:
        assert CHESS.parse_move(board, rated.san) == rated.move and judge.grade(board, rated.move)
    for by in ("dtm", DTZ, DEPTH_UNDER_RULE):
        judge.line(board, metric=by)
    judge.best_play(board)
    with pytest.raises(PositionError):
        CHESS.parse_move(board, "Qh9")


# By DTM alone at a late clock

ONE_PAWN_MOVE = "8/2k2p2/8/K7/6P1/8/8/8 b - - 98 1"
"""By DTM Kd6 is best, but White claims after the answer; f6 alone keeps the win."""

ONE_CAPTURE = "k7/8/K7/8/8/7b/Q7/n7 w - - 98 1"
"""By DTM Qd5+ is best, but Black claims with the only answer; Qxa1 wins."""

_OPEN = {
    Category.MAYBE_WIN: (Category.WIN, Category.CURSED_WIN),
    Category.MAYBE_LOSS: (Category.LOSS, Category.BLESSED_LOSS),
}


def test_a_proved_win_comes_before_a_quicker_mate_that_is_too_late(by_dtm: ChessJudge) -> None:
    board = chess.Board(ONE_PAWN_MOVE)
    known = by_dtm.probe(board)
    assert known.fifty is None and known.by_depth[0].san == "Kd6"
    assert known.category is Category.WIN
    assert known.best is not None and known.best.san == "f6"
    assert known.spoiling_best is not None and known.spoiling_best.san == "Kd6"
    found = grades(by_dtm, ONE_PAWN_MOVE)
    assert found["f6"] == Grade(Kind.BEST) and found["Kd6"] == Grade(Kind.CURSED)
    assert by_dtm.line(board, 1, DEPTH_UNDER_RULE).sans == ["f6"] and by_dtm.line(board, 1).sans == ["Kd6"]
    assert by_dtm.keep_result(board, board.parse_san("Kd6")) == board.parse_san("f6")
    play = by_dtm.best_play(board)
    assert play.line.sans[0] == "f6" and play.line.ends_in_win and play.category is Category.WIN


@pytest.mark.exhaustive
def test_a_proved_win_comes_first_with_five_pieces_as_well(by_dtm: ChessJudge, five: Any) -> None:
    library = five(CHESS, ["KBNvKQ"])
    judge = Judge(Explorer(CHESS, library), lambda: FiftyMoves(NoSource()))
    best = judge.probe(chess.Board(ONE_CAPTURE)).best
    assert best is not None and best.san == "Qxa1"
    found = grades(judge, ONE_CAPTURE)
    assert found["Qxa1"] == Grade(Kind.BEST) and found["Qd5+"] == Grade(Kind.CURSED)


def test_a_move_that_only_may_keep_the_result_has_no_grade(by_dtm: ChessJudge) -> None:
    """Three plies earlier depth and clock leave open what the answers to Kd6 make of the clock."""
    board = chess.Board(ONE_PAWN_MOVE.replace(" 98 ", " 95 "))
    categories = {rated.san: rated.category_after for rated in by_dtm.probe(board).legal}
    assert (categories["f6"], categories["Kd6"]) == (Category.LOSS, Category.MAYBE_LOSS)
    best = by_dtm.probe(board).best
    assert best is not None and best.san == "f6"
    assert by_dtm.grade(board, board.parse_san("Kd6")) is None
    assert by_dtm.grade(board, board.parse_san("f6")) == Grade(Kind.BEST)


HELD_BY_THE_COUNT = "8/8/8/4K3/P7/2p5/2k5/8 w - - 97 1"
"""By DTM only a5 holds; but after Kf6 Black cannot win before White may claim a draw."""


def test_a_move_after_which_the_counter_may_save_the_draw_is_no_loss(judge: ChessJudge, by_dtm: ChessJudge) -> None:
    board = chess.Board(HELD_BY_THE_COUNT)
    assert judge.grade(board, board.parse_san("Kf6")) == Grade(Kind.HOLDS)
    assert by_dtm.grade(board, board.parse_san("Kf6")) is None


@pytest.mark.parametrize(
    "ending", fast(["KPvKP", "KRvKP", "KQvKR", "KRvKB", "KRvKN", "KPvKB", "KPvKN", "KBNvK", "KQvKQ", "KPvK"], 2)
)
def test_by_dtm_alone_proved_moves_come_first(
    ending: str, judge: ChessJudge, by_dtm: ChessJudge, random_board: Callable[[str], chess.Board]
) -> None:
    """Each category that depth and clock prove is that by DTZ; no move has a better one than the best move."""
    rng = random.Random(ending)
    for _ in range(60):
        board = random_board(ending)
        board.halfmove_clock = rng.randint(80, 100)
        known, truth = by_dtm.probe(board), judge.probe(board)
        assert known.fifty is None and truth.fifty is not None
        if known.is_over:
            continue
        assert truth.category in _OPEN.get(known.category, (known.category,)), board.fen()  # type: ignore[arg-type]
        assert by_dtm.quick_probe(board).category is known.category
        by_dtz = {rated.move: rated.category_after for rated in truth.by_dtz}
        proofs = {rated.move: rated.unclaimed_after for rated in known.legal}
        for rated in known.legal:
            expected = _OPEN.get(rated.category_after, (rated.category_after,))  # type: ignore[arg-type]
            assert by_dtz[rated.move] in expected, (board.fen(), rated.san)
        goodness = {move: proof.goodness for move, proof in proofs.items() if proof is not None}
        order = [goodness[rated.move] for rated in known.moves]
        assert order == sorted(order) and len(order) == len(known.legal), board.fen()
        chosen = by_dtm.keep_result(board, rng.choice(known.legal).move)
        for move in (known.moves[0].move, chosen, by_dtm.line(board, 1, DEPTH_UNDER_RULE).moves[0]):
            assert goodness[move] == order[0], (board.fen(), board.san(move))
        if proofs[known.moves[0].move] is Category.LOSS and board.halfmove_clock < HORIZON:
            assert by_dtz[known.moves[0].move] is Category.LOSS
            assert known.category is Category.WIN
        for rated in known.legal:
            _check_grade(by_dtm, judge, board, rated.move)


def _check_grade(by_dtm: ChessJudge, judge: ChessJudge, board: chess.Board, move: chess.Move) -> None:
    """Where the position and the move are proved, the grade by DTM says of the result what that by DTZ says.

    Plies may differ: they are counted from the quickest mate that is proved to be in time.
    """
    known = by_dtm.probe(board)
    category = next(rated.category_after for rated in known.legal if rated.move == move)
    if known.category in _OPEN or category in _OPEN:
        return
    grade, truth = by_dtm.grade(board, move), judge.grade(board, move)
    assert grade is not None and truth is not None
    of_result = [found.kind if found.kind.is_error or found.kind is Kind.HOLDS else None for found in (grade, truth)]
    assert of_result[0] is of_result[1], (board.fen(), board.san(move))
