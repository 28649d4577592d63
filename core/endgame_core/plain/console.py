"""The console that all modes of plain mode share: output, questions, Ctrl-C and builds."""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from time import monotonic
from types import FrameType

from endgame_core import controls, games
from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError
from endgame_core.games import DEFAULT_GAME
from endgame_core.language import _, ngettext
from endgame_core.metric import Metric
from endgame_core.plain.terminal import Terminal
from endgame_core.tasks.builds import BuildFinished, Builds, Job
from endgame_core.words import tables as words
from endgame_core.words.screen_reader import spoken
from endgame_core.words.text_model import duration, name_endings

_PROGRESS_STEP = 0.1
"""The share of a build, 0 to 1, that has to be done between two lines of progress."""

_PROGRESS_SECONDS = 2.0
"""Seconds that also have to pass between two lines of progress."""


@dataclass(slots=True)
class _ReportedProgress:
    """The progress of a build that was printed last.

    Attributes:
        job: The build.
        share: The share, 0 to 1, that the last line of progress reported.
        time: When that was, on the monotonic clock; at first the time when the build was first seen.
        awaited: The table of another builder that the last such line named; empty for none.
        restarts: How many restarts were reported.
    """

    job: Job
    share: float
    time: float
    awaited: str = ""
    restarts: int = 0


