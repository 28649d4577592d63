"""What is shown of a game: the board, beside it what is set up, played or looked at; below, sentences and the line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.tasks.play import PLAY, REVIEW, SETUP, EngineTask, Play
from endgame_core.words import game_report as words
from endgame_core.words import position
from endgame_core.words.game_report import MoveRow, result_words, rows_of
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import Section, TextRow, TextSpan, wrapped
from endgame_tui.faces import Label, PositionView
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.boardview import BoardView
from endgame_tui.widgets.charts import DepthChart
from endgame_tui.widgets.lines import Lines, keyed, listed, shortened
from endgame_tui.widgets.moves import headed, in_rows
from endgame_tui.widgets.rows import ChoiceList, Picker, RowItem
from endgame_tui.widgets.score import ScorePanel

MOST = 56
"""Columns of the panels where there is room to spare."""

WIDE = 48
"""Columns the panels take at the right end of the widest screens."""

RIGHT = 71
"""The column where they begin there at the latest."""

HIDDEN, SHOWN = "hidden", "shown"
"""Two ways of playing: with the verdict kept back, or not."""


class PlayView(BoardView):
    """Everything on the Play screen between its first row and its last ones."""

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(board, id=id)
        self.stage = ""
        """What is shown: ``setup``, ``hidden``, ``shown`` or ``review``."""
        self._play: Play[Any, Any] | None = None
        self._thinking: EngineTask[Any] | None = None
        self._elapsed: Callable[[], float] = float
        self._row = 0

    def compose(self) -> ComposeResult:
        """The board, the panels, the words below."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield ChoiceList("New game", id="setup", pointer=False, steady=True)
                yield Lines(id="verdict")
                yield Lines(id="clocks")
                yield Lines(id="result")
                with Container(id="sheet"):
                    yield ScorePanel(id="score")
                    yield self.by_depth
                    yield self.rated
                    yield self.takes
                    with Horizontal(id="facts"):
                        yield Lines(id="others")
                        yield Lines(id="you")
                yield DepthChart(id="chart")
                yield Lines(id="study")
        with Vertical(id="below"):
            yield Lines(id="reason")
            yield DepthChart(id="low-chart")
            yield Lines(id="last-move")
            yield Lines(id="line")
            yield Lines(id="note")

    # What is shown

    @property
    def play(self) -> Play[Any, Any]:
        """The game."""
        assert self._play is not None
        return self._play

    def show(self, play: Play[Any, Any], thinking: EngineTask[Any], elapsed: Callable[[], float]) -> None:
        """Shows a game as it stands; ``elapsed`` tells the seconds of the move under way."""
        anew, self._play, self._thinking, self._elapsed = play is not self._play, play, thinking, elapsed
        stage = {SETUP: SETUP, PLAY: HIDDEN if play.hidden else SHOWN, REVIEW: REVIEW}[play.stage]
        other = anew or stage != self.stage
        self.stage = stage
        if other:
            self.fold = ""
            self.update_classes({f"-{name}": name == stage for name in (SETUP, HIDDEN, SHOWN, REVIEW)})
        self._show_board()
        self._show_panels()
        self.show_facts()
        self.show_words()
        self.show_choice()
        if other:
            self.fit()

    def _show_board(self) -> None:
        """The board; where a man can go, with the layers once they may be told; the hint; the move looked at."""
        play, board = self.play, self.board
        told = play.told and play.stage != SETUP
        known = play.known
        rated = [(move.move, Label(*position.label(move))) for move in known.by_depth] if told else []
        hint = play.hint if play.hint is not None and play.hint.step == 2 else None
        if hint is not None:
            text = next((label.text for move, label in rated if move == hint.move), "")
            rated.insert(0, (hint.move, Label(text or self.board.look.glyphs.check, True)))
        item, playing = play.looked_at, play.stage == PLAY
        looked = None if item is None else item.move
        if looked is not None and play.game.is_null(looked):
            looked = None  # no piece makes it
        best_first = [move.move for move in known.moves] if told else []
        legal = [] if play.stage == SETUP else best_first or list(play.game.moves(play.position))
        named = sorted({point for move in legal for point in _taken(move)}) if not told else []
        at = None if play.stage == SETUP and play.opening is not None else 0
        view = PositionView(
            at, last=play.last, looked=looked, rated=rated,
            show_all=told and playing, idle=not playing, named=(*(() if hint is None else _taken(hint.move)), *named),
        )  # fmt: skip
        board.refusal = self._refusal()
        kept, before = board.cursor, board.position
        board.show(play.position, legal if playing else (), view)
        moved = item.move if item is not None else play.last
        if play.stage == REVIEW and moved is not None:
            board.cursor = board.face.ends(moved)[1]
        elif before is not None and play.your_turn:
            board.cursor = kept if _begins(kept, [board.face.ends(move) for move in legal]) else board.cursor
            if not _begins(board.cursor, [board.face.ends(move) for move in legal]):
                board.put_cursor()
        board.repaint()

    def _refusal(self) -> str:
        """Why no move can be made by hand now."""
        play = self.play
        if play.stage == SETUP:
            byhand = "; E sets the board up by hand" if play.game.horizon is not None else ""
            return f"Enter on the choices begins the game{byhand}."
        if play.stage == REVIEW:
            return f"the game is over: {words.what_r_does(play)}, n begins a new game."
        return "" if play.your_turn else "the defender is to move."

    def _show_panels(self) -> None:
        """The panels beside the board."""
        play = self.play
        if play.stage == SETUP:
            self._row = min(self._row, len(words.choices(play)) - 1)
            self.query_one(ChoiceList).show(self._choices, cursor=self._row)
            return
        match, review = play.match, play.review
        assert match is not None
        cursor = review.at if review is not None and review.item is not None else None
        marks = review is not None or not play.hidden
        rows = rows_of(play.plies)
        if not rows and play.game.mover(match.start) == "black":
            rows = (MoveRow(1, ("…", ""), (-1, -1)),)
        self.query_one(ScorePanel).show(rows, cursor, match.you == "white", marks)
        if review is not None:
            depths = review.depths if any(depth is None or depth > 0 for depth in review.depths) else ()
            start, end = words.chart(review)
            for chart in self.query(DepthChart):
                chart.show(depths, min(review.at, len(depths) - 1), start=start, end=end)
            self.put("result", self._result)
            self.put("study", keyed(words.study_keys(), "Study it"))
        elif not play.hidden:
            self._show_moves()

    def _choices(self, size: Size) -> list[RowItem]:
        """What a new game is to be; what the row with the cursor means; keys that lead elsewhere."""
        choices, glyphs = words.choices(self.play), self.board.look.glyphs
        items = [RowItem()]
        for number, choice in enumerate(choices):
            value, here = choice.options[choice.chosen], number == self._row
            if here and len(choice.options) > 1:
                value = f"‹ {value} ›"
            pointer = TextSpan(glyphs.pointer if here else " ", "amber")
            items.append(
                RowItem((pointer, TextSpan(f" {choice.label}", "dim"), TextSpan(value, bold=here, at=12)), key=number)
            )
        about = wrapped(glyphs.plain(choices[self._row].about), size.width, "dim") or [TextRow()]
        items += [RowItem(), *(RowItem(row.left) for row in about)]
        keys = [
            RowItem((TextSpan(key, bold=True), TextSpan(does, "dim", at=7)))
            for key, does in words.setup_keys(self.play.game)
        ]
        return items + [RowItem()] * max(min(size.height - 1 - len(items) - len(keys), 1), 0) + keys

    def _show_moves(self) -> None:
        """The moves by the layers they reach, or by DTZ; what is thought where no table knows."""
        play = self.play
        known = play.known
        self.set_class(play.by_clock, "-by-clock")
        if play.guessed:
            self.by_depth.show((), *words.thinking(play, self._thinking.thought if self._thinking else None))
        elif play.by_clock:
            self.show_rated(position.rated(known))
        else:
            notice = position.result(known, play.game)[0].capitalize() if known.is_over else ""
            self.by_depth.show(position.groups(known.moves), notice)
        self._size_moves()

    def _result(self, size: Size) -> Sequence[TextRow]:
        """How it ended, how few moves would have done, and the grades counted."""
        match, glyphs = self.play.match, self.board.look.glyphs
        if match is None or match.result is None:
            return ()
        head = shortened(glyphs.plain(result_words(match)), size.width, glyphs.more)
        right = words.perfect(self.play)
        fits = len(head) + len(right) + 2 <= size.width
        row = TextRow((TextSpan(head, bold=True),), (TextSpan(right, "dim"),) if fits and right else ())
        return row, words.counts(match.tally, size.width)

    def show_facts(self) -> None:
        """Rules, hints, clock; and who replies where no table knows."""
        play, thinking = self._play, self._thinking
        if play is None or thinking is None or play.stage != PLAY:
            return
        rules, opponent, you = words.facts(play, self._elapsed(), thinking.name if play.guessed else "")
        two = play.game.horizon is None
        left: tuple[Section, ...] = (rules, opponent) if two else (rules, you, opponent)
        more = self.board.look.glyphs.more
        self.put("others", lambda size: listed(left, size, more))
        self.put("you", lambda size: listed((you,) if two else (), size, more))

    def show_words(self) -> None:
        """Verdict, clocks, sentences and the line."""
        play, thinking = self.play, self._thinking
        assert thinking is not None
        taking, failed = self.board.hand.is_taking, thinking.trouble is not None
        self.put_headline(words.headline(play, thinking.thought, thinking.is_awaited, taking, failed))
        chosen = self._chosen
        self.put_said("reason", lambda _: words.said(play, chosen))
        if play.stage == SETUP:
            self.put("note", lambda size: wrapped(f" {play.setup.study[1]}", size.width - 1, "dim"))
            return
        last = words.last_said(play)
        self.put("clocks", lambda size: words.clocks(play, size.width))
        self.put_said("last-move", lambda _: last)
        letters = 10 if play.known.clock is not None else 15
        self.put_line(lambda plies: words.line(play, plies, thinking.thought), letters)

    @property
    def _chosen(self) -> Any:
        """The move under the cursor where moves are told by DTZ, while these have the focus."""
        moves, number = self.play.known.by_dtz, self.rated.cursor
        return moves[number] if self.rated.has_focus and isinstance(number, int) and number < len(moves) else None

    def show_choice(self) -> None:
        """What may be taken, where a move leaves only that open."""
        if self.show_takes(partial(words.takes, self.play)):
            self.show_words()
        if self.board.hand.is_taking:
            self._size_moves()

    def show_hint(self) -> bool:
        """Puts the cursor on the man of the hint, then on where it goes; False where its sentence is not seen."""
        hint, board = self.play.hint, self.board
        if hint is not None:
            source, end = board.face.ends(hint.move)
            at = source if hint.step == 1 else end
            board.pick(source, board.cursor if at is None else at)
        return bool(self.query_one("#reason").region.height)

    def copy(self) -> str:
        """Copies the position to the terminal's clipboard; tells so in a sentence."""
        self.app.copy_to_clipboard(self.play.game.format(self.play.position))
        return f"copied the {speech_of(self.play.game.name).position}."

    # Where the keys go

    def named(self, name: str) -> Widget:
        """The panel of moves that is shown with the verdict; else the score; while a game is set up, the choices."""
        if self.stage == SETUP:
            return self.query_one(ChoiceList)
        return super().named(name) if self.stage == SHOWN else self.query_one(ScorePanel)

    def home(self) -> Widget:
        """The choices, the board, the game that is looked at."""
        return self.named("moves") if self.stage in (SETUP, REVIEW) or self.fold else self.board

    def panel(self, name: str) -> None:
        """Goes to the moves or the game, or back to the board."""
        if self.stage != SETUP:
            super().panel(name)

    @on(Picker.Pointed, "#setup")
    def _row_pointed(self, event: Picker.Pointed) -> None:
        if self.play.stage == SETUP and not event.entered:
            self._row = event.key
            self._show_panels()

    @on(Picker.Pointed, "#rated")
    def _rated_pointed(self) -> None:
        self.show_words()

    def on_descendant_focus(self) -> None:
        """A panel was entered or left: the sentence is of the move chosen there, or of the game."""
        if self._play is not None and self.has_class("-by-clock"):
            self.show_words()

    # Where everything stands

    def fit(self) -> None:
        """Puts the panels beside the board; folds them away where there is no room for them."""
        if self._play is None:
            return
        super().fit()
        width, height = self.size.width or self.screen.size.width, self.screen.size.height
        small, stones, folded = self.has_class("-small"), self._play.game.horizon is None, bool(self.fold)
        self.set_class(stones, "-stones")
        self.takes.title = "" if small else "Take"
        main, panels = self.query_one("#main"), self.query_one("#panels")
        above = 0 if small else int(height >= 30) if not stones else 2 * (height >= 38)
        rows = above + self.board.high(self.size) + (not stones and not small)
        main.styles.padding = (above, 0, 0, 0)
        main.styles.min_height = rows
        main.styles.height = rows if small and self.stage != SETUP else "1fr"
        below = self.fit_below(self.size.height - rows, 3)
        self.query_one("#reason").styles.max_height = below - (not small)
        gap = (3 if width < 100 else 6 if stones else 4) if not small else 1
        beside = width - self.beside - 1
        if not small and not stones and width - 1 - WIDE >= beside + gap:
            gap = max(min(width - 1 - WIDE, RIGHT) - beside, gap)
        covers = folded or (small and self.stage == SETUP)
        panels.styles.margin = (0, int(covers or not small), int(not stones and not small), 1 if covers else gap)
        panels.styles.max_width = None if small or self.screen.has_class("-huge") else MOST
        low = (stones or (height < 30 and not folded)) and not self.has_class("-spread")
        self.by_depth.reshape(in_rows if low else headed)
        self._size_moves()

    def _size_moves(self) -> None:
        """Gives the moves, or the stones that may be taken, the rows they may have of their column."""
        if self.stage not in (HIDDEN, SHOWN):
            return
        if self.fold or self.has_class("-spread"):
            self.by_depth.styles.height = self.rated.styles.height = "1fr"
            return
        stones, tall = self.play.game.horizon is None, self.screen.size.height >= 30
        height = self.query_one("#panels").size.height - (3 if stones else 2)
        above = tall or (stones and self.stage == HIDDEN)
        height -= 8 if above and not self.screen.has_class("-huge") else 0
        takes = len(self.board.hand.takeable(self.board.moves))
        self.takes.styles.height = min(takes, max(height - 5, 1)) + 1
        groups = position.groups(self.play.known.moves) if self.stage == SHOWN else ()
        low = min(max(len(groups), 4) + 1, height // 2) if stones else min(10, (height + 8 * tall) // 3)
        self.by_depth.styles.height = max(low, 2)
        self.rated.styles.height = max(low + max((height - 2 * low - 1) // 2, 0), 2)  # a move takes a row


def _begins(point: int, ends: Sequence[tuple[int | None, int]]) -> bool:
    """Whether a move begins at a point, or puts a man there from the hand."""
    return any(end == point if source is None else source == point for source, end in ends)


def _taken(move: Any) -> tuple[int, ...]:
    return tuple(getattr(move, "taken", ()))
