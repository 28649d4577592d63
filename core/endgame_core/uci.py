"""A chess engine for other programs: answers by the tables where they reach, by our own search elsewhere.

The protocol is UCI (Universal Chess Interface, Huber and Meyer-Kahlen, April 2006). See ``docs/uci.md``.

The main thread reads commands. Each ``go`` is answered in a thread of its own, so that ``stop`` and ``isready`` are
answered at once.
"""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import chess

from endgame_core.app_context import AppContext
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError
from endgame_core.game_state import GameState
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.metric import DTM, DTZ
from endgame_core.practice.defence import Defence, reply
from endgame_core.probe_result import ProbeResult
from endgame_core.search_estimate import Limits, SearchEstimate
from endgame_core.tables.explorer import RatedMove
from endgame_core.thinking import SearchEngine
from endgame_core.values import Category

Rated = RatedMove[chess.Board, chess.Move]

TABLE_WIN: Final = 20_000
"""Score in hundredths of a pawn of a win whose distance to mate no table knows; less one for each ply of DTZ."""

_OVERHEAD = 0.04
"""Seconds of each move that are left for pipes and the other program."""

_PRESSING_TIME = 0.3
"""With less time than this, in seconds, a drawn position is searched only for a move that holds the draw."""

_SHORT_LINE = 8
"""Plies of the line of a move with a time limit; without a limit, the line grows by this number at a time."""

_WARM_UP = ("8/8/8/4k3/8/8/8/R3K3 w - - 0 1", "8/8/8/4k3/8/4K3/PPPP4/8 w - - 0 1")
"""Positions with few and with most pieces: probing them once loads what later probes need."""

_START_TIMEOUT = 10.0
"""Seconds to wait for the search to start."""

_MOST_LINES = 218
"""The most legal moves that a position has."""

_MOST_HASH = 4096

_ENTRIES_PER_MB = 4_000
"""Positions of the search's table for each megabyte of ``Hash``."""

_FOREVER = 10.0**6


@dataclass
class Options:
    """The options of the engine, by their UCI names.

    Attributes:
        multi_pv: ``MultiPV``, the number of moves that are reported where tables reach.
        syzygy_path: ``SyzygyPath``; empty for the directories of the environment and the settings.
        hash: ``Hash``, megabytes for the search.
        shows_wdl: ``UCI_ShowWDL``, whether chances to win, draw and lose are reported.
        metric: ``Metric``, whether the shortest way to mate (DTM) or to the next zeroing move (DTZ) is played.
    """

    multi_pv: int = 1
    syzygy_path: str = ""
    hash: int = 150
    shows_wdl: bool = False
    metric: str = "DTM"


@dataclass
class GoRequest:
    """The parameters of a ``go`` command.

    Attributes:
        moves: The moves among which to choose (``searchmoves``); empty for all.
        seconds: Time for the move; None for no limit.
        depth: Depth limit of the search in plies; None for no limit.
        nodes: Node limit of the search; None for no limit.
        is_infinite: Whether to answer only after ``stop``.
        is_pondering: Whether the move of the opponent is expected, and to answer only after ``ponderhit`` or ``stop``.
    """

    moves: list[chess.Move] = field(default_factory=list[chess.Move])
    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None
    is_infinite: bool = False
    is_pondering: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """A score for the side to move.

    Attributes:
        text: As printed after ``score``: ``mate 5`` or ``cp 30``.
        wdl: Chances to win, draw and lose in thousandths.
    """

    text: str
    wdl: tuple[int, int, int]


