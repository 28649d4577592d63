"""The board editor of Morris: put stones on points and into hands until the position is legal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from endgame_core import game
from endgame_core.morris import notation, rules
from endgame_core.morris.geometry import POINTS
from endgame_core.morris.rules import BLACK, STONES, WHITE, Position
from endgame_core.values import WINNERS, Winner


@dataclass(frozen=True, slots=True)
class MorrisEdit(game.PositionEdit):
    """An immutable draft of a position, legal or not; every change returns a new draft.

    Attributes:
        position: The draft.
    """

    palette = (WHITE, BLACK)
    places = range(len(POINTS))

    position: Position

    @property
    def text(self) -> str:
        """The draft as a line of text."""
        return notation.line(self.position)

    @property
    def preview(self) -> Position:
        """The draft, for the board."""
        return self.position

    def man(self, point: int) -> int | None:
        """Return the owner of the stone on a point, WHITE or BLACK; None if the point is empty."""
        for player in (WHITE, BLACK):
            if rules.mask_of(self.position, player) >> point & 1:
                return player
        return None

    def side(self, point: int) -> Winner:
        """Return the owner of the stone on a point."""
        return WINNERS[self.man(point) or 0]

    def position_with_man_moved(self, source: int, target: int) -> Position:
        """Return the position with one stone moved to an empty point; nothing is taken, even if this forms a mill.

        Raises:
            PositionError: The result cannot occur; the message gives the reason.
        """
        return self.move(source, target).checked_position()

    def put(self, point: int, player: int | None) -> MorrisEdit:
        """Put a player's stone on a point, or clear the point for None.

        A hand shrinks if the player would otherwise have more stones than the game has.
        """
        white = self.position.white & ~(1 << point)
        black = self.position.black & ~(1 << point)
        if player == WHITE:
            white |= 1 << point
        elif player == BLACK:
            black |= 1 << point
        result = replace(self.position, white=white, black=black)
        white_hand, black_hand = (min(result.hands[side], _room(result, side)) for side in (WHITE, BLACK))
        return MorrisEdit(replace(result, hands=(white_hand, black_hand)))

    def hold(self, player: int) -> MorrisEdit:
        """Remove a stone from a player's hand; an empty hand gets all stones that are not on the board."""
        hands = list(self.position.hands)
        if hands[player]:
            hands[player] -= 1
        else:
            hands[player] = _room(self.position, player)
        return MorrisEdit(replace(self.position, hands=(hands[WHITE], hands[BLACK])))

    def clear(self) -> MorrisEdit:
        """Return a draft of the empty board with empty hands, White to move."""
        return MorrisEdit(Position(0, 0))

    def turn(self) -> MorrisEdit:
        """Change the side to move."""
        return MorrisEdit(replace(self.position, turn=1 - self.position.turn))

    def exchange(self) -> MorrisEdit:
        """Exchange the colours."""
        return MorrisEdit(rules.swapped(self.position))

    def checked_position(self) -> Position:
        """Return the position if it is legal.

        Raises:
            PositionError: The position cannot occur; the message gives the reason.
        """
        notation.check(self.position)
        return self.position


def _room(position: Position, player: int) -> int:
    """Return the maximum number of stones in hand, given the player's stones on the board."""
    return max(STONES - rules.count(position, player), 0)
