"""Files of Morris positions, and notes about mirrored copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.errors import StorageError
from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import POINTS, points_of
from endgame_core.morris.notation import retold
from endgame_core.morris.rules import Position, mask_of
from endgame_core.pgn import positions
from endgame_core.practice.studies import Studies

from .stones import moving, placing

NOTES = st.text(st.characters(exclude_categories=["C", "Z"]), max_size=20)


def stones(position: Position, side: int) -> set[str]:
    return {POINTS[point] for point in points_of(mask_of(position, side))}


@given(moving(), st.randoms(), st.booleans())
def test_a_note_names_the_points_of_the_copy(position: Position, rng: object, swapped: bool) -> None:
    copies = MORRIS.copies_of(MORRIS.with_colours_swapped(position) if swapped else position)
    copy = rng.choice(copies)  # type: ignore[attr-defined]
    note = f"White holds {' and '.join(sorted(stones(position, 0)))}; Black {', '.join(sorted(stones(position, 1)))}."
    white, _, black = retold(note, position, copy).partition(";")
    if "White" in black:
        white, black = black, white
    points = [{name for name in POINTS if name in text} for text in (white, black)]
    assert points == [stones(copy, 0), stones(copy, 1)]


def test_a_note_about_another_position_stays() -> None:
    told, other = MORRIS.parse("OXOOXX2/8/8 w"), MORRIS.parse("OO1O4/X6X/X7 w")
    assert retold("White a7", told, other) == "White a7"


@pytest.mark.slow
@given(st.lists(st.tuples(st.one_of(moving(), placing()), NOTES), max_size=6))
def test_a_file_of_positions_is_read_line_by_line(
    tmp_path_factory: pytest.TempPathFactory, listed: list[tuple[Position, str]]
) -> None:
    file = tmp_path_factory.mktemp("stones") / "positions.txt"
    file.write_text("\n\n".join(f"{MORRIS.format(position)} ; {note}" for position, note in listed), "utf-8")
    found = list(positions(file, MORRIS))
    assert [record.position for record in found] == [MORRIS.format(position) for position, _ in listed]
    assert [record.note for record in found] == [note for _, note in listed]
    assert [record.location for record in found] == [f"line {2 * number + 1}" for number in range(len(listed))]


def test_bad_lines_are_listed_and_own_positions_are_stored_apart_from_chess(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("nonsense\nOXOOXX2/8/8 w ; the longest\n4-3:99999999999999999999999\nOXOOXX2/8/8 w\n")
    done = Studies(MORRIS, tmp_path / "studies").import_records(positions(file, MORRIS), "Mine")
    assert [study.position for study in done.added] == ["OXOOXX2/8/8 w"] and done.added[0].note == "the longest"
    assert [refusal.where for refusal in done.refused] == ["line 1", "line 3", "line 4"]
    assert (tmp_path / "studies" / "morris" / "mine.json").exists()
    assert Studies(MORRIS, tmp_path / "studies").own()[0].studies == done.added
    with pytest.raises(StorageError, match="cannot be read"):
        positions(tmp_path / "none.txt", MORRIS)
