"""What is known of a position, in the shape of the lichess tablebase API; see docs/server.md.

Depths are signed: positive when the side to move wins, negative when it loses, 0 in a draw. Of a move they tell the
position after it, seen by the side then to move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import chess

from endgame_core.chess.dtz_game import CHESS_DTZ
from endgame_core.chess.fifty import by_mate
from endgame_core.chess.fifty.rule import FiftyMoves, OwnSource, Source, Sources, SyzygySource
from endgame_core.chess.game import CHESS
from endgame_core.chess.syzygy.reader import Syzygy
from endgame_core.errors import EndingError, MissingError, NotBuiltError, PositionError
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import FrameCache
from endgame_core.tables.library import Library
from endgame_core.values import HORIZON, Category, Verdict, late

_CASTLING = re.compile(r"[KQkqA-Ha-h]{1,4}", re.ASCII)

_MATED = -1
"""DTZ of a board with mate on it, where our tables have 0."""


class Answers:
    """Answers about positions, from all tables there are.

    Args:
        explorer: Of the tables by DTM.
        fifty: Judges by DTZ; its DTM is that of the same tables.
    """

    def __init__(self, explorer: Explorer[chess.Board, chess.Move], fifty: FiftyMoves) -> None:
        self.explorer = explorer
        self.fifty = fifty

    @classmethod
    def of(cls, root: Path | None = None, syzygy: str | None = None, memory: int | None = None) -> Self:
        """From the tables of a data directory, and behind them the Syzygy files of some directories.

        Args:
            root: The data directory; the user's own by default.
            syzygy: The directories, as in PATH; none by default.
            memory: Bytes of unpacked tables to keep.

        Raises:
            StorageError: A Syzygy directory cannot be read, or has no Syzygy file.
        """
        frames = FrameCache() if memory is None else FrameCache(memory)
        explorer = Explorer(CHESS, Library(CHESS, root, frames))
        sources: list[Source] = [OwnSource(Library(CHESS_DTZ, root, frames))]
        if syzygy:
            sources.append(SyzygySource(Syzygy(syzygy)))
        return cls(explorer, FiftyMoves(Sources(sources), explorer.probe))

    def read(self, fen: str) -> chess.Board:
        """The board of a FEN, underscores for spaces allowed.

        Raises:
            PositionError: It cannot be read, or the position cannot occur.
            EndingError: Only the castling rights, which no table covers, are in the way.
        """
        try:
            return CHESS.parse(fen)
        except PositionError:
            fields = fen.replace("_", " ").split()
            if len(fields) < 3 or not _CASTLING.fullmatch(fields[2]):
                raise
            CHESS.parse(" ".join([*fields[:2], "-", *fields[3:]]))
            raise EndingError("castling rights are not in endgame tables", "write - in the third field") from None

    def standard(self, board: chess.Board) -> dict[str, Any]:
        """The position and all its moves, best first: by DTZ, or where its tables are missing, by DTM.

        Raises:
            EndingError: No table can cover the position.
            MissingError: A table by DTZ is not there, nor are those by DTM.
            TableError: A table is damaged.
        """
        try:
            return self._by_dtz(board)
        except MissingError as missing:
            try:
                return self.by_dtm(board)
            except (NotBuiltError, EndingError):
                raise self.lacking(board, missing) from None

    def lacking(self, board: chess.Board, missing: MissingError) -> MissingError:
        """What is missing by DTZ; what to do next is to build all that the position needs, where that can be built."""
        try:
            ending = self.explorer.game.ending_of(board)
        except EndingError:
            return missing
        then = f"run: endgame-tui build {ending} --metric {CHESS_DTZ.metric}"
        return MissingError(missing.ending, missing.name, then, missing.line, missing.state)

    def mainline(self, board: chess.Board) -> dict[str, Any]:
        """The best moves of both sides by DTZ to mate or to the first 50-move claim; none from a drawn position.

        Raises:
            EndingError: No table can cover the position.
            MissingError: A table by DTZ is not there.
            TableError: A table is damaged.
        """
        found = self.fifty.line(board)
        steps = [{"uci": step.move.uci(), "san": step.san, "dtz": step.dtz} for step in found.steps]
        if found.winner is not None and steps:
            steps[-1]["dtz"] = _MATED
        return {
            "dtz": _MATED if board.is_checkmate() else self.fifty.verdict(board).dtz,
            "mainline": steps,
            "winner": None if found.winner is None else "w" if found.winner else "b",
        }

    def _by_dtz(self, board: chess.Board) -> dict[str, Any]:
        here = self.fifty.verdict(board)
        after = board.copy(stack=False)
        moves: list[dict[str, Any]] = []
        for rated in self.fifty.moves(board):
            san = board.san(rated.move)
            assert rated.fifty is not None
            assert rated.category is not None
            after.push(rated.move)
            value = _Value(rated.category, rated.dtz, rated.fifty.precise_dtz, rated.fifty.dtm)
            facts = _facts(after, value, rated.checkmate, rated.stalemate)
            moves.append(_named(board, rated.move, san, rated.zeroing) | facts)
            after.pop()
        return _facts(board, _Value(here.category, here.dtz, here.precise_dtz, here.dtm)) | {"moves": moves}

    def by_dtm(self, board: chess.Board) -> dict[str, Any]:
        """The same with DTZ unknown; a mate before anybody can claim is sure, and of a later one DTM is silent.

        Raises:
            NotBuiltError: A table by DTM is not there.
        """
        claimed = board.halfmove_clock >= HORIZON
        moves = self.explorer.moves(board)
        found: list[tuple[Category, dict[str, Any]]] = []
        for rated in moves:
            after, verdict = rated.after, rated.verdict
            worth = by_mate.proved(verdict, after.halfmove_clock)
            value = _Value(late(worth) if claimed else worth, None, None, signed(verdict))
            stalemate = verdict.depth is None and after.is_stalemate()
            facts = _facts(after, value, verdict.depth == 0, stalemate)
            found.append((worth, _named(board, rated.move, rated.san, board.is_zeroing(rated.move)) | facts))
        found.sort(key=lambda move: move[0].goodness)
        verdict = self.explorer.probe(board)
        category = by_mate.judged(board.halfmove_clock, verdict, moves)
        value = _Value(category, None, None, signed(verdict))
        return _facts(board, value) | {"moves": [move for _, move in found]}


@dataclass(frozen=True, slots=True)
class _Value:
    """What a position is worth; None for what is not known."""

    category: Category
    dtz: int | None
    precise_dtz: int | None
    dtm: int | None


def signed(verdict: Verdict) -> int:
    """DTM, positive when the side to move wins and negative when it loses; 0 for a draw, and for mate on the board."""
    depth = verdict.depth or 0
    return depth if verdict.category is Category.WIN else -depth


def _named(board: chess.Board, move: chess.Move, san: str, zeroing: bool) -> dict[str, Any]:
    return {
        "uci": move.uci(),
        "san": san,
        "zeroing": zeroing,
        "conversion": move.promotion is not None or board.is_capture(move),
    }


def _facts(
    board: chess.Board, value: _Value, checkmate: bool | None = None, stalemate: bool | None = None
) -> dict[str, Any]:
    """What is told of the position itself and of the one after a move; looks for the end of the game if not told."""
    if checkmate is None:
        ended = not any(board.generate_legal_moves())
        checkmate, stalemate = ended and board.is_check(), ended and not board.is_check()
    mated = checkmate and value.dtz is not None
    return {
        "checkmate": checkmate,
        "stalemate": stalemate,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": board.is_insufficient_material(),
        "dtz": _MATED if mated else value.dtz,
        "precise_dtz": _MATED if mated else value.precise_dtz,
        "dtm": value.dtm,
        "dtw": None,
        "dtc": None,
        "category": value.category.value,
    }
