"""Every command as a user meets it: data on stdout, messages on stderr, exit statuses 0, 1 and 2."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from endgame_core.cli.main import main
from endgame_core.errors import NotBuiltError
from endgame_core.tables.library import Library

from .conftest import give

Run = Callable[..., Result]
FEN = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


@pytest.fixture
def run(library: Library) -> Run:
    def call(*args: str, stdin: str | None = None, root: str | None = None) -> Result:
        return CliRunner().invoke(main, ["--data-dir", root or str(library.root), *args], input=stdin)

    return call


def test_probe_has_the_shape_of_the_lichess_api(run: Run) -> None:
    found = json.loads(run("probe", FEN, "--json").stdout)
    assert (found["category"], found["dtm"], found["layer"]) == ("win", 19, 19)
    assert (found["ending"], found["winner"], found["fen"]) == ("KQvK", "white", FEN)
    assert len(found["line"]) == 19 and found["line"][-1].endswith("#")
    best = found["moves"][0]
    assert (best["category"], best["dtm"], best["dtz"], best["zeroing"]) == ("loss", -18, -18, False)
    assert len(found["moves"]) == 24
    assert [m["category"] for m in found["moves"]].count("draw") == 2


def test_probe_prints_verdict_and_moves(run: Run) -> None:
    out = run("probe", FEN).stdout
    assert "win: White mates in 10 (19 plies)" in out and "22 of 24 moves are equally good" in out
    mates = run("probe", "7k/8/5KQ1/8/8/8/8/8 w - - 0 1").stdout
    assert "White mates in 1 (1 ply)" in mates and re.search(r"^  Qg7# +S0 +DTZ 1 +wins", mates, re.MULTILINE)
    takes = run("probe", "OO1O4/X6X/X7 w").stdout
    assert {words[1] for line in takes.splitlines()[3:] if "x" in (words := line.split())[0]} == {"S0"}


def test_probe_reads_a_stream_in_order(run: Run) -> None:
    result = run("probe", "-", stdin=f"{FEN}\nnonsense\n8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1\n")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line.get("dtm") for line in lines] == [19, None, 37]
    assert "not a FEN" in lines[1]["error"] and result.exit_code == 1


def test_probe_continues_after_bytes_that_are_not_text(library: Library) -> None:
    args = ["--data-dir", str(library.root), "probe", "-"]
    result = CliRunner().invoke(main, args, input=b"\xfd\xfe\n" + FEN.encode())
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert "not a FEN" in lines[0]["error"] and lines[1]["dtm"] == 19 and result.exit_code == 1


def test_a_disk_error_is_one_sentence(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", "/tables")

    monkeypatch.setattr(Library, "is_built", fail)
    result = run("tables")
    assert (result.exit_code, result.stderr) == (1, "endgame-tui: /tables cannot be used (Permission denied).\n")


def test_an_error_shortens_a_name_that_is_too_long(run: Run, tmp_path: Path) -> None:
    result = run("export", "KQvK", str(tmp_path / ("x" * 400)))
    assert result.exit_code == 1 and len(result.stderr) < len(str(tmp_path)) + 140
    assert "(File name too long): " in result.stderr and "…'" in result.stderr


def test_a_file_in_place_of_a_directory_and_a_missing_directory_are_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for root in (tmp_path / "file", tmp_path / "file" / "below"):
        assert run("tables", root=str(root)).stderr.startswith(f"endgame-tui: {tmp_path / 'file'} is a file; ")
    result = run("export", "KQvK", str(tmp_path / "missing" / "x.zip"))
    assert result.exit_code == 1 and "existing directory" in result.stderr


def test_probe_knows_promotions_and_en_passant(run: Run) -> None:
    found = json.loads(run("probe", "8/P6k/8/8/8/8/8/1K6 w - - 0 1", "--json").stdout)
    assert (found["dtm"], found["moves"][0]["zeroing"]) == (17, False)
    promotions = {move["san"]: move["dtm"] for move in found["moves"] if "=" in move["san"]}
    assert promotions == {"a8=Q": -16, "a8=R": -28, "a8=B": 0, "a8=N": 0}
    passed = json.loads(run("probe", "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", "--json").stdout)
    assert (passed["category"], passed["dtm"], passed["moves"][0]["san"]) == ("win", 19, "exd3")
    late = json.loads(run("probe", "8/8/7k/8/3Pp3/8/7K/8 b - - 0 1", "--json").stdout)
    assert late["category"] == "draw"


def test_probe_reports_a_finished_game(run: Run) -> None:
    mate = json.loads(run("probe", "k7/1Q6/1K6/8/8/8/8/8 b", "--json").stdout)
    assert (mate["dtm"], mate["layer"], mate["checkmate"], mate["moves"]) == (0, 0, True, [])
    bare = json.loads(run("probe", "k7/8/1K6/8/8/8/8/8 b", "--json").stdout)
    assert (bare["category"], bare["dtm"], bare["insufficient_material"]) == ("draw", 0, True)


@pytest.mark.parametrize(
    "fen",
    [FEN, "8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1", "8/8/8/8/2k5/8/1R6/K7 w - - 0 1", "8/8/8/8/2k5/8/1R6/K7 w - - 90 1",
     "8/P6k/8/8/8/8/8/1K6 w - - 0 1", "k7/8/8/8/8/8/1R6/K7 b - - 0 1", "8/8/8/8/3k4/7r/7Q/K7 w - - 0 1"],
)  # fmt: skip
def test_moves_and_line_begin_with_the_same_move(run: Run, fen: str) -> None:
    told = json.loads(run("probe", fen, "--json").stdout)
    first = json.loads(run("line", fen, "--json").stdout)["line"][0]["san"]
    assert told["moves"][0]["san"] == told["line"][0] == first
    rows = run("probe", fen).stdout.splitlines()
    head = next(number for number, row in enumerate(rows) if row.startswith("moves, best first by"))
    assert rows[head + 1].split()[0] == first and f"by {told['line_by'].upper()}:" in "".join(rows)


def test_h_prints_help_and_a_missing_layer_is_refused_with_the_last_one(run: Run) -> None:
    for words in (["-h"], ["probe", "-h"], ["studies", "add", "-h"]):
        assert run(*words).stdout.startswith("Usage:")
    error = run("positions", "KQvK", "--layer", "21").stderr
    assert re.fullmatch(r"endgame-tui: KQvK .*S21.*S20.*\n", error)


def test_layers_counts_canonical_positions_and_boards(run: Run) -> None:
    found = json.loads(run("layers", "KQvK", "--json").stdout)
    assert [layer["n"] for layer in found["layers"]] == list(range(21))
    assert found["layers"][4] == {"winner": "white", "n": 4, "canonical": 372, "all": 2956}
    assert found["draws"]["black"] == {"canonical": 2896, "all": 23048}
    assert found["longest"][0]["n"] == 20
    assert "23 048" in run("layers", "kqk").stdout


@pytest.mark.parametrize("form", ["fen", "epd", "key", "json"])
def test_positions_draws_the_same_sample_for_the_same_seed(run: Run, form: str) -> None:
    args = ("positions", "KQvKR", "--layer", "9", "--winner", "black", "--sample", "3", "--seed", "4")
    first, second = run(*args, "--format", form).stdout, run(*args, "--format", form).stdout
    assert first == second and len(first.splitlines()) == 3
    if form == "fen":
        for fen in first.splitlines():
            assert json.loads(run("probe", fen, "--json").stdout)["layer"] == 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "n", "winner"), [("KQvK", 19, "white"), ("KPvK", 7, "white"), ("KQvKQ", 3, "black")]
)
def test_positions_can_list_every_placement_of_a_layer(run: Run, ending: str, n: int, winner: str) -> None:
    args = ("positions", ending, "--layer", str(n), "--winner", winner)
    listed = run(*args, "--all").stdout.splitlines()
    layers = json.loads(run("layers", ending, "--json").stdout)["layers"]
    counted = next(layer for layer in layers if (layer["winner"], layer["n"]) == (winner, n))
    assert len(listed) == len(set(listed)) == counted["all"]
    assert set(run(*args).stdout.splitlines()) <= set(listed)
    told = [
        json.loads(row) for row in run(*args, "--all", "--sample", "2", "--seed", "3", "--json").stdout.splitlines()
    ]
    assert len(told) > 2 and {(one["layer"], one["winner"]) for one in told} == {(n, winner)}


def test_probe_prints_wdl_beside_the_category(run: Run) -> None:
    told = json.loads(run("probe", "8/8/8/8/2k5/8/1R6/K7 w - - 90 1", "--json").stdout)
    assert (told["category"], told["wdl"]) == ("cursed-win", 1)
    assert {(move["category"], move["wdl"]) for move in told["moves"]} == {("blessed-loss", -1), ("draw", 0)}
    stones = json.loads(run("probe", "OO1O4/X6X/X7 w", "--json").stdout)
    assert (stones["category"], stones["wdl"], stones["moves"][0]["wdl"]) == ("win", 2, -2)


def test_positions_lists_a_whole_layer_and_draws(run: Run) -> None:
    assert len(run("positions", "KQvK", "--layer", "20").stdout.splitlines()) == 8
    black = run("positions", "KRvK", "--side", "black").stdout.splitlines()
    assert len(black) > 100 and all(" b " in line for line in black)
    assert run("positions", "KQvK", "--side", "white").stdout == run("positions", "KQvK").stdout
    refused = run("positions", "KQvK", "--layer", "20", "--side", "black")
    assert refused.exit_code == 2 and "--side works only for draws" in refused.stderr


def test_line_prints_best_play_to_mate(run: Run) -> None:
    assert run("line", FEN).stdout.startswith("1.Kg8 Kd3 2.Kf7")
    line = json.loads(run("line", FEN, "--json").stdout)["line"]
    assert [abs(step["dtm"]) for step in line] == list(range(18, -1, -1))


@pytest.mark.slow
def test_tables_verify_and_paths_print_json(run: Run, library: Library) -> None:
    found = json.loads(run("tables", "--metric", "dtm", "--json").stdout)
    assert len(found) == 35 and {"KQvKR"} <= {entry["ending"] for entry in found}
    everything = json.loads(run("tables", "--all", "--metric", "dtm", "--json").stdout)
    assert len(everything) == 510
    assert [e["reason"] for e in everything if e["reason"]] == []
    assert json.loads(run("verify", "KBNvK", "--samples", "50", "--json").stdout)["ok"] is True
    assert json.loads(run("paths", "--json").stdout)["data"] == str(library.root)


def test_build_reports_events_and_remove_deletes(run: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = str(tmp_path_factory.mktemp("built"))
    result = run("build", "krkb", "--json", root=root)
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0 and events[-1]["event"] == "finished"
    assert events[0]["endings"] == ["KBvK", "KRvKB"]
    assert [e["n"] for e in events if e["event"] == "layer" and e["ending"] == "KRvKB"] == list(range(59))
    assert "already exist" in run("build", "KRvKB", root=root).stderr
    assert run("remove", "KRvKB", root=root).exit_code == 0
    assert "not built" in run("layers", "KRvKB", root=root).stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("probe", "nonsense"), "is not a FEN"),
        (("probe", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"), "castling rights"),
        (("probe", "4k3/8/8/8/8/8/4P3/4K3 w - e3 0 1"), "passed e3"),
        (("probe", "k7/8/2KP4/8/8/4r1p1/8/8 w - - 0 1"), "endgame-tui build KRPvKP"),
        (("probe", "4k3/8/8/8/8/8/PPPPP3/4K3 w - - 0 1"), "7 pieces"),
        (("layers", "KXvK"), "is not an ending"),
        (("layers", "v"), "is not an ending"),
        (("layers", "KQRvKQ"), "endgame-tui build KQRvKQ"),
        (("positions", "KQvK", "--layer", "77"), "has no layer S77"),
        (("positions", "KQvKR", "--layer", "9"), "add --winner"),
        (("positions", "KQvK"), "KQvK has no draws with White to move; --side black lists "),
        (("build", "KQQQvKQQ"), "7 pieces"),
        (("remove", "KQRvKQ"), "nothing to remove"),
        (("compact", "KQRvKQ"), "build KQRvKQ"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(run: Run, args: tuple[str, ...], words: str) -> None:
    result = run(*args)
    assert result.exit_code == 1
    assert words in result.stderr and len(result.stderr.strip().splitlines()) == 1


def test_the_app_needs_a_terminal(run: Run) -> None:
    for args in ((), (FEN,)):
        result = run(*args)
        assert result.exit_code == 1 and "needs a terminal" in result.stderr
    assert "not a FEN" in run("8/8").stderr


def test_an_ending_or_position_as_argument_opens_the_app(run: Run) -> None:
    for name in ("KNNvKP", "knnkp", "KPvKNN"):
        assert "needs a terminal" in run(name).stderr
    for name, words in (
        ("KXvK", "is not an ending"),
        ("QvKR", "has one king"),
        ("KQRRvKQQ", "7 pieces"),
        ("KK", "KvK"),
    ):
        result = run(name)
        assert result.exit_code == 1 and words in result.stderr and len(result.stderr.splitlines()) == 1
    for name in ("knight", "kv", "Kasparov"):
        result = run(name)
        assert result.exit_code == 2 and "No such command" in result.stderr


def test_wrong_usage_exits_with_2(run: Run) -> None:
    for args in (
        ("layers",),
        ("build",),
        ("build", "--men", "9"),
        ("nonsense",),
        ("positions", "KQvK", "--winner", "white"),
    ):
        assert run(*args).exit_code == 2


def test_probe_prints_dtm_dtz_and_the_counter(dtz_library: Library) -> None:
    def probe(fen: str, *args: str) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(dtz_library.root), "probe", fen, *args])

    won = json.loads(probe("8/8/8/8/8/1r6/6Q1/k1K5 w - - 60 90", "--json").stdout)
    assert (won["category"], won["dtm"], won["dtz"], won["precise_dtz"], won["clock"]) == ("win", 3, 3, 3, 60)
    late = json.loads(probe("8/8/8/4k3/8/8/8/K1BN4 w - - 97 120", "--json").stdout)
    assert (late["category"], late["dtz"], late["layer"]) == ("cursed-win", 59, 59)
    assert "cursed win" in late["fifty"] and late["moves"][0]["category"] == "blessed-loss"
    words = probe("8/8/8/4k3/8/8/8/K1BN4 w - - 97 120").stdout
    assert re.search(r"KBNvK  cursed win: .* 30 \(59 plies\), DTZ 59, .*48½/50", words)


def test_a_counter_past_100_plies_is_printed_beyond_50_moves(dtz_library: Library) -> None:
    for clock, words in ((100, "50-move counter 50/50"), (149, "50-move counter 74½/50")):
        run = ["--data-dir", str(dtz_library.root), "probe", f"7K/6Q1/8/8/2k5/8/8/8 w - - {clock} 150"]
        assert CliRunner().invoke(main, run).stdout.splitlines()[0].endswith(words)


def test_probe_without_dtz_names_the_command_that_builds_it(run: Run) -> None:
    found = json.loads(run("probe", "8/8/8/8/8/1r6/6Q1/k1K5 b - - 0 1", "--json").stdout)
    assert (found["dtz"], found["dtm"], found["category"]) == (None, 37, "win")
    assert "endgame-tui build KQvKR --metric dtz" in found["fifty"]


@pytest.mark.slow
def test_syzygy_files_are_listed_and_checked(run: Run, truth: Path, tmp_path: Path) -> None:
    lines = run("syzygy", "--syzygy", str(truth / "syzygy"), "--json").stdout.splitlines()
    listed = [json.loads(line) for line in lines]
    assert len(listed) == 15 and all(row["wdl"] and row["dtz"] for row in listed)
    assert any(re.search(r"KRPvK .*KQRvK .*promotion", row) for table in listed for row in table["missing"])
    for name in ("KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw"):
        (tmp_path / name).write_bytes((truth / "syzygy" / name).read_bytes())
    damaged = bytearray((tmp_path / "KQvK.rtbw").read_bytes())
    damaged[100] ^= 1
    (tmp_path / "KQvK.rtbw").write_bytes(damaged)
    result = run("syzygy", "--syzygy", str(tmp_path), "--check")
    assert result.exit_code == 1 and "the checksum of KQvK.rtbw does not match" in result.stdout
    assert "KRvK.rtbz is missing" in result.stdout and "no errors found" in result.stdout


@pytest.fixture
def wrong_setting(dtz_library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Runs with a variable that names no Syzygy directory."""
    monkeypatch.setenv("SYZYGY_PATH", str(tmp_path / "nowhere"))
    return lambda *args: CliRunner().invoke(main, ["--data-dir", str(dtz_library.root), *args])


