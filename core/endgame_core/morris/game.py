"""Nine Men's Morris as a :class:`~endgame_core.game.Game`: tables of the moving phase, and whole games as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from endgame_core.errors import EndingError, PositionError
from endgame_core.game import (
    Arrays,
    Codes,
    Cost,
    DigitFilter,
    Game,
    Index,
    Listing,
    Lookup,
    MoveSurvey,
    Notation,
    OnePlyDeriver,
    Part,
    PositionRecord,
    QueryFacts,
    Slot,
    SolvedEnding,
    SolveProgress,
    SolverBudget,
    Spelling,
    parity_part,
)
from endgame_core.morris import index as pairs
from endgame_core.morris import notation
from endgame_core.morris import rules as law
from endgame_core.morris.geometry import POINTS, image
from endgame_core.morris.rules import BLACK, FEWEST, FINGERPRINT, START, WHITE, MorrisMove, Position
from endgame_core.query import Vocabulary
from endgame_core.untrusted import unquoted
from endgame_core.values import DRAW, WINNERS, Category, Verdict, Winner, result_bits

if TYPE_CHECKING:
    from endgame_core.morris.game_state import MorrisGameState

_ENDING = re.compile(r"\d+[-–]\d+")
_POSITION = re.compile(r"[^/]+/[^/]+/[^/]+|[1-9][0-9]?-[1-9][0-9]?:\d+|\[\[.*", re.DOTALL)
_DIGITS = 30
"""Of a key, at most."""
_BYTES_AT_LEAST = 250_000_000
"""Of memory to build a pair: the process itself, and all rows of White's stones with their moves."""
_BYTES_PER_SLOT = {1: 3.75, 2: 4.75}
"""Of memory besides, by the sides to move that are solved: codes, counts of moves, layers."""
_NUMBERS = ("three", "four", "five", "six", "seven", "eight", "nine")


_WINNERS: tuple[Winner, Winner] = ("mover", "opponent")


def _ending_of(position: Position) -> str:
    """The pair a position belongs to; raises EndingError while stones are in hand, and when a player has lost."""
    white, black = (law.count(position, player) for player in (WHITE, BLACK))
    if any(position.hands):
        raise EndingError("stones are still in hand", "tables begin when all are placed")
    if min(white, black) < FEWEST:
        raise EndingError("the game is over", "tables need three stones on each side")
    return pairs.name_of(white, black)


def _is_trivial(position: Position) -> bool:
    """Whether the side to move has too few stones, so that the position is in no table."""
    return law.total(position, position.turn) < FEWEST


def _from_key(ending: str, value: int) -> Position:
    """The position of a key; raises PositionError."""
    result = notation.from_key(value)
    white, black = pairs.parse_ending(ending)
    if (law.count(result, WHITE), law.count(result, BLACK)) != (white, black) or any(result.hands):
        raise PositionError(f"{value} is no key of {ending}", f"White has {white} stones there and Black {black}")
    return result


def _parse(text: str) -> Position:
    """Reads a line of text, a key after its ending (``4-3:1234``) or a nested state; raises PositionError."""
    text = unquoted(text)
    if text.startswith("["):
        return notation.parse_nested(text)
    head, colon, value = text.partition(":")
    if colon and value.isascii() and value.isdigit() and len(value) <= _DIGITS:
        return _from_key(head, int(value))
    return notation.parse_line(text)


