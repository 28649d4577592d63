"""Builds on a cluster: errors of one sentence, and the same tables as from a single builder."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from benchmarks.cluster import compare, digests, orphaned, proven
from click.testing import CliRunner

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.tables import cluster
from endgame_core.tables.cluster import BuildTask, build_one
from endgame_core.tables.library import Library
from endgame_core.tasks.builds import work_for
from endgame_core.words import tables as words

from .conftest import build

SMALL = ["KRvKN", "KBNvK", "KBvKB"]


def order(library: Library, **other: Any) -> BuildTask:
    given = BuildTask(CHESS.entry, str(library.root), (), "cluster-1", paths.stamp(), 1)
    return replace(given, **other)


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process is a worker."""
    here = SimpleNamespace(address="tcp://node7:1234", state=SimpleNamespace(nthreads=1, total_resources={}))
    monkeypatch.setattr(cluster.distributed, "get_worker", lambda: here)
    monkeypatch.setattr(cluster, "_MARK_SECONDS", 0.0)


@pytest.mark.parametrize("where", ["foo", "tcp://", "tcp://host", "http://host:80", "tcp://a b:1"])
def test_text_other_than_a_cluster_address_is_refused(empty_library: Library, where: str) -> None:
    with pytest.raises(
        EndgameError, match=r"is not a cluster address; write the address of a scheduler, e.g. tcp://host:8786"
    ):
        work_for(empty_library, SMALL, where)


@pytest.mark.parametrize("where", ["local:0", "local:", "local:x", "local:-1", "local:257"])
def test_a_wrong_number_of_local_workers_is_refused(empty_library: Library, where: str) -> None:
    with pytest.raises(EndgameError, match=r"is not a number of workers; write, for example, local:4"):
        work_for(empty_library, SMALL, where)


def test_a_scheduler_that_does_not_answer_is_an_error(
    empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_TIMEOUT", 0.5)
    with pytest.raises(EndgameError, match="is not responding; start it with: dask scheduler, or check"):
        list(work_for(empty_library, SMALL, "tcp://127.0.0.1:9").events())
    assert list((empty_library.root / "locks").iterdir()) == []


def test_a_tls_address_requires_certificates(empty_library: Library) -> None:
    with pytest.raises(EndgameError, match="requires certificates; name them"):
        list(work_for(empty_library, SMALL, "tls://127.0.0.1:9").events())


def test_without_dask_the_error_names_the_install_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "endgame_core.tables.cluster", None)
    found = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KBvKB", "--cluster", "tcp://head:8786"])
    assert isinstance(found.exception, SystemExit) and found.exit_code == 1
    assert (
        'Dask is not installed; run in your clone of the repository: .venv/bin/pip install ".[cluster]".'
        in found.stderr
    )


def test_about_cannot_be_combined_with_a_cluster(tmp_path: Path) -> None:
    found = CliRunner().invoke(main, ["build", "KBvKB", "--cluster", "local:2", "--about"])
    assert found.exit_code == 2 and "cannot be combined with --cluster; build without --about first" in found.stderr


