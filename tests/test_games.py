"""Collections of games: grades are compared with Syzygy and Gaviota files as python-chess reads them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import chess.gaviota
import chess.pgn
import chess.syzygy
import pytest
from click.testing import CliRunner, Result

from endgame_core import pgn as pgn_files
from endgame_core.app_context import AppContext
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.judge import Judge
from endgame_core.pgn import AnnotatedMove, GameText, write
from endgame_core.practice.course import Course
from endgame_core.practice.repetition import FsrsRating, review
from endgame_core.practice.studies import MY_GAMES
from endgame_core.practice.theme import Starts
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks import game_collection
from endgame_core.tasks.game_collection import ORDERS, GameCollection
from endgame_core.tasks.play_state import PlayState
from endgame_core.tasks.training_session import draw
from endgame_core.values import LAST_CLOCK, Kind
from endgame_core.words import game_report as telling
from endgame_core.words import games as words

from .positions import is_legal, men_of, place


@pytest.fixture
def lab(dtz_library: Library, tmp_path: Path) -> Iterator[AppContext]:
    """All tables of three and four men by either metric, in a data directory of its own."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tables").symlink_to(dtz_library.directory)
    found = AppContext(tmp_path / "data")
    yield found
    found.close()


def game(moves: str, **headers: str) -> str:
    """A game from a position of its own, or from the first of chess."""
    told = {"Event": "Cup", "White": "Ann", "Black": "Ben", "Date": "2026.03.01", "Result": "*", **headers}
    return "".join(f'[{name} "{value}"]\n' for name, value in told.items()) + f"\n{moves} {told['Result']}\n\n"


ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
STALEMATE = "7k/8/8/6K1/8/8/5Q2/8 w - - 0 60"


def read(lab: AppContext, tmp_path: Path, *texts: str, me: str = "") -> GameCollection:
    file = tmp_path / "all.pgn"
    file.write_text("".join(texts))
    found = GameCollection(lab, "chess", me)
    found.read([file])
    return found


