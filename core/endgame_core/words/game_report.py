"""A game in words, before, during and after it: what to expect, what moves were worth, how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from math import ceil
from pathlib import Path
from typing import Any, Final

from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.game import Game
from endgame_core.game_state import Draw
from endgame_core.judge import Judge
from endgame_core.language import _, decimal, lowered, ngettext, pgettext, side_name
from endgame_core.practice.match import UNKNOWN, Claim, HintStep, Match, Ply, Termination
from endgame_core.probe_result import ProbeResult
from endgame_core.search_estimate import SearchEstimate
from endgame_core.tables.explorer import RatedMove
from endgame_core.tasks.game_setup import DEFENCES, TIMES
from endgame_core.tasks.play_session import Notice, Question
from endgame_core.tasks.play_state import PLAY, REVIEW, SETUP, PlayState
from endgame_core.tasks.review import ReviewSession
from endgame_core.tasks.saved_games import unused_file
from endgame_core.values import (
    HORIZON,
    Category,
    Grade,
    GradeTally,
    Kind,
    Verdict,
    Winner,
    opposite_side,
)
from endgame_core.words import position
from endgame_core.words.glossary import speech_of
from endgame_core.words.missing_tables import search_plays, search_replies
from endgame_core.words.position import name_of, rule_verdict
from endgame_core.words.text_model import (
    KINDS,
    MANNERS,
    UNSURE,
    Badge,
    Choices,
    Headline,
    LabelledValue,
    LineText,
    Message,
    Section,
    Speech,
    TextRow,
    TextSpan,
    at,
    capital,
    clock,
    count,
    distance,
    either,
    fifty_counter,
    grade_words,
    grouped,
    in_moves,
    in_words,
    moves_of_plies,
    ordinal,
)

SHALL_I_GIVE_UP: Final = _("Give up this game?")
NOTHING_LEFT: Final = _("there is nothing to resume.")
SHALL_I_SHOW: Final = _("Give up and show the solution?")
BRIEF_QUESTIONS: Final[Mapping[str, str]] = {SHALL_I_GIVE_UP: _("Give up?"), SHALL_I_SHOW: _("Show solution?")}
"""Questions where there is no room for the whole sentence."""
ON_A_HINT: Final = _("thinking: the hint will be an estimate, as no table covers this position.")
ON_A_LINE: Final = _("thinking: the line will be an estimate, as no table covers this position.")
AGREED: Final = _("the defender accepts: the game is drawn.")
AGREED_BY_BOTH: Final = _("a draw by agreement.")
DECLINED_BY_FRIEND: Final = _("the draw offer is declined: play on.")
DECLINED: Final = _("the defender declines, and no draw can be claimed.")

AnyItem = Ply[Any, Any]
AnyJudge = Judge[Any, Any]
AnyKnown = ProbeResult[Any, Any]
AnyMatch = Match[Any, Any]
AnyPlay = PlayState[Any, Any]
Thought = SearchEstimate[Any]


def question_words(play: AnyPlay, question: Question) -> str:
    """Return a question to the user; empty for one about an unfinished game that is stored, see :func:`shall_i_drop`.

    ``Question.CLAIM_DRAW`` names the move with which the draw is claimed.
    """
    if question is Question.GIVE_UP:
        return SHALL_I_GIVE_UP
    if question is Question.SHOW_SOLUTION:
        return SHALL_I_SHOW
    if question is Question.CLAIM_DRAW:
        claim = play.claim
        if play.match is None or claim is None:
            return ""
        return _("Claim a draw{announced}?").format(announced=announced(play.match, claim))
    if question is Question.ACCEPT_DRAW:
        return _("{mover} offers a draw. Accept it?").format(mover=side_name(play.running_match.mover))
    return ""


def claimed(match: AnyMatch, claim: Claim[Any], by_user: bool) -> str:
    """Return a sentence that says who has claimed a draw, and how; the position is that before an announced move."""
    reason = _("a draw{announced}: {draw}.").format(announced=announced(match, claim), draw=in_words(claim.draw.value))
    if match.with_friend:
        return _("{mover} claims {reason}").format(mover=side_name(match.mover), reason=reason)
    if by_user:
        return _("You claim {reason}").format(reason=reason)
    return _("The defender claims {reason}").format(reason=reason)


def agreed(match: AnyMatch) -> str:
    """Return a sentence that says that the opponent has accepted a draw."""
    if match.with_friend:
        return AGREED_BY_BOTH
    return AGREED


def hint_steps(play: AnyPlay, move: Any) -> tuple[HintStep, ...]:
    """Return the steps of a hint about a move: the piece, unless no other piece can move, and the move."""
    if names_a_piece(play.game, play.position, play.game.moves(play.position)):
        return (HintStep.PIECE, HintStep.MOVE)
    return (HintStep.MOVE,)


def names_a_piece(game: Game[Any, Any], position: Any, moves: Iterable[Any]) -> bool:
    """Whether the sentence that names the piece of a hint distinguishes some of these moves."""
    speech = speech_of(game.name)
    return len({speech.first_step(position, move) for move in moves}) > 1


def notice_words(play: AnyPlay, notice: Notice) -> str:
    """Return the sentence of a notice."""
    if notice is Notice.GAME_OVER:
        return _("the game is over: {what_r_does}.").format(what_r_does=what_r_does(play))
    return instruct(_NOTICES[notice])


_NOTICES: Final[Mapping[Notice, str]] = {
    Notice.BEGIN_FIRST: _("{press} {begin} to begin the game first."),
    Notice.DEFENDER_TO_MOVE: _("the defender is to move."),
    Notice.DRAW_DECLINED: DECLINED,
    Notice.VERDICT_SHOWN: _("the verdict is always shown after the game."),
    Notice.RETRY_LATER: _("you can replay from here only after the game; {take_back} takes back a move."),
    Notice.ERRORS_LATER: _("errors are shown after the game."),
    Notice.NO_ERRORS: _("you made no errors in this game."),
}


def number_of(match: AnyMatch, ply: int) -> int:
    """The move number, as the start of the game has it, of a ply counted from 0."""
    return _number(match.game, match.start, ply)


def ply_of(match: AnyMatch, ply: int) -> int:
    """A ply counted from 0, counted from 0 of the first move that there can be, as lines are numbered."""
    game = match.game
    start = match.start
    # A position with Black to move begins with the second ply of its move (True counts as 1).
    return 2 * (game.file_notation.first_move_number(start) - 1) + (game.mover(start) == "black") + ply


def _number(game: Game[Any, Any], start: Any, ply: int) -> int:
    """The move number of a ply counted from 0 of a game from a position."""
    return game.file_notation.first_move_number(start) + (ply + (game.mover(start) == "black")) // 2


def _layer(verdict: Verdict | None) -> str:
    """``S12``, or ``a draw``."""
    if verdict is None or verdict.depth is None:
        return _("a draw")
    return f"S{verdict.depth}"


# Grades as signs

_MARKS: Final[Mapping[Kind, tuple[Badge, str]]] = {
    Kind.BEST: (Badge("✓", _("best"), "win"), _("best")),
    Kind.KEEPS: (Badge("✓", _("keeps the win"), "win"), _("win kept")),
    Kind.SLOWER: (Badge("+", _("{} slower"), quiet=False), _("slower")),
    Kind.FASTER: (Badge("−", _("{} sooner"), quiet=False), _("sooner")),
    Kind.STILL_LOST: (Badge("−", _("still lost")), _("still lost")),
    Kind.WIN_GONE: (Badge("↓", _("missed win"), "draw", quiet=False), _("missed")),
    Kind.CURSED: (Badge("↓", _("cursed win"), "cursed", quiet=False), _("cursed")),
    Kind.LOSES: (Badge("✗", _("loses"), "loss", quiet=False), _("lost")),
    Kind.HOLDS: (Badge("=", _("holds")), _("held")),
}
"""The mark of a move of each kind, and what follows the number of such moves in a count; the good ones first."""


def mark_of(grade: Grade | None) -> Badge | None:
    """A grade as sign and words."""
    if grade is None:
        return None
    mark, label = _MARKS[grade.kind]
    return replace(mark, words=mark.words.format(in_moves(grade.plies)), short=label)


def counts(tally: GradeTally, width: int) -> TextRow:
    """Return the numbers of moves by grade, in a row of ``width`` columns."""
    figures = [
        (f"{mark.sign} {number} {label}", "dim" if kind is Kind.HOLDS else mark.role)
        for kind, (mark, label) in _MARKS.items()
        if (number := tally.counts.get(kind))
    ]
    # Three blanks between two figures if there is room, else one; the last figure has none after it.
    wide_width = sum(len(text) + 3 for text, __ in figures) - 3
    gap = "   " if wide_width <= width else " "
    return TextRow(tuple(TextSpan(gap * bool(at) + text, role) for at, (text, role) in enumerate(figures)))


# The phases of a game


@dataclass(slots=True)
class Phase:
    """Consecutive moves of the user in positions with the same pieces.

    Attributes:
        ending: The ending of these positions.
        moves: The number of graded moves.
        faultless: How many of them lost neither the result nor any plies.
        plies: Plies that the others lost.
    """

    ending: str
    moves: int = 0
    faultless: int = 0
    plies: int = 0

    @property
    def accuracy(self) -> str:
        """The share of faultless moves in percent."""
        if self.moves:
            return f"{100 * self.faultless // self.moves} %"
        return ""


def phases_of(review: ReviewSession[Any, Any]) -> list[Phase]:
    """The phases of a game with the user's moves in them, those without graded moves left out."""
    phases: list[Phase] = []
    for item in review.items:
        if not item.own or item.is_shown or item.grade is None:
            continue
        ending = name_of(review.judge.game, item.before)
        # An ending that comes back, as after a takeback, begins another phase.
        if not phases or phases[-1].ending != ending:
            phases.append(Phase(ending))
        phase = phases[-1]
        phase.moves += 1
        phase.faultless += not item.is_slip
        phase.plies += max(item.grade.plies, 0)
    return phases


