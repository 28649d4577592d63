"""What comes from elsewhere: names of files that are typed, files that others wrote, text that a terminal might obey.

Whatever is wrong with a foreign file becomes an EndgameError here. Foreign text is kept as it is, and made visible
where it leaves the program: where commands print, and where a screen is drawn.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any, Final

from endgame_core.errors import EndgameError, StorageError, shortened

_UNSEEN: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Kinds of characters that nobody sees: a terminal obeys them, or turns what follows round."""


def visible(text: str, keep: str = "", ascii: bool = False, only_controls: bool = False) -> str:
    """The text with a mark of one column for each character that a terminal would obey: controls, bidi, halves.

    Args:
        text: Any text.
        keep: Characters that may stay, such as a line break.
        ascii: Whether the marks are of ASCII.
        only_controls: Whether all but control characters stays. So escape sequences lose their effect, and data that
            another program reads keeps joiners and marks of direction, which names of players may hold.
    """
    if text.isprintable():
        return text
    kinds = ("Cc",) if only_controls else _UNSEEN
    return "".join(c if c in keep or unicodedata.category(c) not in kinds else _mark(c, ascii) for c in text)


def _mark(sign: str, ascii: bool) -> str:
    if ascii:
        return "?"
    return chr(0x2400 + ord(sign)) if sign < " " else "␡" if sign == "\x7f" else "\ufffd"


def quoted(value: object) -> str:
    """What an error complains about, as it is spelled, in quotes: of a long one the beginning."""
    return repr(shortened(str(value)))


def file_named(text: str) -> Path:
    """The file that a user has typed, ``~`` being a home directory.

    Raises:
        StorageError: No file can be called so.
    """
    reason = "a name of a file has no NUL"
    try:
        if "\0" not in text:
            path = Path(text).expanduser()
            os.fsencode(path)
            path.exists()  # a name that is too long is told here
            return path
    except RuntimeError:
        reason = "there is no such home directory"
    except UnicodeEncodeError:
        reason = "a name of a file has whole characters only"
    except OSError as error:
        reason = f"no such file can be ({error.strerror or error})"
    raise StorageError(f"{reason}: {quoted(text)}", "type another name")


def read_text(path: Path, then: str = "check the name") -> str:
    """What a text file holds, in UTF-8 or else in Latin-1, its lines ended by a line feed each.

    Args:
        path: The file.
        then: What to do where it cannot be read.

    Raises:
        StorageError: It cannot be read, or is no text.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror})", then) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    if "\0" in text:
        raise StorageError(f"{path} is no text file", "choose one that was saved as text")
    return re.sub(r"\r\n?", "\n", text)


def read_json(text: str | bytes) -> Any:
    """What a JSON text holds.

    Raises:
        EndgameError: It is none, or one that nobody writes: nested a thousand deep, or with numbers of thousands of
            digits.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise EndgameError("it is no JSON") from None


def read_toml(text: str) -> dict[str, Any]:
    """What a TOML text holds; raises EndgameError as :func:`read_json` does."""
    import tomllib  # most have no such file: they need not wait for it

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else shortened(str(error))
        raise EndgameError(reason) from None
