"""What one is looking at: each thing that the screens show, a page each, with the position at hand as its example."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.tasks.walk import Walk
from endgame_core.words import position
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import MANNERS, capital, count, in_plies

AnyGame = Game[Any, Any]
AnyWalk = Walk[Any, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """Something that is explained.

    Attributes:
        title: What it is called.
        told: What it is, in paragraphs.
        here: What that comes to in the position at hand; empty where it may not be told, or is not known.
    """

    title: str
    told: tuple[str, ...]
    here: str = ""


SOLVED: Final = "A drill is solved when its goal is reached without an error or a hint, and with few plies lost."

_OTHERS: Final[Mapping[str, Page]] = {
    "library": Page(
        "Endings",
        (
            "Each row is an ending, named by its men. An ending is solved once and kept as a table on this "
            "machine; the price tells what that takes.",
            "Captures and promotions lead into other endings, its sub-endings: they are built first, and the "
            "price counts them in.",
            "Enter builds what is not there, or opens it in Explore. What takes ten minutes and more is asked about: "
            "k then deletes what is built for it alone as soon as nothing needs it any more.",
        ),
    ),
    "practise": Page(
        "Drills",
        (
            "Each row is something to drill: all that is due, a set, or an ending. The mode says what is "
            "asked: to win, to hold, to call the result, or to find the only move.",
            "The window of layers says how far from the end the starts are. What is drilled comes again when "
            "it is due: soon after a miss, later and later after successes.",
            SOLVED,
        ),
    ),
    "progress": Page(
        "Figures",
        (
            "What was practised, by ending and by day: how often it was solved, how many plies your moves lost against "
            "perfect play, and what is due.",
            "Enter drills the row under the cursor; r lists single attempts, which can be stepped through.",
        ),
    ),
    "games": Page(
        "Games of a collection",
        (
            "Each row is a game; what it cost you, or both sides where nobody is named, stands behind its last ending: "
            "−0.5 is half a point, a plain number are plies by which mates came later or sooner.",
            "v shows the figures of all games. Enter there opens an error, lists the games of an ending or a date, or "
            "builds an ending that no table knows yet.",
            "A result is thrown when the game ended worse than was due when its first ending began, and saved when it "
            "ended better. Each error of yours becomes a drill in the set My games, once.",
        ),
    ),
    "settings": Page(
        "Settings",
        ("What you choose for good. It stands in settings.toml, which can be edited as well; comments in it stay.",),
    ),
}


def page_of(task: str) -> Page | None:
    """What a screen without a position shows."""
    return _OTHERS.get(task)


_TOLD: Final[Mapping[str, tuple[str, ...]]] = {
    "Layer": (
        "A layer holds all positions of an ending that are won in the same number of plies, when the winner "
        "hurries and the loser delays. A ply is one move of one side.",
        "In S0 {end}. In odd layers the winner is to move, in even ones the loser: best play goes from S19 to "
        "S18, and so on to S0. What nobody can win is drawn, and those positions are a layer for each side to move.",
    ),
    "Moves": (
        "Moves stand behind what they lead to. Best are those of the shortest win, or of the longest "
        "resistance; others of a winner cost plies, and the worst let the win or the draw go.",
        "Where several moves are best they tie; where only one keeps the result it is an only move.",
    ),
    "DTM": (
        "Distance to mate, in plies: how long the game lasts under best play of both sides. It knows "
        "nothing of the 50-move rule.",
    ),
    "DTZ": (
        "Distance to zeroing, in plies: how soon the winner can force a capture or a pawn move that "
        "keeps the win, or mate. Such a move sets the half-move clock to 0.",
        "The shortest way to mate and the shortest way to the next zeroing move are often not the same.",
    ),
    "Clock": (
        "The half-move clock counts plies since the last capture or pawn move. From 100 on either side "
        "may claim a draw, the 50-move rule; at 150 the game is drawn by itself.",
    ),
    "Cursed": (
        "A cursed win is a win by DTM that the 50-move rule makes a draw: the next zeroing move comes "
        "too late. Seen from the other side it is a blessed loss.",
        "Where rounding or an unknown table leaves that open, it is maybe a win, or maybe a loss.",
    ),
}
"""What is explained where there is a position, in the order of the pages."""

_WALKED: Final[Mapping[str, tuple[str, ...]]] = {
    "DTM": ("The layers are counted by it, unless z has turned them to DTZ.",),
    "DTZ": ("z changes between layers by DTM and by DTZ.",),
    "Clock": ("C sets another clock, to see what it makes of the position.",),
    "Before": (
        "Before are positions from which one legal move leads here: the move taken back. Each is named by its "
        "layer and by where the man came from. b goes there, Enter opens one of them.",
        "A win is made longer that way: from the last position before the end out to the first of all.",
    ),
    "Unique": (
        "Boards counts every way to place the men. Unique counts positions once that differ only by turning or "
        "mirroring the board, or by exchanging men of a kind.",
        "n and p step through the unique positions of a layer; r takes one at random.",
    ),
}
"""What else is explained in Explore, which alone has these panels and keys."""

_PLAYED: Final[Mapping[str, tuple[str, ...]]] = {
    "Defence": (
        "Who defends wins a won game and holds a drawn one. What it does when it loses is chosen before the game.",
        *(f"{capital(name)}: {manner}." for name, manner in MANNERS.items()),
    ),
}
"""What else is explained where one plays against somebody."""

_DRILLED: Final[Mapping[str, tuple[str, ...]]] = {"Solved": (SOLVED,), **_PLAYED}
"""What else is explained in a drill."""

_MORE: Final = {"explore": _WALKED, "play": _PLAYED, "practise": _DRILLED}
"""What else is explained on each screen."""

_OF_CLOCKS: Final = ("DTM", "DTZ", "Clock", "Cursed")
"""Pages of games with a limit of moves."""


def pages(task: str, game: AnyGame, walk: AnyWalk | None) -> list[Page]:
    """What a screen with a position shows.

    Args:
        task: What is done on the screen, as ``explore``.
        game: The game.
        walk: Where the position at hand is; None where nothing may be told of it.
    """
    clocks = game.horizon is not None
    end = "the side to move is mated" if clocks else "the side to move has lost"
    here = {} if walk is None else _here(walk, task == "explore")
    speech, more = speech_of(game.name), _MORE.get(task, {})
    told = {title: (*_TOLD.get(title, ()), *more.get(title, ())) for title in (*_TOLD, *more)}
    return [
        Page(title, tuple(each.format(end=end) for each in paragraphs), here.get(title, ""))
        for title, paragraphs in {**told, **speech.rules}.items()
        if clocks or title not in _OF_CLOCKS
    ]


def _here(walk: AnyWalk, builds: bool) -> dict[str, str]:
    """What each page comes to in a position, as far as that is known; ``builds`` tells whether a key builds there."""
    game, known = walk.rules, walk.known
    clocks = "".join(word.text for word in position.clocks(known, "", "", 80).left) if game.horizon is not None else ""
    unknown = f"nothing tells DTZ here{', z builds it' if builds else ''}"
    rule = unknown if known.fifty is None else position.fifty_verdict(known.fifty)
    here = {"DTM": clocks, "DTZ": clocks, "Clock": clocks, "Cursed": rule}
    here |= speech_of(game.name).rules_here(walk.position)
    if (verdict := known.verdict) is not None:
        name, mover = position.name_of(game, walk.position), f"{game.mover(walk.position).capitalize()} to move"
        won = f"{(verdict.winner or '').capitalize()} wins in {in_plies(verdict.depth or 0)}"
        drawn = f"this position of {name} is a draw; {mover}."
        here["Layer"] = drawn if verdict.depth is None else f"S{verdict.depth} of {name}: {mover}, and {won}."
        here["Moves"] = position.reason(walk).sentence
    if result := walk.here.previous:
        first, number = result[0], "one position" if len(result) == 1 else f"{len(result)} positions"
        layer = "a draw" if first.layer is None else f"S{first.layer}"
        origin = speech_of(game.name).origin(first)
        here["Before"] = f"{number} before this one, such as {origin} in {layer}, then {first.san}."
    with suppress(EndgameError):
        layers = position.layers(walk)
        if layers.here is not None and layers.rows:
            row = layers.rows[layers.here]
            boards, unique = count(row.boards, "board", "boards"), count(row.unique, "is", "are")
            here["Unique"] = f"{row.name} has {boards}, of which {unique} unique."
    return here
