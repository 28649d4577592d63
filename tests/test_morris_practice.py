"""Practising Morris: themes, starts, drills, whole games, and their records beside those of chess."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from endgame_core.chess.game import CHESS
from endgame_core.errors import EndingError, StudyError
from endgame_core.game_state import Draw, Win
from endgame_core.judge import Judge
from endgame_core.morris.game import MORRIS
from endgame_core.morris.notation import parse_line
from endgame_core.morris.rules import START, MorrisMove, Position
from endgame_core.practice import stats
from endgame_core.practice.course import Course
from endgame_core.practice.defence import Defence, accepts_draw, can_win, reply
from endgame_core.practice.drills import Drill, ResultQuestion
from endgame_core.practice.journal import Journal
from endgame_core.practice.journal_exchange import export, import_lines
from endgame_core.practice.match import Match, Result
from endgame_core.practice.recorder import Recorder, RecordingOptions
from endgame_core.practice.records import PLAY, Card, Outcome
from endgame_core.practice.repetition import FsrsRating
from endgame_core.practice.streak import Streak
from endgame_core.practice.studies import MY_POSITIONS, Studies, curated
from endgame_core.practice.theme import DrillError, DrillMode, Starts, Theme, groups, parse_theme
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.review import replay
from endgame_core.values import Category
from endgame_core.words.position import why
from tests.positions import by_depth
from tests.practising import best, go, worst

Morris = Explorer[Position, MorrisMove]
Drilled = Drill[Position, MorrisMove]
THEMES = [theme for themes in groups("morris").values() for theme in themes]
BUILT = [theme for theme in THEMES if MORRIS.canonical_name(theme.ending) in ("3-3", "4-3", "5-3")]
PUBLISHED = json.loads((Path(__file__).parent / "morris_published.json").read_text())["subspaces"]
WON = "OO1O4/X6X/X7 w"


def test_the_shipped_sets_cover_the_common_endings() -> None:
    assert list(groups("morris")) == [
        "Three against three", "Three against four", "Five against four", "Seven against four", "Longest wins",
    ]  # fmt: skip
    views = {view for ending in MORRIS.endings() for view in MORRIS.views(ending)}
    assert len(views) == 49
    for theme in THEMES:
        assert parse_theme(theme.key) == theme and theme.ending in views
        if theme.winner is not None:
            wins, losses, _, longest_win, longest_loss = PUBLISHED[theme.ending]
            count, longest = (wins, longest_win) if theme.winner == "mover" else (losses, longest_loss)
            assert count and theme.low <= longest and theme.high <= longest
    for theme in groups("morris")["Longest wins"]:
        assert theme.high == PUBLISHED[theme.ending][3], "the longest win of its ending"


@pytest.mark.parametrize("key", ["3-4 mate red", "3-4 mate", "3-4 mate mover 33-9", "3-4 call mover 1-2 3"])
def test_text_other_than_a_theme_is_refused(key: str) -> None:
    with pytest.raises(DrillError):
        parse_theme(key)


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("3-4 mate mover 9-19", "win in 9–19 plies"),
        ("3-4 mate mover", "win"),
        ("4-3 hold opponent 20-32", "hold out 20–32 plies"),
        ("4-3 hold", "hold"),
        ("3-3 only mover 1-9", "only move, win in 1–9 plies"),
        ("KRvK mate white 5-11", "mate in 3–6"),
        ("KRvK mate black", "win as Black"),
    ],
)
def test_only_labels_of_chess_mention_mate(key: str, label: str) -> None:
    assert parse_theme(key).label == label


def test_the_winner_of_the_other_game_is_refused(morris: Morris) -> None:
    with pytest.raises(DrillError, match="not a theme of morris"):
        Starts(morris, random.Random(1)).draw(parse_theme("3-4 mate white 9-19"))


@pytest.mark.parametrize("theme", BUILT, ids=lambda theme: theme.key)
def test_every_start_belongs_to_its_theme(theme: Theme, morris: Morris) -> None:
    starts = Starts(morris, random.Random(4))
    colours: set[str] = set()
    for _ in range(8):
        start = starts.draw(theme)
        colours.add(MORRIS.mover(start.position))
        moves = by_depth(morris, start.position)
        if theme.mode is DrillMode.CALL:
            continue
        slot = MORRIS.index.slot_of(start.position)
        ending, winner = MORRIS.index.family(slot, start.category)
        assert ending == theme.ending and (theme.winner is None or winner == theme.winner)
        if theme.winner is not None:
            assert start.perfect is not None and theme.low <= start.perfect <= theme.high
            assert start.category is (Category.WIN if theme.mode is DrillMode.MATE else Category.LOSS)
        elif theme.mode is DrillMode.HOLD:
            assert start.category is Category.DRAW and any(move.grade == "loss" for move in moves)
        assert start.learner == MORRIS.mover(start.position)
    assert colours == {"white", "black"} or len(colours) == 1
    assert starts.count(theme) > 0


def test_draws_are_counted_once(morris: Morris) -> None:
    """Those of 4-3 belong to the player with four stones: the other player's are listed under 3-4."""
    starts = Starts(morris, random.Random(1))
    assert starts.count(parse_theme("4-3 hold")) == PUBLISHED["4-3"][2]
    assert starts.count(parse_theme("3-4 call")) == sum(PUBLISHED["3-4"][:3])
    with pytest.raises(DrillError, match="no position of this kind"):
        starts.draw(parse_theme("3-4 hold"))


