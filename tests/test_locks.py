"""Several builders in one directory wait for each other, and the locks of dead processes are free."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from endgame_core import jsonl_process
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.errors import BuildCancelledError, BusyError, StorageError
from endgame_core.game import Game
from endgame_core.morris.game import MORRIS
from endgame_core.tables import build as builder
from endgame_core.tables import locks
from endgame_core.tables.archive import export, import_archive
from endgame_core.tables.build import Build, Event
from endgame_core.tables.library import Library
from endgame_core.tables.locks import LockOwner, Locks
from endgame_core.tables.verification import verify

from .conftest import build, fast, give

pytestmark = pytest.mark.usefixtures("looking")

ELSEWHERE = LockOwner("the build of KBvK", "node7", "node7 since Monday", 77, "5", "25:61", "abc", 1, 0.42)
"""A builder on another machine, whose clock is not ours."""

TAKES = """
import sys, time
from pathlib import Path
from endgame_core.tables.locks import Locks
hold = Locks(Path(sys.argv[1])).acquire("KBvK.egt", "the build of KBvK")
print("taken" if hold else "refused", flush=True)
time.sleep(600)
"""


class Time:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def strftime(self, _: str) -> str:
        return "12:00"

    def sleep(self, seconds: float) -> None:
        """A thread that gave signs of life before goes on in its own time."""
        time.sleep(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The time of locks; nobody gives signs of life meanwhile."""
    found = Time()
    monkeypatch.setattr(locks, "time", found)
    monkeypatch.setattr(Locks, "_beat", lambda self: None)
    return found


def put(directory: Path, name: str, holder: LockOwner) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}.lock"
    path.unlink(missing_ok=True)
    path.write_bytes(holder.to_bytes())
    return path


