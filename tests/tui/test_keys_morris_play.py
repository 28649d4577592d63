"""Playing Nine Men's Morris: every key of the Play screen, pressed as a user presses it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.events import Paste
from textual.pilot import Pilot

from endgame_core.errors import EndgameError
from endgame_core.estimate import Estimate, Limits
from endgame_core.judge import Judge
from endgame_core.morris.game import MORRIS
from endgame_core.morris.geometry import NUMBERS
from endgame_core.morris.rules import START, Move, Position
from endgame_core.practice.match import End, Match
from endgame_core.tables.explorer import Explorer
from endgame_core.tasks.game_file import Loaded
from endgame_core.tracked import Draw, Tracked
from endgame_tui.app import MorrisApp
from endgame_tui.playing import CLOCKS, DEFENCES
from endgame_tui.screens import game_review
from endgame_tui.screens.editor import EditorScreen
from endgame_tui.screens.game_review import PACE
from endgame_tui.screens.morris_explore import MorrisExploreScreen
from endgame_tui.screens.morris_play import MorrisPlayScreen
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.facts import FactsPanel, ResultRows
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel
from endgame_tui.widgets.takes import TakesPanel
from endgame_tui.widgets.words import LineRows, ReasonRow, VerdictRow

from .test_keys_explore import said, type_in
from .test_keys_morris import MILL

DRAWN = "OOXXOX2/4O3/X7 w"
"""4-4, drawn; no stone has been taken yet."""

ENDS = "OXO1O1XX/8/8 w"
"""3-3: White closes a mill and wins."""


class Thinker:
    """Knows one line at once: the first legal moves."""

    name = "search"

    def __init__(self) -> None:
        self.asked: list[Limits] = []
        self.cancelled = 0

    def warm(self) -> None:
        """Nothing to start."""

    def think(
        self, game: Tracked[Any, Any], limits: Limits, on_estimate: Callable[[Estimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:  # fmt: skip
        self.asked.append(limits)
        position, line = game.position, list[Move]()
        for _ in range(4):
            line.append(MORRIS.moves(position)[0])
            position = MORRIS.play(position, line[-1])
        on_estimate(Estimate(6, 34, None, tuple(line), 12_345, 0.2, self.name, 77))
        on_end(None)

    def cancel(self) -> None:
        self.cancelled += 1

    def close(self) -> None:
        """Nothing to end."""


class Game:
    """What the tests look at."""

    def __init__(self, pilot: Pilot[None], screen: MorrisPlayScreen) -> None:
        self.pilot, self.screen, self.play = pilot, screen, screen.play

    @property
    def match(self) -> Any:
        assert self.play.match is not None
        return self.play.match

    @property
    def said(self) -> str:
        return said(self.pilot)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type_in(self, text: str) -> None:
        await type_in(self.pilot, text)
        await self.pilot.pause()

    async def best(self) -> None:
        """Plays the best move."""
        await self.type_in(self.play.facts.moves[0].san)

    def words(self, name: str = "reason") -> str:
        view = self.screen.query_one(f"#{name}", ReasonRow).view
        return f"{view.heading} {view.sentence}".strip()

    def shown(self, *names: str) -> bool:
        regions = self.screen.regions(self.screen.size)
        return all(name in regions for name in names)


@pytest.fixture
def root(morris: Explorer[Position, Move], tmp_path: Path) -> Path:
    (tmp_path / "tables").symlink_to(morris.library.root / "tables")
    return tmp_path


@asynccontextmanager
async def opened(
    root: Path, text: str = MILL, keys: tuple[str, ...] = ("enter",), size: tuple[int, int] = (80, 24)
) -> AsyncIterator[Game]:
    """The Play screen with a position of Explore, begun unless it is not to be."""
    app = MorrisApp(text, root, ascii=False)
    vars(app.session)["morris_thinker"] = Thinker()
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        await pilot.press("3")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, MorrisPlayScreen)
        game = Game(pilot, screen)
        await game.press(*keys)
        yield game


def thinker(game: Game) -> Thinker:
    found: Any = game.screen.session.morris_thinker
    assert isinstance(found, Thinker)
    return found


class TestSetup:
    async def test_every_row_is_changed(self, root: Path) -> None:
        async with opened(root, keys=()) as game:
            play, before = game.play, game.play.defence
            assert play.white and play.start == MORRIS.parse(MILL)
            await game.press("right", "down", "right", "down", "right", "down", "right", "down", "right")
            assert play.start == START and not play.white and not play.hidden
            assert DEFENCES.index(play.defence) == (DEFENCES.index(before) + 1) % len(DEFENCES)
            await game.press("enter")
            assert game.match.control == CLOCKS[1][1] and game.match.start == START and game.match.you == "black"
            assert game.shown("board", "verdict", "score")

    async def test_a_position_an_ending_and_a_layer_are_typed(self, root: Path) -> None:
        async with opened(root, keys=()) as game:
            for text, depth in ((ENDS, 1), ("3-4 S13", 13), ("S25/2", 25)):
                await game.type_in(text)
                verdict = game.play.facts.verdict
                assert verdict is not None and verdict.depth == depth and game.play.stage == "setup", game.said
            await game.type_in("9-1")
            assert game.said and game.play.stage == "setup"
            await game.press("escape")
            await game.type_in("")
            assert "nothing was typed" in game.said.lower()

    async def test_random_flip_copy_and_the_mouse(self, root: Path) -> None:
        async with opened(root, "3-3", keys=()) as game:
            await game.type_in("S9")
            here, flipped = game.play.chosen, game.screen._flipped
            game.play.rng.seed(1)
            await game.press("r")
            found = game.play.facts.verdict
            assert game.play.chosen != here and found is not None and found.depth == 9
            await game.press("f", "c")
            assert game.screen._flipped != flipped
            assert game.pilot.app.clipboard == MORRIS.format(game.play.chosen)
            white = game.play.white
            await game.pilot.click(SetupPanel, offset=(3, 3))
            assert game.play.white != white

    async def test_the_board_is_set_up_by_hand(self, root: Path) -> None:
        async with opened(root, keys=()) as game:
            await game.press("E")
            assert isinstance(game.pilot.app.screen, EditorScreen)
            await game.press("t", "s", "3")
            assert game.pilot.app.screen is game.screen
            assert game.play.chosen == replace(MORRIS.parse(MILL), turn=1)

    async def test_a_game_that_is_over_does_not_begin(self, root: Path) -> None:
        async with opened(root, "XOXO1OX1/8/8 b", keys=("left_square_bracket",) * 2) as game:
            await game.type_in("1XOOO2X/8/8 b")
            await game.press("enter")
            assert game.play.stage == "setup" and "over" in game.said


class TestMoves:
    async def test_a_game_is_won_and_graded(self, root: Path) -> None:
        async with opened(root) as game:
            assert game.match.your_turn and MORRIS.parse(MILL) == game.match.start
            while game.match.result is None:
                before = len(game.match.plies)
                await game.best()
                assert len(game.match.plies) > before
            assert game.match.result.winner == game.match.you == "white"
            assert game.play.stage == "review" and not game.match.slips()
            assert game.words().startswith("Every move was the best there was.") and "perfect: 13" in _result(game)

    async def test_a_stone_is_picked_dropped_and_one_is_taken(self, root: Path) -> None:
        async with opened(root) as game:
            game.screen.point_at(NUMBERS["c4"])
            await game.press("enter")
            game.screen.choose(NUMBERS["e3"])
            await game.pilot.pause()
            assert game.screen.is_taking and game.shown("takes")
            rows = game.screen.query_one(TakesPanel).view.rows
            assert {row.name for row in rows} == {"×a1", "×c5", "×d6", "×f2"} and not any(row.layer for row in rows)
            await game.press("escape")
            assert not game.screen.is_taking and not game.shown("takes") and not game.match.plies
            await game.press("enter", "v")
            assert game.screen.query_one(TakesPanel).view.rows[0].name == "×d6"
            game.screen.query_one(TakesPanel).focus()
            await game.press("up", "up", "up", "up", "down", "up", "enter")
            assert game.match.plies[0].san == "c4-e3xd6"

    async def test_what_is_typed_may_ask_what_is_taken(self, root: Path) -> None:
        async with opened(root) as game:
            await game.type_in("a7-d7")
            assert "no stone of White's" in game.said and not game.match.plies
            await game.press("escape")
            await game.type_in("c4-e3")
            assert game.screen.is_taking
            await game.type_in("c4-e3xd6")
            assert game.match.plies[0].san == "c4-e3xd6"

    async def test_hint_take_back_and_the_facts(self, root: Path) -> None:
        async with opened(root) as game:
            await game.press("i")
            assert game.words() == "Hint move the stone on c4; i again names the move."
            await game.press("i")
            assert "c4-e3xd6, marked" in game.words() and game.match.hints == 2
            await game.press("enter")
            assert game.screen.is_taking and game.screen._point == NUMBERS["d6"]
            await game.press("enter")
            assert len(game.match.plies) == 2 and game.match.plies[0].hints == 2
            assert game.words("last").startswith("Last 1…")
            await game.press("u")
            assert not game.match.plies and game.match.takebacks == 1
            await game.press("u")
            assert "nothing to take back" in game.said
            panels = [*game.screen.query(FactsPanel)]
            facts = {fact.label: fact.value for panel in panels for part in panel.view for fact in part.facts}
            assert facts["no capture"] == "0/100" and facts["hints"] == "2" and facts["takebacks"] == "1"

    async def test_the_verdict_shows_moves_and_line(self, root: Path) -> None:
        async with opened(root) as game:
            assert game.shown("facts", "you", "last") and not game.shown("moves")
            assert game.screen.query_one(VerdictRow).view.result == "verdict hidden"
            await game.press("v")
            assert game.shown("moves", "line") and game.screen.query_one(VerdictRow).view.result == "wins in 25 plies"
            assert game.screen.query_one(LineRows).view.moves[0] == "c4-e3xd6"
            await game.press("m")
            assert isinstance(game.screen.focused, MovesPanel)
            await game.press("right", "left", "enter")
            assert game.match.plies[0].san == "c4-e3xd6"
            await game.press("m", "escape", "v")
            assert not game.shown("moves") and game.play.hidden

    async def test_a_draw_is_offered(self, root: Path) -> None:
        async with opened(root) as game:
            await game.press("D")
            assert game.said == "The defender plays on." and game.match.offers == 1

    async def test_new_asks_before_a_game_is_given_up(self, root: Path) -> None:
        async with opened(root) as game:
            await game.best()
            await game.press("n", "escape")
            assert game.play.stage == "play"
            await game.press("n", "enter")
            assert game.play.stage == "setup" and game.play.start == MORRIS.parse(MILL)
            await game.press("n")
            assert game.play.stage == "play"

    async def test_the_clock(self, root: Path) -> None:
        async with opened(root, keys=("down", "down", "down", "right", "enter")) as game:
            game.screen.tick()
            assert game.match.result is None and game.match.left == 60
            game.match.left = 0.0
            game.screen.tick()
            assert game.match.result.reason is End.TIME and game.match.result.winner == "black"

    async def test_keys_that_have_to_wait_say_so(self, root: Path) -> None:
        async with opened(root, keys=()) as game:
            for key in ("u", "i", "D", "w"):
                await game.press(key)
                assert game.said == "Enter begins the game first."
            await game.press("e")
            assert "after the game" in game.said
            await game.press("o")
            assert "no game to save" in game.said
            await game.press("enter", "r")
            assert "once the game is over" in game.said
            await game.press("e")
            assert "after the game" in game.said


class TestNoTable:
    async def test_the_search_replies_hints_and_shows(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(game_review, "PACE", 3600.0)
        async with opened(root, keys=("right", "enter")) as game:
            match = game.match
            await game.press("enter")
            assert [ply.after.hands for ply in match.plies] == [(8, 9), (8, 8)] and match.verdict is None
            await game.press("i")
            assert match.given.step == 1 and " ring; i again names the move." in game.words()
            await game.press("i")
            assert match.given.step == 2 and "An estimate." in game.words()
            await game.press("v")
            assert game.screen.query_one(VerdictRow).view.result == "estimate +0.34 · depth 6"
            assert "an estimate, not a verdict" in game.screen.query_one(MovesPanel).view.notice
            assert len(game.screen.query_one(LineRows).view.moves) == 4
            await game.press("enter", "u")
            assert len(match.plies) == 2 and thinker(game).asked
            await game.press("w", "enter")
            assert match.result.reason is End.SHOWN and all(ply.shown for ply in match.plies[2:])
            assert game.play.at == 2 and "search plays" in game.words()

    async def test_the_cursor_stays_on_an_empty_point_while_stones_are_placed(self, root: Path) -> None:
        async with opened(root, keys=("right", "enter", "enter")) as game:
            position = game.play.position
            assert not (position.white | position.black) >> game.screen._point & 1


class TestEnds:
    async def test_a_draw_by_repetition(self, root: Path) -> None:
        async with opened(root, DRAWN) as game:
            match = game.match
            moves = MORRIS.moves(match.position)
            there = next(move for move in moves if not move.taken and move.source is not None)
            back = Move(there.end, there.source or 0)
            other = next(m for m in MORRIS.moves(MORRIS.play(match.position, there)) if not m.taken)
            home = Move(other.end, other.source or 0)
            for _ in range(2):
                for move in (there, other, back, home):
                    match.play(move)
            game.screen.go_on()
            await game.pilot.pause()
            assert match.result.reason is Draw.THREEFOLD and game.said == "Drawn by threefold repetition."
            assert _result(game).startswith("Drawn: repetition")

    async def test_the_loser_is_told(self, root: Path) -> None:
        async with opened(root, ENDS) as game:
            await game.best()
            assert game.match.result.winner == "white" and game.said == "White wins by leaving two stones."


class TestReview:
    @asynccontextmanager
    async def reviewing(self, root: Path) -> AsyncIterator[Game]:
        """A game with one error, then given up."""
        async with opened(root) as game:
            await game.type_in("c4-e3xa1")
            await game.press("w", "escape")
            assert game.play.stage == "play"
            await game.press("w", "enter")
            assert game.play.stage == "review" and game.match.result.reason is End.SHOWN
            yield game

    async def test_the_line_is_played_out(self, root: Path) -> None:
        async with self.reviewing(root) as game:
            at = game.play.at
            game.screen.show_step()
            assert game.play.at == at + 1 and PACE > 0 and game.screen._showing is not None
            await game.press("escape")
            assert game.screen._showing is None
            game.play.at = len(game.match.plies)
            game.screen.show_step()
            assert game.play.at == len(game.match.plies)

    async def test_stepping_errors_and_what_a_move_was_worth(self, root: Path) -> None:
        async with self.reviewing(root) as game:
            await game.press("end")
            assert game.play.looked_at is None and "1 move was not the best" in game.words()
            await game.press("e")
            assert game.play.at == 0
            assert game.words() == "1.c4-e3xa1 loses: S25 becomes S3 for Black. Best: c4-e3xd6."
            await game.press("right")
            assert game.play.at == 1
            await game.press("left", "down", "up", "home")
            assert game.play.at == 0 and game.shown("result", "score", "chart")
            await game.press("v")
            assert "nothing is hidden" in game.said
            await game.press("enter")
            assert game.play.stage == "review"
            row = game.screen.regions(game.screen.size)["score"]
            await game.pilot.click(ScorePanel, offset=(row.width // 2, 1))
            assert game.play.at == 1

    async def test_retry_and_new(self, root: Path) -> None:
        async with self.reviewing(root) as game:
            await game.press("e", "r")
            assert game.play.stage == "play" and game.match.start == MORRIS.parse(MILL) and not game.match.plies
            await game.best()
            assert len(game.match.plies) == 2

    async def test_a_flawless_game_has_no_error(self, root: Path) -> None:
        async with opened(root, ENDS) as game:
            await game.best()
            await game.press("e")
            assert game.said == "There is no error in this game."
            await game.press("u")
            assert "game is over" in game.said
            await game.press("n")
            assert game.play.stage == "setup"


class TestElsewhere:
    async def test_a_game_is_saved_and_opened(self, root: Path) -> None:
        async with opened(root) as game:
            await game.press("i")
            await game.type_in("c4-e3xa1")
            plies = [(ply.move, ply.grade, ply.hints) for ply in game.match.plies]
            await game.press("o", "enter")
            assert game.said.startswith("Saved as 3-4-")
            path = next((root / "games").glob("3-4-*.pgn"))
            await game.press("n", "enter")
            await game.press("O")
            await _fill(game, str(path))
            assert game.play.stage == "play" and game.match.you == "white" and game.match.hints == 1
            assert [(ply.move, ply.grade, ply.hints) for ply in game.match.plies] == plies
            await game.press("O", "enter")
            await _fill(game, str(root / "nothing.pgn"))
            assert "cannot be read" in game.said

    async def test_a_game_of_chess_is_refused(self, root: Path, tmp_path: Path) -> None:
        (tmp_path / "chess.pgn").write_text("1. Nf3 e5 *\n")
        (tmp_path / "twelve.pgn").write_text('[Variant "Morabaraba"]\n\n1. d6 f4 *\n')
        async with opened(root, keys=("O",)) as game:
            await _fill(game, str(tmp_path / "chess.pgn"))
            assert game.said == "1. Nf3 is no legal move." and game.play.stage == "setup"
            await _fill(game, str(tmp_path / "twelve.pgn"))
            assert game.said.startswith("It is a game of Morabaraba") and game.play.stage == "setup"

    async def test_positions_are_sent_both_ways(self, root: Path) -> None:
        async with opened(root) as game:
            await game.best()
            here = game.play.position
            await game.press("s", "1")
            explore = game.pilot.app.screen
            assert isinstance(explore, MorrisExploreScreen) and explore.walk.position == here
            await game.press("u", "s", "3")
            assert game.pilot.app.screen is game.screen and game.play.stage == "play"
            await game.press("enter")  # give it up
            assert game.play.stage == "setup" and game.play.chosen == explore.walk.position

    async def test_before_a_game_what_explore_shows_is_set_up(self, root: Path) -> None:
        async with opened(root, keys=("1", "full_stop", "3")) as game:
            assert game.play.chosen == MORRIS.play(
                MORRIS.parse(MILL), MORRIS.parse_move(MORRIS.parse(MILL), "c4-e3xd6")
            )
            await game.type_in(ENDS)
            await game.press("2", "3")
            assert game.play.chosen == MORRIS.parse(ENDS)

    async def test_a_position_is_added_to_the_studies(self, root: Path) -> None:
        async with opened(root) as game:
            await game.press("plus", "enter")
            await game.pilot.app.workers.wait_for_complete()
            await game.pilot.pause()
            assert "added to" in game.said.lower()

    async def test_a_small_screen_folds_the_moves(self, root: Path) -> None:
        async with opened(root, size=(40, 20)) as game:
            assert game.shown("board", "score", "reason") and not game.shown("facts")
            await game.press("m")
            assert not game.shown("board") and game.shown("score")
            await game.press("escape")
            assert game.shown("board")
            await game.press("v", "m")
            assert game.shown("moves") and isinstance(game.screen.focused, MovesPanel)
            await game.press("enter")
            assert len(game.match.plies) == 2


async def _fill(game: Game, text: str) -> None:
    """Types another text into the prompt that is open."""
    assert game.pilot.app.focused is not None
    await game.press("ctrl+u")
    game.pilot.app.focused.post_message(Paste(text))
    await game.press("enter")


def _result(game: Game) -> str:
    view = game.screen.query_one(ResultRows).view
    return f"{view.words} {view.right}"


@pytest.mark.parametrize("ending", ["time", "draw", "show me"])
async def test_a_game_that_ends_while_a_stone_is_to_be_taken_shows_its_position(root: Path, ending: str) -> None:
    async with opened(root, DRAWN if ending == "draw" else MILL) as game:
        play, screen, match = game.play, game.screen, game.match
        move = next(move for move in screen.turn.moves if move.taken) if ending != "draw" else screen.turn.moves[0]
        assert move.source is not None
        screen.choose(move.source)
        if ending != "draw":
            screen.choose(move.end)
            assert screen.is_taking
        if ending == "time":
            match.left = 0.0
            screen.tick()
        elif ending == "draw":
            await game.press("D")
        else:
            await game.press("w", "enter", "end")
        await game.pilot.pause()
        assert play.stage == "review" and play.looked_at is None
        board = screen.query_one(Board).view
        assert (board.stones, board.picked, board.takeable) == ((play.position.white, play.position.black), None, 0)


class Slow(Thinker):
    """Has found nothing until it is told to come to an end."""

    def think(
        self, game: Tracked[Any, Any], limits: Limits, on_estimate: Callable[[Estimate[Any]], None],
        on_end: Callable[[EndgameError | None], None],
    ) -> None:  # fmt: skip
        self.asked.append(limits)
        self.end = lambda: Thinker.think(self, game, limits, on_estimate, on_end)


async def test_showing_the_verdict_does_not_lose_the_hint_that_is_being_thought_about(root: Path) -> None:
    async with opened(root, keys=()) as game:
        game.play.empty = True
        slow = vars(game.screen.session)["morris_thinker"] = Slow()
        await game.press("enter", "i")
        assert game.match.given is None and len(slow.asked) == 1
        await game.press("v")
        slow.end()
        await game.pilot.pause()
        assert game.match.given is not None and game.words().startswith("Hint")


async def test_a_hint_is_the_move_of_the_thought_that_is_shown(root: Path) -> None:
    async with opened(root, keys=("right", "enter", "v")) as game:
        asked = len(thinker(game).asked)
        shown = game.screen.query_one(MovesPanel).view.notice[0]
        await game.press("i", "i")
        assert shown.startswith(MORRIS.san(game.match.position, game.match.given.move))
        assert len(thinker(game).asked) == asked, "nothing is thought anew"
        await game.press("v", "v")
        assert len(thinker(game).asked) == asked and game.screen.query_one(MovesPanel).view.notice[0] == shown


async def test_a_new_game_begins_where_explore_is_unless_it_stayed(root: Path) -> None:
    async with opened(root, keys=("right", "enter")) as game:
        for explored in (MILL, DRAWN):
            assert game.play.empty and game.play.start == START
            game.match.flag()
            game.screen.finish()
            game.screen.session.stones = MORRIS.parse(explored)
            await game.press("n", *(["enter"] if explored == MILL else []))
        assert not game.play.empty and game.play.start == MORRIS.parse(DRAWN)


async def test_a_game_that_was_over_before_it_began_is_not_tried_again(root: Path) -> None:
    async with opened(root, keys=()) as game:
        over = MORRIS.play(MORRIS.parse(ENDS), next(move for move in MORRIS.moves(MORRIS.parse(ENDS)) if move.taken))
        match = Match(Judge(game.play.explorer), over, "white")
        assert match.result is not None
        game.screen.open_game(Loaded(match, {}))
        await game.press("r")
        assert game.play.stage == "review" and "over before it began" in game.said
