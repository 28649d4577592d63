"""Turns what is chosen on the Practise screen into what each of its panels shows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from endgame_core.practice.course import Course, Figures, Item, Recent
from endgame_core.practice.defence import Defence
from endgame_core.practice.study import Goal, Study
from endgame_core.practice.theme import Mode
from endgame_core.tables.explorer import WINNERS
from endgame_core.values import Category
from endgame_core.words.numbers import count, grouped
from endgame_core.words.told import Choices, Note, Word, fact, wrapped
from endgame_tui.look import Glyphs
from endgame_tui.order import AnyStart
from endgame_tui.practising import DUE, Chooser, Entry
from endgame_tui.speech import Picture, Speech
from endgame_tui.widgets.courses import CourseRow, CoursesView
from endgame_tui.widgets.setup import SetupView
from endgame_tui.widgets.window import WindowView

DEFENCES = {
    Defence.PERFECT: "resists longest, always the same way",
    Defence.VARIED: "resists longest, not always the same way",
    Defence.TRICKY: "leaves you the fewest good moves",
    Defence.HUMAN: "errs now and then, the less the more it costs",
}
"""What each defender does, in one line."""


def header(course: Course, glyphs: Glyphs) -> tuple[Note, ...]:
    """What is due, how long that takes, the days in a row."""
    due, progress = course.due, course.progress
    ready = sum(course.is_built(item) for item in due)
    words = [Word(" ")]
    if ready:
        words.append(Word(f"{ready} due today", "amber", True))
        if progress is not None and progress.minutes:
            words.append(Word(f"  about {count(progress.minutes, 'minute', 'minutes')}", "dim"))
    else:
        words.append(Word("Nothing is due today", "text", True))
    if waiting := len(due) - ready:
        words.append(Word(f"  {waiting} more {'waits' if waiting == 1 else 'wait'} for a table", "dim"))
    if progress is not None and progress.elsewhere:
        other = "Nine Men’s Morris" if course.game.name == "chess" else "chess"
        words.append(Word(f"   {progress.elsewhere} in {other}: G", "dim"))
    if progress is not None and progress.run:
        words.append(Word(f"   streak {count(progress.run, 'day', 'days')}"))
    elif not course.cards:
        words.append(Word("  what you drill comes back when it is nearly forgotten", "dim"))
    return (Note(tuple(words)),)


def courses(chooser: Chooser) -> CoursesView:
    """The list with its headings."""
    cursor = chooser.entry.key
    rows: list[CourseRow] = [CourseRow(name="Due", right="solved")]
    headed = False
    for entry in chooser.entries().values():
        if entry.collection is not None and len(rows) == 2:
            rows += [CourseRow(), CourseRow(name="Sets", label="drills")]
        if entry.theme is not None and not headed:
            headed = True
            rows += [CourseRow(), CourseRow(name="By ending and layer")]
        rows.append(_row(entry, chooser))
    return CoursesView(tuple(rows), cursor)


def _row(entry: Entry, chooser: Chooser) -> CourseRow:
    course = chooser.course
    if entry.key == DUE:
        return CourseRow(DUE, entry.title, due=len(entry.items))
    figures = course.figures(entry.items)
    right, role = _solved(figures), "dim" if figures.tried else "faint"
    built = any(map(course.is_built, entry.items)) or not entry.items
    if not built:
        right = "not built"
    if entry.collection is not None:
        opened = entry.collection.name in chooser.opened if entry.collection.positions else None
        if entry.collection.problem:
            right, role = "damaged", "loss"
        return CourseRow(
            entry.key, entry.title, drills=len(entry.items), due=figures.due, right=right,
            right_role=role, opened=opened, built=built,
        )  # fmt: skip
    if entry.study is not None:
        return CourseRow(
            entry.key, entry.title, due=figures.due, right=right, right_role=role, indent=True, built=built
        )
    assert entry.theme is not None
    return CourseRow(
        entry.key, entry.title, entry.theme.label, due=figures.due, right=right, right_role=role, built=built
    )


def _solved(figures: Figures) -> str:
    if figures.percent is not None:
        return f"{figures.percent} %"
    return "" if figures.known else "new"


# How to drill


def setup_rows(chooser: Chooser) -> tuple[str, ...]:
    """The rows of choices that make sense here."""
    mode = chooser.wish.mode
    rows = ["mode"]
    if len(chooser.results(mode)) > 1:
        rows.append("result")
    if mode not in (Mode.CALL, Mode.ONLY, Mode.STREAK):
        rows.append("defence")
    if mode is not Mode.STREAK:
        rows.append("start")
    return tuple(rows)


def setup(chooser: Chooser) -> SetupView:
    """Mode, whose wins, defence and start."""
    rows = setup_rows(chooser)
    views = tuple(_choices(name, chooser) for name in rows)
    return SetupView(chooser.entry.title, views, min(chooser.row, len(rows) - 1))


def _choices(name: str, chooser: Chooser) -> Choices:
    wish = chooser.wish
    if name == "mode":
        modes = chooser.modes()
        return Choices("Mode", tuple(_mode(mode, chooser) for mode in modes), modes.index(wish.mode))
    if name == "result":
        results = chooser.results(wish.mode)
        words = tuple(_result(result, wish.mode) for result in results)
        return Choices("Result", words, results.index(wish.winner) if wish.winner in results else 0)
    if name == "defence":
        defences = list(Defence)
        return Choices("Defence", tuple(each.value for each in defences), defences.index(chooser.defence))
    study = chooser.entry.study is not None
    starts = ("mirrored, either colour", "mirrored, these colours") if study else chooser.speech.starts
    return Choices("Start", starts, 0 if chooser.colours else 1)


def _mode(mode: Mode | None, chooser: Chooser) -> str:
    entry = chooser.entry
    if mode is not None:
        return mode.words(chooser.game)
    if entry.study is not None:
        return entry.items[0].theme.mode.words(chooser.game)
    return "as scheduled" if entry.key == DUE else "mixed"


def _result(winner: str | None, mode: Mode | None) -> str:
    side = {"mover": "you", "opponent": "the opponent"}.get(winner or "", (winner or "").capitalize())
    if mode is Mode.HOLD:
        return f"lost to {side}" if winner else "drawn"
    return f"{side} wins" if winner else "any"


def setup_right(chooser: Chooser) -> str:
    """The theme in words, behind its title."""
    chosen, entry = chooser.chosen, chooser.entry
    if chosen is not None:
        return chosen.label
    if entry.key == DUE:
        return count(len(entry.items), "drill", "drills")
    if entry.collection is not None:
        return count(len(chooser.items), "drill", "drills") if chooser.wish.mode is not Mode.STREAK else ""
    return entry.items[0].theme.ending if entry.study is not None else ""


def window(chooser: Chooser, glyphs: Glyphs) -> WindowView:
    """The layers, or why there are none."""
    names, boards, low, high = chooser.window()
    if not names:
        return WindowView(note=_no_window(chooser))
    winner, hold = chooser.wish.winner, chooser.wish.mode is Mode.HOLD
    white = (winner == "white") != hold
    side = f"{'White' if white else 'Black'} to move" if winner in WINNERS else "you to move"
    return WindowView(tuple(boards), tuple(f"S{n}" for n in names), low, high, side)


def _no_window(chooser: Chooser) -> str:
    entry, mode = chooser.entry, chooser.wish.mode
    if entry.theme is not None and chooser.layers_of(entry.theme.ending) is None:
        return "not built; Enter builds it"
    return {
        Mode.CALL: "wins, draws and losses alike", Mode.HOLD: "drawn, and a move loses",
        Mode.ONLY: "all, drawn ones too", Mode.STREAK: "questions and only moves",
    }.get(mode or Mode.CALL, "")  # fmt: skip


# Figures


def facts(chooser: Chooser, width: int, height: int, now: float) -> tuple[Note, ...]:
    """Below the layers: how many positions, how it went so far, when it is due."""
    entry, course = chooser.entry, chooser.course
    about = _about(chooser, width)
    items = chooser.items
    figures, recent = course.figures(items), course.recent(items) if items else Recent()
    record = () if entry.key == DUE or chooser.wish.mode is Mode.STREAK else _record(figures, recent, now)
    blank = (Note(),) if about and record and len(about) + len(record) < height else ()
    room = max(height - len(record) - len(blank), 0)
    if len(about) > room:
        about = about[: max(room - 1, 0)] + ((Note((Word("…", "faint"),)),) if room else ())
    return (*about, *blank, *record)


def _about(chooser: Chooser, width: int) -> tuple[Note, ...]:
    entry, mode = chooser.entry, chooser.wish.mode
    if mode is Mode.STREAK:
        words = "Three minutes, until the first miss: what is the result, and which move is the only one?"
        progress = chooser.course.progress
        if progress is None or progress.rating is None:
            return wrapped(words, width, "dim")
        best = fact("Best", f"{progress.best_streak} in a row")
        return (*wrapped(words, width, "dim"), Note(), fact("Rating", str(round(progress.rating))), best)
    if entry.key == DUE:
        return _coming(chooser.course, entry.items)
    if entry.study is not None:
        return _study(entry.study, width, chooser.speech)
    if entry.collection is not None:
        return _set(chooser, width)
    return _window_facts(chooser)


def _window_facts(chooser: Chooser) -> tuple[Note, ...]:
    names, boards, low, high = chooser.window()
    unique = chooser.unique()
    if not names:
        return (Note((Word(grouped(unique), bold=True), Word(" unique positions", "dim"))),) if unique else ()
    total = sum(boards[low : high + 1])
    counts = Note((
        Word(grouped(total), bold=True), Word(f" boards, {grouped(unique)} unique", "dim"),
    ))  # fmt: skip
    keys = Note((
        Word("‹ ›", bold=True), Word(" move ", "dim"), Word("< >", bold=True), Word(" narrow, widen", "dim"),
    ))  # fmt: skip
    return counts, keys


def _coming(course: Course, items: Sequence[Item]) -> tuple[Note, ...]:
    """What comes first of all that is due."""
    if not items:
        return (
            Note((Word("Nothing: choose a set,", "dim"),)),
            Note((Word("or an ending and its layers.", "dim"),)),
        )
    notes = [Note((Word("First come", "dim"),))]
    for item in items:
        theme = item.theme
        words = (Word(theme.label),) if theme.study else (Word(f"{theme.ending}  "), Word(theme.label, "dim"))
        notes.append(Note(words, () if course.is_built(item) else (Word("not built", "faint"),)))
    return tuple(notes)


def _study(study: Study, width: int, speech: Speech) -> tuple[Note, ...]:
    side = study.side.capitalize()
    goal = {Goal.WIN: f"{side} wins", Goal.DRAW: f"{side} draws", Goal.HOLD_OUT: f"{side} lasts"}
    words = goal[study.goal] if study.goal is not None else f"as the table says, {side}"
    if study.depth and study.goal is not Goal.DRAW:
        words += f", {speech.ends(study.depth, study.goal is Goal.WIN)}"
    notes = [fact("Goal", words)]
    if study.note:
        notes += [Note(), *wrapped(study.note, width)]
    if study.remark:
        notes += [Note(), *wrapped(study.remark, width, "dim")]
    return tuple(notes)


def _set(chooser: Chooser, width: int) -> tuple[Note, ...]:
    entry = chooser.entry
    assert entry.collection is not None
    if entry.collection.problem:
        return wrapped(entry.collection.problem, width, "loss")
    if not entry.items:
        return wrapped(f"Empty: + adds {chooser.speech.to_add}.", width, "dim")
    positions, themes = entry.collection.positions, len(entry.items) - entry.collection.positions
    first = [count(positions, "position", "positions")] if positions else []
    first += [count(themes, "theme", "themes")] if themes else []
    notes = [Note((Word(first[0], bold=True), *(Word(f" and {rest}", "dim") for rest in first[1:])))]
    if entry.collection.positions:
        shown = "hides" if entry.collection.name in chooser.opened else "shows"
        notes.append(Note((Word("Space", bold=True), Word(f" {shown} them", "dim"))))
    if missing := chooser.missing():
        notes += [Note(), *wrapped(f"Not built: {', '.join(missing)}", width, "dim")]
        notes.append(Note((Word("b", bold=True), Word(" builds them", "dim"))))
    return tuple(notes)


def _record(figures: Figures, recent: Recent, now: float) -> tuple[Note, ...]:
    """The last ten drills, what they lost, when the next is due."""
    if not recent.solved:
        new = () if figures.known else (fact("Due", "new, not drilled yet", "dim"),)
        return new or (fact("Due", due_words(figures, now)),)
    marks: list[Word] = []
    for solved in recent.solved:
        marks.append(Word("✓ " if solved else "✗ ", "win" if solved else "loss"))
    lost = "nothing" if not recent.lost else f"{recent.lost:.1f} plies on average"
    return (
        Note((Word("Last 10".ljust(9), "dim"), *marks)), fact("Lost", lost), fact("Due", due_words(figures, now)),
    )  # fmt: skip


def due_words(figures: Figures, now: float) -> str:
    """When the cards come, in words."""
    later = "" if figures.soonest is None else in_days(figures.soonest, now)
    if figures.due:
        return f"{figures.due} now" + (f", next {later}" if later else "")
    return later or "not scheduled"


def in_days(moment: float, now: float) -> str:
    """A day in words: ``today``, ``tomorrow``, ``in 3 days``."""
    days = datetime.fromtimestamp(moment).date().toordinal() - datetime.fromtimestamp(now).date().toordinal()
    return "today" if days <= 0 else "tomorrow" if days == 1 else f"in {days} days"


# What the modes mean, and one start


def modes(chooser: Chooser) -> tuple[Note, ...]:
    """The modes, each with its meaning; the chosen one stands out."""
    notes = [Note((Word("Modes", bold=True),))]
    progress = chooser.course.progress
    for mode in Mode:
        here = mode is chooser.wish.mode
        meaning = mode.meaning
        if mode is Mode.STREAK and progress is not None and progress.best_streak:
            meaning += f"; best {progress.best_streak}"
        notes.append(
            Note((Word(mode.words(chooser.game).ljust(11), "text", here), Word(meaning, "text" if here else "dim")))
        )
    return tuple(notes)


def start(found: AnyStart | None, chooser: Chooser, glyphs: Glyphs) -> tuple[Note, ...]:
    """One start in words."""
    if found is None:
        return ()
    white = chooser.explorer.game.mover(found.position) == "white"
    mover = (glyphs.white, "White") if white else (glyphs.black, "Black")
    return (
        Note((Word("  One such start", bold=True),)),
        Note((Word(f"  {start_words(found, chooser.speech)}", "dim"),)),
        Note((Word(f"  {mover[0]} {mover[1]} to move"),)),
        Note(),
        Note((Word("n", bold=True), Word(" another", "dim"))),
        Note((Word("s", bold=True), Word(" look at it in Explore", "dim"))),
    )


def start_words(found: AnyStart, speech: Speech) -> str:
    """What a start is worth: its layer, and how far the end is."""
    if found.perfect is None:
        return "a draw"
    return speech.layer(found.perfect, found.category is Category.WIN)


def start_sentence(found: AnyStart, speech: Speech) -> str:
    """The same as a sentence, where there is no room for a board."""
    return f"one such start: {speech.men(found.position)}; {start_words(found, speech)}."


def board(found: AnyStart | None, speech: Speech) -> Picture | None:
    """The start on a board, seen from the learner's side."""
    return None if found is None else speech.picture(found.position, found.learner == "black")
