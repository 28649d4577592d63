"""Play any position, with either side, against a defender of your choice; afterwards every move is graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.pgn import count_games, read
from endgame_core.practice.defence import defence_of, note_choices
from endgame_core.practice.match import Claim
from endgame_core.practice.studies import MY_GAMES
from endgame_core.settings import AUTOPLAY, DEFENCE
from endgame_core.tasks.games import Games, Played
from endgame_core.tasks.play import LOOK, PLAY, REPLY, REVIEW, SETUP, TIMES, EngineTask, Play, text_of
from endgame_core.tasks.walk import Walk
from endgame_core.words import game_report as words
from endgame_core.words import position, tables
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import TextSpan
from endgame_tui.keys import (
    ALL_MOVES,
    CHOOSE,
    COPY,
    EDIT,
    EXPLORE_HERE,
    FIRST,
    FLIP,
    HINT,
    LAST,
    LEAVE,
    NEXT_ERROR,
    PROMPT,
    SHOW,
    TAKE_BACK,
    Key,
)
from endgame_tui.screens.base import BoardScreen, Request, StepTimer, build_choices, confirm_discard
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import NORMAL, WIDE
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.playview import HIDDEN, SHOWN, PlayView
from endgame_tui.widgets.rows import ChoiceList, Picker, Rows
from endgame_tui.widgets.score import ScorePanel


class Conduct:
    """Plays chess or Nine Men's Morris on a screen: replies, hints, the clock, replayed lines, files and questions.

    Args:
        play: The game.
        screen: The screen that shows it and asks questions.
    """

    def __init__(self, play: Play[Any, Any], screen: PlayScreen) -> None:
        self.play = play
        self.screen = screen
        self.thinking: EngineTask[Any] = EngineTask(screen.lab, play.game.name, screen.call_later)
        self.thinking.on_thought = screen.show
        self.thinking.on_trouble = self._on_engine_failed
        self._turn_start = monotonic()
        """When it became the user's turn."""
        self._clock: Timer | None = None
        self._replay = StepTimer(screen)
        self._explored: Any = None
        """The position that Explore showed last."""
        self._next_start: Any = None
        """A position of Explore for the next game to start from."""
        self.collection: tuple[Path, int, Games] | None = None
        """The games that were read last, their file and its modification time."""
        self._default_defence = play.setup.defence
        self._applied_setting = ""
        """The defender of the settings when the setup was filled in last; empty before."""

    def prefer(self) -> None:
        """Fill in the setup from the last game; use the defender of the settings if that was changed since."""
        host = self.screen.host
        name = self.play.game.name
        setting = host.settings[DEFENCE]
        if self.play.stage != SETUP or setting == self._applied_setting:
            return
        defence = defence_of(host.memory, host.settings, "play", name, self._default_defence)
        time = self.play.setup.time
        if not self._applied_setting:
            last_time = host.memory.get(int, "play", name, "time") or 0
            if 0 <= last_time < len(TIMES):
                time = last_time
            self.play.hidden = host.memory.get(bool, "play", name, "hidden") is not False
        self.play.setup = replace(self.play.setup, defence=defence, time=time)
        self._applied_setting = setting

    def elapsed(self) -> float:
        """Seconds since it became the user's turn."""
        return monotonic() - self._turn_start

    # Beginning

    def set_up(self, position: Any, side: str = "") -> None:
        """Set up a position for a new game; the current game is given up."""
        self.stop()
        self._next_start = None
        self.play.set_up(position, side)
        self._turn_board()

    def offer(self, position: Any) -> None:
        """Set up the position that Explore shows if it is a new one; during a game keep it for the next game."""
        if position != self._explored:
            self._explored = self._next_start = position
            if self.play.stage == SETUP:
                self.set_up(position)

    def _turn_board(self) -> None:
        """Turn the board so that the user's side is at the bottom."""
        self.screen.board.flipped = self.play.you == "black"
        self.screen.show()

    def stop(self) -> None:
        """Give up the current game."""
        self.interrupt()
        self.thinking.forget()
        if self.play.match is not None:
            self.screen.host.memory.note(None, "left", self.play.game.name)
        if self._clock is not None:
            self._clock.pause()

    def change(self, row: str, by: int) -> None:
        """Change a row of the setup and store the choices."""
        self.play.change(row, by)
        setup = self.play.setup
        host = self.screen.host
        choices = {"defence": setup.defence.value, "time": setup.time, "hidden": self.play.hidden}
        note_choices(host.memory, host.settings, "play", self.play.game.name, **choices)
        self._turn_board()

    def begin(self) -> None:
        """Start the game that is set up."""

        def start() -> None:
            self.interrupt()
            self.thinking.forget()
            self.play.begin()
            self.enter_game()

        _replace_game(self, start)

    def enter_game(self) -> None:
        """Show a game that was started, resumed or opened, and let it go on."""
        match = self.play.match
        if match is not None and match.control is not None:
            self._clock = self._clock or self.screen.set_interval(1.0, self.tick, name="clock")
            self._clock.resume()
        self.screen.board.position = None  # so that the cursor is put where the side to move starts
        self._continue()

    def new(self) -> None:
        """Go back to the setup, or start the game from there."""
        if self.play.stage == SETUP:
            self.begin()
        else:
            self.leave(self._set_up_next)

    def _set_up_next(self) -> None:
        """Set up a new position of Explore, or the start of the last game again."""
        if self._next_start is not None:
            self.set_up(self._next_start)
            return
        self.stop()
        self.play.set_up_again()
        self._turn_board()

    def retry(self) -> None:
        """After a game, play from the current position again; in the setup, choose a random position of the layer."""
        self.interrupt()
        stage = self.play.stage
        if stage == REVIEW:
            self.play.retry()
            self.enter_game()
        elif stage == SETUP:
            self.play.randomly()
            self._turn_board()
        else:
            self.screen.say(
                instruct("once the game is over, {retry_game} plays from here again; {take_back} takes back.")
            )

    def leave(self, proceed: Callable[[], object]) -> None:
        """Proceed with something that ends the current game; ask first if moves have been made."""
        match = self.play.match
        if match is not None and match.result is None and match.plies:
            self.screen.last_row.ask(words.SHALL_I_GIVE_UP, Choice("enter", "give it up", proceed))
        else:
            proceed()

    # The moves of both sides

    def _continue(self) -> None:
        """Show the game after a change; let the defender reply, or report the result."""
        self._turn_start = monotonic()
        self.thinking.forget()
        if self.play.stage == REVIEW:
            self._finish()
            return
        self.screen.show()
        if self.play.your_turn:
            self._estimate()
        else:
            self.screen.call_after_refresh(self._answer)
        if notice := self.screen.lab.journal.take_notice():
            self.screen.say(notice, "loss")

    def _estimate(self) -> None:
        """Let the engine estimate the position on the user's turn if the verdict is shown and no table knows it."""
        play = self.play
        thinking = self.thinking
        if thinking.is_awaited or (play.hint is not None and thinking.thought is not None):
            return  # a hint waits for the engine's result, or is based on it: keep that
        if play.stage == PLAY and play.told and play.your_turn and play.guessed and play.match is not None:
            thinking.think(play.match.tracked, LOOK)

    def _finish(self) -> None:
        """End the game and show its review."""
        self.thinking.forget()
        if self._clock is not None:
            self._clock.pause()
        self.screen.board.pick(None)
        self.screen.show()
        if self.play.match is not None:
            self.screen.say(*words.ended(self.play.match))

    def tick(self) -> None:
        """Update the clock every second; end the game when the time is up."""
        match = self.play.match
        if self.play.tick(self.elapsed()):
            self._finish()
        elif match is not None and match.left is not None and match.your_turn:
            self.screen.view.show_facts()

    def _answer(self) -> None:
        """Let the defender claim a draw or move: by the tables, else by the engine."""
        play = self.play
        match = play.match
        if match is None or play.stage != PLAY or match.your_turn:
            return
        try:
            claim = play.answer()
        except EndgameError:
            self.thinking.think(match.tracked, REPLY, self._play_reply)
            self.screen.show()
            return
        if claim is not None:
            self._end_by_claim("the defender claims", claim)
        else:
            self._continue()

    def _play_reply(self, move: Any) -> None:
        """Play the defender's move that the engine found, unless the game has changed meanwhile."""
        if self.play.stage == PLAY and not self.play.your_turn:
            self.play.make(move)
            self._continue()

    def _on_engine_failed(self, problem: EndgameError) -> None:
        """Report that the engine failed."""
        self.screen.show()
        self.screen.complain(problem)

    def make(self, move: Any) -> None:
        """Play a move of the user."""
        if self.play.your_turn:
            self.screen.say()
            self.screen.board.cursor = self.screen.face.endpoints(move)[1]
            self.play.make(move, self.elapsed())
            self._continue()

    def take_back(self) -> None:
        """Take back the user's last move and the reply."""
        if not self._require_game():
            return
        self.play.take_back()
        self._continue()
        self.screen.board.reset_cursor()
        self.screen.board.repaint()

    def _require_game(self) -> bool:
        """Whether a game is being played; if not, say what to do instead."""
        self.screen.say()
        if self.play.stage == PLAY:
            return True
        if self.play.stage == REVIEW:
            self.screen.say(f"the game is over: {words.what_r_does(self.play)}.")
        else:
            self.screen.say(instruct("{begin} begins the game first."))
        return False

    # Hints, the verdict, draws

    def hint(self) -> None:
        """Give the next step of a hint."""
        play = self.play
        thinking = self.thinking
        match = play.match
        if not self._require_game() or match is None:
            return
        if not play.your_turn:
            self.screen.say("the defender is to move.")
            return
        try:
            best = play.best()
        except EndgameError:
            if play.told and thinking.thought is not None and thinking.thought.move is not None:
                thinking.cancel()  # the hint is the move of the estimate that is shown
                self._show_hint(thinking.thought.move)
                return
            self.screen.say(words.ON_A_HINT)
            thinking.think(match.tracked, REPLY, self._show_hint)
            return
        self._show_hint(best)

    def _show_hint(self, best: Any) -> None:
        """Show the next step of a hint: the piece of the best move, then the move."""
        if self.play.your_turn:
            self.play.give_hint(best)
            self.screen.say()
            self.warn()
            self.screen.show()
            if not self.screen.view.show_hint():
                message = words.said(self.play)
                self.screen.say(f"{message.heading}: {message.sentence}")

    def warn(self) -> None:
        """Warn that the 50-move rule spoils a win, or saves a loss."""
        if warning := words.warning(self.play):
            self.screen.say(warning, "cursed")

    def verdict(self) -> None:
        """Show or hide the verdict."""
        self.screen.say()
        if self.play.stage == REVIEW:
            self.screen.say("after the game nothing is hidden.")
            return
        self.play.change("verdict", 1)
        self.screen.show()
        self._estimate()

    def draw(self) -> None:
        """Claim a draw if there is one to claim, else offer one."""
        match = self.play.match
        if not self._require_game() or match is None:
            return
        if (claim := self.play.claim) is not None:

            def claim_draw() -> None:
                if self._require_game():  # the time may be up meanwhile
                    self._end_by_claim("you claim", self.play.claim_draw())

            question = words.shall_i_claim(match, claim)
            self.screen.last_row.ask(question, Choice("enter", "claim", claim_draw))
        elif self.play.offer_draw():
            self._finish()
            self.screen.say(words.AGREED, "draw")
        else:
            self.screen.say(words.DECLINED)

    def _end_by_claim(self, claimant: str, claim: Claim[Any]) -> None:
        match = self.play.match
        self._finish()
        if match is not None:
            self.screen.say(f"{claimant} a draw{words.announced(match, claim)}: {claim.draw.value}.", "draw")

    # Giving up, and looking back

    def show_me(self) -> None:
        """Ask whether to give up and show the best line."""
        if self._require_game():
            self.warn()
            choice = Choice("enter", "show me", self._show_line)
            self.screen.last_row.ask(words.SHALL_I_SHOW, choice)

    def _show_line(self) -> None:
        """Give up and play the best line out: of the tables, else of the engine."""
        match = self.play.match
        if match is None or self.play.stage != PLAY:
            return
        try:
            line = self.play.best_line()
        except EndgameError:
            self.screen.say(words.ON_A_LINE)
            thinking = self.thinking

            def show_estimate(_move: Any) -> None:
                estimate = [] if thinking.thought is None else list(thinking.thought.line)
                self._show_moves(estimate, estimated=True)

            thinking.think(match.tracked, REPLY, show_estimate)
            return
        self._show_moves(line)

    def _show_moves(self, line: list[Any], estimated: bool = False) -> None:
        """Give up and play a line out."""
        if self.play.stage == PLAY:
            self.play.show(line, estimated)
            self._finish()
            self._replay.begin(self.screen.host.settings[AUTOPLAY], self._replay_step)

    def _replay_step(self) -> bool:
        """Show the next move of the line; return False at its end."""
        review = self.play.review
        if review is None or review.item is None:
            self.screen.say()
            return False
        review.step(1)
        self.screen.show()
        return True

    def interrupt(self) -> None:
        """Stop the replay of a line, and clear the message."""
        self.screen.say()
        self._replay.stop()

    def step(self, items: int) -> None:
        """Step through the finished game."""
        if self.play.review is not None:
            self.interrupt()
            self.play.review.step(items)
            self.screen.show()

    def go(self, number: int) -> None:
        """Go to a move of the finished game."""
        if self.play.review is not None:
            self.step(number - self.play.review.at)

    def next_error(self) -> None:
        """Go to the user's next move that was not the best."""
        self.interrupt()
        if self.play.review is None:
            self.screen.say("errors are found after the game.")
        elif self.play.review.next_error():
            self.screen.show()
        else:
            self.screen.say("you made no error in this game.")

    def practise_errors(self) -> None:
        """Make drills of your errors in the game that is over, and begin them."""
        self.interrupt()
        if self.play.stage != REVIEW:
            self.screen.say("errors are found after the game.")
            return
        self.play.practise_errors()
        request = Request(self.play.game.name, f"set {MY_GAMES}")
        self.screen.call_later(self.screen.host.open, "practise", request)

    # Files and the prompt

    def save(self) -> None:
        """Ask for a file and save the game in it."""

        def save(text: str) -> None:
            self.screen.say(f"saved as {self.play.save(Path(text))}.", "win")

        if self.play.match is None:
            self.screen.say("there is no game to save yet.")
        else:
            self.screen.last_row.prompt("Save as", "a new file", save, str(words.file_of(self.play)))

    def load(self) -> None:
        """Ask for a file; open its game, or list its games if there are several."""

        def open_file(text: str) -> None:
            path = self.play.found(Path(text))
            if count_games(text_of(path)) > 1:
                self.screen.last_row.close()
                _list_games(self, path)
            else:
                _open_game(self, path)

        def ask() -> None:
            names = self.play.completions("")
            proposed = names[0] if names else f"{self.play.folder}/"
            if self.collection is not None:
                proposed = str(self.collection[0])
            self.screen.last_row.prompt("Open", "a PGN file", open_file, proposed, complete=self.play.completions)
            if message := words.saved_games(names):
                self.screen.say(message)

        self.interrupt()
        self.leave(lambda: _replace_game(self, ask))

    def type(self) -> None:
        """Ask for a move, or between games for a position."""
        self.interrupt()
        speech = speech_of(self.play.game.name)
        if self.play.stage == PLAY:
            self.screen.last_row.prompt(":", f"a move: {speech.to_play}", self._play_typed)
        else:
            self.screen.last_row.prompt(":", speech.positions, self._set_up_typed)

    def _set_up_typed(self, text: str) -> None:
        self.stop()
        try:
            self.play.typed(text)
        except NotBuiltError as problem:
            self.screen.last_row.close()
            self.screen.offer_build(problem.ending)
            return
        self.screen.last_row.close()
        self._turn_board()

    def _play_typed(self, text: str) -> None:
        if "/" in text:
            raise PositionError(
                "a game is on, and that is a position", instruct("press {cancel_prompt} and {new} first, then type it")
            )
        screen = self.screen
        if promotions := screen.face.ambiguous_moves(self.play.position, text):
            screen.say()
            screen.promote(promotions)
        elif self.play.your_turn and screen.board.begin_typed(text):
            screen.last_row.close()
        else:
            move = self.play.move(text)
            screen.last_row.close()
            if self.play.your_turn:
                self.make(move)
            else:
                screen.say("the defender is to move.")

    # Other screens

    def send(self) -> None:
        """Open the position in Explore; the game stays as it is."""
        self.interrupt()
        game = self.play.game
        metric = None if game.horizon else game.metric
        request = Request(game.name, game.format(self.play.position), metric=metric)
        self.screen.app.call_later(self.screen.host.open, "explore", request)

    def go_on(self, unfinished: Mapping[str, Any]) -> None:
        """Resume an unfinished game; discard it and report the error if that is not possible."""
        from endgame_core.tasks.resume import go_on_playing

        self.stop()
        try:
            go_on_playing(self.play, unfinished)
        except EndgameError as problem:
            self.screen.host.memory.note(None, "left", self.play.game.name)
            self._turn_board()
            self.screen.complain(problem)
            return
        self._turn_board()
        self.enter_game()


