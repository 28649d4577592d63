"""Playing, drills, what became of them, and when to meet them again; for any game with tables."""
