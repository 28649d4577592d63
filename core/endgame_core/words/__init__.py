"""Every English sentence about positions, moves, games and practice, made from what a judge or a task knows."""