def test_a_wrong_setting_is_a_warning_and_our_tables_answer(wrong_setting: Callable[..., Result]) -> None:
    result = wrong_setting("probe", "8/8/8/8/3k4/7r/7Q/K7 w", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["dtz"] == 1
    assert "warning: the Syzygy directory" in result.stderr and result.stderr.count("\n") == 1
    assert wrong_setting("verify", "KQvK", "--samples", "1").exit_code == 0
    for args in (["probe", "8/8/8/8/3k4/7r/7Q/K7 w", "--syzygy", "/nowhere"], ["--syzygy", "/nowhere"]):
        result = wrong_setting(*args)
        assert result.exit_code == 1 and "warning" not in result.stderr and "/nowhere cannot be read" in result.stderr


def test_an_unreadable_settings_file_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("syzygy = ")
    result = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "probe", "7K/6Q1/8/8/2k5/8/8/8 w"])
    assert result.exit_code == 0 and "warning: the settings file" in result.stderr


def test_of_two_syzygy_directories_the_readable_one_is_used(
    truth: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYZYGY_PATH", f"{tmp_path}{os.pathsep}{truth / 'syzygy'}")
    result = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "probe", "8/8/8/8/3k4/7r/7Q/K7 w", "--json"])
    assert json.loads(result.stdout)["dtz"] == 1 and "no Syzygy file" in result.stderr


