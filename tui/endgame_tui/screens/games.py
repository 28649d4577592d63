"""Games: the games of PGN files, graded wherever there are tables; a list to search, and statistics of all of them."""

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
from endgame_core.language import _
from endgame_core.practice.studies import MY_GAMES, StudyImport
from endgame_core.settings import PLAYER
from endgame_core.tasks.game_collection import ORDERS, GameCollection
from endgame_core.tasks.game_grading import GradedGame, Slip
from endgame_core.words import games as words
from endgame_core.words.tables import asks_to_build, price
from endgame_core.words.text_model import TextRow, TextSpan, capital, wrapped
from endgame_tui.jobs import Ended
from endgame_tui.keys import BUILD_SET, CHOOSE, DRILL, FIND, LEAVE, Key
from endgame_tui.screens.base import OverScreen, Request, StepTimer
from endgame_tui.widgets.ask import Choice
from endgame_tui.widgets.charts import bar
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows
from endgame_tui.widths import MEDIUM, WIDE

_BAR = 40
"""Cells of the progress bar."""

_POLL = 0.1
"""Seconds between two updates of the progress."""

ReadResult = tuple[GameCollection, EndgameError | None, StudyImport | None]
"""The games, the first problem with them, and the drills made of the user's errors."""


def _game_rows(games: GameCollection, listed: Sequence[GradedGame], width: int) -> list[RowItem]:
    if not listed:
        return [RowItem((TextSpan(_("no games"), "dim"),))]
    return [
        RowItem(key=number, make_spans=partial(words.row, games, played, width >= MEDIUM))
        for number, played in enumerate(listed)
    ]


def _figure_rows(games: GameCollection, width: int) -> list[RowItem]:
    return [RowItem(row.left, row.right, key=key) for key, row in words.figures_of(games, width)]