def _replace_game(conduct: Conduct, proceed: Callable[[], object]) -> None:
    """Proceed with something that leads to another game; ask first if an unfinished game would be lost."""
    if conduct.play.stage == SETUP:
        confirm_discard(conduct.screen, conduct.play.game.name, proceed)
    else:
        proceed()


def _open_game(conduct: Conduct, source: Any, side: str | None = None, ply: int | None = None) -> None:
    """Open a game for review.

    Args:
        conduct: The game so far.
        source: A file, or a game that was read.
        side: The user's side in it; None if that is not known.
        ply: The ply to go to; None for the start.
    """
    problem = conduct.play.open(source, side)
    conduct.stop()
    conduct.screen.last_row.close()
    conduct.screen.board.flipped = conduct.play.you == "black"
    conduct.enter_game()
    if ply is not None:
        conduct.go(ply)
    if problem:
        conduct.screen.say(problem)


def _list_games(conduct: Conduct, path: Path) -> None:
    """List the games of a file; it is read again only if it was changed since."""
    from endgame_tui.screens.games import GamesScreen

    modified = path.stat().st_mtime_ns
    games = None
    if conduct.collection is not None and conduct.collection[:2] == (path, modified):
        games = conduct.collection[2]

    def keep(games: Games) -> None:
        conduct.collection = (path, modified, games)

    def open_chosen(choice: tuple[Played, str | None, int] | None) -> None:
        if choice is not None:
            played, side, ply = choice
            try:  # a broken game is opened as far as it can be read
                _open_game(conduct, read(played.text, conduct.play.game), side, ply)
            except EndgameError as problem:
                conduct.screen.complain(problem)

    conduct.screen.app.push_screen(GamesScreen([path], games, keep), open_chosen)


