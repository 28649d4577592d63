"""The app in a browser: its page, an uninvited visitor, and a tab that dies."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from endgame_core.cli.main import main

pytestmark = pytest.mark.skipif(find_spec("textual_serve") is None, reason='the extra "web" is not installed')
TOKEN = "a-secret-for-tests-only"
STALLED = 20


def children(pid: int) -> list[int]:
    """All processes that one has started, and those that they have."""
    found: list[int] = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            child = int(stat.parent.name)
            found += [child, *children(child)]
    return found


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(true: Callable[[], bool], seconds: float = 300.0) -> bool:
    """Waits until something is so; False where it does not become so."""
    end = asyncio.get_running_loop().time() + seconds
    while not true() and asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0.05)
    return true()


class Tab:
    """What a page does."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.seen = socket, ""

    async def shows(self, wanted: str) -> None:
        """Reads until some text has been sent."""
        async with asyncio.timeout(300):
            while wanted not in self.seen:
                message = await self.socket.receive()
                assert isinstance(message.data, bytes), message
                self.seen += re.sub(r"\x1b\[[0-9;?<>=$]*[a-zA-Z]", "", message.data.decode(errors="replace"))

    async def keys(self, text: str) -> None:
        self.seen = ""
        await self.socket.send_str(json.dumps(["stdin", text]))

    async def closed(self) -> None:
        async with asyncio.timeout(300):
            while not self.socket.closed:
                await self.socket.receive()


class Served:
    """A server, and how to ask it."""

    def __init__(self, url: str, process: subprocess.Popen[str], client: Any) -> None:
        self.url, self.process, self.client = url, process, client
        self.origin = url.rpartition(f"/{TOKEN}")[0]

    async def get(self, path: str = "", **headers: str) -> tuple[int, str]:
        async with self.client.get(self.url + path, headers=headers) as answer:
            return answer.status, await answer.text()

    async def refused(self, path: str = "ws", **headers: str) -> int:
        """With which status a tab is refused."""
        import aiohttp

        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await self.client.ws_connect(self.url + path, headers={"Origin": self.origin, **headers})
        return refused.value.status

    @asynccontextmanager
    async def tab(self, size: str = "width=80&height=24") -> AsyncGenerator[Tab]:
        async with self.client.ws_connect(f"{self.url}ws?{size}", headers={"Origin": self.origin}) as socket:
            yield Tab(socket)

    @property
    def apps(self) -> list[int]:
        return children(self.process.pid)


@asynccontextmanager
async def served(root: Path, *options: str) -> AsyncGenerator[Served]:
    import aiohttp

    command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(root), "serve", "--web", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*command, "--token", TOKEN, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        async with aiohttp.ClientSession() as client:
            yield Served(url, process, client)
    finally:
        left = children(process.pid)
        process.kill()
        process.communicate()
        assert await until(lambda: not any(map(lives, left))), "orphans"


