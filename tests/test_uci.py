"""The UCI engine, spoken to as chess programs speak to it."""

from __future__ import annotations

import random
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import chess
import chess.engine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.app_context import AppContext
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.uci import UciEngine, parse_go
from endgame_core.values import Category

ENDINGS = ("KQvK", "KRvK", "KPvK", "KBNvK", "KQvKR", "KRvKP", "KPvKP", "KBPvK")
GO_WORDS = ["infinite", "ponder", "wtime", "btime", "movetime", "depth", "nodes", "mate", "e2e4", "-5", "7", "x"]
MATE_IN_ONE = "k7/8/1K6/8/8/8/8/7R w - - 0 1"


@pytest.fixture
def root(tmp_path: Path, library: Library) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tables").symlink_to(library.root / "tables")
    return tmp_path / "data"


def talk(root: Path, *commands: str) -> list[str]:
    """Give commands to an engine in this process; return what it prints."""
    printed: list[str] = []
    UciEngine(lambda syzygy: AppContext(root, syzygy or None), printed.append).run(commands)
    return printed


def answers(printed: list[str]) -> list[str]:
    return [line.split()[1] for line in printed if line.startswith("bestmove")]


@pytest.fixture
def engine(root: Path) -> Generator[chess.engine.SimpleEngine]:
    command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(root), "uci"]
    with chess.engine.SimpleEngine.popen_uci(command, timeout=60) as engine:
        yield engine


