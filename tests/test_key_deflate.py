"""Compressed keys are valid deflate streams for all keys."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from endgame_core.paths import prepare_kernels

prepare_kernels()

from endgame_core.tables.key_deflate import KeyCompressor, code_lengths  # noqa: E402


def _ascending(seed: int, count: int, most: int) -> np.ndarray:
    rng = random.Random(seed)
    return np.array(sorted(rng.sample(range(most), count)), "<u8")


@pytest.mark.parametrize(
    "keys",
    [
        _ascending(1, 1, 1 << 62),
        _ascending(2, 5000, 1 << 62),
        _ascending(3, 5000, 6000),
        _ascending(4, 70_000, 1 << 40),
        np.array([0, 1, 255, 256, 1 << 16, 1 << 24, 1 << 32, 1 << 40, 1 << 48, (1 << 62) - 1], "<u8"),
        np.arange(3 << 19, dtype="<u8") * 3,  # two blocks
    ],
)
def test_zlib_unpacks_the_compressed_keys(keys: np.ndarray) -> None:
    compressor = KeyCompressor()
    third = len(keys) // 3
    packed = b"".join(compressor.compress(part.tobytes()) for part in (keys[:third], keys[third:])) + compressor.flush()
    unpacker = zlib.decompressobj(-15)
    assert unpacker.decompress(packed) == keys.tobytes()
    assert unpacker.eof and not unpacker.unused_data


def test_no_code_is_longer_than_fifteen_bits() -> None:
    fibonacci = [1, 1]
    while len(fibonacci) < 30:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    lengths = code_lengths(fibonacci)
    assert max(lengths) == 15
    assert sum(2.0**-length for length in lengths) == 1
    assert code_lengths([5, 0, 7]) == [1, 0, 1]
