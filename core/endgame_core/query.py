"""The language of position queries: ``white wins and depth >= 40 and black king on edge``.

A text is parsed into a tree of conditions, which are evaluated elsewhere: over the positions of an ending by
:mod:`endgame_core.tables.find`, and for men and moves by each game. The language is documented in ``docs/queries.md``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from endgame_core.errors import EndgameError
from endgame_core.language import _
from endgame_core.untrusted import quoted, visible

LONGEST: Final = 1000
"""Characters of the longest query; it limits the nesting to a depth that recursion can handle."""
_DISPLAY_WIDTH: Final = 72
"""Characters of a query that are shown with a marked mistake."""
_LARGEST: Final = 1_000_000
"""Larger numbers are replaced by this one."""


class QueryError(EndgameError):
    """A query that cannot be parsed, or that asks for something the game or the ending does not have.

    Args:
        what: One clause that says what is wrong.
        then: One clause that says what to do next; may be empty.
        query: The whole query.
        place: Begin and end of the mistake in the query.
    """

    def __init__(self, what: str, then: str, query: str, place: tuple[int, int]) -> None:
        super().__init__(what, then)
        self.query = query
        self.place = list(place)

    @property
    def marked(self) -> tuple[str, str]:
        """The query (of a long one, the part around the mistake) and a row that marks the mistake."""
        start, end = self.place
        text = visible(self.query)
        begin = max(0, min(start - _DISPLAY_WIDTH // 2, len(text) - _DISPLAY_WIDTH))
        part = text[begin : begin + _DISPLAY_WIDTH]
        before = "..." * (begin > 0)
        after = "..." * (begin + _DISPLAY_WIDTH < len(text))
        offset = start - begin
        mark = "^" * max(1, min(end - start, len(part) - offset))
        return f"{before}{part}{after}", " " * (len(before) + offset) + mark


class PieceKind(NamedTuple):
    """A colour and a kind of man: ``white``, ``rook``."""

    color: str
    kind: str

    def __str__(self) -> str:
        return f"{self.color} {self.kind}"


Place = tuple[int, int]
"""Begin and end of a part of a query in its text."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a position, or a named number of it.

    Attributes:
        name: ``wins``, ``to move``, ``zugzwang``, ``on`` and so on: see :func:`parse`.
        args: Its arguments: colours, men, a mask of squares, the kind of a move.
        place: Its place in the text.
    """

    name: str
    args: tuple[Any, ...] = ()
    place: Place = field(default=(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison of two numbers.

    Attributes:
        left: A number, or a :class:`Condition` that names one: ``depth``, ``dtz``, ``best moves`` …
        sign: One of ``= != < <= > >=``.
        right: As ``left``.
    """

    left: int | Condition
    sign: str
    right: int | Condition


