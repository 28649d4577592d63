"""The commands about practice: statistics, the journal, and sets of studies."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from endgame_core import paths
from endgame_core.cli.common import (
    STDIN,
    Run,
    csv_option,
    echo,
    extract_position,
    input_file,
    json_command,
    json_option,
    list_command,
    narrate,
    narrate_problem,
    print_csv,
    print_facts,
    print_json,
    print_problem,
    print_table,
    run_options,
    stdin_lines,
    stdin_positions,
)
from endgame_core.cli.progress import progress_line
from endgame_core.errors import EndgameError, StudyError
from endgame_core.game import Game
from endgame_core.games import NAMES
from endgame_core.language import _, decimal, ngettext
from endgame_core.paths import new_file, write_bytes
from endgame_core.pgn import positions
from endgame_core.practice import stats as practice_stats
from endgame_core.practice.journal import Journal
from endgame_core.practice.journal_exchange import export, export_file, import_file, import_stream
from endgame_core.practice.lessons import LessonPage
from endgame_core.practice.levels import is_mastered
from endgame_core.practice.records import ending_words
from endgame_core.practice.stats import WEEKS, ProgressFigures, progress
from endgame_core.practice.studies import (
    MY_POSITIONS,
    Agreement,
    Studies,
    Study,
    StudyCheck,
    StudySet,
    compare,
    judged,
    lesson_positions,
)
from endgame_core.practice.theme import groups, label_words
from endgame_core.practice.titles import set_title
from endgame_core.tables.explorer import Explorer
from endgame_core.words import sheet
from endgame_core.words.missing_tables import NOT_BUILT
from endgame_core.words.practice import level_words
from endgame_core.words.progress import exported, solved, window
from endgame_core.words.text_model import count, grouped, in_plies, in_words

_JOURNAL_TIMEOUT = 5.0
"""Seconds to wait for the journal while the app writes it."""

_HARDEST = 8
"""Hardest themes that are listed."""


@contextmanager
def _journal(run: Run, *, creates: bool) -> Generator[Journal]:
    """Open the journal.

    Args:
        run: The run.
        creates: Whether to create the journal if there is none, else an empty one in memory is used.

    Raises:
        EndgameError: It cannot be read.
    """
    path = paths.journal_file(run.root)
    is_stored = creates or path.exists()
    journal = Journal(path if is_stored else None, patience=_JOURNAL_TIMEOUT)
    try:
        notice = journal.take_notice()
        # The journal is one in memory only, because the file cannot be used.
        if notice and not journal.is_stored:
            raise EndgameError(notice[0].lower() + notice[1:].removesuffix("."))
        if notice:
            narrate_problem(notice)
        yield journal
    finally:
        journal.close()


@click.command()
@click.option("--weeks", type=click.IntRange(1, 520), default=WEEKS, help=_("Number of weeks, including this one."))
@click.option(
    "--game", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help=_("Show the statistics of this game.")
)
@json_command
def stats(run: Run, weeks: int, game: str, as_json: bool) -> None:
    """Show your practice statistics. The Progress screen shows the same figures.

    The streak of days counts both games.
    """
    with _journal(run, creates=False) as journal:
        figures = progress(journal, weeks, game=game)
        if as_json:
            print_json({"game": game, **practice_stats.document(journal, figures)})
            return
        _print_figures(figures, weeks)
        if figures.drills:
            _print_endings(journal, figures)
            _print_hardest(journal, figures)
    for other_game in figures.other_games:
        narrate(
            _("you also practised {other_game}; run endgame-tui stats --game {other_game}").format(
                other_game=other_game
            )
        )


def _print_figures(figures: ProgressFigures, weeks: int) -> None:
    echo(window(figures, weeks, 0))

    due = figures.due[0]
    minutes = ""
    if due:
        minutes = _(", about {minutes}").format(minutes=count(figures.minutes, "minute", "minutes"))
    elsewhere = ""
    if figures.elsewhere:
        others = ngettext("the other game", "other games", len(figures.games_elsewhere))
        elsewhere = _(", {elsewhere} more in {others}").format(elsewhere=figures.elsewhere, others=others)
    echo(_("{due} due today{minutes}{elsewhere}").format(due=due, minutes=minutes, elsewhere=elsewhere))
    echo(
        _("{days} in a row, longest run {longest_run}").format(
            days=count(figures.run, "day", "days"), longest_run=figures.longest_run
        )
    )

    if figures.drills:
        lost = ""
        if figures.plies_lost is not None:
            lost = _(", {plies_lost} moves lost per drill").format(plies_lost=decimal(figures.plies_lost / 2))
        echo(
            _("drills: {drills}, {percent} solved{lost}").format(
                percent=_percent(figures.share), drills=grouped(figures.drills), lost=lost
            )
        )
    else:
        echo(_("no finished drills yet"))
    if figures.rating is not None:
        echo(
            _("streak rating {rating:.0f}, best streak {best_streak}").format(
                rating=figures.rating, best_streak=figures.best_streak
            )
        )


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _print_endings(journal: Journal, figures: ProgressFigures) -> None:
    """Print the endings that were practised, with the share solved, after an empty line."""
    rows = [(_("ending"), _("drills"), _("solved"), "")]
    for ending in figures.endings:
        mastered = ""
        if is_mastered(journal, figures.game, ending.name):
            mastered = _("mastered")
        name = ending_words(ending.name, figures.game)
        rows.append((name, grouped(ending.drills), _percent(ending.share), mastered))
    echo()
    print_table(rows, right=(1, 2))


def _print_hardest(journal: Journal, figures: ProgressFigures) -> None:
    """Print the themes that are solved least often, after an empty line."""
    themes = figures.themes[:_HARDEST]
    levels = practice_stats.levels(journal, (theme.name for theme in themes))
    rows: list[tuple[str, ...]] = []
    for theme in themes:
        level = ""
        if theme.name in levels:
            level = _("level {level_words}").format(level_words=level_words(levels[theme.name]))
        ending = ending_words(theme.ending, figures.game)
        rows.append((ending, label_words(theme.name, theme.label), solved(theme.solved, theme.drills), level))
    echo(_("\nhardest"))
    print_table(rows, right=(2,))


@click.group()
def journal() -> None:
    """Export or import your practice journal."""


@journal.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--force", is_flag=True, help=_("Overwrite FILE if it exists."))
@json_command
def export_command(run: Run, file: Path, force: bool, as_json: bool) -> None:
    """Write all attempts, cards and ratings to FILE as JSON lines. With -, writes to standard output."""
    with _journal(run, creates=False) as opened:
        if str(file) == "-":
            for line in export(opened):
                echo(line)
            return
        path = new_file(run.allowed_path(file), force)
        with progress_line() as show:
            records = export_file(opened, path, partial(show, _("writing")))
    if as_json:
        print_json({"file": str(file), "records": records})
    else:
        echo(exported(records, file), err=True)


@journal.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@json_command
def import_command(run: Run, file: Path, as_json: bool) -> None:
    """Add the entries of FILE that are missing from the journal. With -, reads standard input."""
    with _journal(run, creates=True) as opened:
        if str(file) == "-":
            result = import_stream(opened, stdin_lines())
        else:
            path = run.allowed_path(file)
            with progress_line() as show:
                result = import_file(opened, path, partial(show, _("reading")))

    if as_json:
        bad = [{"line": line, "error": error} for line, error in result.bad]
        print_json({"attempts": result.attempts, "cards": result.cards, "known": result.unchanged, "bad": bad})
    else:
        attempts = count(result.attempts, "attempt", "attempts")
        cards = count(result.cards, "card", "cards")
        echo(
            _("{attempts} and {cards} added, {known} already known").format(
                attempts=attempts, cards=cards, known=result.unchanged
            )
        )
        for line, error in result.bad:
            print_problem(_("line {line} skipped: {error}").format(line=line, error=error))
    if result.bad:
        sys.exit(1)


_beyond = click.option("--beyond", is_flag=True, help=_("Also add positions that no table covers, as estimates."))


class StudyStore:
    """The studies of one game, and the tables that they are checked with; the object of the ``studies`` commands.

    Args:
        run: The run.
        game: The game of the option ``--game``; None for chess, or as a position is spelled.

    Attributes:
        in_moves: Whether depths are printed in moves besides plies.
    """

    def __init__(self, run: Run, game: str | None) -> None:
        self.run = run
        self._game_option = game
        self.explorer: Explorer[Any, Any] = run.explorer_for((), game=game)
        self.game: Game[Any, Any] = self.explorer.game
        self.studies: Studies = run.lab.studies(self.game.name)
        self.in_moves = self.game.ends_in_mate

    def for_position(self, position: str) -> StudyStore:
        """Return the store of the game of a position as spelled; raises EndingError if ``--game`` is another one."""
        game = self.run.explorer_for((position,), game=self._game_option).game
        return StudyStore(self.run, game.name)

    def find(self, name: str) -> StudySet | Study:
        """Return the set with a name or id, else the study; raises StudyError."""
        with suppress(StudyError):
            return self.studies.find(name)
        return self.studies.study(name)

    def ending_of(self, study: Study) -> str | None:
        """Return the ending of a study; None if it is an estimate."""
        if study.estimate:
            return None
        return self.game.ending_of(self.game.parse(study.position))

    def is_built(self, study: Study) -> bool:
        """Return whether the ending of a study has a table."""
        ending = self.ending_of(study)
        return ending is not None and self.explorer.library.is_built(ending)

    def set_document(self, study_set: StudySet) -> dict[str, Any]:
        """Return a set for JSON, without its studies."""
        return {
            "id": study_set.id,
            "name": study_set.name,
            "own": study_set.own,
            "positions": len(study_set.studies),
            "built": sum(map(self.is_built, study_set.studies)),
            "problem": study_set.problem or None,
        }

    def study_document(self, study: Study) -> dict[str, Any]:
        """Return a study for JSON; what it does not state is filled in from its table, if that is built."""
        is_built = self.is_built(study)
        if is_built:
            study = judged(self.explorer, study)
        result = asdict(study)
        result["set"] = result.pop("group")
        result["fen"] = result.pop("position")
        # Few studies have these: they are left out instead of empty.
        for name in ("lesson", "rating"):
            if not result[name]:
                del result[name]
        return {**result, "ending": self.ending_of(study), "built": is_built}


@click.group(invoke_without_command=True)
@click.option("--game", type=click.Choice(NAMES), help=_("Game (default: detected from the position, else chess)."))
@json_option
@csv_option
@click.pass_context
def studies(context: click.Context, game: str | None, as_json: bool, as_csv: bool) -> None:
    """List, check and edit sets of studies."""
    # The subcommands get this in place of the Run.
    context.obj = StudyStore(context.obj, game)
    if context.invoked_subcommand is None:
        _list_sets(context.obj, as_json, as_csv)


_SET_COLUMNS = ("id", "name", "own", "positions", "built", "problem")
_STUDY_COLUMNS = ("id", "name", "set", "fen", "side", "goal", "depth", "best", "ending", "built", "estimate", "note")
_CHECK_COLUMNS = ("id", "outcome", "ending", "stated", "stated_depth", "category", "depth")
"""The columns of ``--csv``, named as in JSON: of a set, of a study, and of the check of a study."""


def _list_sets(store: StudyStore, as_json: bool, as_csv: bool) -> None:
    sets = store.studies.sets()
    if as_json:
        print_json([store.set_document(study_set) for study_set in sets])
        return
    if as_csv:
        print_csv(_SET_COLUMNS, map(store.set_document, sets))
        return
    rows: list[tuple[Any, ...]] = [(_("set"), _("id"), _("positions"), _("built"))]
    for study_set in sets:
        built = sum(map(store.is_built, study_set.studies))
        rows.append((set_title(study_set.name), study_set.id, len(study_set.studies), built))
    print_table(rows, right=(2, 3))

    if all(study_set.own for study_set in sets):
        theme_groups = groups(store.game.name)
        if theme_groups:
            narrate(
                _("the app also lists drills by theme under Practise: {theme_groups}").format(
                    theme_groups=", ".join(theme_groups)
                )
            )
    for study_set in sets:
        if study_set.problem:
            narrate_problem(study_set.problem)


@studies.command("show")
@click.argument("name")
@list_command
def show(store: StudyStore, name: str, as_json: bool, as_csv: bool) -> None:
    """Show the set or study called NAME."""
    result = store.find(name)
    if isinstance(result, Study):
        document = store.study_document(result)
        if as_json:
            print_json(document)
        elif as_csv:
            print_csv(_STUDY_COLUMNS, [document])
        else:
            _print_study(document, store.in_moves)
            _print_lesson(lesson_positions(result, store.game))
        return

    documents = [store.study_document(study) for study in result.studies]
    if as_json:
        print_json({**store.set_document(result), "studies": documents})
        return
    if as_csv:
        print_csv(_STUDY_COLUMNS, documents)
        return
    rows = [(_("id"), _("goal"), _("mate in") if store.in_moves else _("moves"), _("table"), _("name"))]
    for document in documents:
        if document["built"]:
            state = _("built")
        else:
            state = _("estimate") if document["estimate"] else NOT_BUILT
        plies = document["depth"]
        moves = "–"
        if plies is not None:
            moves = str((plies + 1) // 2)
        rows.append((document["id"], document["goal"] or "?", moves, state, document["name"]))
    print_table(rows, right=(2,))
    if result.problem:
        narrate_problem(result.problem)


@studies.command("check")
@click.argument("names", nargs=-1)
@list_command
def check(store: StudyStore, names: tuple[str, ...], as_json: bool, as_csv: bool) -> None:
    """Check the claims of studies against your tables. Without a name, checks all."""
    selected: list[Study] = []
    for item in [store.find(name) for name in names] or store.studies.sets():
        if isinstance(item, Study):
            selected.append(item)
        else:
            selected += item.studies
    checks = [compare(store.explorer, study) for study in selected]
    if as_json:
        print_json([_check_document(checked) for checked in checks])
    elif as_csv:
        print_csv(_CHECK_COLUMNS, map(_check_document, checks))
    else:
        _print_checks(checks)
    # Only a wrong claim is a failure; a study without a table is none.
    status = 0
    if any(checked.outcome is Agreement.WRONG for checked in checks):
        status = 1
    sys.exit(status)


def _check_document(checked: StudyCheck) -> dict[str, Any]:
    """Return the check of a study for JSON; depths are in plies."""
    study = checked.study
    verdict = checked.verdict
    return {
        "id": study.id,
        "outcome": checked.outcome.value,
        "ending": checked.ending or None,
        "stated": study.expected,
        "stated_depth": study.depth,
        "category": verdict.category.value if verdict else None,
        "depth": verdict.depth if verdict else None,
        "lesson": [asdict(problem) for problem in checked.lesson],
    }


def _print_checks(checks: list[StudyCheck]) -> None:
    """Print the wrong claims, how many studies had each outcome, and how to build the missing tables."""
    for checked in checks:
        study = checked.study
        for problem in checked.lesson:
            step = _("{id}: step {step} of the lesson").format(id=study.id, step=problem.step)
            echo(
                _("{step}: {claim} is stated as {stated}, but the tables have {actual}").format(
                    step=step, claim=problem.claim, stated=problem.stated, actual=problem.actual
                )
            )
        verdict = checked.verdict
        if checked.outcome is Agreement.WRONG and verdict is not None and not checked.lesson:
            stated = _result_in(study.expected or study.goal, study.depth)
            actual = _result_in(verdict.category, verdict.depth)
            echo(
                _("{id}: stated as {stated}, but the table of {ending} has {actual}").format(
                    id=study.id, stated=stated, actual=actual, ending=checked.ending
                )
            )

    counts = Counter(checked.outcome for checked in checks)
    for outcome in Agreement:
        # These two are printed even if they are 0, because they are the answer.
        if counts[outcome] or outcome in (Agreement.RIGHT, Agreement.WRONG):
            echo(f"{counts[outcome]:>4}  {in_words(outcome)}")

    missing = sorted({checked.ending for checked in checks if checked.outcome is Agreement.NOT_BUILT})
    if missing:
        echo(
            _("to compare the other studies, run: endgame-tui build {missing}").format(missing=" ".join(missing)),
            err=True,
        )


def _result_in(result: object, depth: int | None) -> str:
    """Return a result with its depth in plies, if there is one: ``win in 31 plies``."""
    if depth is None:
        return str(result)
    return _("{result} in {plies}").format(result=result, plies=in_plies(depth))


@studies.command("add")
@click.argument("position", nargs=-1, required=True)
@click.option("--set", "set_name", default=MY_POSITIONS, show_default=True, help=_("Target set."))
@click.option("--name", default="", help=_("Name of the study (default: its ending and a number)."))
@click.option("--note", default="", help=_("Note to show with the position."))
@click.option("--side", type=click.Choice(["white", "black"]), help=_("Your side (default: the side to move)."))
@_beyond
@json_command
def add(
    store: StudyStore,
    position: tuple[str, ...],
    set_name: str,
    name: str,
    note: str,
    side: str | None,
    beyond: bool,
    as_json: bool,
) -> None:
    """Add POSITION to one of your sets. With -, adds the positions on standard input."""
    texts = [" ".join(position)]
    if position == (STDIN,):
        texts = [text for __, text in stdin_positions()]
    for text in map(str.strip, texts):
        bare_position = extract_position(text)
        # Each position decides its own game: standard input may mix them.
        position_store = store.for_position(bare_position)
        # A line with a note or EPD operations is added with them; of a JSON object only the FEN counts.
        line = bare_position if text.startswith("{") else text
        study = position_store.studies.add(line, set_name, note, name=name, side=side, beyond=beyond)
        if as_json:
            print_json(position_store.study_document(study))
        else:
            echo(f"{study.id}  {study.name}")


@studies.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--set", "set_name", help=_("Target set (default: the file name)."))
@_beyond
@json_command
def import_set(store: StudyStore, file: Path, set_name: str | None, beyond: bool, as_json: bool) -> None:
    """Add the positions in FILE to one of your sets. With -, reads standard input. Lists those that cannot be added.

    FILE is a FEN list, EPD or PGN; for Nine Men's Morris one position per line, with a note after ;.
    """
    name = set_name
    if not name:
        name = MY_POSITIONS if str(file) == STDIN else file.stem
    with input_file(store.run, file) as path:
        result = store.studies.import_records(positions(path, store.game), name, beyond=beyond)
    if as_json:
        refused = [asdict(refusal) for refusal in result.refused]
        print_json({"set": name, "added": [study.id for study in result.added], "refused": refused})
    else:
        for refusal in result.refused:
            print_problem(f"{refusal.where}: {refusal.reason}  {refusal.text}")
        total = len(result.added) + len(result.refused)
        echo(
            _("{added} of {total} positions added to {name!r}").format(added=len(result.added), total=total, name=name)
        )
    sys.exit(1 if result.refused else 0)


@studies.command("export")
@click.argument("set_name", metavar="SET")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option(
    "--format", "format_", type=click.Choice(sheet.FORMATS),
    help=_("EPD, or a sheet to print with six diagrams per page and solutions (default: according to the name of "
           "FILE, else EPD)."),
)  # fmt: skip
@click.option("--force", is_flag=True, help=_("Overwrite FILE if it exists."))
@json_command
def export_set(store: StudyStore, set_name: str, file: Path, format_: str | None, force: bool, as_json: bool) -> None:
    """Write the positions of SET to FILE, as EPD or as a sheet to print. With -, writes to standard output.

    Morris positions are written one per line. Solutions show best play if the endings are built. PDF needs the
    'pictures' extra.
    """
    study_set = store.studies.find(set_name)
    format_name = format_ or sheet.format_of(file)
    judge = store.run.lab.judge(store.game.name)
    with progress_line() as show:
        data = sheet.exported(study_set.name, study_set.studies, judge, format_name, partial(show, _("drawing")))
    # PDF is binary; everything else is text, which echo makes harmless for a terminal.
    if str(file) == "-" and format_name == "pdf":
        sys.stdout.buffer.write(data)
        return
    if str(file) == "-":
        echo(data.decode(), nl=False)
        return
    write_bytes(new_file(store.run.allowed_path(file), force), data)
    total = len(study_set.studies)
    if as_json:
        print_json({"set": study_set.id, "file": str(file), "positions": total})
    else:
        echo(
            _("{positions} of {study_set!r} written to {file}").format(
                positions=count(total, "position", "positions"), study_set=study_set.name, file=file
            ),
            err=True,
        )


@studies.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="SET|STUDY...")
@json_command
def remove(store: StudyStore, names: tuple[str, ...], as_json: bool) -> None:
    """Delete your sets or individual studies."""
    for name in names:
        removed = store.studies.remove(name)
        if as_json:
            print_json({"name": name, "positions": removed})
            continue
        noun = ngettext("position", "positions", removed)
        echo(_("{name} removed, {removed} {noun}").format(name=name, removed=removed, noun=noun), err=True)


def _print_study(document: dict[str, Any], in_moves: bool) -> None:
    """Print a study.

    Args:
        document: See :meth:`StudyStore.study_document`.
        in_moves: Whether to print the depth in moves besides plies.
    """
    goal = document["goal"] or _("unknown until its table is built")
    plies = document["depth"]
    if plies is not None and document["goal"] != "draw":
        if in_moves:
            goal += _(", mate in {plies} ({plies2})").format(plies=(plies + 1) // 2, plies2=in_plies(plies))
        else:
            goal += f", {in_plies(plies)}"
    table = _("estimate")
    if document["ending"]:
        state = _("built") if document["built"] else NOT_BUILT
        table = f"{document['ending']}, {state}"
    rows = {
        "id": document["id"],
        "set": document["set"],
        "position": document["fen"],
        "your side": document["side"],
        "goal": goal,
        "table": table,
        "key moves": " ".join(document["best"]),
        "idea": document["note"],
        "50 moves": document["remark"],
        "source": document["source"],
    }
    echo(document["name"])
    print_facts({label: value for label, value in rows.items() if value}, as_json=False)


def _print_lesson(pages: list[LessonPage]) -> None:
    """The text of each step, where it begins and its moves."""
    for number, page in enumerate(pages, 1):
        echo(
            _("\nstep {number} of {pages}: {positions}").format(
                number=number, pages=len(pages), positions=page.positions[0]
            )
        )
        if page.moves:
            echo(_("moves: {moves}").format(moves=" ".join(page.moves)))
        echo(page.text)


COMMANDS = list(map(run_options, [stats, journal, studies]))
"""All commands of this module."""
