"""Writes the transcript of plain mode into accessibility.md: a drill is solved and a table built, as anybody would.

python docs/make_transcript.py
"""

from __future__ import annotations

import io
import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from endgame_core.app_context import AppContext
from endgame_core.plain.console import Console
from endgame_core.plain.dialogue import Dialogue
from endgame_core.plain.practise import PractiseMode
from endgame_core.plain.terminal import Terminal
from endgame_core.practice import repetition

PAGE = Path(__file__).with_name("accessibility.md")


def written(converse: Callable[[Dialogue], None], root: Path) -> str:
    """What a conversation looks like that comes over a pipe."""
    sink = io.StringIO()
    console = Console(AppContext(root), Terminal(True, io.StringIO(), sink), random.Random(6))
    console.clock = lambda: 0.0
    repetition.VARIES = False
    try:
        talk = Dialogue(console)
        converse(talk)
        talk.close()
    finally:
        console.lab.close()
    return sink.getvalue().rstrip()


def _type(talk: Dialogue, line: str) -> None:
    talk.console.terminal.write(f"{talk.mode.NAME}: {line}")
    talk.obey(line)


def drill(talk: Dialogue) -> None:
    """A drill of KRvK, solved by the moves of the table."""
    for line in ("practise KRvK", "layers 11 15", "begin", "p R", "s d", "legal b2"):
        _type(talk, line)
    mode = talk.mode
    assert isinstance(mode, PractiseMode)
    while mode.stage == "drill":
        position = mode.position
        best = mode.lab.judge("chess").probe(position).best
        assert best is not None
        _type(talk, best.san.rstrip("+#"))
    for line in ("score", "leave", "progress"):
        _type(talk, line)


def build(talk: Dialogue) -> None:
    """An ending is built, and walked through."""
    for line in ("library KBNvK", "build", "open", "best", "why", "back"):
        _type(talk, line)


def transcripts() -> dict[str, str]:
    """The transcripts by their names."""
    with tempfile.TemporaryDirectory() as root:
        return {"drill": written(drill, Path(root)), "build": written(build, Path(root))}


def put(page: str, name: str, text: str) -> str:
    """A page with a transcript in its place."""
    block = re.compile(rf"(<!-- {name} -->\n```text\n).*?(\n```)", re.DOTALL)
    return block.sub(lambda found: f"{found[1]}{text}{found[2]}", page)


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    for each, text in transcripts().items():
        page = put(page, each, text)
    PAGE.write_text(page, "utf-8")
