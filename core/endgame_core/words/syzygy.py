"""Syzygy files in words: how many there are, what is wrong with them, what to do when there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from endgame_core.chess.syzygy.blocks import AGAIN
from endgame_core.chess.syzygy.files import SyzygyTable, missing
from endgame_core.errors import EndgameError
from endgame_core.words.numbers import count, size

SPARE: Final = "They are not needed: our own tables by DTZ (z in the Library) tell the same."

NONE: Final = (
    "No Syzygy files are named. Start with --syzygy DIR, set SYZYGY_PATH, or write a line "
    f'syzygy = "DIR" into settings.toml in the data directory. {SPARE}'
)

WHOLE: Final = "Nothing is missing: all endings that its captures and promotions lead to are there."


def unread(problem: str) -> str:
    """Why a directory that is named is not used."""
    return f"{problem[:1].upper()}{problem[1:]} {SPARE}"


def short(problem: EndgameError) -> EndgameError:
    """What is wrong with a file, without the sums, and that it is not read any more."""
    what, _, _ = problem.what.partition(": ")
    return EndgameError(f"{what}: it is left out" if problem.then == AGAIN else what, problem.then)


def about(table: SyzygyTable, tables: Mapping[str, SyzygyTable], wrong: Sequence[EndgameError]) -> list[str]:
    """What is wrong with the files of an ending and what is missing, a sentence each."""
    told = [str(problem) for problem in wrong]
    sentences = [sentence[:1].upper() + sentence[1:] for sentence in told]
    return [*sentences, *missing(table, tables)] or [WHOLE]


def summary(tables: Sequence[SyzygyTable]) -> tuple[str, str, str]:
    """How many endings, files and bytes, and where."""
    files = [file for table in tables for file in table.files]
    if not files:
        return "0", " endings with Syzygy files", ""
    return (
        str(len(tables)),
        f" {'ending' if len(tables) == 1 else 'endings'} with Syzygy files",
        f"{count(len(files), 'file', 'files')}, {size(sum(file.size for file in files))} in {directories(tables)}",
    )


def directories(tables: Sequence[SyzygyTable]) -> str:
    """Where the files are."""
    return ", ".join(dict.fromkeys(str(file.path.parent) for table in tables for file in table.files))


def checked(sound: Mapping[str, bool]) -> tuple[str, bool]:
    """What checking has found of all endings, and whether all is well."""
    wrong = [ending for ending, is_sound in sound.items() if not is_sound]
    if wrong:
        names = ", ".join(wrong)
        return f"{count(len(wrong), 'ending is', 'endings are')} wrong, bad files are left out: {names}.", False
    return f"{count(sum(sound.values()), 'ending has', 'endings have')} the checksums they should have.", True
