"""What the Drill screen shows: its widgets, where they stand, what each is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from textual.app import ComposeResult
from textual.geometry import Region, Size
from textual.widget import Widget

from endgame_core.practice.course import Course
from endgame_core.practice.drills import Call
from endgame_core.values import Category
from endgame_core.words.played import side_name
from endgame_core.words.told import Note, Word, fitted, wrapped
from endgame_tui import drill_scenes as scenes
from endgame_tui import drill_words as words
from endgame_tui.order import Order
from endgame_tui.screens import drill_keys
from endgame_tui.screens.adding import Adding
from endgame_tui.screens.board_plan import Arranged, board_size
from endgame_tui.screens.drill_plan import PANELS, plan
from endgame_tui.sitting import Done, Sitting
from endgame_tui.widgets.frame import JobStrip, KeyBar, TopBar
from endgame_tui.widgets.notes import Notes
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Question
from endgame_tui.widgets.score import ScorePanel


class DrillView(Adding):
    """Shows a sitting; the keys are in the class that extends it, the board in the one of the game.

    Args:
        order: What is drilled.
        course: Keeps journal and schedule.
    """

    def __init__(self, order: Order, course: Course) -> None:
        super().__init__()
        self._order = order
        self._course = course
        self._sitting: Sitting | None = None
        self._summed_up = False
        self._at: int | None = None
        self._called: Category | None = None
        self._given: Call | None = None
        self._line = ""
        self._plan: tuple[object, Arranged] | None = None
        self._shown = ""

    # What a game says

    @property
    def board(self) -> Widget:
        """The board."""
        raise NotImplementedError

    def boards(self) -> Iterable[Widget]:
        """The board, and what asks for a part of a move."""
        raise NotImplementedError

    def fit_board(self) -> None:
        """Gives the board the size it has in the plan."""
        raise NotImplementedError

    def show_board(self) -> None:
        """Shows the board."""
        raise NotImplementedError

    def begin_at(self, flipped: bool) -> None:
        """A drill begins: the board is turned to the learner, the cursor put on one of his men."""
        raise NotImplementedError

    def unpick_quietly(self) -> None:
        """Forgets what was chosen of a move."""
        raise NotImplementedError

    def step_back(self) -> bool:
        """Takes back the last choice of a move; False when nothing was chosen."""
        raise NotImplementedError

    def settle_cursor(self) -> None:
        """After the reply the cursor is on a man again."""
        raise NotImplementedError

    def point_out(self, move: Any, step: int) -> None:
        """Shows the step of a hint on the board."""
        raise NotImplementedError

    def asks_more(self, text: str) -> bool:
        """Whether a typed move is not whole, and the rest of it has been asked for."""
        raise NotImplementedError

    # What is drilled

    @property
    def sitting(self) -> Sitting:
        """The drills and what became of them."""
        assert self._sitting is not None
        return self._sitting

    @property
    def stage(self) -> str:
        """``drill``, ``question``, ``decides``, ``over`` or ``summary``."""
        sitting = self._sitting
        if self._summed_up or sitting is None or sitting.number == 0:
            return "summary"
        if sitting.task.standing.over:
            return "over"
        if sitting.drill is not None:
            return "drill"
        return "question" if self._called is None else "decides"

    @property
    def at_hand(self) -> Any:
        """The position on the board; None before the first drill."""
        sitting = self._sitting
        if sitting is None or sitting.number == 0:
            return None
        if sitting.drill is None:
            return sitting.task.start.position
        match = sitting.drill.match
        at = self._at
        if at is None:
            return match.position
        return match.plies[at - 1].after if at else match.start

    def position_to_add(self) -> str:
        """The position on the board."""
        return "" if self.at_hand is None else self.sitting.explorer.game.format(self.at_hand)

    def side_to_add(self) -> str | None:
        """The side that is drilled."""
        return self.learner

    @property
    def last_move(self) -> Any:
        """The move that led to it, None when none did."""
        sitting = self._sitting
        drill = None if sitting is None or sitting.number == 0 else sitting.drill
        if drill is None:
            return None
        at = len(drill.match.plies) if self._at is None else self._at
        return drill.match.plies[at - 1].move if at else None

    @property
    def learner(self) -> str | None:
        """The learner's side."""
        sitting = self._sitting
        return None if sitting is None or sitting.number == 0 else sitting.task.start.learner

    def compose(self) -> ComposeResult:
        """All widgets; the stage decides which of them are seen."""
        yield TopBar("practise", id="top")
        boards = list(self.boards())
        yield boards[0]
        yield Notes(id="title")
        yield Notes(id="ticks")
        yield Notes(id="facts")
        score = ScorePanel(id="score")
        score.can_focus = False
        yield score
        yield Notes(id="asked")
        yield Notes(id="summary")
        yield Notes(id="comment")
        yield JobStrip(id="strip")
        yield KeyBar(*drill_keys.PLAYING, id="keys")
        yield Prompt(id="prompt")
        yield Question(id="question")
        yield from boards[1:]

    # Where everything stands

    def plan_for(self, size: Size) -> Arranged:
        """Where everything stands on a terminal of a size."""
        coloured = self.look.palette.coloured and self.look.glyphs.unicode
        key = (size, coloured, self.has_strip)
        if self._plan is None or self._plan[0] != key:
            board = board_size(self.GAME, size.width, size.height, coloured)
            made = plan(size.width, size.height, board, strip=self.has_strip)
            self._plan = (key, made)
        return self._plan[1]

    def regions(self, size: Size) -> dict[str, Region]:
        """The plan, as far as the stage wants it."""
        found = dict(self.plan_for(size).regions)
        stage = self.stage
        if self._sitting is not None and self._sitting.number and stage != "summary":
            kind = "drill" if self._sitting.drill is not None else "question"
        else:
            kind = "summary"
        if kind == "question" and "score" in found:
            found["asked"] = found.pop("score")
        wanted = {*PANELS[kind], "top", "keys", "strip"}
        if kind == "summary" and "title" in found:
            wanted.add("board")
        return self.bottom({name: region for name, region in found.items() if name in wanted})

    def fit(self) -> None:
        """Gives the board cells of the right size."""
        self.fit_board()
        if self.is_running and self._sitting is not None:
            self.show()

    # What is shown

    def show(self) -> None:
        """Shows the drill as it stands."""
        stage, sitting, glyphs = self.stage, self.sitting, self.look.glyphs
        if stage != self._shown:
            self._change_stage(stage)
        top = self.query_one(TopBar)
        if stage == "summary":
            top.crumbs, top.right = (glyphs.plain(sitting.order.title), "the end"), ("", "text")
            region = self.regions(self.size).get("summary", Region(0, 0, 40, 10))
            view = scenes.summary(sitting, self._course, region.width, region.height)
            self.query_one("#summary", Notes).view = view
            self._put("comment", ())
            self.show_board()
            return
        top.crumbs = scenes.crumbs(sitting, glyphs)
        self.show_clock()
        region = self.regions(self.size).get("ticks", Region(0, 0, 41, 1))
        self._put("ticks", scenes.ticks(sitting, region.width, stage == "over"))
        self._put("facts", scenes.facts(sitting, region.width, glyphs, stage == "over"))
        if sitting.drill is not None:
            small = self.plan_for(self.size).small
            cursor = None if self._at is None or self._at == 0 else self._at - 1
            self.query_one(ScorePanel).view = scenes.score(sitting.drill, cursor, small, glyphs)
        elif sitting.question is not None:
            self._put("asked", scenes.asked(sitting.question, self._called, self._given, region.width))
        self._put("comment", self._fitted(self._comment()))
        self.show_board()

    def _fitted(self, notes: tuple[Note, ...]) -> tuple[Note, ...]:
        """The comment; on the smallest screens in as many rows as there are."""
        room = self.regions(self.size).get("comment")
        small = self.plan_for(self.size).small
        return fitted(notes, room.width, room.height) if small and room is not None else notes

    def _put(self, name: str, view: tuple[Note, ...]) -> None:
        self.query_one(f"#{name}", Notes).view = view

    def show_clock(self) -> None:
        """Shows what is drilled, and how long it has taken."""
        sitting = self.sitting
        self._put("title", scenes.title(sitting, self.look.glyphs))
        lost = 0 if sitting.drill is None else sitting.drill.plies_lost
        self.query_one(TopBar).right = (words.clock_words(sitting.seconds) + (f" +{lost}" if lost else ""), "text")

    def _change_stage(self, stage: str) -> None:
        """Other panels, other keys."""
        self._shown = stage
        keys = {
            "question": drill_keys.QUESTION, "decides": drill_keys.DECIDES, "over": drill_keys.OVER,
            "summary": drill_keys.SUMMARY,
        }.get(stage, drill_keys.PLAYING)  # fmt: skip
        if stage == "over" and self.sitting.drill is None:
            keys = drill_keys.ANSWERED
        if stage == "drill" and self.sitting.streak is not None:
            keys = drill_keys.STREAK
        self.query_one(KeyBar).offer(*keys)
        self.relayout()
        if self._asking is None:
            self.focus_home()

    def _comment(self) -> tuple[Note, ...]:
        """What the last move was worth; what is to be done, or what became of it."""
        sitting, stage = self.sitting, self.stage
        if (question := sitting.question) is not None:
            return self._question_comment(stage == "over")
        drill = sitting.drill
        assert drill is not None and question is None
        match = drill.match
        number = self._looked_at(match.you)
        last = (words.comment(match, number),) if number is not None else ()
        if stage != "over":
            hint = match.given
            first = words.hint_words(match, hint) if hint is not None else None
            opening = Note((Word(words.opening(drill)),))
            rest = self._decided() or Note((Word(words.aim(drill), "dim"),))
            return (first or (last[0] if last else opening), rest)
        if self._line:
            return (Note((Word("Best  ", bold=True), Word(self._line))), self._outcome())
        solved = self.done is not None and self.done.solved
        about = self._about()
        if self._at is None and solved and about:
            return self._with(about, self._outcome())
        return self._with(about, *(last or ()), self._outcome())

    def _about(self) -> str:
        """The note on the study, about the copy on the board."""
        study, drill = self.sitting.item.study, self.sitting.drill
        if study is None or drill is None:
            return ""
        match = drill.match
        return self.sitting.speech.retold(study.note, match.game.parse(study.position), match.start)

    def _with(self, about: str, *head: Note) -> tuple[Note, ...]:
        """Rows, then a text in the rows left of the comment; what is too long ends in an ellipsis."""
        region = self.regions(self.size).get("comment", Region(0, 0, 40, 1))
        rows, room = wrapped(about, region.width, "dim"), max(region.height - len(head), 1)
        if len(rows) > room:
            rest = " ".join(word.text for row in rows[room - 1 :] for word in row.left)
            rows = (*rows[: room - 1], Note((Word(rest, "dim"),)))
        return (*head, *rows)

    def _looked_at(self, you: str) -> int | None:
        """The learner's ply that is talked about, from 0: the one looked at, else his last."""
        drill = self.sitting.drill
        assert drill is not None
        if self._at is None:
            return words.last_own(drill.match)
        plies = drill.match.plies[: self._at]
        found = [n for n, ply in enumerate(plies) if ply.mover == you and not ply.shown]
        return found[-1] if found else None

    @property
    def done(self) -> Done | None:
        """What became of the drill at hand."""
        sitting = self.sitting
        return sitting.done[-1] if sitting.task.outcome is not None and sitting.done else None

    def _decided(self) -> Note | None:
        """Words about a drill that was decided before it was taken back."""
        if self.sitting.task.outcome is None:
            return None
        return Note((Word("You try again: what it counted stays. n goes to the next drill.", "dim"),))

    def _outcome(self) -> Note:
        drill, done = self.sitting.drill, self.done
        if drill is None or done is None:
            return Note()
        return Note((Word(words.outcome(drill, done), words.verdict_words(done)[1]),))

    def _question_comment(self, over: bool) -> tuple[Note, ...]:
        question = self.sitting.question
        assert question is not None
        mover = side_name(self.sitting.mover)
        if over:
            depth = question.start.perfect
            won = question.start.category is Category.WIN
            layer = "" if depth is None else f"{self.sitting.speech.layer(depth, won)}. "
            best = [move.san for move in question.explorer.moves(question.start.position) if move.grade == "best"]
            told = f"{layer}Best is {words.any_of(best)}." if best else layer
            return (words.answer_words(question, mover), Note((Word(told, "dim"),)))
        if self._called is not None:
            other = "Black" if mover == "White" else "White"
            ask = f"{words.call_words(Call(self._called), mover)}. Would {other} to move change it? y or n"
            return (Note((Word(ask[:1].upper() + ask[1:]),)),)
        return (
            Note((Word(f"{mover} to move: w wins, d draws, l loses?"),)),
            Note((Word("Then: does the move decide, or is it the same whoever moves?", "dim"),)),
        )

    def focus_home(self) -> None:
        """The board has the focus while moves are made."""
        self.set_focus(self.board if self.stage == "drill" else None)
