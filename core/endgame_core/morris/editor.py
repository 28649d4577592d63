"""The board editor: stones are put on points, and into hands, until the position can occur."""

from __future__ import annotations

from dataclasses import dataclass, replace

from endgame_core import game
from endgame_core.morris import notation, rules
from endgame_core.morris.geometry import POINTS
from endgame_core.morris.rules import BLACK, STONES, WHITE, Position
from endgame_core.values import WINNERS, Winner


@dataclass(frozen=True, slots=True)
class MorrisEdit(game.PositionEdit):
    """A position being set up; every change gives a new one.

    Attributes:
        position: As it stands, whether it can occur or not.
    """

    palette = (WHITE, BLACK)
    places = range(len(POINTS))

    position: Position

    @property
    def text(self) -> str:
        """The line of text, whether the position can occur or not."""
        return notation.line(self.position)

    @property
    def preview(self) -> Position:
        """The position, whether it can occur or not."""
        return self.position

    def man(self, point: int) -> int | None:
        """Whose stone is on a point: WHITE or BLACK, None when it is empty."""
        return next((player for player in (WHITE, BLACK) if rules.mask_of(self.position, player) >> point & 1), None)

    def side(self, point: int) -> Winner:
        """Whose stone is on a point."""
        return WINNERS[self.man(point) or 0]

    def position_with_man_moved(self, source: int, target: int) -> Position:
        """The position with a stone on another, empty point, all else as it is; a mill there was closed before.

        Raises:
            PositionError: It cannot occur; it says why.
        """
        return self.move(source, target).checked_position()

    def put(self, point: int, player: int | None) -> MorrisEdit:
        """Puts a player's stone on a point, or takes away what is there; one too many comes from the hand."""
        white, black = (mask & ~(1 << point) for mask in (self.position.white, self.position.black))
        if player == WHITE:
            white |= 1 << point
        elif player == BLACK:
            black |= 1 << point
        result = replace(self.position, white=white, black=black)
        held = (min(result.hands[side], max(STONES - rules.count(result, side), 0)) for side in (WHITE, BLACK))
        return MorrisEdit(replace(result, hands=(next(held), next(held))))

    def hold(self, player: int) -> MorrisEdit:
        """Gives a player one stone less in hand; all that are not on the board, when there was none."""
        hands = list(self.position.hands)
        room = max(STONES - rules.count(self.position, player), 0)
        hands[player] = hands[player] - 1 if hands[player] else room
        return MorrisEdit(replace(self.position, hands=(hands[WHITE], hands[BLACK])))

    def clear(self) -> MorrisEdit:
        """The empty board, nothing in hand, White to move."""
        return MorrisEdit(Position(0, 0))

    def turn(self) -> MorrisEdit:
        """Gives the move to the other side."""
        return MorrisEdit(replace(self.position, turn=1 - self.position.turn))

    def exchange(self) -> MorrisEdit:
        """Exchanges the colours."""
        return MorrisEdit(rules.swapped(self.position))

    def checked_position(self) -> Position:
        """The position, when it can occur.

        Raises:
            PositionError: It cannot; it says why.
        """
        notation.check(self.position)
        return self.position
