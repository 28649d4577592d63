"""The 50-move rule: verdicts proved by play, wins kept against every defence, and a sentence for each move."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endgame_core.chess import metrics, notation
from endgame_core.chess.fifty import FiftyMoves, OwnSource, Source
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.chess.metrics import Zeroing
from endgame_core.chess.syzygy import Syzygy
from endgame_core.errors import MissingError, NotBuiltError, PositionError
from endgame_core.judge import Judge
from endgame_core.metric import DTZ
from endgame_core.tables.explorer import Explorer, RatedMove
from endgame_core.tables.library import Library
from endgame_core.values import LAST_CLOCK, Category, Fifty
from endgame_core.words import position as words

from . import positions
from .conftest import UP_TO_FOUR

WON = (Category.WIN, Category.LOSS)
LATE = (Category.CURSED_WIN, Category.BLESSED_LOSS)
ENDINGS = ("KPvK", "KQvK", "KRvK", "KBBvK", "KBNvK", "KQvKQ", "KQvKR", "KRvKB", "KRvKP", "KPvKP", "KPPvK", "KRPvK")
"""Endings with wins of which there are Syzygy files."""

WITH_WINS = tuple(name for name in UP_TO_FOUR if name not in ("KBvK", "KNvK", "KNNvK", "KBvKB", "KBvKN", "KNvKN"))
"""Endings in which more is won than mates in one."""

CLOSED = ENDINGS[:8]
"""Those of them whose wins lead to no ending without files."""


Rated = RatedMove[chess.Board, chess.Move]


class Unknown(Library):
    """No table by DTM is there."""

    def code(self, position: chess.Board) -> int:
        raise NotBuiltError("KvK")


class Asked:
    """A judge that has DTZ from a source, and DTM from a library if there is one."""

    def __init__(self, *sources: Source, library: Library | None = None) -> None:
        self.judge = Judge(Explorer(CHESS, library or Unknown(CHESS)), lambda: FiftyMoves(*sources))

    def verdict(self, board: chess.Board) -> Fifty:
        known = self.judge.probe(board)
        if known.fifty is None:
            assert known.fifty_problem is not None
            raise known.fifty_problem
        return known.fifty

    def moves(self, board: chess.Board) -> tuple[Rated, ...]:
        known = self.judge.probe(board)
        if known.fifty_problem is not None:
            raise known.fifty_problem
        return known.by_dtz

    def best(self, board: chess.Board) -> Rated | None:
        return next(iter(self.moves(board)), None)

    def difference(self, board: chess.Board) -> str:
        return words.difference(self.judge.probe(board))


@pytest.fixture(scope="session")
def source(truth: Path) -> Syzygy:
    return Syzygy(str(truth / "syzygy"))


@pytest.fixture(scope="session")
def own(dtz_library: Library) -> OwnSource:
    return OwnSource(dtz_library)


def boards(ending: str, seed: int = 1) -> Iterable[chess.Board]:
    """Random legal boards."""
    rng = random.Random(f"{ending} {seed}")
    while True:
        board = positions.place(chess.Board(None), positions.men_of(ending), rng.choice)
        board.turn = rng.random() < 0.5
        if positions.is_legal(board):
            yield board


def decided(source: Source, ending: str, seed: int = 1) -> Iterable[tuple[chess.Board, Zeroing]]:
    """Random won or lost boards that are not mate, with their values."""
    for board in boards(ending, seed):
        try:
            found = source.look(board)
        except MissingError:
            continue
        if found.category in WON and found.dtz:
            yield board, found


def forces(board: chess.Board, winner: chess.Color, source: Source) -> bool:
    """Whether a side forces mate, or a zeroing move that keeps the win, before a draw can be claimed."""
    mine = board.turn == winner
    for move in board.legal_moves:
        zeroing = board.is_zeroing(move)
        board.push(move)
        if board.is_checkmate():
            good = board.turn != winner
        elif zeroing:
            good = source.look(board).category is (Category.WIN if board.turn == winner else Category.LOSS)
        elif board.is_fifty_moves() or board.is_stalemate():
            good = False
        else:
            good = forces(board, winner, source)
        board.pop()
        if good == mine:
            return mine
    return not mine


def play_out(source: Source, ending: str, count: int, lowest: int) -> None:
    """Compares verdicts near the end of the clock with what play shows."""
    judge, rng, kinds = Asked(source), random.Random(ending), {WON: 0, LATE: 0}
    for board, found in decided(source, ending):
        plies = abs(found.dtz)
        board.halfmove_clock = rng.randint(lowest, 99)
        if not 97 <= board.halfmove_clock + plies <= 103:
            continue
        verdict = judge.verdict(board)
        forced = forces(board, board.turn == (found.dtz > 0), source)
        assert forced == (verdict.category in WON), (board.fen(), verdict)
        assert forced != (verdict.category in LATE)
        kinds[WON if forced else LATE] += 1
        if min(kinds.values()) >= count:
            return


@pytest.mark.parametrize("ending", ["KQvK", "KPvK", "KPvKP", "KRvKB"])
def test_verdicts_near_the_end_of_the_clock_are_played_out(ending: str, own: OwnSource) -> None:
    play_out(own, ending, 3, 98)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", WITH_WINS)
def test_many_verdicts_are_played_out(ending: str, own: OwnSource) -> None:
    play_out(own, ending, 8, 98)


def convert(source: Source, board: chess.Board, converted: set[str]) -> None:
    """Follows the choice of both sides from a decided board to mate, and holds each phase to its promise.

    Boards with a clock and a promise that are ``converted`` already, as those met here are from now on, are mate, too.
    """
    judge, met = Asked(source), set[str]()
    verdict = judge.verdict(board)
    winner = board.turn == (verdict.dtz > 0)
    promised = board.halfmove_clock + abs(verdict.dtz) + (verdict.precise_dtz is None)
    assert promised <= 100
    while not board.is_checkmate():
        here = f"{board.epd()} {board.halfmove_clock} {promised} {winner}"
        if here in converted:
            break
        met.add(here)
        best = judge.best(board)
        assert best is not None, board.fen()
        board.push(best.move)
        clock = board.halfmove_clock
        if clock == 0:
            found = source.look(board)
            assert found.category is (Category.WIN if board.turn == winner else Category.LOSS), board.fen()
            promised = abs(found.dtz) + (not found.exact)
        assert clock <= promised and (clock < 100 or board.is_checkmate()), board.fen()
    else:
        assert board.turn != winner
    converted |= met


def convert_many(source: Source, ending: str, count: int) -> None:
    """Converts random positions, half of them with the highest clock that still leaves the win."""
    converted = set[str]()
    for i, (board, found) in enumerate(islice(decided(source, ending, 2), count)):
        board.halfmove_clock = 0 if i % 2 else max(0, 100 - abs(found.dtz) - (not found.exact))
        try:
            convert(source, board, converted)
        except MissingError:
            assert ending not in CLOSED and isinstance(source, Syzygy)


@pytest.mark.parametrize("ending", WITH_WINS)
def test_the_choice_converts_every_win(ending: str, own: OwnSource) -> None:
    convert_many(own, ending, 2)


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_choice_converts_every_win_by_syzygy_files(ending: str, source: Syzygy) -> None:
    convert_many(source, ending, 1)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", WITH_WINS)
def test_the_choice_converts_a_thousand_wins(ending: str, own: OwnSource) -> None:
    convert_many(own, ending, 1000)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_choice_converts_many_wins_by_syzygy_files(ending: str, source: Syzygy) -> None:
    """The choice is that of a thousand above; files differ by what they round."""
    convert_many(source, ending, 200)


# Values that no ending of four men has, told by a source that makes them up.


class Told(Source):
    """A source that is told the values of the positions after each move, and derives the one before by the rules."""

    def __init__(self, board: chess.Board, after: dict[chess.Move, Zeroing]) -> None:
        self._told: dict[str, Zeroing] = {}
        self._told[board.epd()] = max((_worth(board, move, found) for move, found in after.items()), key=_code)
        for move, found in after.items():
            self._told[CHESS.play(board, move).epd()] = found

    def look(self, board: chess.Board) -> Zeroing:
        return self._told[board.epd()]


def _code(found: Zeroing) -> int:
    return metrics.code_of(found.category, abs(found.dtz) or None)


def _worth(board: chess.Board, move: chess.Move, after: Zeroing) -> Zeroing:
    category, plies = metrics.value_of(metrics.moved(_code(after), board.is_zeroing(move)))
    return Zeroing(category, (plies or 0) * (-1 if category in (Category.LOSS, Category.BLESSED_LOSS) else 1), True)


def zeroings() -> st.SearchStrategy[Zeroing]:
    plain = st.integers(1, 100)
    late = st.integers(101, 126)
    return st.one_of(
        st.just(Zeroing(Category.DRAW, 0, True)),
        plain.map(lambda n: Zeroing(Category.WIN, n, True)),
        plain.map(lambda n: Zeroing(Category.LOSS, -n, True)),
        late.map(lambda n: Zeroing(Category.CURSED_WIN, n, True)),
        late.map(lambda n: Zeroing(Category.BLESSED_LOSS, -n, True)),
    )


BUSY = chess.Board("8/8/8/3k4/3b4/8/3P4/K2R4 w - - 0 1")
"""Quiet moves, pawn moves and captures; no move mates."""


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.sampled_from(list(BUSY.legal_moves)), zeroings()), min_size=1, unique_by=lambda pair: pair[0]
    ),
    st.integers(0, LAST_CLOCK - 2),
    st.sampled_from(Category),
)
def test_the_chosen_move_keeps_the_category(
    known: list[tuple[chess.Move, Zeroing]], clock: int, rest: Category
) -> None:
    plies = {Category.WIN: 7, Category.LOSS: -7, Category.CURSED_WIN: 107, Category.BLESSED_LOSS: -107}.get(rest, 0)
    other = Zeroing(rest if plies else Category.DRAW, plies, True)
    told = Told(BUSY, dict.fromkeys(BUSY.legal_moves, other) | dict(known))
    board = BUSY.copy()
    board.halfmove_clock = clock
    judge = Asked(told)
    verdict, moves = judge.verdict(board), judge.moves(board)
    best = moves[0]
    assert best.category_after is verdict.category.negated
    assert verdict.precise_dtz == verdict.dtz == told.look(BUSY).dtz
    if verdict.category in (*WON, Category.CURSED_WIN):
        assert best.plies == abs(verdict.dtz)
    if verdict.category is Category.BLESSED_LOSS and any(
        not rated.zeroing and rated.category_after is Category.CURSED_WIN for rated in moves
    ):
        assert not best.zeroing, "the draw that can be claimed soonest"
    assert len({rated.move for rated in moves}) == board.legal_moves.count()
    for rated in moves:
        sentence = words.fifty_move(rated)
        assert sentence and "\n" not in sentence and not sentence.endswith(".")
        assert rated.fifty is not None and rated.fifty.clock == (0 if rated.zeroing else clock + 1)
    assert words.fifty_verdict(verdict).endswith(".") and words.fifty_verdict(verdict).count(".") == 1


@pytest.mark.parametrize(
    ("plies", "exact", "clock", "expected"),
    [
        (1, True, 99, Category.WIN), (2, True, 99, Category.CURSED_WIN), (100, True, 0, Category.WIN),
        (100, False, 0, Category.WIN), (99, False, 1, Category.MAYBE_WIN), (98, False, 1, Category.WIN),
        (99, True, 1, Category.WIN), (100, True, 1, Category.CURSED_WIN), (1, True, 100, Category.CURSED_WIN),
        (1, True, 149, Category.CURSED_WIN), (1, True, 150, Category.DRAW),
    ],
)  # fmt: skip
def test_the_50_move_counter_decides_between_win_and_cursed_win(
    plies: int, exact: bool, clock: int, expected: Category
) -> None:
    class Plain(Source):
        def __init__(self, sign: int) -> None:
            self.sign = sign

        def look(self, board: chess.Board) -> Zeroing:
            if board.turn == chess.BLACK:
                raise MissingError("KRvK", "KRvK", "build it")
            return Zeroing(Category.WIN if self.sign > 0 else Category.LOSS, self.sign * plies, exact)

    board = chess.Board(f"8/8/8/8/8/1k6/8/K2R4 w - - {clock} 90")
    found = Asked(Plain(1)).verdict(board)
    assert found.category is expected
    assert found.precise_dtz == (None if not exact else found.dtz)
    assert Asked(Plain(-1)).verdict(board).category is expected.negated


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("clock", [1, 60, 99])
def test_a_rounded_dtz_is_one_ply_uncertain(clock: int, sign: int) -> None:
    """Where the moves tell that a win does not come in time, it comes one ply too late, and no more."""

    class Rounded(OwnSource):
        def look(self, board: chess.Board) -> Zeroing:
            return Zeroing(Category.WIN if sign > 0 else Category.LOSS, sign * (100 - clock), False)

    fifty = FiftyMoves(Rounded(Library(CHESS_DTZ)))
    found = fifty.probe(chess.Board(f"8/8/8/8/8/1k6/8/K2R4 w - - {clock} 90"), None)
    maybe, sure, late = (
        (Category.MAYBE_WIN, Category.WIN, Category.CURSED_WIN),
        (Category.MAYBE_LOSS, Category.LOSS, Category.BLESSED_LOSS),
    )[sign < 0]
    assert (found.category, found.dtz, found.precise_dtz) == (maybe, sign * (100 - clock), None)
    for best, plies in ((sure, 100 - clock), (late, 101 - clock), (maybe, None)):
        told = fifty.refine(found, [replace(found, category=best.negated)])
        assert (told.category, told.precise_dtz) == (best, None if plies is None else sign * plies)


@pytest.mark.slow
def test_where_rounding_matters_the_moves_decide(source: Syzygy, own: OwnSource) -> None:
    """The category is that of the best move, and never another one than that of our own exact tables."""
    judge, exact = Asked(source), Asked(own)
    settled = 0
    for ending in ("KQvKR", "KBNvK", "KRvKB", "KQvKQ"):
        for board, found in islice(((b, f) for b, f in decided(source, ending) if not f.exact), 40):
            board.halfmove_clock = 100 - abs(found.dtz)
            verdict, moves = judge.verdict(board), judge.moves(board)
            assert verdict == moves[0].before and moves[0].category_after.negated is verdict.category
            sure = exact.verdict(board)
            if verdict.category not in (Category.MAYBE_WIN, Category.MAYBE_LOSS):
                settled += 1
                assert (verdict.category, verdict.dtz, verdict.precise_dtz) == (sure.category, sure.dtz, sure.dtz)
    assert settled > 20


@pytest.mark.parametrize(
    "fen",
    [
        "3k4/8/1q6/8/4K3/8/8/7Q b - - 98 1", "8/8/p7/8/7K/3P4/k7/8 b - - 98 1", "k4Q2/8/K7/8/8/8/8/1q6 b - - 96 1",
        "2K5/8/8/4p3/4P3/8/8/3k4 b - - 96 1", "8/p7/8/8/1K6/8/P7/7k b - - 94 1",
    ],
)  # fmt: skip
def test_no_move_may_be_better_than_its_position(source: Syzygy, own: OwnSource, fen: str) -> None:
    board = chess.Board(fen)
    judge, exact = Asked(source), {rated.move: rated for rated in Asked(own).moves(board)}
    moves, verdict = judge.moves(board), judge.verdict(board)
    assert moves[0].category_after.negated is verdict.category in (Category.CURSED_WIN, Category.LOSS)
    for rated in moves:
        assert rated.fifty is not None
        if rated.fifty.precise_dtz is not None:
            sure = exact[rated.move]
            assert (rated.category_after, rated.plies) == (sure.category_after, sure.plies)


def test_a_win_that_is_cursed_after_a_zeroing_move_promises_no_plies() -> None:
    """DTZ above 100 may count a zeroing move as ply 101, so it is no number of plies to one, nor to a claim."""
    for sign, category in ((1, Category.CURSED_WIN), (-1, Category.BLESSED_LOSS)):
        for plies in (101, 107, 163):
            here = Fifty(category, sign * plies, sign * plies, 12, None, chess.WHITE, False)
            there = Fifty(category.negated, -sign * plies, -sign * plies, 13, None, chess.BLACK, False)
            board = chess.Board(None)
            rated = RatedMove(CHESS, board, chess.Move.null(), board, None, clock=12, before=here, fifty=there)
            said = [words.fifty_verdict(here), words.fifty_move(rated)]
            assert not any("plies" in sentence or "claimed in" in sentence for sentence in said), said


def test_categories_of_the_two_sides_are_opposite() -> None:
    seen = ["win loss", "maybe-win maybe-loss", "cursed-win blessed-loss", "draw draw"]
    for better, worse in ([Category(name) for name in pair.split()] for pair in seen):
        assert better.negated is worse and worse.negated is better and better.goodness >= worse.goodness
    ranks = [Category(pair.split()[0]).goodness for pair in seen]
    assert ranks == [6, 5, 4, 3] and {category.goodness for category in Category} == set(range(7))


def test_mate_takes_precedence_over_the_50_move_rule(source: Syzygy) -> None:
    judge = Asked(source)
    for clock in (99, 100, 150):
        mated = judge.verdict(chess.Board(f"7k/5KQ1/8/8/8/8/8/8 b - - {clock} 90"))
        assert (mated.category, mated.dtz, words.fifty_verdict(mated)) == (Category.LOSS, 0, "Black is checkmated.")
    board = chess.Board("7k/5K2/8/8/8/8/6Q1/8 w - - 99 90")
    assert judge.verdict(board).category is Category.WIN
    best = judge.best(board)
    assert (
        best is not None
        and best.checkmate
        and words.fifty_move(best) == "mates"
        and best.category_after is Category.LOSS
    )


def test_a_counter_beyond_the_rules_is_refused() -> None:
    assert notation.parse_position("7k/5K2/8/8/8/8/6Q1/8 w - - 150 90").halfmove_clock == 150
    with pytest.raises(PositionError, match="clock cannot be 151; the 75-move rule ends a game at 150"):
        notation.parse_position("7k/5K2/8/8/8/8/6Q1/8 w - - 151 90")


def test_lines_end_with_mate_or_the_first_claim(source: Syzygy) -> None:
    judge = Asked(source)
    board = chess.Board("8/8/8/8/8/1k6/8/K2bR3 w - - 90 90")
    won = judge.judge.line(board, metric=DTZ)
    assert won.ends_in_win and won.steps[0].san == "Rxd1" and won.steps[-1].dtz == 0
    for step in won.steps:
        assert board.san(step.move) == step.san
        board.push(step.move)
    assert board.is_checkmate()
    claimed = judge.judge.line(chess.Board("8/8/8/4k3/8/8/8/KBN5 w - - 92 90"), metric=DTZ)
    assert not claimed.ends_in_win and len(claimed.steps) == 8 and claimed.is_over
    assert judge.judge.line(chess.Board("8/8/8/8/8/1k6/8/K2b4 w - - 0 1"), metric=DTZ).steps == ()


def test_a_probe_does_not_change_the_board(source: Syzygy) -> None:
    board = chess.Board("8/8/1r6/8/3k4/8/8/K1Q5 w - - 45 90")
    before = board.fen()
    judge = Asked(source)
    judge.verdict(board), judge.moves(board), judge.judge.line(board, metric=DTZ)
    assert board.fen() == before and not board.move_stack


@pytest.mark.parametrize("ending", CLOSED)
def test_the_value_of_a_position_is_that_of_its_best_move(ending: str, source: Syzygy) -> None:
    judge, rng = Asked(source), random.Random(ending)
    for board in islice(boards(ending, 3), 8):
        board.halfmove_clock = rng.choice((0, 50, 90, 98))
        verdict, moves = judge.verdict(board), judge.moves(board)
        if not moves:
            continue
        pair = verdict.category, moves[0].category_after.negated
        assert pair[0] is pair[1] or "maybe" in pair[0] + pair[1], board.fen()
        assert 0 <= moves[0].plies - abs(verdict.dtz) <= 1 or verdict.category in LATE


def agree(ending: str, count: int, ours: OwnSource, theirs: Syzygy) -> None:
    """Syzygy DTZ is ours, or one less where it says that it may be rounded."""
    rounded = 0
    for board in islice(boards(ending, 4), count):
        try:
            there = theirs.look(board)
        except MissingError:
            continue
        here = ours.look(board)
        less = abs(here.dtz) - abs(there.dtz)
        assert here.exact and here.category is there.category, board.fen()
        assert less in ((0,) if there.exact else (0, 1)), (board.fen(), here, there)
        assert ours.look(board.mirror()) == here
        rounded += less
    print(f"{ending}: {rounded} of {count} are rounded")


@pytest.mark.parametrize("ending", ENDINGS)
def test_own_dtz_tables_and_syzygy_files_agree(ending: str, own: OwnSource, source: Syzygy) -> None:
    agree(ending, 15, own, source)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ENDINGS)
def test_both_sources_agree_on_many(ending: str, own: OwnSource, source: Syzygy) -> None:
    agree(ending, 3000, own, source)


def test_bare_kings_require_no_table(own: OwnSource) -> None:
    assert own.look(chess.Board("8/8/8/8/8/1k6/8/K7 w - - 0 1")) == Zeroing(Category.DRAW, 0, True)


def test_a_missing_table_is_named_with_its_use(
    dtz_library: Library, source: Syzygy, tmp_path: Path, truth: Path
) -> None:
    only = Library(CHESS_DTZ, tmp_path)
    only.path("KRvKP").parent.mkdir()
    only.path("KRvKP").write_bytes(dtz_library.path("KRvKP").read_bytes())
    board = chess.Board("7k/8/8/2p5/3R4/8/8/K7 b - - 0 1")
    ours = OwnSource(only)
    assert Asked(ours).verdict(board).category is Category.DRAW
    with pytest.raises(MissingError) as met:
        Asked(ours).moves(board)
    said = "KPvK by DTZ is needed after cxd4 but is not built; run: endgame-tui build KPvK --metric dtz."
    assert str(met.value) == said
    assert len(Asked(ours, source).moves(board)) == board.legal_moves.count()
    (tmp_path / "KRvKP.rtbw").write_bytes((truth / "syzygy" / "KRvKP.rtbw").read_bytes())
    both = Asked(ours, Syzygy(str(tmp_path)))
    with pytest.raises(MissingError, match=r"^KPvK by DTZ or KPvK\.rtbw is needed after cxd4 but is missing; run: "):
        both.moves(board)


@pytest.mark.slow
def test_dtm_breaks_ties_and_is_named(source: Syzygy, library: Library) -> None:
    judge, plain = Asked(source, library=library), Asked(source)
    for ending in ("KQvKR", "KRvKB"):
        for board in islice(boards(ending, 5), 15):
            moves = judge.moves(board)
            ranks: list[Any] = [(rated.category_after, rated.plies, rated.zeroing) for rated in moves]
            assert [rank[:2] for rank in ranks] == [
                (rated.category_after, rated.plies) for rated in plain.moves(board)
            ], board.fen()
            if moves and judge.verdict(board).category in WON:
                equal = [rated for rated, rank in zip(moves, ranks, strict=True) if rank == ranks[0]]
                depths = [abs(rated.fifty.dtm or 0) for rated in equal if rated.fifty]
                assert depths == sorted(depths, reverse=moves[0].dtz > 0)
    board = chess.Board("8/8/8/8/8/1k6/8/K2bR3 w - - 90 90")
    best = judge.best(board)
    assert best is not None and words.fifty_move(best) == "resets the 50-move counter and mates 26 plies later"


def test_the_reason_says_why_the_quickest_mate_is_not_chosen(source: Syzygy, library: Library) -> None:
    judge = Asked(source, library=library)
    for fen, said in (
        ("1k6/8/1K6/3r4/8/8/Q7/8 w - - 40 1", "Qa7+ mates sooner but its DTZ is 3 plies, not 1."),
        ("4K3/2k2Q2/8/6r1/8/8/8/8 b - - 40 1", "Kb6 delays mate but its DTZ is 4 plies, not 6."),
        ("8/8/8/8/8/1k6/8/K2bR3 w - - 90 90", ""),
    ):  # fmt: skip
        board = chess.Board(fen)
        assert judge.difference(board) == said


def test_a_counter_past_its_limit_allows_no_plies(own: OwnSource, library: Library) -> None:
    judge = Asked(own, library=library)
    for clock in (100, 102, 149):
        board = chess.Board(f"2k5/8/8/8/K7/4P3/8/3B4 w - - {clock} 90")
        assert judge.difference(board) == "Kb4 mates sooner but does not reset the 50-move counter."
    for fen in ("8/8/8/8/8/1k2b3/7R/K7 w - - 149 90", "8/8/8/8/8/1k6/7R/K7 b - - 149 90"):  # every move ends the game
        assert judge.difference(chess.Board(fen)) == ""


@pytest.mark.parametrize(
    ("fen", "verdict", "moves"),
    [
        ("8/8/1r6/8/3k4/8/8/K1Q5 w - - 45 1",
         "White wins: 3 or 4 plies to a capture or mate, 55 left on the 50-move counter.",
         {"Qg1+": "keeps the win: 2 plies to a capture or mate, 54 left on the 50-move counter",
          "Qf4+": "turns the win into a cursed win: a draw can be claimed in 54 plies, 56 or 57 plies to a capture or "
                  "mate",
          "Qc4+": "throws away the win: 1 ply to a capture or mate"}),
        ("7k/5K2/8/8/8/8/6Q1/8 w - - 100 90",
         "A cursed win: White can force mate, but a draw can be claimed, with the 50-move counter at 50.",
         {"Qg7#": "mates", "Qg6": "stalemates",
          "Kf6": "pursues the cursed win: a draw can be claimed at once, 2 plies to mate"}),
        ("8/8/8/8/3k4/8/8/KQ6 b - - 90 90",
         "A blessed loss: White could force mate, but Black can claim a draw first; 18 or 19 plies to mate, with 10 "
         "left on the 50-move counter.",
         {"Kd5": "keeps the blessed loss: a draw can be claimed in 9 plies"}),
        ("8/8/8/8/3k4/8/8/KQ6 b - - 140 90",
         "A blessed loss: a draw can be claimed, with the 50-move counter at 70; the game ends at 75.", {}),
        ("8/8/8/8/8/1k6/8/K2b4 w - - 0 1", "A draw with best play.", {"Kb1": "keeps the draw"}),
        ("8/8/8/8/8/1k6/8/K2bR3 w - - 150 99",
         "A draw: 75 moves by each side without a capture or pawn move.", {}),
    ],
)  # fmt: skip
def test_the_50_move_rule_is_explained_for_positions_and_moves(
    fen: str, verdict: str, moves: dict[str, str], source: Syzygy
) -> None:
    board, judge = chess.Board(fen), Asked(source)
    assert words.fifty_verdict(judge.verdict(board)) == verdict
    said = {board.san(rated.move): words.fifty_move(rated) for rated in judge.moves(board)}
    assert {san: said.get(san) for san in moves} == moves
