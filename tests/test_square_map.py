"""The map of a piece: each square has the value of the position with the piece there."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import chess
import pytest

from endgame_core.app_context import AppContext
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.square_map import Placing, SquareValue
from endgame_core.tasks.walk import Walk
from endgame_core.values import Category
from endgame_core.words import placing as words
from endgame_core.words.position import headline

from .conftest import fast
from .positions import PASSABLE, PAWN_SQUARES, is_legal, just_passed, men_of, place
from .stones import random_position

AnyPlacing = Placing[Any, Any]
Stones = Explorer[Position, MorrisMove]
KEYS = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"
"""The key squares of a pawn on its second rank are the three two ranks ahead of it."""


@pytest.fixture(scope="session")
def labs(library: Library, dtz_library: Library, morris: Stones) -> dict[str, AppContext]:
    """By DTM alone, by both metrics, and stones."""
    roots = {"dtm": library.root, "dtz": dtz_library.root, "morris": morris.library.root}
    return {name: AppContext(root) for name, root in roots.items()}


def placing(lab: AppContext, game: str, position: Any, man: int = -1) -> AnyPlacing:
    walk: Walk[Any, Any] = Walk(lab, game)
    walk.go(walk.rules.parse(position) if isinstance(position, str) else position)
    found: AnyPlacing = Placing(walk, man)
    return found


def spots(of: AnyPlacing) -> dict[int, SquareValue[Any]]:
    of.find()
    assert of.spots is not None
    return dict(of.spots)


def random_board(rng: random.Random) -> chess.Board:
    """Up to four men, any clock, in a third of the cases a pawn that has just passed another."""
    ending = rng.choice(["KPvKP", "KQvKR", "KBNvK", "KRvKP", "KPvK", "KPvKP", "KPPvK", "KRvK", "KvK"])
    passing = ending in PASSABLE and rng.random() < 0.7
    while True:
        board = just_passed(ending, rng.choice) if passing else place(chess.Board(None), men_of(ending), rng.choice)
        if not passing:
            board.turn, board.halfmove_clock = (
                rng.random() < 0.5,
                rng.choice([0, rng.randrange(151), rng.randrange(70, 101)]),
            )
        if is_legal(board):
            return board


def moved(board: chess.Board, man: int, square: int, turn: bool) -> chess.Board | None:
    """The board with a man elsewhere, made by hand; None where that is not a position."""
    other = chess.Board(None)
    for at, piece in board.piece_map().items():
        other.set_piece_at(square if at == man else at, piece)
    other.turn, other.halfmove_clock = turn, board.halfmove_clock
    if any(at not in chess.SquareSet(PAWN_SQUARES) for at in chess.SquareSet(other.pawns)) or not is_legal(other):
        return None
    if turn == board.turn and board.ep_square is not None:
        other.ep_square = board.ep_square
        if not other.has_pseudo_legal_en_passant() or other.status() & chess.STATUS_INVALID_EP_SQUARE:
            other.ep_square = None
    return other


@pytest.mark.exhaustive
@pytest.mark.parametrize("tables", ["dtm", "dtz"])
@pytest.mark.parametrize("seed", fast(range(12), 2))
def test_each_square_has_the_value_of_its_position(labs: dict[str, AppContext], tables: str, seed: int) -> None:
    board = random_board(random.Random(seed))
    lab = labs[tables]
    judge = lab.judge("chess")
    for man in board.piece_map():
        of = placing(lab, "chess", board, man)
        for turn in (board.turn, not board.turn):
            found = spots(of)
            assert set(found) == {square for square in chess.SQUARES if square == man or not board.piece_at(square)}
            for square, spot in found.items():
                expected = moved(board, man, square, turn)
                assert spot.position == expected, (board.fen(), man, square)
                assert (spot.why != "") is (expected is None)
                if expected is None:
                    continue
                known = judge.probe(expected)
                category = known.category
                assert (spot.glance.category, spot.glance.verdict) == (category, known.verdict), expected.fen()
                own = category if category is None or board.color_at(man) == turn else category.negated
                assert spot.category is own
            of.turn()


@pytest.mark.parametrize("seed", fast(range(6), 2))
def test_each_point_has_the_value_of_its_position(labs: dict[str, AppContext], seed: int) -> None:
    rng = random.Random(seed)
    position = random_position(rng.choice(["3-3", "4-3", "4-4", "5-3"]), rng)
    judge = labs["morris"].judge("morris")
    for man in (point for point in range(24) if (position.white | position.black) >> point & 1):
        of = placing(labs["morris"], "morris", position, man)
        for turn in (position.turn, 1 - position.turn):
            for point, spot in spots(of).items():
                white, black = position.white, position.black
                mine = white >> man & 1
                gone, there = 1 << man, 1 << point
                expected = Position(
                    white & ~gone | there if mine else white, black if mine else black & ~gone | there, turn
                )
                verdict = judge.probe(expected).verdict
                assert spot.position == expected and verdict is not None and spot.glance.verdict == verdict
                own = verdict.category if bool(mine) is (turn == 0) else verdict.category.negated
                assert spot.category is own and not spot.key
            of.turn()


def test_with_stones_in_hand_the_map_has_no_values(labs: dict[str, AppContext]) -> None:
    of = placing(labs["morris"], "morris", "O7/2X5/8 w 8-8")
    assert {spot.category for spot in spots(of).values()} == {None}
    assert spots(of)[5].position == of.walk.rules.parse("5O2/2X5/8 w 8-8")


class TestKeySquares:
    @pytest.mark.parametrize("turned", [False, True])
    def test_a_pawn_on_its_second_rank_has_three_key_squares(self, labs: dict[str, AppContext], turned: bool) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E3)
        of.turned = turned
        keys = {chess.square_name(square) for square, spot in spots(of).items() if spot.key}
        assert keys == {"d4", "e4", "f4"}

    def test_only_kings_beside_pawns_have_key_squares(self, labs: dict[str, AppContext]) -> None:
        for position, man in ((KEYS, chess.E2), ("8/8/4k3/8/8/4K3/4Q3/8 w - - 0 1", chess.E3)):
            assert not any(spot.key for spot in spots(placing(labs["dtm"], "chess", position, man)).values())

    @pytest.mark.parametrize("seed", range(8))
    def test_key_squares_are_the_best_squares_whoever_moves(self, labs: dict[str, AppContext], seed: int) -> None:
        rng = random.Random(seed)
        board = next(b for b in iter(lambda: random_board(rng), None) if b.pawns)
        king = board.king(rng.random() < 0.5)
        assert king is not None
        of = placing(labs["dtm"], "chess", board, king)
        first = spots(of)
        of.turn()
        second = spots(of)
        results = [{p: spot.category for p, spot in found.items() if spot.category} for found in (first, second)]
        best = max((c for found in results for c in found.values()), key=lambda category: category.goodness)
        either = results[0].keys() & results[1].keys()
        held = {p for p in either if results[0][p] is results[1][p] is best}
        expected = set[int]() if best is Category.LOSS or held == either else held
        for found in (first, second):
            assert {p for p, spot in found.items() if spot.key} == expected

    @pytest.mark.parametrize("position", ["7k/8/3p1K2/2P5/8/8/8/8 w - - 0 1", "8/P7/1K6/1p6/8/5k2/8/8 w - - 0 1"])
    def test_key_squares_do_not_depend_on_the_side_to_move(self, labs: dict[str, AppContext], position: str) -> None:
        of = placing(labs["dtm"], "chess", position)
        of.man = next(man for man in of.men if of.edit.has_keys(man))
        first = {square for square, spot in spots(of).items() if spot.key}
        of.turn()
        assert {square for square, spot in spots(of).items() if spot.key} == first

    @pytest.mark.parametrize(
        ("position", "keys"),
        [
            ("4k3/8/8/8/4P3/8/8/K7 w - - 0 1", "d6 e6 f6"),
            ("8/4k3/8/8/8/4P3/8/K7 w - - 0 1", "d5 e5 f5"),
            ("4k3/8/8/4P3/8/8/8/K7 w - - 0 1", "d6 e6 f6"),
            ("8/8/1k6/8/8/8/1P6/K7 w - - 0 1", "a4 b4 c4"),
            ("3k4/8/8/8/8/P7/8/K7 w - - 0 1", "b7 b8"),
        ],
    )
    def test_key_squares_are_those_of_textbooks(self, labs: dict[str, AppContext], position: str, keys: str) -> None:
        found = spots(placing(labs["dtm"], "chess", position, chess.A1))
        assert {chess.square_name(square) for square, spot in found.items() if spot.key} == set(keys.split())


class TestWhatAUserDoes:
    def test_the_cursor_chooses_a_piece_and_enter_moves_it(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.A1)
        assert of.man == of.cursor == chess.E2  # no man on a1: White's first
        of.point(chess.E3)
        assert of.man == chess.E3
        of.point(chess.E4)
        assert of.man == chess.E3 and not of.choose(chess.E4)
        assert of.walk.rules.format(of.walk.position) == "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1" and of.man == chess.E4
        assert of.step(back=True) and of.man == chess.E3
        assert of.step(back=False) and of.man == chess.E4

    def test_a_held_piece_passes_over_other_pieces(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E3)
        assert not of.choose(chess.E3) and of.held
        of.point(chess.E2)
        assert of.man == chess.E3 and of.both() == []
        assert of.let_go() and not of.let_go()
        of.point(chess.E2)
        assert of.man == chess.E2

    def test_the_side_to_move_of_the_map_applies_to_the_new_position(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E3)
        of.turn()
        assert of.walk.position.turn is chess.WHITE and words.mover(of) == "black"
        assert not of.choose(chess.F3)
        assert of.walk.rules.format(of.walk.position) == "8/8/4k3/8/8/5K2/4P3/8 b - - 0 1" and not of.turned

    def test_an_impossible_square_has_a_reason(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E3)
        before = of.walk.step
        assert of.choose(chess.E5) == "the kings are on adjacent squares" and of.walk.step is before
        of.next_man(-1)
        assert of.man == chess.E2 and "first or eighth rank" in of.choose(chess.E8)
        of.point(chess.D5)
        assert of.choose(chess.D5) == "Black is in check, but White is to move"
        assert words.message(of).sentence == ("White to move: impossible: Black is in check; Black to move: draw.")

    def test_moving_a_piece_keeps_the_50_move_counter(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtz"], "chess", "8/8/8/8/4k3/8/8/3RK3 w - - 70 1", chess.D1)
        assert not of.choose(chess.A1) and of.walk.position.halfmove_clock == 70

    def test_next_piece_returns_to_the_first(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E2)
        seen = [of.man]
        for _ in range(3):
            of.next_man(1)
            seen.append(of.man)
        assert seen == [chess.E2, chess.E3, chess.E6, chess.E2]


class TestWords:
    def test_the_legend_counts_each_square_once(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E3)
        of.find()
        told = {mark.sign: (mark.words, places) for mark, places in words.legend(of)}
        assert told == {
            "★": ("White wins, either side to move", 3), "+": ("White wins", 9), "=": ("draw", 42),
            "−": ("Black wins", 0), "×": ("illegal position", 8),
        }  # fmt: skip
        assert sum(places for _, places in told.values()) == 64 - 2

    def test_squares_of_the_losing_side_have_negative_values(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtm"], "chess", KEYS, chess.E6)
        found = spots(of)
        assert words.sign(found[chess.A8]) + words.figure(of, found[chess.A8]) == "−33"
        assert [mark.words for mark, _ in words.legend(of)] == [
            "Black wins",
            "draw",
            "White wins",
            "illegal position",
        ]

    def test_by_dtz_the_map_shows_cursed_wins(self, labs: dict[str, AppContext]) -> None:
        of = placing(labs["dtz"], "chess", "8/8/8/8/4k3/8/8/3RK3 w - - 80 1", chess.D1)
        of.walk.switch_metric()
        found = spots(of)
        assert words.sign(found[chess.D1]) == "+=" and "cursed win" in words.message(of).sentence
        assert words.figures(of).endswith("(DTZ)")
        fifty = found[chess.D1].glance.fifty
        assert fifty is not None and words.figure(of, found[chess.D1]) == str(abs(fifty.dtz))

    def test_without_dtm_the_map_shows_dtz(self, dtz_library: Library, tmp_path: Path) -> None:
        (tmp_path / "tables").mkdir()
        os.link(dtz_library.directory / "KQvKR.dtz.egt", tmp_path / "tables" / "KQvKR.dtz.egt")
        of = placing(AppContext(tmp_path), "chess", "8/8/2r5/8/4k3/8/8/3QK3 w - - 0 1", chess.D1)
        spot = spots(of)[chess.D1]
        assert words.figures(of).endswith("(DTZ)") and words.sign(spot) == "+"
        assert spot.glance.fifty is not None and words.figure(of, spot) == str(spot.glance.fifty.dtz)

    @pytest.mark.parametrize("seed", range(6))
    def test_the_square_under_the_cursor_is_described_as_in_explore(
        self, labs: dict[str, AppContext], seed: int
    ) -> None:
        board = random_board(random.Random(seed))
        of = placing(labs["dtz"], "chess", board, board.king(chess.WHITE) or 0)
        for square in list(spots(of))[::9]:
            of.cursor = square
            for _, spot in of.both():
                if spot.position is None:
                    continue
                known = of.walk.judge.probe(spot.position)
                result = headline(known, of.walk.rules).result.replace(" · ", ", ")
                if (
                    not (known.is_over and known.verdict is not None and known.verdict.depth is None)
                    and not known.is_ended_by_limit
                ):
                    assert result in words.message(of).sentence

    def test_without_a_table_the_map_names_the_missing_one(self, tmp_path: Path) -> None:
        of = placing(AppContext(tmp_path), "chess", "8/8/4k3/8/8/4K3/4R3/4n3 w - - 0 1", chess.E2)
        of.find()
        assert [mark.sign for mark, _ in words.legend(of)][-1] == "?"
        assert "KRvKN is not built" in words.message(of).sentence
