"""Help: pages about what the screen shows, then every key of every screen, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from endgame_core.controls import control, instruct
from endgame_core.language import _
from endgame_core.untrusted import quoted
from endgame_core.words.concepts import concepts_with, nearest
from endgame_core.words.help_topics import Page, page_of, pages
from endgame_core.words.text_model import TextRow, TextSpan, either, wrapped
from endgame_tui.faces import FACES, HelpEntry, HelpSection, face_of
from endgame_tui.keys import (
    CURSOR_DOWN,
    CURSOR_LEFT,
    CURSOR_RIGHT,
    CURSOR_UP,
    FIND,
    FIRST,
    HELP,
    LAST,
    LEAVE,
    NO_KEYMAP,
    PAGE_DOWN,
    PAGE_UP,
    PROMPT,
    QUIT,
    Key,
    Keymap,
    declared_keys,
    key_names,
    printed,
)
from endgame_tui.look import Glyphs
from endgame_tui.screens.about import AboutScreen
from endgame_tui.screens.base import BaseScreen, BoardScreen, OverScreen
from endgame_tui.screens.drill import DrillScreen
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.games import GamesScreen
from endgame_tui.screens.lesson import LessonScreen
from endgame_tui.screens.library import LibraryScreen
from endgame_tui.screens.placing import PlacingScreen
from endgame_tui.screens.play import PlayScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.screens.progress import AttemptsScreen, ProgressScreen
from endgame_tui.screens.replay import ReplayScreen
from endgame_tui.screens.settings import SettingsScreen
from endgame_tui.screens.syzygy import SyzygyScreen
from endgame_tui.widgets.ask import LastRow
from endgame_tui.widgets.bars import plain_keys
from endgame_tui.widgets.lines import Lines

_CURSOR: Final = (CURSOR_UP, CURSOR_DOWN, CURSOR_LEFT, CURSOR_RIGHT)


def _everywhere(keymap: Keymap) -> list[HelpEntry]:
    """Keys of all screens that are not declared by the app."""
    keys = [keymap.get(key.action_id, key.key).split(",") for key in _CURSOR]
    rows: list[HelpEntry] = [
        ("Tab", _("Next panel")),
        (" ".join(printed(names[0]) for names in keys), _("Move the cursor")),
    ]
    # By default the second names are h, j, k and l; the user may have removed some.
    if all(len(names) > 1 for names in keys):
        up, down, left, right = (printed(names[1]) for names in keys)
        rows.append((f"{left} {down} {up} {right}", _("Cursor, as in vi")))
    rows += [
        (control("choose"), _("Pick, play, open, build")),
        (control("palette"), _("All actions by name")),
        (instruct("{prompt}library"), _("Run an action by name")),
        (instruct("{prompt} {earlier_entry}"), _("Previous entries of a prompt")),
    ]
    return rows


SCREENS_BY_TITLE: Final[Mapping[str, type[BaseScreen]]] = {
    _("Explore"): ExploreScreen,
    _("Piece map"): PlacingScreen,
    _("Play"): PlayScreen,
    _("Games"): GamesScreen,
    _("Board editor"): EditorScreen,
    _("Library"): LibraryScreen,
    _("About an ending"): AboutScreen,
    _("Syzygy files"): SyzygyScreen,
    _("Settings"): SettingsScreen,
    _("Practise"): PractiseScreen,
    _("Drill"): DrillScreen,
    _("Lesson"): LessonScreen,
    _("Progress"): ProgressScreen,
    _("Attempts"): AttemptsScreen,
    _("A past attempt"): ReplayScreen,
}
"""All screens except the help, by their titles in it."""


def _keys_of(owner: type[Any], game: str, keymap: Keymap, unavailable: Collection[str] = ()) -> list[HelpEntry]:
    """The keys of an app, screen or panel and their descriptions, except those that are described elsewhere."""
    keys = (
        key
        for key in declared_keys(owner, keymap)
        if key.applies_to(game) and not key.system and not key.grouped and key.action not in unavailable
    )
    return [(key_names(key), key.description_in(game)) for key in keys]


def _screen_keys(screen: type[BaseScreen], game: str, keymap: Keymap) -> list[HelpEntry]:
    """The keys of a screen and of its panels, without duplicates."""
    return list(dict.fromkeys(row for owner in (screen, *screen.PANELS) for row in _keys_of(owner, game, keymap)))


def _instructed(rows: Sequence[HelpEntry]) -> list[HelpEntry]:
    """Rows whose keys are placeholders of actions."""
    return [(instruct(keys), description) for keys, description in rows]


def sections(
    app: type[Any],
    game: str,
    current: type[Any],
    unavailable: Collection[str] = (),
    keymap: Keymap = NO_KEYMAP,
) -> list[HelpSection]:
    """All sections of the help: the current screen first, keys that only other games have last.

    Args:
        app: The app.
        game: The current game.
        current: The current screen.
        unavailable: Actions of the app that this run does not have; their keys are left out.
        keymap: The user's own keys.
    """
    rows_by_title = {
        title: [*_screen_keys(screen, game, keymap), *_instructed(screen.EXTRA_HELP)]
        for title, screen in SCREENS_BY_TITLE.items()
    }
    current_titles = [title for title, screen in SCREENS_BY_TITLE.items() if screen is current]
    result: list[HelpSection] = [(title, rows_by_title[title]) for title in current_titles]
    result.append((_("Everywhere"), [*_keys_of(app, game, keymap, unavailable), *_everywhere(keymap)]))
    result += [(instruct(title), _instructed(rows)) for title, rows in face_of(game).help_sections]
    result += [(title, rows) for title, rows in rows_by_title.items() if title not in current_titles]

    for other_game in FACES:
        if other_game == game:
            continue
        face = face_of(other_game)
        # What can be typed (the first section), then only the keys that differ from those of this game.
        rows: list[HelpEntry] = _instructed(face.help_sections[0][1]) if face.help_sections else []
        for title, screen in SCREENS_BY_TITLE.items():
            rows += [row for row in _screen_keys(screen, other_game, keymap) if row not in rows_by_title[title]]
        result.append((face.name or _("Chess"), list(dict.fromkeys(rows))))
    return result


def pages_of(screen: Screen[Any]) -> list[Page]:
    """The pages about what a screen shows; they reveal a position's value only if the screen does."""
    if isinstance(screen, BoardScreen):
        return pages(screen.TASK, screen.lab.explorer_of(screen.game).game, screen.walk_for_help())
    topic = getattr(screen, "TASK", "")
    if isinstance(screen, SettingsScreen):
        topic = "settings"
    elif isinstance(screen, GamesScreen):
        topic = "games"
    page = page_of(topic)
    return [] if page is None else [page]


