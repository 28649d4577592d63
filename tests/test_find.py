"""Queries: each condition agrees with python-chess and the tables, alone and combined."""

from __future__ import annotations

import json
import re
import tempfile
from array import array
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import chess
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from endgame_core.chess import arrays
from endgame_core.chess.game import CHESS, CHESS_DTZ
from endgame_core.cli.main import main
from endgame_core.errors import BuildCancelledError, EndgameError, NotBuiltError
from endgame_core.morris.game import MORRIS
from endgame_core.query import LONGEST, QueryError, parse
from endgame_core.tables import find
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.find import Find, FindResult, Query
from endgame_core.tables.library import Library


def _ignored(what: str, part: float) -> None:
    """Nobody wants to know."""


DOCS = Path(__file__).parents[1] / "docs" / "queries.md"


@pytest.fixture(scope="session")
def dtm(dtz_library: Library) -> Library:
    """Tables by DTM beside those by DTZ."""
    return Library(CHESS, dtz_library.root)


def _found(library: Library, ending: str, text: str, dtz: Library | None = None) -> FindResult:
    """What is found, in this process: it has compiled what it takes."""
    asked = Query(library, ending, text, dtz)
    finder, keys = find._Finder(asked, 1), array("Q")
    finder._report = lambda *_, **__: None  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as room:
        count = finder.run(Path(room, "keys"))
        keys.frombytes(Path(room, "keys").read_bytes())
    return FindResult(asked, count, keys)


# What a condition means, position by position


class Seen:
    """A board as python-chess and the tables see it."""

    def __init__(self, board: chess.Board, library: Library, dtz: Library) -> None:
        self.board, self.library, self.dtz_library = board, library, dtz

    def verdict(self, board: chess.Board, library: Library | None = None) -> tuple[int, int | None, bool]:
        """Result for the side to move, depth, and whether it is cursed."""
        library = library or self.library
        if CHESS.is_trivial(board):
            return 0, None, False
        category, depth = library.game.index.value(library.code(board))
        name = category.value.replace("cursed-", "").replace("blessed-", "")
        return {"win": 1, "draw": 0, "loss": -1}[name], depth, name != category.value

    @cached_property
    def result(self) -> int:
        return self.verdict(self.board)[0]

    @property
    def depth(self) -> int | None:
        return self.verdict(self.board)[1]

    @property
    def dtz(self) -> int | None:
        return self.verdict(self.board, self.dtz_library)[1]

    @property
    def cursed(self) -> bool:
        return self.verdict(self.board, self.dtz_library)[2]

    @cached_property
    def rated(self) -> list[tuple[chess.Move, int, int]]:
        """Legal moves with result and depth after them, as the mover sees it."""
        found: list[tuple[chess.Move, int, int]] = []
        for move in self.board.legal_moves:
            result, depth, _ = self.verdict(CHESS.play(self.board, move))
            found.append((move, -result, depth or 0))
        return found

    @property
    def keeping(self) -> list[chess.Move]:
        return [move for move, result, _ in self.rated if result == self.result]

    @property
    def best(self) -> list[chess.Move]:
        sign = -1 if self.result > 0 else 1
        some = [(sign * depth, move) for move, result, depth in self.rated if result == self.result]
        return [move for depth, move in some if depth == max(some, key=lambda s: s[0])[0]]

    @property
    def only(self) -> bool:
        return self.result >= 0 and len(self.keeping) == 1 and len(self.rated) > 1

    def of_kind(self, move: chess.Move, kind: str) -> bool:
        board = self.board
        king = board.king(not board.turn)
        assert king is not None
        before, after = (chess.square_distance(s, king) for s in (move.from_square, move.to_square))
        plain = not (board.is_capture(move) or move.promotion or board.gives_check(move))
        return {
            "capture": board.is_capture(move), "check": board.gives_check(move), "quiet": plain,
            "promotion": bool(move.promotion), "underpromotion": move.promotion not in (None, chess.QUEEN),
            "promotion to knight": move.promotion == chess.KNIGHT,
            "king move": board.piece_type_at(move.from_square) == chess.KING,
            "retreat": after > before and not board.is_capture(move),
        }[kind]  # fmt: skip

    @property
    def zugzwang(self) -> bool:
        other = CHESS.with_side_switched(self.board)
        return other is not None and -self.verdict(other)[0] > self.result

    def squares(self, man: str) -> list[int]:
        color, kind = man.split()
        return [*self.board.pieces(chess.PIECE_NAMES.index(kind), color == "white")]

    @property
    def kings(self) -> tuple[int, int]:
        return self.squares("white king")[0], self.squares("black king")[0]

    def opposition(self, reach: str) -> bool:
        white, black = self.kings
        files = abs(chess.square_file(white) - chess.square_file(black))
        ranks = abs(chess.square_rank(white) - chess.square_rank(black))
        if reach == "diagonal":
            return files == ranks and files % 2 == 0
        straight = (files == 0) != (ranks == 0) and (files + ranks) % 2 == 0
        return straight and {"": True, "direct": files + ranks == 2, "distant": files + ranks > 2}[reach]

    def in_square(self, king: int, pawn: int, white: bool) -> bool:
        """Runs the pawn, and the king after it."""
        last = chess.square(chess.square_file(pawn), 7 if white else 0)
        rank, steps = chess.square_rank(pawn), 0
        while rank != chess.square_rank(last):
            rank += (1 if white else -1) * (2 if rank == (1 if white else 6) else 1)
            steps += 1
        return chess.square_distance(king, last) <= steps + (self.board.turn != white)


