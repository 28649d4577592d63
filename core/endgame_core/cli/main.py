"""The entry point of the command line. Results go to standard output, all messages to standard error."""

from __future__ import annotations

import errno
import importlib
import os
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from endgame_core import games, language, paths
from endgame_core.cli.common import Run, echo, json_command, narrate, print_facts, run_options, translated
from endgame_core.errors import BuildCancelledError, EndgameError, InterruptedByUserError, system_reason
from endgame_core.language import _
from endgame_core.untrusted import visible

_SCREENS_MODULE = "endgame_tui.app"
"""The module of the screens; by name, because the core does not import them."""

_MODULES = {
    "tables": ("build", "about", "tables", "verify", "compact", "remove", "export", "import", "syzygy"),
    "positions": ("probe", "convert", "diagram", "layers", "positions", "line", "previous"),
    "serve": ("serve",),
    "uci": ("uci",),
    "find": ("find",),
    "practice": ("stats", "journal", "studies"),
    "games": ("games",),
}
"""The commands of each module, which is imported when one of them runs: the app opens without any."""


class _CommandGroup(click.Group):
    """The commands; a FEN or an ending in place of a command opens the app there."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = list(self.commands)
        for module_names in _MODULES.values():
            names += module_names
        return sorted(names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        for module_name, names in _MODULES.items():
            if cmd_name in names:
                module = importlib.import_module(f"endgame_core.cli.{module_name}")
                commands: list[click.Command] = module.COMMANDS
                return translated(next(command for command in commands if command.name == cmd_name))
        command = super().get_command(ctx, cmd_name)
        return command and translated(command)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        word = args[0] if args else ""
        # A command comes first; of other words, only a slash (FEN) or the name of an ending opens the app.
        if self.get_command(ctx, word) is None and ("/" in word or games.game_by_spelling(word)):
            return "open", self.get_command(ctx, "open"), args
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            matches = get_close_matches(word.casefold(), self.list_commands(ctx), n=1)
            if not matches:
                raise
            message = _("{rstrip}. Did you mean {matches!r}?").format(
                rstrip=error.format_message().rstrip("."), matches=matches[0]
            )
            raise click.UsageError(message, error.ctx) from None

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _printable_click_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _printable_click_errors():
            return super().invoke(ctx)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        _open_standard_streams()
        translated(self)
        # The program multiplies no matrices; otherwise numpy would start a thread for each core when it is imported.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        try:
            return super().main(*args, **kwargs)
        except (BuildCancelledError, InterruptedByUserError) as error:
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                signal.signal(signal.SIGINT, signal.SIG_DFL)  # once more: ends at once, instead of with a traceback
            narrate(error)
            sys.exit(128 + signal.SIGINT)
        except EndgameError as error:
            narrate(error)
        except BrokenPipeError:
            # The reader of the output is gone, e.g. head: no message, and none by Python at exit.
            sys.stderr.close()
        except OSError as error:
            # Standard output was closed, and /dev/null opened read-only in its place: see _open_standard_streams.
            if error.errno == errno.EBADF and error.filename is None:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else Python fails to flush it at exit
                narrate(_("standard output is closed; redirect it to a file, or to /dev/null."))
                sys.exit(1)
            narrate(
                EndgameError(
                    _("{filename} cannot be used ({reason})").format(
                        filename=error.filename or _("the disk"), reason=system_reason(error)
                    )
                )
            )
        sys.exit(1)


@contextmanager
def _printable_click_errors() -> Generator[None]:
    """Replace control characters in Click's own errors, which quote the input; report Ctrl-C as an interruption."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise click.UsageError(visible(error.format_message(), keep="\n\t"), error.ctx) from None
    except click.ClickException as error:
        raise click.ClickException(visible(error.format_message(), keep="\n\t")) from None
    except KeyboardInterrupt:
        echo(err=True)
        raise InterruptedByUserError() from None


