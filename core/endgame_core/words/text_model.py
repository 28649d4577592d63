"""The parts of sentences: numbers in words, headings, marks, rows of facts with their roles, the words of a game.

A *role* names a colour by its meaning (``win``, ``draw``, ``loss``, ``cursed``, ``blessed``, ``text``, ``dim``,
``faint``, ``amber``); whoever prints knows which colour that is, and does without where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from endgame_core import language
from endgame_core.game_state import Win
from endgame_core.language import N_, _, decimal, ngettext, side_name
from endgame_core.values import HORIZON, Category, Grade, Kind

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.probe_result import ProbeResult
    from endgame_core.tables.explorer import Explorer, Previous

MANNERS: Final[Mapping[str, str]] = {
    "perfect": _("resists longest and leaves you few winning moves"),
    "varied": _("resists longest and varies its moves"),
    "tricky": _("leaves you the fewest winning moves"),
    "human": _("makes mistakes, small ones more often than big ones"),
}
"""The behaviour of each defender when it loses; all win a won game and hold a drawn one."""


@dataclass(frozen=True, slots=True)
class Message:
    """A heading such as ``S19 → S18``, a sentence, the heading's role, and words that matter less."""

    heading: str = ""
    sentence: str = ""
    role: str = "text"
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """The side to move, the result in words and its role, and an aside for headlines of two rows."""

    white: bool = True
    mover: str = ""
    result: str = ""
    role: str = "text"
    aside: str = ""


@dataclass(frozen=True, slots=True)
class LineText:
    """A line of moves.

    Attributes:
        moves: The moves as people write them.
        white: Whether White makes the first.
        strong_first: Whether the side that moves first wins (or the position is drawn).
        complete: Whether the line goes to the end.
        first: Number of the first move.
        numbered: Whether the moves have numbers.
        plies: Length of the whole line, shown or not; 0 if it is not printed.
    """

    moves: tuple[str, ...] = ()
    white: bool = True
    strong_first: bool = True
    complete: bool = True
    first: int = 1
    numbered: bool = True
    plies: int = 0