@pytest.mark.parametrize(
    "theme", [theme for theme in BUILT if theme.mode is not DrillMode.CALL], ids=lambda theme: theme.key
)
def test_best_play_solves_every_drill_and_is_stored(theme: Theme, morris: Morris, kept: RecordingOptions) -> None:
    start = Starts(morris, random.Random(3)).draw(theme)
    found = go(Drill(Judge(morris), theme, start, recording=kept), best)
    assert found.match.defence is Defence.VARIED
    if theme.mode is DrillMode.MATE:
        assert len(found.match.plies) == start.perfect
    assert found.outcome is Outcome.SOLVED and found.mark is FsrsRating.EASY and found.match.plies_lost == 0
    record = kept.journal.attempts()[0]
    assert (record.theme, record.ending, record.game) == (theme.key, theme.ending, "morris")
    assert record.colour == MORRIS.mover(start.position) and parse_line(record.start) == start.position
    first, moves = replay(MORRIS, record, kept.journal.moves(record.uuid))
    assert first == start.position and [one.move for one in moves] == [ply.move for ply in found.match.plies]
    assert [card.theme for card in kept.journal.cards()] == [theme.key]


def test_a_win_thrown_away_is_a_miss(morris: Morris, kept: RecordingOptions) -> None:
    theme = parse_theme("3-4 mate mover 21-27")
    found = go(Drill(Judge(morris), theme, Starts(morris, random.Random(3)).draw(theme), recording=kept), worst)
    assert found.outcome is Outcome.FAILED and found.mark is FsrsRating.AGAIN
    assert found.standing.why in ("the win is gone", Win.STONES, Win.BLOCKED)


def test_a_draw_held_is_a_draw_whatever_the_moves(morris: Morris, kept: RecordingOptions) -> None:
    theme, rng = parse_theme("4-3 hold"), random.Random(7)

    def holding(found: Drilled) -> MorrisMove:
        kept_moves = [move for move in by_depth(found.match.explorer, found.match.position) if move.grade == "best"]
        return rng.choice(kept_moves).move

    for _ in range(3):
        found = go(Drill(Judge(morris), theme, Starts(morris, rng).draw(theme), kept, Defence.HUMAN), holding)
        assert found.outcome is Outcome.SOLVED, found.standing


def test_a_question_is_answered_by_the_table(morris: Morris, kept: RecordingOptions) -> None:
    theme = parse_theme("3-3 call")
    starts, seen = Starts(morris, random.Random(5)), set[Category]()
    for _ in range(30):
        question = ResultQuestion(morris, theme, starts.draw(theme), kept)
        seen.add(question.truth.result)
        assert question.truth.result is morris.probe(question.start.position).category
        assert question.answer(question.truth)
    assert seen == {Category.WIN, Category.DRAW, Category.LOSS}


