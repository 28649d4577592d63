"""Files, library, explorer: damage is named, layers are walked, and depth falls by one along a line."""

from __future__ import annotations

import json
import math
import random
import sys
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from endgame_core import paths
from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.errors import EndgameError, LayerError, NotBuiltError, TableError
from endgame_core.game import SolvedEnding
from endgame_core.judge import Judge
from endgame_core.tables.counts import Counts
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import FrameCache, Table
from endgame_core.tables.header import MAGIC, PREFIX
from endgame_core.tables.library import Library
from endgame_core.tables.table_files import DAMAGED
from endgame_core.tables.tiling import candidate_tilings, consecutive_tiles
from endgame_core.tables.verification import verify
from endgame_core.tables.writing import write_compact, write_table
from endgame_core.values import (
    BYTE_DRAW,
    BYTES_BEFORE,
    CODES_OF_BYTES,
    DRAW,
    LAST_LAYER,
    Category,
    byte_of,
    code_before,
    code_of,
    is_byte,
    value_of,
)
from endgame_core.words.position import why
from tests.positions import by_depth

from .conftest import build, fast, give

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Chess = Explorer[chess.Board, chess.Move]


@given(st.integers(0, 0xFFFF))
def test_codes_and_values_are_inverse(code: int) -> None:
    assert code_of(*value_of(code)) == code


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_bytes_are_low_bytes_of_codes_in_the_same_order(one: int, other: int) -> None:
    assert (byte_of(one) <= byte_of(other)) if one <= other else (byte_of(one) >= byte_of(other))
    assert value_of(CODES_OF_BYTES[byte_of(one)])[0] is value_of(one)[0]
    if is_byte(one):
        assert byte_of(one) == one & 255 and CODES_OF_BYTES[one & 255] == one
    depth = value_of(one)[1]
    assert is_byte(one) == (depth is None or depth <= 254), "losses up to 254, wins up to 253 plies"


@given(st.integers(1, LAST_LAYER - 1))
def test_a_move_costs_one_ply(depth: int) -> None:
    category, n = value_of(code_before(code_of(Category.WIN if depth % 2 else Category.LOSS, depth)))
    assert n == depth + 1 and category is (Category.LOSS if depth % 2 else Category.WIN)


@given(st.integers(0, 255))
def test_a_move_to_a_loss_wins_and_to_a_win_loses(byte: int) -> None:
    """Also into the latest loss that a byte holds."""
    turned = {Category.WIN: Category.LOSS, Category.DRAW: Category.DRAW, Category.LOSS: Category.WIN}
    worth = code_before(CODES_OF_BYTES[byte])
    assert value_of(worth)[0] is turned[value_of(CODES_OF_BYTES[byte])[0]]
    assert BYTES_BEFORE[byte] == byte_of(worth)


AXES = ((10, 64, 64), (3, 10, 64, 64), (33, 64, 64), (24, 64, 64), (2, 64, 16, 64))
"""Like those of endings, with few slots; the third has a last tile that is shorter."""


WIDE_CODES = np.array([*range(4), 127, 128, 200, 261, DRAW, 0xFE00, 0xFEFB, 0xFF7F, 0xFFFE, 0xFFFF], np.uint16)
"""Some that bytes hold, and some that none does; low bytes occur twice."""


def _copies(axes: tuple[int, ...], side: int, box: Sequence[range]) -> NDArray[np.uint8]:
    """Makes two slots of three kept, and every ninth of them its own mirror copy."""
    slots = np.arange(math.prod(axes)).reshape(axes)[np.ix_(*box)].reshape(-1) + side
    return np.where(slots % 3 == 0, 0, np.where(slots % 9 == 1, 4, 8)).astype(np.uint8)


