"""The app: themes, screens, command palette and wiring; nothing else."""

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
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App, ScreenStackError
from textual.binding import BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.geometry import Offset
from textual.theme import Theme
from textual.types import CSSPathType
from textual.widgets import Input

from endgame_core import controls, games
from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError
from endgame_core.paths import UNRESTRICTED, AccessPolicy, memory_file
from endgame_core.settings import CLUSTER, COORDINATES, CURSOR, ENGINE, GLYPHS, THEME, Setting, Settings
from endgame_core.words.tables import stopped_by_quitting
from endgame_tui.controls import KEYS
from endgame_tui.job_control import has_job_control
from endgame_tui.jobs import LOOK, Jobs, Trouble
from endgame_tui.look import ASCII, UNICODE, Look, StylePalette, colours_of
from endgame_tui.low_bandwidth import DiffUpdate, Pen, Sheets, thrifty
from endgame_tui.screens.base import BaseScreen, Request, ScreenAction, offer_resume, redraw_screen, screen_actions
from endgame_tui.terminal_input import make_tolerant
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import SCREENS, Key
from endgame_tui.widgets.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.driver import Driver
    from textual.screen import Screen
    from textual.timer import Timer


_PALETTE = 36
"""Columns of the command palette before the keys."""

_REST = 0.4
"""Seconds after which what is to be remembered is written: of many keys in a row, once."""

_LAST = 8.0
"""Seconds in which the app may end by itself once it was told to."""


def _screen(mode: str) -> Callable[[], Screen[Any]]:
    """Makes the screen of a mode; its module is imported when it is first opened."""
    return lambda: getattr(import_module(f"endgame_tui.screens.{mode}"), f"{mode.title()}Screen")()


class Actions(Provider):
    """The command palette: every action of the screen at hand and of the app, in words."""

    def _commands(self) -> Iterator[ScreenAction]:
        """What can be done on the screen at hand."""
        app = self.app
        assert isinstance(app, EndgameApp)
        return (command for command in screen_actions(self.screen, app.game) if command.description)

    async def discover(self) -> Hits:
        """Everything, before anything is typed."""
        for command in self._commands():
            yield DiscoveryHit(_in_a_row(Content(command.description), command), command.run, command.description)

    async def search(self, query: str) -> Hits:
        """What matches the query: actions, terms of the field, endings and studies."""
        matcher = self.matcher(query)
        for command in (*self._commands(), *self._places()):
            if (score := matcher.match(command.description)) > 0:
                row = _in_a_row(matcher.highlight(command.description), command)
                yield Hit(score, row, command.run, command.description)

    def _places(self) -> Iterator[ScreenAction]:
        """Terms to read about, endings and studies to open; the right column says which of these each is."""
        from endgame_core.words.concepts import CONCEPTS

        app = self.app
        assert isinstance(app, EndgameApp)
        if isinstance(self.screen, BaseScreen):
            for term in CONCEPTS:
                yield ScreenAction(term, "term", partial(app.call_later, app.explain, term), frozenset())
        for ending in app.lab.explorer_of(app.game).game.endings():
            run = partial(app.call_later, app.open, "explore", Request(text=ending))
            yield ScreenAction(ending, "ending", run, frozenset())
        for study_set in app.lab.studies(app.game).sets():
            for study in study_set.studies:
                run = partial(app.call_later, app.open, "explore", Request(text=study.position))
                yield ScreenAction(study.name, "study", run, frozenset())


class Commands(CommandPalette):
    """The command palette, whose keys do nothing where nothing matches."""

    def _action_command_list(self, action: str) -> None:
        """Passes a key on to the list, which takes the word that nothing matches for a command."""
        result = self.query_one(CommandList)
        if any(not option.disabled for option in result.options):
            super()._action_command_list(action)


def _in_a_row(told: Content, command: ScreenAction) -> Content:
    """What it does, and its key."""
    return Content.assemble(told.pad_right(max(_PALETTE - len(command.description), 1)), (command.keys, "$primary"))


