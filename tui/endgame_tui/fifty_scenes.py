"""Turns what the 50-move rule makes of a position into what the panels show."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import chess

from endgame_core.errors import MissingError, TableError
from endgame_core.judge import Known as Judged
from endgame_core.judge import judged
from endgame_core.values import Category, Verdict
from endgame_core.words import fifty as words
from endgame_core.words.fifty import ENDED
from endgame_core.words.told import KINDS, UNSURE, Headline, Kind, Line, Said, distance
from endgame_tui.clocks import Known, Partial
from endgame_tui.walk import MOST_CLOCK, Facts, Move
from endgame_tui.widgets.clocks import ClocksView
from endgame_tui.widgets.rated import RatedRow, RatedView

if TYPE_CHECKING:
    from endgame_core.values import Fifty


BY_NAME: Final[Mapping[str, Kind]] = {category.value: KINDS[category] for category in KINDS if "-" in category.value}
"""The categories that DTM does not know, by name: so moves are graded that lead to them."""


def late_category(known: Known | None, facts: Facts) -> Category | None:
    """The category where the clock matters and nothing tells DTZ: by DTM; None elsewhere."""
    if facts.over:
        return Category.DRAW
    if known is None or known.verdict is not None or facts.verdict is None:
        return None
    found = judged(facts.position.halfmove_clock, facts.verdict, _clocked(facts))
    return found if found in UNSURE else None


def _clocked(facts: Facts) -> tuple[Move, ...]:
    """The moves by DTM, and whether each resets the clock."""
    return tuple(rated.with_(zeroing=facts.position.is_zeroing(rated.move)) for rated in facts.moves)


def clocks_view(
    position: chess.Board,
    dtm: Verdict | None,
    known: Known | None,
    metric: str,
    key: str,
    late: Category | None = None,
) -> ClocksView:
    """The three clocks and the category.

    Args:
        position: Whose half-move clock is shown.
        dtm: The verdict by DTM, where its table is there.
        known: What the 50-move rule makes of it; None while that is being found out.
        metric: Of which clock the layers are.
        key: What builds the tables where none tells DTZ; empty where they cannot be built.
        late: The category without DTZ, where the clock matters.
    """
    clock = f"{position.halfmove_clock}/{MOST_CLOCK}"
    mate = "–" if dtm is None else distance(dtm.depth)
    if known is None:
        return ClocksView(mate, "…", clock, metric)
    fifty = known.verdict
    if fifty is None:
        builds = ClocksView(mate, "–", clock, metric, key=key, does=("builds the DTZ table", "builds DTZ", "builds"))
        if late is None:
            return builds
        key = "" if late is Category.DRAW else key
        return replace(builds, key=key, mark=KINDS[late].mark, words=KINDS[late].words, role=KINDS[late].role)
    kind = KINDS[fifty.category]
    dtz = distance(fifty.dtz, fifty.category is Category.DRAW, fifty.precise_dtz is not None)
    return ClocksView(mate, dtz, clock, metric, kind.mark, kind.words, kind.role)


def small_crumbs(crumbs: tuple[str, ...], position: chess.Board, known: Known | None) -> tuple[str, ...]:
    """DTZ and the clock in place of the number in the layer, where there is no row for the clocks."""
    fifty = None if known is None else known.verdict
    dtz = "" if fifty is None or fifty.category is Category.DRAW else f"Z{abs(fifty.dtz)} "
    layer = [crumb.removeprefix("DTZ ") for crumb in crumbs[:3]]
    return (*layer, f"{dtz}{position.halfmove_clock}/{MOST_CLOCK}")


def verdict_view(view: Headline, category: Category | None) -> Headline:
    """The verdict row, where the 50-move rule says something else than DTM or DTM says nothing."""
    if category is None or (category not in UNSURE and view.result):
        return view
    kind = KINDS[category]
    mate = view.result.partition(" ·")[0].partition(" .")[0]
    words = f"{kind.words}, {mate}" if mate.startswith("mate ") else kind.words
    return Headline(view.white, view.mover, words, kind.role)


def explanation(
    known: Known | None, metric: str, mating: chess.Move | None, unbuilt: str | None = None, ending: str = ""
) -> Said | None:
    """The sentence about a position, where the 50-move rule matters or the layers are by DTZ.

    Args:
        known: What was found out.
        metric: Of which clock the layers are.
        mating: A move that is best by DTM.
        unbuilt: The ending whose table by DTM is missing, if it is.
        ending: The ending of the position, where its table by DTZ can be built here.
    """
    if known is None:
        return None
    fifty, problem = known.verdict, known.problem
    if isinstance(problem, MissingError) and known.partly and (unbuilt is not None or metric == "dtz"):
        return _incomplete(problem, ending)
    if problem is not None and (fifty is None or not known.moves):
        if unbuilt is not None:
            damaged = f"; {problem.then}, or " if isinstance(problem, TableError) and problem.then else "; "
            what = re.split(r": | \(", problem.what)[0]  # how one sees it is told where the files are checked
            return Said("", f"{what[:1].upper()}{what[1:]}{damaged}press . to build {unbuilt}.")
        if metric == "dtz" or isinstance(problem, TableError):
            return Said("", str(problem))
    if fifty is None:
        return None
    kind = KINDS[fifty.category]
    if fifty.stalemate:
        return Said("Stalemate", "The game is drawn.", kind.role)
    if fifty.category in UNSURE:
        return _headed(kind, words.verdict(fifty))
    if metric == "dtz":
        if known.difference:
            return Said(known.names[0], f"is best: {known.difference}", kind.role)
        return Said("", words.verdict(fifty))
    spoilt = None if mating is None else spoils(known, mating)
    return None if spoilt is None else Said(*spoilt.split("  ", 1), role="cursed")


def _incomplete(problem: MissingError, ending: str) -> Said:
    """What is missing for the moves that are not rated, and what helps."""
    what = f"{problem.name} is needed after {' '.join(problem.line)}" if problem.line else problem.what
    return Said("", f"{what}: z builds {ending} by DTZ." if ending else f"{what}.")


def late_view(known: Known | None, facts: Facts) -> Said | None:
    """The sentence where the clock has ended the game, or where DTM alone cannot tell whether it will.

    A damaged table goes before the latter, which the rows above tell, too.
    """
    if facts.over:
        return _headed(KINDS[Category.DRAW], ENDED)
    found = late_category(known, facts)
    damaged = known is not None and isinstance(known.problem, TableError)
    if found is None or facts.verdict is None or damaged:
        return None
    position = facts.position
    by_dtm = Judged(
        facts.explorer.game, position, facts.verdict, by_depth=_clocked(facts), clock=position.halfmove_clock
    )
    return _headed(KINDS[found], words.by_mate(by_dtm))


def _headed(kind: Kind, sentence: str) -> Said:
    """A sentence that names its category, which becomes the heading."""
    _, _, rest = sentence.partition(": ")
    return Said(f"{kind.words[:1].upper()}{kind.words[1:]}", rest[:1].upper() + rest[1:], kind.role)


def spoils(known: Known, mating: chess.Move) -> str | None:
    """Its name, two blanks, and what a move that is best by DTM spoils under the 50-move rule; None for nothing."""
    found = next((number for number, rated in enumerate(known.moves) if rated.move == mating), None)
    if found is None or known.moves[found].category is known.moves[0].category:
        return None
    spoilt = words.move(known.moves[found]).partition(":")[0]
    return f"{known.names[found]}  {spoilt}; {known.names[0]} is best."


def keeping(known: Known | None, moves: Sequence[Move]) -> chess.Move:
    """The first of the best moves by DTM; of equal ones, one that spoils nothing under the 50-move rule."""
    best = [rated.move for rated in moves if rated.grade == "best"]
    if known is None or not known.moves:
        return best[0]
    return next((move for move in best if spoils(known, move) is None), best[0])


def move_reason(known: Known, number: int) -> Said:
    """The sentence of a move."""
    if known.partly:
        return _partial_reason(known.partly[number])
    move = known.moves[number]
    return Said(known.names[number], f"{words.move(move)}.", KINDS[move.category.turned].role)


def line_view(position: chess.Board, known: Known, most: int) -> Line:
    """The best line by DTZ, as far as it is known."""
    board, names = position.copy(stack=False), list[str]()
    for move in known.line[:most]:
        names.append(board.san_and_push(move))
    strong = known.verdict is None or known.verdict.dtz >= 0
    return Line(tuple(names), position.turn, strong, known.ends and len(names) == len(known.line))


def _partial_reason(move: Partial) -> Said:
    """The sentence of a move where not all are known."""
    if move.after is None or move.category is None:
        return Said(move.san, "is not rated." if move.problem is None else f"is not rated: {move.problem.what}.")
    told = words.verdict(move.after) if move.rated is None else f"{words.move(move.rated)}."
    return Said(move.san, told, KINDS[move.category.turned].role)


def rated_view(known: Known | None, over: str) -> RatedView:
    """The moves with both distances after each.

    Args:
        known: What was found out; None while that is under way.
        over: How the game has ended, where it has.
    """
    if over:
        return RatedView(notice=(over,))
    if known is None:
        return RatedView()
    if not known.moves:
        return RatedView(tuple(_partial(move) for move in known.partly))
    best = known.moves[0]
    worth = best.category, best.plies
    rows = (
        _rated(san, move, (move.category, move.plies) == worth)
        for san, move in zip(known.names, known.moves, strict=True)
    )
    return RatedView(tuple(rows))


def _rated(san: str, move: Move, tied: bool) -> RatedRow:
    return _row(san, move.zeroing, move.fifty, move.category, tied)


def _partial(move: Partial) -> RatedRow:
    """The row of a move where not all are known; the best is told where DTZ of the position proves it."""
    if move.after is None or move.category is None:
        return RatedRow(move.san, move.zeroing, "–", "–", "?", "dim", False, "unknown")
    return _row(move.san, move.zeroing, move.after, move.category, move.rated is not None and _proved(move.rated))


def _proved(move: Move) -> bool:
    """Whether no other move can be better: it does what DTZ of the position promises."""
    before = move.before
    if before is None or move.fifty is None or before.category is Category.BLESSED_LOSS:
        return False
    if before.precise_dtz is None or move.fifty.precise_dtz is None:
        return False
    return (move.category.turned, move.plies) == (before.category, abs(before.dtz))


def _row(san: str, zeroing: bool, after: Fifty, category: Category, best: bool) -> RatedRow:
    kind = KINDS[category.turned]
    mate = after.category is Category.LOSS and after.dtz == 0
    dtm = distance(after.dtm, after.dtm == 0 and not mate)
    dtz = distance(after.dtz, category is Category.DRAW, after.precise_dtz is not None)
    return RatedRow(san, zeroing, dtm, dtz, kind.mark, kind.role, best, kind.words)
