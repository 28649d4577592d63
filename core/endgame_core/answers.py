"""What is known of a position as documents: in the shape of the lichess tablebase API, and as commands print it.

See docs/server.md.

Depths are signed: positive when the side to move wins, negative when it loses, 0 in a draw. Of a move they tell the
position after it, seen by the side then to move.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Self

import chess

from endgame_core.app_context import AppContext
from endgame_core.chess import notation
from endgame_core.chess.game import CHESS
from endgame_core.chess.syzygy import Syzygy
from endgame_core.errors import EndgameError, EndingError, MissingError, NotBuiltError, PositionError, TableError
from endgame_core.judge import DTZ, LONGEST, BestLine, BestPlay, Judge, ProbeResult, judged, proved
from endgame_core.paths import UNRESTRICTED, AccessPolicy
from endgame_core.tables.explorer import RatedMove
from endgame_core.values import HORIZON, Category, late
from endgame_core.words import position as words
from endgame_core.words.position import reason_of

_CASTLING = re.compile(r"[KQkqA-Ha-h]{1,4}", re.ASCII)

UNKNOWN = "unknown"
"""The category of a move of which no table tells."""

_IN_API = {Category.MAYBE_WIN.value: "syzygy-win", Category.MAYBE_LOSS.value: "syzygy-loss"}

_MATED = -1
"""DTZ of a board with mate on it, where our tables have 0."""


class Answers:
    """Answers about positions, from all tables there are.

    Args:
        judge: Of chess.
    """

    def __init__(self, judge: Judge[chess.Board, chess.Move]) -> None:
        self.judge = judge

    @classmethod
    def of(
        cls,
        root: Path | None = None,
        syzygy: str | None = None,
        memory: int | None = None,
        reach: AccessPolicy = UNRESTRICTED,
    ) -> Self:
        """From the tables of a data directory, and behind them the Syzygy files of some directories.

        Args:
            root: The data directory; the user's own by default.
            syzygy: The directories, as in PATH; none by default.
            memory: Bytes of unpacked tables to keep.
            reach: What may be used beside the data directory.

        Raises:
            StorageError: A Syzygy directory cannot be read, or has no Syzygy file.
        """
        laboratory = AppContext(root, memory=memory, reach=reach)
        laboratory.syzygy = Syzygy(syzygy) if syzygy else None
        return cls(laboratory.judge(CHESS.name))

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

        Where those are missing, too, but the position's own value is known, moves that no table tells are ``unknown``
        and come last.

        Raises:
            EndingError: No table can cover the position.
            MissingError: A table by DTZ that the position itself needs is not there, nor are those by DTM.
            TableError: A table is damaged.
        """
        known = self.judge.known(board)
        if known.fifty_problem is None:
            return _by_dtz(known)
        if not isinstance(known.fifty_problem, MissingError):
            raise known.fifty_problem
        try:
            return self.by_dtm(board)
        except (NotBuiltError, EndingError):
            if known.fifty is not None:
                return _by_dtz(known)
            raise missing_table_error(board, known.fifty_problem) from None

    def by_dtm(self, board: chess.Board) -> dict[str, Any]:
        """The same with DTZ unknown; a mate before anybody can claim is sure, and of a later one DTM is silent.

        Raises:
            NotBuiltError: A table by DTM is not there.
        """
        known = self.judge.known(board)
        if known.verdict is None:
            raise known.problem or NotBuiltError(CHESS.ending_of(board))
        clock = board.halfmove_clock
        facts = _facts(board, judged(clock, known.verdict, known.legal), None, None, known.verdict.signed)
        moves = [
            (rated.proof or proved(rated.verdict, rated.after.halfmove_clock), rated.verdict.signed, rated)
            for rated in known.by_depth or known.legal
            if rated.verdict is not None
        ]
        moves.sort(key=lambda move: move[0].goodness)
        facts["moves"] = [
            _named(rated) | _facts(rated.after, late(worth) if clock >= HORIZON else worth, None, None, dtm)
            for worth, dtm, rated in moves
        ] + [
            _named(rated)
            | _facts(rated.after, None, None, None, None)
            | {"missing": str(NotBuiltError(CHESS.ending_of(rated.after)))}
            for rated in known.legal
            if rated.verdict is None
        ]
        return facts

    def mainline(self, board: chess.Board) -> dict[str, Any]:
        """The best moves of both sides by DTZ to mate or to the first 50-move claim; none from a drawn position.

        Raises:
            EndingError: No table can cover the position.
            MissingError: A table by DTZ is not there.
            TableError: A table is damaged.
        """
        known, line = self.judge.known(board), self.judge.line(board, by=DTZ)
        if (problem := line.cut or (known.fifty_problem if known.fifty is None else None)) is not None:
            raise problem
        steps = [{"uci": step.uci, "san": step.san, "dtz": step.dtz} for step in line.steps]
        if line.ends:
            steps[-1]["dtz"] = _MATED
        end = line.steps[-1].after if line.steps else board
        assert known.fifty is not None
        return {
            "dtz": _MATED if board.is_checkmate() else known.fifty.dtz,
            "mainline": steps,
            "winner": ("b" if end.turn else "w") if end.is_checkmate() else None,
        }


