"""The hash that ends a Syzygy file: CityHash 1.0 with CRC-32C, for data that is a whole number of 64-bit words.

Only what such files need: 256 bits of a chunk of any length, and 128 bits of a few of those.

The algorithm is CityHash by Geoff Pike and Jyrki Alakuijala, copyright (c) 2011 Google, Inc., published under this
licence:

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice and
this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""

from __future__ import annotations

import numpy as np
from numba import njit

K0 = np.uint64(0xC3A5C85C97CB3127)
K1 = np.uint64(0xB492B66FBE98F273)
K3 = np.uint64(0xC949D7C7509E6557)
MULTIPLIER = np.uint64(0x9DDFEA08EB382D69)
ONE = np.uint64(1)
SHIFTS = np.array([[40, 26, 40, 32, 24], [41, 27, 41, 33, 25]], np.uint64)
"""By how much the five words of a round are turned: in rounds that do not multiply, and in those that do."""

ROUND = 5
"""Words in a round."""

LEAST = 30
"""Words in six rounds; shorter data is padded."""


def _crc_tables() -> np.ndarray:
    """CRC-32C of one byte followed by 7, 6, ... 0 zero bytes."""
    tables = np.zeros((8, 256), np.uint64)
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        tables[7, byte] = value
    # Each further table is for a byte with one more zero byte behind it: shift the sum by a byte.
    for place in range(6, -1, -1):
        previous = tables[place + 1]
        tables[place] = previous >> np.uint64(8) ^ tables[7][previous & np.uint64(255)]
    return tables


CRC = _crc_tables()


@njit
def _rotated_right(value, shift):
    return value >> shift | value << (np.uint64(64) - shift)


@njit
def _mixed(value):
    return value ^ value >> np.uint64(47)


@njit
def _joined(low, high):
    """64 bits of 128."""
    first = _mixed((low ^ high) * MULTIPLIER)
    return _mixed((high ^ first) * MULTIPLIER) * MULTIPLIER


@njit
def _crc(crc, word):
    """CRC-32C of one more word."""
    word ^= crc
    crc = np.uint64(0)
    for place in range(8):
        crc ^= CRC[place, word & np.uint64(255)]
        word >>= np.uint64(8)
    return crc


@njit
def _round(words, at, multiplies, state, sums):
    """One round: five words go into the state, and the state into the five sums."""
    oldest = state[0]
    factor = K0 if multiplies else ONE
    for i in range(5):
        state[i] = _rotated_right(state[i + 1], SHIFTS[multiplies, i]) * factor + words[at + i]
        sums[i] = _crc(sums[i], state[i])
    state[5] = oldest


@njit(nogil=True, cache=True)
def hash256(words, length, seed):
    """256 bits of at least 30 words.

    Args:
        words: uint64 array.
        length: The number of bytes that takes part.
        seed: 0, or a number that distinguishes short data from its padding.
    """
    result = np.zeros(4, np.uint64)
    state = np.zeros(6, np.uint64)  # a to e and t, as the original calls them
    sums = np.zeros(5, np.uint64)  # f to j
    result[0] = _joined(words[12] + K0, length)
    result[1] = words[15] * K0 + length
    state[0], state[1] = words[7] + K0, words[12] + K0
    state[2], state[3] = result[0], result[1]
    state[4] = words[23] + seed
    state[5] = result[0] + result[1]
    sums[0] = seed
    at = 0
    while len(words) - at >= LEAST:
        for i in range(6):
            _round(words, at, i & 1, state, sums)
            at += ROUND
    while len(words) - at >= ROUND:
        _round(words, at, 1, state, sums)
        at += ROUND
    if at < len(words):
        _round(words, len(words) - ROUND, 1, state, sums)
    _finish(state, sums, result)
    return result


@njit
def _finish(state, sums, digest):
    """The 256 bits of the last state."""
    a, b, c, d, e, t = state
    f, g, h, i, j = sums
    j += i << np.uint64(32)
    a = _joined(a, j)
    h += g << np.uint64(32)
    b += h
    c = _joined(c, f) + i
    d = _joined(d, e + digest[0])
    j += e
    i += _joined(h, t)
    e = _joined(a, d) + j
    f = _joined(b, c) + a
    g = _joined(j, i) + c
    digest[0] = e + f + g + h
    a = _mixed((a + g) * K0) * K0 + b
    digest[1] += a + digest[0]
    a = _mixed(a * K0) * K0 + c
    digest[2] = a + digest[1]
    a = _mixed((a + e) * K0) * K0
    digest[3] = a + digest[2]


@njit(nogil=True, cache=True)
def hash128(words):
    """128 bits of 4, 8, 12 or 16 words."""
    result = np.zeros(2, np.uint64)
    a, b = words[0] ^ K3, words[1]
    length = np.uint64(8 * len(words) - 16)
    if len(words) == 4:
        a = _mixed(a * K1) * K1
        c = b * K1 + (_joined(words[2], _rotated_right(words[3] + length, length)) ^ words[3])
        d = _mixed(a + words[2])
    else:
        c = _joined(words[-1] + K1, a)
        d = _joined(b + length, c + words[-2])
        a += d
        for at in range(2, len(words) - 2, 2):
            a = (a ^ _mixed(words[at] * K1) * K1) * K1
            b ^= a
            c = (c ^ _mixed(words[at + 1] * K1) * K1) * K1
            d ^= c
    a, b = _joined(a, c), _joined(d, b)
    result[0] = a ^ b
    result[1] = _joined(b, a)
    return result
