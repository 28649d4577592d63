"""What can be asked of any board: where the men are, a row of it, the last move, the legal ones, the clocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.plain.commands import CommandRegistry
from endgame_core.plain.mode import ROOM, PlainMode
from endgame_core.practice.match import Ply
from endgame_core.tasks.review import ReviewSession
from endgame_core.words.screen_reader import diagram, legal, men_of, scanned

BOARD = CommandRegistry(ROOM)
"""The commands here."""


class BoardMode(PlainMode):
    """A room with a board."""

    TABLE = BOARD

    @property
    def position(self) -> Any:
        """The position on it; None before there is one."""
        raise NotImplementedError

    @property
    def rules(self) -> Any:
        """The game."""
        return self.lab.explorer_of(self.game).game

    def last(self) -> str:
        """The move that led here, in a sentence."""
        raise NotImplementedError

    def clocks(self) -> Iterable[str]:
        """What counts plies or seconds, a sentence each."""
        raise NotImplementedError

    def play_move(self, text: str) -> None:
        """Makes a move that was typed; raises EndgameError."""
        raise NotImplementedError

    def needed(self) -> Any:
        """The position on the board; raises EndgameError where there is none."""
        if self.position is None:
            raise EndgameError("there is no board yet", "type begin")
        return self.position

    def here(self) -> str:
        """The position on the board."""
        return "" if self.position is None else self.rules.format(self.position)

    def candidates(self) -> Iterable[str]:
        """The legal moves."""
        position = self.position
        return [] if position is None else [self.rules.san(position, move) for move in self.rules.moves(position)]


def last_of(plies: Sequence[Ply[Any, Any]], review: ReviewSession[Any, Any] | None) -> str:
    """The last move, or that before what is looked at, as a sentence."""
    made = plies if review is None else plies[: review.at]
    return f"{made[-1].name}." if made else ""


BOARD.does("move m", "play a move; you can also type the move by itself", "play_move", takes="MOVE")


BOARD.tells(
    "pieces p", "list the pieces: all, of one kind (p N), of one side, or both (p black rook)",
    lambda room, asked: men_of(room.game, room.needed(), asked), "[MEN]",
)  # fmt: skip
BOARD.tells(
    "scan s", "read a file (s a), a rank (s 1) or a single square (s d5)",
    lambda room, asked: scanned(room.game, room.needed(), asked), "LINE",
)  # fmt: skip
BOARD.tells("last l", "say the last move", lambda room, _: room.last() or "No move led here.")
BOARD.tells(
    "clocks c", "say the 50-move counter, the distances and the time",
    lambda room, _: list(room.clocks()) or "Nothing is counted here.",
)  # fmt: skip


BOARD.tells(
    "legal", "list the legal moves, or those of one piece (legal d2)",
    lambda room, asked: legal(room.rules, room.needed(), asked), "[PLACE]",
)  # fmt: skip


@BOARD("diagram", "draw the board in letters, capitals for White")
def tell_diagram(room: BoardMode, _: str) -> None:
    """Writes the board."""
    for row in diagram(room.game, room.needed()):
        room.desk.terminal.write_as_is(row)


@BOARD("position", "print the position as text, to store or send it")
def tell_position(room: BoardMode, _: str) -> None:
    """Writes the position."""
    room.desk.terminal.write_as_is(room.rules.format(room.needed()))


@BOARD("add +", "add the position to your own drills")
def add(room: BoardMode, _: str) -> None:
    """Adds the position to the own studies."""
    study = room.lab.studies(room.game).add(room.rules.format(room.needed()))
    room.say(f"{study.name} is kept among your drills.")
