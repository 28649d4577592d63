"""Lesson: what a study teaches, with positions to step through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.practice.studies import Study
from endgame_core.tasks.lesson import LessonReader
from endgame_core.words import lesson as words
from endgame_core.words.text_model import TextRow
from endgame_tui.faces import PositionView
from endgame_tui.screens.base import BoardScreen, OverScreen, Request
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.lines import Lines


class LessonScreen(OverScreen, BoardScreen):
    """A lesson on the board.

    Dismissed with True when the learner wants to practise the study now.

    Args:
        study: The study.
        can_start: Whether Enter offers to practise it.
    """

    TASK = "practise"
    CSS_PATH = "lesson.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("right,l,space", "step(1)", "Next move or page", id="lesson.right", short="next", rank=1),
        Key("left,h", "step(-1)", "Previous move or page", id="lesson.left", short="previous", rank=1),
        Key("pagedown,n", "turn(1)", "Next page", id="lesson.next", short="next page", rank=2),
        Key("pageup,p", "turn(-1)", "Previous page", id="lesson.previous", short="previous page", rank=2),
        Key("enter", "start", "Practise this position", id="lesson.start", short="practise", rank=1),
        Key("f", "flip", "Flip the board", id="lesson.flip", short="flip", rank=3),
        Key("s", "send", "Open in Explore", id="lesson.send", short="Explore"),
        Key("escape", "back", "Close the lesson", id="lesson.back", short="back", rank=1),
    ]

    def __init__(self, study: Study, can_start: bool = True) -> None:
        super().__init__()
        self._study = study
        self._can_start = can_start
        self._reader: LessonReader[Any, Any] | None = None
        self.board.flipped = study.side == "black"
        self.board.can_focus = False

    def body(self) -> ComposeResult:
        """The board, and the text beside or below it."""
        with Container(id="main"):
            yield self.board
            with VerticalScroll(id="page"):
                yield Lines(id="text")

    def home(self) -> Widget:
        """The text has the focus, so that the arrow keys scroll it."""
        return self.query_one("#page")

    def on_mount(self) -> None:
        """Read the study and ask the tables for the solution."""
        self._reader = LessonReader(self._study, self.lab.judge(self.game))

    def show(self) -> None:
        """Show the position and the page."""
        reader = self._reader
        if reader is None:
            return
        self.crumbs(*words.crumbs(reader), named=False)
        frame = reader.frame
        self.board.show(frame.position, (), PositionView(cursor=None, last_move=frame.move, idle=True))

        def page_text(size: Size) -> tuple[TextRow, ...]:
            return words.page_text(reader, size.width)

        self.query_one("#text", Lines).show(page_text)

    # Keys

    def label(self, key: Key) -> str:
        """What keys are called in the last row."""
        if key.id == "lesson.start" and not self._can_start:
            return ""
        return {"game": ""}.get(key.action, super().label(key))

    def action_step(self, frames: int) -> None:
        """Go to the next or the previous position, over the ends of pages."""
        self._move(lambda reader: reader.step(frames), frames)

    def action_turn(self, pages: int) -> None:
        """Go to the next or the previous page."""
        self._move(lambda reader: reader.turn(pages), pages)

    def _move(self, go: Callable[[LessonReader[Any, Any]], bool], direction: int) -> None:
        if self._reader is None:
            return
        page = self._reader.frame.page
        if not go(self._reader):
            self.say(words.NO_MORE_PAGES if direction > 0 else words.FIRST_PAGE)
            return
        self.say()
        self.show()
        if self._reader.frame.page != page:
            self.query_one("#page").scroll_home(animate=False)

    def action_start(self) -> None:
        """Practise the study."""
        if self._can_start:
            self.dismiss(True)

    def action_back(self) -> None:
        """Close the lesson."""
        self.dismiss(False)

    async def action_send(self) -> None:
        """Open the position in Explore."""
        if self._reader is not None:
            game = self._reader.game
            await self.host.open("explore", Request(game.name, text=game.format(self._reader.frame.position)))
