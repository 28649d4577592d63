"""PGN of other programs, opened and saved again: as python-chess reads it, nothing is lost."""

from __future__ import annotations

import io
import random
from pathlib import Path

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.app_context import AppContext
from endgame_core.tables.library import Library
from endgame_core.tasks.play_state import PlayState

STARTS = (
    chess.STARTING_FEN, "8/8/8/3k4/8/8/8/1K5R w - - 0 1", "8/8/8/4k3/8/4K3/4P3/8 b - - 3 40",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
)  # fmt: skip
letters = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp"), exclude_characters='{}"\\')
plain = st.text(letters, max_size=20).map(lambda text: " ".join(text.split()))
told = (
    "[%clk 0:01:00] good",
    "[%cal Ga1a2,Rb3b4]",
    "[%eval 0.35]",
    "[%csl Gd4] see; this",
    "(see)",
    "$5 1-0 *",
    "12. e4",
)
comments = st.one_of(st.just(""), plain, st.sampled_from(told))
marks = st.sets(st.integers(1, 145), max_size=3)
names = st.sampled_from(
    ["White", "Black", "Event", "Site", "Round", "Annotator", "ECO", "Date", "Termination", "Hints"]
)


@st.composite
def trees(draw: st.DrawFn) -> chess.pgn.Game:
    """A game with variations in variations, comments before and behind moves, marks and headers."""
    game, start = chess.pgn.Game(), draw(st.sampled_from(STARTS))
    if start != chess.STARTING_FEN:
        game.setup(chess.Board(start))
    game.headers.update({name: value or "?" for name, value in draw(st.dictionaries(names, plain)).items()})
    game.headers["Result"] = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
    game.comment = draw(comments)
    rng, nodes = random.Random(draw(st.integers(0, 9999))), list[chess.pgn.GameNode]([game])
    for _ in range(draw(st.integers(0, 14))):
        parent = nodes[-1] if rng.random() < 0.6 else rng.choice(nodes)
        moves = [move for move in parent.board().legal_moves if not parent.has_variation(move)]
        if moves:
            node = parent.add_variation(rng.choice(moves), comment=draw(comments), nags=draw(marks))
            node.starting_comment = "" if node.is_main_variation() else draw(comments)
            nodes.append(node)
    return game


def words(text: str) -> set[str]:
    return {word.rstrip(";") for word in text.split()}  # ours follow behind a semicolon


def compare(before: chess.pgn.GameNode, after: chess.pgn.GameNode) -> None:
    """All moves, marks and comments are there; those of the main line may say more."""
    assert [node.move for node in before.variations] == [node.move for node in after.variations]
    for old, new in zip(before.variations, after.variations, strict=True):
        assert (old.nags, old.starting_comment.split()) == (new.nags, new.starting_comment.split())
        assert words(old.comment) <= words(new.comment)
        assert new.is_mainline() or old.comment.split() == new.comment.split()
        compare(old, new)


def opened_and_saved(lab: AppContext, folder: Path, text: str) -> str:
    file, saved = folder / "theirs.pgn", folder / "saved.pgn"
    file.write_text(text)
    saved.unlink(missing_ok=True)
    play: PlayState[chess.Board, chess.Move] = PlayState(lab, "chess")
    play.open(file)
    play.save(saved)
    return saved.read_text()


@pytest.fixture(scope="session")
def lab(dtz_library: Library, tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    root = tmp_path_factory.mktemp("data")
    (root / "tables").symlink_to(dtz_library.directory)
    return AppContext(root)


@pytest.mark.slow
@settings(max_examples=60)
@given(game=trees())
def test_nothing_is_lost_when_a_game_is_saved_again(
    lab: AppContext, tmp_path_factory: pytest.TempPathFactory, game: chess.pgn.Game
) -> None:
    before = chess.pgn.read_game(io.StringIO(str(game)))
    after = chess.pgn.read_game(io.StringIO(opened_and_saved(lab, tmp_path_factory.getbasetemp(), str(game))))
    assert before is not None and after is not None and not after.errors
    assert {name: value.split() for name, value in before.headers.items()} == {
        name: value.split() for name, value in after.headers.items()
    }
    assert before.comment.split() == after.comment.split()
    compare(before, after)


def test_moves_after_the_end_of_the_game_are_preserved(lab: AppContext, tmp_path: Path) -> None:
    """Bare kings are a draw here: what was played on stays in the file all the same."""
    text = '[White "Ann"]\n[FEN "8/8/8/8/8/2k5/8/KQ6 w - - 0 1"]\n\n1. Qb4+ Kxb4 2. Ka2 {so?} Ka4 *\n'
    saved = opened_and_saved(lab, tmp_path, text)
    assert "2. Ka2 {so?} 2... Ka4 *" in saved and "throws away the win" in saved and "You" not in saved


def test_a_game_of_another_program_is_the_same_after_a_second_save(lab: AppContext, tmp_path: Path) -> None:
    text = '[White "Ann"]\n[FEN "8/8/8/3k4/8/8/8/1K5R w - - 0 1"]\n\n1. Re1 {[%eval 5.1] fine} Kd6 $6 (1... Kc6) 1-0\n'
    once = opened_and_saved(lab, tmp_path, text)
    assert "[%eval 5.1] fine" in once
    assert opened_and_saved(lab, tmp_path, once) == once
