"""Collections of games: what both sides played where tables reach, graded, and what it cost them.

Of a game that may come to an ending every position is tried from the last one back, as far as tables can reach, for men
only become fewer. What is read of a game is kept as text, so that it can be opened again as it was written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from endgame_core.errors import EndgameError, EndingError, PositionError
from endgame_core.game import PositionRecord
from endgame_core.pgn import GameText, games, headers_of, result_of, split_games
from endgame_core.practice.studies import MY_GAMES, StudyImport
from endgame_core.tasks.play import text_of
from endgame_core.untrusted import quoted
from endgame_core.values import LAST_CLOCK, WINNERS, Category, Grade, Kind, Winner

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext
    from endgame_core.chess.syzygy import Syzygy

_SCORES: Final[Mapping[Category | str, int]] = {
    Category.WIN: 2, Category.CURSED_WIN: 1, Category.DRAW: 1, Category.BLESSED_LOSS: 1, Category.LOSS: 0,
    "1-0": 2, "1/2-1/2": 1, "0-1": 0,
}  # fmt: skip
"""Half points: of a category for the side to move, of a result for White."""

_MOST_GRADES: Final = 100_000
"""Grades that are cached at most: some 30 MB."""

_FEW: Final = 1000
"""Games that are all read to their end; of more those are only skimmed that come to no ending."""

_WON: Final = (Category.WIN, Category.MAYBE_WIN)
_MONTHS: Final = 12
"""Months that are told one by one; more are told by their years."""


@dataclass(slots=True)
class Sum:
    """Moves of one side or more, added up.

    Attributes:
        games: In how many games.
        moves: Graded moves.
        errors: Those that cost half a point or more.
        halves: Half points that they cost.
        plies: Plies lost by the others.
    """

    games: int = 0
    moves: int = 0
    errors: int = 0
    halves: int = 0
    plies: int = 0

    def add(self, other: Sum) -> None:
        """Adds others, games aside."""
        self.moves += other.moves
        self.errors += other.errors
        self.halves += other.halves
        self.plies += other.plies


@dataclass(frozen=True, slots=True)
class Slip:
    """A move that lost something.

    Attributes:
        ply: Its number in the game, from 1.
        name: The move with its number: ``67…Kd4``.
        mover: Who made it.
        ending: The ending it was made in.
        position: The position before it, as text.
        grade: What it was worth.
        halves: Half points it cost.
        depth: Plies to the end before it; None for a draw, or when no table tells.
    """

    ply: int
    name: str
    mover: Winner
    ending: str
    position: str
    grade: Grade
    halves: int = 0
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was played in one ending without a break.

    Attributes:
        ending: Its name.
        ply: The number of the first move in it.
        expected: White's half points under best play, when it began; None where that is not certain.
        sums: What each side's moves came to.
    """

    ending: str
    ply: int
    expected: int | None
    sums: Mapping[Winner, Sum]


@dataclass(frozen=True, slots=True)
class Played:
    """One game of a collection.

    Attributes:
        file: The file it stands in.
        number: Which game of that file, from 1.
        text: All that stands there of it.
        headers: Its headers.
        problem: Why it cannot be read, or not to its end, one clause; else empty.
        stretches: What could be graded, in the order of play.
        slips: The moves that lost something, in the order of play.
        missing: Endings that were reached and have no table, with the moves made in them.
        has_moves: Whether a move of it could be read, or nobody has looked.
    """

    file: str
    number: int
    text: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    problem: str = ""
    stretches: tuple[Stretch, ...] = ()
    slips: tuple[Slip, ...] = ()
    missing: Mapping[str, int] = field(default_factory=dict[str, int])
    has_moves: bool = True

    def said(self, name: str) -> str:
        """What a header says; empty where it says that it is not known."""
        result = " ".join(self.headers.get(name, "").split())
        return "" if not result.strip("?.-*") else result

    @property
    def players(self) -> str:
        """White and Black."""
        return f"{self.said('White') or '?'} – {self.said('Black') or '?'}"

    @property
    def date(self) -> str:
        """As far as it is known: ``2026.11.22``, ``2026.11``, ``2026``, or nothing."""
        return (self.said("Date") or self.said("UTCDate")).partition(".?")[0].replace("-", ".")

    @property
    def title(self) -> str:
        """The players, the event and the date, as far as they are known."""
        return ", ".join(filter(None, (self.players, self.said("Event"), self.date)))

    @property
    def score(self) -> int | None:
        """White's half points; None for a game without a result."""
        return _SCORES.get(self.headers.get("Result", ""))

    def turned_out(self, side: Winner) -> int:
        """Half points that a side got more (or less) than best play would have given when the first ending began."""
        expected = next((stretch.expected for stretch in self.stretches if stretch.expected is not None), None)
        if expected is None or self.score is None:
            return 0
        return (self.score - expected) * (1 if side == "white" else -1)


