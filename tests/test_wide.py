"""Wide tables: codes of two bytes where a byte does not hold the values of an ending, told against narrow ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endgame_core.chess import metrics
from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.chess.solver import blocks, needs
from endgame_core.errors import TableError
from endgame_core.game import Room, Wanted
from endgame_core.tables import find
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.file import MAGIC, WIDE, Table
from endgame_core.tables.find import Query
from endgame_core.tables.library import Library

_LAST = 9
"""The last pass of a solve that a byte is said to hold here."""


@pytest.fixture
def short_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every ending is solved plane by plane, and bytes are said to hold next to nothing."""

    def is_held(ending: str, metric: str, number: int, side: int) -> bool:
        return number <= _LAST

    def in_planes(ending: str, memory: int) -> bool:
        return True

    monkeypatch.setattr(metrics, "is_held", is_held)
    monkeypatch.setattr(needs, "in_planes", in_planes)


def made(source: Library, target: Library, ending: str) -> None:
    """Solves an ending plane by plane, from the tables of one library, and writes it in another one."""
    game = target.game
    deep = any(source.deepest(need) >= _LAST for need in game.needs(ending))
    room = Room(needs.needs(ending, game.metric, deep).least, target.work_file(ending), (), deep)

    def look(name: str, side: int, wanted: Wanted = ()) -> object:
        return source.read_side(name, side, 2, wanted)

    found = game.solver.solve(ending, look, 2, lambda _: None, room)
    target.write(ending, found)
    found.done()


def same(narrow: Library, wide: Library, ending: str) -> None:
    """Compares all that two tables hold and count."""
    old, new = narrow.table(ending), wide.table(ending)
    assert new.wide and not old.wide and new.path.read_bytes()[:8] == WIDE
    assert new.positions == old.positions and new.check() == new.frames
    for side in range(2):
        lifted = np.array(old.meaning(side), np.uint16)[old.all_stored(side, 0)]
        assert np.array_equal(new.all_stored(side, 0), lifted), ending
        assert new.used(side) == old.used(side)
        for code in new.used(side):
            assert new.canonical(side, code) == old.canonical(side, code)
            assert new.boards(side, code) == old.boards(side, code)
            assert sum(new.frame_counts(side, code)) == old.canonical(side, code)


@pytest.mark.usefixtures("short_bytes")
def test_exits_of_another_code_with_the_same_low_byte_are_not_due(
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


@pytest.mark.usefixtures("short_bytes")
@pytest.mark.parametrize("game", [CHESS, CHESS_DTZ])
@pytest.mark.slow
def test_sub_endings_may_be_wide_or_not(
    game: ChessGame, library: Library, dtz_library: Library, tmp_path: Path
) -> None:
    """KRvKN is made wide, which leads into narrow ones; then KNvKP from it and from narrow ones.

    KNvKP comes to a slice whose pawn moves are worth what no byte is said to hold.
    """
    narrow = library if game is CHESS else dtz_library
    wide = Library(game, tmp_path, shared=[narrow.directory])
    made(narrow, wide, "KRvKN")
    same(narrow, wide, "KRvKN")
    made(wide, wide, "KNvKP")
    same(narrow, wide, "KNvKP")


def _counted(library: Library, asked: str) -> int:
    """How many positions are as asked, in this process."""
    finder = find._Finder(Query(library, "KQvKB", asked), 1, False)
    finder._say = lambda *_: None  # type: ignore[method-assign]
    return finder.run(None)


@pytest.mark.usefixtures("short_bytes")
@pytest.mark.slow
def test_all_is_told_of_a_wide_table_as_of_a_narrow_one(library: Library, tmp_path: Path) -> None:
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
    assert wide.verify("KQvKB", samples=100).mismatch is None
    asked = "white to move and depth >= 29 and white king on edge"
    found = [_counted(tables, asked) for tables in (library, wide)]
    assert found[0] == found[1] > 0
    before, after = wide.compact("KQvKB")
    assert after < before and wide.table("KQvKB").form == "compact"
    same(library, wide, "KQvKB")


def test_a_table_that_says_it_is_wide_and_is_not_is_refused(library: Library, tmp_path: Path) -> None:
    path = library.path("KQvKB")
    for magic in (MAGIC, WIDE):
        copy = tmp_path / "KQvKB.egt"
        copy.write_bytes(magic + path.read_bytes()[8:])
        copies = partial(CHESS.index.arrays().copies_in, "KQvKB")
        if magic == WIDE:
            with pytest.raises(TableError, match="has a corrupt header"):
                Table(copy, copies)
        else:
            assert Table(copy, copies).positions == library.table("KQvKB").positions
