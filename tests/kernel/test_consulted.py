"""Notes that remember which of them were read."""

from __future__ import annotations

import pytest

from server.kernel.consulted import Consulted
from server.kernel.notes import Note, words

NOTES: dict[str, Note] = {"posts": ("a", "b"), "shaken": "blue-1"}


def test_they_read_like_the_notes_themselves() -> None:
    consulted = Consulted(NOTES)
    assert words(consulted, "posts") == ("a", "b")
    assert consulted.get("gone", "nothing") == "nothing"
    assert ("shaken" in consulted, "gone" in consulted) == (True, False)
    assert {**consulted} == NOTES
    with pytest.raises(KeyError):
        consulted["gone"]


def test_only_what_was_read_must_be_the_same() -> None:
    consulted = Consulted(NOTES)
    words(consulted, "posts")
    assert consulted.read.same_in({**NOTES, "shaken": "red-1", "new": True})
    assert not consulted.read.same_in({**NOTES, "posts": ("a",)})
    assert not consulted.read.same_in({"shaken": "blue-1"})


def test_a_note_that_was_looked_for_must_still_be_missing() -> None:
    consulted = Consulted(NOTES)
    assert "gone" not in consulted
    assert consulted.read.same_in({})
    assert not consulted.read.same_in({"gone": 1})


@pytest.mark.parametrize("read", [list, len, dict])
def test_all_must_be_the_same_if_all_were_read(read: type[list[str]]) -> None:
    consulted = Consulted(NOTES)
    read(consulted)
    assert consulted.read.same_in(dict(NOTES))
    assert not consulted.read.same_in({**NOTES, "new": True})
