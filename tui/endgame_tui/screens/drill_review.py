"""Looking at a drill that is over: stepping through it, sending it elsewhere."""

from __future__ import annotations

from textual import on

from endgame_tui.screens.drill_view import DrillView
from endgame_tui.widgets.score import ScorePanel


class DrillReview(DrillView):
    """What can be done with a drill besides drilling it."""

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        if self.stage == "over":
            self._look_at(event.ply + 1)

    def action_step(self, plies: int) -> None:
        """Steps through the drill that is over."""
        drill = self.sitting.drill
        if self.stage == "over" and drill is not None:
            at = len(drill.match.plies) if self._at is None else self._at
            self._look_at(at + plies)

    def _look_at(self, at: int) -> None:
        drill = self.sitting.drill
        assert drill is not None
        self.hush()
        self._line = ""
        self._at = min(max(at, 0), len(drill.match.plies))
        self.show()

    def action_home(self) -> None:
        """The keys go to the board again."""
        self.focus_home()

    async def action_send(self) -> None:
        """Shows the position in Explore, once it can no longer help."""
        if self.stage == "drill" or self.stage in ("question", "decides"):
            self.say("finish this one first; w shows how it is done.")
            return
        self.session.ask = self.sitting.explorer.game.format(self.at_hand)
        self.session.ask_metric = "depth" if self.GAME == "morris" else None
        await self.app.run_action("screen('explore')")

    def action_copy(self) -> None:
        """Copies the position as text."""
        text = self.sitting.explorer.game.format(self.at_hand)
        self.app.copy_to_clipboard(text)
        self.say(f"copied: {text}")
