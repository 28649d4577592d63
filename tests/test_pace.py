"""Prices follow the speed of earlier builds on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from endgame_core import jsonl_process, paths
from endgame_core.chess.game import CHESS
from endgame_core.tables import build as builder
from endgame_core.tables.library import Library
from endgame_core.tables.pace import MachinePace
from endgame_core.tables.plan import SECONDS_PER_TABLE


@pytest.fixture
def pace(tmp_path: Path) -> MachinePace:
    return MachinePace(tmp_path / "pace.json", "chess dtm")


def test_the_median_of_the_last_builds_counts(pace: MachinePace) -> None:
    assert pace.factor() == 1
    pace.add(1.0, 3.6)
    assert pace.factor() == 2
    for _ in range(8):
        pace.add(10.0, 9.0)
    assert pace.factor() == 0.5
    for _ in range(9):
        pace.add(1.0, 1e6)
    assert pace.factor() == 10


def test_small_builds_are_not_measured(pace: MachinePace) -> None:
    pace.add(0.01, 0.9)
    assert pace.factor() == 1


def test_each_kind_of_build_and_each_machine_has_its_own_pace(
    pace: MachinePace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pace.add(1.0, 3.6)
    path = tmp_path / "pace.json"
    assert MachinePace(path, "chess dtz").factor() == 1
    monkeypatch.setattr("endgame_core.tables.pace.processor", lambda: "another")
    assert MachinePace(path, "chess dtm").factor() == 1
    monkeypatch.undo()
    assert MachinePace(path, "chess dtm").factor() == 2


@pytest.mark.parametrize("text", ["", "[]", "[" * 5000, '{"chess dtm": 3}', "\0"])
def test_a_damaged_file_is_replaced(pace: MachinePace, tmp_path: Path, text: str) -> None:
    (tmp_path / "pace.json").write_text(text)
    assert pace.factor() == 1
    pace.add(1.0, 3.6)
    assert pace.factor() == 2


def test_odd_ratios_are_ignored(pace: MachinePace, tmp_path: Path) -> None:
    pace.add(1.0, 3.6)
    path = tmp_path / "pace.json"
    for odd in ("fast", [None], ["1"], {}, 7):
        path.write_text(json.dumps(dict.fromkeys(json.loads(path.read_text()), odd)))
        assert MachinePace(path, "chess dtm").factor() == 1


@pytest.mark.parametrize(("scratch", "builds"), [(0, 3), (1 << 20, 0)])
def test_builds_in_little_memory_are_not_measured(
    empty_library: Library, monkeypatch: pytest.MonkeyPatch, scratch: int, builds: int
) -> None:
    remembered: list[float] = []
    monkeypatch.setattr(MachinePace, "add", lambda pace, seconds, cpu_seconds: remembered.append(seconds))
    monkeypatch.setattr(type(CHESS), "scratch", lambda game, ending, memory: scratch)
    monkeypatch.setattr(jsonl_process, "send", lambda message: None)
    paths.prepare_kernels()
    builder.Builder(empty_library, ["KBvKN"], 1).run()
    assert len(remembered) == builds


def test_a_price_uses_the_measured_pace(empty_library: Library) -> None:
    before = empty_library.planner.estimate("KRPvKR").seconds
    assert before == CHESS.cost("KRPvKR").seconds + SECONDS_PER_TABLE
    empty_library.root.mkdir(parents=True, exist_ok=True)
    empty_library.pace.add(1.0, 3.6)
    assert empty_library.planner.estimate("KRPvKR").seconds == 2 * before
