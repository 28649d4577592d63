"""Builds on many machines: Dask hands out the endings, a directory that all of them share carries the tables.

A task is one ending, with the memory that it can work with as a resource: a worker with more uses more. It begins when
the tasks of its sub-endings are done, runs the same building process as a plain build, under the same lock, and returns
the size of the table. Nothing else travels through the scheduler: how far each worker is, it writes into its
lock, where anybody reads it. A task may be done twice, as Dask repeats what a dead worker had in hand: the second finds
the table there.

The program that asks for the endings holds a lock, too. By that lock a worker finds the shared directory, and leaves
off when it is gone.
"""

from __future__ import annotations

import logging
import re
import secrets
import tempfile
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Unpack

import dask.config
import distributed
import psutil

from endgame_core import child, paths
from endgame_core.child import as_error
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.foreign import quoted
from endgame_core.tables.build import Build, Count, Event, Terms, Work, tidy
from endgame_core.tables.large import cores
from endgame_core.tables.library import Library
from endgame_core.tables.locks import Hold, Locks

MEMORY = "memory"
"""The resource of a worker, in bytes, that an ending takes while it is built."""

_LOCAL = "local:"
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://[^\s/]+:[0-9]+")
_MOST = 256
"""Workers of one machine at most."""
_ANSWER = 10.0
"""Seconds for a scheduler to answer."""
_LOOK = 0.5
"""Seconds between two looks at what the workers do."""
_OFF = 4.0
"""Seconds for workers to leave off what nobody wants any more."""
_SEE = 20.0
"""Seconds until a worker must see the lock of who asks: network file systems show what is new a little later."""
_TIMES = 4
"""How often an ending is begun again on a worker whose building process is killed; how often workers are started."""
_ROUNDS = 10
"""How often what killed its workers is handed out again."""
_KEPT = "finished tables are kept"
_STARTED = "dask worker ADDRESS --nthreads 1 --resources memory=24e9"


@dataclass(frozen=True, slots=True)
class Order:
    """What all tasks of a build are told.

    Attributes:
        game: The game, as ``module:name``.
        root: The data directory, as it is called where the build was asked for.
        shared: Directories of other tables behind it.
        mark: The lock of who asked for it.
        stamp: Which program that is.
        threads: Threads to solve with; 0 for what a worker has.
        memory: Bytes of memory that this task has taken of its worker's.
    """

    game: str
    root: str
    shared: tuple[str, ...]
    mark: str
    stamp: str
    threads: int
    memory: int = 0


