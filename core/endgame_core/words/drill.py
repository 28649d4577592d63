"""The sentences of a session: the task, the value of a move, the outcome of a drill, and the summary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final, NamedTuple

from endgame_core.controls import control, instruct
from endgame_core.game_state import Win
from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.language import _, decimal, ngettext, side_name
from endgame_core.practice.drills import Answer, WinGoal
from endgame_core.practice.goals import HOLD_MOVES, SOLUTION_SHOWN, GameGoal
from endgame_core.practice.match import Hint, HintStep, Match, Ply
from endgame_core.practice.path import learner_rating
from endgame_core.practice.stars import STARS
from endgame_core.practice.streak import Streak
from endgame_core.practice.theme import DrillMode
from endgame_core.tasks.review import ReviewSession
from endgame_core.tasks.training_session import (
    AnyDrill,
    AnyQuestion,
    DrillResult,
    Stage,
    TrainingSession,
)
from endgame_core.values import Category, opposite_side
from endgame_core.words.game_report import (
    MoveRow,
    best_names,
    best_told,
    move_value,
    names_a_piece,
    number_of,
    ply_of,
    rows_of,
)
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import numbered
from endgame_core.words.practice import KIND_NAMES, in_days, level_words
from endgame_core.words.text_model import (
    TextRow,
    TextSpan,
    at,
    capital,
    count,
    in_moves,
    in_words,
    moves_of_plies,
    note,
    tick,
    to_move,
)
from endgame_core.words.text_model import clock as clock_words


class _Task(NamedTuple):
    """The texts of a drill: its heading, the possible result, the task, and the condition for solving it."""

    head: str
    start: str
    opening: str
    aim: str


_TASKS = {
    GameGoal.WIN: _Task("{task}", "{win}", _("{you} and should win: {possible}."), _("Goal: {conversion}.")),
    GameGoal.FEWEST: _Task(
        "{task}",
        "{win}",
        _("{you} and should win: {possible}."),
        _("Goal: {winning} in the fewest moves, without help."),
    ),
    GameGoal.DRAW: _Task(
        _("Hold the draw"),
        _("a draw to hold"),
        _("{you}: hold the draw."),
        _("Goal: hold the draw for {hold_moves} moves.").format(hold_moves=HOLD_MOVES),
    ),
    GameGoal.LAST: _Task(
        _("Hold out"),
        _("{ends} at best"),
        _("{you} and losing: try to hold out for {moves}."),
        _("Goal: survive {hold_moves} moves, or lose at most {{lost}} before you are {{losing}}.").format(
            hold_moves=HOLD_MOVES
        ),
    ),
    GameGoal.MOVE: _Task(
        _("Only move"),
        "",
        _("{you}: only one move keeps the result."),
        _("Goal: find that move."),
    ),
    GameGoal.ANY: _Task(_("Play it out"), "", "{you}.", _("Goal: do not lose.")),
}


def _task(drill: AnyDrill) -> _Task:
    depth = drill.start.perfect or 0
    speech = speech_of(drill.match.game.name)
    conversion = _conversion(drill)
    values = {
        "you": _("You are {learner}").format(learner=side_name(drill.start.learner)), "lost": in_moves(drill.allowed),
        "task": speech.task if conversion == speech.winning else _("Win"),
        "winning": speech.winning, "losing": speech.losing, "conversion": conversion,
        "moves": count((depth + 1) // 2, "move", "moves"), "possible": at(speech.possible, depth),
        "win": at(speech.ends[1], depth), "ends": at(speech.ends[0], depth),
    }  # fmt: skip
    return _Task(*(part.format(**values) for part in _TASKS.get(drill.goal, _TASKS[GameGoal.ANY])))


_RESULTS = {Category.WIN: _("a win"), Category.DRAW: _("a draw"), Category.LOSS: _("a loss")}

TIME_IS_UP = _("time is up.")
SHOWN = _("the table shows the solution; {step} step through it.")
NOTHING_BETTER = _("no move was better: the game is over.")
NO_MOVE = _("there is no move to make.")
TAKE = _("choose the stone to take; {press} {cancel_take} to cancel.")
NOT_YET = _("finish this drill first; {press} {show} to see the solution.")
ONE_SITTING = _("a session is already running; {press} {leave} to leave it.")
NOT_IN_A_TEST = _("each position comes up only once here: play a move, or leave.")
SHALL_I_LEAVE = _("Leave this drill? It will count as unsolved.")


# Which drill it is, and how far it has come


def crumbs(session: TrainingSession, narrow: bool = False) -> tuple[str, ...]:
    """Return the theme of the session and its progress; on narrow screens, which show no facts, also the level."""
    title = session.plan.title
    if session.stage is Stage.SUMMARY:
        return title, _("summary")
    if session.streak is not None:
        return title, f"{session.number}"
    number = ()
    if session.total > 1:
        number = (_("{number} of {total}").format(number=session.number, total=session.total),)
    level = session.level if narrow else None
    if level is None:
        return (title, *number)
    return (title, *number, _("level {level_words}").format(level_words=level_words(level)))


def clock(session: TrainingSession) -> str:
    """The clock, and the plies lost; nothing at the end."""
    if session.stage is Stage.SUMMARY:
        return ""
    lost = 0
    if session.drill is not None:
        lost = session.drill.match.plies_lost
    time = clock_words(_clock_seconds(session))
    if lost:
        return f"{time} +{moves_of_plies(lost)}"
    return time


def _clock_seconds(session: TrainingSession) -> float:
    """The remaining time of a streak; in other sessions the time used for the current drill."""
    if session.streak is not None:
        return session.streak.seconds_left
    return session.elapsed


def title(session: TrainingSession) -> TextRow:
    """Return the theme of the drill, and the clock."""
    theme = session.task.theme
    drill = session.drill
    if drill is None:
        head = _("Win/draw/loss?")
    else:
        head = _task(drill).head
    if theme.study:
        subject = theme.words
    else:
        subject = f"{theme.ending}, {theme.words}"
    if theme.has_window and not session.game.ends_in_mate:  # where depths are plies, their layers say it shortly
        subject = f"{theme.ending}, S{theme.low}–S{theme.high}"
    if _hides_name(session) or (theme.mode is DrillMode.HOLD and not theme.study):
        subject = theme.ending
    elif theme.mode in (DrillMode.CALL, DrillMode.ONLY) and not theme.study:
        if theme.kind:
            subject = f"{theme.ending}, {KIND_NAMES[theme.kind]}"
        else:
            subject = theme.ending
    seconds = _clock_seconds(session)
    is_late = session.streak is not None and seconds < 20
    heading = (TextSpan(head, bold=True), TextSpan(f"  {subject}", "dim"))
    role = "loss" if is_late else "text"
    return TextRow(heading, (TextSpan(clock_words(seconds), role),))


def _hides_name(session: TrainingSession) -> bool:
    """Whether the name of the study would give the answer away: before a question about it is answered."""
    drill = session.drill
    asks = drill is None or drill.goal is GameGoal.MOVE
    return bool(session.task.theme.study) and asks and session.stage is not Stage.OVER


def ticks(session: TrainingSession, width: int) -> tuple[TextRow, ...]:
    """Return the finished, current and remaining drills as marks, and how many are solved."""
    done = session.counted_results
    if session.streak is not None:
        right = streak_length(session.streak)
    elif session.total == 1 and not done:
        return ()
    else:
        right = ""
        if done:
            right = _("{done} of {done2} solved").format(done=sum(result.solved for result in done), done2=len(done))
    marks = [tick(result.solved) for result in done]
    if session.stage is not Stage.OVER:
        marks.append(TextSpan("▸ ", "amber", True))
    room = max((width - len(right) - 2) // 2, 1)
    # In a long session the last marks are in sight; what is left of the room shows drills to come.
    marks = marks[-room:]
    remaining = max(session.total - session.number, 0)
    marks += [TextSpan("· ", "faint")] * min(remaining, room - len(marks))
    return (TextRow(tuple(marks), (TextSpan(right, "dim"),)),)


def streak_length(streak: Streak[Any, Any]) -> str:
    """Return how many drills of a streak were solved: ``5 in a row``."""
    return _("{streak_count} in a row").format(streak_count=streak.count)


def facts(session: TrainingSession, width: int) -> tuple[TextRow, ...]:
    """Return the side to move, the possible result and the moves lost, or the outcome."""
    head = _headline(session)
    if session.streak is not None:
        rating = str(round(session.streak.rating.rating))
        if session.item_score is not None and round(session.item_score.change):
            rating += f" ({round(session.item_score.change):+d})"
        return head, _fact(_("Rating"), rating)
    drill = session.drill
    level = session.level
    levels = ()
    if level is not None:
        levels = (_fact(_("Level"), level_words(level)),)
    if session.placement is not None:
        return (head, *_learner_level(session))
    if drill is None:
        return (head, *levels)
    lost = moves_of_plies(drill.match.plies_lost)
    start = _task(drill).start
    lost_fact = _fact(_("Moves lost"), lost)
    if drill.blunders:
        if drill.goal in (GameGoal.WIN, GameGoal.FEWEST):
            result = _("the win")
        else:
            result = _("the result")
        lost_fact = _fact(_("Thrown away"), result, "loss")
    hints = str(drill.match.hints)
    if drill.match.takebacks:
        takebacks = drill.match.takebacks
        hints += ngettext(", {number} move taken back", ", {number} moves taken back", takebacks).format(
            number=takebacks
        )
    notes = [head]
    if start:
        notes.append(_fact(_("Start"), start))
    if drill.goal in (GameGoal.DRAW, GameGoal.LAST):
        match = drill.match
        own = sum(ply.mover == match.you and not (ply.grade and ply.grade.kind.is_error) for ply in match.played)
        moves_held = _("{own} of {hold_moves} moves").format(own=own, hold_moves=HOLD_MOVES)
        notes.append(_fact(_("Held"), moves_held))
    if drill.blunders or drill.goal not in (GameGoal.DRAW, GameGoal.MOVE):
        notes.append(lost_fact)
    notes += [_fact(_("Hints"), hints), *levels]
    return tuple(notes)


def _learner_level(session: TrainingSession, is_last: bool = True) -> tuple[TextRow, ...]:
    """The learner's rating and, with ``is_last``, how the last position changed it."""
    rating = learner_rating(session.journal, session.game.name)
    if rating is None:
        return ()
    change = 0
    if is_last:
        change = round(session.rating_change)
    level = str(round(rating.rating))
    if change:
        level += f" ({change:+d})"
    return (_fact(_("Your level"), level),)


