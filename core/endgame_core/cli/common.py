"""Shared by all commands: global options, the tables that a text refers to, common options, and output."""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endgame_core import language
from endgame_core.cli.progress import BYTES, QUIET, file_size, hide_progress, is_quiet, progress_line
from endgame_core.errors import EndgameError, EndingError, PositionError
from endgame_core.games import DEFAULT_GAME, NAMES, by_name, game_by_spelling, metrics_of
from endgame_core.language import _, ngettext
from endgame_core.metric import Metric
from endgame_core.paths import GAVIOTA_VARIABLE, SYZYGY_VARIABLE, UNRESTRICTED, AccessPolicy
from endgame_core.untrusted import decoded_lines, quoted, read_json, unquoted, visible

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext
    from endgame_core.game import Game
    from endgame_core.tables.explorer import Explorer
    from endgame_core.tables.library import Library
    from endgame_core.words.chart import BarChart

METRICS = metrics_of(DEFAULT_GAME)
"""The metrics of chess tables."""


@dataclass
class Run:
    """One run of the program: its global options, and the tables and journal that they name.

    Attributes:
        root: The data directory.
        ascii: Whether to draw with ASCII only; None for as the locale says.
        syzygy: Directories of Syzygy files, if given.
        memory: Bytes of unpacked tables to cache for each game; None for a small default.
        reach: What may be accessed besides the data directory.
        plain: Whether to open plain mode instead of the screens.
        gaviota: Directories of Gaviota files, if given.
    """

    root: Path
    ascii: bool | None = None
    syzygy: str | None = None
    memory: int | None = None
    reach: AccessPolicy = UNRESTRICTED
    plain: bool = False
    gaviota: str | None = None

    @cached_property
    def lab(self) -> AppContext:
        """The tables, judges and studies; created on first use, because commands such as ``paths`` need none."""
        from endgame_core.app_context import AppContext

        return AppContext(self.root, self.syzygy, self._on_problem, self.memory, self.reach, self.gaviota)

    def _on_problem(self, problem: EndgameError) -> None:
        """Raise an error about the directories of the options; only warn about those of the settings."""
        # If the cause is an option of this run, this raises; otherwise a warning is enough.
        self.check_directories()
        warn(problem)

    def check_directories(self) -> None:
        """Raise StorageError if a directory of ``--syzygy`` or ``--gaviota`` has no such files."""
        if self.syzygy:
            from endgame_core.chess.syzygy import tables_in

            tables_in(self.syzygy)
        if self.gaviota:
            from endgame_core.chess.gaviota import files_in

            files_in(self.gaviota)

    def allowed_path(self, path: Path) -> Path:
        """Return the path of a file named on the command line; ``-`` stays.

        Raises:
            StorageError: The access policy forbids it.
        """
        if str(path) == "-":
            return path
        return self.lab.file(str(path))

    def explorer_for(
        self, texts: Sequence[str], metric: Metric | None = None, game: str | None = None
    ) -> Explorer[Any, Any]:
        """Return the explorer for the game of some input.

        Args:
            texts: Endings or positions; their spelling determines their game.
            metric: The metric (default: DTM for chess).
            game: The game (default: that of the texts, else chess).

        Raises:
            EndingError: The texts are of two games, or not of ``game``.
            UsageError: The game does not have the metric.
        """
        # None for a text that says nothing about its game, e.g. one with a typing error.
        text_games = [game_by_spelling(text) for text in texts]
        # A text that may belong to any game, such as a key, is of the game that was named, else of chess.
        candidates = {text_game or game or DEFAULT_GAME for text_game in text_games}
        if game or not texts:
            candidates.add(game or DEFAULT_GAME)

        # All texts are of one game, but --game names another: then the option is the mistake.
        is_other_game = all(text_game not in (game, None) for text_game in text_games)
        if game and len(candidates) == 2 and is_other_game:
            raise EndingError(
                _("{texts} does not belong to {game}").format(texts=quoted(texts[0]), game=game), _("leave out --game")
            )
        if len(candidates) > 1:
            raise EndingError(
                _("these inputs belong to different games"), _("use one game at a time, e.g. KQvKR or 4-3")
            )

        metrics = metrics_of(candidates.pop())
        if metric is not None and metric not in metrics:
            raise click.UsageError(
                _("--metric is for chess only; in Nine Men's Morris, depth is always plies to the end")
            )
        return self.lab.explorer(metric or metrics[0])

    def resolve_endings(
        self, texts: Sequence[str], metric: Metric | None = None, game: str | None = None
    ) -> tuple[Library, list[str]]:
        """Return the library and the canonical names of endings as typed; raises like :meth:`explorer_for`."""
        library = self.explorer_for(texts, metric, game).library
        return library, [library.game.canonical_name(text) for text in texts]


