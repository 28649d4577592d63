"""Titles of the shipped sets and studies in the language in use; their notes and lessons are English."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from endgame_core import language, paths


def set_title(name: str) -> str:
    """Return the title of a shipped set, given its English name."""
    return _titles(language.current, "sets").get(name, name)


def english_set_title(title: str) -> str:
    """Return the English name of a set, given its title in the language in use; other text as it is."""
    return next((name for name, translated in _titles(language.current, "sets").items() if translated == title), title)


def study_title(study_id: str, name: str) -> str:
    """Return the title of a shipped study, given its ID and its English name."""
    return _titles(language.current, "studies").get(study_id, name)


@cache
def _titles(code: str, kind: str) -> Mapping[str, str]:
    """Return translated titles, of sets by their English names or of studies by their IDs; none in English."""
    path = paths.shipped("titles") / f"{code}.json"
    if not path.is_file():
        return {}
    titles: Mapping[str, str] = json.loads(path.read_text("utf-8"))[kind]
    return titles
