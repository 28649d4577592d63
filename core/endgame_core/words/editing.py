"""A position being set up by hand, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import chess

from endgame_core.chess import notation
from endgame_core.chess.editor import Edit as ChessEdit
from endgame_core.judge import Judge
from endgame_core.morris import rules
from endgame_core.morris.editor import Edit as StonesEdit
from endgame_core.words.position import name_of, result
from endgame_core.words.speech import speech_of
from endgame_core.words.told import KINDS, UNSURE


class Told(NamedTuple):
    """A fact of the position, and the change that a click on it makes; none where it is empty."""

    label: str
    value: str
    change: str = ""
    whose: tuple[int, ...] = ()


def facts(edit: Any) -> list[Told]:
    """How the position stands."""
    if isinstance(edit, StonesEdit):
        here = edit.position
        white, black = (rules.count(here, side) for side in (rules.WHITE, rules.BLACK))
        return [
            Told("to move", ("White", "Black")[here.turn], "turn"),
            Told("on board", f"White {white}, Black {black}"),
            Told("White’s hand", str(here.hands[rules.WHITE]), "hold", (rules.WHITE,)),
            Told("Black’s hand", str(here.hands[rules.BLACK]), "hold", (rules.BLACK,)),
        ]
    assert isinstance(edit, ChessEdit)
    passed = "none" if edit.passed is None else chess.square_name(edit.passed)
    if edit.passed is None and edit.passable():
        passed = "none, e sets it"
    return [
        Told("to move", "White" if edit.white else "Black", "turn"),
        Told("en passant", passed),
        *([Told("clock", str(edit.clock))] if edit.clock else []),
        Told("men", str(len(edit.men))),
    ]


def verdict(judge: Judge[Any, Any], edit: Any) -> tuple[str, str]:
    """Why the position cannot occur, or what the tables say of it; and the role of that."""
    if edit.problem:
        return edit.problem[0].upper() + edit.problem[1:], "loss"
    position, game = edit.finished(), judge.game
    side = game.mover(position).capitalize()
    if game.name == "morris" and (lost := rules.lost(position)):
        return f"{side} has lost: {lost}.", "loss"
    known = judge.known(position)
    name = notation.plain_name(position) if game.name == "chess" else name_of(game, position)
    words, role = result(known, game)
    if known.fifty is not None and (known.verdict is None or known.fifty.category in UNSURE):
        kind = KINDS[known.fifty.category]
        words, role = kind.words, kind.role
    if not words:
        unknown = "no table knows it, the search can play it."
        return f"{name}: {unknown}" if not speech_of(game.name).name else unknown[0].upper() + unknown[1:], "text"
    return f"{name}, {side} to move: {words}.", role
