"""What a Play screen shows in any game: which panels at which stage, where the keys go, the fold of small screens."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import ClassVar

from textual.geometry import Region, Size
from textual.widget import Widget

from endgame_tui.screens.board_plan import Plan
from endgame_tui.screens.game import GameScreen
from endgame_tui.screens.morris_plan import StonesPlan
from endgame_tui.screens.play_plan import HIDDEN, REVIEW, SETUP, SHOWN
from endgame_tui.screens.rebound import Keys
from endgame_tui.widgets.facts import KeysPanel
from endgame_tui.widgets.frame import KeyBar
from endgame_tui.widgets.old_moves import MovesPanel
from endgame_tui.widgets.question import Choice
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widgets.setup import SetupPanel


class GameView(GameScreen):
    """Panels around a board ``#board``; subclasses plan where they stand, and fill them."""

    FOCUSABLE: ClassVar[tuple[str, ...]] = ("setup", "score", "moves")
    """Panels that take the focus while they are on the screen."""

    KEYS: ClassVar[Mapping[str, tuple[Keys, Keys, Keys]]]
    """What the last row names at each stage."""

    STUDY: ClassVar[Keys]
    """What to do with a game that is over."""

    def __init__(self) -> None:
        super().__init__()
        self._fold = False
        self._shown_stage = ""

    # What a screen says

    def _plan_for(self, size: Size) -> Plan | StonesPlan:
        raise NotImplementedError

    @property
    def moves_panel(self) -> Widget:
        """The panel of moves that is shown with the verdict."""
        return self.query_one(MovesPanel)

    def unpick(self) -> bool:
        """Takes back the last choice; False when nothing was chosen."""
        raise NotImplementedError

    def to_explore(self) -> None:
        """Sends the position to Explore."""
        raise NotImplementedError

    # Where everything stands

    @property
    def stage(self) -> str:
        """Which panels are wanted."""
        if self.play.stage == "play":
            return HIDDEN if self.play.hidden else SHOWN
        return SETUP if self.play.stage == "setup" else REVIEW

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan; the moves over the board on small screens when they are asked for."""
        made = self._plan_for(size)
        regions = dict(made.regions)
        if self.stage == HIDDEN and "line" in regions:
            line = regions.pop("line")
            regions["last"] = Region(line.x, line.y, line.width, 1)
        if self._fold and made.small and "board" in regions:
            board = regions.pop("board")
            regions.pop("score", None)
            regions.pop("verdict", None)
            regions["moves" if self.stage == SHOWN else "score"] = Region(1, board.y, size.width - 2, board.height)
        return self.bottom(regions)

    def set_focusable(self, regions: Container[str]) -> None:
        """Panels that are not on the screen do not take the focus."""
        for name in self.FOCUSABLE:
            self.query_one(f"#{name}").can_focus = name in regions or (name == "score" and self.stage == REVIEW)

    def change_stage(self) -> None:
        """Other panels, other keys, where the stage is another than was shown."""
        if self.stage == self._shown_stage:
            return
        self._shown_stage = self.stage
        self._fold = False
        self.query_one(KeyBar).offer(*self.KEYS[self.stage])
        study = self.query_one(KeysPanel)
        study.title, study.view = "Study it", self.STUDY
        self.fit()
        self.relayout()
        if self._asking is None:
            self.focus_home()

    def focus_home(self) -> None:
        """Where the keys go: the choices, the board, the game that is looked at."""
        home = board = self.query_one("#board")
        if self.stage == SETUP:
            home = self.query_one(SetupPanel)
        elif self.stage == REVIEW or self._fold:
            home = self.moves_panel if self.stage == SHOWN else self.query_one(ScorePanel)
        self.set_focus(home if home.can_focus else board)

    # Keys

    def action_moves(self) -> None:
        """Goes to the moves or the game, or back to the board."""
        panel = self.moves_panel if self.stage == SHOWN else self.query_one("#score")
        if self._plan_for(self.size).small:
            self._fold = not self._fold
            self.fit()
            self.relayout()
            self.call_after_refresh(self.focus_home)
        elif panel.has_focus:
            self.set_focus(self.query_one("#board"))
        elif panel.can_focus:
            panel.focus()

    def action_back(self) -> None:
        """Takes back the last choice of a move, closes a panel, goes back to where the keys belong."""
        self.interrupt()
        self.hush()
        if self.unpick():
            return
        if self._fold:
            self.action_moves()
        else:
            self.focus_home()

    def action_send(self) -> None:
        """Asks where the position is to go."""
        self.interrupt()
        self.question("Send this position to", Choice("1", "1", "Explore", self.to_explore))