@dataclass(frozen=True, slots=True)
class Badge:
    """The value of a position or a move.

    Attributes:
        sign: One or two characters.
        words: What it means.
        role: Role of the colour of both.
        quiet: Whether the words are dim.
        short: A word to show where there is no room for all of them; empty if there is none.
    """

    sign: str
    words: str
    role: str = "text"
    quiet: bool = True
    short: str = ""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Some words, the role of their colour, and whether they are bold.

    Attributes:
        text: The words.
        role: Role of their colour.
        bold: Whether they are bold.
        at: The column they begin in, where they stand in a column; below 0 counted from the right end.
        end: The column before which they end; 0 and below counted from the right end.
    """

    text: str
    role: str = "text"
    bold: bool = False
    at: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class TextRow:
    """One row: words from the left, words at the right end, which go first when there is no room."""

    left: tuple[TextSpan, ...] = ()
    right: tuple[TextSpan, ...] = ()

    @property
    def text(self) -> str:
        """The words from the left."""
        return "".join(word.text for word in self.left)


@dataclass(frozen=True, slots=True)
class LabelledValue:
    """A label, its value, and the role of the value's colour.

    Attributes:
        label: The label.
        value: The value.
        role: The role of its colour.
        change: What a click on it changes; nothing where it is empty.
        whose: The side that is changed, where there is one.
    """

    label: str
    value: str
    role: str = "text"
    change: str = ""
    whose: tuple[int, ...] = ()


Section = tuple[str, tuple[LabelledValue, ...]]
"""A title and its facts."""


@dataclass(frozen=True, slots=True)
class Choices:
    """A row of choices: a label, the options, the chosen one, and a sentence about it.

    Attributes:
        aliases: Shorter names of the options, in their order, that can be typed as well; empty for none.
    """

    label: str
    options: tuple[str, ...]
    chosen: int
    description: str = ""
    aliases: tuple[str, ...] = ()


FIFTY_MOVES: Final = _("50-move counter")
"""The name of the half-move clock, which is shown in moves of each side."""

KINDS: Final[Mapping[Category, Badge]] = {
    Category.WIN: Badge("+", _("win"), "win"),
    Category.MAYBE_WIN: Badge("+?", _("maybe a win"), "cursed"),
    Category.CURSED_WIN: Badge("+=", _("cursed win"), "cursed"),
    Category.DRAW: Badge("=", _("draw"), "draw"),
    Category.BLESSED_LOSS: Badge("−=", _("blessed loss"), "blessed"),
    Category.MAYBE_LOSS: Badge("−?", _("maybe a loss"), "blessed"),
    Category.LOSS: Badge("−", _("loss"), "loss"),
}
"""A cursed win and a blessed loss are draws: the marks distinguish them without colour."""

UNSURE: Final = (Category.MAYBE_WIN, Category.CURSED_WIN, Category.BLESSED_LOSS, Category.MAYBE_LOSS)
"""The categories that DTM alone cannot decide."""


def distance(number: int | None, is_draw: bool = False, exact: bool = True) -> str:
    """A distance as printed; a dash where there is none, and marked where Syzygy may have rounded it."""
    if number is None or is_draw:
        return "–"
    sign = "" if exact else "≈"
    return f"{sign}{abs(number)}"


def note(text: str, role: str = "text", bold: bool = False) -> TextRow:
    """A row of equal words."""
    return TextRow((TextSpan(text, role, bold),))


_LABEL_WIDTH: Final = 9
"""Columns of a label, with the gap after it; a longer label moves its value to the right."""


def fact(label: str, value: str, role: str = "text") -> TextRow:
    """A label, and its value in a column."""
    return TextRow((TextSpan(label.ljust(_LABEL_WIDTH - 1) + " ", "dim"), TextSpan(value, role)))


def in_rows(text: str, width: int) -> list[str]:
    """A text in as many rows as it needs, broken between words, and within those that are longer than a row."""
    return wrap(" ".join(text.split()), max(width, 1), break_on_hyphens=False)


def wrapped(text: str, width: int, role: str = "text", *, bold: bool = False) -> tuple[TextRow, ...]:
    """The same as notes."""
    return tuple(note(row, role, bold) for row in in_rows(text, width))


def fitted(notes: Sequence[TextRow], width: int, height: int) -> tuple[TextRow, ...]:
    """The notes, those that are too long broken between words as far as there are rows for that."""
    rows: list[TextRow] = []
    for number, note in enumerate(notes):
        # Each of the notes to come needs at least one row.
        room = height - len(rows) - (len(notes) - number - 1)
        rows += _broken(note, width, max(room, 1))
    return tuple(rows)


def _broken(note: TextRow, width: int, limit: int) -> list[TextRow]:
    """Split one note into at most ``limit`` rows; the last one has all the rest."""
    rows: list[list[TextSpan]] = [[]]
    used = 0
    for word in note.left:
        for number, text in enumerate(word.text.split(" ")):
            piece = f" {text}" if number else text
            # Only at blanks; the first word of a span may continue the last one of the span before.
            if number and text and used + len(piece) > width and len(rows) < limit:
                rows.append([])
                piece = text
                used = 0
            rows[-1].append(replace(word, text=piece))
            used += len(piece)
    # What stands at the right end stays in the first row.
    return [TextRow(tuple(row), note.right if number == 0 else ()) for number, row in enumerate(rows)]


# Numbers in words

WEEKDAYS: Final = (_("Mon"), _("Tue"), _("Wed"), _("Thu"), _("Fri"), _("Sat"), _("Sun"))
MONTHS: Final = (
    _("Jan"),
    _("Feb"),
    _("Mar"),
    _("Apr"),
    _("May"),
    _("Jun"),
    _("Jul"),
    _("Aug"),
    _("Sep"),
    _("Oct"),
    _("Nov"),
    _("Dec"),
)
"""The days of a week, the first being day 1."""


def grouped(number: int) -> str:
    """A number with its thousands separated by a space: ``12 345``; in German ``12.345``."""
    return language.grouped(number, " ")


def positions(count: int, exact: bool) -> str:
    """A number of positions: exact below a million, else in millions, or in billions."""
    if exact and count < 1_000_000:
        return grouped(count)
    if count < 1_000_000:
        return f"≈ {grouped(round(count, -3))}"
    if count >= 1_000_000_000:
        return _("≈ {count} bn").format(count=decimal(count / 1_000_000_000))
    return _("≈ {count} M").format(count=decimal(count / 1_000_000))


def moves_of_plies(plies: int) -> str:
    """Plies as moves of each side: ``12`` for 24, ``12½`` for 25, ``½`` for 1."""
    whole, half = divmod(plies, 2)
    if half:
        return f"{whole or ''}½"
    return str(whole)


def fifty_counter(clock: int) -> str:
    """The 50-move counter, in moves: ``12½/50``; ``clock`` is in plies."""
    return f"{moves_of_plies(clock)}/{HORIZON // 2}"


def duration(seconds: float) -> str:
    """A time in words: ``under 1 s``, ``about 6 s``, ``about 3 min``."""
    if seconds < 1:
        return _("under 1 s")
    if seconds < 100:
        return _("about {seconds} s").format(seconds=round(seconds))
    if seconds < 5400:
        return _("about {seconds} min").format(seconds=round(seconds / 60))
    return _("about {seconds} h").format(seconds=decimal(seconds / 3600))


def clock(seconds: float) -> str:
    """Minutes and seconds: ``0:41``."""
    # A sum of seconds may be slightly too small: 40.9999999 is 0:41.
    minutes, rest = divmod(int(seconds + 1e-6), 60)
    return f"{minutes}:{rest:02d}"


def span(seconds: float) -> str:
    """Seconds in words: ``3 s``, ``12 min``, ``1 h 5 min``."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return _("{minutes} min").format(minutes=minutes)
    return _("{minutes} h {minutes2} min").format(minutes=minutes // 60, minutes2=minutes % 60)


def memory(count: int) -> str:
    """Bytes of memory in words."""
    if count < 1_000_000_000:
        return _("≈ {count} MB").format(count=max(round(count / 100_000_000), 1) * 100)
    return _("≈ {count} GB").format(count=decimal(count / 1_000_000_000))


def count(number: int, one: str, many: str) -> str:
    """A number with the fitting noun."""
    return f"{grouped(number)} {ngettext(one, many, number)}"


def in_plies(number: int) -> str:
    """``1 ply``, ``2 plies``."""
    return count(number, "ply", "plies")


def in_moves(plies: int) -> str:
    """Plies as moves of each side, with the noun: ``1 move`` for 2, ``2½ moves`` for 5."""
    # A half counts as several in English: ½ moves, 1 move, 1½ moves.
    number = plies / 2 if plies % 2 else plies // 2
    noun = ngettext("move", "moves", number)
    return f"{moves_of_plies(plies)} {noun}"


def grade_words(grade: Grade) -> str:
    """A grade in a few words: ``2 moves slower``. :attr:`Grade.words` is what files keep."""
    moves = in_moves(grade.plies)
    return {
        Kind.BEST: _("best"),
        Kind.SLOWER: _("{moves} slower").format(moves=moves),
        Kind.FASTER: _("{moves} sooner").format(moves=moves),
        Kind.WIN_GONE: _("throws away the win"),
        Kind.CURSED: _("turns the win into a cursed win"),
        Kind.HOLDS: _("holds"),
        Kind.LOSES: _("loses"),
        Kind.KEEPS: _("keeps the win"),
        Kind.STILL_LOST: _("still lost"),
    }[grade.kind]


_HELD: Final = re.compile(r"held for (\d+) moves")
_WON_ENDING: Final = re.compile(r"(\S+) is won")
"""Reasons in the journal that contain a number or an ending: a position was held, or another ending was reached."""

_REASONS: Final = {
    "time": N_("time forfeit"),
    "agreement": N_("agreement"),
    "asking to be shown": N_("asking for the solution"),
    "the record": N_("the recorded result"),
    "a move that cannot be read": N_("a move that cannot be read"),
    "right": N_("right"),
    "shown": N_("shown"),
    "left": N_("abandoned"),
    "the only move": N_("the only move"),
    "the result is gone": N_("the result was thrown away"),
    "the draw is gone": N_("the draw was thrown away"),
    "the win is gone": N_("the win was thrown away"),
    "there was a faster way": N_("there was a faster way"),
    "more than held": N_("better than a draw"),
    "neither side can lose this position": N_("neither side can lose this position"),
    "the pawn has promoted and wins": N_("the pawn has promoted and wins"),
    "too late": N_("too late"),
    "it is a win": N_("it is a win"),
    "it is a draw": N_("it is a draw"),
    "it is a loss": N_("it is a loss"),
    "it is a win, the move decides": N_("it is a win, and it matters whose turn it is"),
    "it is a draw, the move decides": N_("it is a draw, and it matters whose turn it is"),
    "it is a loss, the move decides": N_("it is a loss, and it matters whose turn it is"),
    "it is a win, whichever side moves": N_("it is a win, whoever is to move"),
    "it is a draw, whichever side moves": N_("it is a draw, whoever is to move"),
    "it is a loss, whichever side moves": N_("it is a loss, whoever is to move"),
    "perfect": N_("perfect"),
    "varied": N_("varied"),
    "tricky": N_("tricky"),
    "human": N_("human"),
}
"""Sentences for the fixed texts that the journal and the program's own values keep, for :func:`in_words`."""

_SAME_WORDS: Final = (
    N_("win"),
    N_("maybe win"),
    N_("cursed win"),
    N_("draw"),
    N_("blessed loss"),
    N_("maybe loss"),
    N_("loss"),
    N_("wrong"),
    N_("estimate"),
    N_("layers"),
    N_("sub-endings"),
    N_("identical pieces"),
    N_("endings with pawns"),
    N_("moves"),
    N_("moves of both sides"),
    N_("captures"),
    N_("zugzwangs"),
)
"""Results, and what solvers call their steps, for :func:`in_words`: shown as they are, or translated."""


def in_words(text: str) -> str:
    """Return the sentence for a fixed text that the journal or an enumeration keeps, in the language in use."""
    if match := _HELD.fullmatch(text):
        return _("held for {moves}").format(moves=count(int(match[1]), "move", "moves"))
    if match := _WON_ENDING.fullmatch(text):
        return _("{ending} is won").format(ending=match[1])
    return _(_REASONS.get(text, text))


def to_move(mover: str) -> str:
    """``○ White to move``."""
    if mover == "white":
        return _("○ White to move")
    return _("● Black to move")


def tick(solved: bool) -> TextSpan:
    """Whether something was solved, as a mark."""
    if solved:
        return TextSpan("✓ ", "win")
    return TextSpan("✗ ", "loss")


def capital(text: str) -> str:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]


