"""``line`` on the command line: the metric it follows, where it leads, and the tables it misses."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from click.testing import CliRunner, Result

from endgame_core.answers import Answers, best_play, probe_document
from endgame_core.app_context import AppContext
from endgame_core.chess.game import CHESS
from endgame_core.chess.metrics import Zeroing
from endgame_core.chess.syzygy import Syzygy
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, MissingError, NotBuiltError
from endgame_core.judge import BestPlay, Judge
from endgame_core.practice.defence import suggestion
from endgame_core.tables.library import Library
from endgame_core.values import HORIZON, LAST_CLOCK, Category
from endgame_core.words.position import ENDED, reason_of
from tests.positions import by_depth

ChessJudge = Judge[chess.Board, chess.Move]
Boards = Callable[[str], chess.Board]
LOST_BY_DTM = "8/2k2p2/8/K7/6P1/8/8/8 b - - 98 1"
"""By DTM Kd6 is best; f6 alone keeps the win."""

PAWNS = "8/8/8/4k3/8/8/1PP5/K7 w - - 0 1"
PROMOTION = "8/1P6/8/8/1k6/8/6K1/7r w - - 0 1"
QUEEN = "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1"


@pytest.fixture(scope="session")
def judge(dtz_library: Library) -> ChessJudge:
    return AppContext(dtz_library.root).judge("chess")


def call(root: Path, *args: str) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(root), *args])


def played(board: chess.Board, play: BestPlay[chess.Board, chess.Move]) -> chess.Board:
    """The board at the end of a line; its moves are legal, and those that are named."""
    here = board.copy()
    for ply in play.line.steps:
        assert here.parse_san(ply.san).uci() == ply.uci
        here.push_uci(ply.uci)
    return here


@pytest.mark.slow
@pytest.mark.parametrize(
    "ending", ["KQvKR", "KPvK", *(pytest.param(name, marks=pytest.mark.slow) for name in ("KPvKP", "KBNvK", "KRvKP"))]
)
def test_the_line_keeps_the_category_at_every_counter(ending: str, judge: ChessJudge, random_board: Boards) -> None:
    rng, told = random.Random(1), set[str]()
    for _ in range(40):
        board = random_board(ending)
        board.halfmove_clock = rng.randrange(HORIZON)
        here, play = judge.probe(board).fifty, best_play(judge, board)
        assert here is not None
        if here.category is Category.DRAW or board.is_checkmate():
            continue
        told.add(play.line.metric)
        end = played(board, play)
        assert play.line.problem is None and play.winner == chess.COLOR_NAMES[board.turn == (here.dtz > 0)]
        assert end.is_checkmate() is (here.category in (Category.WIN, Category.LOSS))
        assert end.is_checkmate() or end.halfmove_clock == HORIZON
        assert here.dtm is not None
        assert (play.line.metric == "dtz") is (board.halfmove_clock + abs(here.dtm) > HORIZON)
    assert told == {"dtm", "dtz"}


def test_where_the_counter_decides_the_reason_names_the_winning_move(judge: ChessJudge, dtz_library: Library) -> None:
    play = best_play(judge, chess.Board(LOST_BY_DTM))
    assert (play.line.metric, play.category, play.line.steps[0].san) == ("dtz", Category.WIN, "f6")
    assert reason_of(play).startswith("f6 is best: Kd6 mates sooner but needs 3 plies")
    for metric, first in (("dtm", "Kd6"), ("dtz", "f6")):
        assert best_play(judge, chess.Board(LOST_BY_DTM), metric).line.steps[0].san == first
    found = json.loads(call(dtz_library.root, "probe", LOST_BY_DTM, "--json").stdout)
    assert (found["line_by"], found["line"][0], found["line_cut"]) == ("dtz", found["moves"][0]["san"], None)
    assert found["reason"] == reason_of(play) and "  " not in found["reason"]
    words = call(dtz_library.root, "probe", LOST_BY_DTM).stdout
    assert "by DTZ: 1…f6" in words and "is fastest" not in words


@pytest.mark.slow
def test_a_line_ends_where_the_tables_end(truth: Path, tmp_path: Path) -> None:
    syzygy = str(truth / "syzygy")
    judge = Answers.of(tmp_path, syzygy).judge
    board = chess.Board(PAWNS)
    play = best_play(judge, board)
    assert (play.category, play.depth, play.winner) == (Category.WIN, 1, "white") and play.line.steps
    end = played(board, play)
    assert isinstance(play.line.problem, MissingError) and "KRPvK --metric dtz" in str(play.line.problem)
    assert isinstance(judge.probe(end).fifty_problem, MissingError)
    found = json.loads(call(tmp_path, "probe", PAWNS, "--syzygy", syzygy, "--json").stdout)
    assert len(found["moves"]) == board.legal_moves.count() and {move["category"] for move in found["moves"]} == {
        "loss"
    }
    assert found["line"] == play.line.sans and found["line_cut"] == str(play.line.problem)
    words = call(tmp_path, "probe", PAWNS, "--syzygy", syzygy).stdout.splitlines()
    assert words[3].endswith(" …") and words[4] == f"the line ends here: {play.line.problem}"
    said = call(tmp_path, "line", PAWNS, "--syzygy", syzygy)
    assert said.stdout.endswith(" …\n") and str(play.line.problem) in said.stderr and said.exit_code == 0


@pytest.mark.parametrize(
    ("clock", "category"),
    [(60, "win"), (70, "maybe-win"), (99, "cursed-win"), (120, "cursed-win"), (149, "cursed-win"), (150, "draw")],
)
def test_by_dtm_alone_the_counter_counts_as_far_as_it_is_proved(clock: int, category: str, library: Library) -> None:
    fen = f"8/8/8/8/8/1k2b3/7R/K7 w - - {clock} 90"
    line, probe = (json.loads(call(library.root, name, fen, "--json").stdout) for name in ("line", "probe"))
    over = clock >= LAST_CLOCK
    assert line["category"] == probe["category"] == category
    assert line["winner"] == probe["winner"] == (None if over else "white")
    assert [ply["san"] for ply in line["line"]] == probe["line"] and over is not bool(probe["line"])
    assert (ENDED in call(library.root, "line", fen).stdout) is over
    assert json.loads(call(library.root, "line", fen, "--metric", "dtm", "--json").stdout)["category"] == "win"


def test_a_line_says_why_it_ends_and_what_the_counter_may_change(library: Library, dtz_library: Library) -> None:
    def said(root: Path, position: str, *more: str) -> str:
        return call(root, "line", position, *more).stderr

    unsure, drawn = "8/8/8/8/8/1k2b3/7R/K7 w - - 70 90", "8/8/8/3k4/8/8/8/1RK1r3 w - - 0 1"
    told = said(library.root, unsure)
    assert "may make this a draw" in told and "run: endgame-tui build KRvKB --metric dtz" in told
    assert "makes this a draw" in said(library.root, unsure.replace("70", "99"))
    for counted in (said(dtz_library.root, unsure), said(library.root, unsure.replace("70", "60"))):
        assert "this a draw" not in counted
    assert "this a draw" not in said(library.root, unsure, "--metric", "dtm"), "that was asked for"
    cursed = "7K/6Q1/8/8/2k5/8/8/8 w - - 85 1"
    assert said(dtz_library.root, cursed).endswith("a draw can be claimed here\n")
    assert "claimed" not in said(dtz_library.root, cursed.replace("85", "1"))
    assert "all moves that hold it are equally good" in said(library.root, drawn)
    assert "any move" not in said(library.root, cursed)


@pytest.mark.slow
def test_a_line_by_dtm_is_cut_in_the_same_way(library: Library, tmp_path: Path, random_board: Boards) -> None:
    (tmp_path / "tables").mkdir()
    for ending in ("KPvKP", *CHESS.needs("KPvKP")):
        (tmp_path / "tables" / f"{ending}.egt").symlink_to(library.path(ending))
    judge, cut = Answers.of(tmp_path).judge, 0
    for _ in range(200):
        board = random_board("KPvKP")
        play = best_play(judge, board)
        end, won = played(board, play), judge.explorer.probe(board).depth is not None
        assert play.line.metric == "dtm" and end.is_checkmate() is (won and play.line.problem is None)
        if play.line.problem is not None:
            cut += 1
            with pytest.raises(NotBuiltError):
                by_depth(judge.explorer, end)
    assert cut


@pytest.mark.parametrize("kept", [(".rtbw",), (".rtbz",)])
@pytest.mark.parametrize("command", ["probe", "line"])
def test_a_missing_syzygy_file_is_named(kept: tuple[str, ...], command: str, truth: Path, tmp_path: Path) -> None:
    for suffix in kept:
        (tmp_path / f"KQvKR{suffix}").write_bytes((truth / "syzygy" / f"KQvKR{suffix}").read_bytes())
    result = call(tmp_path, command, QUEEN, "--syzygy", str(tmp_path))
    assert result.exit_code == 1 and result.stdout == "" and len(result.stderr.splitlines()) == 1
    assert re.search(r"by DTZ or K\w*v\w*\.rtb[wz]", result.stderr) and "build KQvKR --metric dtz" in result.stderr


@pytest.mark.slow
def test_an_error_names_the_need_for_a_file_and_a_command_that_suffices(truth: Path, tmp_path: Path) -> None:
    args = ("probe", PROMOTION, "--syzygy", str(truth / "syzygy"))
    result = call(tmp_path, *args)
    assert result.exit_code == 0 and re.search(
        r"b8=R\+ .* unknown +KRvKR by DTZ or KRvKR.rtbw is missing", result.stdout
    )
    assert "is missing; run: endgame-tui build KRvKR --metric dtz" in result.stdout
    wanted = {name for line in result.stdout.splitlines() for name in re.findall(r"build (\w+) --metric dtz", line)}
    assert wanted == {"KRvKR", "KRvKN"}
    assert call(tmp_path, "build", *wanted, "--metric", "dtz").exit_code == 0
    result = call(tmp_path, *args)
    assert result.exit_code == 0 and "unknown" not in result.stdout and "is needed" not in result.stdout


def test_with_nothing_built_both_metrics_are_named(tmp_path: Path) -> None:
    for command in ("probe", "line"):
        words = call(tmp_path, command, PROMOTION).stderr
        assert "run: endgame-tui build KRvKP, and again with --metric dtz for the 50-move rule." in words
    assert "run: endgame-tui build KRvKP.\n" in call(tmp_path, "line", PROMOTION, "--metric", "dtm").stderr
    assert "run: endgame-tui build KRvKP --metric dtz.\n" in call(tmp_path, "line", PROMOTION, "--metric", "dtz").stderr


@pytest.mark.slow
def test_a_line_names_its_metric(library: Library, dtz_library: Library, tmp_path: Path) -> None:
    tables = tmp_path / "tables"
    tables.mkdir()
    for path in dtz_library.directory.glob("*.dtz.egt"):
        (tables / path.name).symlink_to(path)
    for root, by, more in (
        (library.root, "dtm", ()), (dtz_library.root, "dtm", ()), (tmp_path, "dtz", ()),
        (dtz_library.root, "dtz", ("--metric", "dtz")),
    ):  # fmt: skip
        said = call(root, "line", QUEEN, *more)
        assert (said.stderr, said.stdout[:2]) == (f"by {by.upper()}\n", "1.") and said.stdout.count("#") == 1
        found = json.loads(call(root, "line", QUEEN, *more, "--json").stdout)
        assert (found["line_by"], found["category"], found["winner"]) == (by, "win", "white")
        assert all(by in ply for ply in found["line"]) and found[by] == abs(found["line"][0][by]) + 1
    assert "not built" in call(library.root, "line", QUEEN, "--metric", "dtz").stderr
    assert call(tmp_path, "line", "8/8/8/4k3/8/6r1/8/R3K3 w - - 0 1").stdout == "A draw with best play.\n"


@pytest.mark.parametrize("ending", ["KQvKR", "KPvK"])
def test_best_play_is_printed_or_refused_in_one_sentence(ending: str, tmp_path: Path, random_board: Boards) -> None:
    judge = Answers.of(tmp_path).judge
    for _ in range(20):
        board = random_board(ending)
        try:
            played(board, best_play(judge, board))
        except EndgameError as error:
            assert isinstance(error, MissingError | NotBuiltError) and str(error).endswith(".")


def test_syzygy_files_answer_for_more_pieces_than_our_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are none here, so a source stands in for them that calls everything drawn."""
    fen, files = "8/1k6/3r4/8/8/q7/8/1KQR4 b - - 0 1", tmp_path / "syzygy"
    files.mkdir()
    (files / "KQRvKQR.rtbw").touch()
    args = ["probe", fen, "--syzygy", str(files), "--json"]
    assert "KQRvKQR is not built" in call(tmp_path, "probe", fen).stderr
    assert ".rtbw after " in call(tmp_path, *args).stderr
    assert ".rtbw after " in call(tmp_path, "line", fen, "--syzygy", str(files)).stderr
    monkeypatch.setattr(Syzygy, "look", lambda source, board: Zeroing(Category.DRAW, 0, True))
    found = json.loads(call(tmp_path, *args).stdout)
    assert (found["ending"], found["category"], found["dtm"]) == ("KQRvKQR", "draw", None)
    assert len(found["moves"]) == chess.Board(fen).legal_moves.count()
    assert call(tmp_path, "line", fen, "--syzygy", str(files)).exit_code == 0


