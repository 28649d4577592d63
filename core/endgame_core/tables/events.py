"""What a building process tells: one event per line of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a build.

    Attributes:
        event: ``plan``, ``compile``, ``start``, ``phase``, ``layer``, ``slices``, ``write``, ``done``, ``error`` or
            ``finished``.
        ending: The ending in hand.
        endings: All endings of the plan, or those built (``finished``).
        step: Number of the ending in the plan, from 1.
        steps: Endings in the plan.
        n: Layer just finished.
        white: New positions (slots) with White to move in that layer.
        black: The same with Black to move.
        done: Slices (pawn placements) finished; of a phase, parts of any size.
        total: All slices of the ending; all parts of the phase, 0 where they are not counted.
        fraction: Estimated part of the whole build that is done, 0 to 1.
        left: Estimated seconds left.
        size: Bytes written.
        seconds: Seconds the ending took.
        error: Class name of the error.
        what: What went wrong, or what is being compiled or, before the first layer, done.
        then: What to do next.
    """

    event: str
    ending: str = ""
    endings: tuple[str, ...] = ()
    step: int = 0
    steps: int = 0
    n: int | None = None
    white: int = 0
    black: int = 0
    done: int = 0
    total: int = 0
    fraction: float = 0.0
    left: float = 0.0
    size: int = 0
    seconds: float = 0.0
    error: str = ""
    what: str = ""
    then: str = ""

    def to_json(self) -> str:
        """One line of JSON; fields at their default are left out."""
        return json.dumps(self.to_dict(), separators=(", ", ": "))

    def to_dict(self) -> dict[str, Any]:
        """The fields that are not at their default."""
        given = asdict(self)
        return {f.name: given[f.name] for f in fields(self) if given[f.name] != f.default}

    @classmethod
    def from_json(cls, line: str) -> Event:
        """Reads a line written by :meth:`to_json`; raises ValueError for anything else."""
        try:
            given = json.loads(line)
            given["endings"] = tuple(given.get("endings", ()))
            return cls(**given)
        except (TypeError, KeyError, AttributeError):
            raise ValueError(f"no event: {line[:80]!r}") from None
