"""Turns the findings about a Morris position into what the board and the panels of its own show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from endgame_core.morris import notation, rules
from endgame_core.morris.geometry import POINTS, points_of
from endgame_core.morris.notation import NAMES
from endgame_core.tables.explorer import RatedMove
from endgame_core.values import Category
from endgame_core.words.told import Headline, Line, Said
from endgame_tui import scenes
from endgame_tui.look import Glyphs
from endgame_tui.morris_walk import StoneFindings, StoneWalk
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.board import Label
from endgame_tui.widgets.old_moves import MovesView
from endgame_tui.widgets.stones import StonesView
from endgame_tui.widgets.takes import TakeRow, TakesView

NAME = "Nine Men’s Morris"

_IN_HAND = "none: stones are in hand"

Rated = RatedMove[rules.Position, rules.Move]


def turn_of(walk: StoneWalk) -> Turn:
    """The position and its moves, those the tables know best first."""
    found = walk.stones
    moves = [rated.move for rated in found.moves] or walk.rules.moves(walk.position)
    return Turn(walk.position, tuple(moves))


def board_view(
    walk: StoneWalk, turn: Turn, chosen: Selection, cursor: int, flipped: bool, show_all: bool
) -> StonesView:
    """The board; a stone picked up, or under the cursor where there is room, shows where it can go and what follows."""
    rated = [(move.move, label_of(move)) for move in walk.stones.moves]
    return stones_view(
        turn, chosen, cursor, last=walk.step.move, rated=rated, show_all=show_all, flipped=flipped
    )  # fmt: skip


def label_of(move: Rated) -> Label:
    """The layer that a move leads to."""
    return Label("=" if move.layer is None else f"S{move.layer}", move.grade == "best")


def crumbs(found: StoneFindings, chosen: Selection, wide: bool) -> tuple[str, ...]:
    """The game where there is room for it, ending, family, layer, place in the layer or the move being made."""
    path = scenes.crumbs(found)
    if chosen.end is not None:
        path = (*path[:3], f"after {step_name(chosen)}")
    return (NAME, *path) if wide else path


def step_name(chosen: Selection) -> str:
    """What has been chosen of a move, as people write it."""
    return "" if chosen.end is None else notation.spell(rules.Move(chosen.source, chosen.end, chosen.taken))


def verdict_view(found: StoneFindings, turn: Turn, chosen: Selection) -> Headline:
    """Who is to move, or to take a stone, and the result."""
    side = NAMES[turn.position.turn]
    does = "takes a stone" if chosen.end is not None else "to place" if turn.placing else "to move"
    words, role = found.result
    flying = rules.flies(turn.position, turn.position.turn)
    return Headline(
        turn.position.turn == rules.WHITE,
        f"{side} {does}" if turn.moves else side,
        words,
        role,
        "flying" if flying else "",
    )


def moves_view(found: StoneFindings, cursor: int, glyphs: Glyphs) -> MovesView:
    """The moves by the layer they reach; or what to do where no table knows."""
    if any(found.position.hands):
        return MovesView(notice=("no table knows it; s plays it",))
    return scenes.moves_view(found, cursor, glyphs)


def takes_view(found: StoneFindings, turn: Turn, chosen: Selection, cursor: int) -> TakesView:
    """The stones that may be taken, best first, and what each leads to."""
    takeable = points_of(turn.takeable(chosen))
    rows: list[TakeRow] = []
    rated = [move for move in found.moves if move.move in turn.fitting(chosen)]
    for move in rated:
        for point in move.move.taken:
            if point in takeable and all(row.point != point for row in rows):
                rows.append(_take(point, move, len(rated), found))
    rows += [TakeRow(point, _taking(point)) for point in takeable if all(row.point != point for row in rows)]
    return TakesView(tuple(rows), cursor, step_name(replace(chosen, taken=())))


def _taking(point: int) -> str:
    return f"×{POINTS[point]}"


def _take(point: int, move: Rated, count: int, found: StoneFindings) -> TakeRow:
    layer = "draw" if move.layer is None else f"S{move.layer}"
    notes = {"slower": f"{move.later} plies later", "faster": f"{move.later} plies sooner", "loss": "loses"}
    roles = {"loss": "loss", "draw": "draw", "best": "draw" if move.layer is None else "win"}
    drawn = "holds" if found.verdict is not None and found.verdict.depth is None else "win gone"
    note = notes.get(move.grade, drawn)
    if move.grade == "best":
        alone = sum(other.grade == "best" for other in found.moves) == 1
        note = "best, the only one" if alone and count > 1 else "best"
    return TakeRow(point, _taking(point), layer, note, roles.get(move.grade, "text"), move.grade == "best")


def reason_view(found: StoneFindings, plain: Callable[[str], str], wide: bool) -> Said:
    """The sentence; where one move that takes a stone is best, what it does, and on wide screens what others would."""
    if any(found.position.hands):
        return Said("", plain("No table knows stones in hand; s plays it against the search."))
    view, verdict = scenes.reason_view(found, plain), found.verdict
    if verdict is None:
        return view
    if not found.moves:
        mover = NAMES[found.position.turn]
        return Said("S0", f"{mover} has lost: {rules.lost(found.position)}.", "text")
    best = [move for move in found.moves if move.grade == "best"]
    if len(best) > 1 or not best[0].move.taken or verdict.category is not Category.WIN or len(found.moves) == 1:
        return view
    (first, *_), taken = rules.new_mills(found.position, best[0].move), best[0].move.taken
    mill, stones = "-".join(sorted(POINTS[point] for point in first)), " and ".join(POINTS[point] for point in taken)
    words = f"1 of {len(found.moves)} moves is shortest: close {mill} and take {stones}."
    return replace(view, sentence=plain(words + (_taking_another(found, best[0]) if wide else "")))


def _taking_another(found: StoneFindings, best: Rated) -> str:
    """What the same step leads to when it takes another stone, if that is worse for all of them."""
    step = (best.move.source, best.move.end)
    others = [move for move in found.moves if (move.move.source, move.move.end) == step and move is not best]
    if others and all(move.grade == "loss" for move in others):
        plies = min(move.layer or 0 for move in others)
        return f" Take another and {NAMES[1 - found.position.turn]} wins in {plies} plies."
    if others and all(move.grade == "draw" for move in others):
        return " Take another and the win is gone."
    return ""


def line_view(walk: StoneWalk, most: int) -> Line:
    """The best line; moves of stones are not numbered, and its end tells how many plies are left."""
    view = scenes.line_view(walk, most)
    depth = walk.stones.verdict.depth if walk.stones.verdict else None
    return replace(view, numbered=False, plies=depth or 0)
