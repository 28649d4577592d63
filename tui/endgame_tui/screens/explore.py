"""Explore: a position, its layer, every move and where it leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import chess
from textual import on
from textual.binding import BindingType

from endgame_core.chess import material
from endgame_core.errors import EndgameError, LayerError, PositionError
from endgame_core.morris.texts import is_ending, is_position, parse
from endgame_core.values import LAST_CLOCK
from endgame_tui import fifty_scenes, scenes
from endgame_tui.host import Request
from endgame_tui.jobs import Wish
from endgame_tui.screens.explore_keys import BINDINGS
from endgame_tui.screens.explore_view import ExploreView
from endgame_tui.walk import START, unbuilt
from endgame_tui.widgets.promotion import Option
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.rated import RatedPanel


class ExploreScreen(ExploreView):
    """Walk through the layers of an ending."""

    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def handover(self) -> Request:
        """What goes along to Play."""
        sent, self.session.sent = self.session.sent, None
        return Request("chess", position=sent or self.session.here, asked=sent is not None)

    def __init__(self) -> None:
        super().__init__()
        self._wished_dtz: str | None = None

    def on_mount(self) -> None:
        """Opens the position or ending asked for on the command line, or the first position."""
        missing: EndgameError | None = None
        try:
            self._open_first(self.session.fen or START)
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
        elif (ending := unbuilt(self.walk.facts.problem)) and self.is_offering:
            self.offer(ending)

    def _open_first(self, text: str) -> None:
        """Begins the walk; at an ending that has layers by DTZ alone, with these."""
        walk = self.walk
        if not material.is_meant(text):
            walk.step.position = walk.game.parse(text)
            return
        ending = walk.game.canonical_name(text)
        if self.session.by_dtz.library.is_built(ending) and not self.session.library.is_built(ending):
            walk.metric = "dtz"
        walk.open(ending)
        walk.past.clear()

    @property
    def is_offering(self) -> bool:
        """Not where DTZ tells what is needed, or may tell it in a moment."""
        return self.known is not None and self.known.verdict is None

    def best_move(self) -> chess.Move:
        """Of moves equal by DTM one that keeps the win."""
        return fifty_scenes.keeping(self.known, self.walk.facts.moves)

    def play_best(self) -> None:
        """By the metric of the layers."""
        if self.told_by_dtz and not self.walk.facts.over:
            self._best_by_dtz()
        else:
            super().play_best()

    def _best_by_dtz(self) -> None:
        """The first of the moves by DTZ, the clock counted in."""
        known = self.known
        if known is None or known.verdict is None:
            super().play_best()
        elif known.moves:
            self.walk.play(known.moves[0].move)
        else:
            raise known.problem or LayerError("the game is over here", "u goes back")

    # The metric and the clock

    def action_metric(self) -> None:
        """Changes between DTM and DTZ; where nothing tells DTZ, asks whether to build it."""
        self.stop_autoplay()
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
            self.offer(ending)
        else:
            if self.known is not None and self.known.problem is not None:
                self.complain(self.known.problem)
            self.offer(ending, metric="dtz")

    def _switch(self, metric: str) -> None:
        """Shows the layers of a metric."""
        self.walk.metric = metric
        self.show()

    def action_clock(self) -> None:
        """Asks for the half-move clock."""
        self.stop_autoplay()
        now = self.position.halfmove_clock
        hint = f"0 to {LAST_CLOCK} plies since the last capture or pawn move; now {now}"
        self.prompt("Clock", hint, lambda text: self.type_in(f"clock {text or now}"))

    # Typing

    def action_type(self) -> None:
        """Asks for anything."""
        self.stop_autoplay()
        self.prompt(":", "a move, a FEN, S12, 12/3, KBNvK, clock 43", self.type_in)

    def other_game(self, text: str) -> str | None:
        """Stones are of Nine Men's Morris, when they can be read."""
        try:
            return "depth" if is_ending(text) or (is_position(text) and parse(text)) else None
        except PositionError:
            return None

    def type_in(self, text: str) -> None:
        """Asks for the piece of a promotion that does not name it."""
        if promotions := self.walk.promotions(text):
            self.hush()
            self.ask_promotion(promotions)
            return
        super().type_in(text)

    # The board and the moves

    def move_made(self, move: chess.Move) -> None:
        """Walks on."""
        self.walk_on(lambda: self.walk.play(move))

    def interrupt(self) -> None:
        """Autoplay stops."""
        self.stop_autoplay()

    def promotion_choice(self, moves: Sequence[chess.Move]) -> tuple[tuple[Option, ...], int]:
        """The pieces with the layer each leads to; the cursor begins at the best, the queen where they tie."""
        options = scenes.promotion_options(self.walk.facts, moves)
        best = next((found.move for found in self.walk.facts.moves if found.move in moves), None)
        worth = [(option.layer, option.role) for option in options]
        return options, 0 if best is None else worth.index(worth[list(moves).index(best)])

    @on(RatedPanel.Pointed)
    def _rated_pointed(self, event: RatedPanel.Pointed) -> None:
        self._move = event.number
        self.show_reason()

    @on(RatedPanel.Chosen)
    def _rated_chosen(self, event: RatedPanel.Chosen) -> None:
        if self.known is not None and event.number < len(self.known.legal):
            move = self.known.legal[event.number]
            self.walk_on(lambda: self.walk.play(move))

    def send(self) -> None:
        """Hands the position to Play."""
        self.session.sent = self.walk.position

    # Building

    def offer_words(self, ending: str, metric: str) -> str:
        """The tables of DTZ are called so."""
        return f"{ending} lacks DTZ" if metric == "dtz" else super().offer_words(ending, metric)

    def instead(self, ending: str, wish: bool, metric: str) -> tuple[Choice, ...]:
        """The layers by DTZ, where that table is there and the one by DTM is not."""
        if metric != "dtm" or not self.session.by_dtz.library.is_built(ending):
            return ()
        return (Choice("z", "z", "DTZ", lambda: self._by_dtz(ending, wish)),)

    def _by_dtz(self, ending: str, wish: bool) -> None:
        """Shows the layers by DTZ; of an ending that was asked for, its longest win."""
        self._switch("dtz")
        if wish:
            self.walk_on(lambda: self.walk.open(ending))

    def wished(self, ending: str, metric: str, wish: bool) -> None:
        """Remembers what to open."""
        if metric == "dtm":
            self.session.wish = ending if wish else None
        else:
            self._wished_dtz = ending

    def refresh_tables(self) -> None:
        """Asks the tables anew."""
        if self._walk is None:
            return
        self.walk.forget()
        wish, dtz = self.session.wish, self._wished_dtz
        if wish is not None and self.session.library.is_built(wish):
            self.session.wish = None
            self.walk_on(lambda: self.walk.open(wish))
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
            self.walk_on(lambda: self.walk.typed(ask))

    def ended(self, wish: Wish) -> None:
        """Says so."""
        self.say(f"{wish.endings[-1]} is built{' by DTZ' if wish.metric == 'dtz' else ''}.", "win")
