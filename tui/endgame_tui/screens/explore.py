"""Explore: a position, its layer, every move and where it leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import log
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.events import Click
from textual.events import Key as Pressed
from textual.geometry import Size
from textual.widget import Widget

from endgame_core import games
from endgame_core.errors import EndgameError, NotBuiltError
from endgame_core.settings import AUTOPLAY
from endgame_core.tasks.walk import Walk
from endgame_core.values import LAST_CLOCK
from endgame_core.words import position as words
from endgame_core.words import tables
from endgame_core.words.find import looking, walked
from endgame_core.words.glossary import speech_of
from endgame_core.words.position import LayerRow, LayerRows
from endgame_core.words.text_model import FIFTY_MOVES, TextRow, TextSpan, grouped
from endgame_tui.faces import Label, PositionView
from endgame_tui.jobs import Ended
from endgame_tui.screens.base import BoardScreen, Repeated, Request, build_choices
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import WIDE, Key
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.boardview import BoardView
from endgame_tui.widgets.charts import bar
from endgame_tui.widgets.lines import Lines, said
from endgame_tui.widgets.moves import MovesPanel, headed, in_rows, slim, wrapped
from endgame_tui.widgets.rows import Picker, RowItem, Rows

CHESS, STONES = ("chess",), ("morris",)
"""Games, of which keys are."""

_NO_WAY = {
    "undo": "this is where the walk began.",
    "redo": "nothing has been undone.",
    "turn_captures": "no capture leads here from endings that are built.",
}
"""What is said where there is no way back, or on."""

ROOMY = 50
"""With more columns beside the board, layers are counted in both ways."""

BAR = 6
"""Cells of the longest bar of a layer."""

BOARDS, UNIQUE = 19, 27
"""Right ends of the columns that count every placement, and symmetric copies once."""


def counted(number: int, limit: int) -> str:
    """A number in full, from ``limit`` on in millions."""
    if number < limit:
        return grouped(number)
    return f"{number / 1_000_000:.{2 if number < 1_000_000 else 1}f} M"


class LayersPanel(Rows, inherit_bindings=False):
    """The layers of an ending, known by their numbers, each with size and bar; the cursor is where the walk is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Key("up,k", "step(-1)", "Layer nearer to the end", id="layers.up"),
        Key("down,j", "step(1)", "Layer farther from the end", id="layers.down"),
        Key("pageup", "step(-10)", "Ten layers nearer", id="layers.page-up"),
        Key("pagedown", "step(10)", "Ten layers farther", id="layers.page-down"),
        Key("home", "step(-999)", "First layer", id="layers.home"),
        Key("end", "step(999)", "Last layer", id="layers.end"),
    ]
    tinted = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, pointer=False, steady=True)
        self.stretched = False
        """Whether the bars take all the room there is."""
        self._view = LayerRows()
        self._first = 0

    def show_layers(self, view: LayerRows) -> None:
        """Shows other layers."""
        self._view = view
        notice = [RowItem((TextSpan(line, "dim"),)) for line in view.notice]
        self.show(notice or self._layers, cursor=view.here, head=self._heads, title=view.title)
        if view.here is None:
            self.cursor = None
            self.redraw()

    def point(self, key: Any) -> None:
        """Asks the walk to go to a layer, which then shows it."""
        self.post_message(self.Chosen(self, key))

    def _window(self) -> list[RowItem]:
        """The rows in sight, and what lies outside them in a row above and one below.

        They stay where they are as long as they hold the layer and its neighbours.
        """
        made, space = list(self._made()), max(self.size.height - 1, 1)
        total, here = len(made), self.cursor or 0
        if total <= space or space < 4:
            first = 0 if total <= space else min(here, total - space)
            return made[first : first + space]
        first = self._first
        if not first < here < first + space - 3 or first + space - 1 > total:
            first = min(max(here - space // 2 + 1, 0), total - space + 1)
        if here < space - 2:
            first = 0
        elif here >= total - space + 3:
            first = total - space + 1
        self._first = first
        last = min(first + space - 1, total)
        above, below = first > 0, last < total
        last -= above and below
        shown = made[first:last]
        if above:
            shown.insert(0, self._rest(self.look.glyphs.up, 0, first - 1))
        return [*shown, self._rest(self.look.glyphs.down, last, total - 1)] if below else shown

    def _rest(self, arrow: str, first: int, last: int) -> RowItem:
        rows = self._view.rows
        text = rows[first].name.removesuffix("=")  # not all of them need be beyond the 50-move rule
        if last > first:
            text += self.look.glyphs.dash + rows[last].name.removesuffix("=")
        return RowItem((TextSpan(arrow + text, "faint"),))

    def _arrows(self, shown: int) -> str:
        del shown
        return ""  # the rows that are out of sight are told where they are

    def _ends(self, width: int) -> tuple[int, int]:
        """Right ends of the two columns of numbers; 0 where there is no room for the second."""
        if not self.stretched:
            return BOARDS, UNIQUE if width >= UNIQUE else 0
        return (width - 8, width) if width >= 40 else (width, 0)

    def _heads(self, size: Size) -> TextRow:
        if self._view.notice:
            return TextRow()
        ends = zip(("boards", "unique"), self._ends(size.width), strict=True)
        return TextRow(tuple(TextSpan(name, "dim", end=end) for name, end in ends if end))

    def _layers(self, size: Size) -> list[RowItem]:
        rows, (boards, unique) = self._view.rows, self._ends(size.width)
        start = max(5, max((len(row.name) for row in rows), default=0) + 2)
        widest = max((len(counted(row.boards, 10_000_000)) for row in rows), default=0)
        cells = min(99 if self.stretched else BAR, boards - 1 - widest - start)
        top = log(max((row.boards for row in rows), default=0) + 1) or 1.0

        def words(number: int, row: LayerRow) -> tuple[TextSpan, ...]:
            here = number == self.cursor
            name = "amber" if here else row.role if row.strong else "dim"
            ink = "amber" if here else "winner_bar" if row.strong else "loser_bar"
            least = 0.5 if self.look.glyphs.half_bar else 1
            share = max(log(row.boards + 1) / top, least / cells) if row.boards and cells > 0 else 0
            told = [
                TextSpan(self.look.glyphs.pointer if here else " ", "amber"),
                TextSpan(row.name, name, here),
                TextSpan(bar(share, max(cells, 0), self.look.glyphs), ink, at=start),
            ]
            for count, limit, end in ((row.boards, 10_000_000, boards), (row.unique, 100_000, unique)):
                if end:
                    told.append(TextSpan(counted(count, limit), "text" if here else "dim", here, end=end))
            return tuple(told)

        return [RowItem(key=number, words=partial(words, number, row)) for number, row in enumerate(rows)]


class WalkView(BoardView):
    """Everything between the first row and the last ones. It shows a walk, and walks nowhere itself."""

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(board, id=id)
        self._walk: Walk[Any, Any] | None = None
        self._layers = LayersPanel(id="layers")
        self._before = MovesPanel("Previous positions", id="before", shape=wrapped, steady=False)
        self._greets = False

    def compose(self) -> ComposeResult:
        """The board, the panels, the words below."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield Lines(id="verdict")
                yield Lines(id="clocks")
                yield self.takes
                with Container(id="lists"):
                    yield self._layers
                    yield self.by_depth
                    yield self.rated
                    yield self._before
                yield Lines(id="marks")
        yield Lines(id="below")
        yield Lines(id="fen")

    def on_mount(self) -> None:
        """Draws the legend of the marks on a board of stones."""
        glyphs = self.board.look.glyphs
        moved = "◎" if glyphs.unicode else "{O}"
        row = ("×", "loss", " may be taken  "), (glyphs.bar, "amber", " mill  "), (moved, "amber", " moved  ")
        signs = [TextSpan(text, "dim") if text[0] == " " else TextSpan(text, role, True) for sign, role, meaning in row
                 for text in (sign, meaning)]  # fmt: skip
        signs += [TextSpan("( )", "amber"), TextSpan(" from", "dim")]
        self.put("marks", (TextRow((TextSpan("Marks", bold=True),)), TextRow(tuple(signs))))

    # What is shown

    def show(self, walk: Walk[Any, Any], anew: bool) -> None:
        """Shows the place a walk has come to, as far as it is known.

        Args:
            walk: The walk.
            anew: Whether it has come there just now, so that no move is chosen yet.
        """
        other, self._walk = walk is not self._walk, walk
        known, first = walk.known, 0 if anew else None
        legal = [rated.move for rated in known.by_depth] or walk.rules.moves(walk.position)
        told = known.by_dtz if walk.metric != walk.metrics[0] else known.listed_by_depth
        rated = [(move.move, Label(*words.label(move, walk.metric != walk.metrics[0]))) for move in told]
        named = tuple(dict.fromkeys(p for move in known.by_depth for p in getattr(move.move, "taken", ())))
        view = PositionView(cursor=0, last=walk.step.move, rated=rated, show_all=True, named=named)
        self.board.show(walk.position, () if known.is_over else legal, view)
        listed = words.moves(walk)
        self._layers.show_layers(words.layers(walk))
        self.by_depth.show(listed.groups, *filter(None, [listed.notice]), cursor=first)
        if listed.rows or not listed.notice:
            self.show_rated(listed.rows, first)
        else:
            self.rated.show([RowItem((TextSpan(listed.notice, "dim"),))], head=TextRow())
        groups, why_not = words.before(walk)
        self._before.show(groups, *filter(None, [why_not]), cursor=first)
        self._show_by_clock(walk.by_clock)
        if other:
            self.fit()
        self._show_words()
        self.show_choice()

    def _show_by_clock(self, by_clock: bool) -> None:
        """Of the two panels of moves, shows the one that tells them; the focus stays with them."""
        if self.has_class("-by-clock") is not by_clock:
            inside = self.moves.has_focus
            self.set_class(by_clock, "-by-clock")
            if inside:
                self.call_after_refresh(self.moves.focus)

    def _show_words(self) -> None:
        """Shows verdict and clocks, and what stands below the board."""
        if (walk := self._walk) is None:
            return
        known = walk.known
        metric = walk.metric if len(walk.metrics) > 1 else ""
        key = "z" if walk.ending else ""
        text, label = walk.rules.format(walk.position), speech_of(walk.game).position
        self.put_headline(words.headline(known, walk.rules, self.board.hand.is_taking))
        self.put("clocks", lambda size: () if known.clock is None else (words.clocks(known, metric, key, size.width),))
        self.put("fen", lambda size: (_fen_row(text, label, size.width),))
        self.show_reason()

    def header(self) -> tuple[tuple[str, ...], tuple[str, str]]:
        """Where we are, for the first row; and for its right end the result, with its role."""
        if (walk := self._walk) is None:
            return (), ("", "text")
        told, glyphs = words.headline(walk.known, walk.rules), self.board.look.glyphs
        path = words.crumbs_with_clock(walk) if self.has_class("-small") else words.crumbs(walk)
        if begun := self.board.hand.words:
            path = (*path[:3], f"after {begun}")
        side, result = glyphs.white if told.white else glyphs.black, told.result.partition(",")[0].partition(" ·")[0]
        return path, (f"{side} {result}", told.role)

    def show_reason(self) -> None:
        """Shows the sentence, of the chosen move while the moves have the focus, else of the position; and the line.

        One widget has both: a sentence takes a row of the line where it needs one, and nothing is laid out anew for it.
        """
        if (walk := self._walk) is None:
            return
        chosen = self.moves.cursor if self.moves.has_focus else None

        def made(size: Size) -> Sequence[TextRow]:
            if self._greets and (greeting := words.greeting(walk, *size)):
                return greeting
            small, stones, wide = self.has_class("-small"), self.screen.has_class("-morris"), size.width >= WIDE
            told = words.reason(walk, chosen, wide)
            sentence = said(told, Size(size.width, size.height - (not small)), self.board.look.glyphs)
            rows = min(size.height - len(sentence), 2 if stones is small and not wide else 1)
            line = self.line_in(Size(size.width, rows), lambda plies: words.line(walk, plies), 10) if rows else []
            return [*[TextRow()] * (size.height - len(sentence) - rows), *sentence, *line]

        self.put("below", made)

    def greet(self, greets: bool) -> None:
        """Tells a newcomer what there is to see in place of what is said of the position, or no more."""
        if greets is not self._greets:
            self._greets = greets
            self.show_reason()

    def show_choice(self) -> None:
        """Shows what may be taken, where a move leaves only that open."""
        if (walk := self._walk) is not None and self.show_takes(partial(words.takes, walk.known)):
            self._show_words()

    def copy(self) -> str:
        """Copies the position to the terminal's clipboard; tells so in a sentence."""
        if (walk := self._walk) is None:
            return ""
        self.app.copy_to_clipboard(walk.rules.format(walk.position))
        return f"copied the {speech_of(walk.game).position}."

    @on(Picker.Pointed)
    def _pointed(self) -> None:
        self.show_reason()

    @on(Click, "#fen")
    def _fen_clicked(self) -> None:
        self.call_later(self.run_action, "screen.view('copy')")

    def on_descendant_focus(self) -> None:
        """A panel was entered: the sentence is of what is chosen there."""
        self.show_reason()

    def fit(self) -> None:
        """Folds the panels away where there is no room for them, and gives the moves the shape that fits."""
        super().fit()
        self.set_class(bool(self.size) and self.beside > ROOMY, "-roomy")
        stacked = self.screen.has_class("-morris")
        rows = in_rows if stacked and not self.has_class("-spread") else headed
        self.by_depth.reshape(slim if self.has_class("-slender") else rows)
        self._layers.stretched = stacked
        lists = self.query_one("#lists")
        if lists.children and (lists.children[0] is self._layers) is stacked:
            if stacked:
                lists.move_child(self._layers, after=self.rated)
            else:
                lists.move_child(self._layers, before=self.by_depth)
        high = self.board.high(self.size)
        self.query_one("#main").styles.min_height = high
        self.fit_below(self.size.height - high - 1, 4 if self.has_class("-small") else 3)


def _fen_row(text: str, label: str, width: int) -> TextRow:
    """The position as text, and the key that copies it."""
    shown, hint = f"{label}  {text}", f"c copy {label}" if width >= 100 else "c copy"
    fits = 1 + len(shown) + len(hint) + 2 < width
    return TextRow((TextSpan(shown, "faint", at=1), *((TextSpan(hint, "faint", end=-1),) if fits else ())))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An ending that is being built, and whether it is to be opened then."""

    game: str
    ending: str
    metric: str
    opened: bool


class ExploreScreen(BoardScreen):
    """Walk through the layers of an ending."""

    TASK = "explore"
    CSS_PATH = "explore.tcss"
    PANELS = (LayersPanel,)
    CRUMBS = ("2", "w", "g", "g")
    BINDINGS: ClassVar[list[BindingType]] = [
        Key(
            "escape", "view('back')", "Cancel; back to the board", id="explore.back", rank=1,
            words={"morris": "Cancel; back to the board"},
        ),
        Key("full_stop", "walk('play_best')", "Play the best move", id="explore.best", short="best", rank=1),
        Key("u", "walk('undo')", "Undo", id="explore.undo", short="undo", rank=1),
        Key("U", "walk('redo')", "Redo", id="explore.redo", short="redo", rank=3),
        Key(
            "left_square_bracket", "walk('step_layer', -1)", "Layer nearer to mate", id="explore.nearer",
            short="layer", rank=1, words={"morris": "Layer nearer to the end"},
        ),
        Key(
            "right_square_bracket", "walk('step_layer', 1)", "Layer farther from mate", id="explore.farther",
            short="layer", rank=1, words={"morris": "Layer farther from the end"},
        ),
        Key("n", "walk('step_position', 1)", "Next position in the layer", id="explore.next", short="next|position"),
        Key("p", "walk('step_position', -1)", "Previous position", id="explore.previous", short="next|position"),
        Key("r", "walk('randomly')", "Random position", id="explore.random", short="random", rank=3),
        Key("g", "ask('go_to')", "Go to a layer or position", id="explore.go-to", priority=True, typing=True),
        Key("slash", "ask('find')", "Find positions with a query", id="explore.find", short="find", rank=3,
            priority=True, typing=True),
        Key("z", "walk('turn_metric')", "Switch between DTM and DTZ",
            id="explore.metric", short="DTZ", games=CHESS),
        Key(
            "C", "ask('clock')", "Set the 50-move counter", id="explore.clock", games=CHESS, priority=True, typing=True
        ),
        Key("a", "autoplay", "Start or stop autoplay", id="explore.autoplay", short="auto", rank=3),
        Key("b", "view('panel', 'before')", "Show previous positions", id="explore.before", short="previous"),
        Key("t", "walk('turn_captures')", "Include captures", id="explore.captures", games=CHESS),
        Key("w", "walk('next_family')", "White wins, draws, Black wins",
            id="explore.family", short="wins", rank=3),
        Key("m", "view('panel', 'moves')", "Show all moves", id="explore.moves", short="moves", rank=1),
        Key("f", "flip", "Flip the board", id="explore.flip"),
        Key(
            "equals_sign", "leave('map')", "Map: one piece, all squares",
                id="explore.map", short="map", rank=3,
            games=CHESS + STONES, words={"morris": "Map: one stone, all points"},
        ),
        Key("c", "view('copy')", "Copy the FEN", id="explore.copy", words={"morris": "Copy the position"}),
        Key("s", "leave('play')", "Play from this position", id="explore.send", priority=True),
        Key("E", "leave('editor')", "Open the board editor", id="explore.edit", games=STONES),
        Key(
            "colon", "ask('type')", "Type a move, FEN, S12, KQvK", id="explore.type", short="type", priority=True,
            typing=True, words={"morris": "Type a move, S12 or 4-3"},
        ),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.add_class(f"-{self.game}")
        self.view = WalkView(self.board, id="walk")
        self.walk = _walk_of(self)
        """Where the user is."""
        self._walks = {self.game: self.walk}
        self.listed = lambda: self.walk.found
        self.looked_at = lambda: self.walk
        self._anew = True
        self._shown = False
        """Whether anything was shown before."""
        self._wanted: _Wanted | None = None
        self._autoplay = Repeated(self)

    def on_mount(self) -> None:
        """Opens what was asked for on the command line, or the first position."""
        first, self.host.first = self.host.first, None
        self.set_focus(self.home())
        self.view.greet(self.host.memory.is_new)
        self.receive(Request(text=first))

    @on(Pressed)
    def _read(self) -> None:
        """A newcomer has read what is told first."""
        self.view.greet(False)

    def body(self) -> ComposeResult:
        """The board and what stands around it."""
        yield self.view

    def home(self) -> Widget:
        """The board, or the panel that covers it."""
        return self.view.home()

    def game_changed(self) -> None:
        """Shows the walk through the game at hand; each game keeps its own."""
        if self.game not in self._walks:
            self._walks[self.game] = _walk_of(self)
        self.walk = self._walks[self.game]
        self.jobs.stop_search()
        super().game_changed()

    def show(self) -> None:
        """Shows the place the walk has come to; what takes longer to find out is shown when it is there."""
        walk, again = self.walk, partial(self.call_later, self.show)
        for name in games.NAMES:
            self.set_class(name == self.game, f"-{name}")
        if not walk.known.is_complete:
            walk.clerk.ask(walk.position, again)
        if walk.by_clock:  # which may be known only now
            walk.clerk.ask(walk.position, again, 4 * self.size.width // 5)
        self.view.show(walk, self._anew)
        self._anew = False
        self.host.memory.note([walk.rules.format(walk.position), walk.metric], "explore", walk.game)
        path, right = self.view.header()
        self.crumbs(*path, right=right)
        self.refresh_bindings()

    def label(self, key: Key) -> str:
        """On small screens panels are folded away; while a stone is to be taken, Esc leads back to another move."""
        narrow = self.has_class("-narrow")
        if key.action == "view('back')" and self.view.fold:
            return "board"
        if key.short in ("moves", "layer"):
            return "S" if narrow and key.short == "layer" else key.short if narrow or key.short == "layer" else ""
        if self.board.hand.is_taking:
            return {"view('back')": "other move", "choose": "take"}.get(key.action, super().label(key))
        return super().label(key)

    # Walking

    def done(self, step: Callable[[], object], opened: bool = False) -> object:
        """Does a step of the walk and shows where it led; what is missing is offered, and with ``opened`` opened then.

        Raises:
            EndgameError: It could not be done.
        """
        before = self.walk.step
        try:
            found = step()
        except NotBuiltError as problem:
            self.offer(problem.ending, self.walk.metric, opened)
            return None
        self._anew = self.walk.step is not before
        self.show()
        if self.walk.step is not before and (ending := self.walk.offered):
            self.offer(ending, self.walk.metric)
        return found

    def action_walk(self, step: str, *args: Any) -> None:
        """One step of the walk."""
        self._autoplay.stop()
        self.say()
        self.view.greet(False)
        try:
            found = self.done(partial(getattr(self.walk, step), *args))
        except EndgameError as problem:
            self.complain(problem)
            return
        if found is False:
            self.say(_NO_WAY[step])
        elif isinstance(found, str):
            if (problem := self.walk.known.fifty_problem) is not None and self.walk.metric == self.walk.metrics[0]:
                self.complain(problem)
            self.offer(found, self.walk.metrics[-1])

    @on(Picker.Chosen)
    def _chosen(self, event: Picker.Chosen) -> None:
        steps = {"layers": "to_row", "before": "to_previous", "moves": "play_listed", "rated": "play_listed"}
        if (step := steps.get(event.control.id or "")) is not None:
            self.action_walk(step, event.key)

    def move_made(self, move: Any) -> None:
        """Walks on."""
        self.action_walk("play", move)

    def touched(self) -> None:
        """Autoplay stops, and what was said goes; what may be taken may have changed."""
        self._autoplay.stop()
        super().touched()
        self.view.greet(False)
        self.view.show_choice()
        path, right = self.view.header()
        self.crumbs(*path, right=right)
        self.refresh_bindings()

    def promote(self, moves: Sequence[Any], best: Any = None) -> None:
        """Asks what the pawn becomes; the cursor begins at the best, the queen where they tie."""
        rated = {move.move: (move.grade, move.layer) for move in self.walk.known.listed_by_depth}
        first = next((move for move in rated if move in moves), None)
        super().promote(moves, next((move for move in moves if first and rated.get(move) == rated[first]), best))

    def worth(self, move: Any) -> tuple[tuple[TextSpan, ...], ...]:
        """The layer a promotion leads to, and what that means."""
        return words.promoted(self.walk.known, move)

    def action_view(self, name: str, *args: Any) -> None:
        """Something about what is shown: a panel, the way back to the board, a copy."""
        idle = name != "back" or self.board.hand.is_empty
        self.touched() if idle else self.say()
        if name == "back" and idle and self.board.has_focus and _stop_finding(self):
            return
        if said := getattr(self.view, name)(*args):
            self.say(said)

    def action_autoplay(self) -> None:
        """Starts to play the best moves one after the other, or stops."""
        was_on = self._autoplay.stop()
        self.touched()
        if was_on:
            self.say("autoplay stopped.")
            return
        if (ending := self.walk.offered) is not None:
            self.offer(ending, self.walk.metric)
            return

        def play_on() -> bool:
            goes_on, self._anew = self.walk.play_on(), True
            self.show()
            return goes_on

        self._autoplay.begin(self.host.settings[AUTOPLAY], play_on)

    # Typing

    def action_ask(self, what: str) -> None:
        """Asks for anything, for a place, or for the clock."""
        self.touched()
        walk = self.walk

        def typed(text: str) -> None:
            """Does it, in the other game where it is of that; asks what a typed move leaves open."""
            if (other := games.foreign_game(text, self.game)) is not None:
                self.app.call_later(self.host.open, self.TASK, Request(other, text))
                return
            self.say()
            if several := self.face.typed(walk.position, text):
                self.promote(several)
            elif not self.board.begin(text):
                self.done(partial(walk.typed, text), opened=True)

        if what == "clock":
            now = walk.known.clock
            hint = f"in plies, as in a FEN: 0 to {LAST_CLOCK}; now {now}"
            self.ask.text(FIFTY_MOVES, hint, lambda text: typed(f"clock {text}"))
        elif what == "find":
            _ask_query(self)
        elif what == "go_to":
            self.ask.text("Go to", "S12, 12/3, or the number of a position", typed)
        else:
            self.ask.text(":", words.may_be_typed(walk.rules), typed)

    # Other screens

    def receive(self, request: Request) -> None:
        """Opens what another screen or the command line asks for."""
        if self._shown and not request.asked:
            return
        walk, steps = self.walk, dict[str, Any]()
        if request.metric in walk.metrics:
            walk.metric = request.metric
        if request.position is not None:
            steps["go"] = request.position
        elif request.text:
            steps["typed" if self._shown else "begin"] = request.text
        self._anew, first, self._shown = True, not self._shown, True
        try:
            for step, what in steps.items():
                self.done(partial(getattr(walk, step), what), opened=first or request.text is not None)
        except EndgameError as problem:
            self.complain(problem)
        self.show()
        if first and not self.ask.is_open and (ending := walk.offered):
            self.offer(ending, walk.metric)

    def handover(self) -> Request:
        """The position, for who has nothing in hand."""
        return Request(self.game, position=self.walk.position, asked=False)

    def action_leave(self, where: str) -> None:
        """Sends the position to Play, sets up another one by hand, or shows the map of the man under the cursor."""
        self.touched()
        position = self.walk.position
        if where == "map":
            _show_map(self)
        elif where == "editor":
            from endgame_tui.screens.editor import EditorScreen

            self.app.push_screen(EditorScreen(position, self.TASK))
        else:
            to_play = partial(self.app.call_later, self.host.open, where, Request(self.game, position=position))
            self.ask.question("Send this position to", Choice("3", "Play", to_play))

    # Building

    def offer(self, ending: str, metric: str, opened: bool = False) -> None:
        """Asks whether to build an ending; when it was ``opened``, it is when it is there."""
        first, wanted = self.walk.metrics[0], _Wanted(self.game, ending, metric, opened)

        def build(keep_requested_only: bool) -> None:
            self.jobs.build([ending], metric, keep_requested_only=keep_requested_only)
            self._wanted = wanted

        cost = tables.price(self.lab.library(metric), [ending], self.jobs.workers)
        choices = build_choices(self, cost, build)
        other = next((m for m in self.walk.metrics if m != metric and self.lab.library(m).is_built(ending)), None)
        if other is not None and metric == first:
            show_by = partial(self.action_walk, "show_by", other, ending if opened else "")
            choices.append(Choice("z", other.upper(), show_by))
        other_metric = None if metric == first else metric
        self.ask.question(tables.offers([ending], other_metric, cost, self.ask.room(*choices)), *choices)

    def tables_changed(self) -> None:
        """Asks the tables anew; opens what was waited for."""
        for walk in self._walks.values():
            walk.forget()
        walk, wanted = self.walk, self._wanted
        if wanted is None or wanted.game != self.game or not self.lab.library(wanted.metric).is_built(wanted.ending):
            self.show()
            return
        self._wanted = None
        if wanted.metric == walk.metrics[0] and wanted.opened:
            self.action_walk("open", wanted.ending)
        elif wanted.metric != walk.metrics[0] and walk.ending == wanted.ending:
            self.action_walk("show_by", wanted.metric)
        else:
            self.show()

    def ended(self, event: Ended) -> None:
        """Says so."""
        self.say(event.words, "win")


def _walk_of(screen: ExploreScreen) -> Walk[Any, Any]:
    """A walk through the game at hand, from where the last one came to; from the first position where that is gone."""
    walk: Walk[Any, Any] = Walk(screen.lab, screen.game, screen.host.rng)
    if screen.host.first is None:
        text, metric, *_ = *screen.host.memory.texts("explore", walk.game), "", ""
        with suppress(EndgameError):
            walk.begin(text)
            walk.metric = metric if metric in walk.metrics else walk.metric
    return walk


def _show_map(screen: ExploreScreen) -> None:
    """Shows the map of a man, where a table tells it; else offers to build one."""
    from endgame_tui.screens.placing import PlacingScreen

    walk, board = screen.walk, screen.board

    def left(cursor: int | None) -> None:
        """Shows where the walk has come to meanwhile; nothing where something else was asked for."""
        if cursor is not None:
            screen.show()
            board.point_at(cursor)

    problem = walk.judge.quick_probe(walk.position).problem
    if isinstance(problem, NotBuiltError):
        screen.offer(problem.ending, walk.metrics[0])
    elif problem is not None:
        screen.complain(problem)
    else:
        screen.app.push_screen(PlacingScreen(walk, board.cursor), left)


def _ask_query(screen: ExploreScreen) -> None:
    """Asks for a query about the ending at hand, and shows the first position that is so; Tab tells earlier ones."""
    walk = screen.walk

    def told(words: str) -> None:
        if not screen.ask.is_open:  # what is wrong with what is typed stays in sight
            screen.say(words)

    def ended(found: Any) -> None:
        screen.jobs.stop_search()
        if isinstance(found, EndgameError):
            screen.complain(found)
            return
        if found.count:
            screen.done(partial(walk.take, found))
        screen.say(walked(found.count, found.query.ending))

    def asked(text: str) -> None:
        try:
            query = walk.asked(text)
        except NotBuiltError as problem:
            first, last = walk.metrics[0], walk.metrics[-1]
            screen.offer(problem.ending, last if screen.lab.library(first).is_built(problem.ending) else first)
            return
        screen.say(looking("looking at positions", 0.0))
        screen.jobs.find(query, told, ended)

    def earlier(text: str) -> list[str]:
        return [query for query in walk.queries if query.startswith(text)]

    screen.ask.text("/", "white wins and depth > 20 and only move", asked, complete=earlier)


def _stop_finding(screen: ExploreScreen) -> bool:
    """Stops a search, or leaves what was found; False where there is neither."""
    if screen.jobs.stop_search():
        screen.say("the search was stopped.")
    elif screen.walk.found:
        screen.walk.take()
        screen.show()
        screen.say("back in the layer: n and p go through that again.")
    else:
        return False
    return True
