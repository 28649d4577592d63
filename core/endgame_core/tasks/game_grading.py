"""Grades the moves of both sides in a game from a file, wherever tables reach.

A game that may come to an ending is graded from its last position back to the first one that tables cover, because
captures only remove pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from endgame_core.errors import EndgameError, EndingError
from endgame_core.judge import Judge
from endgame_core.pgn import GameText
from endgame_core.values import LAST_CLOCK, WINNERS, Category, Grade, Kind, Winner

_CATEGORY_SCORES: Final[Mapping[Category, int]] = {
    Category.WIN: 2, Category.CURSED_WIN: 1, Category.DRAW: 1, Category.BLESSED_LOSS: 1, Category.LOSS: 0,
}  # fmt: skip
"""Half points of the side to move under best play."""

_RESULT_SCORES: Final = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""White's half points by the result of a game."""

_WON: Final = (Category.WIN, Category.MAYBE_WIN)

_MAX_CACHED_GRADES: Final = 100_000
"""Some 30 MB."""


@dataclass(slots=True)
class GradeSums:
    """Sums over graded moves.

    Attributes:
        games: Number of games.
        moves: Number of graded moves.
        errors: Moves that cost half a point or more.
        half_points: Half points that these cost.
        plies: Plies that the other moves lost.
    """

    games: int = 0
    moves: int = 0
    errors: int = 0
    half_points: int = 0
    plies: int = 0

    def add(self, other: GradeSums) -> None:
        """Add other sums, except the number of games."""
        self.moves += other.moves
        self.errors += other.errors
        self.half_points += other.half_points
        self.plies += other.plies


@dataclass(frozen=True, slots=True)
class Slip:
    """A move that lost plies or half points.

    Attributes:
        ply: Its number in the game, from 1.
        name: The move with its number: ``67…Kd4``.
        mover: The side that made it.
        ending: The ending in which it was made.
        position: The position before it, as text.
        grade: Its grade.
        half_points: Half points that it cost.
        depth: Plies to the end before it; None for a draw, or if no table knows it.
    """

    ply: int
    name: str
    mover: Winner
    ending: str
    position: str
    grade: Grade
    half_points: int = 0
    depth: int | None = None

    @property
    def sums(self) -> GradeSums:
        """This move as sums over one move."""
        plies = 0
        if not self.half_points:
            plies = self.grade.plies
        return GradeSums(0, 1, int(bool(self.half_points)), self.half_points, plies)


@dataclass(frozen=True, slots=True)
class EndingPhase:
    """Consecutive moves in one ending.

    Attributes:
        ending: The name of the ending.
        ply: Number of the first move in it.
        expected: White's half points under best play at its beginning; None where that is not certain.
        sums: Sums over the moves of each side.
    """

    ending: str
    ply: int
    expected: int | None
    sums: Mapping[Winner, GradeSums]


@dataclass(frozen=True, slots=True)
class GradedGame:
    """A game from a file.

    Attributes:
        file: Name of the file.
        number: Number of the game in the file, from 1.
        text: The text of the game, so that it can be opened as it was written.
        headers: Its headers.
        problem: Why it cannot be read, or not to its end, one clause; else empty.
        phases: The graded moves, in the order of play.
        slips: The moves that lost something, in the order of play.
        missing: Endings that were reached and have no table, with the number of moves made in them.
        has_moves: Whether it has a readable move; True until the file is read that far.
    """

    file: str
    number: int
    text: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    problem: str = ""
    phases: tuple[EndingPhase, ...] = ()
    slips: tuple[Slip, ...] = ()
    missing: Mapping[str, int] = field(default_factory=dict[str, int])
    has_moves: bool = True

    def header(self, name: str) -> str:
        """Return the value of a header; empty if it is absent or unknown, e.g. ``????.??.??``."""
        value = " ".join(self.headers.get(name, "").split())
        if not value.strip("?.-*"):
            return ""
        return value

    @property
    def players(self) -> str:
        """White and Black."""
        return f"{self.header('White') or '?'} – {self.header('Black') or '?'}"

    @property
    def date(self) -> str:
        """The date as far as it is known: ``2026.11.22``, ``2026.11``, ``2026``, or empty."""
        return (self.header("Date") or self.header("UTCDate")).partition(".?")[0].replace("-", ".")

    @property
    def title(self) -> str:
        """The players, the event and the date, as far as they are known."""
        return ", ".join(filter(None, (self.players, self.header("Event"), self.date)))

    @property
    def score(self) -> int | None:
        """White's half points; None for a game without a result."""
        return _RESULT_SCORES.get(self.headers.get("Result", ""))

    def gained(self, side: Winner) -> int:
        """Return the half points that a side got beyond best play from the first ending on; negative if fewer."""
        expected = next((phase.expected for phase in self.phases if phase.expected is not None), None)
        if expected is None or self.score is None:
            return 0
        return (self.score - expected) * (1 if side == "white" else -1)


