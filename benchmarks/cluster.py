"""Proves that builds by many processes survive: they are killed at random moments, and no table differs.

    python -m benchmarks.cluster --workers 2 --rounds 15            # all of three and four men, again and again
    python -m benchmarks.cluster --workers 4 --rounds 2 --five      # and a dozen of five men
    python -m benchmarks.cluster --scheduler                        # the scheduler dies, a plain build goes on

The tables to compare with are made first, by one plain build, in a directory that is kept (--plain DIR). Each round
begins with an empty directory, and kills building processes by SIGKILL, as often as --kills says but no ending more
often than the program starts it again. At the end no lock or half-written file may be left.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from endgame_core.tables.locks import Locks

FIVE = [
    "KBBvKN", "KRRvKR", "KBNvKB", "KNNvKN", "KQRvKB", "KRBvKN",
    "KRNvKR", "KQQvKN", "KBBvKB", "KRRvKN", "KQNvKB", "KBPvKN",
]  # fmt: skip
"""A dozen of five men, one with a pawn."""

_BUILD = "endgame_core.tables.build"
_RESTARTS = 2
"""How often the program starts the build of an ending again when its process dies."""


def command(root: Path, *words: str) -> list[str]:
    """A command of the program on a data directory."""
    return [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(root), *words]


def processes() -> dict[int, tuple[int, str]]:
    """All processes: the parent of each, and its command line."""
    found: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                found[int(entry.name)] = parent, (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def below(pid: int) -> dict[int, str]:
    """The processes that one has started, and those that they have, with their command lines."""
    everything, found, new = processes(), dict[int, str](), {pid}
    while new:
        new = {child for child, (parent, _) in everything.items() if parent in new and child not in found}
        found.update({child: everything[child][1] for child in new})
    return found


def victims(pid: int, root: Path, deaths: Counter[str]) -> dict[int, str]:
    """The building processes below a process that may be killed, and the ending of each.

    A process that has no ending yet ("") will have one: its death counts for each of them.
    """
    endings = {owner.pid: name for name, owner in Locks(root / "locks").holders().items()}
    found = {child: endings.get(child, "") for child, words in below(pid).items() if _BUILD in words}
    most = max(deaths.values(), default=0)
    return {
        child: ending
        for child, ending in found.items()
        if (deaths[ending] + deaths[""] if ending else most + deaths[""]) < _RESTARTS
    }


def digests(root: Path) -> dict[str, str]:
    """Every table and its digest."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (root / "tables").glob("*.egt")}


def debris(root: Path) -> list[str]:
    """What should not be there."""
    half = [path.name for path in root.glob("tables/.*")]
    return half + [path.name for path in root.glob("locks/*")]


def compare(root: Path, plain: dict[str, str]) -> None:
    """Every table is as one builder has made it, and nothing else is there."""
    mine = digests(root)
    if wrong := sorted({*mine, *plain} - {name for name in mine if mine[name] == plain.get(name)}):
        raise SystemExit(f"other than the plain build, or missing: {wrong}")
    if left := debris(root):
        raise SystemExit(f"left behind: {left}")


def proven(
    words: list[str], workers: int, kills: int, rng: random.Random, plain: dict[str, str], pause: float = 3.0
) -> int:
    """One round: a build while its processes are killed, with at most so long a pause (s) between two; how many."""
    deaths: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place:
        root, said = Path(place) / "data", Path(place) / "said"
        with said.open("w") as narration:
            work = subprocess.Popen(
                command(root, "build", *words, "--yes", "--cluster", f"local:{workers}"), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=narration,
            )  # fmt: skip
        while work.poll() is None:
            time.sleep(rng.random() * pause)
            if deaths.total() < kills and (found := victims(work.pid, root, deaths)):
                victim = rng.choice(list(found))
                with suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)
                    deaths[found[victim]] += 1
        if work.returncode or "Traceback" in said.read_text():
            raise SystemExit(f"the build has failed: {said.read_text()}")
        compare(root, plain)
    return deaths.total()


def orphaned(words: list[str], workers: int, rng: random.Random, plain: dict[str, str]) -> None:
    """The scheduler dies; the build says so, and a plain one goes on where it was."""
    with tempfile.TemporaryDirectory() as place:
        root, file = Path(place) / "data", Path(place) / "scheduler.json"
        dask = [sys.executable, "-m", "dask"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": place}
        given = ["--scheduler-file", str(file), "--no-dashboard"]
        scheduler = subprocess.Popen([*dask, "scheduler", *given, "--port", "0"], **quiet)  # type: ignore[call-overload]
        while not file.exists():
            time.sleep(0.1)
        found = re.search(r'"address": "(tcp://[^"]+)"', file.read_text())
        assert found is not None
        more = ["--nthreads", "1", "--nworkers", str(workers), "--resources", "memory=2e9"]
        crew = subprocess.Popen([*dask, "worker", *given, *more, "--local-directory", place], **quiet)  # type: ignore[call-overload]
        try:
            work = subprocess.Popen(
                command(root, "build", *words, "--yes", "--cluster", found[1]), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            while work.poll() is None and not list((root / "tables").glob("*.egt")):
                time.sleep(0.1)
            time.sleep(rng.random() * 2)
            scheduler.kill()
            _, said = work.communicate()
            last = said.strip().splitlines()[-1]
            if not work.returncode or "was lost" not in last or "Traceback" in said:
                raise SystemExit(f"the build does not tell that the scheduler is gone: {said}")
            print(f"{last}\n{len(digests(root))} tables are there; a plain build goes on", flush=True)
            subprocess.run(command(root, "build", *words, "--yes"), check=True, capture_output=True)
            compare(root, plain)
        finally:
            for process in (scheduler, crew):
                process.terminate()
                process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kills", type=int, default=5, help="in each round")
    parser.add_argument("--pause", type=float, default=3.0, help="seconds between two kills, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--five", action="store_true", help="a dozen of five men, too")
    parser.add_argument("--scheduler", action="store_true", help="kill the scheduler instead")
    parser.add_argument("--plain", type=Path, default=Path(tempfile.gettempdir()) / "endgame-tui-plain")
    given = parser.parse_args()
    rng, words = random.Random(given.seed), ["--men", "4", "KPvK", "KQvK", "KRvK", *(FIVE if given.five else [])]
    plain_root: Path = given.plain / ("five" if given.five else "four")
    subprocess.run(command(plain_root, "build", *words, "--yes"), check=True, stdout=subprocess.DEVNULL)
    plain, killed = digests(plain_root), 0
    for number in range(1, given.rounds + 1):
        began = time.monotonic()
        if given.scheduler:
            orphaned(words, given.workers, rng, plain)
        else:
            killed += proven(words, given.workers, given.kills, rng, plain, given.pause)
        print(
            f"round {number}: {len(plain)} tables as in a plain build, {killed} killed so far, no debris, "
            f"{time.monotonic() - began:.0f} s", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
