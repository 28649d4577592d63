"""Tests; where no bytecode is wanted beside the sources, a run keeps it apart, for itself and all it starts."""

import os
import sys
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

if sys.dont_write_bytecode:  # else each of hundreds of processes would compile all sources anew
    sys.pycache_prefix = str(user_cache_path("endgame-tui") / "tests" / "bytecode")
    sys.dont_write_bytecode = False
    with suppress(OSError):  # who may write nothing there keeps nothing
        Path(sys.pycache_prefix).mkdir(parents=True, exist_ok=True)
        os.utime(sys.pycache_prefix)  # what is there for a week without a run is forgotten
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
