"""Games of Morris are written and read back; broken ones are reported."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.errors import PositionError
from endgame_core.morris import notation, rules
from endgame_core.morris.game import MORRIS, NAME
from endgame_core.morris.rules import START, MorrisMove, Position
from endgame_core.pgn import AnnotatedMove, GameText, read, write


def played(start: Position, plies: int, seed: int) -> list[MorrisMove]:
    """Random moves from a position, as far as the game goes."""
    rng, here, made = random.Random(seed), start, list[MorrisMove]()
    while len(made) < plies and (moves := rules.moves(here)):
        made.append(rng.choice(moves))
        here = rules.play(here, made[-1])
    return made


@pytest.mark.slow
@settings(max_examples=40)
@given(before=st.integers(0, 30), plies=st.integers(0, 60), seed=st.integers(0, 10_000))
def test_a_game_comes_back_identical(before: int, plies: int, seed: int) -> None:
    start = START
    for move in played(START, before, seed):
        start = rules.play(start, move)
    notes = tuple(AnnotatedMove(move, "#3", "best") for move in played(start, plies, seed + 1))
    record = GameText(start, notes, "1-0", {"White": "You", "Variant": NAME})
    text = write(record, MORRIS)
    found = read(text, MORRIS)
    assert (found.start, found.notes, found.result) == (start, notes, "1-0")
    assert write(found, MORRIS) == text and f'[Variant "{NAME}"]' in text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1. d6 d6 *", "1... d6 is not a legal move"),
        ('[FEN "OOO/8/8 w"]\n\n1. a7-d7 *', "the outer ring"),
        ('[Variant "Morabaraba"]\n\n1. d6 *', "it is a game of Morabaraba"),
        ("", "there is no game in this text"),
    ],
)
def test_text_that_cannot_be_read_is_refused(text: str, problem: str) -> None:
    try:
        told = read(text, MORRIS).problem
    except PositionError as error:
        told = str(error)
    assert problem in told


def test_a_game_may_begin_with_black() -> None:
    start = notation.parse_line("OXO1O1XX/8/8 b")
    move = rules.moves(start)[0]
    text = write(GameText(start, (AnnotatedMove(move),)), MORRIS)
    assert f"1... {notation.spell(move)}" in text and read(text, MORRIS).notes == (AnnotatedMove(move),)
