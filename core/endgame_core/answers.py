"""Describes positions as JSON documents: in the format of the lichess tablebase API, and as the commands print them.

See docs/server.md.

Depths are signed: positive if the side to move wins, negative if it loses, 0 in a draw. The depth of a move is that of
the position after it, for the side then to move.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError, EndingError, MissingError, NotBuiltError, PositionError, TableError
from endgame_core.games import DEFAULT_GAME
from endgame_core.judge import MAX_LINE_PLIES, BestLine, BestPlay, Judge
from endgame_core.language import _
from endgame_core.metric import DTZ, Metric
from endgame_core.paths import UNRESTRICTED, AccessPolicy
from endgame_core.probe_result import ProbeResult, proved_by_moves, proved_category
from endgame_core.tables.explorer import RatedMove
from endgame_core.values import HORIZON, Category, after_claim
from endgame_core.words import position as words
from endgame_core.words.position import reason_of

if TYPE_CHECKING:
    import chess

_CASTLING = re.compile(r"[KQkqA-Ha-h]{1,4}", re.ASCII)

UNKNOWN = "unknown"
"""The category of a move that no table covers."""

_API_CATEGORIES = {Category.MAYBE_WIN.value: "syzygy-win", Category.MAYBE_LOSS.value: "syzygy-loss"}

_MATED = -1
"""DTZ of a checkmated position in the API; our tables store 0."""


class Answers:
    """Answers questions about chess positions from all available tables.

    Args:
        judge: The judge of chess.
    """

    def __init__(self, judge: Judge[chess.Board, chess.Move]) -> None:
        self.judge = judge

    @classmethod
    def of(
        cls,
        root: Path | None = None,
        syzygy: str | None = None,
        memory: int | None = None,
        access: AccessPolicy = UNRESTRICTED,
        gaviota: str | None = None,
    ) -> Self:
        """Open the tables of a data directory and, as a fallback, Syzygy and Gaviota files.

        Args:
            root: The data directory; the user's own by default.
            syzygy: Directories of Syzygy files, as in PATH; none by default.
            memory: Bytes of decompressed tables to cache.
            access: What may be used outside the data directory.
            gaviota: Directories of Gaviota files, as in PATH; none by default.

        Raises:
            StorageError: A directory cannot be read, or has no such file.
        """
        from endgame_core.chess.gaviota import Gaviota
        from endgame_core.chess.syzygy import Syzygy

        context = AppContext(root, memory=memory, access=access)
        context.syzygy = Syzygy(syzygy) if syzygy else None
        context.gaviota = Gaviota(gaviota) if gaviota else None
        return cls(context.judge(DEFAULT_GAME))

    def read(self, fen: str) -> chess.Board:
        """Read a FEN, with spaces or underscores between its fields.

        Raises:
            PositionError: It cannot be read, or the position is illegal.
            EndingError: The position is valid except for castling rights, which no table covers.
        """
        try:
            return self.judge.game.parse(fen)
        except PositionError:
            fields = fen.replace("_", " ").split()
            if len(fields) < 3 or not _CASTLING.fullmatch(fields[2]):
                raise
            # Without the castling rights the position must be valid; if not, this raises what else is wrong.
            self.judge.game.parse(" ".join([*fields[:2], "-", *fields[3:]]))
            raise EndingError(
                _("endgame tables do not cover castling rights"), _("write - in the third field")
            ) from None

    def standard(self, board: chess.Board) -> dict[str, Any]:
        """Return the position and all its moves, best first: by DTZ, or by DTM if tables by DTZ are missing.

        If those are missing too but the value of the position itself is known, moves without a table are ``unknown``
        and come last.

        Raises:
            EndingError: No table can cover the position.
            MissingError: The position's own table by DTZ is missing, and so are those by DTM.
            TableError: A table is damaged.
        """
        probe = self.judge.probe(board)
        if probe.fifty_problem is None:
            # A judge without a rule knows nothing of it, and has no problem.
            if probe.fifty is None:
                return self.by_dtm(board)
            return _document_by_dtz(probe)
        if not isinstance(probe.fifty_problem, MissingError):
            raise probe.fifty_problem
        try:
            return self.by_dtm(board)
        except (NotBuiltError, EndingError):
            if probe.fifty is not None:
                return _document_by_dtz(probe)
            raise missing_table_error(board, probe.fifty_problem) from None

    def by_dtm(self, board: chess.Board) -> dict[str, Any]:
        """Return the same without DTZ; only a mate before anybody can claim a draw is then certain.

        Raises:
            NotBuiltError: The table by DTM is not built.
        """
        probe = self.judge.probe(board)
        if probe.verdict is None:
            raise probe.problem or NotBuiltError(self.judge.game.ending_of(board))
        clock = board.halfmove_clock
        facts = _facts(
            board, proved_by_moves(clock, probe.verdict, probe.legal), None, None, probe.verdict.signed_depth
        )
        moves = [
            (
                rated.proof or proved_category(rated.verdict, rated.after.halfmove_clock),
                rated.verdict.signed_depth,
                rated,
            )
            for rated in probe.by_depth or probe.legal
            if rated.verdict is not None
        ]
        # Stable: moves of the same category keep their order by depth.
        moves.sort(key=lambda move: move[0].goodness)
        facts["moves"] = [
            _move_names(rated)
            | _facts(rated.after, after_claim(category) if clock >= HORIZON else category, None, None, dtm)
            for category, dtm, rated in moves
        ]
        facts["moves"] += [
            _move_names(rated)
            | _facts(rated.after, None, None, None, None)
            | {"missing": str(NotBuiltError(self.judge.game.ending_of(rated.after)))}
            for rated in probe.legal
            if rated.verdict is None
        ]
        return facts

    def mainline(self, board: chess.Board) -> dict[str, Any]:
        """Return best play by DTZ up to mate or the first 50-move claim; no moves from a drawn position.

        Raises:
            EndingError: No table can cover the position.
            MissingError: A table by DTZ is missing.
            TableError: A table is damaged.
        """
        probe = self.judge.probe(board)
        line = self.judge.line(board, metric=DTZ)
        problem = line.problem
        if problem is None and probe.fifty is None:
            problem = probe.fifty_problem
        if problem is not None:
            raise problem

        steps = [
            {
                "uci": step.uci,
                "san": step.san,
                "dtz": step.dtz,
                "precise_dtz": None if step.fifty is None else step.fifty.precise_dtz,
            }
            for step in line.steps
        ]
        if line.ends_in_win:
            steps[-1] |= {"dtz": _MATED, "precise_dtz": _MATED}
        end = line.steps[-1].after if line.steps else board
        winner = None
        if end.is_checkmate():
            winner = "b" if end.turn else "w"
        assert probe.fifty is not None
        is_mated = board.is_checkmate()
        return {
            "dtz": _MATED if is_mated else probe.fifty.dtz,
            "precise_dtz": _MATED if is_mated else probe.fifty.precise_dtz,
            "mainline": steps,
            "winner": winner,
        }


def with_api_categories(answer: dict[str, Any], clock: int) -> dict[str, Any]:
    """Rename the categories of :meth:`Answers.standard` as the lichess tablebase API does.

    A category that rounding leaves open is ``syzygy-win`` or ``syzygy-loss`` there. One that is open because only the
    depth to mate is known has no name in the API, so ours stays. A mate after a draw could be claimed is a blessed
    loss.

    Args:
        answer: The answer, changed in place.
        clock: The half-move clock of its position.

    Source: lila-tablebase, ``src/response.rs`` and ``src/tablebases.rs`` (a06a88b, March 2026).
    """
    for facts in (answer, *answer["moves"]):
        if facts["dtz"] is not None:
            facts["category"] = _API_CATEGORIES.get(facts["category"], facts["category"])
    if answer["checkmate"] and clock > HORIZON:
        answer |= {"category": Category.BLESSED_LOSS.value, "wdl": Category.BLESSED_LOSS.wdl}
    return answer


def probe_document(judge: Judge[Any, Any], position: Any, line: bool = True) -> dict[str, Any]:
    """Return the output of ``probe`` for a position and its moves; for chess in the lichess tablebase API's format.

    Args:
        judge: The judge of the game.
        position: The position.
        line: Whether to include best play to its end, the slowest part.

    Raises:
        NotBuiltError: No table covers the position.
        EndgameError: No table can cover it, or one is damaged.
    """
    probe = judge.probe(position)
    if probe.clock is not None:
        return _chess_document(judge, probe, line)
    game = judge.game
    play = best_play(judge, position, None, line)
    slot = None
    if not game.is_trivial(position):
        slot = game.index.slot_of(position)
    verdict = probe.verdict
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
                game.metric: None if rated.layer is None else rated.verdict.signed_depth, "layer": rated.layer,
            }
            for rated in probe.by_depth
            if rated.verdict is not None
        ],
        **({"line": play.line.sans} if line else {}),
        "reason": reason_of(play),
    }  # fmt: skip


def _chess_document(
    judge: Judge[chess.Board, chess.Move], probe: ProbeResult[chess.Board, chess.Move], line: bool
) -> dict[str, Any]:
    from endgame_core.chess import notation

    board = probe.position
    answers = Answers(judge)
    try:
        result = answers.standard(board)
    except MissingError as missing:
        raise _not_built_error(missing) from None
    except TableError as damage:
        try:
            # A damaged table by DTZ does not matter where one by DTM is built: answer with that, and report the damage
            # only if there is none.
            result = answers.by_dtm(board)
        except (NotBuiltError, EndingError):
            raise damage from None
    problem = probe.fifty_problem
    play = judge.best_play(board, limit=MAX_LINE_PLIES if line else 0)
    sentences = {rated.uci: words.fifty_move(rated) for rated in probe.by_dtz}
    # DTZ is known of the position and of some moves only.
    if problem is not None and result["dtz"] is not None:
        sentences = {rated.uci: words.fifty_move(rated) for rated in probe.partial_by_dtz if rated.fifty is not None}
    if play.line.metric == judge.game.metric:  # the order of the line, so that both begin with the same move
        order = {rated.uci: number for number, rated in enumerate(probe.moves)}
        moves: list[dict[str, Any]] = result["moves"]
        moves.sort(key=lambda move: order.get(move["uci"], len(order)))
    for move in result["moves"]:
        move |= {"layer": _layer(move), "sentence": sentences.get(move["uci"], move.get("missing", ""))}
    if probe.fifty is None or (problem is not None and result["dtz"] is None):
        if isinstance(problem, MissingError):
            reason = missing_table_error(board, problem)
        else:
            reason = problem
        fifty = str(reason)
    else:
        fifty = words.fifty_verdict(probe.fifty)
    return {
        "fen": judge.game.format(board),
        "ending": "KvK" if board.occupied == board.kings else notation.name_of(board)[0],
        "clock": board.halfmove_clock,
        **result,
        "layer": _layer(result),
        "winner": play.winner,
        **({"line": play.line.sans, "line_by": play.line.metric, "line_cut": _cut_sentence(play.line)} if line else {}),
        "reason": reason_of(play),
        "fifty": fifty,
    }


def best_play(
    judge: Judge[Any, Any], position: Any, metric: Metric | None = None, line: bool = True
) -> BestPlay[Any, Any]:
    """Return best play by a metric, or by the judge's choice; errors name the table to build.

    Raises:
        NotBuiltError: No table by depth covers the position, and DTZ was not allowed or cannot help.
        MissingError: No table by DTZ covers it.
        TableError: A table is damaged.
        EndingError: No table can cover the position.
    """
    try:
        result = judge.best_play(position, metric, MAX_LINE_PLIES if line else 0)
    except MissingError as missing:
        error = missing_table_error(position, missing)
        if metric is None:
            raise _not_built_error(error) from None
        raise error from None
    if result.line.problem is not None and result.probe.clock is None:
        raise result.line.problem
    return result


def clock_warning(play: BestPlay[Any, Any]) -> EndgameError | None:
    """Return why a line by depth ignores a clock that may run out before its end; None if the clock cannot matter."""
    probe = play.probe
    if play.line.metric == DTZ or probe.clock is None or probe.verdict is None or probe.verdict.depth is None:
        return None
    if probe.is_ended_by_limit or probe.clock + probe.verdict.depth <= HORIZON:
        return None
    if play.category is probe.category and play.category in (Category.WIN, Category.LOSS):
        return None  # depth and clock prove the result, and the line keeps to what they prove
    if isinstance(probe.fifty_problem, MissingError):
        return missing_table_error(probe.position, probe.fifty_problem)
    return probe.fifty_problem


def line_document(play: BestPlay[Any, Any]) -> dict[str, Any]:
    """Return the output of ``line`` for best play."""
    probe = play.probe
    line = play.line
    has_clock = probe.clock is not None
    return {
        "fen": probe.game.format(probe.position),
        "category": play.category.value,
        "wdl": play.category.wdl,
        line.metric: play.depth,
        "winner": play.winner,
        **({"line_by": line.metric} if has_clock else {}),
        "line": [{"uci": step.uci, "san": step.san, line.metric: line.depth(step)} for step in line.steps],
        **({"line_cut": _cut_sentence(line)} if has_clock else {}),
    }


def _cut_sentence(line: BestLine[Any, Any]) -> str | None:
    """Return why a line ends early, as a sentence."""
    if line.problem is None:
        return None
    return str(line.problem)


def _layer(facts: dict[str, Any]) -> int | None:
    """Return the layer by DTM; None for a draw or an unknown depth."""
    if facts["checkmate"]:
        return 0
    return abs(facts["dtm"] or 0) or None


def _not_built_error(missing: MissingError) -> EndgameError:
    """Return the error of a position without any table; without Syzygy files it suggests building both metrics."""
    if missing.line or missing.name != f"{missing.ending} by DTZ":
        return missing
    build = _("run: endgame-tui build {ending}, and again with --metric dtz for the 50-move rule").format(
        ending=missing.ending
    )
    return NotBuiltError(missing.ending, build)


def missing_table_error(board: chess.Board, missing: MissingError) -> MissingError:
    """Return an error for a missing table by DTZ whose hint builds all tables the position needs, if possible."""
    from endgame_core.chess.game import CHESS

    try:
        ending = CHESS.ending_of(board)
    except EndingError:
        return missing
    hint = _("run: endgame-tui build {ending} --metric {dtz}").format(ending=ending, dtz=DTZ)
    return MissingError(missing.ending, missing.name, hint, missing.line, missing.state)


def _document_by_dtz(probe: ProbeResult[chess.Board, chess.Move]) -> dict[str, Any]:
    value = probe.fifty
    assert value is not None
    facts = _facts(probe.position, value.category, value.dtz, value.precise_dtz, value.dtm)
    facts["moves"] = [
        _move_names(rated) | _facts_under_rule(rated) for rated in probe.by_dtz or probe.partial_by_dtz or probe.legal
    ]
    return facts


def _facts_under_rule(rated: RatedMove[chess.Board, chess.Move]) -> dict[str, Any]:
    """Return the facts of the position after a move under the 50-move rule, or which table is missing for them."""
    after = rated.fifty
    category = rated.category_after
    if after is None or category is None:
        dtm = None
        if rated.verdict is not None:
            dtm = rated.verdict.signed_depth
        return _facts(rated.after, None, None, None, dtm) | {"missing": str(rated.problem)}
    return _facts(rated.after, category, rated.dtz, after.precise_dtz, after.dtm, rated.checkmate, rated.stalemate)


def _move_names(rated: RatedMove[chess.Board, chess.Move]) -> dict[str, Any]:
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
    """Return the facts of a position; mate and stalemate are computed unless given."""
    if checkmate is None:
        is_over = not any(board.generate_legal_moves())
        checkmate = is_over and board.is_check()
        stalemate = is_over and not board.is_check()
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
