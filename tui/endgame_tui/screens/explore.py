"""Explore: a position, its layer, every move and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, cast

import chess
from textual import on
from textual.binding import BindingType
from textual.timer import Timer

from endgame_core.errors import EndgameError, LayerError
from endgame_tui import fifty_scenes, scenes
from endgame_tui.catalogue import price
from endgame_tui.screens.explore_keys import BINDINGS
from endgame_tui.screens.explore_view import ExploreView
from endgame_tui.session import Wish
from endgame_tui.walk import MOST_CLOCK, START, is_over, unbuilt
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.layers import LayersPanel
from endgame_tui.widgets.moves import MovesPanel
from endgame_tui.widgets.promotion import Option
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.rated import RatedPanel
from endgame_tui.widgets.words import FenRow

if TYPE_CHECKING:
    from endgame_tui.app import EndgameApp

AUTOPLAY = 0.8
"""Seconds between two moves of autoplay."""


class ExploreScreen(ExploreView):
    """Walk through the layers of an ending."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._timer: Timer | None = None
        self._wished_dtz: str | None = None

    def on_mount(self) -> None:
        """Opens the position asked for on the command line, or the first one."""
        walk, fen = self.walk, self.session.fen
        try:
            walk.step.position = walk.game.parse(fen or START)
        except EndgameError as problem:
            self.complain(problem)
        self.put_cursor()
        self.fit()
        self.show()
        self.focus_home()
        if (ending := unbuilt(walk.facts.problem)) and not self.told_by_dtz:
            self._offer(ending)

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
            self.put_cursor()
        self.show()
        if (ending := unbuilt(self.walk.facts.problem)) and not self.told_by_dtz:
            self._offer(ending)

    def action_best(self) -> None:
        """Plays the best move."""
        self._walk_on(self._play_best)

    def _play_best(self) -> None:
        """By the metric of the layers."""
        if self.told_by_dtz:
            self._best_by_dtz()
        else:
            self._best()

    def _best(self) -> None:
        facts = self.walk.facts
        if facts.problem is not None:
            raise facts.problem
        if is_over(facts):
            raise LayerError("the game is over here", "u goes back")
        self.walk.play(fifty_scenes.keeping(self.known, facts.moves))

    def _best_by_dtz(self) -> None:
        """The first of the moves by DTZ, the clock counted in."""
        known = self.known
        if known is None or known.verdict is None:
            self._best()
        elif known.moves:
            self.walk.play(known.moves[0].move)
        else:
            raise known.problem or LayerError("the game is over here", "u goes back")

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

    # The metric and the clock

    def action_metric(self) -> None:
        """Changes between DTM and DTZ; where nothing tells DTZ, asks whether to build it."""
        self._stop_autoplay()
        self.hush()
        if self.walk.metric == "dtz":
            self._switch("dtm")
            return
        ending = self.ending
        if not ending:
            self.say("no table can tell DTZ here.")
        elif self.session.by_dtz.library.is_built(ending):
            self._switch("dtz")
        elif self.known is not None and self.known.verdict is not None:
            self._switch("dtz")
            self._offer(ending)
        else:
            if self.known is not None and self.known.problem is not None:
                self.complain(self.known.problem)
            self._offer(ending, metric="dtz")

    def _switch(self, metric: str) -> None:
        """Shows the layers of a metric."""
        self.walk.metric = metric
        self.show()

    def action_clock(self) -> None:
        """Asks for the half-move clock."""
        self._stop_autoplay()
        now = self.position.halfmove_clock
        hint = f"plies since the last capture or pawn move, 0 to {MOST_CLOCK}; now {now}"
        self.prompt("Clock", hint, lambda text: self._typed(f"clock {text or now}"))

    # Typing

    def action_type(self) -> None:
        """Asks for anything."""
        self._stop_autoplay()
        self.prompt(":", "a move, a FEN, S12, 12/3, KBNvK, clock 43", self._typed)

    def action_go_to(self) -> None:
        """Asks for a place."""
        self._stop_autoplay()
        self.prompt("Go to", "S12, 12/3, or the number of a position", self._typed)

    def _typed(self, text: str) -> None:
        """Does what was typed; asks what is still open: the piece of a promotion, whether to build an ending."""
        if promotions := self.walk.promotions(text):
            self.hush()
            self.ask_promotion(promotions)
            return
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
        self.put_cursor()
        self._arrive()

    # The board and the moves

    def move_made(self, move: chess.Move) -> None:
        """Walks on."""
        self._walk_on(lambda: self.walk.play(move))

    def interrupt(self) -> None:
        """Autoplay stops."""
        self._stop_autoplay()

    def promotion_choice(self, moves: Sequence[chess.Move]) -> tuple[tuple[Option, ...], int]:
        """The pieces with the layer each leads to; the cursor begins at the best, the queen where they tie."""
        options = scenes.promotion_options(self.walk.facts, moves)
        best = next((found.move for found in self.walk.facts.moves if found.move in moves), None)
        worth = [(option.layer, option.role) for option in options]
        return options, 0 if best is None else worth.index(worth[list(moves).index(best)])

    @on(MovesPanel.Pointed)
    def _move_pointed(self, event: MovesPanel.Pointed) -> None:
        self._move = event.number
        self._show_moves()
        self.show_reason()

    @on(RatedPanel.Pointed)
    def _rated_pointed(self, event: RatedPanel.Pointed) -> None:
        self._move = event.number
        self.show_reason()

    @on(RatedPanel.Chosen)
    def _rated_chosen(self, event: RatedPanel.Chosen) -> None:
        if self.known is not None and event.number < len(self.known.moves):
            move = self.known.moves[event.number].move
            self._walk_on(lambda: self.walk.play(move))

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

    def action_before(self) -> None:
        """Goes to the previous positions, or back to the board."""
        self._toggle("before")

    def action_moves(self) -> None:
        """Goes to the moves, or back to the board."""
        self._toggle("moves")

    def _toggle(self, name: str) -> None:
        panel = self.moves_panel if name == "moves" else self.query_one(f"#{name}")
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
        if self.unpick():
            return
        if self._fold is not None:
            self._toggle(self._fold)
        else:
            self.focus_home()

    @on(FenRow.Copied)
    def action_copy(self) -> None:
        """Copies the FEN to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.walk.game.format(self.walk.position))
        self.say("copied the FEN.")

    def action_send(self) -> None:
        """Asks where the position is to go."""
        self._stop_autoplay()
        play = Choice("3", "3", "Play", self._to_play)
        self.question("Send this position to", play)

    def _to_play(self) -> None:
        self.session.sent = self.walk.position
        self.app.call_later(self.app.run_action, "screen('play')")

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
            self._play_best()
        except EndgameError:
            self._stop_autoplay()
            return
        self._arrive()
        if not any(self.position.legal_moves) or self.walk.game.is_trivial(self.position):
            self._stop_autoplay()

    def _stop_autoplay(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # Building

    def _offer(self, ending: str, wish: bool = False, metric: str | None = None) -> None:
        """Asks whether to build an ending, by the metric of the layers; ``wish`` opens it when it is done."""
        metric = metric or self.walk.metric
        cost = price(self.session.library_of(metric), [ending])
        first = f", {cost.endings - 1} first" if cost.endings > 1 else ""
        plain = cast("EndgameApp", self.app).look.glyphs.plain
        lacks = "is not built" if metric == "dtm" else "lacks DTZ"
        text = plain(f"{ending} {lacks}: build it? {cost.words}{first}")
        build = Choice("enter", "Enter", "build", lambda: self._build(ending, wish, metric))
        self.question(text, build)

    def _build(self, ending: str, wish: bool, metric: str) -> None:
        try:
            self.session.build([ending], metric)
        except EndgameError as problem:
            self.complain(problem)
            return
        if metric == "dtm":
            self.session.wish = ending if wish else None
        else:
            self._wished_dtz = ending
        self.progressed()

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._walk is None:
            return
        self.walk.forget()
        wish, dtz = self.session.wish, self._wished_dtz
        if wish is not None and self.session.library.is_built(wish):
            self.session.wish = None
            self._walk_on(lambda: self.walk.open(wish))
        elif dtz is not None and self.session.by_dtz.library.is_built(dtz):
            self._wished_dtz = None
            if self.ending == dtz:
                self._switch("dtz")
        elif self.walk.facts.problem is None or unbuilt(self.walk.facts.problem) is None or self.known is not None:
            self.show()

    def resumed(self) -> None:
        """Opens what another screen asked for."""
        ask, self.session.ask = self.session.ask, None
        metric, self.session.ask_metric = self.session.ask_metric, None
        if ask is not None and self._walk is not None:
            if metric is not None and metric != self.walk.metric:
                self._switch(metric)
            self._walk_on(lambda: self.walk.typed(ask))

    def ended(self, wish: Wish) -> None:
        """Says so."""
        self.say(f"{wish.endings[-1]} is built{'' if wish.metric == 'dtm' else ' by DTZ'}.", "win")
