"""Statistics of an ending: results, depths, mutual zugzwangs, and the deepest positions of several kinds."""

from __future__ import annotations

from dataclasses import replace
from textwrap import wrap
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size

from endgame_core.errors import EndgameError
from endgame_core.language import _, side_name
from endgame_core.paths import new_file, write_text
from endgame_core.practice.studies import MOST_AT_ONCE
from endgame_core.tables.survey import Depths, EndingProfile, PositionGroup
from endgame_core.words import about as words
from endgame_core.words.text_model import TextRow, TextSpan, wrapped
from endgame_tui.jobs import Ended
from endgame_tui.keys import DRILL, LEAVE, Key
from endgame_tui.look import Glyphs
from endgame_tui.screens.base import OverScreen, Request
from endgame_tui.widgets.board import BoardCanvas
from endgame_tui.widgets.charts import block_rows, millions, silhouette
from endgame_tui.widgets.lines import Lines
from endgame_tui.widgets.rows import RowItem, Rows
from endgame_tui.widths import WIDE

_RESULTS = (_("win"), _("draw"), _("loss"))
"""The headings of the shares."""

_SHARE_ENDS = (19, 27, 35)
"""Right ends of the shares of wins, draws and losses."""

_NOTE_WIDTH = 38
"""Columns of a note below the positions."""

_SPACED_HEIGHT = 17
"""From this height on there are blank rows between the parts of the statistics."""

_LEAST_CHART_ROWS = 3
_MOST_CHART_ROWS = 10
"""Rows of a chart with axes; a lower chart has a single row and no axes."""

_BOARD_HEIGHT = 36
"""Rows of a screen from which the position under the cursor is on a board."""

_HALVED_ROWS = 6
"""Rows of a chart from which its axis has a second label at half its height."""

_AXIS = 9
"""Columns of the axis of a chart."""

_MOST_CELLS = 2
"""Cells of the widest column of a chart."""


