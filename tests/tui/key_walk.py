"""Helpers for tests of Explore: the walk and its texts, as printed."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from endgame_tui.app import EndgameApp

from .terminal_text import rows, settle, type_in, within

SIZE = 120, 36
"""Room for every panel, and for what is said below them."""

START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
MILL = "6X1/1X2X3/X4OOO w"
"""3-4, S25: c4-e3 closes a mill, one stone is right, three lose."""


@asynccontextmanager
async def walking(
    root: Path, text: str | None = None, size: tuple[int, int] = SIZE, syzygy: Path | None = None
) -> AsyncGenerator[Pilot[Any]]:
    """The app at a position or an ending, when nothing is being found out any more."""
    app = EndgameApp(text, root, ascii=False, syzygy=None if syzygy is None else str(syzygy))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def type_and_wait(pilot: Pilot[Any], words: str, key: str = "colon") -> None:
    """Types something, and waits for the answer."""
    await type_in(pilot, words, key)
    await settle(pilot)


def crumbs(pilot: Pilot[Any]) -> list[str]:
    """Where we are: the parts of the first row."""
    path = rows(pilot)[0].partition(" 1 Expl")[0]
    return [part.strip() for part in path.replace("Nine Men’s Morris ▸", "").split("▸")]


def place(pilot: Pilot[Any]) -> tuple[str, ...]:
    """Ending, family, layer."""
    return tuple(crumbs(pilot)[:3])


def position(pilot: Pilot[Any]) -> str:
    """The position as text."""
    found = "".join(within(pilot, "#fen")).strip()
    return found.partition("  ")[2].partition("   ")[0].strip()


def question_text(pilot: Pilot[Any]) -> str:
    """The question in the last row; empty when none is asked."""
    return "".join(within(pilot, "#question")).strip()


def panel_text(pilot: Pilot[Any], *panels: str) -> str:
    """What some panels print, row below row; sentence and line stand one below the other in one of them."""
    return "\n".join(row.strip() for panel in panels for row in _printed(pilot, panel))


def _printed(pilot: Pilot[Any], panel: str) -> list[str]:
    if panel not in ("reason", "line"):
        return within(pilot, f"#{panel}")
    below = [row for row in within(pilot, "#below") if row.strip()]
    begins = next((at for at, row in enumerate(below) if row.strip().startswith("Line ")), len(below))
    return below[:begins] if panel == "reason" else below[begins:]


def printed_moves(pilot: Pilot[Any]) -> list[str]:
    """The moves printed in their panel."""
    return re.findall(r"\b[a-g][1-7]-[a-g][1-7]\b|\b[KQ][a-h][1-8]", panel_text(pilot, "moves"))


def on_small_screens(pilot: Pilot[Any]) -> str:
    """The first row."""
    return rows(pilot)[0]