def phase_rows(review: ReviewSession[Any, Any], width: int) -> list[TextRow]:
    """The user's accuracy and moves lost in each phase of a game and, if there are several, in all of it."""
    phases = phases_of(review)
    if not phases:
        return []
    if len(phases) > 1:
        total = Phase(_("all"))
        for phase in phases:
            total.moves += phase.moves
            total.faultless += phase.faultless
            total.plies += phase.plies
        phases.append(total)
    ends = (max(width - 22, 15), max(width - 12, 24), max(width, 35))
    heads = (_("moves"), _("accuracy"), _("moves lost"))
    rows = [
        TextRow(
            (
                TextSpan(_("Phases"), bold=True),
                *(TextSpan(head, "faint", end=end) for head, end in zip(heads, ends, strict=True)),
            )
        )
    ]
    for phase in phases:
        figures = (grouped(phase.moves), phase.accuracy, moves_of_plies(phase.plies))
        spans = (TextSpan(figure, end=end) for figure, end in zip(figures, ends, strict=True))
        rows.append(TextRow((TextSpan(phase.ending, "dim"), *spans)))
    return rows


# The moves in rows


@dataclass(frozen=True, slots=True)
class MoveRow:
    """One move number.

    Attributes:
        number: The number.
        moves: White's and Black's move; empty where there is none.
        plies: Numbers of these in the game, from 0; -1 where there is none.
        mark: The worth of your move; with a friend, of White's.
        reply_mark: The worth of Black's move with a friend; None in other games.
        slip: Words about a mistake of the defender.
        has_shown_move: The moves were shown, not played, or all taken back.
    """

    number: int
    moves: tuple[str, str]
    plies: tuple[int, int]
    mark: Badge | None = None
    reply_mark: Badge | None = None
    slip: str = ""
    has_shown_move: bool = False


def rows_of(items: Sequence[AnyItem], ungraded: Badge | None = None) -> tuple[MoveRow, ...]:
    """The moves and answers in rows; a move played after taking back begins a new one.

    ``ungraded`` is the mark of a move of yours that has no grade.
    """
    pairs: list[dict[int, int]] = []
    last: AnyItem | None = None
    for number, item in enumerate(items):
        side = int(item.move is not None and item.mover == "black")
        # Black's move joins White's, unless that is an answer, has one already, or was taken back.
        is_continued = last is not None and last.move is not None and item.number == last.number + 1
        if not is_continued or side == 0 or 1 in pairs[-1]:
            pairs.append({})
        pairs[-1][side] = number
        last = item
    return tuple(_row(items, pair, ungraded) for pair in pairs)


def _row(items: Sequence[AnyItem], pair: Mapping[int, int], ungraded: Badge | None) -> MoveRow:
    """White's and Black's move of one number, with the worth of yours."""
    row_items = [items[number] for number in pair.values()]
    played = [item for item in row_items if not item.is_shown]
    # With a friend both moves are the user's: then there are two marks.
    marks = [_mark(item, ungraded) for item in played if item.own]
    mark = marks[0] if marks else None
    reply_mark = marks[1] if len(marks) > 1 else None
    slip = next((_slip(item) for item in played if item.error and not item.own), "")
    has_shown_move = len(played) < len(row_items)
    if has_shown_move and mark is None:
        mark = Badge("·", _("shown"), "faint")
    white = items[pair[0]].san if 0 in pair else "…"
    black = items[pair[1]].san if 1 in pair else ""
    is_dim = has_shown_move or all(item.was_taken_back for item in row_items)
    plies = pair.get(0, -1), pair.get(1, -1)
    return MoveRow(row_items[0].turn, (white, black), plies, mark, reply_mark, slip, is_dim)


def _slip(item: AnyItem) -> str:
    """Return the cost of a defender's mistake, in few words: ``White: win lost``."""
    mark = mark_of(item.grade)
    if item.grade is not None and item.grade.kind is Kind.WIN_GONE:
        return _("{mover}: win lost").format(mover=side_name(item.mover))
    if mark is None:
        return _("{mover}: error").format(mover=side_name(item.mover))
    return f"{side_name(item.mover)}: {mark.words}"


def _mark(item: AnyItem, ungraded: Badge | None) -> Badge | None:
    """The worth of your move or answer."""
    mark = mark_of(item.grade) or ungraded
    # No move: the answer to a question of a drill.
    if item.move is None and item.grade is None:
        if item.error:
            mark = Badge("✗", _("wrong"), "loss")
        else:
            mark = Badge("✓", _("right"), "win")
    if mark is None or not item.was_taken_back:
        return mark
    return Badge(mark.sign, _("{mark_words}, taken back").format(mark_words=mark.words), mark.role)


# What a move was worth


def best_names(rated: Iterable[RatedMove[Any, Any]]) -> list[str]:
    """The best of some moves, as people write them."""
    return [move.san for move in rated if move.grade == "best"]


def best_told(names: Sequence[str], category: Category = Category.WIN) -> str:
    """The best moves, a clause: ``Best: Kg5 or Rg6``; more than three are counted, by what they do in the position.

    Args:
        names: The best moves.
        category: What the position is for the side to move.
    """
    if len(names) <= 3:
        return _("Best: {names}").format(names=either(names))
    if category is Category.DRAW:
        return _("{names} moves hold the draw, such as {names2}").format(names=len(names), names2=names[0])
    if category is Category.LOSS:
        return _("{names} moves resist longest, such as {names2}").format(names=len(names), names2=names[0])
    return _("{names} moves were best, such as {names2}").format(names=len(names), names2=names[0])


