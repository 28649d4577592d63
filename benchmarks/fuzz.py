"""Throws what nobody writes at the program: texts, damaged files, random keys, kills. Run by hand, from a clone.

    python -m benchmarks.fuzz texts|tables|archives|journals|studies|keys|kills [--seed N] [--count N] [--first N]

An EndgameError of one sentence is right, and so is a value that is true. Any other exception, another value and what
answers too late is told with the number of its case: the same seed with ``--first NUMBER --count 1`` shows it again.
``kills`` builds small endings and needs the kernels; nothing else compiles anything.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from endgame_core import paths
from endgame_core import pgn as pgn_files
from endgame_core.cli import common
from endgame_core.cli.main import main as program
from endgame_core.errors import EndgameError
from endgame_core.games import GAMES, NAMES, by_metric, by_name, foreign_game
from endgame_core.practice import journal_exchange, stats
from endgame_core.practice.journal import Journal
from endgame_core.practice.records import Attempt, Made, Outcome, Rating
from endgame_core.practice.studies import Studies, curated, decode_set, encode_set
from endgame_core.practice.theme import parse_theme
from endgame_core.settings import ENGINE, Settings
from endgame_core.tables.archive import export, import_archive
from endgame_core.tables.coders import zstd
from endgame_core.tables.explorer import Explorer
from endgame_core.tables.header import MAGIC, PREFIX
from endgame_core.tables.library import Library
from endgame_core.tables.verification import verify
from endgame_core.untrusted import file_named

SHIPPED = (("dtm", "KQvK"), ("dtm", "KRvK"), ("dtz", "KQvK"), ("depth", "3-3"))
"""Metrics and endings of tables that are there without a build."""

ODD = (
    "\0", "\x1b[31m", "\x9b2J", "\ud800", "\u202e", "9" * 5_000, "[" * 2_000, "{" * 50, "x" * 1_000, "é", "♔", "王",
    "\r", "\n", "\t", '"', "\\", "\\u0000", "-", "-1", "0", "²", "٣", "１", "/", ":", "vv", "8", "1e999", "NaN",
    "null", "[]", "{}", " - ", "#", ";", "$", "(", ")", "{[%", "=Q", "e.p.", "~nobody/", "../", "%s", "\ufeff",
)  # fmt: skip

BUILT = ("KBvK", "KNvK", "KRvKN", "KBvKN")
KEYS = (
    *"abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPRSTUVWXYZ0123456789.,;:<>[](){}+-*/?!'\"#%&=_~|@ ",
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape", "tab", "shift+tab"),
    *("backspace", "delete", "space", "f1", "ctrl+p", "ctrl+u", "ctrl+a", "ctrl+e", "ctrl+w", "ctrl+c"),
)
"""All but ``q``, which has its own share of the sessions."""


class Late(BaseException):
    """No answer in time; no ``except Exception`` takes it."""


@dataclass(frozen=True)
class Found:
    """What should not have happened, and in which case."""

    number: int
    what: str
    where: str

    def __str__(self) -> str:
        return f"case {self.number}: {self.what}  [{self.where}]"


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Ends what takes more seconds of CPU, or ten times as many by the clock."""

    def late(*_: object) -> None:
        raise Late(f"no answer in {seconds:g} s")

    timers = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, 10 * seconds))
    before = [signal.signal(number, late) for _, number, _ in timers]
    for timer, _, most in timers:
        signal.setitimer(timer, most)
    try:
        yield
    finally:
        for (timer, number, _), handler in zip(timers, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextmanager
def asked() -> Iterator[None]:
    """Lets an error for a user's eyes pass, when it is one short sentence."""
    try:
        yield
    except EndgameError as error:
        if len(error.what) > 400 or not str(error).endswith(".") or "\n" in error.then:
            raise AssertionError(f"no short sentence: {str(error)[:200]!r}") from error


def fuzz(kind: str, seed: int, count: int, first: int = 0, told: Callable[[Found], object] = print) -> list[Found]:
    """Tries so many cases of a kind; returns what should not have happened, each place once."""
    case, seconds = KINDS[kind]
    if kind in ("tables", "archives"):
        for shipped in SHIPPED:
            _files(*shipped)
    found: dict[str, Found] = {}
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            try:
                with patience(seconds):
                    case(random.Random(f"{kind} {seed} {number}"), Path(name))
            except (Exception, Late) as error:
                frames = traceback.extract_tb(error.__traceback__)
                ours = [frame for frame in frames if "endgame_" in frame.filename] or frames
                where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}"
                new = Found(number, f"{type(error).__name__}: {error}"[:300], where)
                if found.setdefault(f"{where} {type(error).__name__}", new) is new:
                    told(new)
    return list(found.values())


