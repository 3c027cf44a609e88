"""Close assaults on vehicles, and shock vehicles."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, PathsDeclared, Picked, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, FiguresFell, Rolled, UnitLeft, UnitMoved
from server.kernel.state import State
from server.rulesets.fad.charge import coming_up
from tests.rulesets.fad4.assaults import roll_of
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, figures, lines, paths, play, unit
from tests.support.lucky import holds_every_way, luck_of

SPARE = unit("red", (30, 44), figures=1)


def charging(
    *others: Mapping[str, object], squad: Mapping[str, object] | None = None, tank: Mapping[str, object] | None = None
) -> State:
    """Return a squad of blue's in a line, 3.5 inches below the side of a vehicle of red's that faces east."""
    own = {"at": [(18, 13), (20, 13), (22, 13)], "quality": "regular", "small_arm": "gauss-rifle", **(squad or {})}
    other = {"at": (20, 18), "facing": 0, "quality": "conscript", "armour": (6, 5, 3), **(tank or {})}
    return battle(unit("blue", **own), vehicle("red", **other), SPARE, *others)  # type: ignore[arg-type]


def assault(state: State, nerve: int) -> BattleTable:
    return play(state).activates("blue-1").answers("assault", "red-1", dice=[nerve])


def actions(table: BattleTable) -> list[str]:
    return [fact.action for fact in table.seen(Declared)]


# --- infantry against a vehicle -----------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/assault.vehicle-nerve")
def test_a_squad_that_fails_its_test_of_nerve_does_nothing_more() -> None:
    table = assault(charging(), 2)
    assert (table.rolled("nerve").rule, table.rolled("nerve").faces) == ("assault.vehicle-nerve", (2,))
    assert (actions(table), table.seen(UnitMoved), table.asked) == (["assault", "falters"], [], "red")


@pytest.mark.rule("fad5/assault.vehicle-nerve")
def test_a_squad_that_keeps_its_nerve_charges_without_a_free_shot_also_at_a_soft_skin() -> None:
    for armour in ((6, 5, 3), (0, 0, 0)):
        table = assault(charging(tank={"armour": armour}), 4)
        assert (table.asked, table.offered) == ("blue", ["charge"])
        assert table.path("charge").allowance == 10_000


@pytest.mark.rule("fad5/assault.vehicle-nerve")
def test_in_another_assault_on_a_vehicle_the_others_come_up_to_those_who_touch_it() -> None:
    # The hull's lower side runs at y = 17. One man still touches it.
    at = [(20, 16.5), (18, 13), (22, 13)]
    state = charging(squad={"at": at, "penetrator_grenades": True})
    told = fad5().preview(state, play(state).activates("blue-1").prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert told is not None
    assert told.notes[0].startswith("Reckoned with 3 figures")
    table = assault(state, 4)
    assert (table.path("charge").figures, table.path("charge").may_stay) == (("2", "3"), True)
    table.chance(1).defaults()
    assert [set(fact.paths) for fact in table.seen(UnitMoved) if fact.unit == "blue-1"] == [{"2", "3"}]
    assert len([fact for fact in table.seen(Rolled) if fact.purpose == "penetration"]) == 3
    stays = assault(state, 4).chance(1).answers("charge", PathsDeclared({}))
    assert len([fact for fact in stays.seen(Rolled) if fact.purpose == "penetration"]) == 1
    close = [(18.9, 16.5), (20, 16.5), (21.1, 16.5)]
    assert coming_up(fad5().rules, charging(squad={"at": close}), "blue-1", "red-1") is None, "all touch it"


@pytest.mark.rule("fad5/assault.vehicle-nerve")
@pytest.mark.rule("fad5/assault.free-shot")
def test_by_an_option_a_vehicle_shoots_at_a_squad_that_has_kept_its_nerve() -> None:
    armed = charging(tank={"weapons": ["machine-gun", "machine-gun"], "fire_control": "extensive"})
    state = replace(armed, options={**armed.options, "vehicle_free_shot": "on"})
    assert assault(state, 2).asked == "red", "it falters, and there is nothing to shoot at"
    assert assault(armed, 4).asked == "blue", "unless the match has it so there is no shot"
    table = assault(state, 4)
    assert (table.asked, table.offered) == ("red", ["free-shot", "hold-fire"])
    assert table.prompt.default == Picked("free-shot", (Assigned({"m1": "blue-1", "m2": "blue-1"}),))
    assert table.prompt.rule == "assault.free-shot"
    table.chance(1).answers("free-shot", Assigned({"m1": "blue-1", "m2": "blue-1"}))
    shots = [fact for fact in table.seen(Declared) if fact.action == "free-shot"]
    assert [(fact.unit, fact.target) for fact in shots] == [("red-1", "blue-1")] * 2
    assert table.seen(ConditionGained) == [], "no marker"
    assert (table.asked, table.offered) == ("blue", ["charge"])
    silent = assault(replace(state, options={**state.options}), 4).answers("hold-fire")
    assert silent.offered == ["charge"]


@pytest.mark.rule("fad5/grenade.haze")
def test_a_vehicle_shoots_at_a_squad_with_haze_grenades_only_if_a_quality_test_passes() -> None:
    armed = charging(tank={"weapons": ["machine-gun"], "fire_control": "extensive"}, squad={"haze_grenades": True})
    state = replace(armed, options={**armed.options, "vehicle_free_shot": "on"})
    shot = Assigned({"m1": "blue-1"})
    # The crew are Conscripts, who pass on 4 or more.
    told = assault(state, 4).choice("free-shot").consequence
    assert told == "A free shot at Blue 1 before it charges. Fires through the haze, or else not at all: 50%."
    blind = assault(state, 4).answers("free-shot", shot, dice=[3])
    assert (blind.rolled("haze").outcome, blind.rolled("haze").unit) == ("blinded", "red-1")
    assert [fact for fact in blind.seen(Declared) if fact.action == "free-shot"] == []
    assert (blind.asked, blind.offered) == ("blue", ["charge"])
    sees = assault(state, 4).answers("free-shot", shot, dice=[4, 1, 6, 1])
    assert sees.rolled("fire_effect").unit == "red-1"


@pytest.mark.rule("fad5/grenade.improvised-charges")
@pytest.mark.rule("fad5/grenade.penetrator")
@pytest.mark.parametrize(
    ("grenade", "rating"), [("improvised_charges", 1), ("penetrator_grenades", 4), ("haze_grenades", None)]
)
def test_each_figure_of_a_unit_with_charges_strikes_with_them(grenade: str, rating: int | None) -> None:
    squad = {"small_arm": "assault-rifle", "traits": {grenade: True}}
    table = assault(charging(squad=squad), 4)
    way = PathsDeclared({"1": ((18_600, 16_500),), "2": ((20_000, 16_500),)})
    table.answers("charge", way, dice={1: [1, 2, 1, 2], 4: [1, 1, 1] * 2}.get(rating or 0, []))
    hits = [roll.numbers[0] for roll in table.seen(Rolled) if roll.purpose == "penetration"]
    rule = {1: "grenade.improvised-charges", 4: "grenade.penetrator"}.get(rating or 0)
    assert [lines(hit) for hit in hits] == [[(rule, rating)]] * (0 if rating is None else 2)


@pytest.mark.rule("fad5/assault.vehicle-damage")
def test_each_figure_in_contact_strikes_the_side_that_it_touches_with_its_best_weapon() -> None:
    # A rifle grenade is the second man's; the others have rifles. The third stays behind.
    table = assault(charging(squad={"support": ["", "rifle-grenade"]}), 4)
    table.answers("charge", PathsDeclared({"1": ((18_600, 16_500),), "2": ((20_000, 16_500),)}), dice=[1, 2, 1, 2])
    hits = [roll for roll in table.seen(Rolled) if roll.purpose == "penetration"]
    assert [(lines(hit.numbers[0]), hit.numbers[1].value) for hit in hits] == [
        ([("assault.vehicle-damage", fad5().book.small_arms["gauss-rifle"].anti_tank)], 5),
        ([("assault.vehicle-damage", fad5().book.support_weapons["rifle-grenade"].anti_tank)], 5),
    ]
    assert not [roll for roll in table.seen(Rolled) if roll.purpose in {"assault", "kills"}]
    assert [fact.unit for fact in table.seen(UnitMoved)] == ["blue-1"], "neither side falls back"


@pytest.mark.rule("fad5/assault.vehicle-damage")
def test_near_a_corner_the_side_that_is_touched_counts() -> None:
    # 45 degrees from the centre it would be the front.
    table = assault(charging(), 4)
    table.answers("charge", paths(**{"3": [(21.9, 16.5)]}), dice=[1, 6])
    assert table.rolled("penetration").numbers[1].value == 5
    front = assault(charging(squad={"at": [(26, 18), (26, 16), (26, 20)]}), 4)
    front.answers("charge", paths(**{"1": [(22.5, 18)]}), dice=[1, 6])
    assert front.rolled("penetration").numbers[1].value == 6
    rear = assault(charging(squad={"at": [(14, 18), (14, 16), (14, 20)]}), 4)
    rear.answers("charge", paths(**{"1": [(17.5, 18)]}), dice=[1, 6])
    assert rear.rolled("penetration").numbers[1].value == 3


@pytest.mark.rule("fad5/assault.vehicle-damage")
@pytest.mark.rule("fad5/resolve.vehicles")
def test_the_crew_must_test_its_morale_also_when_no_figure_could_harm_the_vehicle() -> None:
    table = assault(charging(squad={"small_arm": "submachine-gun"}), 4).defaults()
    assert not [roll for roll in table.seen(Rolled) if roll.purpose == "penetration"]
    assert ConditionGained("red-1", "crew_shaken", "resolve.vehicles") in table.facts


@pytest.mark.rule("fad5/assault.transport-destroyed")
def test_all_aboard_die_with_a_vehicle_that_is_killed_in_a_close_assault() -> None:
    riders = unit("red", None, id="riders", figures=3, aboard="red-1")
    table = assault(charging(riders, tank={"seats": 6}), 4)
    table.answers("charge", paths(**{"2": [(20, 16.5)]}), dice=[6, 2, 2])
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [
        ("red-1", "destroyed"),
        ("riders", "destroyed"),
    ]
    assert FiguresFell("riders", ("1", "2", "3"), "passengers", "assault.transport-destroyed") in table.facts


@pytest.mark.rule("fad5/assault.vehicle-damage")
def test_the_preview_gives_the_odds_of_an_assault_on_a_vehicle() -> None:
    table = play(charging(tank={"armour": (6, 7, 3)})).activates("blue-1")
    told = fad5().preview(table.state, table.prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert told is not None
    odds = {chance.label: chance.value for chance in told.chances}
    rating = fad5().book.small_arms["gauss-rifle"].anti_tank or 0
    assert odds["Keeps its nerve"] == "67%"
    assert odds["Expected penetrating hits"] == f"{3 * rating / 6:.1f}", "three figures, each on 7 less its rating"
    unarmed = play(charging(squad={"small_arm": "submachine-gun"})).activates("blue-1")
    none = fad5().preview(unarmed.state, unarmed.prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert none is not None
    assert "can harm it" in none.notes[0]


@pytest.mark.rule("fad5/assault.scope")
def test_a_vehicle_that_is_no_shock_vehicle_does_not_assault() -> None:
    state = battle(vehicle("blue", (20, 10)), unit("red", (20, 18), figures=3), SPARE)
    assert not [key for key in play(state).activates("blue-1").offered if key.startswith("vehicle-assault")]


# --- shock vehicles -----------------------------------------------------------------------------------------------------


def shocking(*marks: str, dice: int = 3, **squad: object) -> State:
    """Return a shock vehicle of blue's that faces north, 3 inches below a squad of red's."""
    own = {"at": [(20, 15.5), (21.2, 15.5), (22.4, 17), (26, 17)], "small_arm": "submachine-gun", **squad}
    tank = vehicle("blue", (20, 10), armour=(6, 5, 3), traits={"shock": dice})
    return battle(tank, unit("red", conditions=marks, **own), SPARE)  # type: ignore[arg-type]  # as `unit` takes it


def driving(state: State) -> BattleTable:
    return play(state).activates("blue-1").answers("vehicle-assault", "red-1")


@pytest.mark.rule("fad5/assault.shock-vehicle")
def test_a_shock_vehicle_kills_on_four_or_more_and_may_fire_afterwards() -> None:
    table = driving(shocking()).answers("ram", driven((20, 13)), dice=[4, 3, 6])
    struck = table.rolled("shock")
    assert (struck.marks, struck.rule, struck.outcome) == (("kill", "fail", "kill"), "assault.shock-vehicle", "2")
    told = fad5().story(table.state, struck)
    assert told is not None
    assert told.text == "Blue 1 strikes at Red 1, each die on 4+: 2 figures hit."
    table.defaults()
    assert FiguresFell("red-1", ("1", "2"), "assault", "assault.shock-vehicle-reach") in table.facts
    assert not [roll for roll in table.seen(Rolled) if roll.purpose in {"fire_effect", "assault", "kills"}], (
        "no free shot"
    )
    assert not table.seen(ConditionGained), "no marker"
    assert [fact.unit for fact in table.seen(UnitMoved)] == ["blue-1"], "the squad does not fall back"


@pytest.mark.rule("fad5/assault.shock-vehicle")
def test_a_shock_vehicle_may_drive_into_infantry_at_standard_speed() -> None:
    far = shocking(at=[(20, 26), (21.2, 26)])
    table = play(far).activates("blue-1")
    assert table.targets("vehicle-assault") == {"red-1": "assault.shock-vehicle", "red-2": "assault.shock-vehicle"}
    table.answers("vehicle-assault-standard", "red-1").answers("ram", driven((20, 23.5)), dice=[1, 1, 1])
    assert len(table.rolled("shock").faces) == 3


@pytest.mark.rule("fad5/assault.shock-vehicle")
@pytest.mark.rule("fad5/vehicle.fire-control.close-support")
@pytest.mark.parametrize(("row", "fires"), [(15.5, ["fire", "hold-fire"]), (19.0, [])])
def test_a_shock_vehicle_fires_as_the_speed_allows_at_which_it_came(row: float, fires: list[str]) -> None:
    tank = vehicle("blue", (20, 10), traits={"shock": 1}, fire_control="close-support", weapons=("machine-gun",))
    table = driving(battle(tank, unit("red", at=[(20, row), (21.2, row)], small_arm="submachine-gun"), SPARE))
    table.answers("ram", driven((20, row - 2.5)), dice=[1])
    assert [choice for choice in table.offered if "fire" in choice] == fires


@pytest.mark.rule("fad5/assault.shock-vehicle-reach")
def test_figures_that_touch_a_shock_vehicle_fall_first_then_those_within_two_inches() -> None:
    # The first touches it, the second and third are within 2 inches, the fourth is not.
    table = driving(shocking(dice=6)).answers("ram", driven((20, 13)), dice=[6, 6, 1, 1, 1, 1])
    assert (table.asked, table.prompt.rule) == ("red", "assault.shock-vehicle-reach")
    assert table.refused("losses", figures("4")).code == "figures"
    table.answers("losses", figures("3"))
    assert table.seen(FiguresFell)[0].figures == ("1", "3")
    more = driving(shocking(dice=6)).answers("ram", driven((20, 13)), dice=[6] * 6)
    assert more.rolled("shock").outcome == "3", "further kills are lost"
    assert more.unit("red-1").strength == 1


@pytest.mark.rule("fad5/assault.shock-vehicle-reach")
@pytest.mark.rule("fad5/assault.powered-deflect")
def test_powered_armour_deflects_what_a_shock_vehicle_does() -> None:
    table = driving(shocking(armour="light-powered")).answers("ram", driven((20, 13)), dice=[6, 1, 1, 5])
    assert (roll_of(table, "deflect", "red-1").marks, table.seen(FiguresFell)) == (("pass",), [])


@pytest.mark.rule("fad5/assault.shock-vehicle-return")
def test_survivors_strike_back_with_weapons_against_armour_unless_they_are_pinned() -> None:
    table = driving(shocking(small_arm="gauss-rifle")).answers("ram", driven((20, 13)), dice=[6, 1, 1, 1, 6, 1, 6])
    hits = [roll for roll in table.seen(Rolled) if roll.purpose == "penetration"]
    # The first has fallen, the fourth is too far away. The line from the second to the hull's centre meets its front, that from
    # the third its side.
    assert [(hit.unit, hit.numbers[1].value) for hit in hits] == [("red-1", 6), ("red-1", 5)]
    assert ("strikes-back", "assault.shock-vehicle-return") in [(one.action, one.rule) for one in table.seen(Declared)]
    pinned = driving(shocking("pinned", small_arm="gauss-rifle")).answers("ram", driven((20, 13)), dice=[6, 1, 1])
    assert "penetration" not in {roll.purpose for roll in pinned.seen(Rolled)}


@pytest.mark.rule("fad5/assault.shock-vehicle-return")
def test_a_weapons_team_strikes_back_though_it_starts_no_assault() -> None:
    crew = [(18.5, 15.5), (20, 15.5), (21.5, 15.5)]
    team = shocking(at=crew, weapon_team=True, support=["machine-gun"], penetrator_grenades=True)
    table = driving(team).chance(1).answers("ram", driven((20, 13)))
    assert ("strikes-back", "assault.shock-vehicle-return") in [(one.action, one.rule) for one in table.seen(Declared)]
    assert [roll.unit for roll in table.seen(Rolled) if roll.purpose == "penetration"]


@pytest.mark.rule("fad5/assault.shock-vehicle")
def test_the_preview_and_the_luck_report_know_shock_vehicles() -> None:
    start = shocking()
    table = play(start).activates("blue-1")
    told = fad5().preview(table.state, table.prompt, Picked("vehicle-assault", (UnitNamed("red-1"),)))
    assert told is not None
    assert {chance.label: chance.value for chance in told.chances} == {
        "Expected losses of the target": "1.5",
        "At least one loss": "88%",
    }

    def played(faces: object) -> object:
        assert isinstance(faces, tuple)
        way = PathsDeclared({"1": ((20_000, 13_000),)})
        done = driving(shocking(dice=2)).answers("ram", way, dice=faces)
        return luck_of(fad5(), shocking(dice=2), done.facts, "shock", "blue-1")

    holds_every_way(2, played)  # type: ignore[arg-type]  # it takes a tuple of faces


@pytest.mark.rule("fad5/assault.shock-vehicle")
@pytest.mark.parametrize("number", [0, 7])
def test_a_shock_vehicle_has_one_to_six_dice(number: int) -> None:
    with pytest.raises(RulesetError, match=f"a shock vehicle with {number} dice; it may have 1 to 6"):
        battle(vehicle("blue", (20, 10), traits={"shock": number}), SPARE)


# --- driving off ------------------------------------------------------------------------------------------------------

RING = [(8.5, 12.5), (10, 12.5), (11.5, 12.5), (11.5, 9), (11.5, 10.8), (8.5, 9), (8.5, 10.8), (10, 7.5)]
"""Places all round a hull of 4" by 2" at (10, 10) that faces north, in contact with it."""


@pytest.mark.rule("fad5/assault.vehicle-damage")
def test_a_vehicle_drives_off_through_the_infantry_that_assaulted_it() -> None:
    other = unit("red", [(10, 22)], figures=1)
    table = play(battle(vehicle("blue", (10, 10)), unit("red", RING), other)).activates("blue-1")
    assert table.refused("drive-out", driven((10, 12))).rule == "move.vehicle-rates", "it may not stand on them"
    through_others = table.refused("drive-out", driven((10, 26)))
    assert through_others.sentence == "The path of Blue 1 runs through an enemy's base; go around it."
    table.answers("drive-out", driven((10, 18)))
    assert table.unit("blue-1").figures["1"].at == (10_000, 18_000)


@pytest.mark.rule("fad5/assault.vehicle-damage")
def test_a_crew_that_falls_back_drives_through_the_infantry_in_contact() -> None:
    state = battle(vehicle("blue", (10, 20), conditions=["crew_shaken"]), unit("red", [(x, y + 10) for x, y in RING]))
    table = play(state).activates("blue-1", dice=[6, 1, 1]).defaults()
    assert [fact.manner for fact in table.seen(UnitMoved)] == ["fall-back"]