class Cluster:
    """Builds some endings, and their missing sub-endings, on the workers of a cluster; used as :class:`Build` is.

    Args:
        library: Where the tables go: a directory that all workers see.
        endings: Canonical names.
        where: The address of a scheduler, or ``local:4`` for so many workers on this machine.
        threads: Threads that a worker solves with; what it has by default.
        terms: As of a build; the memory is that of all workers of this machine together, and no moves are looked at.
    """

    def __init__(
        self, library: Library, endings: Sequence[str], where: str, threads: int | None = None, **terms: Unpack[Terms]
    ) -> None:
        memory = terms.get("memory")
        if memory is not None and not where.startswith(_LOCAL):
            raise EndgameError(
                f"the workers of {where} were started with the memory they have",
                f"leave --memory away, or start each with: {_STARTED}",
            )
        if not where.startswith(_LOCAL) and _ADDRESS.fullmatch(where) is None:
            raise EndgameError(
                f"{quoted(where)} is no cluster", "write the address of a scheduler, as tcp://host:8786, or local:4"
            )
        self.library, self.endings, self.where = library, tuple(endings), where
        self.threads = threads or 0
        self.memory, self.keep_asked = memory, terms.get("keep_asked", False)
        self.cancelled = False

    def cancel(self) -> None:
        """Stops it from any thread; what is finished stays."""
        self.cancelled = True

    def events(self) -> Iterator[Event]:
        """Builds and tells how it gets on, until it is finished (blocking).

        Raises:
            EndgameError: The cluster cannot be used, an ending cannot be built, or somebody has cancelled it.
        """
        self.library.sweep()
        plan = self.library.plan(self.endings)
        yield Event("plan", endings=tuple(plan), steps=len(plan))
        while left := self.library.plan(self.endings):
            with self._mark() as mark, self._client() as client, suppress(_NobodyError):
                yield from _Run(self, client, plan, left, mark).events()
        yield Event("finished", endings=tuple(plan), steps=len(plan), fraction=1.0)

    @contextmanager
    def _mark(self) -> Generator[Hold]:
        """The lock that says that somebody still wants the endings."""
        name = f"cluster-{secrets.token_hex(4)}"
        with paths.storage_errors(self.library.root):
            mark = self.library.locks.take(name, f"a build on {self.where}")
        assert mark is not None, "nobody has the same name"
        try:
            yield mark
        finally:
            self.library.locks.release(mark)

    @contextmanager
    def _client(self) -> Generator[Any]:
        """A connection to the scheduler, which for ``local:4`` is started here."""
        quiet = {
            "distributed.comm.timeouts.connect": f"{_ANSWER}s", "distributed.scheduler.allowed-failures": 1_000_000,
            "distributed.worker.memory.target": False, "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False,
            "distributed.scheduler.active-memory-manager.start": False,
        }  # fmt: skip
        for name in ("distributed", "distributed.client", "distributed.worker", "distributed.nanny"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with ExitStack() as opened:
            opened.enter_context(dask.config.set(quiet))
            if (
                self.where.startswith("tls://")
                and not distributed.Security().get_connection_args("client")["ssl_context"]
            ):
                raise EndgameError(f"{self.where} wants certificates", "name them in Dask's configuration")
            where = opened.enter_context(self._local()) if self.where.startswith(_LOCAL) else self.where
            try:
                client: Any = distributed.Client(where, timeout=_ANSWER, set_as_default=False)
            except (OSError, ValueError):
                raise EndgameError(
                    f"the scheduler {self.where} does not answer",
                    "start it with: dask scheduler, or see whether the address is right",
                ) from None
            opened.callback(_closed, client)
            yield client

    @contextmanager
    def _local(self) -> Generator[Any]:
        """So many workers on this machine; each has its part of the memory that is free, and of the cores."""
        number = self.where.removeprefix(_LOCAL)
        if not number.isdecimal() or not 1 <= int(number) <= _MOST:
            raise EndgameError(f"{self.where} is no number of workers", f"write local:4, at most {_LOCAL}{_MOST}")
        workers = int(number)
        self.threads = self.threads or max(1, cores() // workers)
        memory = (self.memory or psutil.virtual_memory().available * 3 // 4) // workers
        with tempfile.TemporaryDirectory() as scratch:
            quiet: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL + 1}
            cluster: Any = None
            for attempt in range(_TIMES):
                try:
                    cluster = distributed.LocalCluster(
                        n_workers=workers, threads_per_worker=1, resources={MEMORY: memory}, memory_limit=0,
                        local_directory=scratch, **quiet,
                    )  # fmt: skip
                    break
                except Exception as error:  # a worker was killed while it was started, or none can be
                    if attempt == _TIMES - 1 or self.cancelled:
                        raise EndgameError(f"workers cannot be started here ({error})", "ask for fewer") from None
            try:
                yield cluster
            finally:
                with suppress(Exception):  # whatever is left of it ends with this process
                    cluster.close(timeout=_ANSWER)


def _closed(client: Any) -> None:
    with suppress(Exception):  # a scheduler that has gone takes no leave
        client.close(timeout=2)


def _who() -> tuple[str, str]:
    """On a worker: which program it has, and of which Dask."""
    return paths.stamp(), version("distributed")


class _NobodyError(Exception):
    """All workers of this machine have died, and Dask has not brought them back."""


class _Run:
    """One build while a scheduler is connected."""

    def __init__(self, cluster: Cluster, client: Any, plan: list[str], left: list[str], mark: Hold) -> None:
        self.cluster, self.client, self.library, self.mark = cluster, client, cluster.library, mark
        self.plan, self.left = plan, dict.fromkeys(left)
        self.costs = {ending: self.library.estimate(ending) for ending in left}
        self.steps, self.alone = len(plan), 0.0
        self.workers: list[dict[str, Any]] = []
        self.futures: dict[str, Any] = {}
        self.deaths: dict[str, int] = {}
        self.count = Count([sum(cost.seconds for cost in self.costs.values())])
        root, game = self.library.root.absolute(), self.library.game
        shared = tuple(str(place) for place in self.library.places[1:])
        name = mark.path.name.removesuffix(".lock")
        self.order = Order(game.entry, str(root), shared, name, paths.stamp(), cluster.threads)

    def events(self) -> Iterator[Event]:
        """Hands the endings out and tells what becomes of them."""
        told: Event | None = None
        try:
            self._check_dask()
            self._hand_out()
            looked = -_ANSWER
            while self.left:
                if time.monotonic() - looked >= _ANSWER:
                    looked = time.monotonic()
                    self._look_at_workers()
                yield from self._done()
                if self.left and (now := self._now()) != told:
                    told = now
                    yield now
                self._pause()
        except (EndgameError, _NobodyError):
            raise
        except Exception as error:
            if self.cluster.cancelled:
                raise BuildCancelledError() from None
            raise self._gone(error) from None
        finally:
            self._leave()

    def _leave(self) -> None:
        """Has the workers leave off what they still have in hand, and waits for it a moment."""
        self.library.locks.release(self.mark)
        with suppress(Exception):
            self.client.cancel(list(self.futures.values()), force=True)
        until = time.monotonic() + _OFF
        while self.left and time.monotonic() < until and not self.left.keys().isdisjoint(self.library.in_hand()):
            time.sleep(0.1)

    def _pause(self) -> None:
        until = time.monotonic() + _LOOK
        while time.monotonic() < until and self.left:
            if self.cluster.cancelled:
                raise BuildCancelledError()
            if self.client.status != "running":
                raise self._gone(None)
            time.sleep(0.02)
            if any(future.status != "pending" for future in self.futures.values()):
                return

    def _gone(self, error: Exception | None) -> EndgameError:
        why = "" if error is None else f" ({type(error).__name__})"
        return EndgameError(
            f"the scheduler {self.cluster.where} has gone{why}",
            f"{_KEPT}: start it and the same command again, or build without --cluster",
        )

    # Workers

    def _check_dask(self) -> None:
        """That scheduler and workers have this program and the same Dask."""
        mine = version("distributed")
        theirs = self.client.get_versions(check=False)["scheduler"] or {}
        found = theirs.get("packages", {}).get("distributed", mine)
        if found != mine:
            raise _other("scheduler", self.cluster.where, f"Dask {found}", f"Dask {mine}")
        for address, who in self.client.run(_who, on_error="return").items():
            if isinstance(who, ImportError):
                raise EndgameError(f"the worker {address} has no endgame-tui", "install the same version there")
            if isinstance(who, BaseException):
                continue  # it has just died; others say the rest when they have a task in hand
            if who[1] != mine:
                raise _other("worker", address, f"Dask {who[1]}", f"Dask {mine}")
            if who[0] != self.order.stamp:
                raise _other("worker", address, who[0], self.order.stamp)

    def _workers(self) -> list[dict[str, Any]]:
        """What the scheduler knows of each worker."""
        return list(self.client.scheduler_info(n_workers=-1)["workers"].values())

    def _offers(self) -> list[tuple[int, int]]:
        """The memory that each worker has for endings, and how many it builds at once."""
        has = [worker for worker in self._workers() if MEMORY in worker.get("resources", {})]
        return [(int(worker["resources"][MEMORY]), int(worker["nthreads"])) for worker in has]

    def _look_at_workers(self) -> None:
        """Which workers there are, and whether one of them has the memory for what is left."""
        workers = self.workers = self._workers()
        self.alone = 0.0 if workers else self.alone + _ANSWER
        if self.alone > 2 * _ANSWER and self.cluster.where.startswith(_LOCAL):
            raise _NobodyError
        offers = [offer for offer, _ in self._offers()]
        if not self.left or not workers:
            return
        if not offers:
            raise EndgameError(
                "no worker says how much memory it has for endings",
                f"start each with, for 24 GB: {_STARTED}",
            )
        largest = max(self.left, key=lambda ending: self.costs[ending].enough)
        if (need := self.costs[largest].enough) > max(offers):
            raise EndgameError(
                f"{largest} needs at least {need / 1e9:.1f} GB of memory, more than the {max(offers) / 1e9:.1f} GB of "
                "the largest worker",
                f"start fewer and larger workers; {_KEPT}",
            )

    # Endings

    def _hand_out(self) -> None:
        """Hands out all that is left; what most time depends on goes first."""
        after: dict[str, float] = {}
        game = self.library.game
        needs = {ending: [need for need in game.needs(ending) if need in self.left] for ending in self.left}
        for ending in reversed(self.left):  # sub-endings come first in a plan
            mine = after[ending] = after.get(ending, 0.0) + self.costs[ending].seconds
            for need in needs[ending]:
                after[need] = max(after.get(need, 0.0), mine)
        share = min((offer // nthreads for offer, nthreads in self._offers()), default=0)
        self.futures = {}
        for ending in self.left:
            cost = self.costs[ending]
            order = replace(self.order, memory=cost.within(share).memory)
            key = f"{ending}-{self.order.mark}-{sum(self.deaths.values())}"
            self.futures[ending] = self.client.submit(
                build_one, order, ending, *(self.futures[need] for need in needs[ending]), key=key, pure=False,
                resources={MEMORY: order.memory}, priority=round(1000 * after[ending]),
            )  # fmt: skip

    def _done(self) -> Iterator[Event]:
        """What has come to its end."""
        killed = False
        for ending, future in list(self.futures.items()):
            status = future.status
            if status == "finished":
                made = future.result()
                if "error" in made:
                    raise as_error(made)
                del self.left[ending], self.futures[ending]
                if self.cluster.keep_asked:
                    tidy(self.library, self.plan, self.cluster.endings, self.left)
                self._reach()
                yield Event(
                    "done", ending=ending, step=self.steps - len(self.left), steps=self.steps, size=made["size"],
                    seconds=made["seconds"], fraction=self.count.now[0], left=self.count.now[1],
                )  # fmt: skip
            elif status == "error":
                error = future.exception()
                if not isinstance(error, distributed.KilledWorker):
                    raise EndgameError(f"a worker could not build {ending} ({type(error).__name__}: {error})", _KEPT)
                killed = True
            elif status in ("cancelled", "lost"):
                raise self._gone(None)
        if killed:
            self._again()

    def _again(self) -> None:
        """Hands out again what has killed its workers, as Dask sees it, and all that waits for it."""
        for ending, future in self.futures.items():
            if future.status == "error" and future.exception().task == future.key:
                self.deaths[ending] = self.deaths.get(ending, 0) + 1
                if self.deaths[ending] > _ROUNDS:
                    raise EndgameError(f"worker after worker has died while it built {ending}", f"see why; {_KEPT}")
        self.client.cancel(list(self.futures.values()), force=True)
        self._hand_out()

    def _reach(self) -> dict[str, tuple[float, str]]:
        """Counts what is done; what is in hand, how far it is, and where."""
        hands = {
            ending: (max(0.0, holder.share), holder.host)
            for ending, holder in self.library.in_hand().items()
            if ending in self.left
        }
        total = sum(cost.seconds for cost in self.costs.values()) or 1.0
        open_ = sum(self.costs[ending].seconds * (1 - hands.get(ending, (0.0, ""))[0]) for ending in self.left)
        part = max(0.0, 1 - open_ / total)
        self.count.reach(part, part)
        return hands

    def _now(self) -> Event:
        """What all workers have in hand; that one is waited for, where there is none."""
        hands = self._reach()
        share, left = self.count.now
        done = self.steps - len(self.left)
        if not self.workers and not hands:
            return Event("wait", steps=self.steps, step=done, what=f"a worker of {self.cluster.where}")
        told = tuple((ending, round(part, 2), host) for ending, (part, host) in hands.items())
        return Event("hands", steps=self.steps, step=done, hands=told, fraction=round(share, 3), left=round(left))


def _other(what: str, address: str, theirs: str, mine: str) -> EndgameError:
    return EndgameError(f"the {what} {address} has {theirs}, and here is {mine}", "install the same on all machines")


# On a worker


def build_one(order: Order, ending: str, *needed: dict[str, Any]) -> dict[str, Any]:
    """Builds an ending, unless it is there; its bytes and how long that took, or what was wrong.

    Args:
        order: What all tasks of this build are told.
        ending: Its name.
        needed: What became of the sub-endings.
    """
    failed = next((one for one in needed if "error" in one), None)
    if failed is not None:
        return failed
    try:
        return _built(order, ending)
    except EndgameError as error:
        return child.as_message(error)


def _built(order: Order, ending: str) -> dict[str, Any]:
    worker: Any = distributed.get_worker()
    if order.stamp != paths.stamp():
        raise _other("worker", worker.address, paths.stamp(), order.stamp)
    root = _shared_directory(order, worker.address)
    library = Library.at(child.loaded(order.game), [str(root), *order.shared])
    threads = order.threads or max(1, cores() // worker.state.nthreads)
    offer = int(worker.state.total_resources.get(MEMORY, 0)) if worker.state.nthreads == 1 else 0
    memory = max(offer, order.memory) or None
    began = time.monotonic()
    for attempt in range(_TIMES):
        try:
            _build(library, order, Build(library, [ending], threads, memory=memory))
            break
        except EndgameError as error:
            if attempt == _TIMES - 1 or not error.what.startswith(Work.died[0]):
                raise
    path = library.path(ending)
    size = path.stat().st_size if path.is_file() else 0  # it may be shared or shipped
    return {"size": size, "seconds": round(time.monotonic() - began, 3)}


def _build(library: Library, order: Order, work: Build) -> None:
    """Builds in a process of its own, which is cancelled when nobody wants it any more."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(1.0):
            if library.locks.holder(order.mark) is None:
                work.cancel()
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        for _ in work.events():
            pass
    finally:
        over.set()


def _shared_directory(order: Order, address: str) -> Path:
    """The shared directory, as it is called on this machine: where the lock of who asked for the build is seen."""
    until = time.monotonic() + _SEE
    while True:
        for root in (Path(order.root), paths.data_dir()):
            if Locks(root / "locks").holder(order.mark) is not None:
                return root
        if time.monotonic() > until:
            raise EndgameError(
                f"the worker {address} does not see the data directory {order.root}",
                f"mount it there, or name its place on that machine with ${paths.HOME_VARIABLE}",
            )
        time.sleep(0.5)
