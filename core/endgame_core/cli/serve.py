"""The command ``serve``: tables over HTTP for other programs, and the app in a browser."""

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

from endgame_core.cli.common import Run, echo, gaviota_option, narrate, run_options, syzygy_option
from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.untrusted import quoted

_DEFAULT_ADDRESS = "127.0.0.1:9000"

_BROWSER_MODULE = "endgame_tui.web"
"""The module that serves the app in a browser; by name, because the core does not import the screens."""

_TOKEN_VARIABLE = "ENDGAME_TUI_TOKEN"
"""The environment variable for ``--token``."""


class _Address(click.ParamType[tuple[str, int]]):
    """An address: ``HOST:PORT``, ``[HOST]:PORT`` for IPv6, or a port of 127.0.0.1."""

    name = "HOST:PORT"

    def convert(
        self, value: str | tuple[str, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(?:(?:\[([^\[\]]+)\]|([^:\[\]]*)):)?(\d{1,5})", value, re.ASCII)
        if match is None or int(match[3]) > 65535:
            self.fail(
                _("{value} is not an address; write one like {default_address}.").format(
                    value=quoted(value), default_address=_DEFAULT_ADDRESS
                ),
                param,
                ctx,
            )
        ipv6_host, host, port = match.groups()
        return ipv6_host or host or "127.0.0.1", int(port)


@click.command()
@click.option(
    "--http", "address", type=_Address(), default=_DEFAULT_ADDRESS, show_default=True, help=_("Address to listen on.")
)
@syzygy_option
@gaviota_option
@click.option("--workers", type=click.IntRange(1, 64), help=_("Number of worker processes (default: one per core)."))
@click.option(
    "--memory",
    type=click.IntRange(16),
    default=1024,
    show_default=True,
    help=_("Total cache size for all workers, in MB."),
)
@click.option("--web", type=_Address(), help=_("Serve the app in a browser at this address (add --http for the API)."))
@click.option(
    "--sessions",
    type=click.IntRange(1, 64),
    default=8,
    show_default=True,
    help=_("Maximum number of open browser tabs."),
)
@click.option("--listen", is_flag=True, help=_("Accept connections from other machines (requires --token)."))
@click.option(
    "--token",
    metavar="SECRET",
    help=_("Secret in the page address (default: ${token_variable}, else random).").format(
        token_variable=_TOKEN_VARIABLE
    ),
)
@click.pass_context
def serve(
    context: click.Context,
    address: tuple[str, int],
    workers: int | None,
    memory: int,
    web: tuple[str, int] | None,
    sessions: int,
    listen: bool,
    token: str | None,
) -> None:
    """Serve tables over HTTP like the lichess tablebase. See docs/server.md.

    With --web, serves the app in a browser, with --locked; see docs/web.md.

    Prints the address when the server is ready. Ctrl-C or SIGTERM stops it.
    """
    from endgame_core import server

    run: Run = context.obj
    syzygy = run.lab.syzygy  # created here, so that a problem with the files is reported before the workers start
    syzygy_path = syzygy.path if syzygy else None
    gaviota = run.lab.gaviota
    gaviota_path = gaviota.path if gaviota else None
    with ExitStack() as cleanup:
        tabs = _start_tabs(run, syzygy_path, gaviota_path, cleanup, web, sessions, listen, token)
        # --web alone serves only the app; the API as well if --http is given, even with its default address.
        names_address = context.get_parameter_source("address") is not ParameterSource.DEFAULT
        if tabs is not None and not names_address:
            asyncio.run(tabs.serve_until_signal())
        else:
            server.check_installed()
            # First the socket: if the port is in use, no worker is started.
            sock = cleanup.enter_context(server.listen(*address))
            url = server.url_of(sock)
            is_loopback = server.is_loopback(sock)
            worker_count = workers or os.cpu_count() or 1
            pool = server.WorkerPool(worker_count, run.root, syzygy_path, memory * 1_000_000, run.reach, gaviota_path)
            cleanup.callback(pool.close)
            site = server.Site(pool.ask)
            served_tabs = None
            if tabs is not None:
                served_tabs = tabs.serve()
            server.run(site, sock, lambda: _print_url(url, is_loopback), served_tabs)
    narrate(_("the server has stopped."))


def _print_url(url: str, is_loopback: bool) -> None:
    """Print the address of the API once it answers."""
    if not is_loopback:
        narrate(_("other machines can reach this address, and there is no authentication."))
    echo(url)
    narrate(_("ready; try {url}/standard?fen=7K/6Q1/8/8/2k5/8/8/8_w").format(url=url))


def _start_tabs(
    run: Run,
    syzygy_path: str | None,
    gaviota_path: str | None,
    cleanup: ExitStack,
    web: tuple[str, int] | None,
    sessions: int,
    listen: bool,
    token: str | None,
) -> Any:
    """Start listening for browsers that open the app.

    Args:
        run: The run.
        syzygy_path: Directories of Syzygy files, if there are any.
        gaviota_path: Directories of Gaviota files, if there are any.
        cleanup: Closes the socket at the end.
        web: The address; None if the app is not served.
        sessions: How many tabs may be open at the same time.
        listen: Whether other machines may open it.
        token: The secret in the address of the page; None for that of the environment, else a random one.

    Returns:
        The ``WebServer`` of the screens' web module; None if the app is not served.

    Raises:
        EndgameError: Other machines could open the app, without ``listen`` and a token; or the token cannot be one.
    """
    from endgame_core import server

    if web is None:
        if listen or token:
            raise click.UsageError(_("--listen and --token require --web"))
        return None
    token = token or os.environ.get(_TOKEN_VARIABLE)
    server.check_installed("textual_serve", "web")
    if token and not re.fullmatch(r"[\w.~-]{16,200}", token, re.ASCII):
        raise EndgameError(_("this token cannot be used in an address"), _("use at least 16 letters, digits or -_.~"))

    host, __ = web
    sock = cleanup.enter_context(server.listen(*web))
    is_loopback = server.is_loopback(sock)
    if not is_loopback and not (listen and token):
        raise EndgameError(
            _("other machines could access {host}").format(host=host),
            _("use 127.0.0.1, or add --listen and --token SECRET"),
        )
    page_token = token or secrets.token_urlsafe(24)

    def print_url() -> None:
        if not is_loopback:
            narrate(_("other machines can reach this address; the connection is not encrypted."))
        echo(f"{server.url_of(sock)}/{page_token}/")
        narrate(_("open this address in a browser. Anyone who has it can use the app as you, but in locked mode:"))
        narrate(_("files are saved only in the exports folder of the data directory, and no engine is started."))

    allowed_host = None if is_loopback else host
    browser_module = importlib.import_module(_BROWSER_MODULE)
    command = _app_command(run, syzygy_path, gaviota_path)
    return browser_module.WebServer(command, page_token, sock, (allowed_host, sessions), print_url)


def _app_command(run: Run, syzygy_path: str | None, gaviota_path: str | None) -> list[str]:
    """Return the command that starts the app for a tab: locked, with the tables of this run."""
    # Without --ascii, Unicode: the locale of the server says nothing about the browser.
    characters = "--ascii" if run.ascii else "--unicode"
    options = ["--data-dir", str(run.root.absolute()), characters, "--locked"]
    for directory in run.reach.tables:
        options += ["--tables", str(directory)]
    if syzygy_path:
        options += ["--syzygy", syzygy_path]
    if gaviota_path:
        options += ["--gaviota", gaviota_path]
    # -P: modules in the current directory must not take the place of ours.
    return [sys.executable, "-P", "-m", "endgame_core.cli.main", *options]


COMMANDS = list(map(run_options, [serve]))
"""All commands of this module."""
