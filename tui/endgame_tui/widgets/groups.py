"""How groups of moves share the rows of a panel. Pure arithmetic, no drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Group:
    """Moves that lead to the same layer.

    Attributes:
        title: ``S18``, or ``draw``.
        note: What that means: ``best · 22 tie``, ``2 plies later``, ``win gone``.
        role: Role of the title's colour.
        moves: The moves, in order.
        best: Whether these are the best moves.
    """

    title: str
    note: str
    role: str
    moves: tuple[str, ...]
    best: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A row of the panel: a group's heading, or some of its moves.

    Attributes:
        group: Number of the group.
        heading: Whether the heading is on this row.
        first: Number of the first move on the row, counted through all groups.
        names: The moves on the row.
        hidden: How many moves of the group are not shown; told on its last row.
    """

    group: int
    heading: bool
    first: int
    names: tuple[str, ...] = ()
    hidden: int = 0


def cell_width(group: Group) -> int:
    """Columns one move of the group takes, the gap included."""
    return max(map(len, group.moves), default=0) + 1


@dataclass(slots=True)
class _Share:
    """The rows of moves a group was given; 0 means one row together with the heading."""

    group: int
    start: int
    per_row: int
    rows: int
    together: int


def arrange(groups: Sequence[Group], cursor: int | None, width: int, height: int) -> list[Piece]:
    """Distributes rows: everything when it fits; else the other groups are cut short before the best.

    Args:
        groups: The groups, best first.
        cursor: Number of the move that must be visible, counted through all groups.
        width: Columns for moves.
        height: Rows.

    Returns:
        At most ``height`` rows.
    """
    shares = _shares(groups, width)
    _shrink(shares[1:], 1, shares, height)
    _shrink(shares[:1], 2, shares, height)
    for share in reversed(shares[1:]):
        if _total(shares) > height:
            share.rows = 0
    _shrink(shares[:1], 1, shares, height)
    pieces: list[Piece] = []
    for share in shares:
        pieces.extend(_pieces(groups[share.group], share, cursor))
    return _scrolled(pieces, cursor, height)


def _shares(groups: Sequence[Group], width: int) -> list[_Share]:
    shares: list[_Share] = []
    start = 0
    for number, group in enumerate(groups):
        cell = cell_width(group)
        per_row = max(width // cell, 1)
        together = max((width - len(group.title)) // cell, 1)
        rows = -(-len(group.moves) // per_row)
        shares.append(_Share(number, start, per_row, rows, together))
        start += len(group.moves)
    return shares


def _shrink(some: Sequence[_Share], least: int, shares: Sequence[_Share], height: int) -> None:
    """Takes rows from the longest of ``some`` groups until all fit or none has more than ``least``."""
    while some and _total(shares) > height:
        longest = max(some, key=lambda share: share.rows)
        if longest.rows <= least:
            return
        longest.rows -= 1


def _total(shares: Sequence[_Share]) -> int:
    return sum(share.rows + 1 for share in shares)


def _pieces(group: Group, share: _Share, cursor: int | None) -> list[Piece]:
    """The rows of one group; a group cut short shows the part with the cursor."""
    count = len(group.moves)
    per_row = share.per_row if share.rows else share.together
    rows = max(share.rows, 1)
    space = per_row * rows
    shown = count if count <= space else max(space - 1, 1)
    offset = 0
    if cursor is not None and share.start + shown <= cursor < share.start + count:
        local = cursor - share.start
        offset = min(-(-(local - shown + 1) // per_row) * per_row, local)
    names = group.moves[offset : offset + shown]
    first = share.start + offset
    pieces = [Piece(share.group, False, first + at, names[at : at + per_row]) for at in range(0, len(names), per_row)]
    pieces[-1] = replace(pieces[-1], hidden=count - len(names))
    if share.rows:
        return [Piece(share.group, True, first), *pieces]
    return [replace(pieces[0], heading=True)]


def _scrolled(pieces: list[Piece], cursor: int | None, height: int) -> list[Piece]:
    """The part of the rows with the cursor, when even the shortest form is too long."""
    if len(pieces) <= height:
        return pieces
    at = next(
        (
            number
            for number, piece in enumerate(pieces)
            if cursor is not None and piece.first <= cursor < piece.first + len(piece.names)
        ),
        0,
    )
    first = min(max(at - height + 1, 0), len(pieces) - height)
    return pieces[first : first + height]
