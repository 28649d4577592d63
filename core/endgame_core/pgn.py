"""Games as text in the style of PGN, for any game; and files of positions: such games, or one position per line.

A game has headers, numbered moves, comments, depths as ``[%eval #n]`` and other commands of :data:`COMMANDS`. What this
module writes it reads back identically. From games of other programs it keeps headers, the main line, comments,
evaluations, numeric marks (NAGs), and side variations as text, without parsing their moves; commands that this program
does not use, such as ``[%clk 0:05:00]``, stay in the comment. In a file of positions every game, or every line that is
not blank, becomes one :class:`PositionRecord`, valid or not, so that nothing is lost silently. Whether a position suits
the reader (its men, a game that is over) is not decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from endgame_core.errors import EndgameError, PositionError
from endgame_core.game import Game, PositionRecord
from endgame_core.language import _
from endgame_core.untrusted import read_text

P = TypeVar("P")
M = TypeVar("M")

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
SEVEN_TAGS: Final = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The headers of every game, in this order."""

_UNKNOWN: Final = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "White": "?", "Black": "?"}
COMMANDS: Final = ("hint", "shown")
"""Commands in comments that a move keeps in :attr:`AnnotatedMove.commands`: ``[%hint 2]``, ``[%shown table]``."""

_COMMAND = re.compile(rf"\[%(?P<name>eval|{'|'.join(COMMANDS)})\s+(?P<value>[^\]\s]+)\s*\]\s*")
_PATTERN: Final = r"""
    (?P<space>\s+|^%.*$) | ;(?P<rest>.*)$
    | ^\[[ \t]*(?P<name>[A-Za-z0-9][A-Za-z0-9_+\#=:-]*)[ \t]+"(?P<value>.*)"[ \t]*\][ \t]*\r?$
    | ^\[[ \t]*(?P<torn>[A-Za-z0-9][A-Za-z0-9_+\#=:-]*)[ \t].*$
    | \{(?P<comment>[^}]*)\}
    | (?P<open>\() | (?P<close>\))
    | \$(?P<mark>\d{1,9})(?!\d)
    | (?P<result>1-0|0-1|1/2-1/2|\*)(?![^\s;{}()$])
    | \d+\.+ | (?!0000\s)\d+(?=\s) | \.+
    | (?P<signs>[!?]{1,2})
    | (?P<judged>[-+=/∞]{1,3}|e\.?[ ]?p\.?|N|D)(?<!--)(?![^\s;{}()$!?])
    | (?P<word>[^\s{}()$;!?]*[a-h][18]=?\([QRBNqrbn♕♖♗♘♛♜♝♞]\)[+\#]*|[^\s{}()$;!?]+)
    | (?P<wrong>.)
"""
_TOKEN = re.compile(_PATTERN, re.VERBOSE | re.MULTILINE)
_TOKEN_BEHIND_COMMENTS = re.compile(
    _PATTERN.replace(r"\{(?P<comment>[^}]*)\}", "(?P<comment>(?!))"), re.VERBOSE | re.MULTILINE
)
"""The same behind the last closing brace of a text, where no comment can end."""
_HEADER = re.compile(r"^\[[ \t]*(?P<name>[A-Za-z0-9][A-Za-z0-9_+#=:-]*)[ \t]")
"""Beginning of a line that is a header, valid or not."""
_RESULT = re.compile(r"(?<![^\s.!?)}])(?:1-0|0-1|1/2-1/2|\*)(?![^\s;{}()$])")
"""A candidate for the result that ends a game; inside a comment it is not one."""

_SIGNS: Final = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
START_TAGS: Final = ("SetUp", "FEN")
"""Headers that define the start of a game."""

_COLUMNS: Final = 80


@dataclass(frozen=True)
class AnnotatedMove(Generic[M]):
    """One move of a game with its annotations.

    Attributes:
        move: The move.
        evaluation: Content of ``[%eval …]``: ``#3`` if White mates in three moves, ``#-3`` if Black does, ``0.00`` for
            a draw, pawns otherwise; empty if there is none. See :func:`evaluation`.
        commands: The other commands of the comment: names of :data:`COMMANDS`, each with a value without blanks.
        comment: Text without braces and without these commands, on one line.
        marks: Numeric marks (NAGs).
        variations: Side variations to this move as text, including their brackets.
    """

    move: M
    evaluation: str = ""
    comment: str = ""
    marks: tuple[int, ...] = ()
    variations: tuple[str, ...] = ()
    commands: tuple[tuple[str, str], ...] = ()

    def command(self, name: str) -> str:
        """Return the value of a command; empty if the comment has none of this name."""
        return dict(self.commands).get(name, "")


