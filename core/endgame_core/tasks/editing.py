"""Position editor: put, move and remove pieces, with undo and redo."""

from __future__ import annotations

from typing import Any

from endgame_core.game import PositionEdit
from endgame_core.games import by_name


def draft(game: str, position: Any) -> PositionEdit:
    """Create an editable copy of a position; raises PositionError if the game has no board editor."""
    return by_name(game).editor(position)


class Editing:
    """An editor with a cursor, a selected piece and an undo history.

    Args:
        game: Name of the game.
        position: The position to start from.
    """

    def __init__(self, game: str, position: Any) -> None:
        self.game = game
        self.edit: PositionEdit = draft(game, position)
        self.cursor = self.edit.first_cursor
        self.chosen: Any = None
        """The piece to put down next; None for the hand, which moves pieces."""
        self.held: int | None = None
        """Square of the piece that the hand has picked up; None if it is empty."""
        self._past: list[PositionEdit] = []
        self._future: list[PositionEdit] = []

    @property
    def is_changed(self) -> bool:
        """Whether there is a change to undo."""
        return bool(self._past)

    def become(self, edit: PositionEdit) -> bool:
        """Replace the position, as a change that can be undone; False if it is the same position."""
        self.held = None
        if edit == self.edit:
            return False
        self._past.append(self.edit)
        self._future.clear()
        self.edit = edit
        return True

    def read(self, position: Any) -> bool:
        """Replace the position by one that the user typed; False if it is the same position."""
        return self.become(draft(self.game, position))

    def change(self, name: str, *arguments: Any) -> bool:
        """Call a method of the editable position, e.g. ``turn`` or ``clear``; False if nothing changes."""
        return self.become(getattr(self.edit, name)(*arguments))

    def put(self, man: Any) -> bool:
        """Put a piece on the cursor's square, or remove the piece there if it is None; False if nothing changes."""
        return self.become(self.edit.put(self.cursor, man))

    def put_nth(self, number: int) -> bool:
        """Put the palette's piece with index ``number`` on the cursor's square; False if nothing changes."""
        return self.put(self.edit.palette[number])

    def remove(self) -> bool:
        """Remove the piece on the cursor's square; False if it is empty."""
        return self.put(None)

    def choose(self, place: int) -> None:
        """Put the selected piece on a square, or remove an equal one; the hand picks a piece up or puts it down."""
        self.cursor = place
        if self.chosen is not None:
            self.put(None if self.edit.man(place) == self.chosen else self.chosen)
        elif self.held is None:
            if self.edit.man(place) is not None:
                self.held = place
            else:
                self.held = None
        else:
            self.become(self.edit.move(self.held, place))

    def pick(self, man: Any) -> bool:
        """Select the piece to put down next, or the hand (None); always True."""
        self.chosen = man
        self.held = None
        return True

    def pick_next(self, by: int) -> bool:
        """Select the next piece of the palette, wrapping around; the hand comes before the first piece."""
        order = [None, *self.edit.palette]
        return self.pick(order[(order.index(self.chosen) + by) % len(order)])

    def undo(self) -> bool:
        """Undo the last change; False if there is none."""
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        """Redo the last undone change; False if there is none."""
        return self._step(self._future, self._past)

    def _step(self, source: list[PositionEdit], target: list[PositionEdit]) -> bool:
        """Go to the last position of ``source`` and push the current one to ``target``; False if it is empty."""
        self.held = None
        if not source:
            return False
        target.append(self.edit)
        self.edit = source.pop()
        return True
