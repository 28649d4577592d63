"""The frame around every screen: where am I, what is being built, which keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from textual.events import Click
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row

SCREENS = (
    ("explore", "Explore", "Expl"), ("library", "Library", "Lib"), ("play", "Play", "Play"),
    ("practise", "Practise", "Prac"), ("progress", "Progress", "Prog"),
)  # fmt: skip
"""Mode, name and short name of each screen, in the order of their digits."""


class TopBar(Canvas):
    """The first row: breadcrumb and screens.

    Args:
        screen: Mode of the screen this row belongs to.
    """

    crumbs: reactive[tuple[str, ...]] = reactive((), repaint=False)
    """Where we are, from the general to the special."""

    right: reactive[tuple[str, str]] = reactive(("", "text"), repaint=False)
    """Words for the right end on the smallest screens, and their role."""

    @dataclass
    class Chosen(Message):
        """A screen was chosen: its mode."""

        mode: str

    def __init__(self, screen: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._screen = screen

    def watch_crumbs(self) -> None:
        """Shows a new place."""
        self.redraw()

    def watch_right(self) -> None:
        """Shows new words."""
        self.redraw()

    def _names(self) -> list[tuple[str, int, str]]:
        """Mode, digit and name as shown, by width."""
        width = self.size.width
        if width < 60:
            return []
        return [
            (mode, digit, name if width >= 100 or mode == self._screen else short)
            for digit, (mode, name, short) in enumerate(SCREENS, start=1)
        ]

    def on_click(self, event: Click) -> None:
        """Chooses the screen under the mouse."""
        x = self._tabs_start()
        for mode, _, name in self._names():
            if x <= event.x < x + len(name) + 2:
                self.post_message(self.Chosen(mode))
            x += len(name) + 4

    def _tabs_start(self) -> int:
        names = self._names()
        length = sum(len(name) + 4 for _, _, name in names) - 2
        return self.size.width - 2 - length if names else self.size.width

    def draw(self) -> list[Strip]:
        """One row on the bar's ground."""
        pen, width = self.look.palette, self.size.width
        row = self.row("bar").to(1)
        names = self._names()
        text, role = self.right
        end = self._tabs_start() - 1 if names else width - len(text) - 2
        self._put_crumbs(row, end)
        if not names:
            row.right(text, pen(role, "bar", bold=True), width - 1)
            return [row.strip(width)]
        row.to(self._tabs_start())
        for number, (mode, digit, name) in enumerate(names):
            active = mode == self._screen
            if number:
                row.put("  ", pen("text", "bar"))
            if active and not pen.coloured:
                row.put(f"{digit} {name}", pen("text", "bar", bold=True, underline=True))
                continue
            row.put(str(digit), pen("amber" if active else "faint", "bar", bold=active))
            row.put(" ", pen("text", "bar"))
            role = "amber" if active else "dim"
            row.put(name, pen(role, "bar", bold=active, underline=active))
        return [row.strip(width)]

    def _put_crumbs(self, row: Row, end: int) -> None:
        """Writes the breadcrumb; when too long it loses who wins, of how many, its first parts, never its last."""
        pen, glyphs = self.look.palette, self.look.glyphs
        small = self.size.width < 60
        between = " " if small else f" {glyphs.pointer} "
        crumbs = list(self.crumbs)
        if small and len(crumbs) > 3:
            crumbs = [crumbs[0], *crumbs[2:]]
        if small and 1 + len(between.join(crumbs)) > end:
            crumbs[-1:] = [crumb.partition("/")[0] for crumb in crumbs[-1:]]
        while len(crumbs) > 1 and 1 + len(between.join(crumbs)) > end:
            crumbs.pop(1 if len(crumbs) > 3 else 0)
        for number, crumb in enumerate(crumbs):
            if number:
                row.put(between, pen("faint", "bar"))
            first = crumb == self.crumbs[0]
            row.put(crumb, pen("text", "bar", bold=first))


Key = tuple[str, str]
"""A key as printed, and what it does."""


_ARROWS: Final = str.maketrans({"↑": "up", "↓": "down", "←": "left", "→": "right", "‹": "<", "›": ">"})
"""Arrows in words, for terminals that cannot print them."""

