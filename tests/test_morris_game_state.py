"""A game of Morris in progress: moves, keys, repetitions, draws and evaluation follow the rules and can be undone."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.game_state import Draw, Win
from endgame_core.morris import game_state, rules
from endgame_core.morris.evaluation import around, closers, judge, shape, slides, victims
from endgame_core.morris.game import MORRIS
from endgame_core.morris.game_state import MorrisGameState
from endgame_core.morris.geometry import ALL, NEIGHBOURS, image, points_of
from endgame_core.morris.notation import parse_line, parse_move
from endgame_core.morris.rules import START, Position

from .stones import moving, placing

ANY = moving() | placing() | st.just(START)
MASKS = st.integers(0, ALL)


def facts(game: MorrisGameState) -> tuple[object, ...]:
    return game.position, game.key, game.clock, game.occurrences, game.evaluation, list(game.history)


def drawn(past: list[Position]) -> bool:
    """Whether a game is drawn, told from all its positions: by repetition, or by plies in which no stone was taken."""
    here = past[-1]
    men = (here.white | here.black).bit_count()
    quiet = 0
    for earlier in reversed(past[:-1]):
        if any(earlier.hands) or (earlier.white | earlier.black).bit_count() != men:
            break
        quiet += 1
    return past.count(here) >= 3 or quiet >= 100


def agree(game: MorrisGameState, past: list[Position]) -> None:
    """Everything the game says of a moment is what the rules say."""
    here = past[-1]
    assert game.position == game.live_position == here
    again = MorrisGameState(here)
    assert (game.key, game.evaluation) == (again.key, again.evaluation)
    assert game.occurrences == past.count(here)
    moves, legal = game.moves(), rules.moves(here)
    assert len(moves) == len(legal) and set(moves) == set(legal)
    forcing = game.forcing_moves()
    assert set(forcing) <= set(moves) and all(move.captured for move in forcing)
    assert {(move.source, move.end) for move in forcing} == {(m.source, m.end) for m in moves if m.captured}
    assert all(game.gain(move) > 1 for move in forcing)
    lost = rules.lost(here)
    assert bool(lost) == (not moves)
    assert game.board_outcome() == (Win.STONES if "fewer" in lost else Win.BLOCKED if lost else None)
    assert (game.automatic_draw() is not None) == (not lost and drawn(past))
    assert game.may_be_in_tables() == (not any(here.hands))


def walk(game: MorrisGameState, start: Position, rng: random.Random, steps: int) -> Iterator[None]:
    """Plays at random, often back and forth, and takes back now and then."""
    past, seen = [start], [facts(game)]
    for _ in range(steps):
        moves = game.moves()
        if game.history and (not moves or rng.random() < 0.25):
            for _ in range(rng.randint(1, len(game.history))):
                last = game.history[-1]
                assert game.pop() == last
                past.pop()
                seen.pop()
                assert facts(game) == seen[-1]
        elif moves:
            last = game.history[-2] if len(game.history) > 1 else None
            back = [move for move in moves if last and (move.source, move.end) == (last.end, last.source)]
            move = rng.choice(back if back and rng.random() < 0.6 else moves)
            past.append(rules.play(past[-1], move))
            game.push(move)
            seen.append(facts(game))
        agree(game, past)
        yield


@pytest.mark.slow
@settings(max_examples=60)
@given(ANY, st.randoms(use_true_random=False))
def test_a_game_follows_the_rules(start: Position, rng: random.Random) -> None:
    game = MorrisGameState(start)
    before = facts(game)
    agree(game, [start])
    for _ in walk(game, start, rng, 24):
        pass
    assert game.start == start
    while game.history:
        game.pop()
    assert facts(game) == before
    with pytest.raises(IndexError):
        game.pop()
    assert facts(game) == before


@given(ANY, st.integers(1, 15))
def test_symmetric_copies_and_exchanged_colours_have_the_same_evaluation(position: Position, symmetry: int) -> None:
    copy = Position(image(symmetry, position.white), image(symmetry, position.black), position.turn, position.hands)
    value = MorrisGameState(position).evaluation
    assert MorrisGameState(copy).evaluation == value
    assert MorrisGameState(MORRIS.with_colours_swapped(position)).evaluation == value
    turned = Position(position.white, position.black, 1 - position.turn, position.hands)
    assert MorrisGameState(turned).evaluation == -value


@given(ANY, ANY)
def test_equal_positions_have_equal_keys(one: Position, other: Position) -> None:
    assert (MorrisGameState(one).key == MorrisGameState(other).key) == (one == other)


@given(MASKS, MASKS)
def test_neighbours_slides_and_mill_closers_follow_from_the_lines(own: int, mask: int) -> None:
    free = mask & ~own
    near = [end for point in points_of(own) for end in NEIGHBOURS[point]]
    assert around(own) == sum(1 << end for end in set(near))
    assert slides(own, free) == sum(free >> end & 1 for end in near)
    for end in points_of(ALL & ~own):
        closed = rules.in_mills(own | 1 << end) >> end & 1
        assert closers(own) >> end & 1 == closed
        slid = [p for p in NEIGHBOURS[end] if own >> p & 1 and rules.in_mills(own ^ 1 << p | 1 << end) >> end & 1]
        assert shape(own).slid >> end & 1 == bool(slid)
        assert shape(own).swung >> end & 1 == any(rules.in_mills(own) >> p & 1 for p in slid)
    assert sorted(victims(own, free)) == points_of(rules.takeable_mask(own))


def test_more_stones_and_more_mobility_raise_the_evaluation() -> None:
    own, foe = 0b1_0000_0001_0001_0001, 0b10_0010_0010_0000_0010_0000
    assert judge((own, foe), (0, 0)) > judge((own & own - 1, foe), (0, 0))
    assert judge((own, 0), (2, 5)) > judge((own, 0), (1, 5))


def play(game: MorrisGameState, *moves: str) -> None:
    for text in moves:
        game.push(parse_move(game.position, text))


def test_the_third_occurrence_is_a_draw() -> None:
    game = MorrisGameState(parse_line("OO1O1X1X/X6X/8 w"))
    for times in (1, 2):
        assert (game.occurrences, game.automatic_draw(), game.claimable_draw()) == (times, None, None)
        play(game, "g4-f4", "d1-d2", "f4-g4")
        assert game.claimable_draw(parse_move(game.position, "d2-d1")) is None, "nothing has to be announced"
        play(game, "d2-d1")
    assert (game.occurrences, game.automatic_draw()) == (3, Draw.THREEFOLD)
    assert game.board_outcome() is None


def test_too_long_without_a_mill_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule on repetitions put aside, four moves in a circle meet the limit on the very ply."""
    monkeypatch.setattr(game_state, "_OCCURRENCES", 1000)
    game = MorrisGameState(parse_line("OO1O1X1X/X6X/8 w"))
    for ply in range(100):
        assert (game.clock, game.automatic_draw()) == (ply, None)
        play(game, ("g4-f4", "d1-d2", "f4-g4", "d2-d1")[ply % 4])
    assert game.automatic_draw() == game.claimable_draw() == Draw.QUIET


