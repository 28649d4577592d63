"""The language of the sentences that users read: English in the source, others from catalogues of gettext.

A sentence is marked where it is written, with named placeholders that are filled in afterwards::

    _("{piece} on {square} is attacked").format(piece=piece, square=square)

The language is chosen once, before the modules with sentences are imported, so that those at module level follow it:
by ``--lang``, else by the environment variable :data:`VARIABLE`, which child processes inherit, else by the setting
``language``, else by the locale. What programs read stays English: JSON, and the protocols of ``serve`` and ``uci``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gettext import GNUTranslations

_JSON_STREAMS: Final = frozenset(("probe", "line", "previous"))
"""Commands that answer positions of standard input (``-``) with JSON."""

VARIABLE: Final = "ENDGAME_TUI_LANGUAGE"
"""The environment variable with the language of this program and of its child processes."""

OPTION: Final = "--lang"

AUTO: Final = "auto"
"""The language of the locale."""

ENGLISH: Final = "en"

NAMES: Final = {AUTO: "auto", ENGLISH: "English", "de": "Deutsch"}
"""The languages that a user can choose, each under its own name."""

DOMAIN: Final = "endgame"
DIRECTORY: Final = Path(__file__).parent / "locale"

_DECIMAL_SIGNS: Final = {"de": ","}
_GROUP_SIGNS: Final = {"de": "."}
_VERB_LAST: Final = frozenset(("de",))
"""Languages in which a label ends with its verb."""

current = ENGLISH
"""The code of the language in use."""

_catalogue: GNUTranslations | None = None
"""The translations; None in English."""


def _(message: str) -> str:
    """Return a sentence in the language in use."""
    if _catalogue is None or not message:
        return message
    return _catalogue.gettext(message)


def ngettext(one: str, many: str, number: float) -> str:
    """Return the form of a sentence or noun that fits a number."""
    if _catalogue is None:
        return one if number == 1 else many
    return _catalogue.ngettext(one, many, number if isinstance(number, int) else 2)


def pgettext(context: str, message: str) -> str:
    """Return a sentence that is ambiguous in English; ``context`` tells translators which meaning it is."""
    if _catalogue is None:
        return message
    return _catalogue.pgettext(context, message)


def N_(message: str) -> str:  # noqa: N802
    """Mark a sentence that is translated where it is shown."""
    return message


_SIDES: Final = {"white": N_("White"), "black": N_("Black"), "mover": N_("Mover"), "opponent": N_("Opponent")}


def side_name(side: str) -> str:
    """Return what a side (``white``, ``black``; ``mover``, ``opponent`` of pairs of stones) is called in sentences."""
    if side in _SIDES:
        return _(_SIDES[side])
    return side.capitalize()


def english(text: str) -> str:
    """Return the English of a translated name, so that it can be typed as well; ``text`` itself if there is none."""
    if _catalogue is None:
        return text
    messages = getattr(_catalogue, "_catalog", {})
    return next((msgid for msgid, msgstr in messages.items() if msgstr == text and isinstance(msgid, str)), text)


def and_list(names: Sequence[str]) -> str:
    """Return names as a sentence lists them: ``KQvK, KRvK and KBvK``."""
    if len(names) < 2:
        return "".join(names)
    return _(" and ").join((", ".join(names[:-1]), names[-1]))


def or_list(names: Sequence[str]) -> str:
    """Return names as a sentence offers them: ``Qe4, Kc2 or Kd1``."""
    if len(names) < 2:
        return "".join(names)
    return _("{names} or {names2}").format(names=", ".join(names[:-1]), names2=names[-1])


def lowered(text: str) -> str:
    """Return a label as it stands inside a sentence: in lower case where the language writes nouns so."""
    if current == ENGLISH:
        return text.lower()
    return text


def verb_of(label: str) -> str:
    """Return the verb of a label: ``review`` of ``review attempts``, ``ansehen`` of ``Versuche ansehen``."""
    return label.split()[-1 if current in _VERB_LAST else 0]


def decimal(value: float, digits: int = 1, sign: str = "") -> str:
    """Return a number as users read it, with a fixed number of decimals: ``2.5``, in German ``2,5``.

    Args:
        value: The number.
        digits: Number of decimals.
        sign: ``+`` to print the sign of positive numbers as well.
    """
    return _localised(f"{value:{sign}.{digits}f}")


def grouped(number: int, separator: str = ",") -> str:
    """Return a whole number with its thousands separated, in German by full stops.

    Args:
        number: The number.
        separator: The sign between thousands in English.
    """
    return f"{number:,}".replace(",", _GROUP_SIGNS.get(current, separator))


def shortest(value: float) -> str:
    """Return a number with no more decimals than it needs: ``0.8``, ``2``."""
    return _localised(f"{value:g}")


def _localised(text: str) -> str:
    return text.replace(".", _DECIMAL_SIGNS.get(current, "."))


def use(language: str) -> None:
    """Use a language from now on; an unknown one is English.

    Sentences at module level keep the language in which their module was imported.
    """
    global _catalogue, current
    current = ENGLISH
    _catalogue = None
    if language == ENGLISH or language not in NAMES:
        return
    import gettext

    _catalogue = gettext.translation(DOMAIN, DIRECTORY, [language])
    current = language


def choose(arguments: Sequence[str]) -> None:
    """Choose the language of this run and of its child processes, and use it; called before the command line is read.

    Args:
        arguments: The command line, without the name of the program.
    """
    options = list(arguments[: arguments.index("--")] if "--" in arguments else arguments)
    language = _option(options, OPTION) or os.environ.get(VARIABLE) or _setting(options) or AUTO
    if language == AUTO:
        language = _of_locale()
    if is_for_programs(options):
        language = ENGLISH
    use(language)
    os.environ[VARIABLE] = current
    if current != ENGLISH:
        import gettext

        # Click asks the standard library for its own texts.
        os.environ["LANGUAGE"] = current
        gettext.bindtextdomain(DOMAIN, str(DIRECTORY))
        gettext.textdomain(DOMAIN)


@contextmanager
def english_children() -> Generator[None]:
    """Let processes that are started inside this block use English: programs read what they answer."""
    language = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = ENGLISH
    try:
        yield
    finally:
        if language is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = language


def is_for_programs(options: Sequence[str]) -> bool:
    """Return whether a program reads what the command prints, or its protocol; help is for people."""
    if {"--help", "-h"}.intersection(options):
        return False
    has_page = any(option == "--web" or option.startswith("--web=") for option in options)
    is_server = "uci" in options or ("serve" in options and not has_page)
    is_stream = "-" in options and not _JSON_STREAMS.isdisjoint(options)
    prints_json = "--json" in options or _option(options, "--format") == "json"
    return prints_json or "--csv" in options or is_server or is_stream


def _option(options: Sequence[str], name: str) -> str:
    """Return the value of an option of the command line; empty if it is not there."""
    for number, text in enumerate(options):
        if text == name:
            if number + 1 < len(options):
                return options[number + 1]
            return ""
        if text.startswith(f"{name}="):
            return text.partition("=")[2]
    return ""


def _setting(options: Sequence[str]) -> str:
    """Return the setting ``language``; empty if it cannot be read. Without a parser of TOML, which starts slowly."""
    try:
        data_dir = _option(options, "--data-dir") or os.environ.get("ENDGAME_TUI_HOME")
        if not data_dir:
            from platformdirs import user_data_dir

            data_dir = user_data_dir("endgame-tui")
        text = (Path(data_dir).expanduser() / "settings.toml").read_text(encoding="utf-8", errors="replace")
    except (OSError, RuntimeError, ValueError):  # if it matters, the command line reports it
        return ""
    before_tables = re.split(r"^\s*\[", text, maxsplit=1, flags=re.MULTILINE)[0]
    match = re.search(r"""^\s*language\s*=\s*["'](\w+)["']""", before_tables, re.MULTILINE)
    if match and match[1] in NAMES:
        return match[1]
    return ""


def _of_locale() -> str:
    """Return the language of the locale if there is a catalogue for it, else English."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if locale := os.environ.get(variable):
            language = re.split(r"[_.@]", locale)[0]
            if language in NAMES:
                return language
            return ENGLISH
    return ENGLISH


use(os.environ.get(VARIABLE, ENGLISH))