def _solved(seed: int, axes: tuple[int, ...], wide: bool = False) -> SolvedEnding:
    rng = np.random.default_rng(seed)
    slots = math.prod(axes)
    codes = rng.choice(WIDE_CODES, (2, slots)) if wide else rng.integers(0, 256, (2, slots)).astype(np.uint8)
    codes[:, slots // 2 :] &= 3
    copies = np.array([_copies(axes, side, [range(n) for n in axes]) for side in range(2)])
    kept = np.packbits(copies > 0, axis=1, bitorder="little").view(np.uint64)
    most = 1 << 8 * codes.itemsize
    own = np.array([np.bincount(codes[side][copies[side] == 4], minlength=most) for side in range(2)])
    return SolvedEnding(codes, kept, copies=8, missing=4 * own, wide=wide)


def _same(table: Table, solved: SolvedEnding, axes: tuple[int, ...]) -> None:
    for side, tiling in enumerate(table.tilings):
        copies = _copies(axes, side, [range(n) for n in axes])
        expected, draw = np.where(copies > 0, solved.codes[side], 0), DRAW if solved.wide else BYTE_DRAW
        assert np.array_equal(table.all_stored(side, draw), np.where(copies > 0, solved.codes[side], draw))
        assert np.array_equal(table.read_side(side, solved.canonical[side], 2), expected)
        codes = expected if solved.wide else np.array(CODES_OF_BYTES)[expected]
        some = np.flatnonzero(copies)[:: table.slots // 50]
        assert table.codes(side, some).tolist() == codes[some].tolist()
        for slot in some.tolist():
            frame, _ = table.place(side, slot)
            assert table.code(side, slot) == codes[slot]
            assert slot in table.select(side, frame, int(codes[slot]))
        counts = np.bincount(solved.codes[side][copies > 0], minlength=256)
        boards = np.bincount(solved.codes[side], copies, minlength=256)
        there = np.flatnonzero(counts).tolist() if solved.wide else range(256)
        for stored in there:
            code = stored if solved.wide else CODES_OF_BYTES[stored]
            assert table.canonical(side, code) == sum(table.frame_counts(side, code)) == counts[stored]
            assert table.boards(side, code) == boards[stored]
        assert table.used_codes(side) == [
            table.stored_codes(side)[stored] for stored in np.flatnonzero(counts).tolist()
        ]
        assert sum(len(table.select(side, frame, 0)) for frame in range(tiling.frame_count)) == counts[0]
    assert table.check() == table.frame_count
    everything = {table.nth(number) for number in range(0, table.positions, 997)}
    assert len(everything) == len(range(0, table.positions, 997))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("axes", "wide"), fast([(AXES[0], True), *((axes, False) for axes in AXES), (AXES[2], True)], 2)
)
@given(seed=st.integers(0, 99))
@settings(max_examples=1)
def test_a_table_returns_the_written_values(tmp_path: Path, axes: tuple[int, ...], wide: bool, seed: int) -> None:
    solved = _solved(seed, axes, wide)
    path, small = tmp_path / "a.egt", tmp_path / "b.egt"
    named = {"draws": [DRAW, DRAW]} if wide else {}
    size = write_table(path, solved, axes, game="chess", ending="KQvK", rules="r", scheme="s", metric="dtm", **named)
    table = Table(path, partial(_copies, axes))
    assert table.wide == table.header.wide == wide and path.read_bytes().startswith(MAGIC)
    assert size == path.stat().st_size == table.size
    _same(table, solved, axes)
    write_compact(table, small)
    _same(Table(small, partial(_copies, axes)), solved, axes)
    assert sorted(tmp_path.iterdir()) == [path, small], "no debris"
    table.close()


@pytest.mark.slow
@given(st.data())
@settings(max_examples=60)
def test_frames_contain_every_slot_once(data: st.DataObject) -> None:
    axes = data.draw(st.sampled_from([*AXES, (64, 64, 10, 64, 64), (24, 64, 64, 64, 64)]))
    tiling = data.draw(st.sampled_from([consecutive_tiles(axes), *candidate_tilings(axes)]))
    frame = data.draw(st.integers(0, tiling.frame_count - 1))
    slots = tiling.slots(frame)
    frames, places = tiling.place(slots)
    assert (frames == frame).all()
    first, sizes, strides = tiling.loops(frame)
    steps = np.ix_(*(np.arange(size) * stride for size, stride in zip(sizes, strides, strict=True)))
    stored = (first + steps[0] + steps[1] + steps[2]).reshape(-1)
    turned = tiling.in_stored_order(slots, frame)
    assert (turned.reshape(-1) == stored).all()
    assert (np.diff(tiling.in_stored_order(places, frame).reshape(-1)) > 0).all(), (
        "places are in the order in which codes are"
    )
    assert places.max() < math.prod(tiling.box) and (
        np.ptp(places) == len(slots) - 1 or len(slots) < math.prod(tiling.box)
    )
    kept = np.random.default_rng(slots[0]).random(len(slots)) < 0.5
    marks = np.frombuffer(tiling.rank_bitmap(kept, frame), "<u8")
    numbered = tiling.in_stored_order(kept, frame).reshape(-1).cumsum()
    for number, at in zip(numbered.tolist(), tiling.in_stored_order(places, frame).reshape(-1).tolist(), strict=True):
        word, bit = int(marks[at >> 5]), 1 << (at & 31)
        assert (word >> 32) + (word & 0xFFFFFFFF & (2 * bit - 1)).bit_count() == number
    slot = data.draw(st.integers(0, math.prod(axes) - 1))
    home, place = tiling.place(slot)
    assert slot in tiling.slots(home) and tiling.place(np.array([slot]))[1] == place
    wanted = [data.draw(st.sets(st.integers(0, length - 1), min_size=1, max_size=3)) for length in axes]
    met = all(wanted[axis] & set(digits) for axis, digits in enumerate(tiling.ranges(frame)))
    assert (frame in tiling.frames_with(wanted)) == met


def test_the_frame_cache_stays_within_its_budget() -> None:
    cache = FrameCache(1_000)
    for number in range(50):
        cache.put((number, 0), bytes(90), 90)
    assert [number for number in range(50) if cache.get((number, 0))] == list(range(39, 50))


def test_counts_larger_than_the_cache_evict_nothing() -> None:
    cache = FrameCache(1_000)
    for number in range(5):
        cache.put((number, 0), bytes(90), 90)
    cache.put((9, -1), bytes(5_000), 5_000)
    cache.put((5, 0), bytes(90), 90)
    assert all(cache.get((number, 0)) for number in range(6))
    assert len(cache.get((9, -1)) or b"") == 5_000
    cache.put((8, -1), bytes(4_000), 4_000)
    assert cache.get((9, -1)) is None and len(cache.get((8, -1)) or b"") == 4_000


def test_selected_slots_count_towards_the_budget(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    monkeypatch.setattr(FrameCache, "put", lambda _, key, found, size: kept.append(size))
    table = Table(library.table("KQvK").path, partial(CHESS.index.arrays().copies_in, "KQvK"))
    slots = table.select(1, 0, DRAW)
    assert len(slots) > 100 and kept == [8 * len(slots)]


@pytest.mark.slow
def test_many_threads_can_read_one_table(library: Library) -> None:
    table = library.table("KQvKR")
    slots = np.random.default_rng(3).integers(0, table.slots, 400)
    codes = [table.all_stored(side, 0) for side in range(2)]
    expected = {(side, slot): CODES_OF_BYTES[codes[side][slot]] for side in range(2) for slot in slots.tolist()}
    cold = Table(library.path("KQvKR"), partial(CHESS.index.arrays().copies_in, "KQvKR"), FrameCache(200_000))
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(cold.code, *key) for key in list(expected) * 4]
        together = [pool.submit(cold.codes, side, slots) for side in range(2)]
        assert [future.result() for future in asked] == [expected[key] for key in list(expected) * 4]
        for side, future in enumerate(together):
            assert future.result().tolist() == [expected[side, slot] for slot in slots.tolist()]


@pytest.mark.parametrize("ending", fast(["KQvK", "KPvK", "KNNvK", "KRvKR", "KPPvK"], 2))
def test_a_compact_table_has_the_same_values(ending: str, library: Library, empty_library: Library) -> None:
    empty_library.directory.mkdir(parents=True)
    path = empty_library.path(ending)
    shipped = paths.starter_dir() / path.name
    path.write_bytes((shipped if shipped.exists() else library.path(ending)).read_bytes())
    old = library.table(ending)
    before, after = empty_library.disk.compact(ending)
    new = empty_library.table(ending)
    assert after == path.stat().st_size <= before
    for side in range(2):
        assert np.array_equal(old.all_stored(side, BYTE_DRAW), new.all_stored(side, BYTE_DRAW))
        for code in CODES_OF_BYTES:
            assert old.boards(side, code) == new.boards(side, code)
            assert old.canonical(side, code) == new.canonical(side, code) == sum(new.frame_counts(side, code))


# Sizes published for the same content: Gaviota's files, and chesstb's.
@pytest.mark.parametrize(("ending", "size"), [("KQvK", 9_443), ("KRvK", 10_824), ("KPvK", 27_435)])
def test_tables_are_no_larger_than_gaviotas(ending: str, size: int, library: Library, empty_library: Library) -> None:
    solved = CHESS.solver.solve(
        ending, lambda name, side, wanted=(): library.read_side(name, side, 1, wanted), 1, lambda progress: None
    )
    assert empty_library.write(ending, solved) <= size


@pytest.mark.parametrize(("ending", "size"), [("KQvK", 7_560), pytest.param("KQvKR", 911_304, marks=pytest.mark.slow)])
def test_compact_tables_are_no_larger_than_chesstbs(ending: str, size: int, library: Library, tmp_path: Path) -> None:
    assert write_compact(library.table(ending), tmp_path / "small.egt") <= size


@pytest.mark.slow
@given(st.data())
@settings(max_examples=150)
def test_every_damaged_byte_is_noticed(tmp_path: Path, data: st.DataObject) -> None:
    whole = (paths.starter_dir() / "KQvK.egt").read_bytes()
    path = tmp_path / "KQvK.egt"
    if data.draw(st.booleans()):
        path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    else:
        at = data.draw(st.integers(0, len(whole) - 1))
        flipped = bytearray(whole)
        flipped[at] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(bytes(flipped))
    with pytest.raises(TableError, match="build it again"):
        Table(path, partial(CHESS.index.arrays().copies_in, "KQvK")).check()


def _forge(path: Path, fields: dict[str, Any]) -> None:
    """Gives a table other header fields, with a checksum that is right."""
    whole = path.read_bytes()
    _, length, _ = PREFIX.unpack_from(whole)
    header = json.loads(zstd.decompress(whole[PREFIX.size : PREFIX.size + length]))
    packed = zstd.compress(json.dumps({**header, **fields}).encode())
    path.write_bytes(PREFIX.pack(MAGIC, len(packed), zlib.crc32(packed)) + packed + whole[PREFIX.size + length :])


_BOX = [[1, 10, 64, 64], [2, 3, 1], "zstd", 1]


@pytest.mark.parametrize(
    "fields",
    [
        {"axes": [3, 10, 64, "64"]},
        {"axes": [3, 10, 64, -64]},
        {"axes": [True, 10, 64, 64]},
        {"axes": [9_999_999_999] * 200_000},
        {"axes": None},
        {"sides": [_BOX]},
        {"sides": [_BOX] * 3},
        {"sides": [[[1, 10, 64, 64.0], *_BOX[1:]]] * 2},
        {"sides": [[_BOX[0], [2, 3, 1.0], *_BOX[2:]]] * 2},
        {"sides": [[[1, 1, 64, 1], [2], *_BOX[2:]]] * 2},
        {"sides": [[*_BOX[:2], "rot13", 1]] * 2},
        {"sides": [[*_BOX[:2], "lzma", 99]] * 2},
        {"sides": [[*_BOX[:2], "zstd", "1"]] * 2},
        {"sides": {"white": _BOX, "black": _BOX}},
        {"sections": [48.0, 0, 0, 0]},
        {"sections": [48, 0, -10_000, 0]},
        {"sections": [48, 0, 1 << 70, 0]},
        {"sections": [48]},
        {"canonical": [{"x": 1}, {}]},
        {"canonical": [{"300": 1}, {}]},
        {"boards": [{"1": "many"}, {}]},
        {"boards": [{}]},
        {"canonical": 7},
        {"unheard": 1},
        {"one_sided": True},
        {"wide": True},
        {"one_sided": 0},
        {"wide": None},
    ],
    ids=str,
)
def test_a_forged_header_is_refused(tmp_path: Path, fields: dict[str, Any]) -> None:
    axes = (3, 10, 64, 64)
    path = tmp_path / "a.egt"
    write_table(path, _solved(1, axes), axes, game="chess", ending="KQvK", rules="r", scheme="s", metric="dtm")
    _forge(path, {})
    assert Table(path, partial(_copies, axes)).check() == 6
    _forge(path, fields)
    with pytest.raises(TableError, match="build it again"):
        Table(path, partial(_copies, axes))


def test_a_header_too_deep_is_refused(tmp_path: Path) -> None:
    packed = zstd.compress(b"[" * 1_000_000)
    path = tmp_path / "a.egt"
    path.write_bytes(PREFIX.pack(MAGIC, len(packed), zlib.crc32(packed)) + packed)
    with pytest.raises(TableError, match="corrupt header"):
        Table(path, partial(_copies, (10, 64, 64)))


def _counts(heads: list[int], codes: list[int], numbers: list[int]) -> bytes:
    parts = [codes, *([n >> 8 * i & 255 for n in numbers] for i in range(3))]
    return np.array(heads, "<u2").tobytes() + np.array(parts, np.uint8).tobytes()


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(b"no zstd", id="no zstd"),
        pytest.param(zstd.compress(bytes(1 << 28)), id="a bomb"),
        pytest.param(zstd.compress(b"ab"), id="too short"),
        pytest.param(zstd.compress(_counts([1] * 6, [7] * 6, [0xFFFFFF] * 6)), id="more than a tile holds"),
        pytest.param(zstd.compress(_counts([1] * 6, [7] * 6, [1] * 6)), id="too few"),
        pytest.param(zstd.compress(_counts([1] * 6, [7] * 6, [40_960] * 6)), id="too many"),
    ],
)
def test_forged_counts_are_refused(tmp_path: Path, section: bytes) -> None:
    axes = (3, 10, 64, 64)
    path = tmp_path / "a.egt"
    solved = _solved(1, axes)
    write_table(path, solved, axes, game="chess", ending="KQvK", rules="r", scheme="s", metric="dtm")
    whole = path.read_bytes()
    _, length, _ = PREFIX.unpack_from(whole)
    first, checksum, counts, _ = Table(path, partial(_copies, axes)).header.sections
    start = PREFIX.size + length + first
    path.write_bytes(whole[:start] + section + whole[start + counts :])
    _forge(path, {"sections": [first, checksum, len(section), zlib.crc32(section)]})
    for read in (Table.check, lambda table: table.read_side(0, solved.canonical[0], 1)):
        with pytest.raises(TableError, match="corrupt in"):
            read(Table(path, partial(_copies, axes)))