Told = Callable[[Seen], bool]
KINDS = ["capture", "check", "quiet", "promotion", "underpromotion", "promotion to knight", "king move", "retreat"]
SIGNS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}  # fmt: skip
NUMBERS: dict[str, tuple[Callable[[Seen], int | None], int]] = {
    "depth": (lambda s: s.depth, 60),
    "dtz": (lambda s: s.dtz, 30),
    "moves": (lambda s: len(s.rated), 20),
    "best moves": (lambda s: len(s.best), 5),
    "winning moves": (lambda s: len(s.keeping) if s.result > 0 else 0, 5),
    "drawing moves": (lambda s: len(s.keeping) if s.result == 0 else 0, 5),
    "distance(white king, black king)": (lambda s: chess.square_distance(*s.kings), 7),
    "distance(c3, black king)": (lambda s: chess.square_distance(chess.C3, s.kings[1]), 7),
}
PLACES: dict[str, Callable[[int], bool]] = {
    "edge": lambda s: s in chess.SquareSet(chess.BB_RANK_1 | chess.BB_RANK_8 | chess.BB_FILE_A | chess.BB_FILE_H),
    "corner": lambda s: s in (chess.A1, chess.A8, chess.H1, chess.H8),
    "the centre": lambda s: s in (chess.D4, chess.D5, chess.E4, chess.E5),
    "light squares": lambda s: bool(chess.BB_LIGHT_SQUARES >> s & 1),
    "file b": lambda s: chess.square_file(s) == 1,
    "files c-a": lambda s: chess.square_file(s) < 3,
    "rank 6": lambda s: chess.square_rank(s) == 5,
    "ranks 5-8": lambda s: chess.square_rank(s) > 3,
    "b2-d4": lambda s: 1 <= chess.square_file(s) <= 3 and 1 <= chess.square_rank(s) <= 3,
    "e4, g7, file h": lambda s: s in (chess.E4, chess.G7) or chess.square_file(s) == 7,
    "kingside": lambda s: chess.square_file(s) > 3,
}
FLAGS: dict[str, Told] = {
    "white wins": lambda s: s.result == (1 if s.board.turn else -1),
    "black wins": lambda s: s.result == (-1 if s.board.turn else 1),
    "won": lambda s: s.result > 0, "lost": lambda s: s.result < 0, "drawn": lambda s: s.result == 0,
    "white to move": lambda s: s.board.turn, "black is to move": lambda s: not s.board.turn,
    "mutual zugzwang": lambda s: s.zugzwang, "cursed": lambda s: s.cursed, "in check": lambda s: s.board.is_check(),
    "hanging": lambda s: bool(CHESS.free_captures(s.board)), "only move": lambda s: s.only,
    "opposition": lambda s: s.opposition(""), "direct opposition": lambda s: s.opposition("direct"),
    "distant opposition": lambda s: s.opposition("distant"),
    "diagonal opposition": lambda s: s.opposition("diagonal"),
    "white has the opposition": lambda s: s.opposition("") and not s.board.turn,
    "white king on same file as black king": lambda s: len({chess.square_file(k) for k in s.kings}) == 1,
    "white king on same diagonal as black king": lambda s: (
        abs(s.kings[0] % 8 - s.kings[1] % 8) == abs(s.kings[0] // 8 - s.kings[1] // 8)
    ),
    "white king on the same colour as black king": lambda s: (
        bool(chess.BB_LIGHT_SQUARES >> s.kings[0] & 1) == bool(chess.BB_LIGHT_SQUARES >> s.kings[1] & 1)
    ),
}  # fmt: skip


def _conditions(ending: str) -> dict[str, Told]:
    """Every single condition that can be asked of an ending, with what it means."""
    found = dict(FLAGS)
    for name, (number, top) in NUMBERS.items():
        for sign, compare in SIGNS.items():
            for least in (0, 1, top // 3, top):

                def told(s: Seen, number: Any = number, compare: Any = compare, least: int = least) -> bool:
                    value = number(s)
                    return value is not None and compare(value, least)

                found[f"{name} {sign} {least}"] = told
    for man in dict.fromkeys(CHESS.men(ending)):
        for place, there in PLACES.items():
            found[f"{man} on {place}"] = lambda s, man=man, there=there: any(map(there, s.squares(man)))
    for kind in KINDS:
        found[f"best move is a {kind}"] = lambda s, kind=kind: any(s.of_kind(move, kind) for move in s.best)
        found[f"only move is {kind}"] = lambda s, kind=kind: s.only and s.of_kind(s.keeping[0], kind)
    for white in (True, False):
        own, other = ("white", "black") if white else ("black", "white")
        if f"{own} pawn" in CHESS.men(ending):
            found[f"{other} king in the square of the {own} pawn"] = lambda s, white=white, own=own: any(
                s.in_square(s.kings[white], pawn, white) for pawn in s.squares(f"{own} pawn")
            )
            found[f"distance({own} pawn, {other} king) = 2"] = lambda s, white=white, own=own: (
                min(chess.square_distance(s.kings[white], pawn) for pawn in s.squares(f"{own} pawn")) == 2
            )
    return found


def _trees(ending: str) -> st.SearchStrategy[tuple[str, Told]]:
    leaves = st.sampled_from(sorted(_conditions(ending).items()))

    def more(parts: st.SearchStrategy[tuple[str, Told]]) -> st.SearchStrategy[tuple[str, Told]]:
        both = st.tuples(parts, parts)
        return st.one_of(
            both.map(lambda p: (f"({p[0][0]}) and ({p[1][0]})", lambda s: p[0][1](s) and p[1][1](s))),
            both.map(lambda p: (f"({p[0][0]}) or ({p[1][0]})", lambda s: p[0][1](s) or p[1][1](s))),
            parts.map(lambda p: (f"not ({p[0]})", lambda s: not p[1](s))),
        )

    return st.recursive(leaves, more, max_leaves=6)


class Arrays:
    """The evaluation in arrays, with tables that are read once for all queries."""

    def __init__(self, library: Library, dtz: Library, ending: str) -> None:
        self.library, self.dtz, self.ending = library, dtz, ending
        self._sources: dict[Any, Any] = {}
        self._whole: dict[Any, Any] = {}

    def side(self, text: str, side: int) -> Any:
        asked = Query(self.library, self.ending, text, self.dtz)
        finder = find._Finder(asked, 1)
        finder._sources, finder._stored_sides, finder.side = self._sources, self._whole, side
        finder._last_report = float("inf")
        stored = finder._stored
        found = find._Side(
            asked, side, finder._source_or_copy, lambda s: finder._source(self.dtz, s), lambda n, s, w=(): stored(n, s)
        )
        found.prepare()
        return found


@pytest.fixture(scope="session")
def worlds(dtm: Library, dtz_library: Library) -> Callable[[str], Arrays]:
    known: dict[str, Arrays] = {}

    def world(ending: str) -> Arrays:
        return known.setdefault(ending, Arrays(dtm, dtz_library, ending))

    return world


def _compare(world: Arrays, text: str, told: Told, side: int, rng: Random, most: int) -> None:
    """In a random frame, what the arrays find is what is so, and the copy that is told is the first that is so."""
    one = world.side(text, side)
    frame = rng.randrange(one.own.tiling.frame_count)
    found = {int(slot) >> 4: int(slot) & 15 for slot in (one.frame(frame) if frame in one.frames else ())}
    one.own.read(frame)
    slots = one.own.tiling.slots(frame)
    kept = slots[one.own.is_legal(slots)].tolist()
    chosen = {*rng.sample(kept, min(most, len(kept))), *rng.sample(sorted(found), min(most // 3, len(found)))}
    for slot in sorted(chosen):
        keys = arrays.copied_keys(world.ending, side, np.array([slot]))[0].tolist()
        boards = [CHESS.index.from_key(world.ending, key) for key in keys]
        matching = [number for number, board in enumerate(boards) if told(Seen(board, world.library, world.dtz))]
        assert (slot in found) == bool(matching), (text, boards[0].fen())
        if matching:
            first = boards[found[slot]]
            assert first.fen() == boards[matching[0]].fen() or one.symmetries == 1, (text, first.fen())
    assert not set(found) - set(kept)


@pytest.mark.exhaustive
@pytest.mark.parametrize("ending", ["KPvK", "KRvK", "KPvKP", "KQvKR"])
def test_every_condition_is_what_python_chess_says(worlds: Callable[[str], Arrays], ending: str) -> None:
    rng = Random(ending)
    for number, (text, told) in enumerate(_conditions(ending).items()):
        _compare(worlds(ending), text, told, number % 2, rng, 6)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KPvKP", "KRvK", "KQvKR"])
def test_combined_conditions_are_what_python_chess_says(worlds: Callable[[str], Arrays], ending: str) -> None:
    @settings(max_examples=15)
    @given(_trees(ending), st.integers(0, 1), st.integers(0, 1 << 30))
    def check(tree: tuple[str, Told], side: int, seed: int) -> None:
        _compare(worlds(ending), *tree, side, Random(seed), 8)

    check()


# Whole queries


def _examples() -> list[tuple[str, str, int]]:
    found = re.findall(r"^\| `([^`]+)` \| (K\w+) \| ([\d ]+) \|$", DOCS.read_text(), re.MULTILINE)
    return [(text, ending, int(number.replace(" ", ""))) for text, ending, number in found]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "ending", "number"), _examples())
def test_examples_of_the_docs_find_what_they_say(dtz_library: Library, text: str, ending: str, number: int) -> None:
    assert _found(Library(CHESS, dtz_library.root), ending, text, dtz_library).count == number


def test_there_are_ten_examples() -> None:
    assert len(_examples()) >= 10


@pytest.mark.slow
def test_a_list_is_as_long_as_its_count(dtm: Library) -> None:
    found = Find(Query(dtm, "KPvK", "only move is underpromotion or depth >= 55")).run(_ignored)
    assert len(found) == found.count == len({found[i].fen() for i in range(len(found))})
    assert Find(Query(dtm, "KPvK", "only move is underpromotion or depth >= 55"), list_positions=False).run(
        _ignored
    ).count == len(found)


def test_zugzwang_queries_find_the_published_positions(dtm: Library) -> None:
    assert _found(dtm, "KPvK", "zugzwang and black to move and white wins").count == 80
    assert _found(dtm, "KPvK", "zugzwang").count == 160


def test_a_query_prints_the_symmetric_copy_that_matches(dtm: Library) -> None:
    found = _found(dtm, "KRvK", "white king on h8 and white rook on g8 and white to move")
    assert len(found) > 20
    for number in range(len(found)):
        board = found[number]
        assert board.king(chess.WHITE) == chess.H8 and board.pieces(chess.ROOK, chess.WHITE) == chess.SquareSet(
            [chess.G8]
        )


@pytest.mark.exhaustive
def test_queries_about_stones_agree_with_the_rules(morris: Explorer[Any, Any]) -> None:
    """Every position of some frames, against the rules and the tables."""
    ending = "3-3"
    texts: dict[str, Callable[[Any], bool]] = {
        "won": lambda p: _stone(morris, p)[0] > 0,
        "white wins and depth > 3": lambda p: (
            _stone(morris, p)[0] == (1 if MORRIS.mover(p) == "white" else -1) and _stone(morris, p)[1] > 3
        ),
        "moves > 10 and drawn": lambda p: _stone(morris, p)[0] == 0 and len(MORRIS.moves(p)) > 10,
        "only move": lambda p: _stone(morris, p)[0] >= 0 and len(_keeping(morris, p)) == 1 < len(MORRIS.moves(p)),
        "winning moves = 2": lambda p: _stone(morris, p)[0] > 0 and len(_keeping(morris, p)) == 2,
        "best move is capture": lambda p: any(move.captured is not None for move in _best(morris, p)),
        "mills of white >= 1 or mills of black >= 1": lambda p: bool(_mills(p.white) + _mills(p.black)),
        "white stone on outer and not (black stone on a7, corner)": lambda p: bool(
            p.white & 0xFF and not p.black & 0x555555
        ),
    }
    library, rng = morris.library, Random(ending)
    for text, told in texts.items():
        found = _found(library, ending, text)
        assert found.count, text
        for number in rng.sample(range(found.count), 6):
            assert told(found[number]), (text, MORRIS.format(found[number]))
    rest = _found(library, ending, "not (white wins and depth > 3)")
    assert rest.count + _found(library, ending, "white wins and depth > 3").count == library.table(ending).positions
    assert not any(texts["white wins and depth > 3"](rest[number]) for number in rng.sample(range(rest.count), 12))


def _stone(morris: Explorer[Any, Any], position: Any) -> tuple[int, int]:
    verdict = morris.probe(position)
    return {"win": 1, "draw": 0, "loss": -1}[verdict.category.value], verdict.depth or 0


def _rated(morris: Explorer[Any, Any], position: Any) -> list[tuple[Any, int, int]]:
    found: list[tuple[Any, int, int]] = []
    for move in MORRIS.moves(position):
        result, depth = _stone(morris, MORRIS.play(position, move))
        found.append((move, -result, depth))
    return found


def _keeping(morris: Explorer[Any, Any], position: Any) -> list[Any]:
    return [move for move, result, _ in _rated(morris, position) if result == _stone(morris, position)[0]]


def _best(morris: Explorer[Any, Any], position: Any) -> list[Any]:
    here, some = _stone(morris, position)[0], _rated(morris, position)
    kept = [(depth if here < 0 else -depth, move) for move, result, depth in some if result == here]
    return [move for depth, move in kept if depth == max(kept, key=lambda k: k[0])[0]]


def _mills(mask: int) -> int:
    from endgame_core.morris.geometry import MILLS

    return sum(mask & mill == mill for mill in MILLS)


def test_conditions_compare_identical_pieces(dtm: Library) -> None:
    """Of two bishops on one colour nobody wins; the nearest of the two is meant elsewhere."""
    same = _found(dtm, "KBBvK", "white bishop on the same colour as white bishop")
    rest = _found(dtm, "KBBvK", "not white bishop on same colour as white bishop")
    assert same.count + rest.count == dtm.table("KBBvK").positions
    assert not _found(dtm, "KBBvK", "white wins and white bishop on same colour as white bishop").count
    for number in Random(1).sample(range(same.count), 20):
        first, second = same[number].pieces(chess.BISHOP, chess.WHITE)
        assert (first + second + first // 8 + second // 8) % 2 == 0


@pytest.mark.slow
def test_numbers_may_have_many_digits(dtm: Library) -> None:
    assert _found(dtm, "KPvK", "moves = 000000003").count == _found(dtm, "KPvK", "moves = 3").count > 0


def test_a_search_process_that_dies_is_an_error(dtm: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "_MODULE", "endgame_core.nowhere")
    with pytest.raises(EndgameError, match=r"the search stopped unexpectedly .*; close other programs and try again"):
        Find(Query(dtm, "KPvK", "won")).run(_ignored)


def test_a_search_can_be_cancelled(dtm: Library) -> None:
    work = Find(Query(dtm, "KPvKP", "only move"))

    def cancel(*_: Any) -> None:
        work.cancelled = True
        assert work.child is not None
        work.child.end(5.0)

    with pytest.raises(BuildCancelledError, match=r"^the search was cancelled\.$"):
        work.run(cancel)
    assert work.child is not None and not work.child.is_alive


def test_a_missing_table_is_named(dtm: Library, tmp_path: Path) -> None:
    with pytest.raises(NotBuiltError, match="run: endgame-tui build KRRvKR"):
        Query(dtm, "KRRvKR", "won")
    (tmp_path / "tables").mkdir()
    for name in ("KQvKR.egt",):
        (tmp_path / "tables" / name).hardlink_to(dtm.directory / name)
    alone = Library(CHESS, tmp_path)
    assert Query(alone, "KQvKR", "won")
    with pytest.raises(NotBuiltError, match="run: endgame-tui build KQvKR --metric dtz"):
        Query(alone, "KQvKR", "cursed", Library(CHESS_DTZ, tmp_path))


@pytest.mark.slow
def test_too_many_matches_are_counted_but_not_listed(dtm: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "MOST", 10)
    with pytest.raises(EndgameError, match="too many to list"):
        Find(Query(dtm, "KPvK", "white to move")).run(_ignored)


# Mistakes

MISTAKES = {
    "best move is en passant": (
        "positions in tables have no en passant rights; leave it out.",
        " " * 13 + "^^",
    ),
    "whit wins": ("'whit' is not a query term; did you mean 'white'?", "^^^^"),
    "white wins and": ("something is missing at the end; ", "              ^"),
    "white rok on e4": ("'rok' is not a query term; did you mean 'rook'?", "      ^^^"),
    "black rook on e4": ("KPvK has no black rook; its pieces are white king, white pawn, black king.", "^" * 16),
    "white pawn on e9": ("e9 is not a square on this board; squares are a1 to h8.", "              ^^"),
    "white pawn on file k": ("there is no file k; files are a to h.", "                   ^"),
    "depth > > 3": ("'>' is not allowed here; ", "        ^"),
    "won % lost": ("'%' has no meaning here; leave it out.", "    ^"),
    "(won": ("something is missing at the end; close the bracket with ).", "    ^"),
    "mills of white > 2": ("mills does not apply here; ", "^" * 14),
    "best move is queen move": ("queen move is not a kind of move; write king move.", "             " + "^" * 10),
    "": ("the query is empty; ", "^"),
    "white pawn on same file as white pawn": ("the same piece is named twice; name two different pieces.", "^" * 37),
    "distance(a1, a1) = 0": ("the same piece is named twice; name two different pieces.", "^" * 15),
    "won))": ("')' is not allowed here; leave it out.", "   ^"),
    "depth > 3 lost": ("'lost' is not allowed here; allowed next: and, or.", "          ^^^^"),
    "depth > -1": ("'-' is not allowed here; write a number such as 40.", "        ^"),
    "best move is promotion to x": ("a pawn cannot become a x; choose queen, rook, bishop or knight.", " " * 26 + "^"),
    "pawn on e4": ("'pawn' needs a colour; write white pawn or black pawn.", "^^^^"),
    "won and not knight on corner": ("'knight' needs a colour; write white knight or ", "            ^^^^^^"),
    "best move is foo": (
        "'foo' is not a query term; choose one of capture, check, ",
        "             ^^^",
    ),
    "only move is": ("something is missing at the end; choose one of capture, check, ", "            ^"),
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_query_error_is_a_sentence_that_marks_the_wrong_word(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text, CHESS.vocabulary, CHESS.men("KPvK"), "KPvK")
    sentence, mark = MISTAKES[text]
    assert str(caught.value).startswith(sentence)
    assert caught.value.marked == (text, mark)


WORDS = [
    "white", "black", "wins", "to", "move", "king", "pawn", "on", "edge", "e4", "z9", "file", "a", "rank", "-", ",",
    "(", ")", "and", "or", "not", "depth", ">=", "40", "only", "is", "best", "moves", "check", "the", "in", "square",
    "of", "opposition", "has", "distance", "same", "as", "99999999999999999999", "promotion", "%", "é",
    "\x00", "\n",
]  # fmt: skip


@pytest.mark.slow
@settings(max_examples=400)
@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)))
def test_no_text_leads_to_a_traceback(text: str) -> None:
    for game, ending in ((CHESS, "KPvKP"), (MORRIS, "4-3")):
        try:
            parse(text, game.vocabulary, game.men(ending), ending)
        except QueryError as error:
            query, mark = error.marked
            assert str(error).endswith((".", "?")) and "\n" not in str(error) and "\n" not in query
            assert mark.strip(" ^") == "" and len(mark) <= len(query) + 1


def test_the_longest_query_is_read_and_a_longer_one_is_not() -> None:
    deep = "not " * ((LONGEST - 3) // 4) + "won"
    assert parse(deep, CHESS.vocabulary, CHESS.men("KPvK"), "KPvK")
    with pytest.raises(QueryError, match="too long"):
        parse(deep + " " * 9, CHESS.vocabulary, CHESS.men("KPvK"), "KPvK")


def test_an_error_in_a_long_query_shows_the_part_with_the_wrong_word() -> None:
    for before, after in ((40, 40), (0, 80), (80, 0)):
        with pytest.raises(QueryError) as caught:
            parse("won or " * before + "nonsense" + " or won" * after, CHESS.vocabulary, (), "KPvK")
        query, mark = caught.value.marked
        assert len(query) < 79 and query[mark.index("^") : len(mark)] == "nonsense"
        assert query.startswith("...") == (before > 0) and query.endswith("...") == (after > 0)


def test_a_piece_can_be_named_by_its_letter() -> None:
    short, long = (
        parse(f"best move is {kind} and won", CHESS.vocabulary, CHESS.men("KPvK"), "KPvK")
        for kind in ("promotion to n", "promotion to a knight")
    )
    assert short == long


# The command


def _run(root: Path, *args: str, code: int = 0) -> Any:
    found = CliRunner().invoke(main, ["--data-dir", str(root), "find", *args], catch_exceptions=False)
    assert found.exit_code == code, found.output
    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process of its own for each search."""

    def run(work: Find, told: Callable[[str, float], None]) -> FindResult:
        asked = work.query
        return _found(asked.library, asked.ending, asked.text, asked.dtz)

    monkeypatch.setattr(Find, "run", run)


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_matches_are_printed_in_each_format(dtm: Library) -> None:
    text = ["KPvK", "only move is promotion to rook"]
    run = _run(dtm.root, *text)
    fens = run.stdout.splitlines()
    assert "3 positions found in KPvK." in run.stderr and len(fens) == 3
    document = json.loads(_run(dtm.root, *text, "--json").stdout)
    assert list(document) == ["ending", "query", "count", "positions"]
    assert [position["fen"] for position in document["positions"]] == fens
    assert json.loads(_run(dtm.root, *text, "--json", "--count").stdout) == {
        "ending": "KPvK", "query": text[1], "count": 3
    }  # fmt: skip
    assert json.loads(_run(dtm.root, *text, "--json", "--limit", "1").stdout)["count"] == 3
    lines = _run(dtm.root, *text, "--format", "csv").stdout.splitlines()
    assert lines[0] == "fen,ending,category,dtm,layer,winner,best" and lines[1].endswith(",KPvK,win,13,13,white,b8=R")
    games = _run(dtm.root, *text, "--format", "pgn").stdout
    assert games.count("[FEN ") == 3 and games.count("1. b8=R") == 2 and games.count("# 1-0") == 3
    assert all(" dm " in line for line in _run(dtm.root, *text, "--format", "epd").stdout.splitlines())
    assert [json.loads(line)["fen"] for line in _run(dtm.root, *text, "--format", "json").stdout.splitlines()] == fens


@pytest.mark.usefixtures("quick")
def test_a_sample_is_repeatable_and_in_order(dtm: Library) -> None:
    every = _run(dtm.root, "KPvK", "depth > 50").stdout.splitlines()
    some = _run(dtm.root, "KPvK", "depth > 50", "--sample", "7", "--seed", "3").stdout.splitlines()
    assert some == _run(dtm.root, "KPvK", "depth > 50", "--sample", "7", "--seed", "3").stdout.splitlines()
    assert len(some) == 7 and [line for line in every if line in some] == some


@pytest.mark.slow
def test_found_positions_can_be_added_as_studies(dtm: Library, tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    for need in ("KPvK", *CHESS.needs("KPvK")):
        if (dtm.directory / f"{need}.egt").exists():
            (tmp_path / "tables" / f"{need}.egt").hardlink_to(dtm.directory / f"{need}.egt")
    text = ["KPvK", "only move is promotion to rook", "--add-to", "Rooks"]
    assert _run(tmp_path, *text).stdout == "3 of 3 positions added to 'Rooks'\n"
    again = _run(tmp_path, *text)
    assert again.stdout == "0 of 3 positions added to 'Rooks'\n" and len(again.stderr.splitlines()) == 3
    _run(tmp_path, "KPvK", "won and lost", "--add-to", "None", code=1)


def test_ctrl_c_stops_a_search_on_the_command_line(dtm: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_work: Find, _told: Any) -> FindResult:
        raise KeyboardInterrupt

    monkeypatch.setattr(Find, "run", run)
    assert "endgame-tui: the search was stopped." in _run(dtm.root, "KPvK", "won", code=130).stderr


def test_count_cannot_be_combined_with_add_to(dtm: Library) -> None:
    assert (
        "--count and --add-to cannot be used together"
        in _run(dtm.root, "KPvK", "won", "--count", "--add-to", "Some", code=2).stderr
    )


def test_the_command_line_suggests_the_nearest_query_term(dtm: Library) -> None:
    run = _run(dtm.root, "KPvK", "white wins and blak to move", code=1)
    assert run.stdout == ""
    assert run.stderr.splitlines() == [
        "white wins and blak to move",
        "               ^^^^",
        "endgame-tui: 'blak' is not a query term; did you mean 'black'?",
    ]
