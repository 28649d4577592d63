"""The sentences of the Play screen: what a move was worth, how the game stands, what a hint says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import chess

from endgame_core.errors import EndgameError
from endgame_core.grading import Kind
from endgame_core.practice.match import End, Hint, Match
from endgame_core.practice.played import Ply
from endgame_core.tracked import Draw
from endgame_core.values import Category, Verdict
from endgame_core.words import fifty as fifty_words
from endgame_core.words.numbers import count, either
from endgame_core.words.told import UNSURE, Said
from endgame_tui import dtz_words
from endgame_tui.chess_speech import ChessSpeech
from endgame_tui.playing import ChessMatch, ChessPly, Play
from endgame_tui.speech import Speech
from endgame_tui.trail import Findings
from endgame_tui.walk import MOST_CLOCK

P = TypeVar("P")
M = TypeVar("M")

FIFTY = (Draw.FIFTY, Draw.SEVENTY_FIVE)
"""Draws by the clock."""

NO_DTM = "There is no DTM table here."
NO_MOVES = "There is no move of yours to grade."


def side_name(side: str) -> str:
    """White or Black."""
    return side.capitalize()


def ordinal(number: int) -> str:
    """``2nd``, ``3rd``, ``4th``."""
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def number_of(match: Match[Any, Any], ply: int) -> int:
    """The move number, from 1, of a ply counted from 0."""
    return (ply + (match.game.mover(match.start) == "black")) // 2 + 1


def move_name(match: Match[Any, Any], number: int) -> str:
    """A ply, counted from 0, with its move number: ``3.Kd5``, ``3…Kd7``."""
    ply = match.plies[number]
    return f"{number_of(match, number)}{'.' if ply.mover == 'white' else '…'}{ply.san}"


def layer_words(verdict: Verdict | None) -> str:
    """``S12``, or ``a draw``."""
    return "a draw" if verdict is None or verdict.depth is None else f"S{verdict.depth}"


def printed(view: Said, plain: Callable[[str], str]) -> Said:
    """The same words as this terminal can print them."""
    return Said(plain(view.heading), plain(view.sentence), view.role, plain(view.aside))


def setup_view(play: Play, plain: Callable[[str], str]) -> Said:
    """The ending in words, or the study, before a game."""
    position = play.setup.position
    try:
        title = play.game.title(play.game.ending_of(position))
    except EndgameError:
        title = f"{position.occupied.bit_count()} men"
    side = "White" if position.turn else "Black"
    clock = f", the half-move clock at {position.halfmove_clock}" if position.halfmove_clock else ""
    return Said(plain(play.about[0]), plain(f"{title[:1].upper()}{title[1:]}, {side} to move{clock}."), "text")


def review_view(play: Play) -> Said:
    """What the move looked at was worth; at the end, what to do next."""
    match, ply = play.match, play.looked_at
    assert match is not None
    if ply is None:
        if match.plies and match.plies[-1].shown and _claimable(match.position):
            return Said("", "Here a draw can be claimed.  ← → step through the game.", "text")
        if (claimed := play.claimed) is not None and claimed.category is Category.WIN:
            mate = "" if claimed.mate is None else f": mate in {claimed.mate}"
            who = "The game was drawn" if match.mover != match.you else "You claimed a draw"
            return Said("", f"{who} in a won position{mate}.", "text")
        slips = count(len(match.slips()), "move was", "moves were")
        found = f"{slips} not the best: e goes there." if match.slips() else _flawless(play, match)
        return Said("", f"{found}  ← → step through the game.", "text")
    heading = move_name(match, play.at)
    if ply.shown:
        who = "the search plays, an estimate" if play.estimated else "the table plays"
        return Said(heading, f"is what {who}.", "faint")
    words, role = _worth(play, ply)
    return Said(heading, words, role)


def _claimable(position: chess.Board) -> bool:
    return position.halfmove_clock >= MOST_CLOCK and not position.is_checkmate()


def _flawless(play: Play, match: ChessMatch) -> str:
    """That no move lost anything, as far as that is known."""
    if not any(ply.mover == match.you for ply in match.played):
        return NO_MOVES
    tally = match.tally
    if not tally.moves:
        return "No table could grade it."
    if tally.moves < (yours := sum(ply.mover == match.you for ply in match.played)):
        return f"{tally.moves} of {yours} moves were graded, and none was an error."
    if tally.counted < tally.moves:
        return "Every move kept the result."
    prospect, result = play.prospect, match.result
    if prospect is not None and prospect.category is Category.MAYBE_WIN and result and result.reason in FIFTY:
        return "By DTM every move was the best: the clock was too far on."
    return "Every move was the best there was."


def _worth(play: Play, ply: ChessPly) -> tuple[str, str]:
    """What a move was worth, by the 50-move rule where it says something else than DTM, or DTM says nothing."""
    facts = play.facts_of(ply.before)
    if facts.problem is not None:
        return _by_dtz(play, ply)
    mate = ((facts.verdict.depth or 0) + 1) // 2 if facts.verdict else 0
    later = f"mate in {((ply.verdict.depth or 0) + 2) // 2 if ply.verdict else mate} instead of {mate}"
    return worth(facts, ply, lambda few: _by_the_rule(play, ply, few), later=later, missed=f", mate in {mate}")


def _by_dtz(play: Play, ply: ChessPly) -> tuple[str, str]:
    """What a move was worth where no table by DTM knows all moves."""
    known, keeping = play.judge.known(ply.before), play.judge.keeping(ply.before)
    if ply.grade is None:
        return f"could not be graded: {dtz_words.unknown(known, play.judge.known(ply.after))}.", "text"
    ruled = _by_the_rule(play, ply, dtz_words.few(keeping)) if keeping else None
    return ruled or dtz_words.worth(known, keeping, ply)


def worth(
    facts: Findings[P, M], ply: Ply[P, M], ruled: Callable[[str], tuple[str, str] | None] = lambda few: None, *,
    most: int = 3, later: str = "", missed: str = "", winner: str = "the other side",
    unknown: str = "no table knows this position",
) -> tuple[str, str]:  # fmt: skip
    """What a move was worth, in a sentence and in its role; what differs between the games is given.

    ``ruled`` has its say first: it is given the sentence about the best moves, of which ``most`` are named.
    """
    if ply.grade is None or facts.problem is not None or facts.verdict is None:
        return f"could not be graded: {unknown}.", "text"
    best = [move.san for move in facts.moves if move.grade == "best"]
    was, kind = facts.verdict, ply.grade.kind
    few = f"Best: {either(best)}" if len(best) <= most else f"{len(best)} moves were best, such as {best[0]}"
    if (found := ruled(few)) is not None:
        return found
    now = layer_words(ply.verdict)
    if kind is Kind.BEST:
        ties = f", one of {len(best)}" if len(best) > 1 else "" if len(facts.moves) > 1 else ", and the only legal move"
        verb = "is best" if was.winner == ply.mover else "resists longest"
        return f"{verb}{ties}: {layer_words(was)} → {now}.", "win"
    if kind is Kind.SLOWER:
        return f"wins, but {ply.grade.words}: {later or now}. {few}.", "text"
    if kind is Kind.FASTER:
        return f"loses {ply.grade.words} than it need. {few}.", "text"
    if kind is Kind.WIN_GONE:
        return f"lets the win go: {layer_words(was)} becomes a draw. {few}{missed}.", "draw"
    if kind is Kind.LOSES:
        return f"loses: {layer_words(was)} becomes {now} for {winner}. {few}.", "loss"
    if len(best) == 1:
        return "holds, and nothing else does." if len(facts.moves) > 1 else "holds: the only legal move.", "draw"
    rest = len(facts.moves) - len(best)
    others = f"holds, as do {len(best) - 1} other moves; {rest} would lose." if rest else "holds, as every move does."
    return others, "draw"


def _by_the_rule(play: Play, ply: ChessPly, few: str) -> tuple[str, str] | None:
    """What a move was worth where the 50-move rule says something else than DTM; None where it does not."""
    assert ply.grade is not None
    known = play.judge.known(ply.before)
    after = next((rated.category for rated in known.moves if rated.move == ply.move), None)
    if known.verdict is None or after is None:
        return None
    kind, was, now = ply.grade.kind, known.verdict.category, after.turned
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
    if play.facts_of(ply.before).problem is not None:
        return None
    if kind in (Kind.BEST, Kind.SLOWER) and (spoilt := play.judge.spoilt(ply.before)):
        if kind is Kind.BEST:
            return f"is best: {spoilt.san} mates sooner, but lets the win become cursed.", "win"
        return f"wins, but {ply.grade.words}. {few}; {spoilt.san} lets the win become cursed.", "text"
    return None


def playing_view(play: Play) -> Said:
    """How the game stands, as far as may be told; the hint, if one was given."""
    match = play.match
    assert match is not None
    if play.hint is not None:
        return hint_view(match, play.hint, ChessSpeech())
    if play.hidden:
        prospect = play.prospect
        source = f" {dtz_words.BY_DTZ}" if play.told_by_dtz else ""
        unknown = source.strip() or "No table reaches here: replies and hints are estimates."
        began = unknown if prospect is None else f"{prospect.began}{source}"
        return Said("", began, "text", "Grades come after the game; v shows the verdict now.")
    prospect = play.prospect
    begun = "" if prospect is None else f"You began in {prospect.layer or layer_words(match.start_verdict)}; "
    if play.facts.problem is None:
        return standing_view(match, begun)
    known = play.judge.known(play.position)
    if known.verdict is not None:
        return dtz_words.standing_view(match, known, begun)
    moves, verdict = sum(ply.mover == match.you for ply in match.plies), play.facts.verdict
    said = ".  No table reaches here." if verdict is None else f"; {dtz_words.ESTIMATES}"
    heading = "" if verdict is None else layer_words(verdict)
    return Said(heading, f"{count(moves, 'move', 'moves')} played{said}", "text")


def hint_view(match: Match[P, M], hint: Hint[M], speech: Speech, source: str = "") -> Said:
    """The step of a hint, and ``source``, where it comes from."""
    if hint.step == 1:
        step = speech.first_step(match.position, hint.move)
        return Said("Hint", f"{step}; i again names the move.{source}")
    return Said("Hint", f"{match.game.san(match.position, hint.move)}, marked on the board.{source}")


def standing_view(match: Match[Any, Any], begun: str) -> Said:
    """The layer, and after ``begun``, where the game began, what your moves have lost."""
    verdict, tally = match.verdict, match.tally
    heading = "" if verdict is None else "Draw" if verdict.depth is None else f"S{verdict.depth}"
    moves = sum(ply.mover == match.you for ply in match.plies)
    lost = f"{count(tally.plies, 'ply', 'plies')} lost so far" if tally.counted == moves else "plies lost not all known"
    if tally.moves < moves:
        lost = "not all graded"
    if tally.errors:
        lost += f", the result changed {count(tally.errors, 'time', 'times')}"
    return Said(heading, f"{begun}{count(moves, 'move', 'moves')} played, {lost}.")


def warning(play: Play) -> str:
    """What the 50-move rule has against a win, or for a loss; empty for nothing."""
    verdict, position = play.judge.known(play.position).verdict, play.position
    if verdict is not None and verdict.category in (Category.MAYBE_WIN, Category.MAYBE_LOSS):
        winner = "White" if verdict.turn == (verdict.dtz > 0) else "Black"
        return f"{winner} may win: one ply decides, and DTZ is rounded."
    if verdict is not None:
        short = fifty_words.verdict(verdict).partition(";")[0].partition(", with")[0].removesuffix(".")
        return f"{short}." if verdict.category in UNSURE else ""
    depth, clock = play.facts.verdict.depth if play.facts.verdict else None, position.halfmove_clock
    if depth is None or depth + clock <= MOST_CLOCK:
        return ""
    return f"by DTM mate in {(depth + 1) // 2}, but the clock at {clock} may allow a draw first."


def last_view(play: Play) -> Said:
    """The last move, and what may be claimed."""
    match = play.match
    if match is None or not match.plies:
        return Said()
    last = move_name(match, len(match.plies) - 1)
    if (claim := play.claim) is None:
        return Said("Last", last, "text", "marked on the board")
    how = "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"
    return Said("Last", f"{last}  D claims a draw{how}: {claim.draw.value}", "text")


def ended(match: Match[Any, Any], estimated: bool) -> tuple[str, str]:
    """The sentence when a game ends, and its role."""
    result = match.result
    assert result is not None
    if result.reason is End.SHOWN:
        who = "an estimate" if estimated else "the table"
        return f"{who} shows the rest: ← → step through it.", "text"
    if result.winner is not None:
        role = "win" if result.winner == match.you else "loss"
        return f"{side_name(result.winner)} wins by {result.reason.value}.", role
    return f"drawn by {result.reason.value}.", "draw"
