"""What the Play screen with a board of stones shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.geometry import Size

from endgame_core.words.told import Line
from endgame_tui import morris_play_scenes as views
from endgame_tui import morris_play_words as words
from endgame_tui import play_scenes
from endgame_tui.morris_playing import StonePlay
from endgame_tui.play_words import printed
from endgame_tui.screens import morris_play_keys as keys
from endgame_tui.screens.game_view import GameView
from endgame_tui.screens.morris_plan import StonesPlan
from endgame_tui.screens.morris_play_plan import plan
from endgame_tui.screens.play_plan import SHOWN
from endgame_tui.screens.stones import StonesScreen
from endgame_tui.selection import Turn
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.chart import DepthChart
from endgame_tui.widgets.facts import FactsPanel, KeysPanel, ResultRows
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.takes import TakesPanel
from endgame_tui.widgets.words import LineRows, ReasonRow, VerdictRow


class MorrisPlayView(StonesScreen, GameView):
    """Shows a game; the keys are in the class that extends it."""

    FOCUSABLE = (*GameView.FOCUSABLE, "takes")
    KEYS = keys.STAGES
    STUDY = views.STUDY

    def __init__(self) -> None:
        super().__init__()
        self._play: StonePlay | None = None
        self._shown: tuple[object, ...] = ()
        self._turn: tuple[object, Turn] | None = None

    @property
    def play(self) -> StonePlay:
        """The game."""
        if self._play is None:
            self._play = StonePlay(self.session.morris, self.session.lab.judge("morris"))
        return self._play

    @property
    def turn(self) -> Turn:
        """The position on the board and its moves, worked out once."""
        key = (self.play.position, self.play.match is None)
        if self._turn is None or self._turn[0] != key:
            self._turn = (key, self.play.turn)
        return self._turn[1]

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("play", id="top")
        yield Board(id="board")
        yield SetupPanel(id="setup")
        yield VerdictRow(id="verdict")
        yield ResultRows(id="result")
        yield ScorePanel(id="score")
        yield MovesPanel(id="moves")
        yield TakesPanel(id="takes")
        yield FactsPanel(id="facts")
        yield FactsPanel(id="you")
        yield DepthChart(id="chart")
        yield KeysPanel(id="study")
        yield ReasonRow(id="reason")
        yield ReasonRow(id="last")
        yield LineRows(id="line")
        yield JobStrip(id="strip")
        yield KeyBar(*keys.SETUP, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    # Where everything stands

    def _plan_for(self, size: Size) -> StonesPlan:
        takes = self.turn.takeable(self._chosen).bit_count()
        groups = len(self.query_one(MovesPanel).view.groups)
        return plan(size.width, size.height, self.stage, strip=self.has_strip, takes=takes, groups=groups)

    def fit(self) -> None:
        """Gives the board the right size."""
        made = self._plan_for(self.size)
        if not made.small:
            self._fold = False
        self.query_one(MovesPanel).compact = True
        self.query_one(TakesPanel).slim = made.slim
        self.query_one(Board).resize(made.pitch, made.margin)
        self._arrange()
        if self.is_running and self._play is not None:
            self.show_choice()
            self._show_line()

    def _arrange(self) -> None:
        """Panels that are not on the screen do not take the focus."""
        regions = self.regions(self.size)
        self.set_focusable(regions)
        shown = (self.size, *regions.items())
        if shown != self._shown:
            self._shown = shown
            self.relayout()
        if self.focused is not None and not self.focused.can_focus and self._asking is None:
            self.focus_home()

    # What is shown

    def show(self) -> None:
        """Shows the game as it stands."""
        play, glyphs = self.play, self.look.glyphs
        self._move = 0
        if play.stage == "review" and (ply := play.looked_at or play.last) is not None:
            self._point = ply.move.end
        self.change_stage()
        top = self.query_one(TopBar)
        top.crumbs = tuple(map(glyphs.plain, views.crumbs(play, self.size.width >= 100)))
        self.query_one(ScorePanel).view = play_scenes.score_view(play)
        self.query_one(ResultRows).view = views.result_view(play)
        self.query_one(DepthChart).view = views.chart_view(play)
        self.query_one(SetupPanel).view = views.setup_view(play, self._row)
        self.show_facts()
        self.show_moves()
        self._show_line()
        self.show_choice()

    def show_choice(self) -> None:
        """Shows the board, who is to do what, and the sentences."""
        play, glyphs = self.play, self.look.glyphs
        view = views.verdict_view(play, self.turn, self._chosen, self._thought, self.thinking)
        self.query_one(VerdictRow).view = view
        self.query_one(TopBar).right = views.corner(play, view, glyphs)
        if play.stage == "play":
            now = keys.TAKING if self.is_taking else keys.PLACING if self.turn.placing else self.KEYS[self.stage]
            self.query_one(KeyBar).offer(*now)
        self.show_words()
        self.show_board()
        self._arrange()

    def show_facts(self) -> None:
        """Shows rules, hints, clock; and who replies where no table knows."""
        play = self.play
        unknown = play.stage == "play" and play.facts.problem is not None
        thinker = self.session.morris_thinker.name if unknown else ""
        others, you = views.facts_view(play, self.elapsed, thinker)
        self.query_one("#facts", FactsPanel).view = others
        self.query_one("#you", FactsPanel).view = you

    def show_words(self) -> None:
        """Shows the sentences."""
        play, plain = self.play, self.look.glyphs.plain
        made = {"setup": words.setup_view, "review": words.review_view}.get(play.stage, words.playing_view)
        self.query_one("#reason", ReasonRow).view = printed(made(play), plain)
        self.query_one("#last", ReasonRow).view = printed(words.last_view(play), plain)

    def show_board(self) -> None:
        """Shows the board, and the cursor where stones are taken."""
        board, play, turn = self.query_one(Board), self.play, self.turn
        large = board.scale.large
        board.view = views.board_view(play, turn, self._chosen, self._point, self._flipped, large)
        self.query_one(TakesPanel).view = views.takes_view(play, turn, self._chosen, self._point)

    def show_moves(self) -> None:
        """Shows the moves by the layers they reach."""
        if self.stage == SHOWN:
            self.query_one(MovesPanel).view = views.moves_view(self.play, self._move, self._thought, self.look.glyphs)

    def _show_line(self) -> None:
        """Shows the best line, as much as fits."""
        if self.play.stage == "setup":
            self.query_one(LineRows).view = Line()
            return
        region = self.regions(self.size).get("line")
        rows = 1 if region is None else region.height
        most = 2 * max((self.size.width - 7) * rows // 15, 2)
        self.query_one(LineRows).view = views.line_view(self.play, most, self._thought)

    def show_thought(self) -> None:
        """Shows the estimate, once the verdict may be told."""
        if self.play.stage == "play" and self.play.facts.problem is not None:
            self.show_moves()
            self._show_line()
            self.show_choice()

    def first_to_take(self, takeable: int) -> int:
        """The stone that a hint has named, else the best one as far as it may be told."""
        hint = self.play.hint
        if hint is not None and hint.step == 2:
            named, chosen = hint.move, self._chosen
            if (named.source, named.end) == (chosen.source, chosen.end):
                return named.taken[0]
        return views.takes_view(self.play, self.turn, self._chosen, 0).rows[0].point
