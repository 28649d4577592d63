"""What a user chooses for good: ``settings.toml`` in the data directory, read leniently, written with its comments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from endgame_core import paths
from endgame_core.errors import EndgameError, StorageError
from endgame_core.untrusted import decoded, quoted, read_regular, read_toml

T = TypeVar("T", str, bool, float)


@dataclass(eq=False)
class Setting(Generic[T]):
    """Something that can be chosen.

    Attributes:
        name: Its name in the file.
        default: What it is where the file says nothing.
        choices: What it may be; empty where it may be any text.
        least: Of a number, the least that is allowed; the choices are then some of those there are.
        most: The most that is.
    """

    name: str
    default: T
    choices: tuple[T, ...] = ()
    least: float = 0
    most: float = 0

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        if self.most:
            return f"a number from {self.least:g} to {self.most:g}"
        names = [_toml_literal(choice) for choice in self.choices]
        return f"{', '.join(names[:-1])} or {names[-1]}" if names else "text in quotes"

    def of(self, value: Any) -> T | None:
        """What a value of the file stands for; None for one that is not allowed."""
        kind = type(self.default)
        if self.most and isinstance(value, int | float) and not isinstance(value, bool):
            return kind(value) if self.least <= value <= self.most else None
        if not isinstance(value, kind) or isinstance(value, bool) is not isinstance(self.default, bool):
            return None
        return value if not self.choices or value in self.choices else None


def _toml_literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else f"{value:g}"


THEME: Final = Setting("theme", "dark", ("dark", "light"))
GLYPHS: Final = Setting("glyphs", "auto", ("auto", "unicode", "ascii"))
COORDINATES: Final = Setting("coordinates", True, (True, False))
CURSOR: Final = Setting("cursor", True, (True, False))
DEFENCE: Final = Setting("defence", "usual", ("usual", "perfect", "varied", "tricky", "human"))
AUTOPLAY: Final = Setting("autoplay", 0.8, (0.2, 0.4, 0.8, 1.5, 3.0), 0.1, 10)
CLUSTER: Final = Setting("cluster", "")
SYZYGY: Final = Setting("syzygy", "")
ENGINE: Final = Setting("engine", "")
PLAYER: Final = Setting("player", "")

ALL: Final[tuple[Setting[Any], ...]] = (
    THEME, GLYPHS, COORDINATES, DEFENCE, AUTOPLAY, CLUSTER, PLAYER, SYZYGY, ENGINE, CURSOR,
)  # fmt: skip
"""Every setting, in the order in which they are shown."""


class Settings:
    """The settings of one data directory.

    Args:
        root: The data directory; the user's own by default.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.file = paths.settings_file(root)
        self._errors: dict[str, EndgameError] = {}
        """What is wrong in the file, by name; of the file itself by none."""
        self._values: dict[str, Any] = {}
        self.read()

    def __getitem__(self, setting: Setting[T]) -> T:
        return self._values.get(setting.name, setting.default)

    @property
    def problems(self) -> list[EndgameError]:
        """What is wrong in the file, each with its line and what is allowed; what is right in it counts."""
        return [*self._errors.values()]

    def named(self, setting: Setting[str]) -> str:
        """The same as by index.

        Raises:
            EndgameError: The file cannot be read, or what it says of this setting is wrong.
        """
        if problem := self._errors.get("") or self._errors.get(setting.name):
            raise problem
        return self[setting]

    def read(self) -> None:
        """Reads the file anew."""
        self._errors, self._values = {}, {}
        try:
            text = self._text()
            result = read_toml(text) if text else {}
        except EndgameError as problem:
            self._errors[""] = problem if isinstance(problem, StorageError) else self._unreadable(problem)
            return
        settings = {setting.name: setting for setting in ALL}
        for name, value in result.items():
            setting = settings.get(name)
            if setting is None:
                self._errors[name] = _value_error(
                    text, name, f"there is no setting {quoted(name)}", ", ".join(settings)
                )
            elif (valid := setting.of(value)) is None:
                said = value if isinstance(value, str | int | float) else "a list" if isinstance(value, list) else value
                problem_text = f"{name} cannot be {_toml_literal(said) if isinstance(said, bool) else quoted(said)}"
                self._errors[name] = _value_error(text, name, problem_text, setting.allowed)
            else:
                self._values[name] = valid

    def _text(self) -> str:
        try:
            return decoded(read_regular(self.file))
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise StorageError(f"the settings file {self.file} cannot be read ({reason})", "mend or move it") from None

    def _unreadable(self, problem: EndgameError) -> EndgameError:
        return EndgameError(f"the settings file {self.file} cannot be read ({problem.what})", "mend that line")

    def put(self, setting: Setting[T], value: T) -> None:
        """Chooses something, and writes it into the file, in which all else stays as it is.

        Raises:
            EndgameError: The file cannot be read or written; what was chosen counts for this run.
        """
        import tomlkit.exceptions  # only who changes something waits for it

        self._values[setting.name] = value
        text = self._text()
        try:
            read_toml(text)
            document = tomlkit.parse(text)
        except (EndgameError, tomlkit.exceptions.TOMLKitError) as problem:
            reason = problem if isinstance(problem, EndgameError) else EndgameError(str(problem))
            raise self._unreadable(reason) from None
        document[setting.name] = value
        file = self.file.resolve()  # a link stays one
        with paths.storage_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        paths.write_text(file, tomlkit.dumps(document))
        self._errors.pop(setting.name, None)


def _value_error(text: str, name: str, problem: str, allowed: str) -> EndgameError:
    """What is wrong with a value, with its line where that is found."""
    lines: Mapping[str, int] = {
        match[1] or match[2]: number
        for number, line in reversed(list(enumerate(text.splitlines(), start=1)))
        if (match := re.match(r"""\s*(?:["']?([\w-]+)["']?[\w\s."'-]*=|\[+\s*["']?([\w-]+))""", line))
    }
    where = f"line {lines[name]} of settings.toml" if name in lines else "settings.toml"
    return EndgameError(
        f"{where}: {problem}", f"allowed is {allowed}" if "cannot" in problem else f"there are {allowed}"
    )
