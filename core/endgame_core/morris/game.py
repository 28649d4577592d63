"""Nine Men's Morris as a :class:`~endgame_core.game.Game`: tables of the moving phase, and whole games as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
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
    PictureView,
    PositionRecord,
    QueryFacts,
    Slot,
    SolvedEnding,
    SolveProgress,
    SolverBudget,
    Spelling,
    parity_part,
)
from endgame_core.language import N_, _
from endgame_core.metric import DEPTH
from endgame_core.morris import index as pairs
from endgame_core.morris import notation, sanmill, spelling
from endgame_core.morris import rules as law
from endgame_core.morris.geometry import POINTS, image
from endgame_core.morris.rules import BLACK, FEWEST, FINGERPRINT, START, WHITE, MorrisMove, Position
from endgame_core.untrusted import unquoted
from endgame_core.values import DRAW, WINNERS, Category, Verdict, Winner, result_bits

if TYPE_CHECKING:
    from endgame_core.morris.editor import MorrisEdit
    from endgame_core.morris.game_state import MorrisGameState
    from endgame_core.query import Vocabulary

_MAX_DIGITS = 30
"""Longest key that is parsed."""
_BASE_BYTES = 250_000_000
"""Memory to build any pair: the process itself, and the rows of White's stones with their moves."""
_BYTES_PER_SLOT = {1: 3.75, 2: 4.75}
"""Further memory per slot, by the number of solved sides to move: codes, counts of moves, layers."""
_NUMBERS = (_("three"), _("four"), _("five"), _("six"), _("seven"), _("eight"), _("nine"))

_WINNERS: tuple[Winner, Winner] = ("mover", "opponent")


def _ending_of(position: Position) -> str:
    """Return the pair of a position; raises EndingError while stones are in hand, and after the end of the game."""
    white, black = (law.count(position, player) for player in (WHITE, BLACK))
    if any(position.hands):
        raise EndingError(_("stones are still in hand"), _("tables apply once all stones have been placed"))
    if min(white, black) < FEWEST:
        raise EndingError(_("the game is over"), _("tables require at least three stones on each side"))
    return pairs.name_of(white, black)


def _is_trivial(position: Position) -> bool:
    """Return whether the side to move has too few stones, which makes the position a loss that no table stores."""
    return law.total(position, position.turn) < FEWEST


def _from_key(ending: str, value: int) -> Position:
    """Return the position of a key; raises PositionError if it is no key of the ending."""
    result = notation.from_key(value)
    white, black = pairs.parse_ending(ending)
    counts = law.count(result, WHITE), law.count(result, BLACK)
    if counts != (white, black) or any(result.hands):
        raise PositionError(
            _("{value} is not a key of {ending}").format(value=value, ending=ending),
            f"White has {white} stones there and Black {black}",
        )
    return result


def _parse(text: str) -> Position:
    """Parse a line of text, a key after its ending (``4-3:1234``), a nested state, or a position or game of Sanmill's.

    Raises:
        PositionError: The text cannot be read, or the position cannot occur.
    """
    text = unquoted(text)
    if (position := sanmill.parse(text)) is not None:
        return position
    if text.startswith("[["):
        return notation.parse_nested(text)
    ending, colon, value = text.partition(":")
    is_key = value.isascii() and value.isdigit() and len(value) <= _MAX_DIGITS
    if colon and is_key:
        return _from_key(ending, int(value))
    return notation.parse_line(text)


