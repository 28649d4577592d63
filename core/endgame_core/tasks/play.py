"""A game against a defender: set up, played, and looked at afterwards, in any game."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError, PositionError, StorageError
from endgame_core.estimate import Engine, Estimate, Limits
from endgame_core.game import PositionRecord
from endgame_core.game_state import Draw, GameState, Win
from endgame_core.judge import DEPTH_UNDER_RULE, Judge, ProbeResult
from endgame_core.metric import DTZ
from endgame_core.paths import games_dir, new_file, storage_errors, write_text
from endgame_core.pgn import AnnotatedMove, GameText, evaluation, read, write
from endgame_core.practice.defence import Defence, suggestion, usual
from endgame_core.practice.match import (
    LOST,
    Claim,
    Control,
    GameGoal,
    Hint,
    Kept,
    Match,
    Ply,
    Recorder,
    Result,
    Termination,
)
from endgame_core.practice.studies import MY_GAMES, StudyImport
from endgame_core.tasks.review import ReviewSession
from endgame_core.tasks.walk import Walk
from endgame_core.untrusted import quoted, read_text
from endgame_core.values import HORIZON, Category, Winner, opposite_side

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext

M = TypeVar("M")
P = TypeVar("P")

REPLY: Final = Limits(seconds=1.0)
"""How long the defender thinks."""

LOOK: Final = Limits(seconds=4.0)
"""How long an estimate is made better while it is your move."""


class EngineTask(Generic[M]):
    """One thought at a time, and what waits for it.

    Args:
        lab: Knows who thinks, and who takes over in the middle of a thought where an engine fails.
        game: The name of the game.
        post: Called from any thread with what is to be done where the game is played: once for every estimate.
    """

    def __init__(self, lab: AppContext, game: str, post: Callable[[Callable[[], None]], object]) -> None:
        self._lab, self._game, self._post = lab, game, post
        self._number = 0
        self._then: Callable[[M], object] | None = None
        self.trouble: EndgameError | None = None
        """Why the last thought was of no use; None while one is under way, and when it was."""
        self.thought: Estimate[M] | None = None
        """The newest estimate of the position that is thought about."""
        self.on_thought: Callable[[], object] = lambda: None
        """Called for every new estimate."""
        self.on_trouble: Callable[[EndgameError], object] = lambda problem: None
        """Called when thinking was of no use."""

    @property
    def _thinker(self) -> Engine:
        return self._lab.engine(self._game)

    @property
    def name(self) -> str:
        """Who thinks."""
        return self._thinker.name

    @property
    def is_awaited(self) -> bool:
        """Whether something waits for the thought under way."""
        return self._then is not None

    def think(self, game: GameState[Any, M], limits: Limits, then: Callable[[M], object] | None = None) -> None:
        """Thinks about the position of a game; ``then`` is called with the best move when it is done."""
        self._number += 1
        self.thought, self._then, self.trouble = None, then, None
        number, same, thinker = self._number, game.copy(), self._thinker

        def estimated(thought: Estimate[M]) -> None:
            if number == self._number:
                self.thought = thought
                self.on_thought()

        def concluded(problem: EndgameError | None) -> None:
            if number != self._number:
                return
            if problem is not None and self._lab.fall_back_to_search(self._game, thinker, problem):
                self.think(same, limits, then)
            else:
                self._conclude(problem)

        try:
            thinker.think(
                game, limits,
                lambda thought: self._post(lambda: estimated(thought)),
                lambda problem: self._post(lambda: concluded(problem)),
            )  # fmt: skip
        except EndgameError as problem:
            concluded(problem)

    def cancel(self) -> None:
        """Ends the thought under way; what has been thought stays, and nothing waits any more."""
        self._number += 1
        self._then = None
        self._thinker.cancel()

    def forget(self) -> None:
        """What is or was thought is of no more use."""
        if self._number and (self._then is not None or self.thought is not None):
            self._thinker.cancel()
        self._number += 1
        self.thought = self._then = self.trouble = None

    def _conclude(self, problem: EndgameError | None) -> None:
        then, self._then = self._then, None
        move = self.thought.move if self.thought is not None else None
        if then is not None and move is not None:
            then(move)
        elif problem is not None or then is not None:
            advice = instruct("take back your move with {take_back}, or begin another game with {new}")
            self.trouble = problem or EndgameError("no move was found", advice)
            self.on_trouble(self.trouble)


YOU: Final = "You"
OURS: Final = "endgame-tui"
"""The event of a game that was begun here."""
SUFFIX: Final = ".pgn"
HINTED: Final = ("after a hint", "after a hint that named a move")
"""What a comment says of hints: the man alone, or a move, be it the one played or another."""
SHOWN: Final = "shown by the table"
ESTIMATED: Final = "shown, an estimate"
_HINTED: Final = {**{words: step for step, words in enumerate(HINTED, 1)}, "as the hint said": 2}
_REASONS: Final[Mapping[str, Termination | Win | Draw]] = {
    reason.value: reason for reason in (*Termination, *Win, *Draw)
}
_COUNTS: Final = ("Hints", "Takebacks")


def record_of(match: Match[P, M], written: GameText[P, M] | None = None, today: date | None = None) -> GameText[P, M]:
    """The game as it is written down.

    Args:
        match: The game, over or not.
        written: The game as it was read. Its headers stay, but for what has changed, and so do side variations, marks
            and what others said of its moves; of a game that others wrote all that it says stays as it was.
        today: The date of a new game.
    """
    defender = f"{match.defence.value} defence"
    white = match.you == "white"
    began = {"Event": OURS, "Date": (today or date.today()).strftime("%Y.%m.%d")}
    made = {
        **(began if written is None else {}),
        "White": YOU if white else defender,
        "Black": defender if white else YOU,
    }
    if written is not None and written.headers.get("Event") != OURS and (foreign := _as_written(match, written)):
        return foreign
    known = {**made, **({} if written is None else written.headers)}
    for name, count in zip(_COUNTS, (match.hints, match.takebacks), strict=True):
        known.pop(name, None)
        if count:
            known[name] = str(count)
    known.pop("Termination", None)
    if match.result is not None:
        known["Termination"] = match.result.reason.value
    notes: list[AnnotatedMove[M]] = []
    before = () if written is None else written.notes
    for number, ply in enumerate(match.plies):
        note = _note(match, ply)
        before = before if number < len(before) and before[number].move == ply.move else ()
        notes.append(_joined(note, before[number], known.get("Event") == OURS) if before else note)
    score = "*" if match.result is None else match.result.score
    return GameText(match.start, tuple(notes), score, known, "" if written is None else written.comment)


def _as_written(match: Match[P, M], written: GameText[P, M]) -> GameText[P, M] | None:
    """A game of others with grades added to its moves, those after its end by the rules too; None where it was changed.

    Hints and moves taken back are changes: who takes back what he was shown plays on.
    """
    played = [ply.move for ply in match.plies]
    if match.hints or match.takebacks or played != [note.move for note in written.notes[: len(played)]]:
        return None
    if len(played) < len(written.notes) and match.result is None:
        return None
    graded = (_joined(_note(match, ply), note, False) for ply, note in zip(match.plies, written.notes, strict=False))
    is_unread = match.result == Result(None, Termination.UNREAD)  # its text ends there now
    unread = {"Termination": Termination.UNREAD.value} if is_unread else {}
    return replace(written, notes=(*graded, *written.notes[len(played) :]), headers={**written.headers, **unread})


def _note(match: Match[P, M], ply: Ply[P, M]) -> AnnotatedMove[M]:
    """A move with what the tables say of it."""
    said = "" if ply.verdict is None else evaluation(match.game.mover(ply.after) == "white", ply.verdict.depth)
    return AnnotatedMove(ply.move, said, comment_of(match.judge, ply, match.estimated))


def _joined(note: AnnotatedMove[M], before: AnnotatedMove[M], ours: bool) -> AnnotatedMove[M]:
    """What is said of a move, with what was said when it was read; in a game of ours that is made anew."""
    if ours:
        return replace(before, evaluation=note.evaluation or before.evaluation, comment=note.comment)
    comment = before.comment if before.comment.endswith(note.comment) else f"{before.comment}; {note.comment}"
    evaluated = before.evaluation or note.evaluation
    return replace(before, evaluation=evaluated, comment=comment if before.comment else note.comment)


def comment_of(judge: Judge[Any, Any], ply: Ply[Any, Any], estimated: bool = False) -> str:
    """The grade of a move in words, with what would have been best after an error; hints are owned up to.

    ``estimated`` tells that what was shown is an estimate.
    """
    if ply.shown:
        return ESTIMATED if estimated else SHOWN
    said: list[str] = []
    if ply.grade is not None:
        said.append(ply.grade.words)
        if ply.grade.kind.is_error or ply.grade.plies:
            known = judge.probe(ply.before)
            best = [] if known.problem is not None else [move.san for move in known.moves if move.grade == "best"]
            if best:
                said.append(f"best: {', '.join(best[:3])}")
            elif keeping := judge.keeping_moves(ply.before):
                said.append(f"kept by: {', '.join(move.san for move in keeping[:3])}")
    if ply.hints:
        said.append(HINTED[ply.hints - 1])
    return "; ".join(said)


def match_of(record: GameText[P, M], judge: Judge[P, M], you: Winner | None = None) -> tuple[Match[P, M], str]:
    """Plays a game again, which grades it; one without a result, unless it is broken, goes on where it was left.

    Args:
        record: The game.
        judge: Grades it.
        you: Your side; as the headers say, or else the winner's, by default.

    Returns:
        The game; and why the rest of it was left out, a sentence, empty when all of it was played.
    """
    headers = record.headers
    match = Match(judge, record.start, you or _side(record, judge), _defence(headers))
    problem, shown = "", [number for number, note in enumerate(record.notes) if note.comment in (SHOWN, ESTIMATED)]
    played = record.notes[: shown[0]] if shown else record.notes
    for number, note in enumerate(played):
        try:
            if judge.game.is_null(note.move):
                match.skip(note.move)
                continue
            ply = match.play(note.move)
        except PositionError:
            left = len(played) - number
            problem = f"the game was over before its last {left} move{'s' if left > 1 else ''}, which were left out."
            break
        if hints := next((step for words, step in _HINTED.items() if note.comment.endswith(words)), 0):
            match.plies[-1] = replace(ply, hints=hints)
    match.hints, match.takebacks = (int(count) if (count := headers.get(name, "")).isdigit() else 0 for name in _COUNTS)
    if match.result is None and shown:
        rest = record.notes[shown[0] :]
        match.show([note.move for note in rest], estimated=rest[0].comment == ESTIMATED)
    elif match.result is None and record.result != "*":
        match.end(_result(record))
    elif match.result is None and headers.get("Termination") == Termination.SHOWN:
        match.show([])
    elif match.result is None and (record.problem or headers.get("Termination") == Termination.UNREAD):
        match.end(Result(None, Termination.UNREAD))
    return match, problem


def _side(record: GameText[P, M], judge: Judge[P, M]) -> Winner:
    """Your side: as the headers say, else the winner's, else the side to move."""
    for name in ("White", "Black"):
        if record.headers.get(name) == YOU:
            return name.lower()
    verdict = judge.probe_by_depth(record.start).verdict
    return (verdict.winner if verdict is not None else None) or judge.game.mover(record.start)


