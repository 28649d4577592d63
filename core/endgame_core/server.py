"""HTTP server in the format of the lichess tablebase API; see docs/server.md. Needs the extra ``serve``.

:class:`Site` is the HTTP side, an ASGI application: routes, limits and errors. It knows neither chess nor tables; the
answers come from a :class:`WorkerPool`, one process per core, because Python computes on one core per process.
:func:`run` serves both on a listening socket.
"""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import json
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import parse_qs

from endgame_core.answers import Answers, with_api_categories
from endgame_core.errors import EndgameError, EndingError, MissingError, PositionError
from endgame_core.installation import install_advice
from endgame_core.language import english_children
from endgame_core.paths import UNRESTRICTED, AccessPolicy
from endgame_core.system import sigint_blocked
from endgame_core.untrusted import visible

PATHS = ("/standard", "/standard/mainline")
"""The routes that answer questions about positions."""

DESCRIPTION_PATH = "/openapi.json"
"""The route of the OpenAPI description."""

MAX_POSITIONS = 50
"""Largest number of positions in one question."""

MAX_PENDING = 256
"""Largest number of pending requests; further ones are refused."""

TIMEOUT = 10.0
"""Seconds after which a request is abandoned."""

_LONGEST_QUERY = 8192
"""Bytes; a FEN has less than 100, and with every character escaped less than 300."""

_OTHER_FIELDS = 15
"""Parameters of a question besides its positions."""

_METHODS = ("GET", "HEAD")
_USAGE = "use " + " or ".join(f"{path}?fen=FEN" for path in PATHS)

_BACKLOG = 512
"""Largest number of connections that wait to be accepted, and of open connections."""

_IDLE_TIMEOUT = 15
"""Seconds a connection may stay open without a complete request."""

_SHUTDOWN_TIMEOUT = 5
"""Seconds for pending requests when the server stops."""

_LONGEST_HEAD = 16_384
"""Bytes of a request's first line and headers together."""

