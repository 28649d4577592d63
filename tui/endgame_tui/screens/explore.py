"""Explore: a position, its layer, every move and where it leads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

import chess
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.timer import Timer

from endgame_core.errors import EndgameError, LayerError
from endgame_tui import scenes
from endgame_tui.screens.explore_plan import Plan, plan
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.walk import START, Walk, is_over, unbuilt
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.layers import LayersPanel
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice, Question
from endgame_tui.widgets.words import FenRow, LineRows, LineView, ReasonRow, VerdictRow, VerdictView
from endgame_tui.wording import duration, size

if TYPE_CHECKING:
    from endgame_tui.app import EndgameApp

AUTOPLAY = 0.8
"""Seconds between two moves of autoplay."""

WIDE_KEYS = (
    (".", "best"), ("u U", "undo redo"), ("[ ]", "layer"), ("n p", "position"), ("r", "random"),
    ("g", "go to"), ("a", "auto"), ("b", "before"), ("f", "flip"), ("w", "wins"), (":", "type"),
)  # fmt: skip
KEYS = (
    (".", "best"), ("u", "undo"), ("[ ]", "layer"), ("n p", "position"), ("r", "random"),
    ("b", "before"), (":", "type"),
)  # fmt: skip
SMALL_KEYS = ((".", "best"), ("u", "undo"), ("[ ]", "S"), ("m", "moves"))


class ExploreScreen(ModeScreen):
    """Walk through the layers of an ending."""

    CSS_PATH = "explore.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "best", "Play the best move", show=False, id="explore.best"),
        Binding("u", "undo", "Undo", show=False, id="explore.undo"),
        Binding("U", "redo", "Redo", show=False, id="explore.redo"),
        Binding("left_square_bracket", "layer(-1)", "Layer nearer to mate", show=False, id="explore.nearer"),
        Binding("right_square_bracket", "layer(1)", "Layer farther from mate", show=False, id="explore.farther"),
        Binding("n", "position(1)", "Next position of the layer", show=False, id="explore.next"),
        Binding("p", "position(-1)", "Previous position of the layer", show=False, id="explore.previous"),
        Binding("r", "random", "Random position of the layer", show=False, id="explore.random"),
        Binding("g", "go_to", "Go to a layer or a position of it", show=False, id="explore.go-to"),
        Binding("w", "family", "White wins, Black wins, draws", show=False, id="explore.family"),
        Binding("a", "autoplay", "Play on by itself, or stop", show=False, id="explore.autoplay"),
        Binding("b", "before", "Positions before this one", show=False, id="explore.before"),
        Binding("m", "moves", "All moves", show=False, id="explore.moves"),
        Binding("f", "flip", "Turn the board", show=False, id="explore.flip"),
        Binding("c", "copy", "Copy the FEN", show=False, id="explore.copy"),
        Binding("colon", "type", "Type a move, FEN, S12, 12/3, KBNvK", show=False, id="explore.type"),
        Binding("escape", "back", "Drop the man, back to the board", show=False, id="explore.back"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._walk: Walk | None = None
        self._cursor = 0
        self._picked: int | None = None
        self._flipped = False
        self._move = 0
        self._earlier = 0
        self._fold: str | None = None
        self._timer: Timer | None = None
        self._plan: tuple[object, Plan] | None = None
        self._promotions: list[chess.Move] = []

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

    def on_mount(self) -> None:
        """Opens the position asked for on the command line, or the first one."""
        walk, fen = self.walk, self.session.fen
        try:
            walk.step.position = walk.game.parse(fen or START)
        except EndgameError as problem:
            self.complain(problem)
        self._put_cursor()
        self.fit()
        self.show()
        self.focus_home()
        if ending := unbuilt(walk.facts.problem):
            self._offer(ending)

    # Where everything stands

    def _plan_for(self, size: Size) -> Plan:
        look = cast("EndgameApp", self.app).look
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
        moves.slim = made.small and self._fold is None
        if not made.small and self._fold:
            self._fold = None
        self.query_one(Board).resize_cells(made.cells, made.margin)
        if self.is_running and self._walk is not None:
            self._show_board()
            self._show_line()

    # What is shown

    def show(self) -> None:
        """Shows the place the walk has come to."""
        walk, glyphs = self.walk, cast("EndgameApp", self.app).look.glyphs
        facts = walk.facts
        self._picked, self._move, self._earlier = None, 0, 0
        top = self.query_one(TopBar)
        top.crumbs = scenes.crumbs(facts)
        words, role = scenes.result_words(facts)
        mover = glyphs.white if walk.position.turn else glyphs.black
        top.right = (f"{mover} {words}", role)
        self._show_board()
        self.query_one(VerdictRow).view = (
            VerdictView() if facts.problem else scenes.verdict_view(facts, glyphs)
        )
        self.query_one(LayersPanel).view = scenes.layers_view(facts, glyphs)
        self._show_moves()
        self.query_one(BeforePanel).view = scenes.before_view(facts, self._earlier)
        self.query_one(ReasonRow).view = scenes.reason_view(facts, glyphs.plain)
        self.query_one(FenRow).fen = walk.game.format(walk.position)
        self._show_line()

    def _show_board(self) -> None:
        board = self.query_one(Board)
        large = board.cells.height >= 3
        board.view = scenes.board_view(self.walk, self._cursor, self._picked, self._flipped, large)

    def _show_moves(self) -> None:
        glyphs = cast("EndgameApp", self.app).look.glyphs
        view = scenes.moves_view(self.walk.facts, self._move, glyphs)
        self.query_one(MovesPanel).view = view

    def _show_line(self) -> None:
        """Shows the best line, as much as fits."""
        region = self._plan_for(self.size).regions.get("line")
        if region is not None:
            most = 2 * max(region.width * region.height // 9, 2)
            try:
                view = scenes.line_view(self.walk, most)
            except EndgameError as problem:
                view = LineView()
                self.complain(problem)
            self.query_one(LineRows).view = view

    def _put_cursor(self) -> None:
        """Puts the cursor on a man of the side to move, a piece rather than the king."""
        board = self.walk.position
        own = [s for s in chess.SquareSet(board.occupied_co[board.turn]) if s != board.king(board.turn)]
        self._cursor = own[0] if own else board.king(board.turn) or 0

    def focus_home(self) -> None:
        """The board has the focus unless a panel was asked for."""
        home = self.query_one(MovesPanel if self._fold == "moves" else Board)
        if self._fold == "before":
            home = self.query_one(BeforePanel)
        home.focus()

    # Walking

    def _walk_on(self, step: Callable[[], object]) -> None:
        """Does a step of the walk and shows where it led, or what was wrong."""
        self._stop_autoplay()
        self.hush()
        try:
            step()
        except EndgameError as problem:
            if ending := unbuilt(problem):
                self._offer(ending)
            else:
                self.complain(problem)
            return
        self._arrive()

    def _arrive(self) -> None:
        """Shows the new place; the cursor follows the man that moved."""
        move = self.walk.step.move
        if move is not None and self.walk.position.piece_at(self._cursor) is None:
            self._cursor = move.to_square
        elif self.walk.position.piece_at(self._cursor) is None:
            self._put_cursor()
        self.show()
        if ending := unbuilt(self.walk.facts.problem):
            self._offer(ending)

    def action_best(self) -> None:
        """Plays the best move."""
        self._walk_on(self._best)

    def _best(self) -> None:
        facts = self.walk.facts
        if facts.problem is not None:
            raise facts.problem
        if is_over(facts):
            raise LayerError("the game is over here", "u goes back")
        self.walk.play(facts.moves[0].move)

    def action_undo(self) -> None:
        """Goes back."""
        self._stop_autoplay()
        self.hush()
        if self.walk.undo():
            self._arrive()
        else:
            self.say("this is where the walk began.")

    def action_redo(self) -> None:
        """Takes back an undo."""
        self._stop_autoplay()
        self.hush()
        if self.walk.redo():
            self._arrive()
        else:
            self.say("nothing has been undone.")

    def action_layer(self, by: int) -> None:
        """Steps a layer nearer to the end or farther from it."""
        self._walk_on(lambda: self.walk.step_layer(by))

    def action_position(self, by: int) -> None:
        """Steps through the positions of the layer."""
        self._walk_on(lambda: self.walk.step_position(by))

    def action_random(self) -> None:
        """Goes to any position of the layer."""
        self._walk_on(self.walk.randomly)

    def action_family(self) -> None:
        """Changes between White's wins, Black's wins and draws."""
        self._walk_on(self.walk.next_family)

    @on(LayersPanel.Chosen)
    def _layer_chosen(self, event: LayersPanel.Chosen) -> None:
        self._walk_on(lambda: self.walk.to_row(event.row))

    # Typing

    def action_type(self) -> None:
        """Asks for anything."""
        self._stop_autoplay()
        self.prompt(":", "a move, a FEN, S12, 12/3, KBNvK", self._typed)

    def action_go_to(self) -> None:
        """Asks for a place."""
        self._stop_autoplay()
        self.prompt("Go to", "S12, 12/3, or the number of a position", self._typed)

    def _typed(self, text: str) -> None:
        """Does what was typed; an ending that is not built is offered for building."""
        try:
            self.walk.typed(text)
        except EndgameError as problem:
            ending = unbuilt(problem)
            if ending is None:
                raise
            self._offer(ending, wish=True)
            return
        self.hush()
        self.stop_asking()
        self._put_cursor()
        self._arrive()

    # The board and the moves

    @on(Board.Pointed)
    def _pointed(self, event: Board.Pointed) -> None:
        self._cursor = event.square
        self.hush()
        self._show_board()

    @on(Board.Chosen)
    def _square_chosen(self, event: Board.Chosen) -> None:
        self._stop_autoplay()
        self.hush()
        self._cursor = event.square
        walk = self.walk
        piece = walk.position.piece_at(event.square)
        if piece is not None and piece.color == walk.position.turn:
            self._picked = None if self._picked == event.square else event.square
            self._show_board()
        elif self._picked is not None:
            self._drop(self._picked, event.square)
        else:
            self._show_board()
            side = "White" if walk.position.turn else "Black"
            self.say(f"{side} is to move: pick one of {side}'s men.")

    def _drop(self, source: int, target: int) -> None:
        moves = [
            move
            for move in self.walk.game.moves(self.walk.position)
            if (move.from_square, move.to_square) == (source, target)
        ]
        if not moves:
            self._picked = None
            self._show_board()
            names = f"{chess.square_name(source)}{chess.square_name(target)}"
            self.say(f"{names} is not a legal move.")
            return
        best = [m.move for m in self.walk.facts.moves if m.move in moves]
        self._walk_on(lambda: self.walk.play((best or moves)[0]))

    @on(MovesPanel.Pointed)
    def _move_pointed(self, event: MovesPanel.Pointed) -> None:
        self._move = event.number
        self._show_moves()

    @on(MovesPanel.Chosen)
    def _move_chosen(self, event: MovesPanel.Chosen) -> None:
        moves = self.walk.facts.moves
        if event.number < len(moves):
            self._walk_on(lambda: self.walk.play(moves[event.number].move))

    @on(BeforePanel.Pointed)
    def _earlier_pointed(self, event: BeforePanel.Pointed) -> None:
        self._earlier = event.number
        view = scenes.before_view(self.walk.facts, self._earlier)
        self.query_one(BeforePanel).view = view

    @on(BeforePanel.Chosen)
    def _earlier_chosen(self, event: BeforePanel.Chosen) -> None:
        earlier = self.walk.facts.previous
        if event.number < len(earlier):
            self._walk_on(lambda: self.walk.go(earlier[event.number].position))

    def action_flip(self) -> None:
        """Turns the board."""
        self._flipped = not self._flipped
        self._show_board()

    def action_before(self) -> None:
        """Goes to the previous positions, or back to the board."""
        self._toggle("before")

    def action_moves(self) -> None:
        """Goes to the moves, or back to the board."""
        self._toggle("moves")

    def _toggle(self, name: str) -> None:
        panel = self.query_one(f"#{name}")
        here = panel.has_focus
        if self._plan_for(self.size).small:
            self._fold = None if self._fold == name else name
            self.fit()
            self.relayout()
            self.call_after_refresh(self.focus_home)
        elif here:
            self.focus_home()
        else:
            panel.focus()

    def action_back(self) -> None:
        """Drops the man, closes a panel, goes back to the board."""
        self._stop_autoplay()
        self.hush()
        if self._picked is not None:
            self._picked = None
            self._show_board()
        elif self._fold is not None:
            self._toggle(self._fold)
        else:
            self.focus_home()

    @on(FenRow.Copied)
    def action_copy(self) -> None:
        """Copies the FEN to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.walk.game.format(self.walk.position))
        self.say("copied the FEN.")

    # Autoplay

    def action_autoplay(self) -> None:
        """Starts to play the best moves one after the other, or stops."""
        if self._timer is not None:
            self._stop_autoplay()
            self.say("autoplay stopped.")
        else:
            self.hush()
            self._timer = self.set_interval(AUTOPLAY, self.autoplay_step, name="autoplay")

    def autoplay_step(self) -> None:
        """One move of autoplay; stops at the end."""
        try:
            self._best()
        except EndgameError:
            self._stop_autoplay()
            return
        self._arrive()
        if is_over(self.walk.facts) or self.walk.facts.place is None:
            self._stop_autoplay()

    def _stop_autoplay(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # Building

    def _offer(self, ending: str, wish: bool = False) -> None:
        """Asks whether to build an ending; ``wish`` opens it when it is done."""
        library = self.session.library
        entry = library.entry(ending)
        if entry.state == "unbuildable":
            self.say(f"{ending} cannot be built: {entry.reason}.", "loss")
            return
        plain = cast("EndgameApp", self.app).look.glyphs.plain
        first = len(entry.missing)
        price = f"{duration(entry.seconds)}, {size(entry.size)}"
        if first:
            price += f", {first} first"
        text = plain(f"{ending} is not built: build it? {price}")
        build = Choice("enter", "Enter", "build", lambda: self._build(ending, wish))
        self.question(text, build)

    def _build(self, ending: str, wish: bool) -> None:
        try:
            self.session.build([ending])
        except EndgameError as problem:
            self.complain(problem)
            return
        self.session.wish = ending if wish else None
        self.progressed()

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._walk is None:
            return
        self.walk.forget()
        wish = self.session.wish
        if wish is not None and self.session.library.is_built(wish):
            self.session.wish = None
            self._walk_on(lambda: self.walk.open(wish))
        elif self.walk.facts.problem is None or unbuilt(self.walk.facts.problem) is None:
            self.show()

    def resumed(self) -> None:
        """Opens what another screen asked for."""
        ask, self.session.ask = self.session.ask, None
        if ask is not None and self._walk is not None:
            self._walk_on(lambda: self.walk.open(ask))

    def ended(self, wanted: tuple[str, ...]) -> None:
        """Says so."""
        self.say(f"{wanted[-1]} is built.", "win")
