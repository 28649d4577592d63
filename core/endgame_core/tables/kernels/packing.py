"""Packing the codes of a frame: slots that hold no legal canonical position are left out."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True)
def pack(codes, kept, first, sizes, strides, out, counts):
    """Gathers the codes of one frame.

    Args:
        codes: uint8 codes of one side.
        kept: uint64 bits of its slots.
        first: First slot of the frame.
        sizes: How often each of three nested loops runs, the outermost first.
        strides: Slots from one round to the next.
        out: uint8 room for the frame.
        counts: uint32 of 256, raised by the number of each code.

    Returns:
        How many codes were written.
    """
    n = 0
    for a in range(sizes[0]):
        for b in range(sizes[1]):
            at = first + a * strides[0] + b * strides[1]
            for c in range(sizes[2]):
                slot = at + c * strides[2]
                if (kept[slot >> 6] >> (slot & 63)) & 1:
                    code = codes[slot]
                    out[n] = code
                    counts[code] += 1
                    n += 1
    return n


@njit(nogil=True, cache=True)
def unpack(packed, kept, first, sizes, strides, out):
    """Puts the codes of one frame back to their slots in ``out``; arguments as in :func:`pack`.

    Returns:
        How many slots of the frame are kept: as many as there are codes in ``packed``, in a sound table.
    """
    n = 0
    for a in range(sizes[0]):
        for b in range(sizes[1]):
            at = first + a * strides[0] + b * strides[1]
            for c in range(sizes[2]):
                slot = at + c * strides[2]
                if (kept[slot >> 6] >> (slot & 63)) & 1:
                    if n < packed.size:
                        out[slot] = packed[n]
                    n += 1
    return n
