"""The app in a browser: a page with a terminal in it, and for each tab an app in a process of its own.

The page is textual-serve's terminal; see docs/web.md. Whoever has the address may use the program as this user does:
so the address has a secret in it, pages of others are refused, and the apps are started ``--locked``.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import os
import secrets
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError
from textual_serve import server as textual_server
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

DRIVER: Final = "endgame_tui.session:SessionDriver"

_PATIENCE: Final = 12.0
"""Seconds in which an app may come to its end; then it is ended, with all that it has started."""

_HEARTBEAT: Final = 15.0
"""Seconds between questions whether a browser is still there."""

_IDLE: Final = 10.0
"""Seconds in which a connection must have asked for something."""

_MOST: Final = 128
"""Connections at once."""

_BODY: Final = 16_384
"""Bytes of a request behind its head."""

_LARGEST: Final = 500
"""Columns and rows of a terminal."""

_STATIC: Final = Path(textual_server.__file__).parent / "static"

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>endgame-tui</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/{token}/static/css/xterm.css">
<link rel="stylesheet" href="/{token}/page.css">
<script src="/{token}/page.js"></script>
<script src="/{token}/static/js/textual.js"></script>
</head>
<body>
<div id="terminal" class="textual-terminal" data-font-size="{size}"></div>
<p id="begins">endgame-tui is being opened.</p>
<div id="ended"><p>This session has ended.</p><button id="again">Open another</button></div>
<noscript>A terminal in a page needs JavaScript.</noscript>
</body>
</html>
"""

_CSS: Final = """@font-face { font-family: "Roboto Mono"; src: url("static/fonts/RobotoMono-VariableFont_wght.ttf"); }
html, body { margin: 0; height: 100%; background: #14161a; color: #d7d3c8; font: 16px "Roboto Mono", monospace; }
#terminal { position: absolute; inset: 0; }
#begins, #ended { position: absolute; inset: 40% 0 auto; text-align: center; z-index: 1; }
#ended, body.-first-byte #begins, body.-closed #begins { display: none; }
body.-closed #terminal { opacity: 0.25; }
body.-closed #ended { display: block; }
button { font: inherit; padding: 8px 16px; }
"""

_SCRIPT: Final = """"use strict";
addEventListener("DOMContentLoaded", () => {
  const page = new URL(location.href);
  page.protocol = page.protocol.replace("http", "ws");
  page.search = page.hash = "";
  page.pathname = page.pathname.replace(/[/]*$/, "/ws");
  document.getElementById("terminal").dataset.sessionWebsocketUrl = page.href;
  document.getElementById("again").addEventListener("click", () => location.reload());
});
"""


