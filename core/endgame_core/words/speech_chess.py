"""The words of chess: mate in moves, pieces by their squares."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import chess

from endgame_core.chess import notation
from endgame_core.chess.material import piece_word
from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.game_state import Win
from endgame_core.language import _
from endgame_core.words.chess_mistakes import are_in_opposition, captured_piece, fault, result_if_passed
from endgame_core.words.text_model import FIFTY_MOVES, LabelledValue, Placed, Speech, fifty_counter

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.tables.explorer import Explorer, Previous


_MEN: Final = {"K": _("king"), "Q": _("queen"), "R": _("rook"), "B": _("bishop"), "N": _("knight"), "P": _("pawn")}
_MEN_WORDS: Final = {
    "K": _("king"),
    "Q": _("queen"),
    "R": _("rook"),
    "B": _("bishop"),
    "N": _("knight"),
    "P": _("pawn"),
}

_SAN = re.compile(
    r"(?<![\w/-])(?P<man>[KQRBNDTLS♔♕♖♗♘])?(?P<start>[a-h]?[1-8]?)(?P<takes>x)?(?P<end>[a-h][1-8])"
    r"(?:=(?P<became>[QRBNDTLS♕♖♗♘]))?(?P<check>[+#])?(?![\w/+#]|-[a-h\d])"
)
_CHECKS: Final = {"+": _(" with check"), "#": _(" with checkmate"), None: ""}
_CASTLING = re.compile(r"(?<![\w-])O-O(?P<long>-O)?(?P<check>[+#])?(?![\w-])")


def _move_in_words(move: re.Match[str]) -> str:
    """A move in SAN in words: ``rook a5 takes a8 with check``."""
    result = ""
    if move["man"]:
        result = f"{_MEN_WORDS[notation.standard_san(move['man'])]} "
    start = move["start"]
    if start:
        result += f"{start} "
    if move["takes"]:
        result += _("takes {move}").format(move=move["end"])
    # From a square to a square, as in UCI: g7a1 is g7 to a1; a file alone needs no preposition.
    elif len(start) == 2:
        result += _("to {move}").format(move=move["end"])
    else:
        result += move["end"]
    if move["became"]:
        result += _(" becomes a {men}").format(men=_MEN_WORDS[notation.standard_san(move["became"])])
    return result + _CHECKS[move["check"]]


def _castling_in_words(move: re.Match[str]) -> str:
    side = _("castles queenside") if move["long"] else _("castles kingside")
    return side + _CHECKS[move["check"]]


class ChessSpeech(Speech):
    """Mate in moves, men by their squares."""

    numbers = True
    kinds = frozenset(_MEN.values())
    letters: Mapping[str, str] = {letter.lower(): kind for letter, kind in _MEN.items()}
    winning = _("mate")
    losing = _("mated")
    won = _("mate")
    task = _("Checkmate")
    ends = result = _("mated in {mate}"), _("mate in {mate}")
    lost = _("checkmate")
    possible = _("mate in {mate} is possible")
    layer = _("S{n}, mated in {mate}"), _("S{n}, mate in {mate}")
    began = _("facing mate in {mate}"), _("with mate in {mate}")
    win_in = _(": mate in {mate}")
    estimate = _("{{side}} mates in {mate}")
    moves = to_play = "Kd5, e8=Q, e7e8q"
    positions = _("a FEN, KRvK, KRvK S12, S12/3, philidor")
    position = "FEN"
    starts = (_("random, mirrored"), _("random, these colours"))
    win_goals: Mapping[str, str] = {"win": _("win"), "mate": _("checkmate"), "fewest moves": _("fewest moves")}
    conversion = _("mate, or a simpler won ending")
    moves_without = _("50 moves")
    how_won: Mapping[Win, str] = {Win.MATE: _("Checkmate")}
    to_begin = _("type a FEN, a layer or a study")

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """``KQvK``, ``KvKQ``."""
        return notation.plain_name(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The men by name; how many they are where no table can be."""
        try:
            return super().called(game, position)
        except EndgameError:
            return _("{bit_count} pieces").format(bit_count=position.occupied.bit_count())

    def letter(self, sign: str) -> str:
        """The letter that the user wants to see."""
        return notation.with_letters(sign)

    def placed(self, position: Any) -> list[Placed]:
        """Kings first, pawns last."""
        return [
            Placed(
                chess.COLOR_NAMES[colour], chess.piece_name(kind), chess.square_name(square),
                chess.Piece(kind, colour).symbol(),
            )
            for colour in (chess.WHITE, chess.BLACK)
            for kind in range(chess.KING, 0, -1)
            for square in position.pieces(kind, colour)
        ]  # fmt: skip

    def places_in_rows(self) -> list[str]:
        """The squares."""
        return chess.SQUARE_NAMES

    def man(self, man: Any) -> str:
        """``king``."""
        return piece_word(man.piece_type)

    def place(self, place: int) -> str:
        """``d5``."""
        return chess.square_name(place)

    def can_convert(self, position: Any, side: str) -> bool:
        """Whether the side has a pawn to promote, or the opponent something to capture."""
        color = side == "white"
        return bool(position.pieces(chess.PAWN, color)) or position.occupied_co[not color].bit_count() > 1

    def idea(self, explorer: Explorer[Any, Any], position: Any, move: Any) -> str:
        """Return what a coach would say first: what the move does, as far as the rules or the tables prove it."""
        if move.promotion == chess.QUEEN:
            return _("promote")
        if move.promotion:
            return _("promote, but not to a queen")
        # From what says most to what says least: the first idea that applies is named.
        if position.is_capture(move):
            return _("capture")
        if position.gives_check(move):
            return _("give check")
        piece = position.piece_at(move.from_square)
        if piece.piece_type == chess.KING and _gives_up_opposition(explorer, explorer.game.play(position, move)):
            return _("take the opposition")
        own_king = position.king(position.turn)
        other_king = position.king(not position.turn)
        if _cuts_off(position, move, other_king):
            return _("cut the king off")
        if piece.piece_type == chess.PAWN:
            return _("push a pawn")
        is_king_move = piece.piece_type == chess.KING
        distance_before = chess.square_distance(own_king, other_king)
        if is_king_move and chess.square_distance(move.to_square, other_king) < distance_before:
            return _("bring the king closer")
        if _is_waiting(explorer, position):
            return _("make a waiting move")
        if is_king_move:
            return _king_idea(position, move, own_king)
        return ""

    def captured(self, position: Any, move: Any) -> str:
        """The name of the captured piece."""
        return captured_piece(position, move)

    def fault(
        self,
        explorer: Explorer[Any, Any],
        mistake: tuple[Any, Any],
        refutation: Sequence[tuple[Any, Any]],
        missed: Sequence[tuple[Any, Any]] = (),
    ) -> str:
        """Return why a move was a mistake, as far as the rules and the tables prove it."""
        return fault(explorer, mistake, refutation, missed)

    def first_step(self, position: Any, move: Any) -> str:
        """The man, and where it stands."""
        man = position.piece_at(move.from_square)
        name = piece_word(man.piece_type) if man else _("piece")
        return _("move the {name} on {square_name}").format(name=name, square_name=chess.square_name(move.from_square))

    def unmove(self, item: Previous[Any, Any]) -> str:
        """``Kd5→e5``; ``c7→c8=Q`` for a promotion, ``Kd5→e5xR`` for a king that took a rook, ``e5→d6ep``."""
        # The board before the move: the piece that moved, and on the destination one that it captured.
        move = item.move
        board = item.position
        piece = ""
        moved = board.piece_at(move.from_square)
        if moved and moved.piece_type != chess.PAWN:
            piece = moved.symbol().upper()
        promotion = ""
        if move.promotion:
            promotion = f"={chess.piece_symbol(move.promotion).upper()}"
        capture = ""
        captured = board.piece_at(move.to_square)
        if captured:
            capture = f"x{captured.symbol().upper()}"
        if item.kind == "en-passant":
            capture = "ep"
        squares = f"{chess.square_name(move.from_square)}→{chess.square_name(move.to_square)}"
        return f"{notation.with_letters(piece)}{squares}{notation.with_letters(capture + promotion)}"

    def moves_in_words(self, text: str) -> str:
        """Moves in SAN and castling in words."""
        text = _CASTLING.sub(_castling_in_words, super().moves_in_words(text))
        return _SAN.sub(_move_in_words, text)

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Squares, files and wings are those of the copy."""
        return notation.retold(note, told_of, copy)

    def set_up(self, edit: Any) -> list[LabelledValue]:
        """Side to move, en passant, clock, men."""
        passed = _("none")
        if edit.passed is not None:
            passed = chess.square_name(edit.passed)
        elif edit.passable():
            passed = instruct(_("none; {en_passant} sets it"))
        board = edit.preview
        clock: list[LabelledValue] = []
        if board.halfmove_clock:
            clock = [LabelledValue(FIFTY_MOVES, fifty_counter(board.halfmove_clock))]
        mover = LabelledValue(_("to move"), _("White") if board.turn else _("Black"), change="turn")
        return [
            mover,
            LabelledValue(_("en passant"), passed),
            *clock,
            LabelledValue(_("pieces"), str(board.occupied.bit_count())),
        ]


def _gives_up_opposition(explorer: Explorer[Any, Any], position: chess.Board) -> bool:
    """Whether the kings of a pawn ending stand in opposition, and the side to move would do better not to move."""
    return are_in_opposition(position) and bool(result_if_passed(explorer, position))


def _king_idea(board: chess.Board, move: chess.Move, own_king: chess.Square) -> str:
    """Return where a king goes that does not approach the other one: to a pawn, else forward, back or sideways."""
    for pawn in chess.scan_forward(board.pawns):
        if chess.square_distance(move.to_square, pawn) < chess.square_distance(own_king, pawn):
            return _("approach the pawn") if board.pawns.bit_count() == 1 else _("approach a pawn")
    ranks = chess.square_rank(move.to_square) - chess.square_rank(own_king)
    if board.turn == chess.BLACK:
        ranks = -ranks
    if not ranks:
        return _("step aside with the king")
    if ranks > 0:
        return _("step forward with the king")
    return _("step back with the king")


def _is_waiting(explorer: Explorer[Any, Any], position: chess.Board) -> bool:
    """Whether the side to move wins as fast by not moving as by its best move, so that it only has to wait.

    For example: the best move leads to a loss of the opponent in 18 plies, and so does the position itself with the
    opponent to move.
    """
    passed = explorer.game.with_side_switched(position)
    if passed is None:
        return False
    try:
        verdict = explorer.probe(position)
        if_passed = explorer.probe(passed)
    except EndgameError:
        return False
    # Only for the side that wins: a defender has nothing to wait for.
    if verdict.depth is None or if_passed.depth is None or verdict.winner != explorer.game.mover(position):
        return False
    # A waiting move counts as one ply of the depth of the position: after passing, the depth is one less.
    return if_passed.winner == verdict.winner and if_passed.depth < verdict.depth


def _cuts_off(board: chess.Board, move: chess.Move, king: chess.Square) -> bool:
    """Whether a rook or queen goes to a file or rank beside the king's, so that the king cannot cross it."""
    if board.piece_type_at(move.from_square) not in (chess.ROOK, chess.QUEEN):
        return False
    file = chess.square_file(move.to_square)
    rank = chess.square_rank(move.to_square)
    old_file = chess.square_file(move.from_square)
    old_rank = chess.square_rank(move.from_square)
    # A piece that was on that file or rank already has cut the king off before.
    to_file = file != old_file and abs(file - chess.square_file(king)) == 1
    to_rank = rank != old_rank and abs(rank - chess.square_rank(king)) == 1
    return to_file or to_rank
