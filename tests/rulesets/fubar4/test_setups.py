"""Setups that FUBAR 4 reads, and setups that it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from server.kernel.errors import RulesetError
from server.kernel.files.setups import FORMAT, unit_row
from tests.rulesets.fubar4.battlefield import fubar4

SECTION = {"kind": "infantry", "level": "veteran", "arm": "assault-rifle", "armour": "light", "figures": 2}
CARRIER = {
    "kind": "vehicle",
    "level": "seasoned",
    "armour": "light",
    "crew_armour": "none",
    "figures": [{"id": "1", "at": [30, 10], "hull": [5, 2.5], "facing": 90}],
    "mounts": {"m1": {"weapon": "heavy-machine-gun"}},
}


def written(blue: dict[str, Any] | None = None, **change: object) -> dict[str, Any]:
    """Return a small setup whose first unit is `blue`."""
    row = {"id": "blue-1", "side": "blue", "name": "Blue", **(blue or {**SECTION, "at": [[10, 10], [13, 10]]})}
    red = {"id": "red-1", "side": "red", "name": "Red", **SECTION, "at": [[10, 30], [13, 30]]}
    sides = [{"id": side, "name": side, "letter": side[0], "shape": "circle"} for side in ("blue", "red")]
    return {
        "format": FORMAT,
        "edition": "fubar4",
        "id": "small",
        "name": "Small",
        "side": sides,
        "unit": [row, red],
        **change,
    }


def test_figures_given_by_number_all_have_the_same_weapon_and_armour() -> None:
    state = fubar4().read(written())
    assert state.turn.phase == "turn"
    assert state.units["blue-1"].profile == {"kind": "infantry", "level": "veteran"}
    assert all(f.profile == {"arm": "assault-rifle", "armour": "light"} for f in state.units["blue-1"].figures.values())


@pytest.mark.parametrize(
    ("blue", "sentence"),
    [
        ({**SECTION, "kind": "cavalry"}, "infantry, a vehicle or a crew, not 'cavalry'"),
        ({**SECTION, "level": "heroic"}, "level 'heroic' is not one of"),
        ({**SECTION, "leader": True}, "has unknown fields: leader"),
        ({**SECTION, "arm": "railgun"}, "arm 'railgun' is not one of"),
        ({**SECTION, "figures": [{"id": "1", "hat": "red"}]}, "a figure has unknown fields: hat"),
        ({**CARRIER, "figures": 1}, "list a vehicle's figure with its hull"),
        ({**CARRIER, "figures": [{"id": "1", "at": [30, 10]}]}, "only vehicles have hulls"),
        ({**CARRIER, "mounts": {"m1": {"weapon": "railgun"}}}, "weapon 'railgun' is not one of"),
        ({**CARRIER, "crew": 0}, "crew: 0 is not between 1 and 8"),
        ({**SECTION, "level": ["veteran"]}, "is not one of"),
        ({**SECTION, "grenades": 2}, "the trait 'grenades' is true, not 2"),
        ({**CARRIER, "stuns": "two"}, "stuns: 'two' is no whole number"),
        ({**CARRIER, "moved": "1"}, "moved is two whole numbers"),
        ({**SECTION, "set_up": "1 x"}, "set_up: 'x' is no whole number"),
        ({**CARRIER, "crew": "many"}, "crew: 'many' is no whole number"),
        # Markers that no rule would ever remove.
        ({**CARRIER, "stuns": "2"}, "stuns go with the condition stunned"),
        (
            {**SECTION, "at": [[10, 10], [13, 10]], "conditions": ["immobilised"]},
            "is marked immobilised, which only vehicles are. Take",
        ),
        (
            {**SECTION, "at": [[10, 10], [13, 10]], "conditions": ["close_combat"]},
            "is marked close_combat, but fights no unit",
        ),
    ],
)
def test_setups_that_the_edition_cannot_play_are_refused_with_a_sentence(blue: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        fubar4().read(written(blue))


def test_a_setup_in_the_middle_of_a_turn_must_say_which_side_is_to_act() -> None:
    with pytest.raises(RulesetError, match="which side is to act"):
        fubar4().read(written(turn={"number": 1, "phase": "activations"}))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"victory": {"initiative.blue": "high"}}, "'high' is no whole number"),
        ({"victory": {"initiative.red": 7}}, "7 is not between -6 and 6"),
        ({"book": {"initiative": "blue"}}, "is a list of sides"),
        ({"book": {"fights": "blue-1 red-1"}}, "are a list of pairs"),
        ({"book": {"fights": ["blue-1 blue-1"]}}, "are not two enemy units"),
        ({"book": {"fights": ["blue-1 red-9"]}}, "are not two enemy units"),
        (
            {"terrain": [{"id": "b", "kind": "bunker", "outline": [[1, 1], [4, 1], [4, 4]], "flags": ["mount:pike"]}]},
            "no weapon 'pike'",
        ),
    ],
)
def test_unreadable_notes_in_a_setup_are_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        fubar4().read(written(**change))


def test_a_setup_passes_over_a_side_whose_units_are_all_in_close_combat() -> None:
    turn = {"number": 1, "phase": "activations", "active": "blue"}
    blue = {**SECTION, "at": [[10, 29], [13, 29]], "conditions": ["close_combat"]}
    setup = written(blue, turn=turn, book={"fights": ["blue-1 red-1"]})
    setup["unit"][1]["conditions"] = ["close_combat"]
    setup["unit"].append({"id": "red-2", "side": "red", "name": "Red too", **SECTION, "at": [[30, 30], [33, 30]]})
    # Blue has no other unit, so red is to activate.
    assert fubar4().read(setup).turn.active == "red"


def test_a_stunned_vehicle_in_a_setup_has_at_least_one_stun() -> None:
    assert fubar4().read(written({**CARRIER, "conditions": ["stunned"]})).units["blue-1"].profile["stuns"] == 1
    noted = {**CARRIER, "conditions": ["stunned"], "stuns": "3"}
    assert fubar4().read(written(noted)).units["blue-1"].profile["stuns"] == 3


def test_notes_and_flags_of_setups_of_before_are_read_as_what_they_mean() -> None:
    figures = [{"id": "1", "at": [10, 10]}, {"id": "2", "at": [13, 10]}]
    section = {"kind": "infantry", "level": "veteran", "conditions": ["gone_to_ground"]}
    before: dict[str, Any] = {
        **section,
        "figures": [{**figures[0], "leader": "yes", "launcher": "yes"}, figures[1]],
        "grenades": "yes",
        "set_up": "1000 2000",
        "moved": "1 300",
        "lying_figures": "1 2",
    }
    today: dict[str, Any] = {
        **section,
        "figures": [{**figures[0], "traits": {"leader": True, "launcher": True}}, figures[1]],
        "traits": {"grenades": True},
        "set_up": [1000, 2000],
        "moved": [1, 300],
        "lying_figures": ["1", "2"],
    }
    read = fubar4().read(written(before))
    assert read == fubar4().read(written(today))
    blue = read.units["blue-1"]
    assert {key: blue.profile[key] for key in ("set_up", "moved", "lying_figures")} == {
        "set_up": (1000, 2000),
        "moved": (1, 300),
        "lying_figures": ("1", "2"),
    }
    row: Any = unit_row(blue)
    assert row["traits"] == {"grenades": True}
    assert row["figures"][0]["traits"] == {"launcher": True, "leader": True}