class Session(AppService):
    """An app in a process of its own.

    Args:
        command: What starts the app.
        socket: The tab.
    """

    def __init__(self, command: Sequence[str], socket: web.WebSocketResponse) -> None:
        super().__init__(
            "",
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=self._closed,
            download_manager=DownloadManager(),
        )
        self._arguments = command
        self._socket = socket

    async def _closed(self) -> None:
        await self._socket.close()

    async def _open_app_process(self, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        """Starts the app, without a shell, at the head of a group of its own."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True,
            env={**self._build_environment(width, height), "TEXTUAL_DRIVER": DRIVER},
        )  # fmt: skip
        self._stdin = self._process.stdin
        return self._process

    async def run(self) -> None:
        """Passes on what the app writes, until it ends."""
        try:
            await super().run()
        finally:
            await self._socket.close()

    async def obey(self, message: Any) -> None:
        """Does what the page has sent; leaves alone what it cannot have."""
        match message:
            case ["stdin", str(text)]:
                await self.send_bytes(text.encode("utf-8", "replace"))
            case ["resize", {"width": int(width), "height": int(height)}]:
                await self.set_terminal_size(_bounded(width), _bounded(height))
            case ["ping", data]:
                await self._socket.send_json(["pong", data])
            case ["blur"] | ["blur", *_]:
                await self.blur()
            case ["focus"] | ["focus", *_]:
                await self.focus()
            case _:
                pass

    async def end(self) -> None:
        """Ends the app, in its own way if it does so soon, and whatever it has started."""
        process = self._process
        if process is None:
            return
        await self.send_meta({"type": "quit"})
        with suppress(OSError):
            self.stdin.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _PATIENCE)
        with suppress(OSError):  # nobody of its group is left
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        if self._task is not None:
            await self._task


def _bounded(number: int) -> int:
    return max(1, min(number, _LARGEST))


class Tabs:
    """The page, and the apps behind it.

    Args:
        command: What starts an app.
        token: The secret in the address.
        listening: The socket.
        limits: What the machine is called where others may come, None where nobody may; and apps at once.
        started: Called when it begins.
    """

    def __init__(
        self,
        command: Sequence[str],
        token: str,
        listening: socket.socket,
        limits: tuple[str | None, int],
        started: Callable[[], None],
    ) -> None:
        self._command, self._token, self._listening, self._started = command, token, listening, started
        name, self._most = limits
        self._names = (
            None if name is None else [each.lower() for each in (name, socket.gethostname(), socket.getfqdn())]
        )
        self.sessions: set[Session] = set()
        self._begun = 0
        self._silent: dict[Any, asyncio.TimerHandle] = {}
        """Connections that have not asked for anything yet, and when they are closed."""

    def _application(self) -> web.Application:
        """All that is answered."""
        at = f"/{self._token}"
        result = web.Application(middlewares=[self._guard], client_max_size=_BODY)
        result.add_routes(
            [
                web.get(f"{at}", self._page), web.get(f"{at}/", self._page), web.get(f"{at}/ws", self._tab),
                web.get(f"{at}/page.css", _text("text/css", _CSS)),
                web.get(f"{at}/page.js", _text("text/javascript", _SCRIPT)),
                web.static(f"{at}/static", _STATIC),
            ]
        )  # fmt: skip
        result.on_shutdown.append(self._shutdown)
        return result

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Answers only this page, under a name of this machine, to who has the secret."""
        if (late := self._silent.pop(request.protocol, None)) is not None:
            late.cancel()
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        secret = request.path.split("/")[1] if request.path.startswith("/") else ""
        if not is_known(host, self._names):
            reply = _refusal(
                403, f"this machine is not called {host[:60]!r} here; open the address that the server printed."
            )
        elif (origin is not None or request.path.endswith("/ws")) and origin not in (
            f"http://{host}",
            f"https://{host}",
        ):
            reply = _refusal(403, "another page has asked; open the address that the server printed.")
        elif not secrets.compare_digest(secret.encode(), self._token.encode()):
            reply = _refusal(403, "the secret in the address is wrong; open the address that the server printed.")
        else:
            try:
                reply = await handler(request)
            except web.HTTPException as error:
                reply = _refusal(error.status, f"the request failed ({error.reason}).")
        if not reply.prepared:
            reply.headers.update(_HEADERS)
            reply.force_close()
        return reply

    @property
    def _full(self) -> web.Response | None:
        if self._begun < self._most:
            return None
        return _refusal(503, f"all sessions are in use (limit: {self._most}); end one with q, then reload this page.")

    async def _page(self, request: web.Request) -> web.StreamResponse:
        page = _PAGE.format(token=self._token, size=min(_number(request, "fontsize", 16), 100))
        return self._full or web.Response(text=page, content_type="text/html")

    async def _tab(self, request: web.Request) -> web.StreamResponse:
        """A tab, and its app, until one of both ends."""
        if (full := self._full) is not None:
            return full
        self._begun += 1
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT, max_msg_size=1 << 16)
        session = Session(self._command, socket)
        self.sessions.add(session)
        try:
            await socket.prepare(request)
            await session.start(_number(request, "width", 80), _number(request, "height", 24))
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    with suppress(ValueError, RecursionError):
                        await session.obey(json.loads(message.data))
        finally:
            await asyncio.shield(self._ended(session))
        return socket

    async def _ended(self, session: Session) -> None:
        await session.end()
        self.sessions.discard(session)
        self._begun -= 1

    async def _shutdown(self, _: web.Application) -> None:
        """Ends all apps."""
        await asyncio.gather(*(session.end() for session in list(self.sessions)))

    def _connected(self, server: web.Server) -> asyncio.Protocol:
        """A connection that may not stay open without asking anything: else a few would keep everybody out."""
        connection = server()

        def end() -> None:
            if self._silent.pop(connection, None) and connection.transport is not None:
                connection.transport.abort()

        wait = _IDLE if len(server.connections) < _MOST else 0.0
        self._silent[connection] = asyncio.get_running_loop().call_later(wait, end)
        return connection

    @asynccontextmanager
    async def served(self) -> AsyncGenerator[None]:
        """Answers; at the end all apps are ended."""
        log = logging.getLogger(__name__)
        log.addFilter(_is_ours)
        runner = web.AppRunner(
            self._application(), handle_signals=False, access_log=None, logger=log, shutdown_timeout=1.0
        )
        await runner.setup()
        assert runner.server is not None
        connected = partial(self._connected, runner.server)
        answering = await asyncio.get_running_loop().create_server(connected, sock=self._listening)
        self._started()
        try:
            yield
        finally:
            answering.close()
            await runner.cleanup()

    async def until_ended(self) -> None:
        """Serves until SIGINT or SIGTERM."""
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, ended.set)
        async with self.served():
            await ended.wait()


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether something is worth a complaint: what strangers send that is no HTTP would fill the log."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


def _number(request: web.Request, name: str, usual: int) -> int:
    """A number behind the address, within reason."""
    text = request.query.get(name, "")
    return _bounded(int(text)) if text.isdecimal() and len(text) < 6 else usual


def _text(kind: str, text: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=text, content_type=kind)

    return answer


def _refusal(status: int, sentence: str) -> web.Response:
    return web.Response(status=status, text=f"endgame-tui: {sentence}\n")


def is_known(host: str, names: Sequence[str] | None) -> bool:
    """Whether a request may have been meant for this machine: a page of others could give its own name our address.

    Args:
        host: As the request has it, with or without a port.
        names: What the machine may be called besides all addresses; None where it is asked by itself alone, by its
            addresses of the loopback.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name in (names or ()):
        return True
    try:
        return names is not None or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