def check_format(game: Game[Any, Any], position_format: str | None) -> None:
    """Raise UsageError if positions of a game cannot be written as EPD, and that is the format."""
    if position_format == "epd" and game.file_notation.suffix != ".epd":
        raise click.UsageError(_("EPD is for chess only"))


def complete_ending(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the endings of all games whose names begin with the typed text, for completion in a shell."""
    names = [name for game in NAMES for name in by_name(game).endings()]
    return [name for name in names if name.casefold().startswith(incomplete.casefold())]


_BYTE_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


class ByteSize(click.ParamType[int]):
    """A number of bytes such as ``8G`` or ``500M``; prefixes are powers of 1000."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes; fails if the value is no size, or 0."""
        match = _BYTE_SIZE.fullmatch(str(value).strip())
        # 0 is no limit that anything could keep.
        if match is None or not float(match[1]):
            self.fail(_("{value!r} is not a size; write one like 8G or 500M").format(value=value), param, ctx)
        # The index in this string is the power of 1000.
        power = " KMGT".index(match[2].upper() or " ")
        return int(float(match[1]) * 1000**power)


memory_option = click.option(
    "--memory", type=ByteSize(), help=_("Memory limit, e.g. 8G (default: 75 % of free memory).")
)
ending_argument = click.argument("ending", shell_complete=complete_ending)
endings_argument = click.argument("endings", nargs=-1, shell_complete=complete_ending)


def _set_syzygy(context: click.Context, option: click.Parameter, directories: str | None) -> None:
    """Replace the directories of ``--syzygy`` given before the command by those given after it."""
    if directories:
        run = context.ensure_object(Run)
        if run.reach.locked:
            raise run.reach.refusal(directories, _("leave out --syzygy"))
        run.syzygy = directories


def _set_gaviota(context: click.Context, option: click.Parameter, directories: str | None) -> None:
    """Replace the directories of ``--gaviota`` given before the command by those given after it."""
    if directories:
        run = context.ensure_object(Run)
        if run.reach.locked:
            raise run.reach.refusal(directories, _("leave out --gaviota"))
        run.gaviota = directories


metric_option = click.option("--metric", type=click.Choice(METRICS), help=_("Chess metric (default: dtm)."))
every_metric_option = click.option("--metric", type=click.Choice(METRICS), help=_("Metric (default: all)."))
game_option = click.option("--game", type=click.Choice(NAMES), help=_("Game (default: detected from the input)."))
syzygy_option = click.option(
    "--syzygy",
    metavar="DIR",
    expose_value=False,
    callback=_set_syzygy,
    help=_("Directory of Syzygy files (default: ${syzygy_variable} or the syzygy setting).").format(
        syzygy_variable=SYZYGY_VARIABLE
    ),
)


def _check_one_format(context: click.Context, option: click.Parameter, value: bool) -> bool:
    """Return the value of ``--json`` or ``--csv``; raises UsageError if both are given."""
    # Shared by the callbacks of both options; Click calls each of them once.
    formats = context.meta.setdefault(_FORMATS, [])
    if value:
        formats.append(option.opts[0])
    if len(formats) > 1:
        raise click.UsageError(_("--json and --csv cannot be combined"))
    return value


_FORMATS = f"{__name__}.formats"

json_option = click.option("--json", "as_json", is_flag=True, callback=_check_one_format, help=_("Print JSON."))
csv_option = click.option(
    "--csv", "as_csv", is_flag=True, callback=_check_one_format, help=_("Print CSV with a header row.")
)


def _set_quiet(context: click.Context, option: click.Parameter, value: bool) -> None:
    if value:
        # Inherited by the contexts of subcommands, so that -q may stand before or after them.
        context.meta[QUIET] = True


def _set_no_color(context: click.Context, option: click.Parameter, value: bool) -> None:
    """Set the variable that Textual, Click and child processes heed."""
    if value:
        os.environ["NO_COLOR"] = "1"


def run_options(command: click.Command) -> click.Command:
    """Add ``--quiet`` and ``--no-color`` to a command and its subcommands; return the command."""
    command.params += [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_set_quiet,
            help=_("Print only results, warnings and errors."),
        ),
        click.Option(
            ["--no-color"], is_flag=True, expose_value=False, callback=_set_no_color, help=_("Use no colours.")
        ),
    ]
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            run_options(subcommand)
    return command


gaviota_option = click.option(
    "--gaviota",
    metavar="DIR",
    expose_value=False,
    callback=_set_gaviota,
    help=_("Directory of Gaviota files (default: ${gaviota_variable} or the gaviota setting).").format(
        gaviota_variable=GAVIOTA_VARIABLE
    ),
)


chart_option = click.option(
    "--chart",
    "chart_file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help=_("Write a chart to FILE instead (SVG, or PNG if FILE ends in .png)."),
)
force_option = click.option("--force", is_flag=True, help=_("Overwrite the file if it exists."))


