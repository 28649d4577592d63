"""A match as a PGN game and back.

Whatever a game needs to come back identical is written as tokens that do not depend on the wording of any sentence;
``docs/playing.md`` lists them. In headers, ``Side`` and ``Defence`` name the user's side and the defender, ``Opponent``
says that a friend played the other side, ``Hints`` and ``Takebacks`` count, and ``EndReason`` says why the game ended,
beside the standard tag ``Termination``. In the comments of moves, ``[%hint 2]`` says how much a hint revealed and
``[%shown table]`` that a move belongs to a shown solution. The English words beside them are for readers; only those of
files that were saved before there were tokens are parsed, see the tables of legacy phrases below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final, TypeVar

from endgame_core.errors import PositionError
from endgame_core.game_state import Draw, Win
from endgame_core.judge import Judge
from endgame_core.pgn import AnnotatedMove, GameText, evaluation
from endgame_core.practice.defence import Defence
from endgame_core.practice.match import Match, Ply, Result, Termination
from endgame_core.tables.explorer import RatedMove
from endgame_core.values import WINNERS, Winner

M = TypeVar("M")
P = TypeVar("P")

Reason = Termination | Win | Draw

YOU: Final = "You"
"""The user's name in the headers."""

FRIEND: Final = "Friend"
"""The name in the headers of a friend who plays the other side at the same board; the user may have changed it."""

FRIEND_TOKEN: Final = "friend"
"""Value of the header ``Opponent`` of such a game."""

EVENT: Final = "endgame-tui"
"""The event of a game that was played here."""

COUNTER_TAGS: Final = ("Hints", "Takebacks")
"""Headers of the number of hints and of takebacks; absent for none."""

HINT: Final = "hint"
"""Command of a move before which a hint was given: 1 if it named the piece, 2 if it named the move."""

SHOWN: Final = "shown"
"""Command of a move that was shown and not played: by ``table`` or, as an estimate, by ``search``."""

BY_TABLE: Final = "table"
BY_SEARCH: Final = "search"

HINT_COMMENTS: Final = ("after a hint", "after a hint that named a move")
"""The comments on a hint for the piece, and on one that named a move, whether that move was played or not."""

SHOWN_COMMENTS: Final = {BY_TABLE: "shown by the table", BY_SEARCH: "shown, an estimate"}
"""The comments on a move that the program showed."""

END_TOKENS: Final[Mapping[Reason, str]] = {
    Win.MATE: "checkmate",
    Win.STONES: "two-stones",
    Win.BLOCKED: "no-moves",
    Draw.STALEMATE: "stalemate",
    Draw.MEN: "insufficient-material",
    Draw.THREEFOLD: "threefold-repetition",
    Draw.FIVEFOLD: "fivefold-repetition",
    Draw.FIFTY: "fifty-moves",
    Draw.SEVENTY_FIVE: "seventy-five-moves",
    Draw.QUIET: "fifty-moves-without-capture",
    Termination.TIME: "time",
    Termination.AGREED: "agreement",
    Termination.SHOWN: "solution-shown",
    Termination.RECORD: "unknown",
    Termination.UNREAD: "unreadable-move",
}
"""Values of the header ``EndReason``."""

TERMINATION_TAGS: Final[Mapping[Reason, str]] = {
    Termination.TIME: "time forfeit",
    Termination.SHOWN: "abandoned",
    Termination.RECORD: "",
    Termination.UNREAD: "unterminated",
}
"""Values of the standard header ``Termination``, empty for none; of all other reasons it is ``normal``."""

_REASONS: Final = {token: reason for reason, token in END_TOKENS.items()}

# Legacy: what files say that were saved before there were tokens. These phrases never change.

_LEGACY_HINTS: Final = {"after a hint": 1, "after a hint that named a move": 2, "as the hint said": 2}
"""The end of a comment, and the step of the hint."""

_LEGACY_SHOWN: Final = {"shown by the table": BY_TABLE, "shown, an estimate": BY_SEARCH}
"""The whole comment of a shown move, and what showed it."""

