"""The Morris solver: retrograde analysis of pairs, layer by layer."""
