"""Every key of the Play screen while a game is set up and played, pressed as a user presses it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import chess
import pytest

from endgame_core.chess import pgn
from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits
from endgame_core.practice.defence import Defence
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import End
from endgame_core.practice.records import Outcome
from endgame_core.tables.library import Library
from endgame_core.tasks import game_file
from endgame_core.tracked import Draw, Win
from endgame_core.values import Category
from endgame_tui.app import EndgameApp
from endgame_tui.screens.play import PlayScreen
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.facts import FactsPanel, ResultRows
from endgame_tui.widgets.promotion import PromotionChooser
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.words import VerdictRow

from .playing import LOST, PAWN, QUEEN, ROOK, SIX, Game, playing


class TestSetup:
    async def test_begins_with_what_explore_shows_and_the_side_that_wins(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            assert game.play.stage == "setup" and game.play.position.fen() == ROOK and game.play.setup.white
        async with playing(library, LOST, begin=False) as game:
            assert game.play.setup.white, "White wins, though Black is to move"

    async def test_rows_are_chosen_and_changed(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            await game.press("right", "down", "right", "right", "j", "l", "down", "right")
            setup = game.play.setup
            assert not setup.white and setup.defence is Defence.TRICKY and setup.clock == 1 and not game.play.hidden
            await game.press("up", "left", "k", "h", "enter")
            assert game.play.setup.clock == 0 and game.match.defence is Defence.VARIED and game.match.you == "black"

    async def test_r_takes_a_random_position_of_the_layer(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            await game.press("r")
            assert game.play.explorer.probe(game.play.position).depth == 27

    async def test_any_position_can_be_typed(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            for typed, ending, depth in (
                ("KQvK", "KQvK", 19), ("KBNvK S13", "KBNvK", 13), ("s11/2", "KBNvK", 11),
                ("8/8/8/3k4/8/8/4P3/4K3 w", "KPvK", None),
            ):  # fmt: skip
                await game.type_in(typed)
                assert game.play.game.ending_of(game.play.position) == ending
                assert depth is None or game.play.explorer.probe(game.play.position).depth == depth

    async def test_a_study_can_be_typed(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            await game.type_in("KPK-Opposition-Win")
            study = game.screen.session.studies.study("kpk-opposition-win")
            assert game.play.position.fen() == study.position and game.reason.startswith(study.name)
            assert game.play.setup.white == (study.side == "white")

    async def test_what_cannot_be_read_is_answered(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            for typed, words in (
                ("", "nothing was typed"), ("KXvK", "no legal move"), ("8/8/8 w", "not a FEN"), ("KRvK S99", "no S99"),
            ):  # fmt: skip
                await game.type_in(typed)
                assert words.lower() in game.said.lower() and game.play.position.fen() == ROOK
                await game.press("escape")

    async def test_a_finished_position_is_not_begun(self, library: Library) -> None:
        async with playing(library, "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1") as game:
            assert game.play.stage == "setup" and "over" in game.said

    async def test_keys_of_a_game_say_that_there_is_none(self, library: Library) -> None:
        async with playing(library, begin=False) as game:
            for key in ("u", "i", "w", "D"):
                await game.press(key)
                assert "begins the game" in game.said
            await game.press("o")
            assert "no game to save" in game.said
            await game.press("e")
            assert "after the game" in game.said
            await game.press("tab", "enter")
            await game.press("n")
            assert game.play.stage == "play", "n begins, too"


class TestMoves:
    async def test_typed_moves_and_replies(self, library: Library) -> None:
        async with playing(library) as game:
            await game.moves("Re1", "Kc2")
            assert game.sans[0] == "Re1" and game.sans[2] == "Kc2" and len(game.sans) == 4 and game.match.your_turn
            assert game.play.replied is not None

    async def test_the_defender_moves_first_where_it_is_his_move(self, library: Library) -> None:
        async with playing(library, LOST) as game:
            assert len(game.match.plies) == 1 and game.match.your_turn

    async def test_why_a_move_is_not_legal(self, library: Library) -> None:
        async with playing(library) as game:
            for typed, words in (
                ("Rb5", "the rook on h1 cannot go to b5"), ("Kd4", "the king on b1 cannot go to d4"),
                ("Rb1", "cannot take your own king"), ("h1b9", "no legal move"), ("d5d4", "Black's"),
                ("", "Nothing was typed"), ("c3c4", "no man stands on c3"), ("Nf3", "no legal move here; legal are"),
            ):  # fmt: skip
                await game.type_in(typed)
                assert words in game.said and not game.match.plies
                await game.press("escape")

    async def test_an_ambiguous_move_asks_which(self, library: Library) -> None:
        async with playing(library, "8/8/8/3k4/8/8/4K3/R6R w - - 0 1") as game:
            await game.type_in("Rd1")
            assert "ambiguous" in game.said and "Rhd1 or Rad1" in game.said

    async def test_cursor_picks_and_drops(self, library: Library) -> None:
        async with playing(library) as game:
            board = game.screen.query_one(Board)
            await game.press("enter")
            assert board.view.picked == chess.H1
            assert {label.text for label in board.view.labels.values()} == {"·"}, "the verdict is hidden"
            await game.press("left", "left", "left", "enter")
            assert game.sans[0] == "Re1"
            await game.press("enter", "up", "right", "enter")
            assert "not a legal move" in game.said and len(game.sans) == 2

    async def test_only_your_men_can_be_picked(self, library: Library) -> None:
        async with playing(library) as game:
            await game.press("up", "enter")
            assert "White is to move" in game.said

    async def test_promotion_asks(self, library: Library) -> None:
        async with playing(library, PAWN) as game:
            await game.type_in("a8")
            assert isinstance(game.pilot.app.focused, PromotionChooser)
            assert all(not option.layer for option in game.pilot.app.focused._options), "the verdict is hidden"
            await game.press("r")
            assert game.sans[0] == "a8=R"

    async def test_take_back(self, library: Library) -> None:
        async with playing(library) as game:
            await game.press("u")
            assert "nothing to take back" in game.said
            await game.moves("Re1")
            await game.press("u")
            assert game.play.position.fen() == ROOK and game.match.takebacks == 1

    async def test_hints_in_two_steps(self, library: Library) -> None:
        async with playing(library) as game:
            best = game.play.facts.moves[0]
            await game.press("i")
            assert "move the rook on h1" in game.reason and best.san not in game.reason
            await game.press("i")
            assert best.san in game.reason and game.match.hints == 2
            assert game.screen.query_one(Board).view.labels[best.move.to_square].best
            await game.press("enter")
            assert game.sans[0] == best.san and game.match.plies[0].hints == 2

    async def test_the_verdict_comes_and_goes(self, library: Library) -> None:
        async with playing(library) as game:
            verdict = game.screen.query_one(VerdictRow)
            assert verdict.view.result == "verdict hidden" and not game.screen.query_one(ScorePanel).view.marks
            await game.press("v")
            assert verdict.view.result == "mate in 14 · 27 plies" and game.screen.query_one(ScorePanel).view.marks
            await game.press("m", "right", "left", "enter")
            assert len(game.sans) == 2, "the moves panel plays"
            await game.press("v")
            assert verdict.view.result == "verdict hidden"

    async def test_copy_flip_and_focus(self, library: Library) -> None:
        async with playing(library) as game:
            await game.press("c", "f")
            assert game.pilot.app.clipboard == ROOK and game.screen.query_one(Board).view.flipped
            await game.press("m")
            assert game.pilot.app.focused is game.screen.query_one(ScorePanel)
            await game.press("m")
            assert game.pilot.app.focused is game.screen.query_one(Board)


class TestEnds:
    async def test_mate_is_graded(self, library: Library) -> None:
        async with playing(library, QUEEN) as game:
            await game.moves("Qg8")
            assert game.match.result is not None and game.match.result.reason is Win.MATE
            assert "wins by checkmate" in game.said
            result = game.screen.query_one(ResultRows).view
            assert result.words == "You won in 1 move" and result.right == "perfect: 1"
            assert [mark.words for mark in result.counts] == ["1 best"]
            await game.press("u")
            assert "game is over" in game.said

    async def test_show_me_plays_the_line_out(self, library: Library) -> None:
        async with playing(library) as game:
            await game.press("w", "escape")
            assert game.match.result is None
            await game.moves("Re1")
            await game.press("w", "enter")
            assert game.match.result is not None and game.match.result.reason is End.SHOWN
            assert game.match.position.is_checkmate()
            shown = game.play.at  # 2, or more on a busy machine
            game.screen.show_step()
            assert game.play.at == shown + 1 >= 3
            await game.press("escape", "end")
            game.screen.show_step()
            assert game.play.at == len(game.match.plies)

    async def test_a_draw_is_offered_and_refused_or_accepted(self, library: Library) -> None:
        async with playing(library) as game:
            await game.press("D")
            assert "plays on" in game.said and game.match.offers == 1
        async with playing(library, "8/8/8/8/4k3/8/4P3/K7 b - - 0 1") as game:
            await game.press("D")
            assert "agrees" in game.said and game.match.result is not None

    async def test_a_draw_is_claimed(self, library: Library) -> None:
        async with playing(library, ROOK.replace("0 1", "99 80")) as game:
            await game.press("D", "escape")
            assert game.match.result is None and not game.match.offers
            await game.press("D", "enter")
            assert "you claim a draw" in game.said.lower() and game.match.result is not None
            assert game.match.result.reason is Draw.FIFTY
            assert game.match.verdict is not None and game.match.verdict.category is Category.WIN
            assert "You claimed" not in game.reason, "with the clock at 99 mate comes too late"

    async def test_a_draw_claimed_in_a_won_position_is_told(self, library: Library) -> None:
        async with playing(library, ROOK) as game:
            for san in 2 * ("Rh2", "Kd6", "Rh1", "Kd5"):
                game.match.play(game.match.position.parse_san(san))
            await game.press("D", "enter", "end")
            assert game.match.result is not None and game.match.result.reason is Draw.THREEFOLD
            assert game.reason.startswith("You claimed a draw in a won position: mate in")

    async def test_a_draw_claimed_by_a_lost_defender_is_told(self, library: Library) -> None:
        async with playing(library, ROOK) as game:
            for san in 2 * ("Rh2", "Kd6", "Rh1", "Kd5"):
                game.match.play(game.match.position.parse_san(san))
            await game.moves("Rh2")
            assert "the defender claims" in game.said.lower()
            await game.press("end")
            assert game.reason.startswith("The game was drawn in a won position: mate in")

    async def test_the_defender_claims(self, library: Library) -> None:
        async with playing(library, ROOK.replace("0 1", "99 80")) as game:
            await game.moves("Re1")
            assert "the defender claims" in game.said.lower()

    async def test_the_clock_runs_only_when_switched_on(
        self, library: Library, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with playing(library) as game:
            game.screen.tick()
            assert game.match.left is None
        async with playing(library, "8/8/8/3k4/8/8/8/1K5R b - - 0 1", white=False, clock=1) as game:
            game.screen.tick()
            facts = {fact.label: fact.value for part in game.screen.query_one(FactsPanel).view for fact in part.facts}
            assert facts["time"] in ("1:00", "0:59") and game.match.result is None
            monkeypatch.setattr(PlayScreen, "elapsed", 61.0)
            game.screen.tick()
            assert game.match.result is not None and game.match.result.reason is End.TIME

    async def test_new_asks_before_a_game_is_given_up(self, library: Library) -> None:
        async with playing(library) as game:
            await game.moves("Re1")
            await game.press("n", "escape")
            assert game.play.stage == "play"
            await game.press("n", "enter")
            assert game.play.stage == "setup" and game.play.position.fen() == ROOK


class Thinker:
    """Plays the first legal move at once."""

    name = "guesser"

    def __init__(self) -> None:
        self.asked = 0
        self.closed = False

    def warm(self) -> None: ...

    def think(
        self,
        game: Any,
        limits: Limits,
        on_estimate: Callable[[Estimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:
        self.asked += 1
        moves = sorted(game.moves(), key=chess.Move.uci)
        on_estimate(Estimate(3, 35, None, tuple(moves[:1]), 1234, 0.05, self.name))
        on_end(None)

    def cancel(self) -> None: ...

    def close(self) -> None:
        self.closed = True


class TestWithoutTables:
    @asynccontextmanager
    async def guessing(self, library: Library) -> AsyncIterator[tuple[Game, Thinker]]:
        async with playing(library, SIX, begin=False) as game:
            app = game.pilot.app
            assert isinstance(app, EndgameApp)
            app.session.thinker = thinker = Thinker()
            await game.press("enter")
            yield game, thinker

    async def test_replies_are_estimates(self, library: Library) -> None:
        async with self.guessing(library) as (game, thinker):
            assert thinker.asked == 0, "nobody asked"
            await game.moves("dxe5")
            assert len(game.match.plies) == 2 and thinker.asked == 1 and game.match.plies[0].grade is None
            facts = {fact.label: fact.value for part in game.screen.query_one(FactsPanel).view for fact in part.facts}
            assert facts["defence"] == "guesser"

    async def test_hints_and_the_estimate_are_marked_as_such(self, library: Library) -> None:
        async with self.guessing(library) as (game, thinker):
            await game.press("i")
            assert "estimate" in game.said and "Hint" in game.reason and game.match.hints == 1
            await game.press("i", "v")
            assert thinker.asked == 1, "what is shown is what the hint rests on"
            assert game.screen.query_one(VerdictRow).view.result == "estimate +0.35 · depth 3"

    async def test_show_me_shows_the_expected_line(self, library: Library) -> None:
        async with self.guessing(library) as (game, _):
            await game.press("w", "enter")
            assert game.match.result is not None and len(game.match.plies) == 1
            await game.press("end")
            assert "no move of yours" in game.reason

    async def test_the_thinker_is_closed_with_the_app(self, library: Library) -> None:
        async with self.guessing(library) as (_, thinker):
            pass
        assert thinker.closed


class TestJournal:
    async def test_games_are_attempts(self, library: Library) -> None:
        journal = Journal(None)
        async with playing(library, QUEEN, journal=journal) as game:
            await game.press("i")
            await game.moves("Qg8")
            await game.press("n", "enter", "n", "enter")
            (record,) = journal.attempts()
            assert (record.mode, record.theme, record.hints) == ("play", "KQvK", 1)
            assert record.outcome is not Outcome.OPEN and len(journal.moves(record.uuid)) == 1

    async def test_a_game_given_up_counts_nowhere(self, library: Library) -> None:
        journal = Journal(None)
        async with playing(library, journal=journal) as game:
            await game.moves("Re1")
            await game.press("n", "enter")
            assert [record.outcome for record in journal.attempts()] == [Outcome.LEFT]


async def test_resizing_keeps_the_game(library: Library) -> None:
    async with playing(library) as game:
        await game.moves("Re1")
        for size in ((120, 40), (40, 20), (20, 8), (200, 60), (80, 24)):
            await game.pilot.resize_terminal(*size)
            await game.press("v", "m", "escape", "f")
        assert len(game.sans) == 2


@pytest.mark.slow
async def test_our_own_search_replies(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENDGAME_TUI_ENGINE", "off")
    async with playing(library, SIX) as game:
        await game.moves("Kd2")
        while len(game.match.plies) < 2:
            await game.pilot.pause(0.05)
        assert game.match.your_turn
        await game.press("v")
        verdict = game.screen.query_one(VerdictRow)
        while "estimate" not in verdict.view.result:
            await game.pilot.pause(0.05)
        await game.press("w", "enter")
        while game.match.result is None:
            await game.pilot.pause(0.05)
        assert any(ply.shown for ply in game.match.plies)
        assert "estimate shows the rest" in game.said and "the table" not in game.said
        result = game.screen.query_one("#result", ResultRows).view.words
        assert result == "Shown, an estimate, after 1 move"
        while not game.match.plies[game.play.at - 1].shown:
            await game.press("right")
        last = game.play.at == len(game.match.plies)  # a line of one move: nothing is said of the end but what to do
        assert last or "is what the search plays, an estimate." in game.reason
        text = pgn.write(game_file.record_of(game.match))
        assert "shown, an estimate" in text and "shown by the table" not in text
        again = game_file.match_of(pgn.read(text), game.play.ruling).match
        assert [ply.shown for ply in again.plies] == [ply.shown for ply in game.match.plies]


async def test_a_position_typed_into_a_game_is_told_from_a_move(library: Library) -> None:
    async with playing(library) as game:
        await game.type_in(LOST)
        assert "that is a position" in game.said and game.match.plies == []


async def test_a_new_game_forgets_what_was_said(library: Library) -> None:
    async with playing(library) as game:
        await game.press("D")
        assert "nothing to claim" in game.said
        await game.press("n")
        assert game.play.stage == "setup" and not game.said
