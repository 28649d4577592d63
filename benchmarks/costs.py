"""Renews the figures that estimates are made from, after a format or solver change.

Run: ``endgame-tui --data-dir EMPTY build --men 5 --json | python -m benchmarks.costs``, and with --men 4 before; for
Nine Men's Morris with ``build 9-9 --json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import endgame_data

FILE = Path(endgame_data.__file__).parent / "costs.json"


def main() -> None:
    """Reads events of a build from standard input and writes the seconds and bytes of each ending."""
    costs = json.loads(FILE.read_text()) if FILE.exists() else {}
    for line in sys.stdin:
        event = json.loads(line)
        if event["event"] == "done":
            costs[event["ending"]] = [event["seconds"], event["size"]]
    rows = [f"{json.dumps(name)}: {json.dumps(cost)}" for name, cost in sorted(costs.items())]
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
