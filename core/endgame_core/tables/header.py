"""The header of a table file: its fields and its versions; see ``file`` for the layout."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from endgame_core.language import _
from endgame_core.system import read_at
from endgame_core.tables.coders import DERIVED, zstd
from endgame_core.untrusted import has_shape, open_regular
from endgame_core.values import BYTE_DRAW, DRAW

SUFFIX = ".egt"

MAGIC = b"ENDGTAB\x08"
_OLD_MAGICS = {
    b"ENDGTAB\x02": {"one_sided": False, "wide": False},
    b"ENDGTAB\x03": {"one_sided": True, "wide": False},
    b"ENDGTAB\x04": {"one_sided": False, "wide": True},
    b"ENDGTAB\x05": {"one_sided": True, "wide": True},
}
"""Magics of earlier versions, with the flags that each stands for."""
PREFIX = struct.Struct("<8sII")
"""Magic, length of what follows, and its CRC-32."""

_NUMBER = range(1 << 32)
_MAX_AXES = 8
_STORED_VALUE = re.compile(r"0|[1-9][0-9]{0,4}")
"""A stored value as a key of JSON: a byte, or a code in a wide table."""

Totals = tuple[list[dict[str, int]], list[dict[str, int]]]
"""Numbers of canonical positions, and of boards, per side and stored value: ``[{"value": count}, …]`` each."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table.

    Attributes:
        game: Name of the game.
        ending: Name of the ending.
        rules: Fingerprint of the rules.
        metric: What depths count: ``dtm`` or ``dtz`` in chess.
        scheme: Name of the index scheme.
        axes: Length of each axis of the slot numbers: how many values each digit of a slot takes.
        sides: For each side to move, box and order of its :class:`Tiling`, name and level of its
            :class:`~.coders.Coder`.
        sections: Length and CRC-32 of the frame directory (how long each frame is), and of the counts.
        canonical: Positions per side and stored value, symmetric copies counted once: ``[{"value": count}, …]``; empty
            when each side is one frame, which is counted when it is read.
        boards: The same over all placements on the board.
        draws: The stored value that means a draw (not a count), for each side to move; losses are below, wins above.
            In a wide table it is ``DRAW``, the code.

    The flags :attr:`one_sided` and :attr:`wide` follow from ``sides`` and ``draws``. A file states them as well, for
    readers that look at nothing else; a header that contradicts itself is invalid.
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
    draws: list[int] = field(default_factory=lambda: [BYTE_DRAW, BYTE_DRAW])

    @property
    def one_sided(self) -> bool:
        """Whether the values of one side to move are not stored; see :mod:`endgame_core.tables.lean`."""
        return any(coder == DERIVED.name for __, __, coder, __ in self.sides)

    @property
    def wide(self) -> bool:
        """Whether the stored values are codes, not bytes."""
        return self.draws == [DRAW, DRAW]

    def to_json(self) -> bytes:
        """The header as the file stores it, uncompressed; the usual ``draws`` and flags that are off are left out."""
        fields = {**asdict(self), "one_sided": self.one_sided, "wide": self.wide}
        stored = {name: value for name, value in fields.items() if name not in _DEFAULTS or value != _DEFAULTS[name]}
        return json.dumps(stored, separators=(",", ":")).encode()

    @classmethod
    def parse(cls, text: bytes, old_flags: Mapping[str, bool] | None = None) -> Header:
        """Parse a header; raises ValueError or TypeError unless every field is valid.

        Args:
            text: The JSON.
            old_flags: The flags, if an earlier version wrote the header, which has none.
        """
        # The old flags come last: they prevail over anything that the JSON says.
        fields: dict[str, Any] = {**_DEFAULTS, **json.loads(text), **(old_flags or {})}
        if (
            not has_shape(fields, _SHAPE)
            or len(fields["axes"]) > _MAX_AXES
            or len(fields["canonical"]) != len(fields["boards"])
            or (max(fields["draws"]) > 255 and fields["draws"] != [DRAW, DRAW])
        ):
            raise ValueError(_("a field has the wrong type"))
        # In a header these two are properties, which must agree with what the file claims.
        flags = fields.pop("one_sided"), fields.pop("wide")
        header = cls(**fields)
        if flags != (header.one_sided, header.wide):
            raise ValueError(_("a flag contradicts the other fields"))
        value_end = 1 << 16 if header.wide else 1 << 8
        if any(int(value) >= value_end for side in (*header.canonical, *header.boards) for value in side):
            raise ValueError(_("a field has the wrong type"))
        return header