def _defence(headers: Mapping[str, str]) -> Defence:
    for name in ("White", "Black"):
        words = headers.get(name, "").removesuffix(" defence")
        if words in list(Defence):
            return Defence(words)
    return Defence.PERFECT


def _result(record: GameText[Any, Any]) -> Result:
    winner = {"1-0": "white", "0-1": "black"}.get(record.result)
    told = record.headers.get("Termination", "")
    said = _REASONS.get(told, Termination.TIME if winner and told.lower() == "time forfeit" else Termination.RECORD)
    return Result(winner, said)


def free_file(folder: Path, ending: str, today: date) -> Path:
    """Where nothing stands yet, for a game that begins in an ending: ``KRvK-2026-11-21.pgn``, then ``…-2.pgn``."""
    number, path = 1, folder / f"{ending}-{today.isoformat()}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{ending}-{today.isoformat()}-{number}{SUFFIX}"
    return path


def text_of(path: Path) -> str:
    """What a file of games holds; raises StorageError when it cannot be read."""
    if path.is_dir():
        there = sorted(found.name for found in path.glob(f"*{SUFFIX}"))
        names = f"name one of {', '.join(there)}" if there else "no game has been saved there"
        raise StorageError(f"{path.name} is a directory", names)
    if path.exists() and not path.is_file():
        raise StorageError(f"{path.name} is not a regular file", "name a file of games")
    return read_text(path)