class Console:
    """Reads and writes lines, asks questions and reports builds, for all modes.

    Args:
        lab: Tables, journal and engines.
        terminal: Reads and writes the lines.
        rng: Source of all random choices.
        where: Returns the address of the cluster on which tables are built; empty for this machine.

    Attributes:
        clock: Returns seconds; tests replace it.
        moves_in_words: Whether moves are printed in words ("rook takes a5"), else in notation ("Rxa5").
        builds: The build under way and those that wait.
        pending_calls: Calls that other threads leave to the main thread, which makes them in :meth:`wait_until`.
        warnings: Problems that stop nothing; printed before the next prompt.
        game: The name of the current game.
        requested_mode: The mode that a command asks to enter next, and the argument for it; None for none.
    """

    def __init__(
        self, lab: AppContext, terminal: Terminal, rng: random.Random | None = None, where: Callable[[], str] = str
    ) -> None:
        controls.use(controls.PLAIN_NAMES)
        self.lab = lab
        self.terminal = terminal
        self.rng = rng or random.Random()
        self.clock: Callable[[], float] = monotonic
        self.moves_in_words = True

        self.builds = Builds(lab, self._report_progress, where)
        self._reported: _ReportedProgress | None = None
        self._has_warned_of_scheduler = False

        self.pending_calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.warnings: list[EndgameError] = []
        self.game = DEFAULT_GAME
        self.requested_mode: tuple[str, str] | None = None

        # Sentences and their games: of the current answer, and of the one before, which `repeat` prints.
        self._answer: list[tuple[str, str]] = []
        self._previous_answer: list[tuple[str, str]] = []
        self._is_interruptible = False

    # Output and questions

    def say(self, sentence: str, game: str = "") -> None:
        """Print a sentence about a game (default: the current one) as part of the answer; an empty one is skipped."""
        if sentence:
            # The sentence as it is, not as it is spoken: repeat follows a moves-as that came in between.
            self._answer.append((sentence, game or self.game))
            self.terminal.write(spoken(sentence, game or self.game, self.moves_in_words))

    def interject(self, sentence: object) -> None:
        """Print a sentence from any thread, even while a line is being typed."""
        with suppress(OSError, ValueError):  # the output is closed: the main thread notices that by itself
            self.terminal.interject(spoken(str(sentence), self.game, self.moves_in_words))

    def begin_answer(self) -> None:
        """Begin the answer to another line; :meth:`repeat` repeats the one before."""
        self._previous_answer = self._answer
        self._answer = []

    def repeat(self) -> None:
        """Print the answer to the line before again."""
        self._answer = self._previous_answer
        for sentence, game in self._answer:
            self.terminal.write(spoken(sentence, game, self.moves_in_words))

    def ask(self, question: str) -> bool:
        """Ask a yes/no question; anything but yes, Ctrl-C included, is no."""
        self.terminal.write(spoken(question, self.game, self.moves_in_words))
        try:
            answer = self.read(_("yes or no: "))
        except KeyboardInterrupt:
            return False
        return answer is not None and answer.strip().casefold() in ("y", "yes")

    def read(self, prompt: str) -> str | None:
        """Return the next line, or None at the end of the input; raises KeyboardInterrupt on Ctrl-C."""
        with self.interruptible():
            return self.terminal.read(prompt)

    # Ctrl-C

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """Let Ctrl-C raise KeyboardInterrupt inside this block; elsewhere it is ignored: no write is cut off."""
        # Blocks may be nested, e.g. a question during a search.
        outer = self._is_interruptible
        self._is_interruptible = True
        try:
            yield
        finally:
            self._is_interruptible = outer

    def on_sigint(self, _signal: int, _frame: FrameType | None) -> None:
        """Handle the signal of Ctrl-C."""
        if self._is_interruptible:
            raise KeyboardInterrupt

    def wait_until(self, is_over: Callable[[], bool]) -> bool:
        """Make the calls that other threads leave until ``is_over()``; False if Ctrl-C came first."""
        try:
            with self.interruptible():
                while not is_over():
                    try:
                        # A short timeout, because is_over may become true without any call.
                        call = self.pending_calls.get(timeout=0.05)
                    except queue.Empty:
                        continue
                    call()
        except KeyboardInterrupt:
            return False
        return True

    # Builds

    def _report_progress(self, end: BuildFinished | None) -> None:
        """Print the progress of the build, from its thread; ``end`` is given when it has ended."""
        job = self.builds.job
        if end is not None:
            self.interject(words.ended(end))
            return
        if job is None:
            return

        reported = self._reported
        if reported is None or reported.job is not job:
            reported = self._reported = _ReportedProgress(job, 0.0, monotonic())

        if job.open_scheduler and not self._has_warned_of_scheduler:
            self._has_warned_of_scheduler = True
            self.interject(
                _("Warning: {open_scheduler}").format(open_scheduler=words.open_scheduler(job.open_scheduler))
            )

        # Only the restarts since the last report are printed.
        for ending, reason in job.restarts[reported.restarts :]:
            self.interject(words.restarted(ending, reason))
        reported.restarts = len(job.restarts)

        name = name_endings(job.request.endings)
        if job.event is not None and job.event.event == "wait" and job.event.what != reported.awaited:
            reported.awaited = job.event.what
            self.interject(_("{name} is waiting for {awaited}.").format(name=name, awaited=reported.awaited))

        now = monotonic()
        share = job.share or 0.0
        if share - reported.share >= _PROGRESS_STEP and now - reported.time >= _PROGRESS_SECONDS:
            reported.share = share
            reported.time = now
            self.interject(
                _("{name}: {share:.0f} % done, {left} left.").format(
                    name=name, share=share * 100, left=duration(job.seconds_left or 0.0)
                )
            )

    def build(self, text: str, default_ending: str, default_metric: Metric) -> None:
        """Build the endings, by the metric, that the argument of a ``build`` command names, else the defaults."""
        game = self.lab.explorer_of(self.game).game
        metrics = games.metrics_of(self.game)
        endings: list[str] = []
        named_metrics: list[Metric] = []
        for part in text.split():
            if part.casefold() in metrics:
                named_metrics.append(metrics[metrics.index(part.casefold())])
            else:
                endings.append(game.canonical_name(part))
        metric = named_metrics[0] if named_metrics else default_metric

        if not endings:
            if not default_ending:
                raise EndgameError(
                    _("build needs an ending"), _("type build {example}").format(example=game.listing.example)
                )
            endings = [game.canonical_name(default_ending)]
        self.build_endings(endings, metric)

    def build_endings(self, endings: list[str], metric: Metric, survey: bool = False) -> None:
        """Build endings, or survey the moves of built ones; asks first if that takes long or much disk space.

        Args:
            endings: Canonical names.
            metric: The metric of the tables.
            survey: Whether to survey the moves.
        """
        library = self.lab.library(metric)
        if not survey:
            missing = [ending for ending in endings if not library.is_built(ending)]
            if not missing:
                built = ngettext("{endings} is built already.", "{endings} are built already.", len(endings))
                self.say(built.format(endings=name_endings(endings)))
                return
            endings = missing

        cost = words.price(library, endings, self.builds.workers)
        free = library.disk.free_bytes()
        if (cost.is_long or cost.peak > free) and not self.ask(words.asks_to_build(cost, free)):
            self.say(_("Nothing was built."))
            return

        has_begun = self.builds.build(endings, metric, survey)
        if not has_begun:
            action = _("waiting to build")
        elif survey:
            action = _("examining the moves of")
        else:
            action = _("building")
        details = ""
        if not survey:
            required = words.first_built(cost.endings - len(endings))
            details = ": " + ", ".join(part for part in (cost.words, required, cost.compiling) if part)
        self.say(f"{action} {name_endings(endings)}{details}.")

        # In a script, the next line may rely on the tables.
        if not self.terminal.is_interactive:
            self.wait_for_builds()

    def wait_for_builds(self) -> None:
        """Wait until all builds have ended, or Ctrl-C."""
        if self.builds.job is None:
            self.say(_("Nothing is being built."))
        elif not self.wait_until(lambda: self.builds.wait(0.0)):
            self.say(_("The build continues; type cancel to cancel it."))

    def report_builds(self) -> None:
        """Print the build under way and those that wait."""
        job = self.builds.job
        if job is None:
            self.say(_("Nothing is being built."))
            return
        endings = job.request.endings
        building = ngettext("{endings} is being built.", "{endings} are being built.", len(endings))
        self.say(building.format(endings=name_endings(endings)))
        for place, request in enumerate(self.builds.waiting, 1):
            self.say(f"{name_endings(request.endings)}: {words.waits(place)}.")

    def cancel_builds(self) -> None:
        """Cancel the build under way and those that wait."""
        if self.builds.job is None:
            self.say(_("Nothing is being built."))
            return
        self.builds.cancel(everything=True)
        self.wait_for_builds()