class TestAsAProgramSpeaksToIt:
    def test_the_engine_plays_every_win_to_mate_in_as_many_moves_as_the_tables_say(
        self, engine: chess.engine.SimpleEngine, explorer: Explorer[Any, Any]
    ) -> None:
        rng = random.Random(1)
        for ending in ENDINGS:
            board = _won(explorer, ending, rng)
            while not board.is_game_over():
                verdict = explorer.probe(board)
                info = engine.analyse(board, chess.engine.Limit(time=0.5))
                score = info["score"].relative  # pyright: ignore[reportTypedDictNotRequiredAccess]
                depth = verdict.depth or 0
                assert score == chess.engine.Mate((depth + 1) // 2 if depth % 2 else -(depth // 2))
                move = engine.play(board, chess.engine.Limit(time=0.5)).move
                assert move is not None
                board.push(move)
                after = explorer.probe(board) if not board.is_game_over() else None
                assert after is None or (after.depth or 0) == depth - 1
            assert board.is_checkmate()

    def test_moves_are_reported_in_the_order_of_the_tables(
        self, engine: chess.engine.SimpleEngine, explorer: Explorer[Any, Any]
    ) -> None:
        board = _won(explorer, "KQvKR", random.Random(3))
        infos = engine.analyse(board, chess.engine.Limit(time=0.5), multipv=5)
        scores = [info["score"].relative for info in infos]  # pyright: ignore[reportTypedDictNotRequiredAccess]
        assert len(infos) == 5 and scores == sorted(scores, reverse=True)
        assert len({info["pv"][0] for info in infos}) == 5  # pyright: ignore[reportTypedDictNotRequiredAccess]

    def test_the_engine_holds_a_drawn_position(
        self, engine: chess.engine.SimpleEngine, explorer: Explorer[Any, Any]
    ) -> None:
        board = chess.Board("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1")
        rng = random.Random(5)
        assert explorer.probe(board).category is Category.DRAW
        for _ in range(20):
            if board.is_game_over(claim_draw=True):
                break
            if board.turn is chess.BLACK:
                move = engine.play(board, chess.engine.Limit(time=0.2)).move
                assert move is not None
            else:
                move = rng.choice([move for move in board.legal_moves if board.piece_type_at(move.from_square) != 1])
            board.push(move)
            if not board.is_game_over():
                assert explorer.probe(board).category in (
                    Category.DRAW, Category.LOSS if board.turn is chess.WHITE else Category.WIN
                )  # fmt: skip

    def test_without_a_table_the_engine_searches(self, engine: chess.engine.SimpleEngine) -> None:
        board = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
        result = engine.play(board, chess.engine.Limit(time=1.0))
        assert result.move == chess.Move.from_uci("h5f7")

    def test_a_search_among_some_moves_reports_them(self, engine: chess.engine.SimpleEngine) -> None:
        some = [chess.Move.from_uci(text) for text in ("a2a3", "h2h3")]
        with engine.analysis(chess.Board(), chess.engine.Limit(depth=3), root_moves=some) as analysis:
            firsts = [info["pv"][0] for info in analysis if "pv" in info]
        assert firsts and set(firsts) <= set(some)

    def test_an_infinite_analysis_runs_until_it_is_stopped(self, engine: chess.engine.SimpleEngine) -> None:
        with engine.analysis(chess.Board(), chess.engine.Limit()) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 2:
                    break
            analysis.stop()
            move = analysis.wait().move
            assert move is not None and chess.Board().is_legal(move)

    def test_chances_are_reported_on_request(self, engine: chess.engine.SimpleEngine) -> None:
        engine.configure({"UCI_ShowWDL": True})
        info = engine.analyse(chess.Board(MATE_IN_ONE), chess.engine.Limit(time=0.2))
        assert info["wdl"].relative == chess.engine.Wdl(1000, 0, 0)  # pyright: ignore[reportTypedDictNotRequiredAccess]


def _won(explorer: Explorer[Any, Any], ending: str, rng: random.Random) -> chess.Board:
    """A random won position of an ending with White to move and at least ten plies to mate."""
    deepest = explorer.deepest(ending, "white")
    layers = [
        row.n
        for row in explorer.layers(ending).families["white"]
        if row.canonical and row.n % 2 and 9 < row.n <= deepest
    ]
    return explorer.random(ending, "white", rng.choice(layers), rng)


class TestCommands:
    def test_uci_prints_name_and_options(self, root: Path) -> None:
        printed = talk(root, "uci", "isready")
        assert printed[0].startswith("id name endgame-tui") and "uciok" in printed and printed[-1] == "readyok"
        options = [line.split(" type ")[0].removeprefix("option name ") for line in printed if "option" in line]
        assert options == ["MultiPV", "SyzygyPath", "Hash", "UCI_ShowWDL", "Metric", "Ponder"]

    def test_mate_in_one_is_found_at_once(self, root: Path) -> None:
        printed = talk(root, f"position fen {MATE_IN_ONE}", "go movetime 100")
        assert answers(printed) == ["h1h8"] and any("score mate 1" in line for line in printed)

    def test_moves_are_made_from_the_position(self, root: Path) -> None:
        printed = talk(root, "position fen k7/8/1K6/8/8/8/7R/8 w - - 0 1 moves h2h1 a8b8", "go depth 3")
        assert answers(printed) == ["h1h8"]

    @pytest.mark.parametrize(
        "command",
        [
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            "position fen nonsense",
            "position startpos moves e2e5",
            "position startpos moves 0000 e7e5",
        ],
    )
    def test_an_invalid_position_leaves_the_old_one(self, root: Path, command: str) -> None:
        printed = talk(root, f"position fen {MATE_IN_ONE}", command, "go movetime 50")
        assert printed[0].startswith("info string") and "the position is unchanged" in printed[0]
        assert answers(printed) == ["h1h8"]

    def test_only_the_requested_moves_are_played(self, root: Path) -> None:
        printed = talk(root, f"position fen {MATE_IN_ONE}", "go movetime 50 searchmoves h1h2 h1h3")
        assert answers(printed)[0] in ("h1h2", "h1h3")
        printed = talk(root, "position startpos", "go movetime 400 searchmoves a2a3 h2h3")
        assert answers(printed)[0] in ("a2a3", "h2h3")

    def test_under_locked_no_directory_is_opened(self, root: Path, tmp_path: Path) -> None:
        printed: list[str] = []
        opened: list[str] = []

        def make_context(syzygy: str) -> AppContext:
            opened.append(syzygy)
            return AppContext(root)

        commands = [
            "uci",
            f"setoption name SyzygyPath value {tmp_path}",
            f"position fen {MATE_IN_ONE}",
            "go movetime 9",
        ]
        UciEngine(make_context, printed.append, is_locked=True).run(commands)
        assert opened == [""] and any("SyzygyPath is ignored" in line for line in printed)
        assert not any("option name SyzygyPath" in line for line in printed)

    def test_an_empty_value_and_a_value_with_blanks_are_values(self, root: Path) -> None:
        printed = talk(root, "setoption name SyzygyPath value ", "setoption name Nonsense value a b")
        assert printed == ["info string there is no option named Nonsense"]

    def test_pondering_ends_with_the_expected_move(self, root: Path) -> None:
        printed = talk(root, f"position fen {MATE_IN_ONE}", "go ponder wtime 1000 btime 1000", "ponderhit")
        assert answers(printed) == ["h1h8"]

    @pytest.mark.parametrize(
        ("position", "score"),
        [("k6R/8/1K6/8/8/8/8/8 b - - 0 1", "mate 0"), ("k7/8/1Q6/8/8/8/8/7K b - - 0 1", "cp 0")],
    )
    def test_a_finished_game_has_no_move(self, root: Path, position: str, score: str) -> None:
        printed = talk(root, f"position fen {position}", "go movetime 50")
        assert printed[-1] == "bestmove (none)" and score in printed[0]

    def test_every_move_is_answered_once_even_if_nobody_waits(self, root: Path) -> None:
        commands = [f"position fen {MATE_IN_ONE}", *["go infinite", "go infinite", "go movetime 10"], "stop", "stop"]
        assert answers(talk(root, *commands)) == ["h1h8"] * 3

    def test_with_the_metric_dtz_a_pawn_moves_first(self, root: Path, dtz_library: Library) -> None:
        position = "position fen 8/4P3/8/8/8/k7/8/2K5 w - - 0 1"
        printed = talk(dtz_library.root, "setoption name Metric value DTZ", position, "go movetime 50")
        assert answers(printed)[0].startswith("e7e8")

    @given(st.lists(st.sampled_from(["go", "stop", "isready", "debug", "xyzzy", "register", "ponderhit", "uci", ""])))
    def test_no_order_of_commands_ends_the_engine(self, commands: list[str]) -> None:
        printed: list[str] = []
        engine = UciEngine(lambda _: AppContext(Path("/nonexistent")), printed.append)
        engine.run([f"position fen {MATE_IN_ONE}", *(f"{word} movetime 1" for word in commands if word != "isready")])
        assert len(answers(printed)) == commands.count("go")


class TestGo:
    @given(st.lists(st.sampled_from(GO_WORDS)))
    def test_any_text_is_answered(self, words: list[str]) -> None:
        request = parse_go(words, chess.Board())
        assert request.seconds is None or request.seconds > 0
        assert request.is_infinite or request.is_pondering or request.seconds or request.depth or request.nodes

    @given(st.integers(1, 10**7), st.integers(0, 10**5), st.integers(0, 60))
    def test_the_clock_is_never_overstepped(self, left: int, increment: int, moves: int) -> None:
        words = f"wtime {left} winc {increment} btime 1 movestogo {moves}".split()
        seconds = parse_go(words, chess.Board()).seconds
        assert seconds is not None and (seconds <= left / 2000 or seconds == 0.01)
