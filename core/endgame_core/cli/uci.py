"""The command ``uci``: an engine for other programs."""

from __future__ import annotations

import io
import sys

import click

from endgame_core.app_context import AppContext
from endgame_core.cli.common import Run, gaviota_option, run_options, syzygy_option
from endgame_core.errors import EndgameError


@click.command()
@syzygy_option
@gaviota_option
@click.pass_obj
def uci(run: Run) -> None:
    """Run as a UCI engine for chess programs.

    It plays from the tables, and uses its own search where no table applies. Chess programs start it and talk to it
    through pipes. See docs/uci.md for how to add it to your program.
    """
    from endgame_core.uci import UciEngine

    def make_context(syzygy: str) -> AppContext:
        # The UCI option SyzygyPath takes precedence over the command line.
        paths = syzygy or run.syzygy
        return AppContext(run.root, paths, report, memory=run.memory, access=run.reach, gaviota=run.gaviota)

    def report(problem: EndgameError) -> None:
        write(f"info string {problem}")

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        # The other program waits for each line; a pipe would be flushed only when its buffer is full.
        sys.stdout.flush()

    if isinstance(sys.stdin, io.TextIOWrapper):
        # Some programs send paths in another encoding: an unknown byte must not end the engine.
        sys.stdin.reconfigure(errors="replace")
    UciEngine(make_context, write, run.reach.locked).run(sys.stdin)


COMMANDS = list(map(run_options, [uci]))
"""All commands of this module."""
