"""The view of a game: the board with the set-up, the moves or the review beside it, and text below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.geometry import Size
from textual.widget import Widget

from endgame_core.controls import instruct
from endgame_core.language import _
from endgame_core.practice.match import HintStep
from endgame_core.tasks.play_session import PlaySession
from endgame_core.tasks.play_state import PLAY, REVIEW, SETUP, PlayState
from endgame_core.tasks.review import ReviewSession
from endgame_core.values import WINNERS
from endgame_core.words import game_report as words
from endgame_core.words import position
from endgame_core.words.game_report import MoveRow, result_words, rows_of
from endgame_core.words.glossary import speech_of
from endgame_core.words.text_model import Section, TextRow, TextSpan, capital, in_rows, wrapped
from endgame_tui.faces import Label, PositionView
from endgame_tui.widgets.board import MoveBoard
from endgame_tui.widgets.boardview import BoardView
from endgame_tui.widgets.charts import DepthChart
from endgame_tui.widgets.lines import Lines, key_rows, section_rows, truncate
from endgame_tui.widgets.moves import headed_shape, row_shape
from endgame_tui.widgets.rows import ChoiceList, Picker, RowItem
from endgame_tui.widgets.score import ScorePanel
from endgame_tui.widths import WIDE

PANELS_MAX_WIDTH = 56
"""The most columns that the panels take."""

PANELS_WIDE = 48
"""Columns that the panels take at the right end of wide screens."""

PANELS_LAST_COLUMN = 71
"""The rightmost column where the panels start on such screens."""

_HIGH = 50
"""Rows of a screen from which the chart of the game so far has room beside the board."""

HIDDEN = "hidden"
"""The stage of a game that is played without the verdict."""

SHOWN = "shown"
"""The stage of a game that is played with the verdict."""


class PlayView(BoardView):
    """The part of the Play screen between its first row and its last ones."""

    def __init__(self, board: MoveBoard, *, id: str | None = None) -> None:
        super().__init__(board, id=id)
        self.stage = ""
        """The stage of the game: ``setup``, ``hidden``, ``shown`` or ``review``."""
        self._session: PlaySession | None = None
        self._setup_row = 0
        """The number of the setting with the cursor."""

    def compose(self) -> ComposeResult:
        """The board, the panels, the text below."""
        with Horizontal(id="main"):
            yield self.board
            with Vertical(id="panels"):
                yield ChoiceList(_("New game"), id="setup", pointer=False, steady=True)
                yield Lines(id="verdict")
                yield Lines(id="distances")
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
                yield Lines(id="phases")
                yield Lines(id="study")
        with Vertical(id="below"):
            yield Lines(id="reason")
            yield DepthChart(id="low-chart")
            yield Lines(id="last-move")
            yield Lines(id="line")
            yield Lines(id="note")

    # Content

    @property
    def session(self) -> PlaySession:
        """The session that is shown."""
        assert self._session is not None
        return self._session

    @property
    def play(self) -> PlayState[Any, Any]:
        """The game."""
        return self.session.state

    @property
    def _is_stones_game(self) -> bool:
        """Whether the game has no 50-move rule, like Nine Men's Morris: such games have a layout of their own."""
        return self.play.game.horizon is None

    def show(self, session: PlaySession) -> None:
        """Show the current state of a game."""
        is_other_game = session is not self._session
        self._session = session
        play = session.state
        playing_stage = HIDDEN if play.hides_verdict else SHOWN
        stage = {SETUP: SETUP, PLAY: playing_stage, REVIEW: REVIEW}[play.stage]
        # The layout of the panels depends on the stage: see play.tcss.
        needs_fit = is_other_game or stage != self.stage
        self.stage = stage
        if needs_fit:
            self.fold = ""
            self.update_classes({f"-{name}": name == stage for name in (SETUP, HIDDEN, SHOWN, REVIEW)})
        self._show_board()
        self._show_panels()
        self.show_facts()
        self.show_words()
        self.show_choice()
        if needs_fit:
            self.fit()

    def _show_board(self) -> None:
        """Show the board: the targets of a piece, with their layers if the verdict is shown; hint and reviewed move."""
        play = self.play
        board = self.board
        shows_verdict = play.shows_verdict and play.stage != SETUP
        is_playing = play.stage == PLAY
        probe = play.probe
        rated_moves: list[tuple[Any, Label]] = []
        if shows_verdict:
            rated_moves = [(move.move, Label(*position.label(move))) for move in probe.by_depth]

        hint = play.hint
        if hint is not None and hint.step is HintStep.MOVE:
            layer = next((label.text for move, label in rated_moves if move == hint.move), "")
            # In front, because of several labels of one point the first one counts.
            rated_moves.insert(0, (hint.move, Label(layer or board.look.glyphs.check, True)))

        item = play.reviewed_ply
        reviewed_move = None
        if item is not None:
            reviewed_move = item.move
        if reviewed_move is not None and play.game.is_null(reviewed_move):
            reviewed_move = None  # a pass, which no piece makes

        # Without the verdict, neither the order of the moves nor that of the stones to take may reveal the best one.
        best_first = []
        if shows_verdict:
            best_first = [move.move for move in probe.moves]
        legal_moves = []
        if play.stage != SETUP:
            legal_moves = best_first or list(play.game.moves(play.position))
        hinted_points = []
        if hint is not None:
            hinted_points = list(_captures(hint.move))
        if not shows_verdict:
            # Sorted by their numbers, which say nothing about which stone is best to take.
            hinted_points += sorted({point for move in legal_moves for point in _captures(move)})

        hides_cursor = play.stage == SETUP and play.opening is not None
        board.refusal = self._refusal()
        # Before board.show, which moves the cursor in a new position.
        cursor_before = board.cursor
        position_before = board.position
        board.show(
            play.position,
            legal_moves if is_playing else (),
            PositionView(
                cursor=None if hides_cursor else 0,
                last_move=play.last_move,
                reviewed_move=reviewed_move,
                rated_moves=rated_moves,
                show_all=shows_verdict and is_playing,
                idle=not is_playing,
                hinted_points=tuple(hinted_points),
            ),
        )

        # The board was drawn with this cursor; it is drawn once more only if that changes below.
        shown_cursor = board.cursor
        last_move = item.move if item is not None else play.last_move
        if play.stage == REVIEW and last_move is not None:
            board.cursor = board.face.endpoints(last_move)[1]
        elif position_before is not None and play.your_turn:
            # The cursor stays where it was if a move starts there, whatever the defender has moved.
            endpoints = [board.face.endpoints(move) for move in legal_moves]
            if _is_start(cursor_before, endpoints):
                board.cursor = cursor_before
            if not _is_start(board.cursor, endpoints):
                board.reset_cursor()
        if board.cursor != shown_cursor:
            board.repaint()

    def _refusal(self) -> str:
        """A sentence that says why no move can be made on the board now; empty if one can."""
        play = self.play
        if play.stage == SETUP:
            sentence = _("press {begin} on the choices to begin the game")
            if not self._is_stones_game:
                sentence += _("; {edit} lets you set up the board yourself")
            return instruct(f"{sentence}.")
        if play.stage == REVIEW:
            retrying = words.what_r_does(play)
            return instruct(_("the game is over: {retrying}, {new} begins a new game."), retrying=retrying)
        if play.your_turn:
            return ""
        return _("the defender is to move.")

    def _show_panels(self) -> None:
        play = self.play
        if play.stage == SETUP:
            # The settings depend on each other, so there may be fewer than before.
            self._setup_row = min(self._setup_row, len(words.choices(play)) - 1)
            self.query_one(ChoiceList).show(self._setup_items, cursor=self._setup_row)
            return

        match = play.match
        review = play.review
        assert match is not None
        cursor = None
        if review is not None and review.item is not None:
            cursor = review.at
        shows_marks = review is not None or not play.hides_verdict
        rows = rows_of(play.plies)
        if not rows and play.game.mover(match.start) == "black":
            # Black moves first: White's move 1 is shown as skipped, even before there is a move.
            rows = (MoveRow(1, ("…", ""), (-1, -1)),)
        self.query_one(ScorePanel).show(rows, cursor, match.you == "white", shows_marks, both=match.with_friend)

        if review is not None:
            self._show_depths(review, min(review.at, len(review.depths) - 1))
            self.show_rows("phases", lambda size: words.phase_rows(review, size.width))
            self.query_one("#result").styles.height = 3 if match.with_friend else 2
            self.show_rows("result", self._result_rows)
            self.show_rows("study", key_rows(words.study_keys(), _("Study it")))
        elif not play.hides_verdict:
            self._show_moves()
            self._show_depths(ReviewSession.of_match(play.judge, match), None)

    def _show_depths(self, review: ReviewSession[Any, Any], cursor: int | None) -> None:
        """Show the charts of a game, with a selected position unless that is None."""
        # Without a draw or a depth, all positions are unknown or over: the chart would be blank.
        has_depths = any(depth is None or depth > 0 for depth in review.depths)
        start, end = words.chart(review, is_over=cursor is not None)
        # There are two, beside and below the board; play.tcss decides which one a screen has.
        for chart in self.query(DepthChart):
            chart.show(
                review.depths if has_depths else (),
                cursor if has_depths else None,
                outcomes=review.outcomes,
                errors=review.errors,
                start=start,
                end=end,
            )

    def _setup_items(self, size: Size) -> list[RowItem]:
        """The settings of a new game, an explanation of the one with the cursor, and keys that lead elsewhere."""
        choices = words.choices(self.play)
        glyphs = self.board.look.glyphs
        items = [RowItem()]
        for number, choice in enumerate(choices):
            has_cursor = number == self._setup_row
            value = choice.options[choice.chosen]
            if has_cursor and len(choice.options) > 1:
                value = f"‹ {value} ›"
            spans = (
                TextSpan(glyphs.pointer if has_cursor else " ", "amber"),
                TextSpan(f" {choice.label}", "dim"),
                TextSpan(value, bold=has_cursor, at=12),
            )
            items.append(RowItem(spans, key=number))

        explanation = wrapped(glyphs.plain(choices[self._setup_row].description), size.width, "dim") or [TextRow()]
        items += [RowItem(), *(RowItem(row.left) for row in explanation)]
        keys = [
            RowItem((TextSpan("" if number else key, bold=True), TextSpan(row, "dim", at=7)))
            for key, effect in words.setup_keys(self.play.game)
            for number, row in enumerate(in_rows(effect, size.width - 7))
        ]
        # Without room for a blank row, the keys follow the explanation directly.
        has_room = len(items) + len(keys) < size.height - 1
        gap = [RowItem()] if has_room else []
        return items + gap + keys

    def _show_moves(self) -> None:
        """Show the moves by layer or by DTZ, or the engine's thoughts if no table has the position."""
        play = self.play
        probe = play.probe
        self.set_class(play.is_rated_by_dtz_only, "-by-dtz")
        if play.is_estimated:
            self.by_depth.show((), *words.thinking(play, self.session.engine.estimate))
        elif play.is_rated_by_dtz_only:
            self.show_rated(position.rated(probe))
        else:
            notice = ""
            if probe.is_over:
                notice = capital(position.result(probe, play.game)[0])
            self.by_depth.show(position.groups(probe.moves), notice)
        self._size_moves()

    def _result_rows(self, size: Size) -> Sequence[TextRow]:
        """The result, the length of perfect play, and the number of moves of each grade."""
        match = self.play.match
        glyphs = self.board.look.glyphs
        if match is None or match.result is None:
            return ()
        result = truncate(glyphs.plain(result_words(match)), size.width, glyphs.ellipsis)
        perfect = words.perfect(self.play)
        right: tuple[TextSpan, ...] = ()
        if perfect and len(result) + len(perfect) + 2 <= size.width:
            right = (TextSpan(perfect, "dim"),)
        row = TextRow((TextSpan(result, bold=True),), right)
        if match.with_friend:
            reports = (words.side_report(match, side) for side in WINNERS)
            return row, *(TextRow((TextSpan(truncate(report, size.width, glyphs.ellipsis)),)) for report in reports)
        return row, words.counts(match.tally, size.width)

    def show_facts(self) -> None:
        """Show rules, hints and clock, and the opponent."""
        if self._session is None or self.play.stage != PLAY:
            return
        play = self.play
        engine_name = ""
        if play.is_estimated:
            engine_name = self._session.engine.name
        rules, opponent, you = words.facts(play, self._session.elapsed, engine_name)
        glyphs = self.board.look.glyphs
        ellipsis = glyphs.ellipsis
        rule = ""
        if self.query_one("#others", Lines).has_rules:
            rule = glyphs.thin
        left: tuple[Section, ...] = (rules, you, opponent)
        right: tuple[Section, ...] = ()
        if self._is_stones_game:
            left = (rules, opponent)
            right = (you,)
        self.show_rows("others", lambda size: section_rows(left, size, ellipsis, rule))
        self.show_rows("you", lambda size: section_rows(right, size, ellipsis, rule))

    def show_words(self) -> None:
        """Show verdict, distances, sentences and the line."""
        play = self.play
        engine = self.session.engine
        is_taking = self.board.move_input.is_taking
        has_failed = engine.problem is not None
        self.show_headline(words.headline(play, engine.estimate, engine.is_awaited, is_taking, has_failed))
        chosen_move = self._chosen_move
        message = words.message(play, chosen_move)
        match = play.match
        is_at_end = play.review is not None and play.review.item is None
        if self.screen.has_class("-narrow") and match is not None and match.with_friend and is_at_end:
            # Narrow screens have no room for the panel with the result.
            message = replace(message, sentence=f"{words.side_reports(match)}  {message.sentence}")
        self.show_message("reason", lambda __: message)
        if play.stage == SETUP:
            self.show_rows("note", lambda size: wrapped(f" {play.setup.study[1]}", size.width - 1, "dim"))
            return

        last_message = words.last_said(play)
        self.show_rows("distances", lambda size: words.distances_rows(play, size.width))
        self.show_message("last-move", lambda __: last_message)
        letters = 15
        if play.probe.clock is not None:
            letters = 10
        self.show_line(lambda plies: words.line(play, plies, engine.estimate), letters)

    @property
    def _chosen_move(self) -> Any:
        """The move under the cursor in the list by DTZ, while that has the focus."""
        moves = self.play.probe.by_dtz
        number = self.rated.cursor
        if self.rated.has_focus and isinstance(number, int) and number < len(moves):
            return moves[number]
        return None

    def show_choice(self) -> None:
        """Show the stones to choose from if the move lacks only the stone to take."""
        if self.show_takes(partial(words.takes, self.play)):
            self.show_words()
        if self.board.move_input.is_taking:
            self._size_moves()

    def show_hint(self) -> bool:
        """Move the cursor to the piece of the hint, then to its destination; return whether its sentence is visible."""
        hint = self.play.hint
        board = self.board
        if hint is not None:
            source, end = board.face.endpoints(hint.move)
            point = source if hint.step is HintStep.PIECE else end
            if point is None:
                point = board.cursor
            board.pick(source, point)
        return bool(self.query_one("#reason").region.height)

    def copy(self) -> str:
        """Copy the position to the terminal's clipboard; return a sentence that says so."""
        self.app.copy_to_clipboard(self.play.game.format(self.play.position))
        return _("copied the {position}.").format(position=speech_of(self.play.game.name).position)

    # Focus

    def panel_named(self, name: str) -> Widget:
        """The settings of a new game, the moves if the verdict is shown, else the score."""
        if self.stage == SETUP:
            return self.query_one(ChoiceList)
        if self.stage == SHOWN:
            return super().panel_named(name)
        return self.query_one(ScorePanel)

    def home(self) -> Widget:
        """The widget that has the focus by default: the settings, the board, or the score of a finished game."""
        if self.stage in (SETUP, REVIEW) or self.fold:
            return self.panel_named("moves")
        return self.board

    def panel(self, name: str) -> None:
        """Focus the moves or the score, or the board again."""
        if self.stage != SETUP:
            super().panel(name)

    @on(Picker.Pointed, "#setup")
    def _on_setup_pointed(self, event: Picker.Pointed) -> None:
        if self.play.stage == SETUP and not event.entered:
            self._setup_row = event.key
            self._show_panels()

    @on(Picker.Pointed, "#rated")
    def _on_rated_pointed(self) -> None:
        self.show_words()

    def on_descendant_focus(self) -> None:
        """Update the sentence, which is about the chosen move while the list by DTZ has the focus."""
        if self._session is not None and self.has_class("-by-dtz"):
            self.show_words()

    # Layout

    def fit(self) -> None:
        """Arrange board and panels for the size of the screen."""
        if self._session is None:
            return
        super().fit()
        # Before the first layout the view has no size.
        width = self.size.width or self.screen.size.width
        height = self.screen.size.height
        is_small = self.has_class("-small")
        is_stones = self._is_stones_game
        self.set_class(is_stones, "-stones")
        self.set_class(height >= _HIGH, "-high")
        self.takes.title = "" if is_small else _("Take")

        # Above the board: up to two blank rows on high screens. A chess board has another one below.
        rows_above = 0
        if not is_small:
            if is_stones:
                rows_above = 2 * (height >= 38)
            else:
                rows_above = int(height >= 30)
        rows = rows_above + self.board.content_rows(self.size)
        if not is_stones and not is_small:
            rows += 1
        main = self.query_one("#main")
        main.styles.padding = (rows_above, 0, 0, 0)
        main.styles.min_height = rows
        # On small screens the board has exactly its rows, and the text below all others; the setup covers the board.
        main.styles.height = rows if is_small and self.stage != SETUP else "1fr"
        free_rows = 3 if self.fold else self.size.height - rows
        rows_below = self.fit_below(free_rows, 3)
        self.query_one("#reason").styles.max_height = rows_below - (not is_small)

        # Beside the board: a gap, or as much space as puts the panels at the right end of a wide screen.
        gap = 1
        if not is_small:
            wide_gap = 6 if is_stones else 4
            gap = 3 if width < 100 else wide_gap
        board_columns = width - self.columns_beside - 1
        # On wide screens the panels stand at the right end, but not farther right than PANELS_LAST_COLUMN.
        if not is_small and not is_stones and width - 1 - PANELS_WIDE >= board_columns + gap:
            gap = max(min(width - 1 - PANELS_WIDE, PANELS_LAST_COLUMN) - board_columns, gap)
        # Panels that cover the board are inset by a column at both ends; beside it, the gap is at their left.
        is_folded = bool(self.fold)
        covers_board = is_folded or (is_small and self.stage == SETUP)
        right = int(covers_board or not is_small)
        bottom = int(not is_stones and not is_small)
        left = 1 if covers_board else gap
        panels = self.query_one("#panels")
        panels.styles.margin = (0, right, bottom, left)
        if is_small or self.screen.has_class("-huge"):
            max_width = None
        else:
            max_width = PANELS_MAX_WIDTH
        panels.styles.max_width = max_width

        # With little height, and always beside stones, a group of moves has one row; else a heading and rows below.
        is_low = (is_stones or (height < 30 and not is_folded)) and not self.has_class("-spread")
        if self._is_side_by_side:
            is_low = False
        if is_low:
            self.by_depth.reshape(row_shape)
        else:
            self.by_depth.reshape(headed_shape)
        self._size_moves()

    @property
    def _is_side_by_side(self) -> bool:
        """Whether the moves are beside the game."""
        return self.stage == SHOWN and not self._is_stones_game and self.screen.size.width >= WIDE

    def _size_moves(self) -> None:
        """Divide the rows of their column between the moves, or the stones to take, and the other panels."""
        if self.stage not in (HIDDEN, SHOWN):
            return
        if self.fold or self.has_class("-spread") or self._is_side_by_side:
            self.by_depth.styles.height = "1fr"
            self.rated.styles.height = "1fr"
            return

        is_stones = self._is_stones_game
        is_high = self.screen.size.height >= 30
        # The rows of the panels without verdict and distances, in a stones game without verdict and its margin.
        rows_above = 3 if is_stones else 2
        height = self.query_one("#panels").size.height - rows_above
        has_facts_below = is_high or (is_stones and self.stage == HIDDEN)
        if has_facts_below and not self.screen.has_class("-huge"):
            # The facts: 7 rows (play.tcss) and a margin.
            height -= 8

        stones = len(self.board.move_input.takeable_points(self.board.moves))
        self.takes.styles.height = min(stones, max(height - 5, 1)) + 1
        if is_stones:
            groups = ()
            if self.stage == SHOWN:
                groups = position.groups(self.play.probe.moves)
            by_depth_rows = min(max(len(groups), 4) + 1, height // 2)
        else:
            by_depth_rows = min(10, (height + 8 * is_high) // 3)
        self.by_depth.styles.height = max(by_depth_rows, 2)
        # The list by DTZ has a row for each move: it also takes half of the rows that are still free.
        free_rows = max((height - 2 * by_depth_rows - 1) // 2, 0)
        self.rated.styles.height = max(by_depth_rows + free_rows, 2)


def _is_start(point: int, endpoints: Sequence[tuple[int | None, int]]) -> bool:
    """Whether a move starts at a point, or places a stone from the hand there."""
    for source, end in endpoints:
        start = end if source is None else source
        if start == point:
            return True
    return False


def _captures(move: Any) -> tuple[int, ...]:
    """The points from which a move of Nine Men's Morris takes stones."""
    return tuple(getattr(move, "captured", ()))
