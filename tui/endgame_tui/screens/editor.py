"""The board editor of both games: pieces are placed by letter or from a palette, or moved on the board."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import chess
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.events import Click

from endgame_core.chess.editor import MEN
from endgame_core.controls import control, instruct
from endgame_core.language import _
from endgame_core.tasks.editing import Editing
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import edit_verdict
from endgame_core.words.text_model import LabelledValue, TextRow, TextSpan, in_rows
from endgame_tui.faces import Face, PaletteItem, PositionView
from endgame_tui.keys import CHESS, CHOOSE, COPY, FLIP, LEAVE, PROMPT, REDO, SIDE_TO_MOVE, STONES, TAKE_BACK, Key
from endgame_tui.screens.base import Request, SetUpScreen
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import plain_keys
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.canvas import Canvas, CanvasRow
from endgame_tui.widgets.lines import Lines
from endgame_tui.widths import WIDE

_PIECE_NAMES: Final = {
    "K": _("White king"), "Q": _("White queen"), "R": _("White rook"),
    "B": _("White bishop"), "N": _("White knight"), "P": _("White pawn"),
    "k": _("Black king"), "q": _("Black queen"), "r": _("Black rook"),
    "b": _("Black bishop"), "n": _("Black knight"), "p": _("Black pawn"),
}  # fmt: skip


def _put_id(piece: chess.Piece) -> str:
    """The identifier of the action that places a piece: ``put_white_queen``."""
    return f"put_{chess.COLOR_NAMES[piece.color]}_{chess.piece_name(piece.piece_type)}"


class EditBoard(BoardCanvas, inherit_bindings=False):
    """A board without keys on letters, which place pieces here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("up", "point(0,-1)", _("Cursor up"), id="edit_up"),
        Key("down", "point(0,1)", _("Cursor down"), id="edit_down"),
        Key("left", "point(-1,0)", _("Cursor left"), id="edit_left"),
        Key("right", "point(1,0)", _("Cursor right"), id="edit_right"),
        CHOOSE.adapted(_("Place or move the piece")),
    ]


_LABEL_WIDTH = 17
"""Columns of the labels of facts."""


HAND = "hand"
"""Item of the palette for the hand, which moves pieces instead of placing new ones."""


