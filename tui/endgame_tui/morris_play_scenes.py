"""Turns a game of Morris into what the panels of its Play screen show."""

from __future__ import annotations

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate
from endgame_core.game import Category, Verdict
from endgame_core.morris import rules
from endgame_core.morris.geometry import POINTS
from endgame_core.morris.notation import NAMES
from endgame_core.morris.rules import Move
from endgame_core.practice.grading import Kind
from endgame_tui.morris_playing import DEFENCES, StonePlay
from endgame_tui.play_scenes import ABOUT, number_of
from endgame_tui.play_words import side_name
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.setup import Choices, SetupView
from endgame_tui.widgets.stones import Label, StonesView
from endgame_tui.widgets.words import ReasonView, VerdictView
from endgame_tui.wording import count

Thought = Estimate[Move]


def name_of(position: rules.Position) -> str:
    """White's and Black's stones, or that stones are placed."""
    if any(position.hands):
        return "placing"
    return f"{rules.count(position, 0)}-{rules.count(position, 1)}"


def crumbs(play: StonePlay) -> tuple[str, ...]:
    """Ending, your side, where the game is."""
    match = play.match
    if match is None:
        return name_of(play.position), "new game"
    if play.stage == "play":
        number = number_of(match, len(match.plies))
        return name_of(play.position), f"you are {side_name(match.you)}", f"move {number}"
    at = "the end" if play.looked_at is None else f"move {number_of(match, play.at)}"
    return name_of(play.position), f"you were {side_name(match.you)}", at


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


def verdict_view(play: StonePlay, turn: Turn, chosen: Selection, thought: Thought | None, busy: bool) -> VerdictView:
    """Whose move it is, and the verdict: hidden, by the tables, or an estimate."""
    match = play.match
    if match is None:
        return VerdictView()
    words, role = verdict_words(match.verdict)
    if play.hidden:
        words, role = "verdict hidden", "dim"
    elif match.verdict is None and thought is not None:
        words, role = estimate_words(thought, play.position.turn), "text"
    does = "Take a stone" if chosen.end is not None else "Place a stone" if turn.placing else "Your move"
    mover = does if match.your_turn else "Thinking" if busy else "The reply"
    return VerdictView(play.position.turn == rules.WHITE, mover, words, role)


def board_view(play: StonePlay, turn: Turn, chosen: Selection, cursor: int, flipped: bool, large: bool) -> StonesView:
    """The board; where a stone can go, with the layers once they may be told."""
    last = play.last
    if play.stage == "setup":
        turn = Turn(play.position, ())
    rated: list[tuple[Move, Label]] = []
    if play.stage == "review" or not play.hidden:
        rated = [
            (move.move, Label("=" if move.layer is None else f"S{move.layer}", move.grade == "best"))
            for move in play.rated
        ]
    show_all = large and (play.stage == "review" or not play.hidden)
    return stones_view(
        turn, chosen, cursor, last=last.move if last else None, rated=rated, show_all=show_all, flipped=flipped
    )


def step_words(move: Move) -> str:
    """The stone of a hint: the one to move, or that one is to be placed."""
    return "place a stone" if move.source is None else f"move the stone on {POINTS[move.source]}"


def words_view(play: StonePlay) -> ReasonView:
    """The sentence under the board."""
    match = play.match
    if match is None:
        side = NAMES[play.start.turn]
        return ReasonView("", f"{'Nine stones each in hand' if play.empty else name_of(play.start)}, {side} to move.")
    if play.stage == "review":
        return _review(play)
    if (hint := play.hint) is not None:
        source = "" if match.verdict is not None else " An estimate."
        if hint.step == 1:
            return ReasonView("Hint", f"{step_words(hint.move)}; i again names the move.{source}")
        return ReasonView("Hint", f"{match.game.san(match.position, hint.move)}.{source}")
    if match.verdict is None:
        return ReasonView("", "No table reaches here: replies and hints are estimates.")
    if play.hidden:
        return ReasonView("", "Grades come after the game; v shows the verdict now.")
    words, role = verdict_words(match.verdict)
    return ReasonView("", f"{NAMES[match.position.turn]} {words}." if words != "draw" else "A draw.", role)


def _review(play: StonePlay) -> ReasonView:
    """What the move looked at was worth; at the end, what to do next."""
    match, ply = play.match, play.looked_at
    assert match is not None
    if ply is None:
        slips = len(match.slips())
        if slips:
            return ReasonView("", f"{count(slips, 'move was', 'moves were')} not the best: e goes there.")
        flawless = "Every graded move was the best there was." if match.tally.moves else "No table could grade it."
        return ReasonView("", f"{flawless}  ← → step through the game.")
    heading = f"{number_of(match, play.at)}{'.' if ply.mover == 'white' else '…'} {ply.san}"
    if ply.shown:
        who = "an estimate of the search" if ply.grade is None else "what the table plays"
        return ReasonView(heading, f"is {who}.", "faint")
    if ply.grade is None:
        return ReasonView(heading, "could not be graded: no table knows this position.")
    best = [move.san for move in play.rated if move.grade == "best"]
    roles = {Kind.BEST: "win", Kind.WIN_GONE: "draw", Kind.HOLDS: "draw", Kind.LOSES: "loss"}
    role = roles.get(ply.grade.kind, "text")
    named = "" if ply.grade.kind in (Kind.BEST, Kind.HOLDS) or not best else f" Best: {', '.join(best[:3])}."
    return ReasonView(heading, f"{ply.grade.words}.{named}", role)


def setup_view(play: StonePlay, cursor: int) -> SetupView:
    """The choices of a new game."""
    rows = (
        Choices("Begin from", ("position", "empty board"), int(play.empty), _start_about(play)),
        Choices("You play", ("White", "Black"), int(not play.white), ""),
        Choices(
            "Defence", tuple(found.value for found in DEFENCES), DEFENCES.index(play.defence), ABOUT[play.defence.value]
        ),
        Choices("Verdict", ("hidden", "shown"), int(not play.hidden), "v changes it during the game, too."),
    )
    return SetupView("New game", rows, cursor, (("Enter", "begin"), (":", "type a position, 3-4 or S12")))


def _start_about(play: StonePlay) -> str:
    """What awaits you, as far as may be told."""
    if play.empty:
        return "Nine stones each are placed; the search replies until a table knows."
    try:
        verdict = play.explorer.probe(play.chosen)
    except EndgameError:
        return "No table reaches this position: the search plays it, an estimate."
    if verdict.winner is None:
        return "The position is drawn: hold it."
    plies = count(verdict.depth or 0, "ply", "plies")
    return f"You can win in {plies}." if (verdict.winner == "white") == play.white else f"You are lost in {plies}."
