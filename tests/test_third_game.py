"""A third game is explored, played, practised and counted once it is registered, with no other change."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from endgame_core import games
from endgame_core.app_context import AppContext
from endgame_core.cli.main import main
from endgame_core.game_state import Win
from endgame_core.plain.console import Console
from endgame_core.plain.dialogue import Dialogue
from endgame_core.plain.terminal import Terminal
from endgame_core.tables.archive import export, import_archive
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.tasks.walk import Walk
from endgame_core.values import DRAW, Category
from endgame_core.words import position as words
from endgame_core.words import tables as table_words
from endgame_tui.app import EndgameApp
from endgame_tui.faces import FACES

from .plain_answers import tells
from .toy_game import CHESS_BY_THIRD, TOY
from .tui.desk import frozen
from .tui.terminal_text import rows, settle, text, type_in


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """The tables of all heaps, built by the process that builds all tables."""
    monkeypatch.setattr(games, "GAMES", (*games.GAMES, games.RegisteredGame(TOY.name, TOY.metric, TOY.entry)))
    monkeypatch.setattr(games, "NAMES", (*games.NAMES, TOY.name))
    found = Library(TOY, tmp_path)
    kinds = [event.event for event in Build(found, ["H2"]).events()]
    assert kinds.count("done") == 2 and kinds[-1] == "finished"
    return found


@pytest.fixture
def third_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory with KQvK by a third metric of chess, besides the shipped tables by DTM and DTZ."""
    metric = games.RegisteredGame("chess", CHESS_BY_THIRD.metric, CHESS_BY_THIRD.entry)
    monkeypatch.setattr(games, "GAMES", (*games.GAMES, metric))
    assert [event.event for event in Build(Library(CHESS_BY_THIRD, tmp_path), ["KQvK"]).events()][-1] == "finished"
    return tmp_path


def test_a_third_metric_is_reached_in_turn(third_metric: Path) -> None:
    walk = Walk(AppContext(third_metric), "chess", random.Random(1))
    walk.begin("KQvK")
    assert walk.metrics == ("dtm", "dtz", "dtx") and walk.metric == "dtm"
    assert walk.switch_metric() is None and walk.metric == "dtz" and walk.rates_by_dtz
    assert walk.switch_metric() is None and walk.metric == "dtx"
    assert words.crumbs(walk)[2].startswith("DTX S") and not walk.rates_by_dtz
    assert walk.switch_metric() is None and walk.metric == "dtm"
    assert (third_metric / "tables" / "KQvK.dtx.egt").is_file()
    assert table_words.longest_win(Library(CHESS_BY_THIRD, third_metric).entry("KQvK"), walk.metrics[-1], True) == (
        "DTX 20 plies to the end of the test"
    )


@pytest.mark.slow
async def test_a_third_metric_is_reached_by_the_same_key(third_metric: Path) -> None:
    app = EndgameApp("KQvK", third_metric, ascii=False)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        for layer in ("DTZ S", "DTX S", "S", "DTZ S"):
            await pilot.press("z")
            await settle(pilot)
            assert f"▸ {layer}" in rows(pilot)[0]


def test_tables_of_a_third_game_are_built_and_verified(library: Library, tmp_path: Path) -> None:
    assert library.built() == ["H1", "H2"] and library.entry("H2").longest == 63
    assert all(library.code(2 * heap) < DRAW for heap in range(0, 128, 4))
    for ending in ("H1", "H2"):
        assert verify(library, ending).mismatch is None
    archive = tmp_path / "archive"
    export(library, "H1", archive)
    assert import_archive(Library(TOY, tmp_path / "elsewhere"), archive).ending == "H1"


@pytest.mark.slow
def test_layers_of_a_third_game_are_explored(library: Library, tmp_path: Path) -> None:
    walk = Walk(AppContext(tmp_path), TOY.name, random.Random(1))
    assert walk.probe.verdict is not None and walk.probe.verdict.category is Category.WIN
    assert [(move.san, move.grade) for move in walk.moves] == [("1", "best"), ("2", "loss"), ("3", "loss")]
    assert [step.san for step in walk.line(9).steps] == ["1", "1", "3", "1", "3", "1", "3"]
    assert words.headline(walk.probe, TOY).result == "wins in 7 plies"
    assert words.crumbs(walk) == ("H1", "White wins", "S7", "1/3")
    assert words.reason(walk).sentence.startswith("Only 1 wins")
    assert [row.name for row in words.layers(walk).rows] == [f"S{n}" for n in range(32)]
    walk.play(1)
    assert TOY.format(walk.position) == "12 b"
    assert [before.best for before in walk.location.previous][:1] == [True]
    walk.execute("H2 S33")
    assert TOY.format(walk.position) == "65 w" and words.headline(walk.probe, TOY).result == "wins in 33 plies"
    walk.execute("64 w")
    assert walk.probe.verdict is not None and walk.probe.verdict.winner == "black"
    walk.undo()
    assert TOY.format(walk.position) == "65 w"


def test_commands_accept_a_third_game(library: Library) -> None:
    def run(*arguments: str) -> str:
        result = CliRunner().invoke(main, ["--data-dir", str(library.root), *arguments])
        assert result.exit_code == 0, result.output
        return result.stdout

    assert "H2" in run("tables") and "H1" in run("build", "H1")
    assert "S31" in run("layers", "H1")
    assert "wins in 7 plies" in run("probe", "13 w")
    assert run("line", "13 w").split()[-1] == "3"
    run("verify", "H1", "H2")


