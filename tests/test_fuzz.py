"""A share of ``benchmarks/fuzz.py``: random input ends in one sentence, and never in a false value."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from benchmarks import fuzz

from endgame_core.errors import EndgameError

SHARE = {"texts": 120, "tables": 12, "archives": 4, "journals": 15, "studies": 15, "keys": 2, "kills": 2}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SHARE)
def test_random_input_ends_in_one_sentence(kind: str) -> None:
    assert fuzz.fuzz(kind, 18, SHARE[kind]) == []


def test_the_fuzzer_finds_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that stumbles, an error that tells a novel, and an answer that never comes; each place once."""

    def case(rng: random.Random, _: Path) -> None:
        with fuzz.asked():
            if rng.random() < 0.5:
                raise KeyError("stumbled")
            raise EndgameError("no sentence\n" * 99)

    def endless(*_: object) -> None:
        while True:
            pass

    told: list[fuzz.Found] = []
    monkeypatch.setitem(fuzz.KINDS, "case", (case, 5))
    monkeypatch.setitem(fuzz.KINDS, "endless", (endless, 0.05))
    found = fuzz.fuzz("case", 1, 20, told=told.append)
    assert told == found and {one.what.partition(":")[0] for one in found} == {"KeyError", "AssertionError"}
    (late,) = fuzz.fuzz("endless", 1, 1, first=7, told=told.append)
    assert late.number == 7 and late.what.startswith("Late")
