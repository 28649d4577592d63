"""Every sentence about a position, its moves and its layer: the same for screens, commands and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from endgame_core.controls import control, instruct
from endgame_core.errors import EndgameError, MissingError, NotBuiltError, TableError
from endgame_core.game import Game
from endgame_core.game_state import Draw, Win
from endgame_core.judge import BestPlay, Judge
from endgame_core.language import _, ngettext, pgettext, side_name
from endgame_core.metric import DTZ, Metric
from endgame_core.probe_result import ProbeResult
from endgame_core.tables.explorer import Previous, RatedMove
from endgame_core.tasks.walk import Walk
from endgame_core.values import HORIZON, LAST_CLOCK, WINNERS, Category, Fifty
from endgame_core.words.glossary import speech_of
from endgame_core.words.missing_tables import NOT_BUILT, moves_beyond, not_built, press_to_build
from endgame_core.words.text_model import (
    FIFTY_MOVES,
    KINDS,
    UNSURE,
    Badge,
    Headline,
    LineText,
    Message,
    TextRow,
    TextSpan,
    at,
    capital,
    distance,
    either,
    fifty_counter,
    fitted,
    grouped,
    in_plies,
    in_words,
    moves_of_plies,
    note,
)  # fmt: skip

AnyGame = Game[Any, Any]
AnyKnown = ProbeResult[Any, Any]
AnyMove = RatedMove[Any, Any]
AnyWalk = Walk[Any, Any]

_FEW = 3
IN_HAND: Final = _("only after the placing phase")
"""Replaces the layers of positions that no table can hold."""


# What panels show


@dataclass(frozen=True, slots=True)
class MoveGroup:
    """Moves that lead to the same layer.

    Attributes:
        title: ``S18``, or ``draw``.
        notes: What that means, the longest wording first: ``22 equally good moves``, ``22 equally good``, ``22 equal``.
        role: Role of the title's colour.
        moves: The moves, in order.
        best: Whether these are the best moves.
        given_up: For previous positions, the plies that the move gave up; None where it gave up none, or the result.
    """

    title: str
    notes: tuple[str, ...]
    role: str
    moves: tuple[str, ...]
    best: bool = False
    given_up: int | None = None

    @property
    def note(self) -> str:
        """The longest wording of the note."""
        return self.notes[0]

    def note_within(self, width: int) -> str:
        """The longest wording of the note that fits in ``width`` columns, else the shortest."""
        return next((note for note in self.notes if len(note) <= width), self.notes[-1])


@dataclass(frozen=True, slots=True)
class RatedRow:
    """A move with both distances after it.

    Attributes:
        san: As people write it.
        zeroing: Whether it sets the clock to 0.
        dtm: DTM after it, as printed.
        dtz: DTZ after it, as printed.
        kind: The category for its mover.
        best: Whether it is as good as the best.
    """

    san: str
    zeroing: bool
    dtm: str
    dtz: str
    kind: Badge
    best: bool


@dataclass(frozen=True, slots=True)
class MoveList:
    """The legal moves: in groups by the layer they reach, or one below the other by DTZ; or words in their place."""

    groups: tuple[MoveGroup, ...] = ()
    rows: tuple[RatedRow, ...] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class LayerRow:
    """One layer.

    Attributes:
        name: ``S19``; for draws the side to move.
        boards: Positions, every placement counted.
        unique: Positions, symmetric copies once.
        strong: Whether the side that wins is to move, or may be.
        role: Role of the name's colour, where that says something of its own.
    """

    name: str
    boards: int
    unique: int
    strong: bool
    role: str = "text"


@dataclass(frozen=True, slots=True)
class LayerRows:
    """The layers, nearest to the end first, and the one we are on; or words in their place."""

    rows: tuple[LayerRow, ...] = ()
    current: int | None = None
    title: str = _("Layers")
    notice: tuple[str, ...] = ()


NOT_TOLD: Final = MoveGroup("", ("",), "text", ())
"""Stands for the result of a move if it is unknown or hidden."""


# Where we are


def crumbs(walk: AnyWalk) -> tuple[str, ...]:
    """Ending, who wins in the colours of the board, layer, place in the layer.

    A position whose value en passant makes is in no list; layers by another metric than the game's first are called
    by it.
    """
    location = walk.location
    name = name_of(walk.rules, walk.position)
    place = location.place
    of_results = ""
    # Only while a result is shown: a move from there leads out of the results.
    if walk.results is not None and walk.is_at_result:
        of_results = _("{place} of {found}").format(
            place=grouped(walk.result_index + 1), found=grouped(len(walk.results))
        )
    if place is None or location.verdict is None:
        if of_results:
            return (name, of_results)
        return (name,)

    if of_results:
        number = of_results
    elif place.number:
        number = f"{grouped(place.number)}/{grouped(place.total)}"
    else:
        number = _("en passant")
    layer = "=" if place.n is None else f"S{place.n}"
    if walk.metric != walk.metrics[0]:
        layer = f"{walk.metric.upper()} {layer}"
    if location.verdict.winner:
        title = _("{winner} wins").format(winner=side_name(location.verdict.winner))
    else:
        title = _("draws")
    return name, title, layer, number


def crumbs_with_clock(walk: AnyWalk) -> tuple[str, ...]:
    """The same with DTZ and the clock in place of the number in the layer, where :func:`distances_row` has no room."""
    probe = walk.probe
    path = crumbs(walk)
    if probe.clock is None or (walk.metric == walk.metrics[0] and not probe.clock):
        return path
    result = probe.fifty
    if result is None or result.category is Category.DRAW:
        dtz = ""
    else:
        dtz = f"Z{abs(result.dtz)} "
    layer_prefix = f"{walk.metric.upper()} "
    return (*(crumb.removeprefix(layer_prefix) for crumb in path[:3]), f"{dtz}{probe.clock}/{HORIZON}")


def headline(probe: AnyKnown, game: AnyGame, taking: bool = False) -> Headline:
    """Return the side to move, and the result: by the 50-move rule if it differs from DTM.

    ``taking`` means that only the stone to take is still to be chosen.
    """
    position = probe.position
    speech = speech_of(game.name)
    # By depth; replaced below where the 50-move rule makes something else of it.
    outcome, role = result(probe, game)
    words = outcome
    if probe.is_ended_by_limit or probe.verdict is None:
        depth = None
    else:
        depth = probe.verdict.depth
    if depth and speech.numbers:
        words += f" · {in_plies(depth)}"
    if probe.is_ended_by_limit or not probe.is_complete:
        category = None
    else:
        category = probe.category
    if category is not None and (category in UNSURE or not words):
        kind = KINDS[category]
        mates = speech.numbers and probe.verdict is not None and probe.verdict.category is Category.WIN
        words = kind.words
        if mates:
            words = f"{kind.words}, {outcome}"
        role = kind.role
    side = game.mover(position)
    if taking:
        does = _(" takes a stone")
    elif speech.places(position):
        does = _(" to place")
    else:
        does = _(" to move")
    mover = side_name(side) + does
    return Headline(side == "white", mover, words, role, speech.flying(position))


def result(probe: AnyKnown, game: AnyGame) -> tuple[str, str]:
    """The result in words, and its role: ``mate in 7``, ``wins in 13 plies``, ``draw``; empty where it is not known."""
    verdict = probe.verdict
    if probe.is_ended_by_limit:
        return _("draw"), "draw"
    if verdict is None:
        return "", "text"
    if verdict.depth is None:
        if probe.is_over:
            return _(Draw.STALEMATE.value), "draw"
        return _("draw"), "draw"
    speech = speech_of(game.name)
    wins = verdict.category is Category.WIN
    if verdict.depth:
        result = at(speech.result[wins], verdict.depth)
    else:
        result = speech.lost
    role = "win" if wins else "loss"
    return result, role


def name_of(game: AnyGame, position: Any) -> str:
    """The ending in the colours of the board."""
    return speech_of(game.name).ending(game, position)


def distances_row(probe: AnyKnown, metric: Metric | None, key: str, width: int) -> TextRow:
    """DTM, DTZ, the 50-move counter, and the category.

    Args:
        probe: The probe result.
        metric: The metric of the layers, which stands out; None for none.
        key: The key that builds the tables if none stores DTZ; empty if they cannot be built.
        width: Columns there are.
    """
    result = probe.fifty
    mate = "–"
    if probe.verdict is not None:
        mate = distance(probe.verdict.depth)
    if result is not None:
        dtz = distance(result.dtz, result.category is Category.DRAW, result.precise_dtz is not None)
        category = result.category
    else:
        # An ellipsis while the prober still works in the background.
        dtz = "–" if probe.is_complete else "…"
        category = late_category(probe)
    if category is None or not probe.is_complete:
        kind = None
    else:
        kind = KINDS[category]
    right: list[tuple[TextSpan, ...]] = [()]
    if kind is not None and (result is not None or not key or category is Category.DRAW):
        right = [(TextSpan(text, kind.role, True),) for text in (f"{kind.sign} {kind.words}", kind.sign)]
    elif key and probe.is_complete:
        sign = ()
        if kind is not None:
            sign = (TextSpan(f"{kind.sign}  ", kind.role, True),)
        offers = (_("builds the DTZ table"), _("builds DTZ"), _("builds"))
        right = [(*sign, TextSpan(key, "text", True), TextSpan(f" {offer}", "dim")) for offer in offers]

    figures = [("DTM", mate), ("DTZ", dtz), (FIFTY_MOVES, fifty_counter(probe.clock or 0))]
    # Wordings from the longest to the shortest: narrow gaps go first, then the counter's name, then the words on the
    # right.
    rows = [
        TextRow(_figures(figures, metric, label, gap), spans)
        for spans in right
        for label in (FIFTY_MOVES, _("50 moves"))
        for gap in (" · ", " ")
    ]
    return next((row for row in rows if _columns(row) <= width), rows[-1])


def _figures(figures: Sequence[tuple[str, str]], metric: Metric | None, counter: str, gap: str) -> tuple[TextSpan, ...]:
    """Labels and values in a row; that of the metric stands out, and the 50-move counter is labelled ``counter``."""
    spans: list[TextSpan] = []
    for label, value in figures:
        if spans:
            spans.append(TextSpan(gap, "faint"))
        is_metric = label.lower() == metric
        name = counter if label == FIFTY_MOVES else label
        role = "amber" if is_metric else "dim"
        spans += [TextSpan(name, role, is_metric), TextSpan(f" {value}", "text", is_metric)]
    return tuple(spans)


def _columns(row: TextRow) -> int:
    """The columns that a row takes, with a gap of two before its right part."""
    left_width = sum(len(span.text) for span in row.left)
    right_width = sum(len(span.text) for span in row.right)
    if right_width:
        return left_width + 2 + right_width
    return left_width


def late_category(probe: AnyKnown) -> Category | None:
    """Return the category by DTM if the clock matters and no table stores DTZ; otherwise None."""
    if probe.is_ended_by_limit:
        return Category.DRAW
    if not probe.is_complete or probe.fifty is not None or probe.category not in UNSURE:
        return None
    return probe.category


# Layers


def layers(walk: AnyWalk) -> LayerRows:
    """Return the layers of the current winner; for draws, one row for each side to move."""
    location = walk.location
    other = walk.metric != walk.metrics[0]
    metric = ""
    if len(walk.metrics) > 1:
        metric = walk.metric.upper()
    if speech_of(walk.game).in_hand(walk.position):
        return LayerRows(notice=(IN_HAND,))
    if location.unbuilt_ending and metric:
        return LayerRows(
            title=_("{metric} layers").format(metric=metric),
            notice=(_("no {metric} table yet:").format(metric=metric), instruct(_("{build_layers} builds it"))),
        )
    place = location.place
    result = location.layers
    if place is None or result is None:
        return LayerRows()
    if place.winner is None:
        counts = [result.draws[winner] for winner in WINNERS]
        # The sides of the ending, in the colours of the board.
        names = [f"= {'○●'[side ^ place.swapped]}" for side in (0, 1)]
        rows = [LayerRow(name, count.boards, count.canonical, True) for name, count in zip(names, counts, strict=True)]
        title = _("Draws")
        if other:
            title = _("{metric} draws").format(metric=metric)
        return LayerRows(tuple(rows), place.side, title)
    family = result.families.get(place.winner, ())
    rows = [_layer(row.n, row.boards, row.canonical, walk.metric, walk.rules.rule_metric) for row in family]
    title = _("Layers")
    if metric:
        title = _("{metric} layers").format(metric=metric)
    return LayerRows(tuple(rows), place.n, title)


def _layer(n: int, boards: int, unique: int, metric: Metric, rule_metric: Metric | None) -> LayerRow:
    """A layer; those by DTZ have both sides to move, and are marked beyond the 50-move rule."""
    if metric.to_end:
        # Odd layers: the winner moves first and last, so that an odd number of plies is left.
        return LayerRow(f"S{n}", boards, unique, n % 2 == 1)
    if metric == rule_metric and n > HORIZON:
        return LayerRow(f"S{n}=", boards, unique, True, "cursed")
    return LayerRow(f"S{n}", boards, unique, True)


# Moves


def moves(walk: AnyWalk) -> MoveList:
    """Return the legal moves, grouped by layer or by DTZ; or how the game has ended."""
    probe = walk.probe
    game = walk.rules
    if speech_of(walk.game).in_hand(walk.position):
        return MoveList(notice=instruct(_("no table; {press} {play_here} to play it")))
    if probe.is_over:
        over = probe.is_ended_by_limit or probe.problem is None
        if not over:
            return MoveList()
        return MoveList(notice=capital(result(probe, game)[0]))
    if walk.rates_by_dtz:
        return MoveList(rows=rated(probe))
    if walk.location.problem is None and walk.missing_ending:
        return MoveList(notice=not_built(walk.missing_ending))
    if walk.location.problem is None:
        return MoveList(groups(probe.listed_by_depth))
    return MoveList()


def groups(rated_moves: Sequence[AnyMove]) -> tuple[MoveGroup, ...]:
    """Rated moves, best first, by the layer they reach."""
    # The moves are sorted, so that equal ones are neighbours, as groupby needs them.
    by_layer = groupby(rated_moves, key=lambda move: (move.grade, move.layer))
    return tuple(_group(grade, layer, list(group), len(rated_moves)) for (grade, layer), group in by_layer)


def _group(grade: str, layer: int | None, group: list[AnyMove], total: int) -> MoveGroup:
    names = tuple(move.san for move in group)
    if layer is not None:
        title = f"S{layer}"
    elif grade:
        title = _("draw")
    else:
        title = "?"
    if grade == "best":
        role = "draw" if layer is None else "win"
        return MoveGroup(title, _best_notes(len(names), total, layer is None), role, names, True)
    plies = in_plies(group[0].later or 0)
    notes, role = {
        **{category.value: ((kind.words,), kind.role) for category, kind in KINDS.items()},
        "slower": (
            (
                _("{plies} slower").format(plies=plies),
                _("{later} slower").format(later=group[0].later),
                f"+{group[0].later}",
            ),
            "text",
        ),
        "faster": (
            (
                _("{plies} sooner").format(plies=plies),
                _("{later} sooner").format(later=group[0].later),
                f"−{group[0].later}",
            ),
            "text",
        ),
        "draw": ((_("throws away the win"), _("win thrown away"), _("win lost")), "draw"),
        "loss": ((_("loses"),), "loss"),
        "": ((NOT_BUILT,), "dim"),
    }[grade]
    return MoveGroup(title, notes, role, names)


def _best_notes(count: int, total: int, is_draw: bool) -> tuple[str, ...]:
    """Return labels for the best moves, the longest first."""
    if is_draw and count < total:
        if count == 1:
            return (_("holds"),)
        return (_("{count} moves hold").format(count=count), _("{count} hold").format(count=count))
    if count == 1:
        return (_("best"),)
    return (
        _("{count} equally good moves").format(count=count),
        _("{count} equally good").format(count=count),
        _("{count} equal").format(count=count),
    )


def move_group(probe: AnyKnown, move: Any) -> MoveGroup | None:
    """Return the result of one move, for a choice among a few; None if no table covers it."""
    listed = probe.listed_by_depth
    result = next((rated for rated in listed if rated.move == move), None)
    if result is None:
        return None
    return _group(result.grade, result.layer, [result], len(listed))


def promoted(probe: AnyKnown, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
    """The layer a promotion leads to and what that means, from the longest words to the shortest."""
    group = move_group(probe, move)
    if group is None:
        return ()
    layer = TextSpan(group.title, group.role, True)
    dim = "dim"
    if group.role != "text":
        dim = group.role
    short_title = "=" if group.title == _("draw") else group.title
    short = TextSpan(short_title, group.role, True)
    return ((layer, TextSpan(group.note, dim)), (layer, TextSpan(group.notes[-1], dim)), (short,))


def label(move: AnyMove, in_dtz_layers: bool = False) -> tuple[str, bool]:
    """The layer that a move leads to, as a board shows it, and whether it is a best one."""
    if in_dtz_layers and move.fifty is not None:
        is_draw = move.fifty.category is Category.DRAW
        if is_draw:
            return "=", False
        return f"S{abs(move.fifty.dtz)}", False
    if move.verdict is None:
        return "?", False
    is_best = move.grade == "best"
    if move.layer is None:
        return "=", is_best
    return f"S{move.layer}", is_best


def rated(probe: AnyKnown) -> tuple[RatedRow, ...]:
    """The moves with both distances after each, as the 50-move rule wants them."""
    if not probe.by_dtz:
        # Some moves are unknown: a move is best only if it is certain that no other can be better.
        return tuple(_row(move, _proved(move)) for move in probe.partial_by_dtz)
    best = probe.by_dtz[0]
    return tuple(
        _row(move, (move.category_after, move.plies) == (best.category_after, best.plies)) for move in probe.by_dtz
    )


def _proved(move: AnyMove) -> bool:
    """Whether no other move can be better, though not all are known: it does what DTZ of the position promises."""
    before = move.before
    after = move.fifty
    if before is None or after is None or before.precise_dtz is None or after.precise_dtz is None:
        return False
    if move.category_after is None or before.category is Category.BLESSED_LOSS:
        return False
    return (move.category_after.negated, move.plies) == (before.category, abs(before.dtz))


def _row(move: AnyMove, best: bool) -> RatedRow:
    after = move.fifty
    category = move.category_after
    if after is None or category is None:
        return RatedRow(move.san, move.zeroing, "–", "–", Badge("?", _("unknown"), "dim"), False)
    # A DTM of 0 is a mate or, as the tables count it, a draw.
    mate = after.category is Category.LOSS and after.dtz == 0
    dtm = distance(after.dtm, after.dtm == 0 and not mate)
    dtz = distance(after.dtz, category is Category.DRAW, after.precise_dtz is not None)
    return RatedRow(move.san, move.zeroing, dtm, dtz, KINDS[category.negated], best)


def takes(probe: AnyKnown, begun: str, takeable: Iterable[int]) -> list[tuple[int, str, MoveGroup]]:
    """The stones that may be taken, best first: their points, what these are called, and what taking each leads to.

    ``begun`` is the move so far, as people write it.
    """
    speech = speech_of(probe.game.name)
    points = list(takeable)
    result = dict[int, MoveGroup]()
    continuations = [move for move in probe.by_depth if move.san.startswith(begun)]
    has_one_best = sum(move.grade == "best" for move in probe.by_depth) == 1
    is_draw = probe.verdict is not None and probe.verdict.depth is None
    for move in continuations:
        group = _group(move.grade, move.layer, [move], len(probe.by_depth))
        if move.grade == "best":
            notes = (_("best"),)
            if has_one_best and len(continuations) > 1:
                notes = (_("the only best move"), _("best"))
            group = replace(group, notes=notes)
        elif move.grade == "draw" and is_draw:
            group = replace(group, notes=(_("holds"),))
        for point in move.move.captured:
            if point in points:
                result.setdefault(point, group)
    # The graded ones are best first; a dict keeps that order and drops the points that come again.
    return [(point, speech.place(point), result.get(point, NOT_TOLD)) for point in dict.fromkeys([*result, *points])]


# Previous positions


def before(walk: AnyWalk) -> tuple[tuple[MoveGroup, ...], str]:
    """The previous positions by layer, each named by its move, ``Kb3→c4``; or why there are none."""
    speech = speech_of(walk.game)
    location = walk.location
    if speech.in_hand(walk.position):
        return (), IN_HAND
    result: list[MoveGroup] = []
    # They are sorted already: best play first, then by layer.
    for (best, layer), items in groupby(location.previous, key=lambda item: (item.best, item.layer)):
        group = list(items)
        title = "=" if layer is None else f"S{layer}"
        unmoves = tuple(map(speech.unmove, group))
        notes = (gave_up(group[0]),)
        result.append(MoveGroup(title, notes, "text", unmoves, best=best, given_up=group[0].gave_up))
    if walk.rules.horizon is None:
        quiet = _("only a mill could lead here")
    else:
        quiet = _("no quiet move or promotion leads here")
    if location.includes_captures:
        none = _("no move leads here from endings that are built")
    else:
        none = quiet
    if location.problem is not None:
        none = ""
        if location.unbuilt_ending is not None:
            none = not_built(location.unbuilt_ending)
    return tuple(result), "" if result else none


def gave_up(item: Previous[Any, Any]) -> str:
    """Return the value of the move from a previous position."""
    if item.best:
        return _("best move")
    if item.gave_up is None:
        if item.verdict.category is Category.WIN:
            return _("lost the win")
        return _("lost the draw")
    return _("{plies} lost").format(plies=in_plies(item.gave_up))


# Why


def reason(walk: AnyWalk, chosen: int | None = None, wide: bool = False) -> Message:
    """The sentence: of the chosen move, of the 50-move rule where it matters, else of the layers.

    Args:
        walk: Where we are.
        chosen: The number of the move under the cursor among :attr:`Walk.moves`; None while none is chosen.
        wide: Whether there is room for what matters less.
    """
    probe = walk.probe
    # From the most to the least important: the clock, the chosen move, the 50-move rule, the game's own reason, depth.
    message = _late(probe)
    if message is None and chosen is not None and (probe.by_dtz or walk.rates_by_dtz) and chosen < len(walk.moves):
        message = move_said(walk.moves[chosen])
    message = message or explained(probe, walk.rates_by_dtz, walk.ending) or speech_of(walk.game).reason(probe, wide)
    if message is not None:
        return message
    if isinstance(probe.problem, NotBuiltError):
        return Message("", press_to_build(probe.problem.ending))
    if probe.problem is not None:
        return Message("", capital(str(probe.problem)))
    return why(probe, walk.rules)


def explained(probe: AnyKnown, rates_by_dtz: bool, ending: str) -> Message | None:
    """Return the sentence about a position if the 50-move rule matters or moves are rated by DTZ; otherwise None.

    Args:
        probe: The probe result.
        rates_by_dtz: Whether moves are rated by DTZ.
        ending: The ending, where its table by DTZ can be built here.
    """
    if not probe.is_complete:
        return None
    result = probe.fifty
    problem = probe.fifty_problem
    unbuilt = None
    if isinstance(probe.problem, NotBuiltError):
        unbuilt = probe.problem.ending
    if isinstance(problem, MissingError) and probe.partial_by_dtz and (unbuilt is not None or rates_by_dtz):
        if problem.line:
            what = _("{problem} is needed after {line}").format(problem=problem.name, line=" ".join(problem.line))
        else:
            what = problem.what
        if not ending:
            return Message("", f"{what}.")
        press = control("build_dtz")
        return Message(
            "", _("{what}: {control} builds the DTZ table of {ending}.").format(what=what, control=press, ending=ending)
        )
    # The sentences go from what prevents an answer to the answer itself: a missing table, a damaged one, stalemate,
    # a result that DTM alone would not show, and at last the best move.
    if problem is not None and (result is None or not probe.by_dtz):
        if unbuilt is not None:
            return Message("", _instead(problem, unbuilt))
        if rates_by_dtz or isinstance(problem, TableError):
            return Message("", str(problem))
    if result is None:
        return None
    kind = KINDS[result.category]
    if result.stalemate:
        stalemate = rule_verdict(result)
        return Message(stalemate.head, stalemate.reason, kind.role)
    if result.category in UNSURE:
        return _headed(kind, rule_verdict(result))
    if rates_by_dtz:
        if different := difference(probe):
            return Message(probe.by_dtz[0].san, _("is best: {different}").format(different=different), kind.role)
        return Message("", fifty_verdict(result))
    spoilt = probe.spoiling_best
    if spoilt is None or not probe.by_dtz:
        return None
    return Message(
        spoilt.san,
        _("{fifty_move}; {san} is best.").format(fifty_move=fifty_move(spoilt, detail=False), san=probe.by_dtz[0].san),
        "cursed",
    )


def _instead(problem: EndgameError, unbuilt: str) -> str:
    """Return the problem of the tables by DTZ, and that a table by DTM can be built instead."""
    damaged = "; "
    if isinstance(problem, TableError) and problem.then:
        damaged = _("; {then}, or ").format(then=problem.then)
    what = re.split(r": | \(", problem.what)[0]  # how one sees it is told where the files are checked
    advice = instruct(_("{press} {build} to build {unbuilt}."), unbuilt=unbuilt)
    return f"{capital(what)}{damaged}{advice}"


def _late(probe: AnyKnown) -> Message | None:
    """Return the sentence if the clock has ended the game, or if DTM alone cannot decide whether it will.

    A damaged table is reported instead of the latter, which the rows above show.
    """
    if probe.is_ended_by_limit:
        return _headed(KINDS[Category.DRAW], _ENDED)
    result = late_category(probe)
    if result is None or isinstance(probe.fifty_problem, TableError):
        return None
    return _headed(KINDS[result], _by_mate(probe, result))


def _headed(kind: Badge, verdict: RuleVerdict) -> Message:
    """Return the effect of the 50-move rule on a position, with its category as the heading."""
    return Message(capital(kind.words), verdict.reason, kind.role)


def move_said(move: AnyMove) -> Message:
    """The sentence of a move under the 50-move rule."""
    if move.fifty is None or move.category_after is None:
        reason = ""
        if move.problem is not None:
            reason = f": {move.problem.what}"
        return Message(
            move.san,
            _("is not graded{problem}.").format(problem=reason),
        )
    if move.before is None:
        words = fifty_verdict(move.fifty)
    else:
        words = f"{fifty_move(move)}."
    return Message(move.san, words, KINDS[move.category_after.negated].role)


def why(probe: AnyKnown, game: AnyGame) -> Message:
    """Return the value of a position by DTM or depth, and the reason why its best moves are best.

    Returns:
        A heading and a sentence, such as ``S7 → S6`` and ``1 of 28 moves is fastest, 23 win more slowly, 4 throw away
        the win.`` Both are empty where that is not known.
    """
    verdict = probe.verdict
    result = probe.listed_by_depth
    if verdict is None or probe.problem is not None:
        return Message("", "")
    mover = game.mover(probe.position)
    # No legal moves: the game is over, by mate (depth 0) or as a draw.
    if not result:
        if verdict.depth == 0:
            won = game.start_game(probe.position).board_outcome()
            if isinstance(won, Win):
                how = speech_of(game.name).how_won[won]
            else:
                how = _("The game is over")
            winner = _("White") if mover == "black" else _("Black")
            return Message("S0", _("{how}: {mover} has won.").format(how=how, mover=winner))
        heading = ""
        if verdict.category is Category.DRAW:
            heading = _("Draw")
        return Message(heading, _("The game is over."), "draw" if heading else "text")
    if not probe.by_dtz and (spoilt := probe.spoiling_best) is not None:
        return Message(f"S{verdict.depth}", _surer(probe, spoilt))
    if verdict.category is Category.WIN and probe.clock is not None and probe.clock >= HORIZON and not probe.by_dtz:
        return Message(f"S{verdict.depth}", _if_unclaimed(probe))
    best = [move for move in result if move.grade == "best"]
    if len(result) > 1:
        head = _("{best} of {result} moves").format(best=len(best), result=len(result))
    else:
        head = _("the only move")
    # Moves without a grade lead to endings that are not built.
    if beyond := [move for move in result if not move.grade]:
        if verdict.depth is None:
            step = _("Draw")
        else:
            step = f"S{verdict.depth} → S{best[0].layer}"
        if verdict.depth is not None:
            does = _("is best")
        else:
            does = _("holds")
        leads = moves_beyond(_names(beyond), len(beyond))
        role = "draw" if verdict.depth is None else "text"
        return Message(step, f"{best[0].san} {does}; {leads}.", role)
    if verdict.category is Category.DRAW:
        return _draw(best, result, side_name(mover), head)
    step = f"S{verdict.depth} → S{best[0].layer}"
    if len(result) == 1:
        return Message(step, _("{san} is forced: it is the only legal move.").format(san=best[0].san))
    worse = [move for move in result if move.grade in ("slower", "faster")]
    if verdict.category is Category.LOSS:
        # The other moves change the result: where a draw can or may be claimed, they lose before that.
        spoiling = len(result) - len(best) - len(worse)
        if spoiling:
            keeping = len(best) + len(worse)
            if keeping == 1:
                holds = _("{san} resists").format(san=best[0].san)
            else:
                holds = _("{keeping} of {result} moves resist").format(keeping=keeping, result=len(result))
            if best[0].category_after is Category.CURSED_WIN:
                until = _("{moves} until a draw can be claimed").format(moves=holds)
            else:
                until = _("{moves} until a draw may be claimed").format(moves=holds)
            before = ngettext("{number} loses before that", "{number} lose before that", spoiling).format(
                number=spoiling
            )
            return Message(step, f"{until}; {before}.")
        if not worse:
            return Message(step, _("{moves} lose in the same number of plies.").format(moves=_all_moves(result)))
        if len(best) == 1:
            longest = _("{san} resists longest").format(san=best[0].san)
        else:
            longest = _("{head} resist longest").format(head=head)
        sooner = ngettext("{number} other loses sooner", "{number} others lose sooner", len(worse))
        return Message(step, f"{longest}; {sooner.format(number=len(worse))}.")
    lets_go = _lets_go(result)
    shortest = ngettext("{moves} is fastest", "{moves} are fastest", len(best)).format(moves=head)
    if not worse and any(move.grade == Category.MAYBE_WIN for move in result):  # others may win, too
        return Message(step, f"{shortest}; {lets_go}.")
    if not worse:
        if len(best) == len(result):
            return Message(step, _("{moves} win equally fast.").format(moves=_all_moves(result)))
        if len(best) == 1:
            return Message(step, _("Only {san} wins; {lets_go}.").format(san=best[0].san, lets_go=lets_go))
        return Message(step, _("{head} are equally good; {lets_go}.").format(head=head, lets_go=lets_go))
    later = ngettext("{number} other wins more slowly", "{number} others win more slowly", len(worse))
    later = later.format(number=len(worse))
    return Message(step, f"{shortest}; {', '.join(filter(None, (later, lets_go)))}.")


def reason_of(play: BestPlay[Any, Any]) -> str:
    """Why the first move of best play is best, on one line."""
    probe = play.probe
    if play.line.metric == probe.game.metric:
        if probe.is_ended_by_limit and not play.line.steps:
            return ENDED
        message = why(probe, probe.game)
        if message.heading:
            return f"{message.heading}: {message.sentence}"
        return message.sentence
    assert probe.fifty is not None
    if not probe.by_dtz:
        return fifty_verdict(probe.fifty)
    best = probe.by_dtz[0]
    why_better = difference(probe)
    if why_better:
        return _("{san} is best: {said}").format(san=best.san, said=why_better)
    return f"{best.san}: {fifty_move(best)}."


def _names(rated_moves: Sequence[AnyMove]) -> str:
    return either([move.san for move in rated_moves], _("and"))


def _surer(probe: AnyKnown, spoilt: AnyMove) -> str:
    """Why another move is best than by DTM alone, where only depth and clock tell: a sentence."""
    assert probe.best is not None
    best = probe.best
    loses = probe.verdict is not None and probe.verdict.category is Category.LOSS
    effect = _("delays mate") if loses else _("mates sooner")
    sooner = f"{spoilt.san} {effect}"
    if spoilt.category_after is best.category_after:  # a draw can be claimed now, and matters only if nobody does
        if loses:
            return _("{san} is best: {sooner}, but resets the 50-move counter.").format(san=best.san, sooner=sooner)
        return _("{san} is best: {sooner}, but does not reset the 50-move counter.").format(san=best.san, sooner=sooner)
    if loses:
        return _("{san} is best: {sooner}, but not long enough for a draw claim.").format(san=best.san, sooner=sooner)
    if spoilt.category_after is Category.MAYBE_LOSS:
        return _("{san} is best: {sooner}, but a draw may be claimed first.").format(san=best.san, sooner=sooner)
    return _("{san} is best: {sooner}, but a draw can be claimed first.").format(san=best.san, sooner=sooner)


def _if_unclaimed(probe: AnyKnown) -> str:
    """Return the winning moves by depth alone, as a sentence, for a position in which a draw can be claimed now."""
    winning = [move for move in probe.moves if probe.keeps_result(move.move)]
    if not winning:
        return _("A draw can be claimed now.")
    if len(winning) <= _FEW:
        names = _names(winning)
    else:
        names = _("{winning} moves").format(winning=len(winning))
    return ngettext(
        "A draw can be claimed now. If it is not claimed, {moves} wins.",
        "A draw can be claimed now. If it is not claimed, {moves} win.",
        len(winning),
    ).format(moves=names)


_CHANGES: Final = (
    ("maybe-win", _("may win too late"), _("may win too late")),
    ("cursed-win", _("wins too late"), _("win too late")),
    ("draw", _("throws away the win"), _("throw away the win")),
    ("loss", _("loses"), pgettext("several moves", "lose")),
)
"""The effect of moves of a grade on a win: of one move, and of several."""


def _all_moves(moves: Sequence[AnyMove]) -> str:
    """``both moves`` or ``all 5 moves``, as the beginning of a sentence."""
    if len(moves) == 2:
        return _("Both moves")
    return _("All {number} moves").format(number=len(moves))


def _lets_go(rated_moves: Sequence[AnyMove]) -> str:
    """Return the effect of the moves that change the result, or an empty text."""
    parts: list[str] = []
    for grade, one, many in _CHANGES:
        group = [move for move in rated_moves if move.grade == grade]
        if group and len(group) <= _FEW:
            only = ""
            if len(rated_moves) > 2 * _FEW:
                only = _("only ")
            verb = one if len(group) == 1 else many
            parts.append(f"{only}{_names(group)} {verb}")
        elif group:
            parts.append(f"{len(group)} {many}")
    return ", ".join(parts)


def _draw(best: Sequence[AnyMove], rated_moves: Sequence[AnyMove], side: str, head: str) -> Message:
    losing = [move for move in rated_moves if move.grade in ("loss", "maybe-loss")]
    if len(rated_moves) == 1:
        return Message(_("Draw"), _("{san} is forced and holds the draw.").format(san=rated_moves[0].san), "draw")
    if not losing:
        return Message(
            _("Draw"),
            _("{moves} hold: {side} cannot go wrong.").format(moves=_all_moves(rated_moves), side=side),
            "draw",
        )
    lose = ngettext("loses", "lose", len(losing))
    if len(best) == 1:
        if len(losing) == 1:
            rest = losing[0].san
        else:
            rest = _("the other {losing}").format(losing=len(losing))
        return Message(
            _("Draw"), _("Only {san} holds; {rest} {lose}.").format(san=best[0].san, rest=rest, lose=lose), "draw"
        )
    names = str(len(losing))
    if len(losing) <= _FEW:
        names = _names(losing)
    return Message(_("Draw"), _("{head} hold; {names} {lose}.").format(head=head, names=names, lose=lose), "draw")


# The 50-move rule

_WINNING = (Category.WIN, Category.MAYBE_WIN)
_CURSED = (Category.CURSED_WIN, Category.BLESSED_LOSS)
_GIVEN_UP: Final[Mapping[Category, str]] = {
    Category.WIN: _("throws away the win"),
    Category.MAYBE_WIN: _("throws away the win"),
    Category.CURSED_WIN: _("gives up the cursed win"),
    Category.DRAW: _("throws away the draw"),
    Category.BLESSED_LOSS: _("gives up the draw that could be claimed"),
    Category.MAYBE_LOSS: _("gives up the chance to claim a draw"),
}
"""The effect of a move that changes the category."""


class RuleVerdict(NamedTuple):
    """The value of a position under the 50-move rule, in clauses: ``A cursed win``, the possible result, the reason.

    ``detail`` begins with the sign that joins it to the clause before; it and ``claim`` may be empty.
    """

    head: str
    claim: str = ""
    detail: str = ""

    @property
    def short(self) -> str:
        """A sentence without the detail."""
        if self.claim:
            return f"{self.head}: {self.claim}."
        return f"{self.head}."

    @property
    def reason(self) -> str:
        """Claim and detail, a sentence; the head where it has none of them."""
        if self.claim:
            return f"{capital(self.claim)}{self.detail}."
        return f"{self.head}."

    @property
    def sentence(self) -> str:
        """All of it, a sentence."""
        if self.claim:
            return f"{self.head}: {self.claim}{self.detail}."
        return f"{self.head}{self.detail}."


_ENDED: Final = RuleVerdict(_("A draw"), _("75 moves by each side without a capture or pawn move"))
"""The verdict if the clock itself has ended the game."""
ENDED: Final = _ENDED.sentence


def fifty_verdict(fifty: Fifty) -> str:
    """Return the value of a position with its clock, and the reason."""
    return rule_verdict(fifty).sentence


def rule_verdict(fifty: Fifty) -> RuleVerdict:
    """Return the value of a position with its clock, and the reason, in clauses."""
    if fifty.stalemate:
        return RuleVerdict(capital(_(Draw.STALEMATE.value)), _("the game is drawn"))
    if fifty.category is Category.DRAW:
        if fifty.clock >= LAST_CLOCK:
            return _ENDED
        return RuleVerdict(_("A draw with best play"))
    if fifty.dtz == 0:
        loser = _("White") if fifty.turn else _("Black")
        return RuleVerdict(_("{turn} is checkmated").format(turn=loser))
    won = fifty.dtz > 0
    if fifty.category in _CURSED:
        verdict = _cursed(won, fifty.turn == won, fifty.clock, _least(fifty))
        if fifty.clock < HORIZON:
            return verdict._replace(detail=f"; {_too_late(fifty)}")
        return verdict
    unsure = fifty.precise_dtz is None and fifty.category not in (Category.WIN, Category.LOSS)
    winner = _("White") if fifty.turn == won else _("Black")
    verb = _("may win") if unsure else _("wins")
    wins = f"{winner} {verb}"
    return RuleVerdict(
        wins, _way(fifty), _(", {horizon} left on the 50-move counter").format(horizon=HORIZON - fifty.clock)
    )


def _cursed(won: bool, white: bool, clock: int, least: int = 0) -> RuleVerdict:
    """Return the verdict that White's or Black's win, or loss, comes too late: it is at least ``least`` plies away."""
    if white:
        winner = _("White")
        loser = _("Black")
    else:
        winner = _("Black")
        loser = _("White")
    head = _("A cursed win") if won else _("A blessed loss")
    if clock < HORIZON:
        if won:
            return RuleVerdict(
                head,
                _("{winner} can force mate, but {loser} can claim a draw first").format(winner=winner, loser=loser),
            )
        return RuleVerdict(
            head, _("{winner} could force mate, but {loser} can claim a draw first").format(winner=winner, loser=loser)
        )
    counter = _(", with the 50-move counter at {moves_of_plies}").format(moves_of_plies=moves_of_plies(clock))
    # Even if nobody claims a draw, the 75-move rule ends the game first.
    if clock + least > LAST_CLOCK:
        return RuleVerdict(
            head,
            _("a draw can be claimed"),
            _("{counter}; the game ends at {last_clock}").format(counter=counter, last_clock=LAST_CLOCK // 2),
        )
    if won:
        return RuleVerdict(head, _("{winner} can force mate, but a draw can be claimed").format(winner=winner), counter)
    return RuleVerdict(head, _("a draw can be claimed"), counter)


def fifty_move(rated: AnyMove, detail: bool = True) -> str:
    """Return the effect of a move by DTZ before and after it: a clause without a full stop, empty if it is unknown.

    Args:
        rated: The move.
        detail: Whether to say how far away mate, a zeroing move or a claim is.
    """
    after = rated.fifty
    before = rated.before
    if after is None or before is None:
        return ""
    if rated.checkmate:
        return _("mates")
    if rated.stalemate:
        return _("stalemates")
    if after.category is Category.DRAW:
        if before.category is Category.DRAW:
            return _("keeps the draw")
        return _GIVEN_UP.get(before.category, _("draws"))
    # DTZ after the move is that of the opponent: below 0, the opponent loses.
    describe = _winning if after.dtz < 0 else _losing
    effect, distance = describe(rated.zeroing, after, before)
    if detail and distance:
        return f"{effect}: {distance}"
    return effect


def _winning(zeroing: bool, after: Fifty, before: Fifty) -> tuple[str, str]:
    """Return the effect of a move by a side that can force mate, in time or not, and the distance."""
    reset = ""
    if zeroing:
        reset = _("resets the 50-move counter and ")
    room = _("{horizon} left on the 50-move counter").format(horizon=HORIZON - after.clock)
    if after.category is Category.BLESSED_LOSS:
        if before.category in _WINNING:
            effect = _("turns the win into a cursed win")
        else:
            effect = _("pursues the cursed win")
        way = ""
        if abs(after.dtz) <= HORIZON:
            way = f", {_way(after)}"
        return f"{reset}{effect}", f"{_claim(after)}{way}"
    if after.category is Category.MAYBE_LOSS:
        return _("may keep the win"), _("the win takes {distance}, {left}").format(distance=_distance(after), left=room)
    if zeroing:
        if before.clock >= HORIZON:
            reset = _("resets the 50-move counter before a draw is claimed and ")
        if after.dtm is not None:
            return _("{reset}mates {plies} later").format(reset=reset, plies=in_plies(-after.dtm)), ""
        return _("{reset}keeps the win").format(reset=reset), _way(after)
    return _("keeps the win"), f"{_way(after)}, {room}"


def _losing(zeroing: bool, after: Fifty, before: Fifty) -> tuple[str, str]:
    """Return the effect of a move by a side that can be mated, in time or not, and the distance."""
    was = before.category
    reset = ""
    if zeroing:
        reset = _("resets the 50-move counter and ")
    if after.category is Category.CURSED_WIN:
        if before.dtz < 0:
            effect = _("keeps the blessed loss")
        else:
            effect = _("{given_up} for a blessed loss").format(given_up=_GIVEN_UP[was])
        return f"{reset}{effect}", _claim(after)
    if after.category is Category.MAYBE_WIN:
        if before.dtz < 0:
            effect = _("may be saved by the 50-move rule")
        else:
            effect = _GIVEN_UP[was]
        return effect, _("the win takes {distance}, {horizon} left on the 50-move counter").format(
            distance=_distance(after), horizon=HORIZON - after.clock
        )
    if was is Category.LOSS:
        effect = _("holds out")
    else:
        effect = _GIVEN_UP[was]
    if after.dtm is None or after.only_mate:
        mated = ""
    else:
        mated = _(", mated in {plies}").format(plies=in_plies(after.dtm))
    return f"{reset}{effect}", f"{_way(after)}{mated}"


def difference(probe: AnyKnown) -> str:
    """Why the best move is chosen although another is better by DTM; empty where it is not so, or not known."""
    other = probe.rival
    if other is None or other.fifty is None or probe.by_dtz[0].fifty is None or probe.clock is None:
        return ""
    chosen = probe.by_dtz[0]
    name = other.san
    room = HORIZON - probe.clock
    best_category = probe.by_dtz[0].fifty.category
    if other.checkmate or (other.fifty.dtm or 0) < 0:
        head = _("{name} mates sooner but ").format(name=name)
        if room <= 0 and chosen.zeroing and not other.zeroing:
            return _("{head}does not reset the 50-move counter.").format(head=head)
        if other.fifty.category is Category.BLESSED_LOSS and best_category is not Category.BLESSED_LOSS:
            if other.zeroing:
                return _("{head}turns the win into a cursed win.").format(head=head)
            return _("{head}needs {plies}, with {room} left on the 50-move counter.").format(
                head=head, plies=in_plies(other.plies), room=room
            )
        return _("{head}its DTZ is {plies} plies, not {plies2}.").format(
            head=head, plies=other.plies, plies2=chosen.plies
        )
    head = _("{name} delays mate but ").format(name=name)
    if other.zeroing:
        return _("{head}resets the 50-move counter at once.").format(head=head)
    if best_category is Category.CURSED_WIN and other.fifty.category is not Category.CURSED_WIN:
        return _("{name} delays mate, but not long enough for a draw claim.").format(name=name)
    return _("{head}its DTZ is {plies} plies, not {plies2}.").format(head=head, plies=other.plies, plies2=chosen.plies)


def _by_mate(probe: AnyKnown, category: Category) -> RuleVerdict:
    """Return what DTM and the clock prove about such a category if no table stores DTZ."""
    verdict = probe.verdict
    clock = probe.clock
    assert verdict is not None and verdict.depth is not None and clock is not None
    white = verdict.winner == "white"
    if category in _CURSED:
        return _cursed(category is Category.CURSED_WIN, white, clock)
    detail = _(", {horizon} left on the 50-move counter; only DTZ decides").format(horizon=HORIZON - clock)
    winner = _("White") if white else _("Black")
    return RuleVerdict(
        _("{white} may win").format(white=winner),
        _("{depth} plies to mate").format(depth=verdict.depth),
        detail,
    )


def _too_late(fifty: Fifty) -> str:
    """Why a win comes too late."""
    if abs(fifty.dtz) > HORIZON:
        return _("the 50-move counter must pass 50 at some point")
    return _("{way}, with {horizon} left on the 50-move counter").format(way=_way(fifty), horizon=HORIZON - fifty.clock)


def _way(fifty: Fifty) -> str:
    """How far the next zeroing move or mate is."""
    if fifty.pawns:
        zeroing = _("a zeroing move")
    else:
        zeroing = _("a capture")
    if fifty.only_mate:
        return _("{distance} to mate").format(distance=_distance(fifty))
    return _("{distance} to {zeroing} or mate").format(distance=_distance(fifty), zeroing=zeroing)


def _distance(fifty: Fifty) -> str:
    """DTZ in plies."""
    plies = abs(fifty.dtz)
    if fifty.precise_dtz is not None:
        return in_plies(plies)
    return _("{plies} or {plies2}").format(plies=plies, plies2=in_plies(plies + 1))


def _least(fifty: Fifty) -> int:
    """The fewest plies to the next zeroing move or mate that DTZ can mean: above 100 some of them count as 100."""
    plies = abs(fifty.dtz)
    if plies <= HORIZON:
        return plies
    return plies - HORIZON


def _claim(fifty: Fifty) -> str:
    """When a draw can be claimed: it is not known when where zeroing moves may come before."""
    if fifty.clock >= HORIZON:
        return _("a draw can be claimed at once")
    if abs(fifty.dtz) > HORIZON:
        return _("the 50-move counter must pass 50 at some point")
    return _("a draw can be claimed in {plies}").format(plies=in_plies(HORIZON - fifty.clock))


# The line


def introduction(walk: AnyWalk, width: int) -> tuple[TextRow, ...]:
    """Three paragraphs for a new user: what they see, what to press, where to practise.

    Args:
        walk: The walk at its first position.
        width: The columns of the paragraphs.

    Returns:
        The rows; none if no table has the position.
    """
    probe = walk.probe
    if probe.verdict is None or not probe.by_depth:
        return ()
    best = probe.listed_by_depth[0]
    ending = name_of(walk.rules, walk.position)
    depth = probe.verdict.depth
    if depth is None:
        text = _("With best play neither side wins. All draws of {ending} form a layer.")
        press = _("{best} plays a move that holds the draw: {san}.")
    else:
        text = _("{winner} wins in {plies}. All such positions of {ending} form layer S{depth}.")
        press = _("{best} plays the best move, {san}, to S{next_depth}.")
    winner = side_name(probe.verdict.winner or "")
    values = {"winner": winner, "plies": in_plies(depth or 0), "ending": ending, "depth": depth}
    practice = [
        _("{play_screen} plays on against perfect defence."),
        _("{practise_screen} drills endings like this one."),
        _("{learn_next} shows what to learn next."),
    ]
    paragraphs = (
        (_("What you see"), (text,)),
        (_("What to press"), (press, _("{prompt} lets you type a move; {help} shows help."))),
        (_("Where to practise"), practice),
    )
    values |= {"san": best.san, "next_depth": best.layer}
    rows: list[TextRow] = []
    for heading, sentences in paragraphs:
        rows.append(note(heading, bold=True))
        for sentence in sentences:
            rows += fitted([_keyed_row(sentence, values)], width, 4)
        rows.append(TextRow())
    return (*rows, note(_("Any key shows all moves and layers."), "faint"))


_GREETING_KEYS: Final = ("best", "prompt", "help", "play_screen", "practise_screen", "learn_next")


def _keyed_row(sentence: str, values: Mapping[str, object]) -> TextRow:
    """Return a sentence in which the names of keys are emphasized."""
    # NUL, which occurs in no sentence, marks where the name of a key begins and ends: every second part is one.
    keys = {action: f"\0{control(action)}\0" for action in _GREETING_KEYS}
    parts = sentence.format_map({**values, **keys}).split("\0")
    return TextRow(
        tuple(
            TextSpan(part, "amber" if number % 2 else "text", bool(number % 2))
            for number, part in enumerate(parts)
            if part
        )
    )


def greeting(walk: AnyWalk, height: int) -> tuple[TextRow, ...]:
    """The same in one to three rows, for a small screen.

    Args:
        walk: The walk at its first position.
        height: The number of rows.

    Returns:
        The rows; none if no table has the position.
    """
    probe = walk.probe
    if probe.verdict is None or not probe.by_depth:
        return ()
    depth = probe.verdict.depth
    if depth is None:
        layer_text = _("The layer of all draws.")
    else:
        layer_text = _("S{depth}: won in {plies}.").format(depth=depth, plies=in_plies(depth))
    if height == 1:
        row = _keyed_row(_("{best} best  {practise_screen} drills"), {})
        return (TextRow((TextSpan(f" {layer_text}  "), *row.left)),)
    play = _keyed_row(_(" {best} plays the best move."), {})
    practise = _keyed_row(_(" {practise_screen} drills endings like this one."), {})
    return (note(f" {layer_text}"), play, practise)[:height]


def line(walk: AnyWalk, limit: int) -> LineText:
    """Return the best line from here, of at most ``limit`` plies; by DTZ as far as the prober has found it."""
    probe = walk.probe
    white = walk.rules.mover(walk.position) == "white"
    if probe.is_ended_by_limit:
        return LineText()
    if walk.rates_by_dtz and probe.fifty is not None:
        names: list[str] = []
        ends_in_win = False
        dtz_line = walk.prober.line(walk.position)
        if dtz_line is not None:
            names = dtz_line.sans
            ends_in_win = dtz_line.ends_in_win
        is_complete = ends_in_win and len(names) <= limit
        return LineText(tuple(names[:limit]), white, probe.fifty.dtz >= 0, is_complete)
    result = walk.line(limit).sans
    depth = None
    if probe.verdict is not None:
        depth = probe.verdict.depth
    loses = probe.verdict is not None and probe.verdict.category in (Category.LOSS, Category.BLESSED_LOSS)
    text = LineText(tuple(result), white, not loses, depth is None or depth <= len(result))
    if speech_of(walk.game).numbers:
        return text
    return replace(text, numbered=False, plies=depth or 0)


def numbered(names: Iterable[str], first: int) -> str:
    """Moves with their numbers, as in a book; with Black to move first after an ellipsis.

    Args:
        names: The moves.
        first: The number of the first ply, from 0; an odd one is Black's.
    """
    words: list[str] = []
    for ply, name in enumerate(names, first):
        number = ""
        if ply % 2 == 0 or ply == first:
            dots = "…" if ply % 2 else "."
            number = f"{ply // 2 + 1}{dots}"
        words.append(number + name)
    return " ".join(words)


# What may be typed


def may_be_typed(game: AnyGame) -> str:
    """Return a list of examples of the input that a walk understands."""
    clock = ""
    if game.horizon is not None:
        clock = _(", clock 43")
    speech = speech_of(game.name)
    return _("a move, a {position}, S12, 12/3, {example}{clock}").format(
        position=speech.position, example=game.listing.example, clock=clock
    )


# A position being set up by hand


def edit_verdict(judge: Judge[Any, Any], edit: Any) -> tuple[str, str]:
    """Why the position cannot occur, or what the tables say of it; and the role of that."""
    if edit.problem:
        return capital(edit.problem), "loss"
    position = edit.checked_position()
    game = judge.game
    speech = speech_of(game.name)
    side = side_name(game.mover(position))
    if lost := speech.why_lost(position):
        return _("{side} has lost: {lost}.").format(side=side, lost=lost), "loss"
    probe = judge.probe(position)
    name = name_of(game, position)
    words, role = result(probe, game)
    if probe.fifty is not None and (probe.verdict is None or probe.fifty.category in UNSURE):
        kind = KINDS[probe.fifty.category]
        words = kind.words
        role = kind.role
    if not words:
        unknown = _("not in any table; the search can play on.")
        if speech.name:
            return capital(unknown), "text"
        return f"{name}: {unknown}", "text"
    return _("{name}, {side} to move: {words}.").format(name=name, side=side, words=words), role


# For the command line


def line_of(probe: AnyKnown, names: Sequence[str], cut: bool) -> str:
    """The moves of a line from a position: in chess with their numbers; an ellipsis where the rest is not known."""
    game = probe.game
    numbers = speech_of(game.name).numbers
    black = game.mover(probe.position) == "black"
    if numbers:
        line = numbered(names, int(black))
    else:
        line = " ".join(names)
    if names and cut:
        line += " …"
    return line


CUT: Final = _("the line ends here: ")
"""The text before the sentence that names what is missing for the rest."""

_CLAIMED: Final = _("a draw can be claimed here")
_HELD: Final = _("a draw: all moves that hold it are equally good; the line ends with one of them")


def after_line(play: BestPlay[Any, Any], problem: EndgameError | None) -> Iterator[str]:
    """Return the notes below a line: that it ignores the clock, and the reason why it ends without a winner.

    Args:
        play: Best play.
        problem: Why the clock is not counted, though it matters.
    """
    line = play.line
    if problem is not None:
        if play.category in (Category.CURSED_WIN, Category.BLESSED_LOSS):
            yield _("the 50-move rule makes this a draw, but is ignored here: {problem}").format(problem=problem)
        else:
            yield _("the 50-move rule may make this a draw, but is ignored here: {problem}").format(problem=problem)
    if line.problem is not None:
        yield f"{CUT}{line.problem}"
    elif line.steps and line.metric == DTZ and line.is_over and not line.ends_in_win:
        yield _CLAIMED
    elif line.steps and line.metric != DTZ and line.depth(line.steps[-1]) is None:
        yield _HELD


def standing(probe: AnyKnown, game: AnyGame) -> str:
    """``KQvKR  win: White mates in 31 (61 plies), DTZ 12, clock 40 of 100``; ``3-4  win: White wins in 25 plies``."""
    position = probe.position
    verdict = probe.verdict
    category = probe.category
    clock = probe.clock
    wins = ""
    if verdict is not None and verdict.winner:
        if verdict.depth:
            end = at(speech_of(game.name).estimate, verdict.depth)
        else:
            end = _("{side} has won")
        wins = end.format(side=side_name(verdict.winner))
    if clock is None:
        ending = _("the game is over")
        if verdict is not None and not game.is_trivial(position):
            ending = game.index.family(game.index.slot_of(position), verdict.category)[0]
        return f"{ending}  {in_words(category or '')}{': ' * bool(wins)}{wins}"
    ending = "KvK"
    if not game.is_trivial(position):
        ending = game.ending_of(position)
    result = in_words((category or Category.DRAW).replace("-", " "))
    head = f"{ending}  {result}"
    if probe.is_over and not probe.is_ended_by_limit:
        if verdict is None or verdict.depth is None:
            end = Draw.STALEMATE
        else:
            end = Win.MATE
        return f"{head}: {_(end.value)}"
    if category in (None, Category.DRAW):
        return head
    facts = [f"{FIFTY_MOVES} {fifty_counter(clock)}"]
    if probe.fifty is not None and probe.fifty.dtz:
        facts.insert(0, _("DTZ {dtz}").format(dtz=abs(probe.fifty.dtz)))
    if verdict is not None and verdict.depth:
        facts.insert(0, f"{wins} ({in_plies(verdict.depth)})")
    return f"{head}: {', '.join(facts)}"


FOR_MOVER: Final[Mapping[Category, str]] = {
    Category.WIN: _("loses"),
    Category.MAYBE_WIN: _("may lose"),
    Category.CURSED_WIN: _("blessed"),
    Category.DRAW: _("draws"),
    Category.BLESSED_LOSS: _("cursed"),
    Category.MAYBE_LOSS: _("may win"),
    Category.LOSS: _("wins"),
}
"""The effect of a move, by the category of the position after it."""