def test_totals_that_contradict_their_frames_are_refused(tmp_path: Path) -> None:
    axes = (3, 10, 64, 64)
    path = tmp_path / "a.egt"
    write_table(path, _solved(1, axes), axes, game="chess", ending="KQvK", rules="r", scheme="s", metric="dtm")
    white, black = Table(path, partial(_copies, axes)).header.canonical
    _forge(path, {"canonical": [white, {**black, "7": black["7"] + 1}]})
    with pytest.raises(TableError, match="corrupt in its counts"):
        Table(path, partial(_copies, axes)).check()


def test_counts_that_miss_stored_slots_read_no_other_memory(tmp_path: Path) -> None:
    axes = (3, 10, 64, 64)
    solved = _solved(1, axes)
    path = tmp_path / "a.egt"
    write_table(path, solved, axes, game="chess", ending="KQvK", rules="r", scheme="s", metric="dtm")
    table = Table(path, partial(_copies, axes))
    with pytest.raises(TableError, match="counts"):
        table.read_side(0, solved.canonical[0] | np.uint64(7), 1)


def _no_table(name: str, side: int) -> None:
    raise AssertionError(f"{name} is not needed")


@pytest.mark.slow
@pytest.mark.parametrize("game", [CHESS, CHESS_DTZ], ids=lambda game: game.metric)
def test_starter_tables_are_what_the_solver_makes(game: ChessGame, tmp_path: Path) -> None:
    library = Library(game, tmp_path)
    for ending in ("KQvK", "KRvK"):
        library.write(ending, game.solver.solve(ending, _no_table, 1, lambda layer: None))
        library.disk.compact(ending)
        shipped = paths.starter_dir() / library.path(ending).name
        assert library.path(ending).read_bytes() == shipped.read_bytes()


