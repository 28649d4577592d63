"""Games are written and read back; broken ones are reported."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Iterator

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core import pgn as pgn_files
from endgame_core.chess.game import CHESS
from endgame_core.errors import PositionError
from endgame_core.pgn import RESULTS, evaluation, games

from .positions import is_legal, placed

Note = pgn_files.AnnotatedMove[chess.Move]
GameText = pgn_files.GameText[chess.Board, chess.Move]

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=40)
plain = words.map(lambda text: " ".join(text.split()))
comments = plain.map(lambda text: " ".join(text.replace("{", "").replace("}", "").replace("[%eval", "").split()))
evaluations = st.sampled_from(["", "0.00", "#3", "#-12", "1.27", "-0.30"])


@st.composite
def records(draw: st.DrawFn) -> GameText:
    _, start = draw(placed().filter(lambda found: is_legal(found[1])))
    start.fullmove_number = draw(st.integers(1, 90))
    rng = random.Random(draw(st.integers(0, 10_000)))
    board, notes = start.copy(), list[Note]()
    for _ in range(draw(st.integers(0, 12))):
        moves = list(board.legal_moves)
        if not moves:
            break
        move = chess.Move.null() if rng.random() < 0.1 and not board.is_check() else rng.choice(moves)
        board.push(move)
        marks = tuple(sorted(draw(st.sets(st.integers(1, 20), max_size=2))))
        notes.append(Note(move, draw(evaluations), draw(comments), marks))
    headers = draw(st.dictionaries(st.sampled_from(["White", "Black", "Event", "Annotator", "Hints"]), plain))
    headers = {name: value for name, value in headers.items() if value not in ("", "?")}
    return GameText(start, tuple(notes), draw(st.sampled_from(RESULTS)), headers, draw(comments))


@pytest.mark.slow
@settings(max_examples=60)
@given(records())
def test_a_game_comes_back_identical(record: GameText) -> None:
    text = pgn_files.write(record, CHESS)
    found = pgn_files.read(text, CHESS)
    assert found == record
    assert pgn_files.write(found, CHESS) == text


def test_braces_in_a_comment_become_parentheses() -> None:
    """A comment ends at the first closing brace, here and in other readers: none can be written."""
    board = chess.Board("8/8/8/3k4/8/8/8/1K5R w - - 0 1")
    text = pgn_files.write(
        GameText(board, (Note(board.parse_san("Re1"), "", "the {best} one }"),), "*", {}, "{a"), CHESS
    )
    found = pgn_files.read(text, CHESS)
    assert (found.comment, found.notes[0].comment) == ("(a", "the (best) one )")
    other = chess.pgn.read_game(io.StringIO(text))
    assert other is not None and [node.comment for node in (other, *other.mainline())] == ["(a", "the (best) one )"]
    aside = pgn_files.read("1. e4 (1. d4 {a {brace}) e5 {one {too} *", CHESS)
    assert aside.notes[0].variations == ("(1. d4 {a (brace})",) and aside.notes[1].comment == "one (too"


@pytest.mark.slow
@settings(max_examples=30)
@given(records(), records())
def test_a_broken_game_is_reported_and_the_others_are_read(one: GameText, two: GameText) -> None:
    broken = '[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Ke7 *\n'
    found = list(games("\n".join([pgn_files.write(one, CHESS), broken, pgn_files.write(two, CHESS)]), CHESS))
    assert (found[0], found[2]) == (one, two)
    assert (found[1].title, found[1].problem) == ("A – B", "2. Ke7 is not a legal move")


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_in_one_sentence(text: str) -> None:
    try:
        pgn_files.read(text, CHESS)
    except PositionError as problem:
        assert str(problem).count("\n") == 0 and str(problem).endswith(".")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no game"),
        ("1. e4 {oh", "comment is not closed"),
        ("1. e4 (1. d4", "bracket"),
        ("1. e4) *", "bracket"),
        ("1. e4 f5 2. Qh5+ -- *", "2... -- is a null move in check"),
        ('[FEN "8/8/8/8/8/8/8/K7 w - - 0 1"]\n[SetUp "1"]\n\n1. Ka2 *\n', "Black has no king"),
        ('[FEN "nonsense"]\n[SetUp "1"]\n\n1. Ka2 *\n', "FEN"),
        ("1. e4 e5 2. Nq3 *", "Nq3"),
        ('[FEN "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1"]\n[SetUp "1"]\n\n1. Nd2 *\n', "1. Nd2 is ambiguous"),
    ],
)
def test_an_error_names_what_is_wrong(text: str, words: str) -> None:
    """Of a game that has moves with what there is of it."""
    try:
        told = pgn_files.read(text, CHESS).problem
    except PositionError as problem:
        told = str(problem)
    assert words in told


def test_games_of_other_programs_are_read() -> None:
    found = pgn_files.read(
        '[Event "Rated"]\n[TimeControl "60+0"]\n\n'
        "1. e4 { [%eval 0.17] [%clk 0:01:00] } 1... e5?! (1... c5 2. Nf3) 2. Nf3 $1 { good } 1/2-1/2\n",
        CHESS,
    )
    assert [note.evaluation for note in found.notes] == ["0.17", "", ""]
    assert found.notes[0].comment == "[%clk 0:01:00]" and found.notes[2].comment == "good"
    assert found.notes[1].marks == (6,) and found.headers["TimeControl"] == "60+0"
    assert pgn_files.read(pgn_files.write(found, CHESS), CHESS) == found


OTHERS = """[Event "Match"]
[White "Ann"]
[Black "Ben"]

