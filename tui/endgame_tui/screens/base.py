"""Base classes of the screens: the frame, the message row, the prompt, the running build, the actions; and a board.

:class:`BaseScreen` is the base of all screens, :class:`OverScreen` of those pushed on top of another one, and
:class:`BoardScreen` of those with a board on which moves are played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableSet, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from random import Random
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar, cast

from textual import on
from textual.actions import parse
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key as Pressed
from textual.events import Paste, Resize, ScreenResume
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.controls import COMMANDS, instruct
from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.language import _
from endgame_core.metric import Metric
from endgame_core.query import QueryError
from endgame_core.settings import THEME, Setting, Settings
from endgame_core.tasks.builds import UNFINISHED, BuildRequest, forget_build, unfinished_builds
from endgame_core.tasks.walk import Walk
from endgame_core.untrusted import visible
from endgame_core.words.find import added, pointed, some_of
from endgame_core.words.screen_reader import diagram
from endgame_core.words.tables import Price
from endgame_core.words.text_model import TextSpan, name_endings
from endgame_tui.faces import BoardLayout, Face, face_of
from endgame_tui.jobs import Ended, Jobs, News, Trouble
from endgame_tui.keys import (
    ADD,
    NO_KEYMAP,
    PROMPT,
    SYZYGY,
    Key,
    Keymap,
    declared_keys,
    describe_keys,
    first_key,
    key_names,
    printed,
)
from endgame_tui.look import Look
from endgame_tui.widgets.ask import Choice, LastRow
from endgame_tui.widgets.bars import BuildStrip, FooterKey, TopBar, footer_keys
from endgame_tui.widgets.board import BoardCanvas, MoveBoard
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.rows import Rows
from endgame_tui.widths import HUGE, MEDIUM, PANELS_MIN_WIDTH, WIDE

if TYPE_CHECKING:
    from endgame_core.tables.find import FindResult

T = TypeVar("T")

_MOVE_LETTERS = frozenset(ascii_uppercase + "abcdefgh")
"""First letters of moves, endings and layers: on a board screen they open the prompt."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something that a screen opens when the user switches to it.

    Attributes:
        game: Name of the game; None for the current one.
        text: What to open, as a user would type it, or the key of a theme.
        position: A position to set up.
        metric: Metric of the layers to show; None keeps the current one.
        is_explicit: Whether the user asked for it. Otherwise a screen ignores it while it shows something already.
        unfinished: An unfinished game or drill to resume, as it was stored.
        starts: Whether drills start at once; otherwise their row is only selected.
    """

    game: str | None = None
    text: str | None = None
    position: Any = None
    metric: Metric | None = None
    is_explicit: bool = True
    unfinished: Mapping[str, Any] | None = None
    starts: bool = True


class Host(Protocol):
    """The part of the app that screens use."""

    game: str
    """Name of the current game, the same on all screens."""
    lab: AppContext
    """Tables, judges, engines and the practice journal."""
    jobs: Jobs
    """Builds and searches."""
    memory: AppState
    """State that is kept from one run to the next."""
    settings: Settings
    """The user's settings."""
    rng: Random
    """Random number generator of all screens."""
    start_text: str | None
    """Position or ending given on the command line; None once it is opened."""
    clock: Callable[[], float]
    """Clock of drills, in seconds."""
    open_screens: MutableSet[Any]
    """All screens that exist, the current one included."""
    keymap: Keymap
    """The user's own keys."""

    @property
    def look(self) -> Look:
        """The palette and glyphs to draw with."""
        ...

    @property
    def picture_obstacle(self) -> str:
        """Why no pictures of pieces can be shown, as a clause; empty if they can."""
        ...

    async def open(self, mode: str, request: Request | None = None) -> None:
        """Switch to the screen of a mode and pass it a request."""
        ...

    def apply_setting(self, setting: Setting[Any]) -> None:
        """Redraw what a changed setting affects."""
        ...

    def apply_keys(self) -> None:
        """Use the keys of the settings file."""
        ...


_AFTER_KEY_SECONDS = 0.2
"""Seconds after which the key that declined an offer has been handled."""


