"""About an ending: how often it is won, how deep, its mutual zugzwangs, and the deepest positions of some kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.errors import EndgameError
from endgame_core.tables.survey import About
from endgame_core.values import WINNERS
from endgame_core.words import about as words
from endgame_core.words.told import Note, Word, grouped, wrapped
from endgame_tui.jobs import Ended
from endgame_tui.screens.base import BaseScreen, Request
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.charts import silhouette
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import Item, Rows

_COLUMNS = (19, 27, 35)
"""Right ends of the shares of wins, draws and losses."""


class AboutScreen(BaseScreen):
    """One ending as a whole.

    Args:
        ending: A built ending of the game at hand.
    """

    TASK = "library"
    CSS_PATH = "about.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("a", "look", "Look at all moves", id="about.look", short="look at moves", rank=1),
        Key("n", "next", "Next kind of positions", id="about.next", short="next kind"),
        Key("escape", "back", "Back to the Library", id="about.back", short="back", rank=1),
    ]

    def __init__(self, ending: str) -> None:
        super().__init__()
        self._ending = ending
        self._about: About | None = None
        self._positions: dict[tuple[str, int], Callable[[], Any]] = {}
        self._kinds: list[tuple[str, int]] = []

    def body(self) -> ComposeResult:
        """Figures, and positions one can open."""
        with Horizontal(id="main"):
            yield Lines(id="facts")
            yield Rows("Positions", id="places", steady=True)

    def home(self) -> Widget:
        """The positions have the focus."""
        return self.query_one(Rows)

    def game_changed(self) -> None:
        """An ending of one game is none of another."""
        self.dismiss()

    def tables_changed(self) -> None:
        """Reads anew what there is."""
        self._read()
        self.show()

    def ended(self, event: Ended) -> None:
        """Says that all moves have been looked at."""
        self.say(event.words, "win")

    def on_mount(self) -> None:
        """Reads what is known."""
        self._read()
        self.show()
        self.set_focus(self.home())

    def _read(self) -> None:
        library = self.lab.explorer_of(self.game).library
        try:
            self._about = About(library, self._ending, self.lab.library("dtz") if self.game == "chess" else None)
            self._positions = dict(self._found(self._about))
        except EndgameError as problem:
            self._about, self._positions = None, {}
            self.complain(problem)

    def _found(self, about: About) -> Iterator[tuple[tuple[str, int], Callable[[], Any]]]:
        """Positions that can be opened, by kind and number; those of a kind one after the other."""
        for side in about.depths:
            yield from (((f"longest {side}", n), lambda one=one: one) for n, one in enumerate(about.longest(side)))
        survey = about.survey
        if survey is None:
            return
        for one in survey.found:
            yield (f"deepest {one.kind} {one.side}", 0), partial(about.deepest, one)
        for kind, slots in survey.zugzwangs.items():
            yield from (((f"zugzwang {kind}", n), partial(about.zugzwang, kind, slot)) for n, slot in enumerate(slots))

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.crumbs("Library", "about", self._ending, named=False)
        self.query_one("#facts", Lines).show(self._facts)
        self.query_one(Rows).show(self._rows())

    def _facts(self, size: Size) -> list[Note]:
        """How often the ending is won, and how deep."""
        about, width = self._about, size.width
        if about is None:
            return []
        rows = [*wrapped(about.game.title(self._ending), width, "dim")[:2]]
        for over, by_side in words.results(about):
            heads = (Word(head, "dim", end=end) for head, end in zip(words.RESULTS, _COLUMNS, strict=True))
            rows += (
                [Note(), Note((Word(over, bold=True), *heads))] if size.height > 16 else [Note((Word(over), *heads))]
            )
            for side, shares in by_side:
                told = (
                    Word(share, role, end=end)
                    for share, role, end in zip(shares, ("win", "draw", "loss"), _COLUMNS, strict=True)
                )
                rows.append(Note((Word(f"{words.name(side)} moves", "dim"), *told)))
        for side, found in about.depths.items():
            chart = silhouette(words.heights(found, width), min(width, found.longest + 1), self.look.glyphs)
            figures = [(Word(f"{label} ", "dim"), Word(f"{figure} ")) for label, figure in words.facts_of(found)]
            title = Note((Word(f"{words.name(side)} wins", bold=True),), (Word("plies to the end", "faint"),))
            rows += [
                *([Note()] if size.height > 16 else []),
                title,
                Note((Word(chart, "winner_bar"),)),
                Note(tuple(chain(*figures))),
            ]
        if about.cursed:
            rows += [Note(), *wrapped(words.cursed(about.cursed), width, "dim")]
        return rows

    def _rows(self) -> list[Item]:
        """The positions, by kind."""
        about, survey = self._about, None if self._about is None else self._about.survey
        rows: list[Item] = []
        self._kinds = []
        if about is None:
            return rows

        def put(kind: str, words_: tuple[Word, ...], right: str, item: Callable[[int], tuple[Word, ...]]) -> None:
            keys = [key for key in self._positions if key[0] == kind]
            rows.extend([Item(words_, (Word(right, "faint"),), sticky=True)] if words_ else [])
            self._kinds += keys[:1] if words_ else []
            rows.extend(Item(key=key, words=partial(item, number)) for number, key in enumerate(keys))

        for side, depths in about.depths.items():
            title = Word(f"{words.name(side)}'s longest wins", bold=True, at=1)
            put(f"longest {side}", (title,), f"S{depths.longest}", partial(self._place, f"longest {side}"))
        if survey is None:
            rows += [Item(), Item((Word("a looks at all moves, and finds", "dim", at=1),))]
            return [*rows, Item((Word("zugzwangs, only moves and more.", "dim", at=1),))]
        if survey.found:
            rows.append(Item((Word("Deepest positions", bold=True, at=1),), (Word("how many", "faint"),), sticky=True))
            self._kinds.append((f"deepest {survey.found[0].kind} {survey.found[0].side}", 0))
        for _, both in words.kinds(survey.found):
            for one in both:
                told = Word(f"{words.name(WINNERS[one.side])[0]} {words.KINDS[one.kind]}", at=1)
                count = Word(f" {grouped(one.count)}", "dim")
                rows.append(Item((told,), (count,), key=(f"deepest {one.kind} {one.side}", 0)))
        for kind, slots in survey.zugzwangs.items():
            if slots or kind != "black":
                title = Word(f"Zugzwang: {words.SHORT[kind]}", bold=True, at=1)
                put(f"zugzwang {kind}", (title,), grouped(len(slots)), partial(self._place, f"zugzwang {kind}"))
        return rows

    def _place(self, kind: str, number: int) -> tuple[Word, ...]:
        """A position, as text."""
        assert self._about is not None
        game = self._about.game
        text = game.notations.get("short", game.format)(self._positions[kind, number]())
        return (Word(text, at=1),)

    def label(self, key: Key) -> str:
        """What Enter does; there is one game here, and moves are looked at once."""
        looked = self._about is None or self._about.survey is not None
        return {"choose": "open it", "game": "", **({"look": ""} if looked else {})}.get(key.action, super().label(key))

    # Keys

    @on(Rows.Chosen, "#places")
    async def _chosen(self, event: Rows.Chosen) -> None:
        self.say()
        metric = self.lab.explorer_of(self.game).game.metric
        await self.host.open("explore", Request(self.game, position=self._positions[event.key](), metric=metric))

    def action_look(self) -> None:
        """Looks at the moves of all positions, in a process of its own."""
        if self._about is None or self._about.survey is not None:
            self.say("all moves of this ending have been looked at.")
            return
        self.say()
        try:
            self.jobs.build([self._ending], self._about.game.metric, about=True)
        except EndgameError as problem:
            self.complain(problem)

    def action_next(self) -> None:
        """Goes to the first position of the next kind, round and round."""
        places = self.query_one(Rows)
        keys = places.keys
        at = keys.index(places.cursor) if places.cursor in keys else 0
        later = [kind for kind in self._kinds if keys.index(kind) > at]
        if self._kinds:
            places.point((later or self._kinds)[0])

    def action_back(self) -> None:
        """Goes back to the Library."""
        self.dismiss()