def _open_standard_streams() -> None:
    """Open /dev/null in place of closed standard streams, which some daemons leave.

    Python sets such a stream to None, and the next file opened would get its descriptor and everything that is printed.
    Standard output is opened read-only: a command with results to print must not seem to succeed.
    """
    modes = {0: os.O_RDONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
    for descriptor, mode in modes.items():
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest free descriptor, which is this one
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115


_SETTINGS = {"max_content_width": 100, "help_option_names": ["-h", "--help"]}


@click.group(cls=_CommandGroup, invoke_without_command=True, context_settings=_SETTINGS)
@click.option("--data-dir", type=click.Path(path_type=Path), help=_("Store tables in this directory."))
@click.option("--ascii/--unicode", "ascii_", default=None, help=_("Draw pieces as letters or as chess symbols."))
@click.option(
    "--tables",
    metavar="DIR",
    type=click.Path(path_type=Path),
    multiple=True,
    help=_("Directory of read-only tables (may be repeated)."),
)
@click.option("--syzygy", metavar="DIR", help=_("Syzygy directory (default: $SYZYGY_PATH or the syzygy setting)."))
@click.option("--gaviota", metavar="DIR", help=_("Gaviota directory (default: $GAVIOTA_PATH or the gaviota setting)."))
@click.option("--locked", is_flag=True, help=_("Deny access to files and programs outside the data directory."))
@click.option("--plain", is_flag=True, help=_("Text dialogue for screen readers, Braille displays and pipes."))
@click.option(
    language.OPTION,
    type=click.Choice(list(language.NAMES)),
    expose_value=False,
    help=_("Language (default: the language setting)."),
)
@click.version_option(package_name=paths.APP, prog_name=paths.APP)
@click.pass_context
def main(
    context: click.Context,
    data_dir: Path | None,
    ascii_: bool | None,
    tables: tuple[Path, ...],
    syzygy: str | None,
    gaviota: str | None,
    locked: bool,
    plain: bool,
) -> None:
    """Build and explore perfect endgame tablebases.

    Without a command, opens the app, optionally at a FEN, an ending such as KQvKR, or stone counts such as 3-4.

    Tables are stored in the user data directory, in --data-dir, or in $ENDGAME_TUI_HOME. --tables adds a
    read-only directory; you can repeat the option.
    """
    reach = paths.AccessPolicy(tuple(map(paths.shared_tables, tables)), locked)
    context.obj = Run(
        paths.directory(data_dir or paths.data_dir()), ascii_, syzygy, reach=reach, plain=plain, gaviota=gaviota
    )
    if context.invoked_subcommand is None:
        open_app(context.obj, None)


def open_app(run: Run, text: str | None) -> None:
    """Open the app: the screens, or plain mode if the user chose it or the terminal supports nothing else.

    Args:
        run: The run.
        text: A position or an ending of any game to open.

    Raises:
        EndgameError: The text is neither, or there is no terminal.
    """
    # Check the input before the screens take over the terminal.
    if text is not None:
        name, kind = games.identify(text) or (games.DEFAULT_GAME, "position")
        game = games.by_name(name)
        if kind == "ending":
            game.canonical_name(text)
        else:
            game.parse(text)
    run.check_directories()

    # Set by the server of browser tabs: the app then talks to it through pipes.
    is_page = "TEXTUAL_DRIVER" in os.environ
    if run.plain or (_is_line_terminal() and not is_page):
        dialogue = importlib.import_module("endgame_core.plain.dialogue")
        dialogue.run(run.root, text, run.ascii, run.syzygy, run.reach, run.gaviota)
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()) and not is_page:
        raise EndgameError(
            _("the app needs a terminal"),
            _("add --plain for a text dialogue, or run: endgame-tui probe FEN --json"),
        )
    importlib.import_module(_SCREENS_MODULE).run(text, run.root, run.ascii, run.syzygy, run.reach, run.gaviota)


def _is_line_terminal() -> bool:
    """Return whether the input is a terminal, but the output is not, or can show lines only."""
    if not sys.stdin.isatty():
        return False
    return not sys.stdout.isatty() or os.environ.get("TERM") in ("dumb", "unknown")


@main.command("open", hidden=True, context_settings={"ignore_unknown_options": True})
@click.argument("fen", nargs=-1)
@click.pass_obj
def open_command(run: Run, fen: tuple[str, ...]) -> None:
    """Open the app at a position."""
    open_app(run, " ".join(fen))


@main.command("paths")
@json_command
def paths_command(run: Run, as_json: bool) -> None:
    """Print the paths of tables, settings and app state.

    Includes the compiled kernels and the shipped tables.
    """
    file_paths = {"data": str(run.root), "tables": str(paths.tables_dir(run.root))}
    if run.reach.tables:
        file_paths["shared"] = os.pathsep.join(map(str, run.reach.tables))
    file_paths |= {
        "journal": str(paths.journal_file(run.root)),
        "cache": str(paths.cache_dir()),
        "starter": str(paths.starter_dir()),
        "studies": str(paths.studies_dir(run.root)),
        "settings": str(paths.settings_file(run.root)),
        "memory": str(paths.memory_file(run.root)),
    }
    print_facts(file_paths, as_json)


run_options(main)

if __name__ == "__main__":
    main()
