"""The terms of the field, each explained in a sentence or two, for the search of the help and the palette."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Final

from endgame_core.language import _, pgettext

CONCEPTS: Final[Mapping[str, str]] = {
    _("Blessed loss"): _(
        "A loss by DTM that the 50-move rule turns into a draw: the opponent cannot capture or move a pawn in time."
    ),
    _("Board count"): _("The number of placements of the pieces in a layer, including mirrored and rotated copies."),
    _("Category"): _("Win, cursed win, draw, blessed loss or loss: the result under the 50-move rule."),
    _("Compact table"): _("A table that does not store illegal positions. It is smaller and slightly slower to read."),
    _("Conversion"): _("A capture or promotion into a different ending that is still won."),
    _("Cursed win"): _(
        "A win by DTM that the 50-move rule turns into a draw: the next capture or pawn move comes too late."
    ),
    _("Defence"): _("How the opponent defends lost positions: perfect, varied, tricky or human."),
    _("DTM"): _("Distance to mate, in plies, with best play by both sides. It ignores the 50-move rule."),
    _("DTZ"): _(
        "Distance to zeroing, in plies: how soon the winner can mate, or capture or move a pawn "
        "without giving up the win. It determines whether a win comes in time under the 50-move rule."
    ),
    _("Due"): _("A drill is due when the schedule (FSRS) expects you to forget it soon."),
    _("Ending"): _(
        "A set of positions with the same pieces, such as KQvKR (king and queen against king and "
        "rook), or 4-3 in Morris."
    ),
    _("En passant"): _(
        "Capturing a pawn that has just advanced two squares, as if it had advanced only one. "
        "Positions in which this is possible belong to no layer."
    ),
    _("EPD"): _("A text form of positions with comments, one position per line. You can open and import EPD files."),
    _("Estimate"): _(
        "A value that a search computes for a position that is not in any table. It may be wrong and "
        "is not used to grade moves."
    ),
    _("FEN"): _(
        "The text form of a chess position: pieces by rank, side to move, castling rights, en passant"
        " square and counters."
    ),
    _("50-move rule"): _(
        "After 50 moves by each side without a capture or pawn move, the player to move can claim a draw; after 75, "
        "the game ends in a draw."
    ),
    _("50-move counter"): _(
        "The number of moves by each side since the last capture or pawn move. A FEN stores it in plies."
    ),
    _("Flying"): _("In Morris, a player with three stones may move a stone to any free point."),
    _("Hint"): _("Help with the next move, in steps: first the idea, then the piece, then the move. Hints cost stars."),
    _("Index"): _("The number of a position in its table. Symmetric positions have the same index."),
    _("Layer"): _(
        "All positions of an ending that are won in the same number of plies, 12 in S12. S0 contains "
        "the final positions."
    ),
    _("Level"): _(
        "How hard the starting positions of a theme are, from 1 to 8. Solving two drills raises the "
        "level; missing one lowers it."
    ),
    _("Map"): _("Shows what the position would be worth with the selected piece on each of the other squares."),
    _("Mill"): _("In Morris, three stones of one side in a row along a line. Closing a mill captures a stone."),
    _("Mutual zugzwang"): _("A position in which whichever side has to move gives up half a point or more."),
    _("One-sided table"): _(
        "A table that stores the positions with one side to move; the others are computed when "
        "needed. It is smaller, but slower."
    ),
    _("Only move"): _("A position in which exactly one move keeps the result."),
    _("PGN"): _("The text form of chess games. You can open, grade and save PGN files on the Play screen."),
    _("Ply"): _("One move by one side. Two plies make one move by each side."),
    _("Previous positions"): _("The positions from which one legal move leads to this one, shown as un-moves: Kb3→c4."),
    _("Query"): _("Conditions for finding positions of an ending, for example: zugzwang and black to move."),
    _("Read-only tables"): _(
        "Tables of other people or machines, set with --tables. The program reads these tables but never changes them."
    ),
    _("Retrograde analysis"): _(
        "Solving an ending backwards: from all mates to the positions one move before them, and so on, until nothing "
        "new is found. The remaining positions are draws."
    ),
    _("Stars"): _(
        "Three stars for a perfect drill, two if you lost a few moves or used one hint, and one if "
        "you needed more help."
    ),
    _("Streak"): _(
        "A rated series of questions and only-move drills. It ends with your first mistake, or after three minutes."
    ),
    _("Study"): _(
        "A position with an explanation, such as the Lucena position. You can practise and import sets of studies."
    ),
    _("Sub-ending"): _(
        "An ending that a capture or promotion leads to. Building an ending builds its sub-endings first."
    ),
    _("Syzygy"): _(
        "A table format with WDL and DTZ. The files in the --syzygy directories are used where you "
        "have no tables of your own."
    ),
    _("Table"): _("A file with the value of every position of an ending."),
    pgettext("practice", "Theme"): _(
        "The subject of a drill: an ending with a range of layers, draws, questions, only moves, or a study."
    ),
    _("Underpromotion"): _("Promoting a pawn to a rook, bishop or knight."),
    _("Unique"): _(
        "The number of positions if positions that differ only by mirroring, rotation or swapping "
        "identical pieces count as one."
    ),
    _("Un-move"): _("A move that leads to the current position: Kb3→c4 is the king move from b3 to c4."),
    _("WDL"): _("Win, draw or loss: the result without a distance."),
    _("Zeroing move"): _("A capture or pawn move. It resets the 50-move counter."),
    _("Zugzwang"): _("A position in which having to move is a disadvantage."),
}
"""Term and explanation."""


def concepts_with(text: str) -> list[tuple[str, str]]:
    """The concepts whose term contains a text, or whose explanation has it as a word; terms first, of no letter any."""
    query = " ".join(text.casefold().split())
    if len(query) < 2:
        return []
    by_term = [item for item in CONCEPTS.items() if query in item[0].casefold()]
    by_text = [item for item in CONCEPTS.items() if item not in by_term and query in _words(item[1])]
    return by_term + by_text


def nearest(text: str, others: list[str]) -> list[str]:
    """The terms and other names that are most like a text, at most three."""
    names = {name.casefold(): name for name in (*others, *CONCEPTS)}
    return [names[match] for match in get_close_matches(text.casefold(), names, 3, 0.6)]


def _words(text: str) -> set[str]:
    return {word.strip(".,:;()").casefold() for word in text.split()}
