"""The user's settings file (TOML), one line for each thing that is not to be said again every time."""

from __future__ import annotations

import tomllib
from pathlib import Path

from endgame_core import paths
from endgame_core.errors import EndgameError


def text(name: str, example: str, root: Path | None = None) -> str | None:
    """What the settings file says of ``name``; None when it, or the file, is not there.

    Args:
        name: The setting, which also names what it is about.
        example: A value, for the advice.
        root: The data directory with the settings file; the user's own by default.

    Raises:
        EndgameError: The file cannot be read, or the value is no text.
    """
    file = paths.settings_file(root)
    then = f'write a line like {name} = "{example}"'
    try:
        found = tomllib.loads(file.read_text()).get(name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise EndgameError(f"the settings file {file} cannot be read ({error})", then) from None
    if found is None or isinstance(found, str):
        return found
    raise EndgameError(f"the settings file {file} names no {name} ({found!r})", then)
