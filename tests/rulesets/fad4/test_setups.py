"""Setups that FAD 4 reads, and setups that it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from server.kernel.errors import RulesetError
from server.kernel.facts import Rolled
from server.kernel.files.setups import FORMAT
from tests.support.battlefield import battle, fad4, play, unit


def written(change: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a small setup; `unit` and `side` change the first of each, all other arguments the setup itself."""
    change = change or {}
    profile = {"quality": "regular", "resolve": "steady", "small_arm": "assault-rifle", "armour": "light"}
    blue = {"id": "blue-1", "side": "blue", "name": "Blue squad", **profile, "figures": 2, "at": [[10, 10], [13, 10]]}
    red = {"id": "red-1", "side": "red", "name": "Red squad", **profile, "figures": 2, "at": [[10, 30], [13, 30]]}
    sides = [{"id": side, "name": side, "letter": side[0], "shape": "circle"} for side in ("blue", "red")]
    return {
        "format": FORMAT,
        "edition": "fad4",
        "id": "small",
        "name": "Small",
        **{key: value for key, value in change.items() if key not in {"unit", "side", "sides"}},
        "side": [{**sides[0], **change.get("side", {})}, sides[1], *change.get("sides", [])],
        "unit": [{**blue, **change.get("unit", {})}, red],
    }


def test_a_setup_without_a_turn_begins_in_the_phase_that_its_figures_imply() -> None:
    assert fad4().read(written()).turn.phase == "turn"
    unplaced = written({"unit": {"at": []}, "side": {"zone": [[0, 0], [48, 0], [48, 12]]}})
    assert fad4().read(unplaced).turn.phase == "deployment"


def test_in_a_unit_given_by_number_the_first_figures_are_leader_and_gunners() -> None:
    row = {"figures": 3, "at": [[10, 10], [12, 10], [14, 10]], "leader": True, "support": ["grenade-launcher"]}
    figures = fad4().read(written({"unit": row})).units["blue-1"].figures
    assert [figure.role for figure in figures.values()] == ["leader", "grenade-launcher", ""]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"options": {"turn_limit": 99}}, "'turn_limit' cannot be 99"),
        ({"victory": {"kind": "glory"}}, '"break" or by "objective"'),
        ({"victory": {"kind": "objective", "objective": "flag"}}, "'flag' is not among the setup's objectives"),
        ({"turn": {"phase": "activations"}}, "which side is to act"),
        ({"unit": {"quality": "heroic"}}, "quality 'heroic' is not one of"),
        ({"unit": {"armor": "light"}}, "has unknown fields: armor"),
        ({"unit": {"support": ["railgun"]}}, "cannot be 'railgun'"),
        ({"unit": {"support": ["missile-rack"]}}, "needs powered armour"),
        ({"unit": {"support": "grenade-launcher"}}, "support a list of weapons"),
        ({"unit": {"leader": True, "support": ["grenade-launcher"] * 2}}, "2 figures for 3 roles"),
        ({"unit": {"quality": {}}}, "quality .* is not one of"),
        ({"unit": {"seats": 2}}, "only vehicles have mounts and seats"),
        ({"sides": [{"id": "green", "name": "Green", "letter": "G", "shape": "diamond"}]}, "played by two sides"),
    ],
)
def test_setups_that_the_edition_cannot_play_are_refused_with_a_sentence(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        fad4().read(written(change))


@pytest.mark.rule("fad4/resolve.infantry")
@pytest.mark.parametrize(("lost", "dice"), [(2, [3, 3, 1]), (1, [])])
def test_a_unit_that_begins_broken_tests_its_morale_if_its_losses_break_it(lost: int, dice: list[int]) -> None:
    broken = unit("blue", (10, 10), figures=4, lost=lost, resolve="steady", conditions=["broken"])
    table = play(battle(broken, unit("red", (10, 30)))).activates("blue-1", dice=dice)
    assert [fact.outcome for fact in table.seen(Rolled) if fact.purpose == "morale"] == ["rallied"] * bool(dice)
    assert table.unit("blue-1").conditions == ()


@pytest.mark.parametrize(
    ("figure", "sentence"),
    [
        ({"hull": [4, 2]}, "only vehicles have hulls and a mobility, and every vehicle has both"),
        ({"conditions": ["pinned"]}, "figure 1: 'pinned' is not one of at_task, wounded, stabilised, left_lying"),
    ],
)
def test_figures_have_neither_hulls_nor_markers_of_units(figure: dict[str, Any], sentence: str) -> None:
    setup = written()
    del setup["unit"][0]["at"]
    setup["unit"][0]["figures"] = [{"id": "1", "at": [9, 9], **figure}]
    with pytest.raises(RulesetError, match=sentence):
        fad4().read(setup)
