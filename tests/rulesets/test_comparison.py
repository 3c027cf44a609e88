"""The reference says where another edition of the family differs."""

from __future__ import annotations

import json

import pytest

from server.app import reference
from server.rulesets.library import every_edition
from server.rulesets.shared.comparison import differences

FAMILIES = ("fad", "fubar")
SIDES = [
    (edition, side) for family in FAMILIES for difference in differences(family) for edition, side in difference.items()
]


@pytest.mark.parametrize("name", every_edition())
def test_each_entry_that_is_compared_stands_in_the_reference(name: str) -> None:
    known = {row["id"] for row in every_edition()[name].reference}
    compared = {entry for edition, side in SIDES if edition == name for entry in side.entries}
    assert compared <= known


def test_a_comparison_is_one_sentence_on_each_of_two_editions() -> None:
    for family in FAMILIES:
        for difference in differences(family):
            assert len(difference) == 2
            assert any(side.entries for side in difference.values())
    for _, side in SIDES:
        assert side.says.endswith(".")
        assert ". " not in side.says


def _elsewhere(edition: str, entry: str, *offered: str) -> list[dict[str, str]]:
    told = reference(edition, frozenset(offered))
    assert told is not None
    (row,) = [row for row in json.loads(told)["rules"] if row["id"] == f"{edition}/{entry}"]
    found: list[dict[str, str]] = row["elsewhere"]
    return found


def test_an_entry_says_what_holds_in_an_edition_that_is_offered_too() -> None:
    assert _elsewhere("fad4", "blast.ranging-in", "fad4", "fad5") == [
        {
            "edition": "fad5",
            "name": "FAD 5",
            "rule": "fad5/blast.ranging-in",
            "text": "Ranging in has one die.",
        }
    ]
    assert _elsewhere("fad4", "blast.ranging-in", "fad4") == []
    assert [other["rule"] for other in _elsewhere("fad5", "turn.seize-initiative", "fad4", "fad5")] == [""]


def test_an_entry_without_a_difference_says_nothing() -> None:
    assert _elsewhere("fad4", "move.infantry", "fad4", "fad5") == []
