"""Translations: every sentence is marked and translated, and text for programs stays English."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from endgame_core import language
from endgame_core.app_context import AppContext
from endgame_core.chess import notation
from endgame_core.chess.game import CHESS
from endgame_core.game_state import Draw, Win
from endgame_core.practice.defence import Defence
from endgame_core.practice.goals import GameGoal
from endgame_core.practice.match import Match, Termination
from endgame_core.practice.recorder import Recorder, RecordingOptions
from endgame_core.practice.studies import MY_GAMES, MY_POSITIONS, Agreement
from endgame_core.tasks.game_record import comment_of
from endgame_core.tasks.play_state import PlayState
from endgame_core.tasks.review import replay
from endgame_core.values import Category
from endgame_core.words.game_report import file_of
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import in_words

babel = pytest.importorskip("babel.messages", reason="translations are updated with Babel")

ROOT = Path(__file__).parents[1]
LANGUAGES = [name for name in language.NAMES if name not in (language.AUTO, language.ENGLISH)]
KQVK = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


def _tool() -> Any:
    """The module that updates the catalogues; it is no part of a package."""
    spec = importlib.util.spec_from_file_location("make_catalogue", ROOT / "docs" / "make_catalogue.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tool() -> Any:
    return _tool()


def _run(
    *arguments: str, home: Path, code: str = "de", stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the program in a language."""
    variables = {**os.environ, "ENDGAME_TUI_HOME": str(home), "COLUMNS": "100", **environment}
    command = [sys.executable, "-P", "-m", "endgame_tui.start", "--lang", code, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, env=variables, timeout=300)


# The catalogue


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_sentence_is_translated_and_compiled(tool: Any, code: str) -> None:
    """A sentence without a translation, a fuzzy one, and one that is gone fail: run docs/make_catalogue.py."""
    catalogue = tool.update(code)
    missing = [message.id for message in catalogue if message.id and not all(tool._strings(message.string))]
    assert not missing
    assert not [message.id for message in catalogue if message.fuzzy and message.id]
    folder = tool.LOCALES / code / "LC_MESSAGES"
    assert {message.id for message in catalogue} == {message.id for message in _read(folder / "endgame.po", code)}
    assert (folder / "endgame.mo").read_bytes() == tool.mo_bytes(_read(folder / "endgame.po", code))


def _read(path: Path, code: str) -> Any:
    from babel.messages.pofile import read_po

    with path.open("rb") as file:
        return read_po(file, locale=code)


