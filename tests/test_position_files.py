"""Files of positions: good lines are read, bad ones are listed with line and reason, and none is lost."""

from __future__ import annotations

import codecs
import tempfile
from collections.abc import Callable
from pathlib import Path

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core import pgn as pgn_files
from endgame_core.chess import notation
from endgame_core.chess.game import CHESS
from endgame_core.errors import StorageError
from endgame_core.game import PositionRecord
from endgame_core.practice.studies import Studies, Study, record_of

from . import positions

Read = Callable[..., list[PositionRecord]]
FEN = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
EPD = "7K/6Q1/8/8/2k5/8/8/8 w - -"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def call(text: str | bytes, name: str = "file.epd") -> list[PositionRecord]:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(pgn_files.positions(path, CHESS))

    return call


class TestLines:
    @pytest.mark.parametrize(
        ("line", "position", "note"),
        [
            (FEN, FEN, ""),
            (EPD, FEN, ""),
            ("7K/6Q1/8/8/2k5/8/8/8 w", FEN, ""),
            (EPD + " 3 7", EPD + " 3 7", ""),
            (f"{FEN} ; the longest", FEN, "the longest"),
            (f"{FEN};the longest", FEN, "the longest"),
            (f"{EPD} # the longest", FEN, "the longest"),
            (f'{EPD} c0 "the; longest";', FEN, "the; longest"),
            (f'{FEN} c0 "after the counts"', FEN, "after the counts"),
            (f"{EPD} hmvc 3; fmvn 7;", EPD + " 3 7", ""),
            (f"KQvK:{CHESS.index.key(CHESS.parse(FEN))}", FEN, ""),
            (f'"{FEN}"', FEN, ""),
            (f"'{FEN}'", FEN, ""),
            (f"“{FEN}”", FEN, ""),
            (f'"{EPD}"', FEN, ""),
            (f'"{FEN}" ; the longest', FEN, "the longest"),
            (f'"{EPD}" c0 "the longest";', FEN, "the longest"),
        ],
    )
    def test_a_line_has_a_position_and_its_note(self, line: str, position: str, note: str, read: Read) -> None:
        (found,) = read(line)
        assert not found.problem and (found.position, found.note) == (position, note)
        assert found.location == "line 1" and found.source == "file.epd, line 1"

    def test_operations_of_epd_become_facts_of_a_study(self, read: Read) -> None:
        (found,) = read(f'{EPD} bm Kg8 Kh7; am Qg4+; dm 10; id "longest"; ce 30000; x 1.5; noop; pv Kg8 Kd3;')
        assert (found.name, found.best, found.mate) == ("longest", ("Kg8", "Kh7"), 19)
        assert found.opcodes == {"am": "Qg4+", "ce": 30000, "x": 1.5, "noop": "", "pv": "Kg8 Kd3"}

    @pytest.mark.parametrize(("dm", "plies"), [("1", 1), ("-1", -2), ("-33", -66), ("0", None), ('"2"', None)])
    def test_epd_mates_in_moves_are_read_as_plies(self, dm: str, plies: int | None, read: Read) -> None:
        (found,) = read(f"{EPD} dm {dm};")
        assert found.mate == plies and ("dm" in found.opcodes) == (plies is None)

    @pytest.mark.parametrize(
        ("line", "words"),
        [
            ("nonsense", "is not a FEN"),
            ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "castling rights"),
            ("4k3/8/8/8/8/8/8/R7 w - - 0 1", "White has no king"),
            ("4k3/8/8/8/8/8/4P3/4K3 w - e3 0 1", "passed e3"),
            (f"{EPD} bm Qa9;", "operations cannot be read"),
            (f"{EPD} id unquoted;", "operations cannot be read"),
            (f"{EPD} dm {'9' * 5000};", "operations cannot be read"),
            (f"{EPD} hmvc -3;", "cannot be read"),
        ],
    )
    def test_a_bad_line_is_reported_with_its_number(self, line: str, words: str, read: Read) -> None:
        bad, good = read(f"{line}\n{FEN}\n")
        assert words in bad.problem and bad.location == "line 1" and bad.text.startswith(line[:20])
        assert good.position == FEN and good.location == "line 2"

    def test_blank_lines_comments_and_any_line_ends_are_accepted(self, read: Read) -> None:
        found = read(f"\ufeff{FEN}\r\n\r\n# comment\r{FEN}\n".encode())
        assert [record.location for record in found] == ["line 1", "line 4"]
        assert not any(record.problem for record in found)

    def test_a_file_in_latin_1_is_read(self, read: Read) -> None:
        (found,) = read(f"{FEN} ; R\u00e9ti".encode("latin-1"))
        assert found.note == "Réti"


