"""Solves a chess ending by bit-sliced retrograde analysis; ``docs/solver.md`` is an overview.

A solve has three steps. The values of exits (captures and promotions) are *unfolded* from the sub-endings. Sets are
filled with the legal positions, and D with the best exit of each. Then *passes* decide positions, in ascending order of
plies, until nothing is new and no exit is due. What is undecided then is drawn.

This module chooses one of four ways, by the pawns and the memory:

====================  ================  ======================================================
pawns                 in memory         in bounded memory
====================  ================  ======================================================
none                  as a whole        plane by plane (``blocks``)
one                   wave by wave      slice by slice, each plane by plane (``slices``)
several               wave by wave      wave by wave, some slices in memory (``waves``)
====================  ================  ======================================================

Pieces and pawns are laid out for the kernels by ``layout``; exits are unfolded by ``exits``. The loops are in the
``_kernels`` modules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess import index, material, metrics
from endgame_core.chess.index import men_of, pawns_of, placements
from endgame_core.chess.solver import _kernels_exits as exit_kernels
from endgame_core.chess.solver import _kernels_layers as layer_kernels
from endgame_core.chess.solver import _kernels_slices as slice_kernels
from endgame_core.chess.solver import needs, waves
from endgame_core.chess.solver._kernels_board import LayerBits, Men, SolverState
from endgame_core.chess.solver.blocks import Bounds, Planes, opened_log
from endgame_core.chess.solver.exits import (
    OnePawnBanks,
    PawnBanks,
    SolverWork,
    all_bounds,
    capture_bounds,
    exit_values,
    unfolded_size,
    unfolding_work,
)
from endgame_core.chess.solver.layout import (
    dimensions,
    men_in_planes,
    one_pawn_men,
    pawns_placed,
    placement_rows,
    slice_men,
)
from endgame_core.chess.solver.slices import Slices, men_now
from endgame_core.chess.solver.stored_slots import find_stored_slots
from endgame_core.errors import EndingError, format_memory
from endgame_core.game import DigitFilter, FinishedParts, Lookup, SolvedEnding, SolveProgress, SolverBudget
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.tables.kernels import KernelThreads
from endgame_core.values import BYTE_DRAW, DRAW, LAST_BYTE_LAYER

_SCRATCH = 64 * 64 + 8

_SLOT = 0.65
"""Work of solving a slot of an ending with pawns; 1 is that of unfolding one byte of an exit. Measured."""
_PREPARED = 0.13
"""Work of a slot of an ending without pawns before the first layer."""
_PASSED = 0.014
"""Work of a slot of an ending without pawns in each layer."""
_LAYERS = 40
"""Number of layers that is assumed where the longest win is not known."""


def solve(
    ending: str,
    lookup: Lookup,
    threads: int,
    on_progress: Callable[[SolveProgress], None],
    metric: Metric = DTM,
    budget: SolverBudget | None = None,
) -> SolvedEnding:
    """Solves an ending of three to six pieces.

    Args:
        ending: Canonical name.
        lookup: Reads the codes of a finished sub-ending with one side to move, shape (slots,).
        threads: Threads to work with, at least 1.
        on_progress: Called after each layer, or now and then with the number of slices that are done; an exception it
            raises stops the solve.
        metric: What codes mean, of this ending and of its sub-endings.
        budget: How much memory may be used, and where the work file is. Without it memory is not limited, and only
            endings are solved whose values bytes hold.

    Returns:
        Codes and counts. They may have to be read before ``done`` is called, which ends the threads.

    Raises:
        EndingError: It has values that a byte cannot hold, and no ``budget``; or there is too little memory for them.
    """
    pawned = material.has_pawns(ending)
    # In bounded memory if the ending is large or does not fit.
    bounded = None
    if budget is not None and needs.in_planes(ending, budget.memory):
        bounded = budget
    if bounded is not None and sum(pawns_of(ending)) > 1:  # as many as fit even if it has to be solved in codes
        threads = needs.threads_held(ending, metric, bounded.memory, threads, metric == DTM)
    workers = KernelThreads(threads if pawned or len(men_of(ending)) > 1 else 1)
    work = SolverWork(ending, metric, lookup, on_progress, workers)
    if pawned and (bounded is None or sum(pawns_of(ending)) > 1):
        finished_parts = None if budget is None else budget.finished_parts
        exceeds_bytes = budget is not None and budget.may_exceed_bytes and metric == DTM
        return _bytes_or_codes(partial(_in_waves, work, bounded, finished_parts), exceeds_bytes)
    if bounded is not None:
        if pawned:
            return _slice_by_slice(work, bounded)
        return _in_planes(work, bounded)
    try:
        return _without_pawns(work)
    finally:
        workers.close()


def warm_up(endings: Sequence[str], report: Callable[[str], None]) -> None:
    """Compiles the kernels that some endings need, or loads them from the cache of an earlier run.

    Args:
        endings: Their names.
        report: Called with one line about the kernels to be compiled, before each group of them.
    """
    codes = {"KQvK": np.zeros((2, 0), np.uint8)}

    def look(name: str, side: int, _: DigitFilter = ()) -> NDArray[np.uint8]:
        if name in codes:
            return codes[name][side]
        return np.full(40960, BYTE_DRAW, np.uint8)

    def quiet(_: SolveProgress) -> None:
        return

    if not all(material.has_pawns(ending) for ending in endings):
        report("layers")
        codes["KQvK"] = solve("KQvK", look, 1, quiet).codes
        report("sub-endings")
        capture_bounds(SolverWork("KQQvK", DTM, look, quiet, KernelThreads(1)), 0)
        find_stored_slots("KQvK", 0, 1)
        report("identical pieces")
        layer_kernels.mirror_rows(np.zeros(64, np.uint64), np.zeros(64, np.uint64))
    if any(material.has_pawns(ending) for ending in endings):
        report("endings with pawns")
        find_stored_slots("KPvK", 0, 1)
        codes.clear()
        solve("KPvK", look, 1, quiet)


# Exits.


# Without pawns.


def _empty_sets(rows: int, tasks: int, dtype: Any = np.uint8) -> SolverState:
    none = np.zeros(0, np.uint64)
    return SolverState(
        undecided=np.zeros(2 * rows * 64, np.uint64),
        not_won=np.zeros(2 * rows * 64, np.uint64),
        codes=np.zeros(2 * rows * 4096, dtype),
        due=np.zeros(2 * tasks * 256, np.uint64),
        pawns=np.zeros(1, np.uint64),
        better=none,
        fallen=none,
    )


def _empty_layer(rows: int, tasks: int) -> LayerBits:
    return LayerBits(np.zeros(2 * rows * 64, np.uint64), np.zeros(2 * rows, np.uint8), np.zeros(2 * tasks, np.uint64))


def _without_pawns(work: SolverWork) -> SolvedEnding:
    men = dimensions(work.ending)
    tasks = 10 * men.size0
    rows = tasks * men.size1
    state = _empty_sets(rows, tasks)
    work.total = unfolding_work(work.ending) + rows * 8192 * (_PREPARED + _PASSED * _expected(work, 0, 0))
    bounds = all_bounds(work)
    lost = _empty_layer(rows, tasks)
    won = _empty_layer(rows, tasks)
    prepared = rows * 8192 * _PREPARED
    work.report(prepared, SolveProgress(phase="captures"))
    work.workers.run(exit_kernels.prepare, men, state, state.codes, bounds, won, 0, tasks)
    work.done += prepared
    del bounds
    if work.metric == DTZ:
        before = _empty_layer(rows, tasks)
    else:
        before = lost
    _solve_layers(work, men, state, (lost, before, won))
    own_copies = [(np.zeros(512, np.int64),) for _ in range(work.workers.threads)]
    codes = state.codes.reshape(2, -1)
    stored_bits = state.undecided.reshape(2, -1)  # once `finish` has run
    for side in (0, 1):
        work.workers.run(
            slice_kernels.finish, men, stored_bits[side], codes[side], side, work.draws[side], 0, tasks, own=own_copies
        )  # fmt: skip
    # A position stands for eight boards; one that is its own mirror copy for four, so that four are missing.
    return SolvedEnding(
        codes=codes,
        canonical=stored_bits,
        copies=8,
        missing=4 * np.sum([counts for (counts,) in own_copies], axis=0).reshape(2, 256),
    )


def _in_planes(work: SolverWork, budget: SolverBudget) -> SolvedEnding:
    """Solves an ending without pawns in bounded memory."""
    men = men_in_planes(work.ending)
    idle = 4 - len(men_of(work.ending))
    size = men.sizeq * men.size0 * men.size1 * 10 * 8192
    shares = size * _PREPARED, size * _PASSED * _expected(work, 0, 0)
    unfolded = unfolding_work(work.ending)
    work.total = unfolded + sum(shares)

    def report(done: float, progress: SolveProgress) -> None:
        work.done = unfolded + done
        work.report(0.0, progress)

    def bounds() -> Bounds:
        first, second, last, outer = all_bounds(work)
        # Bounds by dimension, as `men_in_planes` lays the pieces out: `outer` is empty where a dimension is not used.
        in_order = [outer, first, second][idle:] + [outer] * idle
        return in_order[1], in_order[2], last, in_order[0]

    planes = Planes(
        work.ending, work.metric, men, work.workers, work.draws, budget, report,
        lambda n, last: _expected(work, n, last), needs.needs(work.ending, work.metric),
    )  # fmt: skip
    return planes.solve(bounds, shares)


def _solve_layers(
    work: SolverWork, men: Men, state: SolverState, layer_bits: tuple[LayerBits, LayerBits, LayerBits]
) -> None:
    """Runs pass after pass until nothing is new and no exit is due.

    Args:
        work: The solve.
        men: The pieces, laid out.
        state: The sets.
        layer_bits: Layers for the newest losses, the losses before (by DTM the same) and the newest wins; the last
            has the positions in check.
    """
    lost, before, won = layer_bits
    dtz = work.metric == DTZ
    last = layer_kernels.last_due(state, int(dtz))
    last = last // 2 if dtz else last
    work_before = work.done
    remaining_work = work.total - work.done
    n = 0
    while True:
        new = [0, 0]
        for number in (2 * n, 2 * n + 1) if dtz else (n,):
            if number % 2:
                result = _run_pass(work, men, state, number, before, won)
            else:
                result = _run_pass(work, men, state, number, won, before)
                lost, before = before, lost
            # The positions in check have been used: from now on this is an empty layer.
            if number == 0:
                won.words[:] = 0
                won.rows[:] = 0
            new = [a + b for a, b in zip(new, result, strict=True)]
        if not any(new) and n >= last:
            return
        # A layer takes half as long as those before, on average.
        to_come = 1 - (n + 1) / (_expected(work, n, last) + 1)
        work.done = max(work.done, work_before + remaining_work * (1 - to_come**2))
        work.report(work_before + remaining_work - work.done, SolveProgress(n, *new))
        # By DTZ nothing can be new after a depth without news, until the exits behind the horizon are due.
        n = n + 1 if any(new) or not n or not dtz else last


def _expected(work: SolverWork, n: int, last: int) -> int:
    """Estimates the number of layers, seen from layer ``n`` with exits due up to the last."""
    longest = material.longest_moves(work.ending)
    plies = _LAYERS if longest is None else 2 * longest - 1
    return max(plies if work.metric == DTM else plies // 2, last, n + 1)


def _run_pass(
    work: SolverWork, men: Men, state: SolverState, number: int, source: LayerBits, out: LayerBits
) -> list[int]:
    """Runs a pass; returns how many positions of each side to move are new. Checks that a byte holds them."""
    own = [(np.zeros(_SCRATCH, np.uint64), np.zeros(2, np.int64)) for _ in range(work.workers.threads)]
    if men.folded and number:
        # Only one order of two identical pieces is worked on, but a piece may move past the other: X is read in both.
        symmetric = np.empty_like(source.rows)
        layer_kernels.mirror_rows(source.rows, symmetric)
        source = source._replace(rows=symmetric)
    dtz = int(work.metric == DTZ)
    tasks = out.rows.size
    work.workers.run(layer_kernels.solve_layer, men, state, source, out, number, dtz, work.draws, 0, tasks, own=own)
    new = [sum(int(counts[side]) for _, counts in own) for side in (0, 1)]
    for side in (0, 1):
        if new[side]:
            metrics.check_range(work.ending, work.metric, number, side)
    return new


# With pawns.


def _thread_args(men: Men, pawns: int, metric: Metric, wide: bool) -> tuple[Any, ...]:
    """One thread's own arguments of the kernel: its sets for one slice (D of codes or of bytes), and scratch."""
    rows = men.size0 * men.size1
    lost, before, won = (_empty_layer(rows, men.size0) for _ in range(3))
    if metric == DTM:
        before = lost
    moves = np.zeros(exit_kernels.MOST_EXITS * len(exit_kernels.Exit._fields), np.int64)
    both = np.zeros(2 * men.size0, np.uint64)
    scratch = np.zeros(_SCRATCH, np.uint64)
    return (
        _empty_sets(rows, men.size0, np.uint16 if wide else np.uint8),
        lost,
        before,
        won,
        both,
        men_now(pawns),
        moves,
        scratch,
    )


