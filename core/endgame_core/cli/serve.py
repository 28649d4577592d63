"""The command that serves: other programs over HTTP, and people in a browser."""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import secrets
import sys
from contextlib import ExitStack
from typing import Any

import click
from click.core import ParameterSource

from endgame_core.cli.common import Run, echo, narrate, syzygy_option
from endgame_core.errors import EndgameError
from endgame_core.untrusted import quoted

_DEFAULT = "127.0.0.1:9000"
"""Where the server listens."""

_BROWSER = "endgame_tui.web"

_TOKEN = "ENDGAME_TUI_TOKEN"


class _Address(click.ParamType[tuple[str, int]]):
    """``HOST:PORT``, ``[HOST]:PORT`` for IPv6, or a port alone."""

    name = "HOST:PORT"

    def convert(
        self, value: str | tuple[str, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        result = re.fullmatch(r"(?:(?:\[([^\[\]]+)\]|([^:\[\]]*)):)?(\d{1,5})", value, re.ASCII)
        if result is None or int(result[3]) > 65535:
            self.fail(f"{quoted(value)} is no address; write one like {_DEFAULT}.", param, ctx)
        return result[1] or result[2] or "127.0.0.1", int(result[3])


@click.command()
@click.option("--http", "address", type=_Address(), default=_DEFAULT, show_default=True, help="Address to listen on.")
@syzygy_option
@click.option("--workers", type=click.IntRange(1, 64), help="Number of worker processes (default: one per core).")
@click.option(
    "--memory", type=click.IntRange(16), default=1024, show_default=True, help="Cache size of all workers in MB."
)
@click.option("--web", type=_Address(), help="Serve the app in a browser at this address (add --http for the API).")
@click.option("--sessions", type=click.IntRange(1, 64), default=8, show_default=True, help="Maximum number of tabs.")
@click.option("--listen", is_flag=True, help="Accept connections from other machines (requires --token).")
@click.option("--token", metavar="SECRET", help=f"In the address of the page, or ${_TOKEN}; by chance by default.")
@click.pass_context
def serve(context: click.Context, address: tuple[str, int], workers: int | None, memory: int, **page: Any) -> None:
    """Serve tables over HTTP like the lichess tablebase. See docs/server.md.

    With --web, serves the app in a browser, with --locked; see docs/web.md.

    Prints the address when the server is ready. Ctrl-C or SIGTERM stops it.
    """
    from endgame_core import server

    run: Run = context.obj
    files = run.laboratory.syzygy  # says what is wrong with them, before a worker would
    with ExitStack() as ends:
        tabs = _tabs(run, files and files.path, ends, **page)
        if tabs is not None and context.get_parameter_source("address") is ParameterSource.DEFAULT:
            asyncio.run(tabs.serve_until_signal())
        else:
            server.check_installed()
            listening = ends.enter_context(server.listen(*address))
            url, loopback = server.url_of(listening), server.is_loopback(listening)
            count = workers or os.cpu_count() or 1
            pool = server.WorkerPool(count, run.root, files and files.path, memory * 1_000_000, run.reach)
            ends.callback(pool.close)
            site = server.Site(pool.ask)
            server.run(site, listening, lambda: _started(url, loopback), tabs and tabs.serve())
    narrate("the server has ended.")


def _started(url: str, loopback: bool) -> None:
    if not loopback:
        narrate("other machines can reach this address, and everyone there is answered.")
    echo(url)
    narrate(f"answering, for instance at {url}/standard?fen=7K/6Q1/8/8/2k5/8/8/8_w")


def _tabs(
    run: Run,
    syzygy: str | None,
    ends: ExitStack,
    web: tuple[str, int] | None,
    **page: Any,
) -> Any:
    """The app in a browser, where it is wanted; it listens already.

    Raises:
        EndgameError: Other machines could open it, and that was not asked for; or the secret is none.
    """
    from endgame_core import server

    listen, token = page["listen"], page["token"] or (web and os.environ.get(_TOKEN))
    if web is None:
        if listen or token:
            raise click.UsageError("--listen and --token are for --web")
        return None
    server.check_installed("textual_serve", "web")
    if token and not re.fullmatch(r"[\w.~-]{16,200}", token, re.ASCII):
        raise EndgameError("that is no secret for an address", "write 16 letters, digits or -_.~ at least")
    listening = ends.enter_context(server.listen(*web))
    loopback = server.is_loopback(listening)
    if not loopback and not (listen and token):
        raise EndgameError(
            f"other machines could open {web[0]}", "name 127.0.0.1, or add --listen and --token with a secret of yours"
        )
    token = token or secrets.token_urlsafe(24)

    def started() -> None:
        if not loopback:
            narrate("other machines can reach this address; nothing is encrypted on the way.")
        echo(f"{server.url_of(listening)}/{token}/")
        narrate("open this address in a browser. Whoever has it uses the app as you, but it is locked there:")
        narrate("files are kept in exports in the data directory only, and no engine is started.")

    named = None if loopback else web[0]
    return importlib.import_module(_BROWSER).WebServer(
        _app(run, syzygy), token, listening, (named, page["sessions"]), started
    )


def _app(run: Run, syzygy: str | None) -> list[str]:
    """What starts the app for somebody else, with the tables of this run."""
    options = ["--data-dir", str(run.root.absolute()), "--ascii" if run.ascii else "--unicode", "--locked"]
    for directory in run.reach.tables:
        options += ["--tables", str(directory)]
    return [sys.executable, "-m", "endgame_core.cli.main", *options, *(["--syzygy", syzygy] if syzygy else [])]


COMMANDS = [serve]
"""All commands of this module."""
