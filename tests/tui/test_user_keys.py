"""The user's own keys work, everything that names a key follows, and wrong entries lose nothing."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from docs.make_keys import page
from textual.binding import BindingsMap

from endgame_core.games import NAMES
from endgame_core.settings import THEME, Settings
from endgame_tui.app import EndgameApp
from endgame_tui.keys import Key, key_named, own_keys, printed
from endgame_tui.screens.base import BaseScreen, screen_actions
from endgame_tui.user_keys import all_places, check_keys, first_clash

from . import keys_inventory
from .terminal_text import left_on, message_text, press, rows, settle, text, type_in

ROOK = "8/8/8/3k4/8/8/8/1K5R w - - 0 1"
SIZE = (120, 30)


def app_with(root: Path, keys: str, fen: str | None = ROOK, screen: str | None = None) -> EndgameApp:
    """An app whose settings file has a table of keys."""
    root.mkdir(exist_ok=True)
    (root / "settings.toml").write_text(f'theme = "dark"  # as at night\n\n[keys]  # mine\n{keys}\n', encoding="utf-8")
    return EndgameApp(fen, root, ascii=False, memory=None if screen is None else left_on(screen))


def position(app: EndgameApp) -> str:
    screen: Any = app.screen
    return str(screen.walk.rules.format(screen.walk.position))


# What works


async def test_a_new_key_replaces_the_old_one(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'take_back = "backspace"\nbest = "f5, b"\nlist_previous = "B"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert not app.settings.problems
        start = position(app)
        await press(pilot, "full_stop")
        assert position(app) == start
        await press(pilot, "f5")
        assert (moved := position(app)) != start
        await press(pilot, "u")
        assert position(app) == moved
        await press(pilot, "backspace")
        assert position(app) == start
        await press(pilot, "b")
        assert position(app) == moved


async def test_two_actions_can_exchange_their_keys(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'next_position = "p"\nprevious_position = "n"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        first = position(app)
        await press(pilot, "p")
        assert (second := position(app)) != first
        await press(pilot, "n")
        assert position(app) == first != second


async def test_a_key_of_several_screens_moves_on_all_of_them(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'flip = "F"\nleave = "J"')
    async with app.run_test(size=SIZE) as pilot:
        for keys in ((), ("3", "enter")):
            await press(pilot, *keys)
            board: Any = app.screen.query_one("#board")
            assert not board.flipped
            await press(pilot, "f", "escape")  # a letter without an action begins a move, in the prompt
            assert not board.flipped
            await press(pilot, "F")
            assert board.flipped
        await press(pilot, "comma")
        assert rows(pilot)[0].startswith(" Settings")
        await press(pilot, "escape")
        assert rows(pilot)[0].startswith(" Settings")
        await press(pilot, "J")
        assert not rows(pilot)[0].startswith(" Settings")


async def test_the_key_that_opens_a_screen_closes_it(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'settings = "S"\nhelp = "f2"\nmap = "M"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        for key, title in (("S", "Settings"), ("f2", "Help"), ("M", "Map")):
            await press(pilot, key)
            assert title in rows(pilot)[0].split("1 Explore")[0]
            await press(pilot, key)
            assert "KRvK" in rows(pilot)[0]
        assert rows(pilot)[-1].endswith("F2 help")


async def test_a_letter_is_typed_in_a_prompt_even_if_it_is_a_key(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'leave = "J"\nfamily = "e"\nplay_here = "d"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert not app.settings.problems
        await press(pilot, "colon", "J", "e", "d")
        assert ": Jed" in " ".join(rows(pilot)[-1].split())
        assert app.current_mode == "explore"


# What names keys


async def test_the_last_row_the_help_and_the_sentences_name_the_new_key(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'take_back = "backspace"\ncounter = "K"\nnear = "ctrl+b"\nprompt = ";"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "Bksp undo" in rows(pilot)[-1] and "Ctrl+B ] layer" in rows(pilot)[-1]
        assert "; type" in rows(pilot)[-1] and ": type" not in rows(pilot)[-1]
        await type_in(pilot, "6R1/8/8/8/8/1K6/8/k7 b - - 0 1", "semicolon")
        await press(pilot, "full_stop")
        await press(pilot, "full_stop")
        await press(pilot, "full_stop")
        assert "press Bksp to go back" in message_text(pilot)
        names = {action.description: action.keys for action in screen_actions(app.screen, "chess")}
        assert names["Undo"] == "Bksp" and names["Set the 50-move counter"] == "K"
        await press(pilot, "question_mark", "end")
        printed_help = text(pilot)
        assert "Bksp      Undo" in printed_help and "Ctrl+B    Layer nearer to mate" in printed_help
        assert "u         Undo" not in printed_help


async def test_the_screens_are_named_with_the_keys_that_open_them(tmp_path: Path) -> None:
    app = app_with(tmp_path / "data", 'library_screen = "f3"\ncancel_build = "X"\nexchange = "ctrl+x"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert rows(pilot)[0].endswith("1 Explore  F3 Library  3 Play  4 Practise  5 Progress")
        await press(pilot, "f3")
        assert app.current_mode == "library"
        await press(pilot, "1", "2")
        assert app.current_mode == "explore"


# What is wrong


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ('take_bakc = "b"', "Line 4 of settings.toml: there is no action 'take_bakc'; did you mean 'take_back'?"),
        ('xyzzy = "b"', "Line 4 of settings.toml: there is no action 'xyzzy'; docs/keys.md lists them."),
        (
            '# here\ntake_back = "bakspace"',
            "Line 5 of settings.toml: take_back cannot be 'bakspace', which is not a key; "
            "write a letter, or a name such as backspace, f5, ctrl+b or comma.",
        ),
        (
            'random = "f"',
            "Line 4 of settings.toml: random cannot be f, which is the key of flip in Explore; "
            "choose a different key, or change the key of that action.",
        ),
        ("flip = 3", "Line 4 of settings.toml: flip cannot be '3'; allowed: text in quotes."),
        (
            'palette = "j"',
            "Line 4 of settings.toml: palette cannot be j, which is typed in prompts; "
            "choose a key with ctrl, or a key that types no character.",
        ),
    ],
)
async def test_a_wrong_entry_is_reported_and_changes_nothing(tmp_path: Path, keys: str, sentence: str) -> None:
    app = app_with(tmp_path / "data", f'{keys}\nbest = "b"\nlist_previous = "B"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert " ".join(message_text(pilot).split()) == sentence
        start = position(app)
        await press(pilot, "b")
        assert (moved := position(app)) != start
        await press(pilot, "u")
        assert position(app) == start != moved
        await press(pilot, "comma")
        assert "settings.toml" in text(pilot)


async def test_a_keys_entry_that_is_not_a_table_is_reported(tmp_path: Path) -> None:
    root = tmp_path / "data"
    root.mkdir()
    (root / "settings.toml").write_text('keys = "vi"\n', encoding="utf-8")
    async with EndgameApp(ROOK, root, ascii=False).run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert message_text(pilot).startswith("Line 1 of settings.toml: keys cannot be 'vi'; allowed: a table [keys]")


def test_of_two_entries_with_one_key_the_first_one_wins() -> None:
    keymap, problems = check_keys({"hint": "x, f6", "verdict": "f6", "flip": "f6"}, EndgameApp)
    assert keymap == {"verdict": "f6"}
    assert {problem.action for problem in problems} == {"hint", "flip"}
    keymap, problems = check_keys({"hint": "f6", "verdict": "f6"}, EndgameApp)
    assert keymap == {"hint": "f6"}
    assert "verdict cannot be F6, which is the key of hint in Play" in problems[0].what


def test_a_key_may_be_another_action_on_another_screen() -> None:
    entries = {"compact": "V", "verdict": "B", "autoplay": "v", "examine": "f5", "best": "f5"}
    keymap, problems = check_keys(entries, EndgameApp)
    assert dict(keymap) == entries and not problems


def test_a_piece_of_the_editor_comes_before_a_key_of_the_app_as_it_does_at_first() -> None:
    assert check_keys({"quit": "Q", "settings": "k"}, EndgameApp)[0] == {"quit": "Q"}
    _, problems = check_keys({"flip": "Q"}, EndgameApp)
    assert "flip cannot be Q, which is the key of put_white_queen in Board editor" in problems[0].what


def test_keys_of_textual_cannot_be_used() -> None:
    keymap, problems = check_keys({"flip": "tab", "copy": "ctrl+c", "complete": "right", "quit": "ctrl+q"}, EndgameApp)
    assert keymap == {"quit": "ctrl+q"}
    assert "flip cannot be Tab, which is the key of Focus Next in Explore" in [problem.what for problem in problems]
    assert {problem.action for problem in problems} == {"flip", "copy", "complete"}


def test_a_removed_entry_restores_the_default_key() -> None:
    """Random goes to the key of best, which goes to a key that is not free: both stay where they are."""
    keymap, problems = check_keys({"random": "full_stop", "best": "n"}, EndgameApp)
    assert not keymap
    assert {problem.action for problem in problems} == {"random", "best"}


async def test_the_file_keeps_its_comments_and_its_keys(tmp_path: Path) -> None:
    root = tmp_path / "data"
    app = app_with(root, 'take_back = "backspace"  # as in my editor\nnonsense = "x"')
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        app.settings.put(THEME, "light")
    written = (root / "settings.toml").read_text(encoding="utf-8")
    assert written == (
        'theme = "light"  # as at night\n\n[keys]  # mine\ntake_back = "backspace"  # as in my editor\nnonsense = "x"\n'
    )
    settings = Settings(root)
    assert dict(settings.keys) == {"take_back": "backspace", "nonsense": "x"} and not settings.problems


def test_a_new_setting_comes_before_the_table_of_keys(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('# mine\n[keys]\nflip = "F"  # far\n', encoding="utf-8")
    Settings(tmp_path).put(THEME, "light")
    settings = Settings(tmp_path)
    assert settings[THEME] == "light" and dict(settings.keys) == {"flip": "F"} and not settings.problems
    assert "# mine" in (tmp_path / "settings.toml").read_text() and "# far" in (tmp_path / "settings.toml").read_text()


# Names of keys


@pytest.mark.parametrize(
    ("typed", "key", "name"),
    [
        (".", "full_stop", "."), ("Bksp", "backspace", "Bksp"), ("PgUp", "pageup", "PgUp"), ("ESC", "escape", "Esc"),
        ("Ctrl+B", "ctrl+b", "Ctrl+B"), ("shift+u", "U", "U"), ("→", "right", "→"), ("comma", "comma", ","),
        ("-", "minus", "-"), (";", "semicolon", ";"), ("ä", "ä", "ä"), ("F12", "f12", "F12"),
        ("full_stop", "full_stop", "."),
        ("alt+x", "alt+x", "Alt+X"), ("ctrl+PgUp", "ctrl+pageup", "Ctrl+PgUp"),
    ],
)  # fmt: skip
def test_a_key_can_be_written_as_it_is_printed(typed: str, key: str, name: str) -> None:
    assert key_named(typed) == key and printed(key) == name


@pytest.mark.parametrize("typed", ["", "backspce", "ctrl+", "strg+b", "<any>", "ab", "\x07", "ctrl+nothing"])
def test_text_other_than_a_key_is_refused(typed: str) -> None:
    assert key_named(typed) is None


# The declarations


def test_the_documentation_lists_every_action() -> None:
    written = (Path(__file__).parents[2] / "docs" / "keys.md").read_text(encoding="utf-8")
    assert written == page(), "run: python docs/make_keys.py"
    check_keys({}, EndgameApp)
    declared_here = {action for action in Key.DECLARED if "." not in action}
    assert all(f"| `{action}` |" in written for action in declared_here if action not in ("type", "turn", "wide"))


def test_no_default_keys_clash_and_all_can_be_moved_at_once() -> None:
    places = all_places(EndgameApp)
    assert first_clash({}, places) is None
    actions = sorted({key.action_id for place in places for game in NAMES for _, key in place.keys(game)})
    keymap = {action: f"ctrl+{chr(0x3B1 + number % 24)}{number}" for number, action in enumerate(actions)}
    assert first_clash(keymap, places) is None
    for place in places:
        for owner in place.owners:
            bindings: BindingsMap = owner._merge_bindings().copy()
            ids = {binding.id for _, binding in bindings if binding.id in keymap}
            bindings.apply_keymap(keymap)
            assert {binding.id for _, binding in bindings if binding.id in keymap} == ids, owner


@pytest.mark.parametrize(("start", "walked"), keys_inventory.walks(), ids=lambda found: "+".join(found)[:60])
async def test_the_focus_is_where_the_screen_says(
    start: str, walked: dict[str, tuple[str, ...]], tmp_path: Path
) -> None:
    seen = 0
    async with aclosing(keys_inventory.walk(tmp_path / "data", start, walked.values())) as walk:
        async for pilot, _ in walk:
            screen = pilot.app.screen
            assert isinstance(screen, BaseScreen)
            declared = [widget for widget in screen.query("*") if widget.can_focus and own_keys_of(type(widget))]
            inside = [widget for widget in declared if screen.last_row not in widget.ancestors]
            seen += len(inside)
            assert all(isinstance(widget, screen.FOCUSABLE) for widget in inside), (screen, inside)
    assert seen or all(name.startswith("help") for name in walked)  # its text scrolls without a focus


def own_keys_of(widget: type[Any]) -> list[Key]:
    """The keys of a widget and of its bases."""
    return [key for cls in widget.__mro__ for key in own_keys(cls)]
