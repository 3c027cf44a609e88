"""Terrain events: what comes of woods, buildings and swamps that are first reached (fad5/terrain-event.*)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import PathParameter
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ActivationEnded,
    ConditionGained,
    ConditionLost,
    FiguresFell,
    Rolled,
    TerrainChanged,
    UnitMoved,
)
from server.kernel.space.terrain import Terrain
from server.kernel.state import State
from server.rulesets.fad.cover import cover_of, in_cover
from server.rulesets.fad.setup import positions
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, piece, play, shifted, unit
from tests.support.tabletop import Row

ON = {"terrain_events": "on"}
NONE, FIRST = 2, 1
"""Faces of the die that says whether there is an event."""
WOODS = piece("woods", (2, 10), (30, 20), id="wood")
THICKET = piece("dense_woods", (2, 10), (30, 20), id="wood")
SWAMP = piece("swamp", (2, 10), (30, 20), id="bog")
HOUSE = piece("house", (2, 10), (30, 20), id="house", openings=[{"kind": "door", "at": (6, 10), "width": 2}])
FOE = unit("red", (6, 40))


def there(*units: Row, terrain: Sequence[Row] = (WOODS,), **options: str) -> State:
    """Return a squad of blue's three inches south of a piece of terrain, and red far off."""
    own = units or (unit("blue", (6, 6.5), figures=3),)
    return battle(*own, FOE, terrain=terrain, options={**ON, **options})


def with_event(state: State, event: str) -> State:
    """Return a position in which the first piece of terrain has been reached, and has this event."""
    row = fad5().book.terrain_events[event]
    first, *others = state.table.terrain
    flags = (*first.flags, *row.adds, f"event:{event}")
    changed = replace(first, flags=flags)
    table = replace(state.table, terrain=(changed, *others))
    return replace(state, table=table, book={**state.book, "terrain_events.reached": (first.id,)})


def named(table: BattleTable, key: str) -> Terrain:
    return next(one for one in table.state.table.terrain if one.id == key)


def rolls(table: BattleTable) -> list[tuple[str, tuple[int, ...], str]]:
    return [(fact.purpose, fact.faces, fact.rule) for fact in table.seen(Rolled)]


def reaching(state: State, dice: Sequence[int], far: float = 6) -> BattleTable:
    """Let blue-1 move so far north, with these dice."""
    return play(state).activates("blue-1").answers("move-fire", shifted(state, "blue-1", 0, far), dice=dice)


# --- when there is one ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/move.terrain-events")
@pytest.mark.rule("fad5/terrain-event.trigger")
def test_a_unit_that_first_touches_a_piece_rolls_for_an_event_once_for_all() -> None:
    table = reaching(there(), [NONE])
    assert rolls(table) == [("terrain_event", (NONE,), "terrain-event.trigger")]
    assert [fact.manner for fact in table.seen(UnitMoved)] == ["move", "move"], "it goes on at once"
    assert table.unit("blue-1").figures["1"].at == (6_000, 12_500)
    story = fad5().story(table.state, table.rolled("terrain_event"))
    assert story is not None
    assert story.text == "Blue 1 reaches Light woods first: there is nothing unusual there."
    again = reaching(replace(there(), book={"terrain_events.reached": ("wood",)}), [])
    assert rolls(again) == []


@pytest.mark.rule("fad5/move.terrain-events")
def test_there_are_no_events_unless_the_match_plays_with_them_nor_where_there_is_no_table() -> None:
    assert rolls(reaching(there(terrain_events="off"), [])) == []
    assert rolls(reaching(there(terrain=[piece("hill", (2, 10), (30, 20))]), [])) == []
    assert rolls(reaching(there(), [], far=2.9)) == [], "a base's edge just short of it reaches nothing"


