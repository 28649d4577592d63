"""Why a chess move was a mistake, as far as the rules and the tables prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import chess

from endgame_core.chess.material import piece_word
from endgame_core.errors import EndgameError
from endgame_core.language import _, side_name

if TYPE_CHECKING:
    from endgame_core.tables.explorer import Explorer

    Step = tuple[chess.Board, chess.Move]
    """A move, after the position in which it is made."""

_SHORT_LINE: Final = 8
"""Plies in which a mate or a promotion is named before the opposition."""

_FORCED_MOVES: Final = 2
_FORCED_KING_MOVES: Final = 3
"""Moves in which a capture has to be forced to be named; more where only kings and pawns are left."""

_MOST_NODES: Final = 4000
"""Positions that one search looks at before it gives up."""

_EXCHANGES: Final = {
    chess.QUEEN: _("allows an exchange of queens"),
    chess.ROOK: _("allows an exchange of rooks"),
    chess.BISHOP: _("allows an exchange of bishops"),
    chess.KNIGHT: _("allows an exchange of knights"),
}


@dataclass(frozen=True)
class _Mistake:
    """A mistake: the move, the line that refutes it, and the line that would have been best.

    Attributes:
        explorer: The tables.
        before: The position in which it was made.
        move: The move.
        refutation: Best play after it; never empty.
        missed: Best play from ``before``; empty if unknown.
    """

    explorer: Explorer[Any, Any]
    before: chess.Board
    move: chess.Move
    refutation: Sequence[Step]
    missed: Sequence[Step]

    @property
    def after(self) -> chess.Board:
        """The position after the mistake."""
        return self.refutation[0][0]

    @property
    def reply(self) -> chess.Move:
        """The reply that refutes it."""
        return self.refutation[0][1]

    @cached_property
    def answer(self) -> chess.Board:
        """The position after the reply."""
        return self.explorer.game.play(self.after, self.reply)

    @cached_property
    def end(self) -> chess.Board:
        """The position after the first plies of the refutation."""
        return self.explorer.game.play(*self.refutation[:_SHORT_LINE][-1])

    @cached_property
    def winner_before(self) -> str | None:
        """The winner without the mistake; None for a draw."""
        return self.explorer.probe(self.before).winner

    @cached_property
    def winner_after(self) -> str | None:
        """The winner after the mistake; None for a draw."""
        return self.explorer.probe(self.after).winner

    @property
    def is_lost(self) -> bool:
        """Whether the mistake loses; otherwise it throws away a win."""
        return self.winner_after == chess.COLOR_NAMES[self.after.turn]


def fault(explorer: Explorer[Any, Any], mistake: Step, refutation: Sequence[Step], missed: Sequence[Step] = ()) -> str:
    """Return why a move was a mistake, a clause without a subject: ``loses the rook``.

    Args:
        explorer: The tables.
        mistake: The move.
        refutation: Best play after it.
        missed: Best play from the position in which it was made.

    Returns:
        The first reason that the rules or the tables prove; empty for none.
    """
    if not refutation:
        return ""
    facts = _Mistake(explorer, *mistake, refutation, missed)
    try:
        if facts.winner_before == facts.winner_after:
            # By the tables the result is the same: the mistake is one of the 50-move rule.
            reasons = _REASONS
        else:
            reasons = _REASONS + _REASONS_OF_RESULT
    except EndgameError:
        reasons = _REASONS
    for reason in reasons:
        try:
            words = reason(facts)
        except EndgameError:  # a table is missing
            continue
        if words:
            return words
    return ""


# Reasons, the most telling first


def _wrong_promotion(mistake: _Mistake) -> str:
    """Another piece on the same square would have kept the result."""
    move = mistake.move
    if not move.promotion:
        return ""
    # The queen, the usual promotion, first.
    for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT):
        other = chess.Move(move.from_square, move.to_square, kind)
        if mistake.explorer.probe(mistake.explorer.game.play(mistake.before, other)).winner == mistake.winner_before:
            needed = _("promotes to the wrong piece: a {piece} would win")
            if mistake.winner_before is None:
                needed = _("promotes to the wrong piece: a {piece} would hold the draw")
            return needed.format(piece=piece_word(kind))
    return ""


def _capture(mistake: _Mistake) -> str:
    """The reply captures, or saves itself as well by a capture; if that is part of an exchange, it is called one."""
    captured = captured_kind(mistake.after, mistake.reply)
    if captured is None:
        if mistake.winner_before == mistake.winner_after:
            return ""
        return _loss_by_force(mistake, 1)
    # An exchange: the mistake captured a piece of this kind itself, or the best answer captures one back.
    own = captured_kind(mistake.before, mistake.move)
    recaptured = None
    if len(mistake.refutation) > 1:
        recaptured = captured_kind(*mistake.refutation[1])
    if captured in _EXCHANGES and captured in (own, recaptured):
        return _EXCHANGES[captured]
    return _("loses the {captured}").format(captured=piece_word(captured))


def _end_of_game(mistake: _Mistake) -> str:
    """A promotion at once, stalemate, or a mate that comes soon."""
    if mistake.reply.promotion:
        return _("lets the pawn promote")
    line = mistake.refutation[:_SHORT_LINE]
    if len(mistake.refutation) <= 2 and mistake.end.is_stalemate():  # a piece that is sacrificed and taken at once
        return _("allows stalemate")
    if mistake.end.is_checkmate() and mistake.end.turn != mistake.after.turn:
        moves = (len(line) + 1) // 2
        if moves == 1:
            return _("allows mate")
        return _("allows mate in {moves}").format(moves=moves)
    return ""


def _tactic(mistake: _Mistake) -> str:
    """The second move captures what no reply can save: by a fork, through the king by a skewer, or simply so."""
    if len(mistake.refutation) <= 2:
        return ""
    position, capture = mistake.refutation[2]
    captured = captured_piece(position, capture)
    if not captured or not _is_lost_by_force(mistake.explorer, mistake.answer, (position, capture)):
        return ""
    check = mistake.reply
    king = mistake.after.king(not mistake.after.turn)
    # Only a piece that has given check and then captures is a fork or a skewer; otherwise the piece was simply lost.
    if capture.from_square != check.to_square or not mistake.after.gives_check(check):
        return _("loses the {captured}").format(captured=captured)
    # A skewer: the king stood between the two squares, and has had to step aside.
    if king is not None and king in chess.SquareSet(chess.between(check.to_square, capture.to_square)):
        return _("allows a skewer that wins the {captured}").format(captured=captured)
    return _("allows a fork that wins the {captured}").format(captured=captured)


def _zugzwang(mistake: _Mistake) -> str:
    """After the reply the side to move would rather not move."""
    if_passed = result_if_passed(mistake.explorer, mistake.answer)
    if not if_passed:
        return ""
    side = side_name(chess.COLOR_NAMES[not mistake.answer.turn])
    words = _("runs into zugzwang (with {side} to move it would be {result})")
    if are_in_opposition(mistake.answer):
        words = _("gives up the opposition (with {side} to move it would be {result})")
    return words.format(side=side, result=if_passed)


def _race(mistake: _Mistake) -> str:
    """The square of a pawn: the king that has to stop it reaches it, or no longer does."""
    if not mistake.missed or mistake.winner_before == mistake.winner_after:
        return ""
    game = mistake.explorer.game
    best = game.play(*mistake.missed[0])
    if mistake.is_lost:
        attacker = mistake.after.turn
    else:
        attacker = not mistake.after.turn
    # The defender has more than a king, so that the square of the pawn decides nothing.
    if mistake.after.occupied_co[not attacker] & ~mistake.after.kings:
        return ""
    catches = _is_in_square(mistake.after, attacker)
    caught_before = _is_in_square(best, attacker)
    if mistake.is_lost:
        left_it = caught_before and catches is False
        if left_it:
            return _("leaves the king outside the square of the pawn")
        return ""
    if catches and caught_before is False:
        return _("lets the king into the square of the pawn")
    return ""


def _pawn(mistake: _Mistake) -> str:
    """Return what changes for a pawn: it promotes, cannot be stopped any more, or is blocked by a king."""
    winner = mistake.after.turn
    if mistake.is_lost:
        # Every second move is that of the side that wins.
        for number, (position, move) in enumerate(mistake.refutation[:_SHORT_LINE:2], 1):
            if move.promotion and position.turn == winner:
                return _("lets the pawn promote in {number} moves").format(number=number)
        is_only_king = mistake.after.occupied_co[not winner] & ~(mistake.after.kings | mistake.after.pawns) == 0
        if _has_only_pawns(mistake.after, winner) and is_only_king:  # only a promotion wins
            return _("no longer stops the pawn")
        return ""
    start = mistake.reply.from_square
    target = mistake.reply.to_square
    if mistake.after.piece_type_at(start) == chess.KING and not mistake.after.queens:
        pawns = mistake.after.pieces(chess.PAWN, not winner)
        if any(_is_in_front(target, pawn, not winner) for pawn in pawns) and not any(
            _is_in_front(start, pawn, not winner) for pawn in pawns
        ):
            return _("lets the king get in front of the pawn")
    return ""


def _forced_capture(mistake: _Mistake) -> str:
    """The other side saves itself by a capture that nothing prevents; in a pawn ending that may take longer."""
    only_pawns = not mistake.after.occupied & ~(mistake.after.kings | mistake.after.pawns)
    moves = _FORCED_KING_MOVES if only_pawns else _FORCED_MOVES
    return _loss_by_force(mistake, moves)


def _loss_by_force(mistake: _Mistake, moves: int) -> str:
    """Return what the side that saves itself captures within a number of moves."""
    if mistake.is_lost:
        return ""
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        search = _Search(mistake.explorer, mistake.after, kind)
        if mistake.after.pieces(kind, not mistake.after.turn) and search.forces_capture(moves):
            return _("loses the {captured}").format(captured=piece_word(kind))
    return ""


def _stopped_pawn(mistake: _Mistake) -> str:
    """A win depended on a pawn that is stopped now, or on stopping one."""
    if mistake.is_lost:
        return ""
    own = not mistake.after.turn
    if _has_only_pawns(mistake.after, own) and not mistake.after.occupied_co[not own] & ~mistake.after.kings:
        return _("lets the king stop the pawn")  # king and pawns against a king: only a promotion wins
    if _has_only_pawns(mistake.after, not own) and not mistake.after.pieces(chess.PAWN, own):
        return _("no longer stops the pawn")
    return ""


def _loss_in_line(mistake: _Mistake) -> str:
    """Return what best play after the mistake wins first."""
    if not mistake.is_lost:
        return ""
    gain = _first_gain(mistake.refutation, mistake.after.turn)
    if gain is None:
        return ""
    words = {
        "capture": _("loses the {piece} in {number} moves"),
        "promotion": _("lets the pawn promote in {number} moves"),
        "mate": _("allows mate in {number}"),
    }
    return words[gain.kind].format(piece=gain.piece, number=gain.number)


def _missed_gain(mistake: _Mistake) -> str:
    """Return what best play would have won first."""
    if mistake.is_lost:
        return ""
    gain = _first_gain(mistake.missed, mistake.before.turn)
    if gain is None:
        return ""
    if gain.kind == "mate":
        if gain.number == 1:
            return _("misses mate")
        return _("misses mate in {number}").format(number=gain.number)
    if gain.kind == "promotion":
        side = side_name(chess.COLOR_NAMES[not mistake.before.turn])
        if gain.number == 1:
            return _("does not promote")
        return _("lets {side} stop the pawn").format(side=side)
    if gain.number == 1:
        words = _("does not capture the {piece}")
    else:
        words = _("lets the {piece} get away")
    return words.format(piece=gain.piece)


_REASONS: Final[tuple[Callable[[_Mistake], str], ...]] = (
    _wrong_promotion, _capture, _end_of_game, _tactic, _zugzwang, _race, _pawn,
)  # fmt: skip
_REASONS_OF_RESULT: Final[tuple[Callable[[_Mistake], str], ...]] = (
    _forced_capture, _stopped_pawn, _loss_in_line, _missed_gain,
)  # fmt: skip
"""Reasons of a mistake that changed the result by the tables, not only by the 50-move rule."""


# Facts about positions


def captured_kind(position: chess.Board, move: chess.Move) -> chess.PieceType | None:
    """The kind of the captured piece."""
    if position.is_en_passant(move):
        return chess.PAWN
    if position.is_capture(move):
        return position.piece_type_at(move.to_square)
    return None


def captured_piece(position: chess.Board, move: chess.Move) -> str:
    """The name of the captured piece; empty for none."""
    kind = captured_kind(position, move)
    return piece_word(kind) if kind else ""


def are_in_opposition(position: chess.Board) -> bool:
    """Whether the kings of a pawn ending face each other with an odd number of squares between them."""
    if position.occupied & ~(position.kings | position.pawns):
        return False
    own = position.king(position.turn)
    opposing = position.king(not position.turn)
    if own is None or opposing is None:
        return False
    files = abs(chess.square_file(own) - chess.square_file(opposing))
    ranks = abs(chess.square_rank(own) - chess.square_rank(opposing))
    return sorted((files, ranks)) in ([0, 2], [0, 4], [0, 6])


def result_if_passed(explorer: Explorer[Any, Any], position: chess.Board) -> str:
    """Return the result if the other side were to move; empty unless that is better for the side to move."""
    passed = explorer.game.with_side_switched(position)
    if passed is None:
        return ""
    try:
        winner = explorer.probe(position).winner
        winner_if_passed = explorer.probe(passed).winner
    except EndgameError:
        return ""
    mover = explorer.game.mover(position)
    if winner == winner_if_passed:
        return ""
    if winner_if_passed == mover:
        return _("a win")
    if winner_if_passed is None:
        return _("a draw")
    return ""


def _is_lost_by_force(
    explorer: Explorer[Any, Any], position: chess.Board, capture: tuple[chess.Board, chess.Move]
) -> bool:
    """Whether after every move the other side can capture a piece of the same kind without giving up its result."""
    game = explorer.game
    before, move = capture
    kind = before.piece_type_at(move.to_square)
    try:
        needed = explorer.probe(position).winner
        for answer in game.moves(position):
            answered = game.play(position, answer)
            captures = [
                take for take in answered.generate_legal_captures() if answered.piece_type_at(take.to_square) == kind
            ]
            if not any(explorer.probe(game.play(answered, take)).winner == needed for take in captures):
                return False
    except EndgameError:
        return False
    return True


def _is_in_front(square: chess.Square, pawn: chess.Square, color: chess.Color) -> bool:
    """Whether a square is on the way of a pawn of this colour."""
    ranks = chess.square_rank(square) - chess.square_rank(pawn)
    if color == chess.BLACK:
        ranks = -ranks
    return chess.square_file(square) == chess.square_file(pawn) and ranks > 0


def _has_only_pawns(position: chess.Board, color: chess.Color) -> bool:
    """Whether a side has pawns and no other pieces besides its king."""
    pieces = position.occupied_co[color]
    return bool(pieces & position.pawns) and not pieces & ~(position.kings | position.pawns)


def _is_in_square(position: chess.Board, attacker: chess.Color) -> bool | None:
    """Whether a king is in the square of the only pawn; None if there are several pawns, or none.

    A pawn that needs ``steps`` moves is caught by a king within as many moves of the queening square, and one more if
    the king moves first: Kc6 against a pawn on a7 goes to b7 and captures on a8.
    """
    pawns = position.pieces(chess.PAWN, attacker)
    king = position.king(not attacker)
    if len(pawns) != 1 or king is None:
        return None
    pawn = pawns.pop()
    if attacker:
        rank = chess.square_rank(pawn)
    else:
        rank = 7 - chess.square_rank(pawn)
    steps = min(7 - rank, 5)  # a double step
    queening_square = chess.square(chess.square_file(pawn), 7 if attacker else 0)
    return chess.square_distance(king, queening_square) <= steps + (position.turn != attacker)


@dataclass(frozen=True, slots=True)
class _Gain:
    """The first gain of a line.

    Attributes:
        kind: ``capture``, ``promotion`` or ``mate``.
        number: In how many moves.
        piece: The captured piece.
    """

    kind: str
    number: int
    piece: str = ""


def _first_gain(line: Sequence[Step], color: chess.Color) -> _Gain | None:
    """Return what a side wins first in a line; exchanges are skipped."""
    promoted: chess.Square | None = None
    for ply, (position, move) in enumerate(line):
        if position.turn != color:
            # A piece that the other side has just promoted is a pawn to whoever captures it at once.
            promoted = None
            if move.promotion:
                promoted = move.to_square
            continue
        # Plies to moves of this side, which may make the first or the second ply.
        number = (ply + 2 - (line[0][0].turn != color)) // 2
        captured = captured_kind(position, move)
        recaptured = None
        if ply + 1 < len(line):
            recaptured = captured_kind(*line[ply + 1])
        # A recapture of the same kind is an exchange, in which nothing is won.
        if captured is not None and captured != recaptured:
            if move.to_square == promoted:
                captured = chess.PAWN
            return _Gain("capture", number, piece_word(captured))
        if move.promotion:
            return _Gain("promotion", number)
        if ply + 1 == len(line):
            # Only at the end of the line can there be a mate.
            end = position.copy(stack=False)
            end.push(move)
            if end.is_checkmate():
                return _Gain("mate", number)
            return None
    return None


class _Search:
    """Looks for a forced capture of one kind of piece.

    Args:
        explorer: The tables.
        position: The position, with the capturing side to move.
        kind: The kind of piece.
    """

    def __init__(self, explorer: Explorer[Any, Any], position: chess.Board, kind: chess.PieceType) -> None:
        self._explorer = explorer
        self._kind = kind
        self._root = position
        self._needed = explorer.probe(position).winner
        self._nodes = 0

    def forces_capture(self, moves: int) -> bool:
        """Whether the side to move can win such a piece within a number of moves, and keeps its result.

        A capture counts if no move recaptures.
        """
        return self._forces(self._root, moves)

    def _forces(self, position: chess.Board, moves: int) -> bool:
        for capture in position.generate_legal_captures():
            if captured_kind(position, capture) != self._kind:
                continue
            after = self._keeps_result(position, capture)
            if after is not None and not any(move.to_square == capture.to_square for move in after.legal_moves):
                return True
        if moves == 1:
            return False
        return any(self._is_forced(after, moves - 1) for after in self._after_moves_that_keep_result(position))

    def _is_forced(self, position: chess.Board, moves: int) -> bool:
        """Whether every answer allows the capture."""
        answers = list(position.legal_moves)
        return bool(answers) and all(
            self._forces(self._explorer.game.play(position, answer), moves) for answer in answers
        )

    def _after_moves_that_keep_result(self, position: chess.Board) -> Iterator[chess.Board]:
        """The positions after the moves that keep the result."""
        for move in position.legal_moves:
            after = self._keeps_result(position, move)
            if after is not None:
                yield after

    def _keeps_result(self, position: chess.Board, move: chess.Move) -> chess.Board | None:
        self._nodes += 1
        # Given up: as if the move did not keep the result, so that nothing is claimed that is not proven.
        if self._nodes > _MOST_NODES:
            return None
        after = self._explorer.game.play(position, move)
        if self._explorer.probe(after).winner == self._needed:
            return after
        return None
