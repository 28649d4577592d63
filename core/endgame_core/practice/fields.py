"""Records as JSON objects: what a field is declared to be is what is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

R = TypeVar("R")

_LONGEST_TEXT = 10_000
_MOST = 1 << 53
_LATEST = 253_370_764_800.0
"""The year 9999 in seconds since 1970; later moments have no day."""


@cache
def types(kind: type[Any]) -> dict[str, Any]:
    """The fields of a record and their types, in order."""
    hints = get_type_hints(kind)
    return {each.name: hints[each.name] for each in fields(kind)}


def values(record: Any) -> dict[str, Any]:
    """A record as a JSON object."""
    return {name: getattr(record, name) for name in types(type(record))}


def read(kind: type[R], given: Mapping[str, Any], error: Callable[[str], Exception]) -> R:
    """Makes a record of a JSON object, every field checked; unknown names are passed over.

    Args:
        kind: The record.
        given: The object.
        error: Makes the error that says which field is missing or is not what it should be; it is raised.
    """
    found: dict[str, Any] = {}
    for name, what in types(kind).items():
        if name in given:
            try:
                found[name] = _checked(what, given[name])
            except ValueError as problem:
                raise error(f"{name} {problem}") from None
    try:
        return kind(**found)
    except TypeError:
        missing = next(name for name in types(kind) if name not in given)
        raise error(f"something is missing, perhaps {missing}") from None


def _checked(what: Any, value: Any) -> Any:
    """The value of a field of some type; raises ValueError with what is wrong with it, a predicate."""
    if isinstance(what, UnionType):
        return None if value is None else _checked(get_args(what)[0], value)
    if get_origin(what) is tuple and isinstance(value, list):
        return tuple(_checked(str, each) for each in cast("list[Any]", value))
    if get_origin(what) is Mapping and isinstance(value, dict):
        return {_checked(str, key): each for key, each in cast("dict[Any, Any]", value).items() if _is_plain(each)}
    if isinstance(what, type) and issubclass(what, StrEnum):
        return _one_of(what, value)
    kind, fits = _KINDS.get(what, ("list, or no facts by name", _never))
    if not fits(value):
        raise ValueError(f"is no {kind}")
    return float(value) if what is float else value


def _one_of(names: type[StrEnum], value: Any) -> StrEnum:
    if value not in list(names):
        raise ValueError(f"is none of {', '.join(names)}")
    return names(value)


def _is_plain(value: Any) -> bool:
    if not isinstance(value, str | int | float):
        raise ValueError("has more than texts and numbers")
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LATEST


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST


def _is_text(value: Any) -> bool:
    whole = isinstance(value, str) and len(value) <= _LONGEST_TEXT
    return whole and not any("\ud800" <= sign <= "\udfff" for sign in value)  # halves of a character


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _never(value: Any) -> bool:
    return False


_KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    int: ("whole number from 0", _is_whole),
    float: ("number from 0", _is_number),
    str: ("text", _is_text),
    bool: ("true or false", _is_truth),
}
