"""A sheet of studies to print: six diagrams a page, then the solutions; each page is an SVG document of A4.

Units are tenths of a millimetre.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

from endgame_core.errors import EndgameError
from endgame_core.game import PictureView
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.language import _
from endgame_core.practice.studies import Study, judged, record_of
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import numbered
from endgame_core.words.practice import study_goal
from endgame_core.words.text_model import to_move

PAGE: Final = (2100, 2970)
_MARGIN = 150
_COLUMNS = 2
_ROWS = 3
_BOARD = 700
_CELL = (900, 900)

_TEXT = 38
"""Height of the text of the solutions."""

_LINE = 52
_CHARACTER = 0.56
"""Mean width of a character in heights, somewhat large, because fonts differ."""

_LINE_PLIES = 60
"""Plies of best play in a solution at most."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A study on a sheet.

    Attributes:
        study: The study.
        goal: The task in words.
        board: The picture of its position, an SVG document.
        solution: What the solution says, paragraph by paragraph.
    """

    study: Study
    goal: str
    board: str
    solution: tuple[str, ...]


def diagram_of(study: Study, judge: Judge[Any, Any]) -> Diagram:
    """Look everything up that a sheet says of a study; without a table it has no line of best play."""
    game = judge.game
    position = game.parse(study.position)
    with suppress(EndgameError):  # without a table it says what it states itself
        study = judged(judge.explorer, study)
    view: PictureView[Any] = PictureView(flipped=study.side == "black", size=_BOARD)
    mover = to_move(game.mover(position)).removeprefix("○ ").removeprefix("● ")
    goal = f"{mover}. {study_goal(study, speech_of(game.name))}."
    return Diagram(study, goal, game.picture(position, view), tuple(_solution(study, position, judge)))


def _solution(study: Study, position: Any, judge: Judge[Any, Any]) -> Iterator[str]:
    if study.note:
        yield study.note
    line = judge.line(position, _LINE_PLIES, DEPTH_UNDER_RULE)
    if line.moves:
        first = 1
        if judge.game.mover(position) == "white":
            first = 0
        more = "" if line.is_over else " …"
        yield f"{numbered(line.sans, first)}{more}"
    elif study.best:
        yield _("Key moves: {best}").format(best=", ".join(study.best))
    if study.remark:
        yield study.remark


def pages(title: str, diagrams: Sequence[Diagram]) -> list[str]:
    """Lay out the sheet; each page is an SVG document."""
    per_page = _COLUMNS * _ROWS
    chunks = [list(enumerate(diagrams))[n : n + per_page] for n in range(0, len(diagrams), per_page)]
    bodies = [_diagram_page(chunk) for chunk in chunks]
    bodies += _solution_pages(diagrams)
    return [_page(title, number, len(bodies), body) for number, body in enumerate(bodies, 1)]


def html(title: str, diagrams: Sequence[Diagram]) -> str:
    """Return the sheet as an HTML document that prints one page per sheet of paper."""
    style = (
        "body{margin:0;background:#ddd}"
        "svg.page{display:block;margin:1em auto;background:#fff;width:210mm;height:297mm}"
        "@page{size:A4;margin:0}"
        "@media print{body{background:none}svg.page{margin:0;break-after:page}}"
    )
    body = "\n".join(page.replace("<svg ", '<svg class="page" ', 1) for page in pages(title, diagrams))
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{style}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _page(title: str, number: int, count: int, body: Iterable[str]) -> str:
    width, height = PAGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {width} {height}" width="{width / 10}mm" height="{height / 10}mm" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(_MARGIN, 140, title, 60, bold=True),
        _text(width - _MARGIN, 140, _("{number} of {count}").format(number=number, count=count), 40, anchor="end"),
    ]
    return "".join([*parts, *body, "</svg>"])


def _diagram_page(numbered_diagrams: Iterable[tuple[int, Diagram]]) -> list[str]:
    parts: list[str] = []
    for place, (index, diagram) in enumerate(numbered_diagrams):
        x = _MARGIN + place % _COLUMNS * _CELL[0]
        y = 220 + place // _COLUMNS * _CELL[1]
        parts.append(_fitted(x, y + 40, f"{index + 1}. {diagram.study.name}", 40, bold=True))
        parts.append(_embedded(diagram.board, x, y + 60))
        parts.append(_fitted(x, y + _BOARD + 110, diagram.goal, 36))
    return parts


def _fitted(x: int, y: int, text: str, size: int, *, bold: bool = False) -> str:
    """Text in one line of a cell, smaller if it is long."""
    return _text(x, y, text, min(size, round((_CELL[0] - 40) / (_CHARACTER * max(len(text), 1)))), bold=bold)


def _embedded(svg: str, x: int, y: int) -> str:
    """An SVG document as a part of another one: at a place, with the size of a board."""
    inner = re.sub(r"^(?:<\?xml.*?\?>)?\s*<svg\b", "<svg", svg, count=1)
    head, __, rest = inner.partition(">")
    # The attributes of the outer drawing replace its own size; viewBox scales the content.
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    return f'{head} x="{x}" y="{y}" width="{_BOARD}" height="{_BOARD}">{rest}'


def _solution_pages(diagrams: Sequence[Diagram]) -> list[list[str]]:
    """The solutions in one column, on as many pages as they need."""
    room = int((PAGE[0] - 2 * _MARGIN) / (_TEXT * _CHARACTER))
    result: list[list[str]] = [[_text(_MARGIN, 240, _("Solutions"), 48, bold=True)]]
    y = 320
    for number, diagram in enumerate(diagrams, 1):
        rows = [line for paragraph in diagram.solution for line in wrap(paragraph, room)]
        # A title stays with its first three lines; only longer solutions are continued on the next page.
        if y + _LINE * min(len(rows) + 1, 4) > PAGE[1] - _MARGIN:
            result.append([])
            y = 240
        result[-1].append(_text(_MARGIN, y, f"{number}. {diagram.study.name}", _TEXT, bold=True))
        y += _LINE
        for row in rows:
            if y > PAGE[1] - _MARGIN:
                result.append([])
                y = 240
            result[-1].append(_text(_MARGIN, y, row, _TEXT))
            y += _LINE
        y += _LINE // 2
    return result


def _text(x: int, y: int, text: str, size: int, *, bold: bool = False, anchor: str = "start") -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'


FORMATS: Final = ("epd", "html", "pdf")
"""The formats of an exported set: lines of positions, or a sheet."""


def format_of(file: Path) -> str:
    """Return the format of a file name; ``epd`` by default."""
    suffix = file.suffix.lower().removeprefix(".")
    if suffix in FORMATS:
        return suffix
    return FORMATS[0]


def exported(
    name: str,
    studies: Sequence[Study],
    judge: Judge[Any, Any],
    format_: str,
    report: Callable[[float], object] = lambda share: None,
) -> bytes:
    """Return studies as the content of a file.

    Args:
        name: The name of their set.
        studies: The studies.
        judge: The judge of their game.
        format_: One of :data:`FORMATS`.
        report: Called with the share that is done, 0 to 1; its exceptions propagate.

    Raises:
        EndgameError: The packages for PDF are missing.
    """
    game = judge.game
    if format_ == "epd":
        to_line = game.file_notation.write_line
        return "".join(f"{to_line(record_of(study, game))}\n" for study in studies).encode()

    diagrams: list[Diagram] = []
    for number, study in enumerate(studies):
        report(number / len(studies))
        diagrams.append(diagram_of(study, judge))
    if format_ == "html":
        return html(name, diagrams).encode()
    from endgame_core.tasks.pictures import pdf_of

    return pdf_of(pages(name, diagrams))
