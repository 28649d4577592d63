"""Syzygy files of the user as a second opinion on who wins."""

from __future__ import annotations

import os
import struct

import chess
import chess.syzygy

from endgame_core.errors import StorageError, TableError

VARIABLE = "SYZYGY_PATH"
"""The environment variable that names a directory of Syzygy files, as in other chess programs."""


class Syzygy:
    """Win, draw or loss from the WDL files (``.rtbw``) of some directories.

    Args:
        path: A directory, or several as in PATH.

    Raises:
        StorageError: A directory is missing or unreadable, or none has a WDL file.
    """

    def __init__(self, path: str) -> None:
        self._tables = chess.syzygy.Tablebase()
        found = 0
        for name in path.split(os.pathsep):
            try:
                found += self._tables.add_directory(name, load_dtz=False)
            except OSError as error:
                raise StorageError(
                    f"the Syzygy directory {name} cannot be read ({error.strerror})", f"check --syzygy or ${VARIABLE}"
                ) from None
        if not found:
            raise StorageError(f"there is no Syzygy file (.rtbw) in {path}", f"check --syzygy or ${VARIABLE}")

    def opinion(self, board: chess.Board) -> int | None:
        """Who wins, for the side to move: 1, 0 or -1; None where its file is not there.

        The 50-move rule is left out of account: a cursed win is a win, a blessed loss a loss.

        Raises:
            TableError: A Syzygy file is truncated or is none.
        """
        if board.castling_rights or chess.syzygy.calc_key(board) not in self._tables.wdl:
            return None
        try:
            wdl = self._tables.probe_wdl(board)
        except chess.syzygy.MissingTableError:
            return None
        except (OSError, ValueError, IndexError, KeyError, AssertionError, struct.error) as error:
            name = chess.syzygy.calc_key(board)
            raise TableError(
                f"the Syzygy file of {name}, or one it leads to, is damaged ({error or type(error).__name__})",
                "get it again",
            ) from None
        return (wdl > 0) - (wdl < 0)

    def close(self) -> None:
        """Closes the files."""
        self._tables.close()
