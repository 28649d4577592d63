"""A third game, a test double: players take one, two or three pearls from a heap, and who finds none left has lost.

It shows what a game must bring along; a position is a number, ``2 * pearls``, one more when Black is to move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endgame_core.chess.game import ChessGame
from endgame_core.errors import EndingError, PositionError
from endgame_core.game import (
    Codes,
    Cost,
    Game,
    Index,
    Listing,
    Lookup,
    MoveSurvey,
    Notation,
    Part,
    PositionRecord,
    QueryFacts,
    Slot,
    SolvedEnding,
    SolveProgress,
    SolverBudget,
    Spelling,
    derived_code,
    parity_part,
)
from endgame_core.game_state import GameState, Win
from endgame_core.metric import Metric
from endgame_core.query import Condition
from endgame_core.values import CODES_OF_BYTES, DRAW, Category, Verdict, Winner, byte_of, result_bits
from endgame_core.words.text_model import Speech

WINNERS: tuple[Winner, Winner] = ("white", "black")
HEAP = 64
"""So many heaps are an ending: ``H1`` those of up to 63 pearls, ``H2`` the next."""


def moves(position: int) -> Sequence[int]:
    """Who is to move takes one to three pearls."""
    return range(1, min(3, position >> 1) + 1)


def play(position: int, move: int) -> int:
    """The position after a move."""
    return (position - 2 * move) ^ 1


def _ending_of(position: int) -> str:
    if position >> 1 >= 2 * HEAP:
        raise EndingError("the heap is too large", f"tables reach {2 * HEAP - 1} pearls")
    return f"H{(position >> 1) // HEAP + 1}"


class _Arrays:
    """The index over many slots: every slot holds a position, and a slot is a number of pearls less those of H1."""

    def copies(self, ending: str, side: int, start: int, count: int) -> NDArray[np.uint8]:
        return np.ones(count, np.uint8)

    def copies_in(self, ending: str, side: int, box: Sequence[range]) -> NDArray[np.uint8]:
        return np.ones(len(box[0]), np.uint8)

    def keys(self, ending: str, side: int, slots: Any) -> NDArray[np.uint64]:
        return (_first(ending) + slots << 1 | (side == 0)).astype(np.uint64)

    def copied_keys(self, ending: str, side: int, slots: Any) -> NDArray[np.uint64]:
        return self.keys(ending, side, slots)[:, None]

    def slots_of_keys(self, ending: str, keys: Any) -> tuple[Any, Any]:
        slots = (keys >> np.uint64(1)).astype(np.int64) - _first(ending)
        return 1 - (keys & np.uint64(1)).astype(np.int64), np.where((slots < 0) | (slots >= HEAP), -1, slots)


class _OnePly:
    """Derives values by the rules."""

    def __init__(self, game: Game[int, int], ending: str, codes: Codes) -> None:
        self.game, self.ending, self.codes = game, ending, codes

    def _code(self, position: int) -> int:
        slot = self.game.index.slot_of(position)
        return CODES_OF_BYTES[self.codes(slot.ending, slot.side)[slot.index]]

    def derived(self, side: int, start: int, count: int) -> tuple[Any, Any]:
        slots = np.arange(start, start + count)
        positions = [self.game.index.position_at(self.ending, side, slot) for slot in slots.tolist()]
        return slots, np.array([derived_code(self.game, position, self._code) for position in positions], np.int32)


class ToyFacts(QueryFacts):
    """Evaluates no conditions but those on results and depths."""

    symmetries = 1
    kinds: Mapping[str, int] = {}

    def is_symmetric(self, condition: Condition, /) -> bool:
        return True

    def men_in_box(self, box: Sequence[range], /) -> Sequence[Any]:
        return [np.arange(box[0].start, box[0].stop)]

    def men_at(self, slots: Any, /) -> Sequence[Any]:
        return [slots]


class ToySolver:
    """Solves by the rules, position by position."""

    def compile_times(self, endings: Sequence[str], survey: bool = False) -> Mapping[str, float]:
        return {"nothing": 0.0}

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None], survey: bool = False) -> None:
        report("nothing")

    def examine(
        self, ending: str, codes: Codes, threads: int, on_progress: Callable[[SolveProgress], None]
    ) -> Iterator[MoveSurvey]:
        kept = self.canonical_bits(ending, 0, threads)
        yield MoveSurvey([result_bits(codes(ending, side), kept) for side in range(2)])

    def survey_memory(self, ending: str, wide: bool) -> int:
        return 0

    def canonical_bits(self, ending: str, side: int, threads: int, outer: Collection[int] = ()) -> NDArray[np.uint64]:
        return np.full(HEAP // 64, ~np.uint64(0))

    def solve(
        self,
        ending: str,
        lookup: Lookup,
        threads: int,
        on_progress: Callable[[SolveProgress], None],
        budget: SolverBudget | None = None,
    ) -> SolvedEnding:
        known = {("H1", side): lookup("H1", side) for side in range(2) if ending == "H2"}
        codes = known[ending, 0], known[ending, 1] = np.zeros(HEAP, np.uint8), np.zeros(HEAP, np.uint8)
        ply = _OnePly(TOY, ending, lambda name, side: known[name, side])
        for slot in range(HEAP):
            for side in range(2):
                codes[side][slot] = byte_of(int(ply.derived(side, slot, 1)[1][0]))
        on_progress(SolveProgress(0, 1, 1))
        return SolvedEnding(np.array(codes), np.full((2, 1), ~np.uint64(0)), 1, np.zeros((2, 256), np.int64))

    def query_facts(self, ending: str, side: int, codes: Lookup) -> ToyFacts:
        return ToyFacts()

    def one_ply_deriver(self, ending: str, codes: Codes) -> _OnePly:
        return _OnePly(TOY, ending, codes)


class ToyGameState(GameState[int, int]):
    """A game in progress. Pearls only become fewer, so that no position occurs twice and nothing is drawn."""

    def __init__(self, position: int) -> None:
        self._start = self._position = position
        self._history: list[int] = []

    @property
    def key(self) -> int:
        return self._position

    @property
    def clock(self) -> int:
        return 0

    @property
    def occurrences(self) -> int:
        return 1

    @property
    def evaluation(self) -> int:
        return 0

    @property
    def position(self) -> int:
        return self._position

    @property
    def start(self) -> int:
        return self._start

    @property
    def history(self) -> Sequence[int]:
        return self._history

    def copy(self) -> ToyGameState:
        result = ToyGameState(self._start)
        result._position = self._position
        result._history = self._history[:]
        return result

    def push(self, move: int) -> None:
        self._position = play(self._position, move)
        self._history.append(move)

    def pop(self) -> int:
        move = self._history.pop()
        self._position = (self._position ^ 1) + 2 * move
        return move

    def skip(self) -> bool:
        return False

    def moves(self) -> list[int]:
        return list(moves(self._position))

    def forcing_moves(self) -> list[int]:
        return []

    def gain(self, move: int) -> int:
        return 0

    def may_be_in_tables(self) -> bool:
        return self._position >> 1 < 2 * HEAP

    def board_outcome(self) -> Win | None:
        return None if self._position >> 1 else Win.BLOCKED

    def claimable_draw(self, move: int | None = None) -> None:
        return None

    def automatic_draw(self) -> None:
        return None


class ToyNotation(Notation[int, int]):
    """Games and positions in files: a heap on a line."""

    files = "with one heap per line"
    suffix = ".txt"

    def start_of(self, headers: Mapping[str, str]) -> int:
        if "FEN" not in headers:
            raise PositionError("the game has no start", "write it in the header FEN")
        return TOY.parse(headers["FEN"])

    def headers(self, start: int) -> Mapping[str, str]:
        return {"Variant": "Pearls", "SetUp": "1", "FEN": TOY.format(start)}

    def read_move(self, position: int, word: str) -> int:
        if word not in map(str, moves(position)):
            raise PositionError("is not a legal move")
        return int(word)

    def read_line(self, line: str) -> PositionRecord:
        return PositionRecord(position=TOY.format(TOY.parse(line)))

    def write_line(self, found: PositionRecord) -> str:
        return found.position


class ToySpeech(Speech):
    """The words for pearls."""

    name = "Pearls"
    moves = to_play = "1, 2"
    positions = "a heap such as 13 w, H1, S7"
    position = "heap"
    moves_without = ""
    how_won: Mapping[Win, str] = {Win.BLOCKED: "No pearl is left"}

    def men(self, position: int) -> str:
        return f"{position >> 1} pearls"


class _Index(Index[int, int]):
    """Slots are numbers of pearls."""

    def slots(self, ending: str) -> int:
        return HEAP

    def axes(self, ending: str) -> tuple[int, ...]:
        return (HEAP,)

    def key_words(self, ending: str) -> str:
        return "The other bits are the number of pearls."

    def key(self, position: int) -> int:
        return position ^ 1

    def from_key(self, ending: str, value: int) -> int:
        if _ending_of(value) != ending:
            raise PositionError(f"{value} is not a key of {ending}", "its heap is another one")
        return value ^ 1

    def arrays(self) -> _Arrays:
        return _Arrays()

    def slot_of(self, position: int) -> Slot:
        return Slot(_ending_of(position), position & 1, (position >> 1) % HEAP)

    def position_at(self, ending: str, side: int, index: int) -> int:
        return 2 * (_first(ending) + index) + side

    def parts(self, ending: str, winner: str | None, n: int | None, side: int = 0) -> Sequence[Part]:
        if winner is None or n is None:
            return [Part(ending, side, DRAW)]
        return [parity_part(ending, WINNERS.index(winner), n)]

    def family(self, slot: Slot, category: Category) -> tuple[str, str | None]:
        return slot.ending, WINNERS[slot.side if category is Category.WIN else 1 - slot.side]


class Toy(Game[int, int]):
    """The game of pearls."""

    name = "pearls"
    entry = "tests.toy_game:TOY"
    rules = "one to three"
    scheme = "heap-1"
    metric = Metric("pearls", "plies to the last pearl")
    winners = WINNERS
    index = _Index()
    example_position = "13 w"
    initial_position = ""
    file_notation = ToyNotation()
    speech = "tests.toy_game:ToySpeech"
    solver = ToySolver()
    listing = Listing("pearls", "H2", (("1", "small heaps", (1,)),), str)

    moves, play, ending_of = staticmethod(moves), staticmethod(play), staticmethod(_ending_of)

    def endings(self) -> Sequence[str]:
        return "H1", "H2"

    def canonical_name(self, text: str) -> str:
        if text.upper() not in self.endings():
            raise EndingError(f"{text!r} is not an ending", "write H1 or H2")
        return text.upper()

    def title(self, ending: str) -> str:
        return f"{_first(ending)} to {_first(ending) + HEAP - 1} pearls"

    def longest_known(self, ending: str) -> int | None:
        return None

    def needs(self, ending: str) -> Sequence[str]:
        return ["H1"] if ending == "H2" else []

    def cost(self, ending: str) -> Cost:
        return Cost(0.01, 1000, 1000)

    def expected_positions(self, ending: str) -> int:
        return 2 * HEAP

    def spelling_of(self, text: str) -> Spelling | None:
        if re.fullmatch(r"[hH]\d", text):
            return "ending"
        return "position" if re.fullmatch(r"\d{1,3} [wb]", text) else None

    def parse(self, text: str) -> int:
        found = re.fullmatch(r"(\d{1,3}) ?([wb])", text.strip())
        if found is None:
            raise PositionError(f"{text!r} is no heap", "write one like 13 w")
        return 2 * int(found[1]) + (found[2] == "b")

    def format(self, position: int) -> str:
        return f"{position >> 1} {'wb'[position & 1]}"

    def parse_move(self, position: int, text: str) -> int:
        if text not in map(str, moves(position)):
            raise PositionError(f"{text!r} is not a legal move here", "take one, two or three pearls")
        return int(text)

    def san(self, position: int, move: int) -> str:
        return str(move)

    def uci(self, move: int) -> str:
        return str(move)

    def mover(self, position: int) -> str:
        return self.winners[position & 1]

    def men(self, ending: str) -> Sequence[str]:
        return ["pearl"]

    def is_trivial(self, position: int) -> bool:
        return False

    def terminal(self, position: int) -> Verdict | None:
        return None if position >> 1 else Verdict(Category.LOSS, 0, self.winners[1 - position])

    def copies_of(self, position: int) -> Sequence[int]:
        return [position]

    def with_colours_swapped(self, position: int) -> int:
        return position ^ 1

    def with_side_switched(self, position: int) -> int | None:
        return position ^ 1

    def unmoves(self, position: int) -> Sequence[tuple[int, int]]:
        before = [((position ^ 1) + 2 * move, move) for move in (1, 2, 3)]
        return [found for found in before if self.ending_of(found[0]) == self.ending_of(position)]

    def start_game(self, position: int) -> ToyGameState:
        return ToyGameState(position)


def _first(ending: str) -> int:
    """The pearls of an ending's first heap."""
    return HEAP * (int(ending[1]) - 1)


TOY: Game[int, int] = Toy()


class ThirdMetric(ChessGame):
    """Chess by a metric of its own, whose depths are those of DTM."""

    entry = "tests.toy_game:CHESS_BY_THIRD"
    metric = Metric("dtx", "plies to the end of the test", to_end=False)


CHESS_BY_THIRD = ThirdMetric()
