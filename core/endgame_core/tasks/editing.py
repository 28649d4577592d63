"""Setting up a position by hand: men are put down, moved and taken away, and every change can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from endgame_core.chess import editor as chess_editor
from endgame_core.morris import editor as morris_editor
from endgame_core.values import Winner


class Edit(Protocol):
    """A position being set up; every change gives a new one."""

    @property
    def palette(self) -> tuple[Any, ...]:
        """What can be put on the board, White's first."""
        ...

    @property
    def problem(self) -> str:
        """Why the position cannot occur, one sentence; empty when it can."""
        ...

    @property
    def text(self) -> str:
        """The position as text, whether it can occur or not."""
        ...

    @property
    def drawn(self) -> Any:
        """The position, whether it can occur or not."""
        ...

    @property
    def places(self) -> Sequence[int]:
        """All places on the board."""
        ...

    def man(self, place: int, /) -> Any:
        """What stands on a place; None when it is empty."""
        ...

    def side(self, place: int, /) -> Winner:
        """Whose man stands on a place."""
        ...

    def has_keys(self, place: int, /) -> bool:
        """Whether one asks for the key squares of the man on a place."""
        ...

    def standing(self, source: int, target: int, /) -> Any:
        """The position with a man on another place, all else as it is; raises PositionError."""
        ...

    def turn(self) -> Self:
        """Gives the move to the other side."""
        ...

    def put(self, place: int, man: Any, /) -> Self:
        """Puts a man on a place, or with None takes away what stands there."""
        ...

    def move(self, source: int, target: int, /) -> Self:
        """Moves a man; what stood on the target is gone."""
        ...

    def finished(self) -> Any:
        """The position, when it can occur; raises PositionError."""
        ...


_FIRST = {"chess": 28, "morris": 0}
"""Where the cursor begins."""


def draft(game: str, position: Any) -> Edit:
    """Begins to edit a position of a game."""
    return morris_editor.Edit(position) if game == "morris" else chess_editor.Edit.of(position)


class Editing:
    """What a user does with a position.

    Args:
        game: Name of the game.
        position: To begin with.
    """

    def __init__(self, game: str, position: Any) -> None:
        self.game = game
        self.edit: Edit = draft(game, position)
        self.cursor = _FIRST[game]
        self.chosen: Any = None
        """The man that is put down next; None for the hand, which moves men."""
        self.held: int | None = None
        """Where the hand has taken a man up."""
        self._past: list[Edit] = []
        self._future: list[Edit] = []

    @property
    def is_changed(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._past)

    def become(self, edit: Edit) -> bool:
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

    def _step(self, source: list[Edit], target: list[Edit]) -> bool:
        self.held = None
        if not source:
            return False
        target.append(self.edit)
        self.edit = source.pop()
        return True
