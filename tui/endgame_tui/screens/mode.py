"""What every screen has: the frame, the strip, the prompt and the question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.events import Resize, ScreenResume
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.screen import Screen
from textual.widget import Widget

from endgame_core.errors import EndgameError
from endgame_core.words.numbers import duration
from endgame_tui.jobs import Wish
from endgame_tui.look import Look
from endgame_tui.session import Session, is_cancel
from endgame_tui.widgets.frame import JobStrip, JobView, TopBar
from endgame_tui.widgets.prompt import Prompt
from endgame_tui.widgets.question import Choice, Question

if TYPE_CHECKING:
    from endgame_tui.app import EndgameApp


ASKING = frozenset(
    {
        *("type", "go_to", "find", "delete", "build_set", "show_me", "new", "save", "load", "send", "add", "build"),
        *("export", "import", "clock"),
    }
)
"""Actions that ask for something; their keys come first, see the bindings."""

TYPING = frozenset({"type", "go_to", "find", "clock"})
"""Those of them that ask for a text: at an open question they mean no, and what is typed next goes into the prompt."""


class _Planned(Layout):
    """Puts every widget where the screen's plan says; the others are not shown."""

    name = "planned"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        assert isinstance(parent, ModeScreen)
        regions = parent.regions(size)
        return [
            WidgetPlacement(regions[child.id], NULL_OFFSET, Spacing(), child)
            for child in children
            if child.id in regions
        ]


