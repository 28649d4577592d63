"""The metrics of tables: what the depths in them count."""

from __future__ import annotations

from endgame_core.language import _


class Metric(str):
    """The unit of the depths in tables: a string, which is its name in files, JSON and commands.

    A game declares the metrics of its tables; there may be more than these three.

    Args:
        name: The name.
        meaning: What it counts, in words.
        in_moves: Whether the longest win of an ending is given in moves; otherwise in plies.
        to_end: Whether it counts to the end of the game.
    """

    meaning: str
    in_moves: bool
    to_end: bool

    def __new__(  # noqa: D102 - the class says it
        cls, name: str, meaning: str = _("plies to the end"), *, in_moves: bool = False, to_end: bool = True
    ) -> Metric:
        metric = super().__new__(cls, name)
        metric.meaning = meaning
        metric.in_moves = in_moves
        metric.to_end = to_end
        return metric

    @property
    def label(self) -> str:
        """The name before words about a table, e.g. ``DTZ``; empty if it counts to the end, as is usual."""
        return "" if self.to_end else self.upper()


DTM = Metric("dtm", _("plies to mate"), in_moves=True)
DTZ = Metric("dtz", _("plies to a zeroing move"), to_end=False)
DEPTH = Metric("depth")