GAME = '[Event "E"]\n[White "W"]\n[Black "?"]\n[Date "1921.??.??"]\n'
GAMES: dict[str, tuple[str, str]] = {
    "start": (f'{GAME}[FEN "{FEN}"]\n\n{{the longest [%eval #10]}} 1. Kg8 Kd3 {{well}} 1-0\n', ""),
    "no moves": (f'{GAME}[FEN "{FEN}"]\n\n*\n', ""),
    "end": (f"{GAME}\n1. e4 e5 2. Nf3 {{the end}} *\n", ""),
    "illegal move": (f'{GAME}[FEN "{FEN}"]\n\n1. Kg8 Ka1 *\n', "1... Ka1 is not a legal move"),
    "bad FEN": (f'{GAME}[FEN "8/8 w"]\n\n1. Kg8 *\n', "its FEN cannot be read"),
    "castling": (f'{GAME}[FEN "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"]\n\n*\n', "castling rights"),
    "torn tag": (f'{GAME}[FEN "{FEN}]\n\n1. Kg8 *\n', "FEN tag cannot be read"),
    "open comment": (f'{GAME}[FEN "{FEN}"]\n\n1. Kg8 {{never closed\n', "a comment is not closed"),
    "variant": (f'{GAME}[Variant "Atomic"]\n\n1. e4 *\n', "a different variant"),
    "odd variant": (f'{GAME}[Variant "Nonsense"]\n\n1. e4 *\n', "a different variant"),
    "empty": (f"{GAME}\n*\n", "neither a FEN tag nor moves"),
}


class TestGames:
    def test_a_pgn_with_a_fen_gives_its_start(self, read: Read) -> None:
        (found,) = read(GAMES["start"][0], "file.pgn")
        assert (found.position, found.name, found.note) == (FEN, "W, E, 1921", "the longest")
        assert found.opcodes == {"pv": "Kg8 Kd3"} and found.source == "file.pgn, game 1"

    def test_a_pgn_without_a_fen_gives_the_position_after_its_moves(self, read: Read) -> None:
        (found,) = read(GAME + "\n1. e4 e5 2. Ke2 Ke7 {the end} *\n", "file.pgn")
        assert found.position.startswith("rnbq1bnr/ppppkppp/") and found.note == "the end"

    @pytest.mark.parametrize("kind", GAMES)
    def test_a_bad_game_is_reported_and_the_next_one_is_read(self, kind: str, read: Read) -> None:
        text, words = GAMES[kind]
        first, second = read(f"{text}\n{GAMES['start'][0]}", "file.pgn")
        if kind == "end":
            words = "castling rights"
        assert words in first.problem and bool(first.problem) == bool(words) and first.location == "game 1"
        assert second.position == FEN and second.location == "game 2"

    @given(st.lists(st.sampled_from(sorted(GAMES)), max_size=6))
    def test_a_broken_game_does_not_swallow_the_next(self, kinds: list[str]) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "file.pgn"
            path.write_text("\n".join(GAMES[kind][0] for kind in kinds))
            found = list(pgn_files.positions(path, CHESS))
        good = [kind in ("start", "no moves") for kind in kinds]
        assert [not record.problem for record in found] == good

    def test_a_pgn_without_games_is_reported(self, read: Read) -> None:
        assert read("", "file.pgn") == []
        (found,) = read("% only an escape\n", "file.pgn")
        assert found.problem == "it contains no game"

    def test_python_chess_prints_nothing(self, read: Read, capsys: pytest.CaptureFixture[str]) -> None:
        read(GAMES["illegal move"][0] + GAMES["bad FEN"][0], "file.pgn")
        assert capsys.readouterr() == ("", "")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.epd", tmp_path):
        with pytest.raises(StorageError, match="cannot be read"):
            pgn_files.positions(path, CHESS)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_a_byte_order_mark_names_the_encoding(encoding: str, read: Read) -> None:
    marks = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-32-be": codecs.BOM_UTF32_BE}
    for text, name in ((f"{FEN} ; R\u00e9ti \U0001f600\r\n{EPD}", "file.epd"), (GAMES["start"][0], "file.pgn")):
        found = read(marks.get(encoding, b"") + text.encode(encoding), name)
        assert [record.position for record in found] == [FEN] * len(found) and len(found) == 1 + (name == "file.epd")
        assert found[0].note in ("R\u00e9ti \U0001f600", "the longest")


