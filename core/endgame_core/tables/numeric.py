"""numpy, imported when it is first used: the program starts without it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
else:

    class _LazyModule:
        """Imports numpy on the first access to one of its attributes, and caches each attribute."""

        def __getattr__(self, name: str) -> Any:
            value = getattr(importlib.import_module("numpy"), name)
            setattr(self, name, value)
            return value

    np = _LazyModule()

__all__ = ["np"]
