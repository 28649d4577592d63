"""Load on a running server: requests a second, and how long they take; prints JSON.

Run: ``python -m benchmarks.serving URL --data-dir DIR [--endings KQvKR,…] [--requests N] [--connections N] [--rate R]``

Every request asks for a position that was not asked before: random boards of the endings, canonical ones of every table
alike often, in both colourings. Without ``--rate`` each connection asks again as soon as it has its answer, which tells
what the server can do at most. With it, requests are due at random times (so many a second on average, whatever the
server does), and the time of each counts from when it was due: waiting for a free connection is part of it.

The client is one process on the same machine, and takes its part of the same cores; how much, it tells.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import time
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from endgame_core.chess import material
from endgame_core.chess.game import CHESS
from endgame_core.tables.library import Library

FOUR_MEN = [name for name in material.ENDINGS if material.men_count(name) == 4]


class Connection(asyncio.Protocol):
    """One connection that is kept; asks one thing at a time."""

    transport: asyncio.Transport
    answer: asyncio.Future[int]

    def __init__(self) -> None:
        self.received = b""

    def connection_made(self, transport: Any) -> None:
        """It is open."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """A part of an answer is here."""
        self.received += data
        head, end, body = self.received.partition(b"\r\n\r\n")
        if end and len(body) >= int(head.lower().partition(b"content-length:")[2].split(None, 1)[0]):
            self.answer.set_result(int(head[9:12]))
            self.received = b""

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        if not self.answer.done():
            self.answer.set_exception(ConnectionError("the server has closed a connection"))

    async def ask(self, request: bytes) -> int:
        """Sends a request; returns the status."""
        self.answer = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        return await self.answer


def requests(library: Library, endings: list[str], count: int, seed: int, path: str, host: str) -> list[bytes]:
    """Different random positions, ready to be sent."""
    rng = random.Random(seed)
    fens: dict[str, None] = {}
    while len(fens) < count:
        table = library.table(rng.choice(endings))
        board = CHESS.index.position_at(table.ending, *table.nth(rng.randrange(table.positions)))
        fens[CHESS.format(board if rng.random() < 0.5 else board.mirror()).replace(" ", "_")] = None
    return [f"GET {path}?fen={fen} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() for fen in fens]


async def load(host: str, port: int, asked: list[bytes], connections: int, rate: float, seed: int) -> dict[str, Any]:
    """Asks everything; returns the figures."""
    loop = asyncio.get_running_loop()
    free = deque([(await loop.create_connection(Connection, host, port))[1] for _ in range(connections)])
    before, began = time.process_time(), time.perf_counter()
    due = iter(asked) if not rate else timed(asked, rate, random.Random(seed), began)
    seconds: list[float] = []
    statuses: Counter[int] = Counter()

    async def client(connection: Connection) -> None:
        for item in due:
            when, request = item if isinstance(item, tuple) else (time.perf_counter(), item)
            if (early := when - time.perf_counter()) > 0:
                await asyncio.sleep(early)
            statuses[await connection.ask(request)] += 1
            seconds.append(time.perf_counter() - when)

    await asyncio.gather(*(client(connection) for connection in free))
    wall = time.perf_counter() - began
    cpu = time.process_time() - before
    seconds.sort()
    return {
        "requests": len(seconds), "per second": round(len(seconds) / wall), "statuses": dict(statuses),
        **{f"p{part:g} ms": round(1000 * seconds[int(len(seconds) * part / 100)], 1) for part in (50, 90, 99, 99.9)},
        "most ms": round(1000 * seconds[-1], 1),
        "client CPU ms per request": round(1000 * cpu / len(seconds), 3),
    }  # fmt: skip


def timed(asked: list[bytes], rate: float, rng: random.Random, when: float) -> Iterator[tuple[float, bytes]]:
    """Each request with the time when it is due."""
    for request in asked:
        when += rng.expovariate(rate)
        yield when, request


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--data-dir", type=Path, help="where the tables are from which positions are drawn")
    parser.add_argument("--endings", type=lambda text: text.split(","), default=FOUR_MEN, help="all of four men")
    parser.add_argument("--mainline", action="store_true")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--rate", type=float, default=0, help="requests due a second")
    parser.add_argument("--seed", type=int, default=1, help="another one asks for other positions")
    given = parser.parse_args()
    at = urlsplit(given.url)
    path = "/standard/mainline" if given.mainline else "/standard"
    asked = requests(Library(CHESS, given.data_dir), given.endings, given.requests, given.seed, path, at.netloc)
    found = asyncio.run(load(at.hostname or "", at.port or 80, asked, given.connections, given.rate, given.seed))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