class UciEngine:
    """Reads UCI commands and answers them.

    Args:
        make_context: Creates the tables with these Syzygy directories, as in PATH; empty for the default.
        write: Called with each line of output, in any thread.
        is_locked: Whether directories that the other program names are not opened.
    """

    def __init__(
        self, make_context: Callable[[str], AppContext], write: Callable[[str], object], is_locked: bool = False
    ) -> None:
        self._is_locked = is_locked
        self._make_context = make_context
        self._write_line = write
        self._writing = threading.Lock()
        self._options = Options()
        self._context: AppContext | None = None
        self._search: SearchEngine | None = None
        self._board = chess.Board()
        self._thread: threading.Thread | None = None
        self._request = GoRequest()
        self._changed = threading.Condition()
        """Notified if the search has something new, or the other program wants an answer."""
        self._is_stopped = False
        self._deadline = math.inf
        """When the answer is due, by the monotonic clock."""

    # Commands

    def run(self, lines: Iterable[str]) -> None:
        """Answer commands until ``quit`` or the end of the input."""
        try:
            for line in lines:
                words = line.split()
                if words[:1] == ["quit"]:
                    break
                self._obey(words)
        finally:
            self._stop()
            self._close()

    def _obey(self, words: Sequence[str]) -> None:
        """Carry out a command; unknown words before it are skipped, as the protocol demands."""
        commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._introduce,
            "isready": self._get_ready,
            "setoption": self._set_option,
            "ucinewgame": self._begin_game,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda _: self._stop(),
            "ponderhit": lambda _: self._ponder_hit(),
        }
        for number, word in enumerate(words):
            if word in commands:
                commands[word](words[number + 1 :])
                return

    def _write(self, *lines: str) -> None:
        """Print the lines of one message, without those of another thread in between."""
        with self._writing:
            for line in lines:
                self._write_line(line)

    def _introduce(self, _: Sequence[str]) -> None:
        from endgame_core.paths import stamp

        defaults = Options()
        self._write(
            f"id name {stamp().rpartition(' (')[0]}",
            "id author the endgame-tui team",
            f"option name MultiPV type spin default {defaults.multi_pv} min 1 max {_MOST_LINES}",
            *([] if self._is_locked else ["option name SyzygyPath type string default <empty>"]),
            f"option name Hash type spin default {defaults.hash} min 1 max {_MOST_HASH}",
            "option name UCI_ShowWDL type check default false",
            f"option name Metric type combo default {defaults.metric} var DTM var DTZ",
            "option name Ponder type check default false",
            "uciok",
        )

    def _get_ready(self, _: Sequence[str]) -> None:
        """Load what the first move needs, and start the search, unless one is running; then say so."""
        if self._thread is None:
            started = threading.Event()
            try:
                for position in _WARM_UP:
                    self._judge.probe(self._table_position(chess.Board(position)))
                game = self._judge.game.start_game(chess.Board())
                self._searcher.think(game, Limits(depth=1), lambda _: None, lambda _: started.set())
                started.wait(_START_TIMEOUT)
            except EndgameError as error:
                self._write(f"info string {error}")
        self._write("readyok")

    def _set_option(self, words: Sequence[str]) -> None:
        """Set an option: ``name NAME [value VALUE]``; names are case-insensitive and may contain blanks."""
        if "value" in words:
            split = list(words).index("value")
        else:
            split = len(words)
        name = " ".join(words[1:split])
        value = " ".join(words[split + 1 :])
        options = self._options
        key = name.casefold()
        if key == "multipv":
            options.multi_pv = min(max(_number(value), 1), _MOST_LINES)
        elif key == "hash":
            options.hash = min(max(_number(value), 1), _MOST_HASH)
            self._close_search()
        elif key == "uci_showwdl":
            options.shows_wdl = value.casefold() == "true"
        elif key == "metric":
            options.metric = "DTZ" if value.casefold() == "dtz" else "DTM"
        elif key == "syzygypath" and self._is_locked:
            self._write("info string SyzygyPath is ignored: --locked denies access to other directories")
        elif key == "syzygypath":
            self._stop()
            options.syzygy_path = "" if value == "<empty>" else value
            self._close()
        # ``Ponder`` only announces that ``go ponder`` may come, which always works.
        elif key != "ponder":
            self._write(f"info string there is no option named {name}")

    def _begin_game(self, _: Sequence[str]) -> None:
        self._stop()
        if self._context is not None:
            self._context.forget()  # tables may have been built since

    def _set_position(self, words: Sequence[str]) -> None:
        """Set up ``startpos`` or ``fen FEN``, and make ``moves``; keep the old position if anything is invalid."""
        self._stop()
        places = [number for number, word in enumerate(words) if word == "moves"]
        end = places[0] if places else len(words)
        moves = words[end + 1 :]
        try:
            if words[:1] == ["fen"]:
                board = chess.Board(" ".join(words[1:end]))
            else:
                board = chess.Board()
            if not board.is_valid():
                raise ValueError(f"illegal position: {board.fen()}")
            for move in moves:
                if move == "0000":
                    raise ValueError("a null move is not a legal move")
                board.push_uci(move)
        except ValueError as error:
            self._write(f"info string {error}; the position is unchanged")
        else:
            self._board = board

    # Search

    def _go(self, words: Sequence[str]) -> None:
        self._stop()
        request = parse_go(words, self._board)
        self._request = request
        self._is_stopped = False
        self._start_clock()
        self._thread = threading.Thread(target=self._answer, args=(request, self._board.copy()), daemon=True)
        self._thread.start()

    def _start_clock(self) -> None:
        """Compute when the answer is due; never while the opponent's move is expected."""
        request = self._request
        is_timed = request.seconds is not None and not request.is_pondering
        if is_timed:
            self._deadline = time.monotonic() + (request.seconds or 0.0)
        else:
            self._deadline = math.inf

    def _ponder_hit(self) -> None:
        with self._changed:
            self._request.is_pondering = False
            self._start_clock()
            self._changed.notify_all()

    def _stop(self) -> None:
        """Demand the answer of the running search, and wait for it."""
        thread = self._thread
        if thread is None:
            return
        # The thread prints its answer before it ends, so the answer precedes whatever the next command prints.
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
        thread.join()
        self._thread = None

    def _answer(self, request: GoRequest, board: chess.Board) -> None:
        """Choose a move and print it; runs in a thread."""
        move: chess.Move | None = None
        expected: chess.Move | None = None
        try:
            if board.is_game_over():
                score = "cp 0"
                if board.is_checkmate():
                    score = "mate 0"
                self._write(f"info depth 0 score {score}")
            else:
                line = self._by_table(request, board) or self._by_search(request, board)
                move = line[0]
                expected = line[1] if len(line) > 1 else None
            self._wait(lambda: not (request.is_infinite or request.is_pondering))
        except Exception as error:  # the other program waits for a move
            self._write(f"info string {type(error).__name__}: {error}")
            move = move or next(iter(request.moves or board.legal_moves), None)
        answer = "bestmove (none)"
        if move is not None:
            answer = f"bestmove {move.uci()}"
        self._write(answer if expected is None else f"{answer} ponder {expected.uci()}")

    def _wait(self, is_enough: Callable[[], bool]) -> None:
        """Wait until there is enough, the time is up, or the other program stops the search."""
        with self._changed:
            while not (self._is_stopped or is_enough()):
                seconds_left = self._deadline - time.monotonic()
                if seconds_left <= 0:
                    break
                self._changed.wait(None if math.isinf(seconds_left) else seconds_left)

    @property
    def _is_due(self) -> bool:
        return self._is_stopped or time.monotonic() >= self._deadline

    # Tables

    @property
    def _tables(self) -> AppContext:
        if self._context is None:
            self._context = self._make_context(self._options.syzygy_path)
        return self._context

    @property
    def _judge(self) -> Judge[chess.Board, chess.Move]:
        return self._tables.judge(CHESS.name)

    def _table_position(self, board: chess.Board) -> chess.Board:
        """The board as tables know it; raises EndgameError if none can."""
        return self._judge.game.parse(board.fen())

    def _by_table(self, request: GoRequest, board: chess.Board) -> list[chess.Move]:
        """Report and return best play by the tables; empty if they do not rate the moves."""
        try:
            probe = self._judge.probe(self._table_position(board))
        except EndgameError:
            return []
        rated = probe.moves
        if self._options.metric == "DTZ" and probe.by_dtz:
            rated = probe.by_dtz
        if request.moves:
            rated = tuple(one for one in rated if one.move in request.moves)
        scores = {one.move: _score(one) for one in rated}
        # Moves with and without a score cannot be compared: then the search decides.
        if not rated or any(score is None for score in scores.values()):
            return []

        pressing = self._press(board, probe, request)
        if pressing is not None:
            rated = tuple(sorted(rated, key=lambda one: one.move != pressing))
        reported = rated[: self._options.multi_pv]
        lines = [[one.move] for one in reported]
        # In an analysis the first line is shown at once and then grows; a move in a game is reported once.
        is_endless = request.is_infinite or request.is_pondering
        if is_endless:
            self._report_table(reported, scores, lines)
        while is_endless or len(lines[0]) <= _SHORT_LINE:
            longer = [self._extended(board, line) for line in lines]
            if longer == lines or self._is_due:
                break
            lines = longer
            if is_endless:
                self._report_table(reported, scores, lines)
        if not is_endless:
            self._report_table(reported, scores, lines)
        return lines[0]

    def _press(
        self, board: chess.Board, probe: ProbeResult[chess.Board, chess.Move], request: GoRequest
    ) -> chess.Move | None:
        """In a drawn position, the move that asks most of the opponent; None elsewhere, and without time to look."""
        if request.moves or probe.verdict is None or probe.verdict.category is not Category.DRAW:
            return None
        if probe.category is not Category.DRAW:
            return None
        if request.is_infinite or self._deadline - time.monotonic() < _PRESSING_TIME:
            return None  # an analysis compares moves, and a short one has no time to look
        # Positions that have occurred: repeating one asks nothing of the opponent.
        game = self._judge.game.start_game(board.root())
        visited = [game.key]
        for move in board.move_stack:
            game.push(move)
            visited.append(game.key)

        chosen: list[chess.Move] = []

        def look() -> None:
            with suppress(EndgameError):
                chosen.append(reply(self._judge, probe.position, Defence.PERFECT, random.Random(), visited))

        # It takes as long as it takes: a thread can be left behind if the answer is due.
        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        while thread.is_alive() and not self._is_due:
            thread.join(0.02)
        return chosen[0] if chosen else None

    def _extended(self, board: chess.Board, line: list[chess.Move]) -> list[chess.Move]:
        """A longer line; the same one if the time is up or there is nothing to add."""
        end = self._table_position(board)
        for move in line:
            if self._is_due:
                return line
            end = self._judge.game.play(end, move)
        if self._options.metric == "DTZ":
            metric = DTZ
        else:
            metric = DEPTH_UNDER_RULE
        chunk = 1 if len(line) < _SHORT_LINE else _SHORT_LINE
        return [*line, *self._judge.line(end, chunk, metric).moves]

    def _report_table(
        self,
        reported: Sequence[Rated],
        scores: dict[chess.Move, Score | None],
        lines: Sequence[Sequence[chess.Move]],
    ) -> None:
        for number, (rated, line) in enumerate(zip(reported, lines, strict=True), 1):
            score = scores[rated.move]
            assert score is not None
            pv = " ".join(move.uci() for move in line)
            self._write(
                f"info depth {len(line)} seldepth {len(line)} multipv {number} score {self._score_text(score)}"
                f" nodes 1 time 0 tbhits 1 pv {pv}"
            )

    def _score_text(self, score: Score) -> str:
        if not self._options.shows_wdl:
            return score.text
        return f"{score.text} wdl {' '.join(map(str, score.wdl))}"

    # Our own search

    @property
    def _searcher(self) -> SearchEngine:
        if self._search is None:
            library = self._tables.library(DTM)
            self._search = SearchEngine(library.game, library.places, self._options.hash * _ENTRIES_PER_MB)
        return self._search

    def _by_search(self, request: GoRequest, board: chess.Board) -> list[chess.Move]:
        """Search, report each depth, and return the expected line; any move if there was no time for one."""
        newest: list[SearchEstimate[chess.Move]] = []
        problems: list[EndgameError | None] = []

        def on_estimate(estimate: SearchEstimate[chess.Move]) -> None:
            self._report_estimate(estimate)
            with self._changed:
                newest[:] = [estimate]
                self._changed.notify_all()

        def on_end(problem: EndgameError | None) -> None:
            with self._changed:
                problems.append(problem)
                self._changed.notify_all()

        if math.isinf(self._deadline):
            seconds = _FOREVER
        else:
            seconds = max(self._deadline - time.monotonic(), 0.01)
        limits = Limits(
            seconds=seconds,
            depth=request.depth or Limits().depth,
            nodes=request.nodes,
            moves=tuple(move.uci() for move in request.moves),
        )
        self._searcher.think(self._game_of(board), limits, on_estimate, on_end)
        self._wait(lambda: bool(problems))
        self._searcher.cancel()
        if problems and problems[0] is not None:
            self._write(f"info string {problems[0]}")
        if newest and newest[0].line:
            return list(newest[0].line)
        return [next(iter(request.moves or board.legal_moves))]

    def _game_of(self, board: chess.Board) -> GameState[chess.Board, chess.Move]:
        """The game that led to a board, so that repetitions are known."""
        game = self._judge.game.start_game(board.root())
        for move in board.move_stack:
            game.push(move)
        return game

    def _report_estimate(self, estimate: SearchEstimate[chess.Move]) -> None:
        milliseconds = max(round(1000 * estimate.seconds), 1)
        pv = " ".join(move.uci() for move in estimate.line)
        self._write(
            f"info depth {estimate.depth} multipv 1 score {self._score_text(_estimated(estimate))}"
            f" nodes {estimate.nodes} nps {1000 * estimate.nodes // milliseconds} time {milliseconds}"
            f" tbhits {estimate.looked_up} pv {pv}"
        )

    # The end

    def _close_search(self) -> None:
        self._stop()
        if self._search is not None:
            self._search.close()
            self._search = None

    def _close(self) -> None:
        self._close_search()
        if self._context is not None:
            self._context.close()
            self._context = None


