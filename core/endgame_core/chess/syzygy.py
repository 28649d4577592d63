"""The user's Syzygy files: find them, check them, and probe them.

The table of an ending is two files, win/draw/loss (``.rtbw``) and DTZ (``.rtbz``). A file begins with four magic bytes,
is a multiple of 64 bytes long, and is followed by a checksum of 16 bytes. Its structure is checked when it is opened.
:mod:`chess.syzygy` implements the format, but decodes a block from its start for every value, which takes most of the
time of a probe; here decoded blocks are cached.

The format omits what a one-ply search finds. A win/draw/loss file may contain any value where a capture is at least as
good. A DTZ file has one side to move only, and no valid value where a zeroing move wins. Neither covers en passant.
"""

from __future__ import annotations

import os
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TypeVar

import chess
import chess.syzygy
from chess.syzygy import MissingTableError, PairsData, calc_key, normalize_tablename, recalc_key

from endgame_core import paths
from endgame_core.chess import material
from endgame_core.chess.metrics import Zeroing
from endgame_core.errors import (
    EndgameError,
    EndingError,
    MissingError,
    PositionError,
    StorageError,
    TableError,
    system_reason,
)
from endgame_core.language import _, and_list, grouped, ngettext
from endgame_core.untrusted import open_regular
from endgame_core.values import Category

VARIABLE = paths.SYZYGY_VARIABLE
"""The environment variable that names a directory of Syzygy files, as in other chess programs."""

_THEN = _("check --syzygy, ${variable} or the syzygy setting").format(variable=VARIABLE)
_CHUNK = 1 << 24
"""Bytes per hash; the checksum is the hash of these hashes."""

_MAX_CHUNKS = 4
"""Length of the longest five-man file, rounded up."""

_PADDED = 240
"""Bytes to which short data is padded before it is hashed."""


@dataclass(frozen=True, slots=True)
class SyzygyFile:
    """A Syzygy file.

    Attributes:
        path: Its path.
        size: Its size in bytes.
    """

    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class SyzygyTable:
    """The files of an ending.

    Attributes:
        ending: Its name, as in the file names.
        wdl: The win/draw/loss file, or None.
        dtz: The DTZ file, or None.
    """

    ending: str
    wdl: SyzygyFile | None
    dtz: SyzygyFile | None

    @property
    def files(self) -> list[SyzygyFile]:
        """The files that exist."""
        return [file for file in (self.wdl, self.dtz) if file is not None]


def usable(path: str | None, warn: Callable[[EndgameError], object]) -> str | None:
    """Return those of some directories that have Syzygy files, as in PATH; None if there are none.

    Args:
        path: A directory, or several as in PATH; None for none.
        warn: Called with the problems of the first few other directories, and once for all the rest.
    """
    result: list[str] = []
    problems: list[EndgameError] = []
    for name in _directories(path or ""):
        try:
            tables_in(name)
        except EndgameError as problem:
            problems.append(problem)
        else:
            result.append(name)
    for problem in problems[:_WARNINGS]:
        warn(problem)
    rest = len(problems) - _WARNINGS
    if rest > 0:
        others = ngettext(
            "{number} more Syzygy directory has no readable tables",
            "{number} more Syzygy directories have no readable tables",
            rest,
        )
        warn(StorageError(others.format(number=rest), _THEN))
    return os.pathsep.join(result) or None


_WARNINGS = 3
"""Problems of directories that are reported one by one."""


def _directories(path: str) -> Iterable[str]:
    """Split a path into its directories, each once."""
    return dict.fromkeys(filter(None, path.split(os.pathsep)))


def tables_in(path: str) -> list[SyzygyTable]:
    """Return the tables in directories, fewest pieces first; the first of several files of the same name counts.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a Syzygy file.
    """
    result: dict[str, dict[str, SyzygyFile]] = {}
    for name in _directories(path):
        for file in _files(name):
            if file.suffix in KINDS and chess.syzygy.is_tablename(file.stem) and file.is_file():
                kinds = result.setdefault(file.stem, {})
                kinds.setdefault(file.suffix, SyzygyFile(file, file.stat().st_size))
    if not result:
        raise StorageError(_("there is no Syzygy file (.rtbw, .rtbz) in {path}").format(path=path), _THEN)
    names = sorted(result, key=lambda name: (len(name), name))
    return [SyzygyTable(name, result[name].get(".rtbw"), result[name].get(".rtbz")) for name in names]


