"""Played games as records and back: the grades go into the comments, the rest into headers; and the files of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from endgame_core.errors import PositionError, StorageError
from endgame_core.judge import Judge
from endgame_core.movetext import GameText, Note, Script, evaluation, read
from endgame_core.practice.defence import Defence
from endgame_core.practice.match import Match
from endgame_core.practice.played import End, Ply, Result
from endgame_core.tracked import Draw, Win
from endgame_core.values import Winner

P = TypeVar("P")
M = TypeVar("M")

YOU: Final = "You"
SUFFIX: Final = ".pgn"
HINTED: Final = ("after a hint", "after a hint that named a move")
"""What a comment says of hints: the man alone, or a move, be it the one played or another."""
SHOWN: Final = "shown by the table"
ESTIMATED: Final = "shown, an estimate"
_HINTED: Final = {**{words: step for step, words in enumerate(HINTED, 1)}, "as the hint said": 2}
_REASONS: Final[Mapping[str, End | Win | Draw]] = {
    **{reason.value: reason for reason in (*End, *Win)},
    **{reason.value: reason for reason in Draw},
}
_DEFENCES: Final = frozenset(defence.value for defence in Defence)
_COUNTS: Final = ("Hints", "Takebacks")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[P, M]):
    """A game read from a file.

    Attributes:
        match: The game, played again and graded anew.
        headers: Its headers, to be written back.
        problem: Why the rest of it was left out, a sentence; empty when all of it was played.
    """

    match: Match[P, M]
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    problem: str = ""


def record_of(
    match: Match[P, M], headers: Mapping[str, str] | None = None, today: date | None = None
) -> GameText[P, M]:
    """The game as it is written down.

    Args:
        match: The game, over or not.
        headers: Headers it was read with; they stay, but for what has changed.
        today: The date of a new game.
    """
    defender = f"{match.defence.value} defence"
    white = match.you == "white"
    made = {
        "Event": "endgame-tui",
        "Date": (today or date.today()).strftime("%Y.%m.%d"),
        "White": YOU if white else defender,
        "Black": defender if white else YOU,
    }
    known = {**made, **(headers or {})}
    for name, count in zip(_COUNTS, (match.hints, match.takebacks), strict=True):
        known.pop(name, None)
        if count:
            known[name] = str(count)
    known.pop("Termination", None)
    if match.result is not None:
        known["Termination"] = match.result.reason.value
    notes = tuple(
        Note(
            ply.move,
            "" if ply.verdict is None else evaluation(match.game.mover(ply.after) == "white", ply.verdict.depth),
            comment_of(match.judge, ply, match.estimated),
        )
        for ply in match.plies
    )
    score = "*" if match.result is None else match.result.score
    return GameText(match.start, notes, score, known)


def comment_of(judge: Judge[Any, Any], ply: Ply[Any, Any], estimated: bool = False) -> str:
    """The grade of a move in words, with what would have been best after an error; hints are owned up to.

    ``estimated`` tells that what was shown is an estimate.
    """
    if ply.shown:
        return ESTIMATED if estimated else SHOWN
    said: list[str] = []
    if ply.grade is not None:
        said.append(ply.grade.words)
        if ply.grade.kind.is_error or ply.grade.plies:
            known = judge.known(ply.before)
            best = [] if known.problem is not None else [move.san for move in known.moves if move.grade == "best"]
            if best:
                said.append(f"best: {', '.join(best[:3])}")
            elif keeping := judge.keeping(ply.before):
                said.append(f"kept by: {', '.join(move.san for move in keeping[:3])}")
    if ply.hints:
        said.append(HINTED[ply.hints - 1])
    return "; ".join(said)


def match_of(record: GameText[P, M], judge: Judge[P, M]) -> Loaded[P, M]:
    """Plays a recorded game again, which grades it; one without a result goes on where it was left."""
    headers = dict(record.headers)
    match = Match(judge, record.start, _side(record, judge), _defence(headers))
    problem, shown = "", [number for number, note in enumerate(record.notes) if note.comment in (SHOWN, ESTIMATED)]
    played = record.notes[: shown[0]] if shown else record.notes
    for number, note in enumerate(played):
        try:
            ply = match.play(note.move)
        except PositionError:
            left = len(played) - number
            problem = f"the game was over before its last {left} move{'s' if left > 1 else ''}, which were left out."
            break
        if hints := next((step for words, step in _HINTED.items() if note.comment.endswith(words)), 0):
            match.plies[-1] = replace(ply, hints=hints)
    match.hints, match.takebacks = (int(count) if (count := headers.get(name, "")).isdigit() else 0 for name in _COUNTS)
    if match.result is None and shown:
        rest = record.notes[shown[0] :]
        match.show([note.move for note in rest], estimated=rest[0].comment == ESTIMATED)
    elif match.result is None and record.result != "*":
        match.end(_result(record))
    elif match.result is None and headers.get("Termination") == End.SHOWN:
        match.show([])
    return Loaded(match, headers, problem)


def _side(record: GameText[P, M], judge: Judge[P, M]) -> Winner:
    """Your side: as the headers say, else the winner's, else the side to move."""
    for name in ("White", "Black"):
        if record.headers.get(name) == YOU:
            return name.lower()
    verdict = judge.early(record.start).verdict
    return (verdict.winner if verdict is not None else None) or judge.game.mover(record.start)


def _defence(headers: Mapping[str, str]) -> Defence:
    for name in ("White", "Black"):
        words = headers.get(name, "").removesuffix(" defence")
        if words in _DEFENCES:
            return Defence(words)
    return Defence.PERFECT


def _result(record: GameText[Any, Any]) -> Result:
    winner = {"1-0": "white", "0-1": "black"}.get(record.result)
    said = _REASONS.get(record.headers.get("Termination", ""))
    return Result(winner, said or (End.TIME if winner else End.AGREED))


def script_of(game: str) -> Script[Any, Any]:
    """How games of a game are written, by its name."""
    if game == "morris":
        from endgame_core.morris.game import MorrisScript

        return MorrisScript()
    from endgame_core.chess.collections import PgnScript

    return PgnScript()


def file_name(name: str, today: date) -> str:
    """A name for the file of a game that begins in an ending, such as ``KRvK-2026-11-21.pgn``."""
    return f"{name}-{today.isoformat()}{SUFFIX}"


def free(path: Path) -> Path:
    """The path, or one like it with a number, that nothing stands at yet."""
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found


def save(path: Path, text: str) -> None:
    """Writes a new file.

    Raises:
        StorageError: There is such a file already, or it cannot be written.
    """
    path = path.expanduser()
    if path.exists():
        raise StorageError(f"{path} is there already", "choose another name")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise StorageError(f"{path} cannot be written ({error.strerror})", "choose another place") from None


def load(path: Path, script: Script[P, M]) -> GameText[P, M]:
    """The first game of a file.

    Raises:
        StorageError: It cannot be read.
        PositionError: It holds no game, or a broken one.
    """
    path = path.expanduser()
    if path.is_dir():
        games = sorted(found.name for found in path.glob(f"*{SUFFIX}"))
        names = f"name one of {', '.join(games)}" if games else "no game has been saved there"
        raise StorageError(f"{path.name} is a directory", names)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise StorageError(f"{path} cannot be read ({error.strerror})", "check the name") from None
    if "\0" in text:
        raise StorageError(f"{path} is no text file", "choose a game that was saved as text")
    return read(text, script)
