"""The settings file: valid lines apply, wrong ones are reported by line, and none is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endgame_core.errors import EndgameError, StorageError
from endgame_core.settings import ALL, AUTOPLAY, COORDINATES, DEFENCE, ENGINE, SYZYGY, THEME, Settings
from endgame_core.words import settings as words

FILE = """# what I like
theme = "light"   # at night: dark

  [notes]  # of mine
engine = "not ours"
"""


def kept(root: Path, text: str) -> Settings:
    (root / "settings.toml").write_text(text)
    return Settings(root)


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    found = Settings(tmp_path / "nowhere")
    assert all(found[setting] == setting.default for setting in ALL) and not found.problems


def test_the_settings_of_the_file_are_used(tmp_path: Path) -> None:
    found = kept(tmp_path, 'theme = "light"\ncoordinates = false\nautoplay = 2\nsyzygy = "/a b"\ndefence = "human"\n')
    assert (found[THEME], found[COORDINATES], found[AUTOPLAY]) == ("light", False, 2.0)
    assert (found[SYZYGY], found[DEFENCE], found[ENGINE], found.problems) == ("/a b", "human", "", [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '\n\ntheme = "blue"\n',
            'line 3 of settings.toml: theme cannot be \'blue\'; allowed: "dark", "light", '
            '"nord", "gruvbox", "catppuccin", "solarized-dark", "solarized-light" or "high-contrast".',
        ),
        ('x = 1\n"autoplay" = 99\n', "line 2 of settings.toml: autoplay cannot be '99'; allowed: a number from 0.1"),
        ("autoplay = true", "line 1 of settings.toml: autoplay cannot be true"),
        ("autoplay = nan", "line 1 of settings.toml: autoplay cannot be"),
        ("coordinates = 1", "line 1 of settings.toml: coordinates cannot be '1'; allowed: true or false."),
        ("engine = 3", "line 1 of settings.toml: engine cannot be '3'; allowed: text in quotes."),
        ("engine = [1]", "line 1 of settings.toml: engine cannot be 'a list'"),
        ("[theme]\nx = 1", "line 1 of settings.toml: theme cannot be"),
        ("theme.x = 1", "line 1 of settings.toml: theme cannot be"),
        ('\ncolour = "red"', "line 2 of settings.toml: there is no setting 'colour'; available: theme, glyphs"),
    ],
)
def test_a_wrong_value_is_reported_with_its_line_and_the_allowed_values(tmp_path: Path, text: str, told: str) -> None:
    found = kept(tmp_path, f'{text}\ndefence = "human"\n' if "[theme]" not in text else f'defence = "human"\n{text}')
    line = told.replace("line 1", "line 2") if "[theme]" in text else told
    assert any(str(problem).startswith(line) for problem in found.problems), found.problems
    assert found[DEFENCE] == "human" and found[THEME] == "dark" and found[AUTOPLAY] == 0.8


@pytest.mark.parametrize("text", ['theme = "light', "= 3", "a = " + "[" * 5000, "theme = 1\ntheme = 2"])
def test_a_file_that_is_not_toml_is_reported_and_not_changed(tmp_path: Path, text: str) -> None:
    found = kept(tmp_path, text)
    assert str(found.problems[0]).startswith("the settings file")
    with pytest.raises(EndgameError, match="cannot be read"):
        found.put(THEME, "light")
    assert (tmp_path / "settings.toml").read_text() == text and found[THEME] == "light"


def test_a_file_in_another_encoding_is_reported(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes('# für\ntheme = "light"\n'.encode("latin-1"))
    found = Settings(tmp_path)
    assert "not UTF-8" in str(found.problems[0])
    with pytest.raises(StorageError):
        found.put(THEME, "light")


def test_comments_and_unknown_entries_stay(tmp_path: Path) -> None:
    found = kept(tmp_path, FILE)
    found.put(THEME, "dark")
    found.put(ENGINE, "off")
    text = (tmp_path / "settings.toml").read_text()
    assert text.startswith('# what I like\ntheme = "dark"   # at night: dark\n') and text.count("engine") == 2
    assert text.endswith('  [notes]  # of mine\nengine = "not ours"\n') and Settings(tmp_path)[ENGINE] == "off"


@pytest.mark.parametrize(("setting", "value"), [(s, c) for s in ALL for c in (*s.choices, s.default)], ids=str)
def test_every_choice_is_read_back(tmp_path: Path, setting: Any, value: Any) -> None:
    found = Settings(tmp_path / "new")
    found.put(setting, value)
    again = Settings(tmp_path / "new")
    assert (
        again[setting] == value and not again.problems and words.value(setting, value) and words.MEANINGS[setting.name]
    )


def test_changes_written_meanwhile_stay(tmp_path: Path) -> None:
    found = kept(tmp_path, 'theme = "light"\n')
    (tmp_path / "settings.toml").write_text('theme = "light"\ndefence = "human"\n')
    found.put(AUTOPLAY, 0.4)
    assert Settings(tmp_path)[DEFENCE] == "human" and Settings(tmp_path)[AUTOPLAY] == 0.4


def test_a_settings_file_that_is_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").write_text('theme = "light"\n')
    (tmp_path / "settings.toml").symlink_to(tmp_path / "dotfiles")
    Settings(tmp_path).put(THEME, "dark")
    assert (tmp_path / "settings.toml").is_symlink() and 'theme = "dark"' in (tmp_path / "dotfiles").read_text()


def test_a_corrected_problem_is_reported_no_more(tmp_path: Path) -> None:
    found = kept(tmp_path, 'theme = "blue"\ndefence = 1\n')
    found.put(THEME, "light")
    assert [problem.what for problem in found.problems] == ["line 2 of settings.toml: defence cannot be '1'"]
    found.read()
    assert len(found.problems) == 1


def test_settings_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = Settings(tmp_path / "file")
    with pytest.raises(StorageError):
        found.put(THEME, "light")
    assert found[THEME] == "light"
