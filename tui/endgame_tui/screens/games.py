"""Games: a collection graded wherever tables reach: a list to search and open, and what was found in all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.controls import instruct
from endgame_core.errors import BuildCancelledError, EndgameError
from endgame_core.practice.studies import StudyImport
from endgame_core.settings import PLAYER
from endgame_core.tasks.games import MY_GAMES, ORDERS, Games, Played, Slip
from endgame_core.words import games as words
from endgame_core.words.tables import asks_to_build, price
from endgame_core.words.text_model import TextRow, TextSpan, capital, wrapped
from endgame_tui.jobs import Ended
from endgame_tui.screens.base import OverScreen, Repeated, Request, beside
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.bars import NORMAL, WIDE, Key
from endgame_tui.widgets.charts import bar
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows

_BAR = 40

_LOOK = 0.1
"""Seconds between two looks at how far the reading has come."""

Settled = tuple[Games, EndgameError | None, StudyImport | None]
"""Games that were read, what was wrong with them, and the drills that were made."""


def _games(games: Games, listed: Sequence[Played], width: int) -> list[RowItem]:
    """The rows of games."""
    made = (partial(words.row, games, played, width >= NORMAL) for played in listed)
    rows = [RowItem(key=number, make_spans=each) for number, each in enumerate(made)]
    return rows or [RowItem((TextSpan("no game", "dim"),))]


def _figures(games: Games, width: int) -> list[RowItem]:
    """The rows of what was found in all games."""
    return [RowItem(note.left, note.right, key=key) for key, note in words.figures_of(games, width)]


class GamesScreen(OverScreen):
    """A collection of games.

    Args:
        files: Where they stand.
        found: What was read of them before; None reads them now.
        keep: Told what was read.
    """

    TASK = "play"
    CSS_PATH = "games.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key(
            "slash", "search", "Search the games", id="games.search", short="search", rank=1, priority=True, typing=True
        ),
        Key("v", "turn", "Games or statistics", id="games.turn", short="figures", rank=1),
        Key("z", "order", "Change the order", id="games.order", short="order"),
        Key("n", "name", "Enter your name in the games",
            id="games.name", short="your name", priority=True, typing=True),
        Key("d", "drill", "Practise your errors", id="games.drill", short="drill"),
        Key("b", "build", "Build the missing tables", id="games.build", short="build", rank=3, priority=True),
        Key("escape", "back", "All games; or back to Play", id="games.back", short="back", rank=1),
    ]  # fmt: skip

    def __init__(
        self, files: Sequence[Path], found: Games | None = None, keep: Callable[[Games], object] = lambda _: None
    ) -> None:
        super().__init__()
        self.strip.reserved = True
        self._files, self._games, self._keep = files, found, keep
        self._done: tuple[int, int] | None = None
        self._text, self._order = "", 0
        self._listed: list[Played] = []

    def body(self) -> ComposeResult:
        """The games; what was found; a few words about what the cursor is on."""
        with Horizontal(id="main"):
            yield Rows("Games", id="games", steady=True)
            yield Rows("Figures", id="figures", steady=True)
        yield Lines(id="about", indent=1)

    def home(self) -> Widget:
        """The list that is shown, or was chosen last."""
        return self.query_one("#figures" if self.has_class("figures") else "#games")

    def on_mount(self) -> None:
        """Reads the files."""
        if self._games is None:
            self._begin()

    # Reading

    def _begin(self) -> None:
        """Reads all files in a thread."""
        self._done = (0, 1)
        games = Games(self.lab, self.game, self.host.settings[PLAYER])
        beside(self, partial(self._read, games), self._over, "games", self._over)
        Repeated(self).begin(_LOOK, self._look)
        self.show()

    def _look(self) -> bool:
        """Shows how far the reading has come; False once it is over."""
        if self._done is not None:
            self._show_progress()
        return self._done is not None

    def _read(self, games: Games) -> Settled:
        """Runs in a thread, as long as somebody waits."""

        def tell(done: int, total: int) -> None:
            if not self.is_running:
                raise BuildCancelledError
            self._done = done, total

        games.read(self._files, tell)
        return self._settled(games)

    def _settled(self, games: Games) -> Settled:
        """Makes drills, where it is known whose; runs in a thread."""
        problem, drills = next(iter(games.problems), None), None
        try:
            games.check_me()
            drills = games.drill() if games.me else None
        except EndgameError as error:
            problem = problem or error
        return games, problem, drills

    def _over(self, found: Settled | EndgameError) -> None:
        """All was read, or why nothing was."""
        self._done = None
        if isinstance(found, EndgameError):
            self.show()
            self.complain(found)
            return
        games, problem, drills = found
        self._games = games
        self.show()
        self._keep(games)
        if problem is not None:
            self.complain(problem)
        else:
            drilled = "" if drills is None else words.drilled(drills)
            told = " ".join(filter(None, (capital(drilled), capital(words.failures(games)))))
            self.say(told, "loss" if games.failed else "win")
        if not games.me and games.total.moves:
            self.action_name()

    # What is shown

    def show(self) -> None:
        """Shows everything."""
        games, where = self._games, ("Play", "games", ", ".join(path.name for path in self._files))
        if games is None:
            self.crumbs(*where, named=False)
            self._show_progress()
            return
        self._listed = games.listed(self._text, self._order)
        told = words.listing(len(self._listed), len(games.played), self._text, ORDERS[self._order])
        listed = self._listed
        self.query_one("#games", Rows).show(lambda size: _games(games, listed, size.width), head=words.HEAD)
        self.query_one("#figures", Rows).show(lambda size: _figures(games, size.width))
        self.query_one(Lines).show(self._about)
        right = (told, "dim") if self.size.width >= WIDE else ("", "text")
        self.crumbs(*where, named=False, right=right)
        self.refresh_bindings()

    def _show_progress(self) -> None:
        """How far the reading has come."""
        done, total = self._done or (1, 1)
        full = bar(done / max(total, 1), _BAR, self.look.glyphs)
        row = RowItem(
            (TextSpan(f"{full} "), TextSpan(words.reading(done, total) if self._done else "nothing was read", "dim"))
        )
        for rows in self.query(Rows):
            rows.show([row])

    @property
    def _slip(self) -> tuple[Played, Slip] | None:
        """The error with the cursor."""
        key = self.query_one("#figures", Rows).cursor
        if self._games is None or not isinstance(key, tuple) or key[0] != "slip" or not self.has_class("figures"):
            return None
        return self._games.slips[key[1]]

    def _about(self, size: Size) -> list[TextRow]:
        """What the cursor is on."""
        games, at = self._games, self.query_one("#games", Rows).cursor
        if games is None:
            return []
        if (slip := self._slip) is not None:
            told = words.about_slip(games, *slip)
        elif self.has_class("figures") or not isinstance(at, int) or at >= len(self._listed):
            told = []
        else:
            told = [self._listed[at].title, *words.about(games, self._listed[at])]
        return [row for text in told for row in wrapped(text, size.width - 2, "text" if text is told[0] else "dim")]

    @on(Rows.Pointed)
    def _pointed(self, event: Rows.Pointed) -> None:
        if event.entered:
            self.set_class(event.control.id == "figures", "figures")
            self.refresh_bindings()
        elif self._done is None:
            self.say()
        self.query_one(Lines).redraw()

    def tables_changed(self) -> None:
        """More can be graded."""
        if self._games is not None and self._games.missing and self._done is None:
            self._games = None
            self._begin()

    def ended(self, event: Ended) -> None:
        """Says that a build has ended well."""
        if self.jobs.job is None:
            self.say(event.words, "win")

    def label(self, key: Key) -> str:
        """What keys do here."""
        if key.action == "choose":
            at = self.query_one("#figures", Rows).cursor if self.has_class("figures") else 0
            kind = at[0] if isinstance(at, tuple) else "slip" if isinstance(at, int) else ""
            return {"slip": "open", "build": "build", "ending": "its games", "date": "its games"}.get(kind, "")
        turn = "games" if self.has_class("figures") else "figures"
        return {"game": "", "turn": turn}.get(key.action, super().label(key))

    # Keys

    @on(Rows.Chosen)
    def _chosen(self, event: Rows.Chosen) -> None:
        games, key = self._games, event.key
        if games is None:
            return
        if isinstance(key, int):
            played = self._listed[key]
            if not played.has_moves:
                self.complain(EndgameError(played.problem))
                return
            side = games.side(played)
            first = next((s.ply for s in played.slips if s.halves and s.mover in games.sides(played)), 0)
            begins = played.stretches[0].ply if played.stretches else 1
            self.dismiss((played, side, (first or begins) - 1))
        elif key[0] == "slip":
            played, slip = games.slips[key[1]]
            self.dismiss((played, slip.mover, slip.ply - 1))
        elif key[0] == "build":
            self._ask_to_build([key[1]])
        else:
            self._search(key[1])
            self.action_turn()

    def action_turn(self) -> None:
        """Goes to the other list."""
        self.toggle_class("figures")
        self.set_focus(self.home())
        self.show()

    def action_order(self) -> None:
        """Lists the games in another order."""
        self._order = (self._order + 1) % len(ORDERS)
        self.show()
        self.say(f"the games are listed {ORDERS[self._order]}.")

    def _search(self, text: str) -> None:
        self._text = text
        self.show()

    def action_search(self) -> None:
        """Asks for words that a game has to have."""
        self.remove_class("figures")
        self.last_row.prompt(
            "/", "players, an event, a date, an ending", self._search, self._text, on_change=self._search
        )

    def action_name(self) -> None:
        """Asks for the name of the user in these games, once."""
        games = self._games
        if games is None:
            return

        def named(name: str) -> None:
            games.me, before = name, games.me
            try:
                games.check_me()
            except EndgameError:
                games.me = before
                raise
            try:
                self.host.settings.put(PLAYER, name)
            except EndgameError as problem:  # it counts for this run
                self.complain(problem)
            self.show()
            beside(self, partial(self._settled, games), self._over, "drills")

        hint = "as the games have it" if games.me else "as the games have it; Esc: both sides"
        self.last_row.prompt("Your name", hint, named, games.me or games.often)

    async def action_drill(self) -> None:
        """Goes on with the drills that were made of errors."""
        if not any(found.name == MY_GAMES for found in self.lab.studies(self.game).own()):
            self.say(instruct(words.NO_DRILLS))
            return
        host = self.host
        self.dismiss(None)
        await host.open("practise", Request(self.game, f"set {MY_GAMES}"))

    def action_build(self) -> None:
        """Asks whether to build all that is missing."""
        missing = [] if self._games is None else [found.ending for found in self._games.missing]
        if missing:
            self._ask_to_build(missing)
        else:
            self.say(words.NOTHING_TO_BUILD)

    def _ask_to_build(self, endings: Sequence[str]) -> None:
        library = self.lab.explorer_of(self.game).library
        asks = asks_to_build(price(library, endings), library.free_bytes())
        build = Choice("enter", "build", lambda: self.jobs.build(endings, library.game.metric))
        self.last_row.ask(asks, build)

    def action_back(self) -> None:
        """All games again; then back to Play."""
        if self._text:
            self._search("")
        else:
            self.dismiss()