class EndgameApp(App[None]):
    """Explore solved endings, build more of them, play against perfect defence.

    Args:
        fen: Position to open; the longest win of KQvK by default.
        data_dir: Where tables are kept; the user's data directory by default.
        ascii: Print ASCII only; None asks the locale.
        syzygy: Directory of Syzygy files; as the environment or the settings file says by default.
        memory: What was remembered; by default nothing is.
        reach: What may be used beside the data directory.
    """

    TITLE = "endgame-tui"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {mode: _screen(mode) for mode, _, _ in SCREENS}
    DEFAULT_MODE = "explore"
    COMMANDS: ClassVar[set[Any]] = {Actions}
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Key(str(digit), f"screen('{mode}')", name, id=f"app.{mode}")
            for digit, (mode, name, _) in enumerate(SCREENS, start=1)
        ),
        Key(
            "G",
            "game",
            "Switch to Morris or chess",
            id="app.game",
            short="Morris",
            rank=2,
            shorts={"morris": "chess"},
        ),
        Key("question_mark,f1", "help", "Help: this screen, all keys", id="app.help"),
        Key("comma", "settings", "Settings", id="app.settings"),
        Key("x", "cancel_build", "Cancel the running task", id="app.cancel-build"),
        Key("q", "quit", "Quit", id="app.quit"),
        Key("ctrl+z", "suspend_process", "Suspend the app (fg resumes)", id="app.suspend", priority=True),
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
    ) -> None:
        colourless = "NO_COLOR" in os.environ
        self.memory = memory or AppState()
        last = self.memory.get(str, "screen")
        if fen is None and last in self.MODES:
            setattr(self, "DEFAULT_MODE", last)  # noqa: B010 - what Textual asks a class for
        super().__init__(ansi_color=True if colourless else None)
        controls.use(KEYS)
        self.stylesheet = Sheets(variables=self.get_css_variables())
        self.lab = AppContext(data_dir, syzygy, self._trouble, access=reach)
        self.jobs = Jobs(self, self.lab, lambda: self.settings[CLUSTER])
        last = self.memory.get(str, "game")
        self.game = (
            games.game_by_spelling(fen) if fen is not None else last if last in games.NAMES else None
        ) or "chess"
        self.rng = Random()
        self.clock: Callable[[], float] = monotonic
        self.start_text = fen
        """What is to be opened first."""
        self._free = fen is None
        """Whether the command line leaves open what is opened first."""
        self.open_screens: WeakSet[BaseScreen] = WeakSet()
        self.problem: EndgameError | None = None
        """What went wrong in the end, when no screen could tell any more."""
        self.settings = Settings(self.lab.root)
        self._ascii = ascii
        self._colourless = colourless
        self._looks: dict[str, Look] = {}
        self._styled = ""
        self._pen = Pen()
        self._waits: Timer | None = None
        for name in ("dark", "light"):
            self.register_theme(_theme(f"endgame-{name}", colours_of(name, self.console.color_system), name == "dark"))
        self.theme = "ansi-dark" if colourless else f"endgame-{self.settings[THEME]}"

    def _trouble(self, problem: EndgameError) -> None:
        """Tells what is not as it was wanted."""
        self.jobs.post(Trouble(problem))

    def clear_selection(self) -> None:
        """Takes the marking of text from the screen, where there is one.

        From Python 3.12 on Textual composes the first screen of a mode before it stands on the stack, and its
        inputs ask for this: https://github.com/Textualize/textual/issues/6444.
        """
        with suppress(ScreenStackError):
            super().clear_selection()

    @property
    def look(self) -> Look:
        """The palette and glyphs to draw with."""
        look = self._looks.get(self.theme)
        if look is None:
            name = "light" if "light" in self.theme else "dark"
            colours = None if self._colourless else colours_of(name, self.console.color_system)
            glyphs = self.settings[GLYPHS]
            ascii = not locale_is_utf8() if glyphs == "auto" else glyphs == "ascii"
            drawn_in = ASCII if (ascii if self._ascii is None else self._ascii) else UNICODE
            look = self._looks[self.theme] = Look(StylePalette(colours), drawn_in, self.settings[COORDINATES])
        return look

    def refresh_css(self, animate: bool = True) -> None:
        """Reads the style sheets anew for another theme only; Textual does so twice for every new screen, too."""
        if self._styled != self.theme:
            self._styled = self.theme
            super().refresh_css(animate)
            for screen in self.open_screens:
                if screen not in self._screen_stack:
                    self.stylesheet.update(screen, animate)

    def on_mount(self) -> None:
        """Looks now and then what another program has built."""
        self.set_interval(LOOK, self.jobs.watch)
        self._end_when_told()
        self.app_resume_signal.subscribe(self, self._repaint)
        self.memory.on_change = self._remember
        for problem in (self.memory.problem, *self.settings.problems[::-1]):
            if problem is not None:
                self.call_after_refresh(self.jobs.post, Trouble(problem))
        # What is imported by now stays: it need not be looked through again whenever objects are collected.
        self.call_after_refresh(gc.freeze)

        if self._free and self.memory.get(dict, "left"):
            self.call_after_refresh(self.action_go_on)

    @property
    def unavailable(self) -> frozenset[str]:
        """Actions that this run does not have: a locked app or a page must not lead to the shell that started it."""
        return frozenset({"suspend_process"}) if self.lab.access.locked or self.is_web else frozenset()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disables actions that this run does not have."""
        return action not in self.unavailable and super().check_action(action, parameters)

    def action_suspend_process(self) -> None:
        """Suspends the app; the shell resumes it by ``fg``, and it repaints its screen."""
        if self._driver is None or not self._driver.can_suspend or not has_job_control():
            raise EndgameError("there is no shell here that could resume the app", "press q to quit")
        self.memory.write()
        super().action_suspend_process()

    def _repaint(self, _: object) -> None:
        """Sends the whole screen again: while the app was suspended, a shell wrote on the terminal."""
        self._display(self.screen, self.screen._compositor.render_update(full=True))  # pyright: ignore[reportPrivateUsage]

    def _end_when_told(self) -> None:
        """Ends in order by SIGTERM, without a question: the terminal is left as it was found, and all is written.

        What a terminal that takes no more output keeps from ending is ended by the same signal a little later, or once
        it is sent again. A terminal that is gone ends everything by itself, also where hangups were ignored before.
        """
        if self.is_headless or self.is_web:
            return
        loop, hangup = asyncio.get_running_loop(), getattr(signal, "SIGHUP", None)
        if hangup is not None:
            signal.signal(hangup, signal.SIG_DFL)

        def told(number: int, _frame: object) -> None:
            signal.signal(number, signal.SIG_DFL)
            if hangup is not None:  # who ends all ends the terminal, too
                signal.signal(hangup, signal.SIG_IGN)
            last = threading.Timer(_LAST, os.kill, (os.getpid(), number))
            last.daemon = True
            with suppress(RuntimeError):  # it is ending
                last.start()
                loop.call_soon_threadsafe(self.exit, None, 128 + number)

        signal.signal(signal.SIGTERM, told)

    def action_go_on(self) -> None:
        """Asks whether to go on with what was left open last."""
        offer_resume(self.screen)

    def _remember(self) -> None:
        """Writes soon what is to be remembered."""
        if self._waits is None and self.memory.is_persistent:
            self._waits = self.set_timer(_REST, self._written)

    def _written(self) -> None:
        self._waits = None
        self.memory.write()

    def get_driver_class(self) -> type[Driver]:
        """The platform's driver, which shows the cursor and accepts any input."""
        driver_class = super().get_driver_class()
        make_tolerant(driver_class)
        return thrifty(driver_class)

    def panic(self, *renderables: RenderableType) -> None:
        """Ends the app with an error message and exit status 1; Textual ends with 0 if its input thread fails."""
        self._return_code = self._return_code or 1
        super().panic(*renderables)

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Sends of an update only what has changed; the terminal's cursor is left where the focus is."""
        self.cursor_position = self._place_of_focus()
        known = isinstance(renderable, ChopsUpdate | LayoutUpdate)
        sent: Any = DiffUpdate(renderable, self._pen) if known else renderable
        super()._display(screen, sent)

    @property
    def shows_cursor(self) -> bool:
        """Whether the terminal's cursor is seen."""
        return self.settings[CURSOR]

    def _place_of_focus(self) -> Offset:
        """Where the terminal's cursor stands: where who cannot see the screen is to read."""
        screen = self.screen
        widget = screen.focused
        if widget is None and isinstance(screen, BaseScreen) and screen.READ_FIRST:
            widget = next((found for found in screen.query(screen.READ_FIRST) if found.region), None)
        if widget is None:
            return Offset()
        if isinstance(widget, Input):
            typed = cell_len(widget.value[: widget.cursor_position])
            return widget.content_region.offset + Offset(typed - widget.scroll_offset.x, 0)
        place = widget.content_region.offset + (widget.place() if isinstance(widget, Canvas) else Offset())
        return widget.region.intersection(screen.region).offset if not widget.region.contains_point(place) else place

    async def run_action(self, action: Any, default_namespace: Any = None, namespaces: Any = None) -> bool:
        """Does what a key or a name asks for; what was wrong, and what to do, is said on the screen."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except EndgameError as problem:
            if isinstance(self.screen, BaseScreen):
                self.screen.complain(problem)
            return True

    async def action_screen(self, mode: str) -> None:
        """Changes to another screen, which is handed what goes along."""
        left = self.screen
        await self.open(mode, left.handover() if isinstance(left, BaseScreen) else None)

    async def open(self, mode: str, request: Request | None = None) -> None:
        """Changes to the screen of a mode, and hands it what another screen wants of it."""
        if request is not None and request.game is not None:
            self.game = request.game
        await self.switch_mode(mode)
        self.memory.note(mode, "screen")
        self.memory.note(self.game, "game")
        screen = self.screen
        if request is not None and isinstance(screen, BaseScreen):
            screen.call_later(screen.catch_up)
            screen.call_later(screen.receive, request)

    def action_game(self) -> None:
        """Changes the game, on all screens."""
        if isinstance(self.screen, BaseScreen):
            self.game = games.NAMES[(games.NAMES.index(self.game) + 1) % len(games.NAMES)]
            self.screen.catch_up()
            self.memory.note(self.game, "game")

    def action_help(self) -> None:
        """Shows what one is looking at, and all keys."""
        self.explain("")

    def explain(self, term: str) -> None:
        """Opens the help; searches it for a term unless that is empty."""
        from endgame_tui.screens.help import HelpScreen, pages_of, sections

        if not isinstance(self.screen, HelpScreen):
            told = sections(type(self), self.game, type(self.screen), self.unavailable)
            self.push_screen(HelpScreen(told, self.current_mode, pages_of(self.screen), term))

    def action_syzygy(self) -> None:
        """Shows the Syzygy files."""
        from endgame_tui.screens.syzygy import SyzygyScreen

        if not isinstance(self.screen, SyzygyScreen):
            self.push_screen(SyzygyScreen())

    def action_settings(self) -> None:
        """Shows the settings."""
        from endgame_tui.screens.settings import SettingsScreen

        if not isinstance(self.screen, SettingsScreen):
            self.push_screen(SettingsScreen(self.current_mode))

    def action_command_palette(self) -> None:
        """Shows the command palette."""
        if not isinstance(self.screen, CommandPalette):
            self.push_screen(Commands())

    def action_theme(self, name: str = "") -> None:
        """Changes to dark or light as it is named, else to the other of them."""
        if self._colourless:
            return
        named = name or ("dark" if "light" in self.theme else "light")
        self.theme = f"endgame-{named}"
        if self.memory.is_persistent:
            try:
                self.settings.put(THEME, named)
            except EndgameError as problem:
                self.jobs.post(Trouble(problem))

    def apply_setting(self, setting: Setting[Any]) -> None:
        """A setting has changed: what is drawn follows it at once, and who thinks next."""
        if setting is THEME and not self._colourless:
            self.theme = f"endgame-{self.settings[THEME]}"
        elif setting is ENGINE:
            self.lab.reset_engine("chess")
        elif setting is CURSOR and self._driver is not None and not self.is_headless:
            cast("Any", self._driver).show_cursor(self.shows_cursor)
        elif setting in (GLYPHS, COORDINATES):
            self._looks.clear()
        for screen in self.open_screens:
            redraw_screen(screen)

    def action_cancel_build(self) -> None:
        """Cancels the build under way, or what is done to a table; says where there is neither."""
        if self.jobs.job is None and self.jobs.at_table is None:
            raise EndgameError("nothing is being built, verified or made smaller")
        self.jobs.cancel()

    def action_help_quit(self) -> None:
        """Ctrl-C ends other programs: tells the key that ends this one, where the screen says things."""
        screen = next((screen for screen in reversed(self.screen_stack) if isinstance(screen, BaseScreen)), None)
        if screen is not None:
            closed = screen is self.screen and not screen.ask.is_typing
            screen.say("press q to quit." if closed else "press Esc to close this, then q to quit.")

    async def action_quit(self) -> None:
        """Quits; asks once before what is under way is lost."""
        screen, job = self.screen, self.jobs.job
        if not isinstance(screen, BaseScreen):
            self.exit()
            return
        building = stopped_by_quitting(job.wish.endings, len(self.jobs.waiting)) if job is not None else ""
        stakes = dict.fromkeys(found.quit_warning() for found in (screen, *self.open_screens) if found.is_attached)
        lost = ", and ".join(filter(None, (*stakes, building)))
        if lost:
            screen.ask.question(f"Quit? {lost[0].upper()}{lost[1:]}", Choice("q", "quit", self.exit))
        else:
            self.exit()

    def on_unmount(self) -> None:
        """Ends what runs beside the app, however that ends."""
        self.jobs.close()
        self.memory.write()
        try:
            self.lab.close()
        except EndgameError as problem:
            self.problem = problem


def _theme(name: str, colours: Mapping[str, str], dark: bool) -> Theme:
    return Theme(
        name,
        primary=colours["amber"],
        accent=colours["amber"],
        success=colours["win"],
        error=colours["loss"],
        foreground=colours["text"],
        background=colours["ground"],
        surface=colours["ground"],
        panel=colours["bar"],
        dark=dark,
        variables={
            f"block-cursor{blurred}-{what}": colours[role]
            for blurred in ("", "-blurred")
            for what, role in (("foreground", "amber"), ("background", "selected"))
        },
    )


def locale_is_utf8() -> bool:
    """Whether the locale's characters are UTF-8; an unset locale is taken for a modern one."""
    if sys.platform in ("win32", "darwin"):
        return True
    said = [os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")]
    if said[0] == "" and said[1] == "C.UTF-8" and said[2] in ("C", "POSIX"):
        return False  # Python itself has set LC_CTYPE
    locale = next((value for value in said if value), "utf-8").lower().replace("-", "")
    return "utf8" in locale


def run(
    fen: str | None = None,
    data_dir: Path | None = None,
    ascii: bool | None = None,
    syzygy: str | None = None,
    reach: AccessPolicy = UNRESTRICTED,
) -> None:
    """Opens the app.

    Args:
        fen: Position to open.
        data_dir: Where tables are kept; the user's data directory by default.
        ascii: Print ASCII only; None asks the locale.
        syzygy: Directory of Syzygy files; as the environment or the settings file says by default.
        reach: What may be used beside the data directory.

    Raises:
        EndgameError: What was practised could not be written at last.
    """
    app = EndgameApp(fen, data_dir, ascii, syzygy, AppState(memory_file(data_dir)), reach)
    app.run()
    if app.problem is not None:
        raise app.problem
    if app.return_code:
        sys.exit(app.return_code)  # it has crashed, and Textual has told why; or it was told to end
