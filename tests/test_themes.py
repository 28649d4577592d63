"""Themes and their starts: every start belongs to its theme, and its symmetric copies have the same value."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.errors import NotBuiltError
from endgame_core.practice.theme import (
    KINDS,
    DrillError,
    DrillMode,
    Starts,
    Theme,
    groups,
    parse_theme,
    turn_matters,
)
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.survey import make
from endgame_core.values import LAST_LAYER, Category
from tests.positions import by_depth

from . import positions
from .conftest import Five

Chess = Explorer[chess.Board, chess.Move]
MATES = [
    "KRvK mate white 5-11",
    "KQvK mate white 11-19",
    "KPvK mate white",
    "KQvKR mate black",
    "KPvKP mate white 21-31",
]
LASTS = ["KRvK hold white 20-30", "KQvKP hold black", "KBNvK hold white 2-10"]
DRAWS = ["KPvK hold", "KPvKP hold", "KQvKQ hold", "KRvKB hold"]
ONLY = ["KPvK only", "KQvKR only white 21-61", "KRvKP only", "KPvKP only"]


def starts(explorer: Chess, seed: int = 1, colours: bool = True) -> Starts[chess.Board, chess.Move]:
    return Starts(explorer, random.Random(seed), colours)


THEMES = st.builds(
    lambda ending, mode, winner, window, kind: Theme(
        ending, mode, winner, *(window if winner else (1, LAST_LAYER)), kind=kind if mode is DrillMode.ONLY else ""
    ),
    st.sampled_from(["KRvK", "KRPvKR"]),
    st.sampled_from([DrillMode.HOLD, DrillMode.ONLY]),
    st.sampled_from([None, "white", "black"]),
    st.lists(st.integers(1, LAST_LAYER), min_size=2, max_size=2).map(sorted),
    st.sampled_from(["", *KINDS]),
)


@given(THEMES)
def test_a_key_describes_a_theme_completely(theme: Theme) -> None:
    assert parse_theme(theme.key) == theme


WORDS = st.lists(st.sampled_from(["KRvK", "mate", "hold", "white", "5-11", "9-2", "x", "study"])).map(" ".join)


@given(st.one_of(st.text(max_size=30), WORDS))
def test_text_other_than_a_theme_key_is_refused(text: str) -> None:
    try:
        theme = parse_theme(text)
    except DrillError as error:
        assert "not a theme" in str(error)
    else:
        assert theme.study or parse_theme(theme.key) == theme


def test_the_label_of_a_theme_counts_moves() -> None:
    labels = {
        "KRvK mate white 5-11": "mate in 3–6", "KPvK mate white": "win", "KQvKR mate black": "win as Black",
        "KPvK hold": "hold", "KQvKR hold white 20-40": "lost: mated in 10–20", "KPvK call": "win/draw/loss?",
        "KRPvKR only": "only move", "KRPvKR only white 5-11": "only move, mate in 3–6",
    }  # fmt: skip
    assert {key: parse_theme(key).label for key in labels} == labels
    assert Theme("KRvK", DrillMode.MATE, "white", 5, 11).key == "KRvK mate white 5-11"
    study = Theme("KRPvKR", DrillMode.MATE, study="lucena", name="Lucena")
    assert (study.key, study.label) == ("study lucena", "Lucena")
    assert parse_theme("study my-positions/3").study == "my-positions/3"


def test_shipped_groups_have_distinct_themes_of_real_endings() -> None:
    found = groups("chess")
    assert list(found)[:2] == ["Basic mates", "King and pawn"]
    themes = [theme for some in found.values() for theme in some]
    assert len(set(themes)) == len(themes)
    assert all(CHESS.canonical_name(theme.ending) == theme.ending for theme in themes)
    assert groups("hex") == {}


def test_every_shipped_theme_has_starts(explorer: Chess) -> None:
    for themes in groups("chess").values():
        for theme in themes:
            if explorer.library.is_built(theme.ending):
                assert starts(explorer).draw(theme).position.is_valid(), theme


@pytest.mark.parametrize("key", MATES + LASTS)
def test_a_start_is_within_its_window(explorer: Chess, key: str) -> None:
    theme, drawn = parse_theme(key), starts(explorer)
    colours: Counter[str] = Counter()
    for _ in range(25):
        start = drawn.draw(theme)
        place = explorer.locate(start.position)
        assert place.ending == theme.ending
        wins = explorer.probe(start.position).winner
        assert (wins == start.learner) == (theme.mode is DrillMode.MATE)
        assert place.winner == theme.winner or theme.ending == "KPvKP", "there, the sides have the same men"
        assert start.perfect == place.n and theme.low <= start.perfect <= theme.high
        assert start.category is (Category.WIN if theme.mode is DrillMode.MATE else Category.LOSS)
        assert start.learner == CHESS.mover(start.position)
        colours[start.learner] += 1
    assert set(colours) == {"white", "black"}


def test_every_position_of_a_window_is_drawn(explorer: Chess) -> None:
    theme = parse_theme("KQvK mate white 19-19")
    assert starts(explorer).count(theme) == 1
    drawn = starts(explorer, colours=False)
    boards = {drawn.draw(theme).position.board_fen() for _ in range(100)}
    assert len(boards) == 8, "one position, eight symmetric copies"


@pytest.mark.parametrize("key", DRAWS)
def test_a_draw_to_hold_can_be_lost(explorer: Chess, key: str) -> None:
    drawn = starts(explorer)
    for _ in range(10):
        start = drawn.draw(parse_theme(key))
        grades = [move.grade for move in by_depth(explorer, start.position)]
        assert start.category is Category.DRAW and "loss" in grades and "best" in grades


@pytest.mark.parametrize("key", ONLY)
def test_in_an_only_move_drill_one_move_keeps_the_result(explorer: Chess, key: str) -> None:
    theme, drawn = parse_theme(key), starts(explorer)
    for _ in range(10):
        start = drawn.draw(theme)
        kept = [
            move.verdict.winner == explorer.probe(start.position).winner for move in by_depth(explorer, start.position)
        ]
        assert kept.count(True) == 1 < len(kept)
        if theme.winner:
            assert start.perfect is not None and theme.low <= start.perfect <= theme.high


SHIPPED = [theme for themes in groups("chess").values() for theme in themes]


@pytest.mark.parametrize("key", ["KPvKP only quiet", "KQvKR only white quiet", "KQvKR only hanging"])
def test_an_only_move_is_of_the_requested_kind(explorer: Chess, key: str) -> None:
    theme, drawn = parse_theme(key), starts(explorer, 4)
    assert theme.key == key and theme.kind == key.split()[-1]
    for _ in range(5):
        board = drawn.draw(theme).position
        move = the_only(explorer, board)
        after = CHESS.play(board, move)
        free = all(reply.to_square != move.to_square for reply in after.legal_moves)
        assert (board.is_capture(move) and free) is (theme.kind == "hanging")
        assert theme.kind != "quiet" or not (board.is_capture(move) or move.promotion or after.is_check())


def the_only(explorer: Chess, board: chess.Board) -> chess.Move:
    winner = explorer.probe(board).winner
    moves = by_depth(explorer, board)
    (only,) = [move.move for move in moves if move.verdict is not None and move.verdict.winner == winner]
    return only


@pytest.mark.slow
def test_an_only_move_can_lead_into_zugzwang(library: Library, tmp_path: Path) -> None:
    own = Library(CHESS, tmp_path)
    own.directory.mkdir(parents=True)
    for path in library.directory.glob("K*vK.egt"):
        os.link(path, own.directory / path.name)
    explorer, theme = Explorer(CHESS, own), parse_theme("KPvK only zugzwang")
    drawn = starts(explorer, 4)
    with pytest.raises(
        DrillError,
        match="the moves of KPvK must be examined first; type about in the Library",
    ):
        drawn.draw(theme)
    make(own, "KPvK", 1, lambda _: None)
    for _ in range(10):
        board = drawn.draw(theme).position
        after = CHESS.play(board, the_only(explorer, board))
        turned = after.copy()
        turned.turn = not after.turn
        results = [{CHESS.mover(board): 1, None: 0}.get(explorer.probe(one).winner, -1) for one in (after, turned)]
        assert turned.is_valid() and results[0] > results[1], board.fen()
    board = drawn.draw(parse_theme("KPvK only underpromotion")).position
    best = by_depth(explorer, board)[0]
    assert best.grade == "best" and best.move.promotion not in (None, chess.QUEEN)


def test_only_only_moves_have_a_kind() -> None:
    for text in ("KPvK mate white quiet", "KPvK only loud", "KPvK hold zugzwang"):
        with pytest.raises(DrillError, match="not a theme"):
            parse_theme(text)
    assert parse_theme("KRPvKR only white 5-11 quiet").label == "only move, mate in 3–6, quiet"
    assert parse_theme("KPvK only hanging").label == "only move, hanging piece"


GIFTS = [
    "KQvKR mate white 1-61",
    "KQvKP mate white",
    "KRvKP mate white",
    "KPvKP hold",
    "KRvKP only",
    "KQvKQ hold",
    "KPvK call",
]


def no_gift(explorer: Chess, theme: Theme, count: int) -> None:
    """In no start of a theme a man can be taken that nothing takes back, with the result kept."""
    drawn = starts(explorer, 3)
    for _ in range(count):
        board = drawn.draw(theme).position
        moves = by_depth(explorer, board)
        for move in moves:
            if not board.is_capture(move.move) or move.verdict is None:
                continue
            free = all(reply.to_square != move.move.to_square for reply in CHESS.play(board, move.move).legal_moves)
            best = moves[0].verdict
            assert best is not None
            kept = move.verdict.winner == best.winner and (best.category is not Category.WIN or move.grade == "best")
            assert not (free and kept), f"{theme.key}: {board.fen()} {move.san}"


@pytest.mark.parametrize("key", GIFTS)
def test_no_answer_is_to_capture_a_hanging_piece(explorer: Chess, key: str) -> None:
    """Nothing defends what could be taken: neither in wins, nor in draws, nor where one move keeps the result."""
    no_gift(explorer, parse_theme(key), 40)


@pytest.mark.exhaustive
@pytest.mark.parametrize("theme", SHIPPED, ids=lambda theme: theme.key)
def test_no_start_of_200_is_trivial(five: Five, theme: Theme) -> None:
    no_gift(Explorer(CHESS, five(CHESS, ["KRPvKR", "KQPvKQ", "KBPvK"])), theme, 200)


def test_captures_that_win_material_are_found() -> None:
    sans = {
        "4k3/8/8/8/8/8/r7/K7 w - - 0 1": ["Kxa2"],
        "8/8/8/8/8/1k6/r7/K7 w - - 0 1": [],
        "8/8/8/8/8/6k1/5R2/K7 b - - 0 1": ["Kxf2"],
    }
    for fen, gifts in sans.items():
        board = chess.Board(fen)
        assert [board.san(move) for move in CHESS.free_captures(board)] == gifts


def test_questions_cover_all_results_and_often_the_side_to_move(explorer: Chess) -> None:
    drawn = starts(explorer, 5)
    found = [drawn.draw(parse_theme("KPvKP call")) for _ in range(60)]
    counts = Counter(start.category for start in found)
    assert set(counts) == {Category.WIN, Category.DRAW, Category.LOSS} and min(counts.values()) >= 8
    assert sum(turn_matters(explorer, start.position) is True for start in found) >= 15


@pytest.mark.slow
def test_results_are_equally_frequent_if_only_one_side_can_win(explorer: Chess) -> None:
    drawn = starts(explorer, 5)
    counts = Counter(drawn.draw(parse_theme("KPvK call")).category for _ in range(240))
    assert max(counts.values()) < 100


def test_the_side_to_move_decides_if_the_result_depends_on_it(explorer: Chess) -> None:
    opposition = chess.Board("8/8/8/4k3/8/4K3/4P3/8 w - - 0 1")
    assert turn_matters(explorer, opposition) is True
    assert turn_matters(explorer, chess.Board("8/8/8/8/4P3/4K3/8/7k w - - 0 1")) is False
    in_check = chess.Board("8/8/8/4k3/8/4K3/8/4R3 b - - 0 1")
    assert CHESS.with_side_switched(chess.Board("8/8/8/8/4k3/8/8/K3R3 b - - 0 1")) is None
    assert turn_matters(explorer, in_check) is not None


@pytest.mark.parametrize("ending", ["KRvK", "KQvKR", "KPvK", "KPvKP", "KRvKP"])
def test_symmetric_copies_differ_and_have_the_same_value(
    explorer: Chess, random_board: Callable[[str], chess.Board], ending: str
) -> None:
    for _ in range(25):
        board = random_board(ending)
        copies = CHESS.copies_of(board)
        code = explorer.code(board)
        assert copies[0] == board and len({copy.fen() for copy in copies}) == len(copies) <= 8
        assert {explorer.code(copy) for copy in copies} == {explorer.code(CHESS.with_colours_swapped(board))} == {code}
        assert {CHESS.index.slot_of(copy) for copy in copies} == {CHESS.index.slot_of(board)}
        turned = CHESS.with_side_switched(board)
        assert turned is None or (turned.turn != board.turn and turned.board_fen() == board.board_fen())
        if board.pawns:
            assert len(copies) <= 2


@given(positions.passed(["KPvKP"]))
def test_copies_keep_the_right_to_capture_en_passant(found: tuple[str, chess.Board]) -> None:
    board = found[1]
    if positions.is_legal(board):
        for copy in [*CHESS.copies_of(board), CHESS.with_colours_swapped(board)]:
            assert len(list(copy.generate_legal_ep())) == len(list(board.generate_legal_ep()))


def test_a_study_starts_from_a_copy_with_the_learner_on_its_side(explorer: Chess) -> None:
    board = chess.Board("8/8/8/3k4/8/8/8/K6R w - - 0 1")
    drawn = starts(explorer)
    found = [drawn.of_position(board, "black", colours=True) for _ in range(200)]
    assert len({start.position.board_fen() for start in found}) == 16
    for start in found:
        assert start.category is Category.WIN and CHESS.mover(start.position) != start.learner


def test_a_theme_without_positions_is_refused(explorer: Chess) -> None:
    drawn = starts(explorer)
    with pytest.raises(DrillError, match=r"KRvK has no position of this kind: mate in 30–40"):
        drawn.draw(parse_theme("KRvK mate white 59-79"))
    with pytest.raises(DrillError, match="no position of this kind"):
        drawn.draw(parse_theme("KBvK hold"))
    with pytest.raises(NotBuiltError, match="KRPvKR"):
        drawn.draw(parse_theme("KRPvKR mate white"))
    with pytest.raises(DrillError, match="is a study"):
        drawn.draw(parse_theme("study lucena"))
    assert drawn.count(parse_theme("study lucena")) == 0


class _Deep(Explorer[chess.Board, chess.Move]):
    """Every layer up to 401 has a position."""

    def __init__(self, library: Library) -> None:
        super().__init__(CHESS, library)

    def deepest(self, ending: str, winner: str) -> int:
        return 401

    def count(self, ending: str, winner: str | None, n: int | None, side: int = 0) -> int:
        return int(n is not None and 0 <= n <= 401)


def test_a_theme_without_a_window_covers_the_whole_table(tmp_path: Path) -> None:
    deep = starts(_Deep(Library(CHESS, tmp_path)))
    counts = [deep.count(parse_theme(f"KRvKN {text}")) for text in ("mate white", "hold white", "mate white 255-301")]
    assert counts == [201, 200, 24]
