"""Close assaults on vehicles, and by vehicles on infantry (fad4/assault.vehicle-*, fad4/assault.by-vehicle)."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from server.kernel.facts import Declared, FiguresFell, Rolled, UnitLeft, UnitMoved, UnitNoted
from server.kernel.state import State
from server.rulesets.fad.previews.vehicles import preview_strike
from tests.support.battlefield import BattleTable, battle, driven, fad4, lines, paths, piece, play, unit, vehicle

SPARE = unit("red", (30, 44))


def charging(
    *, squad: Mapping[str, object] | None = None, tank: Mapping[str, object] | None = None, **options: object
) -> State:
    """Return a squad of blue's in a line, 4 inches from a vehicle of red's, in a match with these options."""
    block = [(18, 12), (20, 12), (22, 12)]
    own = {"at": block, "quality": "regular", **(squad or {})}
    other = {"at": (20, 18), "facing": 0, "quality": "conscript", "armour": (5, 3, 3), **(tank or {})}
    return battle(unit("blue", **own), vehicle("red", **other), SPARE, options=options)  # type: ignore[arg-type]


def assault(state: State, *nerve: int) -> BattleTable:
    return play(state).activates("blue-1").answers("assault", "red-1", dice=nerve)


# --- infantry against a vehicle -------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.vehicle-nerve")
def test_a_squad_tests_its_nerve_before_it_moves_at_an_armoured_vehicle() -> None:
    table = assault(charging(), 3, 3, 1)
    assert (table.rolled("nerve").rule, table.rolled("nerve").outcome) == ("assault.vehicle-nerve", "goes_in")
    assert table.asked == "blue"
    assert table.path("charge").allowance == 10_000


@pytest.mark.rule("fad4/assault.vehicle-nerve")
def test_without_two_passes_the_assault_falters_and_the_activation_is_over() -> None:
    table = assault(charging(), 3, 2, 1)
    assert [fact.action for fact in table.seen(Declared)] == ["assault", "falters"]
    assert (table.seen(UnitMoved), table.asked) == ([], "red")


@pytest.mark.rule("fad4/assault.vehicle-nerve")
def test_a_soft_skin_takes_no_nerve() -> None:
    assert "charge" in assault(charging(tank={"armour": (2, 0, 0)})).offered


@pytest.mark.rule("fad4/assault.vehicle-charge")
def test_the_vehicle_has_no_free_shot_and_afterwards_neither_side_falls_back() -> None:
    table = assault(charging(), 3, 3, 1)
    assert table.asked == "blue", "red is not asked for a free shot"
    table.defaults(dice=[6, 1, 1, 1])
    assert [fact.unit for fact in table.seen(UnitMoved)] == ["blue-1"]
    assert table.asked == "red"


@pytest.mark.rule("fad4/assault.vehicle-charge")
def test_a_vehicle_drives_off_through_the_infantry_that_touches_it() -> None:
    state = battle(vehicle("blue", (10, 10)), unit("red", [(10, 12.5)], figures=1), unit("red", (30, 44)))
    table = play(state).activates("blue-1").answers("drive-out", driven((10, 16)))
    assert table.unit("blue-1").figures["1"].at == (10_000, 16_000)


@pytest.mark.rule("fad4/assault.vehicle-damage")
def test_each_figure_in_contact_rolls_against_the_weakest_armour() -> None:
    table = assault(charging(), 3, 3, 1).defaults(dice=[4, 1, 2, 3])
    defence, strikes = table.rolled("vehicle_defence"), table.rolled("vehicle_strike")
    assert (lines(defence.numbers[0]), defence.outcome) == ([("assault.vehicle-damage", 7)], "11")
    assert lines(strikes.numbers[0]) == [
        ("assault.vehicle-damage", 0),
        ("assault.charging", 1),
        ("assault.outnumber", 2),
        ("assault.quality", 2),
    ]
    assert (strikes.marks, strikes.outcome) == (("fail", "fail", "fail"), "0"), "6, 7 and 8 against 11"


@pytest.mark.rule("fad4/assault.vehicle-damage")
def test_each_strike_that_penetrates_is_a_token_and_none_is_critical() -> None:
    table = assault(charging(), 3, 3, 1).defaults(dice=[1, 3, 6, 2])
    assert table.rolled("vehicle_strike").marks == ("hit", "hit", "fail"), "8, 11 and 7 against 8"
    assert table.seen(UnitNoted) == [UnitNoted("red-1", "damage_tokens", 2)]
    assert table.unit("red-1").conditions == ("vehicle_damaged",)


@pytest.mark.rule("fad4/assault.vehicle-damage")
def test_enough_strikes_remove_a_vehicle() -> None:
    table = assault(charging(tank={"resolve": "reluctant"}), 3, 3, 1).defaults(dice=[1, 3, 6, 2])
    assert table.seen(UnitLeft) == [UnitLeft("red-1", "destroyed", "damage.vehicle-removed")]


@pytest.mark.rule("fad4/assault.vehicle-damage")
@pytest.mark.parametrize(
    ("charges", "bonus"), [({}, 0), ({"improvised_charges": True}, 1), ({"penetrator_grenades": True}, 4)]
)
def test_a_match_may_let_only_anti_vehicle_charges_count(charges: dict[str, object], bonus: int) -> None:
    strikes = (
        assault(charging(squad=charges, vehicle_assault_modifiers="grenades_only"), 3, 3, 1)
        .defaults(dice=[4, 1, 2, 3])
        .rolled("vehicle_strike")
    )
    assert strikes.numbers[0].value == bonus


@pytest.mark.rule("fad4/assault.vehicle-damage")
@pytest.mark.rule("fad4/assault.outnumber")
def test_only_figures_in_contact_strike_and_all_figures_outnumber_the_vehicle() -> None:
    told = preview_strike(fad4().rules, charging(), "blue-1", "red-1")
    assert ("assault.outnumber", 2) in lines(dict(told.numbers)["Added to each die"])
    table = assault(charging(), 3, 3, 1)
    table.answers("charge", paths(**{"2": [(20, 16.5)]}), dice=[4, 1])
    strikes = table.rolled("vehicle_strike")
    assert len(strikes.faces) == 1
    assert ("assault.outnumber", 2) in lines(strikes.numbers[0])


@pytest.mark.rule("fad4/assault.better-armour")
@pytest.mark.rule("fad4/assault.vehicle-damage")
@pytest.mark.parametrize(("armour", "better"), [((5, 3, 0), True), ((5, 5, 3), False), ((5, 5, 4), False)])
def test_a_squad_strikes_better_whose_armour_exceeds_the_weakest_facing(
    armour: tuple[int, int, int], better: bool
) -> None:
    # Battle dress has 4 + 3, and a soft skin 4.
    table = assault(charging(squad={"armour": "battle-dress"}, tank={"armour": armour}), 3, 3, 1).defaults(
        dice=[6, 1, 1, 1]
    )
    strikes = table.rolled("vehicle_strike")
    assert (("assault.better-armour", 1) in lines(strikes.numbers[0])) == better


# --- a vehicle against infantry -------------------------------------------------------------------------------------


def ramming(*, armour: tuple[int, int, int] = (6, 4, 3), **squad: object) -> BattleTable:
    """Return a table on which a vehicle of blue's has declared an assault on a squad 6 inches ahead."""
    own = {"at": [(9, 20), (11, 20), (13, 20)], "quality": "conscript", **squad}
    state = battle(vehicle("blue", (11, 10), armour=armour), unit("red", **own), SPARE)  # type: ignore[arg-type]
    return play(state).activates("blue-1").answers("vehicle-assault", "red-1")


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_the_squad_has_its_free_shot_and_the_vehicle_drives_into_contact() -> None:
    table = ramming()
    assert (table.asked, table.offered) == ("red", ["free-shot", "hold-fire"])
    table.answers("hold-fire")
    assert table.refused("ram", driven((11, 15))).rule == "assault.by-vehicle"
    # 6 against 1: the vehicle charges (+1), is better armoured (+1) and better trained (+2); red counts 3 against 1 (+2).
    table.defaults(dice=[4, 4, 4, 3, 3, 6, 1])
    assert table.seen(UnitMoved)[-1].manner == "charge"
    assert [roll.purpose for roll in table.seen(Rolled)][:3] == ["assault", "assault", "kills"]


