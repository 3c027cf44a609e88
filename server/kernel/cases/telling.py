"""The results of a case as plain data, for printing and for comparing expectations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from client_protocol.explained import Explained
from server.kernel.answers.check import Refusal
from server.kernel.facts import Fact, Rolled
from server.kernel.ruleset import Finding, Preview, Ruleset
from server.kernel.state import State

Row = dict[str, Any]


def facts_told(rules: Ruleset, before: State, facts: Iterable[Fact]) -> list[Row]:
    """Return facts that happened in `before`, each with its story in words and its numbers line by line."""
    rows: list[Row] = []
    state = before
    for fact in facts:
        row: Row = msgspec.to_builtins(fact)
        if isinstance(fact, Rolled):
            row["numbers"] = [number_told(number) for number in fact.numbers]
        story = rules.story(state, fact)
        rows.append(row if story is None else {**row, "story": story.text})
        state = fact.fold(state)
    return rows


def number_told(number: Explained, label: str = "") -> Row:
    """Return a number with its lines."""
    lines = [
        {"stage": line.stage, "amount": line.amount, "reason": line.reason, "rule": line.rule} for line in number.lines
    ]
    named: Row = {"label": label} if label else {}
    return {**named, "value": number.value, "lines": lines}


def finding_told(found: Finding) -> Row:
    """Return what the rules say about a question."""
    row: Row = {"sentence": found.sentence, "rule": found.rule}
    if found.holds is not None:
        row["holds"] = found.holds
    if found.numbers:
        row["numbers"] = [number_told(number, label) for label, number in found.numbers]
    if found.parts:
        row["parts"] = [finding_told(part) for part in found.parts]
    return row


def preview_told(found: Preview) -> Row:
    """Return a preview."""
    return {
        "title": found.title,
        "dice": found.dice,
        "numbers": [number_told(number, label) for label, number in found.numbers],
        "chances": {chance.label: chance.value for chance in found.chances},
        "notes": list(found.notes),
    }


def refusal_told(refusal: Refusal) -> Row:
    """Return a refusal as plain data."""
    return {"sentence": refusal.sentence, "rule": refusal.rule}
