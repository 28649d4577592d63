"""Data shipped with endgame-tui: starter tables and curated studies, each with its source."""
