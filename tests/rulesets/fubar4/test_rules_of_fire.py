"""Details of fire: crews of weapons, figures that may be hit, and why a target cannot be named."""

from __future__ import annotations

import pytest

from client_protocol.choices import Assigned, AssignmentParameter, Picked
from server.kernel.facts import Declared
from server.rulesets.fubar.aim import ABOARD, AIMED, HALT, WALK, closed
from server.rulesets.fubar.fire import bouts, numbers, volleys
from server.rulesets.fubar.guns import guns
from tests.rulesets.fubar4.battlefield import battle, fubar4, given, lines, paths, piece, play, unit, vehicle
from tests.rulesets.fubar4.firing import barred, bout, offered, parameter

PALETTE = fubar4().book.palette
AREAS = sorted(kind for kind, row in PALETTE.items() if row.cover != "none" and not row.linear)
LINES = sorted(kind for kind, row in PALETTE.items() if row.linear)
ONE = unit("blue", (10, 10), figures=1)
FAR = unit("red", (40, 46), figures=1)


# --- sight ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/fire.cover-blocks-sight")
def test_every_area_of_cover_blocks_sight_and_no_wall_does() -> None:
    behind = unit("red", (10, 30), figures=1)
    for kind in AREAS:
        assert barred(battle(ONE, behind, terrain=[piece(kind, (5, 20), (15, 21))])) == "fire.line-of-sight", kind
    for kind in LINES:
        assert barred(battle(ONE, behind, terrain=[piece(kind, (5, 20), (15, 20))])) == "", kind


@pytest.mark.rule("fubar4/activation.no-visible-enemy")
@pytest.mark.rule("fubar4/fire.line-of-sight")
def test_a_vehicle_blocks_sight_of_enemies_behind_it() -> None:
    own = vehicle("blue", (10, 16), hull="heavy-tank", facing=0)
    table = play(battle(ONE, own, unit("red", (10, 22), figures=1))).activates("blue-1", dice=[3])
    assert table.rolled("activation").outcome == "passed"


# --- inside cover ---------------------------------------------------------------------------------------------------

WOODS = [piece("woods", (5, 20), (40, 40))]


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_all_figures_in_a_shared_cover_may_be_hit_if_the_nearest_is_near_enough() -> None:
    # Red's second man is 8" from the firer, the first one 4".
    state = battle(unit("blue", (15, 30), figures=1), unit("red", [(20, 30), (24, 30)]), terrain=WOODS)
    assert bout(state).seen == ("1", "2")


@pytest.mark.rule("fubar4/fire.deep-in-cover")
@pytest.mark.rule("fubar4/fire.edge-of-cover")
@pytest.mark.parametrize(
    ("blue", "red", "why"),
    [
        ((10, 24), (10, 12), ('Blue 1 is more than 2" inside its cover.', "fire.deep-in-cover")),
        ((10, 12), (10, 24), ('Red 1 is more than 2" inside its cover.', "fire.edge-of-cover")),
        ((10, 30), (18, 30), ('Red 1 is 7" away; fire inside the same cover reaches 6".', "fire.deep-in-cover")),
    ],
)
def test_a_refused_shot_says_that_a_figure_is_too_deep_in_cover(
    blue: tuple[float, float], red: tuple[float, float], why: tuple[str, str]
) -> None:
    state = battle(unit("blue", blue, figures=1), unit("red", red, figures=1), terrain=WOODS)
    told = play(state).activates("blue-1", dice=[6]).barred("aimed-fire")
    assert told is not None
    assert (told.sentence, told.rule) == why


@pytest.mark.rule("fubar4/fire.edge-of-cover")
def test_a_figure_surrounded_by_a_hedge_is_not_deep_in_cover() -> None:
    # A hedge runs around him, 3" away.
    hedge = piece("hedge", (7, 18), (13, 18), (13, 24), (7, 24), (7, 18))
    assert offered(battle(ONE, unit("red", (10, 21), figures=1), terrain=[hedge])) == {"1": ["assault-rifle@red-1"]}


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_figures_at_the_same_hedge_share_no_area_and_fire_at_full_range() -> None:
    hedge = piece("hedge", (0, 20), (48, 20))
    state = battle(unit("blue", (10, 20), figures=1), unit("red", (20, 20), figures=1), terrain=[hedge])
    assert offered(state) == {"1": ["assault-rifle@red-1"]}


