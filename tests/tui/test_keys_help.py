"""Help: a page for each part of the screen, then the keys, which can be searched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from endgame_core.paths import AccessPolicy
from endgame_tui.app import ActionProvider, EndgameApp
from endgame_tui.screens.explore import ExploreScreen
from endgame_tui.screens.help import sections
from tests.conftest import fast

from .terminal_text import rows, settle, text, type_in

PAGES = ("Layer", "Moves", "DTM", "DTZ", "50 moves", "Cursed", "Previous", "Unique")
RULES = ("Placing", "Moving", "Mills", "The end")


def words(pilot: Pilot[None]) -> str:
    """What is printed, as one line."""
    return " ".join(text(pilot).split())


@pytest.mark.slow
@pytest.mark.parametrize("size", fast([((80, 24),), ((120, 40),), ((40, 20),)]))
async def test_help_has_pages_that_describe_the_current_position(play_root: Path, size: tuple[int, int]) -> None:
    async with EndgameApp("KRvK", play_root, ascii=False).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        found = {}
        for title in PAGES:
            assert title in rows(pilot)[2] and "what you see" in rows(pilot)[0]
            found[title] = words(pilot)
            await pilot.press("right")
            await settle(pilot)
        assert "all keys" in rows(pilot)[0] and "Undo" in text(pilot)
        await pilot.press("home", "left", "tab", "shift+tab")
        await settle(pilot)
        assert words(pilot) == found["Layer"]
        await pilot.press(*["down"] * 9)
        await settle(pilot)
        assert "own for each side to move." in words(pilot)
    assert "Here: S31 of KRvK: White to move, and White wins in 31 plies." in found["Layer"]
    assert "Here: DTM 31" in found["DTM"] and "50-move counter 0/50" in found["50 moves"]
    assert "Here: " in found["Previous"] and "from S32" in found["Previous"]
    assert "Here: S31 has" in found["Unique"] and "are unique" in found["Unique"]


@pytest.mark.slow
async def test_help_explains_the_category_where_dtz_is_known(dtz_library: object, by_dtz: Path) -> None:
    async with EndgameApp("KQvKR", by_dtz, ascii=False).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark", *["right"] * 5)
        await settle(pilot)
        assert "cursed win is a win by DTM" in words(pilot) and "Here: " in words(pilot)


async def test_help_explains_the_rules_of_stones(play_root: Path) -> None:
    async with EndgameApp("3-4", play_root, ascii=True).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert "DTZ" not in rows(pilot)[2] and "mated" not in text(pilot)
        told = []
        for _ in range(len(PAGES) - 4 + len(RULES)):
            told.append(words(pilot))
            await pilot.press("l")
            await settle(pilot)
        assert all(title in rows(pilot)[2] for title in RULES[1:]) and text(pilot).isascii()
    assert any("Here: White has 3 on the board and 0 in hand, Black has 4" in page for page in told)
    assert any("Here: White may fly." in page for page in told) and any("50 moves" in page for page in told)


@pytest.mark.slow
async def test_help_does_not_reveal_a_hidden_verdict(play_root: Path) -> None:
    async with EndgameApp("KRvK", play_root, ascii=False).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("s", "enter", "question_mark")
        await settle(pilot)
        for _ in PAGES[:-1]:
            assert "what you see" in rows(pilot)[0] and "Here:" not in text(pilot)
            await pilot.press("right")
            await settle(pilot)
        await pilot.press("escape", "v", "question_mark")
        await settle(pilot)
        assert "Here: S31 of KRvK" in text(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KRvK", "3-3"])
@pytest.mark.parametrize(("keys", "last"), fast([("3", "Defence"), ("3 enter", "Defence"), ("4 enter", "Solved")]))
async def test_only_help_of_explore_explains_its_panels(play_root: Path, ending: str, keys: str, last: str) -> None:
    async with EndgameApp(ending, play_root, ascii=False).run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in (*keys.split(), "question_mark"):
            await pilot.press(key)
            await settle(pilot)
        told = ""
        for _ in range(12):
            told += f"{words(pilot)} "
            await pilot.press("right")
            await settle(pilot)
        told = told.partition("Everywhere")[0]
        assert not any(name in told for name in ("Before", "Unique", "z builds", "z switches", "C sets"))
        assert f"{last} " in told and "Human: makes mistakes" in told
        assert ("You solve a drill when" in told) is (keys[0] == "4")


@pytest.mark.parametrize(("key", "title"), [("2", "Endings"), ("4", "Drills"), ("5", "Figures"), ("comma", "Settings")])
async def test_every_screen_has_a_help_page(tmp_path: Path, key: str, title: str) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await settle(pilot)
        await pilot.press("question_mark")
        await settle(pilot)
        assert rows(pilot)[2].split()[0] == title
        await pilot.press("end")
        await settle(pilot)
        assert "all keys" in rows(pilot)[0]


@pytest.mark.slow
async def test_keys_can_be_searched_by_effect_and_by_name(tmp_path: Path) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await type_in(pilot, "hint", "slash")
        await settle(pilot)
        assert "Hint: piece, then move" in text(pilot) and "Undo" not in text(pilot)
        await pilot.press("slash", "U")
        await settle(pilot)
        assert "Redo" in text(pilot) and "Hint" not in text(pilot)
        await pilot.press("backspace", *"half", "left", "h")
        await settle(pilot)
        assert "half-move clock" in text(pilot).lower() or rows(pilot)[-1].startswith(" Find halhf")
        await pilot.press("escape")
        await settle(pilot)
        assert "Undo" in text(pilot) and "all keys" in rows(pilot)[0]
        await pilot.press("escape")
        await settle(pilot)
        assert "S19" in rows(pilot)[0]


async def test_a_search_without_matches_is_reported(tmp_path: Path) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await type_in(pilot, "castle", "slash")
        await settle(pilot)
        assert "No matches for 'castle'." in text(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("ending", [None, "3-3"])
async def test_no_entry_is_cut(ending: str | None, tmp_path: Path) -> None:
    async with EndgameApp(ending, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("question_mark", "end")
        seen = ""
        while (page := text(pilot)) != seen:
            assert not re.search(r"[^/]…( |$)", page, re.MULTILINE)
            seen = page
            await pilot.press("pagedown")
            await settle(pilot)


@pytest.mark.parametrize("ends", ["enter", "escape"])
async def test_escape_leaves_the_search_before_the_help(tmp_path: Path, ends: str) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark", "slash", *"hint", ends)
        await settle(pilot)
        if ends == "enter":
            assert "Hint: piece" in text(pilot) and "Undo" not in text(pilot)
            await pilot.press("escape")
            await settle(pilot)
        assert "Undo" in text(pilot) and "all keys" in rows(pilot)[0]
        await pilot.press("escape")
        await settle(pilot)
        assert "S19" in rows(pilot)[0]


@pytest.mark.slow
async def test_one_board_is_unique(tmp_path: Path) -> None:
    async with EndgameApp("7K/5Q2/8/8/2k5/8/8/8 w - - 0 1", tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await type_in(pilot, "S19")
        await pilot.press("question_mark", *["right"] * 7)
        await settle(pilot)
        assert "Here: S19 has 8 boards, of which 1 is unique." in words(pilot)


def test_a_locked_app_does_not_offer_to_suspend(play_root: Path) -> None:
    def described(app: EndgameApp) -> str:
        return str(sections(EndgameApp, "chess", ExploreScreen, app.unavailable))

    free = EndgameApp("KRvK", play_root, ascii=False)
    locked = EndgameApp("KRvK", play_root, ascii=False, reach=AccessPolicy(locked=True))
    assert "Ctrl+Z" in described(free) and "Ctrl+Z" not in described(locked)


async def test_the_search_of_the_help_finds_terms(tmp_path: Path) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await type_in(pilot, "zug", "slash")
        await settle(pilot)
        assert "Mutual zugzwang" in text(pilot) and "having to move is a disadvantage" in text(pilot)
        await pilot.press("escape")
        await type_in(pilot, "zugzwank", "slash")
        await settle(pilot)
        assert "No matches for 'zugzwank'. Try 'Zugzwang'" in text(pilot)


@pytest.mark.parametrize(
    ("query", "kind", "shown"),
    [
        ("cursed", "term", "A win by DTM that the 50-move rule"),
        ("KRvK", "ending", "KRvK"),
        ("lucena", "study", "KRPvKR"),
    ],
)
async def test_the_palette_finds_terms_endings_and_studies(tmp_path: Path, query: str, kind: str, shown: str) -> None:
    async with EndgameApp(None, tmp_path, ascii=False).run_test(size=(80, 24)) as pilot:
        hits = [hit async for hit in ActionProvider(pilot.app.screen).search(query)]
        best = max((hit for hit in hits if str(hit.prompt).endswith(kind)), key=lambda hit: hit.score)
        best.command()
        await settle(pilot)
        await settle(pilot)
        assert shown in text(pilot)
