"""The board of a drill with panels beside it and a comment below; at the end how the sitting went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size

from endgame_core.tasks.sitting import Sitting, Stage
from endgame_core.words import drill as words
from endgame_core.words.told import Note, fitted
from endgame_tui.faces import SMALL, Label, View
from endgame_tui.look import Look
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.score import ScorePanel, ScoreView


class DrillView(Vertical):
    """Shows a sitting.

    Args:
        board: The board.
        id: DOM id.
    """

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board

    def compose(self) -> ComposeResult:
        """The board with panels beside it, a comment below."""
        score = ScorePanel(id="score")
        score.can_focus = False
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                for name in ("title", "ticks", "facts"):
                    yield Lines(id=name)
                yield score
                yield Lines(id="asked")
                yield Lines(id="summary")
        yield Lines(id="comment")

    def fit(self, size: Size, look: Look) -> bool:
        """The comment has two rows, or what the board leaves, on small screens all below the board.

        Returns:
            Whether a row is left that can be kept free for what is said.
        """
        width, height = size
        scale, _ = self.board.face.scale(size, look.palette.coloured and look.glyphs.unicode)
        high = height - 2 - (height >= 30)
        room = high - scale.rows - 1
        kept = room > 2 and height >= 24 and width >= SMALL
        rows = high - max(min(2, room), 1) - kept
        self.query_one("#main").styles.height = rows if width >= SMALL else scale.rows + 1
        return kept

    def show(self, sitting: Sitting) -> None:
        """Shows the drill as it stands."""
        stage = sitting.stage
        panels = "summary" if stage is Stage.SUMMARY else "drill" if sitting.drill is not None else "question"
        for name in ("summary", "drill", "question"):
            self.screen.set_class(name == panels, f"-{name}")
        self.board.can_focus = stage is Stage.DRILL
        self.show_board(sitting)
        if stage is Stage.SUMMARY:
            self._put("summary", lambda size: words.summary(sitting, size.height))
            self._put("comment", lambda _: ())
            return
        self._put("ticks", lambda size: words.ticks(sitting, size.width))
        self._put("facts", lambda size: words.facts(sitting, size.width))
        self._put("asked", lambda size: words.asked(sitting, size.width))
        self._put("comment", lambda size: fitted(words.comment(sitting), *size))
        self._show_score(sitting)

    def _show_score(self, sitting: Sitting) -> None:
        """Shows the moves, and the one that is looked at."""
        if sitting.drill is None:
            return
        match = sitting.drill.match
        prompt = None if self.screen.has_class("-narrow") else words.prompt(sitting)
        cursor = sitting.review.at - 1 if sitting.review is not None and sitting.review.at else None
        white = match.you == "white"
        self.query_one(ScorePanel).view = ScoreView(words.score(sitting), cursor, white, "", True, "Your moves", prompt)

    def _put(self, name: str, notes: Callable[[Size], tuple[Note, ...]]) -> None:
        self.query_one(f"#{name}", Lines).show(notes)

    def show_clock(self, sitting: Sitting) -> None:
        """Shows what is drilled, and how long it has taken."""
        if sitting.stage is not Stage.SUMMARY:
            self._put("title", lambda _: (words.title(sitting),))

    def show_board(self, sitting: Sitting) -> None:
        """Shows the position, the last move, the hint; the cursor stays where a man is that can move."""
        board = self.board
        position, drilling = sitting.position, sitting.stage is Stage.DRILL
        board.refusal = sitting.why_no_move
        if position is None:
            board.show(None)
            return
        moves = sitting.game.moves(position) if drilling and not board.refusal else ()
        rated: list[tuple[Any, Label]] = []
        named: tuple[int, ...] = ()
        given = sitting.drill.match.given if sitting.drill is not None else None
        if given is not None and given.step == 2 and drilling:
            rated = [(given.move, Label(board.look.glyphs.check, True))]
            named = tuple(getattr(given.move, "taken", ()))
        cursor, other = board.cursor, board.position not in (None, position)
        view = View(0 if drilling else None, last=sitting.last_move, rated=rated, idle=not drilling, named=named)
        board.show(position, moves, view)
        if other and moves and (sources := {board.face.ends(move)[0] for move in moves}) != {None}:
            board.cursor = cursor if cursor in sources else board.face.first(position, moves)
            board.repaint()