class MorrisIndex(Index[Position, MorrisMove]):
    """The slots of pairs; see :mod:`endgame_core.morris.index`."""

    slots = staticmethod(pairs.slots)
    axes = staticmethod(pairs.axes)
    key = staticmethod(notation.key)
    from_key = staticmethod(_from_key)

    def key_words(self, ending: str) -> str:
        """Describe which bit of a key stands for which point."""
        white, black = pairs.stones_of(ending)
        alike = ""
        if white == black:
            alike = "White is to move in every file, since the players have as many stones. "
        return (
            "Bits 1 to 24 are the points with a white stone, bits 25 to 48 those with a black one: the outer ring "
            f"clockwise from its top left corner, the middle ring, the inner one ({' '.join(POINTS)}). {alike}"
        ).rstrip()

    def arrays(self) -> Arrays:
        """Return the vectorised index; imports numpy."""
        from endgame_core.morris import arrays

        return arrays

    def slot_of(self, position: Position) -> Slot:
        """Return the table slot of a position of the moving phase; imports numpy.

        Tables name the side with more stones first. Of equal numbers they store only White to move, so colours are
        exchanged where Black is.

        Raises:
            EndingError: Stones are still in hand, or the game is over.
        """
        from endgame_core.morris.arrays import index_of

        name = _ending_of(position)
        white, black = (law.count(position, player) for player in (WHITE, BLACK))
        # Of equal numbers a table has only White to move.
        if white == black:
            swapped = position.turn == BLACK
        else:
            swapped = white < black
        if swapped:
            index = index_of(position.black, position.white)
        else:
            index = index_of(position.white, position.black)
        side = int((position.turn == BLACK) != swapped)
        return Slot(name, side, index, swapped)

    def position_at(self, ending: str, side: int, index: int) -> Position:
        """Return the position in a slot, with White as the side named first; imports numpy."""
        from endgame_core.morris.arrays import masks_at

        return Position(*masks_at(ending, index), side)

    def trivial_code(self, position: Position) -> int:
        """Return the code of a loss in 0 plies: the side to move has too few stones."""
        return 0

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> Sequence[Part]:
        """Return the parts of tables that hold layer S_n, or the draws, with the player named first to move.

        Args:
            ending: From the mover's side: ``3-4`` is a part of the table ``4-3``.
            winner: ``mover``, who wins in odd layers, or ``opponent``, who wins in even ones; None for draws.
            n: The layer, in plies; None for draws.
            side: Ignored: the ending determines the side to move.

        Raises:
            LayerError: The layer is beyond the range of tables.
        """
        first, second = pairs.parse_ending(ending)
        table = pairs.name_of(first, second)
        mover = int(first < second)
        if winner is None or n is None:
            return [Part(table, mover, DRAW)]
        # A layer holds positions of one side to move only, by the parity of n; seen from the other side it is empty.
        won_by = mover if winner == _WINNERS[0] else 1 - mover
        part = parity_part(table, won_by, n)
        return [part] if part.side == mover else []

    def family(self, slot: Slot, category: Category) -> tuple[str, Winner | None]:
        """Return the ending from the mover's side, and the winner; None for draws."""
        white, black = pairs.stones_of(slot.ending)
        ending = f"{black}-{white}" if slot.side else slot.ending
        if category is Category.DRAW:
            return ending, None
        return ending, _WINNERS[category is not Category.WIN]


class MorrisSolver:
    """Builds and verifies pairs: a :class:`~endgame_core.game.Solver` that imports numpy and numba on first use."""

    def compile_times(self, endings: Sequence[str], survey: bool = False) -> Mapping[str, float]:
        """Return the estimated seconds to compile each kernel, the same for all pairs; a survey compiles nothing."""
        if survey and not endings:
            return {}
        return {"moves of both sides": 5.0, "captures": 1.0}

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None], survey: bool = False) -> None:
        """Compile the kernels for this machine, unless they are cached; ``report`` is called with each step."""
        from endgame_core.morris.solver import warm_up

        if endings:
            warm_up(report)

    def canonical_bits(self, ending: str, side: int, threads: int, digits: DigitFilter = ()) -> Any:
        """Return the bitmap of canonical slots of one side to move: uint64 of shape (slots / 64,); imports numpy."""
        from endgame_core.morris.arrays import find_stored_slots

        return find_stored_slots(ending, side)

    def solve(
        self,
        ending: str,
        lookup: Lookup,
        threads: int,
        on_progress: Callable[[SolveProgress], None],
        budget: SolverBudget | None = None,
    ) -> SolvedEnding:
        """Solve a pair; imports numba. See :func:`endgame_core.morris.solver.solve`."""
        from endgame_core.morris.solver import solve

        return solve(ending, lookup, threads, on_progress)

    def examine(
        self, ending: str, codes: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]
    ) -> Iterator[MoveSurvey]:
        """Yield the results with either side to move, without facts about moves; imports numpy."""
        from endgame_core.morris.arrays import exchanged, find_stored_slots

        white_codes = codes(ending, 0)
        white_slots = find_stored_slots(ending, 0)
        white, black = pairs.stones_of(ending)
        white_bits = result_bits(white_codes, white_slots)
        if white == black:
            black_bits = result_bits(exchanged(ending, white_codes), white_slots)
        else:
            black_bits = result_bits(codes(ending, 1), find_stored_slots(ending, 1))
        yield MoveSurvey([white_bits, black_bits])

    def survey_memory(self, ending: str, wide: bool) -> int:
        """Return the memory that a survey needs, in bytes: the codes of both sides and arrays derived from them."""
        return _BASE_BYTES + 4 * pairs.slots(ending)

    def one_ply_deriver(self, ending: str, codes: Codes) -> OnePlyDeriver:
        """Return a vectorised deriver of values one ply deep; imports numpy."""
        from endgame_core.morris import arrays

        return arrays.MorrisOnePly(ending, codes)

    def query_facts(self, ending: str, side: int, codes: Lookup) -> QueryFacts:
        """Return the facts that queries filter by; imports numpy."""
        from endgame_core.morris.query_facts import MorrisQueryFacts

        return MorrisQueryFacts(ending, side, codes)


