"""What every screen has that walks through layers: steps, typing, panels of moves, autoplay, offers to build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import on
from textual.geometry import Region
from textual.timer import Timer
from textual.widget import Widget

from endgame_core.errors import EndgameError, LayerError
from endgame_core.words.tables import price
from endgame_core.words.told import Line
from endgame_tui import scenes
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.trail import Trail, is_over, unbuilt
from endgame_tui.widgets.before import BeforePanel
from endgame_tui.widgets.old_layers import LayersPanel
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.question import Choice, Question
from endgame_tui.widgets.words import FenRow, LineRows

AUTOPLAY = 0.8
"""Seconds between two moves of autoplay."""


class WalkScreen(ModeScreen):
    """A walk through positions. What differs from game to game is in the first section."""

    def __init__(self) -> None:
        super().__init__()
        self._move = 0
        self._earlier = 0
        self._fold: str | None = None
        self._timer: Timer | None = None

    # What a game says

    @property
    def trail(self) -> Trail[Any, Any]:
        """Where the user is."""
        raise NotImplementedError

    @property
    def board(self) -> Widget:
        """The board."""
        raise NotImplementedError

    @property
    def is_small(self) -> bool:
        """Whether the panels are folded away."""
        raise NotImplementedError

    @property
    def moves_panel(self) -> Widget:
        """The panel of moves that is shown."""
        return self.query_one(MovesPanel)

    def put_cursor(self) -> None:
        """Puts the cursor where the side to move begins."""
        raise NotImplementedError

    def follow(self, move: Any) -> None:
        """Puts the cursor where a move has led, or where the side to move begins."""
        raise NotImplementedError

    def unpick(self) -> bool:
        """Takes back what has been chosen of a move; False when nothing was."""
        raise NotImplementedError

    def show(self) -> None:
        """Shows the place the walk has come to."""
        raise NotImplementedError

    def show_reason(self) -> None:
        """Shows the sentence under the board."""
        raise NotImplementedError

    def play_best(self) -> None:
        """Plays the best move; raises EndgameError."""
        found = self.trail.findings
        if found.problem is not None:
            raise found.problem
        if is_over(found):
            raise LayerError("the game is over here", "u goes back")
        self.trail.play(self.best_move())

    def best_move(self) -> Any:
        """The best move of a position that has moves."""
        return self.trail.findings.moves[0].move

    @property
    def is_offering(self) -> bool:
        """Whether the table of a position is offered where it is missing."""
        return True

    def offer_words(self, ending: str, metric: str) -> str:
        """What is said of an ending that is not built."""
        return f"{ending} is not built"

    def instead(self, ending: str, wish: bool, metric: str) -> tuple[Choice, ...]:
        """What else can be done than to build an ending."""
        return ()

    def wished(self, ending: str, metric: str, wish: bool) -> None:
        """An ending is being built; with ``wish`` it is to be opened then."""
        raise NotImplementedError

    def send(self) -> None:
        """Hands the position to Play."""
        raise NotImplementedError

    # Walking

    def walk_on(self, step: Callable[[], object]) -> None:
        """Does a step of the walk and shows where it led, or what was wrong."""
        self.stop_autoplay()
        self.hush()
        try:
            step()
        except EndgameError as problem:
            if ending := unbuilt(problem):
                self.offer(ending)
            else:
                self.complain(problem)
            return
        self.arrive()

    def arrive(self) -> None:
        """Shows the new place; the cursor follows the man that moved."""
        self.follow(self.trail.step.move)
        self.show()
        if (ending := unbuilt(self.trail.findings.problem)) and self.is_offering:
            self.offer(ending)

    def action_best(self) -> None:
        """Plays the best move."""
        self.walk_on(self.play_best)

    def action_undo(self) -> None:
        """Goes back."""
        self.stop_autoplay()
        self.hush()
        if self.trail.undo():
            self.arrive()
        else:
            self.say("this is where the walk began.")

    def action_redo(self) -> None:
        """Takes back an undo."""
        self.stop_autoplay()
        self.hush()
        if self.trail.redo():
            self.arrive()
        else:
            self.say("nothing has been undone.")

    def action_layer(self, by: int) -> None:
        """Steps a layer nearer to the end or farther from it."""
        self.walk_on(lambda: self.trail.step_layer(by))

    def action_position(self, by: int) -> None:
        """Steps through the positions of the layer."""
        self.walk_on(lambda: self.trail.step_position(by))

    def action_random(self) -> None:
        """Goes to any position of the layer."""
        self.walk_on(self.trail.randomly)

    def action_family(self) -> None:
        """Changes between White's wins, Black's wins and draws."""
        self.walk_on(self.trail.next_family)

    @on(LayersPanel.Chosen)
    def _layer_chosen(self, event: LayersPanel.Chosen) -> None:
        self.walk_on(lambda: self.trail.to_row(event.row))

    # Typing

    def action_go_to(self) -> None:
        """Asks for a place."""
        self.stop_autoplay()
        self.prompt("Go to", "S12, 12/3, or the number of a position", self.type_in)

    def other_game(self, text: str) -> str | None:
        """The metric by which another game shows what was typed, when it is of that game."""
        return None

    def type_in(self, text: str) -> None:
        """Does what was typed; asks whether to build an ending that is not there."""
        if (metric := self.other_game(text)) is not None:
            self.session.ask, self.session.ask_metric = text, metric
            self.app.call_later(self.app.run_action, "screen('explore')")
            return
        try:
            self.trail.typed(text)
        except EndgameError as problem:
            ending = unbuilt(problem)
            if ending is None:
                raise
            self.offer(ending, wish=True)
            return
        self.hush()
        self.stop_asking()
        self.put_cursor()
        self.arrive()

    # The moves

    @on(MovesPanel.Pointed)
    def _move_pointed(self, event: MovesPanel.Pointed) -> None:
        self._move = event.number
        self.show_moves()
        self.show_reason()

    @on(MovesPanel.Chosen)
    def _move_chosen(self, event: MovesPanel.Chosen) -> None:
        moves = self.trail.findings.moves
        if event.number < len(moves):
            self.walk_on(lambda: self.trail.play(moves[event.number].move))

    @on(BeforePanel.Pointed)
    def _earlier_pointed(self, event: BeforePanel.Pointed) -> None:
        self._earlier = event.number
        view = scenes.before_view(self.trail.findings, self._earlier)
        self.query_one(BeforePanel).view = view

    @on(BeforePanel.Chosen)
    def _earlier_chosen(self, event: BeforePanel.Chosen) -> None:
        earlier = self.trail.findings.previous
        if event.number < len(earlier):
            self.walk_on(lambda: self.trail.go(earlier[event.number].position))

    def action_before(self) -> None:
        """Goes to the previous positions, or back to the board."""
        self._toggle("before")

    def action_moves(self) -> None:
        """Goes to the moves, or back to the board."""
        self._toggle("moves")

    def _toggle(self, name: str) -> None:
        panel = self.moves_panel if name == "moves" else self.query_one(f"#{name}")
        here = panel.has_focus
        if self.is_small:
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
        self.stop_autoplay()
        self.hush()
        if self.unpick():
            return
        if self._fold is not None:
            self._toggle(self._fold)
        else:
            self.focus_home()

    @on(FenRow.Copied)
    def action_copy(self) -> None:
        """Copies the position to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.trail.rules.format(self.trail.position))
        self.say(f"copied the {self.query_one(FenRow).label}.")

    def action_send(self) -> None:
        """Asks where the position is to go."""
        self.stop_autoplay()
        self.question("Send this position to", Choice("3", "3", "Play", self._to_play))

    def _to_play(self) -> None:
        self.send()
        self.app.call_later(self.app.run_action, "screen('play')")

    def show_moves(self) -> None:
        """Shows the moves by the layers they reach."""
        self.query_one(MovesPanel).view = scenes.moves_view(self.trail.findings, self._move, self.look.glyphs)

    def show_line(self, most: int) -> None:
        """Shows the best line, at most so many plies of it."""
        try:
            view = self.line_view(most)
        except EndgameError as problem:
            view = Line()
            self.complain(problem)
        self.query_one(LineRows).view = view

    def line_view(self, most: int) -> Line:
        """The best line from here; raises EndgameError."""
        return scenes.line_view(self.trail, most)

    def folded(self, regions: dict[str, Region]) -> dict[str, Region]:
        """The regions with the folded panel over the board, on small screens."""
        if self._fold is not None:
            board = regions["board"]
            for name in ("board", "moves", "takes", "verdict", "layers", "before"):
                regions.pop(name, None)
            regions[self._fold] = Region(1, board.y, regions["top"].width - 2, board.height)
        return regions

    def focus_home(self) -> None:
        """The board has the focus unless a panel was asked for."""
        homes = {"moves": self.moves_panel, "before": self.query_one(BeforePanel)}
        self.set_focus(homes.get(self._fold or "", self.board))

    # Autoplay

    def action_autoplay(self) -> None:
        """Starts to play the best moves one after the other, or stops."""
        if self._timer is not None:
            self.stop_autoplay()
            self.say("autoplay stopped.")
        else:
            self.hush()
            self._timer = self.set_interval(AUTOPLAY, self.autoplay_step, name="autoplay")

    def autoplay_step(self) -> None:
        """One move of autoplay; stops at the end."""
        try:
            self.play_best()
        except EndgameError:
            self.stop_autoplay()
            return
        self.arrive()
        rules, position = self.trail.rules, self.trail.position
        if not rules.moves(position) or rules.is_trivial(position):
            self.stop_autoplay()

    def stop_autoplay(self) -> None:
        """Stops to play by itself."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    # Building

    def offer(self, ending: str, wish: bool = False, metric: str | None = None) -> None:
        """Asks whether to build an ending, by the metric of the layers; ``wish`` opens it when it is done."""
        metric = metric or self.trail.metric
        cost = price(self.session.library_of(metric), [ending])
        first = f", {cost.endings - 1} first" if cost.endings > 1 else ""
        build = Choice("enter", "Enter", "build", lambda: self._build(ending, wish, metric))
        choices = build, *self.instead(ending, wish, metric)
        texts = (
            f"{self.offer_words(ending, metric)}: build it? {cost.words}{first}",
            f"Build {ending}? {cost.words}{first}",
            f"Build {ending}? {cost.words}",
            f"{cost.words.removeprefix('about ')}?",
            f"{ending}?",
        )
        plain = [self.look.glyphs.plain(text) for text in texts]
        room = self.query_one(Question).room(*choices)
        self.question(next((text for text in plain if len(text) <= room), plain[-1]), *choices)

    def _build(self, ending: str, wish: bool, metric: str) -> None:
        try:
            self.session.build([ending], metric)
        except EndgameError as problem:
            self.complain(problem)
            return
        self.wished(ending, metric, wish)
        self.progressed()
