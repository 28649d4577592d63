"""The walk: where the user is, where they came from, and all facts about the place.

No Textual here: the Explore screen shows what this module knows and tells it what was asked for.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from functools import cached_property

import chess

from endgame_core.chess import notation
from endgame_core.chess.game import ChessGame
from endgame_core.errors import EndgameError, LayerError, NotBuiltError, PositionError, TableError
from endgame_core.game import Category, Verdict, code_of
from endgame_core.tables.explorer import Explorer, Layers, Place, Previous, RatedMove

Move = RatedMove[chess.Board, chess.Move]
Earlier = Previous[chess.Board, chess.Move]
ChessExplorer = Explorer[chess.Board, chess.Move]

START = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
"""Where the first launch begins: the longest win of queen against king."""

WINNERS = ("white", "black")

METRICS = ("dtm", "dtz")
"""What layers count: plies to mate, or to the next zeroing move that keeps the result."""

MOST_CLOCK = 100
"""Plies without a zeroing move after which a draw can be claimed."""


class Facts:
    """All that the tables say about one position; found out when first asked for.

    Args:
        explorer: Whom to ask.
        position: The position.
        layers: Layers of endings looked up before; new ones are added.
        placed: Whether to find the place in the layer, too.
    """

    def __init__(
        self,
        explorer: ChessExplorer,
        position: chess.Board,
        layers: dict[str, Layers] | None = None,
        placed: bool = True,
    ) -> None:
        self.explorer = explorer
        self.position = position
        self.problem: EndgameError | None = None
        self.verdict: Verdict | None = None
        self.moves: list[Move] = []
        self.place: Place | None = None
        self.layers: Layers | None = None
        try:
            self.verdict = explorer.probe(position)
            self.moves = explorer.moves(position)
            if placed and position.occupied != position.kings:
                self.place = explorer.locate(position)
                self.layers = self._counts({} if layers is None else layers)
        except EndgameError as problem:
            self.problem = problem

    def _counts(self, known: dict[str, Layers]) -> Layers | None:
        """The layers of the ending, looked up once for all its positions."""
        assert self.place is not None
        ending = self.place.ending
        if ending not in known:
            known[ending] = self.explorer.layers(ending)
        return known[ending]

    @cached_property
    def sentence(self) -> str:
        """What the position is, and why the best move is best."""
        if self.problem is not None or self.verdict is None:
            return ""
        from endgame_core.tables.reason import sentence

        return sentence(self.verdict, self.moves, self.explorer.game.mover(self.position))

    @cached_property
    def previous(self) -> list[Earlier]:
        """The positions before this one."""
        if self.problem is not None:
            return []
        try:
            found = self.explorer.previous(self.position)
        except EndgameError:
            return []
        return sorted(found, key=_nearest)

    @cached_property
    def name(self) -> str:
        """The ending in the colours of the board."""
        return notation.plain_name(self.position)

    def family(self) -> str:
        """``White wins``, ``Black wins`` or ``draws``, in the colours of the board."""
        if self.verdict is None or self.verdict.winner is None:
            return "draws"
        return f"{self.verdict.winner.capitalize()} wins"


def _nearest(item: Earlier) -> tuple[bool, bool, int, int, str]:
    """Best play first, then what gave up little; then by layer, and by where the man came from."""
    layer = 999 if item.layer is None else item.layer
    return not item.best, item.gave_up is None, item.gave_up or 0, layer, origin_of(item)


def origin_of(item: Earlier) -> str:
    """A previous position's name: the man that will move, and where it stands."""
    piece = item.position.piece_at(item.move.from_square)
    letter = piece.symbol().upper() if piece else ""
    return letter + chess.square_name(item.move.from_square)


def _writing(position: chess.Board, move: chess.Move) -> tuple[str, str]:
    """Sorts moves nearly as their SAN would, at a fraction of the price."""
    piece = position.piece_type_at(move.from_square) or chess.KING
    return chess.piece_symbol(piece), chess.square_name(move.to_square)


