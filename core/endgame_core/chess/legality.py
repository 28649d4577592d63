"""Why a move that was typed is not legal, in words."""

from __future__ import annotations

import re

import chess

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?[QRBN])?[+#!?]*")


def why_not(board: chess.Board, text: str) -> str:
    """Why a typed move breaks the rules.

    Args:
        board: The position.
        text: The move, SAN or UCI, which is not legal.

    Returns:
        A clause such as ``the rook on a1 cannot go to b5``; empty when it is not clear which move is meant.
    """
    text = text.strip()
    move = _meant(board, text)
    if move is None:
        return ""
    source, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    man, taken = board.piece_at(move.from_square), board.piece_at(move.to_square)
    if man is None:
        return f"no man stands on {source}"
    name = f"the {chess.piece_name(man.piece_type)} on {source}"
    if man.color != board.turn:
        return f"{name} is {'White' if man.color else 'Black'}'s, and the other side is to move"
    if taken is not None and taken.color == man.color:
        return f"{name} cannot take your own {chess.piece_name(taken.piece_type)} on {target}"
    if not board.is_pseudo_legal(move) and not board.is_pseudo_legal(chess.Move(*_squares(move), chess.QUEEN)):
        return f"{name} cannot go to {target}"
    if board.is_check():
        return "the king is in check, and this does not help"
    if man.piece_type == chess.KING:
        return f"{target} is attacked"
    return f"{name} must not move: it would leave the king in check"


def _squares(move: chess.Move) -> tuple[chess.Square, chess.Square]:
    return move.from_square, move.to_square


def _meant(board: chess.Board, text: str) -> chess.Move | None:
    """The move that is meant when legality is left aside; None unless there is just one."""
    if found := re.fullmatch(r"([a-h][1-8])-?([a-h][1-8])[qrbn]?", text):
        return chess.Move(chess.parse_square(found[1]), chess.parse_square(found[2]))
    found = _SAN.fullmatch(text)
    if found is None:
        return None
    kind, target = chess.Piece.from_symbol(found[1] or "P").piece_type, chess.parse_square(found[4])
    men = [
        square
        for square in board.pieces(kind, board.turn)
        if chess.square_name(square)[0] in (found[2] or chess.square_name(square)[0])
        and chess.square_name(square)[1] in (found[3] or chess.square_name(square)[1])
    ]
    moves = [chess.Move(square, target) for square in men if square != target]
    able = [move for move in moves if board.is_pseudo_legal(move)]
    chosen = able or moves
    return chosen[0] if len(chosen) == 1 else None
