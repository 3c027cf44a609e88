"""What is remembered of one thing or two, as long as they are the same objects."""

from __future__ import annotations

import weakref

from server.kernel.memory import Memory, OfOneState, PairMemory


def test_an_answer_is_found_by_the_same_objects_in_the_same_order_and_not_by_equal_ones() -> None:
    memory = PairMemory[int](10)
    one, other = {"a": 1}, {"b": 2}
    assert memory.get(one, other) is None
    assert memory.keep(one, other, 7) == 7
    assert memory.get(one, other) == 7
    assert memory.get(other, one) is None
    assert memory.get(dict(one), other) is None


class Thing:
    """Something that can be gone."""


def test_a_remembered_object_is_kept_so_that_no_other_has_its_id() -> None:
    memory = PairMemory[int](10)
    one, other = Thing(), Thing()
    memory.keep(one, other, 7)
    kept = weakref.ref(one), weakref.ref(other)
    del one, other
    assert all(reference() is not None for reference in kept)


def test_a_full_memory_forgets_its_oldest_answer_and_no_other() -> None:
    pairs, memory = [(Thing(), Thing()) for _ in range(4)], PairMemory[int](3)
    for number, (one, other) in enumerate(pairs):
        memory.keep(one, other, number)
    assert [memory.get(one, other) for one, other in pairs] == [None, 1, 2, 3]
    single = Memory[int](3)
    for number, (one, _) in enumerate(pairs):
        single.keep(one, number)
    assert [single.get(one) for one, _ in pairs] == [None, 1, 2, 3]


def test_an_answer_about_one_object_is_found_by_it_alone_and_keeps_it() -> None:
    memory = Memory[int](10)
    one = {"a": 1}
    assert memory.get(one) is None
    assert memory.keep(one, 7) == 7
    assert memory.get(one) == 7
    assert memory.get(dict(one)) is None
    thing = Thing()
    memory.keep(thing, 8)
    kept = weakref.ref(thing)
    del thing
    assert kept() is not None


def test_answers_about_one_state_are_forgotten_when_another_is_asked_about() -> None:
    memory = OfOneState[int]()
    one, other = Thing(), Thing()
    assert memory.get(one, "targets") is None
    memory.keep(one, "targets", 7)
    memory.keep(one, "crew", 8)
    assert [memory.get(one, "targets"), memory.get(one, "crew"), memory.get(other, "targets")] == [7, 8, None]
    memory.keep(other, "targets", 9)
    assert [memory.get(one, "targets"), memory.get(other, "targets"), memory.get(other, "crew")] == [None, 9, None]
