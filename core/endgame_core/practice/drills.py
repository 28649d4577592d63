"""Drills: a theme, a start, what the learner does, and what it was worth."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Any, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import Game
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.practice.defence import Defence, suggestion, usual
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import (
    GOING_ON,
    GameGoal,
    Hint,
    Kept,
    Match,
    Ply,
    Recorder,
    Standing,
    begin,
    goal_of,
    new_run,
    standing,
)
from endgame_core.practice.records import Card, CardReview, JournalError, Made, Outcome, Rating
from endgame_core.practice.stars import STARS, plies_allowed, stars
from endgame_core.practice.theme import DrillError, DrillMode, Start, Starts, Theme, move_decides
from endgame_core.tables.explorer import Explorer
from endgame_core.values import Category

P = TypeVar("P")
M = TypeVar("M")

QUICK = 5.0
"""Seconds a move, or an answer, up to which a perfect drill is easy."""
VARIES = True
"""Whether long intervals vary a little, so that themes begun together do not stay together."""
_UNREADABLE = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What the state of a card from elsewhere may bring about."""


_LEFT = "left"
_GIVEN_UP = (_LEFT, "shown")
"""Why a drill was missed that was given up."""


class FsrsRating(IntEnum):
    """FSRS ratings."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


def rate(
    reached: bool, errors: int = 0, plies_lost: int = 0, allowed: int = 2, hints: int = 0, takebacks: int = 0,
    pace: float = 0.0,
) -> FsrsRating:  # fmt: skip
    """Rate a finished drill for the schedule; more of anything bad never makes the rating better.

    Args:
        reached: Whether its goal was reached.
        errors: Moves that changed the result for the worse, and wrong answers.
        plies_lost: By all moves together.
        allowed: Plies that a good attempt may lose, see :func:`endgame_core.practice.stars.plies_allowed`.
        hints: Hints asked for.
        takebacks: Moves taken back.
        pace: Seconds for one of the learner's moves, on average.
    """
    if not reached:
        return FsrsRating.AGAIN
    if errors or hints or takebacks or plies_lost > allowed:
        return FsrsRating.HARD
    return FsrsRating.GOOD if plies_lost or pace > QUICK else FsrsRating.EASY


def review(journal: Journal, theme: Theme, mark: FsrsRating, attempt: str = "") -> Card:
    """Schedules a theme anew after a drill of it; a theme that had no card gets one.

    Args:
        journal: Where the cards are, and whose clock is used.
        theme: The theme.
        mark: How well it went.
        attempt: The attempt's uuid.

    Raises:
        JournalError: The journal cannot be read.
    """
    now = journal.clock()
    due, state = _reviewed(journal.card(theme.key), mark, datetime.fromtimestamp(now, UTC))
    kept = Card(theme=theme.key, label=theme.label, ending=theme.ending, due=due, reviewed=now, state=state)
    journal.keep(kept, CardReview(theme=theme.key, reviewed=now, rating=int(mark), attempt=attempt))
    return kept


def _reviewed(known: Card | None, mark: FsrsRating, moment: datetime) -> tuple[float, str]:
    """When a card is due after a review, and what is remembered then; what cannot be read counts as nothing."""
    import fsrs

    steps = (timedelta(minutes=10),)
    scheduler = fsrs.Scheduler(
        learning_steps=steps, relearning_steps=steps, maximum_interval=365, enable_fuzzing=VARIES
    )

    def reviewed(card: fsrs.Card) -> tuple[float, str]:
        card, _ = scheduler.review_card(card, fsrs.Rating(int(mark)), moment)
        return card.due.timestamp(), json.dumps(card.to_dict())

    if known is not None and known.state:
        with suppress(*_UNREADABLE):
            return reviewed(fsrs.Card.from_dict(json.loads(known.state)))
    return reviewed(fsrs.Card(card_id=1))


class _Judged:
    """What drills and questions have in common: they end once, are rated, and their theme is scheduled."""

    def __init__(self, theme: Theme, kept: Kept) -> None:
        self.theme = theme
        self.kept = kept
        self.standing: Standing = GOING_ON
        """Where the drill stands."""
        self.mark: FsrsRating | None = None
        """The rating it got; None while it goes on."""
        self.outcome: Outcome | None = None
        """What became of it; None while it goes on."""
        self.attempt = ""
        """The attempt in the journal once it has ended."""

    def _end(self, found: Standing, outcome: Outcome, mark: FsrsRating) -> None:
        """Ends the drill; the rating of the first end stays."""
        self.standing, self.outcome = found, outcome
        if self.mark is None:
            self.mark = mark
            if self.kept.schedules:
                with suppress(JournalError):  # a journal that cannot be read just now does not stop a drill
                    review(self.kept.journal, self.theme, self.mark, self.attempt)


class WinGoal(StrEnum):
    """What is asked for in a drill that can be won."""

    WIN = "win"
    """Mate, or a conversion into an ending that the tables prove won within the 50-move rule."""
    MATE = "mate"
    """The game is played to its end."""
    FEWEST = "fewest moves"
    """The same without losing a ply, and without help."""


def usual_goal(game: Game[Any, Any]) -> WinGoal:
    """What is asked for in a won drill of a game when nothing else is chosen."""
    return WinGoal.WIN if game.converts else WinGoal.MATE


class Drill(_Judged, Generic[P, M]):
    """A game from a start, over as soon as its goal is reached or missed: a win, a draw, an only move.

    After a goal was missed, ``take_back`` lets the learner try again; that no longer changes what became of the drill.

    Args:
        judge: Tells what moves are worth.
        theme: What is drilled.
        start: Where it starts.
        kept: Where it is kept.
        defence: The defender's manner; the game's usual one by default.
        win_goal: What is asked for where the start is won; the game's usual goal by default.

    Raises:
        DrillError: No table covers the start, or the theme asks a question (see :class:`ResultQuestion`).
    """

    def __init__(
        self,
        judge: Judge[P, M],
        theme: Theme,
        start: Start[P],
        kept: Kept,
        defence: Defence | None = None,
        win_goal: WinGoal | None = None,
    ) -> None:
        super().__init__(theme, kept)
        self.win_goal = win_goal or usual_goal(judge.game)
        if theme.mode is DrillMode.CALL and not theme.study:
            raise DrillError("this drill is a question", "it has no moves")
        self.start = start
        self.match: Match[P, M] = Match(
            judge, start.position, start.learner, defence or usual(judge.game), limited=self._in_time(judge.game)
        )
        verdict = self.match.start_verdict
        if verdict is None:
            raise DrillError("no table covers the start of this drill", "build its ending first")
        mover = judge.game.mover(start.position)
        only = theme.mode is DrillMode.ONLY and not theme.study
        self.goal = GameGoal.MOVE if only else goal_of(verdict, mover, start.learner)
        if self.goal is GameGoal.WIN and self.win_goal is WinGoal.FEWEST:
            self.goal = GameGoal.FEWEST
        self._rng = random.Random(judge.game.format(start.position))  # the same hints each time
        self.recorder = Recorder(self.match, self.kept, theme, self.goal)
        self._rest()

    def _in_time(self, game: Game[P, M]) -> bool:
        """Whether best play ends before a limit of moves can end the game; where it does not, none is asked to."""
        horizon, clock = game.horizon, game.start_game(self.start.position).clock
        return horizon is not None and clock + (self.start.perfect or 0) <= horizon

    @property
    def allowed(self) -> int:
        """Plies that may be lost for the drill to count as solved."""
        return plies_allowed(self.start.perfect)

    def play(self, move: M, seconds: float = 0.0) -> Ply[P, M]:
        """Makes a move for the side to move: the learner's, or the defender's (see :meth:`Match.reply`).

        Raises:
            PositionError: The drill is over, or the move is not legal.
        """
        self._check_running()
        ply = self.match.play(move, seconds)
        self._rest()
        return ply

    def hint(self) -> Hint[M]:
        """Give the next step of a hint: the kind of move, the piece, the move. Each step counts.

        Raises:
            PositionError: It is not the learner's move.
        """
        self._check_running()
        match = self.match
        probe = match.judge.probe(match.position)
        if probe.best is None:
            raise probe.problem or PositionError("there is no move", "the game is over")
        if match.given is not None:
            return match.hint(match.given.move)
        return match.hint(suggestion(match.judge, match.position, probe, self._rng), idea=True)

    def take_back(self) -> int:
        """Takes back the learner's last move and the reply to it; returns the plies taken back.

        Raises:
            PositionError: The game has ended by its rules, or he has not moved yet.
        """
        count = self.match.take_back()
        self.standing = GOING_ON
        return count

    def show(self) -> None:
        """Gives up, or looks at what was missed: the table's line is put behind the moves played.

        Raises:
            PositionError: The game has ended by its rules.
        """
        self.recorder.begin()
        self.match.show(self.match.judge.line(self.match.position, metric=DEPTH_UNDER_RULE).moves)
        self._rest()

    def leave(self) -> None:
        """Gives up without being shown: failed once the learner has moved or had a hint, else as if never begun."""
        if self.outcome is not None:
            return
        if self.is_begun:
            self._conclude(Standing(True, False, _LEFT))
        else:
            self.recorder.leave()
            self.outcome = Outcome.LEFT

    @property
    def let_go(self) -> int:
        """How often the result was let go: by moves, or by a draw that the rules made of a win."""
        drawn = self.standing.over and not self.standing.reached and self.standing.why not in _GIVEN_UP
        return self.match.errors or int(drawn)

    @property
    def stars(self) -> int:
        """The stars that it gets if its goal is reached now: 3 if it is perfect, 2 if good, else 1."""
        match = self.match
        return stars(self.start.perfect, match.lost, match.hints, match.takebacks, match.errors)

    @property
    def is_spoilt(self) -> bool:
        """Whether it can no longer be solved, though it may go on: it was missed, or asks for the fewest moves."""
        return self.outcome is Outcome.FAILED or (self.goal is GameGoal.FEWEST and self.stars < STARS)

    @property
    def is_begun(self) -> bool:
        """Whether the learner has moved or had a hint."""
        return bool(self.match.made or self.match.hints)

    def _check_running(self) -> None:
        if self.standing.over:
            raise PositionError("the drill is over", "take the move back, or start another one")

    def _rest(self) -> None:
        """Looks where the drill stands, after every ply."""
        found = standing(self.goal, self.match)
        if not found.over and (why := self._converted()):
            found = Standing(True, True, why)
        if found.over:
            self._conclude(found)

    def _converted(self) -> str:
        """How the win was converted, where the ending is another one now and is proved won; else empty.

        It is looked at after the reply: what was won or promoted must still be there then. An ending that is another
        one because the learner has lost a piece is no conversion.
        """
        match = self.match
        game = match.game
        verdict = match.verdict
        if self.win_goal is not WinGoal.WIN or self.goal is not GameGoal.WIN or not match.your_turn:
            return ""
        if verdict is None or verdict.category is not Category.WIN or len(match.plies) < 2:
            return ""
        ending = game.ending_of(match.position)
        if ending == game.ending_of(match.start) or self._balance(match.position) < self._balance(match.start):
            return ""
        clock = match.tracked.clock
        if game.horizon is not None and clock + (verdict.depth or 0) > game.horizon:
            return ""  # too long for the 50-move rule: it must be played on

        own_move, reply = match.plies[-2:]
        promoted = getattr(own_move.move, "promotion", None)
        if promoted and getattr(reply.move, "to_square", None) != getattr(own_move.move, "to_square", None):
            return "the pawn has promoted and wins"
        return f"{ending} is won"

    def _balance(self, position: P) -> int:
        """The learner's material minus the defender's."""
        game = self.match.game
        own, opposing = game.material(position)
        return own - opposing if game.mover(position) == self.match.you else opposing - own

    def _conclude(self, found: Standing) -> None:
        if self.outcome in (Outcome.SOLVED, Outcome.FAILED):
            self.standing = found
            return
        match, outcome = self.match, self.recorder.conclude(found)
        mark = rate(
            found.reached, match.errors, match.lost, self.allowed, match.hints, match.takebacks,
            match.thought / max(1, match.made),
        )  # fmt: skip
        self.attempt = self.recorder.uuid
        self._end(found, outcome, mark)


@dataclass(frozen=True, slots=True)
class Call:
    """An answer to *call it*.

    Attributes:
        result: Win, draw or loss for the side to move.
        decides: Whether the move decides: would the result be another one with the other side to move? None where
            that side cannot be to move, and where it is not asked.
    """

    result: Category
    decides: bool | None = None

    @property
    def words(self) -> str:
        """The answer in words."""
        return self.result.value + {True: ", the move decides", False: ", whoever moves", None: ""}[self.decides]


class ResultQuestion(_Judged, Generic[P, M]):
    """*Call it*: what is the result, and does the move decide?

    Args:
        explorer: The tables.
        theme: What is drilled.
        start: The position in question.
        kept: Where it is kept.
    """

    def __init__(self, explorer: Explorer[P, M], theme: Theme, start: Start[P], kept: Kept) -> None:
        super().__init__(theme, kept)
        self.explorer = explorer
        self.start = start
        self.truth = Call(start.category, move_decides(explorer, start.position))
        """The right answer."""

    def answer(self, call: Call, seconds: float = 0.0) -> bool:
        """Answers the question; True when right. Where ``truth.decides`` is None, it is not asked for.

        Raises:
            PositionError: It has been answered.
        """
        if self.standing.over:
            raise PositionError("the question has been answered", "start another one")
        right = call.result is self.truth.result and self.truth.decides in (None, call.decides)
        found = Standing(True, right, "right" if right else f"it is a {self.truth.words}")
        outcome = Outcome.SOLVED if right else Outcome.FAILED
        start, kept = self.start, self.kept
        self.attempt = begin(
            kept, self.explorer.game, start.position, start.learner, self.theme, goal=GameGoal.ANSWER,
            perfect=start.perfect,
        )  # fmt: skip
        said = Made(1, "", call.words, True, "right" if right else "wrong", error=not right, seconds=seconds)
        kept.journal.move(self.attempt, said)
        kept.journal.finish(self.attempt, outcome, found.why)
        self._end(found, outcome, rate(right, int(not right), pace=seconds))
        return right


LEARNER = "you"


def learner_of(game: str) -> str:
    """The name of the learner's rating: in each game it is another."""
    return LEARNER if game == "chess" else f"{LEARNER} {game}"


