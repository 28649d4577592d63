"""The page on the package index: the README with working links, and the project's addresses."""

from __future__ import annotations

import importlib.util
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
HOME = "https://example.org/lab/endgame-tui"


@pytest.fixture
def metadata(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the metadata that the build hook adds, with or without an address of the project."""
    pytest.importorskip("hatchling", reason="hatchling builds the package")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "hatch_build", module)
    spec.loader.exec_module(module)

    def made(home: str) -> dict[str, Any]:
        monkeypatch.setenv("PROJECT_URL", home)
        result: dict[str, Any] = {"version": "0.1.0"}
        module.Links(str(ROOT), {}).update(result)
        return result

    return made


def _targets(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


def test_links_of_the_released_readme_are_absolute(metadata: Any) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    released = metadata(f"{HOME}/")
    text = released["readme"]["text"]
    assert len(_targets(text)) == len(_targets(readme)) > 5
    for before, after in zip(_targets(readme), _targets(text), strict=True):
        if not before.startswith("https:"):
            assert (ROOT / before).exists()
            view = "raw" if before.endswith(".svg") else "blob"
            assert after == f"{HOME}/{view}/v0.1.0/{before}"
    assert all(url.startswith(HOME) for url in released["urls"].values())


def test_a_checkout_keeps_the_readme_unchanged(metadata: Any) -> None:
    made = metadata("")
    assert made["readme"]["text"] == (ROOT / "README.md").read_text(encoding="utf-8") and made["urls"] == {}


def test_the_extra_all_has_every_user_feature_and_no_developer_tool() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    names = set(re.findall(r"\w+", extras["all"][0].partition("[")[2]))
    assert names == extras.keys() - {"all", "test", "dev", "docs"}


def test_the_container_runs_as_an_unprivileged_user_and_serves() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    assert "USER player" in lines and "VOLUME /data" in lines and "EXPOSE 9000 8080" in lines
    assert any("/src[serve,web]" in line for line in lines)
    copied = {line.split()[1] for line in lines if line.startswith("COPY") and len(line.split()) == 3}
    assert all((ROOT / path).exists() for path in copied)
