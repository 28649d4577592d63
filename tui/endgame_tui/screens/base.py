"""What every screen has: frame, game at hand, build under way, what is said and asked; and one with a board beside."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, MutableSet, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from string import ascii_uppercase
from typing import Any, ClassVar, Protocol, TypeVar, cast

from textual import on
from textual.actions import parse
from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key as Pressed
from textual.events import Resize, ScreenResume
from textual.screen import Screen
from textual.timer import Timer
from textual.widget import Widget

from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError
from endgame_core.query import QueryError
from endgame_core.settings import Setting, Settings
from endgame_core.tasks.walk import Walk
from endgame_core.words.find import added, pointed, some_of
from endgame_core.words.tables import Price
from endgame_core.words.text_model import TextSpan
from endgame_tui.faces import Face, face_of
from endgame_tui.jobs import Ended, Jobs, News, Trouble
from endgame_tui.look import Look
from endgame_tui.widgets.ask import Choice, LastRow
from endgame_tui.widgets.bars import (
    HUGE,
    NORMAL,
    WIDE,
    BuildStrip,
    FooterKey,
    Key,
    TopBar,
    declared_keys,
    describe_keys,
    footer_keys,
    key_names,
)
from endgame_tui.widgets.board import BoardCanvas, MoveBoard
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.rows import Rows

T = TypeVar("T")

_LETTERS = frozenset(ascii_uppercase + "abcdefgh")
"""With which moves, endings and layers begin."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one screen wants of another.

    Attributes:
        game: The game it is about; the one at hand by default.
        text: What is to be opened, as a user would type it, or the key of a theme.
        position: A position to be set up.
        metric: By which metric the layers are to be shown; None leaves that as it is.
        asked: Whether the user has asked for it; else it is taken only where nothing is in hand.
        left: What was left open and is gone on with.
    """

    game: str | None = None
    text: str | None = None
    position: Any = None
    metric: str | None = None
    asked: bool = True
    left: Mapping[str, Any] | None = None


class Host(Protocol):
    """The app, as far as screens know it."""

    game: str
    """The game at hand, on all screens."""
    lab: AppContext
    """Tables, judges, thinkers, what was practised."""
    jobs: Jobs
    """The builds."""
    memory: AppState
    """What is remembered from one run to the next."""
    settings: Settings
    """What the user has chosen for good."""
    rng: Random
    """What is left to chance on the screens."""
    initial_position: str | None
    """A position or an ending to be opened first."""
    clock: Callable[[], float]
    """Tells the seconds that pass in a drill."""
    open_screens: MutableSet[Any]
    """The screens there are, that at hand among them."""

    @property
    def look(self) -> Look:
        """The palette and glyphs to draw with."""
        ...

    async def open(self, mode: str, request: Request | None = None) -> None:
        """Changes to the screen of a mode, and hands it a request."""
        ...

    def apply_setting(self, setting: Setting[Any]) -> None:
        """A setting has changed: what is drawn follows it at once."""
        ...


class BaseScreen(Screen[Any]):
    """A screen with a top bar, a row for what is said or built, a last row, and between them a body of its own."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("colon", "command", "Open the command prompt", id="base.command", priority=True, typing=True, system=True),
    ]
    TASK: ClassVar[str] = ""
    """The mode it belongs to."""
    CRUMBS: ClassVar[tuple[str, ...]] = ()
    """The keys that lead to what the parts of its breadcrumb name, the game left out."""
    TYPED: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What else is told of it among all keys: what can be typed, what marks mean."""
    READ: ClassVar[str] = ""
    """Where nothing has the focus, what is to be read: the first of these widgets that is shown."""
    PANELS: ClassVar[tuple[type[Widget], ...]] = ()
    """Its widgets whose keys are told with its own."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (76, "-normal"), (WIDE, "-wide"), (HUGE, "-huge")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-low"), (22, "-middle"), (30, "-tall")]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self.host = cast("Host", self.app)
        self.lab, self.jobs = self.host.lab, self.host.jobs
        self.mode = self.TASK
        self.last_row = LastRow(partial(_offered, self), self.home, partial(_does, self), self.host.memory, id="last")
        self.strip = BuildStrip(id="strip")
        self.host.open_screens.add(self)
        self._seen = (self.host.game, self.jobs.changes)
        describe_keys(self, self.game)
        # Textual reads all style sheets anew when it finds one that has not been read.
        for path in self.css_path:
            if not self.app.stylesheet.has_source(str(path)):
                self.app.stylesheet.read(path)
        # Textual finds these classes after its first layout, which would be seen before the right one.
        for size, classes in zip(self.app.size, (self.HORIZONTAL_BREAKPOINTS, self.VERTICAL_BREAKPOINTS), strict=True):
            self.add_class(*[name for least, name in classes or () if least <= size][-1:])

    @property
    def look(self) -> Look:
        """The palette and glyphs of the app."""
        return self.host.look

    @property
    def game(self) -> str:
        """The game it shows: that at hand, as soon as it has looked again."""
        return self._seen[0]

    @property
    def face(self) -> Face:
        """What differs from game to game on a screen."""
        return face_of(self.game)

    def compose(self) -> ComposeResult:
        """The body in its frame."""
        yield TopBar(self.mode, partial(_leads, self), id="top")
        with Vertical(id="body"):
            yield from self.body()
        yield self.strip
        yield self.last_row

    # What a screen says

    def body(self) -> ComposeResult:
        """All that stands between the first row and the last ones."""
        raise NotImplementedError

    def home(self) -> Widget:
        """The widget that has the focus when nothing is asked."""
        raise NotImplementedError

    def show(self) -> None:
        """Shows everything as it is now."""
        raise NotImplementedError

    def receive(self, request: Request) -> None:
        """Does what another screen wants."""

    def handover(self) -> Request | None:
        """What goes along when the user goes to another screen."""
        return None

    def game_changed(self) -> None:
        """The game at hand is another one; what was said was of the last."""
        self.say()
        describe_keys(self, self.game)
        self.show()
        self.set_focus(self.home())
        self.refresh_bindings()

    def tables_changed(self) -> None:
        """Tables have come or gone."""
        self.show()

    def at_stake(self) -> str:
        """What quitting ends, as in ``it ends your game``; empty where nothing is lost."""
        return ""

    def progressed(self) -> None:
        """The build under way has got on."""

    def ended(self, event: Ended) -> None:
        """A build has ended well."""

    def label(self, key: Key) -> str:
        """What a key is called in the last row now; empty where it is not to be named."""
        short, _, long = key.label_in(self.game).partition("|")
        return long if long and self.size.width >= WIDE else short

    # What is the same for all

    def say(self, words: str = "", role: str = "text") -> None:
        """Shows one sentence above the keys, until the next thing happens; the empty one takes it away."""
        if words or self.strip.words:
            self.strip.show_message(self.look.glyphs.plain(words), role)

    def complain(self, problem: EndgameError) -> None:
        """Shows what was wrong and what to do; of a query above its place, while that is asked for."""
        told = str(problem)
        if isinstance(problem, QueryError) and self.last_row.is_typing:
            told = pointed(problem, self.last_row.text_column, self.size.width)
        self.say(told, "loss")

    def crumbs(self, *words: str, named: bool | None = None, right: tuple[str, str] = ("", "text")) -> None:
        """Shows where we are; with the game where it must be said, and where there is room unless told otherwise."""
        named = self.size.width >= WIDE if named is None else named
        names = (self.face.name,) if named and self.face.name else ()
        self.query_one(TopBar).show(*names, *words, right=right)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While something is asked, keys that ask are letters as all others; at a question those that type mean no."""
        if self.last_row.is_open:
            for key in declared_keys(type(self)):
                if key.priority and parse(key.action)[1:] == (action, parameters):
                    return key.typing and not (self.last_row.is_typing or self.last_row.is_choosing)
        return super().check_action(action, parameters)

    def action_command(self) -> None:
        """Asks for the name of something that can be done."""

        def unknown(text: str) -> None:
            raise EndgameError(f"nothing here is called {text}", "press Ctrl+P for all names")

        self.last_row.prompt(":", "library, help, quit, or anything else by its name", unknown)

    @on(LastRow.Failed)
    @on(LastRow.Cancelled)
    def _asked(self, event: LastRow.Failed | LastRow.Cancelled) -> None:
        """An answer was wrong, or nobody wants to answer any more."""
        if isinstance(event, LastRow.Failed):
            self.complain(event.problem)
        else:
            self.say()

    @on(News)
    def _news(self, event: News) -> None:
        """Follows the builds; the lowest screen is told, and tells those above it."""
        if self is self.app.screen_stack[0]:
            for above in self.app.screen_stack[1:]:
                if isinstance(above, BaseScreen):
                    above._news(event)
        if isinstance(event, Trouble):
            self.complain(event.problem)
            return
        self.look_again()
        if isinstance(event, Ended):
            if event.end.problem is None:
                self.ended(event)
            else:
                self.say(event.words, "text" if event.end.is_cancelled else "loss")
        self.strip.show_job(self.jobs.job)
        self.progressed()

    def look_again(self) -> None:
        """Catches up with the game at hand, and with what happened while another screen was shown."""
        game, changes = self._seen
        self._seen = self.host.game, self.jobs.changes
        if changes != self.jobs.changes:
            self.lab.forget()
        if game != self.game:
            self.game_changed()
        if changes != self.jobs.changes:
            self.tables_changed()

    def on_screen_resume(self, _event: ScreenResume) -> None:
        """The screen is shown again."""
        self.look_again()
        self.strip.show_job(self.jobs.job)
        if self.jobs.job is not None or self.jobs.held:
            self.progressed()


def offer_left(screen: Screen[Any]) -> None:
    """Asks whether to go on with what was left open last."""
    from endgame_core.tasks.resume import game_of, last_of
    from endgame_core.words.game_report import NOTHING_LEFT, go_on

    if not isinstance(screen, BaseScreen) or not screen.is_mounted:  # a key was faster, and another screen is to come
        return
    if screen.last_row.is_open:
        return
    if (result := last_of(screen.host.memory)) is None:
        screen.say(NOTHING_LEFT)
        return
    name, kept = result
    if (game := game_of(name, kept)) is not None:
        forget = partial(screen.host.memory.note, None, "left", name)
        resume = Choice("enter", "resume", partial(_go_on, screen, name, game, kept))
        choices = (resume, Choice("d", "discard", forget))
        choices = choices[: 1 + (screen.size.width >= NORMAL)]
        question = go_on(name, kept, screen.lab.explorer_of(game).game, screen.last_row.room(*choices))
        screen.last_row.ask(question, *choices, offers=True)


def build_choices(screen: Screen[Any], cost: Price, build: Callable[[bool], object]) -> list[Choice]:
    """To build an ending, and where that is long and others come first, to keep none of these: ``build(True)``."""
    choices = [Choice("enter", "build", partial(build, False))]
    if cost.is_long and cost.endings > 1 and screen.size.width >= NORMAL:
        choices.append(Choice("k", "keep it alone", partial(build, True)))
    return choices


def _go_on(screen: BaseScreen, name: str, game: str, kept: Mapping[str, Any]) -> None:
    from endgame_core.tasks.resume import DRILL

    screen.app.call_later(screen.host.open, "practise" if name == DRILL else "play", Request(game, left=kept))


def instead_of_left(screen: BaseScreen, name: str, go: Callable[[], object]) -> None:
    """Does something by which a game, or drills, that were left open would be forgotten: asks first."""
    from endgame_core.tasks.resume import game_of
    from endgame_core.words.game_report import shall_i_drop

    kept = screen.host.memory.get(dict, "left", name)
    if kept is None or (game := game_of(name, kept)) is None:
        go()
        return
    resume = Choice("enter", "resume", partial(_go_on, screen, name, game, kept))
    choices = (resume, Choice("d", "discard", go))
    choices = choices[: 1 + (screen.size.width >= NORMAL)]
    room = screen.last_row.room(*choices)
    screen.last_row.ask(shall_i_drop(name, kept, screen.lab.explorer_of(game).game, room), *choices)


def beside(
    screen: BaseScreen,
    work: Callable[[], T],
    then: Callable[[T], object],
    name: str,
    failed: Callable[[EndgameError], object] | None = None,
) -> None:
    """Does something in a thread; in that of the screen, what has come of it is told.

    Args:
        screen: Where it is wanted.
        work: What is done; it may raise EndgameError.
        then: Told what has come of it.
        name: What the work is called.
        failed: Told what was wrong; the screen says it by default.
    """

    def run() -> None:
        try:
            result = work()
        except EndgameError as problem:
            screen.call_later(failed or screen.complain, problem)
        else:
            screen.call_later(then, result)

    screen.run_worker(run, name=name, group=name, thread=True)


class Repeated:
    """Something that a screen does by itself, step by step, until there is nothing more to do or it is stopped.

    Args:
        screen: The screen.
    """

    def __init__(self, screen: BaseScreen) -> None:
        self._screen = screen
        self._timer: Timer | None = None

    def begin(self, seconds: float, step: Callable[[], bool]) -> None:
        """Begins; a step that tells False was the last."""
        self._timer = self._screen.set_interval(seconds, lambda: step() or self.stop())

    def stop(self) -> bool:
        """Stops; tells whether anything was under way."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.stop()
        return timer is not None


