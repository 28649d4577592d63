"""The board: three rings of eight points, as numbers and as bits of a mask.

Point ``8 * ring + cell``: ring 0 is the outer one, cell 0 its top left corner, on clockwise. So even cells are corners,
odd ones stand in the middle of a side and are joined to the same cell of the next ring.
"""

from __future__ import annotations

from endgame_core.errors import PositionError
from endgame_core.language import _
from endgame_core.untrusted import quoted

POINTS = (
    "a7", "d7", "g7", "g4", "g1", "d1", "a1", "a4",
    "b6", "d6", "f6", "f4", "f2", "d2", "b2", "b4",
    "c5", "d5", "e5", "e4", "e3", "d3", "c3", "c4",
)  # fmt: skip
"""Names of the points, by number."""

ALL = (1 << 24) - 1
"""The mask of all points."""

NUMBERS = {name: number for number, name in enumerate(POINTS)}
"""Numbers of the points, by name."""


def _neighbours(point: int) -> tuple[int, ...]:
    # Points with an odd number are in the middle of a side; lines join them to the neighbouring rings.
    ring, cell = divmod(point, 8)
    result = [8 * ring + (cell + step) % 8 for step in (-1, 1)]
    if cell % 2:
        result += [8 * next_ + cell for next_ in (ring - 1, ring + 1) if 0 <= next_ < 3]
    return tuple(sorted(result))


NEIGHBOURS = tuple(_neighbours(point) for point in range(24))
"""The points joined to each point by a line."""

NEIGHBOUR_MASKS = tuple(sum(1 << near for near in nearby) for nearby in NEIGHBOURS)
"""The same as masks."""

LINES = (
    *((8 * ring + cell, 8 * ring + cell + 1, 8 * ring + (cell + 2) % 8) for ring in range(3) for cell in (0, 2, 4, 6)),
    *((cell, 8 + cell, 16 + cell) for cell in (1, 3, 5, 7)),
)
"""The sixteen rows of three points that a mill can stand on."""

MILLS = tuple(1 << a | 1 << b | 1 << c for a, b, c in LINES)
"""These rows as masks."""

MILLS_OF = tuple(tuple(mill for mill in MILLS if mill >> point & 1) for point in range(24))
"""The two mills through each point."""


def _symmetry(number: int) -> tuple[int, ...]:
    """Return the image of each point: quarter turns, mirrored from 4 on, inner and outer ring swapped from 8 on."""
    image_cells = [(2 - cell if number & 4 else cell) + 2 * (number & 3) for cell in range(8)]
    return tuple(
        8 * (2 - ring if number & 8 else ring) + image_cells[cell] % 8 for ring in range(3) for cell in range(8)
    )


SYMMETRIES = tuple(_symmetry(number) for number in range(16))
"""The sixteen symmetries of the board; 0 leaves everything where it is."""

INVERSES = tuple(
    next(i for i, back in enumerate(SYMMETRIES) if all(back[symmetry[p]] == p for p in range(24)))
    for symmetry in SYMMETRIES
)
"""The symmetry that undoes each."""


def _bytes(symmetry: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(sum(1 << symmetry[8 * ring + cell] for cell in range(8) if byte >> cell & 1) for byte in range(256))
        for ring in range(3)
    )


IMAGES = tuple(_bytes(symmetry) for symmetry in SYMMETRIES)
"""For each symmetry and each ring, where the stones of the ring go: a mask by the ring's byte."""


def image(symmetry: int, mask: int) -> int:
    """A mask after a symmetry."""
    outer, middle, inner = IMAGES[symmetry]
    return outer[mask & 255] | middle[mask >> 8 & 255] | inner[mask >> 16]


def points_of(mask: int) -> list[int]:
    """The points of a mask, ascending."""
    result: list[int] = []
    while mask:
        # The lowest set bit.
        low = mask & -mask
        result.append(low.bit_length() - 1)
        mask ^= low
    return result


def point(name: str) -> int:
    """The number of a point; raises PositionError."""
    result = NUMBERS.get(name.strip().lower())
    if result is None:
        raise PositionError(
            _("{name} is not a point on the board").format(name=quoted(name)),
            _("points have names such as a7, d7, b6 or c4"),
        )
    return result
