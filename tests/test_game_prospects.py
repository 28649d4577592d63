"""The result that a side can expect from a game, in a sentence."""

from __future__ import annotations

import pytest

from endgame_core.values import Category, Verdict
from endgame_core.words.game_report import Prospect
from endgame_core.words.glossary import speech_of


@pytest.mark.parametrize(
    ("category", "fifty", "clock", "yours", "promise", "start", "perfect"),
    [
        ("win", None, 0, True, "You can win: mate in 10.", "with mate in 10", "possible: mate in 10"),
        ("win", None, 81, True, "You can win: mate in 10.", "with mate in 10", "possible: mate in 10"),
        (
            "win",
            None,
            82,
            True,
            "You can force mate in 10 unless",
            "with mate in 10, 50-move counter 41/50",
            "DTM: mate in 10",
        ),
        ("win", "win", 82, True, "You can win: mate in 10, or later", "with mate in 10 or later", "DTM: mate in 10"),
        ("win", "cursed-win", 82, True, "A cursed win: mate in 10, but", "in a cursed win", "a cursed win"),
        ("win", "cursed-win", 82, False, "A blessed loss: hold out", "in a blessed loss", ""),
        ("win", None, 82, False, "You are mated in 10 unless", "facing mate in 10, 50-move counter 41/50", ""),
        ("win", "win", 0, False, "Your position is lost: hold out for 10 moves.", "facing mate in 10", ""),
        (None, "win", 82, True, "You can win.", "in a won position", ""),
        (None, "win", 0, False, "Your position is lost: hold out.", "in a lost position", ""),
        (None, "maybe-win", 50, True, "You may win: DTZ is rounded", "in a possible win", ""),
        (None, "cursed-win", 82, True, "A cursed win: a draw can be claimed", "in a cursed win", "a cursed win"),
        (None, "draw", 0, True, "The position is drawn: hold the draw.", "in a draw", ""),
        ("draw", None, 99, True, "The position is drawn: hold the draw.", "in a draw", ""),
    ],
)
def test_a_verdict_promises_the_result_of_best_play(
    category: str | None, fifty: str | None, clock: int, yours: bool, promise: str, start: str, perfect: str
) -> None:
    verdict = None
    if category is not None:
        drawn = category == "draw"
        verdict = Verdict(Category(category), None if drawn else 19, None if drawn else "white")
    prospect = Prospect.of(verdict, None if fifty is None else Category(fifty), clock, yours, speech_of("chess"))
    assert prospect is not None
    assert prospect.promise.startswith(promise)
    assert (prospect.began, prospect.perfect) == (f"You began {start}.", perfect)


def test_with_stones_verdicts_count_plies() -> None:
    verdict = Verdict(Category.WIN, 19, "white")
    for yours, promise, began in (
        (True, "You can win in 19 plies.", "You began with a win in 19 plies."),
        (False, "Your position is lost: hold out for 19 plies.", "You began with a loss in 19 plies."),
    ):
        prospect = Prospect.of(verdict, None, None, yours, speech_of("morris"))
        assert prospect is not None and (prospect.promise, prospect.began) == (promise, began)