def _fields(text: str) -> set[str]:
    """The placeholders of a sentence, those nested in formats too; braces of JSON are none."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return set()
    names = {name for _, name, _, _ in parts if name is not None}
    return names | {nested for _, _, spec, _ in parts if spec and "{" in spec for nested in _fields(spec)}


@pytest.mark.parametrize("code", LANGUAGES)
def test_translations_have_the_same_placeholders(tool: Any, code: str) -> None:
    for message in _read(tool.LOCALES / code / "LC_MESSAGES" / "endgame.po", code):
        if not message.id:
            continue
        one, many = message.id if isinstance(message.id, tuple) else (message.id, message.id)
        for translation in tool._strings(message.string):
            assert _fields(translation) <= _fields(one) | _fields(many), message.id
            assert _fields(one) & _fields(many) <= _fields(translation), message.id


# Marks

_WORDS = re.compile(r"[A-Za-z]{2,}[,;:]? [a-z]{2,}")
_MARKS = {"_", "N_", "ngettext", "pgettext", "count"}
_DATA = re.compile(r"\\b|^dask worker |^White is to move in every file|^Bits 1 to 24")
"""Expressions, commands, and what archives say of their keys."""
_DATA_CALLS = {"compile", "execute", "executemany", "Setting", "Action", "import_module", "TypeVar", "cast", "warn"}

_UNMARKED: dict[str, str] = {
    "cli/click_texts.py": "marked as a whole",
    "server.py": "the protocol of serve, which programs read",
    "answers.py": "JSON of the server",
    "uci.py": "the protocol of UCI",
    "values.py": "words that the journal and PGN files keep",
    "actions.py": "names of commands",
    "practice/journal": "SQL",
    "practice/levels.py": "SQL",
    "practice/path.py": "SQL",
    "practice/stats.py": "SQL",
    "practice/course.py": "SQL",
    "practice/drills.py": "reasons that the journal keeps",
    "practice/goals.py": "reasons that the journal keeps",
    "practice/match.py": "reasons that the journal keeps",
    "practice/streak.py": "reasons that the journal keeps",
    "practice/records.py": "words that the journal keeps",
    "tasks/game_record.py": "comments of PGN files",
    "tasks/game_collection.py": "names of drills, which files keep",
    "tasks/play_state.py": "names of drills, which files keep",
    "words/chart.py": "pictures in files",
    "words/sheet.py": "pages in files",
    "morris/picture.py": "pictures in files",
    "chess/picture.py": "pictures in files",
    "tables/archive.py": "the description inside an archive",
    "query.py": "the words of queries",
    "web.py": "the page and its protocol",
    "chess/solver": "solving, which shows no sentence",
    "kernels": "compiled",
    "look.py": "colours",
    "server_description.py": "the description of the protocol of serve",
    "__init__.py": "an error of Python",
    "installation.py": "commands to type",
    "tables/tiling.py": "faults of the program",
    "plain/terminal.py": "commands of readline",
    "chess/arrays.py": "faults of the program",
    "chess/gaviota_layout.py": "faults of the program",
    "morris/rules.py": "the rules inside an archive",
}  # fmt: skip
"""Modules, or beginnings of their names, whose literals are not translated, and why."""

_ALLOWED = {
    "in square", "best moves", "winning moves", "drawing moves", "only move", "best move", "to move", "king move",
    "promotion to queen", "promotion to rook", "promotion to bishop", "promotion to knight", "depth under the rule",
    "from position", ", en passant on", "white stone", "black stone",
    "nine men's morris", "my positions", "my games", "was corrupt", "identical pieces", "endings with pawns", "in bits",
    "the squares (a1 = 0, b1 = 1, h8 = 63) are:", "white has", "stones there and black", "moves of both sides",
    "setup play", "play review", "question turn", "model name", "your side", "key moves", "fewest moves", "the end",
    "a block ends too early", "no totals", "no coder", "the parts add up to the total",
    "back and forward \\1 through", "– (moves lost per drill)", "\\1 not known",
    "white wins and depth > 20 and only move",
}  # fmt: skip
"""Words of queries, files and stages, and names that are looked up before they are translated, in lower case."""


def _unmarked(path: Path) -> list[str]:
    """The literals of a module with two words or more that are neither marked nor obviously data."""
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            function = node.func
            name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
            if name in _MARKS or name in _DATA_CALLS:
                return
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node, ast.ClassDef) and any("Enum" in ast.unparse(base) for base in node.bases):
            return
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Assert | ast.Compare | ast.Subscript):
            if isinstance(node, ast.Assert | ast.Compare | ast.Subscript):
                return
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(re.search(r"CSS|GRAMMAR|__all__|DECLARATIONS", ast.unparse(target)) for target in targets):
                return
            if isinstance(node, ast.AnnAssign):
                if node.value is not None:
                    visit(node.value)
                return
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for part in (*node.decorator_list, *node.args.defaults, *node.body):
                visit(part)
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _WORDS.search(node.value) and not _DATA.search(node.value):
                found.append(node.value)
            return
        if isinstance(node, ast.Dict):  # its keys are looked up
            for value in node.values:
                visit(value)
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found


def test_every_sentence_is_marked(tool: Any) -> None:
    """A literal of two words reaches a user, or is listed here with a reason."""
    unmarked: list[str] = []
    for path in tool.sources():
        name = path.relative_to(ROOT).as_posix().split("/", 2)[2]
        if any(name.startswith(part) or part in name for part in _UNMARKED):
            continue
        unmarked += [f"{name}: {text!r}" for text in _unmarked(path) if text.strip().casefold() not in _ALLOWED]
    assert not unmarked, "\n".join(unmarked)


def test_no_sentence_is_marked_inside_an_f_string(tool: Any) -> None:
    """Babel does not find it there before Python 3.12, so that it would stay English."""
    for path in tool.sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                calls = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
                marks = [ast.unparse(call) for call in calls if call.args and isinstance(call.args[0], ast.Constant)]
                assert not [mark for mark in marks if mark.startswith(("_(", "ngettext(", "pgettext("))], path


# Choosing


@pytest.mark.parametrize(
    ("arguments", "environment", "settings", "expected"),
    [
        ([], {}, "", "en"),
        ([], {"LANG": "de_DE.UTF-8"}, "", "de"),
        ([], {"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "", "en"),
        ([], {"LANG": "fr_FR.UTF-8"}, "", "en"),
        ([], {"LANG": "de_AT.UTF-8"}, 'language = "en"\n', "en"),
        ([], {}, '# mine\nlanguage = "de"\n[keys]\n', "de"),
        ([], {}, '[keys]\nlanguage = "de"\n', "en"),
        ([], {language.VARIABLE: "de"}, 'language = "en"\n', "de"),
        (["--lang", "en"], {language.VARIABLE: "de"}, "", "en"),
        (["--lang=de", "probe"], {}, "", "de"),
        (["--lang", "de", "stats", "--json"], {}, "", "en"),
        (["--lang", "de", "uci"], {}, "", "en"),
        (["--lang", "de", "serve"], {}, "", "en"),
        (["--lang", "de", "serve", "--web"], {}, "", "de"),
        (["--lang", "de", "serve", "--help"], {}, "", "de"),
        (["--", "--lang", "de"], {}, "", "en"),
    ],
)
def test_option_setting_and_locale_choose_the_language(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], settings: str, expected: str
) -> None:
    (tmp_path / "settings.toml").write_text(settings)
    code = "import sys; from endgame_core import language; language.choose(sys.argv[1:]); print(language.current)"
    kept = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_MESSAGES", "LANG")}
    kept.pop(language.VARIABLE, None)
    variables = {**kept, "ENDGAME_TUI_HOME": str(tmp_path), **environment}
    process = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments], capture_output=True, text=True, env=variables, check=True
    )
    assert process.stdout.strip() == expected


def test_sentences_follow_the_language(use_language: Callable[[str], None]) -> None:
    use_language("de")
    assert language._("the draw was thrown away") == "das Remis ist verspielt"
    assert language.ngettext("position", "positions", 2) == "Stellungen"
    assert language.english("Abwehr") == "Defence"
    assert language.side_name("black") == "Schwarz"
    use_language("en")
    assert language._("the draw was thrown away") == "the draw was thrown away"
    assert language.side_name("black") == "Black"


# What is printed


def test_titles_of_endings_have_plurals() -> None:
    code = (
        "from endgame_core.chess.game import CHESS; print(*map(CHESS.title, ['KRRvKR', 'KNNNvK', 'KBPPvKP']), sep=';')"
    )
    titles = {
        "en": "Two rooks against rook;Three knights against king;Bishop and two pawns against pawn",
        "de": "Zwei Türme gegen Turm;Drei Springer gegen König;Läufer und zwei Bauern gegen Bauer",
    }
    for name, expected in titles.items():
        variables = {**os.environ, language.VARIABLE: name, "PYTHONIOENCODING": "utf-8"}
        process = subprocess.run(
            [sys.executable, "-P", "-c", code], capture_output=True, env=variables, timeout=300, check=True
        )
        assert process.stdout.decode().strip() == expected


def test_command_line_speaks_german(tmp_path: Path) -> None:
    process = _run("--help", home=tmp_path)
    assert "Aufruf:" in process.stdout and "Befehle:" in process.stdout
    assert "Perfekte Endspieltabellen berechnen und erkunden." in process.stdout
    process = _run("bulid", home=tmp_path)
    assert process.returncode == 2
    assert "Den Befehl 'bulid' gibt es nicht. Meintest du 'build'?" in process.stderr
    process = _run("probe", KQVK, home=tmp_path)
    assert "Weiß setzt matt in 10 (19 Halbzüge)" in process.stdout
    assert "1.Kg8 Kd3" in process.stdout  # letters of pieces are English on the command line


def test_json_is_the_same_in_every_language(tmp_path: Path) -> None:
    commands = (
        ["probe", KQVK, "--json"], ["paths", "--json"], ["tables", "--all", "--json"], ["layers", "KQvK", "--json"],
        ["line", KQVK, "--json"], ["stats", "--json"], ["studies", "--json"], ["previous", KQVK, "--json"],
    )  # fmt: skip
    for command in commands:
        english = _run(*command, home=tmp_path, code="en")
        german = _run(*command, home=tmp_path)
        assert english.returncode == german.returncode == 0, german.stderr
        assert english.stdout == german.stdout
        json.loads(german.stdout)


def test_plain_mode_speaks_german(tmp_path: Path) -> None:
    variables = {**os.environ, "ENDGAME_TUI_HOME": str(tmp_path)}
    lines = ["help", KQVK, "why", "Dg4+", "moves-as letters", "best", "library", "practise", "play", "set schwarz"]
    process = subprocess.run(
        [sys.executable, "-P", "-m", "endgame_tui.start", "--lang", "de", "--plain"],
        input="\n".join([*lines, "quit", "yes"]), capture_output=True, text=True, env=variables, timeout=300,
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert "Textmodus von endgame-tui. Tippe help für die Befehle, quit zum Verlassen." in process.stdout
    assert "Weiß am Zug" in process.stdout
    assert "Dame" in process.stdout


# What programs read, and what the program compares, is English

_TOKENS = """
import json
import chess
from endgame_core.chess import notation
from endgame_core.chess.game import CHESS
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import START
from endgame_core.paths import stamp
from endgame_core.practice.theme import DrillMode, Theme, parse_theme
from endgame_core.query import parse
from endgame_core.words import game_report
from endgame_core.words.text_model import KINDS

