"""The user's settings: ``settings.toml`` in the data directory, read leniently, written with its comments preserved."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from endgame_core import language, paths
from endgame_core.errors import EndgameError, StorageError, system_reason
from endgame_core.language import _
from endgame_core.untrusted import decoded, quoted, read_regular, read_toml

T = TypeVar("T", str, bool, float)


@dataclass(eq=False)
class Setting(Generic[T]):
    """A setting.

    Attributes:
        name: Its name in the file.
        default: Its value if the file has none.
        choices: The allowed values; empty if any text is allowed.
        minimum: Minimum of a number; the choices are then only suggestions.
        maximum: Maximum of a number.
    """

    name: str
    default: T
    choices: tuple[T, ...] = ()
    minimum: float = 0
    maximum: float = 0

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.maximum:
            return _("a number from {least:g} to {most:g}").format(least=self.minimum, most=self.maximum)
        names = [_toml_literal(choice) for choice in self.choices]
        if names:
            return _("{names} or {names2}").format(names=", ".join(names[:-1]), names2=names[-1])
        return _("text in quotes")

    def of(self, value: Any) -> T | None:
        """Return the setting's value for a value of the file; None if it is not allowed."""
        kind = type(self.default)
        if self.maximum and isinstance(value, int | float) and not isinstance(value, bool):
            if self.minimum <= value <= self.maximum:
                return kind(value)
            return None
        if not isinstance(value, kind) or isinstance(value, bool) is not isinstance(self.default, bool):
            return None
        if not self.choices or value in self.choices:
            return value
        return None


def _toml_literal(value: object) -> str:
    """Return a boolean, string or number as it is written in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}"


THEME: Final = Setting(
    "theme", "dark",
    ("dark", "light", "nord", "gruvbox", "catppuccin", "solarized-dark", "solarized-light", "high-contrast"),
)  # fmt: skip
GLYPHS: Final = Setting("glyphs", "auto", ("auto", "unicode", "ascii"))
PIECES: Final = Setting("pieces", "auto", ("auto", "glyphs", "quadrants", "sextants", "image"))
COORDINATES: Final = Setting("coordinates", True, (True, False))
CURSOR: Final = Setting("cursor", True, (True, False))
MOTION: Final = Setting("motion", True, (True, False))
DEFENCE: Final = Setting("defence", "usual", ("usual", "perfect", "varied", "tricky", "human"))
AUTOPLAY: Final = Setting("autoplay", 0.8, (0.2, 0.4, 0.8, 1.5, 3.0), 0.1, 10)
CLUSTER: Final = Setting("cluster", "")
SYZYGY: Final = Setting("syzygy", "")
GAVIOTA: Final = Setting("gaviota", "")
ENGINE: Final = Setting("engine", "")
PLAYER: Final = Setting("player", "")
LANGUAGE: Final = Setting("language", language.AUTO, tuple(language.NAMES))
PIECE_LETTERS: Final = Setting("piece_letters", "auto", ("auto", "english", "german", "figurine"))

ALL: Final[tuple[Setting[Any], ...]] = (
    THEME, GLYPHS, COORDINATES, DEFENCE, AUTOPLAY, CLUSTER, PLAYER, SYZYGY, GAVIOTA, ENGINE, CURSOR,
    PIECES, LANGUAGE, PIECE_LETTERS, MOTION,
)  # fmt: skip
"""Every setting, in the order of the settings screen."""


KEYS: Final = "keys"
"""The table of the file with the user's own keys, which only the screens understand."""


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """A problem with an entry of the table ``[keys]``.

    Attributes:
        action: The name of the entry.
        what: One clause that says what is wrong.
        then: One clause that says what to do.
    """

    action: str
    what: str
    then: str


