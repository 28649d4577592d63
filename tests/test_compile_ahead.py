"""Kernels are compiled in the background, once per user, and never by two processes at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from endgame_core import jsonl_process, paths
from endgame_core.chess.game import CHESS
from endgame_core.morris.game import MORRIS
from endgame_core.tables import compile_ahead
from endgame_core.tables.kernel_marks import CompilationLock, KernelMarks


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[dict[str, Any]]:
    """What background processes are asked to do; none is started. The cache is empty."""
    result: list[dict[str, Any]] = []

    class Recorder:
        def __init__(self, _module: str, request: dict[str, Any], environment: dict[str, str]) -> None:
            assert Path(environment["NUMBA_CACHE_DIR"]).is_relative_to(tmp_path)
            result.append(request)

        def detach(self) -> None:
            pass

    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(paths, "user_cache_dir", lambda: tmp_path)
    monkeypatch.setattr(jsonl_process, "Child", Recorder)
    return result


def test_kernels_of_small_endings_are_compiled_first(requests: list[dict[str, Any]]) -> None:
    compile_ahead.start(CHESS)
    assert [first for first, _, _ in requests[0]["batches"]] == ["layers", "endings with pawns", "moves"]
    compile_ahead.start(CHESS, last=["KQvKR"])
    assert [first for first, _, _ in requests[-1]["batches"]] == ["endings with pawns", "moves", "layers"]
    compile_ahead.start(MORRIS)
    assert [first for first, _, _ in requests[-1]["batches"]] == ["moves of both sides"]


def test_compiled_kernels_are_not_compiled_again(requests: list[dict[str, Any]]) -> None:
    marks = KernelMarks(CHESS)
    for kernel in ("layers", "moves"):
        marks.mark_compiled(kernel)
    compile_ahead.start(CHESS)
    assert [[first for first, _, _ in request["batches"]] for request in requests] == [["endings with pawns"]]
    marks.mark_compiled("endings with pawns")
    requests.clear()
    compile_ahead.start(CHESS)
    assert not requests


def test_a_configured_cache_is_left_alone(requests: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", "elsewhere")
    compile_ahead.start(CHESS)
    assert not requests


def test_all_data_directories_share_the_kernels(
    requests: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ENDGAME_TUI_HOME", str(tmp_path / "one"))
    one = paths.kernel_environment()
    monkeypatch.setenv("ENDGAME_TUI_HOME", str(tmp_path / "two"))
    assert paths.kernel_environment() == one
    (tmp_path / "file").touch()
    monkeypatch.setattr(paths, "user_cache_dir", lambda: tmp_path / "file" / "cache")
    assert Path(paths.kernel_environment()["NUMBA_CACHE_DIR"]).is_relative_to(tmp_path / "two")


def test_a_second_process_waits_for_the_first(requests: list[dict[str, Any]]) -> None:
    marks = KernelMarks(CHESS)
    first, second = CompilationLock(marks), CompilationLock(marks)
    assert first.acquire("layers")
    assert not second.acquire("layers", wait=False)
    assert second.acquire("moves", wait=False)
    waiting = threading.Thread(target=second.acquire, args=("layers",))
    waiting.start()
    time.sleep(0.1)
    assert waiting.is_alive()
    first.release()
    waiting.join(10)
    assert not waiting.is_alive() and not first.acquire("layers", wait=False)
    marks.mark_compiled("layers")
    assert first.acquire("layers", wait=False), "compiled: nobody has to wait"
    second.release()


_SAVE = """
import sys
import numpy as np
from endgame_core.tables.kernels import pack
for kind in sys.argv[1:]:
    values = np.arange(64).astype(kind)
    out, counts = np.zeros(64, kind), np.zeros(1 << 16, np.uint32)
    count = pack(values, np.full(1, 2**64 - 1, np.uint64), 0, (1, 1, 64), (0, 0, 1), out, counts)
    assert count == 64 and (out == values).all()
print(sum(pack.stats.cache_hits.values()))
"""


@pytest.mark.slow
def test_two_processes_save_the_same_function_for_different_arguments(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))

    def run(*kinds: str) -> subprocess.Popen[str]:
        return subprocess.Popen([sys.executable, "-P", "-c", _SAVE, *kinds], stdout=subprocess.PIPE, text=True)

    processes = [run(kind) for kind in ("u1", "u2", "u4", "u8")]
    assert [process.communicate(timeout=600)[0].strip() for process in processes] == ["0"] * 4
    assert run("u1", "u2", "u4", "u8").communicate(timeout=600)[0].strip() == "4"
