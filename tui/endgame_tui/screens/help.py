"""Help: every key of every screen, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.strip import Strip

from endgame_core.words.told import Note, Word
from endgame_tui.faces import FACES, Section, Told, face_of
from endgame_tui.screens.about import AboutScreen
from endgame_tui.screens.base import BaseScreen
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.library import LibraryScreen
from endgame_tui.screens.placing import PlacingScreen
from endgame_tui.screens.play import PlayScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.screens.progress import AttemptsScreen, ProgressScreen
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.screens.syzygy import SyzygyScreen
from endgame_tui.widgets.bars import Key, KeyBar, Offer, TopBar, key_names, keys_of, plain_keys
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.lines import write

_EVERYWHERE: Final = (
    ("Tab", "Next panel"),
    ("↑ ↓ ← →", "Cursor of the panel"),
    ("h j k l", "The same"),
    ("Enter", "Pick, play, open, build"),
    ("Ctrl+P", "All actions by name"),
    (":library", "One of them by its name"),
)

_SCREENS: Final[Mapping[str, type[BaseScreen]]] = {
    "Explore": ExploreScreen,
    "Map of a man": PlacingScreen,
    "Play": PlayScreen,
    "Board editor": EditorScreen,
    "Library": LibraryScreen,
    "About an ending": AboutScreen,
    "Syzygy files": SyzygyScreen,
    "Practise": PractiseScreen,
    "Drill": DrillScreen,
    "Progress": ProgressScreen,
    "Attempts": AttemptsScreen,
    "A past attempt": ReplayScreen,
}


def _told(owner: type[Any], game: str) -> list[Told]:
    """The keys of an app, screen or panel with what they do; without those of the system, told in other words."""
    return [(key_names(key), key.told(game)) for key in keys_of(owner) if key.means(game) and not key.system]


def _told_of(screen: type[BaseScreen], game: str) -> list[Told]:
    """The keys of a screen and of its panels."""
    return list(dict.fromkeys(row for owner in (screen, *screen.PANELS) for row in _told(owner, game)))


def sections(app: type[Any], game: str, here: type[Any]) -> list[Section]:
    """All that is told, of the game at hand; the screen at hand comes first, what is other in other games last."""
    told = {title: [*_told_of(screen, game), *screen.TYPED] for title, screen in _SCREENS.items()}
    first = [title for title, screen in _SCREENS.items() if screen is here]
    found: list[Section] = [(title, told[title]) for title in first]
    found += [("Everywhere", [*_told(app, game), *_EVERYWHERE]), *face_of(game).told]
    found += [(title, rows) for title, rows in told.items() if title not in first]
    for other in (name for name in FACES if name != game):
        rows = [row for title, screen in _SCREENS.items() for row in _told_of(screen, other) if row not in told[title]]
        face = face_of(other)
        typed = face.told[0][1] if face.told else ()
        found.append((face.name or "Chess", list(dict.fromkeys([*typed, *rows]))))
    return found


class Keys(Canvas, can_focus=True):
    """The sections in as many columns as fit; it scrolls when there are more rows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("up,k", "scroll(-1)", "Up", id="help.up", short="scroll"),
        Key("down,j", "scroll(1)", "Down", id="help.down", short="scroll"),
        Key("pageup", "scroll(-10)", "Page up", id="help.page-up"),
        Key("pagedown,space", "scroll(10)", "Page down", id="help.page-down"),
    ]

    _top = 0

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = sections

    def wheel(self, turns: int) -> None:
        """Scrolls."""
        self.action_scroll(3 * turns)

    def action_scroll(self, rows: int) -> None:
        """Scrolls."""
        most = max(max(map(len, self._columns())) - self.size.height, 0)
        self._top = min(max(self._top + rows, 0), most)
        self.redraw()

    def _columns(self) -> list[list[Note]]:
        """The rows of each column; a section is not divided."""
        piles: list[list[Note]] = [[] for _ in range(2 if self.size.width >= 76 else 1)]
        total, at = sum(len(rows) + 2 for _, rows in self._sections), 0
        for title, rows in self._sections:
            if at < len(piles) - 1 and len(piles[at]) + len(rows) // 2 + 1 > total / len(piles):
                at += 1
            told = ((f"{plain_keys(keys, self.look.glyphs):<9} ", words) for keys, words in rows)
            piles[at].append(Note((Word(title, bold=True, at=1),)))
            piles[at] += [Note((Word(keys, at=2), Word(words, "dim"))) for keys, words in told]
            piles[at].append(Note())
        return piles

    def draw(self) -> list[Strip]:
        """The rows in the window."""
        piles, pen, height = self._columns(), self.look.palette, self.size.height
        each = (self.size.width - 1) // len(piles)
        strips: list[Strip] = []
        for notes in islice(zip_longest(*piles, fillvalue=Note()), self._top, self._top + height):
            cells = [self.row() for _ in notes]
            for row, note in zip(cells, notes, strict=True):
                write(row, note, each, self.look, lambda word: pen(word.role, bold=word.bold))
            line = Strip.join([row.strip(each) for row in cells])
            strips.append(line.crop_extend(0, self.size.width, pen("text")))
        return strips


class HelpScreen(Screen[None]):
    """All keys.

    Args:
        sections: What is told.
        mode: The mode of the screen it lies over.
    """

    AUTO_FOCUS = "Keys"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("escape,question_mark,q,enter,f1", "close", "Close", id="help.close"),
    ]

    def __init__(self, sections: Sequence[Section], mode: str) -> None:
        super().__init__()
        self._sections, self._mode = sections, mode

    def compose(self) -> ComposeResult:
        """A title, the keys, the way back."""
        yield TopBar(self._mode, lambda _first, _number: "escape", id="top")
        yield Keys(self._sections)
        yield KeyBar(
            lambda: [Offer("Esc", "back", pressed=("escape",)), Offer("↑ ↓", "scroll", pressed=("up", "down"))],
            id="keys",
        )

    def on_mount(self) -> None:
        """Says where we are."""
        self.query_one(TopBar).show("Help", "all keys")

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss()
