"""numpy, imported when it is first used: who opens the program, or asks for one position, need not wait for it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _Later:
        """Stands for a module until something of it is wanted."""

        def __getattr__(self, name: str) -> Any:
            found = getattr(importlib.import_module("numpy"), name)
            setattr(self, name, found)
            return found

    np = _Later()

__all__ = ["np"]
