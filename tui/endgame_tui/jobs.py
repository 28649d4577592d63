"""The builds and searches of the core, reported to the screens as messages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.message import Message

from endgame_core.app_context import AppContext
from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.metric import DTM, Metric
from endgame_core.tasks.builds import (
    BuildFinished,
    BuildRequest,
    Builds,
    Job,
    forget_build,
    in_thread,
    note_cancelled,
    remember_build,
)  # fmt: skip
from endgame_core.words.find import looking
from endgame_core.words.tables import ended, open_scheduler, restarted

if TYPE_CHECKING:
    from textual.app import App

    from endgame_core.tables.find import Find, FindResult, Query
    from endgame_core.tables.table_task import Task

POLL_SECONDS = 1.0
"""Interval at which the builds of other programs in the same data directory are polled."""


class News(Message):
    """A change of builds or tables, which concerns every screen."""


class Progressed(News):
    """The running build has made progress; an ending may have been finished."""

    def can_replace(self, message: Message) -> bool:
        """Replace progress that is still in the queue."""
        return isinstance(message, Progressed)


@dataclass
class Ended(News):
    """A build has finished, failed or been cancelled."""

    end: BuildFinished

    @property
    def words(self) -> str:
        """A sentence that says how it ended."""
        return ended(self.end)


@dataclass
class Trouble(News):
    """A problem that does not stop the app."""

    problem: EndgameError


class Jobs(Builds):
    """The builds and the search of the app, reported as messages.

    Args:
        app: Runs the threads that follow the processes.
        lab: The tables.
        where: Returns the cluster on which tables are built; empty for this machine.
        memory: Remembers the latest build until it is finished.
    """

    def __init__(self, app: App[Any], lab: AppContext, where: Callable[[], str], memory: AppState) -> None:
        # exit_on_error=False: an error in such a thread must not end the app.
        run = partial(app.run_worker, name="build", group="build", thread=True, exit_on_error=False)
        super().__init__(lab, self._on_build_event, where, run)
        self._app = app
        self._memory = memory
        self._reported_job: Job | None = None
        self._reported_restarts = 0
        """How many restarts of the reported job have been posted."""
        self._warned_of_scheduler = False
        self._search: Find | None = None
        self.table_task: Task[Any] | None = None
        """The task that verifies, rewrites or converts a table."""

    def build(
        self,
        endings: Sequence[str],
        metric: Metric = DTM,
        with_surveys: bool = False,
        keep_requested_only: bool = False,
    ) -> bool:
        """Start or queue a build, and remember it; called in the thread of the app."""
        remember_build(self._memory, BuildRequest(tuple(endings), metric, with_surveys, keep_requested_only))
        return super().build(endings, metric, with_surveys, keep_requested_only)

    def drop(self, ending: str, metric: Metric) -> bool:
        """Remove an ending from the queue and from the saved requests; return False if it is not queued."""
        # Without this ending, a request may be gone, or replaced by a smaller one.
        before = self.waiting
        is_dropped = super().drop(ending, metric)
        after = self.waiting
        for request in before:
            if request not in after:
                forget_build(self._memory, request)
        for request in after:
            if request not in before:
                remember_build(self._memory, request)
        return is_dropped

    def note_end(self, end: BuildFinished) -> None:
        """Forget a build that is finished or has failed; one that was cancelled can be resumed."""
        if end.is_cancelled:
            note_cancelled(self._memory, end.request)
        else:
            forget_build(self._memory, end.request)

    def _on_build_event(self, end: BuildFinished | None) -> None:
        """Post the progress or (``end``) the end of the running build; called from any thread."""
        # Threads may outlive the app, which takes no messages any more.
        if not self._app.is_running:
            return
        job = self.job
        if job is not None:
            if job is not self._reported_job:
                self._reported_job = job
                self._reported_restarts = 0
            if job.open_scheduler and not self._warned_of_scheduler:
                self._warned_of_scheduler = True
                self.post(Trouble(open_scheduler(job.open_scheduler)))
            # A copy: another thread may add one meanwhile, which is then reported next time.
            restarts = list(job.restarts)
            for ending, reason in restarts[self._reported_restarts :]:
                self.post(Trouble(EndgameError(restarted(ending, reason).rstrip("."))))
            self._reported_restarts = len(restarts)
        if end is None:
            self.post(Progressed())
        else:
            self.post(Ended(end))

    def post(self, message: Message) -> None:
        """Post to the lowest screen of the current mode, which informs those above; other modes update when resumed."""
        stack = self._app.screen_stack
        if stack:
            stack[0].post_message(message)

    def cancel(self, everything: bool = False) -> None:
        """Cancel the running build; if there is none, or with ``everything``, also the task on a table."""
        if self.table_task is not None and (everything or self.job is None):
            # cancel waits until the process has ended, for which the app cannot.
            in_thread(self.table_task.cancel)
        super().cancel(everything)

    def close(self) -> None:
        """Stop the running build, those that wait, and the search, which would keep a closed app alive."""
        self.cancel(everything=True)
        self.stop_search()

    # Searches

    def find(
        self,
        query: Query,
        on_progress: Callable[[str], None],
        on_result: Callable[[FindResult | EndgameError], None],
    ) -> None:
        """Start to search for the positions of a query in a separate process; the previous search is stopped.

        Args:
            query: The query.
            on_progress: Called now and then with a text about the progress.
            on_result: Called with the result or the error; not called for a search that was stopped.
        """
        from endgame_core.tables.find import Find

        self.stop_search()
        search = Find(query)
        self._search = search

        def follow() -> None:
            """Runs in a thread."""
            result: FindResult | EndgameError
            try:
                result = search.run(lambda what, part: self._report(search, on_progress, looking(what, part)))
            except EndgameError as problem:
                result = problem
            except OSError as error:
                result = EndgameError(_("the search could not run ({error})").format(error=error), _("try again"))
            self._report(search, report_result, result)

        def report_result(result: FindResult | EndgameError) -> None:
            self._search = None
            on_result(result)

        self._app.run_worker(follow, name="find", group="find", thread=True, exit_on_error=False)

    def _report(self, search: Find, callback: Callable[[Any], None], value: Any) -> None:
        """Call a callback in the app's thread, unless the search was stopped."""

        def report() -> None:
            # Stopped while this waited for the app's thread: another search may run already.
            if search is self._search:
                callback(value)

        if self._app.is_running and search is self._search:
            self._app.call_from_thread(report)

    def stop_search(self) -> bool:
        """Stop the running search; return False if there is none."""
        # First forget the search, so that none of its results is reported any more.
        search = self._search
        self._search = None
        if search is None:
            return False
        # A thread, as above, but not a daemon: an app that quits leaves no process behind.
        threading.Thread(target=search.cancel).start()
        return True
