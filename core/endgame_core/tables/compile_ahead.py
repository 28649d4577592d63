"""Compiles kernels in the background before anybody waits for them, once for each user, version and processor.

Processes of low priority outlive the program by the seconds that they take; each of them compiles what no other process
is compiling. Where two cores are idle there are two.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

from endgame_core import jsonl_process, paths
from endgame_core.game import Game
from endgame_core.system import cores, load, lower_priority
from endgame_core.tables.kernel_marks import CompilationLock, KernelMarks

_MODULE = "endgame_core.tables.compile_ahead"
_NICENESS = 10

Batch = tuple[str, Sequence[str], bool]
"""Kernels that are compiled together: the first of them, endings that need them, and whether a survey does."""


def start(game: Game[Any, Any], last: Sequence[str] = ()) -> None:
    """Start to compile the kernels of a game that were never compiled here.

    Nothing is done if numba is not installed, or ``NUMBA_CACHE_DIR`` says where to put kernels.

    Args:
        game: The game.
        last: Endings that another process is about to compile the kernels for.
    """
    if not paths.are_kernels_ours() or find_spec("numba") is None:
        return
    marks = KernelMarks(game)
    batches = [batch for batch in _batches(game) if not marks.path(batch[0]).exists()]
    own = {}
    if last:
        own = game.solver.compile_times(last)
    # The kernels of `last` come last: by then the other process has probably compiled them.
    batches.sort(key=lambda batch: batch[0] in own)
    idle_cores = cores() - load() - bool(last)
    with suppress(OSError):  # then they are compiled when they are needed
        for _ in range(min(len(batches), 2 if idle_cores >= 2 else 1)):
            environment = {**os.environ, **paths.kernel_environment()}
            jsonl_process.Child(_MODULE, {"game": game.entry, "batches": batches}, environment).detach()


def _batches(game: Game[Any, Any]) -> Iterator[Batch]:
    """All kernels of a game, those that small endings need first."""
    listed: set[str] = set()
    for ending in game.endings():
        new = [kernel for kernel in game.solver.compile_times([ending]) if kernel not in listed]
        if new:
            listed.update(new)
            yield new[0], [ending], False
    surveys = list(game.solver.compile_times([], True))
    if surveys:
        yield surveys[0], [], True


# In the background process


def _serve(request: dict[str, Any]) -> None:
    lower_priority(_NICENESS)
    game = jsonl_process.load_object(request["game"])
    marks = KernelMarks(game)
    lock = CompilationLock(marks)
    for first, endings, with_survey in request["batches"]:
        if marks.path(first).exists() or not lock.acquire(first, wait=False):
            continue
        game.solver.warm_up(endings, _quiet, with_survey)
        for kernel in game.solver.compile_times(endings, with_survey):
            marks.mark_compiled(kernel)
        lock.release()


def _quiet(_: str) -> None:
    """Report nothing."""


if __name__ == "__main__":
    jsonl_process.serve(_serve)
