"""What the Play screen shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import chess
from textual import on
from textual.app import ComposeResult
from textual.geometry import Region, Size

from endgame_core.words.told import KINDS, UNSURE, Line, Said
from endgame_tui import fifty_scenes, play_scenes, play_words, scenes
from endgame_tui.playing import Play
from endgame_tui.screens import play_keys
from endgame_tui.screens.board_plan import Plan
from endgame_tui.screens.clocked import ClockedScreen
from endgame_tui.screens.game_view import GameView
from endgame_tui.screens.play_plan import SETUP, SHOWN, plan
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.chart import DepthChart
from endgame_tui.widgets.clocks import ClocksRow, ClocksView
from endgame_tui.widgets.facts import FactsPanel, KeysPanel, ResultRows
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.promotion import Option, PromotionChooser
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.rated import RatedPanel, RatedView
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.words import LineRows, Paragraph, ReasonRow, VerdictRow


class PlayView(ClockedScreen, GameView):
    """Shows a game; the keys are in the class that extends it."""

    FOCUSABLE: ClassVar[tuple[str, ...]] = (*GameView.FOCUSABLE, "rated")
    KEYS = play_keys.STAGES
    STUDY = play_scenes.STUDY

    def __init__(self) -> None:
        super().__init__()
        self._play: Play | None = None
        self._plan: tuple[object, Plan] | None = None
        self._by_dtz = False

    @property
    def play(self) -> Play:
        """The game."""
        if self._play is None:
            self._play = Play(self.session.explorer, self.session.lab.judge("chess"), judge=self.session.judge)
        return self._play

    @property
    def position(self) -> chess.Board:
        """The position on the board."""
        return self.play.position

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("play", id="top")
        yield Board(id="board")
        yield SetupPanel(id="setup")
        yield VerdictRow(id="verdict")
        yield ClocksRow(id="clocks")
        yield ResultRows(id="result")
        yield ScorePanel(id="score")
        yield MovesPanel(id="moves")
        yield RatedPanel(RatedView(), id="rated")
        yield FactsPanel(id="facts")
        yield DepthChart(id="chart")
        yield KeysPanel(id="study")
        yield ReasonRow(id="reason")
        yield ReasonRow(id="last")
        yield LineRows(id="line")
        yield Paragraph(id="note")
        yield JobStrip(id="strip")
        yield KeyBar(*play_keys.SETUP, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")
        yield PromotionChooser(id="promotion")

    # Where everything stands

    def _plan_for(self, size: Size) -> Plan:
        half = self.look.palette.coloured and self.look.glyphs.unicode
        key = (size, half, self.has_strip, self.stage)
        if self._plan is None or self._plan[0] != key:
            made = plan(size.width, size.height, self.stage, half_rows=half, drawn=half, strip=self.has_strip)
            self._plan = (key, made)
        return self._plan[1]

    def regions(self, size: Size) -> dict[str, Region]:
        """Before a game, what is said of a study where the best line stands later; the moves by DTM or by DTZ."""
        regions = super().regions(size)
        if self._by_dtz and "moves" in regions:
            rated, score = regions.pop("moves"), regions.get("score")
            if score is not None and (rows := (score.height - rated.height) // 2) > 0:  # a move takes a row
                regions["score"] = score.shrink((0, 0, rows, 0))
                rated = Region(rated.x, rated.y - rows, rated.width, rated.height + rows)
            regions["rated"] = rated
        if self.stage == SETUP and "line" in regions:
            regions["note"] = regions.pop("line")
        return regions

    def fit(self) -> None:
        """Gives the board cells of the right size."""
        made = self._plan_for(self.size)
        if not made.small:
            self._fold = False
        moves = made.regions.get("moves")
        self.query_one(MovesPanel).compact = moves is not None and moves.height < 8
        self.query_one(Board).resize(made.cells, made.margin)
        self.set_focusable(self.regions(self.size))
        if self.is_running and self._play is not None:
            self.show_board()
            self._show_line()

    @property
    def moves_panel(self) -> MovesPanel | RatedPanel:
        """The panel of moves that is shown."""
        return self.query_one(RatedPanel if self._by_dtz else MovesPanel)

    def _choose_panel(self) -> None:
        """Moves are told by DTZ where no table by DTM knows them all."""
        by_dtz = self.stage == SHOWN and self.play.told_by_dtz
        if by_dtz != self._by_dtz:
            inside, self._by_dtz = self.moves_panel.has_focus, by_dtz
            self.set_focusable(self.regions(self.size))
            self.relayout()
            if inside:
                self.call_after_refresh(self.focus_moves)

    def focus_moves(self) -> None:
        """Goes to the moves, or where the keys belong where they are not on the screen."""
        if self.moves_panel.can_focus:
            self.set_focus(self.moves_panel)
        else:
            self.focus_home()

    def on_descendant_focus(self) -> None:
        """A panel was entered or left: the sentence is of the move chosen there, or of the game."""
        if self._by_dtz:
            self.show_words()
            self.show_known()

    @on(RatedPanel.Pointed)
    def _rated_pointed(self, event: RatedPanel.Pointed) -> None:
        if isinstance(event.panel, RatedPanel):
            self._move = event.number
            self.show_words()
            self.show_known()

    @on(RatedPanel.Chosen)
    def _rated_chosen(self, event: RatedPanel.Chosen) -> None:
        moves = self.play.judge.known(self.play.position).moves
        if isinstance(event.panel, RatedPanel) and event.number < len(moves):
            self.move_made(moves[event.number].move)

    # What is shown

    def show(self) -> None:
        """Shows the game as it stands."""
        play, glyphs = self.play, self.look.glyphs
        self.change_stage()
        self._choose_panel()
        self._picked, self._move = None, 0
        if play.stage == "review" and (ply := play.looked_at or play.last) is not None:
            self._cursor = ply.move.to_square
        top = self.query_one(TopBar)
        top.crumbs = play_scenes.crumbs(play, self.size.width >= 100)
        top.right = self._corner()
        self.query_one(VerdictRow).view = play_scenes.verdict_view(play, glyphs)
        self.query_one(ScorePanel).view = play_scenes.score_view(play)
        if play.stage == "play":
            self.find_out()
        self.show_facts()
        self.show_board()
        self.show_moves()
        self.show_words()
        self.query_one(ResultRows).view = play_scenes.result_view(play, play.prospect)
        self.query_one(DepthChart).view = play_scenes.chart_view(play)
        self.query_one(SetupPanel).view = play_scenes.setup_view(play, self._row)
        self._show_line()
        self.show_known()

    def show_known(self) -> None:
        """Shows the clocks; DTM and DTZ only when the verdict may be told."""
        play, plain = self.play, self.look.glyphs.plain
        if play.stage != "play":
            return
        known, facts = self.known, play.facts
        view = fifty_scenes.clocks_view(play.position, facts.verdict, known, "", "")
        self.query_one(ClocksRow).view = ClocksView(clock=view.clock) if play.hidden else view
        if play.hidden:
            return
        self.query_one(TopBar).right = self._corner()
        verdict = self.query_one(VerdictRow)
        category = known.verdict.category if known is not None and known.verdict is not None else None
        verdict.view = fifty_scenes.verdict_view(verdict.view, category)
        spoilt = play.judge.spoilt(play.position) if facts.moves else None
        explained = fifty_scenes.explanation(known, "dtm", spoilt.move if spoilt is not None else None)
        if explained is None and (warning := play_words.warning(play)):
            explained = Said("", f"{warning[:1].upper()}{warning[1:]}")
        if play.hint is None and self._by_dtz and self.moves_panel.has_focus:
            moves = play.judge.known(play.position)
            number = min(self._move, len(moves.moves) - 1)
            explained = fifty_scenes.move_reason(moves, number)
        if explained is not None and play.hint is None:
            self.query_one("#reason", ReasonRow).view = play_words.printed(explained, plain)

    def _corner(self) -> tuple[str, str]:
        """What the first row says on the smallest screens."""
        play, glyphs = self.play, self.look.glyphs
        if play.stage == "review":
            return play_scenes.review_corner(play, glyphs)
        if play.stage == "setup" or play.hidden:
            return ("" if play.stage == "setup" else glyphs.white if play.position.turn else glyphs.black), "text"
        words, role = play_scenes.verdict_words(play.facts, glyphs)
        fifty = self.known.verdict if self.known is not None else None
        if fifty is None:
            return words, role
        kind = KINDS[fifty.category]
        words = kind.words if fifty.category in UNSURE or not words else words
        return glyphs.plain(f"{kind.mark} {words}"), kind.role

    def show_facts(self) -> None:
        """Shows rules, hints, clock."""
        self.query_one(FactsPanel).view = play_scenes.facts_view(self.play, self.elapsed)

    def show_words(self) -> None:
        """Shows the sentences."""
        play, plain = self.play, self.look.glyphs.plain
        reason, last = self.query_one("#reason", ReasonRow), self.query_one("#last", ReasonRow)
        if play.stage == "setup":
            reason.view = play_words.setup_view(play, plain)
            self.query_one(Paragraph).text = plain(play.about[1])
        else:
            view = play_words.review_view(play) if play.stage == "review" else play_words.playing_view(play)
            reason.view = play_words.printed(view, plain)
        last.view = play_words.printed(play_words.last_view(play), plain)

    def show_board(self) -> None:
        """Shows the board."""
        board, play = self.query_one(Board), self.play
        large = board.scale.large
        board.view = play_scenes.board_view(play, self._cursor, self._picked, self._flipped, large, self.look.glyphs)

    def show_moves(self) -> None:
        """Shows the moves by the layers they reach, or by DTZ."""
        if self._by_dtz:
            known = self.play.judge.known(self.play.position)
            self.query_one(RatedPanel).show(fifty_scenes.rated_view(known, ""), self._move)
        elif self.stage == SHOWN:
            view = scenes.moves_view(self.play.facts, self._move, self.look.glyphs)
            self.query_one(MovesPanel).view = view

    def _show_line(self) -> None:
        """Shows the best line, as much as fits."""
        region = self.regions(self.size).get("line")
        if self.play.stage == "setup":
            self.query_one(LineRows).view = Line()
        elif region is not None:
            most = 2 * max((region.width - 7) * region.height // 10, 2)
            self.query_one(LineRows).view = play_scenes.line_view(self.play, most)

    def promotion_choice(self, moves: Sequence[chess.Move]) -> tuple[tuple[Option, ...], int]:
        """The pieces; what each leads to only once the verdict may be told."""
        if self.play.hidden and self.play.stage == "play":
            return super().promotion_choice(moves)
        return scenes.promotion_options(self.play.facts, moves), 0