def draw_anew(screen: BaseScreen) -> None:
    """Shows what a screen shows in another look, or as the settings say now."""
    if screen.is_mounted and screen.is_attached:
        screen.post_message(Resize(screen.size, screen.size))
        screen.show()
        for canvas in screen.query(Canvas):
            canvas.notify_style_update()


@dataclass(frozen=True, slots=True)
class ScreenAction:
    """Something that can be done on a screen.

    Attributes:
        told: What it does; empty where it is not listed.
        keys: Its key as printed on it.
        run: Does it, soon.
        names: What it may be called after a colon.
    """

    told: str
    keys: str
    run: Callable[[], object]
    names: frozenset[str]


def commands(screen: Screen[Any], game: str) -> Iterator[ScreenAction]:
    """Everything that can be done on a screen, by its own keys, by those of the app, and without any."""

    def command(owner: Screen[Any] | App[Any], action: str, told: str, keys: str, *names: str) -> ScreenAction:
        run = partial(screen.call_later, owner.run_action, action)
        return ScreenAction(told, keys, run, frozenset(name.lower() for name in (told, *names)))

    own = [key for key in declared_keys(type(screen)) if key.applies_to(game)]
    unavailable: Collection[str] = getattr(screen.app, "unavailable", ())
    for owner, keys in ((screen, own), (screen.app, declared_keys(type(screen.app)))):
        for key in keys:
            if key.applies_to(game) and key.action not in ("command", *unavailable):
                # A letter that puts a man is no name: a q after a colon is no queen.
                names = () if key.system else ((key.id or "").rpartition(".")[2], *key.label_in(game).split("|"))
                yield command(owner, key.action, key.description_in(game), key_names(key), *names)
    yield command(screen.app, "theme", "Dark or light", "", "theme")
    for name in ("dark", "light"):
        yield command(screen.app, f"theme('{name}')", "", "", name)
    if isinstance(screen, BaseScreen):
        left = screen.host.memory.get(dict, "left")
        yield command(
            screen.app, "go_on", "Resume the unfinished game or drills" if left else "", "", "resume", "go on"
        )
    if all(key.action != "syzygy" for key in own):
        yield command(screen.app, "syzygy", "Syzygy files", "", "syzygy")


