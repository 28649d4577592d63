"""Lines in and out: wrapped, in ASCII where that is wanted, with history and completion where somebody types."""

from __future__ import annotations

import contextlib
import io
import shutil
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from endgame_core.untrusted import encoding_of, visible
from endgame_core.words.screen_reader import in_ascii
from endgame_core.words.text_model import in_rows

WIDEST = 80
"""Columns of a line at most."""

_HISTORY = 500


class Terminal:
    """Where one types and hears.

    Lines are edited by GNU readline, which writes the characters that are typed and nothing else: it does not paint
    prompt and line anew at each key, as prompt_toolkit does, which a screen reader would read out again and again.

    Args:
        ascii: Whether only letters of ASCII are written; None asks the encoding of the output.
        source: Where lines come from; standard input by default.
        sink: Where they go; standard output by default.
        history: The file that keeps what was typed; None for none.
    """

    def __init__(
        self,
        ascii: bool | None = None,
        source: IO[str] | None = None,
        sink: IO[str] | None = None,
        history: Path | None = None,
    ) -> None:
        self._source, self._sink = source or sys.stdin, sink or sys.stdout
        self.typed = self._source.isatty()
        """Whether somebody types; else lines come from a file or a pipe, and are told as they come."""
        for stream in (self._source, self._sink):
            with contextlib.suppress(AttributeError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        encoding = (getattr(self._sink, "encoding", None) or "ascii").lower().replace("-", "")
        self.ascii = encoding not in ("utf8", "utf16", "utf32") if ascii is None else ascii
        self._has_encoding = self.typed
        """Whether the encoding of the source is settled: that of a pipe or a file, which its first bytes may name."""
        self._writing = threading.RLock()
        self._prompt: str | None = None
        self._readline: Any = None
        self._history = history
        if self.typed and self._source is sys.stdin and self._sink.isatty():
            self._set_up()

    def _set_up(self) -> None:
        """Line editing, where the system has it."""
        try:
            import readline
        except ImportError:
            return
        self._readline = readline
        tab = "bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete"
        for line in ("set enable-bracketed-paste off", "set bell-style none", tab):
            readline.parse_and_bind(line)
        readline.set_completer_delims(" ")
        if self._history is not None and self._history.is_file():
            with contextlib.suppress(OSError):
                readline.read_history_file(self._history)
        readline.set_history_length(_HISTORY)

    def complete_with(self, candidates: Callable[[str], list[str]]) -> None:
        """What the last word of a line may become; given the line up to the cursor."""
        readline = self._readline
        if readline is None:
            return
        options: list[str] = []

        def complete(text: str, number: int) -> str | None:
            if number == 0:
                line = readline.get_line_buffer()[: readline.get_endidx()]
                options[:] = [each for each in candidates(line) if each.startswith(text)]
            return f"{options[number]} " if number < len(options) else None

        readline.set_completer(complete)

    @property
    def width(self) -> int:
        """Columns of a line."""
        if not self._sink.isatty():
            return WIDEST
        return max(min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns), 20)

    def _lines(self, text: str) -> Iterator[str]:
        text = in_ascii(text) if self.ascii else visible(text)
        yield from in_rows(text, self.width) or [""]

    def write(self, text: str) -> None:
        """Writes a line, broken between words where it is too long; raises BrokenPipeError when nobody reads on."""
        with self._writing:
            self._put("".join(f"{line}\n" for line in self._lines(text)))

    def write_as_is(self, text: str) -> None:
        """Writes a row of a picture, or of a position, whose blanks stay; what is too wide goes on in the next row."""
        text = in_ascii(text) if self.ascii else visible(text)
        for at in range(0, max(len(text), 1), self.width):
            self._put(text[at : at + self.width] + "\n")

    def interject(self, text: str) -> None:
        """Writes a line while another may be typed, which is written again behind it."""
        with self._writing:
            if self._prompt is None:
                self.write(text)
                return
            begun = self._readline.get_line_buffer() if self._readline is not None else ""
            self._put("\n")
            self.write(text)
            self._put(self._prompt + begun)

    def _put(self, text: str) -> None:
        self._sink.write(text)
        self._sink.flush()

    def read(self, prompt: str) -> str | None:
        """The next line; None at the end of the input. Raises KeyboardInterrupt on Ctrl-C."""
        prompt = in_ascii(prompt) if self.ascii else prompt
        if self._readline is not None:
            self._prompt = prompt
            try:
                line = input(prompt)
            except EOFError:
                self._put("\n")
                return None
            finally:
                self._prompt = None
            return line
        if self.typed:
            self._prompt = prompt
            self._put(prompt)
        try:
            self._settle_encoding()
            line = self._source.readline()
        finally:
            self._prompt = None
        if not line:
            return None
        if not self.typed:
            self.write(prompt + line.rstrip("\r\n"))
        return line.rstrip("\r\n")

    def _settle_encoding(self) -> None:
        """Follow the byte-order mark at the start of a pipe or a file; this waits for its first bytes."""
        if self._has_encoding:
            return
        self._has_encoding = True
        source = self._source
        if isinstance(source, io.TextIOWrapper) and isinstance(source.buffer, io.BufferedReader):
            encoding = encoding_of(source.buffer.peek(4), source.encoding)
            source.reconfigure(encoding=encoding, errors="replace")

    def close(self) -> None:
        """Keeps what was typed."""
        if self._readline is not None and self._history is not None:
            with contextlib.suppress(OSError):
                self._history.parent.mkdir(parents=True, exist_ok=True)
                self._readline.write_history_file(self._history)
