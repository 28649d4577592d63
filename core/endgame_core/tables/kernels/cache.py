"""Where compiled kernels are kept: numba's cache looks at the file of the called kernel alone, this one at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from endgame_core import paths

_VARIABLE = "NUMBA_CACHE_DIR"


def fingerprint() -> str:
    """Of all sources whose code is compiled."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(Path(paths.__file__).parent.rglob("*.py")):
        if path.name.startswith("_") or path.parent.name == "kernels" or path.name in ("geometry.py", "index.py"):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def environment() -> dict[str, str]:
    """What to add to the environment before numba is imported: a place for kernels where the user may write."""
    if _VARIABLE in os.environ:
        return {}
    directory = paths.kernel_cache_dir() / fingerprint()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        directory = _temporary(f"{paths.APP}-kernels-{os.getuid()}-{directory.name}")
    return {_VARIABLE: str(directory)}


def _temporary(name: str) -> Path:
    """A directory among temporary files that is the user's own: what lies in it is run."""
    directory = Path(tempfile.gettempdir()) / name
    with contextlib.suppress(OSError):
        directory.mkdir(0o700, exist_ok=True)
        if directory.stat().st_uid == os.getuid():
            return directory
    return Path(tempfile.mkdtemp(prefix=name))
