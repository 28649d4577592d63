"""The board editor of both games: men are put down by letter or from a palette, or moved by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import chess
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import Click

from endgame_core.chess.editor import MEN
from endgame_core.tasks.editing import Editing
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import edit_verdict
from endgame_core.words.text_model import LabelledValue, TextRow, TextSpan, in_rows
from endgame_tui.face_chess import ColouredPiece
from endgame_tui.face_stones import stone
from endgame_tui.faces import PositionView
from endgame_tui.look import Ink
from endgame_tui.screens.base import Request, SetUpScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import WIDE, Key
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import Lines

CHESS, STONES = ("chess",), ("morris",)


def _name(man: chess.Piece) -> str:
    """A man in words."""
    return f"{'White' if man.color else 'Black'} {chess.piece_name(man.piece_type)}"


class EditBoard(BoardCanvas, inherit_bindings=False):
    """A board whose letters are free for the men."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("up", "point(0,-1)", "Cursor up", id="edit.up"),
        Key("down", "point(0,1)", "Cursor down", id="edit.down"),
        Key("left", "point(-1,0)", "Cursor left", id="edit.left"),
        Key("right", "point(1,0)", "Cursor right", id="edit.right"),
        Key("enter,space", "choose", "Place or move the piece", id="edit.choose"),
    ]


_KEYS = {
    "chess": (
        ("[ ]", "choose a man"), ("Enter", "put it, or move by hand"), ("t", "side to move"), ("e", "en passant"),
        ("C", "clear but the kings"), ("X", "exchange the colours"), ("u U", "undo, redo"), (":", "type a FEN"),
    ),
    "morris": (
        ("[ ]", "choose a stone"), ("Enter", "put or move it"), ("t", "side to move"),
        ("i I", "stones in hand"), ("C", "the empty board"), ("X", "exchange the colours"),
        ("u U", "undo, redo"), (":", "type a position"),
    ),
}  # fmt: skip
"""What is told beside the board."""


_MEN = MEN[:6], MEN[6:]
"""White's and Black's men."""

_NOTHING = {
    "undo": "this is where you began.",
    "redo": "nothing has been undone.",
    "next_passed": "no pawn stands where it could just have passed another.",
}
"""What is said where there is nothing to be done."""


HAND = "hand"
"""What the palette knows the hand by, which moves men and puts none."""

_STONES = (("White", "o"), ("Black", "x"))
"""The sides of stones, and the keys that put one."""