def reported(solver):
    names = []
    def report(name):
        names.append(name)
        raise InterruptedError
    try:
        solver.warm_up(["4-3"], report)
    except InterruptedError:
        pass
    return [name in solver.compile_times(["4-3"]) for name in names]

board = chess.Board("7K/6Q1/8/8/2k5/8/8/8 w - - 0 1")
queries = [
    (CHESS, "KQvKR", "only move"), (CHESS, "KQvKR", "best move is a capture"), (MORRIS, "4-3", "black stone on a7")
]
print(json.dumps([
    Theme("", DrillMode.MATE, study="lucena").key,
    parse_theme(Theme("", DrillMode.MATE, study="lucena").key).study,
    [str(parse(text, game.vocabulary, game.men(ending), ending)) for game, ending, text in queries],
    [game.men(ending) for game, ending, __ in queries],
    [name in game.vocabulary.facts for game in (CHESS, MORRIS) for name in ("only move", "best move")],
    dict(MORRIS.file_notation.headers(START)),
    CHESS.file_notation.start_of({"Variant": "From Position", "FEN": board.fen()}).fen(),
    notation.diagram(board), notation.parse_position(notation.diagram(board)).fen(),
    stamp(),
    [mark.role for mark, __ in game_report._MARKS.values()], [mark.role for mark in KINDS.values()],
    reported(MORRIS.solver),
]))
"""


def test_tokens_are_the_same_in_every_language(tmp_path: Path) -> None:
    """Keys of the journal, headers of games, words of queries, roles of colours, names of kernels."""
    printed = [
        subprocess.run(
            [sys.executable, "-P", "-c", _TOKENS], capture_output=True, text=True, check=True, timeout=300,
            env={**os.environ, language.VARIABLE: code, "ENDGAME_TUI_HOME": str(tmp_path)},
        ).stdout
        for code in ("en", "de")
    ]  # fmt: skip
    assert printed[0] == printed[1]
    assert json.loads(printed[0])[-1] == [True]


def test_streams_of_json_are_english_too(tmp_path: Path) -> None:
    nowhere = "8/8/8/8/8/8/8/KQ1k4 w - - 0 1"
    for command in (["probe", "-"], ["probe", "-", "--brief"], ["line", "-"], ["previous", "-"]):
        english, german = (
            _run(*command, home=tmp_path, code=code, stdin=f"{KQVK}\nnonsense\n{nowhere}\n") for code in ("en", "de")
        )
        assert english.returncode == german.returncode == 1
        assert english.stdout == german.stdout
        assert "is not a FEN" in german.stdout


@pytest.mark.parametrize(
    ("options", "is_english"),
    [
        (["serve"], True), (["serve", "--web", "127.0.0.1:0"], False), (["serve", "--web=127.0.0.1:0"], False),
        (["uci"], True), (["probe", "-"], True), (["convert", "-"], False), (["probe", KQVK], False),
        (["find", "KQvK", "white wins", "--format", "json"], True), (["find", "KQvK", "white wins"], False),
        (["positions", "KQvK", "--layer", "3", "--format=json"], True), (["tables", "--json", "--help"], False),
    ],
)  # fmt: skip
def test_what_programs_read_is_found_in_the_options(options: list[str], is_english: bool) -> None:
    assert language.is_for_programs(options) is is_english


def test_workers_of_the_server_answer_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may have a page in German beside it."""
    monkeypatch.setenv(language.VARIABLE, "de")
    with language.english_children():
        assert os.environ[language.VARIABLE] == "en"
    assert os.environ[language.VARIABLE] == "de"
    monkeypatch.delenv(language.VARIABLE)
    with language.english_children():
        assert os.environ[language.VARIABLE] == "en"
    assert language.VARIABLE not in os.environ


