"""A UCI engine, installed or chosen by the user, in place of the built-in search."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from endgame_core.errors import EndgameError, system_reason
from endgame_core.game_state import GameState
from endgame_core.language import _
from endgame_core.search_estimate import Limits, OnEnd, OnEstimate, SearchEstimate
from endgame_core.settings import ENGINE, Settings

ENGINE_VARIABLE = "ENDGAME_TUI_ENGINE"
"""The environment variable with the engine's path or ``off``; overrides the setting ``engine``."""

OFF = "off"
KNOWN = ("stockfish",)
"""Programs to look for if no engine is configured."""

_GAMES = "/usr/games"
"""The directory in which Debian installs engines; it is not on every PATH."""

_TIMEOUT = 5.0
"""Seconds that an engine may exceed its limit before it is considered dead."""


class EngineError(EndgameError):
    """An engine is missing, does not speak UCI, or has died."""


def find_engine(root: Path | None = None) -> Path | None:
    """Return the engine that the environment or the settings name, else one on PATH, else None.

    Args:
        root: The data directory with the settings file (default: the user's).

    Raises:
        EndgameError: The configured engine is missing, or the settings file cannot be read.
    """
    named = os.environ.get(ENGINE_VARIABLE) or Settings(root).named(ENGINE)
    if named:
        return find_named(named)
    for name in KNOWN:
        path = shutil.which(name, path=_search_path())
        if path:
            return Path(path)
    return None


def _search_path() -> str:
    return os.pathsep.join((os.environ.get("PATH", os.defpath), _GAMES))


def find_named(named: str) -> Path | None:
    """Return the engine with a name or path; None for ``off``, ``none`` or an empty name.

    Raises:
        EngineError: There is no such program.
    """
    if named.strip().lower() in (OFF, "none", ""):
        return None
    try:
        result = shutil.which(Path(named).expanduser(), path=_search_path())
    except (RuntimeError, ValueError):
        result = None
    if result is None:
        raise EngineError(
            _("there is no engine {named}").format(named=named),
            _("install it, or set {engine_variable}=off").format(engine_variable=ENGINE_VARIABLE),
        )
    return Path(result)


@dataclass(slots=True, eq=False)
class _EngineSearch:
    """A search in progress, with its callbacks; ``reported`` is whether it has produced an estimate."""

    board: chess.Board
    limits: Limits
    on_estimate: OnEstimate
    on_end: OnEnd
    reported: bool = False


