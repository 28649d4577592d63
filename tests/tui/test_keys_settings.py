"""The settings screen, and what follows a setting."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App
from textual.command import CommandPalette
from textual.pilot import Pilot

from endgame_core.app_state import AppState
from endgame_core.paths import AccessPolicy
from endgame_core.settings import AUTOPLAY, CLUSTER, DEFENCE, ENGINE, GLYPHS, SYZYGY, THEME, Settings
from endgame_tui.app import EndgameApp, run
from tests.conftest import fast

from .terminal_text import rows, settle, text, type_in

SIZE = (80, 24)


def app_of(root: Path, ascii: bool | None = False, lasting: bool = False, syzygy: str | None = None) -> EndgameApp:
    return EndgameApp(None, root, ascii, syzygy, AppState(root / "memory.json" if lasting else None))


def chosen(pilot: Pilot[None], label: str) -> str:
    """What stands beside a setting."""
    row = next(row for row in rows(pilot) if row[1:].startswith(label))
    return row[15:46].strip(" ‹›<>")


async def test_problems_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    faults = [f'{name} = "no such value"\n' for name in ("theme", "glyphs", "defence", "autoplay", "workers", "memory")]
    (tmp_path / "settings.toml").write_text("".join(faults) + "one = 1\ntwo = 2\nthree = 3\n")
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("comma")
        await settle(pilot)
        problems = len(pilot.app.settings.problems)  # pyright: ignore
        printed = " ".join(text(pilot).split())
        shown = printed.count("of settings.toml:")
        assert 0 < shown < problems and f"{problems - shown} more problems in this file: Stored in " in printed


@pytest.mark.slow
@pytest.mark.parametrize("size", fast([((80, 24),), ((120, 40),), ((40, 20),)]))
async def test_every_choice_is_applied_and_written(tmp_path: Path, size: tuple[int, int]) -> None:
    async with app_of(tmp_path).run_test(size=size) as pilot:
        await pilot.press("comma")
        await settle(pilot)
        assert rows(pilot)[0].startswith(" Settings") and "ight text on a dark" in " ".join(text(pilot).split())
        for keys, label, value in (
            ("right", "Theme", "light"),
            ("down right", "Characters", "Unicode"),
            ("down enter", "Coordinates", "hidden"),
            ("j l l", "Defence", "varied"),
            ("down h", "Autoplay", "0.4 s per move"),
            ("down down down down down down right", "Cursor", "hidden"),
            ("down right", "Pieces", "glyphs"),
        ):
            await pilot.press(*keys.split())
            await settle(pilot)
            assert chosen(pilot, label) == value and f"{label}: {value}." in text(pilot)
    found = Settings(tmp_path)
    assert (found[THEME], found[GLYPHS], found[DEFENCE], found[AUTOPLAY]) == ("light", "unicode", "varied", 0.4)


@pytest.mark.slow
async def test_the_screen_follows_a_setting_at_once(tmp_path: Path) -> None:
    async with app_of(tmp_path, None).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert " a   b   c   d" in text(pilot) and "♚" in text(pilot)
        await pilot.press("comma", "right", "down", "left", "down", "right", "escape")
        await settle(pilot)
        assert " a   b   c   d" not in text(pilot) and text(pilot).isascii() and "light" in pilot.app.theme
        await pilot.press("comma", "d", "down", "d", "down", "d", "comma")
        await settle(pilot)
        assert " a   b   c   d" in text(pilot) and "♚" in text(pilot) and "dark" in pilot.app.theme


@pytest.mark.slow
async def test_the_palette_previews_themes_and_keeps_the_selected_one(tmp_path: Path) -> None:
    async with app_of(tmp_path, lasting=True).run_test(size=SIZE) as pilot:
        await settle(pilot)
        for last_key, kept in (("escape", "dark"), ("enter", "nord")):
            await pilot.press("ctrl+p", *"theme nord")
            await settle(pilot)
            await pilot.press("down")
            await settle(pilot)
            assert pilot.app.theme == "endgame-nord"
            await pilot.press(last_key)
            await settle(pilot)
            if isinstance(pilot.app.screen, CommandPalette):  # Escape first closes the list
                await pilot.press(last_key)
                await settle(pilot)
            assert pilot.app.theme == f"endgame-{kept}"
        await pilot.press("ctrl+p", *"theme light", "down", "escape")
        await settle(pilot)
        assert pilot.app.theme == "endgame-nord"
    assert Settings(tmp_path)[THEME] == "nord"


@pytest.mark.slow
@pytest.mark.parametrize("pieces", ["glyphs", "quadrants", "sextants"])
async def test_pieces_are_drawn_according_to_the_setting(tmp_path: Path, pieces: str) -> None:
    (tmp_path / "settings.toml").write_text(f'pieces = "{pieces}"\n')
    for size in ((120, 32), (120, 40), (140, 50), (160, 57), (200, 66)):
        async with app_of(tmp_path).run_test(size=size) as pilot:
            await settle(pilot)
            shown = "".join(rows(pilot))
            assert ("♔" in shown) is (pieces == "glyphs")
            assert any("🬀" <= char <= "🬻" for char in shown) is (pieces == "sextants")


async def test_the_command_line_takes_precedence_over_the_settings(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('glyphs = "ascii"\n')
    async with app_of(tmp_path, ascii=False).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "♚" in text(pilot)
    async with app_of(tmp_path, None).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert text(pilot).isascii()


async def test_the_file_is_read_at_the_start_and_its_errors_are_reported(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('theme = "light"\n\ndefence = "strong"\ncolour = 1\n')
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "light" in pilot.app.theme and "Line 3 of settings.toml: defence cannot be 'strong'" in text(pilot)
        await pilot.press("comma")
        await settle(pilot)
        told = " ".join(text(pilot).split())
        assert "Line 3 of" in told and "Line 4 of settings.toml: there is" in told
        await pilot.press("down", "down", "down", "right")
        await settle(pilot)
        assert "Line 3 of" not in text(pilot)
    assert 'defence = "perfect"\ncolour = 1\n' in (tmp_path / "settings.toml").read_text()


@pytest.mark.slow
async def test_the_theme_of_the_palette_is_remembered(tmp_path: Path) -> None:
    for lasting in (False, True):
        async with app_of(tmp_path, lasting=lasting).run_test(size=SIZE) as pilot:
            await type_in(pilot, "light")
            await settle(pilot)
            assert "light" in pilot.app.theme
        assert (Settings(tmp_path)[THEME] == "light") is lasting


@pytest.mark.slow
async def test_a_cluster_can_be_typed(tmp_path: Path) -> None:
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await pilot.press("comma", *["down"] * 5, "enter")
        await type_in(pilot, "somewhere", "ctrl+u")
        assert "'somewhere' is not a cluster address; write the address" in " ".join(text(pilot).split())
        await type_in(pilot, "local:2", "ctrl+u")
        await settle(pilot)
        assert chosen(pilot, "Cluster") == "local:2"
    assert Settings(tmp_path)[CLUSTER] == "local:2"


@pytest.mark.slow
async def test_the_syzygy_directory_and_the_engine_can_be_typed(tmp_path: Path, syzygy: Path) -> None:
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await pilot.press("comma", *["down"] * 7, "enter")
        await type_in(pilot, "/nowhere", "ctrl+u")
        assert "cannot be read" in text(pilot)
        await type_in(pilot, str(syzygy), "ctrl+u")
        await settle(pilot)
        assert "after a restart" in text(pilot)
        await pilot.press("down", "down", "enter")
        await type_in(pilot, "no-such-engine", "ctrl+u")
        assert "There is no engine no-such-engine" in text(pilot)
        await type_in(pilot, "off", "ctrl+u")
        await settle(pilot)
        assert chosen(pilot, "Engine") == "none"
    assert (Settings(tmp_path)[SYZYGY], Settings(tmp_path)[ENGINE]) == (str(syzygy), "off")


@pytest.mark.slow
async def test_the_defender_of_games_and_drills_can_be_chosen(play_root: Path) -> None:
    async with app_of(play_root, lasting=True).run_test(size=SIZE) as pilot:
        await pilot.press("3", "down", "down", "right", "right")  # tricky, for games of chess
        await pilot.press("down", "right", "down", "right")
        await settle(pilot)
        assert "tricky" in text(pilot)
    async with app_of(play_root, lasting=True).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "tricky" in text(pilot) and "1 min" in text(pilot)
        await pilot.press("comma", "down", "down", "down", "left", "escape")  # human, for all
        await settle(pilot)
        assert "human" in text(pilot) and "1 min" in text(pilot)
        await pilot.press("4", "tab", "down")
        await settle(pilot)
        assert "human" in text(pilot)


async def test_q_quits_settings_without_a_question_and_the_palette_opens_them(tmp_path: Path) -> None:
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await type_in(pilot, "settings")
        await settle(pilot)
        assert rows(pilot)[0].startswith(" Settings")
        await pilot.press("q")
        await pilot.pause()
        assert not pilot.app.is_running or pilot.app._exit


@pytest.mark.slow
async def test_a_locked_program_changes_neither_files_nor_programs(tmp_path: Path) -> None:
    app = EndgameApp(None, tmp_path, ascii=False, reach=AccessPolicy(locked=True))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("comma", *["down"] * 9, "enter")
        await settle(pilot)
        assert "Locked: Engine cannot be changed here" in text(pilot)
        assert chosen(pilot, "Engine") == "locked: none" and "stockfish, if" not in text(pilot)
        await pilot.press(
            "up", "right", "up", "right", "up", "up", "right", "up", "right"
        )  # files and the cluster stay
        await settle(pilot)
        assert chosen(pilot, "Autoplay") == "1.5 s per move"
        await pilot.press("down", "down", "enter", *"ann", "enter")  # a name is neither
        await settle(pilot)
        assert chosen(pilot, "Your name") == "ann"
    assert "syzygy" not in (tmp_path / "settings.toml").read_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", ["", "G"])
@pytest.mark.parametrize("way", fast(["3 1", "1 , escape 3 2", "3 2", "2 5 1", "4 1", "3 5"]))
async def test_a_setting_changes_no_screen_to_a_game_it_does_not_show(tmp_path: Path, first: str, way: str) -> None:
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        for keys in (first, way.replace(",", "comma"), "G", "comma right down right down right escape"):
            await pilot.press(*keys.split())
            await settle(pilot)
        for key in way.split():
            if key.isdigit():
                await pilot.press(key)
                await settle(pilot)
                assert pilot.app.is_running and "light" in pilot.app.theme
                assert ("●" in text(pilot) or "stones" in text(pilot)) is not bool(first) or key in "45"


def test_a_crash_is_reported_on_standard_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_app: EndgameApp) -> None:
        raise ZeroDivisionError

    def unseen(app: EndgameApp) -> None:
        App.run(app, headless=True)

    monkeypatch.setattr(EndgameApp, "run", unseen)
    monkeypatch.setattr(EndgameApp, "on_mount", crash)
    with pytest.raises(SystemExit) as ended:
        run(data_dir=tmp_path)
    assert ended.value.code == 1