@dataclass(frozen=True, slots=True)
class Missing:
    """An ending that was reached and has no table: in how many games, and the moves made in it."""

    ending: str
    games: int
    moves: int


class Games:
    """A collection of games of one kind.

    Args:
        lab: Knows the tables, and keeps the studies.
        game: The name of the game.
        me: The player whose moves count; empty where those of both sides do.
    """

    def __init__(self, lab: AppContext, game: str, me: str = "") -> None:
        self.lab = lab
        self.judge = lab.judge(game)
        self.game = self.judge.game
        self.me = me
        self.played: list[Played] = []
        """All games, as they stand in the files."""
        self.problems: list[EndgameError] = []
        """Files that could not be read."""
        self.twice = 0
        """Games that were left out because they are there already."""
        self._known: set[int] = set()
        self._grades: dict[tuple[Hashable, Any], Grade | None] = {}
        """The grades of moves by their positions, which a long game and many games repeat."""
        self._skims = False
        self._most = max(len(self.game.men(ending)) for ending in self.game.endings())

    # Reading

    @property
    def _syzygy(self) -> Syzygy | None:
        """The Syzygy files, where the game has some."""
        return self.lab.syzygy if self.game.horizon is not None else None

    def read(self, paths: Iterable[Path], tell: Callable[[int, int], object] = lambda done, total: None) -> None:
        """Reads files of games, and grades what tables reach; those that cannot be read are kept as problems.

        Args:
            paths: The files.
            tell: Told how much of how much text has been read; what it raises ends the reading.

        Raises:
            EndgameError: There is no game in any of them.
        """
        files: list[tuple[Path, list[str]]] = []
        for path in paths:
            try:
                files.append((path, list(split_games(text_of(path)))))
            except EndgameError as problem:
                self.problems.append(problem)
        self._skims = sum(len(found) for _, found in files) > _FEW
        if self._syzygy is not None:
            self._most = max(self._most, *(len(table.ending) - 1 for table in self._syzygy.tables))
        done, total = 0, max(sum(len(part) for _, found in files for part in found), 1)
        for path, result in files:
            first, before = len(self.played), len(self.played) + self.twice
            for part in result:
                tell(done, total)
                done += len(part)
                self._take(path.name, part, 1 + len(self.played) + self.twice - before)
            if not any(one.headers or one.has_moves for one in self.played[first:]):
                del self.played[first:]  # some other text
            if len(self.played) + self.twice == before:
                advice = "a PGN has headers in brackets, or moves"
                self.problems.append(PositionError(f"there is no game in {path.name}", advice))
        tell(total, total)
        if not self.played and self.problems:
            raise self.problems.pop()

    def _take(self, file: str, text: str, number: int) -> None:
        """Takes a game of a file."""
        if (known := hash(" ".join(text.split()))) in self._known:
            self.twice += 1
            return
        self._known.add(known)
        headers = headers_of(text)
        if self._skims and not self.game.file_notation.may_reach(headers, text, self._most):
            known = headers if "Result" in headers else {**headers, "Result": result_of(text)}
            self.played.append(Played(file, number, text, known))
            return
        for record in games(text, self.game):
            if record.notes:
                headers.setdefault("Result", record.result)
            played = Played(file, number, text, headers, record.problem)
            if not record.problem or record.notes:
                self.played.append(self._graded(played, record))
            else:
                self.played.append(replace(played, has_moves=False))

    def _graded(self, played: Played, record: GameText[Any, Any]) -> Played:
        """The game with all that can be told of its moves."""
        game, positions = self.game, [record.start]
        for note in record.notes:
            positions.append(game.play(positions[-1], note.move))
        result: list[tuple[int, str, Grade]] = []
        missing: Counter[str] = Counter()
        for at in reversed(range(len(record.notes))):
            move = record.notes[at].move
            if game.is_trivial(positions[at]) or game.is_null(move) or self._is_over(positions[at]):
                continue
            ending = self._reached(positions[at])
            if ending is None:
                break
            asked = ending not in self._unbuilt or self._syzygy is not None
            grade = self._grade(positions[at], move) if asked else None
            if grade is not None:
                result.append((at, ending, grade))
            elif ending in self._unbuilt:
                missing[ending] += 1
        made = [self._slip(record, positions[at], at, ending, grade) for at, ending, grade in reversed(result)]
        stretches: list[Stretch] = []
        for slip in made:
            if not stretches or stretches[-1].ending != slip.ending:
                here = positions[slip.ply - 1]
                sums = {side: Sum() for side in WINNERS}
                stretches.append(Stretch(slip.ending, slip.ply, self._expected(here), sums))
            one = Sum(0, 1, bool(slip.halves), slip.halves, 0 if slip.halves else slip.grade.plies)
            stretches[-1].sums[slip.mover].add(one)
        slips = tuple(slip for slip in made if slip.halves or slip.grade.plies)
        return replace(played, stretches=tuple(stretches), slips=slips, missing=dict(missing))

    def _is_over(self, position: Any) -> bool:
        """Return whether the limit of moves itself has ended the game before a position: Play plays no further."""
        rule = self.judge.rule
        return rule is not None and rule.clock(position) >= LAST_CLOCK

    def _grade(self, position: Any, move: Any) -> Grade | None:
        key = self.game.value_key(position), move
        if key not in self._grades:
            if len(self._grades) >= _MOST_GRADES:
                self._grades.clear()
            self._grades[key] = self.judge.grade(position, move)
        return self._grades[key]

    @cached_property
    def _unbuilt(self) -> frozenset[str]:
        """The endings that have no table of ours."""
        library = self.judge.explorer.library
        return frozenset(ending for ending in self.game.endings() if not library.is_built(ending))

    def _reached(self, position: Any) -> str | None:
        """The ending of a position; None where no table can know it."""
        try:
            return self.game.ending_of(position)
        except EndingError:
            pass
        except EndgameError:
            return None
        return None if self.judge.quick_probe(position).category is None else f"more {self.game.listing.unit}"

    def _slip(self, record: GameText[Any, Any], position: Any, at: int, ending: str, grade: Grade) -> Slip:
        """A graded move, whether it lost anything or not."""
        game, mover = self.game, self.game.mover(position)
        halves, depth = 0, None
        if grade.kind.is_error or grade.plies:
            glance = self.judge.quick_probe(position)
            depth = None if glance.verdict is None else glance.verdict.depth
            won = glance.category in _WON
            halves = (2 if grade.kind is Kind.LOSES else 1) if won and grade.kind.is_error else 0
            halves = halves or int(grade.kind is Kind.LOSES)
        second = game.mover(record.start) != "white"
        number = game.file_notation.first_move_number(record.start) + (at + second) // 2
        move = record.notes[at].move
        name = f"{number}{'.' if mover == 'white' else '…'}{game.san(position, move)}" if halves or grade.plies else ""
        text = game.format(position) if name else ""
        return Slip(at + 1, name, mover, ending, text, grade, halves, depth)

    def _expected(self, position: Any) -> int | None:
        category = self.judge.quick_probe(position).category
        result = None if category is None else _SCORES.get(category)
        return result if result is None or self.game.mover(position) == "white" else 2 - result

    # Whose

    def side(self, played: Played) -> Winner | None:
        """The side of the player whose moves count; None where both count, or neither is his."""
        wanted = self.me.strip().casefold()
        names = {side: played.said(side.capitalize()).casefold() for side in WINNERS}
        return next((side for side, name in names.items() if wanted and name == wanted), None)

    def plays(self, name: str) -> bool:
        """Whether somebody of this name plays in any game."""
        wanted = name.strip().casefold()
        return any(wanted == p.said(side).casefold() for p in self.played for side in ("White", "Black"))

    def sides(self, played: Played) -> tuple[Winner, ...]:
        """The sides whose moves count in a game."""
        side = self.side(played)
        return (side,) if side else () if self.me.strip() else WINNERS

    def check_me(self) -> None:
        """Raises EndgameError where nobody plays under the name."""
        if self.me.strip() and self.played and not self.plays(self.me):
            names = " or ".join(map(quoted, self._often(2)))
            raise EndgameError(
                f"no player named {quoted(self.me)} in these games", f"the most games are by {names}" if names else ""
            )

    def _often(self, most: int) -> list[str]:
        """The players of the most games."""
        names = Counter(played.said(side) for played in self.played for side in ("White", "Black"))
        names.pop("", None)
        return [name for name, _ in names.most_common(most)]

    @property
    def often(self) -> str:
        """The player of the most games, where he plays in more of them than others; else nobody."""
        first = self._often(1)
        times = sum(first[0] in (p.said("White"), p.said("Black")) for p in self.played) if first else 0
        return first[0] if times > max(1, len(self.played) // 2) else ""

    # What was found

    @property
    def counted(self) -> list[Played]:
        """The games with an ending that tables know, and with a side that counts."""
        return [played for played in self.played if played.stretches and self.sides(played)]

    @property
    def failed(self) -> list[Played]:
        """The games that could not be read, or not to their end."""
        return [played for played in self.played if played.problem]

    @property
    def total(self) -> Sum:
        """All graded moves that count."""
        return self._sum(lambda played, stretch: "").get("", Sum())

    @property
    def by_ending(self) -> dict[str, Sum]:
        """The same for each ending, that of the most half points lost first."""
        result = self._sum(lambda played, stretch: stretch.ending)
        return dict(sorted(result.items(), key=lambda one: (-one[1].halves, -one[1].plies, -one[1].games, one[0])))

    @property
    def by_time(self) -> dict[str, Sum]:
        """The same for each month, or for each year where there are many months; what has no date is last."""
        months = {played.date[:7] for played in self.counted if played.date}
        most = 7 if len(months) <= _MONTHS else 4
        result = self._sum(lambda played, stretch: played.date[:most])
        return dict(sorted(result.items(), key=lambda one: (not one[0], one[0])))

    def _sum(self, key: Callable[[Played, Stretch], str]) -> dict[str, Sum]:
        sums: dict[str, Sum] = {}
        for played in self.played:
            seen: set[str] = set()
            for stretch in played.stretches:
                for one in (stretch.sums[side] for side in self.sides(played)):
                    if one.moves:
                        name = key(played, stretch)
                        sums.setdefault(name, Sum()).add(one)
                        sums[name].games += name not in seen
                        seen.add(name)
        return sums

    def turned_out(self, better: bool) -> tuple[int, int]:
        """In how many games a side that counts got more (or less) than best play would have given, and half points."""
        turned = (played.turned_out(side) for played in self.counted for side in self.sides(played))
        result = [halves for halves in turned if (halves > 0 if better else halves < 0)]
        return len(result), abs(sum(result))

    @property
    def slips(self) -> list[tuple[Played, Slip]]:
        """The moves that lost something, the costliest first: by half points, of shorter wins first, then by plies."""
        result = [(p, slip) for p in self.played for slip in p.slips if slip.mover in self.sides(p)]
        return sorted(result, key=lambda one: (-one[1].halves, -one[1].grade.plies, one[1].depth or 0))

    @property
    def missing(self) -> list[Missing]:
        """The endings that were reached and have no table, the most frequent first."""
        games, moves = Counter[str](), Counter[str]()
        for played in self.played:
            if self.sides(played):
                games.update(played.missing.keys())
                moves.update(played.missing)
        return [Missing(ending, games[ending], moves[ending]) for ending, _ in moves.most_common()]

    # A list of games

    def listed(self, text: str = "", order: int = 0) -> list[Played]:
        """The games in which all words of a text occur (players, event, date, endings), in one of :data:`ORDERS`."""
        words = text.casefold().split()
        result = [played for played in self.played if not words or _has(played, words)]
        return sorted(result, key=partial(_KEYS[ORDERS[order]], self))

    def cost(self, played: Played) -> Sum:
        """What the moves that count came to in one game."""
        result = Sum()
        for stretch in played.stretches:
            for side in self.sides(played):
                result.add(stretch.sums[side])
        return result

    # Drills

    def drill(self) -> StudyImport:
        """Makes a drill of each error that counts: a position once, whichever game it comes from.

        Raises:
            EndgameError: The set cannot be changed.
        """
        told = set(self.game.endings())  # by tables by depth
        records = [
            self._drill(played, slip)
            for played in self.played
            for slip in played.slips
            if slip.halves and slip.ending in told and slip.mover in self.sides(played)
        ]
        if not records:
            return StudyImport((), ())
        return self.lab.studies(self.game.name).import_records(records, MY_GAMES)

    def _drill(self, played: Played, slip: Slip) -> PositionRecord:
        """The position of an error; which game it comes from is told in its name and its note."""
        move = slip.name.partition("…" if "…" in slip.name else ".")[0]
        year = f", {played.date[:4]}" if played.date else ""
        return PositionRecord(
            location=f"{played.file}, game {played.number}", text=slip.position, position=slip.position,
            name=f"{played.players}{year}, move {move}", note=f"From your game {played.title}, move {move}.",
            source=f"{played.title}, move {move}", opcodes={"side": slip.mover},
        )  # fmt: skip


def _has(played: Played, words: Sequence[str]) -> bool:
    """Whether all words occur in what is told of a game."""
    endings = (stretch.ending for stretch in played.stretches)
    told = " ".join((played.title, played.headers.get("Result", ""), played.file, *endings, *played.missing)).casefold()
    return all(word in told for word in words)


_KEYS: Final[Mapping[str, Callable[[Games, Played], Any]]] = {
    "costliest first": lambda games, one: (-games.cost(one).halves, -games.cost(one).plies, not one.stretches),
    "newest first": lambda _, one: (not one.date, [-int(part) for part in one.date.split(".") if part.isdigit()]),
    "by players": lambda _, one: one.players.casefold(),
    "by ending": lambda _, one: (not one.stretches, one.stretches[-1].ending if one.stretches else ""),
    "as in the file": lambda _, one: 0,
}
ORDERS: Final = tuple(_KEYS)
"""How games can be listed."""
