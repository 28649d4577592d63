"""Chess notation: parse and format FEN, short FEN, position keys and text diagrams; parse typed moves.

A position is legal here when the side that just moved is not in check and the board could be set up by hand:
geometrically impossible double checks count as legal, as they do in every tablebase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import product
from typing import Final

import chess

from endgame_core import language
from endgame_core.chess import material
from endgame_core.chess.index import TURNS
from endgame_core.chess.spelling import text_of
from endgame_core.errors import EndingError, PositionError
from endgame_core.language import _, ngettext, or_list
from endgame_core.untrusted import quoted, unquoted
from endgame_core.values import LAST_CLOCK

_SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?[QRBN])?[+#!?]*")


_FIGURINES = str.maketrans({
    "♔": "K", "♕": "Q", "♖": "R", "♗": "B", "♘": "N", "♙": None, "♚": "K", "♛": "Q", "♜": "R", "♝": "B", "♞": "N",
    "♟": None, "\ufe0e": None, "\ufe0f": None, "×": "x", "–": "-", "‐": "-", "‑": "-",
})  # fmt: skip
"""Replaces figurines by letters, typographic signs by ASCII; drops selectors of emoji."""
_GERMAN_LETTER = re.compile(r"^[DTLS](?=[a-hx1-8]|$)|(?<=[a-h][18])[DTLS](?![1-8])|(?<=[=(/])[DTLS]")
"""A German letter where a move has a piece, so that D4 remains the square in ``G7D4``."""
_TO_ENGLISH = str.maketrans("DTLS", "QRBN")
_PROMOTION = re.compile(r"(?<=[a-h][18])(?:/([QRBN])|=?\(([QRBN])\))(?=[+#†‡]*$)", re.IGNORECASE)
_AFTER_MOVE = re.compile(r"(?:\s*\(?e\.?\s?p\.?\)?|[+#†‡])+$")


_LETTERS = {
    "german": str.maketrans("QRBN", "DTLS"),
    "figurine": str.maketrans("KQRBN", "♔♕♖♗♘"),
}
"""The letters that replace the English letters of pieces, by the value of the setting ``piece_letters``."""

_shown_letters: dict[int, int] | None = None


def use_letters(letters: str) -> None:
    """Show moves with other letters from now on; ``letters`` is a value of the setting ``piece_letters``."""
    global _shown_letters
    if letters == "auto":
        letters = "english"
        if language.current == "de":
            letters = "german"
    _shown_letters = _LETTERS.get(letters)


def with_letters(text: str) -> str:
    """Return a move in SAN, or the English letter of a piece, with the letters that the user wants to see."""
    if _shown_letters is None:
        return text
    return text.translate(_shown_letters)


def standard_san(word: str) -> str:
    """Rewrite other programs' spellings of a move as in PGN: ``bxc3 e.p.``, ``e8(Q)+``, ``e8/Q`` or ``♛d5++``.

    Signs of check and checkmate are dropped, since they follow from the position.
    """
    word = _GERMAN_LETTER.sub(lambda match: match[0].translate(_TO_ENGLISH), word.translate(_FIGURINES))
    word = _PROMOTION.sub(lambda match: f"={match[1] or match[2]}", word)
    return _AFTER_MOVE.sub("", word)


def why_not(board: chess.Board, text: str) -> str:
    """Return the reason why a typed move is not legal.

    Args:
        board: The position.
        text: An illegal move, SAN or UCI.

    Returns:
        A clause, e.g. ``the rook on a1 cannot go to b5``; empty if it is not clear which move is meant.
    """
    move = _intended_move(board, standard_san(text.strip()))
    if move is None:
        return ""
    source = chess.square_name(move.from_square)
    target = chess.square_name(move.to_square)
    man = board.piece_at(move.from_square)
    captured = board.piece_at(move.to_square)
    if man is None:
        return _("there is no piece on {source}").format(source=source)
    name = _("the {piece_name} on {source}").format(piece_name=material.piece_word(man.piece_type), source=source)
    if man.color != board.turn:
        return _("{name} belongs to {color}, but the other side is to move").format(
            name=name, color=_("White") if man.color else _("Black")
        )
    if captured is not None and captured.color == man.color:
        return _("{name} cannot capture your own {piece_name} on {target}").format(
            name=name, piece_name=material.piece_word(captured.piece_type), target=target
        )
    promotion = chess.Move(move.from_square, move.to_square, chess.QUEEN)  # the text may not name the new piece
    if not board.is_pseudo_legal(move) and not board.is_pseudo_legal(promotion):
        return _("{name} cannot move to {target}").format(name=name, target=target)
    if board.is_check():
        return _("this move leaves the king in check")
    if man.piece_type == chess.KING:
        return _("{target} is attacked").format(target=target)
    return _("{name} cannot move: the king would be in check").format(name=name)


def _intended_move(board: chess.Board, text: str) -> chess.Move | None:
    """Return the move that an illegal text means, the only pseudo-legal one if there is one; None if unclear."""
    if result := re.fullmatch(r"([a-h][1-8])-?([a-h][1-8])[qrbn]?", text):
        return chess.Move(chess.parse_square(result[1]), chess.parse_square(result[2]))
    result = _SAN.fullmatch(text)
    if result is None:
        return None
    kind = chess.Piece.from_symbol(result[1] or "P").piece_type
    file = result[2]
    rank = result[3]
    target = chess.parse_square(result[4])
    moves: list[chess.Move] = []
    for square in board.pieces(kind, board.turn):
        name = chess.square_name(square)
        matches = (not file or name[0] == file) and (not rank or name[1] == rank)
        if matches and square != target:
            moves.append(chess.Move(square, target))
    # No piece can go there at all: if only one of the kind may be meant, the reason is about that one.
    candidates = [move for move in moves if board.is_pseudo_legal(move)] or moves
    if len(candidates) == 1:
        return candidates[0]
    return None


GONE = 127
"""The square of a captured piece in a position key."""

_RANK = re.compile("(?:[1-8](?![1-8])|[KQRBNPkqrbnp])+")
_EXAMPLE = _("write one like 7K/6Q1/8/8/2k5/8/8/8 w - - 0 1")


def ending_men(ending: str) -> list[chess.Piece]:
    """Return all pieces of an ending, kings included, in the order of its name."""
    white, black = ending.split("v")
    return [chess.Piece.from_symbol(letter) for letter in white + black.lower()]


def name_of(board: chess.Board) -> tuple[str, bool]:
    """Return the ending of a board, and whether its colours are exchanged; raises EndingError for bare kings."""
    white = board.occupied_co[chess.WHITE]
    black = board.occupied_co[chess.BLACK]
    queens = board.queens
    rooks = board.rooks
    bishops = board.bishops
    knights = board.knights
    pawns = board.pawns
    return _name_of(  # called for every position; written out because a loop takes twice as long
        (
            (white & queens).bit_count(), (white & rooks).bit_count(), (white & bishops).bit_count(),
            (white & knights).bit_count(), (white & pawns).bit_count(), (black & queens).bit_count(),
            (black & rooks).bit_count(), (black & bishops).bit_count(), (black & knights).bit_count(),
            (black & pawns).bit_count(),
        )
    )  # fmt: skip


@lru_cache(maxsize=1024)
def _name_of(counts: tuple[int, ...]) -> tuple[str, bool]:
    """Return the ending for the counts of White's queens, rooks, bishops, knights and pawns, then of Black's."""
    letters = [letter * count for letter, count in zip(2 * material.LETTERS, counts, strict=True)]
    return material.parse_material(f"K{''.join(letters[:5])}vK{''.join(letters[5:])}")


@lru_cache(maxsize=1024)
def _kinds(ending: str) -> tuple[tuple[chess.PieceType, chess.Color], ...]:
    """Return the distinct pieces of an ending, kings included, in the order of its name."""
    return tuple(dict.fromkeys((man.piece_type, man.color) for man in ending_men(ending)))


def squares_of(board: chess.Board, ending: str, swapped: bool = False) -> list[int]:
    """Return the squares of all pieces in the order of the ending's name; identical pieces by square.

    Args:
        board: The board.
        ending: Its ending.
        swapped: Whether the board has the ending's colours exchanged; then the squares are mirrored.
    """
    squares: list[int] = []
    # ``scan_forward`` ascends, which orders identical pieces by square.
    for piece, color in _kinds(ending):
        squares += chess.scan_forward(board.pieces_mask(piece, color != swapped))
    if swapped:
        return [square ^ 56 for square in squares]
    return squares


def key(board: chess.Board) -> int:
    """Return the position key: bit 0 is set for White to move, then seven bits per piece in the order of the name.

    The name is that of :func:`plain_name`, colours not exchanged; the pieces of a side are in the order king, queen,
    rook, bishop, knight, pawn.
    """
    value = int(board.turn)
    for i, square in enumerate(squares_of(board, plain_name(board))):
        value |= square << (1 + 7 * i)
    return value


def key_text(board: chess.Board) -> str:
    """Return the position key after its ending, e.g. ``KQvKR:123456``."""
    return f"{plain_name(board)}:{key(board)}"


def plain_name(board: chess.Board) -> str:
    """Return the material of a board, White first, even where the canonical name would exchange colours."""
    letters = [
        "".join(
            letter * board.pieces_mask(piece, color).bit_count()
            for piece, letter in zip((6, 5, 4, 3, 2, 1), "KQRBNP", strict=True)
        )
        for color in chess.COLORS
    ]
    return "v".join(letters)


def from_key(ending: str, value: int) -> chess.Board:
    """Return the board of a position key.

    Args:
        ending: Material in the key's order, White first (``KQvKR``).
        value: The key; the square 127 stands for a captured piece.

    Raises:
        PositionError: The key does not fit the ending, or the position is impossible.
    """
    men = ending_men(ending)
    if value < 0 or value >> (1 + 7 * len(men)):
        raise PositionError(
            _("{value} is not a key of {ending}").format(value=value, ending=ending),
            _("a key has one bit for the side to move and 7 for each of the {men} pieces").format(men=len(men)),
        )
    board = chess.Board(None)
    board.turn = bool(value & 1)
    for i, piece in enumerate(men):
        square = value >> (1 + 7 * i) & 127
        if square == GONE:
            continue
        if square > 63 or board.piece_at(square):
            raise PositionError(
                _("{value} is not a key of {ending}").format(value=value, ending=ending),
                _("the square of piece {i} is occupied or off the board").format(i=i + 1),
            )
        board.set_piece_at(square, piece)
    check(board)
    return board


def parse_position(text: str, castling: bool = False) -> chess.Board:
    """Parse a FEN, short FEN, ``ENDING:KEY`` or text diagram; a FEN also in a link or a PGN tag.

    Castling rights that no king or rook at home supports are ignored; see :func:`reading_note`.

    Args:
        text: The text.
        castling: Whether other castling rights are accepted. No table has them.

    Raises:
        PositionError: The text cannot be read, or the position cannot occur.
    """
    text = text_of(unquoted(text))
    result = re.fullmatch(r"([KQRBNPV]+):(\d{1,30})", text, re.IGNORECASE | re.ASCII)
    if result:
        sides = result[1].upper().split("V")
        if len(sides) != 2 or not all(sides):
            raise PositionError(
                _("{result} is not the name of an ending").format(result=quoted(result[1])),
                _("write a key like KQvKR:123456"),
            )
        return from_key("v".join(sides), int(result[2]))
    if re.match(r"(white|black) to move\b", text, re.IGNORECASE):
        text = _diagram_fen(text)
    return _parse_fen(_without_operations(text), castling)


def reading_note(text: str) -> str:
    """Return a sentence about castling rights in a FEN that cannot be and were ignored; empty if there are none."""
    fields = _fields_of(_without_operations(text_of(unquoted(text))))
    if len(fields) < 3 or not _CASTLING.fullmatch(fields[2]):
        return ""
    try:
        supported = _supported_castling(fields)
    # The parser reports what is wrong with the board.
    except ValueError:
        return ""
    ignored = "".join(right for right in fields[2] if right not in supported and right != "-")
    if not ignored:
        return ""
    return _("castling rights {rights} were ignored: the king or the rook is not on its home square.").format(
        rights=ignored
    )


_CASTLING = re.compile("K?Q?k?q?|-")


def _fields_of(fen: str) -> list[str]:
    return fen.replace("_", " ").replace("~", "").split()  # ~ marks promoted pieces in Crazyhouse


def _supported_castling(fields: Sequence[str]) -> str:
    """Return the castling rights of a FEN whose king and rook are at home; raises ValueError for a bad board."""
    board = chess.Board(None)
    board.set_board_fen(fields[0])
    board.set_castling_fen(fields[2])
    board.castling_rights = board.clean_castling_rights()
    return board.castling_xfen()


_OPERATIONS = re.compile(r'(?:[A-Za-z]\w{0,14}(?:\s+(?:"(?:\\.|[^"\\])*"|[^\s;"]+))*\s*;\s*)+')
_EPD = re.compile(r"(\S+\s+[wb]\s+\S+\s+\S+)\s+([A-Za-z].*)", re.DOTALL)
_OPCODE = re.compile(r"(?:ac[dns]|am|bm|c\d|ce|dm|eco|fmvn|hmvc|id|nic|pm|pv|rc|sm|v\d)\s")
"""An operation with a name of the standard: the semicolon after the last one may have been left out."""


def _without_operations(text: str) -> str:
    """Return the FEN of a line of EPD, with the counts of ``hmvc`` and ``fmvn``; any other text unchanged."""
    result = _EPD.fullmatch(text)
    if result is None:
        return text
    operations = result[2].rstrip()
    if _OPCODE.match(operations) and not operations.endswith(";"):
        operations += ";"
    if not _OPERATIONS.fullmatch(operations):
        return text
    # Without the texts in quotes, in which the names of the counters may occur.
    unquoted_operations = re.sub(r'"(?:\\.|[^"\\])*"', "", operations)
    counts = dict(re.findall(r"\b(hmvc|fmvn)\s+(\d{1,6})\s*;", unquoted_operations))
    return f"{result[1]} {counts.get('hmvc', 0)} {counts.get('fmvn', 1)}"


def diagram(board: chess.Board) -> str:
    """Return the side to move, the en passant square if there is a legal capture, and the board in eight lines.

    :func:`parse_position` reads it; the half-move clock is lost.
    """
    side = "White" if board.turn else "Black"
    en_passant = ""
    if board.ep_square and board.has_legal_en_passant():
        en_passant = f", en passant on {chess.square_name(board.ep_square)}"
    return f"{side} to move{en_passant}\n{board}"


def short(board: chess.Board) -> str:
    """Return the FEN without trailing fields that have their default values."""
    fields = board.fen().split()
    usual = ["-", "-", "0", "1"]
    # Placement and side to move stay in any case.
    while len(fields) > 2 and fields[-1] == usual[len(fields) - 3]:
        fields.pop()
    return " ".join(fields)


def _diagram_fen(text: str) -> str:
    """Return the FEN of a text diagram; see :func:`diagram`."""
    lines = [line.replace(" ", "") for line in text.splitlines()[1:] if line.strip()]
    ranks = [re.sub(r"\.+", lambda dots: str(len(dots[0])), line) for line in lines]
    passed = re.search(r"\ben passant on ([a-h][36])\b", text.splitlines()[0])
    return f"{'/'.join(ranks)} {text[0].lower()} - {passed[1] if passed else '-'}"


def _parse_fen(text: str, castling: bool) -> chess.Board:
    """Parse a FEN, see :func:`parse_position`; all fields after the first are optional. Raises PositionError."""
    fields = _fields_of(text)
    if not fields or fields[0].count("/") != 7:
        # Perhaps it is the name of an ending; if not, the general error follows.
        with suppress(EndingError):
            ending, __ = material.parse_material(text)
            raise PositionError(_("{ending} is an ending, not a position").format(ending=ending), _EXAMPLE)
        raise PositionError(
            _("{text} is not a FEN").format(text=quoted(text)),
            _("the first field has eight ranks; {example}").format(example=_EXAMPLE),
        )
    if len(fields) > 1 and fields[1] not in ("w", "b"):
        raise PositionError(
            _("the side to move {fields} is neither w nor b").format(fields=quoted(fields[1])), _EXAMPLE
        )
    if len(fields) > 2 and not _CASTLING.fullmatch(fields[2]):
        raise PositionError(_("the castling rights {rights} cannot be read").format(rights=quoted(fields[2])), _EXAMPLE)
    # The defaults of the fields that are left out.
    fields += ["w", "-", "-", "0", "1"][len(fields) - 1 :]
    if not all(re.fullmatch("[0-9]{1,6}", field) for field in fields[4:6]):
        raise PositionError(_("the halfmove clock or the move number is not a whole number"), _EXAMPLE)
    for number, rank in zip("87654321", fields[0].split("/"), strict=True):
        if not _RANK.fullmatch(rank) or sum(int(sign) if sign.isdigit() else 1 for sign in rank) != 8:
            raise PositionError(
                _("rank {number} of the FEN is not valid: {rank}").format(number=number, rank=quoted(rank)),
                _("describe eight squares: KQRBNP and kqrbnp for pieces, a number for consecutive empty squares"),
            )
    if fields[3] not in ("-", *chess.SQUARE_NAMES):
        raise PositionError(_("{fields} is not an en passant square").format(fields=quoted(fields[3])), _EXAMPLE)
    if fields[6:]:
        raise PositionError(
            _("a FEN has six fields, but {fields} is a seventh").format(fields=quoted(fields[6])), _EXAMPLE
        )
    fields[2] = _supported_castling(fields)
    if fields[2] != "-" and not castling:
        raise PositionError(
            _("endgame tables do not cover castling rights"), _("write '-' in the third field of the FEN")
        )
    board = chess.Board(" ".join(fields))
    check_clock(board.halfmove_clock)
    check(board)
    return board


def check_clock(plies: int) -> None:
    """Raise PositionError if the half-move clock exceeds the 75-move rule.

    Between the 50-move rule and that a draw can be claimed, but need not be.
    """
    if plies > LAST_CLOCK:
        raise PositionError(
            _("the halfmove clock cannot be {plies}").format(plies=plies),
            _("the 75-move rule ends a game at {last_clock}").format(last_clock=LAST_CLOCK),
        )


def check(board: chess.Board) -> None:
    """Raise PositionError, with the reason, if the position cannot occur."""
    for color in chess.COLORS:
        side = _("White") if color else _("Black")
        kings = board.pieces_mask(chess.KING, color).bit_count()
        if kings != 1:
            if kings:
                what = ngettext("{side} has {number} king", "{side} has {number} kings", kings)
            else:
                what = _("{side} has no king")
            raise PositionError(what.format(side=side, number=kings), _("each side needs one"))
    if board.pawns & chess.BB_BACKRANKS:
        raise PositionError(_("a pawn is on the first or eighth rank"), _("move or promote the pawn"))
    white = board.king(chess.WHITE)
    black = board.king(chess.BLACK)
    assert white is not None and black is not None
    if chess.square_distance(white, black) < 2:
        raise PositionError(_("the kings are on adjacent squares"), _("leave a square between them"))
    if board.was_into_check():
        if board.turn:
            side = _("Black")
            other = _("White")
        else:
            side = _("White")
            other = _("Black")
        raise PositionError(
            _("{side} is in check, but {other} is to move").format(side=side, other=other), _("change the side to move")
        )
    if board.ep_square is not None and board.status() & chess.STATUS_INVALID_EP_SQUARE:
        raise PositionError(
            _("no pawn can have just passed {square_name}").format(square_name=chess.square_name(board.ep_square)),
            _("write - in the fourth field of the FEN"),
        )


def san(board: chess.Board, move: chess.Move) -> str:
    """Return a move in SAN; works on a copy, since python-chess makes the move on the board to detect check."""
    return board.copy(stack=False).san(move)


def shown_san(board: chess.Board, move: chess.Move) -> str:
    """Return a move in SAN with the letters that the user wants to see."""
    return with_letters(san(board, move))


def writing(board: chess.Board, move: chess.Move) -> str:
    """Return the part of a move's SAN that does not depend on other pieces or on check.

    That is only the letter if the side has another piece of the kind, else the SAN without promotion and check.
    """
    source = chess.SQUARE_NAMES[move.from_square]
    target = chess.SQUARE_NAMES[move.to_square]
    kind = board.piece_type_at(move.from_square) or chess.KING
    if kind == chess.PAWN:
        if source[0] == target[0]:
            return target
        return f"{source[0]}x{target}"
    letter = chess.piece_symbol(kind).upper()
    if board.pieces_mask(kind, board.turn).bit_count() > 1:
        return letter
    if board.occupied >> move.to_square & 1:
        return f"{letter}x{target}"
    return letter + target


_PIECE_LETTERS: Final = {"king": "K", "queen": "Q", "rook": "R", "bishop": "B", "knight": "N", "pawn": ""}
_SPOKEN_MOVE: Final = re.compile(
    r"(?:(?P<piece>king|queen|rook|bishop|knight|pawn) )?(?P<start>[a-h]?[1-8]? ?)(?P<takes>takes )?(?:to )?"
    r"(?P<end>[a-h][1-8])(?: becomes an? (?P<promotion>queen|rook|bishop|knight))?(?: with check(?:mate)?)?"
)


def _from_words(text: str) -> str:
    """Return a move in SAN that is typed as plain mode prints it: ``rook a5 takes a8 with check`` → ``Ra5xa8``."""
    spoken = _SPOKEN_MOVE.fullmatch(text.strip().casefold())
    if spoken is None or " " not in spoken[0]:  # Ba5 is a bishop's move, ba5 a pawn's
        return text
    piece = _PIECE_LETTERS.get(spoken["piece"] or "", "")
    promotion = _PIECE_LETTERS.get(spoken["promotion"] or "", "")
    return f"{piece}{spoken['start'].strip()}{'x' if spoken['takes'] else ''}{spoken['end']}{promotion}"


def _bare(text: str) -> str:
    """Return a typed move without move number, spaces, ``=`` and annotations."""
    bare = re.sub(r"[!?\s]|^\d+\.+", "", _from_words(text))
    return standard_san(bare).replace("=", "")


def promotions(board: chess.Board, text: str) -> list[chess.Move]:
    """Return the promotions that a typed move without the new piece may mean, e.g. ``e8`` or ``e7e8``."""
    board = board.copy(stack=False)
    typed = re.sub("[x-]", "", _bare(text)).lower()
    result = [
        move
        for move in board.legal_moves
        if move.promotion and typed in (re.sub("x|=.*", "", board.san(move)), move.uci()[:4])
    ]
    if not result:
        return []
    # Bxc8 is a bishop's move, even where a pawn on b7 can take on c8.
    is_exact_san = any(_bare(text) == board.san(move).rstrip("+#") for move in board.legal_moves)
    return [] if is_exact_san else result


_MOST_EXAMPLES: Final = 4
"""How many legal moves the error about an illegal one names."""


def parse_move(board: chess.Board, text: str) -> chess.Move:
    """Parse a typed move, SAN or UCI, ignoring ``+``, ``#``, ``!`` and, where it is clear, letter case.

    Raises:
        PositionError: The text matches no legal move, or more than one.
    """
    board = board.copy(stack=False)
    typed = _bare(text)
    san_of = {move: re.sub(r"[+#=]", "", board.san(move)) for move in board.legal_moves}
    matches = [move for move, san in san_of.items() if typed in (san, move.uci())]
    if not matches:
        # Letter case counts at first: with it, bc3 is a pawn's move and Bc3 a bishop's.
        plain = re.sub("[x-]", "", typed).lower()
        matches = [move for move, san in san_of.items() if plain in _spellings(board, move, san)]
    if len(matches) == 1:
        return matches[0]

    if matches:
        options = or_list([san_of[move] for move in matches])
        raise PositionError(
            _("{text} is ambiguous").format(text=quoted(text)),
            _("write one of these: {options}").format(options=options),
        )
    if names := [board.san(move).rstrip("+#") for move in promotions(board, text)]:
        options = or_list(names)
        raise PositionError(
            _("{text} is a promotion").format(text=quoted(text)),
            _("add the new piece: {options}").format(options=options),
        )
    if reason := why_not(board, text):
        raise PositionError(_("{text} is not a legal move here: {reason}").format(text=quoted(text), reason=reason))
    suggestion = ""
    if san_of:
        names = sorted(board.san(move).rstrip("+#") for move in san_of)
        examples = ", ".join(names[:_MOST_EXAMPLES])
        is_complete = len(names) <= _MOST_EXAMPLES
        if is_complete:
            legal = _("legal moves: {examples}")
        else:
            legal = _("legal moves include {examples}")
        suggestion = legal.format(examples=examples)
    raise PositionError(_("{text} is not a legal move here").format(text=quoted(text)), suggestion)


def _spellings(board: chess.Board, move: chess.Move, san: str) -> set[str]:
    """Return all accepted spellings of a move, in lower case and without ``x``, ``-`` and annotations."""
    file, rank = chess.square_name(move.from_square)
    target = chess.square_name(move.to_square)
    man = chess.piece_symbol(board.piece_type_at(move.from_square) or chess.PAWN)
    result = {san.replace("x", "").lower(), move.uci()}
    if man != "p":
        # Nd5, Nbd5, N4d5 and Nb4d5 are all accepted; whether one of them is ambiguous is decided by counting matches.
        result |= {f"{man}{source}{target}" for source in ("", file, rank, file + rank)}
    return result


_RANKS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_COLOURS = {"White": "Black", "Black": "White", "white": "black", "black": "white"}
_TURNED_WORDS = re.compile(
    r"(?<![a-z0-9])(?P<square>[a-h][1-8])(?![a-z0-9])"
    r"|\b(?P<file>[a-h])-(?P<what>file|pawn)"
    r"|\b(?P<colour>[Ww]hite|[Bb]lack)\b"
)


def retold(text: str, told_of: chess.Board, copy: chess.Board) -> str:
    """Rewrite a text about a position for a symmetric copy of the position.

    Args:
        text: The text; names of squares (``f7``, ``Ra8``), files (``g-file``, ``a-pawn``) and colours are replaced.
        told_of: The position that the text describes.
        copy: A symmetric copy: mirrored, rotated, or with colours exchanged.

    Returns:
        The text for the copy; unchanged if ``copy`` is not a copy of the position.
    """
    for swapped, turn in product((False, True), TURNS):
        men = {turn[at]: chess.Piece(man.piece_type, man.color ^ swapped) for at, man in told_of.piece_map().items()}
        # The first symmetry that maps the pieces and the side to move onto the copy.
        if (told_of.turn ^ swapped, men) == (copy.turn, copy.piece_map()):
            return _TURNED_WORDS.sub(partial(_turned_word, swapped, turn), text)
    return text


def _turned_word(swapped: bool, turn: Sequence[int], match: re.Match[str]) -> str:
    """Return a square, colour or file after a symmetry; a file may become a rank."""
    if match["square"]:
        return chess.square_name(turn[chess.parse_square(match["square"])])
    if match["colour"]:
        if swapped:
            return _COLOURS[match["colour"]]
        return match["colour"]
    file = chess.FILE_NAMES.index(match["file"])
    low = turn[chess.square(file, 0)]
    high = turn[chess.square(file, 7)]
    # Both ends of the file show whether its image is a file or, on a transposed board, a rank.
    if chess.square_file(low) == chess.square_file(high):
        return f"{chess.FILE_NAMES[chess.square_file(low)]}-{match['what']}"
    return f"{_RANKS[chess.square_rank(low)]} rank"
