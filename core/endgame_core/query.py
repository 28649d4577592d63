"""The language in which positions of an ending are asked for: ``white wins and depth >= 40 and black king on edge``.

A text becomes a tree of conditions, whose meaning is worked out elsewhere: in :mod:`endgame_core.tables.find` over the
positions of an ending, and by each game for men and moves. What a text may say is told in ``docs/queries.md``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from endgame_core.errors import EndgameError
from endgame_core.untrusted import visible

LONGEST: Final = 1000
"""Characters of the longest query: one that is nested deeper than a program can follow is longer."""
_DISPLAY_WIDTH: Final = 72
"""Characters of a query that are shown where a mistake is marked."""
_LARGEST: Final = 1_000_000
"""Larger numbers mean the same as this one."""


class QueryError(EndgameError):
    """A query that cannot be understood, or that asks for what is not there.

    Args:
        what: One clause saying what is wrong.
        then: One clause saying what to do next; may be empty.
        query: The whole query.
        place: Where in it the mistake begins and ends.
    """

    def __init__(self, what: str, then: str, query: str, place: tuple[int, int]) -> None:
        super().__init__(what, then)
        self.query = query
        self.place = list(place)

    @property
    def marked(self) -> tuple[str, str]:
        """The query, of a long one the part around the place, and a row with a mark under the place."""
        start, end = self.place
        text = visible(self.query)
        begin = max(0, min(start - _DISPLAY_WIDTH // 2, len(text) - _DISPLAY_WIDTH))
        part = text[begin : begin + _DISPLAY_WIDTH]
        before, after = "..." * (begin > 0), "..." * (begin + _DISPLAY_WIDTH < len(text))
        offset = start - begin
        mark = "^" * max(1, min(end - start, len(part) - offset))
        return f"{before}{part}{after}", " " * (len(before) + offset) + mark


class PieceKind(NamedTuple):
    """A man of a kind: ``white``, ``rook``."""

    color: str
    kind: str

    def __str__(self) -> str:
        return f"{self.color} {self.kind}"


Place = tuple[int, int]
"""Where a part of a query begins and ends in its text."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that holds of a position or does not.

    Attributes:
        name: ``wins``, ``to move``, ``zugzwang``, ``on`` and so on: see :func:`parse`.
        args: What it is about: colours, men, a mask of squares, the kind of a move.
        place: Where it stands in the text.
    """

    name: str
    args: tuple[Any, ...] = ()
    place: Place = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two numbers, one compared with the other.

    Attributes:
        left: A number, or a :class:`Condition` whose name is that of a number: ``depth``, ``dtz``, ``best moves`` …
        sign: One of ``= != < <= > >=``.
        right: As ``left``.
    """

    left: int | Condition
    sign: str
    right: int | Condition


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All of some conditions."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """At least one of some conditions."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """That a condition does not hold."""

    part: Node


Node = Condition | Comparison | Conjunction | Disjunction | Negation

KINDS: Final = (
    "capture", "check", "quiet", "retreat", "king move", "promotion", "underpromotion", "promotion to queen",
    "promotion to rook", "promotion to bishop", "promotion to knight",
)  # fmt: skip
"""Kinds of moves that can be asked for."""
_KINDS_LISTED: Final = 7
"""So many of them are told: what a pawn becomes is told as one."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What can be said of a game besides results, depths and the side to move.

    Attributes:
        points: The squares or points of the board, by number: a letter and a digit each.
        zones: Sets of them that have a name.
        facts: Names of the conditions and numbers that there are, those about moves among them.
        kinds: Kinds of moves that there are.
        why_not: Why there are no others, one clause.
    """

    points: tuple[str, ...] = ()
    zones: tuple[tuple[str, tuple[str, ...]], ...] = ()
    facts: frozenset[str] = frozenset()
    kinds: tuple[str, ...] = ()
    why_not: str = "this game knows no such thing"

    def mask(self, names: Iterable[str]) -> int:
        """Some points as bits."""
        return sum(1 << self.points.index(name) for name in names)


_WORDS: Final = {
    "AND": ("and",), "OR": ("or",), "NOT": ("not",), "SIDE": ("white", "black"), "WINS": ("wins", "win"),
    "TO": ("to",), "MOVE": ("move",), "MOVES": ("moves",), "IS": ("is",), "WON": ("won",), "LOST": ("lost",),
    "DRAWN": ("drawn", "draw"), "MUTUAL": ("mutual",), "ZUGZWANG": ("zugzwang",), "CURSED": ("cursed",),
    "IN": ("in",), "CHECK": ("check",), "HANGING": ("hanging",), "ONLY": ("only",), "BEST": ("best",), "ON": ("on",),
    "SQUARE": ("square",), "OF": ("of",), "HAS": ("has",), "REACH": ("direct", "distant", "diagonal"),
    "OPPOSITION": ("opposition",), "DEPTH": ("depth", "dtm", "layer"), "DTZ": ("dtz",), "WINNING": ("winning",),
    "DRAWING": ("drawing",), "DISTANCE": ("distance",), "MILLS": ("mills",), "AS": ("as",), "SAME": ("same",),
    "PIECE": ("king", "queen", "rook", "bishop", "knight", "pawn", "stone"), "FILE": ("file", "files"),
    "RANK": ("rank", "ranks"), "CAPTURE": ("capture",), "QUIET": ("quiet",), "RETREAT": ("retreat",),
    "PROMOTION": ("promotion",), "UNDERPROMOTION": ("underpromotion",), "COLOUR": ("colour", "color"),
    "ZONE": (
        "edge", "corner", "centre", "center", "light", "dark", "kingside", "queenside", "outer", "middle", "inner",
        "crossing",
    ),
    "SQUARES": ("squares", "ring"),
}  # fmt: skip
"""What words are to the grammar."""

_TOKEN_OF_WORD: Final = {word: token for token, words in _WORDS.items() for word in words}
_SYNONYMS: Final = {"center": "centre", "color": "colour", "draw": "drawn", "dtm": "depth", "layer": "depth"}
_PIECES: Final = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}
_TOKEN_NAMES: Final = {"LPAR": "(", "RPAR": ")", "DASH": "-", "COMMA": ",", "SIGN": ">=", "NUMBER": "a number",
                 "POINT": "a square such as e4", "LETTER": "a file such as e"}  # fmt: skip

_GRAMMAR: Final = r"""
start: either
?either: both (OR both)*
?both: single (AND single)*
?single: NOT single -> negated
    | "(" either ")"
    | condition

