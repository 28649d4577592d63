"""SVG charts are well-formed, and the height of each bar fits its figure."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.cli.main import main
from endgame_core.tables.library import Library
from endgame_core.words.chart import BarChart, BarSeries, document

SVG = "{http://www.w3.org/2000/svg}"
GAME = '[Event "?"]\n[Date "2024.03.01"]\n[White "Ann"]\n[Black "Bob"]\n[SetUp "1"]\n'
LOST_WIN = f'{GAME}[FEN "8/8/8/4k3/8/8/8/KQ6 w - - 0 1"]\n\n1. Qe4+ Kxe4 1/2-1/2\n'


def bars(svg: str) -> list[tuple[str, float]]:
    """What each bar says, and its height."""
    root = ElementTree.fromstring(svg)
    return [
        (str(title.text), float(bar.attrib["height"]))
        for bar in root.iter(f"{SVG}rect")
        if (title := bar.find(f"{SVG}title")) is not None
    ]


def run(library: Library, *args: str) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(library.root), *args])


def test_bars_are_as_high_as_their_values() -> None:
    chart = BarChart("T", ["a", "b"], [BarSeries("x", [1, 2], "red"), BarSeries("y", [0, 3], "blue")], "n")
    heights = dict(bars(document([chart])))
    assert set(heights) == {"a: x 1", "b: x 2", "b: y 3"}
    assert heights["b: x 2"] == pytest.approx(2 * heights["a: x 1"], abs=0.05)
    assert heights["b: y 3"] == pytest.approx(3 * heights["a: x 1"], abs=0.05)


@given(
    values=st.lists(st.integers(0, 10**12) | st.floats(0, 1e6), max_size=300),
    words=st.text(max_size=30),
    count=st.integers(0, 3),
)
def test_any_values_make_a_valid_document(values: list[float], words: str, count: int) -> None:
    chart = BarChart(words, [words] * len(values), [BarSeries(words, values, "red")], words, words)
    svg = document([chart] * count)
    heights = [height for _, height in bars(svg)]
    assert len(heights) <= count * len(values) and all(0 <= height <= 225 for height in heights)


def test_the_chart_of_layers_has_a_bar_for_every_layer(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "layers.svg"
    result = run(library, "layers", "KQvK", "--chart", str(file))
    assert (result.exit_code, result.stdout) == (0, f"chart written to {file}\n")
    found = json.loads(run(library, "layers", "KQvK", "--json").stdout)
    expected = {f"{layer['n']}: boards {layer['all']:,}".replace(",", " ") for layer in found["layers"]}
    assert {text.replace("\u202f", " ") for text, _ in bars(file.read_text("utf-8"))} == expected
    again = run(library, "layers", "KQvK", "--chart", str(file))
    assert again.exit_code == 1 and "already exists" in again.stderr
    assert run(library, "layers", "KQvK", "--chart", str(file), "--force").exit_code == 0
    assert run(library, "layers", "KQvK", "--chart", "-").stdout == file.read_text("utf-8")


@pytest.mark.slow
def test_the_charts_of_an_ending_name_every_result(library: Library, looking: None, tmp_path: Path) -> None:
    file = tmp_path / "about.svg"
    result = run(library, "about", "KPvK", "--chart", str(file))
    assert result.exit_code == 0 and result.stdout == f"charts written to {file}\n"
    texts = [text for text, _ in bars(file.read_text("utf-8"))]
    assert any(text.startswith("White to move: win ") for text in texts) and len(texts) > 30
    assert run(library, "about", "KPvK", "--chart", str(file), "--zugzwangs").exit_code == 2


def test_the_charts_of_games_show_points_by_ending_and_month(library: Library, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(LOST_WIN)
    file = tmp_path / "report.svg"
    result = run(library, "games", str(tmp_path / "games.pgn"), "--report", str(file), "--no-drills")
    assert result.exit_code == 0 and f"charts written to {file}" in result.stdout
    assert [text for text, _ in bars(file.read_text("utf-8"))] == ["KQvK: points 0.5", "2024.03: points 0.5"]
    result = run(library, "games", str(tmp_path / "games.pgn"), "--report", "-", "--no-drills", "--json")
    assert result.exit_code == 0 and result.stdout == file.read_text("utf-8"), "nothing else is mixed with the picture"


@pytest.mark.skipif(find_spec("cairosvg") is None, reason='the extra "pictures" is not installed')
def test_a_file_name_with_png_writes_a_png(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "layers.png"
    assert run(library, "layers", "KQvK", "--chart", str(file)).exit_code == 0
    assert file.read_bytes().startswith(b"\x89PNG")
