"""Reads a lesson: its pages in order, and the positions of each page to step through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from endgame_core.judge import DEPTH_UNDER_RULE, Judge
from endgame_core.practice.studies import Study, lesson_positions

P = TypeVar("P")
M = TypeVar("M")

SOLUTION_PLIES = 60
"""Plies of best play that the last page shows."""


@dataclass(frozen=True, slots=True)
class LessonFrame(Generic[P, M]):
    """A position to look at.

    Attributes:
        page: The index of its page.
        position: The position.
        move: The move that led to it; None for the first position of a page.
        number: How many moves of the page have been made.
    """

    page: int
    position: P
    move: M | None
    number: int


@dataclass(frozen=True, slots=True)
class ReaderPage:
    """A page of a lesson.

    Attributes:
        text: Paragraphs, separated by blank lines; empty on the last page, which shows the solution.
        sans: The moves of the page in SAN.
        is_solution: Whether its moves are best play from the start of the study.
        is_complete: Whether best play is shown to the end of the game.
    """

    text: str
    sans: tuple[str, ...]
    is_solution: bool = False
    is_complete: bool = True


class LessonReader(Generic[P, M]):
    """The frames of a study, with a cursor over all positions of all pages.

    The first page has the study's note; the pages of its lesson follow, and best play from the start where the tables
    are built.

    Args:
        study: The study.
        judge: Finds best play.
    """

    def __init__(self, study: Study, judge: Judge[P, M]) -> None:
        self.study = study
        self.game = judge.game
        start = self.game.parse(study.position)
        self.pages: list[ReaderPage] = [ReaderPage(study.note, ())]
        self.frames: list[LessonFrame[P, M]] = [LessonFrame(0, start, None, 0)]
        for page in lesson_positions(study, self.game):
            self.pages.append(ReaderPage(page.text, page.moves))
            self._add_frames(self.game.parse(page.positions[0]), page.moves)
        line = judge.line(start, SOLUTION_PLIES, metric=DEPTH_UNDER_RULE)
        if line.steps:
            self.pages.append(ReaderPage("", tuple(line.sans), is_solution=True, is_complete=line.is_over))
            self._add_frames(start, line.sans)
        self.at = 0
        """The index of the current frame."""

    def _add_frames(self, position: P, sans: Sequence[str]) -> None:
        page = len(self.pages) - 1
        self.frames.append(LessonFrame(page, position, None, 0))
        for number, san in enumerate(sans, 1):
            move = self.game.parse_move(position, san)
            position = self.game.play(position, move)
            self.frames.append(LessonFrame(page, position, move, number))

    @property
    def frame(self) -> LessonFrame[P, M]:
        """The current position."""
        return self.frames[self.at]

    @property
    def page(self) -> ReaderPage:
        """The current page."""
        return self.pages[self.frame.page]

    def step(self, frames: int) -> bool:
        """Go some positions forward (negative: back), over the ends of pages; False at the end of the lesson."""
        before = self.at
        self.at = min(max(self.at + frames, 0), len(self.frames) - 1)
        return self.at != before

    def turn(self, pages: int) -> bool:
        """Go to the first position of another page; False where there is none."""
        page = self.frame.page + pages
        if not 0 <= page < len(self.pages):
            return False
        self.at = next(index for index, frame in enumerate(self.frames) if frame.page == page)
        return True
