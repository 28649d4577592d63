"""Turns a game into what each panel of the Play screen shows."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any, Protocol

import chess

from endgame_core.estimate import Estimate
from endgame_core.grading import Grade, Kind, Tally
from endgame_core.practice.match import End, Match
from endgame_core.practice.played import Ply
from endgame_core.tracked import Draw
from endgame_core.values import Category, Verdict
from endgame_core.words.numbers import count, grouped, reply_time
from endgame_core.words.told import KINDS, Choices, Fact, Headline, Line, Mark, Section
from endgame_tui import scenes
from endgame_tui.look import Glyphs
from endgame_tui.play_words import NO_DTM, number_of, ordinal, side_name
from endgame_tui.playing import CLOCKS, DEFENCES, Play
from endgame_tui.prospects import Prospect
from endgame_tui.walk import Facts, unbuilt
from endgame_tui.widgets.board import Label
from endgame_tui.widgets.chart import UNKNOWN, ChartView
from endgame_tui.widgets.facts import ResultView
from endgame_tui.widgets.old_moves import MovesView
from endgame_tui.widgets.score import ScoreRow, ScoreView
from endgame_tui.widgets.setup import SetupView
from endgame_tui.widgets.squares import SquaresView

ABOUT = {
    "perfect": "Resists longest, and always with the same move.",
    "varied": "Resists longest; of equal moves any, so that no two games are the same.",
    "tricky": "Leaves you the fewest moves that keep the result, then resists longest.",
    "human": "Gives a little away now and then, the more seldom the more it costs.",
}
"""What each defence does when it loses; all win a won game and hold a drawn one."""

STUDY = (
    ("r", "play on from here, perfect defence"), ("+", "add this position to your drills"),
    ("o", "save the game as PGN, with grades"),
)  # fmt: skip


class Played(Protocol):
    """A game of any kind as the panels about moves, rules and result need it."""

    hidden: bool
    replied: float | None
    at: int

    @property
    def estimated(self) -> bool:
        """Whether what was shown comes from a search."""
        ...

    @property
    def match(self) -> Match[Any, Any] | None:
        """The game, None before the first."""
        ...

    @property
    def stage(self) -> str:
        """``setup``, ``play`` or ``review``."""
        ...

    @property
    def looked_at(self) -> Ply[Any, Any] | None:
        """The move that is looked at after the game."""
        ...


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


def review_corner(play: Played, glyphs: Glyphs) -> tuple[str, str]:
    """After the game on the smallest screens: what the move looked at was worth, at the end the result."""
    ply = play.looked_at
    mark = mark_of(ply.grade) if ply is not None and not ply.shown else None
    if mark is not None:
        return glyphs.plain(f"{mark.sign} {mark.words}"), mark.role
    return (play.match.result.score if play.match and play.match.result else ""), "text"


def crumbs(play: Play, wide: bool) -> tuple[str, ...]:
    """Ending, your side, where the game is."""
    match, name = play.match, play.facts_of(play.setup.position if play.match is None else play.match.start).name
    if match is None:
        return name, "new game"
    side = side_name(match.you)
    if play.stage == "play":
        return name, f"you are {side}", f"move {number_of(match, len(match.plies))}"
    last = number_of(match, max(len(match.plies) - 1, 0))
    at = number_of(match, play.at) if play.looked_at is not None else None
    if not wide:
        return name, "finished", "end" if at is None else f"move {at}"
    return name, f"you were {side}", "finished", "the end" if at is None else f"move {at} of {last}"


def verdict_words(facts: Facts, glyphs: Glyphs) -> tuple[str, str]:
    """The verdict in words and in its role."""
    words, role = facts.result
    depth = facts.verdict.depth if facts.verdict else None
    return (f"{words} {glyphs.middle} {count(depth, 'ply', 'plies')}" if depth and not facts.over else words), role


def verdict_view(play: Play, glyphs: Glyphs, estimate: str = "", thinking: bool = False) -> Headline:
    """Whose move it is, and the verdict, hidden or shown; an estimate where no table knows."""
    match = play.match
    if match is None:
        return Headline()
    words, role = verdict_words(play.facts, glyphs)
    if play.hidden:
        words, role = "verdict hidden", "dim"
    elif play.facts.verdict is None and (category := play.judge.category(play.position)) is not None:
        words, role = KINDS[category].words, KINDS[category].role
    elif play.guessed and not words:
        words, role = estimate or "no table knows", "text" if estimate else "dim"
    mover = "Your move" if match.your_turn else "Thinking" if thinking else "The reply"
    return Headline(match.mover == "white", mover, glyphs.plain(words), role)


def score_view(play: Played) -> ScoreView:
    """The game, with the worth of your moves once it may be told."""
    match = play.match
    if match is None:
        return ScoreView()
    offset = int(match.game.mover(match.start) == "black")
    rows: list[ScoreRow] = []
    for first in range(-offset, len(match.plies), 2):
        pair = [match.plies[n] if 0 <= n < len(match.plies) else None for n in (first, first + 1)]
        moves = [ply.san if ply else "" for ply in pair]
        mark, slip = None, ""
        for ply in pair:
            if ply is None or ply.shown:
                continue
            if ply.mover == match.you:
                mark = mark_of(ply.grade)
            elif ply.grade is not None and ply.grade.kind.is_error:
                slip = f"{side_name(ply.mover)} slips"
        shown = any(ply is not None and ply.shown for ply in pair)
        plies = (first if pair[0] else -1, first + 1 if pair[1] else -1)
        if shown and mark is None:
            mark = Mark("·", "shown", "faint")
        number = (first + offset) // 2 + 1
        rows.append(
            ScoreRow(number, (moves[0] or ("…" if offset and not rows else ""), moves[1]), plies, mark, slip, shown)
        )
    review = play.stage == "review"
    cursor = play.at if play.looked_at is not None else None
    return ScoreView(tuple(rows), cursor, match.you == "white", "", review or not play.hidden)


def facts_view(play: Played, elapsed: float = 0.0, thinker: str = "") -> tuple[Section, ...]:
    """Rules, you, the opponent; ``elapsed`` is how long you have been thinking."""
    match = play.match
    if match is None:
        return ()
    times = match.tracked.occurrences
    you = [Fact("hints", str(match.hints)), Fact("takebacks", str(match.takebacks))]
    if match.left is not None:
        seconds = max(ceil(match.left - elapsed), 0)
        role = "loss" if seconds < 20 else "text"
        you.append(Fact("time", f"{seconds // 60}:{seconds % 60:02d}", role))
    replied = "–" if play.replied is None else reply_time(play.replied)
    opponent = [Fact("defence", thinker or match.defence.value), Fact("last reply", replied)]
    rules = [
        Fact("50 moves", f"{match.tracked.clock} of 100"),
        Fact("repeats", "first time" if times == 1 else f"{ordinal(times)} time", "text" if times < 3 else "draw"),
    ]
    return Section("Rules", tuple(rules)), Section("You", tuple(you)), Section("Opponent", tuple(opponent))


def board_view(play: Play, cursor: int, picked: int | None, flipped: bool, large: bool, glyphs: Glyphs) -> SquaresView:
    """The board: where a man picked up can go, with the layers once they may be told; the hint; the move looked at."""
    last, looked = play.last, play.looked_at
    labels: dict[int, Label] = {}
    if looked is not None:
        labels = scenes.labels(play.facts, looked.move.from_square)
        picked = None
    elif play.stage == "play":
        source = picked if picked is not None else cursor if large and not play.hidden else None
        labels = _targets(play, source, glyphs)
        hint = play.hint
        if hint is not None and hint.step == 2 and picked == hint.move.from_square:
            known = labels.get(hint.move.to_square)
            labels[hint.move.to_square] = Label(known.text if known and not play.hidden else glyphs.check, True)
    return SquaresView(
        men=scenes.men(play.position),
        cursor=cursor,
        picked=picked,
        moved=(last.move.from_square, last.move.to_square) if last else None,
        labels=labels,
        flipped=flipped,
    )


def _targets(play: Play, source: int | None, glyphs: Glyphs) -> dict[int, Label]:
    """Where a man can go: the layers, or a dot where they are hidden or unknown."""
    if source is None or play.match is None or not play.match.your_turn:
        return {}
    if not play.hidden and play.facts.problem is None:
        return scenes.labels(play.facts, source)
    moves = play.position.legal_moves
    return {move.to_square: Label(glyphs.nothing, False) for move in moves if move.from_square == source}


def line_view(play: Play, most: int) -> Line:
    """The best line from here, numbered as in the game."""
    moves = play.line(most)
    verdict = play.facts.verdict
    board, names = play.position.copy(stack=False), list[str]()
    for move in moves:
        names.append(board.san_and_push(move))
    ply = 0 if play.match is None else (play.at if play.stage == "review" else len(play.match.plies))
    first = 1 if play.match is None else number_of(play.match, ply)
    depth = verdict.depth if verdict else None
    strong = verdict is None or verdict.category is not Category.LOSS
    return Line(tuple(names), play.position.turn, strong, depth is None or depth <= len(moves), first)


def estimate_words(thought: Estimate[chess.Move], white: bool) -> str:
    """An estimate in words that say that it is one; scores are White's, in pawns."""
    if thought.mate is not None:
        moves = (abs(thought.mate) + 1) // 2
        side = "White" if (thought.mate > 0) == white else "Black"
        return f"{side} mates in {moves}" if thought.exact else f"{side} mates in {moves}: estimate"
    score = (thought.score if white else -thought.score) / 100
    return f"estimate {score:+.2f} · depth {thought.depth}"