def move_value(judge: AnyJudge, item: AnyItem) -> tuple[str, str]:
    """Return the value of a move, as a sentence that follows its name, and its role."""
    if item.move is not None and judge.game.is_null(item.move):
        return _("passes the turn; null moves are not graded."), "text"
    probe = judge.probe(item.before)
    speech = speech_of(judge.game.name)
    # Not all moves are known by depth; in chess, DTZ may still tell what the move was worth.
    if probe.problem is not None and probe.clock is not None:
        return _by_dtz(judge, probe, item)
    if item.grade is None:
        placed = speech.in_hand(item.before)
        if placed:
            why = _("tables do not cover the placing phase")
        else:
            why = _("this position is not in any table")
        # The position has a table, so what is missing is that of the position after the move, or DTZ.
        if probe.verdict is not None and (missing := judge.probe(item.after).problem) is not None:
            why = missing.what
        elif probe.verdict is not None and probe.clock is not None:
            best = best_told(best_names(probe.moves))
            return _("could not be graded: under the 50-move rule, this takes a DTZ table. {best}.").format(
                best=best
            ), "text"
        return _("could not be graded: {why}.").format(why=why), "text"
    if probe.problem is not None or probe.verdict is None:
        return f"{grade_words(item.grade)}.", "text"  # a table that knew all moves is gone
    few = best_told(best_names(probe.moves), probe.verdict.category)
    # The rule comes first, where it contradicts the depth.
    return _by_the_rule(probe, item, few) or _by_depth(probe, item, few, speech)


def _by_depth(probe: AnyKnown, item: AnyItem, few: str, speech: Speech) -> tuple[str, str]:
    """Return the value of a move by the plies to the end."""
    assert item.grade is not None and probe.verdict is not None
    best = best_names(probe.moves)
    depth = probe.verdict.depth or 0
    words = grade_words(item.grade)
    after = next(rated.verdict for rated in probe.legal if rated.move == item.move)
    kind = item.grade.kind
    if after is None or after.depth is None:
        remaining = 0
    else:
        remaining = after.depth
    if kind is Kind.BEST:
        if len(probe.moves) > 1:
            only_move = ""
        else:
            only_move = _(", and the only legal move")
        others = len(best) - 1
        if probe.verdict.winner != item.mover:
            ties = only_move
            if others:
                ties = ngettext(", as does 1 other move", ", as do {number} other moves", others).format(number=others)
            return _("resists longest{ties}: {ends}.").format(ties=ties, ends=at(speech.ends[0], remaining)), "win"
        ties = only_move
        if others:
            ties = ngettext(", as is 1 other move", ", as are {number} other moves", others).format(number=others)
        if remaining:
            distance_now = at(speech.ends[1], remaining)
        else:
            distance_now = speech.won
        return _("is best{ties}: {distance_now}.").format(ties=ties, distance_now=distance_now), "win"
    if kind is Kind.SLOWER:
        # Counted from before the move, as ``depth`` is.
        needed = remaining + 1
        depth_before = (depth + 1) // 2 if speech.numbers else depth
        later = _("{ends} instead of {depth}").format(ends=at(speech.ends[1], needed), depth=depth_before)
        return _("wins, but is {words}: {later}. {few}.").format(words=words, later=later, few=few), "text"
    missed = f", {at(speech.ends[1], depth)}"
    opponent = side_name(opposite_side(item.mover))
    # Only if all moves are graded is it certain what the others do.
    others = ""
    if all(rated.grade for rated in probe.moves):
        others = _others(len(best), len(probe.moves), "lose")
    return {
        Kind.FASTER: (_("loses {words} than necessary. {few}.").format(words=words, few=few), "text"),
        Kind.WIN_GONE: (
            _("throws away the win: it is a draw now. {few}{missed}.").format(few=few, missed=missed),
            "draw",
        ),
        Kind.LOSES: (
            _("loses: {opponent}. {few}.").format(
                opponent=at(speech.estimate, remaining).format(side=opponent), few=few
            ),
            "loss",
        ),
        Kind.HOLDS: (_("holds{others}.").format(others=others), "draw"),
    }.get(kind, (f"{words}. {few}.", "text"))  # else by tables that are gone


def _by_the_rule(probe: AnyKnown, item: AnyItem, few: str) -> tuple[str, str] | None:
    """Return the value of a move if the 50-move rule contradicts DTM; otherwise None."""
    assert item.grade is not None
    after = probe.under_rule(item.move)
    if after is None and probe.clock is not None and probe.problem is None:
        after = next((rated for rated in probe.legal if rated.move == item.move), None)
    if probe.category is None or after is None or after.category_after is None:
        return None
    kind = item.grade.kind
    was = probe.category
    # category_after is that of the opponent.
    now = after.category_after.negated
    if kind is Kind.CURSED:
        return _("turns the win into a cursed win: a draw can be claimed first. {few}.").format(few=few), "cursed"
    if kind is Kind.LOSES and was in (Category.BLESSED_LOSS, Category.CURSED_WIN):
        return _("throws away the draw that the 50-move rule allowed. {few}.").format(few=few), "loss"
    if kind is Kind.WIN_GONE and now is Category.BLESSED_LOSS:
        return _("throws away the win: only the 50-move rule saves a draw. {few}.").format(few=few), "draw"
    if kind is Kind.HOLDS and Category.BLESSED_LOSS in (was, now):
        if was is now:
            return _("holds thanks to the 50-move rule: a blessed loss."), "blessed"
        return _("holds, but only thanks to the 50-move rule: a blessed loss."), "blessed"
    if was is Category.CURSED_WIN and kind is Kind.HOLDS:
        return _("keeps the cursed win."), "cursed"
    if was is Category.CURSED_WIN and kind is Kind.WIN_GONE:
        return _("gives up the cursed win for a plain draw. {few}.").format(few=few), "draw"
    if probe.problem is None and kind in (Kind.BEST, Kind.SLOWER) and (spoilt := probe.spoiling_best):
        if probe.verdict is not None and probe.verdict.category is Category.LOSS:
            return _("is best: {san} delays mate, but not long enough for a draw claim.").format(san=spoilt.san), "win"
        if spoilt.category_after is Category.MAYBE_LOSS:
            turns = _("{san} may turn the win into a cursed win").format(san=spoilt.san)
            sooner = _("{san} mates sooner, but may turn the win into a cursed win").format(san=spoilt.san)
        else:
            turns = _("{san} turns the win into a cursed win").format(san=spoilt.san)
            sooner = _("{san} mates sooner, but turns the win into a cursed win").format(san=spoilt.san)
        if kind is Kind.BEST:
            return _("is best: {sooner}.").format(sooner=sooner), "win"
        return _("wins, but is {grade_words}. {few}; {turns}.").format(
            grade_words=grade_words(item.grade), few=few, turns=turns
        ), "text"
    return None


def _by_dtz(judge: AnyJudge, probe: AnyKnown, item: AnyItem) -> tuple[str, str]:
    """Return the value of a move if no DTM table covers all moves: no mate is known, and no plies are counted."""
    if item.grade is None:
        problem = judge.probe(item.after).fifty_problem or probe.fifty_problem
        if problem is None:
            why = _("DTZ is rounded, and a single ply decides")
        else:
            why = problem.what
        if probe.fifty is None:
            reason = _("this position is not in any table")
        else:
            reason = why
        return _("could not be graded: {value}.").format(value=reason), "text"
    keeping = [move.san for move in judge.keeping_moves(item.before)]  # none where that is not certain
    better = ""
    if keeping:
        clause = kept_by(keeping)
        better = f" {clause}."
        ruled = _by_the_rule(probe, item, clause)
        if ruled is not None:
            return ruled
    kind = item.grade.kind
    if probe.fifty is None:
        was = _("win")
    else:
        was = KINDS[probe.fifty.category].words
    if (over := judge.game.terminal(item.after)) is not None and over.depth == 0:
        return _("mates: no move is better."), "win"
    if kind in (Kind.KEEPS, Kind.HOLDS):
        if kind is Kind.KEEPS:
            verb = _("keeps the win")
            role = "win"
        else:
            verb = _("holds")
            role = "draw"
        return f"{verb}{_others(len(keeping), len(probe.by_dtz), 'not')}.", role
    return {
        Kind.STILL_LOST: (_("loses, as every move does."), "text"),
        Kind.WIN_GONE: (
            _("throws away the win: a {was} becomes a draw.{better}").format(was=was, better=better),
            "draw",
        ),
        Kind.CURSED: (
            _("turns the win into a cursed win: a draw can be claimed first.{better}").format(better=better),
            "cursed",
        ),
        Kind.LOSES: (_("loses: a {was} becomes a loss.{better}").format(was=was, better=better), "loss"),
    }.get(kind, (_("is {grade_words} by DTM.").format(grade_words=grade_words(item.grade)), "text"))


