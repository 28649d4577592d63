"""``PlaySession`` without a front end: what a user does, and the events that follow."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError, PositionError
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Termination
from endgame_core.search_estimate import Limits, SearchEstimate
from endgame_core.tables.library import Library
from endgame_core.tasks.play_session import EngineUse, Notice, PlayEvents, PlaySession, Question
from endgame_core.tasks.play_state import PLAY, REVIEW, SETUP, PlayState
from endgame_core.tasks.resume import unfinished_game
from endgame_core.words.game_report import ended, question_words, result_words, side_report

WON = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
DRAWN = "8/8/8/8/4k3/8/4P3/K7 b - - 0 1"
"""A draw that the defender, with the pawn, cannot expect to win."""

UNKNOWN = "4k3/8/8/3pp3/3PP3/8/8/4K3 w - - 0 1"
"""Too many pieces for the tables of the tests."""


class FakeEngine:
    """Answers with the first legal moves as soon as it is released, or fails."""

    name = "fake"

    def __init__(self) -> None:
        self.fails = False
        self.limits: list[Limits] = []

    def think(
        self,
        game: Any,
        limits: Limits,
        on_estimate: Callable[[SearchEstimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:
        self.limits.append(limits)
        if self.fails:
            on_end(EndgameError("it has stopped", "wait"))
            return
        move = min(game.moves(), key=lambda move: move.uci())
        on_estimate(SearchEstimate(3, 35, None, (move,), 1234, 0.05, self.name))
        on_end(None)

    def cancel(self) -> None:
        pass

    def close(self) -> None:
        pass


class Table:
    """A session with the events that it has sent; calls of the engine's thread wait for :meth:`run_calls`."""

    def __init__(self, lab: AppContext, engine: FakeEngine, shows_estimates: bool = False) -> None:
        self.engine = engine
        self.time = 0.0
        self.events: list[tuple[Any, ...]] = []
        self.questions: list[Callable[[], object]] = []
        self.calls: list[Callable[[], None]] = []
        self.state: PlayState[Any, Any] = PlayState(lab, "chess", random.Random(1))
        self.session = PlaySession(
            self.state, post=self.calls.append, clock=lambda: self.time, shows_estimates=shows_estimates
        )
        names = [name for name in PlayEvents.__dataclass_fields__ if name not in ("ask", "changed")]
        handlers: dict[str, Any] = {name: self._handler(name) for name in names}
        self.session.events = PlayEvents(**handlers, ask=self._ask)

    def _handler(self, name: str) -> Callable[..., None]:
        return lambda *values: self.events.append((name, *values))

    def _ask(self, question: Question, proceed: Callable[[], object]) -> None:
        self.events.append(("ask", question))
        self.questions.append(proceed)

    def yes(self) -> None:
        """Answer the last question with yes."""
        self.questions.pop()()

    def run_calls(self) -> None:
        while self.calls:
            self.calls.pop(0)()

    def take_events(self) -> list[str]:
        """Return the names of the events since the last call."""
        names = [str(name) for name, *_ in self.events]
        self.events.clear()
        return names

    def begin(self, position: str) -> None:
        self.session.set_up(self.state.game.parse(position))
        self.session.begin()
        self.yes()  # replace what is stored
        self.take_events()

    def make(self, san: str) -> None:
        assert self.session.make(self.state.parse_move(san))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    fake = FakeEngine()
    monkeypatch.setattr(AppContext, "engine", lambda *_: fake)
    monkeypatch.setattr(AppContext, "fall_back_to_search", lambda *_: False)
    return fake


@pytest.fixture
def lab(library: Library, tmp_path: Path) -> AppContext:
    (tmp_path / "tables").symlink_to(library.root / "tables")
    context = AppContext(tmp_path)
    vars(context)["journal"] = Journal(None)
    return context


@pytest.fixture
def table(lab: AppContext, engine: FakeEngine) -> Table:
    return Table(lab, engine)


def test_a_game_begins_after_the_question_about_a_stored_one(table: Table) -> None:
    table.session.begin()
    assert table.events == [("ask", Question.REPLACE_STORED)] and table.state.stage == SETUP
    table.yes()
    assert table.state.stage == PLAY and table.take_events()[1:] == ["begun", "turn_began"]


