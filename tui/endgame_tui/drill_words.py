"""The sentences of the Drill screen: what is to be done, what a move was worth, what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.grading import Kind
from endgame_core.practice.drills import Call
from endgame_core.practice.goals import HOLD_MOVES, Goal
from endgame_core.practice.match import Hint, Ply
from endgame_core.tables.explorer import RatedMove
from endgame_core.tracked import Win
from endgame_core.values import Category
from endgame_core.words.numbers import count
from endgame_core.words.played import layer_words, move_name, side_name
from endgame_core.words.told import Note, Word
from endgame_tui.sitting import AnyDrill, AnyQuestion, Done, Sitting
from endgame_tui.speech import AnyMatch, Speech, speech_of

_ROLES = {
    Kind.BEST: "text", Kind.HOLDS: "text", Kind.SLOWER: "text", Kind.FASTER: "text", Kind.WIN_GONE: "draw",
    Kind.CURSED: "cursed", Kind.LOSES: "loss",
}  # fmt: skip


def clock_words(seconds: float) -> str:
    """Minutes and seconds: ``0:41``."""
    whole = int(seconds + 1e-6)
    return f"{whole // 60}:{whole % 60:02d}"


def plies_words(count_of_plies: int) -> str:
    """``1 ply``, ``2 plies``."""
    return count(count_of_plies, "ply", "plies")


def any_of(names: Sequence[str]) -> str:
    """``Kg5``, ``Kg5 or Rg6``, ``Kg5 or 6 others``."""
    if len(names) > 3:
        return f"{names[0]} or {len(names) - 1} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


# What is to be done


def speech_in(drill: AnyDrill) -> Speech:
    """How the game of a drill is told."""
    return speech_of(drill.match.game.name)


def aim(drill: AnyDrill) -> str:
    """What counts as solved, in one sentence."""
    lost, speech = f"with at most {plies_words(drill.allowed)} lost", speech_in(drill)
    return {
        Goal.WIN: f"Solved means {speech.winning} {lost}, no hint.",
        Goal.DRAW: f"Solved means the draw held for {HOLD_MOVES} moves, or for good; no hint.",
        Goal.LAST: f"Solved means {HOLD_MOVES} moves survived, or {speech.losing} {lost}; no hint.",
        Goal.MOVE: "Solved means the one move that keeps the result; no hint.",
    }.get(drill.goal, "Solved means not to lose.")


def opening(drill: AnyDrill) -> str:
    """What to do, before the first move."""
    you = side_name(drill.start.learner)
    depth = drill.start.perfect or 0
    moves = (depth + 1) // 2
    return {
        Goal.WIN: f"You are {you} and win: {speech_in(drill).possible(depth)}.",
        Goal.DRAW: f"You are {you}: hold the draw.",
        Goal.LAST: f"You are {you} and lose: last {count(moves, 'move', 'moves')} if you can.",
        Goal.MOVE: f"You are {you}: one move keeps the result, all others spoil it.",
    }.get(drill.goal, f"You are {you}.")


def start_words(drill: AnyDrill, width: int) -> str:
    """What was possible at the start, in a panel of so many columns."""
    depth, speech = drill.start.perfect or 0, speech_in(drill)
    return {
        Goal.WIN: speech.was_possible(depth), Goal.DRAW: "a draw to hold",
        Goal.LAST: f"{speech.ends(depth, False)} at best",
        Goal.MOVE: "one move keeps the result" if width > 34 else "one move keeps it",
    }.get(drill.goal, "")  # fmt: skip


# What a move was worth


def best_names(rated: Sequence[RatedMove[Any, Any]]) -> list[str]:
    """The best moves, as people write them."""
    return [move.san for move in rated if move.grade == "best"]


def last_own(match: AnyMatch) -> int | None:
    """Number of the learner's last ply that was played, from 0; None before the first."""
    found = [n for n, ply in enumerate(match.plies) if ply.mover == match.you and not ply.shown]
    return found[-1] if found else None


def comment(match: AnyMatch, number: int, hidden: bool = False) -> Note:
    """What the learner's ply was worth, and what was better.

    Args:
        match: The game.
        number: The ply, from 0.
        hidden: Whether better moves are kept back, because it goes on from the same position.
    """
    ply = match.plies[number]
    heading = Word(f"{move_name(match, number)}  ", bold=True)
    if ply.grade is None:
        return Note((heading, Word("no table knows what it was worth.", "dim")))
    try:
        rated = match.explorer.moves(ply.before)
    except EndgameError:
        rated = []
    return Note((heading, Word(_worth(ply, rated, hidden), _ROLES[ply.grade.kind])))


