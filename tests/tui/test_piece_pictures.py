"""Pictures of pieces: sent once, shown by placeholder cells, deleted at the end, and a reason where there are none."""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path
from typing import Any, cast

import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.pilot import Pilot

from endgame_core.settings import PIECES
from endgame_tui.app import EndgameApp
from endgame_tui.face_chess import ChessLayout, ColouredPiece, SquareState, paint
from endgame_tui.look import DARK, UNICODE, Look, StylePalette
from endgame_tui.low_bandwidth import FAST_LINE_SECONDS, Pen, diff_driver
from endgame_tui.piece_pictures import PLACEHOLDERS, PiecePictures, picture_rows, terminal_obstacle
from endgame_tui.widgets.board import MoveBoard

from .terminal_text import rows, settle, text
from .test_motion import Line

QUEEN = "8/7K/2k5/8/8/4Q3/8/8 w - - 0 1"
FIRST = chr(min(PLACEHOLDERS))
MESSAGE = re.compile("\x1b_G([^;\x1b]*);?([^\x1b]*)\x1b\\\\")


class Terminal:
    """A terminal with the graphics protocol: what it has been sent, and the pictures that it has."""

    def __init__(self) -> None:
        self.sent = ""

    def write(self, data: str) -> None:
        """Take note of pictures, not of the shape of the mouse pointer."""
        if data.startswith("\x1b_G"):
            self.sent += data

    def pictures(self) -> dict[int, tuple[str, str, bytes]]:
        """The columns, rows and data of each picture by its number."""
        result: dict[int, tuple[str, str, bytes]] = {}
        number = 0
        data = ""
        size = "", ""
        for control, payload in MESSAGE.findall(self.sent):
            entries = dict(entry.split("=") for entry in control.split(","))
            assert entries["q"] == "2"  # the terminal need not answer
            if entries.get("a") == "d":
                del result[int(entries["i"])]
                continue
            if "i" in entries:
                assert (entries["a"], entries["U"], entries["f"]) == ("T", "1", "100")
                number = int(entries["i"])
                size = entries["c"], entries["r"]
                data = ""
            assert len(payload) <= 4096
            data += payload
            if entries["m"] == "0":
                result[number] = (size[0], size[1], b64decode(data))
        return result


def app_of(root: Path, monkeypatch: pytest.MonkeyPatch, **environ: str) -> EndgameApp:
    """The app with the setting ``image`` in a terminal with some environment, by default kitty."""
    (root / "settings.toml").write_text('pieces = "image"\n')
    for name in ("TMUX", "KITTY_WINDOW_ID", "TERM_PROGRAM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm-kitty", **environ}.items():
        monkeypatch.setenv(name, value)
    return EndgameApp(QUEEN, root, ascii=False)


async def answer(pilot: Pilot[Any], terminal: Terminal, seconds: float = 0.01) -> None:
    """Let the terminal answer within some seconds."""
    driver = cast("Any", pilot.app._driver)  # pyright: ignore[reportPrivateUsage]
    driver.write = terminal.write
    driver.line_seconds = seconds
    cast("Any", pilot.app).on_line_timed()
    await settle(pilot)


def cells(pilot: Pilot[Any]) -> int:
    """How many cells of pictures are on the screen."""
    return sum(ord(char) in PLACEHOLDERS for char in text(pilot))


