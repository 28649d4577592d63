"""The words of Nine Men's Morris: wins in plies, stones by their points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from endgame_core.controls import instruct
from endgame_core.errors import EndgameError
from endgame_core.game_state import Win
from endgame_core.language import N_, _, and_list
from endgame_core.morris import notation
from endgame_core.morris.geometry import POINTS, points_of
from endgame_core.morris.rules import BLACK, WHITE, count, flies, lost, mask_of, new_mills
from endgame_core.values import Category
from endgame_core.words.text_model import LabelledValue, Message, Placed, Speech

if TYPE_CHECKING:
    from endgame_core.game import Game
    from endgame_core.probe_result import ProbeResult
    from endgame_core.tables.explorer import Explorer, RatedMove


_MOVE = re.compile(r"(?<![\w/])(?P<start>[a-g][1-7])(?:-(?P<end>[a-g][1-7]))?(?P<taken>(?:x[a-g][1-7])*)(?![\w/])")


def _move_in_words(move: re.Match[str]) -> str:
    """A move in words: ``a7 to d7, takes b4``."""
    result = move["start"]
    if move["end"]:
        result += _(" to {move}").format(move=move["end"])
    captured = move["taken"].split("x")[1:]
    if captured:
        result += _(", takes {taken}").format(taken=and_list(captured))
    return result


class MorrisSpeech(Speech):
    """Wins in plies, stones by their points; and facts that no table has, such as the stones in hand."""

    name = _("Nine Men’s Morris")
    kinds = frozenset((N_("stone"),))
    moves = "d6-d7, c4-e3xd6"
    to_play = "d6, a7-d7, a7-d7xb4"
    how_won: Mapping[Win, str] = {Win.STONES: _("Only two stones are left"), Win.BLOCKED: _("No stone can move")}
    positions = _("a position, 3-4, 3-4 S13, S12")
    rules: Mapping[str, tuple[str, ...]] = {
        N_("Placing"): (
            _(
                "White and Black take turns placing their nine stones on free points. The moving phase begins"
                " once all stones have been placed."
            ),
            _("Tables apply after the placing phase; before that, all values are estimates."),
        ),
        N_("Moving"): (
            _("A stone moves along a line to an adjacent free point."),
            _("A player with exactly three stones may fly: move a stone to any free point."),
        ),
        N_("Mills"): (
            _(
                "Three stones of one side in a row along a line form a mill. If you close a mill, you capture"
                " an opposing stone that is not in a mill, or any opposing stone if all of them are in mills."
            ),
            _("A move captures only one stone, even if it closes two mills. A mill may be opened and closed again."),
        ),
        N_("The end"): (
            _("A player who has fewer than three stones or no legal move loses."),
            _(
                "The game is drawn when a position occurs for the third time, or after 50 moves by each side without a "
                "capture. Tables ignore these two rules."
            ),
        ),
    }
    to_begin = _("a position, 3-4 S13")

    def ending(self, game: Game[Any, Any], position: Any) -> str:
        """White's and Black's stones."""
        if any(position.hands):
            return _("placing")
        return f"{count(position, WHITE)}-{count(position, BLACK)}"

    def called(self, game: Game[Any, Any], position: Any) -> str:
        """Return the same, or the numbers of stones in hand."""
        if any(position.hands):
            white, black = position.hands
            if white == black == 9:
                return _("Nine stones each in hand")
            return _("{white} and {black} stones in hand").format(white=white, black=black)
        return self.ending(game, position)

    def placed(self, position: Any) -> list[Placed]:
        """The stones on the board."""
        result = [(side, POINTS[at]) for side in (0, 1) for at in points_of(mask_of(position, side))]
        return [Placed(("white", "black")[side], "stone", place, "OX"[side]) for side, place in sorted(result)]

    def hands(self, position: Any) -> tuple[int, int]:
        """Return the numbers of stones in hand."""
        return position.hands

    def places_in_rows(self) -> list[str]:
        """The points."""
        return sorted(POINTS)

    def man(self, man: Any) -> str:
        """A stone."""
        del man
        return _("stone")

    def place(self, place: int) -> str:
        """``d5``."""
        return POINTS[place]

    def flying(self, position: Any) -> str:
        """With three stones."""
        if flies(position, position.turn):
            return _("flying")
        return ""

    def why_lost(self, position: Any) -> str:
        """Stones that are left, or that cannot move."""
        return lost(position)

    def reason(self, probe: ProbeResult[Any, Any], wide: bool) -> Message | None:
        """Return the reason for a loss, or the effect of the one best capture; if ``wide``, also that of others."""
        position = probe.position
        verdict = probe.verdict
        result = probe.by_depth
        if any(position.hands):
            return Message(
                "",
                instruct(
                    _("Tables do not cover positions with stones in hand; {play_here} plays on against the search.")
                ),
            )
        if verdict is None or probe.problem is not None:
            return None
        if not result:
            return Message(
                "S0",
                _("{names} has lost: {why_lost}.").format(
                    names=notation.NAMES[position.turn], why_lost=self.why_lost(position)
                ),
            )
        best = [move for move in result if move.grade == "best"]
        if not result[-1].grade:  # some lead to what is not built, and may be as good
            return None
        if len(best) > 1 or not best[0].move.captured or verdict.category is not Category.WIN or len(result) == 1:
            return None
        # Of two mills that a move closes at once, one is enough to find it.
        first, *__ = new_mills(position, best[0].move)
        captured = best[0].move.captured
        mill = "-".join(sorted(POINTS[p] for p in first))
        stones = and_list([POINTS[p] for p in captured])
        words = _("1 of {result} moves is fastest: close {mill} and take {stones}.").format(
            result=len(result), mill=mill, stones=stones
        )
        if wide:
            words += self._another(result, best[0], notation.NAMES[1 - position.turn])
        return Message(f"S{verdict.depth} → S{best[0].layer}", words)

    def _another(self, rated_moves: tuple[RatedMove[Any, Any], ...], best: RatedMove[Any, Any], opponent: str) -> str:
        """Return the result of the same step with another stone taken, if it is worse for all of them."""
        step = (best.move.source, best.move.end)
        others = [move for move in rated_moves if (move.move.source, move.move.end) == step and move is not best]
        if others and all(move.grade == "loss" for move in others):
            plies = min(move.layer or 0 for move in others)
            return _(" If you take a different stone, {opponent} wins in {plies} plies.").format(
                opponent=opponent, plies=plies
            )
        if others and all(move.grade == "draw" for move in others):
            return _(" Taking a different stone throws away the win.")
        return ""

    def idea(self, explorer: Explorer[Any, Any], position: Any, move: Any) -> str:
        """Return what a coach would say first: that the move closes a mill, or takes moves from the other side."""
        game = explorer.game
        if move.captured:
            return _("close a mill")
        passed = game.with_side_switched(position)
        # After the move, the other side has fewer moves than it would have without it.
        if passed is not None and len(game.moves(game.play(position, move))) < len(game.moves(passed)):
            return _("block the other side")
        if move.source is None:
            return ""
        return _("a quiet move")

    def fault(
        self,
        explorer: Explorer[Any, Any],
        mistake: tuple[Any, Any],
        refutation: Sequence[tuple[Any, Any]],
        missed: Sequence[tuple[Any, Any]] = (),
    ) -> str:
        """Return what a mistake allows the other side, or what the player could have had: a mill or a block."""
        if not refutation:
            return ""
        before, move = mistake
        after, reply = refutation[0]
        if reply.captured:
            return _("lets the other side close a mill")
        game = explorer.game
        try:
            winner = explorer.probe(after).winner
            winner_before = explorer.probe(before).winner
        except EndgameError:
            return ""
        if winner == game.mover(after):
            return _fault_of_loss(game, refutation)
        if winner == winner_before or not missed:
            return ""  # later moves of a drawn line prove nothing
        best = missed[0][1]
        if move.captured and (best.source, best.end) == (move.source, move.end):
            return _("takes the wrong stone")
        return _missed_win(game, missed)

    def first_step(self, position: Any, move: Any) -> str:
        """The stone to move, or the ring on which one is to be placed."""
        if move.source is None:
            return _("place a stone on the {value} ring").format(
                value=(_("outer"), _("middle"), _("inner"))[move.end // 8]
            )
        return _("move the stone on {points}").format(points=POINTS[move.source])

    def moves_in_words(self, text: str) -> str:
        """Moves by their points in words."""
        return _MOVE.sub(_move_in_words, super().moves_in_words(text))

    def retold(self, note: str, told_of: Any, copy: Any) -> str:
        """Points and sides are those of the copy."""
        return notation.retold(note, told_of, copy)

    def set_up(self, edit: Any) -> list[LabelledValue]:
        """Return the side to move, and the stones on the board and in hand."""
        position = edit.position
        return [
            LabelledValue(_("to move"), (_("White"), _("Black"))[position.turn], change="turn"),
            LabelledValue(
                _("on board"),
                _("White {count}, Black {count2}").format(count=count(position, WHITE), count2=count(position, BLACK)),
            ),
            *(
                LabelledValue(
                    _("{name}’s hand").format(name=name), str(position.hands[side]), change="hold", whose=(side,)
                )
                for side, name in ((WHITE, _("White")), (BLACK, _("Black")))
            ),
        ]

    def rules_here(self, position: Any) -> dict[str, str]:
        """Return the stones on the board and in hand, and the sides that may fly."""
        sides = ((_("White"), WHITE), (_("Black"), BLACK))
        stones = [
            _("{name} has {count} on the board and {hands} in hand").format(
                name=name, count=count(position, side), hands=position.hands[side]
            )
            for name, side in sides
        ]
        flying = and_list([name for name, side in sides if flies(position, side)]) or _("nobody")
        return {"Placing": f"{', '.join(stones)}.", "Moving": _("{flying} may fly.").format(flying=flying)}


def _mill_in(line: Sequence[tuple[Any, Any]]) -> int:
    """In how many moves the side that begins a line closes a mill; 0 for never."""
    # line[::2]: only the moves of the side that begins. Closing a mill is the only way to capture.
    return next((number for number, (__, move) in enumerate(line[::2], 1) if move.captured), 0)


def _ends_in_block(game: Game[Any, Any], line: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a line ends because the side to move has no move."""
    end = game.play(*line[-1])
    return not game.moves(end)


def _fault_of_loss(game: Game[Any, Any], refutation: Sequence[tuple[Any, Any]]) -> str:
    """How best play after a mistake wins."""
    if number := _mill_in(refutation):
        return _("lets the other side close a mill in {number} moves").format(number=number)
    if _ends_in_block(game, refutation):
        moves = (len(refutation) + 1) // 2
        if moves == 1:
            return _("gets blocked")
        return _("gets blocked in {number} moves").format(number=moves)
    return ""


def _missed_win(game: Game[Any, Any], missed: Sequence[tuple[Any, Any]]) -> str:
    """How best play would have won."""
    if number := _mill_in(missed):
        if number == 1:
            return _("does not close a mill")
        return _("misses a mill in {number} moves").format(number=number)
    if _ends_in_block(game, missed):
        moves = (len(missed) + 1) // 2
        if moves == 1:
            return _("misses a block")
        return _("misses a block in {number} moves").format(number=moves)
    return ""
