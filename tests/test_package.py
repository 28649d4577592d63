"""The package carries manual pages and completions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from endgame_core.cli.main import main

ROOT = Path(__file__).parents[1]
COMMAND = shutil.which("endgame-tui", path=Path(sys.executable).parent)


def _completed(*words: str) -> list[str]:
    shell = ShellComplete(main, {}, "endgame-tui", "_ENDGAME_TUI_COMPLETE")
    return [item.value for item in shell.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "among"),
    [(("bu",), "build"), (("build", "kqvk"), "KQvKR"), (("layers", "5-"), "5-4"), (("build", "--me"), "--metric")],
)
def test_a_shell_completes_commands_options_and_endings(words: tuple[str, ...], among: str) -> None:
    found = _completed(*words)
    assert among in found and all(name.lower().startswith(words[-1]) for name in found)


@pytest.mark.slow
@pytest.mark.skipif(COMMAND is None or shutil.which("bash") is None, reason="needs endgame-tui installed, and bash")
def test_bash_completes_as_documented() -> None:
    assert COMMAND is not None
    line = next(line for line in (ROOT / "docs/install.md").read_text().splitlines() if "bash_source" in line)
    script = (
        f"{line}\nCOMP_WORDS=(endgame-tui layers KQvK); COMP_CWORD=2\n"
        '_endgame_tui_completion endgame-tui; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    environment = {**os.environ, "PATH": f"{Path(COMMAND).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert {"KQvK", "KQvKR", "KQvKP"} <= set(done.stdout.split())


@pytest.mark.slow
def test_manual_pages_are_those_of_the_commands(tmp_path: Path) -> None:
    pytest.importorskip("click_man", reason="click-man, of the extra dev, writes manual pages")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, ROOT / "docs/make_man.py", tmp_path], env=environment, check=True)
    made = {page.name: page.read_text() for page in tmp_path.iterdir()}
    kept = {page.name: page.read_text() for page in (ROOT / "docs/man").iterdir()}
    assert made == kept, "run: python docs/make_man.py"