_LEGACY_REASONS: Final[Mapping[str, Reason]] = {
    "checkmate": Win.MATE,
    "leaving two stones": Win.STONES,
    "leaving no move": Win.BLOCKED,
    "stalemate": Draw.STALEMATE,
    "not enough men to win": Draw.MEN,
    "threefold repetition": Draw.THREEFOLD,
    "fivefold repetition": Draw.FIVEFOLD,
    "50 moves without a capture or a pawn move": Draw.FIFTY,
    "75 moves without a capture or a pawn move": Draw.SEVENTY_FIVE,
    "50 moves without a capture": Draw.QUIET,
    "time": Termination.TIME,
    "agreement": Termination.AGREED,
    "asking to be shown": Termination.SHOWN,
    "the record": Termination.RECORD,
    "a move that cannot be read": Termination.UNREAD,
}
"""Values of the header ``Termination``."""

_LEGACY_DEFENDER: Final = " defence"
"""The end of the defender's name, after the name of the defence."""


# Writing


def record_of(match: Match[P, M], source: GameText[P, M] | None = None, today: date | None = None) -> GameText[P, M]:
    """Return a match as a game to be written.

    Args:
        match: The match, over or not.
        source: The game that the match was read from. Its headers, side variations, marks and the comments of others
            are kept. A game of another program that was not changed stays as it was, with grades added to its moves.
        today: Date of a new game.
    """
    if source is not None and source.headers.get("Event") != EVENT:
        unchanged = _graded_source(match, source)
        if unchanged is not None:
            return unchanged

    headers = _headers(match, source, today)
    is_ours = headers.get("Event") == EVENT
    source_notes = ()
    if source is not None:
        source_notes = source.notes
    notes: list[AnnotatedMove[M]] = []
    for number, ply in enumerate(match.plies):
        note = _annotate(match, ply)
        if number < len(source_notes) and source_notes[number].move == ply.move:
            note = _merged(note, source_notes[number], is_ours)
        else:
            source_notes = ()  # the game was played on differently from here
        notes.append(note)

    score = "*"
    if match.result is not None:
        score = match.result.score
    return GameText(match.start, tuple(notes), score, headers, "" if source is None else source.comment)


def _headers(match: Match[P, M], source: GameText[P, M] | None, today: date | None) -> dict[str, str]:
    """Return the headers of a match: those of its source, and how it was played and ended."""
    headers: dict[str, str] = {}
    if source is None:
        headers["Event"] = EVENT
        headers["Date"] = (today or date.today()).strftime("%Y.%m.%d")
    if match.with_friend:
        opponent = FRIEND
    else:
        opponent = f"{match.defence.value} defence"
    headers["White"] = YOU if match.you == "white" else opponent
    headers["Black"] = opponent if match.you == "white" else YOU
    if source is not None:
        headers |= source.headers

    # The values of the source are out of date; the match says what to write.
    for name in (*COUNTER_TAGS, "Termination", "EndReason"):
        headers.pop(name, None)
    headers["Side"] = match.you
    if match.with_friend:
        headers["Opponent"] = FRIEND_TOKEN
    else:
        headers["Defence"] = match.defence.value
    for name, count in zip(COUNTER_TAGS, (match.hints, match.takebacks), strict=True):
        if count:
            headers[name] = str(count)
    if match.result is not None:
        headers |= _end_headers(match.result.reason)
    return headers


def _end_headers(reason: Reason) -> dict[str, str]:
    """Return the headers that say why a game ended."""
    termination = TERMINATION_TAGS.get(reason, "normal")
    headers = {"EndReason": END_TOKENS[reason]}
    if termination:
        return {"Termination": termination, **headers}
    return headers