class BaseScreen(Screen[Any]):
    """A screen with a top bar, its own body, a row for messages and the running build, and a last row for keys."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        PROMPT.adapted(_("Open the command prompt"), system=True),
    ]
    TASK: ClassVar[str] = ""
    """The mode this screen belongs to."""
    CRUMB_ACTIONS: ClassVar[tuple[str, ...]] = ()
    """Actions whose keys a click on each part of the breadcrumb presses, without the part that names the game."""
    EXTRA_HELP: ClassVar[tuple[tuple[str, str], ...]] = ()
    """More lines for the list of all keys: text that can be typed, the meaning of marks."""
    READ_FIRST: ClassVar[str] = ""
    """Selector of widgets: without a focused widget the terminal's cursor goes to the first of them that is visible."""
    PANELS: ClassVar[tuple[type[Widget], ...]] = ()
    """Widgets whose keys the help lists together with the screen's."""
    FOCUSABLE: ClassVar[tuple[type[Widget], ...]] = ()
    """Widgets that may have the focus: no key of theirs may be one of the screen's."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (PANELS_MIN_WIDTH, "-normal"), (WIDE, "-wide"), (HUGE, "-huge")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-middle"), (30, "-tall")]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.host = cast("Host", self.app)
        self.lab = self.host.lab
        self.jobs = self.host.jobs
        self.mode = self.TASK
        self.last_row = LastRow(
            self._available_keys,
            self.home,
            self._run_named_action,
            self._action_like,
            self.host.memory,
            id="last",
        )
        self.strip = BuildStrip(id="strip")
        self.host.open_screens.add(self)
        self._shown_state = (self.host.game, self.jobs.changes)
        """The game and the number of table changes that the screen shows: see :meth:`catch_up`."""
        describe_keys(self, self.game)

        # Textual parses all style sheets again when it finds one that has not been read.
        for path in self.css_path:
            if not self.app.stylesheet.has_source(str(path)):
                self.app.stylesheet.read(path)

        # Textual sets the breakpoint classes after the first layout: a wrong layout would be visible for a moment.
        breakpoints = (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS)
        for length, classes in zip(self.app.size, breakpoints, strict=True):
            reached = [name for minimum, name in classes or () if minimum <= length]
            if reached:  # the minima ascend: the last class is the one for this size
                self.add_class(reached[-1])

    @property
    def look(self) -> Look:
        """The palette and glyphs of the app."""
        return self.host.look

    @property
    def game(self) -> str:
        """The game this screen shows; :meth:`catch_up` switches it to the app's current game."""
        return self._shown_state[0]

    @property
    def face(self) -> Face:
        """Board, pieces and help texts of the game."""
        return face_of(self.game)

    def compose(self) -> ComposeResult:
        """The body in its frame."""
        yield TopBar(self.mode, self._crumb_key, id="top")
        with Vertical(id="body"):
            yield from self.body()
        yield self.strip
        yield self.last_row

    # Overridden by screens

    def body(self) -> ComposeResult:
        """Yield the widgets between the top bar and the last rows."""
        raise NotImplementedError

    def home(self) -> Widget:
        """The widget that has the focus while no question or prompt is open."""
        raise NotImplementedError

    def show(self) -> None:
        """Update everything on the screen."""
        raise NotImplementedError

    def receive(self, request: Request) -> None:
        """Open what another screen or the app requests."""

    def handover(self) -> Request | None:
        """The request for the next screen when the user switches to it; None for none."""
        return None

    def game_changed(self) -> None:
        """Show the other game after a switch."""
        self.say()
        describe_keys(self, self.game)
        self.show()
        self.set_focus(self.home())
        self.refresh_bindings()

    def tables_changed(self) -> None:
        """Update the screen after tables were built, removed or repaired."""
        self.show()

    def quit_warning(self) -> str:
        """Return the loss if the user quits now, as in ``it ends your game``; empty for none."""
        return ""

    def build_progressed(self) -> None:
        """Show the progress of the running build."""

    def build_finished(self, event: Ended) -> None:
        """Report a build that succeeded."""

    def label(self, key: Key) -> str:
        """Name of a key in the last row; empty to leave it out."""
        short, __, long = key.label_in(self.game).partition("|")
        if long and self.size.width >= WIDE:
            return long
        return short

    # Common to all screens

    def _compositor_refresh(self) -> None:
        """Draw what has changed; not inside a batch, where Textual would draw it all and display nothing of it."""
        if not self.app._batch_count:  # pyright: ignore[reportPrivateUsage]
            super()._compositor_refresh()

    def say(self, words: str = "", role: str = "text") -> None:
        """Show a message above the keys until the next event; an empty one clears it."""
        if words or self.strip.words:
            self.strip.show_message(self.look.glyphs.plain(words), role)

    def complain(self, problem: EndgameError) -> None:
        """Show an error; while the prompt is open, a query error is printed above the wrong word."""
        message = str(problem)
        if isinstance(problem, QueryError) and self.last_row.is_typing:
            message = pointed(problem, self.last_row.text_column, self.size.width)
        self.say(message, "loss")

    def crumbs(
        self,
        *words: str,
        named: bool | None = None,
        right: tuple[str, str] = ("", "text"),
        keeps_last: bool = False,
    ) -> None:
        """Show the breadcrumb.

        Args:
            words: Its parts.
            named: Whether it begins with the name of the game (chess has none); None: on wide screens only.
            right: Text for the right end on the smallest screens, and its role.
            keeps_last: Whether the keys of the screens make room for the last part on the smallest screens.
        """
        if named is None:
            named = self.size.width >= WIDE
        names = ()
        if named and self.face.name:
            names = (self.face.name,)
        self.query_one(TopBar).show(*names, *words, right=right, keeps_last=keeps_last)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable keys with priority while a prompt or question is open.

        In a prompt they are letters to type. At a question, keys that open a prompt stay active: they answer no.
        """
        if self.last_row.is_open:
            for key in declared_keys(type(self)):
                if key.priority and parse(key.action)[1:] == (action, parameters):
                    return key.typing and not (self.last_row.is_typing or self.last_row.is_choosing)
        return super().check_action(action, parameters)

    def action_prompt(self) -> None:
        """Open the prompt for the name of an action."""

        # Always raises: the last row then runs the text as the name of an action, and shows this only if there is none.
        def unknown(text: str) -> None:
            raise EndgameError(
                _("nothing here matches {text}").format(text=text), instruct(_("{press} {palette} for all names"))
            )

        self.last_row.prompt(":", _("library, help, quit, or any other name"), unknown)

    @on(LastRow.Failed)
    @on(LastRow.Cancelled)
    def _prompt_failed_or_left(self, event: LastRow.Failed | LastRow.Cancelled) -> None:
        if isinstance(event, LastRow.Failed):
            self.complain(event.problem)
        else:
            self.say()

    @on(News)
    def _news(self, event: News) -> None:
        """Handle news of builds, which are posted to the lowest screen of the stack and passed on by it."""
        if self is self.app.screen_stack[0]:
            for above in self.app.screen_stack[1:]:
                if isinstance(above, BaseScreen):
                    above._news(event)
        if isinstance(event, Trouble):
            self.complain(event.problem)
            return
        self.catch_up()
        if isinstance(event, Ended):
            self.jobs.note_end(event.end)
            if event.end.problem is None:
                self.build_finished(event)
            else:
                role = "text" if event.end.is_cancelled else "loss"
                self.say(event.words, role)
        self.strip.show_job(self.jobs.job)
        self.build_progressed()

    def shown_position(self) -> tuple[Game[Any, Any], Any] | None:
        """The game and the position on the board, to be copied; None if the screen has none. Overridden by screens."""
        return None

    def deliver(self, file: Path) -> None:
        """In a browser, download a file that was written."""
        if self.app.is_web:
            self.app.deliver_binary(file, save_filename=file.name)

    def on_paste(self, event: Paste) -> None:
        """Do what pasted text says where no prompt is open; a prompt takes it itself."""
        event.stop()
        lines = event.text.replace("\r\n", "\n").replace("\r", "\n")  # terminals paste line ends as Return
        text = visible(lines.strip(), keep="\n\t")
        if text and not self.last_row.is_open:
            try:
                self.paste(text)
            except EndgameError as problem:
                self.complain(problem)

    def paste(self, text: str) -> None:
        """Open a pasted position or ending in Explore; raises EndgameError. Overridden by screens with a board."""
        game = games.foreign_game(text, self.game) or self.game
        if games.by_name(game).spelling_of(text) != "ending":
            games.by_name(game).parse(text)  # what cannot be read must not switch the screen
        self.app.call_later(self.host.open, "explore", Request(game, text))

    def action_copy_link(self) -> None:
        """Copy the address of a page in the web with the position."""
        game_and_position = self.shown_position()
        if game_and_position is not None:
            game, position = game_and_position
            self.app.copy_to_clipboard(game.link(position))
            self.say(_("copied: {link}").format(link=game.link(position)))

    def action_copy_diagram(self) -> None:
        """Copy the board as lines of text."""
        game_and_position = self.shown_position()
        if game_and_position is not None:
            game, position = game_and_position
            self.app.copy_to_clipboard("\n".join(diagram(game.name, position)))
            self.say(_("copied the board as text."))

    def catch_up(self) -> None:
        """Update the screen if the game or the tables changed while another screen was shown."""
        game, changes = self._shown_state
        self._shown_state = (self.host.game, self.jobs.changes)
        if changes != self.jobs.changes:
            self.lab.forget()
        if game != self.game:
            self.game_changed()
        if changes != self.jobs.changes:
            self.tables_changed()

    def on_screen_resume(self, _event: ScreenResume) -> None:
        """Catch up with what happened while another screen was shown."""
        self.catch_up()
        self.strip.show_job(self.jobs.job)
        if self.jobs.job is not None or self.jobs.holders:
            self.build_progressed()

    # What was left unfinished

    def offer_resume(self) -> None:
        """Offer to resume the last unfinished task: a game, drills or a build."""
        from endgame_core.tasks.resume import game_of, last_unfinished
        from endgame_core.words.game_report import NOTHING_LEFT, go_on

        if self.last_row.is_open:
            return

        self._forget_finished_builds()
        latest = last_unfinished(self.host.memory)
        if latest is None:
            self.say(NOTHING_LEFT)
            return
        name, unfinished = latest
        if name == UNFINISHED:
            self._offer_unfinished_build(unfinished_builds(self.host.memory)[0])
            return
        game = game_of(name, unfinished)
        if game is None:
            return

        discard = partial(self.host.memory.note, None, "left", name)
        choices = self._resume_choices(name, game, unfinished, discard)
        question = go_on(name, unfinished, self.lab.explorer_of(game).game, self.last_row.room(*choices))
        self.last_row.ask(question, *choices, offers=True, on_decline=self._say_unfinished)

    def _say_unfinished(self) -> None:
        """Say how to resume an unfinished task later; also on the screen that the key opens, if any."""
        sentence = instruct(_("to resume it later, {press} {prompt} and type resume."))

        def say_now() -> None:
            current = self.app.screen
            if isinstance(current, BaseScreen) and not current.last_row.is_open:
                current.say(sentence)

        # The key that declined is handled first: it may open another screen, and clears the message.
        self.set_timer(_AFTER_KEY_SECONDS, say_now)

    def _forget_finished_builds(self) -> None:
        """Forget builds whose tables are there by now, built by another program for example, and unreadable ones."""
        memory = self.host.memory
        for request in unfinished_builds(memory):
            library = self.lab.library(request.metric)
            if not request.with_surveys and all(map(library.is_built, request.endings)):
                forget_build(memory, request)
        if not unfinished_builds(memory):
            memory.note(None, "left", UNFINISHED)

    def _offer_unfinished_build(self, request: BuildRequest) -> None:
        """Offer to resume a build that was cancelled, or that the end of the app stopped."""
        resume = partial(
            self.jobs.build, request.endings, request.metric, request.with_surveys, request.keep_requested_only
        )
        discard = partial(forget_build, self.host.memory, request)
        choices = [Choice("enter", _("resume"), resume), Choice("d", _("discard"), discard)]
        question = _("Resume the build of {named}?").format(named=name_endings(request.endings))
        if request.was_cancelled:
            cancelled_question = _("You cancelled the build of {named}. Resume it?").format(
                named=name_endings(request.endings)
            )
            if len(cancelled_question) <= self.last_row.room(*choices):
                question = cancelled_question
        self.last_row.ask(question, *choices, offers=True, on_decline=self._say_unfinished)

    def confirm_discard(self, name: str, proceed: Callable[[], object]) -> None:
        """Proceed with something that replaces an unfinished game or drill; ask first if there is one.

        Args:
            name: Name under which the unfinished game or drill is stored.
            proceed: Called once the user agrees, or at once if nothing is unfinished.
        """
        from endgame_core.tasks.resume import game_of
        from endgame_core.words.game_report import shall_i_drop

        unfinished = self.host.memory.get(dict, "left", name)
        game = None
        if unfinished is not None:
            game = game_of(name, unfinished)
        if unfinished is None or game is None:
            proceed()
            return
        choices = self._resume_choices(name, game, unfinished, proceed)
        question = shall_i_drop(name, unfinished, self.lab.explorer_of(game).game, self.last_row.room(*choices))
        self.last_row.ask(question, *choices)

    def _resume_choices(
        self, name: str, game: str, unfinished: Mapping[str, Any], discard: Callable[[], object]
    ) -> list[Choice]:
        """To resume or discard an unfinished game or drill; narrow screens have no room for the second choice."""
        choices = [Choice("enter", _("resume"), partial(self._resume_unfinished, name, game, unfinished))]
        if self.size.width >= MEDIUM:
            choices.append(Choice("d", _("discard"), discard))
        return choices

    def _resume_unfinished(self, name: str, game: str, unfinished: Mapping[str, Any]) -> None:
        from endgame_core.tasks.resume import DRILL

        mode = "practise" if name == DRILL else "play"
        self.app.call_later(self.host.open, mode, Request(game, unfinished=unfinished))

    # Work

    def build_choices(self, cost: Price, build: Callable[[bool], object]) -> list[Choice]:
        """To build an ending with all it requires, or, if that is long, to keep only the ending itself.

        Args:
            cost: What the build costs.
            build: Starts the build; its argument is whether to delete the required tables afterwards.
        """
        choices = [Choice("enter", _("build"), partial(build, False))]
        if cost.is_long and cost.endings > 1 and self.size.width >= MEDIUM:
            choices.append(Choice("k", _("keep only this"), partial(build, True)))
        return choices

    def run_in_thread(
        self,
        work: Callable[[], T],
        then: Callable[[T], object],
        name: str,
        failed: Callable[[EndgameError], object] | None = None,
    ) -> None:
        """Run a function in a worker thread and handle its outcome in the screen's own message queue.

        Args:
            work: Runs in the thread; may raise EndgameError.
            then: Called with the result.
            name: Name of the worker.
            failed: Called with the error; :meth:`BaseScreen.complain` by default.
        """

        def run() -> None:
            try:
                result = work()
            except EndgameError as problem:
                self.call_later(failed or self.complain, problem)
            else:
                self.call_later(then, result)

        self.run_worker(run, name=name, group=name, thread=True)

    # Keys and the rows that name them

    def redraw(self) -> None:
        """Redraw the screen after the theme or a setting has changed."""
        if self.is_mounted and self.is_attached:
            self.post_message(Resize(self.size, self.size))
            self.show()
            for canvas in self.query(Canvas):
                canvas.notify_style_update()

    def _crumb_key(self, first_crumb: str, number: int) -> str:
        """The key that a click on part ``number`` of the breadcrumb presses; empty for none.

        On a screen above another one every part leads back. The name of the game, where it is the first part, switches
        the game and is not counted in ``CRUMB_ACTIONS``.
        """
        if len(self.app.screen_stack) > 1:
            return first_key("leave", self.host.keymap)
        if first_crumb == (self.face.name or _("Chess")):
            number -= 1
        if number < 0:
            return first_key("game", self.host.keymap)
        if number < len(self.CRUMB_ACTIONS) and self.CRUMB_ACTIONS[number]:
            return first_key(self.CRUMB_ACTIONS[number], self.host.keymap)
        return ""

    def _run_named_action(self, name: str) -> bool:
        """Run the action with a name; return False if there is none."""
        actions = screen_actions(self, self.game)
        name = name.lower()
        action = next((action for action in actions if name in action.names), None)
        if action is None:
            return False
        self.say()
        action.run()
        return True

    def _action_like(self, name: str) -> str:
        """Return the name of an action that is most similar to a mistyped one; empty if none is."""
        names = sorted(name for action in screen_actions(self, self.game) for name in action.names)
        matches = get_close_matches(name.lower(), names, n=1, cutoff=0.75)
        return matches[0] if matches else ""

    def _available_keys(self) -> list[FooterKey]:
        """The keys to name in the last row: of the focused widget, the screen and the app, each label once; help."""
        keymap = self.host.keymap
        named: list[tuple[Key, str]] = []
        for owner in dict.fromkeys((self.focused or self, self, self.app)):
            used_labels = {label for __, label in named}  # by the owners before: keys of one owner may share a label
            for key in declared_keys(type(owner), keymap):
                label = self.label(key)
                if not label or label in used_labels or not key.applies_to(self.game):
                    continue
                __, action, parameters = parse(key.action)
                if owner.check_action(action, parameters):
                    named.append((key, label))
        help_key = first_key("help", keymap)
        return [*footer_keys(named), FooterKey(printed(help_key), _("help"), 0, (help_key,))]


class StepTimer:
    """Runs a step of a screen at regular intervals until the step returns False or the timer is stopped.

    Args:
        screen: The screen.
    """

    def __init__(self, screen: BaseScreen) -> None:
        self._screen = screen
        self._timer: Timer | None = None

    def begin(self, seconds: float, step: Callable[[], bool]) -> None:
        """Start the timer, which calls ``step`` every ``seconds`` until that returns False."""
        self._timer = self._screen.set_interval(seconds, lambda: step() or self.stop())

    def stop(self) -> bool:
        """Stop the timer; return whether it was running."""
        timer = self._timer
        self._timer = None
        if timer is not None:
            timer.stop()
        return timer is not None


@dataclass(frozen=True, slots=True)
class ScreenAction:
    """An action of a screen or of the app, for the command palette and the prompt.

    Attributes:
        description: What it does; empty to leave it out of the palette.
        keys: Its keys as printed on them.
        run: Schedules the action.
        names: Names that run it when typed after a colon, in lower case.
    """

    description: str
    keys: str
    run: Callable[[], object]
    names: frozenset[str]


def screen_actions(screen: Screen[Any], game: str) -> Iterator[ScreenAction]:
    """Yield every action of a screen: those of its own keys, those of the app's keys, and those without a key."""

    def action_of(owner: Screen[Any] | App[Any], action: str, description: str, keys: str, *names: str) -> ScreenAction:
        run = partial(screen.call_later, owner.run_action, action)
        return ScreenAction(description, keys, run, frozenset(name.lower() for name in (description, *names)))

    keymap: Keymap = getattr(screen.app, "keymap", NO_KEYMAP)
    screen_keys = [key for key in declared_keys(type(screen), keymap) if key.applies_to(game)]
    unavailable: Collection[str] = getattr(screen.app, "unavailable", ())
    for owner, keys in ((screen, screen_keys), (screen.app, declared_keys(type(screen.app), keymap))):
        for key in keys:
            if key.system or not key.applies_to(game) or key.action in unavailable:
                continue
            names: list[str] = []
            if not key.grouped:  # the editor's piece letters are no names: ":q" quits and puts no queen
                names = [*_spellings(key.action_id), *key.label_in(game).split("|")]
            yield action_of(owner, key.action, key.description_in(game), key_names(key), *names)

    yield action_of(screen.app, "theme", _("Dark or light"), "", "theme")
    for description, theme in THEME_ACTIONS.items():
        yield action_of(screen.app, f"theme('{theme}')", description, "", theme)
    if isinstance(screen, BaseScreen):
        game_and_position = screen.shown_position()
        if game_and_position is not None:
            if game_and_position[0].link(game_and_position[1]):
                yield action_of(screen, "copy_link", _("Copy a link to the position"), "", "link", _("copy link"))
            yield action_of(
                screen, "copy_diagram", _("Copy the board as text"), "", "diagram", _("copy diagram"), _("copy board")
            )
        if hasattr(screen, "action_copy_game"):
            yield action_of(screen, "copy_game", _("Copy the game"), "", "pgn", _("copy pgn"), _("copy game"))
        unfinished = screen.host.memory.get(dict, "left")
        description = ""
        if unfinished:
            description = _("Resume what is unfinished")
        yield action_of(screen.app, "go_on", description, "", "resume", _("go on"))
    if all(key.id != SYZYGY.id for key in screen_keys):
        yield action_of(screen.app, "syzygy", _("Syzygy files"), "", "syzygy")


