"""Writes a played game into the journal as it happens, and adds up what cannot be undone by taking back."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.practice.goals import Goal, Standing, allowed, goal_of, standing
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Hint, Match, Ply, Result
from endgame_core.practice.records import PLAY, Attempt, Made, Outcome
from endgame_core.practice.theme import Theme


def unnamed(game: Game[Any, Any]) -> str:
    """The theme of games from positions that belong to no ending."""
    return "other" if game.name == "chess" else game.name


class Recorder:
    """Keeps an attempt: a :class:`Match`, as its listener, or the answer to a question.

    The attempt is begun with the first move or hint, so that a game that was only looked at leaves no trace. A game is
    finished when the match ends, by the rule for drills: solved when the goal was reached as well as could be. What
    ends a drill, its theme knows.

    Args:
        journal: Where to write; None adds up only.
        theme: What is drilled; None for a game.
        goal: What is to be reached; by default what the start is worth.
        run: Joins attempts made in a row.
        mode: The mode it is kept under; by default that of the theme.
    """

    def __init__(
        self,
        journal: Journal | None,
        theme: Theme | None = None,
        goal: Goal | None = None,
        run: str = "",
        mode: str = "",
    ) -> None:
        self.journal = journal
        self.theme = theme
        self.goal = goal
        self.run = run
        self.mode = mode or (PLAY if theme is None else theme.mode)
        self.uuid = ""
        """The attempt in the journal; empty before it was begun."""
        self.finished_as: Outcome | None = None
        self.plies_lost = 0
        self.errors = 0
        self.hints = 0
        self.takebacks = 0
        self.moves = 0
        self.seconds = 0.0
        """Thought by the person about ``moves`` moves."""

    def begin(self, match: Match[Any, Any]) -> None:
        """Begins the attempt now, if it has not been."""
        verdict = match.start_verdict
        perfect = None if verdict is None else verdict.depth
        self.begin_at(match.game, match.start, match.you, match.defence, goal=self._goal(match), perfect=perfect)

    def begin_at(self, game: Game[Any, Any], start: Any, learner: str, defence: str = "", **facts: Any) -> None:
        """Begins an attempt at a position, unless one has been; ``facts`` are further fields of the attempt."""
        if self.uuid or self.journal is None:
            return
        theme, ending = self.theme, "" if self.theme is None else self.theme.ending
        with suppress(EndgameError):
            ending = ending or game.ending_of(start)
        key, label = (ending or unnamed(game), "game") if theme is None else (theme.key, theme.label)
        self.uuid = self.journal.begin(
            Attempt(
                theme=key, label=label, ending=ending, mode=self.mode, start=game.format(start), colour=learner,
                defence=defence, run=self.run, game=game.name, **facts,
            )
        )  # fmt: skip

    def moved(self, match: Match[Any, Any], ply: Ply[Any, Any]) -> None:
        """Keeps a move; it is in the journal when this returns."""
        self.begin(match)
        own, grade = ply.mover == match.you, ply.grade
        lost, error = (0, False) if grade is None else (grade.plies, grade.kind.is_error)
        if own:
            self.moves += 1
            self.plies_lost += lost
            self.errors += error
            self.seconds += ply.seconds
        if self.journal is not None:
            made = Made(
                ply=len(match.plies), uci=match.game.uci(ply.move), san=ply.san, own=own,
                grade="" if grade is None else grade.kind, plies=lost, error=error,
                layer=None if ply.verdict is None else ply.verdict.depth, seconds=ply.seconds,
            )  # fmt: skip
            self.journal.move(self.uuid, made)

    def taken_back(self, match: Match[Any, Any], plies: int) -> None:
        """Keeps that moves were taken back; what they lost stays lost."""
        del plies
        self.takebacks += 1
        if self.journal is not None and self.uuid:
            self.journal.take_back(self.uuid, len(match.plies) + 1)

    def hinted(self, match: Match[Any, Any], hint: Hint[Any]) -> None:
        """Counts a step of a hint."""
        del hint
        self.begin(match)
        self.hints += 1
        if self.journal is not None:
            self.journal.hint(self.uuid)

    def finished(self, match: Match[Any, Any], result: Result) -> None:
        """Finishes a game when it is over."""
        del result
        if self.theme is None:
            self.conclude(match, standing(self._goal(match), match))

    def _goal(self, match: Match[Any, Any]) -> Goal:
        if self.goal is None:
            self.goal = goal_of(match.start_verdict, match.game.mover(match.start), match.you)
        return self.goal

    def conclude(self, match: Match[Any, Any], found: Standing) -> None:
        """Finishes the attempt, if there is one, by where it stands."""
        verdict = match.start_verdict
        self.finished_as = self.outcome(found, None if verdict is None else verdict.depth)
        if self.journal is not None and self.uuid:
            self.journal.finish(self.uuid, self.finished_as, found.why)

    def outcome(self, found: Standing, perfect: int | None) -> Outcome:
        """Solved or failed, by the rule in ``docs/practice.md``."""
        clean = not self.errors and not self.hints and self.plies_lost <= allowed(perfect)
        return Outcome.SOLVED if found.reached and clean else Outcome.FAILED

    def leave(self) -> None:
        """The game is given up unfinished; it then counts in no figure."""
        if self.finished_as is None:
            self.finished_as = Outcome.LEFT
            if self.journal is not None and self.uuid:
                self.journal.finish(self.uuid, Outcome.LEFT)
