"""Adding the position on the board to the user's own studies: the same on every screen with a board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.message import Message

from endgame_core.errors import EndgameError
from endgame_core.practice.studies import MY_POSITIONS, slug
from endgame_core.practice.study import Study
from endgame_tui.screens.mode import ModeScreen


class Adding(ModeScreen):
    """A screen whose ``+`` adds a position to a set of the user."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("plus", "add", "Add it to your studies", show=False, priority=True, id="board.add"),
    ]

    @dataclass
    class Added(Message):
        """A position was added, or could not be."""

        study: Study | None
        problem: EndgameError | None = None

    def position_to_add(self) -> str:
        """The position, as text; empty when there is none."""
        raise NotImplementedError

    def side_to_add(self) -> str | None:
        """The side to learn with; None for the side to move."""
        return None

    def action_add(self) -> None:
        """Asks for the set; Enter alone takes the usual one."""
        position = self.position_to_add()
        if position:
            self.hush()
            hint = "a set of yours; a new name makes one"
            side = self.side_to_add()
            self.prompt("Add to", hint, lambda name: self._add_to(position, name, side), MY_POSITIONS)

    def _add_to(self, position: str, name: str, side: str | None) -> None:
        slug(name)  # what is wrong with the name is said while it can be mended
        self.run_worker(lambda: self._add(position, name, side), name="add", group="studies", thread=True)

    def _add(self, position: str, name: str, side: str | None) -> None:
        """Runs in a thread, for another app may hold the studies."""
        try:
            study = self.session.studies_of(self.GAME).add(position, name, side=side, beyond=True)
        except EndgameError as problem:
            self.post_message(self.Added(None, problem))
        else:
            self.post_message(self.Added(study))

    @on(Added)
    def _added(self, event: Added) -> None:
        if event.problem is not None:
            self.complain(event.problem)
        elif event.study is not None:
            self.say(f"added to {event.study.group}: {event.study.name}.", "win")