def test_plain_mode_supports_a_third_game(library: Library) -> None:
    lab = AppContext(library.root)
    sink = io.StringIO()
    dialogue = Dialogue(Console(lab, Terminal(True, io.StringIO(), sink), random.Random(1)))

    def typed(*lines: str) -> str:
        for line in lines:
            sink.seek(0)
            sink.truncate()
            dialogue.obey(line)
        return " ".join(sink.getvalue().split())

    def won() -> str:
        """Takes pearls so that a multiple of four is left, until the game or drill is over."""
        answer = ""
        while Win.BLOCKED.value not in answer:
            pearls = int(typed("pieces").split()[0])
            answer = typed(f"move {pearls % 4}")
        return answer

    assert tells(typed("game", "game"), "White", "7 plies", "H1", "S7", "1 of 3")
    assert typed("pieces") == "13 pearls." and typed("scan a").endswith(".")
    assert tells(typed("find white wins and depth > 20"), "23 positions", "H1")
    assert tells(typed("13 w", "move 1"), "Black", "6 plies")
    assert typed("metric").endswith(".")

    assert tells(typed("play 13 w"), "varied", "perfect", "tricky", "human")
    assert tells(typed("begin"), "You are White", "varied", "13 pearls")
    assert tells(won(), "White wins", "leaving no move", "4 moves")
    assert typed("score").startswith("1. 1, ") and typed("score").count("; best.") == 4

    assert tells(typed("practise H1"), "White wins", "Black wins")
    assert tells(typed("begin"), "You are Black", "1 ply")
    assert tells(won(), "Solved", "leaving no move", "perfect")
    assert tells(typed("leave"), "Solved", "H1", "3 of 3 stars", "8 days")
    assert tells(typed("practise H1", "set mode only", "begin"), "only move", "H1")
    assert tells(typed(f"move {int(typed('pieces').split()[0]) % 4}"), "Solved", "perfect")
    typed("leave")
    assert tells(typed("progress"), "0 due today", "1 day", "100 percent", "3")

    by_game = {attempt.game for attempt in lab.journal.attempts()}
    assert by_game == {"pearls"} and {card.theme for card in lab.journal.cards()} == {"H1 mate white", "H1 only"}
    dialogue.close()
    lab.close()


@pytest.mark.slow
async def test_screens_show_a_third_game(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """Library, Explore and Help show it by a face of its own."""
    monkeypatch.setitem(FACES, TOY.name, "tests.tui.toy_face:ToyFace")
    app = EndgameApp("13 w", library.root, ascii=False)
    async with app.run_test(size=(80, 24)) as pilot:

        async def pressed(*keys: str) -> list[str]:
            await pilot.press(*keys)
            await settle(pilot)
            return rows(pilot)

        seen = await pressed()
        assert "H1 ▸ White wins ▸ S7 ▸ 1/3" in seen[0] and "wins in 7 plies" in seen[1]
        assert seen[1].startswith("0 o o o o o o o o o o * * []") and "S7 → S6  Only 1 wins" in text(pilot)
        assert "S5 ▸ 1/3" in (await pressed("full_stop", "left_square_bracket"))[0]
        assert "S5 ▸ 2/3" in (await pressed("n"))[0]
        await pilot.click("#board", offset=(2, 0))
        assert "Take one, two or three pearls from the end." in " ".join(await pressed())
        await pilot.click("#board", offset=(2 + 2 * 8, 0))
        assert "S4 ▸ 1/1" in (await pressed())[0] and " heap  8 b" in text(pilot)
        await pressed("2")
        assert "Pearls ▸ all endings" in text(pilot) and "longest    31 plies" in text(pilot)
        assert "0 to 63 pearls" in text(pilot)
        assert "H1 ▸ White wins" in (await pressed("enter"))[0]
        assert "Help ▸ what you see" in (await pressed("question_mark"))[0]
        assert "KQvK ▸ White wins" in (await pressed("escape", "G"))[0]


@pytest.mark.slow
async def test_a_third_game_is_played_practised_and_counted_in_the_app(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FACES, TOY.name, "tests.tui.toy_face:ToyFace")
    async with frozen(library.root, stones="13 w").run_test(size=(80, 24)) as pilot:

        async def pressed(*keys: str) -> str:
            await pilot.press(*keys)
            await settle(pilot)
            return text(pilot)

        async def won(end: str) -> str:
            """Takes pearls so that a multiple of four is left, until the game or drill is over."""
            while end not in text(pilot):
                await pressed("c")
                pearls = int(pilot.app.clipboard.split()[0])
                await type_in(pilot, str(pearls % 4))
                await settle(pilot)
            return text(pilot)

        await settle(pilot)
        assert "win in 7 plies" in await pressed("3")
        assert "win in 7 plies" in await pressed("enter")
        assert "repetition" in text(pilot) and "/50" not in text(pilot), "there is no move limit"
        assert "hint  " in (await pressed("i")).lower()
        assert "4 moves" in await won(Win.BLOCKED.value)

        assert "+ adds a heap" in " ".join((await pressed("4")).split())
        await type_in(pilot, "H1")
        assert "Result" in text(pilot) and "White wins" in text(pilot) and "S1" in text(pilot)
        assert "H1, win ▸ 1 of 10" in await pressed("enter")
        assert "perfect" in await won(Win.BLOCKED.value)
        await pressed("escape", "escape")
        assert "Pearls" in rows(pilot)[0]

        progress = await pressed("5")
        assert "Pearls" in rows(pilot)[0] and "H1" in progress and "100 %" in progress
