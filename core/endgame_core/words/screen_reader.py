"""Texts for screen readers and Braille: sentences without signs, lists of pieces, a row of the board."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from endgame_core.errors import EndgameError
from endgame_core.language import _, decimal, english, pgettext, side_name
from endgame_core.untrusted import quoted, visible
from endgame_core.words import position as words
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import Choices, Headline, Message, TextRow, capital, count, either

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.tasks.walk import Walk
    from endgame_core.words.game_report import MoveRow

_PLACE: Final = "\ue000"
"""Stands for a span that is not translated; no sentence has this character of the private use area, but input may."""
_VERBATIM = re.compile(
    rf"""
    (?<![\w'])'(?:\\.|[^'\\])*'(?!\w)  # what was typed, as errors quote it; no apostrophe, as in White's
    | (?<![\w"])"(?:\\.|[^"\\])*"(?!\w)
    | [^\s'"]+\.(?:pgn|epd|fen|txt|jsonl?|toml|rtb[wz]|egt|zip)\b  # the name of a file
    | {_PLACE}
    """,
    re.VERBOSE | re.IGNORECASE,
)

_SIGNS: Final[tuple[tuple[str, str], ...]] = (
    # Their order matters: phrases come before the signs in them, e.g. stars by threes before single ones.
    (r"← → (steps?) through", r"back and forward \1 through"),
    (r"★★★", _("3 of 3 stars")),
    (r"★★☆", _("2 of 3 stars")),
    (r"★☆☆", _("1 of 3 stars")),
    (r" *→ *", _(" to ")),
    (r" *← *", _(" from ")),
    (r"[○●▸★‹›] ?", ""),
    (r"^✓ ?", _("solved: ")),
    (r"^✗ ?", _("not solved: ")),
    (r"✓ ?", _("yes ")),
    (r"✗ ?", _("no ")),
    (r"(?<=\d)\.--(?=[\s:,.;]|$)", _(". null move")),
    (r"(?<!\S)--(?=[\s:,.;]|$)", _("null move")),
    (r"(?<=\d)½", decimal(0.5).removeprefix("0")),
    (r"½", "0.5"),
    (r" · ", ", "),
    (r"≈ ?", _("about ")),
    (r"(?<=\d)–(?=\d)|(?<=S\d)–(?=S)|(?<=S\d\d)–(?=S)", pgettext("range", " to ")),
    (r"– (moves lost per drill)", r"\1 not known"),
    (r"–", _("unknown")),
    (r"(?:^|(?<=, ))[−+=]\?? (?=win|loss|draw|cursed|blessed|maybe|lost|won)", ""),
    (r"− ?", _("minus ")),
    (r"×", "x"),
    (r"’", "'"),
    (r"(\d+)… ?", r"\1, " + _("Black: ")),
    (r" ?…", _(" and so on")),
    (r"(?<=\d) (?=\d{3}\b)", ""),
    (r"(?<![\w/])(\d+)/(\d+)(?![\w/])", _("{number} of {total}").format(number=r"\1", total=r"\2")),
    (r"(\d) %", r"\1" + _(" percent")),
    (r"(?<=\d)\.(?=[KQRBNDTLSa-hO♔♕♖♗♘])", ". "),
    (r" \+ ", _(" plus ")),
    (r"\b1 s\b", _("1 second")),
    (r"\b1 min\b", _("1 minute")),
    (r"\b1 h\b", _("1 hour")),
    (r"(?<=\d) s\b", _(" seconds")),
    (r"(?<=\d) ms\b", _(" milliseconds")),
    (r"(?<=\d) min\b", _(" minutes")),
    (r"(?<=\d) h\b", _(" hours")),
    (r"(?<=\d) B\b", _(" bytes")),
    (r"(?<=\d) KB\b", _(" kilobytes")),
    (r"(?<=\d) MB\b", _(" megabytes")),
    (r"(?<=\d) GB\b", _(" gigabytes")),
    (r"(?<=\d) M\b", _(" million")),
    (r"(?<=\d) bn\b", _(" billion")),
    (r" {2}(?=(?:is|keeps|lets|gives|holds|throws|wins|loses)\b)", " "),
    (r"(?<=[^\s.,;:?!])(?: {2,}|\t+)", ", "),
    (r" {2,}", " "),
    (r" +(?=\.$)", ""),
)
"""Signs, and the words for them."""


def spoken(text: str, game: str, in_words: bool = True) -> str:
    """Return a sentence for a screen reader, with a capital at its beginning unless a square stands there.

    Args:
        text: The sentence.
        game: The game that it is about.
        in_words: Whether to spell out moves, such as ``rook takes a5 with check``, rather than use algebraic notation.
    """
    # Names and quoted input are put aside, so that no sign in them is replaced, and put back at the end.
    verbatim = _VERBATIM.findall(text)
    text = _VERBATIM.sub(_PLACE, text)
    # Single words, of which there are many, have no signs.
    if not text.isalnum():
        for pattern, plain in _SIGNS:
            text = re.sub(pattern, plain, text)
    if in_words:
        text = speech_of(game).moves_in_words(text.strip())
    else:
        text = text.strip()
    if not re.match(r"[a-h]\d", text):
        text = capital(text)
    spans = iter(verbatim)
    return re.sub(_PLACE, lambda __: next(spans), text)


def in_ascii(text: str) -> str:
    """Return the same in ASCII: letters without accents, and a question mark for characters without an equivalent."""
    # NFKD splits é into e and an accent, which is then dropped.
    split = unicodedata.normalize("NFKD", visible(text, "\n", ascii=True).replace("’", "'"))
    bare = "".join(sign for sign in split if not unicodedata.combining(sign))
    return bare.encode("ascii", "replace").decode()


# What was said elsewhere, on a line


def of_said(message: Message) -> str:
    """A heading, its sentence and the words that matter less."""
    if message.heading and message.sentence:
        head = f"{message.heading}: "
    else:
        head = message.heading
    return f"{head}{message.sentence} {message.aside}".strip()


def of_note(note: TextRow) -> str:
    """A row of a panel."""
    parts = (note.text.strip(), "".join(word.text for word in note.right).strip())
    return ", ".join(part for part in parts if part)


def of_notes(notes: Iterable[TextRow]) -> list[str]:
    """Return the rows of a panel as sentences, without those that are empty or explain arrow keys."""
    sentences = [of_note(note).rstrip(".") for note in notes]
    return [each if each.endswith("?") else f"{each}." for each in sentences if each and "‹" not in each]


def of_headline(headline: Headline) -> str:
    """Return the side to move, and the result."""
    return f"{', '.join(part for part in (headline.mover, headline.aside, headline.result) if part)}."


def of_choices(choices: Choices) -> str:
    """Return the current choice, and the other choices."""
    others = [option for number, option in enumerate(choices.options) if number != choices.chosen]
    rest = ""
    if others:
        rest = _("; or {others}").format(others=either(others))
    return f"{choices.label}: {choices.options[choices.chosen]}{rest}."


def rows(score: Sequence[MoveRow], graded: bool) -> list[str]:
    """The moves of a game, a line for each number, with what yours were worth."""
    lines: list[str] = []
    for row in score:
        moves = ", ".join(move for move in row.moves if move).replace("…, ", _("Black: "), 1)
        grades = [mark.words for mark in (row.mark, row.reply_mark) if mark is not None and graded and mark.words]
        if row.has_shown_move:
            grades += [_("shown")]
        lines.append(f"{row.number}. {'; '.join([moves, *grades])}.")
    return lines or [_("No move has been made.")]


# The board


def men_of(game: str, position: Any, pieces: str) -> str:
    """Return the squares of pieces: of a side, of a kind (``N``, ``knight``), of both (``black rook``), or of all.

    Of a game whose men have no names, all of them. Raises EndgameError where no man is called so.
    """
    speech = speech_of(game)
    if not speech.kinds:
        return f"{capital(speech.men(position))}."
    placed = speech.placed(position)
    typed = [word.removesuffix("s") for word in pieces.casefold().split()]
    kind_names = {english(kind).casefold(): kind for kind in speech.kinds}
    # Both the English names and those of the language in use are understood.
    names = {name.casefold(): kind for kind, translated in kind_names.items() for name in (kind, _(translated))}
    names |= {side_name(side).casefold(): side for side in ("white", "black")}
    requested = [names.get(word) or english(speech.letters.get(word, word)).casefold() for word in typed]
    sides = [side for side in ("white", "black") if side in requested] or ["white", "black"]
    kinds = {word for word in requested if word not in ("white", "black")}
    if len(kinds) > 1 or not kinds <= set(kind_names):
        kind_list = ", ".join(sorted(map(_, speech.kinds)))
        raise EndgameError(
            _("there is no piece called {asked}").format(asked=quoted(pieces)),
            _("the pieces are {there}; the sides are white and black").format(there=kind_list),
        )
    parts: list[str] = []
    for side in sides:
        mine = [man for man in placed if man.side == side and (not kinds or man.kind in kinds)]
        # If all pieces listed are of one kind, it is not repeated before each square.
        alike = bool(kinds) or len(speech.kinds) < 2
        listed = ", ".join(man.place if alike else f"{_(man.kind)} {man.place}" for man in mine) or _("none")
        parts.append(f"{side_name(side)}: {listed}.")
    white, black = speech.hands(position)
    in_hand = ""
    if (white or black) and not kinds:
        in_hand = _("In hand: White {white}, Black {black}.").format(white=white, black=black)
    return joined(*parts, in_hand)


def scanned(game: str, position: Any, pieces: str) -> str:
    """Return the pieces on a file (``a``), a rank (``1``) or a single square (``d5``); raises EndgameError."""
    speech = speech_of(game)
    place_name = pieces.strip().casefold()
    if not speech.places_in_rows():
        raise EndgameError(_("the board of this game has no files and ranks"), _("type pieces"))
    sides = {"white": _("white"), "black": _("black")}
    occupants = {
        man.place: _("{side} {piece}").format(side=sides[man.side], piece=_(man.kind))
        for man in speech.placed(position)
    }
    places = [place for place in speech.places_in_rows() if place_name and place_name in (place, place[0], place[1:])]
    if not places:
        last = max(speech.places_in_rows())
        raise EndgameError(
            _("the board has no {asked}").format(asked=quoted(pieces)),
            _("the files are a to {last}, the ranks 1 to {last2}").format(last=last[0], last2=last[1:]),
        )
    if len(places) == 1:
        occupant = occupants.get(places[0], _("empty"))
        return f"{places[0]}: {occupant}."
    occupied = [f"{place} {occupants[place]}" for place in places if place in occupants]
    kind = _("File") if place_name.isalpha() else _("Rank")
    line = f"{kind} {place_name}"
    if occupied:
        return _("{line}: {taken}; the rest is empty.").format(line=line, taken=", ".join(occupied))
    return _("{line} is empty.").format(line=line)


def diagram(game: str, position: Any) -> list[str]:
    """The board in lines: capitals for White and small letters for Black; of stones O and X."""
    speech = speech_of(game)
    placed = {man.place: man for man in speech.placed(position)}
    places = set(speech.places_in_rows())
    if not places:
        return [speech.men(position)]
    files = sorted({place[0] for place in places})
    ranks = sorted({int(place[1:]) for place in places}, reverse=True)

    def sign(place: str) -> str:
        if place in placed:
            return placed[place].sign
        return "." if place in places else " "

    rows: list[str] = []
    for rank in ranks:
        signs = [sign(f"{file}{rank}") for file in files]
        rows.append(f"{rank} {' '.join(signs)}".rstrip())
    return [*rows, f"  {' '.join(files)}"]


# A walk


def where(walk: Walk[Any, Any]) -> str:
    """Return the side to move and the result; the ending, its layer and the place in it."""
    probe = walk.probe
    crumbs = list(words.crumbs(walk))
    if len(crumbs) == 4:
        if probe.verdict is not None:
            crumbs = [crumbs[0], *crumbs[2:]]
        if "/" in crumbs[-1]:
            place = _("position {crumbs}").format(crumbs=crumbs[-1])
        else:
            place = crumbs[-1]
        crumbs[-1] = place
        crumbs = [_("draws") if crumb == "=" else crumb for crumb in crumbs]
    message = of_headline(words.headline(probe, walk.rules))
    return f"{message} {', '.join(crumbs)}."


def legal(game: Game[Any, Any], position: Any, query: str) -> str:
    """The legal moves, or those of the man on a place; raises EndgameError where there is no such place."""
    if query and query.casefold() not in speech_of(game.name).places_in_rows():
        raise EndgameError(
            _("the board has no {asked}").format(asked=quoted(query)),
            _("type legal followed by a square or point, such as d2"),
        )
    result = [move for move in game.moves(position) if game.uci(move).startswith(query.strip().casefold())]
    if not result:
        source = ""
        if query.strip():
            source = _(" from {asked}").format(asked=query.strip())
        return _("No legal moves{asked}.").format(asked=source)
    names = [game.san(position, move) for move in result]
    return f"{capital(count(len(names), 'move', 'moves'))}: {', '.join(names)}."


def rated(walk: Walk[Any, Any]) -> list[str]:
    """The moves and what each kind of them leads to, a line for each layer that is reached."""
    result = words.moves(walk)
    if result.notice:
        return [result.notice]
    lines = [f"{group.title}, {group.note}: {', '.join(group.moves)}." for group in result.groups]
    lines += [
        _("{san}: {kind_words}, DTM {dtm}, DTZ {dtz}{best}.").format(
            san=row.san, kind_words=row.kind.words, dtm=row.dtm, dtz=row.dtz, best=_(", best") if row.best else ""
        )
        for row in result.rows
    ]
    return lines or [of_said(words.reason(walk))]


def layers(walk: Walk[Any, Any]) -> list[str]:
    """The layers around the one we are on, nearest to the end first."""
    result = words.layers(walk)
    if not result.rows:
        return list(result.notice) or [of_said(words.reason(walk))]
    current = result.current or 0
    # Three layers on either side: a list to be heard, not to be looked through.
    visible = range(max(current - 3, 0), min(current + 4, len(result.rows)))
    head = _("{title}: {layers}, the last is {rows}.").format(
        title=result.title, layers=count(len(result.rows), "layer", "layers"), rows=result.rows[-1].name
    )
    if result.rows[0].name.startswith("S"):
        lines = [head]
    else:
        lines = [f"{result.title}:"]
    for number in visible:
        row = result.rows[number]
        name = result.rows[number].name
        name = {"= ○": _("White to move"), "= ●": _("Black to move")}.get(name, name)
        current_mark = ""
        if number == result.current:
            current_mark = _(", the current layer")
        lines.append(
            _("{name}: {unique} unique, {boards} in total{number}.").format(
                name=name, unique=row.unique, boards=row.boards, number=current_mark
            )
        )
    return lines


def before(walk: Walk[Any, Any]) -> list[str]:
    """From which positions one move leads here."""
    groups, none = words.before(walk)
    # The numbers run through all groups, because the command `before` takes one of them.
    numbers = iter(range(1, 1 << 20))
    lines = [
        f"{each.title}, {each.note}: {', '.join(f'{next(numbers)} {name}' for name in each.moves)}." for each in groups
    ]
    return lines or [capital(none or _("nothing is known about earlier moves")) + "."]


def joined(*sentences: str) -> str:
    """Sentences one behind the other."""
    return " ".join(filter(None, sentences))
