"""Collections of games in words: points lost and saved, the costliest moves, missing tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from endgame_core.language import N_, _, decimal, ngettext
from endgame_core.practice.studies import MY_GAMES, StudyImport
from endgame_core.practice.titles import set_title
from endgame_core.tables.library import Library
from endgame_core.tasks.game_collection import GameCollection, MissingTable
from endgame_core.tasks.game_grading import GradedGame, GradeSums, Slip
from endgame_core.values import Kind
from endgame_core.words.game_report import best_names, best_told
from endgame_core.words.missing_tables import NOT_BUILT_HEADING, moves_not_graded
from endgame_core.words.tables import price
from endgame_core.words.text_model import (
    TextRow,
    TextSpan,
    capital,
    count,
    grade_words,
    grouped,
    in_moves,
    moves_of_plies,
    note,
    wrapped,
)

SUMS = (_("games"), _("moves"), _("errors"), _("points"), _("moves lost"))
"""The headings above the totals of the games."""

_SUM_ENDS = (19, 27, 35, 43, 54)
"""Right ends of the columns of figures on a screen."""


def points(halves: int) -> str:
    """Half points as points: ``0.5``, ``12``."""
    if halves % 2:
        return decimal(halves / 2)
    return str(halves // 2)


def _in_points(halves: int) -> str:
    # Half a point is called 0.5 point, not points.
    noun = ngettext("point", "points", 1 if halves in (1, 2) else 2)
    return f"{points(halves)} {noun}"


def overview(games: GameCollection) -> list[str]:
    """Return an overview of the games, in a few sentences."""
    counted_games = len(games.counted_games)
    total = games.total
    whose = ""
    if games.player.strip():
        whose = _(" by {player}").format(player=games.player.strip())
    if counted_games:
        number = grouped(counted_games)
    else:
        number = _("none")
    reached = _("{counted} of them{whose} with an ending covered by a table").format(counted=number, whose=whose)
    sentences = [f"{count(len(games.games), 'game', 'games')}, {reached}."]
    if games.duplicates:
        twice = count(games.duplicates, "game", "games")
        sentences.append(
            ngettext(
                "{games} occurs twice and is counted once.",
                "{games} occur twice and are counted once.",
                games.duplicates,
            ).format(games=twice)
        )
    if not total.moves:
        return sentences
    cost = _("cost {in_points}").format(in_points=_in_points(total.half_points))
    if total.errors:
        errors = f"{count(total.errors, 'error', 'errors')} {cost}"
    else:
        errors = _("no errors")
    sentences.append(
        _("{moves} graded: {errors}, plus {moves2} lost.").format(
            moves=count(total.moves, "move", "moves"), errors=errors, moves2=in_moves(total.plies)
        )
    )
    turns = []
    for better, word in ((False, _("thrown away")), (True, _("saved"))):
        times, halves = games.changed_results(better)
        turn = f"{count(times, 'result', 'results')} {word}"
        if times:
            turn += f" ({_in_points(halves)})"
        turns.append(turn)
    sentences.append(
        _("{turns}: the result of each game compared with the table's result at the start of its first ending.").format(
            turns=", ".join(turns)
        )
    )
    return sentences


def failed(played: GradedGame) -> str:
    """A game that could not be read, or not to its end: ``game 3 of lost.pgn: 12. Ke7 is no legal move``."""
    rest = ""
    if played.phases:
        rest = _("; everything before it was graded")
    return _("game {number} of {file}: {problem}{rest}.").format(
        number=played.number, file=played.file, problem=played.problem, rest=rest
    )


def failures(games: GameCollection) -> str:
    """The first of the games that could not be read, and how many more there are; empty where there is none."""
    result = games.unreadable
    more = ""
    if len(result) > 1:
        more = _(" {others} could not be read either.").format(others=count(len(result) - 1, "other", "others"))
    if result:
        return f"{failed(result[0])}{more}"
    return ""


def sums(grade_sums: Mapping[str, GradeSums], head: str, unknown: str = "") -> list[tuple[str, ...]]:
    """Rows of figures below their heads."""
    return [(head, *SUMS), *((name or unknown, *figures(one)) for name, one in grade_sums.items())]


def figures(one: GradeSums) -> tuple[str, ...]:
    """The figures of one row."""
    return (
        grouped(one.games),
        grouped(one.moves),
        grouped(one.errors),
        points(one.half_points),
        moves_of_plies(one.plies),
    )


BEYOND_TABLES = (N_("more pieces"), N_("more stones"))
"""Names for the endings that only Syzygy files cover."""

NO_DATE = _("no date")


def lost(slip: Slip) -> str:
    """Return the cost of a move: ``1 point``, ``4 moves``."""
    if slip.half_points:
        return _in_points(slip.half_points)
    return in_moves(slip.grade.plies)


def was(slip: Slip) -> str:
    """Return the effect of a move: ``throws away the win (S23)``, ``loses a drawn game``."""
    layer = ""
    if slip.depth is not None:
        layer = f" (S{slip.depth})"
    if slip.grade.kind is Kind.LOSES:
        if slip.half_points == 2:
            return _("loses a won game{layer}").format(layer=layer)
        return _("loses a drawn game")
    return f"{grade_words(slip.grade)}{layer}"


def instead(games: GameCollection, slip: Slip) -> str:
    """Return the best moves: ``Best: Kd5 or Ke6.``; empty if they are unknown."""
    position = games.game.parse(slip.position)
    names = best_names(games.judge.probe(position).moves)
    if names:
        return f"{best_told(names)}."
    return ""


def missing(library: Library, table: MissingTable) -> tuple[str, ...]:
    """An ending that has no table: how often it was reached, and what building it costs."""
    cost = price(library, [table.ending]).words
    return (_(table.ending), grouped(table.games), grouped(table.moves), cost)


def drilled(done: StudyImport) -> str:
    """How many errors have become drills; empty where there was none."""
    new = len(done.added)
    duplicates = len(done.refused)
    if not new:
        if not duplicates:
            return ""
        existing = _("the error is already a drill")
        if duplicates > 1:
            existing = _("all {known} errors are already drills").format(known=duplicates)
        return _("{there} in the set {my_games}.").format(there=existing, my_games=set_title(MY_GAMES))
    duplicates_clause = ""
    if duplicates:
        duplicates_clause = ngettext("; {number} already existed", "; {number} already existed", duplicates)
        duplicates_clause = duplicates_clause.format(number=duplicates)
    return _("{errors_are} now in the set {my_games}, ready to drill{there}.").format(
        errors_are=count(new, "error is", "errors are"), my_games=set_title(MY_GAMES), there=duplicates_clause
    )


def document(games: GameCollection, done: StudyImport | None) -> dict[str, Any]:
    """All that was found, as JSON."""
    library = games.judge.explorer.library
    return {
        "games": len(games.games), "graded": len(games.counted_games), "twice": games.duplicates,
        "player": games.player or None,
        "total": _sum(games.total), "thrown": _changed_results(games, False), "saved": _changed_results(games, True),
        "endings": {name: _sum(one) for name, one in games.by_ending.items()},
        "dates": {name: _sum(one) for name, one in games.by_time.items()},
        "errors": [_slip(games, played, slip) for played, slip in games.slips if slip.half_points],
        "missing": [_missing(library, missing_ending) for missing_ending in games.missing],
        "failed": [
            {"file": played.file, "game": played.number, "problem": played.problem} for played in games.unreadable
        ],
        "files": [str(problem) for problem in games.problems],
        "drills": None if done is None else {"added": len(done.added), "known": len(done.refused), "set": MY_GAMES},
    }  # fmt: skip


def _sum(one: GradeSums) -> dict[str, float]:
    return {
        "games": one.games, "moves": one.moves, "errors": one.errors, "points": one.half_points / 2, "plies": one.plies,
    }  # fmt: skip


def _changed_results(games: GameCollection, better: bool) -> dict[str, float]:
    times, halves = games.changed_results(better)
    return {"games": times, "points": halves / 2}


def _slip(games: GameCollection, played: GradedGame, slip: Slip) -> dict[str, Any]:
    return {
        "file": played.file, "game": played.number, "players": played.players, "event": played.header("Event") or None,
        "date": played.date or None, "ply": slip.ply, "move": slip.name, "side": slip.mover, "ending": slip.ending,
        "fen": slip.position, "kind": slip.grade.kind, "points": slip.half_points / 2, "depth": slip.depth,
    }  # fmt: skip


def _missing(library: Library, table: MissingTable) -> dict[str, Any]:
    cost = price(library, [table.ending])
    return {
        "ending": table.ending, "games": table.games, "moves": table.moves, "builds": cost.endings,
        "seconds": round(cost.seconds, 1), "bytes": cost.size,
    }  # fmt: skip


def errors(games: GameCollection, limit: int) -> Iterator[tuple[str, ...]]:
    """The costliest moves in rows, below their heads."""
    yield (_("cost"), _("move"), _("ending"), _("effect"), _("game"))
    for played, slip in games.slips[:limit]:
        yield (
            lost(slip),
            slip.name,
            _(slip.ending),
            was(slip),
            _("{title} (game {number})").format(title=played.title, number=played.number),
        )


def game_sentences(games: GameCollection, played: GradedGame) -> list[str]:
    """One game: its endings and its errors, a sentence each."""
    if played.problem:
        sentences = [f"{capital(played.problem)}."]
    elif not played.phases and not played.missing:
        return [_("No table covers any position of this game.")]
    else:
        sentences = []
    for ending, moves in played.missing.items():
        sentences.append(moves_not_graded(ending, moves))
    counting = games.counted_sides(played)
    for stretch in played.phases:
        slips = [slip for slip in played.slips if slip.ending == stretch.ending and slip.mover in counting]
        errors = ", ".join(f"{slip.name} {was(slip)}" for slip in slips if slip.half_points)
        result = errors or _("no errors")
        sentences.append(f"{_(stretch.ending)}: {result}.")
    return sentences


# On a screen


def row(games: GameCollection, played: GradedGame, wide: bool) -> tuple[TextSpan, ...]:
    """A game in a list: date where there is room, players, result, its last ending, what it cost."""
    if played.phases:
        ending = played.phases[-1].ending
    else:
        ending = next(iter(played.missing), "")
    cost = games.cost(played)
    if cost.half_points:
        cost_words = f"−{_in_points(cost.half_points)}"
        role = "loss"
    else:
        cost_words = ""
        if cost.plies:
            cost_words = in_moves(cost.plies)
        role = "dim"
    if played.problem:
        cost_words = _("unreadable")
        role = "loss"
    date = ()
    if wide:
        date = (TextSpan((played.date or NO_DATE).ljust(12), "dim"),)
    return (
        *date, TextSpan(f"{played.players} "),
        TextSpan(_RESULTS.get(played.headers.get("Result", ""), "*"), "dim", at=-27),
        TextSpan(_(ending), "text" if played.phases else "faint", at=-22), TextSpan(cost_words, role, end=-1),
    )  # fmt: skip


_RESULTS = {"1-0": "1-0", "0-1": "0-1", "1/2-1/2": "1/2"}

HEAD = TextRow(
    (
        TextSpan(_("result"), "faint", at=-28),
        TextSpan(_("ending"), "faint", at=-21),
        TextSpan(_("lost"), "faint", end=-1),
    )
)
"""The headings above the list."""


def figures_of(games: GameCollection, width: int) -> list[tuple[object, TextRow]]:
    """All that was found in rows, each with what it leads to: None, or a kind and a number or a name.

    ``slip`` leads to an error, ``ending`` and ``date`` to the games with it, ``build`` to a build.
    """
    rows: list[tuple[object, TextRow]] = [
        (None, each) for sentence in overview(games) for each in wrapped(sentence, width - 1)
    ]
    if broken := games.unreadable:
        rows += [(None, TextRow()), (None, note(_("Could not be read"), bold=True))]
        spans = (each for played in broken[:_MOST_FAILED] for each in wrapped(failed(played), width - 1, "dim"))
        rows += [(None, each) for each in spans]
    if worst := games.slips[:_MOST_ERRORS]:
        rows += [(None, TextRow()), (None, note(_("Costliest errors"), bold=True))]
        for number, (played, slip) in enumerate(worst):
            words = (
                TextSpan(lost(slip).ljust(11), "loss"),
                TextSpan(slip.name.ljust(10)),
                TextSpan(_(slip.ending).ljust(8), "dim"),
            )
            rows.append((("slip", number), TextRow((*words, TextSpan(played.title, "dim")))))
    for title, kind, result in ((_("By ending"), "ending", games.by_ending), (_("Over time"), "date", games.by_time)):
        if result:
            heads = tuple(TextSpan(name, "faint", end=end) for name, end in zip(SUMS, _SUM_ENDS, strict=True))
            rows += [(None, TextRow()), (None, TextRow((TextSpan(title, bold=True), *heads)))]
            for name, one in result.items():
                spans = (TextSpan(number, end=end) for number, end in zip(figures(one), _SUM_ENDS, strict=True))
                rows.append(((kind, name), TextRow((TextSpan(_(name) or NO_DATE), *spans))))
    if games.missing:
        # Narrow screens have no column for the moves (end is 0), and the cost moves to the left.
        end, at = (27, 30) if width >= 60 else (0, 22)
        heads = [TextSpan(NOT_BUILT_HEADING, bold=True), TextSpan(_("games"), "faint", end=19)]
        if end:
            heads.append(TextSpan(_("moves"), "faint", end=end))
        heads.append(TextSpan(_("to build"), "faint", at=at))
        rows += [(None, TextRow()), (None, TextRow(tuple(heads)))]
        for one in games.missing[:_MOST_MISSING]:
            name, times, moves, cost = missing(games.judge.explorer.library, one)
            cells = [TextSpan(name), TextSpan(times, end=19)]
            if end:
                cells.append(TextSpan(moves, end=end))
            cells.append(TextSpan(cost, "dim", at=at))
            rows.append((("build", name), TextRow(tuple(cells))))
    return rows


_MOST_ERRORS = 30
_MOST_MISSING = 20
_MOST_FAILED = 5


def about_slip(games: GameCollection, played: GradedGame, slip: Slip) -> list[str]:
    """An error, and what would have been best."""
    return [f"{slip.name} {was(slip)}. {instead(games, slip)}", played.title]


def reading(done: int, total: int) -> str:
    """How much has been read."""
    return _("reading: {value} %").format(value=round(100 * done / max(total, 1)))


def listing(matches: int, total: int, text: str, order: str) -> str:
    """Which games are listed: ``12 of 400 games with "anna", newest first``."""
    if text:
        of = _("{shown} of {games}").format(shown=grouped(matches), games=count(total, "game", "games"))
    else:
        of = count(total, "game", "games")
    if text:
        of += _(" with {text}").format(text=text)
    return f"{of}, {order}"


NO_DRILLS = _("none of your errors has become a drill yet; set your name with {name}.")
NOTHING_TO_BUILD = _("every ending reached in these games is built.")
