"""Updates the translations from the source, and compiles them: ``python docs/make_catalogue.py``.

New sentences are added untranslated to ``endgame.po`` of each language, and those that are gone are removed. The
compiled ``endgame.mo`` are kept in the repository: a wheel and an editable install need no further step.
"""

from __future__ import annotations

import ast
import inspect
import io
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).parents[1]
SOURCES = (ROOT / "core" / "endgame_core", ROOT / "tui" / "endgame_tui")
LOCALES = SOURCES[0] / "locale"
DOMAIN = "endgame"

KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2), "count": (2, 3)}
"""The functions whose arguments are sentences; ``count`` of :mod:`endgame_core.words.text_model` takes two nouns."""


def sources() -> Iterator[Path]:
    """Yield all modules with sentences, sorted."""
    for folder in SOURCES:
        yield from sorted(folder.rglob("*.py"))


def template() -> Catalog:
    """Return all sentences of the source, without translations."""
    result = Catalog(project="endgame-tui", charset="utf-8", fuzzy=False)
    for path in sources():
        location = [(path.relative_to(ROOT).as_posix(), None)]
        text = path.read_bytes()
        for _line, function, messages, _comments in extract_python(io.BytesIO(text), list(KEYWORDS), [], {}):
            _add(result, function, messages, location)
        for help_text in _command_help(ast.parse(text)):
            result.add(help_text, locations=location)
    return result


def _add(catalog: Catalog, function: str, messages: object, location: list[tuple[str, None]]) -> None:
    """Add what a call of one of the keywords marks; calls with anything but literals mark nothing."""
    parts = messages if isinstance(messages, tuple) else (messages,)
    match function, parts:
        case ("ngettext", (str(one), str(many), *_)):
            catalog.add((one, many), locations=location)
        case ("count", (_, str(one), str(many))):
            catalog.add((one, many), locations=location)
        case ("pgettext", (str(context), str(message))):
            catalog.add(message, context=context, locations=location)
        case (("_" | "N_"), (str(message), *_)) if message:
            catalog.add(message, locations=location)


def _command_help(module: ast.Module) -> Iterator[str]:
    """Yield the docstrings of commands, which are their help."""
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef):
            decorators = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
            is_command = any(name.endswith((".command", ".group")) for name in decorators)
            if is_command and (docstring := ast.get_docstring(node, clean=False)):
                yield inspect.cleandoc(docstring)


def update(language: str) -> Catalog:
    """Return the translations of a language with the sentences of today, in the order of the source."""
    path = LOCALES / language / "LC_MESSAGES" / f"{DOMAIN}.po"
    with path.open("rb") as file:
        result = read_po(file, locale=language, domain=DOMAIN)
    created = result.creation_date
    result.update(template(), no_fuzzy_matching=True)
    result.creation_date = created  # else two branches that update a catalogue always conflict
    result.obsolete.clear()
    return result


def po_text(catalog: Catalog) -> bytes:
    """Return a catalogue as a .po file: with the modules of its sentences, but not their lines, which change often."""
    file = io.BytesIO()
    write_po(file, catalog, width=120, include_lineno=False, sort_by_file=False, omit_header=False)
    return file.getvalue()


def mo_bytes(catalog: Catalog) -> bytes:
    """Return a catalogue compiled."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def languages() -> list[str]:
    """Return the languages that have a catalogue."""
    return sorted(path.parts[-3] for path in LOCALES.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def main() -> int:
    """Update and compile the catalogues; return 1 if sentences lack a translation."""
    missing = 0
    for language in languages():
        catalog = update(language)
        folder = LOCALES / language / "LC_MESSAGES"
        (folder / f"{DOMAIN}.po").write_bytes(po_text(catalog))
        (folder / f"{DOMAIN}.mo").write_bytes(mo_bytes(catalog))
        untranslated = [message.id for message in catalog if message.id and not all(_strings(message.string))]
        for sentence in untranslated:
            print(f"{language}: {sentence!r}")
        missing += len(untranslated)
    return min(missing, 1)


def _strings(translation: object) -> tuple[str, ...]:
    """Return the forms of a translation: one, or one for each plural form."""
    return translation if isinstance(translation, tuple) else (str(translation or ""),)  # pyright: ignore[reportReturnType]


if __name__ == "__main__":
    sys.exit(main())
