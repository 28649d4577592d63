"""Deflate for ascending keys: how their bytes become symbols, and symbols bits.

A key has eight bytes, the lowest first. Keys in ascending order share their high bytes with the key before: those are
one match at distance 8, the bytes below are literals. ``0x27d40317`` after ``0x27d40315`` is the literal ``0x17`` and a
match of length 7; after ``0x27d30315`` it is the literals ``17 03 d4`` and a match of length 5.
"""

from __future__ import annotations

from endgame_core.tables.kernels import kernel

END_OF_BLOCK = 256
"""The symbol after the last key of a block."""
_MATCH = 254
"""Added to the length of a match, 3 to 7, this is its symbol."""
SYMBOLS = 262
"""The number of symbols: 256 bytes, the end, matches of length 3 to 7."""
_DISTANCE = 0b10
_DISTANCE_BITS = 2
"""Distance 8 in bits: code 0 of the only distance symbol, then one extra bit, 1."""


@kernel
def count_symbols(keys, before, counts):
    """Add the number of each symbol of some keys to ``counts``; for the arguments see :func:`write_symbols`."""
    for i in range(keys.size):
        key = keys[i]
        literals = 0
        difference = key ^ before
        while difference:
            difference >>= 8
            literals += 1
        if literals > 5:
            literals = 8
        for _ in range(literals):
            counts[key & 255] += 1
            key >>= 8
        if literals < 8:
            counts[8 - literals + _MATCH] += 1
        before = keys[i]


@kernel
def write_symbols(keys, before, codes, lengths, out, state):
    """Write the bits of some keys.

    Args:
        keys: int64 keys, ascending.
        before: The key before them; of the first keys of a file, one with another highest byte.
        codes: int64 code of each symbol, its first bit lowest.
        lengths: int64 number of bits of each code, at most 15.
        out: uint32 words with room for all bits.
        state: int64: bits that do not fill a word yet, their number, and the index of the next word in ``out``.
    """
    bits = state[0]
    filled = state[1]
    at = state[2]
    for i in range(keys.size):
        key = keys[i]
        literals = 0
        # A key is eight bytes, the lowest first. Ascending keys share their highest bytes: only the bytes up to the
        # highest one that differs are literals, the rest is a match with the key before, eight bytes back.
        difference = key ^ before
        while difference:
            difference >>= 8
            literals += 1
        # A match has at least three bytes in this format.
        if literals > 5:
            literals = 8
        for _ in range(literals):
            symbol = key & 255
            bits |= codes[symbol] << filled
            filled += lengths[symbol]
            key >>= 8
            if filled >= 32:
                out[at] = bits & 0xFFFFFFFF
                at += 1
                bits >>= 32
                filled -= 32
        if literals < 8:
            symbol = 8 - literals + _MATCH
            bits |= (codes[symbol] | _DISTANCE << lengths[symbol]) << filled
            filled += lengths[symbol] + _DISTANCE_BITS
            if filled >= 32:
                out[at] = bits & 0xFFFFFFFF
                at += 1
                bits >>= 32
                filled -= 32
        before = keys[i]
    state[0] = bits
    state[1] = filled
    state[2] = at
