"""Text from other programs: every fault becomes one short sentence, and no escape sequence reaches the terminal."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.chess.material import parse_material
from endgame_core.chess.syzygy import usable
from endgame_core.cli.main import main
from endgame_core.errors import EndgameError, EndingError, StorageError
from endgame_core.games import NAMES, by_name
from endgame_core.paths import UNRESTRICTED, AccessPolicy
from endgame_core.pgn import read
from endgame_core.practice.studies import Studies
from endgame_core.settings import ENGINE, Settings
from endgame_core.untrusted import decoded_lines, file_named, unquoted, visible

DEEP = "[" * 100_000
DIGITS = "9" * 5_000
EVIL = "a\x1b[31m\x9b2J\x7f\u202eb\u2066\x00"
START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


@pytest.mark.parametrize("text", ["n" * 300, "a\0b", "~a\0b/x", "a\ud800b", "~nosuchuser/x"])
def test_an_impossible_file_name_is_refused(text: str, tmp_path: Path) -> None:
    acts: list[Callable[[str], object]] = [
        file_named,
        lambda name: UNRESTRICTED.file(name, tmp_path),
        lambda name: AccessPolicy(locked=True).file(name, tmp_path),
    ]
    for act in acts:
        with pytest.raises(
            StorageError,
            match=r"no such|no file can have this name|there can be no such file|contain a NUL|must be valid text",
        ) as refused:
            act(text)
        assert len(str(refused.value)) < 160


@pytest.mark.parametrize("text", ["[", "v", "V v", "vvv", "]", "[[", "K[v", "\0"])
def test_text_other_than_an_ending_is_refused(text: str) -> None:
    with pytest.raises(EndingError):
        parse_material(text)
    for name in NAMES:
        with pytest.raises(EndingError):
            by_name(name).canonical_name(text)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "text",
    ["x" * 2000, "8/" * 900, f"{DEEP}]", f"[[{DIGITS}, 0]]", f"KQvK:{DIGITS}", "8/8/8/8/8/8/8/8 " + "w" * 999,
             f"{'9' * 700}/8/8/8/8/8/8/8 w - - 0 1", "K" * 500 + "vK", f"7K/6Q1/8/8/2k5/8/8/8 w - {'e' * 400} 0 1"],
    ids=len,
)  # fmt: skip
def test_an_error_shortens_its_quotation(name: str, text: str) -> None:
    game = by_name(name)
    acts: list[Callable[[str], object]] = [
        game.parse, game.canonical_name, lambda word: game.parse_move(game.parse(_start(name)), word)
    ]  # fmt: skip
    for read_it in acts:
        with pytest.raises(EndgameError) as refused:
            read_it(text)
        assert len(refused.value.what) < 180


def _start(name: str) -> str:
    return START if name == "chess" else "OO1O4/X6X/X7 w"


def test_annotations_with_thousands_of_digits_are_refused() -> None:
    assert read(f'[FEN "{START}"]\n\n1. Kg8 ${DIGITS} *', CHESS).problem


def test_absurd_settings_are_reported(tmp_path: Path) -> None:
    for text in (f"a = {DEEP}", f"a = {DIGITS}", "a = \xff"):
        paths.settings_file(tmp_path).write_bytes(text.encode("latin-1"))
        with pytest.raises(EndgameError, match="cannot be read") as refused:
            Settings(tmp_path).named(ENGINE)
        assert len(refused.value.what) < 300


def _set(tmp_path: Path, name: str, study: str) -> Studies:
    studies = Studies(CHESS, tmp_path / "studies")
    studies.directory.mkdir(parents=True)
    text = f'{{"version": 1, "game": "chess", "id": "mine", "name": {name}, "studies": [{study}]}}'
    (studies.directory / "mine.json").write_text(text)
    return studies


@pytest.mark.parametrize(
    "opcodes",
    [DEEP, f'{{"a": {DIGITS}}}', r'{"a": "\ud800"}', r'{"\udfff": 1}'],
    ids=("deep", "digits", "torn", "torn name"),
)
def test_absurd_studies_are_refused(tmp_path: Path, opcodes: str) -> None:
    study = json.dumps({"id": "mine/1", "name": "one", "position": START})[:-1] + f', "opcodes": {opcodes}}}'
    (found,) = _set(tmp_path, '"mine"', study).own()
    assert found.problem and not found.studies


def test_a_set_name_with_invalid_unicode_is_refused(tmp_path: Path) -> None:
    (found,) = _set(tmp_path, r'"\ud800"', "").own()
    assert found.problem
    found.name.encode()


def test_control_characters_are_made_visible() -> None:
    assert visible(EVIL) == "a␛[31m\ufffd2J␡\ufffdb\ufffd␀"
    assert visible(EVIL, ascii=True) == "a?[31m?2J??b??"
    assert visible("♔\ufe0e é 王\u00a0x\ny", "\n") == "♔\ufe0e é 王\u00a0x\ny"


def test_commands_print_no_control_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endgame_core.cli.common.is_stdout_terminal", lambda: True)
    name = json.dumps(EVIL)
    study = json.dumps({"id": "mine/1", "name": EVIL, "position": START, "note": EVIL, "source": EVIL, "best": [EVIL]})
    _set(tmp_path, name, study)
    run = CliRunner()
    for words in (
        ["studies"], ["studies", "show", "mine"], ["studies", "show", "mine/1"], ["studies", "export", "mine", "-"],
        ["studies", "show", EVIL], ["probe", EVIL], ["layers", EVIL], ["paths"],
        ["journal", "export", f"{tmp_path}/{EVIL[:-1]}/x"],
        ["positions", "KQvK", "--layer", EVIL[:-1]], [EVIL[:-1]],
    ):  # fmt: skip
        done = run.invoke(main, ["--data-dir", str(tmp_path), *words])
        printed = done.stdout + done.stderr
        assert printed and printed == visible(printed, "\n"), words


def test_a_pipe_gets_no_escape_sequence_but_joiners(tmp_path: Path) -> None:
    """It may lead to a terminal as well, as in ``| cat`` and ``| less -r``."""
    named = tmp_path / "ex\x1b]0;X\x07\u200d.zip"
    done = CliRunner().invoke(main, ["--data-dir", str(tmp_path), "export", "KQvK", str(named)])
    assert done.exit_code == 0 and named.is_file()
    printed = done.output
    assert "\x1b" not in printed and "\x07" not in printed and "ex␛]0;X␇" in printed
    assert "\u200d" in done.stdout


def _pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """Bytes cut anywhere."""
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(places)]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff") | st.just("\n"), max_size=40)


@given(TEXTS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]), st.lists(st.integers(0, 400)))
def test_lines_of_a_stream_are_complete_however_it_is_split(text: str, encoding: str, cuts: list[int]) -> None:
    assume(encoding != "utf-16" or not text.startswith("\0"))  # its first bytes would be the mark of UTF-32
    lines = list(decoded_lines(_pieces(text.encode(encoding), cuts)))
    assert "".join(lines) == text
    assert all(line.endswith("\n") for line in lines[:-1]) and all("\n" not in line[:-1] for line in lines)


@given(st.binary(max_size=60), st.lists(st.integers(0, 60)), st.sampled_from(["replace", "surrogateescape"]))
def test_no_bytes_stop_a_stream(data: bytes, cuts: list[int], errors: str) -> None:
    assert list(decoded_lines(_pieces(data, cuts), errors=errors)) == list(decoded_lines([data], errors=errors))


def test_a_line_of_a_stream_is_there_before_the_next_is_written() -> None:
    """Another program asks line by line, and waits for each answer."""
    written: list[bytes] = []

    def stream() -> Iterator[bytes]:
        for line in (b"a\n", b"b\n"):
            written.append(line)
            yield line

    lines = decoded_lines(stream())
    assert next(lines) == "a\n" and written == [b"a\n"]
    assert next(lines) == "b\n"


@given(TEXTS)
def test_quotation_marks_around_a_whole_text_are_stripped(text: str) -> None:
    bare = text.strip().strip("\"'“”‘’„«»").strip()
    for first, last in ('""', "''", "“”", "«»"):
        if bare and first not in bare and last not in bare:
            assert unquoted(f" {first}{bare}{last}\n") == bare
    assert unquoted('"a" and "b"') == '"a" and "b"' and unquoted('"') == '"'


COMMANDS: list[list[str]] = [
    ["probe", "-"],
    ["probe", "--brief", "-"],
    ["convert", "-"],
    ["journal", "import", "-"],
    ["journal", "import", "FILE"],
    ["studies", "import", "FILE", "--set", "mine"],
    ["games", "FILE"],
    ["--plain"],
]
STARTS = st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b'{"kind": "', b"[FEN "])


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_bytes_end_a_command_in_a_traceback(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "data.pgn"

    @settings(max_examples=60)
    @given(STARTS, st.binary(max_size=80) | st.text(max_size=40).map(lambda text: text.encode("utf-16")))
    def run(start: bytes, data: bytes) -> None:
        file.write_bytes(start + data)
        args = [str(file) if word == "FILE" else word for word in command]
        result = CliRunner().invoke(main, ["--data-dir", str(tmp_path / "data"), *args], input=start + data)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert "Traceback" not in result.output

    run()


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""], ids=["mark", "none"])
def test_settings_and_studies_with_a_byte_order_mark_are_read(tmp_path: Path, mark: bytes) -> None:
    paths.settings_file(tmp_path).write_bytes(mark + b'engine = "x"\r\n')
    assert Settings(tmp_path).named(ENGINE) == "x"
    studies = Studies(CHESS, tmp_path / "studies")
    added = studies.add(START, "mine")
    path = studies.directory / "mine.json"
    path.write_bytes(mark + path.read_bytes())
    (found,) = studies.own()
    assert not found.problem and found.studies == (added,)


def test_many_directories_without_syzygy_files_are_reported_in_few_warnings(tmp_path: Path) -> None:
    warnings: list[EndgameError] = []
    names = [str(tmp_path / str(number)) for number in range(500)]
    assert usable(os.pathsep.join([*names, *names]), warnings.append) is None
    assert len(warnings) == 4 and warnings[-1].what.startswith("497 more Syzygy directories have no readable tables")
    warnings.clear()
    assert usable(os.pathsep.join(names[:4]), warnings.append) is None
    assert [str(tmp_path / "2") in warnings[2].what, "1 more Syzygy directory has" in warnings[3].what] == [True, True]
