"""Tables in words, ours and Syzygy files: their state, the cost and progress of builds, and problems."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError, StorageError, format_required_memory, format_size
from endgame_core.game import DEEP, Cost
from endgame_core.language import _, and_list, ngettext, pgettext
from endgame_core.metric import Metric
from endgame_core.tables.library import CatalogueEntry, Library
from endgame_core.tables.locks import LockOwner
from endgame_core.tables.mmap_arrays import default_memory
from endgame_core.tables.table_files import OWN, SHARED
from endgame_core.tables.verification import Verified
from endgame_core.words.missing_tables import NOT_BUILT, ask_to_build, nothing_known
from endgame_core.words.text_model import (
    LabelledValue,
    count,
    duration,
    either,
    grouped,
    in_words,
    memory,
    name_endings,
    ordinal,
    positions,
    span,
)

if TYPE_CHECKING:
    from endgame_core.chess.syzygy import SyzygyTable
    from endgame_core.tasks.builds import BuildFinished, Job

_MUCH: Final = 3_000_000_000
"""A build that needs more memory than this, in bytes, needs a confirmation."""
_LONG: Final = 600.0
"""A build that takes longer than this, in seconds, needs a confirmation."""

# One ending


def longest_heading(metric: Metric) -> str:
    """Return the heading of the numbers behind the endings of a list."""
    if metric.in_moves:
        return _("mate in")
    return _("longest")


def longest(number: int | None, metric: Metric) -> str:
    """Return the longest win with its unit: ``12 moves``, ``1 ply``; a dash if there is none or it is unknown."""
    if number is None:
        return "–"
    if metric.in_moves:
        return count(number, "move", "moves")
    return count(number, "ply", "plies")


def longest_win(entry: CatalogueEntry, metric: Metric, wide: bool) -> str:
    """The longest win as a fact: ``mate in 33 · 65 plies``, ``DTZ 42 plies to a zeroing move``, ``31 plies``."""
    if entry.longest is None:
        if entry.state == "built":
            return _("all drawn")
        return _("not known yet")
    if metric.label:
        meaning = f" {metric.meaning}" if wide else ""
        return f"{metric.label} {entry.longest}{meaning}"
    if not metric.in_moves:
        return _("{longest} plies").format(longest=entry.longest)
    words = _("mate in {longest}").format(longest=entry.longest)
    if wide:
        return _("{words} · {value} plies").format(words=words, value=2 * entry.longest - 1)
    return words


_STATES: Final = {"missing": NOT_BUILT, "built": _("built"), "damaged": _("damaged")}


def state(entry: CatalogueEntry, metric: Metric, building: bool = False) -> str:
    """Return the state of an ending: ``built``, ``built, shared``, ``DTZ not built``, ``damaged``."""
    words = _("building") if building else _STATES[entry.state]
    if entry.owner == SHARED:
        words += _(", shared")
    return f"{metric.label} {words}".lstrip()


def facts(entry: CatalogueEntry, metric: Metric, cost: Price | None, wide: bool) -> list[LabelledValue]:
    """How large an ending is, and as long as it is not built, what building costs: it, and all that is built first."""
    result = [
        LabelledValue(_("longest"), longest_win(entry, metric, wide)),
        LabelledValue(_("positions"), positions(entry.positions, entry.exact)),
        LabelledValue(_("size"), _size(entry, wide)),
    ]
    if entry.state == "built":
        return result
    took = LabelledValue(pgettext("duration", "time"), duration(entry.seconds))
    need = LabelledValue(_("memory"), memory(entry.memory))
    if wide:
        took = LabelledValue(took.label, took.value + _(" on this machine"))
        need = LabelledValue(need.label, need.value + _(" while building"))
    if cost is not None and cost.least > _MUCH:
        if wide:
            memory_text = _("at least {least}, at most {memory}").format(
                memory=memory(entry.memory), least=format_required_memory(cost.least)
            )
        else:
            memory_text = _("{least} or more").format(least=format_size(cost.least))
        need = LabelledValue(_("memory"), memory_text)
    result += [need, took] if wide else [took, need]
    if cost is not None and (cost.endings > 1 or cost.first):
        if wide:
            total = cost.words
        else:
            total = cost.words.removeprefix(_("about "))
        result.append(LabelledValue(_("total"), total))
        if cost.first:
            compile_time = duration(cost.first)
            if wide:
                compile_time += _(" of it, once on this machine")
            result.append(LabelledValue(_("compile"), compile_time))
    return result


def _size(entry: CatalogueEntry, wide: bool) -> str:
    """How large a table is: ``1.1 MB lean on disk``; where there is little room, with the key that makes it smaller."""
    form = ""
    if entry.form == "lean":
        form = _(" one-sided")
    key = ""
    if entry.form == "built" and entry.owner == OWN:
        key = _(" c compact")
    sign = "" if entry.exact else "≈ "
    remark = _(" on disk") if wide else key
    return f"{sign}{format_size(entry.size)}{form}{remark}"


def other_table(bytes_: int | None, damaged: bool = False) -> str:
    """Return the state of the table of the other metric (size, missing or damaged), and the key to it."""
    if bytes_ is not None:
        return _("built, {bytes_}").format(bytes_=format_size(bytes_))
    if damaged:
        state = _("damaged · {build_dtz}")
    else:
        state = _("not built · {build_dtz}")
    return instruct(state)


def not_known_yet(ending: str | None, by: Metric | None) -> str:
    """Return why an ending or a group has no data; ``by`` is the metric that it lacks, unless it is shown elsewhere."""
    if ending is None:
        return _("move the cursor to an ending first.")
    return nothing_known(ending, by)


def enter_does(entry: CatalogueEntry, wide: bool) -> str:
    """Return the effect of choosing an ending: ``opens it``, ``builds it, 3 endings first``."""
    if entry.state == "built":
        does = _("opens it")
    else:
        does = _("builds it")
    if first := len(entry.missing):
        if wide:
            number = count(first, "ending", "endings")
        else:
            number = str(first)
        does += _(", {first} first").format(first=number)
    return does


def group(built: int, total: int, together: bool) -> str:
    """How much of a group is built, and what the keys do there; ``together``: one key builds all the rest."""
    keys = _("{choose} expands or collapses the group")
    keys += _("; {build_all} builds all of it.") if together else "."
    return _("{built} of {endings} built. {instruct}").format(
        built=built, endings=count(total, "ending", "endings"), instruct=instruct(keys)
    )


def listing(total: int, building: bool, waiting: int, others: int = 0) -> str:
    """Return the text after the number of built endings: `` of 145 built  1 building  2 waiting  3 by others``."""
    words = _(" of {total} built").format(total=total)
    if building:
        words += _("  1 building")
    # Builds wait only for a running one.
    if building and waiting:
        words += _("  {waiting} waiting").format(waiting=waiting)
    if others:
        words += _("  {others} by others").format(others=others)
    return words


def disk(used: int, free: int) -> str:
    """Return the size of your own tables and the free space: ``1.3 MB on disk · 12 GB free``."""
    if not used:  # the list may have the sizes of other people's tables
        return _("no tables of your own · {free} free").format(free=format_size(free))
    return _("{used} on disk · {free} free").format(used=format_size(used), free=format_size(free))


# Building


def room_on_disk(
    needs: Callable[[str], Iterable[str]], priced: Mapping[str, Cost], keeping: Collection[str], workers: int = 1
) -> int:
    """Bytes of disk that a build needs at most; tables that are not kept are deleted once nothing needs them.

    Args:
        needs: The sub-endings of an ending.
        priced: The endings to build, in order, with their costs.
        keeping: What stays.
        workers: How many endings are built at the same time.
    """
    peak = disk_use = 0
    # The last ending that needs each table: later entries replace earlier ones. After it, the table is deleted.
    until = {name: at for at, ending in enumerate(priced) for name in (ending, *needs(ending))}
    for at, ending in enumerate(priced):
        peak = max(peak, disk_use + priced[ending].peak)
        disk_use += priced[ending].size
        disk_use -= sum(priced[name].size for name in priced if name not in keeping and until[name] == at)

    # Other workers are at any other endings meanwhile: the largest, if the worst comes to the worst.
    costs = priced.values()
    others = sum(nlargest(workers - 1, (cost.peak for cost in costs)))
    everything = sum(cost.size for cost in costs) + sum(nlargest(workers, (cost.scratch for cost in costs)))
    # Never more than if nothing were deleted and the largest work files existed at the same time.
    return min(peak + others, everything)


def memory_of(costs: Iterable[Cost]) -> str:
    """How much memory endings take: ``8.1 GB of memory at most, 3.2 GB at least``.

    Also how much that is at least if one turns out to have wins that bytes do not hold, where that is not known.
    """
    costs = [*costs]
    memory = max(cost.memory for cost in costs)
    least = max(cost.enough for cost in costs)
    deep = max(cost.deep for cost in costs)
    minimum = ""
    if least < memory:
        minimum = _(", {least} at least").format(least=format_required_memory(least))
    deep_note = ""
    if deep > least:
        deep_note = f" ({format_required_memory(deep)} {DEEP})"
    return _("at most {most} of memory{told}").format(most=format_size(memory), told=minimum) + deep_note


def not_asked_for(priced: Mapping[str, Cost], requested: Collection[str], go: bool) -> str:
    """Return the number and cost of sub-endings that were not requested, and what happens to them; empty for none."""
    result = [cost for ending, cost in priced.items() if ending not in requested]
    if not result:
        return ""
    where = _("written in total") if go else _("on disk")
    price = _("about {result}, {result2} {where}").format(
        result=span(sum(cost.seconds for cost in result)),
        result2=format_size(sum(cost.size for cost in result)),
        where=where,
    )
    if go:
        sentence = ngettext(
            "{number} of them is a sub-ending you did not ask for ({price}); "
            "it is deleted as soon as the build no longer needs it",
            "{number} of them are sub-endings you did not ask for ({price}); "
            "each is deleted as soon as the build no longer needs it",
            len(result),
        )
    else:
        sentence = ngettext(
            "{number} of them is a sub-ending you did not ask for ({price}); with --keep asked, it is "
            "deleted as soon as the build no longer needs it",
            "{number} of them are sub-endings you did not ask for ({price}); "
            "with --keep asked, each is deleted as soon as the build no longer needs it",
            len(result),
        )
    return sentence.format(number=grouped(len(result)), price=price)


@dataclass(frozen=True, slots=True)
class Price:
    """The cost of building some endings, with all missing sub-endings.

    Attributes:
        endings: Number of endings to build.
        seconds: Duration of the build, with compilation.
        size: Bytes on disk.
        first: Duration of the compilation, which a machine needs only once; 0 if it is done.
        peak: Bytes on disk during the build, with work files.
        least: Bytes of memory that the build needs at least.
        deep: The same if an ending turns out to have wins that bytes cannot store; equal to it if that is impossible.
    """

    endings: int
    seconds: float
    size: int
    first: float = 0.0
    peak: int = 0
    least: int = 0
    deep: int = 0

    @property
    def words(self) -> str:
        """Time and size in words: ``about 6 s, 1.3 MB``."""
        return f"{duration(self.seconds)}, {format_size(self.size)}"

    @property
    def is_long(self) -> bool:
        """Whether it takes so long that it needs a confirmation."""
        return self.seconds > _LONG

    @property
    def compiling(self) -> str:
        """That compiling comes first, and how long it takes; empty where it has been done."""
        if self.first:
            return _("including {first} to compile, once on this machine").format(first=duration(self.first))
        return ""


def price(library: Library, endings: Iterable[str], workers: int = 1) -> Price:
    """Return the cost of building these endings on this machine.

    Args:
        library: Where the tables go.
        endings: Canonical names.
        workers: How many endings are built at the same time; they share the memory.
    """
    plan = library.planner.plan(endings)
    memory = None
    if workers > 1:
        # Workers on this machine share its memory.
        memory = default_memory() // workers
    priced = {ending: library.planner.estimate(ending, memory).within(memory) for ending in plan}
    costs = [*priced.values()]
    first = sum(library.kernels.missing(plan).values())
    peak = room_on_disk(library.game.needs, priced, plan, workers)
    least = max((cost.enough for cost in costs), default=0)
    deep = max((cost.deep for cost in costs), default=0)
    seconds = first + sum(cost.seconds for cost in costs)
    return Price(len(costs), seconds, sum(cost.size for cost in costs), first, peak, least, max(least, deep))


def offers(endings: Sequence[str], metric: Metric | None, cost: Price, room: int) -> str:
    """The question where tables are not built, in the most words that fit.

    Args:
        endings: The endings.
        metric: The metric, where it is not the first of the game.
        cost: What building it costs.
        room: Letters.
    """
    first = ""
    if cost.endings > len(endings):
        first = _(", {endings} first").format(endings=cost.endings - len(endings))
    compiling = ""
    if cost.compiling:
        compiling = f" ({cost.compiling})"
    ending = name_endings(endings)
    question = ask_to_build(endings, metric)
    if metric is None:
        what = ending
    else:
        what = _("{ending} by {metric}").format(ending=ending, metric=metric.upper())
    price = cost.words.removeprefix(_("about "))
    # From the longest text to the shortest; the first that fits is asked.
    texts = (
        f"{question} {cost.words}{first}{compiling}",
        _("Build {what}? {cost_words}{first}{compiling}").format(
            what=what, cost_words=cost.words, first=first, compiling=compiling
        ),
        f"{question} {cost.words}{first}",
        _("Build {what}? {cost_words}{first}").format(what=what, cost_words=cost.words, first=first),
        _("Build {what}? {cost_words}").format(what=what, cost_words=cost.words),
        f"{price}?",
        f"{ending}?",
    )
    return next((text for text in texts if len(text) <= room), texts[-1])


def asks_to_build(cost: Price, free: int) -> str:
    """The question before many endings are built, with what it costs."""
    scarce = ""
    if cost.peak > free:
        scarce = _(", {peak} while building, but only {free} is free").format(
            peak=format_size(cost.peak), free=format_size(free)
        )
    if cost.least > _MUCH:
        range_end = ""
        if cost.deep > cost.least:
            range_end = _(" to {deep}").format(deep=format_required_memory(cost.deep))
        scarce = _("{scarce}, at least {least}{most} of memory").format(
            scarce=scarce, least=format_required_memory(cost.least), most=range_end
        )
    compiling = ""
    if cost.compiling and not scarce:
        compiling = f" ({cost.compiling})"
    return _("Build {endings}? {cost_words}{compiling}{scarce}").format(
        endings=count(cost.endings, "ending", "endings"), cost_words=cost.words, compiling=compiling, scarce=scarce
    )


def all_built(men: Sequence[int], unit: str) -> str:
    """Return the sentence that all endings with these numbers of pieces are built."""
    return _("all endings with {str} {unit} are built.").format(
        str=pgettext("range", " to ").join(map(str, sorted({men[0], men[-1]}))), unit=_(unit)
    )


def built(endings: Sequence[str], plan: Sequence[str], metric: Metric) -> str:
    """Return the message of a finished build: ``KPvK is built (and 2 it needs)``.

    Args:
        endings: The requested endings.
        plan: All endings that were built.
        metric: The metric of the tables.
    """
    how = ""
    if metric.label:
        how = _(" by {metric_label}").format(metric_label=metric.label)
    missing = len(set(plan) - set(endings))
    needed = ""
    if missing:
        needed = ngettext(" (and {number} that it requires)", " (and {number} that they require)", len(endings))
        needed = needed.format(number=missing)
    return ngettext("{endings} is built{metric}{needed}.", "{endings} are built{metric}{needed}.", len(endings)).format(
        endings=name_endings(endings), metric=how, needed=needed
    )


def ended(end: BuildFinished) -> str:
    """How a build has ended."""
    if end.is_cancelled:
        return cancelled(end.request.endings, end.waiting)
    if end.problem is not None:
        given_up = count(end.waiting, "waiting ending was", "waiting endings were")
        if end.waiting:
            return _("{problem} {given_up} not built either.").format(problem=end.problem, given_up=given_up)
        return str(end.problem)
    if end.request.with_surveys:
        return _("all moves of {endings} have been examined.").format(endings=and_list(end.request.endings))
    return built(end.request.endings, end.plan, end.request.metric)


def waits(number: int) -> str:
    """That an ending waits for its build: ``waiting, 2nd``."""
    return _("waiting, {ordinal}").format(ordinal=ordinal(number))


def waits_for(needs: int) -> str:
    """Return the number of endings that a waiting ending requires: ``needs 8 first``."""
    if needs:
        return _("needs {needs} first").format(needs=needs)
    return _("can be built at once")


def not_waiting(ending: str) -> str:
    """That an ending has left the queue."""
    return _("{ending} is no longer in the queue.").format(ending=ending)


def cancelled(endings: Sequence[str], waiting: int) -> str:
    """That a build was cancelled, what goes on, and what another ``x`` does."""
    sentence = _("the build of {named} was cancelled").format(named=name_endings(endings))
    if waiting:
        return ngettext(
            "{told}; {waiting} waiting: {key} cancels it as well.",
            "{told}; {waiting} waiting: {key} cancels them as well.",
            waiting,
        ).format(told=sentence, waiting=waiting, key=control("cancel_build"))
    return _("{told}; finished tables are kept.").format(told=sentence)


def stopped_by_quitting(building: Sequence[str], waiting: int) -> str:
    """Return the effect of quitting on a build."""
    more = ""
    if waiting:
        more = _(", {waiting} waiting").format(waiting=waiting)
    return _("this stops the build of {named}{more}").format(named=name_endings(building), more=more)


def first_built(number: int) -> str:
    """How many endings are built before the one that is wanted; nothing when there is none."""
    if number > 0:
        return _("{endings} first").format(endings=count(number, "ending", "endings"))
    return ""


def in_work(job: Job) -> str:
    """The ending that is being built; with its metric when that is not the usual one."""
    return f"{job.ending or job.request.endings[-1]} {job.request.metric.label}".rstrip()


def stage(job: Job) -> str:
    """Return the stage of a build other than layers and pawn placements; empty during these."""
    at = job.event
    if job.is_cancelled:
        return _("cancelling")
    if at is None:
        return _("starting")
    if at.event == "compile":
        return _("compiling {done}/{total}").format(done=at.done, total=at.total)
    if at.event == "phase":
        what = in_words(at.what)
        # The percentage has a constant length, so that what follows it stays where it is.
        if at.total:
            return f"{what} {at.done / at.total:4.0%}"
        return what
    if at.event == "hands":
        return at_work(len(at.hands))
    if at.event == "wait":
        return _("waiting for {at_what}").format(at_what=at.what)
    return {"write": _("writing"), "layer": "", "slices": ""}.get(at.event, _("starting"))


def reached(job: Job) -> str:
    """Return the stage, the layer or the pawn placements, in a few words of constant length."""
    if stage_words := stage(job):
        return stage_words
    if job.slices is not None:
        done, total = job.slices
        return _("pawns {done:{total}}/{total2}").format(done=done, total=len(str(total)), total2=total)
    # job.n is the layer that was finished last, White's or Black's.
    winner = _("White") if job.white == job.n else _("Black")
    return f"{winner} S{job.n}"


def in_a_row(job: Job) -> str:
    """Return the same in more words, with the current ending: ``KRvK 2/5  White S12``."""
    at = job.event
    if at is None or job.is_cancelled or at.event == "wait":
        return stage(job)
    if at.event == "compile":
        return f"{stage(job)}: {in_words(at.what)}"
    if at.event == "hands":
        return workers(job.step, job.steps, at.hands)
    if at.event != "slices":
        progress = reached(job)
    else:
        progress = placements(at.done, at.total)
    if at.ending:
        return f"{at.ending} {at.step}/{at.steps}  {progress}"
    return progress


def restarted(ending: str, why: str) -> str:
    """That an unfinished build of an ending could not be resumed."""
    return _("The build of {ending} starts again: {why}.").format(ending=ending, why=why)


def open_scheduler(where: str) -> EndgameError:
    """The warning that a scheduler lets anybody in."""
    return EndgameError(
        _("anyone who can reach {where} can run programs as you").format(where=where),
        _("use tls://, see docs/cluster.md"),
    )


def placements(done: int, total: int) -> str:
    """How many pawn placements are done: ``1 234 of 25 944 pawn placements``."""
    return _("{done} of {total} pawn placements").format(done=grouped(done), total=grouped(total))


# What other builders have in hand

_SHOWN: Final = 4
"""At most this number of workers is named."""


def share(holder: LockOwner) -> float | None:
    """Return the finished share of the current step, 0 to 1; None if its owner does not count."""
    if holder.share >= 0:
        return holder.share
    return None


def in_hand(holder: LockOwner) -> str:
    """Return what the owner of a lock does: ``42 %, the build of KRPvKR (process 12 on node7, since 23:29)``."""
    if share(holder) is None:
        return f"{holder}"
    return f"{round(100 * holder.share)} %, {holder}"


def others(holders: Mapping[str, LockOwner]) -> str:
    """Return the tables of other builders, in one row: ``2 others: KRPvKR 42 %, KQvKR 7 %``; empty for none."""
    if not holders:
        return ""
    shares: list[str] = []
    for ending, holder in holders.items():
        part = share(holder)
        if part is None:
            shares.append(ending)
        else:
            shares.append(f"{ending} {round(100 * part)} %")
    return f"{count(len(shares), 'other', 'others')}: {', '.join(shares)}"


def at_work(number: int) -> str:
    """Return the number of busy workers."""
    return _("{number} working").format(number=number)


def workers(done: int, total: int, hands: Sequence[tuple[str, float, str]]) -> str:
    """Return the tables of the workers of a cluster: ``12/145  3 at work: KRPvKR 42 %, KQvKR 7 % and 1 more``."""
    shares = [f"{ending} {round(100 * part)} %" for ending, part, __ in hands[:_SHOWN]]
    more = ""
    if len(hands) > _SHOWN:
        more = _(" and {hands} more").format(hands=len(hands) - _SHOWN)
    share_list = ""
    if shares:
        share_list = f": {', '.join(shares)}"
    return f"{done}/{total}  {at_work(len(hands))}{share_list}{more}"


# Deleting and verifying


def asks_to_delete(entry: CatalogueEntry, metric: Metric, leaning: Sequence[str] = ()) -> str:
    """The question before a table goes, with the lean tables that lean on it."""
    if metric.label:
        which = _("the {metric_label} table of {ending}").format(metric_label=metric.label, ending=entry.ending)
    else:
        which = entry.ending
    needed = ""
    if leaning:
        needed = _(" The program cannot read the one-sided {named} without it.").format(named=name_endings(leaning))
    return _("Delete {which}? This frees {size}.{needed}").format(
        which=which, size=format_size(entry.size), needed=needed
    )


def needed_by(ending: str, leaning: Sequence[str]) -> EndgameError:
    """Return the error for a table that other one-sided tables require, if it is not possible to ask the user."""
    what = ngettext(
        "{tables} is one-sided and cannot be read without {ending}",
        "{tables} are one-sided and cannot be read without {ending}",
        len(leaning),
    )
    then = ngettext(
        "first run: endgame-tui compact {tables} --full; or remove both",
        "first run: endgame-tui compact {tables} --full; or remove all",
        len(leaning),
    )
    return StorageError(what.format(tables=name_endings(leaning), ending=ending), then.format(tables=" ".join(leaning)))


def deleted(ending: str, freed: int) -> str:
    """That a table is gone."""
    return _("{ending} deleted, {freed} freed.").format(ending=ending, freed=format_size(freed))


def verifying(ending: str, part: float) -> str:
    """How far a verification has come."""
    return _("verifying {ending}: {value} %.").format(ending=ending, value=round(100 * part))


def verified(result: Verified) -> str:
    """Return the result of a verification."""
    if result.mismatch is not None:
        return _("{ending} is wrong at {mismatch}; delete it and build it again.").format(
            ending=result.ending, mismatch=result.mismatch
        )
    frames = count(result.frames, "frame", "frames")
    compared = count(result.positions, "position", "positions")
    return _("{ending} is correct: {frames} and {compared} agree{left_out}.").format(
        ending=result.ending, frames=frames, compared=compared, left_out=left_out(result)
    )


def left_out(result: Verified) -> str:
    """Why a verification compared fewer positions than it drew; empty where it compared all."""
    if not result.missing:
        return ""
    return _("; the rest cannot be checked without {missing}").format(missing=either(result.missing, _("and")))


# Making tables smaller


def asks_to_compact(entry: CatalogueEntry) -> str:
    """Return the question before a table is rewritten in another form."""
    if entry.form == "lean":
        return _("Store both sides of {ending}?").format(ending=entry.ending)
    return _("Compact {ending}?").format(ending=entry.ending)


def form_of(form: str, bytes_: int) -> str:
    """A form with its size, which is an estimate: ``compact ≈ 640 KB``."""
    if form == "lean":
        name = _("one-sided, slower")
    else:
        name = _("compact")
    return f"{name} ≈ {format_size(bytes_)}"


def as_small_as_it_gets(ending: str) -> str:
    """That a table has no smaller form."""
    return _("{ending} is already as small as possible.").format(ending=ending)


def compacting(ending: str, part: float) -> str:
    """Return the progress of rewriting a table."""
    return _("{ending} is being rewritten: {value} %.").format(ending=ending, value=round(100 * part))


def compacted(ending: str, before: int, after: int) -> str:
    """That a table has another form now."""
    return _("{ending} compacted: {before} → {after}.").format(
        ending=ending, after=format_size(after), before=format_size(before)
    )


# Syzygy files

SPARE: Final = _(
    "Syzygy files are optional: the DTZ tables that you build ({metric} in the Library) give the same answers."
)

NONE: Final = _(
    'No Syzygy directory is set. Start with --syzygy DIR, set SYZYGY_PATH, or add a line syzygy = "DIR" to '
    "settings.toml in the data directory. {spare}"
).format(spare=SPARE)

WHOLE: Final = _("No files are missing: those of all sub-endings are present.")


def unread(problem: str) -> str:
    """Why a directory that is named is not used."""
    return f"{problem[:1].upper()}{problem[1:]} {instruct(SPARE)}"


def short(problem: EndgameError) -> EndgameError:
    """Return the problem of a file, without the checksums, and that the file is no longer read."""
    from endgame_core.chess.syzygy import AGAIN

    what, __, __ = problem.what.partition(": ")
    if problem.then == AGAIN:
        sentence = _("{what}: the file is skipped").format(what=what)
    else:
        sentence = what
    return EndgameError(sentence, problem.then)


def file_problems(table: SyzygyTable, tables: Mapping[str, SyzygyTable], wrong: Sequence[EndgameError]) -> list[str]:
    """Return the problems of the files of an ending and the missing files, a sentence each."""
    from endgame_core.chess.syzygy import missing

    problems = [str(problem) for problem in wrong]
    sentences = [sentence[:1].upper() + sentence[1:] for sentence in problems]
    return [*sentences, *missing(table, tables)] or [WHOLE]


def summary(tables: Sequence[SyzygyTable]) -> tuple[str, str, str]:
    """How many endings, files and bytes, and where."""
    files = [file for table in tables for file in table.files]
    where = dict.fromkeys(str(file.path.parent) for file in files)
    if not files:
        return "0", _(" endings with Syzygy files"), ""
    return (
        str(len(tables)),
        ngettext(" ending with Syzygy files", " endings with Syzygy files", len(tables)),
        _("{files}, {files2} in {where}").format(
            files=count(len(files), "file", "files"),
            files2=format_size(sum(file.size for file in files)),
            where=", ".join(where),
        ),
    )


def checked(sound: Mapping[str, bool]) -> tuple[str, bool]:
    """Return the result of checking all endings, and whether all are sound."""
    wrong = [ending for ending, is_sound in sound.items() if not is_sound]
    if wrong:
        names = ", ".join(wrong)
        return _("{endings_are} wrong; damaged files are skipped: {names}.").format(
            endings_are=count(len(wrong), "ending is", "endings are"), names=names
        ), False
    return _("{endings_have} correct checksums.").format(
        endings_have=count(sum(sound.values()), "ending has", "endings have")
    ), True
