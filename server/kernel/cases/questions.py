"""Questions without acting: what the rules say of the position as it is, or with units elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.answers.check import Asked, Refusal, check
from server.kernel.belief import believed
from server.kernel.cases.schema import (
    CaseError,
    CaseQuestion,
    CaseValue,
    CoverAsked,
    FiguresAsked,
    FireAsked,
    PreviewAsked,
    RangeAsked,
    SightAsked,
    UnitsAsked,
    WhatIfAsked,
)
from server.kernel.cases.telling import Row, finding_told, preview_told, refusal_told
from server.kernel.cases.values import hundredths, point, value_of
from server.kernel.procedure import Run
from server.kernel.ruleset import Finding, Ruleset, Topic
from server.kernel.state import State, Unit
from server.kernel.what_if import placed, problems

TOPICS: dict[type[UnitsAsked], Topic] = {
    RangeAsked: "range",
    SightAsked: "sight",
    CoverAsked: "cover",
    FireAsked: "fire",
}


class Answered(Struct, frozen=True):
    """A question of a case and the answers to it, a row each. `problems` say what is wrong with the places asked about."""

    question: CaseQuestion
    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()


def answer(run: Run, question: CaseQuestion, where: str) -> Answered:
    """Return the answers to a question at this place of a run; `where` it stands in the file begins the sentence of an error.
    Raises `CaseError`.
    """
    if isinstance(question, PreviewAsked):
        return Answered(question, (_preview(run, question, where),))
    state = _with_ghosts(run.state, question, where)
    unit = _unit(state, question.unit, where)
    rows: list[Row] = []
    for target in _targets(state, unit, question, where):
        rows += [{"target": target.id, **row} for row in _rows(run.rules, state, question, unit, target, where)]
    wrong = [problem for key in question.places for problem in problems(run.rules, state, state.units[key])]
    return Answered(question, tuple(rows), tuple(wrong))


def _rows(rules: Ruleset, state: State, question: UnitsAsked, unit: Unit, target: Unit, where: str) -> Iterator[Row]:
    for one in (unit, target):
        rides = one is unit and isinstance(question, FireAsked) and unit.aboard
        if not one.on_table and not rides:
            # A unit in a question may have fallen by now: that is an answer, not an error of the case.
            yield finding_told(Finding(f"{one.name} is not on the table.", holds=False))
            return
    if isinstance(question, WhatIfAsked):
        yield from map(preview_told, rules.what_if(state, unit.id, target.id))
        return
    if isinstance(question, FiguresAsked):
        for one, figure in ((unit, question.figure), (target, question.target_figure)):
            if figure:
                state = state.with_unit(_alone(one, figure, where))
    yield finding_told(rules.finding(state, TOPICS[type(question)], unit.id, target.id))


# --- about whom -----------------------------------------------------------------------------------------------------


def _unit(state: State, key: str, where: str) -> Unit:
    unit = state.units.get(key)
    if unit is None:
        raise CaseError(f"{where}: there is no unit {key!r}; there are {', '.join(state.units)}")
    return unit


def _targets(state: State, unit: Unit, question: UnitsAsked, where: str) -> list[Unit]:
    """Return the unit in the question, or every enemy on the table."""
    if not question.target:
        if isinstance(question, FiguresAsked) and question.target_figure:
            raise CaseError(f"{where}: `target_figure` wants a `target`")
        return [enemy for enemy in state.enemies_of(unit.side) if enemy.on_table]
    target = _unit(state, question.target, where)
    if target.id == unit.id:
        raise CaseError(f"{where}: {unit.name} cannot be asked about itself; name another unit as `target`")
    if isinstance(question, FireAsked | WhatIfAsked) and target.side == unit.side:
        raise CaseError(f"{where}: {target.name} is of the same side as {unit.name}; name an enemy as `target`")
    return [target]


def _alone(unit: Unit, figure: str, where: str) -> Unit:
    """Return the unit with only this figure left: what holds for that unit holds for the figure."""
    if figure not in unit.living or unit.figures[figure].at is None:
        there = ", ".join(key for key, one in unit.living.items() if one.at is not None)
        raise CaseError(f"{where}: {unit.name} has no figure {figure!r} on the table; there are {there}")
    figures = {key: one if key == figure else replace(one, fallen=True) for key, one in unit.figures.items()}
    return replace(unit, name=f"Figure {figure} of {unit.name}" if len(figures) > 1 else unit.name, figures=figures)


# --- elsewhere ------------------------------------------------------------------------------------------------------


def _with_ghosts(state: State, question: UnitsAsked, where: str) -> State:
    """Return the position with units where the question places them."""
    for key in {**question.places, **question.facings}:
        unit = _unit(state, key, where)
        places, facings = question.places.get(key, {}), question.facings.get(key, {})
        unknown = [figure for figure in {**places, **facings} if figure not in unit.living]
        if unit.left or unknown:
            raise CaseError(f"{where}: {unit.name} has no figure {', '.join(unknown) or 'left'} that could stand there")
        moved = placed(
            unit,
            {figure: point(at) for figure, at in places.items()},
            {figure: hundredths(angle) for figure, angle in facings.items()},
        )
        missing = [figure for figure, one in moved.living.items() if one.at is None]
        if missing:
            raise CaseError(f"{where}: {unit.name} is not on the table, so each of its figures needs a place")
        state = state.with_unit(moved)
    return state


# --- previews -------------------------------------------------------------------------------------------------------


def _preview(run: Run, question: PreviewAsked, where: str) -> Row:
    asked = open_to(run, question.seat)
    if asked is None:
        raise CaseError(f"{where}: {not_asked(run, question.seat)}")
    picked = picked_for(asked, question.choice, question.values, where)
    known = believed(run.state, question.seat)
    refusal = check(known, asked, picked)
    if refusal is not None:
        return {**refusal_told(refusal), "holds": False}
    found = run.rules.preview(known, asked, picked)
    if found is None:
        return {"sentence": "There is nothing to say about this beforehand.", "rule": ""}
    return preview_told(found)


# --- answers to prompts ---------------------------------------------------------------------------------------------


def open_to(run: Run, seat: str) -> Asked | None:
    """Return what a seat is asked now."""
    return run.asked.seats.get(seat) if run.asked is not None else None


def not_asked(run: Run, seat: str) -> str:
    """Return the sentence for a seat that is not asked."""
    if run.asked is None:
        return f"{seat} is not asked; the match is over"
    return f"{seat} is not asked; the rules ask {' and '.join(run.asked.seats)}"


def picked_for(asked: Asked, choice: str, values: tuple[CaseValue, ...], where: str) -> Picked:
    """Return an answer of a case as the rules take it: what is left out is what the prompt proposes. Raises `CaseError`."""
    given = tuple(value_of(value, f"{where}, value {number}") for number, value in enumerate(values, 1))
    picked = Picked(choice or asked.default.choice, given)
    return asked.default if picked == Picked(asked.default.choice) else picked


def refusal_of(run: Run, seat: str, asked: Asked | None, picked: Picked) -> Refusal | None:
    """Return why the rules refuse this answer; None if they take it."""
    if asked is None:
        sentence = not_asked(run, seat)
        return Refusal("not_your_prompt", f"{sentence[0].upper()}{sentence[1:]}.")
    return check(believed(run.state, seat), asked, picked)
