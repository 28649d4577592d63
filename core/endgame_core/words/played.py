"""A game in words while it is set up, played and looked at: what to expect, what moves were worth, how it ended."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil
from pathlib import Path
from typing import Any, Final

from endgame_core.errors import NotBuiltError, PositionError
from endgame_core.estimate import Estimate
from endgame_core.judge import Judge, Known
from endgame_core.practice.match import Claim, End, Hint, Match
from endgame_core.tables.explorer import RatedMove
from endgame_core.tasks.play import CLOCKS, DEFENCES, PLACING, PLAY, REVIEW, SETUP, Play, file_name, free
from endgame_core.tasks.review import UNKNOWN, Item
from endgame_core.tracked import Draw
from endgame_core.values import HORIZON, Category, Grade, Kind, Tally, Verdict
from endgame_core.words import position
from endgame_core.words.position import fifty_verdict, name_of
from endgame_core.words.position import headline as headline_of
from endgame_core.words.speech import Speech, speech_of
from endgame_core.words.told import (
    KINDS,
    UNSURE,
    Choices,
    Fact,
    Headline,
    Line,
    Mark,
    Note,
    Said,
    Section,
    Word,
    count,
    distance,
    either,
    grouped,
    reply_time,
)  # fmt: skip

AnyItem = Item[Any, Any]
AnyJudge = Judge[Any, Any]
AnyKnown = Known[Any, Any]
AnyMatch = Match[Any, Any]
AnyPlay = Play[Any, Any]
Thought = Estimate[Any]

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


ABOUT: Final[Mapping[str, str]] = {
    "perfect": "Resists longest, and always with the same move.",
    "varied": "Resists longest; of equal moves any, so that no two games are the same.",
    "tricky": "Leaves you the fewest moves that keep the result, then resists longest.",
    "human": "Gives a little away now and then, the more seldom the more it costs.",
}
"""What each defence does when it loses; all win a won game and hold a drawn one."""

CLAIMED: Final = (Draw.THREEFOLD, Draw.FIFTY, Draw.FIVEFOLD)
"""Draws that leave the board as it was; all but the last are claimed by the side to move."""

BY_DTZ: Final = "Replies and hints are those of DTZ."
ESTIMATES: Final = "a table is missing: replies are estimates."
NO_DTM: Final = "There is no DTM table here."
NO_MOVES: Final = "There is no move of yours to grade."


# What can be expected


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a position is worth to a side, said so that the 50-move rule does not break the promise.

    Attributes:
        category: With the clock counted in; where DTZ is not known, a mate that it may forestall may be a win.
        depth: Plies to the end by depth, None in a draw or where only DTZ is known.
        late: That the end comes when a draw can be claimed before.
        clock: Plies that count against the limit of moves.
        speech: How the game is told.
    """

    category: Category
    depth: int | None
    late: bool
    clock: int
    speech: Speech

    @classmethod
    def of(
        cls, verdict: Verdict | None, under_rule: Category | None, clock: int | None, yours: bool, speech: Speech
    ) -> Prospect | None:
        """From what the tables say; None where they say nothing.

        Args:
            verdict: By depth, for the side to move; None where it is not known.
            under_rule: The category by DTZ, for the side to move; None where it is not known.
            clock: Plies that count against the limit of moves, None without one.
            yours: Whether the side to move is the one that is told.
            speech: How the game is told.
        """
        plies = clock or 0
        if verdict is None:
            told = None if under_rule is None else under_rule if yours else under_rule.turned
            return None if told is None else cls(told, None, False, plies, speech)
        category, depth = under_rule or verdict.category, verdict.depth
        late = clock is not None and depth is not None and plies + depth > HORIZON
        if late and under_rule is None:
            category = {Category.WIN: Category.MAYBE_WIN, Category.LOSS: Category.MAYBE_LOSS}.get(category, category)
        return cls(category if yours else category.turned, depth, late, plies, speech)

    @property
    def mate(self) -> int:
        """Moves to the end."""
        return ((self.depth or 0) + 1) // 2

    @property
    def promise(self) -> str:
        """What can be reached, a sentence."""
        if self.depth is None:
            return _PROMISE[self.category]
        if self.category is Category.WIN:
            later = ", or later as the 50-move rule asks" if self.late else ""
            return f"You can win{self.speech.win_in(self.depth)}{later}."
        if self.category is Category.LOSS:
            return f"You are lost: resist for {self.speech.resisting(self.depth)}{' or more' if self.late else ''}."
        return {
            Category.MAYBE_WIN: f"You can force mate in {self.mate}, but the clock at {self.clock} may allow a draw"
            " first.",
            Category.CURSED_WIN: f"A cursed win: mate in {self.mate}, but a draw can be claimed first.",
            Category.BLESSED_LOSS: "A blessed loss: hold out until you can claim a draw.",
            Category.MAYBE_LOSS: f"You are mated in {self.mate}, unless the clock at {self.clock} allows a draw first.",
        }.get(self.category, _PROMISE[Category.DRAW])

    @property
    def began(self) -> str:
        """Where a game has begun, a sentence."""
        if self.depth is None:
            return f"You began in {_PLACE[self.category]}."
        later, clock = " or later" if self.late else "", f", the clock at {self.clock}"
        after = {
            Category.WIN: later, Category.LOSS: later, Category.MAYBE_WIN: clock, Category.MAYBE_LOSS: clock,
        }.get(self.category)  # fmt: skip
        if after is None:
            return f"You began in {_PLACE[self.category]}."
        wins = self.category in (Category.WIN, Category.MAYBE_WIN)
        return f"You began {self.speech.beginning(self.depth, wins)}{after}."

    @property
    def layer(self) -> str:
        """Where a game has begun, for who reads layers: ``a cursed win``; empty where the layer tells it."""
        named = self.depth is None or self.category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
        return _PLACE[self.category] if named and self.category is not Category.DRAW else ""

    @property
    def perfect(self) -> str:
        """How well it could have been done, in few words; empty where there is no win."""
        if self.category is Category.CURSED_WIN:
            return "a cursed win"
        if self.depth is None or self.category not in (Category.WIN, Category.MAYBE_WIN):
            return ""
        return f"DTM: mate in {self.mate}" if self.late else f"perfect: {self.mate}"