class PiecePalette(Canvas):
    """The pieces to place and the hand; facts about the position and its verdict; the keys.

    Args:
        face: The looks of the game.
        id: DOM id.
    """

    CELL = 5
    """Columns of one piece."""

    def __init__(self, face: Face, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._face = face
        self._selected: Any = None
        """The piece or side that Enter places; None for the hand."""
        self._facts: Sequence[LabelledValue] = ()
        self._verdict = ("", "text")

    def show(self, selected: Any, facts: Sequence[LabelledValue], words: str, role: str) -> None:
        """Show a position's state.

        Args:
            selected: The piece or side that Enter places; None for the hand.
            facts: Facts about the position, such as the side to move.
            words: Whether the position is legal, or why not.
            role: Role of these words.
        """
        self._selected = selected
        self._facts = facts
        self._verdict = (words, role)
        self.redraw()

    def on_click(self, event: Click) -> None:
        """Choose the piece under the mouse, the hand, or the fact to change."""
        item = self.item_at(event.x, event.y)
        if item is not None:
            self.post_message(self.Chosen(self, item))

    def draw(self) -> list[CanvasRow]:
        """Draw the pieces, the facts, the verdict, and as many keys as fit."""
        rows = [self.row().put(self._face.editor_title, bold=True), self.row()]
        rows += map(self._palette_row, self._face.editor_palette(self.look))
        rows += [self._hand_row(), self.row()]

        label_width = self._label_width()
        for fact in self._facts:
            # A click on a fact changes it, e.g. the side to move.
            row = self.row().item(fact if fact.change else None)
            rows.append(row.put(fact.label.ljust(label_width), "dim").put(fact.value))

        words, role = self._verdict
        lines = in_rows(self.look.glyphs.plain(words), self.size.width) or [""]
        rows += [self.row(), *(self.row().put(line, role) for line in lines), self.row()]

        room = max(self.size.height - len(rows), 0)
        for key, description in self._face.editor_keys[:room]:
            names = plain_keys(instruct(key), self.look.glyphs)
            rows.append(self.row().put(names.ljust(9), bold=True).put(description, "dim"))
        return rows

    def _hand_row(self) -> CanvasRow:
        """The hand, in brackets while it is selected."""
        row = self.row().item(HAND)
        hand = _("hand")
        if self._selected is None:
            row.put(f"[{hand}]", "amber", bold=True)
        else:
            row.put(f" {hand} ", "dim")
        return row.put(f" {self._face.hand_words}", "faint")

    def _label_width(self) -> int:
        """Columns of the labels of facts, with a gap: as few as they need if a value would not fit otherwise."""
        longest_label = max((len(fact.label) for fact in self._facts), default=0)
        longest_value = max((len(fact.value) for fact in self._facts), default=0)
        is_roomy = longest_label < _LABEL_WIDTH and _LABEL_WIDTH + longest_value <= self.size.width
        if is_roomy:
            return _LABEL_WIDTH
        return longest_label + 1

    def _palette_row(self, items: Sequence[PaletteItem]) -> CanvasRow:
        """A row of the palette, with the name and the key of each piece that has one."""
        row = self.row()
        for item in items:
            is_selected = self._selected is not None and item.man == self._selected
            end = row.width + self.CELL
            left, right = "[]" if is_selected else "  "
            row.item(item.man).put(left, "cursor", item.ground, bold=True).write(item.inks)
            row.put(right, "cursor", item.ground, bold=True).pad_to(end)
            if item.name:
                key = plain_keys(control(item.action), self.look.glyphs)
                row.put(f" {item.name} ", "text" if is_selected else "dim").pad_to(13).put(key, bold=True)
            else:
                # The cells after the piece belong to no item; a name and a key are part of it.
                row.item(None)
        return row


class EditorScreen(SetUpScreen):
    """Set up a position and send it to Play or Explore.

    Args:
        position: The position to start with.
        mode: Mode of the screen it was opened from.
    """

    CSS_PATH = "editor.tcss"
    FOCUSABLE = (EditBoard, BoardCanvas)
    EXTRA_HELP = (("KQRBNP", _("Place a white piece")), ("kqrbnp", _("Place a black piece")))
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Key(
                man.symbol(),
                f"put({number})",
                _PIECE_NAMES[man.symbol()],
                games=CHESS,
                id=_put_id(man),
                # In the last row four letters stand for all: there is no room for twelve.
                short=_("place|place a piece") if man.symbol() in "KQkq" else "",
                grouped=True,
            )
            for number, man in enumerate(MEN)
        ),
        *(
            Key(
                key,
                f"put({side})",
                description,
                id=f"put_{name}_stone",
                games=STONES,
                short=_("place|place a stone"),
                rank=1,
            )
            for side, (key, name, description) in enumerate(
                (("o", "white", _("Put a white stone")), ("x", "black", _("Put a black stone")))
            )
        ),
        Key(
            "delete,backspace,full_stop",
            "remove",
            _("Remove the piece"),
            short=_("remove"),
            words={"morris": _("Remove the stone")},
        ),
        Key(
            "left_square_bracket",
            "pick_next(-1)",
            _("Previous piece"),
            id="previous_piece",
            words={"morris": _("Previous stone")},
        ),
        Key(
            "right_square_bracket,tab",
            "pick_next(1)",
            _("Next piece"),
            id="next_piece",
            words={"morris": _("Next stone")},
        ),
        SIDE_TO_MOVE,
        Key("e", "en_passant", _("En passant"), games=CHESS, short=_("e.p.|en passant")),
        *(
            Key(
                key,
                f"hand({side})",
                description,
                id=f"{name}_hand",
                games=STONES,
                short=_("hand|in hand"),
            )
            for side, (key, name, description) in enumerate(
                (("i", "white", _("White's stones in hand")), ("I", "black", _("Black's stones in hand")))
            )
        ),
        Key("C", "clear", _("Clear all but the kings"), words={"morris": _("Clear the board")}),
        Key("X", "exchange", _("Swap the colours")),
        TAKE_BACK.adapted(_("Undo"), action="edit_undo", id="edit_undo", short=_("undo")),
        REDO.adapted(action="edit_redo", id="edit_redo"),
        FLIP,
        COPY.adapted(words={"morris": _("Copy the position")}),
        PROMPT.adapted(_("Type a FEN"), words={"morris": _("Type a position")}),
        Key("s", "send", _("Send to Play or Explore"), short=_("done|done, send"), rank=1, priority=True),
        LEAVE.adapted(_("Leave without saving"), short=_("leave")),
    ]

    def __init__(self, position: Any, mode: str) -> None:
        super().__init__()
        self.mode = mode
        self.editing = Editing(self.game, position)
        # The usual board has the cursor keys of vi, such as k, which is Black's king here.
        if self.face.letters_place:
            self.board = EditBoard(id="board")

    def body(self) -> ComposeResult:
        """Yield the board, the palette and the position as text."""
        with Horizontal(id="main"):
            yield self.board
            yield PiecePalette(self.face, id="palette")
        yield Lines(id="fen", indent=1)

    @property
    def text_name(self) -> str:
        """The game's name for a position as text: FEN in chess."""
        return speech_of(self.game).position

    def show(self) -> None:
        """Show the position and whether it is legal."""
        editing = self.editing
        edit = editing.edit
        # A held piece looks like one that is picked up for a move.
        hand = self.face.new_move_input()
        hand.pick(editing.held)
        view = PositionView(editing.cursor, hand, flipped=self.is_flipped)
        self.board.view = self.face.board_view(edit.preview, (), view)

        words, role = edit_verdict(self.lab.judge(self.game), edit)
        self.query_one(PiecePalette).show(editing.chosen, speech_of(self.game).set_up(edit), words, role)

        text = TextSpan(f"{self.text_name}  {edit.text}", "faint")
        copy_hint = instruct(_("{copy} copy "))
        long_hint = TextSpan(f"{copy_hint}{self.text_name} ", "faint")
        short_hint = TextSpan(copy_hint, "faint")
        self.query_one("#fen", Lines).show(
            lambda size: [TextRow((text,), (short_hint if size.width < WIDE else long_hint,))]
        )
        self.crumbs(_("Board editor"), named=False, right=self._header_right())

    def _header_right(self) -> tuple[str, str]:
        """Right end of the first row: whether the position is illegal, else in morris the side to move; and a role."""
        if self.editing.edit.problem:
            return _("not legal"), "loss"
        if not self.face.name:
            return "", "text"
        is_white = self.lab.judge(self.game).game.mover(self.editing.edit.preview) == "white"
        glyphs = self.look.glyphs
        side = glyphs.white if is_white else glyphs.black
        return _("{side} to move").format(side=side), "text"

    def game_changed(self) -> None:
        """Switch to the other game only once the position may be discarded: switch back until then."""
        self.host.game = self.editing.game
        self.host.memory.note(self.editing.game, "game")
        # This screen keeps its game: catch_up must not find a difference any more.
        self._shown_state = (self.editing.game, self._shown_state[1])
        # Later, when this screen is closed: the action switches the game of the screen below.
        self._leave(lambda: self.app.call_later(self.app.run_action, "game"))

    def receive(self, request: Request) -> None:
        """Close and pass a request on once the position may be discarded."""
        self._leave(lambda: self.app.call_later(self.host.open, self.mode, request))

    def _leave(self, then: Callable[[], object] = lambda: None) -> None:
        """Close the editor and do something; ask first if the position was changed."""

        def leave() -> None:
            self.dismiss()
            then()

        if self.editing.is_changed:
            self.last_row.ask(_("Leave and discard this position?"), Choice("enter", _("discard"), leave))
        else:
            leave()

    def quit_warning(self) -> str:
        """That the position is lost, if it was changed."""
        if self.editing.is_changed:
            return _("the position that you set up will be lost")
        return ""

    # Keys

    def _refresh(self) -> None:
        self.say()
        self.show()

    @on(BoardCanvas.Pointed)
    def _pointed(self, event: BoardCanvas.Pointed) -> None:
        self.editing.cursor = event.key
        self._refresh()

    @on(BoardCanvas.Chosen, "#board")
    def _point_chosen(self, event: BoardCanvas.Chosen) -> None:
        editing = self.editing
        editing.choose(event.key)
        self._refresh()

        hand_is_empty = editing.chosen is None and editing.held is None
        # Enter on an empty square with an empty hand, before any change: the user expects a piece there.
        has_no_effect = hand_is_empty and editing.edit.man(event.key) is None and not editing.is_changed
        if has_no_effect and self.face.editor_hint:
            self.say(instruct(self.face.editor_hint))

    def _edited(self, has_changed: bool, refusal: str = "") -> None:
        """Show the position after an edit; say ``refusal`` if the edit has changed nothing."""
        self._refresh()
        if not has_changed:
            self.say(refusal)

    def action_put(self, number: int) -> None:
        """Put the piece or stone with a number of the palette on the cursor's square."""
        self._edited(self.editing.put_nth(number))

    def action_remove(self) -> None:
        """Remove the piece on the cursor's square."""
        self._edited(self.editing.remove())

    def action_pick_next(self, by: int) -> None:
        """Select the next or previous piece of the palette."""
        self._edited(self.editing.pick_next(by))

    def action_side_to_move(self) -> None:
        """Give the move to the other side."""
        self._edited(self.editing.change("turn"))

    def action_en_passant(self) -> None:
        """Choose the next pawn that can be taken en passant."""
        refusal = _("no pawn can have just made a double step.")
        self._edited(self.editing.change("next_passed"), refusal)

    def action_hand(self, side: int) -> None:
        """Change the number of stones that a side has in hand."""
        self._edited(self.editing.change("hold", side))

    def action_clear(self) -> None:
        """Clear the board; kings stay."""
        self._edited(self.editing.change("clear"))

    def action_exchange(self) -> None:
        """Swap the colours."""
        self._edited(self.editing.change("exchange"))

    def action_edit_undo(self) -> None:
        """Undo the last edit."""
        self._edited(self.editing.undo(), _("there is nothing to undo."))

    def action_edit_redo(self) -> None:
        """Redo the edit that was undone."""
        self._edited(self.editing.redo(), _("there is nothing to redo."))

    @on(Click, "#fen")
    def action_copy(self) -> None:
        """Copy the position to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.editing.edit.text)
        self.say(_("copied the {text_name}.").format(text_name=self.text_name))

    def action_prompt(self) -> None:
        """Ask for a position as text."""
        self.last_row.prompt(":", _("a {text_name}").format(text_name=self.text_name), self.paste)

    def paste(self, text: str) -> None:
        """Put a position as text on the board; raises PositionError."""
        self.editing.read(self.lab.explorer_of(self.game).game.parse(text))
        self._refresh()

    def action_send(self) -> None:
        """Ask where to send the position; raises EndgameError while it is illegal."""
        position = self.editing.edit.checked_position()
        game = self.lab.explorer_of(self.game).game
        # Chess (without a name) is shown by the metric that Explore uses now.
        metric = game.metric if self.face.name else None
        request = Request(self.game, game.format(position), position, metric)

        def send(mode: str) -> None:
            self.dismiss()
            self.app.call_later(self.host.open, mode, request)

        self.last_row.ask(
            _("Send it to"),
            # The digits with which these screens are opened everywhere.
            Choice("3", _("Play"), lambda: send("play")),
            Choice("1", _("Explore"), lambda: send("explore")),
        )

    def action_leave(self) -> None:
        """Put a held piece back, or close the editor; ask first if the position was changed."""
        if self.editing.held is not None:
            self.editing.held = None
            self.show()
        else:
            self._leave()

    @on(PiecePalette.Chosen, "#palette")
    def _palette_chosen(self, event: PiecePalette.Chosen) -> None:
        if isinstance(event.key, LabelledValue):
            self.editing.change(event.key.change, *event.key.whose)
            self._refresh()
        else:
            piece = None if event.key == HAND else event.key
            self.editing.pick(piece)
            self.show()
