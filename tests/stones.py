"""Morris positions for tests: stones anywhere, in hand or not."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from endgame_core.morris.rules import FEWEST, STONES, Position

NUMBERS = st.integers(FEWEST, STONES)


def _masks(points: list[int], white: int, black: int) -> tuple[int, int]:
    return sum(1 << at for at in points[:white]), sum(1 << at for at in points[white : white + black])


@st.composite
def moving(
    draw: st.DrawFn, white: st.SearchStrategy[int] = NUMBERS, black: st.SearchStrategy[int] = NUMBERS
) -> Position:
    """A position of the moving phase."""
    points = draw(st.permutations(range(24)))
    return Position(*_masks(points, draw(white), draw(black)), draw(st.integers(0, 1)))


@st.composite
def placing(draw: st.DrawFn) -> Position:
    """A position in which stones are in hand, of one player at least."""
    points = draw(st.permutations(range(24)))
    board = draw(st.integers(0, STONES)), draw(st.integers(0, STONES))
    hands = [draw(st.integers(max(0, FEWEST - stones), STONES - stones)) for stones in board]
    return Position(*_masks(points, *board), draw(st.integers(0, 1)), (hands[0], hands[1]))


def random_position(ending: str, rng: random.Random) -> Position:
    """A position of a pair, in any colours, either side to move."""
    stones = [int(ending[0]), int(ending[2])]
    rng.shuffle(stones)
    return Position(*_masks(rng.sample(range(24), 24), *stones), rng.randrange(2))
