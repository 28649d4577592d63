"""The commands about practice: its figures, the journal as a file, and the positions worth practising."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from endgame_core import paths
from endgame_core.cli.common import Run, answering, document, echo, facts, json_option, narrate, position_of, table
from endgame_core.errors import EndgameError, StudyError
from endgame_core.game import Game
from endgame_core.games import NAMES
from endgame_core.paths import new_file, write_text
from endgame_core.pgn import positions
from endgame_core.practice import stats as figures
from endgame_core.practice.journal import Journal, export, export_file, import_file, import_stream
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
    record_of,
)
from endgame_core.practice.theme import groups
from endgame_core.tables.explorer import Explorer
from endgame_core.words.practice import level_words
from endgame_core.words.progress import exported, solved, window
from endgame_core.words.text_model import count, grouped, in_plies

_PATIENCE = 5.0
_FEW = 8


@contextmanager
def _journal(run: Run, *, make: bool) -> Generator[Journal]:
    """The user's journal, or an empty one where there is none yet; what is wrong with it is said."""
    path = paths.journal_file(run.root)
    journal = Journal(path if make or path.exists() else None, patience=_PATIENCE)
    try:
        notice = journal.take_notice()
        if notice and not journal.kept:
            raise EndgameError(notice[0].lower() + notice[1:].removesuffix("."))
        if notice:
            narrate(notice)
        yield journal
    finally:
        journal.close()


@click.command()
@click.option("--weeks", type=click.IntRange(1, 520), default=WEEKS, help="Number of weeks, including this one.")
@click.option("--game", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help="The game.")
@answering
def stats(run: Run, weeks: int, game: str, as_json: bool) -> None:
    """Show your practice statistics. These are the figures of the Progress screen.

    The streak of days counts both games.
    """
    with _journal(run, make=False) as journal:
        result = progress(journal, weeks, game=game)
        if as_json:
            document({"game": game, **figures.document(journal, result)})
            return
        _print_progress(journal, result, weeks)
    if result.others:
        other = next(name for name in NAMES if name != game)
        narrate(f"you also practised {other}; run endgame-tui stats --game {other}")


def _print_progress(journal: Journal, found: ProgressFigures, weeks: int) -> None:
    echo(window(found, weeks, 0))
    elsewhere = f", {found.elsewhere} more in the other game" if found.elsewhere else ""
    about = f", about {count(found.minutes, 'minute', 'minutes')}" if found.due[0] else ""
    echo(f"{found.due[0]} due today{about}{elsewhere}")
    echo(f"{count(found.run, 'day', 'days')} in a row, longest run {found.longest_run}")
    if found.drills:
        lost = "" if found.plies_lost is None else f", {found.plies_lost / 2:.1f} moves lost per drill"
        echo(f"{found.share:.0%} of {grouped(found.drills)} solved{lost}".replace("%", " %", 1))
    else:
        echo("nothing finished yet")
    if found.rating is not None:
        echo(f"streak rating {found.rating:.0f}, best streak {found.best_streak}")
    if not found.drills:
        return
    rows = [("ending", "drills", "solved", "")]
    rows += [
        (
            ending_words(c.name, found.game), grouped(c.drills), f"{c.share:.0%}".replace("%", " %"),
            "mastered" if is_mastered(journal, found.game, c.name) else "",
        )
        for c in found.endings
    ]  # fmt: skip
    echo()
    table(rows, right=(1, 2))
    echo("\nhardest")
    hardest = found.themes[:_FEW]
    levels = figures.levels(journal, (c.name for c in hardest))
    table(
        [
            (
                ending_words(c.ending, found.game), c.label, solved(c.solved, c.drills),
                f"level {level_words(levels[c.name])}" if c.name in levels else "",
            )
            for c in hardest
        ],
        right=(2,),
    )  # fmt: skip


@click.group()
def journal() -> None:
    """Export or import your practice journal."""


@journal.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.pass_obj
def export_command(run: Run, file: Path, force: bool) -> None:
    """Write all attempts, cards and ratings to FILE as JSON lines. With -, writes to standard output."""
    with _journal(run, make=False) as result:
        if str(file) == "-":
            for line in export(result):
                echo(line)
            return
        records = export_file(result, new_file(run.file(file), force))
    echo(exported(records, file), err=True)


@journal.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@answering
def import_command(run: Run, file: Path, as_json: bool) -> None:
    """Add the entries of FILE that the journal lacks. With -, reads standard input."""
    with _journal(run, make=True) as result:
        done = import_stream(result, sys.stdin.buffer) if str(file) == "-" else import_file(result, run.file(file))
    if as_json:
        bad = [{"line": line, "error": error} for line, error in done.bad]
        document({"attempts": done.attempts, "cards": done.cards, "known": done.known, "bad": bad})
    else:
        added = f"{count(done.attempts, 'attempt', 'attempts')} and {count(done.cards, 'card', 'cards')} added"
        echo(f"{added}, {done.known} known")
        for line, error in done.bad:
            echo(f"line {line} left out: {error}", err=True)
    if done.bad:
        sys.exit(1)