def _fact(label: str, value: str, role: str = "text") -> TextRow:
    return TextRow((TextSpan(label, "dim"),), (TextSpan(value, role),))


def _headline(session: TrainingSession) -> TextRow:
    """Return the side to move and the move number, or the outcome and the day on which the drill is due again."""
    drill = session.drill
    over = session.stage is Stage.OVER
    if over and session.results and (drill is not None or session.streak is None):
        done = session.results[-1]
        due = ""
        if done.due is not None:
            due = _("due {in_days}").format(in_days=in_days(done.due, session.journal.clock()))
        return TextRow((TextSpan(*_verdict(done), bold=True),), (TextSpan(due),))
    side = TextSpan(to_move(session.mover), bold=True)
    if drill is None:
        return TextRow((side,))
    return TextRow(
        (side,), (TextSpan(_("move {number_of}").format(number_of=number_of(drill.match, len(drill.match.plies)))),)
    )


def _verdict(done: DrillResult) -> tuple[str, str]:
    """``Solved`` or ``Not solved``, and its role."""
    if done.solved:
        return (f"Solved  {_stars(done)}".rstrip(), "win")
    return (_("Not solved"), "loss")


# What is to be done, and what a move was worth


def comment(session: TrainingSession, rows: int = 2) -> tuple[TextRow, ...]:
    """Return the value of the last move, then the task or the outcome.

    In one row, that a drill can no longer be solved replaces the value of the last move.
    """
    if session.stage is Stage.SUMMARY:
        return ()
    if session.question is not None:
        return _about_question(session, session.question)
    drill = session.drill
    assert drill is not None
    match = drill.match
    if session.variation_start is not None and session.review is not None:
        return _about_variation(session, match, session.review)
    if session.review is None:
        plies = match.plies
    else:
        plies = match.plies[: session.review.at]
    # The learner's last move, even if the defender has replied since.
    ply = next((ply for ply in reversed(plies) if ply.own and not ply.is_shown), None)
    last = ()
    if ply is not None:
        last = (_move_value(match.judge, ply),)
    if session.stage is not Stage.OVER:
        task = _task(drill)
        aim = task.aim
        first = last[0] if last else note(task.opening)
        if match.last_hint is None:
            hinted = first
        else:
            hinted = _hint(session, match, match.last_hint)
        if session.task.is_decided:
            return hinted, note(
                instruct(_("Trying again does not change the result. {offer_copy_or_next}.")),
                "dim",
            )
        is_idea = match.last_hint is not None and match.last_hint.step is HintStep.IDEA
        if is_idea and match.hints == 1 and _note_of(session):
            return (hinted,)  # the note of a study needs two rows
        if match.hints and not session.offers_copy:
            aim = _("Hint used (counts as help). {aim}").format(aim=aim)
        if rows < 2 and session.offers_copy and match.last_hint is None:
            return (note(_("Not solved: {spoiling}").format(spoiling=_spoiling(drill)), "loss"),)
        if session.offers_copy:
            second_row = note(_spoilt(drill), "loss")
        else:
            second_row = note(aim, "dim")
        return hinted, second_row
    done = session.current_result
    study = session.item.study
    if done is None:
        became = TextRow()
    else:
        became = note(outcome(drill, done), _verdict(done)[1])
    if done is not None and session.can_retry and session.refutation and last:  # the move said what it threw away
        became = note(_("Not solved."), _verdict(done)[1])
    if done is not None:
        if session.can_retry:
            more = _after_mistake(session)
        else:
            more = _offer_copy()[: session.offers_copy]
        became = TextRow((*became.left, TextSpan(_level_now(session)), *more))
    if session.shows_line:
        return TextRow((TextSpan(_("Best  "), bold=True), TextSpan(_line(drill)))), became
    if study is None or not study.note:
        return *last, became
    comment_on_study = _note_of(session)
    if session.review is None and done is not None and done.solved:
        last = ()
    return *last, became, note(comment_on_study, "dim")


