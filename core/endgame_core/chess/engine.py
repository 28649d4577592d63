"""A UCI engine in place of our own search, where one is installed or named by the user."""

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

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits, OnEnd, OnEstimate
from endgame_core.game_state import GameState
from endgame_core.settings import ENGINE, Settings

ENGINE_VARIABLE = "ENDGAME_TUI_ENGINE"
"""Names an engine, or is ``off``; goes before the setting ``engine`` in the settings file."""

OFF = "off"
KNOWN = ("stockfish",)
"""Programs looked for when nothing is said."""

_GAMES = "/usr/games"
"""Where Debian puts engines; not on everybody's PATH."""

_PATIENCE = 5.0
"""Seconds that an engine may take to answer beyond what it was given."""


class EngineError(EndgameError):
    """An engine that is not there, does not speak UCI, or has died."""


def find_engine(root: Path | None = None) -> Path | None:
    """The engine to use: what the environment or the settings file names, else one on PATH; None for none.

    Args:
        root: The data directory with the settings file; the user's own by default.

    Raises:
        EndgameError: One is named that is not there, or the settings file cannot be read.
    """
    named = os.environ.get(ENGINE_VARIABLE) or Settings(root).named(ENGINE)
    if named:
        return find_named(named)
    result = next((path for path in (shutil.which(name, path=_where()) for name in KNOWN) if path), None)
    return Path(result) if result else None


def _where() -> str:
    return os.pathsep.join((os.environ.get("PATH", os.defpath), _GAMES))


def find_named(named: str) -> Path | None:
    """The engine of a name; None where the name says that there is to be none.

    Raises:
        EngineError: There is no such program.
    """
    if named.strip().lower() in (OFF, "none", ""):
        return None
    try:
        result = shutil.which(Path(named).expanduser(), path=_where())
    except (RuntimeError, ValueError):
        result = None
    if result is None:
        raise EngineError(f"there is no engine {named}", f"install it, or set {ENGINE_VARIABLE}=off")
    return Path(result)


@dataclass(slots=True, eq=False)
class _EngineSearch:
    """What is being thought about, and who wants to know."""

    board: chess.Board
    limits: Limits
    on_estimate: OnEstimate
    on_end: OnEnd
    told: bool = False


