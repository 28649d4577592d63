"""Pictures of the chess pieces, for terminals with the graphics protocol of kitty and its placeholder characters.

The terminal gets a picture once for each piece and size of a square. From then on, a cell with the placeholder
character shows a part of it: two diacritics name the row and the column of that part, and the text colour is the number
of the picture. The squares shine through, since the pictures are transparent around the pieces.

Inside the app such a cell is a single character of a private area, so that a row can be cropped anywhere. What is sent
to the terminal has the placeholder and its diacritics instead: see :data:`PLACEHOLDERS`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from typing import Final

from endgame_core.language import _

_PLACEHOLDER: Final = "\U0010eeee"

_DIACRITICS: Final = "\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357"
"""The marks that stand for 0 to 15, as the protocol has them."""

_FIRST_CELL: Final = 0xF0000
"""The character of the cell in row 0 and column 0 of a picture; that in row r and column c comes 16 r + c later."""

_SIDE: Final = len(_DIACRITICS)
"""The most rows or columns of a picture."""

PLACEHOLDERS: Final[Mapping[int, str]] = {
    _FIRST_CELL + _SIDE * row + column: _PLACEHOLDER + _DIACRITICS[row] + _DIACRITICS[column]
    for row in range(_SIDE)
    for column in range(_SIDE)
}
"""The table for ``str.translate`` that replaces the cells of a picture before they are sent."""

_FIRST_NUMBER: Final = 0x454701
"""The number of the first picture. No colour of a palette has its channels (69, 71, …), so it is sent in full."""

_CHUNK: Final = 4096
"""The most characters of a picture in one escape sequence."""


@cache
def _encoded_pictures() -> Mapping[str, str]:
    """The PNG pictures in base64 by ``w`` or ``b`` and the letter of the piece, such as ``wK``."""
    return json.loads((resources.files("endgame_tui") / "piece_pictures.json").read_text("utf-8"))


def picture_rows(columns: int, rows: int) -> list[str]:
    """The cells of a picture of some size, row by row."""
    return ["".join(chr(_FIRST_CELL + _SIDE * row + column) for column in range(columns)) for row in range(rows)]


class PiecePictures:
    """The pictures that a terminal has.

    Args:
        write: Sends text to the terminal.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._numbers: dict[tuple[str, int, int], int] = {}

    def colour(self, piece: str, columns: int, rows: int) -> str:
        """The text colour with which cells show a picture; it is sent if the terminal does not have it yet.

        Args:
            piece: ``w`` or ``b`` and the letter of the piece.
            columns: Columns of a square.
            rows: Rows of a square.
        """
        key = (piece, columns, rows)
        if key not in self._numbers:
            # The same piece at another size is another picture: the terminal scales it when it receives it.
            self._numbers[key] = _FIRST_NUMBER + len(self._numbers)
            self._send(key)
        return f"#{self._numbers[key]:06x}"

    def send_again(self) -> None:
        """Send all pictures again, after the terminal has deleted them."""
        for key in self._numbers:
            self._send(key)

    def delete(self) -> None:
        """Have the terminal delete the pictures and free their memory."""
        # Only our own numbers: other programs may have pictures in this terminal. Capital I frees the data, too.
        self._write("".join(f"\x1b_Ga=d,d=I,i={number},q=2\x1b\\" for number in self._numbers.values()))

    def _send(self, key: tuple[str, int, int]) -> None:
        """Send a picture and the size in cells to which the terminal scales it, without asking for an answer (q=2)."""
        piece, columns, rows = key
        number = self._numbers[key]
        data = _encoded_pictures()[piece]
        # a=T: send and display, U=1: only where placeholders are, f=100: PNG.
        control = f"a=T,U=1,f=100,i={number},c={columns},r={rows},q=2,"
        for start in range(0, len(data), _CHUNK):
            # The first chunk has all parameters; m=1 announces further ones.
            has_more = start + _CHUNK < len(data)
            self._write(f"\x1b_G{control}m={int(has_more)};{data[start : start + _CHUNK]}\x1b\\")
            control = "q=2,"


def terminal_obstacle(terminal: Mapping[str, str]) -> str:
    """Why a terminal shows no pictures, as a clause; empty if it does.

    The protocol has a question for this, but not for the placeholders: other terminals say yes and cannot draw them.

    Args:
        terminal: The environment variables.
    """
    name = terminal.get("TERM", "")
    program = terminal.get("TERM_PROGRAM", "").lower()
    # First, because tmux passes on the variables of the terminal in which it was started.
    if "TMUX" in terminal or name.startswith(("tmux", "screen")):
        return _("tmux and screen do not pass them on")
    is_known = name in ("xterm-kitty", "xterm-ghostty") or program == "ghostty" or "KITTY_WINDOW_ID" in terminal
    if is_known:
        return ""
    return _("only the terminals kitty and Ghostty can draw them")
