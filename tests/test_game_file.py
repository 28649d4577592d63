"""Played games are written as PGN and read back."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core import pgn as pgn_files
from endgame_core.app_context import AppContext
from endgame_core.chess import notation
from endgame_core.chess.fifty import FiftyMoves, OwnSource
from endgame_core.chess.game import CHESS
from endgame_core.errors import StorageError
from endgame_core.game_state import Draw, Win
from endgame_core.judge import Judge
from endgame_core.metric import DTZ
from endgame_core.practice.defence import Defence
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Match, Result, Termination
from endgame_core.practice.recorder import Recorder, RecordingOptions
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks import game_record, saved_games
from endgame_core.tasks.game_record import match_of, record_of
from endgame_core.tasks.play_state import PlayState
from endgame_core.tasks.review import replay

ChessExplorer = Explorer[chess.Board, chess.Move]
ChessMatch = Match[chess.Board, chess.Move]

TODAY = date(2026, 11, 21)
STARTS = (
    "8/8/8/3k4/8/8/8/1K5R w - - 0 1", "8/8/8/3k4/8/8/8/1K5R b - - 0 1", "8/P6k/8/8/8/8/8/1K6 w - - 0 1",
    "8/8/8/3k4/8/8/r7/4K2R w - - 95 80", "8/8/7k/8/3Pp3/8/7K/8 b - d3 0 1", "4k3/8/8/3pp3/3PP3/8/8/4K3 w - - 0 1",
)  # fmt: skip


@pytest.fixture(scope="session")
def explorer(library: Library) -> ChessExplorer:
    return Explorer(library.game, library)


def played(explorer: ChessExplorer, seed: int) -> ChessMatch:
    """Some game: random moves, takebacks, hints, ends of every kind."""
    rng = random.Random(seed)
    match = Match(
        Judge(explorer), chess.Board(rng.choice(STARTS)), rng.choice(["white", "black"]), rng.choice(list(Defence))
    )
    for _ in range(rng.randrange(12)):
        if match.result is not None:
            return match
        moves = list(match.game.moves(match.position))
        if match.your_turn and rng.random() < 0.3:
            for _ in range(rng.choice([1, 2])):
                match.hint(moves[0])
        match.play(rng.choice(moves))
        if match.result is None and rng.random() < 0.1 and any(ply.mover == match.you for ply in match.plies):
            match.take_back()
    if match.result is None and rng.random() < 0.3:
        match.show([next(iter(match.game.moves(match.position)))])
    elif match.result is None and rng.random() < 0.3:
        match.flag()
    return match


@pytest.mark.slow
@settings(max_examples=40)
@given(seed=st.integers(0, 100_000))
def test_a_game_comes_back_identical(explorer: ChessExplorer, seed: int) -> None:
    match = played(explorer, seed)
    record = record_of(match, today=TODAY)
    text = pgn_files.write(record, CHESS)
    again, problem = match_of(pgn_files.read(text, CHESS), Judge(explorer))
    assert not problem and again.you == match.you and again.defence == match.defence
    assert again.result == match.result and (again.hints, again.takebacks) == (match.hints, match.takebacks)
    assert [(ply.move, ply.grade, ply.hint_step, ply.is_shown) for ply in again.plies] == [
        (ply.move, ply.grade, ply.hint_step, ply.is_shown) for ply in match.plies
    ]
    assert pgn_files.write(record_of(again, pgn_files.read(text, CHESS)), CHESS) == text


def test_comments_contain_grade_best_move_and_depth(explorer: ChessExplorer) -> None:
    match: ChessMatch = Match(Judge(explorer), chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"), "white")
    match.play(match.position.parse_san("Qb4+"))
    (note,) = record_of(match, today=TODAY).notes
    assert note.evaluation == "0.00" and note.comment.startswith("throws away the win; best: Q")


def test_files_have_the_letters_of_pgn(explorer: ChessExplorer) -> None:
    match: ChessMatch = Match(Judge(explorer), chess.Board("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"), "white")
    kept = RecordingOptions(Journal(None))
    recorder = Recorder(match, kept)
    try:
        notation.use_letters("german")
        match.play(match.position.parse_san("Qb4+"))
        (note,) = record_of(match, today=TODAY).notes
        attempt = kept.journal.attempt(recorder.uuid)
        assert attempt is not None
        moves = kept.journal.moves(recorder.uuid)
        _, (shown,) = replay(CHESS, attempt, moves)
    finally:
        notation.use_letters("english")
    assert note.comment.startswith("throws away the win; best: Q")
    assert [made.san for made in moves] == ["Qb4+"]
    assert shown.san == "Db4+"


def test_a_comment_does_not_credit_a_hint_that_was_not_followed(explorer: ChessExplorer) -> None:
    match: ChessMatch = Match(Judge(explorer), chess.Board(STARTS[0]), "white")
    named, other = list(match.game.moves(match.position))[:2]
    match.hint(named)
    match.hint(named)
    match.play(other)
    (note,) = record_of(match, today=TODAY).notes
    assert note.comment.endswith("after a hint that named a move")
    old = pgn_files.write(record_of(match, today=TODAY), CHESS).replace(
        "after a hint that named a move", "as the hint said"
    )
    loaded, _ = match_of(pgn_files.read(old, CHESS), Judge(explorer))
    assert loaded.plies[0].hint_step == 2  # games saved by earlier versions


def test_by_dtz_alone_a_game_with_errors_comes_back_identical(dtz_library: Library, tmp_path: Path) -> None:
    bare = Explorer(CHESS, Library(CHESS, tmp_path))
    judge = Judge(bare, lambda: FiftyMoves(OwnSource(dtz_library)))
    match: ChessMatch = Match(judge, chess.Board("6r1/8/8/8/8/8/7k/3KQ3 w - - 78 1"), "white")
    for san in ("Qe4", "Kg1", "Qe3+", "Kf1", "Qe5", "Rd8+"):
        match.play(match.position.parse_san(san))
    match.show(judge.line(match.position, 5, DTZ).moves)
    text = pgn_files.write(record_of(match, today=TODAY), CHESS)
    comments = [note.comment for note in pgn_files.read(text, CHESS).notes]
    assert comments[0] == "keeps the win" and comments[-1] == game_record.SHOWN_COMMENTS["table"]
    assert any("; kept by: " in comment for comment in comments), comments
    loaded, _ = match_of(pgn_files.read(text, CHESS), judge)
    assert loaded.plies == match.plies and loaded.tally == match.tally
    assert pgn_files.write(record_of(loaded, pgn_files.read(text, CHESS)), CHESS) == text


def test_moves_shown_by_a_search_stay_estimates_when_tables_are_built(explorer: ChessExplorer, tmp_path: Path) -> None:
    bare = Explorer(CHESS, Library(CHESS, tmp_path))
    match: ChessMatch = Match(Judge(bare), chess.Board(STARTS[0]), "white")
    match.show([next(iter(match.position.legal_moves))], estimated=True)
    text = pgn_files.write(record_of(match, today=TODAY), CHESS)
    loaded, _ = match_of(pgn_files.read(text, CHESS), Judge(explorer))
    assert loaded.estimated and loaded.plies[0].grade is not None
    assert game_record.SHOWN_COMMENTS["search"] in pgn_files.write(record_of(loaded), CHESS)


def test_games_of_other_programs_are_graded(explorer: ChessExplorer) -> None:
    found, _ = match_of(
        pgn_files.read(
            '[White "Magnus"]\n[SetUp "1"]\n[FEN "8/8/8/3k4/8/8/8/1K5R w - - 0 1"]\n\n1. Re1 Kd4 2. Kc2 1-0\n', CHESS
        ),
        Judge(explorer),
    )
    assert found.you == "white" and found.tally.moves == 2
    assert found.result is not None and found.result.winner == "white"


def test_comments_of_other_programs_are_kept(explorer: ChessExplorer, tmp_path: Path) -> None:
    text = (
        '[White "Ann"]\n[SetUp "1"]\n[FEN "8/8/8/3k4/8/8/8/1K5R w - - 0 1"]\n\n'
        "{a rook} 1. Re1 $2 {natural} (1. Kc2 Kd4 (1... Ke4)) Kd4 2. Kc2 {[%eval 7.1] closer} 1-0\n"
    )
    record = pgn_files.read(text, CHESS)
    loaded, _ = match_of(record, Judge(explorer))
    saved = record_of(loaded, record, TODAY)
    assert saved.comment == "a rook" and saved.notes[0].marks == (2,)
    assert saved.notes[0].variations == ("(1. Kc2 Kd4 (1... Ke4))",)
    grades = [note.comment for note in record_of(loaded, today=TODAY).notes]
    assert [note.comment for note in saved.notes] == [f"natural; {grades[0]}", grades[1], f"closer; {grades[2]}"]
    once = pgn_files.write(saved, CHESS)
    again, _ = match_of(pgn_files.read(once, CHESS), Judge(explorer))
    assert pgn_files.write(record_of(again, pgn_files.read(once, CHESS), TODAY), CHESS) == once


def test_moves_after_the_end_are_left_out_with_a_message(explorer: ChessExplorer) -> None:
    record = pgn_files.read('[SetUp "1"]\n[FEN "8/8/8/8/8/2k5/8/KQ6 w - - 0 1"]\n\n1. Qb4+ Kxb4 2. Ka2 Kc3 *\n', CHESS)
    match, problem = match_of(record, Judge(explorer))
    assert "last 2 moves" in problem and len(match.plies) == 2


REASONS = (*Termination, *Win, *Draw)


@pytest.mark.parametrize("reason", REASONS, ids=lambda reason: reason.name)
@pytest.mark.parametrize("winner", ["white", "black", None])
def test_every_termination_comes_back_by_its_token(explorer: ChessExplorer, reason: Any, winner: str | None) -> None:
    match: ChessMatch = Match(Judge(explorer), chess.Board(STARTS[0]), "white")
    match.play(match.position.parse_san("Re1"))
    if reason is Termination.SHOWN:
        match.show([])
    else:
        match.end(Result(winner if Result(winner, reason).score != "*" else None, reason))
    text = pgn_files.write(record_of(match, today=TODAY), CHESS)
    assert f'[EndReason "{game_record.END_TOKENS[reason]}"]' in text
    assert match_of(pgn_files.read(text, CHESS), Judge(explorer))[0].result == match.result


def test_tokens_are_unlike_each_other_and_unlike_any_wording() -> None:
    tokens = [game_record.END_TOKENS[reason] for reason in REASONS]
    assert len(set(tokens)) == len(REASONS)
    assert all(re.fullmatch("[a-z-]+", token) for token in tokens)


STANDARD = {"normal", "time forfeit", "abandoned", "unterminated", ""}
"""Those values of ``Termination`` in the PGN standard that suit our games."""


def test_the_termination_header_uses_the_words_of_the_pgn_standard() -> None:
    assert {game_record.TERMINATION_TAGS.get(reason, "normal") for reason in REASONS} <= STANDARD


@pytest.mark.parametrize(("phrase", "reason"), [
    ("checkmate", Win.MATE), ("leaving two stones", Win.STONES), ("leaving no move", Win.BLOCKED),
    ("stalemate", Draw.STALEMATE), ("not enough men to win", Draw.MEN), ("threefold repetition", Draw.THREEFOLD),
    ("fivefold repetition", Draw.FIVEFOLD), ("50 moves without a capture or a pawn move", Draw.FIFTY),
    ("75 moves without a capture or a pawn move", Draw.SEVENTY_FIVE), ("50 moves without a capture", Draw.QUIET),
    ("time", Termination.TIME), ("agreement", Termination.AGREED), ("asking to be shown", Termination.SHOWN),
    ("the record", Termination.RECORD), ("a move that cannot be read", Termination.UNREAD),
])  # fmt: skip
def test_files_without_tokens_still_say_why_a_game_ended(explorer: ChessExplorer, phrase: str, reason: Any) -> None:
    text = f'[White "You"]\n[Termination "{phrase}"]\n[SetUp "1"]\n[FEN "{STARTS[0]}"]\n\n1. Re1 Kd4 0-1\n'
    result = match_of(pgn_files.read(text, CHESS), Judge(explorer))[0].result
    assert result is not None and result.reason is reason


@pytest.mark.parametrize(("phrase", "estimated"), [("shown by the table", False), ("shown, an estimate", True)])
def test_files_without_tokens_still_say_what_was_shown(explorer: ChessExplorer, phrase: str, estimated: bool) -> None:
    text = f'[White "You"]\n[FEN "{STARTS[0]}"]\n\n1. Re1 {{best}} Kd4 {{{phrase}}} 2. Kc2 {{{phrase}}} *\n'
    match, _ = match_of(pgn_files.read(text, CHESS), Judge(explorer))
    assert [ply.is_shown for ply in match.plies] == [False, True, True] and match.estimated is estimated
    assert match.result == Result(None, Termination.SHOWN)


def test_a_game_is_read_whatever_the_words_of_its_comments(explorer: ChessExplorer) -> None:
    """Whatever the comments and the names of the players say, the tokens tell the game."""
    text = (
        f'[White "Du"]\n[Black "trickreich"]\n[Side "white"]\n[Defence "tricky"]\n[EndReason "solution-shown"]\n'
        f'[FEN "{STARTS[0]}"]\n\n1. Re1 {{[%hint 1] gut}} Kd4 2. Kc2 {{[%hint 2]}} Kc4 {{[%shown search] Tafel}} *\n'
    )
    match, _ = match_of(pgn_files.read(text, CHESS), Judge(explorer))
    assert (match.you, match.defence) == ("white", Defence.TRICKY)
    assert [ply.hint_step for ply in match.plies] == [1, 0, 2, 0]
    assert [ply.is_shown for ply in match.plies] == [False, False, False, True] and match.estimated


def test_python_chess_reads_what_is_saved(explorer: ChessExplorer) -> None:
    match: ChessMatch = Match(Judge(explorer), chess.Board(STARTS[0]), "white", Defence.TRICKY)
    best = match.position.parse_san("Re1")
    match.hint(best)
    match.hint(best)
    match.play(best)
    match.show(Judge(explorer).line(match.position, 3).moves)
    text = pgn_files.write(record_of(match, today=TODAY), CHESS)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    assert [node.move for node in game.mainline()] == [ply.move for ply in match.plies]
    first, second, *_ = game.mainline()
    assert first.comment == "[%eval #13] [%hint 2] best; after a hint that named a move"
    score = first.eval()
    assert score is not None and score.white().mate() == 13
    assert "[%shown table] shown by the table" in second.comment
    assert game.headers["Termination"] == "abandoned" and game.headers["EndReason"] == "solution-shown"
    assert (game.headers["Side"], game.headers["Defence"]) == ("white", "tricky")
    again = pgn_files.read(str(game), CHESS)  # what python-chess writes is read back, too
    assert [ply.hint_step for ply in match_of(again, Judge(explorer))[0].plies] == [2, *[0] * (len(match.plies) - 1)]


def test_a_time_forfeit_of_another_program_is_recognised(explorer: ChessExplorer) -> None:
    text = f'[Termination "Time forfeit"]\n[SetUp "1"]\n[FEN "{STARTS[0]}"]\n\n1. Re1 Kd4 1-0\n'
    assert match_of(pgn_files.read(text, CHESS), Judge(explorer))[0].result == Result("white", Termination.TIME)


def test_a_broken_game_of_another_program_keeps_its_result(explorer: ChessExplorer) -> None:
    text = f'[Termination "Normal"]\n[SetUp "1"]\n[FEN "{STARTS[0]}"]\n\n1. Re1 Kxa8 1-0\n'
    record = pgn_files.read(text, CHESS)
    saved = record_of(match_of(record, Judge(explorer))[0], record)
    assert saved.headers == record.headers and saved.result == "1-0"


def test_a_drawn_game_is_not_lost_on_time(explorer: ChessExplorer) -> None:
    text = f'[Termination "Time forfeit"]\n[SetUp "1"]\n[FEN "{STARTS[0]}"]\n\n1. Re1 Kd4 1/2-1/2\n'
    assert match_of(pgn_files.read(text, CHESS), Judge(explorer))[0].result == Result(None, Termination.RECORD)


@pytest.mark.parametrize("by", ["You", "Ann"])
def test_a_broken_game_is_not_resumed_after_saving(explorer: ChessExplorer, by: str) -> None:
    event = '[Event "endgame-tui"]' if by == "You" else ""
    record = pgn_files.read(f'{event}[White "{by}"]\n[SetUp "1"]\n[FEN "{STARTS[0]}"]\n\n1. Re1 Kxa8 *\n', CHESS)
    assert record.problem
    saved = pgn_files.write(record_of(match_of(record, Judge(explorer))[0], record), CHESS)
    again = match_of(pgn_files.read(saved, CHESS), Judge(explorer))[0]
    assert again.result == Result(None, Termination.UNREAD) and len(again.plies) == 1


def test_a_saved_game_never_overwrites_another(
    tmp_path: Path, explorer: ChessExplorer, random_board: Callable[[str], chess.Board]
) -> None:
    match: ChessMatch = Match(Judge(explorer), random_board("KRvK"), "white")
    path = saved_games.unused_file(tmp_path / "games", "KRvK", TODAY)
    assert path.name.endswith("-2026-11-21.pgn")
    play: PlayState[chess.Board, chess.Move] = PlayState(AppContext(tmp_path), "chess")
    play.match = match
    play.save(path)
    assert saved_games.unused_file(path.parent, "KRvK", TODAY).name.endswith("-2026-11-21-2.pgn")
    assert pgn_files.read(saved_games.read_games_file(path), CHESS) == record_of(match)
    with pytest.raises(StorageError, match="already exists"):
        play.save(path)
    with pytest.raises(StorageError, match="cannot be written"):
        play.save(path / "below")
    for missing, words in ((path / "below", "cannot be read"), (tmp_path, "is a directory; no game"),
                           (path.parent, "is a directory; name one of ")):  # fmt: skip
        with pytest.raises(StorageError, match=words):
            saved_games.read_games_file(missing)
    path.write_bytes(b"q\0#]1\1Ve")
    with pytest.raises(StorageError, match="is not a text file"):
        saved_games.read_games_file(path)
    path.write_bytes('[White "Müller"]\r\n\r\n1. e4 *\r\n'.encode("latin-1"))
    found = pgn_files.read(saved_games.read_games_file(path), CHESS)
    assert found.headers["White"] == "Müller", "as files of positions are read"
