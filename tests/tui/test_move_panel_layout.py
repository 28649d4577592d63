"""How groups of moves share the rows of a panel, in every shape and at every size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size

from endgame_core.words.position import MoveGroup
from endgame_tui.look import UNICODE
from endgame_tui.widgets.moves import Shape, headed_shape, row_shape, slim_shape, wrapped_shape

groups = st.lists(st.integers(1, 30), min_size=1, max_size=9).map(
    lambda counts: [
        MoveGroup(f"S{n}", "best" if not n else "later", "text", tuple(f"Q{i:02}" for i in range(count)), best=not n)
        for n, count in enumerate(counts)
    ]
)


@pytest.mark.parametrize("shape", [headed_shape, row_shape, slim_shape, wrapped_shape])
@given(groups, st.integers(8, 40), st.data())
def test_the_cursor_is_always_in_sight(shape: Shape, found: list[MoveGroup], height: int, data: st.DataObject) -> None:
    total = sum(len(group.moves) for group in (found[:2] if shape is slim_shape else found))
    cursor = data.draw(st.integers(0, total - 1))
    pieces = shape(found, cursor, Size(30, height), UNICODE)
    assert len(pieces) <= height
    assert any(piece.first <= cursor < piece.first + len(piece.names) for piece in pieces)


@pytest.mark.parametrize("shape", [headed_shape, wrapped_shape])
def test_everything_is_shown_where_there_is_room(shape: Shape) -> None:
    group = MoveGroup("S18", "best", "win", tuple(f"Q{n:02}" for n in range(22)), best=True)
    pieces = shape([group], 0, Size(19, 50), UNICODE)
    assert sum(len(piece.names) for piece in pieces) == 22
    for piece in pieces:
        ends = [column + len(name) for column, name in zip(piece.columns, piece.names, strict=True)]
        assert (
            all(end < begin for end, begin in zip(ends, piece.columns[1:], strict=False)) and max(ends, default=0) < 20
        )