def sparse(counts: Iterable[int]) -> dict[str, int]:
    """Counts by stored value as a header has them: ``{"value": count}``, without zeros."""
    return {str(value): int(number) for value, number in enumerate(counts) if number}


def dtype(wide: bool) -> str:
    """The dtype of stored values: bytes or codes."""
    return "<u2" if wide else "u1"


def _are_totals(value: Any) -> bool:
    """Whether a value is ``[]``, or one ``{"value": count}`` for each side to move."""
    if value == []:
        return True
    if not has_shape(value, (dict, dict)):
        return False
    return all(
        all(map(_STORED_VALUE.fullmatch, side)) and has_shape([*side.values()], [range((1 << 48) + 1)])
        for side in value
    )


_DEFAULTS: dict[str, Any] = {"draws": [BYTE_DRAW, BYTE_DRAW], "one_sided": False, "wide": False}
"""Fields that a header leaves out if they have these values."""
_SIDE = ([_NUMBER], [_NUMBER], str, int)
_SHAPE = {
    **dict.fromkeys(("game", "ending", "rules", "metric", "scheme"), str),
    "axes": [_NUMBER], "sides": (_SIDE, _SIDE), "sections": (_NUMBER,) * 4, "canonical": _are_totals,
    "boards": _are_totals, "draws": (_NUMBER, _NUMBER), "one_sided": bool, "wide": bool,
}  # fmt: skip
"""The shape of a header for :func:`has_shape`."""

_MAX_HEADER_BYTES = 1 << 24
CORRUPT_HEADER = _("has a corrupt header")


def is_table(path: Path) -> bool:
    """Whether a file begins like a table, of any version; False if it cannot be read."""
    try:
        with open_regular(path) as file:
            return file.read(len(MAGIC)).startswith(MAGIC[:-1])
    except OSError:
        return False


class NewerVersionError(ValueError):
    """A table of a version that this program does not know yet."""


def read_header(handle: int) -> tuple[Header, int, int]:
    """Read the header of a table file.

    Args:
        handle: Descriptor of the open file.

    Returns:
        The header, its checksum, and the offset of the frame directory, which follows it.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no table, or damaged; the message goes on a sentence that begins with the name of the table.
    """
    prefix = read_at(handle, PREFIX.size, 0)
    if len(prefix) < PREFIX.size:
        raise ValueError(_("is truncated") if prefix else _("is empty"))
    magic, length, checksum = PREFIX.unpack(prefix)
    # The last byte is the version.
    if magic[:-1] != MAGIC[:-1]:
        raise ValueError(_("is not a table of this program"))
    if magic[-1] > MAGIC[-1]:
        raise NewerVersionError(_("was written by a newer version"))
    if magic != MAGIC and magic not in _OLD_MAGICS:
        raise ValueError(_("was written by a different version"))

    # The length itself is not checked yet. A damaged one must not make us read, or decompress, gigabytes; what is cut
    # short here fails the checks below.
    compressed = read_at(handle, min(length, _MAX_HEADER_BYTES), PREFIX.size)
    if len(compressed) != length or zlib.crc32(compressed) != checksum:
        raise ValueError(CORRUPT_HEADER)
    try:
        text = zstd.ZstdDecompressor().decompress(compressed, max_length=_MAX_HEADER_BYTES)
        header = Header.parse(text, _OLD_MAGICS.get(magic))
    # JSON that is nested too deeply raises RecursionError.
    except (zstd.ZstdError, ValueError, TypeError, LookupError, RecursionError):
        raise ValueError(CORRUPT_HEADER) from None
    return header, checksum, PREFIX.size + length
