"""The README shows the app as it is."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


async def test_the_picture_is_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    script = runpy.run_path(str(DOCS / "make_picture.py"))
    assert (await script["picture"]()) == (DOCS / "explore.svg").read_text(encoding="utf-8")
