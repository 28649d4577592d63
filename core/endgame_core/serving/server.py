"""The listening socket, and the library that speaks HTTP on it (the extra ``serve``)."""

from __future__ import annotations

import errno
import ipaddress
import signal
import socket
from collections.abc import Callable
from importlib.util import find_spec
from types import FrameType

from endgame_core.errors import EndgameError
from endgame_core.serving.site import Site

_BACKLOG = 512
"""Connections that wait to be accepted, and those that may be open at once."""

_IDLE = 15
"""Seconds for which a connection may stay open without a request, or with a part of one."""

_LAST_WORDS = 5
"""Seconds for answers in hand when the server ends."""

_LONGEST_HEAD = 16_384
"""Bytes of a request's first line and headers together."""

_REASONS = {
    errno.EADDRINUSE: ("port {port} of {host} is in use", "stop the other server, or choose another port"),
    errno.EACCES: ("port {port} is for privileged users", "choose one above 1023"),
    errno.EADDRNOTAVAIL: ("{host} is no address of this machine", "127.0.0.1 always is"),
}


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 means any free one.

    Raises:
        EndgameError: There is no such address, or the port is taken or not allowed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise EndgameError(f"{host!r} is no address", "write one like 127.0.0.1:9000") from None
    # A name of both kinds, such as localhost, stands for the kind that every client tries.
    family, kind, protocol, _, address = min(found, key=lambda info: info[0] != socket.AF_INET)
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        what, then = _REASONS.get(error.errno or 0, ("{host}:{port} cannot be used ({error.strerror})", ""))
        raise EndgameError(what.format(host=host, port=port, error=error), then) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """How to reach a socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_loopback(listening: socket.socket) -> bool:
    """Whether only this machine can reach a socket."""
    return ipaddress.ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def check_installed() -> None:
    """Raises EndgameError where the HTTP library is not installed."""
    if find_spec("uvicorn") is None:
        raise EndgameError("serving needs uvicorn, which is not installed", 'run: pip install "endgame-tui[serve]"')


def run(site: Site, listening: socket.socket, started: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM, and returns when what is in hand is answered."""
    from uvicorn import Config, Server

    from endgame_core.serving.protocol import Protocol

    def ended(number: int, frame: FrameType | None) -> None:
        """Uvicorn sends itself the signal again when it is done; then nothing is left to do."""

    config = Config(
        site,  # pyright: ignore[reportArgumentType] -- uvicorn spells out every ASGI message
        loop="asyncio", http=Protocol, ws="none", lifespan="off", log_config=None, log_level="error", access_log=False,
        server_header=False, proxy_headers=False, backlog=_BACKLOG, limit_concurrency=_BACKLOG,
        timeout_keep_alive=_IDLE, timeout_graceful_shutdown=_LAST_WORDS, h11_max_incomplete_event_size=_LONGEST_HEAD,
    )  # fmt: skip
    before = {number: signal.signal(number, ended) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        started()
        Server(config).run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
