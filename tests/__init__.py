"""Tests; where no bytecode is wanted beside the sources, a run keeps it apart, for itself and all it starts."""

import os
import sys

from platformdirs import user_cache_path

if sys.dont_write_bytecode:  # else each of hundreds of processes would compile all sources anew
    sys.pycache_prefix = str(user_cache_path("endgame-tui") / "tests" / "bytecode")
    sys.dont_write_bytecode = False
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
