"""How chess is told where other games are told otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import chess

from endgame_core.collected import Collected
from endgame_core.tables.explorer import RatedMove
from endgame_core.words import speech
from endgame_tui import scenes
from endgame_tui.widgets.squares import SquaresView


class ChessSpeech(speech.ChessSpeech):
    """Its pictures, and what is read and told of positions."""

    metric = "dtm"

    def picture(self, position: chess.Board, flipped: bool = False) -> SquaresView:
        """The men."""
        return SquaresView(men=scenes.men(position), flipped=flipped)

    def replayed(
        self,
        position: chess.Board,
        move: chess.Move | None,
        came: chess.Move | None,
        rated: Sequence[RatedMove[chess.Board, chess.Move]],
        flipped: bool,
    ) -> SquaresView:
        """The man that moves shows where it could go, and the layers these moves lead to."""
        return SquaresView(
            men=scenes.men(position),
            cursor=move.to_square if move else None,
            moved=(came.from_square, came.to_square) if came else None,
            labels=scenes.labels_of(rated, move.from_square) if move else {},
            flipped=flipped,
        )

    def records(self, path: Path) -> Iterable[Collected]:
        """FEN, EPD or PGN."""
        from endgame_core.chess import collections

        return collections.read(path)