def kept_by(keeping: Sequence[str]) -> str:
    """The moves that keep the result, a clause: ``Qe4 keeps it``; empty for none."""
    if len(keeping) > 3:
        return _("{keeping} moves keep the result, such as {keeping2}").format(
            keeping=len(keeping), keeping2=keeping[0]
        )
    if keeping:
        return _("{keeping} keeps the result").format(keeping=either(keeping))
    return ""


def _others(keeping: int, moves: int, would: str) -> str:
    """How many of the other moves do what a move that keeps the result does, and what the rest would do."""
    if not keeping:
        return ""
    if moves == 1:
        return _(": the only legal move")
    if keeping == 1:
        return _(", and no other move does")
    if keeping == moves:
        return _(", as every move does")
    others = ngettext("as does 1 other move", "as do {number} other moves", keeping - 1).format(number=keeping - 1)
    if would == "lose":
        rest = _("{moves} would lose").format(moves=moves - keeping)
    else:
        rest = _("{moves} would not").format(moves=moves - keeping)
    return f", {others}; {rest}"


# How it ended


def ended(match: AnyMatch) -> tuple[str, str]:
    """The sentence when a game ends, and its role."""
    result = match.result
    assert result is not None
    if result.reason is Termination.SHOWN:
        who = _("an estimate") if match.estimated else _("the table")
        return instruct(_("{who} shows the rest: {step} step through it."), who=who), "text"
    if result.reason is Termination.UNREAD:
        return instruct(_("the rest of the game cannot be read; {step} step through its moves.")), "text"
    if result.winner is not None:
        role = "loss"
        if result.winner == match.you or match.with_friend:
            role = "win"
        reason = in_words(result.reason.value)
        return _("{winner} wins by {reason}.").format(winner=side_name(result.winner), reason=reason), role
    if result.reason is Termination.TIME and match.with_friend:
        loser = match.side_on_clock
        opponent = opposite_side(match.side_on_clock)
        words = _("{loser}'s time ran out: a draw, because {opponent} cannot win.").format(
            loser=side_name(loser), opponent=side_name(opponent)
        )
        return words, "draw"
    if result.reason is Termination.TIME:
        opponent = side_name(match.opponent)
        return _("your time ran out: a draw, because {opponent} has insufficient material to win.").format(
            opponent=opponent
        ), "draw"
    if result.reason is Draw.MEN:
        return _("drawn: {reason}.").format(reason=in_words(result.reason.value)), "draw"
    return _("drawn by {reason}.").format(reason=in_words(result.reason.value)), "draw"


_DRAWN: Final[Mapping[Any, str]] = {
    Draw.FIFTY: _("50 moves"),
    Draw.SEVENTY_FIVE: _("75 moves"),
    Draw.MEN: _("insufficient material"),
    Draw.THREEFOLD: _("repetition"),
    Draw.FIVEFOLD: _("repetition"),
    Draw.QUIET: _("50 moves, no capture"),
    Termination.TIME: _("your time ran out"),
}


def result_words(match: AnyMatch) -> str:
    """The result in a sentence without a full stop."""
    result = match.result
    assert result is not None
    if result.winner is None or not match.with_friend:
        side = match.you
    else:
        side = result.winner
    moves = count(sum(ply.mover == side for ply in match.played), "move", "moves")
    if result.reason is Termination.SHOWN:
        remark = _(", an estimate,") if match.estimated else ""
        return _("Solution shown{value} after {moves}").format(value=remark, moves=moves)
    if result.reason is Termination.UNREAD:
        return _("Abandoned after {moves}").format(moves=moves)
    if result.winner is not None and match.with_friend:
        if result.reason is Termination.TIME:
            return _("{opposite_side} lost on time").format(opposite_side=side_name(opposite_side(result.winner)))
        return _("{winner} won in {moves}").format(winner=side_name(result.winner), moves=moves)
    if result.winner is None and result.reason is Termination.TIME and match.with_friend:
        return _("Drawn: {loses_on_time}'s time ran out").format(loses_on_time=side_name(match.side_on_clock))
    if result.winner == match.you:
        return _("You won in {moves}").format(moves=moves)
    if result.winner is not None:
        if result.reason is Termination.TIME:
            return _("You lost on time")
        return _("You lost in {moves}").format(moves=moves)
    return _("Drawn: {get}").format(get=_DRAWN.get(result.reason) or in_words(result.reason.value))


def side_report(match: AnyMatch, side: Winner) -> str:
    """Return what the moves of a side have lost, for a game of two people: ``White: 1½ moves lost, 1 blunder``."""
    grades = [ply.grade for ply in match.played if ply.mover == side]
    name = side_name(side)
    tally = match.tally_of(side)
    if not grades:
        return _("{name}: no moves made").format(name=name)
    if not tally.moves:
        return _("{name}: no moves graded").format(name=name)
    lost = sum(grade.plies for grade in grades if grade is not None and not grade.kind.is_error)
    parts = []
    if lost:
        parts = [_("{moves} lost").format(moves=in_moves(lost))]
    if tally.errors:
        parts += [count(tally.errors, "blunder", "blunders")]
    if not parts:
        if tally.counted_moves == tally.moves:
            praise = _("no moves lost")
        else:
            praise = _("no blunders")
        parts = [praise]
    if tally.moves < len(grades):
        parts.append(_("{moves} of {grades} graded").format(moves=tally.moves, grades=len(grades)))
    return f"{name}: {', '.join(parts)}"


def side_reports(match: AnyMatch) -> str:
    """Return what both sides' moves have lost, in two sentences."""
    return f"{side_report(match, 'white')}.  {side_report(match, 'black')}."


# What can be expected


