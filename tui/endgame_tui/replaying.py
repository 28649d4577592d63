"""A past attempt being looked at, move by move: where one is, and what each panel shows of it. No Textual here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from endgame_core.grading import Tally
from endgame_core.practice import review
from endgame_core.practice.records import Made, Record, ending_words
from endgame_core.practice.review import replay
from endgame_core.tables.explorer import Explorer
from endgame_core.words.numbers import count
from endgame_core.words.progress import cost_words, day_words, outcome_words, solved_of
from endgame_core.words.told import Mark, Said
from endgame_tui.dtz_words import few
from endgame_tui.judging import Judge as Minding
from endgame_tui.look import Glyphs
from endgame_tui.play_scenes import counts_of, mark_of
from endgame_tui.play_words import side_name
from endgame_tui.speech import Picture, Speech, speech_of
from endgame_tui.trail import Findings
from endgame_tui.widgets.chart import UNKNOWN, ChartView
from endgame_tui.widgets.facts import ResultView
from endgame_tui.widgets.score import ScoreRow, ScoreView

Item = review.Item[Any, Any]
Facts = Findings[Any, Any]


@dataclass(slots=True)
class Replay:
    """An attempt on the board.

    Attributes:
        explorer: The tables, for what would have been best.
        record: The attempt.
        start: Where it started.
        items: Its moves and answers in the order they were made, those taken back too.
        at: The one looked at: the board shows the position before it. Their number stands for the end.
        missing: Moves that could not be put on the board.
        judge: Minds the 50-move rule, by which games are graded.
    """

    explorer: Explorer[Any, Any]
    record: Record
    start: Any
    items: Sequence[Item]
    at: int = 0
    missing: int = 0
    judge: Minding | None = None
    _facts: dict[int, Facts] = field(default_factory=dict[int, Facts])

    @classmethod
    def of(cls, explorer: Explorer[Any, Any], record: Record, moves: Sequence[Made]) -> Replay:
        """Puts an attempt on the board; raises PositionError when its start cannot be read."""
        start, items = replay(explorer.game, record, moves)
        return cls(explorer, record, start, items, missing=len(moves) - len(items))

    @property
    def item(self) -> Item | None:
        """What is looked at, None at the end."""
        return self.items[self.at] if self.at < len(self.items) else None

    @property
    def position(self) -> Any:
        """The position on the board."""
        if self.item is not None:
            return self.item.before
        return self.items[-1].after if self.items else self.start

    @property
    def facts(self) -> Facts:
        """What the tables say about the position on the board."""
        if self.at not in self._facts:
            facts = self._facts[self.at] = Findings(self.explorer, self.position, placed=False)
            if self.judge is not None:
                facts.moves = self.judge.rated(self.position, facts.moves)
        return self._facts[self.at]

    def forget(self) -> None:
        """Asks the tables anew."""
        self._facts.clear()

    def step(self, items: int) -> None:
        """Steps through the attempt."""
        self.at = min(max(self.at + items, 0), len(self.items))

    def next_error(self) -> bool:
        """Goes to the learner's next slip, round and round; False when there is none."""
        slips = [number for number, item in enumerate(self.items) if item.is_slip]
        if not slips:
            return False
        self.at = next((number for number in slips if number > self.at), slips[0])
        return True

    @property
    def white(self) -> bool:
        """Whether the learner plays White; in answers, whether White is to move."""
        return (self.record.colour or self.begun_by) == "white"

    @property
    def begun_by(self) -> str:
        """The side to move at the start."""
        return self.explorer.game.mover(self.start)

    @property
    def speech(self) -> Speech:
        """How the game is told."""
        return speech_of(self.explorer.game.name)

    def mover(self, item: Item) -> str:
        """Who made a move."""
        return self.explorer.game.mover(item.before)

    def came_by(self) -> Any:
        """The move that led to the position on the board."""
        found = (item for item in reversed(self.items[: self.at]) if item.move and item.after is self.position)
        item = next(found, None)
        return item.move if item else None

    def number_of(self, item: Item) -> int:
        """The move number of an item, from 1."""
        return (item.number - 1 + (self.begun_by == "black")) // 2 + 1

    def name_of(self, item: Item) -> str:
        """A move with its number: ``3.Kd5``, ``3…Kd7``; an answer as it was given."""
        if item.move is None:
            return item.san
        return f"{self.number_of(item)}{'.' if self.mover(item) == 'white' else '…'}{item.san}"


def crumbs(replay_: Replay, today: int, wide: bool) -> tuple[str, ...]:
    """Ending and theme, the day, where one is."""
    record, total = replay_.record, len(replay_.items)
    at = "the end" if replay_.item is None else f"{replay_.at + 1} of {total}"
    name = f"{ending_words(record.ending, record.game)} {record.label}".strip()
    return ("Progress", "attempts", name, day_words(record.day, today), at) if wide else (name, at)