class PiecePalette(Canvas):
    """What can be put on the board, and the hand; how the position stands; the keys.

    Args:
        game: Name of the game.
        id: DOM id.
    """

    CELL = 5
    """Columns one man takes."""

    def __init__(self, game: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._game = game
        self._chosen: Any = None
        self._facts: Sequence[LabelledValue] = ()
        self._verdict = ("", "text")

    def show(self, chosen: Any, facts: Sequence[LabelledValue], words: str, role: str) -> None:
        """Shows what is put down next, how the position stands, and whether it can occur."""
        self._chosen, self._facts, self._verdict = chosen, facts, (words, role)
        self.redraw()

    def on_click(self, event: Click) -> None:
        """Chooses the man under the mouse, the hand, or a fact that is to be changed."""
        if (result := self.item_at(event.x, event.y)) is not None:
            self.post_message(self.Chosen(self, result))

    def draw(self) -> list[CanvasRow]:
        """From the men to the keys; keys that do not fit are left out."""
        stones, hand, (width, height) = self._game in STONES, self._chosen is None, self.size
        rows = [self.row().put("Stones" if stones else "Men", bold=True), self.row()]
        rows += [self._stone(side) if stones else self._men(side) for side in (0, 1)]
        name = self.row().item(HAND).put("[hand]" if hand else " hand ", "amber" if hand else "dim", bold=hand)
        rows += [name.put(f" moves a {'stone' if stones else 'man'}", "faint"), self.row()]
        for told in self._facts:
            row = self.row().item(told if told.change else None)
            rows.append(row.put(told.label.ljust(13), "dim").put(told.value))
        words, role = self._verdict
        rows += [
            self.row(),
            *(self.row().put(line, role) for line in in_rows(self.look.glyphs.plain(words), width) or [""]),
            self.row(),
        ]
        keys = _KEYS[self._game][: max(height - len(rows), 0)]
        return rows + [self.row().put(key.ljust(9), bold=True).put(does, "dim") for key, does in keys]

    def _men(self, side: int) -> CanvasRow:
        """The men of a side, the chosen one in brackets."""
        bold, row = not self.look.palette.coloured, self.row()
        for man in _MEN[side]:
            glyph = "".join(ColouredPiece(man.symbol().upper(), man.color).glyph(self.look.glyphs.unicode))
            ink = row.style("white_man" if man.color else "black_man", "square_dark", bold=bold)
            self._piece(row, man, "square_dark", (glyph, ink))
        return row.item(None)

    def _stone(self, side: int) -> CanvasRow:
        """A stone, its name and its key."""
        row = self.row()
        here = self._piece(row, side, "ground", *stone(side, self.look))
        name, key = _STONES[side]
        return row.put(f" {name}", "text" if here else "dim").to(13).put(key, bold=True)

    def _piece(self, row: CanvasRow, man: Any, ground: str, *inks: Ink) -> bool:
        """Writes a man, in brackets when it is the chosen one; whether it is."""
        here, end = self._chosen is not None and man == self._chosen, row.width + self.CELL
        row.item(man).put("[" if here else " ", "cursor", ground, bold=True).write(inks)
        row.put("]" if here else " ", "cursor", ground, bold=True).to(end)
        return here


class EditorScreen(SetUpScreen):
    """Sets up a position and sends it to Play or Explore.

    Args:
        position: To begin with.
        mode: The screen it was opened from.
    """

    CSS_PATH = "editor.tcss"
    TYPED = (("KQRBNP", "Put a white man"), ("kqrbnp", "Put a black man"))
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Key(
                man.symbol(), f"edit('put_nth',{number})", _name(man), id=f"editor.{man.symbol()}", games=CHESS,
                short="place|place a piece" if man.symbol() in "KQkq" else "", system=True,
            )
            for number, man in enumerate(MEN)
        ),
        *(
            Key(
                key, f"edit('put_nth',{side})", f"Put a {name} stone", id=f"editor.{key}", games=STONES,
                short="place|place a stone", rank=1,
            )
            for side, (key, name) in enumerate((("o", "white"), ("x", "black")))
        ),
        Key(
            "delete,backspace,full_stop", "edit('remove')", "Remove the piece", id="editor.remove", short="remove",
            words={"morris": "Remove the stone"},
        ),
        Key("left_square_bracket", "edit('pick_next',-1)", "Previous piece", id="editor.before",
            words={"morris": "Previous stone"}),
        Key("right_square_bracket,tab", "edit('pick_next',1)", "Next piece", id="editor.after",
            words={"morris": "Next stone"}),
        Key("t", "edit('change','turn')", "Change the side to move", id="editor.turn", rank=1,
            short="side|side to move"),
        Key("e", "edit('change','next_passed')", "En passant", id="editor.passed", games=CHESS,
            short="e.p.|en passant"),
        *(
            Key(
                key, f"edit('change','hold',{side})", f"{name}'s stones in hand", id=f"editor.{name}-hand",
                games=STONES, short="hand|in hand",
            )
            for side, (key, name) in enumerate((("i", "White"), ("I", "Black")))
        ),
        Key("C", "edit('change','clear')", "Clear all but the kings", id="editor.clear",
            words={"morris": "Clear the board"}),
        Key("X", "edit('change','exchange')", "Swap the colours", id="editor.exchange"),
        Key("u", "edit('undo')", "Undo", id="editor.undo", short="undo"),
        Key("U", "edit('redo')", "Redo", id="editor.redo"),
        Key("f", "flip", "Flip the board", id="editor.flip"),
        Key("c", "copy", "Copy the FEN", id="editor.copy", words={"morris": "Copy the position"}),
        Key("colon", "type", "Type a FEN", id="editor.type", words={"morris": "Type a position"}, priority=True,
            typing=True),
        Key("s", "send", "Send to Play or Explore", id="editor.send", short="done|done, send", rank=1,
            priority=True),
        Key("escape", "leave", "Leave without saving", id="editor.leave", short="leave", rank=1),
    ]  # fmt: skip

    def __init__(self, position: Any, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.editing = Editing(self.game, position)
        if self.game in CHESS:
            self.board = EditBoard(id="board")

    def body(self) -> ComposeResult:
        """Board and palette, the position as text."""
        with Horizontal(id="main"):
            yield self.board
            yield PiecePalette(self.game, id="palette")
        yield Lines(id="fen", indent=1)

    @property
    def text_name(self) -> str:
        """What a position is called as text."""
        return speech_of(self.game).position

    def show(self) -> None:
        """Shows the position, and whether it can occur."""
        editing, edit = self.editing, self.editing.edit
        hand = self.face.hand()
        hand.pick(editing.held)
        view = PositionView(editing.cursor, hand, flipped=self.is_flipped)
        self.board.view = self.face.picture(edit.preview, (), view)
        words, role = edit_verdict(self.lab.judge(self.game), edit)
        self.query_one(PiecePalette).show(editing.chosen, speech_of(self.game).set_up(edit), words, role)
        text = TextSpan(f"{self.text_name}  {edit.text}", "faint")
        longer = TextSpan(f"c copy {self.text_name} ", "faint"), TextSpan("c copy ", "faint")
        self.query_one("#fen", Lines).show(lambda size: [TextRow((text,), (longer[size.width < WIDE],))])
        legal = ("", "text") if not self.face.name else (self._mover(), "text")
        self.crumbs("Board editor", named=False, right=("not legal", "loss") if edit.problem else legal)

    def _mover(self) -> str:
        glyphs, white = self.look.glyphs, self.lab.judge(self.game).game.mover(self.editing.edit.preview) == "white"
        return f"{glyphs.white if white else glyphs.black} to move"

    def game_changed(self) -> None:
        """The other game is gone to once the position may be left."""
        self.host.game = self.editing.game
        self.host.memory.note(self.editing.game, "game")
        self._seen = self.editing.game, self._seen[1]
        self._leave(lambda: self.app.call_later(self.app.run_action, "game"))

    def receive(self, request: Request) -> None:
        """Another screen wants something here: it gets it once the position may be left."""
        self._leave(lambda: self.app.call_later(self.host.open, self.mode, request))

    def _leave(self, then: Callable[[], object] = lambda: None) -> None:
        """Leaves, and does something; asks first where a position was set up."""

        def leave() -> None:
            self.dismiss()
            then()

        if self.editing.is_changed:
            self.ask.question("Leave without this position?", Choice("enter", "leave it", leave))
        else:
            leave()

    def at_stake(self) -> str:
        """A position that was set up."""
        return "the position that you set up is lost" if self.editing.is_changed else ""

    # Keys

    def _changed(self) -> None:
        self.say()
        self.show()

    @on(BoardCanvas.Pointed)
    def _pointed(self, event: BoardCanvas.Pointed) -> None:
        self.editing.cursor = event.key
        self._changed()

    @on(BoardCanvas.Chosen, "#board")
    def _point_chosen(self, event: BoardCanvas.Chosen) -> None:
        editing = self.editing
        editing.choose(event.key)
        self._changed()
        empty = editing.chosen is None and editing.held is None and editing.edit.man(event.key) is None
        if self.game in STONES and empty and not editing.is_changed:
            self.say("press o for a white stone here, x for a black one; ] chooses what Enter puts down.")

    def action_edit(self, name: str, what: Any = None, side: Any = None) -> None:
        """Does something with the position, and says so where that changes nothing."""
        done = getattr(self.editing, name)(*(each for each in (what, side) if each is not None))
        self._changed()
        if not done:
            self.say(_NOTHING.get(name, _NOTHING.get(str(what), "")))

    @on(Click, "#fen")
    def action_copy(self) -> None:
        """Copies the position to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.editing.edit.text)
        self.say(f"copied the {self.text_name}.")

    def action_type(self) -> None:
        """Asks for a position."""
        game = self.lab.explorer_of(self.game).game

        def read(text: str) -> None:
            self.editing.read(game.parse(text))
            self._changed()

        self.ask.text(":", f"a {self.text_name}", read)

    def action_send(self) -> None:
        """Asks where the position is to go, once it can occur."""
        position = self.editing.edit.checked_position()
        game = self.lab.explorer_of(self.game).game
        request = Request(self.game, game.format(position), position, game.metric if self.face.name else None)

        def send(mode: str) -> None:
            self.dismiss()
            self.app.call_later(self.host.open, mode, request)

        self.ask.question(
            "Send it to",
            Choice("3", "Play", lambda: send("play")),
            Choice("1", "Explore", lambda: send("explore")),
        )

    def action_leave(self) -> None:
        """Puts a held man down, or leaves; asks first where a position was set up."""
        if self.editing.held is not None:
            self.editing.held = None
            self.show()
        else:
            self._leave()

    @on(PiecePalette.Chosen, "#palette")
    def _man_chosen(self, event: PiecePalette.Chosen) -> None:
        if isinstance(event.key, LabelledValue):
            self.editing.change(event.key.change, *event.key.whose)
            self._changed()
        else:
            self.editing.pick(None if event.key == HAND else event.key)
            self.show()