@pytest.mark.rule("fad4/vehicle.damaged-limits")
@pytest.mark.rule("fad4/assault.by-vehicle")
def test_a_vehicle_that_the_free_shot_damages_does_not_assault_and_may_drive() -> None:
    table = ramming(armour=(0, 0, 0)).answers("free-shot", dice=[4, 1, 2])
    assert table.unit("blue-1").conditions == ("vehicle_damaged",)
    assert table.seen(Declared)[-1] == Declared("blue-1", "falls-short", "vehicle.damaged-limits", "red-1")
    assert (table.asked, table.offered) == ("blue", ["drive", "stay"])
    table.answers("drive", driven((11, 6)))
    assert (table.seen(UnitMoved)[-1].manner, table.asked) == ("drive", "red")
    assert not [roll for roll in table.seen(Rolled) if roll.purpose == "assault"]


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_the_vehicle_rolls_two_dice_for_its_score_and_one_to_kill() -> None:
    table = ramming().answers("hold-fire").defaults(dice=[4, 2, 4, 3, 3, 6, 1])
    own = next(roll for roll in table.seen(Rolled) if roll.purpose == "assault")
    assert lines(own.numbers[0]) == [
        ("assault.victor-roll", 4),
        ("assault.charging", 1),
        ("assault.better-armour", 1),
        ("assault.quality", 2),
    ]
    kills = table.rolled("kills")
    assert (kills.faces, kills.marks) == ((3,), ("kill",)), "won: on 3"


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_figures_in_contact_strike_back_without_charging() -> None:
    table = ramming().answers("hold-fire").defaults(dice=[4, 2, 4, 3, 1, 6, 3])
    strike = table.rolled("vehicle_strike")
    assert (strike.unit, strike.target, len(strike.faces)) == ("red-1", "blue-1", 1)
    assert lines(strike.numbers[0]) == [("assault.vehicle-damage", 0), ("assault.outnumber", 2)]


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_a_squad_that_loses_falls_back_and_one_that_is_overrun_is_gone() -> None:
    table = ramming().answers("hold-fire").defaults(dice=[4, 2, 4, 3, 1, 6, 3])
    assert table.prompt.title == "Red 1 falls back"
    over = ramming(figures=1, at=[(11, 20)], quality="rabble").answers("hold-fire").defaults(dice=[6, 6, 1, 6, 3])
    assert over.seen(FiguresFell)[-1].rule == "assault.overrun"


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_a_vehicle_that_loses_backs_off_six_inches_and_is_never_overrun() -> None:
    table = ramming(quality="elite").answers("hold-fire").defaults(dice=[1, 1, 6, 6, 1, 6, 3])
    assert table.prompt.title == "Blue 1 backs off"
    assert table.path("fall-back").allowance == 6_000
    assert table.unit("blue-1").left == ""
    assert table.refused("fall-back", driven((11, 15))).rule == "assault.by-vehicle", (
        "farther off, and not as far as it can"
    )
    table.defaults()
    assert table.seen(UnitMoved)[-1].unit == "blue-1"


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_a_vehicle_assaults_only_infantry_that_it_may_reach_at_cautious_speed() -> None:
    state = battle(vehicle("blue", (11, 10)), vehicle("red", (11, 20)), unit("red", (11, 30)), unit("red", (20, 18)))
    assert play(state).activates("blue-1").targets("vehicle-assault") == {
        "red-1": "assault.by-vehicle",
        "red-2": "move.vehicle-cautious",
        "red-3": "",
    }


@pytest.mark.rule("fad4/assault.declare")
@pytest.mark.rule("fad4/assault.by-vehicle")
@pytest.mark.parametrize(("gap", "why"), [(0, "assault.declare"), (1.5, "assault.declare"), (9, "")])
def test_a_vehicle_assaults_no_squad_to_which_it_has_no_way(gap: float, why: str) -> None:
    """A hull that is 2 inches wide does not get through a gap of 1.5."""
    walls = [piece("building", (0, 16), (20, 17)), piece("building", (20 + gap, 16), (48, 17), id="other")]
    state = battle(vehicle("blue", (14, 13)), unit("red", (14, 20), figures=2), terrain=walls)
    assert play(state).activates("blue-1").targets("vehicle-assault") == {"red-1": why}


@pytest.mark.rule("fad4/assault.by-vehicle")
def test_a_match_may_do_without_assaults_by_vehicles() -> None:
    state = battle(vehicle("blue", (11, 10)), unit("red", (9, 20)), options={"vehicle_assaults": "off"})
    assert "vehicle-assault" not in [choice.key for choice in play(state).activates("blue-1").prompt.choices]
