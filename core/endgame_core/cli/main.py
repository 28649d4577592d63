"""The command line. Standard output is data, standard error is narration."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import click

from endgame_core import paths
from endgame_core.chess.material import is_meant
from endgame_core.chess.syzygy.files import tables_in
from endgame_core.cli import archive, output, positions, practice, serve, studies, syzygy, tables
from endgame_core.cli.session import Session
from endgame_core.errors import EndgameError
from endgame_core.morris.texts import is_ending, is_morris, parse

_SCREENS = "endgame_tui.app"


class _Commands(click.Group):
    """Subcommands, or a FEN or an ending in their place: the app opens there."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        first = args[0] if args else ""
        if ("/" in first or is_morris(first) or is_meant(first)) and self.get_command(ctx, first) is None:
            return "open", self.get_command(ctx, "open"), args
        return super().resolve_command(ctx, args)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        except EndgameError as error:
            click.echo(f"endgame-tui: {error}", err=True)
            sys.exit(1)
        except BrokenPipeError:
            sys.stderr.close()
            sys.exit(1)
        except OSError as error:
            click.echo(f"endgame-tui: {error.filename or 'the disk'} cannot be used ({error.strerror}).", err=True)
            sys.exit(1)


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"max_content_width": 100})
@click.option("--data-dir", type=click.Path(path_type=Path), help="Keep tables here.")
@click.option("--ascii/--unicode", "ascii_", default=None, help="Letters instead of chess glyphs.")
@click.option("--syzygy", metavar="DIR", help="Syzygy files for the app; else $SYZYGY_PATH, or the setting syzygy.")
@click.version_option(package_name="endgame-tui")
@click.pass_context
def main(context: click.Context, data_dir: Path | None, ascii_: bool | None, syzygy: str | None) -> None:
    """Perfect endgames, layer by layer. Without a command, opens the app; with a FEN, opens it there.

    The name of an ending, such as KQvKR, opens it there, too; numbers of stones, such as 3-4, or a position of stones
    open Nine Men's Morris.

    Tables are kept in the user data directory, or in --data-dir, or in $ENDGAME_TUI_HOME.
    """
    context.obj = Session(data_dir, ascii_, syzygy)
    if context.invoked_subcommand is None:
        open_app(context.obj, None)


def open_app(session: Session, fen: str | None) -> None:
    """Opens the screens (a package of its own, which the core does not know by name before this).

    Args:
        session: This run.
        fen: A position or an ending to open, of either game.

    Raises:
        EndgameError: It is neither, or there is no terminal.
    """
    if fen is not None and is_morris(fen):
        from endgame_core.morris.index import parse_ending

        parse_ending(fen) if is_ending(fen) else parse(fen)
    elif fen is not None:
        session.game.canonical_name(fen) if is_meant(fen) else session.game.parse(fen)
    if session.syzygy:
        tables_in(session.syzygy)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise EndgameError("the app needs a terminal", "for scripts there is: endgame-tui probe FEN --json")
    importlib.import_module(_SCREENS).run(fen, session.root, session.ascii, session.syzygy)


@main.command("open", hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("fen", nargs=-1)
@click.pass_obj
def open_command(session: Session, fen: tuple[str, ...]) -> None:
    """Opens the app at a position."""
    open_app(session, " ".join(fen))


@main.command("paths")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def paths_command(session: Session, as_json: bool) -> None:
    """Where tables, compiled kernels, shipped tables and settings.toml are kept."""
    found = {
        "data": str(session.root),
        "tables": str(paths.tables_dir(session.root)),
        "journal": str(paths.journal_file(session.root)),
        "cache": str(paths.cache_dir()),
        "starter": str(paths.starter_dir()),
        "studies": str(paths.studies_dir(session.root)),
        "settings": str(paths.settings_file(session.root)),
    }
    output.facts(found, as_json)


for command in [
    *tables.COMMANDS,
    *positions.COMMANDS,
    *archive.COMMANDS,
    *practice.COMMANDS,
    *studies.COMMANDS,
    *syzygy.COMMANDS,
    *serve.COMMANDS,
]:
    main.add_command(command)


if __name__ == "__main__":
    main()
