"""Kernels that work on lines do what NumPy does with their bytes and bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from endgame_core.tables import kernels as _kernels

kernels: Any = _kernels
count, load, equal_bytes, store, word = kernels.count, kernels.load, kernels.equal_bytes, kernels.store, kernels.word


def squeezer(monkeypatch: pytest.MonkeyPatch, by_machine: bool) -> Any:
    """A kernel that squeezes a line and spreads it out again, and the same with one word."""
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "_SQUEEZES", by_machine)
        squeeze, spread = kernels._squeezed(64, kernels.line_type)
        squeeze_word, spread_word = kernels._squeezed(8, kernels._U64)

        @njit
        def run(line: Any, bits: Any, squeezed: Any, out: Any) -> None:
            squeeze(squeezed, 3, load(line, 0), bits)
            store(out, 0, spread(squeezed, 3, bits))
            squeeze_word(squeezed, 80, line[1], bits)
            out[8] = spread_word(squeezed, 80, bits & np.uint64(255))

        run(np.zeros(8, np.uint64), np.uint64(0), np.zeros(96, np.uint8), np.zeros(9, np.uint64))
    return run


@pytest.fixture(scope="session")
def both_ways() -> list[Any]:
    with pytest.MonkeyPatch.context() as patch:
        return [squeezer(patch, by_machine) for by_machine in {False, kernels._SQUEEZES}]


@pytest.mark.slow
@given(st.binary(min_size=64, max_size=64), st.integers(0, (1 << 64) - 1))
@settings(deadline=None)
def test_packed_bytes_are_unpacked_to_the_same_bytes(both_ways: list[Any], line: bytes, bits: int) -> None:
    """With and without the machine's own way to do so; what lies behind the bytes stays as it was."""
    plain, there = np.frombuffer(line, np.uint8), np.array([bits >> i & 1 for i in range(64)], bool)
    for run in both_ways:
        squeezed, out = np.full(96, 7, np.uint8), np.zeros(9, np.uint64)
        run(plain.view(np.uint64), np.uint64(bits), squeezed, out)
        wanted = np.full(96, 7, np.uint8)
        wanted[3 : 3 + there.sum()] = plain[there]
        wanted[80 : 80 + there[:8].sum()] = plain[8:16][there[:8]]
        assert np.array_equal(squeezed, wanted)
        assert np.array_equal(out[:8].view(np.uint8), np.where(there, plain, 0))
        assert np.array_equal(out[8:].view(np.uint8), np.where(there[:8], plain[8:16], 0))


@njit
def told_of(line: Any, byte: Any, j: Any) -> Any:
    """How many bits a line has, which of its bytes are one, and one of its words."""
    some = load(line, 0)
    return count(some), equal_bytes(some, byte), word(some, j)


@pytest.mark.slow
@given(st.lists(st.sampled_from([0, 1, 3, 255]), min_size=64, max_size=64), st.integers(0, 7))
@settings(deadline=None)
def test_a_row_is_counted_and_scanned(line: list[int], j: int) -> None:
    plain = np.array(line, np.uint8)
    words = plain.view(np.uint64)
    for byte in (0, 3, 255):
        bits, there, some = told_of(words, byte, j)
        assert bits == sum(value.bit_count() for value in line)
        assert there == sum(1 << i for i, value in enumerate(line) if value == byte)
        assert some == words[j]
