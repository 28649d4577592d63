"""The HTTP side of the server as an ASGI application: which questions there are, and what a bad one gets.

It knows neither chess nor tables: whoever makes it says how a question is answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

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