_PLACE: Final[Mapping[Category, str]] = {
    Category.WIN: "a won position",
    Category.MAYBE_WIN: "what may be a win",
    Category.CURSED_WIN: "a cursed win",
    Category.DRAW: "a draw",
    Category.BLESSED_LOSS: "a blessed loss",
    Category.MAYBE_LOSS: "what may be a loss",
    Category.LOSS: "a lost position",
}
"""Where a game has begun, without a distance."""

_PROMISE: Final[Mapping[Category, str]] = {
    Category.WIN: "You can win.",
    Category.MAYBE_WIN: "You may win: one ply decides, and DTZ is rounded.",
    Category.CURSED_WIN: "A cursed win: a draw can be claimed before mate.",
    Category.DRAW: "The position is drawn: hold it.",
    Category.BLESSED_LOSS: "A blessed loss: hold out until you can claim a draw.",
    Category.MAYBE_LOSS: "You may be lost: one ply decides, and DTZ is rounded.",
    Category.LOSS: "You are lost: hold out.",
}
"""What can be reached where no table tells the end."""


def prospect(play: AnyPlay) -> Prospect | None:
    """What your side could expect of the game, or can of the one set up; None where no table knows."""
    match = play.match
    start = play.start if match is None else match.start
    verdict = play.judge.known(start).verdict if match is None else match.start_verdict
    return _prospect(play, start, verdict, play.game.mover(start) == play.you)


def _claimed(play: AnyPlay) -> Prospect | None:
    """What you could expect where a draw was claimed, or came by repetition; None elsewhere and if none knows."""
    match = play.match
    if match is None or match.result is None or match.result.reason not in CLAIMED or play.game.horizon is None:
        return None
    return _prospect(play, match.position, match.verdict, match.mover == match.you)


def _prospect(play: AnyPlay, here: Any, verdict: Verdict | None, yours: bool) -> Prospect | None:
    known = play.judge.known(here)
    category = None if known.fifty is None else known.fifty.category
    return Prospect.of(verdict, category, known.clock, yours, _speech(play))


def _speech(play: AnyPlay) -> Speech:
    return speech_of(play.game.name)


# Setting up


