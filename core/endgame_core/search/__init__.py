"""Alpha-beta search over a tracked game, for positions that no table covers; what it finds is an estimate.

:class:`Searcher` thinks in the caller's thread, :class:`SearchThinker` in a process of its own, :class:`Fallback` joins
a thinker that may fail to one that does not.
"""

from endgame_core.search.alphabeta import Searcher
from endgame_core.search.fallback import Fallback
from endgame_core.search.probing import table_probe
from endgame_core.search.thinker import SearchThinker

__all__ = ["Fallback", "SearchThinker", "Searcher", "table_probe"]