@dataclass(frozen=True, slots=True)
class Prospect:
    """The value of a position for a side, worded so that the 50-move rule does not break the promise.

    Attributes:
        category: With the clock counted in; where DTZ is not known, a mate that it may forestall may be a win.
        depth: Plies to the end by depth, None in a draw or where only DTZ is known.
        late: That the end comes when a draw can be claimed before.
        clock: Plies that count against the limit of moves.
        speech: The words of the game.
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
        """Return the prospect by the tables; None if no table covers the position.

        Args:
            verdict: By depth, for the side to move; None where it is not known.
            under_rule: The category with the clock counted in, for the side to move; None where it is not known.
            clock: Plies that count against the limit of moves, None without one.
            yours: Whether the side to move is the side of the prospect.
            speech: The words of the game.
        """
        depth = None
        category = under_rule
        if verdict is not None:
            depth = verdict.depth
            category = category or verdict.category
        if category is None:
            return None
        # The game may be drawn before it ends by depth: without DTZ, that is all that is known.
        late = clock is not None and depth is not None and clock + depth > HORIZON
        if late and under_rule is None:
            category = {Category.WIN: Category.MAYBE_WIN, Category.LOSS: Category.MAYBE_LOSS}.get(category, category)
        if not yours:
            category = category.negated
        return cls(category, depth, late, clock or 0, speech)

    @property
    def mate(self) -> int:
        """Moves to the end."""
        return ((self.depth or 0) + 1) // 2

    @property
    def promise(self) -> str:
        """The result that the side can reach, as a sentence."""
        depth = self.depth
        at_clock = _("50-move counter {fifty_counter}").format(fifty_counter=fifty_counter(self.clock))
        if depth is None:
            return _PROMISE[self.category]
        later = ""
        if self.late:
            later = _(", or later because of the 50-move rule")
        unit = "{moves}" if self.speech.numbers else "{plies}"
        resist = at(unit, depth)
        return {
            Category.WIN: _("You can win{win_in}{later}.").format(win_in=at(self.speech.win_in, depth), later=later),
            Category.LOSS: _("Your position is lost: hold out for {resist}{value}.").format(
                resist=resist, value=_(" or more") * self.late
            ),
            Category.MAYBE_WIN: _("You can force mate in {mate} unless a draw comes first: {at_clock}.").format(
                mate=self.mate, at_clock=at_clock
            ),
            Category.CURSED_WIN: _("A cursed win: mate in {mate}, but a draw can be claimed first.").format(
                mate=self.mate
            ),
            Category.MAYBE_LOSS: _("You are mated in {mate} unless a draw comes first: {at_clock}.").format(
                mate=self.mate, at_clock=at_clock
            ),
        }.get(self.category, _PROMISE[self.category])

    @property
    def began(self) -> str:
        """The value of the position at which a game began, as a sentence."""
        later = _(" or later") if self.late else ""
        at_clock = _(", 50-move counter {fifty_counter}").format(fifty_counter=fifty_counter(self.clock))
        after = {
            Category.WIN: later, Category.LOSS: later, Category.MAYBE_WIN: at_clock, Category.MAYBE_LOSS: at_clock,
        }.get(self.category)  # fmt: skip
        if after is None or self.depth is None:
            return _("You began in {place}.").format(place=_PLACE[self.category])
        wins = self.category in (Category.WIN, Category.MAYBE_WIN)
        return _("You began {began}{after}.").format(began=at(self.speech.began[wins], self.depth), after=after)

    @property
    def layer(self) -> str:
        """The value at the beginning of a game, shown with layers: ``a cursed win``; empty if the layer shows it."""
        named = self.depth is None or self.category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
        if named and self.category is not Category.DRAW:
            return _PLACE[self.category]
        return ""

    @property
    def perfect(self) -> str:
        """How well it could have been done, in few words; empty where there is no win."""
        if self.category is Category.CURSED_WIN:
            return _("a cursed win")
        if self.depth is None or self.category not in (Category.WIN, Category.MAYBE_WIN):
            return ""
        if self.late:
            return _("DTM: mate in {mate}").format(mate=self.mate)
        return _("possible: {ends}").format(ends=at(self.speech.ends[1], self.depth))


_PLACE: Final[Mapping[Category, str]] = {
    Category.WIN: _("a won position"),
    Category.MAYBE_WIN: _("a possible win"),
    Category.CURSED_WIN: _("a cursed win"),
    Category.DRAW: _("a draw"),
    Category.BLESSED_LOSS: _("a blessed loss"),
    Category.MAYBE_LOSS: _("a possible loss"),
    Category.LOSS: _("a lost position"),
}
"""Names for the position at which a game began, without a distance."""

_PROMISE: Final[Mapping[Category, str]] = {
    Category.WIN: _("You can win."),
    Category.MAYBE_WIN: _("You may win: DTZ is rounded, and a single ply decides."),
    Category.CURSED_WIN: _("A cursed win: a draw can be claimed before mate."),
    Category.DRAW: _("The position is drawn: hold the draw."),
    Category.BLESSED_LOSS: _("A blessed loss: hold out until you can claim a draw."),
    Category.MAYBE_LOSS: _("Your position may be lost: DTZ is rounded, and a single ply decides."),
    Category.LOSS: _("Your position is lost: hold out."),
}
"""Promises without a distance to the end."""


def prospect(play: AnyPlay) -> Prospect | None:
    """Return the prospect of your side at the beginning of the game; None if no table covers it."""
    match = play.match
    start = play.start if match is None else match.start
    probe = play.start_probe
    if match is None:
        verdict = probe.verdict
    else:
        verdict = match.start_verdict
    return _prospect(play, probe, verdict, play.game.mover(start) == play.you)


def _prospect(play: AnyPlay, probe: AnyKnown, verdict: Verdict | None, yours: bool) -> Prospect | None:
    return Prospect.of(verdict, probe.category, probe.clock, yours, speech_of(play.game.name))


# Setting up


def choices(play: AnyPlay) -> tuple[Choices, ...]:
    """The choices of a new game, in the order of :attr:`PlayState.rows`."""
    setup = play.setup
    expectation = _expectation(play)
    defences = tuple(in_words(defence.value) for defence in DEFENCES)
    times = tuple(_(name) for name, __ in TIMES)
    choices_by_row = {
        "start": Choices(_("Start"), (_("position"), _("empty board")), int(setup.opening), expectation),
        "you": Choices(_("You play"), (_("White"), _("Black")), int(setup.you == "black"), expectation),
        "opponent": Choices(
            _("Opponent"), (_("computer"), _("a friend")), int(setup.with_friend), _OPPONENTS[setup.with_friend]
        ),
        "board": Choices(
            _("Board"),
            (_("stays"), _("turns")),
            int(setup.turns_board),
            instruct(_("Whether the board turns after each move to face the side to move; {flip} turns it at once.")),
        ),
        "defence": Choices(
            _("Defence"), defences, DEFENCES.index(setup.defence), f"{capital(MANNERS[setup.defence])}."
        ),
        "time": Choices(
            _("Time"),
            times,
            setup.time,
            _("Time per player for the whole game.") if setup.with_friend else _("Your time for the whole game."),
        ),
        "verdict": Choices(
            _("Verdict"),
            (_("hidden"), _("shown")),
            int(not play.hides_verdict),
            instruct(_("Whether you see the value of the position. {verdict} changes this during the game.")),
        ),
    }
    return tuple(choices_by_row[row] for row in play.rows)


_OPPONENTS: Final = (
    _("The tables choose the replies; where there is no table, the search or an engine does."),
    _("A friend plays the other side on this board. Both players' moves are graded."),
)
"""About the opponent: the computer, or a friend."""


def _expectation(play: AnyPlay) -> str:
    """Return the prospect of your side, unless the verdict is hidden."""
    if play.setup.opening:
        return _("Each side places nine stones; the search replies until a table covers the position.")
    probe = play.judge.probe(play.start)
    expected = prospect(play)
    if probe.is_over:
        return _("The game is over in this position.")
    if probe.problem is not None and expected is not None and probe.clock is not None:
        if probe.verdict is None:
            return _("{promise} There is no DTM table for this position.").format(promise=expected.promise)
        return f"{expected.promise} {_beyond(play)}".rstrip()
    if isinstance(probe.problem, NotBuiltError) and probe.clock is not None:
        return search_plays(probe.problem.ending)
    if probe.problem is not None:
        return _("No table covers this position: the search replies, and all values are estimates.")
    if expected is None:
        return ""
    return f"{expected.promise} {_beyond(play)}".rstrip()


def _beyond(play: AnyPlay) -> str:
    """Return the defender after moves into sub-endings that are not built; empty if all are built."""
    library = play.judge.explorer.library
    if play.game.is_trivial(play.start) or play.judge.probe(play.start).fifty is not None:
        return ""
    lacking = [need for need in play.game.needs(play.game.ending_of(play.start)) if not library.is_built(need)]
    if lacking:
        return search_replies(lacking)
    return ""


def setup_keys(game: Game[Any, Any]) -> tuple[tuple[str, str], ...]:
    """Keys before a game, and what they do."""
    return (
        (control("begin"), _("begin")),
        (control("prompt"), speech_of(game.name).to_begin),
        (control("retry_game"), _("random position from this layer")),
        (control("edit"), _("set up the board")),
        (control("open_games"), _("open a saved game")),
    )


def study_keys() -> tuple[tuple[str, str], ...]:
    """Keys after a game, and what they do."""
    return (
        (control("retry_game"), _("play on from here")),
        (control("add"), _("add this position to your drills")),
        (control("save_game"), _("save the game, with grades")),
    )


def saved_games(names: Sequence[str]) -> str:
    """The games to choose from, a sentence."""
    examples = ", ".join(names[:3])
    if len(names) > 3:
        examples += " …"
    if len(names) < 2:
        return ""
    return instruct(
        _("{games}: {some}; {complete} inserts the next name."),
        games=_("{names} saved games").format(names=len(names)),
        some=examples,
    )


# While it is played

BY_DTZ: Final = _("Replies and hints are based on DTZ.")
GUESSED: Final = _("No table covers this position: replies and hints are estimates.")
ESTIMATES: Final = _("a table is missing: replies are estimates.")


def go_on(name: str, unfinished: Mapping[str, Any], game: Game[Any, Any], room: int) -> str:
    """Return the question whether to resume a game or drills, in at most ``room`` characters if possible."""
    title = _unfinished_title(name, unfinished, game)
    question = _("Resume {left}?").format(left=title)
    if len(question) <= room:
        return question
    return f"{title}?"


def shall_i_drop(name: str, unfinished: Mapping[str, Any], game: Game[Any, Any], room: int) -> str:
    """Return the question before a new game replaces an unfinished one, in at most ``room`` characters if possible."""
    title = _unfinished_title(name, unfinished, game)
    question = _("{left} is unfinished. Resume it?").format(left=title)
    if len(question) <= room:
        return question
    return _("Resume {left}?").format(left=title)


def _unfinished_title(name: str, unfinished: Mapping[str, Any], game: Game[Any, Any]) -> str:
    """A game or drills that were left open, and where."""
    moves = unfinished.get("moves")
    count = unfinished.get("count")
    start = unfinished.get("start")
    title = str(unfinished.get("title"))
    at = ""
    with suppress(EndgameError):
        # Games store a position, drills a list that begins with one.
        text = start[0] if isinstance(start, list) and start else start
        position = game.parse(str(text))
        if name == game.name:
            title = name_of(game, position)
        at = ""
        if isinstance(moves, list) and moves:
            at = _(", move {number}").format(number=_number(game, position, len(moves)))
    number = unfinished.get("number")
    if name != game.name and not at and count != 1 and isinstance(number, int):
        next_number = number + (start is None)  # saved after a drill, the session goes on with the next one
        at = _(", drill {number} of {count}").format(number=next_number, count=count)
    return f"{title}{at}"


def crumbs(play: AnyPlay, wide: bool) -> tuple[str, ...]:
    """Ending, your side, where the game is."""
    match = play.match
    if match is None:
        current = play.start
    elif play.game.horizon is not None:
        current = match.start
    else:
        current = play.position
    name = name_of(play.game, current)
    if match is None:
        return name, _("new game")
    if play.stage == PLAY:
        if match.with_friend:
            who = _("two players")
        else:
            who = _("you are {you}").format(you=side_name(match.you))
        return name, who, _("move {number_of}").format(number_of=number_of(match, len(match.plies)))
    last = number_of(match, max(len(match.plies) - 1, 0))
    at_ = None
    if play.reviewed_ply is not None:
        at_ = play.reviewed_ply.turn
    if not wide and at_ is None:
        return name, _("finished"), _("end")
    if not wide:
        return name, _("finished"), _("move {at_}").format(at_=at_)
    finished = ()
    if play.game.horizon is not None:
        finished = (_("finished"),)
    if match.with_friend:
        who = _("two players")
    else:
        who = _("you were {you}").format(you=side_name(match.you))
    if at_ is None:
        place = _("the end")
    else:
        place = _("move {at_} of {last}").format(at_=at_, last=last)
    return name, who, *finished, place


_TAKE_A_STONE: Final = _("Take a stone")


def headline(
    play: AnyPlay, thought: Thought | None = None, thinking: bool = False, taking: bool = False, failed: bool = False
) -> Headline:
    """Return the side to move, and the verdict: hidden, by the tables, or an estimate.

    ``thinking`` means that a reply is being computed, ``taking`` that only the stone to take is still to be chosen,
    ``failed`` that no reply can be found.
    """
    match = play.match
    if match is None:
        return Headline()
    probe = play.probe
    verdict = position.headline(probe, play.game)
    words = verdict.result
    role = verdict.role
    if play.hides_verdict:
        words = _("verdict hidden")
        role = "dim"
    elif play.is_estimated and probe.verdict is None and probe.fifty is None:
        if thought is None:
            words = _("not in any table")
            role = "dim"
        else:
            words = estimate(play, thought)
            role = "text"
    if thinking:
        mover = _("Thinking")
    elif failed:
        mover = _("No reply")
    else:
        mover = _("The reply")
    if match.your_turn:
        places = speech_of(play.game.name).places(play.position)
        if match.with_friend:
            mover = _("{mover} to move").format(mover=side_name(match.mover))
        else:
            mover = _("Your move")
        if taking or places:
            mover = _TAKE_A_STONE if taking else _("Place a stone")
    return Headline(match.mover == "white", mover, words, role, verdict.aside)


def corner(play: AnyPlay, shown_headline: Headline) -> tuple[str, str]:
    """Return the first row of the smallest screens; ``○`` and ``●`` stand for the sides."""
    match = play.match
    if match is None:
        return "", "text"
    if play.stage == REVIEW:
        item = play.reviewed_ply
        mark = None
        if item is not None and not item.is_shown:
            mark = mark_of(item.grade)
        if mark is not None:
            return f"{mark.sign} {mark.words}", mark.role
        score = match.result.score if match.result else ""
        return score, "text"
    side = "○" if shown_headline.white else "●"
    if play.game.horizon is None:
        if play.hides_verdict or shown_headline.mover == _TAKE_A_STONE:
            words = lowered(shown_headline.mover)
        else:
            words = shown_headline.result
        role = "text" if play.hides_verdict else shown_headline.role
        return f"{side} {words}", role
    if play.hides_verdict:
        return side, "text"
    if (fifty := play.probe.fifty) is None:
        return shown_headline.result.partition(" ·")[0], shown_headline.role
    kind = KINDS[fifty.category]
    result = position.headline(play.probe, play.game).result.partition(" ·")[0]
    if fifty.category in UNSURE or not result:
        result = kind.words
    return f"{kind.sign} {result}", kind.role


def message(play: AnyPlay, chosen: RatedMove[Any, Any] | None = None) -> Message:
    """Return the sentence of the stage: the setup before the game, then the score, then the values of moves.

    If moves are rated by DTZ, it is that of the move under the cursor, if one is ``chosen``.
    """
    probe = play.probe
    if play.stage == SETUP:
        what = speech_of(play.game.name).called(play.game, play.start)
        later = ""
        if probe.clock:
            later = _(", 50-move counter {fifty_counter}").format(fifty_counter=fifty_counter(probe.clock))
        return Message(
            play.setup.study[0],
            _("{what}, {mover} to move{later}.").format(
                what=what, mover=side_name(play.game.mover(play.start)), later=later
            ),
        )
    if play.stage == REVIEW:
        return _reviewed(play)
    progress = _playing(play)
    if play.hides_verdict or play.hint is not None or play.game.horizon is None:
        return progress
    if play.is_rated_by_dtz_only and chosen is not None:
        return position.move_said(chosen)
    unbuilt = isinstance(probe.problem, NotBuiltError) and not probe.by_dtz
    if not unbuilt and (why := position.explained(probe, False, "")) is not None:
        return why
    if against := warning(play):
        return Message("", capital(against))
    return progress


def _playing(play: AnyPlay) -> Message:
    """Return the course of the game as far as the verdict is not hidden, and the last hint."""
    match = play.match
    speech = speech_of(play.game.name)
    probe = play.probe
    assert match is not None
    if (hint := play.hint) is not None:
        source = ""
        if play.is_estimated:
            source = _("  An estimate.")
        if hint.step is HintStep.PIECE:
            return Message(
                _("Hint"),
                instruct(
                    _("{first_step}; {hint} again shows the move.{source}"),
                    first_step=speech.first_step(match.position, hint.move),
                    source=source,
                ),
            )
        return Message(_("Hint"), f"{play.game.san(match.position, hint.move)}.{source}")
    if match.verdict is None and play.game.horizon is None:
        if speech.in_hand(match.position):
            why = _("tables apply once all stones have been placed")
        else:
            why = _("no table covers this position")
        return Message("", _("Replies and hints are estimates; {why}.").format(why=why))
    if match.with_friend:
        return _two_players(play, match)
    expected = prospect(play)
    if play.hides_verdict:
        source = BY_DTZ if play.is_rated_by_dtz_only else ""
        if play.is_estimated:
            unknown = GUESSED
        else:
            unknown = _("The tables cover this position now and choose the replies.")
        if expected is None:
            began = source or unknown
        else:
            began = f"{expected.began} {source}".rstrip()
        return Message(
            "", began, "text", instruct(_("Moves are graded after the game; {verdict} shows the verdict now."))
        )
    begun = ""
    if expected is not None:
        begun = _("You began in {layer}; ").format(layer=expected.layer or _layer(match.start_verdict))
    if probe.problem is None or probe.fifty is not None:
        return _standing(match, probe, begun)
    played = _("{moves} played").format(
        moves=count(sum(ply.mover == match.you for ply in match.plies), "move", "moves")
    )
    if probe.verdict is None:
        return Message("", _("{played}.  No table covers this position.").format(played=played))
    return Message(_layer(probe.verdict), f"{played}; {ESTIMATES}")


def _two_players(play: AnyPlay, match: AnyMatch) -> Message:
    """Return the players if the verdict is hidden, otherwise the moves that each side has lost."""
    if play.hides_verdict:
        sides = _("You play {you}; your friend plays {opponent}.").format(
            you=side_name(match.you), opponent=side_name(match.opponent)
        )
        return Message(
            "", sides, "text", instruct(_("Moves are graded after the game; {verdict} shows the verdict now."))
        )
    verdict = match.verdict
    if verdict is None:
        heading = ""
    elif verdict.depth is None:
        heading = _("Draw")
    else:
        heading = f"S{verdict.depth}"
    return Message(heading, side_reports(match))


def _standing(match: AnyMatch, probe: AnyKnown, begun: str) -> Message:
    """The layer, or category and DTZ; after ``begun``, where the game began, what your moves have lost."""
    verdict = match.verdict
    tally = match.tally
    moves = sum(ply.mover == match.you for ply in match.plies)
    played = count(moves, "move", "moves") + _(" played")
    changed = ""
    if tally.errors:
        changed = ngettext(
            ", the result changed {number} time", ", the result changed {number} times", tally.errors
        ).format(number=tally.errors)
    if probe.problem is None:
        if verdict is None:
            heading = ""
        elif verdict.depth is None:
            heading = _("Draw")
        else:
            heading = f"S{verdict.depth}"
        if tally.counted_moves == moves:
            lost = _("{moves} lost so far").format(moves=in_moves(tally.plies))
        else:
            lost = _("moves lost: partly unknown")
        if tally.moves < moves:
            lost = _("not all moves graded")
        return Message(heading, f"{begun}{played}, {lost}{changed}.")
    assert probe.fifty is not None
    kind = KINDS[probe.fifty.category]
    words = capital(kind.words)
    if probe.fifty.category is not Category.DRAW:
        words += _(", DTZ {distance}").format(
            distance=distance(probe.fifty.dtz, exact=probe.fifty.precise_dtz is not None)
        )
    if tally.moves < moves:
        played += _(", not all moves graded")
    played += changed
    if not probe.by_dtz:
        return Message(words, f"{played}; {ESTIMATES}", kind.role)
    return Message(words, f"{begun}{played}.", kind.role, BY_DTZ)


def warning(play: AnyPlay) -> str:
    """Return the effect of the 50-move rule on a win or a loss; empty for none."""
    probe = play.probe
    if (fifty := probe.fifty) is not None:
        if fifty.category in (Category.MAYBE_WIN, Category.MAYBE_LOSS):
            if fifty.turn == (fifty.dtz > 0):
                winner = _("White")
            else:
                winner = _("Black")
            return _("{winner} may win: DTZ is rounded, and a single ply decides.").format(winner=winner)
        if fifty.category in UNSURE:
            return rule_verdict(fifty).short
        return ""
    depth = None
    if probe.verdict:
        depth = probe.verdict.depth
    if depth is None or probe.clock is None or probe.category not in UNSURE:
        return ""
    counter = fifty_counter(probe.clock)
    mate = (depth + 1) // 2
    if probe.category in (Category.CURSED_WIN, Category.BLESSED_LOSS):
        return _("mate in {mate} by DTM, but a draw can be claimed first (50-move counter {counter}).").format(
            mate=mate, counter=counter
        )
    return _("mate in {mate} by DTM, but a draw can perhaps be claimed first (50-move counter {counter}).").format(
        mate=mate, counter=counter
    )


def last_said(play: AnyPlay) -> Message:
    """The last move, and what may be claimed."""
    match = play.match
    if match is None or not match.plies:
        return Message()
    last = match.plies[-1].name
    if play.game.horizon is None or (claim := play.claim) is None:
        return Message(_("Last move"), last, "text")
    return Message(
        _("Last move"),
        _("{last}  {control} claims a draw{announced}: {draw}").format(
            last=last, control=control("draw"), announced=announced(match, claim), draw=in_words(claim.draw.value)
        ),
        "text",
    )


def announced(match: AnyMatch, claim: Claim[Any]) -> str:
    """The move with which a draw is claimed, if it needs one."""
    if claim.move is None:
        return ""
    return _(" with {position}").format(position=match.game.san(match.position, claim.move))


def facts(play: AnyPlay, elapsed: float = 0.0, thinker: str = "") -> tuple[Section, Section, Section]:
    """Rules, opponent (``thinker`` where no table knows) and you, who have been thinking for ``elapsed`` seconds."""
    match = play.match
    speech = speech_of(play.game.name)
    assert match is not None
    times = match.tracked.occurrences
    repetition = _("none")
    if times > 1:
        repetition = _("{ordinal} time").format(ordinal=ordinal(times))
    # From the third time on a draw can be claimed in chess; Morris ends the game.
    is_claimable = times >= 3 and play.game.horizon is not None
    repeated = LabelledValue(_("repetition"), repetition, "draw" if is_claimable else "text")
    you = [LabelledValue(_("hints"), str(match.hints)), LabelledValue(_("takebacks"), str(match.takebacks))]
    opponent = [LabelledValue(_("defence"), thinker or in_words(match.defence.value))]
    if match.with_friend:
        opponent = [LabelledValue(_("plays"), _("a friend"))]
        if match.friend_seconds_left is not None:
            # Only the clock of the side to move runs (True counts as 1); rounded up, so that 0 is the end.
            seconds = max(ceil(match.friend_seconds_left - elapsed * (match.mover == match.opponent)), 0)
            opponent.append(_time_left(seconds))
        # With a friend, the time since the last move may be theirs.
        elapsed *= match.mover == match.you
    if match.seconds_left is not None:
        seconds = max(ceil(match.seconds_left - elapsed), 0)
        you.append(_time_left(seconds))
    rules = (repeated,)
    if speech.moves_without:
        rules = (LabelledValue(speech.moves_without, fifty_counter(match.tracked.clock)), repeated)
    return (_("Rules"), rules), (_("Opponent"), tuple(opponent)), (_("You"), tuple(you))


def _time_left(seconds: int) -> LabelledValue:
    """The time left on a clock, coloured as a loss for the last 20 seconds."""
    role = "loss" if seconds < 20 else "text"
    return LabelledValue(pgettext("duration", "time"), clock(seconds), role)


def line(play: AnyPlay, limit: int, thought: Thought | None = None) -> LineText:
    """Return the best line from here, of at most ``limit`` plies, numbered as in the game: by tables or a search."""
    match = play.match
    game = play.game
    current = play.position
    if match is None:
        ply = 0
    elif play.review is None:
        ply = len(match.plies)
    else:
        ply = play.review.at
    first = 1
    if match is not None:
        first = number_of(match, ply)
    white = game.mover(current) == "white"
    if not play.is_estimated:
        names, ends = play.line(limit)
        verdict = play.probe.verdict
        return LineText(tuple(names), white, verdict is None or verdict.category is not Category.LOSS, ends, first)
    names = list[str]()
    moves = () if thought is None else thought.line
    for move in moves:
        names.append(game.san(current, move))
        current = game.play(current, move)
    return LineText(tuple(names), white, True, False, first)


def distances_rows(play: AnyPlay, width: int) -> tuple[TextRow, ...]:
    """Return DTM, DTZ and the 50-move counter in ``width`` columns; no row while the verdict is hidden."""
    probe = play.probe
    if play.shows_verdict and probe.clock is not None:
        return (position.distances_row(probe, None, "", width),)
    return ()


def takes(play: AnyPlay, begun: str, takeable: Iterable[int]) -> list[tuple[int, str, position.MoveGroup]]:
    """Return the stones that the move can take, as :func:`position.takes` does, unless the verdict is hidden."""
    stones = position.takes(play.probe, begun, takeable)
    if play.shows_verdict:
        return stones
    return sorted((point, name, position.NOT_TOLD) for point, name, __ in stones)


# What a search thinks


def estimate(play: AnyPlay, thought: Thought) -> str:
    """An estimate in words that say that it is one; scores are White's."""
    mover = play.game.mover(play.position)
    if thought.mate is not None:
        if (mover == "white") == (thought.mate > 0):
            side = _("White")
        else:
            side = _("Black")
        text = at(speech_of(play.game.name).estimate, abs(thought.mate)).format(side=side)
        if thought.exact:
            return text
        return _("{told} (estimate)").format(told=text)
    # The search scores for the side to move, in hundredths of a pawn; people expect White's view.
    score = thought.score if mover == "white" else -thought.score
    return _("estimate {score} · depth {depth}").format(score=decimal(score / 100, 2, "+"), depth=thought.depth)


