"""Material: the names of all endings of three to six men, and their sub-endings.

An ending is named as in Syzygy files: the stronger side first (more men, then the more valuable man at the first
difference), in the order king, queen, rook, bishop, knight, pawn: ``KRPvKR``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import chess

from endgame_core.errors import EndingError
from endgame_core.language import _, and_list
from endgame_core.untrusted import quoted

LETTERS = "QRBNP"
MOST_MEN = 6

_WORDS = {"Q": _("queen"), "R": _("rook"), "B": _("bishop"), "N": _("knight"), "P": _("pawn")}
_PLURALS = {"Q": _("queens"), "R": _("rooks"), "B": _("bishops"), "N": _("knights"), "P": _("pawns")}
_COUNTS = {2: _("two"), 3: _("three"), 4: _("four")}

# Longest wins in moves, of whichever side; published by Gaviota and Nalimov generators, and shown only until
# a built table tells its own.
_LONGEST = {
    "KQvK": 10, "KRvK": 16, "KPvK": 28, "KQQvK": 4, "KQRvK": 6, "KQBvK": 8, "KQNvK": 9,
    "KQPvK": 10, "KRRvK": 7, "KRBvK": 16, "KRNvK": 16, "KRPvK": 16, "KBBvK": 19, "KBNvK": 33,
    "KBPvK": 31, "KNNvK": 1, "KNPvK": 27, "KPPvK": 32, "KQvKQ": 13, "KQvKR": 35, "KQvKB": 17,
    "KQvKN": 21, "KQvKP": 29, "KBvKP": 29, "KNvKP": 29, "KBvKB": 1, "KBvKN": 1, "KNvKN": 1,
    "KRvKR": 19, "KRvKB": 29, "KRvKN": 40, "KPvKP": 33, "KRvKP": 43, "KRRvKR": 31, "KQRvKQ": 67,
    "KRPvKR": 74, "KRBvKR": 65, "KBBvKN": 78, "KNNvKP": 115, "KQPvKQ": 124, "KPPvKP": 127,
}  # fmt: skip


def _rank(men: str) -> tuple[int, list[int]]:
    return len(men), [-LETTERS.index(letter) for letter in men]


def _name(white: str, black: str) -> tuple[str, bool]:
    """Return the ending of two sets of men without kings, and whether the colours were exchanged."""
    white, black = ("".join(sorted(side, key=LETTERS.index)) for side in (white, black))
    if _rank(black) > _rank(white):
        return f"K{black}vK{white}", True
    return f"K{white}vK{black}", False


def _sides(ending: str) -> tuple[str, str]:
    white, black = ending.split("v")
    return white[1:], black[1:]


def _all(count: int) -> Iterator[str]:
    for black in range(count // 2 + 1):
        for strong in combinations_with_replacement(LETTERS, count - black):
            for weak in combinations_with_replacement(LETTERS, black):
                name, swapped = _name("".join(strong), "".join(weak))
                if not swapped:
                    yield name


def _children(white: str, black: str) -> Iterator[tuple[str, str]]:
    for i, letter in enumerate(white):
        rest = white[:i] + white[i + 1 :]
        yield rest, black
        if letter == "P":
            for queen in "QRBN":
                yield rest + queen, black
                for j in range(len(black)):
                    yield rest + queen, black[:j] + black[j + 1 :]


@cache
def needs(ending: str) -> tuple[str, ...]:
    """Return the sub-endings one capture or promotion away, except bare kings."""
    white, black = _sides(ending)
    result = [_name(*child)[0] for child in _children(white, black)]
    result += [_name(b, a)[0] for a, b in _children(black, white)]
    return tuple(name for name in dict.fromkeys(result) if name != "KvK")


def _ordered() -> tuple[str, ...]:
    # Captures lose a man, promotions a pawn: men first, then pawns, is an order of dependency.
    names = [name for count in range(1, MOST_MEN - 1) for name in dict.fromkeys(_all(count))]
    return tuple(sorted(names, key=lambda name: (len(name), name.count("P"))))


ENDINGS: tuple[str, ...] = _ordered()
"""All 510 endings of three to six men, each after its sub-endings."""

KNOWN = frozenset(ENDINGS)
"""The same as a set."""

_LISTED = "KQRBNPv"


def listed(ending: str) -> tuple[int, list[int]]:
    """Sort key for lists of endings: by the number of men of the weaker side, then by the value of the men."""
    return len(ending.split("v")[1]), [_LISTED.index(letter) for letter in ending]


def parse_material(text: str) -> tuple[str, bool]:
    """Read the name of an ending in any common spelling.

    Args:
        text: The name, e.g. ``KQvKR``, ``kqkr`` or ``KvKQ``.

    Returns:
        The canonical name, and whether the side named first in ``text`` is named last in it.

    Raises:
        EndingError: The text is not an ending.
    """
    letters = text.strip().upper().replace("V", "")
    if not letters or set(letters) - set("K" + LETTERS):
        raise EndingError(
            _("{text} is not an ending").format(text=quoted(text)), _("write one like KQvKR, with K Q R B N P")
        )
    if letters[0] != "K" or letters.count("K") != 2:
        raise EndingError(
            _("{text} is not an ending").format(text=quoted(text)), _("each side has one king, written first: KQvKR")
        )
    white, black = letters[1:].split("K")
    name, swapped = _name(white, black)
    if name == "KvK":
        raise EndingError(_("KvK has no table"), _("two bare kings are always a draw"))
    return name, swapped


class Man(NamedTuple):
    """A kind of pieces of one colour, e.g. ``Man(chess.ROOK, chess.BLACK)``."""

    kind: chess.PieceType
    color: chess.Color


@cache
def men(ending: str) -> tuple[Man, ...]:
    """Return the men without kings, in the order of the name; ``chess.WHITE`` is the side named first."""
    return tuple(
        Man(chess.PIECE_SYMBOLS.index(letter.lower()), color)
        for color, side in zip(chess.COLORS, _sides(ending), strict=True)
        for letter in side
    )


def men_count(ending: str) -> int:
    """Return the number of men, kings included."""
    return len(ending) - 1


def has_pawns(ending: str) -> bool:
    """Return whether there are pawns."""
    return "P" in ending


def _side_words(side: str) -> str:
    words = [
        _WORDS[letter] if side.count(letter) == 1 else f"{_COUNTS[side.count(letter)]} {_PLURALS[letter]}"
        for letter in dict.fromkeys(side)
    ]
    if not words:
        return _("king")
    return and_list(words)


@cache
def title(ending: str) -> str:
    """Return the ending in words, e.g. "Queen against rook"."""
    white, black = (_side_words(side) for side in _sides(ending))
    if _sides(ending)[1]:
        words = _("{white} against {black}").format(white=white, black=black)
    else:
        words = _("{white} against king").format(white=white)
    if ending == "KBNvK":
        words = _("bishop and knight mate")
    return words[0].upper() + words[1:]


def longest_moves(ending: str) -> int | None:
    """Return the longest known win in moves before the table is built; None if unknown."""
    return _LONGEST.get(ending)


def piece_word(kind: chess.PieceType) -> str:
    """Return the name of a kind of piece in the language in use: ``rook``."""
    return _(chess.piece_name(kind))
