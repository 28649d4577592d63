"""Chess endings of three to six men."""
