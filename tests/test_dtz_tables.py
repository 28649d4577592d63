"""DTZ tables as a user meets them: built, listed by layers, verified, and beside DTM tables."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from endgame_core.chess import metrics
from endgame_core.chess.game import CHESS_DTZ
from endgame_core.chess.syzygy import Syzygy
from endgame_core.cli.main import main
from endgame_core.errors import LayerError
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.values import DRAW, HORIZON, Category

_WINS = (Category.WIN, Category.CURSED_WIN)
_LOSSES = (Category.LOSS, Category.BLESSED_LOSS)


@pytest.mark.parametrize("draw", [60, 128, 200])
def test_codes_by_dtz_are_the_inverse_of_values_and_keep_their_order(draw: int) -> None:
    codes = metrics.codes(draw)
    values = [metrics.value_of(code) for code in codes]
    assert [metrics.code_of(*value) for value in values] == list(codes) == sorted(codes)
    assert [metrics.stored(code, draw) for code in codes] == list(range(256))
    assert values[draw] == (Category.DRAW, None)
    for code, (category, n) in enumerate(values):
        if n is not None:
            cursed = category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
            assert cursed == (n > HORIZON) and (category in _WINS) == (code > draw)


def test_a_move_negates_the_value() -> None:
    for code in (*range(2_000), DRAW, *range(0xF000, 0x10000)):
        category, n = metrics.value_of(code)
        zeroing, quiet = (metrics.value_of(metrics.moved(code, zeroes)) for zeroes in (True, False))
        if n is None:
            assert zeroing == quiet == (Category.DRAW, None)
            continue
        cursed = category in (Category.CURSED_WIN, Category.BLESSED_LOSS)
        assert zeroing[1] == (101 if cursed else 1)
        assert quiet[1] == n + 1
        for won, _ in (zeroing, quiet):
            assert (won in _WINS) == (category in _LOSSES)


@pytest.mark.parametrize("ending", ["KQvK", "KPvK", "KRvKP", "KPvKP"])
def test_layers_hold_both_sides_to_move(ending: str, dtz_library: Library) -> None:
    explorer = Explorer(CHESS_DTZ, dtz_library)
    found = explorer.layers(ending)
    table = dtz_library.table(ending)
    listed = sum(layer.canonical for family in found.families.values() for layer in family)
    assert listed + sum(draws.canonical for draws in found.draws.values()) == table.positions
    rng = random.Random(5)
    for winner, family in found.families.items():
        for layer in family:
            assert layer.canonical == explorer.count(ending, winner, layer.n)
            if not layer.canonical:
                continue
            for number in {1, layer.canonical, rng.randint(1, layer.canonical)}:
                position = explorer.nth(ending, winner, layer.n, number)
                verdict = explorer.probe(position)
                assert (verdict.depth, verdict.winner) == (layer.n, winner)
                place = explorer.locate(position)
                assert (place.winner, place.n, place.number, place.total) == (winner, layer.n, number, layer.canonical)
            assert {explorer.probe(p).depth for p in explorer.sample(ending, winner, layer.n, rng, 3)} == {layer.n}
    with pytest.raises(LayerError, match="no layer"):
        explorer.nth(ending, "white", 254, 1)


def test_a_defender_may_be_forced_to_make_a_zeroing_move(dtz_library: Library) -> None:
    """So even and odd layers have both sides to move, which DTM's never have."""
    explorer = Explorer(CHESS_DTZ, dtz_library)
    movers = {explorer.nth("KRvKP", "white", 1, number).turn for number in (1, explorer.count("KRvKP", "white", 1))}
    assert movers == {True, False}


@pytest.mark.parametrize("ending", ["KQvK", "KPvK", "KPvKP", "KRvKP"])
def test_verify_rederives_and_compares_with_syzygy(ending: str, dtz_library: Library, truth: Path) -> None:
    found = verify(dtz_library, ending, 100, second_opinion=Syzygy(str(truth / "syzygy")).opinion)
    assert found.mismatch is None and found.opinions == found.positions == 100


def test_both_metrics_side_by_side(dtz_library: Library) -> None:
    def run(*args: str) -> str:
        result = CliRunner().invoke(main, ["--data-dir", str(dtz_library.root), *args], catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.stdout

    rows = json.loads(run("tables", "--json"))
    assert {row["metric"] for row in rows if row["ending"] == "KPvK"} == {"dtm", "dtz"}
    by = {metric: json.loads(run("layers", "KPvK", "--metric", metric, "--json")) for metric in ("dtm", "dtz")}
    drawn = {metric: found["draws"] for metric, found in by.items()}
    assert drawn["dtm"] == drawn["dtz"], "the 50-move rule changes nothing here"
    assert max(layer["n"] for layer in by["dtz"]["layers"]) < max(layer["n"] for layer in by["dtm"]["layers"])
    line = run("positions", "KPvK", "--metric", "dtz", "--layer", "5", "--winner", "white", "--sample", "1", "--json")
    found = json.loads(line)
    assert abs(found["dtz"]) == found["layer"] == 5 and "dtm" not in found
    epd = run("positions", "KPvK", "--metric", "dtz", "--layer", "5", "--winner", "white", "--sample", "1",
              "--format", "epd")  # fmt: skip
    assert 'c0 "dtz ' in epd
    assert "KQvK  dtz" in run("verify", "KQvK", "--metric", "dtz", "--samples", "10")


def test_missing_sub_endings_are_built_by_the_same_metric(tmp_path: Path) -> None:
    for command in ("verify", "compact", "layers"):
        result = CliRunner().invoke(main, ["--data-dir", str(tmp_path), command, "KQvKR", "--metric", "dtz"])
        assert result.exit_code == 1 and "run: endgame-tui build KQvKR --metric dtz." in result.stderr
    explorer = Explorer(CHESS_DTZ, Library(CHESS_DTZ, tmp_path))
    with pytest.raises(LayerError, match="run: endgame-tui layers KQvK --metric dtz"):
        explorer.nth("KQvK", "white", 99, 1)
