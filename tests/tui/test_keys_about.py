"""About an ending: every key of the screen, pressed as a user presses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.chess.game import CHESS
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.pgn import positions
from endgame_core.practice.studies import Studies
from endgame_core.tables import survey
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.words.missing_tables import nothing_known
from endgame_tui.screens import about

from .key_walk import walking
from .terminal_text import message_text, rows, says, settle, text, type_in, within

pytestmark = pytest.mark.usefixtures("looking")


@pytest.fixture
def root(shelf: Library) -> Path:
    """Of KPvK and what it needs."""
    return shelf.root


def looked(root: Path) -> None:
    survey.make(Library(CHESS, root), "KPvK", 2, lambda _: None)


async def opened(pilot: Pilot[None], ending: str = "KPvK") -> None:
    """From the Library, by its key."""
    await pilot.press("2")
    await pilot.pause()
    await type_in(pilot, ending, "slash")
    await pilot.press("a")
    await pilot.pause()


@pytest.mark.slow
async def test_about_shows_figures_and_opens_positions(root: Path) -> None:
    looked(root)
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot)
        assert rows(pilot)[0].startswith(" Library ▸ about ▸ KPvK ")
        facts = " ".join(" ".join(within(pilot, "#facts")).split())
        assert "all placements win draw loss White moves 76.5 % 23.5 % 0 % Black moves 0 % 41.9 % 58.1 %" in facts
        assert "no piece hangs win draw loss White moves" in facts
        assert "mean 22.0 median 21 90 % 31 max 56" in facts
        places = "\n".join(within(pilot, "#places"))
        for words in ("W only an underpromotion wins", "B only a stalemate trick draws", "Zugzwang: White wins"):
            assert words in places


@pytest.mark.slow
async def test_a_position_is_opened_in_explore(root: Path) -> None:
    looked(root)
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("n", "n", "down", "enter")
        await pilot.pause()
        assert pilot.app.current_mode == "explore"
        found = survey.EndingProfile(Library(CHESS, root), "KPvK")
        _, second, *_ = found.zugzwangs()
        await pilot.press("c")
        assert pilot.app.clipboard == second.position.fen()
        await pilot.press("2")
        await pilot.pause()
        assert "Zugzwang" in text(pilot)
        await pilot.press("escape")
        await pilot.pause()
        assert "all endings" in rows(pilot)[0]


async def test_moves_are_examined_on_request(root: Path) -> None:
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot)
        assert "a examines all moves" in text(pilot) and "no piece hangs" not in text(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert "no piece hangs" in text(pilot) and "Zugzwang: White wins" in text(pilot)
        assert "KPvK" in message_text(pilot) and "a all moves" not in rows(pilot)[-1]
        await pilot.press("a")
        await pilot.pause()
        assert "already" in message_text(pilot)


@pytest.mark.slow
async def test_the_zugzwangs_are_drilled(root: Path) -> None:
    looked(root)
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("n", "n", "down", "d")
        await pilot.pause()
        await pilot.pause()
        assert pilot.app.current_mode == "practise" and "1 of 10" in rows(pilot)[0]
        studies = Studies(CHESS, root / "studies").find("KPvK: Zugzwang: White wins").studies
        assert len(studies) == 80 and {one.side for one in studies} == {"white"}
        assert len({one.name for one in studies}) == 80
        listed = {shown.position.epd() for shown in survey.EndingProfile(Library(CHESS, root), "KPvK").zugzwangs()}
        assert {" ".join(one.position.split()[:4]) for one in studies} == listed


@pytest.mark.slow
async def test_a_sample_of_many_positions_is_drilled(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(about, "MOST_AT_ONCE", 7)
    looked(root)
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("n", "n", "d")
        await pilot.pause()
        assert len(Studies(CHESS, root / "studies").find("KPvK: Zugzwang: White wins").studies) == 7


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["epd", "fen"])
async def test_positions_are_written_to_a_file(root: Path, suffix: str) -> None:
    looked(root)
    file = root / f"zug.{suffix}"
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("n", "n", "o")
        await pilot.pause()
        assert "KPvK.epd" in text(pilot)
        await pilot.press("escape")
        await type_in(pilot, str(file), "o")
        assert message_text(pilot).startswith("80 positions written to ")
        lines = file.read_text().splitlines()
        assert len(lines) == 80 and all(("c0 " in line) == (suffix == "epd") for line in lines)
        found = [one.position for one in positions(file, CHESS)]
        assert found == [
            shown.position.fen() for shown in survey.EndingProfile(Library(CHESS, root), "KPvK").zugzwangs()
        ]
        await type_in(pilot, str(file), "o")
        assert "already exists" in " ".join(text(pilot).split())
        assert file.read_text().splitlines() == lines


async def test_without_wins_there_is_nothing_to_drill(root: Path) -> None:
    async with walking(root, None, (80, 24)) as pilot:
        await opened(pilot, "KBvK")
        for key in ("d", "o"):
            await pilot.press(key)
            await pilot.pause()
            assert message_text(pilot), key
        await pilot.press("n")
        assert pilot.app.current_mode == "library"


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 20), (120, 40)])
async def test_about_fits_other_sizes_and_ascii(root: Path, size: tuple[int, int]) -> None:
    looked(root)
    async with walking(root, None, size) as pilot:
        await opened(pilot)
        assert "White moves" in text(pilot) and "deepest wins" in text(pilot)
        await pilot.press("n", "n")
        await pilot.pause()
        assert "Zugzwang" in text(pilot)


async def test_about_says_that_a_table_is_missing(root: Path) -> None:
    async with walking(root, None, (80, 24)) as pilot:
        await pilot.press("2")
        await pilot.pause()
        await type_in(pilot, "KQvKR", "slash")
        await pilot.press("a")
        await pilot.pause()
        assert says(pilot, nothing_known("KQvKR", None))


async def test_the_library_shows_who_wins(root: Path) -> None:
    async with walking(root, None, (120, 30)) as pilot:
        await pilot.press("2")
        await pilot.pause()
        await type_in(pilot, "KPvK", "slash")
        found = "\n".join(within(pilot, "#detail"))
        assert "results    White 67 %, drawn 33 %" in found and "Enter opens it  a about" in found


@pytest.mark.slow
async def test_deepest_wins_of_stones_are_written_and_drilled(
    morris: Explorer[Position, MorrisMove], tmp_path: Path
) -> None:
    shelf = Library(MORRIS, tmp_path)
    shelf.directory.mkdir(parents=True)
    for path in morris.library.directory.glob("*.egt"):
        shelf.directory.joinpath(path.name).write_bytes(path.read_bytes())
    async with walking(tmp_path, "4-3", (80, 24)) as pilot:
        await opened(pilot, "4-3")
        await type_in(pilot, str(tmp_path / "deepest.txt"), "o")
        lines = (tmp_path / "deepest.txt").read_text().splitlines()
        expected = [MORRIS.format(one) for one in survey.EndingProfile(shelf, "4-3").deepest_wins("white")]
        assert lines == [f"{text} ; one of the deepest wins" for text in expected]
        await pilot.press("d")
        await pilot.pause()
        await pilot.pause()
        assert pilot.app.current_mode == "practise"
        studies = Studies(MORRIS, tmp_path / "studies").find("4-3: White's deepest wins").studies
        assert len(studies) == 500 and {one.position for one in studies} < set(expected)
        assert {one.side for one in studies} == {"white"}


@pytest.mark.slow
async def test_about_shows_an_ending_of_morris(morris: Explorer[Position, MorrisMove]) -> None:
    survey.make(Library(MORRIS, morris.library.root), "4-3", 2, lambda _: None)
    async with walking(morris.library.root, "4-3", (80, 24)) as pilot:
        await pilot.press("2")
        await pilot.pause()
        await type_in(pilot, "4-3", "slash")
        await pilot.press("a")
        await pilot.pause()
        assert "White's deepest wins" in text(pilot) and "no piece hangs" not in text(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert pilot.app.current_mode == "explore"


async def test_the_next_kind_has_its_key_in_the_last_row(tmp_path: Path) -> None:
    async with walking(tmp_path, size=(80, 24)) as pilot:
        await pilot.press("2", "a")
        await settle(pilot)
        assert "about" in rows(pilot)[0] and "n next kind" in rows(pilot)[-1]
