"""Plain mode: the tasks as a line dialogue, for screen readers, Braille, dumb terminals and pipes."""