def matching(sections: Sequence[HelpSection], text: str) -> list[HelpSection]:
    """The rows with a text in their description or for a key of that name; whole sections with it in their title."""
    query = text.strip().casefold()

    def is_match(title: str, keys: str, description: str) -> bool:
        # Single keys by case, since n and N differ; a name such as Ctrl+P in any case.
        is_key = text.strip() in keys.split() or query == keys.casefold()
        return is_key or query in description.casefold() or query in title.casefold()

    result = [(title, [row for row in rows if is_match(title, *row)]) for title, rows in sections]
    return [(title, rows) for title, rows in result if rows]


def in_columns(sections: Sequence[HelpSection], width: int, glyphs: Glyphs) -> list[TextRow]:
    """The sections in as many columns as fit; a section is not divided."""
    column_count = 2 if width >= 76 else 1
    columns: list[list[TextRow]] = [[] for __ in range(column_count)]
    column_width = (width - 1) // len(columns)
    total_height = sum(len(rows) + 2 for __, rows in sections)  # each has a title and a blank row
    number = 0
    for title, rows in sections:
        # The next column begins when half of this section would stand below the average height.
        middle = len(columns[number]) + len(rows) // 2 + 1
        if number < len(columns) - 1 and middle > total_height / len(columns):
            number += 1
        start = number * column_width
        columns[number].append(TextRow((TextSpan(title, bold=True, at=start + 1),)))
        for keys, description in rows:
            # Descriptions are aligned behind nine columns of keys; longer names push them to the right.
            names = TextSpan(f"{plain_keys(keys, glyphs):<9} ", at=start + 2)
            columns[number].append(TextRow((names, TextSpan(description, "dim"))))
        columns[number].append(TextRow())
    # Spans name their columns, so rows that stand side by side are simply joined.
    merged = zip_longest(*columns, fillvalue=TextRow())
    return [TextRow(tuple(chain(*(row.left for row in rows)))) for rows in merged]


