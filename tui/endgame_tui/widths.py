"""The widths of a terminal, in columns, from which the screens show more.

The classes of Textual's breakpoints follow them: a screen is ``-narrow`` below :data:`PANELS_MIN_WIDTH`, ``-normal``
from there, ``-wide`` from :data:`WIDE` and ``-huge`` from :data:`HUGE`.
"""

from __future__ import annotations

from typing import Final

MEDIUM: Final = 60
"""Keys of rank 2 are in the last row, and sentences and lists have their longer forms."""

PANELS_MIN_WIDTH: Final = 76
"""There is room for panels beside the board; below it, for one column."""

WIDE: Final = 100
"""Keys of rank 3 are in the last row, and words are spelled out."""

HUGE: Final = 140
"""A third column is used, and content that would be too wide is centred."""
