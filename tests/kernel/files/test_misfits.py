"""What does not fit a schema is told in words that a player knows, and never in the decoder's."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta, Struct

from server.kernel.files.misfits import misfit


class Piece(Struct, forbid_unknown_fields=True):
    """A schema with a field of each kind."""

    id: Annotated[str, Meta(pattern="^[a-z]+$")]
    name: Annotated[str, Meta(min_length=1, max_length=5)] = "a"
    height: Annotated[int, Meta(ge=0, le=9)] = 0
    at: tuple[float, float] = (0, 0)
    words: Annotated[list[str], Meta(min_length=1, max_length=2)] = msgspec.field(default_factory=lambda: ["a"])
    shape: Literal["round", "square"] = "round"
    on: bool | None = None
    notes: dict[str, int] = {}


class Table(Struct):
    """A list of them."""

    piece: list[Piece] = []


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({}, "the field `id` is missing (piece 1)"),
        ({"id": "a", "weight": 1}, "there is no field `weight` here (piece 1)"),
        ({"id": 7}, "a text is needed, not a whole number (piece 1, id)"),
        ({"id": "A"}, "a letter or digit is needed, then letters, digits, dots, dashes and underscores (piece 1, id)"),
        ({"id": "a", "name": ""}, "the text is empty (piece 1, name)"),
        ({"id": "a", "name": "longer"}, "a text of at most 5 characters is needed (piece 1, name)"),
        ({"id": "a", "height": "high"}, "a whole number is needed, not a text (piece 1, height)"),
        ({"id": "a", "height": -1}, "a number of at least 0 is needed (piece 1, height)"),
        ({"id": "a", "height": 10}, "a number of at most 9 is needed (piece 1, height)"),
        ({"id": "a", "at": [1]}, "a list of 2 is needed, not 1 (piece 1, at)"),
        ({"id": "a", "at": [1, True]}, "a number is needed, not true or false (piece 1, at 2)"),
        ({"id": "a", "words": []}, "the list is empty (piece 1, words)"),
        ({"id": "a", "words": ["a", "b", "c"]}, "a list of at most 2 is needed (piece 1, words)"),
        ({"id": "a", "shape": "oval"}, "'oval' is none of the values that are possible (piece 1, shape)"),
        ({"id": "a", "on": 1}, "true or false or nothing is needed, not a whole number (piece 1, on)"),
        ({"id": "a", "notes": {"b": None}}, "a whole number is needed, not nothing (piece 1, notes)"),
    ],
)
def test_a_misfit_is_told_in_words_and_with_its_place(fields: dict[str, object], told: str) -> None:
    with pytest.raises(msgspec.ValidationError) as found:
        msgspec.convert({"piece": [fields]}, Table)
    assert misfit(found.value) == told


def test_a_file_that_is_no_table_is_told_so() -> None:
    with pytest.raises(msgspec.ValidationError) as found:
        msgspec.convert(7, Table)
    assert misfit(found.value) == "a table of fields is needed, not a whole number"
