"""The text of a lesson: the goal and the idea, then page by page, then the solution."""

from __future__ import annotations

from typing import Any

from endgame_core.language import _
from endgame_core.tasks.lesson import LessonReader
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import numbered
from endgame_core.words.practice import study_goal
from endgame_core.words.text_model import TextRow, TextSpan, fact, note, wrapped

NO_LESSON = _("only studies have lessons: choose a position from a set.")
NO_MORE_PAGES = _("this is the end of the lesson.")
FIRST_PAGE = _("this is the first page.")


def crumbs(reader: LessonReader[Any, Any]) -> tuple[str, ...]:
    """Return the name of the study, and the current page."""
    return reader.study.name, _("page {page} of {pages}").format(page=reader.frame.page + 1, pages=len(reader.pages))


def page_text(reader: LessonReader[Any, Any], width: int) -> tuple[TextRow, ...]:
    """The whole page, wrapped; the moves up to the one on the board are marked.

    Args:
        reader: The lesson.
        width: Columns of a row.
    """
    study = reader.study
    page = reader.page
    rows: list[TextRow] = []
    if reader.frame.page == 0:
        rows += [fact(_("Goal"), study_goal(study, speech_of(reader.game.name))), TextRow()]
        rows += _paragraphs(study.note, width)
        if study.remark:
            rows += [TextRow(), *wrapped(study.remark, width, "dim")]
        if study.source:
            rows += [TextRow(), *wrapped(_("Source: {source}").format(source=study.source), width, "faint")]
        return tuple(rows)

    if page.is_solution:
        rows.append(note(_("Best play according to the table"), bold=True))
    else:
        rows += _paragraphs(page.text, width)
    if page.sans:
        rows += [TextRow(), *_moves(reader, width)]
    return tuple(rows)


def spoken(reader: LessonReader[Any, Any]) -> tuple[str, ...]:
    """The page as sentences, for plain text and screen readers: the goal and the idea, or the text and its moves."""
    study = reader.study
    page = reader.page
    if reader.frame.page == 0:
        sentences = [
            _("{study}. Goal: {study_goal}.").format(
                study=study.name, study_goal=study_goal(study, speech_of(reader.game.name))
            ),
            study.note,
            study.remark,
        ]
        return tuple(filter(None, sentences))
    if page.is_solution:
        sentences = [_("Best play according to the table:")]
    else:
        sentences = page.text.split("\n\n")
    if page.sans:
        more = "" if page.is_complete else " …"
        sentences.append(f"{numbered(page.sans, _first_ply(reader))}{more}")
    return tuple(sentences)


def _paragraphs(text: str, width: int) -> list[TextRow]:
    rows: list[TextRow] = []
    for paragraph in filter(None, text.split("\n\n")):
        if rows:
            rows.append(TextRow())
        rows += wrapped(paragraph, width)
    return rows


def _first_ply(reader: LessonReader[Any, Any]) -> int:
    """0 where White moves first on the page, 1 where Black does, so that numbers begin with move 1."""
    first = next(frame for frame in reader.frames if frame.page == reader.frame.page)
    return int(reader.game.mover(first.position) == "black")


def _moves(reader: LessonReader[Any, Any], width: int) -> list[TextRow]:
    """The moves of the page in rows: those made, the last of them marked, those to come."""
    first = _first_ply(reader)
    moves_made = reader.frame.number
    page = reader.page
    rows: list[list[TextSpan]] = [[]]
    used = 0
    for index, san in enumerate(page.sans):
        ply = first + index
        # White's moves have a number, and so does the first one of the page.
        if ply % 2 == 0 or index == 0:
            text = numbered([san], ply)
        else:
            text = san
        if used and used + 1 + len(text) > width:
            rows.append([])
            used = 0
        gap = " " if used else ""
        # The move that has led to the position on the board.
        if index == moves_made - 1:
            span = TextSpan(text, "amber", True)
        else:
            span = TextSpan(text, "text" if index < moves_made else "dim")
        rows[-1] += [TextSpan(gap), span]
        used += len(gap + text)
    if not page.is_complete:
        rows[-1].append(TextSpan(" …", "faint"))
    return [TextRow(tuple(row)) for row in rows]
