"""The app: themes, screens, the command palette, and the wiring between them."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, cast
from weakref import WeakSet

from rich.cells import cell_len
from rich.console import RenderableType
from textual import on
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App, ScreenStackError
from textual.binding import BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.geometry import Offset
from textual.theme import Theme
from textual.types import CSSPathType
from textual.widgets import Input

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.chess import notation
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.paths import UNRESTRICTED, AccessPolicy, memory_file
from endgame_core.settings import (
    CLUSTER,
    COORDINATES,
    CURSOR,
    ENGINE,
    GLYPHS,
    MOTION,
    PIECE_LETTERS,
    PIECES,
    THEME,
    Setting,
    Settings,
)
from endgame_core.system import hangup_signal
from endgame_core.words.tables import stopped_by_quitting
from endgame_core.words.text_model import capital
from endgame_tui.job_control import has_job_control
from endgame_tui.jobs import POLL_SECONDS, Jobs, Trouble
from endgame_tui.keys import HELP, NO_KEYMAP, QUIT, SETTINGS, Key, Keymap, name_controls
from endgame_tui.look import ASCII, UNICODE, Look, StylePalette, colours_of, is_dark, pieces_of
from endgame_tui.low_bandwidth import FAST_LINE_SECONDS, CachedStylesheet, DiffUpdate, Pen, diff_driver
from endgame_tui.piece_pictures import PiecePictures, terminal_obstacle
from endgame_tui.screens.base import (
    THEME_ACTIONS,
    BaseScreen,
    Request,
    ScreenAction,
    screen_actions,
)
from endgame_tui.terminal_input import make_tolerant
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import MAIN_SCREENS
from endgame_tui.widgets.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.driver import Driver
    from textual.screen import Screen
    from textual.timer import Timer


_SECONDS_UNTIL_COMPILATION = 1.0
"""Seconds from the first screen until kernels are compiled in the background."""

_SECONDS_BETWEEN_IMPORTS = 0.1
"""Seconds from the first screen, and from one module of a screen, until the next one is imported in the background."""

_NEW_OBJECTS = 10_000
"""New objects after which Python collects garbage once the first screen is drawn."""

_PREFIX = "endgame-"
"""The prefix of the names of our themes whose names Textual uses as well."""

_PALETTE_COLUMNS = 36
"""Columns of the command palette before the keys."""

_WRITE_DELAY = 0.4
"""Seconds after a change until the app state is written, so that a series of keys writes it once."""

_EXIT_SECONDS = 8.0
"""Seconds that the app has to exit by itself after SIGTERM."""


def _screen_factory(mode: str) -> Callable[[], Screen[Any]]:
    """A function that creates the screen of a mode; its module is imported when it is first opened."""

    def create() -> Screen[Any]:
        module = import_module(f"endgame_tui.screens.{mode}")
        return getattr(module, f"{mode.title()}Screen")()

    return create


class ActionProvider(Provider):
    """The entries of the command palette: the actions of the current screen and of the app, terms, endings, studies."""

    def _commands(self) -> Iterator[ScreenAction]:
        """The actions of the current screen and of the app that have a description."""
        app = self.app
        assert isinstance(app, EndgameApp)
        return (command for command in screen_actions(self.screen, app.game) if command.description)

    async def discover(self) -> Hits:
        """Yield all actions, before anything is typed."""
        for command in self._commands():
            yield DiscoveryHit(_palette_row(Content(command.description), command), command.run, command.description)

    async def search(self, query: str) -> Hits:
        """Yield the actions, terms, endings and studies that match the query."""
        matcher = self.matcher(query)
        for command in (*self._commands(), *self._topics()):
            score = matcher.match(command.description)
            if score > 0:
                yield Hit(
                    score,
                    _palette_row(matcher.highlight(command.description), command),
                    command.run,
                    command.description,
                )

    def _topics(self) -> Iterator[ScreenAction]:
        """Terms to read about, endings and studies to open; the right column says which of these an entry is."""
        from endgame_core.words.concepts import CONCEPTS

        app = self.app
        assert isinstance(app, EndgameApp)
        if isinstance(self.screen, BaseScreen):
            for term in CONCEPTS:
                yield ScreenAction(term, _("term"), partial(app.call_later, app.explain, term), frozenset())
        for ending in app.lab.explorer_of(app.game).game.endings():
            run = partial(app.call_later, app.open, "explore", Request(text=ending))
            yield ScreenAction(ending, _("ending"), run, frozenset())
        for study_set in app.lab.studies(app.game).sets():
            for study in study_set.studies:
                run = partial(app.call_later, app.open, "explore", Request(text=study.position))
                yield ScreenAction(study.name, _("study"), run, frozenset())


class ActionPalette(CommandPalette):
    """The command palette, whose keys do nothing if there are no matches."""

    def _action_command_list(self, action: str) -> None:
        """Pass a key on to the list, unless it has only the disabled option that says that there are no matches."""
        command_list = self.query_one(CommandList)
        if any(not option.disabled for option in command_list.options):
            super()._action_command_list(action)


def _palette_row(description: Content, command: ScreenAction) -> Content:
    """The description of a command, and its keys."""
    padding = max(_PALETTE_COLUMNS - len(command.description), 1)
    return Content.assemble(description.pad_right(padding), (command.keys, "$primary"))


class EndgameApp(App[None]):
    """Explore solved endings, build more of them, play against perfect defence.

    Args:
        fen: Position to open (default: the longest win of KQvK).
        data_dir: Directory of the tables (default: the user's data directory).
        ascii: Whether to print ASCII only; None to decide by the settings and the locale.
        syzygy: Directory of Syzygy files (default: from the environment or the settings file).
        memory: The stored app state; by default an empty one that is not written.
        reach: What the app may use outside the data directory.
        gaviota: Directory of Gaviota files (default: from the environment or the settings file).
    """

    TITLE = "endgame-tui"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        mode: _screen_factory(mode) for mode, __, __ in MAIN_SCREENS
    }
    DEFAULT_MODE = "explore"
    COMMANDS: ClassVar[set[Any]] = {ActionProvider}
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Key(str(digit), f"screen('{mode}')", name, id=f"{mode}_screen")
            for digit, (mode, name, __) in enumerate(MAIN_SCREENS, start=1)
        ),
        Key("G", "game", _("Switch to Morris or chess"), short=_("Morris"), shorts={"morris": _("chess")}),
        Key("N", "learn_next", _("Learn next: due, weak, new")),
        HELP,
        SETTINGS,
        Key("x", "cancel_build", _("Cancel the running task")),
        QUIT,
        Key("ctrl+z", "suspend_process", _("Suspend the app (fg resumes)"), id="suspend", priority=True),
        Key("ctrl+p", "command_palette", "palette", id="palette", priority=True, system=True),
    ]
    CSS_PATH: ClassVar[CSSPathType | None] = Path(__file__).with_name("screens") / "base.tcss"

    def __init__(
        self,
        fen: str | None = None,
        data_dir: Path | None = None,
        ascii: bool | None = None,
        syzygy: str | None = None,
        memory: AppState | None = None,
        reach: AccessPolicy = UNRESTRICTED,
        gaviota: str | None = None,
    ) -> None:
        is_colourless = "NO_COLOR" in os.environ
        self.memory = memory or AppState()
        last_screen = self.memory.get(str, "screen")
        if fen is None and last_screen in self.MODES:
            setattr(self, "DEFAULT_MODE", last_screen)  # noqa: B010 - a class variable for Textual
        super().__init__(ansi_color=True if is_colourless else None)
        self.stylesheet = CachedStylesheet(variables=self.get_css_variables())
        self.lab = AppContext(data_dir, syzygy, self._on_problem, access=reach, gaviota=gaviota)
        self.jobs = Jobs(self, self.lab, lambda: self.settings[CLUSTER], self.memory)
        last_game = self.memory.get(str, "game")
        game = None
        if fen is not None:
            game = games.game_by_spelling(fen)
        elif last_game in games.NAMES:
            game = last_game
        self.game = game or games.DEFAULT_GAME
        self.rng = Random()
        self.clock: Callable[[], float] = monotonic
        self.start_text = fen
        """The position to open first; None once it has been opened, or without one."""
        self._may_resume = fen is None
        """Whether to offer to resume what is unfinished: not if the command line names a position."""
        self.open_screens: WeakSet[BaseScreen] = WeakSet()
        self.problem: EndgameError | None = None
        """A problem when the app was closing and no screen could show it."""
        self.settings = Settings(self.lab.root)
        notation.use_letters(self.settings[PIECE_LETTERS])
        self.keymap: Keymap = NO_KEYMAP
        self.apply_keys()
        self._ascii = ascii
        self._is_colourless = is_colourless
        self._looks: dict[str, Look] = {}
        """The looks by theme."""
        self._parsed_theme = ""
        self._pen = Pen()
        self.pictures: PiecePictures | None = None
        """The pictures of pieces that the terminal has; None as long as it has none."""
        self._write_timer: Timer | None = None
        for name in THEME.choices:
            self.register_theme(_theme(name, colours_of(name, self.console.color_system)))
        self._chosen_theme: str = self.settings[THEME]
        """The theme that applies when none is previewed."""
        self.theme = "ansi-dark" if is_colourless else _PREFIX + self._chosen_theme

    def _on_problem(self, problem: EndgameError) -> None:
        """Report a problem that does not stop the app."""
        self.jobs.post(Trouble(problem))

    def clear_selection(self) -> None:
        """Clear the text selection of the screen, if there is one.

        From Python 3.12 on Textual composes the first screen of a mode before it is on the stack, and its inputs call
        this method: https://github.com/Textualize/textual/issues/6444.
        """
        with suppress(ScreenStackError):
            super().clear_selection()

    @property
    def look(self) -> Look:
        """The palette and glyphs to draw with."""
        look = self._looks.get(self.theme)
        if look is None:
            colours = None
            if not self._is_colourless:
                colours = colours_of(self.theme.removeprefix(_PREFIX), self.console.color_system)
            glyphs = ASCII if self._is_ascii() else UNICODE
            pieces = self.settings[PIECES]
            has_pictures = pieces == "image" and not self.picture_obstacle
            # Kept across themes: the terminal has the pictures already.
            if has_pictures and self.pictures is None and self._driver is not None:
                self.pictures = PiecePictures(self._driver.write)
            if pieces in ("auto", "image"):
                pieces = pieces_of(os.environ)
            pictures = self.pictures if has_pictures else None
            look = Look(StylePalette(colours), glyphs, self.settings[COORDINATES], pieces, pictures)
            self._looks[self.theme] = look
        return look

    @property
    def picture_obstacle(self) -> str:
        """Why no pictures of pieces can be shown, as a clause; empty if they can."""
        # From what never changes to what may: the first obstacle is the one that is named.
        if self.is_web:
            return _("a browser cannot draw them")
        if self._is_colourless or self._is_ascii():
            return _("they need colours and Unicode")
        obstacle = terminal_obstacle(os.environ)
        if obstacle:
            return obstacle
        if self.console.color_system != "truecolor":
            return _("they need true colour (COLORTERM=truecolor)")
        seconds = self.line_seconds
        if seconds is None:
            return _("the terminal has not answered yet")
        if seconds >= FAST_LINE_SECONDS:
            return _("the connection to the terminal is slow")
        return ""

    @property
    def line_seconds(self) -> float | None:
        """Seconds until the terminal has taken the first screen and answered; None as long as it has not."""
        return getattr(self._driver, "line_seconds", None)

    def on_line_timed(self) -> None:
        """Draw with pictures if the line turns out to be fast enough."""
        if self.settings[PIECES] == "image":
            # picture_obstacle has changed: looks are made anew on demand.
            self._looks.clear()
            for screen in self.open_screens:
                screen.redraw()

    def _is_ascii(self) -> bool:
        """Whether to print ASCII only: by the command line, else by the settings, else by the locale."""
        if self._ascii is not None:
            return self._ascii
        setting = self.settings[GLYPHS]
        if setting == "auto":
            return not locale_is_utf8()
        return setting == "ascii"

    def refresh_css(self, animate: bool = True) -> None:
        """Apply the style sheets to another theme; Textual also calls this twice for every new screen, in vain."""
        if self._parsed_theme != self.theme:
            self._parsed_theme = self.theme
            super().refresh_css(animate)
            for screen in self.open_screens:
                # Textual has updated the screens of the current mode only.
                if screen not in self._screen_stack:
                    self.stylesheet.update(screen, animate)

    def on_mount(self) -> None:
        """Start the timers and signal handlers, report problems of the stored files, offer to resume."""
        self.set_interval(POLL_SECONDS, self.jobs.watch)
        self._exit_on_signals()
        self.app_resume_signal.subscribe(self, self._repaint)
        self.memory.on_change = self._schedule_write
        # Each message replaces the one before: in reverse, the first problem of the settings stays visible.
        for problem in (self.memory.problem, *self.settings.problems[::-1]):
            if problem is not None:
                self.call_after_refresh(self.jobs.post, Trouble(problem))
        # Only a real terminal answers; after the first screen, so that its output is part of the time.
        if not self.is_headless and not self.is_web:
            self.call_after_refresh(self._time_line)
        self.call_after_refresh(self._prepare_for_keys)
        if not self.is_web and not self.lab.access.locked:
            self.set_timer(_SECONDS_UNTIL_COMPILATION, self._compile_ahead)

        if self._may_resume and self.memory.get(dict, "left"):
            self.call_after_refresh(self.action_go_on)

    def _time_line(self) -> None:
        """Let the driver time the terminal."""
        if self._driver is not None:
            cast("Any", self._driver).time_line()

    @property
    def has_motion(self) -> bool:
        """Whether a played move may light up: if the user wants it, and the line to the terminal is fast."""
        return self.allows_motion(self.settings, self.line_seconds)

    @staticmethod
    def allows_motion(settings: Settings, seconds: float | None) -> bool:
        """Whether something may move if the terminal has answered after some seconds, or (None) not at all."""
        return settings[MOTION] and seconds is not None and seconds < FAST_LINE_SECONDS

    def _prepare_for_keys(self) -> None:
        """Once the first screen is drawn, make sure that keys are answered quickly."""
        gc.freeze()  # imported modules stay: the garbage collector need not visit their objects again
        gc.set_threshold(_NEW_OBJECTS)
        self.set_timer(_SECONDS_BETWEEN_IMPORTS, self._import_screens)

    def _import_screens(self) -> None:
        """Import the modules of the other screens one by one while nothing happens, so that they open quickly."""
        names = (f"endgame_tui.screens.{mode}" for mode in EndgameApp.MODES)
        # One module for each timer, so that a key is answered in between.
        name = next((name for name in names if name not in sys.modules), None)
        if name is not None:
            import_module(name)
            self.set_timer(_SECONDS_BETWEEN_IMPORTS, self._import_screens)
        else:
            gc.freeze()

    def _compile_ahead(self) -> None:
        """Compile the kernels in the background, so that the first build need not wait for them."""
        from endgame_core.tables import compile_ahead

        compile_ahead.start(games.by_name(self.game))

    @property
    def unavailable(self) -> frozenset[str]:
        """Actions that are not available: a locked app and one in a browser must not give access to the shell."""
        if self.lab.access.locked or self.is_web:
            return frozenset({"suspend_process"})
        return frozenset()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable unavailable actions."""
        return action not in self.unavailable and super().check_action(action, parameters)

    def action_suspend_process(self) -> None:
        """Suspend the app, until the shell resumes it by ``fg``."""
        if self._driver is None or not self._driver.can_suspend or not has_job_control():
            raise EndgameError(
                _("the app was not started from a shell that can resume it"), instruct(_("{press} {quit} to quit"))
            )
        # Nothing guarantees that the shell ever resumes the app.
        self.memory.write()
        super().action_suspend_process()

    def _repaint(self, __: object) -> None:
        """Send the whole screen again: while the app was suspended, the shell wrote to the terminal."""
        if self.pictures is not None:
            self.pictures.send_again()
        self._display(self.screen, self.screen._compositor.render_update(full=True))  # pyright: ignore[reportPrivateUsage]

    def _exit_on_signals(self) -> None:
        """On SIGTERM or SIGINT, exit without a question: restore the terminal and write all files.

        A terminal that accepts no more output may block the exit: then the same signal ends the process a little later,
        or when it is sent again. If the terminal is gone, SIGHUP ends the process, also if the parent ignores it.
        """
        if self.is_headless or self.is_web:
            return
        loop = asyncio.get_running_loop()
        hangup = hangup_signal()
        if hangup is not None:
            signal.signal(hangup, signal.SIG_DFL)

        def on_signal(number: int, _frame: object) -> None:
            signal.signal(number, signal.SIG_DFL)
            if hangup is not None:  # at a shutdown the terminal is closed as well: do not let that interrupt the exit
                signal.signal(hangup, signal.SIG_IGN)
            killer = threading.Timer(_EXIT_SECONDS, os.kill, (os.getpid(), number))
            killer.daemon = True
            with suppress(RuntimeError):  # the interpreter or the loop is shutting down already
                killer.start()
                loop.call_soon_threadsafe(self.exit, None, 128 + number)

        signal.signal(signal.SIGTERM, on_signal)
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, on_signal)

    def action_go_on(self) -> None:
        """Offer to resume the unfinished drill or game."""
        screen = self.screen
        if isinstance(screen, BaseScreen) and screen.is_mounted:  # the user may have switched to one not mounted yet
            screen.offer_resume()

    def _schedule_write(self) -> None:
        if self._write_timer is None and self.memory.is_persistent:
            self._write_timer = self.set_timer(_WRITE_DELAY, self._write_memory)

    def _write_memory(self) -> None:
        self._write_timer = None
        self.memory.write()

    def get_driver_class(self) -> type[Driver]:
        """The platform's driver, changed to accept any input, show the cursor and suspend the whole job."""
        driver_class = super().get_driver_class()
        make_tolerant(driver_class)
        return diff_driver(driver_class)

    def panic(self, *renderables: RenderableType) -> None:
        """Exit with an error message and status 1; Textual exits with 0 if its input thread fails."""
        self._return_code = self._return_code or 1
        super().panic(*renderables)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Send only the changes of an update, and leave the terminal's cursor at the focus."""
        # Textual moves the terminal's cursor there at the end of each update.
        self.cursor_position = self._focus_offset()
        output: Any = renderable
        if isinstance(renderable, ChopsUpdate | LayoutUpdate):
            output = DiffUpdate(renderable, self._pen)
        super()._display(screen, output)

    @property
    def shows_cursor(self) -> bool:
        """Whether the terminal's cursor is visible."""
        return self.settings[CURSOR]

    def _focus_offset(self) -> Offset:
        """The cell for the terminal's cursor, which screen readers and magnifiers follow."""
        screen = self.screen
        widget = screen.focused
        if widget is None and isinstance(screen, BaseScreen) and screen.READ_FIRST:
            # Nothing has the focus: a screen reader starts at what the screen says is to be read first.
            widget = next((candidate for candidate in screen.query(screen.READ_FIRST) if candidate.region), None)
        if widget is None:
            return Offset()
        if isinstance(widget, Input):
            typed_columns = cell_len(widget.value[: widget.cursor_position])
            return widget.content_region.offset + Offset(typed_columns - widget.scroll_offset.x, 0)

        offset = widget.content_region.offset
        if isinstance(widget, Canvas):
            offset += widget.cursor_offset()
        # Content that is scrolled out of sight has no cell: then the first visible cell of the widget.
        if widget.region.contains_point(offset):
            return offset
        return widget.region.intersection(screen.region).offset

    async def run_action(self, action: Any, default_namespace: Any = None, namespaces: Any = None) -> bool:
        """Run an action of a key or a command; its EndgameError is shown on the screen."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except EndgameError as problem:
            if isinstance(self.screen, BaseScreen):
                self.screen.complain(problem)
            return True

    async def action_screen(self, mode: str) -> None:
        """Switch to another screen, with the request that the current one hands over."""
        current = self.screen
        request = None
        if isinstance(current, BaseScreen):
            request = current.handover()
        await self.open(mode, request)

    async def open(self, mode: str, request: Request | None = None) -> None:
        """Switch to the screen of a mode, and hand it a request of another screen."""
        if request is not None and request.game is not None:
            self.game = request.game
        await self.switch_mode(mode)
        self.memory.note(mode, "screen")
        self.memory.note(self.game, "game")
        screen = self.screen
        if request is not None and isinstance(screen, BaseScreen):
            # Queued, because a screen that has just been created is not composed yet; the game comes before the
            # request.
            screen.call_later(screen.catch_up)
            screen.call_later(screen.receive, request)

    def action_game(self) -> None:
        """Switch to the other game, on all screens."""
        if isinstance(self.screen, BaseScreen):
            number = games.NAMES.index(self.game) + 1
            self.game = games.NAMES[number % len(games.NAMES)]
            self.screen.catch_up()
            self.memory.note(self.game, "game")

    async def action_learn_next(self) -> None:
        """Show what to practise next; a learner whose level is not known yet is offered to find it, if the game can."""
        from endgame_core.practice.path import learner_rating
        from endgame_core.tasks.drill_picker import PATH, PLACEMENT

        rating = learner_rating(self.lab.journal, self.game)
        has_placement = bool(self.lab.explorer_of(self.game).game.placement_endings)
        row = PATH
        if rating is None and has_placement:
            row = PLACEMENT
        await self.open("practise", Request(self.game, text=row, starts=False))

    def action_help(self) -> None:
        """Show the help of the current screen, and all keys."""
        self.explain("")

    def explain(self, term: str) -> None:
        """Open the help, and search it for a term unless that is empty."""
        from endgame_tui.screens.help import HelpScreen, pages_of, sections

        if not isinstance(self.screen, HelpScreen):
            key_sections = sections(type(self), self.game, type(self.screen), self.unavailable, self.keymap)
            self.push_screen(HelpScreen(key_sections, self.current_mode, pages_of(self.screen), term))

    def action_syzygy(self) -> None:
        """Show the Syzygy files."""
        from endgame_tui.screens.syzygy import SyzygyScreen

        if not isinstance(self.screen, SyzygyScreen):
            self.push_screen(SyzygyScreen())

    def action_settings(self) -> None:
        """Show the settings."""
        from endgame_tui.screens.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen(self.current_mode))

    def action_command_palette(self) -> None:
        """Show the command palette."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(ActionPalette(placeholder=_("Search for commands…")))

    def action_theme(self, name: str = "") -> None:
        """Switch to a theme by name; without one from a dark one to the light one, or back to the dark one."""
        if self._is_colourless:
            return
        opposite = "light" if is_dark(self._chosen_theme) else "dark"
        new_theme = name or opposite
        self._choose_theme(new_theme)
        if self.memory.is_persistent:
            try:
                self.settings.put(THEME, new_theme)
            except EndgameError as problem:
                self.jobs.post(Trouble(problem))

    @on(CommandPalette.OptionHighlighted)
    def _preview_theme(self, event: CommandPalette.OptionHighlighted) -> None:
        """Show the theme that is highlighted in the command palette."""
        hit = getattr(event.highlighted_event.option, "hit", None)
        # Textual's options of the palette have the hit; the row that says that there are no matches has none.
        description = "" if hit is None else str(hit.text)
        self._show_theme(THEME_ACTIONS.get(description, self._chosen_theme))

    @on(CommandPalette.Closed)
    def _end_preview(self) -> None:
        """Show the chosen theme again; if another one was selected, that comes next."""
        self._show_theme(self._chosen_theme)

    def _choose_theme(self, name: str) -> None:
        self._chosen_theme = name
        self._show_theme(name)

    def _show_theme(self, name: str) -> None:
        """Use a theme without storing it; without colours there are no themes."""
        if not self._is_colourless:
            self.theme = _PREFIX + name

    def apply_setting(self, setting: Setting[Any]) -> None:
        """Apply a changed setting: to the screens at once, to the engine from its next move on."""
        if setting is THEME:
            self._choose_theme(self.settings[THEME])
        elif setting is ENGINE:
            self.lab.reset_engines()
        elif setting is CURSOR and self._driver is not None and not self.is_headless:
            cast("Any", self._driver).show_cursor(self.shows_cursor)
        elif setting in (GLYPHS, COORDINATES, PIECES):
            self._looks.clear()
        for screen in self.open_screens:
            screen.redraw()

    def apply_keys(self) -> None:
        """Use the keys of the settings file; what is wrong with them is among the problems of the settings."""
        self.keymap = NO_KEYMAP
        if self.settings.keys:  # otherwise the screens need not be imported
            from endgame_tui.user_keys import check_keys

            self.keymap, problems = check_keys(self.settings.keys, type(self))
            self.settings.report_keys(problems)
        name_controls(self.keymap)
        self.set_keymap(self.keymap)

    def action_cancel_build(self) -> None:
        """Cancel the running build or the task on a table; raises EndgameError if there is neither."""
        if self.jobs.job is None and self.jobs.table_task is None:
            raise EndgameError(_("no task is running"))
        self.jobs.cancel()

    def action_help_quit(self) -> None:
        """On Ctrl-C, which ends other programs, show the key that quits this one."""
        screen = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, BaseScreen)), None)
        if screen is not None:
            can_quit = screen is self.screen and not screen.last_row.is_typing
            if can_quit:
                advice = _("press {quit} to quit.")
            else:
                advice = _("press {cancel_prompt} to close this, then {quit} to quit.")
            screen.say(instruct(advice))

    async def action_quit(self) -> None:
        """Quit; if that would lose something, ask first."""
        screen = self.screen
        job = self.jobs.job
        if not isinstance(screen, BaseScreen):
            self.exit()
            return
        losses = [each.quit_warning() for each in (screen, *self.open_screens) if each.is_attached]
        if job is not None:
            losses.append(stopped_by_quitting(job.request.endings, len(self.jobs.waiting)))
        warning = _(", and ").join(loss for loss in dict.fromkeys(losses) if loss)
        if warning:
            screen.last_row.ask(
                _("Quit? {warning}").format(warning=capital(warning)),
                Choice("q", _("quit"), self.exit),
            )
        else:
            self.exit()

    def on_unmount(self) -> None:
        """Stop builds, write the app state and close the tables, whatever ends the app."""
        # First what still works on the tables, then the state that it may have changed, the tables last.
        self.jobs.close()
        self.memory.write()
        try:
            self.lab.close()
        except EndgameError as problem:
            self.problem = problem


