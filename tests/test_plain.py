"""Plain mode: the tasks as a dialogue in lines."""

from __future__ import annotations

import importlib
import io
import os
import pty
import random
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import chess
import pytest
from click.testing import CliRunner
from docs.make_transcript import PAGE, drill, put, written
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.app_context import AppContext
from endgame_core.cli.main import main
from endgame_core.games import by_name
from endgame_core.jsonl_process import Child
from endgame_core.plain.board import BoardMode
from endgame_core.plain.console import Console
from endgame_core.plain.dialogue import GLOBAL_COMMANDS, MODES, Dialogue
from endgame_core.plain.mode import PlainMode
from endgame_core.plain.play import PlayMode
from endgame_core.plain.terminal import WIDEST, Terminal
from endgame_core.tables import table_task
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library
from endgame_core.tasks.builds import BuildFinished, Builds
from endgame_core.untrusted import quoted
from endgame_core.words import game_report
from endgame_core.words.screen_reader import in_ascii, spoken
from endgame_core.words.tables import ended

from .plain_answers import refuses, tells

Talk = Callable[..., str]


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Dialogue]:
    lab = AppContext(tmp_path)
    made = Dialogue(Console(lab, Terminal(True, io.StringIO(), io.StringIO()), random.Random(1)))
    yield made
    made.close()
    lab.close()


@pytest.fixture
def talk(here: Dialogue) -> Talk:
    """Types lines; what was answered to the last of them."""

    def typed(*lines: str) -> str:
        sink = here.console.terminal._sink
        assert isinstance(sink, io.StringIO)
        for line in lines:
            sink.seek(0)
            sink.truncate()
            here.obey(line)
        return sink.getvalue()

    return typed


def answer(here: Dialogue, *lines: str) -> None:
    """What will be typed when something is asked."""
    here.console.terminal._source = io.StringIO("".join(f"{line}\n" for line in lines))


# The walk


def test_a_walk_prints_the_position_after_every_step(talk: Talk) -> None:
    first = talk("KRvK")
    assert tells(first, "White", "16", "31 plies", "KRvK", "S31", "1 of 121")
    assert tells(talk("best"), "king a2", "Black", "15", "30 plies", "KRvK", "S30", "559 of 2166")
    assert tells(talk("last"), "king a2")
    assert tells(talk("why"), "S30", "S29", "king d4", "2")
    assert [line.partition(",")[0] for line in talk("moves").splitlines()[:2]] == ["S29", "S27"]
    assert tells(talk("Kd4"), "king d4", "White", "15", "29 plies")
    assert tells(talk("m Kb1"), "king b1", "Black")
    assert talk("u", "u", "u") == first
    assert talk("forward").startswith("Black")
    assert tells(talk("near"), "White", "29 plies", "KRvK", "S29", "1 of 662")
    assert tells(talk("next"), "S29", "2 of 662")
    assert tells(talk("previous"), "S29", "1 of 662")
    assert tells(talk("S12/3"), "S12", "3 of")
    assert "S12: " in talk("layers")
    assert talk("line").startswith("1, Black: ")
    assert talk("random").count("KRvK, S12")
    assert "unique" in talk("layers")
    assert talk("position").count("/") == 7


def test_the_board_is_described_by_pieces_and_by_lines(talk: Talk) -> None:
    talk("7K/6Q1/8/8/2k5/8/8/8 w - - 0 1")
    assert talk("p") == "White: king h8, queen g7. Black: king c4.\n"
    assert talk("p Q") == "White: g7. Black: none.\n"
    assert talk("p black king") == "Black: c4.\n"
    assert talk("s g") == "File g: g7 white queen; the rest is empty.\n"
    assert talk("s 1") == "Rank 1 is empty.\n"
    assert talk("s c4") == "c4: black king.\n"
    assert talk("legal h8") == "2 moves: king g8, king h7.\n"
    assert talk("diagram").splitlines()[1] == "7 . . . . . . Q ."
    assert refuses(talk("p zebra"), "'zebra'", "bishop", "queen") and refuses(talk("s z"), "'z'")
    assert tells(talk("clocks"), "DTM 19", "DTZ 19", "0 of 50", "win")


