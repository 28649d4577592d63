"""The map of a man: for every place, what the position would be worth if he stood there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game import PositionEdit
from endgame_core.judge import QuickProbe
from endgame_core.tasks.editing import draft
from endgame_core.values import Category

if TYPE_CHECKING:
    from endgame_core.tasks.walk import Walk, WalkStep

P = TypeVar("P")
M = TypeVar("M")

_UNKNOWN = QuickProbe()


@dataclass(frozen=True, slots=True)
class SquareValue(Generic[P]):
    """What the position is if the man stands on a place.

    Attributes:
        position: The position; None where it cannot be.
        why: Why not, one clause.
        glance: What it is worth to the side to move.
        category: The same to the side of the man; None where it is not known.
        key: Whether nothing better is on the map, with either side to move; it is the same for both.
    """

    position: P | None = None
    why: str = ""
    glance: QuickProbe = _UNKNOWN
    category: Category | None = None
    key: bool = False


class Placing(Generic[P, M]):
    """What a user does with the map of a man; a man who is put elsewhere is a step of the walk.

    All else stays as it is: the other men, the half-move clock, who is to move unless that is turned; so does a right
    to capture en passant, as long as it means something.

    Args:
        walk: Where the user is; its position has a man.
        place: Where the cursor is; a man there is chosen.
    """

    def __init__(self, walk: Walk[P, M], place: int) -> None:
        self.walk = walk
        self.turned = False
        """Whether the other side is to move, on the map."""
        self.held = False
        """Whether the cursor passes over other men and chooses none."""
        self.man = self.cursor = place
        """Where the man stands whose map it is; and where the cursor is."""
        self._found: tuple[object, Mapping[int, SquareValue[P]]] = ((), {})
        if place not in self.men:
            self.man = self.cursor = self.men[0]

    @property
    def edit(self) -> PositionEdit:
        """The position with who is to move on the map."""
        return _edit(self.walk.game, self.walk.position, self.turned)

    @property
    def men(self) -> list[int]:
        """Where men stand, White's first."""
        edit = self.edit
        men = (place for place in edit.places if edit.man(place) is not None)
        return sorted(men, key=lambda place: (edit.side(place) != "white", place))

    # What is known

    @property
    def _asked(self) -> tuple[WalkStep[P, M], int, bool]:
        return self.walk.step, self.man, self.turned

    @property
    def spots(self) -> Mapping[int, SquareValue[P]] | None:
        """The map: all places where nobody else stands; None where it has not been found out yet."""
        asked, result = self._found
        return result if asked == self._asked else None

    def find(self) -> None:
        """Finds the map out; may be called in a thread."""
        if self.spots is not None:
            return
        asked = step, man, turned = self._asked
        edit, other = (_edit(self.walk.game, step.position, turn) for turn in (turned, not turned))
        free = [place for place in edit.places if place == man or edit.man(place) is None]
        result = {place: self._spot(edit, man, place) for place in free}
        if edit.has_keys(man):
            keys = _keys(result, {place: self._spot(other, man, place) for place in free})
            result.update({place: replace(result[place], key=True) for place in keys})
        self._found = asked, result

    def _spot(self, edit: PositionEdit, man: int, place: int) -> SquareValue[P]:
        try:
            position: P = edit.position_with_man_moved(man, place)
        except PositionError as problem:
            return SquareValue(why=problem.what)
        glance = self.walk.judge.quick_probe(position)
        category = glance.category
        own = self.walk.rules.mover(position) == edit.side(man)
        return SquareValue(position, "", glance, category if own or category is None else category.negated)

    def both(self) -> list[tuple[str, SquareValue[P]]]:
        """The place of the cursor with either side to move, that of the map first; none where another man stands."""
        if self.cursor != self.man and self.cursor in self.men:
            return []
        edits = [self.edit, self.edit.turn()]
        mover = self.walk.rules.mover
        return [(mover(edit.preview), self._spot(edit, self.man, self.cursor)) for edit in edits]

    # What a user does

    def point(self, place: int) -> None:
        """Moves the cursor; a man there is chosen unless one is held."""
        self.cursor = place
        if not self.held and place in self.men:
            self.man = place

    def choose(self, place: int) -> str:
        """Puts the man there; from a man, holds him, lets go of him, or chooses him. Says why that cannot be."""
        self.cursor = place
        if place in self.men:
            self.held = place == self.man and not self.held
            self.man = place
            return ""
        spot = self._spot(self.edit, self.man, place)
        if spot.position is None:
            return spot.why
        self.walk.go(spot.position)
        self.man, self.turned, self.held = place, False, False
        return ""

    def next_man(self, by: int) -> None:
        """Goes to another man, round and round."""
        men = self.men
        self.man = self.cursor = men[(men.index(self.man) + by) % len(men)]
        self.held = False

    def turn(self) -> None:
        """Gives the other side the move, on the map."""
        self.turned = not self.turned

    def let_go(self) -> bool:
        """Lets go of a man who is held; False where none is."""
        held, self.held = self.held, False
        return held

    def step(self, back: bool) -> bool:
        """Undoes or redoes a step of the walk; False where there is none."""
        before = self.men
        done = self.walk.undo() if back else self.walk.redo()
        men = self.men
        if done and self.man not in men:
            self.man = self.cursor = next((place for place in men if place not in before), men[0])
        self.turned, self.held = self.turned and not done, False
        return done

    def forget(self) -> None:
        """Asks the tables anew."""
        self._found = (), {}


def _edit(game: str, position: Any, turned: bool) -> PositionEdit:
    """A position, with who is to move turned or not."""
    edit = draft(game, position)
    return edit.turn() if turned else edit


def _keys(*maps: Mapping[int, SquareValue[Any]]) -> list[int]:
    """Where both maps have the best that is on either; none where that is a loss, or so wherever both have a result."""
    known = [{place: spot.category for place, spot in found.items() if spot.category is not None} for found in maps]
    first, second = known
    best = max((*first.values(), *second.values()), key=lambda category: category.goodness, default=Category.LOSS)
    shared = first.keys() & second.keys()
    keys = [place for place in shared if first[place] is best and second[place] is best]
    return [] if best is Category.LOSS or len(keys) == len(shared) else keys
