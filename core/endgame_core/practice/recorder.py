"""Stores drills and games as attempts in the journal."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.practice.goals import GameGoal, Standing, judge_goal, reachable_goal
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import UNKNOWN, Match, Ply
from endgame_core.practice.records import PLAY, Attempt, Made, Outcome
from endgame_core.practice.theme import Theme


@dataclass(frozen=True, slots=True)
class RecordingOptions:
    """How a drill or a game is stored in the journal.

    Attributes:
        journal: The journal.
        schedules: Whether the end of the drill reschedules its theme.
        run: A common name of the attempts of one session, see :func:`new_run`.
        mode: The mode to store instead of the theme's own (items of a streak); empty to store the theme's own.
    """

    journal: Journal
    schedules: bool = False
    run: str = ""
    mode: str = ""


def new_run() -> str:
    """Return a new unique name for the attempts of one session."""
    return uuid4().hex


def begin_attempt(
    options: RecordingOptions, game: Game[Any, Any], start: Any, learner: str, theme: Theme | None = None, **facts: Any
) -> str:
    """Begin an attempt in the journal.

    Args:
        options: The journal, and how to store the attempt.
        game: The rules.
        start: The start position.
        learner: The learner's side.
        theme: The theme of a drill; None for a game.
        **facts: More fields of the :class:`Attempt`.

    Returns:
        The UUID of the attempt.
    """
    ending = "" if theme is None else theme.ending
    if not ending:
        with suppress(EndgameError):  # a start with too many pieces belongs to no ending
            ending = game.ending_of(start)

    if theme is None:
        key = ending or game.storage_tag or "other"
        label = "game"
        mode = options.mode or PLAY
    else:
        key = theme.key
        label = theme.label
        mode = options.mode or theme.mode

    attempt = Attempt(
        theme=key,
        label=label,
        ending=ending,
        start=game.format(start),
        colour=learner,
        game=game.name,
        mode=mode,
        run=options.run,
        **facts,
    )
    return options.journal.begin(attempt)


class Recorder:
    """Stores a match as an attempt in the journal.

    The match reports its moves, takebacks and hints; a drill, or the game itself, concludes or abandons the attempt.
    Moves of a retry are added to the finished attempt: they change its figures, not its outcome.

    The attempt begins with the first move or hint, so that a game that was only looked at leaves no trace. The attempt
    of a game finishes with the match; that of a drill when its goal is decided (see :meth:`conclude`).

    Args:
        match: The match to store. The recorder registers itself there.
        options: The journal, and how to store the attempt.
        theme: The theme of a drill; None for a game.
        goal: The goal; by default the result that the learner can reach from the start.
    """

    def __init__(
        self,
        match: Match[Any, Any],
        options: RecordingOptions,
        theme: Theme | None = None,
        goal: GameGoal | None = None,
    ) -> None:
        self.match = match
        self.options = options
        self.theme = theme
        verdict = match.start_verdict
        if goal is None:
            goal = reachable_goal(verdict, match.game.mover(match.start), match.you)
        self.goal = goal
        self.uuid = ""
        """The UUID of the attempt in the journal; empty until it begins."""
        self.outcome: Outcome | None = None
        """The outcome; None until the attempt is finished."""
        self._perfect = None if verdict is None else verdict.depth
        match.recorder = self

    def begin(self) -> None:
        """Begin the attempt in the journal, unless it has already begun."""
        if self.uuid:
            return
        match = self.match
        self.uuid = begin_attempt(
            self.options,
            match.game,
            match.start,
            match.you,
            self.theme,
            defence=match.defence,
            goal=self.goal,
            perfect=self._perfect,
        )

    def resume(self, attempt: str) -> None:
        """Add the next moves to an attempt that the journal already has."""
        self.uuid = attempt

    def record_move(self, ply: Ply[Any, Any]) -> None:
        """Store a move of either side."""
        self.begin()
        grade = ply.grade
        move = Made(
            ply=ply.number,
            uci=self.match.game.uci(ply.move),
            san=self.match.game.standard_san(ply.before, ply.move),
            own=ply.own,
            grade="" if grade is None else grade.kind,
            plies=0 if grade is None else grade.plies,
            error=ply.error,
            layer=None if ply.depth == UNKNOWN else ply.depth,
            seconds=ply.seconds,
        )
        self.options.journal.move(self.uuid, move)

    def record_takeback(self) -> None:
        """Store a takeback; the plies that the moves lost still count."""
        if self.uuid:
            self.options.journal.take_back(self.uuid, len(self.match.plies) + 1)

    def record_hint(self) -> None:
        """Store a hint step."""
        self.begin()
        self.options.journal.hint(self.uuid)

    def record_result(self) -> None:
        """Finish the attempt of a game whose match has ended; the attempt of a drill ends with :meth:`conclude`."""
        if self.theme is None:
            self.conclude(judge_goal(self.goal, self.match))

    def conclude(self, standing: Standing) -> Outcome:
        """Finish the attempt as solved if its goal was reached, else as failed; return the outcome."""
        if standing.reached:
            outcome = Outcome.SOLVED
        else:
            outcome = Outcome.FAILED
        return self._store_outcome(outcome, standing.why)

    def leave(self) -> None:
        """Finish the attempt as left, which excludes it from the statistics, unless it is already finished."""
        if self.outcome is None:
            self._store_outcome(Outcome.LEFT)

    def _store_outcome(self, outcome: Outcome, why: str = "") -> Outcome:
        self.outcome = outcome
        if self.uuid:
            self.options.journal.finish(self.uuid, outcome, why)
        return outcome
