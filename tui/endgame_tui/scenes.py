"""Turns the facts of a position into what each panel of the Explore screen shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

import chess

from endgame_core.tables.explorer import Previous, RatedMove
from endgame_core.words.numbers import grouped
from endgame_core.words.told import Headline, Line, Said
from endgame_tui import fifty_scenes
from endgame_tui.look import UNICODE, Glyphs
from endgame_tui.trail import Findings, Trail, loses, unbuilt
from endgame_tui.walk import Facts, Walk
from endgame_tui.widgets.board import Label
from endgame_tui.widgets.groups import Group
from endgame_tui.widgets.old_moves import MovesView
from endgame_tui.widgets.promotion import Option
from endgame_tui.widgets.squares import Man, SquaresView

Found = Findings[Any, Any]
AnyMove = RatedMove[Any, Any]
AnyEarlier = Previous[Any, Any]


def men(position: chess.Board) -> dict[int, Man]:
    """The men by square."""
    return {square: Man(piece.symbol().upper(), piece.color) for square, piece in position.piece_map().items()}


def labels(facts: Facts, source: int | None) -> dict[int, Label]:
    """Where the man on ``source`` can go, and the layer each move leads to."""
    return labels_of(facts.moves, source)


def labels_of(moves: Iterable[RatedMove[chess.Board, chess.Move]], source: int | None) -> dict[int, Label]:
    """The same for rated moves."""
    found: dict[int, Label] = {}
    for move in moves:
        if move.move.from_square == source and move.move.to_square not in found:
            text = "=" if move.layer is None else f"S{move.layer}"
            found[move.move.to_square] = Label(text, move.grade == "best")
    return found


def board_view(walk: Walk, cursor: int, picked: int | None, flipped: bool, show_all: bool) -> SquaresView:
    """The board; a man picked up, or under the cursor where cells are large, shows its moves."""
    source = picked if picked is not None else cursor if show_all else None
    move = walk.step.move
    return SquaresView(
        men=men(walk.position),
        cursor=cursor,
        picked=picked,
        moved=(move.from_square, move.to_square) if move else None,
        labels=labels(walk.facts, source),
        flipped=flipped,
    )


def crumbs(facts: Found) -> tuple[str, ...]:
    """Ending, family, layer, place in the layer; a position whose value en passant makes is in no list.

    Layers by DTZ are called so.
    """
    place = facts.place
    if place is None or facts.verdict is None:
        return (facts.name,)
    at = f"{grouped(place.number)}/{grouped(place.total)}" if place.number else "en passant"
    layer = "=" if place.n is None else f"S{place.n}"
    metric = facts.explorer.game.metric
    return facts.name, facts.family(), f"DTZ {layer}" if metric == "dtz" else layer, at


def verdict_view(facts: Facts, glyphs: Glyphs) -> Headline:
    """The verdict row."""
    words, role = facts.result
    depth = facts.verdict.depth if facts.verdict else None
    if depth and not facts.over:
        words += f" {glyphs.middle} {depth} {'ply' if depth == 1 else 'plies'}"
    white = facts.position.turn == chess.WHITE
    return Headline(white, f"{'White' if white else 'Black'} to move", words, role)


def _kind(move: AnyMove) -> tuple[str, int | None]:
    return move.grade, move.layer


def moves_view(facts: Found, cursor: int, glyphs: Glyphs) -> MovesView:
    """The legal moves by the layer they reach, best first."""
    if facts.problem is not None:
        return MovesView(notice=())
    if not facts.moves:
        words, _ = facts.result
        return MovesView(notice=(words.capitalize(),))
    groups = [
        _group(grade, layer, list(moves), facts, glyphs) for (grade, layer), moves in groupby(facts.moves, key=_kind)
    ]
    return MovesView(tuple(groups), min(cursor, len(facts.moves) - 1))


def _group(grade: str, layer: int | None, moves: list[AnyMove], facts: Found, glyphs: Glyphs) -> Group:
    names = tuple(move.san for move in moves)
    title = "draw" if layer is None else f"S{layer}"
    later = f"{moves[0].later} plies"
    if grade == "best":
        drawn = layer is None
        note = "holds" if drawn and len(names) < len(facts.moves) else "best"
        if len(names) > 1:
            note += f" {glyphs.middle} {len(names)} tie"
        return Group(title, note, "draw" if drawn else "win", names, best=True)
    if grade in ("slower", "faster"):
        return Group(title, f"{later} {'later' if grade == 'slower' else 'sooner'}", "text", names)
    if grade == "draw":
        return Group(title, "win gone", "draw", names)
    if grade in fifty_scenes.BY_NAME:
        kind = fifty_scenes.BY_NAME[grade]
        return Group(title, kind.words, kind.role, names)
    return Group(title, "loses", "loss", names)


def promotion_options(facts: Facts, moves: Sequence[chess.Move]) -> tuple[Option, ...]:
    """The pieces a pawn may become, and the layer each leads to as far as the tables tell."""
    rated = {move.move: move for move in facts.moves}
    options: list[Option] = []
    for move in moves:
        piece = move.promotion or chess.QUEEN
        key, name = chess.piece_symbol(piece), chess.piece_name(piece)
        found = rated.get(move)
        if found is None:
            options.append(Option(key, name))
            continue
        group = _group(found.grade, found.layer, [found], facts, UNICODE)
        short = f"+{found.later}" if found.grade == "slower" else group.note
        options.append(Option(key, name, group.title, group.note, short, group.role))
    return tuple(options)


def reason_view(facts: Found, plain: Callable[[str], str]) -> Said:
    """The sentence, its heading apart."""
    if ending := unbuilt(facts.problem):
        return Said("", plain(f"{ending} is not built; press . to build it."), "text")
    if facts.problem is not None:
        words = plain(str(facts.problem))
        return Said("", words[:1].upper() + words[1:], "text")
    heading, _, sentence = facts.sentence.partition("  ")
    if not sentence:
        heading, sentence = "", facts.sentence
    role = "draw" if heading == "Draw" else "text"
    return Said(plain(heading), plain(sentence), role)


def line_view(walk: Trail[Any, Any], most: int) -> Line:
    """The best line from here, as far as it can be shown."""
    moves, found = walk.line(most), walk.about_line
    depth = found.verdict.depth if found.verdict else None
    white = walk.rules.mover(walk.position) == "white"
    complete = depth is None or depth <= len(moves)
    return Line(tuple(walk.spelled(moves)), white, not loses(found), complete)
