"""The frame around every screen: the breadcrumb above, the build and messages below, the keys in the last row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from textual.events import Click
from textual.geometry import Size

from endgame_core.controls import control
from endgame_core.language import _
from endgame_core.tasks.builds import Job
from endgame_core.words.tables import in_work, reached
from endgame_core.words.text_model import Message, TextRow, duration
from endgame_tui.keys import Key, key_names
from endgame_tui.look import Glyphs
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import message_rows, truncate, write
from endgame_tui.widths import MEDIUM, WIDE

MAIN_SCREENS: Final = (
    ("explore", _("Explore"), _("Expl")), ("library", _("Library"), _("Lib")), ("play", _("Play"), _("Play")),
    ("practise", _("Practise"), _("Prac")), ("progress", _("Progress"), _("Prog")),
)  # fmt: skip
"""Mode, name and short name of each screen, in the order of their keys."""

_ARROWS: Final = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}
"""The names of arrow keys on terminals that cannot print arrows."""


def plain_keys(names: str, glyphs: Glyphs) -> str:
    """Names of keys in characters that the terminal can print."""
    if not glyphs.unicode:
        # All four together have a word of their own: their names would take a quarter of the row.
        names = names.replace("↑ ↓ ← →", "arrows")
        for arrow, word in _ARROWS.items():
            names = names.replace(arrow, word)
    return glyphs.plain(names)


@dataclass(frozen=True, slots=True)
class FooterKey:
    """An entry of the last row.

    Attributes:
        keys: The names of its keys, separated by blanks.
        label: What they do.
        rank: See :class:`~endgame_tui.keys.Key`; 0 for help, which is always at the right end.
        pressed: For each name, Textual's name of the key that a click on it presses.
    """

    keys: str
    label: str
    rank: int = 1
    pressed: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        """Columns that it takes, including the gap after it."""
        return len(self.keys) + len(self.label) + 3


def footer_keys(keys: Iterable[tuple[Key, str]]) -> list[FooterKey]:
    """The entries of the last row for keys and their labels; keys of the same label share an entry."""
    result: dict[str, FooterKey] = {}
    for key, label in keys:
        # An action may have several keys: the row names the first one, and a click presses it.
        name = key_names(key).partition(" ")[0]
        pressed = key.key.partition(",")[0]
        entry = result.get(label)
        if entry is None:
            result[label] = FooterKey(name, label, key.rank, (pressed,))
        # The same label for another key: both are shown before it, as for Left and Right.
        elif name not in entry.keys.split():
            rank = min(key.rank, entry.rank)
            result[label] = FooterKey(f"{entry.keys} {name}", label, rank, (*entry.pressed, pressed))
    return list(result.values())


class KeyBar(Canvas):
    """The last row: the most important keys of the moment, as many as fit, and help at the right end.

    Textual's ``Footer`` shows all keys in the order of their bindings, cut off at the right end; it knows no ranks.

    Args:
        available_keys: Returns the entries that may be shown now, with the one for help, which has the rank 0.
    """

    def __init__(self, available_keys: Callable[[], Sequence[FooterKey]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._available_keys = available_keys

    def on_click(self, event: Click) -> None:
        """Press the key under the mouse; on a label the last key before it."""
        key = self.item_at(event.x, event.y)
        if key:
            self.app.simulate_key(key)

    def on_mount(self) -> None:
        """Redraw whenever other bindings are active: with another focus, and when the screen says so."""
        self.screen.bindings_updated_signal.subscribe(self, self._on_bindings_updated)

    def _on_bindings_updated(self, _screen: object) -> None:
        self.redraw()

    def _fitting_keys(self) -> list[FooterKey]:
        """The entries that fit, help last: those of the highest rank number are left out first, from the last on."""
        width = self.size.width
        if width >= WIDE:
            rank = 3
        elif width >= MEDIUM:
            rank = 2
        else:
            rank = 1
        keys = [key for key in self._available_keys() if key.rank <= rank]
        # Sorting is stable: help (True) goes to the end, the others keep their order.
        keys.sort(key=lambda key: key.rank == 0)
        while len(keys) > 1 and sum(map(self._width_of, keys)) > width:
            least_important = max(key.rank for key in keys)
            # Of several least important ones, the last is dropped.
            keys.pop(max(number for number, key in enumerate(keys) if key.rank == least_important))
        return keys

    def _width_of(self, key: FooterKey) -> int:
        """Columns of an entry; in ASCII, words such as Left stand for arrows."""
        # ``length`` counts the names with arrows.
        return key.length + len(plain_keys(key.keys, self.look.glyphs)) - len(key.keys)

    def draw(self) -> list[CanvasRow]:
        """One row with the background of the bars."""
        row = self.row("bar").pad_to(1)
        # Help has rank 0, so it is never left out and always comes last.
        *entries, help_entry = self._fitting_keys()
        for entry in entries:
            is_first = row.width == 1
            if not is_first:
                row.put("  ")
            for number, (name, pressed) in enumerate(zip(entry.keys.split(), entry.pressed, strict=True)):
                gap = " " if number else ""
                # No item ends here: the label that follows belongs to the last key, and a click on it presses that.
                row.item(pressed).put(gap + plain_keys(name, self.look.glyphs), bold=True)
            row.put(f" {entry.label}", "dim")

        # The length of an entry includes a gap of two columns; one remains at the right end.
        row.item(None).pad_to(self.size.width - self._width_of(help_entry) + 1).item(help_entry.pressed[0])
        help_name = plain_keys(help_entry.keys, self.look.glyphs)
        return [row.put(help_name, bold=True).put(f" {help_entry.label}", "dim")]


_CRUMB_MIN_COLUMNS = 8
"""A part of the breadcrumb that would have to be cut to fewer columns is omitted."""


class TopBar(Canvas):
    """The first row: breadcrumb and screens.

    Args:
        screen: Mode of the screen to which this row belongs.
        key_of_crumb: Returns the key that leads to a part of the breadcrumb, given its first part and the number of the
            part; empty for none.
    """

    def __init__(self, screen: str, key_of_crumb: Callable[[str, int], str], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._screen = screen
        self._key_of_crumb = key_of_crumb
        self._crumbs: tuple[str, ...] = ()
        self._right = ("", "text")
        self._keeps_last = False

    def show(self, *crumbs: str, right: tuple[str, str] = ("", "text"), keeps_last: bool = False) -> None:
        """Show a breadcrumb.

        Args:
            crumbs: Its parts.
            right: A text with its role that replaces the names of the screens at the right end of small screens.
            keeps_last: Whether the keys of the screens make room for the last part on small screens.
        """
        self._crumbs = crumbs
        self._right = right
        self._keeps_last = keeps_last
        self.redraw()

    def _screen_names(self) -> list[tuple[str, str, str]]:
        """Mode, key and name of each screen; none on small screens. They stand at the same columns on every screen."""
        width = self.size.width
        if width < MEDIUM:
            return []
        glyphs = self.look.glyphs
        return [
            (
                mode,
                plain_keys(control(f"{mode}_screen"), glyphs),
                name if width >= WIDE else short,
            )
            for mode, name, short in MAIN_SCREENS
        ]

    def on_click(self, event: Click) -> None:
        """Switch to the screen under the mouse, or press the key that leads to a part of the breadcrumb."""
        target = self.item_at(event.x, event.y)
        if isinstance(target, str):
            self.call_later(self.app.run_action, f"screen('{target}')")
        elif target is not None:
            key = self._key_of_crumb(self._crumbs[0], target)
            if key:
                self.app.simulate_key(key)

    def draw(self) -> list[CanvasRow]:
        """One row with the background of the bars."""
        width = self.size.width
        row = self.row("bar").pad_to(1)
        names = self._screen_names()
        text, role = self._right
        length = sum(len(key) + len(name) + 3 for __, key, name in names)
        if not names:
            end = width - len(self.look.glyphs.plain(text)) - 2
            room = end - self._digits_length - 2
            # The digits of the screens yield to a last part that must not be lost, e.g. the 50-move counter.
            if self._keeps_last and 1 + len(self.look.glyphs.plain(" ".join(self._crumbs))) > room:
                self._put_crumbs(row, end)
            else:
                self._put_crumbs(row, room)
                self._put_digits(row.item(None), end)
            row.item(None)
            if text:
                row.put_right(text, width - 1, role, bold=True)
            return [row]

        self._put_crumbs(row, width - length - 1)
        row.item(None)

        row.pad_to(width - length)
        for number, (mode, key, name) in enumerate(names):
            # Without colours, bold and underlined text has to tell the active screen from the others.
            is_active = mode == self._screen
            row.put("  " if number else "").item(mode)
            if is_active and not self.look.palette.has_colours:
                row.put(f"{key} {name}", bold=True, underline=True)
                continue
            row.put(key, "amber" if is_active else "faint", bold=is_active).put(" ")
            row.put(name, "amber" if is_active else "dim", bold=is_active, underline=is_active)
        return [row]

    def _digits(self) -> list[tuple[str, str]]:
        """Mode and key of each screen."""
        return [(mode, plain_keys(control(f"{mode}_screen"), self.look.glyphs)) for mode, __, __ in MAIN_SCREENS]

    @property
    def _digits_length(self) -> int:
        return len(" ".join(key for __, key in self._digits()))

    def _put_digits(self, row: CanvasRow, end: int) -> None:
        """Write the keys of the screens before a column of a small screen."""
        row.pad_to(end - self._digits_length)
        for number, (mode, key) in enumerate(self._digits()):
            is_active = mode == self._screen
            row.put(" " if number else "").item(mode)
            is_underlined = is_active and not self.look.palette.has_colours
            row.put(key, "amber" if is_active else "faint", bold=is_active, underline=is_underlined).item(None)

    def _put_crumbs(self, row: CanvasRow, end: int) -> None:
        """Write the breadcrumb before a column.

        If it is too long, it loses the second of more than three parts and the number of layers on small screens, then
        its first parts, never the last one. Of two parts the first is cut, unless too little of it would be left. On
        small screens the number of the position is lost before the ending.
        """
        glyphs = self.look.glyphs
        is_small = self.size.width < MEDIUM
        separator = " "
        if not is_small:
            separator = f" {glyphs.pointer} "
        # A part keeps its number when others are left out: a click on it presses the key of that part.
        crumbs = [(number, glyphs.plain(crumb)) for number, crumb in enumerate(self._crumbs)]

        def is_too_long() -> bool:
            return 1 + len(separator.join(crumb for __, crumb in crumbs)) > end

        if is_small and len(crumbs) > 3:
            del crumbs[1]
        # Of "3/4,711", the position in its layer, the total goes first, then the whole part.
        if is_small and crumbs and is_too_long() and not self._keeps_last:
            number, last = crumbs.pop()
            crumbs.append((number, last.partition("/")[0]))
            if len(crumbs) > 2 and "/" in last and is_too_long():
                crumbs.pop()
        while len(crumbs) > 2 and is_too_long():
            least_important = 1 if len(crumbs) > 3 else 0
            del crumbs[least_important]
        if len(crumbs) == 2 and is_too_long():
            (number, first), (__, last) = crumbs
            room = end - 1 - len(separator) - len(last)
            if room >= _CRUMB_MIN_COLUMNS:
                crumbs[0] = number, truncate(first, room, glyphs.ellipsis)
            else:
                del crumbs[0]
        if len(crumbs) == 1 and is_too_long():
            number, last = crumbs[0]
            crumbs = [(number, truncate(last, max(end - 1, 1), glyphs.ellipsis))]

        for place, (number, crumb) in enumerate(crumbs):
            is_first = number == 0
            row.item(number).put(separator if place else "", "faint").put(crumb, bold=is_first)


class BuildStrip(Canvas):
    """The row above the keys: a sentence, in several rows if it is long, else the running build; otherwise hidden."""

    reserved = False
    """Whether the row stays if it is empty, so that nothing moves when a sentence is shown."""
    quiet = False
    """Whether the screen shows the build elsewhere: then the row has only the key that cancels it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._sentence = ""
        self._role = "text"
        self._job: Job | None = None
        self._other_builds = ""
        self.display = False

    @property
    def words(self) -> str:
        """The sentence."""
        return self._sentence

    def show_message(self, words: str, role: str = "text") -> None:
        """Show a sentence; an empty one makes room for the build again."""
        self._sentence = words[:1].upper() + words[1:]
        self._role = role
        self._update()

    def show_job(self, job: Job | None, others: str = "") -> None:
        """Show the progress of a build; without one, a text about builds of other programs in the same directory."""
        self._job = job
        self._other_builds = others
        self._update()

    def _update(self) -> None:
        is_empty = not self._sentence and not self._other_builds and self._job is None
        self.display = self.reserved or not is_empty
        self.redraw()

    def _sentence_rows(self, height: int) -> list[TextRow]:
        """The sentence, wrapped to the width of the screen."""
        # The width of the app: a widget that was never shown has no size yet.
        return message_rows(Message("", self._sentence), Size(self.app.size.width, height), self.look.glyphs)

    def content_rows(self, size: Size) -> int:
        """The number of rows that the sentence needs."""
        return len(self._sentence_rows(size.height))

    def draw(self) -> list[CanvasRow]:
        """The sentence or the build, in columns that do not move while it runs."""
        width = self.size.width
        if self._sentence:
            # One style for the whole sentence, whatever the roles of its spans.
            style = self.row().style(self._role)
            return [
                write(self.row(), text_row, width, lambda __: style)
                for text_row in self._sentence_rows(self.size.height)
            ]

        row = self.row().pad_to(1)
        if self._job is None:
            if self._other_builds:
                row.put(self.look.glyphs.pointer, "dim").pad_to(3).put(self._other_builds, "dim")
            return [row]
        if not self.quiet:
            self._put_job(row, self._job)
        return [row.put_right(_("{control} cancel").format(control=control("cancel_build")), width - 1, "dim")]

    def _put_job(self, row: CanvasRow, job: Job) -> None:
        """Write ending, layer, progress bar, percentage and time left, as far as there is room."""
        glyphs = self.look.glyphs
        width = self.size.width
        name = in_work(job)
        layer = reached(job)
        row.put(glyphs.pointer, "amber").pad_to(3).put(name, bold=True)
        # On small screens the percentage and the key that cancels are more important than the layer.
        if width >= MEDIUM or len(name + layer) < width - 20:
            row.put(f" {layer}")
        if job.share is None:
            return

        if width >= MEDIUM:
            bar_length = 14 if width < WIDE else 30
            filled = round(bar_length * job.share)
            # A fixed column, so that the bar stays where it is while the build goes from ending to ending.
            bar_column = 30 if width >= 80 else 21
            row.pad_to(max(bar_column, row.width + 2))
            row.put(glyphs.bar * filled).put(glyphs.thin * (bar_length - filled), "faint")
        row.put(f" {round(100 * job.share):2d} %")
        time_left = ""
        if job.seconds_left is not None:
            time_left = glyphs.plain(_("  {left} left").format(left=duration(job.seconds_left)))
        if row.width + len(time_left) < width - 11:
            row.put(time_left, "dim")
