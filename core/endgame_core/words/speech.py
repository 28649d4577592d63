"""How a game is told: its depths, men and moves in words; what is told alike in all games stands beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import chess

from endgame_core.chess import notation
from endgame_core.errors import EndgameError
from endgame_core.words.told import FIFTY_MOVES, Fact, Said, capital, count, in_plies

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.judge import Known
    from endgame_core.tables.explorer import Previous


def at(phrase: str, depth: int) -> str:
    """A phrase about a depth: ``{n}``, ``{plies}`` with its noun; the same in moves, ``{mate}`` and ``{moves}``."""
    mate = (depth + 1) // 2
    return phrase.format(n=depth, plies=in_plies(depth), mate=mate, moves=count(mate, "move", "moves"))


@dataclass(frozen=True, slots=True)
class Placed:
    """A man on the board: its side and kind in words, where it stands, and its letter."""

    side: str
    kind: str
    place: str
    sign: str


class Speech:
    """The words of a game, here of one whose depths are told in plies; other games say otherwise what they do.

    Phrases about a depth are for :func:`at`. Of a pair the first is for who loses, the second for who wins; where it is
    about who knows, the first is for tables, the second for a search.

    Attributes:
        name: The game, where it must be said; empty for chess.
        numbers: Whether the moves of a line have numbers, and distances are told in moves to mate.
        winning: What a won drill ends with, after ``Solved means``.
        losing: What happens to the loser, after ``or``.
        won: The end of a won game, in a word that stands behind its depths.
        task: The drill of winning, as a heading.
        ends: How far the end is.
        result: The same with a verb.
        lost: The result of who has lost.
        possible: What perfect play needs for a win.
        layer: The layer, and how far the end is, unless its number says so.
        began: What a game began with, after ``You began``.
        win_in: How far a win is, after ``You can win``.
        estimate: That a side wins so soon, as a search has found; ``{{side}}`` is the side.
        moves: Moves one may type, as examples.
        to_play: The same where a game is played.
        positions: Positions one may type to play from, as examples.
        position: What a position is called as text.
        starts: The random starts: either colour may come first, or White does.
        technical: What is enough for a technical win.
        quiet: What counts towards a draw besides repetitions, and how far it has come.
        to_begin: What else a game may begin with, in few words.
        kinds: What men are called.
        rules: The rules in pages, paragraphs by their title; empty where everybody knows them who plays the game.
    """

    name = ""
    numbers = False
    kinds: frozenset[str] = frozenset()
    rules: Mapping[str, tuple[str, ...]] = {}
    winning = "the game won"
    losing = "the game lost"
    won = "won"
    task = "Win it"
    ends = "lost in {plies}", "win in {plies}"
    result = "loses in {plies}", "wins in {plies}"
    lost = "has lost"
    possible = "a win in {plies} is possible"
    layer = "S{n}, lost", "S{n}, won"
    began = "with a loss in {plies}", "with a win in {plies}"
    win_in = " in {plies}"
    estimate = "{{side}} wins in {plies}"
    moves = ""
    to_play = ""
    positions = "a position, S12"
    position = "position"
    starts = ("random, mirrored", "random, White to move")
    technical = "an ending that you master"
    quiet = "no capture", "{}/100"
    to_begin = "a position, or S13"

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """The ending in the colours of the board."""
        return game.ending_of(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The ending of a position, at the beginning of a sentence."""
        return capital(game.title(game.ending_of(position)))

    def men(self, position: Any) -> str:
        """The men of a position, as a sentence names them: ``White Ke6 Rf6, Black Kg8``, ``White a1 b4, Black c3``."""
        letters = len(self.kinds) > 1
        sides = (
            f"{side.capitalize()} {' '.join(f'{man.sign.upper() * letters}{man.place}' for man in men)}"
            for side, men in groupby(self.placed(position), key=attrgetter("side"))
        )
        return ", ".join(sides) or str(position)

    def placed(self, position: Any) -> list[Placed]:
        """The men of a position, White's first."""
        return []

    def hands(self, position: Any) -> tuple[int, int]:
        """How many men of White and of Black are still to be placed."""
        del position
        return 0, 0

    def places_in_rows(self) -> list[str]:
        """The places of the board, from its first file and rank on."""
        return []

    def man(self, man: Any) -> str:
        """What a man is called, whose it is left out."""
        del man
        return "man"

    def place(self, place: int) -> str:
        """What a place on the board is called."""
        return str(place)

    def in_hand(self, position: Any) -> bool:
        """Whether men are still to be placed, so that no table can know the position."""
        return any(self.hands(position))

    def places(self, position: Any) -> bool:
        """Whether the next move places a man."""
        return self.in_hand(position) and self.hands(position)[position.turn] > 0

    def choosing(self, position: Any) -> str:
        """What Enter does on the board, in the last row."""
        return "place" if self.places(position) else "pick, drop"

    def flying(self, position: Any) -> str:
        """What else matters of who is to move."""
        return ""

    def why_lost(self, position: Any) -> str:
        """Why who is to move has lost, where that must be said."""
        return ""

    def reason(self, known: Known[Any, Any], wide: bool) -> Said | None:
        """The sentence about a position, where the game has one of its own."""
        return None

    def first_step(self, position: Any, move: Any) -> str:
        """The first step of a hint: what to move, or to do."""
        return "look for the best move"

    def origin(self, item: Previous[Any, Any]) -> str:
        """The name of a previous position: what will move, and where it stands."""
        return item.san

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """A note about a position, told about a symmetric copy of it."""
        return note

    def set_up(self, edit: Any) -> list[Fact]:
        """How a position stands that is being set up, each fact with the change that a click on it makes."""
        return []

    def rules_here(self, position: Any) -> dict[str, str]:
        """What the rules come to in a position, by their titles."""
        return {}