def thinking(play: AnyPlay, thought: Thought | None) -> tuple[str, ...]:
    """Return the texts that replace rated moves if no table covers the position: the engine, and its search depth."""
    probe = play.probe
    if thought is None:
        partly = probe.verdict is not None or probe.fifty is not None
        if partly:
            text = _("a table is missing: thinking")
        else:
            text = _("not in any table: thinking")
        return (text,)
    move = ""
    if thought.move is not None:
        move = f"{play.game.san(play.position, thought.move)}  "
    depth = _("depth {depth}, {nodes} positions").format(depth=thought.depth, nodes=grouped(thought.nodes))
    in_tables = ""
    if thought.looked_up:
        in_tables = _("{looked_up} of them in tables").format(looked_up=grouped(thought.looked_up))
    if thought.exact:
        words = _("exact, based on tables and final positions")
    else:
        words = _("an estimate, not a verdict")
    return tuple(
        row for row in (_("{move}by {source}").format(move=move, source=thought.source), depth, in_tables, words) if row
    )


# Afterwards


def _reviewed(play: AnyPlay) -> Message:
    """Return the value of the reviewed move; at the end, the next action."""
    match = play.match
    review = play.review
    probe = play.probe
    assert match is not None and review is not None
    if (item := review.item) is not None:
        if item.is_shown:
            if match.estimated:
                return Message(item.name, _("is the search's move (an estimate)."), "faint")
            return Message(item.name, _("is the table's move."), "faint")
        return Message(item.name, *move_value(play.judge, item))
    claimable = probe.clock is not None and probe.clock >= HORIZON and bool(probe.legal)
    if match.plies and match.plies[-1].is_shown and claimable:
        return Message("", instruct(_("A draw can be claimed here.  {step} step through the game.")))
    yours = match.mover == match.you
    reason = None
    if match.result is not None:
        reason = match.result.reason
    # After these draws the position is still what the tables say of it: it may have been won.
    left_board_as_it_was = reason in (Draw.THREEFOLD, Draw.FIFTY, Draw.FIVEFOLD)
    if play.game.horizon is not None and left_board_as_it_was:
        could = _prospect(play, play.judge.probe(match.position), match.verdict, yours or match.with_friend)
        if could is not None and could.category is Category.WIN:
            mate = ""
            if could.depth is not None:
                mate = _(": mate in {mate}").format(mate=could.mate)
            if match.with_friend:
                claimed = _("{mover} claimed a draw in a won position{mate}.")
                return Message("", claimed.format(mover=side_name(match.mover), mate=mate))
            if yours:
                return Message("", _("You claimed a draw in a won position{mate}.").format(mate=mate))
            return Message("", _("The game was drawn in a won position{mate}.").format(mate=mate))
    slips = len(review.slips)
    if match.with_friend:
        if slips:
            sentence = _("{press} {next_error} to see the errors.")
        else:
            sentence = _("{step} step through the game.")
        advice = capital(instruct(sentence))
        if reason is Termination.AGREED and match.verdict is not None and match.verdict.winner is not None:
            given_away = _("A draw was agreed, but {winner} was winning.")
            advice = f"{given_away.format(winner=side_name(match.verdict.winner))}  {advice}"
        return Message("", advice)
    if slips:
        verdict = _("{moves_were} not the best: {control} {control2} to see which.").format(
            moves_were=count(slips, "move was", "moves were"), control=control("press"), control2=control("next_error")
        )
    else:
        verdict = _flawless(play)
    advice = instruct(_("{step} step through the game."))
    return Message("", f"{verdict}  {advice}")