@pytest.mark.rule("fad5/terrain-event.trigger")
@pytest.mark.rule("fad5/terrain-event.woods.undergrowth")
def test_an_event_stops_a_unit_where_it_touches_the_piece_and_it_may_go_on_under_the_new_conditions() -> None:
    table = reaching(there(), [FIRST, 1])
    assert rolls(table)[1] == ("terrain_event_table", (1,), "terrain-event.woods.undergrowth")
    at = table.unit("blue-1").figures["1"].at
    assert at is not None
    assert 9_500 <= at[1] <= 9_510
    assert table.offered == ["go-on", "stop"]
    assert "difficult" in named(table, "wood").flags
    choice = table.prompt.choice("go-on")
    assert choice is not None
    (way,) = choice.parameters
    assert isinstance(way, PathParameter)
    assert 2_990 <= way.allowance <= 3_000, "what is left of 6 inches"
    assert table.refused("go-on", shifted(table.state, "blue-1", 0, 2.9)).rule == "move.difficult-infantry"
    table.answers("go-on", shifted(table.state, "blue-1", 0, 1.6))
    assert "hold-fire" in table.offered or table.asked == "red"
    assert named(table, "wood").cover == "partial"


@pytest.mark.rule("fad5/terrain-event.trigger")
def test_what_stands_in_a_piece_reaches_it_when_it_activates_and_flyers_reach_nothing() -> None:
    inside = play(there(unit("blue", (6, 12), figures=3))).activates("blue-1", dice=[FIRST, 5])
    assert rolls(inside)[1][2] == "terrain-event.woods.clearing"
    flyer = vehicle("blue", (10, 14), mobility="fly")
    assert rolls(play(there(flyer)).activates("blue-1")) == []


@pytest.mark.rule("fad5/terrain-event.trigger")
def test_a_vehicle_and_a_charge_are_stopped_too_and_may_go_on() -> None:
    drive = play(there(vehicle("blue", (10, 5), facing=90))).activates("blue-1")
    drive.answers("drive-fire", driven((10, 14)), dice=[FIRST, 4])
    assert drive.offered == ["go-on", "stop"]
    assert drive.path("go-on").allowance < 12_000
    drive.answers("go-on", driven((10, 12)))
    near = battle(unit("blue", (6, 6.5), figures=3), unit("red", (6, 13)), FOE, terrain=[WOODS], options=ON)
    charge = play(near).activates("blue-1").answers("assault", "red-1").answers("hold-fire")
    charge.answers("charge", shifted(near, "blue-1", 0, 5.5), dice=[FIRST, 4])
    assert (charge.offered, charge.prompt.default.choice) == (["go-on", "stop"], "go-on")
    stopped = charge.answers("stop")
    assert [fact for fact in stopped.seen(ActivationEnded) if fact.unit == "blue-1"]


def test_notes_and_flags_of_events_that_there_are_not_are_refused() -> None:
    with pytest.raises(RulesetError, match=r"terrain_events\.reached is a list of pieces"):
        positions.admit(replace(there(), book={"terrain_events.reached": (1,)}), fad5().rules)
    with pytest.raises(RulesetError, match=r"terrain_events\.freed is a list of a vehicle and pieces"):
        positions.admit(replace(there(), book={"terrain_events.freed": 1}), fad5().rules)
    with pytest.raises(RulesetError, match=r"terrain_events\.footing list units, figures and pieces"):
        positions.admit(replace(there(), book={"terrain_events.footing": (("blue-1", "1"),)}), fad5().rules)
    odd = replace(there().table, terrain=(replace(there().table.terrain[0], flags=("event:rain",)),))
    with pytest.raises(RulesetError, match="the flag event:rain, and there is no such event"):
        positions.admit(replace(there(), table=odd), fad5().rules)


# --- woods ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/terrain-event.woods.undergrowth")
def test_a_weapons_team_neither_enters_undergrowth_nor_moves_in_it() -> None:
    team = unit("blue", (6, 6.5), figures=3, support=["heavy-machine-gun"], weapon_team=True, apart=1.5)
    state = with_event(there(team), "undergrowth")
    table = play(state).activates("blue-1")
    assert table.refused("move-out", shifted(state, "blue-1", 0, 5)).rule == "terrain-event.woods.undergrowth"
    inside = with_event(there(team | unit("blue", (6, 12), figures=3, apart=1.5) | _team()), "undergrowth")
    why = play(inside).activates("blue-1").barred("move-out")
    assert why is not None
    assert why.rule == "terrain-event.woods.undergrowth"


def _team() -> Row:
    return {"figures": unit("blue", (6, 12), figures=3, support=["heavy-machine-gun"], apart=1.5)["figures"]} | {
        "weapon_team": True
    }


