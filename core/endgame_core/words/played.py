"""A played game in words: what each move was worth and what was better, its moves in rows, how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from endgame_core.grading import Grade, Kind, Tally
from endgame_core.judge import Judge, Known
from endgame_core.practice.match import End, Match
from endgame_core.practice.played import Hint, Ply
from endgame_core.practice.review import UNKNOWN, Item
from endgame_core.tracked import Draw
from endgame_core.values import Category, Verdict
from endgame_core.words.numbers import count, either
from endgame_core.words.speech import Speech, speech_of
from endgame_core.words.told import KINDS, Mark, Said

AnyItem = Item[Any, Any]
AnyJudge = Judge[Any, Any]
AnyKnown = Known[Any, Any]
AnyMatch = Match[Any, Any]

# Sides, moves and layers by name


def side_name(side: str) -> str:
    """White or Black."""
    return side.capitalize()


def number_of(match: AnyMatch, ply: int) -> int:
    """The move number, from 1, of a ply counted from 0."""
    return (ply + (match.game.mover(match.start) == "black")) // 2 + 1


def move_name(match: AnyMatch, number: int) -> str:
    """A ply, counted from 0, with its move number: ``3.Kd5``, ``3…Kd7``."""
    ply = match.plies[number]
    return f"{number_of(match, number)}{'.' if ply.mover == 'white' else '…'}{ply.san}"


def layer_words(verdict: Verdict | None) -> str:
    """``S12``, or ``a draw``."""
    return _layer(UNKNOWN if verdict is None else verdict.depth)


def _layer(depth: int | None) -> str:
    return "a draw" if depth is None or depth < 0 else f"S{depth}"


# Grades as signs


def mark_of(grade: Grade | None) -> Mark | None:
    """A grade as sign and words."""
    if grade is None:
        return None
    plies = str(grade.plies)
    return {
        Kind.BEST: Mark("✓", "best", "win"),
        Kind.SLOWER: Mark("+", f"{plies} later", quiet=False),
        Kind.FASTER: Mark("−", f"{plies} sooner", quiet=False),
        Kind.WIN_GONE: Mark("↓", "win gone", "draw", quiet=False),
        Kind.CURSED: Mark("↓", "cursed", "cursed", quiet=False),
        Kind.HOLDS: Mark("=", "holds"),
        Kind.LOSES: Mark("✗", "loses", "loss", quiet=False),
        Kind.KEEPS: Mark("✓", "win kept", "win"),
        Kind.STILL_LOST: Mark("−", "still lost"),
    }[grade.kind]


_COUNTS: Final[Mapping[Kind, tuple[str, str, str]]] = {
    Kind.BEST: ("✓", "best", "win"), Kind.KEEPS: ("✓", "win kept", "win"), Kind.SLOWER: ("+", "slower", "text"),
    Kind.FASTER: ("−", "sooner", "text"), Kind.STILL_LOST: ("−", "still lost", "text"),
    Kind.WIN_GONE: ("↓", "win gone", "draw"), Kind.CURSED: ("↓", "cursed", "cursed"),
    Kind.LOSES: ("✗", "lost", "loss"), Kind.HOLDS: ("=", "held", "dim"),
}  # fmt: skip
"""What stands after the number of moves of a kind, the good ones first."""


def counts_of(tally: Tally) -> tuple[Mark, ...]:
    """The grades counted."""
    return tuple(
        Mark(sign, f"{found} {name}", role)
        for kind, (sign, name, role) in _COUNTS.items()
        if (found := tally.counts.get(kind))
    )


# The moves in rows


@dataclass(frozen=True, slots=True)
class Row:
    """One move number.

    Attributes:
        number: The number.
        moves: White's and Black's move; empty where there is none.
        plies: Numbers of these in the game, from 0; -1 where there is none.
        mark: The worth of your move.
        slip: Words about a mistake of the defender.
        shown: The moves were shown, not played, or all taken back.
    """

    number: int
    moves: tuple[str, str]
    plies: tuple[int, int]
    mark: Mark | None = None
    slip: str = ""
    shown: bool = False


def rows_of(items: Sequence[AnyItem], begun_by: str, ungraded: Mark | None = None) -> tuple[Row, ...]:
    """The moves in rows; a move played after taking back begins a new one.

    Args:
        items: The moves and answers.
        begun_by: The side to move at the start.
        ungraded: The mark of a move of yours that has no grade.
    """
    rows: list[Row] = []
    pair: dict[int, int] = {}
    last = 0
    for number, item in enumerate(items):
        side = 0 if item.move is None or item.mover == "white" else 1
        if pair and (item.number != last + 1 or side in pair or side == 0):
            rows.append(_row(items, pair, begun_by, ungraded))
            pair = {}
        pair[side] = number
        last = item.number
        if side == 1 or item.move is None:
            rows.append(_row(items, pair, begun_by, ungraded))
            pair = {}
    if pair:
        rows.append(_row(items, pair, begun_by, ungraded))
    return tuple(rows)


def _row(items: Sequence[AnyItem], pair: Mapping[int, int], begun_by: str, ungraded: Mark | None) -> Row:
    """White's and Black's move of one number, with the worth of yours."""
    found = {side: items[number] for side, number in pair.items()}
    mark, slip = None, ""
    for item in found.values():
        if item.shown:
            continue
        if item.own:
            mark = _mark(item, ungraded)
        elif item.error:
            slip = f"{side_name(item.mover)} slips"
    shown = any(item.shown for item in found.values())
    if shown and mark is None:
        mark = Mark("·", "shown", "faint")
    first = found[min(found)]
    names = [found[side].san if side in found else "" for side in (0, 1)]
    if 0 not in found:
        names[0] = "…"
    number = (first.number - 1 + (begun_by == "black")) // 2 + 1
    taken = all(item.taken for item in found.values())
    return Row(number, (names[0], names[1]), (pair.get(0, -1), pair.get(1, -1)), mark, slip, shown or taken)


def _mark(item: AnyItem, ungraded: Mark | None) -> Mark | None:
    """The worth of your move or answer."""
    mark = mark_of(item.grade) or ungraded
    if item.move is None and item.grade is None:
        mark = Mark("✗", "wrong", "loss") if item.error else Mark("✓", "right", "win")
    if mark is None or not item.taken:
        return mark
    return Mark(mark.sign, f"{mark.words}, taken back", mark.role)


# What a move was worth


def worth(judge: AnyJudge, item: AnyItem) -> tuple[str, str]:
    """What a move was worth, in a sentence that follows its name, and in its role."""
    known, speech = judge.known(item.before), speech_of(judge.game.name)
    if known.problem is not None and known.clock is not None:
        return _by_dtz(judge, known, item)
    if item.grade is None or known.problem is not None or known.verdict is None:
        return f"could not be graded: {speech.unknown(item.before)}.", "text"
    best = [move.san for move in known.moves if move.grade == "best"]
    few = f"Best: {either(best)}" if len(best) <= speech.few else f"{len(best)} moves were best, such as {best[0]}"
    return _by_the_rule(known, item, few) or _by_depth(known, item, best, few, speech)


def _by_depth(known: AnyKnown, item: AnyItem, best: Sequence[str], few: str, speech: Speech) -> tuple[str, str]:
    """What a move was worth by the plies to the end."""
    assert item.grade is not None and known.verdict is not None
    kind, was, now, words = item.grade.kind, layer_words(known.verdict), _layer(item.depth), item.grade.words
    if kind is Kind.BEST:
        alone = "" if len(known.moves) > 1 else ", and the only legal move"
        ties = f", one of {len(best)}" if len(best) > 1 else alone
        verb = "is best" if known.verdict.winner == item.mover else "resists longest"
        return f"{verb}{ties}: {was} → {now}.", "win"
    if kind is Kind.SLOWER:
        return f"wins, but {words}: {speech.later(known.verdict.depth or 0, item.depth) or now}. {few}.", "text"
    if kind is Kind.FASTER:
        return f"loses {words} than it need. {few}.", "text"
    if kind is Kind.WIN_GONE:
        return f"lets the win go: {was} becomes a draw. {few}{speech.missed(known.verdict.depth or 0)}.", "draw"
    if kind is Kind.LOSES:
        return f"loses: {was} becomes {now} for {speech.opponent(item.mover)}. {few}.", "loss"
    if len(best) == 1:
        return "holds, and nothing else does." if len(known.moves) > 1 else "holds: the only legal move.", "draw"
    rest = len(known.moves) - len(best)
    others = f"holds, as do {len(best) - 1} other moves; {rest} would lose." if rest else "holds, as every move does."
    return others, "draw"


def _by_the_rule(known: AnyKnown, item: AnyItem, few: str) -> tuple[str, str] | None:
    """What a move was worth where the 50-move rule says something else than DTM; None where it does not."""
    assert item.grade is not None
    after = known.under_rule(item.move)
    if known.fifty is None or after is None or after.category is None:
        return None
    kind, was, now = item.grade.kind, known.fifty.category, after.category.turned
    if kind is Kind.CURSED:
        return f"lets the win become cursed: the 50-move rule ends it first. {few}.", "cursed"
    if kind is Kind.LOSES and was in (Category.BLESSED_LOSS, Category.CURSED_WIN):
        return f"loses what the 50-move rule made a draw. {few}.", "loss"
    if kind is Kind.WIN_GONE and now is Category.BLESSED_LOSS:
        return f"lets the win go: only the 50-move rule saves a draw. {few}.", "draw"
    if kind is Kind.HOLDS and Category.BLESSED_LOSS in (was, now):
        return f"holds{'' if was is now else ', but only'} by the 50-move rule: the loss is blessed.", "blessed"
    if was is Category.CURSED_WIN and kind is Kind.HOLDS:
        return "keeps the cursed win: more than a draw must be given away.", "cursed"
    if was is Category.CURSED_WIN and kind is Kind.WIN_GONE:
        return f"gives up the cursed win for a plain draw. {few}.", "draw"
    if known.problem is not None:
        return None
    if kind in (Kind.BEST, Kind.SLOWER) and (spoilt := known.spoilt):
        if kind is Kind.BEST:
            return f"is best: {spoilt.san} mates sooner, but lets the win become cursed.", "win"
        return f"wins, but {item.grade.words}. {few}; {spoilt.san} lets the win become cursed.", "text"
    return None


def _by_dtz(judge: AnyJudge, known: AnyKnown, item: AnyItem) -> tuple[str, str]:
    """What a move was worth where no table by DTM knows all moves: no mate is known, and no plies are counted."""
    if item.grade is None:
        return f"could not be graded: {_unknown(known, judge.known(item.after))}.", "text"
    keeping = [move.san for move in judge.keeping(item.before)]
    ruled = _by_the_rule(known, item, kept_by(keeping)) if keeping else None
    return ruled or _worth_by_dtz(judge, known, keeping, item)


def _worth_by_dtz(judge: AnyJudge, known: AnyKnown, keeping: Sequence[str], item: AnyItem) -> tuple[str, str]:
    """What a graded move was worth; ``keeping`` is empty where it is not certain which moves keep the result."""
    assert item.grade is not None
    kind, was = item.grade.kind, "win" if known.fifty is None else KINDS[known.fifty.category].words
    better = f" {kept_by(keeping)}." if keeping else ""
    if (over := judge.game.terminal(item.after)) is not None and over.depth == 0:
        return "mates: nothing is better.", "win"
    if kind in (Kind.KEEPS, Kind.HOLDS):
        verb, role = ("keeps the win", "win") if kind is Kind.KEEPS else ("holds", "draw")
        return f"{verb}{_others(len(keeping), len(known.by_dtz))}.", role
    if kind is Kind.STILL_LOST:
        return "loses, as every move does.", "text"
    if kind is Kind.WIN_GONE:
        return f"lets the win go: a {was} becomes a draw.{better}", "draw"
    if kind is Kind.CURSED:
        return f"lets the win become cursed: the 50-move rule ends it first.{better}", "cursed"
    if kind is Kind.LOSES:
        return f"loses: a {was} becomes a loss.{better}", "loss"
    return f"is {item.grade.words} by DTM.", "text"


def kept_by(keeping: Sequence[str]) -> str:
    """The moves that keep the result, a clause: ``Qe4 keeps it``; empty for none."""
    if len(keeping) > 3:
        return f"{len(keeping)} moves keep it, such as {keeping[0]}"
    return f"{either(keeping)} keeps it" if keeping else ""


def _others(keeping: int, moves: int) -> str:
    """How many of the other moves do what a move that keeps the result does."""
    if not keeping:
        return ""
    if moves == 1:
        return ": the only legal move"
    if keeping == 1:
        return ", and nothing else does"
    if keeping == moves:
        return ", as every move does"
    others = "does 1 other move" if keeping == 2 else f"do {keeping - 1} other moves"
    return f", as {others}; {moves - keeping} would not"


def _unknown(before: AnyKnown, after: AnyKnown) -> str:
    """Why a move between two positions could not be graded by DTZ, a clause."""
    if before.fifty is None:
        return "no table knows this position"
    if (problem := after.fifty_problem or before.fifty_problem) is not None:
        return problem.what
    return "DTZ is rounded, and one ply decides"


# What stands in a file


HINTED: Final = ("after a hint", "after a hint that named a move")
"""What a move says of its hints: the man alone, or a move, be it the one played or another."""

SHOWN: Final = "shown by the table"
ESTIMATED: Final = "shown, an estimate"


def comment_of(judge: AnyJudge, ply: Ply[Any, Any], estimated: bool = False) -> str:
    """The grade of a move in words, with what would have been best after an error; hints are owned up to.

    ``estimated`` tells that what was shown is an estimate.
    """
    if ply.shown:
        return ESTIMATED if estimated else SHOWN
    said: list[str] = []
    if ply.grade is not None:
        said.append(ply.grade.words)
        if ply.grade.kind.is_error or ply.grade.plies:
            known = judge.known(ply.before)
            if best := best_names(known)[:3]:
                said.append(f"best: {', '.join(best)}")
            elif keeping := judge.keeping(ply.before):
                said.append(f"kept by: {', '.join(move.san for move in keeping[:3])}")
    if ply.hints:
        said.append(HINTED[ply.hints - 1])
    return "; ".join(said)


def best_names(known: AnyKnown) -> list[str]:
    """The best moves, or those that hold; none where no table by depth knows."""
    return [] if known.problem is not None else [move.san for move in known.moves if move.grade == "best"]


# Hints, and how it ended


def hint_said(match: AnyMatch, hint: Hint[Any], source: str = "") -> Said:
    """The step of a hint, and ``source``, where it comes from."""
    if hint.step == 1:
        step = speech_of(match.game.name).first_step(match.position, hint.move)
        return Said("Hint", f"{step}; i again names the move.{source}")
    return Said("Hint", f"{match.game.san(match.position, hint.move)}, marked on the board.{source}")


def ended(match: AnyMatch) -> tuple[str, str]:
    """The sentence when a game ends, and its role."""
    result = match.result
    assert result is not None
    if result.reason is End.SHOWN:
        who = "an estimate" if match.estimated else "the table"
        return f"{who} shows the rest: ← → step through it.", "text"
    if result.winner is not None:
        role = "win" if result.winner == match.you else "loss"
        return f"{side_name(result.winner)} wins by {result.reason.value}.", role
    return f"drawn by {result.reason.value}.", "draw"


_DRAWN: Final[Mapping[Draw, str]] = {
    Draw.FIFTY: "50 moves", Draw.SEVENTY_FIVE: "75 moves", Draw.MEN: "too few men", Draw.THREEFOLD: "repetition",
    Draw.FIVEFOLD: "repetition", Draw.QUIET: "50 moves, no capture",
}  # fmt: skip


def result_words(match: AnyMatch) -> str:
    """The result in a sentence without a full stop."""
    result = match.result
    assert result is not None
    moves = count(sum(ply.mover == match.you for ply in match.played), "move", "moves")
    if result.reason is End.SHOWN:
        return f"{speech_of(match.game.name).shown(match.estimated)} after {moves}"
    if result.winner == match.you:
        return f"You won in {moves}"
    if result.winner is not None:
        return "You lost on time" if result.reason is End.TIME else f"You lost in {moves}"
    drawn = _DRAWN.get(result.reason) if isinstance(result.reason, Draw) else None
    return f"Drawn: {drawn or result.reason.value}"


def moves_of_yours(items: Iterable[AnyItem]) -> int:
    """How many moves you have played."""
    return sum(item.own and not item.shown for item in items)