def result_view(replay_: Replay) -> ResultView:
    """What became of it, and the learner's grades counted."""
    record, signs = replay_.record, {True: "✓ ", False: "✗ ", None: ""}
    solved = solved_of(record)
    hinted = solved is False and record.hints and not record.errors  # what alone it failed by must be seen
    became = f"not solved, {count(record.hints, 'hint', 'hints')}" if hinted else outcome_words(record)
    words = f"{signs[solved]}{became}"
    tally = Tally.of(item.grade for item in replay_.items if item.own)
    return ResultView(words, ", ".join(cost_words(record)), counts_of(tally))


def _mark(made: Item) -> Mark:
    """The worth of the learner's move or answer as sign and words."""
    mark = mark_of(made.grade) or Mark("·", "not graded", "faint")
    if made.move is None and made.grade is None:
        mark = Mark("✗", "wrong", "loss") if made.error else Mark("✓", "right", "win")
    return replace(mark, words=f"{mark.words}, taken back", quiet=True) if made.taken else mark


def score_view(replay_: Replay) -> ScoreView:
    """The moves in rows; a move played after taking back begins a new one."""
    rows: list[ScoreRow] = []
    pair: dict[int, int] = {}

    def flush() -> None:
        if pair:
            rows.append(_row(replay_, dict(pair)))
            pair.clear()

    last = 0
    for number, item in enumerate(replay_.items):
        side = 0 if item.move is None or replay_.mover(item) == "white" else 1
        if item.number != last + 1 or side in pair or (side == 0 and pair):
            flush()
        pair[side] = number
        last = item.number
        if side == 1 or item.move is None:
            flush()
    flush()
    cursor = replay_.at if replay_.item is not None else None
    return ScoreView(tuple(rows), cursor, replay_.white, "", True)


def _row(replay_: Replay, pair: dict[int, int]) -> ScoreRow:
    """White's and Black's move of one number, with the worth of the learner's."""
    items = {side: replay_.items[number] for side, number in pair.items()}
    mark, slip = None, ""
    for item in items.values():
        if item.own:
            mark = _mark(item)
        elif item.error:
            slip = f"{side_name(replay_.mover(item))} slips"
    first = items[min(items)]
    names = [items[side].san if side in items else "" for side in (0, 1)]
    if 0 not in items:
        names[0] = "…"
    taken = all(item.taken for item in items.values())
    plies = (pair.get(0, -1), pair.get(1, -1))
    return ScoreRow(replay_.number_of(first), (names[0], names[1]), plies, mark, slip, taken)


def board_view(replay_: Replay, flipped: bool) -> Picture:
    """The position; the man that moves shows where it could go, and the layers these moves lead to."""
    item = replay_.item
    move = item.move if item is not None else None
    rated = replay_.facts.moves if move is not None and replay_.facts.problem is None else ()
    return replay_.speech.replayed(replay_.position, move, replay_.came_by(), rated, flipped)


def chart_view(replay_: Replay) -> ChartView:
    """The depth of every position in turn."""
    record = replay_.record
    if not any(item.move for item in replay_.items):
        return ChartView()
    known = record.perfect is not None or record.goal == "draw"
    depths = [record.perfect if known else UNKNOWN]
    depths += [item.depth for item in replay_.items if item.move]
    start = "" if not known else "draw" if record.perfect is None else f"S{record.perfect}"
    end = replay_.speech.won if depths[-1] == 0 else ""
    return ChartView(tuple(depths), replay_.at, start, end)


def reason_view(replay_: Replay, glyphs: Glyphs) -> Said:
    """What the move looked at was worth, and what would have been best."""
    item = replay_.item
    if item is None:
        slips = sum(each.is_slip for each in replay_.items)
        cost = ", ".join(cost_words(replay_.record))
        words = f"{cost[:1].upper()}{cost[1:]}{': e goes there' if slips else ''}." if cost else ""
        if not replay_.items:
            words = "No move was made."
        if replay_.missing:
            words = f"{count(replay_.missing, 'move', 'moves')} more cannot be put on the board."
        return Said("", glyphs.plain(f"The end of the attempt.  {words}"), "text")
    made, grade = item, item.grade
    mark = mark_of(grade)
    words = "could not be graded"
    if item.move is None:
        words = "a wrong answer" if made.error else "the right answer"
    elif grade is not None:
        words = grade.words
    if made.is_slip and item.move is not None:
        words += _better(replay_)
    if made.own and made.seconds >= 1:
        words += f"; after {made.seconds:.0f} s"
    if made.taken:
        words += "; taken back"
    role = "loss" if item.move is None and made.error else mark.role if mark is not None else "text"
    return Said(glyphs.plain(replay_.name_of(item)), glyphs.plain(f"{words}."), role)


def _better(replay_: Replay) -> str:
    """What would have been better than a slip, a clause; empty where no table tells."""
    if best := _best(replay_.facts):
        return f"; best: {best}"
    keeping = [] if replay_.judge is None else replay_.judge.keeping(replay_.position)
    return f"; {few(keeping)}" if keeping else ""


def _best(facts: Facts) -> str:
    """The best moves by name, at most three of them."""
    if facts.problem is not None:
        return ""
    names = [move.san for move in facts.moves if move.grade == "best"]
    more = f" (or {len(names) - 3} more)" if len(names) > 3 else ""
    names = names[:3]
    return (names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}") + more if names else ""