class GamesScreen(OverScreen):
    """The games of some files.

    It closes with the game to open, the user's side in it and the ply to begin at; with None when it is left.

    Args:
        files: The files.
        games: The games, if they were read before; None to read them now.
        keep: Called with the games once they are read, to pass them as ``games`` the next time.
    """

    TASK = "play"
    CSS_PATH = "games.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        FIND.adapted(_("Search the games"), short=_("search"), rank=1),
        Key("v", "statistics", _("Games or statistics"), short=_("stats"), rank=1),
        Key("z", "order", _("Change the order"), short=_("order")),
        Key("n", "name", _("Enter your name"), short=_("your name"), priority=True, typing=True),
        DRILL.adapted(_("Practise your errors")),
        BUILD_SET.adapted(short=_("build"), rank=3),
        LEAVE.adapted(_("All games; or back to Play"), short=_("back")),
    ]

    def __init__(
        self,
        files: Sequence[Path],
        games: GameCollection | None = None,
        keep: Callable[[GameCollection], object] = lambda __: None,
    ) -> None:
        super().__init__()
        self.strip.reserved = True
        self._files = files
        self._games = games
        self._keep = keep
        self._progress: tuple[int, int] | None = None
        """Characters that are read, and all there are; None while nothing is being read."""
        self._text = ""
        """The search text."""
        self._order = 0
        """Number of the order in ``ORDERS``."""
        self._listed: list[GradedGame] = []
        """The games that match the search, in this order."""

    def body(self) -> ComposeResult:
        """Yield the list of games, the statistics, and rows about the item under the cursor."""
        with Horizontal(id="main"):
            yield Rows(_("Games"), id="games", steady=True)
            yield Rows(_("Statistics"), id="figures", steady=True)
        yield Lines(id="about", indent=1)

    def home(self) -> Widget:
        """The list that is shown, or had the focus last."""
        if self.has_class("figures"):
            return self.query_one("#figures")
        return self.query_one("#games")

    def on_mount(self) -> None:
        """Read the files."""
        if self._games is None:
            self._begin()

    # Reading

    def _begin(self) -> None:
        """Start to read all files in a thread."""
        # 0 of 1: the total is not known before the files are opened.
        self._progress = (0, 1)
        games = GameCollection(self.lab, self.game, self.host.settings[PLAYER])
        self.run_in_thread(partial(self._read, games), self._read_ended, "games", self._read_ended)
        # The thread only writes the tuple _progress; the timer reads and shows it.
        StepTimer(self).begin(_POLL, self._poll)
        self.show()

    def _poll(self) -> bool:
        """Show how much is read; return False once the reading has ended."""
        if self._progress is not None:
            self._show_progress()
        return self._progress is not None

    def _read(self, games: GameCollection) -> ReadResult:
        """Read the files, in a thread; cancelled when the screen is closed."""

        def report(characters: int, total: int) -> None:
            # Called often by the reader, so that this ends it soon after the screen is closed.
            if not self.is_running:
                raise BuildCancelledError
            self._progress = (characters, total)

        games.read(self._files, report)
        return self._make_drills(games)

    def _make_drills(self, games: GameCollection) -> ReadResult:
        """Make drills of the user's errors if their name is known; runs in a thread."""
        problem = next(iter(games.problems), None)
        drills = None
        try:
            games.check_player()
            if games.player:
                drills = games.make_drills()
        except EndgameError as error:
            problem = problem or error
        return games, problem, drills

    def _read_ended(self, result: ReadResult | EndgameError) -> None:
        """Show the games, or the error that ended the reading."""
        self._progress = None
        if isinstance(result, EndgameError):
            self.show()
            self.complain(result)
            return
        games, problem, drills = result
        self._games = games
        self.show()
        self._keep(games)
        if problem is not None:
            self.complain(problem)
        else:
            drilled = ""
            if drills is not None:
                drilled = words.drilled(drills)
            sentences = (capital(drilled), capital(words.failures(games)))
            role = "loss" if games.unreadable else "win"
            self.say(" ".join(filter(None, sentences)), role)
        if not games.player and games.total.moves:
            self.action_name()

    # What is shown

    def show(self) -> None:
        """Update everything on the screen."""
        games = self._games
        path = (_("Play"), _("games"), ", ".join(file.name for file in self._files))
        if games is None:
            self.crumbs(*path, named=False)
            self._show_progress()
            return

        listed = games.search(self._text, self._order)
        self._listed = listed
        self.query_one("#games", Rows).show(lambda size: _game_rows(games, listed, size.width), head=words.HEAD)
        self.query_one("#figures", Rows).show(lambda size: _figure_rows(games, size.width))
        self.query_one(Lines).show(self._detail)
        right = ("", "text")
        if self.size.width >= WIDE:
            right = (words.listing(len(listed), len(games.games), self._text, ORDERS[self._order]), "dim")
        self.crumbs(*path, named=False, right=right)
        self.refresh_bindings()

    def _show_progress(self) -> None:
        """Show how much of the files is read, in place of the lists."""
        characters, total = self._progress or (1, 1)
        if self._progress:
            text = words.reading(characters, total)
        else:
            text = _("nothing was read")
        progress_bar = bar(characters / max(total, 1), _BAR, self.look.glyphs)
        row = RowItem((TextSpan(f"{progress_bar} "), TextSpan(text, "dim")))
        for rows in self.query(Rows):
            rows.show([row])

    @property
    def _error_at_cursor(self) -> tuple[GradedGame, Slip] | None:
        """The error under the cursor of the statistics, and its game."""
        if self._games is None or not self.has_class("figures"):
            return None
        key = self.query_one("#figures", Rows).cursor
        if not isinstance(key, tuple) or key[0] != "slip":
            return None
        return self._games.slips[key[1]]

    def _detail(self, size: Size) -> list[TextRow]:
        """Rows about the game or error under the cursor; the first paragraph is its title."""
        games = self._games
        if games is None:
            return []
        number = self.query_one("#games", Rows).cursor
        error = self._error_at_cursor
        if error is not None:
            paragraphs = words.about_slip(games, *error)
        elif self.has_class("figures") or not isinstance(number, int) or number >= len(self._listed):
            paragraphs = []
        else:
            played = self._listed[number]
            paragraphs = [played.title, *words.game_sentences(games, played)]
        rows: list[TextRow] = []
        for number, text in enumerate(paragraphs):
            role = "dim" if number else "text"
            rows += wrapped(text, size.width - 2, role)
        return rows

    @on(Rows.Pointed)
    def _pointed(self, event: Rows.Pointed) -> None:
        if event.entered:
            # With room for both lists, Tab moves between them: the class follows the focus.
            self.set_class(event.control.id == "figures", "figures")
            self.refresh_bindings()
        elif self._progress is None:
            self.say()
        self.query_one(Lines).redraw()

    def tables_changed(self) -> None:
        """Grade the games again if there were endings without tables."""
        if self._games is not None and self._games.missing and self._progress is None:
            self._games = None
            self._begin()

    def build_finished(self, event: Ended) -> None:
        """Report a build that succeeded, unless the next one has started."""
        if self.jobs.job is None:
            self.say(event.words, "win")

    def label(self, key: Key) -> str:
        """Name of a key in the last row; of Enter, what it does at the cursor."""
        has_figures = self.has_class("figures")
        if key.id == CHOOSE.id:
            cursor = 0
            if has_figures:
                cursor = self.query_one("#figures", Rows).cursor
            # Games have numbers as keys, statistics a kind and a value. Enter opens games as it opens errors.
            kind = ""
            if isinstance(cursor, int):
                kind = "slip"
            elif isinstance(cursor, tuple):
                kind = cursor[0]
            effects = {"slip": _("open"), "build": _("build"), "ending": _("its games"), "date": _("its games")}
            return effects.get(kind, "")
        labels = {"game": "", "statistics": _("games") if has_figures else _("stats")}
        return labels.get(key.action_id, super().label(key))

    # Keys

    @on(Rows.Chosen)
    def _chosen(self, event: Rows.Chosen) -> None:
        games = self._games
        key = event.key
        if games is None:
            return
        if isinstance(key, int):
            self._open_game(games, self._listed[key])
        elif key[0] == "slip":
            played, slip = games.slips[key[1]]
            # The position before the error, where the user can look for the better move.
            self.dismiss((played, slip.mover, slip.ply - 1))
        elif key[0] == "build":
            self._ask_to_build([key[1]])
        else:
            self._search(key[1])
            self.action_statistics()

    def _open_game(self, games: GameCollection, played: GradedGame) -> None:
        """Open a game at the first error of the user, at its first graded position, or at its start."""
        if not played.has_moves:
            self.complain(EndgameError(played.problem))
            return
        counted_sides = games.counted_sides(played)
        error_plies = (slip.ply for slip in played.slips if slip.half_points and slip.mover in counted_sides)
        first_graded = 1
        if played.phases:
            first_graded = played.phases[0].ply
        ply = next(error_plies, first_graded)
        self.dismiss((played, games.side_of_player(played), ply - 1))

    def action_statistics(self) -> None:
        """Switch between the games and the statistics."""
        self.toggle_class("figures")
        self.set_focus(self.home())
        self.show()

    def action_order(self) -> None:
        """List the games in the next order."""
        self._order = (self._order + 1) % len(ORDERS)
        self.show()
        self.say(_("the games are listed {orders}.").format(orders=ORDERS[self._order]))

    def _search(self, text: str) -> None:
        self._text = text
        self.show()

    def action_find(self) -> None:
        """Ask for words that a game must contain; the list follows while they are typed."""
        self.remove_class("figures")
        self.last_row.prompt(
            "/", _("players, an event, a date, an ending"), self._search, self._text, on_change=self._search
        )

    def action_name(self) -> None:
        """Ask for the user's name in these games, and store it in the settings."""
        games = self._games
        if games is None:
            return

        def set_name(name: str) -> None:
            previous = games.player
            games.player = name
            try:
                games.check_player()
            except EndgameError:
                # The prompt stays open with the error; Escape must leave the games as they were.
                games.player = previous
                raise
            try:
                self.host.settings.put(PLAYER, name)
            except EndgameError as problem:  # the name is not stored, but used until the app quits
                self.complain(problem)
            self.show()
            self.run_in_thread(partial(self._make_drills, games), self._read_ended, "drills")

        if games.player:
            hint = _("as in the PGN")
        else:
            hint = instruct(_("as in the PGN; {cancel_prompt}: both players"))
        self.last_row.prompt(_("Your name"), hint, set_name, games.player or games.likely_player)

    async def action_drill(self) -> None:
        """Practise the drills made of the user's errors."""
        if not any(study_set.name == MY_GAMES for study_set in self.lab.studies(self.game).own()):
            self.say(instruct(words.NO_DRILLS))
            return
        host = self.host
        self.dismiss(None)
        await host.open("practise", Request(self.game, f"set {MY_GAMES}"))

    def action_build_set(self) -> None:
        """Ask whether to build all tables that the games require."""
        endings = []
        if self._games is not None:
            endings = [missing.ending for missing in self._games.missing]
        if endings:
            self._ask_to_build(endings)
        else:
            self.say(words.NOTHING_TO_BUILD)

    def _ask_to_build(self, endings: Sequence[str]) -> None:
        library = self.lab.explorer_of(self.game).library
        question = asks_to_build(price(library, endings), library.disk.free_bytes())
        build = Choice("enter", _("build"), lambda: self.jobs.build(endings, library.game.metric))
        self.last_row.ask(question, build)

    def action_leave(self) -> None:
        """Show all games again after a search; else close the screen."""
        if self._text:
            self._search("")
        else:
            self.dismiss()