def _worth(ply: Ply[Any, Any], rated: Sequence[RatedMove[Any, Any]], hidden: bool) -> str:
    assert ply.grade is not None
    kind, best = ply.grade.kind, best_names(rated)
    was = f"S{rated[0].layer + 1}" if rated and rated[0].layer is not None else "a draw"
    path = f"{was} → {layer_words(ply.verdict)}"
    better = any_of(best) if best and not hidden else ""
    if kind is Kind.BEST:
        ties = f", one of {len(best)}" if len(best) > 1 else ", and nothing else was" if len(rated) > 1 else ""
        return f"best{ties}: {path}."
    if kind is Kind.SLOWER:
        return f"cost {plies_words(ply.grade.plies)}: {path}." + (f" Shortest was {better}." if better else "")
    if kind is Kind.FASTER:
        return f"cost {plies_words(ply.grade.plies)}: {path}." + (f" Longest was {better}." if better else "")
    if kind is Kind.CURSED:
        return f"{ply.grade.words}: {path}." + (f" Best was {better}." if better else "")
    if kind is Kind.WIN_GONE:
        return f"lets the win go: {path}." + (f" Best was {better}." if better else "")
    if kind is Kind.LOSES:
        return f"loses: {path}." + (f" Best was {better}." if better else "")
    rest = len(rated) - len(best)
    if not rest:
        return "holds, as every move does."
    return "holds, and nothing else does." if len(best) == 1 else f"holds, as {len(best)} moves do; {rest} lose."


def hint_words(match: AnyMatch, hint: Hint[Any]) -> Note:
    """A hint at its step."""
    words = f"{match.game.san(match.position, hint.move)}."
    if hint.step == 1:
        words = f"{speech_of(match.game.name).first_step(match.position, hint.move)}; i again names the move."
    return Note((Word("Hint  ", "amber", True), Word(words)))


def line_words(sitting: Sitting, drill: AnyDrill) -> str:
    """The table's line from the learner's first move that changed the result, or from where he stands."""
    match = drill.match
    number = next(
        (n for n, p in enumerate(match.plies) if p.mover == match.you and p.grade and p.grade.kind.is_error),
        len(match.plies),
    )
    position = match.plies[number].before if number < len(match.plies) else match.position
    line = match.judge.line(position, 12, by=match.game.metric)
    if line.cut is not None:
        return str(line.cut)
    ply = number + int(match.game.mover(match.start) == "black")
    words: list[str] = []
    for step in line.steps:
        dots = "." if ply % 2 == 0 else "…"
        words.append(f"{ply // 2 + 1}{dots}{step.san}" if ply % 2 == 0 or not words else step.san)
        ply += 1
    return " ".join(words)


# What became of it


def verdict_words(done: Done) -> tuple[str, str]:
    """``Solved`` or ``Not solved``, and its role."""
    return ("Solved", "win") if done.solved else ("Not solved", "loss")


def outcome(drill: AnyDrill, done: Done) -> str:
    """Why it was solved or not, in a sentence."""
    why = drill.standing.why or done.why
    head = "Solved by" if why in (Win.STONES, Win.BLOCKED) else "Solved:"
    recorder = drill.recorder
    if done.solved:
        lost = f", {plies_words(done.lost)} lost" if done.lost else ", nothing lost" if drill.goal is Goal.WIN else ""
        return f"{head} {why}{lost}."
    if drill.standing.reached:
        spoilt = [plies_words(done.lost) + " lost"] if done.lost > drill.allowed else []
        spoilt += [count(recorder.errors, "slip", "slips")] if recorder.errors else []
        spoilt += [count(recorder.hints, "hint", "hints")] if recorder.hints else []
        return f"Not s{head[1:]} {why}, but {', '.join(spoilt) or 'it was decided before'}."
    return f"Not solved: {why}."


# Questions

RESULTS = {Category.WIN: "a win", Category.DRAW: "a draw", Category.LOSS: "a loss"}
"""What can be answered."""


def call_words(call: Call, mover: str) -> str:
    """An answer as a sentence about the side to move."""
    decides = {True: ", and the move decides", False: ", whoever is to move", None: ""}[call.decides]
    return f"{RESULTS[call.result]} for {mover}{decides}" if call.result is not Category.DRAW else f"a draw{decides}"


def answer_words(question: AnyQuestion, mover: str) -> Note:
    """Whether the answer was right, and what the truth is."""
    right = question.standing.reached
    word = Word("Right: " if right else "No: ", "win" if right else "loss", True)
    return Note((word, Word(f"it is {call_words(question.truth, mover)}.")))
