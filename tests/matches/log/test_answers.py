"""The answers in a log, found again by their ids."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.matches.log.answers import Answers


@given(
    known=st.lists(st.tuples(st.text(), st.integers(-1, 2**30 - 2))),
    others=st.lists(st.text()),
)
def test_answers_are_found_as_in_a_map(known: list[tuple[str, int]], others: list[str]) -> None:
    answers, map_ = Answers(), dict(known)
    for answer, seq in known:
        answers.add(answer, seq)
    assert {answer: answers.get(answer) for answer in map_} == map_
    assert answers.all() == map_
    for answer in others:
        assert answers.get(answer) == map_.get(answer)


def test_no_part_of_what_is_written_is_taken_for_an_answer() -> None:
    answers = Answers()
    answers.add("red:order-1", -1)
    answers.add("red:order-12", 300)
    assert [answers.get(one) for one in ("red:order-1", "red:order-12", "red:order", "order-1", "")] == [
        -1,
        300,
    ] + 3 * [None]
