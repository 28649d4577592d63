"""The entropy coders of a table's frames."""

from __future__ import annotations

import lzma
import sys
from dataclasses import dataclass
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVELS = {"zstd": range(1, 23), "lzma": range(5)}
_DICTIONARY = 1 << 17
_EFFORT = {"preset": 9 | lzma.PRESET_EXTREME, "nice_len": 128}
"""Longer matches than this are not searched for: it would double the time and save a hundredth."""


@dataclass(frozen=True, slots=True)
class Coder:
    """An entropy coder and its setting.

    Attributes:
        name: ``zstd`` or ``lzma``.
        level: zstd's level, or how many bits of the last code lzma predicts from (its ``lc``).

    Raises:
        ValueError: There is no such coder or level.
    """

    name: str
    level: int

    def __post_init__(self) -> None:
        if type(self.level) is not int or self.level not in _LEVELS.get(self.name, ()):
            raise ValueError(f"no coder {self.name} {self.level}")

    def _filters(self, **effort: int) -> list[dict[str, Any]]:
        return [{"id": lzma.FILTER_LZMA1, "lc": self.level, "lp": 0, "pb": 0, "dict_size": _DICTIONARY, **effort}]

    def encode(self, data: bytes) -> bytes:
        """Compresses the codes of one frame."""
        if self.name == "zstd":
            return zstd.compress(data, self.level)
        return lzma.compress(data, lzma.FORMAT_RAW, filters=self._filters(**_EFFORT))

    def decode(self, data: bytes, length: int) -> bytes:
        """The codes of one frame; raises ValueError unless there are ``length`` of them."""
        try:
            if self.name == "zstd":
                found = zstd.ZstdDecompressor().decompress(data, max_length=length + 1)
            else:
                decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=self._filters())
                found = decoder.decompress(data, max_length=length + 1)
        except (zstd.ZstdError, lzma.LZMAError, EOFError) as error:
            raise ValueError(str(error)) from None
        if len(found) != length:
            raise ValueError("the length differs")
        return found


QUICK = Coder("zstd", 1)
"""What a build writes."""
SMALL = Coder("lzma", 0)
"""What a build writes when a side is a single frame."""
TRIAL = Coder("zstd", 3)
"""Quick to tell which of many ways to cut a table compress well."""
