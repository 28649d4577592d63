"""The rules of Nine Men's Morris and its notation."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.errors import PositionError
from endgame_core.morris import notation, rules
from endgame_core.morris.geometry import INVERSES, LINES, NEIGHBOURS, NUMBERS, POINTS, SYMMETRIES, image, points_of
from endgame_core.morris.rules import BLACK, START, WHITE, MorrisMove, Position

from .stones import moving, placing

ANY = st.one_of(moving(), placing())


def parsed(text: str) -> Position:
    return notation.parse_line(text)


def at(names: str) -> list[int]:
    return sorted(NUMBERS[name] for name in names.split())


def mills(position: Position, player: int) -> list[tuple[int, int, int]]:
    """A player's mills, each as its three points."""
    stones = rules.stones(position, player)
    return [line for line in LINES if set(line) <= set(stones)]


def takeable(position: Position, player: int) -> list[int]:
    """The stones of a player's that the opponent may take."""
    return points_of(rules.takeable_mask(rules.mask_of(position, player)))


def can_move(position: Position, point: int) -> bool:
    """Whether the stone on a point can move."""
    return bool(rules.ends(position, point))


def nested(position: Position) -> list[list[Any]]:
    """The plain nested state; it does not tell who is to move."""
    cells = [(position.white >> point & 1) + 2 * (position.black >> point & 1) for point in range(24)]
    return [list(position.hands), [cells[start : start + 8] for start in (0, 8, 16)]]


class TestBoard:
    def test_the_board_has_sixteen_mills_and_thirty_two_lines(self) -> None:
        assert len(LINES) == 16 and sum(map(len, NEIGHBOURS)) == 64
        assert all(there in NEIGHBOURS[back] for back in range(24) for there in NEIGHBOURS[back])
        assert [POINTS[near] for near in NEIGHBOURS[NUMBERS["d6"]]] == ["d7", "b6", "f6", "d5"]

    def test_symmetries_keep_lines_and_mills(self) -> None:
        assert len(set(SYMMETRIES)) == 16
        for number, there in enumerate(SYMMETRIES):
            assert {frozenset(there[point] for point in line) for line in LINES} == set(map(frozenset, LINES))
            assert all(there[near] in NEIGHBOURS[there[point]] for point in range(24) for near in NEIGHBOURS[point])
            assert [SYMMETRIES[INVERSES[number]][there[point]] for point in range(24)] == list(range(24))


COLUMNS, ROWS = "abcdefg", "1234567"


def drawn_lines() -> list[list[str]]:
    """The lines of three points as they are drawn: along each column and row of the grid, the middle ones twice."""
    found: list[list[str]] = []
    for axis, names in ((0, COLUMNS), (1, ROWS)):
        for name in names:
            points = sorted((point for point in POINTS if point[axis] == name), key=lambda point: point[1 - axis])
            found += [points[start : start + 3] for start in range(0, len(points), 3)]
    return found


class TestSmallFunctions:
    """Each is held against the board as it is drawn, by names of points."""

    LINES = drawn_lines()

    def own(self, position: Position, player: int) -> set[str]:
        return {name for name, at in NUMBERS.items() if (position.black if player else position.white) >> at & 1}

    def full(self, stones: set[str]) -> set[frozenset[str]]:
        return {frozenset(line) for line in self.LINES if set(line) <= stones}

    def exposed(self, stones: set[str]) -> set[str]:
        return stones - set().union(*self.full(stones)) or stones

    def named(self, lines: list[tuple[int, int, int]]) -> set[frozenset[str]]:
        return {frozenset(POINTS[point] for point in line) for line in lines}

    def test_neighbours_are_joined_by_a_line_of_the_board(self) -> None:
        assert len(self.LINES) == 16
        joined = {frozenset(pair) for line in self.LINES for pair in (line[:2], line[1:])}
        for point in range(24):
            near = {POINTS[other] for other in NEIGHBOURS[point]}
            assert near == {name for name in POINTS if frozenset((POINTS[point], name)) in joined}

    @given(ANY)
    def test_the_board_knows_stones_empty_points_and_mills(self, position: Position) -> None:
        theirs = [self.own(position, player) for player in (WHITE, BLACK)]
        for player in (WHITE, BLACK):
            assert {POINTS[point] for point in rules.stones(position, player)} == theirs[player]
            assert rules.count(position, player) == len(theirs[player])
            assert rules.total(position, player) == len(theirs[player]) + position.hands[player]
            assert self.named(mills(position, player)) == self.full(theirs[player])
            assert {POINTS[point] for point in takeable(position, player)} == self.exposed(theirs[player])
        assert {POINTS[point] for point in rules.empty(position)} == set(POINTS) - theirs[0] - theirs[1]

    @given(moving())
    def test_a_stone_moves_along_a_line_or_flies_with_three(self, position: Position) -> None:
        free = set(POINTS) - self.own(position, WHITE) - self.own(position, BLACK)
        for player in (WHITE, BLACK):
            flies = rules.count(position, player) == 3
            for point in rules.stones(position, player):
                near = {POINTS[other] for other in NEIGHBOURS[point]}
                assert can_move(position, point) == bool(free if flies else free & near)

    @given(ANY)
    def test_a_move_closes_its_mills(self, position: Position) -> None:
        before = self.full(self.own(position, position.turn))
        for move in rules.moves(position):
            after = self.full(self.own(rules.play(position, move), position.turn))
            assert self.named(rules.new_mills(position, move)) == after - before

    @given(ANY)
    def test_a_nested_state_has_three_rings_from_the_top_left(self, position: Position) -> None:
        hands, rings = nested(position)
        assert hands == list(position.hands) and [len(ring) for ring in rings] == [8, 8, 8]
        ring = ["a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4"]
        for points in rings:
            assert points == [(name in self.own(position, 0)) + 2 * (name in self.own(position, 1)) for name in ring]
            ring = [self.inner(name) for name in ring]

    def inner(self, name: str) -> str:
        """The point of the same cell one ring further inside."""
        towards = {letter: COLUMNS[at + (at < 3) - (at > 3)] for at, letter in enumerate(COLUMNS)}
        steps = {digit: ROWS[at + (at < 3) - (at > 3)] for at, digit in enumerate(ROWS)}
        return towards[name[0]] + steps[name[1]]