@pytest.mark.rule("fad5/terrain-event.woods.booby-trapped")
@pytest.mark.rule("fad5/terrain-event.wounds")
def test_each_figure_that_enters_trapped_woods_falls_on_a_six_but_for_powered_armour() -> None:
    table = reaching(with_event(there(), "booby-trapped"), [6, 5, 6])
    assert rolls(table) == [("booby_trap", (6, 5, 6), "terrain-event.woods.booby-trapped")]
    assert table.seen(FiguresFell)[0].figures == ("1", "3")
    assert table.seen(ConditionGained) == [], "no marker"
    powered = there(unit("blue", (6, 6.5), figures=3, armour="light-powered"))
    assert rolls(reaching(with_event(powered, "booby-trapped"), [])) == []
    inside = with_event(there(unit("blue", (6, 12), figures=3)), "booby-trapped")
    assert rolls(reaching(inside, [], far=2)) == [], "who is inside comes from nowhere"


@pytest.mark.rule("fad5/terrain-event.woods.booby-trapped")
def test_those_who_spring_the_event_are_trapped_when_they_go_on_and_not_before() -> None:
    table = reaching(there(), [FIRST, 2])
    assert [roll[0] for roll in rolls(table)] == ["terrain_event", "terrain_event_table"]
    table.answers("go-on", shifted(table.state, "blue-1", 0, 2), dice=[6, 1, 1])
    assert table.seen(FiguresFell)[0].figures == ("1",)


def beaten(ground: Row, event: str, dice: Sequence[int]) -> BattleTable:
    """Let red-1, which has lost a close assault, fall back six inches into a piece behind it; `dice` fall on the way."""
    own = (unit("blue", (6, 6), figures=2), unit("red", (6, 11), figures=2))
    state = there(*own, terrain=[ground])
    table = play(with_event(state, event) if event else state).activates("blue-1").answers("assault", "red-1")
    table.answers("hold-fire").defaults([2, 1, 2, 1, *[1] * 4])
    return table.defaults(dice)


@pytest.mark.rule("fad5/assault.loser-falls-back")
@pytest.mark.rule("fad5/terrain-event.woods.booby-trapped")
@pytest.mark.rule("fad5/terrain-event.swamp.dangerous-footing")
@pytest.mark.parametrize(
    ("kind", "event", "purpose"),
    [("woods", "booby-trapped", "booby_trap"), ("swamp", "dangerous-footing", "footing")],
)
def test_who_falls_back_from_a_close_assault_comes_into_traps_and_muck(kind: str, event: str, purpose: str) -> None:
    table = beaten(piece(kind, (2, 13), (30, 30), id="piece"), event, [6, 1])
    assert table.rolled(purpose).faces == (6, 1)
    assert table.unit("red-1").strength == 1


@pytest.mark.rule("fad5/assault.loser-falls-back")
@pytest.mark.rule("fad5/terrain-event.trigger")
def test_who_falls_back_from_a_close_assault_into_unknown_woods_reaches_them_when_it_next_activates() -> None:
    table = beaten(piece("woods", (2, 13), (30, 30), id="piece"), "", [])
    assert "terrain_event" not in [roll[0] for roll in rolls(table)]
    table.activates("red-1", dice=[NONE])
    assert rolls(table)[-1][0] == "terrain_event"


@pytest.mark.rule("fad5/terrain-event.woods.low-visibility")
def test_sight_into_dim_woods_reaches_half_as_deep() -> None:
    table = reaching(there(), [FIRST, 4])
    assert named(table, "wood").sight_depth == 2_000
    assert table.seen(TerrainChanged)[0].rule == "terrain-event.woods.low-visibility"


@pytest.mark.rule("fad5/terrain-event.woods")
@pytest.mark.rule("fad5/terrain-event.woods.clearing")
def test_a_mortar_is_not_fired_out_of_woods_without_a_clearing() -> None:
    team = unit("blue", (6, 19), figures=3, support=["light-mortar"], weapon_team=True, apart=1.5)
    tried = {**ON}
    state = replace(
        battle(team, unit("red", (6, 38)), terrain=[WOODS], options=tried), book={"terrain_events.reached": ("wood",)}
    )
    why = play(state).activates("blue-1").barred("blast")
    assert why is not None
    assert why.rule == "terrain-event.woods"
    clear = play(with_event(state, "clearing")).activates("blue-1").barred("blast")
    assert clear is None


