"""Runs a kernel on several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

_LOOK = 0.1
"""Seconds between two looks at the progress of a kernel."""

_NO_MORE = 1 << 62
"""The number of a task that no kernel has."""


class Workers:
    """Runs a kernel on every thread until its tasks are done.

    Args:
        threads: How many, at least 1.
    """

    def __init__(self, threads: int) -> None:
        self.threads = max(1, threads)
        self._pool = ThreadPoolExecutor(self.threads)

    def run(
        self,
        kernel: Callable[..., None],
        *shared: Any,
        own: list[tuple[Any, ...]] | None = None,
        look: Callable[[int], None] | None = None,
    ) -> None:
        """Calls ``kernel(*shared, counter, *own[i])`` on each thread i; ``counter`` deals out its tasks.

        Args:
            kernel: The kernel.
            shared: Its first arguments.
            own: Its last arguments, for each thread its own.
            look: Told now and then how many tasks have been dealt out; what it raises is raised here, once the threads
                have come to the end of the tasks in hand.
        """
        counter = np.zeros(1, np.int64)
        extra = own or [()] * self.threads
        if self.threads == 1 and look is None:
            kernel(*shared, counter, *extra[0])
            return
        work = [self._pool.submit(kernel, *shared, counter, *args) for args in extra]
        try:
            while look is not None and wait(work, timeout=_LOOK).not_done:
                look(int(counter[0]))
        except BaseException:
            counter[0] = _NO_MORE
            wait(work)
            raise
        for done in work:
            done.result()

    def close(self) -> None:
        """Lets the threads go."""
        self._pool.shutdown()