def _about_variation(
    session: TrainingSession, match: Match[Any, Any], review: ReviewSession[Any, Any]
) -> tuple[TextRow, ...]:
    """Return the value of the tried move, and how the value of the position has changed since the first try."""
    tried = review.items[review.at - 1]
    first = review.items[session.variation_start or 0]
    before = _value(session, first.before)
    after = _value(session, tried.after)
    if before != after:
        change = f"{before} → {after}"
    else:
        change = _("{after}, as before").format(after=after)
    keys = instruct(_("{step}: step, {explore_here}: open in Explore."))
    return _move_value(match.judge, tried), TextRow(
        (TextSpan(_("What if: {change}.  ").format(change=change)), TextSpan(keys, "dim"))
    )


def _value(session: TrainingSession, position: Any) -> str:
    """Return who wins a position, and how soon: ``White mates in 9``, ``a draw``; or that no table knows it."""
    game = session.game
    verdict = game.terminal(position) or session.judge.probe(position).verdict
    if verdict is None:
        return _("not in any table")
    if verdict.depth is None or verdict.winner is None:
        return _("a draw")
    winner = side_name(verdict.winner)
    speech = speech_of(game.name)
    if verdict.depth:
        return at(speech.estimate, verdict.depth).format(side=winner)
    return _("{winner} has won").format(winner=winner)


