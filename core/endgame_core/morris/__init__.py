"""Nine Men's Morris: the second game."""
