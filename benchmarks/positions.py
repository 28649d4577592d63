"""Renews the numbers of canonical positions of all chess endings, after a change of the index.

Run: ``python -m benchmarks.positions``.
"""

from __future__ import annotations

import json

from endgame_core import paths
from endgame_core.chess.game import CHESS


def main() -> None:
    """Writes how many slots a table of each ending keeps; solves nothing."""
    counts = {
        ending: sum(int(word).bit_count() for side in range(2) for word in CHESS.solver.canonical_bits(ending, side, 1))
        for ending in sorted(CHESS.endings())
    }
    paths.shipped("positions.json").write_text(json.dumps(counts, indent=0) + "\n")


if __name__ == "__main__":
    main()