@pytest.mark.slow
async def test_a_stranger_is_refused(tmp_path: Path) -> None:
    async with served(tmp_path) as found:
        status, page = await found.get()
        assert (status, "terminal" in page) == (200, True) and "http" not in page, "all is from here"
        assert (await found.get("static/js/textual.js"))[0] == (await found.get("page.js"))[0] == 200
        for path, headers, word in (
            ("", {"Host": "evil.example:80"}, "unknown host name"),
            ("", {"Origin": "http://evil.example"}, "another page"),
            ("../wrong/", {}, "secret"),
            ("../", {}, "secret"),
            ("../wrong/static/js/textual.js", {}, "secret"),
            ("static/../../../../etc/passwd", {}, "secret"),
            ("nowhere", {}, "failed"),
        ):
            status, text = await found.get(path, **headers)
            assert status in (403, 404) and word in text and text.count("\n") == 1, (path, headers, text)
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"},
                        {"Origin": found.origin.replace("127.0.0.1", "localhost")}):  # fmt: skip
            assert await found.refused(**headers) == 403
        assert await found.refused("../wrong/ws") == 403
        assert not found.apps
        async with found.client.get(found.url) as answer:
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.slow
async def test_nonsense_is_refused_without_a_log_entry(tmp_path: Path) -> None:
    async with served(tmp_path) as found:
        for path in (f"?fontsize={'9' * 5000}", "?fontsize=0", "?fontsize=²"):
            status, page = await found.get(path)
            size = re.search(r'data-font-size="(\d+)"', page)
            assert status == 200 and size is not None and 1 <= int(size[1]) <= 100, (path, page)
        host, port = found.origin.removeprefix("http://").split(":")
        for raw in (b"GET /\xff/ HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET /" + b"a" * 9000 + b"\r\n\r\n"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(raw)
            async with asyncio.timeout(300):
                assert b" 400 " in await reader.readline()
            writer.close()
        found.process.send_signal(signal.SIGTERM)
        assert found.process.stderr is not None and "Traceback" not in found.process.stderr.read()


@pytest.mark.slow
async def test_a_tab_has_an_app_that_ends_with_it(tmp_path: Path) -> None:
    async with served(tmp_path, "--sessions", "1") as found:
        async with found.tab() as tab:
            await tab.shows("KQvK")
            assert len(found.apps) == 1 and await found.refused() == 503
            status, text = await found.get()
            assert status == 503 and "all sessions are in use (limit: 1)" in text
            await tab.socket.send_str("no JSON")
            await tab.socket.send_str('["resize", {"width": 120, "height": -1}]')
            await tab.socket.send_str('["resize", {"width": 120, "height": 40}]')
            await tab.keys("2")
            await tab.shows("all endings")
        assert await until(lambda: not found.apps)
        async with asyncio.timeout(300):
            while (await found.get())[0] == 503:  # the app has ended before the server knows of it
                pass
        async with found.tab() as tab:  # there is room again
            await tab.shows("KQvK")
            await tab.keys("q")
            await tab.closed()
        assert await until(lambda: not found.apps)


@pytest.mark.slow
async def test_exported_files_are_downloaded(tmp_path: Path) -> None:
    async with served(tmp_path) as found, found.tab() as tab:
        await tab.shows("KQvK")
        await tab.keys("4")
        await tab.shows("Everything due")
        for _ in range(30):  # down to the first row that has positions
            await tab.keys("\x1b[Bo")
            with suppress(TimeoutError):
                async with asyncio.timeout(3):
                    await tab.shows("Export to")
                    break
        await tab.keys("\x15sheet.epd\r")
        key = ""
        async with asyncio.timeout(300):
            while not key:
                message = await tab.socket.receive()
                if isinstance(message.data, str):
                    kind, key = json.loads(message.data)
                    assert kind == "deliver_file_start"
        written = (tmp_path / "exports" / "sheet.epd").read_text("utf-8")
        async with found.client.get(f"{found.url}download/{key}") as answer:
            assert answer.status == 200 and await answer.text() == written and written
            assert answer.headers["Content-Disposition"] == "attachment; filename*=UTF-8''sheet.epd"
        assert (await found.get(f"download/{key}"))[0] == 404
        assert (await found.get(f"../download/{key}"))[0] == 403


@pytest.mark.slow
async def test_typed_file_names_stay_in_the_data_directory(tmp_path: Path) -> None:
    async with served(tmp_path / "data") as found, found.tab() as tab:
        await tab.shows("KQvK")
        await tab.keys("5")
        await tab.shows("Progress")
        await tab.keys("O")
        await tab.shows("Import from")
        await tab.keys("/etc/passwd\r")
        await tab.shows("outside the data directory")


@pytest.mark.slow
@pytest.mark.parametrize("how", ["the server is killed", "the browser is killed", "the server is told to end"])
async def test_no_app_and_no_build_survives_its_tab(how: str, tmp_path: Path) -> None:
    async with served(tmp_path) as found, found.tab() as tab:
        await tab.shows("KQvK")
        await tab.keys("2")
        await tab.shows("all endings")
        await tab.keys("/")
        await tab.shows("a name, such as")
        await tab.keys("KBNvK\r")
        await tab.shows("builds it")
        await tab.keys("\r")
        assert await until(lambda: len(found.apps) >= 2), "the app, and the build that it has started"
        apps = found.apps
        if how == "the browser is killed":
            tab.socket._response.connection.transport.abort()  # without a word
        else:
            found.process.send_signal(signal.SIGKILL if "killed" in how else signal.SIGTERM)
        assert await until(lambda: not any(map(lives, apps)))


@pytest.mark.slow
async def test_stalled_connections_do_not_block_others(tmp_path: Path) -> None:
    async with served(tmp_path) as found:
        host, port = found.origin.removeprefix("http://").split(":")
        stalled = [await asyncio.open_connection(host, int(port)) for _ in range(STALLED)]
        for _, writer in stalled[::2]:
            writer.write(b"GET / HTTP/1.1\r\nHost:")
        assert (await found.get())[0] == 200
        for reader, writer in stalled:
            async with asyncio.timeout(300):
                with suppress(ConnectionError):
                    assert await reader.read() == b"", "closed by the server"
                writer.close()
        assert (await found.get())[0] == 200


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--web", "0.0.0.0:0"), "other machines could access 0.0.0.0; use 127.0.0.1, or add --listen and --token"),
        (("--web", "0.0.0.0:0", "--listen"), "other machines could access 0.0.0.0"),
        (("--web", "0.0.0.0:0", "--token", TOKEN), "other machines could access 0.0.0.0"),
        (("--web", "0", "--token", "short"), "this token cannot be used in an address; use at least 16"),
        (("--web", "0", "--token", "with/a slash in it"), "this token cannot be used in an address"),
        (("--listen",), "--listen and --token require --web"),
    ],
)
def test_unsafe_options_are_refused(options: tuple[str, ...], words: str) -> None:
    result = CliRunner().invoke(main, ["serve", *options])
    assert result.exit_code in (1, 2) and words in result.stderr and not result.stdout


@pytest.mark.slow
async def test_the_api_is_served_beside_the_app(tmp_path: Path) -> None:
    async with served(tmp_path, "--http", "127.0.0.1:0", "--workers", "1") as found:
        assert found.process.stdout is not None
        api = found.process.stdout.readline().strip()
        async with found.client.get(f"{api}/standard?fen=7K/6Q1/8/8/2k5/8/8/8_w") as answer:
            assert (await answer.json())["category"] == "win"
        async with found.tab() as tab:
            await tab.shows("KQvK")
        found.process.send_signal(signal.SIGTERM)
        assert await until(lambda: found.process.poll() is not None) and found.process.returncode == 0
