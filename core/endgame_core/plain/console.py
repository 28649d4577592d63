"""What the rooms of the dialogue share: saying, asking, waiting, building."""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType

from endgame_core import controls, games
from endgame_core.app_context import AppContext
from endgame_core.errors import EndgameError
from endgame_core.plain.terminal import Terminal
from endgame_core.tasks.builds import BuildFinished, Builds, Job
from endgame_core.words import tables as words
from endgame_core.words.screen_reader import spoken
from endgame_core.words.text_model import duration

_STEP, _SECONDS = 0.1, 2.0
"""Part of a build, and seconds, between two lines that tell how far it is: the later of them."""


class Console:
    """What the rooms share.

    Args:
        lab: Tables, journal, thinkers.
        terminal: Lines in and out.
        rng: What is left to chance.
        where: The cluster on which tables are built; empty for this machine.
    """

    def __init__(
        self, lab: AppContext, terminal: Terminal, rng: random.Random | None = None, where: Callable[[], str] = str
    ) -> None:
        controls.use(controls.COMMANDS)
        self.lab, self.terminal = lab, terminal
        self.rng = rng or random.Random()
        self.clock: Callable[[], float] = monotonic
        self.in_words = True
        """Whether moves are told in words."""
        self.builds = Builds(lab, self._follow, where)
        self._reported: tuple[Job | None, float, float, str, int] = None, 0.0, 0.0, "", 0
        self._warned_of_scheduler = False
        self.todo: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        """What threads want done here."""
        self.troubles: list[EndgameError] = []
        """What is not as it was wanted, where one goes on without; said before the next prompt."""
        self.game = "chess"
        """The game at hand."""
        self.wished: tuple[str, str] | None = None
        """The room that one is to go to, and what with."""
        self._last: list[tuple[str, str]] = []
        self._before: list[tuple[str, str]] = []
        self._waits = False

    # Saying and asking

    def say(self, sentence: str, game: str = "") -> None:
        """Says something, a line."""
        if sentence:
            self._last.append((sentence, game or self.game))
            self.terminal.write(spoken(sentence, game or self.game, self.in_words))

    def interject(self, sentence: object) -> None:
        """Says something from any thread, while a line may be typed."""
        with suppress(OSError, ValueError):  # nobody reads on: the dialogue finds that out by itself
            self.terminal.interject(spoken(str(sentence), self.game, self.in_words))

    def begin_answer(self) -> None:
        """What is said from now on answers another line."""
        self._before, self._last = self._last, []

    def repeat(self) -> None:
        """Says again what was answered to the line before."""
        self._last = self._before
        for sentence, game in self._last:
            self.terminal.write(spoken(sentence, game, self.in_words))

    def ask(self, question: str) -> bool:
        """Asks something; anything but yes is no."""
        self.terminal.write(spoken(question, self.game, self.in_words))
        try:
            answer = self.read("yes or no: ")
        except KeyboardInterrupt:
            return False
        return answer is not None and answer.strip().casefold() in ("y", "yes")

    def read(self, prompt: str) -> str | None:
        """The next line; None at the end. Raises KeyboardInterrupt."""
        with self.interruptible():
            return self.terminal.read(prompt)

    @contextmanager
    def interruptible(self) -> Generator[None]:
        """While somebody is waited for, Ctrl-C ends that; elsewhere it waits until what is under way is whole."""
        before, self._waits = self._waits, True
        try:
            yield
        finally:
            self._waits = before

    def interrupted(self, _signal: int, _frame: FrameType | None) -> None:
        """Ctrl-C."""
        if self._waits:
            raise KeyboardInterrupt

    def until(self, is_over: Callable[[], bool]) -> bool:
        """Does what threads want done until something is over; False when Ctrl-C came first."""
        try:
            with self.interruptible():
                while not is_over():
                    try:
                        self.todo.get(timeout=0.05)()
                    except queue.Empty:
                        continue
        except KeyboardInterrupt:
            return False
        return True

    # Builds

    def _follow(self, end: BuildFinished | None) -> None:
        """Says what is worth a line of a build; in its thread."""
        job = self.builds.job
        if end is not None:
            self.interject(words.ended(end))
        elif job is not None:
            before, share, since, awaited, restarts = self._reported
            if before is not job:
                share, since, awaited, restarts = 0.0, monotonic(), "", 0
            if job.open_scheduler and not self._warned_of_scheduler:
                self._warned_of_scheduler = True
                self.interject(f"Warning: {words.open_scheduler(job.open_scheduler)}")
            for ending, why in job.restarts[restarts:]:
                self.interject(words.restarted(ending, why))
            restarts = len(job.restarts)
            at, name, now = job.at, words.named(job.wish.endings), monotonic()
            if at is not None and at.event == "wait" and at.what != awaited:
                awaited = at.what
                self.interject(f"{name} waits for {awaited}.")
            if (job.share or 0.0) - share >= _STEP and now - since >= _SECONDS:
                share, since = job.share or 0.0, now
                self.interject(f"{name}: {share * 100:.0f} % done, {duration(job.left or 0.0)} left.")
            self._reported = job, share, since, awaited, restarts

    def build(self, text: str, here: str, metric: str) -> None:
        """Builds endings that are named, else the one that is meant ``here``; by a metric that is named, else this."""
        game, metrics = self.lab.explorer_of(self.game).game, games.metrics_of(self.game)
        parts = text.split()
        endings = [game.canonical_name(part) for part in parts if part.casefold() not in metrics]
        if not endings and not here:
            raise EndgameError("build which ending", f"type build {game.listing.example}")
        metric = next((part for part in map(str.casefold, parts) if part in metrics), metric)
        self.build_endings(endings or [game.canonical_name(here)], metric)

    def build_endings(self, endings: list[str], metric: str, about: bool = False) -> None:
        """Builds endings, or has their moves looked at; asks first when that takes long."""
        library = self.lab.library(metric)
        if not about:
            missing = [ending for ending in endings if not library.is_built(ending)]
            if not missing:
                self.say(f"{words.named(endings)} {'is' if len(endings) == 1 else 'are'} built already.")
                return
            endings = missing
        cost = words.price(library, endings, self.builds.workers)
        free = library.free_bytes()
        if (cost.is_long or cost.peak > free) and not self.ask(words.asks_to_build(cost, free)):
            self.say("Nothing is built.")
            return
        first = words.first_built(cost.endings - len(endings))
        details = ", ".join(part for part in (cost.words, first, cost.compiling) if part)
        begun = self.builds.build(endings, metric, about)
        does = "looking at the moves of" if about else "building"
        self.say(
            f"{does if begun else 'waiting to build'} {words.named(endings)}{f': {details}' if not about else ''}."
        )
        if not self.terminal.typed:
            self.wait_for_builds()

    def wait_for_builds(self) -> None:
        """Waits until nothing is built any more."""
        if self.builds.job is None:
            self.say("Nothing is being built.")
        elif not self.until(lambda: self.builds.wait(0.0)):
            self.say("The build goes on; cancel cancels it.")

    def tell_builds(self) -> None:
        """Tells what is built, and what waits."""
        job = self.builds.job
        if job is None:
            self.say("Nothing is being built.")
            return
        self.say(f"{words.named(job.wish.endings)} {'is' if len(job.wish.endings) == 1 else 'are'} being built.")
        for place, each in enumerate(self.builds.waiting, 1):
            self.say(f"{words.named(each.endings)}: {words.waits(place)}.")

    def cancel_builds(self) -> None:
        """Cancels the build, and what waits behind it."""
        if self.builds.job is None:
            self.say("Nothing is being built.")
            return
        self.builds.cancel(everything=True)
        self.wait_for_builds()
