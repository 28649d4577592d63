"""Chess endings of three to five men."""
