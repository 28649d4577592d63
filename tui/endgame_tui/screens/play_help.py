"""The Play screen when you ask for something: hints, the verdict, to be shown, a draw."""

from __future__ import annotations

import chess

from endgame_core.errors import EndgameError, PositionError
from endgame_tui import game_file, play_words
from endgame_tui.screens.play_review import PlayReview
from endgame_tui.screens.thinking import REPLY
from endgame_tui.widgets.question import Choice


class PlayHelp(PlayReview):
    """Gives what is asked for during a game."""

    def _in_play(self) -> game_file.ChessMatch | None:
        """The game, while it is played; else says that there is none."""
        self.hush()
        if self.play.stage == "play":
            return self.play.match
        over = self.play.stage == "review"
        self.say("the game is over: r plays on from here." if over else "Enter begins the game first.")
        return None

    def action_hint(self) -> None:
        """Gives the next step of a hint."""
        match = self._in_play()
        if match is None:
            return
        if not match.your_turn:
            self.say("the defender is to move.")
            return
        try:
            best = self.play.best() if match.given is None else match.given.move
        except EndgameError:
            self.say("thinking about a hint: an estimate, for no table knows this position.")
            self.think(REPLY, self._give_hint)
            return
        self._give_hint(best)

    def _give_hint(self, best: chess.Move) -> None:
        """Shows the next step of a hint about a move."""
        match = self.play.match
        if match is None or not match.your_turn:
            return
        hint = match.hint(best)
        self._warn()
        self._picked = hint.move.from_square
        self._cursor = hint.move.from_square if hint.step == 1 else hint.move.to_square
        self.show_board()
        self.show_words()
        self.show_facts()
        if "reason" not in self.regions(self.size):
            view = play_words.playing_view(self.play)
            self.say(f"{view.heading}: {view.sentence}")

    def _warn(self) -> None:
        """Says what the 50-move rule has against a win, or for a loss."""
        if warning := play_words.warning(self.play):
            self.say(warning, "cursed")

    def action_verdict(self) -> None:
        """Shows or hides the verdict."""
        self.hush()
        if self.play.stage == "review":
            self.say("after the game nothing is hidden.")
            return
        self.play.hidden = not self.play.hidden
        self.show()
        self.look_at_it()

    def action_show_me(self) -> None:
        """Gives up, after a question, and lets the best line be played out."""
        match = self._in_play()
        if match is not None:
            self._warn()
            self.question("Give up, and see how it is done?", Choice("enter", "Enter", "show me", self.show_me))

    def action_draw(self) -> None:
        """Claims a draw where there is one to claim, else offers one."""
        match = self._in_play()
        if match is None:
            return
        try:
            if (claim := self.play.claim) is not None:
                match.claim_draw()
                self.finish()
                named = "" if claim.move is None else f" with {match.game.san(match.position, claim.move)}"
                self.say(f"you claim a draw{named}: {claim.draw.value}.", "draw")
            elif match.offer_draw():
                self.finish()
                self.say("the defender agrees: a draw.", "draw")
            else:
                self.say("the defender plays on, and there is nothing to claim.")
        except PositionError as problem:
            self.complain(problem)
