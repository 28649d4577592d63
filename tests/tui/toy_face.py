"""How the third game of :mod:`tests.toy_game` looks on a screen: a row of pearls, of which the last ones are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from textual.geometry import Size

from endgame_tui.faces import BoardLayout, Face, InputStep, Label, MoveInput, PositionView
from endgame_tui.look import Ink, Look

ROW = 16
"""Pearls in a row of the board."""


class ToyMoveInput(MoveInput):
    """The first pearl to be taken is pointed at."""

    def choose(self, position: int, moves: Sequence[int], point: int) -> InputStep:
        left = (position >> 1) - point
        return InputStep((left,)) if left in moves else InputStep(refusal="take one, two or three pearls from the end.")


@dataclass(frozen=True, slots=True)
class Table:
    """How large the pearls are drawn."""

    columns: int = 2 * ROW
    rows: int = 8
    large: bool = False


@dataclass(frozen=True, slots=True)
class Pearls:
    """The pearls that are left, and what taking leads to."""

    heap: int
    cursor: int | None = None
    labels: Mapping[int, Label] = field(default_factory=dict[int, Label])

    def paint(self, layout: Any, look: Look) -> list[list[Ink]]:
        def pearl(point: int) -> str:
            if point == self.cursor:
                return "[]"
            return "* " if point in self.labels else "o " if point < self.heap else "  "

        style = look.palette("text")
        return [[(pearl(ROW * y + x), style) for x in range(ROW)] for y in range(layout.rows)]

    def edge_labels(self, layout: Any) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        return [(y, str(y)) for y in range(layout.rows)], []

    def point_at(self, x: int, y: int, layout: Any) -> int | None:
        return ROW * y + x // 2 if 0 <= x < layout.columns and 0 <= y < layout.rows else None

    def neighbour(self, point: int | None, columns: int, rows: int) -> int:
        return ((point or 0) + columns + ROW * rows) % (8 * ROW)


class ToyFace(Face):
    """Pearls."""

    game = "pearls"
    name = "Pearls"

    def new_move_input(self) -> ToyMoveInput:
        return ToyMoveInput()

    def board_layout(self, size: Size, coloured: bool) -> tuple[BoardLayout, int]:
        return Table(), 2

    def compact_layout(self, coloured: bool) -> tuple[BoardLayout, int]:
        return Table(), 2

    def board_view(self, position: int, moves: Sequence[int] = (), view: PositionView | None = None) -> Pearls:
        view = view or PositionView()
        rated = {(position >> 1) - move: label for move, label in view.rated_moves}
        return Pearls((position or 0) >> 1, view.cursor, rated)

    def initial_cursor(self, position: int, moves: Sequence[int]) -> int:
        return max(0, (position >> 1) - 1)

    def has_piece(self, position: int, point: int) -> bool:
        return point < position >> 1

    def endpoints(self, move: int) -> tuple[int | None, int]:
        return None, move