def in_words_of_the_api(found: dict[str, Any], clock: int) -> dict[str, Any]:
    """What :meth:`Answers.standard` found, with the categories as today's lichess tablebase API calls them.

    What rounding leaves open is ``syzygy-win`` or ``syzygy-loss`` there; what depth to mate alone leaves open has no
    other name than ours. A mate that came after a draw could be claimed is a blessed loss.

    Args:
        found: The answer, which is changed.
        clock: The half-move clock of its position.

    Source: lila-tablebase, ``src/response.rs`` and ``src/tablebases.rs`` (a06a88b, March 2026).
    """
    for told in (found, *found["moves"]):
        if told["dtz"] is not None:
            told["category"] = _IN_API.get(told["category"], told["category"])
    if found["checkmate"] and clock > HORIZON:
        found |= {"category": Category.BLESSED_LOSS.value, "wdl": Category.BLESSED_LOSS.wdl}
    return found


def probe_document(judge: Judge[Any, Any], position: Any, line: bool = True) -> dict[str, Any]:
    """What ``probe`` tells of a position and of all its moves; of chess in the shape of the lichess tablebase API.

    Args:
        judge: Who knows.
        position: The position.
        line: Whether to follow best play to its end, which takes longer than all else.

    Raises:
        NotBuiltError: No table covers the position.
        EndgameError: None can, or one is damaged.
    """
    known = judge.known(position)
    if known.clock is not None:
        return _chess_document(judge, known, line)
    play, game = best_play(judge, position, None, line), judge.game
    slot = None if game.is_trivial(position) else game.index.slot_of(position)
    verdict = known.verdict
    assert verdict is not None
    return {
        "fen": game.format(position),
        "ending": None if slot is None else game.index.family(slot, verdict.category)[0],
        "category": play.category.value,
        "wdl": play.category.wdl,
        game.metric: play.depth,
        "layer": verdict.depth,
        "winner": play.winner,
        "moves": [
            {
                "uci": rated.uci, "san": rated.san, "category": rated.verdict.category.value,
                "wdl": rated.verdict.category.wdl,
                game.metric: None if rated.layer is None else rated.verdict.signed, "layer": rated.layer,
            }
            for rated in known.by_depth
            if rated.verdict is not None
        ],
        **({"line": play.line.sans} if line else {}),
        "reason": reason_of(play),
    }  # fmt: skip


def _chess_document(
    judge: Judge[chess.Board, chess.Move], known: ProbeResult[chess.Board, chess.Move], line: bool
) -> dict[str, Any]:
    board, answers = known.position, Answers(judge)
    try:
        result = answers.standard(board)
    except MissingError as missing:
        raise _nothing_known(missing) from None
    except TableError as damage:
        try:
            result = answers.by_dtm(board)
        except (NotBuiltError, EndingError):
            raise damage from None
    problem, play = known.fifty_problem, judge.best_play(board, most=LONGEST if line else 0)
    told = {rated.uci: words.fifty_move(rated) for rated in known.by_dtz}
    if problem is not None and result["dtz"] is not None:
        told = {rated.uci: words.fifty_move(rated) for rated in known.partly if rated.fifty is not None}
    if play.line.metric == judge.game.metric:  # as the line has it, so that both begin with the same move
        order = {rated.uci: number for number, rated in enumerate(known.moves)}
        moves: list[dict[str, Any]] = result["moves"]
        moves.sort(key=lambda move: order.get(move["uci"], len(order)))
    for move in result["moves"]:
        move |= {"layer": _layer(move), "sentence": told.get(move["uci"], move.get("missing", ""))}
    if known.fifty is None or (problem is not None and result["dtz"] is None):
        fifty = str(missing_table_error(board, problem) if isinstance(problem, MissingError) else problem)
    else:
        fifty = words.fifty_verdict(known.fifty)
    return {
        "fen": judge.game.format(board),
        "ending": "KvK" if board.occupied == board.kings else notation.name_of(board)[0],
        "clock": board.halfmove_clock,
        **result,
        "layer": _layer(result),
        "winner": play.winner,
        **({"line": play.line.sans, "line_by": play.line.metric, "line_cut": _cut(play.line)} if line else {}),
        "reason": reason_of(play),
        "fifty": fifty,
    }


def best_play(
    judge: Judge[Any, Any], position: Any, metric: str | None = None, line: bool = True
) -> BestPlay[Any, Any]:
    """Best play by a metric, or as the judge chooses, with its ``line`` or without; what is missing can be built.

    Raises:
        NotBuiltError: No table by depth tells it, where none by DTZ may or can.
        MissingError: No table by DTZ tells it.
        TableError: A table is damaged.
        EndingError: No table can cover the position.
    """
    try:
        result = judge.best_play(position, metric, LONGEST if line else 0)
    except MissingError as missing:
        lack = missing_table_error(position, missing)
        raise (_nothing_known(lack) if metric is None else lack) from None
    if result.line.cut is not None and result.known.clock is None:
        raise result.line.cut
    return result


