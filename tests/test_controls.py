"""Sentences of the core name actions, never keys; each front end has a name for every action."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import endgame_core
from endgame_core import controls
from endgame_core.actions import ACTIONS
from endgame_core.controls import PLAIN_NAMES, control, instruct
from endgame_core.plain.dialogue import GLOBAL_COMMANDS
from endgame_core.plain.explore import EXPLORE_COMMANDS
from endgame_core.plain.library import LIBRARY_COMMANDS
from endgame_core.plain.play import PLAY_COMMANDS
from endgame_core.plain.practise import PRACTISE_COMMANDS
from endgame_core.plain.progress import PROGRESS_COMMANDS
from endgame_tui.app import EndgameApp
from endgame_tui.keys import KeyNames, own_keys
from endgame_tui.screens.help import SCREENS_BY_TITLE, HelpScreen
from endgame_tui.user_keys import listed_actions

CORE = Path(endgame_core.__file__).parent
_KEY = re.compile(
    r"\b[Pp]ress (?:[a-zA-Z.:+?\[\]]|Enter|Esc|Space|Tab)(?![\w'])"
    r"|\b(?:Enter|Esc|Tab)\b|(?:^|[;.,:] )[a-zA-Z]: [a-z]|(?:^|[;.,:] )[b-zB-Z] (?:goes|shows|plays|adds|sets|claims)\b"
)


def sentences() -> Iterator[tuple[str, str]]:
    """Every string of the core that is no docstring, and the file that it stands in."""
    for path in sorted(CORE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        unused = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in unused:
                yield str(path.relative_to(CORE)), node.value


def test_no_sentence_of_the_core_contains_a_key() -> None:
    named = [(file, text) for file, text in sentences() if " " in text and _KEY.search(text)]
    assert not named


def placeholders() -> Iterator[tuple[str, str, set[str]]]:
    """The sentences that name actions: their file, their text, and the placeholders for which no value is given."""
    for path in sorted(CORE.rglob("*.py")):
        constants: dict[str, ast.expr] = {}
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                constants[node.targets[0].id] = node.value
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id not in ("control", "instruct") or not node.args:
                continue
            given = {keyword.arg for keyword in node.keywords}
            texts = [each.value for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant)]
            for text in filter(lambda text: isinstance(text, str), texts):
                names = {str(text)} if node.func.id == "control" else _fields(str(text))
                yield str(path), str(text), names - given


def _fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def test_every_placeholder_is_an_action_that_the_screens_have() -> None:
    actions = {*KeyNames()}
    found = list(placeholders())
    assert len(found) > 40
    for path, text, names in found:
        assert names <= actions, (path, text)


VALUES = {"who", "games", "number", "some", "reason", "ending", "end", "unbuilt", "price", "task"}
"""Placeholders for which sentences are given a value."""


FILLED_IN_ELSEWHERE = [
    *sorted((CORE / "tasks").glob("*.py")),
    *(CORE / "words" / f"{name}.py" for name in ("find", "games", "help_topics", "practice", "progress", "settings")),
]
"""Modules in which every placeholder that has no value is an action."""


@pytest.mark.parametrize("path", FILLED_IN_ELSEWHERE, ids=lambda path: f"{path.parent.name}.{path.stem}")
def test_sentences_filled_in_by_screens_name_existing_actions(path: Path) -> None:
    actions = {*KeyNames()}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    formatted = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):  # sentences that are filled in at once
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
            formatted |= {id(part) for part in ast.walk(node.func.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in formatted:
            assert set(re.findall(r"{([a-z_]+)}", node.value)) <= actions | VALUES, node.value


def test_plain_mode_registers_the_command_of_every_action() -> None:
    registries = (
        GLOBAL_COMMANDS,
        EXPLORE_COMMANDS,
        LIBRARY_COMMANDS,
        PLAY_COMMANDS,
        PRACTISE_COMMANDS,
        PROGRESS_COMMANDS,
    )
    registered = {command.names for registry in registries for command in registry}
    for action in ACTIONS:
        assert tuple(action.command.split()) in registered, action


def test_every_action_of_plain_mode_has_a_key_or_a_phrase_on_the_screens() -> None:
    names = KeyNames()
    for action in {*PLAIN_NAMES}:
        assert names[action], action


def test_an_identifier_is_declared_with_one_key_only() -> None:
    keys_of: dict[str, set[str]] = {}
    for _, keys in listed_actions(EndgameApp):
        for key in keys:
            assert re.fullmatch("[a-z_]+", key.action_id)
    for screen in (*SCREENS_BY_TITLE.values(), HelpScreen, EndgameApp):
        for owner in (screen, *getattr(screen, "FOCUSABLE", ())):
            for cls in owner.__mro__:
                for key in own_keys(cls):
                    keys_of.setdefault(key.action_id, set()).add(key.key)
    assert len(keys_of) > 100
    assert not {action: keys for action, keys in keys_of.items() if len(keys) > 1}


def test_a_sentence_names_the_key_or_command_of_its_front_end() -> None:
    assert instruct("{press} {build} to build {ending}.", ending="K{v}K") == "type build to build K{v}K."
    assert instruct("{step}, {call}, {to_layers}") == "back and forward, win, draw or loss?, back"
    controls.use(KeyNames())
    assert instruct("{press} {build} to build {ending}.", ending="KQvK") == "press . to build KQvK."
    assert instruct("{make_move}") == "type it with :, or Enter on a piece"
    assert instruct("{step}, {call}, {to_layers}") == "← →, w wins, d draws, l loses?, Esc"
    assert instruct("{build_layers}, {build_dtz}, {change}, {forward}") == "n or [, z, Enter, →"
    assert control("next") == "Enter"


def test_a_sentence_names_the_keys_that_the_user_has_set() -> None:
    controls.use(KeyNames({"metric": "ctrl+d,f5", "step_back": "minus", "prompt": "semicolon"}))
    assert instruct("{build_dtz}; {step}; {make_move}") == "Ctrl+D; - →; type it with ;, or Enter on a piece"
