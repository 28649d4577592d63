"""Turns a sitting into what each panel of the Drill screen shows."""

from __future__ import annotations

from collections.abc import Sequence

from endgame_core.practice.course import Course
from endgame_core.practice.drills import Call
from endgame_core.practice.goals import HOLD_MOVES, Goal
from endgame_core.practice.theme import Mode, game_of
from endgame_core.values import Category
from endgame_core.words.numbers import count
from endgame_core.words.played import mark_of, number_of, side_name
from endgame_core.words.told import Mark, Note, Word
from endgame_tui import drill_words as words
from endgame_tui.look import Glyphs
from endgame_tui.practise_scenes import in_days
from endgame_tui.sitting import AnyDrill, AnyQuestion, Done, Sitting
from endgame_tui.widgets.score import ScoreRow, ScoreView

_HEADS = {
    Goal.DRAW: "Hold it", Goal.LAST: "Last", Goal.MOVE: "Only move", Goal.ANY: "Play it",
}  # fmt: skip


_ROOM = 40
"""Columns of the panels from which on there is room for all words."""


def crumbs(sitting: Sitting, glyphs: Glyphs) -> tuple[str, ...]:
    """What the sitting is about, and how far it has come."""
    title = glyphs.plain(sitting.order.title)
    if sitting.streak is not None:
        return title, f"{sitting.number}"
    return (title,) if sitting.total < 2 else (title, f"{sitting.number} of {sitting.total}")


def title(sitting: Sitting, glyphs: Glyphs) -> tuple[Note, ...]:
    """What is drilled, and the clock."""
    theme = sitting.task.theme
    drill = sitting.drill
    head = "Call it" if drill is None else _HEADS.get(drill.goal, sitting.speech.task)
    about = theme.label if theme.study else f"{theme.ending}, {theme.label}"
    if theme.has_window and game_of(theme.ending) != "chess":  # where depths are plies, their layers say it shortly
        about = f"{theme.ending}, S{theme.low}–S{theme.high}"
    if theme.mode in (Mode.CALL, Mode.ONLY) and not theme.study:
        about = theme.ending
    clock = words.clock_words(sitting.seconds)
    late = sitting.streak is not None and sitting.seconds < 20
    return (Note((Word(head, bold=True), Word(f"  {about}", "dim")), (Word(clock, "loss" if late else "text"),)),)


