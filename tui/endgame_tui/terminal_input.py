"""Terminal input that no byte can end: Textual's input threads raise on bytes that are not valid UTF-8."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from textual import events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.message import Message

_MOUSE_REPORT: Final = b"\x1b[M"
"""Starts an X10 mouse report: three bytes follow, each of any value from 32 up (and 0 for a cell beyond 223)."""

_MOUSE_BYTES: Final = 3
"""Bytes after the start of an X10 mouse report: buttons, column, row."""

_MAX_SIZE: Final = 5000
"""The most columns or rows that a terminal may report."""


class TerminalDecoder:
    """Decode what a terminal sends; a drop-in replacement for Python's incremental UTF-8 decoder.

    A byte that is not valid UTF-8 becomes U+FFFD, which no key is bound to. The three bytes of an X10 mouse report are
    numbers, not text: the coordinates 163 and 137 are the bytes C3 A9, which UTF-8 reads as one character, so that
    Textual would take the next key for the missing one. They become one character each.

    Args:
        encoding: The encoding of everything but mouse reports.
    """

    def __init__(self, encoding: str = "utf-8") -> None:
        self._decoder = getincrementaldecoder(encoding)("replace")
        self._recent = b""
        self._mouse_bytes = 0

    def decode(self, data: bytes, final: bool = False) -> str:
        """Return the text of some bytes; an unfinished character waits for the next call unless this is the last."""
        characters: list[str] = []
        # Byte by byte, so that the start of a mouse report is noticed also if its rest comes in the next call.
        for number in data:
            byte = bytes([number])
            if self._mouse_bytes:
                self._mouse_bytes -= 1
                # Latin-1 gives every byte the character of the same number.
                characters.append(byte.decode("latin-1"))
                continue

            characters.append(self._decoder.decode(byte))
            self._recent = (self._recent + byte)[-len(_MOUSE_REPORT) :]
            if self._recent == _MOUSE_REPORT:
                self._mouse_bytes = _MOUSE_BYTES
                self._recent = b""
        characters.append(self._decoder.decode(b"", final))
        return "".join(characters)


class TolerantParser(XTermParser):
    """Skip escape sequences that make Textual's parser raise, e.g. a key whose code point does not exist."""

    def feed(self, data: str) -> Iterable[Message]:
        """Yield the messages of some input; an empty text, which would end Textual's parser, has none."""
        # One by one: a sequence that makes the parser raise takes only its own characters with it.
        for character in data:
            try:
                for message in super().feed(character):
                    if not _is_oversized(message):
                        yield message
            except (ArithmeticError, ValueError):
                # The parser is a generator, which has ended by raising: start a new one.
                XTermParser.__init__(self, debug=self._debug_log_file is not None)


def _is_oversized(message: Message) -> bool:
    """Whether a message reports a terminal so large that drawing it would exhaust the memory."""
    return isinstance(message, events.Resize) and max(message.size) > _MAX_SIZE


def make_tolerant(driver_class: type[Driver]) -> None:
    """Have a driver of Textual read input with the classes above.

    The drivers offer no hook for this: the name of the decoder is a global of each driver's module, and is looked up
    when the input thread starts. A driver without such a thread (tests, Windows) stays as it is.
    """
    for base in driver_class.__mro__:
        module: Any = sys.modules[base.__module__]
        if base.__module__.startswith("textual.drivers.") and hasattr(module, "getincrementaldecoder"):
            # ``getincrementaldecoder("utf-8")()`` there: a function of the encoding that returns a class.
            module.getincrementaldecoder = partial(partial, TerminalDecoder)
            module.XTermParser = TolerantParser
