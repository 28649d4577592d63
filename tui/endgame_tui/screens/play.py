"""Play: any position, either colour, against a defender of choice; afterwards every move is graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from endgame_core.errors import EndgameError, PositionError
from endgame_core.pgn import count_games, read
from endgame_core.practice.defence import defence_of, note_choices
from endgame_core.practice.match import Claim
from endgame_core.settings import AUTOPLAY, DEFENCE
from endgame_core.tasks.games import Games, Played
from endgame_core.tasks.play import LOOK, PLAY, REPLY, REVIEW, SETUP, TIMES, EngineTask, Play, text_of
from endgame_core.words import game_report as words
from endgame_core.words import position
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import TextSpan
from endgame_tui.screens.base import BoardScreen, Repeated, Request, instead_of_left
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import NORMAL, WIDE, Key
from endgame_tui.widgets.playview import HIDDEN, SHOWN, PlayView
from endgame_tui.widgets.rows import ChoiceList, Picker


class Conduct:
    """One game of one kind: replies, hints, the time, what a table shows by itself, files and questions.

    Args:
        play: The game.
        screen: Where it is shown, asked and said.
    """

    def __init__(self, play: Play[Any, Any], screen: PlayScreen) -> None:
        self.play, self.screen = play, screen
        self.thinking: EngineTask[Any] = EngineTask(screen.lab, play.game.name, screen.call_later)
        self.thinking.on_thought = screen.show
        self.thinking.on_trouble = self._on_engine_failed
        self._since = monotonic()
        self._clock: Timer | None = None
        self._showing = Repeated(screen)
        self._shown_elsewhere: Any = None
        self._wanted: Any = None
        self.collection: tuple[Path, int, Games] | None = None
        """The collection that was read last: its file, when that was written, and its games."""
        self._usual, self._said = play.setup.defence, ""

    def prefer(self) -> None:
        """Sets the next game up as the last one was, or with the defender that the settings name since."""
        host, name, said = self.screen.host, self.play.game.name, self.screen.host.settings[DEFENCE]
        if self.play.stage != SETUP or said == self._said:
            return
        defence, time = defence_of(host.memory, host.settings, "play", name, self._usual), self.play.setup.time
        if not self._said:
            last = host.memory.get(int, "play", name, "time") or 0
            time = last if 0 <= last < len(TIMES) else time
            self.play.hidden = host.memory.get(bool, "play", name, "hidden") is not False
        self.play.setup, self._said = replace(self.play.setup, defence=defence, time=time), said

    def elapsed(self) -> float:
        """Seconds since it became your move."""
        return monotonic() - self._since

    # Beginning

    def set_up(self, position: Any, side: str = "") -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        self.stop()
        self._wanted = None
        self.play.set_up(position, side)
        self._turn_board()

    def offer(self, position: Any) -> None:
        """What Explore shows is set up where no game is on; else it is what the next one begins with, if it is new."""
        if position != self._shown_elsewhere:
            self._shown_elsewhere = self._wanted = position
            if self.play.stage == SETUP:
                self.set_up(position)

    def _turn_board(self) -> None:
        """Your side is below."""
        self.screen.board.flipped = self.play.you == "black"
        self.screen.show()

    def stop(self) -> None:
        """A game under way is given up."""
        self.interrupt()
        self.thinking.forget()
        if self.play.match is not None:
            self.screen.host.memory.note(None, "left", self.play.game.name)
        if self._clock is not None:
            self._clock.pause()

    def change(self, row: str, by: int) -> None:
        """Changes a row of the setup."""
        self.play.change(row, by)
        setup, host = self.play.setup, self.screen.host
        how = {"defence": setup.defence.value, "time": setup.time, "hidden": self.play.hidden}
        note_choices(host.memory, host.settings, "play", self.play.game.name, **how)
        self._turn_board()

    def begin(self) -> None:
        """Begins the game that was set up."""

        def go() -> None:
            self.interrupt()
            self.thinking.forget()
            self.play.begin()
            self.begun()

        _replace(self, go)

    def begun(self) -> None:
        """A game has begun, or is looked at."""
        match = self.play.match
        if match is not None and match.control is not None:
            self._clock = self._clock or self.screen.set_interval(1.0, self.tick, name="clock")
            self._clock.resume()
        self.screen.board.position = None  # another game: the cursor begins anew
        self._go_on()

    def new(self) -> None:
        """Chooses another game; begins it where it is chosen."""
        if self.play.stage == SETUP:
            self.begin()
        else:
            self.leave(self._anew)

    def _anew(self) -> None:
        """Sets up what Explore shows if that is new, else where the last game began."""
        if self._wanted is not None:
            self.set_up(self._wanted)
            return
        self.stop()
        self.play.set_up_again()
        self._turn_board()

    def retry(self) -> None:
        """Plays on from the position looked at; before a game, takes a random position of its layer."""
        self.interrupt()
        stage = self.play.stage
        if stage == REVIEW:
            self.play.retry()
            self.begun()
        elif stage == SETUP:
            self.play.randomly()
            self._turn_board()
        else:
            self.screen.say("once the game is over, r plays from here again; u takes back.")

    def leave(self, go: Callable[[], object]) -> None:
        """Does something that ends the game under way; asks first when moves have been made."""
        match = self.play.match
        if match is not None and match.result is None and match.plies:
            self.screen.ask.question(words.SHALL_I_GIVE_UP, Choice("enter", "give it up", go))
        else:
            go()

    # The moves of both sides

    def _go_on(self) -> None:
        """Shows the game; lets the defender reply, or says how it ended."""
        self._since = monotonic()
        self.thinking.forget()
        if self.play.stage == REVIEW:
            self._finish()
            return
        self.screen.show()
        if self.play.your_turn:
            self._look_ahead()
        else:
            self.screen.call_after_refresh(self._answer)
        if notice := self.screen.lab.journal.take_notice():
            self.screen.say(notice, "loss")

    def _look_ahead(self) -> None:
        """Estimates the position while it is your move, when that may be told and no table knows."""
        play, thinking = self.play, self.thinking
        if thinking.is_awaited or (play.hint is not None and thinking.thought is not None):
            return  # a hint waits for what is being thought, or rests on it; or it is to be shown
        if play.stage == PLAY and play.told and play.your_turn and play.guessed and play.match is not None:
            thinking.think(play.match.tracked, LOOK)

    def _finish(self) -> None:
        """The game is over: from here it is looked at."""
        self.thinking.forget()
        if self._clock is not None:
            self._clock.pause()
        self.screen.board.pick(None)
        self.screen.show()
        if self.play.match is not None:
            self.screen.say(*words.ended(self.play.match))

    def tick(self) -> None:
        """A second of your time has passed."""
        match = self.play.match
        if self.play.tick(self.elapsed()):
            self._finish()
        elif match is not None and match.left is not None and match.your_turn:
            self.screen.view.show_facts()

    def _answer(self) -> None:
        """The defender claims a draw, or moves: by the tables, else by the search."""
        play, match = self.play, self.play.match
        if match is None or play.stage != PLAY or match.your_turn:
            return
        try:
            claim = play.answer()
        except EndgameError:
            self.thinking.think(match.tracked, REPLY, self._answered)
            self.screen.show()
            return
        if claim is not None:
            self._claimed("the defender claims", claim)
        else:
            self._go_on()

    def _answered(self, move: Any) -> None:
        """Makes the move that was thought of for the defender."""
        if self.play.stage == PLAY and not self.play.your_turn:
            self.play.make(move)
            self._go_on()

    def _on_engine_failed(self, problem: EndgameError) -> None:
        """Nothing was found by thinking: nobody waits any more, and it is said why."""
        self.screen.show()
        self.screen.complain(problem)

    def make(self, move: Any) -> None:
        """Plays your move."""
        if self.play.your_turn:
            self.screen.say()
            self.screen.board.cursor = self.screen.face.ends(move)[1]
            self.play.make(move, self.elapsed())
            self._go_on()

    def take_back(self) -> None:
        """Takes back your last move and the reply."""
        if not self._is_on():
            return
        self.play.take_back()
        self._go_on()
        self.screen.board.put_cursor()
        self.screen.board.repaint()

    def _is_on(self) -> bool:
        """Whether a game is played; else says that there is none."""
        self.screen.say()
        if self.play.stage == PLAY:
            return True
        over = f"the game is over: {words.what_r_does(self.play)}."
        self.screen.say(over if self.play.stage == REVIEW else "Enter begins the game first.")
        return False

    # Hints, the verdict, draws

    def hint(self) -> None:
        """Gives the next step of a hint."""
        play, thinking, match = self.play, self.thinking, self.play.match
        if not self._is_on() or match is None:
            return
        if not play.your_turn:
            self.screen.say("the defender is to move.")
            return
        try:
            best = play.best()
        except EndgameError:
            if play.told and thinking.thought is not None and thinking.thought.move is not None:
                thinking.cancel()  # what is shown and the hint are the same thought
                self._hint_of(thinking.thought.move)
                return
            self.screen.say(words.ON_A_HINT)
            thinking.think(match.tracked, REPLY, self._hint_of)
            return
        self._hint_of(best)

    def _hint_of(self, best: Any) -> None:
        """Shows the next step of a hint about a move."""
        if self.play.your_turn:
            self.play.give_hint(best)
            self.screen.say()
            self.warn()
            self.screen.show()
            if not self.screen.view.show_hint():
                told = words.said(self.play)
                self.screen.say(f"{told.heading}: {told.sentence}")

    def warn(self) -> None:
        """Says what the 50-move rule has against a win, or for a loss."""
        if warning := words.warning(self.play):
            self.screen.say(warning, "cursed")

    def verdict(self) -> None:
        """Shows or hides the verdict."""
        self.screen.say()
        if self.play.stage == REVIEW:
            self.screen.say("after the game nothing is hidden.")
            return
        self.play.change("verdict", 1)
        self.screen.show()
        self._look_ahead()

    def draw(self) -> None:
        """Claims a draw where there is one to claim, else offers one."""
        match = self.play.match
        if not self._is_on() or match is None:
            return
        if (claim := self.play.claim) is not None:

            def claimed() -> None:
                if self._is_on():  # its time may have ended it meanwhile
                    self._claimed("you claim", self.play.claim_draw())

            question = words.shall_i_claim(match, claim)
            self.screen.ask.question(question, Choice("enter", "claim", claimed))
        elif self.play.offer_draw():
            self._finish()
            self.screen.say(words.AGREED, "draw")
        else:
            self.screen.say(words.DECLINED)

    def _claimed(self, who: str, claim: Claim[Any]) -> None:
        match = self.play.match
        self._finish()
        if match is not None:
            self.screen.say(f"{who} a draw{words.announced(match, claim)}: {claim.draw.value}.", "draw")

    # Giving up, and looking back

    def show_me(self) -> None:
        """Gives up, after a question, and lets the best line be played out."""
        if self._is_on():
            self.warn()
            choice = Choice("enter", "show me", self._show_line)
            self.screen.ask.question(words.SHALL_I_SHOW, choice)

    def _show_line(self) -> None:
        """Gives up, and lets the best line be played out."""
        match = self.play.match
        if match is None or self.play.stage != PLAY:
            return
        try:
            line = self.play.best_line()
        except EndgameError:
            self.screen.say(words.ON_A_LINE)
            thinking = self.thinking

            def shown(_move: Any) -> None:
                self._show_moves([] if thinking.thought is None else list(thinking.thought.line), estimated=True)

            thinking.think(match.tracked, REPLY, shown)
            return
        self._show_moves(line)

    def _show_moves(self, line: list[Any], estimated: bool = False) -> None:
        """Gives up, and plays a line out, which may be an estimate."""
        if self.play.stage == PLAY:
            self.play.show(line, estimated)
            self._finish()
            self._showing.begin(self.screen.host.settings[AUTOPLAY], self._show_step)

    def _show_step(self) -> bool:
        """One more move of what the table shows; False where there is none."""
        review = self.play.review
        if review is None or review.item is None:
            self.screen.say()
            return False
        review.step(1)
        self.screen.show()
        return True

    def interrupt(self) -> None:
        """What the table shows by itself stops, and what was said goes."""
        self.screen.say()
        self._showing.stop()

    def step(self, items: int) -> None:
        """Steps through the game that is over."""
        if self.play.review is not None:
            self.interrupt()
            self.play.review.step(items)
            self.screen.show()

    def go(self, number: int) -> None:
        """Goes to a move of the game that is over."""
        if self.play.review is not None:
            self.step(number - self.play.review.at)

    def next_error(self) -> None:
        """Goes to your next move that was not the best."""
        self.interrupt()
        if self.play.review is None:
            self.screen.say("errors are found after the game.")
        elif self.play.review.next_error():
            self.screen.show()
        else:
            self.screen.say("you made no error in this game.")

    # Files and what is typed

    def save(self) -> None:
        """Asks for a file and writes the game to it."""

        def saved(text: str) -> None:
            self.screen.say(f"saved as {self.play.save(Path(text))}.", "win")

        if self.play.match is None:
            self.screen.say("there is no game to save yet.")
        else:
            self.screen.ask.text("Save as", "a new file", saved, str(words.file_of(self.play)))

    def load(self) -> None:
        """Asks for a file and opens its first game."""

        def opened(text: str) -> None:
            path = self.play.found(Path(text))
            if count_games(text_of(path)) > 1:
                self.screen.ask.stop()
                _list(self, path)
            else:
                _open(self, path)

        def ask() -> None:
            names = self.play.completions("")
            first = str(self.collection[0]) if self.collection else names[0] if names else f"{self.play.folder}/"
            self.screen.ask.text("Open", "a PGN file", opened, first, complete=self.play.completions)
            if told := words.saved_games(names):
                self.screen.say(told)

        self.interrupt()
        self.leave(lambda: _replace(self, ask))

    def type(self) -> None:
        """Asks for a move, or for a position."""
        self.interrupt()
        speech = speech_of(self.play.game.name)
        if self.play.stage == PLAY:
            self.screen.ask.text(":", f"a move: {speech.to_play}", self._typed_move)
        else:
            self.screen.ask.text(":", speech.positions, self._typed_position)

    def _typed_position(self, text: str) -> None:
        self.stop()
        self.play.typed(text)
        self.screen.ask.stop()
        self._turn_board()

    def _typed_move(self, text: str) -> None:
        if "/" in text:
            raise PositionError("a game is on, and that is a position", "press Esc and n first, then type it")
        screen = self.screen
        if promotions := screen.face.typed(self.play.position, text):
            screen.say()
            screen.promote(promotions)
        elif self.play.your_turn and screen.board.begin(text):
            screen.ask.stop()
        else:
            move = self.play.move(text)
            screen.ask.stop()
            self.make(move) if self.play.your_turn else screen.say("the defender is to move.")

    # What leads elsewhere

    def send(self) -> None:
        """Asks where the position is to go."""
        self.interrupt()
        game, position = self.play.game, self.play.position
        request = Request(game.name, game.format(position), metric=None if game.horizon else game.metric)
        go = partial(self.screen.app.call_later, self.screen.host.open, "explore", request)
        self.screen.ask.question("Send this position to", Choice("1", "Explore", go))

    def go_on(self, kept: Mapping[str, Any]) -> None:
        """Goes on with a game that was left open."""
        from endgame_core.tasks.resume import go_on_playing

        self.stop()
        try:
            go_on_playing(self.play, kept)
        except EndgameError as problem:
            self.screen.host.memory.note(None, "left", self.play.game.name)
            self._turn_board()
            self.screen.complain(problem)
            return
        self._turn_board()
        self.begun()


def _replace(conduct: Conduct, go: Callable[[], object]) -> None:
    """Does something that leads to another game; asks first when one that was left open would be forgotten."""
    if conduct.play.stage == SETUP:
        instead_of_left(conduct.screen, conduct.play.game.name, go)
    else:
        go()


def _open(conduct: Conduct, source: Any, you: str | None = None, at: int | None = None) -> None:
    """Opens a file, or a game that was read, which is looked at where something happened."""
    problem = conduct.play.open(source, you)
    conduct.stop()
    conduct.screen.ask.stop()
    conduct.screen.board.flipped = conduct.play.you == "black"
    conduct.begun()
    if at is not None:
        conduct.go(at)
    if problem:
        conduct.screen.say(problem)


def _list(conduct: Conduct, path: Path) -> None:
    """Lists the games of a collection, which is read once as long as it stays as it is."""
    from endgame_tui.screens.games import GamesScreen

    known = conduct.collection
    stamp = path.stat().st_mtime_ns
    result = known[2] if known is not None and known[:2] == (path, stamp) else None

    def keep(games: Games) -> None:
        conduct.collection = (path, stamp, games)

    def chosen(picked: tuple[Played, str | None, int] | None) -> None:
        if picked is not None:
            played, side, at = picked  # what there is of a broken game, too
            try:
                _open(conduct, read(played.text, conduct.play.game), side, at)
            except EndgameError as problem:
                conduct.screen.complain(problem)

    conduct.screen.app.push_screen(GamesScreen([path], result, keep), chosen)


_PLAYING: Final[Mapping[str, str]] = {
    "choose": "pick, drop", "do('take_back')": "take back", "do('hint')": "hint", "do('verdict')": "verdict",
    "do('show_me')": "show me", "do('draw')": "draw", "do('type')": "type", "flip": "flip", "do('new')": "new game",
    "do('save')": "save",
}  # fmt: skip
_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {
        "begin": "begin", "step(-1)": "choose", "step(1)": "choose", "change(-1)": "change", "change(1)": "change",
        "do('type')": "position", "do('retry')": "random", "edit": "board", "do('load')": "open", "flip": "flip",
    },
    HIDDEN: _PLAYING,
    SHOWN: _PLAYING,
    REVIEW: {
        "screen.step(-1)": "step", "screen.step(1)": "step", "screen.step(-9999)": "first, last",
        "screen.step(9999)": "first, last",
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
    TYPED = (("← →", "After the game: step"),)
    CSS_PATH = "play.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("u", "do('take_back')", "Take back your move", id="play.take-back", rank=1),
        Key(
            "i", "do('hint')", "Hint: piece, then move", id="play.hint", rank=1,
            words={"morris": "Hint: stone, then move"},
        ),
        Key("v", "do('verdict')", "Show or hide the verdict", id="play.verdict", rank=1),
        Key("w", "do('show_me')", "Give up, show the solution", id="play.show-me", priority=True),
        Key("D", "do('draw')", "Claim or offer a draw", id="play.draw", rank=3, words={"morris": "Offer a draw"}),
        Key("colon", "do('type')", "Type a move or a position", id="play.type", priority=True, rank=1, typing=True),
        Key("e", "do('next_error')", "Go to your next error", id="play.next-error", rank=1),
        Key("r", "do('retry')", "Retry here; random position", id="play.retry", rank=1),
        Key("E", "edit", "Open the board editor", id="play.edit"),
        Key(
            "O", "do('load')", "Open a game from PGN", id="play.load", priority=True,
            words={"morris": "Open a game from a file"},
        ),
        Key("f", "flip", "Flip the board", id="play.flip", rank=3),
        Key(
            "o", "do('save')", "Save as PGN, with grades", id="play.save", priority=True,
            words={"morris": "Save the game, with grades"},
        ),
        Key("n", "do('new')", "New game", id="play.new", priority=True),
        Key("home", "step(-9999)", "Go to the start of the game", id="play.home", rank=3),
        Key("end", "step(9999)", "Go to the end of the game", id="play.end", rank=3),
        Key("m", "view('panel', 'moves')", "Show all moves or the game", id="play.moves"),
        Key("s", "do('send')", "Send to Explore or Play", id="play.send", priority=True, rank=3),
        Key("c", "view('copy')", "Copy the FEN", id="play.copy", words={"morris": "Copy the position"}),
        Key(
            "escape", "view('back')", "Cancel; back to the board", id="play.back",
            words={"morris": "Cancel; back to the board"},
        ),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.view = PlayView(self.board, id="play")
        self._conducts: dict[str, Conduct] = {}
        self.looked_at = lambda: play.walk_from(play.position) if (play := self.conduct.play).told else None

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
            made = Conduct(play, self)
            play.set_up(play.setup.position)
            self._conducts[self.game] = made
        return self._conducts[self.game]

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

    def at_stake(self) -> str:
        """A game in which moves have been made."""
        match = self.conduct.play.match
        if match is None or match.result is not None or not match.plies:
            return ""
        return "your game waits for the next start" if self.host.memory.is_persistent else "it ends your game"

    def receive(self, request: Request) -> None:
        """Sets up what another screen has sent; a game under way is asked about first."""
        conduct, result = self.conduct, request.position
        if (left := request.left) is not None:
            conduct.leave(lambda: conduct.go_on(left))
        if result is None:
            return
        if request.asked:
            conduct.leave(lambda: conduct.set_up(result))
        else:
            conduct.offer(result)

    # What is shown

    def show(self) -> None:
        """Shows the game as it stands."""
        if not self.is_mounted or not self.view.is_mounted:
            return
        conduct, stage = self.conduct, self.view.stage
        conduct.prefer()
        self.view.show(conduct.play, conduct.thinking, conduct.elapsed)
        if self.host.memory.is_persistent and conduct.play.match is not None:
            from endgame_core.tasks.resume import game_left

            self.host.memory.note(game_left(conduct.play), "left", self.game)
        self._show_crumbs()
        self.refresh_bindings()
        if stage != self.view.stage and not self.ask.is_open:
            self.set_focus(self.home())

    def _show_crumbs(self) -> None:
        play, thinking = self.conduct.play, self.conduct.thinking
        narrow = self.has_class("-narrow")
        failed = thinking.trouble is not None
        told = words.headline(play, thinking.thought, thinking.is_awaited, self.board.hand.is_taking, failed)
        self.crumbs(
            *words.crumbs(play, self.size.width >= WIDE), right=words.corner(play, told) if narrow else ("", "")
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

    def worth(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
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

    def action_step(self, plies: int) -> None:
        """Steps through the game that is over."""
        self.conduct.step(plies)

    @on(ChoiceList.Changed)
    def _row_changed(self, event: ChoiceList.Changed) -> None:
        self.conduct.change(self.conduct.play.rows[event.row], event.by)

    @on(Picker.Chosen)
    def _picked(self, event: Picker.Chosen) -> None:
        known, name = self.conduct.play.known, event.control.id
        if name == "setup":
            self.call_later(self.run_action, "do('begin')")  # which may not be possible
        elif name == "score":
            self.conduct.go(event.key)
        elif name in ("moves", "rated"):
            moves = known.moves if name == "moves" else known.by_dtz
            if event.key < len(moves):
                self.conduct.make(moves[event.key].move)

    def action_view(self, name: str, *args: str) -> None:
        """Something about what is shown: the moves, the way back to the board, a copy."""
        if name == "back":
            self.conduct.interrupt()
            has_list = self.conduct.collection is not None and self.view.stage == REVIEW
            if has_list and self.board.hand.is_empty and not self.view.fold and self.focused is self.view.home():
                self.say("O, then Enter, leads back to the games.")
                return
        if told := getattr(self.view, name)(*args):
            self.say(told)

    def action_edit(self) -> None:
        """Sets the board up by hand."""
        from endgame_tui.screens.editor import EditorScreen

        self.conduct.interrupt()
        conduct = self.conduct
        conduct.leave(lambda: self.app.push_screen(EditorScreen(conduct.play.position, "play")))
