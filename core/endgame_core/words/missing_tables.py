"""Every sentence about a table that is missing: that an ending is not built, and what to do about it.

What :class:`~endgame_core.errors.NotBuiltError` says by itself, as on the command line, is written there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from endgame_core.controls import instruct
from endgame_core.errors import NotBuiltError
from endgame_core.language import _, ngettext
from endgame_core.metric import Metric
from endgame_core.words.text_model import count, either, name_endings

NOT_BUILT: Final = _("not built")
"""The state of an ending, in lists and panels."""

NOT_BUILT_HEADING: Final = _("Not built")
"""The heading above endings that are not built."""


def not_built(ending: str) -> str:
    """Return the clause ``KQvKR is not built``."""
    return NotBuiltError(ending).what


def not_built_list(endings: Sequence[str]) -> str:
    """Return a list without a full stop: ``Not built: KQvKR, KRvKB``."""
    return _("Not built: {missing}").format(missing=", ".join(endings))


# What to do about it


def press_to_build(ending: str) -> str:
    """Return that an ending is not built, and the key or command that builds it."""
    return instruct(_("{ending} is not built; {press} {build} to build it."), ending=ending)


def type_to_build(ending: str) -> str:
    """Return that an ending is not built, and what to type in plain mode; it need not be the current ending."""
    return _("{ending} is not built; type build {ending} to build it.").format(ending=ending)


def type_to_build_drills(endings: Sequence[str]) -> str:
    """Return which endings the chosen drills lack, and what to type in plain mode, which builds the first of them."""
    if len(endings) == 1:
        return _("Not built: {missing}; type build to build it.").format(missing=endings[0])
    return _("Not built: {missing}; type build to build the first one.").format(missing=", ".join(endings))


def ask_to_build(endings: Sequence[str], metric: Metric | None) -> str:
    """Return the question whether to build endings; ``metric`` is None for the first metric of the game."""
    if metric is not None:
        question = ngettext(
            "{endings} has no {metric}: build it?", "{endings} have no {metric}: build them?", len(endings)
        )
        return question.format(endings=name_endings(endings), metric=metric.upper())
    question = ngettext("{endings} is not built: build it?", "{endings} are not built: build them?", len(endings))
    return question.format(endings=name_endings(endings))


def other_metric_in_explore(ending: str, metric: Metric, key: str) -> str:
    """Return that an ending is not built by another metric; in Explore, ``key`` offers to build it."""
    return _("{ending} has no {metric} table: {key} in Explore offers to build it.").format(
        ending=ending, metric=metric.upper(), key=key
    )


# What cannot be shown or done without it


def nothing_known(ending: str, metric: Metric | None) -> str:
    """Return that nothing is known about an ending; ``metric`` is named unless it is the one that is shown."""
    if metric:
        sentence = _("{ending} has no {metric} table: nothing is known about it yet.")
        return sentence.format(ending=ending, metric=metric.upper())
    return _("{ending} is not built: nothing is known about it yet.").format(ending=ending)


def moves_beyond(names: str, moves: int) -> str:
    """Return the clause that some moves lead to endings that are not built: their names, and how many they are."""
    return ngettext(
        "{moves} leads to an ending that is not built", "{moves} lead to endings that are not built", moves
    ).format(moves=names)


def moves_not_graded(ending: str, moves: int) -> str:
    """Return how many moves of a game could not be graded because their ending is not built."""
    return _("{ending}: {moves} not graded because {ending} is not built.").format(
        ending=ending, moves=count(moves, "move", "moves")
    )


def search_plays(ending: str) -> str:
    """Return that the search plays an ending, and that what it says is an estimate."""
    return _("{ending} is not built: the search replies, and all values are estimates.").format(ending=ending)


def search_replies(endings: Sequence[str]) -> str:
    """Return that the search replies after moves into some sub-endings."""
    if len(endings) < 3:
        names = either(endings, _("and"))
    else:
        names = _("{lacking} of its sub-endings").format(lacking=len(endings))
    return ngettext(
        "{endings} is not built: the search replies there.",
        "{endings} are not built: the search replies there.",
        len(endings),
    ).format(endings=names)