FIRST_RATING, FIRST_DEVIATION = 1500.0, 350.0
LEAST_DEVIATION = 50.0
_FORGETTING = 18.1
"""Deviation that comes with the root of a day: what was sure (50) is quite unsure again (350) after a year."""
_Q = math.log(10) / 400
_DAY = 86_400.0
SECONDS = 180.0
"""The length of a streak."""


def expected(ours: Rating, theirs: Rating) -> float:
    """The chance that ``ours`` wins, 0 to 1."""
    g = _weight(theirs.deviation)
    return 1 / (1 + 10 ** (-g * (ours.rating - theirs.rating) / 400))


def _weight(deviation: float) -> float:
    return 1 / math.sqrt(1 + 3 * (_Q * deviation / math.pi) ** 2)


def fresh(name: str) -> Rating:
    """The rating of somebody, or something, that has not played yet."""
    return Rating(name=name, rating=FIRST_RATING, deviation=FIRST_DEVIATION)


def aged(rating: Rating, now: float) -> Rating:
    """A rating as it is at a moment: less sure, the longer it has not been used."""
    days = max(0.0, now - rating.updated) / _DAY if rating.games else 0.0
    deviation = math.sqrt(rating.deviation**2 + _FORGETTING**2 * days)
    return replace(rating, deviation=min(FIRST_DEVIATION, deviation))


