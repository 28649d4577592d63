"""Untrusted input: names of files that users type, files that others wrote, text with terminal control characters.

All errors in such a file become an EndgameError here. Untrusted text is stored as it is, and escaped where it leaves
the program: where commands print, and where a screen is drawn.
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
from typing import Any, BinaryIO, Final, cast

from endgame_core.errors import EndgameError, StorageError, shorten, system_reason
from endgame_core.language import _
from endgame_core.system import BINARY

_INVISIBLE_CATEGORIES: Final = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Unicode categories of invisible characters: a terminal executes them, or reverses the text after them."""


def visible(text: str, keep: str = "", ascii: bool = False, only_controls: bool = False) -> str:
    """Replace each invisible character (controls, bidi marks, surrogates) by a visible one of the same width.

    Args:
        text: Any text.
        keep: Characters to keep, e.g. a line break.
        ascii: Whether to replace by ASCII.
        only_controls: Whether to replace control characters only. This makes escape sequences ineffective, and data for
            another program keeps joiners and direction marks, which names of players may contain.
    """
    if text.isprintable():
        return text
    categories = ("Cc",)
    if not only_controls:
        categories = _INVISIBLE_CATEGORIES
    return "".join(c if c in keep or unicodedata.category(c) not in categories else _symbol(c, ascii) for c in text)


def _symbol(character: str, ascii: bool) -> str:
    """The visible replacement of a character, e.g. ``␛`` for Escape."""
    if ascii:
        return "?"
    if character < " ":
        return chr(0x2400 + ord(character))
    if character == "\x7f":
        return "␡"
    return "\ufffd"


def quoted(value: object) -> str:
    """The value in quotes, shortened, for an error message."""
    return repr(shorten(str(value)))


def file_named(text: str) -> Path:
    """The path of a file that a user has typed; ``~`` is the home directory.

    Raises:
        StorageError: It is no valid name of a file.
    """
    reason = _("a file name cannot contain a NUL character")
    try:
        if "\0" not in text:
            path = Path(text).expanduser()
            os.fsencode(path)
            path.exists()  # raises OSError if the name is too long
            return path
    except RuntimeError:
        reason = _("there is no such home directory")
    except UnicodeEncodeError:
        reason = _("a file name must be valid text")
    except OSError as error:
        reason = _("no file can have this name ({reason})").format(reason=system_reason(error))
    raise StorageError(f"{reason}: {quoted(text)}", _("type a different name"))


_QUOTES: Final = ('""', "''", "“”", "‘’", "„“", "«»")
"""Pairs of quotation marks that spreadsheets, shells and editors put around a value."""


def unquoted(text: str) -> str:
    """Strip white space and the quotation marks around a text, unless there are more of these marks inside."""
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
"""Byte-order marks, and the encodings that read and drop them."""


def encoding_of(start: bytes, default: str = "utf-8") -> str:
    """The encoding that the byte-order mark of a text names, or the default if it has none."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return encoding
    return default


def decoded(raw: bytes) -> str:
    """Decode a whole text by its byte-order mark, else as UTF-8; each line ends with a line feed.

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
        if not any(mark.startswith(start) for mark, __ in _BYTE_ORDER_MARKS):
            break  # the mark is complete, or there is none
    encoding = encoding_of(start, default)
    is_wide = encoding in ("utf-16", "utf-32")
    decoder = codecs.getincrementaldecoder(encoding)("replace" if is_wide else errors)
    parts: list[str] = []
    chunk: bytes | None = start
    while chunk is not None:
        *line_ends, remainder = decoder.decode(chunk).split("\n")
        for line_end in line_ends:
            yield "".join([*parts, line_end, "\n"])
            parts = []
        parts.append(remainder)
        chunk = next(chunks, None)
    last_line = "".join([*parts, decoder.decode(b"", final=True)])
    if last_line:
        yield last_line


def regular_handle(path: Path) -> int:
    """Open a file in a directory of the user's or of others for reading; return its descriptor.

    Opening a FIFO blocks until somebody writes into it, and opening a device may do anything. Files that the user names
    on the command line are opened without this check: a shell passes the output of a command as a FIFO.

    Raises:
        OSError: It cannot be opened, or is not a regular file.
    """
    if not path.is_file() and path.exists():  # checked before it is opened, because of devices
        raise _not_regular(path)
    # A FIFO may have replaced the file by now: O_NONBLOCK opens it without waiting.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | BINARY)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _not_regular(path)
    return handle


def _not_regular(path: Path) -> OSError:
    return OSError(errno.EINVAL, _("not a regular file"), str(path))


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading; see :func:`regular_handle`."""
    return os.fdopen(regular_handle(path), "rb")


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file; raises OSError like :func:`regular_handle`."""
    with open_regular(path) as file:
        return file.read()


def read_text(path: Path, advice: str = _("check the name")) -> str:
    """Read a text file by its byte-order mark, else as UTF-8 or Latin-1; each line ends with a line feed.

    Args:
        path: The file.
        advice: What to do if it cannot be read.

    Raises:
        StorageError: It cannot be read, or is no text.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise StorageError(
            _("{path} cannot be read ({reason})").format(path=path, reason=system_reason(error)), advice
        ) from None
    try:
        text = decoded(raw)
    except UnicodeDecodeError:
        # Older programs write Latin-1. A text with a mark of UTF-16 or UTF-32 is damaged in a few places only.
        encoding = encoding_of(raw, "latin-1")
        text = _with_line_feeds(raw.decode("latin-1" if encoding == "utf-8-sig" else encoding, "replace"))
    if "\0" in text:
        raise StorageError(_("{path} is not a text file").format(path=path), _("choose one that was saved as text"))
    return text


def read_json(text: str | bytes) -> Any:
    """Parse a JSON text.

    Raises:
        EndgameError: It is no JSON, is nested a thousand deep, or has numbers of thousands of digits.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise EndgameError(_("it is not JSON")) from None


def read_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text; raises EndgameError like :func:`read_json`."""
    import tomllib  # imported late: most users have no such file

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecursionError):
            reason = _("it is nested too deeply")
        else:
            reason = shorten(str(error))
        raise EndgameError(reason) from None


def has_shape(value: Any, shape: Any) -> bool:
    """Whether parsed JSON is of a shape.

    Args:
        value: Anything that ``json.loads`` returns.
        shape: A type, exactly; a range of numbers; ``[shape]`` for a list of any length; a tuple of shapes for a list
            of that length; a dict of shapes for an object with exactly these fields; or a predicate.
    """
    if isinstance(shape, range):
        return type(value) is int and value in shape
    if isinstance(shape, type):
        return type(value) is shape
    if isinstance(shape, list):
        return isinstance(value, list) and all(has_shape(part, shape[0]) for part in cast("list[Any]", value))
    if isinstance(shape, tuple):
        shapes = cast("tuple[Any, ...]", shape)
        return (
            isinstance(value, list)
            and len(cast("list[Any]", value)) == len(shapes)
            and all(map(has_shape, value, shapes))
        )
    if isinstance(shape, dict):
        fields = cast("dict[str, Any]", shape)
        has_fields = isinstance(value, dict) and fields.keys() == value.keys()
        return has_fields and all(has_shape(value[name], fields[name]) for name in fields)
    return shape(value)