@dataclass(slots=True)
class Step:
    """A place on the walk and the move that led to it, if a move did."""

    position: chess.Board
    move: chess.Move | None = None


@dataclass(slots=True)
class Walk:
    """A walk through positions, with its past and its undone future.

    Attributes:
        explorer: The tables by DTM.
        by_dtz: Those by DTZ, for who can walk through their layers.
        metric: Which of them the layers are of.
    """

    explorer: ChessExplorer
    by_dtz: ChessExplorer | None = None
    metric: str = "dtm"
    step: Step = field(default_factory=lambda: Step(chess.Board(START)))
    past: list[Step] = field(default_factory=list[Step])
    future: list[Step] = field(default_factory=list[Step])
    rng: random.Random = field(default_factory=random.Random)
    _facts: dict[tuple[str, str], Facts] = field(default_factory=dict[tuple[str, str], Facts])
    _layers: dict[str, dict[str, Layers]] = field(default_factory=lambda: {metric: {} for metric in METRICS})
    _line: list[tuple[chess.Board, chess.Move]] = field(default_factory=list[tuple[chess.Board, chess.Move]])

    @property
    def game(self) -> ChessGame:
        """The rules."""
        game = self.explorer.game
        assert isinstance(game, ChessGame)
        return game

    @property
    def position(self) -> chess.Board:
        """Where we are."""
        return self.step.position

    @property
    def here(self) -> ChessExplorer:
        """The tables whose layers are walked through."""
        return self.explorer if self.metric == "dtm" or self.by_dtz is None else self.by_dtz

    @property
    def facts(self) -> Facts:
        """All about where we are, by the metric of the layers."""
        return self._facts_by(self.metric)

    @property
    def by_dtm(self) -> Facts:
        """The same by DTM."""
        return self._facts_by("dtm")

    def _facts_by(self, metric: str) -> Facts:
        key = metric, self.position.fen()
        facts = self._facts.get(key)
        if facts is None:
            if len(self._facts) > 200:
                self._facts.clear()
            explorer = self.here if metric == self.metric else self.explorer
            facts = self._facts[key] = Facts(explorer, self.position, self._layers[metric])
        return facts

    def forget(self) -> None:
        """Asks the tables anew: some were built, repaired or removed."""
        self._facts.clear()
        for layers in self._layers.values():
            layers.clear()
        self._line.clear()

    def set_clock(self, plies: int) -> None:
        """Goes to the same position with so many plies since the last zeroing move; raises PositionError."""
        if not 0 <= plies <= MOST_CLOCK:
            raise PositionError(f"the clock is at most {MOST_CLOCK} plies, not {plies}", "then a draw can be claimed")
        board = self.position.copy(stack=False)
        board.halfmove_clock = plies
        self.go(board)

    def go(self, position: chess.Board, move: chess.Move | None = None) -> None:
        """Walks to a position."""
        self.past.append(self.step)
        self.future.clear()
        self.step = Step(position, move)

    def play(self, move: chess.Move) -> None:
        """Plays a legal move."""
        self.go(self.game.play(self.position, move), move)

    def undo(self) -> bool:
        """Goes back one step; False at the beginning."""
        if not self.past:
            return False
        self.future.append(self.step)
        self.step = self.past.pop()
        return True

    def redo(self) -> bool:
        """Takes back an undo; False when there is none."""
        if not self.future:
            return False
        self.past.append(self.step)
        self.step = self.future.pop()
        return True

    def line(self, most: int) -> list[chess.Move]:
        """The best line from here, at most so many plies; what is known of it is kept.

        Raises:
            EndgameError: A table on the way is missing or damaged.
        """
        facts = self.by_dtm
        if facts.problem is not None or not facts.moves or facts.verdict is None:
            return []
        best = facts.moves[0]
        if facts.verdict.depth is None:
            return [best.move]
        known = next((n for n, (board, _) in enumerate(self._line) if board == self.position), None)
        kept = [] if known is None else self._line[known:]
        if not kept or kept[0][1] != best.move:
            kept = [(self.position, best.move)]
        while len(kept) < most:
            position = self.game.play(*kept[-1])
            depth = facts.verdict.depth - len(kept)
            if depth <= 0:
                break
            kept.append((position, self._shortest(position, depth)))
        self._line = kept
        return [move for _, move in kept][:most]

    def _shortest(self, position: chess.Board, depth: int) -> chess.Move:
        """A best move of a position of known depth: the first found in the order of writing."""
        wins_now = depth % 2 == 1
        target = code_of(Category.LOSS if wins_now else Category.WIN, depth - 1)
        moves = sorted(self.game.moves(position), key=lambda move: _writing(position, move))
        for move in moves:
            if self.explorer.code(self.game.play(position, move)) == target:
                return move
        raise TableError(f"the table of {notation.name_of(position)[0]} contradicts itself", "verify it")

    def open(self, ending: str) -> None:
        """Goes to the longest win of an ending, the winner to move; to a draw when nobody wins.

        Raises:
            EndgameError: The name is no ending, or it is not built.
        """
        ending = self.game.canonical_name(ending)
        if self.metric == "dtm" and ending == self.game.ending_of(chess.Board(START)):
            self.go(chess.Board(START))
            return
        layers = self.here.layers(ending)
        winner = max(layers.families, key=lambda w: len(layers.families[w]), default=None)
        self._open_family(layers, winner)

    def _open_family(self, layers: Layers, winner: str | None) -> None:
        if winner is None:
            side = next((s for s, w in enumerate(WINNERS) if layers.draws[w].canonical), 0)
            self.go(self.here.nth(layers.ending, None, None, 1, side))
            return
        family = layers.families[winner]
        if self.metric == "dtm":
            n = next((row.n for row in reversed(family) if row.n % 2 and row.canonical), family[-1].n)
        else:
            n = next((row.n for row in reversed(family) if row.canonical), family[-1].n)
        self.go(self.here.nth(layers.ending, winner, n, 1))

    def next_family(self) -> None:
        """Changes between White's wins, Black's wins and the draws of this ending."""
        place, layers = self._placed()
        order: list[str | None] = [w for w in WINNERS if w in layers.families]
        if any(count.canonical for count in layers.draws.values()):
            order.append(None)
        if len(order) < 2:
            raise LayerError(f"{layers.ending} has only one kind of result", "there is no other family")
        at = order.index(place.winner) if place.winner in order else -1
        self._open_family(layers, order[(at + 1) % len(order)])

    def _placed(self) -> tuple[Place, Layers]:
        facts = self.facts
        if facts.problem is not None:
            raise facts.problem
        if facts.place is None or facts.layers is None:
            raise LayerError("two bare kings are a draw", "open an ending with more men")
        return facts.place, facts.layers

    def _at(self, place: Place, n: int | None, number: int, side: int) -> chess.Board:
        position = self.here.nth(place.ending, place.winner, n, number, side)
        return position.mirror() if place.swapped else position

    def to_row(self, row: int) -> None:
        """Goes to the first position of a row of the Layers panel."""
        place, layers = self._placed()
        if place.winner is None:
            if not layers.draws[WINNERS[row % 2]].canonical:
                raise LayerError(f"{place.ending} has no draws with that side to move", "")
            self.go(self._at(place, None, 1, row % 2))
        else:
            self.to_layer(layers.families[place.winner][row].n)

    def to_layer(self, n: int, number: int = 1) -> None:
        """Goes to a position of layer ``n`` of the same winner; raises LayerError."""
        place, layers = self._placed()
        family = layers.families.get(place.winner or "white", ())
        if not 0 <= n < len(family):
            last = f"S{len(family) - 1}" if family else "no layer"
            who = f"{place.winner or 'white'} wins"
            raise LayerError(f"there is no S{n} here, {who} go up to {last}", "choose a smaller n")
        self.go(self._at_layer(place, n, number))

    def _at_layer(self, place: Place, n: int, number: int) -> chess.Board:
        position = self.here.nth(place.ending, place.winner or "white", n, number)
        return position.mirror() if place.swapped else position

    def step_layer(self, by: int) -> None:
        """Goes to the next layer that has positions, nearer to the end or farther from it."""
        place, layers = self._placed()
        if place.n is None or place.winner is None:
            self.to_row(1 - place.side)
            return
        family = layers.families.get(place.winner, ())
        n = min(place.n + by, len(family) - (by < 0))
        while 0 <= n < len(family) and not family[n].canonical:
            n += by
        if not 0 <= n < len(family):
            end = "S0 is the end of the game" if by < 0 else f"S{max(place.n, len(family) - 1)} is the last layer"
            raise LayerError(end, "")
        self.to_layer(n)

    def step_position(self, by: int) -> None:
        """Goes to the next or previous position of the layer, round and round; its ends meet at what is in no list."""
        place = self._listed()
        number = place.number if by > 0 else max(place.number, 1)
        self.to_number((number - 1 + by) % place.total + 1)

    def to_number(self, number: int) -> None:
        """Goes to a position of this layer by its number; raises LayerError."""
        place, _ = self._placed()
        self.go(self._at(place, place.n, number, place.side))

    def randomly(self) -> None:
        """Goes to a random position of this layer."""
        self.to_number(self.rng.randint(1, self._listed().total))

    def _listed(self) -> Place:
        """The place, when its layer has a list to walk through (only en passant can lead to one that has none)."""
        place, _ = self._placed()
        if not place.total:
            raise LayerError("no other position is in this layer", "[ and ] go to the layers beside it")
        return place

    def promotions(self, text: str) -> list[chess.Move]:
        """The promotions that a typed move may mean when it does not say to what; see the notation."""
        return notation.promotions(self.position, text)

    def typed(self, text: str) -> None:
        """Does what was typed: a move, a layer, a place, an ending or a position.

        Raises:
            EndgameError: It is none of these, or cannot be done here.
        """
        if match := re.fullmatch(r"(?i)clock\s*(\d{1,6})", text):
            self.set_clock(int(match[1]))
        elif re.match(r"(?i)clock\b", text):
            raise PositionError("the clock is a number of plies", f"type clock and 0 to {MOST_CLOCK}")
        elif match := re.fullmatch(r"[sS](\d+)(?:/(\d+))?", text) or re.fullmatch(r"(\d+)/(\d+)", text):
            self.to_layer(int(match[1]), int(match[2] or 1))
        elif re.fullmatch(r"\d+", text) and self._is_number(int(text)):
            self.to_number(int(text))
        elif re.fullmatch(r"(?i)k[qrbnp]*v?k[qrbnp]*", text):
            self.open(text)
        elif "/" in text or "\n" in text or text.isdigit():
            self.go(self.game.parse(text))
        else:
            self.play(self._typed_move(text))

    def _is_number(self, number: int) -> bool:
        place = self.facts.place
        return place is not None and 0 <= number <= place.total

    def _typed_move(self, text: str) -> chess.Move:
        if not text:
            raise PositionError("nothing was typed", "type a move, a FEN, S12, 12/3 or KBNvK")
        return self.game.parse_move(self.position, text)


def unbuilt(problem: EndgameError | None) -> str | None:
    """The ending whose table is missing, when that is the problem."""
    return problem.ending if isinstance(problem, NotBuiltError) else None


def is_over(facts: Facts) -> bool:
    """Whether the game has ended here."""
    return facts.problem is None and not facts.moves


def loses(facts: Facts) -> bool:
    """Whether the side to move loses."""
    return facts.verdict is not None and facts.verdict.category in (Category.LOSS, Category.BLESSED_LOSS)