def either(names: Sequence[str], or_: str = "") -> str:
    """One of some names: ``Qe4, Kc2 or Kd1``."""
    or_ = or_ or _("or")
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} {or_} {names[-1]}"


def name_endings(endings: Sequence[str]) -> str:
    """Return the names of up to three endings, or of two and how many more there are: ``KQvK, KRvK and 3 more``."""
    if len(endings) > 3:
        return _("{endings} and {endings2} more").format(endings=", ".join(endings[:2]), endings2=len(endings) - 2)
    return language.and_list(endings)


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``3rd``, ``11th``, ``21st``."""
    if language.current != language.ENGLISH:
        return f"{number}."
    # 11th, 112th: the exceptions to 1st, 2nd, 3rd.
    if number % 100 in (11, 12, 13):
        suffix = "th"
    else:
        suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def at(phrase: str, depth: int) -> str:
    """A phrase about a depth: ``{n}``, ``{plies}`` with its noun; the same in moves, ``{mate}`` and ``{moves}``."""
    mate = (depth + 1) // 2
    return phrase.format(n=depth, plies=in_plies(depth), mate=mate, moves=count(mate, "move", "moves"))


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece on the board: its side and kind in words, its square, and its letter."""

    side: str
    kind: str
    place: str
    sign: str