_PLAYING: Final[Mapping[str, str]] = {
    "choose": "pick, drop", "take_back": "take back", "hint": "hint", "verdict": "verdict", "show": "show me",
    "draw": "draw", "prompt": "type", "flip": "flip", "new": "new game", "save_game": "save",
}  # fmt: skip
_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {
        "begin": "begin", "cursor_up": "choose", "cursor_down": "choose", "previous_value": "change",
        "next_value": "change", "prompt": "position", "retry_game": "random", "edit": "board", "open_games": "open",
        "flip": "flip",
    },
    HIDDEN: _PLAYING,
    SHOWN: _PLAYING,
    REVIEW: {
        "step_back": "step", "step_forward": "step", "first": "first, last", "last": "first, last",
        "next_error": "next error", "practise_errors": "practise", "retry_game": "retry here", "save_game": "save",
        "new": "new game", "explore_here": "send", "add": "add to studies",
    },
}  # fmt: skip
"""Names of keys in the last row, by stage and action; other keys are left out."""

_LIST_KEYS: Final = ("cursor_up", "cursor_down", "first", "last")
"""Actions that are named for the setup and the score, and not for the board."""

_SHORT: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {"begin": "begin", "position": "position"},
    HIDDEN: {"take back": "back", "hint": "hint", "verdict": "verdict", "take": "take", "other move": "back"},
    SHOWN: {"take back": "back", "hint": "hint", "verdict": "verdict", "take": "take", "other move": "back"},
    REVIEW: {"step": "step", "next error": "error", "retry here": "retry"},
}
"""Their names on narrow screens, which leave more keys out."""


