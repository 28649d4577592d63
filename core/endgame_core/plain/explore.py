"""Explore in plain mode: a walk through positions and layers, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from endgame_core import actions
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.judge import DEPTH_UNDER_RULE
from endgame_core.language import _
from endgame_core.plain.board import BOARD_COMMANDS, BoardMode
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.console import Console
from endgame_core.plain.mode import parse_index
from endgame_core.tasks.walk import Walk
from endgame_core.words import find as find_words
from endgame_core.words import position as words
from endgame_core.words import screen_reader
from endgame_core.words.about import in_sentences

_LINE_LIMIT = 40
"""Plies of the best line that are printed at most."""

_FIND_REPORT_SECONDS = 5.0
"""Seconds between two reports of the progress of a search."""


EXPLORE_COMMANDS = CommandRegistry(BOARD_COMMANDS)
"""The commands of Explore."""


class ExploreMode(BoardMode):
    """A walk through positions and layers."""

    COMMANDS = EXPLORE_COMMANDS
    NAME = "explore"
    HELP = _("Type a move, an ending, a layer such as S12, a position, or one of these commands.")

    def __init__(self, console: Console, game: str) -> None:
        super().__init__(console, game)
        self.walk: Walk[Any, Any] = Walk(self.lab, game, console.rng)

    @property
    def position(self) -> Any:
        """The position on the board."""
        return self.walk.position

    def enter(self, argument: str) -> None:
        """Go to the position, ending or layer that was typed, if any, and describe it."""
        if argument:
            self.handle_text(argument)
        else:
            self.describe()

    def tables_changed(self) -> None:
        """Drop cached probe results."""
        self.walk.forget()

    def describe(self, move: str = "") -> None:
        """Print the position, its value and its layer; first the move that led to it, if given."""
        # The prompt waits for the whole result, DTZ included. The screens show DTM first; what is printed stays.
        self.walk.judge.probe(self.walk.position)

        description = screen_reader.where(self.walk)
        if move:
            description = f"{move}. {description}"
        self.say(description)
        if self.walk.location.problem is not None or self.walk.missing_ending:
            self.say(screen_reader.of_said(words.reason(self.walk)))

    def take_step(self, step: Callable[..., object], *arguments: object) -> None:
        """Call a method of the walk and describe where it led; if it played a move, print that move first."""
        walk = self.walk
        before = walk.step
        step(*arguments)
        after = walk.step

        # A new step behind the old one: not an undo, nor a jump to another position.
        has_moved = after is not before and after.move is not None
        if has_moved and walk.past and walk.past[-1] is before:
            self.describe(self.rules.san(before.position, after.move))
        else:
            self.describe()

    def handle_text(self, text: str) -> None:
        """Go to the typed move, ending, layer, number or position."""
        self.take_step(self.walk.execute, text)

    def play_move(self, text: str) -> None:
        """Play the move that was typed."""
        self.take_step(self.walk.play, self.rules.parse_move(self.position, text))

    def last_move(self) -> str:
        """Return the move that led to the position as a sentence."""
        step = self.walk.step
        if step.move is None or not self.walk.past:
            return ""
        before = self.walk.past[-1]
        return f"{self.rules.san(before.position, step.move)}."

    def clock_report(self) -> Iterable[str]:
        """Return DTM, DTZ and the 50-move counter; nothing in a game without one."""
        result = self.walk.judge.probe(self.position)
        if result.clock is not None:
            yield f"{screen_reader.of_note(words.distances_row(result, None, '', 80))}."

    def default_ending(self) -> str:
        """Return the ending whose table is missing, else the current one."""
        return self.walk.missing_ending or self.walk.ending


EXPLORE_COMMANDS.add(actions.BEST, _("play the best move"), lambda mode, __: mode.take_step(mode.walk.play_best))


@EXPLORE_COMMANDS.register(actions.HINT, _("name the best moves without playing one"))
def hint(mode: ExploreMode, __: str) -> None:
    """Name the best moves."""
    groups = words.moves(mode.walk).groups
    names = [name for group in groups if group.best for name in group.moves]
    if not names:
        names = [mode.rules.san(mode.position, mode.walk.best())]
    mode.say(f"{', '.join(names)}.")


EXPLORE_COMMANDS.add_report(
    "why w",
    _("explain the value of the position and its best moves"),
    lambda mode, __: screen_reader.of_said(words.reason(mode.walk, wide=True)),
)
EXPLORE_COMMANDS.add_report(
    actions.ALL_MOVES, _("list all moves, grouped by result"), lambda mode, __: screen_reader.rated(mode.walk)
)


@EXPLORE_COMMANDS.register("line", _("list the best moves of both sides to the end of the game"))
def line(mode: ExploreMode, __: str) -> None:
    """Print the best line."""
    walk = mode.walk
    metric = walk.metric
    if walk.counter_may_run_out:
        metric = DEPTH_UNDER_RULE
    elif not walk.rates_by_dtz:
        metric = mode.rules.metric

    best_line = walk.judge.line(mode.position, _LINE_LIMIT, metric)
    if not best_line.steps:
        raise best_line.problem or EndgameError(_("there are no moves here"), _("type back to go back"))
    first_ply = 1
    if mode.rules.mover(mode.position) == "white":
        first_ply = 0
    ending = "."
    if not best_line.is_over:
        ending = _(" and so on.")
    mode.say(words.numbered(best_line.sans, first_ply) + ending)


@EXPLORE_COMMANDS.register(actions.TAKE_BACK, _("go one step back"))
def back(mode: ExploreMode, __: str) -> None:
    """Undo the last step of the walk."""
    if not mode.walk.undo():
        raise EndgameError(_("this is where you started"), _("type a move, a layer or an ending"))
    mode.describe()


@EXPLORE_COMMANDS.register(actions.FORWARD, _("redo the step that back undid"))
def forward(mode: ExploreMode, __: str) -> None:
    """Redo the step that was undone."""
    if not mode.walk.redo():
        raise EndgameError(_("there is nothing to redo"), _("type a move, a layer or an ending"))
    mode.describe()


EXPLORE_COMMANDS.add_report(
    "layers",
    _("list the neighbouring layers and their sizes"),
    lambda mode, __: screen_reader.layers(mode.walk),
)
EXPLORE_COMMANDS.add(
    actions.NEAR,
    _("go to the next layer towards the end of the game"),
    lambda mode, __: mode.take_step(mode.walk.step_layer, -1),
)
EXPLORE_COMMANDS.add(
    actions.FAR,
    _("go to the next layer away from the end of the game"),
    lambda mode, __: mode.take_step(mode.walk.step_layer, 1),
)
EXPLORE_COMMANDS.add(
    actions.NEXT_POSITION,
    _("go to the next position of the layer, or of the search results"),
    lambda mode, __: mode.take_step(mode.walk.step_position, 1),
)
EXPLORE_COMMANDS.add(
    actions.PREVIOUS_POSITION,
    _("go to the previous position of the layer, or of the search results"),
    lambda mode, __: mode.take_step(mode.walk.step_position, -1),
)
EXPLORE_COMMANDS.add(
    actions.RANDOM,
    _("go to a random position of the layer, or of the search results"),
    lambda mode, __: mode.take_step(mode.walk.to_random),
)
EXPLORE_COMMANDS.add(
    actions.FAMILY,
    _("switch between White's wins, Black's wins and the draws of this ending"),
    lambda mode, __: mode.take_step(mode.walk.next_family),
)


@EXPLORE_COMMANDS.register(
    actions.LIST_PREVIOUS,
    _("list the positions one move before this one; with a number, go to that position"),
    "[NUMBER]",
)
def before(mode: ExploreMode, number: str) -> None:
    """List the previous positions, or go to one of them."""
    if not number:
        mode.say(*screen_reader.before(mode.walk))
        return
    index = parse_index(number, len(mode.walk.location.previous), _("positions before this one"))
    mode.take_step(mode.walk.to_previous, index)


EXPLORE_COMMANDS.add(
    "open",
    _("open an ending at its longest win"),
    lambda mode, ending: mode.take_step(mode.walk.open, ending),
    "ENDING",
)


@EXPLORE_COMMANDS.register(actions.METRIC, _("switch between DTM and DTZ layers"))
def switch_metric(mode: ExploreMode, __: str) -> None:
    """Switch the metric of the layers."""
    if len(mode.walk.metrics) < 2:
        raise EndgameError(_("this game has only one metric"), _("type layers to list them"))
    unbuilt = mode.walk.switch_metric()
    if unbuilt is not None:
        ending = mode.walk.ending
        mode.say(
            _("{ending} has no {unbuilt} table; type build {ending} {unbuilt2} to build it.").format(
                ending=ending, unbuilt=unbuilt.upper(), unbuilt2=unbuilt
            )
        )
    mode.say(_("Layers are counted by {metric}.").format(metric=mode.walk.metric.upper()))
    mode.describe()


@EXPLORE_COMMANDS.register(actions.COUNTER, _("set the number of plies since the last capture or pawn move"), "PLIES")
def set_clock(mode: ExploreMode, plies: str) -> None:
    """Set the 50-move counter, in plies."""
    mode.handle_text(_("clock {plies}").format(plies=plies))


@EXPLORE_COMMANDS.register(actions.ABOUT, _("show statistics for the ending"))
def print_statistics(mode: ExploreMode, __: str) -> None:
    """Print statistics of the ending."""
    from endgame_core.tables.survey import EndingProfile

    ending = mode.walk.ending
    if not ending:
        raise EndgameError(_("no table covers this position"), _("open an ending, e.g. with open KRvK"))
    library = mode.lab.library(mode.walk.metrics[0])
    if not library.is_built(ending):
        raise NotBuiltError(ending)
    mode.say(*in_sentences(EndingProfile(library, ending, mode.lab.rule_library(mode.game))))


@EXPLORE_COMMANDS.register(
    actions.FIND, _("find positions of this ending with a query; then use next and previous"), "QUERY"
)
def find(mode: ExploreMode, text: str) -> None:
    """Search the ending for the positions that match a query; Ctrl-C stops the search."""
    from endgame_core.tables.find import Find

    search = Find(mode.walk.new_query(text))
    clock = mode.console.clock
    reported_at = clock()

    def report_progress(what: str, share: float) -> None:
        nonlocal reported_at
        now = clock()
        if now - reported_at > _FIND_REPORT_SECONDS:
            reported_at = now
            mode.console.interject(find_words.looking(what, share))

    try:
        with mode.console.interruptible():
            result = search.run(report_progress)
    except KeyboardInterrupt:
        search.cancel()
        mode.say(_("The search was stopped."))
        return
    mode.say(find_words.found_in(result.count, mode.walk.ending))
    if result.count:
        mode.take_step(mode.walk.browse, result)
