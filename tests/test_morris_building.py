"""Building pairs of Morris: the price, progress before the first layer, and cancelling there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from endgame_core import paths
from endgame_core.errors import BuildCancelledError, StorageError
from endgame_core.game import DigitFilter, SolveProgress
from endgame_core.morris import arrays, index
from endgame_core.morris.game import MORRIS
from endgame_core.tables.build import Build, Event
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.kernels import KernelThreads
from endgame_core.tables.library import Library
from endgame_core.tables.plan import SECONDS_PER_TABLE
from endgame_core.tasks.builds import BuildRequest, Job
from endgame_core.words.tables import reached

PUBLISHED = json.loads(Path(__file__).with_name("morris_published.json").read_text())["subspaces"]

STARTERS = ("3-3", "4-3", "4-4")

MEASURED = {"9-6": 2.24, "8-8": 2.28, "9-7": 2.73, "9-8": 2.75, "9-9": 1.82}
"""Gigabytes of memory at most while these pairs were built, each in a process of its own."""


class TestCosts:
    def test_every_pair_has_been_measured(self) -> None:
        for ending in MORRIS.endings():
            cost = MORRIS.cost(ending)
            assert cost.seconds > 0 and cost.size > 3000 and cost.memory > 250_000_000

    @pytest.mark.parametrize("ending", MEASURED)
    def test_the_memory_estimate_is_close_to_the_measurement(self, ending: str) -> None:
        assert 0.98 <= MORRIS.cost(ending).memory / 1e9 / MEASURED[ending] <= 1.15

    @pytest.mark.parametrize("ending", MORRIS.endings())
    def test_the_estimated_number_of_positions_is_nearly_exact(self, ending: str) -> None:
        spaces = {ending, ending[::-1]}
        positions = sum(sum(PUBLISHED[name][:3]) for name in spaces)
        assert MORRIS.expected_positions(ending) == pytest.approx(positions, rel=0.06)

    def test_the_library_shows_the_estimates(self, tmp_path: Path) -> None:
        entry = Library(MORRIS, tmp_path).entry("9-9")
        cost = MORRIS.cost("9-9")
        assert entry.seconds == cost.seconds + SECONDS_PER_TABLE
        assert (entry.size, entry.memory) == (cost.size, cost.memory)
        assert entry.positions == MORRIS.expected_positions("9-9") and not entry.exact

    @pytest.mark.slow
    def test_the_size_of_a_small_pair_is_that_of_its_table(self, morris: Explorer[Any, Any]) -> None:
        assert morris.library.path("5-3").stat().st_size == MORRIS.cost("5-3").size


class TestStarters:
    """Shipped with the program, so that a newcomer walks layers before building any."""

    @pytest.mark.slow
    def test_starter_tables_of_stones_are_what_the_solver_makes(self, tmp_path: Path) -> None:
        library = Library(MORRIS, tmp_path)
        solved: dict[str, Any] = {}
        for ending in STARTERS:
            solved[ending] = MORRIS.solver.solve(
                ending, lambda name, side, _=(): solved[name].codes[side], 1, lambda _: None
            )
            library.write(ending, solved[ending])
            assert library.entry(ending).owner == "own"
            library.disk.compact(ending)
            assert library.path(ending).read_bytes() == (paths.starter_dir() / f"{ending}.egt").read_bytes()

    def test_starter_tables_of_stones_are_always_there_and_cannot_be_removed(self, tmp_path: Path) -> None:
        library = Library(MORRIS, tmp_path)
        assert library.built() == list(STARTERS) and library.planner.plan(["4-4"]) == []
        assert library.planner.plan(["6-3"]) == ["5-3", "6-3"]
        for ending in STARTERS:
            entry = library.entry(ending)
            assert (entry.state, entry.owner, entry.exact, entry.longest) == (
                "built", "shipped", True, MORRIS.longest_known(ending),
            )  # fmt: skip
            with pytest.raises(StorageError, match="shipped"):
                library.disk.remove(ending)


class TestPhases:
    def test_reports_come_before_the_first_layer(self, morris: Explorer[Any, Any]) -> None:
        told: list[SolveProgress] = []

        def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
            return morris.library.read_side(name, side, 1, wanted)

        MORRIS.solver.solve("4-3", lookup, 2, told.append)
        phases = [progress for progress in told if progress.phase]
        assert told[: len(phases)] == phases and all(progress.n is not None for progress in told[len(phases) :])
        assert list(dict.fromkeys(progress.phase for progress in phases)) == [
            "moves of the stones", "captures by White", "reading 3-3", "captures by Black", "counting moves",
        ]  # fmt: skip
        assert all(0 <= progress.done <= progress.total for progress in phases)

    def test_an_exception_ends_the_tasks(self) -> None:
        """What looks on may stop a kernel that has tasks left."""
        workers, ends = KernelThreads(2), list[int]()

        def kernel(counter: Any) -> None:
            for _ in range(1_000_000_000):
                if counter[0]:
                    ends.append(int(counter[0]))
                    return

        def look(done: int) -> None:
            raise BuildCancelledError()

        with pytest.raises(BuildCancelledError):
            workers.run(kernel, look=look)
        assert len(ends) == 2 and min(ends) > MORRIS.index.slots("9-8")
        workers.close()

    def test_progress_is_printed_at_a_constant_length(self) -> None:
        job = Job(BuildRequest(("8-7",), "depth"))
        for done, words in (
            (0, "captures by White   0%"),
            (3, "captures by White  75%"),
            (4, "captures by White 100%"),
        ):
            event = Event("phase", ending="8-7", what="captures by White", done=done, total=4)
            job.take(Event.from_message(event.to_message()))
            assert (job.ending, reached(job)) == ("8-7", words)
        job.take(Event("phase", ending="8-7", what="reading 7-7"))
        assert reached(job) == "reading 7-7"
        job.take(Event("layer", ending="8-7", n=0, black=7))
        assert reached(job) == "Black S0"

    @pytest.mark.slow
    def test_a_build_of_stones_can_be_cancelled_before_the_first_layer(self, tmp_path: Path) -> None:
        library = Library(MORRIS, tmp_path)
        work, heard = Build(library, ["5-3"], 1), list[str]()
        with pytest.raises(BuildCancelledError, match="finished tables are kept"):
            for event in work.events():
                heard.append(event.what)
                if event.event == "phase" and event.ending == "5-3" and "captures" in event.what:
                    work.cancel()
        assert not library.is_built("5-3") and list(library.directory.iterdir()) == []
        assert any("captures" in what for what in heard)

    @pytest.mark.exhaustive
    def test_a_large_pair_is_cancelled_at_once(self, morris: Explorer[Any, Any], tmp_path: Path) -> None:
        """What it needs has been built and stays; of itself nothing does."""
        library = Library(MORRIS, tmp_path)
        work = Build(library, ["6-5"], 2)
        with pytest.raises(BuildCancelledError):
            for event in work.events():
                if event.event == "phase" and event.ending == "6-5" and event.total:
                    work.cancel()
        assert work.child is not None and not work.child.is_alive
        assert not library.is_built("6-5") and library.is_built("6-4") and library.is_built("5-5")
        assert not any(path.name.startswith(".") for path in library.directory.iterdir())


def test_the_solver_returns_the_sides_that_are_stored() -> None:
    for ending in ("3-3", "4-3", "4-4"):
        kept = [bool(arrays.find_stored_slots(ending, side).any()) for side in range(2)]
        assert sum(kept) == index.sides(ending)