@pytest.mark.rule("fad5/terrain-event.woods")
@pytest.mark.rule("fad5/terrain-event.woods.clearing")
def test_a_vehicle_fires_no_mortar_out_of_woods_without_a_clearing() -> None:
    gun = vehicle("blue", (6, 17), weapons=["light-mortar", "machine-gun"])
    rows = (gun, unit("red", (6, 38)), vehicle("red", (20, 38), id="truck", armour=(0, 0, 0)))
    state = replace(battle(*rows, terrain=[WOODS], options=ON), book={"terrain_events.reached": ("wood",)})
    why = play(state).activates("blue-1").barred("blast:m1")
    assert why is not None
    assert (why.sentence, why.rule) == ("A mortar does not fire from within Light woods.", "terrain-event.woods")
    assert aim(fad5().rules, state, "blue-1", "truck", "m1") == why
    clear = with_event(state, "clearing")
    assert play(clear).activates("blue-1").barred("blast:m1") is None
    assert isinstance(aim(fad5().rules, clear, "blue-1", "truck", "m1"), Shot)


@pytest.mark.rule("fad5/terrain-event.woods.path-ways")
@pytest.mark.rule("fad5/terrain-event.swamp.safe-path")
@pytest.mark.parametrize(("ground", "event"), [(THICKET, "path-ways"), (SWAMP, "safe-path")])
def test_infantry_goes_along_paths_as_over_open_ground_and_vehicles_do_not(ground: Row, event: str) -> None:
    state = with_event(there(terrain=[ground]), event)
    assert reaching(state, []).seen(UnitMoved)
    truck = with_event(there(vehicle("blue", (10, 5), mobility="wheel"), terrain=[ground]), event)
    assert play(truck).activates("blue-1").refused("drive-fire", driven((10, 12))).rule == "move.wheel"


# --- vehicles in soft ground ----------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/terrain-event.woods.swampy")
@pytest.mark.rule("fad5/adv.bogging.trigger")
@pytest.mark.rule("fad5/adv.bogging.test-tracked-walking")
@pytest.mark.rule("fad5/adv.bogging.bogged")
def test_a_vehicle_that_fails_its_test_bogs_in_swampy_woods_and_may_get_free() -> None:
    state = with_event(there(vehicle("blue", (10, 5), facing=90)), "swampy")
    through = play(state).activates("blue-1").answers("drive-fire", driven((10, 14)), dice=[3, 2])
    assert rolls(through) == [("bogging", (3, 2), "adv.bogging.test-tracked-walking")]
    assert through.unit("blue-1").figures["1"].at == (10_000, 14_000)
    stuck = play(state).activates("blue-1").answers("drive-fire", driven((10, 14)), dice=[2, 1])
    assert stuck.seen(ConditionGained) == [ConditionGained("blue-1", "bogged", "adv.bogging.bogged")]
    at = stuck.unit("blue-1").figures["1"].at
    assert at is not None
    assert 8_000 <= at[1] <= 8_100, "its front has just entered"
    bogged = with_event(there(vehicle("blue", (10, 14), conditions=["bogged"])), "swampy")
    held = play(bogged).activates("blue-1", dice=[1, 1])
    why = held.barred("drive-fire")
    assert why is not None
    assert why.rule == "adv.bogging.bogged"
    free = play(bogged).activates("blue-1", dice=[3, 1])
    assert free.seen(ConditionLost) == [ConditionLost("blue-1", "bogged", "adv.bogging.bogged")]
    assert free.barred("drive-fire") is None


@pytest.mark.rule("fad5/adv.bogging.trigger")
def test_a_vehicle_tests_again_after_each_six_inches_in_soft_ground() -> None:
    state = with_event(there(vehicle("blue", (10, 5), facing=90)), "swampy")
    far = play(state).activates("blue-1").answers("drive-fire", driven((10, 15)), dice=[3, 3, 3, 3])
    assert [roll[0] for roll in rolls(far)] == ["bogging", "bogging"]