@dataclass(frozen=True, slots=True)
class Conjunction:
    """All of the conditions."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Disjunction:
    """At least one of the conditions."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    """The negation of a condition."""

    part: Node


Node = Condition | Comparison | Conjunction | Disjunction | Negation

KINDS: Final = (
    "capture", "check", "quiet", "retreat", "king move", "promotion", "underpromotion", "promotion to queen",
    "promotion to rook", "promotion to bishop", "promotion to knight",
)  # fmt: skip
"""The kinds of moves."""
_KINDS_LISTED: Final = 7
"""Number of kinds listed in error messages: the kinds of promotion are listed as one."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The terms of a game beyond results, depths and the side to move.

    Attributes:
        points: The squares or points of the board by number, each a letter and a digit.
        zones: Named sets of points.
        facts: Names of the available conditions and numbers, those about moves included.
        kinds: The available kinds of moves.
        why_not: Why the others are not available, one clause.
    """

    points: tuple[str, ...] = ()
    zones: tuple[tuple[str, tuple[str, ...]], ...] = ()
    facts: frozenset[str] = frozenset()
    kinds: tuple[str, ...] = ()
    why_not: str = _("it does not exist in this game")

    def mask(self, names: Iterable[str]) -> int:
        """Return points as a bit mask."""
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
"""The words of each terminal of the grammar."""

_TOKEN_OF_WORD: Final = {word: token for token, words in _WORDS.items() for word in words}
_SYNONYMS: Final = {"center": "centre", "color": "colour", "draw": "drawn", "dtm": "depth", "layer": "depth"}
_PIECES: Final = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}
_TOKEN_NAMES: Final = {"LPAR": "(", "RPAR": ")", "DASH": "-", "COMMA": ",", "SIGN": ">=", "NUMBER": _("a number"),
                 "POINT": _("a square such as e4"), "LETTER": _("a file such as e")}  # fmt: skip

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
    """Return the parser, which builds the tree without recursion; imports lark."""
    import lark

    # To the lexer every word is a LETTER; here each gets its terminal. So a misspelled word is an UNKNOWN token at a
    # known place, for which the parser knows what could stand there instead.
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
    """A well-formed query with an impossible part: what, what to do, where."""


def _span(*tokens: Any) -> Place:
    present = [token for token in tokens if token is not None]
    return present[0].start_pos, present[-1].end_pos


class _Spot(NamedTuple):
    """A part of the tree with its place in the text."""

    what: Any
    start_pos: int
    end_pos: int


def _spanning(what: Any, *tokens: Any) -> _Spot:
    return _Spot(what, *_span(*tokens))


class _TreeBuilder:
    """Builds conditions from the grammar's matches; each method implements the rule of that name."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def start(self, items: list[Node]) -> Node:
        return items[0]

    def either(self, items: list[Any]) -> Node:
        # Every second item is a token OR.
        return Disjunction(tuple(items[::2]))

    def both(self, items: list[Any]) -> Node:
        return Conjunction(tuple(items[::2]))

    def negated(self, items: list[Any]) -> Node:
        return Negation(items[1])

    # Conditions

    def wins(self, items: list[Any]) -> Node:
        return Condition("wins", (items[0].value,), _span(*items))

    def to_move(self, items: list[Any]) -> Node:
        return Condition("to move", (items[0].value,), _span(*items))

    def plain(self, items: list[Any]) -> Node:
        return Condition(items[-1].value, (), _span(*items))

    def only_move(self, items: list[Any]) -> Node:
        if len(items) == 2:
            return Condition("only move", (), _span(*items))
        return self._of_kind("only move", items)

    def best_move(self, items: list[Any]) -> Node:
        return self._of_kind("best move", items)

    def _of_kind(self, name: str, items: list[Any]) -> Node:
        """Return the condition that the only or a best move is of a kind."""
        # With placeholders on, an optional token that is missing is None, so the numbers of the items are fixed.
        self._article(items[3])
        kind = items[4]
        if kind.what not in self._vocabulary.kinds:
            raise _SemanticError(
                _("there is no {kind_what} here").format(kind_what=kind.what), self._vocabulary.why_not, _span(kind)
            )
        return Condition(name, (kind.what,), _span(items[0], kind))

    def _article(self, token: Any) -> None:
        """Check that an optional word is the article: the grammar accepts any word in its place."""
        if token is not None and token.value != "a":
            raise _SemanticError(
                _("{token} is not a kind of move").format(token=token.value),
                _("choose one of ") + ", ".join(KINDS[:_KINDS_LISTED]),
                _span(token),
            )

    def kind(self, items: list[Any]) -> _Spot:
        first, *rest = items
        if first.type == "PIECE" and first.value != "king":
            raise _SemanticError(
                _("{first} move is not a kind of move").format(first=first.value), _("write king move"), _span(*items)
            )
        if first.type == "PIECE":
            return _spanning("king move", *items)
        if rest and rest[-1] is not None:
            self._article(rest[1])
            piece = _PIECES.get(rest[-1].value, rest[-1].value)
            text = f"promotion to {piece}"
            if text not in KINDS:
                raise _SemanticError(
                    _("a pawn cannot become a {piece}").format(piece=piece),
                    _("choose queen, rook, bishop or knight"),
                    _span(rest[-1]),
                )
            return _spanning(text, *items)
        return _spanning(first.value, *items)

    def on(self, items: list[Any]) -> Node:
        return Condition("on", (items[0].what, items[2].what), _span(items[0], items[2]))

    def aligned(self, items: list[Any]) -> Node:
        return Condition("aligned", (items[0].what, items[3].what, items[5].what), _span(items[0], items[5]))

    def line(self, items: list[Any]) -> _Spot:
        name = items[0].value.removesuffix("s")
        if name not in ("file", "rank", "diagonal", "colour"):
            raise _SemanticError(
                _("{name} is not a kind of line").format(name=name),
                _("choose file, rank, diagonal or colour"),
                _span(*items),
            )
        return _spanning(name, *items)

    def in_square(self, items: list[Any]) -> Node:
        king = items[0]
        pawn = items[4]
        if king.what.kind != "king":
            raise _SemanticError(_("only a king can be in the square of a pawn"), "", _span(king))
        if pawn.what.kind != "pawn" or pawn.what.color == king.what.color:
            raise _SemanticError(_("the pawn must belong to the other side"), "", _span(pawn))
        return Condition("in square", (king.what, pawn.what), _span(king, pawn))

    def opposition(self, items: list[Any]) -> Node:
        return Condition("opposition", (None, items[0].value if items[0] is not None else ""), _span(*items))

    def has_opposition(self, items: list[Any]) -> Node:
        reach = ""
        if items[2] is not None:
            reach = items[2].value
        return Condition("opposition", (items[0].value, reach), _span(*items))

    def compared(self, items: list[Any]) -> Node:
        left, sign, right = items
        text: str = sign.value
        normalized = {"≥": ">=", "≤": "<=", "≠": "!=", "==": "="}.get(text, text)
        return Comparison(left.what, normalized, right.what)

    # Men and where they stand

    def man(self, items: list[Any]) -> _Spot:
        return _spanning(PieceKind(items[0].value, items[1].value), *items)

    def _number(self, token: Any) -> int:
        """Return the number of a point of the board."""
        if token.value not in self._vocabulary.points:
            if len(self._vocabulary.points) == 64:
                name = "square"
                suggestion = _("squares are a1 to h8")
            else:
                name = "point"
                suggestion = _("points have names such as a7, d6 or e3")
            raise _SemanticError(
                _("{token} is not a {name} on this board").format(token=token.value, name=name),
                suggestion,
                _span(token),
            )
        return self._vocabulary.points.index(token.value)

    def point(self, items: list[Any]) -> _Spot:
        return _spanning(1 << self._number(items[0]), *items)

    def box(self, items: list[Any]) -> _Spot:
        for token in (items[0], items[2]):
            self._number(token)
        return _spanning(self._between(items[0].value, items[2].value), *items)

    def _between(self, first: str, last: str) -> int:
        """Return the mask of the points in the rectangle with two opposite corners."""
        files, ranks = (sorted((first[i], last[i])) for i in range(2))
        return self._vocabulary.mask(
            name
            for name in self._vocabulary.points
            if files[0] <= name[0] <= files[1] and ranks[0] <= name[1] <= ranks[1]
        )

    def files(self, items: list[Any]) -> _Spot:
        return self._strip(0, items, "file", "abcdefgh")

    def ranks(self, items: list[Any]) -> _Spot:
        return self._strip(1, items, "rank", "12345678")

    def _strip(self, axis: int, items: list[Any], name: str, names: str) -> _Spot:
        """Return the mask of a range of files (axis 0) or ranks (axis 1)."""
        first = items[1]
        last = items[3] or first
        names_in_use = {point[axis] for point in self._vocabulary.points}
        for token in (first, last):
            if token.value not in names_in_use:
                first_name = min(names_in_use, default=names[0])
                last_name = max(names_in_use, default=names[-1])
                raise _SemanticError(
                    _("there is no {name} {token}").format(name=name, token=token.value),
                    _("{name}s are {first_name} to {last_name}").format(
                        name=name, first_name=first_name, last_name=last_name
                    ),
                    _span(token),
                )
        low, high = sorted((first.value, last.value))
        return _spanning(self._vocabulary.mask(p for p in self._vocabulary.points if low <= p[axis] <= high), *items)

    def zone(self, items: list[Any]) -> _Spot:
        zones = dict(self._vocabulary.zones)
        if items[0].value not in zones:
            raise _SemanticError(
                _("this board has no {items}").format(items=items[0].value),
                _("zones are {zones}").format(zones=", ".join(zones)),
                _span(*items),
            )
        return _spanning(self._vocabulary.mask(zones[items[0].value]), *items)

    def places(self, items: list[Any]) -> _Spot:
        mask = 0
        for region in items:
            mask |= region.what
        return _spanning(mask, *items)

    # Numbers

    def digits(self, items: list[Any]) -> _Spot:
        return _spanning(min(int(items[0].value), _LARGEST), *items)

    def _measure(self, name: str, items: list[Any], *args: Any) -> _Spot:
        """Return a named number of a position."""
        return _spanning(Condition(name, args, _span(*items)), *items)

    def measure(self, items: list[Any]) -> _Spot:
        return self._measure(" ".join(token.value for token in items), items)

    def mills(self, items: list[Any]) -> _Spot:
        return self._measure("mills", items, items[2].value)

    def distance(self, items: list[Any]) -> _Spot:
        ends = tuple(end.what if isinstance(end, _Spot) else self._number(end) for end in items[1:])
        return self._measure("distance", items, *ends)


