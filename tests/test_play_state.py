"""A game without a screen: set up, played, taken back, hinted, saved and reviewed, at chess and Morris."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError, PositionError
from endgame_core.judge import Judge
from endgame_core.practice.defence import Defence
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Match, Result, Termination
from endgame_core.practice.records import Outcome
from endgame_core.search_estimate import SearchEstimate
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library
from endgame_core.tasks.game_setup import TIMES
from endgame_core.tasks.play_state import PlayState
from endgame_core.tasks.review import ReviewSession
from endgame_core.words import game_report, progress

LAYERS = {"chess": "KRvK S27", "morris": "3-4 S25"}
UNKNOWN = {"chess": "4k3/8/8/3pp3/3PP3/8/8/4K3 w - - 0 1", "morris": "OXOXOXOX/OX6/8 w"}
DRAWN = {"chess": "8/8/8/8/4k3/8/4P3/K7 b - - 0 1", "morris": "OOXXOX2/4O3/X7 w"}


@pytest.fixture(params=["chess", "morris"])
def play(request: pytest.FixtureRequest, library: Library, tmp_path: Path) -> PlayState[Any, Any]:
    """A game of chess or of Morris, with a layer of wins set up."""
    root = library.root
    if request.param == "morris":
        explorer: Explorer[Any, Any] = request.getfixturevalue("morris")
        root = explorer.library.root
    (tmp_path / "tables").symlink_to(root / "tables")
    lab = AppContext(tmp_path)
    vars(lab)["journal"] = Journal(None)
    found: PlayState[Any, Any] = PlayState(lab, request.param, random.Random(1))
    found.set_up_text(LAYERS[request.param])
    return found


def journal(play: PlayState[Any, Any]) -> Journal:
    return play.lab.journal


def worse(play: PlayState[Any, Any]) -> Any:
    """The first move that is not a best one."""
    return next(move.move for move in play.probe.moves if move.grade != "best")


class TestSetup:
    def test_the_user_plays_the_winning_side(self, play: PlayState[Any, Any]) -> None:
        verdict = play.probe.verdict
        assert verdict is not None and play.you == verdict.winner and play.stage == "setup"
        for choice in game_report.choices(play):
            assert choice.options[choice.chosen]
        assert any("You can win" in choice.description for choice in game_report.choices(play))
        assert game_report.message(play).sentence.endswith("to move.")

    def test_every_row_of_the_setup_can_be_changed(self, play: PlayState[Any, Any]) -> None:
        before = [choice.chosen for choice in game_report.choices(play)]
        for row in play.rows:
            play.change(row, 1)
        assert play.setup.with_friend and play.rows[-3:] == ("board", "time", "verdict")
        play.change("board", 1)
        assert play.setup.turns_board
        play.change("opponent", 1)
        after = [choice.chosen for choice in game_report.choices(play)]
        changed = [was != now for was, now in zip(before, after, strict=True)]
        assert changed == [row != "opponent" for row in play.rows] and not play.hides_verdict
        if play.opening is not None:
            assert play.start == play.opening
        play.begin()
        assert play.match is not None and play.match.control == TIMES[1][1]

    def test_a_random_start_is_of_the_same_layer(self, play: PlayState[Any, Any]) -> None:
        was = play.probe.verdict
        play.set_up_random()
        now = play.probe.verdict
        assert was is not None and now is not None and now.depth == was.depth

    def test_text_that_is_not_a_start_changes_nothing(self, play: PlayState[Any, Any]) -> None:
        here = play.position
        for text in ("", "S99", "xyz", play.game.san(here, play.probe.moves[0].move)):
            with pytest.raises(EndgameError):
                play.set_up_text(text)
        assert play.position == here

    @pytest.mark.slow
    def test_positions_without_a_table_are_estimated(self, play: PlayState[Any, Any]) -> None:
        play.set_up_text(UNKNOWN[play.game.name])
        assert play.is_estimated and "the search replies" in game_report.choices(play)[-5].description
        play.begin()
        play.hides_verdict = False
        assert (
            "estimate" in game_report.message(play).sentence or "No table covers" in game_report.message(play).sentence
        )
        with pytest.raises(EndgameError):
            play.best_move()
        with pytest.raises(EndgameError):
            play.best_line()


class TestPlaying:
    def test_best_play_wins_a_perfect_game(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        assert game_report.message(play).sentence.startswith("You began ")
        while play.stage == "play":
            if play.your_turn:
                play.make(play.best_move(), 1.0)
            else:
                assert play.reply() is None
        assert play.match is not None and play.review is not None and not play.review.slips
        assert game_report.result_words(play.match).startswith("You won in ")
        assert game_report.message(play).sentence.startswith("Every move was best.")
        possible = {"chess": f"mate in {play.match.perfect}", "morris": "win in 25 plies"}[play.game.name]
        assert game_report.perfect(play) == f"possible: {possible}"
        (record,) = journal(play).attempts()
        assert record.outcome is Outcome.SOLVED and record.game == play.game.name

    def test_a_game_won_with_a_hint_is_solved_with_help(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        play.give_hint(play.best_move())
        while play.stage == "play":
            play.make(play.best_move(), 1.0)
        sentence = "Every move was best, with 1 hint.  back and forward step through the game."
        assert game_report.message(play).sentence == sentence
        (record,) = journal(play).attempts()
        assert progress.outcome_words(record).startswith("solved, ") and progress.cost_words(record) == ["1 hint"]

    def test_after_a_shown_solution_retry_plays_the_game_again(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        start = play.position
        play.show_solution(play.best_line(), False)
        assert play.review is not None
        plays_on = game_report.what_r_does(play)
        play.review.step(999)
        assert game_report.what_r_does(play) != plays_on
        play.retry()
        assert play.position == start and not play.plies

    def test_takebacks_hints_and_giving_up_are_recorded(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        with pytest.raises(PositionError, match="nothing to take back"):
            play.take_back()
        best = play.best_move()
        play.give_hint(best)
        assert "hint again shows the move." in game_report.message(play).sentence
        play.give_hint(best)
        assert game_report.message(play).heading == "Hint" and play.hint is not None
        play.make(worse(play))
        if not play.your_turn and play.stage == "play":
            play.reply()
        play.take_back()
        assert play.match is not None and not play.match.plies and play.match.takebacks == 1
        play.make(best)
        play.reply()
        play.show_solution(play.best_line())
        assert play.stage == "review" and play.review is not None and play.review.at == 2
        assert play.match.result is not None and play.match.result.reason is Termination.SHOWN
        assert game_report.corner(play, game_report.headline(play)) == (play.match.result.score, "text"), (
            "a move that was shown"
        )
        assert game_report.message(play).sentence.startswith("is the table's move")

    def test_the_headline_hides_the_verdict(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        assert game_report.headline(play).result == "verdict hidden"
        play.hides_verdict = False
        assert game_report.headline(play).result not in ("", "verdict hidden")
        assert game_report.line(play, 10).moves and game_report.last_said(play).heading == ""

    def test_the_line_is_numbered_from_the_side_to_move(self, play: PlayState[Any, Any]) -> None:
        """Its numbers go on with the game's, and its colour is that of who wins."""
        assert game_report.line(play, 10).first == 1
        play.begin()
        mover, shown = play.game.mover(play.position), game_report.line(play, 10)
        assert play.match is not None and play.match.perfect is not None
        assert (shown.first, shown.white, shown.strong_first) == (1, mover == "white", True)
        play.make(play.best_move())
        other = game_report.line(play, 10)
        assert (other.white, other.strong_first, other.moves[:5]) == (mover != "white", False, shown.moves[1:6])

    @pytest.mark.parametrize("mate", [3, -3])
    def test_an_estimate_names_who_wins_and_the_move(self, mate: int, play: PlayState[Any, Any]) -> None:
        """A search counts for the side to move, whichever that is."""
        for _ in range(2):
            mover, move = play.game.mover(play.position), play.game.moves(play.position)[0]
            thought = SearchEstimate(5, 0, mate, (move,), 1_000, 1.0, "search")
            winner = mover if mate > 0 else "black" if mover == "white" else "white"
            assert winner.capitalize() in game_report.estimate(play, thought)
            assert game_report.thinking(play, thought)[0] == f"{play.game.san(play.position, move)}  by search"
            assert game_report.thinking(play, replace(thought, line=()))[0] == "by search"
            if play.match is None:
                play.begin()
                play.make(play.best_move())

    def test_the_last_twenty_seconds_are_marked(self, play: PlayState[Any, Any]) -> None:
        play.change("time", 1)
        play.begin()

        def time(elapsed: float) -> tuple[str, str]:
            ((value, role),) = (
                (fact.value, fact.role) for fact in game_report.facts(play, elapsed)[2][1] if fact.label == "time"
            )
            return value, role

        assert [time(elapsed) for elapsed in (0.0, 40.0, 40.9, 41.0, 70.0)] == [
            ("1:00", "text"), ("0:20", "text"), ("0:20", "text"), ("0:19", "loss"), ("0:00", "loss"),
        ]  # fmt: skip

    def test_a_draw_offer_is_accepted_only_in_a_draw(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        assert not play.offer_draw() and play.stage == "play"
        play.set_up_text(DRAWN[play.game.name])
        play.begin()
        assert play.offer_draw() and play.running_match.result == Result(None, Termination.AGREED)

    def test_a_game_that_is_given_up_does_not_count(self, play: PlayState[Any, Any]) -> None:
        play.begin()
        play.make(play.best_move())
        play.set_up_again()
        assert play.stage == "setup" and journal(play).attempts()[0].outcome is Outcome.LEFT

    def test_a_game_is_lost_when_its_clock_runs_out(self, play: PlayState[Any, Any]) -> None:
        play.change("time", 1)
        play.begin()
        facts = {fact.label: fact.value for _, facts in game_report.facts(play, 0.5) for fact in facts}
        assert facts["time"] == "1:00" and facts["hints"] == "0"
        assert not play.tick(59.0) and play.tick(60.0)
        assert play.match is not None and play.match.recorder is not None
        said = game_report.ended(play.match)[0]
        winner = None if play.game.name == "chess" else "black"  # a bare king wins nothing
        assert play.match.result == Result(winner, Termination.TIME) and "time" in said and "Black" in said
        play.save(play.saved_games.folder / "time.pgn")
        result = play.match.result
        play.open(play.saved_games.folder / "time.pgn")
        assert play.match.result == result

    def test_a_draw_by_insufficient_material_is_named(self, explorer: Any) -> None:
        match = Match(Judge(explorer), explorer.game.parse("8/8/8/8/1Q6/2k5/8/K7 b - - 0 1"), "white")
        match.play(match.game.parse_move(match.position, "Kxb4"))
        assert game_report.ended(match)[0] == "drawn: insufficient material."


class TestAfterwards:
    @pytest.fixture
    def over(self, play: PlayState[Any, Any]) -> ReviewSession[Any, Any]:
        """A game with an error, given up."""
        play.begin()
        play.make(worse(play))
        if play.stage == "play":
            play.reply()
            play.make(play.best_move())
            play.show_solution([])
        assert play.review is not None
        return play.review

    def test_errors_are_found_and_can_be_replayed(
        self, play: PlayState[Any, Any], over: ReviewSession[Any, Any]
    ) -> None:
        assert over.next_error() and over.at == 0 and over.item is not None and over.item.is_slip
        said = game_report.message(play)
        assert said.heading.startswith("1.") or said.heading.startswith("1…")
        assert "Best: " in said.sentence or "were best" in said.sentence
        you, here = play.you, play.position
        play.retry()
        assert play.stage == "play" and play.position == here and play.you == you

    def test_rows_name_every_move(self, play: PlayState[Any, Any], over: ReviewSession[Any, Any]) -> None:
        rows = game_report.rows_of(over.items)
        names = [name for row in rows for name in row.moves if name not in ("", "…")]
        assert names == [item.san for item in over.items]
        assert rows[0].mark is not None and play.match is not None and game_report.counts(play.match.tally, 80).text

    def test_stepping_through_a_game_stops_at_both_ends(self, over: ReviewSession[Any, Any]) -> None:
        over.step(-99)
        assert over.at == 0 and over.position == over.start and over.came_by is None
        over.step(99)
        assert over.item is None and over.came_by == over.items[-1].move

    def test_a_saved_game_comes_back_identical(self, play: PlayState[Any, Any], over: ReviewSession[Any, Any]) -> None:
        file = game_report.file_of(play)
        play.save(file)
        assert game_report.file_of(play) != file, "another name is free"
        before = [(item.san, item.grade, item.is_shown) for item in over.items]
        assert play.open(file) == ""
        assert play.review is not None and play.review is not over
        assert [(item.san, item.grade, item.is_shown) for item in play.review.items] == before
        play.save(game_report.file_of(play))

    def test_an_attempt_of_the_journal_gives_the_same_review(
        self, play: PlayState[Any, Any], over: ReviewSession[Any, Any]
    ) -> None:
        (record,) = journal(play).attempts()
        again = ReviewSession.of_attempt(play.judge, record, journal(play).moves(record.uuid))
        assert [item.san for item in again.items] == [item.san for item in over.items if not item.is_shown]
        assert again.slips == over.slips and again.depths[: len(again.items)] == over.depths[: len(again.items)]


@pytest.mark.parametrize("defence", list(Defence))
def test_every_defender_replies_to_a_move(play: PlayState[Any, Any], defence: Defence) -> None:
    while play.setup.defence is not defence:
        play.change("defence", 1)
    play.begin()
    if play.your_turn:
        play.make(play.best_move())
    assert play.reply() is None and play.your_turn