@pytest.mark.rule("fad5/adv.bogging.trigger")
def test_a_vehicle_that_leaves_soft_ground_is_tested_again_where_it_comes_back() -> None:
    state = with_event(there(vehicle("blue", (6, 5), facing=90, hull=(2, 1.6))), "swampy")
    around = driven((6, 9.4), (6, 7.6), (8, 7.6), (8, 9.3))
    table = play(state).activates("blue-1").answers("drive-fire", around, dice=[3, 3, 3, 3])
    assert [roll[0] for roll in rolls(table)] == ["bogging", "bogging"]
    assert table.unit("blue-1").figures["1"].at == (8_000, 9_300)
    stuck = play(state).activates("blue-1").answers("drive-fire", around, dice=[3, 3, 1, 1])
    at = stuck.unit("blue-1").figures["1"].at
    assert at is not None
    assert at[0] == 8_000
    assert 9_000 <= at[1] <= 9_100, "its front has just come in again"


@pytest.mark.rule("fad5/adv.bogging.bogged")
def test_a_vehicle_that_has_got_free_is_not_tested_again_as_it_sets_out_but_after_six_inches() -> None:
    bogged = with_event(there(vehicle("blue", (10, 13), facing=90, conditions=["bogged"])), "swampy")
    short = play(bogged).activates("blue-1", dice=[3, 1]).answers("drive-fire", driven((10, 15)))
    assert [roll[0] for roll in rolls(short)] == ["bogging"]
    far = play(bogged).activates("blue-1", dice=[3, 1]).answers("drive-fire", driven((16.5, 13)), dice=[1, 1])
    assert [roll[0] for roll in rolls(far)] == ["bogging", "bogging"]
    assert far.unit("blue-1").figures["1"].at == (16_000, 13_000)
    assert far.state.book["terrain_events.freed"] == (), "in a later activation it is tested as it sets out"


@pytest.mark.rule("fad5/adv.bogging.test-wheeled")
@pytest.mark.rule("fad5/terrain-event.swamp")
def test_wheels_need_both_dice_and_legs_bog_in_any_swamp_that_is_not_firm() -> None:
    wheels = with_event(there(vehicle("blue", (10, 5), mobility="wheel")), "swampy")
    table = play(wheels).activates("blue-1").answers("drive-fire", driven((10, 9)), dice=[3, 2])
    assert table.rolled("bogging").outcome == "stuck"
    assert table.rolled("bogging").rule == "adv.bogging.test-wheeled"
    legs = replace(
        there(vehicle("blue", (10, 5), mobility="walk"), terrain=[SWAMP]), book={"terrain_events.reached": ("bog",)}
    )
    walks = play(legs).activates("blue-1").answers("drive-fire", driven((10, 9)), dice=[3, 2])
    assert walks.rolled("bogging").outcome == "free"


@pytest.mark.rule("fad5/terrain-event.swamp.firmer-than-expected")
def test_tracks_enter_a_firm_swamp_and_do_not_bog() -> None:
    tank = there(vehicle("blue", (10, 5)), terrain=[SWAMP])
    soft = replace(tank, book={"terrain_events.reached": ("bog",)})
    assert play(soft).activates("blue-1").refused("drive-fire", driven((10, 12))).rule == "move.track"
    firm = play(with_event(tank, "firmer-than-expected")).activates("blue-1")
    assert rolls(firm.answers("drive-fire", driven((10, 12)))) == []


# --- swamps ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/terrain-event.swamp")
@pytest.mark.parametrize(
    ("shooter", "target", "events", "cover"),
    [(6, 14, "on", "partial"), (6, 12.9, "on", "none"), (12, 16, "on", "none"), (6, 14, "off", "none")],
)
def test_infantry_deep_in_a_swamp_is_concealed_from_outside(
    shooter: float, target: float, events: str, cover: str
) -> None:
    row = unit("red", (10, target), figures=1)
    state = battle(unit("blue", (10, shooter), figures=1), row, terrain=[SWAMP], options={"terrain_events": events})
    shot = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    assert shot.cover == cover
    assert in_cover(fad5().rules, state, state.units["red-1"]) == (target > 13 and events == "on")


@pytest.mark.rule("fad5/terrain-event.swamp")
def test_a_vehicle_in_a_swamp_is_not_concealed() -> None:
    tank = vehicle("red", (10, 15), mobility="walk")
    state = battle(unit("blue", (10, 6), figures=1), tank, terrain=[SWAMP], options=ON)
    assert cover_of(fad5().rules, state, state.units["blue-1"], state.units["red-1"], ("1",)) == "none"


