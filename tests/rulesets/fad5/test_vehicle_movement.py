"""Vehicles of FAD 5 on their way: rates, ground, flyers, warps, strafing runs, formations (fad5/move.*)."""

from __future__ import annotations

import re

import pytest

from client_protocol.choices import Assigned, AssignmentParameter
from server.kernel.errors import RulesetError
from server.kernel.facts import ActivationBegan, ConditionGained, ConditionLost, Declared, UnitMoved
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.vehicles.squads import SQUAD
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, piece, play, unit
from tests.support.tabletop import Row, outlined

FOE = unit("red", (6, 44))
AHEAD = (10, 10)
"""Where the vehicles of these tests stand, facing north."""


def drives(mobility: str, *ground: Row, foe: Row = FOE, **own: object) -> BattleTable:
    """Return a table on which a vehicle of this mobility at (10, 10) is to act."""
    return play(battle(vehicle("blue", AHEAD, mobility=mobility, **own), foe, terrain=ground)).activates("blue-1")


def at(table: BattleTable, key: str = "blue-1") -> tuple[int, int] | None:
    """Return where a vehicle stands."""
    return table.unit(key).figures["1"].at


# --- rates, turning and ground --------------------------------------------------------------------------------------

ROCKS = piece("rocks", (6, 14), (14, 16), id="rocks")
THICKET = piece("dense_woods", (6, 14), (14, 16), id="thicket")
BOG = piece("swamp", (6, 14), (14, 16), id="bog")
LAKE = piece("deep_water", (6, 14), (14, 16), id="lake")
WALL = piece("wall", (6, 14), (14, 14), id="wall")
CLIFF = piece("cliff", (6, 14), (14, 16), id="cliff")
HOUSE = piece("building", (6, 14), (14, 20), id="house")


@pytest.mark.rule("fad5/move.vehicle-rates")
@pytest.mark.parametrize(
    ("mobility", "cautious", "standard"),
    [("fly", 14, 20), ("hover", 10, 16), ("track", 12, 18), ("walk", 6, 12), ("wheel", 18, 24)],
)
def test_each_mobility_has_a_cautious_and_a_standard_rate(mobility: str, cautious: int, standard: int) -> None:
    table = drives(mobility)
    assert table.path("drive-fire").allowance == inches(cautious)
    assert table.path("drive-out").allowance == inches(standard)
    assert table.refused("drive-fire", driven((10, 10.1 + cautious))).rule == "move.vehicle-rates"


@pytest.mark.rule("fad5/move.vehicle-turning")
def test_turning_costs_nothing_and_a_vehicle_drives_in_reverse() -> None:
    table = drives("track")
    table.answers("drive-out", driven((10, 4), (16, 4), (16, 10), facing=45))
    moved = table.seen(UnitMoved)[-1]
    assert moved.paths["1"][-1] == (16_000, 10_000), "18 inches in all, with turns"
    assert moved.facings == {"1": 4500}
    turned = drives("track").answers("drive-fire", driven(facing=200))
    assert turned.unit("blue-1").figures["1"].facing == 20_000


@pytest.mark.parametrize(
    ("mobility", "ground"),
    [
        pytest.param("hover", ROCKS, marks=pytest.mark.rule("fad5/move.hover")),
        pytest.param("hover", LAKE, marks=pytest.mark.rule("fad5/move.hover")),
        pytest.param("track", ROCKS, marks=pytest.mark.rule("fad5/move.track")),
        pytest.param("walk", THICKET, marks=pytest.mark.rule("fad5/move.walk")),
        pytest.param("walk", BOG, marks=pytest.mark.rule("fad5/move.walk")),
    ],
)
@pytest.mark.rule("fad5/move.difficult-vehicles")
def test_difficult_ground_on_the_way_keeps_all_of_it_within_the_cautious_rate(mobility: str, ground: Row) -> None:
    rate = fad5().book.mobilities[mobility].cautious
    table = drives(mobility, ground)
    # A hull of 4 inches enters the ground at once, and pays nothing for it.
    refusal = table.refused("drive-out", driven((10, 10.1 + rate)))
    assert (refusal.code, refusal.rule) == ("path_limit", f"move.{mobility}")
    table.answers("drive-out", driven((10, 10 + rate)))
    assert at(table) == (10_000, 1000 * (10 + rate))


