"""The window of a drill: which layers starts are drawn from."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Window:
    """The layers in which the learner is to move, and the chosen range of them.

    Attributes:
        layers: The available layers, in plies; empty if the row has no window.
        boards: Number of boards in each of them.
        low: Index in ``layers`` of the first chosen layer.
        high: Index in ``layers`` of the last chosen layer.
    """

    layers: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()
    low: int = 0
    high: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all layers are chosen."""
        return (self.low, self.high) == (0, len(self.layers) - 1)

    def moved(self, by: int) -> Window:
        """The window shifted by a number of layers, as far as possible."""
        by = min(max(by, -self.low), len(self.layers) - 1 - self.high)
        return replace(self, low=self.low + by, high=self.high + by)

    def widened(self, by: int) -> Window:
        """The window with ``by`` more layers, or fewer if negative.

        Layers are added at the far end, and at the near end once the far end is reached; they are removed at the far
        end.
        """
        room = len(self.layers) - 1 - self.high
        high = self.high + min(by, room)
        low = self.low - max(by - room, 0)
        return replace(self, low=max(low, 0), high=max(high, low))

    def covering(self, first: int, last: int) -> Window:
        """The window of the layers from ``first`` to ``last``, in plies; else the one nearest to first."""
        inside = [index for index, n in enumerate(self.layers) if first <= n <= last]
        if not inside:
            inside = [min(range(len(self.layers)), key=lambda index: abs(self.layers[index] - first), default=0)]
        return replace(self, low=inside[0], high=inside[-1])
