"""Six-piece endings: catalogue, prices, solving in bounded memory, and resuming after any kind of end."""

from __future__ import annotations

import errno
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import chess
import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from endgame_core.chess import index, material
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.chess.solver import blocks, exits, needs, waves, workfile
from endgame_core.chess.solver._kernels_exits import TAKE_P0, TAKE_P1, TAKE_Q
from endgame_core.chess.solver.layout import one_pawn_men
from endgame_core.chess.solver.workfile import Records
from endgame_core.cli.main import main
from endgame_core.errors import BuildCancelledError, EndgameError, StorageError, WorkFileError
from endgame_core.game import DigitFilter, SolveProgress, SolverBudget, derived_code
from endgame_core.metric import DTM, DTZ
from endgame_core.tables.build import Build, memory_error
from endgame_core.tables.disk import DiskSpace
from endgame_core.tables.library import Library
from endgame_core.tables.work_log import WorkLog, files_of
from endgame_core.tables.writing import write_table
from endgame_core.tasks.drill_window import Window
from endgame_core.words import tables as words
from endgame_core.words.practice import window_facts
from endgame_core.words.screen_reader import spoken
from endgame_core.words.text_model import positions

from .conftest import fast

SIX = [ending for ending in material.ENDINGS if material.men_count(ending) == 6]

_TO_BE_KILLED = """
import sys
from pathlib import Path
from endgame_core.chess.solver import needs
from tests.test_six_men import solved
from endgame_core.tables.library import Library
from endgame_core.chess.game import CHESS
needs.in_planes = lambda *_: True
solved(Library(CHESS, Path(sys.argv[1])), "KRvKB", Path(sys.argv[2]))
"""


def solved(
    library: Library,
    ending: str,
    place: Path,
    stop: Callable[[SolveProgress], bool] = lambda progress: False,
    threads: int = 2,
    disk: int = 0,
    on_restart: Callable[[str], None] = lambda why: None,
) -> bytes:
    """The table of an ending, solved plane by plane with a work file in a directory; or BuildCancelledError."""
    game = library.game

    def told(progress: SolveProgress) -> None:
        if stop(progress):
            raise BuildCancelledError()

    least = needs.needs(ending, game.metric).least
    room = SolverBudget(least, place / f"{ending}.work", ("sources",), disk=disk, on_restart=on_restart)

    def look(name: str, side: int, wanted: DigitFilter = ()) -> object:
        return library.read_side(name, side, threads, wanted)

    found = game.solver.solve(ending, look, threads, told, room)
    path = place / f"{ending}.egt"
    write_table(
        path, found, game.index.axes(ending), game=game.name, ending=ending, rules=game.rules, scheme=game.scheme,
        metric=game.metric, draws=library.table(ending).header.draws,
    )  # fmt: skip
    found.done()
    return path.read_bytes()


@pytest.fixture
def in_planes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ending is solved plane by plane."""

    def always(*_: object) -> bool:
        return True

    monkeypatch.setattr(needs, "in_planes", always)


def test_placements_are_counted_without_enumerating_them() -> None:
    for white, black in ((1, 0), (0, 1), (2, 0), (1, 1), (2, 1), (0, 3)):
        assert index.placement_count(white, black) == len(index.placements(white, black))


def test_six_piece_endings_are_in_the_catalogue() -> None:
    assert len(SIX) == 365 and {"KRPPvKR", "KBBvKNN", "KPPvKPP", "KQQQQvK"} <= set(SIX)
    assert "KRPPvKR" in material.needs("KPPPvKR") and "KQRPvKR" in material.needs("KRPPvKR")
    assert CHESS.title("KQQQQvK") == "Four queens against king"
    for ending in SIX:
        cost = CHESS.cost(ending)
        assert cost.least <= cost.memory and cost.seconds > 1 and cost.size > 5_000_000
        assert 10_000_000 < CHESS.expected_positions(ending) < 2 * CHESS.index.slots(ending)
    board = chess.Board("8/7k/8/8/8/2NN4/8/K2BB3 w - - 0 1")
    slot = CHESS.index.slot_of(board)
    assert CHESS.index.position_at(slot.ending, slot.side, slot.index).board_fen()
    assert CHESS.index.from_key(slot.ending, CHESS.index.key(board)).board_fen() == board.board_fen()


def test_seven_pieces_and_too_little_memory_are_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EndgameError, match=r"^KQRBNvKQ has 7 pieces; .*6"):
        CHESS.canonical_name("KQRBNvKQ")
    with pytest.raises(EndgameError, match=r"^KBBvKNN .*\d\.\d GB .*100 MB"):
        list(Build(Library(CHESS, tmp_path), ["KBBvKNN"], memory=100_000_000).events())
    assert not list(tmp_path.rglob("*.egt")), "nothing was built before it was said"


def test_endings_with_several_pawns_are_priced_and_can_be_built(tmp_path: Path) -> None:
    cost = CHESS.cost("KRPPvKR")
    assert 4e9 < cost.least < 5e9 < cost.memory
    told = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KRPPvKR", "--dry-run"])
    assert "KRPPvKR " in told.stdout and "4.9 GB" in told.stderr
    with pytest.raises(EndgameError, match=r"^K\w+ .*4\.9 GB .*2\.0 GB"):
        list(Build(Library(CHESS, tmp_path), ["KRPPvKR"], memory=2_000_000_000).events())


def test_the_price_allows_for_wins_that_need_two_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as nobody knows how deep the sub-endings are it is a range, then what it really takes."""
    library = Library(CHESS, tmp_path)
    narrow, deep = (needs.needs("KBPvKNN", DTM, wide).least for wide in (False, True))
    cost = library.planner.estimate("KBPvKNN")
    assert (cost.least, cost.deep) == (narrow, deep) and 4e9 < narrow < 5e9 < 8e9 < deep < 9e9
    few = [ending for ending in material.ENDINGS if ending not in SIX]
    assert not any(CHESS.cost(ending).deep for ending in [*few, "KBBvKNN"]) and not CHESS_DTZ.cost("KBPvKNN").deep
    monkeypatch.setattr("endgame_core.tables.mmap_arrays.free_memory", lambda: 10**12)

    def told(*more: str) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KBPvKNN", "--dry-run", *more])

    assert re.search(r"8\.6 GB .*127 moves", told().stderr)
    assert re.search(r"KBPvKNN .*4\.6 GB .*4\.0 GB .*--memory \(8\.6 GB", told("--memory", "4G").stderr)
    price = words.price(library, ["KBPvKNN"])
    assert re.search(r"4\.6 GB .*8\.6 GB", words.asks_to_build(price, 10**15))
    (fact,) = (fact for fact in words.facts(library.entry("KBPvKNN"), DTM, price, True) if fact.label == "memory")
    assert re.search(r"4\.6 GB.*9\.8 GB", fact.value)

    depths = {"KRBvKNN": 0, "KBBvKNN": 0}

    def is_built(_: Library, ending: str) -> bool:
        return ending in depths

    def deepest(_: Library, ending: str) -> int:
        return depths[ending]

    monkeypatch.setattr(Library, "is_built", is_built)
    monkeypatch.setattr(Library, "deepest", deepest)
    for longest, known in (((253, -1), (narrow, deep)), ((475, 212), (deep, 0))):
        depths.update(zip(depths, longest, strict=True))
        cost = library.planner.estimate("KBPvKNN")
        assert (cost.least, cost.deep) == known
        assert cost.memory == max(needs.needs("KBPvKNN", DTM, wide).max_memory for wide in (False, True))
    error = memory_error(library, "KBPvKNN", 7_000_000_000)
    assert re.match(r"KBPvKNN .*8\.6 GB .*7\.0 GB", str(error)) and "127 moves" not in str(error), "it is known"


