"""Comparing a case's expectations with what happened."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from server.kernel.answers.check import Refusal
from server.kernel.cases.schema import ExpectedAnswer, ExpectedFact, ExpectedLine, ExpectedNumber, ExpectedRefusal
from server.kernel.cases.telling import Row
from server.kernel.facts import Fact

E = TypeVar("E", ExpectedFact, ExpectedAnswer)


class Unmet(Struct, frozen=True):
    """An unmet expectation: its place in the file, its content, and what came instead, in words."""

    where: str
    expected: str
    came: str

    @property
    def sentence(self) -> str:
        """All of it in one line."""
        return f"{self.where}: expected {self.expected}; {self.came}"


# --- facts ----------------------------------------------------------------------------------------------------------


def unmet_facts(
    expected: Sequence[ExpectedFact], facts: Sequence[Fact], rows: Sequence[Row], where: str
) -> tuple[Unmet, ...]:
    """Return the expectations that a step does not meet; `rows` are its facts as plain data."""
    full = [_full(fact, row) for fact, row in zip(facts, rows, strict=True)]
    found = [_unmet(one, full, _fact_faults, _fact_words, f"{where}expect {i}") for i, one in enumerate(expected, 1)]
    return tuple(one for one in found if one is not None)


def _full(fact: Fact, row: Row) -> Row:
    """Return a fact as plain data, including the fields that have their defaults."""
    fields = {name: getattr(fact, name) for name in fact.__struct_fields__}
    full: Row = json.loads(msgspec.json.encode({**fields, **row}))
    return full


def _fact_faults(expected: ExpectedFact, row: Row) -> Iterator[str]:
    if row["type"] != expected.fact:
        yield f"the fact is {_text(row['type'])}"
        return
    for name, value in expected.fields.items():
        if row.get(name) != value:
            yield f"its {name} is {_text(row.get(name))}"
    if expected.story is not None and expected.story not in row.get("story", ""):
        yield f"its story is {_text(row.get('story', ''))}"
    yield from _number_faults(expected.numbers, row)


def _fact_words(row: Row) -> str:
    story = f" ({row['story']})" if "story" in row else ""
    return f"{row['type']}{story}"


# --- answers to questions -------------------------------------------------------------------------------------------


def unmet_answers(expected: Sequence[ExpectedAnswer], rows: Sequence[Row], where: str) -> tuple[Unmet, ...]:
    """Return the expectations that the answers to a question do not meet."""
    found = [
        _unmet(one, rows, _answer_faults, lambda row: str(_headline(row)), f"{where}, expect {i}")
        for i, one in enumerate(expected, 1)
    ]
    return tuple(one for one in found if one is not None)


def _answer_faults(expected: ExpectedAnswer, row: Row) -> Iterator[str]:
    if expected.target is not None and row.get("target") != expected.target:
        yield f"it is about {_text(row.get('target'))}"
        return
    if expected.holds is not None and row.get("holds") is not expected.holds:
        yield f"it says {_text(row.get('holds'))}"
    if expected.sentence is not None or expected.rule is not None:
        sentence, rule = expected.sentence or "", expected.rule
        said = list(_sentences(row))
        if not any(sentence in text and rule in {None, by} for text, by in said):
            yield "it says " + " ".join(f"{text} [{by}]" if by else text for text, by in said)
    yield from _number_faults(expected.numbers, row)
    chances = row.get("chances", {})
    for label, chance in expected.chances.items():
        if chances.get(label) != chance:
            yield f"the chances are {_text(chances)}"


def _sentences(row: Row) -> Iterator[tuple[str, str]]:
    """Yield all sentences of an answer, each with its rule."""
    yield _headline(row), row.get("rule", "")
    for part in row.get("parts", ()):
        yield from _sentences(part)
    yield from ((note, "") for note in row.get("notes", ()))


def _headline(row: Row) -> str:
    return str(row.get("sentence") or row.get("title", ""))


# --- refusals -------------------------------------------------------------------------------------------------------


def unmet_refusal(expected: ExpectedRefusal, refusal: Refusal | None, where: str) -> tuple[Unmet, ...]:
    """Return an unmet expectation if a refusal is another one than expected; None stands for an answer that is legal."""
    if refusal is None:
        return (Unmet(where, _refusal_words(expected), "the answer is legal, and was not given"),)
    as_meant = expected.rule in {None, refusal.rule} and (expected.sentence or "") in refusal.sentence
    if as_meant:
        return ()
    return (Unmet(where, _refusal_words(expected), f"it is refused so: {refusal.sentence} [{refusal.rule}]"),)


def _refusal_words(expected: ExpectedRefusal) -> str:
    sentence = f" {_text(expected.sentence)}" if expected.sentence is not None else ""
    rule = f" by {expected.rule}" if expected.rule is not None else ""
    return f"a refusal{rule}{sentence}"


# --- numbers --------------------------------------------------------------------------------------------------------


def _number_faults(expected: Sequence[ExpectedNumber], row: Row) -> Iterator[str]:
    numbers: list[Row] = row.get("numbers", [])
    if not all(any(_is_number(one, number) for number in numbers) for one in expected):
        told = "; ".join(map(_number_words, numbers)) or "none"
        yield f"the numbers are {told}"


def _is_number(expected: ExpectedNumber, number: Row) -> bool:
    if expected.value not in {None, number["value"]} or expected.label not in {None, number.get("label")}:
        return False
    if expected.lines is None:
        return True
    lines = number["lines"]
    return len(lines) == len(expected.lines) and all(map(_is_line, expected.lines, lines))


def _is_line(expected: ExpectedLine, line: Row) -> bool:
    return (
        expected.rule in {None, line["rule"]}
        and expected.amount in {None, line["amount"]}
        and expected.stage in {None, line["stage"]}
        and (expected.reason or "") in line["reason"]
    )


def _number_words(number: Row) -> str:
    label = f"{number['label']} " if "label" in number else ""
    return f"{label}{number['value']} = {' · '.join(map(_line_words, number['lines']))}"


def _line_words(line: Row) -> str:
    return f"{line['stage']} {line['amount']} {line['reason']} [{line['rule']}]"


# --- any of them ----------------------------------------------------------------------------------------------------


def _unmet(
    expected: E,
    rows: Sequence[Row],
    faults: Callable[[E, Row], Iterator[str]],
    words: Callable[[Row], str],
    where: str,
) -> Unmet | None:
    """Return why none of the rows is the expected one (or, for what must be absent, which one is); None if the expectation is
    met.
    """
    told = [(list(faults(expected, row)), row) for row in rows]
    meeting = [row for found, row in told if not found]
    if expected.absent:
        return None if not meeting else Unmet(where, _words(expected), f"it came: {words(meeting[0])}")
    if meeting:
        return None
    # The row with the fewest faults is the one that was meant; a row of another kind is not.
    near = [(found, row) for found, row in told if not _of_another_kind(expected, row)]
    if near:
        found, row = min(near, key=lambda one: len(one[0]))
        return Unmet(where, _words(expected), f"the nearest is {words(row)}: {', and '.join(found)}")
    came = f"there came only: {'; '.join(map(words, rows))}" if rows else "nothing came"
    return Unmet(where, _words(expected), came)


def _of_another_kind(expected: ExpectedFact | ExpectedAnswer, row: Row) -> bool:
    if isinstance(expected, ExpectedFact):
        return bool(row["type"] != expected.fact)
    return expected.target is not None and row.get("target") != expected.target


def _words(expected: ExpectedFact | ExpectedAnswer) -> str:
    """Return an expectation as it stands in the file."""
    fields = msgspec.to_builtins(expected)
    absent = fields.pop("absent", False)
    return f"{'nothing like ' if absent else ''}{_text(fields)}"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
