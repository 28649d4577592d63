"""The search at Morris agrees with tables, probes them at its leaves, and beats weaker players."""

from __future__ import annotations

import queue
import random
from collections.abc import Callable
from typing import Any

import pytest

from endgame_core.errors import EndgameError
from endgame_core.morris.game import MORRIS
from endgame_core.morris.game_state import MorrisGameState
from endgame_core.morris.notation import parse_line
from endgame_core.morris.rules import START, MorrisMove, Position
from endgame_core.search import Searcher
from endgame_core.search_estimate import Limits, SearchEstimate
from endgame_core.tables.explorer import Explorer
from endgame_core.thinking import SearchEngine, table_probe
from endgame_core.values import Category, value_of
from tests.positions import by_depth

from .stones import random_position

Morris = Explorer[Position, MorrisMove]
Player = Callable[[MorrisGameState, random.Random], MorrisMove]


def truth(explorer: Morris, position: Position) -> int | None:
    """Plies to the end as the search counts them: positive for the side to move; None for a draw."""
    category, depth = value_of(explorer.code(position))
    return depth if category is Category.WIN else None if depth is None else -depth


def last(
    game: MorrisGameState, limits: Limits, searcher: Searcher[MorrisMove] | None = None
) -> SearchEstimate[MorrisMove]:
    return list((searcher or Searcher[MorrisMove]()).estimates(game, limits))[-1]


def fewer(explorer: Morris, most: int) -> Callable[[Position], int | None]:
    """Tables of at most so many stones, as if no other had been built."""
    probe = table_probe(explorer.library)
    return lambda position: probe(position) if (position.white | position.black).bit_count() <= most else None


@pytest.mark.parametrize("ending", ["3-3", "4-3", "5-3"])
def test_wins_on_the_board_are_those_of_the_tables(ending: str, morris: Morris) -> None:
    """Without any table the search sees a win or a loss of five plies as far away as the table does."""
    rng, seen = random.Random(ending), set[int]()
    for _ in range(600):
        position = random_position(ending, rng)
        mate = truth(morris, position)
        if mate is not None and 0 < abs(mate) <= 5:
            found = last(MORRIS.start_game(position), Limits(3600, 5))
            assert found.mate == mate, MORRIS.format(position)
            seen.add(mate)
        if len(seen) > 2:
            break
    assert seen


def test_in_a_table_one_probe_is_enough(morris: Morris) -> None:
    rng = random.Random(5)
    for ending in ("3-3", "4-3", "4-4", "5-3"):
        for _ in range(6):
            position = random_position(ending, rng)
            if MORRIS.terminal(position) is not None:
                continue
            found = list(
                Searcher[MorrisMove](table_probe(morris.library)).estimates(MORRIS.start_game(position), Limits(3600))
            )
            assert [(e.depth, e.exact, e.mate) for e in found] == [(1, True, truth(morris, position))]


def test_a_win_by_a_capture_into_a_table_has_its_exact_length(morris: Morris) -> None:
    """With the tables of six stones, a win in a table of seven that begins with a capture has its exact length."""
    rng, seen = random.Random(1), 0
    while seen < 4:
        position = random_position("4-3", rng)
        mate = truth(morris, position)
        best = next(iter(by_depth(morris, position)), None)
        if mate is None or best is None or mate < 3 or not best.move.captured:
            continue
        seen += 1
        found = last(MORRIS.start_game(position), Limits(3600, 2), Searcher(fewer(morris, 6)))
        assert found.mate == mate and found.looked_up and found.line[0].captured


def test_no_table_is_probed_while_stones_are_placed() -> None:
    asked: list[Position] = []

    def probe(position: Position) -> None:
        asked.append(position)

    last(MORRIS.start_game(START), Limits(3600, 3), Searcher(probe))
    assert not asked
    last(MORRIS.start_game(parse_line("OX1OX3/OX1OX3/8 w 1-1")), Limits(3600, 3), Searcher(probe))
    assert asked and not any(any(position.hands) for position in asked)