@pytest.mark.slow
def test_a_damaged_table_is_put_aside_and_rebuilt(library: Library, empty_library: Library) -> None:
    give(library, empty_library, "KBvK")
    path = empty_library.path("KBvK")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(TableError, match="truncated"):
        empty_library.table("KBvK")
    assert path.with_name(path.name + DAMAGED).is_file() and not path.exists()
    assert empty_library.entry("KBvK").state == "damaged"
    build(empty_library, ["KBvK"])
    assert empty_library.entry("KBvK").state == "built"
    assert not path.with_name(path.name + DAMAGED).exists()


def test_a_damaged_starter_table_is_rebuilt_in_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, own = tmp_path / "starter", tmp_path / "data"
    shipped.mkdir()
    whole = (paths.starter_dir() / "KQvK.egt").read_bytes()
    (shipped / "KQvK.egt").write_bytes(whole[:-9])
    monkeypatch.setattr(paths, "starter_dir", lambda: shipped)
    library = Library(CHESS, own)
    assert library.planner.plan(["KQvK"]) == [], "nobody has looked into it yet"
    with pytest.raises(TableError, match="build it again"):
        library.table("KQvK")
    assert library.planner.plan(["KQvK"]) == Library(CHESS, own).planner.plan(["KQvK"]) == ["KQvK"]
    assert library.entry("KQvK").state == "damaged" and (shipped / "KQvK.egt").is_file()
    library.write("KQvK", CHESS.solver.solve("KQvK", _no_table, 1, lambda layer: None))
    assert library.entry("KQvK").state == "built" and library.entry("KQvK").owner == "own"
    assert [path.name for path in library.directory.iterdir()] == ["KQvK.egt"]


