"""Vehicles of FAD 4: how they drive over each ground, and what they fire (fad4/move.*, fad4/shoot.vehicle-*)."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, AssignmentParameter
from server.kernel.facts import ConditionGained, Declared, Rolled, UnitMoved
from server.kernel.space.geometry import inches
from server.rulesets.fad.vehicles.squads import SQUAD
from tests.support.battlefield import battle, driven, fad4, lines, piece, play, unit, vehicle

FOE = unit("red", (6, 44))
AHEAD = (10, 10)
"""Where the vehicles of these tests stand, facing north."""


# --- rates and turning ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.vehicle-rates")
@pytest.mark.parametrize(
    ("mobility", "cautious", "standard"),
    [("fly", 14, 20), ("hover", 10, 16), ("track", 12, 18), ("walk", 6, 12), ("wheel", 18, 24)],
)
def test_each_mobility_has_a_cautious_and_a_standard_rate(mobility: str, cautious: int, standard: int) -> None:
    played = play(battle(vehicle("blue", AHEAD, mobility=mobility), FOE)).activates("blue-1")
    assert played.path("drive-fire").allowance == inches(cautious)
    assert played.path("drive-out").allowance == inches(standard)


@pytest.mark.rule("fad4/action.engage-vehicle")
@pytest.mark.rule("fad4/move.vehicle-cautious")
def test_a_vehicle_that_has_driven_cautiously_may_fire_from_where_it_ends() -> None:
    played = play(battle(vehicle("blue", AHEAD), unit("red", (6, 40)))).activates("blue-1")
    played.answers("drive-fire", driven((10, 22)))
    assert played.seen(UnitMoved)[-1] == UnitMoved(
        "blue-1", "drive", {"1": ((10_000, 22_000),)}, "move.vehicle-cautious", {"1": 9000}
    )
    played.answers("fire", Assigned({"m1": "red-1"}), dice=[2, 1])
    assert lines(played.fire_effect) == [
        ("fire.effect-roll", 2),
        ("fire.shooter-regular", 1),
        ("tech.weapon-tables", 2),
    ]
    assert played.unit("blue-1").activated == 1


@pytest.mark.rule("fad4/action.engage-vehicle")
def test_a_vehicle_does_not_fire_before_it_drives() -> None:
    played = play(battle(vehicle("blue", AHEAD), unit("red", (6, 40)))).activates("blue-1")
    assert played.offered == ["drive-fire", "fire-all", "drive-out", "hold"], "no choice to fire and drive afterwards"


@pytest.mark.rule("fad4/move.vehicle-cautious")
def test_at_cautious_speed_a_vehicle_goes_no_farther_than_its_rate() -> None:
    played = play(battle(vehicle("blue", AHEAD), FOE)).activates("blue-1")
    refusal = played.refused("drive-fire", driven((10, 22.1)))
    assert (refusal.code, refusal.rule) == ("path_too_long", "move.vehicle-cautious")


@pytest.mark.rule("fad4/action.move-out-vehicle")
@pytest.mark.rule("fad4/move.vehicle-standard")
@pytest.mark.rule("fad4/shoot.vehicle-speed")
def test_at_standard_speed_a_vehicle_neither_fires_nor_assaults() -> None:
    played = play(battle(vehicle("blue", AHEAD), unit("red", (6, 40)))).activates("blue-1")
    played.answers("drive-out", driven((10, 28)))
    assert played.unit("blue-1").figures["1"].at == (10_000, 28_000)
    assert played.asked == "red", "the activation is over"
    assert played.seen(Declared)[-1].action == "move-out"


@pytest.mark.rule("fad4/move.vehicle-turning")
def test_turning_costs_nothing_and_a_vehicle_drives_backwards_as_fast_as_forwards() -> None:
    played = play(battle(vehicle("blue", (10, 20)), FOE)).activates("blue-1")
    played.answers("drive-fire", driven((16, 20), (16, 14), facing=45))
    moved = played.seen(UnitMoved)[-1]
    assert moved.paths["1"][-1] == (16_000, 14_000), "12 inches in all, with turns"
    assert moved.facings == {"1": 4500}


@pytest.mark.rule("fad4/move.vehicle-turning")
def test_a_vehicle_may_turn_on_the_spot_and_no_more() -> None:
    played = play(battle(vehicle("blue", (10, 20)), FOE)).activates("blue-1")
    played.answers("drive-fire", driven(facing=270))
    assert played.unit("blue-1").figures["1"].facing == 27_000


# --- ground ---------------------------------------------------------------------------------------------------------

BOG = piece("swamp", (6, 14), (14, 16), id="bog")
ROCKS = piece("rocks", (6, 14), (14, 16), id="rocks")
THICKET = piece("dense_woods", (6, 14), (14, 16), id="thicket")
LAKE = piece("deep_water", (6, 14), (14, 16), id="lake")
WALL = piece("wall", (6, 14), (14, 14), id="wall")
HOUSE = piece("building", (6, 14), (14, 18), id="house")


@pytest.mark.parametrize(
    ("mobility", "ground", "cautious"),
    [
        pytest.param("hover", ROCKS, 10, marks=pytest.mark.rule("fad4/move.hover")),
        pytest.param("hover", LAKE, 10, marks=pytest.mark.rule("fad4/move.hover")),
        pytest.param("hover", WALL, 10, marks=pytest.mark.rule("fad4/move.hover")),
        pytest.param("track", ROCKS, 12, marks=pytest.mark.rule("fad4/move.tracked")),
        pytest.param("wheel", ROCKS, 18, marks=pytest.mark.rule("fad4/move.wheeled")),
        pytest.param("wheel", BOG, 18, marks=pytest.mark.rule("fad4/move.wheeled")),
        pytest.param("wheel", THICKET, 18, marks=pytest.mark.rule("fad4/move.wheeled")),
    ],
)
def test_difficult_ground_on_the_way_keeps_all_of_it_within_the_cautious_rate(
    mobility: str, ground: dict[str, object], cautious: int
) -> None:
    played = play(battle(vehicle("blue", AHEAD, mobility=mobility), FOE, terrain=[ground])).activates("blue-1")
    refusal = played.refused("drive-out", driven((10, 10.1 + cautious)))
    assert (refusal.code, refusal.rule) == ("path_limit", _entry(mobility))
    played.answers("drive-out", driven((10, 10 + cautious)))
    assert played.unit("blue-1").figures["1"].at == (10_000, 1000 * (10 + cautious))


def _entry(mobility: str) -> str:
    return {"hover": "move.hover", "track": "move.tracked", "wheel": "move.wheeled"}[mobility]


@pytest.mark.rule("fad4/move.tracked")
@pytest.mark.parametrize("ground", [BOG, THICKET, LAKE])
def test_tracks_do_not_enter_dense_woods_swamp_or_deep_water(ground: dict[str, object]) -> None:
    played = play(battle(vehicle("blue", AHEAD), FOE, terrain=[ground])).activates("blue-1")
    refusal = played.refused("drive-fire", driven((10, 20)))
    assert (refusal.code, refusal.rule) == ("path_impassable", "move.tracked")


@pytest.mark.rule("fad4/move.walk")
def test_a_walker_pays_two_inches_for_each_inch_of_difficult_ground_at_either_rate() -> None:
    played = play(battle(vehicle("blue", AHEAD, mobility="walk"), FOE, terrain=[ROCKS])).activates("blue-1")
    refusal = played.refused("drive-fire", driven((10, 15.1)))
    assert (refusal.code, refusal.rule) == ("path_too_long", "move.walk"), "4 inches and 2 times 1.1"
    played.answers("drive-out", driven((10, 20)))
    assert played.unit("blue-1").figures["1"].at == (10_000, 20_000), "8 inches and 2 times 2 are 12"


@pytest.mark.rule("fad4/move.wheeled")
def test_what_is_impassable_stays_so_for_wheels() -> None:
    played = play(battle(vehicle("blue", AHEAD, mobility="wheel"), FOE, terrain=[LAKE])).activates("blue-1")
    refusal = played.refused("drive-fire", driven((10, 20)))
    assert (refusal.code, refusal.rule) == ("path_impassable", "terrain.agreed")


@pytest.mark.rule("fad4/terrain.agreed")
@pytest.mark.parametrize("mobility", ["hover", "track", "walk", "wheel"])
def test_no_vehicle_on_the_ground_drives_into_a_building(mobility: str) -> None:
    played = play(battle(vehicle("blue", AHEAD, mobility=mobility), FOE, terrain=[HOUSE])).activates("blue-1")
    refusal = played.refused("drive-out", driven((10, 15)))
    assert (refusal.code, refusal.rule) == ("path_impassable", "terrain.agreed")


# --- flying ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.fly")
def test_a_flyer_passes_over_everything_and_ends_off_other_units() -> None:
    cliff = piece("cliff", (6, 13), (14, 17))
    state = battle(vehicle("blue", AHEAD, mobility="fly"), unit("red", [(10, 20)]), terrain=[cliff])
    played = play(state).activates("blue-1")
    assert played.refused("drive-fire", driven((10, 20))).code == "path_base"
    played.answers("drive-fire", driven((10, 15))).answers("hold-fire").answers("airborne")
    assert played.unit("blue-1").figures["1"].at == (10_000, 15_000), "over the rock"


@pytest.mark.rule("fad4/move.fly")
def test_a_flyer_lands_only_where_wheels_could_stand() -> None:
    rocks, cliff = piece("rocks", (6, 13), (14, 17)), piece("cliff", (20, 13), (28, 17))
    played = play(battle(vehicle("blue", AHEAD, mobility="fly"), FOE, terrain=[rocks, cliff])).activates("blue-1")
    played.answers("drive-out", driven((10, 15)))
    assert played.barred("land") is None
    played.answers("land")
    assert played.seen(ConditionGained) == [ConditionGained("blue-1", "landed", "move.fly")]
    over = play(battle(vehicle("blue", (24, 10), mobility="fly"), FOE, terrain=[rocks, cliff])).activates("blue-1")
    over.answers("drive-out", driven((24, 15)))
    assert over.barred("land") is not None


@pytest.mark.rule("fad4/move.fly")
def test_a_flyer_sees_over_terrain_and_has_no_cover_until_it_has_landed() -> None:
    cliff, woods = piece("cliff", (2, 24), (20, 28)), piece("woods", (4, 6), (16, 14))
    for marks, offered in (([], True), (["landed"], False)):
        state = battle(
            unit("blue", (6, 40)),
            vehicle("red", AHEAD, mobility="fly", conditions=marks),
            terrain=[cliff, woods],
            active="blue",
        )
        played = play(state).activates("blue-1")
        assert (played.targets("open-fire")["red-1"] == "") == offered
    in_the_air = battle(unit("blue", (6, 22)), vehicle("red", AHEAD, mobility="fly"), terrain=[woods])
    shot = play(in_the_air).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1]).rolled("fire_effect")
    assert shot.numbers[1].value == 3, "in the open, over the woods"


@pytest.mark.rule("fad4/move.fly")
def test_only_a_landed_flyer_can_be_assaulted() -> None:
    for marks, rule in (([], "move.fly"), (["landed"], "")):
        state = battle(unit("blue", (6, 16)), vehicle("red", AHEAD, mobility="fly", conditions=marks))
        assert play(state).activates("blue-1").targets("assault") == {"red-1": rule}


# --- squads ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.vehicle-squads")
def test_the_vehicles_of_a_squad_activate_one_after_the_other_within_ten_inches() -> None:
    wolves = {SQUAD: "Wolves", "mobility": "wheel"}
    state = battle(vehicle("blue", (10, 10), **wolves), vehicle("blue", (20, 10), **wolves), FOE)  # type: ignore[arg-type]
    played = play(state).activates("blue-1").answers("drive-out", driven((10, 32)))
    assert (played.asked, played.state.turn.unit) == ("blue", "blue-2")
    far = played.refused("drive-out", driven((34, 6)))
    assert (far.code, far.rule) == ("path_end", "move.vehicle-squads")
    played.answers("drive-out", driven((20, 32)))
    assert played.asked == "red", "both have activated"


@pytest.mark.rule("fad4/move.vehicle-squads")
def test_a_vehicle_that_cannot_come_within_ten_inches_of_its_squad_comes_nearer() -> None:
    wolves = {SQUAD: "Wolves"}
    state = battle(vehicle("blue", (4, 36), **wolves), vehicle("blue", (40, 10), **wolves), FOE)  # type: ignore[arg-type]
    played = play(state).activates("blue-1").answers("hold")
    assert played.refused("drive-fire", driven((43, 6))).rule == "move.vehicle-squads"
    played.answers("drive-fire", driven((34, 14)))
    assert played.unit("blue-2").figures["1"].at == (34_000, 14_000)


@pytest.mark.rule("fad4/move.vehicle-squads")
def test_a_vehicle_that_can_come_within_ten_inches_of_its_squad_does_so() -> None:
    wolves = {SQUAD: "Wolves"}
    state = battle(vehicle("blue", (4, 10), **wolves), vehicle("blue", (22, 10), **wolves), FOE)  # type: ignore[arg-type]
    played = play(state).activates("blue-1").answers("hold")
    # Sixteen inches apart.
    nearer = played.refused("drive-fire", driven((21, 10)))
    assert nearer.sentence == 'Blue 2 must end within 10" of a vehicle of its squad that has activated.'
    assert played.refused("drive-out", driven((18, 10))).rule == "move.vehicle-squads"
    played.answers("drive-out", driven((14, 10)))
    assert played.asked == "red"


@pytest.mark.rule("fad4/move.vehicle-squads")
def test_a_vehicle_that_is_shut_off_from_its_squad_need_only_come_nearer() -> None:
    wolves = {SQUAD: "Wolves"}
    house = piece("building", (16, 0), (17, 44))
    own = (vehicle("blue", (4, 10), **wolves), vehicle("blue", (20, 10), **wolves))  # type: ignore[arg-type]
    played = play(battle(*own, FOE, terrain=[house])).activates("blue-1").answers("hold")
    assert played.refused("drive-fire", driven((21, 10))).rule == "move.vehicle-squads"
    played.answers("drive-out", driven((19.6, 10)))
    assert played.asked == "red"


# --- fire -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.vehicle-weapons")
@pytest.mark.rule("fad4/shoot.vehicle-speed")
def test_each_weapon_fires_once_at_its_own_target_with_one_die() -> None:
    state = battle(
        vehicle("blue", AHEAD, weapons=("light-auto-cannon", "machine-gun")),
        unit("red", (4, 30), figures=3),
        unit("red", (20, 30), figures=3, small_arm="low-tech-rifle"),
    )
    played = play(state).activates("blue-1")
    parameter = played.choice("fire-all").parameters[0]
    assert isinstance(parameter, AssignmentParameter)
    assert {row.key: [option.key for option in row.options] for row in parameter.rows} == {
        "m1": ["red-1", "red-2"],
        "m2": ["red-1", "red-2"],
    }
    played.answers("fire-all", Assigned({"m2": "red-1", "m1": "red-2"}), dice=[1, 1, 1, 3, 1, 1, 1])
    shots = [(roll.target, roll.faces) for roll in played.seen(Rolled) if roll.purpose == "fire_effect"]
    assert shots == [("red-2", (1,)), ("red-1", (3,))], "in the order of the mounts"


@pytest.mark.rule("fad4/shoot.vehicle-weapons")
def test_a_weapon_that_is_given_no_target_stays_silent() -> None:
    state = battle(vehicle("blue", AHEAD, weapons=("light-auto-cannon", "machine-gun")), unit("red", (4, 30)))
    played = play(state).activates("blue-1").answers("fire-all", Assigned({"m2": "red-1"}), dice=[1, 1, 1])
    assert len([roll for roll in played.seen(Rolled) if roll.purpose == "fire_effect"]) == 1


@pytest.mark.rule("fad4/shoot.vehicle-weapons")
def test_a_weapon_fires_only_at_what_it_bears_on() -> None:
    behind = {"m1": {"weapon": "machine-gun", "middle": 180, "spread": 45}}
    state = battle(vehicle("blue", AHEAD, weapons=behind), unit("red", (6, 30)))
    why = play(state).activates("blue-1").barred("fire-all")
    assert why is not None
    assert why.sentence == "The general purpose machine gun of Blue 1 does not bear on Red 1."


@pytest.mark.rule("fad4/shoot.vehicle-weapons")
def test_a_vehicle_obeys_fire_priority() -> None:
    state = battle(
        vehicle("blue", AHEAD, quality="rabble"), unit("red", (4, 24), figures=2), unit("red", (20, 30), figures=2)
    )
    parameter = play(state).activates("blue-1").choice("fire-all").parameters[0]
    assert isinstance(parameter, AssignmentParameter)
    assert [option.key for option in parameter.rows[0].options] == ["red-1"]


@pytest.mark.rule("fad4/action.open-fire")
def test_a_vehicle_that_stays_fires_with_the_bonus_of_open_fire() -> None:
    played = play(battle(vehicle("blue", AHEAD), unit("red", (4, 30)))).activates("blue-1")
    played.answers("fire-all", Assigned({"m1": "red-1"}), dice=[1, 1, 1])
    assert ("action.open-fire", 2) in lines(played.fire_effect)


@pytest.mark.rule("fad4/blast.declare-role")
def test_a_blast_weapon_is_aimed_at_vehicles_only() -> None:
    state = battle(vehicle("blue", AHEAD, weapons=("medium-cannon",)), unit("red", (4, 30)), vehicle("red", (20, 30)))
    played = play(state).activates("blue-1")
    parameter = played.choice("fire-all").parameters[0]
    assert isinstance(parameter, AssignmentParameter)
    aimed = [option.key for option in parameter.rows[0].options]
    assert "red-2" in aimed
    assert "red-1" not in aimed


@pytest.mark.rule("fad4/blast.fire-effect-role")
@pytest.mark.parametrize(
    ("weapon", "bonus", "dice"), [("missile-launcher", [], [1, 1]), ("light-auto-cannon", [2], [1, 1, 1])]
)
def test_a_blast_weapon_aimed_at_a_vehicle_has_no_fire_effect_of_its_own(
    weapon: str, bonus: list[int], dice: list[int]
) -> None:
    state = battle(vehicle("blue", AHEAD, weapons=(weapon,)), vehicle("red", (10, 30)))
    played = play(state).activates("blue-1").answers("fire-all", Assigned({"m1": "red-1"}), dice=dice)
    assert [amount for rule, amount in lines(played.fire_effect) if rule == "tech.weapon-tables"] == bonus


@pytest.mark.rule("fad4/shoot.vehicle-weapons")
@pytest.mark.rule("fad4/shoot.range-bands")
def test_findings_on_a_vehicle_speak_of_each_of_its_weapons() -> None:
    guns: dict[str, dict[str, object]] = {
        "bow": {"weapon": "machine-gun", "middle": 180, "spread": 45},
        "turret": {"weapon": "light-auto-cannon"},
    }
    state = battle(vehicle("blue", (10, 10), weapons=guns), unit("red", (10, 46), figures=1))
    rules = fad4()
    reach = rules.finding(state, "range", "blue-1", "red-1")
    assert [part.sentence for part in reach.parts] == [
        "It is in medium range of the general purpose machine gun.",
        "It is in close range of the light auto cannon.",
    ]
    fire = rules.finding(state, "fire", "blue-1", "red-1")
    assert (fire.sentence, fire.holds) == ("Blue 1 may fire at Red 1.", True)
    assert [part.holds for part in fire.parts] == [False, True]
    assert rules.finding(state, "cover", "blue-1", "red-1").holds is False
    crippled = battle(vehicle("blue", (10, 10), conditions=["vehicle_damaged"], damage_tokens=1), unit("red", (10, 30)))
    assert rules.finding(crippled, "fire", "blue-1", "red-1").rule == "vehicle.damaged-limits"
