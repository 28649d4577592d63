"""How fast this machine builds: the pace of earlier builds, by which the costs of the next ones are multiplied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, cast

from endgame_core.errors import EndgameError
from endgame_core.paths import atomic_write, processor
from endgame_core.untrusted import has_shape, read_json

_CPU_SECONDS_PER_SECOND = 1.8
"""CPU seconds that the measured builds took for each second on two cores."""
_LEAST_SECONDS = 1.0
"""CPU seconds of a build that says something about the pace; a small ending takes as long to open and close files."""
_REMEMBERED = 9
"""Builds whose pace is remembered."""
_MIN_PACE = 0.2
_MAX_PACE = 10.0
_MAX_BYTES = 1 << 16


class MachinePace:
    """The pace of the builds in a data directory on this machine: CPU seconds by expected ones.

    CPU time is measured, because other programs that are running at the same time do not change it much.

    Args:
        path: The file that remembers it, also for other machines that share the directory.
        kind: The kind of table; each kind has a pace of its own.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self._path = path
        self._kind = kind
        self._changed = 0
        """When the file was last changed, as far as it has been read."""
        self._factor = 1.0

    def factor(self) -> float:
        """The factor by which expected seconds are multiplied: 1 before anything was built."""
        try:
            changed = self._path.stat().st_mtime_ns
        except OSError:
            return 1.0
        if changed != self._changed:
            self._changed = changed
            ratios = self._ratios(self._read())
            if ratios:
                self._factor = min(_MAX_PACE, max(_MIN_PACE, median(ratios)))
            else:
                self._factor = 1.0
        return self._factor

    def add(self, seconds: float, cpu_seconds: float) -> None:
        """Remember a build.

        Args:
            seconds: The seconds that it was expected to take on two cores, before the factor.
            cpu_seconds: The CPU seconds that it took.
        """
        if cpu_seconds < _LEAST_SECONDS or seconds <= 0:
            return
        paces = dict(self._read())
        ratios = [*self._ratios(paces), round(cpu_seconds / (_CPU_SECONDS_PER_SECOND * seconds), 3)]
        paces[self._key] = ratios[-_REMEMBERED:]
        with suppress(OSError), atomic_write(self._path) as file:
            file.write(json.dumps(paces).encode())

    @property
    def _key(self) -> str:
        return f"{self._kind} {processor()}"

    def _read(self) -> Mapping[str, Any]:
        """All that is remembered; nothing if the file is not there, or not ours."""
        with suppress(OSError, EndgameError):
            data = self._path.read_bytes()
            paces = None
            if len(data) <= _MAX_BYTES:
                paces = read_json(data)
            if isinstance(paces, dict):
                return cast("dict[str, Any]", paces)
        return {}

    def _ratios(self, paces: Mapping[str, Any]) -> list[float]:
        ratios = paces.get(self._key)
        if has_shape(ratios, [float]):
            return cast("list[float]", ratios)
        return []
