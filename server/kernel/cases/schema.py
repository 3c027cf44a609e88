"""The schema of a case file (docs/cases.md): its tables and fields.

Lengths are inches and angles degrees, as in a setup. Expectations are compared with the printed output, which has thousandths
of an inch and hundredths of a degree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

import msgspec
from msgspec import Struct, field

from client_protocol.explained import Stage
from server.kernel.errors import RulesetError
from server.kernel.facts import AnyFact, Fact
from server.kernel.files.misfits import misfit
from server.kernel.setup_facts import SetupFact

FORMAT = "underfire case 1"
Place = tuple[float, float]

FACTS: dict[str, type[Fact]] = {str(kind.__struct_config__.tag): kind for kind in get_args(AnyFact | SetupFact)}
"""The kinds of facts, by the type that is printed."""


class CaseError(RulesetError):
    """A case that does not run: an answer that is refused or not asked for, a question that cannot be asked, too few dice, dice
    left over.
    """


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of a case."""


# --- answers --------------------------------------------------------------------------------------------------------


class CaseValue(_Part, frozen=True):
    """The value of a parameter. Exactly one field is given, and tells the kind of the value; with `paths` there may be a
    `facing`, with `places` `facings`, in degrees.
    """

    unit: str | None = None
    paths: dict[str, tuple[Place, ...]] | None = None
    figures: tuple[str, ...] | None = None
    places: tuple[dict[str, Place], ...] | None = None
    angle: float | None = None
    facing: float | None = None
    facings: tuple[dict[str, float], ...] | None = None
    given: dict[str, str] | None = None
    stop: int | None = None
    point: Place | None = None


class LabelledDice(_Part, frozen=True):
    """Dice with their purpose, which is that of the roll."""

    purpose: str = field(name="for")
    faces: tuple[int, ...]


# --- what is expected -----------------------------------------------------------------------------------------------


class ExpectedLine(_Part, frozen=True):
    """A line of a number; only the fields that are given are compared. Of the `reason` a part is enough."""

    rule: str | None = None
    amount: int | None = None
    stage: Stage | None = None
    reason: str | None = None


class ExpectedNumber(_Part, frozen=True):
    """A number: its value, all of its lines in order, and the label that it has in the answer to a question."""

    value: int | None = None
    lines: tuple[ExpectedLine, ...] | None = None
    label: str | None = None


class ExpectedFact(_Part, frozen=True):
    """A fact that must occur in the step (`absent`: must not): its type, fields of it, a part of its story, and numbers that are
    among those of a roll.
    """

    fact: str
    fields: dict[str, Any] = field(name="with", default_factory=dict)
    story: str | None = None
    numbers: tuple[ExpectedNumber, ...] = ()
    absent: bool = False


class ExpectedAnswer(_Part, frozen=True):
    """A row that must be (`absent`: must not be) among the answers to a question. `sentence` is a part of its sentence or title,
    or of one of its parts' or notes; the `rule` that of the same sentence; `chances` are odds by label, as they are printed.
    """

    target: str | None = None
    holds: bool | None = None
    sentence: str | None = None
    rule: str | None = None
    numbers: tuple[ExpectedNumber, ...] = ()
    chances: dict[str, str] = {}
    absent: bool = False


class ExpectedRefusal(_Part, frozen=True):
    """The refusal that an answer is to meet: its rule, and its sentence or a part of it."""

    rule: str | None = None
    sentence: str | None = None


# --- questions ------------------------------------------------------------------------------------------------------


class _Asked(_Part, frozen=True, tag_field="ask"):
    """A question without acting, and what its answer must say."""

    expect: tuple[ExpectedAnswer, ...] = ()


class UnitsAsked(_Asked, frozen=True, kw_only=True):
    """A question about a unit and another one (none: every enemy on the table), as they stand, or as they would at `places` with
    `facings` (by unit and figure).
    """

    unit: str
    target: str = ""
    places: dict[str, dict[str, Place]] = {}
    facings: dict[str, dict[str, float]] = {}


class FiguresAsked(UnitsAsked, frozen=True, kw_only=True):
    """A question that may also be about single figures of the two."""

    figure: str = ""
    target_figure: str = ""


class RangeAsked(FiguresAsked, frozen=True, tag="range"):
    """How far is it?"""


class SightAsked(FiguresAsked, frozen=True, tag="sight"):
    """Who sees whom?"""


class CoverAsked(FiguresAsked, frozen=True, tag="cover"):
    """What cover has the target against the unit?"""


class FireAsked(UnitsAsked, frozen=True, tag="fire"):
    """May the unit fire at the target?"""


class WhatIfAsked(UnitsAsked, frozen=True, tag="what-if"):
    """What could the unit do to the target, and the target to it, with which odds?"""