def test_every_defender_wins_won_positions_and_holds_drawn_ones(morris: Morris) -> None:
    rng = random.Random(2)
    for ending, winner, n in (("3-4", "mover", 25), ("4-3", None, None), ("4-3", "opponent", 26)):
        position = morris.random(ending, winner, n, rng)
        rated = {move.move: move for move in by_depth(morris, position)}
        for defence in Defence:
            for _ in range(3):
                chosen = rated[reply(Judge(morris), position, defence, rng)]
                assert chosen.grade == "best" or (winner == "opponent" and chosen.grade == "faster")
    won = parse_line(WON)
    assert can_win(morris, won, "white") and can_win(morris, won, "black")
    assert not accepts_draw(Judge(morris), won, "black")


def test_streaks_ask_about_stones(morris: Morris) -> None:
    starts, journal = Starts(morris, random.Random(2)), Journal(None)
    streak = Streak(starts, ["3-3", "3-4"], journal, random.Random(6), clock=lambda: 0.0)
    for _ in range(6):
        item = streak.next()
        if isinstance(item, ResultQuestion):
            assert item.answer(item.truth)
        else:
            assert go(item, best).outcome is Outcome.SOLVED
        streak.score(item)
    assert streak.count == 6 and streak.rating.rating > 1500


def test_the_way_a_game_is_won_is_recorded(morris: Morris) -> None:
    match = Match(Judge(morris), parse_line(WON), "white")
    assert match.perfect == 1
    in_words = MORRIS.parse_move(match.position, "g4 to g7, takes b6")
    assert in_words == MORRIS.parse_move(match.position, "g4-g7xb6")
    assert match.play(in_words).grade is not None
    assert match.result == Result("white", Win.STONES) and match.result.score == "1-0"
    blocked = Match(Judge(morris), parse_line("OXOXOXO1/7X/8 b"), "white")
    blocked.play(MORRIS.parse_move(blocked.position, "b4-a4"))
    assert blocked.result == Result("black", Win.BLOCKED) and blocked.result.score == "0-1"


def test_a_sentence_says_how_a_game_was_won(morris: Morris) -> None:
    judge = Judge(morris)
    for line, words in (("OO1O4/X7/X7 b", "Only two stones are left"), ("XOXOXOXO/8/8 b", "No stone can move")):
        message = why(judge.probe(parse_line(line)), MORRIS)
        assert (message.heading, message.sentence) == ("S0", f"{words}: White has won.")


@pytest.mark.slow
def test_a_whole_game_without_tables_is_stored(tmp_path: Path) -> None:
    journal, rng = Journal(None), random.Random(11)
    explorer: Morris = Explorer(MORRIS, Library(MORRIS, tmp_path))
    match = Match(Judge(explorer), START, "white")
    Recorder(match, RecordingOptions(journal))
    while match.result is None:
        match.play(rng.choice(list(MORRIS.moves(match.position))))
        if len(match.plies) == 30 and not match.takebacks:
            assert match.your_turn and match.take_back() == 2 and match.tracked.position == match.position
    assert all(ply.grade is None for ply in match.plies[:18])
    assert match.result.reason in (*Win, Draw.THREEFOLD, Draw.QUIET)
    record = journal.attempts()[0]
    assert (record.mode, record.theme, record.ending, record.game) == (PLAY, "morris", "", "morris")
    assert parse_line(record.start) == START


def wander(match: Match[Position, MorrisMove], plies: int) -> None:
    """Moves without taking anything, to where the game has been least often."""
    for _ in range(plies):
        if match.result is not None:
            break
        game = match.tracked
        ways: list[tuple[int, int]] = []
        quiet = [move for move in game.moves() if not move.captured]
        for number, move in enumerate(quiet):
            game.push(move)
            ways.append((game.occurrences, number) if game.moves() else (99, number))
            game.pop()
        match.play(quiet[min(ways)[1]])


