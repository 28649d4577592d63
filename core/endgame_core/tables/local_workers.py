"""Builds on several processes of this machine: ``--cluster local:4``.

Each worker is the build process of a plain build, which gets one ending at a time, over a pipe that only this process
has; they exclude each other, and other builders, by the locks of the data directory. Nothing listens on a port, so no
other user of the machine can reach them. A worker ends when its pipe closes, so it never outlives this process.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from graphlib import TopologicalSorter
from typing import Unpack

from endgame_core.errors import (
    BuildCancelledError,
    EndgameError,
    WorkerDiedError,
    format_memory,
    format_required_memory,
)
from endgame_core.language import _
from endgame_core.system import cores
from endgame_core.tables.build import Build, Event, Terms
from endgame_core.tables.library import Library
from endgame_core.tables.mmap_arrays import default_memory
from endgame_core.tables.schedule import Schedule

_REPORT = 0.5
"""Seconds between two reports of progress."""
_ATTEMPTS = 3
"""How often the build of an ending is started if its process dies."""
_FORWARDED = frozenset(("compile", "restart"))
"""Events of a worker that the user sees as they are."""


class LocalWorkers:
    """Builds some endings, and their missing sub-endings, by several processes; used like :class:`Build`.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        number: How many processes build at the same time.
        threads: Threads of each process; by default its share of the cores.
        terms: Options of a build; the memory is that of all processes together, and no surveys are made.
    """

    def __init__(
        self, library: Library, endings: Sequence[str], number: int, threads: int | None = None, **terms: Unpack[Terms]
    ) -> None:
        self.library = library
        self.endings = tuple(endings)
        self.number = number
        self.threads = threads or max(1, cores() // number)
        self.memory = terms.get("memory")
        self.keep_requested_only = terms.get("keep_requested_only", False)
        self.cancelled = False
        self._builds: set[Build] = set()
        self._lock = threading.Lock()
        self._news: queue.SimpleQueue[Event] = queue.SimpleQueue()

    def cancel(self) -> None:
        """Stop it from any thread; finished tables stay."""
        with self._lock:
            self.cancelled = True
            builds = list(self._builds)

        # Each process needs a moment to end: all of them at once, or many workers would take many moments.
        threads = [threading.Thread(target=build.cancel) for build in builds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def events(self) -> Iterator[Event]:
        """Build and report the progress until all is finished (blocking).

        Raises:
            EndgameError: An ending cannot be built, or the build was cancelled.
        """
        self.library.locks.sweep()
        schedule = Schedule(self.library, self.endings, self.keep_requested_only)
        yield Event("plan", endings=schedule.plan, steps=len(schedule.plan))
        if schedule.remaining:
            memory = (self.memory or default_memory()) // self.number
            self._check_memory(schedule, memory)
            yield from self._build_all(schedule, memory)
        yield Event("finished", endings=schedule.plan, steps=len(schedule.plan), fraction=1.0)

    def _check_memory(self, schedule: Schedule, memory: int) -> None:
        """Raise EndgameError if ``memory`` bytes are not enough to build the largest ending."""
        ending = schedule.largest()
        required = schedule.costs[ending].enough
        if required > memory:
            raise EndgameError(
                _("{ending} needs at least {required} of memory, and each of {number} workers may use {memory}").format(
                    ending=ending,
                    required=format_required_memory(required),
                    number=self.number,
                    memory=format_memory(memory),
                ),
                _("use fewer workers, or allow more with --memory"),
            )

    def _build_all(self, schedule: Schedule, memory: int) -> Iterator[Event]:
        """Build all endings of the schedule, each in ``memory`` bytes, and yield the events."""
        order = TopologicalSorter({ending: schedule.requirements(ending) for ending in schedule.remaining})
        order.prepare()
        ready: list[str] = []
        running: dict[Future[tuple[int, float]], str] = {}
        reported: Event | None = None
        pool = ThreadPoolExecutor(self.number, "local-worker")
        try:
            while order.is_active():
                # A free worker takes the ending that the longest chain of others waits for.
                ready += order.get_ready()
                ready.sort(key=schedule.priorities.__getitem__)
                while ready and len(running) < self.number:
                    ending = ready.pop()
                    running[pool.submit(self._build_one, ending, memory)] = ending

                finished, __ = wait(running, _REPORT, FIRST_COMPLETED)
                if self.cancelled:
                    raise BuildCancelledError()
                for future in finished:
                    size, seconds = future.result()
                    ending = running.pop(future)
                    order.done(ending)
                    yield schedule.complete(ending, size, seconds)

                progress = schedule.progress()
                yield from self._forward_news(progress)
                if progress != reported and progress.hands:
                    reported = progress
                    yield progress
        except BaseException:  # Ctrl-C and a closed generator included
            self.cancel()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _forward_news(self, progress: Event) -> Iterator[Event]:
        """The events of workers since the last call, with the progress of the whole build instead of the worker's."""
        while not self._news.empty():
            event = self._news.get()
            yield replace(event, step=0, steps=progress.steps, fraction=progress.fraction, left=progress.left)

    def _build_one(self, ending: str, memory: int) -> tuple[int, float]:
        """Build an ending, again if its process is killed; runs in a thread.

        Returns:
            The bytes of its table, and the seconds it took.
        """
        began = time.monotonic()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._run(Build(self.library, [ending], self.threads, memory=memory))
                break
            except WorkerDiedError as error:
                if attempt == _ATTEMPTS:
                    raise
                self._news.put(Event("restart", ending=ending, what=error.what))

        path = self.library.path(ending)
        size = 0
        # read-only tables may have it meanwhile
        if path.is_file():
            size = path.stat().st_size
        return size, round(time.monotonic() - began, 3)

    def _run(self, build: Build) -> None:
        with self._lock:
            if self.cancelled:
                raise BuildCancelledError()
            self._builds.add(build)
        try:
            for event in build.events():
                if event.event in _FORWARDED:
                    self._news.put(event)
        finally:
            with self._lock:
                self._builds.discard(build)
