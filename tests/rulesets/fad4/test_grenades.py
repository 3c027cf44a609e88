"""Special grenades in close assaults (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.kernel.facts import Noted, Rolled, UnitMoved
from server.kernel.notes import Note
from server.kernel.space.geometry import distance
from server.kernel.state import State
from server.rulesets.fad.supply import SUPPLY
from tests.rulesets.fad4.assaults import assault, charge, score
from tests.support.battlefield import BattleTable, battle, facing, fad4, play, unit, vehicle
from tests.support.lucky import holds_every_way, luck_of

RULE = "fad4/tech.weapon-tables"
GRENADES = "tech.weapon-tables.grenades"
HAZE, DEFENSIVE, JINX, RAZORFIELD = (f"{name}_grenades" for name in ("haze", "defensive", "jinx", "razorfield"))
THREE: dict[str, object] = {"figures": 3}


def issued(*grenades: str, **other: object) -> dict[str, object]:
    return {**THREE, "traits": dict.fromkeys(grenades, True), **other}


def fought(dice: list[int], blue: dict[str, object], red: dict[str, object]) -> BattleTable:
    return charge(assault(facing(8, blue=blue, red=red)), dice)


@pytest.mark.rule(RULE)
def test_a_free_shot_at_squads_with_haze_grenades_needs_a_passed_quality_test() -> None:
    state = facing(8, blue=issued(HAZE), red=THREE)
    blind = assault(state, shot=[2])
    haze = blind.rolled("haze")
    assert (haze.unit, haze.marks, haze.rule) == ("red-1", ("fail",), GRENADES)
    assert blind.asked == "blue", "it charges without having been shot at"
    assert [fact.purpose for fact in blind.seen(Rolled)] == ["haze"]
    seen = assault(state, shot=[3, 1, 1, 1])
    assert [fact.purpose for fact in seen.seen(Rolled)] == ["haze", "fire_effect", "damage"]
    told = fad4().story(blind.state, haze)
    assert told is not None
    assert told.text == "Red 1 sees nothing in the haze, and does not fire."


@pytest.mark.rule(RULE)
def test_the_preview_of_a_free_shot_says_how_likely_it_is_fired_through_haze() -> None:
    table = play(facing(8, blue=issued(HAZE), red=THREE)).activates("blue-1").answers("assault", "red-1")
    told = fad4().preview(table.state, table.prompt, table.prompt.default)
    assert told is not None
    assert [row.value for row in told.chances if "haze" in row.label] == ["67%"]


@pytest.mark.rule(RULE)
def test_defensive_grenades_add_one_to_those_who_are_charged() -> None:
    dice = [4, 1, 4, 2, *[1] * 6]
    table = fought(dice, issued(DEFENSIVE), issued(DEFENSIVE))
    assert score(table, "red-1") == [(GRENADES, 1)]
    assert score(table, "blue-1") == [("assault.charging", 1)]


@pytest.mark.rule(RULE)
def test_jinx_grenades_add_one_against_powered_armour_and_cancel_its_saves() -> None:
    powered: dict[str, object] = {**THREE, "armour": "light-powered"}
    # 1 + 1 + 1 + 1 for better armour + 3 for the suits = 6 against 4 + 1: red loses and kills on 6; blue kills on 4.
    table = fought([1, 1, 4, 2, *[1] * 6, 6, 1, 1], powered, issued(JINX))
    assert score(table, "red-1") == [(GRENADES, 1)]
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "deflect"]
    assert score(fought([3, 1, 4, 2, *[1] * 6], THREE, issued(JINX)), "red-1") == []


def beaten(state_of_red: dict[str, object]) -> BattleTable:
    """Return a fight that red loses: 6 + 1 against 4."""
    return fought([6, 1, 4, 2, *[1] * 6], THREE, state_of_red)


def with_note(note: Note) -> State:
    state = facing(8, blue=THREE, red=issued(RAZORFIELD))
    return replace(state, book={**state.book, SUPPLY: note})


def how_far(table: BattleTable, state: State) -> dict[str, int]:
    """Return how far the first figure of each unit fell back, in whole inches. The table began with `state`."""
    found = {}
    for fact in table.facts:
        if isinstance(fact, UnitMoved) and fact.manner == "fall-back":
            at = state.units[fact.unit].figures["1"].at
            assert at is not None
            found[fact.unit] = round(distance(at, fact.paths["1"][-1]) / 1000)
        state = fact.fold(state)
    return found


@pytest.mark.rule(RULE)
def test_a_squad_that_loses_may_make_its_enemy_fall_back_with_a_razorfield() -> None:
    table = beaten(issued(RAZORFIELD))
    assert (table.asked, table.offered) == ("red", ["razorfield", "no-razorfield"])
    kept = beaten(issued(RAZORFIELD)).answers("no-razorfield").defaults()
    assert [fact.unit for fact in kept.seen(UnitMoved) if fact.manner == "fall-back"] == ["red-1"]
    table.answers("razorfield", dice=[3]).defaults().defaults()
    back = [(fact.unit, fact.rule) for fact in table.seen(UnitMoved) if fact.manner == "fall-back"]
    assert back == [("red-1", "assault.fall-back"), ("blue-1", GRENADES)]
    assert how_far(table, facing(8, blue=THREE, red=issued(RAZORFIELD)))["blue-1"] == 6
    assert (table.rolled("supply").marks, table.seen(Noted)) == (("pass",), [])


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad4/tech.weapon-tables")
def test_razorfields_run_out_after_one_more_use_when_the_die_shows_two_or_less() -> None:
    table = beaten(issued(RAZORFIELD)).answers("razorfield", dice=[2])
    assert table.state.book[SUPPLY] == (("red-1", "Razorfield grenades", 1),)
    card = [line.value for line in fad4().card(table.state, table.unit("red-1")) if line.label == "Supply"]
    assert card == ["Razorfield grenades: one use left"]
    table = charge(assault(with_note((("red-1", "Razorfield grenades", 1),))), [6, 1, 4, 2, *[1] * 6]).answers(
        "razorfield"
    )
    assert table.state.book[SUPPLY] == (("red-1", "Razorfield grenades", 0),)
    table = charge(assault(with_note((("red-1", "Razorfield grenades", 0),))), [6, 1, 4, 2, *[1] * 6])
    assert table.offered == ["fall-back"]


@pytest.mark.rule(RULE)
def test_after_a_draw_a_razorfield_makes_the_enemy_fall_back_six_inches_in_place_of_three() -> None:
    table = fought([1, 1, 2, 2, *[1] * 6], THREE, issued(RAZORFIELD)).answers("razorfield", dice=[6])
    while table.offered == ["fall-back"]:
        table.defaults()
    assert how_far(table, facing(8, blue=THREE, red=issued(RAZORFIELD))) == {"blue-1": 6, "red-1": 3}


@pytest.mark.rule(RULE)
def test_a_razorfield_makes_a_vehicle_back_off_too() -> None:
    tank = vehicle("blue", (10, 10), armour=(5, 3, 3))
    state = battle(tank, unit("red", (10, 16), **issued(RAZORFIELD)), unit("red", (20, 40)))  # type: ignore[arg-type]
    table = play(state).activates("blue-1").answers("vehicle-assault", "red-1")
    if "hold-fire" in table.offered:
        table.answers("hold-fire")
    table.chance(3).defaults()
    while table.prompts and table.offered[0] != "razorfield":
        table.defaults()
    table.answers("razorfield", dice=[6])
    assert "fall-back" in table.offered


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_the_luck_report_counts_supplies_that_last() -> None:
    start = facing(8, blue=THREE, red=issued(RAZORFIELD))

    def played(faces: object) -> object:
        assert isinstance(faces, tuple)
        table = beaten(issued(RAZORFIELD)).answers("razorfield", dice=faces)
        return luck_of(fad4(), start, table.facts, "supply", "red-1")

    holds_every_way(1, played)  # type: ignore[arg-type]  # it takes a tuple of faces


def test_a_file_with_supplies_that_cannot_be_read_is_refused() -> None:
    notes: tuple[Note, ...] = ("none", (("red-1", "Razorfield grenades", 7),), (("red-9", "Razorfield grenades", 1),))
    for note in notes:
        with pytest.raises(RulesetError, match="supply"):
            fad4().admit(with_note(note))