@pytest.mark.rule("fad5/terrain-event.swamp.dangerous-footing")
def test_each_figure_that_moves_in_a_dangerous_swamp_is_lost_on_a_six() -> None:
    state = with_event(there(unit("blue", [(6, 12), (8.5, 12), (8.5, 8)]), terrain=[SWAMP]), "dangerous-footing")
    table = play(state).activates("blue-1").answers("move-fire", shifted(state, "blue-1", 1, 0), dice=[6, 5])
    assert rolls(table) == [("footing", (6, 5), "terrain-event.swamp.dangerous-footing")]
    assert table.seen(FiguresFell)[0].figures == ("1",)


@pytest.mark.rule("fad5/terrain-event.swamp.dangerous-footing")
def test_a_figure_that_is_halted_in_a_dangerous_swamp_and_goes_on_rolls_once_in_an_activation() -> None:
    ground = [piece("swamp", (2, 8), (30, 14), id="bog"), piece("woods", (2, 12.5), (30, 20), id="wood")]
    state = with_event(there(unit("blue", (6, 9.5), figures=1), terrain=ground), "dangerous-footing")
    table = play(state).activates("blue-1").answers("move-fire", shifted(state, "blue-1", 0, 2.9), dice=[FIRST, 4, 5])
    table.answers("go-on", shifted(table.state, "blue-1", 0, 0.4))
    assert [roll[0] for roll in rolls(table)] == ["terrain_event", "terrain_event_table", "footing"]
    table.activates("red-1").answers("hold", dice=[6, 1]).answers("go-first").activates("blue-1")
    table.answers("move-fire", shifted(table.state, "blue-1", 0, -0.5), dice=[6])
    assert rolls(table)[-1][0] == "footing", "it rolls anew in its next activation"


@pytest.mark.rule("fad5/terrain-event.swamp.impassable")
@pytest.mark.rule("fad5/terrain-event.building.blocked-off")
@pytest.mark.parametrize(("ground", "event"), [(SWAMP, "impassable"), (HOUSE, "blocked-off")])
def test_what_is_closed_is_not_entered_and_may_be_left(ground: Row, event: str) -> None:
    outside = with_event(there(terrain=[ground]), event)
    table = play(outside).activates("blue-1")
    assert table.refused("move-fire", shifted(outside, "blue-1", 0, 5)).code == "path_impassable"
    hover = with_event(there(vehicle("blue", (10, 5), mobility="hover"), terrain=[ground]), event)
    assert play(hover).activates("blue-1").refused("drive-fire", driven((10, 13))).code == "path_impassable"
    within = with_event(there(unit("blue", (6, 11), figures=1), terrain=[ground]), event)
    out = play(within).activates("blue-1").answers("move-fire", shifted(within, "blue-1", 0, -2))
    assert out.seen(UnitMoved)


@pytest.mark.rule("fad5/terrain-event.swamp.heavy-vegetation")
def test_a_swamp_full_of_plants_conceals_at_its_edge_and_hides_farther_in() -> None:
    table = reaching(there(terrain=[SWAMP]), [FIRST, 3], far=4)
    bog = named(table, "bog")
    assert (bog.cover, bog.sight, bog.sight_depth) == ("partial", "depth_in_all", 3_000)
    seen = battle(unit("blue", (6, 6)), unit("red", (6, 12)), terrain=[SWAMP], options=ON)
    state = replace(seen, table=replace(seen.table, terrain=(bog,)))
    shot = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    assert shot.cover == "partial"
    deep = battle(unit("blue", (6, 6)), unit("red", (6, 15)), terrain=[SWAMP], options=ON)
    assert not isinstance(
        aim(fad5().rules, replace(deep, table=replace(deep.table, terrain=(bog,))), "blue-1", "red-1"), Shot
    )


@pytest.mark.rule("fad5/terrain-event.swamp.local-predators")
@pytest.mark.parametrize(("face", "fallen"), [(4, []), (5, [("2",)])])
def test_predators_take_the_figure_that_is_farthest_in(face: int, fallen: list[tuple[str, ...]]) -> None:
    state = with_event(there(unit("blue", [(6, 12), (8.5, 14), (8.5, 8)]), terrain=[SWAMP]), "local-predators")
    table = play(state).activates("blue-1", dice=[face])
    assert [fact.figures for fact in table.seen(FiguresFell)] == fallen