def choices(play: AnyPlay) -> tuple[Choices, ...]:
    """The choices of a new game, in the order of :attr:`Play.rows`."""
    setup, about = play.setup, _about(play)
    found = {
        "start": Choices("Start", ("position", "empty board"), int(setup.opening), about),
        "you": Choices("You play", ("White", "Black"), int(setup.you == "black"), about),
        "defence": Choices(
            "Defence", tuple(found.value for found in DEFENCES), DEFENCES.index(setup.defence), ABOUT[setup.defence]
        ),
        "time": Choices("Time", tuple(name for name, _ in CLOCKS), setup.clock, "Your time for the whole game."),
        "verdict": Choices("Verdict", ("hidden", "shown"), int(not play.hidden), "v changes it during the game, too."),
    }
    return tuple(found[row] for row in play.rows)


def _about(play: AnyPlay) -> str:
    """What awaits your side, as far as may be told."""
    if play.setup.opening:
        return "Nine stones each are placed; the search replies until a table knows."
    known, expected = play.judge.known(play.start), prospect(play)
    if known.over:
        return "The game is over in this position."
    if known.problem is not None and expected is not None and known.clock is not None:
        return expected.promise if known.verdict is not None else f"{expected.promise} {NO_DTM}"
    if isinstance(known.problem, NotBuiltError) and known.clock is not None:
        return f"{known.problem.ending} is not built: the search plays it, and all it says is an estimate."
    if known.problem is not None:
        return "No table reaches this position: the search plays it, and all it says is an estimate."
    return "" if expected is None else expected.promise


def setup_said(play: AnyPlay) -> Said:
    """The ending in words, or the study, before a game."""
    what = _speech(play).called(play.game, play.start)
    clock = play.judge.known(play.start).clock
    later = f", the half-move clock at {clock}" if clock else ""
    return Said(play.setup.study[0], f"{what}, {side_name(play.game.mover(play.start))} to move{later}.")


def setup_keys(play: AnyPlay) -> tuple[tuple[str, str], ...]:
    """Keys that lead elsewhere from there, and what they do."""
    return _speech(play).setup_keys


def nothing_typed(play: AnyPlay) -> PositionError:
    """Nothing was typed where a move or a position is wanted."""
    speech = _speech(play)
    advice = f"type a move such as {either(speech.moves.split(', '))}" if play.stage == PLAY else speech.to_type
    return PositionError("nothing was typed", advice)


# While it is played


def crumbs(play: AnyPlay, wide: bool) -> tuple[str, ...]:
    """Ending, your side, where the game is."""
    match = play.match
    here = play.start if match is None else match.start if play.game.horizon is not None else play.position
    name = name_of(play.game, here)
    if match is None:
        return name, "new game"
    if play.stage == PLAY:
        return name, f"you are {side_name(match.you)}", f"move {number_of(match, len(match.plies))}"
    last = number_of(match, max(len(match.plies) - 1, 0))
    at = None if play.review is None or play.looked_at is None else number_of(match, play.review.at)
    if not wide:
        return name, "finished", "end" if at is None else f"move {at}"
    finished = ("finished",) if play.game.horizon is not None else ()
    return name, f"you were {side_name(match.you)}", *finished, "the end" if at is None else f"move {at} of {last}"


def headline(play: AnyPlay, thought: Thought | None = None, thinking: bool = False, taking: bool = False) -> Headline:
    """Whose move it is, and the verdict: hidden, by the tables, or an estimate.

    Args:
        play: The game.
        thought: What a search thinks where no table knows.
        thinking: Whether a reply waits for it.
        taking: Whether only the stone to take is still to be chosen.
    """
    match = play.match
    if match is None:
        return Headline()
    known = play.known
    told = headline_of(known, play.game)
    words, role = told.result, told.role
    if play.hidden:
        words, role = "verdict hidden", "dim"
    elif play.guessed and known.verdict is None and known.fifty is None:
        words, role = ("no table knows", "dim") if thought is None else (estimate(play, thought), "text")
    mover = "Thinking" if thinking else "The reply"
    if match.your_turn:
        mover = _speech(play).doing(play.position, taking)
    return Headline(match.mover == "white", mover, words, role, told.aside)


