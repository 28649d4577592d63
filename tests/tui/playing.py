"""Helpers for tests of the Play screen, for both games."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from textual.pilot import Pilot

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError
from endgame_core.game_state import GameState
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Result
from endgame_core.search_estimate import Limits, SearchEstimate
from endgame_core.tasks.play_session import Notice
from endgame_core.tasks.play_state import PlayState
from endgame_core.values import Kind
from endgame_core.words import game_report
from endgame_tui.app import EndgameApp
from tests.conftest import fast

from .terminal_text import left_on, rows, text, type_in, within

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
PAWN = "8/P6k/8/8/8/8/8/1K6 w - - 0 1"
QUEEN = "k7/8/1K6/8/8/8/8/6Q1 w - - 0 1"
LOST = "8/8/8/3k4/8/8/8/1K5R b - - 0 1"
SIX = "4k3/8/8/3pp3/3PP3/8/8/4K3 w - - 0 1"
MILL = "6X1/1X2X3/X4OOO w"
"""4-3: White closes a mill with c4-e3, and wins if it takes d6."""
DRAWN = "OOXXOX2/4O3/X7 w"
"""4-4, drawn; no stone has been taken yet."""
ENDS = "OXO1O1XX/8/8 w"
"""3-3: White closes a mill and wins."""


both = pytest.mark.parametrize("kind", fast(["chess", "morris"]))


class Thinker:
    """Knows one line at once: the first legal moves."""

    name = "guesser"

    def __init__(self, game: Any, plies: int = 4) -> None:
        self.game, self.plies = game, plies
        self.asked: list[Limits] = []
        self.cancelled = 0
        self.closed = False

    def think(
        self, game: GameState[Any, Any], limits: Limits, on_estimate: Callable[[SearchEstimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:  # fmt: skip
        self.asked.append(limits)
        position, line = game.position, list[Any]()
        for _ in range(self.plies):
            line.append(sorted(self.game.moves(position), key=self.game.uci)[0])
            position = self.game.play(position, line[-1])
        on_estimate(SearchEstimate(3, 35, None, tuple(line), 1234, 0.05, self.name))
        on_end(None)

    def cancel(self) -> None:
        self.cancelled += 1

    def close(self) -> None:
        self.closed = True


class Game:
    """What a user sees of the Play screen, and does there."""

    def __init__(self, pilot: Pilot[Any]) -> None:
        self.pilot = pilot

    @property
    def app(self) -> Any:
        return self.pilot.app

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type_in(self, words: str, key: str = "colon") -> None:
        """Types into the prompt that a key opens, and presses Enter."""
        await type_in(self.pilot, words, key)
        await self.pilot.pause()

    async def moves(self, *names: str) -> None:
        for name in names:
            await self.type_in(name)

    def shown(self, *names: str) -> bool:
        """Whether all these widgets are on the screen."""
        return all(within(self.pilot, f"#{name}") for name in names)

    def words(self, name: str) -> str:
        """What is printed in a widget, its blanks joined."""
        return " ".join(" ".join(within(self.pilot, f"#{name}")).split())

    @property
    def said(self) -> str:
        """The sentence above the keys."""
        return self.words("strip")

    @property
    def reason(self) -> str:
        return self.words("reason")

    @property
    def verdict(self) -> str:
        return self.words("verdict")

    @property
    def result(self) -> str:
        return self.words("result")

    @property
    def crumbs(self) -> str:
        return rows(self.pilot)[0]

    @property
    def score(self) -> list[str]:
        """The moves of the game, as far as they are in sight."""
        printed = within(self.pilot, "#score")
        numbered = re.findall(r"^ *\d+ (.*)$", "\n".join(printed), re.MULTILINE)
        found = numbered or [row for row in printed if row != "Game"]
        names = [name for row in found for name in re.split(r" [✓+−↓=✗·] ", row + " ")[0].split()]
        return [name for name in names if name != "…"]

    @property
    def setting_up(self) -> bool:
        return self.shown("setup")

    async def position(self) -> str:
        """The position, as it is copied."""
        await self.press("c")
        return self.app.clipboard

    def focus(self) -> str | None:
        """The widget with the focus."""
        return None if self.app.focused is None else self.app.focused.id

    @property
    def text(self) -> str:
        return text(self.pilot)

    @property
    def state(self) -> PlayState[Any, Any]:
        """The game that the screen shows, as values."""
        return self.app.screen.play

    @property
    def grade(self) -> Kind:
        """What the move of the finished game that the cursor is on did to the result."""
        ply = self.state.reviewed_ply
        assert ply is not None and ply.grade is not None
        return ply.grade.kind

    @property
    def ending(self) -> Result:
        """How the game ended; the screen has to say so, above the keys and beside the board."""
        match = self.state.running_match
        assert match.result is not None
        assert self.says(game_report.ended(match)[0]) and self.result.startswith(game_report.result_words(match))
        return match.result

    def says(self, sentence: str) -> bool:
        """Whether a sentence stands above the keys; the screen begins it with a capital letter."""
        return bool(sentence) and sentence.lower() in self.said.lower()

    def notifies(self, notice: Notice) -> bool:
        """Whether the sentence of a notice stands above the keys."""
        return self.says(game_report.notice_words(self.state, notice))


@asynccontextmanager
async def playing(
    root: Path, start: str = ROOK, keys: tuple[str, ...] = ("enter",), size: tuple[int, int] = (80, 24), **given: Any
) -> AsyncIterator[Game]:
    """The Play screen with a position set up, and keys pressed there: Enter begins the game.

    Args:
        root: The data directory.
        start: The position.
        keys: What is pressed then.
        size: Of the terminal.
        given: ``journal`` and ``thinker``, by default nothing is kept and nobody but the own search thinks; ``typed``,
            whether the position is typed on the Play screen, where the app begins, or else comes from Explore;
            ``syzygy``.
    """
    typed = given.get("typed", True)
    first, memory = (None, left_on("play", games.game_by_spelling(start) or "chess")) if typed else (start, None)
    app = EndgameApp(first, root, ascii=False, syzygy=given.get("syzygy"), memory=memory)
    vars(app.lab)["journal"] = given.get("journal") or Journal(None)
    thinker = given.get("thinker")
    thinks = nullcontext() if thinker is None else patch.object(AppContext, "_external_engine", lambda *_: thinker)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        game = Game(pilot)
        with thinks:
            if typed:
                await game.press("escape")
                await game.type_in(start)
            else:
                await game.press("escape", "3")
            await game.press(*keys)
            yield game
