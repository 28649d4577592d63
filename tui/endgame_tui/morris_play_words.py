"""The sentences of the Play screen of Morris: what a move was worth, how the game stands, what a hint says."""

from __future__ import annotations

from endgame_core.estimate import Estimate
from endgame_core.morris import rules
from endgame_core.morris.notation import NAMES
from endgame_core.morris.rules import Move
from endgame_core.values import Category, Verdict
from endgame_core.words.numbers import count
from endgame_core.words.told import Said
from endgame_tui.morris_playing import StoneMatch, StonePlay
from endgame_tui.morris_speech import MorrisSpeech
from endgame_tui.play_words import NO_MOVES, hint_view, layer_words, move_name, standing_view, worth

Thought = Estimate[Move]


def name_of(position: rules.Position) -> str:
    """White's and Black's stones, or that stones are placed."""
    if any(position.hands):
        return "placing"
    return f"{rules.count(position, 0)}-{rules.count(position, 1)}"


def verdict_words(verdict: Verdict | None) -> tuple[str, str]:
    """The verdict in words and its role."""
    if verdict is None:
        return "no table knows", "dim"
    if verdict.depth is None:
        return "draw", "draw"
    if verdict.depth == 0:
        return "has lost", "loss"
    plies = count(verdict.depth, "ply", "plies")
    return (f"wins in {plies}", "win") if verdict.category is Category.WIN else (f"loses in {plies}", "loss")


def estimate_words(thought: Thought, mover: int) -> str:
    """An estimate in words that say that it is one; scores are White's, in stones."""
    if thought.mate is not None:
        side = NAMES[mover if thought.mate > 0 else 1 - mover]
        return f"{side} wins in {count(abs(thought.mate), 'ply', 'plies')}{'' if thought.exact else ': estimate'}"
    score = (-thought.score if mover else thought.score) / 100
    return f"estimate {score:+.2f} · depth {thought.depth}"


def start_about(play: StonePlay) -> str:
    """What awaits you, as far as may be told."""
    if play.empty:
        return "Nine stones each are placed; the search replies until a table knows."
    facts = play.facts_of(play.chosen)
    if facts.problem is not None or facts.verdict is None:
        return "No table reaches this position: the search plays it, and all it says is an estimate."
    if facts.verdict.depth == 0:
        return "The game is over in this position."
    if facts.verdict.winner is None:
        return "The position is drawn: hold it."
    plies = count(facts.verdict.depth or 0, "ply", "plies")
    yours = (facts.verdict.winner == "white") == play.white
    return f"You can win in {plies}." if yours else f"You are lost: resist for {plies}."


def setup_view(play: StonePlay) -> Said:
    """The position in words, before a game."""
    start = play.start
    what = "Nine stones each in hand" if play.empty else name_of(start)
    if not play.empty and any(start.hands):
        what = "{} and {} stones in hand".format(*start.hands)
    return Said("", f"{what}, {NAMES[start.turn]} to move.")


def last_view(play: StonePlay) -> Said:
    """The last move."""
    match = play.match
    if match is None or not match.plies:
        return Said()
    return Said("Last", move_name(match, len(match.plies) - 1), "text", "marked on the board")


def playing_view(play: StonePlay) -> Said:
    """How the game stands, as far as may be told; the hint, if one was given."""
    match = play.match
    assert match is not None
    if (hint := play.hint) is not None:
        source = "" if match.verdict is not None else "  An estimate."
        return hint_view(match, hint, MorrisSpeech(), source)
    if match.verdict is None:
        return Said("", _unknown(match))
    if play.hidden:
        return Said("", _began(match), "text", "Grades come at the end; v shows the verdict.")
    begun = "" if match.start_verdict is None else f"You began in {layer_words(match.start_verdict)}; "
    return standing_view(match, begun)


def _unknown(match: StoneMatch) -> str:
    """Why nobody knows."""
    if any(match.position.hands):
        return "Replies and hints are estimates; tables begin when all stones are placed."
    return "Replies and hints are estimates; no table reaches here."


def _began(match: StoneMatch) -> str:
    verdict = match.start_verdict
    if verdict is None:
        return "The tables know this position now: they reply."
    if verdict.depth is None:
        return "You began in a draw."
    plies = count(verdict.depth, "ply", "plies")
    return f"You began with a win in {plies}." if verdict.winner == match.you else f"You began with a loss in {plies}."


def review_view(play: StonePlay) -> Said:
    """What the move looked at was worth; at the end, what to do next."""
    match, ply = play.match, play.looked_at
    assert match is not None
    if ply is None:
        slips = len(match.slips())
        found = f"{count(slips, 'move was', 'moves were')} not the best: e goes there." if slips else _flawless(match)
        return Said("", f"{found}  ← → step through the game.")
    heading = move_name(match, play.at)
    if ply.shown:
        return Said(heading, f"is what the {'search' if play.estimated else 'table'} plays.", "faint")
    why = "while stones are placed no table knows" if any(ply.before.hands) else "no table knows this position"
    words, role = worth(play.facts_of(ply.before), ply, most=2, winner=NAMES[ply.after.turn], unknown=why)
    return Said(heading, words, role)


def _flawless(match: StoneMatch) -> str:
    graded, yours = match.tally.moves, sum(ply.mover == match.you for ply in match.played)
    if not yours:
        return NO_MOVES
    if not graded:
        return "No table could grade your moves."
    return (
        f"{'Every move was' if graded == yours else f'{graded} of {yours} moves were graded, all'} the best there was."
    )
