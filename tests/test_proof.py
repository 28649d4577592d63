"""A new table is compared with the rules before it is published."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.errors import NotBuiltError, ProofError, TableError
from endgame_core.game import Game, Lookup, SolvedEnding, SolveProgress, SolverBudget
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables import library as library_module
from endgame_core.tables import proof
from endgame_core.tables.archive import export, export_lean, import_archive
from endgame_core.tables.build import Build
from endgame_core.tables.coders import Coder
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.proof import count_positions
from endgame_core.tables.table_files import REJECTED
from endgame_core.tables.verification import verify

from .conftest import give
from .toy_game import TOY, Toy, ToySolver


def solved(library: Library, ending: str) -> SolvedEnding:
    return library.game.solver.solve(
        ending, lambda name, side, wanted=(): library.read_side(name, side, 2, wanted), 2, lambda progress: None
    )


@pytest.mark.parametrize("ending", ["KQvK", "KQvKR", "KBNvK", "KPvKP", "KNNvK"])
def test_a_verification_counts_the_positions_of_the_table(library: Library, ending: str) -> None:
    table = library.table(ending)
    frames = table.tilings[0].frame_count
    stored = [int(table.positions_per_frame[:frames].sum()), int(table.positions_per_frame[frames:].sum())]
    assert [count_positions(CHESS, ending, side, 2) for side in (0, 1)] == stored


@pytest.mark.slow
def test_positions_of_a_large_ending_are_counted_in_parts(monkeypatch: pytest.MonkeyPatch, library: Library) -> None:
    whole = [count_positions(CHESS, ending, side, 2) for ending in ("KQvKR", "KPvKP") for side in (0, 1)]
    monkeypatch.setattr("endgame_core.tables.proof._SLOTS_AT_ONCE", 1)
    assert [count_positions(CHESS, ending, side, 2) for ending in ("KQvKR", "KPvKP") for side in (0, 1)] == whole


def test_positions_of_stones_are_counted(morris: Explorer[Position, MorrisMove]) -> None:
    table = morris.library.table("3-3")
    assert count_positions(MORRIS, "3-3", 0, 1) + count_positions(MORRIS, "3-3", 1, 1) == table.positions


def test_positions_that_cannot_be_compared_are_not_counted(
    library: Library, empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KPvK without the endings that its pawn promotes to: a good part of the sample cannot be compared."""
    give(library, empty_library, "KPvK")
    compared, skipped = [0], [0]
    mismatch = proof.mismatch

    def counted(*arguments: Any) -> str:
        try:
            why = mismatch(*arguments)
        except NotBuiltError:
            skipped[0] += 1
            raise
        compared[0] += 1
        return why

    monkeypatch.setattr(proof, "mismatch", counted)
    proof.prove(empty_library.table("KPvK"), empty_library, 0.0, 1)
    assert compared[0] == proof.MIN_POSITIONS and skipped[0] > 0


def refused(library: Library, ending: str, wrong: SolvedEnding) -> ProofError:
    """The error of a table that is not published, and is kept aside."""
    with pytest.raises(ProofError) as caught:
        library.write(ending, wrong)
    path = library.path(ending)
    aside = path.with_name(path.name + REJECTED)
    assert not path.exists() and aside.is_file() and str(aside) in str(caught.value)
    assert [file.name for file in path.parent.iterdir()] == [aside.name], "nothing half written stays"
    aside.unlink()
    return caught.value


def test_a_table_with_a_mirror_copy_is_not_published(library: Library, empty_library: Library) -> None:
    right = solved(library, "KQvKR")
    kept = right.canonical.copy()
    kept[0, np.flatnonzero(kept[0] == 0)[0]] = 1
    count = count_positions(CHESS, "KQvKR", 0, 2)
    error = refused(empty_library, "KQvKR", replace(right, canonical=kept))
    assert error.reason == f"{count + 1} positions with White to move instead of {count}"


def test_a_table_of_one_frame_a_side_with_a_mirror_copy_is_not_published(
    library: Library, empty_library: Library
) -> None:
    right = solved(library, "KNvK")
    kept = right.canonical.copy()
    kept[0, np.flatnonzero(kept[0] == 0)[0]] = 1
    assert refused(empty_library, "KNvK", replace(right, canonical=kept)).reason == "is corrupt in frame 0"