THEME_ACTIONS: Final = {_("Theme: {name}").format(name=name): name for name in THEME.choices}
"""The themes by the description of the action that chooses one."""


def _spellings(action: str) -> list[str]:
    """How an action may be typed: its identifier, and the command of plain mode if it has one."""
    names = [action, action.replace("_", "-"), action.replace("_", " ")]
    if action in COMMANDS:
        return [*names, COMMANDS[action]]
    return names


class OverScreen(BaseScreen):
    """A screen pushed on top of another one, about something of one game.

    Textual runs the ``on_mount`` of a subclass before the one of this class.
    """

    FOCUSABLE = (Rows,)

    def home(self) -> Widget:
        """The list."""
        return self.query_one(Rows)

    def on_mount(self) -> None:
        """Show everything and focus the list."""
        self.show()
        self.set_focus(self.home())

    def game_changed(self) -> None:
        """Close: the screen is about the other game."""
        self.dismiss()

    def paste(self, text: str) -> None:
        """Ignore it: the screen is about something else, and stays open."""

    def action_leave(self) -> None:
        """Close the screen."""
        self.dismiss()


class SetUpScreen(OverScreen):
    """A screen with a board on which pieces are placed freely instead of moved."""

    def __init__(self) -> None:
        super().__init__()
        self.board = BoardCanvas(id="board")
        self.is_flipped = False

    def home(self) -> Widget:
        """The board."""
        return self.board

    def on_mount(self) -> None:
        """Describe the board's keys as in the game."""
        describe_keys(self.board, self.game)

    def on_resize(self) -> None:
        """Resize the board."""
        self.board.resize(*self.face.board_layout(self.size, self.look.can_draw_pieces))

    def action_flip(self) -> None:
        """Flip the board."""
        self.is_flipped = not self.is_flipped
        self.show()


