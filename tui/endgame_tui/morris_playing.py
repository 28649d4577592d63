"""A game of Nine Men's Morris on the Play screen: how it is set up, how it stands. No Textual here."""

from __future__ import annotations

from dataclasses import dataclass, field

from endgame_core.errors import EndgameError, PositionError
from endgame_core.morris import notation, rules
from endgame_core.morris.rules import Move, Position
from endgame_core.practice.defence import Defence, usual
from endgame_core.practice.match import Listener, Match
from endgame_core.tasks.game_file import Loaded
from endgame_tui.gameplay import GamePlay
from endgame_tui.morris_walk import START, StoneFindings, StoneWalk
from endgame_tui.playing import CLOCKS, DEFENCES, MOST_LINE
from endgame_tui.selection import Turn

StoneMatch = Match[Position, Move]

_KEPT = 200


@dataclass(slots=True)
class StonePlay(GamePlay[Position, Move]):
    """The game being set up, played, or looked at afterwards.

    Attributes:
        chosen: The position that was sent or typed.
        empty: Whether the next game begins from the empty board instead.
        white: Whether you play White in it.
        defence: Its defender.
        clock: Which of :data:`~endgame_tui.playing.CLOCKS`.
    """

    chosen: Position = field(default_factory=lambda: notation.parse_line(START))
    empty: bool = False
    white: bool = True
    defence: Defence = Defence.VARIED
    clock: int = 0
    _known: dict[Position, StoneFindings] = field(default_factory=dict[Position, StoneFindings])
    _walk: StoneWalk | None = None

    def __post_init__(self) -> None:
        self.defence = usual(self.explorer.game)

    @property
    def start(self) -> Position:
        """Where the next game begins."""
        return rules.START if self.empty else self.chosen

    @property
    def turn(self) -> Turn:
        """The position on the board; no moves before the game."""
        moves = () if self.match is None else self.explorer.game.moves(self.position)
        return Turn(self.position, tuple(moves))

    def facts_of(self, position: Position) -> StoneFindings:
        """What the tables say about a position."""
        if position not in self._known:
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[position] = StoneFindings(self.explorer, position, placed=False)
        return self._known[position]

    @property
    def facts(self) -> StoneFindings:
        """What the tables say about the position on the board."""
        return self.facts_of(self.position)

    @property
    def walk(self) -> StoneWalk:
        """A walk that begins at the position on the board, to look ahead from there."""
        if self._walk is None:
            self._walk = StoneWalk(self.explorer)
        self._walk.step.position = self.position
        return self._walk

    def line(self, most: int) -> list[Move]:
        """The best line from the position on the board; empty where no table knows."""
        try:
            return self.walk.line(min(most, MOST_LINE))
        except EndgameError:
            return []

    def forget(self) -> None:
        """Asks the tables anew."""
        self._known.clear()
        self._walk = None

    # Setting up

    def set_up(self, position: Position) -> None:
        """Takes a position for the next game; you play the side that wins, else the side to move."""
        self.match, self.empty = None, position == rules.START
        if not self.empty:
            self.chosen = position
        verdict = self.facts_of(position).verdict
        winner = verdict.winner if verdict else None
        self.white = (winner or self.explorer.game.mover(position)) == "white"

    def change(self, row: int, by: int) -> None:
        """Changes a row of the setup: the beginning, your side, the defence, the clock, the verdict."""
        if row == 0:
            self.empty = not self.empty
        elif row == 1:
            self.white = not self.white
        elif row == 2:
            self.defence = DEFENCES[(DEFENCES.index(self.defence) + by) % len(DEFENCES)]
        elif row == 3:
            self.clock = (self.clock + by) % len(CLOCKS)
        else:
            self.hidden = not self.hidden

    def typed(self, text: str) -> Position:
        """The position that was typed: a position, an ending, a layer of it (``3-4 S13``), or of this one.

        Raises:
            EndgameError: It is none of these, or not built.
        """
        walk = StoneWalk(self.explorer)
        walk.step.position = self.chosen
        if not text.strip():
            raise PositionError("nothing was typed", "type a position, 3-4, 3-4 S12 or S12")
        walk.typed(text.strip())
        return walk.position

    def random(self) -> Position:
        """A random position of the same layer; raises EndgameError."""
        walk = StoneWalk(self.explorer)
        walk.rng, walk.step.position = self.rng, self.start
        walk.randomly()
        return walk.position

    def begin(self, listener: Listener | None = None) -> StoneMatch:
        """Begins the game that was set up; raises PositionError when it would be over at once."""
        if self.explorer.game.terminal(self.start) is not None:
            raise PositionError("the game is over in this position", "choose another one")
        you = "white" if self.white else "black"
        match = Match(self.ruling, self.start, you, self.defence, CLOCKS[self.clock][1])
        match.listener = listener
        self.turn_to(match)
        return match

    def take(self, loaded: Loaded[Position, Move]) -> None:
        """Takes a game that was read from a file."""
        match = loaded.match
        self.set_up(match.start)
        self.white, self.defence = match.you == "white", match.defence
        self.turn_to(match, loaded.headers)

    def retry(self) -> None:
        """Sets up a game from the position that is looked at, your side as before."""
        assert self.match is not None
        position, you = self.retried, self.match.you
        self.set_up(position)
        self.white = you == "white"
