"""The commands of every mode with a board: the pieces, a row, the last move, the legal moves, the clocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from endgame_core import actions
from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.mode import MODE_COMMANDS, PlainMode
from endgame_core.practice.match import Ply
from endgame_core.tasks.review import ReviewSession
from endgame_core.words.screen_reader import diagram, legal, men_of, scanned

BOARD_COMMANDS = CommandRegistry(MODE_COMMANDS)
"""The commands of every mode with a board."""


class BoardMode(PlainMode):
    """A mode with a board."""

    COMMANDS = BOARD_COMMANDS

    @property
    def position(self) -> Any:
        """The position on the board; None before there is one."""
        raise NotImplementedError

    @property
    def rules(self) -> Any:
        """The rules of the game, a :class:`~endgame_core.game.Game`."""
        return self.lab.explorer_of(self.game).game

    def last_move(self) -> str:
        """Return the move that led to the position as a sentence; empty if there is none."""
        raise NotImplementedError

    def clock_report(self) -> Iterable[str]:
        """Return a sentence for each counter of moves or seconds."""
        raise NotImplementedError

    def play_move(self, text: str) -> None:
        """Play the move that was typed; raises EndgameError."""
        raise NotImplementedError

    def require_position(self) -> Any:
        """Return the position on the board; raises EndgameError if there is none."""
        if self.position is None:
            raise EndgameError(_("there is no board yet"), _("type begin"))
        return self.position

    def position_text(self) -> str:
        """Return the position on the board as text."""
        if self.position is None:
            return ""
        return self.rules.format(self.position)

    def candidates(self) -> Iterable[str]:
        """Return the legal moves."""
        position = self.position
        if position is None:
            return []
        return [self.rules.san(position, move) for move in self.rules.moves(position)]


def last_move_of(plies: Sequence[Ply[Any, Any]], review: ReviewSession[Any, Any] | None) -> str:
    """Return the last move of a match, or the one before the reviewed position, as a sentence; empty for none."""
    # In a review, moves after the shown position have not been made yet.
    played = plies if review is None else plies[: review.at]
    if played:
        return f"{played[-1].name}."
    return ""


BOARD_COMMANDS.add(
    "move m", _("play a move; you can also type the move by itself"), lambda mode, text: mode.play_move(text), "MOVE"
)
BOARD_COMMANDS.add_report(
    "pieces p",
    _("list the pieces: all, one kind (p N), one side, or one kind of one side (p black rook)"),
    lambda mode, query: men_of(mode.game, mode.require_position(), query),
    "[MEN]",
)
BOARD_COMMANDS.add_report(
    "scan s",
    _("read a file (s a), a rank (s 1) or a single square (s d5)"),
    lambda mode, query: scanned(mode.game, mode.require_position(), query),
    "LINE",
)
BOARD_COMMANDS.add_report(
    "last l", _("say the last move"), lambda mode, __: mode.last_move() or _("No move led to this position.")
)
BOARD_COMMANDS.add_report(
    "clocks c",
    _("say the 50-move counter, the distances and the time"),
    lambda mode, __: list(mode.clock_report()) or _("There are no counters or distances here."),
)
BOARD_COMMANDS.add_report(
    "legal",
    _("list the legal moves, or those of one piece (legal d2)"),
    lambda mode, query: legal(mode.rules, mode.require_position(), query),
    "[PLACE]",
)


@BOARD_COMMANDS.register("diagram", _("draw the board in letters, capitals for White"))
def print_diagram(mode: BoardMode, __: str) -> None:
    """Draw the board."""
    for row in diagram(mode.game, mode.require_position()):
        mode.console.terminal.write_as_is(row)


@BOARD_COMMANDS.register("position", _("print the position as text, to store or send it"))
def print_position(mode: BoardMode, __: str) -> None:
    """Print the position as text."""
    mode.console.terminal.write_as_is(mode.rules.format(mode.require_position()))


@BOARD_COMMANDS.register(actions.ADD, _("add the position to your own drills"))
def add_to_drills(mode: BoardMode, __: str) -> None:
    """Add the position to the user's own studies."""
    study = mode.lab.studies(mode.game).add(mode.rules.format(mode.require_position()))
    mode.say(_("{study} has been added to your drills.").format(study=study.name))
