"""What every board editor has: a palette, a hand that moves men, undo and redo, and where the position goes."""

from __future__ import annotations

from typing import Any, Generic, Protocol, Self, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget

from endgame_core.errors import EndgameError
from endgame_tui.screens.mode import ModeScreen
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.palette_men import MenPalette
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice, Question
from endgame_tui.widgets.words import FenRow


class Editable(Protocol):
    """A position being set up; every change gives a new one."""

    @property
    def problem(self) -> str:
        """Why the position cannot occur, one sentence; empty when it can."""
        ...

    def move(self, source: int, target: int) -> Self:
        """Moves a man; what stood on the target is gone."""
        ...

    def turn(self) -> Self:
        """Gives the move to the other side."""
        ...

    def clear(self) -> Self:
        """Takes away what can be taken away."""
        ...

    def exchange(self) -> Self:
        """Exchanges the colours."""
        ...

    def finished(self) -> Any:
        """The position, when it can occur; raises PositionError."""
        ...


E = TypeVar("E", bound=Editable)


def keys(prefix: str, man: str, text: str, clear: str) -> list[BindingType]:
    """The keys of an editor.

    Args:
        prefix: Of their ids.
        man: What is put on the board.
        text: What a position is as text.
        clear: What is said of an empty board.
    """
    return [
        Binding("delete,backspace,full_stop", "remove", f"Remove a {man}", show=False, id=f"{prefix}.remove"),
        Binding("left_square_bracket", "choose(-1)", f"The {man} before", show=False, id=f"{prefix}.before"),
        Binding("right_square_bracket,tab", "choose(1)", f"The {man} after", show=False, id=f"{prefix}.after"),
        Binding("t", "turn", "The other side to move", show=False, id=f"{prefix}.turn"),
        Binding("C", "clear", clear, show=False, id=f"{prefix}.clear"),
        Binding("X", "exchange", "Exchange the colours", show=False, id=f"{prefix}.exchange"),
        Binding("u", "undo", "Undo", show=False, id=f"{prefix}.undo"),
        Binding("U", "redo", "Redo", show=False, id=f"{prefix}.redo"),
        Binding("f", "flip", "Turn the board", show=False, id=f"{prefix}.flip"),
        Binding("c", "copy", f"Copy the {text}", show=False, id=f"{prefix}.copy"),
        Binding("colon", "type", f"Type a {text}", show=False, priority=True, id=f"{prefix}.type"),
        Binding("s", "send", "Done: to Play or Explore", show=False, priority=True, id=f"{prefix}.send"),
        Binding("escape", "leave", "Leave without it", show=False, id=f"{prefix}.leave"),
    ]