class EngineThinker:
    """A UCI engine. A :class:`~endgame_core.estimate.Engine`.

    The engine is started with the first thought and kept; a thread of its own listens to it.

    Args:
        path: The engine's program.
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
        """The engine's own name, once it has told it."""
        return self._name

    def think(self, game: GameState[Any, Any], limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        """Starts thinking, after cancelling what was under way; see :class:`~endgame_core.estimate.Engine`."""
        board = game.start.copy(stack=False)
        for move in game.history:
            board.push(move)
        thought = _EngineSearch(board, limits, on_estimate, on_end)
        self.cancel()
        with self._lock:
            self._thought = thought
        asyncio.run_coroutine_threadsafe(self._follow(thought), self._running())

    def cancel(self) -> None:
        """Stops thinking; returns at once. Only a callback that has already begun can still come to its end."""
        with self._lock:
            self._thought = None
            loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._halt)

    def close(self) -> None:
        """Stops, and ends the engine."""
        self.cancel()
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is not None:
            done: Future[None] = asyncio.run_coroutine_threadsafe(self._quit(), loop)
            done.result(timeout=2 * _PATIENCE)
            loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        """The loop that listens to the engine, in its own thread."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._turn = asyncio.Lock()
                threading.Thread(target=_run, args=(self._loop,), name="engine", daemon=True).start()
            return self._loop

    # From here on everything runs in that thread.

    def _halt(self) -> None:
        """Stops an analysis that nobody wants any more."""
        if self._analysis is not None and self._analysis[0] is not self._thought:
            self._analysis[1].stop()
            asyncio.get_running_loop().call_later(_PATIENCE, self._give_up, self._analysis)

    def _give_up(self, analysis: tuple[_EngineSearch, chess.engine.AnalysisResult]) -> None:
        """Ends an engine that goes on with an analysis it was told to stop; the next thought starts it again."""
        if self._analysis is analysis:
            self._drop()

    def _drop(self) -> None:
        """Ends an engine that is of no more use."""
        if self._transport is not None:
            _end(self._transport)
        self._protocol = self._transport = None

    async def _opened(self) -> chess.engine.UciProtocol:
        """The engine, started if need be."""
        if self._protocol is not None and not self._protocol.returncode.done():
            return self._protocol
        try:
            transport, protocol = await chess.engine.UciProtocol.popen(
                str(self._path), stderr=subprocess.DEVNULL, start_new_session=True
            )
        except OSError as error:
            raise EngineError(f"the engine {self._path.name} cannot be started ({error.strerror})", _THEN) from None
        try:
            await asyncio.wait_for(protocol.initialize(), _PATIENCE)
        except (chess.engine.EngineError, TimeoutError):
            _end(transport)
            raise EngineError(f"the engine {self._path.name} does not answer as a UCI engine", _THEN) from None
        self._transport, self._protocol = transport, protocol
        self._name = protocol.id.get("name", self._path.stem)
        return protocol

    async def _quit(self) -> None:
        with contextlib.suppress(chess.engine.EngineError, TimeoutError):
            async with asyncio.timeout(_PATIENCE), self._turn:
                if self._protocol is not None:
                    await self._protocol.quit()
        self._drop()
        async with self._turn:
            pass

    async def _follow(self, thought: _EngineSearch) -> None:
        """Has the engine think, and passes on what it says."""
        problem: EngineError | None = None
        async with self._turn:
            if thought is not self._thought:
                return
            try:
                if any(thought.board.generate_legal_moves()):
                    await self._analyse(thought)
                else:
                    mated = 0 if thought.board.is_check() else None
                    self._pass_on(thought, Estimate(0, 0, mated, (), 1, 0.0, self._name, exact=True))
            except EngineError as error:
                problem = error
            except (chess.engine.EngineError, OSError, ValueError) as error:  # TimeoutError is an OSError
                dead = isinstance(error, chess.engine.EngineTerminatedError)
                what = "has stopped" if dead else "does not answer any more"
                problem = EngineError(f"{self._name} {what}", _THEN)
                self._drop()
            finally:
                self._analysis = None
        with self._lock:
            wanted = thought is self._thought
            if wanted:
                self._thought = None
        if wanted:
            thought.on_end(problem)

    async def _analyse(self, thought: _EngineSearch) -> None:
        protocol, limits = await self._opened(), thought.limits
        limit = chess.engine.Limit(time=limits.seconds, depth=limits.depth, nodes=limits.nodes)
        async with asyncio.timeout(limits.seconds + _PATIENCE):
            with await protocol.analysis(thought.board, limit) as analysis:
                self._analysis = thought, analysis
                self._halt()
                async for info in analysis:
                    estimate = _estimate(info, self._name)
                    if estimate is not None:
                        self._pass_on(thought, estimate)
                best = await analysis.wait()
            if not thought.told and best.move is not None:
                self._pass_on(thought, Estimate(0, 0, None, (best.move,), 0, 0.0, self._name))

    def _pass_on(self, thought: _EngineSearch, estimate: Estimate[chess.Move]) -> None:
        thought.told = True
        if thought is self._thought:
            thought.on_estimate(estimate)


_THEN = f"our own search is used instead; set the engine to off in the settings, or by {ENGINE_VARIABLE}"


def _end(transport: asyncio.SubprocessTransport) -> None:
    with contextlib.suppress(ProcessLookupError):
        transport.kill()
    transport.close()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _estimate(info: chess.engine.InfoDict, source: str) -> Estimate[chess.Move] | None:
    """What one line of an engine says, or None when it is no finished opinion."""
    line, score = info.get("pv"), info.get("score")
    if not line or score is None or "lowerbound" in info or "upperbound" in info:
        return None
    relative = score.relative
    moves = relative.mate()
    mate = None if moves is None else 2 * moves - 1 if moves > 0 else 2 * moves
    return Estimate(
        depth=info.get("depth", 0),
        score=0 if mate is not None else relative.score() or 0,
        mate=mate,
        line=tuple(line),
        nodes=info.get("nodes", 0),
        seconds=info.get("time", 0.0),
        source=source,
        looked_up=info.get("tbhits", 0),
    )