# Texts


def mutated(rng: random.Random, text: str) -> str:
    """The text with a few things in it that nobody writes; now and then as it was."""
    for _ in range(rng.choice((0, 1, 1, 2, 4))):
        at, to = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        match rng.randrange(6):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:to] + text[at:]
            case 2 | 3:
                text = text[:at] + rng.choice(ODD) + text[at:]
            case 4:
                text = text[:at] + text[at : at + 1].swapcase() + text[at + 1 :]
            case _:
                text = text[:at] + chr(rng.choice((rng.randrange(128), rng.randrange(0x11000)))) + text[at + 1 :]
    return text


@cache
def _sources() -> tuple[Explorer[Any, Any], ...]:
    """The shipped tables, asked in place."""
    nowhere = Path(tempfile.gettempdir()) / "endgame-fuzz-has-no-tables"
    return tuple(Explorer(game, Library(game, nowhere)) for game in (by_metric(metric) for metric, _ in SHIPPED))


def _drawn(rng: random.Random, number: int) -> Any:
    """A position of one of the shipped tables."""
    explorer, (_, ending) = _sources()[number], SHIPPED[number]
    table = explorer.library.table(ending)
    return explorer.game.index.position_at(ending, *table.nth(rng.randrange(table.positions)))


def _game_text(rng: random.Random, number: int) -> str:
    """A game of random moves, as the program writes it."""
    game, start = _sources()[number].game, _drawn(rng, number)
    notes: list[pgn_files.AnnotatedMove[Any]] = []
    position = start
    while len(notes) < 8 and (moves := game.moves(position)):
        notes.append(pgn_files.AnnotatedMove(rng.choice(moves), rng.choice(("", "a word", "!?"))))
        position = game.play(position, notes[-1].move)
    return pgn_files.write(pgn_files.GameText(start, tuple(notes), "*", {"White": "One", "Event": "x"}), game)


def _sample(rng: random.Random) -> str:
    """What somebody might type or paste, before it is damaged."""
    number = rng.randrange(len(SHIPPED))
    game, position = _sources()[number].game, _drawn(rng, number)
    spelt = [write(position) for write in game.formats.values()]
    moves = [game.san(position, move) for move in game.moves(position)] or ["Kb2"]
    more = (
        *spelt, rng.choice(game.endings()), rng.choice(moves), _game_text(rng, number),
        f'{spelt[0].rsplit(" ", 2)[0]} bm {moves[0]}; id "x.1"; c0 "a";', json.dumps({"fen": spelt[0]}),
        f'engine = "stockfish"\nsyzygy = ["{spelt[0]}"]', "~/games/x.pgn", "KRvK mate white 5-11",
    )  # fmt: skip
    return rng.choice(more)


