"""What is shown of a game: the board, beside it what is set up, played or looked at; below, sentences and the line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.events import Resize
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from endgame_core.tasks.play import PLAY, REVIEW, SETUP, Play, Thinking
from endgame_core.words import played as words
from endgame_core.words import position
from endgame_core.words.played import Row, counts_of, result_words, rows_of
from endgame_core.words.speech import speech_of
from endgame_core.words.told import Note, Section, Word, wrapped
from endgame_tui.faces import SMALL, Label, View
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.charts import DepthChart
from endgame_tui.widgets.lines import Lines, headline, keyed, listed, moves_line, said, shortened
from endgame_tui.widgets.moves import MovesPanel, headed, in_rows, rated_head, rated_items, take_items
from endgame_tui.widgets.rows import Rows
from endgame_tui.widgets.score import ScorePanel, ScoreView
from endgame_tui.widgets.setup import SetupPanel, SetupView

MOST = 56
"""Columns of the panels where there is room to spare."""

WIDE = 48
"""Columns the panels take at the right end of the widest screens."""

RIGHT = 71
"""The column where they begin there at the latest."""

SLIM = 14
"""A column of moves narrower than this has no room for a headline."""

HIDDEN, SHOWN = "hidden", "shown"
"""Two ways of playing: with the verdict kept back, or not."""


class PlayView(Vertical):
    """Everything on the Play screen between its first row and its last ones.

    Args:
        board: The board.
        id: DOM id.
    """

    @dataclass
    class Wanted(Message):
        """Something is to be done with the game: the name of what the conduct of it does, and what that takes."""

        what: str
        args: tuple[Any, ...]

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.board = board
        self.folded = False
        """Whether the moves or the score cover the board of a small screen."""
        self.stage = ""
        """What is shown: ``setup``, ``hidden``, ``shown`` or ``review``."""
        self._play: Play[Any, Any] | None = None
        self._thinking: Thinking[Any] | None = None
        self._elapsed: Callable[[], float] = float
        self._row = 0
        self._moves = MovesPanel("Moves", id="moves", shape=headed)
        self._rated = Rows("Moves", id="rated")
        self._takes = Rows("Take", id="takes", steady=True)

    def compose(self) -> ComposeResult:
        """The board, the panels, the words below."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield SetupPanel(id="setup")
                yield Lines(id="verdict")
                yield Lines(id="clocks")
                yield Lines(id="result")
                with Container(id="sheet"):
                    yield ScorePanel(id="score")
                    yield self._moves
                    yield self._rated
                    yield self._takes
                    with Horizontal(id="facts"):
                        yield Lines(id="others")
                        yield Lines(id="you")
                yield DepthChart(id="chart")
                yield Lines(id="study")
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

    def show(self, play: Play[Any, Any], thinking: Thinking[Any], elapsed: Callable[[], float]) -> None:
        """Shows a game as it stands; ``elapsed`` tells the seconds of the move under way."""
        anew, self._play, self._thinking, self._elapsed = play is not self._play, play, thinking, elapsed
        stage = {SETUP: SETUP, PLAY: HIDDEN if play.hidden else SHOWN, REVIEW: REVIEW}[play.stage]
        other = anew or stage != self.stage
        self.stage = stage
        if other:
            self.folded = False
            for name in (SETUP, HIDDEN, SHOWN, REVIEW):
                self.set_class(name == stage, f"-{name}")
        self._show_board()
        self._show_panels()
        self.show_facts()
        self.show_words()
        self.show_choice()
        if other:
            self._fit()

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
        best_first = [move.move for move in known.moves] if told else []
        legal = [] if play.stage == SETUP else best_first or list(play.game.moves(play.position))
        named = sorted({point for move in legal for point in _taken(move)}) if not told else []
        at = None if play.stage == SETUP and play.opening is not None else 0
        view = View(
            at, last=play.last, looked=None if item is None else item.move, rated=rated,
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
            return "the game is over: r plays on from here, n begins a new game."
        return "" if play.your_turn else "the defender is to move."

    def _show_panels(self) -> None:
        """The panels beside the board."""
        play = self.play
        if play.stage == SETUP:
            choices = words.choices(play)
            self._row = min(self._row, len(choices) - 1)
            self.query_one(SetupPanel).view = SetupView(
                "New game", choices, self._row, speech_of(play.game.name).setup_keys
            )
            return
        match, review = play.match, play.review
        assert match is not None
        begun_by = play.game.mover(match.start)
        cursor = review.at if review is not None and review.item is not None else None
        marks = review is not None or not play.hidden
        rows = rows_of(play.plies, begun_by)
        if not rows and begun_by == "black":
            rows = (Row(1, ("…", ""), (-1, -1)),)
        self.query_one(ScorePanel).view = ScoreView(rows, cursor, match.you == "white", "", marks)
        if review is not None:
            depths = review.depths if any(depth is None or depth > 0 for depth in review.depths) else ()
            start, end = words.chart(play)
            for chart in self.query(DepthChart):
                chart.show(depths, min(review.at, len(depths) - 1), start=start, end=end)
            self.query_one("#result", Lines).show(self._result)
            self.query_one("#study", Lines).show(keyed(speech_of(play.game.name).study_keys, "Study it"))
        elif not play.hidden:
            self._show_moves()

    def _show_moves(self) -> None:
        """The moves by the layers they reach, or by DTZ; what is thought where no table knows."""
        play = self.play
        known = play.known
        self.set_class(play.by_clock, "-by-clock")
        if play.guessed:
            self._moves.show((), *words.thinking(play, self._thinking.thought if self._thinking else None))
        elif play.by_clock:
            rows = position.rated(known)
            self._rated.show(rated_items(rows), head=lambda size: rated_head(size.width))
        else:
            notice = position.result(known, play.game)[0].capitalize() if known.over else ""
            self._moves.show(position.groups(known.moves), notice)
        self._size_moves()

    def _result(self, size: Size) -> Sequence[Note]:
        """How it ended, how few moves would have done, and the grades counted."""
        match, glyphs = self.play.match, self.board.look.glyphs
        if match is None or match.result is None:
            return ()
        head = shortened(glyphs.plain(result_words(match)), size.width, glyphs.more)
        right = words.perfect(self.play)
        marks = counts_of(match.tally)
        texts = [glyphs.plain(f"{mark.sign} {mark.words}") for mark in marks]
        gap = 3 if sum(map(len, texts)) + 3 * (len(texts) - 1) <= size.width else 1
        counts = [
            Word(f"{' ' * gap if number else ''}{text}", mark.role)
            for number, (text, mark) in enumerate(zip(texts, marks, strict=True))
        ]
        fits = len(head) + len(right) + 2 <= size.width
        return Note((Word(head, bold=True),), (Word(right, "dim"),) if fits and right else ()), Note(tuple(counts))

    def show_facts(self) -> None:
        """Rules, hints, clock; and who replies where no table knows."""
        play, thinking = self._play, self._thinking
        if play is None or thinking is None or play.stage != PLAY:
            return
        rules, opponent, you = words.facts(play, self._elapsed(), thinking.name if play.guessed else "")
        two = play.game.horizon is None
        left: tuple[Section, ...] = (rules, opponent) if two else (rules, you, opponent)
        self.query_one("#others", Lines).show(lambda size: listed(left, size))
        self.query_one("#you", Lines).show(lambda size: listed((you,) if two else (), size))

    def show_words(self) -> None:
        """Verdict, clocks, sentences and the line."""
        play, glyphs = self.play, self.board.look.glyphs
        thinking = self._thinking
        assert thinking is not None
        told = words.headline(play, thinking.thought, thinking.is_awaited, self.board.hand.is_taking)
        self.query_one("#verdict", Lines).show(lambda size: headline(told, size, glyphs))
        reason = words.said(play, self._chosen)
        self.query_one("#reason", Lines).show(lambda size: (said(reason, size.width, glyphs),))
        if play.stage == SETUP:
            self.query_one("#note", Lines).show(lambda size: wrapped(f" {play.setup.study[1]}", size.width - 1, "dim"))
            return
        known, last = play.known, words.last_said(play)
        self.query_one("#clocks", Lines).show(lambda size: words.clocks(play, size.width))
        self.query_one("#last-move", Lines).show(lambda size: (said(last, size.width, glyphs),))
        letters = 10 if known.clock is not None else 15
        self.query_one("#line", Lines).show(
            lambda size: moves_line(
                words.line(play, 2 * max((size.width - 7) * size.height // letters, 2), thinking.thought), size, glyphs
            )
        )

    @property
    def _chosen(self) -> Any:
        """The move under the cursor where moves are told by DTZ, while these have the focus."""
        moves = self.play.known.by_dtz
        number = self._rated.cursor
        return moves[number] if self._rated.has_focus and isinstance(number, int) and number < len(moves) else None

    def show_choice(self) -> None:
        """What may be taken, where a move leaves only that open."""
        play, board = self.play, self.board
        taking = board.hand.is_taking
        other = self.has_class("-taking") is not taking
        self.set_class(taking, "-taking")
        if taking:
            takes = words.takes(play, board.hand.words, board.hand.takeable(board.moves))
            head = Note((), (Word(board.hand.words.partition("x")[0], "faint"),))
            small = self.has_class("-small")
            title, head = ("", None) if small else ("Take", head)
            self._takes.show(take_items(takes), cursor=board.cursor, head=head, title=title)
            self._size_moves()
        elif self._takes.has_focus:
            board.focus()
        if other:
            self.show_words()

    def show_hint(self) -> bool:
        """Puts the cursor on the man of the hint, then on where it goes; False where its sentence is not seen."""
        hint, board = self.play.hint, self.board
        if hint is not None:
            source, end = board.face.ends(hint.move)
            at = source if hint.step == 1 else end
            board.pick(source, board.cursor if at is None else at)
        return bool(self.query_one("#reason").region.height)

    # Where the keys go

    @property
    def _list(self) -> Widget:
        """The panel of moves that is shown with the verdict; else the score."""
        if self.stage != SHOWN:
            return self.query_one(ScorePanel)
        return self._rated if self.has_class("-by-clock") else self._moves

    def home(self) -> Widget:
        """The choices, the board, the game that is looked at."""
        if self.stage == SETUP:
            return self.query_one(SetupPanel)
        return self._list if self.stage == REVIEW or self.folded else self.board

    def moves(self) -> None:
        """Goes to the moves or the game, or back to the board."""
        if self.has_class("-small"):
            if self.stage != SETUP:
                self.folded = not self.folded
                self._fit()
                self.call_after_refresh(lambda: self.home().focus())
        elif self._list.has_focus:
            self.board.focus()
        elif self._list.display and self.stage != SETUP:
            self._list.focus()

    def back(self) -> None:
        """Takes back the last choice of a move, closes a panel, goes back to where the keys belong."""
        if self.board.unpick():
            return
        if self.folded:
            self.moves()
        else:
            self.home().focus()

    @on(SetupPanel.Pointed)
    def _row_pointed(self, event: SetupPanel.Pointed) -> None:
        self._row = event.row
        self._show_panels()

    @on(SetupPanel.Changed)
    def _row_changed(self, event: SetupPanel.Changed) -> None:
        self.post_message(self.Wanted("change", (self.play.rows[event.row], event.by)))

    @on(SetupPanel.Begun)
    def _begun(self) -> None:
        self.post_message(self.Wanted("begin", ()))

    @on(ScorePanel.Stepped)
    def _stepped(self, event: ScorePanel.Stepped) -> None:
        self.post_message(self.Wanted("step", (event.plies,)))

    @on(ScorePanel.Chosen)
    def _ply_chosen(self, event: ScorePanel.Chosen) -> None:
        self.post_message(self.Wanted("go", (event.ply,)))

    @on(MovesPanel.Chosen)
    def _move_chosen(self, event: MovesPanel.Chosen) -> None:
        moves = self.play.known.moves
        if event.number < len(moves):
            self.post_message(self.Wanted("make", (moves[event.number].move,)))

    @on(Rows.Chosen, "#rated")
    def _rated_chosen(self, event: Rows.Chosen) -> None:
        if (chosen := self._chosen) is not None:
            self.post_message(self.Wanted("make", (chosen.move,)))

    @on(Rows.Pointed, "#takes")
    def _take_pointed(self, event: Rows.Pointed) -> None:
        if event.key != self.board.cursor and isinstance(event.key, int):
            self.board.point_at(event.key)

    @on(Rows.Chosen, "#takes")
    def _take_chosen(self, event: Rows.Chosen) -> None:
        if isinstance(event.key, int):
            self.board.choose(event.key)

    @on(Rows.Pointed, "#rated")
    def _rated_pointed(self) -> None:
        self.show_words()

    def on_descendant_focus(self) -> None:
        """A panel was entered or left: the sentence is of the move chosen there, or of the game."""
        if self._play is not None and self.has_class("-by-clock"):
            self.show_words()

    # Where everything stands

    def on_resize(self, _event: Resize) -> None:
        """Fits the panels to the size."""
        if self._play is not None:
            self._fit()

    def _fit(self) -> None:
        """Puts the panels beside the board; folds them away where there is no room for them."""
        width, height = self.screen.size
        small, stones = width < SMALL, self.play.game.horizon is None
        self.folded = self.folded and small
        beside = self.board.get_content_width(self.size, self.size)
        self.set_class(small, "-small")
        self.set_class(stones, "-stones")
        self.set_class(small and width - beside - 1 < SLIM and not self.folded, "-slender")
        self.set_class(self.folded, "-folded")
        main, panels = self.query_one("#main"), self.query_one("#panels")
        above = 0 if small else int(height >= 30) if not stones else 2 * (height >= 38)
        rows = above + self.board.get_content_height(self.size, self.size, 0) + (not stones and not small)
        main.styles.padding = (above, 0, 0, 0)
        main.styles.min_height = rows
        main.styles.height = rows if small and self.stage != SETUP else "1fr"
        below = min(max(self.size.height - rows - 1, 0), 2)
        for name in ("#line", "#note", "#last-move", "#low-chart"):
            self.query_one(name).styles.height = below
        gap = (3 if width < 100 else 6 if stones else 4) if not small else 1
        if not small and not stones and width - 1 - WIDE >= beside + gap:
            gap = min(width - 1 - WIDE, RIGHT) - beside
        covers = self.folded or (small and self.stage == SETUP)
        panels.styles.margin = (0, int(covers or not small), int(not stones and not small), 1 if covers else gap)
        panels.styles.max_width = None if small else MOST
        self._moves.reshape(in_rows if stones or (height < 30 and not self.folded) else headed)
        self._size_moves()

    def _size_moves(self) -> None:
        """Gives the moves, or the stones that may be taken, the rows they may have of their column."""
        if self.stage not in (HIDDEN, SHOWN):
            return
        if self.folded:
            self._moves.styles.height = self._rated.styles.height = "1fr"
            return
        stones, tall = self.play.game.horizon is None, self.screen.size.height >= 30
        height = self.query_one("#panels").size.height - (3 if stones else 2)
        height -= 8 if tall or (stones and self.stage == HIDDEN) else 0
        takes = len(self.board.hand.takeable(self.board.moves))
        self._takes.styles.height = min(takes, max(height - 5, 1)) + 1
        groups = position.groups(self.play.known.moves) if self.stage == SHOWN else ()
        low = min(max(len(groups), 4) + 1, height // 2) if stones else min(10, (height + 8 * tall) // 3)
        self._moves.styles.height = max(low, 2)
        self._rated.styles.height = max(low + max((height - 2 * low - 1) // 2, 0), 2)  # a move takes a row


def _begins(point: int, ends: Sequence[tuple[int | None, int]]) -> bool:
    """Whether a move begins at a point, or puts a man there from the hand."""
    return any(end == point if source is None else source == point for source, end in ends)


def _taken(move: Any) -> tuple[int, ...]:
    return tuple(getattr(move, "taken", ()))
