"""The frame around every screen: where am I, what is being built or was said, which keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from textual.binding import Binding
from textual.dom import DOMNode
from textual.events import Click
from textual.geometry import Size

from endgame_core.tasks.builds import Job
from endgame_core.words.tables import in_work, reached
from endgame_core.words.text_model import Message, TextRow, duration
from endgame_tui.look import Glyphs
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import said, shortened, write

SCREENS: Final = (
    ("explore", "Explore", "Expl"), ("library", "Library", "Lib"), ("play", "Play", "Play"),
    ("practise", "Practise", "Prac"), ("progress", "Progress", "Prog"),
)  # fmt: skip
"""Mode, name and short name of each screen, in the order of their digits."""

_SHOWN: Final = {
    "full_stop": ".", "left_square_bracket": "[", "right_square_bracket": "]", "colon": ":",
    "slash": "/", "equals_sign": "=", "plus": "+", "question_mark": "?", "enter": "Enter", "escape": "Esc",
    "space": "Space",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn",
    "delete": "Del", "backspace": "Bksp", "home": "Home", "end": "End", "ctrl+p": "Ctrl+P", "ctrl+z": "Ctrl+Z",
    "f1": "F1", "tab": "Tab", "shift+tab": "Shift+Tab", "less_than_sign": "<", "greater_than_sign": ">",
}  # fmt: skip
"""Keys whose names are not what is printed on them."""

_ARROWS: Final = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}
"""Arrows in words, for terminals that cannot print them."""

NORMAL, WIDE = 60, 100
"""Columns from which keys of the second and of the third rank are named."""

HUGE = 140
"""Columns from which panels stand across, and what is still too wide is centred."""


@dataclass(frozen=True)
class Key(Binding):
    """A key, told in this one place: what it does here, in help, in the last row and among all actions by name.

    Attributes:
        short: What it is called in the last row; behind a bar, on wide screens. Empty where it is not named there.
        rank: How much it matters there: 1 on all screens, 2 on normal ones, 3 on wide ones.
        words: Other descriptions, by game.
        shorts: Other short names, by game.
        games: The games in which it means something; empty for all.
        typing: Whether it opens a prompt: at an open question it means no, and what is typed next goes into the prompt.
    """

    show: bool = False
    short: str = ""
    rank: int = 2
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    shorts: Mapping[str, str] = field(default_factory=dict[str, str])
    games: tuple[str, ...] = ()
    typing: bool = False

    def told(self, game: str) -> str:
        """What it does."""
        return self.words.get(game, self.description)

    def means(self, game: str) -> bool:
        """Whether it means something in a game."""
        return not self.games or game in self.games

    def label(self, game: str) -> str:
        """What it is called in the last row."""
        return self.shorts.get(game, self.short)


def keys_of(owner: type[Any]) -> Iterator[Key]:
    """The keys a class declares, one for each action, its own before those of its bases, which they may replace."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    replaced: set[str] = set()
    for cls in owner.__mro__:
        keys = [key for key in cls.__dict__.get("BINDINGS", ()) if isinstance(key, Key)]
        for key in keys:
            if (key.action, key.games) not in seen and key.key not in replaced:
                seen.add((key.action, key.games))
                yield key
        replaced.update(key.key for key in keys)
        if not cls.__dict__.get("_inherit_bindings", True):
            return


def tell_keys(node: DOMNode, game: str) -> None:
    """Has the keys of a screen or widget described as in a game; those of other games are taken away."""
    told = {key.id: key for key in keys_of(type(node))}
    named: dict[str, list[Binding]] = {}
    for name, bindings in type(node)._merge_bindings().key_to_bindings.items():  # pyright: ignore[reportPrivateUsage]
        for binding in bindings:
            key = told.get(binding.id)
            if key is None or key.means(game):
                named.setdefault(name, []).append(replace(binding, description=key.told(game)) if key else binding)
    node._bindings.key_to_bindings = named  # pyright: ignore[reportPrivateUsage]


def key_names(binding: Binding) -> str:
    """The keys of a binding as printed on them."""
    names = [_SHOWN.get(key, key) for key in binding.key.split(",")]
    return " ".join(dict.fromkeys(name.lower() if name.lower() in names else name for name in names))


def plain_keys(names: str, glyphs: Glyphs) -> str:
    """Names of keys as this terminal can print them."""
    if not glyphs.unicode:
        names = names.replace("↑ ↓ ← →", "arrows")
        for arrow, word in _ARROWS.items():
            names = names.replace(arrow, word)
    return glyphs.plain(names)


