"""What commands share: what a run is given, which tables a text means, options, and how results are printed."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endgame_core.errors import EndgameError, EndingError, PositionError
from endgame_core.games import NAMES, by_name, game_by_spelling, metrics_of
from endgame_core.paths import SYZYGY_VARIABLE, UNRESTRICTED, AccessPolicy
from endgame_core.untrusted import decoded_lines, quoted, read_json, unquoted, visible

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext
    from endgame_core.tables.explorer import Explorer
    from endgame_core.tables.library import Library

CHESS = NAMES[0]
"""The game that is meant where nothing tells."""

METRICS = metrics_of(CHESS)
"""What depth may count in chess."""


@dataclass
class Run:
    """One run of the program.

    Attributes:
        root: The data directory.
        ascii: ASCII on (True), off (False), or as the locale says (None).
        syzygy: Directories of Syzygy files, when some were given.
        memory: Bytes of unpacked tables to keep for each game; few by default.
        reach: What may be used beside the data directory.
        plain: Whether a dialogue in lines is wanted in place of screens.
    """

    root: Path
    ascii: bool | None = None
    syzygy: str | None = None
    memory: int | None = None
    reach: AccessPolicy = UNRESTRICTED
    plain: bool = False

    @cached_property
    def laboratory(self) -> AppContext:
        """What the commands work with; Syzygy files named for this run must be there, others are warned of."""
        from endgame_core.app_context import AppContext

        return AppContext(self.root, self.syzygy, self._trouble, self.memory, self.reach)

    def file(self, named: Path) -> Path:
        """The file that was named; ``-`` stands for a stream. Raises StorageError where it must not be reached."""
        return named if str(named) == "-" else self.laboratory.file(str(named))

    def _trouble(self, problem: EndgameError) -> None:
        if self.syzygy:
            from endgame_core.chess.syzygy import tables_in

            tables_in(self.syzygy)
        warn(problem)

    def explorer(self, texts: Sequence[str], metric: str | None = None, game: str | None = None) -> Explorer[Any, Any]:
        """Asks the tables of some endings or positions as they are spelled, or of a game that is named.

        Raises:
            EndingError: They are of two games, or not of the one that is named.
            UsageError: Depth in Nine Men's Morris has one meaning only.
        """
        named = {game_by_spelling(text) or game or CHESS for text in texts}
        if game or not texts:
            named.add(game or CHESS)
        if game and len(named) == 2 and all(game_by_spelling(text) not in (game, None) for text in texts):
            raise EndingError(f"{quoted(texts[0])} is of another game than {game}", "leave --game out")
        if len(named) > 1:
            raise EndingError("these are of two games", "name endings of one game at a time, such as KQvKR or 4-3")
        metrics = metrics_of(named.pop())
        if metric is not None and metric not in metrics:
            raise click.UsageError("--metric is for chess; depth in Nine Men's Morris is plies to the end")
        return self.laboratory.explorer(metric or metrics[0])

    def endings(
        self, texts: Sequence[str], metric: str | None = None, game: str | None = None
    ) -> tuple[Library, list[str]]:
        """The tables of some endings as they are spelled, and the endings' own names; raises as :meth:`explorer`."""
        library = self.explorer(texts, metric, game).library
        return library, [library.game.canonical_name(text) for text in texts]


