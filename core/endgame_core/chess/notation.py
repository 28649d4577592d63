"""Notation: FEN, short FEN, position key and text diagram, each way, and typed moves.

A position is legal here when the side that just moved is not in check and the board could be set up by hand:
geometrically impossible double checks count as legal, as they do in every tablebase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import product

import chess

from endgame_core.chess import material
from endgame_core.chess.index import TURNS
from endgame_core.errors import PositionError
from endgame_core.untrusted import quoted, unquoted
from endgame_core.values import LAST_CLOCK

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?[QRBN])?[+#!?]*")


_FIGURINES = str.maketrans({
    "♔": "K", "♕": "Q", "♖": "R", "♗": "B", "♘": "N", "♙": None, "♚": "K", "♛": "Q", "♜": "R", "♝": "B", "♞": "N",
    "♟": None, "\ufe0e": None, "\ufe0f": None, "×": "x", "–": "-", "‐": "-", "‑": "-",
})  # fmt: skip
"""Letters for figurines, without the selectors that choose how these look; and typographic signs in moves."""
_PROMOTION = re.compile(r"(?<=[a-h][18])(?:/([QRBN])|=?\(([QRBN])\))(?=[+#†‡]*$)", re.IGNORECASE)
_AFTER_MOVE = re.compile(r"(?:\s*\(?e\.?\s?p\.?\)?|[+#†‡])+$")


def standard_san(word: str) -> str:
    """Rewrite a move as PGN does, if another program wrote it: ``bxc3 e.p.``, ``e8(Q)+``, ``e8/Q`` or ``♛d5++``.

    Check and checkmate are left out: they say nothing that the board does not.
    """
    word = _PROMOTION.sub(lambda found: f"={found[1] or found[2]}", word.translate(_FIGURINES))
    return _AFTER_MOVE.sub("", word)


def why_not(board: chess.Board, text: str) -> str:
    """Why a typed move breaks the rules.

    Args:
        board: The position.
        text: The move, SAN or UCI, which is not legal.

    Returns:
        A clause such as ``the rook on a1 cannot go to b5``; empty when it is not clear which move is meant.
    """
    move = _meant(board, standard_san(text.strip()))
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
    if result := re.fullmatch(r"([a-h][1-8])-?([a-h][1-8])[qrbn]?", text):
        return chess.Move(chess.parse_square(result[1]), chess.parse_square(result[2]))
    result = _SAN.fullmatch(text)
    if result is None:
        return None
    kind, target = chess.Piece.from_symbol(result[1] or "P").piece_type, chess.parse_square(result[4])
    men = [
        square
        for square in board.pieces(kind, board.turn)
        if chess.square_name(square)[0] in (result[2] or chess.square_name(square)[0])
        and chess.square_name(square)[1] in (result[3] or chess.square_name(square)[1])
    ]
    moves = [chess.Move(square, target) for square in men if square != target]
    able = [move for move in moves if board.is_pseudo_legal(move)]
    chosen = able or moves
    return chosen[0] if len(chosen) == 1 else None


GONE = 127
"""The square of a man that is no longer on the board, in a position key."""

_RANK = re.compile("(?:[1-8](?![1-8])|[KQRBNPkqrbnp])+")
_EXAMPLE = "write one like 7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"


def ending_men(ending: str) -> list[chess.Piece]:
    """All men of an ending, kings included, in the order of its name."""
    white, black = ending.split("v")
    return [chess.Piece.from_symbol(letter) for letter in white + black.lower()]


def name_of(board: chess.Board) -> tuple[str, bool]:
    """The ending of a board and whether its colours are exchanged; raises EndingError for bare kings."""
    white, black = board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK]
    queens, rooks, bishops, knights, pawns = board.queens, board.rooks, board.bishops, board.knights, board.pawns
    return _name_of(  # asked of every position, and written out because a loop takes twice as long
        (
            (white & queens).bit_count(), (white & rooks).bit_count(), (white & bishops).bit_count(),
            (white & knights).bit_count(), (white & pawns).bit_count(), (black & queens).bit_count(),
            (black & rooks).bit_count(), (black & bishops).bit_count(), (black & knights).bit_count(),
            (black & pawns).bit_count(),
        )
    )  # fmt: skip


@lru_cache(maxsize=1024)
def _name_of(counts: tuple[int, ...]) -> tuple[str, bool]:
    letters = [letter * count for letter, count in zip(2 * material.LETTERS, counts, strict=True)]
    return material.parse_material(f"K{''.join(letters[:5])}vK{''.join(letters[5:])}")


@lru_cache(maxsize=1024)
def _kinds(ending: str) -> tuple[tuple[chess.PieceType, chess.Color], ...]:
    """The different men of an ending, kings included, in the order of its name."""
    return tuple(dict.fromkeys((man.piece_type, man.color) for man in ending_men(ending)))


def squares_of(board: chess.Board, ending: str, swapped: bool = False) -> list[int]:
    """Squares of the men in the order of the ending's name; identical men by square.

    Args:
        board: The board.
        ending: Its ending.
        swapped: The board has the ending's colours exchanged: its squares are mirrored, too.
    """
    squares: list[int] = []
    for piece, color in _kinds(ending):
        squares += chess.scan_forward(board.pieces_mask(piece, color != swapped))
    return [square ^ 56 for square in squares] if swapped else squares


def key(board: chess.Board) -> int:
    """The position key: bit 0 is White to move, then seven bits per man in the order of the name.

    The ending is the one of the board as it stands (colours not exchanged); the men of a side are in the
    order king, queen, rook, bishop, knight, pawn.
    """
    value = int(board.turn)
    for i, square in enumerate(squares_of(board, plain_name(board))):
        value |= square << (1 + 7 * i)
    return value


def key_text(board: chess.Board) -> str:
    """The position key behind its ending, such as ``KQvKR:123456``."""
    return f"{plain_name(board)}:{key(board)}"


def plain_name(board: chess.Board) -> str:
    """Material of a board in its own colours, White first, even where the name would turn it round."""
    letters = [
        "".join(
            letter * board.pieces_mask(piece, color).bit_count()
            for piece, letter in zip((6, 5, 4, 3, 2, 1), "KQRBNP", strict=True)
        )
        for color in chess.COLORS
    ]
    return "v".join(letters)


def from_key(ending: str, value: int) -> chess.Board:
    """The board of a position key.

    Args:
        ending: Material in the key's order, White first (``KQvKR``).
        value: The key; a square of 127 leaves its man out.

    Raises:
        PositionError: The key does not fit the ending, or the position is impossible.
    """
    men = ending_men(ending)
    if value < 0 or value >> (1 + 7 * len(men)):
        raise PositionError(f"{value} is no key of {ending}", f"it has {len(men)} men of 7 bits each")
    board = chess.Board(None)
    board.turn = bool(value & 1)
    for i, piece in enumerate(men):
        square = value >> (1 + 7 * i) & 127
        if square == GONE:
            continue
        if square > 63 or board.piece_at(square):
            raise PositionError(f"{value} is no key of {ending}", f"man {i + 1} stands on no free square")
        board.set_piece_at(square, piece)
    check(board)
    return board


def parse_position(text: str) -> chess.Board:
    """Reads a FEN, short FEN, ``ENDING:KEY`` or text diagram.

    Raises:
        PositionError: The text cannot be read, or the position cannot occur.
    """
    text = unquoted(text)
    result = re.fullmatch(r"([KQRBNPV]+):(\d{1,30})", text, re.IGNORECASE | re.ASCII)
    if result:
        sides = result[1].upper().split("V")
        if len(sides) != 2 or not all(sides):
            raise PositionError(f"{quoted(result[1])} names no ending", "write a key as KQvKR:123456")
        return from_key("v".join(sides), int(result[2]))
    if re.match(r"(white|black) to move\b", text, re.IGNORECASE):
        text = _diagram_fen(text)
    return _parse_fen(_without_operations(text))


_OPERATIONS = re.compile(r'(?:[A-Za-z]\w{0,14}(?:\s+(?:"(?:\\.|[^"\\])*"|[^\s;"]+))*\s*;\s*)+')
_EPD = re.compile(r"(\S+\s+[wb]\s+\S+\s+\S+)\s+([A-Za-z].*)", re.DOTALL)


def _without_operations(text: str) -> str:
    """The FEN of a line of EPD, its counts from ``hmvc`` and ``fmvn``; any other text as it is."""
    result = _EPD.fullmatch(text)
    if result is None or not _OPERATIONS.fullmatch(result[2]):
        return text
    told = dict(re.findall(r"\b(hmvc|fmvn)\s+(\d{1,6})\s*;", re.sub(r'"(?:\\.|[^"\\])*"', "", result[2])))
    return f"{result[1]} {told.get('hmvc', 0)} {told.get('fmvn', 1)}"


def diagram(board: chess.Board) -> str:
    """The side to move and where it may take en passant, and the board in eight lines.

    :func:`parse_position` reads it, which has no clock then.
    """
    passed = chess.square_name(board.ep_square) if board.ep_square and board.has_legal_en_passant() else ""
    return f"{'White' if board.turn else 'Black'} to move{passed and f', en passant on {passed}'}\n{board}"


def short(board: chess.Board) -> str:
    """The FEN without what goes without saying: its first two fields, and the others where they tell something."""
    fields = board.fen().split()
    usual = ["-", "-", "0", "1"]
    while len(fields) > 2 and fields[-1] == usual[len(fields) - 3]:
        fields.pop()
    return " ".join(fields)


def _diagram_fen(text: str) -> str:
    lines = [line.replace(" ", "") for line in text.splitlines()[1:] if line.strip()]
    ranks = [re.sub(r"\.+", lambda dots: str(len(dots[0])), line) for line in lines]
    passed = re.search(r"\ben passant on ([a-h][36])\b", text.splitlines()[0])
    return f"{'/'.join(ranks)} {text[0].lower()} - {passed[1] if passed else '-'}"


def _parse_fen(text: str) -> chess.Board:
    fields = text.replace("_", " ").replace("~", "").split()  # ~ marks what was a pawn, where captured men come back
    if not fields or fields[0].count("/") != 7:
        raise PositionError(f"{quoted(text)} is not a FEN", f"the first field has eight ranks; {_EXAMPLE}")
    if len(fields) > 1 and fields[1] not in ("w", "b"):
        raise PositionError(f"the side to move {quoted(fields[1])} is neither w nor b", _EXAMPLE)
    if len(fields) > 2 and fields[2] != "-":
        raise PositionError("castling rights are not in endgame tables", "write - in the FEN's third field")
    fields += ["w", "-", "-", "0", "1"][len(fields) - 1 :]
    if not all(re.fullmatch("[0-9]{1,6}", field) for field in fields[4:6]):
        raise PositionError("the halfmove clock or the move number is not a whole number", _EXAMPLE)
    for number, rank in zip("87654321", fields[0].split("/"), strict=True):
        if not _RANK.fullmatch(rank) or sum(int(sign) if sign.isdigit() else 1 for sign in rank) != 8:
            raise PositionError(
                f"rank {number} of the FEN cannot be {quoted(rank)}",
                "write eight squares, KQRBNP and kqrbnp for men and a number for empty squares in a row",
            )
    if fields[3] not in ("-", *chess.SQUARE_NAMES):
        raise PositionError(f"{quoted(fields[3])} is no square on which to take en passant", _EXAMPLE)
    if fields[6:]:
        raise PositionError(f"a FEN has six fields, and {quoted(fields[6])} is one more", _EXAMPLE)
    board = chess.Board(" ".join(fields))
    check_clock(board.halfmove_clock)
    check(board)
    return board


def check_clock(plies: int) -> None:
    """Raises PositionError for a half-move clock that cannot be; from 100 on a draw may be claimed, or not."""
    if plies > LAST_CLOCK:
        raise PositionError(f"the halfmove clock cannot be {plies}", f"the 75-move rule ends a game at {LAST_CLOCK}")


def check(board: chess.Board) -> None:
    """Raises PositionError, with the reason, for a position that cannot occur."""
    for color in chess.COLORS:
        side = "White" if color else "Black"
        kings = board.pieces_mask(chess.KING, color).bit_count()
        if kings != 1:
            raise PositionError(f"{side} has {kings or 'no'} king{'s' * (kings > 1)}", "each side needs one")
    if board.pawns & chess.BB_BACKRANKS:
        raise PositionError("a pawn stands on the first or eighth rank", "move it or promote it")
    white, black = board.king(chess.WHITE), board.king(chess.BLACK)
    assert white is not None and black is not None
    if chess.square_distance(white, black) < 2:
        raise PositionError("the kings stand side by side", "put a square between them")
    if board.was_into_check():
        side, other = ("Black", "White") if board.turn else ("White", "Black")
        raise PositionError(f"{side} is in check, but {other} is to move", "change the side to move")
    if board.ep_square is not None and board.status() & chess.STATUS_INVALID_EP_SQUARE:
        raise PositionError(
            f"no pawn can just have passed {chess.square_name(board.ep_square)}",
            "write - in the fourth field of the FEN",
        )


def san(board: chess.Board, move: chess.Move) -> str:
    """A move in SAN. python-chess makes it on the board, to see a check: here on one that nobody else has."""
    return board.copy(stack=False).san(move)


def writing(board: chess.Board, move: chess.Move) -> str:
    """With what SAN of a move begins: the man alone where he has a like, else all but check and what he becomes."""
    source, target = chess.SQUARE_NAMES[move.from_square], chess.SQUARE_NAMES[move.to_square]
    kind = board.piece_type_at(move.from_square) or chess.KING
    if kind == chess.PAWN:
        return target if source[0] == target[0] else f"{source[0]}x{target}"
    letter = chess.piece_symbol(kind).upper()
    if board.pieces_mask(kind, board.turn).bit_count() > 1:
        return letter
    return f"{letter}x{target}" if board.occupied >> move.to_square & 1 else letter + target


def _bare(text: str) -> str:
    """A typed move without number, spaces and what only comments on it."""
    bare = re.sub(r"[!?\s]|^\d+\.+", "", text)
    return standard_san(bare).replace("=", "")


def promotions(board: chess.Board, text: str) -> list[chess.Move]:
    """The promotions that a typed move means when it does not say to what, such as ``e8`` or ``e7e8``."""
    board, wanted = board.copy(stack=False), re.sub("[x-]", "", _bare(text)).lower()
    result = [
        move
        for move in board.legal_moves
        if move.promotion and wanted in (re.sub("x|=.*", "", board.san(move)), move.uci()[:4])
    ]
    exact = any(_bare(text) == board.san(move).rstrip("+#") for move in board.legal_moves) if result else False
    return [] if exact else result  # Bxc8 is a bishop's move, even where a pawn on b7 can take on c8


def parse_move(board: chess.Board, text: str) -> chess.Move:
    """Reads a typed move, SAN or UCI, forgiving about ``0-0``, ``+``, ``#``, ``!`` and letter case.

    Raises:
        PositionError: No legal move is meant, or more than one.
    """
    board, wanted = board.copy(stack=False), _bare(text)
    spelled = {move: re.sub(r"[+#=]", "", board.san(move)) for move in board.legal_moves}
    meant = [move for move, san in spelled.items() if wanted in (san, move.uci())]
    if not meant:
        plain = re.sub("[x-]", "", wanted).lower()
        meant = [move for move, san in spelled.items() if plain in _spellings(board, move, san)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise PositionError(f"{quoted(text)} is ambiguous", "say which: " + " or ".join(spelled[m] for m in meant))
    if to := [board.san(move).rstrip("+#") for move in promotions(board, text)]:
        raise PositionError(f"{quoted(text)} promotes a pawn", f"say to what: {', '.join(to[:-1])} or {to[-1]}")
    if reason := why_not(board, text):
        raise PositionError(f"{quoted(text)} is no legal move here: {reason}")
    first = ", ".join(sorted(board.san(move).rstrip("+#") for move in spelled)[:4])
    raise PositionError(
        f"{quoted(text)} is no legal move here", f"legal are {first}{' …' * (len(spelled) > 4)}" if spelled else ""
    )


def _spellings(board: chess.Board, move: chess.Move, san: str) -> set[str]:
    """All that may be typed for a move, in small letters and without what only comments on it."""
    (file, rank), target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    man = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN)
    told = {f"{man}{source}{target}" for source in ("", file, rank, file + rank)} if man != "p" else set[str]()
    return told | {san.replace("x", "").lower(), move.uci()}


_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_COLOURS = {"White": "Black", "Black": "White", "white": "black", "black": "white"}
_TOLD = re.compile(
    r"(?<![a-z0-9])(?P<square>[a-h][1-8])(?![a-z0-9])"
    r"|\b(?P<file>[a-h])-(?P<what>file|pawn)"
    r"|\b(?P<colour>[Ww]hite|[Bb]lack)\b"
)


def retold(text: str, told_of: chess.Board, copy: chess.Board) -> str:
    """A text about one position, with the squares, files and colours of a symmetric copy of it.

    Args:
        text: The words; names of squares (``f7``, ``Ra8``), files (``g-file``, ``a-pawn``) and colours are changed.
        told_of: The position that the words are about.
        copy: A copy of it: mirrored, turned, or with the colours exchanged.

    Returns:
        The text for the copy; as it is if that is no copy of the position.
    """
    for swapped, turn in product((False, True), TURNS):
        men = {turn[at]: chess.Piece(man.piece_type, man.color ^ swapped) for at, man in told_of.piece_map().items()}
        if (told_of.turn ^ swapped, men) == (copy.turn, copy.piece_map()):
            return _TOLD.sub(partial(_word, swapped, turn), text)
    return text


def _word(swapped: bool, turn: Sequence[int], found: re.Match[str]) -> str:
    if found["square"]:
        return chess.square_name(turn[chess.parse_square(found["square"])])
    if found["colour"]:
        return _COLOURS[found["colour"]] if swapped else found["colour"]
    file = chess.FILE_NAMES.index(found["file"])
    low, high = turn[chess.square(file, 0)], turn[chess.square(file, 7)]
    if chess.square_file(low) == chess.square_file(high):
        return f"{chess.FILE_NAMES[chess.square_file(low)]}-{found['what']}"
    return f"{_RANKS[chess.square_rank(low)]} rank"