def missing(table: SyzygyTable, tables: Mapping[str, SyzygyTable]) -> list[str]:
    """Return a sentence for each missing file that a table needs, with the reason.

    Args:
        table: The files of an ending.
        tables: All tables, by the names of their endings.
    """
    ending = table.ending
    result: list[str] = []
    if table.wdl is None:
        result.append(
            _("{ending}.rtbw is missing: without it, there are no results for {ending}.").format(ending=ending)
        )
    if table.dtz is None:
        result.append(_("{ending}.rtbz is missing: it contains the DTZ of {ending}.").format(ending=ending))
    for need in _needs(ending):
        other = tables.get(need)
        names = [
            f"{need}.{suffix}"
            for suffix, file in (("rtbw", other and other.wdl), ("rtbz", other and other.dtz))
            if file is None
        ]
        if names:
            if material.men_count(need) < material.men_count(ending):
                change = _("a capture")
            else:
                change = _("a promotion")
            missing_files = ngettext(
                "{files} is missing: {ending} needs {other} after {change}.",
                "{files} are missing: {ending} needs {other} after {change}.",
                len(names),
            )
            files = and_list(names)
            result.append(missing_files.format(files=files, ending=ending, other=need, change=change))
    return result


def _needs(ending: str) -> Sequence[str]:
    """Return the endings one capture or promotion away; none for more pieces than our own tables cover."""
    try:
        return material.needs(material.parse_material(ending)[0])
    except EndgameError:
        return ()


def _files(name: str) -> list[Path]:
    """Return the sorted contents of a directory; raises StorageError."""
    try:
        return sorted(Path(name).expanduser().iterdir())
    except (OSError, RuntimeError) as error:
        reason = system_reason(error)
        raise StorageError(
            _("the Syzygy directory {name} cannot be read ({reason})").format(name=name, reason=reason), _THEN
        ) from None


def check(file: SyzygyFile, progress: Callable[[float], None] | None = None) -> None:
    """Check the magic bytes, length, structure and checksum of a file; imports numba.

    Args:
        file: The file.
        progress: Called with the fraction done, 0 to 1; its exceptions stop the check.

    Raises:
        TableError: The file is damaged; the message gives the reason.
    """
    path = file.path
    opened(path).close()
    size = path.stat().st_size - CHECKSUM
    if size > _MAX_CHUNKS * _CHUNK:
        raise TableError(
            _("{path} is too large to check").format(path=path.name),
            _("only files with up to five pieces can be checked"),
        )
    result, stored = _checksum(path, size, progress or (lambda part: None))
    if result != stored:
        raise TableError(
            _("the checksum of {path} does not match: {result} calculated, {stored} stored").format(
                path=path.name, result=result.hex(), stored=stored.hex()
            ),
            AGAIN,
        )


def _checksum(path: Path, size: int, progress: Callable[[float], None]) -> tuple[bytes, bytes]:
    """Return the computed and the stored checksum of a file with ``size`` bytes of data."""
    os.environ.update(paths.kernel_environment())
    import numpy as np

    from endgame_core.chess._kernels_cityhash import hash128, hash256

    hashes: list[bytes] = []
    with open_regular(path) as stream:
        for start in range(0, size, _CHUNK):
            data = stream.read(min(_CHUNK, size - start))
            length = len(data)
            seed = 0
            # A last chunk that is too short is padded with zeros, and its length goes into the hash as the seed.
            if length < _PADDED:
                seed = ~length & 0xFFFF_FFFF
                data = data.ljust(_PADDED, b"\0")
                length = _PADDED
            words = hash256(np.frombuffer(data, "<u8"), np.uint64(length), np.uint64(seed))
            hashes.append(words.astype("<u8").tobytes())
            progress(min(start + _CHUNK, size) / size)
        stored = stream.read()
    return hash128(np.frombuffer(b"".join(hashes), "<u8")).astype("<u8").tobytes(), stored