@pytest.mark.slow
def test_verify_reports_a_damaged_table_until_it_is_rebuilt(library: Library, tmp_path: Path, run: Run) -> None:
    own, root = Library(library.game, tmp_path), str(tmp_path)
    give(library, own, "KBvK", "KNvK")
    file = own.path("KBvK")
    file.write_bytes(file.read_bytes()[:-40])
    for _ in range(2):
        for named in (("--game", "chess", "--samples", "5"), ("KBvK",)):
            told = run("verify", *named, root=root)
            assert told.exit_code == 1 and ("KNvK" in told.stdout) is ("KBvK" not in named)
            assert told.stderr.splitlines()[-1].count("KBvK") == 1
    assert "put aside" in told.stderr and file.with_name("KBvK.egt.damaged").exists()
    unbuilt = run("verify", "KRvKB", root=root).stderr
    assert unbuilt.startswith(NotBuiltError("KRvKB").what)
    give(library, own, "KBvK")
    assert run("verify", "--samples", "5", root=root).exit_code == 0


def test_our_tables_answer_in_place_of_damaged_files(library: Library, tmp_path: Path) -> None:
    for name in ("KQvKR.rtbw", "KQvK.rtbw"):
        (tmp_path / name).write_bytes(b"")
    run = ["--data-dir", str(library.root), "probe", "8/8/8/8/3k4/7r/7Q/K7 w", "--json", "--syzygy", str(tmp_path)]
    found = json.loads(CliRunner().invoke(main, run).stdout)
    assert (found["dtm"], found["line_by"]) == (19, "dtm") and "rtbw is empty" in found["fifty"]
    run[1] = str(tmp_path)
    result = CliRunner().invoke(main, run)
    assert result.exit_code == 1 and "rtbw is empty" in result.stderr


