"""Words about a position, told anew for a symmetric copy of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

import chess

_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_COLOURS = {"White": "Black", "Black": "White", "white": "black", "black": "white"}
_TOLD = re.compile(
    r"(?<![a-z0-9])(?P<square>[a-h][1-8])(?![a-z0-9])"
    r"|\b(?P<file>[a-h])-(?P<what>file|pawn)"
    r"|\b(?P<colour>[Ww]hite|[Bb]lack)\b"
)

_Symmetry = Callable[[int], int]


def retold(text: str, told_of: chess.Board, copy: chess.Board) -> str:
    """A text about one position, with the squares, files and colours of a symmetric copy of it.

    Args:
        text: The words; names of squares (``f7``, ``Ra8``), files (``g-file``, ``a-pawn``) and colours are changed.
        told_of: The position that the words are about.
        copy: A copy of it: mirrored, turned, or with the colours exchanged.

    Returns:
        The text for the copy; as it is if that is no copy of the position.
    """
    for swapped, symmetry in _symmetries():
        if _copied(told_of, swapped, symmetry) == (copy.turn, copy.piece_map()):
            return _TOLD.sub(partial(_word, swapped, symmetry), text)
    return text


def _symmetries() -> Iterator[tuple[bool, _Symmetry]]:
    """Whether the colours are exchanged, and where squares go; the identity first."""
    for swapped in (False, True):
        for kind in range(8):
            yield swapped, partial(_moved, kind)


def _moved(kind: int, square: int) -> int:
    file, rank = chess.square_file(square), chess.square_rank(square)
    if kind & 4:
        file, rank = rank, file
    return chess.square(7 - file if kind & 1 else file, 7 - rank if kind & 2 else rank)


def _copied(board: chess.Board, swapped: bool, symmetry: _Symmetry) -> tuple[bool, dict[int, chess.Piece]]:
    men = board.piece_map().items()
    return board.turn ^ swapped, {
        symmetry(square): chess.Piece(man.piece_type, man.color ^ swapped) for square, man in men
    }


def _word(swapped: bool, symmetry: _Symmetry, found: re.Match[str]) -> str:
    if found["square"]:
        return chess.square_name(symmetry(chess.parse_square(found["square"])))
    if found["colour"]:
        return _COLOURS[found["colour"]] if swapped else found["colour"]
    file = chess.FILE_NAMES.index(found["file"])
    low, high = symmetry(chess.square(file, 0)), symmetry(chess.square(file, 7))
    if chess.square_file(low) == chess.square_file(high):
        return f"{chess.FILE_NAMES[chess.square_file(low)]}-{found['what']}"
    return f"{_RANKS[chess.square_rank(low)]} rank"