class TestLongGames:
    @pytest.mark.slow
    def test_a_long_game_probes_each_position_once(
        self, lab: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        graded: list[Any] = []
        grade = Judge.grade

        def counting(self: Judge[Any, Any], position: Any, move: Any) -> Any:
            graded.append(position)
            return grade(self, position, move)

        monkeypatch.setattr(Judge, "grade", counting)
        shuffle = ["Qf3", "Kg8", "Qf2", "Kh8"] * 500
        found = read(lab, tmp_path, game(" ".join(shuffle), FEN="7k/8/8/8/8/6K1/5Q2/8 w - - 0 1"))
        assert found.total.moves == len(graded) == LAST_CLOCK  # Play plays no further, by the 75-move rule
        again = game(" ".join(shuffle[:100]), FEN="7k/8/8/8/8/6K1/5Q2/8 w - - 0 70", White="Cid")
        graded.clear()
        found.read([_written(tmp_path, again)])
        assert found.total.moves == LAST_CLOCK + 100 and not graded

    def test_move_numbers_do_not_matter(self) -> None:
        assert CHESS.value_key(chess.Board(ROOK)) == CHESS.value_key(chess.Board(ROOK.replace("0 1", "0 9")))
        assert CHESS.value_key(chess.Board(ROOK)) != CHESS.value_key(chess.Board(ROOK.replace("0 1", "3 1")))

    @pytest.mark.parametrize("null", ["--", "Z0"])
    def test_moves_after_a_null_move_are_graded(self, lab: AppContext, tmp_path: Path, null: str) -> None:
        found = read(lab, tmp_path, game(f"1. Rh4 {null} 2. Rd4+ Ke5 3. {null} Kxd4", FEN=ROOK))
        (played,) = found.games
        assert not played.problem and [slip.name for slip in played.slips if slip.half_points] == ["2.Rd4+", "2…Ke5"]
        assert found.total.moves == 4  # the null moves count as none
        play: PlayState[chess.Board, chess.Move] = PlayState(lab, "chess")
        assert play.open(next(pgn_files.games(played.text, CHESS))) == ""
        assert [ply.san for ply in play.plies] == ["Rh4", "--", "Rd4+", "Ke5", "--", "Kxd4"]
        assert [ply.grade is None for ply in play.plies] == [False, True, False, False, True, False]
        told = {telling.move_value(play.judge, ply)[0] for ply in play.plies if ply.grade is None}
        assert len(told) == 1 and "not graded" in told.pop()


def _written(folder: Path, text: str) -> Path:
    file = folder / "again.pgn"
    file.write_text(text)
    return file


class TestTruth:
    """What every move is worth, counted by python-chess and published tables alone."""

    ENDINGS = ("KQvKR", "KRvKP", "KBNvK", "KPvKP", "KQvKQ", "KRvKB", "KPPvK", "KRPvK", "KBBvK", "KRvK", "KPvK", "KQvK")

    @pytest.mark.slow
    def test_lost_half_points_agree_with_syzygy(self, lab: AppContext, tmp_path: Path, truth: Path) -> None:
        texts, halves = list[str](), list[int]()
        with chess.syzygy.open_tablebase(str(truth / "syzygy")) as syzygy:
            for number in range(72):
                board = self._start(number, self.ENDINGS, (0, 0, 5, 60, 80, 90))
                before = worth(syzygy, board)
                for move in self._moves(number, board):
                    board.push(move)
                    after = worth(syzygy, board)
                    if before is None or after is None:
                        board.pop()
                    else:
                        halves.append(before + after)
                        before = after
                texts.append(str(chess.pgn.Game.from_board(board)))
        found = read(lab, tmp_path, "\n\n".join(texts))
        assert len(halves) > 300 and halves.count(1) > 40 and halves.count(2) > 5
        assert (found.total.moves, found.total.half_points) == (len(halves), sum(halves))
        assert found.total.errors == len(halves) - halves.count(0)

    @pytest.mark.slow
    def test_lost_plies_agree_with_gaviota(self, lab: AppContext, tmp_path: Path, truth: Path) -> None:
        texts, plies = list[str](), list[int]()
        with chess.gaviota.open_tablebase(str(truth / "gaviota")) as gaviota:
            for number in range(60):
                board = self._start(number, ("KRvK", "KPvK", "KQvK"), (0,))
                for move in self._moves(number, board):
                    before = gaviota.probe_dtm(board)
                    board.push(move)
                    after = gaviota.probe_dtm(board)
                    won, lost = before > 0, before < 0
                    kept = (won and (after < 0 or board.is_checkmate())) or (lost and after > 0)
                    plies.append(abs(abs(after) + 1 - abs(before)) if kept else 0)
                texts.append(str(chess.pgn.Game.from_board(board)))
        found = read(lab, tmp_path, "\n\n".join(texts))
        assert len(plies) > 300 and sum(plies) > 500
        assert (found.total.moves, found.total.plies) == (len(plies), sum(plies))

    def _start(self, seed: int, endings: tuple[str, ...], clocks: tuple[int, ...]) -> chess.Board:
        """A legal board of one of some endings, either side to move."""
        rng = random.Random(seed)
        while True:
            board = place(chess.Board(None), men_of(endings[seed % len(endings)]), rng.choice)
            board.turn, board.halfmove_clock = rng.random() < 0.5, rng.choice(clocks)
            if is_legal(board) and any(board.legal_moves):
                return board

    def _moves(self, seed: int, board: chess.Board) -> Iterator[chess.Move]:
        """A few random moves, while men are left."""
        rng = random.Random(seed)
        for _ in range(8):
            legal = sorted(board.legal_moves, key=chess.Move.uci)
            if not legal or board.occupied == board.kings:
                return
            yield rng.choice(legal)


def worth(syzygy: chess.syzygy.Tablebase, board: chess.Board) -> int | None:
    """1, 0 or -1 under the 50-move rule with the clock; None where a ply of rounding decides, or no file knows."""
    if board.is_checkmate():
        return -1
    if board.is_stalemate() or board.is_insufficient_material():
        return 0
    try:
        wdl, dtz = syzygy.probe_wdl(board), abs(syzygy.probe_dtz(board))
    except chess.syzygy.MissingTableError:
        return None
    if abs(wdl) < 2:
        return 0
    if abs(board.halfmove_clock + dtz - 100) <= 1:
        return None
    return 0 if board.halfmove_clock + dtz > 100 else wdl // 2


class TestFigures:
    def test_thrown_results_are_counted_for_both_sides_or_for_one_player(self, lab: AppContext, tmp_path: Path) -> None:
        """Qf7 is stalemate: a won game becomes a draw."""
        thrown = game("60. Qf7", SetUp="1", FEN=STALEMATE, Result="1/2-1/2")
        both = read(lab, tmp_path, thrown)
        assert both.total == both.by_ending["KQvK"] == both.by_time["2026.03"]
        assert (both.total.errors, both.total.half_points, both.changed_results(better=False)) == (1, 1, (1, 1))
        assert both.changed_results(better=True) == (1, 1)
        mine, his = read(lab, tmp_path, thrown, me="ann"), read(lab, tmp_path, thrown, me="Ben")
        assert (mine.total.half_points, mine.changed_results(False), mine.changed_results(True)) == (1, (1, 1), (0, 0))
        assert (his.total.moves, his.total.half_points, his.changed_results(True)) == (0, 0, (1, 1))
        ((played, slip),) = mine.slips
        assert (slip.name, slip.ply, words.lost(slip), played.title) == (
            "60.Qf7", 1, "0.5 point", "Ann – Ben, Cup, 2026.03.01",
        )  # fmt: skip
        assert (slip.grade.kind, slip.depth) == (Kind.WIN_GONE, 5) and words.was(slip).endswith(" (S5)")
        assert words.instead(mine, slip).startswith("4 moves ")

    def test_a_quick_grade_agrees_with_the_grade_after_a_full_probe(
        self, lab: AppContext, random_board: Callable[[str], chess.Board]
    ) -> None:
        judge, other = lab.judge("chess"), Judge(lab.explorer("dtm"), lab.judge("chess")._make_rule)
        rng, seen = random.Random(3), 0
        for ending in ("KQvKR", "KPvKP", "KBNvK", "KRvKP") * 8:
            board = random_board(ending)
            board.halfmove_clock = rng.choice((0, 30, 60, 90))
            for move in list(board.legal_moves)[:4]:
                quick = judge._grade_without_rule(board, move)
                other.probe(board)  # from now on it is not asked at sight
                assert quick in (None, other.grade(board, move))
                seen += quick is not None
        assert seen > 60

    def test_of_many_games_those_out_of_reach_of_tables_are_not_parsed(
        self, lab: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(game_collection, "_MANY_GAMES", 4)
        full = game("1. e4 {a comment x (with} e5 2. Nf3?! $6 Nc6 3. O-O-O+ e8=Q#", Result="1-0")
        odd = [game("1. e4 e5 2. Kx"), game("1. e4 {not closed"), game("1. e4", Variant="Atomic"), game("1. e4 (1. d4")]
        found = read(lab, tmp_path, full, *odd)
        assert [played.problem for played in found.games] == [
            "", "2. Kx is not a legal move", "a comment is not closed", "it is a game of a different variant: Atomic",
            "a bracket is not closed",
        ]  # fmt: skip
        assert [played.number for played in found.unreadable] == [2, 3, 4, 5]
        monkeypatch.setattr(game_collection, "_MANY_GAMES", 5)
        assert read(lab, tmp_path, full, *odd).games[0].problem == "3. O-O-O+ is not a legal move"

    def test_the_same_game_twice_counts_once(self, lab: AppContext, tmp_path: Path) -> None:
        one, two = game("60. Qf7", FEN=STALEMATE), game("60. Qf7", FEN=STALEMATE, White="Eve")
        found = read(lab, tmp_path, one, two, one)
        assert (len(found.games), found.duplicates, found.total.half_points) == (2, 1, 2)
        assert len(words.overview(found)) == len(words.overview(read(lab, tmp_path, one, two))) + 1

    def test_games_without_headers_are_separated_by_their_results(self, lab: AppContext, tmp_path: Path) -> None:
        text = "1. e4 {is it 0-1?} (1. d4 1-0) e5 1-0 ; so\n\n1. d4 Kxf9 2. c4 0-1\n\n1. c4 c5 *\n"
        assert pgn_files.count_games(text) == 3
        found = read(lab, tmp_path, text)
        records = [pgn_files.read(one.text, CHESS) for one in found.games]
        assert [record.notes[0].move.uci() for record in records] == ["e2e4", "d2d4", "c2c4"]
        assert records[1].problem == "1... Kxf9 is not a legal move"
        assert [(one.number, one.score) for one in found.games] == [(1, 2), (2, 0), (3, None)]

    @pytest.mark.parametrize(
        ("text", "count"),
        [
            ("1. e4 (1. d4 1-0) e5 1-0 {good game}", 1),
            ("1. e4 e5 1-0 *", 1),
            ('% file\n[Event "a"]\n\n1. e4 *\n', 1),
            ("1. e4 e5 1-0 ; so\n{of another} 1. d4 *", 2),
            ("1. e4) e5 1-0 1. d4 0-1", 2),
            ("\n; two\n1. e4 e5 1-0\n\n1. d4 d5 0-1\n", 2),
            ("1. e4 e5 1-0 * 1. d4 0-1", 2),
            ("1. e4 e5 1-0\n{adjudged} 1-0\n\n1. d4 d5 0-1", 2),
            ("1. e4 e5 1-0 {c} (1... c5 2. Nf3 *) *", 1),
        ],
    )
    def test_text_after_a_result_is_a_game_if_it_has_moves(self, text: str, count: int) -> None:
        records = list(pgn_files.games(text, CHESS))
        results = [pgn_files.result_of(part) for part in pgn_files.split_games(text)]
        assert all(record.problem or record.result == result for record, result in zip(records, results, strict=True))
        assert pgn_files.count_games(text) == len(records) == count and all(record.notes for record in records)
        assert records[-1].comment == ("of another" if "another" in text else "")

    def test_games_without_headers_are_counted_as_well(
        self, lab: AppContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(game_collection, "_MANY_GAMES", 1)
        found = read(lab, tmp_path, "1. e4 e5 1-0\n\n1. d4 d5 0-1\n", game("1. Re1", FEN=ROOK))
        assert [one.number for one in found.games] == [1, 2, 3]
        assert [one.score for one in found.games[:2]] == [2, 0]

    def test_a_game_that_breaks_off_is_graded_as_far_as_it_goes(self, lab: AppContext, tmp_path: Path) -> None:
        found = read(lab, tmp_path, game("1. Re1 Kd6 2. Rxe9", FEN=ROOK))
        assert found.total.moves == 2
        assert words.failed(found.unreadable[0]).startswith(f"game 1 of all.pgn: {found.unreadable[0].problem}; ")

    def test_a_game_lists_its_endings_in_order_with_their_results(self, lab: AppContext, tmp_path: Path) -> None:
        found = read(lab, tmp_path, game("1. a8=Q Kh6 2. Qa7", FEN="8/P6k/8/8/8/8/8/1K6 w - - 0 1", Result="1-0"))
        (played,) = found.games
        assert [(stretch.ending, stretch.ply, stretch.expected) for stretch in played.phases] == [
            ("KPvK", 1, 2), ("KQvK", 2, 2),
        ]  # fmt: skip
        assert found.total.games == 1 and found.by_ending["KQvK"].moves == 2

    def test_a_draw_by_the_50_move_rule_is_not_an_error(self, lab: AppContext, tmp_path: Path) -> None:
        late = "8/8/8/8/8/2k5/7r/K6Q b - - 97 80"
        found = read(
            lab, tmp_path, game("80... Rh8", FEN="8/8/8/3k4/8/8/8/1K5R b - - 97 80"), game("80... Rxh1+", FEN=late)
        )
        assert found.total.half_points == 0

    def test_endings_without_a_table_are_listed_with_their_price(self, tmp_path: Path) -> None:
        lab = AppContext(tmp_path / "empty")
        moves = "1. Kf4 Kd6 2. Ke4 Ke6"
        found = read(lab, tmp_path, game(moves, FEN="8/8/4k3/8/8/4K3/4PP2/8 w - - 0 1"), game("1. Re1", FEN=ROOK))
        (one,) = found.missing
        assert (one.ending, one.games, one.moves) == ("KPPvK", 1, 4)
        assert words.missing(lab.library("dtm"), one)[3] == "about 5 s, 13 MB"
        assert found.total.moves == 1
        lab.close()

    def test_games_are_listed_in_each_order(self, lab: AppContext, tmp_path: Path) -> None:
        texts = [
            game("60. Qf7", FEN=STALEMATE, White="Zoe", Date="2026.01.01"), game("1. e4", Date="????.??.??"),
            game("60. Qf6+ Kg8", FEN=STALEMATE, White="Kim", Date="2026.05.??"), game("1. Re1", FEN=ROOK, Date="2025"),
        ]  # fmt: skip
        found = read(lab, tmp_path, *texts)
        orders = [[played.number for played in found.search(order=order)] for order in range(len(ORDERS))]
        assert orders == [[1, 3, 4, 2], [3, 1, 4, 2], [2, 4, 3, 1], [1, 3, 4, 2], [1, 2, 3, 4]]
        assert [played.number for played in found.search("zoe kqvk")] == [1]
        assert [played.number for played in found.search("2026.05")] == [3] and not found.search("nobody")
        assert list(found.by_time) == ["2025", "2026.01", "2026.05"]

    def test_games_are_sorted_by_the_ending_shown(self, lab: AppContext, tmp_path: Path) -> None:
        found = read(
            lab, tmp_path,
            game("1. a8=Q Kh6", FEN="8/P6k/8/8/8/8/8/1K6 w - - 0 1"),
            game("1. a7 Kh6", FEN="8/7k/P7/8/8/8/8/1K6 w - - 0 1"),
        )  # fmt: skip
        assert [played.number for played in found.search(order=ORDERS.index("by ending"))] == [2, 1]

    def test_games_of_stones_are_graded(self, morris: Explorer[Any, Any], tmp_path: Path) -> None:
        lab = AppContext(morris.library.directory.parent)
        file = tmp_path / "stones.txt"
        position = "6X1/1X2X3/X4OOO w"
        stones = lab.judge("morris").game
        line = lab.judge("morris").line(stones.parse(position))
        record = GameText(stones.parse(position), tuple(AnnotatedMove(step.move) for step in line.steps[:5]))
        file.write_text(write(record, stones))
        found = GameCollection(lab, "morris")
        found.read([file])
        assert found.total.moves == 5 and found.total.half_points == found.total.plies == 0
        assert set(found.by_ending) <= {"4-3", "3-3"}
        lab.close()


class TestDrills:
    def test_each_error_becomes_one_drill_that_names_its_game(self, lab: AppContext, tmp_path: Path) -> None:
        texts = [game("60. Qf7", FEN=STALEMATE), game("1. Ra5+ Kc4", FEN=ROOK)]
        found = read(lab, tmp_path, *texts, me="Ann")
        done = found.make_drills()
        (study,) = done.added
        assert (study.name, study.side, study.position) == ("Ann – Ben, 2026, move 60", "white", STALEMATE)
        assert "Ann – Ben, Cup, 2026.03.01, move 60" in study.note and words.drilled(done).startswith("1 error ")
        again = read(lab, tmp_path, *texts, me="Ann").make_drills()
        assert not again.added and len(again.refused) == 1 and MY_GAMES in words.drilled(again)
        (own,) = lab.studies("chess").own()
        assert own.name == MY_GAMES and len(own.studies) == 1

    def test_they_start_from_the_board_of_the_game(self, lab: AppContext, tmp_path: Path) -> None:
        read(lab, tmp_path, game("60. Qf7", FEN=STALEMATE), me="Ann").make_drills()
        explorer = lab.explorer("dtm")
        course = Course(explorer.game, lab.library("dtm"), lab.studies("chess"), lab.journal)
        (item,) = next(found for found in course.collections if found.name == MY_GAMES).items
        assert item.study is not None
        for seed in range(20):
            start = draw(Starts(explorer, random.Random(seed)), item, colours=True)
            assert (start.position.board_fen(), start.learner) == (STALEMATE.split()[0], "white")
        other = replace(item, study=replace(item.study, id="my-positions/1"))  # the same board, but of another set
        for one, is_another in ((other, False), (item, True)):  # where the user asks for another start, it is mirrored
            starts = [Starts(explorer, random.Random(seed)) for seed in range(20)]
            assert len({draw(each, one, True, is_another=is_another).position.fen() for each in starts}) > 1

    def test_drills_from_games_are_scheduled_like_others(self, lab: AppContext, tmp_path: Path) -> None:
        read(lab, tmp_path, game("60. Qf7", FEN=STALEMATE), me="Ann").make_drills()
        chess_, studies = lab.explorer("dtm").game, lab.studies("chess")
        course = Course(chess_, lab.library("dtm"), studies, lab.journal)
        (item,) = next(found for found in course.collections if found.name == MY_GAMES).items
        assert item.ending == "KQvK" and item.study is not None
        assert review(lab.journal, item.theme, FsrsRating.AGAIN).theme == item.theme.key
        assert lab.journal.card(item.theme.key) is not None


def run(lab: AppContext, *args: str) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(lab.root), "games", *args], catch_exceptions=False)


class TestCommand:
    def test_games_reports_everything_and_adds_the_drills_of_one_player(self, lab: AppContext, tmp_path: Path) -> None:
        file = tmp_path / "mine.pgn"
        file.write_text(game("60. Qf7", FEN=STALEMATE, Result="1/2-1/2") + game("1. e4 e5 2. Ke3"))
        found = run(lab, str(file), "--me", "ann")
        collection = GameCollection(lab, "chess", "ann")
        collection.read([file])
        assert all(sentence in " ".join(found.stdout.split()) for sentence in words.overview(collection))
        assert re.search(r"0\.5 point +60\.Qf7 +KQvK .*\(S5\) +Ann – Ben, Cup, 2026\.03\.01", found.stdout)
        assert "game 2 of mine.pgn: 2. Ke3 " in found.stderr and MY_GAMES in found.stderr
        told = json.loads(run(lab, str(file), "--me", "ann", "--json").stdout)
        assert told["errors"][0]["fen"] == STALEMATE and told["drills"] == {"added": 0, "known": 1, "set": MY_GAMES}
        assert told["total"] == {"games": 1, "moves": 1, "errors": 1, "points": 0.5, "plies": 0}

    def test_without_a_player_no_drills_are_added(self, lab: AppContext, tmp_path: Path) -> None:
        file = tmp_path / "mine.pgn"
        file.write_text(game("60. Qf7", FEN=STALEMATE))
        assert "--me NAME" in run(lab, str(file)).stderr and not lab.studies("chess").own()
        run(lab, str(file), "--drills")
        assert lab.studies("chess").own()

    def test_the_player_of_the_settings_is_the_default(self, lab: AppContext, tmp_path: Path) -> None:
        file = tmp_path / "mine.pgn"
        file.write_text(game("60. Qf7", FEN=STALEMATE))
        (lab.root / "settings.toml").write_text('player = "ann"\n')
        assert json.loads(run(lab, str(file), "--json").stdout)["player"] == "ann" and lab.studies("chess").own()
        (lab.root / "settings.toml").write_text('player = "bob"\n')
        assert json.loads(run(lab, str(file), "--json").stdout)["player"] is None

    @pytest.mark.parametrize(
        ("name", "written", "words"),
        [
            ("none.pgn", b"", "there is no game in none.pgn"),
            ("text.pgn", b"just some words\n", "there is no game in text.pgn"),
            ("begun.pgn", b"1. e4 e5 2. words\n", "words is not a legal move"),
            ("bytes.pgn", bytes(range(256)), "is not a text file"),
            ("wide.pgn", game("60. Qf7", FEN=STALEMATE).encode("utf-16-le"), "is not a text file"),
            ("chess960.pgn", game("1. e4", Variant="Chess960").encode(), "a different variant: Chess960"),
            ("missing.pgn", None, "cannot be read"),
        ],
    )  # fmt: skip
    def test_a_bad_file_is_reported_in_a_sentence_and_the_others_are_read(
        self, lab: AppContext, tmp_path: Path, name: str, written: bytes | None, words: str
    ) -> None:
        good, bad = tmp_path / "good.pgn", tmp_path / name
        good.write_text(game("60. Qf7", FEN=STALEMATE))
        if written is not None:
            bad.write_bytes(written)
        found = run(lab, str(bad), str(good))
        assert words in found.stderr and "Traceback" not in found.output
        assert "60.Qf7" in found.stdout
        alone = run(lab, str(bad))
        assert words in alone.stderr and ("there is no game" not in words or (alone.exit_code, alone.stdout) == (1, ""))

    def test_a_directory_and_an_unknown_player_are_refused(self, lab: AppContext, tmp_path: Path) -> None:
        file = tmp_path / "mine.pgn"
        file.write_text(game("60. Qf7", FEN=STALEMATE))
        found = run(lab, str(tmp_path))
        assert found.exit_code == 1 and "mine.pgn" in found.stderr
        found = run(lab, str(file), "--me", "Bob")
        assert found.exit_code == 1
        assert all(name in found.stderr for name in ("'Bob'", "'Ann'", "'Ben'"))

    def test_names_in_latin_1_are_read(self, lab: AppContext, tmp_path: Path) -> None:
        file = tmp_path / "mine.pgn"
        file.write_bytes(game("60. Qf7", FEN=STALEMATE, White="Jürgen").encode("latin-1"))
        assert json.loads(run(lab, str(file), "--me", "jürgen", "--json").stdout)["player"] == "jürgen"