@dataclass(frozen=True, slots=True)
class Offer:
    """A key of the last row: its names, what it is called there, its rank, and what a click on each name presses."""

    keys: str
    label: str
    rank: int = 1
    pressed: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        """Columns it takes, with a gap behind it."""
        return len(self.keys) + len(self.label) + 3


def offers(keys: Iterable[tuple[Key, str]]) -> list[Offer]:
    """Keys and their labels for the last row; those that do the same thing are told together, and a key once."""
    result: dict[str, Offer] = {}
    for key, label in keys:
        name, offer, pressed = key_names(key).partition(" ")[0], result.get(label), key.key.partition(",")[0]
        if offer is None:
            result[label] = Offer(name, label, key.rank, (pressed,))
        elif name not in offer.keys.split():
            rank = min(key.rank, offer.rank)
            result[label] = Offer(f"{offer.keys} {name}", label, rank, (*offer.pressed, pressed))
    return list(result.values())


_HELP: Final = Offer("?", "help", pressed=("question_mark",))
"""Always at the right end."""


class KeyBar(Canvas):
    """The last row: the keys that matter here, as many as fit, help at the right end.

    Args:
        offered: Tells what may be named now.
    """

    def __init__(self, offered: Callable[[], Sequence[Offer]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._offered = offered

    def on_click(self, event: Click) -> None:
        """Presses the key under the mouse; on what it is called there the last one named before."""
        if key := self.item_at(event.x, event.y):
            self.app.simulate_key(key)

    def on_mount(self) -> None:
        """Names other keys whenever others matter: with another focus, and when the screen says so."""
        self.screen.bindings_updated_signal.subscribe(self, self._renew)

    def _renew(self, _screen: object) -> None:
        self.redraw()

    def _fitting(self) -> list[Offer]:
        """The keys that fit; those that matter less go first, the last of them before others."""
        width = self.size.width
        rank = 3 if width >= WIDE else 2 if width >= NORMAL else 1
        keys = [offer for offer in self._offered() if offer.rank <= rank]
        while keys and sum(offer.length for offer in keys) + _HELP.length > width:
            least = max(offer.rank for offer in keys)
            keys.pop(max(number for number, offer in enumerate(keys) if offer.rank == least))
        return keys

    def draw(self) -> list[CanvasRow]:
        """One row on the bar's ground."""
        row = self.row("bar").to(1)
        for offer in self._fitting():
            row.put("  " if row.width > 1 else "")
            for number, (name, pressed) in enumerate(zip(offer.keys.split(), offer.pressed, strict=True)):
                row.item(pressed).put(" " * (number > 0) + plain_keys(name, self.look.glyphs), bold=True)
            row.put(f" {offer.label}", "dim")
        row.item(None).to(self.size.width - _HELP.length + 1).item(_HELP.pressed[0])
        return [row.put(_HELP.keys, bold=True).put(f" {_HELP.label}", "dim")]


_LEAST = 8
"""Columns below which nothing of a part of the breadcrumb is shown."""


class TopBar(Canvas):
    """The first row: breadcrumb and screens.

    Args:
        screen: Mode of the screen this row belongs to.
        leads: Tells the key that leads to a part of the breadcrumb, by the first part and its number; or none.
    """

    def __init__(self, screen: str, leads: Callable[[str, int], str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._screen, self._leads = screen, leads
        self._crumbs: tuple[str, ...] = ()
        self._right = ("", "text")

    def show(self, *crumbs: str, right: tuple[str, str] = ("", "text")) -> None:
        """Shows where we are, and words with their role for the right end on the smallest screens."""
        self._crumbs, self._right = crumbs, right
        self.redraw()

    def _names(self) -> list[tuple[str, int, str]]:
        """Mode, digit and name as shown, by width."""
        width = self.size.width
        if width < NORMAL:
            return []
        return [
            (mode, digit, name if width >= WIDE or mode == self._screen else short)
            for digit, (mode, name, short) in enumerate(SCREENS, start=1)
        ]

    def on_click(self, event: Click) -> None:
        """Chooses the screen under the mouse, or presses the key that leads to a part of the breadcrumb."""
        result = self.item_at(event.x, event.y)
        if isinstance(result, str):
            self.call_later(self.app.run_action, f"screen('{result}')")
        elif result is not None and (key := self._leads(self._crumbs[0], result)):
            self.app.simulate_key(key)

    def draw(self) -> list[CanvasRow]:
        """One row on the bar's ground."""
        width, row, names, (text, role) = self.size.width, self.row("bar").to(1), self._names(), self._right
        length = sum(len(name) + 4 for _, _, name in names) if names else len(self.look.glyphs.plain(text)) + 1
        self._put_crumbs(row, width - length - 1)
        row.item(None)
        if not names:
            return [row.right(text, width - 1, role, bold=True) if text else row]
        row.to(width - length)
        for number, (mode, digit, name) in enumerate(names):
            active = mode == self._screen
            row.put("  " if number else "").item(mode)
            if active and not self.look.palette.coloured:
                row.put(f"{digit} {name}", bold=True, underline=True)
                continue
            row.put(str(digit), "amber" if active else "faint", bold=active).put(" ")
            row.put(name, "amber" if active else "dim", bold=active, underline=active)
        return [row]

    def _put_crumbs(self, row: CanvasRow, end: int) -> None:
        """Writes the breadcrumb; when too long it loses who wins, of how many, its first parts, never its last.

        Of two parts the first is cut, unless little of it would be left.
        """
        glyphs, small = self.look.glyphs, self.size.width < NORMAL
        between = " " if small else f" {glyphs.pointer} "
        crumbs = [(number, glyphs.plain(crumb)) for number, crumb in enumerate(self._crumbs)]

        def too_long() -> bool:
            return 1 + len(between.join(crumb for _, crumb in crumbs)) > end

        if small and len(crumbs) > 3:
            del crumbs[1]
        if small and crumbs and too_long():
            number, last = crumbs.pop()
            crumbs.append((number, last.partition("/")[0]))
        while len(crumbs) > 2 and too_long():
            del crumbs[1 if len(crumbs) > 3 else 0]
        if len(crumbs) == 2 and too_long():
            (number, first), (_, last) = crumbs
            room = end - 1 - len(between) - len(last)
            crumbs[:1] = [(number, shortened(first, room, glyphs.more))] if room >= _LEAST else []
        for place, (number, crumb) in enumerate(crumbs):
            row.item(number).put(between if place else "", "faint").put(crumb, bold=not number)


class BuildStrip(Canvas):
    """The row above the keys: one sentence, in more rows where it is long, or the build under way; else it is gone."""

    kept = False
    """Whether the row is kept free where nothing is in it, so that nothing moves when something is said."""
    quiet = False
    """Whether the build is shown elsewhere on the screen: then only the key that cancels it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._words, self._role = "", "text"
        self._job: Job | None = None
        self._others = ""
        self.display = False

    @property
    def words(self) -> str:
        """The sentence."""
        return self._words

    def say(self, words: str, role: str = "text") -> None:
        """Shows a sentence, until the next thing happens; the empty one gives the row back to the build."""
        self._words, self._role = words[:1].upper() + words[1:], role
        self._shown()

    def follow(self, job: Job | None, others: str = "") -> None:
        """Shows how a build gets on; where there is none, what other programs build in the same directory."""
        self._job, self._others = job, others
        self._shown()

    def _shown(self) -> None:
        self.display = self.kept or bool(self._words or self._others) or self._job is not None
        self.redraw()

    def _said(self, height: int) -> list[TextRow]:
        """The sentence, as wide as the screen."""
        return said(Message("", self._words), Size(self.app.size.width, height), self.look.glyphs)

    def high(self, size: Size) -> int:
        """As many rows as the sentence needs."""
        return len(self._said(size.height))

    def draw(self) -> list[CanvasRow]:
        """Fixed columns: only bar, layer and time change."""
        width, row = self.size.width, self.row().to(1)
        if self._words:
            return [
                write(self.row(), note, width, lambda _: row.style(self._role)) for note in self._said(self.size.height)
            ]
        if self._job is None:
            return [row.put(self.look.glyphs.pointer, "dim").to(3).put(self._others, "dim") if self._others else row]
        if not self.quiet:
            self._put_job(row, self._job)
        return [row.right("x cancel", width - 1, "dim")]

    def _put_job(self, row: CanvasRow, job: Job) -> None:
        """Ending, layer, bar, part done, time left: what there is room for."""
        glyphs, width, name, at = self.look.glyphs, self.size.width, in_work(job), reached(job)
        row.put(glyphs.pointer, "amber").to(3).put(name, bold=True)
        if width >= NORMAL or len(name + at) < width - 20:
            row.put(f" {at}")
        if job.share is None:
            return
        if width >= NORMAL:
            bar = 14 if width < WIDE else 30
            done = round(bar * job.share)
            row.to(max(30 if width >= 80 else 21, row.width + 2))
            row.put(glyphs.bar * done).put(glyphs.thin * (bar - done), "faint")
        row.put(f" {round(100 * job.share):2d} %")
        left = "" if job.left is None else glyphs.plain(f"  {duration(job.left)} left")
        if row.width + len(left) < width - 11:
            row.put(left, "dim")
