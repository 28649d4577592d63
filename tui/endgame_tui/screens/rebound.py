"""The keys of a screen that are those of the same screen of another game."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from textual.binding import Binding, BindingType

Keys = tuple[tuple[str, str], ...]
"""Keys and what they do, as the last row names them."""


def rebound(
    keys: Sequence[BindingType], prefix: str, words: Mapping[str, str], without: Collection[str] = ()
) -> list[BindingType]:
    """Other ids, other words for some actions, some actions left out."""
    return [
        Binding(
            known.key,
            known.action,
            words.get(known.action, known.description),
            show=False,
            priority=known.priority,
            id=f"{prefix}{known.id or ''}",
        )
        for known in keys
        if isinstance(known, Binding) and known.action not in without
    ]