@pytest.fixture
def process(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts processes that each try to take the same lock."""
    started = list[subprocess.Popen[str]]()

    def start() -> subprocess.Popen[str]:
        words = [sys.executable, "-c", TAKES, str(tmp_path / "locks")]
        started.append(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.communicate()


class TestLocks:
    def test_a_lock_has_one_owner_and_names_its_purpose(self, tmp_path: Path) -> None:
        mine, other = Locks(tmp_path), Locks(tmp_path)
        hold = mine.acquire("KBvK.egt", "the build of KBvK")
        assert hold is not None and other.acquire("KBvK.egt", "another") is None
        assert f"the build of KBvK (process {os.getpid()}, since " in str(other.holder("KBvK.egt"))
        assert other.acquire("KNvK.egt", "the build of KNvK") is not None, "another table is free"
        mine.release(hold)
        assert other.acquire("KBvK.egt", "another") is not None
        other.release()
        assert list(tmp_path.iterdir()) == []

    def test_a_killed_process_holds_no_lock(self, tmp_path: Path, process: Callable[[], subprocess.Popen[str]]) -> None:
        first = process()
        assert first.stdout is not None and first.stdout.readline() == "taken\n"
        mine = Locks(tmp_path / "locks")
        assert mine.acquire("KBvK.egt", "mine") is None
        os.kill(first.pid, signal.SIGKILL)
        os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)  # nobody has waited for it: its number is still there
        assert mine.acquire("KBvK.egt", "mine") is not None

    @pytest.mark.slow
    def test_one_of_many_processes_takes_over_a_lock(
        self, tmp_path: Path, process: Callable[[], subprocess.Popen[str]]
    ) -> None:
        first = process()
        assert first.stdout is not None and first.stdout.readline() == "taken\n"
        first.kill()
        first.wait()
        told = [one.stdout.readline() for one in [process() for _ in range(6)] if one.stdout is not None]
        assert sorted(told) == ["refused\n"] * 5 + ["taken\n"]

    def test_for_another_machine_only_observed_heartbeats_count(self, tmp_path: Path, clock: Time) -> None:
        mine = Locks(tmp_path)
        for beat in range(10):
            put(tmp_path, "KBvK.egt", LockOwner(**{**asdict(ELSEWHERE), "beat": beat}))
            assert mine.acquire("KBvK.egt", "mine") is None, "it lives, whatever its clock says"
            clock.now += locks.PATIENCE + 1
        put(tmp_path, "KBvK.egt", ELSEWHERE)
        assert str(mine.holder("KBvK.egt")) == "the build of KBvK (process 77 on node7, since 25:61)"
        clock.now += locks.PATIENCE - 1
        assert mine.acquire("KBvK.egt", "mine") is None
        clock.now += 2
        assert mine.acquire("KBvK.egt", "mine") is not None
        assert [path.name for path in tmp_path.iterdir()] == ["KBvK.egt.lock"]

    def test_a_living_process_of_this_machine_keeps_its_lock_without_heartbeats(
        self, tmp_path: Path, clock: Time
    ) -> None:
        mine, other = Locks(tmp_path), Locks(tmp_path)
        assert mine.acquire("KBvK.egt", "mine") is not None
        for _ in range(3):
            assert other.acquire("KBvK.egt", "other") is None
            clock.now += 2 * locks.PATIENCE

    def test_a_lock_just_taken_over_by_another_process_is_given_back(
        self, tmp_path: Path, clock: Time, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Both found a dead holder; the slower of them must not take the lock of the faster away."""
        path = put(tmp_path, "KBvK.egt", ELSEWHERE)
        judged = path.read_bytes()
        path.unlink()
        other = Locks(tmp_path).acquire("KBvK.egt", "the faster")
        assert other is not None
        locks._delete_dead(path, judged)
        other.beat()
        assert not other.lost and [one.name for one in tmp_path.iterdir()] == ["KBvK.egt.lock"]

    def test_an_owner_that_lost_its_lock_notices(self, tmp_path: Path, clock: Time) -> None:
        hold = Locks(tmp_path).acquire("KBvK.egt", "asleep")
        assert hold is not None
        path = put(tmp_path, "KBvK.egt", ELSEWHERE)
        hold.beat()
        assert hold.lost
        hold.release()
        assert path.exists(), "it is another's now"

    @pytest.mark.parametrize("step", ["pwrite", "fsync"])
    def test_a_full_disk_leaves_no_lock(
        self, step: str, tmp_path: Path, clock: Time, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A network file system may tell of it only once the content is flushed."""

        def refuse(*_: Any) -> None:
            raise OSError(errno.ENOSPC, "no space left")

        monkeypatch.setattr(os, step, refuse)
        with pytest.raises(OSError, match="no space left"):
            Locks(tmp_path).acquire("KBvK.egt", "mine")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("content", [b"", b"{}", b"\xff\x00", b'{"pid": "x"}'])
    def test_an_unreadable_lock_file_counts_as_a_lock_until_it_stops_changing(
        self, tmp_path: Path, clock: Time, content: bytes
    ) -> None:
        (tmp_path / "KBvK.egt.lock").write_bytes(content)
        mine = Locks(tmp_path)
        assert str(mine.holder("KBvK.egt")) == "another program"
        clock.now += locks.PATIENCE + 1
        assert mine.acquire("KBvK.egt", "mine") is not None

    def test_an_owner_killed_between_two_steps_leaves_nothing(self, tmp_path: Path, clock: Time) -> None:
        dead = LockOwner(**{**asdict(ELSEWHERE), "machine": locks._machine(), "pid": 2**22 + 1})
        (tmp_path / ".KBvK.egt.lock.abc.dead").write_bytes(dead.to_bytes())
        (tmp_path / ".KNvK.egt.lock.def.dead").write_bytes(ELSEWHERE.to_bytes())
        mine = Locks(tmp_path)
        assert mine.holders() == {}
        assert [path.name for path in tmp_path.iterdir()] == [".KNvK.egt.lock.def.dead"]
        clock.now += locks.PATIENCE + 1
        assert mine.holders() == {} and list(tmp_path.iterdir()) == []

    def test_heartbeats_contain_the_progress(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(locks, "BEAT", 0.01)
        mine, other, seen = Locks(tmp_path), Locks(tmp_path), threading.Event()
        hold = mine.acquire("KBvK.egt", "mine")
        assert hold is not None
        hold.share = 0.42
        later = hold._owner.beat + 2  # the next sign may have been written already
        while (holder := other.holder("KBvK.egt")) is not None and holder.beat < later:
            seen.wait(0.01)
        assert holder is not None and holder.share == 0.42
        mine.release()


GAMES: list[tuple[Game[Any, Any], list[str], str, str]] = [
    (CHESS, ["KBvKN"], "KNvK", "KBvK"),
    (CHESS_DTZ, ["KBvKN"], "KNvK", "KBvK"),
    (MORRIS, ["5-3"], "4-3", "3-3"),
]
"""A game, what is built of it, one that this needs, and one that is needed, too, or shipped."""


def events_of(library: Library, endings: list[str], until: str, do: Callable[[Event], None]) -> list[Event]:
    """Builds, and does something when an event comes."""
    found = list[Event]()
    for event in Build(library, endings, 1).events():
        found.append(event)
        if event.event == until:
            do(event)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("game", "wanted", "held", "_free"), fast(GAMES))
def test_a_builder_waits_for_sub_endings_that_another_builds(
    tmp_path: Path, game: Game[Any, Any], wanted: list[str], held: str, _free: str
) -> None:
    library, other = Library(game, tmp_path), Library(game, tmp_path)
    (library.directory).mkdir(parents=True)
    if library.is_built(held):  # shipped with the program
        library.directory.joinpath(f"{held}.egt.starter-damaged").touch()
    hold = other.locks.acquire_table(held, "the build of it")
    assert hold is not None
    assert list(library.locks.locked_endings()) == [held]
    found = events_of(library, wanted, "wait", lambda event: other.locks.release(hold))
    (wait,) = (event for event in found if event.event == "wait")
    assert (wait.ending, wait.what) == (held, str(hold._owner))
    assert [event.ending for event in found if event.event == "done"][-2:] == [held, *wanted]
    assert not library.locks.locked_endings() and list((tmp_path / "locks").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", [CHESS, CHESS_DTZ])
def test_concurrent_builders_share_a_set(tmp_path: Path, dtz_library: Library, game: Game[Any, Any]) -> None:
    """Three processes; no table is made twice, and each is to the byte what one builder makes."""
    wanted = ["KRvKN", "KBNvK", "KRvKB", "KNNvK"]
    done: list[str] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            for event in Build(Library(game, tmp_path), wanted, 1).events():
                if event.event == "done":
                    done.append(event.ending)
        except BaseException as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    library, plain = Library(game, tmp_path), Library(game, dtz_library.root)
    assert problems == [] and len(done) == len(set(done)) and set(wanted) <= set(done)
    for ending in done:
        assert library.path(ending).read_bytes() == plain.path(ending).read_bytes()
    assert list((tmp_path / "locks").iterdir()) == []
    assert not [path for path in library.directory.iterdir() if path.name.startswith(".")]


@pytest.mark.slow
def test_a_builder_finishes_the_work_of_a_killed_one(empty_library: Library) -> None:
    first = Build(empty_library, ["KRvKN"], 1)
    events = first.events()
    for event in events:
        if event.event == "layer" and event.ending == "KRvKN":
            assert first.child is not None
            os.kill(first.child.pid, signal.SIGKILL)
            break
    build(empty_library, ["KRvKN"], 1)
    assert verify(empty_library, "KRvKN", samples=50).mismatch is None and not empty_library.locks.locked_endings()
    events.close()  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_waiting_builder_can_be_cancelled(empty_library: Library) -> None:
    with Library(CHESS, empty_library.root).locks.exclusive("KNvK", "the build of KNvK"):
        work = Build(empty_library, ["KNvK"], 1)
        with pytest.raises(BuildCancelledError):
            for event in work.events():
                if event.event == "wait":
                    work.cancel()
    assert not empty_library.is_built("KNvK") and not empty_library.locks.locked_endings()


@pytest.mark.slow
def test_a_cancelled_builder_holds_nothing(empty_library: Library) -> None:
    work = Build(empty_library, ["KRvKR"], 1)
    with pytest.raises(BuildCancelledError):
        for event in work.events():
            if event.event == "layer" and event.ending == "KRvKR" and not work.cancelled:
                assert list(empty_library.locks.locked_endings()) == ["KRvKR"]
                work.cancel()
    assert list((empty_library.root / "locks").iterdir()) == []


@pytest.mark.slow
def test_a_builder_that_lost_its_lock_stops_and_builds_the_remaining_endings(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, so that its lock can be taken away while it solves."""
    said: list[dict[str, Any]] = []
    put_aside = list[Path]()

    def say(message: dict[str, Any]) -> None:
        said.append(message)
        if message["event"] == "phase" and message["ending"] == "KBvKN" and not put_aside:
            put_aside.append(put(empty_library.root / "locks", "KBvKN.egt", ELSEWHERE))
            (hold,) = empty_library.locks._acquired
            hold.beat()
        if message["event"] == "wait":
            assert message["what"] == "the build of KBvK (process 77 on node7, since 25:61)"
            put_aside[0].unlink()

    monkeypatch.setattr(jsonl_process, "send", say)
    builder.Builder(empty_library, ["KBvKN"], 1).run()
    kinds = [message["event"] for message in said if message.get("ending") == "KBvKN"]
    assert kinds.count("start") == 2 and kinds.count("done") == 1 and kinds.index("wait") > kinds.index("start")
    assert empty_library.is_built("KBvKN")


@pytest.mark.slow
def test_a_table_built_meanwhile_by_another_program_is_not_built_again(empty_library: Library) -> None:
    other = Library(CHESS, empty_library.root)
    hold = other.locks.acquire_table("KNvK", "the build of KNvK")
    assert hold is not None

    def finish(_: Event) -> None:
        solved = CHESS.solver.solve("KNvK", lambda *_: None, 1, lambda _: None)
        other.write("KNvK", solved)
        other.locks.release(hold)

    found = events_of(empty_library, ["KNvK", "KBvK"], "wait", finish)
    assert [(event.event, event.ending) for event in found if event.event in ("done", "there")] == [
        ("done", "KBvK"), ("there", "KNvK"),
    ]  # fmt: skip
    assert found[-1].event == "finished" and found[-1].fraction == 1.0


class TestOthers:
    """Deleting, compacting and importing beside a builder."""

    def test_a_locked_table_is_not_changed(self, library: Library, empty_library: Library, tmp_path: Path) -> None:
        give(library, empty_library, "KBvK", "KNvK", "KBvKN")
        archive = tmp_path / "KBvKN.zip"
        export(empty_library, "KBvKN", archive)
        other = Library(CHESS, empty_library.root)
        with other.locks.exclusive("KBvKN", "the compacting of KBvKN"):
            told = r"the compacting of KBvKN \(process \d+, since \d\d:\d\d\) is running in this data directory; wait"
            for what in (
                lambda: empty_library.disk.remove("KBvKN"),
                lambda: empty_library.disk.compact("KBvKN"),
                lambda: import_archive(empty_library, archive, force=True),
            ):
                with pytest.raises(BusyError, match=told):
                    what()
        assert empty_library.disk.remove("KBvKN") > 0

    def test_a_table_required_by_a_running_build_is_not_deleted(self, library: Library, empty_library: Library) -> None:
        give(library, empty_library, "KBvK", "KNvK")
        other = Library(CHESS, empty_library.root)
        with other.locks.exclusive("KBvKN", "the build of KBvKN"):
            with pytest.raises(BusyError, match=r"the build of KBvKN .* is running and needs KBvK in this data"):
                empty_library.disk.remove("KBvK")
            with pytest.raises(BusyError, match="needs KNvK"):
                empty_library.disk.compact("KNvK")
        assert empty_library.disk.compact("KNvK")[1] > 0 and empty_library.disk.remove("KBvK") > 0

    @pytest.mark.slow
    def test_an_examination_of_moves_waits_for_a_lock(self, library: Library, empty_library: Library) -> None:
        give(library, empty_library, "KNvK")
        other = Library(CHESS, empty_library.root)
        hold = other.locks.acquire_table("KNvK", "the compacting of KNvK")
        assert hold is not None
        found = list[str]()
        for event in Build(empty_library, ["KNvK"], 1, with_surveys=True).events():
            found.append(event.event)
            if event.event == "wait":
                other.locks.release(hold)
        assert found.index("wait") < found.index("about")

    def test_a_lock_in_a_directory_that_cannot_be_written_is_refused(self, tmp_path: Path) -> None:
        blocked = tmp_path / "file"
        blocked.write_text("in the way")
        with (
            pytest.raises(StorageError, match="cannot be written"),
            Library(CHESS, blocked).locks.exclusive("KBvK", "it"),
        ):
            pass

    def test_half_written_tables_of_living_builders_are_not_swept(self, empty_library: Library) -> None:
        directory = empty_library.directory
        with Library(CHESS, empty_library.root).locks.exclusive("KBvK", "the build of KBvK"):
            for name in (".KBvK.egt.9.part", ".KBvK.about.9.part", ".KNvK.egt.9.body", ".KNvK.dtz.egt.9.part"):
                (directory / name).write_bytes(b"half")
            empty_library.locks.sweep()
            assert sorted(path.name for path in directory.iterdir()) == [".KBvK.about.9.part", ".KBvK.egt.9.part"]
        empty_library.locks.sweep()
        assert list(directory.iterdir()) == []