def test_a_picture_is_sent_once_for_each_piece_and_size() -> None:
    terminal = Terminal()
    pictures = PiecePictures(terminal.write)
    colours = {pictures.colour(*key) for key in (("wK", 6, 3), ("bK", 6, 3), ("wK", 6, 3), ("wK", 8, 4))}
    assert len(colours) == 3
    sent = terminal.pictures()
    assert {f"#{number:06x}" for number in sent} == colours
    assert [size[:2] for size in sent.values()] == [("6", "3"), ("6", "3"), ("8", "4")]
    assert all(data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82") for *_, data in sent.values())
    assert len(terminal.sent) < 3 * 5000
    pictures.delete()
    assert not terminal.pictures()
    pictures.send_again()
    assert terminal.pictures() == sent


def test_cells_are_placeholders_with_row_and_column_where_they_are_sent() -> None:
    pictures = PiecePictures(Terminal().write)
    style = Style(color=pictures.colour("wQ", 6, 3), bgcolor="#bcc8d3")
    row = picture_rows(6, 3)[1]
    sent = Pen().write(row, style, ColorSystem.TRUECOLOR)
    assert sent == "\x1b[38;2;69;71;1;48;2;188;200;211m" + "".join(
        f"\U0010eeee\u030d{column}" for column in "\u0305\u030d\u030e\u0310\u0312\u033d"
    )
    assert Pen().write("Kg♔", None, None) == "Kg♔"


def test_the_square_is_behind_the_picture_and_the_cursor_before_it() -> None:
    look = Look(StylePalette(DARK), UNICODE, pictures=PiecePictures(Terminal().write))
    piece = ColouredPiece("Q", True)
    plain, with_cursor = (
        paint(SquareState("square_dark", piece, None, cursor, False), ChessLayout(4, 8), look)
        for cursor in (False, True)
    )
    assert ["".join(chars for chars, _ in row) for row in plain] == picture_rows(8, 4)
    assert all(style.bgcolor == look.palette("text", "square_dark").bgcolor for row in plain for _, style in row)
    drawn = ["".join(chars for chars, _ in row) for row in with_cursor]
    assert (drawn[0][0], drawn[0][-1], drawn[3][0], drawn[3][-1]) == tuple("┏┓┗┛")
    assert [row[1:-1] for row in drawn] == [row[1:-1] for row in picture_rows(8, 4)]


async def test_nothing_is_sent_again_by_moving_flipping_or_switching_screens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    async with app_of(tmp_path, monkeypatch).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert cells(pilot) == 0 and not terminal.sent  # until the terminal has answered
        await answer(pilot, terminal)
        layout = pilot.app.screen.query_one(MoveBoard).board_layout
        per_picture = layout.width * layout.height
        assert cells(pilot) == 3 * per_picture - 4 * (layout.height >= 4)  # the cursor has four corners
        assert len(terminal.pictures()) == 3
        sent = terminal.sent
        first_row = next(y for y, row in enumerate(rows(pilot)) if FIRST in row)

        await pilot.press("f")
        await settle(pilot)
        assert cells(pilot) > 0 and next(y for y, row in enumerate(rows(pilot)) if FIRST in row) != first_row
        for keys in ("f", "right", "left", "2", "1", "comma", "escape", "question_mark", "escape"):
            await pilot.press(keys)
            await settle(pilot)
        assert cells(pilot) > 0
        assert terminal.sent == sent

        await pilot.resize_terminal(160, 57)
        await settle(pilot)
        assert len(terminal.pictures()) == 6
        larger = terminal.sent
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        assert cells(pilot) > 0 and terminal.sent == larger

        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert cells(pilot) == 0 and "♔" in text(pilot)  # squares of two rows have glyphs


async def test_the_screen_prints_the_placeholder_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app_of(tmp_path, monkeypatch).run_test(size=(120, 32)) as pilot:
        await answer(pilot, Terminal())
        shown = [row[: 3 + 48] for row in rows(pilot) if any(ord(char) in PLACEHOLDERS for char in row)]
        columns = [[x for x, char in enumerate(row) if ord(char) in PLACEHOLDERS] for row in shown]
        # Pictures of 6 x 3 cells on h7, c6 and e3; the cursor puts e3 in brackets.
        assert [len(row) for row in columns] == [6, 6, 6, 6, 6, 6, 6, 4, 6]
        assert [row[0] for row in columns] == [45] * 3 + [15] * 3 + [27, 28, 27]


async def test_the_setting_says_why_pictures_are_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with app_of(tmp_path, monkeypatch).run_test(size=(120, 40)) as pilot:
        await pilot.press("comma", *["down"] * 11)
        for seconds, reason in ((FAST_LINE_SECONDS, "the connection to the terminal is slow"), (0.01, "")):
            terminal = Terminal()
            await answer(pilot, terminal, seconds)
            shown = " ".join(" ".join(row[47:] for row in rows(pilot)).split())
            assert ("Pictures are not available:" in shown) is bool(reason) and reason in shown
            await pilot.press("escape")
            await settle(pilot)
            assert bool(terminal.sent) is bool(cells(pilot)) is not bool(reason)
            await pilot.press("comma", *["down"] * 11)
            await settle(pilot)
        monkeypatch.setenv("TERM", "xterm-256color")
        await answer(pilot, terminal)
        shown = " ".join(" ".join(row[47:] for row in rows(pilot)).split())
        assert "only the terminals kitty and Ghostty can draw them" in shown
        await pilot.press("escape")
        await settle(pilot)
        assert cells(pilot) == 0 and "▄" in text(pilot)  # as with auto


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({"TERM": "xterm-kitty"}, ""),
        ({"TERM": "xterm-ghostty"}, ""),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, ""),
        ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, ""),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, "tmux and screen"),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, "tmux and screen"),
        ({"TERM": "foot"}, "only the terminals kitty and Ghostty"),
        ({}, "only the terminals kitty and Ghostty"),
    ],
)
def test_an_obstacle_says_why_a_terminal_shows_no_pictures(environ: dict[str, str], reason: str) -> None:
    assert reason in terminal_obstacle(environ)
    assert bool(terminal_obstacle(environ)) is bool(reason)


async def test_other_obstacles_prevent_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_of(tmp_path, monkeypatch)
    assert "has not answered" in app.picture_obstacle
    app._ascii = True  # pyright: ignore[reportPrivateUsage]
    assert "colours and Unicode" in app.picture_obstacle
    app = app_of(tmp_path, monkeypatch, COLORTERM="")
    assert "true colour" in app.picture_obstacle
    app = app_of(tmp_path, monkeypatch, NO_COLOR="1")
    assert "colours and Unicode" in app.picture_obstacle
    assert app.settings[PIECES] == "image" and app.look.pictures is None


def test_pictures_are_deleted_from_the_terminal_at_the_end() -> None:
    class App:
        pictures: PiecePictures | None = None

    driver = cast("Any", object.__new__(diff_driver(Line)))
    driver.sent = ""
    driver._app = App()
    driver.stop_application_mode()
    assert "\x1b_G" not in driver.sent
    driver._app.pictures = PiecePictures(driver.write)
    driver._app.pictures.colour("bN", 12, 6)
    driver.stop_application_mode()
    assert driver.sent.endswith("\x1b_Ga=d,d=I,i=4540161,q=2\x1b\\")
