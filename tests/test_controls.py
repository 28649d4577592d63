"""Sentences of the core name actions, never keys; each front end has a name for every action."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from endgame_tui.controls import KEYS

import endgame_core
from endgame_core import controls
from endgame_core.controls import COMMANDS, SCREEN_ACTIONS, control, instruct
from endgame_core.plain.dialogue import GLOBAL_COMMANDS
from endgame_core.plain.explore import EXPLORE_COMMANDS
from endgame_core.plain.library import LIBRARY_COMMANDS
from endgame_core.plain.play import PLAY_COMMANDS
from endgame_core.plain.practise import PRACTISE_COMMANDS
from endgame_core.plain.progress import PROGRESS_COMMANDS
from tests.tui import keys_inventory

CORE = Path(endgame_core.__file__).parent
PHRASES = ("press", "make_move", "yes_or_no", "call")
"""Actions that plain mode names in words, or by answering a question."""

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


def test_no_sentence_of_the_core_names_a_key() -> None:
    named = [(file, text) for file, text in sentences() if " " in text and _KEY.search(text)]
    assert not named


def test_every_placeholder_is_an_action() -> None:
    actions = {*COMMANDS, *SCREEN_ACTIONS}
    for path in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "control" and isinstance(node.args[0], ast.Constant):
                assert node.args[0].value in actions, path
            if node.func.id == "instruct" and isinstance(node.args[0], ast.Constant):
                given = {keyword.arg for keyword in node.keywords}
                named = {name for _, name, _, _ in Formatter().parse(node.args[0].value) if name}
                assert named <= actions | given, path


def test_plain_mode_has_a_command_for_each_action() -> None:
    registries = (
        GLOBAL_COMMANDS,
        EXPLORE_COMMANDS,
        LIBRARY_COMMANDS,
        PLAY_COMMANDS,
        PRACTISE_COMMANDS,
        PROGRESS_COMMANDS,
    )
    names = {name for registry in registries for command in registry for name in command.names}
    for action, text in COMMANDS.items():
        if action not in PHRASES:
            assert {part.split()[0] for part in text.split(" and ")} <= names, action


def test_the_screens_have_a_key_for_each_action() -> None:
    assert set(KEYS) == {*COMMANDS, *SCREEN_ACTIONS}
    declared = {key for keys in keys_inventory.read().values() for key in keys}
    printed = {"full_stop": ".", "plus": "+", "colon": ":", "question_mark": "?", "escape": "Esc", "enter": "Enter"}
    printed |= {"right": "→", "left_square_bracket": "[", "right_square_bracket": "]", "space": "Space", "tab": "Tab"}
    names = {printed.get(line.split(":")[0].strip(), line.split(":")[0].strip()) for line in declared}
    for action, key in KEYS.items():
        if len(key) == 1 or key in ("Enter", "Esc", "Space", "Tab"):
            assert key in names, action


def test_a_sentence_names_what_the_front_end_has() -> None:
    assert instruct("{press} {build} to build {ending}.", ending="K{v}K") == "type build to build K{v}K."
    controls.use(KEYS)
    assert instruct("{press} {build} to build {ending}.", ending="KQvK") == "press . to build KQvK."
    assert control("next") == "Enter"