?condition: SIDE WINS -> wins
    | SIDE [IS] TO MOVE -> to_move
    | [MUTUAL] ZUGZWANG -> plain
    | [IN] CHECK -> plain
    | (WON | LOST | DRAWN | CURSED | HANGING) -> plain
    | ONLY MOVE -> only_move
    | ONLY MOVE IS [LETTER] kind -> only_move
    | BEST MOVE IS [LETTER] kind -> best_move
    | man ON places -> on
    | man ON SAME line AS man -> aligned
    | man IN SQUARE OF man -> in_square
    | [REACH] OPPOSITION -> opposition
    | SIDE HAS [REACH] OPPOSITION -> has_opposition
    | number SIGN number -> compared

kind: CAPTURE | CHECK | QUIET | RETREAT | UNDERPROMOTION | PIECE MOVE | PROMOTION [TO [LETTER] (PIECE | LETTER)]
!line: FILE | RANK | REACH | COLOUR
man: SIDE PIECE

places: region ("," region)*
region: POINT -> point
    | POINT DASH POINT -> box
    | FILE LETTER [DASH LETTER] -> files
    | RANK NUMBER [DASH NUMBER] -> ranks
    | ZONE [SQUARES] -> zone

?number: NUMBER -> digits
    | (DEPTH | DTZ | MOVES) -> measure
    | (BEST | WINNING | DRAWING) MOVES -> measure
    | MILLS OF SIDE -> mills
    | DISTANCE "(" spot "," spot ")" -> distance
?spot: man | POINT