def thought_view(play: Play, thought: Estimate[chess.Move] | None) -> MovesView:
    """What stands in place of rated moves where no table knows: who thinks so, and how far it looked."""
    if thought is None:
        known = play.facts.verdict is not None or play.judge.category(play.position) is not None
        return MovesView(notice=("a table is missing: thinking" if known else "no table knows: thinking",))
    depth = f"depth {thought.depth}, {grouped(thought.nodes)} positions"
    if thought.looked_up:
        depth += f", {grouped(thought.looked_up)} in tables"
    words = "rests on tables and mates: true" if thought.exact else "an estimate, not a verdict"
    move = "" if thought.move is None else f"{play.game.san(play.position, thought.move)}  "
    return MovesView(notice=(f"{move}by {thought.source}", depth, words))


def thought_line(play: Play, moves: Sequence[chess.Move]) -> Line:
    """The moves that a search expects."""
    board, names = play.position.copy(stack=False), list[str]()
    for move in moves:
        names.append(board.san_and_push(move))
    first = 1 if play.match is None else number_of(play.match, len(play.match.plies))
    return Line(tuple(names), play.position.turn, True, False, first)


def chart_view(play: Played) -> ChartView:
    """The depth of every position of the game."""
    match = play.match
    if match is None:
        return ChartView()
    verdicts = [match.start_verdict, *(ply.verdict for ply in match.plies)]
    depths = tuple(_depth(verdict) for verdict in verdicts)
    start = match.start_verdict
    words = "" if start is None else "draw" if start.depth is None else f"S{start.depth}"
    if not any(depth is None or depth > 0 for depth in depths):
        return ChartView()
    mated = depths[-1] == 0
    return ChartView(depths, min(play.at, len(depths) - 1), words, "mate" if mated else "end")


