"""Turns what the 50-move rule makes of a position into what the panels show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import chess

from endgame_core.errors import TableError
from endgame_core.values import Category, Verdict
from endgame_tui.clocks import Known
from endgame_tui.walk import MOST_CLOCK, Move
from endgame_tui.widgets.clocks import ClocksView
from endgame_tui.widgets.rated import RatedRow, RatedView
from endgame_tui.widgets.words import LineView, ReasonView, VerdictView

if TYPE_CHECKING:
    from endgame_core.chess.fifty import FiftyMove


@dataclass(frozen=True, slots=True)
class Kind:
    """How a category is printed: mark, words, and the role of its colour."""

    mark: str
    words: str
    role: str


KINDS: Final[Mapping[Category, Kind]] = {
    Category.WIN: Kind("+", "win", "win"),
    Category.MAYBE_WIN: Kind("+?", "maybe a win", "cursed"),
    Category.CURSED_WIN: Kind("+=", "cursed win", "cursed"),
    Category.DRAW: Kind("=", "draw", "draw"),
    Category.BLESSED_LOSS: Kind("−=", "blessed loss", "blessed"),
    Category.MAYBE_LOSS: Kind("−?", "maybe a loss", "blessed"),
    Category.LOSS: Kind("−", "loss", "loss"),
}
"""A cursed win is a win that is a draw, a blessed loss a loss that is one: the marks say so without colour, too."""

BY_NAME: Final[Mapping[str, Kind]] = {category.value: KINDS[category] for category in KINDS if "-" in category.value}
"""The categories that DTM does not know, by name: so moves are graded that lead to them."""

FOR_MOVER: Final[Mapping[Category, Category]] = {
    Category.LOSS: Category.WIN,
    Category.MAYBE_LOSS: Category.MAYBE_WIN,
    Category.BLESSED_LOSS: Category.CURSED_WIN,
    Category.DRAW: Category.DRAW,
    Category.CURSED_WIN: Category.BLESSED_LOSS,
    Category.MAYBE_WIN: Category.MAYBE_LOSS,
    Category.WIN: Category.LOSS,
}
"""What a move is worth to its mover, by the category of the position after it."""

UNSURE: Final = (Category.MAYBE_WIN, Category.CURSED_WIN, Category.BLESSED_LOSS, Category.MAYBE_LOSS)
"""What DTM alone knows nothing of."""


def plies(number: int | None, drawn: bool = False, exact: bool = True) -> str:
    """A distance as printed; a dash where there is none, and marked where Syzygy may have rounded it."""
    return "–" if number is None or drawn else f"{'' if exact else '≈'}{abs(number)}"


def clocks_view(position: chess.Board, dtm: Verdict | None, known: Known | None, metric: str, key: str) -> ClocksView:
    """The three clocks and the category.

    Args:
        position: Whose half-move clock is shown.
        dtm: The verdict by DTM, where its table is there.
        known: What the 50-move rule makes of it; None while that is being found out.
        metric: Of which clock the layers are.
        key: What builds the tables where none tells DTZ; empty where they cannot be built.
    """
    clock = f"{position.halfmove_clock}/{MOST_CLOCK}"
    mate = "–" if dtm is None else plies(dtm.depth)
    if known is None:
        return ClocksView(mate, "…", clock, metric)
    fifty = known.verdict
    if fifty is None:
        return ClocksView(mate, "–", clock, metric, key=key, does=("builds the DTZ table", "builds DTZ", "builds"))
    kind = KINDS[fifty.category]
    dtz = plies(fifty.dtz, fifty.category is Category.DRAW, fifty.precise_dtz is not None)
    return ClocksView(mate, dtz, clock, metric, kind.mark, kind.words, kind.role)


def small_crumbs(crumbs: tuple[str, ...], position: chess.Board, known: Known | None) -> tuple[str, ...]:
    """DTZ and the clock in place of the number in the layer, where there is no row for the clocks."""
    fifty = None if known is None else known.verdict
    dtz = "" if fifty is None or fifty.category is Category.DRAW else f"Z{abs(fifty.dtz)} "
    layer = [crumb.removeprefix("DTZ ") for crumb in crumbs[:3]]
    return (*layer, f"{dtz}{position.halfmove_clock}/{MOST_CLOCK}")


def verdict_view(view: VerdictView, known: Known | None) -> VerdictView:
    """The verdict row, where the 50-move rule says something else than DTM or DTM says nothing."""
    if known is None or known.verdict is None:
        return view
    kind, category = KINDS[known.verdict.category], known.verdict.category
    ended = category is Category.DRAW and view.result.startswith("mate")  # by the 75-move rule
    if category not in UNSURE and view.result and not ended:
        return view
    mate = view.result.partition(" ·")[0].partition(" .")[0]
    words = f"{kind.words}, {mate}" if mate.startswith("mate ") and not ended else kind.words
    return VerdictView(view.white, view.mover, words, kind.role)


def explanation(
    known: Known | None, metric: str, mating: chess.Move | None, unbuilt: str | None = None
) -> ReasonView | None:
    """The sentence about a position, where the 50-move rule matters or the layers are by DTZ.

    Args:
        known: What was found out.
        metric: Of which clock the layers are.
        mating: A move that is best by DTM.
        unbuilt: The ending whose table by DTM is missing, if it is.
    """
    if known is None:
        return None
    fifty, problem = known.verdict, known.problem
    if problem is not None and (fifty is None or not known.moves):
        if unbuilt is not None:
            damaged = f"; {problem.then}, or " if isinstance(problem, TableError) and problem.then else "; "
            what = re.split(r": | \(", problem.what)[0]  # how one sees it is told where the files are checked
            return ReasonView("", f"{what[:1].upper()}{what[1:]}{damaged}press . to build {unbuilt}.")
        if metric == "dtz" or isinstance(problem, TableError):
            return ReasonView("", str(problem))
    if fifty is None:
        return None
    kind = KINDS[fifty.category]
    if fifty.stalemate:
        return ReasonView("Stalemate", "The game is drawn.", kind.role)
    if fifty.category in UNSURE:
        _, _, sentence = fifty.sentence.partition(": ")
        return ReasonView(f"{kind.words[:1].upper()}{kind.words[1:]}", sentence[:1].upper() + sentence[1:], kind.role)
    if metric == "dtz":
        if known.difference:
            return ReasonView(known.names[0], f"is best: {known.difference}", kind.role)
        return ReasonView("", fifty.sentence)
    spoilt = None if mating is None else spoils(known, mating)
    return None if spoilt is None else ReasonView(*spoilt.split("  ", 1), role="cursed")


def spoils(known: Known, mating: chess.Move) -> str | None:
    """Its name, two blanks, and what a move that is best by DTM spoils under the 50-move rule; None for nothing."""
    found = next((number for number, rated in enumerate(known.moves) if rated.move == mating), None)
    if found is None or known.moves[found].category is known.moves[0].category:
        return None
    spoilt = known.moves[found].sentence.partition(":")[0]
    return f"{known.names[found]}  {spoilt}; {known.names[0]} is best."


def keeping(known: Known | None, moves: Sequence[Move]) -> chess.Move:
    """The first of the best moves by DTM; of equal ones, one that spoils nothing under the 50-move rule."""
    best = [rated.move for rated in moves if rated.grade == "best"]
    if known is None or not known.moves:
        return best[0]
    return next((move for move in best if spoils(known, move) is None), best[0])


def move_reason(san: str, move: FiftyMove) -> ReasonView:
    """The sentence of a move."""
    return ReasonView(san, f"{move.sentence}.", KINDS[FOR_MOVER[move.category]].role)


def line_view(position: chess.Board, known: Known, most: int) -> LineView:
    """The best line by DTZ, as far as it is known."""
    board, names = position.copy(stack=False), list[str]()
    for move in known.line[:most]:
        names.append(board.san_and_push(move))
    strong = known.verdict is None or known.verdict.dtz >= 0
    return LineView(tuple(names), position.turn, strong, known.ends and len(names) == len(known.line))


def rated_view(known: Known | None, over: str) -> RatedView:
    """The moves with both distances after each.

    Args:
        known: What was found out; None while that is under way.
        over: How the game has ended, where it has.
    """
    if over:
        return RatedView(notice=(over,))
    if known is None or not known.moves:
        return RatedView()
    best = known.moves[0]
    return RatedView(tuple(_rated(san, move, best) for san, move in zip(known.names, known.moves, strict=True)))


def _rated(san: str, move: FiftyMove, best: FiftyMove) -> RatedRow:
    kind, after = KINDS[FOR_MOVER[move.category]], move.after
    drawn = move.category is Category.DRAW
    tied = (move.category, move.plies) == (best.category, best.plies)
    dtm = plies(after.dtm, after.dtm == 0 and not move.checkmate)
    dtz = plies(move.dtz, drawn, after.precise_dtz is not None)
    return RatedRow(san, move.zeroing, dtm, dtz, kind.mark, kind.role, tied, kind.words)
