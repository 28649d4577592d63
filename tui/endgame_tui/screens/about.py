"""About an ending: how often it is won, how deep, its mutual zugzwangs, and the deepest positions of some kinds."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size

from endgame_core.errors import EndgameError
from endgame_core.paths import new_file, write_text
from endgame_core.practice.studies import MOST_AT_ONCE
from endgame_core.tables.survey import EndingProfile, PositionGroup
from endgame_core.words import about as words
from endgame_core.words.text_model import TextRow, TextSpan, wrapped
from endgame_tui.jobs import Ended
from endgame_tui.screens.base import OverScreen, Request
from endgame_tui.widgets.bars import Key
from endgame_tui.widgets.charts import silhouette
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

_COLUMNS = (19, 27, 35)
"""Right ends of the shares of wins, draws and losses."""


class AboutScreen(OverScreen):
    """One ending as a whole.

    Args:
        ending: A built ending of the game at hand.
    """

    TASK = "library"
    CSS_PATH = "about.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("a", "look", "Examine all moves", id="about.look", short="all moves", rank=1),
        Key("d", "drill", "Practise these positions", id="about.drill", short="drill", rank=1),
        Key("o", "write", "Save the positions to a file", id="about.write", short="file", rank=2),
        Key("n", "next", "Next list of positions", id="about.next", short="next kind", rank=2),
        Key("escape", "back", "Back to the Library", id="about.back", short="back", rank=1),
    ]

    def __init__(self, ending: str) -> None:
        super().__init__()
        self._ending = ending
        self._about: EndingProfile | None = None
        self._groups: list[PositionGroup] = []

    def body(self) -> ComposeResult:
        """Figures, and positions one can open."""
        with Horizontal(id="main"):
            yield Lines(id="facts")
            yield Rows("Positions", id="places", steady=True)

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

    def _read(self) -> None:
        library = self.lab.explorer_of(self.game).library
        try:
            self._about = EndingProfile(
                library, self._ending, self.lab.library("dtz") if self.game == "chess" else None
            )
            self._groups = [*self._about.groups]
        except EndgameError as problem:
            self._about, self._groups = None, []
            self.complain(problem)

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        self.crumbs("Library", "about", self._ending, named=False)
        self.query_one("#facts", Lines).show(self._facts)
        self.query_one(Rows).show(self._rows())
        self.refresh_bindings()

    def _facts(self, size: Size) -> list[TextRow]:
        """How often the ending is won, and how deep."""
        about, width = self._about, size.width
        if about is None:
            return []
        rows = [*wrapped(about.game.title(self._ending), width, "dim")[:2]]
        for over, by_side in words.results(about):
            heads = (TextSpan(head, "dim", end=end) for head, end in zip(words.RESULTS, _COLUMNS, strict=True))
            rows += (
                [TextRow(), TextRow((TextSpan(over, bold=True), *heads))]
                if size.height > 16
                else [TextRow((TextSpan(over), *heads))]
            )
            for side, shares in by_side:
                told = (
                    TextSpan(share, role, end=end)
                    for share, role, end in zip(shares, ("win", "draw", "loss"), _COLUMNS, strict=True)
                )
                rows.append(TextRow((TextSpan(f"{side.capitalize()} moves", "dim"), *told)))
        for side, result in about.depths.items():
            chart = silhouette(words.heights(result, width), min(width, result.deepest + 1), self.look.glyphs)
            figures = [
                (TextSpan(f"{label} ", "dim"), TextSpan(f"{figure} ")) for label, figure in words.facts_of(result)
            ]
            title = TextRow(
                (TextSpan(f"{side.capitalize()} wins", bold=True),), (TextSpan("plies to the end", "faint"),)
            )
            rows += [
                *([TextRow()] if size.height > 16 else []),
                title,
                TextRow((TextSpan(chart, "winner_bar"),)),
                TextRow(tuple(chain(*figures))),
            ]
        if about.cursed:
            rows += [TextRow(), *wrapped(words.cursed(about.cursed), width, "dim")]
        return rows

    def _rows(self) -> list[RowItem]:
        """The positions, group by group; each is known by the numbers of its group and in it."""
        about = self._about
        rows: list[RowItem] = []
        if about is None:
            return rows
        for number, group in enumerate(self._groups):
            if group.positions or group.kind != "black":
                title, right = (
                    TextSpan(words.heading(group), bold=True, at=1),
                    TextSpan(words.extent(about, group), "faint"),
                )
                rows.append(RowItem((title,), (right,), sticky=True))
            rows += [self._row(about, number, n) for n in range(len(group.positions))]
        if about.survey is None:
            rows += [RowItem(), *(RowItem((TextSpan(line, "dim", at=1),)) for line in words.not_looked(about))]
        return rows

    def _row(self, about: EndingProfile, number: int, n: int) -> RowItem:
        """One position: as text, or of what kind it is the deepest."""
        group = self._groups[number]
        if group.name == "deepest" and about.survey is not None:
            kind, how_many = words.deepest(about.survey.found[n])
            return RowItem((TextSpan(kind, at=1),), (TextSpan(f" {how_many}", "dim"),), key=(number, n))
        text = about.game.formats.get("short", about.game.format)
        return RowItem(key=(number, n), words=lambda: (TextSpan(text(group.positions[n].position), at=1),))

    def label(self, key: Key) -> str:
        """What Enter does; there is one game here, and moves are looked at once."""
        looked = self._about is None or self._about.survey is not None
        return {"choose": "open it", "game": "", **({"look": ""} if looked else {})}.get(key.action, super().label(key))

    # Keys

    @on(Rows.Chosen, "#places")
    async def _chosen(self, event: Rows.Chosen) -> None:
        self.say()
        number, n = event.key
        metric = self.lab.explorer_of(self.game).game.metric
        position = self._groups[number].positions[n].position
        await self.host.open("explore", Request(self.game, position=position, metric=metric))

    def _group(self) -> tuple[EndingProfile, PositionGroup]:
        """The group with the cursor; raises EndgameError where there is none."""
        about, cursor = self._about, self.query_one(Rows).cursor
        if about is None or cursor is None:
            raise EndgameError("there are no positions here", "choose another ending in the Library")
        return about, self._groups[cursor[0]]

    async def action_drill(self) -> None:
        """Puts the positions of a group into a set of the user, of too many some, and begins a sitting of them."""
        about, group = self._group()
        positions, name = group.positions, f"{self._ending}: {words.heading(group)}"
        chosen = sorted(self.host.rng.sample(range(len(positions)), min(MOST_AT_ONCE, len(positions))))
        records = [replace(words.record(about, positions[n]), name="") for n in chosen]  # each has a number there
        self.lab.studies(self.game).import_records(records, name)
        await self.host.open("practise", Request(self.game, text=f"set {name}"))

    def action_write(self) -> None:
        """Asks for a file, and writes the positions of a group into it."""

        def write(text: str) -> None:
            file = new_file(self.lab.file(text).absolute(), then="type another name")
            records = [words.record(about, shown) for shown in group.positions]
            line, plain = about.game.file_notation.write_line, file.suffix == ".fen"
            write_text(file, ((one.position if plain else line(one)) + "\n" for one in records))
            self.say(words.written(len(records), file), "win")

        self.say()
        about, group = self._group()
        self.ask.text("Write to", words.FILES, write, f"{self._ending}{about.game.file_notation.suffix}")

    def action_look(self) -> None:
        """Looks at the moves of all positions, in a process of its own."""
        if self._about is None or self._about.survey is not None:
            self.say("all moves of this ending are already examined.")
            return
        begun = self.jobs.build([self._ending], self._about.game.metric, about=True)
        job = self.jobs.job
        if not begun and job is not None and not (job.wish.about and self._ending in job.wish.endings):
            self.say("that waits until what is built now is done.")
        else:
            self.say()

    def action_next(self) -> None:
        """Goes to the first position of the next group, round and round."""
        places = self.query_one(Rows)
        full = [number for number, group in enumerate(self._groups) if group.positions]
        if len(full) == 1:
            self.say("there is no other kind of positions here.")
        elif full:
            places.point((next((number for number in full if number > places.cursor[0]), full[0]), 0))
