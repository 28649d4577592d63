"""The three clocks in one row: DTM, DTZ, and the plies since the last zeroing move; and what the 50-move rule says."""

from __future__ import annotations

from dataclasses import dataclass

from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas


@dataclass(frozen=True, slots=True)
class ClocksView:
    """What the row shows.

    Attributes:
        dtm: Plies to mate, as printed; empty when nothing is to be told.
        dtz: Plies to the next zeroing move that keeps the result.
        clock: Plies since the last one.
        metric: Of which of them the layers are: ``dtm`` or ``dtz``; empty for neither.
        mark: The category in a character or two.
        words: The category in words.
        role: Role of its colour.
        key: A key, when there is something to be done.
        does: What it does, in ever fewer words.
    """

    dtm: str = ""
    dtz: str = ""
    clock: str = ""
    metric: str = ""
    mark: str = ""
    words: str = ""
    role: str = "text"
    key: str = ""
    does: tuple[str, ...] = ()


class ClocksRow(Canvas):
    """The three clocks."""

    view: reactive[ClocksView] = reactive(ClocksView(), repaint=False)
    """What to show."""

    def draw(self) -> list[Strip]:
        """Numbers left, the one of the layers in amber; right the category, in words where they fit, or the key."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        row = self.row()
        if not view.clock:
            return [row.strip(width)]
        between = f" {glyphs.middle} " if width >= 36 else " "
        parts = [("DTM", view.dtm), ("DTZ", view.dtz), ("clock", view.clock)]
        for number, (label, value) in enumerate((label, value) for label, value in parts if value):
            row.put(between if number else "", pen("faint"))
            on = label.lower() == view.metric
            row.put(label, pen("amber", bold=True, underline=True) if on else pen("dim"))
            row.put(f" {glyphs.plain(value)}", pen("text", bold=on))
        mark = glyphs.plain(view.mark)
        if view.key:
            if mark:
                row.put(f" {mark}", pen(view.role, bold=True))
            room = width - row.width - (1 if mark else 2)
            does = next((does for does in view.does if len(view.key) + len(does) + 1 <= room), "")
            row.to(width - len(view.key) - len(does) - 1)
            row.put(view.key, pen("text", bold=True)).put(f" {does}", pen("dim"))
            return [row.strip(width)]
        full = f"{mark} {view.words}"
        row.right(full if len(full) <= width - row.width - 2 else mark, pen(view.role, bold=True), width)
        return [row.strip(width)]