@pytest.mark.parametrize(
    ("mobility", "ground", "rule"),
    [
        pytest.param("hover", CLIFF, "move.open-ground", marks=pytest.mark.rule("fad5/move.hover")),
        pytest.param("track", BOG, "move.track", marks=pytest.mark.rule("fad5/move.track")),
        pytest.param("track", THICKET, "move.track", marks=pytest.mark.rule("fad5/move.track")),
        pytest.param("track", LAKE, "move.track", marks=pytest.mark.rule("fad5/move.hover")),
        pytest.param("walk", LAKE, "move.walk", marks=pytest.mark.rule("fad5/move.walk")),
        pytest.param("wheel", ROCKS, "move.wheel", marks=pytest.mark.rule("fad5/move.wheel")),
        pytest.param("wheel", LAKE, "move.wheel", marks=pytest.mark.rule("fad5/move.wheel")),
    ],
)
@pytest.mark.rule("fad5/move.difficult-vehicles")
def test_ground_that_a_mobility_does_not_enter_is_refused_by_its_rule(mobility: str, ground: Row, rule: str) -> None:
    refusal = drives(mobility, ground).refused("drive-fire", driven((10, 15)))
    assert (refusal.code, refusal.rule) == ("path_impassable", rule)


@pytest.mark.rule("fad5/move.wheel")
def test_wheels_pay_double_off_the_road() -> None:
    road = piece("road", (8, 0), (12, 18), id="road")
    table = drives("wheel", road)
    # 8 inches of road and 5 inches of field are 18 inches of movement.
    refusal = table.refused("drive-fire", driven((10, 23.1)))
    assert (refusal.code, refusal.rule) == ("path_too_long", "move.wheel")
    assert refusal.sentence.endswith("Off the road each inch costs it 2.")
    table.answers("drive-fire", driven((10, 23)))
    assert at(table) == (10_000, 23_000)
    yard = outlined("paved", ((0, 0), (20, 40)), "yard", linear=False)
    assert drives("wheel", yard).answers("drive-fire", driven((10, 28))).unit("blue-1").activated == 1


# --- flyers ---------------------------------------------------------------------------------------------------------

GUN = ("light-auto-cannon",)
FRIENDS = unit("blue", (7, 17), figures=3)


def flies(*others: Row, ground: tuple[Row, ...] = (), **own: object) -> BattleTable:
    """Return a table on which a flyer at (10, 10) is to act."""
    own = {"weapons": (), **own}
    state = battle(vehicle("blue", AHEAD, mobility="fly", **own), *(others or (FOE,)), terrain=ground)
    return play(state).activates("blue-1")


@pytest.mark.rule("fad5/move.flyer-over")
def test_a_flyer_passes_over_everything_and_may_end_over_any_ground_but_on_no_unit() -> None:
    table = flies(unit("red", (7, 18)), ground=(CLIFF,))
    on_men = table.refused("drive-fire", driven((10, 18)))
    assert (on_men.code, on_men.rule) == ("path_base", "move.vehicle-rates")
    table.answers("drive-fire", driven((10, 22)))
    assert at(table) == (10_000, 22_000)
    assert flies(ground=(LAKE,)).answers("drive-fire", driven((10, 15))).offered == ["airborne"], "it cannot land there"


@pytest.mark.rule("fad5/move.flyer-airborne")
def test_a_flyer_lands_at_the_end_of_its_move_on_open_ground_or_a_marked_roof() -> None:
    over_rocks = flies(ground=(ROCKS,)).answers("drive-fire", driven((10, 15)))
    refused = over_rocks.choice("land").why
    assert refused is not None
    assert (refused.sentence, refused.rule) == ("Blue 1 cannot land on Rocks.", "move.flyer-airborne")
    roof = piece("building", (6, 14), (14, 20), id="roof", flags=["landable"])
    table = flies(ground=(roof,)).answers("drive-fire", driven((10, 17))).answers("land")
    assert table.seen(ConditionGained)[-1] == ConditionGained("blue-1", "landed", "move.flyer-airborne")
    assert "land" not in flies(ground=(HOUSE,)).answers("drive-fire", driven((10, 17))).offered


@pytest.mark.rule("fad5/move.flyer-airborne")
def test_a_landed_flyer_takes_off_as_it_activates_or_when_it_drives() -> None:
    table = flies(conditions=["landed"])
    assert table.prompt.default.choice == "stay-landed"
    table.answers("take-off")
    assert table.seen(ConditionLost)[-1] == ConditionLost("blue-1", "landed", "move.flyer-airborne")
    stays = flies(conditions=["landed"]).answers("stay-landed").answers("hold")
    assert stays.unit("blue-1").conditions == ("landed",), "it is not asked again"
    assert stays.asked == "red"
    drove = flies(conditions=["landed"]).answers("stay-landed").answers("drive-out", driven((10, 20)))
    assert drove.offered == ["airborne", "land"]