class MorrisIndex(Index[Position, MorrisMove]):
    """The slots of pairs; see :mod:`endgame_core.morris.index`."""

    slots = staticmethod(pairs.slots)
    axes = staticmethod(pairs.axes)
    key = staticmethod(notation.key)
    from_key = staticmethod(_from_key)

    def key_words(self, ending: str) -> str:
        """Which bit of a key is which point."""
        white, black = pairs.stones_of(ending)
        alike = "White is to move in every file, since the players have as many stones. " if white == black else ""
        return (
            "Bits 1 to 24 are the points with a white stone, bits 25 to 48 those with a black one: the outer ring "
            f"clockwise from its top left corner, the middle ring, the inner one ({' '.join(POINTS)}). {alike}"
        ).rstrip()

    def arrays(self) -> Arrays:
        """The index over many slots at once; imports numpy."""
        from endgame_core.morris import arrays

        return arrays

    def slot_of(self, position: Position) -> Slot:
        """The table slot of a position in its moving phase; imports numpy."""
        from endgame_core.morris.arrays import index_of

        name = _ending_of(position)
        white, black = (law.count(position, player) for player in (WHITE, BLACK))
        swapped = position.turn == BLACK if white == black else white < black
        own, other = (position.black, position.white) if swapped else (position.white, position.black)
        return Slot(name, int((position.turn == BLACK) != swapped), index_of(own, other), swapped)

    def position_at(self, ending: str, side: int, index: int) -> Position:
        """The position in a slot, White being the side named first; imports numpy."""
        from endgame_core.morris.arrays import masks_at

        return Position(*masks_at(ending, index), side)

    def trivial_code(self, position: Position) -> int:
        """That of a loss: the player has too few stones."""
        return 0

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> Sequence[Part]:
        """Where layer S_n is, or the draws, all with the player named first in ``ending`` to move.

        Args:
            ending: From the mover's side: ``3-4`` is a part of the table ``4-3``.
            winner: ``mover``, who has the odd layers, or ``opponent``, who has the even ones; None for draws.
            n: The layer; None for draws.
            side: Of no meaning here.

        Raises:
            LayerError: No table reaches so far.
        """
        first, second = pairs.parse_ending(ending)
        table, mover = pairs.name_of(first, second), int(first < second)
        if winner is None or n is None:
            return [Part(table, mover, DRAW)]
        won_by = mover if winner == _WINNERS[0] else 1 - mover
        part = parity_part(table, won_by, n)
        return [part] if part.side == mover else []

    def family(self, slot: Slot, category: Category) -> tuple[str, Winner | None]:
        """The ending from the mover's side, and who wins."""
        white, black = pairs.stones_of(slot.ending)
        ending = f"{black}-{white}" if slot.side else slot.ending
        return ending, None if category is Category.DRAW else _WINNERS[category is not Category.WIN]


class MorrisSolver:
    """Builds and proves pairs. A :class:`~endgame_core.game.Solver`; what it imports waits until it is asked for."""

    def compile_times(self, endings: Sequence[str], survey: bool = False) -> Mapping[str, float]:
        """What is compiled for any pair, and about how many seconds each takes; nothing to look at moves."""
        return {} if survey and not endings else {"moves of both sides": 11.0, "captures": 2.0}

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None], survey: bool = False) -> None:
        """Compiles what these pairs need for this machine, once; tells ``report`` what it is at."""
        from endgame_core.morris.solver import warm_up

        if endings:
            warm_up(report)

    def canonical_bits(self, ending: str, side: int, threads: int, digits: DigitFilter = ()) -> Any:
        """Which slots of one side to move are kept in a table: uint64 of shape (slots / 64,); imports numpy."""
        from endgame_core.morris.arrays import kept

        return kept(ending, side)

    def solve(
        self,
        ending: str,
        lookup: Lookup,
        threads: int,
        on_progress: Callable[[SolveProgress], None],
        budget: SolverBudget | None = None,
    ) -> SolvedEnding:
        """Solves a pair; imports numba, which nothing else here does."""
        from endgame_core.morris.solver import solve

        return solve(ending, lookup, threads, on_progress)

    def examine(
        self, ending: str, codes: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]
    ) -> Iterator[MoveSurvey]:
        """Both sides to move; of moves nothing is told, for a stone never hangs. Imports numpy."""
        from endgame_core.morris.arrays import exchanged, kept

        white, slots = codes(ending, 0), kept(ending, 0)
        if len(set(pairs.stones_of(ending))) == 1:
            yield MoveSurvey([result_bits(white, slots), result_bits(exchanged(ending, white), slots)])
        else:
            yield MoveSurvey([result_bits(white, slots), result_bits(codes(ending, 1), kept(ending, 1))])

    def survey_memory(self, ending: str, wide: bool) -> int:
        """Bytes of memory that it takes: codes of both sides, and what is made of them."""
        return _BYTES_AT_LEAST + 4 * pairs.slots(ending)

    def one_ply_deriver(self, ending: str, codes: Codes) -> OnePlyDeriver:
        """Derives values one ply deep, many at once; imports numpy."""
        from endgame_core.morris import arrays

        return arrays.MorrisOnePly(ending, codes)

    def query_facts(self, ending: str, side: int, codes: Lookup) -> QueryFacts:
        """Answers queries; imports numpy."""
        from endgame_core.morris.query_facts import MorrisQueryFacts

        return MorrisQueryFacts(ending, side, codes)