LETTER: /[A-Za-z]+[0-9]*/
NUMBER: /[0-9]+/
SIGN: />=|<=|!=|≥|≤|≠|==|=|<|>/
DASH: "-"
IGNORED.2: /(the|an)(?![A-Za-z0-9])/i
%ignore /\s+/
%ignore IGNORED
"""


@cache
def _grammar(vocabulary: Vocabulary) -> Any:
    """The parser; it is imported when something is asked for, and makes the tree as it reads: without recursion."""
    import lark

    def classify(token: Any) -> Any:
        text = token.value.lower()
        kind = _TOKEN_OF_WORD.get(text)
        if kind is None and len(text) == 1:
            kind = "LETTER"
        elif kind is None and len(text) == 2 and text[1].isdigit():
            kind = "POINT"
        token.type = kind or "UNKNOWN"
        return token.update(value=_SYNONYMS.get(text, text))

    declared = " ".join([*_WORDS, "POINT", "UNKNOWN"])
    return lark.Lark(
        f"{_GRAMMAR}\n%declare {declared}\n",
        parser="lalr", lexer="basic", lexer_callbacks={"LETTER": classify}, propagate_positions=True,
        maybe_placeholders=True, transformer=_TreeBuilder(vocabulary),
    )  # fmt: skip


class _SemanticError(Exception):
    """A part of the text that cannot be: what, what to do, where."""


def _span(*tokens: Any) -> Place:
    present = [token for token in tokens if token is not None]
    return present[0].start_pos, present[-1].end_pos


class _Spot(NamedTuple):
    """A part of a tree with its place in the text."""

    what: Any
    start_pos: int
    end_pos: int


def _spanning(what: Any, *tokens: Any) -> _Spot:
    return _Spot(what, *_span(*tokens))


class _TreeBuilder:
    """Makes conditions of what the grammar finds; each method is a rule of it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def start(self, found: list[Node]) -> Node:
        return found[0]

    def either(self, found: list[Any]) -> Node:
        return Disjunction(tuple(found[::2]))

    def both(self, found: list[Any]) -> Node:
        return Conjunction(tuple(found[::2]))

    def negated(self, found: list[Any]) -> Node:
        return Negation(found[1])

    # Conditions

    def wins(self, found: list[Any]) -> Node:
        return Condition("wins", (found[0].value,), _span(*found))

    def to_move(self, found: list[Any]) -> Node:
        return Condition("to move", (found[0].value,), _span(*found))

    def plain(self, found: list[Any]) -> Node:
        return Condition(found[-1].value, (), _span(*found))

    def only_move(self, found: list[Any]) -> Node:
        if len(found) == 2:
            return Condition("only move", (), _span(*found))
        return self._of_kind("only move", found)

    def best_move(self, found: list[Any]) -> Node:
        return self._of_kind("best move", found)

    def _of_kind(self, name: str, found: list[Any]) -> Node:
        self._article(found[3])
        kind = found[4]
        if kind.what not in self._vocabulary.kinds:
            raise _SemanticError(f"there is no {kind.what} here", self._vocabulary.why_not, _span(kind))
        return Condition(name, (kind.what,), _span(found[0], kind))

    def _article(self, token: Any) -> None:
        if token is not None and token.value != "a":
            raise _SemanticError(
                f"{token.value} is no kind of move", "choose one of " + ", ".join(KINDS[:_KINDS_LISTED]), _span(token)
            )

    def kind(self, found: list[Any]) -> _Spot:
        first, *rest = found
        if first.type == "PIECE" and first.value != "king":
            raise _SemanticError(f"there is no kind {first.value} move", "write king move", _span(*found))
        if first.type == "PIECE":
            return _spanning("king move", *found)
        if rest and rest[-1] is not None:
            self._article(rest[1])
            piece = _PIECES.get(rest[-1].value, rest[-1].value)
            text = f"promotion to {piece}"
            if text not in KINDS:
                raise _SemanticError(
                    f"no pawn becomes a {piece}", "choose queen, rook, bishop or knight", _span(rest[-1])
                )
            return _spanning(text, *found)
        return _spanning(first.value, *found)

    def on(self, found: list[Any]) -> Node:
        return Condition("on", (found[0].what, found[2].what), _span(found[0], found[2]))

    def aligned(self, found: list[Any]) -> Node:
        return Condition("aligned", (found[0].what, found[3].what, found[5].what), _span(found[0], found[5]))

    def line(self, found: list[Any]) -> _Spot:
        name = found[0].value.removesuffix("s")
        if name not in ("file", "rank", "diagonal", "colour"):
            raise _SemanticError(f"{name} is no kind of line", "choose file, rank, diagonal or colour", _span(*found))
        return _spanning(name, *found)

    def in_square(self, found: list[Any]) -> Node:
        king, pawn = found[0], found[4]
        if king.what.kind != "king":
            raise _SemanticError("only a king is in the square of a pawn", "", _span(king))
        if pawn.what.kind != "pawn" or pawn.what.color == king.what.color:
            raise _SemanticError("the square is that of a pawn of the other side", "", _span(pawn))
        return Condition("in square", (king.what, pawn.what), _span(king, pawn))

    def opposition(self, found: list[Any]) -> Node:
        return Condition("opposition", (None, found[0].value if found[0] is not None else ""), _span(*found))

    def has_opposition(self, found: list[Any]) -> Node:
        reach = found[2].value if found[2] is not None else ""
        return Condition("opposition", (found[0].value, reach), _span(*found))

    def compared(self, found: list[Any]) -> Node:
        left, sign, right = found
        text: str = sign.value
        return Comparison(left.what, {"≥": ">=", "≤": "<=", "≠": "!=", "==": "="}.get(text, text), right.what)

    # Men and where they stand

    def man(self, found: list[Any]) -> _Spot:
        return _spanning(PieceKind(found[0].value, found[1].value), *found)

    def _number(self, token: Any) -> int:
        if token.value not in self._vocabulary.points:
            name = "square" if len(self._vocabulary.points) == 64 else "point"
            then = "squares are a1 to h8" if name == "square" else "points are such as a7, d6 or e3"
            raise _SemanticError(f"{token.value} is no {name} of this board", then, _span(token))
        return self._vocabulary.points.index(token.value)

    def point(self, found: list[Any]) -> _Spot:
        return _spanning(1 << self._number(found[0]), *found)

    def box(self, found: list[Any]) -> _Spot:
        for token in (found[0], found[2]):
            self._number(token)
        return _spanning(self._between(found[0].value, found[2].value), *found)

    def _between(self, first: str, last: str) -> int:
        files, ranks = (sorted((first[i], last[i])) for i in range(2))
        return self._vocabulary.mask(
            name
            for name in self._vocabulary.points
            if files[0] <= name[0] <= files[1] and ranks[0] <= name[1] <= ranks[1]
        )

    def files(self, found: list[Any]) -> _Spot:
        return self._strip(0, found, "file", "abcdefgh")

    def ranks(self, found: list[Any]) -> _Spot:
        return self._strip(1, found, "rank", "12345678")

    def _strip(self, axis: int, found: list[Any], name: str, names: str) -> _Spot:
        first, last = found[1], found[3] or found[1]
        names_in_use = {point[axis] for point in self._vocabulary.points}
        for token in (first, last):
            if token.value not in names_in_use:
                first_name = min(names_in_use, default=names[0])
                last_name = max(names_in_use, default=names[-1])
                raise _SemanticError(
                    f"there is no {name} {token.value}", f"{name}s are {first_name} to {last_name}", _span(token)
                )
        low, high = sorted((first.value, last.value))
        return _spanning(self._vocabulary.mask(p for p in self._vocabulary.points if low <= p[axis] <= high), *found)

    def zone(self, found: list[Any]) -> _Spot:
        zones = dict(self._vocabulary.zones)
        if found[0].value not in zones:
            raise _SemanticError(f"this board has no {found[0].value}", f"zones are {', '.join(zones)}", _span(*found))
        return _spanning(self._vocabulary.mask(zones[found[0].value]), *found)

    def places(self, found: list[Any]) -> _Spot:
        mask = 0
        for region in found:
            mask |= region.what
        return _spanning(mask, *found)

    # Numbers

    def digits(self, found: list[Any]) -> _Spot:
        return _spanning(min(int(found[0].value), _LARGEST), *found)

    def _measure(self, name: str, found: list[Any], *args: Any) -> _Spot:
        return _spanning(Condition(name, args, _span(*found)), *found)

    def measure(self, found: list[Any]) -> _Spot:
        return self._measure(" ".join(token.value for token in found), found)

    def mills(self, found: list[Any]) -> _Spot:
        return self._measure("mills", found, found[2].value)

    def distance(self, found: list[Any]) -> _Spot:
        ends = tuple(end.what if isinstance(end, _Spot) else self._number(end) for end in found[1:])
        return self._measure("distance", found, *ends)


