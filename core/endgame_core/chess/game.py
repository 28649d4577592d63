"""Chess endings as a :class:`~endgame_core.game.Game`, by DTM and by DTZ."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import chess

from endgame_core import paths
from endgame_core.chess import index, material, metrics, notation, spelling
from endgame_core.chess.epd import PgnNotation
from endgame_core.chess.solver import needs
from endgame_core.errors import EndingError, PositionError
from endgame_core.game import (
    Arrays,
    Back,
    Codes,
    Cost,
    DigitFilter,
    Game,
    Index,
    Listing,
    Lookup,
    MoveSurvey,
    OnePlyDeriver,
    Part,
    PictureView,
    QueryFacts,
    Slot,
    SolvedEnding,
    SolveProgress,
    SolverBudget,
    Spelling,
    check_layer,
    parity_part,
)
from endgame_core.language import N_, _
from endgame_core.metric import DTM, DTZ, Metric
from endgame_core.values import DRAW, HORIZON, LAST_CLOCK, WINNERS, Category, Verdict, Winner

if TYPE_CHECKING:
    from endgame_core.chess.editor import ChessEdit
    from endgame_core.chess.fifty import FiftyMoves
    from endgame_core.chess.game_state import ChessGameState
    from endgame_core.chess.syzygy import Syzygy
    from endgame_core.query import Vocabulary
    from endgame_core.search_estimate import Engine
    from endgame_core.tables.library import Library


class ChessSolver:
    """Builds and verifies endings of chess. A :class:`~endgame_core.game.Solver`.

    Args:
        metric: The metric of the depths.
    """

    def __init__(self, metric: Metric) -> None:
        self.metric: Metric = metric

    def compile_times(self, endings: Sequence[str], survey: bool = False) -> Mapping[str, float]:
        """Return the kernels that these endings need, with estimated seconds to compile each."""
        pawned = {material.has_pawns(ending) for ending in endings}
        result = {}
        if False in pawned:
            result = {"layers": 8.0, "sub-endings": 0.5, "identical pieces": 0.3}
        if True in pawned:
            result |= {"endings with pawns": 6.0}
        return result | ({"moves": 7.0} if survey else {})

    def warm_up(self, endings: Sequence[str], report: Callable[[str], None], survey: bool = False) -> None:
        """Compile the kernels that these endings need, once per machine; ``report`` is called with the name of each."""
        from endgame_core.chess.solver import examine, solve

        solve.warm_up(endings, report)
        if survey:
            report("moves")
            examine.warm_up()

    def canonical_bits(self, ending: str, side: int, threads: int, digits: DigitFilter = ()) -> Any:
        """Return the canonical slots of one side to move as bits: uint64 of shape (slots / 64,); imports numba."""
        from endgame_core.chess.solver.stored_slots import find_stored_slots

        return find_stored_slots(ending, side, threads, digits)

    def solve(
        self,
        ending: str,
        lookup: Lookup,
        threads: int,
        on_progress: Callable[[SolveProgress], None],
        budget: SolverBudget | None = None,
    ) -> SolvedEnding:
        """Solve an ending; imports numba."""
        from endgame_core.chess.solver import solve

        return solve.solve(ending, lookup, threads, on_progress, self.metric, budget)

    def examine(
        self, ending: str, codes: Lookup, threads: int, on_progress: Callable[[SolveProgress], None]
    ) -> Iterator[MoveSurvey]:
        """Survey the moves of all positions; imports numba."""
        from endgame_core.chess.solver import examine

        return examine.examine(ending, codes, threads, on_progress)

    def survey_memory(self, ending: str, wide: bool) -> int:
        """Return the bytes of memory of :meth:`examine`."""
        return needs.looking(ending, wide)

    def one_ply_deriver(self, ending: str, codes: Codes) -> OnePlyDeriver:
        """Return a deriver of values one ply deep, many at once; imports numpy."""
        from endgame_core.chess.arrays import ChessOnePly

        return ChessOnePly(ending, codes, self.metric)

    def query_facts(self, ending: str, side: int, codes: Lookup) -> QueryFacts:
        """Return an evaluator of queries; imports numpy, and numba for queries about moves."""
        from endgame_core.chess.query_facts import ChessQueryFacts

        return ChessQueryFacts(ending, side, codes)


class ChessDeriver:
    """Derives one side to move from the other, by DTM. A :class:`~endgame_core.game.Deriver`."""

    def codes_at(self, ending: str, side: int, slots: Any, values: Callable[[str, int, Any], Any]) -> Any:
        """Return the codes of canonical slots; imports numpy."""
        from endgame_core.chess.arrays import SomePlies

        return SomePlies(ending, values).derived_at(side, slots)

    def stored_side(
        self, ending: str, side: int, codes: Lookup, threads: int, digits: DigitFilter = (), wide: bool = False
    ) -> Any:
        """Return the stored values of all slots; imports numba."""
        os.environ.update(paths.kernel_environment())
        from endgame_core.chess.solver.derive import derive

        return derive(ending, side, codes, threads, digits, wide)

    def copies(self, ending: str) -> int:
        """Return 8, or 2 with pawns; imports numpy."""
        from endgame_core.chess.arrays import most_copies

        return most_copies(ending)

    def has_twins(self, ending: str, box: Sequence[range]) -> bool:
        """Return whether a placement of a box may be its own mirror copy."""
        from endgame_core.chess.arrays import twins_in

        return twins_in(ending, box)


_PROMOTED = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)
_MAX_MEN_BEFORE_CAPTURE = 5
"""Largest number of men of the endings in which un-captures are generated: few users have larger tables."""

# Estimates for endings that were not measured.
_MAX_MEASURED_MEN = 5
"""Men of the largest endings of which all were measured."""
_SIX_MEN_SLOWDOWN = 4.0
"""Time per slot relative to the endings with a man less, measured with KBBvKNN."""
_SEVERAL_PAWNS_SLOWDOWN = 2.5
"""The same with several pawns, measured with slices of KRPPvKR."""


def _check(name: str) -> None:
    """Raise EndingError for an ending that no table can cover."""
    if name not in material.KNOWN:
        count = material.men_count(name)
        raise EndingError(
            _("{name} has {count} pieces").format(name=name, count=count),
            _("tables cover at most {most_men} pieces").format(most_men=material.MOST_MEN),
        )


def _men(ending: str) -> Sequence[str]:
    """Return the men in the order of the position key: ``white king``, ``white queen`` and so on."""
    men = notation.ending_men(ending)
    return [f"{chess.COLOR_NAMES[man.color]} {chess.piece_name(man.piece_type)}" for man in men]


class ChessIndex(Index[chess.Board, chess.Move]):
    """The slots of chess endings; see :mod:`endgame_core.chess.index`."""

    slots = staticmethod(index.slots)
    axes = staticmethod(index.axes)
    key = staticmethod(notation.key)
    from_key = staticmethod(notation.from_key)

    def key_words(self, ending: str) -> str:
        """Describe where the square of each man is in a key."""
        fields = ", ".join(f"{name} in bits {1 + 7 * i} to {7 + 7 * i}" for i, name in enumerate(_men(ending)))
        return f"The squares (a1 = 0, b1 = 1, h8 = 63) are: {fields}."

    def arrays(self) -> Arrays:
        """Return the index over many slots at once; imports numpy."""
        from endgame_core.chess import arrays

        return arrays

    def slot_of(self, position: chess.Board) -> Slot:
        """Return the table slot of a legal board, in any colours."""
        name, swapped = notation.name_of(position)
        _check(name)
        if position.castling_rights:
            raise PositionError(_("endgame tables do not cover castling rights"), _("remove them from the FEN"))
        squares = notation.squares_of(position, name, swapped)
        return Slot(name, int(position.turn == swapped), index.index_of(name, squares), swapped)

    def extra_moves(self, position: chess.Board) -> Sequence[chess.Move]:
        """Return the en passant captures: a slot does not store which pawn has just moved."""
        if position.ep_square is None:
            return ()
        return list(position.generate_legal_ep())

    def position_at(self, ending: str, side: int, number: int) -> chess.Board:
        """Return the board in a slot, White being the side named first."""
        board = chess.Board(None)
        board.turn = side == 0
        men = notation.ending_men(ending)
        for piece, square in zip(men, index.squares_at(ending, number), strict=True):
            board.set_piece_at(square, piece)
        return board

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> Sequence[Part]:
        """Return the parts of layer S_n of a winner, or without a winner the draws of one side; raises LayerError."""
        if winner is None or n is None:
            return [Part(ending, side, DRAW)]
        return [parity_part(ending, WINNERS.index(winner), n)]

    def family(self, slot: Slot, category: Category) -> tuple[str, Winner | None]:
        """Return the ending, and the winner in the ending's colours."""
        if category is Category.DRAW:
            return slot.ending, None
        wins = category in (Category.WIN, Category.CURSED_WIN)
        return slot.ending, WINNERS[slot.side if wins else 1 - slot.side]