# What is stored, sent and compared

_DATA_OF_GAMES = """
import importlib.metadata, json, os
from endgame_core import paths
from endgame_core.chess.game import CHESS
from endgame_core.morris import solver
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import START

importlib.metadata.version = lambda name: (_ for _ in ()).throw(importlib.metadata.PackageNotFoundError())
kernels = []
solver.solve = lambda *arguments: None
MORRIS.solver.warm_up(["3-3"], kernels.append)
print(json.dumps({
    "men": [game.men(game.endings()[1]) for game in (CHESS, MORRIS)],
    "facts": [sorted(game.vocabulary.facts) for game in (CHESS, MORRIS)],
    "headers": MORRIS.file_notation.headers(START),
    "kernels": [kernels, list(MORRIS.solver.compile_times(["3-3"]))],
    "stamp": paths.stamp(),
}))
"""


def test_data_of_games_is_the_same_in_every_language() -> None:
    """Names in archives, headers and stamps, words of queries, and kernels with prices are no sentences."""
    pytest.importorskip("numba", reason="kernels are compiled")

    def data(code: str) -> dict[str, Any]:
        variables = {**os.environ, language.VARIABLE: code}
        process = subprocess.run(
            [sys.executable, "-P", "-c", _DATA_OF_GAMES], capture_output=True, text=True, env=variables, timeout=300
        )
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    english = data("en")
    assert english == data("de")
    assert english["kernels"][0] == english["kernels"][1]