def test_placing_and_taking_start_the_clock_again() -> None:
    game = MorrisGameState(parse_line("OO6/XX6/XX6 w 1-1"))
    play(game, "g7xb6")
    assert game.clock == 0 and game.position.black.bit_count() == 3
    play(game, "g4")
    assert game.clock == 0
    play(game, "a7-a4")
    assert game.clock == 1


def test_two_stones_left_or_no_move_end_the_game() -> None:
    two_left = MorrisGameState(parse_line("OO1O4/X6X/X7 w"))
    play(two_left, "g4-g7xb6")
    blocked = MorrisGameState(parse_line("XOXOXOX1/7O/8 w"))
    assert blocked.board_outcome() is None
    play(blocked, "b4-a4")
    assert (two_left.board_outcome(), blocked.board_outcome()) == (Win.STONES, Win.BLOCKED)
    for game in (two_left, blocked):
        assert (game.moves(), game.forcing_moves(), game.automatic_draw()) == ([], [], None)


def test_passing_is_undone_and_only_while_placing() -> None:
    game = MorrisGameState(START)
    before = facts(game)
    assert game.skip()
    assert game.key != before[1] and game.position.turn == 1
    game.pop()
    assert facts(game) == before
    assert not MorrisGameState(parse_line("OO1O4/X6X/X7 w")).skip()
    assert not MorrisGameState(parse_line("OO1O4/X6X/X7 w 1-1")).skip()


def test_a_copy_is_independent() -> None:
    game = MORRIS.start_game(START)
    play(game, "d6", "d2")
    other = game.copy()
    assert facts(other) == facts(game)
    play(other, "f4")
    assert len(game.history) == 2 and game.position != other.position
    other.pop()
    other.pop()
    assert facts(game) != facts(other)
    assert (game.is_dead(), game.is_threatened(), other.start) == (False, False, START)
