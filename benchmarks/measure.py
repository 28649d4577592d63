"""What the benchmarks measure, each in a process of its own: one request as JSON in, one answer as JSON out."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.game import DigitFilter, SolveProgress, SolverBudget, work_file_limit
from endgame_core.tables import survey
from endgame_core.tables.library import Library
from endgame_core.tables.work_log import files_of


def peak() -> int:
    """Peak of resident memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def _watched(work: Path) -> Generator[list[int]]:
    """Looks ten times a second how many bytes a work file takes; within a fold, too."""
    over, most = threading.Event(), [0]

    def look() -> None:
        while not over.wait(0.1):
            with suppress(FileNotFoundError):  # one has just taken the place of another
                most[0] = max(most[0], sum(file.stat().st_size for file in files_of(work)))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        over.set()
        thread.join()


def solve(
    root: str, endings: list[str], threads: int, metric: str = "dtm", memory: int | None = None
) -> dict[str, Any]:
    """Solves and writes endings whose sub-endings are in ``root``; CPU and wall seconds, bytes.

    With ``memory`` (bytes) an ending that takes more is solved as a build does, with work files (of ``work`` bytes).
    """
    game = CHESS_DTZ if metric == "dtz" else CHESS
    library = Library(game, Path(root))
    game.solver.warm_up(endings, lambda what: None)
    total = dict.fromkeys(("seeds", "cpu", "wall", "write"), 0.0) | {"size": 0, "slots": 0, "work": 0}

    def lookup(name: str, side: int, wanted: DigitFilter = ()) -> Any:
        return library.read_side(name, side, threads, wanted)

    with tempfile.TemporaryDirectory(dir=root) as name:
        written = Library(game, Path(name))
        for ending in endings:
            first: list[float] = []
            work = written.files.work_file(ending)

            def seen(_: Any, first: list[float] = first) -> None:
                first.append(time.process_time())

            deep, disk = library.planner.is_deep(game.needs(ending)), work_file_limit(game.cost(ending).size)
            room = SolverBudget(memory, work, may_exceed_bytes=deep, disk=disk) if memory else None
            wall, cpu = time.perf_counter(), time.process_time()
            with _watched(work) as most:
                solved = game.solver.solve(ending, lookup, threads, seen, room)
            total["work"] = max(total["work"], *most)
            total["wall"] += time.perf_counter() - wall
            total["cpu"] += time.process_time() - cpu
            total["seeds"] += next(iter(first), time.process_time()) - cpu  # nobody wins KNvK: no layer
            cpu = time.process_time()
            total["size"] += written.write(ending, solved)
            total["write"] += time.process_time() - cpu
            solved.done()
            total["slots"] += 2 * CHESS.index.slots(ending)
    return total | {"peak": peak()}


def about(root: str, ending: str, threads: int) -> dict[str, Any]:
    """Looks at all moves of an ending; CPU and wall seconds, CPU seconds of them for reading, bytes kept."""
    library = Library(CHESS, Path(root))
    CHESS.solver.warm_up([], lambda what: None, True)
    spent, phase, since = {"reading": 0.0}, "", time.process_time()

    def seen(progress: SolveProgress) -> None:
        nonlocal phase, since
        now = time.process_time()
        if phase.startswith("reading"):
            spent["reading"] += now - since
        phase, since = progress.phase, now

    wall, cpu = time.perf_counter(), time.process_time()
    survey.make(library, ending, threads, seen)
    return {
        "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, **spent, "peak": peak(),
        "positions": library.table(ending).positions, "size": survey.file_of(library, ending).stat().st_size,
    }  # fmt: skip


def probe(root: str, ending: str, count: int) -> dict[str, Any]:
    """Probes random positions: single boards from cached frames, and many keys at once, twice."""
    import numpy as np

    from endgame_core import Prober
    from endgame_core.chess.arrays import canonical_slots

    prober = Prober(Library(CHESS, Path(root)))
    arrays, slots = CHESS.index.arrays(), np.random.default_rng(1).integers(0, CHESS.index.slots(ending), 4 * count)
    keys = np.concatenate([arrays.keys(ending, side, slots[side::2]) for side in range(2)])
    keys = keys[canonical_slots(ending, keys)[1] >= 0][:count]
    boards = [CHESS.index.from_key(ending, int(key)) for key in keys[:20]]
    times = []
    for board in boards * 100:
        began = time.perf_counter()
        prober.probe(board)
        times.append(time.perf_counter() - began)
    began = time.perf_counter()
    prober.probe_many(keys, ending)
    cold = len(keys) / (time.perf_counter() - began)
    began = time.perf_counter()
    prober.probe_many(keys, ending)
    return {
        "single": statistics.median(times),
        "cold": cold,
        "many": len(keys) / (time.perf_counter() - began),
        "peak": peak(),
    }


def tracked() -> dict[str, Any]:
    """Threefold detection at move 200, and what keeping track costs, against python-chess: seconds."""
    import random

    import chess
    import chess.polyglot

    found: dict[str, Any] = {}
    for title, going_back in (("wandering", 0.0), ("repeating", 0.9)):
        rng = random.Random(1)
        plain = chess.Board("4k2r/8/8/8/8/8/8/R3K3 w - - 0 1")
        board = CHESS.start_game(plain)
        ours, theirs = [], []
        while plain.ply() < 400:
            quiet = [move for move in plain.legal_moves if not plain.is_capture(move)]
            last = plain.move_stack[-2] if plain.ply() > 1 else chess.Move.null()
            back = chess.Move(last.to_square, last.from_square)
            move = back if back in quiet and rng.random() < going_back else rng.choice(quiet)
            plain.push(move)
            board.push(move)
            if plain.ply() > 380:
                theirs.append(per_call(lambda plain=plain: plain.is_repetition(3), 20))
                ours.append(per_call(lambda board=board: board.is_repetition(3), 500))
        ratios = [before / now for before, now in zip(theirs, ours, strict=True)]
        found[title] = {
            "python_chess": statistics.median(theirs), "tracked": statistics.median(ours), "worst_ratio": min(ratios),
        }  # fmt: skip
    move = next(iter(plain.legal_moves))

    def there_and_back(game: chess.Board) -> None:
        game.push(move)
        game.pop()

    found["push and pop"] = {
        "python_chess": per_call(lambda: there_and_back(plain), 20_000),
        "tracked": per_call(lambda: there_and_back(board), 20_000),
    }
    found["key"] = {
        "python_chess": per_call(lambda: chess.polyglot.zobrist_hash(plain), 5_000),
        "tracked": per_call(lambda: board.key, 20_000),
    }
    return found


