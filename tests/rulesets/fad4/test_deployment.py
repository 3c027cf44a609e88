"""Deployment: one unit each in turn, or blind."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from client_protocol.choices import Choice, FiguresPlaced, Picked, PlacementParameter
from server.kernel.answers.check import in_zone
from server.kernel.belief import HIDDEN, SPECTATORS, believed
from server.kernel.errors import RulesetError
from server.kernel.facts import PhaseBegan, SideToAct, UnitPlaced
from server.kernel.space.geometry import inches
from server.kernel.space.paths import cohesive
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, fad4, piece, play, unit
from tests.support.tabletop import Row


def undeployed(
    *units: Row, blue: int = 2, red: int = 2, terrain: tuple[Row, ...] = (), options: Mapping[str, object] | None = None
) -> State:
    """Return a state in which no unit is on the table yet."""
    rows = units or (*(unit("blue", None) for _ in range(blue)), *(unit("red", None) for _ in range(red)))
    return battle(*rows, terrain=terrain, options=options, turn=0, phase="deployment", first="", active="")


def placing(choice: Choice) -> PlacementParameter:
    (parameter,) = choice.parameters
    assert isinstance(parameter, PlacementParameter)
    return parameter


def deploys(table: BattleTable, unit_id: str, dx: float = 0, dice: tuple[int, ...] = ()) -> BattleTable:
    """Place a unit where it is suggested, moved to the right by some inches."""
    (places,) = placing(table.choice(f"deploy:{unit_id}")).suggested
    moved = {key: (x + inches(dx), y) for key, (x, y) in places.items()}
    return table.answers(f"deploy:{unit_id}", FiguresPlaced((moved,)), dice=dice)


# --- in turns -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.victory")
def test_the_loser_of_the_roll_deploys_first_and_a_draw_is_rolled_again() -> None:
    assert play(undeployed(), dice=[5, 2]).asked == "red"
    assert play(undeployed(), dice=[2, 5]).asked == "blue"
    again = play(undeployed(), dice=[4, 4, 6, 1])
    assert again.asked == "red"
    assert again.rolled("deployment").faces == (6, 1)


@pytest.mark.rule("fad4/setup.victory")
def test_sides_deploy_one_unit_in_turn_and_a_longer_roster_then_goes_on_alone() -> None:
    table = play(undeployed(blue=1, red=3), dice=[2, 5])
    assert table.offered == ["deploy:blue-1"]
    deploys(table, "blue-1")
    assert (table.asked, table.offered) == ("red", ["deploy:red-1", "deploy:red-2", "deploy:red-3"])
    deploys(table, "red-2")
    assert (table.asked, table.offered) == ("red", ["deploy:red-1", "deploy:red-3"])
    deploys(table, "red-1")
    deploys(table, "red-3", dice=(4, 2))
    assert [fact.unit for fact in table.seen(UnitPlaced)] == ["blue-1", "red-2", "red-1", "red-3"]
    assert [fact.phase for fact in table.seen(PhaseBegan)] == ["turn", "activations"]
    assert table.state.turn.first == "blue", "the winner of the first turn's initiative"


@pytest.mark.rule("fad4/setup.victory")
def test_a_unit_deploys_wholly_in_its_zone_coherent_and_off_impassable_ground() -> None:
    lake = piece("deep_water", (10, 2), (20, 10))
    table = play(undeployed(blue=1, red=1, terrain=(lake,)), dice=[2, 5])
    parameter = placing(table.choice("deploy:blue-1"))
    assert (parameter.gaps, parameter.gap_rule) == ((inches(4),), "coherency.distance")

    def at(*places: tuple[float, float]) -> FiguresPlaced:
        return FiguresPlaced(({str(i): (inches(x), inches(y)) for i, (x, y) in enumerate(places, 1)},))

    row = [(30 + 2.0 * i, 5.0) for i in range(6)]
    for wrong, code in (
        (at(*row[:5], (40, 11.51)), "zone"),
        (at(*row[:5], (34.5, 5)), "on_base"),
        (at(*[(21 + 2.0 * i, 5.0) for i in range(5)], (20, 5)), "impassable"),
        (at(*row[:5], (43.01, 5)), "coherency"),
        (at(*row[:5]), "places"),
    ):
        assert table.refused("deploy:blue-1", wrong).code == code
    table.answers("deploy:blue-1", at(*row))


@pytest.mark.rule("fad4/setup.victory")
def test_the_suggested_deployment_is_legal_in_a_crowded_zone() -> None:
    table = play(undeployed(blue=8, red=8), dice=[2, 5])
    while table.state.turn.phase == "deployment":
        last = sum(not u.on_table for u in table.state.units.values()) == 1
        table.defaults(dice=[4, 2] if last else [])
    for squad in table.state.units.values():
        places = squad.places()
        zone = table.state.sides[squad.side].zone
        assert all(in_zone(at, radius, zone) for at, radius in places)
        assert cohesive([at for at, _ in places], [radius for _, radius in places], inches(4))


@pytest.mark.rule("fad4/setup.victory")
def test_a_setup_whose_zone_has_no_space_for_all_units_is_refused() -> None:
    with pytest.raises(RulesetError, match="deployment zone of Blue has no free space for Blue 1"):
        undeployed(blue=1, red=1, terrain=(piece("deep_water", (0, 0), (48, 11.5)),))


@pytest.mark.parametrize("scenario", [scenario.id for scenario in fad4().info.scenarios])
def test_the_zones_of_every_scenario_have_space_for_its_units(scenario: str) -> None:
    fad4().admit(fad4().open(scenario, {}))


# --- blind ----------------------------------------------------------------------------------------------------------


def blind() -> BattleTable:
    return play(undeployed(options={"deployment": "blind"}))


def suggested(table: BattleTable, seat: str, dx: float = 0) -> Picked:
    (places, *more) = placing(table.prompts[seat].choices[0]).suggested
    moved = {key: (x + inches(dx), y) for key, (x, y) in places.items()}
    return Picked("deploy", (FiguresPlaced((moved, *more)),))


@pytest.mark.rule("fad4/setup.victory")
def test_in_blind_deployment_both_sides_place_all_units_at_once() -> None:
    table = blind()
    assert list(table.prompts) == ["blue", "red"]
    for seat in ("blue", "red"):
        assert placing(table.prompts[seat].choices[0]).units == (f"{seat}-1", f"{seat}-2")
    table.answers("deploy", *suggested(table, "red").values, seat="red")
    assert table.seen(UnitPlaced) == []
    table.answers("deploy", *suggested(table, "blue").values, seat="blue", dice=[4, 2])
    assert [fact.unit for fact in table.seen(UnitPlaced)] == ["blue-1", "blue-2", "red-1", "red-2"]
    assert table.seen(SideToAct) == [], "no side goes first"


@pytest.mark.rule("fad4/setup.victory")
def test_in_blind_deployment_places_are_hidden_until_both_sides_are_done() -> None:
    worlds = []
    for dx in (0, 0.1):
        table = blind()
        table.answers("deploy", *suggested(table, "red", dx).values, seat="red")
        worlds.append(table.state)
    one, other = worlds
    assert one != other
    for audience in ("blue", SPECTATORS):
        assert believed(one, audience) == believed(other, audience)
        assert believed(one, audience).sealed == {"red": HIDDEN}
    assert believed(one, "red") != believed(other, "red")


@pytest.mark.rule("fad4/setup.victory")
def test_in_blind_deployment_a_side_may_change_its_answer_until_the_other_is_done() -> None:
    table = blind()
    first, second = suggested(table, "red"), suggested(table, "red", 0.1)
    table.answers("deploy", *first.values, seat="red").answers("deploy", *second.values, seat="red")
    table.answers("deploy", *suggested(table, "blue").values, seat="blue", dice=[4, 2])
    (value,) = second.values
    assert isinstance(value, FiguresPlaced)
    assert {key: f.at for key, f in table.unit("red-1").figures.items()} == value.places[0]


@pytest.mark.rule("fad4/setup.victory")
def test_in_blind_deployment_a_side_without_units_to_place_is_not_asked() -> None:
    state = undeployed(unit("blue", None), unit("red", (6, 40)), options={"deployment": "blind"})
    table = play(state)
    assert table.asked == "blue"
    table.defaults(dice=[4, 2])
    assert table.state.turn.number == 1
