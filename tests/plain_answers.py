"""What an answer of plain mode says, whatever its wording."""

from __future__ import annotations

import re


def tells(answer: str, *values: str) -> bool:
    """Whether an answer names these values, in their order."""
    return re.search(r"\b.*\b".join(map(re.escape, values)), " ".join(answer.split()), re.IGNORECASE) is not None


def refuses(answer: str, *values: str) -> bool:
    """Whether an answer is one sentence that quotes or names these values."""
    sentence = " ".join(answer.split())
    return sentence.endswith(".") and ". " not in sentence and all(value in sentence for value in values)