NAME: Final = "Nine Men's Morris"
"""What the header ``Variant`` says."""


class MorrisNotation(Notation[Position, MorrisMove]):
    """Positions as a line of text in the header ``FEN``, moves such as ``a7-d7xb4``."""

    files = "with a position in each line"
    suffix = ".txt"

    def start_of(self, headers: Mapping[str, str]) -> Position:
        """The position of the header ``FEN``, else the empty board; raises PositionError."""
        if headers.get("Variant", NAME) != NAME:
            raise PositionError(f"it is a game of {headers['Variant']}", f"only {NAME} is played here")
        return notation.parse_line(headers["FEN"]) if "FEN" in headers else START

    def headers(self, start: Position) -> Mapping[str, str]:
        """The game; the position when it is not the empty board."""
        return {"Variant": NAME, **({} if start == START else {"SetUp": "1", "FEN": notation.line(start)})}

    def read_move(self, position: Position, word: str) -> MorrisMove:
        """The move; raises PositionError."""
        try:
            return notation.parse_move(position, word)
        except PositionError:
            raise PositionError("is no legal move") from None

    def read_line(self, line: str) -> PositionRecord:
        """A position in any notation, and a note after ``;``."""
        position, _, note = line.partition(";")
        return PositionRecord(position=notation.line(_parse(position)), note=note.strip())

    def write_line(self, found: PositionRecord) -> str:
        """The position, and its note after ``;``."""
        return f"{found.position} ; {found.note}" if found.note else found.position


_VOCABULARY = Vocabulary(
    points=POINTS,
    zones=(
        ("outer", POINTS[:8]), ("middle", POINTS[8:16]), ("inner", POINTS[16:]), ("corner", POINTS[::2]),
        ("crossing", POINTS[1::2]),
    ),
    facts=frozenset(
        ["on", "mills", "moves", "best moves", "winning moves", "drawing moves", "only move", "best move"]
    ),
    kinds=("capture", "quiet"),
    why_not="Nine Men's Morris has stones, mills and captures, and no 50-move rule",
)  # fmt: skip


