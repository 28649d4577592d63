"""A game of Nine Men's Morris on the Play screen: how it is set up, how it stands. No Textual here."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from time import perf_counter

from endgame_core.errors import EndgameError, PositionError
from endgame_core.morris.rules import START, Move, Position
from endgame_core.practice.defence import Defence, reply, usual
from endgame_core.practice.match import Hint, Listener, Match
from endgame_core.practice.played import Ply
from endgame_core.tables.explorer import RatedMove
from endgame_tui.morris_walk import MorrisExplorer, StoneWalk

StoneMatch = Match[Position, Move]
StonePly = Ply[Position, Move]

DEFENCES = tuple(Defence)


@dataclass(slots=True)
class StonePlay:
    """The game being set up, played, or looked at afterwards.

    Attributes:
        explorer: The tables.
        chosen: The position that was sent or typed.
        empty: Whether the next game begins from the empty board instead.
        white: Whether you play White in it.
        defence: Its defender.
        match: The game, None before the first.
        at: The ply looked at once the game is over; their number stands for the end.
        hidden: Whether the verdict is hidden while playing.
        replied: Milliseconds of the defender's last reply.
    """

    explorer: MorrisExplorer
    chosen: Position
    empty: bool = False
    white: bool = True
    defence: Defence = Defence.VARIED
    match: StoneMatch | None = None
    at: int = 0
    hidden: bool = True
    replied: float | None = None
    rng: random.Random = field(default_factory=random.Random)
    _rated: tuple[Position, list[RatedMove[Position, Move]]] | None = None

    def __post_init__(self) -> None:
        self.defence = usual(self.explorer.game)

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        if self.match is None:
            return "setup"
        return "play" if self.match.result is None else "review"

    @property
    def start(self) -> Position:
        """Where the next game begins."""
        return START if self.empty else self.chosen

    @property
    def position(self) -> Position:
        """The position on the board."""
        if self.match is None:
            return self.start
        ply = self.looked_at
        return self.match.position if ply is None else ply.before

    @property
    def looked_at(self) -> StonePly | None:
        """The move that is looked at after the game, None at its end."""
        if self.stage != "review" or self.match is None or self.at >= len(self.match.plies):
            return None
        return self.match.plies[self.at]

    @property
    def last(self) -> StonePly | None:
        """The move that led to the position on the board."""
        if self.match is None:
            return None
        number = min(self.at, len(self.match.plies)) if self.stage == "review" else len(self.match.plies)
        return self.match.plies[number - 1] if number else None

    @property
    def hint(self) -> Hint[Move] | None:
        """The hint given for this move."""
        return None if self.match is None else self.match.given

    @property
    def rated(self) -> list[RatedMove[Position, Move]]:
        """The moves of the position on the board, best first; empty where no table knows or the game is over."""
        position = self.position
        if self._rated is None or self._rated[0] != position:
            try:
                moves = list(self.explorer.moves(position))
            except EndgameError:
                moves = []
            self._rated = (position, moves)
        return self._rated[1]

    def forget(self) -> None:
        """Asks the tables anew."""
        self._rated = None

    def set_up(self, position: Position) -> None:
        """Takes a position for the next game; you play the side that wins, else the side to move."""
        self.chosen, self.empty, self.match = position, False, None
        try:
            winner = self.explorer.probe(position).winner
        except EndgameError:
            winner = None
        self.white = (winner or self.explorer.game.mover(position)) == "white"

    def change(self, row: int, by: int) -> None:
        """Changes a row of the setup: the beginning, your side, the defence, the verdict."""
        if row == 0:
            self.empty = not self.empty
        elif row == 1:
            self.white = not self.white
        elif row == 2:
            self.defence = DEFENCES[(DEFENCES.index(self.defence) + by) % len(DEFENCES)]
        else:
            self.hidden = not self.hidden

    def typed(self, text: str) -> Position:
        """The position that was typed: a position, an ending, a layer of it; raises EndgameError."""
        walk = StoneWalk(self.explorer)
        walk.step.position = self.chosen
        if not text.strip():
            raise PositionError("nothing was typed", "type a position, 3-4 or S12")
        walk.typed(text)
        return walk.position

    def begin(self, listener: Listener | None = None) -> StoneMatch:
        """Begins the game that was set up; raises PositionError when it would be over at once."""
        if self.explorer.game.terminal(self.start) is not None:
            raise PositionError("the game is over in this position", "choose another one")
        you = "white" if self.white else "black"
        self.match = Match(self.explorer, self.start, you, self.defence, listener=listener)
        self.replied, self.at = None, 0
        return self.match

    def retry(self) -> None:
        """Sets up a game from the position that is looked at, your side as before."""
        assert self.match is not None
        ply = self.looked_at
        self.white = self.match.you == "white"
        self.chosen, self.empty = self.match.start if ply is None else ply.before, False

    def reply(self) -> Move:
        """The defender's move by the tables, timed; raises EndgameError where they do not reach."""
        assert self.match is not None
        begun = perf_counter()
        move = reply(self.explorer, self.match.position, self.match.defence, self.rng)
        self.replied = 1000 * (perf_counter() - begun)
        return move

    def step(self, plies: int) -> None:
        """Steps through the game."""
        if self.match is not None:
            self.at = min(max(self.at + plies, 0), len(self.match.plies))

    def next_error(self) -> bool:
        """Goes to your next move that was not the best, round and round; False when there is none."""
        slips = self.match.slips() if self.match is not None else []
        if slips:
            self.at = next((number for number in slips if number > self.at), slips[0])
        return bool(slips)
