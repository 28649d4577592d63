"""Every key of the Explore screen, pressed as a user presses it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import chess
import pytest
from textual.events import Paste
from textual.pilot import Pilot

from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.walk import Walk
from endgame_tui.widgets.frame import JobStrip
from endgame_tui.widgets.question import Question

START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


@asynccontextmanager
async def opened(
    root: Path, fen: str | None = None, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Pilot[None], Walk]]:
    app = EndgameApp(fen, root, ascii=False)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, ExploreScreen)
        yield pilot, screen.walk


async def type_in(pilot: Pilot[None], text: str) -> None:
    """Pastes a text into the prompt of ``:`` and presses Enter."""
    await pilot.press("colon")
    assert pilot.app.focused is not None
    pilot.app.focused.post_message(Paste(text))
    await pilot.press("enter")
    await pilot.pause()


def said(pilot: Pilot[None]) -> str:
    return pilot.app.screen.query_one(JobStrip).view.words


def place(walk: Walk) -> tuple[str | None, int | None, int]:
    found = walk.facts.place
    assert found is not None
    return found.winner, found.n, found.number


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


async def test_first_launch_shows_the_longest_win_of_kqvk(root: Path) -> None:
    async with opened(root) as (_, walk):
        assert walk.position.fen() == START and place(walk) == ("white", 19, 1)


async def test_best_undo_redo(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("full_stop", "full_stop")
        assert place(walk)[1] == 17
        await pilot.press("u")
        assert place(walk)[1] == 18
        await pilot.press("u", "u")
        assert walk.position.fen() == START and "began" in said(pilot)
        await pilot.press("U")
        assert place(walk)[1] == 18
        await pilot.press("U", "U")
        assert "undone" in said(pilot)


async def test_the_whole_way_home(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        for n in range(18, -1, -1):
            await pilot.press("full_stop")
            assert place(walk)[1] == n
        assert walk.position.is_checkmate()
        await pilot.press("full_stop")
        assert "over" in said(pilot)


async def test_layers_and_positions(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("left_square_bracket")
        assert place(walk)[1] == 18
        await pilot.press("right_square_bracket", "right_square_bracket")
        assert place(walk) == ("white", 20, 1)
        await pilot.press("n", "n")
        assert place(walk) == ("white", 20, 3)
        await pilot.press("p")
        assert place(walk) == ("white", 20, 2)
        await pilot.press("r")
        assert place(walk)[1] == 20
        await pilot.press("right_square_bracket")
        assert "last layer" in said(pilot)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("S7", ("white", 7, 1)), ("s12/3", ("white", 12, 3)), ("12/3", ("white", 12, 3)),
        ("Kg8", ("white", 18, None)), ("g7e5", ("white", 18, None)), ("KRvK", ("white", 31, 1)),
        ("krk", ("white", 31, 1)), ("8/7K/5k2/8/8/4Q3/8/8 w - - 0 1", ("white", 7, 124)),
        ("8/7K/5k2/8/8/4Q3/8/8 w", ("white", 7, 124)), ("1", ("white", 19, 1)),
    ],
)  # fmt: skip
async def test_typed(root: Path, typed: str, expected: tuple[str, int, int | None]) -> None:
    async with opened(root) as (pilot, walk):
        await type_in(pilot, typed)
        found = place(walk)
        assert found[:2] == expected[:2] and expected[2] in (None, found[2])


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("Qz9", "no legal move"), ("S99", "no s99"), ("19/7", "positions 1 to 1"), ("KXK", "no legal move"),
        ("8/8/8 w", "not a fen"), ("KvK", "draw"), ("", "nothing was typed"), ("KQQQQvK", "6 men"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "castling"),
    ],
)  # fmt: skip
async def test_wrong_input_is_answered_and_nothing_lost(root: Path, typed: str, words: str) -> None:
    async with opened(root) as (pilot, walk):
        await type_in(pilot, typed)
        assert words in said(pilot).lower() and walk.position.fen() == START
        await pilot.press("escape", "full_stop")
        assert place(walk)[1] == 18


async def test_cursor_picks_and_drops(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("enter", "left", "left", "h", "h", "enter")
        assert walk.position.piece_at(chess.C7) is not None
        await pilot.press("u", "f", "f", "escape")
        assert walk.position.fen() == START


async def test_cursor_refuses_what_is_not_legal(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("enter", "down", "left", "left", "enter")
        assert "not a legal move" in said(pilot) and walk.position.fen() == START


async def test_mouse_moves_a_man(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.click("#board", offset=(3 + 4 * 6 + 1, 3))
        await pilot.click("#board", offset=(3 + 4 * 6 + 1, 1))
        assert walk.position.piece_at(chess.G8) == chess.Piece.from_symbol("Q")


async def test_moves_panel(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("m", "right", "enter")
        assert walk.position.piece_at(chess.H7) == chess.Piece.from_symbol("K")


async def test_before_walks_outwards(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("b", "enter")
        assert place(walk)[:2] == ("white", 20)


async def test_tab_reaches_every_panel_and_comes_back(root: Path) -> None:
    async with opened(root) as (pilot, _):
        seen: list[str | None] = []
        for _ in range(8):
            focused = pilot.app.focused
            seen.append(focused.id if focused else None)
            await pilot.press("tab")
        assert {"board", "layers", "moves", "before"} == set(seen) and seen[:4] == seen[4:]


async def test_families_and_draws(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("w")
        assert place(walk)[:2] == (None, None)
        await pilot.press("n", "n")
        assert place(walk)[2] == 3
        await pilot.press("w")
        assert place(walk)[0] == "white"


async def test_copy(root: Path) -> None:
    async with opened(root) as (pilot, _):
        await pilot.press("c")
        assert pilot.app.clipboard == START and "copied" in said(pilot).lower()


async def test_autoplay_runs_and_stops(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("a")
        screen = pilot.app.screen
        assert isinstance(screen, ExploreScreen)
        screen.autoplay_step()
        screen.autoplay_step()
        assert place(walk)[1] == 17
        await pilot.press("a")
        assert "stopped" in said(pilot)


async def test_colours_exchanged_are_shown_as_they_stand(root: Path) -> None:
    async with opened(root, "8/8/8/2K5/8/8/6q1/7k b - - 0 1") as (pilot, walk):
        assert walk.facts.family() == "Black wins" and place(walk)[1] == 19
        await pilot.press("left_square_bracket", "n")
        assert walk.position.pieces_mask(chess.QUEEN, chess.BLACK)


async def test_an_unbuilt_ending_is_offered_built_and_opened(root: Path, kernels: None) -> None:
    async with opened(root) as (pilot, walk):
        await pilot.press("colon", *"KBvK", "enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert walk.facts.name == "KBvK"


async def test_an_ending_on_the_command_line_is_opened_or_offered(
    root: Path, library: Library, dtz_library: Library, tmp_path: Path
) -> None:
    for name, ending in (("KQvKR", "KQvKR"), ("krkq", "KQvKR"), ("KNNvK", "KNNvK")):
        async with opened(library.root, name) as (_, walk):
            assert walk.facts.name == ending and walk.metric == "dtm" and not walk.past
    tables = tmp_path / "zeroing" / "tables"
    tables.mkdir(parents=True)
    for path in dtz_library.directory.glob("*.dtz.egt"):
        (tables / path.name).symlink_to(path)
    async with opened(tables.parent, "KQvKR") as (_, walk):
        assert walk.facts.name == "KQvKR" and walk.metric == "dtz" and place(walk)[0] == "white"
    async with opened(root, "KQvKR") as (pilot, walk):
        assert walk.position.fen() == START and pilot.app.screen.query_one(Question).display


async def test_resizing_keeps_the_place(root: Path) -> None:
    async with opened(root) as (pilot, walk):
        for size in ((120, 40), (40, 20), (20, 8), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.press("full_stop")
            await pilot.press("u")
        assert walk.position.fen() == START


async def test_quit(root: Path) -> None:
    app = EndgameApp(None, root, ascii=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
    assert app.return_code == 0
