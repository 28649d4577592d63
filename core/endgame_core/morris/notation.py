"""Morris notation: parse and format moves (``a7-d7xb4``, ``d6``) and positions (line of text, key, nested state).

The line has three rings, the outer one first, of eight points each, clockwise from the top left: ``O`` for White,
``X`` for Black and a number for a run of empty points. Then comes the side to move, ``w`` or ``b``, and the stones in
hand unless both hands are empty::

    OXO1O1XX/8/8 w
    8/8/8 w 9-9
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any, cast

from endgame_core.errors import EndgameError, EndingError, PositionError
from endgame_core.language import _
from endgame_core.morris import rules
from endgame_core.morris.geometry import ALL, NUMBERS, POINTS, image, point, points_of
from endgame_core.morris.rules import BLACK, FEWEST, STONES, WHITE, MorrisMove, Position
from endgame_core.untrusted import quoted, read_json

NAMES = (_("White"), _("Black"))
_SIGNS = ".OX"
_EXAMPLE = _("write one like OXO1O1XX/8/8 w")
_POINT = "[a-z][0-9]"
_TYPED = re.compile(rf"({_POINT})(?:[-–]?({_POINT}))?((?:[x:×]{_POINT})*)")
_NESTED = _(
    "write [[in hand 1, in hand 2], [ring, ring, ring]]; a ring has eight points: 0 for empty, 1 and 2 for the players"
)


def _cells(position: Position) -> list[int]:
    """Return 0 for each empty point, 1 for a white stone, 2 for a black one."""
    return [(position.white >> number & 1) + 2 * (position.black >> number & 1) for number in range(24)]


def _position(cells: list[int], turn: int, hands: tuple[int, int]) -> Position:
    """Return the position of 24 cells; the inverse of :func:`_cells`."""
    white = sum(1 << number for number, cell in enumerate(cells) if cell == 1)
    black = sum(1 << number for number, cell in enumerate(cells) if cell == 2)
    return Position(white, black, turn, hands)


def check(position: Position) -> None:
    """Raise PositionError, with the reason, if the position cannot occur."""
    for player in (WHITE, BLACK):
        number = rules.total(position, player)
        if number > STONES:
            raise PositionError(
                _("{names} has {number} stones").format(names=NAMES[player], number=number),
                _("each player has at most {stones} stones, including those in hand").format(stones=STONES),
            )
    waiting = 1 - position.turn
    if rules.total(position, waiting) < FEWEST:
        raise PositionError(
            _("{names} has fewer than three stones, so the game is already over").format(names=NAMES[waiting]),
            _("add stones, or change the side to move"),
        )


def line(position: Position) -> str:
    """Return the position as a line of text."""
    cells = _cells(position)
    rings = [_ring_text(cells[start : start + 8]) for start in (0, 8, 16)]
    hands = ""
    if any(position.hands):
        hands = f" {position.hands[WHITE]}-{position.hands[BLACK]}"
    return f"{'/'.join(rings)} {'wb'[position.turn]}{hands}"


def _ring_text(cells: list[int]) -> str:
    """Format the eight cells of a ring, with a number for each run of empty points."""
    result = ""
    for sign, run in groupby(_SIGNS[cell] for cell in cells):
        length = len(list(run))
        result += str(length) if sign == "." else sign * length
    return result


def parse_line(text: str) -> Position:
    """Parse a line of text; the side to move (White) and the hands (empty) are optional. Raises PositionError."""
    fields = text.replace("_", " ").split()
    if not 1 <= len(fields) <= 3 or fields[0].count("/") != 2:
        raise PositionError(
            _("{text} is not a position").format(text=quoted(text.strip())),
            _("a position has three rings; {example}").format(example=_EXAMPLE),
        )
    fields += ["w", "0-0"][len(fields) - 1 :]
    cells: list[int] = []
    for ring, name in zip(fields[0].split("/"), _RINGS, strict=True):
        cells += _ring_cells(ring, name)
    if fields[1] not in ("w", "b"):
        raise PositionError(
            _("the side to move {fields} is neither w nor b").format(fields=quoted(fields[1])), _EXAMPLE
        )
    hands = re.fullmatch(r"(\d{1,2})-(\d{1,2})", fields[2], re.ASCII)
    if hands is None:
        raise PositionError(
            _("the stones in hand {fields} cannot be read").format(fields=quoted(fields[2])),
            _("write the numbers for White and Black, e.g. 9-8"),
        )
    result = _position(cells, "wb".index(fields[1]), (int(hands[1]), int(hands[2])))
    check(result)
    return result


_RINGS = ("outer", "middle", "inner")


def _ring_cells(text: str, name: str) -> list[int]:
    """Parse the eight cells of a ring; raises PositionError."""
    unknown = next((sign for sign in text if sign not in "12345678" and sign.upper() not in _SIGNS), "")
    if unknown:
        raise PositionError(
            _("{unknown} in the {name} ring is not a stone").format(unknown=quoted(unknown), name=name),
            _("write O for White, X for Black, 1 to 8 for empty"),
        )
    signs = re.sub("[1-8]", lambda number: "." * int(number[0]), text.upper())
    if len(signs) != 8:
        raise PositionError(
            _("the {name} ring {text} has {signs} points").format(name=name, text=quoted(text), signs=len(signs)),
            _("a ring has eight points"),
        )
    return [_SIGNS.index(sign) for sign in signs]


def key(position: Position) -> int:
    """Return the position as a number: bit 0 is set for White to move; then 24 bits per mask and 4 per hand."""
    hands = position.hands[WHITE] | position.hands[BLACK] << 4
    return int(position.turn == WHITE) | position.white << 1 | position.black << 25 | hands << 49


def key_text(position: Position) -> str:
    """Return the key after the ending, e.g. ``4-3:1234``; raises EndingError while stones are in hand."""
    if any(position.hands):
        raise EndingError(
            _("there are still stones in hand"), _("keys exist only for positions in which all stones have been placed")
        )
    return f"{rules.count(position, WHITE)}-{rules.count(position, BLACK)}:{key(position)}"


def nested(position: Position) -> str:
    """Return the position as a nested list, followed by ``b`` if Black is to move."""
    cells = _cells(position)
    rings = [cells[start : start + 8] for start in (0, 8, 16)]
    suffix = " b" if position.turn == BLACK else ""
    return f"{[list(position.hands), rings]}{suffix}"


def from_key(value: int) -> Position:
    """Return the position of a key; raises PositionError."""
    white = value >> 1 & ALL
    black = value >> 25 & ALL
    hands = value >> 49
    if value < 0 or hands >> 8 or white & black:
        raise PositionError(
            _("{value} is not a key of a position").format(value=value),
            _("bit 0 is set if White is to move; then come 24 bits for each player"),
        )
    result = Position(white, black, BLACK - (value & 1), (hands & 15, hands >> 4))
    check(result)
    return result


def parse_nested(text: str) -> Position:
    """Parse a nested list, followed by ``b`` if Black is to move; raises PositionError."""
    # The last bracket ends the list; what follows is the side to move.
    state, __, turn = text.strip().rpartition("]")
    try:
        nested: Any = read_json(f"{state}]")
    except EndgameError:
        then = "write [[0, 0], [[...], [...], [...]]] w"
        raise PositionError(_("{text} is not a nested state").format(text=quoted(text.strip())), then) from None
    hands, rings = _list(nested, 2, _("is not a nested state"))
    rings = _list(rings, 3, _("are not three rings"))
    white, black = _numbers(hands, 2, 15)
    cells = [cell for ring in rings for cell in _numbers(ring, 8, 2)]
    result = _position(cells, int(turn.strip() == "b"), (white, black))
    check(result)
    return result


def _list(value: Any, length: int, problem: str) -> list[Any]:
    """Check that a JSON value is a list of a length; raises PositionError."""
    if not isinstance(value, list) or len(result := cast("list[Any]", value)) != length:
        raise PositionError(f"{str(value)[:60]} {problem}", _NESTED)
    return result


def _numbers(value: Any, length: int, maximum: int) -> list[int]:
    """Check that a JSON value is a list of integers from 0 to ``maximum``; raises PositionError."""
    problem = _("is not part of a nested state")
    result = _list(value, length, problem)
    if not all(type(n) is int and 0 <= n <= maximum for n in result):  # a bool is no number here
        raise PositionError(f"{str(value)[:60]} {problem}", _NESTED)
    return result


def spell(move: MorrisMove) -> str:
    """Return a move in notation, e.g. ``d6`` or ``a7-d7xb4``."""
    source = ""
    if move.source is not None:
        source = f"{POINTS[move.source]}-"
    captures = "".join(f"x{POINTS[captured]}" for captured in move.captured)
    return source + POINTS[move.end] + captures


def parse_move(position: Position, text: str) -> MorrisMove:
    """Parse a typed move; raises PositionError, with the reason, unless it is legal."""
    # As plain mode prints it: "d5 to b4, takes d6".
    from_words = re.sub(r",?\s*\b(?:takes|and)\b", "x", re.sub(r"\bto\b", "-", text.lower()))
    typed = _TYPED.fullmatch(re.sub(r"[\s!?+#]", "", from_words))
    if typed is None:
        raise PositionError(
            _("{text} cannot be read as a move").format(text=quoted(text.strip())),
            _("write one like a7-d7, a7-d7xb4 or d6"),
        )
    if typed[2]:
        source = typed[1]
        end = typed[2]
    else:
        source = None
        end = typed[1]
    captured = tuple(sorted({point(name) for name in re.findall(_POINT, typed[3])}))
    move = MorrisMove(None if source is None else point(source), point(end), captured)
    legal = rules.moves(position)
    if move in legal:
        return move
    reason, then = _why_not(position, move, legal)
    raise PositionError(
        _("{text} is not a legal move here: {reason}").format(text=quoted(text.strip()), reason=reason), then
    )


def _why_not(position: Position, move: MorrisMove, legal: list[MorrisMove]) -> tuple[str, str]:
    """Return the reason why a move is not legal, and a suggestion."""
    mover = NAMES[position.turn]
    if reason := rules.lost(position):
        return _("{mover} has lost because {reason}").format(mover=mover, reason=reason), ""
    same_step = [candidate for candidate in legal if (candidate.source, candidate.end) == (move.source, move.end)]
    if same_step:
        return _why_not_taken(position, move, same_step)
    if position.hands[position.turn]:
        if move.source is not None:
            return _("{mover} still has stones in hand").format(mover=mover), _("place one, e.g. d6")
    elif move.source is None:
        return _("{mover} has no stones in hand").format(mover=mover), _(
            "include the starting point, as in {spell}"
        ).format(spell=spell(legal[0]))
    elif not rules.mask_of(position, position.turn) >> move.source & 1:
        return _("{mover} has no stone on {points}").format(mover=mover, points=POINTS[move.source]), ""
    if not rules.empty_mask(position) >> move.end & 1:
        return _("{points} is occupied").format(points=POINTS[move.end]), ""
    return _("no line connects {points} and {points2}").format(
        points=POINTS[move.source or 0], points2=POINTS[move.end]
    ), _("only a player with three stones may fly")


def _why_not_taken(position: Position, move: MorrisMove, same_step: list[MorrisMove]) -> tuple[str, str]:
    """Return the reason why the captures of a move are not legal, given the legal moves with the same step."""
    options = ", ".join(spell(candidate) for candidate in same_step)
    if not same_step[0].captured:
        return _("it closes no mill, so you may not take a stone"), _("write {options}").format(options=options)
    if len(move.captured) != 1:
        return _("it closes a mill, so you must take a stone"), _("write one of these: {options}").format(
            options=options
        )
    theirs = rules.mask_of(position, 1 - position.turn)
    missing = [captured for captured in move.captured if not theirs >> captured & 1]
    if missing:
        return _("{names} has no stone on {points}").format(
            names=NAMES[1 - position.turn], points=POINTS[missing[0]]
        ), _("write one of these: {options}").format(options=options)
    # All other reasons are excluded by now.
    guarded = [captured for captured in move.captured if captured in points_of(rules.in_mills(theirs))]
    return _("{points} is in a mill").format(points=POINTS[guarded[0]]), _("choose a different one: {options}").format(
        options=options
    )


_TURNED_WORDS = re.compile(r"\b(?:[a-g][1-7]|White|Black|white|black)\b")
_OTHER = {"White": "Black", "Black": "White", "white": "black", "black": "white"}


def retold(text: str, told_of: Position, copy: Position) -> str:
    """Rewrite a text about a position for a symmetric copy of the position.

    Args:
        text: The text; names of points (``a7``) and colours are replaced.
        told_of: The position that the text describes.
        copy: A symmetric copy: rotated, mirrored, with rings or colours exchanged.

    Returns:
        The text for the copy; unchanged if ``copy`` is not a copy of the position.
    """
    for swapped in (False, True):
        start = rules.swapped(told_of) if swapped else told_of
        for symmetry in range(16):
            white = image(symmetry, start.white)
            black = image(symmetry, start.black)
            if (white, black, start.turn) == (copy.white, copy.black, copy.turn):
                return _renamed(text, symmetry, swapped)
    return text


def _renamed(text: str, symmetry: int, swapped: bool) -> str:
    """Replace the points of a text by their images, and, if ``swapped``, exchange the colours."""

    def replacement(match: re.Match[str]) -> str:
        word = match[0]
        if word in NUMBERS:
            return POINTS[points_of(image(symmetry, 1 << NUMBERS[word]))[0]]
        if swapped:
            return _OTHER.get(word, word)
        return word

    return _TURNED_WORDS.sub(replacement, text)