NAME: Final = N_("Nine Men's Morris")
"""The value of the header ``Variant``, the same in all languages."""


class MorrisNotation(Notation[Position, MorrisMove]):
    """Games as text: the start position as a line in the header ``FEN``, moves like ``a7-d7xb4``."""

    files = _("with one position per line")
    suffix = ".txt"

    def start_of(self, headers: Mapping[str, str]) -> Position:
        """Return the position of the header ``FEN``, or the empty board; raises PositionError."""
        if headers.get("Variant", NAME) != NAME:
            raise PositionError(
                _("it is a game of {headers}").format(headers=headers["Variant"]),
                _("only {name} is supported here").format(name=_(NAME)),
            )
        if "FEN" not in headers:
            return START
        return notation.parse_line(headers["FEN"])

    def headers(self, start: Position) -> Mapping[str, str]:
        """Return the headers of a game: the variant, and the start position unless it is the empty board."""
        if start == START:
            return {"Variant": NAME}
        return {"Variant": NAME, "SetUp": "1", "FEN": notation.line(start)}

    def read_move(self, position: Position, word: str) -> MorrisMove:
        """Parse a move; raises PositionError unless it is legal."""
        try:
            return notation.parse_move(position, word)
        except PositionError:
            raise PositionError(_("is not a legal move")) from None

    def read_line(self, line: str) -> PositionRecord:
        """Parse a position in any notation, and an optional note after ``;``; raises PositionError."""
        position, __, note = line.partition(";")
        return PositionRecord(position=notation.line(_parse(position)), note=note.strip())

    def write_line(self, record: PositionRecord) -> str:
        """Return the position, and its note, if any, after ``;``."""
        if record.note:
            return f"{record.position} ; {record.note}"
        return record.position


@cache
def _vocabulary() -> Vocabulary:
    from endgame_core.query import Vocabulary

    return Vocabulary(
        points=POINTS,
        zones=(
            ("outer", POINTS[:8]), ("middle", POINTS[8:16]), ("inner", POINTS[16:]), ("corner", POINTS[::2]),
            ("crossing", POINTS[1::2]),
        ),
        facts=frozenset(
            ["on", "mills", "moves", "best moves", "winning moves", "drawing moves", "only move", "best move"]
        ),
        kinds=("capture", "quiet"),
        why_not=_("Nine Men's Morris has stones, mills and captures, and no 50-move rule"),
    )  # fmt: skip