def _metric_values(work: SolverWork, wide: bool = False) -> exit_kernels.MetricValues:
    """Return the values of moves by the metric, in codes or in bytes."""
    ending = work.ending
    metric = work.metric
    dtype = np.dtype(np.uint16 if wide else np.uint8)
    values_of_exits = [exit_values(metrics.exit_codes(ending, side, metric, wide), dtype) for side in (0, 1)]
    draws = np.full(2, DRAW, dtype) if wide else work.draws
    reply_values = np.array(metrics.answered(metric, wide), dtype)
    return exit_kernels.MetricValues(int(metric == DTZ), draws, np.concatenate([*values_of_exits, reply_values]))


def _bytes_or_codes(solve_with: Callable[[bool], SolvedEnding | None], exceeds_bytes: bool) -> SolvedEnding:
    """Solves in bytes; in codes if it is known to exceed bytes, or bytes have turned out not to hold a value."""
    result = None
    if not exceeds_bytes:
        result = solve_with(False)
    if result is None:
        result = solve_with(True)
    if result is None:
        raise AssertionError("codes hold every value")
    return result


def _check_memory(work: SolverWork, budget: SolverBudget, least: int) -> None:
    """Raises EndingError if there is too little memory to solve an ending in codes."""
    if budget.memory < least:
        raise EndingError(
            f"{work.ending} has values that a byte cannot hold, for which it needs {format_memory(least)} of memory",
            f"allow more than the {format_memory(budget.memory)} that it may take; what is done stays",
        )