TEXT = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=20)


@pytest.mark.slow
@given(
    positions.placed(),
    TEXT,
    TEXT,
    st.none() | st.integers(1, 100),
    st.integers(0, 99),
    st.dictionaries(st.sampled_from(["c1", "c2", "x", "foo"]), TEXT | st.integers() | st.floats(-1e9, 1e9)),
)
def test_epd_is_read_as_written(
    placed: tuple[str, chess.Board], name: str, note: str, mate: int | None, clock: int, opcodes: dict[str, str | int]
) -> None:
    board = placed[1]
    board.halfmove_clock = clock
    try:
        notation.check(board)
    except Exception:
        return
    best = tuple(board.san(move) for move in list(board.legal_moves)[:3])
    mate = mate if mate is None or mate % 2 else -mate
    fen = board.fen()
    line = CHESS.file_notation.write_line(PositionRecord("", "", "", fen, name, note, "", best, mate, {**opcodes}))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "file.epd"
        path.write_text(line, encoding="utf-8")
        (found,) = pgn_files.positions(path, CHESS)
    assert not found.problem and (found.position, found.name, found.note) == (fen, name, note)
    assert (found.best, found.mate, found.opcodes) == (best, mate, opcodes)


PIECES = st.sampled_from(
    [
        *'[]{}();%$*"\\ \n\r\t',
        "\n\n",
        '[FEN "',
        '"]',
        "[Event ",
        FEN,
        EPD,
        "1. e4",
        "Kg8",
        "bm Kg8;",
        "\\n",
        'c9 "',
        '";',
        EPD.replace("k", "p").replace("2p5", "k1p5"),
        "7K/6Q1/8/8/2k5/8/8/7r b - - 3 9",
        "id ",
        "dm 3;",
        "$9",
    ]
)
MARKS = st.sampled_from([codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE])
GARBAGE = (
    st.binary()
    | st.tuples(MARKS, st.binary()).map(b"".join)
    | st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join)
)


def _facts(study: Study) -> tuple[object, ...]:
    """What a line of EPD says of a study; the place where it was read first is an operation of its own."""
    opcodes = {name: value for name, value in study.opcodes.items() if name != "c2"}
    return study.position, study.name, study.note, study.best, study.side, study.goal, study.depth, opcodes


@pytest.mark.slow
@given(GARBAGE, st.sampled_from(["pgn", "epd"]))
def test_garbage_is_listed_or_imported(raw: bytes | str, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"file.{suffix}"
        path.write_bytes(raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass"))
        try:
            records = list(pgn_files.positions(path, CHESS))
        except StorageError as error:
            assert "not a text file" in str(error) and 0 in path.read_bytes()
            return
        studies = Studies(CHESS, Path(directory) / "studies")
        done = studies.import_records(records, "garbage")
        assert not any(found.problem for found in studies.own())
        assert sum(len(found.studies) for found in studies.own()) == len(done.added)
        exported = [CHESS.file_notation.write_line(record_of(study, CHESS)) for study in done.added]
        path.with_suffix(".epd").write_text("".join(f"{line}\n" for line in exported), encoding="utf-8")
        again = studies.import_records(pgn_files.positions(path.with_suffix(".epd"), CHESS), "again")
        assert not again.refused
        assert [_facts(study) for study in again.added] == [_facts(study) for study in done.added]
    assert len(done.added) + len(done.refused) == len(records)
    assert all(refusal.reason.endswith(".") and "\n" not in refusal.reason for refusal in done.refused)
    if suffix == "pgn" and isinstance(raw, str) and any(c.isalpha() for c in raw):
        assert records
