"""Text has a contrast of at least 3:1 against its background, as the terminal shows both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rich._palettes import STANDARD_PALETTE
from rich.color import Color, ColorSystem, ColorType
from textual.pilot import Pilot

from endgame_core.settings import THEME
from endgame_tui.app import EndgameApp
from endgame_tui.look import DARK, colours_of
from tests.conftest import fast

from .terminal_text import settle

SYSTEMS = {"256": ColorSystem.EIGHT_BIT, "standard": ColorSystem.STANDARD, "truecolor": ColorSystem.TRUECOLOR}
LEAST = 3.0
WORDS = ("text", "dim", "faint", "amber", "win", "draw", "loss", "cursed", "blessed")
MAP = tuple(role for role in DARK if role.startswith("map_"))
SQUARES = ("square_light", "square_dark", "moved_light", "moved_dark", "best_target", *MAP)
DRAWN = frozenset("▄▀▐▌█▛▜▙▟▞▚▖▗▘▝─│┌┐└┘├┤┬┴┼━╸░▁▂▃▅▆▇ ")
"""What is drawn in two colours, none of which is ink on the other, and bars: length says what they say."""

PAIRS = (
    *((ink, ground) for ground in ("ground", "bar") for ink in WORDS),
    *((ink, "selected") for ink in WORDS if ink != "faint"),
    *((ink, ground) for ground in SQUARES for ink in ("black_man", "cursor")),
    ("white_man", "cursor"),
    *((ink, "morris_board") for ink in ("morris_line", "morris_mark", "white_man", "black_man")),
    ("white_man", "black_man"), ("take_white", "white_man"), ("take_black", "black_man"),
)  # fmt: skip


def shown(colour: Color, system: str) -> tuple[int, int, int]:
    """A colour as the terminal shows it; the first sixteen as the console of Linux does."""
    found = colour.downgrade(SYSTEMS[system])
    return STANDARD_PALETTE[found.number or 0] if found.type is ColorType.STANDARD else found.get_truecolor()


def contrast(ink: Color, paper: Color, system: str) -> float:
    """As WCAG 2 computes it."""

    def light(colour: Color) -> float:
        parts = [part / 255 for part in shown(colour, system)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    more, less = sorted((light(ink), light(paper)), reverse=True)
    return (more + 0.05) / (less + 0.05)


def unreadable(pilot: Pilot[Any], system: str) -> list[tuple[str, float]]:
    """What is printed with too little contrast."""
    strips = pilot.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    found: list[tuple[str, float]] = []
    for text, style, _ in (segment for strip in strips for segment in strip):
        if style is None or style.color is None or style.bgcolor is None or not set(text) - DRAWN:
            continue
        ink, paper = (style.bgcolor, style.color) if style.reverse else (style.color, style.bgcolor)
        if (seen := contrast(ink, paper, system)) < LEAST:
            found.append((text, round(seen, 2)))
    return found


@pytest.mark.parametrize("theme", THEME.choices)
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_pair_of_colours_is_readable(theme: str, system: str) -> None:
    colours = {role: Color.parse(colour) for role, colour in colours_of(theme, system).items()}
    seen = {pair: round(contrast(colours[pair[0]], colours[pair[1]], system), 2) for pair in PAIRS}
    assert {pair: least for pair, least in seen.items() if least < LEAST} == {}


@pytest.mark.parametrize("theme", THEME.choices)
@pytest.mark.parametrize("system", SYSTEMS)
def test_pieces_and_depths_stand_out_from_every_square(theme: str, system: str) -> None:
    """The outline of a white piece, the fill of a black one, the glyphs of both and the labels are of one colour."""
    colours = {role: Color.parse(colour) for role, colour in colours_of(theme, system).items()}
    seen = {ground: contrast(colours["black_man"], colours[ground], system) for ground in SQUARES}
    assert {ground: round(least, 2) for ground, least in seen.items() if least < 4.5} == {}
    assert contrast(colours["white_man"], colours["black_man"], system) >= 7


@pytest.mark.parametrize("system", ["256", "truecolor"])
def test_the_high_contrast_theme_has_high_contrast(system: str) -> None:
    colours = {role: Color.parse(colour) for role, colour in colours_of("high-contrast", system).items()}
    assert min(contrast(colours[word], colours["ground"], system) for word in WORDS) >= 7


@pytest.mark.parametrize("theme", THEME.choices)
@pytest.mark.parametrize("system", SYSTEMS)
def test_squares_are_distinguishable_and_greys_stay_grey(theme: str, system: str) -> None:
    colours = {role: shown(Color.parse(colour), system) for role, colour in colours_of(theme, system).items()}
    assert colours["square_light"] != colours["square_dark"] and colours["selected"] != colours["ground"]
    assert colours["amber"] not in (colours["win"], colours["text"])
    for role, colour in colours_of(theme, system).items():
        asked = Color.parse(colour).get_truecolor()
        if len(set(asked)) == 1:
            assert len(set(colours[role])) == 1, role


@pytest.mark.slow
@pytest.mark.parametrize(("system", "environ"), [
    ("standard", {"TERM": "linux"}), pytest.param("256", {"TERM": "xterm-256color"}, marks=pytest.mark.slow),
    ("truecolor", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}),
])  # fmt: skip
@pytest.mark.parametrize("start", fast(["8/8/8/3k4/8/8/8/1K2Q3 w - - 0 1", "6X1/1X2X3/X4OOO w"]))
async def test_all_printed_text_is_readable(
    tmp_path: Path, system: str, environ: dict[str, str], start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TERM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    app = EndgameApp(start, tmp_path / "data", ascii=False)
    async with app.run_test(size=(120, 36)) as pilot:
        assert app.console.color_system == system
        for keys in (
            (),
            ("m",),
            ("colon",),
            ("escape", "full_stop"),
            ("equals_sign",),
            ("escape", "2"),
            ("3",),
            ("4",),
            ("question_mark",),
        ):
            await pilot.press(*keys)
            await settle(pilot)
            assert unreadable(pilot, system) == [], keys