AGAIN = _("download it again")
"""Suggestion for a damaged file."""

DAMAGE = (OSError, ValueError, IndexError, KeyError, AssertionError, RecursionError, MemoryError, struct.error)
"""Exceptions that reading a damaged file may raise."""

CHECKSUM = 16
"""Size of the checksum at the end of a file, in bytes."""

_BLOCK = 64
"""Files are padded to a multiple of this many bytes."""
_ALL = 0xFFFF_FFFF_FFFF_FFFF
_BLOCKS = 1 << 14
"""Size of the cache of decoded blocks, shared by all files; about 25 MB."""

_Block = tuple["array[int]", "array[int]"]
_Decode = Callable[["_SyzygyBase", PairsData, int], _Block]


class _SyzygyBase(chess.syzygy.Table):
    """The decompression that both kinds of files share, with cached blocks."""

    decode: _Decode

    def decompress_pairs(self, d: PairsData, idx: int) -> int:
        """Return the value at an index; replaces the method of :class:`chess.syzygy.Table`."""
        # All positions of this part have the same value.
        if not d.idxbits:
            return d.min_len
        data = self.data
        assert data is not None
        # The index has an entry for each 2^idxbits values: the block (4 bytes) and the place in it (2 bytes) of the
        # value in the middle. From there the sizes of the blocks lead to the right one, backwards or forwards.
        entry = d.indextable + 6 * (idx >> d.idxbits)
        block = self.read_uint32(entry)
        place = (idx & (1 << d.idxbits) - 1) - (1 << d.idxbits - 1) + self.read_uint16(entry + 4)
        while place < 0:
            block -= 1
            place += self.read_uint16(d.sizetable + 2 * block) + 1
        while place >= (block_length := self.read_uint16(d.sizetable + 2 * block) + 1):
            place -= block_length
            block += 1
        starts, symbols = self.decode(self, d, block)
        i = bisect_right(starts, place) - 1
        place -= starts[i]
        # ``starts`` ascends: the symbol is the last one that begins at this place or before.
        symbol = symbols[i]
        # A symbol stands for a pair of symbols: follow the pairs down to the one at this place.
        lengths = d.symlen  # values of each symbol, less one
        while lengths[symbol]:
            at = d.sympat + 3 * symbol
            # Three bytes hold the two symbols of a pair, 12 bits each.
            first = (data[at + 1] & 15) << 8 | data[at]
            if place <= lengths[first]:
                symbol = first
            else:
                place -= lengths[first] + 1
                symbol = data[at + 2] << 4 | data[at + 1] >> 4
        at = d.sympat + 3 * symbol
        if isinstance(self, DtzFile):
            return (data[at + 1] & 15) << 8 | data[at]
        return data[at]


def _decoded(file: _SyzygyBase, d: PairsData, block: int) -> _Block:
    """Decode the symbols of a block, a canonical Huffman code with the most significant bit first.

    Returns:
        The place of the first value of each symbol, and the symbols.

    Raises:
        ValueError: The block is too short.
    """
    data = file.data
    assert data is not None
    block_length = file.read_uint16(d.sizetable + 2 * block) + 1
    at = d.data + (block << d.blocksize)
    size = 1 << d.blocksize
    bits = int.from_bytes(data[at : at + size], "big") << 64  # so that 64 bits can be read up to the end
    remaining = 8 * size
    starts = array("I")
    symbols = array("H")
    start = 0
    while start < block_length:
        if remaining <= 0:
            raise ValueError("a block ends too early")
        code = bits >> remaining & _ALL
        length = d.min_len
        # Longer codes have smaller values, so that the first base that is not larger tells the length of the code.
        while code < d.base[length - d.min_len]:
            length += 1
        symbol = file.read_uint16(d.offset + 2 * length) + (code - d.base[length - d.min_len] >> 64 - length)
        starts.append(start)
        symbols.append(symbol)
        start += d.symlen[symbol] + 1
        remaining -= length
    return starts, symbols