class BoardScreen(BaseScreen):
    """A screen with a board on which moves are played."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ADD,  # without priority: in Ra6+ the sign is of the move
    ]

    def __init__(self) -> None:
        super().__init__()
        self.board = MoveBoard(self.face, id="board")

    def home(self) -> Widget:
        """The board."""
        return self.board

    def game_changed(self) -> None:
        """Show the board of the other game."""
        self.board.set_face(self.face)
        self.on_resize()
        super().game_changed()

    # Overridden by screens

    def move_made(self, move: Any) -> None:
        """Handle a legal move that was entered on the board."""
        raise NotImplementedError

    def user_acted(self) -> None:
        """Stop what runs by itself, such as autoplay, and clear the message: the user did something."""
        self.say()

    def promotion_outcomes(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
        """Return the result of a promotion, in versions from the longest to the shortest."""
        return ()

    @property
    def learner(self) -> str | None:
        """The side that the user plays; None for the side to move."""
        return None

    def browsed_result(self) -> FindResult | None:
        """Return the query result that the user walks through, all of which can be added to the studies."""
        return None

    def walk_for_help(self) -> Walk[Any, Any] | None:
        """Return a walk at the current position, which the help explains; None if its value must not be revealed."""
        return None

    # Common to all

    async def on_key(self, event: Pressed) -> None:
        """Open the prompt with a letter that begins moves, unless the letter is a key here."""
        if self.last_row.is_typing and event.is_printable:  # pressed before the prompt, just opened, got the focus
            event.stop()
            self.last_row.type_text(event.character or "")
            return

        letter = event.character or ""
        prompt_key = next(key for key in declared_keys(type(self)) if key.id == PROMPT.id)
        is_prompt_for_moves = not prompt_key.system  # the one that all screens have asks for actions
        if not is_prompt_for_moves or self.last_row.is_open:
            return
        if event.key in self.active_bindings or letter not in _MOVE_LETTERS:
            return
        event.stop()
        await self.run_action(prompt_key.action)
        self.last_row.type_text(letter)

    @on(MoveBoard.Touched)
    def _board_touched(self, event: MoveBoard.Touched) -> None:
        step = event.step
        self.user_acted()
        if step.refusal:
            self.say(step.refusal)
        elif len(step.moves) == 1:
            self.move_made(step.moves[0])
        elif step.moves:
            self.promote(step.moves)

    def promote(self, moves: Sequence[Any], best: Any = None) -> None:
        """Ask what the pawn becomes.

        Args:
            moves: The promotions of one pawn to one square.
            best: The one with the cursor at first; the first of ``moves`` by default.
        """
        source, target = self.face.endpoints(moves[0])
        self.board.pick(source, target)
        choices: list[Choice] = []
        for move in moves:
            key, name = self.face.promotion_choice(move)
            choices.append(Choice(key, name, partial(self.move_made, move), self.promotion_outcomes(move)))
        cursor = 0
        if best in moves:
            cursor = moves.index(best)
        self.last_row.ask(_("Promote"), *choices, cursor=cursor)

    def on_resize(self, _event: Resize | None = None) -> None:
        """Resize the board so that the panels beside it have room."""
        self.board.resize(*self.board_scale())

    def board_scale(self) -> tuple[BoardLayout, int]:
        """The size of the board, and the columns of its left margin."""
        # The board's own face: the app may have switched the game before this screen follows.
        return self.board.face.board_layout(self.size, self.look.can_draw_pieces)

    def action_flip(self) -> None:
        """Flip the board."""
        self.board.flip()

    def action_add(self) -> None:
        """Ask for a study set and add the position to it, or all positions that are being browsed."""
        from endgame_core.practice.studies import LONGEST_NAME, MOST_AT_ONCE, MY_POSITIONS
        from endgame_core.practice.titles import set_title

        if self.board.position is None:
            return
        self.user_acted()
        game = self.lab.explorer_of(self.game).game
        studies = self.lab.studies(self.game)
        text = game.format(self.board.position)
        side = self.learner

        def add_position(name: str) -> str:
            study = studies.add(text, name, side=side, beyond=True)
            return _("added to {group}: {study}.").format(group=set_title(study.group), study=study.name)

        ask_for_one = partial(self._ask_study_set, MY_POSITIONS, add_position)
        result = self.browsed_result()
        if result is None:
            ask_for_one()
            return

        numbers = result.sample(self.host.rng, MOST_AT_ONCE)  # all of them unless there are too many

        def add_result(name: str) -> str:
            imported = studies.import_records(result.records(numbers), name)
            return f"{added(len(imported.added), len(numbers), name)}."

        proposed_name = f"{result.query.ending} {result.query.text}"[:LONGEST_NAME]
        ask_for_all = partial(self._ask_study_set, proposed_name, add_result)
        self.last_row.ask(
            _("Add"),
            Choice("enter", _("this position"), ask_for_one),
            Choice("a", some_of(len(numbers), result.count), ask_for_all),
        )

    def _ask_study_set(self, proposed_name: str, save: Callable[[str], str]) -> None:
        """Ask for the name of a study set and save something in it.

        Args:
            proposed_name: The name that Enter alone accepts.
            save: Saves to the set with a name and returns a message. It runs in a thread: another program may have
                locked the studies.
        """
        from endgame_core.practice.studies import slug
        from endgame_core.practice.titles import english_set_title, set_title

        def add(name: str) -> None:
            slug(name)  # raises while the prompt is still open, so that a bad name can be corrected
            self.run_in_thread(partial(save, english_set_title(name)), lambda message: self.say(message, "win"), "add")

        self.last_row.prompt(
            _("Add to"), _("one of your sets; a new name creates a set"), add, set_title(proposed_name)
        )
