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


def refutation(explorer: Explorer[Any, Any], position: Any, move: str) -> list[tuple[Any, Any]]:
    """The best line after a move, as positions and the moves made in them."""
    game = explorer.game
    after = game.play(position, game.parse_move(position, move))
    line: list[tuple[Any, Any]] = []
    for reply in Judge(explorer).line(after, 8, metric=DEPTH_UNDER_RULE).moves:
        line.append((after, reply))
        after = game.play(after, reply)
    return line


@pytest.mark.parametrize(
    ("fen", "move", "fault"),
    [
        ("8/8/3k4/8/8/8/3PK3/8 b", "Kd5", "gives up the opposition (with White to move it would be a draw)"),
        ("8/8/8/4p3/3k4/8/8/4K3 w", "Ke2", "gives up the opposition (with Black to move it would be a draw)"),
        ("8/8/8/8/7p/4K3/7k/8 w", "Kd2", "no longer stops the pawn"),
        ("8/8/2k5/8/2K5/5p2/8/8 w", "Kc3", "lets the pawn promote in 2 moves"),
        ("8/4k1P1/8/8/8/2K5/8/8 b", "Ke6", "lets the pawn promote"),
        ("8/5K2/8/8/8/8/3Pk3/8 w", "Ke6", "lets the king get in front of the pawn"),
        ("3k4/4P3/3K4/8/8/8/8/8 b", "Kc8", "allows mate in 3"),
        ("8/8/4N3/8/8/3k4/1r6/3K4 w", "Nc7", "allows mate"),
        ("k7/8/8/8/2Q5/8/8/7K w", "Qc6+", ""),
        ("8/8/8/8/8/8/7Q/2krK3 w", "Ke2", "allows a skewer that wins the queen"),
        ("8/8/5K2/3R4/8/5n2/8/1k6 b", "Ne1", "allows a fork that wins the knight"),
        ("8/2rQ4/3K4/6k1/8/8/8/8 b", "Rc4", "loses the rook"),
        ("8/8/8/8/k5K1/7n/8/4R3 b", "Ka3", "loses the knight"),
    ],
)
def test_the_reason_is_named(explorer: Explorer[Any, Any], fen: str, move: str, fault: str) -> None:
    position = explorer.game.parse(f"{fen} - - 0 1")
    line = refutation(explorer, position, move)
    assert speech_of("chess").fault(explorer, line) == fault


def test_a_piece_is_lost_only_if_nothing_saves_it(explorer: Explorer[Any, Any]) -> None:
    """A line may give a piece away in a position that is drawn without that; then it was not the mistake."""
    game = explorer.game
    position = game.parse("8/8/8/3k4/8/4n3/8/K6R b - - 0 1")
    line: list[tuple[Any, Any]] = []
    for move in ("Kd4", "Rd1+", "Nxd1"):
        played = game.parse_move(position, move)
        line.append((position, played))
        position = game.play(position, played)
    assert explorer.probe(line[0][0]).category is Category.DRAW
    assert "rook" not in speech_of("chess").fault(explorer, line)


@pytest.mark.parametrize(
    ("names", "category", "sentence"),
    [
        (["Kf2"], Category.DRAW, "Best: Kf2"),
        (["a", "b", "c"], Category.WIN, "Best: a, b or c"),
        (["a", "b", "c", "d"], Category.WIN, "4 moves were best, such as a"),
        (["a", "b", "c", "d"], Category.DRAW, "4 moves hold, such as a"),
        (["a", "b", "c", "d"], Category.LOSS, "4 moves resist longest, such as a"),
    ],
)
def test_equally_good_moves_are_counted_by_what_they_do(
    names: Sequence[str], category: Category, sentence: str
) -> None:
    assert best_told(names, category) == sentence
