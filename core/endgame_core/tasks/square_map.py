"""The square map of a piece: the value of the position for every square that the piece could stand on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import PositionEdit
from endgame_core.probe_result import QuickProbe
from endgame_core.tasks.editing import draft
from endgame_core.values import Category

if TYPE_CHECKING:
    from endgame_core.tasks.walk import Walk, WalkStep

P = TypeVar("P")
M = TypeVar("M")

_UNKNOWN = QuickProbe()


@dataclass(frozen=True, slots=True)
class SquareValue(Generic[P]):
    """The position with the piece on another square, and its value.

    Attributes:
        position: The position; None if it is illegal.
        why: Why it is illegal, one clause.
        glance: Its value for the side to move.
        category: Its value for the side of the piece; None if unknown.
        key: Whether it has the best value on the map whichever side is to move.
    """

    position: P | None = None
    why: str = ""
    glance: QuickProbe = _UNKNOWN
    category: Category | None = None
    key: bool = False


class Placing(Generic[P, M]):
    """The state of the square map: its piece, the cursor and the side to move. Moving the piece is a step of the walk.

    Everything else in the position stays the same: the other pieces, the half-move clock, the side to move (unless it
    is turned), and an en passant right as long as it remains meaningful.

    Args:
        walk: Provides the position, which has at least one piece.
        place: Square of the cursor; the map is that of the piece there, or of the first piece if it is empty.
    """

    def __init__(self, walk: Walk[P, M], place: int) -> None:
        self.walk = walk
        self.turned = False
        """Whether the side to move on the map is the other one than in the position."""
        self.held = False
        """Whether the piece is held: the cursor then passes over other pieces without selecting them."""
        self.man = self.cursor = place
        """Square of the piece whose map is shown, and square of the cursor."""
        self._cached_map: tuple[object, Mapping[int, SquareValue[P]]] = ((), {})
        if place not in self.men:
            self.man = self.cursor = self.men[0]

    @property
    def edit(self) -> PositionEdit:
        """An editable copy of the position, with the side to move of the map."""
        return _edit(self.walk.game, self.walk.position, self.turned)

    @property
    def men(self) -> list[int]:
        """Squares of the pieces, White's first."""
        edit = self.edit
        men = (place for place in edit.places if edit.man(place) is not None)
        return sorted(men, key=lambda place: (edit.side(place) != "white", place))

    # The map

    @property
    def _cache_key(self) -> tuple[WalkStep[P, M], int, bool]:
        return self.walk.step, self.man, self.turned

    @property
    def spots(self) -> Mapping[int, SquareValue[P]] | None:
        """The map by square, for all squares without another piece; None until :meth:`find` has computed it."""
        cache_key, result = self._cached_map
        if cache_key == self._cache_key:
            return result
        return None

    def find(self) -> None:
        """Compute the map; may be called in any thread."""
        if self.spots is not None:
            return

        # Read once: another thread may move the cursor while the map is computed.
        cache_key = self._cache_key
        step, man, is_turned = cache_key
        edit = _edit(self.walk.game, step.position, is_turned)
        free = [place for place in edit.places if place == man or edit.man(place) is None]
        result = {place: self._spot(edit, man, place) for place in free}
        if edit.has_keys(man):
            opposite = _edit(self.walk.game, step.position, not is_turned)
            keys = _keys(result, {place: self._spot(opposite, man, place) for place in free})
            result.update({place: replace(result[place], key=True) for place in keys})
        self._cached_map = cache_key, result

    def _spot(self, edit: PositionEdit, man: int, place: int) -> SquareValue[P]:
        """Move the piece from square ``man`` to square ``place`` and probe the position."""
        try:
            position: P = edit.position_with_man_moved(man, place)
        except PositionError as problem:
            return SquareValue(why=problem.what)
        probe = self.walk.judge.quick_probe(position)
        category = probe.category
        is_mover = self.walk.rules.mover(position) == edit.side(man)
        if category is not None and not is_mover:
            category = category.negated
        return SquareValue(position, "", probe, category)

    def both(self) -> list[tuple[str, SquareValue[P]]]:
        """The side to move and the value of the cursor's square, for the map's side to move and then the other.

        Empty if another piece stands on the square.
        """
        if self.cursor != self.man and self.cursor in self.men:
            return []
        edits = [self.edit, self.edit.turn()]
        mover = self.walk.rules.mover
        return [(mover(edit.preview), self._spot(edit, self.man, self.cursor)) for edit in edits]

    # Actions

    def point(self, place: int) -> None:
        """Move the cursor; select the piece there unless one is held."""
        self.cursor = place
        if not self.held and place in self.men:
            self.man = place

    def choose(self, place: int) -> str:
        """Move the piece to an empty square; on the piece itself, hold or release it; on another one, select that.

        Returns:
            Why the piece cannot stand there; empty on success.
        """
        self.cursor = place
        if place in self.men:
            self.held = place == self.man and not self.held
            self.man = place
            return ""
        spot = self._spot(self.edit, self.man, place)
        if spot.position is None:
            return spot.why
        self.walk.go(spot.position)
        self.man = place
        self.turned = False
        self.held = False
        return ""

    def next_man(self, by: int) -> None:
        """Select the next (or previous) piece, wrapping around."""
        men = self.men
        self.man = self.cursor = men[(men.index(self.man) + by) % len(men)]
        self.held = False

    def turn(self) -> None:
        """Give the other side the move on the map."""
        self.turned = not self.turned

    def let_go(self) -> bool:
        """Release a held piece; False if none is held."""
        was_held = self.held
        self.held = False
        return was_held

    def step(self, back: bool) -> bool:
        """Undo or redo a step of the walk and follow the piece; False if there is no such step."""
        old_places = self.men
        is_changed = self.walk.undo() if back else self.walk.redo()
        men = self.men
        if is_changed and self.man not in men:
            # The piece has moved: it is where no piece was before.
            self.man = self.cursor = next((place for place in men if place not in old_places), men[0])
        if is_changed:
            self.turned = False
        self.held = False
        return is_changed

    def forget(self) -> None:
        """Clear the cached map, after tables were built or deleted."""
        self._cached_map = (), {}


def _edit(game: str, position: Any, is_turned: bool) -> PositionEdit:
    """Create an editable copy of a position, with the other side to move if ``is_turned``."""
    edit = draft(game, position)
    return edit.turn() if is_turned else edit


def _keys(*maps: Mapping[int, SquareValue[Any]]) -> list[int]:
    """Squares that have the best value of two maps on both of them.

    There are none if the best value is a loss, or if all squares with a value on both maps would be key squares.
    """
    first, second = (
        {place: spot.category for place, spot in spots.items() if spot.category is not None} for spots in maps
    )
    best = max((*first.values(), *second.values()), key=lambda category: category.goodness, default=Category.LOSS)
    shared = first.keys() & second.keys()
    keys = [place for place in shared if first[place] is best and second[place] is best]
    if best is Category.LOSS or len(keys) == len(shared):
        return []
    return keys
