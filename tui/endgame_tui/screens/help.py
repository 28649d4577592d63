"""Help: what one is looking at, a page each; then every key of every screen, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widgets import Input

from endgame_core.words.seen import Page, page_of, pages
from endgame_core.words.told import Note, Word, wrapped
from endgame_tui.faces import FACES, Section, Told, face_of
from endgame_tui.screens.about import AboutScreen
from endgame_tui.screens.base import BaseScreen, BoardScreen
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.games import GamesScreen
from endgame_tui.screens.library import LibraryScreen
from endgame_tui.screens.placing import PlacingScreen
from endgame_tui.screens.play import PlayScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.screens.progress import AttemptsScreen, ProgressScreen
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.screens.settings import SettingsScreen
from endgame_tui.screens.syzygy import SyzygyScreen
from endgame_tui.widgets.bars import Key, KeyBar, Offer, TopBar, key_names, keys_of, plain_keys
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.lines import Lines, write

_EVERYWHERE: Final = (
    ("Tab", "Next panel"),
    ("↑ ↓ ← →", "Cursor of the panel"),
    ("h j k l", "The same"),
    ("Enter", "Pick, play, open, build"),
    ("Ctrl+P", "All actions by name"),
    (":library", "One of them by its name"),
    (": ↑", "What was typed there before"),
)

_SCREENS: Final[Mapping[str, type[BaseScreen]]] = {
    "Explore": ExploreScreen,
    "Map of a man": PlacingScreen,
    "Play": PlayScreen,
    "Games": GamesScreen,
    "Board editor": EditorScreen,
    "Library": LibraryScreen,
    "About an ending": AboutScreen,
    "Syzygy files": SyzygyScreen,
    "Settings": SettingsScreen,
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


def pages_of(screen: Screen[Any]) -> list[Page]:
    """What there is to see on a screen; of a position only what may be told."""
    if isinstance(screen, BoardScreen):
        return pages(screen.lab.explorer_of(screen.game).game, screen.looked_at())
    named = "settings" if isinstance(screen, SettingsScreen) else getattr(screen, "TASK", "")
    named = "games" if isinstance(screen, GamesScreen) else named
    page = page_of(named)
    return [] if page is None else [page]


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
        self._all = self._sections = sections

    def search(self, text: str) -> int:
        """Shows only keys that are called so, or what does so; tells how many there are."""
        wanted = text.strip().casefold()

        def fits(keys: str, words: str) -> bool:
            return wanted in words.casefold() or text.strip() in keys.split() or wanted == keys.casefold()

        found = [
            (title, [row for row in rows if fits(*row) or wanted in title.casefold()]) for title, rows in self._all
        ]
        self._sections, self._top = [(title, rows) for title, rows in found if rows], 0
        self.redraw()
        return sum(len(rows) for _, rows in self._sections)

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
    """What one is looking at, a page each; then all keys.

    Args:
        sections: What is told of keys.
        mode: The mode of the screen it lies over.
        pages: What is told of what that screen shows.
    """

    AUTO_FOCUS = "Keys"
    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("left,h,shift+tab", "turn(-1)", "Page before", id="help.previous", priority=True),
        Key("right,l,tab", "turn(1)", "Next page", id="help.next", priority=True),
        Key("up,k", "scroll(-1)", "Up", id="help.page-up-one"),
        Key("down,j", "scroll(1)", "Down", id="help.page-down-one"),
        Key("end", "turn(99)", "All keys", id="help.keys"),
        Key("home", "turn(-99)", "First page", id="help.first"),
        Key("slash,colon", "find", "Find a key", id="help.find"),
        Key("escape,question_mark,q,enter,f1", "close", "Close", id="help.close"),
    ]

    def __init__(self, sections: Sequence[Section], mode: str, pages: Sequence[Page] = ()) -> None:
        super().__init__()
        self._sections, self._mode, self._pages = sections, mode, pages
        self._at = self._top = 0

    def compose(self) -> ComposeResult:
        """A title, the names of the pages, a page or the keys, the way back."""
        yield TopBar(self._mode, lambda _first, _number: "escape", id="top")
        yield Lines(id="pages", indent=1)
        yield Lines(id="page", indent=1)
        yield Keys(self._sections)
        yield Input(id="find", compact=True, placeholder="a key, or what it does")
        yield KeyBar(self._offered, id="keys")

    def _offered(self) -> list[Offer]:
        scrolls = [Offer("↑ ↓", "scroll", 2, ("up", "down"))]
        turns = [Offer("← →", "page", pressed=("left", "right"))] if self._pages else []
        ends = [Offer("End", "all keys", 2, pressed=("end",))] if self._at < len(self._pages) else []
        return [
            Offer("Esc", "back", pressed=("escape",)),
            *turns,
            *scrolls,
            *ends,
            Offer("/", "find", 2, ("slash",)),
        ]

    def on_mount(self) -> None:
        """Opens the first page."""
        self.query_one(Input).display = False
        self.action_turn(0)

    def action_turn(self, by: int) -> None:
        """Turns to another page; the keys are the last one."""
        self._at, self._top = min(max(self._at + by, 0), len(self._pages)), 0
        page = self._pages[self._at] if self._at < len(self._pages) else None
        self.query_one(TopBar).show("Help", "all keys" if page is None else "what you see")
        self.query_one("#page").display, self.query_one(Keys).display = page is not None, page is None
        self.query_one("#pages").display = bool(self._pages)
        self.query_one("#pages", Lines).show(self._named)
        if page is not None:
            self.query_one("#page", Lines).show(lambda size: _page(page, size)[self._top :])
        self.refresh_bindings()

    def action_scroll(self, rows: int) -> None:
        """Scrolls a page that has no room."""
        lines = self.query_one("#page", Lines)
        if self._at < len(self._pages):
            most = len(_page(self._pages[self._at], lines.size)) - lines.size.height
            self._top = min(max(self._top + rows, 0), max(most, 0))
            lines.redraw()

    def _named(self, size: Size) -> list[Note]:
        """The names of the pages, that at hand among them."""
        names = [page.title for page in self._pages] + ["All keys"]
        first = 0
        while first < self._at and sum(len(name) + 2 for name in names[first : self._at + 1]) > size.width - 2:
            first += 1
        return [Note(tuple(
            Word(f"{name}  ", "amber" if number == self._at else "dim", number == self._at)
            for number, name in enumerate(names) if number >= first
        ))]  # fmt: skip

    def action_find(self) -> None:
        """Asks what key is wanted."""
        self.action_turn(99)
        field = self.query_one(Input)
        field.display = True
        field.value = ""
        field.focus()

    @on(Input.Changed)
    def _searched(self, event: Input.Changed) -> None:
        self.query_one(Keys).search(event.value)

    @on(Input.Submitted)
    @on(Input.Blurred)
    def _found(self) -> None:
        self.query_one(Input).display = False
        self.query_one(Keys).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is typed, arrows and Tab stay in its row."""
        return not (action == "turn" and isinstance(self.focused, Input))

    def action_close(self) -> None:
        """Shows all keys again where some were looked for; else goes back."""
        if isinstance(self.focused, Input):
            self.focused.value = ""
            self._found()
        else:
            self.dismiss()


def _page(page: Page, size: Size) -> list[Note]:
    """A page in rows."""
    width = min(size.width - 2, 100)
    rows = [Note((Word(page.title, bold=True),))]
    rows += wrapped(f"Here: {page.here}", width, "amber") if page.here else ()
    for paragraph in page.told:
        rows += [Note(), *wrapped(paragraph, width)]
    return rows