def test_the_defender_replies_to_a_move(table: Table) -> None:
    table.begin(WON)
    table.make("Re1")
    assert [ply.mover for ply in table.state.plies] == ["white", "black"]
    assert [(name, *values) for name, *values in table.events if name == "turn_began"] == [
        ("turn_began", False), ("turn_began", True),
    ]  # fmt: skip
    assert table.take_events() == ["moved", "turn_began", "moved", "turn_began"]


def test_the_defender_moves_first_where_it_is_to_move(table: Table) -> None:
    table.session.set_up(table.state.game.parse(WON), "black")
    table.session.begin()
    table.yes()
    assert len(table.state.plies) == 1 and table.state.your_turn


def test_without_a_table_the_engine_replies(table: Table) -> None:
    table.begin(UNKNOWN)
    table.make("Kd2")
    assert table.events[-1] == ("engine_started", EngineUse.REPLY) and len(table.state.plies) == 1
    table.run_calls()
    assert len(table.state.plies) == 2 and table.take_events()[-2:] == ["moved", "turn_began"]


def test_a_reply_of_the_engine_to_a_move_that_was_taken_back_is_dropped(table: Table) -> None:
    table.begin(UNKNOWN)
    table.make("Kd2")
    assert table.session.take_back()
    table.run_calls()
    assert not table.state.plies and table.state.your_turn


def test_an_engine_that_fails_is_reported_and_nothing_waits(table: Table) -> None:
    table.begin(UNKNOWN)
    table.engine.fails = True
    table.make("Kd2")
    table.run_calls()
    assert table.take_events()[-1] == "engine_failed"
    assert not table.session.engine.is_awaited and not table.state.your_turn


def test_the_engine_can_be_told_to_move_at_once(table: Table) -> None:
    table.begin(UNKNOWN)
    table.make("Kd2")
    table.calls.pop(0)()  # an estimate, but not the end
    table.session.engine.move_now()
    assert len(table.state.plies) == 2 and not table.session.engine.is_awaited
    table.run_calls()
    assert len(table.state.plies) == 2


def test_hints_come_from_tables_or_else_from_the_engine(table: Table) -> None:
    table.begin(WON)
    table.session.hint()
    assert table.take_events() == ["hinted"] and not table.engine.limits
    table.begin(UNKNOWN)
    table.session.hint()
    assert table.events == [("engine_started", EngineUse.HINT)]
    table.run_calls()
    hint = table.state.hint
    assert hint is not None and hint.step == 1 and table.take_events()[-1] == "hinted"


def test_estimates_are_made_only_while_they_are_shown(lab: AppContext, engine: FakeEngine) -> None:
    table = Table(lab, engine, shows_estimates=True)
    table.begin(UNKNOWN)
    assert not engine.limits
    table.session.toggle_verdict()
    table.run_calls()
    assert len(engine.limits) == 1 and table.session.engine.estimate is not None
    table.session.hint()  # its move is the hint
    assert len(engine.limits) == 1 and table.state.hint is not None


def test_a_game_with_moves_is_given_up_only_after_a_question(table: Table) -> None:
    table.begin(WON)
    table.session.new()
    assert table.take_events() == ["game_left", "set_up"]
    table.begin(WON)
    table.make("Re1")
    table.take_events()
    table.session.new()
    assert table.events == [("ask", Question.GIVE_UP)] and table.state.stage == PLAY
    table.yes()
    assert table.state.stage == SETUP


def test_an_invalid_start_ends_no_game(table: Table) -> None:
    table.begin(WON)
    match = table.state.match
    table.events.clear()
    with pytest.raises(EndgameError):
        table.session.set_up_text("KQvKX")
    assert table.state.match is match and table.state.stage == PLAY and not table.events


def test_a_position_offered_during_a_game_is_the_start_of_the_next(table: Table) -> None:
    table.begin(WON)
    offered = table.state.game.parse("8/8/8/8/8/2k5/8/KQ6 w - - 0 1")
    table.session.offer(offered)
    assert table.state.stage == PLAY
    table.session.new()
    assert table.state.position == offered
    table.session.set_up(table.state.game.parse(WON))
    table.session.offer(offered)  # not a new one
    assert table.state.position != offered


def test_a_typed_start_replaces_a_position_offered_before(table: Table) -> None:
    table.begin(WON)
    table.session.offer(table.state.game.parse("8/8/8/8/8/2k5/8/KQ6 w - - 0 1"))
    table.session.set_up_text(DRAWN)
    table.session.begin()
    table.yes()
    assert table.state.stage == PLAY
    table.session.new()
    assert table.state.position == table.state.game.parse(DRAWN)


