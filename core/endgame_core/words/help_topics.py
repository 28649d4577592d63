"""The pages of help: one for each thing that a screen shows, with the current position as its example."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.language import N_, _, side_name
from endgame_core.tasks.walk import Walk
from endgame_core.words import position
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import MANNERS, capital, count, in_plies

AnyGame = Game[Any, Any]
AnyWalk = Walk[Any, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of help.

    Attributes:
        title: The name of the thing.
        paragraphs: The explanation, in paragraphs.
        current: The thing in the current position; empty where it is hidden or not known.
    """

    title: str
    paragraphs: tuple[str, ...]
    current: str = ""


SOLVED: Final = _(
    "You solve a drill when you reach its goal. Stars rate the attempt: three if you lost no moves and used no hints."
)

_OTHERS: Final[Mapping[str, Page]] = {
    "library": Page(
        _("Endings"),
        (
            _(
                "Each row is an ending, named by its pieces. An ending is solved once, and its table stays on this "
                "machine. The list shows how long that takes and how large the table is."
            ),
            _(
                "Captures and promotions lead to other endings, the sub-endings. They are built first, and the cost "
                "shown includes them."
            ),
            _(
                "{choose} builds an ending, or opens it in Explore if it is built. The app asks before it "
                "starts a build that takes more than ten minutes; {build_alone} keeps only this table, and "
                "deletes sub-endings as soon as the build no longer needs them."
            ),
        ),
    ),
    "practise": Page(
        _("Drills"),
        (
            _(
                "Each row is something to practise: everything that is due, a set, or an ending. The mode sets your "
                "goal: "
                "win, hold, name the result, or find the only move."
            ),
            _(
                "The range of layers sets how far from the end you start. A drill returns when it is due: soon after a "
                "failure, and at longer and longer intervals after successes."
            ),
            SOLVED,
        ),
    ),
    "progress": Page(
        _("Figures"),
        (
            _(
                "Your practice by ending and by day: how many drills you solved, how many moves you lost "
                "compared with perfect play, and which drills are due."
            ),
            _(
                "{choose} starts a drill for the selected row. {review} lists your attempts; you can replay each of "
                "them."
            ),
        ),
    ),
    "games": Page(
        _("Games in a collection"),
        (
            _(
                "Each row is a game, with its last ending and the cost of your errors, or of both players' "
                "errors if no name is set: −0.5 is half a point, and a number without a sign counts moves "
                "lost."
            ),
            _(
                "{statistics} shows statistics for all games. On that screen, {choose} opens an error, lists "
                "the games of an ending or a date, or builds an ending that has no table yet."
            ),
            _(
                "A result counts as thrown away if the game ended worse for you than the table's result at "
                "the start of its first ending, and as saved if it ended better. Each of your errors becomes "
                "a drill in the set My games."
            ),
        ),
    ),
    "settings": Page(
        _("Settings"),
        (_("Your settings are stored in settings.toml. You can edit that file as well: the app keeps your comments."),),
    ),
}


def page_of(task: str) -> Page | None:
    """Return the page of a screen without a position."""
    page = _OTHERS.get(task)
    return page and replace(page, paragraphs=tuple(instruct(paragraph) for paragraph in page.paragraphs))


_TOLD: Final[Mapping[str, tuple[str, ...]]] = {
    N_("Layer"): (
        _(
            "A layer contains all positions of an ending that are won in the same number of plies with best play by "
            "both "
            "sides. A ply is one move by one side."
        ),
        _(
            "In S0 {end}. In odd layers the winner is to move, in even layers the loser. Best play leads from S19 to "
            "S18, and so on to S0. Drawn positions form a layer of their own for each side to move."
        ),
    ),
    N_("Moves"): (
        _(
            "The list shows each layer with the moves that lead to it. The best moves win soonest, or resist longest. "
            "Other winning moves take longer; the worst throw away the win or the draw."
        ),
        _(
            "If there are several best moves, they are equally good. "
            "If a single move keeps the result, it is called an only move."
        ),
    ),
    N_("DTM"): (
        _(
            "Distance to mate, in plies: how long the game lasts with best play by both sides. DTM ignores the "
            "50-move rule."
        ),
    ),
    N_("DTZ"): (
        _(
            "Distance to zeroing, in plies: how soon the winner can force mate, or a capture or pawn move that "
            "keeps the win. Such a move resets the 50-move counter."
        ),
        _("The shortest way to mate and the shortest way to the next zeroing move often differ."),
    ),
    N_("50 moves"): (
        _(
            "The 50-move counter counts the moves by each side since the last capture or pawn move. At 50 the player "
            "to "
            "move can claim a draw; at 75 the game ends in a draw without a claim. A FEN stores this count in plies."
        ),
    ),
    N_("Cursed"): (
        _(
            "A cursed win is a win by DTM that the 50-move rule turns into a draw: the next zeroing move comes too "
            "late. "
            "For the other side it is a blessed loss."
        ),
        _('If rounding or a missing table leaves the result open, the app shows "maybe a win" or "maybe a loss".'),
    ),
}
"""The topics of every screen with a position, in the order of the pages."""