@dataclass(frozen=True)
class GameText(Generic[P, M]):
    """A game as it is written in PGN.

    Attributes:
        start: The initial position.
        notes: The moves.
        result: ``1-0``, ``0-1``, ``1/2-1/2`` or ``*``.
        headers: Headers besides FEN, SetUp and Result, in order.
        comment: Comment before the first move.
        problem: Why it cannot be read beyond its last move, one clause; empty if it can.
    """

    start: P
    notes: tuple[AnnotatedMove[M], ...] = ()
    result: str = "*"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    comment: str = ""
    problem: str = ""

    @property
    def title(self) -> str:
        """The players, the event and the year, as far as they are known."""
        tags = {name: self.headers.get(name, "").strip(" ?.-*") for name in ("White", "Black", "Event", "Date")}
        players = " – ".join(filter(None, (tags["White"], tags["Black"])))
        return ", ".join(filter(None, (players, tags["Event"], tags["Date"][:4])))


def evaluation(white: bool, depth: int | None) -> str:
    """Return a verdict as the content of ``[%eval …]``.

    Args:
        white: Whether White is to move.
        depth: Plies to the end as in tables: the side to move wins if odd, loses if even; None for a draw.

    Returns:
        The moves to the end, positive if White wins; ``0.00`` for a draw; empty for a finished game.
    """
    if depth is None:
        return "0.00"
    if depth == 0:
        return ""
    moves = (depth + 1) // 2
    if (depth % 2 == 1) == white:
        return f"#{moves}"
    return f"#-{moves}"


_ROUND_BRACKETS: Final = str.maketrans("{}", "()")
"""Replaces braces, which would end a comment, by round brackets."""


def _one_line(text: str) -> str:
    """Return the text of a comment: on one line, with round brackets instead of braces."""
    return " ".join(text.translate(_ROUND_BRACKETS).split())


def _without_commands(text: str) -> str:
    """Return the comment of a move without its evaluation and other commands, which are written separately."""
    text = _COMMAND.sub("", text.translate(_ROUND_BRACKETS))
    if _COMMAND.search(text):
        # Commands inside each other, such as [%eval [%eval 1] 2]: the outer one must not be read as one again.
        for name in ("eval", *COMMANDS):
            text = text.replace(f"[%{name}", f"[{name}")
    return _one_line(text)


def write(record: GameText[P, M], game: Game[P, M]) -> str:
    """Return the game as text, ending with a newline."""
    game_tags = game.file_notation.headers(record.start)
    headers = {**_UNKNOWN, **record.headers, "Result": record.result}
    order = [*SEVEN_TAGS, *(name for name in headers if name not in (*SEVEN_TAGS, *game_tags, *START_TAGS))]
    lines = [_header(name, headers[name]) for name in order]
    lines += [_header(name, value) for name, value in game_tags.items()]
    return "\n".join([*lines, "", *_wrapped(_words(record, game)), ""])


