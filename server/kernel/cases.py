"""A case: a setup, answers and scripted dice in one file (docs/setups.md), and what the rules make of it.

Lengths are inches and angles degrees, as in a setup. What comes out is told as it is kept: in mil and hundredths of a degree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from client_protocol.choices import (
    Assigned,
    DirectionTaken,
    FiguresPicked,
    FiguresPlaced,
    PathsDeclared,
    Picked,
    StopTaken,
    UnitNamed,
    Value,
)
from client_protocol.explained import Explained
from server.kernel import setups
from server.kernel.belief import believed
from server.kernel.dice import DiceError, ScriptedDice
from server.kernel.facts import Rolled
from server.kernel.geometry import Point, inches
from server.kernel.procedure import Run, Step
from server.kernel.prompts import Ask, check
from server.kernel.ruleset import Ruleset, RulesetError
from server.kernel.state import State

FORMAT = "underfire case 1"
Place = tuple[float, float]


class CaseError(RulesetError):
    """A case that does not run: an answer that is refused or that nobody asked for, too few dice, dice left over."""


class _Part(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A table of a case."""


class CaseValue(_Part, frozen=True):
    """The value of a parameter. Exactly one field is given, and which one says of what kind the value is; beside `paths` there
    may be a `facing`, beside `places` `facings`, in degrees.
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


class CaseAnswer(_Part, frozen=True):
    """A seat's answer. Without a choice it is what the prompt proposes by default; a choice that takes values and is given none
    takes the proposed ones, if it is the proposed choice.
    """

    seat: str
    choice: str = ""
    values: tuple[CaseValue, ...] = ()


class Case(_Part, frozen=True):
    """The whole file. `setup` is the setup itself, or the name of its file."""

    format: str
    setup: dict[str, object] | str
    answer: tuple[CaseAnswer, ...] = ()
    dice: tuple[int, ...] = ()
    about: str = ""


class Resolved(Struct, frozen=True):
    """A step of a case: who answered what (None: the rules began), the state before it, what happened, what is open now."""

    seat: str
    picked: Picked | None
    before: State
    step: Step
    ask: Ask | None


def convert(mapping: Mapping[str, object]) -> Case:
    """The case in `mapping`, its fields checked. Raises `RulesetError`."""
    try:
        case = msgspec.convert(mapping, Case)
    except msgspec.ValidationError as error:
        raise RulesetError(f"the case does not fit its schema: {error}") from error
    if case.format != FORMAT:
        raise RulesetError(f"the case's format is {case.format!r}; this reads {FORMAT!r}")
    return case


def setup_of(case: Case, read_text: Callable[[str], str]) -> Mapping[str, object]:
    """The setup that `case` starts from; `read_text` gives the text of the file it names. Raises `RulesetError`."""
    return setups.parse(read_text(case.setup)) if isinstance(case.setup, str) else case.setup


def resolve(
    rules: Ruleset, start: State, answers: Sequence[CaseAnswer], dice: Sequence[int], *, all_dice: bool = True
) -> Iterator[Resolved]:
    """Run the rules from `start` with these answers and dice, step by step.

    Args:
        rules: the edition.
        start: a state at a boundary.
        answers: one for each prompt, in order.
        dice: the faces, in the order in which they fall.
        all_dice: whether dice left over at the end are an error.

    Raises:
        CaseError: at the first answer or die that does not fit.
    """
    scripted = ScriptedDice(dice)
    run = Run(rules, start, scripted)
    before = start
    step = _within_dice(run.begin, "before the first answer")
    yield Resolved("", None, before, step, run.asked)
    for number, answer in enumerate(answers, 1):
        picked = _picked(run, answer, number)
        before = run.state
        step = _within_dice(partial(run.answer, answer.seat, picked), f"after answer {number}")
        yield Resolved(answer.seat, picked, before, step, run.asked)
    if all_dice and scripted.left:
        try:
            scripted.finish()
        except DiceError as error:
            raise CaseError(str(error)) from error


def _within_dice(go_on: Callable[[], Step], where: str) -> Step:
    try:
        return go_on()
    except DiceError as error:
        raise CaseError(f"{where}, {error}") from error


def _picked(run: Run, answer: CaseAnswer, number: int) -> Picked:
    """The answer as the rules take it. Raises `CaseError` with the sentence of its refusal."""
    asked = run.asked.seats.get(answer.seat) if run.asked is not None else None
    if asked is None:
        waiting = " and ".join(run.asked.seats) if run.asked is not None else "nobody, for the match is over"
        raise CaseError(f"answer {number} is given by {answer.seat}; the rules ask {waiting}")
    values = tuple(_value(value, number) for value in answer.values)
    picked = Picked(answer.choice or asked.default.choice, values)
    if picked == Picked(asked.default.choice):
        picked = asked.default
    refusal = check(believed(run.state, answer.seat), asked, picked)
    if refusal is not None:
        rule = f" [{refusal.rule}]" if refusal.rule else ""
        raise CaseError(f"answer {number} ({answer.seat}: {picked.choice}) is refused: {refusal.sentence}{rule}")
    return picked


# --- values ---------------------------------------------------------------------------------------------------------


def _value(value: CaseValue, number: int) -> Value:
    given: list[Value] = []
    if value.unit is not None:
        given.append(UnitNamed(value.unit))
    if value.paths is not None:
        facing = None if value.facing is None else round(value.facing * 100)
        given.append(PathsDeclared({key: tuple(map(_point, path)) for key, path in value.paths.items()}, facing))
    if value.figures is not None:
        given.append(FiguresPicked(value.figures))
    if value.places is not None:
        facings = tuple({key: round(angle * 100) for key, angle in row.items()} for row in value.facings or ())
        places = tuple({key: _point(at) for key, at in row.items()} for row in value.places)
        given.append(FiguresPlaced(places, facings))
    if value.angle is not None:
        given.append(DirectionTaken(round(value.angle * 100)))
    if value.given is not None:
        given.append(Assigned(value.given))
    if value.stop is not None:
        given.append(StopTaken(value.stop))
    if len(given) != 1:
        kinds = "unit, paths, figures, places, angle, given, stop"
        raise CaseError(f"answer {number}: a value has exactly one of {kinds}")
    return given[0]


def _written(value: Value) -> CaseValue:
    if isinstance(value, UnitNamed):
        return CaseValue(unit=value.unit)
    if isinstance(value, PathsDeclared):
        facing = None if value.facing is None else value.facing / 100
        return CaseValue(paths={key: tuple(map(_place, path)) for key, path in value.paths.items()}, facing=facing)
    if isinstance(value, FiguresPicked):
        return CaseValue(figures=value.figures)
    if isinstance(value, FiguresPlaced):
        facings = tuple({key: angle / 100 for key, angle in row.items()} for row in value.facings)
        places = tuple({key: _place(at) for key, at in row.items()} for row in value.places)
        return CaseValue(places=places, facings=facings or None)
    if isinstance(value, Assigned):
        return CaseValue(given=value.given)
    if isinstance(value, StopTaken):
        return CaseValue(stop=value.at)
    return CaseValue(angle=value.angle / 100)


def _point(at: Place) -> Point:
    return (inches(at[0]), inches(at[1]))


def _place(at: Point) -> Place:
    return (at[0] / 1000, at[1] / 1000)


def write(start: State, answers: Sequence[tuple[str, Picked]], dice: Sequence[int]) -> dict[str, object]:
    """A case that starts from `start` (a state at a boundary) and gives these answers and dice."""
    rows = [CaseAnswer(seat, picked.choice, tuple(map(_written, picked.values))) for seat, picked in answers]
    return {
        "format": FORMAT,
        "setup": setups.write(start),
        "answer": [msgspec.to_builtins(row) for row in rows],
        "dice": list(dice),
    }


# --- telling --------------------------------------------------------------------------------------------------------


def told(rules: Ruleset, resolved: Resolved) -> dict[str, object]:
    """A step as plain data: the answer, the dice, each fact with its story and its numbers line by line, what is open now."""
    facts: list[dict[str, object]] = []
    state = resolved.before
    for fact in resolved.step.facts:
        row: dict[str, object] = msgspec.to_builtins(fact)
        if isinstance(fact, Rolled):
            row["numbers"] = [_explained(number) for number in fact.numbers]
        story = rules.story(state, fact)
        facts.append(row if story is None else {**row, "story": story.text})
        state = fact.fold(state)
    answer = None if resolved.picked is None else {"seat": resolved.seat, **msgspec.to_builtins(resolved.picked)}
    return {
        "answer": answer,
        "dice": [face for taken in resolved.step.rolls for face in taken.faces],
        "facts": facts,
        "open": {} if resolved.ask is None else msgspec.to_builtins(resolved.ask.seats),
    }


def _explained(number: Explained) -> dict[str, object]:
    lines = [
        {"stage": line.stage, "amount": line.amount, "reason": line.reason, "rule": line.rule} for line in number.lines
    ]
    return {"value": number.value, "lines": lines}