class HelpScreen(OverScreen):
    """Pages about the screen below, then a page with all keys.

    Args:
        sections: The keys, section by section.
        mode: The mode of the screen below.
        pages: The pages about what that screen shows.
        query: The term to search for at first; empty to show the first page.
    """

    READ_FIRST = "#page"
    CSS_PATH = "help.tcss"
    FOCUSABLE = ()
    BINDINGS: ClassVar[list[BindingType]] = [
        LEAVE.adapted(_("Close"), short=_("back")),
        HELP.adapted(_("Close"), action="leave"),
        QUIT.adapted(_("Close"), action="leave"),
        Key("enter", "leave", _("Close"), id="close_help"),
        Key(
            "left,h,shift+tab",
            "turn(-1)",
            _("Previous page"),
            id="help_previous",
            short=_("page"),
            rank=1,
            priority=True,
        ),
        Key("right,l,tab", "turn(1)", _("Next page"), id="help_next", short=_("page"), rank=1, priority=True),
        CURSOR_UP.adapted(_("Up"), action="scroll(-1)", short=_("scroll")),
        CURSOR_DOWN.adapted(_("Down"), action="scroll(1)", short=_("scroll")),
        PAGE_UP.adapted(_("Page up"), action="scroll(-10)", system=True),
        PAGE_DOWN.adapted(_("Page down"), action="scroll(10)", system=True),
        Key("space", "scroll(10)", _("Page down"), id="help_page_down", system=True),
        LAST.adapted(_("All keys"), action="turn(99)", short=_("all keys")),
        FIRST.adapted(_("First page"), action="turn(-99)"),
        FIND.adapted(_("Search the help"), priority=False, typing=False),
        PROMPT.adapted(_("Search the help"), action="find", priority=False, typing=False),
    ]

    def __init__(self, sections: Sequence[HelpSection], mode: str, pages: Sequence[Page] = (), query: str = "") -> None:
        super().__init__()
        self.mode = mode
        self._sections = sections
        self._pages = pages
        self._query = query
        # Matches are shown on the last page, that of the keys.
        self._page_number = len(pages) if query else 0
        self._top = 0
        """The first row in sight."""

    def body(self) -> ComposeResult:
        """Yield the names of the pages and the current page."""
        yield Lines(id="pages", indent=1)
        yield Lines(id="page", indent=1)

    def home(self) -> Widget:
        """The page, which cannot have the focus."""
        return self.query_one("#page")

    @property
    def _is_last(self) -> bool:
        """Whether all keys are shown, which come after the pages."""
        return self._page_number == len(self._pages)

    def show(self) -> None:
        """Show the page, scrolled to its first row in sight."""
        self.set_class(self._is_last, "keys")
        if self._is_last:
            extent = _("all keys")
        else:
            extent = _("what you see")
        self.crumbs(_("Help"), extent, named=False)
        self.query_one("#pages").display = bool(self._pages)
        self.query_one("#pages", Lines).show(self._page_names)
        self.query_one("#page", Lines).show(self._visible_rows)
        self.refresh_bindings()

    def _visible_rows(self, size: Size) -> list[TextRow]:
        # A page that goes on below ends in an ellipsis, which Lines adds; the list of keys is cut without one.
        last = None
        if self._is_last:
            last = self._top + size.height
        return self._rows(size)[self._top : last]

    def _rows(self, size: Size) -> list[TextRow]:
        """All rows of the page."""
        if self._is_last:
            keys = matching(self._sections, self._query)
            concepts = concepts_with(self._query)
            if not keys and not concepts:
                return self._no_matches(size.width)
            rows: list[TextRow] = []
            for term, text in concepts:
                rows += [TextRow((TextSpan(term, "amber", True),)), *wrapped(text, min(size.width - 1, 100)), TextRow()]
            return rows + in_columns(keys, size.width, self.look.glyphs)
        return _page(self._pages[self._page_number], size)

    def _no_matches(self, width: int) -> list[TextRow]:
        """A message without matches, with suggestions of similar words."""
        actions = [words for __, rows in self._sections for __, words in rows]
        similar = nearest(self._query, actions)
        advice = ""
        if similar:
            advice = _(" Try {quoted}.").format(quoted=either(list(map(quoted, similar))))
        return list(
            wrapped(_("No matches for {query}.{advice}").format(query=quoted(self._query), advice=advice), width, "dim")
        )

    def label(self, key: Key) -> str:
        """Name of a key in the last row; the game cannot be switched here, nor pages turned without any."""
        hidden = {"game"}
        if not self._pages:
            hidden |= {"help_previous", "help_next"}
        if self._is_last:
            hidden.add(LAST.action_id)
        if key.id in hidden:
            return ""
        return super().label(key)

    def action_turn(self, by: int) -> None:
        """Turn to another page; the keys are the last one."""
        self._page_number = min(max(self._page_number + by, 0), len(self._pages))
        self._top = 0
        self.show()

    def action_scroll(self, rows: int) -> None:
        """Scroll a page that is longer than the screen."""
        size = self.query_one("#page").size
        self._top = min(max(self._top + rows, 0), max(len(self._rows(size)) - size.height, 0))
        self.show()

    def on_mouse_scroll_down(self) -> None:
        """Scroll down."""
        self.action_scroll(3)

    def on_mouse_scroll_up(self) -> None:
        """Scroll up."""
        self.action_scroll(-3)

    def _page_names(self, size: Size) -> list[TextRow]:
        """The names of the pages; the first ones are left out if the current one would not fit."""
        names = [*(_(page.title) for page in self._pages), _("All keys")]
        first = 0
        # The first names are dropped until the current one fits.
        while first < self._page_number:
            width = sum(len(name) + 2 for name in names[first : self._page_number + 1])
            if width <= size.width - 2:
                break
            first += 1
        spans: list[TextSpan] = []
        for number, name in enumerate(names[first:], start=first):
            is_current = number == self._page_number
            spans.append(TextSpan(f"{name}  ", "amber" if is_current else "dim", bold=is_current))
        return [TextRow(tuple(spans))]

    def action_find(self) -> None:
        """Ask for a term, an action or a key."""
        self._search("")
        # The results of a search are on the page with all keys, the last one.
        self.action_turn(99)
        self.last_row.prompt(_("Find"), _("a term, an action or a key"), self._search, on_change=self._search)

    def _search(self, text: str) -> None:
        """Show the terms and keys that match."""
        self._query = text
        self._top = 0
        self.show()

    def action_leave(self) -> None:
        """Show all keys again after a search; else close the help."""
        if self._query:
            self._search("")
        else:
            super().action_leave()

    @on(LastRow.Cancelled)
    def _search_cancelled(self) -> None:
        self._search("")


def _page(page: Page, size: Size) -> list[TextRow]:
    """The rows of a page: its title, what is on the screen now, and its paragraphs."""
    width = min(size.width - 2, 100)
    rows = [TextRow((TextSpan(_(page.title), bold=True),))]
    if page.current:
        rows += wrapped(_("Here: {here}").format(here=page.current), width, "amber")
    for paragraph in page.paragraphs:
        rows += [TextRow(), *wrapped(paragraph, width)]
    return rows