@pytest.mark.parametrize(
    "query", ["best move is check", "only move", "only move is check", "depth >= 18 or best moves > 3"]
)
def test_queries_count_the_same_in_every_language(tmp_path: Path, query: str) -> None:
    pytest.importorskip("numba", reason="queries need kernels")
    english, german = (_run("find", "KQvK", query, "--count", home=tmp_path, code=code) for code in ("en", "de"))
    assert english.returncode == german.returncode == 0, german.stderr
    assert english.stdout == german.stdout


def test_queries_that_end_early_get_the_same_suggestion(tmp_path: Path) -> None:
    assert "write a number such as 40" in _run("find", "KQvK", "depth >=", home=tmp_path, code="en").stderr
    assert "schreibe eine Zahl wie 40" in _run("find", "KQvK", "depth >=", home=tmp_path).stderr


@pytest.mark.parametrize("pair", ["3-3", pytest.param("5-3", marks=pytest.mark.slow)])
def test_pairs_of_stones_are_built_in_german(tmp_path: Path, pair: str) -> None:
    """Kernels are priced by name, and an archive of one language is read in another."""
    pytest.importorskip("numba", reason="building needs kernels")
    process = _run("build", pair, "--yes", home=tmp_path)
    assert process.returncode == 0, process.stderr
    archive = tmp_path / f"{pair}.zip"
    assert _run("export", pair, str(archive), home=tmp_path).returncode == 0
    process = _run("import", str(archive), "--force", home=tmp_path, code="en")
    assert process.returncode == 0, process.stderr


# Letters of pieces


@pytest.mark.parametrize("typed", ["Dg4+", "Qg4", "♕g4", "g7g4"])
def test_all_letters_are_read(typed: str) -> None:
    assert notation.parse_move(chess.Board(KQVK), typed).uci() == "g7g4"


@pytest.mark.parametrize(
    ("letters", "shown"), [("english", "Qg4+"), ("german", "Dg4+"), ("figurine", "♕g4+"), ("auto", "Qg4+")]
)
def test_moves_are_shown_with_the_letters_of_the_setting(letters: str, shown: str) -> None:
    board, move = chess.Board(KQVK), chess.Move.from_uci("g7g4")
    try:
        notation.use_letters(letters)
        assert CHESS.san(board, move) == shown
        assert CHESS.standard_san(board, move) == "Qg4+"
    finally:
        notation.use_letters("english")


