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
import secrets
import ssl
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Unpack

import dask.config
import distributed

from endgame_core import jsonl_process, paths
from endgame_core.errors import BuildCancelledError, EndgameError, WorkerDiedError
from endgame_core.jsonl_process import as_error
from endgame_core.tables.build import Build, Event, Terms
from endgame_core.tables.cluster_address import Certificates, is_encrypted
from endgame_core.tables.library import Library
from endgame_core.tables.locks import Lock, Locks
from endgame_core.tables.mmap_arrays import cores
from endgame_core.tables.schedule import Schedule
from endgame_core.untrusted import quoted

MEMORY = "memory"
"""The resource of a worker, in bytes, that an ending takes while it is built."""

_ANSWER = 10.0
"""Seconds for a scheduler to answer."""
_LOOK = 0.5
"""Seconds between two looks at what the workers do."""
_TURN = 0.1
"""Seconds until a connection that is being made is found to be cancelled."""
_OFF = 4.0
"""Seconds for workers to leave off what nobody wants any more."""
_SEE = 20.0
"""Seconds until a worker must see the lock of who asks: network file systems show what is new a little later."""
_TIMES = 4
"""How often an ending is begun again on a worker whose building process is killed."""
_ROUNDS = 10
"""How often what killed its workers is handed out again."""
_KEPT = "finished tables are kept"
_STARTED = "dask worker ADDRESS --nthreads 1 --resources memory=24e9"


