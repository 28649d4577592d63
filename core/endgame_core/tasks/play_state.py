"""A game against a defender or a friend: the choices for it, its moves, and its review afterwards; in any game.

:class:`PlayState` is what is shown; :class:`~endgame_core.tasks.play_session.PlaySession` decides what happens next.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import PositionRecord
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.language import _
from endgame_core.metric import DTZ
from endgame_core.pgn import GameText, read, write
from endgame_core.practice.defence import Defence, suggestion, usual
from endgame_core.practice.goals import GameGoal
from endgame_core.practice.match import LOST, ChooseSteps, Claim, Hint, Match, Ply, piece_move
from endgame_core.practice.recorder import Recorder, RecordingOptions
from endgame_core.practice.studies import MY_GAMES, Study, StudyImport
from endgame_core.probe_result import ProbeResult
from endgame_core.tasks.game_record import match_of, record_of
from endgame_core.tasks.game_setup import TIMES, GameSetup
from endgame_core.tasks.review import ReviewSession
from endgame_core.tasks.saved_games import SavedGames, read_games_file
from endgame_core.tasks.walk import Walk
from endgame_core.untrusted import quoted
from endgame_core.values import HORIZON, Category, Winner, opposite_side

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext

M = TypeVar("M")
P = TypeVar("P")

MAX_LINE_PLIES: Final = 40
"""Longest best line that is looked up, in plies; more do not fit on any screen."""

PLACING: Final = "placing"
"""The name of a position that is in no ending because stones are still placed."""

_LAYER: Final = re.compile(r"\S+\s+[sS]?\d+(/\d+)?")
"""A layer of an ending: ``KRvK S12``."""

SETUP, PLAY, REVIEW = "setup", "play", "review"
"""The stages: choosing a game, playing it, reviewing it."""


class PlayState(Generic[P, M]):
    """A game that is set up, played, or reviewed.

    Args:
        lab: Provides tables, studies and the journal.
        game: Name of the game.
        rng: Source of random positions and of choices between equally good moves.

    Attributes:
        setup: The settings of the next game.
        match: The game that is played or reviewed; None while a game is set up.
        recorder: Stores the game in the journal; None for a game with a friend, for one from a file, and without a
            game.
        opening: The initial position of a whole game; None where only endings are played.
        hides_verdict: Whether the verdict is hidden until the game is over.
        saved_games: The files of games.
    """

    def __init__(self, lab: AppContext, game: str, rng: random.Random | None = None) -> None:
        self.lab = lab
        self.judge: Judge[P, M] = lab.judge(game)
        self.game = self.judge.game
        self.rng = rng or random.Random()
        example = self.game.parse(self.game.example_position)
        initial = self.game.initial_position
        self.opening = self.game.parse(initial) if initial else None
        if self.game.horizon is not None:
            defence = Defence.PERFECT
        else:
            defence = usual(self.game)
        self.setup: GameSetup[P] = GameSetup(example, self.game.mover(example), defence)
        self.match: Match[P, M] | None = None
        self.recorder: Recorder | None = None
        self.hides_verdict = True
        self.saved_games = SavedGames(lab)
        self._review: ReviewSession[P, M] | None = None
        self._source: GameText[P, M] | None = None
        """The game as it was read from a file; None if it was begun here."""
        self._probes: dict[str, tuple[P, int, ProbeResult[P, M]]] = {}
        """See :meth:`_probe_once`."""

    # What is shown

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        if self.match is None:
            return SETUP
        if self.match.result is None:
            return PLAY
        return REVIEW

    @property
    def start(self) -> P:
        """The start position of the next game."""
        if self.setup.opening and self.opening is not None:
            return self.opening
        return self.setup.position

    @property
    def position(self) -> P:
        """The position on the board."""
        if self.match is None:
            return self.start
        review = self.review
        if review is None:
            return self.match.position
        return review.position

    @property
    def probe(self) -> ProbeResult[P, M]:
        """Everything known about the position on the board."""
        return self._probe_once("board", self.position)

    @property
    def start_probe(self) -> ProbeResult[P, M]:
        """Everything known about the start position of the game, or of the next one."""
        if self.match is None:
            position = self.start
        else:
            position = self.match.start
        return self._probe_once("start", position)

    def _probe_once(self, name: str, position: P) -> ProbeResult[P, M]:
        """Probe a position once and hand the result to everything that shows it, until the tables change.

        A screen asks some thirty times for each move. The judge has the result in its cache, but would write the
        position as text each time to find it there; here the position is recognized as the same object.

        Args:
            name: What the position is needed for; the last result of each name is kept.
            position: The position.
        """
        last = self._probes.get(name)
        if last is not None and last[0] is position and last[1] == self.judge.changes:
            return last[2]
        changes = self.judge.changes
        result = self.judge.probe(position)
        self._probes[name] = position, changes, result
        return result

    @property
    def review(self) -> ReviewSession[P, M] | None:
        """The review of a finished game; None before its end."""
        if self._review is None and self.match is not None and self.match.result is not None:
            self._review = ReviewSession.of_match(self.judge, self.match)
        return self._review

    @property
    def running_match(self) -> Match[P, M]:
        """The game; there must be one."""
        assert self.match is not None
        return self.match

    @property
    def you(self) -> Winner:
        """The user's side."""
        if self.match is None:
            return self.setup.you
        return self.match.you

    @property
    def your_turn(self) -> bool:
        """Whether a game is being played and the user, or a friend at the same board, is to move."""
        return self.match is not None and self.match.your_turn

    @property
    def plies(self) -> Sequence[Ply[P, M]]:
        """The moves of the game so far."""
        if self.match is None:
            return ()
        return self.match.plies

    @property
    def is_unfinished(self) -> bool:
        """Whether a game with moves is being played, which would be lost."""
        return self.stage == PLAY and bool(self.plies)

    @property
    def reviewed_ply(self) -> Ply[P, M] | None:
        """The move that is reviewed; None at the end of the game and before."""
        if self.review is None:
            return None
        return self.review.item

    @property
    def last_move(self) -> M | None:
        """The move that led to the position on the board; None at the start."""
        if self.review is not None:
            return self.review.came_by
        if self.match is not None and self.match.plies:
            return self.match.plies[-1].move
        return None

    @property
    def hint(self) -> Hint[M] | None:
        """The hint that was given for the current move."""
        if self.match is None:
            return None
        return self.match.last_hint

    @property
    def claim(self) -> Claim[M] | None:
        """The draw that the user can claim."""
        if self.match is not None and self.match.your_turn:
            return self.match.claim()
        return None

    @property
    def shows_verdict(self) -> bool:
        """Whether the verdict may be shown now."""
        return self.stage == REVIEW or not self.hides_verdict

    @property
    def is_rated_by_dtz_only(self) -> bool:
        """Whether only DTZ rates the moves in the position on the board."""
        return self.probe.is_rated_by_dtz_only

    @property
    def is_estimated(self) -> bool:
        """Whether no table rates the moves in the position on the board, so that all that is shown is an estimate."""
        return self.probe.is_unrated

    def line(self, limit: int) -> tuple[list[str], bool]:
        """Return the best line from the position on the board, and whether it reaches the end of the game.

        It follows depth while the clock cannot matter, else moves that keep the result, else DTZ.

        Args:
            limit: Its greatest length in plies.

        Returns:
            The moves in SAN, none where no table knows them; and whether the line is complete.
        """
        probe = self.probe
        limit = min(limit, MAX_LINE_PLIES)
        depth = None
        if probe.verdict is not None:
            depth = probe.verdict.depth
        metric = self.game.metric
        if probe.clock is not None and probe.clock + (depth or 0) > HORIZON:
            metric = DEPTH_UNDER_RULE  # the 50-move counter may run out before the mate
        line = self.judge.line(self.position, limit, metric)
        if line.problem is not None and probe.clock is not None:
            line = self.judge.line(self.position, limit, DTZ)
        is_complete = depth is None or depth <= len(line.sans)
        return line.sans, is_complete

    # Setting up

    def set_up(self, position: P, side: Winner = "") -> None:
        """Give up the current game and set up a position for the next one.

        Args:
            position: The position.
            side: The user's side; by default the side that wins, else the side to move.
        """
        self.leave()
        if not side:
            side = self._winner_or_mover(position)
        self.setup = replace(self.setup, you=side, study=("", ""))
        if position == self.opening:
            # The other position stays, for when the user switches back to it.
            self.setup = replace(self.setup, opening=True)
        else:
            self.setup = replace(self.setup, opening=False, position=position)

    def _winner_or_mover(self, position: P) -> Winner:
        """The side that wins by DTM or, if that is unknown, by DTZ; otherwise the side to move."""
        probe = self.judge.probe(position)
        mover = self.game.mover(position)
        if probe.verdict is not None:
            return probe.verdict.winner or mover
        if probe.fifty is not None and probe.fifty.category in LOST:
            return opposite_side(mover)
        return mover

    def set_up_again(self) -> None:
        """Give up the current game and set up the same one."""
        is_opening = self.setup.opening
        self.set_up(self.setup.position)
        self.setup = replace(self.setup, opening=is_opening)

    @property
    def rows(self) -> tuple[str, ...]:
        """The settings of a new game, see :meth:`change`."""
        rows = ["you", "opponent", "defence", "time", "verdict"]
        if self.setup.with_friend:
            rows[rows.index("defence")] = "board"
        if self.opening is not None:
            rows.insert(0, "start")
        return tuple(rows)

    @property
    def bottom(self) -> Winner:
        """The side at the bottom of the board: the user's, or the side to move if the board turns with a friend."""
        match = self.match
        if match is None or not match.with_friend or not self.setup.turns_board or self.stage != PLAY:
            return self.you
        return match.mover

    def change(self, row: str, step: int) -> None:
        """Change a setting: the next value for a step of 1, the one before for -1."""
        if row == "verdict":
            self.hides_verdict = not self.hides_verdict
        else:
            self.setup = self.setup.changed(row, step)

    def set_up_text(self, text: str) -> None:
        """Set up a position, an ending, a layer of it (``KRvK S12``), a layer of this ending, or a study.

        Raises:
            EndgameError: The text is none of these, or the ending is not built.
        """
        text = text.strip()
        study = self._study_named(text)
        if study is not None:
            self.set_up(self.game.parse(study.position), study.side)
            self.setup = replace(self.setup, study=(study.name, study.note))
            return

        if self.game.spelling_of(text) == "position":
            self.set_up(self.game.parse_start(text))
            return

        # An ending, a layer, or both, one after the other: the layer is then one of that ending.
        walk = self.walk_from(self.setup.position)
        parts = [text]
        if _LAYER.fullmatch(text):
            parts = text.split()
        for part in parts:
            if not walk.go_to_text(part):
                # It may be a move, which belongs to a game that is being played.
                advice = {SETUP: _("begin the game before you move"), REVIEW: _("the game is over")}.get(self.stage, "")
                raise PositionError(
                    _("{part} is not a position, ending, layer or study").format(part=quoted(part)), advice
                )
        self.set_up(walk.position)

    def _study_named(self, text: str) -> Study | None:
        """The study with an id or a name, upper or lower case; None if there is none."""
        name = text.casefold()
        for study_set in self.lab.studies(self.game.name).sets():
            for study in study_set.studies:
                if name in (study.id, study.name.casefold()):
                    return study
        return None

    def set_up_random(self) -> None:
        """Set up a random position of the same layer; raises EndgameError."""
        walk = self.walk_from(self.start)
        walk.to_random()
        self.set_up(walk.position)

    def walk_from(self, position: P) -> Walk[P, M]:
        """Return a walk that begins at a position."""
        return Walk(self.lab, self.game.name, self.rng, start=position)

    # Beginning and leaving a game

    def begin(self) -> None:
        """Begin the game that is set up; raises PositionError if it would be over at once."""
        setup = self.setup
        start = self.start
        probe = self.judge.probe(start)
        if probe.is_over or self.game.terminal(start) is not None:
            raise PositionError(_("the game is over in this position"), _("choose a different one"))
        control = TIMES[setup.time][1]
        match = Match(self.judge, start, setup.you, setup.defence, control, with_friend=setup.with_friend)
        self._show_match(match)
        if not setup.with_friend:  # the journal is about one learner
            goal = _goal(probe, self.game.mover(start) == setup.you)
            self.recorder = Recorder(match, RecordingOptions(self.lab.journal), goal=goal)

    def _show_match(self, match: Match[P, M], source: GameText[P, M] | None = None) -> None:
        self.match = match
        self.recorder = None
        self._review = None
        self._source = source

    def leave(self) -> None:
        """Give up the current game, if any; an unfinished one then counts in no statistics."""
        if self.recorder is not None and self.stage == PLAY:
            self.recorder.leave()
        self.match = None
        self.recorder = None
        self._review = None

    def retry(self) -> None:
        """Begin a game at the reviewed position; at the end of the game, at the position of the user's last move.

        The user's side, the defender and the time are the same as before.

        Raises:
            PositionError: The game is over there.
        """
        assert self.review is not None
        ply = self.review.item
        if ply is None:  # at the end of the game
            own_plies = (ply for ply in reversed(self.review.items) if ply.own and not ply.is_shown)
            ply = next(own_plies, None)
        position = self.review.start
        if ply is not None:
            position = ply.before
        if self.game.terminal(position) is not None:
            raise PositionError(
                _("the game is already over at its start"), instruct(_("{press} {new} to begin a new game"))
            )
        self.set_up(position, self.you)
        self.begin()

    # Playing

    def parse_move(self, text: str) -> M:
        """Return the legal move that a text names; raises PositionError if there is none."""
        return self.game.parse_move(self.position, text)

    def make(self, move: M, seconds: float = 0.0) -> Ply[P, M]:
        """Make a legal move for the side to move; return it with its grade."""
        return self.running_match.play(move, seconds)

    def reply(self) -> Claim[M] | None:
        """Let the defender claim a draw, or else move by the tables.

        Returns:
            The draw that the defender has claimed; None if it has moved.

        Raises:
            EndgameError: No table knows the position.
        """
        claim = self.running_match.defender_claims()
        if claim is not None:
            self.running_match.claim_draw()
            return claim
        self.make(self.running_match.reply(self.rng))
        return None

    def best_move(self) -> M:
        """Return the move of the hint, else the best move that is easiest to follow; raises EndgameError for none."""
        if self.hint is not None:
            return self.hint.move
        probe = self.probe
        if probe.best is None or probe.is_unrated:
            raise probe.problem or EndgameError(_("the game is over here"), _("start a new one"))
        if self.stage == REVIEW:
            return probe.best.move
        return suggestion(self.judge, self.position, probe, self.rng)

    def take_back(self) -> None:
        """Take back the user's last move and the reply, or a friend's last move; raises PositionError."""
        self.running_match.take_back()

    def give_hint(self, best: M, choose_steps: ChooseSteps = piece_move) -> None:
        """Give the next step of a hint, see :meth:`Match.hint`."""
        self.running_match.hint(best, choose_steps)

    def claim_draw(self) -> Claim[M]:
        """Claim a draw; raises PositionError if there is none to claim."""
        return self.running_match.claim_draw()

    def offer_draw(self) -> bool:
        """Offer a draw; return whether the defender accepts."""
        return self.running_match.offer_draw()

    def tick(self, elapsed: float) -> bool:
        """End the game if the user's time is up after ``elapsed`` seconds of a move; return whether it was."""
        match = self.match
        if match is None or not match.your_turn:
            return False
        remaining = match.time_left(match.mover)
        if remaining is None or remaining > elapsed:
            return False
        match.flag()
        return True

    def best_line(self) -> list[M]:
        """Return the best moves of both sides by the tables and the 50-move rule, else by DTZ.

        Raises:
            EndgameError: No table knows the position.
        """
        if self.game.horizon is None:
            metric = self.game.metric
        else:
            metric = DEPTH_UNDER_RULE
        line = self.judge.line(self.position, metric=metric)
        if line.problem is None:
            return line.moves
        by_dtz = self.probe.by_dtz
        if not by_dtz:
            raise line.problem
        return self.judge.line(self.position, metric=DTZ).moves or [by_dtz[0].move]

    def show_solution(self, line: list[M], estimated: bool = False) -> None:
        """Give up, append a line to the moves played, and review its first move.

        Args:
            line: The moves of the line.
            estimated: Whether they are an estimate.
        """
        first = len(self.running_match.plies)
        self.running_match.show(line, estimated)
        assert self.review is not None
        self.review.go(first)

    def practise_errors(self) -> StudyImport:
        """Add the positions of the user's errors in the reviewed game to the set of their games.

        Errors are moves that changed the result; if there are none, all moves that were not the best. Those of a friend
        are left out.

        Raises:
            EndgameError: There is no error, or the set cannot be changed.
        """
        review = self.review
        slips: list[Ply[P, M]] = []
        if review is not None:
            slips = [review.items[number] for number in review.slips if review.items[number].mover == self.you]
        errors = [ply for ply in slips if ply.error]
        if not errors:
            errors = slips
        if not errors:
            raise EndgameError(_("you made no errors in this game"), _("there is nothing to practise"))
        records = [
            PositionRecord(
                position=self.game.format(ply.before),
                note=f"From a game of yours, in which you played {self.game.standard_san(ply.before, ply.move)}.",
                opcodes={"side": ply.mover},
            )
            for ply in errors
        ]
        return self.lab.studies(self.game.name).import_records(records, MY_GAMES)

    # Files

    def save(self, path: Path) -> Path:
        """Write the game to a new file; return its absolute path. Raises StorageError."""
        return self.saved_games.save(path, self.game_text())

    def game_text(self) -> str:
        """Return the game as it is saved: PGN, or the text of Nine Men's Morris. There must be a game."""
        return write(record_of(self.running_match, self._source), self.game)

    def open(self, source: Path | GameText[P, M], you: Winner | None = None) -> str:
        """Continue or review a game, in place of the current one.

        Args:
            source: The game, or a file of which the first game is opened.
            you: The user's side; by default as the game says.

        Returns:
            A sentence that says why the rest of the game was left out; empty if all of it was replayed.

        Raises:
            EndgameError: The game cannot be read; the current one stays.
        """
        if isinstance(source, Path):
            source = read(read_games_file(self.saved_games.find(source)), self.game)
        match, problem = match_of(source, self.judge, you)
        self.set_up(match.start, match.you)
        self.setup = replace(self.setup, defence=match.defence, with_friend=match.with_friend)
        self._show_match(match, source)
        if source.problem and not problem:
            problem = _("the rest of the game is left out: {problem}.").format(problem=source.problem)
        return problem


def _goal(probe: ProbeResult[P, M], is_your_turn: bool) -> GameGoal | None:
    """Return the goal of a game where the 50-move rule makes a win or a loss a draw, or only DTZ knows; else None.

    Args:
        probe: The start position.
        is_your_turn: Whether the user is to move.
    """
    category = probe.category
    if category is None:
        return None
    if category in (Category.CURSED_WIN, Category.BLESSED_LOSS):
        return GameGoal.DRAW
    if probe.verdict is not None:
        return None
    if not is_your_turn:
        category = category.negated
    goals = {Category.WIN: GameGoal.WIN, Category.DRAW: GameGoal.DRAW}
    return goals.get(category, GameGoal.ANY)
