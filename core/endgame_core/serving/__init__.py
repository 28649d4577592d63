"""Answers over HTTP, in the shape of the lichess tablebase API."""
