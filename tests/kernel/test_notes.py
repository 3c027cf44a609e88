"""Notes are read as what they are, and never taken for something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from client_protocol.codec import CodecError, pack, unpack
from server.kernel.facts import Noted
from server.kernel.notes import Note, UnfitNoteError, number, pair, word, word_pairs, words

NOTES: dict[str, Note] = {
    "flag": True,
    "count": 3,
    "name": "elite",
    "point": (1000, -20),
    "figures": ("1", "b"),
    "fights": (("a", "b"), ("b", "c")),
}
READERS: dict[Callable[[Mapping[str, Note], str], object], str] = {
    number: "count",
    word: "name",
    pair: "point",
    words: "figures",
    word_pairs: "fights",
}


@pytest.mark.parametrize(("reader", "key"), READERS.items())
def test_a_note_is_read_by_the_reader_of_its_type_alone(
    reader: Callable[[Mapping[str, Note], str], object], key: str
) -> None:
    assert reader(NOTES, key) == NOTES[key]
    for other in NOTES.keys() - {key}:
        with pytest.raises(UnfitNoteError, match=f"the note '{other}' is"):
            reader(NOTES, other)


def test_what_is_not_noted_has_its_default() -> None:
    assert number({}, "count", 0) == 0
    assert word({}, "name", "none") == "none"
    assert (pair({}, "point"), words({}, "figures"), word_pairs({}, "fights")) == (None, (), ())
    with pytest.raises(KeyError):
        number({}, "count")


@pytest.mark.parametrize("value", NOTES.values(), ids=NOTES)
def test_a_note_keeps_its_type_in_a_log(value: Note) -> None:
    again = unpack(pack(Noted("k", value)), Noted)
    assert again == Noted("k", value)
    assert type(again.value) is type(value)


@pytest.mark.parametrize("value", [1.5, None, {"a": 1}, [[["deep"]]], b"bytes"])
def test_what_is_no_note_is_refused(value: object) -> None:
    with pytest.raises(CodecError):
        unpack(pack({"type": "noted", "key": "k", "value": value}), Noted)
