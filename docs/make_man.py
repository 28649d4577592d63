"""Writes the manual pages of all commands from the command line itself: ``python docs/make_man.py [DIRECTORY]``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import click
from click_man.core import write_man_pages  # pyright: ignore[reportMissingTypeStubs]

from endgame_core.cli.main import main

HERE = Path(__file__).parent
DATED = "November 2026"


def pages(directory: Path) -> None:
    """Writes the pages into a directory."""
    version = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]["version"]
    with click.Context(main) as context:
        found = [main.get_command(context, name) for name in main.list_commands(context)]
    main.commands = {str(command.name): command for command in found if command and not command.hidden}
    for command in main.commands.values():
        command.short_help = (command.help or "").partition("\n\n")[0].replace("\n", " ")
    write_man_pages("endgame-tui", main, version=version, target_dir=str(directory), date=DATED)


if __name__ == "__main__":
    pages(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "man")