def not_counted(play: BestPlay[Any, Any]) -> EndgameError | None:
    """Why a line by depth does not count the clock, which may run out before its end; None where that cannot be."""
    known, problem = play.known, play.known.fifty_problem
    if play.line.metric == DTZ or known.clock is None or known.verdict is None or known.verdict.depth is None:
        return None
    if known.ended or known.clock + known.verdict.depth <= HORIZON:
        return None
    if play.category is known.category and play.category in (Category.WIN, Category.LOSS):
        return None  # depth and clock prove it, and the line goes by what they prove
    return missing_table_error(known.position, problem) if isinstance(problem, MissingError) else problem


def line_document(play: BestPlay[Any, Any]) -> dict[str, Any]:
    """What ``line`` tells of best play."""
    known, line = play.known, play.line
    by, cut = ({}, {}) if known.clock is None else ({"line_by": line.metric}, {"line_cut": _cut(line)})
    return {
        "fen": known.game.format(known.position),
        "category": play.category.value,
        "wdl": play.category.wdl,
        line.metric: play.depth,
        "winner": play.winner,
        **by,
        "line": [{"uci": step.uci, "san": step.san, line.metric: line.depth(step)} for step in line.steps],
        **cut,
    }


def _cut(line: BestLine[Any, Any]) -> str | None:
    """What is missing for the rest of a line, in a sentence."""
    return None if line.cut is None else str(line.cut)


def _layer(facts: dict[str, Any]) -> int | None:
    """The layer by DTM; None for a draw, and where DTM is not known."""
    return 0 if facts["checkmate"] else abs(facts["dtm"] or 0) or None


def _nothing_known(missing: MissingError) -> EndgameError:
    """The error of a position of which nothing is known: with no Syzygy files, tables of both metrics may be built."""
    if missing.line or missing.name != f"{missing.ending} by DTZ":
        return missing
    build = f"run: endgame-tui build {missing.ending}, and again with --metric dtz for the 50-move rule"
    return NotBuiltError(missing.ending, build)


def missing_table_error(board: chess.Board, missing: MissingError) -> MissingError:
    """What is missing by DTZ; what to do next is to build all that the position needs, where that can be built."""
    try:
        ending = CHESS.ending_of(board)
    except EndingError:
        return missing
    then = f"run: endgame-tui build {ending} --metric {DTZ}"
    return MissingError(missing.ending, missing.name, then, missing.line, missing.state)


def _by_dtz(known: ProbeResult[chess.Board, chess.Move]) -> dict[str, Any]:
    here = known.fifty
    assert here is not None
    facts = _facts(known.position, here.category, here.dtz, here.precise_dtz, here.dtm)
    facts["moves"] = [_named(rated) | _ruled(rated) for rated in known.by_dtz or known.partly or known.legal]
    return facts


def _ruled(rated: RatedMove[chess.Board, chess.Move]) -> dict[str, Any]:
    """What the 50-move rule makes of the position after a move; where no table tells it, what is missing."""
    after, category = rated.fifty, rated.category
    if after is None or category is None:
        dtm = None if rated.verdict is None else rated.verdict.signed
        return _facts(rated.after, None, None, None, dtm) | {"missing": str(rated.problem)}
    return _facts(rated.after, category, rated.dtz, after.precise_dtz, after.dtm, rated.checkmate, rated.stalemate)


def _named(rated: RatedMove[chess.Board, chess.Move]) -> dict[str, Any]:
    move = rated.move
    return {
        "uci": rated.uci,
        "san": rated.san,
        "zeroing": rated.zeroing,
        "conversion": move.promotion is not None or rated.position.is_capture(move),
    }


def _facts(
    board: chess.Board,
    category: Category | None,
    dtz: int | None,
    precise_dtz: int | None,
    dtm: int | None,
    checkmate: bool | None = None,
    stalemate: bool | None = None,
) -> dict[str, Any]:
    """What is told of the position itself and of the one after a move; looks for the end of the game if not told."""
    if checkmate is None:
        ended = not any(board.generate_legal_moves())
        checkmate, stalemate = ended and board.is_check(), ended and not board.is_check()
    mated = checkmate and dtz is not None
    return {
        "checkmate": checkmate,
        "stalemate": stalemate,
        "variant_win": False,
        "variant_loss": False,
        "insufficient_material": board.is_insufficient_material(),
        "dtz": _MATED if mated else dtz,
        "precise_dtz": _MATED if mated else precise_dtz,
        "dtm": dtm,
        "dtw": None,
        "dtc": None,
        "category": UNKNOWN if category is None else category.value,
        "wdl": None if category is None else category.wdl,
    }
