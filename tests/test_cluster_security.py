"""Other users of the machine cannot use the processes of a cluster build; tried as an attacker would."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import psutil
import pytest
from benchmarks.cluster import below, command, compare, digests
from click.testing import CliRunner, Result

from endgame_core.cli.main import main
from endgame_core.errors import BuildCancelledError, EndgameError, WorkerDiedError
from endgame_core.tables.build import Build, Event, Work
from endgame_core.tables.cluster_address import Certificates
from endgame_core.tables.library import Library
from endgame_core.tables.local_workers import LocalWorkers
from endgame_core.tasks.builds import work_for
from endgame_core.words import tables as words

_DOCS = Path(__file__).parents[1] / "docs" / "cluster.md"
_LONG = ["KRRvKR", "KQRvKR"]
"""Endings that take long enough to look at the processes of their build."""

_ATTACK = """
import logging, sys
import distributed
logging.disable()
def write():
    open(sys.argv[2], "w").close()
client = distributed.Client(sys.argv[1], timeout=3, set_as_default=False)
client.run_on_scheduler(lambda path: open(path, "w").close(), sys.argv[2])
"""
"""Has the process that listens on a port write a file."""


def runs_code(address: str, proof: Path) -> bool:
    """Whether an attacker without certificates makes the process behind an address write a file."""
    attack = [sys.executable, "-c", _ATTACK, address, str(proof)]
    subprocess.run(attack, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return proof.exists()


def speaks_http(host: str, port: int) -> bool:
    """Whether a request of a browser gets the answer of an HTTP server."""
    try:
        with socket.create_connection((host, port), 3) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return connection.recv(5) == b"HTTP/"
    except OSError:
        return False


def listening(pid: int) -> list[tuple[str, int]]:
    """The addresses on which a process and all that it has started listen, whatever the interface."""
    every = {"0.0.0.0": "127.0.0.1", "::": "::1"}
    found: list[tuple[str, int]] = []
    for each in [pid, *below(pid)]:
        try:
            connections = psutil.Process(each).net_connections(kind="inet")
        except psutil.NoSuchProcess:
            continue
        found += [
            (every.get(one.laddr.ip, one.laddr.ip), one.laddr.port)
            for one in connections
            if one.status == psutil.CONN_LISTEN
        ]
    return found


def accept_ctrl_c() -> None:
    """Where the tests run in the background of a shell, Ctrl-C is ignored, and a new process inherits that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def started(root: Path, *words: str) -> subprocess.Popen[str]:
    """A build that tells its events as JSON lines."""
    return subprocess.Popen(
        command(root, "build", *words, "--yes", "--json"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=accept_ctrl_c,
    )  # fmt: skip


def press_ctrl_c(build: subprocess.Popen[str]) -> None:
    """As a terminal does, which tells all processes that belong to the command."""
    os.killpg(build.pid, signal.SIGINT)


def wait_for_hands(lines: IO[str] | None, number: int = 1) -> None:
    """Reads events until so many workers have an ending in hand."""
    assert lines is not None
    for line in lines:
        if len(json.loads(line).get("hands", ())) >= number:
            return
    raise AssertionError("the build has ended before")


@pytest.fixture
def openssl() -> str:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl makes the certificates")
    return program


@pytest.fixture
def certificates(tmp_path: Path, openssl: str) -> Certificates:
    """Made as docs/cluster.md says."""
    return make_certificates(tmp_path / "certificates")


def make_certificates(directory: Path) -> Certificates:
    directory.mkdir()
    line = re.search(r"^openssl req .+$", _DOCS.read_text(), re.MULTILINE)
    assert line is not None
    subprocess.run(line[0].split(), cwd=directory, check=True, capture_output=True)
    return Certificates(directory / "cluster.pem", directory / "cluster.pem", directory / "cluster.key")


def dask(*words: str, cwd: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words], cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def address_of(scheduler: subprocess.Popen[bytes]) -> str:
    """The address that a scheduler reports when it listens."""
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if found := re.search(rb"Scheduler at:\s+(\S+)", line):
            return found[1].decode()
    raise AssertionError("the scheduler has ended")


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that end with the test."""
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.terminate()
        process.communicate()


_SCHEDULER = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0"]


@pytest.mark.slow
def test_an_open_scheduler_runs_the_code_of_anybody(tmp_path: Path, processes: list[subprocess.Popen[bytes]]) -> None:
    """The attack of this module works where nothing hinders it; this is what the warning is about."""
    scheduler = dask(*_SCHEDULER, cwd=tmp_path)
    processes.append(scheduler)
    address = address_of(scheduler)
    assert runs_code(address, tmp_path / "proof")
    host, _, port = address.removeprefix("tcp://").partition(":")
    ports = listening(scheduler.pid)
    assert (host, int(port)) in ports
    assert any(speaks_http(*port) for port in ports)


@pytest.mark.slow
def test_local_workers_accept_no_other_clients(tmp_path: Path) -> None:
    build = started(tmp_path / "data", *_LONG, "--cluster", "local:2")
    try:
        wait_for_hands(build.stdout)
        assert below(build.pid), "workers run"
        for host, port in listening(build.pid):
            assert not speaks_http(host, port), port
            assert not runs_code(f"tcp://{host}:{port}", tmp_path / "proof"), port
        assert listening(build.pid) == []
    finally:
        press_ctrl_c(build)
        build.communicate()


@pytest.mark.slow
def test_a_scheduler_with_certificates(
    tmp_path: Path, certificates: Certificates, processes: list[subprocess.Popen[bytes]]
) -> None:
    """A build with the right certificates succeeds, one with others fails in a sentence, and so does the attack."""
    ca, cert, key = str(certificates.ca), str(certificates.cert), str(certificates.key)
    theirs = ["--tls-ca-file", ca, "--tls-cert", cert, "--tls-key", key]
    scheduler = dask(*_SCHEDULER, "--protocol", "tls", *theirs, cwd=tmp_path)
    processes.append(scheduler)
    address = address_of(scheduler)
    workers = ["worker", address, *theirs, "--host", "127.0.0.1", "--nthreads", "1", "--resources", "memory=2e9"]
    processes.append(dask(*workers, "--dashboard-address", "127.0.0.1:0", cwd=tmp_path))

    def build(where: str, one: Certificates) -> Result:
        mine = ["--cluster-ca", str(one.ca), "--cluster-cert", str(one.cert), "--cluster-key", str(one.key)]
        data = ["--data-dir", str(tmp_path / "data")]
        return CliRunner().invoke(main, [*data, "build", "KBvKB", "--yes", "--cluster", where, *mine])

    stranger = make_certificates(tmp_path / "stranger")
    refused = build(address, stranger)
    assert refused.exit_code == 1
    refusal = refused.stderr.splitlines()[-1]
    assert address in refusal and "do not match" in refusal

    built = build(address, certificates)
    assert built.exit_code == 0, built.stderr
    assert "KBvKB" in built.stdout and "warning" not in built.stderr
    compare(tmp_path / "data", digests(tmp_path / "data"))

    assert not runs_code(address, tmp_path / "proof")
    assert not runs_code(address.replace("tls://", "tcp://"), tmp_path / "proof")


class TestCertificates:
    """What can be wrong with them, in one sentence, before anybody connects."""

    def error(self, library: Library, ca: Path, cert: Path, key: Path | None = None) -> str:
        with pytest.raises(EndgameError) as caught:
            list(work_for(library, ["KNvK"], "tls://127.0.0.1:9", certificates=Certificates(ca, cert, key)).events())
        return str(caught.value)

    def test_files_other_than_certificates_are_refused(
        self, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        text = Path("notes.txt")
        text.write_text("hello\n", encoding="utf-8")
        why = "it is not a PEM file, has a password, or does not match its key"
        assert f"notes.txt' cannot be used ({why}); check --cluster-ca" in self.error(empty_library, text, text)
        missing = Path("missing.pem")
        assert "missing.pem' cannot be used (No such file or directory)" in self.error(empty_library, missing, missing)

    @pytest.mark.slow
    def test_a_missing_wrong_or_encrypted_key_is_refused(
        self,
        empty_library: Library,
        tmp_path: Path,
        certificates: Certificates,
        openssl: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.chdir(certificates.cert.parent)
        locked = tmp_path / "locked.key"
        assert certificates.key is not None
        encrypt = [openssl, "pkey", "-in", str(certificates.key), "-aes256", "-passout", "pass:secret", "-out"]
        subprocess.run([*encrypt, str(locked)], check=True, capture_output=True)
        other = make_certificates(tmp_path / "other").key
        for key in (None, locked, other):
            told = self.error(empty_library, certificates.ca, Path("cluster.pem"), key)
            assert (
                "certificate 'cluster.pem' cannot be used (" in told
                and "check --cluster-cert and --cluster-key" in told
            ), key

    @pytest.mark.parametrize("where", ["tcp://head:8786", "ws://head:8786", "local:2"])
    def test_certificates_require_a_tls_address(self, empty_library: Library, tmp_path: Path, where: str) -> None:
        with pytest.raises(EndgameError, match=r"^'.+' does not use certificates; write tls://host:8786, or leave"):
            work_for(empty_library, ["KNvK"], where, certificates=Certificates(tmp_path, tmp_path))

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["--cluster-ca", "FILE", "--cluster-cert", "FILE"], "require --cluster tls://HOST:8786"),
            (["--cluster", "tls://head:8786", "--cluster-ca", "FILE"], "--cluster-cert require each other"),
            (["--cluster", "tls://head:8786", "--cluster-key", "FILE"], "--cluster-cert require each other"),
        ],
    )
    def test_certificate_options_must_be_given_together(self, tmp_path: Path, options: list[str], told: str) -> None:
        file = tmp_path / "cluster.pem"
        file.touch()
        words = [str(file) if word == "FILE" else word for word in options]
        result = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KBvKB", *words])
        assert result.exit_code == 2 and told in result.stderr

    def test_dasks_configuration_requires_encryption(
        self, empty_library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import dask.config

        with (
            dask.config.set({"distributed.comm.require-encryption": True}),
            pytest.raises(EndgameError, match="not encrypted, but Dask's configuration requires encryption; write tls"),
        ):
            list(work_for(empty_library, ["KNvK"], "tcp://127.0.0.1:9").events())


def test_a_build_is_cancelled_while_the_scheduler_does_not_answer(empty_library: Library) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        work = work_for(empty_library, ["KNvK"], f"tcp://127.0.0.1:{silent.getsockname()[1]}")

        def cancel() -> None:
            connection, _ = silent.accept()
            work.cancel()
            connection.close()

        thread = threading.Thread(target=cancel)
        thread.start()
        with pytest.raises(BuildCancelledError):
            list(work.events())
        thread.join()


def test_an_open_scheduler_causes_a_warning(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is sent to it, and only there."""
    events = work_for(empty_library, ["KNvK"], "tcp://127.0.0.1:9").events()
    assert [next(events).event, next(events)] == ["plan", Event("open", what="tcp://127.0.0.1:9")]
    told = str(words.open_scheduler("tcp://head:8786"))
    assert all(name in told for name in ("tcp://head:8786", "tls://", "docs/cluster.md"))
    secure = work_for(empty_library, ["KNvK"], "tls://127.0.0.1:9").events()
    assert next(secure).event == "plan"
    with pytest.raises(EndgameError, match="requires certificates"):
        next(secure)


class TestLocalWorkers:
    """Which ending is built when, with building processes that only say that they have been asked."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The endings that workers were asked for, in their order; no process is started."""
        asked: list[str] = []

        def events(build: Build) -> Iterator[Event]:
            (ending,) = build.endings
            missing = [need for need in build.library.game.needs(ending) if not build.library.is_built(need)]
            assert not missing, "sub-endings first"
            asked.append(ending)
            build.library.path(ending).parent.mkdir(parents=True, exist_ok=True)
            build.library.path(ending).touch()
            yield Event("finished")

        monkeypatch.setattr(Build, "events", events)
        monkeypatch.setattr(Library, "is_built", lambda library, ending: library.path(ending).is_file())
        return asked

    def test_each_ending_is_built_once_after_its_sub_endings(self, empty_library: Library, asked: list[str]) -> None:
        events = list(LocalWorkers(empty_library, _LONG, 3).events())
        plan = list(events[0].endings)
        assert sorted(asked) == sorted(plan) and len(plan) >= 4
        assert [event.step for event in events if event.event == "done"] == list(range(1, len(plan) + 1))
        assert events[-1].event == "finished" and events[-1].fraction == 1.0

    def test_a_killed_worker_is_replaced_a_limited_number_of_times(
        self, empty_library: Library, asked: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lives, build = iter([False, False, True]), Build.events

        def events(self: Build) -> Iterator[Event]:
            if not next(lives, False):
                raise WorkerDiedError(*Work.death_notice)
            return build(self)

        monkeypatch.setattr(Build, "events", events)
        result = list(LocalWorkers(empty_library, ["KNvK"], 1).events())
        assert [event.what for event in result if event.event == "restart"] == 2 * [Work.death_notice[0]]
        assert result[-1].event == "finished"
        with pytest.raises(WorkerDiedError, match=r"^the build process stopped unexpectedly"):
            list(LocalWorkers(empty_library, ["KBvK"], 1).events())

    def test_a_build_can_be_cancelled_before_it_begins(self, empty_library: Library, asked: list[str]) -> None:
        work = LocalWorkers(empty_library, ["KNvK"], 2)
        work.cancel()
        with pytest.raises(BuildCancelledError):
            list(work.events())
        assert asked == []


@pytest.mark.slow
class TestInterrupted:
    """Ctrl-C leaves no process, no lock and no traceback, whenever it comes."""

    def interrupt(self, build: subprocess.Popen[str], root: Path) -> None:
        workers = [psutil.Process(pid) for pid in below(build.pid)]
        press_ctrl_c(build)
        _, complaints = build.communicate()
        assert build.returncode == 128 + signal.SIGINT
        assert complaints.splitlines()[-1] == f"endgame-tui: {BuildCancelledError()}"
        assert "Traceback" not in complaints and "leaked" not in complaints
        _, alive = psutil.wait_procs(workers, timeout=60)
        assert not alive
        compare(root, digests(root))

    def test_ctrl_c_while_workers_start_leaves_nothing(self, tmp_path: Path) -> None:
        build = started(tmp_path, *_LONG, "--cluster", "local:2")
        assert build.stdout is not None
        assert json.loads(build.stdout.readline())["event"] == "plan"
        while not below(build.pid):
            assert build.poll() is None
        self.interrupt(build, tmp_path)

    def test_ctrl_c_while_workers_build_leaves_nothing(self, tmp_path: Path) -> None:
        build = started(tmp_path, *_LONG, "--cluster", "local:2")
        wait_for_hands(build.stdout)
        self.interrupt(build, tmp_path)

    def test_ctrl_c_works_while_the_scheduler_does_not_answer(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            build = started(tmp_path, "KNvK", "--cluster", f"tcp://127.0.0.1:{silent.getsockname()[1]}")
            connection, _ = silent.accept()
            with connection:
                self.interrupt(build, tmp_path)

    def test_local_workers_end_with_a_killed_program(self, tmp_path: Path) -> None:
        build = started(tmp_path, *_LONG, "--cluster", "local:2")
        wait_for_hands(build.stdout)
        workers = [psutil.Process(pid) for pid in below(build.pid)]
        build.kill()
        build.communicate()
        _, alive = psutil.wait_procs(workers, timeout=60)
        assert workers and not alive
        compare(tmp_path, digests(tmp_path))


@pytest.mark.slow
def test_local_workers_need_no_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KNvK", "--cluster", "local:2"])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "tables" / "KNvK.egt").is_file()