def corner(play: AnyPlay, said: Headline) -> tuple[str, str]:
    """What the first row says on the smallest screens; ``○`` and ``●`` stand for the sides."""
    match = play.match
    if match is None:
        return "", "text"
    if play.stage == REVIEW:
        item = play.looked_at
        mark = mark_of(item.grade) if item is not None and not item.shown else None
        if mark is not None:
            return f"{mark.sign} {mark.words}", mark.role
        return (match.result.score if match.result else ""), "text"
    side = "○" if said.white else "●"
    if play.game.horizon is None:
        words = said.mover.lower() if play.hidden or said.mover.startswith("Take") else said.result
        return f"{side} {words}", "text" if play.hidden else said.role
    if play.hidden:
        return side, "text"
    known = play.known
    if known.fifty is None:
        return said.result, said.role
    kind = KINDS[known.fifty.category]
    result = headline_of(known, play.game).result
    words = kind.words if known.fifty.category in UNSURE or not result else result
    return f"{kind.mark} {words}", kind.role


def said(play: AnyPlay, chosen: RatedMove[Any, Any] | None = None) -> Said:
    """The sentence of the stage: before the game what is set up, then how it stands, then what moves were worth.

    Args:
        play: The game.
        chosen: The move under the cursor where moves are told by DTZ; None while none is chosen.
    """
    if play.stage != PLAY:
        return setup_said(play) if play.stage == SETUP else _reviewed(play)
    told = _playing(play)
    if play.hidden or play.hint is not None or play.game.horizon is None:
        return told
    if play.by_clock and chosen is not None:
        return position.move_said(chosen)
    known = play.known
    unbuilt = isinstance(known.problem, NotBuiltError) and not known.by_dtz
    if not unbuilt and (why := position.explained(known, False, "")) is not None:
        return why
    if against := warning(play):
        return Said("", f"{against[:1].upper()}{against[1:]}")
    return told


def _playing(play: AnyPlay) -> Said:
    """How the game stands, as far as may be told; the hint, if one was given."""
    match, speech = play.match, _speech(play)
    assert match is not None
    if (hint := play.hint) is not None:
        return hint_said(match, hint, "" if match.verdict is not None else speech.guessed_hint)
    if match.verdict is None and play.game.horizon is None:
        return Said("", speech.guessing(match.position))
    expected = prospect(play)
    if play.hidden:
        source = f" {BY_DTZ}" if play.by_clock else ""
        began = source.strip() or speech.no_prospect if expected is None else f"{expected.began}{source}"
        return Said("", began, "text", speech.aside)
    begun = ""
    if expected is not None:
        begun = f"You began in {expected.layer or layer_words(match.start_verdict)}; "
    known = play.known
    if known.problem is None:
        return _standing(match, begun)
    if known.fifty is not None:
        return _standing_by_dtz(match, known, begun)
    moves = count(sum(ply.mover == match.you for ply in match.plies), "move", "moves")
    tail = ".  No table reaches here." if known.verdict is None else f"; {ESTIMATES}"
    return Said("" if known.verdict is None else layer_words(known.verdict), f"{moves} played{tail}")


def _standing(match: AnyMatch, begun: str) -> Said:
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


def _standing_by_dtz(match: AnyMatch, known: AnyKnown, begun: str) -> Said:
    """Category and DTZ, and after ``begun``, where the game began, how often your moves have changed the result."""
    assert known.fifty is not None
    kind = KINDS[known.fifty.category]
    words = f"{kind.words[:1].upper()}{kind.words[1:]}"
    if known.fifty.category is not Category.DRAW:
        words += f", DTZ {distance(known.fifty.dtz, exact=known.fifty.precise_dtz is not None)}"
    tally, moves = match.tally, sum(ply.mover == match.you for ply in match.plies)
    played = count(moves, "move", "moves") + " played"
    if tally.moves < moves:
        played += ", not all graded"
    if tally.errors:
        played += f", the result changed {count(tally.errors, 'time', 'times')}"
    if not known.by_dtz:
        return Said(words, f"{played}; {ESTIMATES}", kind.role)
    return Said(words, f"{begun}{played}.", kind.role, BY_DTZ)


