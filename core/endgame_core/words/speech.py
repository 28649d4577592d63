"""How a game is told: its depths, men and moves in words; what is told alike in all games stands beside it."""

from __future__ import annotations

from functools import cache
from typing import Any

from endgame_core.errors import EndgameError
from endgame_core.game import Game
from endgame_core.values import Category, Verdict
from endgame_core.words.told import count, in_plies, ordinal


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
        few: How many best moves are named at most where a move was not among them.
        ended_by: What stands behind the depths of a game that was won.
        aside: When grades come, while the verdict is hidden.
        declined: What is said when a draw that was offered is not taken.
        guessed_hint: What a hint says of itself where no table knows.
        no_prospect: What is said instead of where the game began, where no table knew.
        ungraded: What is said where no move of yours could be graded.
        all_best: What is said of the moves that could, where none lost anything.
        setup_keys: Keys before a game, and what they do.
        study_keys: Keys after it.
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
    few = 2
    ended_by = "end"
    aside = "Grades come at the end; v shows the verdict."
    declined = "the defender plays on."
    guessed_hint = "  An estimate."
    no_prospect = "The tables know this position now: they reply."
    ungraded = "No table could grade your moves."
    all_best = "all the best there was"
    setup_keys = (
        ("Enter", "begin"), (":", "a position, or a layer such as S13"), ("r", "random of this layer"),
        ("E", "set up the board"), ("O", "open a saved game"),
    )  # fmt: skip
    study_keys = (
        ("r", "play on from here"), ("+", "add this position to your drills"), ("o", "save the game, with grades"),
    )  # fmt: skip

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

    def later(self, was: int, now: int | None) -> str:
        """How much later a slower win comes, given the plies before and after the move; empty where layers say it."""
        del was, now
        return ""

    def missed(self, depth: int) -> str:
        """What a win let go was, after the best moves."""
        del depth
        return ""

    def opponent(self, mover: str) -> str:
        """Who profits from a move that loses."""
        return "Black" if mover == "white" else "White"

    def unknown(self, position: Any) -> str:
        """Why a move could not be graded, a clause."""
        del position
        return "no table knows this position"

    def shown(self, estimated: bool) -> str:
        """That the rest was shown, before how many moves of yours came first."""
        return "An estimate" if estimated else "Shown"

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

    # While a game is played

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The ending of a position, at the beginning of a sentence."""
        title = game.title(game.ending_of(position))
        return f"{title[:1].upper()}{title[1:]}"

    def win_in(self, depth: int) -> str:
        """How far a win is, after ``You can win``."""
        return f" in {count(depth, 'ply', 'plies')}"

    def resisting(self, depth: int) -> str:
        """How long a lost side can resist."""
        return in_plies(depth)

    def beginning(self, depth: int, wins: bool) -> str:
        """What a game began with, after ``You began``."""
        return f"with a {'win' if wins else 'loss'} in {count(depth, 'ply', 'plies')}"

    def doing(self, position: Any, taking: bool) -> str:
        """That it is your move, and of what kind."""
        del position, taking
        return "Your move"

    def choosing(self, position: Any) -> str:
        """What Enter does on the board, in the last row."""
        del position
        return "pick, drop"

    def guessing(self, position: Any) -> str:
        """That nobody knows a position, and why."""
        del position
        return "Replies and hints are estimates; no table reaches here."

    def rules(self, clock: int, occurrences: int) -> tuple[tuple[str, str, bool], ...]:
        """What counts towards a draw: a label, its value, and whether a draw may be had by it."""
        return ("no capture", f"{clock}/100", False), ("repeats", f"{ordinal(occurrences)} time", False)

    def looked_up(self, positions: str) -> tuple[str, str]:
        """How many positions a search found in tables: behind the others, and in a row of its own."""
        return "", f"{positions} of them in tables"

    def shower(self, estimated: bool) -> str:
        """Who plays a move that was shown."""
        return f"the {'search' if estimated else 'table'} plays"


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
    few = 3
    ended_by = "mate"
    aside = "Grades come after the game; v shows the verdict now."
    declined = "the defender plays on, and there is nothing to claim."
    guessed_hint = ""
    no_prospect = "No table reaches here: replies and hints are estimates."
    ungraded = "No table could grade it."
    all_best = "and none was an error"
    setup_keys = (
        ("Enter", "begin"), (":", "type a FEN, KRvK S12, or a study"), ("r", "a random position of this layer"),
        ("E", "set up the board by hand"), ("O", "open a game from a PGN file"),
    )  # fmt: skip
    study_keys = (
        ("r", "play on from here, perfect defence"), ("+", "add this position to your drills"),
        ("o", "save the game as PGN, with grades"),
    )  # fmt: skip

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

    def later(self, was: int, now: int | None) -> str:
        """``mate in 9 instead of 7``."""
        mate = (was + 1) // 2
        return f"mate in {mate if now is None or now < 0 else (now + 2) // 2} instead of {mate}"

    def missed(self, depth: int) -> str:
        """The mate."""
        return f", mate in {(depth + 1) // 2}"

    def opponent(self, mover: str) -> str:
        """Not by name."""
        return "the other side"

    def shown(self, estimated: bool) -> str:
        """By whom."""
        return f"Shown{', an estimate,' if estimated else ' by the table'}"

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
        from endgame_core.chess.notation import retold

        return retold(note, told_of, copy)

    def estimated(self, side: str, plies: int) -> str:
        """``White mates in 4``."""
        return f"{side} mates in {(plies + 1) // 2}"

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The men by name; how many they are where no table can be."""
        try:
            return super().called(game, position)
        except EndgameError:
            return f"{position.occupied.bit_count()} men"

    def win_in(self, depth: int) -> str:
        """By mate in so many moves."""
        return f": {self.ends(depth, True)}"

    def resisting(self, depth: int) -> str:
        """In moves."""
        return count((depth + 1) // 2, "move", "moves")

    def beginning(self, depth: int, wins: bool) -> str:
        """``at mate in 14``, ``mated in 7``."""
        return f"{'at ' if wins else ''}{self.ends(depth, wins)}"

    def rules(self, clock: int, occurrences: int) -> tuple[tuple[str, str, bool], ...]:
        """The 50-move rule, and threefold repetition."""
        times = "first time" if occurrences == 1 else f"{ordinal(occurrences)} time"
        return ("50 moves", f"{clock} of 100", False), ("repeats", times, occurrences >= 3)

    def looked_up(self, positions: str) -> tuple[str, str]:
        """All in one row."""
        return f", {positions} in tables", ""

    def shower(self, estimated: bool) -> str:
        """A search owns up to estimating."""
        return "the search plays, an estimate" if estimated else "the table plays"


class MorrisSpeech(Speech):
    """Wins in plies, stones by their points."""

    name = "Nine Men’s Morris"
    moves = "d6-d7, c4-e3xd6"
    to_play = "d6, a7-d7, a7-d7xb4"
    positions = "a position, 3-4, 3-4 S13, S12"
    to_type = "type a position, 3-4, 3-4 S12 or S12"
    to_find = "3-4"
    to_add = "a position, or a file of them, one a line"
    setup_keys = (
        ("Enter", "begin"), (":", "a position, 3-4, 3-4 S13"), ("r", "random of this layer"),
        ("E", "set up the board"), ("O", "open a saved game"),
    )  # fmt: skip

    def unknown(self, position: Any) -> str:
        """While stones are placed, that is why."""
        return "while stones are placed no table knows" if any(position.hands) else super().unknown(position)

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

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """White's and Black's stones, or how many are in hand."""
        if any(position.hands):
            white, black = position.hands
            return "Nine stones each in hand" if white == black == 9 else f"{white} and {black} stones in hand"
        return f"{position.white.bit_count()}-{position.black.bit_count()}"

    def doing(self, position: Any, taking: bool) -> str:
        """One of the three steps of a move."""
        placing = bool(position.hands[position.turn])
        return "Take a stone" if taking else "Place a stone" if placing else "Your move"

    def choosing(self, position: Any) -> str:
        """Stones in hand are placed."""
        return "place" if position.hands[position.turn] else super().choosing(position)

    def guessing(self, position: Any) -> str:
        """While stones are placed, that is why."""
        if any(position.hands):
            return "Replies and hints are estimates; tables begin when all stones are placed."
        return super().guessing(position)

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


@cache
def speech_of(game: str) -> Speech:
    """How a game is told, by its name."""
    return {"chess": ChessSpeech, "morris": MorrisSpeech}.get(game, Speech)()