class PlayScreen(BoardScreen):
    """Play against the tables, or against the engine where there is none."""

    TASK = "play"
    EXTRA_HELP = (("{step}", "After the game: step"),)
    FOCUSABLE = (MoveBoard, ChoiceList, ScorePanel, MovesPanel, Rows)
    CSS_PATH = "play.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        TAKE_BACK.adapted("Take back your move", rank=1),
        HINT.adapted("Hint: piece, then move", words={"morris": "Hint: stone, then move"}),
        Key("v", "verdict", "Show or hide the verdict", rank=1),
        SHOW.adapted("Give up, show the solution"),
        Key("D", "draw", "Claim or offer a draw", rank=3, words={"morris": "Offer a draw"}),
        PROMPT.adapted("Type a move or a position", rank=1),
        NEXT_ERROR,
        Key("M", "practise_errors", "Practise your errors"),
        Key("r", "retry_game", "Retry here; random position", rank=1),
        EDIT,
        Key(
            "O", "open_games", "Open a game from PGN", priority=True, words={"morris": "Open a game from a file"}
        ),
        FLIP.adapted(rank=3),
        Key(
            "o", "save_game", "Save as PGN, with grades", priority=True,
            words={"morris": "Save the game, with grades"},
        ),
        Key("n", "new", "New game", priority=True),
        FIRST.adapted("Go to the start of the game", action="step(-9999)", rank=3),
        LAST.adapted("Go to the end of the game", action="step(9999)", rank=3),
        ALL_MOVES.adapted("Show all moves or the game"),
        EXPLORE_HERE.adapted(priority=True, rank=3),
        COPY.adapted(words={"morris": "Copy the position"}),
        LEAVE.adapted("Cancel; back to the board", rank=2, words={"morris": "Cancel; back to the board"}),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._awaited_ending = ""
        self.view = PlayView(self.board, id="play")
        self._conducts: dict[str, Conduct] = {}
        self.current_walk = self._revealed_walk

    def body(self) -> ComposeResult:
        """Yield the view of the game."""
        yield self.view

    def home(self) -> Widget:
        """The setup, the board, or the moves of a finished game."""
        return self.view.home()

    @property
    def conduct(self) -> Conduct:
        """The current game of chess or Nine Men's Morris; each keeps its own."""
        if self.game not in self._conducts:
            play: Play[Any, Any] = Play(self.lab, self.game, self.host.rng)
            conduct = Conduct(play, self)
            play.set_up(play.setup.position)
            self._conducts[self.game] = conduct
        return self._conducts[self.game]

    def _revealed_walk(self) -> Walk[Any, Any] | None:
        """A walk at the current position; None while the verdict is hidden."""
        play = self.conduct.play
        return play.walk_from(play.position) if play.told else None

    def on_mount(self) -> None:
        """Show the setup."""
        self.board.flipped = self.conduct.play.you == "black"
        self.call_after_refresh(self.show)
        self.set_focus(self.home())

    def game_changed(self) -> None:
        """Show the board of the other game as it was."""
        self.board.flipped = self.conduct.play.you == "black"
        super().game_changed()

    def on_unmount(self) -> None:
        """Leave the unfinished games when the app ends."""
        for conduct in self._conducts.values():
            conduct.play.leave()

    def quit_warning(self) -> str:
        """What quitting does to a game in which moves have been made."""
        match = self.conduct.play.match
        if match is None or match.result is not None or not match.plies:
            return ""
        return "your game waits for the next start" if self.host.memory.is_persistent else "it ends your game"

    def receive(self, request: Request) -> None:
        """Resume an unfinished game, or set up a position of another screen; ask first during a game."""
        conduct = self.conduct
        position = request.position
        unfinished = request.unfinished
        if unfinished is not None:
            conduct.leave(lambda: conduct.go_on(unfinished))
        if position is None:
            return
        if request.is_explicit:
            conduct.leave(lambda: conduct.set_up(position))
        else:
            conduct.offer(position)

    # Building

    def offer_build(self, ending: str) -> None:
        """Ask whether to build an ending that was typed; it is set up as soon as it is built."""
        library = self.lab.explorer_of(self.game).library

        def build(keep_requested_only: bool) -> None:
            self.jobs.build([ending], library.game.metric, keep_requested_only=keep_requested_only)
            self._awaited_ending = ending

        cost = tables.price(library, [ending], self.jobs.workers)
        choices = build_choices(self, cost, build)
        self.last_row.ask(tables.offers([ending], None, cost, self.last_row.room(*choices)), *choices)

    def tables_changed(self) -> None:
        """Set up the ending that was waited for, unless a game has begun meanwhile."""
        ending = self._awaited_ending
        if ending and self.lab.explorer_of(self.game).library.is_built(ending):
            self._awaited_ending = ""
            if self.conduct.play.stage == SETUP:
                self.conduct.play.typed(ending)
        self.show()

    # What is shown

    def show(self) -> None:
        """Update everything on the screen, and store the unfinished game."""
        if not self.is_mounted or not self.view.is_mounted:
            return
        conduct = self.conduct
        previous_stage = self.view.stage
        conduct.prefer()
        self.view.show(conduct.play, conduct.thinking, conduct.elapsed)
        if self.host.memory.is_persistent and conduct.play.match is not None:
            from endgame_core.tasks.resume import game_left

            self.host.memory.note(game_left(conduct.play), "left", self.game)
        self._show_crumbs()
        self.refresh_bindings()
        if self.view.stage != previous_stage and not self.last_row.is_open:
            self.set_focus(self.home())

    def _show_crumbs(self) -> None:
        play = self.conduct.play
        thinking = self.conduct.thinking
        has_failed = thinking.trouble is not None
        headline = words.headline(
            play, thinking.thought, thinking.is_awaited, self.board.move_input.is_taking, has_failed
        )
        right = words.corner(play, headline) if self.has_class("-narrow") else ("", "")
        self.crumbs(*words.crumbs(play, self.size.width >= WIDE), right=right)

    def label(self, key: Key) -> str:
        """Name of a key in the last row at this stage; of Enter, the next step of a move."""
        stage = self.view.stage
        label = _LABELS.get(stage, {}).get(key.action_id, "")
        if key.id in _LIST_KEYS and self.focused is self.board:
            label = ""
        if self.board.move_input.is_taking:
            label = {CHOOSE.id: "take", LEAVE.id: "other move"}.get(key.id, label)
        elif key.id == CHOOSE.id and label:
            label = speech_of(self.game).choosing(self.board.position)
        if label and self.size.width < NORMAL:
            return _SHORT.get(stage, {}).get(label, "")
        return label

    def promotion_outcomes(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
        """What a promotion leads to; nothing while the verdict is hidden."""
        play = self.conduct.play
        return position.promoted(play.known, move) if play.told else ()

    @property
    def learner(self) -> str | None:
        """The user's side."""
        return self.conduct.play.you

    # Keys

    def user_acted(self) -> None:
        """Stop the replay of a line; show the stones that may be taken by the move being entered."""
        self.conduct.interrupt()
        self.view.show_choice()
        self._show_crumbs()
        self.refresh_bindings()

    def move_made(self, move: Any) -> None:
        """Play a move that was entered on the board."""
        self.conduct.make(move)

    def action_begin(self) -> None:
        """Start the game that is set up."""
        self.conduct.begin()

    def action_take_back(self) -> None:
        """Take back your last move and the reply."""
        self.conduct.take_back()

    def action_hint(self) -> None:
        """Give the next step of a hint."""
        self.conduct.hint()

    def action_verdict(self) -> None:
        """Show or hide the verdict."""
        self.conduct.verdict()

    def action_show(self) -> None:
        """Ask whether to give up and show the best line."""
        self.conduct.show_me()

    def action_draw(self) -> None:
        """Claim a draw if there is one to claim, else offer one."""
        self.conduct.draw()

    def action_prompt(self) -> None:
        """Ask for a move, or between games for a position."""
        self.conduct.type()

    def action_next_error(self) -> None:
        """Go to your next move that was not the best."""
        self.conduct.next_error()

    def action_practise_errors(self) -> None:
        """Make drills of your errors in the game that is over, and begin them."""
        self.conduct.practise_errors()

    def action_retry_game(self) -> None:
        """After a game, play from the current position again; in the setup, choose a random position."""
        self.conduct.retry()

    def action_open_games(self) -> None:
        """Ask for a file; open its game, or list its games if there are several."""
        self.conduct.load()

    def action_save_game(self) -> None:
        """Ask for a file and save the game in it."""
        self.conduct.save()

    def action_new(self) -> None:
        """Go back to the setup, or start the game from there."""
        self.conduct.new()

    def action_explore_here(self) -> None:
        """Open the position in Explore."""
        self.conduct.send()

    def action_step(self, plies: int) -> None:
        """Step through the finished game."""
        self.conduct.step(plies)

    @on(ChoiceList.Changed)
    def _row_changed(self, event: ChoiceList.Changed) -> None:
        self.conduct.change(self.conduct.play.rows[event.row], event.by)

    @on(Picker.Chosen)
    def _picked(self, event: Picker.Chosen) -> None:
        known = self.conduct.play.known
        name = event.control.id
        if name == "setup":
            self.call_later(self.run_action, "begin")  # as an action: its errors are shown
        elif name == "score":
            self.conduct.go(event.key)
        elif name in ("moves", "rated"):
            moves = known.moves if name == "moves" else known.by_dtz
            if event.key < len(moves):
                self.conduct.make(moves[event.key].move)

    def action_leave(self) -> None:
        """Take back the choice of a move, else go back to the board; in a listed game say what leads to the list."""
        self.conduct.interrupt()
        has_list = self.conduct.collection is not None and self.view.stage == REVIEW
        if has_list and self.board.move_input.is_empty and not self.view.fold and self.focused is self.view.home():
            self.say(instruct("{open_games}, then Enter, leads back to the games."))
            return
        self.view.back()

    def action_all_moves(self) -> None:
        """Focus the moves or the score, or the board again."""
        self.view.panel("moves")

    def action_copy(self) -> None:
        """Copy the position."""
        self.say(self.view.copy())

    def action_edit(self) -> None:
        """Open the board editor."""
        from endgame_tui.screens.editor import EditorScreen

        self.conduct.interrupt()
        conduct = self.conduct
        conduct.leave(lambda: self.app.push_screen(EditorScreen(conduct.play.position, "play")))
