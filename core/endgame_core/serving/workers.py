"""The processes that answer: one for each core, since Python computes on one core per process."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from endgame_core.answers import Answers
from endgame_core.errors import EndgameError, EndingError, MissingError, PositionError
from endgame_core.serving.site import Reply, refusal

_answers: Answers | None = None
"""The tables of a worker process."""


def reply(answers: Answers, path: str, fen: str) -> Reply:
    """Answers one question; never raises an EndgameError."""
    try:
        board = answers.read(fen)
        found = answers.mainline(board) if path.endswith("/mainline") else answers.standard(board)
    except (EndingError, MissingError) as error:
        return refusal(404, str(error))
    except PositionError as error:
        return refusal(400, str(error))
    except EndgameError as error:
        return refusal(500, str(error))
    return Reply(200, json.dumps(found, separators=(",", ":")).encode())


def _start(root: Path, syzygy: str | None, memory: int) -> None:
    """Makes a process a worker."""
    global _answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the server ends its workers
    threading.Thread(target=_end_with_server, daemon=True).start()
    _answers = Answers.of(root, syzygy, memory)


def _end_with_server() -> None:
    """Ends the process when the server has been killed and cannot say so any more."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


def _work(path: str, fen: str) -> Reply:
    assert _answers is not None
    return reply(_answers, path, fen)


class Workers:
    """A pool of worker processes; one that dies costs the questions in hand, and no more.

    Args:
        count: How many.
        root: The data directory.
        syzygy: Directories of Syzygy files, as in PATH.
        memory: Bytes of unpacked tables that they keep, all together.
    """

    def __init__(self, count: int, root: Path, syzygy: str | None, memory: int) -> None:
        self._count = count
        self._tables = (root, syzygy, memory // count)
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self._count, context, _start, self._tables)
        pool.submit(os.getpid)  # starts the first one; the others start when they are needed
        return pool

    async def ask(self, path: str, fen: str) -> Reply:
        """Has a worker answer a question."""
        pool = self._pool
        try:
            return await asyncio.get_running_loop().run_in_executor(pool, _work, path, fen)
        except BrokenProcessPool:
            if pool is self._pool:
                self._pool = self._started()
            return refusal(503, "the process that was at it has died; ask again.")
        except Exception as error:
            print(f"endgame-tui: {path}?fen={fen!r} failed ({type(error).__name__}: {error}).", file=sys.stderr)
            return refusal(
                500, "the answer failed, which is a fault of this program; the server's terminal tells more."
            )

    def close(self) -> None:
        """Ends all workers; they finish what they are at."""
        self._pool.shutdown(wait=True, cancel_futures=True)