def texts(rng: random.Random, root: Path) -> None:
    """One text through every reader of both games; what is taken is written again, and read as the same."""
    text = mutated(rng, _sample(rng))
    for name in NAMES:
        game = by_name(name)
        start = _drawn(rng, 0 if name == "chess" else 3)
        readers: list[Callable[[str], object]] = [
            game.canonical_name, lambda text, game=game: game.file_notation.read_line(text), parse_theme,
            lambda text, game=game, start=start: game.san(start, game.parse_move(start, text)), file_named,
            lambda text, game=game: foreign_game(text, game.name), lambda text, game=game: pgn_files.read(text, game),
            lambda text, game=game: list(pgn_files.games(text, game)),
            lambda text, game=game: decode_set(text, game, own=True), common.extract_position,
        ]  # fmt: skip
        for read in readers:
            with asked():
                read(text)
        with asked():
            position = game.parse(text)
            for form, write in game.formats.items():
                again = game.format(game.parse(write(position)))
                if form not in ("diagram", "key") and again != game.format(position):  # which have no clock
                    raise AssertionError(f"{form} of {text!r} is read as another position")
    (root / "settings.toml").write_text(text, "utf-8", "surrogatepass")
    with asked():
        Settings(root).named(ENGINE)
    if rng.random() < 0.1:
        _command(root, rng.choice((["probe", "--", text], ["line", text], ["convert", "--to", "fen", "--", text])))


def _command(root: Path, words: list[str], given: str | bytes | None = None) -> None:
    """Runs a command, which may refuse."""
    done = CliRunner().invoke(program, ["--data-dir", str(root), *words], given)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception


# Files


def torn(rng: random.Random, whole: bytes, head: int = 0) -> bytes:
    """A file of which some bytes are others, missing or doubled; of a choice those of its first ``head`` bytes."""
    data = bytearray(whole)
    for _ in range(rng.choice((1, 1, 2, 4, 40))):
        most = min(head, len(data)) if head and rng.random() < 0.3 else len(data)
        at = rng.randrange(max(most, 1))
        match rng.randrange(6):
            case 0:
                del data[at : at + rng.choice((1, 8, len(data)))]
            case 1:
                data[at:at] = data[at : at + rng.choice((1, 8, 512))]
            case 2:
                size = min(rng.choice((1, 4, 64)), len(data) - at)
                data[at : at + size] = bytes(max(size, 0))
            case _:
                data[at : at + 1] = bytes([rng.randrange(256)])
    return bytes(data)


@cache
def _files(metric: str, ending: str) -> tuple[bytes, bytes, bytes]:
    """A shipped table, which is compact, the same as a build writes it, and its archive."""
    game = by_metric(metric)
    with tempfile.TemporaryDirectory() as name:
        library, archive = Library(game, Path(name)), Path(name) / "a.zip"
        export(library, ending, archive)
        import_archive(library, archive, force=True, samples=0)
        own = library.path(ending)
        return (paths.starter_dir() / own.name).read_bytes(), own.read_bytes(), archive.read_bytes()


def _reheaded(rng: random.Random, whole: bytes) -> bytes:
    """A table with another header, whose checksum is right."""
    _, length, _ = PREFIX.unpack_from(whole)
    header = zstd.decompress(whole[PREFIX.size : PREFIX.size + length]).decode()
    packed = zstd.compress(mutated(rng, header).encode("utf-8", "surrogatepass"))
    return PREFIX.pack(MAGIC, len(packed), zlib.crc32(packed)) + packed + whole[PREFIX.size + length :]


def tables(rng: random.Random, root: Path) -> None:
    """A damaged table, plain or compact: every value is refused or right."""
    number = rng.randrange(len(SHIPPED))
    metric, ending = SHIPPED[number]
    game, truth = by_metric(metric), _sources()[number]
    library = Library(game, root)
    library.directory.mkdir(parents=True)
    whole, forged = _files(metric, ending)[rng.randrange(2)], rng.random() < 0.2
    library.path(ending).write_bytes(_reheaded(rng, whole) if forged else torn(rng, whole, 400))
    explorer = Explorer(game, library)
    for _ in range(20):
        position = _drawn(rng, number)
        with asked():
            if (told := explorer.code(position)) != truth.code(position):
                raise AssertionError(f"{game.format(position)} is told as {told}")
    with asked():
        explorer.layers(ending)
    with asked():
        verify(library, ending, 5)
    library.entry(ending)


