"""A child process that speaks JSON lines: what its parent holds of it, and what it calls itself.

A child is a module that is run by ``python -m``. Its first line of input says what it is to work on; it ends as soon as
its input closes, so it never outlives the process that started it. What it says comes out line by line.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Mapping
from typing import IO, Any, NoReturn

from endgame_core import errors
from endgame_core.errors import EndgameError

_KILL_WAIT = 1.0
"""Seconds for which a child that was killed is waited for at least."""


class Child:
    """A child process, as its parent sees it; safe from several threads.

    Args:
        module: What is run.
        request: The first line of its input.
        environment: All of its environment; by default the parent's own.
        complaints: Where its standard error goes; nowhere by default.

    Raises:
        OSError: No process can be started.
    """

    def __init__(
        self,
        module: str,
        request: Mapping[str, Any],
        environment: Mapping[str, str] | None = None,
        stderr: IO[str] | None = None,
    ) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
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
        """Whether it still runs."""
        return self._process.poll() is None

    def send(self, message: Mapping[str, Any]) -> None:
        """Writes a line to its input; that it has died is for the reader of its output to find out."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()

    def messages(self) -> Generator[dict[str, Any]]:
        """What it says, until it ends or says what is no JSON; to be read by one thread, and closed at the end."""
        assert self._process.stdout is not None
        with self._process.stdout as lines, contextlib.suppress(ValueError):
            for line in lines:
                yield json.loads(line)

    def end(self, timeout: float) -> None:
        """Closes its input, by which it ends, and waits for it so many seconds before it is killed.

        Then it is waited for a moment, not for ever: a disk may take minutes to free large files without a name.
        """
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(max(timeout, _KILL_WAIT))


def send(message: Mapping[str, Any]) -> None:
    """In the child: writes a line of output."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def read_messages() -> Generator[dict[str, Any]]:
    """In the child: what its parent tells it, until the input closes."""
    for line in sys.stdin:
        yield json.loads(line)


def end_with_input(cleanup: Callable[[], object]) -> None:
    """In the child: does something as soon as its input closes, and ends the process, whatever still runs in it."""

    def wait() -> None:
        for _ in read_messages():
            pass
        try:
            cleanup()
        finally:
            os._exit(3)

    threading.Thread(target=wait, daemon=True).start()


def serve(work: Callable[[dict[str, Any]], None]) -> NoReturn:
    """In the child: does what its first line of input asks for, and ends the process, whatever still runs in it."""
    code = 0
    try:
        work(next(read_messages()))
    except EndgameError as error:
        send(as_message(error))
        code = 1
    except MemoryError:
        send(as_message(EndgameError("there is not enough memory", "close other programs or take a smaller ending")))
        code = 1
    sys.stdout.flush()
    os._exit(code)


def load_object(entry: str) -> Any:
    """In the child: the object that ``module:name`` means, such as the game that the parent works on."""
    module, _, name = entry.partition(":")
    return getattr(importlib.import_module(module), name)


def as_message(error: EndgameError) -> dict[str, Any]:
    """In the child: an error in words for its parent."""
    return {"error": type(error).__name__, **vars(error)}


def as_error(message: Mapping[str, Any]) -> EndgameError:
    """The error of a child, made again from :func:`as_message`."""
    facts = dict(message)
    kind: type[EndgameError] = getattr(errors, facts.pop("error"), EndgameError)
    result = kind.__new__(kind)
    EndgameError.__init__(result, facts.pop("what"), facts.pop("then"))
    vars(result).update(facts)
    return result