def test_stones_are_described_by_their_points(talk: Talk) -> None:
    assert tells(talk("game"), "White", "25 plies", "3-3", "S25", "1 of 27")
    assert talk("p") == "White: a7, g4, g7. Black: d1, d7, g1.\n"
    assert talk("p b") == "Black: d1, d7, g1.\n"
    assert tells(talk("best"), "g7 to a1", "Black", "24 plies")
    assert talk("diagram").splitlines()[0] == "7 O     X     ."
    assert tells(talk("library").splitlines()[2], "6 stones", "1 of 1")
    assert talk("5-3").startswith("5-3")
    assert refuses(talk("list 99"), "99", "6", "18") and "(list 6)" in talk("help")


def test_moves_are_spoken_in_words_or_in_letters(talk: Talk) -> None:
    talk("KRvK")
    assert talk("hint").startswith("King a2, king b1, rook a2, ")
    assert talk("moves-as letters", "hint").startswith("Ka2, Kb1, Ra2, ")


def test_an_impossible_command_is_refused_in_one_sentence(talk: Talk) -> None:
    assert refuses(talk("e9"), "'e9'") and refuses(talk("foo"), "'foo'", "help")
    assert "'hepl'" in talk("hepl") and talk("hepl").endswith(" 'help'?\n")
    assert refuses(talk("scan"), "scan LINE") and refuses(talk("quit now"), "Quit")
    assert refuses(talk("KBNvK"), "build KBNvK") and refuses(talk("game go"), "'go'", "game morris")
    unavailable = talk("play", "forward")
    assert refuses(unavailable, "Forward", "help") and talk("repeat") == unavailable


# Help and completion come from one table


def test_help_lists_every_available_command_and_completion_offers_it(talk: Talk, here: Dialogue) -> None:
    for name in MODES:
        talk(name)
        told = talk("help")
        for each in list(here.available_commands()):
            assert re.search(rf"\b{each.name}\b", told), each.name
            assert each.name in here.completions("")
            assert each.help[:30] in " ".join(talk(f"help {each.name}").split())


def test_no_command_name_is_ambiguous() -> None:
    for name in MODES:
        kind = _kind(name)
        stages = {stage for each in kind.COMMANDS for stage in each.stages} or {""}
        for stage in stages:
            names = [short for each in [*kind.COMMANDS.available(stage), *GLOBAL_COMMANDS] for short in each.names]
            assert len(names) == len(set(names)), (name, stage, sorted(n for n in names if names.count(n) > 1))


def _kind(name: str) -> type[PlainMode]:
    from importlib import import_module

    found: type[PlainMode] = getattr(import_module(f"endgame_core.plain.{name}"), MODES[name])
    return found


def test_a_move_and_an_ending_are_completed(here: Dialogue, talk: Talk) -> None:
    talk("KRvK")
    assert "Ka2" in here.completions("")
    assert "KPvK" in here.completions("open ")


# A game, a drill


def test_a_game_is_played_to_mate_and_reviewed(talk: Talk, here: Dialogue) -> None:
    assert tells(talk("play KRvK S5"), "White to move", "You play", "White", "Black")
    assert tells(talk("set defence varied"), "varied")
    assert tells(talk("begin"), "You are White", "varied", "king")
    assert refuses(talk("forward"), "Forward") and refuses(talk("set defence perfect"), "Set")
    assert "hint again" in talk("hint")
    judge = here.console.lab.judge("chess")
    assert isinstance(here.mode, BoardMode)
    while here.mode.stage == "play":
        best = judge.probe(here.mode.position).best
        assert best is not None
        told = talk(best.san)
        assert told.startswith("You play ")
    assert tells(told, "White wins", "checkmate", "3 moves")
    assert talk("start").startswith("Move 1 of 3: 1. ")
    assert talk("score").startswith("1. ")
    there = here.console.lab.root / "games" / "KRvK-"
    assert "".join(talk("save").split()).startswith(f"Thegameissavedas{there}")
    assert refuses(talk("error"), "no errors", "new")


