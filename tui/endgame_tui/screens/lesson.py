"""Lesson: what a study teaches, with positions to step through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, VerticalScroll
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.game import Game
from endgame_core.language import _
from endgame_core.practice.studies import Study
from endgame_core.tasks.lesson import LessonReader
from endgame_core.words import lesson as words
from endgame_core.words.text_model import TextRow
from endgame_tui.faces import BoardLayout, PositionView
from endgame_tui.keys import BEGIN, COPY, EXPLORE_HERE, FLIP, LEAVE, STEP_BACK, STEP_FORWARD, Key
from endgame_tui.screens.base import BoardScreen, OverScreen, Request
from endgame_tui.widgets.lines import Lines
from endgame_tui.widths import PANELS_MIN_WIDTH

_ROOMY = 30
"""Rows from which on a narrow screen has room for a board of usual size above the text."""


class LessonScreen(OverScreen, BoardScreen):
    """A lesson on the board.

    It closes with True if the user wants to practise the study now.

    Args:
        study: The study.
        can_start: Whether Enter offers to practise it.
    """

    TASK = "practise"
    CSS_PATH = "lesson.tcss"
    FOCUSABLE = ()
    BINDINGS: ClassVar[list[BindingType]] = [
        STEP_FORWARD.adapted(_("Next move or page"), short=_("next")),
        Key("space", "step(1)", _("Next move or page"), id="read_on"),
        STEP_BACK.adapted(_("Previous move or page"), short=_("previous")),
        Key("n", "turn(1)", _("Next page"), id="next_page", short=_("next page")),
        Key("p", "turn(-1)", _("Previous page"), id="previous_page", short=_("previous page")),
        BEGIN.adapted(_("Practise this position"), short=_("practise")),
        FLIP.adapted(short=_("flip"), rank=3),
        EXPLORE_HERE.adapted(short=_("Explore")),
        COPY,
        LEAVE.adapted(_("Close the lesson"), short=_("back")),
    ]

    def __init__(self, study: Study, can_start: bool = True) -> None:
        super().__init__()
        self._study = study
        self._can_start = can_start
        self._reader: LessonReader[Any, Any] | None = None
        self.board.flipped = study.side == "black"
        self.board.can_focus = False

    def body(self) -> ComposeResult:
        """Yield the board, and the text beside or below it."""
        with Container(id="main"):
            yield self.board
            with VerticalScroll(id="page"):
                yield Lines(id="text")

    def home(self) -> Widget:
        """The text, which the arrow keys scroll."""
        return self.query_one("#page")

    def on_mount(self) -> None:
        """Read the study and ask the tables for the solution."""
        self._reader = LessonReader(self._study, self.lab.judge(self.game))

    def board_scale(self) -> tuple[BoardLayout, int]:
        """A small board on a narrow screen: some lines of text have to fit below it."""
        width, height = self.size
        if width < PANELS_MIN_WIDTH and height < _ROOMY:
            # The face gets fewer rows than there are, so that it chooses a smaller layout.
            return self.face.board_layout(Size(width, _ROOMY // 2), self.look.can_draw_pieces)
        return super().board_scale()

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
        """Name of a key in the last row; the game cannot be switched here."""
        if key.id == BEGIN.id and not self._can_start:
            return ""
        if key.id == "game":
            return ""
        return super().label(key)

    def action_step(self, frames: int) -> None:
        """Go to the next or the previous position, over the ends of pages."""
        self._go(lambda reader: reader.step(frames), frames)

    def action_turn(self, pages: int) -> None:
        """Go to the next or the previous page."""
        self._go(lambda reader: reader.turn(pages), pages)

    def _go(self, move: Callable[[LessonReader[Any, Any]], bool], direction: int) -> None:
        """Move the reader and show where it is, from the top of a new page."""
        if self._reader is None:
            return
        page = self._reader.frame.page
        if not move(self._reader):
            if direction > 0:
                self.say(words.NO_MORE_PAGES)
            else:
                self.say(words.FIRST_PAGE)
            return
        self.say()
        self.show()
        # On the same page the text stays where the reader has scrolled it.
        if self._reader.frame.page != page:
            self.query_one("#page").scroll_home(animate=False)

    def action_begin(self) -> None:
        """Practise the study."""
        if self._can_start:
            self.dismiss(True)

    def action_leave(self) -> None:
        """Close the lesson."""
        self.dismiss(False)

    def shown_position(self) -> tuple[Game[Any, Any], Any] | None:
        """The game and the position on the board; None before the lesson is read."""
        reader = self._reader
        if reader is None:
            return None
        return (reader.game, reader.frame.position)

    def action_copy(self) -> None:
        """Copy the position as text."""
        if self._reader is not None:
            text = self._reader.game.format(self._reader.frame.position)
            self.app.copy_to_clipboard(text)
            self.say(_("copied: {text}").format(text=text))

    async def action_explore_here(self) -> None:
        """Open the position in Explore."""
        if self._reader is not None:
            game = self._reader.game
            await self.host.open("explore", Request(game.name, text=game.format(self._reader.frame.position)))
