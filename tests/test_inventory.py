"""Every command with all its arguments, options and words of help, as the data file lists them.

A command or an option that goes, comes, or says something else is told in ``tests/data/commands.txt``, on purpose; to
write that file anew: ``python -m tests.test_inventory > tests/data/commands.txt``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from endgame_core.cli.main import main

LISTED = Path(__file__).parent / "data" / "commands.txt"


def _parameter(parameter: click.Parameter, context: click.Context) -> str:
    """All that a user is told of a parameter, on one line."""
    kind = parameter.make_metavar(context)
    if isinstance(parameter, click.Option):
        names = " / ".join([", ".join(parameter.opts), *parameter.secondary_opts])
        flag = "" if parameter.is_flag else f" {kind}"
        shown = parameter.get_help_record(context)
        default = f"  {parameter.default!r}" if isinstance(parameter.default, str | int) else ""
        return f"  {names}{flag}{default}  {shown[1] if shown else ''}".rstrip()
    return f"  {kind}{'' if parameter.required else '  may be left out'}"


def listing(command: click.Command, path: str = "endgame-tui", above: click.Context | None = None) -> Iterator[str]:
    """A command and those below it, line by line."""
    with click.Context(command, info_name=path, parent=above) as context:
        yield f"{path}{'  (hidden)' if command.hidden else ''}"
        yield f"  {' '.join((command.help or '').split())}"
        for parameter in command.params:
            yield _parameter(parameter, context)
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                found = command.get_command(context, name)
                assert found is not None
                yield ""
                yield from listing(found, f"{path} {name}", context)


def test_every_command_is_as_listed() -> None:
    assert "\n".join(listing(main)) + "\n" == LISTED.read_text()


@pytest.mark.parametrize("path", [(), ("journal",), ("studies",)])
def test_the_help_of_a_command_begins_with_one_line(path: tuple[str, ...]) -> None:
    told = CliRunner().invoke(main, [*path, "--help"], terminal_width=80).stdout.partition("Commands:")[2]
    assert told and "..." not in told


if __name__ == "__main__":
    print("\n".join(listing(main)))