TIMES: Final[tuple[tuple[str, Control | None], ...]] = (
    ("off", None), ("1 min", Control(60)), ("3 min", Control(180)), ("5 min", Control(300)),
    ("10 min", Control(600)), ("5 min + 5 s", Control(300, 5)),
)  # fmt: skip
"""The times one can choose for the whole game."""

DEFENCES: Final = tuple(Defence)

MOST_LINE: Final = 40
"""Plies of the best line that are looked up at most; more do not fit on any screen."""

PLACING: Final = "placing"
"""The name of a position that is in no ending because men are still placed."""

_LAYER_OF: Final = re.compile(r"\S+\s+[sS]?\d+(/\d+)?")

SETUP, PLAY, REVIEW = "setup", "play", "review"
"""The stages: choosing a game, playing it, looking at it afterwards."""


@dataclass(frozen=True, slots=True)
class Setup(Generic[P]):
    """What a new game is to be.

    Attributes:
        position: Where it begins.
        you: Your side.
        defence: The defender.
        time: Which of :data:`TIMES`.
        opening: Whether it begins where the game of the board begins instead: with all stones in hand.
        study: Name and note of the study it begins from; empty for another position.
    """

    position: P
    you: Winner
    defence: Defence
    time: int = 0
    opening: bool = False
    study: tuple[str, str] = ("", "")


