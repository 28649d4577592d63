"""The map of a piece: every square shows the value of the position if the piece stood there."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size

from endgame_core.controls import control
from endgame_core.language import _
from endgame_core.tasks.square_map import Placing, SquareValue
from endgame_core.tasks.walk import Walk
from endgame_core.words import placing as words
from endgame_core.words.missing_tables import other_metric_in_explore
from endgame_core.words.position import name_of
from endgame_core.words.text_model import TextRow, TextSpan, fitted, to_move
from endgame_tui.faces import Label, PositionView
from endgame_tui.keys import CHOOSE, FLIP, LEAVE, MAP, METRIC, REDO, SIDE_TO_MOVE, TAKE_BACK, Key
from endgame_tui.screens.base import Request, SetUpScreen
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.lines import Lines, message_rows
from endgame_tui.widths import MEDIUM


class PlacingScreen(SetUpScreen):
    """Maps of the pieces of a position, on top of Explore.

    Args:
        walk: The walk; moving a piece to another square is a step of it.
        place: The square or point with the cursor.
    """

    TASK = "explore"
    CSS_PATH = "placing.tcss"
    FOCUSABLE = (BoardCanvas,)
    EXTRA_HELP = (
        ("+ = −", _("Wins, draws, loses there")),
        (words.KEY, _("Key square: either to move")),
        (words.NOWHERE.sign, _("Illegal position")),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Key(
            "tab", "man(1)", _("Next piece"), id="map_next", short=_("piece|next piece"), rank=1,
            words={"morris": _("Next stone")}, shorts={"morris": _("stone|next stone")},
        ),
        Key("shift+tab", "man(-1)", _("Previous piece"), id="map_previous", words={"morris": _("Previous stone")}),
        SIDE_TO_MOVE,
        METRIC.adapted(rank=3),
        TAKE_BACK.adapted(_("Undo"), short=_("undo")),
        REDO.adapted(short=_("redo"), rank=3),
        FLIP,
        LEAVE.adapted(_("Cancel; back to Explore"), short=_("back")),
        MAP.adapted(_("Cancel; back to Explore"), action="leave"),
    ]  # fmt: skip

    def __init__(self, walk: Walk[Any, Any], place: int) -> None:
        super().__init__()
        self.placing = Placing(walk, place)

    def body(self) -> ComposeResult:
        """Yield the board, the legend, and the sentence about the square of the cursor."""
        with Horizontal(id="main"):
            yield self.board
            yield Lines(id="legend")
        yield Lines(id="below")

    def on_resize(self) -> None:
        """Resize the board and the row of widgets that contains it."""
        super().on_resize()
        self.query_one("#main").styles.height = self.board.content_rows(self.size)

    def receive(self, request: Request) -> None:
        """Close the map and pass an explicit request on to Explore."""
        if request.is_explicit:
            self.dismiss()
            self.app.call_later(self.host.open, self.TASK, request)

    def handover(self) -> Request:
        """The position, for a screen that shows nothing yet."""
        return Request(self.game, position=self.placing.walk.position, is_explicit=False)

    def tables_changed(self) -> None:
        """Look up the values again."""
        self.placing.walk.forget()
        self.placing.forget()
        self.show()

    # What is shown

    def show(self) -> None:
        """Show the map; until its values are looked up, the previous map stays, or the pieces alone at first."""
        placing = self.placing
        walk = placing.walk
        is_ready = placing.spots is not None or walk.prober.run(placing.find, partial(self.call_later, self.show))
        if not is_ready and self.board.view is not None:
            return

        hand = self.face.new_move_input()
        picked = None
        # The piece whose map this is looks picked up, unless the cursor shows it already.
        if placing.held or placing.man != placing.cursor:
            picked = placing.man
        hand.pick(picked)
        view = PositionView(placing.cursor, hand, idle=True, flipped=self.is_flipped, map=self._labels())
        self.board.view = self.face.board_view(placing.edit.preview, (), view)
        self.query_one("#legend", Lines).show(self._legend)
        message = words.message(placing, self.size.width >= MEDIUM)
        self.query_one("#below", Lines).show(lambda size: message_rows(message, size, self.look.glyphs))

        glyphs = self.look.glyphs
        mover = glyphs.white if words.mover(placing) == "white" else glyphs.black
        side = _("{side} to move").format(side=mover)
        self.crumbs(
            _("Map"), name_of(walk.rules, walk.position), words.name(placing), named=False, right=(side, "text")
        )
        self.refresh_bindings()

    def _labels(self) -> dict[int, Label]:
        """The label of each square; empty until the values are looked up."""
        placing = self.placing
        plain = self.look.glyphs.plain
        if not placing.spots:
            return {}
        depths = [depth for depth in map(_depth, placing.spots.values()) if depth]
        extremes = (min(depths, default=0), max(depths, default=0))
        # Other pieces' squares have no value: the piece cannot be placed there.
        labels = {place: Label(ground="none") for place in placing.men}
        for place, spot in placing.spots.items():
            sign = words.sign(spot)
            labels[place] = Label(
                plain(sign + words.figure(placing, spot)),
                short=plain(sign),
                ground=_ground(spot, *extremes),
            )
        return labels

    @property
    def _has_bands(self) -> bool:
        """Whether the terminal has enough colours to distinguish distances: 16 are too few."""
        palette = self.look.palette
        # Terminals of 16 colours have the same one for all distances.
        return self.look.can_draw_pieces and palette("map_win_near_light") != palette("map_win_far_light")

    def _legend(self, size: Size) -> list[TextRow]:
        """The signs, what they mean, and how many squares have each."""
        placing = self.placing
        is_narrow = size.width < 20
        sign_rows: list[TextRow] = []
        for mark, count in words.legend(placing):
            role = "text" if count else "dim"
            spans = [TextSpan(mark.sign, mark.role, True)]
            if not is_narrow:
                spans.append(TextSpan(mark.words, role, at=4))
                if mark.role in BANDED and size.width >= _SWATCH + 6 and self._has_bands:
                    spans += [
                        TextSpan("█", f"map_{mark.role}_{band}_light", at=_SWATCH + place)
                        for place, band in enumerate(BANDS)
                    ]
            spans.append(TextSpan(str(count), role, end=min(size.width, 38)))
            sign_rows.append(TextRow(tuple(spans)))
        if is_narrow:
            return sign_rows

        name = TextSpan(words.name(placing), bold=True)
        state = TextSpan(_(", held") if placing.held else "", "dim")
        enter = TextRow((TextSpan(control("choose"), bold=True), TextSpan(f" {words.enters(placing)}", "dim")))
        unit = TextRow((TextSpan(words.figures(placing), "dim"),))
        if self._has_bands:
            sign_rows.append(TextRow((TextSpan(_("lighter: farther from the end"), "dim"),)))
        return [
            TextRow((name, state)),
            TextRow((TextSpan(to_move(words.mover(placing)), "dim"),)),
            TextRow(),
            *sign_rows,
            TextRow(),
            *fitted([unit, enter], size.width, 5),
        ]

    def label(self, key: Key) -> str:
        """Name of a key in the last row; of Enter, what it does at the cursor."""
        if key.id == CHOOSE.id:
            return words.enters(self.placing).partition(" ")[0]
        return super().label(key)

    # Keys

    @on(BoardCanvas.Pointed)
    def _pointed(self, event: BoardCanvas.Pointed) -> None:
        self.say()
        self.placing.point(event.key)
        self.show()

    @on(BoardCanvas.Chosen)
    def _point_chosen(self, event: BoardCanvas.Chosen) -> None:
        self.say()
        if problem := self.placing.choose(event.key):
            self.say(f"{problem}.", "loss")
        self.show()

    def action_man(self, by: int) -> None:
        """Show the map of the next or previous piece."""
        self.say()
        self.placing.next_man(by)
        self.show()

    def action_side_to_move(self) -> None:
        """Give the move to the other side."""
        self.say()
        self.placing.turn()
        self.show()

    def action_metric(self) -> None:
        """Show the values by the other metric, which Explore uses afterwards as well."""
        self.say()
        walk = self.placing.walk
        previous_metric = walk.metric
        missing = walk.switch_metric()
        if walk.metric == previous_metric:
            metric = missing or walk.metric
            self.say(other_metric_in_explore(walk.ending, metric, control("metric")))
        self.show()

    def action_take_back(self) -> None:
        """Undo a step of the walk."""
        problem = ""
        if not self.placing.step(back=True):
            problem = _("this is where you started.")
        self.say(problem)
        self.show()

    def action_redo(self) -> None:
        """Redo a step of the walk."""
        problem = ""
        if not self.placing.step(back=False):
            problem = _("there is nothing to redo.")
        self.say(problem)
        self.show()

    def action_leave(self) -> None:
        """Put a held piece back, or close the map."""
        self.say()
        if self.placing.let_go():
            self.show()
        else:
            self.dismiss(self.placing.cursor)


BANDS: Final = ("near", "middle", "far")
"""The distances to the end that a map distinguishes by lightness."""

BANDED: Final = ("win", "loss")
"""The results that have a distance to the end."""

_SWATCH: Final = 26
"""The column of the legend where the colours of the bands are."""


def _depth(spot: SquareValue[Any]) -> int:
    """Plies to the end; 0 if it is not known by depth, or for a draw."""
    verdict = spot.glance.verdict
    if verdict is None or verdict.depth is None:
        return 0
    return verdict.depth


def _ground(spot: SquareValue[Any], nearest: int, farthest: int) -> str:
    """The colour of a square, for the shortest and the longest distance to the end on the map."""
    if spot.key:
        return "key"
    result = words.ground(spot)
    if result not in BANDED:
        return result
    # + 1 keeps the farthest below 1, and so in the last band.
    share = max(_depth(spot) - nearest, 0) / (farthest - nearest + 1)
    return f"{result}_{BANDS[int(len(BANDS) * share)]}"
