"""Parsing the text of a setup or case file, TOML or JSON, to a mapping. The text may come from anyone."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from server.kernel.errors import RulesetError

MOST_PARTS = 4
"""The most parts of a dotted key."""
DEEPEST = 12
"""The deepest nesting of tables and lists."""
LARGEST = 2**53
"""Up to this bound numbers are exact everywhere, browsers included."""
_DEEP = "this is nested more deeply than any of these files is"
# Only single characters are repeated possessively: groups, Python gets wrong before 3.11.5 (gh-106052). Their ways exclude each
# other, so that nothing is matched twice.
_PARTS = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*"{3,5}'
    r"|'''(?:[^']++|'(?!''))*'{3,5}"
    r'|"(?!"")(?:[^"\\\n]++|\\.)*"'
    r"|'(?!'')[^'\n]*+'"
    r"|\#[^\n]*+"
    r"|[\w+-]++"
    r"|[^\S\n]++|.",
    re.DOTALL,
)
"""The tokens of a TOML text, as far as dots between words are concerned."""


def parse(text: str) -> dict[str, Any]:
    """Return the mapping a setup or case file holds, TOML or JSON. Raises `RulesetError`."""
    try:
        parsed: object = json.loads(text) if text.lstrip().startswith("{") else _toml(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesetError(f"this is neither TOML nor JSON: {str(error)[:200]}") from error
    except (ValueError, OverflowError) as error:
        # For example a number of thousands of digits.
        raise RulesetError(f"this cannot be read: {str(error)[:200]}") from error
    except RecursionError as error:
        raise RulesetError(_DEEP) from error
    if not isinstance(parsed, dict):
        raise RulesetError("a setup is a table of fields")
    _plain(parsed, DEEPEST)
    return parsed


def _plain(value: object, deep: int) -> None:
    """Refuse values that no field has: dates, infinite numbers, deeply nested lists. Raises `RulesetError`."""
    if isinstance(value, dict | list):
        if not deep:
            raise RulesetError(_DEEP)
        for inner in value.values() if isinstance(value, dict) else value:
            _plain(inner, deep - 1)
    elif isinstance(value, int | float):
        # NaN fails this test too.
        if not -LARGEST <= value <= LARGEST:
            raise RulesetError("a number of the file is too large for a length, an angle or a count")
    elif not isinstance(value, str | None):
        raise RulesetError(f"a value of the file is a {type(value).__name__}; no field takes one")


def _toml(text: str) -> object:
    # Python's parser keeps each prefix of a dotted key: one of a hundred thousand parts would fill the memory.
    if any(parts > MOST_PARTS for parts in _chains(text)):
        raise RulesetError(f"a key of the file has more than {MOST_PARTS} parts")
    return tomllib.loads(text)


def _chains(text: str) -> Iterator[int]:
    """Yield the length of each row of words with dots between them, whenever it has grown by one."""
    words = 0
    dotted = False
    for found in _PARTS.finditer(text):
        part = found[0]
        if part == ".":
            dotted = True
        elif part.isspace() and part != "\n":
            continue
        elif part in {'"', "'"}:
            # It is not closed: the parser will get no further.
            return
        elif part[0] in "\"'+-_" or part[0].isalnum():
            words = words + 1 if dotted else 1
            dotted = False
            yield words
        else:
            words, dotted = 0, False
