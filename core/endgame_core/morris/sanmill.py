"""Positions and games as the program Sanmill copies them.

A position has three rings, the *inner* one first, of eight points each, clockwise from the middle of the top side:
``O`` for White, ``@`` for Black, ``*`` for an empty point. Then come the side to move, the phase, the action, and how
many stones each player has on the board and in hand: White's before Black's, in old versions the other way round::

    ********/********/******** w p p 0 9 0 9 0 0 ...

The action ``r`` says that the mover has just closed a mill and takes a stone next. To this program that is one move, so
there is no such position.
"""

from __future__ import annotations

import re

from endgame_core.errors import PositionError
from endgame_core.language import _
from endgame_core.morris import notation, rules
from endgame_core.morris.rules import BLACK, STONES, WHITE, Position
from endgame_core.morris.spelling import is_move_list, tags_of, without_tags
from endgame_core.untrusted import quoted

_FEN = re.compile(r"([O@*X]{8})/([O@*X]{8})/([O@*X]{8})((?:\s+\S+){3,})")
_EMPTY = "*"
_SIGNS = "*O@"
_TOKEN = re.compile(r"[a-gx][\w:-]*")


def parse(text: str) -> Position | None:
    """Return the position of a text of Sanmill's; None if it is none.

    Args:
        text: A position, a PGN tag with one, or a game, whose last position counts.

    Raises:
        PositionError: The position cannot occur here, or a move is illegal.
    """
    tags = tags_of(text)
    if is_move_list(text):
        start = Position(0, 0, WHITE, (STONES, STONES))
        return _after_moves(_parse_start(tags["fen"]) if tags.get("fen") else start, without_tags(text))
    text = tags.get("fen", text).strip()
    fen = _FEN.fullmatch(text)
    if fen is None:
        return None
    return _parse_fen(fen)


def _parse_start(text: str) -> Position:
    """Return the start of a game, in Sanmill's notation or in ours; raises PositionError."""
    fen = _FEN.fullmatch(text.strip())
    if fen is None:
        return notation.parse_line(text)
    return _parse_fen(fen)


def _parse_fen(fen: re.Match[str]) -> Position:
    rings = fen.group(1, 2, 3)
    turn, _phase, action, *numbers = fen[4].split()
    if any("X" in ring for ring in rings):
        raise PositionError(
            _("X marks blocked points, which only a different variant has"),
            _("choose a position without blocked points"),
        )
    if turn not in ("w", "b"):
        raise PositionError(
            _("the side to move {fields} is neither w nor b").format(fields=quoted(turn)), _("copy the position again")
        )
    if action == "r":
        raise PositionError(_("a stone must still be taken in this position"), _("copy the position after the capture"))

    white = black = 0
    for ring, signs in enumerate(reversed(rings)):  # our rings are numbered from the outer one
        for place, sign in enumerate(signs):
            point = 8 * ring + (place + 1) % 8  # ours begin at the top left corner
            if sign != _EMPTY:
                white |= (sign == "O") << point
                black |= (sign == "@") << point

    hands = _hands(numbers, white.bit_count(), black.bit_count())
    position = Position(white, black, WHITE if turn == "w" else BLACK, hands)
    notation.check(position)
    return position


def _hands(numbers: list[str], white: int, black: int) -> tuple[int, int]:
    """Return the stones in hand; the stones on the board determine whose numbers come first."""
    counts = [int(number) for number in numbers[:4] if number.isdecimal() and len(number) < 3]
    if len(counts) < 4:
        raise PositionError(_("the number of stones in hand is missing"), _("copy the position again"))
    first_on_board, first_hand, second_on_board, second_hand = counts
    if (first_on_board, second_on_board) == (white, black):
        return first_hand, second_hand
    if (first_on_board, second_on_board) == (black, white):
        return second_hand, first_hand
    raise PositionError(
        _(
            "{white} white and {black} black stones are on the board, but the numbers that follow are {first} and"
            " {second}"
        ).format(white=white, black=black, first=first_on_board, second=second_on_board),
        _("copy the position again"),
    )


def _after_moves(position: Position, text: str) -> Position:
    """Return the position after a list of moves; a stone taken may follow its move as a word of its own, ``xa1``."""
    words: list[str] = []
    for word in _TOKEN.findall(re.sub(r"\d+\.+", " ", text)):
        if word.startswith("x") and words:
            words[-1] += word
        else:
            words.append(word)
    for word in words:
        position = rules.play(position, notation.parse_move(position, word))
    return position