@dataclass(frozen=True, slots=True)
class BuildTask:
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
        where: The address of a scheduler.
        threads: Threads that a worker solves with; what it has by default.
        certificates: What a ``tls://`` scheduler wants to see; by default what Dask's configuration names.
        terms: As of a build; the memory is the workers' own, and no moves are looked at.
    """

    def __init__(
        self,
        library: Library,
        endings: Sequence[str],
        where: str,
        threads: int | None = None,
        certificates: Certificates | None = None,
        **terms: Unpack[Terms],
    ) -> None:
        if terms.get("memory") is not None:
            raise EndgameError(
                f"the workers of {where} were started with the memory they have",
                f"leave --memory away, or start each with: {_STARTED}",
            )
        self.library = library
        self.endings = tuple(endings)
        self.where = where
        self.threads = threads or 0
        self.certificates = certificates
        self.keep_requested_only = terms.get("keep_requested_only", False)
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
        schedule = Schedule(self.library, self.endings, self.keep_requested_only)
        yield Event("plan", endings=schedule.plan, steps=len(schedule.plan))
        if schedule.remaining:
            if not is_encrypted(self.where):
                yield Event("open", what=self.where)
            with self._mark() as mark, self._client() as client:
                yield from _Run(self, client, schedule, mark).events()
        yield Event("finished", endings=schedule.plan, steps=len(schedule.plan), fraction=1.0)

    @contextmanager
    def _mark(self) -> Generator[Lock]:
        """The lock that says that somebody still wants the endings."""
        name = f"cluster-{secrets.token_hex(4)}"
        with paths.storage_errors(self.library.root):
            mark = self.library.locks.acquire(name, f"a build on {self.where}")
        assert mark is not None, "the lock has a random name"
        try:
            yield mark
        finally:
            self.library.locks.release(mark)

    @contextmanager
    def _client(self) -> Generator[Any]:
        """A connection to the scheduler."""
        quiet = {"distributed.comm.timeouts.connect": f"{_ANSWER}s"}
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with ExitStack() as opened:
            opened.enter_context(dask.config.set(quiet))
            try:
                client = self._connect(self._security())
            except (OSError, ValueError) as error:
                if self.cancelled:
                    raise BuildCancelledError() from None
                raise self._no_connection(error) from None
            opened.callback(_closed, client)
            yield client

    def _connect(self, security: distributed.Security) -> Any:
        """Connect to the scheduler, unless somebody cancels the build meanwhile.

        A thread does it: Dask cannot be interrupted while it connects, it would only wait for longer.
        """
        connection: Future[Any] = Future()

        def connect() -> None:
            try:
                client: Any = distributed.Client(self.where, timeout=_ANSWER, set_as_default=False, security=security)
            except BaseException as error:
                connection.set_exception(error)
            else:
                connection.set_result(client)

        threading.Thread(target=connect, daemon=True).start()
        try:
            while not connection.done():
                if self.cancelled:
                    raise BuildCancelledError()
                wait([connection], _TURN)
        except BaseException:
            connection.add_done_callback(_discard)
            raise
        return connection.result()

    def _security(self) -> distributed.Security:
        """The certificates of the options, or those of Dask's configuration.

        Raises:
            EndgameError: They cannot be used, or the address does not suit them.
        """
        if self.certificates is None:
            security = distributed.Security()
        else:
            key = self.certificates.key
            security = distributed.Security(
                require_encryption=True,
                tls_ca_file=str(self.certificates.ca),
                tls_client_cert=str(self.certificates.cert),
                tls_client_key=None if key is None else str(key),
            )

        if not is_encrypted(self.where):
            if security.require_encryption:
                raise EndgameError(
                    f"{self.where} is not encrypted, and Dask's configuration requires encryption",
                    "write tls:// if the scheduler has certificates",
                )
            return security

        self._check_certificates(security.get_tls_config_for_role("client"))
        return security

    def _check_certificates(self, files: Mapping[str, str | None]) -> None:
        """Raise EndgameError where Dask could not load the files, or would ask the terminal for a password."""
        if not files["ca_file"] or not files["cert"]:
            raise EndgameError(
                f"{self.where} wants certificates",
                "name them with --cluster-ca and --cluster-cert, or in Dask's configuration",
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            context.load_verify_locations(files["ca_file"])
        except OSError as error:  # ssl.SSLError is one
            raise _unusable(files["ca_file"], error, "--cluster-ca") from None
        try:
            context.load_cert_chain(files["cert"], files["key"], password=str)
        except (OSError, ValueError) as error:
            raise _unusable(files["cert"], error, "--cluster-cert and --cluster-key") from None

    def _no_connection(self, error: BaseException) -> EndgameError:
        """Why the scheduler cannot be used, from what Dask has raised."""
        refused = False
        cause: BaseException | None = error
        while cause is not None:
            refused = refused or isinstance(cause, ssl.SSLError)
            cause = cause.__cause__ or cause.__context__
        if refused:
            return EndgameError(
                f"the scheduler {self.where} and these certificates do not fit together",
                "use certificates of the authority that the scheduler was started with",
            )
        hint = "" if is_encrypted(self.where) else ", and tls:// if it has certificates"
        return EndgameError(
            f"the scheduler {self.where} does not answer",
            f"start it with: dask scheduler, or see whether the address is right{hint}",
        )


def _unusable(file: str, error: Exception, options: str) -> EndgameError:
    why = "it is no PEM file, has a password, or does not fit its key"
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
        why = error.strerror
    return EndgameError(
        f"the certificate {quoted(file)} cannot be used ({why})", f"see {options}, or Dask's configuration"
    )


def _discard(connection: Future[Any]) -> None:
    """Close a connection that nobody waits for any more."""
    if connection.exception() is None:
        _closed(connection.result())


def _closed(client: Any) -> None:
    with suppress(Exception):  # a scheduler that has gone takes no leave
        client.close(timeout=2)


def _who() -> tuple[str, str]:
    """On a worker: which program it has, and of which Dask."""
    return paths.stamp(), version("distributed")


class _Run:
    """One build while a scheduler is connected."""

    def __init__(self, cluster: Cluster, client: Any, schedule: Schedule, mark: Lock) -> None:
        self.cluster = cluster
        self.client = client
        self.library = cluster.library
        self.schedule = schedule
        self.mark = mark
        self.workers: list[dict[str, Any]] = []
        self.futures: dict[str, Any] = {}
        self.deaths: dict[str, int] = {}
        root, game = self.library.root.absolute(), self.library.game
        shared = tuple(str(place) for place in self.library.places[1:])
        name = mark.path.name.removesuffix(".lock")
        self.order = BuildTask(game.entry, str(root), shared, name, paths.stamp(), cluster.threads)

    def events(self) -> Iterator[Event]:
        """Hands the endings out and tells what becomes of them."""
        told: Event | None = None
        try:
            self._check_dask()
            self._hand_out()
            looked = -_ANSWER
            while self.schedule.remaining:
                if time.monotonic() - looked >= _ANSWER:
                    looked = time.monotonic()
                    self._look_at_workers()
                yield from self._done()
                if self.schedule.remaining and (now := self._now()) != told:
                    told = now
                    yield now
                self._pause()
        except EndgameError:
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
        remaining = self.schedule.remaining.keys()
        while remaining and time.monotonic() < until and not remaining.isdisjoint(self.library.in_hand()):
            time.sleep(0.1)

    def _pause(self) -> None:
        until = time.monotonic() + _LOOK
        while time.monotonic() < until and self.schedule.remaining:
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
        result = theirs.get("packages", {}).get("distributed", mine)
        if result != mine:
            raise _other("scheduler", self.cluster.where, f"Dask {result}", f"Dask {mine}")
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
        offers = [offer for offer, _ in self._offers()]
        if not self.schedule.remaining or not workers:
            return
        if not offers:
            raise EndgameError(
                "no worker says how much memory it has for endings",
                f"start each with, for 24 GB: {_STARTED}",
            )
        largest = self.schedule.largest()
        if (need := self.schedule.costs[largest].enough) > max(offers):
            raise EndgameError(
                f"{largest} needs at least {need / 1e9:.1f} GB of memory, more than the {max(offers) / 1e9:.1f} GB of "
                "the largest worker",
                f"start fewer and larger workers; {_KEPT}",
            )

    # Endings

    def _hand_out(self) -> None:
        """Hands out all that is left; what most time depends on goes first."""
        share = min((offer // nthreads for offer, nthreads in self._offers()), default=0)
        self.futures = {}
        for ending in self.schedule.remaining:
            cost = self.schedule.costs[ending]
            order = replace(self.order, memory=cost.within(share).memory)
            key = f"{ending}-{self.order.mark}-{sum(self.deaths.values())}"
            self.futures[ending] = self.client.submit(
                build_one, order, ending, *(self.futures[need] for need in self.schedule.requirements(ending)), key=key,
                pure=False, resources={MEMORY: order.memory}, priority=round(1000 * self.schedule.priorities[ending]),
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
                del self.futures[ending]
                yield self.schedule.complete(ending, made["size"], made["seconds"])
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

    def _now(self) -> Event:
        """What all workers have in hand; that one is waited for, where there is none."""
        progress = self.schedule.progress()
        if self.workers or progress.hands:
            return progress
        return Event("wait", steps=progress.steps, step=progress.step, what=f"a worker of {self.cluster.where}")


def _other(what: str, address: str, theirs: str, mine: str) -> EndgameError:
    return EndgameError(f"the {what} {address} has {theirs}, and here is {mine}", "install the same on all machines")


# On a worker


def build_one(order: BuildTask, ending: str, *needed: dict[str, Any]) -> dict[str, Any]:
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
        return jsonl_process.as_message(error)


def _built(order: BuildTask, ending: str) -> dict[str, Any]:
    worker: Any = distributed.get_worker()
    if order.stamp != paths.stamp():
        raise _other("worker", worker.address, paths.stamp(), order.stamp)
    root = _shared_directory(order, worker.address)
    library = Library.at(jsonl_process.load_object(order.game), [str(root), *order.shared])
    threads = order.threads or max(1, cores() // worker.state.nthreads)
    offer = int(worker.state.total_resources.get(MEMORY, 0)) if worker.state.nthreads == 1 else 0
    memory = max(offer, order.memory) or None
    began = time.monotonic()
    for attempt in range(_TIMES):
        try:
            _build(library, order, Build(library, [ending], threads, memory=memory))
            break
        except WorkerDiedError:
            if attempt == _TIMES - 1:
                raise
    path = library.path(ending)
    size = path.stat().st_size if path.is_file() else 0  # it may be shared or shipped
    return {"size": size, "seconds": round(time.monotonic() - began, 3)}


def _build(library: Library, order: BuildTask, work: Build) -> None:
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


def _shared_directory(order: BuildTask, address: str) -> Path:
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