_REASONS = {
    errno.EADDRINUSE: ("port {port} of {host} is in use", "stop the other server or choose a different port"),
    errno.EACCES: ("port {port} is reserved for privileged users", "choose a port above 1023"),
    errno.EADDRNOTAVAIL: ("{host} is not an address of this machine", "use 127.0.0.1, which always works"),
}


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response.

    Attributes:
        status: The HTTP status.
        body: A JSON document.
        headers: Additional headers.
    """

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()


def refusal(status: int, sentence: str, *headers: tuple[bytes, bytes]) -> Reply:
    """Return an error response with one sentence."""
    return Reply(status, json.dumps({"error": sentence}).encode(), headers)


@cache
def _description() -> bytes:
    """The OpenAPI description as JSON."""
    from endgame_core.server_description import description

    return json.dumps(description(MAX_POSITIONS)).encode()


Ask = Callable[[str, str], Awaitable[Reply]]
"""Answers a request, given its path and FEN."""


class Site:
    """ASGI application that answers HTTP requests.

    Args:
        ask: Answers one request.
        timeout: Seconds after which a request is abandoned.
        max_pending: Largest number of pending requests.
    """

    def __init__(self, ask: Ask, timeout: float = TIMEOUT, max_pending: int = MAX_PENDING) -> None:
        self._ask = ask
        self._timeout = timeout
        self._max_pending = max_pending
        self._pending = 0

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        """Handle one ASGI request."""
        reply = await self._reply(scope["method"], scope["path"], scope["query_string"])
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(reply.body)).encode()),
            (b"access-control-allow-origin", b"*"),
            *reply.headers,
        ]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, method: str, path: str, query: bytes) -> Reply:
        if path == DESCRIPTION_PATH and method in _METHODS:
            return Reply(200, _description())
        if path not in (*PATHS, DESCRIPTION_PATH):
            return refusal(404, f"there is no page {path[:60]}; {_USAGE}.")
        if method not in _METHODS:
            return refusal(405, f"{method[:20]} is not supported; use GET.", (b"allow", ", ".join(_METHODS).encode()))
        if len(query) > _LONGEST_QUERY:
            return refusal(400, f"the query has more than {_LONGEST_QUERY} bytes; {_USAGE}.")
        try:
            fields = parse_qs(query.decode("ascii"), errors="strict", max_num_fields=MAX_POSITIONS + _OTHER_FIELDS)
        except ValueError:
            return refusal(400, f"the query cannot be read; {_USAGE}.")
        fens = fields.get("fen", [])
        if not fens:
            return refusal(400, f"the query has no fen parameter; {_USAGE}.")
        if len(fens) > MAX_POSITIONS:
            return refusal(400, f"the query has more than {MAX_POSITIONS} positions; split it into several requests.")
        # Each position counts, since each is a request to the workers.
        if self._pending + len(fens) > self._max_pending:
            return refusal(503, "too many requests are pending; try again in a second.", (b"retry-after", b"1"))
        self._pending += len(fens)
        try:
            replies = await asyncio.gather(*(self._answer(path, fen) for fen in fens))
        finally:
            self._pending -= len(fens)
        if len(replies) == 1:
            return replies[0]
        return Reply(200, b"[" + b",".join(reply.body for reply in replies) + b"]")

    async def _answer(self, path: str, fen: str) -> Reply:
        """Answer about one position; a request that times out before a worker starts on it is cancelled."""
        try:
            return await asyncio.wait_for(self._ask(path, fen), self._timeout)
        except TimeoutError:
            return refusal(503, f"the answer took more than {self._timeout:g} seconds; try again later.")


_answers: Answers | None = None
"""The tables of a worker process."""


def reply(answers: Answers, path: str, fen: str) -> Reply:
    """Answer one request; never raises an EndgameError."""
    try:
        board = answers.read(fen)
        if path.endswith("/mainline"):
            result = answers.mainline(board)
        else:
            result = with_api_categories(answers.standard(board), board.halfmove_clock)
    except (EndingError, MissingError) as error:
        return refusal(404, str(error))
    except PositionError as error:
        return refusal(400, str(error))
    except EndgameError as error:
        return refusal(500, str(error))
    return Reply(200, json.dumps(result, separators=(",", ":")).encode())


def _init_worker(root: Path, syzygy: str | None, memory: int, access: AccessPolicy, gaviota: str | None = None) -> None:
    """Initialize a worker process."""
    global _answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the server ends its workers
    threading.Thread(target=_end_with_server, daemon=True).start()
    _answers = Answers.of(root, syzygy, memory, access, gaviota)


def _end_with_server() -> None:
    """Exit when the server has been killed and cannot stop its workers."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


def _answer_in_worker(path: str, fen: str) -> Reply:
    assert _answers is not None
    return reply(_answers, path, fen)