ALWAYS: Final = frozenset(["wins", "to move", "won", "lost", "drawn", "zugzwang", "depth"])
"""What can be asked of any game."""


def parse(text: str, vocabulary: Vocabulary, men: Sequence[str], ending: str) -> Node:
    """Reads a query about an ending.

    Args:
        text: What somebody has typed.
        vocabulary: What can be said of the game.
        men: The men of the ending: ``white king`` and so on.
        ending: Its name.

    Raises:
        QueryError: It cannot be understood, or asks for what is not there.
    """
    import lark

    if len(text) > LONGEST:
        raise QueryError(
            "the query is too long", f"write at most {LONGEST} characters", text[:LONGEST], (LONGEST - 1, LONGEST)
        )
    if not text.strip():
        raise QueryError("the query is empty", "write a condition, for example white wins", text, (0, 0))
    try:
        result: Node = _grammar(vocabulary).parse(text)
        for fact in facts(result):
            _check(fact, vocabulary, men, ending)
    except lark.UnexpectedCharacters as error:
        at = error.pos_in_stream
        raise QueryError(f"{visible(text[at])!r} means nothing here", "leave it out", text, (at, at + 1)) from None
    except lark.UnexpectedToken as error:
        raise _unexpected(text, error, vocabulary.kinds) from None
    except lark.exceptions.VisitError as error:
        raise _query_error(text, error.orig_exc) from None
    except _SemanticError as error:
        raise _query_error(text, error) from None
    return result


