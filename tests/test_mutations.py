"""The faults that ``benchmarks/mutations.py`` puts into the program."""

from __future__ import annotations

from benchmarks.mutations import changes

MODULE = """
@kernel(cache=1)
def f(a: Literal[1], b):
    assert a > 2
    "Ã©", f"{a + 3}"
    if a < b and not c:
        return [x for x in b if x] if a is None else 7
""".encode()


def test_a_mutation_changes_one_place() -> None:
    found = {(MODULE[start:end].decode(), text) for start, end, text in changes(MODULE)}
    condition = "a < b and not c"
    assert found == {
        (condition, "(not (a < b and (not c)))"), (condition, "(a < b or not c)"), ("a < b", "(a <= b)"), ("7", "(8)"),
        ("x", "(not x)"), ("a is None", "(not a is None)"), ("a is None", "(a is not None)"),
    }  # fmt: skip
    for start, end, text in changes(MODULE):
        compile(MODULE[:start] + text.encode() + MODULE[end:], "changed", "exec")
