"""Tables of solved endings, whatever the game."""
