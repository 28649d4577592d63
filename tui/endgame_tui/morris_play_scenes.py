"""Turns a game of Morris into what the panels of its Play screen show."""

from __future__ import annotations

from dataclasses import replace

from endgame_core.morris import rules
from endgame_core.morris.notation import NAMES
from endgame_core.morris.rules import STANDARD, Move
from endgame_core.practice.played import End
from endgame_core.tracked import Draw
from endgame_core.values import Category
from endgame_core.words.numbers import count, grouped
from endgame_core.words.told import Choices, Fact, Headline, Line, Section
from endgame_tui import morris_scenes, play_scenes, scenes
from endgame_tui.look import Glyphs
from endgame_tui.morris_play_words import Thought, estimate_words, name_of, start_about, verdict_words
from endgame_tui.morris_playing import CLOCKS, DEFENCES, StonePlay
from endgame_tui.play_scenes import ABOUT
from endgame_tui.play_words import number_of, ordinal, side_name
from endgame_tui.selection import Selection, Turn, stones_view
from endgame_tui.widgets.board import Label
from endgame_tui.widgets.chart import ChartView
from endgame_tui.widgets.facts import ResultView
from endgame_tui.widgets.old_moves import MovesView
from endgame_tui.widgets.setup import SetupView
from endgame_tui.widgets.stones import StonesView
from endgame_tui.widgets.takes import TakeRow, TakesView

STUDY = (
    ("r", "play on from here"), ("+", "add this position to your drills"), ("o", "save the game, with grades"),
)  # fmt: skip


def told(play: StonePlay) -> bool:
    """Whether the verdict may be told, and a table knows it."""
    return (play.stage == "review" or not play.hidden) and play.facts.problem is None


def crumbs(play: StonePlay, wide: bool) -> tuple[str, ...]:
    """The game where there is room for it, the ending, your side, where the game is."""
    game = (morris_scenes.NAME,) if wide else ()
    match, name = play.match, name_of(play.position)
    if match is None:
        return *game, name, "new game"
    if play.stage == "play":
        return *game, name, f"you are {side_name(match.you)}", f"move {number_of(match, len(match.plies))}"
    at = "end" if play.looked_at is None else f"move {number_of(match, play.at)}"
    if not wide:
        return name, "finished", at
    last = number_of(match, max(len(match.plies) - 1, 0))
    return *game, name, f"you were {side_name(match.you)}", "the end" if at == "end" else f"{at} of {last}"


def verdict_view(play: StonePlay, turn: Turn, chosen: Selection, thought: Thought | None, busy: bool) -> Headline:
    """Whose move it is, and the verdict: hidden, by the tables, or an estimate."""
    match, position = play.match, play.position
    if match is None:
        return Headline()
    words, role = verdict_words(match.verdict)
    if play.hidden:
        words, role = "verdict hidden", "dim"
    elif match.verdict is None and thought is not None:
        words, role = estimate_words(thought, position.turn), "text"
    does = "Take a stone" if chosen.end is not None else "Place a stone" if turn.placing else "Your move"
    mover = does if match.your_turn else "Thinking" if busy else "The reply"
    flying = "flying" if rules.flies(position, position.turn) else ""
    return Headline(position.turn == rules.WHITE, mover, words, role, flying)


def corner(play: StonePlay, view: Headline, glyphs: Glyphs) -> tuple[str, str]:
    """What the first row says on the smallest screens."""
    if play.stage == "setup":
        return "", "text"
    if play.stage == "review":
        return play_scenes.review_corner(play, glyphs)
    side = glyphs.white if view.white else glyphs.black
    words = view.mover.lower() if play.hidden or view.mover.startswith("Take") else view.result
    return glyphs.plain(f"{side} {words}"), "text" if play.hidden else view.role


def board_view(play: StonePlay, turn: Turn, chosen: Selection, cursor: int, flipped: bool, large: bool) -> StonesView:
    """The board; where a stone can go, with the layers once they may be told; the hint; the move looked at."""
    last, looked, hint, telling = play.last, play.looked_at, play.hint, told(play)
    rated: list[tuple[Move, Label]] = []
    if telling:
        rated = [(found.move, morris_scenes.label_of(found)) for found in play.facts.moves]
    if looked is not None:
        chosen = Selection(looked.move.source)
    view = stones_view(
        turn, chosen, None if play.stage == "setup" else cursor, last=last.move if last else None, rated=rated,
        show_all=telling and large and play.stage == "play", flipped=flipped,
    )  # fmt: skip
    if hint is not None and hint.step == 2 and chosen.end is None and chosen.source == hint.move.source:
        known = view.labels.get(hint.move.end, Label())
        view = replace(view, labels={**view.labels, hint.move.end: Label(known.text, True)})
    return view if play.stage == "play" else replace(view, placing=None)