def what_r_does(play: AnyPlay) -> str:
    """Return the effect of the action "retry" on a finished game."""
    review = play.review
    if review is not None and review.item is not None:
        return instruct(_("{retry_game} plays on from here"))
    moved = any(item.own and not item.is_shown for item in play.plies)
    if moved and play.running_match.with_friend:
        return instruct(_("{retry_game} takes back the last move"))
    if moved:
        return instruct(_("{retry_game} takes back your last move"))
    return instruct(_("{retry_game} plays the game again"))


def _flawless(play: AnyPlay) -> str:
    """That no move lost anything, as far as that is known."""
    match = play.match
    assert match is not None
    yours = sum(item.own and not item.is_shown for item in play.plies)
    tally = match.tally
    if not yours:
        return _("You have no moves to grade.")
    if not tally.moves:
        return _("Your moves could not be graded: no table covers them.")
    if tally.moves < yours:
        return _("{moves} of {yours} moves were graded, and none was an error.").format(moves=tally.moves, yours=yours)
    if tally.counted_moves < tally.moves:
        return _("Every move kept the result.")
    if _any_open(play):
        return _("Every move was best by DTM; only DTZ takes the 50-move counter into account.")
    hints = ""
    if match.hints:
        hints = _(", with {hints}").format(hints=count(match.hints, "hint", "hints"))
    return _("Every move was best{hints}.").format(hints=hints)


