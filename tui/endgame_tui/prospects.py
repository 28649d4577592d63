"""What awaits a player, said so that the 50-move rule does not break the promise. No Textual here."""

from __future__ import annotations

from dataclasses import dataclass

from endgame_core.values import Category, Verdict
from endgame_tui.fifty_scenes import FOR_MOVER
from endgame_tui.walk import MOST_CLOCK
from endgame_tui.wording import count


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a position is worth to a side.

    Attributes:
        category: With the half-move clock counted in; where DTZ is not known, a mate that the clock may forestall may
            be a win.
        mate: Moves to mate by DTM, None in a draw.
        late: That mate comes when a draw can be claimed before.
        clock: The half-move clock.
    """

    category: Category
    mate: int | None
    late: bool
    clock: int

    @classmethod
    def of(cls, dtm: Verdict, fifty: Category | None, clock: int, yours: bool) -> Prospect:
        """From what the tables say.

        Args:
            dtm: The verdict by DTM, for the side to move.
            fifty: The category by DTZ, for the side to move; None where it is not known.
            clock: The half-move clock.
            yours: Whether the side to move is the one that is told.
        """
        category, depth = fifty or dtm.category, dtm.depth
        late = depth is not None and clock + depth > MOST_CLOCK
        if late and fifty is None:
            category = {Category.WIN: Category.MAYBE_WIN, Category.LOSS: Category.MAYBE_LOSS}.get(category, category)
        mate = None if depth is None else (depth + 1) // 2
        return cls(category if yours else FOR_MOVER[category], mate, late, clock)

    @property
    def promise(self) -> str:
        """What can be reached, a sentence."""
        mate = self.mate or 0
        if self.category is Category.WIN:
            return f"You can win: mate in {mate}{', or later as the 50-move rule asks' if self.late else ''}."
        if self.category is Category.LOSS:
            return f"You are lost: resist for {count(mate, 'move', 'moves')}{' or more' if self.late else ''}."
        return {
            Category.MAYBE_WIN: f"You can force mate in {mate}, but the clock at {self.clock} may allow a draw first.",
            Category.CURSED_WIN: f"A cursed win: mate in {mate}, but a draw can be claimed first.",
            Category.BLESSED_LOSS: "A blessed loss: hold out until you can claim a draw.",
            Category.MAYBE_LOSS: f"You are mated in {mate}, unless the clock at {self.clock} allows a draw first.",
        }.get(self.category, "The position is drawn: hold it.")

    @property
    def began(self) -> str:
        """Where a game has begun, a sentence."""
        return f"You began {self.start}."

    @property
    def start(self) -> str:
        """The same in the words after ``began``."""
        later = " or later" if self.late else ""
        clock = f", the clock at {self.clock}"
        return {
            Category.WIN: f"at mate in {self.mate}{later}",
            Category.MAYBE_WIN: f"at mate in {self.mate}{clock}",
            Category.CURSED_WIN: "in a cursed win",
            Category.BLESSED_LOSS: "in a blessed loss",
            Category.MAYBE_LOSS: f"mated in {self.mate}{clock}",
            Category.LOSS: f"mated in {self.mate}{later}",
        }.get(self.category, "in a draw")

    @property
    def layer(self) -> str:
        """Where a game has begun, for who reads layers: ``S12``, ``a cursed win``."""
        plain = {Category.CURSED_WIN: "a cursed win", Category.BLESSED_LOSS: "a blessed loss"}
        return plain.get(self.category, "")

    @property
    def perfect(self) -> str:
        """How well it could have been done, in few words; empty where there is no win."""
        if self.category is Category.CURSED_WIN:
            return "a cursed win"
        if self.category not in (Category.WIN, Category.MAYBE_WIN):
            return ""
        return f"DTM: mate in {self.mate}" if self.late else f"perfect: {self.mate}"
