"""Lines in and out: wrapped, in ASCII on request, with line editing, history and completion at a terminal."""

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
"""Lines are at most this many columns wide, however wide the terminal is."""

_NARROWEST = 20
"""Lines may be this wide, however narrow the terminal is."""

_HISTORY = 500
"""Lines of input that the history file keeps."""


class Terminal:
    """Reads and writes lines.

    Lines are edited with GNU readline, which writes the characters that are typed and nothing else: it does not repaint
    the prompt and the line at each key, as prompt_toolkit does, which a screen reader would read aloud again and again.

    Args:
        ascii: Whether to write ASCII only; None for whenever the encoding of the output is not a Unicode one.
        source: The input (default: standard input).
        sink: The output (default: standard output).
        history: The file that stores the input for the next session; None for none.

    Attributes:
        is_interactive: Whether somebody types the input; else it is a file or a pipe, and each line is echoed.
    """

    def __init__(
        self,
        ascii: bool | None = None,
        source: IO[str] | None = None,
        sink: IO[str] | None = None,
        history: Path | None = None,
    ) -> None:
        self._source = source or sys.stdin
        self._sink = sink or sys.stdout
        self.is_interactive = self._source.isatty()
        for stream in (self._source, self._sink):
            with contextlib.suppress(AttributeError, ValueError):
                # An unknown byte or character must not end the dialogue.
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]

        if ascii is None:
            encoding = (getattr(self._sink, "encoding", None) or "ascii").lower().replace("-", "")
            ascii = encoding not in ("utf8", "utf16", "utf32")
        self.ascii = ascii
        self._is_encoding_settled = self.is_interactive
        """Whether the encoding of the input is known; the first bytes of a pipe or a file may name another one."""

        self._lock = threading.RLock()
        """Held while a line is written: other threads interject lines."""
        self._prompt: str | None = None
        """The prompt after which a line is being typed; None while none is."""
        self._readline: Any = None
        self._history = history
        if self.is_interactive and self._source is sys.stdin and self._sink.isatty():
            self._set_up_readline()

    def _set_up_readline(self) -> None:
        """Enable line editing, completion and history, where Python has the readline module."""
        try:
            import readline
        except ImportError:
            return
        self._readline = readline
        is_libedit = "libedit" in (readline.__doc__ or "")  # macOS; it has another syntax for keys
        # Bracketed paste writes an escape sequence before and after every line that is read.
        readline.parse_and_bind("set enable-bracketed-paste off")
        readline.parse_and_bind("set bell-style none")
        if is_libedit:
            readline.parse_and_bind("bind ^I rl_complete")
        else:
            readline.parse_and_bind("tab: complete")
        # Only blanks divide words: moves and endings contain the other characters, e.g. e8=Q or 3-4.
        readline.set_completer_delims(" ")

        if self._history is not None and self._history.is_file():
            with contextlib.suppress(OSError):
                readline.read_history_file(self._history)
        readline.set_history_length(_HISTORY)

    def complete_with(self, candidates: Callable[[str], list[str]]) -> None:
        """Set the completion: ``candidates`` is given the line up to the cursor and completes its last word."""
        readline = self._readline
        if readline is None:
            return
        options: list[str] = []

        def complete(text: str, number: int) -> str | None:
            # readline asks for option 0, 1, 2 ... until it gets None.
            if number == 0:
                line = readline.get_line_buffer()[: readline.get_endidx()]
                options[:] = [candidate for candidate in candidates(line) if candidate.startswith(text)]
            if number < len(options):
                return f"{options[number]} "
            return None

        readline.set_completer(complete)

    # Output

    @property
    def width(self) -> int:
        """Columns of a line."""
        if not self._sink.isatty():
            return WIDEST
        columns = shutil.get_terminal_size((WIDEST, 24)).columns
        return max(min(WIDEST, columns), _NARROWEST)

    def _printable(self, text: str) -> str:
        if self.ascii:
            return in_ascii(text)
        return visible(text)

    def _lines(self, text: str) -> Iterator[str]:
        yield from in_rows(self._printable(text), self.width) or [""]

    def write(self, text: str) -> None:
        """Write a text, wrapped between words; raises BrokenPipeError if the output is closed."""
        with self._lock:
            self._put("".join(f"{line}\n" for line in self._lines(text)))

    def write_as_is(self, text: str) -> None:
        """Write a row of a diagram or a position with its spaces; it is broken only where it is too wide."""
        text = self._printable(text)
        for start in range(0, max(len(text), 1), self.width):
            self._put(text[start : start + self.width] + "\n")

    def interject(self, text: str) -> None:
        """Write a text while another line may be being typed; the prompt and that line are written again after it."""
        with self._lock:
            if self._prompt is None:
                self.write(text)
                return
            unfinished = ""
            if self._readline is not None:
                # Without readline the terminal itself has the unfinished line, which cannot be read.
                unfinished = self._readline.get_line_buffer()
            self._put("\n")
            self.write(text)
            self._put(self._prompt + unfinished)

    def _put(self, text: str) -> None:
        self._sink.write(text)
        self._sink.flush()

    # Input

    def read(self, prompt: str) -> str | None:
        """Return the next line; None at the end of the input. Raises KeyboardInterrupt on Ctrl-C."""
        if self.ascii:
            prompt = in_ascii(prompt)
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

        if self.is_interactive:
            self._prompt = prompt
            self._put(prompt)
        try:
            self._settle_encoding()
            line = self._source.readline()
        finally:
            self._prompt = None
        if not line:
            return None
        line = line.rstrip("\r\n")
        if not self.is_interactive:
            # Echoed, so that the output of a script reads like the dialogue.
            self.write(prompt + line)
        return line

    def _settle_encoding(self) -> None:
        """Follow the byte-order mark at the start of a pipe or a file; this waits for its first bytes."""
        if self._is_encoding_settled:
            return
        self._is_encoding_settled = True
        source = self._source
        if isinstance(source, io.TextIOWrapper) and isinstance(source.buffer, io.BufferedReader):
            # peek does not consume the bytes, so that the text begins with them.
            encoding = encoding_of(source.buffer.peek(4), source.encoding)
            source.reconfigure(encoding=encoding, errors="replace")

    def close(self) -> None:
        """Store the history."""
        if self._readline is not None and self._history is not None:
            with contextlib.suppress(OSError):
                self._history.parent.mkdir(parents=True, exist_ok=True)
                self._readline.write_history_file(self._history)