def after(ours: Rating, theirs: Rating, won: bool, now: float) -> Rating:
    """Our rating after one game.

    Args:
        ours: Before it, of this moment (see :func:`aged`).
        theirs: The opponent's before it.
        won: Whether we won.
        now: Seconds since 1970.
    """
    g, chance = _weight(theirs.deviation), expected(ours, theirs)
    sureness = 1 / ours.deviation**2 + _Q**2 * g**2 * chance * (1 - chance)
    rating = ours.rating + _Q / sureness * g * (won - chance)
    deviation = max(LEAST_DEVIATION, math.sqrt(1 / sureness))
    return Rating(name=ours.name, rating=rating, deviation=deviation, games=ours.games + 1, updated=now)


@dataclass(frozen=True, slots=True)
class Scored:
    """What one item did.

    Attributes:
        solved: Whether it was solved.
        change: By how much the learner's rating moved.
    """

    solved: bool
    change: float


class Streak(Generic[P, M]):
    """One streak: items until the first that is missed, or until time is up.

    Args:
        starts: Draws the positions.
        endings: The endings they are drawn from.
        journal: Where items and ratings are kept.
        rng: Decides.
        clock: Tells seconds that pass.
        seconds: The length.
    """

    def __init__(
        self,
        starts: Starts[P, M],
        endings: Sequence[str],
        journal: Journal,
        rng: random.Random,
        clock: Callable[[], float] = time.monotonic,
        seconds: float = SECONDS,
    ) -> None:
        if not endings:
            raise DrillError("no ending was chosen", "choose one that is built")
        self.starts = starts
        self.endings = tuple(endings)
        self.journal = journal
        self.count = 0
        """Items solved in a row."""
        self.missed = False
        self._learner = learner_of(starts.game.name)
        self._rng = rng
        self._clock = clock
        self._ends = clock() + seconds
        self._run = new_run()
        self._known: dict[str, Rating] = {}

    @property
    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._ends - self._clock())

    @property
    def over(self) -> bool:
        """Whether an item was missed, or time is up."""
        return self.missed or self.left <= 0

    @property
    def rating(self) -> Rating:
        """The learner's rating now."""
        return self._rating(self._learner)

    def next(self) -> ResultQuestion[P, M] | Drill[P, M]:
        """The next item: a question, or an only move where the ending has one.

        Raises:
            NotBuiltError: An ending is not built.
            DrillError: The streak is over, or an ending has no positions to ask about.
        """
        if self.over:
            raise DrillError("the streak is over", "start another one")
        ending = self._rng.choice(self.endings)
        kept = Kept(self.journal, False, self._run, DrillMode.STREAK)
        explorer = self.starts.explorer
        if self._rng.random() < 0.5:
            theme = Theme(ending, DrillMode.ONLY)
            try:
                return Drill(Judge(explorer), theme, self.starts.draw(theme), kept)
            except DrillError:
                pass
        theme = Theme(ending, DrillMode.CALL)
        return ResultQuestion(explorer, theme, self.starts.draw(theme), kept)

    def done(self, item: ResultQuestion[P, M] | Drill[P, M]) -> Scored:
        """Counts a finished item; one that was solved too late moves nothing, and counts in no figure.

        Raises:
            DrillError: The item goes on.
        """
        if item.outcome is None:
            raise DrillError("the item is not finished", "answer it first")
        solved, before = item.outcome is Outcome.SOLVED, self.rating
        if self.left <= 0 and solved:
            self.journal.finish(item.attempt, Outcome.LEFT, "too late")
            return Scored(False, 0.0)
        self.count += solved
        self.missed |= not solved
        now, theme = self.journal.clock(), item.theme.key
        ours, theirs = aged(before, now), aged(self._rating(theme), now)
        if self._learner not in self._known or theme not in self._known:
            return Scored(solved, 0.0)  # what cannot be read just now is not written over
        self._known[self._learner] = after(ours, theirs, solved, now)
        self._known[theme] = after(theirs, ours, not solved, now)
        self.journal.keep(self._known[self._learner], self._known[theme])
        return Scored(solved, self._known[self._learner].rating - before.rating)

    def _rating(self, name: str) -> Rating:
        """A rating as it is known; a fresh one, not kept, while the journal cannot be read."""
        if name not in self._known:
            try:
                self._known[name] = self.journal.rating(name) or fresh(name)
            except JournalError:
                return fresh(name)
        return self._known[name]
