"""The corpus of words: what commands and screens say of some thousand positions, moves and games of both games.

The file ``tests/data/words.txt`` was written by this module while version 0.1.0 (92bca97) ran::

    python -m tests.words_corpus DIR     # DIR holds all tables up to four men by DTM and DTZ, 4-4 and 5-3

A *case* is a line of input; what is said of it stands below it, indented. :mod:`tests.test_words_corpus` says it again.
A sentence that is made better on purpose changes the file, in a commit of its own.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chess
from click.testing import CliRunner

from tests import positions
from tests.positions import by_depth
from tests.tui import printed
from tests.tui.printed import settle

FILE = Path(__file__).parent / "data" / "words.txt"
SIZE = 100, 30
_INDENT = "    "
_PIECES = [name for name in positions.PAWNLESS + positions.WITH_PAWNS if len(name) <= 5]


# What commands say


def command(root: Path, words: list[str]) -> list[str]:
    """What a command prints, rows about moves that differ in their names only joined."""
    from endgame_core.cli.main import main

    result = CliRunner().invoke(main, ["--data-dir", str(root), *words])
    rows = [*result.output.splitlines(), *([f"exit code {result.exit_code}"] if result.exit_code else [])]
    return list(_joined(rows))


def _joined(rows: Iterable[str]) -> Iterator[str]:
    """Moves of equal worth share one row."""

    def worth(row: str) -> str:
        found = re.fullmatch(r"  (\S+) +(.*)", row)
        return found[2] if found else ""

    for words, equal in groupby(rows, key=worth):
        found = list(equal)
        if not words:
            yield from found
        else:
            yield f"  {words}  <- {' '.join(row.split()[0] for row in found)}"


# What screens say


async def explore(root: Path, texts: list[str]) -> list[list[str]]:
    """What Explore prints beside and below the board, after each text that is typed."""
    from endgame_tui.app import EndgameApp

    said: list[list[str]] = []
    app = EndgameApp(texts[0], root, ascii=False) if "/" in texts[0] else EndgameApp("4-3", root, ascii=False)
    async with app.run_test(size=SIZE) as pilot:
        for text in texts:
            await printed.type_in(pilot, text)
            await settle(pilot)
            said.append(told(pilot))
    return said


async def review(root: Path, game: str) -> list[list[str]]:
    """What Play prints of a game from a file: when it is opened, and at each of its moves."""
    from endgame_tui.app import EndgameApp

    said: list[list[str]] = []
    with TemporaryDirectory() as folder:
        file = Path(folder, "game.pgn")
        file.write_text(game)
        app = EndgameApp("4-3" if "Morris" in game else None, root, ascii=False)
        async with app.run_test(size=SIZE) as pilot:
            await pilot.press("3")
            await pilot.pause()
            await printed.type_in(pilot, str(file), "O")
            await settle(pilot)
            await pilot.press("end")
            said.append(told(pilot))
            before = printed.text(pilot)
            for _ in range(game.count(" ") + 1):
                await pilot.press("left")
                await settle(pilot)
                if (now := printed.text(pilot)) == before:
                    break
                before = now
                said.append(told(pilot))
    return said


def told(pilot: Any) -> list[str]:
    """The sentences that are printed, the verdict and the line: not the board, lists of moves, bars and keys."""
    found: list[str] = []
    for row in printed.rows(pilot)[1:-1]:
        words = re.sub(r"[─-▟♔-♟]", " ", row.replace("\ufe0e", ""))
        pieces = re.split(r" {2,}|(?<=[○●]) ", words.strip())
        found += [piece for piece in pieces if _SAID.fullmatch(piece) and not re.match(r"\d+ …", piece)]
    return found


_SAID = re.compile(
    r".* .*[.?!…]|Line .*|(White|Black) to move|.*(wins|loses|mate|mated) in .*"
    r"|[+=−±-]+ (win|loss|draw|cursed|blessed).*|(You|White|Black) (won|lost).*|Drawn.*"
)


# The cases


def cases() -> Iterator[tuple[str, str]]:
    """Every case: its kind and its input."""
    rng = random.Random(92)
    boards = list(_boards(rng, 900))
    yield from (("probe", board) for board in boards)
    yield from (("line", board) for board in boards[::5])
    stones = list(_stones(rng, 300))
    yield from (("probe", text) for text in stones)
    yield from (("line", text) for text in stones[::4])
    for words in ("layers KQvKR", "layers KBNvK", "layers KPvK --metric dtz", "layers 4-3", "layers 3-3", "tables"):
        yield "", words
    for words in ("tables --all --men 5", "studies", "studies show --help", "stats", "layers KQQvKQ", "layers KXvK"):
        yield "", words
    yield from (("explore", board) for board in boards[::6])
    yield from (("explore", text) for text in stones[::5])


def _boards(rng: random.Random, number: int) -> Iterator[str]:
    """Positions of three and four men in either colours, some with en passant, half with a clock."""
    found = 0
    while found < number:
        if rng.random() < 0.04:
            board = positions.just_passed("KPvKP", rng.choice)
        else:
            name = rng.choice(_PIECES)
            board = positions.place(chess.Board(None), positions.men_of(name), rng.choice)
            board.turn = rng.random() < 0.5
        if not positions.is_legal(board):
            continue
        board = board.mirror() if rng.random() < 0.5 else board
        board.halfmove_clock = 0 if board.ep_square or rng.random() < 0.5 else rng.randint(0, 110)
        board.fullmove_number = 60
        found += 1
        yield board.fen()


def _stones(rng: random.Random, number: int) -> Iterator[str]:
    from endgame_core.morris.game import MORRIS
    from tests.stones import random_position

    for _ in range(number):
        ending = rng.choice(["3-3", "4-3", "3-4", "4-4", "5-3", "3-5"])
        yield MORRIS.format(random_position(ending, rng))


def games(rng: random.Random, root: Path) -> Iterator[str]:
    """Games of both games in which best moves and blunders follow each other."""
    from endgame_core.chess.game import CHESS
    from endgame_core.morris.game import MORRIS
    from endgame_core.tables.explorer import Explorer
    from endgame_core.tables.library import Library

    for game, texts in ((CHESS, list(_boards(rng, 60))), (MORRIS, list(_stones(rng, 25)))):
        explorer: Explorer[Any, Any] = Explorer(game, Library(game, root))
        for text in texts:
            position: Any = game.parse(text)
            if game is CHESS and position.halfmove_clock > 99:
                continue
            names: list[str] = []
            start = position
            for _ in range(rng.randint(6, 16)):
                moves = list(game.moves(position))
                if not moves or game.is_trivial(position):
                    break
                rated = by_depth(explorer, position)
                move = rated[0].move if rng.random() < 0.6 else rng.choice(rated).move
                names.append(game.san(position, move))
                position = game.play(position, move)
            if len(names) < 4:
                continue
            variant = '[Variant "Nine Men\'s Morris"]' if game is MORRIS else ""
            heads = [
                '[White "a"]',
                '[Black "b"]',
                '[SetUp "1"]',
                f'[FEN "{game.format(start)}"]',
                '[Result "*"]',
                variant,
            ]
            yield " | ".join([*filter(None, heads), f"{' '.join(names)} *"])


def say(root: Path, kind: str, texts: list[str]) -> list[list[str]]:
    """What is said of inputs of one kind."""
    if kind == "explore":
        return asyncio.run(explore(root, texts))
    if kind == "review":
        return [[" / ".join(rows) for rows in asyncio.run(review(root, text.replace(" | ", "\n")))] for text in texts]
    return [command(root, [*kind.split(), *(text.split() if not kind else [text])]) for text in texts]


def read() -> dict[str, list[tuple[str, list[str]]]]:
    """The file: for each kind its inputs, and what is to be said of each."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    kind = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith(_INDENT):
            found[kind][-1][1].append(line.removeprefix(_INDENT))
        else:
            kind, _, text = line.partition(": ")
            found.setdefault(kind, []).append((text, []))
    return found


def write(root: Path, progress: Callable[[str], None]) -> None:
    """Writes the file, of what the program says now."""
    wanted = [*cases(), *(("review", game) for game in games(random.Random(29), root))]
    with FILE.open("w", encoding="utf-8") as file:
        for group, found in groupby(wanted, key=lambda case: (case[0], "/" in case[1])):
            kind, texts = group[0], [text for _, text in found]
            progress(f"{kind} {len(texts)}")
            for text, rows in zip(texts, say(root, kind, texts), strict=True):
                file.write(f"{kind}: {text}\n" + "".join(f"{_INDENT}{row}\n" for row in rows))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.words_corpus DIR")
    write(Path(sys.argv[1]), print)