def parse_go(words: Sequence[str], board: chess.Board) -> GoRequest:
    """Parse the words after ``go``; unknown or invalid ones are ignored, as the protocol demands.

    Args:
        words: The words.
        board: The position, for the side to move and the legal moves.
    """
    request = GoRequest()
    numbers: dict[str, int] = {}
    words_left = iter(words)
    for word in words_left:
        if word == "infinite":
            request.is_infinite = True
        elif word == "ponder":
            request.is_pondering = True
        elif word == "searchmoves":
            request.moves = _legal_moves(words, board)
        elif word in ("wtime", "btime", "winc", "binc", "movestogo", "movetime", "depth", "nodes", "mate"):
            # This also consumes the word of the value.
            numbers[word] = _number(next(words_left, ""))

    request.depth = numbers.get("depth") or None
    request.nodes = numbers.get("nodes") or None
    if "mate" in numbers:
        request.depth = request.depth or 2 * numbers["mate"]
    side = "w" if board.turn else "b"
    if "movetime" in numbers:
        request.seconds = max(numbers["movetime"] / 1000 - _OVERHEAD, 0.01)
    elif f"{side}time" in numbers:
        request.seconds = _seconds_for_move(
            numbers[f"{side}time"] / 1000, numbers.get(f"{side}inc", 0) / 1000, numbers.get("movestogo", 0)
        )
    if not (request.seconds or request.depth or request.nodes or request.is_pondering):
        request.is_infinite = True
    return request


