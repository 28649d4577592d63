"""The map of a man: every square shows what the position would be if he stood there."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size

from endgame_core.tasks.square_map import Placing
from endgame_core.tasks.walk import Walk
from endgame_core.words import placing as words
from endgame_core.words.position import name_of
from endgame_core.words.text_model import TextRow, TextSpan, fitted, to_move
from endgame_tui.faces import Label, PositionView
from endgame_tui.screens.base import Request, SetUpScreen
from endgame_tui.widgets.bars import NORMAL, Key
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.lines import Lines, said

_NO_WAY = {True: "this is where the walk began.", False: "nothing has been undone."}
"""What is said where there is no way back, or on."""


class PlacingScreen(SetUpScreen):
    """The map of one man after the other, over Explore.

    Args:
        walk: The walk; a man who is put elsewhere is a step of it.
        place: Where the cursor is.
    """

    TASK = "explore"
    CSS_PATH = "placing.tcss"
    TYPED = (
        ("+ = −", "Wins, draws, loses there"),
        (words.KEY, "Key square: whoever moves"),
        (words.NOWHERE.sign, "Cannot stand there"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("tab", "man(1)", "Next piece", id="map.next", short="piece|next piece", rank=1,
            words={"morris": "Next stone"}, shorts={"morris": "stone|next stone"}),
        Key("shift+tab", "man(-1)", "Previous piece", id="map.before", words={"morris": "Previous stone"}),
        Key("t", "turn", "Change the side to move", id="map.turn", short="side|side to move", rank=1),
        Key("z", "metric", "Switch between DTM and DTZ", id="map.metric", short="DTZ", rank=3, games=("chess",)),
        Key("u", "step(True)", "Undo", id="map.undo", short="undo"),
        Key("U", "step(False)", "Redo", id="map.redo", short="redo", rank=3),
        Key("f", "flip", "Flip the board", id="map.flip"),
        Key("escape,equals_sign", "back", "Cancel; back to Explore", id="map.back", short="back", rank=1),
    ]  # fmt: skip

    def __init__(self, walk: Walk[Any, Any], place: int) -> None:
        super().__init__()
        self.placing = Placing(walk, place)

    def body(self) -> ComposeResult:
        """The board, what its signs mean, and what is said of the square of the cursor."""
        with Horizontal(id="main"):
            yield self.board
            yield Lines(id="legend")
        yield Lines(id="below")

    def on_resize(self) -> None:
        """Gives the board the right size, and no more."""
        super().on_resize()
        self.query_one("#main").styles.height = self.board.high(self.size)

    def receive(self, request: Request) -> None:
        """Leaves what was asked for to the screen below."""
        if request.asked:
            self.dismiss()
            self.app.call_later(self.host.open, self.TASK, request)

    def handover(self) -> Request:
        """The position, for who has nothing in hand."""
        return Request(self.game, position=self.placing.walk.position, asked=False)

    def tables_changed(self) -> None:
        """Other tables may know more."""
        self.placing.walk.forget()
        self.placing.forget()
        self.show()

    # What is shown

    def show(self) -> None:
        """Shows the map; where it takes longer to find out, the one before until then, at first the men alone."""
        placing, walk = self.placing, self.placing.walk
        result = placing.spots is not None or walk.clerk.run(placing.find, partial(self.call_later, self.show))
        if not result and self.board.view is not None:
            return
        hand = self.face.hand()
        hand.pick(placing.man if placing.held or placing.man != placing.cursor else None)
        spots, plain = placing.spots or {}, self.look.glyphs.plain
        labels = {place: Label(ground="none") for place in placing.men} if spots else {}
        labels |= {
            place: Label(
                plain(words.sign(spot) + words.figure(placing, spot)),
                short=plain(words.sign(spot)),
                ground="key" if spot.key else words.ground(spot),
            )
            for place, spot in spots.items()
        }
        view = PositionView(placing.cursor, hand, idle=True, flipped=self.is_flipped, map=labels)
        self.board.view = self.face.picture(placing.edit.preview, (), view)
        self.query_one("#legend", Lines).show(self._legend)
        told = words.told(placing, self.size.width >= NORMAL)
        self.query_one("#below", Lines).show(lambda size: said(told, size, self.look.glyphs))
        white = words.mover(placing) == "white"
        side = f"{self.look.glyphs.white if white else self.look.glyphs.black} to move"
        self.crumbs("Map", name_of(walk.rules, walk.position), words.name(placing), named=False, right=(side, "text"))
        self.refresh_bindings()

    def _legend(self, size: Size) -> list[TextRow]:
        """What the signs mean, and how many places have each."""
        placing, narrow = self.placing, size.width < 20
        rows: list[TextRow] = []
        for mark, places in words.legend(placing):
            role = "text" if places else "dim"
            what = () if narrow else (TextSpan(mark.words, role, at=4),)
            count = TextSpan(str(places), role, end=min(size.width, 38))
            rows.append(TextRow((TextSpan(mark.sign, mark.role, True), *what, count)))
        if narrow:
            return rows
        name, held = TextSpan(words.name(placing), bold=True), TextSpan(", held" if placing.held else "", "dim")
        enter = TextRow((TextSpan("Enter", bold=True), TextSpan(f" {words.enters(placing)}", "dim")))
        below = fitted([enter, TextRow((TextSpan(words.figures(placing), "dim"),))], size.width, 5)
        return [
            TextRow((name, held)),
            TextRow((TextSpan(to_move(words.mover(placing)), "dim"),)),
            TextRow(),
            *rows,
            TextRow(),
            *below,
        ]

    def label(self, key: Key) -> str:
        """What Enter does."""
        return words.enters(self.placing).partition(" ")[0] if key.action == "choose" else super().label(key)

    # Keys

    @on(BoardCanvas.Pointed)
    def _pointed(self, event: BoardCanvas.Pointed) -> None:
        self.say()
        self.placing.point(event.key)
        self.show()

    @on(BoardCanvas.Chosen)
    def _point_chosen(self, event: BoardCanvas.Chosen) -> None:
        self.say()
        if why := self.placing.choose(event.key):
            self.say(f"{why}.", "loss")
        self.show()

    def action_man(self, by: int) -> None:
        """Goes to another man."""
        self.say()
        self.placing.next_man(by)
        self.show()

    def action_turn(self) -> None:
        """Shows the map with the other side to move."""
        self.say()
        self.placing.turn()
        self.show()

    def action_metric(self) -> None:
        """Shows figures by the other metric, as Explore shows layers."""
        self.say()
        walk, before = self.placing.walk, self.placing.walk.metric
        missing = walk.turn_metric()
        if walk.metric == before:
            self.say(f"{missing} is not built by {walk.metrics[-1].upper()}: z in Explore offers it.")
        self.show()

    def action_step(self, back: bool) -> None:
        """Goes back a step of the walk, or on."""
        self.say("" if self.placing.step(back) else _NO_WAY[back])
        self.show()

    def action_back(self) -> None:
        """Lets go of a man who is held, or goes back to Explore."""
        self.say()
        if self.placing.let_go():
            self.show()
        else:
            self.dismiss(self.placing.cursor)