class GameGrader:
    """Grades the moves of games; grades of the same move in the same position are computed once.

    Args:
        judge: Grades single moves.
        has_other_tables: Whether files of other programs may cover endings that have no table of this one.
    """

    def __init__(self, judge: Judge[Any, Any], has_other_tables: bool) -> None:
        self._judge = judge
        self._game = judge.game
        self._has_other_tables = has_other_tables
        self._grades: dict[tuple[Hashable, Any], Grade | None] = {}

    def grade_game(self, graded: GradedGame, record: GameText[Any, Any]) -> GradedGame:
        """Return a game with its graded moves.

        Args:
            graded: The game without them.
            record: The same game with its moves.
        """
        game = self._game
        positions = [record.start]
        for note in record.notes:
            positions.append(game.play(positions[-1], note.move))

        moves: list[Slip] = []
        missing: Counter[str] = Counter()
        # From the end of the game backwards: the first position that no table can cover has too many pieces, and so
        # have all before it.
        for number in reversed(range(len(record.notes))):
            position = positions[number]
            move = record.notes[number].move
            if game.is_trivial(position) or game.is_null(move) or self._is_over_by_limit(position):
                continue
            ending = self._ending_of(position)
            if ending is None:
                break
            may_be_known = ending not in self._unbuilt_endings or self._has_other_tables
            grade = None
            if may_be_known:
                grade = self._grade(position, move)
            if grade is not None:
                moves.append(self._graded_move(record, number, position, ending, grade))
            elif ending in self._unbuilt_endings:
                missing[ending] += 1
        moves.reverse()

        slips = tuple(move for move in moves if move.half_points or move.grade.plies)
        return replace(graded, phases=self._phases(moves, positions), slips=slips, missing=dict(missing))

    def _phases(self, moves: list[Slip], positions: list[Any]) -> tuple[EndingPhase, ...]:
        """Group graded moves, in the order of play, by consecutive endings."""
        phases: list[EndingPhase] = []
        for move in moves:
            if not phases or phases[-1].ending != move.ending:
                # The move of ply n was made in the position after n - 1 plies.
                expected = self._expected_score(positions[move.ply - 1])
                phases.append(EndingPhase(move.ending, move.ply, expected, {side: GradeSums() for side in WINNERS}))
            phases[-1].sums[move.mover].add(move.sums)
        return tuple(phases)

    def _is_over_by_limit(self, position: Any) -> bool:
        """Whether the move limit has ended the game before a position: a match would not go on there either."""
        rule = self._judge.rule
        return rule is not None and rule.clock(position) >= LAST_CLOCK

    def _grade(self, position: Any, move: Any) -> Grade | None:
        """Grade a move; long games and many games repeat positions."""
        key = self._game.value_key(position), move
        if key not in self._grades:
            if len(self._grades) >= _MAX_CACHED_GRADES:
                self._grades.clear()
            self._grades[key] = self._judge.grade(position, move)
        return self._grades[key]

    @cached_property
    def _unbuilt_endings(self) -> frozenset[str]:
        """The endings without a table of this program."""
        library = self._judge.explorer.library
        return frozenset(ending for ending in self._game.endings() if not library.is_built(ending))

    def _ending_of(self, position: Any) -> str | None:
        """The ending of a position, ``more pieces`` for one that only Syzygy files cover; None where no table can."""
        try:
            return self._game.ending_of(position)
        except EndingError:
            pass
        except EndgameError:
            return None
        is_covered = self._judge.quick_probe(position).category is not None
        if is_covered:
            return f"more {self._game.listing.unit}"
        return None

    def _graded_move(self, record: GameText[Any, Any], number: int, position: Any, ending: str, grade: Grade) -> Slip:
        """Return a graded move, whether it lost anything or not; its name and position only if it did.

        Args:
            record: The game.
            number: Index of the move.
            position: The position before it.
            ending: The ending of that position.
            grade: The grade of the move.
        """
        game = self._game
        mover = game.mover(position)
        half_points = 0
        depth = None
        if not grade.kind.is_error and not grade.plies:
            return Slip(number + 1, "", mover, ending, "", grade)

        probe = self._judge.quick_probe(position)
        if probe.verdict is not None:
            depth = probe.verdict.depth
        if grade.kind is Kind.LOSES:
            # From a won position to a lost one is a whole point, from a drawn one half a point.
            half_points = 2 if probe.category in _WON else 1
        elif grade.kind.is_error and probe.category in _WON:
            half_points = 1

        # On a score sheet Black's first move is the second ply of a move, also if the game starts with it.
        plies_before = number + (game.mover(record.start) != "white")
        turn = game.file_notation.first_move_number(record.start) + plies_before // 2
        name = ""
        text = ""
        if half_points or grade.plies:
            dots = "." if mover == "white" else "…"
            name = f"{turn}{dots}{game.standard_san(position, record.notes[number].move)}"
            text = game.format(position)
        return Slip(number + 1, name, mover, ending, text, grade, half_points, depth)

    def _expected_score(self, position: Any) -> int | None:
        """White's half points under best play; None where they are not certain."""
        category = self._judge.quick_probe(position).category
        score = None
        if category is not None:
            score = _CATEGORY_SCORES.get(category)
        if score is None or self._game.mover(position) == "white":
            return score
        # The score is that of the side to move: a whole point is shared by both.
        return 2 - score
