"""What was found by a query, in words."""

from __future__ import annotations

from endgame_core.words.told import grouped


def found_in(number: int, ending: str) -> str:
    """How many positions of an ending are as asked."""
    if not number:
        return f"no position of {ending} is so."
    return f"{grouped(number)} {'position' if number == 1 else 'positions'} of {ending}."


def place(number: int, total: int) -> str:
    """Which of the positions that were found is shown, from 1."""
    return f"{grouped(number)} of {grouped(total)}"


def looking(what: str, part: float) -> str:
    """How far the search has come."""
    return f"{what} {part:4.0%}"
