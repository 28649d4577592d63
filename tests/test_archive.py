"""Layers archives: an exported table is imported unchanged, and a damaged or false archive is refused."""

from __future__ import annotations

import io
import json
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.errors import ArchiveError, EndgameError, EndingError, NotBuiltError, StorageError, TableError
from endgame_core.tables import archive as archives
from endgame_core.tables import mmap_arrays
from endgame_core.tables.archive import ArchiveImport, Description, export, game_of, import_archive
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import Table
from endgame_core.tables.library import Library
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES

from .conftest import fast

Members = dict[str, bytes]
Damage = Callable[[Members, dict[str, Any]], object]


def _with_needs(library: Library, ending: str, root: Path) -> Library:
    """A library that has the sub-endings of an ending, but not the ending."""
    found = Library(CHESS, root)
    found.directory.mkdir(parents=True)
    for need in CHESS.needs(ending):
        if library.path(need).is_file():
            shutil.copy(library.path(need), found.path(need))
    return found


@pytest.mark.parametrize(
    "ending",
    [
        *("KQvK", "KBvK", "KPvK"),
        *(pytest.param(name, marks=pytest.mark.exhaustive) for name in ("KRRvK", "KRvKN", "KQvKR", "KPvKP", "KPPvK")),
    ],
)
def test_a_table_comes_back_the_same(ending: str, library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    written = export(library, ending, path)
    other = _with_needs(library, ending, tmp_path / "other")
    read = import_archive(other, path, force=True, samples=2, seed=1)
    assert (read.ending, read.layers) == (ending, written.layers)
    assert read.compared > 0.99 * read.positions
    old, new = library.table(ending), other.table(ending)
    assert (new.positions, new.totals) == (old.positions, old.totals)
    for part in ("starts", "values", "numbers"):
        assert np.array_equal(getattr(new.counts, part), getattr(old.counts, part))
    for side in range(2):
        assert np.array_equal(old.all_stored(side, BYTE_DRAW), new.all_stored(side, BYTE_DRAW))
        assert [new.boards(side, code) for code in CODES_OF_BYTES] == [
            old.boards(side, code) for code in CODES_OF_BYTES
        ]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.zip", "other"], "no debris"


@pytest.mark.slow
def test_the_archive_is_what_its_description_says(library: Library, tmp_path: Path) -> None:
    """A reader with the description and python-chess alone finds mates in S_0 and mates in one in S_1."""
    path, again = tmp_path / "a.zip", tmp_path / "b.zip"
    export(library, "KQvKR", path)
    export(library, "KQvKR", again)
    assert path.read_bytes() == again.read_bytes(), "the same table gives the same archive"
    with zipfile.ZipFile(path) as archive:
        described = json.loads(archive.read("description.json"))
        men = [
            chess.Piece(chess.PIECE_NAMES.index(name.split()[1]), name.startswith("white")) for name in described["men"]
        ]

        def boards(layer: dict[str, Any]) -> list[chess.Board]:
            found: list[chess.Board] = []
            keys = [key for (key,) in struct.iter_unpack("<Q", archive.read(layer["file"]))]
            assert len(keys) == layer["positions"] and keys == sorted(set(keys))
            for key in keys:
                board = chess.Board(None)
                board.turn = bool(key & 1)
                for i, man in enumerate(men):
                    board.set_piece_at(key >> (1 + 7 * i) & 127, man)
                found.append(board)
            return found

        layers = {(layer["winner"], layer["n"]): layer for layer in described["layers"]}
        assert len(layers) == len(described["layers"]) == len(archive.namelist()) - 1
        for winner in ("white", "black"):
            assert all(board.is_checkmate() for board in boards(layers[winner, 0]))
            for board in boards(layers[winner, 1])[:300]:
                assert board.turn == (winner == "white")
                assert any(_mated(board, move) for move in board.legal_moves)
        example = described["example"]
        assert example["position"] in [board.fen() for board in boards(layers["white", 70])]
    counts = Explorer(CHESS, library).layers("KQvKR")
    assert described["draws"] == {side: count.canonical for side, count in counts.draws.items()}


@pytest.mark.parametrize("ending", ["KQvK", "KPvK", "KBBvK", "KPPvK", "KPvKP", "KQvKR"])
def test_keys_of_copies_are_those_of_the_mirrored_boards(ending: str, library: Library) -> None:
    index, arrays = CHESS.index, CHESS.index.arrays()
    for side in range(2):
        kept = np.flatnonzero(arrays.copies(ending, side, 0, index.slots(ending)))
        slots = np.random.default_rng(5).choice(kept, 60)
        for slot, keys in zip(slots.tolist(), arrays.copied_keys(ending, side, slots).tolist(), strict=True):
            copies = CHESS.copies_of(index.position_at(ending, side, slot))
            assert set(keys) == {index.key(copy) for copy in copies}


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQvK", "KPvK"])
def test_every_placement_is_exported(ending: str, library: Library, empty_library: Library, tmp_path: Path) -> None:
    """What a reader finds without turning the board is what ``positions --all`` lists."""
    path = tmp_path / "a.zip"

    def run(*args: str) -> str:
        return CliRunner().invoke(main, ["--data-dir", str(library.root), *args]).stdout

    told = json.loads(run("export", ending, str(path), "--all", "--json"))
    counted = {
        f"{layer['winner']}/S_{layer['n']:03}.keys": layer["all"]
        for layer in json.loads(run("layers", ending, "--json"))["layers"]
        if layer["all"]
    }
    with zipfile.ZipFile(path) as archive:
        described = json.loads(archive.read("description.json"))
        assert {layer["file"]: layer["positions"] for layer in described["layers"]} == counted
        assert told["positions"] == sum(counted.values())
        assert "All symmetric copies" in " ".join(described["reading"])
        for n in (9, 10):
            keys = [key for (key,) in struct.iter_unpack("<Q", archive.read(f"white/S_{n:03}.keys"))]
            listed = run("positions", ending, "--layer", str(n), "--all", "--format", "key").splitlines()
            assert sorted(keys) == sorted(int(row.partition(":")[2]) for row in listed)
    with pytest.raises(ArchiveError, match="lists symmetric copies; export it again without --all"):
        _import(empty_library, path)


def _mated(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()


@pytest.fixture(scope="session")
def whole(library: Library, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("archive") / "KQvK.zip"
    export(library, "KQvK", path)
    return path.read_bytes()


def _unpack(whole: bytes) -> tuple[Members, dict[str, Any]]:
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return members, json.loads(members.pop("description.json"))


def _pack(path: Path, members: Members, described: Any) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if described is not None:
            archive.writestr("description.json", described if isinstance(described, bytes) else json.dumps(described))
        for name, data in members.items():
            archive.writestr(name, data)


def _import(library: Library, path: Path) -> ArchiveImport:
    return import_archive(library, path, force=True, samples=0, seed=1)


def _refused(library: Library, path: Path, words: str) -> None:
    with pytest.raises(ArchiveError, match=words) as error:
        _import(library, path)
    assert str(error.value).count("\n") == 0 and "nothing was imported" in str(error.value)
    assert not library.directory.exists() or list(library.directory.iterdir()) == []


def _count(described: dict[str, Any], n: int, by: int) -> None:
    described["layers"][n]["positions"] += by


def _move(members: Members, described: dict[str, Any], key: bytes, source: int, target: int) -> None:
    """Takes a key out of one layer of White's and puts it into another, counts and order included."""
    for n, by in ((source, -1), (target, 1)):
        name = f"white/S_{n:03}.keys"
        keys = {members[name][i : i + 8] for i in range(0, len(members[name]), 8)} ^ {key}
        members[name] = b"".join(sorted(keys, key=lambda k: k[::-1]))
        _count(described, n, by)


def _first(members: Members, n: int) -> bytes:
    return members[f"white/S_{n:03}.keys"][:8]


def _put(members: Members, n: int, key: bytes) -> None:
    """Puts a key in the place of the first of White's layer n, in order."""
    name = f"white/S_{n:03}.keys"
    keys = [key, *(members[name][i : i + 8] for i in range(8, len(members[name]), 8))]
    members[name] = b"".join(sorted(keys, key=lambda k: k[::-1]))


def _replace(members: Members, n: int, at: int, key: int) -> None:
    name = f"white/S_{n:03}.keys"
    data = bytearray(members[name])
    data[at * 8 : at * 8 + 8] = key.to_bytes(8, "little")
    members[name] = bytes(data)


DAMAGE: dict[str, tuple[Damage, str]] = {
    "missing layer": (lambda m, d: m.pop("white/S_005.keys"), "white/S_005.keys is missing"),
    "extra member": (lambda m, d: m.update({"../../etc/passwd": b"x"}), "which the description does not name"),
    "absolute member": (lambda m, d: m.update({"/white/S_005.keys": b"x"}), "which the description does not name"),
    "other format": (lambda m, d: d.update(format="pickle"), "not in the format"),
    "foreign game": (lambda m, d: d.update(game="go"), "does not belong to chess"),
    "no ending": (lambda m, d: d.update(ending="KXvK"), "its ending is unknown"),
    "loose spelling": (lambda m, d: d.update(ending="kqk"), "its ending is unknown"),
    "other rules": (lambda m, d: d.update(rules="atomic"), "its rules should be 'chess'"),
    "other metric": (lambda m, d: d.update(metric="dtz"), "its metric should be 'dtm'"),
    "other men": (lambda m, d: d["men"].reverse(), "its men should be"),
    "odd title": (lambda m, d: d.update(title=7), "its title or reading is not text"),
    "odd reading": (lambda m, d: d["reading"].append(7), "its title or reading is not text"),
    "no field": (lambda m, d: d.pop("draws"), "no field 'draws'"),
    "unknown field": (lambda m, d: d.update(code="import os"), "an unknown field 'code'"),
    "no layers": (lambda m, d: d.update(layers="all"), "its layers are not a list of entries"),
    "layer of text": (lambda m, d: d["layers"][3].update(n="3"), "its n is not from 0 to 65276"),
    "layer too deep": (lambda m, d: d["layers"][3].update(n=65277), "its n is not from 0 to 65276"),
    "path in a layer": (lambda m, d: d["layers"][3].update(file="../S_003.keys"), "has the wrong name"),
    "layer twice": (lambda m, d: d["layers"].append(d["layers"][0]), "is listed twice"),
    "too many": (lambda m, d: _count(d, 3, 10**15), "cannot have as many positions"),
    "wrong count": (lambda m, d: _count(d, 3, 1), "positions take 8 each"),
    "wrong draws": (lambda m, d: d["draws"].update(black=2897), "2896 positions with black to move are in no layer"),
    "true draws": (lambda m, d: d["draws"].update(white=True), "its draws must be two counts"),
    "wrong example": (lambda m, d: d["example"].update(key=919810), "its example differ"),
    "impossible example": (lambda m, d: d["example"].update(key=0), "the key of its example is not valid"),
    "example elsewhere": (lambda m, d: d["example"].update(file="white/S_018.keys"), "is not in white/S_018"),
    "key order": (lambda m, d: _replace(m, 7, 1, int.from_bytes(_first(m, 7), "little")), "not in ascending order"),
    "no key": (
        lambda m, d: _replace(m, 7, -1 % (len(m["white/S_007.keys"]) // 8), 1 << 63), "is not the key of a listed",
    ),
    "wrong side": (
        lambda m, d: _replace(m, 7, 0, int.from_bytes(_first(m, 7), "little") - 1), "has the wrong side to move",
    ),
    "kings touch": (lambda m, d: _put(m, 18, (30 << 8 | 1 << 15).to_bytes(8, "little")), "impossible or a mirror copy"),
    "key twice": (lambda m, d: _put(m, 7, _first(m, 5)), "is in S5 and again in"),
    "other ending": (lambda m, d: d.update(ending="KRvK", men=["white king", "white rook", "black king"]), "example"),
}  # fmt: skip


@pytest.mark.parametrize(("damage", "words"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_archive_is_refused_with_its_fault(
    damage: Damage, words: str, whole: bytes, empty_library: Library, tmp_path: Path
) -> None:
    members, described = _unpack(whole)
    damage(members, described)
    path = tmp_path / "bad.zip"
    _pack(path, members, described)
    _refused(empty_library, path, words)


@pytest.mark.parametrize(("source", "target"), [(5, 7), (7, 5), (4, 6), (1, 19), (17, 1), (0, 2), (2, 0), (18, 2)])
def test_a_key_in_the_wrong_layer_breaks_the_rules(
    source: int, target: int, whole: bytes, empty_library: Library, tmp_path: Path
) -> None:
    members, described = _unpack(whole)
    _move(members, described, _first(members, source), source, target)
    path = tmp_path / "bad.zip"
    _pack(path, members, described)
    _refused(empty_library, path, "contradicts the rules")


@pytest.mark.parametrize("n", [0, 3])
def test_a_key_left_out_breaks_the_rules(n: int, whole: bytes, empty_library: Library, tmp_path: Path) -> None:
    members, described = _unpack(whole)
    members[f"white/S_{n:03}.keys"] = members[f"white/S_{n:03}.keys"][8:]
    _count(described, n, -1)
    described["draws"]["white" if n % 2 else "black"] += 1
    path = tmp_path / "bad.zip"
    _pack(path, members, described)
    _refused(empty_library, path, "contradicts the rules")


@pytest.mark.parametrize(
    ("described", "words"),
    [
        (None, "contains no description.json"),
        (b" " * 30_000_000, "is 30000000 bytes long"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "not in the format"),
        (b"\xff{}", "is not JSON"),
    ],
    ids=["none", "bomb", "deep", "list", "bytes"],
)
def test_a_wrong_description_is_refused_with_its_fault(
    described: bytes | None, words: str, whole: bytes, empty_library: Library, tmp_path: Path
) -> None:
    _pack(tmp_path / "bad.zip", _unpack(whole)[0], described)
    _refused(empty_library, tmp_path / "bad.zip", words)


@pytest.mark.slow
def test_a_compression_bomb_in_a_layer_is_refused(whole: bytes, empty_library: Library, tmp_path: Path) -> None:
    members, described = _unpack(whole)
    members["white/S_005.keys"] = bytes(200_000_000)
    path = tmp_path / "bad.zip"
    _pack(path, members, described)
    _refused(empty_library, path, "has 200000000 bytes")
    lying = path.read_bytes().replace(
        (200_000_000).to_bytes(4, "little"), len(_unpack(whole)[0]["white/S_005.keys"]).to_bytes(4, "little")
    )
    path.write_bytes(lying)
    _refused(empty_library, path, "not a valid archive")


def test_files_other_than_complete_zips_are_refused(empty_library: Library, tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "bad.zip"
    for data in (b"", b"hello", whole[: len(whole) // 2], whole[:-30]):
        path.write_bytes(data)
        _refused(empty_library, path, "not a complete zip file")
    with pytest.raises(StorageError, match="there is no file"):
        _import(empty_library, tmp_path / "none.zip")


@pytest.mark.slow
@given(st.data())
@settings(max_examples=150)
def test_random_damage_never_changes_a_value(
    tmp_path: Path, library: Library, whole: bytes, data: st.DataObject
) -> None:
    """A damaged archive is refused with a sentence, or it is one whose damage does not matter."""
    bad = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.one_of(st.integers(0, len(bad) - 1), st.integers(len(bad) - 2500, len(bad) - 1)))
        bad[at] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del bad[data.draw(st.integers(0, len(bad) - 1)) :]
    path = tmp_path / "bad.zip"
    path.write_bytes(bad)
    target = Library(CHESS, tmp_path / "data")
    try:
        _import(target, path)
    except ArchiveError:
        assert not any(target.directory.glob("*.egt*"))
    else:
        assert np.array_equal(target.table("KQvK").counts.numbers, library.table("KQvK").counts.numbers)
    shutil.rmtree(target.root, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), fast([(17, 19), (0, 2), (2, 0)]))
def test_compiled_code_finds_a_key_in_the_wrong_layer(
    source: int, target: int, whole: bytes, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in an ending of five men."""
    monkeypatch.setattr("endgame_core.tables.archive.MOST_SLOTS", 0)
    members, described = _unpack(whole)
    path = tmp_path / "a.zip"
    _pack(path, members, described)
    read = import_archive(empty_library, path, force=True, samples=9, seed=1)
    assert (read.compared, read.sampled) == (read.positions, 189)
    empty_library.disk.remove("KQvK")
    _move(members, described, _first(members, source), source, target)
    _pack(path, members, described)
    with pytest.raises(ArchiveError, match="contradicts the rules"):
        import_archive(empty_library, path, force=True, samples=0)
    assert list(empty_library.directory.iterdir()) == []


def test_an_import_does_not_replace_an_existing_table(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    export(library, "KRvKB", path)
    other = _with_needs(library, "KRvKB", tmp_path / "other")
    shutil.copy(library.path("KRvKB"), other.path("KRvKB"))
    before = other.path("KRvKB").read_bytes()
    with pytest.raises(StorageError, match=r"already exists; add --force"):
        import_archive(other, path)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(ArchiveError):
        import_archive(other, path, force=True)
    assert other.path("KRvKB").read_bytes() == before


def test_an_import_names_the_missing_sub_endings(library: Library, empty_library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    export(library, "KBvKN", path)
    with pytest.raises(NotBuiltError, match="endgame-tui build KNvK KBvK"):
        import_archive(empty_library, path)


@pytest.mark.slow
def test_commands_export_and_import_an_archive(library: Library, tmp_path: Path) -> None:
    def run(*args: str, root: Path = library.root) -> Any:
        return CliRunner().invoke(main, ["--data-dir", str(root), *args])

    path = tmp_path / "KRvK.zip"
    found = json.loads(run("export", "krk", str(path), "--json").stdout)
    assert (found["ending"], found["layers"], found["size"]) == ("KRvK", 33, path.stat().st_size)
    assert "add --force" in run("export", "krk", str(path)).stderr
    assert "33 layers" in run("export", "krk", str(path), "--force").stdout
    other = tmp_path / "other"
    found = json.loads(run("import", str(path), "--force", "--samples", "5", "--json", root=other).stdout)
    assert (found["ending"], found["sampled"], found["compared"]) == ("KRvK", 170, found["positions"])
    assert run("verify", "KRvK", "--samples", "50", root=other).exit_code == 0
    assert "33 layers: no errors found" in run("import", str(path), "--force", "--samples", "5", root=other).stdout
    for args in (
        ("import", str(path)),
        ("import", str(tmp_path / "none.zip")),
        ("export", "KQvKR", "/proc/none/a.zip"),
    ):
        result = run(*args, root=other)
        assert result.exit_code == 1 and len(result.stderr.strip().splitlines()) == 1


def test_a_failed_export_leaves_no_files(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(EndgameError, match="the disk is full"):
        export(library, "KQvK", tmp_path / "a.zip")
    assert list(tmp_path.iterdir()) == []


def _described(ending: str, draws: tuple[int, int]) -> dict[str, Any]:
    return Description(ending, (), draws, None).to_json(CHESS)


def test_false_numbers_are_refused_before_anything_is_read(empty_library: Library, tmp_path: Path) -> None:
    """To count the positions of five men takes a minute; how many there are is known."""
    path = tmp_path / "a.zip"
    _pack(path, {}, _described("KNNvKP", (1000, 1000)))
    _refused(empty_library, path, r"it counts 2000 positions, including draws, but KNNvKP has \d+")


def test_a_long_list_of_members_is_refused_unread(empty_library: Library, tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    _pack(path, {f"{number}": b"" for number in range(6_000)}, _described("KQvK", (0, 0)))
    _refused(empty_library, path, "the zip file has too many entries for an archive of layers")
    with pytest.raises(ArchiveError, match="too many entries"):
        game_of(path)


def test_wrong_keys_are_refused_before_all_are_counted(
    whole: bytes, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every win of White's is one in one ply, says this one, and one draw is too many on one side."""
    monkeypatch.setattr(archives, "MOST_SLOTS", 1 << 10)  # as for five men
    members, described = _unpack(whole)
    wins = [name for name in members if int(name[-8:-5]) % 2]
    keys = np.sort(np.frombuffer(b"".join(members.pop(name) for name in wins), "<u8"))
    members["white/S_001.keys"] = keys.tobytes()
    described["layers"] = [layer for layer in described["layers"] if layer["file"] in members]
    described["layers"][1]["positions"] = len(keys)
    described["draws"]["white"] += 1
    path = tmp_path / "a.zip"
    _pack(path, members, described)
    with pytest.raises(ArchiveError, match="contradicts the rules"):
        _import(empty_library, path)


def test_counting_stops_at_too_many_draws(
    library: Library, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_CHUNK", 1 << 12)
    path, number = tmp_path / "a.zip", library.table("KQvK").positions
    _pack(path, {}, _described("KQvK", (10_000, number - 10_000)))
    _refused(empty_library, path, "more than 10000 positions with white to move are in no layer")


@pytest.mark.parametrize("step", ["_Import.count", "_Import.compare_all", "_Import.compare_samples", "Library.write"])
def test_an_import_refuses_too_little_memory(
    step: str, whole: bytes, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(f"endgame_core.tables.archive.{step}", refuse)
    path = tmp_path / "a.zip"
    path.write_bytes(whole)
    with pytest.raises(EndgameError, match="not enough memory for KQvK"):
        import_archive(empty_library, path, force=True)
    assert list(empty_library.directory.glob("*.egt")) == []


def test_layers_larger_than_memory_are_not_read(
    library: Library, empty_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, more = tmp_path / "a.zip", tmp_path / "b.zip"
    export(library, "KQvK", path)
    monkeypatch.setattr(mmap_arrays, "IN_MEMORY_BYTES", CHESS.index.slots("KQvK") - 1)
    with pytest.raises(EndingError, match=r"^the layers of KQvK are too large for an archive; export it with --lean"):
        export(library, "KQvK", more)
    with pytest.raises(
        EndingError, match=r"^the layers of KQvK are too large for an archive; import a one-sided table"
    ):
        import_archive(empty_library, path)
    assert not more.exists() and not empty_library.path("KQvK").exists()


def test_compiled_compression_changes_no_key(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(library, "KQvK", tmp_path / "zlib.zip")
    monkeypatch.setattr(archives, "_LARGE_LAYER", 1)
    monkeypatch.setattr(archives, "_BATCH", 1000)
    export(library, "KQvK", tmp_path / "compiled.zip")
    with zipfile.ZipFile(tmp_path / "zlib.zip") as one, zipfile.ZipFile(tmp_path / "compiled.zip") as two:
        assert one.namelist() == two.namelist()
        assert all(one.read(name) == two.read(name) for name in one.namelist())
        assert one.infolist()[1].compress_size != two.infolist()[1].compress_size


@pytest.mark.parametrize("lost", [1, None], ids=["one", "all"])
def test_a_table_that_miscounts_a_layer_is_not_exported(
    lost: int | None, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_stored = Table.all_stored

    def without_layer(table: Table, side: int, empty: int = 0) -> Any:
        result = all_stored(table, side, empty)
        if side:  # mated: the positions of S0 are Black's to move
            result[np.flatnonzero(result == table.stored_value(1, 0))[:lost]] = empty
        return result

    monkeypatch.setattr(Table, "all_stored", without_layer)
    with pytest.raises(TableError, match="wrong count in layer S0"):
        export(library, "KQvK", tmp_path / "KQvK.zip")
    assert not list(tmp_path.iterdir())