def _offer_copy() -> tuple[TextSpan, ...]:
    """The offer of a new position of the same kind."""
    return (TextSpan(instruct(" {offer_copy}."), "dim"),)


def _level_now(session: TrainingSession) -> str:
    """The level, where it has changed with the drill."""
    level = session.level
    was = session.level_before
    if level is None or was == level:
        return ""
    return _(" New level: {level_words}.").format(level_words=level_words(level))


def passed(session: TrainingSession) -> str:
    """Return the outcome of an item of a streak as a sentence, which is shown with the next item."""
    return comment(session)[0].text


def _move_value(judge: Judge[Any, Any], ply: Ply[Any, Any]) -> TextRow:
    """Return the value of the learner's ply, and a better move."""
    return TextRow((TextSpan(f"{ply.name}  ", bold=True), TextSpan(*move_value(judge, ply))))


def hint_steps(session: TrainingSession, move: Any) -> tuple[HintStep, ...]:
    """Return the steps of a hint about a move that each add something.

    An idea that every legal move has adds nothing. Nor does the piece if no other one can move, or none with this idea.
    """
    drill = session.drill
    if drill is None:
        return (HintStep.MOVE,)
    match = drill.match
    speech = speech_of(match.game.name)
    moves = match.game.moves(match.position)
    idea = speech.idea(match.explorer, match.position, move)
    # The moves that the steps so far leave open; a step that does not narrow them adds nothing.
    candidates = list(moves)
    steps: list[HintStep] = []
    if _note_of(session) and not match.hints:
        steps.append(HintStep.IDEA)
    elif idea:
        alike = [other for other in moves if speech.idea(match.explorer, match.position, other) == idea]
        if len(alike) < len(moves):
            steps.append(HintStep.IDEA)
            candidates = alike
    if names_a_piece(match.game, match.position, candidates):
        steps.append(HintStep.PIECE)
    return (*steps, HintStep.MOVE)


