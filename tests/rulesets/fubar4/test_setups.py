"""What FUBAR 4 makes of a setup, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from server.kernel.ruleset import RulesetError
from server.kernel.setups import FORMAT
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
    """A small setup whose first unit is `blue`."""
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


def test_counted_figures_all_carry_and_wear_the_same() -> None:
    state = fubar4().read(written())
    assert state.turn.phase == "turn"
    assert state.units["blue-1"].profile == {"kind": "infantry", "level": "veteran"}
    assert all(f.profile == {"arm": "assault-rifle", "armour": "light"} for f in state.units["blue-1"].figures.values())


@pytest.mark.parametrize(
    ("blue", "sentence"),
    [
        ({**SECTION, "kind": "cavalry"}, "infantry, a vehicle or a crew, not 'cavalry'"),
        ({**SECTION, "level": "heroic"}, "level 'heroic' is not one of"),
        ({**SECTION, "leader": True}, "nobody knows what leader means"),
        ({**SECTION, "arm": "railgun"}, "arm 'railgun' is not one of"),
        ({**SECTION, "figures": [{"id": "1", "hat": "red"}]}, "nobody knows what .*hat.* means"),
        ({**CARRIER, "figures": 1}, "a vehicle's figure is listed"),
        ({**CARRIER, "figures": [{"id": "1", "at": [30, 10]}]}, "a vehicle has a hull"),
        ({**CARRIER, "mounts": {"m1": {"weapon": "railgun"}}}, "weapon 'railgun' is not one of"),
        ({**CARRIER, "crew": "many"}, "crew 'many' is no number"),
    ],
)
def test_what_it_cannot_play_is_refused_with_a_sentence(blue: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        fubar4().read(written(blue))


def test_it_needs_to_know_who_is_to_act() -> None:
    with pytest.raises(RulesetError, match="which side is to act"):
        fubar4().read(written(turn={"number": 1, "phase": "activations"}))
