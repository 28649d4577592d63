"""Explore, with a board of stones: a position, its layer, every move and where it leads."""

from __future__ import annotations

import re
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.geometry import Region, Size

from endgame_core.errors import EndgameError
from endgame_core.morris.rules import Move
from endgame_core.words.told import Headline, Line
from endgame_tui import morris_scenes
from endgame_tui.host import Request
from endgame_tui.jobs import Wish
from endgame_tui.morris_walk import StoneWalk, opening
from endgame_tui.screens.adding import Adding
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.morris_keys import BINDINGS, TAKING, WALKING
from endgame_tui.screens.morris_plan import StonesPlan, plan
from endgame_tui.screens.stones import StonesScreen
from endgame_tui.screens.walking import WalkScreen
from endgame_tui.selection import Selection, Turn
from endgame_tui.trail import unbuilt
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.marks import MarksPanel
from endgame_tui.widgets.old_layers import LayersPanel
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.takes import TakesPanel
from endgame_tui.widgets.words import FenRow, LineRows, ReasonRow, VerdictRow


class MorrisExploreScreen(StonesScreen, WalkScreen, Adding):
    """Walk through the layers of an ending of stones."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def handover(self) -> Request:
        """What goes along to Play."""
        sent, self.session.sent_stones = self.session.sent_stones, None
        return Request("morris", position=sent or self.session.stones, asked=sent is not None)

    def __init__(self) -> None:
        super().__init__()
        self._walk: StoneWalk | None = None
        self._turn: tuple[object, Turn] | None = None
        self._wished: str | None = None

    @property
    def walk(self) -> StoneWalk:
        """Where the user is."""
        if self._walk is None:
            self._walk = StoneWalk(self.session.morris)
        return self._walk

    @property
    def trail(self) -> StoneWalk:
        """The same, as all games have it."""
        return self.walk

    @property
    def board(self) -> Board:
        """The board."""
        return self.query_one(Board)

    @property
    def turn(self) -> Turn:
        """The position and its moves, worked out once."""
        key = self.walk.stones
        if self._turn is None or self._turn[0] is not key:
            self._turn = (key, morris_scenes.turn_of(self.walk))
        return self._turn[1]

    def compose(self) -> ComposeResult:
        """All widgets; the plan decides which of them are seen."""
        yield TopBar("explore", id="top")
        yield Board(id="board")
        yield VerdictRow(id="verdict")
        yield TakesPanel(id="takes")
        yield MovesPanel(id="moves")
        yield LayersPanel(id="layers")
        yield BeforePanel(id="before")
        yield MarksPanel(id="marks")
        yield ReasonRow(id="reason")
        yield LineRows(id="line")
        yield FenRow(id="fen")
        yield JobStrip(id="strip")
        yield KeyBar(*WALKING, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Opens what was asked for on the command line, or the first position."""
        self.query_one(FenRow).label = "position"
        self.query_one(LayersPanel).stretched = True
        self.query_one(MovesPanel).compact = True
        text, self.session.morris_text = self.session.morris_text, None
        missing: EndgameError | None = None
        if text:
            try:
                opening(text, self.walk)
            except EndgameError as problem:
                missing = problem
        self.put_cursor()
        self.fit()
        self.show()
        self.focus_home()
        if ending := unbuilt(missing):
            self.offer(ending, wish=True)
        elif missing is not None:
            self.complain(missing)
        elif ending := unbuilt(self.walk.stones.problem):
            self.offer(ending)

    # Where everything stands

    def _plan_for(self, size: Size) -> StonesPlan:
        takes = self.turn.takeable(self._chosen).bit_count()
        groups = len(self.query_one(MovesPanel).view.groups)
        return plan(size.width, size.height, strip=self.has_strip, takes=takes, groups=groups)

    @property
    def is_small(self) -> bool:
        """Whether the panels are folded away."""
        return self._plan_for(self.size).small

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan, with the folded panel over it on small screens."""
        return self.bottom(self.folded(dict(self._plan_for(size).regions)))

    def fit(self) -> None:
        """Gives the board the right size."""
        made = self._plan_for(self.size)
        if not made.small:
            self._fold = None
        moves, takes = self.query_one(MovesPanel), self.query_one(TakesPanel)
        moves.slim = made.slim and self._fold is None
        takes.slim = made.slim
        self.board.resize(made.pitch, made.margin)
        if self.is_running and self._walk is not None:
            self.show_choice()
            self.show_reason()
            self._show_line()

    # What is shown

    def show(self, chosen: Selection | None = None) -> None:
        """Shows the place the walk has come to, and what has been chosen of a move there."""
        walk, found, glyphs = self.walk, self.walk.stones, self.look.glyphs
        self._chosen, self._move, self._earlier = chosen or Selection(), 0, 0
        self.query_one(LayersPanel).view = morris_scenes.layers_view(found, glyphs)
        self.query_one(BeforePanel).view = morris_scenes.before_view(found, self._earlier)
        self.session.stones = walk.position
        self.query_one(FenRow).fen = walk.rules.format(walk.position)
        self.show_moves()
        self.show_choice()
        self.show_reason()
        self._show_line()

    def show_choice(self) -> None:
        """Shows the board, who is to do what, and what may be taken."""
        found, turn, glyphs = self.walk.stones, self.turn, self.look.glyphs
        top = self.query_one(TopBar)
        top.crumbs = tuple(map(glyphs.plain, morris_scenes.crumbs(found, self._chosen, self.size.width >= 100)))
        words, role = found.result
        top.right = (f"{(glyphs.white, glyphs.black)[turn.position.turn]} {words}", role)
        view = morris_scenes.verdict_view(found, turn, self._chosen)
        self.query_one(VerdictRow).view = Headline(view.white, view.mover) if found.problem else view
        self.query_one(KeyBar).offer(*(TAKING if self.is_taking else WALKING))
        if self.is_taking != ("takes" in self.shown_regions):
            self.relayout()
            if not self.is_taking and isinstance(self.focused, TakesPanel):
                self.focus_home()
        self.show_board()

    @property
    def shown_regions(self) -> set[str]:
        """The widgets that are on the screen now."""
        return {child.id for child in self.children if child.id and child.region.area}

    def show_board(self) -> None:
        """Shows the board, and the cursor where stones are taken."""
        turn, chosen = self.turn, self._chosen
        large = self.board.scale.large
        self.board.view = morris_scenes.board_view(self.walk, turn, chosen, self._point, self._flipped, large)
        self.query_one(TakesPanel).view = morris_scenes.takes_view(self.walk.stones, turn, chosen, self._point)

    def show_moves(self) -> None:
        """Shows the moves by the layers they reach."""
        self.query_one(MovesPanel).view = morris_scenes.moves_view(self.walk.stones, self._move, self.look.glyphs)

    def show_reason(self) -> None:
        """The sentence under the board."""
        wide = self.size.width >= 100
        self.query_one(ReasonRow).view = morris_scenes.reason_view(self.walk.stones, self.look.glyphs.plain, wide)

    def _show_line(self) -> None:
        """Shows the best line, as much as fits."""
        region = self._plan_for(self.size).regions.get("line")
        if region is not None:
            self.show_line(max((region.width - 7) * region.height // 6, 2))

    def line_view(self, most: int) -> Line:
        """The best line, without numbers."""
        return morris_scenes.line_view(self.walk, most)

    # The board and the moves

    def move_made(self, move: Move) -> None:
        """Walks on."""
        self.walk_on(lambda: self.walk.play(move))

    def interrupt(self) -> None:
        """Autoplay stops."""
        self.stop_autoplay()

    def first_to_take(self, takeable: int) -> int:
        """The best stone to take."""
        rows = morris_scenes.takes_view(self.walk.stones, self.turn, self._chosen, 0).rows
        return rows[0].point if rows else super().first_to_take(takeable)

    def position_to_add(self) -> str:
        """The position on the board."""
        self.stop_autoplay()
        return self.walk.rules.format(self.walk.position)

    def send(self) -> None:
        """Hands the position to Play."""
        self.session.sent_stones = self.walk.position

    def action_edit(self) -> None:
        """Sets up another position by hand, beginning with this one."""
        self.stop_autoplay()
        self.hush()
        self.app.push_screen(EditorScreen(self.walk.position, "explore"))

    def action_type(self) -> None:
        """Asks for anything."""
        self.stop_autoplay()
        self.prompt(":", "a move, a position, S12, 12/3, 4-3", self.type_in)

    def other_game(self, text: str) -> str | None:
        """Men are of chess."""
        is_chess = re.fullmatch(r"(?i)\s*k[qrbnp]*v?k[qrbnp]*\s*", text) or text.count("/") == 7
        return "dtm" if is_chess else None

    def type_in(self, text: str) -> None:
        """Asks which stone is taken by a move that closes a mill and does not say so."""
        chosen = self.walk.begun(text)
        if chosen is None:
            super().type_in(text)
            return
        self.hush()
        self.stop_asking()
        self.begin(chosen)

    # Building

    def wished(self, ending: str, metric: str, wish: bool) -> None:
        """Remembers what to open."""
        self._wished = ending if wish else None

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._walk is None:
            return
        self.walk.forget()
        wish = self._wished
        if wish is not None and self.session.morris.library.is_built(wish):
            self._wished = None
            self.walk_on(lambda: self.walk.open(wish))
        elif unbuilt(self.walk.stones.problem) is None:
            self.show(self._chosen)

    def resumed(self) -> None:
        """Opens what another screen asked for."""
        if self.session.ask_metric == self.session.morris.game.metric:
            ask, self.session.ask, self.session.ask_metric = self.session.ask, None, None
            if ask is not None and self._walk is not None:
                self.walk_on(lambda: self.walk.typed(ask))

    def ended(self, wish: Wish) -> None:
        """Says so."""
        self.say(f"{wish.endings[-1]} is built.", "win")
