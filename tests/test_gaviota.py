"""Gaviota files: ours equal the published ones and are read by python-chess, and we read those of others."""

from __future__ import annotations

import json
import lzma
import random
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import chess
import chess.gaviota
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.app_context import AppContext
from endgame_core.chess import material
from endgame_core.chess.game import CHESS
from endgame_core.chess.gaviota import VARIABLE, Gaviota, files_in, usable
from endgame_core.chess.gaviota_export import export_gaviota
from endgame_core.chess.gaviota_layout import byte_of, file_name, groups, plies_of_bytes, size
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, EndingError, StorageError, TableError
from endgame_core.game import Slot
from endgame_core.paths import AccessPolicy
from endgame_core.settings import gaviota_directories
from endgame_core.tables.library import Library
from endgame_core.values import code_of, value_of

from .conftest import Five, fast

Boards = Callable[[str], chess.Board]
Run = Callable[..., Result]

COVERED = [ending for ending in material.ENDINGS if material.men_count(ending) <= 5]
EXPORTED = ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KQvKR", "KBBvK", "KPvKP", "KPPvK", "KRvKP"]
FIVE = ["KRRvKR", "KRPvKR"]


@pytest.fixture(scope="session")
def exported(library: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with Gaviota files that we wrote."""
    directory = tmp_path_factory.mktemp("gaviota")
    for ending in EXPORTED:
        export_gaviota(library, ending, directory / file_name(ending))
    return directory


@pytest.fixture
def run(library: Library) -> Run:
    def call(*args: str, root: Path = library.root) -> Result:
        return CliRunner().invoke(main, ["--data-dir", str(root), *args])

    return call


def blocks(path: Path) -> tuple[tuple[int, ...], list[bytes]]:
    """The header of a file, and its blocks decompressed."""
    data = path.read_bytes()
    header = struct.unpack("<10I", data[:40])
    offsets = struct.unpack(f"<{header[8] // 4 - 10}I", data[40 : header[8]])
    assert offsets[-1] == len(data)
    parts = pairwise(offsets)
    return header, [lzma.decompress(data[start + 2 : end]) for start, end in parts]


def signed(code: int) -> int:
    """The DTM of a code as python-chess has it: plies, above 0 if the side to move wins."""
    category, plies = value_of(code)
    return (plies or 0) * category.sign


class TestFormat:
    def test_every_ending_of_python_chess_is_known(self) -> None:
        keys = chess.gaviota.EGKEY
        sizes = {file_name(ending).removesuffix(".gtb.cp4"): size(ending) for ending in COVERED}
        assert sizes == {key: keys[key].maxindex for key in keys}

    @pytest.mark.parametrize("ending", COVERED)
    def test_the_index_is_that_of_python_chess(self, ending: str) -> None:
        key = chess.gaviota.EGKEY[ending.replace("v", "").lower()]
        white_count = ending.index("v")
        rng = random.Random(ending)
        seen = 0
        for _ in range(60):
            index = rest = rng.randrange(size(ending))
            squares = [0] * (len(ending) - 1)
            for places, placements in reversed(groups(ending)):
                rest, digit = divmod(rest, len(placements))
                for place, square in zip(places, placements[digit], strict=True):
                    squares[place] = square
            if len({*squares}) < len(squares):
                continue
            seen += 1
            request = chess.gaviota.Request([0], [1], [0], [1], 0)
            request.white_piece_squares = squares[:white_count]
            request.black_piece_squares = squares[white_count:]
            assert key.pctoi(request) == index
        assert seen

    @pytest.mark.parametrize("side", [0, 1])
    def test_every_byte_decodes_as_in_python_chess(self, side: int) -> None:
        for byte in range(256):
            plies, result = chess.gaviota.unpackdist(chess.gaviota.dtm_unpack(side, byte))
            ours = plies_of_bytes(side)[byte]
            if result not in (chess.gaviota.iWMATE, chess.gaviota.iBMATE):
                assert ours is None and byte in (0, 3)
                continue
            is_win = (result == chess.gaviota.iWMATE) == (side == 0)
            assert ours == plies and is_win == (plies % 2 == 1) and byte_of(side, plies) == byte

    @pytest.mark.parametrize("plies", [255, 257, 400])
    def test_values_that_no_byte_can_hold_are_refused(self, plies: int) -> None:
        with pytest.raises(ValueError, match=f"no byte holds {plies} plies"):
            byte_of(1, plies)


class TestExport:
    @pytest.mark.parametrize("ending", ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK"])
    def test_every_byte_equals_that_of_the_published_file(self, ending: str, exported: Path, truth: Path) -> None:
        name = file_name(ending)
        assert blocks(exported / name) == blocks(truth / "gaviota" / name)

    @pytest.mark.parametrize("ending", EXPORTED)
    def test_python_chess_reads_our_values(
        self, ending: str, exported: Path, library: Library, random_board: Boards
    ) -> None:
        with chess.gaviota.open_tablebase(str(exported)) as tables:
            for _ in range(150):
                board = random_board(ending)
                assert tables.probe_dtm(board) == signed(library.code(board)), board.fen()

    def test_python_chess_adds_en_passant(self, exported: Path, library: Library, passed_board: Boards) -> None:
        with chess.gaviota.open_tablebase(str(exported)) as tables:
            for _ in range(300):
                board = passed_board("KPvKP")
                assert tables.probe_dtm(board) == signed(library.code(board)), board.fen()

    @pytest.mark.slow
    @pytest.mark.parametrize("ending", [name for name in COVERED if material.men_count(name) == 4])
    def test_python_chess_reads_all_endings_of_four(
        self, ending: str, library: Library, tmp_path: Path, random_board: Boards
    ) -> None:
        export_gaviota(library, ending, tmp_path / file_name(ending))
        with chess.gaviota.open_tablebase(str(tmp_path)) as tables:
            for _ in range(1500):
                board = random_board(ending)
                assert tables.probe_dtm(board) == signed(library.code(board)), board.fen()

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("ending", FIVE)
    def test_python_chess_reads_five_pieces(
        self, ending: str, five: Five, tmp_path: Path, random_board: Boards
    ) -> None:
        library = five(CHESS, [ending])
        export_gaviota(library, ending, tmp_path / file_name(ending))
        with chess.gaviota.open_tablebase(str(tmp_path)) as tables:
            for _ in range(3000):
                board = random_board(ending)
                assert tables.probe_dtm(board) == signed(library.code(board)), board.fen()

    def test_progress_grows_to_the_end(self, library: Library, tmp_path: Path) -> None:
        shares: list[float] = []
        result = export_gaviota(library, "KPvK", tmp_path / "a", report=lambda what, share: shares.append(share))
        assert shares == sorted(shares) and shares[-1] == 1 and len(shares) == 12
        assert (result.positions, result.size) == (165_676, (tmp_path / "a").stat().st_size)

    def test_six_pieces_are_refused(self, library: Library, tmp_path: Path) -> None:
        with pytest.raises(EndingError, match="Gaviota files have at most 5 pieces; KQQvKRR has 6"):
            export_gaviota(library, "KQQvKRR", tmp_path / "a")

    def test_export_writes_a_gaviota_file_and_says_how_large(self, run: Run, tmp_path: Path) -> None:
        result = run("export", "kqk", "--format", "gaviota", str(tmp_path))
        path = tmp_path / "kqk.gtb.cp4"
        size_shown = f"{path.stat().st_size / 1000:.1f} KB"
        assert result.stdout == f"KQvK  Gaviota file with 47 136 positions  {size_shown}  {path}\n", result.output
        again = run("export", "KQvK", str(tmp_path), "--format", "gaviota")
        assert again.exit_code == 1 and "already exists" in again.stderr
        found = json.loads(run("export", "KQvK", str(path), "--format", "gaviota", "--force", "--json").stdout)
        assert found == {"file": str(path), "ending": "KQvK", "positions": 47_136, "size": path.stat().st_size}

    @pytest.mark.parametrize(
        ("args", "words"),
        [
            (("KQvK", "--format", "gaviota", "--lean"), "--lean and --all cannot be combined with --format gaviota"),
            (("KQvK",), "name the FILE to write"),
            (("KQvK", "."), "'.' is a directory"),
            (("3-3", "--format", "gaviota"), "Gaviota files are for chess only"),
        ],
    )
    def test_incompatible_options_are_refused(self, args: tuple[str, ...], words: str, run: Run) -> None:
        result = run("export", *args)
        assert result.exit_code == 2 and words in result.stderr

    def test_a_file_name_other_than_that_of_gaviota_causes_a_warning(self, run: Run, tmp_path: Path) -> None:
        result = run("export", "KQvK", str(tmp_path / "queen"), "--format", "gaviota")
        assert result.exit_code == 0 and "to be named kqk.gtb.cp4" in result.stderr


class TestReading:
    @pytest.mark.parametrize("ending", EXPORTED)
    def test_values_of_gaviota_files_equal_those_of_our_tables(
        self, ending: str, exported: Path, library: Library
    ) -> None:
        files = Gaviota(str(exported))
        rng = random.Random(ending)
        table = library.table(ending)
        for _ in range(100):
            side, index = table.nth(rng.randrange(table.positions))
            assert files.code(Slot(ending, side, index)) == table.code(side, index)
        assert files.code(Slot("KQvKQ", 0, 0)) is None

    @pytest.mark.parametrize("ending", ["KPvKP", "KQvKR", "KPPvK"])
    def test_a_judge_with_gaviota_files_agrees_with_one_with_our_tables(
        self, ending: str, exported: Path, library: Library, tmp_path: Path, random_board: Boards
    ) -> None:
        ours = AppContext(library.root).judge("chess")
        files = AppContext(tmp_path, gaviota=str(exported))
        theirs = files.judge("chess")
        for _ in range(12):
            board = random_board(ending)
            assert theirs.probe(board).verdict == ours.probe(board).verdict, board.fen()
            line = [rated.uci for rated in theirs.line(board).steps]
            expected = [rated.uci for rated in ours.line(board).steps]
            if "P" not in ending:  # there is no file of what comes after a promotion
                assert line == expected, board.fen()

    def test_en_passant_in_gaviota_files_is_evaluated_as_in_our_tables(
        self, exported: Path, library: Library, tmp_path: Path, passed_board: Boards
    ) -> None:
        explorer = AppContext(tmp_path, gaviota=str(exported)).explorer("dtm")
        for _ in range(100):
            board = passed_board("KPvKP")
            assert explorer.code(board) == library.code(board), board.fen()

    def test_the_command_probes_files_alone(self, exported: Path, run: Run, tmp_path: Path) -> None:
        args = ("probe", "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1", "--json")
        missing = run(*args, root=tmp_path)
        assert missing.exit_code == 1 and "not built" in missing.stderr
        result = run(*args, "--gaviota", str(exported), root=tmp_path)
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["dtm"] == json.loads(run(*args).stdout)["dtm"]

    def test_a_directory_without_files_is_reported(self, run: Run, tmp_path: Path) -> None:
        result = run("probe", "8/8/8/8/1k2r3/8/2K5/3Q4 w - - 0 1", "--gaviota", str(tmp_path), root=tmp_path)
        assert result.exit_code == 1 and "there is no Gaviota file (.gtb.cp4) in" in result.stderr
        with pytest.raises(StorageError, match="cannot be read"):
            files_in(str(tmp_path / "absent"))
        warnings: list[EndgameError] = []
        assert usable(str(tmp_path), warnings.append) is None and len(warnings) == 1

    def test_option_variable_and_setting_name_gaviota_directories(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        assert gaviota_directories(root=tmp_path) is None
        (tmp_path / "settings.toml").write_text('gaviota = "/setting"\n')
        assert gaviota_directories(root=tmp_path) == "/setting"
        monkeypatch.setenv(VARIABLE, "/variable")
        assert gaviota_directories(root=tmp_path) == "/variable"
        assert gaviota_directories("/given", tmp_path) == "/given"

    def test_a_locked_program_ignores_the_setting(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv(VARIABLE, raising=False)
        (tmp_path / "settings.toml").write_text('gaviota = "/nowhere"\n')
        problems: list[EndgameError] = []
        assert AppContext(tmp_path, None, problems.append, access=AccessPolicy(locked=True)).gaviota is None
        assert not problems
        assert AppContext(tmp_path, None, problems.append).gaviota is None and len(problems) == 1


@pytest.fixture(scope="session")
def whole(exported: Path) -> bytes:
    """A sound file."""
    return (exported / "kqk.gtb.cp4").read_bytes()


def read_some(directory: Path, data: bytes) -> list[int]:
    """Write a file of KQvK and read positions of all its blocks; raises TableError."""
    (directory / "kqk.gtb.cp4").write_bytes(data)
    files = Gaviota(str(directory))
    slots = [CHESS.index.slot_of(chess.Board(fen)) for fen in _FENS]
    return [code for slot in slots if (code := files.code(slot)) is not None]


_FENS = [
    f"{men} {turn} - - 0 1"
    for men in ("8/8/8/8/2k5/8/6Q1/K7", "6k1/8/8/8/8/8/1Q6/7K", "8/8/8/3k4/8/8/1Q6/3K4", "8/8/8/4k3/8/8/Q7/K7")
    for turn in "wb"
]
"""Legal positions in all blocks."""


class TestBadBytes:
    def test_an_intact_file_has_the_values_of_our_tables(self, whole: bytes, tmp_path: Path, library: Library) -> None:
        assert all(chess.Board(fen).is_valid() for fen in _FENS)
        assert read_some(tmp_path, whole) == [library.code(chess.Board(fen)) for fen in _FENS]

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"", "kqk.gtb.cp4 is damaged (it is truncated); download it again."),
            (b"x" * 9000, "kqk.gtb.cp4 is not a Gaviota file for its ending; download it again."),
        ],
    )
    def test_a_file_of_another_format_is_refused(self, data: bytes, words: str, tmp_path: Path) -> None:
        with pytest.raises(TableError) as met:
            read_some(tmp_path, data)
        assert str(met.value) == words

    @pytest.mark.parametrize("share", fast([0.9, 0.003, 0.5, 0.99], 2))
    def test_a_truncated_file_is_an_error_that_says_so(self, share: float, whole: bytes, tmp_path: Path) -> None:
        with pytest.raises(TableError, match=r"kqk.gtb.cp4 is damaged \(it is truncated\)"):
            read_some(tmp_path, whole[: int(share * len(whole))])

    def test_a_block_that_cannot_be_unpacked_is_an_error(self, whole: bytes, tmp_path: Path) -> None:
        with pytest.raises(TableError, match="block 0 cannot be read"):
            read_some(tmp_path, whole[:62] + b"\xff" * 500 + whole[562:])

    @settings(max_examples=150)
    @given(data=st.data())
    def test_changed_bytes_are_read_or_reported(
        self, data: st.DataObject, whole: bytes, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        directory = tmp_path_factory.mktemp("bad")
        changed = bytearray(whole)
        for at in data.draw(st.lists(st.integers(0, 400) | st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
            changed[at] = data.draw(st.integers(0, 255))
        try:
            codes = read_some(directory, bytes(changed))
        except TableError as error:
            assert str(error).startswith("kqk.gtb.cp4 is ") and "\n" not in str(error)
        else:
            assert all(code == code_of(*value_of(code)) for code in codes)

    def test_the_judge_names_a_damaged_file_and_continues(self, exported: Path, tmp_path: Path) -> None:
        data = (exported / "kpk.gtb.cp4").read_bytes()
        (tmp_path / "kpk.gtb.cp4").write_bytes(data[:94] + b"\xff" * (len(data) - 94))
        board = chess.Board("8/8/8/4k3/8/8/4P3/4K3 w - - 0 1")
        probe = AppContext(tmp_path, gaviota=str(tmp_path)).judge("chess").probe(board)
        assert probe.verdict is None and "kpk.gtb.cp4 is damaged" in str(probe.problem)

    def test_a_directory_in_place_of_a_file_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "kqk.gtb.cp4").mkdir()
        with pytest.raises(StorageError, match="there is no Gaviota file"):
            Gaviota(str(tmp_path))
