"""The command that answers other programs over HTTP."""

from __future__ import annotations

import os
import re

import click

from endgame_core.cli.common import Run, narrate, syzygy_option

_DEFAULT = "127.0.0.1:9000"


class _Address(click.ParamType[tuple[str, int]]):
    """``HOST:PORT``, ``[HOST]:PORT`` for IPv6, or a port alone."""

    name = "HOST:PORT"

    def convert(
        self, value: str | tuple[str, int], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        found = re.fullmatch(r"(?:(?:\[([^\[\]]+)\]|([^:\[\]]*)):)?(\d{1,5})", value, re.ASCII)
        if found is None or int(found[3]) > 65535:
            self.fail(f"{value!r} is no address; write one like {_DEFAULT}.", param, ctx)
        return found[1] or found[2] or "127.0.0.1", int(found[3])


@click.command()
@click.option("--http", "address", type=_Address(), default=_DEFAULT, show_default=True, help="Where to listen.")
@syzygy_option
@click.option("--workers", type=click.IntRange(1, 64), help="Processes that answer; one for each core by default.")
@click.option(
    "--memory", type=click.IntRange(16), default=1024, show_default=True, help="MB of unpacked tables that they keep."
)
@click.pass_obj
def serve(run: Run, address: tuple[str, int], syzygy: str | None, workers: int | None, memory: int) -> None:
    """Answer other programs over HTTP, as the lichess tablebase API does; see docs/server.md.

    Prints the server's address when it can be asked. Ctrl-C, or SIGTERM, ends it.
    """
    from endgame_core import server
    from endgame_core.answers import Answers

    syzygy = run.directories(syzygy)
    Answers.of(run.root, syzygy)  # says what is wrong with the tables, before a worker would
    server.check_installed()
    with server.listen(*address) as listening:
        url, loopback = server.url_of(listening), server.is_loopback(listening)
        pool = server.Workers(workers or os.cpu_count() or 1, run.root, syzygy, memory * 1_000_000)
        try:
            server.run(server.Site(pool.ask), listening, lambda: _started(url, loopback))
        finally:
            pool.close()
    narrate("the server has ended.")


def _started(url: str, loopback: bool) -> None:
    if not loopback:
        narrate("other machines can reach this address, and everyone there is answered.")
    click.echo(url)
    narrate(f"answering, for instance at {url}/standard?fen=7K/6Q1/8/8/2k5/8/8/8_w")


COMMANDS = [serve]
"""All commands of this module."""