def takes_view(play: StonePlay, turn: Turn, chosen: Selection, cursor: int) -> TakesView:
    """The stones that may be taken; what each leads to only once that may be told."""
    view = morris_scenes.takes_view(play.facts, turn, chosen, cursor)
    if told(play):
        return view
    rows = sorted((TakeRow(row.point, row.name) for row in view.rows), key=lambda row: row.point)
    return replace(view, rows=tuple(rows))


def moves_view(play: StonePlay, cursor: int, thought: Thought | None, glyphs: Glyphs) -> MovesView:
    """The moves by the layer they reach; where no table knows, who thinks so, and how far it looked."""
    if play.facts.problem is None:
        return scenes.moves_view(play.facts, cursor, glyphs)
    if thought is None:
        return MovesView(notice=("no table knows: thinking",))
    depth = f"depth {thought.depth}, {grouped(thought.nodes)} positions"
    looked_up = f"{grouped(thought.looked_up)} of them in tables" if thought.looked_up else ""
    words = "rests on tables and ends: true" if thought.exact else "an estimate, not a verdict"
    move = "" if thought.move is None else f"{play.explorer.game.san(play.position, thought.move)}  "
    return MovesView(notice=tuple(row for row in (f"{move}by {thought.source}", depth, looked_up, words) if row))


def line_view(play: StonePlay, most: int, thought: Thought | None) -> Line:
    """The best line from here, by the tables, else by the search."""
    facts = play.facts
    moves = play.line(most) if facts.problem is None else list(thought.line) if thought else []
    depth = facts.verdict.depth if facts.verdict else None
    strong = facts.verdict is None or facts.verdict.category is not Category.LOSS
    complete = facts.problem is None and (depth is None or depth <= len(moves))
    match = play.match
    ply = 0 if match is None else play.at if play.stage == "review" else len(match.plies)
    return Line(
        tuple(play.walk.spelled(moves)), play.position.turn == rules.WHITE, strong, complete,
        first=1 if match is None else number_of(match, ply),
    )  # fmt: skip


def result_view(play: StonePlay) -> ResultView:
    """How it ended, in few words, how few moves would have done, and the grades counted."""
    match, view = play.match, play_scenes.result_view(play)
    if match is None or match.result is None:
        return view
    words, reason = view.words, match.result.reason
    if reason is Draw.QUIET:
        words = f"Drawn: {STANDARD.quiet // 2} moves, no capture"
    elif reason is End.SHOWN:
        moves = count(sum(ply.mover == match.you for ply in match.played), "move", "moves")
        words = f"{'An estimate' if play.estimated else 'Shown'} after {moves}"
    return replace(view, words=words)


def chart_view(play: StonePlay) -> ChartView:
    """The depth of every position of the game."""
    return replace(play_scenes.chart_view(play), end="end")


def facts_view(play: StonePlay, elapsed: float, thinker: str) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """Rules and opponent; and you."""
    if play.match is None:
        return (), ()
    rules_of, you, opponent = play_scenes.facts_view(play, elapsed, thinker)
    tracked = play.match.tracked
    quiet = Fact("no capture", f"{tracked.clock}/{STANDARD.quiet}")
    times = Fact("repeats", f"{'1st' if tracked.occurrences == 1 else ordinal(tracked.occurrences)} time")
    return (replace(rules_of, facts=(quiet, times)), opponent), (you,)


def setup_view(play: StonePlay, cursor: int) -> SetupView:
    """The choices of a new game."""
    defence = DEFENCES.index(play.defence)
    rows = (
        Choices("Start", ("position", "empty board"), int(play.empty), start_about(play)),
        Choices("You play", NAMES, int(not play.white), start_about(play)),
        Choices("Defence", tuple(found.value for found in DEFENCES), defence, ABOUT[play.defence.value]),
        Choices("Time", tuple(name for name, _ in CLOCKS), play.clock, "Your time for the whole game."),
        Choices("Verdict", ("hidden", "shown"), int(not play.hidden), "v changes it during the game, too."),
    )
    keys = (
        ("Enter", "begin"), (":", "a position, 3-4, 3-4 S13"), ("r", "random of this layer"),
        ("E", "set up the board"), ("O", "open a saved game"),
    )  # fmt: skip
    return SetupView("New game", rows, cursor, keys)