class EditingScreen(ModeScreen, Generic[E]):
    """Sets up a position and sends it to Play or Explore. What differs from game to game is in the first section.

    Args:
        edit: To begin with.
        mode: The screen it was opened from.
    """

    def __init__(self, edit: E, mode: str) -> None:
        super().__init__()
        self._mode = mode
        self.edit: E = edit
        self._past: list[E] = []
        self._future: list[E] = []
        self._chosen: int | None = None
        self._cursor = 0
        self._held: int | None = None
        self._flipped = False

    # What a game says

    def widgets(self) -> tuple[Widget, MenPalette, KeyBar]:
        """A new board, palette and last row."""
        raise NotImplementedError

    @property
    def men(self) -> int:
        """How many men the palette has."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """The position as text, whether it can occur or not."""
        raise NotImplementedError

    def read(self, text: str) -> E:
        """The position of a text; raises PositionError."""
        raise NotImplementedError

    def man_on(self, place: int) -> int | None:
        """The number in the palette of what stands on a place; None where it is empty."""
        raise NotImplementedError

    def put(self, place: int, man: int | None) -> E:
        """The position with a man of the palette on a place, or with none there."""
        raise NotImplementedError

    def show(self) -> None:
        """Shows the position, and whether it can occur."""
        raise NotImplementedError

    def hand_over(self, mode: str) -> None:
        """Gives the finished position to ``play`` or ``explore``."""
        raise NotImplementedError

    # What is the same for all

    def compose(self) -> ComposeResult:
        """Board and palette in the frame."""
        board, palette, bar = self.widgets()
        yield TopBar(self._mode, id="top")
        yield board
        yield palette
        yield FenRow(id="fen")
        yield JobStrip(id="strip")
        yield bar
        yield Prompt(id="prompt")
        yield Question(id="question")

    def on_mount(self) -> None:
        """Begins with the position that was handed over."""
        self.query_one(TopBar).crumbs = ("Board editor",)
        self.fit()
        self.show()
        self.focus_home()

    def focus_home(self) -> None:
        """The board has the focus."""
        self.set_focus(self.query_one("#board"))

    def change(self, edit: E) -> None:
        """Shows another position, which can be undone."""
        self.hush()
        if edit != self.edit:
            self._past.append(self.edit)
            self._future.clear()
            self.edit = edit
        self.show()

    def point_at(self, place: int) -> None:
        """Moves the cursor."""
        self._cursor = place
        self.hush()
        self.show()

    def choose_place(self, place: int) -> None:
        """Puts the chosen man; the hand picks up and drops."""
        self._cursor = place
        if self._chosen is not None:
            self.change(self.put(place, None if self.man_on(place) == self._chosen else self._chosen))
        elif self._held is None:
            self._held = place if self.man_on(place) is not None else None
            self.show()
        else:
            source, self._held = self._held, None
            self.change(self.edit.move(source, place))

    @on(MenPalette.Chosen)
    def _man_chosen(self, event: MenPalette.Chosen) -> None:
        self._chosen, self._held = event.man, None
        self.show()

    def action_put(self, number: int) -> None:
        """Puts a man on the place of the cursor."""
        self._held = None
        self.change(self.put(self._cursor, number))

    def action_remove(self) -> None:
        """Removes the man under the cursor."""
        self._held = None
        self.change(self.put(self._cursor, None))

    def action_choose(self, by: int) -> None:
        """Chooses the next man of the palette, the hand among them."""
        order: list[int | None] = [None, *range(self.men)]
        self._chosen, self._held = order[(order.index(self._chosen) + by) % len(order)], None
        self.show()

    def action_turn(self) -> None:
        """Gives the move to the other side."""
        self.change(self.edit.turn())

    def action_clear(self) -> None:
        """Takes everything away that can be taken away."""
        self._held = None
        self.change(self.edit.clear())

    def action_exchange(self) -> None:
        """Exchanges the colours."""
        self._held = None
        self.change(self.edit.exchange())

    def action_undo(self) -> None:
        """Goes back a change."""
        self._step(self._past, self._future, "this is where you began.")

    def action_redo(self) -> None:
        """Takes back an undo."""
        self._step(self._future, self._past, "nothing has been undone.")

    def _step(self, source: list[E], target: list[E], otherwise: str) -> None:
        self.hush()
        self._held = None
        if not source:
            self.say(otherwise)
            return
        target.append(self.edit)
        self.edit = source.pop()
        self.show()

    def action_flip(self) -> None:
        """Turns the board."""
        self._flipped = not self._flipped
        self.show()

    @on(FenRow.Copied)
    def action_copy(self) -> None:
        """Copies the position to the terminal's clipboard."""
        self.app.copy_to_clipboard(self.text)
        self.say(f"copied the {self.query_one(FenRow).label}.")

    def action_type(self) -> None:
        """Asks for a position."""
        self.prompt(":", f"a {self.query_one(FenRow).label}", self._typed)

    def _typed(self, text: str) -> None:
        edit = self.read(text)
        self.stop_asking()
        self.change(edit)

    def action_send(self) -> None:
        """Asks where the position is to go, once it can occur."""
        try:
            self.edit.finished()
        except EndgameError as problem:
            self.complain(problem)
            return
        self.question(
            "Send it to",
            Choice("3", "3", "Play", lambda: self._send("play")),
            Choice("1", "1", "Explore", lambda: self._send("explore")),
        )

    def _send(self, mode: str) -> None:
        self.hand_over(mode)
        self.dismiss()
        self.app.call_later(self.app.run_action, f"screen('{mode}')")

    def action_leave(self) -> None:
        """Puts a held man down, or leaves the board as it was."""
        if self._held is not None:
            self._held = None
            self.show()
        else:
            self.dismiss()