def completed_ending(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The endings whose names begin as what is typed in a shell."""
    names = [name for game in NAMES for name in by_name(game).endings()]
    return [name for name in names if name.casefold().startswith(begun.casefold())]


class Bytes(click.ParamType[int]):
    """A number of bytes: ``8G``, ``500M``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; fails on what is none."""
        result = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", str(value).strip(), re.IGNORECASE)
        if result is None or not float(result[1]):
            self.fail(f"{value!r} is no size; write one like 8G or 500M", param, ctx)
        return int(float(result[1]) * 1000 ** " KMGT".index(result[2].upper() or " "))


memory_option = click.option("--memory", type=Bytes(), help="Memory limit, e.g. 8G (default: 75 % of free memory).")
ending_argument = click.argument("ending", shell_complete=completed_ending)
endings_argument = click.argument("endings", nargs=-1, shell_complete=completed_ending)


def _given(context: click.Context, option: click.Parameter, directories: str | None) -> None:
    """Syzygy files named after the command count, not those named before it."""
    if directories:
        run = context.ensure_object(Run)
        if run.reach.locked:
            raise run.reach.refusal(directories, "leave --syzygy away")
        run.syzygy = directories


metric_option = click.option("--metric", type=click.Choice(METRICS), help="Chess metric (default: dtm).")
every_metric_option = click.option("--metric", type=click.Choice(METRICS), help="Metric (default: all).")
game_option = click.option("--game", type=click.Choice(NAMES), help="Game (default: detected from the input).")
syzygy_option = click.option(
    "--syzygy",
    metavar="DIR",
    expose_value=False,
    callback=_given,
    help=f"Directory of Syzygy files (default: ${SYZYGY_VARIABLE} or the setting syzygy).",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def answering(command: Callable[..., None]) -> Callable[..., None]:
    """What a command is that is given the run, or what its group has made of it, and may print JSON."""
    return json_option(click.pass_obj(command))


def on_terminal() -> bool:
    """Whether results are printed for somebody who looks at them."""
    return sys.stdout.isatty()


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text with a mark in the place of what a terminal would obey: a pipe may lead to one as well.

    Results in a pipe keep characters that only change how text is drawn.
    """
    is_data = not err and not on_terminal()
    click.echo(visible(text, keep="\n\t", only_controls=is_data), err=err, nl=nl)


def has_output() -> bool:
    """Whether standard output can be written; closed, it has been replaced by a file that can only be read."""
    try:
        os.write(sys.stdout.fileno(), b"")
    except ValueError:  # not a file, as in tests
        return True
    except OSError:
        return False
    return True


def report(text: str) -> None:
    """Print what an action has done; nothing where standard output is closed, for the action succeeded."""
    if has_output():
        echo(text)


def narrate(sentence: object) -> None:
    """Says something about the run, which is no result of it, on one line."""
    echo(visible(f"endgame-tui: {sentence}"), err=True)


def warn(problem: EndgameError) -> None:
    """Says that something is not as it was wanted, where one goes on without."""
    narrate(f"warning: {problem}")


@contextmanager
def over_one_line() -> Generator[Callable[[str, float], None]]:
    """Tells over one line of standard error how far something has come, a few times a second, on a terminal only.

    What it gives is told what is done, and which part of it; the line is wiped in the end.
    """
    last = 0.0

    def tell(what: str, part: float) -> None:
        nonlocal last
        if sys.stderr.isatty() and time.monotonic() - last >= 0.1:
            last = time.monotonic()
            click.echo(f"\r{visible(what)} {part:4.0%} \x1b[K", err=True, nl=False)

    try:
        yield tell
    finally:
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", err=True, nl=False)


_DIAGRAM = re.compile(r"(white|black) to move\b", re.IGNORECASE)
_NOTE = re.compile(r"\s[;#].*$")


def position_of(text: str) -> str:
    """The position of what commands print: of a JSON object its FEN, of a line with a note what stands before it.

    Raises:
        PositionError: It is a JSON object without a FEN.
    """
    text = unquoted(text)
    if not text.startswith("{"):
        return _NOTE.sub("", text)
    try:
        result: Any = read_json(text)
    except EndgameError as error:
        raise PositionError(f"{quoted(text)} is no position: {error.what}") from None
    if not isinstance(result.get("fen"), str):
        raise PositionError("the JSON object has no FEN", 'write one like {"fen": "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"}')
    return result["fen"]


def positions_in(lines: Iterable[bytes]) -> Iterator[tuple[int, str]]:
    """The positions of a file and their lines, one in each that is not blank; a text diagram is nine of them."""
    read = enumerate(decoded_lines(lines), 1)
    for number, line in read:
        if _DIAGRAM.match(line.lstrip()):
            yield number, line + "".join(islice((row for _, row in read if row.strip()), 8))
        elif line.strip():
            yield number, line


def document(value: Any) -> None:
    """Prints one JSON document on one line."""
    echo(json.dumps(value))


def facts(values: Mapping[str, Any], as_json: bool) -> None:
    """Prints named facts, a line each, or as a JSON object."""
    if as_json:
        document(values)
        return
    width = max(len(name) for name in values)
    for name, value in values.items():
        echo(f"{name:<{width}}  {value}")


def aligned(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> Iterator[str]:
    """Rows in aligned columns; those in ``right`` to the right."""
    cells = [[str(cell).replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        parts = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        yield "  ".join(parts).rstrip()


def table(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> None:
    """Prints rows in aligned columns; those in ``right`` to the right."""
    for row in aligned(rows, right):
        echo(row)
