"""Table files of versions 2 to 5 open like those of version 8, and a damaged header is a ``TableError``."""

from __future__ import annotations

import json
import shutil
import struct
import sys
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.cli.main import main
from endgame_core.errors import ArchiveError, TableError
from endgame_core.tables.archive import import_lean
from endgame_core.tables.header import MAGIC, PREFIX, read_header
from endgame_core.tables.lean import LeanTable, is_lean
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.values import DRAW

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

OLD = Path(__file__).parent / "data" / "table_versions"
ONE_SIDED = {2: False, 3: True, 4: False, 5: True}
WIDE = {2: False, 3: False, 4: True, 5: True}


def _old_tables(root: Path, version: int) -> Library:
    """A library in which KNvKN, and the KNvK that it requires, are files of an earlier version."""
    library = Library(CHESS, root)
    library.directory.mkdir(parents=True)
    shutil.copy(OLD / "KNvK-2.egt", library.path("KNvK"))
    shutil.copy(OLD / f"KNvKN-{version}.egt", library.path("KNvKN"))
    return library


def _flags(path: Path) -> tuple[Any, Any]:
    """The flags in the header of a file."""
    whole = path.read_bytes()
    _, length, _ = PREFIX.unpack_from(whole)
    fields = json.loads(zstd.decompress(whole[PREFIX.size : PREFIX.size + length]))
    return fields.get("one_sided", False), fields.get("wide", False)


@pytest.mark.parametrize("version", ONE_SIDED)
def test_a_file_of_an_earlier_version_holds_the_same_values(version: int, library: Library, tmp_path: Path) -> None:
    old = _old_tables(tmp_path, version)
    path = old.path("KNvKN")
    before = path.read_bytes()
    assert before[:8] == b"ENDGTAB" + bytes([version])
    table = old.table("KNvKN")
    today = library.table("KNvKN")
    assert isinstance(table, LeanTable) == is_lean(path) == ONE_SIDED[version]
    assert table.wide == WIDE[version] and table.positions == today.positions

    for side in range(2):
        bits = CHESS.solver.canonical_bits("KNvKN", side, 2).view(np.uint8)
        legal = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
        codes = today.codes(side, legal)
        decided = legal[codes != DRAW]
        assert 0 < len(decided) < 100
        slots = np.sort(np.concatenate([decided, legal[::1000]]))
        assert np.array_equal(table.codes(side, slots), today.codes(side, slots))
        assert [table.code(side, slot) for slot in decided.tolist()] == today.codes(side, decided).tolist()
    assert path.read_bytes() == before


@pytest.mark.parametrize("version", ONE_SIDED)
def test_a_shared_file_of_an_earlier_version_stays_as_it_is(version: int, tmp_path: Path) -> None:
    shared = _old_tables(tmp_path / "shared", version)
    before = shared.path("KNvKN").read_bytes()
    library = Library(CHESS, tmp_path / "own", shared=[shared.directory])
    board = CHESS.parse("8/8/8/8/8/1N6/2K5/k1n5 b - - 0 1")
    assert library.table("KNvKN").path == shared.path("KNvKN")
    assert library.code(board) == Library(CHESS, tmp_path / "shared").code(board)
    assert shared.path("KNvKN").read_bytes() == before and not library.directory.exists()


@pytest.mark.slow
@pytest.mark.parametrize("version", ONE_SIDED)
def test_a_rewritten_old_file_has_the_new_version(version: int, tmp_path: Path) -> None:
    library = _old_tables(tmp_path, version)
    assert verify(library, "KNvKN", samples=100).mismatch is None
    library.disk.compact("KNvKN", form="full" if ONE_SIDED[version] else "lean")
    path = library.path("KNvKN")
    assert path.read_bytes()[:8] == MAGIC
    assert _flags(path) == (not ONE_SIDED[version], WIDE[version])
    assert verify(library, "KNvKN", samples=100).mismatch is None


@pytest.mark.slow
def test_an_old_one_sided_file_is_imported(tmp_path: Path) -> None:
    library = Library(CHESS, tmp_path)
    library.directory.mkdir(parents=True)
    shutil.copy(OLD / "KNvK-2.egt", library.path("KNvK"))
    assert import_lean(library, OLD / "KNvKN-3.egt").ending == "KNvKN"
    assert library.path("KNvKN").read_bytes() == (OLD / "KNvKN-3.egt").read_bytes()


def test_shipped_tables_are_of_the_new_version() -> None:
    shipped = sorted(paths.starter_dir().glob("*.egt"))
    assert len(shipped) == 7
    for path in shipped:
        assert path.read_bytes()[:8] == MAGIC and _flags(path) == (False, False)


def test_a_file_that_stores_both_sides_cannot_be_imported(tmp_path: Path) -> None:
    run = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "import", str(OLD / "KNvKN-2.egt")])
    assert run.exit_code == 1 and "the table KNvKN-2.egt stores both sides" in run.stderr