def test_a_table_that_lacks_a_position_is_not_published(library: Library, empty_library: Library) -> None:
    right = solved(library, "KQvKR")
    kept = right.canonical.copy()
    word = int(np.flatnonzero(kept[1])[1000])
    kept[1, word] &= kept[1, word] - np.uint64(1)
    error = refused(empty_library, "KQvKR", replace(right, canonical=kept))
    count = count_positions(CHESS, "KQvKR", 1, 2)
    assert error.reason == f"{count - 1} positions with Black to move instead of {count}"


@given(data=st.data())
@settings(max_examples=8)
def test_a_table_with_one_rare_wrong_value_is_not_published(
    data: st.DataObject, library: Library, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The two hundred positions that are compared at least hold one of each of the rarest values."""
    empty = Library(CHESS, tmp_path_factory.mktemp("empty"))
    right = solved(library, "KQQvK")
    side = data.draw(st.integers(0, 1))
    unused = data.draw(st.sampled_from([150, 200, 240]))
    codes = right.codes.copy()
    word = data.draw(st.sampled_from(np.flatnonzero(right.canonical[side])[::500].tolist()))
    bit = (int(right.canonical[side, word]) & -int(right.canonical[side, word])).bit_length() - 1
    codes[side, 64 * word + bit] = unused
    assert "stored" in refused_beside(empty, "KQQvK", replace(right, codes=codes)).reason


def refused_beside(library: Library, ending: str, wrong: SolvedEnding) -> ProofError:
    with pytest.raises(ProofError) as caught:
        library.write(ending, wrong)
    assert not library.path(ending).exists()
    return caught.value


@pytest.mark.slow
def test_a_correct_table_is_published_and_no_other_file_stays(library: Library, empty_library: Library) -> None:
    empty_library.write("KQvKR", solved(library, "KQvKR"))
    assert empty_library.path("KQvKR").read_bytes() == library.path("KQvKR").read_bytes()
    assert not list(empty_library.directory.glob("*.rejected")) + list(empty_library.directory.glob(".*"))


def test_a_wrong_draw_by_dtz_is_found(dtz_library: Library, tmp_path: Path) -> None:
    empty = Library(CHESS_DTZ, tmp_path)
    right = solved(dtz_library, "KQvKR")
    codes = np.where(right.codes == right.codes[0].max(), dtz_library.table("KQvKR").header.draws[0], right.codes)
    assert refused_beside(empty, "KQvKR", replace(right, codes=codes.astype(np.uint8))).reason


def reject(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every table is wrong from now on."""

    def wrong(table: Any, *_: object) -> None:
        raise ProofError(table.ending, "it is a test")

    monkeypatch.setattr(library_module, "prove", wrong)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["full", "lean"])
def test_a_wrong_compact_table_does_not_replace_the_table(
    library: Library, empty_library: Library, monkeypatch: pytest.MonkeyPatch, form: Any
) -> None:
    give(library, empty_library, "KQvKR")
    before = empty_library.path("KQvKR").read_bytes()
    reject(monkeypatch)
    with pytest.raises(ProofError):
        empty_library.disk.compact("KQvKR", form=form)
    assert empty_library.path("KQvKR").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("form", ["full", "lean"])
def test_one_sided_and_compact_tables_are_written_by_a_new_process(
    library: Library, empty_library: Library, form: str
) -> None:
    """As the command does it: nobody has told numba where to keep kernels, and its own place is read-only."""
    give(library, empty_library, "KQvKR")
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from endgame_core.chess.game import CHESS\nfrom endgame_core.tables.library import Library\n"
        "Library(CHESS, Path(sys.argv[1])).disk.compact('KQvKR', form=sys.argv[2])\n"
        "print(os.environ['NUMBA_CACHE_DIR'])\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(empty_library.root), form], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
    assert verify(empty_library, "KQvKR", 50).mismatch is None


