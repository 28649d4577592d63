"""The sentences of the drill picker: due drills, options, the contents of a set, and results so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.language import _, decimal, ngettext, side_name
from endgame_core.practice.course import Course, DrillItem, Recent, ThemeProgress
from endgame_core.practice.defence import Defence
from endgame_core.practice.drills import WinGoal
from endgame_core.practice.levels import LEVELS
from endgame_core.practice.path import PLACEMENT as PLACEMENT_POSITIONS
from endgame_core.practice.path import learner_rating, learning_path
from endgame_core.practice.records import Rating
from endgame_core.practice.studies import MY_POSITIONS, Study, StudyGoal, StudyImport
from endgame_core.practice.theme import DrillMode
from endgame_core.practice.titles import set_title
from endgame_core.tasks.drill_picker import (
    DUE,
    PATH,
    PLACEMENT,
    WEAKEST,
    DrillEntry,
    DrillPicker,
    kinds_of,
)
from endgame_core.tasks.drill_window import Window
from endgame_core.tasks.training_session import AnyStart
from endgame_core.untrusted import quoted
from endgame_core.values import WINNERS, Category
from endgame_core.words.glossary import speech_of
from endgame_core.words.missing_tables import NOT_BUILT, not_built_list
from endgame_core.words.text_model import (
    MANNERS,
    Choices,
    Speech,
    TextRow,
    TextSpan,
    at,
    count,
    either,
    fact,
    grouped,
    in_rows,
    in_words,
    note,
    positions,
    tick,
    to_move,
    wrapped,
)  # fmt: skip

NO_LAYERS = _("there are no layers to choose from here.")
NO_START = _("there is no starting position to show here.")
NO_SINGLE_START = _("there is no single starting position to show: {begin} picks one for each drill.")
ALL_BUILT = _("all required tables are built.")
NOT_OPENED = _("only a set with positions can be opened.")
NOT_EXPORTED = _("only a set or one of its positions can be exported.")
EXPORT_FILES = _(".html or .pdf: a sheet to print; .epd: the positions")
NOT_DELETED = _("only your own positions and themes can be deleted.")
UP_AND_DOWN = _("two solved drills raise the level; a missed one lowers it.")
KIND_NAMES = {
    "": _("any move"), "quiet": _("a quiet move"), "underpromotion": _("an underpromotion"),
    "zugzwang": _("into zugzwang"), "hanging": _("hanging piece"),
}  # fmt: skip
KIND_MEANINGS = {
    "": _("the only move that keeps the result; captures of hanging pieces are excluded."),
    "quiet": _("the move does not capture, promote or give check."),
    "underpromotion": _("every winning move is an underpromotion; {press} {examine} in the Library first."),
    "zugzwang": _("after the move, neither side wants to move; {press} {examine} in the Library first."),
    "hanging": _("the move captures an undefended piece: for beginners."),
}
"""The kinds of "only move" drills, and their meanings."""
MISSING_ROWS = {
    PLACEMENT: _("your drills already show your level in this game: choose Learn next."),
    WEAKEST: _("you have no weak themes: choose a drill."),
}
"""Why a row is not in the list."""
GONE = _("the selected drill no longer exists.")


def header(course: Course, width: int = 999) -> TextRow:
    """Return the number of due drills, their duration if there is room, and the days in a row."""
    due = course.due
    progress = course.progress
    ready = sum(course.is_built(item) for item in due)
    words = [TextSpan(" ")]
    time: TextSpan | None = None
    if ready:
        words.append(TextSpan(_("{ready} due today").format(ready=ready), "amber", True))
        if progress is not None and progress.minutes:
            time = TextSpan(_("  about {minutes}").format(minutes=count(progress.minutes, "minute", "minutes")), "dim")
            words.append(time)
    else:
        words.append(TextSpan(_("Nothing is due today"), "text", True))
    if waiting := len(due) - ready:
        more = ngettext("{number} more waits for a table", "{number} more wait for a table", waiting)
        words.append(TextSpan(f"  {more.format(number=waiting)}", "dim"))
    if progress is not None and progress.elsewhere:
        others = either([speech_of(name).name or name for name in progress.games_elsewhere], _("and"))
        words.append(
            TextSpan(
                _("   {elsewhere} in {others} ({control})").format(
                    elsewhere=progress.elsewhere, others=others, control=control("game")
                ),
                "dim",
            )
        )
    if progress is not None and progress.run:
        words.append(TextSpan(_("   {days} in a row").format(days=count(progress.run, "day", "days"))))
    elif not course.cards:
        words.append(TextSpan(_("; drills return just before you forget them"), "dim"))
    # The duration is the most dispensable part of the row.
    if time is not None and sum(len(word.text) for word in words) > width:
        words.remove(time)
    return TextRow(tuple(words))


# The list


@dataclass(frozen=True, slots=True)
class CourseRow:
    """One row of the list; one without a key is a heading, or blank.

    Attributes:
        key: What the cursor knows it by; empty where the cursor cannot be.
        name: Its name, of an ending for a theme.
        label: What stands behind the name: the theme in words.
        drills: Its drills; None where they are not counted.
        due: The number of due drills.
        right: Solved in percent, or a word instead.
        role: The role of that.
        indent: Whether the row belongs to the set above it.
        opened: Whether a set's studies are shown; None where there are none.
        built: Whether it can be drilled.
    """

    key: str = ""
    name: str = ""
    label: str = ""
    drills: int | None = None
    due: int = 0
    right: str = ""
    role: str = "dim"
    indent: bool = False
    opened: bool | None = None
    built: bool = True


def courses(chooser: DrillPicker) -> tuple[CourseRow, ...]:
    """All that can be drilled, with headings."""
    rows: list[CourseRow] = [CourseRow(name=_("Due"), right=_("solved"))]
    # Entries come in groups: a heading stands before the first entry of each.
    headed = sets_headed = False
    for entry in chooser.entries().values():
        if entry.collection is not None and not sets_headed:
            sets_headed = True
            rows += [CourseRow(), CourseRow(name=_("Sets"), label=_("drills"))]
        if entry.theme is not None and not headed:
            headed = True
            rows += [CourseRow(), CourseRow(name=_("By ending and layer"))]
        rows.append(_row(entry, chooser))
    return tuple(rows)


def _row(entry: DrillEntry, chooser: DrillPicker) -> CourseRow:
    course = chooser.course
    if entry.key == DUE:
        return CourseRow(DUE, entry.title, due=len(entry.items))
    if entry.key in (PATH, WEAKEST):
        return CourseRow(entry.key, entry.title, right=count(len(entry.items), "drill", "drills"))
    if entry.key == PLACEMENT:
        rating = learner_rating(course.journal, course.game.name)
        if rating is None:
            level = _("new")
        else:
            level = str(round(rating.rating))
        return CourseRow(PLACEMENT, entry.title, right=level)
    figures = course.figures(entry.items)
    collection = entry.collection
    # An empty set lacks no table.
    built = any(map(course.is_built, entry.items)) or not entry.items
    right = "" if figures.has_cards else _("new")
    role = "dim" if figures.drills else "faint"
    if collection is not None and collection.problem:
        right = _("damaged")
        role = "loss"
    elif not built:
        right = NOT_BUILT
    elif figures.percent is not None:
        right = f"{figures.percent} %"
    label = ""
    if entry.theme is not None:
        label = entry.theme.words
    drills = None
    if collection is not None:
        drills = len(entry.items)
    opened = None
    if collection is not None and collection.positions:
        opened = collection.name in chooser.opened
    indent = entry.study is not None
    return CourseRow(entry.key, entry.title, label, drills, figures.due, right, role, indent, opened, built)


# How to drill


def setup(chooser: DrillPicker) -> tuple[Choices, ...]:
    """Mode, whose wins, defence and start, as far as they make sense here."""
    return tuple(_choices(name, chooser) for name in chooser.rows())


def _choices(name: str, chooser: DrillPicker) -> Choices:
    wish = chooser.wish
    if name == "mode":
        modes = chooser.modes()
        names = tuple(_mode(mode, chooser) for mode in modes)
        return Choices(_("Mode"), names, modes.index(wish.mode), aliases=tuple(mode or "mixed" for mode in modes))
    if name == "result":
        results = chooser.results(wish.mode)
        words = tuple(_result(result, wish.mode) for result in results)
        # The wish may be from another mode, which has other results.
        chosen = results.index(wish.winner) if wish.winner in results else 0
        return Choices(_("Result"), words, chosen)
    if name == "level":
        options = (_level(chooser), _("all {levels}").format(levels=LEVELS))
        return Choices(_("Level"), options, 0 if chooser.grows else 1)
    if name == "kind":
        kinds = kinds_of(chooser.game)
        return Choices(_("Kind"), tuple(KIND_NAMES[kind] for kind in kinds), kinds.index(wish.kind))
    if name == "goal":
        goals = list(WinGoal)
        names = speech_of(chooser.game.name).win_goals
        return Choices(_("Goal"), tuple(names[goal] for goal in goals), goals.index(chooser.win_goal))
    if name == "defence":
        defences = list(Defence)
        return Choices(_("Defence"), tuple(in_words(each.value) for each in defences), defences.index(chooser.defence))
    has_studies = chooser.entry.study is not None or chooser.entry.key == PLACEMENT
    if has_studies:
        starts = (_("mirrored, either colour"), _("mirrored, these colours"))
    else:
        starts = speech_of(chooser.game.name).starts
    return Choices(_("Start"), starts, 0 if chooser.colours else 1)


def _mode(mode: DrillMode | None, chooser: DrillPicker) -> str:
    entry = chooser.entry
    if mode is not None:
        return mode.words(chooser.game.name)
    if entry.study is not None:
        return entry.items[0].theme.mode.words(chooser.game.name)
    special = {DUE: _("as scheduled"), WEAKEST: _("as they are"), PATH: _("by level"), PLACEMENT: _("questions, moves")}
    return special.get(entry.key, _("mixed"))


def _result(winner: str | None, mode: DrillMode | None) -> str:
    side = {"mover": _("you"), "opponent": _("the opponent")}.get(winner or "", side_name(winner or ""))
    if mode is DrillMode.HOLD:
        if winner:
            return _("lost to {side}").format(side=side)
        return _("drawn")
    if winner:
        return _("{side} wins").format(side=side)
    return _("any")


def setup_right(chooser: DrillPicker) -> str:
    """The theme in words, behind its title."""
    chosen = chooser.chosen
    entry = chooser.entry
    if chosen is not None:
        if chooser.course.is_mastered(chosen.ending):
            return chosen.words + _(", mastered")
        return chosen.words
    if entry.key == PLACEMENT:
        return count(PLACEMENT_POSITIONS, "position", "positions")
    if entry.key in (DUE, WEAKEST, PATH):
        return count(len(entry.items), "drill", "drills")
    if entry.collection is not None:
        if chooser.wish.mode is not DrillMode.STREAK:
            return count(len(chooser.items), "drill", "drills")
        return ""
    if entry.study is not None:
        return entry.items[0].theme.ending
    return ""


def changed(name: str, chooser: DrillPicker) -> str:
    """Return the meaning of a changed choice, if it has a text."""
    if name == "level":
        if chooser.grows:
            return UP_AND_DOWN
        return _("every position in the range comes up, easy or hard.")
    if name == "kind":
        return instruct(KIND_MEANINGS[chooser.wish.kind])
    if name == "goal" and chooser.win_goal is WinGoal.WIN:
        return _("solved by {conversion}.").format(conversion=speech_of(chooser.game.name).conversion)
    if name == "goal" and chooser.win_goal is WinGoal.FEWEST:
        return _("solved if you lose no moves and use no help.")
    if name == "goal":
        return _("you have to play on until you have won.")
    if name == "defence":
        return f"{in_words(chooser.defence.value)}: {MANNERS[chooser.defence]}."
    return ""


def _level(chooser: DrillPicker) -> str:
    """The level of a theme, and how deep its starts are; that it grows, where there are several themes."""
    level = chooser.level
    deepest = chooser.deepest_of_level
    if level is None:
        return _("adaptive")
    limit = ""
    if deepest is not None:
        limit = _(", up to S{deepest}").format(deepest=deepest)
    return level_words(level) + limit


def level_words(level: int) -> str:
    """``3 of 8``."""
    return _("{level} of {levels}").format(level=level, levels=LEVELS)


def modes(chooser: DrillPicker, width: int) -> tuple[TextRow, ...]:
    """Return the modes, each with its meaning in a column of its own; the current one is emphasized."""
    notes = [note(_("Modes"), bold=True)]
    names = {mode: mode.words(chooser.game.name) for mode in DrillMode}
    column = max(map(len, names.values())) + 2
    progress = chooser.course.progress
    for mode in DrillMode:
        is_current = mode is chooser.wish.mode
        meaning = mode.meaning
        if mode is DrillMode.STREAK and progress is not None and progress.best_streak:
            meaning += _("; best {best_streak}").format(best_streak=progress.best_streak)
        for number, row in enumerate(in_rows(meaning, width - column)):
            name = "" if number else names[mode]
            role = "text" if is_current else "dim"
            notes.append(TextRow((TextSpan(name, "text", is_current), TextSpan(row, role, at=column))))
    return tuple(notes)


def window_mover(chooser: DrillPicker) -> str:
    """Return the side to move in the layers that the picker shows."""
    winner = chooser.wish.winner
    hold = chooser.wish.mode is DrillMode.HOLD
    if winner not in WINNERS:
        return _("you to move")
    # The winner is to move in its own layers; to hold a draw, the other side is.
    if (winner == "white") != hold:
        side = _("White")
    else:
        side = _("Black")
    return _("{winner} to move").format(winner=side)


def no_window(chooser: DrillPicker) -> str:
    """Why there are no layers to choose from."""
    entry = chooser.entry
    mode = chooser.wish.mode
    if entry.theme is not None and chooser.layers_of(entry.theme.ending) is None:
        return instruct(_("not built; {begin} builds it"))
    return {
        DrillMode.CALL: _("wins, draws and losses alike"), DrillMode.HOLD: _("drawn, but some moves lose"),
        DrillMode.ONLY: _("all, including draws"), DrillMode.STREAK: _("questions and only moves"),
    }.get(mode or DrillMode.CALL, "")  # fmt: skip


# Figures


def facts(chooser: DrillPicker, width: int, height: int) -> tuple[TextRow, ...]:
    """How many positions, what a set holds or a study is about, how it went so far, when it is due."""
    entry = chooser.entry
    course = chooser.course
    description = _description(chooser, width)
    items = chooser.items
    record: tuple[TextRow, ...] = ()
    if entry.key not in (DUE, WEAKEST, PATH, PLACEMENT) and chooser.wish.mode is not DrillMode.STREAK:
        recent = course.recent(items) if items else Recent()
        record = _record(course.figures(items), recent, course.journal.clock())
    blank = ()
    if description and record and len(description) + len(record) < height:
        blank = (TextRow(),)
    room = max(height - len(record) - len(blank), 0)
    if record and entry.collection is not None and entry.collection.name not in chooser.opened:
        # The rows below the facts list the first positions of the set.
        description += _contents(entry, room - len(description) - 1)
    if len(description) > room:
        description = description[: max(room - 1, 0)]
        if room:
            description += (note("…", "faint"),)
    return (*description, *blank, *record)


def _description(chooser: DrillPicker, width: int) -> tuple[TextRow, ...]:
    entry = chooser.entry
    mode = chooser.wish.mode
    if mode is DrillMode.STREAK:
        words = _("For three minutes, or until your first mistake: name the result, or find the only move.")
        progress = chooser.course.progress
        if progress is None or progress.rating is None:
            return wrapped(words, width, "dim")
        best = fact(_("Best"), _("{best_streak} in a row").format(best_streak=progress.best_streak))
        return (*wrapped(words, width, "dim"), TextRow(), fact(_("Rating"), str(round(progress.rating))), best)
    if entry.key == DUE:
        return _coming(chooser.course, entry.items)
    if entry.key == WEAKEST:
        return (note(_("Solved least often"), "dim"), *(_path_row(chooser.course, item) for item in entry.items))
    if entry.key == PATH:
        return _path(chooser.course, width)
    if entry.key == PLACEMENT:
        return _placement(chooser, width)
    if entry.study is not None:
        return _study(entry.study, width, speech_of(chooser.game.name))
    if entry.collection is not None:
        return _set(chooser, width)
    return window_facts(chooser.window, chooser.unique())


def _contents(entry: DrillEntry, room: int) -> tuple[TextRow, ...]:
    """The first positions of a set by name, below a blank row, where there is room for some of them."""
    names = [item.study.name for item in entry.items if item.study is not None]
    if room < 3 or not names:
        return ()
    listed = names if len(names) <= room else names[: room - 1]
    rest = ""
    if len(listed) < len(names):
        rest = _("… {names} more").format(names=len(names) - len(listed))
    rows = [TextRow(), *(note(name, "dim") for name in listed)]
    if rest:
        rows.append(note(rest, "faint"))
    return tuple(rows)


_LONG = 100_000_000
"""Numbers of boards from here on are rounded: the exact ones do not fit into half a small screen."""


def window_facts(window: Window, unique: int) -> tuple[TextRow, ...]:
    """How many positions there are to be drilled, and the keys that change the window of layers.

    Args:
        window: The window.
        unique: Canonical positions in it, or where there is none in all.
    """
    if not window.layers:
        if unique:
            return (TextRow((TextSpan(grouped(unique), bold=True), TextSpan(_(" unique positions"), "dim"))),)
        return ()
    total = sum(window.boards[window.low : window.high + 1])
    boards, unique_boards = (
        grouped(number) if total < _LONG else positions(number, True) for number in (total, unique)
    )
    counts = TextRow(
        (TextSpan(boards, bold=True), TextSpan(_(" boards, {alone} unique").format(alone=unique_boards), "dim"))
    )
    keys = (
        TextSpan("‹ ›", bold=True),
        TextSpan(_(" move "), "dim"),
        TextSpan("< >", bold=True),
        TextSpan(_(" narrow, widen"), "dim"),
    )
    return counts, TextRow(keys)


def _coming(course: Course, items: Sequence[DrillItem]) -> tuple[TextRow, ...]:
    """Return the drill that is due first."""
    if not items:
        return (
            note(_("Nothing is due: choose a set"), "dim"),
            note(_("or an ending and its layers."), "dim"),
        )
    notes = [note(_("Next up"), "dim")]
    for item in items:
        theme = item.theme
        if theme.study:
            words = (TextSpan(theme.words),)
        else:
            words = (TextSpan(f"{theme.ending}  "), TextSpan(theme.words, "dim"))
        right = ()
        if not course.is_built(item):
            right = (TextSpan(NOT_BUILT, "faint"),)
        notes.append(TextRow(words, right))
    return tuple(notes)


def _path(course: Course, width: int) -> tuple[TextRow, ...]:
    """Return the next items: due ones, those that the learner often misses, and new studies."""
    path = learning_path(course)
    rating = learner_rating(course.journal, course.game.name)
    notes: list[TextRow] = []
    if rating is None:
        level = _("Your level is not known yet. The next row measures it; until then, you start with the basics.")
        if not course.game.placement_endings:
            level = _("Your level is not known yet; your first drills will show it. Begin with the basics.")
        notes += wrapped(level, width, "dim")
    else:
        notes.append(fact(_("Your level"), _level_of_learner(rating)))
    for heading, items in ((_("Due"), path.due), (_("Often missed"), path.weak), (_("New"), path.new)):
        if items:
            notes += [TextRow(), note(heading, bold=True)]
            notes += [_path_row(course, item) for item in items]
    return tuple(notes)


def _path_row(course: Course, item: DrillItem) -> TextRow:
    theme = item.theme
    if theme.study:
        name = theme.words
    else:
        name = f"{theme.ending}  {theme.words}"
    percent = course.figures([item]).percent
    if not course.is_built(item):
        right = NOT_BUILT
    elif percent is not None:
        right = f"{percent} %"
    else:
        right = ""
        if item.study is not None and item.study.rating:
            right = str(item.study.rating)
    return TextRow((TextSpan(name),), (TextSpan(right, "dim"),))


def _placement(chooser: DrillPicker, width: int) -> tuple[TextRow, ...]:
    """Return a description of the placement test, and the level that it or later drills have shown."""
    description = _(
        "{placement_positions} positions near your current level: name the result, or find the only "
        "move. This takes about five minutes."
    ).format(placement_positions=PLACEMENT_POSITIONS)
    rating = learner_rating(chooser.course.journal, chooser.course.game.name)
    level = ()
    if rating is not None:
        level = (fact(_("Your level"), _level_of_learner(rating)), TextRow())
    missing = chooser.missing()
    if not missing:
        return (*level, *wrapped(description, width, "dim"))
    builds = TextRow((TextSpan(control("build_set"), bold=True), TextSpan(_(" builds them"), "dim")))
    return (
        *level,
        *wrapped(description, width, "dim"),
        TextRow(),
        *wrapped(not_built_list(missing), width, "dim"),
        builds,
    )


def _level_of_learner(rating: Rating) -> str:
    """The level with its uncertainty: ``1640 ± 110``, where 95 of 100 times the level is between the two."""
    return f"{round(rating.rating)} ± {round(2 * rating.deviation, -1):.0f}"


def study_goal(study: Study, speech: Speech) -> str:
    """Return the goal of the learner in a study: ``White wins, mate in 21``."""
    side = side_name(study.side)
    if study.goal is None:
        return _("the table's result for {side}").format(side=side)
    goal = {
        StudyGoal.WIN: _("{side} wins").format(side=side),
        StudyGoal.DRAW: _("{side} draws").format(side=side),
        StudyGoal.HOLD_OUT: _("{side} holds out").format(side=side),
    }
    sentence = goal[study.goal]
    if study.depth and study.goal is not StudyGoal.DRAW:
        sentence += f", {at(speech.ends[study.goal is StudyGoal.WIN], study.depth)}"
    return sentence


def _study(study: Study, width: int, speech: Speech) -> tuple[TextRow, ...]:
    notes = [fact(_("Task"), study_goal(study, speech)), *wrapped(study.position, width, "faint")]
    if study.note:
        notes += [TextRow(), *wrapped(study.note, width)]
    if study.remark:
        notes += [TextRow(), *wrapped(study.remark, width, "dim")]
    if study.lesson:
        notes += [TextRow(), *wrapped(instruct(_("{lesson}: read the lesson.")), width, "dim")]
    return tuple(notes)


def _set(chooser: DrillPicker, width: int) -> tuple[TextRow, ...]:
    entry = chooser.entry
    assert entry.collection is not None
    if entry.collection.problem:
        return wrapped(entry.collection.problem, width, "loss")
    if not entry.items:
        return wrapped(
            _("This set is empty: {control} adds {to_add}.").format(
                control=control("add"), to_add=to_add(chooser.game)
            ),
            width,
            "dim",
        )
    positions = entry.collection.positions
    themes = len(entry.items) - positions
    first = []
    if positions:
        first = [count(positions, "position", "positions")]
    if themes:
        first += [count(themes, "theme", "themes")]
    notes = [
        TextRow(
            (
                TextSpan(first[0], bold=True),
                *(TextSpan(_(" and {rest}").format(rest=rest), "dim") for rest in first[1:]),
            )
        )
    ]
    if entry.collection.positions:
        if entry.collection.name in chooser.opened:
            verb = _("hides")
        else:
            verb = _("shows")
        notes.append(
            TextRow((TextSpan(control("open_set"), bold=True), TextSpan(_(" {shown} them").format(shown=verb), "dim")))
        )
    if missing := chooser.missing():
        notes += [TextRow(), *wrapped(not_built_list(missing), width, "dim")]
        notes.append(TextRow((TextSpan(control("build_set"), bold=True), TextSpan(_(" builds them"), "dim"))))
    return tuple(notes)


def _record(figures: ThemeProgress, recent: Recent, now: float) -> tuple[TextRow, ...]:
    """The last ten drills, what they lost, when the next is due."""
    if not recent.solved:
        if figures.has_cards:
            return (fact(_("Due"), due_words(figures, now)),)
        return (fact(_("Due"), _("new, not drilled yet"), "dim"),)
    marks = map(tick, recent.solved)
    rows = [TextRow((TextSpan(_("Last 10").ljust(9), "dim"), *marks))]
    if recent.thrown:
        rows.append(fact(_("Blunders"), str(recent.thrown)))
    if recent.lost:
        on_average = "" if recent.thrown else _(" on average")
        moves = _("{lost} moves{value}").format(lost=decimal(recent.lost / 2), value=on_average)
        rows.append(fact(_("Lost"), moves))
    elif not recent.thrown:
        rows.append(fact(_("Lost"), _("nothing")))
    return (*rows, fact(_("Due"), due_words(figures, now)))


def due_words(figures: ThemeProgress, now: float) -> str:
    """When the cards come, in words."""
    later = ""
    if figures.soonest is not None:
        later = in_days(figures.soonest, now)
    if figures.due:
        words = _("{due} now").format(due=figures.due)
        if later:
            words += _(", next {later}").format(later=later)
        return words
    return later or _("not scheduled")


def in_days(moment: float, now: float) -> str:
    """A day in words: ``today``, ``tomorrow``, ``in 3 days``."""
    # By calendar days, not by 24 hours: what is due at 9 tomorrow is due tomorrow also at 10 tonight.
    day = datetime.fromtimestamp(moment).date().toordinal()
    today = datetime.fromtimestamp(now).date().toordinal()
    days = day - today
    if days <= 0:
        return _("today")
    if days == 1:
        return _("tomorrow")
    return _("in {days} days").format(days=days)


# One start


def start(chosen: AnyStart | None, chooser: DrillPicker) -> tuple[TextRow, ...]:
    """One start in words, beside its board."""
    if chosen is None:
        return ()
    title = _("Sample position")
    another = (TextRow((TextSpan("n", bold=True), TextSpan(_(" another"), "dim"))),)
    entry = chooser.entry
    first = next(filter(chooser.course.is_built, chooser.items), None)
    if first is None or len(chooser.items) > 1:
        candidates = entry.items if first is None else (first,)
        if any(item.study for item in candidates):
            title = _("Its first position")
        elif first is None:
            title = _("A position from {title}").format(title=entry.title)
        another = ()
    return (
        note(f"  {title}", bold=True),
        note(f"  {_start(chosen, speech_of(chooser.game.name))}", "dim"),
        note(f"  {to_move(chooser.game.mover(chosen.position))}"),
        TextRow(),
        *another,
        TextRow((TextSpan("s", bold=True), TextSpan(_(" open it in Explore"), "dim"))),
    )


def _start(chosen: AnyStart, speech: Speech) -> str:
    """Return the value of a start: its layer, and the distance to the end."""
    if chosen.perfect is None:
        if chosen.category is Category.DRAW:
            return _("a draw")
        return _("not in any table")
    return at(speech.layer[chosen.category is Category.WIN], chosen.perfect)


def start_sentence(chosen: AnyStart, chooser: DrillPicker) -> str:
    """The same as a sentence, where there is no room for a board."""
    speech = speech_of(chooser.game.name)
    return _("sample position: {men}; {start}.").format(men=speech.men(chosen.position), start=_start(chosen, speech))


# Finding, adding, deleting, building


def to_add(game: Game[Any, Any]) -> str:
    """Return the kinds of input that can become a study of the user."""
    return _("a {position}, or a file {files}").format(
        position=speech_of(game.name).position, files=game.file_notation.files
    )


def to_find(chooser: DrillPicker) -> str:
    """Return the kinds of text that find a row."""
    return _("a set, a study, or an ending such as {example}").format(example=chooser.game.listing.example)


def not_found(text: str, chooser: DrillPicker) -> EndgameError:
    """Nothing is called like a text."""
    similar = chooser.course.studies.similar_name(text)
    if similar:
        advice = _("did you mean {name}?").format(name=quoted(similar))
    else:
        example = chooser.game.listing.example
        advice = _("type the name of a set, or an ending such as {example}").format(example=example)
    return EndgameError(_("no matches for {text}").format(text=quoted(text)), advice)


def added(done: Study | StudyImport) -> tuple[str, str]:
    """Return the number of added studies as a sentence, and its role."""
    if isinstance(done, Study):
        return _("{done} added to {my_positions}.").format(done=done.name, my_positions=set_title(MY_POSITIONS)), "win"
    words = _("{positions} added to {my_positions}").format(
        positions=count(len(done.added), "position", "positions"), my_positions=set_title(MY_POSITIONS)
    )
    if done.refused:
        words += _(", {refused} skipped ({where}: {rstrip})").format(
            refused=len(done.refused), where=done.refused[0].where, rstrip=done.refused[0].reason.rstrip(".")
        )
    role = "win" if done.added else "loss"
    return f"{words}.", role


def left_out(done: Study | StudyImport) -> tuple[TextRow, ...]:
    """Return the entries of a file that were skipped."""
    if isinstance(done, Study) or not done.refused:
        return ()
    refused = [TextRow((TextSpan(f"{refusal.where}: ", "dim"), TextSpan(refusal.reason))) for refusal in done.refused]
    return (note(_("Skipped: {refused}").format(refused=len(done.refused)), bold=True), *refused)


def shall_delete(entry: DrillEntry) -> str:
    """Return the question before a study or a theme of the user is deleted."""
    if entry.study is not None:
        return _("Delete {title} from {group}?").format(title=entry.title, group=entry.study.group)
    if entry.theme is not None:
        return _("Stop scheduling {title} {theme_label}?").format(title=entry.title, theme_label=entry.theme.words)
    return _("Delete all {positions} of {title}?").format(
        positions=count(len(entry.items), "position", "positions"), title=entry.title
    )


def deleted(entry: DrillEntry) -> str:
    """That it is gone."""
    if entry.theme:
        return _("the theme is no longer scheduled; its past drills are kept.")
    return _("{title} is deleted.").format(title=entry.title)


def export_name(title: str) -> str:
    """The proposed name of a file for a set: its title in small letters, as a sheet."""
    words = re.findall(r"[^\W_]+", title.lower())
    return f"{'-'.join(words)[:40] or 'set'}.html"


def exported(number: int, file: Path) -> str:
    """How many positions were exported, and where to."""
    return ngettext("{number} position written to {file}.", "{number} positions written to {file}.", number).format(
        number=grouped(number), file=file
    )