def test_a_verification_finds_a_wrong_value(empty_library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    solved = CHESS.solver.solve("KQvK", _no_table, 1, lambda layer: None)
    solved.codes[1][solved.codes[1] == 3] = 4
    monkeypatch.setattr("endgame_core.tables.library.prove", lambda *_: None)  # as written by an older version
    empty_library.write("KQvK", solved)
    assert verify(empty_library, "KQvK", samples=400).mismatch is not None


@pytest.mark.slow
def test_a_verification_accepts_correct_tables(library: Library) -> None:
    for ending in ("KQvK", "KBNvK", "KQvKR"):
        found = verify(library, ending, samples=200)
        assert (found.positions, found.mismatch) == (200, None)


def test_a_plan_begins_with_sub_endings(empty_library: Library) -> None:
    plan = empty_library.planner.plan(["KQRvKQ"])
    assert plan[-1] == "KQRvKQ" and "KQvK" not in plan
    for place, ending in enumerate(plan):
        assert set(CHESS.needs(ending)) <= {*plan[:place], "KQvK", "KRvK"}


@pytest.mark.parametrize("ending", ["KQvK", "KQvKR", "KBBvK", "KRvKN", "KNNvK", "KPvK", "KPvKP", "KPPvK"])
def test_every_place_of_a_layer_is_found_again(ending: str, explorer: Chess) -> None:
    rng = random.Random(7)
    for winner, family in explorer.layers(ending).families.items():
        for layer in family:
            if layer.canonical:
                number = rng.randint(1, layer.canonical)
                board = explorer.nth(ending, winner, layer.n, number)
                place = explorer.locate(board)
                assert (place.winner, place.n, place.number, place.total) == (
                    winner, layer.n, number, layer.canonical,
                )  # fmt: skip
                assert explorer.probe(board).depth == layer.n


def test_steps_within_a_layer_count_its_positions_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of six men are millions: a key must not read them all again."""
    explorer = Chess(CHESS, Library(CHESS, library.root))
    counted: list[int] = []
    per_frame = Counts.per_frame
    monkeypatch.setattr(Counts, "per_frame", lambda self, stored: counted.append(stored) or per_frame(self, stored))
    for number in range(1, 40, 4):
        board = explorer.nth("KQvKR", "white", 9, number)
        assert explorer.locate(board).number == number
    assert len(counted) == 1


@pytest.mark.parametrize(
    "fen",
    [
        "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1",
        "8/8/1r6/8/3k4/8/8/K1Q5 b - - 0 1",
        "8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1",
        "8/8/8/3k4/8/3K4/8/B6N w - - 0 1",
        "8/8/8/6k1/8/8/1P4K1/8 w - - 0 1",
        "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1",
    ],
)
def test_depths_of_a_line_fall_by_one_and_end_in_mate(fen: str, explorer: Chess) -> None:
    board = chess.Board(fen)
    depth = explorer.probe(board).depth
    line = Judge(explorer).line(board).steps
    assert depth is not None
    assert [step.verdict and step.verdict.depth for step in line] == list(range(depth - 1, -1, -1))
    assert line[-1].after.is_checkmate()


def test_moves_are_graded_best_first(explorer: Chess) -> None:
    moves = by_depth(explorer, chess.Board("8/7K/5k2/8/8/4Q3/8/8 w - - 0 1"))
    assert [(m.san, m.layer, m.grade) for m in moves[:2]] == [("Qe4", 6, "best"), ("Kg8", 8, "slower")]
    assert moves[1].later == 2 and moves[-1].grade == "draw"
    assert len([m for m in moves if m.grade == "slower"]) == 23


def test_previous_positions_lead_here(explorer: Chess) -> None:
    board = chess.Board("8/7K/5k2/8/8/4Q3/8/8 w - - 0 1")
    found = explorer.previous(board)
    assert [(p.layer, p.best, p.gave_up) for p in found] == [(8, True, 0)] * 3 + [(16, False, 8)] * 3
    for p in found:
        assert CHESS.play(p.position, p.move).board_fen() == board.board_fen()


@pytest.mark.parametrize(
    ("fen", "place"),
    [
        ("8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", ("black", 19, 0)),
        ("8/8/7k/8/3Pp3/8/7K/8 b - - 0 1", (None, None, 1)),
        ("8/7k/8/3pP3/8/7K/8/8 w - d6 0 1", ("white", 19, 0)),
        ("8/8/8/8/1pP5/1K6/8/7k b - c3 0 1", (None, None, 0)),
    ],
)
def test_en_passant_decides_the_layer(fen: str, place: tuple[str | None, int | None, int], explorer: Chess) -> None:
    board = chess.Board(fen)
    found, verdict = explorer.locate(board), explorer.probe(board)
    assert (found.winner, found.n, min(found.number, 1)) == place
    assert (found.winner, found.n) == (verdict.winner, verdict.depth)
    assert found.total == explorer.count("KPvKP", found.winner, found.n, found.side)


def test_en_passant_without_effect_keeps_the_place(explorer: Chess) -> None:
    board = chess.Board("8/8/8/1k6/3Pp3/8/8/4K3 b - d3 0 1")
    without = chess.Board("8/8/8/1k6/3Pp3/8/8/4K3 b - - 0 1")
    assert board.has_legal_en_passant() and explorer.code(board) == explorer.code(without)
    assert explorer.locate(board) == explorer.locate(without) and explorer.locate(board).number


def test_the_reason_counts_equally_good_and_losing_moves(explorer: Chess) -> None:
    def reason(fen: str) -> str:
        message = why(Judge(explorer).probe(chess.Board(fen)), CHESS)
        return f"{message.heading}  {message.sentence}"

    assert reason("7K/6Q1/8/8/2k5/8/8/8 w - - 0 1") == (
        "S19 → S18  22 of 24 moves are equally good; only Qc3+ and Qd4+ throw away the win."
    )
    assert reason("8/8/8/8/8/8/8/K1Qk4 b - - 0 1") == "Draw  Only Kxc1 holds; Ke2 loses."
    assert "Checkmate: White has won" in reason("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")


def test_places_that_do_not_exist_are_refused(explorer: Chess) -> None:
    for n, number in ((99, 1), (19, 2), (19, 0), (-3, 1), (999, 1)):
        with pytest.raises(LayerError):
            explorer.nth("KQvK", "white", n, number)


def test_an_error_for_a_missing_table_names_the_command(empty_library: Library) -> None:
    with pytest.raises(NotBuiltError, match="endgame-tui build KQvKR"):
        Explorer(CHESS, empty_library).probe(chess.Board("8/8/1r6/8/3k4/8/8/K1Q5 b - - 0 1"))
    with pytest.raises(EndgameError, match="7 pieces"):
        Explorer(CHESS, empty_library).probe(chess.Board("8/8/1r6/8/3k4/8/QQQQ4/K7 w - - 0 1"))


def test_a_broken_link_is_not_a_table(empty_library: Library) -> None:
    empty_library.directory.mkdir(parents=True)
    empty_library.path("KBvK").symlink_to("gone")
    with pytest.raises(NotBuiltError, match="build KBvK"):
        empty_library.table("KBvK")


@pytest.mark.slow
def test_the_expected_number_of_positions_is_right(library: Library, dtz_library: Library) -> None:
    for built in (library, dtz_library):
        for ending in built.built():
            assert built.game.expected_positions(ending) == built.entry(ending).positions
    assert all(CHESS.expected_positions(ending) < 2 * CHESS.index.slots(ending) for ending in CHESS.endings())


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KBBvKN", "KNNvKP", "KQQQvK"])
def test_the_expected_number_of_five_piece_positions_is_right(ending: str) -> None:
    kept = (word for side in range(2) for word in CHESS.solver.canonical_bits(ending, side, 1))
    assert CHESS.expected_positions(ending) == sum(int(word).bit_count() for word in kept)


@pytest.mark.parametrize("wide", [False, True])
def test_counts_are_stored_as_written(wide: bool) -> None:
    """Frames that hold nothing, and numbers of three bytes, among them."""
    rng = np.random.default_rng(3)
    frames = [np.zeros(0, np.int64), *(rng.integers(0, 1 << 18, 300 if wide else 200) for _ in range(5))]
    for frame in frames:
        frame[rng.random(len(frame)) < 0.7] = 0
    frames.insert(3, np.zeros(0, np.int64))
    kind = "<u2" if wide else "u1"
    tallies = [(np.flatnonzero(frame).astype(kind), frame[frame > 0].astype(np.uint32)) for frame in frames]
    joined = Counts.from_tallies(tallies)
    for counts in (joined, Counts.parse(joined.to_bytes(), len(frames), wide)):
        assert counts.positions_per_frame.tolist() == [int(frame.sum()) for frame in frames]
        for number, frame in enumerate(frames):
            stored, numbers = counts.tally_of(number)
            assert dict(zip(stored.tolist(), numbers.tolist(), strict=True)) == {
                code: count for code, count in enumerate(frame.tolist()) if count
            }
        assert counts.per_frame(150).tolist() == [int(frame[150]) if len(frame) else 0 for frame in frames]
