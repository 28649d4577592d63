"""The results of a query, in words."""

from __future__ import annotations

from endgame_core.controls import instruct
from endgame_core.language import _, ngettext
from endgame_core.query import QueryError
from endgame_core.words.text_model import capital, grouped


def found_in(number: int, ending: str) -> str:
    """Return the number of positions of an ending that match the query."""
    if not number:
        return _("no position of {ending} matches the query.").format(ending=ending)
    return _("{number} {noun} found in {ending}.").format(
        number=grouped(number), noun=ngettext("position", "positions", number), ending=ending
    )


def some_of(number: int, total: int) -> str:
    """How many of those found are added to a set, as an answer."""
    if number == total:
        return _("all {total}").format(total=grouped(total))
    return _("{number} of {total}, at random").format(number=grouped(number), total=grouped(total))


def added(number: int, total: int, name: str) -> str:
    """How many have become studies."""
    return _("{number} of {total} positions added to {name!r}").format(number=number, total=total, name=name)


def looking(what: str, part: float) -> str:
    """How far the search has come."""
    return f"{what} {part:4.0%}"


def walked(number: int, ending: str) -> str:
    """The same where they are walked through."""
    if not number:
        return found_in(0, ending)
    keys = _("{next_position}: next, {previous_position}: previous, {to_layers}: back to the layers.")
    return f"{found_in(number, ending)[:-1]}. {instruct(keys)}"


def pointed(problem: QueryError, start: int, width: int) -> str:
    """Return the error in a query, for the row above it, with a mark over its position if there is room for one.

    Args:
        problem: The error.
        start: The column where the query begins; the sentence begins in column 1.
        width: Columns of the row.
    """
    sentence = capital(str(problem))
    at = start + problem.place[0] - 1
    if at + len(sentence) + 4 < width:
        return f"{' ' * at}v {sentence}"
    if len(sentence) < at < width - 1:
        return f"{sentence:<{at}}v"
    return sentence
