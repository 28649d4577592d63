"""The HTTP side of the server: requests are passed on, and every bad one gets one sentence."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import endgame_core
from endgame_core.server import MAX_POSITIONS, PATHS, Reply, Site, refusal


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
async def test_queries_are_answered_by_the_workers(path: str) -> None:
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
        ("/atomic", b"fen=k", "GET", 404, "no page /atomic"),
        ("/standard/", b"fen=k", "GET", 404, "no page /standard/"),
        ("/standard", b"fen=k", "POST", 405, "POST"),
        ("/standard", b"", "GET", 400, "no fen"),
        ("/standard", b"&".join([b"fen=a"] * 51), "GET", 400, "more than 50 positions"),
        ("/openapi.json", b"", "POST", 405, "POST"),
        ("/standard", b"fen=" + b"8" * 8200, "GET", 400, "8192 bytes"),
        ("/standard", b"fen=%ff%fe", "GET", 400, "cannot be read"),
        ("/standard", b"fen=\xff", "GET", 400, "cannot be read"),
        ("/standard", b"&".join([b"a=b"] * 70), "GET", 400, "cannot be read"),
    ],
)
async def test_bad_requests_get_a_status_and_one_sentence(
    path: str, query: bytes, method: str, status: int, words: str
) -> None:
    found, headers, body = await ask(Site(echo), path, query, method)
    assert (found, list(body)) == (status, ["error"]) and words in body["error"]
    assert headers[b"access-control-allow-origin"] == b"*"
    assert (b"allow" in headers) is (status == 405)


@given(st.binary(max_size=1200))
def test_any_request_gets_a_response(query: bytes) -> None:
    status, _, body = asyncio.run(ask(Site(echo), "/standard", query))
    assert status == 200 or (status == 400 and body["error"].endswith("."))


async def test_several_positions_are_answered_in_their_order() -> None:
    async def some(path: str, fen: str) -> Reply:
        await asyncio.sleep(0.01 if fen == "a" else 0)
        return refusal(404, "it is missing.") if fen == "b" else await echo(path, fen)

    status, _, body = await ask(Site(some), "/standard", b"fen=a&fen=b&x=y&fen=c")
    assert (status, body) == (200, [["/standard", "a"], {"error": "it is missing."}, ["/standard", "c"]])
    many = b"&".join(b"fen=%d" % number for number in range(MAX_POSITIONS))
    status, _, body = await ask(Site(echo, max_pending=MAX_POSITIONS), "/standard", many)
    assert status == 200 and [fen for _, fen in body] == [str(number) for number in range(MAX_POSITIONS)]
    assert (await ask(Site(echo, max_pending=MAX_POSITIONS - 1), "/standard", many))[0] == 503


async def test_the_description_names_every_route_and_resolves() -> None:
    status, _, body = await ask(Site(echo), "/openapi.json")
    assert status == 200 and body["openapi"].startswith("3.1") and tuple(body["paths"]) == PATHS
    assert body["info"]["version"] == endgame_core.__version__
    schemas = body["components"]["schemas"]
    references = re.findall(r'"#/components/schemas/(\w+)"', json.dumps(body))
    assert {*references} == {*schemas}
    for name in ("Position", "Move"):
        assert schemas[name]["properties"]["dtc"] == {
            "type": "null", "description": "Always null: tables by depth to conversion are not supported.",
        }  # fmt: skip


async def test_pending_requests_are_limited_in_number_and_time() -> None:
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
