"""Turns what the 50-move rule makes of a position into what the panels show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import chess

from endgame_core.chess.fifty import Fifty, FiftyMove
from endgame_core.game import Category, Verdict
from endgame_tui.clocks import Known
from endgame_tui.walk import MOST_CLOCK
from endgame_tui.widgets.clocks import ClocksView
from endgame_tui.widgets.rated import RatedRow, RatedView
from endgame_tui.widgets.words import ReasonView, VerdictView


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

UNSURE: Final = (Category.MAYBE_WIN, Category.CURSED_WIN, Category.BLESSED_LOSS, Category.MAYBE_LOSS)
"""What DTM alone knows nothing of."""


def plies(number: int | None) -> str:
    """A distance as printed; a dash where there is none."""
    return "–" if number is None else str(abs(number))


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
    if known.verdict is None:
        hint = (key, "builds DTZ") if key else ("", "")
        return ClocksView(mate, "–", clock, metric, key=hint[0], does=hint[1])
    kind = KINDS[known.verdict.category]
    return ClocksView(mate, plies(known.verdict.dtz), clock, metric, kind.mark, kind.words, kind.role)


def verdict_view(view: VerdictView, known: Known | None) -> VerdictView:
    """The verdict row, where the 50-move rule says something else than DTM or DTM says nothing."""
    if known is None or known.verdict is None:
        return view
    kind, category = KINDS[known.verdict.category], known.verdict.category
    if category not in UNSURE and view.result:
        return view
    mate = view.result.partition(" ·")[0].partition(" .")[0]
    words = f"{kind.words}, {mate}" if mate.startswith("mate ") else kind.words
    return VerdictView(view.white, view.mover, words, kind.role)


def explanation(position: chess.Board, known: Known | None) -> ReasonView | None:
    """What a cursed or blessed or doubtful category means, in a short sentence; None for all others."""
    fifty = None if known is None else known.verdict
    if fifty is None or fifty.category not in UNSURE:
        return None
    kind = KINDS[fifty.category]
    mover, other = ("White", "Black") if position.turn else ("Black", "White")
    sentence = {
        Category.CURSED_WIN: f"won but for the 50-move rule: {other} can claim a draw before the end.",
        Category.BLESSED_LOSS: f"lost but for the 50-move rule: {mover} holds out and claims the draw.",
        Category.MAYBE_WIN: "Syzygy rounds DTZ: with this clock the win may come a ply too late.",
        Category.MAYBE_LOSS: "Syzygy rounds DTZ: with this clock the draw may come a ply too late.",
    }[fifty.category]
    return ReasonView(f"{kind.words[:1].upper()}{kind.words[1:]}", sentence, kind.role, _numbers(position, fifty))


def _numbers(position: chess.Board, fifty: Fifty) -> str:
    if fifty.dtz is None:
        return ""
    return f"DTZ {abs(fifty.dtz)}, and the clock leaves {max(MOST_CLOCK - position.halfmove_clock, 0)}."


def move_reason(move: FiftyMove) -> ReasonView:
    """The sentence of a move."""
    return ReasonView(move.san, move.sentence, KINDS[move.category].role)


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
    return RatedView(tuple(_rated(move, best) for move in known.moves))


def _rated(move: FiftyMove, best: FiftyMove) -> RatedRow:
    kind = KINDS[move.category]
    tied = (move.category, move.dtz, move.zeroing) == (best.category, best.dtz, best.zeroing)
    return RatedRow(
        move.san, move.zeroing, plies(move.dtm), plies(move.dtz), kind.mark, kind.role, tied, kind.words
    )
