"""The rules of Nine Men's Morris, pure: a position is two masks of stones, those in hand, and who is to move.

Players take turns placing nine stones each, then move along the lines; a player with exactly three stones left flies.
Who closes a mill, or two at once, takes a stone of the opponent's that is in no mill, any stone when all are. Fewer
than three stones, or no move, loses. These are the rules for which the game was first solved, and those of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from endgame_core.morris.geometry import ALL, LINES, MILLS, NEIGHBOUR_MASKS, points_of

WHITE, BLACK = 0, 1
"""The players; White places first."""

FEWEST = 3
"""A player with fewer stones has lost; with as many, flies."""


STONES = 9
"""Of each player at the start."""

FINGERPRINT = f"{STONES} men, take one per move, flying"
"""Names the rules in files of tables: what people play differently, and a position is worth something else by."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position.

    Attributes:
        white: White's stones on the board, as a mask.
        black: Black's.
        turn: Who is to move, WHITE or BLACK.
        hands: White's and Black's stones still to be placed.
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
        source: The point a stone leaves; None when it is placed from the hand.
        end: The point it goes to.
        taken: The points of the opponent's stones that are taken, ascending.
    """

    source: int | None
    end: int
    taken: tuple[int, ...] = ()


def mask_of(position: Position, player: int) -> int:
    """A player's stones on the board, as a mask."""
    return position.black if player else position.white


def stones(position: Position, player: int) -> list[int]:
    """The points of a player's stones."""
    return points_of(mask_of(position, player))


def count(position: Position, player: int) -> int:
    """A player's stones on the board."""
    return mask_of(position, player).bit_count()


def total(position: Position, player: int) -> int:
    """A player's stones on the board and in hand."""
    return count(position, player) + position.hands[player]


def empty_mask(position: Position) -> int:
    """The empty points, as a mask."""
    return ALL & ~(position.white | position.black)


def empty(position: Position) -> list[int]:
    """The empty points."""
    return points_of(empty_mask(position))


def flies(position: Position, player: int) -> bool:
    """Whether a player may move to any empty point."""
    return position.hands[player] == 0 and count(position, player) == FEWEST


def ends(position: Position, point: int) -> list[int]:
    """Where the stone on a point can move to."""
    player = BLACK if position.black >> point & 1 else WHITE
    if flies(position, player):
        return empty(position)
    return points_of(NEIGHBOUR_MASKS[point] & empty_mask(position))


def in_mills(mask: int) -> int:
    """Those of one player's stones that stand in mills."""
    result = 0
    for mill in MILLS:
        if mask & mill == mill:
            result |= mill
    return result


def new_mills(position: Position, move: MorrisMove) -> list[tuple[int, int, int]]:
    """The mills that a move of the player to move adds."""
    moved = mask_of(position, position.turn) & ~(0 if move.source is None else 1 << move.source) | 1 << move.end
    return [line for line in LINES if move.end in line and all(moved >> point & 1 for point in line)]


def takeable_mask(mask: int) -> int:
    """Those of one player's stones that may be taken: the ones in no mill, all of them when every one is in a mill."""
    return mask & ~in_mills(mask) or mask


def _steps(position: Position) -> Iterator[MorrisMove]:
    """The moves of the player to move, without what they take."""
    if position.hands[position.turn]:
        yield from (MorrisMove(None, end) for end in empty(position))
    else:
        for source in stones(position, position.turn):
            yield from (MorrisMove(source, end) for end in ends(position, source))


def moves(position: Position) -> list[MorrisMove]:
    """All legal moves; none when the game is over."""
    if total(position, position.turn) < FEWEST:
        return []
    theirs = mask_of(position, 1 - position.turn)
    result: list[MorrisMove] = []
    for step in _steps(position):
        taken = points_of(takeable_mask(theirs)) if new_mills(position, step) else []
        result += [replace(step, taken=(point,)) for point in taken] or [step]
    return result


def play(position: Position, move: MorrisMove) -> Position:
    """The position after a legal move."""
    mine = mask_of(position, position.turn) | 1 << move.end
    theirs = mask_of(position, 1 - position.turn) & ~sum(1 << point for point in move.taken)
    hands = list(position.hands)
    if move.source is None:
        hands[position.turn] -= 1
    else:
        mine &= ~(1 << move.source)
    white, black = (theirs, mine) if position.turn else (mine, theirs)
    return Position(white, black, 1 - position.turn, (hands[0], hands[1]))


def previous(position: Position) -> list[tuple[Position, MorrisMove]]:
    """Un-moves without captures: the positions of the moving phase from which one move leads here, and that move."""
    mover = 1 - position.turn
    mask = mask_of(position, mover)
    if any(position.hands) or count(position, position.turn) < FEWEST:
        return []
    earlier = replace(position, turn=mover)
    result: list[tuple[Position, MorrisMove]] = []
    for end in points_of(mask & ~in_mills(mask)):  # what stands in a mill has closed it, and taken a stone
        for source in ends(position, end):
            moved = mask ^ (1 << end | 1 << source)
            before = replace(earlier, black=moved) if mover else replace(earlier, white=moved)
            result.append((before, MorrisMove(source, end)))
    return result


def swapped(position: Position) -> Position:
    """The position with the colours exchanged, the side to move too."""
    return Position(position.black, position.white, 1 - position.turn, (position.hands[BLACK], position.hands[WHITE]))


def lost(position: Position) -> str:
    """Why the player to move has lost, as a clause; empty while the game goes on."""
    if total(position, position.turn) < FEWEST:
        return "fewer than three stones are left"
    if not any(True for _ in _steps(position)):
        return "no stone can move"
    return ""
