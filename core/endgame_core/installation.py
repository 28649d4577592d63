"""How the program was installed, so that advice about missing packages fits."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from endgame_core.language import _

_NAME = "endgame-tui"


def install_command(extra: str) -> str:
    """Return the command that adds the packages of an extra to this installation.

    Args:
        extra: An optional dependency of the package, such as ``web``.
    """
    parts = Path(sys.prefix).parts
    if "pipx" in parts:
        return f"pipx inject {_NAME} {' '.join(_requirements(extra))}"
    if parts[-3:-1] == ("uv", "tools"):
        return f'uv tool install "{_NAME}[{extra}]"'
    if _is_checkout():
        return f'.venv/bin/pip install ".[{extra}]"'
    return f'{sys.executable} -m pip install "{_NAME}[{extra}]"'


def _requirements(extra: str) -> list[str]:
    """The packages of an extra."""
    from importlib import metadata

    try:
        requirements = metadata.requires(_NAME) or []
    except metadata.PackageNotFoundError:
        requirements = []
    result: list[str] = []
    for requirement in requirements:
        # Such as ``uvicorn>=0.30; extra == 'serve'``; the quotation marks differ between build tools.
        package, __, marker = requirement.partition(";")
        if f"extra == '{extra}'" in marker.replace('"', "'"):
            result.append(package.strip().replace(" ", ""))
    return result or [f"{_NAME}[{extra}]"]


def _is_checkout() -> bool:
    """Whether the program runs from a clone: not installed, or installed so that changes take effect."""
    from importlib import metadata

    try:
        origin = metadata.distribution(_NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return True
    return bool(origin and json.loads(origin).get("dir_info", {}).get("editable"))


def install_advice(extra: str) -> str:
    """Return the advice of an error about a missing package."""
    if install_command(extra).startswith(".venv"):
        place = _("run in your clone of the repository")
    else:
        place = _("run")
    return f"{place}: {install_command(extra)}"