def ticks(sitting: Sitting, width: int, over: bool) -> tuple[Note, ...]:
    """The drills so far, the one at hand, those to come; how many were solved."""
    done = [found for found in sitting.done if found.counts]
    solved = sum(found.solved for found in done)
    if sitting.streak is not None:
        right = f"{sitting.streak.count} in a row"
    elif sitting.total == 1 and not done:
        return ()
    else:
        right = f"{solved} of {len(done)} solved" if done else ""
    marks = [Word("✓ " if found.solved else "✗ ", "win" if found.solved else "loss") for found in done]
    if not over:
        marks.append(Word("▸ ", "amber", True))
    room = max((width - len(right) - 2) // 2, 1)
    marks = marks[-room:]
    left = max(sitting.total - sitting.number, 0)
    marks += [Word("· ", "faint")] * min(left, room - len(marks))
    return (Note(tuple(marks), (Word(right, "dim"),)),)


def facts(sitting: Sitting, width: int, glyphs: Glyphs, over: bool) -> tuple[Note, ...]:
    """Whose move it is, what was possible, what was lost; or what became of it."""
    drill = sitting.drill
    if drill is None:
        return _question_facts(sitting, glyphs, over)
    match = drill.match
    lost = words.plies_words(drill.plies_lost)
    if drill.errors:
        lost = "the win" if drill.goal is Goal.WIN else "the result"
    hints = str(drill.recorder.hints)
    if drill.recorder.takebacks:
        hints += f", {drill.recorder.takebacks} taken back"
    notes = [
        _headline(sitting, drill, glyphs, over),
        _fact("Start", words.start_words(drill, width)),
        _fact("Lost so far" if not over else "Lost", lost, "loss" if drill.errors else "text"),
        _fact("Hints", hints),
    ]
    if sitting.streak is not None:
        return (notes[0], *_rating(sitting))
    if drill.goal in (Goal.DRAW, Goal.LAST):
        own = sum(ply.mover == match.you and not (ply.grade and ply.grade.kind.is_error) for ply in match.played)
        notes.insert(2, _fact("Held", f"{own} of {HOLD_MOVES} moves"))
    return tuple(notes)


def _fact(label: str, value: str, role: str = "text") -> Note:
    return Note((Word(label, "dim"),), (Word(value, role),))


def _headline(sitting: Sitting, drill: AnyDrill, glyphs: Glyphs, over: bool) -> Note:
    match = drill.match
    if over and sitting.done:
        word, role = words.verdict_words(sitting.done[-1])
        again = sitting.done[-1].due
        due = "" if again is None else f"next {in_days(again, sitting.journal.clock())}"
        return Note((Word(word, role, True),), (Word(due),))
    white = match.mover == "white"
    side = (glyphs.white if white else glyphs.black) + f" {'White' if white else 'Black'} to move"
    return Note((Word(side, bold=True),), (Word(f"move {number_of(match, len(match.plies))}"),))


def _rating(sitting: Sitting) -> tuple[Note, ...]:
    assert sitting.streak is not None
    rating = str(round(sitting.streak.rating.rating))
    if sitting.step is not None and round(sitting.step.change):
        rating += f" ({round(sitting.step.change):+d})"
    return _fact("Rating", rating), _fact("In a row", str(sitting.streak.count))


def _question_facts(sitting: Sitting, glyphs: Glyphs, over: bool) -> tuple[Note, ...]:
    question = sitting.question
    assert question is not None
    if over and sitting.done and sitting.streak is None:
        word, role = words.verdict_words(sitting.done[-1])
        again = sitting.done[-1].due
        due = "" if again is None else f"next {in_days(again, sitting.journal.clock())}"
        return (Note((Word(word, role, True),), (Word(due),)),)
    white = sitting.mover == "white"
    side = (glyphs.white if white else glyphs.black) + f" {'White' if white else 'Black'} to move"
    head = Note((Word(side, bold=True),))
    return (head, *_rating(sitting)) if sitting.streak is not None else (head,)


def asked(question: AnyQuestion, called: Category | None, given: Call | None, width: int) -> tuple[Note, ...]:
    """The question, its answers, and once it was answered the truth."""
    mover = side_name(question.explorer.game.mover(question.start.position))
    answers = (
        ("w", f"{mover} wins", Category.WIN), ("d", "a draw", Category.DRAW), ("l", f"{mover} loses", Category.LOSS)
    )  # fmt: skip
    over = question.standing.over
    chosen = given.result if given is not None else called
    notes = [Note((Word("What is it?", bold=True),))]
    notes += [_answer(key, text, value is chosen, over, value is question.truth.result) for key, text, value in answers]
    if question.truth.decides is None or (called is None and given is None):
        return tuple(notes)
    other = "Black" if mover == "White" else "White"
    said = given.decides if given is not None else None
    notes += [Note(), Note((Word(f"And with {other} to move?", bold=True),))]
    another, same = "another result: the move decides", "the same winner, or the same draw"
    if width < _ROOM:
        another, same = "another result", "the same result"
    notes.append(_answer("y", another, said is True, over, question.truth.decides))
    notes.append(_answer("n", same, said is False, over, not question.truth.decides))
    return tuple(notes)


def _answer(key: str, text: str, chosen: bool, over: bool, right: bool) -> Note:
    mark = ""
    role = "amber" if chosen else "text"
    if over and right:
        mark, role = "✓", "win"
    elif over and chosen:
        mark, role = "✗", "loss"
    elif over:
        role = "dim"
    return Note((Word(f" {key}  ", "text", not over), Word(text, role, chosen)), (Word(mark, role),))


def score(drill: AnyDrill, at: int | None, small: bool, glyphs: Glyphs) -> ScoreView:
    """The learner's moves with their grades."""
    match = drill.match
    offset = int(match.game.mover(match.start) == "black")
    rows: list[ScoreRow] = []
    for first in range(-offset, len(match.plies), 2):
        pair = [match.plies[n] if 0 <= n < len(match.plies) else None for n in (first, first + 1)]
        if not any(pair):
            continue
        mark = next((mark_of(ply.grade) for ply in pair if ply and ply.mover == match.you and not ply.shown), None)
        shown = any(ply is not None and ply.shown for ply in pair)
        mark = Mark("·", "shown", "faint") if shown and mark is None else mark
        moves = tuple(ply.san if ply else "" for ply in pair)
        plies = (first if pair[0] else -1, first + 1 if pair[1] else -1)
        left = moves[0] or ("…" if offset and not rows else "")
        rows.append(ScoreRow((first + offset) // 2 + 1, (glyphs.plain(left), moves[1]), plies, mark, "", shown))
    prompt = None
    if match.your_turn and not drill.standing.over and not small:
        prompt = (number_of(match, len(match.plies)), "type it with :, or Enter on a man")
    return ScoreView(tuple(rows), at, match.you == "white", "", True, "Your moves", prompt)


# At the end


def summary(sitting: Sitting, course: Course, width: int, height: int) -> tuple[Note, ...]:
    """How the sitting went, drill by drill, and what comes next."""
    done = [found for found in sitting.done if found.counts]
    now = sitting.journal.clock()
    notes = [_result(sitting, done), *_average(sitting, done), Note()]
    tail = _next_due(course)
    room = height - len(notes) - len(tail) - 1
    for found in done[max(len(done) - room, 0) :]:
        mark = Word("✓ " if found.solved else "✗ ", "win" if found.solved else "loss")
        theme = found.theme
        name = theme.label if theme.study else f"{theme.ending}  {theme.label}"
        lost = f"+{found.lost}" if found.lost else ""
        due = "" if found.due is None else in_days(found.due, now)
        notes.append(Note((mark, Word(name)), (Word(lost, "dim"), Word(due.rjust(11), "dim"))))
    return (*notes, Note(), *tail)


def _result(sitting: Sitting, done: Sequence[Done]) -> Note:
    if sitting.streak is not None:
        return Note((Word(f"{sitting.streak.count} in a row", bold=True),), (Word(_rated(sitting)),))
    solved = sum(found.solved for found in done)
    return Note((Word(f"{count(len(done), 'drill', 'drills')}, {solved} solved", bold=True),))


def _rated(sitting: Sitting) -> str:
    assert sitting.streak is not None
    return f"rating {round(sitting.streak.rating.rating)}"


_NO_PLIES = ("no plies lost", "nothing lost")
"""Where no ply was lost: a result may have been, or not."""


def _average(sitting: Sitting, done: Sequence[Done]) -> tuple[Note, ...]:
    if not done or sitting.streak is not None:
        return ()
    lost = sum(found.lost for found in done) / len(done)
    hints = sum(found.hints for found in done)
    text = f"{lost:.1f} plies lost on average" if lost else _NO_PLIES[all(found.solved for found in done)]
    text += f", {count(hints, 'hint', 'hints')}" if hints else ""
    return (Note((Word(text, "dim"),), (Word(words.clock_words(sum(found.seconds for found in done)), "dim"),)),)


def _next_due(course: Course) -> tuple[Note, ...]:
    """What is due now and in the next days."""
    progress = course.progress
    if progress is None:
        return ()
    names = ("now", "tomorrow", "in 2 days", "in 3 days", "in 4 days", "in 5 days", "in 6 days")
    coming = [f"{due} {name}" for due, name in zip(progress.due, names, strict=False) if due][:3]
    return (Note((Word("Next due  ", "dim"), Word(", ".join(coming) or "nothing this week"))),)
