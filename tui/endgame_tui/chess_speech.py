"""How chess is told where other games are told otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import chess

from endgame_core.collected import Record
from endgame_core.tables.explorer import RatedMove
from endgame_tui import scenes
from endgame_tui.widgets.board import BoardView


class ChessSpeech:
    """Mate in moves, men by their squares."""

    name = ""
    winning = "mate"
    losing = "mated"
    won = "mate"
    task = "Mate it"
    moves = "Kd5, e8=Q, e7e8q"
    to_find = "KBNvK"
    to_add = "a FEN, or a file of FEN, EPD or PGN"
    position = "FEN"
    metric = "dtm"
    starts = ("random, mirrored", "random, White is first")

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

    def men(self, position: chess.Board) -> str:
        """``White Ke6 Rf6, Black Kg8``."""
        sides: list[str] = []
        for colour in (chess.WHITE, chess.BLACK):
            men = [
                chess.piece_symbol(piece).upper() + chess.square_name(square)
                for piece in range(chess.KING, 0, -1)
                for square in position.pieces(piece, colour)
            ]
            sides.append(f"{chess.COLOR_NAMES[colour].capitalize()} {' '.join(men)}")
        return ", ".join(sides)

    def first_step(self, position: chess.Board, move: chess.Move) -> str:
        """The man, and where it stands."""
        man = position.piece_at(move.from_square)
        name = chess.piece_name(man.piece_type) if man else "man"
        return f"move the {name} on {chess.square_name(move.from_square)}"

    def picture(self, position: chess.Board, flipped: bool = False) -> BoardView:
        """The men."""
        return BoardView(men=scenes.men(position), flipped=flipped)

    def replayed(
        self,
        position: chess.Board,
        move: chess.Move | None,
        came: chess.Move | None,
        rated: Sequence[RatedMove[chess.Board, chess.Move]],
        flipped: bool,
    ) -> BoardView:
        """The man that moves shows where it could go, and the layers these moves lead to."""
        return BoardView(
            men=scenes.men(position),
            cursor=move.to_square if move else None,
            moved=(came.from_square, came.to_square) if came else None,
            labels=scenes.labels_of(rated, move.from_square) if move else {},
            flipped=flipped,
        )

    def retold(self, note: str, told_of: chess.Board, copy: chess.Board) -> str:
        """Squares, files and wings are those of the copy."""
        from endgame_core.chess.retelling import retold

        return retold(note, told_of, copy)

    def records(self, path: Path) -> Iterable[Record]:
        """FEN, EPD or PGN."""
        from endgame_core.chess import collections

        return collections.read(path)