def test_an_import_with_a_damaged_header_is_refused_as_such(tmp_path: Path) -> None:
    whole = bytearray((OLD / "KNvKN-3.egt").read_bytes())
    whole[PREFIX.size + 5] ^= 1
    (tmp_path / "KNvKN.egt").write_bytes(whole)
    run = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "import", str(tmp_path / "KNvKN.egt")])
    assert run.exit_code == 1 and "the table KNvKN.egt has a corrupt header" in run.stderr


def _sources() -> list[tuple[Library, bytes, int]]:
    """Files of all versions, each with the tables that may contain it and where its header ends."""
    chess = Library(CHESS, OLD / "none")
    files = [(chess, OLD / f"KNvKN-{version}.egt") for version in ONE_SIDED]
    files.append((chess, paths.starter_dir() / "KQvK.egt"))
    files.append((Library(CHESS_DTZ, OLD / "none"), paths.starter_dir() / "KQvK.dtz.egt"))
    result: list[tuple[Library, bytes, int]] = []
    for library, path in files:
        with path.open("rb") as file:
            _, _, end = read_header(file.fileno())
        result.append((library, path.read_bytes(), end))
    return result


_SOURCES = _sources()


@given(st.data())
def test_a_damaged_header_raises_one_of_our_errors(tmp_path: Path, data: st.DataObject) -> None:
    """No change of any length within the magic, the length, the checksum or the header goes unnoticed."""
    library, whole, end = data.draw(st.sampled_from(_SOURCES))
    start = data.draw(st.integers(0, end - 1))
    stop = data.draw(st.integers(start, min(start + 40, end)))
    replacement = data.draw(st.binary(max_size=40))
    damaged = whole[:start] + replacement + whole[stop:]
    path = tmp_path / "damaged.egt"
    path.write_bytes(damaged)
    if damaged[8:] == whole[8:] and damaged[7] in (whole[7], 2, MAGIC[7]):  # not damaged, or see the next test
        return
    with pytest.raises(TableError, match=r"is truncated|not a table of this program|another|newer|corrupt"):
        library.with_file(path)


def test_a_version_that_contradicts_the_header_is_refused(tmp_path: Path) -> None:
    """Versions 2 and 8 say the same of a normal table; no other version can replace the one that was written."""
    path = tmp_path / "damaged.egt"
    for library, whole, _ in _SOURCES:
        for version in range(256):
            path.write_bytes(whole[:7] + bytes([version]) + whole[8:])
            if version == whole[7] or {version, whole[7]} == {2, MAGIC[7]}:
                library.with_file(path)
                continue
            is_version = version in (*ONE_SIDED, MAGIC[7])
            message = "newer version" if version > MAGIC[7] else "a different version"
            with pytest.raises(TableError, match="corrupt header" if is_version else message):
                library.with_file(path)


def test_a_newer_table_is_not_put_aside(tmp_path: Path) -> None:
    """The program that wrote it can still read it: only a damaged file is put aside."""
    library = Library(CHESS, tmp_path)
    path = library.path("KRvK")
    path.parent.mkdir(parents=True)
    whole = (paths.starter_dir() / "KRvK.egt").read_bytes()
    path.write_bytes(whole[:7] + bytes([MAGIC[7] + 1]) + whole[8:])
    with pytest.raises(TableError, match=r"newer version; update endgame-tui"):
        library.code(CHESS.parse("8/8/8/4k3/8/8/8/R3K3 w"))
    assert path.is_file() and len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize("version", ONE_SIDED)
def test_no_single_bit_makes_a_new_file_an_old_one(version: int) -> None:
    assert (version ^ MAGIC[7]).bit_count() > 1


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(max_size=4), values, max_size=3),
    max_leaves=6,
)
_NAMES = st.sampled_from(
    ["one_sided", "wide", "draws", "sides", "axes", "sections", "canonical", "boards", "scheme", "x"]
)


@given(st.data())
def test_a_forged_header_with_a_right_checksum_is_valid_or_raises_one_of_our_errors(
    tmp_path: Path, data: st.DataObject
) -> None:
    library, whole, end = data.draw(st.sampled_from(_SOURCES))
    fields = json.loads(zstd.decompress(whole[PREFIX.size : end]))
    for name in data.draw(st.sets(_NAMES, max_size=3)):
        fields.pop(name, None)
    changes = data.draw(st.dictionaries(_NAMES, _VALUES | st.booleans(), min_size=1, max_size=3))
    packed = zstd.compress(json.dumps(fields | changes).encode())
    magic = data.draw(st.sampled_from([whole[:8], MAGIC]))
    path = tmp_path / "forged.egt"
    path.write_bytes(struct.pack("<8sII", magic, len(packed), zlib.crc32(packed)) + packed + whole[end:])
    with suppress(TableError):
        _, table = library.with_file(path)
        assert table.wide == (table.header.draws == [DRAW, DRAW])
        assert table.header.one_sided == isinstance(table, LeanTable) == ("derived" in str(table.header.sides))


def test_an_import_of_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.egt").touch()
    with pytest.raises(ArchiveError, match="is empty"):
        import_lean(Library(CHESS, tmp_path), tmp_path / "empty.egt")