_NAMES = tuple(chess.SQUARE_NAMES)


@cache
def _vocabulary() -> Vocabulary:
    from endgame_core.query import KINDS, Vocabulary

    return Vocabulary(
        points=_NAMES,
        zones=(
            ("edge", tuple(name for name in _NAMES if name[0] in "ah" or name[1] in "18")),
            ("corner", ("a1", "h1", "a8", "h8")),
            ("centre", ("d4", "e4", "d5", "e5")),
            ("light", tuple(_NAMES[square] for square in chess.SquareSet(chess.BB_LIGHT_SQUARES))),
            ("dark", tuple(_NAMES[square] for square in chess.SquareSet(chess.BB_DARK_SQUARES))),
            ("queenside", tuple(name for name in _NAMES if name[0] in "abcd")),
            ("kingside", tuple(name for name in _NAMES if name[0] in "efgh")),
        ),
        facts=frozenset(
            [
                "on", "aligned", "in square", "opposition", "distance", "dtz", "cursed", "moves", "best moves",
                "winning moves", "drawing moves", "only move", "best move", "hanging", "check",
            ]
        ),
        kinds=KINDS,
        why_not=_("chess has no mills, and stones are not chess pieces"),
    )  # fmt: skip


class ChessGame(Game[chess.Board, chess.Move]):
    """Chess endings of three to six men; positions are boards, treated as immutable."""

    name = "chess"
    entry = "endgame_core.chess.game:CHESS"
    rules = "chess"
    scheme = "king-sliced-2"
    metric = DTM
    index = ChessIndex()
    solver = ChessSolver(DTM)
    deriver = ChessDeriver()
    file_notation = PgnNotation()
    winners = WINNERS
    horizon = HORIZON
    converts = True
    placement_endings = ("KPvK", "KRvK", "KQvKP", "KRvKP", "KPvKP", "KBPvK")
    rule_metric = DTZ
    ends_in_mate = True
    default_defence = "tricky"  # a reply that leaves few winning moves is harder to meet than the longest resistance
    speech = "endgame_core.words.speech_chess:ChessSpeech"
    sample_check = _("compared one ply deep using python-chess only")
    example_position = "7K/6Q1/8/8/2k5/8/8/8 w - - 0 1"
    initial_position = ""
    listing = Listing(
        unit=N_("pieces"),
        example="KBNvK",
        sets=(("3", N_("pieces"), (3,)), ("4", N_("pieces"), (4,)), ("5", N_("pieces"), (5,))),
        order=material.listed,
    )

    men = staticmethod(_men)
    needs = staticmethod(material.needs)
    title = staticmethod(material.title)
    longest_known = staticmethod(material.longest_moves)
    parse = staticmethod(notation.parse_position)
    parse_move = staticmethod(notation.parse_move)
    format = staticmethod(chess.Board.fen)
    formats = MappingProxyType(
        {"fen": chess.Board.fen, "short": notation.short, "diagram": notation.diagram, "key": notation.key_text}
    )

    def standard_san(self, position: chess.Board, move: chess.Move, /) -> str:
        """Return a move in SAN with English letters, as files have it."""
        return notation.san(position, move)

    def reading_note(self, text: str, /) -> str:
        """Return a sentence about castling rights that were ignored in a FEN; empty if there were none."""
        return notation.reading_note(text)

    san = staticmethod(notation.shown_san)
    uci = staticmethod(chess.Move.uci)
    with_colours_swapped = staticmethod(chess.Board.mirror)

    @property
    def vocabulary(self) -> Vocabulary:
        """The terms that queries may use."""
        return _vocabulary()

    def endings(self) -> Sequence[str]:
        """All 510 endings, sub-endings first."""
        return material.ENDINGS

    def canonical_name(self, text: str) -> str:
        """Return the canonical spelling of an ending; raises EndingError if there is none, or for more than six men."""
        name, __ = material.parse_material(text)
        _check(name)
        return name

    def spelling_of(self, text: str) -> Spelling | None:
        """Recognize an ending, in long or short form, or a FEN with or without its fields."""
        return spelling.spelling_of(text)

    def cost(self, ending: str) -> Cost:
        """Return the cost of building an ending: measured, or estimated from its number of slots."""
        seconds, size = self.measured_cost(ending) or self._cost_by_smaller_endings(ending)
        result = needs.needs(ending, self.metric)
        max_memory = needs.whole(ending)
        if material.men_count(ending) <= _MAX_MEASURED_MEN:
            return Cost(seconds, size, max_memory, min(result.least, max_memory))
        deep = needs.needs(ending, self.metric, self.metric == DTM)
        max_memory = max(result.max_memory, deep.max_memory)
        return Cost(seconds, size, max_memory, result.least, deep.least if deep.least > result.least else 0)

    def scratch(self, ending: str, memory: int) -> int:
        """Return the bytes of disk that a build with ``memory`` bytes needs besides the finished table, and frees."""
        return needs.scratch(ending, self.metric, memory, self.cost(ending).size)

    def _cost_by_smaller_endings(self, ending: str) -> tuple[float, int]:
        """Estimate seconds by slots, and bytes by positions, from the measured endings with one man fewer."""
        sisters = [name for name in material.needs(ending) if len(name) < len(ending)]
        seconds, sizes = zip(*map(self.measured_cost, sisters), strict=True)
        if sum(index.pawns_of(ending)) > 1:
            pace = _SEVERAL_PAWNS_SLOWDOWN
        else:
            pace = _SIX_MEN_SLOWDOWN
        by_slots = index.slots(ending) / sum(map(index.slots, sisters))
        by_positions = self.expected_positions(ending) / sum(map(self.expected_positions, sisters))
        return pace * by_slots * sum(seconds), int(by_positions * sum(sizes))

    def expected_positions(self, ending: str) -> int:
        """Return the number of canonical positions of a table, from a shipped list."""
        return _positions()[ending]

    def san_prefix(self, position: chess.Board, move: chess.Move) -> str:
        """Return the piece letter if there is another such piece, else the SAN without check sign and promotion."""
        return notation.with_letters(notation.writing(position, move))

    def mover(self, position: chess.Board) -> str:
        """Return the side to move: ``white`` or ``black``."""
        return "white" if position.turn else "black"

    def ending_of(self, position: chess.Board) -> str:
        """Return the ending of a board; raises EndingError for bare kings or more than six men."""
        name, __ = notation.name_of(position)
        _check(name)
        return name

    def is_trivial(self, position: chess.Board) -> bool:
        """Return whether only the kings are left."""
        return position.occupied == position.kings

    def terminal(self, position: chess.Board) -> Verdict | None:
        """Return the verdict of mate, stalemate and bare kings, which need no table; else None."""
        if self.is_trivial(position):
            return Verdict(Category.DRAW, None, None)
        if any(position.generate_legal_moves()):
            return None
        if not position.is_check():
            return Verdict(Category.DRAW, None, None)
        return Verdict(Category.LOSS, 0, "black" if position.turn else "white")

    def moves(self, position: chess.Board) -> Sequence[chess.Move]:
        """Return all legal moves."""
        return list(position.legal_moves)

    def play(self, position: chess.Board, move: chess.Move) -> chess.Board:
        """Return the board after a move."""
        after = position.copy(stack=False)
        after.push(move)
        after.clear_stack()
        return after

    def copies_of(self, position: chess.Board) -> Sequence[chess.Board]:
        """Return the board and its symmetric copies: mirrored left to right, and without pawns all eight symmetries."""
        copies = [position, position.transform(chess.flip_horizontal)]
        if not position.pawns:
            for turn in (chess.flip_vertical, chess.flip_diagonal):
                # Each round doubles what is there: two, four, eight copies.
                copies += [copy.transform(turn) for copy in copies]
        return list({copy.board_fen(): copy for copy in copies}.values())

    def value_key(self, position: chess.Board) -> Hashable:
        """Return everything but the move number; the clock counts no further than the plies that end a game."""
        return (
            *(position.pawns, position.knights, position.bishops, position.rooks, position.queens, position.kings),
            position.occupied_co[chess.WHITE],
            position.occupied_co[chess.BLACK],
            position.turn,
            position.clean_castling_rights(),
            position.ep_square,
            min(position.halfmove_clock, LAST_CLOCK),
        )

    def is_null(self, move: chess.Move) -> bool:
        """Return whether a move is a null move, which PGN writes as ``--`` or ``Z0``."""
        return not move

    def free_captures(self, position: chess.Board) -> Sequence[chess.Move]:
        """Return the captures that cannot be recaptured."""
        result: list[chess.Move] = []
        for move in position.generate_legal_captures():
            after = self.play(position, move)
            if not any(after.generate_legal_moves(to_mask=chess.BB_SQUARES[move.to_square])):
                result.append(move)
        return result

    @property
    def storage_tag(self) -> str:
        """Empty: ratings and study sets of chess carry no name."""
        return ""

    def is_check(self, position: chess.Board) -> bool:
        """Return whether the side to move is in check."""
        return position.is_check()

    def is_quiet(self, position: chess.Board, move: chess.Move) -> bool:
        """Return whether a move neither captures nor promotes nor gives check."""
        return not (position.is_capture(move) or move.promotion or position.gives_check(move))

    def material(self, position: chess.Board) -> tuple[int, int]:
        """Return the usual values of the pieces, in pawns: of the side to move, then of the other side."""

        def total(color: chess.Color) -> int:
            occupied = position.occupied_co[color]
            return (
                (position.pawns & occupied).bit_count()
                + 3 * ((position.knights | position.bishops) & occupied).bit_count()
                + 5 * (position.rooks & occupied).bit_count()
                + 9 * (position.queens & occupied).bit_count()
            )

        return total(position.turn), total(not position.turn)

    def with_side_switched(self, position: chess.Board) -> chess.Board | None:
        """Return the board with the other side to move; None if the side not to move would then be in check."""
        board = position.copy(stack=False)
        board.turn = not position.turn
        board.ep_square = None
        if board.was_into_check():
            return None
        return board

    def start_game(self, position: chess.Board) -> ChessGameState:
        """Return a game that starts from a board, without history."""
        from endgame_core.chess.game_state import ChessGameState

        return ChessGameState(position)

    def parse_start(self, text: str) -> chess.Board:
        """Parse a position for the start of a game, which may have castling rights; raises PositionError."""
        return notation.parse_position(text, castling=True)

    def move_limit(self, library: Library, syzygy: Callable[[], Syzygy | None]) -> FiftyMoves:
        """Return the 50-move rule: with our own tables by DTZ first, then Syzygy files."""
        from endgame_core.chess.fifty import FiftyMoves, OwnSource

        own = OwnSource(library)
        files = syzygy()
        if files is None:
            return FiftyMoves(own)
        return FiftyMoves(own, files)

    def editor(self, position: chess.Board) -> ChessEdit:
        """Return an editable copy of a board."""
        from endgame_core.chess.editor import ChessEdit

        return ChessEdit.of(position)

    def link(self, position: chess.Board) -> str:
        """Return the address of the analysis board of lichess with a position."""
        return f"https://lichess.org/analysis/standard/{position.fen().replace(' ', '_')}"

    def picture(self, position: chess.Board, view: PictureView[chess.Move]) -> str:
        """Draw a board as an SVG document."""
        from endgame_core.chess.picture import picture

        return picture(position, view)

    def engine(self, root: Path) -> Engine | None:
        """Return the installed or configured UCI engine; raises EndgameError."""
        from endgame_core.chess.engine import EngineThinker, find_engine

        path = find_engine(root)
        if path is None:
            return None
        return EngineThinker(path)

    def unmoves(self, position: chess.Board) -> Sequence[tuple[chess.Board, chess.Move]]:
        """Return un-moves of the side that just moved, without captures and promotions: they stay in the ending.

        If the half-move clock is not 0, the last move was not a pawn move.
        """
        mover = not position.turn
        captures = list(position.generate_legal_ep())
        result: list[tuple[chess.Board, chess.Move]] = []
        men = position.occupied_co[mover] & ~(position.pawns if position.halfmove_clock else 0)
        for to in chess.SquareSet(men):
            for source in _sources(position, to, mover):
                move = chess.Move(source, to)
                board = _position_before(position, move)
                # The move must also lead to the very same rights to capture en passant: only a double push gives them,
                # and always.
                if not board.was_into_check() and list(self.play(board, move).generate_legal_ep()) == captures:
                    result.append((board, move))
        return result

    def converting_unmoves(
        self, position: chess.Board, captures: bool
    ) -> Sequence[tuple[chess.Board, chess.Move, Back]]:
        """Return un-promotions, and with ``captures`` every possible un-capture within the size of tables."""
        if position.halfmove_clock or any(position.generate_legal_ep()):
            return ()  # the last move was not zeroing, or was a double pawn push
        result: list[tuple[chess.Board, chess.Move, Back]] = []
        for move, captured, kind in _conversions(
            position, captures and position.occupied.bit_count() < _MAX_MEN_BEFORE_CAPTURE
        ):
            board = _position_before(position, move)
            if kind == "en-passant":
                board.ep_square = move.to_square
                board.set_piece_at(move.to_square + (8 if position.turn else -8), captured)
            else:
                board.set_piece_at(move.to_square, captured)
            # An en passant capture needs a pawn that can just have passed: the squares behind it were empty.
            passed = board.ep_square is None or not board.status() & chess.STATUS_INVALID_EP_SQUARE
            if passed and not board.was_into_check():
                result.append((board, move, kind))
        return result