def warning(play: AnyPlay) -> str:
    """What the 50-move rule has against a win, or for a loss; empty for nothing."""
    known = play.known
    if (found := known.fifty) is not None:
        if found.category in (Category.MAYBE_WIN, Category.MAYBE_LOSS):
            winner = "White" if found.turn == (found.dtz > 0) else "Black"
            return f"{winner} may win: one ply decides, and DTZ is rounded."
        short = fifty_verdict(found).partition(";")[0].partition(", with")[0].removesuffix(".")
        return f"{short}." if found.category in UNSURE else ""
    depth = known.verdict.depth if known.verdict else None
    if depth is None or known.clock is None or depth + known.clock <= HORIZON:
        return ""
    return f"by DTM mate in {(depth + 1) // 2}, but the clock at {known.clock} may allow a draw first."


def last_said(play: AnyPlay) -> Said:
    """The last move, and what may be claimed."""
    match = play.match
    if match is None or not match.plies:
        return Said()
    last = move_name(match, len(match.plies) - 1)
    if play.game.horizon is None or (claim := play.claim) is None:
        return Said("Last", last, "text", "marked on the board")
    return Said("Last", f"{last}  D claims a draw{announced(match, claim)}: {claim.draw.value}", "text")


def announced(match: AnyMatch, claim: Claim[Any]) -> str:
    """The move with which a draw is claimed, if it needs one."""
    return "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"


def facts(play: AnyPlay, elapsed: float = 0.0, thinker: str = "") -> tuple[Section, Section, Section]:
    """Rules, opponent and you.

    Args:
        play: The game.
        elapsed: Seconds you have been thinking.
        thinker: Who replies where no table knows.
    """
    match = play.match
    assert match is not None
    you = [Fact("hints", str(match.hints)), Fact("takebacks", str(match.takebacks))]
    if match.left is not None:
        seconds = max(ceil(match.left - elapsed), 0)
        you.append(Fact("time", f"{seconds // 60}:{seconds % 60:02d}", "loss" if seconds < 20 else "text"))
    replied = "–" if play.replied is None else reply_time(play.replied)
    opponent = (Fact("defence", thinker or match.defence.value), Fact("last reply", replied))
    rules = _speech(play).rules(match.tracked.clock, match.tracked.occurrences)
    told = tuple(
        Fact(label, value, "draw" if label == "repeats" and drawn else "text") for label, value, drawn in rules
    )
    return Section("Rules", told), Section("Opponent", opponent), Section("You", tuple(you))


def line(play: AnyPlay, most: int, thought: Thought | None = None) -> Line:
    """The best line from here, numbered as in the game: by the tables, else by a search.

    Args:
        play: The game.
        most: Plies there may be room for.
        thought: What a search thinks where no table knows.
    """
    match = play.match
    ply = 0 if match is None else len(match.plies) if play.review is None else play.review.at
    first = 1 if match is None else number_of(match, ply)
    white = play.game.mover(play.position) == "white"
    if play.guessed:
        names = () if thought is None else tuple(_spelled(play, thought.line))
        return Line(names, white, True, False, first)
    names, ends = play.line(most)
    verdict = play.known.verdict
    strong = verdict is None or verdict.category is not Category.LOSS
    return Line(tuple(names), white, strong, ends, first)


def _spelled(play: AnyPlay, moves: Sequence[Any]) -> list[str]:
    """Moves made one after the other from the position on the board, as people write them."""
    here, names = play.position, list[str]()
    for move in moves:
        names.append(play.game.san(here, move))
        here = play.game.play(here, move)
    return names


def clocks(play: AnyPlay) -> Callable[[int], Note] | None:
    """The clocks for a number of columns, DTM and DTZ only once the verdict may be told; None in a game without."""
    known = play.known
    if known.clock is None:
        return None
    if not play.told:
        return lambda width: Note((Word("clock", "dim"), Word(f" {known.clock}/{HORIZON}")))
    return lambda width: position.clocks(known, "", "", width)


def takes(play: AnyPlay, begun: str, takeable: Iterable[int]) -> list[tuple[int, str, position.Worth]]:
    """The stones that may be taken: points, names, and what taking each leads to once that may be told.

    Args:
        play: The game.
        begun: The move so far, as people write it.
        takeable: The points to choose from.
    """
    found = position.takes(play.known, begun, takeable)
    return found if play.told else sorted((point, name, position.Worth()) for point, name, _ in found)


# What a search thinks


