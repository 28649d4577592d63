"""The header of a table file: what a table says of itself, and that every field is of its kind."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from endgame_core.values import DRAW

MAGIC = b"ENDGTAB\x02"
PREFIX = struct.Struct("<8sII")

_MOST_AXES = 8
_CODES = frozenset(str(code) for code in range(256))

Totals = tuple[list[dict[str, int]], list[dict[str, int]]]
"""Canonical positions, and boards, per side and code: ``[{"code": count}, …]`` each."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a table says of itself.

    Attributes:
        game: Name of the game.
        ending: Name of the ending.
        rules: Fingerprint of the rules.
        metric: What depths count: ``dtm`` or ``dtz`` in chess.
        scheme: Name of the index scheme.
        axes: How many values each digit of a slot takes.
        sides: For each side to move, box and order of its :class:`Tiling`, name and setting of its :class:`Coder`.
        sections: Length and CRC-32 of the index, and of the counts.
        canonical: Positions per side and code, symmetric copies once: ``[{"code": count}, …]``; empty when each side
            is one frame, which tells.
        boards: The same over all placements on the board.
        draws: The code of a draw, for each side to move; lower codes are losses, higher ones wins.
    """

    game: str
    ending: str
    rules: str
    metric: str
    scheme: str
    axes: list[int]
    sides: list[list[Any]]
    sections: list[int]
    canonical: list[dict[str, int]]
    boards: list[dict[str, int]]
    draws: list[int] = field(default_factory=lambda: [DRAW, DRAW])


def written(header: Header) -> bytes:
    """A header as its table has it; what goes without saying is left out."""
    fields = asdict(header)
    if header.draws == [DRAW, DRAW]:
        del fields["draws"]
    return json.dumps(fields, separators=(",", ":")).encode()


def sparse(counts: Iterable[int]) -> dict[str, int]:
    """The counts of codes as a header tells them: ``{"code": count}``, without zeros."""
    return {str(code): int(number) for code, number in enumerate(counts) if number}


def _are_numbers(values: Any, most: int = (1 << 32) - 1) -> bool:
    return isinstance(values, list) and all(type(n) is int and 0 <= n <= most for n in cast("list[Any]", values))


def _are_totals(values: Any) -> bool:
    """Whether there are totals of two sides, or none."""
    return (
        isinstance(values, list)
        and len(cast("list[Any]", values)) in (0, 2)
        and all(
            isinstance(side, dict) and side.keys() <= _CODES and _are_numbers(list(side.values()), 1 << 48)
            for side in cast("list[Any]", values)
        )
    )


def parse(text: bytes) -> Header:
    """Reads a header; raises ValueError or TypeError unless every field is of its kind."""
    header = Header(**cast("dict[str, Any]", json.loads(text)))
    numbers = [header.axes, header.sections, header.draws, *(part for side in header.sides for part in side[:2])]
    if (
        not all(_are_numbers(values) for values in numbers)
        or not (_are_totals(header.canonical) and _are_totals(header.boards))
        or len(header.axes) > _MOST_AXES
        or len(header.sections) != 4
        or len(header.sides) != 2
        or len(header.draws) != 2
        or len(header.canonical) != len(header.boards)
    ):
        raise ValueError("a field is not of its kind")
    return header
