"""Alpha-beta search over a tracked game, for positions that no table covers; what it finds is an estimate.

:class:`Searcher` thinks in the caller's thread, :class:`SearchThinker` in a process of its own.
"""

from endgame_core.search.alphabeta import Searcher
from endgame_core.search.thinker import SearchThinker
from endgame_core.search.worker import table_probe

__all__ = ["SearchThinker", "Searcher", "table_probe"]
