"""In ASCII mode nothing else is drawn: of whatever screen, by whatever keys one comes there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from textual.events import Paste
from textual.pilot import Pilot
from textual.strip import Strip

from endgame_core.morris.rules import Move, Position
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp, MorrisApp
from endgame_tui.widgets.canvas import Canvas

from .drilling import data_dir, frozen
from .fifty import settle

QUEEN = "8/8/8/8/1k2r3/8/2K5/3Q4 {} - - {} 60"
PAWN = "8/1P6/8/8/1k6/8/6K1/7r w - - 0 1"


def slow(value: object) -> ParameterSet:
    """A value for the slow suite."""
    return pytest.param(value, marks=pytest.mark.slow)


SIZES = pytest.mark.parametrize("size", [(80, 24), slow((40, 20)), slow((120, 40))], ids=lambda s: f"{s[0]}x{s[1]}")


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is drawn by any widget and is not ASCII, however short it was seen."""
    found: list[str] = []
    fitted = Canvas._fitted

    def watched(self: Canvas) -> list[Strip]:
        rows = fitted(self)
        found.extend(f"{type(self).__name__}: {row.text.strip()}" for row in rows if not row.text.isascii())
        return rows

    monkeypatch.setattr(Canvas, "_fitted", watched)
    return found


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Presses keys; what has a blank in it, or begins with a colon, is typed after ``:``."""
    for key in keys:
        if key.startswith(":") and key != ":":
            await pilot.press("colon")
            assert pilot.app.focused is not None
            pilot.app.focused.post_message(Paste(key[1:]))
            await pilot.press("enter")
        else:
            await pilot.press(key)
        await pilot.pause()


async def walked(app: EndgameApp, size: tuple[int, int], *keys: str) -> None:
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await press(pilot, *keys)
        await settle(pilot)


async def looked_through(app: EndgameApp, size: tuple[int, int], *keys: str) -> None:
    """Presses keys, and waits after each of them for what is read beside the screen."""
    async with app.run_test(size=size) as pilot:
        for key in keys:
            await press(pilot, key)
            await app.workers.wait_for_complete()
            await pilot.pause()


@pytest.fixture
def files(truth: Path, tmp_path: Path) -> Path:
    """Syzygy files, of which one is missing and one is wrong."""
    found = Path(shutil.copytree(truth / "syzygy", tmp_path / "syzygy"))
    (found / "KRvKB.rtbz").unlink()
    (found / "KNvK.rtbz").write_bytes((found / "KNvK.rtbz").read_bytes()[:-8] + bytes(8))
    return found


Keys = tuple[str, ...]
CLOCKS: Keys = tuple(f":clock {clock}" for clock in (0, 82, 99, 100, 149, 150))


@SIZES
class TestChess:
    @pytest.mark.parametrize("side", ["w", slow("b")])
    @pytest.mark.parametrize("both", [slow(False), True], ids=["dtm", "dtz"])
    async def test_the_clocks(
        self, size: tuple[int, int], library: Library, dtz_library: Library, foreign: list[str], side: str, both: bool
    ) -> None:
        app = EndgameApp(QUEEN.format(side, 0), (dtz_library if both else library).root, ascii=True)
        await walked(app, size, *CLOCKS, "z", "escape", *CLOCKS, ":clock 82", "m", "down", "right", "b", "escape")
        assert not foreign

    @pytest.mark.slow
    async def test_syzygy_files(self, size: tuple[int, int], tmp_path: Path, files: Path, foreign: list[str]) -> None:
        app = EndgameApp(PAWN, tmp_path / "none", ascii=True, syzygy=str(files))
        keys: Keys = (
            "m",
            "down",
            "end",
            "escape",
            "z",
            "escape",
            ".",
            f":{QUEEN.format('w', 96)}",
            "escape",
            "m",
            "down",
        )
        await looked_through(app, size, *keys, "escape", "2", "y", "V", "down", "v", "escape", "1")
        assert not foreign

    @pytest.mark.parametrize("side", ["w", slow("b")])
    async def test_play(self, size: tuple[int, int], dtz_library: Library, foreign: list[str], side: str) -> None:
        app = EndgameApp(QUEEN.format(side, 70), dtz_library.root, ascii=True)
        keys: Keys = (
            "3",
            "right",
            "enter",
            "v",
            "i",
            "i",
            "enter",
            "u",
            "w",
            "enter",
            "end",
            "left",
            "e",
            "n",
            "s",
            "escape",
        )
        await walked(app, size, *keys, "E", "K", "question_mark")
        assert not foreign

    async def test_library_practise_progress(
        self, size: tuple[int, int], dtz_library: Library, tmp_path: Path, foreign: list[str]
    ) -> None:
        app = frozen(data_dir(tmp_path, dtz_library.directory), ascii=True)
        keys: Keys = (
            "2",
            "down",
            "down",
            "z",
            "down",
            "m",
            "escape",
            "v",
            "4",
            "down",
            "right",
            "down",
            "enter",
            "i",
            "i",
        )
        await looked_through(app, size, *keys)
        assert not foreign


@SIZES
async def test_morris(size: tuple[int, int], morris: Explorer[Position, Move], foreign: list[str]) -> None:
    app = MorrisApp("3-4", morris.library.root, ascii=True)
    keys: Keys = (
        "m",
        "down",
        "b",
        "escape",
        "3",
        "right",
        "enter",
        "v",
        "i",
        "enter",
        "w",
        "enter",
        "end",
        "e",
        "2",
        "4",
        "5",
    )
    await walked(app, size, *keys, "question_mark")
    assert not foreign


@SIZES
@pytest.mark.parametrize("mode", ["1", *map(slow, "2345")])
async def test_help(size: tuple[int, int], mode: str, tmp_path: Path, foreign: list[str]) -> None:
    await walked(EndgameApp(None, tmp_path, ascii=True), size, mode, "question_mark", *["pagedown"] * 4)
    assert not foreign
