"""What awaits a player, said so that the 50-move rule does not break the promise. No Textual here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from endgame_core.values import Category, Verdict
from endgame_core.words.numbers import count
from endgame_tui.walk import MOST_CLOCK


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a position is worth to a side.

    Attributes:
        category: With the half-move clock counted in; where DTZ is not known, a mate that the clock may forestall may
            be a win.
        mate: Moves to mate by DTM, None in a draw or where only DTZ is known.
        late: That mate comes when a draw can be claimed before.
        clock: The half-move clock.
    """

    category: Category
    mate: int | None
    late: bool
    clock: int

    @classmethod
    def of(cls, dtm: Verdict | None, fifty: Category | None, clock: int, yours: bool) -> Prospect | None:
        """From what the tables say; None where they say nothing.

        Args:
            dtm: The verdict by DTM, for the side to move; None where it is not known.
            fifty: The category by DTZ, for the side to move; None where it is not known.
            clock: The half-move clock.
            yours: Whether the side to move is the one that is told.
        """
        if dtm is None:
            return None if fifty is None else cls(fifty if yours else fifty.turned, None, False, clock)
        category, depth = fifty or dtm.category, dtm.depth
        late = depth is not None and clock + depth > MOST_CLOCK
        if late and fifty is None:
            category = {Category.WIN: Category.MAYBE_WIN, Category.LOSS: Category.MAYBE_LOSS}.get(category, category)
        mate = None if depth is None else (depth + 1) // 2
        return cls(category if yours else category.turned, mate, late, clock)

    @property
    def promise(self) -> str:
        """What can be reached, a sentence."""
        mate = self.mate
        if mate is None:
            return _PROMISE[self.category]
        if self.category is Category.WIN:
            return f"You can win: mate in {mate}{', or later as the 50-move rule asks' if self.late else ''}."
        if self.category is Category.LOSS:
            return f"You are lost: resist for {count(mate, 'move', 'moves')}{' or more' if self.late else ''}."
        return {
            Category.MAYBE_WIN: f"You can force mate in {mate}, but the clock at {self.clock} may allow a draw first.",
            Category.CURSED_WIN: f"A cursed win: mate in {mate}, but a draw can be claimed first.",
            Category.BLESSED_LOSS: "A blessed loss: hold out until you can claim a draw.",
            Category.MAYBE_LOSS: f"You are mated in {mate}, unless the clock at {self.clock} allows a draw first.",
        }.get(self.category, _PROMISE[Category.DRAW])

    @property
    def began(self) -> str:
        """Where a game has begun, a sentence."""
        return f"You began {self.start}."

    @property
    def start(self) -> str:
        """The same in the words after ``began``."""
        if self.mate is None:
            return f"in {_LAYER[self.category]}"
        later = " or later" if self.late else ""
        clock = f", the clock at {self.clock}"
        return {
            Category.WIN: f"at mate in {self.mate}{later}",
            Category.MAYBE_WIN: f"at mate in {self.mate}{clock}",
            Category.MAYBE_LOSS: f"mated in {self.mate}{clock}",
            Category.LOSS: f"mated in {self.mate}{later}",
        }.get(self.category, f"in {_LAYER[self.category]}")

    @property
    def layer(self) -> str:
        """Where a game has begun, for who reads layers: ``a cursed win``; empty where DTM tells the layer."""
        named = self.mate is None or self.category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
        return _LAYER[self.category] if named else ""

    @property
    def perfect(self) -> str:
        """How well it could have been done, in few words; empty where there is no win."""
        if self.category is Category.CURSED_WIN:
            return "a cursed win"
        if self.mate is None or self.category not in (Category.WIN, Category.MAYBE_WIN):
            return ""
        return f"DTM: mate in {self.mate}" if self.late else f"perfect: {self.mate}"


_LAYER: Final[Mapping[Category, str]] = {
    Category.WIN: "a won position",
    Category.MAYBE_WIN: "what may be a win",
    Category.CURSED_WIN: "a cursed win",
    Category.DRAW: "a draw",
    Category.BLESSED_LOSS: "a blessed loss",
    Category.MAYBE_LOSS: "what may be a loss",
    Category.LOSS: "a lost position",
}
"""Where a game has begun, without a distance."""

_PROMISE: Final[Mapping[Category, str]] = {
    Category.WIN: "You can win.",
    Category.MAYBE_WIN: "You may win: one ply decides, and DTZ is rounded.",
    Category.CURSED_WIN: "A cursed win: a draw can be claimed before mate.",
    Category.DRAW: "The position is drawn: hold it.",
    Category.BLESSED_LOSS: "A blessed loss: hold out until you can claim a draw.",
    Category.MAYBE_LOSS: "You may be lost: one ply decides, and DTZ is rounded.",
    Category.LOSS: "You are lost: hold out.",
}
"""What can be reached where no table tells the mate."""
