"""Unfinished games and training sessions: save their state, and resume them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any, Final

from endgame_core.app_state import AppState
from endgame_core.errors import EndgameError, PositionError
from endgame_core.games import NAMES
from endgame_core.language import _
from endgame_core.practice.course import Course, DrillItem
from endgame_core.practice.defence import Defence
from endgame_core.practice.drills import WinGoal
from endgame_core.practice.journal import Journal
from endgame_core.practice.match import Match, MatchCounters
from endgame_core.practice.recorder import Recorder
from endgame_core.practice.theme import DrillMode, Start
from endgame_core.tasks.game_setup import TIMES
from endgame_core.tasks.play_state import PlayState
from endgame_core.tasks.training_session import DrillResult, Stage, TrainingPlan, TrainingSession
from endgame_core.values import Category

SavedState = Mapping[str, Any]
"""A saved game or drill as read from JSON; none of its values can be relied on to have the right type."""

DRILL: Final = "drill"
"""Key of a saved training session; the key of a saved game is the name of its rules."""

_JSON_SCALAR: Final = str | int | float | bool | None


def last_unfinished(memory: AppState) -> tuple[str, SavedState] | None:
    """The key and the state of the last saved game or drill; None if nothing is saved."""
    saved = memory.get(dict, "left") or {}
    # The newest is stored last.
    name, state = next(iter(reversed(saved.items())), ("", None))
    if isinstance(state, dict):
        return name, state
    return None


def game_of(name: str, state: SavedState) -> str | None:
    """Name of the game of a saved state; None if the game is unknown."""
    game = state.get("game") if name == DRILL else name
    return game if game in NAMES else None


def _not_resumable_error() -> EndgameError:
    what = _("the unfinished game or drill cannot be resumed")
    return EndgameError(what, _("its tables or its study may have been deleted"))


def _moves(match: Match[Any, Any], recorder: Recorder | None) -> dict[str, Any]:
    """The saved state of a match: its moves, the id of its journal record, and its counters."""
    return {
        "moves": [[match.game.uci(ply.move), round(ply.seconds, 1), ply.hint_step] for ply in match.plies],
        "attempt": "" if recorder is None else recorder.uuid,
        "figures": list(match.counters),
    }


def _replay(match: Match[Any, Any], state: SavedState, recorder: Recorder | None, journal: Journal) -> None:
    """Replay the saved moves in a new match and restore its counters.

    A game with a friend has no recorder. If the journal has the attempt, it already has these moves: nothing is
    recorded during the replay, and later moves are added to that attempt.
    """
    attempt = str(state["attempt"])
    is_recorded = journal.attempt(attempt) is not None
    friend_seconds_left = None
    if match.friend_seconds_left is not None:
        friend_seconds_left = float(state["friend_left"])
    moves = [(uci, float(seconds), int(hint_step)) for uci, seconds, hint_step in state["moves"]]
    match.restore(moves, MatchCounters(*state["figures"]), friend_seconds_left, is_recorded)
    if recorder is not None and is_recorded:
        recorder.resume(attempt)


@contextmanager
def _invalid_state_as_error() -> Generator[None]:
    """Convert the exceptions that an invalid saved state causes in this block to EndgameError."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, PositionError):
        raise _not_resumable_error() from None


def unfinished_game(play: PlayState[Any, Any]) -> dict[str, Any] | None:
    """The state of the current game, to be saved as JSON; None if there is no unfinished game with moves."""
    match = play.match
    if match is None or match.result is not None or not match.plies:
        return None
    time = next((number for number, (__, control) in enumerate(TIMES) if control == match.control), 0)
    return {
        "start": play.game.format(match.start),
        "you": match.you,
        "defence": match.defence.value,
        "time": time,
        "hidden": play.hides_verdict,
        "friend": match.with_friend,
        "friend_left": match.friend_seconds_left,
        "turns": play.setup.turns_board,
        **_moves(match, play.recorder),
    }


