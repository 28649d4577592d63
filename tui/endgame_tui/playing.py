"""A game on the Play screen: how it is set up, how it stands, where one looks at it. No Textual here."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Final

import chess

from endgame_core.chess import notation
from endgame_core.chess.game import ChessGame
from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import Category
from endgame_core.practice.defence import Defence, reply
from endgame_core.practice.judgement import Goal
from endgame_core.practice.match import Claim, Control, Hint, Listener
from endgame_tui.game_file import ChessMatch, ChessPly, Loaded, your_side
from endgame_tui.judging import Judge
from endgame_tui.prospects import Prospect
from endgame_tui.walk import MOST_CLOCK, START, ChessExplorer, Facts, Walk

CLOCKS: Final[tuple[tuple[str, Control | None], ...]] = (
    ("off", None), ("1 min", Control(60)), ("3 min", Control(180)), ("5 min", Control(300)),
    ("10 min", Control(600)), ("5 min + 5 s", Control(300, 5)),
)  # fmt: skip
"""The clocks one can choose."""

DEFENCES: Final = tuple(Defence)

MOST_LINE = 40
"""Plies of the best line that are looked up at most; more do not fit on any screen."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a new game is to be.

    Attributes:
        position: Where it begins.
        white: Whether you play White.
        defence: The defender.
        clock: Which of :data:`CLOCKS`.
    """

    position: chess.Board
    white: bool = True
    defence: Defence = Defence.PERFECT
    clock: int = 0

    @property
    def side(self) -> str:
        """Your side."""
        return "white" if self.white else "black"


@dataclass(slots=True)
class Play:
    """The game being set up, played, or looked at afterwards.

    Attributes:
        explorer: The tables.
        judge: Minds the 50-move rule.
        setup: The next game.
        match: The game, None before the first.
        at: The ply looked at once the game is over; their number stands for the end.
        headers: Headers of a game that was read from a file.
        hidden: Whether the verdict is hidden while playing.
        replied: Milliseconds of the defender's last reply.
        about: Name and note of the study that the next game begins from; empty for another position.
    """

    explorer: ChessExplorer
    judge: Judge
    setup: Setup = field(default_factory=lambda: Setup(chess.Board(START)))
    match: ChessMatch | None = None
    at: int = 0
    headers: Mapping[str, str] | None = None
    hidden: bool = True
    replied: float | None = None
    about: tuple[str, str] = ("", "")
    rng: random.Random = field(default_factory=random.Random)
    _known: dict[str, Facts] = field(default_factory=dict[str, Facts])
    _walk: Walk | None = None

    @property
    def game(self) -> ChessGame:
        """The rules."""
        game = self.explorer.game
        assert isinstance(game, ChessGame)
        return game

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        if self.match is None:
            return "setup"
        return "play" if self.match.result is None else "review"

    @property
    def position(self) -> chess.Board:
        """The position on the board."""
        if self.match is None:
            return self.setup.position
        if self.match.result is None or self.at >= len(self.match.plies):
            return self.match.position
        return self.match.plies[self.at].before

    @property
    def looked_at(self) -> ChessPly | None:
        """The move that is looked at after the game, None at its end."""
        if self.stage != "review" or self.match is None or self.at >= len(self.match.plies):
            return None
        return self.match.plies[self.at]

    @property
    def last(self) -> ChessPly | None:
        """The move that led to the position on the board."""
        if self.match is None:
            return None
        number = min(self.at, len(self.match.plies)) if self.stage == "review" else len(self.match.plies)
        return self.match.plies[number - 1] if number else None

    def facts_of(self, position: chess.Board) -> Facts:
        """What the tables say about a position."""
        key = position.fen()
        if key not in self._known:
            if len(self._known) > 200:
                self._known.clear()
            facts = Facts(self.explorer, position, placed=False)
            facts.moves = self.judge.rated(position, facts.moves)
            self._known[key] = facts
        return self._known[key]

    @property
    def facts(self) -> Facts:
        """What the tables say about the position on the board."""
        return self.facts_of(self.position)

    @property
    def prospect(self) -> Prospect | None:
        """What your side could expect of the game, or can of the one set up; None where no table by DTM knows."""
        match, setup = self.match, self.setup
        position, white = (setup.position, setup.white) if match is None else (match.start, match.you == "white")
        verdict = self.facts_of(position).verdict if match is None else match.start_verdict
        if verdict is None:
            return None
        yours, clock = position.turn == white, position.halfmove_clock
        return Prospect.of(verdict, self.judge.category(position), clock, yours)

    @property
    def goal(self) -> Goal | None:
        """What is to be reached where the 50-move rule makes a win or a loss a draw; else what the start is worth."""
        category = self.judge.category(self.setup.position)
        return Goal.DRAW if category in (Category.CURSED_WIN, Category.BLESSED_LOSS) else None

    def forget(self) -> None:
        """Asks the tables anew."""
        self._known.clear()
        self._walk = None

    def line(self, most: int) -> list[chess.Move]:
        """The best line, by DTM while the clock cannot matter; empty where no table knows."""
        verdict, clock, most = self.facts.verdict, self.position.halfmove_clock, min(most, MOST_LINE)
        try:
            if verdict is not None and clock + (verdict.depth or 0) > MOST_CLOCK:
                return self.judge.line(self.position, most)
            if self._walk is None:
                self._walk = Walk(self.explorer)
            self._walk.step.position = self.position
            return self._walk.line(most)
        except EndgameError:
            return []

    # Setting up

    def set_up(self, position: chess.Board, side: str = "") -> None:
        """Takes a position for the next game; you play ``side``, or the side that wins, else the side to move."""
        white = (side or your_side(position, self.explorer)) == "white"
        self.setup = replace(self.setup, position=position, white=white)
        self.match, self.about = None, ("", "")

    def change(self, row: int, by: int) -> None:
        """Changes a row of the setup: your side, the defence, the clock, the verdict."""
        setup = self.setup
        if row == 0:
            self.setup = replace(setup, white=not setup.white)
        elif row == 1:
            at = (DEFENCES.index(setup.defence) + by) % len(DEFENCES)
            self.setup = replace(setup, defence=DEFENCES[at])
        elif row == 2:
            self.setup = replace(setup, clock=(setup.clock + by) % len(CLOCKS))
        else:
            self.hidden = not self.hidden

    def typed(self, text: str) -> chess.Board:
        """The position that was typed: a FEN, an ending, a layer of it (``KRvK S12``), or of this one (``S12/3``).

        Raises:
            EndgameError: It is none of these, or not built.
        """
        walk = Walk(self.explorer)
        walk.step.position = self.setup.position
        for part in text.split() if re.fullmatch(r"\S+\s+[sS]?\d+(/\d+)?", text) else [text]:
            if not part:
                raise PositionError("nothing was typed", "type a FEN, KRvK, KRvK S12 or S12")
            walk.typed(part)
        return walk.position

    def random(self) -> chess.Board:
        """A random position of the same layer; raises EndgameError."""
        walk = Walk(self.explorer, rng=self.rng)
        walk.step.position = self.setup.position
        walk.randomly()
        return walk.position

    def begin(self, listener: Listener | None = None) -> ChessMatch:
        """Begins the game that was set up; raises PositionError when it would be over at once."""
        setup = self.setup
        if self.game.terminal(setup.position) is not None:
            raise PositionError("the game is over in this position", "choose another one")
        self.match = ChessMatch(
            self.explorer, setup.position, setup.side, setup.defence, CLOCKS[setup.clock][1], listener,
            overrule=self.judge.grade,
        )  # fmt: skip
        self.headers, self.replied, self.at = None, None, 0
        return self.match

    def take(self, loaded: Loaded[chess.Board, chess.Move]) -> None:
        """Takes a game that was read from a file."""
        match = loaded.match
        self.match, self.headers, self.replied, self.at = match, loaded.headers, None, len(match.plies)
        self.setup = replace(self.setup, position=match.start, white=match.you == "white", defence=match.defence)

    def retry(self) -> None:
        """Sets up a game from the position that is looked at, your side as before, against perfect defence."""
        assert self.match is not None
        ply = self.looked_at
        if ply is None and self.match.plies:
            ply = next((ply for ply in reversed(self.match.plies) if ply.mover == self.match.you), None)
        position = self.match.start if ply is None else ply.before
        self.setup = replace(self.setup, position=position, white=self.match.you == "white", defence=Defence.PERFECT)

    # Playing

    def reply(self) -> chess.Move:
        """The defender's move by the tables, timed; only a human one does not mind the 50-move rule.

        Raises:
            EndgameError: The tables do not reach.
        """
        assert self.match is not None
        begun, position, defence = perf_counter(), self.match.position, self.match.defence
        move = reply(self.explorer, position, defence, self.rng)
        if defence is not Defence.HUMAN:
            move = self.judge.minding(position, move)
        self.replied = 1000 * (perf_counter() - begun)
        return move

    def best(self) -> chess.Move:
        """A best move by the tables and the 50-move rule; raises EndgameError where they do not reach."""
        facts = self.facts
        if facts.problem is not None:
            raise facts.problem
        return facts.moves[0].move

    def play_typed(self, text: str) -> chess.Move:
        """The legal move that was typed; raises PositionError saying why there is none."""
        assert self.match is not None
        if not text:
            raise PositionError("nothing was typed", "type a move such as Kd5, e8=Q or e7e8q")
        return self.game.parse_move(self.match.position, text)

    def promotions(self, text: str) -> list[chess.Move]:
        """The promotions that a typed move may mean when it does not say to what."""
        return notation.promotions(self.position, text)

    @property
    def hint(self) -> Hint[chess.Move] | None:
        """The hint given for this move."""
        return self.match.given if self.match is not None else None

    @property
    def claim(self) -> Claim[chess.Move] | None:
        """The draw you may claim."""
        match = self.match
        return match.claim() if match is not None and match.your_turn else None

    # Looking at it afterwards

    def step(self, plies: int) -> None:
        """Steps through the game."""
        if self.match is not None:
            self.at = min(max(self.at + plies, 0), len(self.match.plies))

    def next_error(self) -> bool:
        """Goes to your next move that was not the best, round and round; False when there is none."""
        slips = self.match.slips() if self.match is not None else []
        if not slips:
            return False
        self.at = next((number for number in slips if number > self.at), slips[0])
        return True