@pytest.mark.parametrize(("there", "move"), [("KRvK S5", "Kd4"), ("game morris", "a7-a4")])
def test_nothing_moves_before_a_game_begins(talk: Talk, here: Dialogue, there: str, move: str) -> None:
    assert tells(talk(there, "play here"), "Type begin")
    assert isinstance(here.mode, BoardMode)
    before, moves = here.mode.position, list(here.mode.candidates())
    for typed in (move, moves[0]):
        assert refuses(talk(typed), "begin the game")
    for typed in ("O-O", "Kh", "x/y/z w"):
        assert "no command" not in talk(typed)
    for typed in ("zzz", "foo bar"):
        assert tells(talk(typed), "no command", typed.split()[0])
    assert here.mode.position == before and here.mode.stage == "setup"
    assert tells(talk("begin", "zzz"), "no command", "zzz")


def test_a_game_continues_if_the_user_does_not_give_it_up(talk: Talk, here: Dialogue) -> None:
    talk("play KRvK S5", "begin", "moves-as letters")
    assert isinstance(here.mode, PlayMode)
    talk(next(iter(here.mode.candidates())))
    match = here.mode.play.match
    answer(here, "no")
    talk("play KQvK S5")
    assert match is not None and here.mode.play.match is match and match.plies
    answer(here, "yes")
    talk("play KQvK S5")
    assert here.mode.stage == "setup" and here.mode.default_ending() == "KQvK"


def test_an_option_can_be_set_by_its_printed_name(talk: Talk, here: Dialogue) -> None:
    told = talk("play KRvK", "set time never")
    assert tells(told, "Time", "off", "1 minute") and isinstance(here.mode, PlayMode)
    for number, words in ((5, "5 minutes plus 5 seconds"), (4, "10 minutes"), (1, "1 min"), (0, "off")):
        talk(f"set time {words}")
        assert here.mode.play.setup.time == number


def test_the_shown_line_is_numbered_once(talk: Talk, here: Dialogue) -> None:
    talk("8/8/8/3k4/8/8/8/1K5R b - - 0 40", "play here", "set you white", "begin")
    answer(here, "yes")
    told = " ".join(talk("show").split())
    assert "Best: 41. " in told and "42. " in told and "41. 41." not in told and "41.41." not in told
    talk("practise KRvK", "begin")
    answer(here, "yes")
    told = " ".join(talk("show").split())
    assert "Best: 1" in told and "2. " in told and told.count("Black: ") <= 1


def test_the_score_names_black_if_black_begins(talk: Talk) -> None:
    talk("8/8/8/3k4/8/8/8/1K5R b - - 0 1", "play here", "set you black", "begin", "Kd4")
    assert talk("score").startswith("1. Black: king d4") and "and so on" not in talk("score")


def test_a_question_ends_with_a_question_mark_and_unknown_values_are_named(talk: Talk) -> None:
    told = talk("game morris", "practise", "choose 3-3", "set mode call", "begin")
    assert told.endswith("?\n") and "?." not in told
    assert tells(talk("win", "no", "leave", "progress"), "moves lost per drill", "not known")