@pytest.mark.slow
def test_the_limit_of_moves_ends_games_but_no_drills(tmp_path: Path) -> None:
    """Tables do not know of it: the longest wins take more than 50 moves without a capture."""
    explorer: Morris = Explorer(MORRIS, Library(MORRIS, tmp_path))
    start = parse_line("O1O1X1X1/1O3X2/O1O1X1X1 w")
    match = Match(Judge(explorer), start, "white")
    wander(match, 130)
    assert match.result == Result(None, Draw.QUIET) and len(match.plies) == 100
    unlimited = Match(Judge(explorer), start, "white", limited=False)
    wander(unlimited, 130)
    assert unlimited.result is None and unlimited.claim() is None and len(unlimited.plies) == 130


def test_the_journal_separates_both_games_and_survives_an_export(
    morris: Morris, kept: RecordingOptions, tmp_path: Path
) -> None:
    journal = kept.journal
    theme = parse_theme("3-4 mate mover 9-19")
    go(Drill(Judge(morris), theme, Starts(morris, random.Random(3)).draw(theme), recording=kept), best)
    other = parse_theme("KRvK mate white 5-11")
    journal.keep(Card(theme=other.key, label=other.label, ending=other.ending, due=journal.clock()))
    copy = Journal(None)
    lines = list(export(journal))
    assert import_lines(copy, lines).bad == [] and sorted(export(copy)) == sorted(lines)
    assert [count.name for count in stats.progress(copy, game="morris").endings] == ["3-4"]
    assert stats.progress(copy).drills == 0 and not stats.progress(copy).practised
    assert [stats.progress(copy, game=game).elsewhere for game in ("chess", "morris")] == [0, 1]
    courses = [
        Course(game, Library(game, tmp_path), Studies(game, tmp_path / "studies"), copy) for game in (CHESS, MORRIS)
    ]
    due: list[list[str]] = []
    for course in courses:
        course.refresh()
        due.append([item.theme.key for item in course.due])
        assert course.item("3-4 call") is None or course.game is MORRIS
    assert due == [["KRvK mate white 5-11"], []]
    mine = courses[1]
    assert mine.figures([item for found in mine.collections for item in found.items]).solved == 1
    assert mine.themes[0].ending == "3-3" and mine.item("4-3 only winner") is None


def test_a_course_finds_both_sides_of_a_pair(morris: Morris, tmp_path: Path) -> None:
    journal = Journal(None)
    course = Course(MORRIS, morris.library, Studies(MORRIS, tmp_path), journal)
    item, own = course.item("3-4 mate mover 9-19"), course.item("3-5 call")
    assert item is not None and own is not None and course.is_built(item) and course.is_built(own)
    assert course.is_own(own.theme) and not course.is_own(item.theme)
    longest = course.collections[-2]
    assert longest.name == "Longest wins" and "7-4" in course.missing(longest.items)
    assert {item.ending for item in course.queue(longest.items, random.Random(1))} == {"3-3", "3-4", "3-5"}
    assert course.collections[-1].name == MY_POSITIONS


def test_studies_of_both_games_are_separate(morris: Morris, tmp_path: Path) -> None:
    chess, mine = Studies(CHESS, tmp_path), Studies(MORRIS, tmp_path)
    assert curated(MORRIS) == () and curated(CHESS)
    chess.add("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")
    study = mine.add(WON, note="three fly")
    assert (study.side, study.name) == ("white", "3-3 1")
    assert [len(found.studies) for found in (*chess.own(), *mine.own())] == [1, 1]
    assert not any(found.problem for found in (*chess.own(), *mine.own()))
    with pytest.raises(EndingError, match="in hand"):
        mine.add("8/8/8 w 9-9")
    assert mine.add("8/8/8 w 9-9", beyond=True).estimate
    with pytest.raises(StudyError, match="over"):
        mine.add("XOXOXOXO/8/8 b")
    start = Starts(morris, random.Random(1)).of_position(parse_line(WON), "white", colours=True)
    assert start.category is Category.WIN and start.perfect == 1