def _legal_moves(words: Sequence[str], board: chess.Board) -> list[chess.Move]:
    """The legal moves among some words."""
    legal = {move.uci(): move for move in board.legal_moves}
    return [legal[word] for word in words if word in legal]


def _seconds_for_move(seconds_left: float, increment: float, moves_to_go: int) -> float:
    """Return the thinking time: a share of the remaining time and most of the increment, at most half of the rest."""
    share = seconds_left / min(moves_to_go or 30, 30) + 0.8 * increment
    return max(min(share, seconds_left / 2) - _OVERHEAD, 0.01)


def _number(text: str) -> int:
    """A whole number; 0 for anything else."""
    try:
        return int(text)
    except ValueError:
        return 0


_WON = (1000, 0, 0)
_DRAWN = (0, 1000, 0)
_LOST = (0, 0, 1000)


def _score(rated: Rated) -> Score | None:
    """Return the score of a move by the tables, for its mover; None if the tables do not have it.

    A win that the 50-move rule spoils scores 1: more than a draw, but too little to be taken for an advantage.
    """
    if rated.category_after is None:
        return None
    category = rated.category_after.negated
    depth = None
    if rated.verdict is not None:
        depth = rated.verdict.depth
    if category in (Category.WIN, Category.MAYBE_WIN):
        if depth is None:
            text = f"cp {TABLE_WIN - rated.plies}"
        else:
            # ``depth`` counts the plies after the move; the mover's own moves are those and this one.
            text = f"mate {(depth + 2) // 2}"
        return Score(text, _WON)
    if category in (Category.LOSS, Category.MAYBE_LOSS):
        if depth is None:
            text = f"cp {rated.plies - TABLE_WIN}"
        else:
            text = f"mate -{(depth + 1) // 2}"
        return Score(text, _LOST)
    sign = {Category.CURSED_WIN: 1, Category.BLESSED_LOSS: -1}.get(category, 0)
    return Score(f"cp {sign}", _DRAWN)


def _estimated(estimate: SearchEstimate[Any]) -> Score:
    """The score of an estimate, with chances by a logistic curve: at a lead of 1.2 pawns half of the games are won."""
    if estimate.mate is not None:
        if estimate.mate > 0:
            return Score(f"mate {(estimate.mate + 1) // 2}", _WON)
        return Score(f"mate {-(-estimate.mate // 2)}", _LOST)
    win = round(1000 / (1 + math.exp((120 - estimate.score) / 60)))
    loss = round(1000 / (1 + math.exp((120 + estimate.score) / 60)))
    return Score(f"cp {estimate.score}", (win, 1000 - win - loss, loss))