class PreviewAsked(_Asked, frozen=True, kw_only=True, tag="preview"):
    """What would come of an answer to the open prompt? As in an answer, what is left out is what the prompt proposes."""

    seat: str
    choice: str = ""
    values: tuple[CaseValue, ...] = ()


CaseQuestion = RangeAsked | SightAsked | CoverAsked | FireAsked | WhatIfAsked | PreviewAsked
QUESTIONS: dict[str, type[Struct]] = {str(kind.__struct_config__.tag): kind for kind in get_args(CaseQuestion)}
"""The kinds of questions, by the word in the file."""


# --- the file -------------------------------------------------------------------------------------------------------


class CaseAnswer(_Part, frozen=True):
    """A seat's answer. Without a choice it is what the prompt proposes by default; a choice that takes values and is given
    none takes the proposed ones, if it is the proposed choice.

    An answer with an expected refusal (`refused`) is checked and not given. `expect` is what must follow in this step;
    `question` is asked after it.
    """

    seat: str
    choice: str = ""
    values: tuple[CaseValue, ...] = ()
    refused: ExpectedRefusal | None = None
    expect: tuple[ExpectedFact, ...] = ()
    question: tuple[CaseQuestion, ...] = ()


class Case(_Part, frozen=True):
    """The whole file. `setup` is the setup itself, or the name of its file; `changes` are made to it for this case. `expect` and
    `question` are of the first step, in which the rules run to the first prompt. `programs` are the seats that a program holds.
    """

    format: str
    setup: dict[str, object] | str
    changes: dict[str, object] = {}
    answer: tuple[CaseAnswer, ...] = ()
    dice: tuple[int | LabelledDice, ...] = ()
    about: str = ""
    programs: dict[str, str] = {}
    expect: tuple[ExpectedFact, ...] = ()
    question: tuple[CaseQuestion, ...] = ()


def convert(mapping: Mapping[str, object]) -> Case:
    """Return the case in `mapping`, its fields checked. Raises `RulesetError`, which names the place in the file."""
    try:
        case = msgspec.convert(mapping, Case)
    except msgspec.ValidationError as error:
        raise RulesetError(f"the case does not fit its schema: {_misfit(error, mapping)}") from error
    if case.format != FORMAT:
        raise RulesetError(f"the case's format is {case.format!r}; this reads {FORMAT!r}")
    _check(case.expect, "")
    for number, answer in enumerate(case.answer, 1):
        where = f"answer {number}"
        if answer.refused is not None and answer.expect:
            raise RulesetError(f"{where} is expected to be refused, so no facts follow from it: leave out its `expect`")
        _check(answer.expect, f"{where}, ")
    return case


def _check(expected: tuple[ExpectedFact, ...], where: str) -> None:
    """Check that the facts and fields exist: the absence of a misspelt one would always be met."""
    for number, one in enumerate(expected, 1):
        place = f"{where}expect {number}"
        kind = FACTS.get(one.fact)
        if kind is None:
            raise RulesetError(f"{place}: there is no fact {one.fact!r}; there are {', '.join(FACTS)}")
        unknown = [name for name in one.fields if name not in kind.__struct_fields__]
        if unknown:
            known = ", ".join(kind.__struct_fields__) or "none"
            raise RulesetError(f"{place}: a fact {one.fact!r} has no field {unknown[0]!r}; its fields are {known}")


_TABLES: dict[str, type[Struct]] = {
    "": Case,
    "answer": CaseAnswer,
    "values": CaseValue,
    "dice": LabelledDice,
    "expect": ExpectedFact,
    "numbers": ExpectedNumber,
    "lines": ExpectedLine,
    "refused": ExpectedRefusal,
}


def _misfit(error: msgspec.ValidationError, mapping: Mapping[str, object]) -> str:
    """Return what does not fit the schema, and where; for an unknown field also the known ones."""
    told = misfit(error)
    unknown = re.match(r"there is no field `(.*?)` here", told)
    if unknown is None:
        return told
    _, _, where = str(error).partition(" - at `$")
    steps = re.findall(r"\w+", where)
    names = ["", *(step for step in steps if not step.isdigit())]
    if names[-1] == "question":
        found: Any = mapping
        for step in steps:
            found = found[int(step) if step.isdigit() else step]
        table = QUESTIONS[found["ask"]]
    else:
        table = ExpectedAnswer if names[-2:] == ["question", "expect"] else _TABLES[names[-1]]
    fields = [row.encode_name for row in msgspec.structs.fields(table)]
    known = ", ".join(["ask", *fields] if table in QUESTIONS.values() else fields)
    return told.replace(unknown[0], f"{unknown[0]}; the fields are {known}")
