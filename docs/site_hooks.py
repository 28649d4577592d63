"""What mkdocs adds to the pages of this directory: references made from the code, and links out of the directory."""

from __future__ import annotations

import os
import re
from typing import Any

import click

from endgame_core.cli.main import main

_COMMANDS = """# All commands

::: mkdocs-click
    :module: endgame_core.cli.main
    :command: main
    :prog_name: endgame-tui
    :style: table
    :depth: 1
"""

_LIBRARY = """# The library, name by name

[The Python library](../python.md) explains how these belong together. Everything is imported from `endgame_core`.

"""

_LINK_OUT = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")
"""A link to a file of the repository that is no page of the site."""


def on_config(config: Any) -> Any:
    """Name the repository where that is known, and load all commands, which the command line loads one by one."""
    home = os.environ.get("PROJECT_URL", "").rstrip("/")
    if home:
        config.repo_url = home
    with click.Context(main) as context:
        for name in main.list_commands(context):
            command = main.get_command(context, name)
            if command is not None:
                main.add_command(command)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made from the code."""
    from mkdocs.structure.files import File  # pyright: ignore[reportMissingImports]

    import endgame_core

    names = [name for name in endgame_core.__all__ if not name.startswith("_")]
    library = _LIBRARY + "\n".join(f"::: endgame_core.{name}\n" for name in names)
    for path, text in (("reference/commands.md", _COMMANDS), ("reference/library.md", library)):
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Let links out of the directory lead to the repository; where that is not known, leave their text."""
    if page.file.src_uri.startswith("reference/"):
        return markdown
    if config.repo_url:
        return _LINK_OUT.sub(rf"[\1]({config.repo_url}/blob/main/\2)", markdown)
    return _LINK_OUT.sub(r"\1", markdown)
