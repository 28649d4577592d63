"""Diagrams and sheets, and the errors where they cannot be made."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ElementTree
from html import escape
from pathlib import Path
from typing import Any

import chess
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from endgame_core import installation
from endgame_core.chess.game import CHESS
from endgame_core.cli.main import main
from endgame_core.game import PictureView
from endgame_core.morris.game import MORRIS
from endgame_core.practice.studies import Studies
from endgame_core.tables.library import Library
from endgame_core.words import sheet

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def root(tmp_path: Path, library: Library) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tables").symlink_to(library.root / "tables")
    return tmp_path / "data"


def call(root: Path, *args: str) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(root), *args])


def pieces(svg: str) -> int:
    """How many pieces or stones a picture has."""
    tree = ElementTree.fromstring(svg)
    uses = list(tree.iter(f"{SVG}use"))
    stones = [element for element in tree.iter(f"{SVG}circle") if element.get("r") == "32"]
    return len(uses) + len(stones)


class TestDiagram:
    @pytest.mark.parametrize(
        ("position", "men"), [("8/8/4k3/8/4K3/4P3/8/8 w - - 0 1", 3), ("OXOOXX2/8/8 w", 6), ("8/8/8 w 9-9", 0)]
    )
    def test_a_diagram_shows_every_piece(self, root: Path, position: str, men: int) -> None:
        result = call(root, "diagram", position)
        assert result.exit_code == 0 and pieces(result.stdout) == men

    def test_the_best_moves_are_arrows(self, root: Path) -> None:
        result = call(root, "diagram", "k7/8/1K6/8/8/8/8/7R w - - 0 1", "--arrows", "best")
        assert len(re.findall(r'class="arrow"', result.stdout)) >= 1
        assert ElementTree.fromstring(result.stdout).tag == f"{SVG}svg"

    def test_moves_can_be_drawn_by_name(self, root: Path) -> None:
        result = call(root, "diagram", "k7/8/1K6/8/8/8/8/7R w - - 0 1", "--arrows", "Rh7 Rg1")
        assert result.exit_code == 0 and len(re.findall(r'<line[^>]*class="arrow"', result.stdout)) == 2
        wrong = call(root, "diagram", "k7/8/1K6/8/8/8/8/7R w - - 0 1", "--arrows", "Qh7")
        assert wrong.exit_code == 1 and "Qh7" in wrong.stderr

    def test_a_map_colours_the_squares_of_a_piece(self, root: Path) -> None:
        plain = call(root, "diagram", "8/8/4k3/8/4K3/4P3/8/8 w").stdout
        mapped = call(root, "diagram", "8/8/4k3/8/4K3/4P3/8/8 w", "--map", "K").stdout
        by_square = call(root, "diagram", "8/8/4k3/8/4K3/4P3/8/8 w", "--map", "e4").stdout
        assert mapped == by_square != plain and "#2c7a3a" in mapped and "#2763a8" in mapped
        wrong = call(root, "diagram", "8/8/4k3/8/4K3/4P3/8/8 w", "--map", "Q")
        assert wrong.exit_code == 1 and "there is no piece" in wrong.stderr and "K, P, k" in wrong.stderr

    def test_a_map_needs_the_table(self, tmp_path: Path) -> None:
        result = call(tmp_path, "diagram", "8/8/4k3/8/4K3/4P3/8/8 w", "--map", "K")
        assert result.exit_code == 1 and "KPvK is not built" in result.stderr and not result.stdout

    def test_an_existing_file_is_overwritten_only_with_force(self, root: Path, tmp_path: Path) -> None:
        file = tmp_path / "d.svg"
        assert call(root, "diagram", "OXOOXX2/8/8 w", "-o", str(file)).exit_code == 0
        before = file.read_bytes()
        assert call(root, "diagram", "8/8/8 w 9-9", "-o", str(file)).exit_code == 1 and file.read_bytes() == before
        assert call(root, "diagram", "8/8/8 w 9-9", "-o", str(file), "--force").exit_code == 0
        assert file.read_bytes() != before

    def test_a_diagram_is_drawn_as_png(self, root: Path, tmp_path: Path) -> None:
        try:
            import cairosvg
        except (ImportError, OSError):
            pytest.skip("needs the 'pictures' extra and the library cairo")
        del cairosvg
        file = tmp_path / "d.png"
        assert call(root, "diagram", "OXOOXX2/8/8 w", "--png", "-o", str(file), "--size", "300").exit_code == 0
        assert file.read_bytes().startswith(b"\x89PNG")

    def test_without_the_packages_the_error_says_what_to_install(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "cairosvg", None)
        result = call(root, "diagram", "OXOOXX2/8/8 w", "--png", "-o", "-")
        assert result.exit_code == 1 and "[pictures]" in result.stderr and "Traceback" not in result.stderr

    @given(st.integers(0, 23), st.booleans())
    def test_a_flipped_board_turns_its_points(self, point: int, flipped: bool) -> None:
        position = MORRIS.parse("8/8/8 w 9-9")
        move = next(move for move in MORRIS.moves(position) if move.end == point)
        svg = MORRIS.picture(position, PictureView((move,), flipped=flipped))
        other = MORRIS.picture(position, PictureView((move,), flipped=not flipped))
        assert svg != other and ElementTree.fromstring(svg) is not None


class TestSheet:
    def test_a_sheet_has_six_diagrams_on_a_page_and_the_solutions_after_them(self, root: Path, tmp_path: Path) -> None:
        file = tmp_path / "sheet.html"
        result = call(root, "studies", "export", "king-and-pawn", str(file))
        assert result.exit_code == 0
        studies = Studies(CHESS, tmp_path / "none").find("king-and-pawn").studies
        text = file.read_text()
        pages = text.split('<svg class="page"')[1:]
        boards = [page.count("viewBox") - 1 for page in pages]
        assert boards[:5] == [6] * 5 and not any(boards[5:]) and sum(boards) == len(studies)
        for study in studies:
            assert text.count(escape(study.name)) >= 2

    def test_solutions_have_best_play_where_tables_reach(self, root: Path, tmp_path: Path) -> None:
        call(root, "studies", "add", "k7/8/1K6/8/8/8/8/7R w", "--set", "One", "--name", "Back rank")
        text = call(root, "studies", "export", "One", "-", "--format", "html").stdout
        assert "Back rank" in text and "1.Rh8#" in text and "White to move. White wins, mate in 1." in text

    def test_no_text_of_a_sheet_leaves_the_page(self, root: Path) -> None:
        text = call(root, "studies", "export", "rook-endings", "-", "--format", "html").stdout
        for size, line in re.findall(r'font-size="(\d+)" text-anchor="start"[^>]*>([^<]*)<', text):
            assert len(line) * int(size) * 0.5 < sheet.PAGE[0] - 300

    def test_epd_is_the_default_format(self, root: Path, tmp_path: Path) -> None:
        file = tmp_path / "set.epd"
        call(root, "studies", "export", "king-and-pawn", str(file))
        boards = [chess.Board.from_epd(line)[0] for line in file.read_text().splitlines()]
        assert len(boards) == 30

    def test_a_sheet_is_printed_as_pdf(self, root: Path, tmp_path: Path) -> None:
        try:
            import cairosvg
        except (ImportError, OSError):
            pytest.skip("needs the 'pictures' extra and the library cairo")
        del cairosvg
        pypdf: Any = pytest.importorskip("pypdf")
        file = tmp_path / "sheet.pdf"
        assert call(root, "studies", "export", "basic-mates", str(file)).exit_code == 0
        assert len(pypdf.PdfReader(file).pages) >= 4


class TestAdvice:
    @pytest.mark.parametrize(
        ("prefix", "command"),
        [
            ("/home/ann/.local/pipx/venvs/endgame-tui", "pipx inject endgame-tui textual-serve==1.1.3"),
            ("/home/ann/.local/share/uv/tools/endgame-tui", 'uv tool install "endgame-tui[web]"'),
        ],
    )
    def test_the_install_command_fits_the_installation(
        self, monkeypatch: pytest.MonkeyPatch, prefix: str, command: str
    ) -> None:
        monkeypatch.setattr(sys, "prefix", prefix)
        assert installation.install_command("web") == command

    def test_in_a_clone_the_install_command_uses_its_pip(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(installation, "_is_checkout", lambda: True)
        assert (
            installation.install_advice("web") == 'run in your clone of the repository: .venv/bin/pip install ".[web]"'
        )

    def test_elsewhere_the_install_command_uses_this_python(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(installation, "_is_checkout", lambda: False)
        assert installation.install_command("web") == f'{sys.executable} -m pip install "endgame-tui[web]"'
