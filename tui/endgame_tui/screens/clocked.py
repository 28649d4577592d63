"""What the screens share that show the three clocks: what the 50-move rule says is found out beside them."""

from __future__ import annotations

from textual import on
from textual.message import Message

from endgame_core.errors import EndgameError
from endgame_tui.clocks import Known
from endgame_tui.screens.boarded import BoardScreen


class ClockedScreen(BoardScreen):
    """A screen whose position is judged by the 50-move rule; :meth:`show_known` shows what has been found out."""

    class Found(Message):
        """More is known about a position."""

    def __init__(self) -> None:
        super().__init__()
        self._known: Known | None = None

    @property
    def known(self) -> Known | None:
        """What the 50-move rule makes of the position; None while that is being found out."""
        return self._known

    @property
    def ending(self) -> str:
        """The ending of the position by its own name; empty where no table can be."""
        try:
            return self.session.library.game.ending_of(self.position)
        except EndgameError:
            return ""

    def find_out(self, plies: int = 0) -> None:
        """Asks the tables, and for so much of the best line; what takes longer is shown when it is there."""
        ending = self.ending
        if ending and not self.session.tells_dtz(ending):
            self._known = Known()
        else:
            self._known = self.session.clerk.ask(self.position, lambda: self.post_message(self.Found()), plies)

    @on(Found)
    def _found(self) -> None:
        known = self.session.clerk.known(self.position)
        if known is not None and known is not self._known:
            self._known = known
            self.show_known()

    def show_known(self) -> None:
        """Shows the clocks, and all that depends on them."""
        raise NotImplementedError