def test_a_build_is_cancelled_before_it_has_begun(here: Dialogue, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, goes_on, made, told = threading.Event(), threading.Event(), Build.__init__, list[BuildFinished | None]()

    def late(*args: Any, **kwargs: Any) -> None:
        begun.set()
        goes_on.wait(300)
        made(*args, **kwargs)

    monkeypatch.setattr(Build, "__init__", late)
    builds, library = Builds(here.console.lab, told.append), here.console.lab.library("dtm")
    builds.build(["KPvK"])
    assert begun.wait(300)
    builds.cancel()
    goes_on.set()
    assert builds.wait(300) and not library.is_built("KPvK")
    assert told[-1] is not None and "cancelled" in ended(told[-1])


def test_own_drills_are_deleted_only_after_a_question(talk: Talk, here: Dialogue) -> None:
    talk("KRvK", "add", "practise")
    assert "My positions, 1 drill" in talk("list")
    assert "delete: " in talk("help") and refuses(talk("delete"), "your own")
    talk("my positions")
    answer(here, "no", "yes")
    assert tells(talk("delete"), "1 position", "My positions", "no") and "My positions, 1" in talk("list")
    assert tells(talk("delete"), "yes", "My positions") and "My positions, 1" not in talk("list")


def test_no_question_is_asked_about_tables_that_cannot_be_deleted(talk: Talk) -> None:
    assert "yes or no" not in talk("library", "delete KQvK") and "shipped" in talk("delete KQvK")
    assert "yes or no" not in talk("delete KBNvK") and "not built" in talk("delete KBNvK")


def test_an_error_quotes_a_name_as_it_was_typed(talk: Talk) -> None:
    assert talk("game morris", "build KBvK").startswith("'KBvK' is not an ending")


def test_an_unfinished_game_is_saved_at_the_end_and_can_be_resumed(talk: Talk, here: Dialogue) -> None:
    talk("play KRvK S9", "begin")
    assert isinstance(here.mode, BoardMode)
    best = here.console.lab.judge("chess").probe(here.mode.position).best
    assert best is not None
    talk(best.san)
    here.close()
    saved = list((here.console.lab.root / "games").iterdir())
    assert len(saved) == 1
    again = Dialogue(Console(here.console.lab, Terminal(True, io.StringIO(), io.StringIO())))
    again.obey("play")
    again.obey(f"load {saved[0].name}")
    assert again.mode.stage == "play"
    again.console.lab.journal.flush()


def test_a_question_is_answered(talk: Talk, here: Dialogue) -> None:
    talk("practise KRvK", "set mode call")
    assert "win, draw or loss?" in talk("begin")
    assert refuses(talk("Kd5"), "win", "draw", "loss", "leave")
    told = talk("win")
    assert "yes or no" in told or told.startswith(("Right", "No"))
    if "yes or no" in told:
        assert talk("Kd5") == "This is a question; type yes, no or leave.\n"
        told = talk("yes")
    assert told.startswith(("Right: ", "No: "))
    assert "2 of 10" in talk("")


def test_giving_up_a_drill_requires_confirmation(talk: Talk, here: Dialogue) -> None:
    talk("practise KRvK", "begin", "hint")
    answer(here, "no")
    assert talk("leave").endswith("yes or no: no\n")
    assert here.mode.stage == "drill"
    answer(here, "yes")
    assert "1 drill, 0 solved, 0:0" in talk("leave")


# The page


def test_a_move_can_be_tried_after_a_drill_and_explored(talk: Talk, here: Dialogue) -> None:
    talk("practise KRvK", "begin")
    answer(here, "yes")
    talk("show")
    session = here.mode.session  # pyright: ignore[reportAttributeAccessIssue]
    before = session.position
    move = session.game.san(before, next(iter(session.game.moves(before))))
    told = " ".join(talk(move).split())
    assert "What if: " in told and "explore here" in told
    assert session.position == session.game.play(before, session.game.parse_move(before, move))
    talk("back")
    assert session.position == before and session.stage == "over", "back steps, and does not try again"
    talk(move)
    text = talk("position").splitlines()[-1]
    talk("explore here")
    assert here.mode.NAME == "explore" and talk("position").splitlines()[-1] == text
    talk("practise")
    assert here.mode.session is session  # pyright: ignore[reportAttributeAccessIssue]


def test_spoken_grades_and_marks_are_punctuated_correctly() -> None:
    assert spoken("1.Rg1  wins, but is 1 move slower", "chess") == ("1. rook g1 wins, but is 1 move slower")
    assert spoken("Last 10  ✗ ✗ .", "chess") == "Last 10, no no."


def test_keys_after_a_mistake_are_a_sentence_and_moves_are_typed_as_printed(talk: Talk) -> None:
    talk("practise KRvK, mate in 3 to 6", "begin")
    assert "\nGoal: mate." in talk("why")
    hint = talk("best").partition("Hint, ")[2].partition(".")[0]
    assert hint.startswith(("rook ", "king ")) and talk(hint).startswith(f"You play {hint}")


def test_a_theme_is_found_as_lists_print_it(talk: Talk) -> None:
    assert tells(talk("practise KRvK, mate in 3-6"), "KRvK", "mate in 3 to 6")
    assert tells(talk("practise KRvK, mate in 3 to 6"), "KRvK", "mate in 3 to 6")
    assert tells(talk("practise KPvK, hold"), "KPvK", "hold")


def test_a_friend_plays_the_other_side(talk: Talk, here: Dialogue) -> None:
    told = talk("play 8/8/8/3k4/8/8/8/1K5R w - - 0 1", "set opponent a friend", "begin")
    assert tells(told, "You", "White", "friend", "Black")
    assert tells(talk("Re1"), "White", "rook e1") and tells(talk("Kd6"), "Black", "king d6")
    answer(here, "no")
    assert game_report.DECLINED_BY_FRIEND in talk("draw").lower()
    answer(here, "yes")
    told = " ".join(talk("draw").split())
    assert game_report.AGREED_BY_BOTH in told.lower() and "White was winning" in told and "Black: " in told
    assert "Drawn" not in told, "the draw is announced once"


def test_a_hint_for_a_lone_king_names_the_move_at_once(talk: Talk) -> None:
    talk("play 8/8/8/3k4/8/8/8/1K5R b - - 0 1", "set you black", "begin")
    hint = talk("hint")
    assert hint.startswith("Hint: king ") and "again" not in hint


def masked(text: str) -> str:
    """A transcript without what differs between machines: times, and how often progress was told."""
    text = re.sub(r"(?:.* percent done, .*\n)+", "PROGRESS\n", text)
    return re.sub(r"(about|under) \d+ (second|minute)s?", "TIME", re.sub(r"\s+", " ", text))


def test_the_transcript_of_a_drill_is_as_the_page_has_it(tmp_path: Path) -> None:
    page = PAGE.read_text("utf-8")
    assert put(page, "drill", written(drill, tmp_path)) == page, "run: python docs/make_transcript.py"


# Whatever is typed

NOT_TRIED = ("quit", "build", "build-all", "survey", "find")
JUNK = (
    "",
    " ",
    "e9",
    "Kxx",
    "🦄",
    "p",
    "\x1b[31m",
    "'",
    "%s",
    "S999",
    "0",
    "-1",
    "9" * 50,
    "a" * 300,
    "ß",
    "::",
    "/",
    "KRvK S3",
)


@pytest.mark.slow
def test_no_session_breaks_a_line_leaves_ascii_or_fails(tmp_path: Path) -> None:
    rng = random.Random(5)
    for number in range(6):
        lab = AppContext(tmp_path / str(number))
        sink = io.StringIO()
        console = Console(lab, Terminal(True, io.StringIO("yes\n" * 50), sink), random.Random(number))
        console.clock = lambda: 0.0
        here = Dialogue(console)
        for _ in range(60):
            mode = here.mode
            some = [each for each in [*mode.COMMANDS, *GLOBAL_COMMANDS] if each.name not in NOT_TRIED]
            words = [
                each.name for each in some for _ in range(1 + 2 * (each.is_available(mode.stage) and bool(each.stages)))
            ]
            line = rng.choice(
                [*words, *(f"{word} {rng.choice([*JUNK, '1', '3', 'a', 'd2', 'K', 'KQvK'])}" for word in words), *JUNK]
            )
            if rng.random() < 0.3 and (moves := list(mode.candidates())):
                line = rng.choice(moves)
            here.obey(line)
        here.close()
        lab.close()
        for written_line in sink.getvalue().splitlines():
            assert len(written_line) <= WIDEST, written_line
            assert written_line.isascii() and written_line.isprintable(), written_line


@pytest.mark.parametrize(
    ("typed", "quotation"),
    [
        ("O-O-O", "'O-O-O'"),
        ("O-O", "'O-O'"),
        ("Qxh8+…", "'Qxh8+...'"),
        ("Kd5 · Ke6", "'Kd5 ? Ke6'"),
        ("press Esc", "'press'"),
        ("scan Nf3", "'Nf3'"),
        ("legal Nf3", "'Nf3'"),
        ("pieces Rxa5+", "'Rxa5+'"),
        ("game O-O", "'O-O'"),
        ("find Qd9 # 1 %", "'Qd9'"),
    ],
)
def test_what_was_typed_is_quoted_as_it_was_typed(talk: Talk, typed: str, quotation: str) -> None:
    told = " ".join(talk(typed).split())
    assert quotation in told.partition(";")[0], told


def test_choices_and_files_are_quoted_as_they_were_typed(talk: Talk) -> None:
    assert talk("KRvK S5", "play", "set Kd5").startswith("'Kd5' ")
    assert talk("load Nxf3.pgn").startswith("Nxf3.pgn ")
    assert "/x2.epd " in "".join(talk("load /nowhere/x2.epd")).replace("\n", "")


@given(st.text(max_size=60), st.sampled_from(["chess", "morris"]), st.booleans())
def test_quoted_text_is_never_respelled(text: str, game: str, in_words: bool) -> None:
    sentence = f"White's king: {quoted(text)} is not a legal move here; legal moves: Kd5 and {quoted(text)}"
    told = spoken(sentence, game, in_words)
    assert told.count(quoted(text)) >= 2
    assert told.replace(quoted(text), "").startswith("White's king:  is not a legal move here; legal moves: ")


def test_play_starts_from_the_current_position(talk: Talk, here: Dialogue) -> None:
    talk("KRvK S5")
    before = here.mode.position_text()
    talk("play")
    assert here.mode.NAME == "play" and here.mode.position_text() == before
    talk("explore", "KQvK S3", "play")
    assert here.mode.position_text() != before and talk("position") == f"{here.mode.position_text()}\n"


def test_play_resumes_an_unfinished_game(talk: Talk, here: Dialogue) -> None:
    talk("KRvK S5", "play", "begin")
    before = here.mode.position_text()
    assert tells(talk("explore", "KQvK S3", "play"), "KRvK", "White", "move 1")
    assert here.mode.position_text() == before and here.mode.stage == "play"
    talk("library", "play")
    assert here.mode.position_text() == before


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-8"])
def test_a_pipe_may_begin_with_a_byte_order_mark(tmp_path: Path, encoding: str) -> None:
    source = io.TextIOWrapper(io.BufferedReader(io.BytesIO("KRvK\nlegal é\n".encode(encoding))), "utf-8")
    sink = io.StringIO()
    lab = AppContext(tmp_path)
    Dialogue(Console(lab, Terminal(False, source, sink))).run()
    lab.close()
    assert "explore: KRvK\nWhite to move, mate in 16" in sink.getvalue() and "no 'é'" in sink.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["probe", "line"])