@pytest.mark.slow
def test_a_table_can_be_compacted_without_numba(library: Library, empty_library: Library) -> None:
    """It is not made for some machines, and tables built on others are read and compacted there."""
    give(library, empty_library, "KQvKR")
    code = (
        "import importlib.util, sys\nfrom pathlib import Path\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'numba' else find(name, *more)\n"
        "sys.modules['numba'] = None\n"
        "from endgame_core.chess.game import CHESS\nfrom endgame_core.tables.library import Library\n"
        "Library(CHESS, Path(sys.argv[1])).disk.compact('KQvKR')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(empty_library.root)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert empty_library.table("KQvKR").form == "compact"


@pytest.mark.slow
def test_a_one_sided_table_whose_derived_side_contradicts_its_counts_is_rejected(
    library: Library, empty_library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stored side is wrong, so other values are derived than were counted."""
    give(library, empty_library, "KRvKR")
    encode = Coder.encode
    monkeypatch.setattr(Coder, "encode", lambda coder, data: encode(coder, data[::-1]))
    with pytest.raises(ProofError, match="KRvKR is wrong"):
        empty_library.disk.compact("KRvKR", form="lean")
    assert empty_library.table("KRvKR").form != "lean"


@pytest.mark.slow
def test_a_damaged_sub_ending_does_not_discredit_the_new_table(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KRvKN", "KNvK")
    path = empty_library.path("KNvK")
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(data)
    with pytest.raises(TableError, match="KNvK"):
        empty_library.disk.compact("KRvKN")
    assert not list(empty_library.directory.glob("*.rejected")) and empty_library.table("KRvKN")


@pytest.mark.parametrize("name", ["KNvK.egt", f"{'export' * 12}.egt"])
@pytest.mark.parametrize("code", ["en", "de"])
def test_a_damaged_new_file_is_rejected_in_every_language(
    library: Library, tmp_path: Path, use_language: Callable[[str], None], code: str, name: str
) -> None:
    """The error itself says which file is damaged; its sentence is translated, and quotes long names in part."""
    file = tmp_path / f".{name}.1.part"
    file.write_bytes(library.path("KNvK").read_bytes()[:-1])
    use_language(code)
    with pytest.raises(ProofError) as caught:
        library.proof("KNvK")(file)
    assert caught.value.reason == {"en": "is truncated", "de": "ist abgeschnitten"}[code]
    assert [path.name for path in tmp_path.iterdir()] == [name + REJECTED]


def test_a_rejected_table_can_be_removed(empty_library: Library) -> None:
    rejected = empty_library.path("KNNvK").with_name("KNNvK.egt" + REJECTED)
    rejected.parent.mkdir(parents=True)
    rejected.write_bytes(bytes(100))
    assert empty_library.disk.remove("KNNvK") == 100 and not rejected.exists()


@pytest.mark.slow
def test_a_rejected_export_stays_beside_its_target(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables may be on another disk."""
    reject(monkeypatch)
    with pytest.raises(ProofError, match=r"sent\.egt\.rejected"):
        export_lean(library, "KQvKR", tmp_path / "sent.egt")
    assert [path.name for path in tmp_path.iterdir()] == ["sent.egt.rejected"]


def test_an_import_of_wrong_values_publishes_no_table(
    library: Library, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = tmp_path / "KNvK.zip"
    export(library, "KNvK", archive)
    reject(monkeypatch)
    with pytest.raises(ProofError):
        import_archive(empty_library, archive)
    assert not empty_library.path("KNvK").exists()


class _WrongSolver(ToySolver):
    """Calls one position a loss that is a win."""

    def solve(
        self, ending: str, lookup: Lookup, threads: int, on_progress: Callable[[SolveProgress], None],
        budget: SolverBudget | None = None,
    ) -> SolvedEnding:  # fmt: skip
        right = super().solve(ending, lookup, threads, on_progress, budget)
        right.codes[0, 5], right.codes[0, 8] = right.codes[0, 8], right.codes[0, 5]
        return right


class _WrongGame(Toy):
    entry = f"{__name__}:WRONG"
    solver = _WrongSolver()


WRONG: Game[int, int] = _WrongGame()


def test_a_build_with_a_wrong_table_ends_with_one_sentence(tmp_path: Path) -> None:
    """As users meet it: the building process tells it, and sound tables before it stay."""
    library = Library(WRONG, tmp_path)
    with pytest.raises(ProofError) as caught:
        list(Build(library, ["H2"]).events())
    assert str(caught.value).startswith("the new table of H1 is wrong (") and str(tmp_path) in str(caught.value)
    with pytest.raises(NotBuiltError):
        library.table("H1")
    assert [event.event for event in Build(Library(TOY, tmp_path), ["H2"]).events()][-1] == "finished"