class Play(Generic[P, M]):
    """The game being set up, played, or looked at afterwards.

    Args:
        lab: What tells all about positions, and keeps what was practised.
        game: The name of the game.
        rng: What is left to chance.
    """

    def __init__(self, lab: AppContext, game: str, rng: random.Random | None = None) -> None:
        self.lab = lab
        self.judge: Judge[P, M] = lab.judge(game)
        self.game = self.judge.game
        self.rng = rng or random.Random()
        first = self.game.parse(self.game.example_position)
        self.opening = self.game.parse(self.game.initial_position) if self.game.initial_position else None
        """Where a whole game begins; None where only endings are played."""
        defence = Defence.PERFECT if self.game.horizon is not None else usual(self.game)
        self.setup: Setup[P] = Setup(first, self.game.mover(first), defence)
        self.match: Match[P, M] | None = None
        """The game, None before the first."""
        self._review: ReviewSession[P, M] | None = None
        self.hidden = True
        """Whether the verdict is hidden while playing."""
        self._looked_in: Path | None = None
        self._written: GameText[P, M] | None = None
        """The game as it was read from a file, if it was."""

    # Where it stands

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        if self.match is None:
            return SETUP
        return PLAY if self.match.result is None else REVIEW

    @property
    def start(self) -> P:
        """Where the next game begins."""
        return self.opening if self.setup.opening and self.opening is not None else self.setup.position

    @property
    def position(self) -> P:
        """The position on the board."""
        if self.match is None:
            return self.start
        return self.match.position if self.review is None else self.review.position

    @property
    def known(self) -> ProbeResult[P, M]:
        """All that is known of it."""
        return self.judge.probe(self.position)

    @property
    def review(self) -> ReviewSession[P, M] | None:
        """The game once it is over, looked at move by move."""
        if self._review is None and self.match is not None and self.match.result is not None:
            self._review = ReviewSession.of_match(self.judge, self.match)
        return self._review

    @property
    def _match(self) -> Match[P, M]:
        assert self.match is not None
        return self.match

    @property
    def you(self) -> Winner:
        """Your side."""
        return self.setup.you if self.match is None else self.match.you

    @property
    def your_turn(self) -> bool:
        """Whether you are to move in a game that goes on."""
        return self.match is not None and self.match.your_turn

    @property
    def plies(self) -> Sequence[Ply[P, M]]:
        """The moves of the game so far."""
        return () if self.match is None else self.match.plies

    @property
    def looked_at(self) -> Ply[P, M] | None:
        """The move that is looked at after the game, None at its end."""
        return None if self.review is None else self.review.item

    @property
    def last(self) -> M | None:
        """The move that led to the position on the board."""
        if self.review is not None:
            return self.review.came_by
        return self.match.plies[-1].move if self.match is not None and self.match.plies else None

    @property
    def hint(self) -> Hint[M] | None:
        """The hint given for this move."""
        return None if self.match is None else self.match.given

    @property
    def claim(self) -> Claim[M] | None:
        """The draw you may claim."""
        return self.match.claim() if self.match is not None and self.match.your_turn else None

    @property
    def told(self) -> bool:
        """Whether the verdict may be told."""
        return self.stage == REVIEW or not self.hidden

    @property
    def by_clock(self) -> bool:
        """Whether DTZ alone tells what the moves of the position on the board are worth."""
        known = self.known
        return known.problem is not None and bool(known.by_dtz)

    @property
    def guessed(self) -> bool:
        """Whether nothing knows the position on the board, so that all that is said of it is an estimate."""
        known = self.known
        return known.problem is not None and not known.by_dtz

    def line(self, most: int) -> tuple[list[str], bool]:
        """The best line from the position on the board as people write it, and whether it goes to the end.

        It goes by depth while the clock cannot matter, else by moves that keep the result, else by DTZ; it is empty
        where nothing knows, and never longer than ``most`` plies.
        """
        known, most = self.known, min(most, MOST_LINE)
        depth = None if known.verdict is None else known.verdict.depth
        late = known.clock is not None and known.clock + (depth or 0) > HORIZON
        line = self.judge.line(self.position, most, DEPTH_UNDER_RULE if late else self.game.metric)
        if line.problem is not None and known.clock is not None:
            line = self.judge.line(self.position, most, DTZ)
        return line.sans, depth is None or depth <= len(line.sans)

    # Setting up

    def set_up(self, position: P, side: Winner = "") -> None:
        """Takes a position for the next game; you play ``side``, or the side that wins, else the side to move."""
        self.leave()
        opening = position == self.opening
        known, mover = self.judge.probe(position), self.game.mover(position)
        if known.verdict is None and known.fifty is not None and known.fifty.category in LOST:
            mover = opposite_side(mover)
        you = side or (known.verdict.winner if known.verdict is not None else None) or mover
        kept = self.setup.position if opening else position
        self.setup = replace(self.setup, position=kept, you=you, opening=opening, study=("", ""))

    def set_up_again(self) -> None:
        """Takes the same once more."""
        opening = self.setup.opening
        self.set_up(self.setup.position)
        self.setup = replace(self.setup, opening=opening)

    @property
    def rows(self) -> tuple[str, ...]:
        """What can be chosen of a new game."""
        start = () if self.opening is None else ("start",)
        return (*start, "you", "defence", "time", "verdict")

    def change(self, row: str, by: int) -> None:
        """Changes a row of the setup."""
        setup = self.setup
        if row == "start":
            self.setup = replace(setup, opening=not setup.opening)
        elif row == "you":
            self.setup = replace(setup, you=opposite_side(setup.you))
        elif row == "defence":
            self.setup = replace(setup, defence=DEFENCES[(DEFENCES.index(setup.defence) + by) % len(DEFENCES)])
        elif row == "time":
            self.setup = replace(setup, time=(setup.time + by) % len(TIMES))
        else:
            self.hidden = not self.hidden

    def typed(self, text: str) -> None:
        """Sets up what was typed: a position, an ending, a layer of it (``KRvK S12``), one of this ending, or a study.

        Raises:
            EndgameError: It is none of these, or not built.
        """
        text = text.strip()
        studies = (study for studies in self.lab.studies(self.game.name).sets() for study in studies.studies)
        wanted = text.casefold()
        study = next((study for study in studies if wanted in (study.id, study.name.casefold())), None)
        if study is not None:
            self.set_up(self.game.parse(study.position), study.side)
            self.setup = replace(self.setup, study=(study.name, study.note))
            return
        walk = self.walk_from(self.setup.position)
        for part in text.split() if _LAYER_OF.fullmatch(text) else [text]:
            if not walk.goes_to(part):
                advice = {SETUP: "begin the game to move", REVIEW: "the game is over"}.get(self.stage, "")
                raise PositionError(f"{quoted(part)} is no position, ending, layer or study", advice)
        self.set_up(walk.position)

    def randomly(self) -> None:
        """Sets up a random position of the same layer; raises EndgameError."""
        walk = self.walk_from(self.start)
        walk.randomly()
        self.set_up(walk.position)

    def walk_from(self, position: P) -> Walk[P, M]:
        """A walk that begins at a position."""
        walk: Walk[P, M] = Walk(self.lab, self.game.name, self.rng)
        walk.step.position = position
        return walk

    # Beginning and ending

    def begin(self) -> None:
        """Begins the game that was set up; raises PositionError when it would be over at once."""
        setup, start = self.setup, self.start
        known = self.judge.probe(start)
        if known.is_over or self.game.terminal(start) is not None:
            raise PositionError("the game is over in this position", "choose another one")
        match = Match(self.judge, start, setup.you, setup.defence, TIMES[setup.time][1])
        Recorder(match, Kept(self.lab.journal), goal=_goal(known, self.game.mover(start) == setup.you))
        self._turn_to(match)

    def _turn_to(self, match: Match[P, M], written: GameText[P, M] | None = None) -> None:
        """Another game is played, or looked at."""
        self.match, self._review, self._written = match, None, written

    def leave(self) -> None:
        """Gives a game under way up; it then counts in no figure."""
        if self.match is not None and self.match.recorder is not None and self.stage == PLAY:
            self.match.recorder.leave()
        self.match = self._review = None

    def retry(self) -> None:
        """Plays on from the position that is looked at, at the end from that of your last move.

        Your side, the defender and the time are as before.

        Raises:
            PositionError: The game is over there.
        """
        assert self.review is not None
        own = (item for item in reversed(self.review.items) if item.own and not item.shown)
        item = self.review.item or next(own, None)
        position, you = self.review.start if item is None else item.before, self.you
        if self.game.terminal(position) is not None:
            raise PositionError("the game was over before it began", instruct("{press} {new} to begin another"))
        self.set_up(position, you)
        self.begin()

    # Playing

    def move(self, text: str) -> M:
        """The legal move that was typed; raises PositionError saying why there is none."""
        return self.game.parse_move(self.position, text)

    def make(self, move: M, seconds: float = 0.0) -> None:
        """Makes a legal move for the side to move."""
        self._match.play(move, seconds)

    def answer(self) -> Claim[M] | None:
        """Lets the defender claim a draw, or else move by what knows the position, timed.

        Returns:
            The draw that he has claimed.

        Raises:
            EndgameError: Nothing knows the position.
        """
        if (claim := self._match.defender_claims()) is not None:
            self._match.claim_draw()
            return claim
        self.make(self._match.reply(self.rng))
        return None

    def best(self) -> M:
        """The move of the hint, else the best move that is easiest to follow; raises EndgameError if none is known."""
        if self.hint is not None:
            return self.hint.move
        known = self.known
        if known.best is None or (known.problem is not None and not known.by_dtz):
            raise known.problem or EndgameError("the game is over here", "start another one")
        if self.stage == REVIEW:
            return known.best.move
        return suggestion(self.judge, self.position, known, self.rng)

    def take_back(self) -> None:
        """Takes back your last move and the reply; raises PositionError."""
        self._match.take_back()

    def give_hint(self, best: M) -> None:
        """Gives the next step of a hint about a move; what an earlier step was about stays."""
        self._match.hint(best)

    def claim_draw(self) -> Claim[M]:
        """Claims a draw; raises PositionError where there is none to claim."""
        return self._match.claim_draw()

    def offer_draw(self) -> bool:
        """Offers a draw; True when it is taken."""
        return self._match.offer_draw()

    def tick(self, elapsed: float) -> bool:
        """So many seconds of your move have passed; True when your time is up, which ends the game."""
        match = self.match
        if match is None or match.left is None or not match.your_turn or match.left > elapsed:
            return False
        match.flag()
        return True

    def best_line(self) -> list[M]:
        """The best moves of both sides by the tables and the 50-move rule, else by DTZ.

        Raises:
            EndgameError: Nothing knows the position.
        """
        line = self.judge.line(
            self.position, metric=self.game.metric if self.game.horizon is None else DEPTH_UNDER_RULE
        )
        if line.problem is None:
            return line.moves
        if not (by_dtz := self.known.by_dtz):
            raise line.problem
        return self.judge.line(self.position, metric=DTZ).moves or [by_dtz[0].move]

    def show(self, line: list[M], estimated: bool = False) -> None:
        """Gives up, and puts a line, which may be an estimate, behind the moves played; the first of it is next."""
        at = len(self._match.plies)
        self._match.show(line, estimated)
        assert self.review is not None
        self.review.go(at)

    def practise_errors(self) -> StudyImport:
        """Add the positions of your errors in the reviewed game to the set of your games, to be practised.

        Errors are moves that changed the result; where there are none, all moves that were not the best.

        Raises:
            EndgameError: You made no error, or the set cannot be changed.
        """
        review = self.review
        slips = [] if review is None else [review.items[number] for number in review.slips]
        errors = [ply for ply in slips if ply.error] or slips
        if not errors:
            raise EndgameError("you made no error in this game", "there is nothing to practise")
        records = [
            PositionRecord(
                position=self.game.format(ply.before), note=f"From a game of yours, in which you played {ply.san}.",
                opcodes={"side": ply.mover},
            )
            for ply in errors
        ]  # fmt: skip
        return self.lab.studies(self.game.name).import_records(records, MY_GAMES)

    # Files

    @property
    def folder(self) -> Path:
        """Where games are saved."""
        return games_dir(self.lab.root)

    def save(self, path: Path) -> Path:
        """Writes the game to a new file; where that is; raises StorageError."""
        file = new_file(self.lab.file(str(path)), advice="choose another name")
        with storage_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, write(record_of(self._match, self._written), self.game))
        return file.absolute()

    def completions(self, text: str) -> list[str]:
        """What the beginning of a file's name may become, the newest first: a saved game, or what is in a directory."""
        head, slash, start = text.rpartition("/")
        try:
            folder = self.lab.file(head + slash) if slash else self.folder
            result = [path for path in folder.iterdir() if path.name.startswith(start)]
            named = {
                path: path.stat().st_mtime for path in result if path.suffix == SUFFIX or (slash and path.is_dir())
            }
            newest = sorted(named, key=lambda path: (-named[path], path.name))
            return [f"{head}{slash}{path.name}{'/' if path.is_dir() else ''}" for path in newest]
        except (OSError, ValueError, StorageError):
            return []

    def found(self, path: Path) -> Path:
        """Where a file is: here, among the saved games, or where one was looked for last; raises StorageError."""
        here = self.lab.file(str(path))
        folders = [self.folder, *([self._looked_in] if self._looked_in else [])]
        with suppress(OSError):  # reading it will tell
            there = next((found for found in (here, *(folder / path for folder in folders)) if found.exists()), here)
            here = there if there == here else self.lab.file(str(there))  # a link may lead elsewhere
            if here.is_dir():
                self._looked_in = here
        return here

    def open(self, source: Path | GameText[P, M], you: Winner | None = None) -> str:
        """Goes on with a game, or looks at it: one that was read, or the first of a file among the saved games too.

        Args:
            source: The game, or its file.
            you: Your side; as the game says by default.

        Returns:
            Why the rest of it was left out, a sentence; empty when all of it was played.

        Raises:
            EndgameError: It cannot be read.
        """
        written = source if isinstance(source, GameText) else read(text_of(self.found(source)), self.game)
        match, problem = match_of(written, self.judge, you)
        self.set_up(match.start, match.you)
        self.setup = replace(self.setup, defence=match.defence)
        self._turn_to(match, written)
        return problem or (f"the rest is left out: {written.problem}." if written.problem else "")


def _goal(known: ProbeResult[P, M], yours: bool) -> GameGoal | None:
    """What is to be reached where the 50-move rule makes a win or a loss a draw, or DTZ alone knows; else None."""
    category = known.category
    if category is None:
        return None
    if category in (Category.CURSED_WIN, Category.BLESSED_LOSS):
        return GameGoal.DRAW
    if known.verdict is not None:
        return None
    return {Category.WIN: GameGoal.WIN, Category.DRAW: GameGoal.DRAW}.get(
        category if yours else category.negated, GameGoal.ANY
    )
