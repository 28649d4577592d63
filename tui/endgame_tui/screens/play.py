"""Play: any position, either colour, against a defender of choice; afterwards every move is graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from endgame_core import games
from endgame_core.tasks.play import SETUP, Play
from endgame_core.words import played as words
from endgame_core.words import position
from endgame_core.words.speech import speech_of
from endgame_core.words.told import Word
from endgame_tui.conduct import Conduct
from endgame_tui.host import Request
from endgame_tui.screens.base import BoardScreen
from endgame_tui.widgets.bars import NORMAL, Key
from endgame_tui.widgets.playview import HIDDEN, REVIEW, SHOWN, PlayView

_PLAYING: Final[Mapping[str, str]] = {
    "choose": "pick, drop", "do('take_back')": "take back", "do('hint')": "hint", "do('verdict')": "verdict",
    "do('show_me')": "show me", "do('draw')": "draw", "do('type')": "type", "flip": "flip", "do('new')": "new game",
    "do('save')": "save",
}  # fmt: skip
_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {
        "begin": "begin", "point(-1)": "choose", "point(1)": "choose", "change(-1)": "change", "change(1)": "change",
        "do('type')": "position", "do('retry')": "random", "edit": "board", "do('load')": "open", "flip": "flip",
    },
    HIDDEN: _PLAYING,
    SHOWN: _PLAYING,
    REVIEW: {
        "step(-1)": "step", "step(1)": "step", "step(-9999)": "first, last", "step(9999)": "first, last",
        "do('next_error')": "next error", "do('retry')": "retry here", "do('save')": "save", "do('new')": "new game",
        "do('send')": "send", "add": "add to studies",
    },
}  # fmt: skip
"""What the last row calls a key at each stage; the others are not named."""

_SHORT: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {"begin": "begin", "position": "position"},
    HIDDEN: {"take back": "back", "hint": "hint", "verdict": "verdict", "take": "take", "other move": "back"},
    SHOWN: {"take back": "back", "hint": "hint", "verdict": "verdict", "take": "take", "other move": "back"},
    REVIEW: {"step": "step", "next error": "error", "retry here": "retry"},
}
"""The same on the smallest screens, where few are named."""


class PlayScreen(BoardScreen):
    """Play against the tables, and against the search where they do not reach."""

    TASK = "play"
    CSS_PATH = "play.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("u", "do('take_back')", "Take your move back", id="play.take-back", rank=1),
        Key(
            "i", "do('hint')", "Hint: first man, then move", id="play.hint", rank=1,
            words={"morris": "Hint: stone, then move"},
        ),
        Key("v", "do('verdict')", "Show or hide the verdict", id="play.verdict", rank=1),
        Key("w", "do('show_me')", "Give up: the table shows it", id="play.show-me", priority=True),
        Key("D", "do('draw')", "Claim or offer a draw", id="play.draw", rank=3, words={"morris": "Offer a draw"}),
        Key("colon", "do('type')", "Type a move or a position", id="play.type", priority=True, rank=1, typing=True),
        Key("e", "do('next_error')", "Your next error", id="play.next-error", rank=1),
        Key("r", "do('retry')", "Retry here; random position", id="play.retry", rank=1),
        Key("E", "edit", "Set up the board by hand", id="play.edit"),
        Key(
            "O", "do('load')", "Open a game from PGN", id="play.load", priority=True,
            words={"morris": "Open a game from a file"},
        ),
        Key("f", "flip", "Turn the board", id="play.flip", rank=3),
        Key(
            "o", "do('save')", "Save as PGN, with grades", id="play.save", priority=True,
            words={"morris": "Save the game, with grades"},
        ),
        Key("n", "do('new')", "New game", id="play.new", priority=True),
        Key("home", "do('step', -9999)", "To the start of the game", id="play.home", rank=3),
        Key("end", "do('step', 9999)", "To its end", id="play.end", rank=3),
        Key("m", "view('moves')", "All moves, or the game", id="play.moves"),
        Key("s", "do('send')", "Send the position elsewhere", id="play.send", priority=True, rank=3),
        Key("c", "do('copy')", "Copy the FEN", id="play.copy", words={"morris": "Copy the position"}),
        Key(
            "escape", "view('back')", "Drop the man, to the board", id="play.back",
            words={"morris": "One step back, to the board"},
        ),
    ]  # fmt: skip

    @dataclass
    class Due(Message):
        """Something that was found out beside the screen is to be taken over."""

        work: Callable[[], None]

    def __init__(self) -> None:
        super().__init__()
        self.view = PlayView(self.board, id="play")
        self._conducts: dict[str, Conduct] = {}

    def body(self) -> ComposeResult:
        """The board and what stands around it."""
        yield self.view

    def home(self) -> Widget:
        """The choices, the board, or the game that is looked at."""
        return self.view.home()

    @property
    def conduct(self) -> Conduct:
        """The game of the kind at hand; each kind keeps its own."""
        if self.game not in self._conducts:
            play: Play[Any, Any] = Play(self.lab, self.game, self.host.rng)
            made = Conduct(play, self, self.view, lambda work: self.post_message(self.Due(work)))
            play.set_up(play.setup.position)
            self._conducts[self.game] = made
        return self._conducts[self.game]

    @on(Due)
    def _due(self, event: Due) -> None:
        event.work()

    def on_mount(self) -> None:
        """Shows the choices of the first game."""
        self.board.flipped = self.conduct.play.you == "black"
        self.call_after_refresh(self.show)
        self.set_focus(self.home())

    def game_changed(self) -> None:
        """The other game, as it was left."""
        self.board.flipped = self.conduct.play.you == "black"
        super().game_changed()

    def on_unmount(self) -> None:
        """The app ends: games under way are given up."""
        for conduct in self._conducts.values():
            conduct.play.leave()

    def receive(self, request: Request) -> None:
        """Sets up what another screen has sent; a game under way is asked about first."""
        conduct, found = self.conduct, request.position
        if found is None:
            return
        if request.asked:
            conduct.leave(lambda: conduct.set_up(found))
        else:
            conduct.offer(found)

    def tables_changed(self) -> None:
        """What is known has changed; the judge has been told to ask anew."""
        self.show()

    # What is shown

    def show(self) -> None:
        """Shows the game as it stands."""
        if not self.is_mounted or not self.view.is_mounted:
            return
        conduct, stage = self.conduct, self.view.stage
        for name in games.NAMES:
            self.set_class(name == self.game, f"-{name}")
        self.view.show(conduct)
        self._show_crumbs()
        self.refresh_bindings()
        if stage != self.view.stage and not self.ask.is_open:
            self.set_focus(self.home())

    def _show_crumbs(self) -> None:
        play, thinking = self.conduct.play, self.conduct.thinking
        narrow = self.has_class("-narrow")
        told = words.headline(play, thinking.thought, thinking.is_awaited, self.board.hand.is_taking)
        self.crumbs(
            *words.crumbs(play, self.has_class("-wide")), right=words.corner(play, told) if narrow else ("", "")
        )

    def label(self, key: Key) -> str:
        """What matters at each stage; with stones, the step of the move that comes next."""
        hand, action = self.board.hand, key.action
        label = _LABELS.get(self.view.stage, {}).get(action, "")
        if hand.is_taking:
            label = {"choose": "take", "view('back')": "other move"}.get(action, label)
        elif action == "choose" and label:
            label = speech_of(self.game).choosing(self.board.position)
        return _SHORT.get(self.view.stage, {}).get(label, "") if label and self.size.width < NORMAL else label

    def worth(self, move: Any) -> tuple[tuple[Word, ...], ...]:
        """What a promotion leads to, once that may be told."""
        play = self.conduct.play
        return position.promoted(play.known, move) if play.told else ()

    @property
    def learner(self) -> str | None:
        """Your side."""
        return self.conduct.play.you

    # What is done

    def touched(self) -> None:
        """What the table shows by itself stops; what may be taken may have changed."""
        self.conduct.interrupt()
        self.view.show_choice()
        self._show_crumbs()
        self.refresh_bindings()

    def move_made(self, move: Any) -> None:
        """Plays it."""
        self.conduct.make(move)

    def action_do(self, what: str, *args: Any) -> None:
        """What one does with the game."""
        getattr(self.conduct, what)(*args)

    @on(PlayView.Wanted)
    def _wanted(self, event: PlayView.Wanted) -> None:
        self.action_do(event.what, *event.args)

    def action_view(self, name: str) -> None:
        """Something about what is shown: the moves, the way back to the board."""
        if name == "back":
            self.conduct.interrupt()
        getattr(self.view, name)()

    def action_edit(self) -> None:
        """Sets the board up by hand."""
        from endgame_tui.screens.editor import EditorScreen

        self.conduct.interrupt()
        conduct = self.conduct
        conduct.leave(lambda: self.app.push_screen(EditorScreen(conduct.play.position, "play")))
