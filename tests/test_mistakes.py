"""The reason why a move was a mistake follows from the line that refutes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category
from endgame_core.words.game_report import best_told
from endgame_core.words.glossary import speech_of


def best_play(explorer: Explorer[Any, Any], position: Any) -> list[tuple[Any, Any]]:
    """The best line from a position, as positions and the moves made in them."""
    steps = Judge(explorer).line(position, 40, metric=DEPTH_UNDER_RULE).steps
    return [(step.position, step.move) for step in steps]


def fault(explorer: Explorer[Any, Any], position: Any, name: str) -> str:
    """Why a move was a mistake."""
    game = explorer.game
    move = game.parse_move(position, name)
    refutation = best_play(explorer, game.play(position, move))
    return speech_of(game.name).fault(explorer, (position, move), refutation, best_play(explorer, position))


@pytest.mark.parametrize(
    ("fen", "move", "reason"),
    [
        ("8/8/3k4/8/8/8/3PK3/8 b", "Kd5", "gives up the opposition (with White to move it would be a draw)"),
        ("8/8/8/4p3/3k4/8/8/4K3 w", "Ke2", "gives up the opposition (with Black to move it would be a draw)"),
        ("8/8/8/8/7p/4K3/7k/8 w", "Kd2", "leaves the king outside the square of the pawn"),
        ("8/6k1/8/4K3/8/P7/8/8 w", "Kf5", "lets the king into the square of the pawn"),
        ("8/8/K7/8/8/8/P7/1k6 b", "Kc1", "no longer stops the pawn"),
        ("8/5k2/8/5K2/8/8/3P4/8 w", "Kg5", "lets the king stop the pawn"),
        ("8/8/8/8/8/8/1P6/1k3K2 w", "Kg1", "loses the pawn"),
        ("8/3P4/8/3k4/8/6K1/8/8 w", "d8=N", "promotes to the wrong piece: a queen would win"),
        ("5K2/2k5/3P4/8/8/8/8/8 b", "Kb8", "lets the pawn promote in 3 moves"),
        ("8/4k1P1/8/8/8/2K5/8/8 b", "Ke6", "lets the pawn promote"),
        ("8/5K2/8/8/8/8/3Pk3/8 w", "Ke6", "loses the pawn"),
        ("3k4/4P3/3K4/8/8/8/8/8 b", "Kc8", "allows mate in 3"),
        ("8/8/4N3/8/8/3k4/1r6/3K4 w", "Nc7", "allows mate"),
        ("k7/8/8/8/2Q5/8/8/7K w", "Qc6+", ""),
        ("8/8/8/8/8/8/7Q/2krK3 w", "Ke2", "allows a skewer that wins the queen"),
        ("8/8/5K2/3R4/8/5n2/8/1k6 b", "Ne1", "allows a fork that wins the knight"),
        ("8/2rQ4/3K4/6k1/8/8/8/8 b", "Rc4", "loses the rook"),
        ("8/8/8/8/k5K1/7n/8/4R3 b", "Ka3", "loses the knight"),
        ("8/8/6k1/5R2/3K4/8/8/1n6 b", "Kh6", "loses the knight in 4 moves"),
        ("4k3/8/8/8/8/R3n3/8/1K6 w", "Kb2", "does not capture the knight"),
        ("4R3/8/8/8/3n3k/8/8/3K4 w", "Rd8", "lets the knight get away"),
        ("8/3n4/8/6R1/8/8/8/k2K4 w", "Rg3", "misses mate in 3"),
    ],
)
def test_the_reason_of_an_error_is_named(explorer: Explorer[Any, Any], fen: str, move: str, reason: str) -> None:
    assert fault(explorer, explorer.game.parse(f"{fen} - - 0 1"), move) == reason


@pytest.mark.parametrize(
    ("name", "move", "reason"),
    [
        ("1O3O2/1O4X1/O1XX4 w", "d6-d5", "lets the other side close a mill"),
        ("1OOO2X1/X7/O3X3 w", "c5-c4", "lets the other side close a mill in 3 moves"),
        ("3OX3/1XO1OX2/O7 w", "g4-g7", "does not close a mill"),
        ("2XXXX2/OO1O1O2/8 w", "f4-f6xd1", "misses a block in 4 moves"),
        ("O1XXXO2/1OXO4/8 w", "d6-d5", "misses a block"),
    ],
)
def test_the_reason_of_an_error_with_stones_is_named(
    morris: Explorer[Any, Any], name: str, move: str, reason: str
) -> None:
    assert fault(morris, morris.game.parse(name), move) == reason


def test_a_piece_is_lost_only_if_nothing_saves_it(explorer: Explorer[Any, Any]) -> None:
    """A line may give a piece away in a position that is drawn without that; then it was not the mistake."""
    game = explorer.game
    position = game.parse("8/8/8/3k4/8/4n3/8/K6R b - - 0 1")
    mistake = game.parse("8/8/3k4/8/8/4n3/8/K6R b - - 0 1")
    line: list[tuple[Any, Any]] = []
    for move in ("Kd4", "Rd1+", "Nxd1"):
        played = game.parse_move(position, move)
        line.append((position, played))
        position = game.play(position, played)
    assert explorer.probe(line[0][0]).category is Category.DRAW
    made = (mistake, game.parse_move(mistake, "Kd5"))
    assert "rook" not in speech_of("chess").fault(explorer, made, line)


@pytest.mark.parametrize(
    ("names", "category", "sentence"),
    [
        (["Kf2"], Category.DRAW, "Best: Kf2"),
        (["a", "b", "c"], Category.WIN, "Best: a, b or c"),
        (["a", "b", "c", "d"], Category.WIN, "4 moves were best, such as a"),
        (["a", "b", "c", "d"], Category.DRAW, "4 moves hold the draw, such as a"),
        (["a", "b", "c", "d"], Category.LOSS, "4 moves resist longest, such as a"),
    ],
)
def test_equally_good_moves_are_described_by_their_effect(
    names: Sequence[str], category: Category, sentence: str
) -> None:
    assert best_told(names, category) == sentence
