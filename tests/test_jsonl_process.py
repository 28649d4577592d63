"""A child process that speaks JSON lines: its messages and errors arrive unchanged, and its end is noticed."""

from __future__ import annotations

import subprocess
import textwrap
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from endgame_core import errors
from endgame_core.chess.engine import EngineError
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError, MissingError, NotBuiltError, TableError
from endgame_core.jsonl_process import Child, as_error, as_message, load_object

ECHO = """
    import sys
    from endgame_core import jsonl_process as child
    from endgame_core.errors import NotBuiltError

    for message in child.read_messages():
        if message == {"fail": True}:
            child.send(child.as_message(NotBuiltError("KQvK", by="dtz")))
        elif message == {"babble": True}:
            print("no JSON", flush=True)
        elif message == {"linger": True}:
            break
        else:
            child.send({"heard": message})
    if message == {"linger": True}:
        import time
        time.sleep(3600)
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module that says again what it is told."""
    (tmp_path / "echoing.py").write_text(textwrap.dedent(ECHO))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    return "echoing"


def test_messages_arrive_in_order(module: str) -> None:
    child = Child(module, {"first": 1})
    child.send({"text": "ä\n→"})
    with closing(child.messages()) as messages:
        assert next(messages) == {"heard": {"first": 1}}
        assert next(messages) == {"heard": {"text": "ä\n→"}}
        assert child.is_alive
        child.end(5)
        assert list(messages) == [] and not child.is_alive
    child.send({"too": "late"})
    child.end(5)


def test_an_error_is_raised_again_in_the_parent(module: str) -> None:
    child = Child(module, {"fail": True})
    with closing(child.messages()) as messages:
        error = as_error(next(messages))
        child.end(5)
    assert isinstance(error, NotBuiltError) and error.ending == "KQvK"
    assert str(error) == str(NotBuiltError("KQvK", by="dtz"))


@pytest.mark.parametrize(
    "error",
    [
        EndgameError("it failed", "try again"),
        MissingError("KQvK", "KQvK by DTZ", "build it", ("Qa1",)),
        TableError.of_file(Path("KQvK.egt"), "is truncated", "build it again"),
        *(kind("what", "then") for kind in vars(errors).values() if kind in EndgameError.__subclasses__()
          and kind not in (NotBuiltError, MissingError, errors.BuildCancelledError)),
        errors.BuildCancelledError(),
    ],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_errors_cross_the_process_boundary_unchanged(error: EndgameError) -> None:
    found = as_error(as_message(error))
    assert type(found) is type(error) and str(found) == str(error) and vars(found) == vars(error)


def test_an_error_of_another_library_keeps_its_message() -> None:
    found = as_error(as_message(EngineError("the engine is mute", "use another one")))
    assert type(found) is EndgameError and str(found) == "the engine is mute; use another one."


@pytest.mark.parametrize(("told", "patience"), [({"babble": True}, 5), ({"linger": True}, 0.5)])
def test_a_process_that_sends_no_json_or_does_not_end_is_killed(
    module: str, told: dict[str, Any], patience: float
) -> None:
    child = Child(module, told)
    with closing(child.messages()) as messages:
        if "babble" in told:
            assert list(messages) == []
        child.end(patience)
        assert list(messages) == [] and not child.is_alive


def test_a_process_that_is_slow_to_end_is_not_waited_for(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is killed while the disk frees what it had mapped stays for minutes; its answer need not."""
    child, waited = Child(module, {"linger": True}), list[float | None]()

    def wait(process: subprocess.Popen[str], timeout: float | None = None) -> int:
        waited.append(timeout)
        raise subprocess.TimeoutExpired("", timeout or 0)

    with closing(child.messages()) as messages:
        with monkeypatch.context() as patched:
            patched.setattr(subprocess.Popen, "wait", wait)
            child.end(0.5)
        assert waited == [0.5, 1.0]
        child.end(5)
        assert list(messages) == []


def test_an_entry_point_is_loaded_by_name() -> None:
    assert load_object(CHESS.entry) is CHESS
