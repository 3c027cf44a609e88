"""The questions of a case, and what the rules say, as text that a reviewer can read."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from server.kernel.cases.resolving import Resolved
from server.kernel.cases.telling import Row


def question_lines(resolved: Resolved) -> Iterator[str]:
    """The questions that are asked in a step, each with the answers to it."""
    for one in resolved.answered:
        asked = msgspec.to_builtins(one.question)
        words = [str(value) for key, value in asked.items() if key != "expect" and isinstance(value, str) and value]
        yield f"    ? {' '.join(words)}{' elsewhere' if 'places' in asked else ''}"
        yield from (f"        ! {problem}" for problem in one.problems)
        for row in one.rows:
            yield from _row(row, "        ")


def _row(row: Row, indent: str) -> Iterator[str]:
    rule = f" [{row['rule']}]" if row.get("rule") else ""
    holds = {True: "yes: ", False: "no: "}.get(row.get("holds"), "")  # type: ignore[arg-type]  # None is neither
    dice = f", {row['dice']}" if row.get("dice") else ""
    yield f"{indent}{holds}{row.get('sentence') or row['title']}{dice}{rule}"
    for number in row.get("numbers", ()):
        parts = [f"{line['reason']} {line['stage']} {line['amount']} [{line['rule']}]" for line in number["lines"]]
        yield f"{indent}    {number['label']} {number['value']} = {' · '.join(parts)}"
    chances = [f"{label} {chance}" for label, chance in row.get("chances", {}).items()]
    if chances:
        yield f"{indent}    {', '.join(chances)}"
    yield from (f"{indent}    {note}" for note in row.get("notes", ()))
    for part in row.get("parts", ()):
        yield from _row(part, indent + "    ")