def _note_of(session: TrainingSession) -> str:
    """Return the note of the study, about the copy of its position in which the drill began; empty for none."""
    study = session.item.study
    if study is None or not study.note:
        return ""
    game = session.game
    return speech_of(game.name).retold(study.note, game.parse(study.position), session.task.start.position)


def _hint(session: TrainingSession, match: Match[Any, Any], hint: Hint[Any]) -> TextRow:
    """A hint at its step: the note of the study or the idea, the piece, the move."""
    speech = speech_of(match.game.name)
    again = {
        HintStep.PIECE: instruct(_("; {hint} again shows the piece.")),
        HintStep.MOVE: instruct(_("; {hint} again shows the move.")),
        None: ".",
    }[match.next_hint_step]
    note = _note_of(session)
    if hint.step is HintStep.IDEA and note and match.hints == 1:
        words = note
    elif hint.step is HintStep.IDEA:
        words = capital(f"{speech.idea(match.explorer, match.position, hint.move)}{again}")
    elif hint.step is HintStep.PIECE:
        words = capital(f"{speech.first_step(match.position, hint.move)}{again}")
    else:
        words = f"{match.game.san(match.position, hint.move)}."
    return TextRow((TextSpan(_("Hint  "), "amber", True), TextSpan(words)))


def score(session: TrainingSession) -> tuple[MoveRow, ...]:
    """The moves in rows, the learner's with their grades; nothing of a question."""
    if session.drill is None:
        return ()
    items = [*session.drill.match.plies, *session.refutation]
    if session.variation_start is not None and session.review is not None:
        items = list(session.review.items)
    return tuple(replace(row, slip="") for row in rows_of(items))


def prompt(session: TrainingSession) -> tuple[int, str] | None:
    """The number of the move to come, and how it is made; None when none is to come."""
    drill = session.drill
    if drill is None or session.stage is not Stage.DRILL or not drill.match.your_turn:
        return None
    return number_of(drill.match, len(drill.match.plies)), control("make_move")


# What became of it


_ROOM_AFTER_MISTAKE: Final = 66
"""Columns for the reason of a mistake and its refutation, so that they fit one row at 80 columns."""


def outcome(drill: AnyDrill, done: DrillResult) -> str:
    """Why it was solved or not, in a sentence."""
    reason = drill.standing.why or done.why
    if reason == SOLUTION_SHOWN:
        return _("Not solved: solution shown.")
    is_by = reason in (Win.STONES, Win.BLOCKED)
    why = _reason(drill, reason)
    if done.solved:
        if is_by:
            solved = _("Solved by {why}{quality}.")
        else:
            solved = _("Solved: {why}{quality}.")
        return solved.format(why=why, quality=_quality(drill, done))
    if drill.standing.reached and drill.standing.why != done.why:  # missed at first, then tried again
        return _("Right this time: {why}. The first try counts as not solved.").format(why=why)
    if drill.standing.reached:
        spoiling = _spoiling(drill)
        if not spoiling:
            missed = _("Not solved: {why}, but the game was already decided.")
        elif is_by:
            missed = _("Not solved: won by {why}, but with {spoiling}.")
        else:
            missed = _("Not solved: {why}, but with {spoiling}.")
        return missed.format(why=why, spoiling=spoiling)
    return _("Not solved: {why}.").format(why=why)


