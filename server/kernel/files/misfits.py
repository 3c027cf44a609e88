"""What does not fit the schema of a file, in words: the decoder's messages name its own types, which no player knows."""

from __future__ import annotations

import re

from msgspec import ValidationError

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table of fields",
    "null": "nothing",
}
_TYPED = re.compile(r"Expected `([a-z |]+)`, got `([a-z |]+)`")
_LONG = re.compile(r"Expected `(str|array)` of length (>=|<=|==) (\d+)")
_FIXED = re.compile(r"Expected `array` of (?:at least|at most|length) (\d+)(?:, got (\d+))?")
_BOUND = re.compile(r"Expected `(?:int|float)` (>=|<=|>|<) (-?[\d.]+)")
_COMPARED = {">=": "at least", "<=": "at most", "==": "exactly", ">": "more than", "<": "less than"}


def misfit(error: ValidationError) -> str:
    """Return what does not fit the schema, and where, in words."""
    what, _, where = str(error).partition(" - at `$")
    # `.side[0].id` is the first side's id, `[...]` an entry of a table with any keys.
    where = where.replace("[...]", "")
    steps = re.sub(r"\[(\d+)\]", lambda found: f" {int(found[1]) + 1}", where.rstrip("`")).lstrip(".")
    return f"{plain(what)} ({steps.replace('.', ', ')})" if steps else plain(what)


def plain(what: str) -> str:
    """Return a message of the decoder in words; one of another form as it is."""
    if what.startswith("Expected `str` matching regex"):
        return "a letter or digit is needed, then letters, digits, dots, dashes and underscores"
    if found := _TYPED.fullmatch(what):
        return f"{_kinds(found[1])} is needed, not {_kinds(found[2])}"
    if found := _LONG.fullmatch(what):
        return _length(*found.groups())
    if found := _FIXED.fullmatch(what):
        given = f", not {found[2]}" if found[2] else ""
        return f"a list of {found[1]} is needed{given}"
    if found := _BOUND.fullmatch(what):
        return f"a number of {_COMPARED[found[1]]} {found[2]} is needed"
    if found := re.fullmatch(r"Object missing required field `(.*)`", what):
        return f"the field `{found[1]}` is missing"
    if found := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        return f"there is no field `{found[1]}` here"
    if found := re.fullmatch(r"Invalid enum value (.*)", what):
        return f"{found[1]} is none of the values that are possible"
    return what


def _kinds(union: str) -> str:
    return " or ".join(_KINDS.get(kind, kind) for kind in union.split(" | "))


def _length(kind: str, compared: str, count: str) -> str:
    if (compared, count) == (">=", "1"):
        return "the text is empty" if kind == "str" else "the list is empty"
    of = f"{_COMPARED[compared]} {count}"
    return f"a text of {of} characters is needed" if kind == "str" else f"a list of {of} is needed"