@pytest.mark.rule("fubar4/cover.half-of-unit")
@pytest.mark.parametrize("order", [("woods", "building"), ("building", "woods")])
def test_the_better_of_two_overlapping_covers_counts(order: tuple[str, str]) -> None:
    terrain = [piece(kind, (9, 20), (11, 22), id=kind) for kind in order]
    assert bout(battle(ONE, unit("red", (10, 21), figures=1), terrain=terrain)).cover.level == "moderate"


@pytest.mark.rule("fubar4/cover.half-of-unit")
def test_cover_of_fewer_than_half_of_the_figures_is_listed_without_effect() -> None:
    red = unit("red", [(10, 21), (13, 21), (16, 21)])
    state = battle(ONE, red, terrain=[piece("woods", (9, 20), (11, 22))])
    found = bout(state)
    need = numbers(fubar4().rules, state, found, volleys(state, found)[0]).need
    assert lines(need) == [("fire.to-hit", 5), ("cover.half-of-unit", 0)]
    # Cover is not listed if no figure has any, or if the weapon ignores it.
    in_the_open = battle(ONE, red)
    found = bout(in_the_open)
    assert len(numbers(fubar4().rules, in_the_open, found, volleys(in_the_open, found)[0]).need.lines) == 1
    tank = vehicle("blue", (10, 10), armour="heavy", weapons=["light-cannon"])
    state = battle(tank, red, terrain=[piece("woods", (9, 20), (11, 22))])
    found = bout(state, moment=HALT)
    assert len(numbers(fubar4().rules, state, found, volleys(state, found)[0]).need.lines) == 1


@pytest.mark.rule("fubar4/fire.vehicle-save-shields")
@pytest.mark.parametrize("aboard", [True, False])
def test_the_log_says_that_a_vehicles_save_covers_passengers_if_there_are_any(aboard: bool) -> None:
    squad = unit("red", None if aboard else (40, 40), figures=2, **({"aboard": "red-1"} if aboard else {}))  # type: ignore[arg-type]
    state = battle(unit("blue", (10, 10), figures=1), vehicle("red", (10, 20), armour="none", seats=4), squad)
    table = play(state).activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    table.fires("red-1", dice=[5, 1, 6])
    assert table.rolled("save").rule == ("fire.vehicle-save-shields" if aboard else "vehicle.armour-table")


# --- targets that cannot be named -----------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/fire.edge-of-cover")
@pytest.mark.rule("fubar4/fire.line-of-sight")
@pytest.mark.rule("fubar4/vehicle.small-arms-useless")
def test_the_preview_of_fire_says_which_visible_enemies_cannot_be_targeted_and_why() -> None:
    reds = [
        unit("red", (10, 18), figures=1),
        unit("red", (16, 24), figures=1),
        vehicle("red", (24, 12), id="red-tank"),
        unit("red", (1, 16), figures=1, conditions=["close_combat"]),
        unit("red", (44, 10), figures=1),
        unit("red", (10, 46), figures=1),
    ]
    woods = [piece("woods", (13, 20), (20, 28)), piece("woods", (8, 40), (12, 42), id="far")]
    state = battle(ONE, *reds, terrain=woods, book={"fights": [["blue-1", "red-4"]]})
    assert [why.rule for why in closed(fubar4().rules, state, "blue-1", WALK)] == [
        "fire.line-of-sight",
        "vehicle.small-arms-useless",
        "fire.edge-of-cover",
        "weapon.small-arms",
    ]
    table = play(state).activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    told = fubar4().preview(table.state, table.prompt, table.prompt.default)
    assert told is not None
    assert told.notes[1:] == (
        "Red 4 is in close combat and cannot be fired at.",
        "Red Tank is armoured; assault rifle fire cannot harm it.",
        'Red 2 is more than 2" inside its cover.',
    )