def _reason(drill: AnyDrill, reason: str) -> str:
    """Why a drill ended, from what the journal keeps of it."""
    match = drill.match
    if drill.goal is GameGoal.LAST and match.result is not None and match.result.winner == match.opponent:
        moves = sum(ply.own for ply in match.played)
        return _("you held out for {moves}").format(moves=count(moves, "move", "moves"))
    return in_words(reason)


def _after_mistake(session: TrainingSession) -> tuple[TextSpan, ...]:
    """Why the move was a mistake, as far as the refutation shows it, the refutation, and what may be done."""
    drill = session.drill
    line = session.refutation
    if drill is None or not line:
        return (TextSpan(instruct(" {offer_retry}."), "dim"),)
    match = drill.match
    fault = _fault(session)
    reason = _(" Then")
    if fault:
        reason = _(" It {fault}:").format(fault=fault)
    keys = instruct("{offer_steps}.")
    moves = ""
    for plies in (4, 3, 2):  # as many as one row has room for
        moves = numbered([ply.san for ply in line[:plies]], ply_of(match, len(match.plies)))
        if len(reason) + len(moves) + len(keys) <= _ROOM_AFTER_MISTAKE:
            break
    return TextSpan(f"{reason} {moves}"), TextSpan(keys, "dim")


def _fault(session: TrainingSession) -> str:
    """Why the learner's move was a mistake, ``loses the rook``; found once, as it may take a search."""
    if session.mistake_reason is None:
        mistake = session.mistake
        session.mistake_reason = ""
        if mistake is not None:
            refutation = session.best_play(mistake.after)
            missed = session.best_play(mistake.before)
            speech = speech_of(session.game.name)
            session.mistake_reason = speech.fault(session.explorer, (mistake.before, mistake.move), refutation, missed)
    return session.mistake_reason


def _quality(drill: AnyDrill, done: DrillResult) -> str:
    """How well a drill was solved, to follow why: its stars, moves lost and help."""
    parts = []
    if done.lost:
        parts = [_("{moves} lost").format(moves=in_moves(done.lost))]
    if done.hints:
        parts += [count(done.hints, "hint", "hints")]
    takebacks = drill.match.takebacks
    if takebacks:
        parts += [count(takebacks, "move taken back", "moves taken back")]
    if done.stars == STARS:
        parts = [_("perfect")]
    if parts:
        return f", {', '.join(parts)}"
    return ""


def _spoiling(drill: AnyDrill) -> str:
    """Return the reason why a drill cannot be solved in the fewest moves; empty if it can."""
    match = drill.match
    spoilt = []
    if match.plies_lost and not match.errors:
        spoilt = [_("{moves} lost").format(moves=in_moves(match.plies_lost))]
    if match.errors:
        spoilt += [count(match.errors, "error", "errors")]
    if match.hints:
        spoilt += [count(match.hints, "hint", "hints")]
    if match.takebacks:
        spoilt += [_("a move taken back")]
    return ", ".join(spoilt)


def _spoilt(drill: AnyDrill) -> str:
    """That a drill that goes on can no longer be solved, and what may be done."""
    return instruct(_("Not solved: {reason}. {offer_copy}."), reason=_spoiling(drill))


def _conversion(drill: AnyDrill) -> str:
    """Return the condition that solves a drill in a won position."""
    speech = speech_of(drill.match.game.name)
    converts = drill.win_goal is WinGoal.WIN and speech.can_convert(drill.match.start, drill.match.you)
    if converts:
        return speech.conversion
    return speech.winning


def _stars(done: DrillResult) -> str:
    """The stars of a drill, ``★★☆``; empty where it has none."""
    if done.stars:
        return "★" * done.stars + "☆" * (STARS - done.stars)
    return ""