def _position_before(position: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board before a move that captured nothing."""
    board = position.copy(stack=False)
    mover = not position.turn
    man = board.remove_piece_at(move.to_square)
    board.set_piece_at(move.from_square, chess.Piece(chess.PAWN, mover) if move.promotion else man)
    board.turn = mover
    board.ep_square = None
    board.halfmove_clock = max(0, position.halfmove_clock - 1)
    if mover == chess.BLACK:
        board.fullmove_number = max(1, position.fullmove_number - 1)
    return board


def _conversions(position: chess.Board, captures: bool) -> Iterator[tuple[chess.Move, chess.Piece | None, Back]]:
    """Yield promotions, and captures if requested, that may have led to a position, with the captured man."""
    mover = not position.turn
    last, step = (7, 8) if mover else (0, -8)
    pieces = [chess.Piece(kind, not mover) for kind in (*_PROMOTED, chess.PAWN)]
    free = ~position.occupied & chess.BB_ALL
    for to in chess.SquareSet(position.occupied_co[mover]):
        rank = chess.square_rank(to)
        man = position.piece_type_at(to)
        # The empty squares from which a pawn of the mover could have captured on ``to``.
        beside = chess.SquareSet(chess.BB_PAWN_ATTACKS[position.turn][to] & free & ~chess.BB_BACKRANKS)
        if man in _PROMOTED and rank == last:
            if free & chess.BB_SQUARES[to - step]:
                yield chess.Move(to - step, to, man), None, "unpromotion"
            if captures:
                for source, captured in product(beside, pieces[:-1]):
                    yield chess.Move(source, to, man), captured, "uncapture"
        if not captures:
            continue
        if man == chess.PAWN:
            sources = beside
        else:
            sources = chess.SquareSet(position.attacks_mask(to) & free)
        # A captured pawn, the last kind, never stood on the first or last rank.
        captured_kinds = pieces[:-1] if rank in (0, 7) else pieces
        for source, captured in product(sources, captured_kinds):
            yield chess.Move(source, to), captured, "uncapture"
        # The mover's sixth rank, where en passant captures end.
        if man == chess.PAWN and rank == last - step // 4 and free & chess.BB_SQUARES[to - step]:
            for source in beside:
                yield chess.Move(source, to), pieces[-1], "en-passant"


@cache
def _positions() -> dict[str, int]:
    return json.loads(paths.shipped("positions.json").read_text())


def _sources(position: chess.Board, to: chess.Square, mover: chess.Color) -> list[chess.Square]:
    """Return the squares from which the man on ``to`` may have come without capturing or promoting."""
    if not position.pawns & chess.BB_SQUARES[to]:
        return list(chess.SquareSet(position.attacks_mask(to) & ~position.occupied))
    step = -8 if mover else 8
    if mover:
        rank = chess.square_rank(to)
    else:
        rank = 7 - chess.square_rank(to)
    result: list[chess.Square] = []
    candidates = []
    if rank > 1:
        candidates.append(to + step)
    if rank == 3:
        candidates.append(to + 2 * step)
    for source in candidates:
        if position.occupied & chess.BB_SQUARES[source]:
            break
        result.append(source)
    return result


CHESS = ChessGame()
"""The only instance."""


class DtzIndex(ChessIndex):
    """The same slots with the codes of :mod:`endgame_core.chess.metrics`."""

    def value(self, code: int) -> tuple[Category, int | None]:
        """Decode a code into a category of five and DTZ in plies."""
        return metrics.value_of(code)

    def draw_byte(self, table: str, side: int) -> int:
        """Return the byte of a draw, which depends on the ending and the side."""
        return metrics.draw_byte(table, side)

    def codes(self, draw: int) -> Sequence[int]:
        """Return the code of each byte."""
        return metrics.codes(draw)

    def move_code(self, position: chess.Board, move: chess.Move, code: int) -> int:
        """Return the code of a move for its mover."""
        return metrics.moved(code, position.is_zeroing(move))

    def parts(self, ending: str, winner: Winner | None, n: int | None, side: int = 0) -> Sequence[Part]:
        """Return the parts of layer S_n of a winner, for both sides; without one, the draws of one side."""
        if winner is None or n is None:
            return [Part(ending, side, DRAW)]
        check_layer(n)
        won_by = WINNERS.index(winner)
        # By DTZ the parity of n does not tell the side to move: only layer 0 (mate) has no position with the winner to
        # move.
        lost = Part(ending, 1 - won_by, metrics.code_of(Category.LOSS, n))
        if n:
            return [Part(ending, won_by, metrics.code_of(Category.WIN, n)), lost]
        return [lost]


class DtzGame(ChessGame):
    """Chess endings whose depth is DTZ. Layer S_n of a winner holds positions of both sides to move."""

    entry = "endgame_core.chess.game:CHESS_DTZ"
    metric = DTZ
    index = DtzIndex()
    solver = ChessSolver(DTZ)
    deriver = None

    def measured_cost(self, ending: str) -> tuple[float, int] | None:
        """Return the seconds of the table by DTM, an upper bound, and the measured bytes."""
        dtm_cost = super().measured_cost(ending)
        size = _sizes().get(ending)
        if dtm_cost is None or size is None:
            return None
        return (dtm_cost[0], size)

    def longest_known(self, ending: str) -> int | None:
        """Return None: nothing is known before a table is built."""
        return None


@cache
def _sizes() -> dict[str, int]:
    return json.loads(paths.shipped("dtz_sizes.json").read_text())


CHESS_DTZ = DtzGame()
"""The only instance."""
