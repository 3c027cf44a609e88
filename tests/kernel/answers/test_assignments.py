"""Giving options to rows, and stopping on a path: what is refused and why, and random answers."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    AssignmentRow,
    Choice,
    Parameter,
    Picked,
    RowOption,
    StopParameter,
    StopTaken,
    Value,
)
from server.kernel.answers.check import Asked, check
from server.kernel.answers.sampling import sample
from tests.support.position import position, squad

STATE = position(squad("blue-1", [(10_000, 10_000)]))
DOWN, OUT = RowOption("down", "suppressed"), RowOption("out", "casualty")
HITS = AssignmentParameter(
    "Two hits",
    "blue-1",
    (
        AssignmentRow("1", "the sergeant", (DOWN, OUT), "1"),
        AssignmentRow("2", "a rifleman", (DOWN, OUT), "2"),
        AssignmentRow("3", "the gunner", (OUT,), "3"),
    ),
    2,
    2,
    {"2": "down", "3": "out"},
    (("down", 1),),
)
STOP = StopParameter("Fire", "blue-1", {"1": ((10_000, 10_000), (12_000, 10_000))}, ((100, 250), (900, 900)), 250)


def sentence(parameter: Parameter, value: Value) -> str | None:
    asked = Asked("What now?", (Choice("go", "Go", "", "", (parameter,)),), Picked("go"))
    refusal = check(STATE, asked, Picked("go", (value,)))
    return None if refusal is None else refusal.sentence


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"1": "down", "2": "out"}, None),
        ({"2": "out", "3": "out"}, None),
        ({"1": "out"}, "Two hits: choose for 2 of 3; you chose for 1."),
        ({"1": "out", "2": "out", "3": "out"}, "Two hits: choose for 2 of 3; you chose for 3."),
        (
            {"1": "down", "2": "down"},
            "Two hits: suppressed can be given 1 times at most; it is given 2 times.",
        ),
        (
            {"2": "out", "3": "down"},
            "Two hits: the gunner cannot be given suppressed; it can be given: casualty (out).",
        ),
        (
            {"2": "out", "9": "out"},
            "Two hits: '9' is not asked for here; these are: the sergeant (1), a rifleman (2), the gunner (3).",
        ),
        (
            {"1": "out", "2": "fled"},
            "Two hits: a rifleman cannot be given 'fled'; it can be given: suppressed (down), casualty (out).",
        ),
    ],
)
def test_an_assignment_is_checked_against_its_rows_options_and_limits(given: dict[str, str], wrong: str | None) -> None:
    assert sentence(HITS, Assigned(given)) == wrong


def test_an_assignment_may_leave_rows_out_down_to_its_least() -> None:
    loose = replace(HITS, least=0)
    assert sentence(loose, Assigned({})) is None
    assert sentence(loose, Assigned({"1": "out", "2": "out", "3": "out"})) is not None


@pytest.mark.parametrize(("at", "legal"), [(99, False), (100, True), (250, True), (251, False), (900, True)])
def test_a_stop_lies_inside_one_of_its_spans(at: int, *, legal: bool) -> None:
    wrong = f"Fire: it can be at 10 to 25 %, 90 % of the way, not at {at / 10:g} %."
    assert sentence(STOP, StopTaken(at)) == (None if legal else wrong)


@pytest.mark.parametrize("parameter", [HITS, replace(HITS, least=0), STOP], ids=["hits", "some", "stop"])
def test_random_answers_are_legal_and_not_always_the_same(parameter: AssignmentParameter | StopParameter) -> None:
    asked = Asked("What now?", (Choice("go", "Go", "", "", (parameter,)),), Picked("go"))
    chance = random.Random(3)
    found = [sample(STATE, asked, chance) for _ in range(60)]
    assert all(check(STATE, asked, picked) is None for picked in found)
    assert len({str(picked) for picked in found}) >= 4