def _header(name: str, value: str) -> str:
    value = " ".join(value.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{value}"]'


def _words(record: GameText[P, M], game: Game[P, M]) -> Iterator[str]:
    """Yield the words of the movetext, none of which is broken across lines."""
    position = record.start
    numbered = False
    number = game.file_notation.first_move_number(position)
    white = game.mover(position) == "white"
    if comment := _one_line(record.comment):
        yield from f"{{{comment}}}".split(" ")
    for note in record.notes:
        # Black's move has a number at the beginning, and after a comment or variation.
        if white or not numbered:
            yield f"{number}{'.' if white else '...'}"
        yield game.standard_san(position, note.move)
        position = game.play(position, note.move)
        if not white:
            number += 1
        white = not white
        yield from (f"${mark}" for mark in note.marks)
        remark = []
        if note.evaluation:
            remark = [f"[%eval {note.evaluation}]"]
        remark += [f"[%{name} {value}]" for name, value in note.commands]
        remark += _without_commands(note.comment).split()
        numbered = not remark
        if remark:
            remark[0] = f"{{{remark[0]}"
            remark[-1] = f"{remark[-1]}}}"
            yield from remark
        for variation in note.variations:
            numbered = False
            yield from variation.split(" ")
    yield record.result


def _wrapped(words: Iterable[str]) -> Iterator[str]:
    """Yield words joined into lines; no line begins with a character that has a special meaning there."""
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _COLUMNS and word[0] not in "%;[":
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    if line:
        yield line


def read(text: str, game: Game[P, M]) -> GameText[P, M]:
    """Return the first game of a text, as far as it can be read.

    Raises:
        PositionError: There is no game, or not even its first move can be read.
    """
    record = next(games(text, game), None)
    if record is None:
        raise PositionError(_("there is no game in this text"), _("a PGN contains moves, or tags in square brackets"))
    if record.problem and not record.notes:
        raise PositionError(record.problem)
    return record


def count_games(text: str) -> int:
    """Return the number of games in a text, at least 1, without parsing moves."""
    return max(1, sum(1 for __ in split_games(text)))


def games(text: str, game: Game[P, M]) -> Iterator[GameText[P, M]]:
    """Yield all games of a text in order, as far as they can be read."""
    for part in split_games(text):
        reader = _GameReader(game)
        for match in _tokens(part):
            if match.lastgroup != "space" and not reader.closed:
                reader.take(match.lastgroup, match)
        if reader.begun or reader.headers:
            reader.end()
            yield reader.record()


def split_games(text: str) -> Iterator[str]:
    """Yield the unparsed games of a text; no error in one game affects the next."""
    for block in _blocks(text.removeprefix("\ufeff")):
        if len(_RESULT.findall(block)) > 1:
            yield from _at_results(block)
        elif block.strip():
            yield block


def _blocks(text: str) -> Iterator[str]:
    """Cut a text before the headers of each game.

    A game may be a position alone, without moves and without ``*``. So headers behind a blank line begin another game
    if one of them repeats a name from before the line; else the blank line is one between the headers of a game.
    Without a blank line a second ``FEN`` begins another game, and with it the headers in front of it that repeat a
    name, as the second ``Event`` of ``[Event] [FEN] [Event] [FEN]`` does.
    """
    part: list[str] = []
    earlier: set[str] = set()
    """Names of the headers of this game before the last blank line."""
    group: set[str] = set()
    """Names of those behind it."""
    repeats: int | None = None
    """The offset of the first header that repeats a name without a blank line."""
    start = 0
    """The offset at which these headers begin in the part."""
    in_headers = True
    for line in re.split(r"(?<=\n)", text):
        header = _HEADER.match(line)
        if header is not None:
            name = header["name"].casefold()
            is_another = name in earlier
            # Headers after moves always begin another game.
            if not in_headers:
                is_another = True
                start = len(part)
                group = set()
            elif name in group:
                if repeats is None:
                    repeats = len(part)
                if name == "fen":
                    is_another = True
                    start = repeats
                    group = _names_in(part[start:])
            if is_another:
                yield "".join(part[:start])
                del part[:start]
                start = 0
                earlier = set()
                repeats = None
            group.add(name)
        elif in_headers and not line.strip():
            # A blank line: more headers of this game may follow, unless they repeat a name.
            earlier |= group
            group = set()
            repeats = None
            start = len(part) + 1
        # Blank lines and escaped lines (%) between headers do not end them.
        in_headers = header is not None or (in_headers and (not line.strip() or line.startswith("%")))
        part.append(line)
    yield "".join(part)


def _names_in(lines: Iterable[str]) -> set[str]:
    """Return the names of the headers among lines."""
    headers = (_HEADER.match(line) for line in lines)
    return {header["name"].casefold() for header in headers if header is not None}


def _tokens(text: str) -> Iterator[re.Match[str]]:
    """Split a text into tokens in time linear in its length.

    Behind the last closing brace no comment can end. Without this special case the regular expression would search from
    each opening brace there to the end of the text, which takes hours for a million opening braces.
    """
    end = text.rfind("}")
    position = 0
    for match in _TOKEN.finditer(text):
        if match.start() > end:
            break
        yield match
        position = match.end()
    yield from _TOKEN_BEHIND_COMMENTS.finditer(text, position)


def _at_results(block: str) -> Iterator[str]:
    """Split a block after each result that is followed by moves: games without headers follow each other."""
    begun = ended = 0
    for match in _main_line_tokens(block):
        kind = match.lastgroup
        if ended and kind in (None, "word"):  # a number, or a move
            yield block[begun:ended]
            begun = ended
            ended = 0
        # Blanks and a comment to the end of the line behind a result still belong to its game.
        elif kind == "result" or (ended and ended == match.start() and kind in ("space", "rest")):
            ended = match.end()
    yield block[begun:]


def _main_line_tokens(text: str) -> Iterator[re.Match[str]]:
    """Yield the tokens outside side variations."""
    inside = 0
    for match in _tokens(text):
        # A closing bracket too many must not hide the rest of the text.
        inside = max(0, inside + {"open": 1, "close": -1}.get(match.lastgroup or "", 0))
        if not inside:
            yield match


def result_of(part: str) -> str:
    """Return the result that ends one of :func:`split_games`, without parsing anything else."""
    return next((match["result"] for match in _main_line_tokens(part) if match.lastgroup == "result"), "*")


def headers_of(part: str) -> dict[str, str]:
    """Return the headers of one of :func:`split_games`, without parsing anything else."""
    headers: dict[str, str] = {}
    for match in _tokens(part):
        if match.lastgroup == "value":
            headers[match["name"]] = _value(match)
        elif match.lastgroup not in ("space", "torn"):
            break
    return headers


def _value(match: re.Match[str]) -> str:
    """Return the unescaped value of a header."""
    return match["value"].replace('\\"', '"').replace("\\\\", "\\")


class _MoveDraft(Generic[M]):
    """A move whose annotations are being read; see :class:`AnnotatedMove`."""

    def __init__(self, move: M) -> None:
        self.move = move
        self.evaluation = ""
        self.commands: dict[str, str] = {}
        self.comments: list[str] = []
        self.marks: set[int] = set()
        self.variations: list[str] = []

    def note(self) -> AnnotatedMove[M]:
        """Return the move with its annotations."""
        comment = _without_commands(" ".join(self.comments))
        return AnnotatedMove(
            self.move,
            self.evaluation,
            comment,
            tuple(sorted(self.marks)),
            tuple(self.variations),
            tuple(self.commands.items()),
        )


class _GameReader(Generic[P, M]):
    """Parses one game token by token; after the first problem the remaining moves are skipped."""

    def __init__(self, game: Game[P, M]) -> None:
        self._game = game
        self.headers: dict[str, str] = {}
        self.begun = False
        self.closed = False
        self._problem = ""
        self._start = self._position = game.file_notation.start_of({})
        self._drafts: list[_MoveDraft[M]] = []
        self._comments: list[str] = []
        self._result = ""
        self._depth = 0
        self._variation: list[str] = []

    def take(self, kind: str | None, match: re.Match[str]) -> None:
        """Process the next token."""
        if kind == "value":
            self.headers[match["name"]] = _value(match)
            return
        if kind == "torn":
            if match["torn"].upper() == "FEN":
                self._fail(_("its FEN tag cannot be read"))
            return
        if not self.begun:
            self._begin()
        # A result within a variation does not end the game.
        if kind == "result" and not self._depth:
            self._result = match["result"]
            self.closed = True
        elif self._depth or kind in ("open", "close"):
            self._add_to_variation(kind, match)
        elif self._problem:
            return
        elif kind == "word":
            self._move(match["word"])
        elif kind in ("comment", "rest"):
            self._comment(match[kind])
        elif kind in ("mark", "signs") and self._drafts:
            self._drafts[-1].marks.add(int(match["mark"]) if kind == "mark" else _SIGNS[match["signs"]])
        elif kind == "wrong":
            wrong = match["wrong"]
            if wrong == "{":
                self._fail(_("a comment is not closed"))
            else:
                self._fail(_("{wrong!r} is not valid in a PGN").format(wrong=wrong))

    def _add_to_variation(self, kind: str | None, match: re.Match[str]) -> None:
        """Process a token of a side variation, or one of its brackets."""
        self._depth += {"open": 1, "close": -1}.get(kind or "", 0)
        text = match.group()
        if kind in ("comment", "rest"):
            text = f"{{{' '.join(match[kind].translate(_ROUND_BRACKETS).split())}}}"
        # There is no blank directly inside of the brackets.
        close_by = kind == "close" or not self._variation or self._variation[-1].endswith("(")
        self._variation.append(text if close_by else f" {text}")
        if self._depth < 0:
            self._fail(_("a closing bracket has no opening bracket"))
        if self._depth <= 0:
            if self._drafts and not self._problem:
                self._drafts[-1].variations.append("".join(self._variation))
            self._variation = []

    def _begin(self) -> None:
        self.begun = True
        try:
            self._start = self._position = self._game.file_notation.start_of(self.headers)
        except PositionError as problem:
            self._fail(str(problem).removesuffix("."))

    def _move(self, word: str) -> None:
        game = self._game
        try:
            move = game.file_notation.read_move(self._position, word)
        except PositionError as problem:
            # Counted in plies from White's move, so that an odd number is a move of Black.
            played = len(self._drafts) + (game.mover(self._start) != "white")
            number = game.file_notation.first_move_number(self._start) + played // 2
            self._fail(f"{number}{'...' if played % 2 else '.'} {word} {problem.what}")
            return
        self._drafts.append(_MoveDraft(move))
        self._position = game.play(self._position, move)

    def _comment(self, text: str) -> None:
        if not self._drafts:
            self._comments.append(text)
            return
        draft = self._drafts[-1]
        text = text.translate(_ROUND_BRACKETS)
        for match in _COMMAND.finditer(text):
            if match["name"] != "eval":
                draft.commands.setdefault(match["name"], match["value"])
            elif not draft.evaluation:
                draft.evaluation = match["value"]
        draft.comments.append(_without_commands(text))

    def _fail(self, problem: str) -> None:
        self._problem = self._problem or problem

    def end(self) -> None:
        """Process the end of the text."""
        if not self.begun:
            self._begin()
        if self._depth > 0:
            self._fail(_("a bracket is not closed"))

    def record(self) -> GameText[P, M]:
        """Return the game."""
        result = self._result or self.headers.get("Result", "*")
        omitted = (*self._game.file_notation.headers(self._start), *START_TAGS, "Result")
        headers = {
            name: value for name, value in self.headers.items() if name not in omitted and value != _UNKNOWN.get(name)
        }
        result = result if result in RESULTS else "*"
        notes = tuple(draft.note() for draft in self._drafts)
        return GameText(self._start, notes, result, headers, _one_line(" ".join(self._comments)), self._problem)


_DISPLAY_WIDTH: Final = 80


def positions(path: Path, game: Game[Any, Any]) -> Iterator[PositionRecord]:
    """Read a file of positions: games if its suffix is ``.pgn`` or it begins with a header, else one position per line.

    Raises:
        StorageError: The file cannot be read at all.
    """
    text = read_text(path, _("name a file {files}").format(files=game.file_notation.files))
    in_games = path.suffix.lower() == ".pgn" or _HEADER.match(text.lstrip())
    if in_games:
        return _from_games(text, path.name, game)
    return _from_lines(text, path.name, game)


def _from_lines(text: str, file: str, game: Game[Any, Any]) -> Iterator[PositionRecord]:
    @lru_cache(maxsize=4096)  # files of positions repeat lines
    def record_of(line: str) -> PositionRecord:
        try:
            record = game.file_notation.read_line(line)
        except EndgameError as error:
            record = PositionRecord(problem=error.what)
        return replace(record, text=_for_display(line))

    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        record = record_of(line)
        where = _("line {number}").format(number=number)
        yield replace(record, location=where, source="" if record.problem else f"{file}, {where}")


def _from_games(text: str, file: str, game: Game[Any, Any]) -> Iterator[PositionRecord]:
    number = 0
    for number, record in enumerate(games(text, game), 1):
        where = _("game {number}").format(number=number)
        name = record.title
        if record.problem:
            yield PositionRecord(where, _for_display(name or where), record.problem)
            continue
        try:
            result = _from_game(record, game)
        except PositionError as error:
            result = PositionRecord(problem=error.what)
        text_shown = _for_display(f"{name} {result.position}") or where
        yield replace(result, location=where, text=text_shown, name=name, source=f"{file}, {where}")
    if not number and text.strip():
        yield PositionRecord(_("the file"), _for_display(text), _("it contains no game"))


def _from_game(record: GameText[Any, Any], game: Game[Any, Any]) -> PositionRecord:
    """Return the start of a game that has a FEN tag, else the position after its moves; raises PositionError."""
    position = record.start
    line = list[str]()
    is_whole = True  # the line has no null move so far; EPD has no notation for one
    for note in record.notes:
        is_whole = is_whole and not game.is_null(note.move)
        if is_whole:
            line.append(game.standard_san(position, note.move))
        position = game.play(position, note.move)
    if "FEN" in game.file_notation.headers(record.start):
        text = game.format(record.start)
        comment = record.comment
    elif record.notes:
        text = game.format(position)
        comment = record.notes[-1].comment
        line = []
    else:
        raise PositionError(_("it has neither a FEN tag nor moves"))
    game.parse(text)  # a game may start at a position that no table accepts, e.g. with castling rights
    opcodes = {"pv": " ".join(line)} if line else {}
    return PositionRecord(position=text, note=re.sub(r"\[%[^\]]*\]", "", comment).strip(), opcodes=opcodes)


def _for_display(text: str) -> str:
    """Return text for a list: one line, without control characters, limited in length."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _DISPLAY_WIDTH]).split())
    if len(line) <= _DISPLAY_WIDTH:
        return line
    return f"{line[: _DISPLAY_WIDTH - 1]}…"
