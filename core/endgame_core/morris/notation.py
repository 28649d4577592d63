"""Notation: moves (``a7-d7xb4``, ``d6``), a line of text for a position, its key, and a plain nested state, each way.

The line has three rings, outer one first, eight points each, clockwise from the top left, ``O`` for White, ``X`` for
Black and a number for so many empty points; then ``w`` or ``b`` to move; then the stones in hand, left out when nobody
has any::

    OXO1O1XX/8/8 w
    8/8/8 w 9-9
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any, cast

from endgame_core.errors import EndgameError, EndingError, PositionError
from endgame_core.morris import rules
from endgame_core.morris.geometry import ALL, NUMBERS, POINTS, image, point, points_of
from endgame_core.morris.rules import BLACK, FEWEST, STONES, WHITE, MorrisMove, Position
from endgame_core.untrusted import quoted, read_json

NAMES = ("White", "Black")
_SIGNS = ".OX"
_EXAMPLE = "write one like OXO1O1XX/8/8 w"
_POINT = "[a-z][0-9]"
_TYPED = re.compile(rf"({_POINT})(?:[-–]?({_POINT}))?((?:[x:×]{_POINT})*)")
_NESTED = "write [[hand of 1, hand of 2], [ring, ring, ring]], eight points each, 0 empty, 1 and 2 the players"


def _cells(position: Position) -> list[int]:
    """0, 1 or 2 for each point: empty, White, Black."""
    return [(position.white >> at & 1) + 2 * (position.black >> at & 1) for at in range(24)]


def _position(cells: list[int], turn: int, hands: tuple[int, int]) -> Position:
    white, black = (sum(1 << at for at, cell in enumerate(cells) if cell == player) for player in (1, 2))
    return Position(white, black, turn, hands)


def check(position: Position) -> None:
    """Raises PositionError, with the reason, for a position that cannot occur."""
    for player in (WHITE, BLACK):
        if (number := rules.total(position, player)) > STONES:
            raise PositionError(
                f"{NAMES[player]} has {number} stones", f"each player has {STONES}, those in hand included"
            )
    waiting = 1 - position.turn
    if rules.total(position, waiting) < FEWEST:
        raise PositionError(
            f"{NAMES[waiting]} has fewer than three stones, so the game was over before",
            "add stones, or let the other side be to move",
        )


def line(position: Position) -> str:
    """The position as a line of text."""
    cells = _cells(position)
    rings = [
        "".join(
            str(len(list(run))) if sign == "." else "".join(run)
            for sign, run in groupby(_SIGNS[cell] for cell in cells[start : start + 8])
        )
        for start in (0, 8, 16)
    ]
    hands = f" {position.hands[WHITE]}-{position.hands[BLACK]}" if any(position.hands) else ""
    return f"{'/'.join(rings)} {'wb'[position.turn]}{hands}"


def parse_line(text: str) -> Position:
    """Reads a line of text; raises PositionError."""
    fields = text.replace("_", " ").split()
    if not 1 <= len(fields) <= 3 or fields[0].count("/") != 2:
        raise PositionError(f"{quoted(text.strip())} is no position", f"it has three rings; {_EXAMPLE}")
    fields += ["w", "0-0"][len(fields) - 1 :]
    cells = [cell for ring, name in zip(fields[0].split("/"), _RINGS, strict=True) for cell in _ring(ring, name)]
    if fields[1] not in ("w", "b"):
        raise PositionError(f"the side to move {quoted(fields[1])} is neither w nor b", _EXAMPLE)
    hands = re.fullmatch(r"(\d{1,2})-(\d{1,2})", fields[2], re.ASCII)
    if hands is None:
        raise PositionError(
            f"the stones in hand {quoted(fields[2])} cannot be read", "write White's and Black's, such as 9-8"
        )
    result = _position(cells, "wb".index(fields[1]), (int(hands[1]), int(hands[2])))
    check(result)
    return result


_RINGS = ("outer", "middle", "inner")


def _ring(text: str, name: str) -> list[int]:
    """The eight points of a ring."""
    if bad := next((sign for sign in text if sign not in "12345678" and sign.upper() not in _SIGNS), ""):
        raise PositionError(
            f"{quoted(bad)} in the {name} ring is no stone", "write O for White, X for Black, 1 to 8 for empty"
        )
    signs = re.sub("[1-8]", lambda number: "." * int(number[0]), text.upper())
    if len(signs) != 8:
        raise PositionError(f"the {name} ring {quoted(text)} has {len(signs)} points", "a ring has eight")
    return [_SIGNS.index(sign) for sign in signs]


def key(position: Position) -> int:
    """The position as a number: bit 0 is White to move, then 24 bits for each player's stones, 4 for each hand."""
    hands = position.hands[WHITE] | position.hands[BLACK] << 4
    return int(position.turn == WHITE) | position.white << 1 | position.black << 25 | hands << 49


def key_text(position: Position) -> str:
    """The key behind the numbers of stones, such as ``4-3:1234``; raises EndingError with stones in hand."""
    if any(position.hands):
        raise EndingError("stones are still in hand", "keys begin when all are placed")
    return f"{rules.count(position, WHITE)}-{rules.count(position, BLACK)}:{key(position)}"


def nested(position: Position) -> str:
    """The nested state, ``b`` behind it where Black is to move."""
    cells = _cells(position)
    rings = [cells[start : start + 8] for start in (0, 8, 16)]
    return f"{[list(position.hands), rings]}{' b' if position.turn == BLACK else ''}"


def from_key(value: int) -> Position:
    """The position of a key; raises PositionError."""
    white, black, hands = value >> 1 & ALL, value >> 25 & ALL, value >> 49
    if value < 0 or hands >> 8 or white & black:
        raise PositionError(f"{value} is no key of a position", "bit 0 is White to move, then 24 bits for each player")
    result = Position(white, black, BLACK - (value & 1), (hands & 15, hands >> 4))
    check(result)
    return result