def _in_waves(
    work: SolverWork, budget: SolverBudget | None, finished_parts: FinishedParts | None, wide: bool
) -> SolvedEnding | None:
    """Solves an ending with pawns wave by wave, in codes or in bytes; None where bytes do not hold a value."""
    if wide and budget is not None:
        _check_memory(work, budget, needs.needs(work.ending, work.metric, True).least)
    ending, men, pawns = work.ending, slice_men(work.ending), pawns_placed(work.ending)
    advancements = waves.advancements(pawns)
    waves_of_slices = [np.flatnonzero(advancements == ranks) for ranks in np.unique(advancements)]
    banks = PawnBanks(work, waves_of_slices, budget is not None, wide)
    total = len(advancements)
    size = _SLOT * 2 * index.slots(ending) / total
    work.total = work.done + banks.price + size * total
    done = 0

    def report(finished: int, in_progress: int) -> None:
        nonlocal done
        work.done += size * (finished - done)
        done = finished
        work.report(size * in_progress, SolveProgress(done=finished, total=total))

    capacity = total
    log = None
    if budget is not None:
        capacity = min(total, needs.slices_held(ending, work.metric, budget.memory, work.workers.threads, wide))
        log = opened_log(ending, work.metric, budget)
    thread_args = [_thread_args(men, len(pawns.white), work.metric, wide) for _ in range(work.workers.threads)]
    return waves.Waves(
        ending, work.metric, men, work.workers, pawns, _metric_values(work, wide), banks.unfolded, thread_args, report,
        capacity, log, wide, 1 << 62 if wide else _pass_limit(work), finished_parts,
    ).solve_all()  # fmt: skip


