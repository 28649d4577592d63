"""Tables with codes of two bytes, for values that a byte cannot hold, compared with tables of one byte."""

from __future__ import annotations

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock

from endgame_core.chess import metrics
from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.chess.solver import blocks, needs, solve, waves
from endgame_core.game import DigitFilter, SolverBudget
from endgame_core.tables import archive as archives
from endgame_core.tables import find, survey
from endgame_core.tables.archive import export, import_archive
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.find import Query
from endgame_core.tables.lean import LeanTable, prove
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.values import DRAW

_LAST = 9
"""The last pass of a solve that a byte is said to hold here."""


@pytest.fixture
def short_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ending is solved plane by plane, and bytes are said to hold next to nothing."""
    _shorten_bytes(monkeypatch)


def _shorten_bytes(patch: pytest.MonkeyPatch) -> None:
    def is_held(ending: str, metric: str, number: int, side: int) -> bool:
        return number <= _LAST

    def in_planes(ending: str, memory: int) -> bool:
        return True

    patch.setattr(metrics, "is_held", is_held)
    patch.setattr(needs, "in_planes", in_planes)


def made(source: Library, target: Library, ending: str, deep: bool | None = None, tell: Any = lambda _: None) -> None:
    """Solves an ending plane by plane, from the tables of one library, and writes it in another one."""
    game = target.game
    if deep is None:
        deep = any(source.deepest(need) >= _LAST for need in game.needs(ending))
    room = SolverBudget(needs.needs(ending, game.metric, deep).least, target.files.work_file(ending), (), deep)

    def look(name: str, side: int, wanted: DigitFilter = ()) -> object:
        return source.read_side(name, side, 2, wanted)

    found = game.solver.solve(ending, look, 2, tell, room)
    target.write(ending, found)
    found.done()


def same(narrow: Library, wide: Library, ending: str) -> None:
    """Compares all that two tables hold and count."""
    old, new = narrow.table(ending), wide.table(ending)
    assert new.wide and not old.wide
    assert new.positions == old.positions and new.check() == new.frame_count
    for side in range(2):
        lifted = np.array(old.stored_codes(side), np.uint16)[old.all_stored(side, 0)]
        assert np.array_equal(new.all_stored(side, 0), lifted), ending
        assert new.used_codes(side) == old.used_codes(side)
        for code in new.used_codes(side):
            assert new.canonical(side, code) == old.canonical(side, code)
            assert new.boards(side, code) == old.boards(side, code)
            assert sum(new.frame_counts(side, code)) == old.canonical(side, code)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("short_bytes")
def test_exits_with_the_same_low_byte_are_not_confused(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A win in 511 - d plies looks in the column of losses in d by exit: nothing there is a win, however late it is."""
    late: list[list[int]] = []
    solve_part = blocks.Planes.solve_part

    def longer(planes: blocks.Planes, *given: Any) -> None:
        solve_part(planes, *given)
        won, _, before = planes.layers
        for number in range(440, 512):
            late.append(planes.run_pass(number, *((before, won) if number % 2 else (won, before))))

    monkeypatch.setattr(blocks.Planes, "solve_part", longer)
    made(library, Library(CHESS, tmp_path), "KRBvK")
    assert late == [[0, 0]] * 72


def _counted(library: Library, ending: str, asked: str) -> int:
    """How many positions are as asked, in this process."""
    finder = find._Finder(Query(library, ending, asked), 1)
    finder._report = lambda *_, **__: None  # type: ignore[method-assign]
    return finder.run(None)


@pytest.mark.usefixtures("short_bytes")
@pytest.mark.exhaustive
def test_a_wide_table_answers_everything_a_narrow_one_does(library: Library, tmp_path: Path) -> None:
    wide = Library(CHESS, tmp_path, shared=[library.directory])
    made(library, wide, "KQvKB")
    same(library, wide, "KQvKB")
    old, new = Explorer(CHESS, library), Explorer(CHESS, wide)
    assert new.layers("KQvKB") == old.layers("KQvKB")
    assert wide.entry("KQvKB").longest == library.entry("KQvKB").longest == 17
    for winner, n, number in (("white", 33, 1), ("white", 20, 77), ("white", 1, 5), (None, None, 9)):
        board = old.nth("KQvKB", winner, n, number)
        assert new.nth("KQvKB", winner, n, number) == board
        assert new.probe(board) == old.probe(board) and new.locate(board) == old.locate(board)
        told = [[(p.san, p.verdict, p.best, p.gave_up) for p in one.previous(board)] for one in (old, new)]
        assert told[0] == told[1]
    assert verify(wide, "KQvKB", samples=100).mismatch is None
    asked = "white to move and depth >= 29 and white king on edge"
    found = [_counted(tables, "KQvKB", asked) for tables in (library, wide)]
    assert found[0] == found[1] > 0
    before, after = wide.disk.compact("KQvKB")
    assert after < before and wide.table("KQvKB").form == "compact"
    same(library, wide, "KQvKB")