def _any_open(play: AnyPlay) -> bool:
    """Whether depth and clock left it open, before any of your moves, what the 50-move rule makes of the position."""
    match = play.match
    rule = play.judge.rule
    if match is None or rule is None:
        return False
    verdicts = [match.start_verdict, *(ply.verdict for ply in match.plies)]
    for ply, verdict in zip(match.plies, verdicts, strict=False):
        depth = 0
        if verdict is not None:
            depth = verdict.depth or 0
        is_late = rule.clock(ply.before) + depth > HORIZON
        if ply.own and not ply.is_shown and is_late and play.judge.probe(ply.before).category in _OPEN:
            return True
    return False


_OPEN: Final = (Category.MAYBE_WIN, Category.MAYBE_LOSS)


def chart(review: ReviewSession[Any, Any], is_over: bool = True) -> tuple[str, str]:
    """Return the texts before and behind the depths of a game, finished or not, or of a past attempt."""

    def layer(depth: int | None) -> str:
        if depth is None:
            return _("draw")
        if depth == UNKNOWN:
            return ""
        return f"S{depth}"

    depths = review.depths
    if depths[-1] == 0:
        end = speech_of(review.judge.game.name).won
    else:
        end = _("end") if is_over else layer(depths[-1])
    return layer(depths[0]), end


def perfect(play: AnyPlay) -> str:
    """How few moves would have done, in few words; empty where there was no win."""
    expected = None
    if play.match is not None:
        expected = prospect(play)
    if expected is None:
        return ""
    return expected.perfect


def file_of(play: AnyPlay) -> Path:
    """Return the default file for a game, named after the ending in which it began."""
    if play.match is None:
        start = play.start
    else:
        start = play.match.start
    # The placing phase is not an ending: such a game is named after the rules.
    if speech_of(play.game.name).in_hand(start):
        name = play.game.name
    else:
        name = name_of(play.game, start)
    return unused_file(play.saved_games.folder, name, date.today())