def _query_error(text: str, error: BaseException) -> QueryError:
    if not isinstance(error, _SemanticError):
        raise error
    what, then, place = error.args
    return QueryError(what, then, text, place)


def _unexpected(text: str, error: Any, kinds: Sequence[str]) -> QueryError:
    """What is wrong with a word that cannot stand where it does, and what could; ``kinds`` are those of moves."""
    token, expected = error.token, sorted(error.accepts or error.expected)
    allowed = [word for kind in expected for word in _WORDS.get(kind, ())]
    signs = [_TOKEN_NAMES[kind] for kind in expected if kind in _TOKEN_NAMES]
    if token.type == "$END":
        end = len(text.rstrip())
        return QueryError("something is missing at the end", _suggestion(allowed, signs, kinds), text, (end, end + 1))
    word, place = token.value, (token.start_pos, token.end_pos)
    typed = visible(text[token.start_pos : token.end_pos])  # the token is in small letters
    unknown = token.type == "UNKNOWN"
    suggestions = difflib.get_close_matches(word, allowed, 1, 0.6 if unknown else 0.75) or (
        difflib.get_close_matches(word, list(_TOKEN_OF_WORD), 1, 0.7) if unknown else []
    )
    if word == "en":
        return QueryError("no position of a table has a right to capture en passant", "leave it out", text, place)
    if token.type == "PIECE" and "SIDE" in expected:
        return QueryError(f"{typed!r} lacks its colour", f"write white {word} or black {word}", text, place)
    what = f"{typed!r} " + ("is no word of queries" if unknown else "cannot stand here")
    return QueryError(
        what, f"did you mean {suggestions[0]}" if suggestions else _suggestion(allowed, signs, kinds), text, place
    )


def _suggestion(words: Sequence[str], signs: Sequence[str], kinds: Sequence[str]) -> str:
    """Some of what could stand there, in the order in which words are listed."""
    ordered = [word for word in _TOKEN_OF_WORD if word in words]
    if not ordered and not signs:
        return "leave it out"
    if "a number" in signs and "not" not in words:
        return "write a number such as 40"
    if signs == [")"] and not ordered:
        return "close the bracket with )"
    if "capture" in words and kinds:
        return f"choose one of {', '.join(kinds[:_KINDS_LISTED])}"
    if len(ordered) > 8:
        return "write a condition such as white wins, depth >= 40 or black king on edge"
    return "there may follow " + ", ".join([*ordered, *signs])


def _check(fact: Condition, vocabulary: Vocabulary, men: Sequence[str], ending: str) -> None:
    """Raises _WrongError for what the game or the ending has not."""
    if fact.name not in ALWAYS and fact.name not in vocabulary.facts:
        raise _SemanticError(f"{fact.name} does not work here", vocabulary.why_not, fact.place)
    for man in fact.args:
        if isinstance(man, PieceKind) and str(man) not in men:
            inventory = ", ".join(dict.fromkeys(men))
            raise _SemanticError(f"{ending} has no {man}", f"its men are {inventory}" if inventory else "", fact.place)
    first, last = (fact.args[0], fact.args[-1]) if fact.name in ("aligned", "distance") else (0, 1)
    if first == last and men.count(str(first)) < 2:
        raise _SemanticError("the same is named twice", "name two", fact.place)


def facts(node: Node) -> Iterator[Condition]:
    """All that a condition asks, numbers among it."""
    match node:
        case Condition():
            yield node
        case Comparison():
            yield from (side for side in (node.left, node.right) if isinstance(side, Condition))
        case Negation():
            yield from facts(node.part)
        case Conjunction() | Disjunction():
            for part in node.parts:
                yield from facts(part)