{before all} 1. e4 $1 {king's pawn} (1. d4 d5 (1... Nf6 {Indian [%clk 0:01:00]} 2. c4 $5) 2. c4)
(1. c4) 1... e5 {[%eval 0.17] open} 2. Nf3 Nc6 {the end} (2... d6) *
"""


def test_variations_and_comments_of_others_are_written_back() -> None:
    found = pgn_files.read(OTHERS, CHESS)
    assert not found.problem and len(found.notes) == 4
    first = "(1. d4 d5 (1... Nf6 {Indian [%clk 0:01:00]} 2. c4 $5) 2. c4)"
    assert found.notes[0].variations == (first, "(1. c4)") and found.notes[3].variations == ("(2... d6)",)
    text = pgn_files.write(found, CHESS)
    assert " ".join(text.split()) == " ".join(OTHERS.replace("\n[Black", "\n[Black").split()).replace(
        '[Event "Match"]', '[Event "Match"] [Site "?"] [Date "????.??.??"] [Round "?"]'
    ).replace('[Black "Ben"]', '[Black "Ben"] [Result "*"]')
    assert pgn_files.read(text, CHESS) == found
    python_chess = chess.pgn.read_game(io.StringIO(text))
    assert python_chess is not None and not python_chess.errors
    assert [len(node.variations) for node in python_chess.mainline()] == [1, 1, 2, 0]
    assert len(python_chess.variations) == 3


def test_a_comment_to_the_end_of_the_line_is_preserved() -> None:
    found = pgn_files.read("1. e4 ; king's pawn\n1... e5 (1... c5 ; Sicilian\n) * ; bye\n", CHESS)
    assert found.notes[0].comment == "king's pawn" and found.notes[1].variations == ("(1... c5 {Sicilian})",)


def test_evaluations_are_from_the_view_of_white() -> None:
    assert evaluation(True, 5) == "#3" and evaluation(True, 6) == "#-3"
    assert evaluation(False, 5) == "#-3" and evaluation(False, 6) == "#3"
    assert evaluation(True, None) == "0.00" and evaluation(True, 0) == ""


def test_annotations_between_moves_are_skipped() -> None:
    found = pgn_files.read("1. e4 +- e5 = 2. Nf3 N += 2... Nc6 D e.p. *", CHESS)
    assert [note.move.uci() for note in found.notes] == ["e2e4", "e7e5", "g1f3", "b8c6"]


def test_an_open_comment_ends_with_its_game() -> None:
    first, second = games('[White "A"]\n\n1. e4 {never closed\n\n[White "B"]\n\n1. d4 {fine} *\n', CHESS)
    assert (first.title, first.problem) == ("A", "a comment is not closed")
    assert not second.problem and second.headers == {"White": "B"}


def _spellings(board: chess.Board, move: chess.Move) -> list[str]:
    """The ways in which other programs write a move."""
    san = board.san(move).rstrip("+#")
    figures = san.translate(str.maketrans("KQRBN", "♔♕♖♗♘" if board.turn else "♚♛♜♝♞")).replace("O-O", "0-0")
    found = [san, f"{san}+", f"{san}++", f"{san}!?", figures, f"{figures}\ufe0e", san.replace("x", "×")]
    if move.promotion:
        target, piece = san.split("=")
        found += [f"{target}({piece})", f"{target}=({piece})", f"{target}/{piece}", f"{target}{piece}+"]
        found += [f"{target}({piece.lower()})#", f"{target}({figures[-1]})"]
    if board.is_en_passant(move):
        found += [f"{san} e.p.", f"{san}e.p.+", f"{san} ep", f"{san} e. p."]
    return found


@pytest.mark.slow
@given(placed().filter(lambda found: is_legal(found[1])), st.data())
def test_moves_in_the_notation_of_other_programs_are_read(found: tuple[str, chess.Board], data: st.DataObject) -> None:
    _, board = found
    moves = sorted(board.legal_moves, key=lambda move: (not move.promotion, str(move)))
    if not moves:
        return
    move = data.draw(st.sampled_from(moves))
    for spelling in _spellings(board, move):
        record = pgn_files.read(f'[FEN "{board.fen()}"]\n\n1. {spelling} *\n', CHESS)
        assert not record.problem and [note.move for note in record.notes] == [move], spelling
        assert CHESS.parse_move(board, spelling) == move


@pytest.mark.parametrize(
    ("fen", "word"),
    [
        ("8/4P3/8/8/8/k7/8/2K5 w - - 0 1", "e8(Q)"),
        ("8/4P3/8/8/8/k7/8/2K5 w - - 0 1", "e8/n+"),
        ("8/8/8/8/1pP5/k7/8/2K5 b - c3 0 1", "bxc3 e.p."),
        ("8/8/8/8/1pP5/k7/8/2K5 b - c3 0 1", "bxc3e.p."),
        ("8/8/8/8/1pP5/k7/8/2K5 b - c3 0 1", "♟b3"),
    ],
)
def test_rare_moves_are_read(fen: str, word: str) -> None:
    board = chess.Board(fen)
    record = pgn_files.read(f'[FEN "{fen}"]\n\n1. {word} {{next}} -- *\n', CHESS)
    assert not record.problem and len(record.notes) == 2
    assert CHESS.parse_move(board, word) == record.notes[0].move


@pytest.mark.parametrize("null", ["--", "Z0", "0000", "@@@@"])
def test_null_moves_pass_the_turn(null: str) -> None:
    record = pgn_files.read(f"1. e4 {null} 2. d4 {{both}} {null} 3. Nf3 *", CHESS)
    assert not record.problem and [bool(note.move) for note in record.notes] == [True, False, True, False, True]
    assert pgn_files.read(pgn_files.write(record, CHESS), CHESS) == record


START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
_ENDS = st.sampled_from(["", "*\n", "1. Kg8 *\n", "1. Kg8\n", "{a word}\n", "1. Kg8 Kd3 1-0\n"])
_HEADS = st.sampled_from(["", '[Event "E"]\n', '[White "A"]\n[Black "B"]\n'])


@given(st.lists(st.tuples(_HEADS, _HEADS, _ENDS), min_size=1, max_size=5))
def test_a_game_without_a_result_is_read(parts: list[tuple[str, str, str]]) -> None:
    """A game that is a position alone needs neither moves nor ``*``."""
    text = "".join(f'{before}[FEN "{START}"]\n{behind}\n{end}\n' for before, behind, end in parts)
    found = list(games(text, CHESS))
    assert [record.start.fen() for record in found] == [START] * len(parts)
    assert [len(record.notes) for record in found] == [end.count("K") for _, _, end in parts]


def test_headers_with_a_blank_line_between_belong_to_one_game() -> None:
    (found,) = games('[Event "E"]\n\n[White "A"]\n[FEN "' + START + '"]\n\n1. Kg8 *\n', CHESS)
    assert (found.title, len(found.notes)) == ("A, E", 1)
    first, second = games(f'[FEN "{START}"]\n[FEN "{START}"]\n\n1. Kg8 *\n', CHESS)
    assert (len(first.notes), len(second.notes)) == (0, 1)


def test_unclosed_braces_are_searched_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern for a comment would scan the rest of the text at each of them."""
    scanned: list[int] = []
    whole = pgn_files._TOKEN

    class Counting:
        def finditer(self, text: str) -> Iterator[re.Match[str]]:
            for match in whole.finditer(text):
                scanned.append(match.start())
                yield match

    text = "1. e4 {said} " + "{" * 1000 + "\n"
    tokens = [(match.lastgroup, match.group()) for match in whole.finditer(text)]
    monkeypatch.setattr(pgn_files, "_TOKEN", Counting())
    assert [(match.lastgroup, match.group()) for match in pgn_files._tokens(text)] == tokens
    assert max(scanned) <= text.index("}") + 1


def test_each_comment_of_a_move_is_cleaned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cleaned: list[int] = []
    clean = pgn_files._without_commands

    def counting(text: str) -> str:
        cleaned.append(len(text))
        return clean(text)

    monkeypatch.setattr(pgn_files, "_without_commands", counting)
    text = "1. e4 " + "{well} $1 (1. d4) " * 500 + "*"
    (found,) = games(text, CHESS)
    assert found.notes[0].comment == " ".join(["well"] * 500)
    assert found.notes[0].marks == (1,) and len(found.notes[0].variations) == 500
    assert sum(cleaned) < 3 * len(text)


@pytest.mark.parametrize("comment", ["[%eval [%eval 1] 2]", "[%e[%eval 1]val 2] x", "[%eval " * 40 + "1" + "]" * 40])
def test_nested_evaluations_come_back_identical(comment: str) -> None:
    (found,) = games(f"1. e4 {{{comment}}} *", CHESS)
    text = pgn_files.write(found, CHESS)
    assert list(games(text, CHESS)) == [found] and pgn_files.write(found, CHESS) == text


PIECES = st.sampled_from(
    [
        *'{}();%$*"\\!? \n.#+',
        "\n\n",
        f'[FEN "{START}"]\n',
        '[Event "',
        '"]\n',
        "1. Kg8 ",
        "Kd3 ",
        "-- ",
        "[%eval ",
        "] ",
        "$9 ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join))
def test_any_game_that_is_read_can_be_written_and_read_again(text: str) -> None:
    for record in games(text, CHESS):
        written = pgn_files.write(record, CHESS)
        (again,) = games(written, CHESS)
        assert (again.start, again.notes, again.result) == (record.start, record.notes, record.result)
        assert (again.comment, pgn_files.write(again, CHESS)) == (record.comment, written)


def test_repeated_headers_begin_another_game() -> None:
    text = "".join(f'[Event "{name}"]\n[FEN "{START}"]\n' for name in "ABC")
    assert [record.title for record in games(text, CHESS)] == ["A", "B", "C"]