def _graded_source(match: Match[P, M], source: GameText[P, M]) -> GameText[P, M] | None:
    """Return a game of another program with grades added to its moves; None if it was changed.

    Moves after its end by the rules stay. Hints and takebacks are changes: somebody has played on.
    """
    moves = [ply.move for ply in match.plies]
    if match.hints or match.takebacks or moves != [note.move for note in source.notes[: len(moves)]]:
        return None
    # Without a result the rest was not cut off by the rules, so it has been taken back.
    if len(moves) < len(source.notes) and match.result is None:
        return None
    plies_with_notes = zip(match.plies, source.notes, strict=False)
    graded = tuple(_merged(_annotate(match, ply), note, is_ours=False) for ply, note in plies_with_notes)
    headers = dict(source.headers)
    if match.result == Result(None, Termination.UNREAD):  # the text of the copy ends there
        headers |= _end_headers(Termination.UNREAD)
    return replace(source, notes=(*graded, *source.notes[len(moves) :]), headers=headers)


def _annotate(match: Match[P, M], ply: Ply[P, M]) -> AnnotatedMove[M]:
    """Return a move with its verdict, its grade, and the help that was used for it."""
    depth = ""
    if ply.verdict is not None:
        depth = evaluation(match.game.mover(ply.after) == "white", ply.verdict.depth)
    commands: list[tuple[str, str]] = []
    if ply.is_shown:
        commands.append((SHOWN, BY_SEARCH if match.estimated else BY_TABLE))
    elif ply.hint_step:
        commands.append((HINT, str(ply.hint_step)))
    return AnnotatedMove(ply.move, depth, comment_of(match.judge, ply, match.estimated), commands=tuple(commands))


def _merged(note: AnnotatedMove[M], source: AnnotatedMove[M], is_ours: bool) -> AnnotatedMove[M]:
    """Return a move with the annotations of its source.

    Args:
        note: The move as graded now.
        source: The move as it was read.
        is_ours: Whether the game was saved by this program: then the comment is ours, and replaced.
    """
    if is_ours:
        depth = note.evaluation or source.evaluation
        return replace(source, evaluation=depth, comment=note.comment, commands=note.commands)
    comment = note.comment
    # The game was graded before: our comment is there already.
    if source.comment.endswith(note.comment):
        comment = source.comment
    elif source.comment:
        comment = f"{source.comment}; {note.comment}"
    depth = source.evaluation or note.evaluation
    return replace(source, evaluation=depth, comment=comment, commands=note.commands)


def comment_of(judge: Judge[Any, Any], ply: Ply[Any, Any], estimated: bool = False) -> str:
    """Return the comment of a move: its grade, the best moves after an error, and whether a hint was given.

    Args:
        judge: Knows the best moves.
        ply: The move.
        estimated: Whether shown moves are an estimate.
    """
    if ply.is_shown:
        return SHOWN_COMMENTS[BY_SEARCH if estimated else BY_TABLE]
    parts: list[str] = []
    if ply.grade is not None:
        parts.append(ply.grade.words)
        if ply.grade.kind.is_error or ply.grade.plies:
            parts += _better_moves(judge, ply)
    if ply.hint_step:
        parts.append(HINT_COMMENTS[ply.hint_step - 1])
    return "; ".join(parts)


def _better_moves(judge: Judge[Any, Any], ply: Ply[Any, Any]) -> list[str]:
    """Return a phrase that names up to three better moves, as a list; empty if none is known."""

    def names(moves: Sequence[RatedMove[Any, Any]]) -> str:
        return ", ".join(judge.game.standard_san(rated.position, rated.move) for rated in moves[:3])

    probe = judge.probe(ply.before)
    if probe.problem is None:
        best = [move for move in probe.moves if move.grade == "best"]
        if best:
            return [f"best: {names(best)}"]
    keeping = judge.keeping_moves(ply.before)
    if keeping:
        return [f"kept by: {names(keeping)}"]
    return []


# Reading


