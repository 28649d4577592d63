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
    _("Board count"): _("How many placements of the pieces a layer has, including mirrored and rotated copies."),
    _("Category"): _("Win, cursed win, draw, blessed loss or loss: the result under the 50-move rule."),
    _("Compact table"): _(
        "A table without the slots of illegal positions. It is smaller, and a little slower to read."
    ),
    _("Conversion"): _("A capture or promotion that leads to another ending that is still won."),
    _("Cursed win"): _("A win by DTM that the 50-move rule turns into a draw: a capture or pawn move comes too late."),
    _("Defence"): _("How the opponent resists in lost positions: perfect, varied, tricky or human."),
    _("DTM"): _("Distance to mate, in plies, with best play by both sides. It ignores the 50-move rule."),
    _("DTZ"): _(
        "Distance to zeroing, in plies: how soon the winner can mate, capture or move a pawn and keep the win. It "
        "decides whether a win comes in time under the 50-move rule."
    ),
    _("Due"): _("A drill is due when the schedule (FSRS) expects that you are about to forget it."),
    _("Ending"): _(
        "A set of positions with the same pieces, such as KQvKR (king and queen against king and rook) or 4-3."
    ),
    _("En passant"): _(
        "Capturing a pawn that has just advanced two squares. Positions with this right are in no layer."
    ),
    _("EPD"): _("A line with a position and comments. Files with one position per line can be opened and imported."),
    _("Estimate"): _(
        "A value from a search, for positions in no table. It may be wrong and is not used to grade moves."
    ),
    _("FEN"): _("The text form of a chess position: pieces by rank, side to move, castling, en passant, counters."),
    _("50-move rule"): _(
        "After 50 moves by each side without a capture or pawn move, the player to move can claim a draw; after 75, "
        "the game ends in a draw."
    ),
    _("50-move counter"): _("The moves by each side since the last capture or pawn move. A FEN stores it in plies."),
    _("Flying"): _("In Morris, a player with three stones may move a stone to any free point."),
    _("Hint"): _("First the idea, then the piece, then the move. Hints lower the rating of a drill."),
    _("Index"): _("The number of a position in its table. Symmetric positions share one."),
    _("Layer"): _(
        "All positions of an ending that are won in the same number of plies: 12 plies in S12. S0 is the end."
    ),
    _("Level"): _(
        "How hard the starting positions of a theme are, from 1 to 8. Two solved drills raise it; a missed one "
        "lowers it."
    ),
    _("Map"): _("The value of the position with one piece on each of the other squares."),
    _("Mill"): _("In Morris, three stones of one side on a line. Closing a mill captures a stone."),
    _("Mutual zugzwang"): _("A position in which either side would give up half a point or more by having to move."),
    _("One-sided table"): _(
        "A table of one side to move; the other side is computed when needed. Smaller, but slower."
    ),
    _("Only move"): _("A position in which exactly one move keeps the result."),
    _("PGN"): _("The text form of chess games. Play opens, grades and saves PGN files."),
    _("Ply"): _("One move by one side. Two plies make one move by each side."),
    _("Previous positions"): _("The positions from which one legal move leads to this one, shown as un-moves: Kb3→c4."),
    _("Query"): _("Conditions for finding positions of an ending, for example: zugzwang and black to move."),
    _("Read-only tables"): _("Tables of other people or machines, given by --tables. They are used but never changed."),
    _("Retrograde analysis"): _(
        "Solving an ending backwards: from all mates to the positions one move before them, and so on, until nothing "
        "new is found. The remaining positions are draws."
    ),
    _("Stars"): _("Three for a perfect drill, two if a few moves were lost or one hint was taken, one with more help."),
    _("Streak"): _("Questions and only moves until the first mistake, or for three minutes, with a rating."),
    _("Study"): _("A position such as Lucena, with an explanation. Sets of studies can be practised and imported."),
    _("Sub-ending"): _(
        "An ending that a capture or promotion leads to. Building an ending builds its sub-endings first."
    ),
    _("Syzygy"): _("A table format with WDL and DTZ. Files in --syzygy are used where your own tables are missing."),
    _("Table"): _("A file with the value of every position of an ending."),
    pgettext("practice", "Theme"): _(
        "The subject of a drill: an ending with a range of layers, draws, questions, only moves, or a study."
    ),
    _("Underpromotion"): _("Promoting a pawn to a rook, bishop or knight."),
    _("Unique"): _(
        "The number of positions if those that differ only by mirroring, rotation or swapping identical pieces count "
        "as one."
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