def _theme(name: str, colours: Mapping[str, str]) -> Theme:
    return Theme(
        _PREFIX + name,
        primary=colours["amber"],
        accent=colours["amber"],
        success=colours["win"],
        error=colours["loss"],
        foreground=colours["text"],
        background=colours["ground"],
        surface=colours["ground"],
        panel=colours["bar"],
        dark=is_dark(name),
        variables={
            f"block-cursor{suffix}-{layer}": colours[role]
            for suffix in ("", "-blurred")
            for layer, role in (("foreground", "amber"), ("background", "selected"))
        },
    )


def locale_is_utf8() -> bool:
    """Whether the locale uses UTF-8; an unset locale counts as UTF-8."""
    if sys.platform in ("win32", "darwin"):
        return True
    lc_all, lc_ctype, lang = (os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    if lc_all == "" and lc_ctype == "C.UTF-8" and lang in ("C", "POSIX"):
        return False  # Python itself sets LC_CTYPE to this in the C locale
    # The order in which the system evaluates them.
    locale = lc_all or lc_ctype or lang or "utf-8"
    return "utf8" in locale.lower().replace("-", "")


def run(
    fen: str | None = None,
    data_dir: Path | None = None,
    ascii: bool | None = None,
    syzygy: str | None = None,
    reach: AccessPolicy = UNRESTRICTED,
    gaviota: str | None = None,
) -> None:
    """Run the app until the user quits.

    Args:
        fen: Position to open (default: the longest win of KQvK).
        data_dir: Directory of the tables (default: the user's data directory).
        ascii: Whether to print ASCII only; None to decide by the settings and the locale.
        syzygy: Directory of Syzygy files (default: from the environment or the settings file).
        reach: What the app may use outside the data directory.
        gaviota: Directory of Gaviota files (default: from the environment or the settings file).

    Raises:
        EndgameError: The last results of practice could not be written.
    """
    app = EndgameApp(fen, data_dir, ascii, syzygy, AppState(memory_file(data_dir)), reach, gaviota)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Until the app runs, Ctrl-C ends the program at once: Python would warn of a coroutine that nobody awaits.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    app.run()
    if app.problem is not None:
        raise app.problem
    if app.return_code:
        sys.exit(app.return_code)  # after a crash, which Textual has reported, or after SIGTERM
