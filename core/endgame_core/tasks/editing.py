"""Setting up a position by hand: men are put down, moved and taken away, and every change can be undone."""

from __future__ import annotations

from typing import Any

from endgame_core.chess import editor as chess_editor
from endgame_core.game import PositionEdit
from endgame_core.morris import editor as morris_editor

_FIRST = {"chess": 28, "morris": 0}
"""Where the cursor begins."""


def draft(game: str, position: Any) -> PositionEdit:
    """Begins to edit a position of a game."""
    return morris_editor.MorrisEdit(position) if game == "morris" else chess_editor.ChessEdit.of(position)


class Editing:
    """What a user does with a position.

    Args:
        game: Name of the game.
        position: To begin with.
    """

    def __init__(self, game: str, position: Any) -> None:
        self.game = game
        self.edit: PositionEdit = draft(game, position)
        self.cursor = _FIRST[game]
        self.chosen: Any = None
        """The man that is put down next; None for the hand, which moves men."""
        self.held: int | None = None
        """Where the hand has taken a man up."""
        self._past: list[PositionEdit] = []
        self._future: list[PositionEdit] = []

    @property
    def is_changed(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._past)

    def become(self, edit: PositionEdit) -> bool:
        """Another position, which can be undone; False when it is the same."""
        self.held = None
        if edit == self.edit:
            return False
        self._past.append(self.edit)
        self._future.clear()
        self.edit = edit
        return True

    def read(self, position: Any) -> bool:
        """A position that was typed."""
        return self.become(draft(self.game, position))

    def change(self, name: str, *arguments: Any) -> bool:
        """Does with the position what its class calls so: ``turn``, ``clear``, ``exchange`` and the like."""
        return self.become(getattr(self.edit, name)(*arguments))

    def put(self, man: Any) -> bool:
        """Puts a man on the place of the cursor; None removes what is there."""
        return self.become(self.edit.put(self.cursor, man))

    def put_nth(self, number: int) -> bool:
        """Puts a man of the palette there."""
        return self.put(self.edit.palette[number])

    def remove(self) -> bool:
        """Removes what is there."""
        return self.put(None)

    def choose(self, place: int) -> None:
        """Puts the chosen man, or removes one like it; the hand takes up and puts down."""
        self.cursor = place
        if self.chosen is not None:
            self.put(None if self.edit.man(place) == self.chosen else self.chosen)
        elif self.held is None:
            self.held = place if self.edit.man(place) is not None else None
        else:
            self.become(self.edit.move(self.held, place))

    def pick(self, man: Any) -> bool:
        """Chooses what is put down next."""
        self.chosen, self.held = man, None
        return True

    def pick_next(self, by: int) -> bool:
        """Chooses the next man of the palette, the hand among them."""
        order = [None, *self.edit.palette]
        return self.pick(order[(order.index(self.chosen) + by) % len(order)])

    def undo(self) -> bool:
        """Goes back a change; False at the beginning."""
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        """Takes back an undo; False when nothing has been undone."""
        return self._step(self._future, self._past)

    def _step(self, source: list[PositionEdit], target: list[PositionEdit]) -> bool:
        self.held = None
        if not source:
            return False
        target.append(self.edit)
        self.edit = source.pop()
        return True