def _depth(verdict: Verdict | None) -> int | None:
    return UNKNOWN if verdict is None else verdict.depth


def result_view(play: Played, prospect: Prospect | None = None) -> ResultView:
    """How it ended, how few moves would have done, and the grades counted.

    Args:
        play: The game.
        prospect: What your side could expect at its start, where a rule may spoil what the tables promise.
    """
    match = play.match
    if match is None or match.result is None:
        return ResultView()
    perfect = "" if match.perfect is None else f"perfect: {match.perfect}"
    return ResultView(
        result_words(match, play.estimated), perfect if prospect is None else prospect.perfect, counts_of(match.tally)
    )


def result_words(match: Match[Any, Any], estimated: bool = False) -> str:
    """The result in a sentence without a full stop; ``estimated`` when what was shown is."""
    result = match.result
    assert result is not None
    moves = sum(ply.mover == match.you for ply in match.played)
    if result.reason is End.SHOWN:
        who = ", an estimate," if estimated else " by the table"
        return f"Shown{who} after {count(moves, 'move', 'moves')}"
    if result.winner == match.you:
        return f"You won in {count(moves, 'move', 'moves')}"
    if result.winner is not None:
        return "You lost on time" if result.reason is End.TIME else f"You lost in {count(moves, 'move', 'moves')}"
    reason = {
        Draw.FIFTY: "50 moves", Draw.SEVENTY_FIVE: "75 moves", Draw.MEN: "too few men", Draw.THREEFOLD: "repetition",
        Draw.FIVEFOLD: "repetition",
    }.get(result.reason, result.reason.value) if isinstance(result.reason, Draw) else result.reason.value  # fmt: skip
    return f"Drawn: {reason}"