class ModeScreen(Screen[None]):
    """A screen with top bar, key bar, and between them whatever its plan says."""

    AUTO_FOCUS = ""
    GAME: ClassVar[str] = "chess"
    """The game it is about, where it is about one."""

    def __init__(self) -> None:
        super().__init__()
        self._planned = _Planned()
        self._notice = JobView()
        self._asking: Widget | None = None
        self._answer: Callable[[str], object] | None = None
        self._seen = 0

    @property
    def layout(self) -> Layout:
        """Widgets stand where the plan says."""
        return self._planned

    @property
    def session(self) -> Session:
        """What the screens share."""
        return cast("EndgameApp", self.app).session

    @property
    def look(self) -> Look:
        """The palette and glyphs of the app."""
        return cast("EndgameApp", self.app).look

    def regions(self, size: Size) -> dict[str, Region]:
        """Regions by widget id for a terminal of this size."""
        raise NotImplementedError

    def refresh_tables(self) -> None:
        """Shows tables that have come or gone meanwhile."""

    @property
    def has_strip(self) -> bool:
        """Whether the row above the keys is in use."""
        return self.session.job is not None or bool(self._notice.words)

    def bottom(self, regions: dict[str, Region]) -> dict[str, Region]:
        """Lets the prompt or the question take the place of the keys."""
        if self._asking is not None and self._asking.id:
            regions[self._asking.id] = regions.pop("keys")
        return regions

    # The strip

    def say(self, text: str, role: str = "text") -> None:
        """Shows one sentence above the keys, until the next thing happens."""
        glyphs = self.look.glyphs
        text = glyphs.plain(text)
        self._notice = JobView(words=text[:1].upper() + text[1:], role=role)
        self.show_strip()

    def complain(self, problem: EndgameError) -> None:
        """Shows what was wrong and what to do."""
        self.say(str(problem), "loss")

    def hush(self) -> None:
        """Takes the sentence away."""
        if self._notice.words:
            self._notice = JobView()
            self.show_strip()

    def show_strip(self) -> None:
        """Shows the sentence, else the build under way, else nothing."""
        strip = self.query_one(JobStrip)
        used = self.has_strip
        strip.view = self._notice if self._notice.words else self.job_view()
        if used != (strip.id in self.regions(self.size)) or used != strip.is_used:
            strip.is_used = used
            self.relayout()

    def relayout(self) -> None:
        """Arranges everything anew; only a child can tell Textual that its parent must."""
        self.query_one(TopBar).refresh(repaint=False, layout=True)

    def job_view(self) -> JobView:
        """The build under way."""
        job = self.session.job
        if job is None:
            return JobView()
        left = "" if job.left is None or job.share is None else f"{duration(job.left)} left"
        glyphs = self.look.glyphs
        return JobView(job.name, job.layer_words, job.share, glyphs.plain(left))

    def _above(self) -> ModeScreen | None:
        """The screen that lies over this one: messages of the session go to the lowest."""
        top = self.app.screen_stack[-1] if self in self.app.screen_stack else self
        return top if top is not self and isinstance(top, ModeScreen) else None

    @on(Session.Progressed)
    def _progressed(self) -> None:
        self.progressed()
        if (above := self._above()) is not None:
            above.progressed()

    def progressed(self) -> None:
        """Shows how the build gets on."""
        self.show_strip()

    @on(Session.Built)
    def _built(self) -> None:
        self._look_again()
        self._progressed()

    @on(Session.Ended)
    def _ended(self, event: Session.Ended) -> None:
        self._look_again()
        if event.problem is None:
            self.ended(event.wish)
        elif is_cancel(event.problem):
            self.say(str(event.problem))
        else:
            self.complain(event.problem)
        self._progressed()

    @on(Session.Trouble)
    def _trouble(self, event: Session.Trouble) -> None:
        self.complain(event.problem)

    def ended(self, wish: Wish) -> None:
        """A build has ended well."""

    def _look_again(self) -> None:
        if self._seen != self.session.changes:
            self._seen = self.session.changes
            self.session.forget()
            self.refresh_tables()

    def on_screen_resume(self, _event: ScreenResume) -> None:
        """Catches up with what happened while another screen was shown."""
        self._look_again()
        self.resumed()
        self.progressed()

    def resumed(self) -> None:
        """The screen is shown again."""

    def on_resize(self, _event: Resize) -> None:
        """Fits the plan to the new size."""
        self.fit()

    def fit(self) -> None:
        """Called after every change of size."""

    @on(TopBar.Chosen)
    async def _screen_chosen(self, event: TopBar.Chosen) -> None:
        await self.app.run_action(f"screen('{event.mode}')")

    # The prompt and the question

    def prompt(self, label: str, hint: str, answer: Callable[[str], object], text: str = "") -> None:
        """Asks for a text; ``answer`` is called with it and may raise EndgameError."""
        prompt = self.query_one(Prompt)
        self._answer = answer
        self.show_asking(prompt)
        prompt.ask(label, hint, text)

    def question(self, text: str, *choices: Choice) -> None:
        """Asks a question with a few answers."""
        question = self.query_one(Question)
        self.show_asking(question)
        question.ask(text, choices)

    def show_asking(self, widget: Widget) -> None:
        """Puts a widget that asks in the place of the keys; only then can it have the focus."""
        if self._asking is not None and self._asking is not widget:
            self._asking.can_focus = False
        self._asking, widget.can_focus = widget, True
        self.relayout()
        self.set_focus(widget)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a text is asked for, the keys that ask are letters like all others; at a question they mean no."""
        if self._asking is not None and action in ASKING:
            return isinstance(self._asking, Question) and action in TYPING
        return super().check_action(action, parameters)

    def stop_asking(self) -> None:
        """Puts the keys back."""
        if (asked := self._asking) is not None:
            self._asking = None
            self.relayout()
            self.focus_home()
            asked.can_focus = False

    def focus_home(self) -> None:
        """Gives the focus to the widget it belongs to."""

    @on(Prompt.Submitted)
    def _submitted(self, event: Prompt.Submitted) -> None:
        try:
            if self._answer is not None:
                self._answer(event.text)
        except EndgameError as problem:
            self.complain(problem)
        else:
            if self._asking is event.prompt:
                self.stop_asking()

    @on(Prompt.Cancelled)
    def _cancelled(self, event: Prompt.Cancelled) -> None:
        if self._asking is event.prompt:
            self.hush()
            self.stop_asking()

    @on(Question.Answered)
    def _answered(self, event: Question.Answered) -> None:
        if self._asking is not event.question:
            return
        asked = event.question.asked
        if event.choice is not None:
            event.choice.act()
        if event.question.asked == asked and self._asking is event.question:  # the answer has not led to asking more
            self.stop_asking()
