"""Bar charts as SVG documents: the layers of an ending, its results and depths, and what a player loses where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from endgame_core.language import _, shortest, side_name
from endgame_core.metric import Metric
from endgame_core.tables.explorer import LayerCount
from endgame_core.tables.survey import EndingProfile
from endgame_core.tasks.game_collection import GameCollection
from endgame_core.tasks.game_grading import GradeSums
from endgame_core.words.about import RESULTS
from endgame_core.words.games import NO_DATE
from endgame_core.words.text_model import grouped

_WIDTH: Final = 960
_HEIGHT: Final = 340
"""Size of one chart in pixels; a document has one below the other."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 96, 24, 62, 54
"""Margins around the bars."""

_MAX_LABELS: Final = 16
_MAX_BARS: Final = 24
"""Endings or dates of a player that are shown."""

_COLOURS: Final[Mapping[str, str]] = {
    "win": "#2c7a3a", "draw": "#2763a8", "loss": "#b3352b", "white": "#c98f1b", "black": "#3d3d3d",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class BarSeries:
    """Bars of one colour.

    Attributes:
        name: Its name in the legend.
        values: A value for each label of the chart, 0 or more.
        colour: An SVG colour.
    """

    name: str
    values: Sequence[float]
    colour: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """A chart with bars over labels.

    Attributes:
        title: The heading.
        labels: What each group of bars is about.
        series: The bars; those of a label are stacked.
        unit: What the values count.
        axis: What the labels are.
    """

    title: str
    labels: Sequence[str]
    series: Sequence[BarSeries]
    unit: str
    axis: str = ""


def document(charts: Sequence[BarChart]) -> str:
    """Return an SVG document with some charts, one below the other."""
    height = _HEIGHT * max(len(charts), 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for number, chart in enumerate(charts):
        parts += [f'<g transform="translate(0 {number * _HEIGHT})">', *_elements(chart), "</g>"]
    return "\n".join([*parts, "</svg>\n"])


def _elements(chart: BarChart) -> Iterable[str]:
    plot_width = _WIDTH - _LEFT - _RIGHT
    plot_height = _HEIGHT - _TOP - _BOTTOM
    base = _TOP + plot_height
    yield _text(chart.title, _LEFT, 26, size=17)
    yield from _legend(chart)

    # Bars of several series are stacked: the scale is that of their sums.
    totals = [sum(values) for values in zip(*(series.values for series in chart.series), strict=True)]
    step, top = _scale(max(totals, default=0))
    for number in range(round(top / step) + 1):
        y = base - plot_height * number * step / top
        yield f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#d0d0d0"/>'
        yield _text(_number(number * step), _LEFT - 8, y + 4, anchor="end")
    yield _text(chart.unit, _LEFT - 8, _TOP - 12, anchor="end")

    room = plot_width / max(len(chart.labels), 1)
    bar_width = min(max(room * 0.8, 0.5), 60)
    # Only every so many labels, so that they do not overlap.
    label_step = -(-len(chart.labels) // _MAX_LABELS)
    for at, label in enumerate(chart.labels):
        middle = _LEFT + room * (at + 0.5)
        if at % label_step == 0:
            yield _text(label, middle, base + 18, anchor="middle")
        y = float(base)
        for series in chart.series:
            bar_height = plot_height * series.values[at] / top
            if not bar_height:
                continue
            y -= bar_height
            tip = _escaped(f"{label}: {series.name} {_number(series.values[at])}")
            yield (
                f'<rect x="{middle - bar_width / 2:.2f}" y="{y:.2f}" width="{bar_width:.2f}" '
                f'height="{bar_height:.2f}" fill="{series.colour}"><title>{tip}</title></rect>'
            )
    yield f'<line x1="{_LEFT}" y1="{base}" x2="{_WIDTH - _RIGHT}" y2="{base}" stroke="#404040"/>'
    yield _text(chart.axis, _LEFT + plot_width / 2, base + 42, anchor="middle")


def _legend(chart: BarChart) -> Iterable[str]:
    """Yield the names of the series beside their colours, from the right."""
    x = float(_WIDTH - _RIGHT)
    for series in reversed(chart.series):
        # SVG cannot measure text: 8 pixels are the mean width of a character in this size.
        x -= 8 * len(series.name)
        yield _text(series.name, x, 26)
        x -= 20
        yield f'<rect x="{x:.1f}" y="15" width="13" height="13" fill="{series.colour}"/>'
        x -= 16


def _text(text: str, x: float, y: float, size: int = 0, anchor: str = "") -> str:
    font = f' font-size="{size}"' if size else ""
    place = ""
    if anchor:
        place = f' text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{font}{place}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    """Return a text for XML, with spaces for the characters that it does not allow."""
    return escape("".join(character if character.isprintable() else " " for character in text))


def _scale(highest: float) -> tuple[float, float]:
    """Return the step between two lines of a grid, 1, 2 or 5 times a power of ten, and the value of the highest."""
    if highest <= 0:
        return 1, 1
    step = 1.0
    # First the power of ten below the highest value, then a factor with at most five lines, if there is one.
    while highest / step > 10:
        step *= 10
    while highest / step <= 1:
        step /= 10
    for factor in (0.2, 0.5, 1):
        if highest <= 5 * step * factor:
            step *= factor
            break
    lines = int(-(-highest // step))
    return step, step * lines


def _number(value: float) -> str:
    """Return a value as printed: grouped if it is whole."""
    if float(value).is_integer():
        return grouped(round(value))
    return shortest(value)


def layers(ending: str, families: Mapping[str, Sequence[LayerCount]], metric: Metric) -> list[BarChart]:
    """Return a chart of the positions in the layers of each winner.

    Args:
        ending: The ending.
        families: The layers of each winner.
        metric: What the layers count.
    """
    return [
        BarChart(
            _("{ending}: {winner} wins").format(ending=ending, winner=side_name(winner)),
            [str(layer.n) for layer in family],
            [BarSeries(_("boards"), [layer.boards for layer in family], _COLOURS[winner])],
            _("boards"),
            _("layer: {meaning}").format(meaning=metric.meaning),
        )
        for winner, family in families.items()
        if family
    ]


def ending_charts(profile: EndingProfile) -> list[BarChart]:
    """Return charts of the results of an ending by side to move, and of the depths of each side's wins."""
    results = profile.results
    movers = list(results)
    shares = {
        result: [100 * results[mover][result] / (sum(results[mover].values()) or 1) for mover in movers]
        for result in RESULTS
    }
    charts = [
        BarChart(
            _("{ending}: results of the side to move").format(ending=profile.ending),
            [_("{side} to move").format(side=side_name(mover)) for mover in movers],
            [BarSeries(result, [round(share, 2) for share in shares[result]], _COLOURS[result]) for result in RESULTS],
            "%",
        )
    ]
    for winner, depths in profile.depths.items():
        plies = range(min(depths.counts), max(depths.counts) + 1)
        counts = [depths.counts.get(n, 0) for n in plies]
        charts.append(
            BarChart(
                _("{ending}: depth of {winner}'s wins").format(ending=profile.ending, winner=side_name(winner)),
                [str(n) for n in plies],
                [BarSeries(_("boards"), counts, _COLOURS[winner])],
                _("boards"),
                _("plies to the end"),
            )
        )
    return charts


def games(collection: GameCollection) -> list[BarChart]:
    """Return charts of the points that a collection of games gave away, by ending and over time."""
    owner = collection.player or _("both sides")

    def chart(title: str, sums: Mapping[str, GradeSums], unknown: str) -> BarChart:
        names = list(sums)[:_MAX_BARS]
        points = [sums[name].half_points / 2 for name in names]
        labels = [name or unknown for name in names]
        return BarChart(title, labels, [BarSeries(_("points"), points, _COLOURS["loss"])], _("points"))

    by_ending = _("Points given away by ending: {player}").format(player=owner)
    over_time = _("Points given away over time: {player}").format(player=owner)
    return [chart(by_ending, collection.by_ending, ""), chart(over_time, collection.by_time, NO_DATE)]
