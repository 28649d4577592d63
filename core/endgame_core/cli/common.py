"""What commands share: what a run is given, which tables a text means, options, and how results are printed."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endgame_core import paths
from endgame_core.chess.syzygy import VARIABLE, find_directories, usable
from endgame_core.errors import EndgameError, EndingError
from endgame_core.games import NAMES, metrics_of, spelled
from endgame_core.laboratory import Laboratory
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

if TYPE_CHECKING:
    from endgame_core.chess.syzygy import Syzygy
    from endgame_core.judge import Judge

CHESS = NAMES[0]
"""The game that is meant where nothing tells."""

METRICS = metrics_of(CHESS)
"""What depth may count in chess."""

metric_option = click.option("--metric", type=click.Choice(METRICS), help="What depth counts in chess; dtm by default.")
every_metric_option = click.option("--metric", type=click.Choice(METRICS), help="What depth counts; all by default.")
game_option = click.option("--game", type=click.Choice(NAMES), help="By default as an ending or position is spelled.")
syzygy_option = click.option(
    "--syzygy", metavar="DIR", help=f"Directory of Syzygy files; ${VARIABLE}, or the setting syzygy, by default."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@dataclass(frozen=True)
class Run:
    """One run of the program.

    Attributes:
        root: The data directory.
        ascii: ASCII on (True), off (False), or as the locale says (None).
        syzygy: Directory of Syzygy files for the app, when one was given.
    """

    root: Path
    ascii: bool | None
    syzygy: str | None = None

    @cached_property
    def laboratory(self) -> Laboratory:
        """What the commands work with."""
        return Laboratory(self.root)

    def explorer(self, texts: Sequence[str], metric: str | None = None, game: str | None = None) -> Explorer[Any, Any]:
        """Asks the tables of some endings or positions as they are spelled, or of a game that is named.

        Raises:
            EndingError: They are of two games, or not of the one that is named.
            UsageError: Depth in Nine Men's Morris has one meaning only.
        """
        named = {spelled(text) or game or CHESS for text in texts}
        if game or not texts:
            named.add(game or CHESS)
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

    def directories(self, syzygy: str | None) -> str | None:
        """The directories of Syzygy files; a warning goes before what is wrong in the environment or the settings.

        Args:
            syzygy: Those named for this once, which whoever uses them must be able to read.
        """
        if syzygy:
            return syzygy
        try:
            return usable(find_directories(None, self.root), warn)
        except EndgameError as problem:
            warn(problem)
            return None

    def judge(self, game: str, syzygy: str | None) -> Judge[Any, Any]:
        """Knows all about positions of a game, from our tables, and those of chess from Syzygy files, too.

        Args:
            game: The game.
            syzygy: Directories of Syzygy files; by default those of the environment or the settings.

        Raises:
            StorageError: A directory named here cannot be read, or has no Syzygy file.
        """
        if game == CHESS and "syzygy" not in vars(self.laboratory):
            self.laboratory.syzygy = self.opened(syzygy)
        return self.laboratory.judge(game)

    def opened(self, syzygy: str | None) -> Syzygy | None:
        """The Syzygy files, where some are named; see :meth:`directories`."""
        directories = self.directories(syzygy)
        if directories is None:
            return None
        from endgame_core.chess.syzygy import Syzygy

        return Syzygy(directories)


def run_of(data_dir: Path | None, ascii_: bool | None, syzygy: str | None) -> Run:
    """The run that the options of the program ask for."""
    return Run(data_dir or paths.data_dir(), ascii_, syzygy)


def narrate(sentence: object) -> None:
    """Says something about the run, which is no result of it."""
    click.echo(f"endgame-tui: {sentence}", err=True)


def warn(problem: EndgameError) -> None:
    """Says that something is not as it was wanted, where one goes on without."""
    narrate(f"warning: {problem}")


def over_one_line() -> Callable[[str, int, int], None]:
    """Tells over one line of standard error how far something has come, a few times a second, on a terminal only.

    What it gives is told what is done, how much of it and of how much; an empty text wipes the line.
    """
    last = 0.0

    def tell(what: str, done: int, total: int) -> None:
        nonlocal last
        if not sys.stderr.isatty() or (what and time.monotonic() - last < 0.1):
            return
        last = time.monotonic()
        click.echo(f"\r{what} {done / total:4.0%} \x1b[K" if what else "\r\x1b[K", err=True, nl=False)

    return tell


def document(value: Any) -> None:
    """Prints one JSON document on one line."""
    click.echo(json.dumps(value))


def facts(values: Mapping[str, Any], as_json: bool) -> None:
    """Prints named facts, a line each, or as a JSON object."""
    if as_json:
        document(values)
        return
    width = max(len(name) for name in values)
    for name, value in values.items():
        click.echo(f"{name:<{width}}  {value}")


def aligned(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> Iterator[str]:
    """Rows in aligned columns; those in ``right`` to the right."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        parts = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        yield "  ".join(parts).rstrip()


def table(rows: Iterable[Sequence[Any]], right: Sequence[int] = ()) -> None:
    """Prints rows in aligned columns; those in ``right`` to the right."""
    for row in aligned(rows, right):
        click.echo(row)