_beyond = click.option("--beyond", is_flag=True, help="Accept positions that no table covers, as estimates.")


class Shelf:
    """The studies of one game, and the tables they are compared with.

    Args:
        run: Knows where they are.
        game: The game; chess by default.
    """

    def __init__(self, run: Run, game: str | None) -> None:
        self.run = run
        self.named = game
        self.explorer: Explorer[Any, Any] = run.explorer((), game=game)
        self.game: Game[Any, Any] = self.explorer.game
        self.studies: Studies = run.laboratory.studies(self.game.name)
        self.in_moves = self.game.metric == "dtm"
        """Whether depths are told in moves, too."""

    def of(self, position: str) -> Shelf:
        """The one where a position belongs, as it is spelled; raises EndingError for one of another game."""
        return Shelf(self.run, self.run.explorer((position,), game=self.named).game.name)

    def named_so(self, name: str) -> StudySet | Study:
        """A set, or else a study; raises StudyError."""
        with suppress(StudyError):
            return self.studies.find(name)
        return self.studies.study(name)

    def ending(self, study: Study) -> str | None:
        """The ending of a study; None where it is an estimate."""
        return None if study.estimate else self.game.ending_of(self.game.parse(study.position))

    def is_built(self, study: Study) -> bool:
        """Whether there is a table for a study."""
        ending = self.ending(study)
        return ending is not None and self.explorer.library.is_built(ending)

    def set_facts(self, one: StudySet) -> dict[str, Any]:
        """A set as JSON, its studies left out."""
        built = sum(map(self.is_built, one.studies))
        return {
            "id": one.id, "name": one.name, "own": one.own, "positions": len(one.studies), "built": built,
            "problem": one.problem or None,
        }  # fmt: skip

    def facts(self, study: Study) -> dict[str, Any]:
        """A study as JSON; what it leaves open is taken from the tables where they are built."""
        built = self.is_built(study)
        result = asdict(judged(self.explorer, study) if built else study)
        result["set"] = result.pop("group")
        result["fen"] = result.pop("position")
        return {**result, "ending": self.ending(study), "built": built}


@click.group(invoke_without_command=True)
@click.option("--game", type=click.Choice(NAMES), help="Game (default: detected from the position, else chess).")
@json_option
@click.pass_context
def studies(context: click.Context, game: str | None, as_json: bool) -> None:
    """List, check and edit sets of studies."""
    context.obj = Shelf(context.obj, game)
    if context.invoked_subcommand is None:
        _list(context.obj, as_json)


def _list(shelf: Shelf, as_json: bool) -> None:
    result = shelf.studies.sets()
    if as_json:
        document([shelf.set_facts(one) for one in result])
        return
    rows: list[tuple[Any, ...]] = [("set", "id", "positions", "built")]
    for one in result:
        rows.append((one.name, one.id, len(one.studies), sum(shelf.is_built(s) for s in one.studies)))
    table(rows, right=(2, 3))
    if all(one.own for one in result) and (named := groups(shelf.game.name)):
        narrate(f"the shipped sets are of themes, in the app under Practise: {', '.join(named)}")
    for one in result:
        if one.problem:
            narrate(one.problem)


