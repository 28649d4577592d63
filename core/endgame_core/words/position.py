"""Every sentence about a position, its moves and its layer: the same for screens, commands and plain text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from endgame_core.errors import EndgameError, MissingError, NotBuiltError, TableError
from endgame_core.game import Game
from endgame_core.game_state import Win
from endgame_core.judge import DTZ, BestPlay, Judge, ProbeResult
from endgame_core.tables.explorer import Previous, RatedMove
from endgame_core.tasks.walk import Walk
from endgame_core.values import HORIZON, LAST_CLOCK, WINNERS, Category, Fifty
from endgame_core.words.glossary import speech_of
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
    grouped,
    in_plies,
)  # fmt: skip

AnyGame = Game[Any, Any]
AnyKnown = ProbeResult[Any, Any]
AnyMove = RatedMove[Any, Any]
AnyWalk = Walk[Any, Any]

_FEW = 3
_GREETED = 78
"""Columns from which a newcomer is told in full sentences."""
_WON: Final = {Win.MATE: "Checkmate", Win.STONES: "Two stones are left", Win.BLOCKED: "No stone can move"}
IN_HAND: Final = "none: stones are in hand"
"""What stands in place of layers that tables cannot have."""


# What panels show


@dataclass(frozen=True, slots=True)
class MoveGroup:
    """Moves that lead to the same layer.

    Attributes:
        title: ``S18``, or ``draw``.
        note: What that means: ``best · 22 tie``, ``2 plies later``, ``win gone``.
        role: Role of the title's colour.
        moves: The moves, in order.
        best: Whether these are the best moves.
        short: The note in fewer letters.
    """

    title: str
    note: str
    role: str
    moves: tuple[str, ...]
    best: bool = False
    short: str = ""


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
    here: int | None = None
    title: str = "Layers"
    notice: tuple[str, ...] = ()


NOT_TOLD: Final = MoveGroup("", "", "text", ())
"""What a move leads to where that is not known, or may not be told."""


# Where we are


def crumbs(walk: AnyWalk) -> tuple[str, ...]:
    """Ending, who wins in the colours of the board, layer, place in the layer.

    A position whose value en passant makes is in no list; layers by another metric than the game's first are called
    by it.
    """
    here, name = walk.here, name_of(walk.rules, walk.position)
    place = here.place
    is_found = walk.found and walk.step is walk.shown
    of_found = f"{grouped(walk.place + 1)} of {grouped(len(walk.found))}" if is_found else ""
    if place is None or here.verdict is None:
        return (name, of_found) if of_found else (name,)
    number = f"{grouped(place.number)}/{grouped(place.total)}" if place.number else "en passant"
    number = of_found or number
    layer = "=" if place.n is None else f"S{place.n}"
    if walk.metric != walk.metrics[0]:
        layer = f"{walk.metric.upper()} {layer}"
    return name, f"{here.verdict.winner.capitalize()} wins" if here.verdict.winner else "draws", layer, number


def crumbs_with_clock(walk: AnyWalk) -> tuple[str, ...]:
    """The same with DTZ and the clock in place of the number in the layer, for where there is no row for the clocks."""
    known, path = walk.known, crumbs(walk)
    if known.clock is None or (walk.metric == walk.metrics[0] and not known.clock):
        return path
    result = known.fifty
    dtz = "" if result is None or result.category is Category.DRAW else f"Z{abs(result.dtz)} "
    return (*(crumb.removeprefix("DTZ ") for crumb in path[:3]), f"{dtz}{known.clock}/{HORIZON}")


def headline(known: AnyKnown, game: AnyGame, taking: bool = False) -> Headline:
    """Who is to move, and the result: what the 50-move rule makes of it where that is not what DTM says.

    ``taking`` tells that only the stone to take is still to be chosen.
    """
    position, speech, (words, role) = known.position, speech_of(game.name), result(known, game)
    depth = None if known.ended or known.verdict is None else known.verdict.depth
    if depth and speech.numbers:
        words += f" · {in_plies(depth)}"
    category = None if known.ended or not known.whole else known.category
    if category is not None and (category in UNSURE or not words):
        kind, mate = KINDS[category], words.partition(" ·")[0]
        words, role = (f"{kind.words}, {mate}" if mate.startswith("mate ") else kind.words), kind.role
    side = game.mover(position)
    does = " takes a stone" if taking else " to place" if speech.places(position) else " to move"
    mover = side.capitalize() + does
    return Headline(side == "white", mover, words, role, speech.flying(position))


def result(known: AnyKnown, game: AnyGame) -> tuple[str, str]:
    """The result in words, and its role: ``mate in 7``, ``wins in 13 plies``, ``draw``; empty where it is not known."""
    verdict = known.verdict
    if known.ended:
        return "draw", "draw"
    if verdict is None:
        return "", "text"
    if verdict.depth is None:
        return "stalemate" if known.over else "draw", "draw"
    speech, wins = speech_of(game.name), verdict.category is Category.WIN
    return at(speech.result[wins], verdict.depth) if verdict.depth else speech.lost, "win" if wins else "loss"


def name_of(game: AnyGame, position: Any) -> str:
    """The ending in the colours of the board."""
    return speech_of(game.name).ending(game, position)


def clocks(known: AnyKnown, metric: str, key: str, width: int) -> TextRow:
    """The three clocks and the category: DTM, DTZ, and the plies since the last zeroing move.

    Args:
        known: What is known.
        metric: Of which clock the layers are; empty for neither.
        key: What builds the tables where none tells DTZ; empty where they cannot be built.
        width: Columns there are.
    """
    result = known.fifty
    mate = "–" if known.verdict is None else distance(known.verdict.depth)
    if result is not None:
        dtz = distance(result.dtz, result.category is Category.DRAW, result.precise_dtz is not None)
    else:
        dtz = "–" if known.whole else "…"
    words: list[TextSpan] = []
    for label, value in (("DTM", mate), ("DTZ", dtz), (FIFTY_MOVES, f"{known.clock}/{HORIZON}")):
        here = label.lower() == metric
        words += [TextSpan(" · " if width >= 36 else " ", "faint")] if words else []
        words += [TextSpan(label, "amber" if here else "dim", here), TextSpan(f" {value}", "text", here)]
    used = sum(len(word.text) for word in words)
    if not known.whole:
        return TextRow(tuple(words))
    category = result.category if result is not None else late_category(known)
    kind = None if category is None else KINDS[category]
    full = "" if kind is None else f"{kind.sign} {kind.words}"
    if kind is not None and (result is not None or not key or category is Category.DRAW):
        fits = result is None or len(full) <= width - used - 2
        return TextRow(tuple(words), (TextSpan(full if fits else kind.sign, kind.role, True),))
    if not key:
        return TextRow(tuple(words))
    if kind is not None:
        words.append(TextSpan(f" {kind.sign}", kind.role, True))
    room = width - used - (2 if kind is None else len(kind.sign) + 2)
    does = next((d for d in ("builds the DTZ table", "builds DTZ", "builds") if len(key) + len(d) + 1 <= room), "")
    return TextRow(tuple(words), (TextSpan(key, "text", True), TextSpan(f" {does}", "dim")))


def late_category(known: AnyKnown) -> Category | None:
    """The category where the clock matters and nothing tells DTZ: by DTM; None elsewhere."""
    if known.ended:
        return Category.DRAW
    if not known.whole or known.fifty is not None or known.category not in UNSURE:
        return None
    return known.category


# Layers


def layers(walk: AnyWalk) -> LayerRows:
    """The layers of the winner at hand; of the draws, one row for each side to move."""
    here = walk.here
    other = walk.metric != walk.metrics[0]
    metric = walk.metric.upper() if len(walk.metrics) > 1 else ""
    if speech_of(walk.game).in_hand(walk.position):
        return LayerRows(notice=(IN_HAND,))
    if here.unbuilt and metric:
        return LayerRows(title=f"{metric} layers", notice=(f"no {metric} table yet:", "n or [ builds it"))
    place, result = here.place, here.layers
    if place is None or result is None:
        return LayerRows()
    if place.winner is None:
        counts = [result.draws[winner] for winner in WINNERS]
        names = [f"= {'○●'[side ^ place.swapped]}" for side in (0, 1)]
        rows = [LayerRow(name, count.boards, count.canonical, True) for name, count in zip(names, counts, strict=True)]
        return LayerRows(tuple(rows), place.side, f"{metric} draws" if other else "Draws")
    counted = result.families.get(place.winner, ())
    rows = [_layer(row.n, row.boards, row.canonical, other) for row in counted]
    return LayerRows(tuple(rows), place.n, f"{metric} layers" if metric else "Layers")


def _layer(n: int, boards: int, unique: int, by_clock: bool) -> LayerRow:
    """A layer; those by DTZ have both sides to move, and are marked beyond the 50-move rule."""
    if not by_clock:
        return LayerRow(f"S{n}", boards, unique, n % 2 == 1)
    cursed = n > HORIZON
    return LayerRow(f"S{n}{'=' if cursed else ''}", boards, unique, True, "cursed" if cursed else "text")


# Moves


def moves(walk: AnyWalk) -> MoveList:
    """The legal moves as they are told here: by the layers they reach, or by DTZ; or how the game has ended."""
    known, game = walk.known, walk.rules
    if speech_of(walk.game).in_hand(walk.position):
        return MoveList(notice="no table knows it; s plays it")
    if known.over:
        over = known.ended or known.problem is None
        return MoveList(notice=result(known, game)[0].capitalize() if over else "")
    if walk.by_clock:
        return MoveList(rows=rated(known))
    if walk.here.problem is None and walk.missing:
        return MoveList(notice=f"{walk.missing} is not built")
    return MoveList(groups(known.listed_by_depth)) if walk.here.problem is None else MoveList()


def groups(found: Sequence[AnyMove]) -> tuple[MoveGroup, ...]:
    """Rated moves, best first, by the layer they reach."""
    by_layer = groupby(found, key=lambda move: (move.grade, move.layer))
    return tuple(_group(grade, layer, list(some), len(found)) for (grade, layer), some in by_layer)


def _group(grade: str, layer: int | None, some: list[AnyMove], total: int) -> MoveGroup:
    names = tuple(move.san for move in some)
    title = f"S{layer}" if layer is not None else "draw" if grade else "?"
    later = f"{some[0].later} plies"
    if grade == "best":
        drawn = layer is None
        note = "holds" if drawn and len(names) < total else "best"
        note += f" · {len(names)} tie" if len(names) > 1 else ""
        return MoveGroup(title, note, "draw" if drawn else "win", names, True, note)
    note, role, short = {
        **{category.value: (kind.words, kind.role, "") for category, kind in KINDS.items()},
        "slower": (f"{later} later", "text", f"+{some[0].later}"),
        "faster": (f"{later} sooner", "text", ""),
        "draw": ("win gone", "draw", ""),
        "loss": ("loses", "loss", ""),
        "": ("not built", "dim", ""),
    }[grade]
    return MoveGroup(title, note, role, names, short=short or note)


def worth(known: AnyKnown, move: Any) -> MoveGroup | None:
    """What one move leads to, for who chooses among a few; None where no table tells."""
    listed = known.listed_by_depth
    result = next((rated for rated in listed if rated.move == move), None)
    return None if result is None else _group(result.grade, result.layer, [result], len(listed))


def promoted(known: AnyKnown, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
    """The layer a promotion leads to and what that means, from the longest words to the shortest."""
    told = worth(known, move)
    if told is None:
        return ()
    layer, dim = TextSpan(told.title, told.role, True), "dim" if told.role == "text" else told.role
    short = TextSpan(told.title.replace("draw", "="), told.role, True)
    return ((layer, TextSpan(told.note, dim)), (layer, TextSpan(told.short, dim)), (short,))


def label(move: AnyMove, by_clock: bool = False) -> tuple[str, bool]:
    """The layer that a move leads to, as a board shows it, and whether it is a best one."""
    if by_clock and move.fifty is not None:
        drawn = move.fifty.category is Category.DRAW
        return "=" if drawn else f"S{abs(move.fifty.dtz)}", False
    if move.verdict is None:
        return "?", False
    return "=" if move.layer is None else f"S{move.layer}", move.grade == "best"


def rated(known: AnyKnown) -> tuple[RatedRow, ...]:
    """The moves with both distances after each, as the 50-move rule wants them."""
    if not known.by_dtz:
        return tuple(_row(move, _proved(move)) for move in known.partly)
    best = known.by_dtz[0]
    return tuple(_row(move, (move.category, move.plies) == (best.category, best.plies)) for move in known.by_dtz)


def _proved(move: AnyMove) -> bool:
    """Whether no other move can be better, though not all are known: it does what DTZ of the position promises."""
    before, after = move.before, move.fifty
    if before is None or after is None or before.precise_dtz is None or after.precise_dtz is None:
        return False
    if move.category is None or before.category is Category.BLESSED_LOSS:
        return False
    return (move.category.turned, move.plies) == (before.category, abs(before.dtz))


def _row(move: AnyMove, best: bool) -> RatedRow:
    after, category = move.fifty, move.category
    if after is None or category is None:
        return RatedRow(move.san, move.zeroing, "–", "–", Badge("?", "unknown", "dim"), False)
    mate = after.category is Category.LOSS and after.dtz == 0
    dtm = distance(after.dtm, after.dtm == 0 and not mate)
    dtz = distance(after.dtz, category is Category.DRAW, after.precise_dtz is not None)
    return RatedRow(move.san, move.zeroing, dtm, dtz, KINDS[category.turned], best)


def takes(known: AnyKnown, begun: str, takeable: Iterable[int]) -> list[tuple[int, str, MoveGroup]]:
    """The stones that may be taken, best first: their points, what these are called, and what taking each leads to.

    ``begun`` is the move so far, as people write it.
    """
    speech = speech_of(known.game.name)
    points, result = list(takeable), dict[int, MoveGroup]()
    some = [move for move in known.by_depth if move.san.startswith(begun)]
    alone = sum(move.grade == "best" for move in known.by_depth) == 1
    drawn = known.verdict is not None and known.verdict.depth is None
    for move in some:
        told = _group(move.grade, move.layer, [move], len(known.by_depth))
        if move.grade == "best":
            told = replace(told, note="best, the only one" if alone and len(some) > 1 else "best")
        elif move.grade == "draw" and drawn:
            told = replace(told, note="holds")
        for point in move.move.taken:
            if point in points:
                result.setdefault(point, told)
    return [(point, speech.place(point), result.get(point, NOT_TOLD)) for point in dict.fromkeys([*result, *points])]


# Positions before


def before(walk: AnyWalk) -> tuple[tuple[MoveGroup, ...], str]:
    """The previous positions by layer, each named by what will move and where it stands; or why there are none."""
    speech, here = speech_of(walk.game), walk.here
    if speech.in_hand(walk.position):
        return (), IN_HAND
    result: list[MoveGroup] = []
    for (best, layer), items in groupby(here.previous, key=lambda item: (item.best, item.layer)):
        some = list(items)
        title = "=" if layer is None else f"S{layer}"
        result.append(MoveGroup(title, gave_up(some[0]), "text", tuple(map(speech.origin, some)), best=best))
    quiet = "only a mill could lead here" if walk.rules.horizon is None else "no quiet move or promotion leads here"
    none = "no move leads here from endings that are built" if here.captures else quiet
    if here.problem is not None:
        none = "" if here.unbuilt is None else f"{here.unbuilt} is not built"
    return tuple(result), "" if result else none


def gave_up(item: Previous[Any, Any], with_unit: bool = False) -> str:
    """What the move from a previous position was worth; the unit is left out where there is little room."""
    if item.best:
        return "played best"
    if item.gave_up is None:
        return "lost the win" if item.verdict.category is Category.WIN else "lost the draw"
    return f"gave up {in_plies(item.gave_up) if with_unit else item.gave_up}"


# Why


def reason(walk: AnyWalk, chosen: int | None = None, wide: bool = False) -> Message:
    """The sentence: of the chosen move, of the 50-move rule where it matters, else of the layers.

    Args:
        walk: Where we are.
        chosen: The number of the move under the cursor among :attr:`Walk.moves`; None while none is chosen.
        wide: Whether there is room for what matters less.
    """
    known = walk.known
    said = _late(known)
    if said is None and chosen is not None and (known.by_dtz or walk.by_clock) and chosen < len(walk.moves):
        said = move_said(walk.moves[chosen])
    said = said or explained(known, walk.by_clock, walk.ending) or speech_of(walk.game).reason(known, wide)
    if said is not None:
        return said
    if isinstance(known.problem, NotBuiltError):
        return Message("", f"{known.problem.ending} is not built; press . to build it.")
    if known.problem is not None:
        return Message("", capital(str(known.problem)))
    words = why(known, walk.rules)
    heading, _, sentence = words.partition("  ")
    if not sentence:
        return Message("", words)
    return Message(heading, sentence, "draw" if heading == "Draw" else "text")


def explained(known: AnyKnown, by_clock: bool, ending: str) -> Message | None:
    """The sentence about a position where the 50-move rule matters, or where it is told by DTZ; else None.

    Args:
        known: What is known.
        by_clock: Whether moves are told by DTZ.
        ending: The ending, where its table by DTZ can be built here.
    """
    if not known.whole:
        return None
    result, problem = known.fifty, known.fifty_problem
    unbuilt = known.problem.ending if isinstance(known.problem, NotBuiltError) else None
    if isinstance(problem, MissingError) and known.partly and (unbuilt is not None or by_clock):
        what = f"{problem.name} is needed after {' '.join(problem.line)}" if problem.line else problem.what
        return Message("", f"{what}: z builds {ending} by DTZ." if ending else f"{what}.")
    if problem is not None and (result is None or not known.by_dtz):
        if unbuilt is not None:
            return Message("", _instead(problem, unbuilt))
        if by_clock or isinstance(problem, TableError):
            return Message("", str(problem))
    if result is None:
        return None
    kind = KINDS[result.category]
    if result.stalemate:
        return Message("Stalemate", "The game is drawn.", kind.role)
    if result.category in UNSURE:
        return _headed(kind, fifty_verdict(result))
    if by_clock:
        if different := difference(known):
            return Message(known.by_dtz[0].san, f"is best: {different}", kind.role)
        return Message("", fifty_verdict(result))
    spoilt = known.spoilt
    if spoilt is None or not known.by_dtz:
        return None
    return Message(spoilt.san, f"{fifty_move(spoilt).partition(':')[0]}; {known.by_dtz[0].san} is best.", "cursed")


def _instead(problem: EndgameError, unbuilt: str) -> str:
    """What is the matter with the tables by DTZ, and that one by DTM can be built."""
    damaged = f"; {problem.then}, or " if isinstance(problem, TableError) and problem.then else "; "
    what = re.split(r": | \(", problem.what)[0]  # how one sees it is told where the files are checked
    return f"{capital(what)}{damaged}press . to build {unbuilt}."


def _late(known: AnyKnown) -> Message | None:
    """The sentence where the clock has ended the game, or where DTM alone cannot tell whether it will.

    A damaged table goes before the latter, which the rows above tell, too.
    """
    if known.ended:
        return _headed(KINDS[Category.DRAW], ENDED)
    result = late_category(known)
    if result is None or isinstance(known.fifty_problem, TableError):
        return None
    return _headed(KINDS[result], _by_mate(known, result))


def _headed(kind: Badge, sentence: str) -> Message:
    """A sentence that names its category, which becomes the heading."""
    _, _, rest = sentence.partition(": ")
    return Message(capital(kind.words), capital(rest), kind.role)


def move_said(move: AnyMove) -> Message:
    """The sentence of a move under the 50-move rule."""
    if move.fifty is None or move.category is None:
        return Message(move.san, f"is not rated{'' if move.problem is None else f': {move.problem.what}'}.")
    words = fifty_verdict(move.fifty) if move.before is None else f"{fifty_move(move)}."
    return Message(move.san, words, KINDS[move.category.turned].role)


def why(known: AnyKnown, game: AnyGame) -> str:
    """What a position is by DTM or depth, and why its best moves are best.

    Returns:
        One sentence, such as ``S7 → S6  1 of 28 moves is shortest, 23 still win but later, 4 give the win away.``
        Empty where that is not known.
    """
    verdict = known.verdict
    result = known.listed_by_depth
    if verdict is None or known.problem is not None:
        return ""
    mover = game.mover(known.position)
    if not result:
        if verdict.depth == 0:
            won = game.tracked(known.position).finished()
            how = _WON[won if isinstance(won, Win) else Win.MATE]
            return f"S0  {how}: {'White' if mover == 'black' else 'Black'} has won."
        return "Draw  The game is over." if verdict.category is Category.DRAW else "The game is over."
    if not known.by_dtz and (spoilt := known.spoilt) is not None:
        return f"S{verdict.depth}  {_surer(known, spoilt)}"
    best = [move for move in result if move.grade == "best"]
    head = f"{len(best)} of {len(result)} moves" if len(result) > 1 else "the only move"
    if beyond := [move for move in result if not move.grade]:
        step = "Draw" if verdict.depth is None else f"S{verdict.depth} → S{best[0].layer}"
        does = "is best" if verdict.depth is not None else "holds"
        lead = "lead" if len(beyond) > 1 else "leads"
        return f"{step}  {best[0].san} {does}; {_names(beyond)} {lead} to what is not built."
    if verdict.category is Category.DRAW:
        return _draw(best, result, mover.capitalize(), head)
    step = f"S{verdict.depth} → S{best[0].layer}  "
    if len(result) == 1:
        return f"{step}{best[0].san} is forced, the only legal move."
    worse = [move for move in result if move.grade in ("slower", "faster")]
    if verdict.category is Category.LOSS:
        spoiling = len(result) - len(best) - len(worse)
        if spoiling:
            keeping = len(best) + len(worse)
            holds = f"{best[0].san} resists" if keeping == 1 else f"{keeping} of {len(result)} moves resist"
            can = "can" if best[0].category is Category.CURSED_WIN else "may"
            return f"{step}{holds} until a draw {can} be claimed, {spoiling} lose{'s' if spoiling == 1 else ''} before."
        if not worse:
            return f"{step}All {len(result)} moves lose in the same number of plies."
        ties = f"{best[0].san} resists longest" if len(best) == 1 else f"{head} resist longest"
        return f"{step}{ties}, {len(worse)} lose{'s' if len(worse) == 1 else ''} sooner."
    lets_go = _lets_go(result)
    shortest = "is shortest" if len(best) == 1 else "tie for shortest"
    if not worse and any(move.grade == Category.MAYBE_WIN for move in result):  # others may win, too
        return f"{step}{head} {shortest}, {lets_go}."
    if not worse:
        if len(best) == len(result):
            return f"{step}All {len(result)} moves win equally fast."
        if len(best) == 1:
            return f"{step}Only {best[0].san} wins; {lets_go}."
        return f"{step}{head} tie; {lets_go}."
    later = f"{len(worse)} still win{'s' if len(worse) == 1 else ''} but later"
    return f"{step}{head} {shortest}, {later}{', ' + lets_go if lets_go else ''}."


def reason_of(play: BestPlay[Any, Any]) -> str:
    """Why the first move of best play is best, on one line."""
    known = play.known
    if play.line.metric == known.game.metric:
        if known.ended and not play.line.steps:
            return ENDED
        return why(known, known.game).replace("  ", ": ", 1)
    assert known.fifty is not None
    if not known.by_dtz:
        return fifty_verdict(known.fifty)
    best, said = known.by_dtz[0], difference(known)
    return f"{best.san} is best: {said}" if said else f"{best.san}: {fifty_move(best)}."


def _names(some: Sequence[AnyMove]) -> str:
    return either([move.san for move in some], "and")


def _surer(known: AnyKnown, spoilt: AnyMove) -> str:
    """Why another move is best than by DTM alone, where only depth and clock tell: a sentence."""
    assert known.best is not None
    best = known.best
    loses = known.verdict is not None and known.verdict.category is Category.LOSS
    sooner = f"{spoilt.san} {'is mated later' if loses else 'mates sooner'}"
    if spoilt.category is best.category:  # a draw can be claimed now, and matters only if nobody does
        if loses:
            return f"{best.san} is best: {sooner}, but resets the clock."
        return f"{best.san} is best: {sooner}, but does not reset the clock."
    if loses:
        return f"{best.san} is best: {sooner}, but before a draw can be claimed."
    can = "may" if spoilt.category is Category.MAYBE_LOSS else "can"
    return f"{best.san} is best: {sooner}, but a draw {can} be claimed first."


_CHANGES: Final = (
    ("maybe-win", "may come too late", "may come too late"),
    ("cursed-win", "comes too late", "come too late"),
    ("draw", "gives the win away", "give the win away"),
    ("loss", "loses", "lose"),
)
"""What moves of a grade do to a win: one move, and several."""


def _lets_go(found: Sequence[AnyMove]) -> str:
    """What the moves that change the result do, or an empty text."""
    parts: list[str] = []
    for grade, one, many in _CHANGES:
        group = [move for move in found if move.grade == grade]
        if group and len(group) <= _FEW:
            only = "only " if len(found) > 2 * _FEW else ""
            parts.append(f"{only}{_names(group)} {one if len(group) == 1 else many}")
        elif group:
            parts.append(f"{len(group)} {many}")
    return ", ".join(parts)


def _draw(best: Sequence[AnyMove], found: Sequence[AnyMove], side: str, head: str) -> str:
    losing = [move for move in found if move.grade in ("loss", "maybe-loss")]
    if len(found) == 1:
        return f"Draw  {found[0].san} is forced, and holds the draw."
    if not losing:
        return f"Draw  All {len(found)} moves hold: {side} cannot go wrong here."
    lose = "loses" if len(losing) == 1 else "lose"
    if len(best) == 1:
        rest = losing[0].san if len(losing) == 1 else f"the other {len(losing)}"
        return f"Draw  Only {best[0].san} holds, {rest} {lose}."
    return f"Draw  {head} hold, {_names(losing) if len(losing) <= _FEW else len(losing)} {lose}."


# The 50-move rule

ENDED = "A draw: for 75 moves of each side there was no capture or pawn move."
"""What is said where the clock itself has ended the game."""

_WINNING = (Category.WIN, Category.MAYBE_WIN)
_CURSED = (Category.CURSED_WIN, Category.BLESSED_LOSS)
_GIVEN_UP: Final[Mapping[Category, str]] = {
    Category.WIN: "throws the win away",
    Category.MAYBE_WIN: "throws the win away",
    Category.CURSED_WIN: "gives up the cursed win",
    Category.DRAW: "throws the draw away",
    Category.BLESSED_LOSS: "gives up the draw that could be claimed",
    Category.MAYBE_LOSS: "gives up what chance there was to claim a draw",
}
"""What a move does to a category that it does not keep."""


def fifty_verdict(found: Fifty) -> str:
    """What a position is worth with its clock, and why."""
    if found.stalemate:
        return "Stalemate: the game is drawn."
    if found.category is Category.DRAW:
        return ENDED if found.clock >= LAST_CLOCK else "A draw with best play."
    if found.dtz == 0:
        return f"{'White' if found.turn else 'Black'} is checkmated."
    won = found.dtz > 0
    if found.category in _CURSED:
        late = f"; {_too_late(found)}" if found.clock < HORIZON else ""
        return f"{_cursed(won, found.turn == won, found.clock, _least(found))}{late}."
    unsure = found.precise_dtz is None and found.category not in (Category.WIN, Category.LOSS)
    wins = f"{'White' if found.turn == won else 'Black'} {'may win' if unsure else 'wins'}"
    return f"{wins}: {_way(found)}, the clock allows {HORIZON - found.clock}."


def _cursed(won: bool, white: bool, clock: int, least: int = 0) -> str:
    """That a win comes too late, or a loss: White's or Black's, at least so many plies away."""
    winner, loser = ("White", "Black") if white else ("Black", "White")
    head = "A cursed win" if won else "A blessed loss"
    if clock < HORIZON:
        return f"{head}: {winner} {'can' if won else 'could'} force mate, but {loser} can claim a draw first"
    there = f"a draw can be claimed, with the clock at {clock}"
    if clock + least > LAST_CLOCK:
        return f"{head}: {there}, and at {LAST_CLOCK} the game ends"
    return f"{head}: {winner} can force mate, but {there}" if won else f"{head}: {there}"


def fifty_move(rated: AnyMove) -> str:
    """What a move does, by DTZ after it and before it; a clause without a full stop, empty where that is not known."""
    after, before = rated.fifty, rated.before
    if after is None or before is None:
        return ""
    if rated.checkmate:
        return "mates"
    if rated.stalemate:
        return "stalemates"
    if after.category is Category.DRAW:
        return "keeps the draw" if before.category is Category.DRAW else _GIVEN_UP.get(before.category, "draws")
    return (_winning if after.dtz < 0 else _losing)(rated.zeroing, after, before)


def _winning(zeroing: bool, after: Fifty, before: Fifty) -> str:
    """A move of a side that can force mate, in time or not."""
    reset = "resets the clock, " if zeroing else ""
    if after.category is Category.BLESSED_LOSS:
        kept = "lets the win become cursed" if before.category in _WINNING else "pursues the cursed win"
        return f"{reset}{kept}: {_claim(after)}" + (f", {_way(after)}" if abs(after.dtz) <= HORIZON else "")
    if after.category is Category.MAYBE_LOSS:
        return f"may keep the win: it takes {_distance(after)}, the clock allows {HORIZON - after.clock}"
    if zeroing:
        if before.clock >= HORIZON:
            reset = "resets the clock before a draw is claimed, "
        if after.dtm is not None:
            return f"{reset}mates {in_plies(-after.dtm)} later"
        return f"{reset}keeps the win: {_way(after)}"
    return f"keeps the win: {_way(after)}, the clock allows {HORIZON - after.clock}"


def _losing(zeroing: bool, after: Fifty, before: Fifty) -> str:
    """A move of a side that can be mated, in time or not."""
    was, reset = before.category, "resets the clock, " if zeroing else ""
    if after.category is Category.CURSED_WIN:
        kept = "blessed" if before.dtz < 0 else f"{_GIVEN_UP[was]}, blessed"
        return f"{reset}{kept}: {_claim(after)}"
    if after.category is Category.MAYBE_WIN:
        kept = "may be saved by the clock" if before.dtz < 0 else _GIVEN_UP[was]
        return f"{kept}: the win takes {_distance(after)}, the clock allows {HORIZON - after.clock}"
    kept = "holds out" if was is Category.LOSS else _GIVEN_UP[was]
    mated = "" if after.dtm is None or after.only_mate else f", mated in {in_plies(after.dtm)}"
    return f"{reset}{kept}: {_way(after)}{mated}"


def difference(known: AnyKnown) -> str:
    """Why the best move is chosen although another is better by DTM; empty where it is not so, or not known."""
    other = known.rival
    if other is None or other.fifty is None or known.by_dtz[0].fifty is None or known.clock is None:
        return ""
    chosen, name, room = known.by_dtz[0], other.san, HORIZON - known.clock
    kept = known.by_dtz[0].fifty.category
    if other.checkmate or (other.fifty.dtm or 0) < 0:
        head = f"{name} mates sooner but "
        if room <= 0 and chosen.zeroing and not other.zeroing:
            return f"{head}does not reset the clock."
        if other.fifty.category is Category.BLESSED_LOSS and kept is not Category.BLESSED_LOSS:
            if other.zeroing:
                return f"{head}makes the win a cursed one."
            return f"{head}needs {in_plies(other.plies)}, the clock allows {room}."
        return f"{head}its DTZ is {other.plies} plies, not {chosen.plies}."
    head = f"{name} is mated later but "
    if other.zeroing:
        return f"{head}resets the clock at once."
    if kept is Category.CURSED_WIN and other.fifty.category is not Category.CURSED_WIN:
        return f"{head}before a draw can be claimed."
    return f"{head}its DTZ is {other.plies} plies, not {chosen.plies}."


def _by_mate(known: AnyKnown, category: Category) -> str:
    """What DTM and the clock prove of such a category where no table tells DTZ, a sentence."""
    verdict, clock = known.verdict, known.clock
    assert verdict is not None and verdict.depth is not None and clock is not None
    white = verdict.winner == "white"
    if category in _CURSED:
        return f"{_cursed(category is Category.CURSED_WIN, white, clock)}."
    allows = f"{verdict.depth} plies to mate, the clock allows {HORIZON - clock}; only DTZ tells."
    return f"{'White' if white else 'Black'} may win: {allows}"


def _too_late(found: Fifty) -> str:
    """Why a win comes too late."""
    if abs(found.dtz) > HORIZON:
        return f"somewhere the clock must pass {HORIZON}"
    return f"{_way(found)}, and the clock at {found.clock} allows {HORIZON - found.clock}"


def _way(found: Fifty) -> str:
    """How far the next zeroing move or mate is."""
    zeroing = "a zeroing move" if found.pawns else "a capture"
    return f"{_distance(found)} to {'mate' if found.only_mate else f'{zeroing} or mate'}"


def _distance(found: Fifty) -> str:
    """DTZ in plies."""
    plies = abs(found.dtz)
    return in_plies(plies) if found.precise_dtz is not None else f"{plies} or {in_plies(plies + 1)}"


def _least(found: Fifty) -> int:
    """The fewest plies to the next zeroing move or mate that DTZ can mean: above 100 some of them count as 100."""
    plies = abs(found.dtz)
    return plies if plies <= HORIZON else plies - HORIZON


def _claim(found: Fifty) -> str:
    """When a draw can be claimed: it is not known when where zeroing moves may come before."""
    if found.clock >= HORIZON:
        return "a draw can be claimed at once"
    if abs(found.dtz) > HORIZON:
        return f"somewhere the clock must pass {HORIZON}"
    return f"a draw can be claimed in {in_plies(HORIZON - found.clock)}"


# The line


def greeting(walk: AnyWalk, width: int, height: int) -> tuple[TextRow, ...]:
    """For who sees all this for the first time: what the layer at hand is, and what the first key does.

    In as many rows as there are, at most three; empty where no table knows the position.
    """
    known, wide = walk.known, width >= _GREETED
    if known.verdict is None or not known.by_depth:
        return ()
    depth = known.verdict.depth
    best = known.listed_by_depth[0]
    name, to = ("Draw", "another draw") if depth is None else (f"S{depth}", f"S{best.layer}")
    if depth is None:
        layer, short = "with best play nobody wins: all such positions of an ending are a layer", "nobody wins"
    else:
        who, ending = (known.verdict.winner or "").capitalize(), name_of(walk.rules, walk.position)
        layer = f"is the layer of all positions of {ending} that {who} wins in {in_plies(depth)}"
        short = f"{who} wins in {in_plies(depth)}" if height > 1 else f"won in {in_plies(depth)}"
    lines = [(name, layer if wide else short), (".", "plays the best move"), ("?", "tells more")]
    if wide:
        lines[1] = (".", f"plays the best move, here {best.san}, which leads to {to}")
        told = "tells of all that you see; any key takes these lines away"
        lines[2] = ("?", told if height > 2 else "tells more")
    rows = [(TextSpan(key, "amber", True), TextSpan(f" {words}.")) for key, words in lines]
    if height == 1:
        rows = [
            (
                *rows[0],
                TextSpan(" . ", "amber", True),
                TextSpan("best"),
                TextSpan(" ? ", "amber", True),
                TextSpan("more"),
            )
        ]
    elif height == 2:
        rows = [rows[0], (*rows[1], TextSpan("  "), *rows[2])]
    return tuple(TextRow((TextSpan(" "), *row)) for row in rows)


def line(walk: AnyWalk, most: int) -> LineText:
    """The best line from here, of at most so many plies; by DTZ as far as the clerk has found it."""
    known, white = walk.known, walk.rules.mover(walk.position) == "white"
    if known.ended:
        return LineText()
    if walk.by_clock and known.fifty is not None:
        by_clock = walk.clerk.line(walk.position)
        names = [] if by_clock is None else by_clock.sans
        ends = by_clock is not None and by_clock.ends
        return LineText(tuple(names[:most]), white, known.fifty.dtz >= 0, ends and len(names) <= most)
    result = walk.line(most).sans
    depth = None if known.verdict is None else known.verdict.depth
    loses = known.verdict is not None and known.verdict.category in (Category.LOSS, Category.BLESSED_LOSS)
    told = LineText(tuple(result), white, not loses, depth is None or depth <= len(result))
    return told if speech_of(walk.game).numbers else replace(told, numbered=False, plies=depth or 0)


def numbered(names: Iterable[str], first: int) -> str:
    """Moves with their numbers, as in a book; with Black to move first after an ellipsis.

    Args:
        names: The moves.
        first: The number of the first ply, from 0; an odd one is Black's.
    """
    words: list[str] = []
    for ply, name in enumerate(names, first):
        number = f"{ply // 2 + 1}{'…' if ply % 2 else '.'}" if ply % 2 == 0 or ply == first else ""
        words.append(number + name)
    return " ".join(words)


# What may be typed


def may_be_typed(game: AnyGame) -> str:
    """What a walk understands, as a list of examples."""
    clock = "" if game.horizon is None else ", clock 43"
    speech = speech_of(game.name)
    return f"a move, a {speech.position}, S12, 12/3, {game.listing.example}{clock}"


# A position being set up by hand


def edit_verdict(judge: Judge[Any, Any], edit: Any) -> tuple[str, str]:
    """Why the position cannot occur, or what the tables say of it; and the role of that."""
    if edit.problem:
        return capital(edit.problem), "loss"
    position, game = edit.finished(), judge.game
    speech, side = speech_of(game.name), game.mover(position).capitalize()
    if lost := speech.why_lost(position):
        return f"{side} has lost: {lost}.", "loss"
    known = judge.known(position)
    name = name_of(game, position)
    words, role = result(known, game)
    if known.fifty is not None and (known.verdict is None or known.fifty.category in UNSURE):
        kind = KINDS[known.fifty.category]
        words, role = kind.words, kind.role
    if not words:
        unknown = "no table knows it, the search can play it."
        return f"{name}: {unknown}" if not speech.name else capital(unknown), "text"
    return f"{name}, {side} to move: {words}.", role


# For the command line


def line_of(known: AnyKnown, names: Sequence[str], cut: bool) -> str:
    """The moves of a line from a position: in chess with their numbers; an ellipsis where the rest is not known."""
    game = known.game
    numbers, black = speech_of(game.name).numbers, game.mover(known.position) == "black"
    return (numbered(names, int(black)) if numbers else " ".join(names)) + (" …" if names and cut else "")


CUT: Final = "the line ends there: "
"""Goes before the sentence that tells what is missing for the rest."""

_CLAIMED: Final = "here a draw can be claimed"
_HELD: Final = "a draw: any move that holds it is as good, the line ends with one"


def after_line(play: BestPlay[Any, Any], problem: EndgameError | None) -> Iterator[str]:
    """What is said below a line: that the clock is left out, and why it ends where nobody has won.

    Args:
        play: Best play.
        problem: Why the clock is not counted, though it matters.
    """
    line = play.line
    if problem is not None:
        does = "makes" if play.category in (Category.CURSED_WIN, Category.BLESSED_LOSS) else "may make"
        yield f"the 50-move rule {does} it a draw; it is not counted here: {problem}"
    if line.cut is not None:
        yield f"{CUT}{line.cut}"
    elif line.steps and line.metric == DTZ and line.over and not line.ends:
        yield _CLAIMED
    elif line.steps and line.metric != DTZ and line.depth(line.steps[-1]) is None:
        yield _HELD


def standing(known: AnyKnown, game: AnyGame) -> str:
    """``KQvKR  win: White mates in 31 (61 plies), DTZ 12, clock 40 of 100``; ``3-4  win: White wins in 25 plies``."""
    position, verdict, category, clock = known.position, known.verdict, known.category, known.clock
    wins = ""
    if verdict is not None and verdict.winner:
        end = at(speech_of(game.name).estimate, verdict.depth) if verdict.depth else "{side} has won"
        wins = end.format(side=verdict.winner.capitalize())
    if clock is None:
        ending = "the game is over"
        if verdict is not None and not game.is_trivial(position):
            ending = game.index.family(game.index.slot_of(position), verdict.category)[0]
        return f"{ending}  {category or ''}{': ' * bool(wins)}{wins}"
    ending = "KvK" if game.is_trivial(position) else game.ending_of(position)
    head = f"{ending}  {(category or Category.DRAW).replace('-', ' ')}"
    if known.over and not known.ended:
        return f"{head}: {'stalemate' if verdict is None or verdict.depth is None else 'checkmate'}"
    if category in (None, Category.DRAW):
        return head
    facts = [f"clock {clock} of {HORIZON}" if clock <= HORIZON else f"clock {clock}, past {HORIZON}"]
    if known.fifty is not None and known.fifty.dtz:
        facts.insert(0, f"DTZ {abs(known.fifty.dtz)}")
    if verdict is not None and verdict.depth:
        facts.insert(0, f"{wins} ({in_plies(verdict.depth)})")
    return f"{head}: {', '.join(facts)}"


FOR_MOVER: Final[Mapping[Category, str]] = {
    Category.WIN: "loses",
    Category.MAYBE_WIN: "may lose",
    Category.CURSED_WIN: "blessed",
    Category.DRAW: "draws",
    Category.BLESSED_LOSS: "cursed",
    Category.MAYBE_LOSS: "may win",
    Category.LOSS: "wins",
}
"""What a move does, given the category of the position after it."""
