"""The endings that several workers build: their order, their costs, and their progress."""

from __future__ import annotations

from collections.abc import Sequence

from endgame_core.tables.build import Event, ProgressEstimator, remove_intermediates
from endgame_core.tables.library import Library


class Schedule:
    """The endings of one build that are not finished yet, in the order of their plan.

    Args:
        library: Where the tables go.
        requested: The requested endings.
        keep_requested_only: Whether to delete the other endings as soon as no unfinished ending requires them.

    Attributes:
        plan: All endings of the build, sub-endings first.
        remaining: Those that are not finished.
        costs: The estimated cost of each ending.
        priorities: For each ending the seconds of the longest chain of endings that begins with it.
    """

    def __init__(self, library: Library, requested: Sequence[str], keep_requested_only: bool = False) -> None:
        self._library = library
        self._requested = requested
        self._keep_requested_only = keep_requested_only
        self.plan = tuple(library.planner.plan(requested))
        self.remaining = dict.fromkeys(self.plan)
        self.costs = {ending: library.planner.estimate(ending) for ending in self.plan}
        self._total = sum(cost.seconds for cost in self.costs.values())
        self._progress = ProgressEstimator([self._total])
        self.priorities = self._longest_chains()

    def requirements(self, ending: str) -> list[str]:
        """The unfinished endings that an ending requires."""
        return [need for need in self._library.game.needs(ending) if need in self.remaining]

    def _longest_chains(self) -> dict[str, float]:
        """Critical-path priorities.

        A sub-ending is as urgent as the most urgent ending that requires it, and by its own seconds more: with
        KRvKR 5 s, KQvKR 9 s and KRvK 1 s, KRvK gets 1 + max(5, 9) = 10.
        """
        chains = {ending: cost.seconds for ending, cost in self.costs.items()}
        for ending in reversed(self.plan):  # whatever requires an ending comes before it in this direction
            for need in self.requirements(ending):
                chains[need] = max(chains[need], self.costs[need].seconds + chains[ending])
        return chains

    def largest(self) -> str:
        """The unfinished ending that cannot be built in less memory than the others."""
        return max(self.remaining, key=lambda ending: self.costs[ending].enough)

    def complete(self, ending: str, size: int, seconds: float) -> Event:
        """Mark an ending as finished, delete what nothing requires any more, and return the event to report.

        Args:
            ending: Its name.
            size: Bytes of its table.
            seconds: Time that its build took.
        """
        del self.remaining[ending]
        if self._keep_requested_only:
            remove_intermediates(self._library, self.plan, self._requested, self.remaining)
        self._update()
        fraction, seconds_left = self._progress.estimate
        return Event(
            "done", ending=ending, step=self.finished, steps=len(self.plan), size=size, seconds=seconds,
            fraction=fraction, left=seconds_left,
        )  # fmt: skip

    @property
    def finished(self) -> int:
        """How many endings are finished."""
        return len(self.plan) - len(self.remaining)

    def progress(self) -> Event:
        """The event that reports the progress of each worker, as the locks have it."""
        hands = self._update()
        fraction, seconds_left = self._progress.estimate
        return Event(
            "hands", step=self.finished, steps=len(self.plan), hands=hands, fraction=round(fraction, 3),
            left=round(seconds_left),
        )  # fmt: skip

    def _update(self) -> tuple[tuple[str, float, str], ...]:
        """Update the progress from the locks.

        Returns:
            The ending that each worker is building, the part of it that is done, 0 to 1, and the machine.
        """
        owners = self._library.locks.locked_endings()
        shares = {ending: max(0.0, owner.share) for ending, owner in owners.items() if ending in self.remaining}
        seconds_left = sum(self.costs[ending].seconds * (1 - shares.get(ending, 0.0)) for ending in self.remaining)
        part = max(0.0, 1 - seconds_left / (self._total or 1.0))
        self._progress.reach(part, part)
        return tuple((ending, round(share, 2), owners[ending].host) for ending, share in shares.items())