def parse_nested(text: str) -> Position:
    """Reads a nested state, ``b`` behind it where Black is to move; raises PositionError."""
    state, _, turn = text.strip().rpartition("]")
    try:
        nested: Any = read_json(f"{state}]")
    except EndgameError:
        then = "write [[0, 0], [[...], [...], [...]]] w"
        raise PositionError(f"{quoted(text.strip())} is no nested state", then) from None
    hands, rings = _list(nested, 2, "is no nested state")
    rings = _list(rings, 3, "are not three rings")
    white, black = _numbers(hands, 2, 15)
    result = _position(
        [cell for ring in rings for cell in _numbers(ring, 8, 2)], int(turn.strip() == "b"), (white, black)
    )
    check(result)
    return result


def _list(value: Any, length: int, wrong: str) -> list[Any]:
    if not isinstance(value, list) or len(result := cast("list[Any]", value)) != length:
        raise PositionError(f"{str(value)[:60]} {wrong}", _NESTED)
    return result


def _numbers(value: Any, length: int, most: int) -> list[int]:
    wrong = "is no part of a nested state"
    result = _list(value, length, wrong)
    if not all(type(n) is int and 0 <= n <= most for n in result):
        raise PositionError(f"{str(value)[:60]} {wrong}", _NESTED)
    return result


def spell(move: MorrisMove) -> str:
    """A move as people write it."""
    start = "" if move.source is None else f"{POINTS[move.source]}-"
    return start + POINTS[move.end] + "".join(f"x{POINTS[taken]}" for taken in move.taken)


def parse_move(position: Position, text: str) -> MorrisMove:
    """Reads a typed move; raises PositionError, with the reason, unless it is legal."""
    typed = _TYPED.fullmatch(re.sub(r"[\s!?+#]", "", text.lower()))
    if typed is None:
        raise PositionError(f"{quoted(text.strip())} cannot be read as a move", "write one like a7-d7, a7-d7xb4 or d6")
    first, second = point(typed[1]), point(typed[2]) if typed[2] else None
    taken = tuple(sorted({point(name) for name in re.findall(_POINT, typed[3])}))
    move = MorrisMove(None, first, taken) if second is None else MorrisMove(first, second, taken)
    legal = rules.moves(position)
    if move in legal:
        return move
    reason, then = _why_not(position, move, legal)
    raise PositionError(f"{quoted(text.strip())} is no legal move here: {reason}", then)


def _why_not(position: Position, move: MorrisMove, legal: list[MorrisMove]) -> tuple[str, str]:
    """Why a move is not legal, and what to do."""
    mover, other = NAMES[position.turn], NAMES[1 - position.turn]
    if reason := rules.lost(position):
        return f"{mover} has lost, because {reason}", ""
    same = [known for known in legal if (known.source, known.end) == (move.source, move.end)]
    if same:
        return _why_not_taken(position, move, same, other)
    if position.hands[position.turn]:
        if move.source is not None:
            return f"{mover} still has stones in hand", "place one, such as d6"
    elif move.source is None:
        return f"{mover} has no stones in hand", f"say where from, such as {spell(legal[0])}"
    elif not rules.mask_of(position, position.turn) >> move.source & 1:
        return f"no stone of {mover}'s stands on {POINTS[move.source]}", ""
    if not rules.empty_mask(position) >> move.end & 1:
        return f"{POINTS[move.end]} is taken", ""
    return f"no line joins {POINTS[move.source or 0]} and {POINTS[move.end]}", "only three stones fly"


def _why_not_taken(position: Position, move: MorrisMove, same: list[MorrisMove], other: str) -> tuple[str, str]:
    """Why a step is right but what it takes is not."""
    options = ", ".join(spell(known) for known in same)
    if not same[0].taken:
        return "it closes no mill, so nothing may be taken", f"write {options}"
    if len(move.taken) != 1:
        return "it closes a mill, so a stone is taken", f"say which: {options}"
    theirs = rules.mask_of(position, 1 - position.turn)
    if missing := [taken for taken in move.taken if not theirs >> taken & 1]:
        return f"no stone of {other}'s stands on {POINTS[missing[0]]}", f"say which: {options}"
    guarded = [taken for taken in move.taken if taken in points_of(rules.in_mills(theirs))]
    return f"{POINTS[guarded[0]]} is in a mill", f"say another: {options}"


_TOLD = re.compile(r"\b(?:[a-g][1-7]|White|Black|white|black)\b")
_OTHER = {"White": "Black", "Black": "White", "white": "black", "black": "white"}


def retold(text: str, told_of: Position, copy: Position) -> str:
    """A text about one position, with the points and sides of a symmetric copy of it.

    Args:
        text: The words; names of points (``a7``) and colours are changed.
        told_of: The position that the words are about.
        copy: A copy of it: turned, mirrored, its rings or its colours exchanged.

    Returns:
        The text for the copy; as it is if that is no copy of the position.
    """
    for swapped in (False, True):
        start = rules.swapped(told_of) if swapped else told_of
        for turn in range(16):
            if (image(turn, start.white), image(turn, start.black), start.turn) == (copy.white, copy.black, copy.turn):
                return _renamed(text, turn, swapped)
    return text


def _renamed(text: str, turn: int, swapped: bool) -> str:
    """A text with its points turned, and its sides exchanged."""

    def other(found: re.Match[str]) -> str:
        word = found[0]
        if word in NUMBERS:
            return POINTS[points_of(image(turn, 1 << NUMBERS[word]))[0]]
        return _OTHER.get(word, word) if swapped else word

    return _TOLD.sub(other, text)
