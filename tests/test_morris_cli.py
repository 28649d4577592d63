"""The commands for Nine Men's Morris, as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from endgame_core import paths
from endgame_core.cli.main import main
from endgame_core.morris.game import MORRIS
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Attempt, Outcome
from endgame_core.tables.plan import SECONDS_PER_TABLE


@pytest.fixture(scope="session")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("morris")
    result = _run(found, "build", "3-3", "4-3", "4-4")
    assert result.exit_code == 0, result.output
    return found


def _run(root: Path, *args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["--data-dir", str(root), *args], input=stdin)


def test_layers_are_those_of_the_independent_truth(root: Path, truth: Path) -> None:
    space = json.loads((truth / "morris" / "subspaces.json").read_text())["subspaces"]["3-3"]
    found = json.loads(_run(root, "layers", "3-3", "--json").stdout)
    counts = {who: sum(x["canonical"] for x in found["layers"] if x["winner"] == who) for who in ("mover", "opponent")}
    assert (counts["mover"], found["draws"]["canonical"], counts["opponent"]) == (140_621, 269, 28_736)
    assert (counts["mover"], found["draws"]["all"], counts["opponent"]) == (
        space["win"], space["draw_full"], space["loss"],
    )  # fmt: skip
    assert {row["winner"]: row["n"] for row in found["longest"]} == {"mover": 25, "opponent": 26}
    assert all(layer["n"] % 2 == (layer["winner"] == "mover") for layer in found["layers"])


def test_probe_prints_the_ending_from_the_view_of_the_mover(root: Path) -> None:
    three, four = (json.loads(_run(root, "layers", name, "--json").stdout) for name in ("3-4", "4-3"))
    assert (three["ending"], four["ending"]) == ("3-4", "4-3") and three["layers"] != four["layers"]
    assert all(layer["all"] for found in (three, four) for layer in found["layers"]), "layers with no position"
    listed = _run(root, "positions", "3-4", "--layer", "25", "--sample", "2", "--seed", "1").stdout.splitlines()
    for line in listed:
        probed = json.loads(_run(root, "probe", line, "--json").stdout)
        assert (probed["ending"], probed["category"], probed["depth"], probed["layer"]) == ("3-4", "win", 25, 25)
        assert len(probed["line"]) == 25 and probed["moves"][0]["depth"] == -24
        said = json.loads(_run(root, "line", line, "--json").stdout)
        assert [abs(step["depth"]) for step in said["line"]] == list(range(24, -1, -1))
    assert (
        "S25" in _run(root, "layers", "3-4").stdout and "S24" not in _run(root, "layers", "3-4").stdout.split("wins")[1]
    )


@pytest.mark.slow
def test_a_library_holds_tables_of_both_games(root: Path) -> None:
    rows = json.loads(_run(root, "tables", "--json").stdout)
    assert {"KQvK", "4-3"} <= {row["ending"] for row in rows}
    assert {row["ending"] for row in json.loads(_run(root, "tables", "--game", "morris", "--json").stdout)} == {
        "3-3", "4-3", "4-4",
    }  # fmt: skip
    assert len(json.loads(_run(root, "tables", "--all", "--game", "morris", "--json").stdout)) == 28
    assert "no errors found" in _run(root, "verify", "4-3", "--samples", "100").stdout
    mixed = f"{_run(root, 'positions', '3-3', '--layer', '25').stdout.splitlines()[0]}\n7K/6Q1/8/8/2k5/8/8/8 w\n"
    lines = [json.loads(line) for line in _run(root, "probe", "-", stdin=mixed).stdout.splitlines()]
    assert [line.get("depth", line.get("dtm")) for line in lines] == [25, 19]


def test_an_option_names_the_game(root: Path) -> None:
    position = "OXOOXX2/8/8 w"
    for args in (("probe", position), ("line", position), ("layers", "3-3"), ("positions", "3-3", "--layer", "25")):
        named, spelled = (_run(root, *args, *more, "--json").stdout for more in (("--game", "morris"), ()))
        assert named == spelled and json.loads(named.splitlines()[0])
    answered = json.loads(_run(root, "probe", "-", "--game", "morris", stdin=f"{position}\n").stdout)
    assert (answered["depth"], answered["ending"]) == (25, "3-3") and "dtm" not in answered


def test_probe_reports_a_lost_game(root: Path) -> None:
    found = json.loads(_run(root, "probe", "OO6/XXX5/8 w", "--json").stdout)
    assert (found["ending"], found["category"], found["depth"], found["winner"], found["moves"]) == (
        None, "loss", 0, "black", [],
    )  # fmt: skip
    said = _run(root, "probe", "OO6/XXX5/8 w").stdout
    assert "Black has won" in said and "Only two stones are left" in said
    assert _run(root, "line", "OO6/XXX5/8 w").stdout.strip() == "the game is over"


def test_the_price_is_printed_before_a_build(root: Path) -> None:
    found = json.loads(_run(root, "build", "9-9", "--dry-run", "--json").stdout)
    found[-1].pop("error", None)  # of a machine that has too little memory
    assert found[-1] == {
        "ending": "9-9",
        "seconds": 65.685 + SECONDS_PER_TABLE,
        "size": 212_169_103,
        "memory": MORRIS.cost("9-9").memory,
        "least": 0,
        "deep": 0,
        "scratch": 212_169_103,
    }
    assert [row["ending"] for row in found][:2] == ["5-3", "5-4"] and len(found) == 25
    told = _run(root, "build", "--game", "morris", "--dry-run")
    assert [row.split()[0] for row in told.stdout.splitlines()[1:]] == ["5-3", "5-4", "6-3", "5-5", "6-4", "7-3"]
    assert "6 endings to build: about" in told.stderr and "at most " in told.stderr
    assert "nothing to build" in _run(root, "build", "3-3", "--dry-run").stderr
    assert not (root / "tables" / "5-3.egt").exists()


@pytest.mark.parametrize(
    ("args", "words", "code"),
    [
        (("build", "3-3", "KQvK"), "to different games", 1),
        (("build", "2-3"), "2-3 is not an ending; each player has 3 to 9 stones", 1),
        (("layers", "2-4"), "each player has 3 to 9 stones", 1),
        (("build", "10-3"), "10-3 is not an ending; each player has 3 to 9 stones", 1),
        (("10-3",), "10-3 is not an ending", 1),
        (("layers", "--game", "morris", "44"), "write the number of stones of each player, e.g. 4-3", 1),
        (("probe", "--game", "morris", "hello"), "'hello' is not a position; a position has three rings", 1),
        (("probe", "7K/6Q1/8/8/2k5/8/8/8 w", "--game", "morris"), "does not belong to morris", 1),
        (("line", "OO1q4/8/8 w"), "'q' in the outer ring is not a stone", 1),
        (("line", "8/8/8 w 9-9"), "stones are still in hand", 1),
        (("probe", "OO6/XXX5/8 b"), "the game is already over", 1),
        (("probe", "[[0,0],[[1,1,1],[2],[0]]]"), "is not part of a nested state", 1),
        (
            ("positions", "3-3", "--layer", "99"),
            "the mover wins only up to S25 and the opponent wins only up to S26",
            1,
        ),
        (("remove", "3-3"), "shipped with the program", 1),
        (("export", "2-4", "a.zip"), "is not an ending", 1),
        (("layers", "3-3", "--metric", "dtz"), "--metric is for chess", 2),
        (("layers", "9-9"), "endgame-tui build 9-9", 1),
        (("layers", "KQvK", "--metric", "depth"), "--metric", 2),
        (("positions", "3-3", "--layer", "3", "--winner", "white"), "mover or opponent", 2),
        (("probe", "OOOO4/XXX5/OOOOOOOO w"), "White has 12 stones", 1),
        (("probe", "O7/8/8 q"), "neither w nor b", 1),
        (("verify", "--game", "chess", "3-3"), "does not belong to chess", 1),
    ],
)
def test_bad_input_is_refused_in_one_sentence(root: Path, args: tuple[str, ...], words: str, code: int) -> None:
    result = _run(root, *args)
    assert result.exit_code == code and words in result.stderr and "Traceback" not in result.stderr
    assert result.stderr.strip(), "a sentence"


def test_studies_of_stones_are_kept_apart_from_those_of_chess(tmp_path: Path) -> None:
    added = json.loads(_run(tmp_path, "studies", "add", "OXOOXX2/8/8", "w", "--note", "long", "--json").stdout)
    assert (added["ending"], added["side"], added["set"]) == ("3-3", "white", "My positions")
    assert [row["id"] for row in json.loads(_run(tmp_path, "studies", "--game", "morris", "--json").stdout)] == [
        "my-positions"
    ]
    assert not any(row["own"] for row in json.loads(_run(tmp_path, "studies", "--json").stdout))
    written = _run(tmp_path, "studies", "--game", "morris", "export", "my-positions", "-").stdout
    assert written == "OXOOXX2/8/8 w ; long\n"
    (tmp_path / "again.txt").write_text(f"{written}nonsense\n")
    done = _run(tmp_path, "studies", "--game", "morris", "import", str(tmp_path / "again.txt"), "--json")
    assert done.exit_code == 1 and len(json.loads(done.stdout)["added"]) == 1
    assert json.loads(_run(tmp_path, "studies", "--game", "morris", "show", "again", "--json").stdout)["positions"] == 1
    wrong = _run(tmp_path, "studies", "--game", "chess", "add", "OXOOXX2/8/8", "w")
    assert wrong.exit_code == 1 and "does not belong to chess" in wrong.stderr
    _run(tmp_path, "studies", "--game", "morris", "remove", "again", "my-positions")
    assert json.loads(_run(tmp_path, "studies", "--game", "morris", "--json").stdout) == []


def test_stats_cover_one_game(tmp_path: Path) -> None:
    journal = Journal(paths.journal_file(tmp_path))
    for game, ending in (("morris", "3-4"), ("chess", "KRvK"), ("morris", "4-3")):
        attempt = Attempt(theme=f"{ending} call", ending=ending, mode="call", start="", colour="white", game=game)
        journal.finish(journal.begin(attempt), Outcome.SOLVED)
    journal.close()
    found = json.loads(_run(tmp_path, "stats", "--game", "morris", "--json").stdout)
    assert found["game"] == "morris" and {row["ending"] for row in found["endings"]} == {"3-4", "4-3"}
    told = _run(tmp_path, "stats")
    assert "KRvK" in told.stdout and "3-4" not in told.stdout and "stats --game morris" in told.stderr


def test_syzygy_options_are_refused_for_stones(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('syzygy = "/nowhere"\n')
    for command in (("probe", "OXO1O1XX/8/8 w"), ("verify", "3-3", "--samples", "10")):
        result = _run(tmp_path, *command)
        assert result.exit_code == 0 and "yzygy" not in result.output, result.output
    assert "yzygy" in _run(tmp_path, "verify", "KQvK", "--samples", "10").output


def test_one_ply_is_printed_in_the_singular(tmp_path: Path) -> None:
    assert "White wins in 1 ply\n" in _run(tmp_path, "probe", "OXO1O1XX/8/8 w").output


def test_the_longest_win_is_printed_in_plies(root: Path) -> None:
    rows = _run(root, "tables", "--game", "morris", "--all").stdout.splitlines()
    assert any(row.startswith("3-3") and "25 plies" in row for row in rows)
    assert any(row.startswith("9-9") and "191 plies" in row for row in rows) and not any("moves" in row for row in rows)


def test_studies_lists_the_shipped_sets_of_stones(root: Path) -> None:
    assert "Practise: Three against three" in _run(root, "studies", "--game", "morris").stderr