@studies.command("show")
@click.argument("name")
@answering
def show(shelf: Shelf, name: str, as_json: bool) -> None:
    """Show the set or the study NAME."""
    result = shelf.named_so(name)
    if isinstance(result, Study):
        if as_json:
            document(shelf.facts(result))
        else:
            _print_study(shelf.facts(result), shelf.in_moves)
        return
    listed = [shelf.facts(study) for study in result.studies]
    if as_json:
        document({**shelf.set_facts(result), "studies": listed})
        return
    rows = [("id", "goal", "mate in" if shelf.in_moves else "moves", "table", "name")]
    for one in listed:
        state = "built" if one["built"] else "estimate" if one["estimate"] else "not built"
        moves = "–" if one["depth"] is None else str((one["depth"] + 1) // 2)
        rows.append((one["id"], one["goal"] or "?", moves, state, one["name"]))
    table(rows, right=(2,))
    if result.problem:
        narrate(result.problem)


@studies.command("check")
@click.argument("names", nargs=-1)
@answering
def check(shelf: Shelf, names: tuple[str, ...], as_json: bool) -> None:
    """Check the claims of studies against your tables. Without a name, checks all."""
    chosen: list[Study] = []
    for result in [shelf.named_so(name) for name in names] or shelf.studies.sets():
        chosen += [result] if isinstance(result, Study) else result.studies
    compared = [compare(shelf.explorer, study) for study in chosen]
    if as_json:
        document(
            [
                {
                    "id": one.study.id, "outcome": one.outcome.value, "ending": one.ending or None,
                    "stated": one.study.expected, "stated_depth": one.study.depth,
                    "category": one.verdict.category.value if one.verdict else None,
                    "depth": one.verdict.depth if one.verdict else None,
                    "lesson": [asdict(problem) for problem in one.lesson],
                }
                for one in compared
            ]
        )  # fmt: skip
    else:
        _print_compared(compared)
    sys.exit(1 if any(one.outcome is Agreement.WRONG for one in compared) else 0)


def _print_compared(compared: list[StudyCheck]) -> None:
    for one in compared:
        for problem in one.lesson:
            where = f"{one.study.id}: step {problem.step} of the lesson"
            echo(f"{where}: {problem.claim} {problem.stated} stated, {problem.actual} in the tables")
        if one.outcome is Agreement.WRONG and one.verdict is not None and not one.lesson:
            stated = _in(one.study.expected or one.study.goal, one.study.depth)
            result = _in(one.verdict.category, one.verdict.depth)
            echo(f"{one.study.id}: {stated} stated, {result} in the table of {one.ending}")
    counts = Counter(one.outcome for one in compared)
    for outcome in Agreement:
        if counts[outcome] or outcome in (Agreement.RIGHT, Agreement.WRONG):
            echo(f"{counts[outcome]:>4}  {outcome}")
    missing = sorted({one.ending for one in compared if one.outcome is Agreement.NOT_BUILT})
    if missing:
        echo(f"to compare the others, run: endgame-tui build {' '.join(missing)}", err=True)


def _in(result: object, depth: int | None) -> str:
    return str(result) if depth is None else f"{result} in {in_plies(depth)}"


@studies.command("add")
@click.argument("position", nargs=-1, required=True)
@click.option("--set", "set_name", default=MY_POSITIONS, show_default=True, help="Set to add it to.")
@click.option("--name", default="", help="Name (default: its ending and a number).")
@click.option("--note", default="", help="A note, shown with the position.")
@click.option("--side", type=click.Choice(["white", "black"]), help="Your side (default: the side to move).")
@_beyond
@answering
def add(shelf: Shelf, position: tuple[str, ...], set_name: str, note: str, as_json: bool, **told: Any) -> None:
    """Add POSITION to one of your sets."""
    given = " ".join(position).strip()
    text = position_of(given)
    shelf = shelf.of(text)
    added = shelf.studies.add(text if given.startswith("{") else given, set_name, note, **told)
    if as_json:
        document(shelf.facts(added))
    else:
        echo(f"{added.id}  {added.name}")


@studies.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--set", "set_name", help="Set to add to (default: the name of the file).")
@_beyond
@answering
def import_set(shelf: Shelf, file: Path, set_name: str | None, beyond: bool, as_json: bool) -> None:
    """Add the positions of FILE to one of your sets. Lists those that cannot be added.

    FILE is a FEN list, EPD or PGN; for Nine Men's Morris one position a line, with a note after ;.
    """
    name = set_name or file.stem
    done = shelf.studies.import_records(positions(shelf.run.file(file), shelf.game), name, beyond=beyond)
    if as_json:
        refused = [asdict(refusal) for refusal in done.refused]
        document({"set": name, "added": [study.id for study in done.added], "refused": refused})
    else:
        for refusal in done.refused:
            echo(f"{refusal.where}: {refusal.reason}  {refusal.text}", err=True)
        echo(f"{len(done.added)} of {len(done.added) + len(done.refused)} positions added to {name!r}")
    sys.exit(1 if done.refused else 0)


@studies.command("export")
@click.argument("set_name", metavar="SET")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@answering
def export_set(shelf: Shelf, set_name: str, file: Path, force: bool, as_json: bool) -> None:
    """Write the positions of SET to FILE as EPD. Morris positions are one a line; with -, writes to standard output."""
    result = shelf.studies.find(set_name)
    game = shelf.game
    text = "".join(game.file_notation.write_line(record_of(study, game)) + "\n" for study in result.studies)
    if str(file) == "-":
        echo(text, nl=False)
        return
    write_text(new_file(shelf.run.file(file), force), text)
    if as_json:
        document({"set": result.id, "file": str(file), "positions": len(result.studies)})
    else:
        echo(f"{count(len(result.studies), 'position', 'positions')} of {result.name!r} in {file}", err=True)


@studies.command("remove")
@click.argument("names", nargs=-1, required=True, metavar="SET|STUDY...")
@click.pass_obj
def remove(shelf: Shelf, names: tuple[str, ...]) -> None:
    """Delete your sets or single studies."""
    for name in names:
        gone = shelf.studies.remove(name)
        echo(f"{name} removed, {gone} position{'s' * (gone != 1)}", err=True)


def _print_study(told: dict[str, Any], in_moves: bool) -> None:
    goal = told["goal"] or "not known before its table is built"
    depth = told["depth"]
    if depth is not None and told["goal"] != "draw":
        goal += f", mate in {(depth + 1) // 2} ({in_plies(depth)})" if in_moves else f", {in_plies(depth)}"
    rows = {
        "id": told["id"], "set": told["set"], "position": told["fen"], "your side": told["side"], "goal": goal,
        "table": f"{told['ending']}, {'built' if told['built'] else 'not built'}" if told["ending"] else "estimate",
        "key moves": " ".join(told["best"]), "idea": told["note"], "50 moves": told["remark"],
        "source": told["source"],
    }  # fmt: skip
    echo(told["name"])
    facts({name: value for name, value in rows.items() if value}, as_json=False)


COMMANDS = [stats, journal, studies]
"""All commands of this module."""
