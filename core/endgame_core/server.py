"""Answers over HTTP, in the shape of the lichess tablebase API; see docs/server.md. Needs the extra ``serve``.

:class:`Site` is the HTTP side as an ASGI application: which questions there are, and what a bad one gets. It knows
neither chess nor tables: :class:`WorkerPool` answers, one process for each core, since Python computes on one core per
process. :func:`run` joins both on a listening socket.
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
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import parse_qs

from endgame_core.answers import Answers, with_api_categories
from endgame_core.errors import EndgameError, EndingError, MissingError, PositionError
from endgame_core.paths import FREE, AccessPolicy
from endgame_core.untrusted import visible

PATHS = ("/standard", "/standard/mainline")
"""What can be asked for."""

MOST_WAITING = 256
"""Questions in hand at once; another one is sent away."""

PATIENCE = 10.0
"""Seconds after which a question is given up."""

_LONGEST_QUERY = 1024
"""Bytes; a FEN with every character escaped has less than 300."""

_METHODS = ("GET", "HEAD")
_USAGE = "ask for " + " or ".join(f"{path}?fen=FEN" for path in PATHS)

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


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back.

    Attributes:
        status: The HTTP status.
        body: A JSON document.
        headers: Headers beside those that every reply has.
    """

    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()


def refusal(status: int, sentence: str, *headers: tuple[bytes, bytes]) -> Reply:
    """A reply that says in one sentence what was wrong."""
    return Reply(status, json.dumps({"error": sentence}).encode(), headers)


Ask = Callable[[str, str], Awaitable[Reply]]
"""Answers a question: path and FEN."""


class Site:
    """Answers HTTP requests.

    Args:
        ask: Answers one question.
        patience: Seconds after which a question is given up.
        most_waiting: Questions in hand at once.
    """

    def __init__(self, ask: Ask, patience: float = PATIENCE, most_waiting: int = MOST_WAITING) -> None:
        self._ask = ask
        self._patience = patience
        self._most_waiting = most_waiting
        self._in_hand = 0

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        """One request, as ASGI has it."""
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
        if path not in PATHS:
            return refusal(404, f"there is nothing at {path[:60]}; {_USAGE}.")
        if method not in _METHODS:
            return refusal(405, f"{method[:20]} is not answered; use GET.", (b"allow", ", ".join(_METHODS).encode()))
        if len(query) > _LONGEST_QUERY:
            return refusal(400, f"the question has more than {_LONGEST_QUERY} bytes; {_USAGE}.")
        try:
            fens = parse_qs(query.decode("ascii"), errors="strict", max_num_fields=16).get("fen", [])
        except ValueError:
            return refusal(400, f"the question cannot be read; {_USAGE}.")
        if len(fens) != 1:
            return refusal(400, f"the question has {'more than one' if fens else 'no'} fen; {_USAGE}.")
        return await self._asked(path, fens[0])

    async def _asked(self, path: str, fen: str) -> Reply:
        """Asks, and waits so long; a question that is given up before anybody is at it is not answered at all."""
        if self._in_hand >= self._most_waiting:
            return refusal(503, "too many questions wait already; ask again in a second.", (b"retry-after", b"1"))
        self._in_hand += 1
        try:
            return await asyncio.wait_for(self._ask(path, fen), self._patience)
        except TimeoutError:
            return refusal(503, f"the answer took more than {self._patience:g} seconds; ask again later.")
        finally:
            self._in_hand -= 1


_answers: Answers | None = None
"""The tables of a worker process."""


def reply(answers: Answers, path: str, fen: str) -> Reply:
    """Answers one question; never raises an EndgameError."""
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


def _start(root: Path, syzygy: str | None, memory: int, reach: AccessPolicy) -> None:
    """Makes a process a worker."""
    global _answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the server ends its workers
    threading.Thread(target=_end_with_server, daemon=True).start()
    _answers = Answers.open(root, syzygy, memory, reach)


