"""Diagrams of Nine Men's Morris as SVG."""

from __future__ import annotations

from endgame_core.game import PictureView
from endgame_core.language import _
from endgame_core.morris.geometry import LINES, POINTS
from endgame_core.morris.rules import BLACK, WHITE, MorrisMove, Position, stones

_MARGIN = 80
"""Units from the edge of the picture to the outer ring; the points are 100 units apart."""

_SIDE = 600 + 2 * _MARGIN
_GROUND = "#f4ecd8"
_LINE = "#5a4a32"


def picture(position: Position, view: PictureView[MorrisMove]) -> str:
    """Draw a board as an SVG document; the numbers of stones in hand are printed above it."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE}" width="{view.size}" '
        f'height="{view.size}">',
        f'<rect width="{_SIDE}" height="{_SIDE}" fill="{_GROUND}"/>',
    ]
    for first, __, last in LINES:
        (x1, y1), (x2, y2) = _centre(first, view.flipped), _centre(last, view.flipped)
        parts.append(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{_LINE}" stroke-width="4"/>')
    for point in range(len(POINTS)):
        x, y = _centre(point, view.flipped)
        parts.append(f'<circle cx="{x}" cy="{y}" r="9" fill="{view.fills.get(point, _LINE)}"/>')
    for player, fill in ((WHITE, "#ffffff"), (BLACK, "#1a1a1a")):
        for point in stones(position, player):
            x, y = _centre(point, view.flipped)
            parts.append(f'<circle cx="{x}" cy="{y}" r="32" fill="{fill}" stroke="#000000" stroke-width="3"/>')
            if point in view.fills:
                parts.append(f'<circle cx="{x}" cy="{y}" r="14" fill="{view.fills[point]}"/>')
    for move in view.moves:
        parts += _arrow(move, view)
    parts += _names(view.flipped)
    if any(position.hands):
        white, black = position.hands
        parts.append(
            _text(_SIDE / 2, 26, _("in hand: White {white}, Black {black}").format(white=white, black=black), 22)
        )
    return "".join([*parts, "</svg>"])


def _centre(point: int, flipped: bool) -> tuple[int, int]:
    """The centre of a point in units; rank 7 is at the top unless the board is flipped."""
    name = POINTS[point]
    column = ord(name[0]) - ord("a")
    row = 7 - int(name[1])
    if flipped:
        column = 6 - column
        row = 6 - row
    return _MARGIN + 100 * column, _MARGIN + 100 * row


def _arrow(move: MorrisMove, view: PictureView[MorrisMove]) -> list[str]:
    """A line with a head, or a ring where a stone is placed; crosses on the stones that are taken."""
    x2, y2 = _centre(move.end, view.flipped)
    stroke = f'stroke="{view.arrow_colour}" stroke-width="14" stroke-opacity="0.8"'
    parts: list[str] = []
    if move.source is None:
        parts.append(f'<circle cx="{x2}" cy="{y2}" r="40" fill="none" {stroke}/>')
    else:
        x1, y1 = _centre(move.source, view.flipped)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        dx = (x2 - x1) / length
        dy = (y2 - y1) / length
        base_x = x2 - 40 * dx
        base_y = y2 - 40 * dy
        head = f"{x2},{y2} {base_x - 24 * dy},{base_y + 24 * dx} {base_x + 24 * dy},{base_y - 24 * dx}"
        parts.append(f'<line x1="{x1}" y1="{y1}" x2="{base_x}" y2="{base_y}" {stroke}/>')
        parts.append(f'<polygon points="{head}" fill="{view.arrow_colour}" fill-opacity="0.8"/>')
    for point in move.captured:
        x, y = _centre(point, view.flipped)
        for slope in (-1, 1):
            ends = f'x1="{x - 24}" y1="{y - 24 * slope}" x2="{x + 24}" y2="{y + 24 * slope}"'
            parts.append(f'<line {ends} stroke="#b3352b" stroke-width="10"/>')
    return parts


def _names(flipped: bool) -> list[str]:
    """The names of the files below and of the ranks at the left."""
    result: list[str] = []
    for place in range(7):
        file = "abcdefg"[6 - place if flipped else place]
        rank = str(place + 1 if flipped else 7 - place)
        result.append(_text(_MARGIN + 100 * place, _SIDE - 14, file, 22))
        result.append(_text(18, _MARGIN + 100 * place + 7, rank, 22))
    return result


def _text(x: float, y: float, text: str, size: int) -> str:
    anchor = 'text-anchor="middle" font-family="sans-serif"'
    return f'<text x="{x}" y="{y}" font-size="{size}" {anchor} fill="{_LINE}">{text}</text>'
