"""Numbers explain themselves: the stages, their order, and the lines that are told."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client_protocol.explained import Line, Stage
from server.kernel.questions import Advisers, Question, total
from server.kernel.state import State
from tests.support.position import position


def line(stage: Stage, amount: int, *, floor: bool = False) -> Line:
    return Line(stage, amount, "because", "a.rule", floor)


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ([], 0),
        ([line("SET", 6)], 6),
        ([line("SET", 6), line("SET", 4)], 4),
        ([line("ADD", 2), line("SET", 6), line("ADD", -3)], 5),
        ([line("SCALE", 200), line("SET", 6), line("ADD", -2)], 8),
        ([line("SET", 7), line("SCALE", 50)], 3),
        ([line("SET", 9), line("CAP", 6)], 6),
        ([line("SET", 1), line("ADD", -4), line("CAP", 0, floor=True)], 0),
    ],
)
def test_stages_count_in_their_order_however_the_lines_come(lines: list[Line], value: int) -> None:
    assert total(lines).value == value
    assert total(reversed(lines) if [x.stage for x in lines] != ["SET", "SET"] else lines).value == value


def test_only_the_lines_that_count_are_told() -> None:
    lines = [line("SET", 6), line("SET", 4), line("ADD", 1), line("CAP", 9), line("CAP", 2)]
    assert [(x.stage, x.amount) for x in total(lines).lines] == [("SET", 4), ("ADD", 1), ("CAP", 2)]


@settings(derandomize=True, deadline=None)
@given(
    st.lists(
        st.builds(line, st.sampled_from(["SET", "ADD", "CAP"]), st.integers(-9, 20), floor=st.booleans()),
        max_size=8,
    )
)
def test_the_lines_that_are_told_make_the_number(lines: list[Line]) -> None:
    answer = total(lines)
    assert total(answer.lines).value == answer.value


class Reach(Question, frozen=True):
    """How far a unit reaches."""

    unit: str


class Other(Question, frozen=True):
    """Something else."""


def test_advisers_speak_to_their_question_in_turn_and_given_lines_come_first() -> None:
    heard: list[str] = []

    def long_arms(state: State, question: Reach) -> Iterator[Line]:
        heard.append(question.unit)
        yield line("ADD", 2)

    def always(_state: State, _question: Reach) -> Iterator[Line]:
        yield line("ADD", 10)

    advisers = Advisers()
    advisers.add(Reach, long_arms, unit="mil")
    advisers.add(Reach, always)
    state = position()
    answer = advisers.answer(state, Reach("blue-1"), line("SET", 4))
    assert (answer.value, answer.unit, heard) == (16, "mil", ["blue-1"])
    assert [x.amount for x in answer.lines] == [4, 2, 10]
    assert advisers.answer(state, Other()).value == 0


def _adding(amount: int, _state: State, _question: Other) -> Iterator[Line]:
    yield line("ADD", amount)


def test_lines_come_by_rank_and_within_a_rank_in_the_order_of_registration() -> None:
    advisers = Advisers()
    for amount, rank in ((1, 2), (2, 0), (3, 2), (4, 1), (5, 0), (6, -1)):
        advisers.add(Other, partial(_adding, amount), rank=rank)
    told = advisers.answer(position(), Other()).lines
    assert [x.amount for x in told] == [6, 2, 5, 4, 1, 3]