def test_a_file_of_a_whole_game_is_named_after_the_game(tmp_path: Path, use_language: Callable[[str], None]) -> None:
    """In every language: a position with stones in hand is in no ending that could give the name."""
    play: PlayState[Any, Any] = PlayState(AppContext(tmp_path), "morris")
    for code in ("en", "de"):
        use_language(code)
        assert file_of(play).name.startswith("3-3-")
    assert play.opening is not None
    play.set_up(play.opening)
    for code in ("en", "de"):
        use_language(code)
        assert file_of(play).name.startswith("morris-"), code


def test_files_have_english_letters(tmp_path: Path) -> None:
    """The journal and the comments of saved games; what is shown of them has the letters of the user."""
    lab = AppContext(tmp_path)
    judge = lab.judge("chess")
    match = Match(judge, CHESS.parse(KQVK), "white")
    recorder = Recorder(match, RecordingOptions(lab.journal), goal=GameGoal.WIN)
    try:
        notation.use_letters("german")
        ply = match.play(CHESS.parse_move(match.position, "Dd4"), 1.0)
        comment = comment_of(judge, ply)
        record = lab.journal.attempt(recorder.uuid)
        assert record is not None
        made = lab.journal.moves(recorder.uuid)
        __, shown = replay(CHESS, record, made)
    finally:
        notation.use_letters("english")
        lab.close()
    assert ply.san == shown[0].san == "Dd4+"
    assert [move.san for move in made] == ["Qd4+"]
    assert "best: Kg8, Kh7, Qa1" in comment or "kept by: Kg8, Kh7, Qa1" in comment


# What is written from parts


def test_plurals_have_sentences_of_their_own() -> None:
    """No part of a sentence is looked for in it, and nothing that is counted shares a word with something else."""
    code = (
        "from types import SimpleNamespace as Any\n"
        "from endgame_core.language import pgettext\n"
        "from endgame_core.practice.match import Termination\n"
        "from endgame_core.words.tables import not_asked_for\n"
        "from endgame_core.words.text_model import in_words\n"
        "cost = Any(seconds=1.0, size=1000)\n"
        "for number in (1, 2):\n"
        "    for go in (True, False):\n"
        "        print(not_asked_for({str(i): cost for i in range(number)}, (), go))\n"
        "print(in_words(Termination.TIME), pgettext('duration', 'time'), in_words('captures'), in_words('maybe win'))\n"
    )
    process = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, timeout=300,
        env={**os.environ, language.VARIABLE: "de"},
    )  # fmt: skip
    one, one_kept, two, two_kept, words = process.stdout.splitlines()
    assert one.startswith("1 davon ist ein Unterendspiel, das du") and "); es wird" in one
    assert "mit --keep asked wird es" in one_kept
    assert two.startswith("2 davon sind Unterendspiele, die du") and "); jedes wird" in two
    assert "mit --keep asked wird jedes" in two_kept
    assert words == "Zeitüberschreitung Zeit Schlagzüge vielleicht Gewinn"


@pytest.mark.parametrize("value", [*Draw, *Win, *Termination, *Defence, *Agreement, *Category])
def test_values_that_are_shown_have_translations(tool: Any, value: str) -> None:
    """Values of enumerations, which files keep, and which sentences translate by ``in_words``."""
    ids = {message.id for message in _read(tool.LOCALES / "de" / "LC_MESSAGES" / "endgame.po", "de")}
    singular = {message[0] if isinstance(message, tuple) else message for message in ids}
    assert in_words(str(value)).replace("-", " ") in singular


