"""Help: every key, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.strip import Strip

from endgame_tui.widgets.canvas import Canvas, Row
from endgame_tui.widgets.frame import KeyBar

_SHOWN = {
    "full_stop": ".", "left_square_bracket": "[", "right_square_bracket": "]", "colon": ":",
    "slash": "/", "plus": "+", "question_mark": "?", "enter": "Enter", "escape": "Esc", "space": "Space",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp", "pagedown": "PgDn",
    "delete": "Del", "backspace": "Bksp", "home": "Home", "end": "End", "ctrl+p": "Ctrl+P", "f1": "F1", "tab": "Tab",
    "shift+tab": "Shift+Tab", "less_than_sign": "<", "greater_than_sign": ">",
}  # fmt: skip

_EVERYWHERE = (
    ("Tab", "Next panel"),
    ("↑ ↓ ← →", "Cursor of the panel"),
    ("h j k l", "The same"),
    ("Enter", "Pick, play, open, build"),
    ("Ctrl+P", "All actions by name"),
)

Section = tuple[str, list[tuple[str, str]]]
"""A title, and keys with what they do."""

_MORRIS = "Nine Men's Morris"

_FIRST: Final[Mapping[str, tuple[str, ...]]] = {
    "ExploreScreen": ("Explore",),
    "MorrisExploreScreen": (_MORRIS, "Explore"),
    "LibraryScreen": ("Library",),
    "PlayScreen": ("Play",),
    "MorrisPlayScreen": (f"Play: {_MORRIS}", "Play"),
    "EditorScreen": ("Board editor",),
    "MorrisEditorScreen": (_MORRIS,),
    "SyzygyScreen": ("Syzygy files",),
    "PractiseScreen": ("Practise", "Window of layers"),
    "DrillScreen": ("Drill",),
    "ProgressScreen": ("Progress",),
    "AttemptsScreen": ("Attempts",),
    "ReplayScreen": ("A past attempt",),
}
"""What is told first on each screen."""


def sections_for(screen: str) -> list[Section]:
    """All sections, those of a screen first."""
    first = _FIRST.get(screen) or _FIRST.get(screen.removeprefix("Morris"), ())
    return sorted(sections(), key=lambda section: first.index(section[0]) if section[0] in first else len(first))


def sections() -> list[Section]:
    """All keys by screen; every binding with a description is told."""
    from endgame_core.words.told import KINDS
    from endgame_tui.app import EndgameApp
    from endgame_tui.screens.adding import Adding
    from endgame_tui.screens.attempts import AttemptsScreen
    from endgame_tui.screens.drill import DrillScreen
    from endgame_tui.screens.editor import EditorScreen
    from endgame_tui.screens.explore import ExploreScreen
    from endgame_tui.screens.explore_keys import BINDINGS as EXPLORE
    from endgame_tui.screens.library import LibraryScreen
    from endgame_tui.screens.morris_editor import MorrisEditorScreen
    from endgame_tui.screens.morris_keys import BINDINGS as MORRIS
    from endgame_tui.screens.morris_play_keys import BINDINGS as MORRIS_PLAY
    from endgame_tui.screens.play import PlayScreen
    from endgame_tui.screens.practise import PractiseScreen
    from endgame_tui.screens.progress import ProgressScreen
    from endgame_tui.screens.replay import ReplayScreen
    from endgame_tui.screens.syzygy import SyzygyScreen
    from endgame_tui.widgets.courses import CourseList
    from endgame_tui.widgets.endings import EndingsList
    from endgame_tui.widgets.old_layers import LayersPanel
    from endgame_tui.widgets.promotion import PromotionChooser
    from endgame_tui.widgets.rated import ZEROING
    from endgame_tui.widgets.window import WindowPanel

    typed = [
        ("Kg8 g7a1", "a move, SAN or UCI"),
        ("e8=N exd6", "e8 alone asks to what"),
        ("S12 12/3", "a layer; its 3rd"),
        ("7", "the 7th of the layer"),
        ("clock 43", "the half-move clock"),
        ("KBNvK", "an ending"),
        ("8/8/… w", "FEN, short FEN, key"),
    ]
    marks = [
        *((kind.mark, kind.words) for kind in KINDS.values()),
        ("cursed", "won, but drawn by a claim"),
        ("blessed", "lost, but drawn by a claim"),
        (ZEROING, "zeroing move: clock to 0"),
        ("DTM", "plies to mate"),
        ("DTZ", f"plies to a {ZEROING} move or mate"),
        ("clock", f"plies since a {ZEROING} move"),
        ("≈4", "4 or 5: Syzygy rounds"),
        ("S101=", "layer of cursed wins"),
    ]
    stones = [
        ("↑ ↓ ← →", "Along lines, else nearest"),
        ("Enter", "Stone, point, what to take"),
        ("c4-e3xd6", "a move; c4-e3 asks"),
        ("3-4", "White's and Black's stones"),
        ("3-4 S13", "a layer of that ending"),
    ]
    return [
        ("Everywhere", [*_keys(EndgameApp.BINDINGS), *_EVERYWHERE]),
        ("Boards", _keys(Adding.BINDINGS)),
        ("Explore", _keys(ExploreScreen.BINDINGS)),
        ("Typed after :", typed),
        ("The 50-move rule", marks),
        (
            _MORRIS,
            [*_stones(MORRIS, EXPLORE), *stones, *_keys(MorrisEditorScreen.BINDINGS[:4])],
        ),
        ("Promotion", _keys(PromotionChooser.BINDINGS[:4]) + _keys(PromotionChooser.BINDINGS[-1:])),
        ("Layers", _keys(LayersPanel.BINDINGS)[2:]),
        ("Play", [*_keys(PlayScreen.BINDINGS), ("← →", "After the game: step")]),
        (f"Play: {_MORRIS}", _stones(MORRIS_PLAY, PlayScreen.BINDINGS)),
        (
            "Board editor",
            [("KQRBNP", "Put a white man"), ("kqrbnp", "Put a black man"), *_keys(EditorScreen.BINDINGS[12:])],
        ),
        ("Library", _keys(LibraryScreen.BINDINGS) + _keys(EndingsList.BINDINGS)[2:]),
        ("Syzygy files", _keys(SyzygyScreen.BINDINGS)),
        ("Practise", _keys(PractiseScreen.BINDINGS) + _keys(CourseList.BINDINGS)[6:9]),
        ("Window of layers", _keys(WindowPanel.BINDINGS)[:4]),
        ("Drill", _keys(DrillScreen.BINDINGS)),
        ("Progress", _keys(ProgressScreen.BINDINGS)),
        ("Attempts", _keys(AttemptsScreen.BINDINGS)),
        ("A past attempt", _keys(ReplayScreen.BINDINGS)),
    ]


def _stones(bindings: list[BindingType], others: list[BindingType]) -> list[tuple[str, str]]:
    """The keys of which something else is to be said than on the same screen of the other game."""
    known = _keys(others)
    return [key for key in _keys(bindings) if key not in known]


def _keys(bindings: list[BindingType]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for binding in bindings:
        if isinstance(binding, Binding) and binding.description:
            names = [_SHOWN.get(key, key) for key in binding.key.split(",")]
            names = list(dict.fromkeys(name.lower() if name.lower() in names else name for name in names))
            found.append((" ".join(names), binding.description))
    return found


class Keys(Canvas, can_focus=True):
    """The sections in as many columns as fit; it scrolls when there are more rows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", "Up", show=False, id="help.up"),
        Binding("down,j", "scroll(1)", "Down", show=False, id="help.down"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="help.page-up"),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False, id="help.page-down"),
    ]

    _top = 0

    def __init__(self, screen: str = "") -> None:
        super().__init__()
        self._screen = screen

    def action_scroll(self, rows: int) -> None:
        """Scrolls."""
        most = max(len(self._all()) - self.size.height, 0)
        self._top = min(max(self._top + rows, 0), most)
        self.redraw()

    def _all(self) -> list[Strip]:
        """Every row, as if the screen were as high as needed."""
        width = self.size.width
        columns = 2 if width >= 76 else 1
        each = (width - 1) // columns
        parts = [self._section(section) for section in sections_for(self._screen)]
        total = sum(len(part) for part in parts)
        piles: list[list[list[tuple[str, Style]]]] = [[] for _ in range(columns)]
        at = 0
        for part in parts:
            if at < columns - 1 and len(piles[at]) + len(part) // 2 > total / columns:
                at += 1
            piles[at] += part
        strips: list[Strip] = []
        for number in range(max(map(len, piles))):
            cells = [self.row().write(pile[number] if number < len(pile) else []) for pile in piles]
            strips.append(
                Strip.join([cell.strip(each) for cell in cells]).crop_extend(0, width, self.look.palette("text"))
            )
        return strips

    def _section(self, section: Section) -> list[list[tuple[str, Style]]]:
        pen, glyphs = self.look.palette, self.look.glyphs
        title, keys = section
        rows = [[(f" {title}", pen("text", bold=True))]]
        for key, does in keys:
            shown = glyphs.plain(key)
            if not glyphs.unicode:
                shown = shown.replace("↑ ↓ ← →", "arrows").replace("↑", "Up").replace("↓", "Down")
                shown = shown.replace("←", "Left").replace("→", "Right")
            label = f"  {shown:<9}"
            rows.append([(label, pen("text")), (f" {does}", pen("dim"))])
        return [*rows, []]

    def draw(self) -> list[Strip]:
        """The rows in the window."""
        return self._all()[self._top :]


class HelpScreen(Screen[None]):
    """All keys.

    Args:
        screen: Name of the class of the screen whose keys come first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter,f1", "close", "Close", show=False, id="help.close"),
    ]

    def __init__(self, screen: str = "") -> None:
        super().__init__()
        self._screen = screen

    def compose(self) -> ComposeResult:
        """A title, the keys, the way back."""
        yield HelpBar()
        yield Keys(self._screen)
        keys = (("Esc", "back"), ("↑ ↓", "scroll"))
        yield KeyBar(keys, keys, keys[:1])

    def on_mount(self) -> None:
        """The keys have the focus, so that they scroll."""
        self.query_one(Keys).focus()

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss()


class HelpBar(Canvas):
    """The first row."""

    def draw(self) -> list[Strip]:
        """Where we are."""
        pen = self.look.palette
        row = Row(pen("text", "bar")).to(1).put("Help", pen("text", "bar", bold=True))
        row.put(f" {self.look.glyphs.pointer} ", pen("faint", "bar"))
        return [row.put("all keys", pen("text", "bar")).strip(self.size.width)]
