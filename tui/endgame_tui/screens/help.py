"""Help: what one is looking at, a page each; then every key of every screen, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from endgame_core.untrusted import quoted
from endgame_core.words.concepts import concepts_with, nearest
from endgame_core.words.help_topics import Page, page_of, pages
from endgame_core.words.text_model import TextRow, TextSpan, either, wrapped
from endgame_tui.faces import FACES, HelpEntry, HelpSection, face_of
from endgame_tui.look import Glyphs
from endgame_tui.screens.about import AboutScreen
from endgame_tui.screens.base import BaseScreen, BoardScreen, OverScreen
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
from endgame_tui.widgets.ask import LastRow
from endgame_tui.widgets.bars import Key, declared_keys, key_names, plain_keys
from endgame_tui.widgets.lines import Lines

_EVERYWHERE: Final = (
    ("Tab", "Next panel"),
    ("↑ ↓ ← →", "Cursor of the panel"),
    ("h j k l", "Cursor, as in vi"),
    ("Enter", "Pick, play, open, build"),
    ("Ctrl+P", "All actions by name"),
    (":library", "One action by its name"),
    (": ↑", "Previous entries of a prompt"),
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


def _told(owner: type[Any], game: str, unavailable: Collection[str] = ()) -> list[HelpEntry]:
    """The keys of an app, screen or panel with their descriptions; keys of the system are described elsewhere."""
    keys = (
        key for key in declared_keys(owner) if key.applies_to(game) and not key.system and key.action not in unavailable
    )
    return [(key_names(key), key.description_in(game)) for key in keys]


def _told_of(screen: type[BaseScreen], game: str) -> list[HelpEntry]:
    """The keys of a screen and of its panels."""
    return list(dict.fromkeys(row for owner in (screen, *screen.PANELS) for row in _told(owner, game)))


def sections(app: type[Any], game: str, here: type[Any], unavailable: Collection[str] = ()) -> list[HelpSection]:
    """All sections of the help: the current screen first, keys that only other games have last.

    Args:
        app: The app.
        game: The current game.
        here: The current screen.
        unavailable: Actions of the app that this run does not have; their keys are left out.
    """
    told = {title: [*_told_of(screen, game), *screen.TYPED] for title, screen in _SCREENS.items()}
    first = [title for title, screen in _SCREENS.items() if screen is here]
    result: list[HelpSection] = [(title, told[title]) for title in first]
    result += [("Everywhere", [*_told(app, game, unavailable), *_EVERYWHERE]), *face_of(game).help_sections]
    result += [(title, rows) for title, rows in told.items() if title not in first]
    for other in (name for name in FACES if name != game):
        rows = [row for title, screen in _SCREENS.items() for row in _told_of(screen, other) if row not in told[title]]
        face = face_of(other)
        typed = face.help_sections[0][1] if face.help_sections else ()
        result.append((face.name or "Chess", list(dict.fromkeys([*typed, *rows]))))
    return result


def pages_of(screen: Screen[Any]) -> list[Page]:
    """What there is to see on a screen; of a position only what may be told."""
    if isinstance(screen, BoardScreen):
        return pages(screen.TASK, screen.lab.explorer_of(screen.game).game, screen.looked_at())
    named = "settings" if isinstance(screen, SettingsScreen) else getattr(screen, "TASK", "")
    named = "games" if isinstance(screen, GamesScreen) else named
    page = page_of(named)
    return [] if page is None else [page]


def found_in(sections: Sequence[HelpSection], text: str) -> list[HelpSection]:
    """What is called so, or does so, of all that is told; what has a title with that in it as a whole."""
    wanted = text.strip().casefold()

    def fits(keys: str, words: str) -> bool:
        return wanted in words.casefold() or text.strip() in keys.split() or wanted == keys.casefold()

    result = [(title, [row for row in rows if fits(*row) or wanted in title.casefold()]) for title, rows in sections]
    return [(title, rows) for title, rows in result if rows]


def in_columns(sections: Sequence[HelpSection], width: int, glyphs: Glyphs) -> list[TextRow]:
    """The sections in as many columns as fit; a section is not divided."""
    piles: list[list[TextRow]] = [[] for _ in range(2 if width >= 76 else 1)]
    total, at, each = sum(len(rows) + 2 for _, rows in sections), 0, (width - 1) // len(piles)
    for title, rows in sections:
        if at < len(piles) - 1 and len(piles[at]) + len(rows) // 2 + 1 > total / len(piles):
            at += 1
        told = ((f"{plain_keys(keys, glyphs):<9} ", words) for keys, words in rows)
        piles[at].append(TextRow((TextSpan(title, bold=True, at=at * each + 1),)))
        piles[at] += [TextRow((TextSpan(keys, at=at * each + 2), TextSpan(words, "dim"))) for keys, words in told]
        piles[at].append(TextRow())
    return [TextRow(tuple(chain(*(note.left for note in row)))) for row in zip_longest(*piles, fillvalue=TextRow())]


class HelpScreen(OverScreen):
    """What one is looking at, a page each; then all keys.

    Args:
        sections: What is told of keys.
        mode: The mode of the screen it lies over.
        pages: What is told of what that screen shows.
        wanted: The term to search for at first; empty to show the first page.
    """

    READ = "#page"
    CSS_PATH = "help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("escape,question_mark,q,enter,f1", "back", "Close", id="help.close", short="back", rank=1),
        Key("left,h,shift+tab", "turn(-1)", "Previous page", id="help.previous", short="page", rank=1, priority=True),
        Key("right,l,tab", "turn(1)", "Next page", id="help.next", short="page", rank=1, priority=True),
        Key("up,k", "scroll(-1)", "Up", id="help.page-up-one", short="scroll"),
        Key("down,j", "scroll(1)", "Down", id="help.page-down-one", short="scroll"),
        Binding("pageup", "scroll(-10)", "Page up", show=False, id="help.page-up"),
        Binding("pagedown,space", "scroll(10)", "Page down", show=False, id="help.page-down"),
        Key("end", "turn(99)", "All keys", id="help.keys", short="all keys"),
        Key("home", "turn(-99)", "First page", id="help.first"),
        Key("slash,colon", "find", "Search the help", id="help.find", short="find"),
    ]

    def __init__(
        self, sections: Sequence[HelpSection], mode: str, pages: Sequence[Page] = (), wanted: str = ""
    ) -> None:
        super().__init__()
        self._sections, self.mode, self._pages = sections, mode, pages
        self._at = len(pages) if wanted else 0
        self._top = 0
        self._wanted = wanted

    def body(self) -> ComposeResult:
        """The names of the pages, a page or the keys."""
        yield Lines(id="pages", indent=1)
        yield Lines(id="page", indent=1)

    def home(self) -> Widget:
        """The page; nothing in it has the focus."""
        return self.query_one("#page")

    @property
    def _is_last(self) -> bool:
        """Whether all keys are shown, which come after the pages."""
        return self._at == len(self._pages)

    def show(self) -> None:
        """Shows the page from its first row in sight on."""
        self.set_class(self._is_last, "keys")
        self.crumbs("Help", "all keys" if self._is_last else "what you see", named=False)
        self.query_one("#pages").display = bool(self._pages)
        self.query_one("#pages", Lines).show(self._named)
        self.query_one("#page", Lines).show(self._in_sight)
        self.refresh_bindings()

    def _in_sight(self, size: Size) -> list[TextRow]:
        return self._rows(size)[self._top :][: size.height if self._is_last else None]

    def _rows(self, size: Size) -> list[TextRow]:
        """All rows of the page."""
        if self._is_last:
            keys = found_in(self._sections, self._wanted)
            concepts = concepts_with(self._wanted)
            if not keys and not concepts:
                return self._no_matches(size.width)
            rows: list[TextRow] = []
            for term, text in concepts:
                rows += [TextRow((TextSpan(term, "amber", True),)), *wrapped(text, min(size.width - 1, 100)), TextRow()]
            return rows + in_columns(keys, size.width, self.look.glyphs)
        return _page(self._pages[self._at], size)

    def _no_matches(self, width: int) -> list[TextRow]:
        """That nothing was found, and what is spelled alike."""
        actions = [words for _, rows in self._sections for _, words in rows]
        similar = nearest(self._wanted, actions)
        advice = f" Try {either(list(map(quoted, similar)))}." if similar else ""
        return list(wrapped(f"No matches for {quoted(self._wanted)}.{advice}", width, "dim"))

    def label(self, key: Key) -> str:
        """Of pages where there are any; what they tell is of one game."""
        gone = {"game", *([] if self._pages else ["turn(-1)", "turn(1)"]), *(["turn(99)"] if self._is_last else [])}
        return "" if key.action in gone else super().label(key)

    def action_turn(self, by: int) -> None:
        """Turns to another page; the keys are the last one."""
        self._at, self._top = min(max(self._at + by, 0), len(self._pages)), 0
        self.show()

    def action_scroll(self, rows: int) -> None:
        """Scrolls a page that has no room."""
        size = self.query_one("#page").size
        self._top = min(max(self._top + rows, 0), max(len(self._rows(size)) - size.height, 0))
        self.show()

    def on_mouse_scroll_down(self) -> None:
        """Goes down."""
        self.action_scroll(3)

    def on_mouse_scroll_up(self) -> None:
        """Goes up."""
        self.action_scroll(-3)

    def _named(self, size: Size) -> list[TextRow]:
        """The names of the pages, that at hand among them."""
        names = [page.title for page in self._pages] + ["All keys"]
        first = 0
        while first < self._at and sum(len(name) + 2 for name in names[first : self._at + 1]) > size.width - 2:
            first += 1
        return [TextRow(tuple(
            TextSpan(f"{name}  ", "amber" if number == self._at else "dim", number == self._at)
            for number, name in enumerate(names) if number >= first
        ))]  # fmt: skip

    def action_find(self) -> None:
        """Asks for a term, an action or a key."""
        self._search("")
        self.action_turn(99)
        self.last_row.prompt("Find", "a term, an action or a key", self._search, on_change=self._search)

    def _search(self, text: str) -> None:
        """Shows the terms and keys that match."""
        self._wanted, self._top = text, 0
        self.show()

    def action_back(self) -> None:
        """Shows all keys again where only some are shown; else goes back."""
        if self._wanted:
            self._search("")
        else:
            super().action_back()

    @on(LastRow.Cancelled)
    def _given_up(self) -> None:
        self._search("")


def _page(page: Page, size: Size) -> list[TextRow]:
    """A page in rows."""
    width = min(size.width - 2, 100)
    rows = [TextRow((TextSpan(page.title, bold=True),))]
    rows += wrapped(f"Here: {page.here}", width, "amber") if page.here else ()
    for paragraph in page.told:
        rows += [TextRow(), *wrapped(paragraph, width)]
    return rows