class TestMoves:
    @given(ANY)
    def test_a_move_takes_what_its_mills_allow(self, position: Position) -> None:
        mover, other = position.turn, 1 - position.turn
        found = rules.moves(position)
        assert len(set(found)) == len(found)
        for move in found:
            after = rules.play(position, move)
            closed = rules.new_mills(position, move)
            assert len(move.captured) == min(1, len(closed), rules.count(position, other))
            assert rules.total(after, mover) == rules.total(position, mover)
            assert rules.count(after, other) == rules.count(position, other) - len(move.captured)
            assert set(mills(after, mover)) >= set(closed)
            assert not after.white & after.black and after.turn == other
            if len(move.captured) == 1:
                assert move.captured[0] in takeable(position, other)

    @settings(max_examples=50)
    @given(moving())
    def test_un_moves_are_the_inverse_of_quiet_moves(self, position: Position) -> None:
        for before, move in rules.previous(position):
            assert move in rules.moves(before) and rules.play(before, move) == position
        for move in rules.moves(position):
            back = (position, move) in rules.previous(rules.play(position, move))
            assert back == (not move.captured)

    @given(ANY, st.integers(1, 15))
    def test_symmetric_copies_have_the_same_moves(self, position: Position, symmetry: int) -> None:
        def turned(here: Position) -> Position:
            return Position(image(symmetry, here.white), image(symmetry, here.black), here.turn, here.hands)

        def after(here: Position) -> set[Position]:
            return {rules.play(here, move) for move in rules.moves(here)}

        assert set(map(turned, after(position))) == after(turned(position))

    @given(moving())
    def test_a_player_who_has_lost_has_no_move(self, position: Position) -> None:
        assert bool(rules.lost(position)) == (not rules.moves(position))
        movable = [can_move(position, point) for point in rules.stones(position, position.turn)]
        assert any(movable) == (not rules.lost(position))

    def test_three_stones_fly_once_all_are_placed(self) -> None:
        position = parsed("OOX1O3/XX6/8 w")
        assert rules.ends(position, NUMBERS["a7"]) == rules.empty(position)
        assert rules.ends(parsed("OOX1O3/XX6/8 w 1-0"), NUMBERS["a7"]) == at("a4")

    def test_a_blocked_player_and_one_with_two_stones_have_lost(self) -> None:
        blocked = parsed("OXOXOXOX/1X1X1X1X/8 w")
        assert rules.lost(blocked) == "no stone can move" and not rules.moves(blocked)
        assert rules.lost(Position(3, 7 << 8)) == "fewer than three stones are left"


class TestTaking:
    def test_stones_in_mills_are_protected_unless_all_are(self) -> None:
        some = parsed("XXX2X2/OO6/O7 w")
        assert takeable(some, BLACK) == at("d1")
        assert takeable(parsed("XXX5/OO6/O7 w"), BLACK) == at("a7 d7 g7")

    def test_a_double_mill_takes_one(self) -> None:
        """A stone placed on d6 closes b6-d6-f6 and d7-d6-d5."""
        position = parsed("1O6/O1O5/XOXX1X2 w 3-3")
        assert len(rules.new_mills(position, MorrisMove(None, NUMBERS["d6"]))) == 2
        one = [move.captured for move in rules.moves(position) if move.end == NUMBERS["d6"]]
        assert one == [(point,) for point in at("c5 e5 e4 d3")]


