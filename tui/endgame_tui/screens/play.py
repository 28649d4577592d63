"""Play any position, with either side, against a defender of your choice; afterwards every move is graded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, NotBuiltError, PositionError
from endgame_core.game import Game
from endgame_core.language import _, pgettext
from endgame_core.pgn import count_games, read
from endgame_core.practice.match import Claim, Ply, Termination
from endgame_core.practice.studies import MY_GAMES
from endgame_core.settings import AUTOPLAY
from endgame_core.tasks.game_collection import GameCollection
from endgame_core.tasks.game_grading import GradedGame
from endgame_core.tasks.play_session import EngineUse, Notice, PlayEvents, PlaySession, Question
from endgame_core.tasks.play_state import PLAY, REVIEW, SETUP, PlayState
from endgame_core.tasks.saved_games import read_games_file
from endgame_core.tasks.setup_preferences import SetupPreferences
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
from endgame_tui.screens.base import BoardScreen, Request, StepTimer
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.playview import HIDDEN, SHOWN, PlayView
from endgame_tui.widgets.rows import ChoiceList, Picker, Rows
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widths import MEDIUM, WIDE

_PLAYING: Final[Mapping[str, str]] = {
    "choose": _("pick, drop"),
    "take_back": _("take back"),
    "hint": _("hint"),
    "verdict": _("verdict"),
    "show": _("show me"),
    "draw": _("draw"),
    "prompt": pgettext("key", "type"),
    "flip": _("flip"),
    "new": _("new game"),
    "save_game": _("save"),
}
_LABELS: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {
        "begin": _("begin"),
        "cursor_up": _("choose"),
        "cursor_down": _("choose"),
        "previous_value": _("change"),
        "next_value": _("change"),
        "prompt": _("position"),
        "retry_game": _("random"),
        "edit": _("board"),
        "open_games": _("open"),
        "flip": _("flip"),
    },
    HIDDEN: _PLAYING,
    SHOWN: _PLAYING,
    REVIEW: {
        "step_back": _("step"),
        "step_forward": _("step"),
        "first": _("first, last"),
        "last": _("first, last"),
        "next_error": _("next error"),
        "practise_errors": _("practise"),
        "retry_game": _("retry here"),
        "save_game": _("save"),
        "new": _("new game"),
        "explore_here": _("send"),
        "add": _("add to studies"),
    },
}
"""Names of keys in the last row, by stage and action; other keys are left out."""

_PLAYING_SHORT: Final = {
    _("take back"): _("back"), _("hint"): _("hint"), _("verdict"): _("verdict"), _("take"): _("take"),
    _("other move"): _("back"),
}  # fmt: skip

_SHORT: Final[Mapping[str, Mapping[str, str]]] = {
    SETUP: {_("begin"): _("begin"), _("position"): _("position")},
    HIDDEN: _PLAYING_SHORT,
    SHOWN: _PLAYING_SHORT,
    REVIEW: {_("step"): _("step"), _("next error"): _("error"), _("retry here"): _("retry")},
}
"""Their names on narrow screens, which leave more keys out."""


_LIST_KEYS: Final = ("cursor_up", "cursor_down", "first", "last")
"""Actions that are named for the setup and the score, and not for the board."""

_YES: Final[Mapping[Question, str]] = {
    Question.GIVE_UP: _("give up"),
    Question.CLAIM_DRAW: _("claim"),
    Question.SHOW_SOLUTION: _("show me"),
    Question.ACCEPT_DRAW: _("accept"),
}
"""The answer yes to each question."""


@dataclass(frozen=True, slots=True)
class _OpenFile:
    """A file of several games that was read.

    Attributes:
        path: The file.
        modified: Its modification time in nanoseconds.
        games: Its games, graded.
    """

    path: Path
    modified: int
    games: GameCollection


class PlayScreen(BoardScreen):
    """Play against the tables, or against the engine where there is none."""

    TASK = "play"
    EXTRA_HELP = (("{step}", _("After the game: step")),)
    FOCUSABLE = (MoveBoard, ChoiceList, ScorePanel, MovesPanel, Rows)
    CSS_PATH = "play.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        TAKE_BACK.adapted(_("Take back your move"), rank=1),
        HINT.adapted(_("Hint: piece, then move"), words={"morris": _("Hint: stone, then move")}),
        Key("v", "verdict", _("Show or hide the verdict"), rank=1),
        SHOW.adapted(_("Give up, show the solution")),
        Key("D", "draw", _("Claim or offer a draw"), rank=3, words={"morris": _("Offer a draw")}),
        PROMPT.adapted(_("Type a move or a position"), rank=1),
        NEXT_ERROR,
        Key("M", "practise_errors", _("Practise your errors")),
        Key("r", "retry_game", _("Retry here; random position"), rank=1),
        EDIT,
        Key(
            "O", "open_games", _("Open a game from PGN"), priority=True, words={"morris": _("Open a game from a file")}
        ),
        FLIP.adapted(rank=3),
        Key(
            "o", "save_game", _("Save as PGN, with grades"), priority=True,
            words={"morris": _("Save the game, with grades")},
        ),
        Key("n", "new", _("New game"), priority=True),
        FIRST.adapted(_("Go to the start of the game"), rank=3),
        LAST.adapted(_("Go to the end of the game"), rank=3),
        ALL_MOVES.adapted(_("Show all moves or the game")),
        EXPLORE_HERE.adapted(priority=True, rank=3),
        COPY.adapted(words={"morris": _("Copy the position")}),
        LEAVE.adapted(_("Cancel; back to the board"), rank=2, words={"morris": _("Cancel; back to the board")}),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._awaited_ending = ""
        self.view = PlayView(self.board, id="play")
        self._sessions: dict[str, PlaySession] = {}
        """The session of each game; each keeps its own."""
        self._preferences: dict[str, SetupPreferences] = {}
        self._open_files: dict[str, _OpenFile] = {}
        """The file of several games that was read last, for each game."""
        self._clock: Timer | None = None
        self._replay = StepTimer(self)

    def body(self) -> ComposeResult:
        """Yield the view of the game."""
        yield self.view

    def home(self) -> Widget:
        """The setup, the board, or the moves of a finished game."""
        return self.view.home()

    @property
    def session(self) -> PlaySession:
        """The session of the current game."""
        if self.game not in self._sessions:
            self._sessions[self.game] = self._make_session(self.game)
        return self._sessions[self.game]

    @property
    def play(self) -> PlayState[Any, Any]:
        """The current game."""
        return self.session.state

    def _make_session(self, game: str) -> PlaySession:
        """Make the session of chess or of Nine Men's Morris, with its example position set up."""
        state: PlayState[Any, Any] = PlayState(self.lab, game, self.host.rng)
        self._preferences[game] = SetupPreferences(state, self.host.memory, self.host.settings)
        session = PlaySession(
            state,
            # Results of the engine's thread come through post; what must follow a repaint, through defer.
            post=self.call_later,
            defer=self.call_after_refresh,
            clock=lambda: self.host.clock(),
            shows_estimates=True,
        )
        session.events = PlayEvents(
            changed=self.show,
            game_left=partial(self._on_left, state),
            set_up=partial(self._on_set_up, state),
            begun=self._on_begun,
            retried=self._on_begun,
            resumed=self._on_begun,
            opened=partial(self._on_opened, state),
            moved=self._on_moved,
            taken_back=partial(self._turn_to_mover, state),
            turn_began=self._on_turn_began,
            engine_started=self._on_engine_started,
            engine_failed=self.complain,
            hinted=partial(self._on_hinted, state),
            solution_shown=self._on_solution_shown,
            over=partial(self._on_over, state),
            reviewed=self._on_reviewed,
            clock_changed=self.view.show_facts,
            notice=partial(self._on_notice, state),
            ask=partial(self._ask, state),
        )
        state.set_up(state.setup.position)
        return session

    def walk_for_help(self) -> Walk[Any, Any] | None:
        """Return a walk at the current position; None while the verdict is hidden."""
        play = self.play
        if play.shows_verdict:
            return play.walk_from(play.position)
        return None

    def on_mount(self) -> None:
        """Show the setup."""
        self.board.flipped = self.play.bottom == "black"
        # Not before the view has composed its panels.
        self.call_after_refresh(self.show)
        self.set_focus(self.home())

    def game_changed(self) -> None:
        """Show the board of the other game as it was."""
        self.board.flipped = self.play.bottom == "black"
        super().game_changed()

    def on_unmount(self) -> None:
        """Give up the games of all sessions when the app ends; saved unfinished ones are resumed later."""
        for session in self._sessions.values():
            session.close()

    def quit_warning(self) -> str:
        """Return the effect of quitting on a game in which moves have been made."""
        if not self.play.is_unfinished:
            return ""
        if self.host.memory.is_persistent:
            return _("your game can be resumed next time")
        return _("it ends your game")

    def receive(self, request: Request) -> None:
        """Resume an unfinished game, or set up a position of another screen; ask first during a game."""
        session = self.session
        position = request.position
        unfinished = request.unfinished
        if unfinished is not None:
            session.confirm_leaving(partial(self._resume, session, unfinished))
        if position is None:
            return
        # Sent here by the user; a position that a screen only hands over replaces no game.
        if request.is_explicit:
            session.confirm_leaving(lambda: session.set_up(position))
        else:
            session.offer(position)

    def _resume(self, session: PlaySession, unfinished: Mapping[str, Any]) -> None:
        """Resume an unfinished game; discard it and report the error if that is not possible."""
        try:
            session.resume(unfinished)
        except EndgameError as problem:
            # If it stayed, it would be offered at each start of the app.
            self.host.memory.note(None, "left", session.state.game.name)
            self.complain(problem)

    # Events of the session

    def _on_set_up(self, play: PlayState[Any, Any]) -> None:
        """Show the new setup; a prompt in which it was typed is closed first, so that the setup gets the focus."""
        if self.last_row.is_typing:
            self.last_row.close()
        self._turn_board(play)

    def _turn_board(self, play: PlayState[Any, Any]) -> None:
        """Show the game, with the user's side at the bottom, or the side to move."""
        self.board.flipped = play.bottom == "black"
        self.show()

    def _on_left(self, play: PlayState[Any, Any], had_game: bool) -> None:
        """Clear what belongs to a game that was given up; it cannot be resumed any more."""
        self.interrupt()
        if had_game:
            self.host.memory.note(None, "left", play.game.name)
        self._update_clock()

    def _on_begun(self) -> None:
        self.interrupt()
        self._turn_to_mover(self.play)
        self._update_clock()
        self.board.position = None  # so that the cursor is put where the side to move starts

    def _on_opened(self, play: PlayState[Any, Any], problem: str) -> None:
        """Show a saved game that goes on or is reviewed; at its end, say how it has ended."""
        self.last_row.close()
        self.board.flipped = play.bottom == "black"
        self._on_begun()
        review = play.review
        if review is not None:
            self._show_end(play)
            if review.item is not None:
                self.say()
        if problem:
            self.say(problem)

    def _on_moved(self, ply: Ply[Any, Any]) -> None:
        """Put the cursor where the user's move ends."""
        if ply.own:
            self.say()
            self.board.cursor = self.face.endpoints(ply.move)[1]
        self._turn_to_mover(self.play)

    def _turn_to_mover(self, play: PlayState[Any, Any]) -> None:
        """Turn the board to the side to move, if the user wants that in a game with a friend."""
        match = play.match
        if match is not None and match.with_friend and play.setup.turns_board and match.result is None:
            self.board.flipped = play.bottom == "black"

    def _on_turn_began(self, _is_your_turn: bool) -> None:
        notice = self.lab.journal.take_notice()
        if notice:
            self.say(notice, "loss")

    def _on_engine_started(self, use: EngineUse) -> None:
        """Say what the user waits for; the first row says so of a reply."""
        if use is EngineUse.HINT:
            self.say(words.ON_A_HINT)
        elif use is EngineUse.SOLUTION:
            self.say(words.ON_A_LINE)

    def _on_hinted(self, play: PlayState[Any, Any]) -> None:
        """Show a hint on the board, and in words."""
        self.say()
        self._warn(play)
        self.show()
        # The sentence has no room in this layout: say it in the row of messages.
        if not self.view.show_hint():
            message = words.message(play)
            self.say(f"{message.heading}: {message.sentence}")

    def _warn(self, play: PlayState[Any, Any]) -> None:
        """Warn that the 50-move rule spoils a win, or saves a loss."""
        if warning := words.warning(play):
            self.say(warning, "cursed")

    def _on_solution_shown(self) -> None:
        self._replay.begin(self.host.settings[AUTOPLAY], self._replay_step)

    def _replay_step(self) -> bool:
        """Show the next move of the line; return False at its end."""
        review = self.play.review
        if review is None or review.item is None:
            self.say()
            return False
        review.step(1)
        self.show()
        return True

    def _on_over(self, play: PlayState[Any, Any], claim: Claim[Any] | None, by_user: bool) -> None:
        """Show how the game has ended."""
        self._show_end(play)
        match = play.running_match
        if claim is not None:
            self.say(words.claimed(match, claim, by_user), "draw")
        elif match.result is not None and match.result.reason is Termination.AGREED:
            self.say(words.agreed(match), "draw")

    def _show_end(self, play: PlayState[Any, Any]) -> None:
        self._update_clock()
        if play.setup.turns_board and play.running_match.with_friend:
            self.board.flipped = play.bottom == "black"
        self.board.pick(None)
        self.show()
        self.say(*words.ended(play.running_match))

    def _on_reviewed(self) -> None:
        self.interrupt()
        self.show()

    def _on_notice(self, play: PlayState[Any, Any], notice: Notice) -> None:
        self.say(words.notice_words(play, notice))

    def _ask(self, play: PlayState[Any, Any], question: Question, proceed: Callable[[], object]) -> None:
        """Ask the user a question; a game that is stored as unfinished can be resumed instead."""
        if question is Question.REPLACE_STORED:
            self.confirm_discard(play.game.name, proceed)
            return
        if question is Question.SHOW_SOLUTION:
            self._warn(play)
        on_decline = None
        if question is Question.ACCEPT_DRAW:
            on_decline = partial(self.say, words.DECLINED_BY_FRIEND)
        answer = Choice("enter", _YES[question], proceed)
        text = words.question_words(play, question)
        self.last_row.ask(text, answer, short=words.BRIEF_QUESTIONS.get(text, ""), on_decline=on_decline)

    def _update_clock(self) -> None:
        """Let the clock run while a game is played with one."""
        if any(session.has_running_clock for session in self._sessions.values()):
            # One timer for all games: it is paused, not stopped, while none of them needs it.
            self._clock = self._clock or self.set_interval(1.0, self._tick, name="clock")
            self._clock.resume()
        elif self._clock is not None:
            self._clock.pause()

    def _tick(self) -> None:
        for session in self._sessions.values():
            session.tick()

    # Building

    def offer_build(self, ending: str) -> None:
        """Ask whether to build an ending that was typed; it is set up as soon as it is built."""
        library = self.lab.explorer_of(self.game).library

        def build(keep_requested_only: bool) -> None:
            # tables_changed sets the ending up when it is built.
            self.jobs.build([ending], library.game.metric, keep_requested_only=keep_requested_only)
            self._awaited_ending = ending

        cost = tables.price(library, [ending], self.jobs.workers)
        choices = self.build_choices(cost, build)
        self.last_row.ask(tables.offers([ending], None, cost, self.last_row.room(*choices)), *choices)

    def tables_changed(self) -> None:
        """Set up the ending that was waited for, unless a game has begun meanwhile."""
        ending = self._awaited_ending
        if ending and self.lab.explorer_of(self.game).library.is_built(ending):
            self._awaited_ending = ""
            if self.play.stage == SETUP:
                self.session.set_up_text(ending)
        self.show()

    # What is shown

    def show(self) -> None:
        """Update everything on the screen, and store the unfinished game."""
        # Events of a session may come while the screen is being built or closed.
        if not self.is_mounted or not self.view.is_mounted:
            return
        session = self.session
        play = session.state
        previous_stage = self.view.stage
        self._preferences[self.game].apply()
        self.view.show(session)
        if self.host.memory.is_persistent and play.match is not None:
            from endgame_core.tasks.resume import unfinished_game

            self.host.memory.note(unfinished_game(play), "left", self.game)
        self._show_crumbs()
        self.refresh_bindings()
        # A panel that had the focus may be hidden now; a prompt keeps it.
        if self.view.stage != previous_stage and not self.last_row.is_open:
            self.set_focus(self.home())

    def _show_crumbs(self) -> None:
        play = self.play
        engine = self.session.engine
        has_failed = engine.problem is not None
        headline = words.headline(play, engine.estimate, engine.is_awaited, self.board.move_input.is_taking, has_failed)
        right = ("", "")
        if self.has_class("-narrow"):
            right = words.corner(play, headline)
        self.crumbs(*words.crumbs(play, self.size.width >= WIDE), right=right)

    def label(self, key: Key) -> str:
        """Name of a key in the last row at this stage; of Enter, the next step of a move."""
        stage = self.view.stage
        label = _LABELS.get(stage, {}).get(key.action_id, "")
        if key.id in _LIST_KEYS and self.focused is self.board:
            label = ""
        if self.board.move_input.is_taking:
            label = {CHOOSE.id: _("take"), LEAVE.id: _("other move")}.get(key.id, label)
        elif key.id == CHOOSE.id and label:
            label = speech_of(self.game).choosing(self.board.position)
        # The short names are keyed by the label, so that what was adapted above is shortened, too.
        if label and self.size.width < MEDIUM:
            return _SHORT.get(stage, {}).get(label, "")
        return label

    def promotion_outcomes(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
        """Return the result of a promotion; nothing while the verdict is hidden."""
        play = self.play
        if play.shows_verdict:
            return position.promoted(play.probe, move)
        return ()

    @property
    def learner(self) -> str | None:
        """The user's side."""
        return self.play.you

    def interrupt(self) -> None:
        """Stop the replay of a line, and clear the message."""
        self.say()
        self._replay.stop()

    def user_acted(self) -> None:
        """Stop the replay of a line; show the stones that may be taken by the move being entered."""
        self.interrupt()
        self.view.show_choice()
        self._show_crumbs()
        self.refresh_bindings()

    def move_made(self, move: Any) -> None:
        """Play a move that was entered on the board."""
        self.session.make(move)

    @on(ChoiceList.Changed)
    def _row_changed(self, event: ChoiceList.Changed) -> None:
        play = self.play
        play.change(play.rows[event.row], event.by)
        self._preferences[self.game].store()
        self._turn_board(play)

    @on(Picker.Chosen)
    def _picked(self, event: Picker.Chosen) -> None:
        probe = self.play.probe
        name = event.control.id
        if name == "setup":
            self.call_later(self.run_action, "begin")  # as an action: its errors are shown
        elif name == "score":
            self.session.go(event.key)
        elif name in ("moves", "rated"):
            moves = probe.moves if name == "moves" else probe.by_dtz
            if event.key < len(moves):
                self.session.make(moves[event.key].move)

    # Keys

    def action_step(self, plies: int) -> None:
        """Step through the finished game."""
        self.session.step(plies)

    def action_begin(self) -> None:
        """Begin the game that is set up."""
        self.session.begin()

    def action_new(self) -> None:
        """Go back to the setup, or start the game from there."""
        self.session.new()

    def action_retry_game(self) -> None:
        """After a game, play from the current position again; in the setup, choose a random position of the layer."""
        self.interrupt()
        self.session.retry_or_set_up_random()

    def action_take_back(self) -> None:
        """Take back the user's last move and the reply."""
        self.say()
        if self.session.take_back():
            # The move is gone whose end the cursor was on.
            self.board.reset_cursor()
            self.board.repaint()

    def action_hint(self) -> None:
        """Give the next step of a hint."""
        self.say()
        self.session.hint(partial(words.hint_steps, self.play))

    def action_verdict(self) -> None:
        """Show or hide the verdict."""
        self.say()
        self.session.toggle_verdict()

    def action_draw(self) -> None:
        """Claim a draw if there is one to claim, else offer one."""
        self.say()
        self.session.claim_or_offer_draw()

    def action_show(self) -> None:
        """Ask whether to give up and show the best line."""
        self.say()
        self.session.show_solution()

    def action_next_error(self) -> None:
        """Go to the user's next move that was not the best."""
        self.interrupt()
        self.session.next_error()

    def action_practise_errors(self) -> None:
        """Make drills of the user's errors in the game that is over, and open their set."""
        self.interrupt()
        if self.session.practise_errors() is not None:
            self.call_later(self.host.open, "practise", Request(self.game, f"set {MY_GAMES}"))

    def action_save_game(self) -> None:
        """Ask for a file and save the game in it."""
        play = self.play

        def save(text: str) -> None:
            self.say(_("saved as {save}.").format(save=play.save(Path(text))), "win")

        if play.match is None:
            self.say(_("there is no game to save yet."))
        else:
            self.last_row.prompt(_("Save as"), _("a new file"), save, str(words.file_of(play)))

    def action_open_games(self) -> None:
        """Ask for a file; open its game, or list its games if there are several."""
        session = self.session
        self.interrupt()
        # Two questions at most: about the current game, then about one that was stored as unfinished.
        session.confirm_leaving(lambda: session.confirm_replacing(self._ask_for_file))

    def _ask_for_file(self) -> None:
        """Ask for a file of games; propose the one that was read last, else the newest saved game."""
        saved_games = self.play.saved_games
        names = saved_games.completions("")
        proposed = names[0] if names else f"{saved_games.folder}/"
        if self.game in self._open_files:
            proposed = str(self._open_files[self.game].path)
        self.last_row.prompt(_("Open"), _("a PGN file"), self._open_file, proposed, complete=saved_games.completions)
        if message := words.saved_games(names):
            self.say(message)

    def _open_file(self, text: str) -> None:
        path = self.play.saved_games.find(Path(text))
        if count_games(read_games_file(path)) > 1:
            self.last_row.close()
            self._list_games(path)
        else:
            self.session.open(path)

    def _list_games(self, path: Path) -> None:
        """List the games of a file; it is read again only if it was changed since."""
        from endgame_tui.screens.games import GamesScreen

        session = self.session
        game = self.game
        # Grading takes a while: only a file that has changed is read again.
        modified = path.stat().st_mtime_ns
        last_file = self._open_files.get(game)
        games = None
        if last_file is not None and (last_file.path, last_file.modified) == (path, modified):
            games = last_file.games

        def keep(games: GameCollection) -> None:
            self._open_files[game] = _OpenFile(path, modified, games)

        def open_chosen(choice: tuple[GradedGame, str | None, int] | None) -> None:
            if choice is None:
                return
            chosen, side, ply = choice
            try:  # a broken game is opened as far as it can be read
                session.open(read(chosen.text, session.state.game), side, ply)
            except EndgameError as problem:
                self.complain(problem)

        self.app.push_screen(GamesScreen([path], games, keep), open_chosen)

    def action_prompt(self) -> None:
        """Ask for a move, or between games for a position."""
        self.interrupt()
        speech = speech_of(self.game)
        if self.play.stage == PLAY:
            self.last_row.prompt(":", _("a move: {to_play}").format(to_play=speech.to_play), self._play_typed)
        else:
            self.last_row.prompt(":", speech.positions, self._set_up_typed)

    def paste(self, text: str) -> None:
        """Play a pasted move, or between games set up a pasted position."""
        self.interrupt()
        if self.play.stage == PLAY:
            answer = self._play_typed
        else:
            answer = self._set_up_typed
        answer(text)

    def _set_up_typed(self, text: str) -> None:
        try:
            self.session.set_up_text(text)
        except NotBuiltError as problem:
            self.last_row.close()
            self.offer_build(problem.ending)

    def _play_typed(self, text: str) -> None:
        # Only positions have slashes.
        if "/" in text:
            raise PositionError(
                _("a position cannot be set up during a game"),
                instruct(_("press {cancel_prompt} and {new}, then type it again")),
            )
        play = self.play
        text = self.board.move_input.complete(text)
        if promotions := self.face.ambiguous_moves(play.position, text):
            self.say()
            self.promote(promotions)
        # A move of Morris that lacks the stone to take: it is completed on the board.
        elif play.your_turn and self.board.begin_typed(text):
            self.last_row.close()
        else:
            move = play.parse_move(text)
            self.last_row.close()
            if not self.session.make(move):
                self._on_notice(play, Notice.DEFENDER_TO_MOVE)

    def action_explore_here(self) -> None:
        """Open the position in Explore; the game stays as it is."""
        self.interrupt()
        game = self.play.game
        metric = None if game.horizon else game.metric
        request = Request(game.name, game.format(self.play.position), metric=metric)
        self.app.call_later(self.host.open, "explore", request)

    def action_leave(self) -> None:
        """Take back the choice of a move, else go back to the board; in a listed game say what leads to the list."""
        self.interrupt()
        has_list = self.game in self._open_files and self.view.stage == REVIEW
        if has_list and self.board.move_input.is_empty and not self.view.fold and self.focused is self.view.home():
            self.say(instruct(_("press {open_games}, then Enter, to return to the games.")))
            return
        self.view.back()

    def action_all_moves(self) -> None:
        """Focus the moves or the score, or the board again."""
        self.view.panel("moves")

    def shown_position(self) -> tuple[Game[Any, Any], Any] | None:
        """The game and the position on the board."""
        return self.play.game, self.play.position

    def action_copy_game(self) -> None:
        """Copy the game as PGN."""
        if self.play.match is None:
            self.say(_("there is no game yet."))
        else:
            self.app.copy_to_clipboard(self.play.game_text())
            self.say(_("copied the game."))

    def action_copy(self) -> None:
        """Copy the position."""
        self.say(self.view.copy())

    def action_edit(self) -> None:
        """Open the board editor."""
        from endgame_tui.screens.editor import EditorScreen

        self.interrupt()
        play = self.play
        self.session.confirm_leaving(lambda: self.app.push_screen(EditorScreen(play.position, "play")))
