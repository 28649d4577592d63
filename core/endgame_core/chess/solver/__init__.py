"""The chess solver: bit-sliced retrograde analysis, by DTM and by DTZ."""
