"""Engines: our search in its own process; others that work, lie, fall silent or die; and which one takes over."""

from __future__ import annotations

import os
import queue
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chess
import pytest

from endgame_core.app_context import AppContext
from endgame_core.chess import engine
from endgame_core.chess.engine import EngineError, EngineThinker, find_engine
from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError
from endgame_core.search_estimate import Engine, Limits, OnEnd, OnEstimate, SearchEstimate
from endgame_core.tables.library import Library
from endgame_core.tasks.engine_task import EngineTask
from endgame_core.thinking import SearchEngine

LOCKED = "8/5k2/3p4/1p1Pp3/pP2Pp2/P4P2/5K2/8 w - - 0 1"
BACK_RANK = "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"
MATED = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"
PATIENCE = 30
"""Seconds after which a test gives up waiting."""


class Said:
    """Everything a thinker has said of one thought, in order."""

    def __init__(self) -> None:
        self.all: queue.Queue[Any] = queue.Queue()

    def think(self, who: Engine, fen: str, limits: Limits) -> None:
        who.think(
            CHESS.start_game(chess.Board(fen)), limits, self.all.put, lambda problem: self.all.put(("end", problem))
        )

    def next(self) -> Any:
        return self.all.get(timeout=PATIENCE)

    def until_end(self) -> tuple[list[SearchEstimate[chess.Move]], EndgameError | None]:
        estimates: list[SearchEstimate[chess.Move]] = []
        while isinstance(found := self.next(), SearchEstimate):
            estimates.append(found)
        return estimates, found[1]


ENGINE = """#!{python}
import os, sys, time
KIND = {kind!r}
if KIND == "mute":
    time.sleep(3600)
thoughts = 0
for line in sys.stdin:
    words = line.split()
    if words[:1] == ["uci"]:
        print("id name Paper 1.0\\nuciok", flush=True)
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["quit"]:
        break
    elif words[:1] == ["go"]:
        thoughts += 1
        if KIND == "silent":
            time.sleep(3600)
        print("info depth 1 score cp 31 nodes 20 time 1 pv f2g2 f7f6", flush=True)
        if KIND == "dies":
            os._exit(1)
        print("info depth 2 score cp 40 lowerbound nodes 30 time 2 pv f2g2", flush=True)
        print("info depth 2 score mate -3 nodes 40 time 3 pv f2e2 f7f6", flush=True)
        if KIND == "deaf" and thoughts == 1:
            time.sleep(3600)
        if KIND != "waits":
            print("bestmove f2e2", flush=True)
    elif words[:1] == ["stop"]:
        if KIND == "waits":
            print("bestmove f2e2", flush=True)
"""


def paper(tmp_path: Path, kind: str) -> Path:
    """A program that speaks as much UCI as a test needs."""
    path = tmp_path / f"paper-{kind}"
    path.write_text(ENGINE.format(python=sys.executable, kind=kind))
    path.chmod(0o755)
    return path


@pytest.fixture
def search(tmp_path: Path) -> Iterator[SearchEngine]:
    found = SearchEngine(CHESS, [str(tmp_path)])
    yield found
    found.close()


def test_the_search_runs_in_its_own_process(search: SearchEngine) -> None:
    said = Said()
    said.think(search, BACK_RANK, Limits(3600))
    estimates, problem = said.until_end()
    assert problem is None
    assert estimates[-1].mate == 1
    assert estimates[-1].move == chess.Move.from_uci("b1b8")
    assert estimates[-1].source == search.name == "search"
    said.think(search, LOCKED, Limits(3600, 5))
    assert [estimate.depth for estimate in said.until_end()[0]] == [1, 2, 3, 4, 5]
    said.think(search, MATED, Limits(3600))
    assert [(e.mate, e.line) for e in said.until_end()[0]] == [(0, ())]


def test_the_search_analyses_a_full_game_with_castling_rights(search: SearchEngine) -> None:
    board = CHESS.start_game(chess.Board())
    for san in ("e4", "e5", "Nf3", "Nc6", "Bc4", "Bc5"):
        board.push_san(san)
    said = Said()
    search.think(board, Limits(3600, 1), said.all.put, lambda problem: said.all.put(("end", problem)))
    estimates, problem = said.until_end()
    assert problem is None and estimates[-1].move in board.legal_moves
    said.think(search, "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 9", Limits(3600, 1))
    assert said.until_end()[1] is None


def test_the_search_knows_the_previous_positions(search: SearchEngine) -> None:
    board = CHESS.start_game(chess.Board("8/8/4k3/8/8/q7/8/5K2 w - - 0 1"))
    for _ in range(2):
        for uci in ("f1g1", "e6e5", "g1f1", "e5e6"):
            board.push_uci(uci)
    said = Said()
    search.think(board, Limits(3600, 3), said.all.put, lambda problem: said.all.put(("end", problem)))
    assert said.until_end()[0][-1].score == 0


def test_the_search_probes_tables(library: Library) -> None:
    search, said = SearchEngine(CHESS, library.places), Said()
    try:
        said.think(search, "2K5/2q1Q3/1k6/1P6/8/5p2/8/8 w - - 0 1", Limits(3600))
        last = said.until_end()[0][-1]
        assert (last.mate, last.exact) == (19, True)
    finally:
        search.close()


