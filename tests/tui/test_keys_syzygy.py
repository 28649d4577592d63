"""Syzygy files in Explore, Library and Play: every key."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.pilot import Pilot

from .key_walk import panel_text, question_text, type_and_wait, walking
from .terminal_text import message_text, press, rows, settle, text, within


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "empty"


def listed(pilot: Pilot[None]) -> list[str]:
    """The rows of the list."""
    return [row for row in within(pilot, "#files")[1:] if row.strip()]


def detail(pilot: Pilot[None]) -> str:
    """What is said of the ending under the cursor."""
    return " ".join(" ".join(within(pilot, "#detail")).split())


class TestSyzygyFiles:
    BISHOP = "8/8/8/8/4k3/8/3BN3/3K4 w - - 70 1"
    PAWN = "8/8/8/1r6/8/1P3K2/8/k7 w - - 0 1"

    @pytest.mark.slow
    async def test_syzygy_files_answer_where_our_tables_end(self, root: Path, syzygy: Path) -> None:
        async with walking(root, self.BISHOP, (80, 24), syzygy) as pilot:
            assert panel_text(pilot, "distances").startswith("DTM – DTZ ≈56 50-move counter 35/50")
            assert panel_text(pilot, "verdict").endswith("cursed win")
            assert panel_text(pilot, "rated").split("\n")[1].strip("▸ ").startswith("Kc2")
            await pilot.press("escape", "full_stop")
            assert "50-move counter 35½/50" in panel_text(pilot, "distances")

    @pytest.mark.slow
    async def test_a_game_can_begin_where_only_syzygy_files_answer(self, root: Path, syzygy: Path) -> None:
        async with walking(root, self.BISHOP, (80, 24), syzygy) as pilot:
            await press(pilot, "escape", "c", "3", "c")
            assert pilot.app.current_mode == "play" and pilot.app.clipboard == self.BISHOP

    async def test_a_missing_file_is_named_with_its_use(self, root: Path, syzygy: Path) -> None:
        async with walking(root, self.PAWN, (160, 30), syzygy) as pilot:
            await pilot.press("escape", "z")
            await pilot.pause()
            assert message_text(pilot).startswith(
                "KRvKP by DTZ or KRvK.rtbw after Kg4 Rxb3 is missing; run: endgame-tui build"
            )

    async def test_a_missing_directory_is_reported(self, root: Path) -> None:
        async with walking(root, self.BISHOP, (160, 30), root / "nowhere") as pilot:
            assert "cannot be read" in message_text(pilot)

    async def test_a_directory_without_syzygy_files_is_reported(self, root: Path, tmp_path: Path) -> None:
        async with walking(root, self.BISHOP, (80, 24), tmp_path) as pilot:
            assert "there is no syzygy file" in message_text(pilot).lower()

    @pytest.mark.slow
    async def test_the_setting_names_the_directory_of_syzygy_files(self, root: Path, syzygy: Path) -> None:
        root.mkdir()
        (root / "settings.toml").write_text(f'syzygy = "{syzygy}"\n')
        async with walking(root, self.BISHOP) as pilot:
            assert "DTZ ≈56" in panel_text(pilot, "distances")

    @pytest.mark.slow
    async def test_syzygy_files_are_listed_and_checked(self, root: Path, syzygy: Path) -> None:
        (syzygy / "KNvK.rtbz").write_bytes((syzygy / "KNvK.rtbz").read_bytes()[:-8] + bytes(8))
        async with walking(root, None, (80, 24), syzygy) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            assert rows(pilot)[0].startswith(" Library ▸ Syzygy files ")
            assert [row.strip(" ▸").split()[0] for row in listed(pilot)] == ["KBvK", "KNvK", "KBNvK", "KRvKP"]
            await pilot.press("end")
            await pilot.pause()
            assert "KRvK.rtbw" in detail(pilot) and "capture" in detail(pilot)
            await pilot.press("V")
            await settle(pilot)
            assert ["✓" in row for row in listed(pilot)] == [True, False, True, True]
            assert "KNvK" in rows(pilot)[-2]
            await pilot.press("home", "down", "v")
            await settle(pilot)
            assert "checksum" in text(pilot)
            await pilot.press("escape")
            await pilot.pause()
            assert "all endings" in rows(pilot)[0]

    @pytest.mark.slow
    async def test_every_bad_file_is_reported_with_its_path(self, root: Path, syzygy: Path) -> None:
        for name in ("KNvK.rtbz", "KNvK.rtbw"):
            (syzygy / name).write_bytes((syzygy / name).read_bytes()[:-8] + bytes(8))
        async with walking(root, None, (80, 24), syzygy) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            await pilot.press("down", "v")
            await settle(pilot)
            assert "The checksum of KNvK.rtbw" in detail(pilot) and "The checksum of KNvK.rtbz" in detail(pilot)
            await pilot.resize_terminal(200, 30)
            await pilot.pause()
            assert rows(pilot)[1].endswith(f" in {syzygy}")

    async def test_one_ending_is_counted_in_the_singular(self, root: Path, syzygy: Path) -> None:
        for path in syzygy.glob("*"):
            if not path.name.startswith("KNvK."):
                path.unlink()
        async with walking(root, None, (80, 24), syzygy) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            assert rows(pilot)[1].startswith(" 1 ending with Syzygy files   2 files, ")

    @pytest.mark.slow
    async def test_the_list_opens_by_name_from_every_screen(self, root: Path, syzygy: Path) -> None:
        async with walking(root, None, (80, 24), syzygy) as pilot:
            await pilot.press("ctrl+p", *"syzygy")
            await settle(pilot)
            await pilot.press("down", "enter")
            await pilot.pause()
            assert rows(pilot)[0].startswith(" Library ▸ Syzygy files ")
            await pilot.press("escape")
            await pilot.pause()
            assert "1 Expl" in rows(pilot)[0]

    @pytest.mark.slow
    async def test_a_wrong_directory_beside_a_right_one_is_reported(self, root: Path, syzygy: Path) -> None:
        both = Path(f"{root}/nowhere{os.pathsep}{syzygy}")
        async with walking(root, self.BISHOP, (160, 30), both) as pilot:
            assert "cannot be read" in message_text(pilot) and "DTZ ≈56" in panel_text(pilot, "distances")

    async def test_without_files_the_list_says_how_to_name_them(self, root: Path) -> None:
        async with walking(root) as pilot:
            await pilot.press("2", "y")
            await pilot.pause()
            assert all(way in detail(pilot) for way in ("--syzygy", "SYZYGY_PATH", "settings.toml"))
            await pilot.press("v", "V", "y")
            await pilot.pause()
            assert "all endings" in rows(pilot)[0]

    async def test_damaged_files_are_reported_unasked(self, root: Path, tmp_path: Path) -> None:
        for name in ("KQvKR.rtbw", "KQvK.rtbw"):
            (tmp_path / name).write_bytes(b"")
        async with walking(root, "8/8/8/8/3k4/7r/7Q/K7 w - - 0 1", (80, 24), tmp_path) as pilot:
            await pilot.press("escape")
            reason = panel_text(pilot, "reason")
            assert "is empty; download it again, or press . to build KQvKR." in reason and len(reason) < 80

    @pytest.mark.slow
    async def test_no_table_is_offered_where_syzygy_files_answer(self, root: Path, syzygy: Path) -> None:
        async with walking(root, self.BISHOP, (80, 24), syzygy) as pilot:
            assert not question_text(pilot)
            await type_and_wait(pilot, "8/8/8/8/4k3/8/3BN3/3K4 w - - 0 1")
            assert not question_text(pilot) and "DTZ" in panel_text(pilot, "distances")

    @pytest.mark.parametrize(
        ("fen", "verdict"), [("8/8/8/4k3/8/8/6r1/K6r w", "checkmate"), ("k7/8/1Q6/8/8/8/P7/K7 b", "stalemate")]
    )
    async def test_a_finished_game_requires_no_table(self, root: Path, fen: str, verdict: str) -> None:
        async with walking(root, fen) as pilot:
            assert not question_text(pilot)
            assert panel_text(pilot, "verdict").endswith(verdict)
            assert panel_text(pilot, "reason").strip() in ("S0  Checkmate: Black has won.", "Draw  The game is over.")
            await pilot.press("n")
            await pilot.pause()
            assert question_text(pilot)
