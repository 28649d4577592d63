"""Playing and practising: grades, defenders, played games, drills, the journal. Knows no particular game."""
