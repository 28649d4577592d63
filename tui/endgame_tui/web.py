"""The app in a browser: a page with a terminal in it, and for each tab a separate process of the app.

The page is textual-serve's terminal; see docs/web.md. Everyone with the address can use the program with the rights of
the user who serves it: so the address contains a secret, requests from other pages are refused, and the apps run with
``--locked``.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
import secrets
import signal
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit

from aiohttp import WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError
from textual_serve import server as textual_server
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from endgame_core import language
from endgame_core.language import _
from endgame_core.system import kill_session

DRIVER: Final = "endgame_tui.session:SessionDriver"

_EXIT_SECONDS: Final = 12.0
"""Seconds that an app has to exit; then it is killed with all its child processes."""

_HEARTBEAT_SECONDS: Final = 15.0
"""Interval at which the server checks that a browser is still connected."""

_IDLE_SECONDS: Final = 10.0
"""Seconds after which a connection without any request is closed."""

_MAX_CONNECTIONS: Final = 128
"""The number of connections from which new ones must send their request at once."""

_MAX_BODY_BYTES: Final = 16_384
"""The largest request body."""

_MAX_TERMINAL_SIZE: Final = 500
"""The most columns or rows of a terminal."""

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
<html lang="{language}">
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
<p id="begins">{begins}</p>
<div id="ended"><p>{ended}</p><button id="again">{again}</button></div>
<noscript>{no_script}</noscript>
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
const openPage = window.open.bind(window);
addEventListener("DOMContentLoaded", () => {
  // The script of textual-serve opens downloads without the secret in their address.
  const folder = location.origin + location.pathname.replace(/[/]*$/, "");
  const withSecret = (url) => String(url).replace(`${location.origin}/download/`, `${folder}/download/`);
  window.open = (url, target) => openPage(withSecret(url), target);
  const page = new URL(location.href);
  page.protocol = page.protocol.replace("http", "ws");
  page.search = page.hash = "";
  page.pathname = page.pathname.replace(/[/]*$/, "/ws");
  document.getElementById("terminal").dataset.sessionWebsocketUrl = page.href;
  document.getElementById("again").addEventListener("click", () => location.reload());
});
"""


