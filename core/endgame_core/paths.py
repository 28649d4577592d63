"""Every path of a user's files, in one place."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import platformdirs

from endgame_core.errors import EndgameError

APP = "endgame-tui"
HOME_VARIABLE = "ENDGAME_TUI_HOME"


def data_dir() -> Path:
    """The user data directory; ``ENDGAME_TUI_HOME`` overrides it."""
    return _override() or platformdirs.user_data_path(APP)


def _override() -> Path | None:
    override = os.environ.get(HOME_VARIABLE)
    try:
        return Path(override).expanduser() if override else None
    except RuntimeError:
        raise EndgameError(f"{HOME_VARIABLE}={override} names no home directory", "write a full path") from None


def tables_dir(root: Path | None = None) -> Path:
    """Where tables are kept, below ``root`` or the user data directory."""
    return (root or data_dir()) / "tables"


def settings_file(root: Path | None = None) -> Path:
    """The user's settings (TOML), below ``root`` or the user data directory."""
    return (root or data_dir()) / "settings.toml"


def cache_dir() -> Path:
    """The user cache directory; below ``ENDGAME_TUI_HOME`` when that is set."""
    override = _override()
    return override / "cache" if override else platformdirs.user_cache_path(APP)


def kernel_cache_dir() -> Path:
    """Where compiled kernels are kept (``NUMBA_CACHE_DIR`` of the building process)."""
    return cache_dir() / "kernels"


def costs_file() -> Path:
    """The shipped figures of what every ending costs to build."""
    import endgame_data

    return Path(endgame_data.__file__).parent / "costs.json"


def positions_file() -> Path:
    """The shipped numbers of canonical positions of all chess endings."""
    import endgame_data

    return Path(endgame_data.__file__).parent / "positions.json"


@cache
def dtz_sizes_file() -> Path:
    """The shipped sizes of all tables by DTZ."""
    import endgame_data

    return Path(endgame_data.__file__).parent / "dtz_sizes.json"


def starter_dir() -> Path:
    """The tables that are shipped, so that the first launch shows a board at once."""
    import endgame_data

    return Path(endgame_data.__file__).parent / "starter"


def journal_file(root: Path | None = None) -> Path:
    """Where attempts, cards and ratings are kept, below ``root`` or the user data directory."""
    return (root or data_dir()) / "journal.sqlite3"


def themes_file() -> Path:
    """The shipped groups of themes to practise."""
    import endgame_data

    return Path(endgame_data.__file__).parent / "themes.json"


def studies_dir(root: Path | None = None) -> Path:
    """Where the user's own studies are kept, below ``root`` or the user data directory."""
    return (root or data_dir()) / "studies"


def curated_dir() -> Path:
    """The studies that are shipped."""
    import endgame_data

    return Path(endgame_data.__file__).parent / "studies"
