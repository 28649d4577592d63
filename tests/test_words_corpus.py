"""The corpus of words is said again, letter by letter: a share of it here, all of it in the slow suite."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from tests import words_corpus

CORPUS = words_corpus.read()
CHUNK = 25
SHARE = 9
"""One chunk of so many is said in the fast suite."""

CHUNKS = [(kind, start) for kind, cases in CORPUS.items() for start in range(0, len(cases), CHUNK)]


def _chunks() -> list[object]:
    marks = {number: [] if number % SHARE == 0 else [pytest.mark.slow] for number in range(len(CHUNKS))}
    return [
        pytest.param(kind, start, marks=marks[number], id=f"{kind or 'others'}-{start}")
        for number, (kind, start) in enumerate(CHUNKS)
    ]


@pytest.fixture(scope="session")
def root(shared: Path, dtz_library: Library, morris: Explorer[Any, Any]) -> Path:
    """A data directory with the tables that the corpus was written with, whatever other tests build beside them."""
    found = shared / "words" / "tables"
    found.mkdir(parents=True, exist_ok=True)
    chess, stones = (library.directory.glob("*.egt") for library in (dtz_library, morris.library))
    few = (path for path in stones if path.name.split(".")[0] in ("3-3", "4-3", "4-4", "5-3"))
    small = (path for path in chess if len(path.name.split(".")[0]) <= len("KQvKR"))
    for path in (*small, *few):
        if not (found / path.name).exists():
            os.link(path, found / path.name)
    return found.parent


@pytest.mark.parametrize(("kind", "start"), _chunks())
def test_the_same_is_said(root: Path, kind: str, start: int) -> None:
    cases = CORPUS[kind][start : start + CHUNK]
    for kind_of_text in (True, False):
        found = [case for case in cases if ("/" in case[0]) is kind_of_text]
        if found:
            said = words_corpus.say(root, kind, [text for text, _ in found])
            assert {text: rows for (text, _), rows in zip(found, said, strict=True)} == dict(found)
