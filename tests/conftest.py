"""Shared fixtures: a library of real tables, built once per session by the real builder."""

from __future__ import annotations

import atexit
import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import chess
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

import endgame_core
import endgame_tui
from endgame_core import controls, language, paths
from endgame_core.chess import material
from endgame_core.chess.game import CHESS, CHESS_DTZ, ChessGame
from endgame_core.morris.game import MORRIS
from endgame_core.morris.rules import MorrisMove, Position
from endgame_core.practice import repetition
from endgame_core.practice.journal import Journal
from endgame_core.practice.recorder import RecordingOptions, new_run
from endgame_core.tables.build import Build
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.kernel_marks import KernelMarks
from endgame_core.tables.library import Library
from endgame_core.words.glossary import speech_of

from . import positions

# The first example may load compiled kernels or open a table: time says nothing here.
settings.register_profile("project", deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("project")

# Child processes do not look in the current directory (python -P), and the games that tests define are in this package.
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]))

# Programs that tests start speak English in every locale.
os.environ.setdefault("ENDGAME_TUI_LANGUAGE", "en")

repetition.VARIES = False

# A shell starts a background job with SIGINT ignored, and programs that tests start would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _kernels() -> Path:
    """The directory of compiled kernels, which only runs of the same compiled sources share.

    Numba checks only the file of the called kernel for changes, so kernels of older sources must not be beside them.
    """
    return paths.cache_dir() / "tests" / paths.source_fingerprint()