@pytest.fixture(scope="session")
def wide_pair(shared: Path, library: Library) -> Library:
    """KRvKN is wide, which leads into narrow tables, and KNvKP, which leads into it.

    KNvKP comes to a slice whose pawn moves are worth what no byte is said to hold.
    """
    wide = Library(CHESS, shared / "wide", shared=[library.directory])
    with FileLock(shared / "wide.lock"), pytest.MonkeyPatch.context() as patch:
        _shorten_bytes(patch)
        for ending in ("KRvKN", "KNvKP"):
            if not wide.table(ending).wide:
                made(wide, wide, ending)
    return wide


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["KRvKN", "KNvKP"])
def test_sub_endings_may_be_wide_or_not(ending: str, library: Library, wide_pair: Library) -> None:
    same(library, wide_pair, ending)


@pytest.mark.usefixtures("short_bytes")
@pytest.mark.exhaustive
def test_sub_endings_may_be_wide_or_not_by_dtz(dtz_library: Library, tmp_path: Path) -> None:
    wide = Library(CHESS_DTZ, tmp_path, shared=[dtz_library.directory])
    made(dtz_library, wide, "KRvKN")
    same(dtz_library, wide, "KRvKN")
    made(wide, wide, "KNvKP")
    same(dtz_library, wide, "KNvKP")


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["KRvKN", "KNvKP"])
def test_surveys_of_wide_and_narrow_tables_are_equal(ending: str, library: Library, wide_pair: Library) -> None:
    found = [survey.make(tables, ending, 2, lambda _: None) for tables in (library, wide_pair)]
    assert found[0].table != found[1].table
    assert replace(found[1], table=found[0].table) == found[0]
    assert any(found[0].zugzwangs.values()) and len(found[0].kinds) > 3


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["KRvKN", "KNvKP"])
def test_queries_about_moves_find_the_same_in_wide_tables(ending: str, library: Library, wide_pair: Library) -> None:
    for asked in ("only move and won", "best moves >= 3 and depth >= 15", "hanging and best move is capture"):
        found = [_counted(tables, ending, asked) for tables in (library, wide_pair)]
        assert found[0] == found[1] > 0, asked


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["KRvKN", "KNvKP"])
def test_a_wide_table_has_a_one_sided_form(ending: str, library: Library, wide_pair: Library, tmp_path: Path) -> None:
    """What is derived, position by position, frame by frame and as a whole, is what both sides stored; and back."""
    lean = Library(CHESS, tmp_path, shared=[wide_pair.directory, library.directory])
    lean.directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(wide_pair.path(ending), lean.path(ending))
    before, after = lean.disk.compact(ending, form="lean")
    table, full = lean.table(ending), library.table(ending)
    assert isinstance(table, LeanTable) and table.wide and table.form == "lean"
    assert after < before
    side = table.derived
    kept = np.flatnonzero(np.unpackbits(CHESS.solver.canonical_bits(ending, side, 2).view(np.uint8), bitorder="little"))
    slots = np.sort(np.random.default_rng(3).choice(kept, 500))
    expected = full.codes(side, slots)
    assert np.array_equal(table.codes(side, slots), expected)
    assert [table.code(side, int(slot)) for slot in slots[::20]] == expected[::20].tolist()
    lifted = np.array(full.stored_codes(side), np.uint16)
    assert np.array_equal(lean.read_side(ending, side, 2)[kept], lifted[full.all_stored(side, 0)][kept])
    frame = int(table.place(side, int(slots[0]))[0])
    codes, here = table.unpacked_frame(side, frame)
    assert np.array_equal(codes[here], full.codes(side, table.tilings[side].slots(frame)[here]))
    assert verify(lean, ending, samples=50).mismatch is None
    among, proved = lean.with_file(lean.path(ending))
    prove(proved, among)
    lean.disk.compact(ending, form="full")
    same(library, lean, ending)