def test_lines_and_moves_name_their_metric(dtz_library: Library, truth: Path, tmp_path: Path) -> None:
    def words(root: Path, fen: str) -> list[str]:
        args = ["--data-dir", str(root), "probe", fen, "--syzygy", str(truth / "syzygy")]
        return CliRunner().invoke(main, args).stdout.splitlines()

    both, only = (words(root, "8/8/8/8/3k4/7r/7Q/K7 w - - 40 1") for root in (dtz_library.root, tmp_path))
    assert both[3].startswith("by DTM: 1.Qxh3") and "by DTM" in both[4]
    assert re.match(r"Qxh3: .* 18 plies", only[2]) and only[3].startswith("by DTZ: 1.Qxh3")
    assert words(tmp_path, "8/8/8/4k3/8/8/6r1/K6r w") == ["KRRvK  loss: checkmate", "White is checkmated."]
    assert words(tmp_path, "k7/8/1Q6/8/8/8/P7/K7 b")[0] == "KQPvK  draw: stalemate"


def test_dtz_is_printed_in_plies(dtz_library: Library) -> None:
    run = ["--data-dir", str(dtz_library.root), "tables", "--metric", "dtz"]
    rows = CliRunner().invoke(main, run).stdout.splitlines()
    assert next(row for row in rows if row.startswith("KQvK ")).split()[:4] == ["KQvK", "dtz", "20", "plies"]