def test_the_search_obeys_its_limits_on_the_empty_board() -> None:
    game = MORRIS.start_game(START)
    assert [e.depth for e in Searcher[MorrisMove]().estimates(game, Limits(3600, 3))] == [1, 2, 3]
    assert [e.depth for e in Searcher[MorrisMove]().estimates(game, Limits(0))] == [1]
    assert last(game, Limits(3600, 60, 2000)).nodes < 2000 + 32
    assert not game.history and game.position == START
    over = MORRIS.start_game(parse_line("XOXOXOXO/8/8 b"))
    assert [(e.mate, e.line, e.exact) for e in Searcher[MorrisMove]().estimates(over, Limits())] == [(0, (), True)]


def test_the_search_stops_a_threatened_mill() -> None:
    found = last(MORRIS.start_game(parse_line("OO6/1X3X2/8 b 7-7")), Limits(3600, 4))
    assert found.line[0] == MorrisMove(None, 2)


class Said:
    """What a thinker says, as it comes."""

    def __init__(self) -> None:
        self.estimates: list[SearchEstimate[Any]] = []
        self._ended: queue.SimpleQueue[EndgameError | None] = queue.SimpleQueue()

    def end(self, problem: EndgameError | None) -> None:
        self._ended.put(problem)

    def wait(self) -> None:
        assert self._ended.get(timeout=300) is None


def test_the_search_process_plays_morris(morris: Morris) -> None:
    """Moves and the past go there and back: a position that has occurred twice is a draw when it comes again."""
    found = SearchEngine(MORRIS, morris.library.places)
    try:
        game = MORRIS.start_game(START)
        for text in ("d6", "d2", "f4"):
            game.push(MORRIS.parse_move(game.position, text))
        said = Said()
        found.think(game, Limits(3600, 3), said.estimates.append, said.end)
        said.wait()
        assert [e.depth for e in said.estimates] == [1, 2, 3]
        assert said.estimates[-1].move in game.moves() and not said.estimates[-1].exact
        known = MORRIS.start_game(parse_line("OO1O4/X6X/X7 w"))
        said = Said()
        found.think(known, Limits(3600), said.estimates.append, said.end)
        said.wait()
        assert [(e.mate, e.exact) for e in said.estimates] == [(1, True)]
    finally:
        found.close()


def at_random(game: MorrisGameState, rng: random.Random) -> MorrisMove:
    return rng.choice(game.moves())


def greedily(game: MorrisGameState, rng: random.Random) -> MorrisMove:
    """Closes a mill if it can, else stands where the opponent would close one, else anywhere."""
    moves = game.moves()
    gains = [game.gain(move) for move in moves]
    return rng.choice([move for move, gain in zip(moves, gains, strict=True) if gain == max(gains)])


def searching(nodes: int) -> Player:
    searcher = Searcher[MorrisMove]()
    return lambda game, rng: last(game, Limits(3600, 60, nodes), searcher).line[0]


def winner(white: Player, black: Player, rng: random.Random, opening: int = 0) -> int | None:
    """Plays a game from the empty board, the first plies at random; None when it is drawn."""
    game = MORRIS.start_game(START)
    while game.board_outcome() is None:
        if game.automatic_draw():
            return None
        player = at_random if len(game.history) < opening else (white, black)[game.position.turn]
        game.push(player(game, rng))
        assert len(game.history) < 2000
    return 1 - game.position.turn


def wins(opponent: Player, games: int, nodes: int) -> tuple[int, int]:
    """Games won and lost by the search, which has either colour in turn."""
    won = lost = 0
    for number in range(games):
        players = [searching(nodes), opponent] if number % 2 == 0 else [opponent, searching(nodes)]
        found = winner(players[0], players[1], random.Random(number))
        won += found == number % 2
        lost += found == 1 - number % 2
    return won, lost


def test_the_search_beats_a_random_player() -> None:
    assert wins(at_random, 2, 300) == (2, 0)


@pytest.mark.slow
def test_the_search_always_beats_a_random_player() -> None:
    assert wins(at_random, 30, 1000) == (30, 0)


@pytest.mark.exhaustive
def test_the_search_nearly_always_beats_a_player_who_closes_and_stops_mills() -> None:
    won, lost = wins(greedily, 30, 1000)
    assert won >= 28 and lost == 0


@pytest.mark.exhaustive
def test_thinking_longer_wins_more_often() -> None:
    """Each opening is played with either colour."""
    score = 0
    for number in range(20):
        players = [searching(200), searching(3000)]
        found = winner(players[number % 2], players[1 - number % 2], random.Random(number // 2), 4)
        score += 0 if found is None else 1 if found == 1 - number % 2 else -1
    assert score > 0
