"""What the app remembers from one run to the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from endgame_core.app_state import MAX_RECENT, AppState
from endgame_core.chess.game import CHESS
from endgame_core.metric import DTM
from endgame_core.practice.journal import Journal
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library
from endgame_tui.app import EndgameApp
from endgame_tui.screens.base import BaseScreen
from endgame_tui.screens.settings import SettingsScreen
from tests.conftest import fast

from .terminal_text import rows, settle, text, type_in

SIZE = (80, 24)


def app_of(root: Path, first: str | None = None) -> EndgameApp:
    """The app as the command opens it, with what it remembers."""
    root.mkdir(parents=True, exist_ok=True)
    return EndgameApp(first, root, ascii=False, memory=AppState(root / "memory.json"))


async def written(pilot: Pilot[None], root: Path, *names: str) -> Any:
    """What is in the file, once it is written."""
    while pilot.app._write_timer is not None:  # pyright: ignore
        await pilot.pause(0.02)
    found: Any = json.loads((root / "memory.json").read_text("utf-8"))
    for name in names:
        found = found.get(name, {})
    return found


class TestWhereTheUserWas:
    @pytest.mark.slow
    async def test_the_position_comes_back(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await pilot.press("full_stop", "full_stop", "c")
            await settle(pilot)
            left = pilot.app.clipboard
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "S17" in rows(pilot)[0]
            await pilot.press("c")
            assert pilot.app.clipboard == left

    @pytest.mark.slow
    async def test_layers_by_another_metric_come_back(self, dtz_library: Any) -> None:
        memory = dtz_library.root / "memory.json"
        memory.unlink(missing_ok=True)
        async with app_of(dtz_library.root).run_test(size=SIZE) as pilot:
            await pilot.press("z")
            await settle(pilot)
        async with app_of(dtz_library.root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "DTZ layers" in text(pilot)
        memory.unlink()

    @pytest.mark.slow
    @pytest.mark.parametrize(("key", "named"), [("2", "Library"), ("3", "Play"), ("4", "Practise"), ("5", "Progress")])
    async def test_the_screen_and_the_game_come_back(self, tmp_path: Path, key: str, named: str) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await pilot.press("G", key)
            await settle(pilot)
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert isinstance(pilot.app.screen, BaseScreen) and named.lower() == pilot.app.screen.TASK
            assert f"{key} {named[:3]}" in rows(pilot)[0] and pilot.app.game == "morris"  # pyright: ignore
            await pilot.press("1")
            await settle(pilot)
            assert "3-3" in rows(pilot)[0]

    @pytest.mark.slow
    async def test_the_choices_for_drills_come_back(self, tmp_path: Path) -> None:
        for first in (True, False):
            async with app_of(tmp_path).run_test(size=SIZE) as pilot:
                await pilot.press("4")
                await settle(pilot)
                assert ("adaptive" in text(pilot)) is first
                await pilot.press("tab", "end", "right", "up", "right")
                await settle(pilot)
                assert ("all 8" in text(pilot)) is first

    @pytest.mark.slow
    async def test_the_command_line_takes_precedence(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await pilot.press("G", "3")
            await settle(pilot)
        async with app_of(tmp_path, "KRvK").run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert rows(pilot)[0].startswith(" KRvK")

    async def test_each_data_directory_has_its_own_state(self, tmp_path: Path) -> None:
        async with app_of(tmp_path / "one").run_test(size=SIZE) as pilot:
            await pilot.press("full_stop")
            await settle(pilot)
        async with app_of(tmp_path / "two").run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "S19" in rows(pilot)[0]

    async def test_nothing_is_stored_unless_requested(self, tmp_path: Path) -> None:
        async with EndgameApp(None, tmp_path, ascii=False).run_test(size=SIZE) as pilot:
            await pilot.press("full_stop", "2")
            await settle(pilot)
        assert not (tmp_path / "memory.json").exists()


class TestTheFile:
    async def test_the_state_is_written_while_the_app_runs(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await pilot.press("full_stop")
            await settle(pilot)
            first = await written(pilot, tmp_path, "explore", "chess")
            await pilot.press("full_stop", "G", "4")
            await settle(pilot)
            assert await written(pilot, tmp_path, "explore", "chess") != first
            assert await written(pilot, tmp_path, "screen") == "practise"
            assert await written(pilot, tmp_path, "game") == "morris"

    async def test_keys_that_change_nothing_write_nothing(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await pilot.press("full_stop")
            await settle(pilot)
            await written(pilot, tmp_path)
            (tmp_path / "memory.json").unlink()
            await pilot.press("f", "m", "escape", "h", "j", "k", "l")
            await settle(pilot)
            assert pilot.app._write_timer is None  # pyright: ignore

    @pytest.mark.parametrize(
        "damage",
        [b"", b"{", b"\xff\xfe\x00", b"[]", b'{"version": 99}', b'{"version": 1', b"[" * 9999, b"\0" * 200],
    )
    def test_a_damaged_state_is_reported_once(self, tmp_path: Path, damage: bytes) -> None:
        file = tmp_path / "memory.json"
        file.write_bytes(damage)
        memory = AppState(file)
        assert memory.problem is not None and "memory.json cannot be read" in str(memory.problem)
        assert memory.get(str, "screen") is None
        memory.note("play", "screen")
        memory.write()
        again = AppState(file)
        assert again.problem is None and again.get(str, "screen") == "play"

    @pytest.mark.slow
    async def test_a_damaged_state_is_reported_and_discarded(self, tmp_path: Path) -> None:
        (tmp_path / "memory.json").write_bytes(b"\xff\xfe\x00")
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await settle(pilot)  # what is told after the first picture takes a row, and then is drawn
            assert "Memory.json cannot be read" in text(pilot) and "S19" in rows(pilot)[0]
            await pilot.press("full_stop")
            await settle(pilot)
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "cannot be read" not in text(pilot) and "S18" in rows(pilot)[0]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "odd",
        [
            {"screen": 3, "game": [], "explore": "x"},
            {"screen": "nowhere", "game": "go", "explore": {"chess": ["no position", "dtm"], "morris": [1, 2]}},
            {"screen": "explore", "explore": {"chess": []}, "left": 7, "recent": {":": [1, {}]}, "play": {"chess": 1}},
        ],
    )
    async def test_unknown_entries_of_the_state_are_ignored(self, tmp_path: Path, odd: dict[str, Any]) -> None:
        (tmp_path / "memory.json").write_text(json.dumps({"version": 1, **odd}))
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "S19" in rows(pilot)[0]
            await pilot.press("G", "3", "4", "5", "1", "colon", "up", "escape")
            await settle(pilot)

    def test_a_state_that_cannot_be_written_is_reported(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        memory = AppState(tmp_path / "file" / "memory.json")
        memory.note("play", "screen")
        memory.write()
        assert memory.get(str, "screen") == "play"

    def test_no_other_file_stays_beside_the_state(self, tmp_path: Path) -> None:
        memory = AppState(tmp_path / "deep" / "memory.json")
        assert memory.is_new
        memory.note([1], "a", "b")
        memory.write()
        assert [path.name for path in (tmp_path / "deep").iterdir()] == ["memory.json"]
        again = AppState(tmp_path / "deep" / "memory.json")
        assert not again.is_new and again.get(list, "a", "b") == [1] and again.get(dict, "a", "b", "c") is None
        again.note(None, "a", "b")
        assert again.get(list, "a", "b") is None


class TestTheFirstStart:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("first", "size", "told"),
        [
            (None, (80, 24), ("White wins in 19 plies.", "positions of KQvK form layer S19.",
                              ". plays the best move, Kg8, to S18.", "? shows help",
                              "4 drills endings like this one.", "N shows what to learn next.")),
            ("3-4", (80, 24), ("positions of 3-4 form", "3 plays on against perfect")),
            (None, (40, 20), ("S19: won in 19 plies.  . best  4 drills",)),
            ("8/8/8/4k3/8/8/8/3RK3 w - - 0 1", (120, 40), ("White wins in 27 plies.", "? shows")),
        ],
    )  # fmt: skip
    async def test_the_first_start_explains_the_layer_and_the_first_key(
        self, play_root: Path, first: str | None, size: tuple[int, int], told: tuple[str, ...]
    ) -> None:
        async with app_of(play_root, first).run_test(size=size) as pilot:
            await settle(pilot)
            printed = rows(pilot)
            assert all(any(line in row for row in printed) for line in told), printed

    @pytest.mark.parametrize(
        "key", fast(["full_stop", "h", "2", "tab", "x", "space", "slash", "question_mark", "f", "m"], 3)
    )
    async def test_the_first_steps_disappear_after_a_key(self, tmp_path: Path, key: str) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "What you see" in text(pilot)
            await pilot.press(key)
            await settle(pilot)
            await pilot.press("escape", "1")
            await settle(pilot)
            assert "What you see" not in text(pilot)

    async def test_first_steps_are_shown_at_the_first_start_only(self, tmp_path: Path) -> None:
        for number in range(2):
            async with app_of(tmp_path).run_test(size=SIZE) as pilot:
                await settle(pilot)
                assert ("What you see" in text(pilot)) is (number == 0)
                await pilot.press("h")


class TestWhatWasTyped:
    @pytest.mark.slow
    async def test_up_recalls_the_newest_entry_first(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            for typed in ("S12", "S11", "S12", "library"):
                await type_in(pilot, typed)
                await settle(pilot)
            await pilot.press("1", "colon", *"Kq")
            for keys, shown in (("up", "library"), ("up", "S12"), ("up", "S11"), ("up", "S11"), ("down", "S12"),
                                ("down down", "Kq"), ("down", "Kq")):  # fmt: skip
                await pilot.press(*keys.split())
                await settle(pilot)
                assert rows(pilot)[-1].split()[:2] == [":", shown]

    @pytest.mark.slow
    async def test_the_input_history_is_stored(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await type_in(pilot, "S12")
            await type_in(pilot, "S99")  # there is none: it is mended, not kept
            await pilot.press("escape")
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await pilot.press("full_stop", "colon", "up", "enter")
            await settle(pilot)
            assert "S12" in rows(pilot)[0]

    async def test_queries_have_a_list_of_their_own(self, tmp_path: Path) -> None:
        async with app_of(tmp_path).run_test(size=SIZE) as pilot:
            await type_in(pilot, "S12")
            await pilot.press("slash", "up")
            assert "S12" not in rows(pilot)[-1]

    def test_the_input_history_is_limited(self) -> None:
        memory = AppState()
        for number in range(MAX_RECENT + 9):
            memory.add(f"S{number}", "recent", ":")
        assert memory.texts("recent", ":")[:: MAX_RECENT - 1] == [f"S{MAX_RECENT + 8}", "S9"]


def attempts(root: Path) -> list[Any]:
    """What the journal has, the newest last."""
    journal = Journal(root / "journal.sqlite3")
    found = sorted(journal.attempts(), key=lambda record: record.started)
    journal.close()
    return found


async def play(pilot: Pilot[None], *moves: str) -> None:
    """Types moves, and waits for the replies."""
    for move in moves:
        await type_in(pilot, move)
        await settle(pilot)
        await pilot.pause()


class TestAGameLeftOpen:
    START = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"

    async def leave(self, root: Path, *keys: str) -> str:
        """Plays some moves, and is killed: nothing is done at the end but what has been written."""
        async with app_of(root, self.START).run_test(size=SIZE) as pilot:
            await pilot.press("s", "enter")
            await settle(pilot)
            await play(pilot, "Kc2", "Rh8")
            await pilot.press(*keys, "c")
            await settle(pilot)
            assert (await written(pilot, root, "left", "chess"))["moves"]
            return pilot.app.clipboard

    async def test_an_unfinished_game_is_offered_and_resumed(self, play_root: Path) -> None:
        left = await self.leave(play_root)
        assert [record.outcome for record in attempts(play_root)] == ["left"]
        async with app_of(play_root).run_test(size=SIZE) as pilot:  # another key is no, and does what it always does
            await settle(pilot)
            assert "Resume KRvK, move 3?" in rows(pilot)[-1]
            await pilot.press("2")
            await settle(pilot)
            assert "Resume" not in text(pilot) and "all endings" in rows(pilot)[0]
            await pilot.pause(0.5)
            assert "To resume it later, press : and type resume." in text(pilot)
            await pilot.press("1")
            await settle(pilot)
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "Resume KRvK, move 3?" in rows(pilot)[-1] and "Enter resume" in rows(pilot)[-1]
            await pilot.press("enter")
            await settle(pilot)
            await pilot.press("c")
            assert pilot.app.clipboard == left and "move 3" in rows(pilot)[0]
            await play(pilot, "Rh7")
            assert len((await written(pilot, play_root, "left", "chess"))["moves"]) == 6
            await pilot.press("u", "u", "w", "enter")  # shown by the table: it is over
            await settle(pilot)
            assert await written(pilot, play_root, "left") == {}
        record = attempts(play_root)
        assert len(record) == 1 and record[0].outcome == "failed" and record[0].takebacks == 2
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "Resume" not in text(pilot)

    @pytest.mark.slow
    async def test_hints_the_defender_and_the_clock_come_back(self, play_root: Path) -> None:
        async with app_of(play_root, self.START).run_test(size=SIZE) as pilot:
            await pilot.press("s", "down", "down", "right", "down", "right", "right", "enter")
            await settle(pilot)
            await pilot.press("i", "i")
            await play(pilot, "Kc2")
            kept = await written(pilot, play_root, "left", "chess")
        assert kept["defence"] != "perfect" and kept["time"] and kept["figures"][1] == 2 and kept["moves"][0][2] == 2
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await pilot.press("enter")
            await settle(pilot)
            again = pilot.app.memory.get(dict, "left", "chess")  # pyright: ignore
            assert {**again, "figures": again["figures"][1:]} == {**kept, "figures": kept["figures"][1:]}
            assert kept["defence"] in text(pilot)

    async def test_the_offer_to_resume_has_the_move_number_of_the_game(self, play_root: Path) -> None:
        left = {"start": "8/8/8/3k4/8/8/8/K6R b - - 0 30", "you": "white", "moves": [["d5d4", 1.0, 0]]}
        (play_root / "memory.json").write_text(json.dumps({"version": 1, "left": {"chess": left}}))
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "Resume KRvK, move 31?" in rows(pilot)[-1]
            await pilot.press("escape")
            await type_in(pilot, "go on")
            await settle(pilot)
            await pilot.press("d")
            await type_in(pilot, "go on")
            await settle(pilot)
            assert "There is nothing to resume." in text(pilot)

    @pytest.mark.slow
    @pytest.mark.parametrize("key", ["enter", "O"])
    async def test_an_unfinished_game_is_replaced_only_after_a_question(self, play_root: Path, key: str) -> None:
        left = {
            "start": self.START, "you": "white", "defence": "perfect", "time": 0, "hidden": True,
            "moves": [["b1c2", 1.0, 0], ["d5d4", 1.0, 0]], "attempt": "", "figures": [None, 0, 0, 1, 0, 0, 1.0],
        }  # fmt: skip
        (play_root / "memory.json").write_text(json.dumps({"version": 1, "left": {"chess": left}}))
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await pilot.press("escape", "3", key)
            await settle(pilot)
            assert "KRvK, move 2 is unfinished. Resume it?" in rows(pilot)[-1]
            await pilot.press("escape")
            await settle(pilot)
            assert pilot.app.memory.get(dict, "left", "chess") == left  # pyright: ignore
            await pilot.press(key, "enter")
            await settle(pilot)
            assert "move 2" in rows(pilot)[0]
            await pilot.press("n", "enter", key)
            await settle(pilot)
            assert "Resume" not in rows(pilot)[-1]

    async def test_a_screen_that_is_not_yet_shown_offers_nothing(self, play_root: Path) -> None:
        left = {"start": "8/8/8/3k4/8/8/8/K6R w - - 0 1", "you": "white", "moves": [["h1h5", 1.0, 0]]}
        (play_root / "memory.json").write_text(json.dumps({"version": 1, "left": {"chess": left}}))
        app = app_of(play_root, "KRvK")
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            app.push_screen(SettingsScreen("explore"))
            app.action_go_on()  # before that screen has its panels
            await settle(pilot)
            assert "Resume" not in text(pilot)
            app.action_go_on()
            await settle(pilot)
            assert "Resume KRvK" in rows(pilot)[-1]
        (play_root / "memory.json").unlink()

    @pytest.mark.slow
    @pytest.mark.parametrize(("key", "offered"), [("escape", True), ("d", False)])
    async def test_an_offer_to_resume_can_be_declined_or_discarded(
        self, play_root: Path, key: str, offered: bool
    ) -> None:
        await self.leave(play_root)
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await pilot.press(key)
            await settle(pilot)
            assert "Resume" not in text(pilot)
            if offered:
                await type_in(pilot, "go on")
                await settle(pilot)
                assert "Resume KRvK" in rows(pilot)[-1]
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert ("Resume" in text(pilot)) is offered

    @pytest.mark.slow
    async def test_a_priority_key_works_during_an_offer(self, play_root: Path) -> None:
        await self.leave(play_root)
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await pilot.press("4")
            await settle(pilot)
            await type_in(pilot, "go on")
            await settle(pilot)
            assert "Resume KRvK" in rows(pilot)[-1]
            await pilot.press("tab")
            await settle(pilot)
            assert "Resume" not in text(pilot)
            assert pilot.app.focused is not None and pilot.app.focused.id == "setup"

    @pytest.mark.slow
    async def test_nothing_is_offered_if_the_command_line_names_a_position(self, play_root: Path) -> None:
        await self.leave(play_root)
        async with app_of(play_root, "KQvK").run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "Resume" not in text(pilot)

    @pytest.mark.slow
    async def test_a_game_that_is_given_up_is_not_offered(self, play_root: Path) -> None:
        async with app_of(play_root, self.START).run_test(size=SIZE) as pilot:
            await pilot.press("s", "enter")
            await settle(pilot)
            await play(pilot, "Kc2")
            await pilot.press("n", "enter")
            await settle(pilot)
            assert await written(pilot, play_root, "left") == {}

    @pytest.mark.slow
    async def test_an_unfinished_game_of_morris_is_resumed(self, play_root: Path) -> None:
        async with app_of(play_root, "3-4").run_test(size=SIZE) as pilot:
            await pilot.press("full_stop", "full_stop", "s", "enter")
            await settle(pilot)
            best = pilot.app.screen.session.state.best_move()  # pyright: ignore
            await play(pilot, pilot.app.screen.session.state.game.san(pilot.app.screen.session.state.position, best))  # pyright: ignore
            await written(pilot, play_root, "left", "morris")
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "Resume 3-4, move 2?" in rows(pilot)[-1]
            await pilot.press("enter")
            await settle(pilot)
            assert "move 2" in rows(pilot)[0]

    @pytest.mark.slow
    async def test_q_asks_once_and_says_that_the_game_can_be_resumed(self, play_root: Path) -> None:
        async with app_of(play_root, self.START).run_test(size=SIZE) as pilot:
            await pilot.press("s", "enter")
            await settle(pilot)
            await play(pilot, "Kc2")
            await pilot.press("q")
            await settle(pilot)
            assert "Quit? Your game can be resumed next time" in rows(pilot)[-1] and pilot.app._exit is False
            await pilot.press("q")
            await pilot.pause()
            assert pilot.app._exit

    @pytest.mark.slow
    @pytest.mark.parametrize("damage", [{"moves": [["h1h9", 1, 0]]}, {"start": "x"}, {"moves": 3}, {"figures": []}])
    async def test_a_game_that_cannot_be_resumed_is_discarded(self, play_root: Path, damage: dict[str, Any]) -> None:
        await self.leave(play_root)
        file = play_root / "memory.json"
        kept = json.loads(file.read_text())
        kept["left"]["chess"] |= damage
        file.write_text(json.dumps(kept))
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await pilot.press("enter")
            await settle(pilot)
            assert any(word in text(pilot) for word in ("cannot be resumed", "is not a FEN"))
            await pilot.press("enter")
            await settle(pilot)
            assert "move 1" in rows(pilot)[0]


class TestADrillLeftOpen:
    async def drill(self, pilot: Pilot[None], first: str, wanted: str) -> None:
        """Begins drills of an ending."""
        await pilot.press(first, "4")
        await settle(pilot)
        await type_in(pilot, wanted, "slash")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)

    async def test_an_unfinished_drill_is_offered_and_resumed(self, play_root: Path) -> None:
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await self.drill(pilot, "h", "KRvK")
            await pilot.press("i", "i")
            await settle(pilot)
            drill = pilot.app.screen.session.drill  # pyright: ignore
            await play(pilot, drill.match.last_hint.move.uci())
            kept = await written(pilot, play_root, "left", "drill")
            await pilot.press("q")
            await settle(pilot)
            assert "Quit? This drill can be resumed next time" in rows(pilot)[-1]
        assert len(kept["moves"]) == 2 and attempts(play_root)[-1].outcome == "left"
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert "Resume KRvK, " in rows(pilot)[-1] and "move 2?" in rows(pilot)[-1]
            await pilot.press("escape", "4")
            await settle(pilot)
            await pilot.press("enter")  # other drills would take its place
            await settle(pilot)
            assert "Resume KRvK, " in rows(pilot)[-1] and "d discard" in rows(pilot)[-1]
            await pilot.press("enter")
            await settle(pilot)
            again = pilot.app.memory.get(dict, "left", "drill")  # pyright: ignore
            assert {**again, "figures": 0} == {**kept, "figures": 0} and again["figures"][1] == 2
            await pilot.press("w", "enter")
            await settle(pilot)
            assert "start" not in await written(pilot, play_root, "left", "drill")
        assert [(one.outcome, one.hints) for one in attempts(play_root)] == [("failed", 2)]
        async with app_of(play_root).run_test(size=SIZE) as pilot:  # between two drills
            await settle(pilot)
            await pilot.press("enter")
            await settle(pilot)
            assert "2 of" in rows(pilot)[0]
            await pilot.press("escape")
            await settle(pilot)
            assert await written(pilot, play_root, "left") == {}

    @pytest.mark.slow
    async def test_other_drills_replace_an_unfinished_one_that_is_given_up(self, play_root: Path) -> None:
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await self.drill(pilot, "h", "KRvK")
            kept = await written(pilot, play_root, "left", "drill")
        async with app_of(play_root).run_test(size=SIZE) as pilot:
            await settle(pilot)
            await self.drill(pilot, "escape", "KQvK")
            assert "d discard" in rows(pilot)[-1] and pilot.app.memory.get(dict, "left", "drill") == kept  # pyright: ignore
            await pilot.press("d")
            await settle(pilot)
            other = pilot.app.memory.get(dict, "left", "drill")  # pyright: ignore
            assert other["items"] != kept["items"] and "KQvK" in rows(pilot)[0]


async def test_a_cancelled_build_is_offered_at_the_next_start_until_it_is_finished(tmp_path: Path) -> None:
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        pilot.app.jobs.build(["KBvK"])  # pyright: ignore
        pilot.app.jobs.build(["KNvK"])  # pyright: ignore
        await pilot.press("x", "x")
        while pilot.app.jobs.job is not None:  # pyright: ignore
            await settle(pilot)
        requests = (await written(pilot, tmp_path, "left", "build"))["requests"]
        assert [request["endings"] for request in requests] == [["KNvK"], ["KBvK"]]
    list(Build(Library(CHESS, tmp_path), ["KNvK"]).events())  # another program has built it meanwhile
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "You cancelled the build of KBvK. Resume it?" in rows(pilot)[-1] and "d discard" in rows(pilot)[-1]
        await pilot.press("enter")
        while pilot.app.jobs.job is not None:  # pyright: ignore
            await settle(pilot)
        await settle(pilot)
        assert "build" not in await written(pilot, tmp_path, "left")
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "Resume" not in rows(pilot)[-1]


async def test_a_build_dropped_from_the_queue_is_not_offered_again(tmp_path: Path) -> None:
    async with app_of(tmp_path).run_test(size=SIZE) as pilot:
        await settle(pilot)
        jobs = pilot.app.jobs  # pyright: ignore
        jobs.build(["KRvKB"])
        jobs.build(["KNvK", "KBvK"])
        assert jobs.drop("KBvK", DTM)
        jobs.cancel(everything=True)
        while jobs.job is not None:
            await settle(pilot)
        requests = (await written(pilot, tmp_path, "left", "build"))["requests"]
        assert sorted(request["endings"] for request in requests) == [["KNvK"], ["KRvKB"]]
