"""Suspending the app by Ctrl+Z, as shells do it with jobs."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def has_job_control() -> bool:
    """Whether a shell of this terminal waits for the job that the app belongs to.

    Without one, as in a terminal that runs nothing but the app, nobody could resume a suspended app. The system itself
    does not stop such a group of processes by SIGTSTP (it is orphaned), but Textual stops the app by SIGSTOP.
    """
    job = os.getpgrp()
    process = os.getppid()
    try:
        while process and os.getpgid(process) == job:  # a script that started the app belongs to the job
            process = _parent(process)
        return bool(process) and os.getsid(process) == os.getsid(0)
    except OSError:
        return False


def stop_job() -> None:
    """Stop all processes of the job: the shell waits for the first of them, which may be a script."""
    os.killpg(os.getpgrp(), signal.SIGSTOP)


def _parent(process: int) -> int:
    """The parent of a process; raises OSError where the system does not tell."""
    _, _, fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")
    return int(fields.split()[1])