def per_call(what: Callable[[], Any], times: int) -> float:
    """Seconds per call, the best of five rounds."""
    rounds: list[float] = []
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(times):
            what()
        rounds.append((time.perf_counter() - began) / times)
    return min(rounds)


POSITIONS = {
    "6 men, KRPvKRP": "8/5k2/4r3/5p2/5P2/3R4/5K2/8 w - - 0 1",
    "10 men, pawns": "8/5k2/3p4/1p1Pp3/pP2Pp2/P4P2/5K2/8 w - - 0 1",
    "14 men, rooks": "8/1p3pk1/p5p1/3r3p/7P/1P3PP1/P4K2/2R5 w - - 0 1",
    "32 men": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
}


def search(root: str, fen: str, seconds: float) -> dict[str, Any]:
    """The search in its own process, the process already started: seconds to the first move, depth, nodes a second."""
    import queue

    from endgame_core.search_estimate import Limits
    from endgame_core.thinking import SearchEngine

    thinker, said = SearchEngine(CHESS, [root]), queue.SimpleQueue[Any]()
    game = CHESS.start_game(CHESS.parse(fen))
    thinker.think(CHESS.start_game(CHESS.parse("k7/8/K7/8/8/8/8/8 w - - 0 1")), Limits(1, 1), said.put, said.put)
    while said.get() is not None:
        pass
    began = time.perf_counter()
    thinker.think(game, Limits(seconds), said.put, said.put)
    last = said.get()
    first = time.perf_counter() - began
    while (estimate := said.get()) is not None:
        last = estimate
    thinker.close()
    return {"first": first, "depth": last.depth, "rate": last.nodes / last.seconds}


def stalls(root: str, where: str, seconds: float) -> dict[str, Any]:
    """How late an event loop wakes, and how long it takes to answer a key, while a search is under way.

    An answer is 4 ms of Python with eight writes in between, as a screen's is. Seconds.
    """
    import asyncio
    import os
    import threading

    from endgame_core.search import Searcher
    from endgame_core.search_estimate import Limits
    from endgame_core.thinking import SearchEngine, table_probe

    game, stop = CHESS.start_game(CHESS.parse(POSITIONS["14 men, rooks"])), threading.Event()
    thinker = SearchEngine(CHESS, [root])
    late, answers = [], []

    def in_thread() -> None:
        searcher = Searcher(table_probe(Library(CHESS, Path(root))))
        for _ in searcher.estimates(game, Limits(3600), stop.is_set):
            pass

    async def loop() -> None:
        with Path(os.devnull).open("wb", buffering=0) as sink:
            until = time.perf_counter() + seconds
            while (began := time.perf_counter()) < until:
                await asyncio.sleep(0.01)
                woken = time.perf_counter()
                late.append(woken - began - 0.01)
                for _ in range(8):
                    worked = time.thread_time()
                    while time.thread_time() - worked < 0.0005:
                        pass
                    sink.write(b"x" * 100)
                answers.append(time.perf_counter() - woken)

    thread = threading.Thread(target=in_thread)
    if where == "thread":
        thread.start()
    elif where == "process":
        thinker.think(game, Limits(3600), lambda estimate: None, lambda problem: None)
        time.sleep(0.5)
    asyncio.run(loop())
    stop.set()
    thinker.close()
    if where == "thread":
        thread.join()
    late.sort()
    answers.sort()
    at = int(0.95 * len(late))
    return {
        "late": late[at], "late_most": late[-1], "answer": statistics.median(answers), "answer_p95": answers[at],
        "answer_most": answers[-1],
    }  # fmt: skip


def reference() -> dict[str, Any]:
    """A fixed scalar workload: 100 million dependent steps through a table of 1 MiB. CPU seconds."""
    import numba
    import numpy as np

    @numba.njit
    def walk(table: Any, steps: int) -> int:
        at, seen = 1, 0
        for _ in range(steps):
            at = (at * 1_664_525 + 1_013_904_223) & 0xFFFFF
            seen += table[at] ^ (seen & 255)
            if seen & 1:
                at ^= 0x5555
        return seen

    table = (np.arange(1 << 20) * 2_654_435_761 >> 7 & 255).astype(np.uint8)
    walk(table, 10)
    best = []
    for _ in range(3):
        cpu = time.process_time()
        walk(table, 100_000_000)
        best.append(time.process_time() - cpu)
    return {"cpu": min(best)}


def warm_up(endings: list[str]) -> dict[str, Any]:
    """Compiles what the endings need; CPU seconds, with the start of the process."""
    CHESS.solver.warm_up(endings, lambda what: None)
    return {"cpu": time.process_time()}


def main() -> None:
    """Serves one request."""
    request = json.loads(sys.stdin.readline())
    print(json.dumps(globals()[request.pop("what")](**request)))


if __name__ == "__main__":
    main()
