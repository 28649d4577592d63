"""Times the journal, its figures, and the starts of drills; prints JSON.

Run: ``python -m benchmarks.practice [--data-dir DIR]``; with tables of five men in DIR, drills of those are timed too.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from endgame_core.chess.game import CHESS
from endgame_core.errors import EndgameError
from endgame_core.practice import stats
from endgame_core.practice.journal import Journal, day_of
from endgame_core.practice.journal_exchange import export, import_lines
from endgame_core.practice.records import Attempt, Card, Made, Outcome, Record, values
from endgame_core.practice.theme import DrillMode, Starts, Theme, groups
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.library import Library

MOVES = 8
DAY = 86_400.0


def times(work: Callable[[], Any], repeat: int) -> list[float]:
    """Milliseconds of each run."""
    found: list[float] = []
    for _ in range(repeat):
        began = time.perf_counter()
        work()
        found.append(1000 * (time.perf_counter() - began))
    return found


def quantiles(found: list[float]) -> dict[str, float]:
    ordered = sorted(found)
    return {
        "median": round(statistics.median(ordered), 2),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 2),
        "most": round(ordered[-1], 2),
    }


def fill(journal: Journal, attempts: int, days: int, rng: random.Random) -> None:
    """A journal of so many attempts in the last so many days: themes of all kinds, streaks, games."""
    themes = [theme for themes in groups("chess").values() for theme in themes]
    themes += [
        Theme(name, DrillMode.MATE, "white", 2 * n - 1, 2 * n + 7)
        for name in ("KRvK", "KQvK", "KBNvK", "KQvKR")
        for n in range(1, 12)
    ]
    themes += [Theme("KRPvKR", DrillMode.MATE, study=f"study-{n}", name=f"Study {n}") for n in range(120)]
    made = Made(1, "h1h2", "Rh2", True, "best", 0, False, 10, 1.5)
    now = journal.clock()
    lines: list[str] = []
    for number in range(attempts):
        theme, mode = rng.choice(themes), rng.choice([None, None, None, DrillMode.STREAK, "play"])
        started = now - DAY * days * (1 - number / attempts)
        found = Record(
            theme=theme.key, label=theme.label, ending=theme.ending, mode=mode or theme.mode, colour="white",
            start="8/8/8/3k4/8/8/8/K6R w - - 0 1", perfect=11, uuid=f"{rng.getrandbits(128):032x}", started=started,
            day=day_of(started), finished=started + 40, plies_lost=rng.choice([0, 0, 0, 2, 4, 8]), seconds=40.0,
            outcome=Outcome.SOLVED if rng.random() < 0.7 else Outcome.FAILED, run=str(number // 12),
        )  # fmt: skip
        moves = [values(replace(made, ply=ply)) for ply in range(1, MOVES + 1)]
        lines.append(json.dumps({"kind": "attempt", **values(found), "moves": moves}))
    import_lines(journal, lines)
    for theme in themes:
        due = now + DAY * rng.uniform(-2, 20)
        journal.keep(Card(theme=theme.key, label=theme.label, ending=theme.ending, due=due))


def measure_journal(path: Path, attempts: int, days: int) -> dict[str, Any]:
    """Opening the figures anew each time, as a screen does, and keeping moves."""
    print(f"filling a journal of {attempts} attempts in {days} days", file=sys.stderr)
    journal = Journal(path)
    fill(journal, attempts, days, random.Random(1))
    journal.close()

    def opened() -> None:
        fresh = Journal(path)
        stats.progress(fresh)
        fresh.close()

    figures = quantiles(times(opened, 15))
    journal = Journal(path)
    uuid = journal.begin(Attempt(theme="t", ending="KRvK", mode="mate", start="f", colour="white"))
    ply = iter(range(1, 1000))
    moves = quantiles(times(lambda: journal.move(uuid, Made(next(ply), "h1h2", "Rh2", True)), 200))
    found: dict[str, Any] = {
        "attempts": attempts, "days": days, "bytes": path.stat().st_size, "progress_ms": figures, "move_ms": moves,
        "by_theme_ms": quantiles(times(lambda: stats.by_theme(journal), 5)),
        "due_ms": quantiles(times(journal.cards, 5)),
        "last_of_ms": quantiles(times(lambda: stats.last_of(journal, "KPvK hold"), 20)),
    }  # fmt: skip
    found["export_s"] = round(times(lambda: sum(1 for _ in export(journal)), 1)[0] / 1000, 2)
    journal.close()
    return found


def measure_starts(root: Path | None) -> dict[str, Any]:
    """First start of a theme in a fresh library, and further ones."""
    found: dict[str, Any] = {}
    for theme in dict.fromkeys(theme for themes in groups("chess").values() for theme in themes):
        starts = Starts(Explorer(CHESS, Library(CHESS, root)), random.Random(1))
        try:
            first = times(lambda: starts.draw(theme), 1)  # noqa: B023 - run at once
            found[theme.key] = {"first": round(first[0], 1), **quantiles(times(lambda: starts.draw(theme), 30))}  # noqa: B023
        except EndgameError as error:
            print(f"{theme.key}: {error}", file=sys.stderr)
    return found


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--attempts", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found: dict[str, Any] = {
            "journal": [measure_journal(Path(name) / f"{days}.sqlite3", options.attempts, days) for days in (30, 3000)],
            "starts_ms": measure_starts(options.data_dir),
        }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
