"""The statistics of an ending, in words: results, depths, mutual zugzwangs, kinds of positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from endgame_core.controls import instruct
from endgame_core.game import KindCount, PositionRecord
from endgame_core.language import _, and_list, decimal, side_name
from endgame_core.tables.survey import ZUGZWANGS, Depths, EndingProfile, PositionGroup, ShownPosition
from endgame_core.values import WINNERS, Winner
from endgame_core.words.text_model import capital, count, grouped, span

RESULTS: Final = ("win", "draw", "loss")

KINDS: Final[Mapping[str, str]] = {
    "win": _("only one move wins"),
    "draw": _("only one move draws"),
    "underpromotion": _("only an underpromotion wins"),
    "retreat": _("only a retreat wins"),
    "quiet": _("only a quiet move wins"),
    "stalemate": _("only a stalemate trick draws"),
    "en_passant": _("only en passant works"),
}
"""Kinds of positions, in the order of the list."""

_ZUGZWANGS: Final[Mapping[str, str]] = {
    "white": _("White wins if Black is to move; otherwise a draw"),
    "black": _("Black wins if White is to move; otherwise a draw"),
    "full_point": _("the side to move loses"),
}

_SHORT: Final[Mapping[str, str]] = {"white": _("White wins"), "black": _("Black wins"), "full_point": _("full point")}
"""The same in two words."""

_WHY: Final[Mapping[str, str]] = {
    **KINDS,
    **{kind: _("mutual zugzwang: {what}").format(what=what) for kind, what in _ZUGZWANGS.items()},
    "wins": _("one of the deepest wins"),
}
"""The reason why a position is listed."""

_LONG = 60.0
"""If an examination of moves takes longer than this, in seconds, the text says so before it starts."""

FILES: Final = _("a file name; .fen for positions only")
"""The file names that a user can type to export positions."""

ALL = _("all placements")
STEADY = _("no piece hangs")
"""Over what results are counted: a man hangs where the side to move can take it for nothing."""


def share(part: int | float, whole: int | float, fine: bool = False) -> str:
    """Return a share in percent: ``71 %``, ``0.4 %``; only an empty part is 0 %, and only the whole is 100 %.

    Args:
        part: The part.
        whole: All there is.
        fine: Whether to print tenths throughout, for shares that a reader may add up.
    """
    if not part:
        return "0 %"
    hundredths = 100 * part / whole
    # Rounded, these would be 100 % or 0 %, as if there were no exception.
    if hundredths >= 99.95 and part != whole:
        return f"> {decimal(99.9)} %"
    if hundredths < 0.05:
        return f"< {decimal(0.1)} %"
    # Near 0 and near 100 a tenth of a percent makes a difference.
    fine |= hundredths < 9.95 or hundredths > 90
    if fine and part != whole:
        return f"{decimal(hundredths)} %"
    return f"{hundredths:.0f} %"


def results(profile: EndingProfile) -> list[tuple[str, list[tuple[Winner, list[str]]]]]:
    """Return for each set of positions and each side to move the shares of its wins, draws and losses."""
    results_by_scope = [(ALL, profile.results)]
    if steady := profile.steady:
        results_by_scope.append((STEADY, steady))
    return [
        (
            over,
            [
                (side, [share(counts[result], sum(counts.values()) or 1, fine=True) for result in RESULTS])
                for side, counts in by_side.items()
            ],
        )
        for over, by_side in results_by_scope
    ]


def brief(profile: EndingProfile, wide: bool) -> str:
    """Whether an ending is usually won: ``White 61 %``."""
    counts = profile.results
    # The results are those of the side to move: Black's losses are White's wins.
    white = counts["white"]["win"] + counts["black"]["loss"]
    black = counts["white"]["loss"] + counts["black"]["win"]
    draws = counts["white"]["draw"] + counts["black"]["draw"]
    whole = white + black + draws
    every = [(boards, who) for who, boards in ((_("White"), white), (_("Black"), black), (_("drawn"), draws)) if boards]
    listed = every if wide else [max(every)]
    return ", ".join(f"{who} {share(boards, whole)}" for boards, who in listed)


def depths(side: Winner, group: Depths) -> str:
    """How deep the wins of a side are."""
    return _("{side} wins: mean {mean} plies, median {share}, 90 % within {share2}, deepest {deepest}").format(
        side=side_name(side),
        mean=decimal(group.mean),
        share=group.share(0.5),
        share2=group.share(0.9),
        deepest=group.deepest,
    )


def facts_of(group: Depths) -> list[tuple[str, str]]:
    """The same as figures with their labels."""
    return [
        (_("mean"), decimal(group.mean)), (_("median"), str(group.share(0.5))), ("90 %", str(group.share(0.9))),
        (_("max"), str(group.deepest)),
    ]  # fmt: skip


def cursed(late: Mapping[Winner, float]) -> str:
    """Which part of the wins the 50-move rule makes a draw."""
    shares = [
        _("{share} of {side}'s wins").format(share=share(part, 1), side=side_name(side))
        for side, part in late.items()
        if part
    ]
    if not shares:
        return _("The 50-move rule turns none of the wins into draws.")
    return _("The 50-move rule turns {told} into draws.").format(told=and_list(shares))


def zugzwangs(profile: EndingProfile) -> list[tuple[str, int]]:
    """Return the meaning of each kind of mutual zugzwang, and their number."""
    return [(what, len(profile.zugzwangs(kind))) for kind, what in _ZUGZWANGS.items()]


def no_zugzwangs(ending: str) -> str:
    """That there is none to be listed."""
    return _("{ending} has no mutual zugzwangs.").format(ending=ending)


def heading(group: PositionGroup) -> str:
    """Return the heading of a group of positions."""
    if group.name == "wins":
        return _("{kind}'s deepest wins").format(kind=side_name(group.kind))
    if group.name == "deepest":
        return _("Deepest positions")
    return _("Zugzwang: {short}").format(short=_SHORT[group.kind])


def not_examined(profile: EndingProfile) -> str:
    """What to do if the moves have not been examined."""
    seconds = profile.seconds
    price = ""
    if seconds >= _LONG:
        price = f" ({span(seconds)})"
    return instruct(_("{examine} examines all moves{price} and finds zugzwangs, only moves and more."), price=price)


def extent(profile: EndingProfile, group: PositionGroup) -> str:
    """How deep a group is, or how many there are."""
    if group.name == "wins":
        return f"S{profile.depths[group.kind].deepest}"
    if group.name == "deepest":
        return _("number")
    return grouped(len(group.positions))


def deepest(kind_count: KindCount) -> tuple[str, str]:
    """Of what kind a position is the deepest, and how many there are of it."""
    return f"{side_name(WINNERS[kind_count.side])[0]} {KINDS[kind_count.kind]}", grouped(kind_count.count)


def record(profile: EndingProfile, shown_position: ShownPosition) -> PositionRecord:
    """A position as files and sets of positions have it."""
    position = shown_position.position
    game = profile.game
    side = {}
    if shown_position.learner != game.mover(position):
        side = {"side": shown_position.learner}
    text = game.format(position)
    return PositionRecord(
        position=text, name=f"{profile.ending} {shown_position.kind}", note=_WHY[shown_position.kind], opcodes=side
    )


def written(number: int, file: Path) -> str:
    """How many positions have been written."""
    return _("{positions} written to {file}.").format(positions=count(number, "position", "positions"), file=file)


def ordered(kind_counts: Sequence[KindCount]) -> list[KindCount]:
    """The kinds of positions that there are, of either side, in the order in which they are listed."""
    return sorted(kind_counts, key=lambda one: [*KINDS].index(one.kind))


def _in_which(kind_count: KindCount) -> str:
    return _("{kinds}, {winners} to move").format(
        kinds=KINDS[kind_count.kind], winners=side_name(WINNERS[kind_count.side])
    )


def at_most(kind_count: KindCount) -> str:
    """How deep the deepest position of a kind is; empty for draws."""
    if kind_count.depth:
        return _(", deepest S{depth}").format(depth=kind_count.depth)
    return ""


def document(profile: EndingProfile) -> dict[str, Any]:
    """Return all statistics as a document for programs."""
    survey = profile.survey
    game = profile.game

    def position(kind_count: KindCount) -> dict[str, Any]:
        fen = game.format(profile.deepest(kind_count))
        return {"count": kind_count.count, "depth": kind_count.depth or None, "fen": fen}

    depths = profile.depths

    def depth_figures(side: Winner) -> dict[str, Any] | None:
        group = depths.get(side)
        if group is None:
            return None
        return {
            "mean": round(group.mean, 3),
            "median": group.share(0.5),
            "p90": group.share(0.9),
            "max": group.deepest,
            "counts": dict(sorted(group.counts.items())),
        }

    steady = profile.steady
    positions = None
    if survey:
        positions = {
            kind: {WINNERS[one.side]: position(one) for one in both}
            for kind, both in groupby(ordered(survey.kinds), key=lambda one: one.kind)
        }
    zugzwang_counts = None
    if survey:
        zugzwang_counts = {kind: len(profile.zugzwangs(kind)) for kind in ZUGZWANGS}
    result_counts: dict[str, Any] = dict(profile.results)
    if steady:
        result_counts["without_hanging_men"] = steady
    return {
        "ending": profile.ending,
        "results": result_counts,
        "depths": {side: depth_figures(side) for side in WINNERS},
        "longest": [
            {
                "winner": side,
                "depth": depths[side].deepest,
                "positions": [*map(game.format, profile.deepest_wins(side))],
            }
            for side in depths
        ],
        "cursed": profile.cursed,
        "zugzwangs": zugzwang_counts,
        "positions": positions,
    }


def report(profile: EndingProfile, levels: str) -> list[str]:
    """Return all statistics, line by line.

    Args:
        profile: The ending.
        levels: Signs of columns of growing height, to draw with.
    """
    survey = profile.survey
    game = profile.game
    lines = [f"{profile.ending}  {game.title(profile.ending)}"]
    for over, rows in results(profile):
        win = _("win")
        draw = _("draw")
        loss = _("loss")
        lines += ["", f"{over:<16}{win:>9}{draw:>10}{loss:>10}"]
        lines += [
            _("{side:<5} to move {win:>12}{draw:>10}{loss:>10}").format(
                side=side_name(side), win=win, draw=draw, loss=loss
            )
            for side, (win, draw, loss) in rows
        ]
    for side, group in profile.depths.items():
        deepest = profile.deepest_wins(side)
        first = deepest[0]
        more = len(deepest) - 1
        others = ""
        if more:
            others = _("   and {more} more").format(more=grouped(more))
        lines += ["", f"{depths(side, group)}:", f"  {histogram(group, 72, levels)}"]
        lines += [f"  {game.format(first)}{others}"]
    if (late := profile.cursed) is not None and late:
        lines += ["", cursed(late)]
    if survey is None:
        return lines
    lines += ["", _("mutual zugzwangs")]
    lines += [f"{grouped(number):>12}  {what}" for what, number in zugzwangs(profile)]
    if survey.kinds:
        lines += ["", _("positions by kind")]
    for one in ordered(survey.kinds):
        lines.append(f"{grouped(one.count):>12}  {_in_which(one)}{at_most(one)}")
        lines.append(f"{'':>12}  {game.format(profile.deepest(one))}")
    return lines


def in_sentences(profile: EndingProfile) -> list[str]:
    """The same for who hears it: without columns, positions and pictures."""
    lines = [f"{profile.ending}: {profile.game.title(profile.ending)}."]
    for over, rows in results(profile):
        for side, (win, draw, loss) in rows:
            lines.append(
                _("{over}, {side} to move: win {win}, draw {draw}, loss {loss}.").format(
                    over=capital(over), side=side_name(side), win=win, draw=draw, loss=loss
                )
            )
    lines += [f"{depths(side, group)}." for side, group in profile.depths.items()]
    if (late := profile.cursed) is not None and late:
        lines.append(cursed(late))
    if (survey := profile.survey) is None:
        return lines
    lines += [
        _("Mutual zugzwang, {what}: {number}.").format(what=what, number=number) for what, number in zugzwangs(profile)
    ]
    return lines + [f"{_in_which(one)}: {one.count}{at_most(one)}." for one in ordered(survey.kinds)]


def piles(group: Depths, width: int) -> list[int]:
    """Return the number of wins by depth in at most ``width`` columns; in a narrow chart some depths share a column."""
    # Depths per column, rounded up: there are deepest + 1 of them.
    each = -(-(group.deepest + 1) // width)
    result = [0] * -(-(group.deepest + 1) // each)
    for n, boards in group.counts.items():
        result[n // each] += boards
    return result


def heights(group: Depths, width: int) -> list[float]:
    """Return the wins by depth in at most ``width`` columns, as fractions of the highest one."""
    columns = piles(group, width)
    return [column / max(columns) for column in columns]


def histogram(group: Depths, width: int, levels: str) -> str:
    """The wins by depth as a row of columns."""
    # Any win at all is visible, at least as the lowest column.
    return "".join(levels[max(round((len(levels) - 1) * height), int(height > 0))] for height in heights(group, width))
