"""Writes ``keys.md``, with all actions and their keys, from their declarations: ``python docs/make_keys.py [FILE]``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from endgame_tui.app import EndgameApp
from endgame_tui.keys import Key, printed
from endgame_tui.user_keys import listed_actions

HERE = Path(__file__).parent

HEAD = """\
# Keys

Press `?` in the app for the keys of the screen that you see. You can change the key of any action in the
`[keys]` table of `settings.toml` (`endgame-tui paths` prints where that file is):

```toml
[keys]
take_back = "backspace"
next_position = "n, ctrl+n"
```

An entry replaces all keys of its action; several keys are separated by commas. A key is a character as you type it
(`u`, `U`, `?`) or a name: `enter`, `escape`, `space`, `tab`, `backspace`, `delete`, `insert`, `home`, `end`, `pageup`,
`pagedown`, `up`, `down`, `left`, `right`, `f1` to `f12`, `comma`; `ctrl+` or `alt+` may precede it. Terminals do not
pass on all of these.

The last row, the help, the command palette and all messages name your keys. Two actions of the same screen cannot share
a key; to exchange two keys, write both entries. If an entry is wrong, the app says so when it starts, and its action
keeps its keys; the [settings](settings.md) screen (`,`) lists everything that is wrong with the file. The answers
to questions, and the commands of plain mode, have fixed names.
"""


def _rows(keys: list[Key]) -> Iterator[str]:
    """The lines of a table."""
    yield "| action | keys | does |"
    yield "|---|---|---|"
    for key in keys:
        names = " ".join(f"`{printed(name)}`" for name in key.key.split(","))
        yield f"| `{key.id}` | {names} | {key.description} |"


def page() -> str:
    """The whole page."""
    lines = [HEAD]
    for title, keys in listed_actions(EndgameApp):
        lines += [f"## {title}", "", *_rows(keys), ""]
    return "\n".join(lines)


if __name__ == "__main__":
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "keys.md"
    file.write_text(page(), encoding="utf-8")
