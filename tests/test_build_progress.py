"""The progress of a build grows with the work done, evenly, and never past 100 %."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.game import SolveProgress
from endgame_core.metric import DTM, DTZ
from endgame_core.morris.game import MORRIS
from endgame_core.tables.build import Build, Event, ProgressEstimator
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.kernels import KernelThreads
from endgame_core.tables.library import Library
from endgame_core.words import tables as words
from endgame_core.words.text_model import ordinal


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_share_and_time_follow_the_work_of_a_slow_machine() -> None:
    """Twenty seconds by the price, two hundred in fact: a tenth of the work is a tenth of the time."""
    clock = Clock()
    count = ProgressEstimator([20.0], clock=clock)
    count.begin(0, new_pace=True)
    count.reach(0.0, 0.04)
    for step in range(1, 200):
        clock.now = float(step)
        if step % 8 == 0:
            count.reach(step / 200, (step + 8) / 200)
        share, left = count.estimate
        assert share < 0.98 or step >= 196
        if step > 40:
            assert share == pytest.approx(step / 200, abs=0.04)
            assert left == pytest.approx(200 - step, abs=16)


def test_progress_never_goes_back_nor_shows_98_percent_too_early() -> None:
    clock = Clock()
    count = ProgressEstimator([1.0, 3.0], clock=clock)
    count.begin(0, new_pace=True)
    before = 0.0
    for step, part in enumerate([0.0, 0.0, 0.5, 0.4, 0.4, 0.9, 0.9, 0.95, 1.0]):
        clock.now = 7.0 * step
        count.reach(part, 1.0)
        share, _ = count.estimate
        assert before <= share < 0.98
        before = share
    count.begin(2)
    assert count.estimate == (1.0, 0.0)


def test_the_first_step_counts_before_its_first_report() -> None:
    """Half a second in which kernels are loaded, before the first of them is named, is no half minute left."""
    clock = Clock()
    count = ProgressEstimator([0.3, 0.3, 0.3, 0.02], 2.0, clock)
    clock.now = 0.5
    share, left = count.estimate
    assert share > 0.1 and left < 3.0


def test_the_price_of_compiling_is_added_once_it_turns_out_necessary() -> None:
    """Two kernels of twenty seconds that were to be loaded in no time, and a table of ten."""
    clock = Clock()
    count = ProgressEstimator([0.3, 0.3, 10.0], clock=clock)
    told = list[float]()
    for second in range(50):
        clock.now = float(second)
        if second == 3:
            count.set_price(0, 20.0)
            count.set_price(1, 20.0)
        if second in (20, 40):
            count.begin(second // 20, new_pace=second == 40)
        told.append(count.estimate[1])
    assert max(told[:3]) < 150, "before it is known"
    for second in range(3, 50):
        assert told[second] == pytest.approx(50 - second, rel=0.35, abs=1), told


@pytest.mark.exhaustive
def test_kernels_that_are_marked_but_deleted_are_reported_as_compiled(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty_library.root.mkdir(parents=True)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(empty_library.root))
    for what in ("layers", "sub-endings", "identical pieces"):
        empty_library.kernels.mark_compiled(what)
    events = list(Build(empty_library, ["KNvK"], 1).events())
    compiled = [event for event in events if event.event == "compile"]
    assert compiled and (compiled[0].what, compiled[0].total) == ("layers", 3)


def test_the_time_left_grows_while_nothing_gets_done() -> None:
    clock = Clock()
    count = ProgressEstimator([10.0, 10.0], clock=clock)
    count.begin(0, new_pace=True)
    first = count.estimate[1]
    clock.now = 100.0
    assert first == pytest.approx(20.0) and count.estimate[1] > 40.0 and count.estimate[0] < 0.5


def run_build(
    count: ProgressEstimator, clock: Clock, parts: list[float], units: int, speeds: list[float]
) -> list[tuple[float, float, float]]:
    """Time, share and seconds left, twice a second, of a build whose parts have so many equal units.

    Args:
        count: The estimator of the build.
        clock: Its clock.
        parts: The expected seconds of each part.
        units: The units of each part.
        speeds: How many times as long as expected the units of a part take, by its number modulo their number.
    """
    reports = list[tuple[float, float, float]]()

    def report() -> None:
        reports.append((clock.now, *count.estimate))

    report()
    next_report = 0.5
    for number, expected in enumerate(parts):
        count.begin(number)
        for unit in range(units):
            count.reach(unit / units, (unit + 1) / units)
            end = clock.now + expected / units * speeds[number % len(speeds)]
            while next_report < end:
                clock.now = next_report
                report()
                next_report += 0.5
            clock.now = end
    count.begin(len(parts))
    report()
    return reports


@given(
    st.lists(st.floats(0.1, 60), min_size=1, max_size=12),
    st.integers(1, 40),
    st.lists(st.floats(0.05, 20), min_size=1, max_size=6),
)
def test_the_time_left_rises_for_ten_seconds_at_most(parts: list[float], units: int, speeds: list[float]) -> None:
    clock = Clock()
    reports = run_build(ProgressEstimator(parts, clock=clock), clock, parts, units, speeds)
    shares = [share for _, share, _ in reports]
    assert shares == sorted(shares) and shares[-1] == 1.0
    rise_began: float | None = None
    for before, after in pairwise(reports):
        if after[2] <= before[2]:
            rise_began = None
            continue
        rise_began = before[0] if rise_began is None else rise_began
        assert after[0] - rise_began <= 10.0 + 0.5


def test_the_time_left_rises_gradually_when_a_build_slows_down() -> None:
    """The first four slices take 2.5 seconds, as expected, and the others ten, as other work begins."""
    clock = Clock()
    count = ProgressEstimator([60.0], clock=clock)
    ends = [2.5 * min(unit, 4) + 10.0 * max(unit - 4, 0) for unit in range(1, 25)]
    lefts = list[float]()
    for half_second in range(1, int(2 * ends[-1])):
        clock.now = half_second / 2
        done = sum(end <= clock.now for end in ends)
        count.reach(done / 24, (done + 1) / 24)
        lefts.append(count.estimate[1])
        if clock.now > 0.5 * ends[-1]:
            assert lefts[-1] == pytest.approx(ends[-1] - clock.now, abs=0.15 * ends[-1])
    rises = [max(lefts[at : at + 12]) - left for at, left in enumerate(lefts)]
    assert 5.0 < max(rises) < 15.0, "within six seconds; the estimate itself rises by 20"


@given(st.lists(st.floats(2, 60), min_size=4, max_size=12), st.integers(10, 40), st.floats(0.5, 5))
def test_the_bar_moves_between_reports(parts: list[float], units: int, speed: float) -> None:
    """Prices are in proportion, and the machine is that much faster or slower than the one they are from."""
    clock = Clock()
    reports = run_build(ProgressEstimator(parts, clock=clock), clock, parts, units, [speed])
    seconds = reports[-1][0]
    for now, share, left in reports:
        if now > 0.1 * seconds:
            assert share == pytest.approx(now / seconds, abs=0.12)
        if now > 0.25 * seconds:
            assert left == pytest.approx(seconds - now, abs=0.3 * seconds)


def test_writing_and_proving_are_parts_of_the_bar(
    library: Library, empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = list[float]()
    ending = "KQvKR"
    solved = CHESS.solver.solve(ending, lambda name, side, _=(): library.read_side(name, side, 1), 1, lambda _: None)

    def accept(_: object) -> None:
        return

    def no_proof(*_: object) -> Callable[[object], None]:
        return accept

    monkeypatch.setattr(empty_library, "proof", no_proof)
    empty_library.write(ending, solved, progress=written.append)
    assert written == sorted(written) and written[-1] == 1.0 and len(written) > 10


@pytest.mark.parametrize("ending", ["KPvKP", "KRPvK", "KQvKR", "KBNvK"])
def test_a_solve_reports_its_work_from_0_to_100_percent(library: Library, ending: str) -> None:
    told: list[SolveProgress] = []
    CHESS.solver.solve(ending, lambda name, side, _=(): library.read_side(name, side, 1), 1, told.append)
    parts = [progress.part for progress in told]
    assert parts == sorted(parts) and parts[0] == 0 and parts[-1] > 0.97
    assert all(progress.part <= progress.ahead <= 1 for progress in told)
    assert any(progress.phase for progress in told), "what comes before slices and layers is told, too"
    assert max(after - before for before, after in pairwise(parts)) < 0.5


@pytest.mark.slow
def test_a_solve_of_stones_reports_its_work(morris: Explorer[Any, Any]) -> None:
    told: list[SolveProgress] = []
    MORRIS.solver.solve("4-3", lambda name, side, _=(): morris.library.read_side(name, side, 1), 1, told.append)
    parts = [progress.part for progress in told]
    assert parts == sorted(parts) and parts[0] == 0 and parts[-1] > 0.97
    assert all(progress.part <= progress.ahead <= 1.001 for progress in told)
    layers = [progress for progress in told if not progress.phase]
    assert [one.ahead for one in layers[:-1]] == [one.part for one in layers[1:]], "what is in hand is done next"


def test_a_kernel_reports_progress_on_one_thread_as_well() -> None:
    seen, dealt = threading.Event(), list[int]()

    def kernel(counter: Any) -> None:
        assert seen.wait(300), "nobody looks"

    def look(tasks: int) -> None:
        dealt.append(tasks)
        seen.set()

    workers = KernelThreads(1)
    workers.run(kernel, look=look)
    workers.close()
    assert dealt[0] == 0


@pytest.mark.slow
def test_a_build_reports_a_share_that_grows_to_1(empty_library: Library) -> None:
    events = list(Build(empty_library, ["KPvK", "KRvKN"], 1).events())
    shares = [event.fraction for event in events if event.event != "compile"]
    assert shares == sorted(shares) and events[-1].event == "finished" and shares[-1] == 1.0
    assert {"phase", "slices", "layer", "write"} <= {event.event for event in events}


def test_compiling_is_priced_once(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    assert words.price(empty_library, ["KRvKN"]).first == 0, "tests run where all is said to be compiled"
    monkeypatch.undo()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(empty_library.root))
    empty_library.root.mkdir(parents=True)
    first = words.price(empty_library, ["KRvKN"])
    assert first.first > 5 and first.seconds > first.first
    assert first.compiling in words.offers(["KRvKN"], None, first, 120)
    assert "including about 9 s to compile, once on this machine" in first.compiling
    for what in empty_library.kernels.missing(["KRvKN"]):
        empty_library.kernels.mark_compiled(what)
    assert words.price(empty_library, ["KRvKN"]).first == 0
    assert list(empty_library.kernels.missing(["KPvK", "KRvKN"])) == ["endings with pawns"]


def test_messages_name_the_ending_and_metric() -> None:
    assert words.built(["KPvK"], ["KQvK", "KRvK", "KPvK"], DTM) == "KPvK is built (and 2 that it requires)."
    assert words.built(["KQvK", "KRvK"], ["KQvK", "KRvK"], DTZ) == "KQvK and KRvK are built by DTZ."
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 112)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "21st", "112th",
    ]  # fmt: skip
    event = Event("tick", fraction=0.5, left=3.0)
    assert Event.from_message(event.to_message()) == event


def test_compiling_has_a_row_that_fits(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = empty_library.entry("KPvK")
    for wide, told in ((False, "about 20 s"), (True, "about 20 s of it, once on this machine")):
        found = words.facts(entry, DTM, words.Price(3, 22.0, 1000, 20.0), wide)
        assert (found[-1].label, found[-1].value) == ("compile", told)
        assert wide or all(len(fact.value) <= 17 for fact in found), "a narrow detail has 17 columns for it"
