"""Drill: one sitting against the table, in either game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize

from endgame_core.tasks.sitting import Sitting, Stage
from endgame_core.words import drill as words
from endgame_tui.drilling import Drilling
from endgame_tui.host import Request
from endgame_tui.screens.base import BoardScreen
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.drillview import DrillView
from endgame_tui.widgets.score import ScorePanel

_PLAYED: Final = {
    "board.choose": "pick, drop", "drill.hint": "hint", "drill.take-back": "take back (counts)||back",
    "drill.show-me": "show me||show", "drill.type": "type a move|type", "drill.flip": "flip", "drill.leave": "leave",
}  # fmt: skip
_LABELS: Final[dict[str, dict[str, str]]] = {
    "drill": _PLAYED,
    "streak": {key: _PLAYED[key] for key in ("board.choose", "drill.type", "drill.flip", "drill.leave")},
    "question": {
        "drill.show-me": "a win||win", "drill.draw": "a draw||draw", "drill.loss": "a loss||loss", "drill.flip": "flip",
        "drill.leave": "leave",
    },
    "decides": {
        "drill.decides": "the move decides||decides", "drill.no": "the same, whoever moves||the same",
        "drill.show-me": "change the answer|-", "drill.draw": "change the answer|-",
        "drill.loss": "change the answer|-",
        "drill.leave": "leave",
    },
    "over": {
        "drill.next": "next", "drill.again": "again", "drill.left": "step through|step",
        "drill.right": "step through|step", "drill.take-back": "take back, try again|try again|back",
        "drill.show-me": "show me", "drill.send": "look in Explore|Explore", "drill.leave": "leave",
    },
    "answered": {
        "drill.next": "next", "drill.again": "again", "drill.send": "look in Explore", "board.add": "keep the position",
        "drill.leave": "leave",
    },
    "summary": {
        "drill.next": "to the list", "drill.again": "all of it again||again", "app.progress": "progress",
    },
}  # fmt: skip
"""What the last row calls the keys at each stage: on wide screens, on normal and on small ones where that differs."""


class DrillScreen(BoardScreen):
    """The drills of a sitting, one after the other.

    Dismissed with None, with what another screen wants in its place, or with the reason why nothing can be drilled.

    Args:
        game: The game.
        make: Makes a sitting; once more when all of it is to be drilled again.
    """

    TASK = "practise"
    CSS_PATH = "drill.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("enter", "do('next')", "Next drill", id="drill.next", rank=1),
        Key("r", "do('again')", "Again, another random copy", id="drill.again", rank=1),
        Key("y", "do('decides', True)", "Question: the move decides", id="drill.decides", rank=1),
        Key("n", "do('no')", "It does not; or next drill", id="drill.no", rank=1),
        Key("left", "do('step', -1)", "Afterwards: move before", id="drill.left"),
        Key("right", "do('step', 1)", "Afterwards: move after", id="drill.right"),
        Key("home", "do('step', -9999)", "Afterwards: to the start", id="drill.home"),
        Key("end", "do('step', 9999)", "Afterwards: to the end", id="drill.end"),
        Key("i", "do('hint')", "Hint: first man, then move", id="drill.hint", rank=1),
        Key("u", "do('take_back')", "Take back (it counts)", id="drill.take-back", rank=1),
        Key("w", "do('show_me')", "Show me; question: a win", id="drill.show-me", rank=1, priority=True),
        Key("d", "do('call', 'draw')", "Question: a draw", id="drill.draw", rank=1),
        Key("l", "do('call', 'loss')", "Question: a loss", id="drill.loss", rank=1),
        Key("colon", "do('type')", "Type a move", id="drill.type", priority=True, typing=True),
        Key("s", "do('send')", "See it in Explore", id="drill.send"),
        Key("f", "flip", "Turn the board", id="drill.flip", rank=3),
        Key("c", "do('copy')", "Copy the FEN", id="drill.copy"),
        Key("tab,shift+tab", "do('home')", "To the board", id="drill.home-panel", priority=True),
        Key("escape", "do('leave')", "Leave the drill", id="drill.leave"),
    ]

    def __init__(self, game: str, make: Callable[[], Sitting]) -> None:
        self._game = game
        super().__init__()
        self.view = DrillView(self.board, id="drill")
        self.drilling = Drilling(make, self, self.view)
        self._stage = ""

    @property
    def game(self) -> str:
        """The game of the sitting, whichever is at hand elsewhere."""
        return self._game

    def game_changed(self) -> None:
        """A sitting is of one game."""
        self.host.game = self._game
        self.say(words.ONE_SITTING)

    @property
    def learner(self) -> str | None:
        """The side that is drilled."""
        return self.drilling.sitting.learner

    def body(self) -> ComposeResult:
        """The board and what stands around it."""
        yield self.view

    def on_mount(self) -> None:
        """Begins the first drill."""
        self.set_interval(1.0, self.drilling.tick, name="clock")
        self.drilling.begin()

    def on_unmount(self) -> None:
        """The app ends."""
        self.drilling.end()

    @on(Resize)
    def _fit(self) -> None:
        """Where rows are plenty, one is kept free for what is said."""
        self.strip.kept = self.view.fit(self.size, self.look)
        self.strip.follow(self.jobs.job)

    def receive(self, request: Request) -> None:
        """Another screen wants a drill: it has to wait until this sitting is over."""
        if self.drilling.stage == "summary":
            self.dismiss(request)
        else:
            self.say(words.ONE_SITTING)

    def show(self) -> None:
        """Shows the drill as it stands; the board has the focus while moves are made."""
        sitting = self.drilling.sitting
        self.view.show(sitting)
        self.drilling.show_clock()
        if self._stage != self.drilling.stage:
            self._stage = self.drilling.stage
            if not self.ask.is_open:
                self.set_focus(self.board if sitting.stage is Stage.DRILL else None)
            self.refresh_bindings()

    def label(self, key: Key) -> str:
        """What a key is called at this stage."""
        wide, *shorter = _LABELS[self.drilling.stage].get(key.id or "", "").split("|")
        for room, words_ in zip(("-normal", "-narrow"), shorter, strict=False):
            if words_ and not self.has_class("-wide") and (room == "-normal" or self.has_class(room)):
                wide = words_
        return wide.strip("-")

    def touched(self) -> None:
        """Something was chosen by hand: what is still to be chosen is said."""
        self.say(words.TAKE if self.board.hand.is_taking else "")

    def move_made(self, move: Any) -> None:
        """The learner moves."""
        self.drilling.make(move)

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self.drilling.look_at(event.ply + 1)

    def action_do(self, what: str, *args: Any) -> None:
        """What one does in a drill, and after it."""
        getattr(self.drilling, what)(*args)