def write_charts(run: Run, file: Path, charts: Sequence[BarChart], force: bool) -> None:
    """Write charts to a file named on the command line, ``-`` for SVG on standard output.

    Raises:
        EndgameError: The file exists already or cannot be written, or the packages for PNG are missing.
    """
    from endgame_core.paths import new_file, write_bytes
    from endgame_core.tasks.pictures import png_of
    from endgame_core.words import chart

    svg = chart.document(charts)
    if str(file) == "-":
        echo(svg, nl=False)
        return
    path = new_file(run.allowed_path(file), force)
    if path.suffix.lower() == ".png":
        data = png_of(svg)
    else:
        data = svg.encode()
    write_bytes(path, data)
    report(ngettext("chart written to {file}", "charts written to {file}", len(charts)).format(file=path))


def json_command(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command that gets the :class:`Run`, or the object of its group, and has the option ``--json``."""
    return json_option(click.pass_obj(command))


def list_command(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command like :func:`json_command`, with the option ``--csv`` besides."""
    return json_option(csv_option(click.pass_obj(command)))


def translated(command: click.Command) -> click.Command:
    """Return a command after its help, and that of its subcommands, was translated."""
    if language.current != language.ENGLISH and command.help not in _translated_help:
        command.help = _(inspect.cleandoc(command.help or ""))
        _translated_help.add(command.help)
        for subcommand in getattr(command, "commands", {}).values():
            translated(subcommand)
    return command


_translated_help: set[str | None] = set()
"""The help of the commands that were translated."""


# Output: results on standard output, everything else on standard error


def is_stdout_terminal() -> bool:
    """Return whether results are printed to a terminal."""
    return sys.stdout.isatty()


def has_stdout() -> bool:
    """Return whether standard output can be written to; if it was closed, it was replaced by a read-only file."""
    try:
        os.write(sys.stdout.fileno(), b"")
    except ValueError:  # not a file, as in tests
        return True
    except OSError:
        return False
    return True


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text without control characters that a terminal would obey: a pipe may lead to one as well.

    Results in a pipe keep characters that only change how text is drawn. Nothing is printed on standard error with
    ``--quiet``; use :func:`print_problem` for what must be read.
    """
    if err and is_quiet():
        return
    _print(text, err, nl)


def print_problem(text: str) -> None:
    """Print what went wrong with a part of the work on standard error, also with ``--quiet``."""
    _print(text, err=True)


def _print(text: str, err: bool, nl: bool = True) -> None:
    is_data = not err and not is_stdout_terminal()
    # A message must not be written behind a progress line.
    if err:
        hide_progress()
    click.echo(visible(text, keep="\n\t", only_controls=is_data), err=err, nl=nl)


def report(text: str) -> None:
    """Print what an action has done; nothing if standard output is closed, because the action succeeded."""
    if has_stdout():
        echo(text)


def narrate(sentence: object) -> None:
    """Print a message about the run, which is not part of its result, on one line of standard error."""
    echo(visible(f"endgame-tui: {sentence}"), err=True)


def narrate_problem(sentence: object) -> None:
    """Print what went wrong like :func:`narrate`, also with ``--quiet``."""
    print_problem(visible(f"endgame-tui: {sentence}"))


def warn(problem: EndgameError) -> None:
    """Print a warning about a problem that does not stop the run."""
    narrate_problem(_("warning: {problem}").format(problem=problem))


def print_json(value: Any) -> None:
    """Print a JSON document on one line."""
    echo(json.dumps(value))


class CsvTable:
    """Prints documents, as they are printed as JSON, as rows of CSV. The headings are printed at once.

    Args:
        columns: The names of the values to print; a document that lacks one leaves its cell empty.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns
        echo(csv_row(columns))

    def add(self, document: Mapping[str, Any]) -> None:
        """Print a document. Lists are joined by spaces, true and false are as in JSON."""
        echo(csv_row([_csv_cell(document.get(column)) for column in self._columns]))


def print_csv(columns: Sequence[str], documents: Iterable[Mapping[str, Any]]) -> None:
    """Print documents as CSV, see :class:`CsvTable`."""
    table = CsvTable(columns)
    for document in documents:
        table.add(document)


def csv_row(cells: Sequence[Any]) -> str:
    """Return a row of CSV, without the end of the line."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return json.dumps(value)
    return value


def print_facts(values: Mapping[str, Any], as_json: bool) -> None:
    """Print named values, one per line, or as a JSON object."""
    if as_json:
        print_json(values)
        return
    width = max(len(name) for name in values)
    for name, value in values.items():
        echo(f"{name:<{width}}  {value}")


def align(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> Iterator[str]:
    """Yield rows as lines with aligned columns.

    Args:
        rows: The cells, as many in each row.
        right: Indices of the columns that are aligned to the right.
    """
    # A newline in a cell, e.g. in a name from a file, would break the table.
    lines = [[str(cell).replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for cells in lines:
        padded: list[str] = []
        for column, cell in enumerate(cells):
            width = widths[column]
            padded.append(cell.rjust(width) if column in right else cell.ljust(width))
        yield "  ".join(padded).rstrip()


def print_table(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> None:
    """Print rows with aligned columns, see :func:`align`."""
    for line in align(rows, right):
        echo(line)


# Input: positions in the formats that commands print

STDIN = "-"
"""Standard input or output, in place of a position or the name of a file."""

_STDIN_NAME = _("standard input")
"""The name of standard input in messages, and in the source of positions from it."""


@contextmanager
def input_file(run: Run, path: Path) -> Generator[Path]:
    """Yield the path of a file to read that was named on the command line.

    ``-`` is standard input, which is copied to a temporary file: archives are read from their end.

    Raises:
        StorageError: The access policy forbids it.
    """
    if str(path) != STDIN:
        yield run.allowed_path(path)
        return
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / _STDIN_NAME
        with copy.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield copy


@contextmanager
def output_file(path: Path) -> Generator[Path]:
    """Yield the path of a binary file to write; ``-`` is standard output, to which a temporary file is copied.

    Raises:
        EndgameError: Standard output is a terminal.
    """
    if str(path) != STDIN:
        yield path
        return
    if sys.stdout.isatty():
        raise EndgameError(_("this file cannot be written to a terminal"), _("name a file or use a pipe"))
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / _STDIN_NAME
        yield copy
        with copy.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


_DIAGRAM_START = re.compile(r"(white|black) to move\b", re.IGNORECASE)
"""The first line of a text diagram; eight rows of the board follow."""

_NOTE = re.compile(r"\s[;#].*$")


def extract_position(text: str) -> str:
    """Return the position in a line as commands print it: the FEN of a JSON object, or the line without its note.

    Raises:
        PositionError: It is a JSON object without a FEN.
    """
    text = unquoted(text)
    if not text.startswith("{"):
        return _NOTE.sub("", text)
    try:
        document: Any = read_json(text)
    except EndgameError as error:
        raise PositionError(
            _("{text} is not a position: {reason}").format(text=quoted(text), reason=error.what)
        ) from None
    if not isinstance(document.get("fen"), str):
        raise PositionError(
            _("the JSON object has no FEN"), _('write one like {"fen": "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"}')
        )
    return document["fen"]


def read_positions(lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """Yield the positions of a stream with their line numbers from 1: one per line, a text diagram in nine lines.

    Blank lines are skipped.
    """
    numbered_lines = enumerate(decoded_lines(lines), 1)
    for number, line in numbered_lines:
        if _DIAGRAM_START.match(line.lstrip()):
            # Taken from the same iterator, so that the loop goes on, and counts on, behind the diagram.
            board_rows = islice((row for __, row in numbered_lines if row.strip()), 8)
            yield number, line + "".join(board_rows)
        elif line.strip():
            yield number, line


def stdin_positions() -> Iterator[tuple[int, str]]:
    """Yield the positions on standard input with their line numbers, see :func:`read_positions`."""
    return read_positions(stdin_lines())


def stdin_lines() -> Iterator[bytes]:
    """Yield the lines of standard input, and show progress, see :func:`stdin_progress`."""
    with stdin_progress() as add_read:
        for line in sys.stdin.buffer:
            yield line
            add_read(len(line))


@contextmanager
def stdin_progress() -> Generator[Callable[[int], None]]:
    """Show how much of standard input is read, if it is a file and the results do not go to the terminal.

    Yields:
        A function to call with the number of bytes that were read and answered.
    """
    # Of a pipe nobody knows the length; results on the terminal would mix with the line of progress.
    size = file_size(sys.stdin.buffer)
    if not size or is_stdout_terminal():
        yield lambda length: None
        return

    total = 0
    with progress_line(size, BYTES) as show:

        def add_read(length: int) -> None:
            nonlocal total
            total += length
            # The file may grow while it is read.
            show(_("reading"), min(1.0, total / size))

        yield add_read


def only_position(words: Sequence[str]) -> str:
    """Return the position of an argument of several words; ``-`` is the only position on standard input.

    Raises:
        PositionError: Standard input has none, or several.
    """
    if tuple(words) != (STDIN,):
        return " ".join(words)
    # Two are enough to know that there are several.
    texts = [text for __, text in islice(stdin_positions(), 2)]
    if len(texts) != 1:
        if texts:
            problem = _("standard input has several positions")
        else:
            problem = _("standard input contains no position")
        raise PositionError(problem, _("write one position"))
    return texts[0]