# --- buildings ------------------------------------------------------------------------------------------------------


def next_turn(state: State, *dice: int) -> BattleTable:
    """Begin the next turn with these dice."""
    return play(replace(state, turn=replace(state.turn, phase="turn", active="")), dice)


@pytest.mark.rule("fad5/terrain-event.building")
@pytest.mark.rule("fad5/move.building-entry")
@pytest.mark.parametrize(
    ("kind", "setting", "far"),
    [
        ("door", "on", 5.0),
        ("window", "on", 5.0),
        ("barred_door", "on", 3.0),
        ("door", "off", 6.0),
        ("window", "off", 3.0),
    ],
)
def test_with_terrain_events_doors_and_windows_cost_an_inch_and_barred_doors_three(
    kind: str, setting: str, far: float
) -> None:
    ground = piece("house", (2, 8), (30, 20), id="house", openings=[{"kind": kind, "at": (6, 8), "width": 2}])
    position = there(unit("blue", (6, 7.2), figures=1), terrain=[ground], terrain_events=setting)
    state = replace(position, book={"terrain_events.reached": ("house",)})
    table = play(state).activates("blue-1")
    refused = table.refused("move-fire", shifted(state, "blue-1", 0, far + 0.01))
    assert refused.code == "path_too_long"
    if far < 6:
        assert refused.rule == ("terrain-event.building" if setting == "on" else "move.building-entry")
    assert table.answers("move-fire", shifted(state, "blue-1", 0, far)).seen(UnitMoved)


@pytest.mark.rule("fad5/terrain-event.building")
@pytest.mark.rule("fad5/terrain-event.building.unstable")
@pytest.mark.parametrize(("face", "kind"), [(4, "house"), (5, "rubble")])
def test_an_unstable_building_may_come_down_at_the_beginning_of_each_turn(face: int, kind: str) -> None:
    table = next_turn(with_event(there(terrain=[HOUSE]), "unstable"), face, 6, 1)
    assert rolls(table)[0] == ("unstable", (face,), "terrain-event.building.unstable")
    assert named(table, "house").kind == kind


@pytest.mark.rule("fad5/terrain-event.building.strongly-built")
@pytest.mark.parametrize(("face", "kind"), [(4, "house"), (3, "rubble")])
def test_a_strong_building_withstands_on_four_or_more(face: int, kind: str) -> None:
    both = with_event(with_event(there(terrain=[HOUSE]), "unstable"), "strongly-built")
    table = next_turn(both, 5, face, 6, 1)
    assert rolls(table)[1] == ("strongly_built", (face,), "terrain-event.building.strongly-built")
    assert named(table, "house").kind == kind


@pytest.mark.rule("fad5/terrain-event.building.partially-ruined")
@pytest.mark.rule("fad5/terrain-event.building.observation-point")
@pytest.mark.parametrize(("face", "flag"), [(3, "difficult"), (5, "event:observation-point")])
def test_an_event_is_told_and_lies_on_the_building(face: int, flag: str) -> None:
    table = reaching(there(terrain=[HOUSE]), [FIRST, face], far=3)
    assert flag in named(table, "house").flags
    row = next(row for row in fad5().book.terrain_events.values() if (row.of, row.number) == ("building", face))
    story = fad5().story(table.state, table.rolled("terrain_event_table"))
    assert story is not None
    assert (story.text, story.rule) == (f"House: {row.name}. {row.text}", row.rule)


@pytest.mark.rule("fad5/terrain-event.building.unexpected-find")
def test_a_unit_wholly_in_a_building_with_a_find_is_not_broken() -> None:
    squad = unit("blue", (6, 12), figures=4, lost=2, resolve="steady", conditions=["broken"])
    table = play(with_event(there(squad, terrain=[HOUSE]), "unexpected-find")).activates("blue-1")
    assert table.seen(ConditionLost) == [
        ConditionLost("blue-1", "broken", "terrain-event.building.unexpected-find"),
    ]
    assert rolls(table) == []
    half = unit("blue", [(6, 11), (6, 8), (8, 8), (9, 8)], lost=2, resolve="steady", conditions=["broken"])
    other = play(with_event(there(half, terrain=[HOUSE]), "unexpected-find")).activates("blue-1", dice=[3, 3, 3])
    assert other.seen(ConditionLost) == []
