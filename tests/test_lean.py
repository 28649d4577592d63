"""One-sided tables store half of the values and answer for all positions."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from click.testing import CliRunner

from endgame_core.chess import material
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.cli.main import main
from endgame_core.errors import ArchiveError, BuildCancelledError, BusyError, NotBuiltError, StorageError, TableError
from endgame_core.game import DigitFilter
from endgame_core.judge import Judge
from endgame_core.metric import DTM
from endgame_core.morris.game import MORRIS
from endgame_core.tables import lean as lean_tables
from endgame_core.tables import mmap_arrays, survey
from endgame_core.tables.archive import import_lean
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import Table
from endgame_core.tables.find import Find, Query
from endgame_core.tables.lean import LeanTable, is_lean
from endgame_core.tables.library import Library
from endgame_core.tables.table_files import DAMAGED
from endgame_core.tables.verification import verify
from endgame_core.tables.writing import write_compact
from endgame_core.words import tables as words

from .conftest import build

EN_PASSANT = "8/8/8/8/k2Pp2K/8/8/8 b - d3 0 1"


def _needs(ending: str) -> set[str]:
    """An ending and all that its moves lead to."""
    return {ending}.union(*(_needs(need) for need in material.needs(ending)))


def _lean(library: Library, root: Path, ending: str) -> Library:
    """A library whose table of an ending is lean, its sub-endings being as they were."""
    found = Library(CHESS, root)
    found.directory.mkdir(parents=True)
    for name in _needs(ending):
        shutil.copy(library.table(name).path, found.directory)
    found.disk.compact(ending, form="lean")
    return found


@pytest.fixture(scope="session")
def light(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """KBvKN is lean."""
    return _lean(library, tmp_path_factory.mktemp("light"), "KBvKN")


def _table(library: Library, ending: str) -> LeanTable:
    found = library.table(ending)
    assert isinstance(found, LeanTable)
    return found


def _ignored(*_: object) -> None:
    pass


def _all_is_told(lean: Library, full: Library, ending: str, samples: int) -> None:
    half, whole = _table(lean, ending), full.table(ending)
    assert is_lean(half.path)
    assert half.totals == whole.totals and half.positions == whole.positions
    side, rng = half.derived, np.random.default_rng(1)
    kept = np.flatnonzero(np.unpackbits(CHESS.solver.canonical_bits(ending, side, 2).view(np.uint8), bitorder="little"))
    slots = np.sort(rng.choice(kept, samples))
    expected = whole.codes(side, slots)
    assert np.array_equal(half.codes(side, slots), expected)
    assert [half.code(side, int(slot)) for slot in slots[::10]] == expected[::10].tolist()
    assert np.array_equal(half.unpacked_frame(side, 1)[0], _frame(whole, half, side, 1))
    again = lean.read_side(ending, side, 2)
    assert np.array_equal(again[kept], full.read_side(ending, side, 2)[kept])


def _frame(whole: Table, half: LeanTable, side: int, frame: int) -> Any:
    """The codes of a frame of one table as another cuts it."""
    codes, kept = whole.all_stored(side, 0), half.copies(side, half.tilings[side].ranges(frame)) > 0
    return np.where(kept, half.tilings[side].cut(codes, frame).reshape(-1), 0)


def test_a_one_sided_table_has_the_values_of_the_full_one(light: Library, library: Library) -> None:
    _all_is_told(light, library, "KBvKN", 300)
    assert verify(light, "KBvKN", samples=200).mismatch is None
    assert _table(light, "KBvKN")._expanded is None, "the next table to be verified has all the memory"


def test_layers_and_positions_are_the_same(light: Library, library: Library) -> None:
    lean, full = Explorer(CHESS, light), Explorer(CHESS, library)
    assert lean.layers("KBvKN") == full.layers("KBvKN")
    for winner, family in full.layers("KBvKN").families.items():
        for layer in family:
            assert lean.nth("KBvKN", winner, layer.n, 1) == full.nth("KBvKN", winner, layer.n, 1)


@pytest.mark.slow
def test_a_one_sided_table_can_be_made_full_again(light: Library, library: Library, tmp_path: Path) -> None:
    shutil.copytree(light.root, tmp_path / "own")
    own, run = Library(CHESS, tmp_path / "own"), CliRunner()
    args = ["--data-dir", str(own.root), "compact", "KBvKN"]
    before, path = own.path("KBvKN").stat().st_size, own.path("KBvKN")
    for unchanged in ([], ["--lean"]):
        assert run.invoke(main, [*args, *unchanged]).exit_code == 0
        assert path.stat().st_size == before and is_lean(path)
    told = run.invoke(main, [*args, "--full"])
    assert told.exit_code == 0 and "KBvKN" in told.output
    assert path.stat().st_size > before
    table = Library(CHESS, own.root).table("KBvKN")
    assert not isinstance(table, LeanTable)
    assert all(np.array_equal(table.all_stored(side, 0), library.table("KBvKN").all_stored(side, 0)) for side in (0, 1))


@pytest.mark.slow
def test_queries_find_the_same_in_one_sided_tables(light: Library, library: Library) -> None:
    asked = "won and white to move"
    lean, full = (Find(Query(own, "KBvKN", asked), list_positions=False).run(_ignored) for own in (light, library))
    assert lean.count == full.count > 0


def test_a_table_that_cannot_be_one_sided_is_refused_with_the_reason(library: Library, tmp_path: Path) -> None:
    own = Library(CHESS, tmp_path)
    own.directory.mkdir(parents=True)
    for name in ("KPvK", "KBvKN"):
        shutil.copy(library.table(name).path, own.directory)
    with pytest.raises(StorageError, match="KPvK is too small for a one-sided form"):
        own.disk.compact("KPvK", form="lean")
    with pytest.raises(NotBuiltError, match=r"KBvK|KNvK"):
        own.disk.compact("KBvKN", form="lean")
    assert not isinstance(own.table("KBvKN"), LeanTable)
    for game, ending in ((CHESS_DTZ, "KQvK"), (MORRIS, "3-3")):
        other = Library(game, tmp_path)
        shutil.copy(other.table(ending).path, other.path(ending))
        with pytest.raises(StorageError, match="no one-sided form"):
            other.disk.compact(ending, form="lean")


@pytest.mark.slow
def test_a_library_reads_a_table_as_one_sided_at_once(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("endgame_core.tables.library._LOOK_AGAIN", 1e9)
    assert _lean(library, tmp_path, "KBvKN").table("KBvKN").form == "lean"


def test_a_survey_keeps_derived_values_only_while_it_runs(
    light: Library, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told, expand, let_go = list[str](), LeanTable.expand, LeanTable.release

    def expanded(table: LeanTable, threads: int) -> None:
        told.append(f"{table.ending} is expanded")
        expand(table, threads)

    def left(table: LeanTable) -> None:
        told.append(f"{table.ending} is let go")
        let_go(table)

    monkeypatch.setattr(mmap_arrays, "IN_MEMORY_BYTES", 1)
    mmap_arrays.set_scratch_dir(tmp_path)
    monkeypatch.setattr(LeanTable, "expand", expanded)
    monkeypatch.setattr(LeanTable, "release", left)
    survey.make(light, "KBvKN", 2, _ignored)
    assert told == ["KBvKN is expanded", "KBvKN is let go"]


@pytest.mark.exhaustive
def test_compact_without_a_name_makes_every_suitable_table_one_sided(library: Library, tmp_path: Path) -> None:
    """Those of three men have no lean form, what is lean is left as it is, and one that cannot be does not stop all."""
    found = _lean(library, tmp_path, "KBvKN")
    for name in ("KNNvK", "KBBvK", "KRvKN"):
        shutil.copy(library.table(name).path, found.directory)
    table = found.path("KBBvK")
    table.write_bytes(table.read_bytes()[:-9])
    told = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "compact", "--lean"])
    assert told.exit_code == 1 and [line.split()[0] for line in told.stdout.splitlines()] == ["KNNvK", "KRvKN", "2"]
    assert "KBBvK: " in told.stderr, "it is cut off"
    assert found.table("KBvKN").form == Library(CHESS, tmp_path).table("KNNvK").form == "lean"


@pytest.mark.slow
def test_a_table_whose_sides_contradict_each_other_is_not_made_one_sided(library: Library, tmp_path: Path) -> None:
    own = Library(CHESS, tmp_path)
    own.directory.mkdir(parents=True)
    for name in _needs("KBvKN"):
        shutil.copy(library.table(name).path, own.directory)

    class Wrong(Library):
        def read_side(self, ending: str, side: int, threads: int, wanted: DigitFilter = ()) -> Any:
            codes = super().read_side(ending, side, threads, wanted)
            return codes + 1 if ending == "KNvK" else codes

    before = own.path("KBvKN").read_bytes()
    with pytest.raises(TableError, match="one side of KBvKN cannot be derived from the other"):
        Wrong(CHESS, tmp_path).disk.compact("KBvKN", form="lean")
    assert own.path("KBvKN").read_bytes() == before


def test_a_table_that_a_one_sided_table_requires_is_deleted_only_after_a_question(
    light: Library, tmp_path: Path
) -> None:
    shutil.copytree(light.root, tmp_path / "own")
    own, run = Library(CHESS, tmp_path / "own"), CliRunner()
    assert (
        own.disk.one_sided_dependents("KBvK") == ["KBvKN"] == own.disk.one_sided_dependents("KNvK")
        and own.disk.one_sided_dependents("KBvKN") == []
    )
    assert words.asks_to_delete(own.entry("KBvK"), DTM, ["KBvKN"]).endswith(
        "B. The program cannot read the one-sided KBvKN without it."
    )
    listed = run.invoke(main, ["--data-dir", str(own.root), "tables"]).output
    assert "built (lean)" in next(line for line in listed.splitlines() if line.startswith("KBvKN"))
    told = run.invoke(main, ["--data-dir", str(own.root), "remove", "KBvK"])
    assert told.exit_code == 1 and own.path("KBvK").exists()
    assert (
        "KBvKN is one-sided and cannot be read without KBvK; first run: endgame-tui compact KBvKN --full" in told.stderr
    )
    assert run.invoke(main, ["--data-dir", str(own.root), "remove", "KBvK", "KBvKN"]).exit_code == 0
    assert not own.path("KBvK").exists() and not own.path("KBvKN").exists()


@pytest.mark.slow
def test_an_imported_one_sided_table_is_verified(light: Library, library: Library, tmp_path: Path) -> None:
    sent, other, run = tmp_path / "KBvKN.lean", Library(CHESS, tmp_path / "other"), CliRunner()

    def do(root: Path, *args: str) -> Any:
        return run.invoke(main, ["--data-dir", str(root), *args])

    assert do(library.root, "export", "KBvKN", str(sent), "--lean").exit_code == 0
    assert sent.read_bytes() == light.path("KBvKN").read_bytes()
    assert do(light.root, "export", "KBvKN", str(sent), "--lean", "--force").exit_code == 0
    assert sent.read_bytes() == light.path("KBvKN").read_bytes()
    assert (
        "checking KBvKN requires it for positions after captures; run: endgame-tui build K"
        in do(other.root, "import", str(sent)).stderr
    )
    other.directory.mkdir(parents=True)
    for name in ("KBvK", "KNvK"):
        shutil.copy(library.table(name).path, other.directory)
    assert "KBvKN  " in do(other.root, "import", str(sent)).output
    assert other.path("KBvKN").read_bytes() == sent.read_bytes() and verify(other, "KBvKN", 100).mismatch is None
    assert "KBvKN already exists" in do(other.root, "import", str(sent)).stderr
    assert do(other.root, "import", str(sent), "--force").exit_code == 0
    data = bytearray(sent.read_bytes())
    data[-20] ^= 1
    sent.write_bytes(data)
    torn = do(other.root, "import", str(sent), "--force")
    assert torn.exit_code == 1 and "corrupt in frame" in torn.stderr and "nothing was imported" in torn.stderr
    assert verify(other, "KBvKN", 100).mismatch is None


@pytest.mark.slow
def test_an_imported_one_sided_table_is_verified_within_the_memory_limit(
    light: Library, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too little of it for a large ending is told before; layers have no such bound, and say so."""
    sent, layers, allowed = tmp_path / "KBvKN.lean", tmp_path / "KQvK.zip", list[int]()

    def do(root: Path, *args: str, memory: str = "2G") -> Any:
        return CliRunner().invoke(main, ["--data-dir", str(root), *args, "--memory", memory])

    write, prove = lean_tables.write_lean, lean_tables.prove

    def watched(given: Any) -> Any:
        def seen(*args: Any) -> Any:
            allowed.extend(limit.memory for limit in mmap_arrays._limits)
            return given(*args)

        return seen

    monkeypatch.setattr(lean_tables, "write_lean", watched(write))
    monkeypatch.setattr(lean_tables, "prove", watched(prove))
    assert do(library.root, "export", "KBvKN", str(sent), "--lean").exit_code == 0
    shutil.copytree(light.root, tmp_path / "own")
    assert do(tmp_path / "own", "import", str(sent), "--force").exit_code == 0
    assert allowed == [2 * 10**9] * 2
    assert CliRunner().invoke(main, ["--data-dir", str(library.root), "export", "KQvK", str(layers)]).exit_code == 0
    assert "--memory requires --lean" in do(library.root, "export", "KQvK", str(layers), "--force").stderr
    assert "--memory applies only to one-sided tables" in do(light.root, "import", str(layers), "--force").stderr
    monkeypatch.setattr(mmap_arrays, "IN_MEMORY_BYTES", 1000)
    for root, *words_ in ((library.root, "export", "KBvKN", str(sent), "--lean"), (light.root, "import", str(sent))):
        refused = do(root, *words_, "--force", memory="100M")
        assert refused.exit_code == 1 and re.search("800 MB .*100 MB", refused.stderr)


