"""Probing as a library: exact values of single boards, and of many positions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import chess

from endgame_core.chess import material, notation
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndingError, PositionError
from endgame_core.language import _
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.untrusted import quoted
from endgame_core.values import Category, Verdict, value_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from endgame_core.tables.file import Table


_SIGNS = {Category.WIN: 1, Category.DRAW: 0, Category.LOSS: -1}


@dataclass(frozen=True, slots=True)
class Values:
    """The result of :meth:`Prober.probe_many`, for each position's side to move.

    Attributes:
        result: int8 array: 1 for a win, 0 for a draw, -1 for a loss.
        depth: int16 array: plies to the end under best play, 0 for a draw.
    """

    result: NDArray[np.int8]
    depth: NDArray[np.int16]


class Prober:
    """Probes the tables of one library.

    All tables may be open at once: they are read frame by frame, and decompressed frames are cached within one budget.
    Thread-safe.

    Args:
        library: The tables; those of the user's data directory by default.
    """

    def __init__(self, library: Library | None = None) -> None:
        self.library = library or Library(CHESS)
        self._explorer = Explorer(CHESS, self.library)

    def probe(self, board: chess.Board | str) -> Verdict:
        """Return the verdict of a board, or of a position in any notation.

        Raises:
            PositionError: The text cannot be read, or the position is illegal.
            NotBuiltError: Its ending is not built.
            EndingError: It has more than six men.
        """
        if isinstance(board, str):
            board = CHESS.parse(board)
        else:
            notation.check(board)  # an illegal position has a slot too, but its content is undefined
        return self._explorer.probe(board)

    def probe_many(self, positions: NDArray[np.uint64] | Sequence[str], ending: str | None = None) -> Values:
        """Return the values of many positions at once.

        Args:
            positions: Position keys as a uint64 array of shape (n,), all of one ending; or FENs.
            ending: The ending of the keys, White's men first, e.g. ``KQvKR`` or ``KvKQ``.

        Returns:
            Two arrays of shape (n,).

        Raises:
            PositionError: A position is illegal; the message says which.
            NotBuiltError: An ending is not built.
            EndingError: Keys without an ending, or more than six men.
        """
        import numpy as np

        if isinstance(positions, np.ndarray):
            if ending is None:
                raise EndingError(_("keys require an ending"), _("pass one, e.g. ending='KQvKR'"))
            if positions.ndim != 1 or positions.dtype.kind not in "iu":
                raise PositionError(
                    _("keys must be a one-dimensional array of integers"), _("pass a uint64 array of shape (n,)")
                )
            codes = self._codes_of_keys(positions.astype(np.uint64), ending)
        else:
            boards = [_parsed(number, text) for number, text in enumerate(positions)]
            codes = np.array([self.library.code(board) for board in boards], np.uint16)
        distinct, inverse = np.unique(codes, return_inverse=True)
        values = [value_of(code) for code in distinct.tolist()]
        result = np.array([_SIGNS[category] for category, __ in values], np.int8)
        return Values(result[inverse], np.array([depth or 0 for __, depth in values], np.int16)[inverse])

    def _codes_of_keys(self, keys: NDArray[np.uint64], ending: str) -> NDArray[np.uint16]:
        from endgame_core.chess import arrays

        __, swapped = material.parse_material(ending)
        name = CHESS.canonical_name(ending)
        table = self.library.table(name)
        sides, slots = arrays.canonical_slots(name, keys, swapped)
        if (slots < 0).any():
            at = int((slots < 0).argmax())
            raise PositionError(
                _("key {keys} (number {at}) is not a legal position of {ending}").format(
                    keys=int(keys[at]), at=at, ending=ending
                ),
                _("leave it out"),
            )
        return codes_at(table, sides, slots)


def codes_at(table: Table, sides: NDArray[np.int64], slots: NDArray[np.int64]) -> NDArray[np.uint16]:
    """Return the codes of canonical slots of a table, for both sides to move."""
    import numpy as np

    codes = np.zeros(len(slots), np.uint16)
    for side in range(2):
        chosen = np.flatnonzero(sides == side)
        codes[chosen] = table.codes(side, slots[chosen])
    return codes


def _parsed(number: int, text: str) -> chess.Board:
    try:
        if isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- somebody's list of keys
            return CHESS.parse(text)
        raise PositionError(_("it is not text"), _("pass a uint64 array of keys, or FENs"))
    except PositionError as error:
        raise PositionError(
            _("position {number}, {text}: {reason}").format(number=number, text=quoted(text), reason=error.what),
            error.then,
        ) from None