class MorrisGame(Game[Position, MorrisMove]):
    """The 28 pairs of three to nine stones.

    A table stores both sides to move of a pair. Its name has the larger number first (``4-3``), as have the endings of
    the catalogue. Layers are named from the mover's side: there ``3-4`` means that the player to move has three stones.
    """

    name = "morris"
    entry = "endgame_core.morris.game:MORRIS"
    rules = FINGERPRINT
    scheme = "orbit-rank-1"
    metric = DEPTH
    winners = _WINNERS
    index = MorrisIndex()
    solver = MorrisSolver()
    file_notation = MorrisNotation()
    example_position = "OXOOXX2/8/8 w"
    initial_position = "8/8/8 w 9-9"
    no_ending = "placing"
    speech = "endgame_core.words.speech_stones:MorrisSpeech"
    listing = Listing(
        unit=N_("stones"),
        example="6-4",
        sets=(
            ("7", _("up to 7 stones"), (6, 7)),
            ("8", _("up to 8"), (6, 7, 8)),
            ("0", _("up to 10"), (6, 7, 8, 9, 10)),
        ),
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

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that queries may use."""
        return _vocabulary()

    def endings(self) -> Sequence[str]:
        """Return all 28 pairs, those with fewer stones first."""
        return pairs.ENDINGS

    def canonical_name(self, text: str) -> str:
        """Return the canonical name of a pair (``3-4`` gives ``4-3``); raises EndingError."""
        return pairs.name_of(*pairs.parse_ending(text))

    def spelling_of(self, text: str) -> Spelling | None:
        """Return whether a text looks like a pair or like a position (line, key or nested state); None for neither."""
        return spelling.spelling_of(text)

    def views(self, ending: str) -> Sequence[str]:
        """Return the pair from either mover's side, e.g. ``4-3`` and ``3-4``; one name for equal numbers."""
        return tuple(dict.fromkeys((ending, ending[::-1])))

    def title(self, ending: str) -> str:
        """Return the ending in words, in the order of the text."""
        first, second = (_NUMBERS[stones - FEWEST] for stones in pairs.parse_ending(ending))
        return _("{first} stones against {second}").format(first=first, second=second)

    def cost(self, ending: str) -> Cost:
        """Return the measured time and size of a pair, and the memory estimated from its slots."""
        seconds, size = self.measured_cost(ending) or (0.0, 0)
        solved = pairs.slots(ending) * _BYTES_PER_SLOT[pairs.sides(ending)]
        return Cost(seconds, size, _BASE_BYTES + int(solved))

    def expected_positions(self, ending: str) -> int:
        """Estimate the number of positions of a pair, counting symmetric copies once."""
        white, black = pairs.stones_of(ending)
        # Nearly all positions have sixteen different symmetric copies.
        return pairs.sides(ending) * comb(24, white) * pairs.row_size(white, black) // 16

    def san(self, position: Position, move: MorrisMove) -> str:
        """Return a move in notation."""
        return notation.spell(move)

    def mover(self, position: Position) -> Winner:
        """Return the side to move: ``white`` or ``black``."""
        return WINNERS[position.turn]

    def men(self, ending: str) -> Sequence[str]:
        """Return the names of all stones, White's first."""
        white, black = pairs.parse_ending(ending)
        return ["white stone"] * white + ["black stone"] * black

    def terminal(self, position: Position) -> Verdict | None:
        """Return the verdict if the side to move has lost, by its number of stones or without a move; else None."""
        if not law.lost(position):
            return None
        return Verdict(Category.LOSS, 0, WINNERS[1 - position.turn])

    def copies_of(self, position: Position) -> Sequence[Position]:
        """Return the position and its symmetric copies, each once."""
        copies = (
            Position(image(symmetry, position.white), image(symmetry, position.black), position.turn, position.hands)
            for symmetry in range(16)
        )
        return list(dict.fromkeys(copies))

    def is_quiet(self, position: Position, move: MorrisMove) -> bool:
        """Return whether a move takes no stone."""
        return not move.captured

    def material(self, position: Position) -> tuple[int, int]:
        """Return the stones of the side to move and of the other side, on the board and in hand."""
        white = position.white.bit_count() + position.hands[0]
        black = position.black.bit_count() + position.hands[1]
        if position.turn == WHITE:
            return (white, black)
        return (black, white)

    def editor(self, position: Position) -> MorrisEdit:
        """Return an editable copy of a position."""
        from endgame_core.morris.editor import MorrisEdit

        return MorrisEdit(position)

    def with_side_switched(self, position: Position) -> Position | None:
        """Return the position with the other side to move; None if that side would have won already."""
        if law.total(position, position.turn) < FEWEST:
            return None
        return Position(position.white, position.black, 1 - position.turn, position.hands)

    def start_game(self, position: Position) -> MorrisGameState:
        """Start a game from a position, without a history."""
        from endgame_core.morris.game_state import MorrisGameState

        return MorrisGameState(position)

    def picture(self, position: Position, view: PictureView[MorrisMove]) -> str:
        """Draw a board as an SVG document."""
        from endgame_core.morris.picture import picture

        return picture(position, view)


MORRIS = MorrisGame()
"""The one instance."""
