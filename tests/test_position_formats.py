"""Each format that ``convert`` writes, it reads."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from endgame_core.cli.main import main
from endgame_core.games import by_name
from endgame_core.tables.library import Library

Printed = Callable[..., str]
FEN = "8/8/8/3k4/8/1K6/4q3/8 b - - 12 40"


@pytest.fixture
def said(library: Library, tmp_path: Path) -> Printed:
    (tmp_path / "tables").symlink_to(library.directory, target_is_directory=True)

    def run(*words: str, stdin: str | None = None, failed: bool = False) -> str:
        done = CliRunner().invoke(main, ["--data-dir", str(tmp_path), *words], input=stdin)
        assert done.exit_code == failed, done.output
        return done.stdout

    return run


@pytest.mark.parametrize("form", ["fen", "epd", "key", "json"])
@pytest.mark.parametrize("ending", ["KQvK", "3-4"])
def test_the_output_of_positions_can_be_read(said: Printed, ending: str, form: str) -> None:
    if (ending, form) == ("3-4", "epd"):
        return
    args = ("positions", ending, "--layer", "9", "--sample", "3", "--seed", "4", *_winner(ending))
    plain, printed = said(*args), said(*args, "--format", form)
    wanted = plain.splitlines()
    assert said("convert", "-", stdin=printed).splitlines() == wanted
    assert [json.loads(row)["fen"] for row in said("probe", "-", stdin=printed).splitlines()] == wanted
    for number, (line, fen) in enumerate(zip(printed.splitlines(), wanted, strict=True)):
        assert json.loads(said("line", line, "--json"))["fen"] == fen
        assert said("studies", "add", line, "--set", f"{form} {number}", "--json").count(fen) == 1


def _winner(ending: str) -> tuple[str, ...]:
    return ("--winner", "mover") if ending == "3-4" else ()


@pytest.mark.parametrize("form", ["fen", "short", "diagram", "key"])
@pytest.mark.parametrize("to", ["fen", "short", "diagram", "key"])
def test_every_format_converts_into_every_other(said: Printed, form: str, to: str) -> None:
    written = said("convert", FEN, "--to", form)
    assert said("convert", written.strip(), "--to", to) == said("convert", "-", "--to", to, stdin=written)
    board = by_name("chess").parse(FEN)
    found = by_name("chess").parse(said("convert", written.strip(), "--to", to))
    assert (found.board_fen(), found.turn) == (board.board_fen(), board.turn)
    if (form, to) == ("fen", "fen"):
        assert written.strip() == FEN


def test_convert_writes_each_format_as_documented(said: Printed) -> None:
    assert said("convert", "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1", "--to", "short") == "7K/6Q1/8/8/2k5/8/8/8 w\n"
    assert said("convert", FEN, "--to", "key").startswith("KvKQ:")
    rows = said("convert", FEN, "--to", "diagram").splitlines()
    assert rows[0] == "Black to move" and rows[4] == ". . . k . . . ." and len(rows) == 9


def test_a_lost_en_passant_right_causes_a_warning(library: Library) -> None:
    passed, plain = (f"8/8/7k/8/3Pp3/8/7K/8 b - {square} 0 1" for square in ("d3", "-"))

    def run(*words: str) -> tuple[str, str]:
        done = CliRunner().invoke(main, ["--data-dir", str(library.root), "convert", *words])
        return done.stdout.strip(), done.stderr

    for form in ("fen", "short", "diagram"):
        assert run(run(passed, "--to", form)[0]) == (passed, "")
    key, said = run(passed, "--to", "key")
    assert "en passant rights; the right in this position is omitted" in said and run(key) == (plain, "")
    assert run(plain, "--to", "key") == (key, "")
    assert run("8/8/7k/8/3P4/8/7K/8 b - d3 0 1", "--to", "diagram")[0].startswith("Black to move\n")


@pytest.mark.parametrize("to", ["fen", "short", "key", "nested"])
def test_positions_of_stones_survive_each_format(said: Printed, to: str) -> None:
    for text in ("OO1O4/X6X/X7 b", "XX1X4/8/O5OO b"):
        assert said("convert", said("convert", text, "--to", to).strip()) == f"{text}\n"


def test_a_bad_line_among_many_is_reported(said: Printed) -> None:
    diagram = said("convert", FEN, "--to", "diagram")
    lines = f"{FEN}\n\n{diagram}nonsense\n{FEN} ; a note\n"
    rows = said("convert", "-", stdin=lines, failed=True).splitlines()
    assert rows == [FEN, FEN.replace("12 40", "0 1"), FEN]
    bad = CliRunner().invoke(main, ["convert", "-"], input=lines).stderr
    assert bad.startswith("endgame-tui: line 12: ") and "nonsense" in bad


def test_operations_of_epd_set_the_counters(said: Printed) -> None:
    men = "8/8/8/3k4/8/1K6/4q3/8 b - -"
    for told, counts in (
        ('bm Qd2; id "hmvc 9; x";', "0 1"), ("hmvc 7; fmvn 30;", "7 30"), ('c0 "dtz 5";', "0 1"), ("dm -3;", "0 1")
    ):  # fmt: skip
        assert said("convert", f"{men} {told}") == f"{men} {counts}\n"
    assert said("convert", f"{men} x 1", failed=True) == ""


def test_an_exported_set_can_be_converted(said: Printed) -> None:
    said("studies", "add", FEN, "--note", "what; a note", "--set", "mine")
    assert said("convert", "-", stdin=said("studies", "export", "mine", "-")) == f"{FEN}\n"
    stones = "OO1O4/X6X/X7 b"
    said("studies", "--game", "morris", "add", stones, "--note", "a note", "--set", "stones")
    exported = said("studies", "--game", "morris", "export", "stones", "-")
    assert said("convert", "-", stdin=exported) == f"{stones}\n"