class WorkerPool:
    """A pool of worker processes; if one dies, only the pending requests fail.

    Args:
        count: Number of processes.
        root: The data directory.
        syzygy: Directories of Syzygy files, as in PATH.
        memory: Bytes of decompressed tables to cache, in all processes together.
        access: What may be used outside the data directory.
        gaviota: Directories of Gaviota files, as in PATH.
    """

    def __init__(
        self,
        count: int,
        root: Path,
        syzygy: str | None,
        memory: int,
        access: AccessPolicy = UNRESTRICTED,
        gaviota: str | None = None,
    ) -> None:
        self._count = count
        self._tables = (root, syzygy, memory // count, access, gaviota)
        self._pool = self._start_pool()

    def _start_pool(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        # Starts the resource tracker of multiprocessing, which unblocks the signal.
        pool = ProcessPoolExecutor(self._count, context, _init_worker, self._tables)
        with sigint_blocked(), english_children():
            pool.submit(os.getpid)  # starts the first one; the others start when they are needed
        return pool

    async def ask(self, path: str, fen: str) -> Reply:
        """Answer a request in a worker process."""
        pool = self._pool
        try:
            with sigint_blocked(), english_children():  # a process may start here
                pending = asyncio.get_running_loop().run_in_executor(pool, _answer_in_worker, path, fen)
            return await pending
        except BrokenProcessPool:
            # Of all requests that fail with the dead process, the first one replaces the pool.
            if pool is self._pool:
                self._pool = self._start_pool()
            return refusal(503, "the worker process has died; try again.")
        except Exception as error:
            problem = f"endgame-tui: {path}?fen={fen!r} failed ({type(error).__name__}: {error})."
            print(visible(problem), file=sys.stderr)
            return refusal(500, "the request failed because of a bug; see the server's terminal for details.")

    def close(self) -> None:
        """Stop all workers after their current requests."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 chooses a free one.

    Raises:
        EndgameError: The address does not exist, or the port is in use or not permitted.
    """
    try:
        result = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise EndgameError(f"{host!r} is not an address", "write one like 127.0.0.1:9000") from None
    # A name of both kinds, such as localhost, stands for the kind that every client tries.
    family, kind, protocol, _, address = min(result, key=lambda info: info[0] != socket.AF_INET)
    server_socket = socket.socket(family, kind, protocol)
    try:
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server_socket.bind(address)
        server_socket.listen(_BACKLOG)
    except OSError as error:
        server_socket.close()
        what, then = _REASONS.get(error.errno or 0, ("{host}:{port} cannot be used ({error.strerror})", ""))
        raise EndgameError(what.format(host=host, port=port, error=error), then) from None
    return server_socket


def url_of(server_socket: socket.socket) -> str:
    """Return the URL of a socket."""
    host, port = server_socket.getsockname()[:2]
    if ":" in host:
        return f"http://[{host}]:{port}"
    return f"http://{host}:{port}"


def is_loopback(server_socket: socket.socket) -> bool:
    """Return whether a socket is reachable only from this machine."""
    return ipaddress.ip_address(server_socket.getsockname()[0].partition("%")[0]).is_loopback


def check_installed(library: str = "uvicorn", extra: str = "serve") -> None:
    """Raise EndgameError if a library of an optional extra is not installed."""
    if find_spec(library) is None:
        raise EndgameError(f"{library} is not installed", install_advice(extra))


def patient_protocol() -> type[asyncio.Protocol]:
    """Return the HTTP protocol of a connection that is closed if no request arrives; imports uvicorn."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        """Uvicorn's HTTP protocol with a deadline for complete requests.

        Uvicorn counts only from the end of a response, and only until the next byte: connections that send nothing, or
        a byte now and then, would keep all others out.
        """

        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            """Start the deadline of a new connection."""
            super().connection_made(transport)
            self._late = self.loop.call_later(self.timeout_keep_alive, transport.close)

        def data_received(self, data: bytes) -> None:
            """Stop the deadline once a request is complete."""
            super().data_received(data)
            if self.cycle and not self.cycle.response_complete:  # the cycle is None before the first request
                self._in_time()
            elif self._late is None:
                self._late = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            """Stop the deadline of a closed connection."""
            self._in_time()
            super().connection_lost(exc)

        def _in_time(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Protocol


def run(
    site: Site,
    server_socket: socket.socket,
    on_start: Callable[[], None],
    context: AbstractAsyncContextManager[object] | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, finish pending requests and return.

    Args:
        site: The application.
        server_socket: A listening socket.
        on_start: Called when the server starts.
        context: Entered and left in the same event loop.
    """
    from uvicorn import Config, Server

    config = Config(
        site,  # pyright: ignore[reportArgumentType] -- uvicorn spells out every ASGI message
        loop="asyncio", http=patient_protocol(), ws="none", lifespan="off", log_config=None, log_level="error",
        access_log=False, server_header=False, proxy_headers=False, backlog=_BACKLOG, limit_concurrency=_BACKLOG,
        timeout_keep_alive=_IDLE_TIMEOUT, timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
    )  # fmt: skip
    server = Server(config)

    def stop(number: int, frame: FrameType | None) -> None:
        """Stop the server on a signal that comes before Uvicorn handles them, and when Uvicorn sends it again."""
        server.should_exit = True

    async def serve() -> None:
        async with context or nullcontext():
            on_start()
            await server.serve(sockets=[server_socket])

    handlers = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        asyncio.run(serve())
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