def _leads(screen: BaseScreen, first: str, number: int) -> str:
    """The key that leads to a part of the breadcrumb; from a screen that lies over others, back."""
    number -= first == (screen.face.name or "Chess")
    over = len(screen.app.screen_stack) > 1
    return "escape" if over else "G" if number < 0 else dict(enumerate(screen.CRUMBS)).get(number, "")


def _does(screen: BaseScreen, name: str) -> bool:
    """Does what a name stands for; False where nothing is called so."""
    result = next((command for command in commands(screen, screen.game) if name.lower() in command.names), None)
    if result is not None:
        screen.say()
        result.run()
    return result is not None


def _offered(screen: BaseScreen) -> list[FooterKey]:
    """What the last row may name: keys of the widget with the focus, of the screen, of the app; each thing once."""
    result: list[tuple[Key, str]] = []
    for owner in dict.fromkeys((screen.focused or screen, screen, screen.app)):
        told = {label for _, label in result}
        for key in declared_keys(type(owner)):
            label = screen.label(key)
            _, action, parameters = parse(key.action)
            if label and label not in told and key.applies_to(screen.game) and owner.check_action(action, parameters):
                result.append((key, label))
    return footer_keys(result)


class OverScreen(BaseScreen):
    """A screen that lies over another one, about something of one game; its last key leads back.

    What a subclass does when it is mounted comes first.
    """

    def home(self) -> Widget:
        """Its list, where it has one."""
        return self.query_one(Rows)

    def on_mount(self) -> None:
        """Begins with the list, or what else it is about."""
        self.show()
        self.set_focus(self.home())

    def game_changed(self) -> None:
        """What it is about is of the other game."""
        self.dismiss()

    def action_back(self) -> None:
        """Goes back."""
        self.dismiss()


