"""In ASCII mode every screen prints ASCII only."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from textual.events import Paste

from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp

from .desk import data_dir, frozen
from .terminal_text import rows, settle

QUEEN = "8/8/8/8/1k2r3/8/2K5/3Q4 {} - - {} 60"
PAWN = "8/1P6/8/8/1k6/8/6K1/7r w - - 0 1"
Keys = tuple[str, ...]
CLOCKS: Keys = tuple(f":clock {clock}" for clock in (0, 82, 99, 100, 149, 150))


def slow(value: object) -> ParameterSet:
    """A value for the slow suite."""
    return pytest.param(value, marks=pytest.mark.slow)


SIZES = pytest.mark.parametrize("size", [(80, 24), slow((40, 20)), slow((120, 40))], ids=lambda s: f"{s[0]}x{s[1]}")


async def foreign(app: EndgameApp, size: tuple[int, int], *keys: str) -> list[str]:
    """Presses keys, waiting after each for what is found out beside the screen; all rows that are not ASCII.

    Each text is keys with blanks between them, or what is typed after a colon.
    """
    found: list[str] = []
    pressed = [key for some in keys for key in ([some] if some.startswith(":") else some.split())]
    async with app.run_test(size=size) as pilot:
        for key in ("", *pressed):
            if key.startswith(":"):
                await pilot.press("colon")
                await pilot.pause()
                assert app.focused is not None
                app.focused.post_message(Paste(key[1:]))
                await pilot.press("enter")
            elif key:
                await pilot.press(key)
            for _ in range(2):
                found += [f"{key}: {row}" for row in rows(pilot) if not row.isascii()]
                await settle(pilot)
    return found


@pytest.fixture
def files(truth: Path, tmp_path: Path) -> Path:
    """Syzygy files, of which one is missing and one is wrong."""
    found = Path(shutil.copytree(truth / "syzygy", tmp_path / "syzygy"))
    (found / "KRvKB.rtbz").unlink()
    (found / "KNvK.rtbz").write_bytes((found / "KNvK.rtbz").read_bytes()[:-8] + bytes(8))
    return found


@SIZES
class TestChess:
    @pytest.mark.exhaustive
    @pytest.mark.parametrize("side", ["w", slow("b")])
    @pytest.mark.parametrize("both", [slow(False), True], ids=["dtm", "dtz"])
    async def test_clocks_print_ascii_only(
        self, size: tuple[int, int], library: Library, dtz_library: Library, side: str, both: bool
    ) -> None:
        app = EndgameApp(QUEEN.format(side, 0), (dtz_library if both else library).root, ascii=True)
        assert not await foreign(app, size, *CLOCKS, "z escape", *CLOCKS, ":clock 82", "m down right b escape")

    @pytest.mark.slow
    async def test_syzygy_files_print_ascii_only(self, size: tuple[int, int], tmp_path: Path, files: Path) -> None:
        app = EndgameApp(PAWN, tmp_path / "none", ascii=True, syzygy=str(files))
        keys = ("m down end escape z escape full_stop", f":{QUEEN.format('w', 96)}", "escape m down escape")
        assert not await foreign(app, size, *keys, "2 y V down v escape 1")

    @pytest.mark.slow
    @pytest.mark.parametrize("side", ["w", slow("b")])
    async def test_play_prints_ascii_only(self, size: tuple[int, int], dtz_library: Library, side: str) -> None:
        app = EndgameApp(QUEEN.format(side, 70), dtz_library.root, ascii=True)
        keys = "3 right enter v i i enter u w enter end left e n s escape E K question_mark"
        assert not await foreign(app, size, keys)

    @pytest.mark.slow
    async def test_library_practise_and_progress_print_ascii_only(
        self, size: tuple[int, int], dtz_library: Library, tmp_path: Path
    ) -> None:
        app = frozen(data_dir(tmp_path, dtz_library.directory), ascii=True)
        keys = "2 down down z down m escape v 4 down right down enter i i"
        assert not await foreign(app, size, keys)


@pytest.mark.exhaustive
@SIZES
async def test_morris_prints_ascii_only(
    size: tuple[int, int], morris: Explorer[Position, MorrisMove], tmp_path: Path
) -> None:
    app = EndgameApp("3-4", data_dir(tmp_path, morris.library.directory), ascii=True)
    keys = "m down b escape E C t i I o escape escape 3 right enter v i enter w enter end e 2 4 5 question_mark"
    assert not await foreign(app, size, keys)


@SIZES
@pytest.mark.parametrize("mode", ["1", *map(slow, "2345")])
async def test_help_prints_ascii_only(size: tuple[int, int], mode: str, tmp_path: Path) -> None:
    keys = f"{mode} question_mark" + 4 * " pagedown"
    assert not await foreign(EndgameApp(None, tmp_path, ascii=True), size, keys)
