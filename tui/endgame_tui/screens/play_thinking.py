"""The Play screen where no table reaches: replies, hints and lines are estimates of a search or an engine."""

from __future__ import annotations

from endgame_tui import play_scenes
from endgame_tui.screens.play_files import PlayFiles
from endgame_tui.widgets.facts import FactsPanel
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.words import LineRows, VerdictRow


class PlayThinking(PlayFiles):
    """Shows what is thought."""

    def show(self) -> None:
        """Shows the game, and the estimate where no table knows."""
        super().show()
        self.show_thought()

    def show_thought(self) -> None:
        """Shows the estimate, once the verdict may be told."""
        play, glyphs, thought = self.play, self.look.glyphs, self._thought
        if play.stage != "play" or not play.guessed:
            return
        words = "" if thought is None else play_scenes.estimate_words(thought, play.position.turn)
        self.query_one(VerdictRow).view = play_scenes.verdict_view(play, glyphs, words, self.thinking)
        if play.hidden:
            return
        self.query_one(MovesPanel).view = play_scenes.thought_view(play, thought)
        self.query_one(LineRows).view = play_scenes.thought_line(play, thought.line if thought is not None else ())

    def show_facts(self) -> None:
        """Shows rules, hints, clock; and who replies where no table knows."""
        play = self.play
        thinker = self.session.thinker.name if play.stage == "play" and play.guessed else ""
        self.query_one(FactsPanel).view = play_scenes.facts_view(play, self.elapsed, thinker)
