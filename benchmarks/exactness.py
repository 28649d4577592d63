"""Compares tables with published longest wins, and one ply deep with python-chess alone.

Run: ``python -m benchmarks.exactness --library DIR``. KPPvKP needs 109 other endings; what is not in DIR is built.
``python -m benchmarks.exactness KBPvKNN --positions 20000 --library DIR`` takes these endings, and so many positions.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import chess

from endgame_core.chess.game import CHESS
from endgame_core.tables.build import Build
from endgame_core.tables.library import Library
from endgame_core.values import DRAW, code_before

LONGEST = {
    "KRRvKR": 31, "KQRvKQ": 67, "KRBvKR": 65, "KBBvKN": 78, "KRPvKR": 74, "KNNvKP": 115, "KQPvKQ": 124, "KPPvKP": 127,
}  # fmt: skip
"""Longest wins in moves, of whichever side, as published for Nalimov and Gaviota tables."""

POSITIONS = 2_000
"""How many positions of an ending are compared, if nothing else is said."""


def draw(ending: str, rng: random.Random) -> chess.Board:
    """A random legal position; where pawns can meet, every other one has just seen a double push."""
    white, black = ending.split("v")
    men = [chess.Piece.from_symbol(letter) for letter in white + black.lower()]
    passing = "P" in white and "P" in black and rng.random() < 0.5
    while True:
        board = chess.Board(None)
        for man in men:
            ranks = chess.BB_ALL & ~chess.BB_BACKRANKS if man.piece_type == chess.PAWN else chess.BB_ALL
            board.set_piece_at(rng.choice(list(chess.SquareSet(ranks & ~board.occupied))), man)
        board.turn = rng.random() < 0.5
        if passing:
            step = 8 if board.turn else -8
            pushed = chess.BB_RANK_5 if board.turn else chess.BB_RANK_4
            pawns = list(chess.SquareSet(board.pieces_mask(chess.PAWN, not board.turn) & pushed))
            if not pawns:
                continue
            pawn = rng.choice(pawns)
            board.ep_square = pawn + step
            if board.occupied & (chess.BB_SQUARES[pawn + step] | chess.BB_SQUARES[pawn + 2 * step]):
                continue
        kings = board.king(chess.WHITE), board.king(chess.BLACK)
        assert kings[0] is not None and kings[1] is not None
        legal = chess.square_distance(kings[0], kings[1]) > 1 and not board.was_into_check()
        if legal and (not passing or board.has_legal_en_passant()):
            return board if rng.random() < 0.5 else board.mirror()


def derived(library: Library, board: chess.Board) -> int:
    """The code of a position by the rules and the positions one ply later."""
    if board.is_checkmate():
        return 0
    best = DRAW if board.is_stalemate() else 0
    for move in list(board.legal_moves):
        best = max(best, code_before(library.code(CHESS.play(board, move))))
    return best


def main() -> int:
    """Builds, compares and prints; returns 1 when anything differs."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.exactness", description=__doc__)
    options.add_argument("endings", nargs="*", metavar="ENDING", help="instead of those with published longest wins")
    options.add_argument("--positions", type=int, default=POSITIONS, help="of each ending")
    options.add_argument("--library", type=Path, required=True, help="a data directory to build in and to reuse")
    given = options.parse_args()
    library, endings = Library(CHESS, given.library), given.endings or list(LONGEST)
    for event in Build(library, endings).events():
        if event.event == "start":
            print(f"building {event.ending} ({event.step}/{event.steps})", file=sys.stderr)
    print(
        f"{'ending':10}{'longest':>8}{'published':>10}{'positions':>10}{'en passant':>11}{'captures':>9}{'differ':>8}"
    )
    failed = False
    for ending in endings:
        published, rng = LONGEST.get(ending), random.Random(1)
        boards = [draw(ending, rng) for _ in range(given.positions)]
        passing = sum(board.ep_square is not None for board in boards)
        captures = sum(board.is_capture(move) for board in boards for move in board.legal_moves)
        differ = sum(library.code(board) != derived(library, board) for board in boards)
        longest = library.entry(ending).longest
        failed |= bool(differ) or published not in (None, longest)
        print(
            f"{ending:10}{longest!s:>8}{published or '-':>10}{len(boards):10}{passing:11}{captures:9}{differ:8}",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
