"""Syzygy files of the user: where they are, whether they are whole, and what they say."""
