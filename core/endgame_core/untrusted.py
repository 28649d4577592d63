"""What comes from elsewhere: names of files that are typed, files that others wrote, text that a terminal might obey.

Whatever is wrong with a foreign file becomes an EndgameError here. Foreign text is kept as it is, and made visible
where it leaves the program: where commands print, and where a screen is drawn.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

from endgame_core.errors import EndgameError, StorageError, shorten

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
    return repr(shorten(str(value)))


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


_QUOTES: Final = ('""', "''", "“”", "‘’", "„“", "«»")
"""Pairs of quotation marks that spreadsheets, shells and editors put around a value."""


def unquoted(text: str) -> str:
    """Strip white space and the quotation marks around a whole text; a text with others inside stays as it is."""
    text = text.strip()
    for first, last in _QUOTES:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == first and text[-1] == last and first not in inner and last not in inner:
            return inner.strip()
    return text


_BYTE_ORDER_MARKS: Final = (
    # UTF-32 comes before UTF-16: in little-endian order its mark begins with the two bytes of the shorter one.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
"""How a text may begin, and its encoding, which reads the mark and drops it."""


def encoding_of(start: bytes, default: str = "utf-8") -> str:
    """Return the encoding that the byte-order mark of a text names, or the default where it has none."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return encoding
    return default


def decoded(raw: bytes) -> str:
    """Decode a whole text by its byte-order mark, as UTF-8 where it has none; each line ends with a line feed.

    Raises:
        UnicodeDecodeError: Some bytes are invalid in that encoding.
    """
    return _with_line_feeds(raw.decode(encoding_of(raw)))


def _with_line_feeds(text: str) -> str:
    return re.sub(r"\r\n?", "\n", text)


def decoded_lines(chunks: Iterable[bytes], default: str = "utf-8", errors: str = "replace") -> Iterator[str]:
    """Decode a stream by its byte-order mark and yield each line, with its line feed, as soon as it is complete.

    Args:
        chunks: The bytes, cut anywhere: a line of bytes may end inside a line feed of UTF-16, and the second byte of
            that comes first in the next one.
        default: The encoding of a stream without a mark.
        errors: The error handler of the codec; in UTF-16 and UTF-32 always ``replace``.
    """
    chunks = iter(chunks)
    start = b""
    for chunk in chunks:
        start += chunk
        if not any(mark.startswith(start) for mark, _ in _BYTE_ORDER_MARKS):
            break  # the mark is complete, or there is none
    encoding = encoding_of(start, default)
    is_wide = encoding in ("utf-16", "utf-32")
    decoder = codecs.getincrementaldecoder(encoding)("replace" if is_wide else errors)
    parts: list[str] = []
    chunk: bytes | None = start
    while chunk is not None:
        *ends, rest = decoder.decode(chunk).split("\n")
        for end in ends:
            yield "".join([*parts, end, "\n"])
            parts = []
        parts.append(rest)
        chunk = next(chunks, None)
    if line := "".join([*parts, decoder.decode(b"", final=True)]):
        yield line


def regular_handle(path: Path) -> int:
    """Open a file in a directory of ours or of others to read it; returns its descriptor.

    Opening a FIFO waits for somebody who writes into it, and opening a device may do anything. Files that the user
    names on the command line are opened as they are: a shell passes the output of a command as a FIFO.

    Raises:
        OSError: It cannot be opened, or is not a regular file.
    """
    if not path.is_file() and path.exists():  # before it is opened, for the sake of devices
        raise _not_regular(path)
    # Another file may have taken its place by now: without waiting a FIFO is opened at once.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _not_regular(path)
    return handle


def _not_regular(path: Path) -> OSError:
    return OSError(errno.EINVAL, "not a regular file", str(path))


def open_regular(path: Path) -> BinaryIO:
    """Open a file as :func:`regular_handle` does."""
    return os.fdopen(regular_handle(path), "rb")


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file; raises OSError as :func:`regular_handle` does."""
    with open_regular(path) as file:
        return file.read()


def read_text(path: Path, then: str = "check the name") -> str:
    """Read a text file by its byte-order mark, else as UTF-8 or Latin-1; its lines end with a line feed each.

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
        text = decoded(raw)
    except UnicodeDecodeError:
        # Older programs write Latin-1. A text with a mark of UTF-16 or UTF-32 is damaged in a few places only.
        encoding = encoding_of(raw, "latin-1")
        text = _with_line_feeds(raw.decode("latin-1" if encoding == "utf-8-sig" else encoding, "replace"))
    if "\0" in text:
        raise StorageError(f"{path} is no text file", "choose one that was saved as text")
    return text


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
        reason = "it is nested too deep" if isinstance(error, RecursionError) else shorten(str(error))
        raise EndgameError(reason) from None
