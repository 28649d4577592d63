"""The documentation site: every page once, in order, without a broken link."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def _paths(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _paths(child)


def test_every_page_is_in_the_site_once_and_on_the_first_page() -> None:
    yaml = pytest.importorskip("yaml", reason="mkdocs, of the extra docs, brings it")
    nav = list(_paths(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    assert sorted(path for path in nav if not path.startswith("reference/")) == sorted(pages)
    first_page = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", first_page))
    assert listed == pages - {"index.md"}


@pytest.mark.slow
@pytest.mark.parametrize("home", ["", "https://example.org/lab/endgame-tui"])
def test_the_site_is_built_without_a_warning(tmp_path: Path, home: str) -> None:
    for module in ("mkdocs", "material", "mkdocstrings", "mkdocs_click"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is of the extra docs")
    environment = {
        **os.environ, "PROJECT_URL": home, "NO_MKDOCS_2_WARNING": "1",
        "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("core", "tui", "data")),
    }  # fmt: skip
    site = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-P", "-m", "mkdocs", "build", "--strict", "-q", "-f", ROOT / "mkdocs.yml", "-d", site],
        env=environment, check=True, cwd=tmp_path,
    )  # fmt: skip
    commands = (site / "reference/commands/index.html").read_text(encoding="utf-8")
    assert "--dry-run" in commands and "studies" in commands and "--quiet" in commands
    library = (site / "reference/library/index.html").read_text(encoding="utf-8")
    assert 'id="endgame_core.Library"' in library and "Prober" in library
    changelog = (site / "index.html").read_text(encoding="utf-8")
    assert (f"{home}/blob/main/CHANGELOG.md" in changelog) == bool(home)
    assert "explore.svg" in changelog and "../CHANGELOG" not in changelog