def test_a_draw_is_claimed_after_a_question_else_offered(table: Table) -> None:
    table.begin("8/8/8/3k4/8/8/8/1K5R w - - 100 80")
    table.session.claim_or_offer_draw()
    assert table.events == [("ask", Question.CLAIM_DRAW)]
    table.yes()
    name, claim, by_user = table.events[-1]
    assert name == "over" and claim is not None and by_user is True and table.state.stage == REVIEW
    table.begin(WON)
    table.session.claim_or_offer_draw()
    assert table.events == [("notice", Notice.DRAW_DECLINED)] and table.state.stage == PLAY
    table.begin(DRAWN)
    table.session.claim_or_offer_draw()
    result = table.state.running_match.result
    assert result is not None and result.reason is Termination.AGREED and table.events == [("over", None, True)]


def test_the_solution_is_shown_after_a_question(table: Table) -> None:
    table.begin(WON)
    table.session.show_solution()
    assert table.events == [("ask", Question.SHOW_SOLUTION)]
    table.yes()
    assert table.take_events() == ["ask", "solution_shown", "over"]
    assert all(ply.is_shown for ply in table.state.plies)
    review = table.state.review
    assert review is not None and review.at == 0
    table.session.step(3)
    table.session.go(1)
    assert review.at == 1 and table.take_events() == ["reviewed", "reviewed"]


def test_a_game_is_lost_when_its_time_runs_out(table: Table) -> None:
    table.state.change("time", 1)
    table.begin(WON)
    assert table.session.has_running_clock
    table.time = 30.0
    table.session.tick()
    assert table.take_events() == ["clock_changed"]
    table.time = 61.0
    table.session.tick()
    result = table.state.running_match.result
    assert result is not None and result.reason is Termination.TIME and table.take_events() == ["over"]
    assert not table.session.has_running_clock


def test_an_impossible_action_causes_a_notice(table: Table) -> None:
    session = table.session
    session.hint()
    session.next_error()
    assert session.practise_errors() is None and not session.take_back()
    table.begin(WON)
    session.retry_or_set_up_random()
    table.make("Re1")
    table.take_events()
    session.show_solution()
    table.yes()
    table.events.clear()
    session.hint()
    session.toggle_verdict()
    notices = [values[0] for name, *values in table.events if name == "notice"]
    assert notices == [Notice.GAME_OVER, Notice.VERDICT_SHOWN]
    session.next_error()
    assert table.events[-1] == ("notice", Notice.NO_ERRORS)


def test_a_saved_game_is_opened_where_it_was_left_or_reviewed(table: Table, tmp_path: Path) -> None:
    table.begin(WON)
    table.make("Re1")
    file = table.state.save(tmp_path / "one.pgn")
    table.session.open(file)
    assert table.take_events()[-3:] == ["game_left", "opened", "turn_began"] and table.state.your_turn
    table.session.show_solution()
    table.yes()
    finished = table.state.save(tmp_path / "two.pgn")
    table.take_events()
    table.session.open(finished, ply=1)
    assert table.take_events() == ["game_left", "opened"]
    review = table.state.review
    assert review is not None and review.at == 1
    table.session.retry_or_set_up_random()
    assert table.take_events() == ["retried", "turn_began", "moved", "turn_began"]


def test_a_game_that_cannot_be_resumed_leaves_a_new_one_set_up(table: Table) -> None:
    with pytest.raises(EndgameError, match="cannot be resumed"):
        table.session.resume({"start": 7})
    assert table.take_events() == ["game_left", "set_up"] and table.state.stage == SETUP


