"""What a sitting is to be, and how its drills are drawn. No Textual here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from endgame_core.practice.course import Item
from endgame_core.practice.defence import Defence
from endgame_core.practice.starts import Start, Starts
from endgame_core.practice.theme import Mode

AnyStart = Start[Any]


@dataclass(frozen=True, slots=True)
class Order:
    """What a sitting is to be.

    Attributes:
        title: What it is about.
        items: What is drilled, in turn and round and round.
        count: How many drills.
        mode: Asked of every item in place of its own, if any.
        defence: The defender; None for the usual one of the game.
        colours: Whether Black and White may be exchanged.
        endings: Of a streak; empty for all others.
        first: The start of the first drill, when it was chosen.
    """

    title: str
    items: tuple[Item, ...]
    count: int
    mode: Mode | None = None
    defence: Defence | None = None
    colours: bool = True
    endings: tuple[str, ...] = ()
    first: AnyStart | None = None


def draw(starts: Starts[Any, Any], item: Item, colours: bool, mode: Mode | None = None) -> AnyStart:
    """A start of an item: a random position of its theme, or a random copy of its study.

    Args:
        starts: Draws it.
        item: The item.
        colours: Whether Black and White may be exchanged in a study.
        mode: The mode asked for in place of the item's own.

    Raises:
        EndgameError: It is not built, or there is no such position.
    """
    if item.study is None:
        return starts.draw(item.theme)
    position, side = starts.game.parse(item.study.position), item.study.side
    if mode is Mode.CALL:
        side = starts.game.mover(position)
    return starts.of_position(position, side, colours)
