"""Builds on many machines: Dask distributes the endings, a directory that all of them share holds the tables.

A task is one ending, with the memory that it can work with as a resource: a worker with more memory uses more. It
begins when the tasks of its sub-endings are done, runs the same build process as a plain build, under the same lock,
and returns the size of the table. Nothing else travels through the scheduler: each worker writes its progress into its
lock, where everybody can read it. A task may run twice, as Dask repeats the tasks of a dead worker: the second run
finds the table.

The program that requests the endings holds a lock, too: the *mark*. By the mark a worker finds the shared directory,
and it stops working when the mark is gone.
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
from endgame_core.language import _, decimal
from endgame_core.system import cores
from endgame_core.tables.build import Build, Event, Terms
from endgame_core.tables.cluster_address import Certificates, is_encrypted
from endgame_core.tables.library import Library
from endgame_core.tables.locks import Lock, Locks
from endgame_core.tables.schedule import Schedule
from endgame_core.untrusted import quoted

MEMORY = "memory"
"""The resource of a worker, in bytes, that an ending takes while it is built."""

_TIMEOUT = 10.0
"""Seconds for a scheduler to answer, and between two looks at the list of workers."""
_POLL = 0.5
"""Seconds between two looks at the tasks."""
_CONNECT_POLL = 0.1
"""Seconds between two checks whether a build was cancelled while it connects."""
_STOP_SECONDS = 4.0
"""Seconds for workers to stop when the build has ended."""
_MARK_SECONDS = 20.0
"""Seconds until a worker must see the mark: network file systems show new files a little later."""
_ATTEMPTS = 4
"""How often a worker starts the build process of an ending if it is killed."""
_MAX_DEATHS = 10
"""How often an ending is submitted again after it has killed its workers."""
_KEPT = _("finished tables are kept")
_START_COMMAND = "dask worker ADDRESS --nthreads 1 --resources memory=24e9"


@dataclass(frozen=True, slots=True)
class BuildTask:
    """The data that all tasks of a build share, and the memory limit of one task.

    Attributes:
        game: The game, as ``module:name``.
        root: The data directory, by its path on the machine that requests the build.
        shared: Directories of shared tables.
        mark: The name of the mark.
        stamp: Version and fingerprint of the program that requests the build.
        threads: Number of threads; 0 for as many as a worker has.
        memory: Bytes of its worker's memory that the task has reserved.
    """

    game: str
    root: str
    shared: tuple[str, ...]
    mark: str
    stamp: str
    threads: int
    memory: int = 0


class Cluster:
    """Builds some endings, and their missing sub-endings, on the workers of a cluster; used like :class:`Build`.

    Args:
        library: Where the tables go: in a directory that all workers see.
        endings: Canonical names.
        where: The address of a scheduler.
        threads: Number of threads of each worker; as many as it has by default.
        certificates: The certificates for a ``tls://`` scheduler; by default those of Dask's configuration.
        terms: Options of a build; the memory is that of the workers, and no surveys are made.
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
                _("the memory limits of the workers of {where} are set when the workers are started").format(
                    where=where
                ),
                _("leave out --memory, or start each worker with: {start_command}").format(
                    start_command=_START_COMMAND
                ),
            )
        self.library = library
        self.endings = tuple(endings)
        self.where = where
        self.threads = threads or 0
        self.certificates = certificates
        self.keep_requested_only = terms.get("keep_requested_only", False)
        self.cancelled = False

    def cancel(self) -> None:
        """Stop the build, from any thread; finished tables stay."""
        self.cancelled = True

    def events(self) -> Iterator[Event]:
        """Build, and yield events until it is finished (blocking).

        Raises:
            EndgameError: The cluster cannot be used, an ending cannot be built, or the build was cancelled.
        """
        self.library.locks.sweep()
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
        """Hold the mark, the lock by which workers know that the endings are still requested."""
        name = f"cluster-{secrets.token_hex(4)}"
        with paths.storage_errors(self.library.root):
            mark = self.library.locks.acquire(name, _("a build on {where}").format(where=self.where))
        assert mark is not None, "the lock has a random name"
        try:
            yield mark
        finally:
            self.library.locks.release(mark)

    @contextmanager
    def _client(self) -> Generator[Any]:
        """A connection to the scheduler."""
        config = {"distributed.comm.timeouts.connect": f"{_TIMEOUT}s"}
        for name in ("distributed", "distributed.client"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        with ExitStack() as stack:
            stack.enter_context(dask.config.set(config))
            try:
                client = self._connect(self._security())
            except (OSError, ValueError) as error:
                if self.cancelled:
                    raise BuildCancelledError() from None
                raise self._no_connection(error) from None
            stack.callback(_close, client)
            yield client

    def _connect(self, security: distributed.Security) -> Any:
        """Connect to the scheduler, unless the build is cancelled meanwhile.

        This happens in a thread, because Dask cannot be interrupted while it connects.
        """
        connection: Future[Any] = Future()

        def connect() -> None:
            try:
                client: Any = distributed.Client(self.where, timeout=_TIMEOUT, set_as_default=False, security=security)
            except BaseException as error:
                connection.set_exception(error)
            else:
                connection.set_result(client)

        threading.Thread(target=connect, daemon=True).start()
        try:
            while not connection.done():
                if self.cancelled:
                    raise BuildCancelledError()
                wait([connection], _CONNECT_POLL)
        except BaseException:
            # The thread may still connect; then the connection is closed at once.
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
                    _("{where} is not encrypted, but Dask's configuration requires encryption").format(
                        where=self.where
                    ),
                    _("write tls:// if the scheduler has certificates"),
                )
            return security

        self._check_certificates(security.get_tls_config_for_role("client"))
        return security

    def _check_certificates(self, files: Mapping[str, str | None]) -> None:
        """Raise EndgameError if Dask could not load the files, or would ask for a password in the terminal."""
        if not files["ca_file"] or not files["cert"]:
            raise EndgameError(
                _("{where} requires certificates").format(where=self.where),
                _("name them with --cluster-ca and --cluster-cert, or in Dask's configuration"),
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        try:
            context.load_verify_locations(files["ca_file"])
        except OSError as error:  # ssl.SSLError is one
            raise _unusable(files["ca_file"], error, "--cluster-ca") from None
        # ``str()`` is an empty password. Without a function OpenSSL would ask for one in the terminal.
        try:
            context.load_cert_chain(files["cert"], files["key"], password=str)
        except (OSError, ValueError) as error:
            raise _unusable(files["cert"], error, _("--cluster-cert and --cluster-key")) from None

    def _no_connection(self, error: BaseException) -> EndgameError:
        """The error that the scheduler cannot be used, from what Dask has raised."""
        is_tls_error = False
        # Dask wraps the error of the connection several times.
        cause: BaseException | None = error
        while cause is not None:
            is_tls_error = is_tls_error or isinstance(cause, ssl.SSLError)
            cause = cause.__cause__ or cause.__context__
        if is_tls_error:
            return EndgameError(
                _("the scheduler {where} and these certificates do not match").format(where=self.where),
                _("use certificates signed by the authority of the scheduler"),
            )
        hint = ""
        if not is_encrypted(self.where):
            hint = _(" (use tls:// if it has certificates)")
        return EndgameError(
            _("the scheduler at {where} is not responding").format(where=self.where),
            _("start it with: dask scheduler, or check the address{hint}").format(hint=hint),
        )


def _unusable(file: str, error: Exception, options: str) -> EndgameError:
    reason = _("it is not a PEM file, has a password, or does not match its key")
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError):
        reason = error.strerror
    return EndgameError(
        _("the certificate {file} cannot be used ({reason})").format(file=quoted(file), reason=reason),
        _("check {options} or Dask's configuration").format(options=options),
    )


