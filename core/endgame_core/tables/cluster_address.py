"""The value of ``--cluster``: a number of local workers, or the address of a Dask scheduler and its certificates.

Nothing in this module needs Dask.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.untrusted import quoted

_LOCAL = "local:"
_MAX_WORKERS = 256
"""Most workers on one machine."""
_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://[^\s/]+:[0-9]+")
_ENCRYPTED = ("tls://", "wss://")
"""The protocols by which Dask checks certificates."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files that authenticate this program to a scheduler, and the scheduler to this program.

    Attributes:
        ca: Certificates of the authority that has signed those of scheduler and workers, as PEM.
        cert: The certificate of this program, as PEM.
        key: The private key of ``cert``; None if that file contains it.
    """

    ca: Path
    cert: Path
    key: Path | None = None


def local_workers(where: str) -> int | None:
    """The number of workers that ``local:N`` asks for; None if ``where`` is the address of a scheduler.

    Raises:
        EndgameError: ``where`` is neither.
    """
    if where.startswith(_LOCAL):
        number = where.removeprefix(_LOCAL)
        if not re.fullmatch("[0-9]{1,3}", number) or not 1 <= int(number) <= _MAX_WORKERS:
            raise EndgameError(
                _("{where} is not a number of workers").format(where=quoted(where)),
                _("write, for example, local:4; the maximum is {local}{max_workers}").format(
                    local=_LOCAL, max_workers=_MAX_WORKERS
                ),
            )
        return int(number)

    if _ADDRESS.fullmatch(where) is None:
        raise EndgameError(
            _("{where} is not a cluster address").format(where=quoted(where)),
            _("write the address of a scheduler, e.g. tcp://host:8786, or local:4"),
        )
    return None


def is_encrypted(where: str) -> bool:
    """Whether the scheduler at this address requires a certificate."""
    return where.startswith(_ENCRYPTED)
