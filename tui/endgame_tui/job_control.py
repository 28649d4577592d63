"""Suspending the app by Ctrl+Z, as shells do it with jobs."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def has_job_control() -> bool:
    """Whether a shell of this terminal waits for the job that the app belongs to.

    Without one, e.g. in a terminal that runs nothing but the app, a suspended app could not be resumed. The system does
    not stop such an orphaned process group by SIGTSTP, but Textual stops the app by SIGSTOP.
    """
    job = os.getpgrp()
    process = os.getppid()
    try:
        while process and os.getpgid(process) == job:  # a script that started the app belongs to the job
            process = _parent(process)
        # The first process outside the job is its shell, if it is in the same session, i.e. on this terminal.
        return bool(process) and os.getsid(process) == os.getsid(0)
    except OSError:
        return False


def stop_job() -> None:
    """Stop all processes of the job: the shell waits for the first of them, which may be a script."""
    os.killpg(os.getpgrp(), signal.SIGSTOP)


def _parent(process: int) -> int:
    """The parent of a process, from ``/proc``; raises OSError on systems without it."""
    # The name of a program, in parentheses, may itself contain blanks and parentheses: look for the last one.
    _, _, fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
    return int(fields.split()[1])