_WALKED: Final[Mapping[str, tuple[str, ...]]] = {
    N_("DTM"): (_("The app numbers layers by DTM; {metric} switches to DTZ."),),
    N_("DTZ"): (_("{metric} switches between DTM and DTZ layers."),),
    N_("50 moves"): (_("{counter} sets the counter, so you can see how it changes the result."),),
    N_("Previous"): (
        _(
            "The positions from which one legal move leads to this one. Each row shows a layer and the moves from it: "
            "Kb3→c4 is the king move from b3 to c4. {list_previous} moves the focus to the list; {choose} opens a "
            "position."
        ),
        _("Step back again and again to follow a win from its final position to the longest win of the ending."),
    ),
    N_("Unique"): (
        _(
            "The boards column counts every placement of the pieces. In the unique column, placements that differ "
            "only by rotating or mirroring the board, or by exchanging identical pieces, count once."
        ),
        _(
            "{next_position} and {previous_position} step through the unique positions of a layer; {random} opens a "
            "random one."
        ),
    ),
}
"""Explanations of panels and keys that only Explore has."""

_PLAYED: Final[Mapping[str, tuple[str, ...]]] = {
    N_("Defence"): (
        _("The defender wins won positions and holds drawn ones. You choose before the game how it defends lost ones."),
        *(f"{capital(name)}: {manner}." for name, manner in MANNERS.items()),
    ),
}
"""More topics for games against a defender."""

_DRILLED: Final[Mapping[str, tuple[str, ...]]] = {"Solved": (SOLVED,), **_PLAYED}
"""More topics for drills."""

_MORE: Final = {"explore": _WALKED, "play": _PLAYED, "practise": _DRILLED}
"""More topics by screen."""

_OF_MOVE_LIMIT: Final = ("DTM", "DTZ", "50 moves", "Cursed")
"""Pages of games with a limit of moves."""


def pages(task: str, game: AnyGame, walk: AnyWalk | None) -> list[Page]:
    """Return the pages of a screen with a position.

    Args:
        task: The task of the screen, e.g. ``explore``.
        game: The game.
        walk: The walk to the current position; None if nothing about it may be shown.
    """
    has_move_limit = game.horizon is not None
    if has_move_limit:
        end = _("the side to move is mated")
    else:
        end = _("the side to move has lost")
    current = {}
    if walk is not None:
        current = _current_facts(walk, task == "explore")
    speech = speech_of(game.name)
    more = _MORE.get(task, {})
    topics = {title: (*_TOLD.get(title, ()), *more.get(title, ())) for title in (*_TOLD, *more)}
    return [
        Page(_(title), tuple(instruct(each, end=end) for each in paragraphs), current.get(title, ""))
        for title, paragraphs in {**topics, **speech.rules}.items()
        if has_move_limit or title not in _OF_MOVE_LIMIT
    ]


def _current_facts(walk: AnyWalk, builds: bool) -> dict[str, str]:
    """Return how each topic applies to the position; ``builds`` is whether a key of the screen starts a build."""
    game = walk.rules
    probe = walk.probe
    distances = ""
    if game.horizon is not None:
        distances = "".join(span.text for span in position.distances_row(probe, None, "", 80).left)
    advice = ""
    if builds:
        advice = instruct(_("; {build_dtz} builds the DTZ table"))
    unknown = _("DTZ is not known here{instruct}").format(instruct=advice)
    if probe.fifty is None:
        rule = unknown
    else:
        rule = position.fifty_verdict(probe.fifty)
    facts = {"DTM": distances, "DTZ": distances, "50 moves": distances, "Cursed": rule}
    facts |= speech_of(game.name).rules_here(walk.position)
    if (verdict := probe.verdict) is not None:
        name = position.name_of(game, walk.position)
        mover = _("{mover} to move").format(mover=side_name(game.mover(walk.position)))
        won = _("{winner} wins in {plies}").format(
            winner=side_name(verdict.winner or ""), plies=in_plies(verdict.depth or 0)
        )
        if verdict.depth is None:
            layer_facts = _("this position of {name} is a draw; {mover}.").format(name=name, mover=mover)
        else:
            layer_facts = _("S{depth} of {name}: {mover}, and {won}.").format(
                depth=verdict.depth, name=name, mover=mover, won=won
            )
        facts["Layer"] = layer_facts
        facts["Moves"] = position.reason(walk).sentence
    if result := walk.location.previous:
        first = result[0]
        if len(result) == 1:
            number = _("one position")
        else:
            number = _("{result} positions").format(result=len(result))
        if first.layer is None:
            layer = _("a draw")
        else:
            layer = f"S{first.layer}"
        unmove = speech_of(game.name).unmove(first)
        facts["Previous"] = _("{number}, for example {unmove}, from {layer} with {san}.").format(
            number=number, unmove=unmove, layer=layer, san=first.san
        )
    # Without a table there are no layers to describe.
    with suppress(EndgameError):
        layers = position.layers(walk)
        if layers.current is not None and layers.rows:
            row = layers.rows[layers.current]
            boards = count(row.boards, "board", "boards")
            unique = count(row.unique, "is", "are")
            facts["Unique"] = _("{row} has {boards}, of which {unique} unique.").format(
                row=row.name, boards=boards, unique=unique
            )
    return facts


_TITLES: Final = (
    N_("Layer"),
    N_("Moves"),
    N_("DTM"),
    N_("DTZ"),
    N_("50 moves"),
    N_("Cursed"),
    N_("Previous"),
    N_("Unique"),
    N_("Defence"),
    N_("Goal"),
    N_("Solved"),
    N_("Placing"),
    N_("Moving"),
    N_("Flying"),
    N_("Mills"),
    N_("Captures"),
    N_("The end"),
)
"""The titles of pages, which are looked up in English and shown in the language in use."""