def statistics_rows(profile: EndingProfile, ending: str, size: Size, glyphs: Glyphs) -> list[TextRow]:
    """Title, results and depths of an ending."""
    is_spaced = size.height >= _SPACED_HEIGHT
    title = [*wrapped(profile.game.title(ending), size.width, "dim")[:2]]
    results = _result_rows(profile, is_spaced)
    cursed: list[TextRow] = []
    if profile.cursed:
        cursed = [TextRow(), *wrapped(words.cursed(profile.cursed), size.width, "dim")]
    # In a drawn ending nobody wins, and there is no chart.
    winners = max(len(profile.depths), 1)
    free_rows = size.height - len(title) - len(results) - len(cursed)
    # A chart stands between a blank row, a title, and below it the axis and the figures.
    rows = min(max(free_rows // winners - 4, 1), _MOST_CHART_ROWS)
    depths = [
        row
        for side, group in profile.depths.items()
        for row in _depth_rows(side_name(side), group, rows, size.width, glyphs, is_spaced)
    ]
    return [*title, *results, *depths, *cursed]


def _result_rows(profile: EndingProfile, is_spaced: bool) -> list[TextRow]:
    """The shares of wins, draws and losses, by the side to move."""
    rows: list[TextRow] = []
    for heading, by_side in words.results(profile):
        columns = [TextSpan(name, "dim", end=end) for name, end in zip(_RESULTS, _SHARE_ENDS, strict=True)]
        if is_spaced:
            rows.append(TextRow())
        rows.append(TextRow((TextSpan(heading, bold=is_spaced), *columns)))
        for side, shares in by_side:
            spans = [TextSpan(_("{side} moves").format(side=side_name(side)), "dim")]
            for share, role, end in zip(shares, ("win", "draw", "loss"), _SHARE_ENDS, strict=True):
                spans.append(TextSpan(share, role, end=end))
            rows.append(TextRow(tuple(spans)))
    return rows


def _depth_rows(side: str, depths: Depths, rows: int, width: int, glyphs: Glyphs, is_spaced: bool) -> list[TextRow]:
    """A chart of the wins of a side by depth, with axes if it is higher than a row, and figures below it."""
    figures: list[TextSpan] = []
    for label, figure in words.facts_of(depths):
        figures += [TextSpan(f"{label} ", "dim"), TextSpan(f"{figure} ")]
    title = TextSpan(_("{side} wins").format(side=side), bold=True)
    result = [TextRow()] if is_spaced else []
    if rows < _LEAST_CHART_ROWS:
        chart = silhouette(words.heights(depths, width), min(width, depths.deepest + 1), glyphs)
        result.append(TextRow((title,), (TextSpan(_("plies to the end"), "faint"),)))
        return [*result, TextRow((TextSpan(chart, "winner_bar"),)), TextRow(tuple(figures))]

    result.append(TextRow((title,), (TextSpan(_("boards by plies to the end"), "faint"),)))
    counts = words.piles(depths, width - _AXIS)
    largest = max(counts)
    cells = max(min((width - _AXIS) // len(counts), _MOST_CELLS), 1)
    for number, text in enumerate(block_rows([count / largest for count in counts], rows, cells, glyphs)):
        is_labelled = number == 0 or (rows >= _HALVED_ROWS and number == rows // 2)
        label = ""
        if is_labelled:
            label = millions(round(largest * (rows - number) / rows))
        result.append(TextRow((TextSpan(label, "faint", end=_AXIS - 1), TextSpan(text, "winner_bar", at=_AXIS))))
    axis = TextRow(
        (TextSpan("0", "faint", at=_AXIS), TextSpan(str(depths.deepest), "faint", end=_AXIS + len(counts) * cells))
    )
    return [*result, axis, TextRow(tuple(figures))]


class AboutScreen(OverScreen):
    """The statistics of one ending, and lists of its positions.

    Args:
        ending: A built ending of the current game.
    """

    TASK = "library"
    CSS_PATH = "about.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Key("a", "examine", _("Examine all moves"), short=_("all moves"), rank=1),
        DRILL.adapted(rank=1),
        Key("o", "write", _("Save the positions to a file"), id="write_positions", short=_("file")),
        Key("n", "next_group", _("Next list of positions"), short=_("next kind")),
        LEAVE.adapted(_("Back to the Library"), short=_("back")),
    ]

    def __init__(self, ending: str) -> None:
        super().__init__()
        self._ending = ending
        self._profile: EndingProfile | None = None
        self._groups: list[PositionGroup] = []

    def body(self) -> ComposeResult:
        """Yield the statistics and the list of positions."""
        with Horizontal(id="main"):
            yield Lines(id="facts")
            with Vertical(id="side"):
                yield Rows(_("Positions"), id="places", steady=True)
                board = BoardCanvas(id="sample")
                board.can_focus = False
                yield board

    def tables_changed(self) -> None:
        """Read the table again."""
        self._read()
        self.show()

    def build_finished(self, event: Ended) -> None:
        """Report that all moves are examined."""
        self.say(event.words, "win")

    def on_mount(self) -> None:
        """Read the table."""
        self._read()

    def _read(self) -> None:
        library = self.lab.explorer_of(self.game).library
        by_dtz = self.lab.rule_library(self.game)
        try:
            self._profile = EndingProfile(library, self._ending, by_dtz)
            self._groups = [*self._profile.groups]
        except EndgameError as problem:
            self._profile = None
            self._groups = []
            self.complain(problem)

    # What is shown

    def show(self) -> None:
        """Update everything on the screen."""
        self.crumbs(_("Library"), _("about"), self._ending, named=False)
        self.query_one("#facts", Lines).show(self._statistics)
        self.query_one(Rows).show(self._position_rows())
        self._show_sample()
        self.refresh_bindings()

    @on(Rows.Pointed, "#places")
    def _show_sample(self) -> None:
        """Show the position under the cursor."""
        board = self.query_one(BoardCanvas)
        cursor = self.query_one(Rows).cursor
        board.display = cursor is not None and self.size.width >= WIDE and self.size.height >= _BOARD_HEIGHT
        if board.display and cursor is not None:
            group_number, number = cursor
            board.resize(*self.face.compact_layout(self.look.can_draw_pieces))
            board.view = self.face.board_view(self._groups[group_number].positions[number].position)

    def on_resize(self) -> None:
        """Show or hide the board."""
        self.call_after_refresh(self._show_sample)

    def _statistics(self, size: Size) -> list[TextRow]:
        profile = self._profile
        if profile is None:
            return []
        return statistics_rows(profile, self._ending, size, self.look.glyphs)

    def _position_rows(self) -> list[RowItem]:
        """The positions, group by group; the key of a row is the number of its group and its number in the group."""
        profile = self._profile
        rows: list[RowItem] = []
        if profile is None:
            return rows
        for group_number, group in enumerate(self._groups):
            if group.positions or group.kind != "black":
                heading = TextSpan(words.heading(group), bold=True, at=1)
                extent = TextSpan(words.extent(profile, group), "faint")
                rows.append(RowItem((heading,), (extent,), sticky=True))
            rows += [self._position_row(profile, group_number, number) for number in range(len(group.positions))]
        if profile.survey is None:
            lines = wrap(words.not_examined(profile), _NOTE_WIDTH)
            rows += [RowItem(), *(RowItem((TextSpan(line, "dim", at=1),)) for line in lines)]
        return rows

    def _position_row(self, profile: EndingProfile, group_number: int, number: int) -> RowItem:
        """One position: its text, or in the group of deepest positions its kind and how many share that depth."""
        group = self._groups[group_number]
        key = (group_number, number)
        if group.name == "deepest" and profile.survey is not None:
            kind, how_many = words.deepest(profile.survey.kinds[number])
            return RowItem((TextSpan(kind, at=1),), (TextSpan(f" {how_many}", "dim"),), key=key)
        format_position = profile.game.formats.get("short", profile.game.format)
        # A group may have thousands of positions: their text is made once they come in sight.
        return RowItem(key=key, make_spans=lambda: (TextSpan(format_position(group.positions[number].position), at=1),))

    def label(self, key: Key) -> str:
        """Name of a key in the last row; moves can be examined once, and the game cannot be switched here."""
        labels = {"choose": _("open it"), "game": ""}
        if self._profile is None or self._profile.survey is not None:
            labels["examine"] = ""
        return labels.get(key.action_id, super().label(key))

    # Keys

    @on(Rows.Chosen, "#places")
    async def _chosen(self, event: Rows.Chosen) -> None:
        self.say()
        group_number, number = event.key
        metric = self.lab.explorer_of(self.game).game.metric
        position = self._groups[group_number].positions[number].position
        await self.host.open("explore", Request(self.game, position=position, metric=metric))

    def _current_group(self) -> tuple[EndingProfile, PositionGroup]:
        """The profile and the group with the cursor; raises EndgameError if there is none."""
        profile = self._profile
        cursor = self.query_one(Rows).cursor
        if profile is None or cursor is None:
            raise EndgameError(_("there are no positions here"), _("choose a different ending in the Library"))
        return profile, self._groups[cursor[0]]

    async def action_drill(self) -> None:
        """Add the positions of a group to a study set, a sample of them if there are too many, and drill the set."""
        profile, group = self._current_group()
        positions = group.positions
        name = f"{self._ending}: {words.heading(group)}"
        # Sorted, so that the set has the order of the list.
        sample = sorted(self.host.rng.sample(range(len(positions)), min(MOST_AT_ONCE, len(positions))))
        # Without names: in the set each position has a number.
        records = [replace(words.record(profile, positions[number]), name="") for number in sample]
        self.lab.studies(self.game).import_records(records, name)
        await self.host.open("practise", Request(self.game, text=f"set {name}"))

    def action_write(self) -> None:
        """Ask for a file and write the positions of a group into it."""

        def write(text: str) -> None:
            file = new_file(self.lab.file(text).absolute(), advice=_("type a different name"))
            records = [words.record(profile, position) for position in group.positions]
            to_line = profile.game.file_notation.write_line
            if file.suffix == ".fen":
                lines = (record.position + "\n" for record in records)
            else:
                lines = (to_line(record) + "\n" for record in records)
            write_text(file, lines)
            self.say(words.written(len(records), file), "win")
            self.deliver(file)

        self.say()
        profile, group = self._current_group()
        self.last_row.prompt(_("Write to"), words.FILES, write, f"{self._ending}{profile.game.file_notation.suffix}")

    def action_examine(self) -> None:
        """Examine the moves of all positions, in a process of its own."""
        if self._profile is None or self._profile.survey is not None:
            self.say(_("all moves of this ending have already been examined."))
            return
        has_started = self.jobs.build([self._ending], self._profile.game.metric, with_surveys=True)
        job = self.jobs.job
        is_running = job is not None and job.request.with_surveys and self._ending in job.request.endings
        if not has_started and job is not None and not is_running:
            self.say(_("the examination starts when the current build has finished."))
        else:
            self.say()

    def action_next_group(self) -> None:
        """Go to the first position of the next group that has any; after the last group to the first."""
        rows = self.query_one(Rows)
        nonempty = [number for number, group in enumerate(self._groups) if group.positions]
        if len(nonempty) == 1:
            self.say(_("there is no other kind of position here."))
        elif nonempty:
            # A cursor is the number of the group and of the position in it.
            following = next((number for number in nonempty if number > rows.cursor[0]), nonempty[0])
            rows.move_cursor((following, 0))