class Session(AppService):
    """An app in a separate process, connected to a tab.

    Args:
        command: The command that starts the app.
        socket: The connection to the tab.
        downloads: The files that apps deliver to their tabs.
    """

    def __init__(self, command: Sequence[str], socket: web.WebSocketResponse, downloads: DownloadManager) -> None:
        super().__init__(
            # The base class would pass this command to a shell: _open_app_process uses the arguments below instead.
            "",
            write_bytes=socket.send_bytes,
            write_str=socket.send_str,
            close=self._close,
            download_manager=downloads,
        )
        self._command_arguments = command
        self._socket = socket

    async def _close(self) -> None:
        await self._socket.close()

    async def _open_app_process(self, width: int = 80, height: int = 24) -> asyncio.subprocess.Process:
        """Start the app without a shell, in a new process group, so that its child processes can be killed with it."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command_arguments,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            env={**self._build_environment(width, height), "TEXTUAL_DRIVER": DRIVER},
        )
        self._stdin = self._process.stdin
        return self._process

    async def run(self) -> None:
        """Forward the output of the app until it exits."""
        try:
            await super().run()
        finally:
            await self._socket.close()

    async def handle(self, message: Any) -> None:
        """Handle a message of the page; messages that the page never sends are ignored."""
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

    async def terminate(self) -> None:
        """Ask the app to exit, then kill it with its child processes."""
        process = self._process
        if process is None:
            return
        # The app is asked first; the closed input ends one that does not read the message, and the kill one that hangs.
        await self.send_meta({"type": "quit"})
        with suppress(OSError):
            self.stdin.close()
        with suppress(TimeoutError):
            # A little longer than the app gives itself: see session.py.
            await asyncio.wait_for(process.wait(), _EXIT_SECONDS)
        # Also after an exit: child processes of the app may still run.
        with suppress(OSError):  # no process of the group is left
            kill_session(process.pid)
        await process.wait()
        if self._task is not None:
            await self._task


def _bounded(number: int) -> int:
    """Columns or rows of a terminal within the limits."""
    return max(1, min(number, _MAX_TERMINAL_SIZE))


class WebServer:
    """Serves the page and runs the apps.

    Args:
        command: The command that starts an app.
        token: The secret in the address.
        listening: The listening socket.
        limits: The name of this machine for other machines, None if only this machine may connect; and the most apps
            at the same time.
        on_start: Called when the server accepts connections.
    """

    def __init__(
        self,
        command: Sequence[str],
        token: str,
        listening: socket.socket,
        limits: tuple[str | None, int],
        on_start: Callable[[], None],
    ) -> None:
        self._command = command
        self._token = token
        self._listening = listening
        self._on_start = on_start
        name, self._max_sessions = limits
        self._host_names: list[str] | None = None
        if name is not None:
            self._host_names = [host.lower() for host in (name, socket.gethostname(), socket.getfqdn())]
        self.sessions: set[Session] = set()
        self._downloads = DownloadManager()
        self._session_count = 0
        """The number of sessions, including those that are being started or terminated."""
        self._idle_timers: dict[Any, asyncio.TimerHandle] = {}
        """The timers that close connections without any request so far."""

    def _application(self) -> web.Application:
        """The routes of the server, all below the secret."""
        root = f"/{self._token}"
        application = web.Application(middlewares=[self._guard], client_max_size=_MAX_BODY_BYTES)
        application.add_routes(
            [
                web.get(f"{root}", self._page),
                web.get(f"{root}/", self._page),
                web.get(f"{root}/ws", self._tab),
                web.get(f"{root}/download/{{key}}", self._download),
                web.get(f"{root}/page.css", _static_text("text/css", _CSS)),
                web.get(f"{root}/page.js", _static_text("text/javascript", _SCRIPT)),
                web.static(f"{root}/static", _STATIC),
            ]
        )
        application.on_shutdown.append(self._shutdown)
        return application

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Answer only requests that have the secret, come from this page, and name this machine as their host."""
        # A connection counts as idle only until its first request.
        idle_timer = self._idle_timers.pop(request.protocol, None)
        if idle_timer is not None:
            idle_timer.cancel()

        host = request.headers.get("Host", "")
        origin = request.headers.get("Origin")
        secret = ""
        if request.path.startswith("/"):
            secret = request.path.split("/")[1]
        needs_origin = origin is not None or request.path.endswith("/ws")
        if not is_allowed_host(host, self._host_names):
            reply = _refusal(
                403,
                _("unknown host name {name}; open the address that the server printed.").format(name=repr(host[:60])),
            )
        # Browsers let any page open a WebSocket to any server, so there the origin must be given and be ours.
        elif needs_origin and origin not in (f"http://{host}", f"https://{host}"):
            reply = _refusal(403, _("the request came from another page; open the address that the server printed."))
        # A comparison whose time does not depend on how much is right; it takes ASCII or bytes only.
        elif not secrets.compare_digest(secret.encode(), self._token.encode()):
            reply = _refusal(403, _("the secret in the address is wrong; open the address that the server printed."))
        else:
            try:
                reply = await handler(request)
            except web.HTTPException as error:
                reply = _refusal(error.status, _("the request failed ({reason}).").format(reason=error.reason))
        # The headers of a prepared reply (a WebSocket, a download) have been sent already.
        if not reply.prepared:
            reply.headers.update(_HEADERS)
            # A kept connection would have no idle timer any more.
            reply.force_close()
        return reply

    @property
    def _refusal_if_full(self) -> web.Response | None:
        """The answer if all sessions are in use; None otherwise."""
        limit = self._max_sessions
        if self._session_count < limit:
            return None
        return _refusal(
            503,
            _("all sessions are in use (limit: {limit}); end one with q, then reload this page.").format(limit=limit),
        )

    async def _page(self, request: web.Request) -> web.StreamResponse:
        page = _PAGE.format(
            token=self._token,
            size=min(_number(request, "fontsize", 16), 100),
            language=language.current,
            begins=_("endgame-tui is starting."),
            ended=_("This session has ended."),
            again=_("Open a new session"),
            no_script=_("This page needs JavaScript."),
        )
        return self._refusal_if_full or web.Response(text=page, content_type="text/html")

    async def _tab(self, request: web.Request) -> web.StreamResponse:
        """Run an app for a tab until one of them ends."""
        refusal = self._refusal_if_full
        if refusal is not None:
            return refusal
        # Before anything is awaited, so that two requests cannot both take the last session.
        self._session_count += 1
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS, max_msg_size=1 << 16)
        session = Session(self._command, socket, self._downloads)
        self.sessions.add(session)
        try:
            await socket.prepare(request)
            await session.start(_number(request, "width", 80), _number(request, "height", 24))
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    # Whatever is not JSON, or too deeply nested, does not come from our page.
                    with suppress(ValueError, RecursionError):
                        await session.handle(json.loads(message.data))
        finally:
            # Also if this task is cancelled: otherwise the app would go on without a tab.
            await asyncio.shield(self._terminate(session))
        return socket

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Send a file that an app delivers, always as a file to be saved: it may be a page of HTML."""
        key = request.match_info["key"]
        try:
            download = await self._downloads.get_download_metadata(key)
        except KeyError:
            return _refusal(404, "that file is no longer offered; export it again.")
        reply = web.StreamResponse(headers=_HEADERS)
        # Shown as HTML, the file would be of the same origin as the app, and know the secret in its address.
        reply.content_type = "application/octet-stream"
        reply.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(download.file_name)}"
        await reply.prepare(request)
        async for chunk in self._downloads.download(key):
            await reply.write(chunk)
        await reply.write_eof()
        return reply

    async def _terminate(self, session: Session) -> None:
        await session.terminate()
        self.sessions.discard(session)
        self._session_count -= 1

    async def _shutdown(self, _: web.Application) -> None:
        """Terminate all apps."""
        await asyncio.gather(*(session.terminate() for session in list(self.sessions)))

    def _new_connection(self, server: web.Server) -> asyncio.Protocol:
        """Create the protocol of a connection, which is closed without a request: idle ones must not block others."""
        connection = server()

        def close_idle() -> None:
            if self._idle_timers.pop(connection, None) and connection.transport is not None:
                connection.transport.abort()

        seconds = 0.0
        # Beyond the limit a connection is closed at once.
        if len(server.connections) < _MAX_CONNECTIONS:
            seconds = _IDLE_SECONDS
        self._idle_timers[connection] = asyncio.get_running_loop().call_later(seconds, close_idle)
        return connection

    @asynccontextmanager
    async def serve(self) -> AsyncGenerator[None]:
        """Serve inside this block; on exit all apps are terminated."""
        log = logging.getLogger(__name__)
        log.addFilter(_is_own_problem)
        runner = web.AppRunner(
            self._application(), handle_signals=False, access_log=None, logger=log, shutdown_timeout=1.0
        )
        await runner.setup()
        assert runner.server is not None
        new_connection = partial(self._new_connection, runner.server)
        # aiohttp's own sites take no other protocol factory, which the idle timers need.
        server = await asyncio.get_running_loop().create_server(new_connection, sock=self._listening)
        self._on_start()
        try:
            yield
        finally:
            # No new tabs while the sessions are terminated.
            server.close()
            await runner.cleanup()

    async def serve_until_signal(self) -> None:
        """Serve until SIGINT or SIGTERM."""
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        async with self.serve():
            await stop.wait()


def _is_own_problem(record: logging.LogRecord) -> bool:
    """Whether to log a record: malformed requests of other programs would fill the log."""
    return record.exc_info is None or not isinstance(record.exc_info[1], HttpProcessingError)


def _number(request: web.Request, name: str, default: int) -> int:
    """The value of a query parameter within the limits of a terminal; the default if it is no number."""
    text = request.query.get(name, "")
    if text.isdecimal() and len(text) < 6:
        return _bounded(int(text))
    return default


def _static_text(content_type: str, text: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    """A handler that returns a constant text."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=text, content_type=content_type)

    return answer


def _refusal(status: int, sentence: str) -> web.Response:
    return web.Response(status=status, text=f"endgame-tui: {sentence}\n")


def is_allowed_host(host: str, names: Sequence[str] | None) -> bool:
    """Whether a request names this machine as its host.

    A page on another server could let its own name resolve to the address of this machine (DNS rebinding), and would
    then be of the same origin as the app.

    Args:
        host: The Host header, with or without a port.
        names: The names of this machine, which are allowed besides all addresses; None to allow only ``localhost`` and
            loopback addresses.
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