class EngineThinker:
    """A UCI engine. A :class:`~endgame_core.search_estimate.Engine`.

    The engine is started by the first search and keeps running; its own thread runs the event loop that talks to it.

    Args:
        path: The engine's executable.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = path.stem
        self._lock = threading.Lock()
        self._thought: _EngineSearch | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn: asyncio.Lock
        self._transport: asyncio.SubprocessTransport | None = None
        self._protocol: chess.engine.UciProtocol | None = None
        self._analysis: tuple[_EngineSearch, chess.engine.AnalysisResult] | None = None

    @property
    def name(self) -> str:
        """The engine's name: of its executable until the engine has reported its own."""
        return self._name

    def think(self, game: GameState[Any, Any], limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        """Cancel the current search and start another; see :class:`~endgame_core.search_estimate.Engine`."""
        board = game.start.copy(stack=False)
        for move in game.history:
            board.push(move)
        thought = _EngineSearch(board, limits, on_estimate, on_end)
        self.cancel()
        # After the cancelling, which would remove it. ``_follow`` waits until the cancelled search has ended.
        with self._lock:
            self._thought = thought
        asyncio.run_coroutine_threadsafe(self._follow(thought), self._running())

    def cancel(self) -> None:
        """Stop the search without waiting. No callback begins after this returns; a running one may still finish."""
        with self._lock:
            self._thought = None
            loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._halt)

    def close(self) -> None:
        """Stop the search and quit the engine."""
        self.cancel()
        with self._lock:
            loop = self._loop
            self._loop = None
        if loop is not None:
            future: Future[None] = asyncio.run_coroutine_threadsafe(self._quit(), loop)
            future.result(timeout=2 * _TIMEOUT)
            loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        """Return the event loop, which runs in its own thread; start it if necessary."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._turn = asyncio.Lock()
                threading.Thread(target=_run, args=(self._loop,), name="engine", daemon=True).start()
            return self._loop

    # Everything below runs in the thread of the event loop.

    def _halt(self) -> None:
        """Stop the analysis if its search was cancelled or replaced."""
        if self._analysis is not None and self._analysis[0] is not self._thought:
            self._analysis[1].stop()
            asyncio.get_running_loop().call_later(_TIMEOUT, self._give_up, self._analysis)

    def _give_up(self, analysis: tuple[_EngineSearch, chess.engine.AnalysisResult]) -> None:
        """Kill an engine that ignores the request to stop; the next search starts it again."""
        if self._analysis is analysis:
            self._drop()

    def _drop(self) -> None:
        """Kill the engine, if it runs."""
        if self._transport is not None:
            _kill(self._transport)
        self._protocol = None
        self._transport = None

    async def _opened(self) -> chess.engine.UciProtocol:
        """Return the running engine; start it if necessary. Raises EngineError."""
        if self._protocol is not None and not self._protocol.returncode.done():
            return self._protocol
        try:
            # In a session of its own the engine does not get the Ctrl-C that is meant for this program.
            transport, protocol = await chess.engine.UciProtocol.popen(
                str(self._path), stderr=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            raise EngineError(
                _("the engine {path} cannot be started ({reason})").format(
                    path=self._path.name, reason=system_reason(error)
                ),
                _THEN,
            ) from None
        try:
            await asyncio.wait_for(protocol.initialize(), _TIMEOUT)
        except (chess.engine.EngineError, TimeoutError):
            _kill(transport)
            raise EngineError(_("the engine {path} does not speak UCI").format(path=self._path.name), _THEN) from None
        self._transport = transport
        self._protocol = protocol
        self._name = protocol.id.get("name", self._path.stem)
        return protocol

    async def _quit(self) -> None:
        """Ask the engine to quit, kill it if it does not, and wait for the last search to end."""
        with contextlib.suppress(chess.engine.EngineError, TimeoutError):
            async with asyncio.timeout(_TIMEOUT), self._turn:
                if self._protocol is not None:
                    await self._protocol.quit()
        self._drop()
        async with self._turn:
            pass

    async def _follow(self, thought: _EngineSearch) -> None:
        """Run a search on the engine; report its estimates and its end unless it is cancelled."""
        problem: EngineError | None = None
        async with self._turn:
            if thought is not self._thought:
                return
            try:
                # Without a legal move the rules say all there is; the engine is not asked.
                if any(thought.board.generate_legal_moves()):
                    await self._analyse(thought)
                else:
                    mated = 0 if thought.board.is_check() else None
                    self._pass_on(thought, SearchEstimate(0, 0, mated, (), 1, 0.0, self._name, exact=True))
            except EngineError as error:
                problem = error
            except (chess.engine.EngineError, OSError, ValueError) as error:  # TimeoutError is an OSError
                has_died = isinstance(error, chess.engine.EngineTerminatedError)
                if has_died:
                    what = _("has stopped")
                else:
                    what = _("has stopped responding")
                problem = EngineError(f"{self._name} {what}", _THEN)
                self._drop()
            finally:
                self._analysis = None
        # Together with ``cancel``: whoever cancels the search first, or ends it first, decides whether ``on_end`` is
        # called.
        with self._lock:
            is_current = thought is self._thought
            if is_current:
                self._thought = None
        if is_current:
            thought.on_end(problem)

    async def _analyse(self, thought: _EngineSearch) -> None:
        """Report the estimates of an analysis; if there are none, one of the engine's best move."""
        protocol = await self._opened()
        limits = thought.limits
        limit = chess.engine.Limit(time=limits.seconds, depth=limits.depth, nodes=limits.nodes)
        async with asyncio.timeout(limits.seconds + _TIMEOUT):
            with await protocol.analysis(thought.board, limit) as analysis:
                self._analysis = thought, analysis
                self._halt()  # in case it was cancelled before it began
                async for info in analysis:
                    estimate = _estimate(info, self._name)
                    if estimate is not None:
                        self._pass_on(thought, estimate)
                best = await analysis.wait()
            if not thought.reported and best.move is not None:
                self._pass_on(thought, SearchEstimate(0, 0, None, (best.move,), 0, 0.0, self._name))

    def _pass_on(self, thought: _EngineSearch, estimate: SearchEstimate[chess.Move]) -> None:
        """Report an estimate unless the search was cancelled."""
        thought.reported = True
        if thought is self._thought:
            thought.on_estimate(estimate)


_THEN = _(
    "the built-in search is used instead; to use no engine, set it to off in the settings or with {engine_variable}"
).format(engine_variable=ENGINE_VARIABLE)


def _kill(transport: asyncio.SubprocessTransport) -> None:
    with contextlib.suppress(ProcessLookupError):
        transport.kill()
    transport.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Run an event loop in this thread until it is stopped."""
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _estimate(info: chess.engine.InfoDict, source: str) -> SearchEstimate[chess.Move] | None:
    """Convert a line of UCI ``info``; None without a principal variation or an exact score."""
    line = info.get("pv")
    score = info.get("score")
    # A bound is no score of the position.
    if not line or score is None or "lowerbound" in info or "upperbound" in info:
        return None
    relative = score.relative
    moves = relative.mate()
    mate = None  # in plies, as UCI counts moves
    # Whoever mates makes the last move, hence one ply less for the side to move.
    if moves is not None:
        mate = 2 * moves - 1 if moves > 0 else 2 * moves
    return SearchEstimate(
        depth=info.get("depth", 0),
        score=relative.score() or 0 if mate is None else 0,
        mate=mate,
        line=tuple(line),
        nodes=info.get("nodes", 0),
        seconds=info.get("time", 0.0),
        source=source,
        looked_up=info.get("tbhits", 0),
    )
