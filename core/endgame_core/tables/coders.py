"""The entropy coders of the frames of a table, at the levels that tables may name."""

from __future__ import annotations

import lzma
import sys
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from endgame_core.language import _

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_LEVELS = {"zstd": range(1, 23), "lzma": range(5), "derived": range(1)}
_DICTIONARY_BYTES = 1 << 17
_LZMA_EFFORT = {"preset": 9 | lzma.PRESET_EXTREME, "nice_len": 128}
"""A search for matches longer than 128 bytes would double the time and save one percent."""


@lru_cache(maxsize=16)
def _compressor(level: int, thread: int) -> zstd.ZstdCompressor:
    """A thread's own compressor: creating one takes longer than compressing a small frame."""
    # The thread is only part of the cache's key: a compressor has a state, so threads cannot share one.
    return zstd.ZstdCompressor(level)


@dataclass(frozen=True, slots=True)
class Coder:
    """An entropy coder and its level.

    Attributes:
        name: ``zstd`` or ``lzma``; ``derived`` where nothing is stored.
        level: zstd's level, or how many bits of the previous value lzma predicts from (its ``lc``); else 0.

    Raises:
        ValueError: There is no such coder or level.
    """

    name: str
    level: int

    def __post_init__(self) -> None:
        if type(self.level) is not int or self.level not in _LEVELS.get(self.name, ()):
            raise ValueError(f"no coder {self.name} {self.level}")

    def _filters(self, **effort: int) -> list[dict[str, Any]]:
        # Raw lzma data has no header, so readers must use the same values.
        return [{"id": lzma.FILTER_LZMA1, "lc": self.level, "lp": 0, "pb": 0, "dict_size": _DICTIONARY_BYTES, **effort}]

    def encode(self, data: bytes) -> bytes:
        """Compress the stored values of one frame."""
        if self == DERIVED:
            return b""
        if self.name == "zstd":
            # FLUSH_FRAME ends the data; the compressor can then begin the next one.
            return _compressor(self.level, threading.get_ident()).compress(data, zstd.ZstdCompressor.FLUSH_FRAME)
        return lzma.compress(data, lzma.FORMAT_RAW, filters=self._filters(**_LZMA_EFFORT))

    def decode(self, data: bytes, length: int) -> bytes:
        """Decompress one frame; raises ValueError unless the result has ``length`` bytes."""
        try:
            # One byte more than expected is enough to notice that there are too many.
            if self.name == "zstd":
                result = zstd.ZstdDecompressor().decompress(data, max_length=length + 1)
            else:
                decoder = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=self._filters())
                result = decoder.decompress(data, max_length=length + 1)
        except (zstd.ZstdError, lzma.LZMAError, EOFError) as error:
            raise ValueError(str(error)) from None
        if len(result) != length:
            raise ValueError(_("the length differs"))
        return result


QUICK = Coder("zstd", 1)
"""Coder of a build."""
SMALL = Coder("lzma", 0)
"""Coder of a build when a side is a single frame."""
DERIVED = Coder("derived", 0)
"""Coder of the side to move that a one-sided table does not store."""
TRIAL = Coder("zstd", 3)
"""Fast coder by which many tilings are compared."""