@pytest.mark.rule("fubar4/suppress.maximum")
@pytest.mark.rule("fubar4/fire.unsaved")
def test_the_prompt_for_hits_states_and_enforces_the_limit_of_suppressed_figures() -> None:
    red = unit("red", (10, 21), figures=6, suppressed=1)
    state = battle(unit("blue", (10, 10), figures=3, level="veteran"), red, FAR)
    table = play(state).activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    table.fires("red-1", dice=[4, 4, 4, 1, 1, 1])
    choice = table.choice("take-hits")
    assert choice.rule == "suppress.maximum"
    assert choice.consequence.endswith("Of a Seasoned unit 2 may be suppressed at once; 1 are.")
    refusal = table.refused("take-hits", given(_1="suppressed", _2="suppressed", _3="casualty"))
    assert refusal.rule == "suppress.maximum"
    (rows,) = choice.parameters
    assert isinstance(rows, AssignmentParameter)
    assert [option.key for option in next(row for row in rows.rows if row.key == "6").options] == ["casualty"]


# --- weapons and crews ----------------------------------------------------------------------------------------------


def gunners(men: int, machine_guns: int, **other: object) -> dict[str, object]:
    """Return men shoulder to shoulder, the first of them with heavy machine guns."""
    return unit("blue", (10, 10), figures=men, support=["heavy-machine-gun"] * machine_guns, apart=1.1, **other)  # type: ignore[arg-type]


def fired(row: dict[str, object], **options: str) -> list[str]:
    """Return the figures of blue-1 that fire by these orders."""
    state = battle(row, unit("red", (10, 21), figures=1))
    assigned = {key.removeprefix("_"): f"{weapon}@red-1" for key, weapon in options.items()}
    return [one.gun.row for found in bouts(fubar4().rules, state, "blue-1", AIMED, assigned) for one in found.aims]


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_a_man_serves_only_one_machine_gun() -> None:
    hmg = "heavy-machine-gun"
    assert fired(gunners(4, 2), _1=hmg, _2=hmg) == ["1", "2"]
    assert fired(gunners(3, 2), _1=hmg, _2=hmg) == ["1"]


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_the_second_man_of_a_machine_gun_is_preferably_one_who_does_not_fire() -> None:
    # The nearest man, 2, fires his rifle, so 3 serves the gun.
    assert fired(gunners(3, 1), _1="heavy-machine-gun", _2="assault-rifle") == ["1", "2"]
    assert fired(gunners(2, 1), _1="heavy-machine-gun", _2="assault-rifle") == ["1"]


@pytest.mark.rule("fubar4/weapon.hmg-crew")
@pytest.mark.parametrize(
    ("figures", "machine_guns", "ordered", "dice", "notes", "line"),
    [
        (
            2,
            1,
            {"1": "heavy-machine-gun", "2": "assault-rifle"},
            4,
            ["Figure 2 serves the heavy machine gun of figure 1 and does not fire: its own shot is lost."],
            "Blue 1 needs one of its men to serve a crewed weapon: his own shot is lost.",
        ),
        (
            3,
            1,
            {"1": "heavy-machine-gun", "2": "assault-rifle"},
            6,
            ["Figure 3 serves the heavy machine gun of figure 1 and does not fire."],
            "",
        ),
        (
            3,
            2,
            {"1": "heavy-machine-gun", "2": "heavy-machine-gun"},
            4,
            [
                "Figure 3 serves the heavy machine gun of figure 1 and does not fire.",
                "No figure is free to serve the heavy machine gun of figure 2: it does not fire.",
            ],
            "Blue 1 has no figure free to serve a crewed weapon: it does not fire.",
        ),
    ],
)
def test_the_preview_and_the_log_name_the_second_man_of_a_machine_gun(
    figures: int, machine_guns: int, ordered: dict[str, str], dice: int, notes: list[str], line: str
) -> None:
    state = battle(gunners(figures, machine_guns), unit("red", (10, 21), figures=1, armour="none"))
    answer = Assigned({row: f"{weapon}@red-1" for row, weapon in ordered.items()})
    table = play(state).activates("blue-1", dice=[6])
    (rows,) = [one.rows for one in table.choice("aimed-fire").parameters if isinstance(one, AssignmentParameter)]
    options = {option.key: option.note for option in rows[0].options}
    assert options["heavy-machine-gun@red-1"].endswith(", a second man serves it and does not fire")
    assert "serves" not in options["assault-rifle@red-1"]
    told = fubar4().preview(table.state, table.prompt, Picked("aimed-fire", (answer,)))
    assert told is not None
    assert list(told.notes[1 : 1 + len(notes)]) == notes
    table.answers("aimed-fire", answer, dice=[1] * dice)
    lines = [
        story.text
        for fact in table.seen(Declared)
        if fact.rule == "weapon.hmg-crew" and (story := fubar4().story(table.state, fact)) is not None
    ]
    assert lines == ([line] if line else [])


