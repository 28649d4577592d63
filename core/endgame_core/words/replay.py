"""A past attempt in words: where one is, what became of it, what each move was worth and what was better."""

from __future__ import annotations

from typing import Any

from endgame_core.grading import Tally
from endgame_core.practice.records import Record, ending_words
from endgame_core.tasks.review import Review
from endgame_core.words.numbers import count, either
from endgame_core.words.played import counts_of, kept_by, mark_of
from endgame_core.words.progress import cost_words, day_words, outcome_words, solved_of
from endgame_core.words.told import Mark, Note, Said, Word

AnyReview = Review[Any, Any]

UNGRADED = Mark("·", "not graded", "faint")
"""The mark of a move of the learner that has no grade."""


def crumbs(review: AnyReview, record: Record, today: int, wide: bool) -> tuple[str, ...]:
    """Ending and theme, the day, where one is."""
    at = "the end" if review.item is None else f"{review.at + 1} of {len(review.items)}"
    name = f"{ending_words(record.ending, record.game)} {record.label}".strip()
    return ("Progress", "attempts", name, day_words(record.day, today), at) if wide else (name, at)


def result(review: AnyReview, record: Record) -> tuple[Note, tuple[Mark, ...]]:
    """What became of it and what it cost, and the learner's grades counted."""
    solved = solved_of(record)
    hinted = solved is False and record.hints and not record.errors  # what alone it failed by must be seen
    became = f"not solved, {count(record.hints, 'hint', 'hints')}" if hinted else outcome_words(record)
    sign = {True: "✓ ", False: "✗ ", None: ""}[solved]
    cost = Word(", ".join(cost_words(record)), "dim")
    tally = Tally.of(item.grade for item in review.items if item.own)
    return Note((Word(f"{sign}{became}", bold=True),), (cost,)), counts_of(tally)


def start(record: Record) -> str:
    """What the tables said of the start: a layer, a draw, or nothing."""
    if record.perfect is not None:
        return f"S{record.perfect}"
    return "draw" if record.goal == "draw" else ""


def reason(review: AnyReview, record: Record) -> Said:
    """What the move looked at was worth, and what would have been best."""
    item = review.item
    if item is None:
        return Said("", f"The end of the attempt.  {_end(review, record)}")
    if item.move is None:
        words, role = ("a wrong answer", "loss") if item.error else ("the right answer", "text")
    else:
        words, role = ("could not be graded" if item.grade is None else item.grade.words), "text"
        words += _better(review) if item.is_slip else ""
    mark = mark_of(item.grade)
    if item.own and item.seconds >= 1:
        words += f"; after {item.seconds:.0f} s"
    if item.taken:
        words += "; taken back"
    return Said(review.name_of(item), f"{words}.", role if role == "loss" or mark is None else mark.role)


def _end(review: AnyReview, record: Record) -> str:
    """What is said behind the last move."""
    if review.missing:
        return f"{count(review.missing, 'move', 'moves')} more cannot be put on the board."
    if not review.items:
        return "No move was made."
    cost = ", ".join(cost_words(record))
    return f"{cost[:1].upper()}{cost[1:]}{': e goes there' if review.slips else ''}." if cost else ""


def _better(review: AnyReview) -> str:
    """What would have been better than a slip, a clause; empty where no table tells."""
    known = review.known
    names = [] if known.problem is not None else [move.san for move in known.moves if move.grade == "best"]
    if names:
        more = f" (or {len(names) - 3} more)" if len(names) > 3 else ""
        return f"; best: {either(names[:3])}{more}"
    keeping = [move.san for move in review.judge.keeping(review.position)]
    return f"; {kept_by(keeping)}" if keeping else ""