@pytest.mark.exhaustive
def test_layers_of_a_wide_table_are_exported_and_imported(library: Library, wide_pair: Library, tmp_path: Path) -> None:
    """Layers that bytes hold make a table of bytes; one that they do not hold is no layer of this ending."""
    archive = tmp_path / "KRvKN.zip"
    export(wide_pair, "KRvKN", archive)
    own = Library(CHESS, tmp_path, shared=[library.directory])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(archives, "is_byte", lambda code: code in range(_LAST) or code == DRAW)
        found = import_archive(own, archive, force=True, seed=1)
    assert found.compared > 0.99 * found.positions
    same(library, own, "KRvKN")
    import_archive(own, archive, force=True, samples=1, seed=1)
    assert own.table("KRvKN").path.read_bytes() == library.table("KRvKN").path.read_bytes()


def _short_waves(patch: pytest.MonkeyPatch, last: int) -> list[bool]:
    """Several pawns are solved in waves, a few slices at a time; bytes are said to hold passes up to the last one.

    Tells in which form slices are solved: in bytes, then in codes.
    """
    tried: list[bool] = []
    in_waves = solve._in_waves

    def counted(work: Any, room: Any, finished_parts: Any, wide: bool) -> Any:
        tried.append(wide)
        return in_waves(work, room, finished_parts, wide)

    _shorten_bytes(patch)
    patch.setattr(metrics, "is_held", lambda ending, metric, number, side: number <= last)
    patch.setattr(solve, "_pass_limit", lambda work: last + 1)
    patch.setattr(solve, "_in_waves", counted)
    patch.setattr(needs, "HELD", 1 << 20)
    return tried


_WAVES = [(CHESS, "KPPvK", 30), (CHESS, "KPvKP", 9), (CHESS_DTZ, "KPPvK", 24), (CHESS_DTZ, "KPvKP", 9)]


@pytest.mark.parametrize(("game", "ending", "last"), _WAVES)
@pytest.mark.exhaustive
def test_waves_continue_in_codes_where_bytes_are_too_small(
    game: ChessGame, ending: str, last: int, library: Library, dtz_library: Library, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    narrow = library if game is CHESS else dtz_library
    wide = Library(game, tmp_path, shared=[narrow.directory])
    tried = _short_waves(monkeypatch, last)
    made(narrow, wide, ending, deep=False)
    assert tried == [False, True]
    same(narrow, wide, ending)


@pytest.mark.exhaustive
def test_waves_begin_in_codes_below_a_wide_table(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KQvKP is wide, which KPvKP leads into; from there, where bytes do hold all, the file is that of bytes."""
    wide = Library(CHESS, tmp_path, shared=[library.directory])
    with monkeypatch.context() as patch:
        tried = _short_waves(patch, _LAST)
        made(library, wide, "KQvKP")
        made(wide, wide, "KPvKP")
        assert tried == [True]
        same(library, wide, "KPvKP")
    made(wide, wide, "KPvKP", deep=True)
    assert wide.path("KPvKP").read_bytes() == library.table("KPvKP").path.read_bytes()


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process is forked, and killed")
@pytest.mark.parametrize("killed", [100, 300, 500])
def test_killed_waves_are_resumed(
    killed: int, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they were at bytes, or at codes: what is done is not solved again, and the table is the same."""
    wide = Library(CHESS, tmp_path, shared=[library.directory])
    tried = _short_waves(monkeypatch, 30)

    def kill(progress: Any) -> None:
        if progress.done >= killed:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if not child:
        made(library, wide, "KPPvK", deep=False, tell=kill)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert wide.files.work_file("KPPvK").exists()
    known: list[int] = []
    solve_waves = waves.Waves._solve_waves

    def noted(self: waves.Waves) -> bool:
        known.append(len(self.log.numbers(0)) if self.log else 0)
        return solve_waves(self)

    monkeypatch.setattr(waves.Waves, "_solve_waves", noted)
    made(library, wide, "KPPvK", deep=False)
    assert known[0] > killed - 200 and tried == [False, True]
    same(library, wide, "KPPvK")
    assert not wide.files.work_file("KPPvK").exists()