def test_a_damaged_journal_is_reported_in_german(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite3").write_bytes(b"SQLite format 3\0" + b"\7" * 5000)
    process = _run("stats", home=tmp_path)
    assert "as Journal war beschädigt; es ist als journal.sqlite3.damaged aufbewahrt" in process.stderr


def test_plain_mode_reads_names_in_both_languages(tmp_path: Path) -> None:
    """Pieces, sides, drills and choices; and no English is left in what it answers."""
    lines = [
        KQVK, "pieces Dame", "pieces queen", "pieces schwarz", "scan g7", "scan 7", "S999", "about", "legal g7",
        "library", "list 99", "play", "set opponent a friend", "set time off", "set Zeit aus", "begin", "back",
        "practise", "choose learn next", "choose Als Nächstes", "choose KQvK, mate in 3-6", "choose KQvK, Matt in 3–6",
        "set level 3", "choose Kd5", "choose basic mates", "quit", "yes",
    ]  # fmt: skip
    variables = {**os.environ, "ENDGAME_TUI_HOME": str(tmp_path), "COLUMNS": "500"}
    process = subprocess.run(
        [sys.executable, "-P", "-m", "endgame_tui.start", "--lang", "de", "--plain"],
        input="\n".join(lines), capture_output=True, text=True, env=variables, timeout=300,
    )  # fmt: skip
    told = " ".join(process.stdout.split())
    assert told.count("Weiß: g7. Schwarz: keine.") == 2, "by the German and by the English name"
    assert "Schwarz: König c4." in told
    assert "g7: Dame weiß." in told and "Reihe 7: g7 Dame weiß; der Rest ist leer." in told
    assert "Gewinne von Weiß reichen bis S20; wähle eine kleinere Nummer." in told
    assert "Stellung 1 von 1." in told and " Prozent" in told
    assert "Kein Endspiel hat 99 Figuren" in told
    assert "Zeit: aus." in told
    assert "trickreich oder menschlich" in told
    assert told.count("Gewählt: Als Nächstes") == 3, "at first, and by either name"
    assert told.count("Gewählt: KQvK, Matt in 3 bis 6.") == 2
    assert "tippe eines davon" in told.partition("set level 3")[2].partition("practise:")[0]
    assert "Keine Treffer für 'Kd5'" in told
    assert "um das erste zu berechnen" in told
    assert not re.search(r"\b(of|or|the|percent|white|built|nothing)\b", told)


def test_reasons_with_a_number_or_an_ending_are_german(use_language: Callable[[str], None]) -> None:
    use_language("de")
    assert in_words("held for 15 moves") == "15 Züge lang gehalten"
    assert "KQvK" in in_words("KQvK is won") != "KQvK is won"
    use_language("en")
    assert in_words("held for 15 moves") == "held for 15 moves" and in_words("KQvK is won") == "KQvK is won"


def test_the_idea_of_a_capture_is_german(use_language: Callable[[str], None]) -> None:
    board = chess.Board("8/8/8/3k4/8/8/6r1/K5R1 w - - 0 1")
    explorer: Any = None  # the rules alone say that it is a capture
    use_language("de")
    assert speech_of("chess").idea(explorer, board, chess.Move.from_uci("g1g2")) == "schlagen"
    use_language("en")


# Titles and numbers


def test_every_shipped_set_and_study_has_a_german_title() -> None:
    folder = ROOT / "data" / "endgame_data"
    titles = json.loads((folder / "titles" / "de.json").read_text("utf-8"))
    sets = [json.loads(path.read_text("utf-8")) for path in (folder / "studies").glob("*.json")]
    themes = json.loads((folder / "themes.json").read_text("utf-8"))
    shipped = {one["name"] for one in sets} | {name for game in ("chess", "morris") for name in themes[game]}
    assert set(titles["sets"]) == shipped | {MY_POSITIONS, MY_GAMES}
    assert set(titles["studies"]) == {study["id"] for one in sets for study in one["studies"]}
    assert len(set(titles["studies"].values())) == len(titles["studies"])


def test_studies_have_german_titles_and_are_found_by_their_ids(tmp_path: Path) -> None:
    shown = _run("studies", "show", "lucena", home=tmp_path)
    assert shown.returncode == 0 and "Lucena: die Brücke" in shown.stdout


def test_numbers_are_written_as_the_language_does(use_language: Callable[[str], None]) -> None:
    use_language("de")
    assert language.decimal(2.5) == "2,5"
    assert language.decimal(0.125, 2, "+") == "+0,12"
    assert language.grouped(1_234_567, " ") == "1.234.567"
    assert language.shortest(0.8) == "0,8"
    use_language("en")
    assert (language.decimal(2.5), language.grouped(1_234_567, " "), language.grouped(1234)) == (
        "2.5",
        "1 234 567",
        "1,234",
    )
