"""What the Explore screen shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.geometry import Region, Size

from endgame_core.errors import EndgameError
from endgame_tui import scenes
from endgame_tui.screens.boarded import BoardScreen
from endgame_tui.screens.explore_keys import KEYS, SMALL_KEYS, WIDE_KEYS
from endgame_tui.screens.explore_plan import Plan, plan
from endgame_tui.walk import Walk
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.layers import LayersPanel
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.promotion import PromotionChooser
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.words import FenRow, LineRows, LineView, ReasonRow, VerdictRow, VerdictView

if TYPE_CHECKING:
    pass


class ExploreView(BoardScreen):
    """Shows a walk; the keys are in the class that extends it."""

    def __init__(self) -> None:
        super().__init__()
        self._walk: Walk | None = None
        self._move = 0
        self._earlier = 0
        self._fold: str | None = None
        self._plan: tuple[object, Plan] | None = None

    @property
    def walk(self) -> Walk:
        """Where the user is."""
        if self._walk is None:
            self._walk = Walk(self.session.explorer)
        return self._walk

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("explore", id="top")
        yield Board(id="board")
        yield VerdictRow(id="verdict")
        yield LayersPanel(id="layers")
        yield MovesPanel(id="moves")
        yield BeforePanel(id="before")
        yield ReasonRow(id="reason")
        yield LineRows(id="line")
        yield FenRow(id="fen")
        yield JobStrip(id="strip")
        yield KeyBar(WIDE_KEYS, KEYS, SMALL_KEYS, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")
        yield PromotionChooser(id="promotion")

    # Where everything stands

    def _plan_for(self, size: Size) -> Plan:
        look = self.look
        half = look.palette.coloured and look.glyphs.unicode
        key = (size, half, self.has_strip)
        if self._plan is None or self._plan[0] != key:
            made = plan(size.width, size.height, half_rows=half, drawn=half, strip=self.has_strip)
            self._plan = (key, made)
        return self._plan[1]

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan, with the folded panel over it on small screens."""
        regions = dict(self._plan_for(size).regions)
        if self._fold is not None:
            board = regions["board"]
            for name in ("board", "moves", "verdict", "layers", "before"):
                regions.pop(name, None)
            regions[self._fold] = Region(1, board.y, size.width - 2, board.height)
        return self.bottom(regions)

    def fit(self) -> None:
        """Gives the board cells of the right size."""
        made = self._plan_for(self.size)
        moves = self.query_one(MovesPanel)
        moves.slim = made.slim and self._fold is None
        if not made.small and self._fold:
            self._fold = None
        self.query_one(Board).resize_cells(made.cells, made.margin)
        if self.is_running and self._walk is not None:
            self.show_board()
            self._show_line()

    # What is shown

    def show(self) -> None:
        """Shows the place the walk has come to."""
        walk, glyphs = self.walk, self.look.glyphs
        facts = walk.facts
        self._picked, self._move, self._earlier = None, 0, 0
        self.session.here = walk.position
        top = self.query_one(TopBar)
        top.crumbs = scenes.crumbs(facts)
        words, role = scenes.result_words(facts)
        mover = glyphs.white if walk.position.turn else glyphs.black
        top.right = (f"{mover} {words}", role)
        self.show_board()
        self.query_one(VerdictRow).view = VerdictView() if facts.problem else scenes.verdict_view(facts, glyphs)
        self.query_one(LayersPanel).view = scenes.layers_view(facts, glyphs)
        self._show_moves()
        self.query_one(BeforePanel).view = scenes.before_view(facts, self._earlier)
        self.query_one(ReasonRow).view = scenes.reason_view(facts, glyphs.plain)
        self.query_one(FenRow).fen = walk.game.format(walk.position)
        self._show_line()

    def show_board(self) -> None:
        """Shows the board; a man picked up, or under the cursor on large boards, shows its moves."""
        board = self.query_one(Board)
        large = board.cells.height >= 3
        board.view = scenes.board_view(self.walk, self._cursor, self._picked, self._flipped, large)

    def _show_moves(self) -> None:
        glyphs = self.look.glyphs
        view = scenes.moves_view(self.walk.facts, self._move, glyphs)
        self.query_one(MovesPanel).view = view

    def _show_line(self) -> None:
        """Shows the best line, as much as fits."""
        region = self._plan_for(self.size).regions.get("line")
        if region is not None:
            most = 2 * max((region.width - 7) * region.height // 10, 2)
            try:
                view = scenes.line_view(self.walk, most)
            except EndgameError as problem:
                view = LineView()
                self.complain(problem)
            self.query_one(LineRows).view = view

    def focus_home(self) -> None:
        """The board has the focus unless a panel was asked for."""
        home = self.query_one(MovesPanel if self._fold == "moves" else Board)
        if self._fold == "before":
            home = self.query_one(BeforePanel)
        self.set_focus(home)
