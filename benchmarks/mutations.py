"""Changes one place of a module after the other: which changes do its tests not notice? Run by hand, from a clone.

    python -m benchmarks.mutations MODULE.py TEST... [--seed N] [--count N] [-m MARKS] [-k WORDS]

A condition is negated, a comparison turned or moved by one, ``and`` made ``or``, an integer one more; the same seed
names the same changes. They are made in a copy of the clone. The tests stop at the first failure, and what never ends
has been noticed. Kernels are compiled anew for each change of theirs, which takes most of the time: choose small
endings. What survives is a test that is missing, or a change that changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_PATIENCE = 600.0
"""Seconds after which tests are taken for endless."""

_PAIRS = ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {**dict(_PAIRS), **{other: one for one, other in _PAIRS}}


def _other(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """An expression of a node, and what may stand in its place."""
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)
    if isinstance(node, ast.comprehension):
        yield from ((test, ast.UnaryOp(ast.Not(), test)) for test in node.ifs)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield node, ast.Compare(node.left, [_TURNED[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.BoolOp):
        yield node, ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield node, ast.Constant(node.value + 1)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all in it, but no types, decorators, assertions and parts of strings."""
    if isinstance(node, ast.Assert | ast.JoinedStr):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _inside(child)


def changes(module: bytes) -> list[tuple[int, int, str]]:
    """What may be changed in a module: from which byte to which, and what comes in its place."""
    starts = [0]
    for row in module.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    found: list[tuple[int, int, str]] = []
    for node in _inside(ast.parse(module)):
        for old, new in _other(node):
            assert old.end_lineno is not None and old.end_col_offset is not None
            start, end = starts[old.lineno - 1] + old.col_offset, starts[old.end_lineno - 1] + old.end_col_offset
            found.append((start, end, f"({ast.unparse(new)})"))
    return sorted(found)


def _noticed(clone: Path, kernels: Path, pytest: Sequence[str]) -> bool:
    """Whether the tests fail, or never end."""
    path = os.pathsep.join(str(clone / part) for part in ("core", "tui", "data"))
    environ = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(kernels), "PYTHONDONTWRITEBYTECODE": "1"}
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", *pytest]
    with subprocess.Popen(words, cwd=clone, env=environ, stdout=subprocess.DEVNULL, start_new_session=True) as tests:
        try:
            code = tests.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(tests.pid, signal.SIGKILL)
            return True
    if code in (4, 5):
        sys.exit("there are no such tests")
    return code != 0


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("module", type=Path)
    arguments.add_argument("tests", nargs="+")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=10)
    arguments.add_argument("-m", default="not slow")
    arguments.add_argument("-k", default="")
    given = arguments.parse_args()
    name = given.module.resolve().relative_to(ROOT)
    whole = (ROOT / name).read_bytes()
    found = changes(whole)
    chosen = random.Random(given.seed).sample(found, min(given.count, len(found)))
    pytest = ["-m", given.m, "-k", given.k, *given.tests]
    with tempfile.TemporaryDirectory() as directory:
        clone, warm, kernels = (Path(directory) / part for part in ("clone", "warm", "kernels"))
        warm.mkdir()
        shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        if _noticed(clone, warm, pytest):
            sys.exit("these tests fail before anything is changed")
        for start, end, text in chosen:
            if "kernels" not in name.name:
                shutil.copytree(warm, kernels, dirs_exist_ok=True)
            (clone / name).write_bytes(whole[:start] + text.encode() + whole[end:])
            state = "died    " if _noticed(clone, kernels, pytest) else "SURVIVES"
            line = whole.count(b"\n", 0, start) + 1
            print(f"{state}  {name}:{line}  {whole[start:end].decode()}  ->  {text}", flush=True)
            shutil.rmtree(kernels, ignore_errors=True)


if __name__ == "__main__":
    main()