@pytest.mark.rule("fad5/move.flyer-airborne")
def test_a_flyer_in_the_air_is_not_boarded() -> None:
    def boards(*marks: str) -> bool:
        flyer = vehicle("blue", AHEAD, mobility="fly", seats=4, conditions=list(marks))
        table = play(battle(flyer, unit("blue", [(8.2, 6.8), (9.6, 6.8)]), FOE)).activates("blue-2")
        return "embark:move:blue-1" in table.offered

    assert not boards()
    assert boards("landed")
    assert boards("touched_down")


@pytest.mark.rule("fad5/move.flyer-airborne")
def test_a_flyer_that_is_put_out_of_action_is_landed_where_it_is() -> None:
    flyer = vehicle("red", (20, 20), mobility="fly", facing=270, armour=(8, 6, 5))
    state = battle(vehicle("blue", (20, 10), weapons=("light-beam",)), flyer, unit("red", (30, 44)))
    table = play(state).activates("blue-1").answers("drive-fire", driven())
    table.answers("fire", Assigned({"m1": "red-1"}), dice=[4, 5, 1, 6])
    assert {"out_of_action", "landed"} <= set(table.unit("red-1").conditions)


@pytest.mark.rule("fad5/move.flyer-scoot")
def test_a_flyer_may_scoot_anywhere_where_there_is_room_without_firing() -> None:
    table = flies(unit("red", (30, 30)), ground=(CLIFF,))
    away = table.path("scoot")
    assert (away.jump, away.may_stay) == (True, False)
    on_men = table.refused("scoot", driven((31, 30)))
    assert (on_men.code, on_men.rule) == ("path_base", "move.flyer-scoot")
    assert table.refused("scoot", driven((30, 36), (20, 40))).code == "path_bent"
    table.answers("scoot", driven((40, 40), facing=180)).answers("land")
    moved = table.seen(UnitMoved)[-1]
    assert moved == UnitMoved("blue-1", "scoot", {"1": ((40_000, 40_000),)}, "move.flyer-scoot", {"1": 18_000})
    assert table.asked == "red", "it does not fire"
    assert "scoot" not in drives("hover").offered


WOODS = piece("woods", (14, 24), (34, 36), id="woods")
RIDGE = piece("cliff", (14, 18), (34, 22), id="ridge")


@pytest.mark.rule("fad5/move.flyer-sight")
@pytest.mark.parametrize(
    ("marks", "y", "seen"), [((), 40, True), ((), 27, True), ((), 30, False), (("landed",), 40, False)]
)
def test_a_flyer_sees_over_terrain_but_not_deep_into_woods(marks: tuple[str, ...], y: float, *, seen: bool) -> None:
    flyer = vehicle("blue", (24, 12), mobility="fly", conditions=list(marks))
    state = battle(flyer, unit("red", [(24, y)]), terrain=[RIDGE, WOODS])
    blue, red = state.units["blue-1"], state.units["red-1"]
    edition, rules = fad5(), fad5().rules
    assert rules.sees(state, blue, red) is rules.sees(state, red, blue) is seen
    assert edition.finding(state, "sight", "blue-1", "red-1").holds is seen


@pytest.mark.rule("fad5/move.flyer-sight")
@pytest.mark.parametrize(
    ("terrain", "above", "level"),
    [
        (piece("hedge", (0, 22), (40, 22)), "none", "partial"),
        (piece("wall", (0, 22), (40, 22)), "none", "partial"),
        (piece("woods", (0, 21.5), (40, 24)), "partial", "partial"),
    ],
)
def test_only_what_figures_stand_in_covers_them_from_a_flyer(terrain: Row, above: str, level: str) -> None:
    for marks, cover in (([], above), (["landed"], level)):
        flyer = vehicle("blue", (10, 10), mobility="fly", weapons=("machine-gun",), conditions=marks)
        state = battle(flyer, unit("red", (6, 22.9)), unit("red", (30, 46)), terrain=[terrain])
        shot = aim(fad5().rules, state, "blue-1", "red-1", "m1")
        assert isinstance(shot, Shot)
        assert shot.cover == cover


# --- strafing -------------------------------------------------------------------------------------------------------


def aimed(table: BattleTable) -> list[str]:
    """Return at whom the weapons may be aimed."""
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    return [option.unit for row in parameter.rows for option in row.options]


