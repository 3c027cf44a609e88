"""Close assault up to the fight: legal targets, the free shot, the charge, the scores."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.kernel.facts import ConditionGained, Declared, Rolled
from tests.rulesets.fad4.assaults import assault, charge, roll_of
from tests.support.battlefield import battle, facing, lines, piece, play, unit

# All dice show the same number, so kills depend on what they are compared with: a 1 never kills.
NO_KILLS = [1] * 12


# --- declaring ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.declare")
@pytest.mark.rule("fad4/move.charge-bonus")
def test_only_enemies_within_ten_inches_may_be_assaulted() -> None:
    near = play(facing(10)).activates("blue-1")
    assert near.targets("assault") == {"red-1": ""}
    far = play(facing(10.1)).activates("blue-1")
    assert far.targets("assault") == {"red-1": "move.charge-bonus"}
    assert far.refused("assault", "red-1").sentence == 'Red 1 is 10.1" away; Blue 1 charges 10".'


@pytest.mark.rule("fad4/assault.declare")
@pytest.mark.rule("fad4/underfire.move-penalty")
def test_a_unit_under_fire_charges_eight_inches() -> None:
    under_fire = {"conditions": ["under_fire"]}
    assert play(facing(8, blue=under_fire)).activates("blue-1").barred("assault") is None
    far = play(facing(8.1, blue=under_fire)).activates("blue-1")
    assert far.targets("assault") == {"red-1": "move.charge-bonus"}


@pytest.mark.rule("fad4/assault.declare")
def test_an_assault_needs_neither_line_of_sight_nor_fire_priority() -> None:
    house = piece("building", (4, 8), (24, 10))
    hidden = play(facing(8, terrain=[house])).activates("blue-1")
    assert hidden.targets("fire-move") == {"red-1": "shoot.line-of-sight"}
    assert hidden.targets("assault") == {"red-1": ""}
    rabble = {"quality": "rabble", "apart": 2.0}
    two = play(facing(8, blue=rabble, others=[unit("red", (6, 12), figures=3)])).activates("blue-1")
    assert two.targets("fire-move") == {"red-2": "", "red-1": "shoot.fire-priority"}
    assert two.targets("assault") == {"red-2": "", "red-1": ""}


@pytest.mark.rule("fad4/assault.declare")
def test_an_assault_is_refused_unless_a_figure_can_reach_contact() -> None:
    moat = piece("deep_water", (0, 9), (48, 11))
    cut_off = play(facing(8, terrain=[moat])).activates("blue-1")
    assert cut_off.targets("assault") == {"red-1": "assault.declare"}
    round_it = piece("deep_water", (8, 9), (48, 11))
    assert play(facing(8, terrain=[round_it])).activates("blue-1").targets("assault") == {"red-1": ""}


@pytest.mark.rule("fad4/assault.declare")
@pytest.mark.rule("fad4/move.difficult-infantry")
def test_difficult_ground_costs_a_charge_double() -> None:
    # 8" to go. With 2" of mire they cost 10", with 2.2" too much.
    for depth, rule in ((2, ""), (2.2, "assault.declare")):
        mire = piece("swamp", (0, 9), (48, 9 + depth))
        table = play(facing(8, terrain=[mire])).activates("blue-1")
        assert table.targets("assault") == {"red-1": rule}


# --- the free shot --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.free-shot")
def test_the_free_shot_is_at_the_range_from_which_the_attackers_charge() -> None:
    table = play(facing(9)).activates("blue-1").answers("assault", "red-1")
    assert (table.asked, table.offered) == ("red", ["free-shot", "hold-fire"])
    assert table.prompt.default.choice == "free-shot"
    table.answers("free-shot", dice=[3, 4, 1, 1])
    # 9" is close range (base is 4" for Regulars): the +2 of base range would be wrong here.
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 4),
        ("fire.shooter-regular", 1),
        ("fire.shooter-riflemen", 2),
    ]
    assert [fact.action for fact in table.seen(Declared)] == ["assault", "free-shot"]
    assert table.asked == "blue"


@pytest.mark.rule("fad4/assault.free-shot")
def test_the_free_shot_ignores_fire_priority_but_has_all_modifiers() -> None:
    decoy = unit("blue", (6, 11), figures=1)
    rabble = {"quality": "rabble", "apart": 2.0, "conditions": ["under_fire"]}
    state = facing(9, red=rabble, others=[decoy])
    red_to_act = replace(state, turn=replace(state.turn, active="red"))
    nearest_only = {"blue-2": "", "blue-1": "shoot.fire-priority"}
    assert play(red_to_act).activates("red-1").targets("open-fire") == nearest_only
    table = assault(state, shot=[6, 1, 1])
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 6),
        ("fire.shooter-riflemen", 2),
        ("underfire.fire-penalty", -3),
    ]


@pytest.mark.rule("fad4/assault.free-shot")
@pytest.mark.rule("fad4/pin.no-shooting")
def test_a_pinned_target_has_no_free_shot_but_fights() -> None:
    table = play(facing(8, red={"conditions": ["pinned"]})).activates("blue-1").answers("assault", "red-1")
    assert (table.asked, table.offered) == ("blue", ["charge"])
    charge(table, [4, 1, 3, 2, *NO_KILLS])
    assert roll_of(table, "assault", "red-1").faces == (3, 2)


@pytest.mark.rule("fad4/assault.free-shot")
def test_a_target_that_does_not_see_the_attackers_has_no_free_shot() -> None:
    house = piece("building", (4, 8), (24, 10))
    table = play(facing(8, terrain=[house])).activates("blue-1").answers("assault", "red-1")
    assert table.asked == "blue"


@pytest.mark.rule("fad4/assault.free-shot")
@pytest.mark.rule("fad4/turn.once-per-turn")
def test_a_free_shot_costs_no_activation_and_may_be_taken_at_every_assault() -> None:
    state = battle(
        unit("blue", (6, 6), figures=3),
        unit("red", (6, 14), figures=3),
        unit("blue", (20, 14), figures=3),
        unit("red", (40, 40), figures=2),
        first="blue",
    )
    table = play(state).activates("blue-1").answers("assault", "red-1").answers("free-shot", dice=[1, 1, 1])
    charge(table, [1, 1, 3, 1, *[1] * 6])  # 2 against 3: blue falls back
    assert table.unit("red-1").activated == 0
    table.defaults()
    assert table.asked == "red"
    table.activates("red-2").holds()
    table.activates("blue-2").answers("assault", "red-1")
    assert table.offered == ["free-shot", "hold-fire"]


@pytest.mark.rule("fad4/assault.no-markers")
@pytest.mark.rule("fad4/underfire.marker")
def test_a_free_shot_leaves_no_marker_however_heavy_it_is() -> None:
    gunners = {"support": ["rapid-fire-saw"] * 5, "quality": "elite"}
    table = assault(facing(9, red=gunners, blue={"armour": "breach"}), shot=[6, 6, *[1] * 8])
    assert table.fire_effect.value > 14
    assert table.seen(ConditionGained) == []


@pytest.mark.rule("fad4/assault.free-shot")
def test_an_assault_ends_if_all_attackers_fall_to_the_free_shot() -> None:
    table = assault(facing(9, blue={"figures": 1, "armour": "none"}), shot=[6, 1, 1, 1, 1])
    assert table.unit("blue-1").left == "destroyed"
    assert not any(fact.purpose == "assault" for fact in table.seen(Rolled))