def _line(drill: AnyDrill) -> str:
    """Return the table's line from the learner's first move that changed the result, or from the current position."""
    match = drill.match
    number = next(
        (n for n, p in enumerate(match.plies) if p.mover == match.you and p.grade and p.grade.kind.is_error),
        len(match.plies),
    )
    if number < len(match.plies):
        position = match.plies[number].before
    else:
        position = match.position
    line = match.judge.line(position, 12, metric=DEPTH_UNDER_RULE)
    if line.problem is None:
        return numbered(line.sans, ply_of(match, number))
    return str(line.problem)


# Questions


def _about_question(session: TrainingSession, question: AnyQuestion) -> tuple[TextRow, ...]:
    mover = side_name(session.mover)
    if session.stage is Stage.OVER:
        depth = question.start.perfect
        right = question.standing.reached
        speech = speech_of(session.game.name)
        won = question.start.category is Category.WIN
        layer = ""
        if depth is not None:
            layer = f"{capital(at(speech.ends[won], depth))}. "
        best = best_names(Judge(question.explorer).probe(question.start.position).by_depth)
        idea = _note_of(session)
        answered = TextSpan(_("No: "), "loss", True)
        if right:
            answered = TextSpan(_("Right: "), "win", True)
        truth = TextRow(
            (
                answered,
                TextSpan(_("it is {call}.").format(call=_call(question.truth, mover))),
                TextSpan(_level_now(session)),
            )
        )
        if best:
            text = f"{layer}{best_told(best, question.start.category)}."
        else:
            text = layer
        line = note(text, "dim")
        if idea:
            return (truth, line, note(idea, "dim"))
        return (truth, line)
    if session.answered_result is not None:
        call = _call(Answer(session.answered_result), mover)
        opponent = side_name(opposite_side(session.mover))
        ask = _("{call}. Would the result change with {opponent} to move? {control}").format(
            call=call, opponent=opponent, control=control("yes_or_no")
        )
        return (note(capital(ask)),)
    ask = note(_("{mover} to move: {control}").format(mover=mover, control=control("call")))
    # The other side cannot be to move, for example because it would be in check.
    if question.truth.turn_matters is None:
        return (ask,)
    return (ask, note(_("Then: does it matter whose turn it is?"), "dim"))


def _call(answer: Answer, mover: str) -> str:
    """An answer as a sentence about the side to move."""
    opponent = side_name(opposite_side(mover.lower()))
    decides = {
        True: _(", but not with {opponent} to move").format(opponent=opponent),
        False: _(", whoever is to move"),
        None: "",
    }[answer.turn_matters]
    if answer.result is Category.DRAW:
        return _("a draw{decides}").format(decides=decides)
    return _("{results} for {mover}{decides}").format(results=_RESULTS[answer.result], mover=mover, decides=decides)


def question_rows(session: TrainingSession) -> tuple[TextRow, ...]:
    """The question, its answers, and once it was answered the truth; nothing in a drill with moves."""
    question = session.question
    called = session.answered_result
    answer = session.answer
    if question is None:
        return ()
    mover = side_name(session.mover)
    truth = question.truth
    answers = (
        ("w", _("{mover} wins").format(mover=mover), Category.WIN),
        ("d", _("a draw"), Category.DRAW),
        ("l", _("{mover} loses").format(mover=mover), Category.LOSS),
    )
    over = question.standing.over
    chosen = answer.result if answer is not None else called
    notes = [note(_("Result"), bold=True)]
    notes += [_answer(key, text, value is chosen, over, value is truth.result) for key, text, value in answers]
    if truth.turn_matters is None or (called is None and answer is None):
        return tuple(notes)
    says_it_matters = None
    if answer is not None:
        says_it_matters = answer.turn_matters
    notes += [
        TextRow(),
        note(
            _("And with {opposite_side} to move?").format(opposite_side=side_name(opposite_side(session.mover))),
            bold=True,
        ),
    ]
    notes.append(_answer("y", _("a different result"), says_it_matters is True, over, truth.turn_matters))
    notes.append(_answer("n", _("the same result"), says_it_matters is False, over, not truth.turn_matters))
    return tuple(notes)


