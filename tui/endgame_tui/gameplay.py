"""What playing is in any game: a match, where one looks at it afterwards, what is hidden. No Textual here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from time import perf_counter
from typing import Generic, TypeVar

from endgame_core.errors import EndgameError
from endgame_core.judge import Judge
from endgame_core.practice.defence import reply
from endgame_core.practice.goals import Goal
from endgame_core.practice.match import Claim, Hint, Listener, Match
from endgame_core.practice.played import Ply
from endgame_core.tables.explorer import Explorer
from endgame_core.tasks.game_file import Loaded
from endgame_tui.trail import Findings

P = TypeVar("P")
M = TypeVar("M")


@dataclass(slots=True)
class GamePlay(Generic[P, M]):
    """A game being set up, played, or looked at afterwards; the classes that extend it know what is set up, and how.

    Attributes:
        explorer: The tables.
        ruling: Grades the moves of a game.
        match: The game, None before the first.
        at: The ply looked at once the game is over; their number stands for the end.
        headers: Headers of a game that was read from a file.
        hidden: Whether the verdict is hidden while playing.
        replied: Milliseconds of the defender's last reply.
    """

    explorer: Explorer[P, M]
    ruling: Judge[P, M]
    match: Match[P, M] | None = None
    at: int = 0
    headers: Mapping[str, str] | None = None
    hidden: bool = True
    replied: float | None = None
    rng: Random = field(default_factory=Random)

    # What a game says

    @property
    def start(self) -> P:
        """Where the next game begins."""
        raise NotImplementedError

    @property
    def facts(self) -> Findings[P, M]:
        """What the tables say about the position on the board."""
        raise NotImplementedError

    def begin(self, listener: Listener | None = None) -> Match[P, M]:
        """Begins the game that was set up; raises PositionError when it would be over at once."""
        raise NotImplementedError

    def take(self, loaded: Loaded[P, M]) -> None:
        """Takes a game that was read from a file."""
        raise NotImplementedError

    def retry(self) -> None:
        """Sets up a game from the position that is looked at, your side as before."""
        raise NotImplementedError

    def change(self, row: int, by: int) -> None:
        """Changes a row of the setup."""
        raise NotImplementedError

    def random(self) -> P:
        """A random position of the layer that is set up; raises EndgameError."""
        raise NotImplementedError

    @property
    def goal(self) -> Goal | None:
        """What is to be reached where it is not what the start is worth by the tables."""
        return None

    def minded(self, move: M) -> M:
        """The defender's move, or another one that minds a rule the tables do not know of."""
        return move

    def otherwise(self, position: P) -> M | None:
        """A best move where the tables do not reach but something else knows; None where nothing does."""
        return None

    @property
    def guessed(self) -> bool:
        """Whether nothing knows the position on the board, so that all that is said of it is an estimate."""
        return self.facts.problem is not None and self.otherwise(self.position) is None

    @property
    def estimated(self) -> bool:
        """Whether what was shown comes from a search."""
        return self.match is not None and self.match.estimated

    def best_line(self) -> list[M]:
        """The best moves of both sides to the end; raises EndgameError where the tables do not reach."""
        assert self.match is not None
        line = self.match.judge.line(self.match.position, by=self.match.game.metric)
        if line.cut is not None:
            raise line.cut
        return line.moves

    def forget(self) -> None:
        """Asks the tables anew."""
        raise NotImplementedError

    def turn_to(self, match: Match[P, M], headers: Mapping[str, str] | None = None) -> None:
        """Another game is played, or looked at."""
        self.match, self.headers, self.replied, self.at = match, headers, None, len(match.plies)

    # Where it stands

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        if self.match is None:
            return "setup"
        return "play" if self.match.result is None else "review"

    @property
    def position(self) -> P:
        """The position on the board."""
        if self.match is None:
            return self.start
        ply = self.looked_at
        return self.match.position if ply is None else ply.before

    @property
    def looked_at(self) -> Ply[P, M] | None:
        """The move that is looked at after the game, None at its end."""
        if self.stage != "review" or self.match is None or self.at >= len(self.match.plies):
            return None
        return self.match.plies[self.at]

    @property
    def last(self) -> Ply[P, M] | None:
        """The move that led to the position on the board."""
        if self.match is None:
            return None
        number = min(self.at, len(self.match.plies)) if self.stage == "review" else len(self.match.plies)
        return self.match.plies[number - 1] if number else None

    @property
    def hint(self) -> Hint[M] | None:
        """The hint given for this move."""
        return None if self.match is None else self.match.given

    @property
    def claim(self) -> Claim[M] | None:
        """The draw you may claim."""
        match = self.match
        return match.claim() if match is not None and match.your_turn else None

    @property
    def retried(self) -> P:
        """Where another try begins: the position looked at, at the end that of your last move."""
        assert self.match is not None
        ply = self.looked_at
        if ply is None:
            ply = next((ply for ply in reversed(self.match.plies) if ply.mover == self.match.you), None)
        return self.match.start if ply is None else ply.before

    # What is done with it

    def reply(self) -> M:
        """The defender's move by what knows the position, timed; raises EndgameError where nothing does."""
        assert self.match is not None
        begun = perf_counter()
        try:
            move = self.minded(reply(self.explorer, self.match.position, self.match.defence, self.rng))
        except EndgameError:
            found = self.otherwise(self.match.position)
            if found is None:
                raise
            move = found
        self.replied = 1000 * (perf_counter() - begun)
        return move

    def best(self) -> M:
        """A best move by what knows the position; raises EndgameError where nothing does."""
        facts = self.facts
        if facts.problem is None:
            return facts.moves[0].move
        found = self.otherwise(self.position)
        if found is None:
            raise facts.problem
        return found

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