def resume_game(play: PlayState[Any, Any], state: SavedState) -> None:
    """Resume a saved game, in place of the current one.

    Raises:
        EndgameError: The game cannot be resumed.
    """
    try:
        with _invalid_state_as_error():
            play.set_up(play.game.parse(state["start"]), state["you"])
            play.setup = replace(
                play.setup,
                defence=Defence(state["defence"]),
                time=int(state["time"]),
                with_friend=state.get("friend") is True,
                turns_board=state.get("turns") is True,
            )
            play.begin()
            _replay(play.running_match, state, play.recorder, play.lab.journal)
            play.hides_verdict = state["hidden"] is not False
    except EndgameError:
        # Not play.leave(): the journal keeps the attempt as unfinished.
        play.match = None
        play.recorder = None
        raise


def unfinished_session(session: TrainingSession) -> dict[str, Any] | None:
    """The state of a training session, to be saved as JSON; None if it is over, and for a test."""
    if session.is_test or session.stage is Stage.SUMMARY:
        return None
    task = session.task
    # The last drill is decided: nothing is left to resume.
    if session.is_last_drill and task.is_decided:
        return None

    plan = {one.name: getattr(session.plan, one.name) for one in fields(TrainingPlan) if one.name != "first"}
    state = {name: value for name, value in plan.items() if isinstance(value, _JSON_SCALAR)}
    state |= {
        "game": session.game.name,
        "items": [item.theme.key for item in session.items],
        "count": session.total,
        "number": session.number,
        "done": [_result_state(result) for result in session.results],
    }
    if not task.is_decided:
        start = task.start
        state["start"] = [session.game.format(start.position), start.learner, start.category.value, start.perfect]
        drill = session.drill
        if drill is not None:
            state |= _moves(drill.match, drill.recorder)
    return state


def _result_state(result: DrillResult) -> dict[str, Any]:
    # A theme is saved as its key.
    values = {one.name: getattr(result, one.name) for one in fields(DrillResult)}
    return {**values, "theme": result.theme.key}


def resume_session(
    state: SavedState, course: Course, make: Callable[[TrainingPlan], TrainingSession]
) -> TrainingSession:
    """Resume a saved training session; if it was saved between two drills, begin the next drill.

    Args:
        state: The saved state.
        course: Provides the items of the drills.
        make: Creates a training session from a plan.

    Raises:
        EndgameError: The session cannot be resumed.
    """

    def item(key: str) -> DrillItem:
        result = course.item(key)
        if result is None:
            raise _not_resumable_error()
        return result

    def drill_result(saved: Mapping[str, Any]) -> DrillResult:
        values: dict[str, Any] = {**saved, "theme": item(saved["theme"]).theme}
        return DrillResult(**values)

    with _invalid_state_as_error():
        start = state.get("start")
        first = None
        if start is not None:
            first = Start(course.game.parse(start[0]), start[1], Category(start[2]), start[3])

        mode = state.get("mode")
        defence = state.get("defence")
        goal = state.get("win_goal")
        settings: dict[str, Any] = {one.name: state[one.name] for one in fields(TrainingPlan) if one.name in state}
        settings |= {
            "items": tuple(map(item, state["items"])),
            "first": first,
            # None stays None; everything else has to be a valid value.
            "mode": mode and DrillMode(mode),
            "defence": defence and Defence(defence),
            "win_goal": goal and WinGoal(goal),
        }
        results = [drill_result(saved) for saved in state["done"]]
        session = make(TrainingPlan(**settings))

        # A drill that was interrupted begins again; if none was, the next one begins.
        is_interrupted = first is not None
        last_finished = int(state["number"]) - is_interrupted
        session.resume_after(last_finished, results)
        drill = session.drill
        if drill is not None and state.get("moves") and is_interrupted:
            _replay(drill.match, state, drill.recorder, session.journal)
        return session