ALWAYS: Final = frozenset(["wins", "to move", "won", "lost", "drawn", "zugzwang", "depth"])
"""The conditions available in every game."""


def parse(text: str, vocabulary: Vocabulary, men: Sequence[str], ending: str) -> Node:
    """Parse a query about an ending.

    Args:
        text: The typed query.
        vocabulary: The terms of the game.
        men: The men of the ending: ``white king`` and so on.
        ending: Its name.

    Raises:
        QueryError: It cannot be parsed, or asks for something the game or the ending does not have.
    """
    import lark

    if len(text) > LONGEST:
        raise QueryError(
            _("the query is too long"),
            _("write at most {longest} characters").format(longest=LONGEST),
            text[:LONGEST],
            (LONGEST - 1, LONGEST),
        )
    if not text.strip():
        raise QueryError(_("the query is empty"), _("write a condition, for example white wins"), text, (0, 0))
    try:
        result: Node = _grammar(vocabulary).parse(text)
        for fact in facts(result):
            _check(fact, vocabulary, men, ending)
    except lark.UnexpectedCharacters as error:
        at = error.pos_in_stream
        raise QueryError(
            _("{text!r} has no meaning here").format(text=visible(text[at])), _("leave it out"), text, (at, at + 1)
        ) from None
    except lark.UnexpectedToken as error:
        raise _unexpected(text, error, vocabulary.kinds) from None
    except lark.exceptions.VisitError as error:
        raise _query_error(text, error.orig_exc) from None
    except _SemanticError as error:
        raise _query_error(text, error) from None
    return result