def test_a_counter_of_150_plies_ends_the_game(library: Library, dtz_library: Library) -> None:
    for root in (library.root, dtz_library.root):
        run = ["--data-dir", str(root), "probe", "8/8/8/4k3/8/8/8/K1BN4 w - - 150 120"]
        lines = CliRunner().invoke(main, run).stdout.splitlines()
        assert lines[0] == "KBNvK  draw" and "75 moves" in lines[1] and len(lines) == 2


@pytest.mark.slow
def test_with_a_missing_syzygy_file_the_provable_part_is_printed(tmp_path: Path, truth: Path) -> None:
    asked = ["--data-dir", str(tmp_path), "probe", "--syzygy", str(truth / "syzygy")]
    out = CliRunner().invoke(main, [*asked, "8/7P/8/8/8/4kr2/8/3K4 w - - 57 1"]).stdout.splitlines()
    assert re.fullmatch(r"KRvKP  win: DTZ 1, .*28½/50", out[0]) and re.match(r"White wins: 1 ply .* 43 ", out[1])
    assert out[2].startswith("by DTZ: 1.h8=Q Rf1+"), "it does not depend on what is missing"
    assert [" ".join(row.split()[:5]) for row in out[-1:]] == ["h8=R – – unknown KRvKR"]
    drawn = CliRunner().invoke(main, [*asked, "5k2/8/8/8/8/5K2/4pp2/8 w - - 42 1"])
    assert drawn.exit_code == 0 and drawn.stdout.startswith("KPPvK  draw\n")


