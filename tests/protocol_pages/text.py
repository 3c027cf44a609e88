"""Messages as text: JSON that is read by people, a few fields to a line."""

from __future__ import annotations

import base64
import json

WIDTH = 116
CLOSING = 4
"""Columns kept free for brackets that close."""


def shown(value: object, indent: int = 0, before: int = 0) -> str:
    """JSON with as much on a line as fits.

    Args:
        value: what a message holds.
        indent: the column in which its lines begin.
        before: how much stands before it on its first line.
    """
    line = json.dumps(value, ensure_ascii=False, default=_base64)
    if indent + before + len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
        return line
    if isinstance(value, dict):
        keys = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        parts = [key + shown(inner, indent + 1, len(key) + 1) for key, inner in zip(keys, value.values(), strict=True)]
        opening, closing = "{}"
    else:
        parts = [shown(inner, indent + 1, 1) for inner in value]
        opening, closing = "[]"
    return opening + _filled(parts, indent + 1, before) + closing


def _base64(value: object) -> str:
    assert isinstance(value, bytes), value
    return base64.b64encode(value).decode()


def _filled(parts: list[str], indent: int, before: int) -> str:
    """Parts with commas between, as many to a line as fit, the first line with so much before it."""
    lines: list[str] = []
    for number, part in enumerate(parts):
        text = part + ("," if number < len(parts) - 1 else "")
        taken = len(lines[-1]) + indent + (before if len(lines) == 1 else 0) if lines else WIDTH
        if lines and "\n" not in lines[-1] + text and taken + len(text) < WIDTH - CLOSING:
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return ("\n" + " " * indent).join(lines)