@pytest.mark.rule("fad5/move.strafing-run")
def test_a_strafing_run_is_one_straight_line_at_standard_speed() -> None:
    table = flies(unit("red", (9, 20)), weapons=GUN)
    line = table.path("strafe")
    assert (line.allowance, line.straight, line.may_stay) == (inches(20), True, False)
    bent = table.refused("strafe", driven((10, 14), (14, 18)))
    assert (bent.code, bent.rule) == ("path_bent", "move.strafing-run")
    assert table.refused("strafe", driven((10, 18), facing=45)).code == "path_bent"
    assert table.refused("strafe", driven(facing=90)).code == "path_bent"
    assert table.refused("strafe", driven((10, 30.1))).code == "path_too_long"


@pytest.mark.rule("fad5/move.strafing-run")
def test_a_strafing_flyer_fires_before_its_run_or_after_it_but_not_both() -> None:
    table = flies(unit("red", (9, 30)), weapons=GUN, facing=0).answers("strafe", driven((10, 24)))
    assert table.offered == ["fire", "fire-later"]
    assert table.unit("blue-1").figures["1"].facing == 9000, "it faces along its course"
    table.answers("fire", Assigned({"m1": "red-1"}), dice=[1, 1, 6])
    assert at(table) == (10_000, 24_000)
    assert table.offered == ["airborne", "land"]
    later = flies(unit("red", (9, 30)), weapons=GUN).answers("strafe", driven((10, 24))).answers("fire-later")
    assert later.offered == ["fire", "hold-fire"]
    later.answers("fire", Assigned({"m1": "red-1"}), dice=[1, 1, 1, 6, 6]).answers("airborne")
    assert [fact.action for fact in later.seen(Declared)][:1] == ["strafe"]


@pytest.mark.rule("fad5/move.strafing-run")
def test_only_who_is_straight_ahead_is_fired_at() -> None:
    # From (10, 10) north: 15 degrees to the side at 20 inches is 5.36 inches.
    ahead, aside = unit("red", [(15.3, 30)], id="red-1"), unit("red", [(4.6, 30)], id="red-2")
    table = flies(ahead, aside, unit("red", (30, 44), id="red-3"), weapons=GUN).answers("strafe", driven((10, 12)))
    assert aimed(table) == ["red-1"]
    table.answers("fire-later")
    # Two inches farther on neither is ahead any more.
    assert table.offered == ["airborne", "land"]


@pytest.mark.rule("fad5/move.strafing-run")
def test_a_flyer_without_weapons_makes_no_strafing_run() -> None:
    why = flies().choice("strafe").why
    assert why is not None
    assert why.sentence == "Blue 1 has no weapon."


# --- warps ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/move.warp")
def test_a_warp_redeploys_within_ten_inches_past_everything_and_fires() -> None:
    table = drives("warp", CLIFF, foe=unit("red", (6, 30)))
    assert table.path("drive-fire").jump
    into = table.refused("drive-fire", driven((10, 15)))
    assert (into.code, into.rule) == ("path_impassable", "move.open-ground")
    assert table.refused("drive-fire", driven((10, 20.1))).rule == "move.warp"
    table.answers("drive-fire", driven((10, 20), facing=0))
    moved = table.seen(UnitMoved)[-1]
    assert moved == UnitMoved("blue-1", "warp", {"1": ((10_000, 20_000),)}, "move.warp", {"1": 0})
    assert "fire" in table.offered


@pytest.mark.rule("fad5/move.warp")
def test_a_warp_ends_in_difficult_ground_but_not_on_others() -> None:
    table = drives("warp", THICKET)
    table.answers("drive-fire", driven((10, 15)))
    assert at(table) == (10_000, 15_000)
    crowded = play(battle(vehicle("blue", AHEAD, mobility="warp"), FRIENDS, FOE)).activates("blue-1")
    assert crowded.refused("drive-fire", driven((10, 17))).code == "path_base"


@pytest.mark.rule("fad5/move.warp-standard")
def test_a_warp_moves_out_to_anywhere_without_firing() -> None:
    table = drives("warp", foe=unit("red", (6, 30)), fire_control="ultratech")
    table.answers("drive-out", driven((44, 44)))
    assert at(table) == (44_000, 44_000)
    assert table.seen(UnitMoved)[-1].rule == "move.warp-standard"
    assert table.asked == "red", "no fire control lets it fire"


# --- several vehicles -----------------------------------------------------------------------------------------------


