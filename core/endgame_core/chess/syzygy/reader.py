"""Syzygy files of the user: who wins under the 50-move rule, and how many plies the next zeroing move is away.

The format leaves out what a search of one ply tells: a win/draw/loss file may hold anything where a capture is at least
as good, and a DTZ file has one side to move, and nothing of use where a zeroing move wins. En passant is in neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import chess
from chess.syzygy import calc_key, normalize_tablename

from endgame_core.chess.syzygy.blocks import AGAIN, DAMAGE, Blocks, DtzFile, WdlFile, opened
from endgame_core.chess.syzygy.files import VARIABLE, SyzygyFile, tables_in
from endgame_core.errors import EndgameError, MissingError, PositionError, TableError

__all__ = ["VARIABLE", "Distance", "Syzygy"]

_KEPT = 1 << 14
"""Values that are remembered."""

_IN_PLIES = {2: 4, -2: 8}
"""The flag of a DTZ file that counts a phase in plies, by result; all else is counted in moves, and rounded."""

_FURTHEST = 3
"""Captures and promotions that are looked through for what a missing file is needed for."""


@dataclass(frozen=True, slots=True)
class Distance:
    """The value of a position whose clock stands at 0, for the side to move.

    Attributes:
        wdl: 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss.
        plies: DTZ, never negative; 0 for a draw and for mate. 101 and more of a cursed win or blessed loss.
        exact: False when the true number may be one more.
    """

    wdl: int
    plies: int
    exact: bool


class _AbsentError(Exception):
    """A file that is not there."""

    def __init__(self, material: str, suffix: str) -> None:
        self.material = material
        self.suffix = suffix


class Syzygy:
    """The Syzygy files of some directories; of any number of threads.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a Syzygy file.
    """

    def __init__(self, path: str) -> None:
        self.tables = tables_in(path)
        self._wdl: dict[str, SyzygyFile] = {}
        self._dtz: dict[str, SyzygyFile] = {}
        for table in self.tables:
            for found, file in ((self._wdl, table.wdl), (self._dtz, table.dtz)):
                if file is not None:
                    found[table.ending] = found["v".join(reversed(table.ending.split("v")))] = file
        self._open: dict[tuple[str, str], WdlFile | DtzFile] = {}
        self._lock = Lock()
        self._blocks = Blocks()
        self._known: dict[object, Distance] = {}
        self.left_out: dict[Path, EndgameError] = {}
        """Files that are not read any more, and what was wrong with them."""

    def leave_out(self, file: SyzygyFile, problem: EndgameError | None) -> bool:
        """Reads a file no more, and forgets what it has said; tells whether that changes anything.

        Args:
            file: The file.
            problem: What is wrong with it; None where it is right again.
        """
        if problem is None and file.path not in self.left_out:
            return False
        with self._lock:
            self.left_out.pop(file.path, None)
            if problem is not None:
                self.left_out[file.path] = problem
            self._open = {key: read for key, read in self._open.items() if Path(read.path) != file.path}
            self._known = {}
        return True

    def opinion(self, board: chess.Board) -> int | None:
        """Who wins, for the side to move: 1, 0 or -1; None where its file, or one that it needs, is not there.

        The 50-move rule is left out of account: a cursed win is a win, a blessed loss a loss.

        Raises:
            TableError: A Syzygy file is truncated or is none.
        """
        if board.castling_rights or calc_key(board) not in self._wdl:
            return None
        try:
            wdl = self.wdl(board)
        except MissingError:
            return None
        return (wdl > 0) - (wdl < 0)

    def wdl(self, board: chess.Board) -> int:
        """The result with the clock at 0, as in :class:`Distance`.

        Raises:
            PositionError: The board has castling rights.
            MissingError: A file is not there.
            TableError: A file is truncated or is none.
        """
        own = _own(board)
        try:
            return self._result(own)
        except _AbsentError as absent:
            raise _missing(board, absent) from None
        except DAMAGE:
            raise _damaged(board) from None

    def distance(self, board: chess.Board) -> Distance:
        """The result and DTZ with the clock at 0.

        Raises:
            PositionError: The board has castling rights.
            MissingError: A file is not there.
            TableError: A file is truncated or is none.
        """
        key = (board.turn, board.ep_square, board.pawns, board.knights, board.bishops, board.rooks, board.queens,
               board.kings, board.occupied_co[True], board.castling_rights)  # fmt: skip
        known = self._known.get(key)
        if known is None:
            own = _own(board)
            try:
                known = self._distance(own)
            except _AbsentError as absent:
                raise _missing(board, absent) from None
            except DAMAGE:
                raise _damaged(board) from None
            with self._lock:
                if len(self._known) >= _KEPT:
                    del self._known[next(iter(self._known))]
                self._known[key] = known
        return known

    def close(self) -> None:
        """Closes the files; they are opened again when they are wanted."""
        with self._lock:
            files, self._open = self._open, {}
            self._blocks = Blocks()
        for file in files.values():
            file.close()

    # From here on boards are our own, and changed.

    def _stored(self, board: chess.Board) -> int:
        """What the win/draw/loss file says."""
        if board.occupied == board.kings:
            return 0
        material = calc_key(board)
        file = self._open.get((material, ".rtbw")) or self._opened(material, ".rtbw")
        assert isinstance(file, WdlFile)
        return file.probe_wdl_table(board)

    def _opened(self, material: str, suffix: str) -> WdlFile | DtzFile:
        found = (self._wdl if suffix == ".rtbw" else self._dtz).get(material)
        if found is None:
            raise _AbsentError(material, suffix)
        if found.path in self.left_out:
            raise TableError(f"{found.path.name} is left out (its checksum fails)", AGAIN)
        with self._lock:
            file = self._open.get((material, suffix))
            if file is None:
                file = opened(found.path, self._blocks)
                for key in (material, "v".join(reversed(material.split("v")))):
                    self._open[key, suffix] = file
        return file

    def _search(self, board: chess.Board, alpha: int = -2, beta: int = 2) -> tuple[int, bool]:
        """The result, en passant left out, and whether a capture wins."""
        for move in board.generate_legal_moves(to_mask=board.occupied_co[not board.turn]):
            board.push(move)
            value = -self._search(board, -beta, -alpha)[0]
            board.pop()
            if value > alpha:
                if value >= beta:
                    return value, value > 0
                alpha = value
        value = self._stored(board)
        return (value, False) if value > alpha else (alpha, alpha > 0)

    def _result(self, board: chess.Board) -> int:
        """The result, en passant included."""
        value, _ = self._search(board)
        passing = self._passing(board)
        if passing is None:
            return value
        return passing if passing > value or _all_pass(board) else value

    def _passing(self, board: chess.Board) -> int | None:
        """The result of the best capture en passant; None when there is none."""
        if board.ep_square is None:
            return None
        best: int | None = None
        for move in board.generate_legal_ep():
            board.push(move)
            value = -self._search(board)[0]
            board.pop()
            best = value if best is None else max(best, value)
        return best

    def _distance(self, board: chess.Board) -> Distance:
        """The value, en passant included."""
        passing = self._passing(board)
        if passing is not None and _all_pass(board):
            return _zeroing(passing)
        wdl, captures = self._search(board)
        if passing is not None and (passing > wdl or passing == wdl > 0):
            return _zeroing(passing)
        if wdl == 0:
            return Distance(0, 0, True)
        plies, exact = self._won(board, wdl, captures) if wdl > 0 else self._lost(board, wdl)
        return Distance(wdl, plies, exact)

    def _won(self, board: chess.Board, wdl: int, captures: bool) -> tuple[int, bool]:
        """DTZ of a win or cursed win, and whether it is exact; ``captures`` tells whether a capture is as good."""
        if captures:
            return _ONE[wdl], True
        for move in board.generate_legal_moves(board.pawns, ~board.occupied):
            if board.is_en_passant(move):
                continue
            board.push(move)
            value = -self._result(board)
            board.pop()
            if value == wdl:
                return _ONE[wdl], True
        plies, exact = self._looked_up(board, wdl) or self._quickest(board, wdl)
        return plies, exact or (plies == 1 and _mates(board))

    def _lost(self, board: chess.Board, wdl: int) -> tuple[int, bool]:
        """DTZ of a loss or blessed loss, and whether it is exact."""
        if board.checkers_mask() and not any(board.generate_legal_moves()):
            return 0, True
        return self._looked_up(board, wdl) or self._slowest(board, wdl)

    def _looked_up(self, board: chess.Board, wdl: int) -> tuple[int, bool] | None:
        """DTZ from the file; None where it has the other side to move."""
        material = calc_key(board)
        file = self._open.get((material, ".rtbz")) or self._opened(material, ".rtbz")
        assert isinstance(file, DtzFile)
        found, there = file.probe_dtz_table(board, wdl)
        if there < 0:
            return None
        return _ONE[wdl] + found, file.in_plies(_IN_PLIES.get(wdl, 0))

    def _quickest(self, board: chess.Board, wdl: int) -> tuple[int, bool]:
        """DTZ of a win that no zeroing move keeps, by the moves."""
        found: list[tuple[int, bool]] = []
        for move in board.generate_legal_moves(~board.pawns, ~board.occupied):
            board.push(move)
            if self._search(board)[0] == -wdl:
                found.append(self._lost(board, -wdl))
            board.pop()
        return _one_more(min, found)

    def _slowest(self, board: chess.Board, wdl: int) -> tuple[int, bool]:
        """DTZ of a loss by the moves; a blessed loss leaves out the moves that lose."""
        found: list[tuple[int, bool]] = []
        for move in board.generate_legal_moves():
            zeroing = board.is_zeroing(move)
            if zeroing and (wdl == -2 or board.is_en_passant(move)):
                found.append((_ONE[wdl] - 1, True))
                continue
            board.push(move)
            if wdl == -2:
                captures = any(self._takings(board))
                found.append(self._won(board, 2, captures))
            elif zeroing:
                if self._result(board) < 2:
                    found.append((_ONE[wdl] - 1, True))
            else:
                value, captures = self._search(board)
                if value < 2:
                    found.append(self._won(board, value, captures))
            board.pop()
        return _one_more(max, found)

    def _takings(self, board: chess.Board) -> Iterator[bool]:
        """Of each capture whether it wins."""
        for move in board.generate_legal_moves(to_mask=board.occupied_co[not board.turn]):
            board.push(move)
            value = self._search(board, -2, -1)[0]
            board.pop()
            yield value == -2


_ONE = {2: 1, 1: 101, -1: 101, -2: 1}
"""DTZ of a result that is reached by a zeroing move."""


def _zeroing(wdl: int) -> Distance:
    return Distance(wdl, _ONE.get(wdl, 0), True)


def _one_more(pick: Callable[[Iterable[int]], int], found: list[tuple[int, bool]]) -> tuple[int, bool]:
    """The best of some distances after a move, from before it; exact when no rounding can change it."""
    low = pick(plies for plies, _ in found)
    high = pick(plies + (not exact) for plies, exact in found)
    return low + 1, low == high


def _own(board: chess.Board) -> chess.Board:
    """A copy to be changed."""
    if board.castling_rights:
        raise PositionError("castling rights are not in Syzygy files", "write - in the third field of the FEN")
    return board.copy(stack=False)


def _all_pass(board: chess.Board) -> bool:
    """Whether captures en passant are all the moves there are."""
    return all(board.is_en_passant(move) for move in board.generate_legal_moves())


def _mates(board: chess.Board) -> bool:
    """Whether a move mates."""
    for move in board.generate_legal_moves():
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def _damaged(board: chess.Board) -> EndgameError:
    name = normalize_tablename(calc_key(board))
    return TableError(f"the Syzygy file of {name}, or one it leads to, is damaged", AGAIN)


def _missing(board: chess.Board, absent: _AbsentError) -> MissingError:
    """Names the file, and what it is needed for."""
    name = normalize_tablename(absent.material)
    lines = (
        line
        for quiet in (False, True)
        for moves in range(_FURTHEST + 1)
        for line in _lines(board.copy(stack=False), name, moves, quiet)
    )
    return MissingError(name, name + absent.suffix, "add it to the Syzygy directory", tuple(next(lines, ())))


def _lines(board: chess.Board, name: str, moves: int, quiet: bool) -> Iterator[list[str]]:
    """Lines of so many captures and promotions, after a ``quiet`` move or not, that lead to an ending."""
    if not moves:
        if normalize_tablename(calc_key(board)) == name:
            yield []
        return
    for move in board.generate_legal_moves():
        if bool(move.promotion or board.is_capture(move)) == quiet:
            continue
        san = board.san(move)
        board.push(move)
        yield from ([san, *rest] for rest in _lines(board, name, moves - 1, False))
        board.pop()
