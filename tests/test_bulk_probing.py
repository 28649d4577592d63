"""Many positions probed at once have the values that each has when probed alone."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.answers import probe_document
from endgame_core.app_context import AppContext
from endgame_core.chess.bulk import BulkProber, in_brief
from endgame_core.chess.game import CHESS
from endgame_core.cli import positions as commands
from endgame_core.cli.main import main
from endgame_core.tables.file import FrameCache, Table
from endgame_core.tables.library import Library

from . import positions
from .conftest import UP_TO_FOUR


@pytest.fixture(scope="session")
def laboratory(dtz_library: Library) -> AppContext:
    return AppContext(dtz_library.root)


@pytest.fixture(scope="session")
def briefly(laboratory: AppContext) -> BulkProber:
    return BulkProber(laboratory.library("dtm"), laboratory.library("dtz"))


@pytest.mark.slow
@given(positions.placed(UP_TO_FOUR), st.one_of(st.just(0), st.integers(0, 150)), st.booleans())
def test_a_quick_probe_agrees_with_a_full_probe(
    laboratory: AppContext, briefly: BulkProber, example: tuple[str, chess.Board], clock: int, turned: bool
) -> None:
    board = example[1].mirror() if turned else example[1]
    board.halfmove_clock = clock
    (told,) = briefly.tell([board.fen()])
    if not positions.is_legal(board):
        assert not told
        return
    assert json.loads(told) == in_brief(probe_document(laboratory.judge("chess"), board)), board.fen()


@given(st.text(alphabet="kKqQrRpP12345678/ wb-0369", max_size=50) | st.text(max_size=20))
def test_the_bulk_prober_answers_correctly_or_declines(laboratory: AppContext, briefly: BulkProber, text: str) -> None:
    judge = laboratory.judge("chess")
    for fen in (text, f"8/8/8/8/{text}/8/2k5/K7 w", f"8/8/8/8/8/1Q6/2k5/K7 {text}"):
        (told,) = briefly.tell([fen])
        if told:
            assert json.loads(told) == in_brief(probe_document(judge, judge.game.parse(fen)))


def test_many_lines_are_answered_in_their_order(dtz_library: Library, laboratory: AppContext) -> None:
    """Plain ones, one with a square that was passed, one of stones, one of too many men, and one that is none."""
    lines = [
        "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1", "", "8/8/8/8/Pp6/8/8/k1K5 b - a3 0 1", "nonsense",
        "k7/8/1K6/8/8/8/8/8 w - - 0 1",
        "k7/1Q6/1K6/8/8/8/8/8 b", chess.STARTING_FEN, "8/8/8/8/8/2k5/1r6/K2Q4 w - - 99 90",
    ]  # fmt: skip
    asked = ["--data-dir", str(dtz_library.root), "probe", "-"]
    brief = CliRunner().invoke(main, [*asked, "--brief"], input="\n".join(lines))
    full = CliRunner().invoke(main, [*asked, "--json"], input="\n".join(lines))
    assert brief.exit_code == full.exit_code == 1
    found = [json.loads(line) for line in brief.stdout.splitlines()]
    every = [json.loads(line) for line in full.stdout.splitlines()]
    assert found == [one if "error" in one else in_brief(one) for one in every]
    assert [one["fen"] for one in found if "error" in one] == ["nonsense", chess.STARTING_FEN]
    assert found[0] == {
        "fen": "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1", "category": "win", "dtm": 19, "dtz": 19, "wdl": 2, "layer": 19,
    }  # fmt: skip


def test_where_a_table_is_missing_positions_are_probed_one_by_one(library: Library, tmp_path: Path) -> None:
    """By DTM alone, and by no table at all."""
    fen = "8/8/8/8/8/2k5/1r6/K2Q4 w - - 84 90"
    assert BulkProber(library, AppContext(tmp_path).library("dtz")).tell([fen]) == [""]
    asked = ["--data-dir", str(library.root), "probe", fen, "--brief"]
    found = json.loads(CliRunner().invoke(main, asked).stdout)
    assert found == {"fen": fen, "category": "maybe-win", "dtm": 17, "dtz": None, "wdl": None, "layer": 17}


def test_lines_are_followed_only_on_request(dtz_library: Library) -> None:
    asked = ["--data-dir", str(dtz_library.root), "probe", "-", "--json"]
    fen = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
    plain, followed = (
        json.loads(CliRunner().invoke(main, [*asked, *more], input=fen).stdout) for more in ((), ("--line",))
    )
    assert len(followed["line"]) == 19 and followed["line_by"] == "dtm"
    assert plain == {name: value for name, value in followed.items() if not name.startswith("line")}


def test_a_stream_is_read_in_large_blocks_and_a_single_query_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe holds little at a time; who waits for an answer has written less than that."""
    monkeypatch.setattr(commands, "_STREAM_WAIT", 60.0)
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as given, os.fdopen(sink, "wb", buffering=0) as asker, ThreadPoolExecutor(1) as pool:
        asker.write(b"a question\n")
        assert commands._read_chunk(given) == b"a question\n"
        text = bytes(300_000)
        writing = pool.submit(lambda: (asker.write(text), asker.close()))
        assert commands._read_chunk(given) == text
        writing.result()


def test_tables_with_the_same_tiling_share_their_stored_slots(dtz_library: Library, library: Library) -> None:
    asked: list[int] = []

    def copies(side: int, box: Sequence[range]) -> Any:
        asked.append(side)
        return CHESS.index.arrays().copies_in("KRvKN", side, box)

    cache, slots = FrameCache(100_000_000), np.random.default_rng(2).integers(0, 1 << 21, 3000)
    for tables in (library, dtz_library):
        table = Table(tables.path("KRvKN"), copies, cache, codes_of_bytes=tables.game.index.codes)
        codes = table.codes(1, slots)
        assert [table.code(1, slot) for slot in slots[:200].tolist()] == codes[:200].tolist()
        assert codes.tolist() == [
            table.stored_codes(1)[stored] for stored in tables.table("KRvKN").all_stored(1, 0)[slots]
        ]
    assert len(asked) == 1, "frames side by side are asked about together, and once"
