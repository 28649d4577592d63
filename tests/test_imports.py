"""The core stands alone: no screen, and no compiler, comes in with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import endgame_core

ROOT = Path(endgame_core.__file__).parent
MODULES = sorted(
    ".".join(["endgame_core", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
)
NUMBERS = {
    "solver", "pawn_solver", "banks", "views", "metrics", "threads", "geometry", "arrays", "one_ply", "writing",
    "_vectors",
}  # fmt: skip
"""Modules that import numpy (and some numba): whoever needs one imports it when it is needed."""


def _loaded(module: str, watched: tuple[str, ...]) -> str:
    code = f"import sys, {module}; print([m for m in {watched!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def test_no_core_module_brings_a_screen() -> None:
    modules = [m for m in MODULES if m.rpartition(".")[2] not in NUMBERS and "_kernels" not in m]
    assert _loaded(", ".join(modules), ("textual", "rich", "endgame_tui", "numba", "numpy")) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_each_module_imports_alone(module: str) -> None:
    assert _loaded(module, ("textual", "rich", "endgame_tui")) == "[]"
