"""How a game is told: its depths, men and moves in words; what is told alike in all games stands beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import chess

from endgame_core.chess import notation
from endgame_core.errors import EndgameError
from endgame_core.values import Category
from endgame_core.words.told import FIFTY_MOVES, Fact, Said, capital, count, in_plies

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.judge import Known
    from endgame_core.tables.explorer import Previous, RatedMove


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
        was_possible: The same in a few words, when a drill is under way.
        layer: The layer, and how far the end is, unless its number says so.
        began: What a game began with, after ``You began``.
        win_in: How far a win is, after ``You can win``.
        resisting: How long a lost side can resist.
        missed: What a win let go was, after the best moves.
        estimate: That a side wins so soon, as a search has found; ``{{side}}`` is the side.
        opponent: Who profits from a move that loses; empty where it is named.
        stuck: What is said behind the side to move where it has no move.
        moves: Moves one may type, as examples.
        to_play: The same where a game is played.
        positions: Positions one may type to play from, as examples.
        to_find: An ending one may look for, as an example.
        example: Another, as one types it.
        to_add: What may be added to one's studies.
        position: What a position is called as text.
        starts: The random starts: either colour may come first, or White does.
        ended: What a search rests on that is sure of its result.
        few: How many best moves are named at most where a move was not among them.
        technical: What is enough for a technical win.
        aside: When grades come, while the verdict is hidden.
        declined: What is said when a draw that was offered is not taken.
        guessed_hint: What a hint says of itself where no table knows.
        no_prospect: What is said instead of where the game began, where no table knew.
        ungraded: What is said where no move of yours could be graded.
        all_best: What is said of the moves that could, where none lost anything.
        shown: That the rest was shown, before how many moves of yours came first.
        shower: Who plays a move that was shown.
        looked_up: How many positions a search found in tables: behind the others, and in a row of its own.
        quiet: What counts towards a draw besides repetitions, and how far it has come.
        first: How often a position has occurred that did so once.
        setup_keys: Keys before a game, and what they do.
        study_keys: Keys after it.
        kinds: What men are called.
    """

    name = ""
    numbers = False
    kinds: frozenset[str] = frozenset()
    winning = "the game won"
    losing = "the game lost"
    won = "won"
    task = "Win it"
    ends = "lost in {plies}", "win in {plies}"
    result = "loses in {plies}", "wins in {plies}"
    lost = "has lost"
    possible = "a win in {plies} is possible"
    was_possible = "win in {plies}"
    layer = "S{n}, lost", "S{n}, won"
    began = "with a loss in {plies}", "with a win in {plies}"
    win_in = " in {plies}"
    resisting = "{plies}"
    missed = ""
    estimate = "{{side}} wins in {plies}"
    opponent = ""
    stuck = " to move"
    moves = ""
    to_play = ""
    positions = "a position, S12"
    to_find = ""
    example = ""
    to_add = "a position"
    position = "position"
    starts = ("random, mirrored", "random, White to move")
    ended = "ends"
    few = 2
    technical = "an ending that you master"
    aside = "Grades come at the end; v shows the verdict."
    declined = "the defender plays on."
    guessed_hint = "  An estimate."
    no_prospect = "The tables know this position now: they reply."
    ungraded = "No table could grade your moves."
    all_best = "all the best there was"
    shown = "Shown", "An estimate"
    shower = "the table plays", "the search plays"
    looked_up = "", "{} of them in tables"
    quiet = "no capture", "{}/100"
    first = "1st time"
    setup_keys = (
        ("Enter", "begin"), (":", "a position, or a layer such as S13"), ("r", "random of this layer"),
        ("E", "set up the board"), ("O", "open a saved game"),
    )  # fmt: skip
    study_keys = (
        ("r", "play on from here"), ("+", "add this position to your drills"), ("o", "save the game, with grades"),
    )  # fmt: skip

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """The ending in the colours of the board."""
        return game.ending_of(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The ending of a position, at the beginning of a sentence."""
        return capital(game.title(game.ending_of(position)))

    def men(self, position: Any) -> str:
        """The men of a position, as a sentence names them."""
        return str(position)

    def placed(self, position: Any) -> list[Placed]:
        """The men of a position, White's first."""
        return []

    def hands(self, position: Any) -> str:
        """What is not on the board yet, a sentence; empty for nothing."""
        return ""

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
        return False

    def places(self, position: Any) -> bool:
        """Whether the next move places a man."""
        return False

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

    def rules(self, position: Any) -> tuple[tuple[str, tuple[str, ...], str], ...]:
        """The rules of the game, in pages: a title, what is told, and what that comes to in a position, or in None.

        Empty for a game whose rules everybody knows who plays it.
        """
        return ()


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
    was_possible = "mate in {mate} was possible"
    layer = "S{n}, mated in {mate}", "S{n}, mate in {mate}"
    began = "mated in {mate}", "at mate in {mate}"
    win_in = ": mate in {mate}"
    resisting = "{moves}"
    missed = ", mate in {mate}"
    estimate = "{{side}} mates in {mate}"
    opponent = "the other side"
    moves = to_play = "Kd5, e8=Q, e7e8q"
    positions = "a FEN, KRvK, KRvK S12, S12/3, philidor"
    to_find = example = "KBNvK"
    to_add = "a FEN, or a file of FEN, EPD or PGN"
    position = "FEN"
    starts = ("random, mirrored", "random, White is first")
    ended = "mates"
    few = 3
    technical = "a pawn promoted safely, or an ending that you master"
    aside = "Grades come after the game; v shows the verdict now."
    declined = "the defender plays on, and there is nothing to claim."
    guessed_hint = ""
    no_prospect = "No table reaches here: replies and hints are estimates."
    ungraded = "No table could grade it."
    all_best = "and none was an error"
    shown = "Shown by the table", "Shown, an estimate,"
    shower = "the table plays", "the search plays, an estimate"
    looked_up = ", {} in tables", ""
    quiet = FIFTY_MOVES, "{} of 100"
    first = "first time"
    setup_keys = (
        ("Enter", "begin"), (":", "type a FEN, KRvK S12, or a study"), ("r", "a random position of this layer"),
        ("E", "set up the board by hand"), ("O", "open a game from a PGN file"),
    )  # fmt: skip
    study_keys = (
        ("r", "play on from here, perfect defence"), ("+", "add this position to your drills"),
        ("o", "save the game as PGN, with grades"),
    )  # fmt: skip

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """``KQvK``, ``KvKQ``."""
        return notation.plain_name(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The men by name; how many they are where no table can be."""
        try:
            return super().called(game, position)
        except EndgameError:
            return f"{position.occupied.bit_count()} men"

    def men(self, position: Any) -> str:
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


class MorrisSpeech(Speech):
    """Wins in plies, stones by their points; and what no table knows: stones in hand."""

    name = "Nine Men’s Morris"
    kinds = frozenset(("stone",))
    stuck = ""
    moves = "d6-d7, c4-e3xd6"
    to_play = "d6, a7-d7, a7-d7xb4"
    positions = "a position, 3-4, 3-4 S13, S12"
    to_find = "3-4"
    example = "4-3"
    to_add = "a position, or a file of them, one a line"
    setup_keys = (
        ("Enter", "begin"), (":", "a position, 3-4, 3-4 S13"), ("r", "random of this layer"),
        ("E", "set up the board"), ("O", "open a saved game"),
    )  # fmt: skip

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """White's and Black's stones."""
        from endgame_core.morris.rules import BLACK, WHITE, count

        return "placing" if any(position.hands) else f"{count(position, WHITE)}-{count(position, BLACK)}"

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The same, or how many stones are in hand."""
        if any(position.hands):
            white, black = position.hands
            return "Nine stones each in hand" if white == black == 9 else f"{white} and {black} stones in hand"
        return f"{position.white.bit_count()}-{position.black.bit_count()}"

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

    def placed(self, position: Any) -> list[Placed]:
        """The stones on the board."""
        from endgame_core.morris.geometry import POINTS, points_of
        from endgame_core.morris.rules import mask_of

        found = [(side, POINTS[at]) for side in (0, 1) for at in points_of(mask_of(position, side))]
        return [Placed(("white", "black")[side], "stone", place, "OX"[side]) for side, place in sorted(found)]

    def hands(self, position: Any) -> str:
        """The stones still to be placed."""
        white, black = position.hands
        return f"In hand: White {white}, Black {black}." if white or black else ""

    def places_in_rows(self) -> list[str]:
        """The points."""
        from endgame_core.morris.geometry import POINTS

        return sorted(POINTS)

    def man(self, man: Any) -> str:
        """A stone."""
        del man
        return "stone"

    def place(self, place: int) -> str:
        """``d5``."""
        from endgame_core.morris.geometry import POINTS

        return POINTS[place]

    def in_hand(self, position: Any) -> bool:
        """Stones of either side."""
        return any(position.hands)

    def places(self, position: Any) -> bool:
        """While there are any in hand."""
        return bool(position.hands[position.turn])

    def flying(self, position: Any) -> str:
        """With three stones."""
        from endgame_core.morris.rules import flies

        return "flying" if flies(position, position.turn) else ""

    def why_lost(self, position: Any) -> str:
        """Stones that are left, or that cannot move."""
        from endgame_core.morris.rules import lost

        return lost(position)

    def reason(self, known: Known[Any, Any], wide: bool) -> Said | None:
        """What is lost; where one move that takes a stone is best, what it does, and with more room what others do."""
        from endgame_core.morris.geometry import POINTS
        from endgame_core.morris.notation import NAMES
        from endgame_core.morris.rules import new_mills

        position, verdict, found = known.position, known.verdict, known.by_depth
        if any(position.hands):
            return Said("", "No table knows stones in hand; s plays it against the search.")
        if verdict is None or known.problem is not None:
            return None
        if not found:
            return Said("S0", f"{NAMES[position.turn]} has lost: {self.why_lost(position)}.")
        best = [move for move in found if move.grade == "best"]
        if len(best) > 1 or not best[0].move.taken or verdict.category is not Category.WIN or len(found) == 1:
            return None
        (first, *_), taken = new_mills(position, best[0].move), best[0].move.taken
        mill, stones = "-".join(sorted(POINTS[p] for p in first)), " and ".join(POINTS[p] for p in taken)
        words = f"1 of {len(found)} moves is shortest: close {mill} and take {stones}."
        words += self._another(found, best[0], NAMES[1 - position.turn]) if wide else ""
        return Said(f"S{verdict.depth} → S{best[0].layer}", words)

    def _another(self, found: tuple[RatedMove[Any, Any], ...], best: RatedMove[Any, Any], opponent: str) -> str:
        """What the same step leads to when it takes another stone, if that is worse for all of them."""
        step = (best.move.source, best.move.end)
        others = [move for move in found if (move.move.source, move.move.end) == step and move is not best]
        if others and all(move.grade == "loss" for move in others):
            plies = min(move.layer or 0 for move in others)
            return f" Take another and {opponent} wins in {plies} plies."
        return " Take another and the win is gone." if others and all(move.grade == "draw" for move in others) else ""

    def first_step(self, position: Any, move: Any) -> str:
        """The stone to move, or the ring on which one is to be placed."""
        from endgame_core.morris.geometry import POINTS

        if move.source is None:
            return f"place a stone on the {('outer', 'middle', 'inner')[move.end // 8]} ring"
        return f"move the stone on {POINTS[move.source]}"

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Points and sides are those of the copy."""
        from endgame_core.morris.notation import retold

        return retold(note, told_of, copy)

    def set_up(self, edit: Any) -> list[Fact]:
        """Side to move, stones on the board and in hand."""
        from endgame_core.morris.rules import BLACK, WHITE, count

        here = edit.position
        return [
            Fact("to move", ("White", "Black")[here.turn], change="turn"),
            Fact("on board", f"White {count(here, WHITE)}, Black {count(here, BLACK)}"),
            *(
                Fact(f"{name}’s hand", str(here.hands[side]), change="hold", whose=(side,))
                for side, name in ((WHITE, "White"), (BLACK, "Black"))
            ),
        ]

    def rules(self, position: Any) -> tuple[tuple[str, tuple[str, ...], str], ...]:
        """Placing, moving, mills, flying, the end."""
        from endgame_core.morris.rules import count, flies

        stones, can_fly = list[str](), list[str]()
        if position is not None:
            for side, name in enumerate(("White", "Black")):
                stones.append(f"{name} has {count(position, side)} on the board and {position.hands[side]} in hand")
                can_fly += [name] * flies(position, side)
        flying = f"{' and '.join(can_fly) or 'nobody'} may fly"
        return (
            (
                "Placing",
                (
                    "White and Black place nine stones each in turn, one on any free point; nobody moves before all "
                    "are placed.",
                    "While stones are placed no table knows: what is told then is an estimate.",
                ),
                f"{', '.join(stones)}." if stones else "",
            ),
            (
                "Moving",
                (
                    "When all stones are placed, one is moved along a line to the next free point.",
                    "Who has exactly three stones may fly: to any free point.",
                ),
                f"{flying}." if stones else "",
            ),
            (
                "Mills",
                (
                    "Three stones of one side on a line are a mill. Who closes one takes a stone of the other "
                    "side that is in no mill, or any if all of them are.",
                    "One stone is taken for a move, though it close two mills. A mill may be opened and closed again.",
                ),
                "",
            ),
            (
                "The end",
                (
                    "Who has fewer than three stones has lost, and so has who cannot move.",
                    "A game is drawn when a position comes for the third time, or when nothing is taken for 100 plies. "
                    "Tables know nothing of that.",
                ),
                "",
            ),
        )


@cache
def speech_of(game: str) -> Speech:
    """How a game is told, by its name."""
    return {"chess": ChessSpeech, "morris": MorrisSpeech}.get(game, Speech)()