class ChessSpeech(Speech):
    """Mate in moves, men by their squares."""

    numbers = True
    kinds = frozenset(("king", "queen", "rook", "bishop", "knight", "pawn"))
    winning = "mate"
    losing = "mated"
    won = "mate"
    task = "Mate it"
    ends = result = "mated in {mate}", "mate in {mate}"
    lost = "checkmate"
    possible = "mate in {mate} is possible"
    layer = "S{n}, mated in {mate}", "S{n}, mate in {mate}"
    began = "mated in {mate}", "at mate in {mate}"
    win_in = ": mate in {mate}"
    estimate = "{{side}} mates in {mate}"
    moves = to_play = "Kd5, e8=Q, e7e8q"
    positions = "a FEN, KRvK, KRvK S12, S12/3, philidor"
    position = "FEN"
    starts = ("random, mirrored", "random, White is first")
    technical = "a pawn promoted safely, or an ending that you master"
    quiet = FIFTY_MOVES, "{} of 100"
    to_begin = "type a FEN, KRvK S12, or a study"

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """``KQvK``, ``KvKQ``."""
        return notation.plain_name(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The men by name; how many they are where no table can be."""
        try:
            return super().called(game, position)
        except EndgameError:
            return f"{position.occupied.bit_count()} men"

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
        return chess.piece_name(man.piece_type)

    def place(self, place: int) -> str:
        """``d5``."""
        return chess.square_name(place)

    def first_step(self, position: Any, move: Any) -> str:
        """The man, and where it stands."""
        man = position.piece_at(move.from_square)
        name = chess.piece_name(man.piece_type) if man else "man"
        return f"move the {name} on {chess.square_name(move.from_square)}"

    def origin(self, item: Previous[Any, Any]) -> str:
        """``Kd5``; ``c7=Q`` for a pawn that became a queen, ``Kd5xR`` for a king that took a rook."""
        piece = item.position.piece_at(item.move.from_square)
        taken = item.position.piece_at(item.move.to_square)
        became = f"={chess.piece_symbol(item.move.promotion).upper()}" if item.move.promotion else ""
        took = "xep" if item.kind == "en-passant" else f"x{taken.symbol().upper()}" if taken else ""
        return f"{piece.symbol().upper() if piece else ''}{chess.square_name(item.move.from_square)}{took}{became}"

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Squares, files and wings are those of the copy."""
        return notation.retold(note, told_of, copy)

    def set_up(self, edit: Any) -> list[Fact]:
        """Side to move, en passant, clock, men."""
        passed = "none" if edit.passed is None else chess.square_name(edit.passed)
        if edit.passed is None and edit.passable():
            passed = "none, e sets it"
        board = edit.drawn
        clock = [Fact(FIFTY_MOVES, str(board.halfmove_clock))] if board.halfmove_clock else []
        mover = Fact("to move", "White" if board.turn else "Black", change="turn")
        return [mover, Fact("en passant", passed), *clock, Fact("men", str(board.occupied.bit_count()))]


@cache
def speech_of(game: str) -> Speech:
    """How a game is told, by its name."""
    if game == "morris":
        from endgame_core.words.speech_stones import MorrisSpeech  # whoever plays chess need not wait for it

        return MorrisSpeech()
    return ChessSpeech() if game == "chess" else Speech()