def test_a_probe_reads_each_position_once(dtz_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    board, asked = chess.Board("8/8/1k6/8/6Q1/8/8/3RK3 w - - 12 40"), list[str]()
    code = Library.code

    def counted(library: Library, position: chess.Board) -> int:
        asked.append(library.game.metric)
        return code(library, position)

    monkeypatch.setattr(Library, "code", counted)
    judge = AppContext(dtz_library.root).judge("chess")
    document = probe_document(judge, board)
    moves = len(document["moves"])
    here = [step.after for step in judge.line(board).steps]
    assert moves > 26 and asked.count("dtz") == moves + 1
    along = sum(after.legal_moves.count() for after in here)
    assert moves + 1 < asked.count("dtm") < moves + 1 + along  # a line looks at no move after the first of the best
    whole = len(asked)
    judge.grade(board, next(iter(board.legal_moves)))
    judge.keeping_moves(board)
    assert len(asked) == whole


@pytest.mark.parametrize("seed", range(8))
def test_a_hint_never_lets_the_counter_run_out(judge: ChessJudge, seed: int) -> None:
    """By DTM Kb7 is as good as b7, which alone keeps the win."""
    board = chess.Board("8/K6k/1P6/8/8/8/8/8 w - - 97 1")
    assert board.san(suggestion(judge, board, judge.probe(board), random.Random(seed))) == "b7"
