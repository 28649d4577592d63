"""What the Explore screen shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from dataclasses import replace

import chess
from textual.app import ComposeResult
from textual.geometry import Region, Size

from endgame_core.errors import EndingError, NotBuiltError
from endgame_core.words.told import Headline, Line
from endgame_tui import fifty_scenes, scenes
from endgame_tui.screens.clocked import ClockedScreen
from endgame_tui.screens.explore_keys import KEYS, SMALL_KEYS, WIDE_KEYS
from endgame_tui.screens.explore_plan import Plan, plan
from endgame_tui.screens.walking import WalkScreen
from endgame_tui.walk import Walk, unbuilt
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.clocks import ClocksRow
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.old_layers import LayersPanel, LayersView
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.promotion import PromotionChooser
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.rated import RatedPanel, RatedView
from endgame_tui.widgets.words import FenRow, LineRows, ReasonRow, VerdictRow


class ExploreView(ClockedScreen, WalkScreen):
    """Shows a walk; the keys are in the class that extends it."""

    def __init__(self) -> None:
        super().__init__()
        self._walk: Walk | None = None
        self._plan: tuple[object, Plan] | None = None
        self.told_by_dtz = False
        """Whether the moves are told by DTZ."""

    @property
    def walk(self) -> Walk:
        """Where the user is."""
        if self._walk is None:
            self._walk = Walk(self.session.explorer, self.session.by_dtz)
        return self._walk

    @property
    def trail(self) -> Walk:
        """The same, as all games have it."""
        return self.walk

    @property
    def board(self) -> Board:
        """The board."""
        return self.query_one(Board)

    @property
    def is_small(self) -> bool:
        """Whether the panels are folded away."""
        return self._plan_for(self.size).small

    @property
    def position(self) -> chess.Board:
        """Where the walk is."""
        return self.walk.position

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("explore", id="top")
        yield Board(id="board")
        yield VerdictRow(id="verdict")
        yield ClocksRow(id="clocks")
        yield LayersPanel(id="layers")
        yield MovesPanel(id="moves")
        yield RatedPanel(RatedView(), id="rated")
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
        regions = self.folded(dict(self._plan_for(size).regions))
        if self.told_by_dtz and "moves" in regions:
            regions["rated"] = regions.pop("moves")
        return self.bottom(regions)

    def fit(self) -> None:
        """Gives the board cells of the right size."""
        made = self._plan_for(self.size)
        moves = self.query_one(MovesPanel)
        moves.slim = made.slim and self._fold is None
        if not made.small and self._fold:
            self._fold = None
        self.query_one(Board).resize(made.cells, made.margin)
        self._set_focusable()
        if self.is_running and self._walk is not None:
            self.show_board()
            self._show_line()
            self._show_known()

    def _set_focusable(self) -> None:
        """Of the two panels of moves, the one that is shown takes the focus."""
        rated = self.told_by_dtz
        self.query_one(MovesPanel).can_focus, self.query_one(RatedPanel).can_focus = not rated, rated

    @property
    def moves_panel(self) -> MovesPanel | RatedPanel:
        """The panel of moves that is shown."""
        return self.query_one(RatedPanel if self.told_by_dtz else MovesPanel)

    def _choose_panel(self) -> None:
        """Moves are told by DTZ where the layers are, where no table tells DTM, and where the clock may decide."""
        known, problem = self._known, self.walk.by_dtm.problem
        only = (
            known is not None and bool(known.moves or known.partly) and isinstance(problem, NotBuiltError | EndingError)
        )
        late = known is not None and bool(known.moves) and self.walk.is_late
        rated = self.walk.metric == "dtz" or only or late
        if rated != self.told_by_dtz:
            inside, self.told_by_dtz = self.moves_panel.has_focus, rated
            self._set_focusable()
            self.relayout()
            if inside:
                self.call_after_refresh(self.set_focus, self.moves_panel)

    # What is shown

    def show(self) -> None:
        """Shows the place the walk has come to."""
        walk, facts = self.walk, self.walk.facts
        self._picked, self._move, self._earlier = None, 0, 0
        self.session.here = walk.position
        self.show_board()
        self._show_layers()
        self.show_moves()
        self.query_one(BeforePanel).view = scenes.before_view(facts, self._earlier)
        self.query_one(FenRow).fen = walk.game.format(walk.position)
        told = walk.metric == "dtm" and unbuilt(walk.by_dtm.problem) is None and not walk.is_late
        self.find_out(0 if told else self._most_line())
        self.show_known()

    def _show_layers(self) -> None:
        """Shows the layers; where there are none, how to get them."""
        facts = self.walk.facts
        view = scenes.layers_view(facts, self.look.glyphs)
        if unbuilt(facts.problem):
            metric = self.walk.metric.upper()
            view = LayersView(title=f"{metric} layers", notice=(f"no {metric} table yet:", "n or [ builds it"))
        self.query_one(LayersPanel).view = view

    # What the 50-move rule says

    def show_known(self) -> None:
        """Shows the clocks, and the line."""
        self._show_known()
        self._show_line()

    def _show_known(self) -> None:
        """Shows the verdict, the clocks, the moves by DTZ and the sentence."""
        walk, glyphs, known = self.walk, self.look.glyphs, self._known
        facts = walk.by_dtm
        self._choose_panel()
        fifty = None if known is None else known.verdict
        late = fifty_scenes.late_category(known, facts)
        unknown = facts.problem is not None and fifty is None and not facts.over
        plain = Headline() if unknown else scenes.verdict_view(facts, glyphs)
        view = fifty_scenes.verdict_view(plain, late if fifty is None or facts.over else fifty.category)
        self.query_one(VerdictRow).view = view
        mover = glyphs.white if walk.position.turn else glyphs.black
        words, role = facts.result
        if view.role != plain.role:
            words, role = view.result.partition(",")[0], view.role
        top = self.query_one(TopBar)
        top.right = (f"{mover} {words}", role)
        top.crumbs = scenes.crumbs(walk.facts)
        if "clocks" not in self._plan_for(self.size).regions and (walk.metric == "dtz" or walk.position.halfmove_clock):
            top.crumbs = fifty_scenes.small_crumbs(top.crumbs, walk.position, known)
        self.query_one(ClocksRow).view = fifty_scenes.clocks_view(
            walk.position, facts.verdict, known, walk.metric, "z" if self.ending else "", late
        )
        over = facts.result[0].capitalize() if facts.over or not (facts.problem or facts.moves) else ""
        self.query_one(RatedPanel).show(fifty_scenes.rated_view(known, over), self._move)
        self.show_reason()

    def show_reason(self) -> None:
        """The sentence: of the chosen move while one is chosen, of the rule where it matters, else of the layers."""
        plain, known, walk = self.look.glyphs.plain, self._known, self.walk
        number = self._chosen_move()
        facts = walk.by_dtm
        moves = facts.moves
        if (late := fifty_scenes.late_view(known, facts)) is not None:
            view = late
        elif known is not None and number is not None:
            view = fifty_scenes.move_reason(known, number)
        else:
            metric = "dtz" if self.told_by_dtz else walk.metric
            best = fifty_scenes.keeping(known, moves) if moves else None
            view = fifty_scenes.explanation(known, metric, best, unbuilt(facts.problem), self.ending)
        if view is None:
            view = scenes.reason_view(facts, plain)
        self.query_one(ReasonRow).view = replace(view, heading=plain(view.heading), sentence=plain(view.sentence))

    def on_descendant_focus(self) -> None:
        """A panel was entered: the sentence is of what is chosen there."""
        if self._walk is not None:
            self.show_reason()

    def _chosen_move(self) -> int | None:
        """The move under the cursor, by its place among what is known, while the moves have the focus."""
        known = self._known
        if known is None or not self.moves_panel.has_focus:
            return None
        if self.told_by_dtz:
            return min(self._move, len(known.legal) - 1) if known.legal else None
        moves = self.walk.facts.moves
        move = moves[self._move].move if self._move < len(moves) else None
        return next((number for number, rated in enumerate(known.moves) if rated.move == move), None)

    def show_board(self) -> None:
        """Shows the board; a man picked up, or under the cursor on large boards, shows its moves."""
        board = self.query_one(Board)
        large = board.scale.large
        board.view = scenes.board_view(self.walk, self._cursor, self._picked, self._flipped, large)

    def _show_line(self) -> None:
        """Shows the best line, as much as fits."""
        most = self._most_line()
        if not most:
            return
        known = self._known
        if self.walk.facts.over:
            self.query_one(LineRows).view = Line()
            return
        if self.told_by_dtz and known is not None and known.verdict is not None:
            self.query_one(LineRows).view = fifty_scenes.line_view(self.position, known, most)
            return
        self.show_line(most)

    def _most_line(self) -> int:
        """Plies of the best line that there may be room for."""
        region = self._plan_for(self.size).regions.get("line")
        return 0 if region is None else 2 * max((region.width - 7) * region.height // 10, 2)