def test_descriptions_of_positions_contain_no_signs_or_keys(
    library: Library, random_board: Callable[[str], chess.Board], command: str
) -> None:
    for ending in ("KQvKR", "KPvKP", "KRPvK", "KNNvK", "KBNvK") * 4:
        words = ["--data-dir", str(library.directory.parent), command, random_board(ending).fen()]
        for line in CliRunner().invoke(main, words).output.splitlines():
            told = spoken(line, "chess")
            assert not re.search(r"[←→○●✓✗▸‹›…≈·−–]|\bpress\b|\bEsc\b", told), told


def test_moves_are_spoken_in_words() -> None:
    assert spoken("Kd5 keeps it; Rxa5+ loses.", "chess") == "King d5 keeps it; rook takes a5 with check loses."
    assert spoken("e8=Q# or exd6", "chess") == "e8 becomes a queen with checkmate or e takes d6"
    assert spoken("3. --, Kxd4; 3.--: passes", "chess") == "3. null move, king takes d4; 3. null move: passes"
    assert spoken("add --plain", "chess") == "Add --plain"
    assert spoken("O-O or O-O-O", "chess") == "Castles kingside or castles queenside"
    assert spoken("1.O-O-O+ O-O 2. O-O#", "chess") == (
        "1. castles queenside with check, castles kingside, 2. castles kingside with checkmate"
    )
    assert spoken("White Ke6 Rf6, Black Kg8", "chess") == "White king e6, rook f6, Black king g8"
    assert spoken("by DTM: 1…Ba3 2.Kb4", "chess") == "By DTM: 1, Black: bishop a3, 2. king b4"
    assert spoken("KRvK S12/3 is 3-4", "chess") == "KRvK S12/3 is 3-4"
    assert spoken("a7-d7xb4 wins", "morris") == "a7 to d7, takes b4 wins"
    assert spoken("mate in 8 · 15 plies, 12 345 of 1.3 MB", "chess") == "Mate in 8, 15 plies, 12345 of 1.3 megabytes"
    assert in_ascii("Réti’s ○ idea") == "Reti's ? idea"


