"""Explore: a position, its layer, every move and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from endgame_core import games
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.tasks.walk import Walk
from endgame_core.values import LAST_CLOCK
from endgame_core.words import position as words
from endgame_core.words import tables
from endgame_core.words.told import Word
from endgame_tui.jobs import Ended
from endgame_tui.screens.base import BoardScreen, Request
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.walkview import LayersPanel, WalkView

CHESS, STONES = ("chess",), ("morris",)
"""Games, of which keys are."""

AUTOPLAY = 0.8
"""Seconds between two moves of autoplay."""


_NO_WAY = {"undo": "this is where the walk began.", "redo": "nothing has been undone."}
"""What is said where there is no way back, or on."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An ending that is being built, and whether it is to be opened then."""

    game: str
    ending: str
    metric: str
    opened: bool


class ExploreScreen(BoardScreen):
    """Walk through the layers of an ending."""

    TASK = "explore"
    CSS_PATH = "explore.tcss"
    PANELS = (LayersPanel,)
    CRUMBS = ("2", "w", "g", "g")
    BINDINGS: ClassVar[list[BindingType]] = [
        Key(
            "escape", "view('back')", "Drop the man, to the board", id="explore.back", rank=1,
            words={"morris": "One step back, to the board"},
        ),
        Key("full_stop", "walk('play_best')", "Play the best move", id="explore.best", short="best", rank=1),
        Key("u", "walk('undo')", "Undo", id="explore.undo", short="undo", rank=1),
        Key("U", "walk('redo')", "Redo", id="explore.redo", short="redo", rank=3),
        Key(
            "left_square_bracket", "walk('step_layer', -1)", "Layer nearer to mate", id="explore.nearer",
            short="layer", rank=1, words={"morris": "Layer nearer to the end"},
        ),
        Key(
            "right_square_bracket", "walk('step_layer', 1)", "Layer farther from mate", id="explore.farther",
            short="layer", rank=1, words={"morris": "Layer farther from the end"},
        ),
        Key("n", "walk('step_position', 1)", "Next position in the layer", id="explore.next", short="next|position"),
        Key("p", "walk('step_position', -1)", "Previous position", id="explore.previous", short="next|position"),
        Key("r", "walk('randomly')", "Random position", id="explore.random", short="random", rank=3),
        Key("g", "ask('go_to')", "Go to a layer or position", id="explore.go-to", priority=True, typing=True),
        Key("z", "walk('turn_metric')", "Layers by DTM or by DTZ", id="explore.metric", short="DTZ", games=CHESS),
        Key(
            "C", "ask('clock')", "Set the half-move clock", id="explore.clock", games=CHESS, priority=True, typing=True
        ),
        Key("a", "autoplay", "Play on by itself, or stop", id="explore.autoplay", short="auto", rank=3),
        Key("b", "view('panel', 'before')", "Positions before this one", id="explore.before", short="before"),
        Key("t", "walk('turn_captures')", "Captures among those before", id="explore.captures", games=CHESS),
        Key("w", "walk('next_family')", "White or Black wins, draws", id="explore.family", short="wins", rank=3),
        Key("m", "view('panel', 'moves')", "All moves", id="explore.moves", short="moves", rank=1),
        Key("f", "flip", "Turn the board", id="explore.flip"),
        Key("c", "view('copy')", "Copy the FEN", id="explore.copy", words={"morris": "Copy the position"}),
        Key("s", "leave('play')", "Send the position to Play", id="explore.send", priority=True),
        Key("E", "leave('editor')", "Set up the board by hand", id="explore.edit", games=STONES),
        Key(
            "colon", "ask('type')", "Type: move, FEN, S12, KBNvK", id="explore.type", short="type", priority=True,
            typing=True, words={"morris": "Type: move, line, S12, 4-3"},
        ),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.view = WalkView(self.board, id="walk")
        self.walk: Walk[Any, Any] = Walk(self.lab, self.game, self.host.rng)
        """Where the user is."""
        self._walks = {self.game: self.walk}
        self._anew = True
        self._shown = False
        """Whether anything was shown before."""
        self._wanted: _Wanted | None = None
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        """Opens what was asked for on the command line, or the first position."""
        first, self.host.first = self.host.first, None
        self.set_focus(self.home())
        self.receive(Request(text=first))

    def body(self) -> ComposeResult:
        """The board and what stands around it."""
        yield self.view

    def home(self) -> Widget:
        """The board, or the panel that covers it."""
        return self.view.home()

    def game_changed(self) -> None:
        """Shows the walk through the game at hand; each game keeps its own."""
        if self.game not in self._walks:
            self._walks[self.game] = Walk(self.lab, self.game, self.host.rng)
        self.walk = self._walks[self.game]
        super().game_changed()

    def show(self) -> None:
        """Shows the place the walk has come to; what takes longer to find out is shown when it is there."""
        walk, again = self.walk, partial(self.call_later, self.show)
        for name in games.NAMES:
            self.set_class(name == self.game, f"-{name}")
        if not walk.known.whole:
            walk.clerk.ask(walk.position, again)
        if walk.by_clock:  # which may be known only now
            walk.clerk.ask(walk.position, again, 4 * self.size.width // 5)
        self.view.show(walk, self._anew)
        self._anew = False
        path, right = self.view.header()
        self.crumbs(*path, right=right)
        self.refresh_bindings()

    def label(self, key: Key) -> str:
        """On small screens panels are folded away; while a stone is to be taken, Esc leads back to another move."""
        narrow = self.has_class("-narrow")
        if key.short in ("moves", "layer"):
            return "S" if narrow and key.short == "layer" else key.short if narrow or key.short == "layer" else ""
        if self.board.hand.is_taking:
            return {"view('back')": "other move", "choose": "take"}.get(key.action, super().label(key))
        return super().label(key)

    # Walking

    def done(self, step: Callable[[], object], opened: bool = False) -> object:
        """Does a step of the walk and shows where it led; what is missing is offered, and with ``opened`` opened then.

        Raises:
            EndgameError: It could not be done.
        """
        before = self.walk.step
        try:
            found = step()
        except NotBuiltError as problem:
            self.offer(problem.ending, self.walk.metric, opened)
            return None
        self._anew = self.walk.step is not before
        self.show()
        if self.walk.step is not before and (ending := self.walk.offered):
            self.offer(ending, self.walk.metric)
        return found

    def action_walk(self, step: str, *args: Any) -> None:
        """One step of the walk."""
        self.touched()
        try:
            found = self.done(partial(getattr(self.walk, step), *args))
        except EndgameError as problem:
            self.complain(problem)
            return
        if found is False:
            self.say(_NO_WAY[step])
        elif isinstance(found, str):
            if (problem := self.walk.known.fifty_problem) is not None and self.walk.metric == self.walk.metrics[0]:
                self.complain(problem)
            self.offer(found, self.walk.metrics[-1])

    @on(WalkView.Wanted)
    def _chosen(self, event: WalkView.Wanted) -> None:
        (self.action_view if event.what == "copy" else self.action_walk)(event.what, *event.args)

    def move_made(self, move: Any) -> None:
        """Walks on."""
        self.action_walk("play", move)

    def touched(self) -> None:
        """Autoplay stops, and what was said goes; what may be taken may have changed."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        super().touched()
        self.view.show_choice()
        path, right = self.view.header()
        self.crumbs(*path, right=right)
        self.refresh_bindings()

    def promote(self, moves: Sequence[Any], best: Any = None) -> None:
        """Asks what the pawn becomes; the cursor begins at the best, the queen where they tie."""
        rated = {move.move: (move.grade, move.layer) for move in self.walk.known.by_depth}
        first = next((move for move in rated if move in moves), None)
        super().promote(moves, next((move for move in moves if first and rated.get(move) == rated[first]), best))

    def worth(self, move: Any) -> tuple[tuple[Word, ...], ...]:
        """The layer a promotion leads to, and what that means."""
        return words.promoted(self.walk.known, move)

    def action_view(self, name: str, *args: Any) -> None:
        """Something about what is shown: a panel, the way back to the board, a copy."""
        self.touched() if name != "back" or self.board.hand.is_empty else self.say()
        if said := getattr(self.view, name)(*args):
            self.say(said)

    def action_autoplay(self) -> None:
        """Starts to play the best moves one after the other, or stops."""
        running = self._timer is not None
        self.touched()
        if running:
            self.say("autoplay stopped.")
            return

        def play_on() -> None:
            goes_on, self._anew = self.walk.play_on(), True
            self.show()
            if not goes_on and self._timer is not None:
                self._timer.stop()
                self._timer = None

        self._timer = self.set_interval(AUTOPLAY, play_on, name="autoplay")

    # Typing

    def action_ask(self, what: str) -> None:
        """Asks for anything, for a place, or for the clock."""
        self.touched()
        walk = self.walk

        def typed(text: str) -> None:
            """Does it, in the other game where it is of that; asks what a typed move leaves open."""
            if (other := games.elsewhere(text, self.game)) is not None:
                self.app.call_later(self.host.open, self.TASK, Request(other, text))
                return
            self.say()
            if several := self.face.typed(walk.position, text):
                self.promote(several)
            elif not self.board.begin(text):
                self.done(partial(walk.typed, text), opened=True)

        if what == "clock":
            now = walk.known.clock
            hint = f"0 to {LAST_CLOCK} plies since the last capture or pawn move; now {now}"
            self.ask.text("Clock", hint, lambda text: typed(f"clock {text}"))
        elif what == "go_to":
            self.ask.text("Go to", "S12, 12/3, or the number of a position", typed)
        else:
            self.ask.text(":", words.may_be_typed(walk.rules), typed)

    # Other screens

    def receive(self, request: Request) -> None:
        """Opens what another screen or the command line asks for."""
        if self._shown and not request.asked:
            return
        if self.board.face is not self.face:
            self.game_changed()
        walk, steps = self.walk, dict[str, Any]()
        if request.metric in walk.metrics:
            walk.metric = request.metric
        if request.position is not None:
            steps["go"] = request.position
        elif request.text:
            steps["typed" if self._shown else "begin"] = request.text
        self._anew, first, self._shown = True, not self._shown, True
        try:
            for step, what in steps.items():
                self.done(partial(getattr(walk, step), what), opened=first or request.text is not None)
        except EndgameError as problem:
            self.complain(problem)
        self.show()
        if first and not self.ask.is_open and (ending := walk.offered):
            self.offer(ending, walk.metric)

    def handover(self) -> Request:
        """The position, for who has nothing in hand."""
        return Request(self.game, position=self.walk.position, asked=False)

    def action_leave(self, where: str) -> None:
        """Sends the position to Play, or sets up another one by hand."""
        self.touched()
        position = self.walk.position
        if where == "editor":
            from endgame_tui.screens.editor import EditorScreen

            self.app.push_screen(EditorScreen(position, self.TASK))
        else:
            to_play = partial(self.app.call_later, self.host.open, where, Request(self.game, position=position))
            self.ask.question("Send this position to", Choice("3", "3", "Play", to_play))

    # Building

    def offer(self, ending: str, metric: str, opened: bool = False) -> None:
        """Asks whether to build an ending; when it was ``opened``, it is when it is there."""
        first, wanted = self.walk.metrics[0], _Wanted(self.game, ending, metric, opened)

        def build() -> None:
            try:
                self.jobs.build([ending], metric)
            except EndgameError as problem:
                self.complain(problem)
            else:
                self._wanted = wanted

        cost, choices = tables.price(self.lab.library(metric), [ending]), [Choice("enter", "Enter", "build", build)]
        other = next((m for m in self.walk.metrics if m != metric and self.lab.library(m).is_built(ending)), None)
        if other is not None and metric == first:
            show_by = partial(self.action_walk, "show_by", other, ending if opened else "")
            choices.append(Choice("z", "z", other.upper(), show_by))
        lacks = "is not built" if metric == first else f"lacks {metric.upper()}"
        self.ask.question(tables.offers(ending, lacks, cost, self.ask.room(*choices)), *choices)

    def tables_changed(self) -> None:
        """Asks the tables anew; opens what was waited for."""
        for walk in self._walks.values():
            walk.forget()
        walk, wanted = self.walk, self._wanted
        if wanted is None or wanted.game != self.game or not self.lab.library(wanted.metric).is_built(wanted.ending):
            self.show()
            return
        self._wanted = None
        if wanted.metric == walk.metrics[0] and wanted.opened:
            self.action_walk("open", wanted.ending)
        elif wanted.metric != walk.metrics[0] and walk.ending == wanted.ending:
            self.action_walk("show_by", wanted.metric)
        else:
            self.show()

    def ended(self, event: Ended) -> None:
        """Says so."""
        self.say(event.words, "win")
