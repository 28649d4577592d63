"""Data shipped with endgame-tui: starter tables, each with its source."""
