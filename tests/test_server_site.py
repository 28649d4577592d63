"""The HTTP side: what is asked is passed on, and every bad question gets one sentence."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.server import Reply, Site


async def ask(site: Site, path: str, query: bytes = b"", method: str = "GET") -> tuple[int, dict[bytes, bytes], Any]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("no question has a body")

    await site({"type": "http", "method": method, "path": path, "query_string": query}, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return sent[0]["status"], dict(sent[0]["headers"]), json.loads(sent[1]["body"])


async def echo(path: str, fen: str) -> Reply:
    return Reply(200, json.dumps([path, fen]).encode())


@pytest.mark.parametrize("path", ["/standard", "/standard/mainline"])
async def test_questions_are_passed_on(path: str) -> None:
    for query, fen in (
        (b"fen=8/8/8_w_-_-_0_1", "8/8/8_w_-_-_0_1"),
        (b"fen=8%2F8+w%20-&dtc=never", "8/8 w -"),
        (b"fen=", None),
        (b"fen=%C3%A9", "é"),
    ):
        status, headers, body = await ask(Site(echo), path, query)
        assert headers[b"access-control-allow-origin"] == b"*" and headers[b"content-type"] == b"application/json"
        assert (status, body) == (200, [path, fen]) if fen else status == 400
    assert (await ask(Site(echo), path, b"fen=k", "HEAD"))[0] == 200


@pytest.mark.parametrize(
    ("path", "query", "method", "status", "words"),
    [
        ("/", b"", "GET", 404, "/standard?fen=FEN"),
        ("/atomic", b"fen=k", "GET", 404, "nothing at /atomic"),
        ("/standard/", b"fen=k", "GET", 404, "nothing at"),
        ("/standard", b"fen=k", "POST", 405, "POST"),
        ("/standard", b"", "GET", 400, "no fen"),
        ("/standard", b"fen=a&fen=b", "GET", 400, "more than one fen"),
        ("/standard", b"fen=" + b"8" * 2000, "GET", 400, "1024 bytes"),
        ("/standard", b"fen=%ff%fe", "GET", 400, "cannot be read"),
        ("/standard", b"fen=\xff", "GET", 400, "cannot be read"),
        ("/standard", b"&".join([b"a=b"] * 30), "GET", 400, "cannot be read"),
    ],
)
async def test_bad_questions(path: str, query: bytes, method: str, status: int, words: str) -> None:
    found, headers, body = await ask(Site(echo), path, query, method)
    assert (found, list(body)) == (status, ["error"]) and words in body["error"]
    assert headers[b"access-control-allow-origin"] == b"*"
    assert (b"allow" in headers) is (status == 405)


@given(st.binary(max_size=1200))
def test_any_bytes_get_an_answer(query: bytes) -> None:
    status, _, body = asyncio.run(ask(Site(echo), "/standard", query))
    assert status == 200 or (status == 400 and body["error"].endswith("."))


async def test_only_so_many_are_in_hand_and_none_for_ever() -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def slow(path: str, fen: str) -> Reply:
        asked.set()
        await go.wait()
        return Reply(200, b"1")

    site = Site(slow, timeout=60, max_pending=1)
    first = asyncio.create_task(ask(site, "/standard", b"fen=k"))
    await asked.wait()
    status, headers, body = await ask(site, "/standard", b"fen=k")
    assert (status, headers[b"retry-after"]) == (503, b"1") and "too many" in body["error"]
    go.set()
    assert (await first)[0] == 200
    assert (await ask(site, "/standard", b"fen=k"))[0] == 200
    go.clear()
    status, _, body = await ask(Site(slow, timeout=0), "/standard", b"fen=k")
    assert status == 503 and "took more than 0 seconds" in body["error"]