def test_a_position_is_probed_once_however_often_it_is_shown(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.begin(WON)
    first = table.state.probe
    monkeypatch.setattr(table.state.judge, "probe", lambda position: pytest.fail("probed again"))
    assert table.state.probe is first
    monkeypatch.undo()
    table.state.judge.forget()  # tables were built or deleted
    assert table.state.probe is not first
    with pytest.raises(PositionError):
        table.session.take_back()


class TestWithAFriend:
    """Two people at one board: nobody replies, and the moves of both are graded."""

    @pytest.fixture
    def table(self, lab: AppContext, engine: FakeEngine) -> Table:
        table = Table(lab, engine)
        table.session.set_up(table.state.game.parse(WON))
        table.state.change("opponent", 1)
        table.session.begin()
        table.yes()
        table.take_events()
        return table

    def test_both_players_move_and_no_defender_replies(self, table: Table) -> None:
        table.make("Re1")
        assert table.take_events() == ["moved", "turn_began"] and table.state.your_turn
        table.make("Kd6")
        match = table.state.running_match
        assert [ply.san for ply in match.plies] == ["Re1", "Kd6"]
        assert all(ply.own and ply.grade is not None for ply in match.plies)
        assert match.recorder is None

    def test_take_back_undoes_one_move(self, table: Table) -> None:
        table.make("Re1")
        table.make("Kd6")
        assert table.session.take_back()
        assert [ply.san for ply in table.state.plies] == ["Re1"] and table.state.running_match.mover == "black"

    def test_a_draw_is_offered_to_the_friend(self, table: Table) -> None:
        table.session.claim_or_offer_draw()
        assert table.events == [("ask", Question.ACCEPT_DRAW)] and table.state.stage == PLAY
        assert question_words(table.state, Question.ACCEPT_DRAW) == "White offers a draw. Accept it?"
        table.yes()
        match = table.state.running_match
        assert match.result is not None and match.result.reason is Termination.AGREED

    def test_each_side_is_reported_and_only_the_errors_of_the_user_are_practised(self, table: Table) -> None:
        table.make("Re1")
        table.make("Kd6")
        table.make("Re5")
        table.make("Kxe5")
        match = table.state.running_match
        assert table.state.stage == REVIEW
        assert side_report(match, "white").endswith("1 blunder")
        assert side_report(match, "black").startswith("Black: ") and "blunder" not in side_report(match, "black")
        review = table.state.review
        assert review is not None and 2 in review.slips
        added = table.session.practise_errors()
        assert added is not None and len(added.added) == 1

    def test_the_clock_of_the_side_to_move_runs(self, lab: AppContext, engine: FakeEngine) -> None:
        table = Table(lab, engine)
        table.session.set_up(table.state.game.parse(WON))
        table.state.change("opponent", 1)
        table.state.change("time", 1)
        table.session.begin()
        table.yes()
        table.time = 10
        table.make("Re1")
        table.time = 35
        match = table.state.running_match
        assert (match.left, match.friend_left) == (50, 60)
        table.session.tick()
        assert match.result is None
        table.session.take_back()
        assert (match.left, match.friend_left) == (60, 60)
        table.make("Re1")
        table.time = 35 + 61
        table.session.tick()
        assert match.result is not None and match.result.reason is Termination.TIME
        assert match.result.winner == "white" and result_words(match) == "Black lost on time"

    def test_a_friend_wins_on_time_only_with_enough_material(self, lab: AppContext, engine: FakeEngine) -> None:
        table = Table(lab, engine)
        table.session.set_up(table.state.game.parse(WON))
        table.state.change("opponent", 1)
        table.state.change("time", 1)
        table.session.begin()
        table.yes()
        table.time = 61
        table.session.tick()
        match = table.state.running_match
        assert match.result is not None and match.result.winner is None
        assert ended(match)[0] == "White's time ran out: a draw, because Black cannot win."

    def test_a_saved_game_of_two_players_is_resumed(self, table: Table, tmp_path: Path) -> None:
        table.make("Re1")
        text = table.state.game_text()
        assert '[White "You"]' in text and '[Black "Friend"]' in text and '[Opponent "friend"]' in text
        assert "[Defence" not in text
        path = table.state.save(tmp_path / "friend.pgn")
        table.session.set_up(table.state.game.parse(DRAWN))
        table.session.open(path)
        match = table.state.running_match
        assert match.with_friend and table.state.your_turn and match.mover == "black"
        assert table.state.game_text() == text

    def test_an_unfinished_game_is_resumed(self, lab: AppContext, engine: FakeEngine) -> None:
        table = Table(lab, engine)
        table.session.set_up(table.state.game.parse(WON))
        for row in ("opponent", "board", "time"):
            table.state.change(row, 1)
        table.session.begin()
        table.yes()
        table.time = 7
        table.make("Re1")
        table.time = 12
        table.make("Kd6")
        kept = json.loads(json.dumps(unfinished_game(table.state)))
        other = Table(lab, engine)
        other.session.resume(kept)
        match = other.state.running_match
        assert match.with_friend and other.state.setup.turns_board and len(match.plies) == 2
        assert (match.left, match.friend_left) == (53, 55)
        assert other.state.bottom == "white"
        other.make("Re2")
        assert other.state.bottom == "black"