HELP: Final[Key] = ("?", "help")
"""Always at the right end."""


def _length(keys: Sequence[Key]) -> int:
    """Columns the keys take."""
    return sum(len(key) + len(does) + 3 for key, does in keys)


class KeyBar(Canvas):
    """The last row: the keys of this screen, as many as fit, help at the right end.

    Args:
        wide: All that is worth naming.
        normal: The most important ones.
        small: What must not be missing.
    """

    def __init__(
        self,
        wide: Sequence[Key],
        normal: Sequence[Key],
        small: Sequence[Key],
        *,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._sets = (tuple(wide), tuple(normal), tuple(small))

    def offer(self, wide: Sequence[Key], normal: Sequence[Key], small: Sequence[Key]) -> None:
        """Names other keys from now on."""
        self._sets = (tuple(wide), tuple(normal), tuple(small))
        self.redraw()

    def draw(self) -> list[Strip]:
        """One row on the bar's ground."""
        pen, width = self.look.palette, self.size.width
        keys = next((keys for keys in self._sets if _length(keys) + 8 <= width), self._sets[-1])
        row = self.row("bar").to(1)
        key, label = HELP
        end = width - len(key) - len(label) - 2
        for number, (name, does) in enumerate(keys):
            length = len(name) + 1 + len(does) + (2 if number else 0)
            if row.width + length + 2 > end:
                break
            row.put("  " if number else "", pen("text", "bar"))
            shown = name if self.look.glyphs.unicode else name.translate(_ARROWS)
            row.put(shown, pen("text", "bar", bold=True)).put(f" {does}", pen("dim", "bar"))
        row.to(end).put(key, pen("text", "bar", bold=True)).put(f" {label}", pen("dim", "bar"))
        return [row.strip(width)]


@dataclass(frozen=True, slots=True)
class JobView:
    """What the strip above the keys says.

    Attributes:
        ending: Ending being built; empty when only words are shown.
        layer: Layer reached, such as ``White S93``, or the stage.
        share: Part done, 0 to 1; None when unknown.
        left: Time left in words.
        words: A sentence instead of a job.
        role: Role of the sentence's colour.
        quiet: The build is shown elsewhere on the screen: only the key that cancels it.
    """

    ending: str = ""
    layer: str = ""
    share: float | None = None
    left: str = ""
    words: str = ""
    role: str = "text"
    quiet: bool = False


class JobStrip(Canvas):
    """The row above the keys: the build under way, or one sentence."""

    view: reactive[JobView] = reactive(JobView(), repaint=False)
    """What to show."""

    is_used = False
    """Whether the row is on the screen."""

    def draw(self) -> list[Strip]:
        """Fixed columns: only bar, layer and time change."""
        pen, glyphs, width, view = self.look.palette, self.look.glyphs, self.size.width, self.view
        row = self.row().to(1)
        if view.words or not view.ending:
            text = view.words
            if len(text) > width - 2:
                text = text[: width - 2 - len(glyphs.more)].rpartition(" ")[0] + glyphs.more
            return [row.put(text, pen(view.role)).strip(width)]
        if view.quiet:
            return [row.right("x cancel", pen("dim"), width - 1).strip(width)]
        row.put(glyphs.pointer, pen("amber")).to(3).put(view.ending, pen("text", bold=True))
        if width >= 60 or len(view.ending + view.layer) < width - 20:
            row.put(f" {view.layer}", pen("text"))
        bar = 14 if width < 100 else 30
        if view.share is not None and width >= 60:
            row.to(max(30 if width >= 80 else 21, row.width + 2))
            done = round(bar * view.share)
            row.put(glyphs.bar * done, pen("text")).put(glyphs.thin * (bar - done), pen("faint"))
        if view.share is not None:
            row.put(f" {round(100 * view.share):2d} %", pen("text"))
        if row.width + 2 + len(view.left) < width - 11:
            row.put(f"  {view.left}", pen("dim"))
        return [row.right("x cancel", pen("dim"), width - 1).strip(width)]