class MorrisGame(Game[Position, MorrisMove]):
    """The 28 pairs of three to nine stones.

    A table holds both sides to move of a pair. Its name has the larger number first (``4-3``), and so have the endings
    of the catalogue; layers are told from the mover's side, so there ``3-4`` means that the player to move has three.
    """

    name = "morris"
    entry = "endgame_core.morris.game:MORRIS"
    rules = FINGERPRINT
    scheme = "orbit-rank-1"
    metric = "depth"
    winners = _WINNERS
    index = MorrisIndex()
    solver = MorrisSolver()
    file_notation = MorrisNotation()
    vocabulary = _VOCABULARY
    example_position = "OXOOXX2/8/8 w"
    initial_position = "8/8/8 w 9-9"
    listing = Listing(
        unit="stones",
        example="6-4",
        sets=(("7", "up to 7 stones", (6, 7)), ("8", "up to 8", (6, 7, 8)), ("0", "up to 10", (6, 7, 8, 9, 10))),
        order=str,
    )

    ending_of = staticmethod(_ending_of)
    is_trivial = staticmethod(_is_trivial)
    longest_known = staticmethod(pairs.LONGEST.get)
    needs = staticmethod(pairs.needs)
    parse = staticmethod(_parse)
    parse_move = staticmethod(notation.parse_move)
    format = staticmethod(notation.line)
    formats = MappingProxyType(
        {"fen": notation.line, "short": notation.line, "key": notation.key_text, "nested": notation.nested}
    )
    uci = staticmethod(notation.spell)
    moves = staticmethod(law.moves)
    play = staticmethod(law.play)
    unmoves = staticmethod(law.previous)
    with_colours_swapped = staticmethod(law.swapped)

    def endings(self) -> Sequence[str]:
        """All 28 pairs, those with fewer stones first."""
        return pairs.ENDINGS

    def canonical_name(self, text: str) -> str:
        """The pair's own spelling (``3-4`` gives ``4-3``); raises EndingError."""
        return pairs.name_of(*pairs.parse_ending(text))

    def spelling_of(self, text: str) -> Spelling | None:
        """A pair, or a line, a key or a nested state."""
        return (
            "ending" if _ENDING.fullmatch(text.strip()) else "position" if _POSITION.fullmatch(text.strip()) else None
        )

    def views(self, ending: str) -> Sequence[str]:
        """The pair from either side, the player to move first: ``4-3`` and ``3-4``; one name for equal numbers."""
        return tuple(dict.fromkeys((ending, ending[::-1])))

    def title(self, ending: str) -> str:
        """The ending in words, as it is spelled."""
        first, second = (_NUMBERS[stones - FEWEST] for stones in pairs.parse_ending(ending))
        return f"{first} stones against {second}"

    def cost(self, ending: str) -> Cost:
        """What building a pair costs: as measured, memory by its slots of the sides to move that are solved."""
        seconds, size = self.measured_cost(ending) or (0.0, 0)
        solved = pairs.slots(ending) * _BYTES_PER_SLOT[pairs.sides(ending)]
        return Cost(seconds, size, _BYTES_AT_LEAST + int(solved))

    def expected_positions(self, ending: str) -> int:
        """About how many positions a pair has, symmetric copies counted once."""
        white, black = pairs.stones_of(ending)
        return pairs.sides(ending) * comb(24, white) * pairs.row_size(white, black) // 16

    def san(self, position: Position, move: MorrisMove) -> str:
        """A move as people write it."""
        return notation.spell(move)

    def mover(self, position: Position) -> Winner:
        """The side to move: ``white`` or ``black``."""
        return WINNERS[position.turn]

    def men(self, ending: str) -> Sequence[str]:
        """The stones of both sides; the key has 24 bits for each side's."""
        white, black = pairs.parse_ending(ending)
        return ["white stone"] * white + ["black stone"] * black

    def terminal(self, position: Position) -> Verdict | None:
        """The verdict of a player who has lost, by stones or for want of a move; else None."""
        if not law.lost(position):
            return None
        return Verdict(Category.LOSS, 0, WINNERS[1 - position.turn])

    def copies_of(self, position: Position) -> Sequence[Position]:
        """The position and its symmetric copies."""
        result = (
            Position(image(turn, position.white), image(turn, position.black), position.turn, position.hands)
            for turn in range(16)
        )
        return list(dict.fromkeys(result))

    def is_quiet(self, position: Position, move: MorrisMove) -> bool:
        """Whether it takes nothing."""
        return not move.taken

    def material(self, position: Position) -> tuple[int, int]:
        """Return the stones of the side to move and of the other side, on the board and in hand."""
        white = position.white.bit_count() + position.hands[0]
        black = position.black.bit_count() + position.hands[1]
        return (white, black) if position.turn == WHITE else (black, white)

    def with_side_switched(self, position: Position) -> Position | None:
        """The position with the other side to move; None when the game would have been over before."""
        if law.total(position, position.turn) < FEWEST:
            return None
        return Position(position.white, position.black, 1 - position.turn, position.hands)

    def start_game(self, position: Position) -> MorrisGameState:
        """A game that starts from a position; what came before it is not known."""
        from endgame_core.morris.game_state import MorrisGameState

        return MorrisGameState(position)


MORRIS = MorrisGame()
"""The one instance."""
