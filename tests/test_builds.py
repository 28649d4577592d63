"""The queue of builds that the app, plain mode and the command line share, without a screen."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from endgame_core.app_context import AppContext
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.paths import AccessPolicy
from endgame_core.plain.dialogue import run
from endgame_core.tables.build import Event
from endgame_core.tables.library import Library
from endgame_core.tasks import builds
from endgame_core.tasks.builds import BuildFinished, BuildRequest, Builds, Job
from endgame_core.words import tables as words


class Work:
    """Builds nothing; goes on when it may."""

    begun: list[tuple[str, ...]]
    places: list[str]
    goes_on: threading.Event
    problem: EndgameError | None

    def __init__(
        self, library: Library, endings: Sequence[str], where: str = "", threads: None = None, **terms: bool
    ) -> None:
        self.endings, self.cancelled = tuple(endings), threading.Event()
        self.places.append(where)

    def events(self) -> Iterator[Event]:
        self.begun.append(self.endings)
        yield Event("plan", endings=self.endings, steps=len(self.endings))
        while not self.goes_on.wait(0.001):
            if self.cancelled.is_set():
                raise BuildCancelledError
        if self.problem is not None:
            raise self.problem
        yield Event("finished", fraction=1.0)

    def cancel(self) -> None:
        self.cancelled.set()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> type[Work]:
    """Stands for what builds."""
    Work.begun, Work.places, Work.goes_on, Work.problem = [], [], threading.Event(), None
    monkeypatch.setattr(builds, "work_for", Work)
    return Work


@pytest.fixture
def told() -> list[BuildFinished]:
    return []


@pytest.fixture
def queue(tmp_path: Path, work: type[Work], told: list[BuildFinished]) -> Builds:
    """Three endings wait behind one that is being built."""
    found = Builds(AppContext(tmp_path), lambda end: None if end is None else told.append(end))
    assert found.build(["KRRvKR"])
    for ending in ("KNvK", "KBvK", "KPvK"):
        assert not found.build([ending])
        assert not found.build([ending]), "it is wanted already"
    assert found.places("dtm") == {"KNvK": 1, "KBvK": 2, "KPvK": 3} and found.places("dtz") == {}
    return found


def test_waiting_builds_can_be_moved_and_dropped_and_run_in_turn(
    queue: Builds, work: type[Work], told: list[BuildFinished]
) -> None:
    assert queue.move("KPvK", "dtm", -2) and not queue.move("KPvK", "dtm", -1) and not queue.move("KRRvKR", "dtm", 1)
    assert queue.drop("KNvK", "dtm") and not queue.drop("KNvK", "dtm")
    changes = queue.changes
    work.goes_on.set()
    assert queue.wait(300) and queue.job is None
    assert work.begun == [("KRRvKR",), ("KPvK",), ("KBvK",)]
    assert [(end.request.endings, end.waiting) for end in told] == [(("KRRvKR",), 2), (("KPvK",), 1), (("KBvK",), 0)]
    assert queue.changes >= changes + 3
    assert words.ended(told[0]) == "KRRvKR is built."


def test_the_queue_continues_after_one_cancel_and_ends_after_two(queue: Builds, told: list[BuildFinished]) -> None:
    queue.cancel()
    while not told:
        queue.wait(0.01)
    assert told[0].is_cancelled and told[0].waiting == 3
    queue.cancel()
    assert queue.wait(300)
    assert [end.request.endings for end in told] == [("KRRvKR",), ("KNvK",)] and told[1].waiting == 0


def test_all_builds_can_be_cancelled_at_once(queue: Builds, told: list[BuildFinished]) -> None:
    queue.cancel(everything=True)
    assert queue.wait(300) and [end.request.endings for end in told] == [("KRRvKR",)]


def test_a_failed_build_ends_the_queue(queue: Builds, work: type[Work], told: list[BuildFinished]) -> None:
    work.problem = EndgameError("the disk is full", "free some space")
    work.goes_on.set()
    assert queue.wait(300)
    (end,) = told
    assert end.waiting == 3 and words.ended(end).startswith(f"{work.problem} 3 ")


def test_an_unexpected_failure_is_reported(
    tmp_path: Path, work: type[Work], told: list[BuildFinished], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Work) -> Iterator[Event]:
        raise TypeError("no certificates")

    monkeypatch.setattr(work, "events", fail)
    queue = Builds(AppContext(tmp_path), lambda end: None if end is None else told.append(end))
    queue.build(["KNvK"])
    assert queue.wait(300)
    (end,) = told
    assert "(TypeError: no certificates)" in words.ended(end)


def test_an_ending_can_be_requested_again_while_its_build_is_cancelled(
    queue: Builds, work: type[Work], told: list[BuildFinished]
) -> None:
    queue.cancel()
    queue.build(["KRRvKR"])
    while not told:
        queue.wait(0.01)
    work.goes_on.set()
    assert queue.wait(300)
    assert [end.request.endings[0] for end in told if not end.problem] == ["KNvK", "KBvK", "KPvK", "KRRvKR"]


def test_a_row_of_the_command_names_the_ending_under_construction() -> None:
    job = Job(BuildRequest(("KPvK",)))
    assert words.in_a_row(job) == "starting"
    for event, row in (
        (Event("compile", done=1, total=3, what="layers"), "compiling 1/3: layers"),
        (Event("layer", "KQvK", step=1, steps=2, n=7, white=3), "KQvK 1/2  White S7"),
        (Event("slices", "KPvK", step=2, steps=2, done=8, total=25944), "KPvK 2/2  8 of 25 944 pawn placements"),
        (Event("wait", what="the build of KQvK"), "waiting for the build of KQvK"),
        (Event("hands", step=1, steps=2, hands=(("KPvK", 0.4, "node"),)), "1/2  1 working: KPvK 40 %"),
        (Event("write", "KPvK", step=2, steps=2), "KPvK 2/2  writing"),
    ):
        job.take(event)
        assert words.in_a_row(job) == row


@pytest.mark.parametrize("is_locked", [False, True])
def test_plain_mode_builds_on_the_cluster_of_the_settings(
    tmp_path: Path, work: type[Work], monkeypatch: pytest.MonkeyPatch, is_locked: bool
) -> None:
    (tmp_path / "settings.toml").write_text('cluster = "tcp://host:8786"\n')
    work.goes_on.set()
    monkeypatch.setattr("sys.stdin", io.StringIO("build KNvK\n"))
    monkeypatch.setattr("sys.stdout", printed := io.StringIO())
    monkeypatch.setattr("signal.signal", lambda *_: None)
    run(tmp_path, None, True, None, AccessPolicy(locked=is_locked))
    assert work.places == ["" if is_locked else "tcp://host:8786"] and "KNvK is built." in printed.getvalue()


@pytest.mark.slow
def test_our_own_build_is_not_listed_among_other_programs(tmp_path: Path) -> None:
    """Nor is it when the locks were looked at for the last time before the build went on, or ended."""
    lab, foreign = AppContext(tmp_path), set[str]()
    library = lab.library("dtm")

    def look(_: BuildFinished | None) -> None:
        if not found.holders:
            found.watch()
        foreign.update(found.others(library))

    found = Builds(lab, look)
    assert found.build(["KBNvK"]) and found.wait(120)
    assert found.holders and not foreign and library.is_built("KBNvK")
    lab.close()


@pytest.mark.parametrize(("where", "workers"), [("", 1), ("local:3", 3), ("tcp://host:8786", 1), ("nonsense", 1)])
def test_the_price_counts_the_workers_on_this_machine(tmp_path: Path, where: str, workers: int) -> None:
    lab = AppContext(tmp_path)
    found = Builds(lab, lambda end: None, lambda: where)
    assert found.workers == workers
    library = lab.library("dtm")
    together = words.price(library, ["KRRvKR", "KQQvKQ"], found.workers)
    alone = words.price(library, ["KRRvKR", "KQQvKQ"])
    assert (together.peak > alone.peak) is (workers > 1) and together.size == alone.size


def test_a_locked_program_prices_no_cluster(tmp_path: Path) -> None:
    assert (
        Builds(AppContext(tmp_path, access=AccessPolicy(locked=True)), lambda end: None, lambda: "local:3").workers == 1
    )