def test_additional_threads_run_if_memory_allows() -> None:
    least = needs.needs("KRPPvKR", DTM).least
    assert needs.threads_held("KRPPvKR", DTM, least, 64) == 8 and needs.threads_held("KRPPvKR", DTM, least, 2) == 2
    for memory in (least, least + 10**9, least + 10**10):
        threads = needs.threads_held("KRPPvKR", DTM, memory, 64)
        few, many = (needs.slices_held("KRPPvKR", DTM, memory, some) for some in (8, threads))
        assert needs.slices_held("KRPPvKR", DTM, least, 8) <= many <= few
        assert memory == least or (threads > 8 and many < few)


def test_the_price_of_a_build_that_would_be_refused_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where too little is allowed or free the exit code is that of the build."""

    def told(*more: str) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KBBvKNN", "--dry-run", *more])

    monkeypatch.setattr("endgame_core.tables.mmap_arrays.free_memory", lambda: 10**12)
    assert told().exit_code == 0 and "error" not in told("--json").stdout
    allowed = told("--memory", "1G", "--json")
    rows = json.loads(allowed.stdout)
    errors = {row["ending"]: row["error"] for row in rows if "error" in row}
    assert allowed.exit_code == 1 and errors.keys() == {"KBBvKNN"} and len(rows) > 5
    assert re.match(r"KBBvKNN .*2\.3 GB .*1\.0 GB", errors["KBBvKNN"])
    plain = told("--memory", "1G")
    assert plain.exit_code == 1 and errors["KBBvKNN"] in plain.stderr and "KBBvKNN " in plain.stdout
    monkeypatch.setattr("endgame_core.tables.mmap_arrays.free_memory", lambda: 2 * 10**9)
    assert told().exit_code == 1 and "2.0 GB" in told("--json").stdout


def test_a_build_is_priced_within_the_memory_limit(tmp_path: Path) -> None:
    def told(*words: str) -> str:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", *words, "--dry-run"]).output

    assert "at most 48 GB of memory, " in told("KRPPvKR")
    within = told("KRPPvKR", "--memory", "8G", "--keep", "asked")
    assert ", at most 8.0 GB of memory, " in within and "48 GB" not in within
    assert re.search(r" on disk, .* while building \(.* free\)", within) and " GB written in total)" in within
    assert "written in total" not in told("KRPPvKR")


def test_billions_of_positions_are_printed_and_spoken() -> None:
    assert positions(2_413_158_866, True) == "≈ 2.4 bn" and positions(28_800_000_000, False) == "≈ 28.8 bn"
    assert positions(999_400_000, True) == "≈ 999.4 M"
    assert spoken(positions(2_413_158_866, True), "chess") == "About 2.4 billion"


def test_intermediate_tables_are_announced_and_their_space_is_freed(empty_library: Library) -> None:
    costs = {name: CHESS.cost(name) for name in empty_library.planner.plan(["KRPPvKR"])}
    told = words.not_asked_for(costs, ["KRPPvKR"], go=False)
    assert told.startswith(f"{len(costs) - 1} ")
    assert {"KQRPvKR", "KRRPvKR", "KPPvKPP"} <= set(costs) or len([c for c in costs if len(c) == 7]) > 12
    all_of_it = sum(cost.size for cost in costs.values())
    assert words.room_on_disk(CHESS.needs, costs, list(costs)) == all_of_it
    assert costs["KRPPvKR"].size < words.room_on_disk(CHESS.needs, costs, ["KRPPvKR"]) < all_of_it


@pytest.mark.slow
def test_keep_asked_deletes_tables_that_the_build_no_longer_needs(empty_library: Library) -> None:
    list(Build(empty_library, ["KQvKR"], keep_requested_only=True).events())
    built = sorted(path.name for path in empty_library.directory.glob("*.egt"))
    assert built == ["KQvKR.egt"]
    assert empty_library.code(chess.Board("8/8/8/3k4/8/8/7r/KQ6 w - - 0 1")) > 0


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KBPvKNN", "KQQQvKP"])
def test_only_the_required_slots_of_a_pawn_and_three_pieces_are_read(ending: str) -> None:
    """What the solver keeps of some squares of the pawn and two pieces is what a reader takes for canonical."""

    from endgame_core.chess.solver import _kernels_slices as slices
    from endgame_core.chess.solver.layout import pawns_placed, slice_men
    from endgame_core.chess.solver.slices import men_now

    men, pawns = slice_men(ending), pawns_placed(ending)
    for side, place, q, p0 in ((0, 5, 3, 40), (1, 23, 17, 18), (0, 11, 50, 9)):
        kept, first = np.zeros(64 * 64, np.uint64), (place * 64 + q) * 64 + p0
        own = men_now(1)
        slices.mark_stored_slots_of_slices(
            men, pawns, side, slices.EVERYWHERE, kept, first, first + 1, np.zeros(1, np.int64), own
        )
        copies = CHESS.index.arrays().copies(ending, side, first << 18, 1 << 18)
        assert np.array_equal(np.packbits(copies > 0, bitorder="little").view("<u8"), kept)


@pytest.mark.slow
def test_large_exits_are_written_as_several_records(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pass finds its exits in one of them, and those that were folded in the next."""
    kept, written, wanted = Records.keep_exits, list[bool](), list[int]()
    exits = Records.exits

    def keep(records: Records, *given: Any) -> bool:
        written.append(kept(records, *given))
        return written[-1]

    def found(records: Records, part: int, number: int, side: int, q: int) -> Any:
        known = exits(records, part, number, side, q)
        assert known is not None and number in known[0]
        assert len({due // workfile.FEW_EXIT_PASSES for due in known[0]}) == 1
        wanted.append(number)
        return known

    monkeypatch.setattr(workfile, "_LARGE", 1 << 8)
    monkeypatch.setattr(Records, "keep_exits", keep)
    monkeypatch.setattr(Records, "exits", found)
    assert solved(library, "KRvKB", tmp_path) == library.path("KRvKB").read_bytes()
    assert {True, False} == {*written} and len({*wanted}) > 2 * workfile.FEW_EXIT_PASSES


@pytest.mark.slow
@pytest.mark.parametrize("spare", [0, 20_000, 1 << 30])
def test_exits_stay_in_memory_as_far_as_it_allows(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spare: int
) -> None:
    """They are read for each pass, for fewer, or once; the table is the same, and nothing is at hand after it."""
    start, read, exits = blocks.Planes.start, Records._read, Records.exits
    made, reads, asked = list[Records](), [0], [0]

    def begun(planes: blocks.Planes) -> None:
        start(planes)
        planes.records.spare = spare
        made.append(planes.records)

    def counted(records: Records, kind: int, number: int, data: bytes) -> Any:
        reads[0] += kind == workfile._EXITS
        return read(records, kind, number, data)

    def found(records: Records, *place: int) -> Any:
        asked[0] += 1
        known = exits(records, *place)
        assert 0 <= records.spare <= spare
        return known

    monkeypatch.setattr(blocks.Planes, "start", begun)
    monkeypatch.setattr(Records, "_read", counted)
    monkeypatch.setattr(Records, "exits", found)
    monkeypatch.setattr(Records, "has_grown", lambda *_: False)  # a fold reads them, too
    assert solved(library, "KRvKB", tmp_path) == library.path("KRvKB").read_bytes()
    assert made[0].spare == spare and asked[0] > 1000
    if spare:
        assert reads[0] < asked[0] / (4 if spare > 1 << 20 else 1)
    else:
        assert reads[0] == asked[0]


@pytest.mark.slow
@pytest.mark.parametrize("mirrored", [0, 7])
def test_identical_pieces_stored_in_one_order_are_expanded_when_read(
    mirrored: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bank is read with files mirrored where the pawns that are left are a mirror copy: of men on one rank, too."""
    from endgame_core.chess.solver import exits
    from endgame_core.tables.kernels import KernelThreads

    codes = np.resize(np.random.default_rng(1).integers(1, 120, 1_000_003, np.uint8), CHESS.index.slots("KRRPvK"))
    work = exits.SolverWork("KRRPPvK", DTM, lambda *_: codes, lambda _: None, KernelThreads(2))
    men = [material.Man(chess.PAWN, True), material.Man(chess.ROOK, True), material.Man(chess.ROOK, True)]
    banks = list[NDArray[np.uint8]]()
    for _ in range(2):
        bank = np.zeros(64**4, np.uint8)
        work.unfold(men, np.array([[8 + 3]]), 0, bank, (4096, 64))
        banks.append(bank.reshape(64, 64, 4096))
        monkeypatch.setattr(exits, "_ascending", lambda *_: 0)
    some, whole = banks
    read = [(a ^ mirrored, b ^ mirrored) for a, b in combinations(range(64), 2)]
    assert all(np.array_equal(some[place], whole[place]) for place in read)
    assert np.count_nonzero(some) < 0.7 * np.count_nonzero(whole)


@pytest.mark.exhaustive
def test_a_fold_leaves_out_exits_of_decided_positions_and_no_others(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold, gone = blocks.Planes._fold, list[int]()

    def to_come(planes: blocks.Planes) -> dict[tuple[int, int, int], Any]:
        last = planes.records.done(0)[-1]
        places = [place for place in planes.marked if place[0] > last]
        return {place: planes.state.fallen.copy() for place in places if planes.due(place[0], 0, *place[1:])}

    def watched(planes: blocks.Planes) -> None:
        before = to_come(planes)
        fold(planes)
        after = to_come(planes)
        for (number, side, q), exit_bits in before.items():
            left = after[number, side, q]
            undecided = planes.state.undecided[planes.men.first_word(side, q) :][: planes.men.words]
            assert not (left & ~exit_bits).any() and not (exit_bits & ~left & undecided).any()
            gone.append(int(np.bitwise_count(exit_bits & ~left).sum()))

    monkeypatch.setattr(blocks.Planes, "_fold", watched)
    monkeypatch.setattr(Records, "has_grown", lambda records, *_: len(records.done(0)) % 8 == 0 < records.log.size[0])
    assert solved(library, "KRvKB", tmp_path) == library.path("KRvKB").read_bytes()
    assert sum(gone) > 1000


@pytest.mark.slow
def test_a_work_file_is_folded_at_its_size_limit(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fold, sizes = blocks.Planes._fold, list[int]()

    def seen(planes: blocks.Planes) -> None:
        sizes.append(sum(planes.records.log.size))
        fold(planes)

    monkeypatch.setattr(blocks.Planes, "_fold", seen)
    counts: list[int] = []
    for disk in (0, 600_000, 1 << 30):
        assert solved(library, "KRvKB", tmp_path, disk=disk) == library.path("KRvKB").read_bytes()
        assert all(disk // 2 < size for size in sizes)
        counts.append(len(sizes))
        sizes.clear()
    assert counts[0] > counts[1] > counts[2] == 0


@pytest.mark.parametrize("ending", fast(["KQvKR", "KBvKN"]))
def test_planes_give_the_same_table(library: Library, in_planes: None, tmp_path: Path, ending: str) -> None:
    assert solved(library, ending, tmp_path) == library.path(ending).read_bytes()
    assert not list(tmp_path.glob("*.work*")), "no debris"


def test_a_table_is_written_with_one_set_in_memory(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is memory for all of them while it is solved; the writer needs it for the codes of planes."""
    sets = list[weakref.ref[NDArray[np.uint64]]]()
    words = blocks.Sets.words

    def noted(given: blocks.Sets) -> NDArray[np.uint64]:
        found = words(given)
        sets.append(weakref.ref(found))
        return found

    monkeypatch.setattr(blocks.Sets, "words", noted)
    room = SolverBudget(needs.needs("KBvKN", DTM).max_memory, tmp_path / "KBvKN.work", ("sources",))
    found = CHESS.solver.solve(
        "KBvKN", lambda name, side, wanted=(): library.read_side(name, side, 2, wanted), 2, lambda progress: None, room
    )
    assert found.chunks is not None
    alive = [sum(one() is not None for one in sets) for _ in found.chunks(0)]
    found.done()
    assert len(sets) == 5 and set(alive) == {1}


def test_a_plane_is_released_before_the_next_one_is_prepared(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the least memory all sets are in files, and a plane of each is resident: those in check are one, too."""
    let_go, gone, planes = blocks.Sets.evict, set[tuple[int, int]](), list[set[tuple[int, int]]]()

    def seen(sets: blocks.Sets, array: NDArray[np.uint64], first: int = 0, count: int | None = None) -> None:
        gone.add((array.ctypes.data, first))
        let_go(sets, array, first, count)

    def prepared(progress: SolveProgress) -> bool:
        if progress.phase == "captures" and gone:
            planes.append({*gone})
            gone.clear()
        return progress.n == 1

    monkeypatch.setattr(blocks.Sets, "evict", seen)
    with pytest.raises(BuildCancelledError):
        solved(library, "KRvKB", tmp_path, prepared)
    sets, sides = {place for place, _ in planes[0]}, 2
    assert len(planes) == 64 and len(sets) == 4 and all({place for place, _ in plane} == sets for plane in planes)
    assert (
        all(len(plane) == len(sets) * sides for plane in planes) and len(set[tuple[int, int]]().union(*planes)) == 512
    )


@pytest.mark.slow
def test_planes_give_the_same_table_by_dtz(dtz_library: Library, in_planes: None, tmp_path: Path) -> None:
    assert solved(dtz_library, "KQvKR", tmp_path) == dtz_library.path("KQvKR").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("seed", fast(range(3)))
def test_a_torn_work_file_is_used_as_far_as_it_is_intact(
    library: Library, in_planes: None, tmp_path: Path, seed: int
) -> None:
    """A build is stopped in some layer; then the file loses its end, and a bit of what is left is turned."""
    rng = random.Random(seed)
    last = rng.randrange(2, 40)
    with pytest.raises(BuildCancelledError):
        solved(library, "KRvKB", tmp_path, lambda progress: progress.n == last)
    work = tmp_path / "KRvKB.work"
    for torn in rng.sample(files_of(work), 1 + seed):
        data = bytearray(torn.read_bytes()[: rng.randrange(torn.stat().st_size * 3 // 4, torn.stat().st_size)])
        if seed:
            data[rng.randrange(len(data) * 3 // 4, len(data))] ^= 1 << rng.randrange(8)
        torn.write_bytes(data)
    known: list[int] = []
    log = WorkLog(work, "another stamp") if seed == 2 else None
    if log is not None:
        assert not log.commits, "a file for something else is begun anew"
        log.close()
    assert solved(library, "KRvKB", tmp_path, lambda progress: known.append(progress.n or 0) or False) == (
        library.path("KRvKB").read_bytes()
    )


def test_a_work_file_returns_its_committed_records(tmp_path: Path) -> None:
    log = WorkLog(tmp_path / "a.work", "it")
    log.put(0, 5, 7, b"seven")
    log.commit(1, b"one")
    log.put(0, 6, 7, b"lost")
    log.close()
    again = WorkLog(tmp_path / "a.work", "it")
    assert again.get(0, 5, 7) == b"seven" and again.get(0, 6, 7) is None and again.commits == {1: b"one"}
    assert again.numbers(0) == [5]
    again.remove()
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_exchanged_files_of_a_work_file_restart_the_build(library: Library, in_planes: None, tmp_path: Path) -> None:
    """Their records agree with their checksums, and belong to other planes."""
    with pytest.raises(BuildCancelledError):
        solved(library, "KQvKR", tmp_path, lambda progress: progress.n == 9)
    first, second = tmp_path / "KQvKR.work.9", tmp_path / "KQvKR.work.14"
    data = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(data)
    restarts = list[str]()
    assert solved(library, "KQvKR", tmp_path, on_restart=restarts.append) == library.path("KQvKR").read_bytes()
    assert restarts == ["the work file KQvKR.work is damaged"]


@pytest.mark.slow
def test_a_work_file_without_its_commits_restarts_the_build(library: Library, in_planes: None, tmp_path: Path) -> None:
    for is_empty in (False, True):
        with pytest.raises(BuildCancelledError):
            solved(library, "KQvKR", tmp_path, lambda progress: progress.n == 5)
        (tmp_path / "KQvKR.work").unlink()
        if is_empty:
            (tmp_path / "KQvKR.work").touch()
        restarts = list[str]()
        assert solved(library, "KQvKR", tmp_path, on_restart=restarts.append) == library.path("KQvKR").read_bytes()
        assert restarts == ["the work file KQvKR.work is damaged"]


def test_a_record_that_changes_while_in_use_is_an_error(tmp_path: Path) -> None:
    log = WorkLog(tmp_path / "a.work", "it")
    log.put(0, 5, 7, b"seven")
    log.commit(1)
    file = tmp_path / "a.work.7"
    file.write_bytes(file.read_bytes().replace(b"seven", b"eight"))
    with pytest.raises(WorkFileError):
        log.get(0, 5, 7)
    assert not list(tmp_path.iterdir()), "the next build starts from the beginning"


def folded(log: WorkLog, keep: int) -> None:
    """Folds a work file: of each place one record stays, made of all, and those of a number beyond."""

    def records(places: Iterable[int]) -> Iterator[tuple[int, int, int, bytes]]:
        for place in places:
            assert log.kinds(place) == [0]
            numbers = log.numbers(0, place)
            together = [log.get(0, number, place) or b"" for number in numbers if number <= keep]
            yield 0, 0, place, b"".join(together)
            yield from ((0, number, place, log.get(0, number, place) or b"") for number in numbers if number > keep)

    while log.size[0]:
        log.fold(records)


def test_only_the_file_that_has_grown_most_is_folded(tmp_path: Path) -> None:
    log = WorkLog(tmp_path / "a.work", "it")
    for place, data in ((0, bytes(10)), (5, bytes(90)), (7, bytes(20))):
        log.put(0, 1, place, data)
    log.commit(1)
    asked, before = list[int](), log.size[0]

    def records(places: Iterable[int]) -> Iterator[tuple[int, int, int, bytes]]:
        asked.extend(places)
        return iter([(0, 1, place, b"") for place in asked])

    log.fold(records)
    assert asked == [5] and before - 180 < log.size[0] < before - 90
    assert (log.get(0, 1, 0), log.get(0, 1, 5), log.get(0, 1, 7)) == (bytes(10), b"", bytes(20))
    log.remove()


def test_a_folded_work_file_returns_the_same_codes(tmp_path: Path) -> None:
    path, places = tmp_path / "a.work", (0, 5, 16, 101)
    log = WorkLog(path, "it")
    for number in range(1, 4):
        for place in places:
            log.put(0, number, place, bytes([number, place]))
        log.commit(number, b"x" * number)
    folded(log, 2)
    assert log.size[0] == 0 and log.numbers(0) == [0, 3]
    log.put(0, 4, 5, b"new")
    log.put(0, 3, 5, b"again")
    log.commit(4)
    log.put(0, 5, 5, b"lost")
    log.close()
    again = WorkLog(path, "it")
    assert again.commits == {1: b"x", 2: b"xx", 3: b"xxx", 4: b""}
    assert [again.get(0, 0, place) for place in places] == [bytes([1, at, 2, at]) for at in places]
    assert again.numbers(0, 5) == [0, 3, 4] and again.numbers(0, 16) == [0, 3] and again.get(0, 4, 5) == b"new"
    again.close()
    assert WorkLog(path, "another").commits == {} and [file.name for file in tmp_path.iterdir()] == ["a.work"]


@pytest.mark.parametrize("last", [0, 1, 5, 15])
def test_an_interrupted_fold_keeps_its_finished_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    """Before any, one, some, or all of its files but one stand."""
    path = tmp_path / "a.work"
    log = WorkLog(path, "it")
    for number in range(4):
        for place in range(128):
            log.put(0, number, place, bytes([number, place]))
        log.commit(number)
        if number == 1:
            folded(log, 1)
    replaced, replace = [0], os.replace

    def killed(source: Path, target: Path) -> None:
        if replaced[0] == last:
            raise BuildCancelledError()
        replaced[0] += 1
        replace(source, target)

    with monkeypatch.context() as patched, pytest.raises(BuildCancelledError):
        patched.setattr(os, "replace", killed)
        folded(log, 3)
    log.close()
    path.with_name("a.work.7.part").write_bytes(b"what a killed process leaves")
    again = WorkLog(path, "it")
    assert [len(again.numbers(0, place)) for place in range(16)] == [1] * last + [3] * (16 - last)
    again.put(0, 4, 0, b"")
    again.put(0, 4, 15, b"")
    again.commit(4)
    again.close()
    again = WorkLog(path, "it")
    assert again.numbers(0, 0) == ([0, 4] if last else [0, 2, 3, 4]) and again.numbers(0, 15) == [0, 2, 3, 4]
    folded(again, 4)
    for place in range(128):
        assert again.numbers(0, place) == [0] and again.get(0, 0, place) == bytes(
            [0, place, 1, place, 2, place, 3, place]
        )
    again.remove()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["bit", "gone", "cut", "behind"])
def test_a_damaged_folded_file_restarts_the_build(tmp_path: Path, damage: str) -> None:
    """A bit is turned, a file is gone, or is cut off; or the work file has lost a commit of what is being folded."""
    path = tmp_path / "a.work"
    log = WorkLog(path, "it")
    for number in range(2):
        for place in range(128):
            log.put(0, number, place, bytes(10))
        log.commit(number)
    before = path.read_bytes()
    folded(log, 9)
    log.close()
    one = tmp_path / "a.work.3"
    data = bytearray(one.read_bytes())
    data[len(data) // 2] ^= 4
    if damage == "bit":
        one.write_bytes(data)
    elif damage == "cut":
        one.write_bytes(one.read_bytes()[:-8])
    else:
        one.unlink()
    if damage == "behind":
        path.write_bytes(before[:-1])
    again = WorkLog(path, "it")
    assert not again.commits and again.get(0, 0, 5) is None
    again.close()
    assert [file.name for file in tmp_path.iterdir()] == ["a.work"]


@pytest.mark.slow
@given(
    steps=st.lists(
        st.one_of(st.integers(0, 40), st.sampled_from(["commit", "commit", "fold"])), min_size=3, max_size=30
    ),
    data=st.data(),
)
@settings(max_examples=60)
def test_a_damaged_work_file_returns_to_one_of_its_commits(steps: list[int | str], data: st.DataObject) -> None:
    """Whatever happens to a file of it: nothing that was put later is there, and nothing else is wrong.

    It is cut off, has a bit turned, is the file of an earlier time, or changes places with another one.
    """
    with TemporaryDirectory() as name:
        path, there = Path(name) / "a.work", dict[tuple[int, int], bytes]()
        log, committed = WorkLog(path, "it"), [dict[tuple[int, int], bytes]()]
        earlier = dict[Path, bytes]()
        moment = data.draw(st.integers(0, len(steps)))
        for number, step in enumerate([*steps, "commit"], 1):
            if number == moment:
                earlier = {file: file.read_bytes() for file in files_of(path)}
            if step == "commit":
                log.commit(number)
                committed.append(dict(there))
            elif isinstance(step, int):
                there[number, step] = bytes([number]) * (step % 7)
                log.put(0, number, step, there[number, step])
            elif len(there) == len(committed[-1]):
                log.fold(lambda places, log=log: [
                    (0, one, place, log.get(0, one, place) or b"") for place in places for one in log.numbers(0, place)
                ])  # fmt: skip
        log.close()
        torn = data.draw(st.sampled_from(files_of(path)))
        kept = bytearray(torn.read_bytes())
        at = data.draw(st.integers(0, len(kept) - 1))
        damage = data.draw(st.sampled_from(["cut", "bit", "earlier", "exchanged"]))
        if damage == "exchanged":
            other = data.draw(st.sampled_from(files_of(path)))
            torn.write_bytes(other.read_bytes())
            other.write_bytes(kept)
        elif damage == "earlier":
            torn.write_bytes(earlier.get(torn, b""))
        elif damage == "cut":
            torn.write_bytes(kept[:at])
        else:
            kept[at] ^= 1 << data.draw(st.integers(0, 7))
            torn.write_bytes(kept)
        for _ in range(2):  # what was opened once is the same when it is opened again
            again = WorkLog(path, "it")
            found = {(one, at): again.get(0, one, at) for one in again.numbers(0) for at in range(41)}
            assert {key: value for key, value in found.items() if value is not None} == committed[len(again.commits)]
            again.close()


def test_small_records_wait_while_others_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    started, seen = list[int](), list[tuple[int, bool]]()

    def fold_place(self: Records, place: int, undecided: Any) -> Iterator[tuple[int, int, int, bytes]]:
        started.append(place)
        yield 0, 0, place, b""

    class Log:
        def fold(self, records: Any) -> None:
            for _, _, place, _ in records(range(0, 128, 16)):
                seen.append((place, len(started) <= place // 16 + 3))

    monkeypatch.setattr(Records, "_fold_place", fold_place)
    Records("KRvKB", DTM, Any, Any, Log()).fold(3, Any)  # type: ignore[arg-type]
    assert seen == [(place, True) for place in range(0, 128, 16)]


@pytest.mark.slow
def test_a_pass_is_read_from_the_record_that_contains_it(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BuildCancelledError):
        solved(library, "KRvKB", tmp_path, lambda progress: (progress.n or 0) > 18)
    found, get, asked, read = Records.positions, WorkLog.get, list[bool](), [0]

    def counted(log: WorkLog, *key: int) -> bytes | None:
        read[0] += 1
        return get(log, *key)

    def checked(records: Records, part: int, side: int, q: int, only: int | None = None) -> Iterator[Any]:
        every = [one for one in found(records, part, side, q) if only is None or only in one[0]]
        read[0] = 0
        some = list(found(records, part, side, q, only))
        if only is not None:
            told = [one for one in some if only in one[0]]
            assert read[0] <= 2 and [one[0] for one in told] == [one[0] for one in every]
            assert all(map(np.array_equal, told[0][1], every[0][1])) if told else not every
            asked.append(any(len(passes) > 1 for passes, _ in told))
        return iter(some)

    monkeypatch.setattr(WorkLog, "get", counted)
    monkeypatch.setattr(Records, "positions", checked)
    assert solved(library, "KRvKB", tmp_path, threads=1) == library.path("KRvKB").read_bytes()
    assert any(asked), "a pass that was folded has been asked for"


def test_a_batch_of_only_draws_stores_whether_its_values_are_codes(tmp_path: Path) -> None:
    log = WorkLog(tmp_path / "a.work", "it")
    for number, wide in enumerate((True, False)):
        batch = SimpleNamespace(
            log=log, pool=ThreadPoolExecutor(1), _write=int, passes=np.zeros(9, np.uint8), wide=wide
        )
        waves.Waves._keep(batch, np.array([number]))  # type: ignore[arg-type] # pyright: ignore
        batch.pool.shutdown()
    assert [bool(log.commits[number]) for number in range(2)] == [True, False]
    log.remove()


@pytest.mark.exhaustive
def test_a_solve_killed_while_folding_is_resumed(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a solve that folds again and again what stood on the disk is kept, at moments within a fold and between."""
    replaced, moments, replace = [0], (0, 5, 15, 16, 20, 34, 47), os.replace

    def watched(source: Path, target: Path) -> None:
        if ".work" in str(target):
            if replaced[0] in moments:
                shutil.copytree(place, tmp_path / str(replaced[0]), ignore=shutil.ignore_patterns("*.*.*.*.part"))
            replaced[0] += 1
        replace(source, target)

    place = tmp_path / "whole"
    place.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", watched)
        assert solved(library, "KRvKB", place) == library.path("KRvKB").read_bytes()
    for moment in moments:
        here, seen = tmp_path / str(moment), list[int]()
        start = blocks.Planes.start

        def watch(planes: blocks.Planes, start: Any = start, seen: list[int] = seen) -> None:
            log = blocks.opened_log(planes.ending, planes.metric, planes.budget)
            seen.append(len(log.commits))
            log.close()
            start(planes)

        with monkeypatch.context() as patched:
            patched.setattr(blocks.Planes, "start", watch)
            assert solved(library, "KRvKB", here, threads=1) == library.path("KRvKB").read_bytes()
        assert seen[0] > 1 and not list(here.glob("*.work*"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("last", [1, 2, 9, 20])
def test_a_stopped_solve_by_dtz_is_resumed(dtz_library: Library, in_planes: None, tmp_path: Path, last: int) -> None:
    with pytest.raises(BuildCancelledError):
        solved(dtz_library, "KQvKR", tmp_path, lambda progress: progress.n == last, threads=1 + last % 2)
    assert solved(dtz_library, "KQvKR", tmp_path, threads=1) == dtz_library.path("KQvKR").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("writes", [0, 300])
def test_a_full_disk_is_one_sentence_and_the_finished_work_is_kept(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    written, seen = [0], list[int]()

    def write(handle: int, data: bytes, at: int) -> int:
        written[0] += 1
        if written[0] > writes:
            raise OSError(errno.ENOSPC, "No space left on device")
        return pwrite(handle, data[:40], at)  # a part, as a disk that is nearly full may take

    pwrite = os.pwrite
    with (
        monkeypatch.context() as patched,
        pytest.raises(StorageError, match=r"^the disk is full at .*; free some space"),
    ):
        patched.setattr(os, "pwrite", write)
        solved(library, "KRvKB", tmp_path)
    kept = (tmp_path / "KRvKB.work").stat().st_size
    again = solved(library, "KRvKB", tmp_path, lambda progress: seen.append(1) or False)
    assert again == library.path("KRvKB").read_bytes() and (kept > 0) == (writes > 0)


@pytest.mark.slow
def test_a_killed_build_is_resumed(library: Library, in_planes: None, tmp_path: Path) -> None:
    """SIGKILL, at moments nobody chooses, until the solve has been through."""
    work, rng, before = tmp_path / "KRvKB.work", random.Random(7), 0
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", _TO_BE_KILLED, str(library.root), str(tmp_path)]) as process:
            wanted, since = before + rng.randrange(10_000, 90_000), time.monotonic()
            while process.poll() is None and (not work.exists() or work.stat().st_size < wanted):
                assert time.monotonic() - since < 120, "the work file does not grow"
                process_waits(process)
            process.send_signal(signal.SIGKILL)
            process.wait()
        before = work.stat().st_size if work.exists() else 0
    assert solved(library, "KRvKB", tmp_path) == library.path("KRvKB").read_bytes()


def process_waits(process: subprocess.Popen[bytes]) -> None:
    """Gives a process a moment, or until it has ended."""
    try:
        process.wait(0.01)
    except subprocess.TimeoutExpired:
        return


@pytest.mark.parametrize("ending", ["KNvKP", "KRPvKB", "KRPvKR", "KQRPvKB", "KRvKBP"])
def test_with_one_pawn_each_piece_has_its_axis_in_the_bank(ending: str) -> None:
    men = one_pawn_men(ending)
    by_bank = ((men.pieceq, men.whiteq), (men.piece0, men.white0), (men.piece1, men.white1))
    pieces = [(piece, int(color)) for piece, color in index.men_of(ending)[1:]]
    assert list(by_bank[: len(pieces)]) == pieces and exits._TAKE_BANKS == (TAKE_Q, TAKE_P0, TAKE_P1)


@pytest.mark.slow  # the only build in each CI run of one pawn, fewer than three pieces and bounded memory
def test_a_pawn_in_planes_gives_the_same_table(
    library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slice by slice, stopped in the sixth of them; sub-endings are read in parts, as those of six men are."""
    monkeypatch.setattr("endgame_core.chess.solver.exits._READ_WHOLE_PIECES", 3)
    with pytest.raises(BuildCancelledError):
        solved(library, "KNvKP", tmp_path, lambda progress: progress.done == 5)
    seen: list[int] = []
    again = solved(library, "KNvKP", tmp_path, lambda progress: seen.append(progress.done) or False)
    assert again == library.path("KNvKP").read_bytes()
    assert max(seen) == 23 and not list(tmp_path.glob("*.work*"))


@pytest.mark.exhaustive
def test_a_pawn_in_planes_gives_the_same_table_by_dtz(dtz_library: Library, in_planes: None, tmp_path: Path) -> None:
    assert solved(dtz_library, "KBPvK", tmp_path) == dtz_library.path("KBPvK").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("depth", ["dtm", "dtz"])
def test_few_slices_in_memory_give_the_same_table(
    library: Library, dtz_library: Library, in_planes: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: str
) -> None:
    """24 of 1,128 slices are held; stopped twice, and in between the work file has lost its end."""
    monkeypatch.setattr(needs, "HELD", 0)
    monkeypatch.setattr("endgame_core.chess.solver.exits._READ_WHOLE_PIECES", 3)  # sub-endings are read in parts
    monkeypatch.setattr("endgame_core.chess.solver.exits._SLOTS_READ_AT_ONCE", 1)
    used = library if depth == "dtm" else dtz_library
    work, seen = tmp_path / "KPvKP.work", list[int]()
    for last in (100, 700):
        with pytest.raises(BuildCancelledError):
            solved(used, "KPvKP", tmp_path, lambda progress, last=last: progress.done >= last)
        work.write_bytes(work.read_bytes()[:-1000])
    again = solved(used, "KPvKP", tmp_path, lambda progress: seen.append(progress.done) or False)
    assert again == used.path("KPvKP").read_bytes()
    assert min(done for done in seen if done) > 600 and max(seen) == 1128 and not list(tmp_path.glob("*.work*"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["KRRvKB"])
def test_five_pieces_in_little_memory_give_the_same_table(library: Library, tmp_path: Path, ending: str) -> None:
    """As users have it: a build that may not use what it would take in memory."""
    list(Build(library, [ending]).events())
    whole = library.path(ending).read_bytes()
    library.disk.remove(ending)
    list(Build(library, [ending], memory=needs.needs(ending, DTM).least).events())
    assert library.path(ending).read_bytes() == whole
    assert not list((library.root / "work").glob(f"{ending}.*"))
    table = library.table(ending)
    for number in range(0, table.positions, table.positions // 200):
        side, slot = table.nth(number)
        board = CHESS.index.position_at(ending, side, slot)
        assert derived_code(CHESS, board, library.code) == table.code(side, slot)
    library.disk.remove(ending)


def test_billions_of_boards_fit_beside_the_list_of_drills() -> None:
    for boards, told in (((31, 900_000), "900 031 boards, 112 504 unique"), ((8_803_099_176,), "≈ 8.8 bn boards, ")):
        unique = sum(boards) // 8 + 1
        first, _ = window_facts(Window(tuple(range(1, 2 * len(boards), 2)), boards, 0, len(boards) - 1), unique)
        text = "".join(word.text for word in first.left)
        assert text.startswith(told) and len(text) <= 33


def test_a_build_by_dtz_is_named_so_in_a_short_question() -> None:
    cost = words.Price(9, 420.0, 998_000_000)
    assert words.offers(["KRRvKRB"], DTZ, cost, 52) == "Build KRRvKRB by DTZ? about 7 min, 998 MB, 8 first"
    assert words.offers(["KRRvKRB"], None, cost, 52) == "Build KRRvKRB? about 7 min, 998 MB, 8 first"
    assert words.offers(["KRRvKRB"], DTZ, cost, 80).startswith("KRRvKRB has no DTZ: build it?")


def test_the_disk_price_of_a_build_in_little_memory_counts_its_work_files(tmp_path: Path) -> None:
    """Measured on a disk of its own: KRRvKR peaks at 252 MB, 172 MB with half of the sets in memory."""
    library, need = Library(CHESS, tmp_path), needs.needs("KRRvKR", DTM)
    table = library.planner.estimate("KRRvKR").size
    assert library.planner.estimate("KRRvKR", 4_000_000_000).peak == 2 * table
    assert 250_000_000 < library.planner.estimate("KRRvKR", need.least).peak < 280_000_000
    assert 170_000_000 < library.planner.estimate("KRRvKR", (need.least + need.max_memory) // 2).peak < 200_000_000


def test_a_build_for_which_the_disk_is_too_small_asks_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """47 MB are enough for the table, and not for the work files."""
    monkeypatch.setattr(DiskSpace, "free_bytes", lambda library: 47_000_000)
    found = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "build", "KRRvKR", "--memory", "340M"])
    assert found.exit_code == 1 and "47 MB" in found.output
    assert not (tmp_path / "tables").exists()
