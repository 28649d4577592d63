"""The terminal user interface of endgame-tui."""
