"""How a game is told: its depths, men and moves in words; what is told alike in all games stands beside it."""

from __future__ import annotations

from functools import cache
from typing import Any

from endgame_core.values import Category, Verdict
from endgame_core.words.numbers import count


class Speech:
    """The words of a game, here of one whose depths are told in plies; other games say otherwise what they do.

    Attributes:
        name: The game, where it must be said; empty for chess.
        winning: What a won drill ends with, after ``Solved means``.
        losing: What happens to the loser, after ``or``.
        won: The end of a won game, in a word.
        task: The drill of winning, as a heading.
        moves: Moves one may type, as examples.
        to_play: The same where a game is played.
        positions: Positions one may type to play from, as examples.
        to_type: What to type where nothing was.
        to_find: An ending one may look for, as an example.
        to_add: What may be added to one's studies.
        position: What a position is called as text.
        starts: The random starts: either colour may come first, or White does.
        ended: What a search rests on that is sure of its result.
    """

    name = ""
    winning = "the game won"
    losing = "the game lost"
    won = "won"
    task = "Win it"
    moves = ""
    to_play = ""
    positions = "a position, S12"
    to_type = "type a position, or a layer such as S12"
    to_find = ""
    to_add = "a position"
    position = "position"
    starts = ("random, mirrored", "random, White to move")
    ended = "ends"

    def ends(self, depth: int, wins: bool) -> str:
        """How many moves or plies the end is away, for who wins or for who loses: ``win in 13 plies``."""
        return f"{'win' if wins else 'lost'} in {count(depth, 'ply', 'plies')}"

    def possible(self, depth: int) -> str:
        """What perfect play needs for a win."""
        return f"a {self.ends(depth, True)} is possible"

    def was_possible(self, depth: int) -> str:
        """The same in a few words, when a drill is under way."""
        return self.ends(depth, True)

    def layer(self, depth: int, wins: bool) -> str:
        """The layer, and how far the end is, unless its number says so."""
        return f"S{depth}, {'won' if wins else 'lost'}"

    def result(self, verdict: Verdict) -> str:
        """The result for the side to move: ``wins in 13 plies``."""
        if verdict.depth is None:
            return "draw"
        if verdict.depth == 0:
            return "has lost"
        wins = verdict.category is Category.WIN
        return f"{'wins' if wins else 'loses'} in {count(verdict.depth, 'ply', 'plies')}"

    def men(self, position: Any) -> str:
        """The men of a position, as a sentence names them."""
        return str(position)

    def first_step(self, position: Any, move: Any) -> str:
        """The first step of a hint: what to move, or to do."""
        del position, move
        return "look for the best move"

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """A note about a position, told about a symmetric copy of it."""
        del told_of, copy
        return note

    def estimated(self, side: str, plies: int) -> str:
        """That a side wins in so many plies, as a search has found."""
        return f"{side} wins in {count(plies, 'ply', 'plies')}"


class ChessSpeech(Speech):
    """Mate in moves, men by their squares."""

    winning = "mate"
    losing = "mated"
    won = "mate"
    task = "Mate it"
    moves = to_play = "Kd5, e8=Q, e7e8q"
    positions = "a FEN, KRvK, KRvK S12, S12/3, philidor"
    to_type = "type a FEN, KRvK, KRvK S12 or S12"
    to_find = "KBNvK"
    to_add = "a FEN, or a file of FEN, EPD or PGN"
    position = "FEN"
    starts = ("random, mirrored", "random, White is first")
    ended = "mates"

    def ends(self, depth: int, wins: bool) -> str:
        """``mate in 7``, ``mated in 7``."""
        return f"mate{'' if wins else 'd'} in {(depth + 1) // 2}"

    def possible(self, depth: int) -> str:
        """Mate in so many moves."""
        return f"{self.ends(depth, True)} is possible"

    def was_possible(self, depth: int) -> str:
        """The same afterwards."""
        return f"{self.ends(depth, True)} was possible"

    def layer(self, depth: int, wins: bool) -> str:
        """``S13, mate in 7``."""
        return f"S{depth}, {self.ends(depth, wins)}"

    def result(self, verdict: Verdict) -> str:
        """``mate in 7``, ``mated in 7``."""
        if verdict.depth is None:
            return "draw"
        return self.ends(verdict.depth, verdict.category is Category.WIN) if verdict.depth else "checkmate"

    def men(self, position: Any) -> str:
        """``White Ke6 Rf6, Black Kg8``."""
        import chess

        sides: list[str] = []
        for colour in (chess.WHITE, chess.BLACK):
            men = [
                chess.piece_symbol(piece).upper() + chess.square_name(square)
                for piece in range(chess.KING, 0, -1)
                for square in position.pieces(piece, colour)
            ]
            sides.append(f"{chess.COLOR_NAMES[colour].capitalize()} {' '.join(men)}")
        return ", ".join(sides)

    def first_step(self, position: Any, move: Any) -> str:
        """The man, and where it stands."""
        import chess

        man = position.piece_at(move.from_square)
        name = chess.piece_name(man.piece_type) if man else "man"
        return f"move the {name} on {chess.square_name(move.from_square)}"

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Squares, files and wings are those of the copy."""
        from endgame_core.chess.retelling import retold

        return retold(note, told_of, copy)

    def estimated(self, side: str, plies: int) -> str:
        """``White mates in 4``."""
        return f"{side} mates in {(plies + 1) // 2}"


class MorrisSpeech(Speech):
    """Wins in plies, stones by their points."""

    name = "Nine Men’s Morris"
    moves = "d6-d7, c4-e3xd6"
    to_play = "d6, a7-d7, a7-d7xb4"
    positions = "a position, 3-4, 3-4 S13, S12"
    to_type = "type a position, 3-4, 3-4 S12 or S12"
    to_find = "3-4"
    to_add = "a position, or a file of them, one a line"

    def men(self, position: Any) -> str:
        """``White a1 b4 d6, Black c3 f2 g7``, and what is in hand."""
        from endgame_core.morris.geometry import POINTS, points_of
        from endgame_core.morris.rules import mask_of

        sides: list[str] = []
        for side, name in enumerate(("White", "Black")):
            points = " ".join(POINTS[point] for point in points_of(mask_of(position, side)))
            hand = f" and {position.hands[side]} in hand" if position.hands[side] else ""
            sides.append(f"{name} {points}{hand}")
        return ", ".join(sides)

    def first_step(self, position: Any, move: Any) -> str:
        """The stone to move, or the ring on which one is to be placed."""
        from endgame_core.morris.geometry import POINTS

        if move.source is None:
            return f"place a stone on the {('outer', 'middle', 'inner')[move.end // 8]} ring"
        return f"move the stone on {POINTS[move.source]}"

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Points and sides are those of the copy."""
        from endgame_core.morris.retelling import retold

        return retold(note, told_of, copy)


@cache
def speech_of(game: str) -> Speech:
    """How a game is told, by its name."""
    return {"chess": ChessSpeech, "morris": MorrisSpeech}.get(game, Speech)()