class TestNotation:
    @given(ANY)
    def test_positions_are_read_as_they_are_written(self, position: Position) -> None:
        try:
            notation.check(position)
        except PositionError:
            return
        assert parsed(notation.line(position)) == position
        assert notation.from_key(notation.key(position)) == position
        assert notation.key(position) < 2**63
        assert notation.parse_nested(f"{nested(position)} {'wb'[position.turn]}") == position

    @given(ANY)
    def test_moves_are_read_as_they_are_written(self, position: Position) -> None:
        for move in rules.moves(position):
            assert notation.parse_move(position, notation.spell(move)) == move

    def test_the_empty_board_is_read_and_a_stone_can_be_placed(self) -> None:
        assert notation.line(START) == "8/8/8 w 9-9" and parsed("8/8/8 w 9-9") == START
        after = rules.play(START, notation.parse_move(START, "D6"))
        assert notation.line(after) == "8/1O6/8 b 8-9"
        assert nested(after) == [[8, 9], [[0] * 8, [0, 1, 0, 0, 0, 0, 0, 0], [0] * 8]]

    @pytest.mark.slow
    @given(st.text(max_size=40))
    def test_any_text_is_read_or_refused_in_a_sentence(self, text: str) -> None:
        for read in (parsed, lambda text: notation.parse_move(START, text)):
            try:
                read(text)
            except PositionError as error:
                assert str(error).endswith(".") and "\n" not in str(error)

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("8/8 w", "is not a position"),
            ("8/8/8 w 9-9 x", "is not a position"),
            ("OOO5/XXX6/8 w", "the middle ring 'XXX6' has 9 points"),
            ("OOO5/XXX4/8 w", "the middle ring 'XXX4' has 7 points"),
            ("OOO5/XXX5/7q w", "'q' in the inner ring is not a stone"),
            ("OOO5/XXX5/8 z", "neither w nor b"),
            ("OOO5/XXX5/8 w 3", "the stones in hand '3' cannot be read"),
            ("OOOOOOOO/OOXXX3/8 w", "White has 10 stones"),
            ("OOO5/XXX5/8 w 7-0", "White has 10 stones"),
            ("OOO5/XX6/8 w", "Black has fewer than three stones, so the game is already over"),
        ],
    )
    def test_bad_positions_are_refused(self, text: str, complaint: str) -> None:
        with pytest.raises(PositionError, match=complaint):
            parsed(text)

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ("hello", "cannot be read as a move"),
            ("a7-e7", "'e7' is not a point on the board"),
            ("d6", "White has no stones in hand; include the starting point"),
            ("g1-d1", "White has no stone on g1"),
            ("b4-b6", "b6 is occupied"),
            ("b4-d2", "no line connects b4 and d2; only a player with three stones may fly"),
            ("a4-a1xb6", "it closes no mill, so you may not take a stone; write a4-a1"),
            ("g4-g7", "it closes a mill, so you must take a stone; write one of these: g4-g7xg1"),
            ("g4-g7xg1xb6", "it closes a mill, so you must take a stone"),
            ("g4-g7xa4", "Black has no stone on a4"),
            ("g4-g7xb6", "b6 is in a mill; choose a different one: g4-g7xg1"),
        ],
    )
    def test_illegal_moves_are_refused_with_the_reason(self, text: str, complaint: str) -> None:
        position = parsed("OO1OX2O/XXX4O/8 w")
        with pytest.raises(PositionError, match=complaint):
            notation.parse_move(position, text)

    @pytest.mark.parametrize(
        "state",
        [None, [], [[0, 0]], [[0], [[0] * 8] * 3], [[0, 0], [[0] * 8] * 2], [[0, 0], [[0] * 7] * 3],
         [[0, 0], [[3] * 8] * 3], [[0, 0], [[True] * 8] * 3], [[-1, 0], [[0] * 8] * 3], [[0, 0], "abc"],
         [[9, 9], [[1] * 8, [2] * 8, [0] * 8]]],
    )  # fmt: skip
    def test_bad_states_are_refused(self, state: Any) -> None:
        with pytest.raises(PositionError):
            notation.parse_nested(json.dumps(state))

    @given(st.integers())
    def test_any_number_is_a_key_or_refused(self, value: int) -> None:
        with suppress(PositionError):
            assert notation.key(notation.from_key(value)) == value
