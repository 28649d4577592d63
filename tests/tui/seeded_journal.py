"""A seeded journal: six weeks of a learner, always the same, up to a frozen noon."""

from __future__ import annotations

import random
from datetime import datetime
from pathlib import Path

from endgame_core import paths
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import PLAY, Attempt, Card, Made, Outcome

NOW = datetime(2026, 11, 21, 12, 0).timestamp()
"""Noon of a Saturday, wherever the test runs."""

DAY = 86_400.0

THEMES = (
    ("KQvK mate white 11-19", "KQvK", "mate in 6–10", 0.97, "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"),
    ("KRvK mate white 5-11", "KRvK", "mate in 3–6", 0.9, "8/8/8/8/8/2k5/7R/K7 w - - 0 1"),
    ("KRvK mate white 21-31", "KRvK", "mate in 11–16", 0.7, "7R/8/8/8/4k3/8/8/K7 w - - 0 1"),
    ("KPvK hold", "KPvK", "hold", 0.8, "8/8/8/4k3/8/4P3/4K3/8 b - - 0 1"),
    ("KBNvK mate white 1-19", "KBNvK", "mate in 1–10", 0.35, "8/8/8/3k4/8/1N6/3B4/K7 w - - 0 1"),
    ("study philidor", "KRPvKR", "Philidor", 0.3, "4k3/7R/r7/4P3/4K3/8/8/8 b - - 0 1"),
    ("KRvKP", "KRvKP", "game", 0.6, "8/8/8/8/3k4/3p4/8/R3K3 w - - 0 1"),
)

START = "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1"

GAME = (
    Made(1, "e5e6", "e6", True, "win gone", 0, True, None, 14.0, taken=True),
    Made(2, "e8d8", "Kd8", False, "holds", 0, False, None, taken=True),
    Made(1, "d6e6", "Ke6", True, "best", 0, False, 24, 9.0),
    Made(2, "e8d8", "Kd8", False, "best", 0, False, 23),
    Made(3, "e6f7", "Kf7", True, "best", 0, False, 22, 4.0),
    Made(4, "d8d7", "Kd7", False, "best", 0, False, 21),
    Made(5, "e5e6", "e6+", True, "best", 0, False, 20, 2.0),
    Made(6, "d7d6", "Kd6", False, "best", 0, False, 19),
    Made(7, "f7f6", "Kf6", True, "slower", 2, False, 20, 5.0),
    Made(8, "d6c7", "Kc7", False, "best", 0, False, 19),
)
"""A win let go, taken back and won again, nearly; graded by the tables."""


def record(journal: Journal, attempt: Attempt, moves: tuple[Made, ...], outcome: Outcome, result: str = "") -> str:
    """Keeps a whole attempt."""
    uuid = journal.begin(attempt)
    for made in moves:
        journal.move(uuid, made)
    if outcome is not Outcome.OPEN:
        journal.finish(uuid, outcome, result)
    return uuid


def seed(root: Path, now: float = NOW) -> str:
    """Writes the journal below ``root``; returns the uuid of :data:`GAME`, the newest attempt."""
    rng = random.Random(2026)
    at = [now]
    journal = Journal(paths.journal_file(root), clock=lambda: at[0])
    for ago in range(38, -1, -1):
        if ago and rng.random() < 0.25:
            continue
        for number in range(rng.choice((1, 2, 3, 5, 8)) if ago else 2):
            at[0] = now - DAY * ago + 60.0 * number - 7000
            theme, ending, label, skill, start = rng.choice(THEMES)
            solved = rng.random() < skill
            lost = rng.choice((0, 0, 0, 2)) if solved else rng.choice((2, 4, 6, 14))
            mode = theme.split()[1] if len(theme.split()) > 2 else "hold" if " " in theme else PLAY
            attempt = Attempt(
                theme=theme, ending=ending, label=label, mode=mode, start=start,
                colour="white" if " w " in start else "black", goal="draw" if mode == "hold" else "win", perfect=11,
            )  # fmt: skip
            moves = (Made(1, "", "moved", True, "slower" if lost else "best", lost, False, 10, 8.0),)
            record(journal, attempt, moves, Outcome.SOLVED if solved else Outcome.FAILED, "checkmate")
    at[0] = now - 600
    attempt = Attempt(
        theme="KPvK mate white", ending="KPvK", label="win", mode="mate", start=START, colour="white",
        defence="tricky", goal="win", perfect=25,
    )  # fmt: skip
    uuid = record(journal, attempt, GAME, Outcome.OPEN)
    journal.take_back(uuid, 99)
    journal.finish(uuid, Outcome.FAILED, "the win is gone")
    for number, (theme, ending, label, *_) in enumerate(THEMES[:6]):
        journal.keep(Card(theme=theme, ending=ending, label=label, due=now + DAY * (number - 2)))
    journal.close()
    return uuid