def _end_with_server() -> None:
    """Ends the process when the server has been killed and cannot say so any more."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


def _work(path: str, fen: str) -> Reply:
    assert _answers is not None
    return reply(_answers, path, fen)


class WorkerPool:
    """A pool of worker processes; one that dies costs the questions in hand, and no more.

    Args:
        count: How many.
        root: The data directory.
        syzygy: Directories of Syzygy files, as in PATH.
        memory: Bytes of unpacked tables that they keep, all together.
        reach: What may be used beside the data directory.
    """

    def __init__(
        self,
        count: int,
        root: Path,
        syzygy: str | None,
        memory: int,
        reach: AccessPolicy = FREE,
    ) -> None:
        self._count = count
        self._tables = (root, syzygy, memory // count, reach)
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._count, context, _start, self._tables)
        pool.submit(os.getpid)  # starts the first one; the others start when they are needed
        return pool

    async def ask(self, path: str, fen: str) -> Reply:
        """Has a worker answer a question."""
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, _work, path, fen)
        except BrokenProcessPool:
            if pool is self._pool:
                self._pool = self._started()
            return refusal(503, "the process that was at it has died; ask again.")
        except Exception as error:
            problem = f"endgame-tui: {path}?fen={fen!r} failed ({type(error).__name__}: {error})."
            print(visible(problem), file=sys.stderr)
            return refusal(
                500, "the answer failed, which is a fault of this program; the server's terminal tells more."
            )

    def close(self) -> None:
        """Ends all workers; they finish what they are at."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 means any free one.

    Raises:
        EndgameError: There is no such address, or the port is taken or not allowed.
    """
    try:
        result = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise EndgameError(f"{host!r} is no address", "write one like 127.0.0.1:9000") from None
    # A name of both kinds, such as localhost, stands for the kind that every client tries.
    family, kind, protocol, _, address = min(result, key=lambda info: info[0] != socket.AF_INET)
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


def check_installed(library: str = "uvicorn", extra: str = "serve") -> None:
    """Raises EndgameError where a library that an extra brings is not installed."""
    if find_spec(library) is None:
        raise EndgameError(f"{library} is not installed", f'run in the clone: .venv/bin/pip install ".[{extra}]"')


def patient_protocol() -> type[asyncio.Protocol]:
    """HTTP on one connection, which may not stay open without asking anything; imports uvicorn."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        """Uvicorn's HTTP, with a time by which a whole question must have come.

        Uvicorn counts from the end of an answer only, and only until the next byte: connections that say nothing, or a
        byte now and then, would keep everybody else out.
        """

        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            """A client is there."""
            super().connection_made(transport)
            self._late = self.loop.call_later(self.timeout_keep_alive, transport.close)

        def data_received(self, data: bytes) -> None:
            """Bytes have come: a question, or a part of one."""
            super().data_received(data)
            if self.cycle and not self.cycle.response_complete:  # there is none before the first request
                self._in_time()
            elif self._late is None:
                self._late = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

        def connection_lost(self, exc: Exception | None) -> None:
            """The client has gone."""
            self._in_time()
            super().connection_lost(exc)

        def _in_time(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return Protocol


def run(
    site: Site,
    listening: socket.socket,
    started: Callable[[], None],
    beside: AbstractAsyncContextManager[object] | None = None,
) -> None:
    """Serves until SIGINT or SIGTERM, and returns when what is in hand is answered.

    Args:
        site: What answers.
        listening: Where.
        started: Called when it begins.
        beside: Entered and left in the same event loop.
    """
    from uvicorn import Config, Server

    def ended(number: int, frame: FrameType | None) -> None:
        """Uvicorn sends itself the signal again when it is done; then nothing is left to do."""

    async def serve() -> None:
        async with beside or nullcontext():
            started()
            await Server(config).serve(sockets=[listening])

    config = Config(
        site,  # pyright: ignore[reportArgumentType] -- uvicorn spells out every ASGI message
        loop="asyncio", http=patient_protocol(), ws="none", lifespan="off", log_config=None, log_level="error",
        access_log=False, server_header=False, proxy_headers=False, backlog=_BACKLOG, limit_concurrency=_BACKLOG,
        timeout_keep_alive=_IDLE, timeout_graceful_shutdown=_LAST_WORDS, h11_max_incomplete_event_size=_LONGEST_HEAD,
    )  # fmt: skip
    before = {number: signal.signal(number, ended) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        asyncio.run(serve())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
