"""The map of a man in words: what its signs mean, and what the place of the cursor is worth."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from endgame_core.language import _, side_name
from endgame_core.probe_result import QuickProbe
from endgame_core.tasks.square_map import Placing, SquareValue
from endgame_core.values import Category
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import KINDS, UNSURE, Badge, Message, at, capital, distance, in_plies

AnyPlacing = Placing[Any, Any]

KEY: Final = "★"
"""Sign of a place that is the best there is, whoever is to move."""

NOWHERE: Final = Badge("×", _("illegal position"), "dim")
UNKNOWN: Final = Badge("?", _("not in any table"), "dim")


def mark(spot: SquareValue[Any]) -> Badge:
    """The sign of a place."""
    if spot.position is None:
        return NOWHERE
    if spot.category is None:
        return UNKNOWN
    return KINDS[spot.category]


def sign(spot: SquareValue[Any]) -> str:
    """The sign as it stands on the map; a key has its own."""
    return KEY if spot.key else mark(spot).sign


def ground(spot: SquareValue[Any]) -> str:
    """The role of its ground; of a place where the man cannot stand, or of which nothing is known, ``none``."""
    if spot.category is None:
        return "none"
    return mark(spot).role


def enters(placing: AnyPlacing) -> str:
    """Return the effect of Enter at the cursor."""
    speech = speech_of(placing.walk.game)
    edit = placing.edit
    man = speech.man(edit.man(placing.man))
    if placing.cursor == placing.man:
        if placing.held:
            return _("releases the {man}").format(man=man)
        return _("picks up the {man} to move it past others").format(man=man)
    other = edit.man(placing.cursor)
    if other is None:
        return _("puts the {man} there").format(man=man)
    return _("selects the {man}").format(man=speech.man(other))


def figure(placing: AnyPlacing, spot: SquareValue[Any]) -> str:
    """Return the distance to the end, or by DTZ to the next zeroing move; empty for draws and unknown values."""
    verdict = spot.glance.verdict
    fifty = spot.glance.fifty
    if verdict is not None and placing.walk.metric == placing.walk.metrics[0]:
        if verdict.depth is None:
            return ""
        return str(verdict.depth)
    if fifty is None or fifty.category is Category.DRAW:
        return ""
    return distance(fifty.dtz, exact=fifty.precise_dtz is not None)


def figures(placing: AnyPlacing) -> str:
    """Return the unit of the figures: by DTZ if the layers use it, or if there is no other table."""
    glances = [spot.glance for spot in (placing.spots or {}).values()]
    walk = placing.walk
    metric = walk.metric
    if walk.rules.rule_metric and any(glance.verdict is None and glance.fifty is not None for glance in glances):
        metric = walk.rules.rule_metric
    name = ""
    if len(walk.metrics) > 1:
        name = f" ({metric.upper()})"
    return _("numbers: {meaning}{name}").format(meaning=metric.meaning, name=name)


def name(placing: AnyPlacing) -> str:
    """Return the piece and its square: ``White king e3``, ``Black stone d6``."""
    edit = placing.edit
    speech = speech_of(placing.walk.game)
    return _("{side} {man} {place}").format(
        side=side_name(edit.side(placing.man)),
        man=speech.man(edit.man(placing.man)),
        place=speech.place(placing.man),
    )


def mover(placing: AnyPlacing) -> str:
    """Return the side to move on the map: ``white`` or ``black``."""
    return placing.walk.rules.mover(placing.edit.preview)


def legend(placing: AnyPlacing) -> list[tuple[Badge, int]]:
    """Return the signs on the map, and their numbers, the best first; win, draw and loss are always listed."""
    spots = placing.spots
    if spots is None:
        return []
    counts = Counter((mark(spot), spot.key) for spot in spots.values())
    side = placing.edit.side(placing.man)
    rows: list[tuple[Badge, int]] = []
    for category, kind in KINDS.items():
        words = _won(category, side) or kind.words
        if keys := counts[kind, True]:
            rows.append((Badge(KEY, _("{words}, either side to move").format(words=words), "amber"), keys))
        # Win, draw and loss have a row even without a square; the uncertain ones only where they occur.
        if counts[kind, False] or category not in UNSURE:
            rows.append((Badge(kind.sign, words, kind.role), counts[kind, False]))
    return rows + [(kind, counts[kind, False]) for kind in (NOWHERE, UNKNOWN) if counts[kind, False]]


def _won(category: Category, side: str) -> str:
    """Return the winner, if it is certain."""
    if category not in (Category.WIN, Category.LOSS):
        return ""
    white = (side == "white") is (category is Category.WIN)
    winner = _("White") if white else _("Black")
    return _("{white} wins").format(white=winner)


def message(placing: AnyPlacing, wide: bool = True) -> Message:
    """Return the value of the square under the cursor, with either side to move; or the piece on it."""
    speech = speech_of(placing.walk.game)
    both = placing.both()
    place = speech.place(placing.cursor)
    if not both:
        man = placing.edit.man(placing.cursor)
        side = side_name(placing.edit.side(placing.cursor))
        return Message(place, _("{side}'s {man} is already there.").format(side=side, man=speech.man(man)))
    (__, first), (__, second) = both
    # Impossible for the same reason, whoever is to move: said once.
    if first.position is None and first.why == second.why:
        return Message(place, f"{capital(first.why)}.", "dim")
    clauses: list[str] = []
    for side, spot in both:
        sign = "○" if side == "white" else "●"
        if wide:
            head = _("{side} to move:").format(side=side_name(side))
        else:
            head = sign
        clauses.append(f"{head} {_square_value(placing, spot, wide)}")
    return Message(place, f"{'; '.join(clauses)}.", mark(first).role)


def _square_value(placing: AnyPlacing, spot: SquareValue[Any], wide: bool) -> str:
    """Return the result for the side to move, worded as in Explore."""
    if spot.position is None:
        reason = spot.why.partition(_(", but"))[0]
        if wide:
            return _("impossible: {partition}").format(partition=reason)
        return _("impossible")
    return _result(placing.walk.game, spot.glance, wide)


def _result(game: str, glance: QuickProbe, wide: bool) -> str:
    verdict = glance.verdict
    category = glance.category
    speech = speech_of(game)
    if category is None:
        if glance.problem is None:
            return _("unknown")
        return glance.problem.what
    words = KINDS[category].words
    if verdict is None or verdict.depth is None:
        return words
    if not verdict.depth:
        return speech.lost
    end = at(speech.result[verdict.category is Category.WIN], verdict.depth)
    plies = ""
    if speech.numbers and wide:
        plies = f", {in_plies(verdict.depth)}"
    if category in UNSURE:
        return f"{words}, {end}{plies}"
    return f"{end}{plies}"