class WdlFile(_SyzygyBase, chess.syzygy.WdlTable):
    """A win/draw/loss file."""

    def opened(self) -> tuple[int, list[list[int]]]:
        """Reads what precedes the blocks; returns where they end, and the men that each part is about."""
        self.init_table_wdl()
        if not self.has_pawns:
            ends = [pairs.data + self.size[3 * i + 2] for i, pairs in self.precomp.items()]
            return max(ends), [self.pieces[side] for side in self.precomp]
        ends = [
            pairs.data + self.size[6 * i + 3 * side + 2]
            for i, file in enumerate(self.files)
            for side, pairs in file.precomp.items()
        ]
        return max(ends), [file.pieces[side] for file in self.files for side in file.precomp]


class DtzFile(_SyzygyBase, chess.syzygy.DtzTable):
    """A DTZ file."""

    def opened(self) -> tuple[int, list[list[int]]]:
        """Reads what precedes the blocks; returns where they end, and the men that each part is about."""
        self.init_table_dtz()
        if not self.has_pawns:
            return self.precomp.data + self.size[2], [self.pieces]
        count = 1
        # As python-chess reads it: with this flag there is a part for each file, a to d.
        if self.data is not None and self.data[4] & 2:
            count = 4
        ends = [self.files[i].precomp.data + self.size[3 * i + 2] for i in range(count)]
        return max(ends), [file.pieces for file in self.files[:count]]

    def in_plies(self, flag: int) -> bool:
        """Return whether the DTZ of the results of a flag is in plies, for the pawn on any file."""
        if isinstance(self.flags, list):
            flags = self.flags
        else:
            flags = [self.flags]
        return all(value & flag for value in flags)


