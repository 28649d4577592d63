"""A game on the Play screen: how it is set up, how it stands, where one looks at it. No Textual here."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

import chess

from endgame_core.chess import notation
from endgame_core.chess.game import ChessGame
from endgame_core.errors import EndgameError, PositionError
from endgame_core.practice.defence import Defence
from endgame_core.practice.goals import Goal
from endgame_core.practice.match import Control, Listener, Match
from endgame_core.practice.played import Ply
from endgame_core.tasks.game_file import Loaded
from endgame_core.tracked import Draw
from endgame_core.values import Category, Verdict
from endgame_tui.gameplay import GamePlay
from endgame_tui.judging import Judge
from endgame_tui.prospects import Prospect
from endgame_tui.walk import MOST_CLOCK, START, ChessExplorer, Facts, Walk

ChessMatch = Match[chess.Board, chess.Move]
ChessPly = Ply[chess.Board, chess.Move]

CLOCKS: Final[tuple[tuple[str, Control | None], ...]] = (
    ("off", None), ("1 min", Control(60)), ("3 min", Control(180)), ("5 min", Control(300)),
    ("10 min", Control(600)), ("5 min + 5 s", Control(300, 5)),
)  # fmt: skip
"""The clocks one can choose."""

DEFENCES: Final = tuple(Defence)

CLAIMED = (Draw.THREEFOLD, Draw.FIFTY, Draw.FIVEFOLD)
"""Draws that leave the board as it was; all but the last are claimed by the side to move."""

LOST = (Category.LOSS, Category.MAYBE_LOSS, Category.BLESSED_LOSS)
"""Categories in which the side not to move is the one that can mate."""

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
class Play(GamePlay[chess.Board, chess.Move]):
    """The game being set up, played, or looked at afterwards.

    Attributes:
        judge: Minds the 50-move rule.
        setup: The next game.
        about: Name and note of the study that the next game begins from; empty for another position.
    """

    judge: Judge = field(kw_only=True)
    setup: Setup = field(default_factory=lambda: Setup(chess.Board(START)))
    about: tuple[str, str] = ("", "")
    _known: dict[str, Facts] = field(default_factory=dict[str, Facts])
    _walk: Walk | None = None

    @property
    def game(self) -> ChessGame:
        """The rules."""
        game = self.explorer.game
        assert isinstance(game, ChessGame)
        return game

    @property
    def start(self) -> chess.Board:
        """Where the next game begins."""
        return self.setup.position

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
    def over(self) -> bool:
        """Whether the game that is set up would be over at once."""
        position = self.setup.position
        return self.game.terminal(position) is not None or position.is_seventyfive_moves()

    @property
    def prospect(self) -> Prospect | None:
        """What your side could expect of the game, or can of the one set up; None where no table knows."""
        match, setup = self.match, self.setup
        position, white = (setup.position, setup.white) if match is None else (match.start, match.you == "white")
        verdict = self.facts_of(position).verdict if match is None else match.start_verdict
        return self._prospect(position, verdict, position.turn == white)

    @property
    def claimed(self) -> Prospect | None:
        """What you could expect where a draw was claimed, or came by repetition; None elsewhere and if none knows."""
        match = self.match
        if match is None or match.result is None or match.result.reason not in CLAIMED:
            return None
        return self._prospect(match.position, match.verdict, match.mover == match.you)

    def _prospect(self, position: chess.Board, verdict: Verdict | None, yours: bool) -> Prospect | None:
        return Prospect.of(verdict, self.judge.category(position), position.halfmove_clock, yours)

    @property
    def goal(self) -> Goal | None:
        """What is to be reached where the 50-move rule makes a win or a loss a draw, or DTZ alone knows."""
        position, white = self.setup.position, self.setup.white
        category = self.judge.category(position)
        if category in (Category.CURSED_WIN, Category.BLESSED_LOSS):
            return Goal.DRAW
        if category is None or self.facts_of(position).verdict is not None:
            return None
        yours = category if position.turn == white else category.turned
        return {Category.WIN: Goal.WIN, Category.DRAW: Goal.DRAW}.get(yours, Goal.ANY)

    def forget(self) -> None:
        """Asks the tables anew."""
        self._known.clear()
        self._walk = None

    def line(self, most: int) -> list[chess.Move]:
        """The best line, by DTM while the clock cannot matter; else by DTZ; empty where nothing knows."""
        verdict, clock, most = self.facts.verdict, self.position.halfmove_clock, min(most, MOST_LINE)
        try:
            if verdict is not None and clock + (verdict.depth or 0) > MOST_CLOCK:
                return self.judge.line(self.position, most)
            if self._walk is None:
                self._walk = Walk(self.explorer)
            self._walk.step.position = self.position
            return self._walk.line(most)
        except EndgameError:
            return self.judge.line_by_dtz(self.position, most)

    # Setting up

    def set_up(self, position: chess.Board, side: str = "") -> None:
        """Takes a position for the next game; you play ``side``, or the side that wins, else the side to move."""
        white = (side or your_side(position, self.explorer)) == "white"
        self.setup = replace(self.setup, position=position, white=white)
        self.match, self.about = None, ("", "")
        if not side and self.facts.verdict is None and self.judge.category(position) in LOST:
            self.setup = replace(self.setup, white=not white)

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
        if self.over:
            raise PositionError("the game is over in this position", "choose another one")
        match = ChessMatch(self.ruling, setup.position, setup.side, setup.defence, CLOCKS[setup.clock][1])
        match.listener = listener
        self.turn_to(match)
        return match

    def take(self, loaded: Loaded[chess.Board, chess.Move]) -> None:
        """Takes a game that was read from a file."""
        match = loaded.match
        self.turn_to(match, loaded.headers)
        self.setup = replace(self.setup, position=match.start, white=match.you == "white", defence=match.defence)

    def retry(self) -> None:
        """Sets up a game from the position that is looked at, your side as before, against perfect defence."""
        assert self.match is not None
        self.setup = replace(
            self.setup, position=self.retried, white=self.match.you == "white", defence=Defence.PERFECT
        )

    # Playing

    def minded(self, move: chess.Move) -> chess.Move:
        """The defender's move; only a human one does not mind the 50-move rule."""
        assert self.match is not None
        human = self.match.defence is Defence.HUMAN
        return move if human else self.judge.minding(self.match.position, move)

    def best_line(self) -> list[chess.Move]:
        """The best moves of both sides by the tables and the 50-move rule, else by DTZ; raises EndgameError."""
        assert self.match is not None
        try:
            return self.judge.line(self.match.position)
        except EndgameError:
            best = self.otherwise(self.match.position)
            if best is None:
                raise
            return self.judge.line_by_dtz(self.match.position) or [best]

    @property
    def told_by_dtz(self) -> bool:
        """Whether DTZ alone tells what the moves of the position on the board are worth."""
        return self.facts.problem is not None and self.otherwise(self.position) is not None

    def otherwise(self, position: chess.Board) -> chess.Move | None:
        """The best move by DTZ, None where that is not known either."""
        known = self.judge.known(position)
        return known.moves[0].move if known.verdict is not None and known.moves else None

    def play_typed(self, text: str) -> chess.Move:
        """The legal move that was typed; raises PositionError saying why there is none."""
        assert self.match is not None
        if not text:
            raise PositionError("nothing was typed", "type a move such as Kd5, e8=Q or e7e8q")
        return self.game.parse_move(self.match.position, text)

    def promotions(self, text: str) -> list[chess.Move]:
        """The promotions that a typed move may mean when it does not say to what."""
        return notation.promotions(self.position, text)


def your_side(position: chess.Board, explorer: ChessExplorer) -> str:
    """The side one wants to play: the winner's where the tables know one, else the side to move."""
    try:
        winner = explorer.probe(position).winner
    except EndgameError:
        winner = None
    return winner or explorer.game.mover(position)