def _pass_limit(work: SolverWork) -> int:
    """The first pass that must find nothing where an ending is solved in bytes.

    By DTM a byte holds a loss in 254 plies but no win in 255, so a move into such a loss would have a wrong value: a
    win in 253 plies (or, by a push, a draw). With five pieces no position has to make such a move.
    """
    if work.metric == DTM and material.men_count(work.ending) > 5:
        return LAST_BYTE_LAYER
    return 1 << 62


def _slice_by_slice(work: SolverWork, budget: SolverBudget) -> SolvedEnding:
    """Solves an ending with one pawn in bounded memory."""
    return _bytes_or_codes(partial(_solve_slices, work, budget), budget.may_exceed_bytes and work.metric == DTM)


def _solve_slices(work: SolverWork, budget: SolverBudget, wide_exits: bool) -> SolvedEnding | None:
    """Solves it with exits as codes, or as bytes; None where bytes do not hold them."""
    needed = needs.needs(work.ending, work.metric, wide_exits)
    if wide_exits:
        _check_memory(work, budget, needed.least)
    white, black = pawns_of(work.ending)
    all_placements = placements(white, black)
    men = one_pawn_men(work.ending)

    def advancement(slice_number: int) -> int:
        return index.advancement(white, all_placements[slice_number])

    # Pawns only move forward: with the most advanced placements first, a slice leads only into solved ones.
    order = sorted(range(len(all_placements)), key=advancement, reverse=True)
    size = men.sizeq * men.size0 * men.size1 * 8192
    shares = size * _PREPARED, size * _PASSED * _expected(work, 0, 0)
    pawn = OnePawnBanks(work, np.zeros(0, np.uint16 if wide_exits else np.uint8))
    bank_work = {slice_number: pawn.size(slice_number) for slice_number in order}
    capture_work = unfolded_size(pawn.banks(0)[0][0].pieces, placement_rows(0, 0))
    work.total = capture_work + sum(bank_work.values()) + len(order) * sum(shares)
    finished = -1

    def before() -> float:
        return (
            capture_work
            + sum(bank_work[slice_number] for slice_number in order[: finished + 1])
            + finished * sum(shares)
        )

    def begin(_: int) -> None:
        nonlocal finished
        finished += 1
        # The bank of the slice that begins is not unfolded yet.
        work.done = max(work.done, before() - bank_work[order[finished]])
        work.report(0.0, SolveProgress(done=finished, total=len(order)))

    def report(done: float, progress: SolveProgress) -> None:
        work.done = before() + done
        if progress.phase:
            shown_progress = progress
        else:
            shown_progress = SolveProgress(done=finished, total=len(order))
        work.report(0.0, shown_progress)

    return Slices(
        work.ending, work.metric, men, work.workers, work.draws, budget, report,
        lambda n, last: _expected(work, n, last), needed, wide_exits=wide_exits,
        pawns=pawns_placed(work.ending), metric_values=_metric_values(work), order=order, banks=pawn.unfolded,
        begin=begin,
    ).solve_all(shares)  # fmt: skip