def archives(rng: random.Random, root: Path) -> None:
    """A damaged archive: refused, or the table that it was made of."""
    metric, ending = rng.choice(SHIPPED)
    whole, path, target = _files(metric, ending)[2], root / "a.zip", Library(by_metric(metric), root)
    if rng.random() < 0.5:
        path.write_bytes(torn(rng, whole))
    else:
        (root / "whole.zip").write_bytes(whole)
        with zipfile.ZipFile(root / "whole.zip") as sound:
            members = {name: sound.read(name) for name in sound.namelist()}
        name = rng.choice(("description.json", rng.choice(list(members))))
        if name == "description.json":
            members[name] = mutated(rng, members[name].decode()).encode("utf-8", "surrogatepass")
        else:
            members[name] = torn(rng, members[name])
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in members.items():
                archive.writestr(name, data)
    with asked():
        import_archive(target, path, force=True, samples=20, seed=1)
    if target.path(ending).exists():
        truth = _sources()[SHIPPED.index((metric, ending))].library
        made, meant = (table.counts.numbers.tolist() for table in (target.table(ending), truth.table(ending)))
        if made != meant:
            raise AssertionError("a damaged archive was taken")


# Journals and studies


def _kept(path: Path) -> None:
    """A journal in which something is."""
    journal = Journal(path)
    for number in range(20):
        theme = "KRvK mate" if number % 2 else "4-3 mate"
        uuid = journal.begin(Attempt(theme=theme, ending=theme.split()[0], mode="mate", start="x", colour="white"))
        for ply in range(4):
            journal.move(uuid, Made(ply, "a1a2", "Ra2", own=True))
        journal.finish(uuid, Outcome.SOLVED)
    journal.keep(Rating(name="you", rating=1500.0, deviation=90.0))
    journal.close()


def _upset(rng: random.Random, path: Path) -> None:
    """Puts into a journal what SQLite takes and no program of ours writes."""
    values: tuple[Any, ...] = (None, -1, 1 << 62, 1e308, "x", b"\xff\0", "\0", "[" * 5_000, "9" * 5_000, "")
    file = sqlite3.connect(path)
    for _ in range(rng.choice((1, 3))):
        table = rng.choice(("attempts", "moves", "ratings", "cards", "reviews"))
        columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
        with suppress(sqlite3.Error):
            choice = rng.choice(("CAST(? AS TEXT)", "?"))
            file.execute(f"UPDATE {table} SET {rng.choice(columns)} = {choice} WHERE id % 3 = 0", [rng.choice(values)])
    file.commit()
    file.close()


def journals_(rng: random.Random, root: Path) -> None:
    """A damaged journal: what can be read is kept, and new attempts are; a damaged export is refused by lines."""
    path = paths.journal_file(root)
    _kept(path)
    if rng.random() < 0.4:
        _upset(rng, path)
    elif rng.random() < 0.3:
        with_lines = Journal(path)
        text = mutated(rng, "\n".join(journal_exchange.export(with_lines)))
        with asked():
            journal_exchange.import_lines(with_lines, text.split("\n"))
        with_lines.close()
    else:
        path.write_bytes(torn(rng, path.read_bytes(), 100))
    journal = Journal(path)
    for _ in range(3):
        with asked():
            stats.progress(journal, game=rng.choice(NAMES))
            list(journal_exchange.export(journal))
            for record in journal.attempts():
                journal.moves(record.uuid)
    new = ""
    with asked():
        new = journal.begin(Attempt(theme="n", ending="KRvK", mode="mate", start="x", colour="white"))
    with asked():
        if new and journal.attempt(new) is None:
            raise AssertionError("a new attempt was not kept")
    with asked():
        journal.close()
    _command(root, rng.choice((["stats"], ["stats", "--json"], ["journal", "export", "-"])))


