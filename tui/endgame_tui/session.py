"""The driver of an app in a browser tab: it exits when the server is gone, however that ended."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from textual import messages
from textual.drivers.web_driver import WebDriver

_EXIT_SECONDS = 8.0
"""Seconds that the app has to exit by itself once the server is gone."""


class SessionDriver(WebDriver):
    """Talks to :class:`endgame_tui.web.Session` over standard input and output."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Textual's writer raises if the server is gone, and ignores that a pipe may take only a part.
        self._write = self._write_to_server

    def _write_to_server(self, data: bytes) -> int:
        """Write to the server; errors are ignored, since the input thread notices that the server is gone."""
        with suppress(OSError):
            remaining = memoryview(data)
            while remaining:
                written = os.write(self.fileno, remaining)
                remaining = remaining[written:]
        return len(data)

    def run_input_thread(self) -> None:
        """Read until the server is gone or the app has exited; then make sure that the process ends."""
        super().run_input_thread()
        # If it is not set, the input has ended because the server is gone, and the app does not know yet.
        if not self.exit_event.is_set():
            self._app.post_message(messages.ExitApp())
        # A daemon, so that an app that exits in time does not wait for it.
        threading.Thread(target=_force_exit, daemon=True).start()


def _force_exit() -> None:
    """End the process if the app has not done so by itself."""
    time.sleep(_EXIT_SECONDS)
    with suppress(OSError):
        sys.stderr.flush()
    # This skips the clean-up, on which the app may be hanging.
    os._exit(1)
