"""The endings of a game and their tables, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.games import metrics_of
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import ROOM, PlainMode
from endgame_core.tables.compact import Task, compacting, verifying
from endgame_core.tables.library import SHARED, SHIPPED
from endgame_core.tasks.catalogue import Catalogue
from endgame_core.words import tables as words
from endgame_core.words.text_model import count

T = TypeVar("T")

LIBRARY = CommandRegistry(ROOM)
"""The commands here."""


class LibraryMode(PlainMode):
    """The catalogue."""

    TABLE = LIBRARY
    NAME = "library"
    ABOUT = "Type the name of an ending, or one of these commands."

    def __init__(self, desk: Console, game: str) -> None:
        super().__init__(desk, game)
        self.catalogue = Catalogue([self.lab.library(metric) for metric in metrics_of(game)])

    def enter(self, argument: str) -> None:
        """Tells how much is built; what was typed is looked up."""
        catalogue = self.catalogue
        catalogue.forget()
        if argument:
            self.typed(argument)
            return
        built, total = catalogue.count()
        library, busy = catalogue.library, self.desk.builds.job is not None
        self.say(
            f"{built}{words.listing(total, busy, len(self.desk.builds.waiting))}.",
            f"{words.disk(library.used_bytes(), library.free_bytes())}.",
        )
        for men in catalogue.groups:
            built, total = catalogue.count(men)
            self.say(f"{men} {library.game.listing.unit}: {built} of {count(total, 'ending', 'endings')} built.")

    def tables_changed(self) -> None:
        """Looks everything up anew."""
        self.catalogue.forget()

    def candidates(self) -> Iterable[str]:
        """The endings."""
        return [ending for group in self.catalogue.groups.values() for ending in group]

    def wanted_ending(self) -> str:
        """The one that was told of last."""
        return self.catalogue.ending or ""

    def wanted_metric(self) -> str:
        """The one at hand."""
        return self.catalogue.metric

    def meant(self, name: str) -> str:
        """The ending that is named, else the one that was told of last; raises EndingError."""
        return self.catalogue.library.game.canonical_name(name) if name else self.wanted_ending()

    def so_many(self, number: str) -> int:
        """The number of men of a group; raises EndgameError where there is none of so many."""
        groups, unit = self.catalogue.groups, self.catalogue.library.game.listing.unit
        if number not in map(str, groups):
            raise EndgameError(f"no ending has {number} {unit}", f"type a number from {min(groups)} to {max(groups)}")
        return int(number)

    def typed(self, text: str) -> None:
        """Tells of an ending."""
        self.catalogue.go_to(text)
        facts(self, "")


@LIBRARY("list", "list the endings with N pieces or stones (list 6), or all built ones", "[NUMBER]")
def list_all(room: LibraryMode, number: str) -> None:
    """Lists endings."""
    catalogue = room.catalogue
    for men in [room.so_many(number)] if number else catalogue.groups:
        built = [ending for ending in catalogue.groups[men] if ending in catalogue.built()]
        rest = [ending for ending in catalogue.groups[men] if ending not in catalogue.built()]
        room.say(f"{men} {catalogue.library.game.listing.unit}, built: {', '.join(built) or 'none'}.")
        if number and rest:
            room.say(f"Not built: {', '.join(rest)}.")


@LIBRARY("facts", "show the size of an ending, the tables it requires and the cost of building it", "[ENDING]")
def facts(room: LibraryMode, name: str) -> None:
    """Tells of an ending."""
    catalogue = room.catalogue
    if name:
        catalogue.go_to(name)
    ending = catalogue.ending
    if ending is None:
        raise EndgameError("no ending is chosen", "type its name")
    entry = catalogue.entry(ending)
    cost = None if entry.state == "built" else words.price(catalogue.library, [ending], room.desk.builds.workers)
    room.say(f"{ending}, {catalogue.library.game.title(ending)}: {words.state(entry, catalogue.metric)}.")
    for told in words.facts(entry, catalogue.metric, cost, True):
        room.say(f"{told.label}: {told.value}.")
    if needs := catalogue.needs(ending):
        room.say(f"Needs: {', '.join(needs)}.")


@LIBRARY("metric z", "switch between tables by DTM and by DTZ")
def metric(room: LibraryMode, _: str) -> None:
    """Changes the metric."""
    if room.catalogue.other is None:
        raise EndgameError("depth in this game has one meaning only")
    room.catalogue.turn()
    room.say(f"Tables are by {room.catalogue.metric.upper()}.")


@LIBRARY("build-all m", "build all missing endings with N pieces or stones", "NUMBER")
def build_all(room: LibraryMode, number: str) -> None:
    """Builds a group."""
    men = [room.so_many(number)]
    missing = room.catalogue.missing(men)
    if not missing:
        room.say(words.all_built(men, room.catalogue.library.game.listing.unit))
    else:
        room.desk.build_endings(missing, room.catalogue.metric)


@LIBRARY("survey a", "examine all moves of an ending, so that about in Explore shows more", "[ENDING]")
def survey(room: LibraryMode, name: str) -> None:
    """Looks at moves."""
    room.desk.build_endings([room.meant(name)], room.catalogue.metric, about=True)


@LIBRARY("verify", "check a table against its own moves", "[ENDING]")
def verify(room: LibraryMode, name: str) -> None:
    """Verifies a table."""
    room.say(words.verified(_interruptible(room, verifying(room.catalogue.library, room.meant(name)))))


@LIBRARY("compact", "make one of your tables smaller; asks first", "[ENDING]")
def compact(room: LibraryMode, name: str) -> None:
    """Gives a table another form, after a question."""
    library, ending = room.catalogue.library, room.meant(name)
    forms = library.forms(ending)
    if not forms:
        room.say(words.as_small_as_it_gets(ending))
        return
    asks = words.asks_to_compact(library.entry(ending))
    for form, bytes_ in forms.items():
        if room.desk.ask(f"{asks} {words.form_of(form, bytes_)}."):
            room.say(words.compacted(ending, *_interruptible(room, compacting(library, ending, form))))
            room.desk.builds.changed()
            return
    room.say("Nothing is changed.")


def _interruptible(room: LibraryMode, work: Task[T]) -> T:
    """What work on a table has come to; Ctrl-C cancels it."""
    try:
        with room.desk.interruptible():
            return work.run(lambda _: None)
    except KeyboardInterrupt:
        work.cancel()
        raise BuildCancelledError(*work.cancel_notice) from None


@LIBRARY("delete", "delete one of your tables", "ENDING")
def delete(room: LibraryMode, name: str) -> None:
    """Deletes a table, after a question."""
    library = room.catalogue.library
    ending = library.game.canonical_name(name)
    entry = library.entry(ending)
    owned = entry.state in ("built", "damaged") and entry.owner not in (SHARED, SHIPPED)
    asks = words.asks_to_delete(entry, room.catalogue.metric, library.one_sided_dependents(ending))
    if owned and not room.desk.ask(asks):
        room.say("Nothing is deleted.")
        return
    room.say(words.deleted(ending, library.remove(ending)))
    room.desk.builds.changed()


@LIBRARY("open", "open an ending in Explore", "[ENDING]")
def open(room: LibraryMode, name: str) -> None:
    """Opens it."""
    room.desk.wished = "explore", name or room.wanted_ending()
