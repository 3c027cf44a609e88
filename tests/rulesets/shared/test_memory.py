"""What is remembered of two things, as long as they are the same objects."""

from __future__ import annotations

import weakref

from server.rulesets.shared.memory import PairMemory


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


def test_a_full_memory_is_emptied() -> None:
    memory = PairMemory[int](2)
    pairs = [(Thing(), Thing()) for _ in range(3)]
    for number, (one, other) in enumerate(pairs):
        memory.keep(one, other, number)
    assert [memory.get(one, other) for one, other in pairs] == [None, None, 2]