def _answer(key: str, text: str, chosen: bool, over: bool, right: bool) -> TextRow:
    mark = ""
    role = "amber" if chosen else "text"
    if over:
        if right:
            mark = "✓"
            role = "win"
        elif chosen:
            mark = "✗"
            role = "loss"
        else:
            mark = ""
            role = "dim"
    return TextRow((TextSpan(f" {key}  ", "text", not over), TextSpan(text, role, chosen)), (TextSpan(mark, role),))


# At the end


def summary(session: TrainingSession, height: int, width: int = 80) -> tuple[TextRow, ...]:
    """Return the results of the session, drill by drill, and the next due date, in at most ``height`` rows."""
    done = session.counted_results
    now = session.journal.clock()
    notes = [*_result(session), TextRow()]
    tail = _next_due(session)
    # The last drills of a long session: the figures above count all.
    room = height - len(notes) - len(tail) - 1
    for result in done[max(len(done) - room, 0) :]:
        theme = result.theme
        if theme.study:
            name = theme.words
        else:
            name = f"{theme.ending}  {theme.words}"
        if result.errors:
            quality = _("thrown away")
        else:
            quality = _stars(result)
        due = ""
        if result.due is not None:
            due = in_days(result.due, now)
        right = (TextSpan(quality, "dim"), TextSpan(due.rjust(11), "dim"))
        if len(name) + len(quality) + 15 > width:  # the tick and the gap take four columns
            right = (TextSpan(due or quality, "dim"),)
        notes.append(TextRow((tick(result.solved), TextSpan(name)), right))
    return (*notes, TextRow(), *tail)


def _result(session: TrainingSession) -> tuple[TextRow, ...]:
    """How many were solved, what they lost, how long it took."""
    if (streak := session.streak) is not None:
        rating = TextSpan(_("rating {rating}").format(rating=round(streak.rating.rating)))
        return (TextRow((TextSpan(streak_length(streak), bold=True),), (rating,)),)
    done = session.counted_results
    if session.placement is not None:
        right = sum(result.solved for result in done)
        heading = note(
            _("{right} of {positions} correct").format(
                right=right, positions=count(len(done), "position", "positions")
            ),
            bold=True,
        )
        return (
            heading,
            *_learner_level(session, is_last=False),
            note(capital(instruct(_("{press} {learn_next} to see what to learn next."))), "dim"),
        )
    head = note(
        _("{drills}, {done} solved").format(
            drills=count(len(done), "drill", "drills"), done=sum(result.solved for result in done)
        ),
        bold=True,
    )
    if not done:
        return (head,)
    seconds = sum(result.seconds for result in done)
    clock = (TextSpan(clock_words(seconds), "dim"),)
    rows = [TextRow(head.left, clock)]
    thrown = sum(result.errors > 0 for result in done)
    # After an error the number of moves lost has no meaning: the result is another one.
    moves_lost = [result.lost for result in done if not result.errors]
    if thrown:
        rows.append(note(_("{results} thrown away").format(results=count(thrown, "result", "results")), "dim"))
    if sum(moves_lost):
        rows.append(
            note(_("{kept} moves lost per drill").format(kept=decimal(sum(moves_lost) / 2 / len(moves_lost))), "dim")
        )
    elif not thrown and any(result.theme.mode is not DrillMode.CALL for result in done):
        rows.append(note(_("no moves lost"), "dim"))
    if hints := sum(result.hints for result in done):
        rows.append(note(count(hints, "hint", "hints"), "dim"))
    return tuple(rows)


def _next_due(session: TrainingSession) -> tuple[TextRow, ...]:
    """Return the numbers of drills that are due now and in the next days."""
    progress = session.course.progress
    if progress is None:
        return ()
    names = (_("now"), _("tomorrow"), _("in 2 days"), _("in 3 days"), _("in 4 days"), _("in 5 days"), _("in 6 days"))
    coming = [f"{due} {name}" for due, name in zip(progress.due, names, strict=False) if due][:3]
    return (TextRow((TextSpan(_("Next due  "), "dim"), TextSpan(", ".join(coming) or _("nothing this week")))),)