def match_of(record: GameText[P, M], judge: Judge[P, M], you: Winner | None = None) -> tuple[Match[P, M], str]:
    """Replay a game, which grades it; a game without a result can be played on, unless it is broken.

    Args:
        record: The game.
        judge: Grades the moves.
        you: The user's side; by default as the headers say, else the side that wins at the start.

    Returns:
        The match; and a sentence that says why the rest of the game was left out, empty if all of it was replayed.
    """
    headers = record.headers
    match = Match(
        judge,
        record.start,
        you or _side(record, judge),
        _defence(headers),
        with_friend=headers.get("Opponent") == FRIEND_TOKEN,
    )
    notes = record.notes
    # Shown moves are the end of a game: nothing is played after them.
    first_shown = next((number for number, note in enumerate(notes) if _shown_by(note)), len(notes))
    problem = _replay(match, notes[:first_shown])
    match.hints, match.takebacks = (_count(headers, name) for name in COUNTER_TAGS)
    if match.result is not None:
        return match, problem

    solution = notes[first_shown:]
    reason = _end_reason(headers)
    if solution:
        match.show([note.move for note in solution], estimated=_shown_by(solution[0]) == BY_SEARCH)
    elif record.result != "*":
        match.end(_result(record))
    elif reason is Termination.SHOWN:
        match.show([])
    elif record.problem or reason is Termination.UNREAD:
        match.end(Result(None, Termination.UNREAD))
    return match, problem


def _replay(match: Match[P, M], notes: tuple[AnnotatedMove[M], ...]) -> str:
    """Play the moves of a game; return a sentence about moves after its end, empty if there are none."""
    for number, note in enumerate(notes):
        try:
            if match.game.is_null(note.move):
                match.skip(note.move)
                continue
            match.replay_ply(note.move, hint_step=_hint_step(note))
        except PositionError:
            remaining = len(notes) - number
            moves = "move" if remaining == 1 else "moves"
            return f"the game was over before its last {remaining} {moves}, which were left out."
    return ""


def _hint_step(note: AnnotatedMove[Any]) -> int:
    """Return the step of the hint that was given before a move, 1 or 2; 0 for none."""
    token = note.command(HINT)
    if token:
        if token in ("1", "2"):
            return int(token)
        return 0
    return next((step for phrase, step in _LEGACY_HINTS.items() if note.comment.endswith(phrase)), 0)


def _shown_by(note: AnnotatedMove[Any]) -> str:
    """Return what showed a move, ``table`` or ``search``; empty if it was played."""
    token = note.command(SHOWN)
    if token in SHOWN_COMMENTS:
        return token
    return _LEGACY_SHOWN.get(note.comment, "")


def _count(headers: Mapping[str, str], name: str) -> int:
    """Return a counter of the headers; 0 if it is absent or no number of up to nine digits."""
    text = headers.get(name, "")
    if text.isdecimal() and len(text) < 10:
        return int(text)
    return 0


def _side(record: GameText[P, M], judge: Judge[P, M]) -> Winner:
    """Return the user's side: as the headers say, else the side that wins, else the side to move."""
    for side in WINNERS:
        if record.headers.get("Side") == side:
            return side
    for side in WINNERS:
        if record.headers.get(side.capitalize()) == YOU:
            return side
    verdict = judge.probe_by_depth(record.start).verdict
    return (verdict.winner if verdict is not None else None) or judge.game.mover(record.start)


def _defence(headers: Mapping[str, str]) -> Defence:
    """Return the defender that the headers name, else the perfect one."""
    names = [headers.get("Defence", "")]
    names += [headers.get(name, "").removesuffix(_LEGACY_DEFENDER) for name in ("White", "Black")]
    return next((Defence(name) for name in names if name in list(Defence)), Defence.PERFECT)


def _end_reason(headers: Mapping[str, str]) -> Reason | None:
    """Return why a game ended, by its headers; None if they do not say."""
    return _REASONS.get(headers.get("EndReason", "")) or _LEGACY_REASONS.get(headers.get("Termination", ""))


def _result(record: GameText[Any, Any]) -> Result:
    """Return the result that a game has by its text."""
    winner: Winner | None = {"1-0": WINNERS[0], "0-1": WINNERS[1]}.get(record.result)
    reason = _end_reason(record.headers)
    if reason is None:
        is_on_time = record.headers.get("Termination", "").lower() == "time forfeit"
        if winner and is_on_time:
            reason = Termination.TIME
        else:
            reason = Termination.RECORD
    return Result(winner, reason)
