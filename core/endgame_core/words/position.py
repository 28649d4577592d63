"""Every sentence about a position, its moves and its layer: the same for screens, commands and plain text.

What is told of all games alike comes first; what each game tells in its own way is in a class for each at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, NamedTuple

from endgame_core.errors import EndgameError, MissingError, NotBuiltError, TableError
from endgame_core.game import Game
from endgame_core.judge import BestPlay, Judge, Known
from endgame_core.judge import Line as JudgedLine
from endgame_core.tables.explorer import Previous, RatedMove
from endgame_core.tasks.walk import Walk
from endgame_core.tracked import Win
from endgame_core.values import HORIZON, LAST_CLOCK, WINNERS, Category, Fifty
from endgame_core.words.speech import speech_of
from endgame_core.words.told import (
    KINDS,
    UNSURE,
    Headline,
    Kind,
    Line,
    Note,
    Said,
    Word,
    count,
    distance,
    grouped,
    in_plies,
)  # fmt: skip

AnyGame = Game[Any, Any]
AnyKnown = Known[Any, Any]
AnyMove = RatedMove[Any, Any]
AnyWalk = Walk[Any, Any]

_FEW = 3
_WON: Final = {Win.MATE: "Checkmate", Win.STONES: "Two stones are left", Win.BLOCKED: "No stone can move"}
_BY_NAME: Final[Mapping[str, Kind]] = {category.value: KINDS[category] for category in KINDS if "-" in category.value}
"""The categories that DTM does not know, by name: so moves are graded that lead to them."""


# What panels show


@dataclass(frozen=True, slots=True)
class Group:
    """Moves that lead to the same layer.

    Attributes:
        title: ``S18``, or ``draw``.
        note: What that means: ``best · 22 tie``, ``2 plies later``, ``win gone``.
        role: Role of the title's colour.
        moves: The moves, in order.
        best: Whether these are the best moves.
    """

    title: str
    note: str
    role: str
    moves: tuple[str, ...]
    best: bool = False


@dataclass(frozen=True, slots=True)
class RatedRow:
    """A move with both distances after it.

    Attributes:
        san: As people write it.
        zeroing: Whether it sets the clock to 0.
        dtm: DTM after it, as printed.
        dtz: DTZ after it, as printed.
        kind: The category for its mover: mark, words and role.
        best: Whether it is as good as the best.
    """

    san: str
    zeroing: bool
    dtm: str
    dtz: str
    kind: Kind
    best: bool


@dataclass(frozen=True, slots=True)
class Moves:
    """The legal moves: in groups by the layer they reach, or one below the other by DTZ; or words in their place."""

    groups: tuple[Group, ...] = ()
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


@dataclass(frozen=True, slots=True)
class Worth:
    """What one choice leads to: the layer, what that means, the same in fewer letters, role, and whether it is best."""

    layer: str = ""
    note: str = ""
    short: str = ""
    role: str = "text"
    best: bool = False


# Where we are


def family(known: AnyKnown) -> str:
    """``White wins``, ``Black wins`` or ``draws``, in the colours of the board."""
    winner = None if known.verdict is None else known.verdict.winner
    return f"{winner.capitalize()} wins" if winner else "draws"


def crumbs(walk: AnyWalk) -> tuple[str, ...]:
    """Ending, family, layer, place in the layer; a position whose value en passant makes is in no list.

    Layers by another metric than the game's first are called by it.
    """
    here, name = walk.here, name_of(walk.rules, walk.position)
    place = here.place
    if place is None or here.verdict is None:
        return (name,)
    winner = here.verdict.winner
    at = f"{grouped(place.number)}/{grouped(place.total)}" if place.number else "en passant"
    layer = "=" if place.n is None else f"S{place.n}"
    if walk.metric != walk.metrics[0]:
        layer = f"{walk.metric.upper()} {layer}"
    return name, f"{winner.capitalize()} wins" if winner else "draws", layer, at


def crumbs_with_clock(walk: AnyWalk) -> tuple[str, ...]:
    """The same with DTZ and the clock in place of the number in the layer, for where there is no row for the clocks."""
    known, path = walk.known, crumbs(walk)
    if known.clock is None or (walk.metric == walk.metrics[0] and not known.clock):
        return path
    found = known.fifty
    dtz = "" if found is None or found.category is Category.DRAW else f"Z{abs(found.dtz)} "
    return (*(crumb.removeprefix("DTZ ") for crumb in path[:3]), f"{dtz}{known.clock}/{HORIZON}")


def headline(known: AnyKnown, game: AnyGame, taking: bool = False) -> Headline:
    """Who is to move, and the result: what the 50-move rule makes of it where that is not what DTM says.

    Args:
        known: What is known.
        game: The game.
        taking: Whether only the stone to take is still to be chosen.
    """
    telling, (words, role) = _telling(game), result(known, game)
    depth = None if known.ended or known.verdict is None else known.verdict.depth
    if depth and telling.numbers:
        words += f" · {count(depth, 'ply', 'plies')}"
    category = None if known.ended or not known.whole else known.category
    if category is not None and (category in UNSURE or not words):
        kind, mate = KINDS[category], words.partition(" ·")[0]
        words, role = (f"{kind.words}, {mate}" if mate.startswith("mate ") else kind.words), kind.role
    white = game.mover(known.position) == "white"
    return Headline(white, telling.mover(known.position, taking), words, role, telling.aside(known.position))


def result(known: AnyKnown, game: AnyGame) -> tuple[str, str]:
    """The result in words, and its role: ``mate in 7``, ``wins in 13 plies``, ``draw``; empty where it is not known."""
    verdict = known.verdict
    if known.ended:
        return "draw", "draw"
    if verdict is None:
        return "", "text"
    if verdict.depth is None:
        return "stalemate" if known.over else "draw", "draw"
    return speech_of(game.name).result(verdict), "win" if verdict.category is Category.WIN else "loss"


def name_of(game: AnyGame, position: Any) -> str:
    """The ending in the colours of the board."""
    return _telling(game).name(position)


def clocks(known: AnyKnown, metric: str, key: str, width: int) -> Note:
    """The three clocks and the category: DTM, DTZ, and the plies since the last zeroing move.

    Args:
        known: What is known.
        metric: Of which clock the layers are; empty for neither.
        key: What builds the tables where none tells DTZ; empty where they cannot be built.
        width: Columns there are.
    """
    found = known.fifty
    mate = "–" if known.verdict is None else distance(known.verdict.depth)
    if found is not None:
        dtz = distance(found.dtz, found.category is Category.DRAW, found.precise_dtz is not None)
    else:
        dtz = "–" if known.whole else "…"
    words: list[Word] = []
    for label, value in (("DTM", mate), ("DTZ", dtz), ("clock", f"{known.clock}/{HORIZON}")):
        here = label.lower() == metric
        words += [Word(" · " if width >= 36 else " ", "faint")] if words else []
        words += [Word(label, "amber" if here else "dim", here), Word(f" {value}", "text", here)]
    used = sum(len(word.text) for word in words)
    if not known.whole:
        return Note(tuple(words))
    category = found.category if found is not None else late_category(known)
    kind = None if category is None else KINDS[category]
    if found is not None and kind is not None:
        full = f"{kind.mark} {kind.words}"
        return Note(tuple(words), (Word(full if len(full) <= width - used - 2 else kind.mark, kind.role, True),))
    if kind is not None:
        words.append(Word(f" {kind.mark}", kind.role, True))
        used += len(kind.mark) + 1
    if not key or category is Category.DRAW:
        full = "" if kind is None else f"{kind.mark} {kind.words}"
        return Note(tuple(words[:-1]), (Word(full, kind.role, True),)) if kind is not None else Note(tuple(words))
    room = width - used - (2 if kind is None else 1)
    does = next((d for d in ("builds the DTZ table", "builds DTZ", "builds") if len(key) + len(d) + 1 <= room), "")
    return Note(tuple(words), (Word(key, "text", True), Word(f" {does}", "dim")))


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
    if notice := _telling(walk.rules).no_layers(walk.position):
        return LayerRows(notice=(notice,))
    if here.unbuilt and metric:
        return LayerRows(title=f"{metric} layers", notice=(f"no {metric} table yet:", "n or [ builds it"))
    place, found = here.place, here.layers
    if place is None or found is None:
        return LayerRows()
    if place.winner is None:
        counts = [found.draws[winner] for winner in WINNERS]
        names = [f"= {'○●'[side ^ place.swapped]}" for side in (0, 1)]
        rows = [LayerRow(name, count.boards, count.canonical, True) for name, count in zip(names, counts, strict=True)]
        return LayerRows(tuple(rows), place.side, f"{metric} draws" if other else "Draws")
    counted = found.families.get(place.winner, ())
    rows = [_layer(row.n, row.boards, row.canonical, other) for row in counted]
    return LayerRows(tuple(rows), place.n, f"{metric} layers" if metric else "Layers")


def _layer(n: int, boards: int, unique: int, by_clock: bool) -> LayerRow:
    """A layer; those by DTZ have both sides to move, and are marked beyond the 50-move rule."""
    if not by_clock:
        return LayerRow(f"S{n}", boards, unique, n % 2 == 1)
    cursed = n > HORIZON
    return LayerRow(f"S{n}{'=' if cursed else ''}", boards, unique, True, "cursed" if cursed else "text")


# Moves


def moves(walk: AnyWalk) -> Moves:
    """The legal moves as they are told here: by the layers they reach, or by DTZ; or how the game has ended."""
    known, game = walk.known, walk.rules
    if notice := _telling(game).no_moves(walk.position):
        return Moves(notice=notice)
    if known.over:
        over = known.ended or known.problem is None
        return Moves(notice=result(known, game)[0].capitalize() if over else "")
    if walk.by_clock:
        return Moves(rows=rated(known))
    return Moves(groups(known.by_depth)) if walk.here.problem is None else Moves()


def groups(found: Sequence[AnyMove]) -> tuple[Group, ...]:
    """Rated moves, best first, by the layer they reach."""
    by_layer = groupby(found, key=lambda move: (move.grade, move.layer))
    return tuple(_group(grade, layer, list(some), len(found)) for (grade, layer), some in by_layer)


def _group(grade: str, layer: int | None, some: list[AnyMove], total: int) -> Group:
    names = tuple(move.san for move in some)
    title = "draw" if layer is None else f"S{layer}"
    later = f"{some[0].later} plies"
    if grade == "best":
        drawn = layer is None
        note = "holds" if drawn and len(names) < total else "best"
        if len(names) > 1:
            note += f" · {len(names)} tie"
        return Group(title, note, "draw" if drawn else "win", names, best=True)
    if grade in ("slower", "faster"):
        return Group(title, f"{later} {'later' if grade == 'slower' else 'sooner'}", "text", names)
    if grade == "draw":
        return Group(title, "win gone", "draw", names)
    if grade in _BY_NAME:
        return Group(title, _BY_NAME[grade].words, _BY_NAME[grade].role, names)
    return Group(title, "loses", "loss", names)


def worth(known: AnyKnown, move: Any) -> Worth:
    """What one move leads to, for who chooses among a few; nothing where no table tells."""
    found = next((rated for rated in known.by_depth if rated.move == move), None)
    if found is None:
        return Worth()
    group = _group(found.grade, found.layer, [found], len(known.by_depth))
    short = f"+{found.later}" if found.grade == "slower" else group.note
    return Worth(group.title, group.note, short, group.role, group.best)


def promoted(known: AnyKnown, move: Any) -> tuple[tuple[Word, ...], ...]:
    """The layer a promotion leads to and what that means, from the longest words to the shortest."""
    told = worth(known, move)
    if not told.layer:
        return ()
    layer, dim = Word(told.layer, told.role, True), "dim" if told.role == "text" else told.role
    short = Word(told.layer.replace("draw", "="), told.role, True)
    return ((layer, Word(told.note, dim)), (layer, Word(told.short, dim)), (short,))


def label(move: AnyMove, by_clock: bool = False) -> tuple[str, bool]:
    """The layer that a move leads to, as a board shows it, and whether it is a best one."""
    if by_clock and move.fifty is not None:
        drawn = move.fifty.category is Category.DRAW
        return "=" if drawn else f"S{abs(move.fifty.dtz)}", False
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
        return RatedRow(move.san, move.zeroing, "–", "–", Kind("?", "unknown", "dim"), False)
    mate = after.category is Category.LOSS and after.dtz == 0
    dtm = distance(after.dtm, after.dtm == 0 and not mate)
    dtz = distance(after.dtz, category is Category.DRAW, after.precise_dtz is not None)
    return RatedRow(move.san, move.zeroing, dtm, dtz, KINDS[category.turned], best)


def takes(known: AnyKnown, begun: str, takeable: Iterable[int]) -> list[tuple[int, str, Worth]]:
    """The stones that may be taken, best first: their points, what these are called, and what taking each leads to.

    Args:
        known: What is known of the position.
        begun: The move so far, as people write it.
        takeable: The points to choose from.
    """
    from endgame_core.morris.geometry import POINTS

    points, found = list(takeable), dict[int, Worth]()
    some = [move for move in known.by_depth if move.san.startswith(begun)]
    alone = sum(move.grade == "best" for move in known.by_depth) == 1
    drawn = known.verdict is not None and known.verdict.depth is None
    for move in some:
        told = worth(known, move.move)
        if move.grade == "best":
            told = replace(told, note="best, the only one" if alone and len(some) > 1 else "best")
        elif move.grade == "draw" and drawn:
            told = replace(told, note="holds")
        for point in move.move.taken:
            if point in points:
                found.setdefault(point, told)
    return [(point, POINTS[point], found.get(point, Worth())) for point in dict.fromkeys([*found, *points])]


# Positions before


def before(walk: AnyWalk) -> tuple[tuple[Group, ...], str]:
    """The previous positions by layer, each named by what will move and where it stands; or why there are none."""
    telling, here = _telling(walk.rules), walk.here
    if notice := telling.no_layers(walk.position):
        return (), notice
    found: list[Group] = []
    for (_, title), items in groupby(here.previous, key=_earlier_kind):
        some = list(items)
        names = tuple(telling.origin(item) for item in some)
        found.append(Group(title, _gave_up(some[0]), "text", names, best=some[0].best))
    return tuple(found), "" if found or here.problem is not None else "no quiet move leads here"


def _earlier_kind(item: Previous[Any, Any]) -> tuple[bool, str]:
    return item.best, "=" if item.layer is None else f"S{item.layer}"


def _gave_up(item: Previous[Any, Any]) -> str:
    if item.best:
        return "played best"
    if item.gave_up is None:
        return "lost the win" if item.verdict.category is Category.WIN else "lost the draw"
    return f"gave up {item.gave_up}"


# Why


def reason(walk: AnyWalk, chosen: int | None = None, wide: bool = False) -> Said:
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
    if said is None:
        said = explained(known, walk.by_clock, walk.ending)
    return said or plain_reason(known, walk.rules, wide)


def plain_reason(known: AnyKnown, game: AnyGame, wide: bool = False) -> Said:
    """What the position is, and why the best moves are best; or why that is not known."""
    if said := _telling(game).reason(known, wide):
        return said
    if isinstance(known.problem, NotBuiltError):
        return Said("", f"{known.problem.ending} is not built; press . to build it.")
    if known.problem is not None:
        words = str(known.problem)
        return Said("", words[:1].upper() + words[1:])
    words = why(known, game)
    heading, _, sentence = words.partition("  ")
    if not sentence:
        return Said("", words)
    return Said(heading, sentence, "draw" if heading == "Draw" else "text")


def explained(known: AnyKnown, by_clock: bool, ending: str) -> Said | None:
    """The sentence about a position where the 50-move rule matters, or where it is told by DTZ; else None.

    Args:
        known: What is known.
        by_clock: Whether moves are told by DTZ.
        ending: The ending, where its table by DTZ can be built here.
    """
    if not known.whole:
        return None
    found, problem = known.fifty, known.fifty_problem
    unbuilt = known.problem.ending if isinstance(known.problem, NotBuiltError) else None
    if isinstance(problem, MissingError) and known.partly and (unbuilt is not None or by_clock):
        what = f"{problem.name} is needed after {' '.join(problem.line)}" if problem.line else problem.what
        return Said("", f"{what}: z builds {ending} by DTZ." if ending else f"{what}.")
    if problem is not None and (found is None or not known.by_dtz):
        if unbuilt is not None:
            return Said("", _instead(problem, unbuilt))
        if by_clock or isinstance(problem, TableError):
            return Said("", str(problem))
    if found is None:
        return None
    kind = KINDS[found.category]
    if found.stalemate:
        return Said("Stalemate", "The game is drawn.", kind.role)
    if found.category in UNSURE:
        return _headed(kind, fifty_verdict(found))
    if by_clock:
        if different := difference(known):
            return Said(known.by_dtz[0].san, f"is best: {different}", kind.role)
        return Said("", fifty_verdict(found))
    if (spoilt := known.spoilt) is None:
        return None
    return Said(spoilt.san, f"{spoils(spoilt)}; {known.by_dtz[0].san} is best.", "cursed")


def _instead(problem: EndgameError, unbuilt: str) -> str:
    """What is the matter with the tables by DTZ, and that one by DTM can be built."""
    damaged = f"; {problem.then}, or " if isinstance(problem, TableError) and problem.then else "; "
    what = re.split(r": | \(", problem.what)[0]  # how one sees it is told where the files are checked
    return f"{what[:1].upper()}{what[1:]}{damaged}press . to build {unbuilt}."


def spoils(move: AnyMove) -> str:
    """What a move that is best by DTM does to the result under the 50-move rule, a clause."""
    return fifty_move(move).partition(":")[0]


def _late(known: AnyKnown) -> Said | None:
    """The sentence where the clock has ended the game, or where DTM alone cannot tell whether it will.

    A damaged table goes before the latter, which the rows above tell, too.
    """
    if known.ended:
        return _headed(KINDS[Category.DRAW], ENDED)
    found = late_category(known)
    if found is None or isinstance(known.fifty_problem, TableError):
        return None
    return _headed(KINDS[found], by_mate(known))


def _headed(kind: Kind, sentence: str) -> Said:
    """A sentence that names its category, which becomes the heading."""
    _, _, rest = sentence.partition(": ")
    return Said(f"{kind.words[:1].upper()}{kind.words[1:]}", rest[:1].upper() + rest[1:], kind.role)


def move_said(move: AnyMove) -> Said:
    """The sentence of a move under the 50-move rule."""
    if move.fifty is None or move.category is None:
        return Said(move.san, f"is not rated{'' if move.problem is None else f': {move.problem.what}'}.")
    words = fifty_verdict(move.fifty) if move.before is None else f"{fifty_move(move)}."
    return Said(move.san, words, KINDS[move.category.turned].role)


def why(known: AnyKnown, game: AnyGame) -> str:
    """What a position is by DTM or depth, and why its best moves are best.

    Returns:
        One sentence, such as ``S7 → S6  1 of 28 moves is shortest, 23 still win but later, 4 give the win away.``
        Empty where that is not known.
    """
    verdict, found = known.verdict, known.by_depth
    if verdict is None or known.problem is not None:
        return ""
    mover = game.mover(known.position)
    if not found:
        if verdict.depth == 0:
            won = game.tracked(known.position).finished()
            how = _WON[won if isinstance(won, Win) else Win.MATE]
            return f"S0  {how}: {'White' if mover == 'black' else 'Black'} has won."
        return "Draw  The game is over." if verdict.category is Category.DRAW else "The game is over."
    best = [move for move in found if move.grade == "best"]
    head = f"{len(best)} of {len(found)} moves" if len(found) > 1 else "the only move"
    if verdict.category is Category.DRAW:
        return _draw(best, found, mover.capitalize(), head)
    step = f"S{verdict.depth} → S{best[0].layer}  "
    if len(found) == 1:
        return f"{step}{best[0].san} is forced, the only legal move."
    worse = [move for move in found if move.grade in ("slower", "faster")]
    if verdict.category is Category.LOSS:
        if not worse:
            return f"{step}All {len(found)} moves lose in the same number of plies."
        ties = f"{_names(best)} resists longest" if len(best) == 1 else f"{head} resist longest"
        return f"{step}{ties}, {len(worse)} lose{'s' if len(worse) == 1 else ''} sooner."
    lets_go = _lets_go(found)
    if not worse:
        if len(best) == len(found):
            return f"{step}All {len(found)} moves win equally fast."
        if len(best) == 1:
            return f"{step}Only {best[0].san} wins; {lets_go}."
        return f"{step}{head} tie; {lets_go}."
    shortest = "is shortest" if len(best) == 1 else "tie for shortest"
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
    words = [move.san for move in some]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def _lets_go(found: Sequence[AnyMove]) -> str:
    """What the moves that change the result do, or an empty text."""
    parts: list[str] = []
    for grade, verb in (("draw", "give the win away"), ("loss", "lose")):
        group = [move for move in found if move.grade == grade]
        if group and len(group) <= _FEW:
            one = verb.replace("give", "gives").replace("lose", "loses") if len(group) == 1 else verb
            parts.append(f"{'only ' if len(found) > 2 * _FEW else ''}{_names(group)} {one}")
        elif group:
            parts.append(f"{len(group)} {verb}")
    return ", ".join(parts)


def _draw(best: Sequence[AnyMove], found: Sequence[AnyMove], side: str, head: str) -> str:
    losing = [move for move in found if move.grade == "loss"]
    if len(found) == 1:
        return f"Draw  {found[0].san} is forced, and holds the draw."
    if not losing:
        return f"Draw  All {len(found)} moves hold: {side} cannot go wrong here."
    if len(best) == 1:
        rest = f"{losing[0].san} loses" if len(losing) == 1 else f"the other {len(losing)} lose"
        return f"Draw  Only {best[0].san} holds, {rest}."
    tail = f"{_names(losing)} lose{'s' if len(losing) == 1 else ''}" if len(losing) <= _FEW else f"{len(losing)} lose"
    return f"Draw  {head} hold, {tail}."


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


def _sides(turn: bool, won: bool) -> tuple[str, str]:
    """Winner and loser, given the side to move and whether it wins."""
    return ("White", "Black") if turn == won else ("Black", "White")


def fifty_verdict(found: Fifty) -> str:
    """What a position is worth with its clock, and why."""
    if found.stalemate:
        return "Stalemate: the game is drawn."
    if found.category is Category.DRAW:
        if found.clock >= LAST_CLOCK:
            return ENDED
        return "A draw with best play."
    if found.dtz == 0:
        return f"{'White' if found.turn else 'Black'} is checkmated."
    won = found.dtz > 0
    winner, loser = _sides(found.turn, won)
    if found.category in _CURSED:
        if found.clock >= HORIZON:
            there = f"a draw can be claimed, with the clock at {found.clock}"
            if found.clock + _least(found) > LAST_CLOCK:
                there += f", and at {LAST_CLOCK} the game ends"
            elif won:
                there = f"{winner} can force mate, but {there}"
            return f"A {'cursed win' if won else 'blessed loss'}: {there}."
        if won:
            return f"A cursed win: {winner} can force mate, but {loser} can claim a draw first; {_too_late(found)}."
        return f"A blessed loss: {winner} could force mate, but {loser} can claim a draw first; {_too_late(found)}."
    if found.precise_dtz is None and found.category not in (Category.WIN, Category.LOSS):
        return f"{winner} may win: {_way(found)}, the clock allows {HORIZON - found.clock}."
    return f"{winner} wins: {_way(found)}, the clock allows {HORIZON - found.clock}."


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


def by_mate(known: AnyKnown) -> str:
    """What DTM and the clock prove where no table tells DTZ, a sentence; empty where the clock is no matter."""
    verdict, category, clock = known.verdict, known.category, known.clock
    if known.ended:
        return ENDED
    if verdict is None or verdict.depth is None or clock is None or verdict.winner is None:
        return ""
    winner, loser = ("White", "Black") if verdict.winner == "white" else ("Black", "White")
    if category in (Category.MAYBE_WIN, Category.MAYBE_LOSS):
        return f"{winner} may win: {verdict.depth} plies to mate, the clock allows {HORIZON - clock}; only DTZ tells."
    if category not in _CURSED:
        return ""
    won = category is Category.CURSED_WIN
    if clock >= HORIZON:
        there = f"a draw can be claimed, with the clock at {clock}"
        return f"A cursed win: {winner} can force mate, but {there}." if won else f"A blessed loss: {there}."
    head = f"A cursed win: {winner} can" if won else f"A blessed loss: {winner} could"
    return f"{head} force mate, but {loser} can claim a draw first."


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


def line(walk: AnyWalk, most: int, by_clock: JudgedLine[Any, Any] | None = None) -> Line:
    """The best line from here, as far as it can be shown.

    Args:
        walk: Where we are.
        most: Plies there may be room for.
        by_clock: The line by DTZ as far as it is known, for where moves are told so.
    """
    known, white = walk.known, walk.rules.mover(walk.position) == "white"
    if known.ended:
        return Line()
    if walk.by_clock and known.fifty is not None:
        names = [] if by_clock is None else by_clock.sans
        ends = by_clock is not None and by_clock.ends
        return Line(tuple(names[:most]), white, known.fifty.dtz >= 0, ends and len(names) <= most)
    found = walk.line(most).sans
    depth = None if known.verdict is None else known.verdict.depth
    loses = known.verdict is not None and known.verdict.category in (Category.LOSS, Category.BLESSED_LOSS)
    told = Line(tuple(found), white, not loses, depth is None or depth <= len(found))
    return told if _telling(walk.rules).numbers else replace(told, numbered=False, plies=depth or 0)


def numbered(names: Sequence[str], white: bool) -> str:
    """Moves with their numbers, as in a book; numbering starts at 1, with Black to move with an ellipsis."""
    words: list[str] = []
    for ply, name in enumerate(names, start=0 if white else 1):
        if ply % 2 == 0:
            words.append(f"{ply // 2 + 1}.{name}")
        else:
            words.append(f"1…{name}" if ply == 1 and not white else name)
    return " ".join(words)


# What may be typed


def may_be_typed(game: AnyGame) -> str:
    """What a walk understands, as a list of examples."""
    clock = "" if game.horizon is None else ", clock 43"
    return f"a move, a {speech_of(game.name).position}, S12, 12/3, {_telling(game).example}{clock}"


def to_type(game: AnyGame) -> str:
    """What to type where nothing was."""
    return f"type a move, a {speech_of(game.name).position}, S12, 12/3 or {_telling(game).example}"


# A position being set up by hand


class EditFact(NamedTuple):
    """A fact of the position, and the change that a click on it makes; none where it is empty."""

    label: str
    value: str
    change: str = ""
    whose: tuple[int, ...] = ()


def edit_facts(edit: Any) -> list[EditFact]:
    """How the position stands."""
    from endgame_core.morris import rules
    from endgame_core.morris.editor import Edit as StonesEdit

    if isinstance(edit, StonesEdit):
        here = edit.position
        white, black = (rules.count(here, side) for side in (rules.WHITE, rules.BLACK))
        return [
            EditFact("to move", ("White", "Black")[here.turn], "turn"),
            EditFact("on board", f"White {white}, Black {black}"),
            EditFact("White’s hand", str(here.hands[rules.WHITE]), "hold", (rules.WHITE,)),
            EditFact("Black’s hand", str(here.hands[rules.BLACK]), "hold", (rules.BLACK,)),
        ]
    import chess

    passed = "none" if edit.passed is None else chess.square_name(edit.passed)
    if edit.passed is None and edit.passable():
        passed = "none, e sets it"
    return [
        EditFact("to move", "White" if edit.drawn.turn else "Black", "turn"),
        EditFact("en passant", passed),
        *([EditFact("clock", str(clock))] if (clock := edit.drawn.halfmove_clock) else []),
        EditFact("men", str(edit.drawn.occupied.bit_count())),
    ]


def edit_verdict(judge: Judge[Any, Any], edit: Any) -> tuple[str, str]:
    """Why the position cannot occur, or what the tables say of it; and the role of that."""
    if edit.problem:
        return edit.problem[0].upper() + edit.problem[1:], "loss"
    from endgame_core.morris import rules

    position, game = edit.finished(), judge.game
    side = game.mover(position).capitalize()
    if game.name == "morris" and (lost := rules.lost(position)):
        return f"{side} has lost: {lost}.", "loss"
    known = judge.known(position)
    name = name_of(game, position)
    words, role = result(known, game)
    if known.fifty is not None and (known.verdict is None or known.fifty.category in UNSURE):
        kind = KINDS[known.fifty.category]
        words, role = kind.words, kind.role
    if not words:
        unknown = "no table knows it, the search can play it."
        return f"{name}: {unknown}" if not speech_of(game.name).name else unknown[0].upper() + unknown[1:], "text"
    return f"{name}, {side} to move: {words}.", role


# For the command line


def line_of(known: AnyKnown, names: Sequence[str], cut: bool) -> str:
    """The moves of a line from a position: in chess with their numbers; an ellipsis where the rest is not known."""
    game = known.game
    white = game.mover(known.position) == "white"
    return (numbered(names, white) if _telling(game).numbers else " ".join(names)) + (" …" if names and cut else "")


def standing(known: AnyKnown, game: AnyGame) -> str:
    """``KQvKR  win: White mates in 31 (61 plies), DTZ 12, clock 40 of 100``; ``3-4  win: White wins in 25 plies``."""
    return _telling(game).standing(known, game)


def for_mover(category: Category) -> str:
    """What a move does, given the category of the position after it."""
    return _FOR_MOVER[category]


_FOR_MOVER: Final[Mapping[Category, str]] = {
    Category.WIN: "loses",
    Category.MAYBE_WIN: "may lose",
    Category.CURSED_WIN: "blessed",
    Category.DRAW: "draws",
    Category.BLESSED_LOSS: "cursed",
    Category.MAYBE_LOSS: "may win",
    Category.LOSS: "wins",
}


# What each game tells in its own way


class _Telling:
    """How positions of any game are told whose depths are plies."""

    numbers = False
    """Whether the moves of a line have numbers, and distances are told in them, too."""

    example = ""
    """An ending, as one types it."""

    def name(self, position: Any) -> str:
        """The ending in the colours of the board."""
        raise NotImplementedError

    def mover(self, position: Any, taking: bool) -> str:
        """Who is to do what."""
        raise NotImplementedError

    def aside(self, position: Any) -> str:
        """What else matters of who is to move."""
        del position
        return ""

    def origin(self, item: Previous[Any, Any]) -> str:
        """The name of a previous position: what will move, and where it stands."""
        return item.san

    def no_layers(self, position: Any) -> str:
        """Why a position can be in no layer; empty where it can."""
        del position
        return ""

    def no_moves(self, position: Any) -> str:
        """What to do where no table can know the moves; empty where one can."""
        del position
        return ""

    def reason(self, known: AnyKnown, wide: bool) -> Said | None:
        """The sentence about a position, where the game has one of its own."""
        del known, wide
        return None

    def standing(self, known: AnyKnown, game: AnyGame) -> str:
        """Ending, category and how far the end is, in one row."""
        verdict, wins = known.verdict, ""
        if verdict is not None and verdict.winner:
            plies = count(verdict.depth or 0, "ply", "plies")
            wins = f": {verdict.winner.capitalize()} {f'wins in {plies}' if verdict.depth else 'has won'}"
        ending = "the game is over"
        if verdict is not None and not game.is_trivial(known.position):
            ending = game.index.family(game.index.slot_of(known.position), verdict.category)[0]
        return f"{ending}  {'' if known.category is None else known.category}{wins}"


class _Chess(_Telling):
    """Mates in moves, men by their squares."""

    numbers = True
    example = "KBNvK"

    def name(self, position: Any) -> str:
        """``KQvK``, ``KvKQ``."""
        from endgame_core.chess.notation import plain_name

        return plain_name(position)

    def mover(self, position: Any, taking: bool) -> str:
        """``White to move``."""
        del taking
        return f"{'White' if position.turn else 'Black'} to move"

    def origin(self, item: Previous[Any, Any]) -> str:
        """The man that will move, and where it stands."""
        from chess import square_name

        piece = item.position.piece_at(item.move.from_square)
        return f"{piece.symbol().upper() if piece else ''}{square_name(item.move.from_square)}"

    def standing(self, known: AnyKnown, game: AnyGame) -> str:
        """``KQvKR  win: White mates in 31 (61 plies), DTZ 12, clock 40 of 100``."""
        from endgame_core.chess.notation import name_of as ending_name

        position, verdict, category, clock = known.position, known.verdict, known.category, known.clock or 0
        ending = "KvK" if game.is_trivial(position) else ending_name(position)[0]
        head = f"{ending}  {(category or Category.DRAW).replace('-', ' ')}"
        if known.over and not known.ended:
            return f"{head}: {'checkmate' if position.is_check() else 'stalemate'}"
        if category in (None, Category.DRAW):
            return head
        facts = [f"clock {clock} of {HORIZON}" if clock <= HORIZON else f"clock {clock}, past {HORIZON}"]
        if known.fifty is not None and known.fifty.dtz:
            facts.insert(0, f"DTZ {abs(known.fifty.dtz)}")
        if verdict is not None and verdict.depth and verdict.winner:
            moves = (verdict.depth + 1) // 2
            facts.insert(0, f"{verdict.winner.capitalize()} mates in {moves} ({verdict.depth} plies)")
        return f"{head}: {', '.join(facts)}"


class _Morris(_Telling):
    """Wins in plies, stones by their points; and what no table knows: stones in hand."""

    example = "4-3"

    def name(self, position: Any) -> str:
        """White's and Black's stones."""
        from endgame_core.morris.rules import BLACK, WHITE, count

        return "placing" if any(position.hands) else f"{count(position, WHITE)}-{count(position, BLACK)}"

    def mover(self, position: Any, taking: bool) -> str:
        """``White to move``, ``White takes a stone``, ``White to place``; the side alone where it has no move."""
        from endgame_core.morris.notation import NAMES
        from endgame_core.morris.rules import moves as legal

        side = NAMES[position.turn]
        does = "takes a stone" if taking else "to place" if position.hands[position.turn] else "to move"
        return f"{side} {does}" if legal(position) else side

    def aside(self, position: Any) -> str:
        """Whether the stones fly."""
        from endgame_core.morris.rules import flies

        return "flying" if flies(position, position.turn) else ""

    def no_layers(self, position: Any) -> str:
        """Tables know no stones in hand."""
        return "none: stones are in hand" if any(position.hands) else ""

    def no_moves(self, position: Any) -> str:
        """The same of the moves."""
        return "no table knows it; s plays it" if any(position.hands) else ""

    def reason(self, known: AnyKnown, wide: bool) -> Said | None:
        """What is lost; where one move that takes a stone is best, what it does, and with more room what others do."""
        from endgame_core.morris.geometry import POINTS
        from endgame_core.morris.notation import NAMES
        from endgame_core.morris.rules import lost, new_mills

        position, verdict, found = known.position, known.verdict, known.by_depth
        if any(position.hands):
            return Said("", "No table knows stones in hand; s plays it against the search.")
        if verdict is None or known.problem is not None:
            return None
        if not found:
            return Said("S0", f"{NAMES[position.turn]} has lost: {lost(position)}.")
        best = [move for move in found if move.grade == "best"]
        if len(best) > 1 or not best[0].move.taken or verdict.category is not Category.WIN or len(found) == 1:
            return None
        (first, *_), taken = new_mills(position, best[0].move), best[0].move.taken
        mill, stones = "-".join(sorted(POINTS[p] for p in first)), " and ".join(POINTS[p] for p in taken)
        words = f"1 of {len(found)} moves is shortest: close {mill} and take {stones}."
        return Said(f"S{verdict.depth} → S{best[0].layer}", words + (self._another(known, best[0]) if wide else ""))

    def _another(self, known: AnyKnown, best: AnyMove) -> str:
        """What the same step leads to when it takes another stone, if that is worse for all of them."""
        from endgame_core.morris.notation import NAMES

        step = (best.move.source, best.move.end)
        others = [move for move in known.by_depth if (move.move.source, move.move.end) == step and move is not best]
        if others and all(move.grade == "loss" for move in others):
            plies = min(move.layer or 0 for move in others)
            return f" Take another and {NAMES[1 - known.position.turn]} wins in {plies} plies."
        if others and all(move.grade == "draw" for move in others):
            return " Take another and the win is gone."
        return ""


class _Other(_Telling):
    """A game that nobody has words of its own for."""

    def __init__(self, game: AnyGame) -> None:
        self._game, self.example = game, game.listing.example

    def name(self, position: Any) -> str:
        """The ending by its own name."""
        return self._game.ending_of(position)

    def mover(self, position: Any, taking: bool) -> str:
        """``White to move``."""
        del taking
        return f"{self._game.mover(position).capitalize()} to move"


_TELLINGS: Final[Mapping[str, _Telling]] = {"chess": _Chess(), "morris": _Morris()}


def _telling(game: AnyGame) -> _Telling:
    return _TELLINGS.get(game.name) or _Other(game)