_MOVE_BEFORE_MOVE = re.compile(
    r"(?<![\w/-])((?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?|O-O(?:-O)?|[a-g][1-7]-[a-g][1-7](?:x[a-g][1-7])*)[+#]?)"
    r" (?=(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]|O-O)|\d+\. )"
)
"""A move or a place before another one."""


class Speech:
    """The words of a game, here of one that counts depths in plies; a game overrides what it words differently.

    Phrases about a depth are for :func:`at`. The first of a pair is for the loser, the second for the winner; in pairs
    about certainty, the first is for tables, the second for a search.

    Attributes:
        name: The game, where a sentence must name it; empty for chess.
        numbers: Whether the moves of a line have numbers, and distances are in moves to mate.
        winning: The end of a won drill, after ``Solved means``.
        losing: The end for the loser, after ``before you are``.
        won: The end of a won game, in a word behind its depths.
        task: The drill of winning, as a heading.
        ends: The distance to the end.
        result: The same with a verb.
        lost: The result of the side that has lost.
        possible: The length of a win with perfect play.
        layer: The layer and the distance to the end, unless its number shows it.
        began: The position at the beginning of a game, after ``You began``.
        win_in: The distance to a win, after ``You can win``.
        estimate: The distance to a win by a search; ``{{side}}`` is the side.
        moves: Examples of moves that can be typed.
        to_play: The same during a game.
        positions: Examples of positions that can be typed to play from.
        position: The name of a position as text.
        starts: The random starts: either colour may come first, or White does.
        win_goals: The names of the goals in a won position, as a choice shows them.
        conversion: The condition of the goal "win", after ``Solved by``.
        moves_without: The label of the count of moves that lead to a draw; empty if no count does.
        how_won: Why a game that is won on the board is over, as the beginning of a sentence.
        to_begin: Other ways to begin a game, in few words.
        kinds: The names of pieces.
        letters: Single letters for sides and kinds, as they are typed after ``pieces``.
        rules: The rules in pages, paragraphs by their title; empty if every player of the game knows them.
    """

    name = ""
    numbers = False
    kinds: frozenset[str] = frozenset()
    letters: Mapping[str, str] = {"w": "white", "b": "black"}
    rules: Mapping[str, tuple[str, ...]] = {}
    winning = _("win the game")
    losing = _("beaten")
    won = _("won")
    task = _("Win")
    ends = _("lost in {plies}"), _("win in {plies}")
    result = _("loses in {plies}"), _("wins in {plies}")
    lost = _("has lost")
    possible = _("a win in {plies} is possible")
    layer = _("S{n}, lost"), _("S{n}, won")
    began = _("with a loss in {plies}"), _("with a win in {plies}")
    win_in = _(" in {plies}")
    estimate = _("{{side}} wins in {plies}")
    moves = ""
    to_play = ""
    positions = _("a position, S12")
    position = _("position")
    starts = (_("random, mirrored"), _("random, White to move"))
    win_goals: Mapping[str, str] = {"win": _("win"), "mate": _("to the end"), "fewest moves": _("in the fewest plies")}
    conversion = _("win the game, or capture into a won ending")
    moves_without = _("no capture")
    how_won: Mapping[Win, str] = {Win.BLOCKED: _("No legal move is left")}
    to_begin = _("a position, or S13")

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """The ending in the colours of the board."""
        return game.ending_of(position)

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """The ending of a position, at the beginning of a sentence."""
        return capital(game.title(game.ending_of(position)))

    def men(self, position: Any) -> str:
        """The men of a position, as a sentence names them: ``White Ke6 Rf6, Black Kg8``, ``White a1 b4, Black c3``."""
        # Stones need no letter: there is one kind only.
        letters = len(self.kinds) > 1
        sides = (
            f"{side_name(side)} {' '.join(f'{self.letter(man.sign.upper()) * letters}{man.place}' for man in men)}"
            for side, men in groupby(self.placed(position), key=attrgetter("side"))
        )
        return ", ".join(sides) or str(position)

    def letter(self, sign: str) -> str:
        """The letter of a piece as it is shown."""
        return sign

    def placed(self, position: Any) -> list[Placed]:
        """The men of a position, White's first."""
        return []

    def hands(self, position: Any) -> tuple[int, int]:
        """How many men of White and of Black are still to be placed."""
        del position
        return 0, 0

    def places_in_rows(self) -> list[str]:
        """The places of the board, from its first file and rank on."""
        return []

    def man(self, man: Any) -> str:
        """Return the name of a piece, without its side."""
        del man
        return "man"

    def place(self, place: int) -> str:
        """Return the name of a square of the board."""
        return str(place)

    def in_hand(self, position: Any) -> bool:
        """Whether men are still to be placed, so that no table can know the position."""
        return any(self.hands(position))

    def places(self, position: Any) -> bool:
        """Whether the next move places a man."""
        return self.in_hand(position) and self.hands(position)[position.turn] > 0

    def choosing(self, position: Any) -> str:
        """Return the effect of Enter on the board, for the last row."""
        if self.places(position):
            return _("place")
        return _("pick, drop")

    def flying(self, position: Any) -> str:
        """Return another fact about the side to move."""
        return ""

    def why_lost(self, position: Any) -> str:
        """Return why the side to move has lost, if that needs an explanation."""
        return ""

    def reason(self, probe: ProbeResult[Any, Any], wide: bool) -> Message | None:
        """The sentence about a position, where the game has one of its own."""
        return None

    def can_convert(self, position: Any, side: str) -> bool:
        """Return whether a side may win by reaching another won ending, not only by ending the game."""
        del position, side
        return True

    def idea(self, explorer: Explorer[Any, Any], position: Any, move: Any) -> str:
        """Return the first step of a hint, the idea of a move as far as it is proven; empty for none."""
        if explorer.game.is_quiet(position, move):
            return _("a quiet move")
        return _("a forcing move")

    def captured(self, position: Any, move: Any) -> str:
        """Return the piece that a move captures (``rook``); empty if it captures nothing."""
        return ""

    def fault(
        self,
        explorer: Explorer[Any, Any],
        mistake: tuple[Any, Any],
        refutation: Sequence[tuple[Any, Any]],
        missed: Sequence[tuple[Any, Any]] = (),
    ) -> str:
        """Return why a move was a mistake, a clause without a subject that follows ``It``; empty for no proven reason.

        Args:
            explorer: The tables.
            mistake: The position and the move.
            refutation: Best play after it, each move with the position before it.
            missed: Best play from the position in which it was made, likewise.
        """
        return ""

    def moves_in_words(self, text: str) -> str:
        """A sentence with its moves in words; of several moves in a row, each but the last is followed by a comma."""
        return _MOVE_BEFORE_MOVE.sub(r"\1, ", text)

    def first_step(self, position: Any, move: Any) -> str:
        """The next step of a hint: what to move, or to do."""
        return _("look for the best move")

    def unmove(self, item: Previous[Any, Any]) -> str:
        """The move from a previous position, with the point it came from: ``Kb3→c4``."""
        return item.san

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Return a note about a position, rewritten for a symmetric copy of it."""
        return note

    def set_up(self, edit: Any) -> list[LabelledValue]:
        """Return the facts of a position in the editor, each with the change that a click on it makes."""
        return []

    def rules_here(self, position: Any) -> dict[str, str]:
        """Return how the rules apply to a position, by their titles."""
        return {}
