"""What a release knows and the source does not: where the project lives, and so where the links of the README lead."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\])\((?![a-z]+:|#)([^)]+)\)")
"""A link or picture of Markdown whose target is a file of the repository."""


class Links(MetadataHookInterface):
    """Adds the README, and the links of the repository where a release is built (``PROJECT_URL``); none elsewhere."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds ``readme`` and ``urls`` to the project's metadata."""
        home = os.environ.get("PROJECT_URL", "").rstrip("/")
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, home, f"v{metadata['version']}") if home else text,
        }
        metadata["urls"] = (
            {
                "Homepage": home,
                "Source": home,
                "Issues": f"{home}/issues",
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Documentation": f"{home}/tree/main/docs",
            }
            if home
            else {}
        )


def absolute(text: str, home: str, tag: str) -> str:
    """Return Markdown whose links lead to a tag of the repository: a package index has none of its files.

    Args:
        text: The Markdown.
        home: The address of the repository.
        tag: The tag of the release.
    """

    def replaced(link: re.Match[str]) -> str:
        is_picture, label, target = link.groups()
        view = "raw" if is_picture else "blob"
        return f"{is_picture}{label}({home}/{view}/{tag}/{target})"

    return _RELATIVE_LINK.sub(replaced, text)
