"""Layers archives of Morris: an exported table is imported unchanged, and a damaged one is refused."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from endgame_core.cli.main import main
from endgame_core.errors import ArchiveError, NotBuiltError
from endgame_core.morris import notation, rules
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables import archive as archives
from endgame_core.tables.archive import export, import_archive
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.values import BYTE_DRAW, CODES_OF_BYTES

from .test_archive import Members, _pack, _unpack

Damage = Callable[[Members, dict[str, Any]], object]


@pytest.fixture(scope="session")
def whole(morris: Explorer[Position, MorrisMove], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("archive") / "3-3.zip"
    export(morris.library, "3-3", path)
    return path.read_bytes()


@pytest.mark.slow
def test_a_table_comes_back_the_same(whole: bytes, tmp_path: Path) -> None:
    """All positions are derived from those one ply later, by the rules."""
    path, other = tmp_path / "a.zip", Library(MORRIS, tmp_path / "other")
    path.write_bytes(whole)
    old = other.table("3-3")
    read = import_archive(other, path, force=True, samples=1, seed=1)
    assert (read.ending, read.layers, read.positions, read.compared) == ("3-3", 26, 169_626, 169_626)
    assert other.path("3-3").stat().st_size == read.size == MORRIS.cost("3-3").size
    new = Library(MORRIS, tmp_path / "other").table("3-3")
    assert np.array_equal(new.all_stored(0, BYTE_DRAW), old.all_stored(0, BYTE_DRAW))
    assert [new.boards(0, code) for code in CODES_OF_BYTES] == [old.boards(0, code) for code in CODES_OF_BYTES]
    assert verify(other, "3-3", samples=50).mismatch is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["4-3", "4-4", "5-3"])
def test_larger_tables_come_back_the_same(ending: str, morris: Explorer[Position, MorrisMove], tmp_path: Path) -> None:
    path, other = tmp_path / "a.zip", Library(MORRIS, tmp_path / "other")
    export(morris.library, ending, path)
    read = import_archive(other, path, force=True, samples=5, seed=1)
    assert read.compared == read.positions
    for side in range(2):
        assert np.array_equal(
            other.table(ending).all_stored(side, BYTE_DRAW), morris.library.table(ending).all_stored(side, BYTE_DRAW)
        )


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["3-3", "4-3"])
def test_every_placement_is_exported(ending: str, morris: Explorer[Position, MorrisMove], tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    export(morris.library, ending, path, copies=True)
    members, described = _unpack(path.read_bytes())
    index = MORRIS.index
    for layer in described["layers"]:
        keys = np.frombuffer(members[layer["file"]], "<u8")
        known = set(keys.tolist())
        assert len(keys) == len(known) == layer["positions"]
        for key in np.random.default_rng(7).choice(keys, 5).tolist():
            position = index.from_key(ending, key)
            assert {index.key(copy) for copy in MORRIS.copies_of(position)} <= known
            assert morris.probe(position).depth == layer["n"]


def test_the_archive_is_what_its_description_says(whole: bytes) -> None:
    """A reader with the description and the rules alone finds blocked games in S_0 and wins in one in S_1."""
    members, described = _unpack(whole)
    assert (described["game"], described["metric"], described["men"]) == (
        "morris", "depth", ["white stone"] * 3 + ["black stone"] * 3,
    )  # fmt: skip
    names = described["reading"][1].split("(")[1].split(")")[0].split()
    for key, *_ in struct.iter_unpack("<Q", members["white/S_001.keys"][:800]):
        stones = [sum(1 << at for at in range(24) if key >> shift + at & 1) for shift in (1, 25)]
        position = Position(stones[0], stones[1], 1 - (key & 1))
        assert notation.from_key(key) == position and names[0] == "a7" and len(names) == 24
        assert any(rules.lost(rules.play(position, move)) for move in rules.moves(position))
    assert described["draws"] == {"white": 269, "black": 0}
    assert all(layer["n"] % 2 == (layer["winner"] == "white") for layer in described["layers"])


def _swap(members: Members, described: dict[str, Any]) -> None:
    """Puts the first key of S_3 into S_5, counts and order included."""
    for n, by in ((3, -1), (5, 1)):
        name = f"white/S_{n:03}.keys"
        keys = {members[name][i : i + 8] for i in range(0, len(members[name]), 8)}
        keys ^= {members["white/S_003.keys"][:8]} if n == 3 else {members["white/first"]}
        members[name] = b"".join(sorted(keys, key=lambda key: key[::-1]))
        next(layer for layer in described["layers"] if layer["file"] == name)["positions"] += by
    del members["white/first"]


def _remember(members: Members, described: dict[str, Any]) -> None:
    members["white/first"] = members["white/S_003.keys"][:8]
    _swap(members, described)


DAMAGE: dict[str, tuple[Damage, str]] = {
    "missing layer": (lambda m, d: m.pop("white/S_005.keys"), "white/S_005.keys is missing"),
    "another variant": (lambda m, d: d.update(rules="9 men, take one per mill, flying"), "its rules should be '9 men,"),
    "the metric of chess": (lambda m, d: d.update(metric="dtm"), "its metric should be 'depth'"),
    "no ending": (
        lambda m, d: d.update(ending="2-4"), "its ending is unknown; endings are written like 4-3",
    ),
    "the smaller first": (lambda m, d: d.update(ending="3-4"), "its ending is unknown"),
    "another ending": (lambda m, d: d.update(ending="4-3"), "its men should be"),
    "too few draws": (lambda m, d: d["draws"].update(white=268), "more than 268 positions with white to move are in"),
    "no key": (
        lambda m, d: m.update({"white/S_025.keys": m["white/S_025.keys"][:-8] + b"\xff" * 8}),
        "is not the key of a listed",
    ),
    "a wrong layer": (_remember, "contradicts the rules: .* but the moves of this position lead to S3 .White wins."),
}  # fmt: skip


@pytest.mark.parametrize(("damage", "words"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_archive_is_refused_with_its_fault(damage: Damage, words: str, whole: bytes, tmp_path: Path) -> None:
    members, described = _unpack(whole)
    damage(members, described)
    path, library = tmp_path / "bad.zip", Library(MORRIS, tmp_path / "data")
    _pack(path, members, described)
    with pytest.raises(ArchiveError, match=words) as error:
        import_archive(library, path, force=True, samples=0)
    assert str(error.value).count("\n") == 0 and not any(library.directory.glob("*.egt*"))


@pytest.mark.slow
def test_large_endings_are_sampled(whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Deriving all of them without compiled code would take hours."""
    monkeypatch.setattr(archives, "MOST_SLOTS", 0)
    monkeypatch.setattr(archives, "_MANY_SAMPLES", 3)
    path, library = tmp_path / "a.zip", Library(MORRIS, tmp_path / "data")
    path.write_bytes(whole)
    read = import_archive(library, path, force=True, seed=1)
    assert (read.compared, read.positions) == (0, 169_626) and 70 < read.sampled <= 3 * (26 + 2)