def test_a_new_task_or_a_cancel_silences_the_previous_task(search: SearchEngine) -> None:
    first, second, third = Said(), Said(), Said()
    first.think(search, LOCKED, Limits(3600))
    assert isinstance(first.next(), SearchEstimate)
    second.think(search, LOCKED, Limits(3600))
    assert isinstance(second.next(), SearchEstimate)
    search.cancel()
    third.think(search, LOCKED, Limits(3600, 3))
    assert third.until_end()[1] is None
    for said in (first, second):
        while not said.all.empty():
            assert isinstance(said.next(), SearchEstimate)


@pytest.mark.slow
def test_a_killed_search_reports_an_error_and_restarts(search: SearchEngine) -> None:
    said = Said()
    said.think(search, LOCKED, Limits(3600))
    assert isinstance(said.next(), SearchEstimate)
    child = search.child
    assert child is not None
    os.kill(child.pid, signal.SIGKILL)
    _, problem = said.until_end()
    assert "stopped unexpectedly" in str(problem)
    said.think(search, LOCKED, Limits(3600, 2))
    estimates, problem = said.until_end()
    assert problem is None
    assert estimates[-1].depth == 2


def test_closing_ends_the_process(tmp_path: Path) -> None:
    search, said = SearchEngine(CHESS, [str(tmp_path)]), Said()
    said.think(search, LOCKED, Limits(3600))
    assert isinstance(said.next(), SearchEstimate)
    child = search.child
    assert child is not None
    search.close()
    assert not child.is_alive
    search.close()


def test_an_engine_analyses_a_position(tmp_path: Path) -> None:
    who, said = EngineThinker(paper(tmp_path, "well")), Said()
    try:
        for _ in range(2):
            said.think(who, LOCKED, Limits(3600))
            estimates, problem = said.until_end()
            assert problem is None
            assert [(e.depth, e.score, e.mate) for e in estimates] == [(1, 31, None), (2, 0, -6)]
            assert estimates[0].line == (chess.Move.from_uci("f2g2"), chess.Move.from_uci("f7f6"))
            assert estimates[0].source == who.name == "Paper 1.0"
            assert not estimates[0].exact
        said.think(who, MATED, Limits(3600))
        assert [(e.mate, e.line) for e in said.until_end()[0]] == [(0, ())]
    finally:
        who.close()


def test_an_engine_task_can_be_cancelled(tmp_path: Path) -> None:
    who, first, second = EngineThinker(paper(tmp_path, "waits")), Said(), Said()
    try:
        first.think(who, LOCKED, Limits(3600))
        assert isinstance(first.next(), SearchEstimate)
        second.think(who, LOCKED, Limits(3600))
        assert isinstance(second.next(), SearchEstimate)
        who.cancel()
    finally:
        who.close()
    for said in (first, second):
        while not said.all.empty():
            assert isinstance(said.next(), SearchEstimate)


def test_an_engine_that_does_not_stop_is_restarted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_TIMEOUT", 0.5)
    who, first, second = EngineThinker(paper(tmp_path, "deaf")), Said(), Said()
    try:
        for said in (first, second):
            said.think(who, LOCKED, Limits(3600))
            assert isinstance(said.next(), SearchEstimate)
    finally:
        who.close()
    while not first.all.empty():
        assert isinstance(first.next(), SearchEstimate)


@pytest.fixture
def failing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], AppContext]]:
    """Makes a laboratory whose engine is a paper one of some kind; what is wrong with it goes to ``troubles``."""
    monkeypatch.setattr(engine, "_TIMEOUT", 0.5)
    made: list[AppContext] = []

    def make(kind: str) -> AppContext:
        monkeypatch.setenv(engine.ENGINE_VARIABLE, str(paper(tmp_path, kind)))
        made.append(AppContext(tmp_path, on_problem=TROUBLES.append))
        return made[-1]

    TROUBLES.clear()
    yield make
    for lab in made:
        lab.close()


TROUBLES: list[EndgameError] = []


@pytest.mark.parametrize("kind", ["dies", "mute", "silent"])
def test_the_search_takes_over_from_a_failed_engine(kind: str, failing: Callable[[str], AppContext]) -> None:
    todo: queue.Queue[Callable[[], None]] = queue.Queue()
    moves: list[chess.Move] = []
    thinking: EngineTask[chess.Move] = EngineTask(failing(kind), "chess", todo.put)
    for count in (1, 2):
        thinking.think(CHESS.start_game(chess.Board(LOCKED)), Limits(0.3, 3), moves.append)
        while thinking.is_awaited:
            todo.get(timeout=PATIENCE)()
        assert thinking.estimate is not None and thinking.problem is None and len(moves) == count
        assert thinking.estimate.source == thinking.name == "search" and moves[-1] == thinking.estimate.move
    assert len(TROUBLES) == 1
    assert "the built-in search is used instead" in str(TROUBLES[0])
    thinking.cancel()


