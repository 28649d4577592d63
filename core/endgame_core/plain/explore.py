"""The walk through positions and layers, line by line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.judge import DEPTH_UNDER_RULE
from endgame_core.plain.board import BOARD, BoardMode
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import number_of
from endgame_core.tasks.walk import Walk
from endgame_core.words import find as finding
from endgame_core.words import position as words
from endgame_core.words import screen_reader
from endgame_core.words.about import in_sentences

_LINE = 40
"""Plies of a best line that are told at most."""


EXPLORE = CommandRegistry(BOARD)
"""The commands here."""


class Explore(BoardMode):
    """A walk."""

    TABLE = EXPLORE
    NAME = "explore"
    ABOUT = "Type a move, an ending, a layer such as S12, a position, or one of these commands."

    def __init__(self, desk: Console, game: str) -> None:
        super().__init__(desk, game)
        self.walk: Walk[Any, Any] = Walk(self.lab, game, desk.rng)

    @property
    def position(self) -> Any:
        """Where we are."""
        return self.walk.position

    def enter(self, argument: str) -> None:
        """Goes to what was typed, and tells where we are."""
        if argument:
            self.typed(argument)
        else:
            self.tell()

    def tables_changed(self) -> None:
        """Asks the tables anew."""
        self.walk.forget()

    def tell(self, came_by: str = "") -> None:
        """Tells where we are."""
        self.walk.judge.probe(self.walk.position)  # all that is known: DTZ, too
        told = screen_reader.where(self.walk)
        self.say(f"{came_by}. {told}" if came_by else told)
        if self.walk.here.problem is not None or self.walk.missing:
            self.say(screen_reader.of_said(words.reason(self.walk)))

    def walk_by(self, name: str, *args: object) -> None:
        """Takes the step of the walk that is called so, and tells where it led."""
        before = self.walk.step
        getattr(self.walk, name)(*args)
        step = self.walk.step
        made = step is not before and step.move is not None and self.walk.past and self.walk.past[-1] is before
        self.tell(self.rules.san(before.position, step.move) if made else "")

    def typed(self, text: str) -> None:
        """A move, an ending, a layer, a number, a position."""
        self.walk_by("typed", text)

    def play_move(self, text: str) -> None:
        """Plays a move."""
        self.walk_by("play", self.rules.parse_move(self.position, text))

    def last(self) -> str:
        """The move that led here."""
        step, past = self.walk.step, self.walk.past
        if step.move is None or not past:
            return ""
        return f"{self.rules.san(past[-1].position, step.move)}."

    def clocks(self) -> Iterable[str]:
        """DTM, DTZ and the clock; of a game without one, nothing."""
        known = self.walk.judge.probe(self.position)
        if known.clock is not None:
            yield f"{screen_reader.of_note(words.clocks(known, '', '', 80))}."

    def wanted_ending(self) -> str:
        """The ending whose table is missing here."""
        return self.walk.missing or self.walk.ending


EXPLORE.does("best b", "play the best move", "walk_by", "play_best")


@EXPLORE("hint i", "name the best moves without playing one")
def hint(room: Explore, _: str) -> None:
    """Names the best moves."""
    best = [name for group in words.moves(room.walk).groups if group.best for name in group.moves]
    room.say(f"{', '.join(best) or room.rules.san(room.position, room.walk.best())}.")


EXPLORE.tells(
    "why w", "explain the value of the position and its best moves",
    lambda room, _: screen_reader.of_said(words.reason(room.walk, wide=True)),
)  # fmt: skip
EXPLORE.tells("moves", "list all moves by their result", lambda room, _: screen_reader.rated(room.walk))


@EXPLORE("line", "list the best moves of both sides to the end")
def line(room: Explore, _: str) -> None:
    """Tells the best line."""
    walk = room.walk
    by = DEPTH_UNDER_RULE if walk.is_late else None if walk.by_clock else room.rules.metric
    result = walk.judge.line(room.position, _LINE, by or walk.metric)
    if not result.steps:
        raise result.problem or EndgameError("no move can be made here", "back goes back")
    first = 0 if room.rules.mover(room.position) == "white" else 1
    room.say(f"{words.numbered(result.sans, first)}{'.' if result.is_over else ' and so on.'}")


@EXPLORE("back u", "take one step back")
def back(room: Explore, _: str) -> None:
    """Goes back."""
    if not room.walk.undo():
        raise EndgameError("this is where the walk began", "type a move, a layer or an ending")
    room.tell()


@EXPLORE("forward", "redo the step that back undid")
def forward(room: Explore, _: str) -> None:
    """Goes forward again."""
    if not room.walk.redo():
        raise EndgameError("nothing was taken back", "type a move, a layer or an ending")
    room.tell()


EXPLORE.tells(
    "layers",
    "list the layers around this one with their numbers of positions",
    lambda room, _: screen_reader.layers(room.walk),
)
EXPLORE.does("near [", "go to the next layer towards the end", "walk_by", "step_layer", -1)
EXPLORE.does("far ]", "go to the next layer away from the end", "walk_by", "step_layer", 1)
EXPLORE.does("next n", "go to the next position of the layer, or of the search results", "walk_by", "step_position", 1)
EXPLORE.does(
    "previous", "go to the previous position of the layer, or of the search results", "walk_by", "step_position", -1
)
EXPLORE.does("random r", "go to a random position of the layer, or of the search results", "walk_by", "randomly")
EXPLORE.does(
    "family", "switch between White's wins, Black's wins and the draws of this ending", "walk_by", "next_family"
)


@EXPLORE("before", "list the positions from which one move leads here; with a number, go to that one", "[NUMBER]")
def before(room: Explore, number: str) -> None:
    """Tells what came before, or goes there."""
    if not number:
        room.say(*screen_reader.before(room.walk))
        return
    room.walk_by("to_previous", number_of(number, len(room.walk.here.previous), "positions before this one"))


EXPLORE.does("open", "open an ending at its longest win", "walk_by", "open", takes="ENDING")


@EXPLORE("metric z", "switch between layers by DTM and by DTZ")
def metric(room: Explore, _: str) -> None:
    """Changes the metric."""
    if len(room.walk.metrics) < 2:
        raise EndgameError("depth in this game has one meaning only", "layers tells the layers")
    unbuilt = room.walk.turn_metric()
    if unbuilt is not None:
        room.say(f"{unbuilt} has no DTZ table; type build {unbuilt} dtz to build it.")
    room.say(f"Layers are by {room.walk.metric.upper()}.")
    room.tell()


@EXPLORE("clock C", "set the plies since the last capture or pawn move", "PLIES")
def clock(room: Explore, plies: str) -> None:
    """Sets the clock."""
    room.typed(f"clock {plies}")


@EXPLORE("about a", "show statistics for the ending")
def about(room: Explore, _: str) -> None:
    """Tells about the ending."""
    from endgame_core.tables.survey import EndingProfile

    ending = room.walk.ending
    if not ending:
        raise EndgameError("no table can tell about this position", "open an ending, such as open KRvK")
    library = room.lab.library(room.walk.metrics[0])
    if not library.is_built(ending):
        raise NotBuiltError(ending)
    dtz = room.lab.library(room.walk.metrics[-1])
    room.say(*in_sentences(EndingProfile(library, ending, dtz if dtz is not library else None)))


@EXPLORE("find /", "find positions of this ending with a query; then use next and previous", "QUERY")
def find(room: Explore, text: str) -> None:
    """Finds positions."""
    from endgame_core.tables.find import Find

    work, told = Find(room.walk.asked(text)), [0.0]

    def looking(what: str, part: float) -> None:
        now = room.desk.clock()
        if now - told[0] > 5.0:
            told[0] = now
            room.desk.interject(finding.looking(what, part))

    told[0] = room.desk.clock()
    try:
        with room.desk.interruptible():
            result = work.run(looking)
    except KeyboardInterrupt:
        work.cancel()
        room.say("The search was stopped.")
        return
    room.say(finding.found_in(result.count, room.walk.ending))
    if result.count:
        room.walk_by("take", result)
