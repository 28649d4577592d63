"""What the benchmarks measure, each in a process of its own: one request as JSON in, one answer as JSON out."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from endgame_core.chess.game import CHESS
from endgame_core.game import Wanted
from endgame_core.tables.library import Library


def peak() -> int:
    """Peak of resident memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def solve(root: str, endings: list[str], threads: int) -> dict[str, Any]:
    """Solves and writes endings whose sub-endings are in ``root``; CPU and wall seconds, bytes."""
    library = Library(CHESS, Path(root))
    CHESS.warm_up(endings, lambda what: None)
    total = dict.fromkeys(("seeds", "cpu", "wall", "write"), 0.0) | {"size": 0, "slots": 0}

    def lookup(name: str, side: int, wanted: Wanted = ()) -> Any:
        return library.read_side(name, side, threads, wanted)

    with tempfile.TemporaryDirectory() as name:
        written = Library(CHESS, Path(name))
        for ending in endings:
            first: list[float] = []

            def seen(_: Any, first: list[float] = first) -> None:
                first.append(time.process_time())

            wall, cpu = time.perf_counter(), time.process_time()
            solved = CHESS.solve(ending, lookup, threads, seen)
            total["wall"] += time.perf_counter() - wall
            total["cpu"] += time.process_time() - cpu
            total["seeds"] += next(iter(first), time.process_time()) - cpu  # nobody wins KNvK: no layer
            cpu = time.process_time()
            total["size"] += written.write(ending, solved)
            total["write"] += time.process_time() - cpu
            total["slots"] += 2 * CHESS.slots(ending)
    return total | {"peak": peak()}


def probe(root: str, ending: str, count: int) -> dict[str, Any]:
    """Probes random positions: single boards from cached frames, and many keys at once, twice."""
    import numpy as np

    from endgame_core import Prober
    from endgame_core.chess.arrays import canonical_slots

    prober = Prober(Library(CHESS, Path(root)))
    arrays, slots = CHESS.arrays(), np.random.default_rng(1).integers(0, CHESS.slots(ending), 4 * count)
    keys = np.concatenate([arrays.keys(ending, side, slots[side::2]) for side in range(2)])
    keys = keys[canonical_slots(ending, keys)[1] >= 0][:count]
    boards = [CHESS.from_key(ending, int(key)) for key in keys[:20]]
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
    CHESS.warm_up(endings, lambda what: None)
    return {"cpu": time.process_time()}


def main() -> None:
    """Serves one request."""
    request = json.loads(sys.stdin.readline())
    print(json.dumps(globals()[request.pop("what")](**request)))


if __name__ == "__main__":
    main()
