"""The server as a process that answers over HTTP until it is told to end."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from click.testing import CliRunner

from endgame_core import server
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError
from endgame_core.server import Reply, Site, WorkerPool
from endgame_core.tables.library import Library

needs_uvicorn = pytest.mark.skipif(find_spec("uvicorn") is None, reason='the extra "serve" is not installed')
FEN = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


@contextmanager
def serving(*args: str) -> Generator[tuple[str, subprocess.Popen[str]]]:
    """A server on a free port: its address, and its process."""
    command = "import sys; from endgame_core.cli.main import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", command, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.communicate()


class Client:
    """One connection that is kept, until ``close``."""

    def __init__(self, url: str) -> None:
        self.connection = HTTPConnection(urlsplit(url).netloc, timeout=300)
        self.close = self.connection.close

    def get(self, path: str, method: str = "GET") -> tuple[int, Any]:
        self.connection.request(method, path)
        response = self.connection.getresponse()
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        body = response.read()
        return response.status, json.loads(body) if body else None


@pytest.fixture(scope="module")
def url(library: Library) -> Generator[str]:
    """A server by DTM with two workers; DTZ is known where its tables are shipped."""
    if find_spec("uvicorn") is None:
        pytest.skip('the extra "serve" is not installed')
    with serving("--data-dir", str(library.root), "serve", "--http", "127.0.0.1:0", "--workers", "2") as (found, _):
        yield found


@pytest.fixture
def client(url: str) -> Generator[Client]:
    with closing(Client(url)) as found:
        yield found


def test_the_server_answers_one_client_after_another(client: Client) -> None:
    status, found = client.get(f"/standard?fen={quote(FEN)}")
    assert (status, found["category"], found["dtz"], found["dtm"]) == (200, "win", 19, 19)
    assert client.get(f"/standard?fen={FEN.replace(' ', '_')}")[1] == found
    assert client.get(f"/standard?fen={FEN.replace(' ', '_')}", "HEAD") == (200, None)
    status, line = client.get(f"/standard/mainline?fen={FEN.replace(' ', '_')}")
    assert (status, line["dtz"], line["winner"], len(line["mainline"])) == (200, 19, "w", 19)
    status, both = client.get(f"/standard?fen={FEN.replace(' ', '_')}&fen=nonsense&fen={FEN.replace(' ', '_')}")
    assert (status, both[0], both[2]) == (200, found, found) and "is not a FEN" in both[1]["error"]
    status, described = client.get("/openapi.json")
    assert status == 200 and described["paths"].keys() == {"/standard", "/standard/mainline"}
    for path, expected, words in (
        ("/standard?fen=nonsense", 400, "is not a FEN"),
        ("/standard", 400, "no fen"),
        (f"/standard?fen={'8' * 8200}", 400, "8192 bytes"),
        ("/standard?fen=k7/8/2KP4/8/8/4r1p1/8/8_w", 404, "build KRPvKP --metric dtz"),
        ("/standard/mainline?fen=8/8/8/8/8/2k5/1r6/K2Q4_w", 404, "KQvKR by DTZ is not built"),
        ("/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_K", 404, "castling rights"),
        ("/atomic?fen=k", 404, "no page /atomic"),
    ):
        status, found = client.get(path)
        assert (status, list(found)) == (expected, ["error"]) and words in found["error"], path
    assert client.get("/standard?fen=k", "POST")[0] == 405


def test_many_clients_are_answered_at_once(url: str) -> None:
    fens = [f"7K/6Q1/8/8/2k5/8/8/8 w - - {clock} 60" for clock in range(100)]

    def ask(chosen: list[str]) -> list[tuple[str, str]]:
        with closing(Client(url)) as client:
            return [(fen, client.get(f"/standard?fen={quote(fen)}")[1]["category"]) for fen in chosen]

    with ThreadPoolExecutor(10) as pool:
        found = dict(pair for pairs in pool.map(ask, [fens[i::10] for i in range(10)]) for pair in pairs)
    assert [found[fen] for fen in fens] == ["win"] * 82 + ["cursed-win"] * 18


def test_requests_other_than_http_are_refused(url: str, client: Client) -> None:
    at = urlsplit(url)
    for raw in (b"nonsense\r\n\r\n", b"GET /standard HTTP/1.1\r\n" + b"x" * 100_000):
        with socket.create_connection((at.hostname or "", at.port or 0), timeout=300) as connection:
            connection.sendall(raw)
            assert connection.recv(4096).startswith(b"HTTP/1.1 400 ")
    assert client.get("/standard?fen=k7/8/1K6/8/8/8/8/8_w")[0] == 200


@needs_uvicorn
async def test_idle_connections_are_closed() -> None:
    from uvicorn import Config
    from uvicorn.server import ServerState

    protocol: Any = server.patient_protocol()

    async def ask(path: str, fen: str) -> Reply:
        return Reply(200, b"{}")

    config = Config(Site(ask), ws="none", lifespan="off", log_config=None, timeout_keep_alive=1)  # type: ignore[arg-type]
    config.load()
    loop, state = asyncio.get_running_loop(), ServerState()
    listening = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
    host, port = listening.sockets[0].getsockname()

    async def left(*parts: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(host, port)
        answers = b""
        for part in parts:
            writer.write(part)
            if part.endswith(b"\r\n\r\n"):
                answers += await reader.readuntil(b"{}")
        answers += await asyncio.wait_for(reader.read(), 20)  # until the server closes
        writer.close()
        return answers

    whole, part = b"GET /standard?fen=k HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /standard"
    silent, partly, then_partly = await asyncio.gather(left(), left(part), left(whole, whole, part))
    assert (silent, partly) == (b"", b"") and then_partly.count(b" 200 OK") == 2
    assert not state.connections
    listening.close()


@pytest.mark.slow
@needs_uvicorn
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_ends_on_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    server_of = serving("--data-dir", str(tmp_path), "serve", "--http", "0", "--workers", "1")
    with server_of as (url, process), closing(Client(url)) as client:
        assert client.get(f"/standard?fen={quote(FEN)}")[1]["dtz"] == 19  # from a shipped table
        # Ctrl-C reaches the workers, too; the connection is still open.
        os.killpg(process.pid, number) if number is signal.SIGINT else process.send_signal(number)
        out, words = process.communicate(timeout=300)
    assert (process.returncode, out) == (0, "")
    assert re.fullmatch(r"(endgame-tui: [^\n]+\n){2}", words) and "has stopped" in words


@pytest.mark.slow
@needs_uvicorn
def test_ctrl_c_while_workers_start_prints_no_traceback(tmp_path: Path) -> None:
    with serving("--data-dir", str(tmp_path), "serve", "--http", "0", "--workers", "1") as (_, process):
        os.killpg(process.pid, signal.SIGINT)  # the first worker still imports its modules
        _, words = process.communicate(timeout=300)
    assert "Traceback" not in words and words.endswith(("has stopped.\n", "interrupted.\n"))


@pytest.mark.slow
async def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    workers = WorkerPool(1, tmp_path, None, 1_000_000)
    try:
        first = await workers.ask("/standard", FEN)
        assert first.status == 200
        for process in multiprocessing.active_children():
            process.kill()
        found = [await workers.ask("/standard", FEN) for _ in range(2)]
        assert [reply.status for reply in found] == [503, 200]
    finally:
        workers.close()


def run(*args: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["serve", *args])
    return result.exit_code, result.stderr


@needs_uvicorn
def test_an_address_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    with server.listen("127.0.0.1", 0) as taken:
        code, words = run("--http", f"127.0.0.1:{taken.getsockname()[1]}")
        assert code == 1 and re.fullmatch(r"endgame-tui: port \d+ of 127.0.0.1 is in use; .+\n", words)
    for address in ("203.0.113.7:9000", "no.such.host.invalid:9000"):
        code, words = run("--http", address)
        assert code == 1 and "not an address" in words and len(words.splitlines()) == 1
    for address in ("127.0.0.1", "127.0.0.1:99999", "127.0.0.1:http", "::1:9000", ""):
        code, words = run("--http", address)
        assert code == 2 and "is not an address" in words
    code, words = run("--syzygy", str(tmp_path))
    assert code == 1 and "no Syzygy file" in words


def test_only_loopback_addresses_are_private() -> None:
    with server.listen("127.0.0.1", 0) as listening:
        assert server.is_loopback(listening)
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+", server.url_of(listening))
    with server.listen("localhost", 0) as listening:
        assert server.is_loopback(listening)
    with server.listen("0.0.0.0", 0) as listening:
        assert not server.is_loopback(listening)


def test_the_error_for_a_privileged_port_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    with pytest.raises(EndgameError, match="port 80 is reserved for privileged users; choose a port above 1023"):
        server.listen("127.0.0.1", 80)


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    code, words = run("--http", "0")
    assert code == 1 and 'pip install ".[serve]"' in words and len(words.splitlines()) == 1
