"""Files of games: their names, their text, and the directory where games are saved."""

from __future__ import annotations

from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Final

from endgame_core.errors import StorageError
from endgame_core.language import _
from endgame_core.paths import games_dir, new_file, storage_errors, write_text
from endgame_core.untrusted import read_text

if TYPE_CHECKING:
    from endgame_core.app_context import AppContext

SUFFIX: Final = ".pgn"


def unused_file(folder: Path, ending: str, today: date) -> Path:
    """Return a path of no existing file for a game of an ending: ``KRvK-2026-11-21.pgn``, then ``…-2.pgn``."""
    number = 1
    path = folder / f"{ending}-{today.isoformat()}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{ending}-{today.isoformat()}-{number}{SUFFIX}"
    return path


def read_games_file(path: Path) -> str:
    """Return the text of a file of games; raises StorageError if it cannot be read."""
    if path.is_dir():
        names = sorted(file.name for file in path.glob(f"*{SUFFIX}"))
        if names:
            advice = _("name one of {names}").format(names=", ".join(names))
        else:
            advice = _("no game has been saved there")
        raise StorageError(_("{path} is a directory").format(path=path.name), advice)
    if path.exists() and not path.is_file():
        raise StorageError(_("{path} is not a regular file").format(path=path.name), _("name a file of games"))
    return read_text(path)


class SavedGames:
    """The games that the user saves and opens; file names are relative to the directory of saved games.

    Args:
        lab: Decides which files may be accessed.
    """

    def __init__(self, lab: AppContext) -> None:
        self._lab = lab
        self._last_folder: Path | None = None
        """The directory that the user named last."""

    @property
    def folder(self) -> Path:
        """The directory of saved games."""
        return games_dir(self._lab.root)

    def save(self, path: Path, text: str) -> Path:
        """Write a game to a new file; return its absolute path. Raises StorageError."""
        file = new_file(self._lab.file(str(path)), advice=_("choose a different name"))
        with storage_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, text)
        return file.absolute()

    def completions(self, text: str) -> list[str]:
        """Return the files whose names begin with a text, newest first: saved games, or those of a named directory."""
        head, slash, beginning = text.rpartition("/")
        try:
            if slash:
                folder = self._lab.file(head + slash)
            else:
                folder = self.folder
            paths = [path for path in folder.iterdir() if path.name.startswith(beginning)]
            times = {path: path.stat().st_mtime for path in paths if path.suffix == SUFFIX or (slash and path.is_dir())}
            newest = sorted(times, key=lambda path: (-times[path], path.name))
            return [f"{head}{slash}{path.name}{'/' if path.is_dir() else ''}" for path in newest]
        except (OSError, ValueError, StorageError):
            return []

    def find(self, path: Path) -> Path:
        """Return where a file is: as named, among the saved games, or in the directory that was named last.

        The path is returned as named if there is no such file. Raises StorageError if it may not be accessed.
        """
        result = self._lab.file(str(path))
        folders = [self.folder]
        if self._last_folder is not None:
            folders.append(self._last_folder)
        with suppress(OSError):  # whoever reads the file reports the error
            candidates = (result, *(folder / path for folder in folders))
            existing = next((file for file in candidates if file.exists()), result)
            if existing != result:
                result = self._lab.file(str(existing))  # a link may lead elsewhere
            if result.is_dir():
                self._last_folder = result
        return result
