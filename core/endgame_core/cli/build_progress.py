"""Prints the events of a build: a line for each finished table, and progress if standard error is a terminal."""

from __future__ import annotations

import click

from endgame_core.cli.common import echo, warn
from endgame_core.cli.progress import ERASED, shows_progress
from endgame_core.errors import format_size
from endgame_core.language import _, decimal
from endgame_core.tables.build import Event
from endgame_core.tasks.builds import BuildRequest, Job
from endgame_core.words import tables as words
from endgame_core.words.text_model import in_words, span

NOTHING_TO_BUILD = _("nothing to build: all tables already exist")


class BuildProgress:
    """Prints the events of one build to standard error."""

    def __init__(self) -> None:
        self._is_terminal = shows_progress()
        self._job = Job(BuildRequest(()))

    def print(self, event: Event) -> None:
        """Print what an event says, if it is of interest where the output goes."""
        # The job sums up the events, as it does for the screens.
        self._job.take(event)
        result = self._result(event)
        if result is not None:
            self._print_result(event, result)
        elif event.event == "plan":
            if not event.steps:
                echo(NOTHING_TO_BUILD, err=True)
        elif event.event == "restart":
            echo(words.restarted(event.ending, event.what), err=True)
        elif event.event == "open":
            warn(words.open_scheduler(event.what))
        elif self._is_terminal and event.event != "finished":
            self._show_progress(event)
        # Without a terminal, only what takes long without any other sign of life has a line.
        elif event.event == "compile":
            echo(
                _("preparing the solver (compiled once per machine): {event_what}").format(
                    event_what=in_words(event.what)
                ),
                err=True,
            )
        elif event.event == "wait":
            echo(words.stage(self._job), err=True)

    def _result(self, event: Event) -> str | None:
        """Return what the line of a finished part says; None if the event is no end of a part."""
        if event.event == "done":
            return f"{format_size(event.size)}  {decimal(event.seconds, 2)} s"
        if event.event == "there":
            return _("built by another process")
        if event.event == "about":
            return _("all moves  {seconds} s").format(seconds=decimal(event.seconds, 2))
        return None

    def _print_result(self, event: Event, result: str) -> None:
        if self._is_terminal:
            click.echo(ERASED, err=True, nl=False)
        head = ""
        if event.ending:
            head = f"{event.ending} {event.step}/{event.steps}  "
        echo(f"{head}{result}", err=True)

    def _show_progress(self, event: Event) -> None:
        remaining = _("about {left} left").format(left=span(event.left))
        # The line is overwritten, not erased first, so that it does not flicker.
        click.echo(f"\r{words.in_a_row(self._job)}  {event.fraction:4.0%}  {remaining} \x1b[K", err=True, nl=False)