def _discard(connection: Future[Any]) -> None:
    """Close a connection that is no longer needed."""
    if connection.exception() is None:
        _close(connection.result())


def _close(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone
        client.close(timeout=2)


def _versions() -> tuple[str, str]:
    """Runs on a worker: the stamp of its program, and the version of its Dask."""
    return paths.stamp(), version("distributed")


class _Run:
    """One build while a scheduler is connected.

    Attributes:
        workers: What the scheduler knows of each worker.
        futures: The task of each unfinished ending.
        deaths: How often an ending has killed its workers, as Dask sees it.
        template: The task, but for the memory, which differs between endings.
    """

    def __init__(self, cluster: Cluster, client: Any, schedule: Schedule, mark: Lock) -> None:
        self.cluster = cluster
        self.client = client
        self.library = cluster.library
        self.schedule = schedule
        self.mark = mark
        self.workers: list[dict[str, Any]] = []
        self.futures: dict[str, Any] = {}
        self.deaths: dict[str, int] = {}
        self.template = BuildTask(
            game=self.library.game.entry,
            root=str(self.library.root.absolute()),
            shared=tuple(str(place) for place in self.library.places[1:]),
            mark=mark.path.name.removesuffix(".lock"),
            stamp=paths.stamp(),
            threads=cluster.threads,
        )

    def events(self) -> Iterator[Event]:
        """Submit the endings and report what becomes of them."""
        reported: Event | None = None
        try:
            self._check_versions()
            self._submit()
            # The first round looks at once.
            last_look = -_TIMEOUT
            while self.schedule.remaining:
                if time.monotonic() - last_look >= _TIMEOUT:
                    last_look = time.monotonic()
                    self._check_workers()
                yield from self._collect()
                if self.schedule.remaining:
                    progress = self._progress()
                    if progress != reported:
                        reported = progress
                        yield progress
                self._wait()
        except EndgameError:
            raise
        except Exception as error:
            if self.cluster.cancelled:
                raise BuildCancelledError() from None
            raise self._scheduler_gone_error(error) from None
        finally:
            self._stop()

    def _stop(self) -> None:
        """Make the workers stop, and wait a few seconds for it."""
        # First of all: workers see that the mark is gone and cancel their builds, even if the scheduler is lost.
        self.library.locks.release(self.mark)
        with suppress(Exception):
            self.client.cancel(list(self.futures.values()), force=True)
        deadline = time.monotonic() + _STOP_SECONDS
        remaining = self.schedule.remaining.keys()
        while (
            remaining and time.monotonic() < deadline and not remaining.isdisjoint(self.library.locks.locked_endings())
        ):
            time.sleep(0.1)

    def _wait(self) -> None:
        """Wait a moment, or until a task ends."""
        deadline = time.monotonic() + _POLL
        while time.monotonic() < deadline and self.schedule.remaining:
            if self.cluster.cancelled:
                raise BuildCancelledError()
            if self.client.status != "running":
                raise self._scheduler_gone_error(None)
            time.sleep(0.02)
            if any(future.status != "pending" for future in self.futures.values()):
                return

    def _scheduler_gone_error(self, error: Exception | None) -> EndgameError:
        reason = ""
        if error is not None:
            reason = f" ({type(error).__name__})"
        return EndgameError(
            _("the connection to the scheduler {where} was lost{reason}").format(
                where=self.cluster.where, reason=reason
            ),
            _("{kept}; restart the scheduler and repeat the command, or build without --cluster").format(kept=_KEPT),
        )

    # Workers

    def _check_versions(self) -> None:
        """Raise EndgameError unless scheduler and workers have this program and the same Dask."""
        own_dask = version("distributed")
        scheduler = self.client.get_versions(check=False)["scheduler"] or {}
        its_dask = scheduler.get("packages", {}).get("distributed", own_dask)
        if its_dask != own_dask:
            raise _version_error("scheduler", self.cluster.where, f"Dask {its_dask}", f"Dask {own_dask}")

        for address, result in self.client.run(_versions, on_error="return").items():
            if isinstance(result, ImportError):
                raise EndgameError(
                    _("endgame-tui is not installed on the worker {address}").format(address=address),
                    _("install the same version on the worker"),
                )
            if isinstance(result, BaseException):
                continue  # it has just died; other errors come up when it runs a task
            stamp, its_dask = result
            if its_dask != own_dask:
                raise _version_error("worker", address, f"Dask {its_dask}", f"Dask {own_dask}")
            if stamp != self.template.stamp:
                raise _version_error("worker", address, stamp, self.template.stamp)

    def _list_workers(self) -> list[dict[str, Any]]:
        """Return the facts that the scheduler has about each worker."""
        return list(self.client.scheduler_info(n_workers=-1)["workers"].values())

    def _offers(self) -> list[tuple[int, int]]:
        """The memory that each worker has for endings, in bytes, and how many tasks it runs at once."""
        workers = [worker for worker in self._list_workers() if MEMORY in worker.get("resources", {})]
        return [(int(worker["resources"][MEMORY]), int(worker["nthreads"])) for worker in workers]

    def _check_workers(self) -> None:
        """Update the list of workers; raise EndgameError if none has enough memory for the remaining endings."""
        self.workers = self._list_workers()
        memories = [memory for memory, __ in self._offers()]
        if not self.schedule.remaining or not self.workers:
            return
        if not memories:
            raise EndgameError(
                _("no worker reports how much memory it has for endings"),
                _("start each worker with (for 24 GB): {start_command}").format(start_command=_START_COMMAND),
            )
        ending = self.schedule.largest()
        required = self.schedule.costs[ending].enough
        if required > max(memories):
            raise EndgameError(
                _(
                    "{ending} needs at least {required} GB of memory, more than the {memories} GB of the largest worker"
                ).format(ending=ending, required=decimal(required / 1e9), memories=decimal(max(memories) / 1e9)),
                _("start fewer workers with more memory; {kept}").format(kept=_KEPT),
            )

    # Endings

    def _submit(self) -> None:
        """Submit all remaining endings; those that the longest chains of others wait for have priority."""
        memory = min((memory // nthreads for memory, nthreads in self._offers()), default=0)
        self.futures = {}
        for ending in self.schedule.remaining:
            task = replace(self.template, memory=self.schedule.costs[ending].within(memory).memory)
            # New keys after deaths, or Dask would take the tasks for those that have failed.
            key = f"{ending}-{self.template.mark}-{sum(self.deaths.values())}"
            requirements = [self.futures[need] for need in self.schedule.requirements(ending)]
            self.futures[ending] = self.client.submit(
                build_one,
                task,
                ending,
                *requirements,
                key=key,
                pure=False,
                resources={MEMORY: task.memory},
                priority=round(1000 * self.schedule.priorities[ending]),
            )

    def _collect(self) -> Iterator[Event]:
        """Collect the results of tasks that have ended; submit again what has killed its workers."""
        has_killed = False
        for ending, future in list(self.futures.items()):
            status = future.status
            if status == "finished":
                result = future.result()
                if "error" in result:
                    raise as_error(result)
                del self.futures[ending]
                yield self.schedule.complete(ending, result["size"], result["seconds"])
            elif status == "error":
                error = future.exception()
                if not isinstance(error, distributed.KilledWorker):
                    raise EndgameError(
                        _("a worker could not build {ending} ({name__}: {error})").format(
                            ending=ending, name__=type(error).__name__, error=error
                        ),
                        _KEPT,
                    )
                has_killed = True
            elif status in ("cancelled", "lost"):
                raise self._scheduler_gone_error(None)
        if has_killed:
            self._submit_again()

    def _submit_again(self) -> None:
        """Submit again the endings that have killed their workers, and all that wait for them."""
        for ending, future in self.futures.items():
            # The tasks that wait for a failed one fail with the same exception, which names the one that has died.
            if future.status == "error" and future.exception().task == future.key:
                self.deaths[ending] = self.deaths.get(ending, 0) + 1
                if self.deaths[ending] > _MAX_DEATHS:
                    raise EndgameError(
                        _("several workers died while building {ending}").format(ending=ending),
                        _("check the logs of the workers; {kept}").format(kept=_KEPT),
                    )
        self.client.cancel(list(self.futures.values()), force=True)
        self._submit()

    def _progress(self) -> Event:
        """The event about all workers; without any, that one is waited for."""
        progress = self.schedule.progress()
        if self.workers or progress.hands:
            return progress
        return Event(
            "wait",
            steps=progress.steps,
            step=progress.step,
            what=_("a worker of {where}").format(where=self.cluster.where),
        )


def _version_error(what: str, address: str, theirs: str, ours: str) -> EndgameError:
    return EndgameError(
        _("the {what} {address} has {theirs}, but this machine has {ours}").format(
            what=what, address=address, theirs=theirs, ours=ours
        ),
        _("install the same version on all machines"),
    )


# On a worker


def build_one(task: BuildTask, ending: str, *requirements: dict[str, Any]) -> dict[str, Any]:
    """Build an ending, unless it is built.

    Args:
        task: What the tasks of this build have in common, and the memory of this one.
        ending: Its name.
        requirements: The results of the tasks of its sub-endings.

    Returns:
        ``size`` of the table in bytes and ``seconds``; or the message of an error.
    """
    # The first error goes through all endings that require it, so each of them reports the cause.
    for result in requirements:
        if "error" in result:
            return result
    try:
        return _build_one(task, ending)
    except EndgameError as error:
        return jsonl_process.as_message(error)


def _build_one(task: BuildTask, ending: str) -> dict[str, Any]:
    worker: Any = distributed.get_worker()
    if task.stamp != paths.stamp():
        raise _version_error("worker", worker.address, paths.stamp(), task.stamp)
    root = _shared_directory(task, worker.address)
    library = Library.at(jsonl_process.load_object(task.game), [str(root), *task.shared])
    # A task that is alone on its worker may use all of its memory.
    tasks_at_once = worker.state.nthreads
    threads = task.threads or max(1, cores() // tasks_at_once)
    all_memory = 0
    if tasks_at_once == 1:
        all_memory = int(worker.state.total_resources.get(MEMORY, 0))
    memory = max(all_memory, task.memory) or None

    began = time.monotonic()
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            _run(library, task, Build(library, [ending], threads, memory=memory))
            break
        # The next attempt resumes from the work file.
        except WorkerDiedError:
            if attempt == _ATTEMPTS:
                raise
    path = library.path(ending)
    size = 0
    # the table may be a shared or shipped one
    if path.is_file():
        size = path.stat().st_size
    return {"size": size, "seconds": round(time.monotonic() - began, 3)}


def _run(library: Library, task: BuildTask, build: Build) -> None:
    """Run a build process; cancel it when the mark is gone."""
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(1.0):
            if library.locks.holder(task.mark) is None:
                build.cancel()
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        for __ in build.events():
            pass
    finally:
        is_over.set()


def _shared_directory(task: BuildTask, address: str) -> Path:
    """The path of the shared directory on this machine: the one where the mark is."""
    deadline = time.monotonic() + _MARK_SECONDS
    while True:
        for root in (Path(task.root), paths.data_dir()):
            # The directory may be mounted under a different path here, but the build's mark is in only one.
            if Locks(root / "locks").holder(task.mark) is not None:
                return root
        if time.monotonic() > deadline:
            raise EndgameError(
                _("the worker {address} cannot see the data directory {root}").format(address=address, root=task.root),
                _("mount it there, or set ${home_variable} on that machine to its path").format(
                    home_variable=paths.HOME_VARIABLE
                ),
            )
        time.sleep(0.5)