def opened(path: Path, decode: _Decode = _decoded) -> WdlFile | DtzFile:
    """Open a file after checking its magic bytes, length and structure.

    Args:
        path: The file.
        decode: Decodes a block; may cache it.

    Raises:
        TableError: The file is damaged; the message gives the reason.
    """
    kind, expected_magic = KINDS[path.suffix]
    try:
        size = path.stat().st_size
        with open_regular(path) as stream:
            magic = stream.read(len(expected_magic))
    except OSError as error:
        raise TableError(
            _("{path} cannot be read ({reason})").format(path=path.name, reason=system_reason(error)),
            _("check its permissions"),
        ) from None
    if not size:
        raise TableError(_("{path} is empty").format(path=path.name), AGAIN)
    if magic != expected_magic:
        raise TableError(
            _("{path} is not a Syzygy file of this type: it begins with {magic}").format(
                path=path.name, magic=magic.hex()
            ),
            AGAIN,
        )
    if size % _BLOCK != CHECKSUM:
        raise TableError(
            _("{path} is truncated: {size} bytes is not a whole number of blocks").format(
                path=path.name, size=grouped(size)
            ),
            AGAIN,
        )
    table = kind(str(path))
    table.decode = decode
    try:
        end, parts = table.opened()
        name = chess.syzygy.normalize_tablename(recalc_key(parts[0]))
    except DAMAGE as error:
        table.close()
        raise TableError(
            _("{path} is truncated or damaged ({error})").format(path=path.name, error=error or type(error).__name__),
            AGAIN,
        ) from None
    expected = -(-end // _BLOCK) * _BLOCK + CHECKSUM
    problem = ""
    if name != chess.syzygy.normalize_tablename(path.stem):
        if chess.syzygy.is_tablename(name):
            problem = _("is a table of {name}").format(name=name)
        else:
            problem = _("is damaged: its pieces do not form an ending")
    elif any(sorted(men) != sorted(parts[0]) for men in parts):
        problem = _("is damaged: its parts have different pieces")
    elif size != expected:
        what = _("truncated") if size < expected else _("damaged")
        problem = _("is {what}: it has {size} bytes instead of {expected}").format(
            what=what, size=grouped(size), expected=grouped(expected)
        )
    if problem:
        table.close()
        raise TableError(f"{path.name} {problem}", AGAIN)
    return table


KINDS: dict[str, tuple[type[WdlFile] | type[DtzFile], bytes]] = {
    ".rtbw": (WdlFile, chess.Board.tbw_magic or b""),
    ".rtbz": (DtzFile, chess.Board.tbz_magic or b""),
}
"""Class and magic bytes by the suffix of a file's name."""

_VALUES = 1 << 14
"""Size of the cache of values."""

_IN_PLIES = {2: 4, -2: 8}
"""By result, the flag that says that its DTZ is in plies; otherwise, and for other results, it is rounded to moves."""

_FURTHEST = 3
"""Most captures and promotions in the line that explains why a missing file is needed."""

_CATEGORIES = {category.wdl: category for category in Category if category.wdl is not None}

_T = TypeVar("_T")


class Syzygy(chess.syzygy.Tablebase):
    """The Syzygy files in directories; safe to use from several threads.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a Syzygy file.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.tables = tables_in(path)
        self._files = {
            (name, file.path.suffix): file
            for table in self.tables
            for file in table.files
            for name in (table.ending, _mirrored(table.ending))
        }
        self._open: dict[tuple[str, str], WdlFile | DtzFile] = {}
        self._lock = Lock()
        self._decode = lru_cache(_BLOCKS)(_decoded)
        self._values: dict[object, Zeroing] = {}
        self.left_out: dict[Path, EndgameError] = {}
        """Files that are no longer read, with the errors found in them."""

    def leave_out(self, file: SyzygyFile, problem: EndgameError | None) -> bool:
        """Stop reading a file and clear the cache of values; return whether this changes anything.

        Args:
            file: The file.
            problem: The error in the file; None to read it again.
        """
        if problem is None and file.path not in self.left_out:
            return False
        with self._lock:
            self.left_out.pop(file.path, None)
            if problem is not None:
                self.left_out[file.path] = problem
            self._open = {key: read for key, read in self._open.items() if Path(read.path) != file.path}
            self._values = {}
        return True

    def opinion(self, board: chess.Board) -> int | None:
        """Return 1, 0 or -1 for a win, draw or loss of the side to move; None if a file for it is missing.

        The 50-move rule is ignored: a cursed win is a win, a blessed loss a loss.

        Raises:
            TableError: A Syzygy file is damaged.
        """
        if board.castling_rights or (calc_key(board), ".rtbw") not in self._files:
            return None
        try:
            wdl = self.result(board)
        except MissingError:
            return None
        return (wdl > 0) - (wdl < 0)

    def result(self, board: chess.Board) -> int:
        """Return the result with the clock at 0: 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss.

        Raises:
            PositionError: The board has castling rights.
            EndingError: The board has more pieces than Syzygy files cover.
            MissingError: A file is missing.
            TableError: A file is damaged.
        """
        return self._probed(board, self.probe_wdl)

    def reaches(self, board: chess.Board) -> bool:
        """Return whether probing a board may succeed; always True, since only a probe can tell."""
        return True

    def look(self, board: chess.Board) -> Zeroing:
        """Return the result and DTZ with the clock at 0; see :class:`endgame_core.chess.fifty.Source`.

        Raises:
            PositionError: The board has castling rights.
            EndingError: The board has more pieces than Syzygy files cover.
            MissingError: A file is missing.
            TableError: A file is damaged.
        """
        key = (board.turn, board.ep_square, board.pawns, board.knights, board.bishops, board.rooks, board.queens,
               board.kings, board.occupied_co[True], board.castling_rights)  # fmt: skip
        value = self._values.get(key)
        if value is None:
            value = self._probed(board, self._value)
            with self._lock:
                if len(self._values) >= _VALUES:
                    # A dict keeps the order in which its keys were added.
                    del self._values[next(iter(self._values))]  # the oldest
                self._values[key] = value
        return value

    def close(self) -> None:
        """Close all files; a later probe opens them again."""
        with self._lock:
            files = self._open
            self._open = {}
            self._decode.cache_clear()
        for file in files.values():
            file.close()

    def _probed(self, board: chess.Board, probe: Callable[[chess.Board], _T]) -> _T:
        """Call ``probe`` with a copy of a board, and translate its exceptions into ours."""
        if board.castling_rights:
            raise PositionError(
                _("Syzygy files do not cover castling rights"), _("write - in the third field of the FEN")
            )
        if (men := board.occupied.bit_count()) > chess.syzygy.TBPIECES:
            raise EndingError(
                _("there are {men} pieces on the board").format(men=men),
                _("Syzygy files have at most {tbpieces} pieces").format(tbpieces=chess.syzygy.TBPIECES),
            )
        try:
            return probe(board.copy(stack=False))
        # This comes before DAMAGE, because the exception is a KeyError, too.
        except MissingTableError as absent:
            raise _missing(board, *absent.args) from None
        except DAMAGE:
            name = normalize_tablename(calc_key(board))
            raise TableError(
                _("the Syzygy file of {name} or a file that it depends on is damaged").format(name=name), AGAIN
            ) from None

    def probe_wdl_table(self, board: chess.Board) -> int:
        """Return the value of the win/draw/loss file; replaces the method of the base class."""
        if board.occupied == board.kings:
            return 0
        material = calc_key(board)
        file = self._open.get((material, ".rtbw")) or self._opened(material, ".rtbw")
        assert isinstance(file, WdlFile)
        return file.probe_wdl_table(board)

    def _opened(self, material: str, suffix: str) -> WdlFile | DtzFile:
        """Return an open file; raises MissingTableError or TableError."""
        file = self._files.get((material, suffix))
        if file is None:
            raise MissingTableError(material, suffix)
        if file.path in self.left_out:
            raise TableError(_("{path} is skipped (wrong checksum)").format(path=file.path.name), AGAIN)
        with self._lock:
            table = self._open.get((material, suffix))  # another thread may have opened it
            if table is None:
                table = opened(file.path, self._decode)
                for key in (material, _mirrored(material)):
                    self._open[key, suffix] = table
        return table

    def _passing(self, board: chess.Board) -> int | None:
        """Return the result of the best en passant capture; None if there is none."""
        if board.ep_square is None:
            return None
        best: int | None = None
        for move in board.generate_legal_ep():
            board.push(move)
            value = -self.probe_ab(board, -2, 2)[0]
            board.pop()
            best = value if best is None else max(best, value)
        return best

    def _value(self, board: chess.Board) -> Zeroing:
        """Return the result and DTZ, en passant included."""
        passing = self._passing(board)
        # There is no other move, so the capture counts even if it is bad.
        if passing is not None and _all_pass(board):
            return _zeroing(passing)
        wdl, result = self.probe_ab(board, -2, 2)
        # A capture sets the clock to 0, so if it keeps a win, DTZ is as short as it can be.
        if passing is not None and (passing > wdl or passing == wdl > 0):
            return _zeroing(passing)
        if wdl == 0:
            return Zeroing(Category.DRAW, 0)
        if wdl > 0:
            # 2: the result comes from a capture.
            plies, exact = self._won(board, wdl, result == 2)
        else:
            plies, exact = self._lost(board, wdl)
        return Zeroing.of(_CATEGORIES[wdl], plies, exact)

    def _won(self, board: chess.Board, wdl: int, captures: bool) -> tuple[int, bool]:
        """Return the DTZ of a win or cursed win in plies, and whether it is exact.

        Args:
            board: The board.
            wdl: Its result.
            captures: Whether a capture keeps the result.
        """
        if captures:
            return _ONE[wdl], True
        absent: MissingTableError | None = None
        for move in board.generate_legal_moves(board.pawns, ~board.occupied):
            if board.is_en_passant(move):
                continue
            after = board.copy(stack=False)
            after.push(move)
            try:
                if -self.probe_wdl(after) == wdl:
                    return _ONE[wdl], True
            except MissingTableError as error:
                absent = absent or error  # another pawn move may settle it
        if absent is not None:
            raise absent
        plies, exact = self._looked_up(board, wdl) or self._quickest(board, wdl)
        # A rounded 1 may be 2, unless there is mate in one.
        return plies, exact or (plies == 1 and _mates(board))

    def _lost(self, board: chess.Board, wdl: int) -> tuple[int, bool]:
        """Return the DTZ of a loss or blessed loss in plies, and whether it is exact."""
        if board.checkers_mask() and not any(board.generate_legal_moves()):
            return 0, True
        return self._looked_up(board, wdl) or self._slowest(board, wdl)

    def _looked_up(self, board: chess.Board, wdl: int) -> tuple[int, bool] | None:
        """Return the DTZ of the file, and whether it is exact; None if the file has only the other side to move."""
        material = calc_key(board)
        file = self._open.get((material, ".rtbz")) or self._opened(material, ".rtbz")
        assert isinstance(file, DtzFile)
        dtz, success = file.probe_dtz_table(board, wdl)
        if success < 0:
            return None
        return _ONE[wdl] + dtz, file.in_plies(_IN_PLIES.get(wdl, 0))

    def _quickest(self, board: chess.Board, wdl: int) -> tuple[int, bool]:
        """Return the DTZ of a win that no zeroing move keeps, from its moves."""
        result: list[tuple[int, bool]] = []
        for move in board.generate_legal_moves(~board.pawns, ~board.occupied):
            board.push(move)
            if self.probe_ab(board, -2, 2)[0] == -wdl:
                result.append(self._lost(board, -wdl))
            board.pop()
        return _one_more(min, result)

    def _slowest(self, board: chess.Board, wdl: int) -> tuple[int, bool]:
        """Return the DTZ of a loss from its moves; for a blessed loss the moves that lose outright are ignored."""
        result: list[tuple[int, bool]] = []
        for move in board.generate_legal_moves():
            zeroing = board.is_zeroing(move)
            if zeroing and (wdl == -2 or board.is_en_passant(move)):
                result.append((_ONE[wdl] - 1, True))
                continue
            board.push(move)
            if wdl == -2:
                captures = any(self._captures_win(board))
                result.append(self._won(board, 2, captures))
            elif zeroing:
                if self.probe_wdl(board) < 2:
                    result.append((_ONE[wdl] - 1, True))
            else:
                value, by = self.probe_ab(board, -2, 2)
                if value < 2:
                    result.append(self._won(board, value, by == 2))
            board.pop()
        return _one_more(max, result)

    def _captures_win(self, board: chess.Board) -> Iterator[bool]:
        """Yield for each capture whether it wins."""
        for move in board.generate_legal_moves(to_mask=board.occupied_co[not board.turn]):
            board.push(move)
            value = self.probe_ab(board, -2, -1)[0]
            board.pop()
            yield value == -2


_ONE = {2: 1, 1: 101, -1: 101, -2: 1}
"""DTZ of a result that the next move reaches by zeroing the clock, in plies; 100 more beyond the 50-move rule."""


def _zeroing(wdl: int) -> Zeroing:
    return Zeroing.of(_CATEGORIES[wdl], _ONE.get(wdl))


def _one_more(pick: Callable[[Iterable[int]], int], distances: list[tuple[int, bool]]) -> tuple[int, bool]:
    """Return the DTZ before the best move, given that after each; exact if rounding cannot change it.

    Args:
        pick: ``min`` for a win, ``max`` for a loss.
        distances: Plies after each move, and whether they are exact; an inexact one may be a ply more.
    """
    low = pick(plies for plies, __ in distances)
    # An inexact distance may be one ply more.
    high = pick(plies + (not exact) for plies, exact in distances)
    return low + 1, low == high


def _all_pass(board: chess.Board) -> bool:
    """Return whether all legal moves are en passant captures."""
    return all(board.is_en_passant(move) for move in board.generate_legal_moves())


def _mates(board: chess.Board) -> bool:
    """Return whether a move gives checkmate."""
    for move in board.generate_legal_moves():
        board.push(move)
        mate = board.is_checkmate()
        board.pop()
        if mate:
            return True
    return False


def _mirrored(material: str) -> str:
    return "v".join(reversed(material.split("v")))


def _missing(board: chess.Board, absent: str, suffix: str) -> MissingError:
    """Return the error for a missing file, with the shortest line that needs it."""
    name = normalize_tablename(absent)
    lines = (
        line
        for quiet in (False, True)
        for moves in range(_FURTHEST + 1)
        for line in _lines(board.copy(stack=False), name, moves, quiet)
    )
    return MissingError(name, name + suffix, _("add it to the Syzygy directory"), tuple(next(lines, ())))


def _lines(board: chess.Board, name: str, moves: int, quiet: bool) -> Iterator[list[str]]:
    """Yield the lines, in SAN, that lead to an ending.

    Args:
        board: The start position; restored after each line.
        name: The ending.
        moves: The number of moves.
        quiet: Whether the first move is quiet; all others are captures or promotions.
    """
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