class Failing:
    """An engine that fails at once."""

    name = "failing"

    def think(self, game: Any, limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
        on_end(EngineError("it has stopped", "wait"))

    def cancel(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize("let_go", [EngineTask[Any].forget, EngineTask[Any].cancel], ids=["forgotten", "cancelled"])
def test_a_task_cancelled_while_its_engine_fails_does_not_continue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, let_go: Callable[[EngineTask[chess.Move]], None]
) -> None:
    monkeypatch.setattr(AppContext, "_external_engine", lambda *_: Failing())
    todo, troubles = list[Callable[[], None]](), list[EndgameError]()
    lab = AppContext(tmp_path, on_problem=troubles.append)
    thinking: EngineTask[chess.Move] = EngineTask(lab, "chess", todo.append)
    thinking.think(CHESS.start_game(chess.Board(LOCKED)), Limits(0.3, 3), lambda move: None)
    let_go(thinking)
    todo.pop()()
    assert type(lab.engine("chess")) is Failing and not troubles and not todo and not thinking.is_awaited


def test_a_late_failure_does_not_disable_the_newly_set_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that thinks now is asked."""
    asked = list[Engine]()

    class Silent(Failing):
        def think(self, game: Any, limits: Limits, on_estimate: OnEstimate, on_end: OnEnd) -> None:
            asked.append(self)

    engines = iter([Failing(), Silent()])
    monkeypatch.setattr(AppContext, "_external_engine", lambda *_: next(engines))
    todo, troubles = list[Callable[[], None]](), list[EndgameError]()
    lab = AppContext(tmp_path, on_problem=troubles.append)
    thinking: EngineTask[chess.Move] = EngineTask(lab, "chess", todo.append)
    thinking.think(CHESS.start_game(chess.Board(LOCKED)), Limits(0.3, 3))
    lab.reset_engines()
    new = lab.engine("chess")
    todo.pop()()
    assert lab.engine("chess") is new and asked == [new] and not troubles


def test_nothing_waits_for_a_cancelled_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(engine.ENGINE_VARIABLE, "off")
    todo: queue.Queue[Callable[[], None]] = queue.Queue()
    lab = AppContext(tmp_path)
    thinking: EngineTask[chess.Move] = EngineTask(lab, "chess", todo.put)
    try:
        thinking.think(CHESS.start_game(chess.Board(LOCKED)), Limits(3600), lambda move: None)
        todo.get(timeout=PATIENCE)()
        thinking.cancel()
        assert not thinking.is_awaited and thinking.estimate is not None and thinking.problem is None
    finally:
        lab.close()


def test_an_engine_program_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    for content in ("", "#!/nowhere/at/all\n"):
        program = tmp_path / "empty"
        program.write_text(content)
        who, said = EngineThinker(program), Said()
        try:
            said.think(who, LOCKED, Limits(1))
            estimates, problem = said.until_end()
            assert not estimates
            assert isinstance(problem, EngineError)
            assert "cannot be started" in str(problem)
        finally:
            who.close()


def test_the_engine_comes_from_the_variable_then_the_setting_then_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(engine.ENGINE_VARIABLE, raising=False)
    monkeypatch.setattr(engine, "KNOWN", ("paper-well",))
    assert find_engine(tmp_path) is None
    program = paper(tmp_path, "well")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_engine(tmp_path) == program
    settings = tmp_path / "settings.toml"
    settings.write_text('engine = "off"\n')
    assert find_engine(tmp_path) is None
    settings.write_text(f'engine = "{program}"\n')
    assert find_engine(tmp_path) == program
    settings.write_text("engine = 3\n")
    with pytest.raises(EndgameError, match="engine cannot be '3'"):
        find_engine(tmp_path)
    settings.write_text("engine = \n")
    with pytest.raises(EndgameError, match="cannot be read"):
        find_engine(tmp_path)
    monkeypatch.setenv(engine.ENGINE_VARIABLE, "no-such-engine")
    with pytest.raises(EngineError, match="there is no engine no-such-engine"):
        find_engine(tmp_path)
    monkeypatch.setenv(engine.ENGINE_VARIABLE, "off")
    assert find_engine(tmp_path) is None


def test_the_setting_chooses_between_engine_and_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    troubles: list[EndgameError] = []

    def asked(named: str) -> type[Engine]:
        monkeypatch.setenv(engine.ENGINE_VARIABLE, named)
        return type(AppContext(tmp_path, on_problem=troubles.append).engine("chess"))

    assert asked("off") is SearchEngine and asked(str(paper(tmp_path, "well"))) is EngineThinker and not troubles
    assert asked("no-such-engine") is SearchEngine and len(troubles) == 1


def test_an_installed_engine_finds_a_mate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(engine.ENGINE_VARIABLE, raising=False)
    path = find_engine(tmp_path)
    if path is None:
        pytest.skip("no engine is installed here")
    who, said = EngineThinker(path), Said()
    try:
        said.think(who, BACK_RANK, Limits(60, 5))
        estimates, problem = said.until_end()
        assert problem is None
        assert (estimates[-1].mate, estimates[-1].move) == (1, chess.Move.from_uci("b1b8"))
    finally:
        who.close()
