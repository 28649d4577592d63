"""The rules of Nine Men's Morris. A position is two masks of stones, two numbers of stones in hand, and a side to move.

Players take turns placing nine stones each, then move along the lines; a player with exactly three stones left flies.
A move that closes one mill or two takes one of the opponent's stones: one that is in no mill, or any stone if all are
in mills. A player with fewer than three stones, or without a move, loses. These are the rules for which the game was
first solved, and those of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from endgame_core.language import _
from endgame_core.morris.geometry import ALL, LINES, MILLS, NEIGHBOUR_MASKS, points_of

WHITE, BLACK = 0, 1
"""The players; White places first."""

FEWEST = 3
"""A player with fewer stones has lost; one with exactly this number flies.

:func:`flies` is the rule. For speed it is repeated, on masks, in ``_kernels`` (``row.near`` and ``count_quiet``),
``arrays`` (``moves`` and the values of moves), ``game_state`` (legal moves, and threats) and ``evaluation``
(``_score``).
"""

STONES = 9
"""Stones of each player at the start."""

FINGERPRINT = f"{STONES} men, take one per move, flying"
"""Identifies the rules in table files: the variations that change the value of positions."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position.

    Attributes:
        white: Mask of White's stones on the board.
        black: Mask of Black's stones on the board.
        turn: The side to move, WHITE or BLACK.
        hands: The numbers of White's and of Black's stones still to be placed.
    """

    white: int
    black: int
    turn: int = WHITE
    hands: tuple[int, int] = (0, 0)


START = Position(0, 0, WHITE, (STONES, STONES))
"""The empty board."""


@dataclass(frozen=True, slots=True)
class MorrisMove:
    """A move.

    Attributes:
        source: The point that the stone leaves; None if it is placed from the hand.
        end: The point that it goes to.
        captured: The points of the opponent's stones that are taken, ascending.
    """

    source: int | None
    end: int
    captured: tuple[int, ...] = ()


def mask_of(position: Position, player: int) -> int:
    """Return the mask of a player's stones on the board."""
    if player:
        return position.black
    return position.white


def stones(position: Position, player: int) -> list[int]:
    """Return the points of a player's stones."""
    return points_of(mask_of(position, player))


def count(position: Position, player: int) -> int:
    """Return the number of a player's stones on the board."""
    return mask_of(position, player).bit_count()


def total(position: Position, player: int) -> int:
    """Return the number of a player's stones on the board and in hand."""
    return count(position, player) + position.hands[player]


def empty_mask(position: Position) -> int:
    """Return the mask of the empty points."""
    return ALL & ~(position.white | position.black)


def empty(position: Position) -> list[int]:
    """Return the empty points."""
    return points_of(empty_mask(position))


def flies(position: Position, player: int) -> bool:
    """Return whether a player's stones may move to any empty point."""
    return position.hands[player] == 0 and count(position, player) == FEWEST


def ends(position: Position, point: int) -> list[int]:
    """Return the points that the stone on a point can move to."""
    player = BLACK if position.black >> point & 1 else WHITE
    if flies(position, player):
        return empty(position)
    return points_of(NEIGHBOUR_MASKS[point] & empty_mask(position))


def in_mills(mask: int) -> int:
    """Return the mask of a player's stones that are in mills; ``mask`` is all the player's stones."""
    result = 0
    for mill in MILLS:
        if mask & mill == mill:
            result |= mill
    return result


def new_mills(position: Position, move: MorrisMove) -> list[tuple[int, int, int]]:
    """Return the mills that a move of the side to move closes."""
    moved = mask_of(position, position.turn) | 1 << move.end
    if move.source is not None:
        moved &= ~(1 << move.source)
    return [line for line in LINES if move.end in line and all(moved >> point & 1 for point in line)]


def takeable_mask(mask: int) -> int:
    """Return the mask of a player's stones that may be taken: those in no mill, or all if every one is in a mill."""
    return mask & ~in_mills(mask) or mask


def _steps(position: Position) -> Iterator[MorrisMove]:
    """Yield the moves of the side to move without their captures."""
    if position.hands[position.turn]:
        yield from (MorrisMove(None, end) for end in empty(position))
    else:
        for source in stones(position, position.turn):
            yield from (MorrisMove(source, end) for end in ends(position, source))


def moves(position: Position) -> list[MorrisMove]:
    """Return all legal moves; none when the game is over."""
    if total(position, position.turn) < FEWEST:
        return []
    theirs = mask_of(position, 1 - position.turn)
    result: list[MorrisMove] = []
    for step in _steps(position):
        # While stones are placed, a mill may be closed before the opponent has any stone to take.
        takeable = []
        if new_mills(position, step):
            takeable = points_of(takeable_mask(theirs))
        if takeable:
            result += [replace(step, captured=(point,)) for point in takeable]
        else:
            result.append(step)
    return result


def play(position: Position, move: MorrisMove) -> Position:
    """Return the position after a legal move."""
    mine = mask_of(position, position.turn) | 1 << move.end
    theirs = mask_of(position, 1 - position.turn) & ~sum(1 << point for point in move.captured)
    hands = list(position.hands)
    if move.source is None:
        hands[position.turn] -= 1
    else:
        mine &= ~(1 << move.source)
    if position.turn == BLACK:
        white = theirs
        black = mine
    else:
        white = mine
        black = theirs
    return Position(white, black, 1 - position.turn, (hands[WHITE], hands[BLACK]))


def previous(position: Position) -> list[tuple[Position, MorrisMove]]:
    """Return the un-moves without captures: each earlier position of the moving phase, and the move from there."""
    mover = 1 - position.turn
    mask = mask_of(position, mover)
    # An un-move needs the moving phase, and the game must have gone on: a move without a capture cannot leave the
    # opponent with fewer than three stones.
    if any(position.hands) or count(position, position.turn) < FEWEST:
        return []
    earlier = replace(position, turn=mover)
    result: list[tuple[Position, MorrisMove]] = []
    for end in points_of(mask & ~in_mills(mask)):  # a move into a mill would have taken a stone
        for source in ends(position, end):
            moved = mask ^ (1 << end | 1 << source)
            if mover:
                before = replace(earlier, black=moved)
            else:
                before = replace(earlier, white=moved)
            result.append((before, MorrisMove(source, end)))
    return result


def swapped(position: Position) -> Position:
    """Return the position with colours exchanged, including the side to move."""
    return Position(position.black, position.white, 1 - position.turn, (position.hands[BLACK], position.hands[WHITE]))


def lost(position: Position) -> str:
    """Return why the side to move has lost, as a clause; empty while the game goes on."""
    if total(position, position.turn) < FEWEST:
        return _("fewer than three stones are left")
    if not any(True for __ in _steps(position)):
        return _("no stone can move")
    return ""