class Settings:
    """The settings of one data directory.

    Args:
        root: The data directory; the user's own by default.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.file = paths.settings_file(root)
        self._errors: dict[str, EndgameError] = {}
        """Errors in the file by setting; the error of the file itself has an empty name."""
        self._values: dict[str, Any] = {}
        self.keys: Mapping[str, str] = {}
        """The entries of the table ``[keys]``: the keys of actions, as the user wrote them."""
        self.read()

    def __getitem__(self, setting: Setting[T]) -> T:
        """Return the value of a setting, its default if the file has no valid one."""
        return self._values.get(setting.name, setting.default)

    @property
    def problems(self) -> list[EndgameError]:
        """The errors in the file, each with its line and the allowed values; the valid settings still apply."""
        return [*self._errors.values()]

    def named(self, setting: Setting[str]) -> str:
        """Return a setting, but raise its error instead of using the default.

        Raises:
            EndgameError: The file cannot be read, or its value of this setting is wrong.
        """
        if problem := self._errors.get("") or self._errors.get(setting.name):
            raise problem
        return self[setting]

    def read(self) -> None:
        """Read the file again."""
        self._errors = {}
        self._values = {}
        self.keys = {}
        try:
            text = self._text()
            result = read_toml(text) if text else {}
        except EndgameError as problem:
            if isinstance(problem, StorageError):
                reported = problem
            else:
                reported = self._unreadable(problem)
            self._errors[""] = reported
            return
        settings = {setting.name: setting for setting in ALL}
        for name, value in result.items():
            if name == KEYS:
                self._read_keys(text, value)
                continue
            setting = settings.get(name)
            if setting is None:
                self._errors[name] = _value_error(
                    text, name, _("there is no setting {name}").format(name=quoted(name)), ", ".join(settings)
                )
            elif (valid := setting.of(value)) is None:
                problem_text = _("{name} cannot be {shown_value}").format(name=name, shown_value=_shown_value(value))
                self._errors[name] = _value_error(text, name, problem_text, setting.allowed)
            else:
                self._values[name] = valid

    def _read_keys(self, text: str, table: Any) -> None:
        """Read the table ``[keys]``; its entries are texts."""
        if not isinstance(table, dict):
            problem = _("{keys} cannot be {shown_value}").format(keys=KEYS, shown_value=_shown_value(table))
            self._errors[KEYS] = _value_error(text, KEYS, problem, _("a table [{keys}]").format(keys=KEYS))
            return
        entries: dict[str, str] = {}
        for action, keys in table.items():
            if isinstance(keys, str):
                entries[action] = keys
            else:
                problem = KeyProblem(
                    action,
                    _("{action} cannot be {shown_value}").format(action=action, shown_value=_shown_value(keys)),
                    _("allowed: text in quotes"),
                )
                self.report_keys([problem])
        self.keys = entries

    def report_keys(self, problems: Iterable[KeyProblem]) -> None:
        """Add problems of the table ``[keys]`` to the errors in the file."""
        for problem in problems:
            where = _place(self._key_line(problem.action))
            self._errors[f"{KEYS}.{problem.action}"] = EndgameError(f"{where}: {problem.what}", problem.then)

    def _key_line(self, action: str) -> int | None:
        """The number of the line of an entry of the table ``[keys]``; None if it cannot be found."""
        try:
            lines = self._text().splitlines()
        except StorageError:
            return None
        is_in_table = False
        for number, line in enumerate(lines, start=1):
            if line.lstrip().startswith("["):
                is_in_table = line.split("#")[0].strip() == f"[{KEYS}]"
            elif is_in_table and line.partition("=")[0].strip().strip("\"'") == action:
                return number
        return None

    def _text(self) -> str:
        """Return the text of the file, empty if there is none; raises StorageError."""
        try:
            return decoded(read_regular(self.file))
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            if isinstance(error, OSError):
                reason = system_reason(error)
            else:
                reason = _("it is not UTF-8")
            raise StorageError(
                _("the settings file {file} cannot be read ({reason})").format(file=self.file, reason=reason),
                _("fix or move it"),
            ) from None

    def _unreadable(self, problem: EndgameError) -> EndgameError:
        return EndgameError(
            _("the settings file {file} cannot be read ({problem_what})").format(
                file=self.file, problem_what=problem.what
            ),
            _("fix that line"),
        )

    def put(self, setting: Setting[T], value: T) -> None:
        """Change a setting and write it to the file, which is otherwise unchanged.

        Raises:
            EndgameError: The file cannot be read or written; the new value applies for this run.
        """
        import tomlkit.exceptions  # imported here because it is slow and only needed for changes

        self._values[setting.name] = value
        text = self._text()
        try:
            read_toml(text)
            document = tomlkit.parse(text)
        except (EndgameError, tomlkit.exceptions.TOMLKitError) as problem:
            if isinstance(problem, EndgameError):
                reason = problem
            else:
                reason = EndgameError(str(problem))
            raise self._unreadable(reason) from None
        document[setting.name] = value
        file = self.file.resolve()  # write to the target of a symbolic link
        with paths.storage_errors(file):
            file.parent.mkdir(parents=True, exist_ok=True)
        paths.write_text(file, tomlkit.dumps(document))
        self._errors.pop(setting.name, None)


def syzygy_directories(option: str | None = None, root: Path | None = None) -> str | None:
    """Return the Syzygy directories: ``option`` (``--syzygy``), else ``SYZYGY_PATH``, else the setting ``syzygy``.

    Args:
        option: The value of the option; None or empty if it was not used.
        root: The data directory with the settings file; None to ignore the settings.

    Returns:
        A directory, or several as in PATH; None if none is configured.

    Raises:
        EndgameError: The settings file cannot be read, or the setting is not a string.
    """
    return _directories(option, paths.SYZYGY_VARIABLE, SYZYGY, root)


def gaviota_directories(option: str | None = None, root: Path | None = None) -> str | None:
    """Return the Gaviota directories, as :func:`syzygy_directories` does those of Syzygy files."""
    return _directories(option, paths.GAVIOTA_VARIABLE, GAVIOTA, root)


def _directories(option: str | None, variable: str, setting: Setting[str], root: Path | None) -> str | None:
    """Return the directories of an option, else of its environment variable, else of its setting."""
    directories = option or os.environ.get(variable)
    if not directories and root is not None:
        directories = Settings(root).named(setting)
    return directories or None


def _shown_value(value: Any) -> str:
    """Return an invalid value of the file for an error message."""
    if isinstance(value, bool):
        return _toml_literal(value)
    return quoted(_("a list") if isinstance(value, list) else value)


def _value_error(text: str, name: str, problem: str, allowed: str) -> EndgameError:
    """Return the error of a value, with its line if that can be found."""
    lines: Mapping[str, int] = {
        match[1] or match[2]: number
        for number, line in reversed(list(enumerate(text.splitlines(), start=1)))
        if (match := re.match(r"""\s*(?:["']?([\w-]+)["']?[\w\s."'-]*=|\[+\s*["']?([\w-]+))""", line))
    }
    where = _place(lines.get(name))
    if "cannot" in problem:
        then = _("allowed: {allowed}").format(allowed=allowed)
    else:
        then = _("available: {allowed}").format(allowed=allowed)
    return EndgameError(f"{where}: {problem}", then)


def _place(line: int | None) -> str:
    """Return the place of an error as text, given its line number; None if the line is unknown."""
    if line is None:
        return "settings.toml"
    return _("line {line} of settings.toml").format(line=line)
