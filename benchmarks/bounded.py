"""Compares tables that were solved in little memory with those solved in memory as a whole, byte by byte.

Run: ``python -m benchmarks.bounded --library DIR [ENDING...]``. All endings of four and five pieces by default, cheap
ones first, by DTM and by DTZ: at the least memory that is allowed, and at two amounts between that and what the solver
can use. Endings of four pieces are forced to; no build solves them so. What is not in DIR is built.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.chess.solver import needs
from endgame_core.game import DigitFilter, SolverBudget
from endgame_core.metric import DTM
from endgame_core.system import cores
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library
from endgame_core.tables.writing import write_table

SHARES = (0.0, 0.35, 0.7)
"""Where between the least and the most memory an ending is solved."""


def bounded(library: Library, ending: str, memory: int, place: Path) -> bytes:
    """The table of an ending, solved in so much memory."""
    game = library.game

    def look(name: str, side: int, wanted: DigitFilter = ()) -> object:
        return library.read_side(name, side, cores(), wanted)

    room = SolverBudget(memory, place / f"{ending}.work", ("benchmark",), library.planner.is_deep(game.needs(ending)))
    solved = game.solver.solve(ending, look, cores(), lambda progress: None, room)
    path = place / f"{ending}.egt"
    header = library.table(ending).header
    write_table(
        path, solved, game.index.axes(ending), game=game.name, ending=ending, rules=game.rules, scheme=game.scheme,
        metric=game.metric, draws=header.draws,
    )  # fmt: skip
    solved.done()
    return path.read_bytes()


def compare(library: Library, ending: str) -> str:
    """Builds an ending if it is not built, solves it again in little memory, and says in a row what came of it."""
    if not library.is_built(ending):
        for _ in Build(library, [ending]).events():
            pass
    expected = library.path(ending) if library.path(ending).is_file() else library.table(ending).path
    need = needs.needs(ending, library.game.metric)
    results = list[str]()
    for share in SHARES:
        memory = int(need.least + share * (need.max_memory - need.least))
        began = time.monotonic()
        with TemporaryDirectory(dir=library.root) as place:
            same = bounded(library, ending, memory, Path(place)) == expected.read_bytes()
        results.append(f"{memory / 1e6:8.0f} MB {'same' if same else 'DIFFERS'} {time.monotonic() - began:6.1f} s")
        if need.max_memory == need.least:
            break
    return f"{ending:8}{library.game.metric:5}" + "  ".join(results)


def solvable_in_planes(ending: str) -> bool:
    """Whether an ending has a way to be solved in little memory."""
    need = needs.needs(ending, DTM)
    return need.sets > 0


def main() -> int:
    """Compares and prints; returns 1 where a table differs."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.bounded", description=__doc__)
    options.add_argument("endings", nargs="*", metavar="ENDING", help="instead of all of four and five pieces")
    options.add_argument("--library", type=Path, required=True, help="a data directory to build in and to reuse")
    options.add_argument("--metric", choices=["dtm", "dtz"], help="only this one")
    options.add_argument("--minutes", type=float, default=float("inf"), help="no ending is begun after so many")
    given = options.parse_args()
    needs.in_planes = lambda ending, memory: True
    games: list[ChessGame] = [game for game in (CHESS, CHESS_DTZ) if given.metric in (None, game.metric)]
    libraries = [Library(game, given.library) for game in games]
    endings = given.endings or [name for name in CHESS.endings() if len(CHESS.men(name)) in (4, 5)]
    endings = sorted(filter(solvable_in_planes, endings), key=lambda name: CHESS.cost(name).seconds)
    until, wrong, compared = time.monotonic() + 60 * given.minutes, 0, 0
    for ending in endings:
        for library in libraries:
            if time.monotonic() > until:
                print(f"time is up: {compared} of {len(endings) * len(libraries)} compared", file=sys.stderr)
                return int(wrong > 0)
            row = compare(library, ending)
            compared += 1
            wrong += "DIFFERS" in row
            print(row, flush=True)
    print(f"{compared} tables compared, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