def estimate(play: AnyPlay, thought: Thought) -> str:
    """An estimate in words that say that it is one; scores are White's."""
    mover, speech = play.game.mover(play.position), _speech(play)
    if thought.mate is not None:
        side = side_name(mover) if thought.mate > 0 else {"white": "Black", "black": "White"}[mover]
        return f"{speech.estimated(side, abs(thought.mate))}{'' if thought.exact else ': estimate'}"
    score = (thought.score if mover == "white" else -thought.score) / 100
    return f"estimate {score:+.2f} · depth {thought.depth}"


def thinking(play: AnyPlay, thought: Thought | None) -> tuple[str, ...]:
    """What stands in place of rated moves where no table knows: who thinks so, and how far it looked."""
    known = play.known
    if thought is None:
        partly = known.verdict is not None or known.fifty is not None
        return ("a table is missing: thinking" if partly else "no table knows: thinking",)
    move = "" if thought.move is None else f"{play.game.san(play.position, thought.move)}  "
    depth = f"depth {thought.depth}, {grouped(thought.nodes)} positions"
    looked = _speech(play).looked_up(grouped(thought.looked_up)) if thought.looked_up else ("", "")
    words = f"rests on tables and {_speech(play).ended}: true" if thought.exact else "an estimate, not a verdict"
    return tuple(row for row in (f"{move}by {thought.source}", f"{depth}{looked[0]}", looked[1], words) if row)


# Afterwards


def _reviewed(play: AnyPlay) -> Said:
    """What the move looked at was worth; at the end, what to do next."""
    match, review, speech = play.match, play.review, _speech(play)
    assert match is not None and review is not None
    item = review.item
    if item is not None:
        heading = review.name_of(item)
        if item.shown:
            return Said(heading, f"is what {speech.shower(match.estimated)}.", "faint")
        return Said(heading, *worth(play.judge, item))
    known = play.known
    claimable = known.clock is not None and known.clock >= HORIZON and bool(known.legal)
    if match.plies and match.plies[-1].shown and claimable:
        return Said("", "Here a draw can be claimed.  ← → step through the game.")
    if (claimed := _claimed(play)) is not None and claimed.category is Category.WIN:
        mate = "" if claimed.depth is None else f": mate in {claimed.mate}"
        who = "The game was drawn" if match.mover != match.you else "You claimed a draw"
        return Said("", f"{who} in a won position{mate}.")
    slips = len(review.slips)
    found = f"{count(slips, 'move was', 'moves were')} not the best: e goes there." if slips else _flawless(play)
    return Said("", f"{found}  ← → step through the game.")


def _flawless(play: AnyPlay) -> str:
    """That no move lost anything, as far as that is known."""
    match, speech = play.match, _speech(play)
    assert match is not None
    yours, tally = moves_of_yours(play.items), match.tally
    if not yours:
        return NO_MOVES
    if not tally.moves:
        return speech.ungraded
    if tally.moves < yours:
        return f"{tally.moves} of {yours} moves were graded, {speech.all_best}."
    if tally.counted < tally.moves:
        return "Every move kept the result."
    expected, result = prospect(play), match.result
    late = expected is not None and expected.category is Category.MAYBE_WIN
    if late and result is not None and result.reason in (Draw.FIFTY, Draw.SEVENTY_FIVE):
        return "By DTM every move was the best: the clock was too far on."
    return "Every move was the best there was."


def chart(play: AnyPlay) -> tuple[str, str]:
    """What stands before and behind the depths of a game."""
    depths = () if play.review is None else play.review.depths
    if not depths:
        return "", ""
    start = "" if depths[0] == UNKNOWN else "draw" if depths[0] is None else f"S{depths[0]}"
    return start, _speech(play).ended_by if depths[-1] == 0 else "end"


def study_keys(play: AnyPlay) -> tuple[tuple[str, str], ...]:
    """What to do with a game that is over: keys, and what they do."""
    return _speech(play).study_keys


def perfect(play: AnyPlay) -> str:
    """How few moves would have done, in few words; empty where there was no win."""
    if play.match is None:
        return ""
    expected = prospect(play)
    if expected is not None:
        return expected.perfect
    return "" if play.match.perfect is None else f"perfect: {play.match.perfect}"


def file_of(play: AnyPlay) -> Path:
    """Where a game is saved unless another place is typed: named after the ending it began in."""
    name = name_of(play.game, play.start if play.match is None else play.match.start)
    name = play.game.name if name == PLACING else name
    return free(play.folder / file_name(name, date.today()))