def wolves(*places: tuple[float, float], option: str = "on", foe: Row = FOE, weapons: tuple[str, ...] = ()) -> State:
    """Return a formation of vehicles of blue at these places."""
    own = (vehicle("blue", place, weapons=weapons, **{SQUAD: "Wolves"}) for place in places)
    return battle(*own, foe, unit("red", (30, 44)), options={"vehicle_formations": option})


@pytest.mark.rule("fad5/move.vehicles-individual")
def test_vehicles_of_a_squad_activate_one_by_one_and_need_not_keep_together() -> None:
    table = play(wolves((6, 6), (40, 6), option="off")).activates("blue-1")
    assert table.path("drive-out").ends == ()
    table.answers("drive-out", driven((6, 20)))
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1"]
    assert table.asked == "red"
    table.activates("red-1").holds().activates("blue-2")
    assert table.choice("drive-out").why is None


@pytest.mark.rule("fad5/move.vehicle-formations")
def test_of_a_scattered_formation_one_vehicle_moves_each_turn_and_each_may_fire() -> None:
    armed = wolves((6, 6), (40, 6), foe=unit("red", (34, 20)), weapons=("light-auto-cannon",))
    table = play(armed).activates("blue-1").answers("drive-fire", driven((6, 8))).answers("hold-fire")
    table.activates("red-1").holds().activates("blue-2")
    why = table.choice("drive-out").why
    assert why is not None
    assert why.rule == "move.vehicle-formations"
    assert why.sentence == 'Wolves does not keep within 12": one of its vehicles moves each turn, and Blue 1 has.'
    assert table.refused("drive-fire", driven((40, 7))).rule == "move.vehicle-formations"
    table.answers("drive-fire", driven(facing=120))
    assert "fire" in table.offered


@pytest.mark.rule("fad5/move.vehicle-formations")
def test_a_shock_vehicle_of_a_scattered_formation_drives_into_no_one_when_another_has_moved() -> None:
    own = [vehicle("blue", at, traits={"shock": 3}, **{SQUAD: "Wolves"}) for at in ((6, 6), (40, 6))]
    state = battle(*own, unit("red", (39, 12), figures=2), FOE, options={"vehicle_formations": "on"})
    table = play(state).activates("blue-1").answers("drive-out", driven((6, 8)))
    table.activates("red-1").holds().activates("blue-2")
    assert set(table.targets("vehicle-assault").values()) == {"move.vehicle-formations"}


@pytest.mark.rule("fad5/move.vehicle-formations")
@pytest.mark.parametrize(("places", "moves"), [(((6, 6), (22, 6)), True), (((6, 6), (22.1, 6)), False)])
def test_a_formation_keeps_together_in_a_chain_of_gaps_up_to_twelve_inches(
    places: tuple[tuple[float, float], ...], *, moves: bool
) -> None:
    # Hulls face north and are 2 inches wide: at 16 inches the gap is 14, less than the chain over the third vehicle.
    state = wolves(*places, (14, 20))
    far = wolves(places[0], (places[1][0] - 2, places[1][1]))
    for position, expected in ((state, True), (far, moves)):
        table = play(position).activates("blue-1").answers("drive-fire", driven((6, 6.1)))
        table.activates("red-1").holds().activates("blue-2")
        assert (table.choice("drive-out").why is None) is expected


@pytest.mark.rule("fad5/move.vehicle-formations")
def test_a_vehicle_that_only_turned_has_not_moved() -> None:
    table = play(wolves((6, 6), (40, 6))).activates("blue-1").answers("drive-fire", driven(facing=0))
    table.activates("red-1").holds().activates("blue-2")
    assert table.choice("drive-out").why is None


# --- setups ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            vehicle("blue", AHEAD, mobility="track", conditions=["touched_down"]),
            "Blue 1 is not in the air, and is never marked Touched down",
        ),
        (
            vehicle("blue", AHEAD, mobility="fly", conditions=["landed", "touched_down"]),
            "Blue 1 is not in the air, and is never marked Touched down",
        ),
        (unit("blue", AHEAD, conditions=["touched_down"]), "Blue 1 is marked Touched down, which only vehicles are"),
        (vehicle("blue", AHEAD, moved_in=-1), "Blue 1: moved_in"),
        (vehicle("blue", AHEAD, mobility="hop"), "Blue 1: mobility 'hop' is not one of fly, hover, track, walk, wheel"),
    ],
)
def test_setups_that_mark_vehicles_wrongly_are_refused(row: Row, sentence: str) -> None:
    with pytest.raises(RulesetError, match=re.escape(sentence)):
        fad5().admit(battle(row, FOE))
