"""A child process that exchanges JSON lines with its parent: the parent's handle and the child's functions.

A child is a module run by ``python -m``. Its first line of input is the request; it exits as soon as its input closes,
so it never outlives its parent. Its output is one JSON message per line.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from typing import IO, Any, NoReturn

from endgame_core import errors
from endgame_core.errors import EndgameError
from endgame_core.language import _

_KILL_WAIT = 1.0
"""Minimum seconds to wait for a killed child."""


class Child:
    """A child process, as its parent sees it. Thread-safe.

    Args:
        module: The module to run.
        request: The first line of its input.
        environment: Its whole environment; by default the parent's.
        stderr: Stream for its standard error; discarded by default.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(
        self,
        module: str,
        request: Mapping[str, Any],
        environment: Mapping[str, str] | None = None,
        stderr: IO[str] | None = None,
    ) -> None:
        import subprocess  # most commands start no child

        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],  # -P: a chess.py in the current directory is not ours
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr or subprocess.DEVNULL,
            text=True,
            env=environment,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.send(request)

    @property
    def is_alive(self) -> bool:
        """Whether it is running."""
        return self._process.poll() is None

    def send(self, message: Mapping[str, Any]) -> None:
        """Write a line to its input; errors are ignored, because the reader of its output notices when it dies."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def detach(self) -> None:
        """Stop reading its output; the process may outlive this one."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.returncode = 0  # no warning that it is still running

    def messages(self) -> Generator[dict[str, Any]]:
        """Yield its messages until it exits or writes invalid JSON; for one thread, which must close the generator."""
        assert self._process.stdout is not None
        with self._process.stdout as lines, contextlib.suppress(ValueError):
            for line in lines:
                yield json.loads(line)

    def end(self, timeout: float) -> None:
        """Close its input, wait up to ``timeout`` seconds for it to exit, then kill it.

        After a kill the wait is limited too: a disk may take minutes to free large unlinked files.
        """
        from subprocess import TimeoutExpired

        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout)
        except TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(TimeoutExpired):
                self._process.wait(max(timeout, _KILL_WAIT))


def send(message: Mapping[str, Any]) -> None:
    """In the child: write a message to standard output."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def read_messages() -> Generator[dict[str, Any]]:
    """In the child: yield the parent's messages until the input closes."""
    for line in sys.stdin:
        yield json.loads(line)


def end_with_input(cleanup: Callable[[], object]) -> None:
    """In the child: once the input closes, call ``cleanup`` and exit, even if other threads are running."""

    def wait() -> None:
        for __ in read_messages():
            pass
        try:
            cleanup()
        finally:
            os._exit(3)

    threading.Thread(target=wait, daemon=True).start()


def serve(work: Callable[[dict[str, Any]], None]) -> NoReturn:
    """In the child: do the work of the first line of input, then exit, even if other threads are running."""
    code = 0
    try:
        work(next(read_messages()))
    except EndgameError as error:
        send(as_message(error))
        code = 1
    except MemoryError:
        send(
            as_message(
                EndgameError(_("there is not enough memory"), _("close other programs or choose a smaller ending"))
            )
        )
        code = 1
    sys.stdout.flush()
    os._exit(code)


def load_object(entry: str) -> Any:
    """Return the object named by ``module:name``, e.g. the game that the parent works on."""
    module, __, name = entry.partition(":")
    return getattr(importlib.import_module(module), name)


def as_message(error: EndgameError) -> dict[str, Any]:
    """In the child: convert an error into a message for the parent."""
    return {"error": type(error).__name__, **vars(error)}


def as_error(message: Mapping[str, Any]) -> EndgameError:
    """Convert a message of :func:`as_message` back into the error."""
    facts = dict(message)
    kind: type[EndgameError] = getattr(errors, facts.pop("error"), EndgameError)
    result = kind.__new__(kind)
    EndgameError.__init__(result, facts.pop("what"), facts.pop("then"))
    vars(result).update(facts)
    return result
