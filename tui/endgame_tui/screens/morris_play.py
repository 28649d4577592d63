"""Play, with a board of stones: any position or the empty board, against a defender; then every move is graded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message

from endgame_core.errors import EndgameError, PositionError
from endgame_core.estimate import Estimate, Limits
from endgame_core.morris import notation
from endgame_core.morris.rules import Move, Position
from endgame_core.practice.recorder import Recorder
from endgame_tui import morris_play_scenes as views
from endgame_tui import play_scenes, play_words
from endgame_tui.morris_playing import StoneMatch, StonePlay
from endgame_tui.morris_walk import START
from endgame_tui.screens.board_plan import SMALL, frame, stones_pitch
from endgame_tui.screens.stones import StonesScreen
from endgame_tui.selection import Selection, Turn
from endgame_tui.widgets.facts import FactsPanel, ResultRows
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.morris_board import MorrisBoard
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice, Question
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.stones import Pitch
from endgame_tui.widgets.words import ReasonRow, VerdictRow

THINK = Limits(seconds=1.0)
"""How long the search thinks about a reply or a hint."""

_SETUP = (("Enter", "begin"), ("↑ ↓", "choose"), ("← →", "change"), (":", "position"), ("G", "chess"))
_PLAY = (("Enter", "pick, drop"), ("u", "take back"), ("i", "hint"), ("v", "verdict"), ("w", "show me"), (":", "type"))
_REVIEW = (("← →", "step"), ("e", "next error"), ("r", "retry here"), ("n", "new game"))
_KEYS = {"setup": _SETUP, "play": _PLAY, "review": _REVIEW}


class MorrisPlayScreen(StonesScreen):
    """Play Nine Men's Morris against the tables, and against the search where they do not reach."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "take_back", "Take your move back", show=False, id="morris-play.take-back"),
        Binding("i", "hint", "Hint: first stone, then move", show=False, id="morris-play.hint"),
        Binding("v", "verdict", "Show or hide the verdict", show=False, id="morris-play.verdict"),
        Binding("w", "show_me", "Give up: see how it is done", show=False, priority=True, id="morris-play.show-me"),
        Binding("n", "new", "New game", show=False, priority=True, id="morris-play.new"),
        Binding("r", "retry", "Retry here", show=False, id="morris-play.retry"),
        Binding("e", "next_error", "Your next error", show=False, id="morris-play.next-error"),
        Binding("f", "flip", "Turn the board", show=False, id="morris-play.flip"),
        Binding("colon", "type", "Type a move or a position", show=False, priority=True, id="morris-play.type"),
        Binding("escape", "back", "One step back, to the board", show=False, id="morris-play.back"),
    ]

    @dataclass
    class Estimated(Message):
        """A depth was finished."""

        number: int
        thought: Estimate[Any]

    @dataclass
    class Concluded(Message):
        """Thinking has ended."""

        number: int
        problem: EndgameError | None

    def __init__(self) -> None:
        super().__init__()
        self._play: StonePlay | None = None
        self._row = 0
        self._since = monotonic()
        self._stage = ""
        self._recorder: Recorder | None = None
        self._number = 0
        self._thought: Estimate[Move] | None = None
        self._then: Callable[[Move], object] | None = None

    @property
    def play(self) -> StonePlay:
        """The game."""
        if self._play is None:
            position = self.session.stones or notation.parse_line(START)
            self._play = StonePlay(self.session.morris, position)
        return self._play

    @property
    def turn(self) -> Turn:
        """The position on the board; no moves unless the game is on."""
        play = self.play
        playing = play.stage == "play"
        moves = self.session.morris.game.moves(play.position) if playing or play.stage == "review" else ()
        return Turn(play.position, tuple(moves))

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("play", id="top")
        yield MorrisBoard(id="board")
        yield VerdictRow(id="verdict")
        yield SetupPanel(id="setup")
        yield ResultRows(id="result")
        yield ScorePanel(id="score")
        yield FactsPanel(id="facts")
        yield ReasonRow(id="reason")
        yield JobStrip(id="strip")
        yield KeyBar((), (), (), id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Sets up what Explore shows."""
        self.set_up(self.play.chosen)

    def on_unmount(self) -> None:
        """The app ends: a game under way is given up."""
        if self._recorder is not None and self.play.stage == "play":
            self._recorder.leave()

    def resumed(self) -> None:
        """Before a game, what Explore shows now is set up."""
        stones = self.session.stones
        if self._play is not None and self.play.stage == "setup" and stones not in (None, self.play.chosen):
            assert stones is not None
            self.set_up(stones)

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._play is not None:
            self.play.forget()
            self.show()

    # Where everything stands

    def _pitch(self, size: Size) -> Pitch:
        return stones_pitch(size.width, size.height)

    def _margin(self, size: Size) -> int:
        return 2 if size.width < SMALL else 4 if self._pitch(size).large else 3

    def regions(self, size: Size) -> dict[str, Region]:
        """The board left, the panels of the stage beside it."""
        width, height = size
        regions, bottom = frame(width, height, self.has_strip)
        pitch, margin = self._pitch(size), self._margin(size)
        bottom -= 1
        regions["reason"] = Region(0, bottom, width, 1)
        top = 3 if height >= 38 else 1
        small, stage = width < SMALL, self.play.stage
        right = margin + pitch.columns
        if small and stage == "setup":
            regions["setup"] = Region(1, 1, width - 2, bottom - 1)
            return self.bottom(regions)
        regions["board"] = Region(0, top, right, min(pitch.rows + 1, bottom - top))
        left = right + (1 if small else 3 if width < 100 else 6)
        room = Region(left, top, max(min(width - 1, left + 56) - left, 0), bottom - top)
        regions.update(self._panels(room, stage, small))
        return self.bottom({name: region for name, region in regions.items() if region.area})

    def _panels(self, room: Region, stage: str, small: bool) -> dict[str, Region]:
        x, y, width, height = room
        if stage == "setup":
            return {"setup": room}
        first = "result" if stage == "review" else "verdict"
        if small:
            return {"score": room}
        regions = {first: Region(x, y, width, 2)}
        facts = 11 if height >= 24 and stage == "play" else 4 if stage == "play" else 0
        regions["score"] = Region(x, y + 3, width, height - 3 - facts)
        regions["facts"] = Region(x, y + height - facts + 1, width, max(facts - 1, 0))
        return regions

    def fit(self) -> None:
        """Gives the board the right size."""
        self.query_one(MorrisBoard).resize_pitch(self._pitch(self.size), self._margin(self.size))
        if self._play is not None and self.is_running:
            self.show()

    # What is shown

    def show(self) -> None:
        """Shows the game."""
        play, glyphs = self.play, self.look.glyphs
        if play.stage != self._stage:
            self._stage = play.stage
            keys = _KEYS[play.stage]
            self.query_one(KeyBar).offer(keys, keys[:5], keys[:3])
            self.relayout()
            if self._asking is None:
                self.call_after_refresh(self.focus_home)
        self.query_one(TopBar).crumbs = tuple(map(glyphs.plain, views.crumbs(play)))
        self.query_one(ScorePanel).view = play_scenes.score_view(play)
        self.query_one(ResultRows).view = play_scenes.result_view(play)
        self.query_one(SetupPanel).view = views.setup_view(play, self._row)
        unknown = play.match is not None and play.match.verdict is None
        thinker = self.session.morris_thinker.name if play.stage == "play" and unknown else ""
        self.query_one(FactsPanel).view = play_scenes.facts_view(play, 0.0, thinker)
        self.show_choice()

    def show_choice(self) -> None:
        """Shows the board, who is to do what, and the sentence."""
        play, glyphs = self.play, self.look.glyphs
        view = views.verdict_view(play, self.turn, self._chosen, self._thought, self._then is not None)
        self.query_one(VerdictRow).view = view
        self.query_one(TopBar).right = (glyphs.plain(view.mover) if self.size.width < SMALL else "", "text")
        self.query_one(ReasonRow).view = play_words.printed(views.words_view(play), glyphs.plain)
        self.show_board()

    def show_board(self) -> None:
        """Shows the board."""
        board = self.query_one(MorrisBoard)
        large = board.pitch.large
        board.view = views.board_view(self.play, self.turn, self._chosen, self._point, self._flipped, large)

    def focus_home(self) -> None:
        """The choices, the board, or the game that is looked at."""
        home = {"setup": SetupPanel, "play": MorrisBoard, "review": ScorePanel}[self.play.stage]
        self.set_focus(self.query_one(home))

    # Setting up

    def set_up(self, position: Position) -> None:
        """Shows a position and what a game from it is to be; a game under way is given up."""
        self.hush()
        self._forget_thought()
        if self._recorder is not None and self.play.stage == "play":
            self._recorder.leave()
        self._recorder, self._chosen = None, Selection()
        self.play.set_up(position)
        self._flipped = not self.play.white
        self.show()

    @on(SetupPanel.Pointed)
    def _row_pointed(self, event: SetupPanel.Pointed) -> None:
        self._row = event.row
        self.show()

    @on(SetupPanel.Changed)
    def _row_changed(self, event: SetupPanel.Changed) -> None:
        self.play.change(event.row, event.by)
        self._flipped = not self.play.white
        self.show()

    @on(SetupPanel.Begun)
    def begin_game(self) -> None:
        """Begins the game that was set up."""
        self.hush()
        self._forget_thought()
        self._recorder = Recorder(self.session.journal)
        try:
            self.play.begin(self._recorder)
        except PositionError as problem:
            self.complain(problem)
            return
        self._chosen = Selection()
        self.put_cursor()
        self.go_on()

    def action_new(self) -> None:
        """Chooses another game; asks first when one is under way."""
        play = self.play
        if play.stage == "setup":
            self.begin_game()
        elif play.stage == "play" and play.match is not None and play.match.plies:
            choice = Choice("enter", "Enter", "give it up", lambda: self.set_up(play.chosen))
            self.question("Give this game up?", choice)
        else:
            self.set_up(play.chosen)

    # Playing

    def go_on(self) -> None:
        """Shows the game; lets the defender reply, or says how it ended."""
        match = self.play.match
        assert match is not None
        self._since = monotonic()
        self._forget_thought()
        if match.result is not None:
            self.finish()
            return
        self.show()
        if not match.your_turn:
            self.call_after_refresh(self._reply)

    def _reply(self) -> None:
        """The defender moves: by the tables, else by the search."""
        match = self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        try:
            move = self.play.reply()
        except EndgameError:
            self._think(self._replied)
            self.show_choice()
            return
        self._replied(move)

    def _replied(self, move: Move) -> None:
        match = self.play.match
        if match is None or match.result is not None or match.your_turn:
            return
        if self._thought is not None:
            self.play.replied = 1000 * self._thought.seconds
        match.play(move)
        self._chosen = Selection()
        if not self.turn.own >> self._point & 1:
            self.put_cursor()
        self.go_on()

    def finish(self) -> None:
        """The game is over: from here it is looked at."""
        match = self.play.match
        assert match is not None
        self._forget_thought()
        self.play.at, self._chosen = len(match.plies), Selection()
        self.show()
        self.say(*play_words.ended(match))

    def refusal(self) -> str:
        """Moves are made only when it is yours."""
        play = self.play
        if play.stage == "setup":
            return "Enter on the choices begins the game."
        if play.stage == "review":
            return "the game is over: r plays on from here, n begins a new game."
        return "" if play.match is not None and play.match.your_turn else "the defender is to move."

    def move_made(self, move: Move) -> None:
        """Plays it."""
        match = self.play.match
        if match is None or not match.your_turn:
            return
        self.hush()
        match.play(move, monotonic() - self._since)
        self.follow(move)
        self.go_on()

    def _in_play(self) -> StoneMatch | None:
        """The game, while it is played; else says that there is none."""
        self.hush()
        if self.play.stage == "play":
            return self.play.match
        over = self.play.stage == "review"
        self.say("the game is over: r plays on from here." if over else "Enter begins the game first.")
        return None

    def action_take_back(self) -> None:
        """Takes back your last move and the reply."""
        match = self._in_play()
        if match is None:
            return
        try:
            match.take_back()
        except PositionError as problem:
            self.complain(problem)
            return
        self._chosen = Selection()
        self.put_cursor()
        self.go_on()

    def action_hint(self) -> None:
        """Gives the next step of a hint, by the tables, else by the search."""
        match = self._in_play()
        if match is None:
            return
        if not match.your_turn:
            self.say("the defender is to move.")
        elif match.given is not None:
            self._give_hint(match.given.move)
        elif self.play.rated:
            self._give_hint(self.play.rated[0].move)
        else:
            self.say("thinking about a hint: an estimate, for no table knows this position.")
            self._think(self._give_hint)

    def _give_hint(self, best: Move) -> None:
        match = self.play.match
        if match is None or not match.your_turn:
            return
        self.hush()
        hint = match.hint(best)
        source = hint.move.source
        self._chosen = Selection(source)
        if hint.step == 2:
            self._point = hint.move.end
        elif source is not None:
            self._point = source
        self.show()

    def action_verdict(self) -> None:
        """Shows or hides the verdict."""
        self.play.hidden = not self.play.hidden
        self.show()
        match = self.play.match
        if match is not None and match.your_turn and match.verdict is None and not self.play.hidden:
            self._think(None)

    def action_show_me(self) -> None:
        """Gives up, after a question, and puts the best line behind the game."""
        if self._in_play() is not None:
            choice = Choice("enter", "Enter", "show me", self._show_me)
            self.question("Give up, and see how it is done?", choice)

    def _show_me(self) -> None:
        match = self.play.match
        if match is None or match.result is not None:
            return
        try:
            line = [step.move for step in self.play.explorer.line(match.position)]
        except EndgameError:
            self.say("thinking: what is shown will be an estimate, for no table knows this position.")
            self._think(lambda _: self._show_line(list(self._thought.line) if self._thought else []))
            return
        self._show_line(line)

    def _show_line(self, line: list[Move]) -> None:
        match = self.play.match
        if match is None or match.result is not None:
            return
        at = len(match.plies)
        match.show(line)
        self.finish()
        self.play.at = at
        self.show()

    def action_retry(self) -> None:
        """Plays on from the position looked at."""
        if self.play.stage == "review":
            self.play.retry()
            self.begin_game()
        else:
            self.say("r plays from here again once the game is over.")

    def action_next_error(self) -> None:
        """Goes to your next move that was not the best."""
        self.hush()
        if self.play.stage != "review":
            self.say("errors are found after the game.")
        elif self.play.next_error():
            self.show()
        else:
            self.say("there is no error in this game.")

    @on(ScorePanel.Stepped)
    def _stepped(self, event: ScorePanel.Stepped) -> None:
        self._step(event.plies)

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self._step(event.ply - self.play.at)

    def _step(self, plies: int) -> None:
        if self.play.stage == "review":
            self.hush()
            self.play.step(plies)
            self.show()

    def action_type(self) -> None:
        """Asks for a move, or for a position."""
        if self.play.stage == "play":
            self.prompt(":", "a move: d6, a7-d7, a7-d7xb4", self._typed_move)
        else:
            self.prompt(":", "a position, 3-4, S12", self._typed_position)

    def _typed_position(self, text: str) -> None:
        position = self.play.typed(text)
        self.stop_asking()
        self.set_up(position)

    def _typed_move(self, text: str) -> None:
        match = self.play.match
        assert match is not None
        move = match.game.parse_move(match.position, text)
        self.stop_asking()
        self.move_made(move)

    def action_back(self) -> None:
        """Takes back the last choice of a move, or goes where the keys belong."""
        self.hush()
        if not self.unpick():
            self.focus_home()

    # Thinking

    def _think(self, then: Callable[[Move], object] | None) -> None:
        """Thinks about the position of the game; ``then`` is called with the best move when it is done."""
        match = self.play.match
        assert match is not None
        self._number += 1
        self._thought, self._then, number = None, then, self._number

        def estimated(thought: Estimate[Any]) -> None:
            self.post_message(self.Estimated(number, thought))

        def concluded(problem: EndgameError | None) -> None:
            self.post_message(self.Concluded(number, problem))

        try:
            self.session.morris_thinker.think(match.tracked, THINK, estimated, concluded)
        except EndgameError as problem:
            self._then = None
            self.complain(problem)

    def _forget_thought(self) -> None:
        """What is or was thought is of no more use."""
        if self._then is not None or self._thought is not None:
            self.session.morris_thinker.cancel()
        self._number += 1
        self._thought = self._then = None

    @on(Estimated)
    def _estimated(self, event: Estimated) -> None:
        if event.number == self._number:
            self._thought = event.thought
            self.show_choice()

    @on(Concluded)
    def _concluded(self, event: Concluded) -> None:
        if event.number != self._number:
            return
        then, self._then = self._then, None
        if then is not None and self._thought is not None and self._thought.move is not None:
            then(self._thought.move)
        elif event.problem is not None:
            self.complain(event.problem)
