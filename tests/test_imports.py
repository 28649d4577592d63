"""The core imports neither the screens nor, until it is needed, the compiler."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

import endgame_core
from endgame_core.cli.main import main

ROOT = Path(endgame_core.__file__).parent
MODULES = sorted(
    ".".join(["endgame_core", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
)
NUMBERS = {
    "solver", "solve", "examine", "kernels", "archive", "arrays", "bulk", "pairs", "orbits", "query_facts",
    "blocks", "derive", "cluster", "slices", "waves", "workfile", "key_deflate", "exits", "layout", "stored_slots",
    "gaviota_export",
}  # fmt: skip
"""Modules that import numpy (and some numba): whoever needs one imports it when it is needed."""


def _loaded(module: str, watched: tuple[str, ...]) -> str:
    code = f"import sys, {module}; print([m for m in {watched!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return found.stdout.strip()


@pytest.mark.slow
def test_no_core_module_imports_a_screen() -> None:
    modules = [m for m in MODULES if m.rpartition(".")[2] not in NUMBERS and "_kernels" not in m]
    assert _loaded(", ".join(modules), ("textual", "rich", "endgame_tui", "numba", "numpy")) == "[]"


_ALONE = """
import importlib, os, sys
import chess.gaviota, chess.syzygy, filelock, numba, numpy
assert not any(name.startswith("endgame") for name in sys.modules)
for module in sys.argv[1:]:
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, module
    else:
        importlib.import_module(module)
        brought = [name for name in ("textual", "rich", "endgame_tui") if name in sys.modules]
        if brought:
            print(module, "brings", brought, flush=True)
        os._exit(bool(brought))
"""
"""Imports each module in a process that has none of ours yet; what others have written is loaded once for all."""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_each_module_imports_alone() -> None:
    found = subprocess.run([sys.executable, "-c", _ALONE, *MODULES], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


def _packages() -> dict[str, ast.Module]:
    """All modules of core and screens, as they are written."""
    found: dict[str, ast.Module] = {}
    for package in ("endgame_core", "endgame_tui"):
        spec = find_spec(package)
        assert spec is not None and spec.origin is not None
        root = Path(spec.origin).parent
        for path in root.rglob("*.py"):
            if path.stem != "__init__":
                found[".".join([package, *path.relative_to(root).with_suffix("").parts])] = ast.parse(path.read_text())
    return found


@pytest.mark.slow
def test_imports_have_no_cycles() -> None:
    """Imports inside functions and under TYPE_CHECKING count, too: what needs them to hide a loop is still a loop."""
    modules = _packages()
    graph: dict[str, set[str]] = {}
    for name, tree in modules.items():
        names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        graph[name] = names & modules.keys() - {name}
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


_PROBE = """
import sys
from endgame_core.cli.main import main
sys.argv = ["endgame-tui", "probe", *sys.argv[1:]]
try:
    main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("position", "value", "other"),
    [
        ("8/8/8/3k4/8/8/8/1K5R w - - 0 1", "White mates in 14", "endgame_core.morris"),
        ("OXOOXX2/8/8 w", "3-3", "endgame_core.chess"),
    ],
)
def test_a_probe_imports_only_the_rules_of_its_game(position: str, value: str, other: str, tmp_path: Path) -> None:
    environment = {**os.environ, "ENDGAME_TUI_HOME": str(tmp_path), "SYZYGY_PATH": ""}
    command = [sys.executable, "-c", _PROBE, position]
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert value in result.stdout
    modules = result.stderr.split()
    assert "endgame_core.judge" in modules
    foreign = {module for module in modules if module.startswith(other)}
    assert foreign <= {other, f"{other}.spelling"}
    assert ("chess" in modules) == (other == "endgame_core.morris")
    assert not {"endgame_core.query", "endgame_core.chess.syzygy", "textual"} & set(modules)


_VERSION = """
import sys
from endgame_tui.start import main
sys.argv = ["endgame-tui", "--version"]
main()
assert "click" not in sys.modules
"""


def test_the_version_is_that_of_the_command_line_without_its_imports() -> None:
    result = subprocess.run([sys.executable, "-c", _VERSION], capture_output=True, text=True, check=True)
    assert result.stdout == CliRunner().invoke(main, ["--version"]).stdout != ""