# Over pipes and terminals


def run(root: Path, *arguments: str, lines: str = "", **given: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(root), *arguments]
    return subprocess.run(command, input=lines, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
def test_plain_mode_works_over_pipes_and_skips_bad_bytes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(tmp_path), "--plain", "--ascii"]
    done = subprocess.run(command, input=b"KRvK\n\xff\xfe\x00\nbest\n", capture_output=True, timeout=300, check=False)
    assert done.returncode == 0 and not done.stderr
    assert b"explore: KRvK\nWhite to move, mate in 16" in done.stdout and b"King a2." in done.stdout
    assert done.stdout.isascii()


@pytest.mark.slow
def test_plain_mode_uses_the_settings_and_reports_their_errors(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('glyphs = "ascii"\ntheme = "pink"\n')
    done = run(tmp_path, "--plain", lines="practise\nstudies\n")
    assert done.returncode == 0 and done.stdout.isascii()
    assert "Warning: line 2 of settings.toml: theme cannot be 'pink'" in done.stdout
    assert done.stdout.count("Warning: line 2 of settings.toml") == 1


def test_without_plain_a_pipe_is_refused_with_the_option(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 1 and "--plain" in done.stderr


@pytest.mark.slow
def test_plain_mode_ends_when_its_output_is_closed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(tmp_path), "--plain"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write("play KRvK S9\nbegin\nrandom\n")
        process.stdin.flush()
        while "You are White" not in process.stdout.readline():
            pass
        process.stdin.write("position\n")
        process.stdin.flush()
        while (fen := process.stdout.readline()).count("/") != 7:
            pass
        game = by_name("chess")
        position = game.parse(fen)
        process.stdin.write(f"{game.san(position, game.moves(position)[0])}\n")
        process.stdin.flush()
        while not process.stdout.readline().startswith("You play"):
            pass
        process.stdout.close()
        process.stdin.write("clocks\n" * 3)
        process.stdin.close()
        process.wait(300)
        assert process.stderr.read() == "endgame-tui: the output was closed; unfinished games and drills are saved.\n"
    assert [path.name for path in (tmp_path / "games").iterdir()]


def test_ctrl_c_cancels_the_compacting_of_a_table(
    here: Dialogue, talk: Talk, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = here.console.lab.library("dtm")
    own.directory.mkdir(parents=True, exist_ok=True)
    shutil.copy(library.table("KRvKB").path, own.directory)
    before = own.path("KRvKB").read_bytes()

    def messages(child: Child) -> Generator[dict[str, Any]]:
        assert child._process.stdout is not None
        with child._process.stdout:
            here.console.on_sigint(signal.SIGINT, None)
            yield {"event": "compacted", "before": 2, "after": 1}

    monkeypatch.setattr(table_task, "_MODULE", "json.tool")
    monkeypatch.setattr(Child, "messages", messages)
    answer(here, "no", "no")
    assert talk("library KRvKB", "compact").endswith("Nothing was changed.\n")
    answer(here, "yes")
    told = talk("compact")
    assert tells(told, "compacting", "cancelled")
    assert own.path("KRvKB").read_bytes() == before


_TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes standard input the terminal of its session, and goes on as another command."""


class Pty:
    """The program at a terminal of its own."""

    def __init__(self, root: Path, *arguments: str, term: str = "dumb") -> None:
        self.file, inner = pty.openpty()
        command = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(root), *arguments]
        self.process = subprocess.Popen(  # not forked, for this process may have threads
            [sys.executable, "-c", _TERMINAL, *command], stdin=inner, stdout=inner, stderr=inner,
            start_new_session=True, env={**os.environ, "TERM": term},
        )  # fmt: skip
        os.close(inner)
        self.seen = ""

    def until(self, text: str) -> str:
        """What is written up to a text."""
        end = time.monotonic() + 300
        while text not in self.seen and select.select([self.file], [], [], max(end - time.monotonic(), 0))[0]:
            self.seen += os.read(self.file, 4096).decode(errors="replace")
        assert text in self.seen
        told, _, self.seen = self.seen.partition(text)
        return told + text

    def type(self, text: str) -> None:
        os.write(self.file, text.encode())

    def interrupt(self) -> None:
        """Presses Ctrl-C until it is answered: Python's ``input`` misses one that comes just before it waits."""
        self.type("\x03")
        while not self.seen and not select.select([self.file], [], [], 1)[0]:
            self.type("\x03")

    def end(self) -> int:
        try:
            while more := os.read(self.file, 4096):
                self.seen += more.decode(errors="replace")
        except OSError:
            pass
        os.close(self.file)
        return self.process.wait(300)


@pytest.mark.slow
def test_a_dumb_terminal_gets_lines_and_nothing_else(tmp_path: Path) -> None:
    there = Pty(tmp_path)
    told = there.until("explore: ")
    there.type("KRvK\n")
    told += there.until("explore: ")
    assert "mate in 16" in told and "\x1b" not in told
    there.interrupt()
    assert "Type quit to leave." in there.until("explore: ")
    there.type("lay\t")
    there.until("layers")
    there.type("\n")
    assert "unique" in there.until("explore: ")
    there.type("\x04")
    assert there.end() == 0


# The proof: a whole drill and a build with script(1), read aloud


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("script") is None, reason="script(1) is not installed")
def test_a_drill_and_a_build_with_script(tmp_path: Path) -> None:
    command = f"{sys.executable} -m endgame_core.cli.main --data-dir {tmp_path} --plain --ascii"
    game, written_down = by_name("chess"), ""
    judge = AppContext(tmp_path).judge("chess")
    with subprocess.Popen(
        ["script", "-qec", command, os.devnull], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "TERM": "dumb"},
    ) as process:  # fmt: skip
        assert process.stdin and process.stdout

        def said(prompt: str) -> str:
            nonlocal written_down
            told = ""
            while not told.endswith(prompt):
                told += process.stdout.read(1).decode() if process.stdout else ""
            written_down += told
            return told

        def typed(line: str, prompt: str = "practise: ") -> str:
            assert process.stdin
            process.stdin.write(f"{line}\n".encode())
            process.stdin.flush()
            return said(prompt)

        said("explore: ")
        typed("practise KRvK")
        told = typed("begin")
        while "Solved" not in told.partition("Goal:")[2] and "Not solved" not in told:
            fen = next(line for line in typed("position").splitlines() if line.count("/") == 7)
            best = judge.probe(game.parse(fen)).best
            assert best is not None
            told = "Goal:" + typed(best.san)
        assert "Solved: checkmate, perfect." in told
        typed("library KBvK", "library: ")
        typed("build", "library: ")
        process.stdin.write(b"wait\nopen KBvK\nquit\n")
        process.stdin.close()
        written_down += process.stdout.read().decode()
        assert process.wait() == 0
    assert "KBvK is built." in written_down and "KBvK, draws" in written_down
    assert written_down.isascii() and "\x1b" not in written_down
    assert all(len(line) <= WIDEST + len("practise: ") for line in written_down.splitlines())


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_espeak_spells_out_no_sign_of_the_transcript(tmp_path: Path) -> None:
    told = [line for line in written(drill, tmp_path).splitlines() if line]
    text = tmp_path / "said.txt"
    text.write_text("\n".join(told))
    speak = ["espeak-ng", "-q", "-x", "-f", str(text)]
    phonemes = subprocess.run(speak, capture_output=True, text=True, check=True, timeout=300).stdout
    for name in ("plus", "slash", "dash", "hash", "equals", "asterisk", "arrow", "bullet", "underscore", "colon"):
        sign = subprocess.run([*speak[:3], name], capture_output=True, text=True, check=True).stdout.strip()
        assert sign not in phonemes, name
    subprocess.run(["espeak-ng", "-w", str(tmp_path / "said.wav"), "-f", str(text)], check=True, timeout=300)
    assert (tmp_path / "said.wav").stat().st_size > 100_000


def test_every_command_says_when_it_is_available(here: Dialogue) -> None:
    modes = [getattr(importlib.import_module(f"endgame_core.plain.{name}"), kind) for name, kind in MODES.items()]
    assert all(command.stage_description for mode in modes for command in mode.COMMANDS if command.stages)


def test_a_lesson_is_printed_with_its_moves(talk: Talk) -> None:
    told = talk("practise Rook: from the middle", "lesson")
    assert tells(told, "Goal", "White", "mate in 14") and "1. king e2" in told
    assert refuses(talk("practise KRvK", "lesson"), "lessons")
