"""A Morris game in progress: everything follows the moves, and is undone."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.estimate import Limits
from endgame_core.game import Category, Draw
from endgame_core.morris import rules
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import START, Move, Position
from endgame_core.morris.tracked import TrackedGame
from endgame_core.search.alphabeta import Searcher

from .stones import moving, placing


def facts(game: TrackedGame) -> tuple[Any, ...]:
    return game.position, game.key, game.occurrences, game.clock, game.phase, game.evaluation, list(game.made)


@settings(max_examples=25)
@given(st.integers(0), st.integers(1, 160))
def test_a_game_is_made_and_taken_back(seed: int, plies: int) -> None:
    rng, game, seen = random.Random(seed), MORRIS.tracked(START), [facts(MORRIS.tracked(START))]
    past = [START]
    for _ in range(plies):
        found = game.moves()
        if not found or game.drawn():
            break
        move = rng.choice(found)
        assert (move in game.forcing()) == (game.gain(move) > 0)
        quiet = move.source is not None and not move.taken
        clock = game.clock + 1 if quiet else 0
        game.push(move)
        past.append(rules.play(past[-1], move))
        assert (game.position, game.clock, game.occurrences) == (past[-1], clock, past.count(past[-1]))
        assert bool(game.drawn()) == bool(rules.drawn(past))
        if game.skip():
            assert game.here.turn != past[-1].turn
            game.pop()
        seen.append(facts(game))
    copy = game.copy()
    while seen:
        assert facts(game) == seen.pop()
        if seen:
            game.pop()
    assert game.position == START == copy.start and copy.position == past[-1]


@given(st.one_of(moving(), placing()))
def test_estimates_know_no_colours(position: Position) -> None:
    game, exchanged = TrackedGame(position), TrackedGame(MORRIS.swapped(position))
    assert game.evaluation == exchanged.evaluation and game.phase == exchanged.phase
    assert {TrackedGame(copy).evaluation for copy in MORRIS.copies_of(position)} == {game.evaluation}


def test_draws_come_about_by_themselves() -> None:
    game = MORRIS.tracked(MORRIS.parse("OO1O4/XX1X4/8 w"))
    for _ in range(2):
        for text in ("a7-a4", "b6-b4", "a4-a7", "b4-b6"):
            assert game.drawn() is None
            game.push(MORRIS.parse_move(game.position, text))
    assert game.drawn() is game.claim() is Draw.THREEFOLD and game.finished() is None


def test_the_search_plays_it() -> None:
    """White closes a mill and leaves Black two stones; a blocked player has lost."""
    position = MORRIS.parse("OO1O4/1XX1X3/8 w")
    best = list(Searcher[Move]().estimates(MORRIS.tracked(position), Limits(depth=3)))[-1]
    assert best.mate == 1 and MORRIS.san(position, best.line[0]).startswith("g4-g7x")
    blocked = MORRIS.tracked(MORRIS.parse("OXOXOXOX/1X1X1X1X/8 w"))
    assert blocked.finished() is Category.LOSS and not blocked.moves()
