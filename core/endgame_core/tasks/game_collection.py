"""Collections of games from files: what both sides played in endings, and what it cost them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import PositionRecord
from endgame_core.language import _, or_list
from endgame_core.metric import DTM
from endgame_core.pgn import games, headers_of, result_of, split_games
from endgame_core.practice.studies import MY_GAMES, StudyImport
from endgame_core.tasks.game_grading import EndingPhase, GameGrader, GradedGame, GradeSums, Slip
from endgame_core.tasks.saved_games import read_games_file
from endgame_core.untrusted import quoted
from endgame_core.values import WINNERS, Winner

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext
    from endgame_core.chess.syzygy import Syzygy

_MANY_GAMES: Final = 1000
"""From more games than these, those that cannot reach an ending by their result and length are not parsed."""

_MAX_MONTHS: Final = 12
"""More months than these are summed up by years."""


@dataclass(frozen=True, slots=True)
class MissingTable:
    """An ending that was reached and has no table.

    Attributes:
        ending: Its name.
        games: In how many games it was reached.
        moves: How many moves were made in it.
    """

    ending: str
    games: int
    moves: int


class GameCollection:
    """The games of some files, of one game (chess or Nine Men's Morris).

    Args:
        lab: Provides the tables, and stores the studies.
        game: Name of the game.
        player: The player whose moves count; empty to count those of both sides.

    Attributes:
        games: All games, in the order of the files.
        problems: Why files could not be read.
        duplicates: Number of games that were left out because they occur before.
    """

    def __init__(self, lab: AppContext, game: str, player: str = "") -> None:
        self.lab = lab
        self.judge = lab.judge(game)
        self.game = self.judge.game
        self.player = player
        self.games: list[GradedGame] = []
        self.problems: list[EndgameError] = []
        self.duplicates = 0
        self._text_hashes: set[int] = set()
        self._skips_unreaching = False
        """Whether games that cannot reach an ending are not parsed."""
        self._max_pieces = max(len(self.game.men(ending)) for ending in self.game.endings())
        """The most pieces of a position that tables may cover."""

    # Reading

    @cached_property
    def _grader(self) -> GameGrader:
        """Grades the games; made in the thread that reads them, because other files may have to be opened first."""
        has_gaviota = self.game.metric == DTM and self.lab.gaviota is not None
        return GameGrader(self.judge, self._syzygy is not None or has_gaviota)

    @property
    def _syzygy(self) -> Syzygy | None:
        """The Syzygy files, if the game has some."""
        if self.game.horizon is not None:
            return self.lab.syzygy
        return None

    def read(self, paths: Iterable[Path], report: Callable[[int, int], object] = lambda done, total: None) -> None:
        """Read files of games and grade their moves; files that cannot be read are added to ``problems``.

        Args:
            paths: The files.
            report: Called with the number of characters that were read, and of all; its exceptions propagate.

        Raises:
            EndgameError: There is no game in any of the files.
        """
        files: list[tuple[Path, list[str]]] = []
        for path in paths:
            try:
                files.append((path, list(split_games(read_games_file(path)))))
            except EndgameError as problem:
                self.problems.append(problem)
        self._skips_unreaching = sum(len(texts) for __, texts in files) > _MANY_GAMES
        if self._syzygy is not None:
            self._max_pieces = max(self._max_pieces, *(len(table.ending) - 1 for table in self._syzygy.tables))

        done = 0
        total = max(sum(len(text) for __, texts in files for text in texts), 1)
        for path, texts in files:
            count_before = len(self.games) + self.duplicates
            first = len(self.games)
            for text in texts:
                report(done, total)
                done += len(text)
                self._add(path.name, text, 1 + len(self.games) + self.duplicates - count_before)
            if not any(game.headers or game.has_moves for game in self.games[first:]):
                del self.games[first:]  # a text without games
            if len(self.games) + self.duplicates == count_before:
                advice = _("a PGN contains moves, or tags in square brackets")
                self.problems.append(PositionError(_("there is no game in {path}").format(path=path.name), advice))
        report(total, total)
        if not self.games and self.problems:
            raise self.problems.pop()

    def _add(self, file: str, text: str, number: int) -> None:
        """Add a game of a file, unless the same text was added before."""
        # Line breaks and blanks may differ between copies of a game.
        text_hash = hash(" ".join(text.split()))
        if text_hash in self._text_hashes:
            self.duplicates += 1
            return
        self._text_hashes.add(text_hash)

        headers = headers_of(text)
        if self._skips_unreaching and not self.game.file_notation.may_reach(headers, text, self._max_pieces):
            if "Result" not in headers:
                headers["Result"] = result_of(text)
            self.games.append(GradedGame(file, number, text, headers))
            return
        for record in games(text, self.game):
            if record.notes:
                headers.setdefault("Result", record.result)
            game = GradedGame(file, number, text, headers, record.problem)
            if not record.problem or record.notes:
                self.games.append(self._grader.grade_game(game, record))
            else:
                self.games.append(replace(game, has_moves=False))

    # The player whose moves count

    def side_of_player(self, game: GradedGame) -> Winner | None:
        """Return the side of the player; None if the moves of both sides count, or the player has neither."""
        name = self.player.strip().casefold()
        if not name:
            return None
        return next((side for side in WINNERS if game.header(side.capitalize()).casefold() == name), None)

    def has_player(self, name: str) -> bool:
        """Return whether a player of this name occurs in any game."""
        name = name.strip().casefold()
        return any(name == game.header(side).casefold() for game in self.games for side in ("White", "Black"))

    def counted_sides(self, game: GradedGame) -> tuple[Winner, ...]:
        """Return the sides whose moves count in a game."""
        if not self.player.strip():
            return WINNERS
        side = self.side_of_player(game)
        return () if side is None else (side,)

    def check_player(self) -> None:
        """Raise EndgameError if there are games, and none of the player."""
        if self.player.strip() and self.games and not self.has_player(self.player):
            names = or_list(list(map(quoted, self._frequent_players(2))))
            then = ""
            if names:
                then = _("the players with the most games are {names}").format(names=names)
            raise EndgameError(
                _("no player named {player} in these games").format(player=quoted(self.player)),
                then,
            )

    def _frequent_players(self, limit: int) -> list[str]:
        """Return the names of the players with the most games."""
        names = Counter(game.header(side) for game in self.games for side in ("White", "Black"))
        names.pop("", None)
        return [name for name, __ in names.most_common(limit)]

    @property
    def likely_player(self) -> str:
        """The player who occurs in more than half of the games, and in two or more; empty if there is none."""
        for name in self._frequent_players(1):
            count = sum(name in (game.header("White"), game.header("Black")) for game in self.games)
            if count > max(1, len(self.games) // 2):
                return name
        return ""

    # Statistics

    @property
    def counted_games(self) -> list[GradedGame]:
        """The games with graded moves of a side that counts."""
        return [game for game in self.games if game.phases and self.counted_sides(game)]

    @property
    def unreadable(self) -> list[GradedGame]:
        """The games that could not be read, or not to their end."""
        return [game for game in self.games if game.problem]

    @property
    def total(self) -> GradeSums:
        """Sums over all graded moves that count."""
        return self._sums_by(lambda game, phase: "").get("", GradeSums())

    @property
    def by_ending(self) -> dict[str, GradeSums]:
        """Sums for each ending, first that in which the most half points were lost."""
        sums = self._sums_by(lambda game, phase: phase.ending)
        return dict(
            sorted(sums.items(), key=lambda item: (-item[1].half_points, -item[1].plies, -item[1].games, item[0]))
        )

    @property
    def by_time(self) -> dict[str, GradeSums]:
        """Sums for each month, or for each year if there are many months; games without a date come last."""
        months = {game.date[:7] for game in self.counted_games if game.date}
        length = 7 if len(months) <= _MAX_MONTHS else 4
        sums = self._sums_by(lambda game, phase: game.date[:length])
        return dict(sorted(sums.items(), key=lambda item: (not item[0], item[0])))

    def _sums_by(self, key: Callable[[GradedGame, EndingPhase], str]) -> dict[str, GradeSums]:
        """Sum up the moves that count in groups with the same key."""
        result: dict[str, GradeSums] = {}
        for game in self.games:
            names: set[str] = set()
            for phase in game.phases:
                for sums in (phase.sums[side] for side in self.counted_sides(game)):
                    if sums.moves:
                        name = key(game, phase)
                        result.setdefault(name, GradeSums()).add(sums)
                        names.add(name)
            # A game counts once in each group, however many phases it has there.
            for name in names:
                result[name].games += 1
        return result

    def changed_results(self, better: bool) -> tuple[int, int]:
        """Return in how many games a side that counts got more (or less) than best play gives, and the half points."""
        gains = (game.gained(side) for game in self.counted_games for side in self.counted_sides(game))
        result = [gain for gain in gains if (gain > 0 if better else gain < 0)]
        return len(result), abs(sum(result))

    @property
    def slips(self) -> list[tuple[GradedGame, Slip]]:
        """The moves that lost something, the costliest first: by half points, length of the win lost, then plies."""
        result = [(game, slip) for game in self.games for slip in game.slips if slip.mover in self.counted_sides(game)]
        return sorted(result, key=lambda item: (-item[1].half_points, -item[1].grade.plies, item[1].depth or 0))

    @property
    def missing(self) -> list[MissingTable]:
        """The endings that were reached and have no table, the most frequent first."""
        game_counts: Counter[str] = Counter()
        move_counts: Counter[str] = Counter()
        for game in self.games:
            if self.counted_sides(game):
                # Keys add 1 per game; the mapping adds its numbers of moves.
                game_counts.update(game.missing.keys())
                move_counts.update(game.missing)
        return [MissingTable(ending, game_counts[ending], moves) for ending, moves in move_counts.most_common()]

    # A list of games

    def search(self, text: str = "", order: int = 0) -> list[GradedGame]:
        """Return the games that contain all words of a text.

        Args:
            text: Words of the players, the event, the date or the endings.
            order: Index in :data:`ORDERS`.
        """
        words = text.casefold().split()
        result = [game for game in self.games if _contains(game, words)]
        return sorted(result, key=partial(_SORT_KEYS[ORDERS[order]], self))

    def cost(self, game: GradedGame) -> GradeSums:
        """Return the sums over the moves that count in one game."""
        result = GradeSums()
        for phase in game.phases:
            for side in self.counted_sides(game):
                result.add(phase.sums[side])
        return result

    # Drills

    def make_drills(self) -> StudyImport:
        """Make a drill of each error that counts; a position becomes one drill, however many games it occurs in.

        Raises:
            EndgameError: The set of studies cannot be changed.
        """
        endings = set(self.game.endings())
        records = [
            self._drill(game, slip)
            for game in self.games
            for slip in game.slips
            if slip.half_points and slip.ending in endings and slip.mover in self.counted_sides(game)
        ]
        if not records:
            return StudyImport((), ())
        return self.lab.studies(self.game.name).import_records(records, MY_GAMES)

    def _drill(self, game: GradedGame, slip: Slip) -> PositionRecord:
        """Return the position of an error; its name and its note say which game it comes from."""
        move = slip.name.partition("…" if "…" in slip.name else ".")[0]
        year = f", {game.date[:4]}" if game.date else ""
        return PositionRecord(
            location=_("{file}, game {number}").format(file=game.file, number=game.number),
            text=slip.position,
            position=slip.position,
            name=f"{game.players}{year}, move {move}",
            note=f"From your game {game.title}, move {move}.",
            source=f"{game.title}, move {move}",
            opcodes={"side": slip.mover},
        )


def _contains(game: GradedGame, words: Sequence[str]) -> bool:
    """Whether a game contains all words, in lower case."""
    if not words:
        return True
    endings = (phase.ending for phase in game.phases)
    parts = (game.title, game.headers.get("Result", ""), game.file, *endings, *game.missing)
    text = " ".join(parts).casefold()
    return all(word in text for word in words)


def _by_cost(collection: GameCollection, game: GradedGame) -> tuple[int, int, bool]:
    cost = collection.cost(game)
    return -cost.half_points, -cost.plies, not game.phases


_SORT_KEYS: Final[Mapping[str, Callable[[GameCollection, GradedGame], Any]]] = {
    "costliest first": _by_cost,
    "newest first": lambda __, game: (not game.date, [-int(part) for part in game.date.split(".") if part.isdigit()]),
    "by players": lambda __, game: game.players.casefold(),
    "by ending": lambda __, game: (not game.phases, game.phases[-1].ending if game.phases else ""),
    "as in the file": lambda __, game: 0,
}

ORDERS: Final = tuple(_SORT_KEYS)
"""Orders in which games are listed."""
