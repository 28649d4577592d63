"""Practice: games, drills, schedule, journal and studies, written once for every game."""
