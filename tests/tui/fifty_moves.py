"""Positions in which the 50-move rule decides."""

from __future__ import annotations

CURSED = "8/8/8/8/4k3/8/8/3RK3 w - - 80 1"
BLESSED = "8/8/8/8/4k3/8/8/3RK3 b - - 80 1"
SPOILT = "8/K6k/1P6/8/8/8/8/8 w - - 97 1"
"""By DTM Kb7 is as good as b7, which alone keeps the win."""

TOO_LATE = "6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1"
"""By DTM Qe5+ is best; Qe4 alone keeps the win."""