@pytest.mark.slow
def test_required_tables_are_locked_while_a_one_sided_table_is_verified(
    light: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(light.root, tmp_path / "own")
    own, sent, run = Library(CHESS, tmp_path / "own"), tmp_path / "KBvKN.lean", CliRunner()
    path = own.path("KBvKN")
    shutil.copy(path, sent)
    marks = [path.with_name(path.name + mark) for mark in (DAMAGED, ".starter-damaged")]
    args = ["--data-dir", str(own.root), "import", str(sent), "--force"]

    def proved(*_: Any) -> None:
        with pytest.raises(BusyError), Library(CHESS, own.root).locks.exclusive("KNvK", "the removal of KNvK"):
            pass

    def too_large(*_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(lean_tables, "prove", too_large)
        assert "not enough memory for KBvKN" in run.invoke(main, args).stderr
        patched.setattr(lean_tables, "prove", proved)
        for mark in marks:
            mark.touch()
        told = run.invoke(main, args)
    assert told.exit_code == 0 and "positions, including draws\n" in told.output
    assert not any(mark.exists() for mark in marks)
    for option in ("--samples", "--seed"):
        assert "to layers; a one-sided table is compared completely" in run.invoke(main, [*args, option, "5"]).stderr


@pytest.mark.slow
def test_a_compact_table_without_its_sub_endings_says_what_is_missing(library: Library, tmp_path: Path) -> None:
    own = Library(CHESS, tmp_path)
    own.directory.mkdir(parents=True)
    for name in ("KBvKN", "KBvK"):
        shutil.copy(library.table(name).path, own.directory)
    assert list(own.disk.forms("KBvKN")) == ["full"]
    own.disk.compact("KBvKN", form="full")
    with pytest.raises(NotBuiltError, match="KNvK is not built; build it first: a one-sided form of KBvKN requires it"):
        own.disk.forms("KBvKN")


def test_a_one_sided_table_that_breaks_the_rules_is_refused(light: Library, library: Library, tmp_path: Path) -> None:
    """All checksums and counts are right, but a draw is called a win."""
    table, sent = library.table("KBvKN"), tmp_path / "KBvKN.lean"
    stored = 1 - _table(light, "KBvKN").derived

    class Wrong(Table):
        def all_stored(self, side: int, empty: int) -> Any:
            codes = super().all_stored(side, empty)
            if side == stored:
                codes[np.flatnonzero(codes == 128)[:1]] = 250
            return codes

    wrong = Wrong(table.path, table.copies)
    ways = [(_table(light, "KBvKN").tilings[side], _table(light, "KBvKN").coders[side]) for side in range(2)]
    write_compact(wrong, sent, formats=ways)
    with pytest.raises(ArchiveError, match=r"corrupt in its counts|cannot be derived from the other|miscounts"):
        import_lean(Library(CHESS, light.root), sent, force=True)


def test_verify_finds_damage_in_a_one_sided_table(light: Library, tmp_path: Path) -> None:
    shutil.copytree(light.root, tmp_path / "own")
    path = tmp_path / "own" / "tables" / "KBvKN.egt"
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    with pytest.raises(TableError, match="corrupt in frame"):
        verify(Library(CHESS, tmp_path / "own"), "KBvKN", samples=1)
    assert path.with_name(path.name + DAMAGED).is_file()


def test_counts_of_the_derived_side_are_compared_with_the_derived_values(light: Library, tmp_path: Path) -> None:
    """A table that says of one frame that it holds a win where there is a draw; all else adds up."""
    shutil.copytree(light.root, tmp_path / "own")
    table = _table(Library(CHESS, tmp_path / "own"), "KBvKN")
    frame = table.frame_number(table.derived, next(n for n, count in enumerate(table.positions_per_frame) if count))
    stored, numbers = table.counts.tally_of(frame)
    assert numbers.sum() == table.positions_per_frame[frame] and len(set(stored.tolist())) == len(stored)
    told: list[float] = []
    assert table.check(told.append) == table.frame_count and told == sorted(told) and told[0] == 0 and told[-1] < 1
    counts = table.counts
    vars(table)["positions_per_frame"] = counts.positions_per_frame
    wrong = counts.numbers.copy()
    wrong[counts.starts[frame]] += 1
    table.__class__ = type("Wrong", (LeanTable,), {"counts": replace(counts, numbers=wrong)})
    with pytest.raises(TableError, match=f"corrupt in frame {frame}, which is derived"):
        table.check()


def test_a_verification_can_be_stopped(light: Library) -> None:
    def stop(part: float) -> None:
        raise BuildCancelledError("enough", "")

    with pytest.raises(BuildCancelledError, match="enough"):
        verify(light, "KBvKN", progress=stop)


@pytest.mark.parametrize("ending", ["KBvKN", "KBBvK", "KQvKQ", "KPvK"])
def test_frames_without_symmetric_copies_are_recognised(library: Library, ending: str) -> None:
    deriver, table = CHESS.deriver, library.table(ending)
    assert deriver is not None
    found: set[bool] = set()
    for side, tiling in enumerate(table.tilings):
        for frame in range(tiling.frame_count):
            copies = table.copies(side, box := tiling.ranges(frame))
            fewer = bool(((copies > 0) & (copies < deriver.copies(ending))).any())
            has = deriver.has_twins(ending, box)
            assert has or not fewer
            found.add(has)
            assert int(copies.max(initial=0)) in (0, deriver.copies(ending), deriver.copies(ending) // 2)
    assert found == ({False} if "P" in ending else {False, True})


@pytest.mark.exhaustive
def test_en_passant_captures_are_derived(library: Library, tmp_path: Path) -> None:
    lean = _lean(library, tmp_path, "KPvKP")
    assert lean.path("KPvKP").stat().st_size < 0.4 * library.path("KPvKP").stat().st_size
    _all_is_told(lean, library, "KPvKP", 3000)
    assert verify(lean, "KPvKP", samples=500).mismatch is None
    for turn in (chess.Board(EN_PASSANT), chess.Board(EN_PASSANT).mirror()):
        assert lean.code(turn) == library.code(turn)


@pytest.mark.exhaustive
def test_lines_are_the_same_and_endings_can_be_built_from_one_sided_tables(library: Library, tmp_path: Path) -> None:
    lean = _lean(library, tmp_path, "KQvKR")
    full, half = Judge(Explorer(CHESS, library)), Judge(Explorer(CHESS, lean))
    for fen in ("8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1", "8/8/3k4/8/8/1r6/6Q1/2K5 w - - 0 1"):
        lines = [[step.uci for step in judge.line(chess.Board(fen)).steps] for judge in (full, half)]
        assert lines[0] == lines[1] != []
    for name in _needs("KRvKP") - _needs("KQvKR") - {"KRvKP"}:
        shutil.copy(library.table(name).path, lean.directory)
    build(lean, ["KRvKP"])  # a pawn of Black's becomes a queen: KQvKR with the colours exchanged
    ending = "KRvKP"
    assert all(
        np.array_equal(lean.table(ending).all_stored(side, 0), library.table(ending).all_stored(side, 0))
        for side in (0, 1)
    )