def test_an_ending_that_is_not_built_is_not_exported(morris: Explorer[Position, MorrisMove], tmp_path: Path) -> None:
    with pytest.raises(NotBuiltError, match="9-8 is not built"):
        export(morris.library, "9-8", tmp_path / "b.zip")


@pytest.mark.slow
def test_commands_detect_the_game(tmp_path: Path) -> None:

    def run(*args: str) -> Any:
        return CliRunner().invoke(main, ["--data-dir", str(tmp_path / "data"), *args])

    path = tmp_path / "3-3.zip"
    found = json.loads(run("export", "3-3", str(path), "--json").stdout)
    assert (found["ending"], found["layers"], found["positions"]) == ("3-3", 26, 169_357)
    assert "3-3 already exists; add --force" in run("import", str(path)).stderr
    said = run("import", str(path), "--force", "--samples", "1").stdout
    assert "3-3  26 layers: no errors found" in said and "using the rules only" in said and "chess" not in said
    listed = json.loads(run("tables", "--game", "morris", "--json").stdout)
    assert {row["ending"] for row in listed} >= {"3-3"} and run("verify", "3-3", "--samples", "20").exit_code == 0
    path.write_bytes(path.read_bytes()[:1000])
    result = run("import", str(path), "--force")
    assert result.exit_code == 1 and "not a complete zip file" in result.stderr and "Traceback" not in result.stderr
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("description.json", "[]")
    assert "not in the format" in run("import", str(path)).stderr
    assert "is not an ending" in run("export", "2-4", str(path)).stderr