class SetUpScreen(OverScreen):
    """A screen with a board on which men are put where they cannot go."""

    def __init__(self) -> None:
        super().__init__()
        self.board = BoardCanvas(id="board")
        self.is_flipped = False

    def home(self) -> Widget:
        """The board."""
        return self.board

    def on_mount(self) -> None:
        """Its keys are those of the game at hand."""
        describe_keys(self.board, self.game)

    def on_resize(self) -> None:
        """Gives the board the right size."""
        self.board.resize(*self.face.board_layout(self.size, self.look.can_draw_pieces))

    def action_flip(self) -> None:
        """Turns the board."""
        self.is_flipped = not self.is_flipped
        self.show()


class BoardScreen(BaseScreen):
    """A screen with a board on which moves are made."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("plus", "add", "Add to your studies", id="board.add"),  # no priority: in Ra6+ the sign is of the move
    ]

    def __init__(self) -> None:
        super().__init__()
        self.board = MoveBoard(self.face, id="board")
        self.listed: Callable[[], Any] = tuple
        """Tells what a query has found that is walked through, so that all of it can be added to the studies."""
        self.looked_at: Callable[[], Walk[Any, Any] | None] = lambda: None
        """Tells where the position at hand is, where what is known of it may be told."""

    def home(self) -> Widget:
        """The board."""
        return self.board

    def game_changed(self) -> None:
        """Another board."""
        self.board.set_face(self.face)
        self.on_resize()
        super().game_changed()

    # What a screen says

    def move_made(self, move: Any) -> None:
        """A legal move was made by hand."""
        raise NotImplementedError

    def touched(self) -> None:
        """Something was done on the board by hand: what runs by itself stops."""
        self.say()

    def worth(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
        """What a promotion leads to, from the longest words to the shortest."""
        return ()

    @property
    def learner(self) -> str | None:
        """The side that the user plays; None for the side to move."""
        return None

    # What is the same for all

    async def on_key(self, event: Pressed) -> None:
        """A letter with which moves begin, and which is no key here, begins what is typed after a colon."""
        if (
            self.last_row.is_typing and event.is_printable
        ):  # typed before what the first letter has opened got the focus
            event.stop()
            self.last_row.type_text(event.character or "")
            return
        letter, opens = event.character or "", next(key for key in declared_keys(type(self)) if key.key == "colon")
        if opens.system or self.last_row.is_open or event.key in self.active_bindings or letter not in _LETTERS:
            return
        event.stop()
        await self.run_action(opens.action)
        self.last_row.type_text(letter)

    @on(MoveBoard.Touched)
    def _by_hand(self, event: MoveBoard.Touched) -> None:
        """Something was done on the board."""
        step = event.step
        self.touched()
        if step.refusal:
            self.say(step.refusal)
        elif len(step.moves) == 1:
            self.move_made(step.moves[0])
        elif step.moves:
            self.promote(step.moves)

    def promote(self, moves: Sequence[Any], best: Any = None) -> None:
        """Asks what the pawn becomes; the cursor begins at the best, or at the first."""
        source, target = self.face.endpoints(moves[0])
        self.board.pick(source, target)
        choices = [
            Choice(key, name, partial(self.move_made, move), self.worth(move))
            for move in moves
            for key, name in [self.face.promotion_choice(move)]
        ]
        self.last_row.ask("Promote", *choices, cursor=moves.index(best) if best in moves else 0)

    def on_resize(self, _event: Resize | None = None) -> None:
        """Gives the board the size that leaves room for the rest."""
        look = self.look
        self.board.resize(
            *self.board.face.board_layout(self.size, look.can_draw_pieces)
        )  # the game may have changed meanwhile

    def action_flip(self) -> None:
        """Turns the board."""
        self.board.flip()

    def action_add(self) -> None:
        """Asks for the set that gets the position, or all that are walked through; Enter alone takes the usual one."""
        from endgame_core.practice.studies import LONGEST_NAME, MOST_AT_ONCE, MY_POSITIONS

        if self.board.position is None:
            return
        self.touched()
        game, sets, result = self.lab.explorer_of(self.game).game, self.lab.studies(self.game), self.listed()
        text, side = game.format(self.board.position), self.learner

        def one(name: str) -> str:
            study = sets.add(text, name, side=side, beyond=True)
            return f"added to {study.group}: {study.name}."

        this = partial(_ask_set, self, MY_POSITIONS, one)
        if not result:
            this()
            return
        numbers = result.chosen(self.host.rng, MOST_AT_ONCE)

        def every(name: str) -> str:
            done = sets.import_records(result.records(numbers), name)
            return f"{added(len(done.added), len(numbers), name)}."

        usual = f"{result.query.ending} {result.query.text}"[:LONGEST_NAME]
        many = Choice("a", some_of(len(numbers), result.count), partial(_ask_set, self, usual, every))
        self.last_row.ask("Add", Choice("enter", "this position", this), many)


def _ask_set(screen: BoardScreen, usual: str, save: Callable[[str], str]) -> None:
    """Asks for a set; what is saved in it is told by who does so, in a thread, for another app may hold the studies."""
    from endgame_core.practice.studies import slug

    def add(name: str) -> None:
        slug(name)  # what is wrong with the name is said while it can be mended
        beside(screen, partial(save, name), lambda told: screen.say(told, "win"), "add")

    screen.last_row.prompt("Add to", "a set of yours; a new name makes one", add, usual)