def studies(rng: random.Random, root: Path) -> None:
    """A damaged set of studies, and a file of positions or games that is imported."""
    game = by_name(rng.choice(NAMES))
    own = Studies(game, paths.studies_dir(root))
    own.directory.mkdir(parents=True)
    shipped = curated(game)
    sound = encode_set(rng.choice(shipped), game) if shipped else json.dumps(
        {"version": 1, "game": game.name, "id": "mine", "name": "mine", "studies": []}
    )  # fmt: skip
    (own.directory / "mine.json").write_bytes(mutated(rng, sound).encode("utf-8", "surrogatepass"))
    own.own()
    lines = "\n".join(mutated(rng, _sample(rng)) for _ in range(rng.randrange(1, 6)))
    file = root / rng.choice(("a.pgn", "a.epd", "a"))
    file.write_bytes(torn(rng, raw) if (raw := lines.encode("utf-8", "surrogatepass")) and rng.random() < 0.3 else raw)
    with asked():
        own.import_records(pgn_files.positions(file, game), rng.choice(("mine", "other", "é\0")))
    again = Studies(game, own.directory)
    for one in again.own():
        if one.id == "other" and one.problem:
            raise AssertionError(f"a set that was written is damaged: {one.problem}")
    words = rng.choice((["studies"], ["studies", "show", "other"], ["studies", "check", "other"], ["studies", "export",
        "other", "-"]))  # fmt: skip
    _command(root, words)


# The app


def keys(rng: random.Random, root: Path) -> None:
    """A session with random keys, clicks, texts and sizes; builds wait, for somebody else builds already."""
    from endgame_tui.app import EndgameApp

    _kept(paths.journal_file(root))
    size = (rng.choice((20, 40, 80, 120, 200)), rng.choice((6, 12, 24, 40, 60)))
    app = EndgameApp(rng.choice((None, "KRvK", "4-3")), root, ascii=rng.random() < 0.2)
    app.rng = random.Random(rng.random())
    with ExitStack() as held:
        for library in [Library(by_metric(listed.metric), root) for listed in GAMES]:
            held.callback(library.locks.release)
            for ending in library.game.endings():
                assert library.locks.acquire_table(ending, "a build of somebody else"), ending
        asyncio.run(_session(rng, app, size))


async def _session(rng: random.Random, app: Any, size: tuple[int, int]) -> None:
    from textual.events import Paste

    async with app.run_test(size=size) as pilot:
        await pilot.press(rng.choice("12345"), *rng.choice(("", "G")))
        for _ in range(60):
            if not app.is_running:
                return
            others = [worker for worker in app.workers if worker.group != "build"]  # which waits for somebody else
            if others:
                await app.workers.wait_for_complete(others)
            chance = rng.random()
            if chance < 0.08 and app.focused is not None:
                app.focused.post_message(Paste(mutated(rng, _sample(rng))))
                await pilot.press("enter")
            elif chance < 0.16:
                with suppress(Exception):  # Textual refuses a place outside the screen
                    await pilot.click(offset=(rng.randrange(size[0]), rng.randrange(size[1])))
            elif chance < 0.2:
                size = (rng.choice((20, 40, 80, 120)), rng.choice((6, 12, 24, 40)))
                await pilot.resize_terminal(*size)
            else:
                await pilot.press("q" if chance > 0.995 else rng.choice(KEYS))


# Kills


def kills(rng: random.Random, root: Path) -> None:
    """``kill -9`` of a build, its child or a drill, at any moment: what was told to be done is there, and sound."""
    (_killed_build if rng.random() < 0.6 else _killed_drill)(rng, root)


