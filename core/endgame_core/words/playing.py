"""A game in words while it is set up, played, and looked at: what one may expect, how it stands, what rules say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final

from endgame_core.errors import NotBuiltError
from endgame_core.estimate import Estimate
from endgame_core.judge import Known
from endgame_core.practice.match import Match
from endgame_core.practice.played import Claim
from endgame_core.practice.review import UNKNOWN
from endgame_core.tables.explorer import RatedMove
from endgame_core.tasks.play import CLOCKS, DEFENCES, PLAY, REVIEW, SETUP, Play
from endgame_core.tracked import Draw
from endgame_core.values import HORIZON, Category, Verdict
from endgame_core.words import fifty, position
from endgame_core.words.numbers import count, grouped, reply_time
from endgame_core.words.played import (
    hint_said,
    layer_words,
    mark_of,
    move_name,
    moves_of_yours,
    number_of,
    side_name,
    worth,
)
from endgame_core.words.position import headline as headline_of
from endgame_core.words.position import name_of
from endgame_core.words.speech import Speech, speech_of
from endgame_core.words.told import KINDS, UNSURE, Choices, Fact, Headline, Line, Note, Said, Section, Word, distance

AnyPlay = Play[Any, Any]
AnyKnown = Known[Any, Any]
AnyMatch = Match[Any, Any]
Thought = Estimate[Any]

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
        short = fifty.verdict(found).partition(";")[0].partition(", with")[0].removesuffix(".")
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
