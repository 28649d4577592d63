"""What a file of positions gives, in any game; the readers of files live with their game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Opcodes = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Record:
    """A position as a file gives it, good or bad.

    Attributes:
        where: Where it stands, such as ``line 3`` or ``game 12``.
        text: What stands there, shortened.
        problem: Why it cannot be read, one clause; empty when it can.
        position: The position as text.
        name: EPD opcode ``id``; the players and event of a game.
        note: EPD opcode ``c0``; what follows a position; the comment of a game.
        source: File and place.
        best: EPD opcode ``bm``, in SAN.
        mate: EPD opcode ``dm`` as plies, positive when the side to move mates.
        opcodes: All other EPD opcodes; ``pv``, the moves, for a game that starts from a position of its own.
    """

    where: str
    text: str
    problem: str = ""
    position: str = ""
    name: str = ""
    note: str = ""
    source: str = ""
    best: tuple[str, ...] = ()
    mate: int | None = None
    opcodes: Opcodes = field(default_factory=dict[str, str | int | float])
