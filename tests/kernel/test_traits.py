"""Traits of units and figures: given by setups, checked against an edition's, and left out where there are none."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from msgspec import Struct

from server.kernel import traits
from server.kernel.errors import RulesetError
from server.kernel.state import Figure, Unit
from server.kernel.traits import Bearer, TraitType, TraitValue, checked


class Row(Struct, frozen=True):
    """A trait of an edition."""

    bearer: Bearer
    value: TraitType


KNOWN = {
    "fearless": Row("unit", "flag"),
    "stealth": Row("unit", "number"),
    "wings": Row("unit", "pair"),
    "medic": Row("figure", "flag"),
}


def given(fields: Mapping[str, object], bearer: Bearer = "unit") -> tuple[dict[str, TraitValue], dict[str, object]]:
    return checked("Blue squad", bearer, KNOWN, fields)


def test_traits_have_values_of_their_types_in_the_editions_order() -> None:
    found, others = given({"traits": {"wings": [3, -4], "stealth": 2, "fearless": True}, "level": "elite"})
    assert list(found.items()) == [("fearless", True), ("stealth", 2), ("wings", (3, -4))]
    assert others == {"level": "elite"}
    assert given({"traits": {"medic": True}}, "figure") == ({"medic": True}, {})


def test_a_field_with_a_traits_name_says_the_same() -> None:
    assert given({"fearless": True, "stealth": 2}) == given({"traits": {"fearless": True, "stealth": 2}})
    assert given({"fearless": "yes"}) == ({"fearless": True}, {})
    assert given({"fearless": False}) == ({}, {})
    # A figure's trait is a word of the family's in a unit's row.
    assert given({"medic": True}) == ({}, {"medic": True})


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"traits": {"brave": True}}, "there is no trait 'brave'; a unit may have fearless, stealth, wings"),
        ({"traits": {"medic": True}}, "the trait 'medic' is one of a figure, not of a unit"),
        ({"traits": {"fearless": 1}}, "the trait 'fearless' is true, not 1"),
        ({"traits": {"stealth": True}}, "the trait 'stealth' is a whole number, not True"),
        ({"stealth": "2"}, "the trait 'stealth' is a whole number, not '2'"),
        ({"traits": {"stealth": 10**9}}, "is a whole number, not"),
        ({"traits": {"wings": "3 4"}}, "the trait 'wings' is a list of two whole numbers, not '3 4'"),
        ({"traits": {"wings": [3, 4, 5]}}, "is a list of two whole numbers"),
        ({"traits": ["fearless"]}, "traits is a table of traits with their values"),
    ],
)
def test_what_is_no_trait_is_refused_with_a_sentence(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(RulesetError, match=f"Blue squad: .*{sentence}"):
        given(fields)


def test_what_has_no_traits_is_encoded_as_it_was_before_there_were_any() -> None:
    figure = Figure((1, 2), 500)
    unit = Unit("u", "blue", "U", 1, {}, {"1": figure})
    assert b"traits" not in msgspec.json.encode(unit)
    bearing = msgspec.structs.replace(unit, traits=traits.kept({"wings": (3, 4)}))
    assert msgspec.json.decode(msgspec.json.encode(bearing), type=Unit) == bearing
    assert traits.of(bearing) == {"wings": (3, 4)}
    assert msgspec.structs.replace(bearing, traits=traits.kept({})) == unit
    assert not traits.has(unit, "wings")