def test_previous_positions_are_printed_with_the_move_that_led_here(library: Library) -> None:
    def told(*args: str) -> list[dict[str, object]]:
        asked = ["--data-dir", str(library.root), "previous", "Q6k/8/1K6/8/8/8/8/8 b - - 0 1", "--json", *args]
        return json.loads(CliRunner().invoke(main, asked).stdout)["previous"]

    found, every = told(), told("--captures")
    assert [back["kind"] for back in found].count("unpromotion") == 1 and len(found) == 13
    assert found[0] == {
        "fen": "7k/P7/1K6/8/8/8/8/8 w - - 0 1", "move": "a7a8q", "san": "a8=Q+", "kind": "unpromotion", "layer": 15,
        "best": True,
    }  # fmt: skip
    assert {back["kind"] for back in every} == {"quiet", "unpromotion", "uncapture"}
    words = ["--data-dir", str(library.root), "previous", "8/8/8/8/2k5/8/1Q6/K7 b - - 0 1"]
    assert re.search(r"^Qb2 +S\d+ +4 plies lost ", CliRunner().invoke(main, words).stdout, re.MULTILINE)
    passed = ["--data-dir", str(library.root), "previous", "7k/8/3P4/8/8/8/8/K7 b - - 0 1", "--captures"]
    assert "exd6  " in CliRunner().invoke(main, passed).stdout
