"""Helpers for tests of screens: the printed text, and keys pressed as a user presses them."""

from __future__ import annotations

import re
from asyncio import Event, sleep
from typing import Any

from textual.events import Paste
from textual.pilot import Pilot
from textual.widget import Widget

from endgame_core import games
from endgame_core.app_state import AppState

MANY = 20
"""Rounds after which something goes on by itself, as an animation does."""


def left_on(screen: str, game: str = "chess") -> AppState:
    """What is remembered of a user who was on a screen last: the app begins there, and mounts no other one before."""
    memory = AppState()
    memory.note(screen, "screen")
    memory.note(game, "game")
    return memory


def rows(pilot: Pilot[Any]) -> list[str]:
    """The rows of the terminal as printed, without colours; blanks at the right end are left out."""
    screen = pilot.app.screen
    width, height = screen.size
    strips = screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    printed = ["".join(segment.text for segment in strip)[: width * 2].rstrip() for strip in strips[:height]]
    return printed + [""] * (height - len(printed))


def text(pilot: Pilot[Any]) -> str:
    """All that is printed, row below row."""
    return "\n".join(rows(pilot))


_RULE = re.compile(r"(?<=\w) (?:─{3,}|-{3,}) ?")
"""The rule behind a title on wide screens."""


def within(pilot: Pilot[Any], widget: str | Widget) -> list[str]:
    """The rows printed where one widget stands, cut at its sides, without rules; empty when it is not on the screen."""
    found = pilot.app.screen.query_one(widget) if isinstance(widget, str) else widget
    screen = pilot.app.screen
    if found not in screen._compositor.visible_widgets:  # pyright: ignore[reportPrivateUsage]
        return []
    region = found.region
    strips = screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    cut = [strip.crop(region.x, region.right) for strip in strips[region.y : region.bottom]]
    return [_RULE.sub(" ", "".join(segment.text for segment in strip)).rstrip() for strip in cut]


async def settle(pilot: Pilot[Any], *but: str) -> None:
    """Waits until nothing runs beside the app, and what that brought is printed.

    At least twice, and until nothing ran in the last round: what is told after a refresh may begin something. An app
    that has ended refreshes no more.

    Args:
        but: Names of workers that may go on.
    """
    app: Any = pilot.app
    for rounds in range(MANY):
        refreshed = Event()
        app.call_after_refresh(refreshed.set)
        while not refreshed.is_set():
            if app._exit or not app.is_running:
                return
            await sleep(0.002)
        worked = False
        while any(app.lab.judge(game).prober.is_busy for game in games.NAMES):
            worked = True
            await pilot.pause(0.01)
        working = [worker for worker in app.workers if worker.name not in but]
        await app.workers.wait_for_complete(working)
        await pilot.pause()
        if rounds and not worked and not working:
            return


def message_text(pilot: Pilot[Any]) -> str:
    """The sentence above the keys."""
    return " ".join(within(pilot, "#strip")).strip()


def says(pilot: Pilot[Any], sentence: str) -> bool:
    """Whether a sentence stands above the keys; the screen begins it with a capital letter."""
    return message_text(pilot) == sentence[:1].upper() + sentence[1:]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    """Presses keys, each when the one before has been answered."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def type_in(pilot: Pilot[Any], words: str, key: str = "colon") -> None:
    """Opens a prompt with a key, pastes words in place of what stands there, and presses Enter."""
    await pilot.press(key)
    await pilot.pause()
    await pilot.press("ctrl+u")
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(Paste(words))
    await pilot.press("enter")
    await pilot.pause()
