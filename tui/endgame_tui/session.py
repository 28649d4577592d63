"""The driver of an app in a browser's tab: it ends with the server, whatever has become of that."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from textual import messages
from textual.drivers.web_driver import WebDriver

_LAST = 8.0
"""Seconds in which the app may come to its end by itself once nobody listens any more."""


class SessionDriver(WebDriver):
    """Speaks with :class:`endgame_tui.web.Session` over standard input and output."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._write = self._to_server

    def _to_server(self, data: bytes) -> int:
        """Writes to the server; that it is gone is noticed where it is read from."""
        with suppress(OSError):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self.fileno, rest) :]
        return len(data)

    def run_input_thread(self) -> None:
        """Reads until there is no server any more, or the app has ended."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())
        threading.Thread(target=_end, daemon=True).start()


def _end() -> None:
    """Ends the process where the app does not."""
    time.sleep(_LAST)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(1)
