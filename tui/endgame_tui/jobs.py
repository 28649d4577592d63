"""The builds and searches of the core, told to the screens as messages."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.message import Message

from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError
from endgame_core.tasks.builds import BuildFinished, Builds, Job, in_thread
from endgame_core.words.find import looking
from endgame_core.words.tables import ended, open_scheduler, restarted

if TYPE_CHECKING:
    from textual.app import App

    from endgame_core.tables.compact import Task
    from endgame_core.tables.find import Find, FindResult, Query

LOOK = 1.0
"""Seconds between two looks at what another program does in the same data directory."""


class News(Message):
    """Something about builds and tables that concerns every screen."""


class Progressed(News):
    """The build under way has got on; an ending may have been built."""

    def can_replace(self, message: Message) -> bool:
        """Progress still in the queue is out of date."""
        return isinstance(message, Progressed)


@dataclass
class Ended(News):
    """A build is no longer under way."""

    end: BuildFinished

    @property
    def words(self) -> str:
        """How it ended."""
        return ended(self.end)


@dataclass
class Trouble(News):
    """Something is not as it was wanted, and the app goes on without."""

    problem: EndgameError


class Jobs(Builds):
    """What is built and looked for, as messages.

    Args:
        app: Runs the threads that follow the processes.
        lab: The tables.
        where: The cluster on which tables are built; empty for this machine.
    """

    def __init__(self, app: App[Any], lab: AppContext, where: Callable[[], str]) -> None:
        run = partial(app.run_worker, name="build", group="build", thread=True, exit_on_error=False)
        super().__init__(lab, self._tell, where, run)
        self._app = app
        self._reported_job: Job | None = None
        self._reported_restarts = 0
        """How many restarted endings of this build were reported."""
        self._warned_of_scheduler = False
        self._search: Find | None = None
        self.at_table: Task[Any] | None = None
        """The table that is verified, or written anew."""

    def _tell(self, end: BuildFinished | None) -> None:
        """Posts what a build has come to; in any thread."""
        if not self._app.is_running:
            return
        job = self.job
        if job is not None:
            if job is not self._reported_job:
                self._reported_job, self._reported_restarts = job, 0
            if job.open_scheduler and not self._warned_of_scheduler:
                self._warned_of_scheduler = True
                self.post(Trouble(open_scheduler(job.open_scheduler)))
            restarts = list(job.restarts)
            for ending, why in restarts[self._reported_restarts :]:
                self.post(Trouble(EndgameError(restarted(ending, why).rstrip("."))))
            self._reported_restarts = len(restarts)
        self.post(Progressed() if end is None else Ended(end))

    def post(self, message: Message) -> None:
        """Tells the lowest screen of the current mode, which tells those above; the others look when they come back."""
        stack = self._app.screen_stack
        if stack:
            stack[0].post_message(message)

    def cancel(self, everything: bool = False) -> None:
        """As of builds; where none is under way, or if wanted, stops what is done to a table, too."""
        if self.at_table is not None and (everything or self.job is None):
            in_thread(self.at_table.cancel)
        super().cancel(everything)

    def close(self) -> None:
        """Stops the build under way, and what waits behind it: nothing is left that would keep a closed app alive."""
        self.cancel(everything=True)
        self.stop_search()

    # Searches

    def find(
        self, query: Query, told: Callable[[str], None], ended: Callable[[FindResult | EndgameError], None]
    ) -> None:
        """Finds the positions that a query asks for, in a process of its own; one search at a time.

        Args:
            query: The query.
            told: Told now and then how far it has come.
            ended: Called with what was found, or why nothing is; never when it was stopped.
        """
        from endgame_core.tables.find import Find

        self.stop_search()
        work = self._search = Find(query)

        def follow() -> None:
            """Runs in a thread."""
            result: FindResult | EndgameError
            try:
                result = work.run(lambda what, part: self._from_search(work, told, looking(what, part)))
            except EndgameError as problem:
                result = problem
            except OSError as error:
                result = EndgameError(f"the search could not run ({error})", "try again")
            self._from_search(work, ended, result)

        self._app.run_worker(follow, name="find", group="find", thread=True, exit_on_error=False)

    def _from_search(self, work: Find, tell: Callable[[Any], None], what: Any) -> None:
        """Tells something in the thread of the app, unless the search was stopped."""

        def say() -> None:
            if work is self._search:
                tell(what)

        if self._app.is_running and work is self._search:
            self._app.call_from_thread(say)

    def stop_search(self) -> bool:
        """Stops the search under way; False where there is none."""
        work, self._search = self._search, None
        if work is not None:
            threading.Thread(target=work.cancel).start()
        return work is not None
