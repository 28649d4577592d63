"""Times solving, seeding, writing, probing, memory, tracked boards and the search; prints a table, or JSON with --json.

Run: ``python -m benchmarks``. Each figure comes from a process of its own, so that its peak of resident memory is its
own. Kernels are compiled, or loaded, before the clock starts. Next to the seconds stand multiples of one fixed scalar
workload, timed in the same run, by which figures of different machines compare.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measure import POSITIONS
from endgame_core.chess import material
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.system import cores
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library

HOUSE = Path(__file__).resolve().parents[1]
SETS = {
    "3 men": [n for n in material.ENDINGS if material.men_count(n) == 3],
    "4 men without pawns": [n for n in material.ENDINGS if material.men_count(n) == 4 and not material.has_pawns(n)],
    "4 men with pawns": [n for n in material.ENDINGS if material.men_count(n) == 4 and material.has_pawns(n)],
    "KRRvKR": ["KRRvKR"],
    "KQRvKQ": ["KQRvKQ"],
    "KBBvKN": ["KBBvKN"],
    "KRPvKR": ["KRPvKR"],
}
SIX = {"KBBvKNN": "KBBvKN", "KRRvKRB": "KRRvKR", "KBPvKNN": "KBPvKN"}
"""Endings of six men, and the one of five that each is like."""
LONG = {"KQPvKQ": ["KQPvKQ"], "KPPvKP": ["KPPvKP"]}
WHERE = ("nowhere", "thread", "process")
TRACKED = {"wandering": "threefold, wandering", "repeating": "threefold, repeating"}
PROBED = ("KRvK", "KQvKR", "KPvKP", "KRPvKR")


def ask(what: str, environment: dict[str, str] | None = None, **request: Any) -> dict[str, Any]:
    """One measurement in a process of its own."""
    found = subprocess.run(
        [sys.executable, "-m", "benchmarks.measure"],
        input=json.dumps({"what": what, **request}) + "\n",
        capture_output=True, text=True, cwd=HOUSE, env={**os.environ, **(environment or {})},
    )  # fmt: skip
    if found.returncode:
        sys.exit(found.stderr)
    return json.loads(found.stdout)


def build(root: Path, endings: list[str], dtz: bool = True, memory: int | None = None) -> None:
    """Builds what is missing, by DTM and by DTZ."""
    for game in (CHESS, CHESS_DTZ) if dtz else (CHESS,):
        for event in Build(Library(game, root), endings, memory=memory).events():
            if event.event == "start":
                print(f"building {event.ending} by {game.metric} ({event.step}/{event.steps})", file=sys.stderr)


def measure_all(root: Path, sets: dict[str, list[str]]) -> dict[str, Any]:
    """All measurements, as one document."""
    scale = ask("reference")["cpu"]
    solving: dict[str, Any] = {}
    for title, endings in sets.items():
        print(f"solving {title}", file=sys.stderr)
        one = ask("solve", root=str(root), endings=endings, threads=1)
        two = ask("solve", root=str(root), endings=endings, threads=2)
        dtz = ask("solve", root=str(root), endings=endings, threads=1, metric="dtz")
        solving[title] = {
            **one,
            "relative": one["cpu"] / scale,
            "wall2": two["wall"],
            "speedup": one["wall"] / two["wall"],
            "peak": max(one["peak"], two["peak"]),
            "dtz_cpu": dtz["cpu"],
            "dtz_size": dtz["size"],
            "dtz_peak": dtz["peak"],
        }
    probing = {ending: ask("probe", root=str(root), ending=ending, count=500_000) for ending in PROBED}
    with tempfile.TemporaryDirectory() as cache:
        compiling = {}
        for title, endings in (("without pawns", ["KQvK"]), ("with pawns", ["KPvK"])):
            compiling[title] = ask("warm_up", {"NUMBA_CACHE_DIR": str(Path(cache) / title)}, endings=endings)["cpu"]
    return {
        "reference_cpu": scale, "solving": solving, "probing": probing, "compiling_cpu": compiling,
        **measure_thinking(root),
    }  # fmt: skip


def measure_thinking(root: Path) -> dict[str, Any]:
    """Tracked boards and the search; needs no tables, and takes half a minute."""
    print("tracking and searching", file=sys.stderr)
    return {
        "tracked": ask("tracked"),
        "search": {title: ask("search", root=str(root), fen=fen, seconds=3) for title, fen in POSITIONS.items()},
        "stalls": {where: ask("stalls", root=str(root), where=where, seconds=4) for where in WHERE},
    }


def measure_six(root: Path, memory: int, endings: list[str]) -> dict[str, Any]:
    """Endings of six men, solved in so much memory (bytes), each beside its sister of five men; on all cores.

    The sister is solved five times before and five times after, and the median of its CPU seconds counts: it takes
    seconds, they vary by half, and so does the pace of a machine within the minutes that six men take.
    """
    found: dict[str, Any] = {}

    def solved(name: str) -> dict[str, Any]:
        return ask("solve", root=str(root), endings=[name], threads=cores(), memory=memory)

    for ending in endings:
        sister = SIX[ending]
        build(root, [*material.needs(ending), sister], dtz=False, memory=memory)
        print(f"solving {ending}", file=sys.stderr)
        fives = [solved(sister) for _ in range(5)]
        six = solved(ending)
        fives += [solved(sister) for _ in range(5)]
        five = statistics.median(row["cpu"] for row in fives) / fives[0]["slots"]
        found[ending] = {**six, "per_slot": six["cpu"] / six["slots"] / five}
    return {"six": found, "memory": memory}


def show(found: dict[str, Any]) -> None:
    """Prints the document as tables."""
    if "six" in found:
        show_six(found)
        return
    if "solving" in found:
        show_tables(found)
    show_thinking(found)


def show_thinking(found: dict[str, Any]) -> None:
    """Prints what was measured without tables."""
    print(f"\n{'tracked board':20}{'python-chess µs':>16}{'tracked µs':>12}{'times':>8}{'worst':>8}")
    for title, row in found["tracked"].items():
        ours, theirs = 1e6 * row["tracked"], 1e6 * row["python_chess"]
        worst = f"{row['worst_ratio']:8.0f}" if "worst_ratio" in row else ""
        print(f"{TRACKED.get(title, title):20}{theirs:16.2f}{ours:12.2f}{theirs / ours:8.1f}{worst}")
    print(f"\n{'search, 3 s':20}{'first move ms':>16}{'depth':>12}{'nodes/s':>10}")
    for title, row in found["search"].items():
        print(f"{title:20}{1e3 * row['first']:16.1f}{row['depth']:12}{row['rate']:10,.0f}")
    print(f"\n{'search in':20}{'late ms p95':>16}{'most':>12}{'answer ms':>10}{'p95':>8}{'most':>8}")
    for title, row in found["stalls"].items():
        print(
            f"{title:20}{1e3 * row['late']:16.2f}{1e3 * row['late_most']:12.2f}"
            f"{1e3 * row['answer']:10.1f}{1e3 * row['answer_p95']:8.1f}{1e3 * row['answer_most']:8.1f}"
        )


def show_six(found: dict[str, Any]) -> None:
    """Prints what was measured of six men."""
    print(
        f"{'six men':12}{'CPU s':>9}{'wall s':>9}{'slots/s':>10}{'CPU a slot':>18}{'write s':>9}{'MB':>8}{'work':>7}",
        end="",
    )
    print(f"{'peak MB':>9}, {found['memory'] / 1e6:.0f} allowed")
    for ending, row in found["six"].items():
        print(
            f"{ending:12}{row['cpu']:9.1f}{row['wall']:9.1f}{row['slots'] / row['cpu'] / 1e6:9.0f}M"
            f"{row['per_slot']:8.2f} × {SIX[ending]}{row['write']:9.1f}{row['size'] / 1e6:8.1f}"
            f"{row['work'] / row['size']:6.1f}×{row['peak'] / 1e6:9.0f}"
        )


def show_tables(found: dict[str, Any]) -> None:
    """Prints what was measured of solving and probing."""
    scale = found["reference_cpu"]
    print(f"reference workload: {scale:.3f} s CPU; × is a multiple of it\n")
    print(f"{'solving':20}{'CPU s':>8}{'×':>8}{'seeds s':>9}{'2 threads s':>12}{'speed-up':>9}", end="")
    print(f"{'slots/s':>10}{'write s':>9}{'MB':>8}{'peak MB':>9}")
    for title, row in found["solving"].items():
        print(
            f"{title:20}{row['cpu']:8.2f}{row['relative']:8.1f}{row['seeds']:9.2f}{row['wall2']:12.2f}"
            f"{row['speedup']:9.2f}{row['slots'] / row['cpu'] / 1e6:9.0f}M{row['write']:9.2f}"
            f"{row['size'] / 1e6:8.1f}{row['peak'] / 1e6:9.0f}"
        )
    print(f"\n{'by DTZ':20}{'CPU s':>8}{'of DTM':>8}{'MB':>8}{'peak MB':>9}")
    for title, row in found["solving"].items():
        print(
            f"{title:20}{row['dtz_cpu']:8.2f}{row['dtz_cpu'] / row['cpu']:8.2f}"
            f"{row['dtz_size'] / 1e6:8.1f}{row['dtz_peak'] / 1e6:9.0f}"
        )
    print(f"\n{'probing':20}{'one µs':>8}{'×':>8}{'many/s cold':>13}{'many/s':>12}{'peak MB':>9}")
    for ending, row in found["probing"].items():
        print(
            f"{ending:20}{row['single'] * 1e6:8.1f}{row['single'] * 1e6 / scale:8.1f}"
            f"{row['cold']:13,.0f}{row['many']:12,.0f}{row['peak'] / 1e6:9.0f}"
        )
    words = ", ".join(f"{title} {cpu:.1f} s" for title, cpu in found["compiling_cpu"].items())
    print(f"\ncompiling for the first time (CPU, process start included): {words}")


def main() -> None:
    """Builds what is needed and measures."""
    options = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    options.add_argument("--json", action="store_true", help="print JSON")
    options.add_argument("--long", action="store_true", help="also KQPvKQ and KPPvKP, with their 80 sub-endings")
    options.add_argument("--thinking", action="store_true", help="only tracked boards and the search, without building")
    options.add_argument("--library", type=Path, help="a data directory to build in and to reuse")
    options.add_argument(
        "--six", nargs="*", choices=SIX, metavar="ENDING", help="only endings of six men, these or " + ", ".join(SIX)
    )
    options.add_argument("--memory", type=float, default=7.0, help="gigabytes that six men may use")
    given = options.parse_args()
    sets = SETS | (LONG if given.long else {})
    with tempfile.TemporaryDirectory() as name:
        root = given.library or Path(name)
        if given.thinking:
            found = measure_thinking(root)
        elif given.six is not None:
            found = measure_six(root, int(given.memory * 1e9), given.six or list(SIX))
        else:
            build(root, [ending for endings in sets.values() for ending in endings])
            found = measure_all(root, sets)
    if given.json:
        print(json.dumps(found))
    else:
        show(found)


if __name__ == "__main__":
    main()