@pytest.mark.rule("fubar4/weapon.cannon-mounts")
def test_a_bunkers_weapon_is_served_by_the_figure_of_any_unit_nearest_to_its_middle() -> None:
    bunker = piece("bunker", (8, 8), (14, 14), id="nest", flags=["mount:light-cannon"])
    own, friend = unit("blue", (9, 9), figures=1), unit("blue", (11, 11), figures=1)
    state = battle(own, friend, unit("red", (10, 30)), terrain=[bunker])
    assert [gun.weapon for gun in guns(fubar4().rules, state, "blue-1", AIMED)] == ["assault-rifle"]
    assert [gun.weapon for gun in guns(fubar4().rules, state, "blue-2", AIMED)] == ["assault-rifle", "light-cannon"]


@pytest.mark.rule("fubar4/fire.suppressed-cannot")
@pytest.mark.rule("fubar4/vehicle.transport")
def test_suppressed_passengers_do_not_fire() -> None:
    truck = vehicle("blue", (10, 10), seats=8, armour="none")
    squad = unit("blue", None, figures=3, suppressed=1, aboard="blue-1")
    state = battle(truck, squad, unit("red", (10, 20)))
    assert list(offered(state, "blue-2", ABOARD)) == ["1", "2"]


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_by_default_a_small_crew_fires_the_heaviest_weapons() -> None:
    gunned = vehicle("blue", (10, 10), crew=1, weapons=["rpg", "heavy-machine-gun"])
    assert parameter(battle(gunned, unit("red", (10, 20))), moment=HALT).suggested == {"m2": "heavy-machine-gun@red-1"}


# --- bouts ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/fire.unsaved")
def test_a_figure_that_any_firer_sees_may_be_hit() -> None:
    # A building hides red's second man from the left firer and the first one from the right firer.
    building = piece("building", (13, 13), (17, 30))
    state = battle(unit("blue", [(10, 10), (20, 10)]), unit("red", [(10, 32), (20, 32)]), terrain=[building])
    assert set(bout(state).seen) == {"1", "2"}


@pytest.mark.rule("fubar4/weapon.assault-rifle-close")
def test_each_rifle_has_the_fire_points_of_its_own_range() -> None:
    state = battle(unit("blue", [(10, 10), (10, 6)]), unit("red", (10, 23), figures=1))
    found = bout(state)
    asked = numbers(fubar4().rules, state, found, volleys(state, found)[0])
    assert asked.dice.value == 3
    assert {line.rule: line.amount for line in asked.dice.lines} == {
        "weapon.assault-rifle-close": 2,
        "weapon.small-arms": 1,
    }


@pytest.mark.rule("fubar4/fire.split")
def test_the_default_fire_is_at_the_nearest_target_that_each_figure_can_reach() -> None:
    # The pistol reaches neither unit, and the nearest enemy, a tank, cannot be targeted.
    blue = unit("blue", (10, 10), figures=3, each={3: {"arm": "pistol"}})
    reds = [vehicle("red", (12, 15), id="tank"), unit("red", (6, 24), figures=1), unit("red", (20, 28), figures=1)]
    table = play(battle(blue, *reds)).activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    assert table.prompt.default == Picked("fire", (Assigned({"1": "assault-rifle@red-2", "2": "assault-rifle@red-2"}),))


@pytest.mark.rule("fubar4/meta.cardinal-rule")
@pytest.mark.parametrize("aimed", [True, False])
@pytest.mark.parametrize(("side", "foe"), [("blue", "red"), ("red", "blue")])
def test_an_option_that_changes_a_rule_applies_to_both_sides(side: str, foe: str, *, aimed: bool) -> None:
    mortar = unit(side, (10, 10), figures=1, support=["light-mortar"])
    state = battle(mortar, unit(foe, (10, 30), figures=2), options={"aimed_area_fire": aimed}, active=side)
    table = play(state).activates(f"{side}-1", dice=[6])
    table.answers("aimed-fire", given(_1=f"light-mortar@{foe}-1"), dice=[1, 1, 1])
    assert (
        "action.aimed-fire" in {line.rule for number in table.rolled("to-hit").numbers for line in number.lines}
    ) is aimed