def _killed_build(rng: random.Random, root: Path) -> None:
    library = Library(by_metric(rng.choice(("dtm", "dtz"))), root)
    words = [sys.executable, "-m", "endgame_core.cli.main", "--data-dir", str(root), "build", "--json", *BUILT]
    words += ["--metric", library.game.metric]
    told: list[str] = []
    quiet: Any = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, **quiet) as work:
        assert work.stdout is not None
        for _ in range(rng.randrange(1, 40)):
            told += work.stdout.readline()
        time.sleep(rng.random() * 0.3)
        for victim in rng.choice((_children(work.pid), [work.pid], [*_children(work.pid), work.pid])):
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        work.stdout.read()
    done = [json.loads(line) for line in "".join(told).splitlines() if line.startswith("{")]
    for event in done:
        if event.get("event") == "done" and not library.is_built(event["ending"]):
            raise AssertionError(f"{event['ending']} was built and is not there")
    while library.locks.locked_endings():  # what it left behind ends by itself
        time.sleep(0.1)
    for ending in BUILT:
        if library.is_built(ending):
            _sound(library, ending)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **quiet)
    for ending in BUILT:
        _sound(library, ending)
    if debris := [path.name for path in library.directory.iterdir() if path.name.startswith(".") and path.suffix]:
        raise AssertionError(f"left behind: {debris}")


def _sound(library: Library, ending: str) -> None:
    if mismatch := verify(library, ending, 50).mismatch:
        raise AssertionError(f"{ending}: {mismatch}")


def _children(process: int) -> list[int]:
    """The processes that a process has started."""
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]


def _killed_drill(rng: random.Random, root: Path) -> None:
    words = [sys.executable, "-m", "benchmarks.fuzz", "--drill", str(root), "--seed", str(rng.randrange(999))]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[1]) as work:
        assert work.stdout is not None
        told = [work.stdout.readline().split() for _ in range(rng.randrange(1, 60))]
        time.sleep(rng.random() * 0.05)
        work.kill()
        # The last line may be cut off: an unbuffered print writes its parts one by one.
        told += [line.split() for line in work.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    journal = Journal(paths.journal_file(root))
    for uuid, ply in told:
        if len(journal.moves(uuid)) < int(ply):
            raise AssertionError(f"move {ply} of an attempt was told and is lost")
    if notice := journal.take_notice():
        raise AssertionError(notice)
    stats.progress(journal)
    journal.close()


def drill(root: Path, seed: int) -> None:
    """Drills without end; each move is told when it has been made."""
    from endgame_core.app_context import AppContext
    from endgame_core.practice.drills import Drill
    from endgame_core.practice.recorder import RecordingOptions, new_run
    from endgame_core.practice.theme import Starts

    rng, lab = random.Random(seed), AppContext(root)
    theme, judge = parse_theme("KRvK mate white 5-11"), lab.judge("chess")
    while True:
        start = Starts(judge.explorer, rng).draw(theme)
        found = Drill(judge, theme, start, recording=RecordingOptions(lab.journal, True, new_run()))
        while not found.standing.over:
            match = found.match
            if match.your_turn:
                found.play(judge.probe(match.position).moves[0].move)
            else:
                found.play(match.reply(rng))
            print(f"{found.recorder.uuid} {len(match.plies)}", flush=True)


KINDS: dict[str, tuple[Callable[[random.Random, Path], None], float]] = {
    "texts": (texts, 5), "tables": (tables, 5), "archives": (archives, 20), "journals": (journals_, 5),
    "studies": (studies, 5), "keys": (keys, 60), "kills": (kills, 60),
}  # fmt: skip
"""Each kind's case, and the seconds of CPU that it may take."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("kind", nargs="?", choices=KINDS)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=100)
    arguments.add_argument("--first", type=int, default=0)
    arguments.add_argument("--drill", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.drill is not None:
        drill(given.drill, given.seed)
    if given.kind is None:
        arguments.error(f"name one of {', '.join(KINDS)}")
    begun = time.monotonic()
    found = fuzz(given.kind, given.seed, given.count, given.first)
    print(f"{given.kind}: {given.count} cases, {len(found)} found, {time.monotonic() - begun:.0f} s")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
