"""A collection of games, opened from Play."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.events import Paste

from endgame_core.app_context import AppContext
from endgame_core.pgn import AnnotatedMove, GameText, write
from endgame_core.practice.match import Result, Termination
from endgame_core.practice.studies import MY_GAMES
from endgame_core.values import Kind
from endgame_core.words import games as words
from tests.conftest import fast

from .playing import Game, playing
from .terminal_text import rows, settle, within

STALEMATE = "7k/8/8/6K1/8/8/5Q2/8 w - - 0 60"
ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
PAWNS = "8/8/4k3/8/8/4K3/1P3PP1/8 w - - 0 1"


def one(moves: str, fen: str = STALEMATE, **headers: str) -> str:
    told = {"Event": "Cup", "White": "Ann", "Black": "Ben", "Date": "2026.03.01", "Result": "1/2-1/2", **headers}
    return (
        "".join(f'[{name} "{value}"]\n' for name, value in {**told, "FEN": fen}.items())
        + f"\n{moves} {told['Result']}\n\n"
    )


MINE = (
    one(
        "60. Qf6+ $1 Kg8 (60... Kh7 {also}) 61. Qf7+ {[%clk 0:00:10] oops} Kh8 62. Qg8+", White="Zoe", Date="2025.01.01"
    )
    + one("60. Qf7 {oops}")
    + one("1. Re1 Kd6", ROOK, White="Eve", Black="Ann", Date="2026.05.01")
    + one("1. f4 Kd5", PAWNS, White="Ann", Black="Dan")
    + one("60. Qf5 Kg8 61. Qxf9", White="Ann", Black="Lou", Event="Broken")
)


@asynccontextmanager
async def listing(
    root: Path, written: str = MINE, name: str = "", size: tuple[int, int] = (80, 24), keys: tuple[str, ...] = ()
) -> AsyncIterator[Game]:
    """The games of a file, read to the end; a name is typed where one is asked for, else Escape is pressed."""
    file = root.parent / "mine.pgn"
    file.write_text(written)
    async with playing(root, keys=(), size=size) as game:
        await game.type_in(str(file), "O")
        await read(game)
        if "Your name" in rows(game.pilot)[-1]:
            await (answer(game, name) if name else game.press("escape"))
        await read(game)
        await game.press(*keys)
        yield game


async def read(game: Game) -> None:
    await settle(game.pilot)


async def answer(game: Game, words: str) -> None:
    """Types into the prompt that is open, in place of what stands there."""
    await game.press("ctrl+u")
    assert game.app.focused is not None
    game.app.focused.post_message(Paste(words))
    await game.press("enter")


def listed(game: Game) -> list[str]:
    """The games in the list, their blanks joined."""
    return [" ".join(row.lstrip("▸").split()) for row in within(game.pilot, "#games")[1:] if row.strip()]


class TestList:
    @pytest.mark.slow
    async def test_games_are_listed_with_the_cost_of_their_errors(self, play_root: Path) -> None:
        async with listing(play_root, name="ann") as game:
            assert listed(game) == [
                "2026.03.01 Ann – Ben 1/2 KQvK −0.5 point",
                "2026.03.01 Ann – Lou 1/2 KQvK unreadable",
                "2025.01.01 Zoe – Ben 1/2 KQvK",
                "2026.05.01 Eve – Ann 1/2 KRvK",
                "2026.03.01 Ann – Dan 1/2 KPPPvK",
            ]
            assert "Game 5 of mine.pgn: 61. Qxf9" in game.said and MY_GAMES in game.said
            assert "60.Qf7 " in game.words("about") and "(S5)" in game.words("about")

    @pytest.mark.slow
    async def test_games_can_be_searched_and_sorted(self, play_root: Path) -> None:
        async with listing(play_root) as game:
            await game.press("z")
            assert listed(game)[0].startswith("2026.05.01") and game.said
            await game.press("slash")
            await answer(game, "ben cup")
            assert [row.split()[1:4] for row in listed(game)] == [["Ann", "–", "Ben"], ["Zoe", "–", "Ben"]]
            await game.press("escape")
            assert len(listed(game)) == 5
            await game.press("slash")
            await answer(game, "nobody")
            assert listed(game) == ["no games"]

    @pytest.mark.slow
    async def test_a_game_opens_at_its_error_and_is_saved_with_its_comments(self, play_root: Path) -> None:
        saved = play_root / "again.pgn"
        async with listing(play_root) as game:
            await game.press("down", "enter")
            assert game.reason.startswith("60.Qf7 ") and game.grade is Kind.WIN_GONE
            await game.press("escape")
            assert "O" in game.said.split()[1] and "Enter" in game.said
            await game.press("O", "enter")
            await read(game)
            await game.press("enter")
            assert game.reason.startswith("61.Qf7+ ") and game.grade is Kind.WIN_GONE
            await game.type_in(str(saved), "o")
        text = " ".join(saved.read_text().split())
        assert '[White "Zoe"]' in text and "60. Qf6+ $1 " in text and "(60... Kh7 {also})" in text
        assert "[%clk 0:00:10] oops" in text

    @pytest.mark.slow
    async def test_a_broken_game_opens_as_far_as_it_goes(self, play_root: Path) -> None:
        async with listing(play_root, name="ann") as game:
            await game.press("down", "enter")
            assert game.score == ["Qf5", "Kg8"] and "61. Qxf9 " in game.said

    @pytest.mark.slow
    async def test_a_game_without_a_readable_move_stays_in_the_list(self, play_root: Path) -> None:
        async with listing(play_root, one("60. Qf9") + one("60. Qf7")) as game:
            await game.press("down", "enter")
            assert "60. Qf9 " in game.said and len(listed(game)) == 2

    @pytest.mark.slow
    async def test_the_board_is_turned_to_the_side_of_the_user(self, play_root: Path) -> None:
        async with listing(play_root, name="Ben", keys=("enter",)) as game:
            assert game.app.screen.board.flipped

    @pytest.mark.parametrize(("moves", "unread"), fast([("60. Qf7 Kxf9", "60... Kxf9 "), ("60. Qf7", "")]))
    async def test_a_file_with_one_game_opens_it_as_far_as_it_goes(
        self, play_root: Path, moves: str, unread: str
    ) -> None:
        async with listing(play_root, one(moves)) as game:
            assert game.score == ["Qf7"] and unread in game.said

    @pytest.mark.slow
    async def test_a_broken_game_without_a_result_is_reviewed_and_not_resumed(self, play_root: Path) -> None:
        async with listing(play_root, one("60. Qf5 Kg8 61. Qxf9", Result="*")) as game:
            assert game.shown("result") and game.state.running_match.result == Result(None, Termination.UNREAD)
            assert game.score == ["Qf5", "Kg8"] and "61. Qxf9 " in game.said

    @pytest.mark.slow
    @pytest.mark.parametrize(("written", "told"), [("", "no game in this text"), ("\0", "is not a text file")])
    async def test_an_unreadable_file_is_reported(self, play_root: Path, written: str, told: str) -> None:
        async with listing(play_root, written) as game:
            assert told in game.said and game.setting_up

    @pytest.mark.slow
    async def test_games_of_variants_are_reported_with_their_number(self, play_root: Path) -> None:
        async with listing(play_root, one("1. e4", Variant="Atomic") + one("60. Qf7"), name="Ann") as game:
            assert "Game 1 of mine.pgn: " in game.said and "Atomic" in game.said
            await game.press("down", "enter")
            assert "Atomic" in game.said

    @pytest.mark.slow
    async def test_games_of_stones_are_listed(self, play_root: Path) -> None:
        stones = AppContext(play_root).judge("morris")
        start = stones.game.parse("6X1/1X2X3/X4OOO w")
        line = stones.line(start).steps
        texts = [
            write(GameText(start, tuple(AnnotatedMove(s.move) for s in line[:many])), stones.game) for many in (3, 5)
        ]
        file = play_root / "stones.txt"
        file.write_text("\n".join(texts))
        async with playing(play_root, "6X1/1X2X3/X4OOO w", keys=()) as game:
            await game.type_in(str(file), "O")
            await read(game)
            assert len(listed(game)) == 2 and "4-3" in game.text


class TestFigures:
    @pytest.mark.slow
    async def test_the_statistics_lead_to_the_games(self, play_root: Path) -> None:
        async with listing(play_root, name="Ann", size=(80, 40), keys=("v",)) as game:
            told = game.words("figures")
            assert all(" ".join(sentence.split()) in told for sentence in words.overview(game.app.screen._games))
            assert "0.5 point 60.Qf7 KQvK Ann – Ben, Cup, 2026.03.01" in told
            assert " 2026.03 2 2 1 0.5" in told and " KPPPvK 1 2 about" in told and " game 5 of mine.pgn" in told
            assert "60.Qf7 " in game.words("about") and "(S5). 4 moves " in game.words("about")
            await game.press("down", "down", "enter")
            assert not game.shown("figures") and [row.split()[1] for row in listed(game)] == ["Ann", "Ann", "Zoe"]
            await game.press("v", "home", "enter")
            assert game.grade is Kind.WIN_GONE

    @pytest.mark.slow
    async def test_missing_endings_are_built_after_their_price_was_shown(self, play_root: Path) -> None:
        async with listing(play_root, keys=("v", "end", "enter")) as game:
            assert "Build" in rows(game.pilot)[-1] and "endings? about" in rows(game.pilot)[-1]
            await game.press("escape", "b")
            assert "endings? about" in rows(game.pilot)[-1]
            built: list[object] = []
            game.app.jobs.build = lambda endings, metric: built.append((tuple(endings), metric))
            await game.press("enter")
            assert built == [(("KPPPvK",), "dtm")]

    async def test_a_message_says_that_nothing_is_missing(self, play_root: Path) -> None:
        async with listing(play_root, 2 * one("60. Qf7") + one("1. Re1", ROOK), keys=("b",)) as game:
            assert game.said and "Build" not in rows(game.pilot)[-1]

    @pytest.mark.slow
    async def test_games_are_graded_again_after_a_build(self, play_root: Path) -> None:
        async with listing(play_root) as game:
            before = game.app.screen._games
            game.app.jobs.changes += 1
            game.app.screen.catch_up()
            await read(game)
            assert game.app.screen._games is not before and len(listed(game)) == 5


class TestYou:
    @pytest.mark.slow
    async def test_help_explains_the_list_of_games(self, play_root: Path) -> None:
        async with listing(play_root, size=(80, 40), keys=("question_mark",)) as game:
            assert "Each row is a game" in " ".join(game.text.split())

    @pytest.mark.slow
    async def test_the_name_of_the_user_is_asked_once_and_stored(self, play_root: Path) -> None:
        async with listing(play_root, name="Bob") as game:
            assert "'Bob'" in game.said and "Your name" in rows(game.pilot)[-1]
            await answer(game, "Ann")
            await read(game)
            assert MY_GAMES in game.said
            await game.press("escape")
            await game.type_in(str(play_root.parent / "mine.pgn"), "O")
            await read(game)
            assert "Your name" not in rows(game.pilot)[-1]
            await game.press("n")
            assert "Your name Ann" in " ".join(rows(game.pilot)[-1].split())

    @pytest.mark.slow
    async def test_d_drills_your_errors_of_a_collection(self, play_root: Path) -> None:
        async with listing(play_root, keys=("d",)) as game:
            assert game.said
            await game.press("n")
            await answer(game, "Ann")
            await read(game)
            await game.press("d")
            await read(game)
            assert "Ann – Ben, 2026, move 60" in game.text

    @pytest.mark.slow
    async def test_a_drill_from_an_error_names_its_game(self, play_root: Path) -> None:
        async with listing(play_root, name="Ann", size=(120, 40)) as game:
            await game.press("escape", "4")
            await game.pilot.pause()
            await game.type_in("Ann – Ben", "slash")
            assert "Ann – Ben, Cup, 2026.03.01, move 60." in " ".join(game.text.split())
