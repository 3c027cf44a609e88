"""A case names its setup, and changes it."""

from __future__ import annotations

import pytest

from server.kernel.cases.schema import FORMAT, Case
from server.kernel.cases.setups import setup_of
from server.kernel.errors import RulesetError
from server.kernel.files import setups

LANE: dict[str, object] = {
    "format": "underfire setup 1",
    "edition": "toy",
    "id": "lane",
    "turn": {"number": 1, "phase": "activations"},
    "unit": [{"id": "blue-1", "name": "Blue", "figures": 3}, {"id": "red-1", "name": "Red", "figures": 2}],
}


def changed(changes: dict[str, object]) -> dict[str, object]:
    """Return what the setup of a case is that names the lane and makes these changes."""
    files = {"lane.toml": setups.dump(LANE)}
    return dict(setup_of(Case(FORMAT, "lane.toml", changes), files.__getitem__))


def test_a_case_without_changes_has_the_setup_that_it_names() -> None:
    assert changed({}) == LANE


def test_a_setup_in_the_case_itself_can_be_changed_too() -> None:
    assert setup_of(Case(FORMAT, LANE, {"id": "road"}), str) == LANE | {"id": "road"}


def test_a_field_is_replaced_whole_and_false_removes_it() -> None:
    assert changed({"turn": {"number": 2}})["turn"] == {"number": 2}
    assert "turn" not in changed({"turn": False})


def test_units_are_changed_by_their_ids_and_keep_their_order() -> None:
    units = changed({"unit": {"blue-1": {"figures": 5, "armour": "light", "name": False}}})["unit"]
    assert units == [{"id": "blue-1", "figures": 5, "armour": "light"}, {"id": "red-1", "name": "Red", "figures": 2}]


def test_a_unit_with_a_new_id_stands_last_and_false_removes_one() -> None:
    units = changed({"unit": {"blue-1": False, "blue-2": {"name": "Second"}}})["unit"]
    assert units == [{"id": "red-1", "name": "Red", "figures": 2}, {"id": "blue-2", "name": "Second"}]


def test_rows_that_the_setup_has_none_of_are_given_as_a_list() -> None:
    assert changed({"terrain": [{"id": "wood"}]})["terrain"] == [{"id": "wood"}]


def test_a_change_that_fits_nothing_is_refused_with_its_place() -> None:
    with pytest.raises(RulesetError, match=r"changes\.unit\.blue-9 is false, but the setup has no blue-9"):
        changed({"unit": {"blue-9": False}})
    with pytest.raises(RulesetError, match=r"changes\.unit\.blue-1 must be a table, or false to remove it"):
        changed({"unit": {"blue-1": 3}})


def test_the_setup_itself_is_not_changed() -> None:
    before = setups.dump(LANE)
    setup_of(Case(FORMAT, LANE, {"unit": {"blue-1": {"figures": 9}}}), str)
    assert setups.dump(LANE) == before