if "NUMBA_CACHE_DIR" not in os.environ:
    # Numba asks for the place once, when it is imported. A week after its last run a state of the sources is forgotten.
    kernels = _kernels()
    try:
        kernels.mkdir(parents=True, exist_ok=True)
        os.utime(kernels)
        for other in kernels.parent.iterdir():
            with suppress(OSError):
                if other.stat().st_mtime < time.time() - 7 * 86_400:
                    shutil.rmtree(other)
    except OSError:  # who may write nothing there keeps nothing
        kernels = Path(tempfile.mkdtemp(prefix="endgame-tui-kernels-"))
        atexit.register(shutil.rmtree, kernels, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = str(kernels)


def _no_sync(_file: int) -> None:
    """What tests write need not outlive the machine, whose disk is slower than all else; builders do wait for it."""


os.fsync = _no_sync

SHARED = Path(__file__).resolve().parents[2] / "shared"
Five = Callable[[ChessGame, list[str]], Library]
"""Builds endings of five men by the metric of a game."""

UP_TO_FOUR = [name for name in material.ENDINGS if material.men_count(name) <= 4]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two processes for each core: tests of screens wait for part of their time, but each process reads all tests."""
    return min(2 * (os.cpu_count() or 1), 16)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--part 3/20`` runs one part of what is selected; a test is in the same part whatever else there is."""
    parser.addoption("--part", metavar="K/N", default="1/1", help="run the K-th of N parts of the selected tests")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a wrong ``--part`` before any process is started."""
    _part(config)


def _part(config: pytest.Config) -> tuple[int, int]:
    number, _, parts = config.getoption("part").partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise pytest.UsageError("--part takes K/N with K from 1 to N, for example 3/20")
    return int(number), int(parts)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as slow what looks at all moves of an ending: the kernels for that take a minute to compile."""
    if "looking" in getattr(item, "fixturenames", ()):
        item.add_marker("slow")


@pytest.hookimpl(trylast=True)  # what is not asked for has been left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take one part of the tests where ``--part`` says so, and put them into an order that keeps all processes busy."""
    number, parts = _part(config)
    chosen = [item for item in items if zlib.crc32(item.nodeid.encode()) % parts == number - 1]
    if len(chosen) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
    _arrange(items)


def _arrange(items: list[pytest.Item]) -> None:
    """One process builds the tables, those of five men first, which take longest; the others begin with other tests.

    Each begins with an equal part of the list, as xdist deals it out, and takes from others when it has done its own.
    """

    def order(item: pytest.Item) -> int:
        names = getattr(item, "fixturenames", ())
        return 0 if "five" in names else 1 if {"library", "morris"} & {*names} else 2

    items.sort(key=order)
    others, tables = _mixed([item for item in items if order(item) == 2]), [item for item in items if order(item) < 2]
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1))
    items[:] = tables[: -(-len(items) // processes)]
    del tables[: len(items)]
    for left in range(processes - 1, 0, -1):
        for some in (others, tables):
            items += some[: len(some) // left]
            del some[: len(some) // left]
    items += others


def _mixed(items: list[pytest.Item]) -> list[pytest.Item]:
    """Tests of screens among the others in equal measure, from the first to the last: while they wait, others work.

    So the tests of a module do not follow one another: a fixture of module scope would be set up for each of them.
    """
    kinds = [[item for item in items if (item.path.parent.name == "tui") is screens] for screens in (True, False)]
    places = {item: (at + 0.5) / len(kind) for kind in kinds for at, item in enumerate(kind)}
    return sorted(items, key=places.__getitem__)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Of a whole run each process begins to read the tests at another place, and takes what others have read by then.

    Pytest rewrites every assertion, which takes longer than all the rest of a start, and keeps what comes of it as
    bytecode.
    """
    worker, here = os.environ.get("PYTEST_XDIST_WORKER", ""), Path(__file__).parent
    if worker and [Path(name).resolve() for name in session.config.args] == [here]:
        files = sorted(path.relative_to(here.parent).with_suffix("") for path in here.rglob("test_*.py"))
        names = [".".join(path.parts) for path in files]
        first = len(names) * int(worker.removeprefix("gw")) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        for name in names[first:] + names[:first]:
            with suppress(Exception, pytest.skip.Exception):  # collecting tells
                import_module(name)
    return (yield)


def pytest_collection_finish() -> None:
    """What has been read stays: it need not be looked through again whenever objects are collected, nor so often."""
    gc.freeze()
    gc.set_threshold(50_000)


def fast(cases: Iterable[Any], count: int = 1) -> list[Any]:
    """The first cases for the fast suite, all others for the slow one; a tuple is what several arguments are."""
    told = [one if type(one) is tuple else (one,) for one in cases]
    return [pytest.param(*one, marks=[pytest.mark.slow] if at >= count else []) for at, one in enumerate(told)]


def build(library: Library, endings: list[str], threads: int | None = None) -> None:
    for _ in Build(library, endings, threads).events():
        pass


def link(tables: Library, into: Library) -> None:
    """Gives a library the tables of another."""
    into.directory.mkdir(parents=True, exist_ok=True)
    for path in tables.directory.glob("*.egt"):
        if not (into.directory / path.name).exists():
            os.link(path, into.directory / path.name)


def give(tables: Library, into: Library, *endings: str) -> None:
    """Puts copies of tables into a library, which may be spoilt: for tests of what comes after a build."""
    into.directory.mkdir(parents=True, exist_ok=True)
    for ending in endings:
        shutil.copy(tables.path(ending), into.path(ending))


@pytest.fixture(autouse=True)
def commands() -> None:
    """Has sentences name the commands of plain mode, until a test starts the app, which names its keys."""
    controls.use(controls.PLAIN_NAMES)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all processes of a test run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def library(shared: Path) -> Library:
    """All 35 endings of three and four men."""
    found = Library(CHESS, shared / "library")
    with FileLock(shared / "library.lock"):
        build(found, UP_TO_FOUR)
    return found


@pytest.fixture(scope="session")
def looking(shared: Path, library: Library) -> None:
    """What looks at moves is compiled, by one of all processes; one at a time, as what builds is by ``library``."""
    with FileLock(shared / "looking.lock"):
        if not (shared / "looking").exists():
            words = "import gc; gc.disable(); from endgame_core.chess.solver import examine; examine.warm_up()"
            subprocess.run([sys.executable, "-c", words], check=True)
            (shared / "looking").touch()


@pytest.fixture(scope="session")
def dtz_library(shared: Path, library: Library) -> Library:
    """The same endings by DTZ, in a data directory that has them by DTM, too."""
    found = Library(CHESS_DTZ, shared / "both")
    with FileLock(shared / "both.lock"):
        link(library, found)
        build(found, UP_TO_FOUR)
    return found


@pytest.fixture(scope="session")
def five(shared: Path, dtz_library: Library) -> Five:
    """Builds endings of five men by either metric, each once in a test run, beside all of three and four."""

    def built(game: ChessGame, endings: list[str]) -> Library:
        found = Library(game, shared / "five")
        with FileLock(shared / "five.lock"):
            link(dtz_library, found)
            build(found, endings)
        return found

    return built


@pytest.fixture(scope="session")
def explorer(library: Library) -> Explorer[chess.Board, chess.Move]:
    return Explorer(CHESS, library)


@pytest.fixture(scope="session")
def morris(shared: Path) -> Explorer[Position, MorrisMove]:
    """All pairs of Morris stones up to 4-4 and 5-3."""
    found = Library(MORRIS, shared / "morris")
    with FileLock(shared / "morris.lock"):
        build(found, ["4-4", "5-3"])
    return Explorer(MORRIS, found)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices are those of a machine where the solver has been compiled, whichever test comes first."""

    def nothing(library: Library, endings: object, about: bool = False) -> dict[str, float]:
        return {}

    monkeypatch.setattr(KernelMarks, "missing", nothing)


@pytest.fixture
def empty_library(tmp_path: Path) -> Library:
    return Library(CHESS, tmp_path / "data")


@pytest.fixture
def kept() -> RecordingOptions:
    """What is kept of drills, not on disk."""
    journal = Journal(None)
    return RecordingOptions(journal, True, new_run())


@pytest.fixture
def shelf(library: Library, tmp_path: Path) -> Library:
    """The tables of KPvK and of what it needs, in a directory of their own; no moves have been looked at."""
    found = Library(CHESS, tmp_path)
    found.directory.mkdir(parents=True)
    for ending in ("KPvK", "KQvK", "KRvK", "KBvK", "KNvK"):
        found.path(ending).write_bytes(library.table(ending).path.read_bytes())
    return found


@pytest.fixture(scope="session")
def truth() -> Path:
    """Independent truth; tests that need it skip where it is absent."""
    found = SHARED / "truth"
    if not found.is_dir():
        pytest.skip("the independent truth files are not on this machine")
    return found


@pytest.fixture
def random_board() -> Callable[[str], chess.Board]:
    """Draws legal boards of an ending, both sides to move, both colourings."""
    rng = random.Random(20_26)

    def draw(ending: str) -> chess.Board:
        men = positions.men_of(ending)
        while True:
            board = positions.place(chess.Board(None), men, rng.choice)
            board.turn = rng.random() < 0.5
            if positions.is_legal(board):
                return board.mirror() if rng.random() < 0.5 else board

    return draw


@pytest.fixture
def passed_board() -> Callable[[str], chess.Board]:
    """Draws legal boards of an ending in which a pawn has just passed another; nearly all can be taken en passant."""
    rng = random.Random(20_27)

    def draw(ending: str) -> chess.Board:
        while True:
            board = positions.just_passed(ending, rng.choice)
            if positions.is_legal(board):
                return board

    return draw


@pytest.fixture
def use_language() -> Generator[Callable[[str], None]]:
    """``language.use``, undone at the end of the test.

    Modules keep the language in which they are imported, and many are imported only when they are needed: all are
    imported in English before, else German sentences would turn up in later tests.
    """
    for package in (endgame_core, endgame_tui):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                with suppress(ImportError):  # an extra that is not installed
                    import_module(module.name)
    for game in ("chess", "morris"):
        speech_of(game)
    try:
        yield language.use
    finally:
        language.use(language.ENGLISH)
