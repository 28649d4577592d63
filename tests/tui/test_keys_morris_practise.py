"""Practising, drilling and looking back at Nine Men's Morris with the keys alone."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core import paths
from endgame_core.morris.game import MORRIS
from endgame_core.morris.notation import spell
from endgame_core.morris.rules import Move, Position
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Card, Outcome
from endgame_core.practice.studies import MY_POSITIONS, Studies
from endgame_core.practice.theme import Mode
from endgame_core.tables.explorer import Explorer
from endgame_core.words.told import Note, Word, fitted
from endgame_tui.screens.attempts import AttemptsScreen
from endgame_tui.screens.help import sections
from endgame_tui.screens.morris_explore import MorrisExploreScreen
from endgame_tui.screens.morris_practise import MorrisPractiseScreen
from endgame_tui.screens.morris_progress import MorrisProgressScreen, MorrisReplayScreen
from endgame_tui.screens.practise import PractiseScreen
from endgame_tui.screens.progress import ProgressScreen
from endgame_tui.widgets.about import About
from endgame_tui.widgets.board import Board
from endgame_tui.widgets.courses import CourseList
from endgame_tui.widgets.drill_setup import DrillSetup
from endgame_tui.widgets.frame import TopBar
from endgame_tui.widgets.notes import Notes
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.window import WindowPanel

from .drilling import answer, chooser_of, data_dir, drill_of, make, practising, said, settle, start, type_in
from .practised import DAY, NOW

pytestmark = pytest.mark.slow
"""The same screens as those of chess, which the fast suite presses."""

WON = "OO1O4/X6X/X7 w"
WINS = "Three against three"


@pytest.fixture
def root(tmp_path: Path, morris: Explorer[Position, Move]) -> Path:
    return data_dir(tmp_path, morris.library.root / "tables")


@asynccontextmanager
async def opened(root: Path, size: tuple[int, int] = (80, 24), seed: int = 7) -> AsyncIterator[Pilot[None]]:
    async with practising(root, size, seed, "3-4") as pilot:
        assert isinstance(pilot.app.screen, MorrisPractiseScreen)
        yield pilot


def words(pilot: Pilot[None], name: str) -> str:
    view = pilot.app.screen.query_one(f"#{name}", Notes).view
    return "\n".join("".join(word.text for word in (*note.left, *note.right)) for note in view)


def kept(root: Path) -> Journal:
    return Journal(paths.journal_file(root))


async def walk_to(pilot: Pilot[None], point: int) -> None:
    """Moves the cursor by its keys to a point; the mouse is for those that no line reaches."""
    screen = drill_of(pilot)
    board = screen.query_one(Board)
    for _ in range(30):
        if screen._point == point:
            return
        ways = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}

        def distance(key: str) -> int:
            found = board.view.towards(screen._point, *ways[key])  # noqa: B023
            (x, y), (u, v) = board.view.place(found), board.view.place(point)
            return abs(x - u) + abs(y - v) + 99 * (found == screen._point)

        await pilot.press(min(ways, key=distance) if random.random() < 0.8 else random.choice(list(ways)))
    screen.point_at(point)


# Practise


async def test_the_sets_of_the_game_and_the_other_game(root: Path) -> None:
    async with opened(root) as pilot:
        names = [row.name for row in pilot.app.screen.query_one(CourseList).view.rows]
        assert {WINS, "Three against four", "Longest wins", MY_POSITIONS, "3-4", "4-3"} <= set(names)
        assert pilot.app.screen.query_one(TopBar).crumbs == ("Nine Men’s Morris", "Choose a drill")
        await pilot.press("G")
        await settle(pilot)
        assert type(pilot.app.screen) is PractiseScreen
        await pilot.press("G")
        await settle(pilot)
        assert isinstance(pilot.app.screen, MorrisPractiseScreen)


async def test_modes_results_and_layers_are_those_of_stones(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, "3-4", "slash")
        chooser = chooser_of(pilot)
        assert chooser.entry.theme is not None and chooser.entry.theme.key == "3-4 mate mover 9-19"
        panel, window = pilot.app.screen.query_one(DrillSetup), pilot.app.screen.query_one(WindowPanel)
        assert panel.view.rows[0].options[0] == "win it" and window.view.right == "you to move"
        assert chooser.results(Mode.MATE) == ("mover",)
        assert window.view.names[window.view.low] == "S9" and all(int(name[1:]) % 2 for name in window.view.names)
        await pilot.press("greater_than_sign")
        assert chooser.wish.high == 21
        await pilot.press("less_than_sign")
        assert chooser.wish.high == 19
        await pilot.press("right", "right")
        assert chooser.wish.mode is Mode.CALL
        await pilot.press("right", "right")
        assert chooser.wish.mode is Mode.STREAK and not window.view.counts
        await type_in(pilot, "4-3", "slash")
        assert chooser.wish.mode is Mode.HOLD and chooser.results(Mode.HOLD) == (None, "opponent")
        await pilot.press("tab", "down", "right")
        assert chooser.wish.winner == "opponent" and panel.right == "last"
        assert all(int(name[1:]) % 2 == 0 for name in window.view.names)


@pytest.mark.slow
async def test_the_usual_defence_and_the_choices(root: Path) -> None:
    async with opened(root) as pilot:
        chooser = chooser_of(pilot)
        assert chooser.defence == "varied"
        await pilot.press("tab", "down", "right")
        assert chooser.defence == "tricky"
        await pilot.press("down", "right")
        assert not chooser.colours
        await pilot.press("escape")
        assert pilot.app.screen.query_one(CourseList).has_focus


@pytest.mark.parametrize(
    ("typed", "key"), [("longest", "set Longest wins"), ("4-5", "4-5 hold"), ("9-9", "9-9 mate mover")]
)
async def test_find(root: Path, typed: str, key: str) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, typed, "slash")
        assert chooser_of(pilot).entry.key == key
        await pilot.press("slash", "z", "z", "enter")
        assert "type a set, or 3-4" in said(pilot)


@pytest.mark.slow
async def test_another_start_and_explore(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, "3-4", "slash")
        await pilot.press("n")
        assert "White " in said(pilot) and "won." in said(pilot)
        sample = chooser_of(pilot).sample()
        await pilot.press("s")
        await settle(pilot)
        screen = pilot.app.screen
        assert isinstance(screen, MorrisExploreScreen) and screen.walk.position == sample.position
        await pilot.press("4")
        await settle(pilot)
        assert isinstance(pilot.app.screen, MorrisPractiseScreen)


@pytest.mark.slow
async def test_a_start_is_drawn_where_there_is_room(root: Path) -> None:
    async with opened(root, (120, 40)) as pilot:
        await type_in(pilot, "3-4", "slash")
        board, sample = pilot.app.screen.query_one(Board), chooser_of(pilot).sample()
        assert board.view.stones == (sample.position.white, sample.position.black) and "won" in words(pilot, "start")
        await pilot.press("n")
        assert board.view.stones != (sample.position.white, sample.position.black)


@pytest.mark.slow
async def test_own_positions_are_added_drilled_and_deleted(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("OXOOXX2/8/8 w ; White plays a7\nnonsense\n")
    async with opened(root) as pilot:
        await type_in(pilot, WON, "plus")
        assert chooser_of(pilot).entry.title == "3-3, White to move"
        await type_in(pilot, "KQvK", "plus")
        assert "position" in said(pilot)
        await pilot.press("escape")
        await type_in(pilot, str(file), "plus")
        assert "1 position added" in said(pilot) and "Left out: 1" in words(pilot, "facts")
        own = Studies(MORRIS, paths.studies_dir(root)).own()
        assert [study.position for study in own[0].studies] == [WON, "OXOOXX2/8/8 w"]
        await pilot.press("down", "down", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.item.study is not None
        while screen.stage == "drill":
            await make(pilot)
        assert screen.stage == "over" and screen.done.solved and " plays " in words(pilot, "comment")
        await pilot.press("enter", "enter")
        await settle(pilot)
        await pilot.press("d", "y")
        assert "deleted" in said(pilot)


async def test_what_is_not_built_is_offered_with_its_price(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, "seven", "slash")
        await pilot.press("b")
        assert pilot.app.screen.query_one(Question).has_focus
        text = pilot.app.screen.query_one(Question)._text
        assert "7-4" in text and "B" in text and "s" in text
        await pilot.press("escape", "enter")
        assert pilot.app.screen.query_one(Question).has_focus
        await pilot.press("escape")


# Drill


async def test_a_drill_is_won_and_graded(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        assert screen.stage == "drill" and "win in" in words(pilot, "facts") and "Win it" in words(pilot, "title")
        drill = screen.sitting.drill
        assert drill.match.limited is False and drill.match.defence == "varied"
        while screen.stage == "drill":
            await make(pilot)
        assert screen.done.solved and "nothing lost" in words(pilot, "comment") and "next" in words(pilot, "facts")
        record = kept(root).attempts()[0]
        assert record.outcome is Outcome.SOLVED and (record.game, record.ending) == ("morris", "3-4")
        assert all(made.grade == "best" for made in kept(root).moves(record.uuid) if made.own)
        await pilot.press("left", "left")
        assert screen.at_hand == drill.match.plies[-3].after
        await pilot.press("home", "end", "right")
        assert screen.at_hand == drill.match.position
        await pilot.press("enter")
        await settle(pilot)
        assert screen.sitting.number == 2 and screen.stage == "drill"


async def test_a_move_is_picked_and_dropped_and_takes_by_keys(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, WON, "plus")
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        moves = screen.turn.moves
        taking = next(
            move for move in moves if sum((move.source, move.end) == (other.source, other.end) for other in moves) > 1
        )
        for point in (taking.source, taking.end):
            await walk_to(pilot, point)
            await pilot.press("enter")
        assert screen.is_taking and "take" in said(pilot)
        await pilot.press("escape")
        assert not screen.is_taking and screen._chosen.source == taking.source
        await pilot.press("enter")
        await walk_to(pilot, taking.taken[0])
        await pilot.press("enter")
        await settle(pilot)
        assert screen.sitting.drill.match.plies[0].move == taking


@pytest.mark.slow
async def test_typed_moves_good_and_bad(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, WON, "plus")
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        before = screen.at_hand
        await type_in(pilot, "nonsense")
        assert screen.at_hand == before and "read" in said(pilot)
        await pilot.press("escape")
        await type_in(pilot, "")
        assert "d6-d7" in said(pilot)
        await pilot.press("escape")
        taking = next(move for move in screen.turn.moves if move.taken)
        await type_in(pilot, spell(Move(taking.source, taking.end)))
        assert screen.is_taking and screen.at_hand == before
        await pilot.press("escape", "escape")
        await type_in(pilot, spell(taking))
        await settle(pilot)
        assert screen.sitting.drill.match.plies[0].move == taking


async def test_a_hint_in_two_steps_counts(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        await pilot.press("i")
        assert "move the stone on" in words(pilot, "comment")
        await pilot.press("i")
        hint = screen.sitting.drill.match.given
        assert spell(hint.move) in words(pilot, "comment") and screen._point == hint.move.end
        await pilot.press("enter")
        if screen.is_taking:
            assert screen._point in hint.move.taken
            await pilot.press("enter")
        await settle(pilot)
        assert screen.sitting.drill.match.plies[0].move.end == hint.move.end
        while screen.stage == "drill":
            await make(pilot)
        assert not screen.done.solved and "2 hints" in words(pilot, "comment")


@pytest.mark.slow
async def test_taking_back_and_trying_again(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        before = screen.at_hand
        await make(pilot)
        await pilot.press("u")
        await settle(pilot)
        assert screen.at_hand == before and kept(root).attempts()[0].takebacks == 1
        while screen.stage == "drill":
            moves = screen.sitting.explorer.moves(screen.at_hand)
            spoils = [move for move in moves if move.grade in ("draw", "loss")]
            screen.move_made((spoils or moves)[0].move)
            await settle(pilot)
        assert not screen.done.solved and "win is gone" in words(pilot, "comment")
        await pilot.press("u")
        await settle(pilot)
        assert screen.stage == "drill" and "You try again" in words(pilot, "comment")
        await pilot.press("n")
        await settle(pilot)
        assert screen.sitting.number == 2


@pytest.mark.slow
async def test_show_me_again_and_leave(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        await pilot.press("w", "enter")
        await settle(pilot)
        assert screen.stage == "over" and MORRIS.terminal(screen.sitting.drill.match.position) is not None
        await pilot.press("r")
        await settle(pilot)
        assert screen.stage == "drill" and screen.sitting.number == 2
        await make(pilot)
        await pilot.press("escape", "enter")
        await settle(pilot)
        assert screen.stage == "summary" and "2 drills, 0 solved" in words(pilot, "summary")
        await pilot.press("enter")
        await settle(pilot)
        assert isinstance(pilot.app.screen, MorrisPractiseScreen)


@pytest.mark.slow
async def test_flip_copy_send_and_add(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        flipped = screen.board.view.flipped
        await pilot.press("f")
        assert screen.board.view.flipped is not flipped
        await pilot.press("c")
        assert MORRIS.format(screen.at_hand) in said(pilot)
        await pilot.press("s")
        assert "finish this one first" in said(pilot).lower()
        await pilot.press("plus", "enter")
        await settle(pilot)
        assert Studies(MORRIS, paths.studies_dir(root)).own()[0].studies[0].position == MORRIS.format(screen.at_hand)
        await pilot.press("w", "enter")
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        explore = pilot.app.screen
        assert isinstance(explore, MorrisExploreScreen) and explore.walk.position == screen.at_hand


@pytest.mark.parametrize("right", [pytest.param(True, marks=pytest.mark.slow), False])
async def test_a_question(root: Path, right: bool) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, "3-4", "slash")
        await pilot.press("right", "right", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.stage == "question" and "wins" in words(pilot, "asked")
        await answer(pilot, right)
        assert screen.stage == "over" and screen.done.solved is right
        depth = screen.sitting.question.start.perfect
        assert depth is None or f"S{depth}, " in words(pilot, "comment")


@pytest.mark.slow
async def test_an_only_move_and_holding(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, "3-4", "slash")
        await pilot.press("right", "right", "right", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.task.theme.mode is Mode.ONLY and "one move keeps it" in words(pilot, "facts")
        await make(pilot)
        assert screen.done.solved
        await pilot.press("escape", "escape")
        await settle(pilot)
        screen = await start(pilot, "4-3")
        assert screen.sitting.task.theme.key == "4-3 hold" and "Held" in words(pilot, "facts")
        while screen.stage == "drill":
            await make(pilot)
        assert screen.done.solved


@pytest.mark.slow
async def test_a_streak_and_its_own_rating(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, "3-3", "slash")
        await pilot.press("left", "enter")
        await settle(pilot)
        screen = drill_of(pilot)
        for _ in range(2):
            await (answer(pilot) if screen.stage == "question" else make(pilot))
            await settle(pilot)
        assert screen.sitting.streak is not None and screen.sitting.streak.count == 2
        await (answer(pilot, False) if screen.stage == "question" else make(pilot, worst=True))
        await pilot.press("enter")
        await settle(pilot)
        assert screen.stage == "summary" and "2 in a row" in words(pilot, "summary")
        journal = kept(root)
        assert journal.rating("you morris") is not None and journal.rating("you") is None


async def test_what_is_due_is_drilled_and_the_other_game_is_told(root: Path) -> None:
    journal = kept(root)
    for theme, ending in (("3-4 call", "3-4"), ("3-3 call", "3-3"), ("KRvK call", "KRvK")):
        journal.keep_card(Card(theme=theme, ending=ending, label="call it", due=NOW - DAY))
    journal.close()
    async with opened(root) as pilot:
        assert "2 due today" in words(pilot, "header") and "1 in chess: G" in words(pilot, "header")
        assert chooser_of(pilot).entry.key == "due"
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        assert screen.sitting.total == 2
        for _ in range(2):
            await answer(pilot)
            await pilot.press("enter")
            await settle(pilot)
        assert screen.stage == "summary"
        await pilot.press("5")
        await settle(pilot)
        assert isinstance(pilot.app.screen, MorrisProgressScreen)


# Progress


async def test_progress_attempts_and_replay(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        while screen.stage == "drill":
            await make(pilot)
        await pilot.press("5")
        await settle(pilot)
        progress = pilot.app.screen
        assert isinstance(progress, MorrisProgressScreen)
        assert "1 of 1 solved" in " ".join(progress.query_one(About).view.lines)
        await pilot.press("r")
        await settle(pilot)
        assert isinstance(pilot.app.screen, AttemptsScreen)
        await pilot.press("enter")
        await settle(pilot)
        replay = pilot.app.screen
        assert isinstance(replay, MorrisReplayScreen)
        board = replay.query_one(Board)
        first = board.view.stones
        await pilot.press("right", "right")
        assert board.view.stones != first
        await pilot.press("f")
        assert replay._flipped == board.view.flipped
        await pilot.press("e")
        assert "nothing was lost" in said(pilot).lower()
        await pilot.press("plus", "enter")
        await settle(pilot)
        assert Studies(MORRIS, paths.studies_dir(root)).own()
        await pilot.press("home", "s")
        await settle(pilot)
        explore = pilot.app.screen
        assert isinstance(explore, MorrisExploreScreen)
        assert (explore.walk.position.white, explore.walk.position.black) == first
        await pilot.press("5", "G")
        await settle(pilot)
        assert type(pilot.app.screen) is ProgressScreen and "Progress" in pilot.app.screen.query_one(TopBar).crumbs


@pytest.mark.slow
async def test_enter_on_progress_drills_the_theme(root: Path) -> None:
    async with opened(root) as pilot:
        screen = await start(pilot, "3-4")
        await make(pilot, worst=True)
        await pilot.press("escape", "enter", "enter")
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        assert drill_of(pilot) is not screen and drill_of(pilot).sitting.task.theme.ending == "3-4"


# Everywhere


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 20), (60, 16), (100, 30), (200, 60)], ids=str)
async def test_at_every_size(root: Path, size: tuple[int, int]) -> None:
    async with opened(root, size) as pilot:
        screen = await start(pilot, "3-4")
        await make(pilot)
        board = screen.query_one(Board)
        assert board.region.width >= board.scale.columns and screen.size == size
        comment = screen.query_one("#comment", Notes)
        assert len(comment.view) <= max(comment.size.height, 2)
        await pilot.press("f1")
        await settle(pilot)


def test_the_help_tells_the_keys() -> None:
    told = dict(sections())
    assert ("i", "Hint: first man, then move") in told["Drill"] and ("G", "Chess or Nine Men's Morris") in told[
        "Everywhere"
    ]


def test_long_notes_are_broken_where_there_is_room() -> None:
    notes = (Note((Word("one ", bold=True), Word("two three four"))), Note((Word("five"),)))
    found = fitted(notes, 8, 4)
    assert ["".join(word.text for word in note.left).strip() for note in found] == ["one two", "three", "four", "five"]
    tight = fitted(notes, 8, 2)
    assert ["".join(word.text for word in note.left) for note in tight] == ["one two three four", "five"]


async def test_giving_up_while_a_stone_is_to_be_taken_leaves_nothing_chosen(root: Path) -> None:
    async with opened(root) as pilot:
        await type_in(pilot, WON, "plus")
        await pilot.press("enter")
        await settle(pilot)
        screen = drill_of(pilot)
        taking = next(move for move in screen.turn.moves if move.taken)
        screen.choose(taking.source)
        screen.choose(taking.end)
        assert screen.is_taking
        await pilot.press("w", "enter")
        await settle(pilot)
        assert screen.stage == "over"
        for key in ("home", "end"):
            await pilot.press(key)
            here, board = screen.at_hand, screen.board.view
            assert (board.stones, board.picked, board.takeable) == ((here.white, here.black), None, 0)