class TestTask:
    @pytest.mark.slow
    def test_a_table_is_built_once_and_reported_with_its_size(self, empty_library: Library, worker: None) -> None:
        mark = empty_library.locks.acquire("cluster-1", "somebody asks")
        assert mark is not None
        first = build_one(order(empty_library), "KNvK")
        made = digests(empty_library.root)
        assert first == build_one(order(empty_library), "KNvK") | {"seconds": first["seconds"]}, "done twice, made once"
        assert first["size"] == empty_library.path("KNvK").stat().st_size and made == digests(empty_library.root)
        empty_library.locks.release()

    def test_a_task_that_no_client_waits_for_is_refused(self, empty_library: Library, worker: None) -> None:
        told = build_one(order(empty_library), "KRvKR")
        assert told["what"] == f"the worker tcp://node7:1234 cannot see the data directory {empty_library.root}"
        assert told["then"].startswith("mount it there, or set $ENDGAME_TUI_HOME on that machine")

    @pytest.mark.slow
    def test_a_worker_may_have_the_data_directory_under_another_name(
        self, empty_library: Library, worker: None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENDGAME_TUI_HOME", str(empty_library.root))
        mark = empty_library.locks.acquire("cluster-1", "somebody asks")
        assert mark is not None
        assert "error" not in build_one(order(empty_library, root="/nowhere/here"), "KNvK")
        assert empty_library.is_built("KNvK")
        empty_library.locks.release()

    def test_a_worker_of_another_version_is_refused(self, empty_library: Library, worker: None) -> None:
        told = build_one(order(empty_library, stamp="endgame-tui 7 (abc)"), "KNvK")
        assert (
            told["what"] == f"the worker tcp://node7:1234 has {paths.stamp()}, but this machine has endgame-tui 7 (abc)"
        )
        assert told["then"] == "install the same version on all machines"

    @pytest.mark.parametrize(("at_once", "offered", "used"), [(1, 9e9, 9e9), (2, 9e9, 3e9), (1, 0, 3e9)])
    def test_a_worker_with_one_task_uses_all_its_memory_others_what_the_task_has_taken(
        self, empty_library: Library, worker: None, monkeypatch: pytest.MonkeyPatch, at_once: int, offered: float,
        used: float,
    ) -> None:  # fmt: skip
        state = SimpleNamespace(nthreads=at_once, total_resources={cluster.MEMORY: offered} if offered else {})
        here = SimpleNamespace(address="tcp://node7:1234", state=state)
        monkeypatch.setattr(cluster.distributed, "get_worker", lambda: here)
        allowed: list[int | None] = []
        monkeypatch.setattr(cluster, "_run", lambda library, order, work: allowed.append(work.terms["memory"]))
        mark = empty_library.locks.acquire("cluster-1", "somebody asks")
        assert mark is not None
        build_one(order(empty_library, memory=3_000_000_000), "KNvK")
        empty_library.locks.release()
        assert allowed == [used]

    def test_the_error_of_a_sub_ending_reaches_the_client(self, empty_library: Library, worker: None) -> None:
        wrong = {"error": "StorageError", "what": "the disk is full", "then": ""}
        assert build_one(order(empty_library), "KBvKN", {"ending": "KBvK"}, wrong) == wrong


def test_workers_of_a_scheduler_use_the_memory_they_report(empty_library: Library) -> None:
    told = (
        r"^the memory limits of the workers of tcp://head:8786 are set when the workers are started; "
        r"leave out --memory, or start each"
    )
    with pytest.raises(EndgameError, match=told):
        work_for(empty_library, SMALL, "tcp://head:8786", memory=8_000_000_000)


def test_the_row_of_workers_names_four_and_counts_the_rest() -> None:
    hands = [("KRPvKR", 0.42, "a"), ("KQvKR", 0.07, "b"), ("KBvKN", 0.0, "b"), ("KBvKB", 0.5, "c"), ("KNvKN", 1, "c")]
    assert (
        words.workers(12, 145, hands) == "12/145  5 working: KRPvKR 42 %, KQvKR 7 %, KBvKN 0 %, KBvKB 50 % and 1 more"
    )
    assert words.workers(0, 3, []) == "0/3  0 working"


@pytest.mark.slow
class TestWorkers:
    def test_killed_workers_lose_no_work(self, tmp_path: Path) -> None:
        plain = Library(CHESS, tmp_path)
        build(plain, SMALL)
        assert proven(SMALL, 2, 3, random.Random(5), digests(tmp_path)) > 0

    def test_a_build_survives_the_death_of_its_scheduler(self, tmp_path: Path) -> None:
        plain = Library(CHESS, tmp_path)
        build(plain, [*SMALL, "KRvKB"])
        orphaned([*SMALL, "KRvKB"], 2, random.Random(5), digests(tmp_path))

    def test_intermediate_tables_are_deleted(self, empty_library: Library) -> None:
        list(work_for(empty_library, ["KQvKR"], "local:1", memory=1_000_000_000, keep_requested_only=True).events())
        assert sorted(path.name for path in empty_library.directory.glob("*.egt")) == ["KQvKR.egt"]
        compare(empty_library.root, digests(empty_library.root))

    def test_a_worker_with_too_little_memory_is_refused_and_a_build_can_be_cancelled(
        self, empty_library: Library
    ) -> None:
        work = work_for(empty_library, ["KRRvKR", "KNvK"], "local:1")
        with pytest.raises(BuildCancelledError):
            for event in work.events():
                if event.event == "hands" and any(ending == "KRRvKR" for ending, _, _ in event.hands):
                    work.cancel()
        assert empty_library.is_built("KRRvK") and not empty_library.is_built("KRRvKR")
        compare(empty_library.root, digests(empty_library.root))
        told = r"KRRvKR .*\d+ MB .* 2 workers .*100 MB"
        with pytest.raises(EndgameError, match=told):
            list(work_for(empty_library, ["KRRvKR"], "local:2", memory=200_000_000).events())