def counts_of(tally: Tally) -> tuple[Mark, ...]:
    """The grades counted, the good ones first."""
    words = {
        Kind.BEST: ("✓", "best", "win"), Kind.SLOWER: ("+", "slower", "text"), Kind.FASTER: ("−", "sooner", "text"),
        Kind.WIN_GONE: ("↓", "win gone", "draw"), Kind.HOLDS: ("=", "held", "dim"), Kind.LOSES: ("✗", "lost", "loss"),
        Kind.CURSED: ("↓", "cursed", "cursed"), Kind.KEEPS: ("✓", "win kept", "win"),
        Kind.STILL_LOST: ("−", "still lost", "text"),
    }  # fmt: skip
    order = (
        Kind.BEST, Kind.KEEPS, Kind.SLOWER, Kind.FASTER, Kind.STILL_LOST, Kind.WIN_GONE, Kind.CURSED, Kind.LOSES,
        Kind.HOLDS,
    )  # fmt: skip
    marks: list[Mark] = []
    for kind in order:
        if found := tally.counts.get(kind):
            sign, name, role = words[kind]
            marks.append(Mark(sign, f"{found} {name}", role))
    return tuple(marks)


def setup_view(play: Play, cursor: int) -> SetupView:
    """The choices of a new game."""
    setup, title = play.setup, "New game"
    defence = DEFENCES.index(setup.defence)
    rows = (
        Choices("You play", ("White", "Black"), int(not setup.white), _side_about(play)),
        Choices("Defence", tuple(found.value for found in DEFENCES), defence, ABOUT[setup.defence.value]),
        Choices("Time", tuple(name for name, _ in CLOCKS), setup.clock, "Your time for the whole game."),
        Choices("Verdict", ("hidden", "shown"), int(not play.hidden), "v changes it during the game, too."),
    )
    keys = (
        ("Enter", "begin"), (":", "type a FEN, KRvK S12, or a study"), ("r", "a random position of this layer"),
        ("E", "set up the board by hand"), ("O", "open a game from a PGN file"),
    )  # fmt: skip
    return SetupView(title, rows, cursor, keys)


def _side_about(play: Play) -> str:
    """What awaits your side, as far as may be told."""
    if play.over:
        return "The game is over in this position."
    facts = play.facts_of(play.setup.position)
    prospect = play.prospect
    if facts.problem is not None and prospect is not None:
        return prospect.promise if facts.verdict is not None else f"{prospect.promise} {NO_DTM}"
    if ending := unbuilt(facts.problem):
        return f"{ending} is not built: the search plays it, and all it says is an estimate."
    if facts.problem is not None:
        return "No table reaches this position: the search plays it, and all it says is an estimate."
    return "" if prospect is None else prospect.promise
