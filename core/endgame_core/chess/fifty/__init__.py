"""The 50-move rule: what a position is worth with its half-move clock."""
