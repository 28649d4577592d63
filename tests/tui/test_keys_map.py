"""Every key of the map of a piece, with both boards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core import judge
from endgame_core.chess.game import CHESS_DTZ
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.square_map import Placing
from endgame_core.words.missing_tables import other_metric_in_explore

from .key_walk import MILL, crumbs, panel_text, position, question_text, type_and_wait, walking
from .terminal_text import message_text, press, rows, says, text, within

Stones = Explorer[Position, MorrisMove]
PAWN = "8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"
SMALL, LARGE = (40, 20), (120, 40)


def head(pilot: Any) -> str:
    """Whose map it is, and who is to move."""
    name, mover = within(pilot, "#legend")[:2]
    return f"{name.strip()}, {mover.strip(' ○●')}"


def row(pilot: Any, rank: int) -> str:
    """A rank of the board, as printed at 80x24."""
    return next(row for row in within(pilot, "#board") if row.strip().startswith(f"{rank} "))


async def test_the_map_shows_the_key_squares_of_a_king(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign")
        assert rows(pilot)[0].startswith(" Map ▸ KPvK ▸ White pawn e2 ")
        assert head(pilot) == "White pawn e2, White to move"
        assert row(pilot, 8).split()[1:] == ["×"] * 8 == row(pilot, 1).split()[1:]
        await press(pilot, "up")
        assert head(pilot) == "White king e3, White to move"
        assert row(pilot, 4).split()[1:] == ["=", "=", "+41", "★37", "★37", "★37", "+41", "="]
        assert panel_text(pilot, "below").startswith("e3  White to move: mate in 19, 37 plies; Black to move: draw.")


@pytest.mark.slow
async def test_enter_moves_the_piece_and_u_undoes_it(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "up", "up", "enter")
        assert head(pilot) == "White king e4, White to move"
        await press(pilot, "u")
        assert head(pilot) == "White king e3, White to move"
        await press(pilot, "u")
        assert message_text(pilot) and head(pilot).startswith("White king e3")
        await press(pilot, "U", "U")
        assert message_text(pilot) and head(pilot).startswith("White king e4")
        await press(pilot, "escape")
        assert position(pilot) == "8/8/4k3/8/4K3/8/4P3/8 w - - 0 1" and "[♔" in row(pilot, 4)
        await press(pilot, "u")
        assert position(pilot) == PAWN


@pytest.mark.slow
async def test_t_changes_the_side_to_move(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "up", "t")
        assert head(pilot) == "White king e3, Black to move"
        assert row(pilot, 3).split()[3:6] == ["=", "=", "[♔︎"]  # with White to move he wins there
        await press(pilot, "right", "enter", "equals_sign")
        assert position(pilot) == "8/8/4k3/8/8/5K2/4P3/8 b - - 0 1"


@pytest.mark.slow
async def test_z_changes_the_metric_of_the_map(dtz_library: Library) -> None:
    async with walking(dtz_library.root, "8/8/2r5/8/4k3/8/8/3QK3 w - - 0 1", (80, 24)) as pilot:
        await press(pilot, "equals_sign")
        assert "(DTM)" in text(pilot)
        before = row(pilot, 2).split()[1:]
        await press(pilot, "z")
        assert "(DTZ)" in text(pilot) and row(pilot, 2).split()[1:] != before
        await press(pilot, "z")
        assert "(DTM)" in text(pilot) and row(pilot, 2).split()[1:] == before


async def test_z_without_a_table_of_the_other_metric_is_refused(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "z")
        assert says(pilot, other_metric_in_explore("KPvK", CHESS_DTZ.metric, "z")) and "(DTM)" in text(pilot)


async def test_tab_goes_from_piece_to_piece(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "tab")
        assert head(pilot).startswith("White king")
        await press(pilot, "tab")
        assert head(pilot).startswith("Black king e6") and "−33" in row(pilot, 8)
        await press(pilot, "shift+tab", "shift+tab")
        assert head(pilot).startswith("White pawn")


async def test_a_held_piece_passes_over_other_pieces(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "up", "enter", "down")
        assert head(pilot) == "White king e3, held, White to move"
        assert panel_text(pilot, "below").startswith("e2  ") and "Enter selects the pawn" in text(pilot)
        await press(pilot, "escape")
        assert head(pilot) == "White king e3, White to move"
        await press(pilot, "escape")
        assert crumbs(pilot)[0] == "KPvK"


async def test_an_impossible_square_has_a_reason(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "up", "up", "up")
        why = panel_text(pilot, "below").strip().removeprefix("e5  ")
        await press(pilot, "enter")
        assert message_text(pilot) == why != "" and head(pilot).startswith("White king e3")


async def test_f_turns_the_map(library: Library) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "up")
        before = row(pilot, 4).split()[1:]
        await press(pilot, "f")
        assert row(pilot, 4).split()[1:] == before[::-1] and within(pilot, "#board")[1].strip().startswith("1")


@pytest.mark.slow
async def test_the_map_shows_places_of_a_stone(morris: Stones) -> None:
    async with walking(morris.library.root, MILL, (80, 24)) as pilot:
        await press(pilot, "equals_sign")
        first = head(pilot)
        assert first.endswith(", White to move") and first.startswith("White stone ")
        await press(pilot, "tab")
        assert head(pilot) != first and "White wins" in text(pilot)
        await press(pilot, "enter", "left", "t")
        assert ", held, Black to move" in head(pilot)
        await press(pilot, "escape", "escape")
        assert crumbs(pilot)[:3] == ["3-4", "White wins", "S25"]


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["40x20", "120x40"])
async def test_the_map_fits_other_sizes(library: Library, size: tuple[int, int]) -> None:
    async with walking(library.root, PAWN, size) as pilot:
        await press(pilot, "equals_sign", "up", "up")
        assert "★37" in text(pilot)
        if size == SMALL:
            assert [row.split() for row in within(pilot, "#legend")[:3]] == [["★", "3"], ["+", "9"], ["=", "42"]]
            assert panel_text(pilot, "below").strip() == "e4: ○ mate in 19; ● mated in 18."
        await pilot.resize_terminal(80, 24)
        await press(pilot, "up")
        assert head(pilot) == "White king e3, White to move"


async def test_without_a_table_the_map_offers_to_build_one(tmp_path: Path) -> None:
    async with walking(tmp_path, "8/8/4k3/8/8/4K3/4R3/4n3 w - - 0 1", (80, 24)) as pilot:
        await press(pilot, "escape", "equals_sign")
        assert "KRvKN" in question_text(pilot) and "Map" not in rows(pilot)[0]


async def test_with_stones_in_hand_the_map_is_refused(tmp_path: Path) -> None:
    async with walking(tmp_path, "O7/2X5/8 w 8-8", (80, 24)) as pilot:
        await press(pilot, "escape", "equals_sign")
        assert "Map" not in rows(pilot)[0] and message_text(pilot)


async def test_the_pieces_are_shown_while_values_are_computed(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        monkeypatch.setattr(judge, "WAIT_SECONDS", 0.0)
        await pilot.press("equals_sign")
        await press(pilot, "up")
        assert "★37" in row(pilot, 4)


@pytest.mark.slow
async def test_the_map_survives_other_screens_and_closes_with_another_game(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []
    find = Placing[Any, Any].find

    def counted(placing: Placing[Any, Any]) -> None:
        found.append(placing.man)
        find(placing)

    monkeypatch.setattr(Placing, "find", counted)
    async with walking(library.root, PAWN, (80, 24)) as pilot:
        await press(pilot, "equals_sign", "2", "1")
        assert rows(pilot)[0].startswith(" Map")
        assert len(found) == 1  # a map is found out once
        await press(pilot, "2")
        await type_and_wait(pilot, "KRvK", "slash")
        await press(pilot, "enter")
        assert crumbs(pilot)[0] == "KRvK"
        await press(pilot, "equals_sign", "G")
        assert "Map" not in rows(pilot)[0] and "3-3" in rows(pilot)[0]
        await press(pilot, "G")
        assert crumbs(pilot)[0] == "KRvK"
