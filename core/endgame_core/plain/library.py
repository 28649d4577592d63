"""The library in plain mode: the endings of a game and their tables, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from endgame_core import actions
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.games import metrics_of
from endgame_core.language import _
from endgame_core.metric import Metric
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import MODE_COMMANDS, PlainMode
from endgame_core.tables.table_files import SHARED, SHIPPED
from endgame_core.tables.table_task import Task, compacting, verifying
from endgame_core.tasks.catalogue import Catalogue
from endgame_core.words import tables as words
from endgame_core.words.missing_tables import not_built_list
from endgame_core.words.text_model import count

T = TypeVar("T")

LIBRARY_COMMANDS = CommandRegistry(MODE_COMMANDS)
"""The commands of the library."""


class LibraryMode(PlainMode):
    """The catalogue of endings."""

    COMMANDS = LIBRARY_COMMANDS
    NAME = "library"
    HELP = _("Type the name of an ending, or one of these commands.")

    def __init__(self, console: Console, game: str) -> None:
        super().__init__(console, game)
        self.catalogue = Catalogue([self.lab.library(metric) for metric in metrics_of(game)])

    def enter(self, argument: str) -> None:
        """Print the facts about the ending that was typed, else how many endings are built."""
        catalogue = self.catalogue
        catalogue.forget()
        if argument:
            self.handle_text(argument)
            return

        library = catalogue.library
        builds = self.console.builds
        built, total = catalogue.count()
        self.say(
            f"{built}{words.listing(total, builds.job is not None, len(builds.waiting))}.",
            f"{words.disk(library.disk.used_bytes(), library.disk.free_bytes())}.",
        )
        for pieces in catalogue.groups:
            built, total = catalogue.count(pieces)
            self.say(
                _("{pieces} {unit}: {built} of {endings} built.").format(
                    pieces=pieces,
                    unit=_(library.game.listing.unit),
                    built=built,
                    endings=count(total, "ending", "endings"),
                )
            )

    def tables_changed(self) -> None:
        """Drop the cached entries of the catalogue."""
        self.catalogue.forget()

    def candidates(self) -> Iterable[str]:
        """Return all endings."""
        return [ending for group in self.catalogue.groups.values() for ending in group]

    def default_ending(self) -> str:
        """Return the ending described last."""
        return self.catalogue.ending or ""

    def default_metric(self) -> Metric:
        """Return the metric of the catalogue."""
        return self.catalogue.metric

    def ending_of(self, name: str) -> str:
        """Return the canonical name of an ending (default: the one described last); raises EndingError."""
        if name:
            return self.catalogue.library.game.canonical_name(name)
        return self.default_ending()

    def parse_pieces(self, number: str) -> int:
        """Return the number of pieces of a group of endings as typed; raises EndgameError if there is no such group."""
        groups = self.catalogue.groups
        if number not in map(str, groups):
            unit = _(self.catalogue.library.game.listing.unit)
            raise EndgameError(
                _("no ending has {number} {unit}").format(number=number, unit=unit),
                _("type a number from {groups} to {groups2}").format(groups=min(groups), groups2=max(groups)),
            )
        return int(number)

    def handle_text(self, text: str) -> None:
        """Print the facts about the ending that was typed."""
        self.catalogue.go_to(text)
        facts(self, "")


@LIBRARY_COMMANDS.register(
    "list", _("list the endings with N pieces or stones (list 6), or all built endings"), "[NUMBER]"
)
def list_endings(mode: LibraryMode, number: str) -> None:
    """List all endings with a number of pieces, or the built ones of each number."""
    catalogue = mode.catalogue
    unit = _(catalogue.library.game.listing.unit)
    if number:
        groups = [mode.parse_pieces(number)]
    else:
        # Iterating over groups yields their numbers of pieces.
        groups = catalogue.groups
    for pieces in groups:
        built = [ending for ending in catalogue.groups[pieces] if ending in catalogue.built()]
        missing = [ending for ending in catalogue.groups[pieces] if ending not in catalogue.built()]
        mode.say(
            _("{pieces} {unit}, built: {built}.").format(pieces=pieces, unit=unit, built=", ".join(built) or _("none"))
        )
        if number and missing:
            mode.say(f"{not_built_list(missing)}.")


@LIBRARY_COMMANDS.register(
    "facts", _("show the size of an ending, the tables it requires and the cost of building it"), "[ENDING]"
)
def facts(mode: LibraryMode, name: str) -> None:
    """Print the state, the facts and the requirements of an ending."""
    catalogue = mode.catalogue
    if name:
        catalogue.go_to(name)
    ending = catalogue.ending
    if ending is None:
        raise EndgameError(_("no ending is chosen"), _("type its name"))

    entry = catalogue.entry(ending)
    cost = None
    if entry.state != "built":
        cost = words.price(catalogue.library, [ending], mode.console.builds.workers)
    mode.say(f"{ending}, {catalogue.library.game.title(ending)}: {words.state(entry, catalogue.metric)}.")
    for fact in words.facts(entry, catalogue.metric, cost, True):
        mode.say(f"{fact.label}: {fact.value}.")
    required = catalogue.needs(ending)
    if required:
        mode.say(_("Requires: {required}.").format(required=", ".join(required)))


@LIBRARY_COMMANDS.register(actions.METRIC, _("switch between DTM and DTZ tables"))
def switch_metric(mode: LibraryMode, __: str) -> None:
    """Switch the metric of the catalogue."""
    if mode.catalogue.other is None:
        raise EndgameError(_("this game has only one metric"))
    mode.catalogue.turn()
    mode.say(_("Tables are counted by {metric}.").format(metric=mode.catalogue.metric.upper()))


@LIBRARY_COMMANDS.register(actions.BUILD_ALL, _("build all missing endings with N pieces or stones"), "NUMBER")
def build_all(mode: LibraryMode, number: str) -> None:
    """Build all missing endings with a number of pieces."""
    groups = [mode.parse_pieces(number)]
    missing = mode.catalogue.missing(groups)
    if missing:
        mode.console.build_endings(missing, mode.catalogue.metric)
    else:
        mode.say(words.all_built(groups, mode.catalogue.library.game.listing.unit))


@LIBRARY_COMMANDS.register(
    actions.EXAMINE, _("examine all moves of an ending for the full statistics of about in Explore"), "[ENDING]"
)
def survey(mode: LibraryMode, name: str) -> None:
    """Survey the moves of an ending."""
    mode.console.build_endings([mode.ending_of(name)], mode.catalogue.metric, survey=True)


@LIBRARY_COMMANDS.register(actions.VERIFY, _("verify a table against the rules"), "[ENDING]")
def verify(mode: LibraryMode, name: str) -> None:
    """Verify a table."""
    result = _run_interruptibly(mode, verifying(mode.catalogue.library, mode.ending_of(name)))
    mode.say(words.verified(result))


@LIBRARY_COMMANDS.register(actions.COMPACT, _("compact one of your tables (asks first)"), "[ENDING]")
def compact(mode: LibraryMode, name: str) -> None:
    """Offer the smaller forms of a table, one after the other, and convert it to the first that is accepted."""
    library = mode.catalogue.library
    ending = mode.ending_of(name)
    forms = library.disk.forms(ending)
    if not forms:
        mode.say(words.as_small_as_it_gets(ending))
        return

    question = words.asks_to_compact(library.entry(ending))
    for form, size in forms.items():
        if mode.console.ask(f"{question} {words.form_of(form, size)}."):
            size_before, size_after = _run_interruptibly(mode, compacting(library, ending, form))
            mode.say(words.compacted(ending, size_before, size_after))
            mode.console.builds.changed()
            return
    mode.say(_("Nothing was changed."))


def _run_interruptibly(mode: LibraryMode, task: Task[T]) -> T:
    """Run a task on a table and return its result; Ctrl-C cancels it and raises BuildCancelledError."""
    try:
        with mode.console.interruptible():
            return task.run(lambda __: None)
    except KeyboardInterrupt:
        task.cancel()
        raise BuildCancelledError(*task.cancel_notice) from None


@LIBRARY_COMMANDS.register(actions.DELETE, _("delete one of your tables"), "ENDING")
def delete(mode: LibraryMode, name: str) -> None:
    """Delete a table, after a question."""
    library = mode.catalogue.library
    ending = library.game.canonical_name(name)
    entry = library.entry(ending)
    question = words.asks_to_delete(entry, mode.catalogue.metric, library.disk.one_sided_dependents(ending))

    # Nothing is asked about a table that cannot be deleted: `remove` raises the error that says why.
    is_deletable = entry.state in ("built", "damaged") and entry.owner not in (SHARED, SHIPPED)
    if is_deletable and not mode.console.ask(question):
        mode.say(_("Nothing was deleted."))
        return
    mode.say(words.deleted(ending, library.disk.remove(ending)))
    mode.console.builds.changed()


@LIBRARY_COMMANDS.register("open", _("open an ending in Explore"), "[ENDING]")
def open_in_explore(mode: LibraryMode, name: str) -> None:
    """Open an ending in Explore."""
    # This only requests it: the dialogue switches modes once this command has ended.
    mode.console.requested_mode = "explore", name or mode.default_ending()