def _query_error(text: str, error: BaseException) -> QueryError:
    if not isinstance(error, _SemanticError):
        # A bug in a method above; it must not look like a mistake of the user.
        raise error
    what, then, place = error.args
    return QueryError(what, then, text, place)


def _unexpected(text: str, error: Any, kinds: Sequence[str]) -> QueryError:
    """Return the error for a token at the wrong place, with a suggestion; ``kinds`` are the kinds of moves."""
    token = error.token
    expected = sorted(error.accepts or error.expected)
    allowed = [word for kind in expected for word in _WORDS.get(kind, ())]
    signs = [_TOKEN_NAMES[kind] for kind in expected if kind in _TOKEN_NAMES]
    if token.type == "$END":
        end = len(text.rstrip())
        return QueryError(
            _("something is missing at the end"), _suggestion(allowed, signs, kinds), text, (end, end + 1)
        )
    word = token.value
    place = (token.start_pos, token.end_pos)
    typed = visible(text[token.start_pos : token.end_pos])  # as typed; the token itself is in lower case
    unknown = token.type == "UNKNOWN"
    # A known word at the wrong place is less likely to be a misspelled one.
    suggestions = difflib.get_close_matches(word, allowed, 1, 0.6 if unknown else 0.75) or (
        difflib.get_close_matches(word, list(_TOKEN_OF_WORD), 1, 0.7) if unknown else []
    )
    if word == "en":
        return QueryError(_("positions in tables have no en passant rights"), _("leave it out"), text, place)
    if token.type == "PIECE" and "SIDE" in expected:
        return QueryError(
            _("{typed!r} needs a colour").format(typed=typed),
            _("write white {word} or black {word}").format(word=word),
            text,
            place,
        )
    what = f"{typed!r} " + (_("is not a query term") if unknown else _("is not allowed here"))
    if suggestions:
        then = _("did you mean {name}?").format(name=quoted(suggestions[0]))
    else:
        then = _suggestion(allowed, signs, kinds)
    return QueryError(what, then, text, place)


def _suggestion(words: Sequence[str], signs: Sequence[str], kinds: Sequence[str]) -> str:
    """Return what may stand at a place, words in the order of the vocabulary."""
    ordered = [word for word in _TOKEN_OF_WORD if word in words]
    if not ordered and not signs:
        return _("leave it out")
    # With NOT allowed, a whole condition may begin here, and a number is only one way to begin it.
    if _TOKEN_NAMES["NUMBER"] in signs and "not" not in words:
        return _("write a number such as 40")
    if signs == [")"] and not ordered:
        return _("close the bracket with )")
    if "capture" in words and kinds:
        return _("choose one of {kinds}").format(kinds=", ".join(kinds[:_KINDS_LISTED]))
    if len(ordered) > 8:
        return _("write a condition such as white wins, depth >= 40 or black king on edge")
    return _("allowed next: ") + ", ".join([*ordered, *signs])


def _check(fact: Condition, vocabulary: Vocabulary, men: Sequence[str], ending: str) -> None:
    """Raise _SemanticError for a condition that the game or the ending does not have."""
    if fact.name not in ALWAYS and fact.name not in vocabulary.facts:
        raise _SemanticError(_("{fact} does not apply here").format(fact=fact.name), vocabulary.why_not, fact.place)
    for man in fact.args:
        if isinstance(man, PieceKind) and str(man) not in men:
            inventory = ", ".join(dict.fromkeys(men))
            then = ""
            if inventory:
                then = _("its pieces are {inventory}").format(inventory=inventory)
            raise _SemanticError(
                _("{ending} has no {man}").format(ending=ending, man=man),
                then,
                fact.place,
            )
    first = 0
    last = 1
    if fact.name in ("aligned", "distance"):
        first = fact.args[0]
        last = fact.args[-1]
    if first == last and men.count(str(first)) < 2:
        raise _SemanticError(_("the same piece is named twice"), _("name two different pieces"), fact.place)


def facts(node: Node) -> Iterator[Condition]:
    """Yield all conditions and named numbers in a tree."""
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
