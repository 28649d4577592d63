"""Help: every key of every screen, read from the bindings themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.screen import Screen
from textual.strip import Strip

from endgame_core.words.told import KINDS, Note, Word
from endgame_tui.screens.base import face_of
from endgame_tui.widgets.bars import Key, KeyBar, Offer, TopBar, key_names, plain_keys
from endgame_tui.widgets.canvas import Canvas
from endgame_tui.widgets.lines import write

Told = tuple[str, str]
"""A key, or what can be typed or seen, and what it does or means."""

Section = tuple[str, list[Told]]
"""A title, and what is told below it."""

_EVERYWHERE: Final = (
    ("Tab", "Next panel"),
    ("↑ ↓ ← →", "Cursor of the panel"),
    ("h j k l", "The same"),
    ("Enter", "Pick, play, open, build"),
    ("Ctrl+P", "All actions by name"),
)

_TYPED: Final[Mapping[str, Sequence[Told]]] = {
    "chess": (
        ("Kg8 g7a1", "a move, SAN or UCI"),
        ("e8=N exd6", "e8 alone asks to what"),
        ("S12 12/3", "a layer; its 3rd"),
        ("7", "the 7th of the layer"),
        ("clock 43", "the half-move clock"),
        ("KBNvK", "an ending"),
        ("8/8/… w", "FEN, short FEN, key"),
    ),
    "morris": (
        ("↑ ↓ ← →", "Along lines, else nearest"),
        ("Enter", "Stone, point, what to take"),
        ("c4-e3xd6", "a move; c4-e3 asks"),
        ("3-4", "White's and Black's stones"),
        ("3-4 S13", "a layer of that ending"),
    ),
}
"""What can be typed after a colon, by game."""

_MARKS: Final = (
    *((kind.mark, kind.words) for kind in KINDS.values()),
    ("cursed", "won, but drawn by a claim"),
    ("blessed", "lost, but drawn by a claim"),
    ("z", "zeroing move: clock to 0"),
    ("DTM", "plies to mate"),
    ("DTZ", "plies to a z move or mate"),
    ("clock", "plies since a z move"),
    ("≈4", "4 or 5: Syzygy rounds"),
    ("S101=", "layer of cursed wins"),
)
"""What the 50-move rule makes of a position."""

_PROMOTION: Final = (
    ("q", "Queen"), ("r", "Rook"), ("b", "Bishop"), ("n", "Knight"), ("Esc", "Leave the pawn there"),
)  # fmt: skip

_COMMON: Final = ("Cursor", "Along", "Row ", "First", "Last", "Ten rows", "Page", "Pick a", "Do it", "Put the man")
"""How the keys are described that move a cursor: told once, for everywhere."""


def told(bindings: Iterable[BindingType], game: str, common: bool = True) -> list[Told]:
    """Keys with what they do in a game; if told so, without those that move a cursor.

    Keys of the system are left out: what they do is told in other words, see ``TYPED`` of their screen.
    """
    found: list[Told] = []
    for binding in bindings:
        if not isinstance(binding, Binding) or not binding.description or binding.system:
            continue
        if isinstance(binding, Key) and binding.games and game not in binding.games:
            continue
        words = binding.told(game) if isinstance(binding, Key) else binding.description
        if common or not words.startswith(_COMMON):
            found.append((key_names(binding), words))
    return found


def sections(app: Any, game: str, mode: str) -> list[Section]:
    """All that is told, of the game at hand; the screen at hand comes first, what is other in other games last.

    Args:
        app: Knows its screens, see :meth:`~endgame_tui.app.EndgameApp.screens`.
        game: The game at hand.
        mode: Name of the class of the screen at hand.
    """
    screens: dict[str, type[Screen[Any]]] = app.screens()
    found: list[tuple[bool, Section]] = [(False, ("Everywhere", [*told(type(app).BINDINGS, game), *_EVERYWHERE]))]
    others = [name for name in _TYPED if name != game]
    differing: dict[str, list[Told]] = {name: list(_TYPED[name]) for name in others}
    for title, screen in screens.items():
        bindings = _declared(screen)
        keys = told(bindings, game)
        keys += [row for panel in getattr(screen, "PANELS", ()) for row in told(panel.BINDINGS, game, common=False)]
        keys += getattr(screen, "TYPED", ())
        found.append((screen.__name__ == mode, (title, keys)))
        for name in others:
            differing[name] += [row for row in told(bindings, name) if row not in keys and row not in differing[name]]
    here = [section for first, section in found if first]
    rest = [section for first, section in found if not first]
    typed: list[Section] = [("Typed after :", list(_TYPED.get(game, ())))]
    if game == "chess":
        typed += [("The 50-move rule", list(_MARKS)), ("Promotion", list(_PROMOTION))]
    last: list[Section] = [(face_of(name).name or "Chess", rows) for name, rows in differing.items()]
    return [*here, rest[0], *typed, *rest[1:], *last]


def _declared(screen: type[Any]) -> list[BindingType]:
    """The keys of a screen, those of its own bases behind its own."""
    return [
        binding
        for cls in screen.__mro__
        if cls.__module__.startswith("endgame_tui")
        for binding in cls.__dict__.get("BINDINGS", ())
    ]


class Keys(Canvas, can_focus=True):
    """The sections in as many columns as fit; it scrolls when there are more rows."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("up,k", "scroll(-1)", "Up", id="help.up", short="scroll"),
        Key("down,j", "scroll(1)", "Down", id="help.down", short="scroll"),
        Key("pageup", "scroll(-10)", "Page up", id="help.page-up"),
        Key("pagedown,space", "scroll(10)", "Page down", id="help.page-down"),
    ]

    _top = 0

    def __init__(self, sections: Sequence[Section]) -> None:
        super().__init__()
        self._sections = sections

    def action_scroll(self, rows: int) -> None:
        """Scrolls."""
        most = max(len(self._columns(self.size)[0]) - self.size.height, 0)
        self._top = min(max(self._top + rows, 0), most)
        self.redraw()

    def _columns(self, size: Size) -> list[list[Note]]:
        """The rows of each column, all of the same length."""
        count = 2 if size.width >= 76 else 1
        parts = [self._section(*section) for section in self._sections]
        total = sum(map(len, parts))
        piles: list[list[Note]] = [[] for _ in range(count)]
        at = 0
        for part in parts:
            if at < count - 1 and len(piles[at]) + len(part) // 2 > total / count:
                at += 1
            piles[at] += part
        most = max(map(len, piles))
        return [pile + [Note()] * (most - len(pile)) for pile in piles]

    def _section(self, title: str, rows: Sequence[Told]) -> list[Note]:
        glyphs = self.look.glyphs
        notes = [Note((Word(title, bold=True, at=1),))]
        for keys, words in rows:
            notes.append(Note((Word(f"{plain_keys(keys, glyphs):<9} ", at=2), Word(words, "dim"))))
        return [*notes, Note()]

    def draw(self) -> list[Strip]:
        """The rows in the window."""
        columns, width, pen = self._columns(self.size), self.size.width, self.look.palette
        each = (width - 1) // len(columns)
        strips: list[Strip] = []
        for notes in list(zip(*columns, strict=True))[self._top : self._top + self.size.height]:
            cells: list[Strip] = []
            for note in notes:
                row = self.row()
                write(row, note, each, self.look, lambda word: pen(word.role, bold=word.bold))
                cells.append(row.strip(each))
            strips.append(Strip.join(cells).crop_extend(0, width, pen("text")))
        return strips


class HelpScreen(Screen[None]):
    """All keys.

    Args:
        sections: What is told.
        mode: The mode of the screen it lies over.
    """

    AUTO_FOCUS = "Keys"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("escape,question_mark,q,enter,f1", "close", "Close", id="help.close"),
    ]

    def __init__(self, sections: Sequence[Section], mode: str) -> None:
        super().__init__()
        self._sections, self._mode = sections, mode

    def compose(self) -> ComposeResult:
        """A title, the keys, the way back."""
        yield TopBar(self._mode, id="top")
        yield Keys(self._sections)
        yield KeyBar(lambda: [Offer("Esc", "back"), Offer("↑ ↓", "scroll")], id="keys")

    def on_mount(self) -> None:
        """Says where we are."""
        self.query_one(TopBar).show("Help", "all keys")

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss()
