"""Where the project lives goes into what is released: known to the workflow that builds it, not to the source."""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Links(MetadataHookInterface):
    """Adds the links of the repository in which a release is built (``PROJECT_URL``); none anywhere else."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Adds ``urls`` to the project's metadata."""
        home = os.environ.get("PROJECT_URL")
        metadata["urls"] = (
            {
                "Homepage": home,
                "Issues": f"{home}/issues",
                "Changelog": f"{home}/blob/main/CHANGELOG.md",
                "Documentation": f"{home}/tree/main/docs",
            }
            if home
            else {}
        )
