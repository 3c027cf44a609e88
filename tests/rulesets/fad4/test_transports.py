"""Troops in vehicles of FAD 4: getting in and off, shooting from aboard, and what a lost vehicle means for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    FiguresPlaced,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    UnitNamed,
)
from server.kernel.bodies import apart, bodies
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ActivationBegan,
    ConditionGained,
    Declared,
    FiguresFell,
    Rolled,
    UnitBoarded,
    UnitLeft,
    UnitMoved,
    UnitPlaced,
)
from server.kernel.standing import TOUCH
from server.kernel.state import State
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import load
from server.rulesets.fad.vehicles.transport import seats_free
from server.rulesets.shared.turns import DEPLOYMENT
from tests.support.battlefield import BattleTable, battle, fad4, lines, piece, play, unit, vehicle
from tests.support.tabletop import Row

SOFT = (0, 0, 0)
HARD = (6, 4, 3)
ALONGSIDE = [(8.1 + 1.2 * n, 8.5) for n in range(4)]
"""Places in contact with the south side of a hull of 4" by 2" at (10, 10) that faces east."""


def loaded(
    *others: Row,
    armour: tuple[int, int, int] = HARD,
    weapons: Sequence[str] = ("light-auto-cannon",),
    squad: Mapping[str, object] | None = None,
    carrier: Mapping[str, object] | None = None,
    terrain: Sequence[Row] = (),
    **position: object,
) -> State:
    """Return a carrier at (10, 10) that faces north, with blue-2 aboard, and a red squad at (6, 40)."""
    wheels = {"mobility": "wheel", **(carrier or {})}
    return battle(
        vehicle("blue", (10, 10), seats=10, armour=armour, weapons=weapons, **wheels),  # type: ignore[arg-type]
        unit("blue", None, aboard="blue-1", **{"figures": 4, **(squad or {})}),  # type: ignore[arg-type]
        *(others or (unit("red", (6, 40)),)),
        terrain=terrain,
        **position,  # type: ignore[arg-type]
    )


def outside(
    *others: Row, at: object = None, seats: int = 10, squad: Mapping[str, object] | None = None, **position: object
) -> State:
    """Return an empty carrier at (10, 10) that faces east, and a squad in contact with its south side, or `at` some places."""
    return battle(
        vehicle("blue", (10, 10), facing=0, seats=seats),
        unit("blue", ALONGSIDE if at is None else at, figures=4, **(squad or {})),  # type: ignore[arg-type]
        *(others or (unit("red", (6, 40)),)),
        **position,  # type: ignore[arg-type]
    )


def placed(*at: tuple[float, float]) -> FiguresPlaced:
    """Return places in inches for figures 1, 2 and so on of one squad."""
    return FiguresPlaced(({str(n): (round(1000 * x), round(1000 * y)) for n, (x, y) in enumerate(at, 1)},))


def placement(table: BattleTable, key: str = "let-off:blue-2") -> PlacementParameter:
    """Return the placement that a choice asks for."""
    (parameter,) = table.choice(key).parameters
    assert isinstance(parameter, PlacementParameter)
    return parameter


def suggested(table: BattleTable, key: str = "let-off:blue-2") -> FiguresPlaced:
    """Return the placement that a choice suggests."""
    return FiguresPlaced(placement(table, key).suggested)


def way(*points: tuple[float, float]) -> PathsDeclared:
    """Return a vehicle's way through these points in inches."""
    return PathsDeclared({"1": tuple((round(1000 * x), round(1000 * y)) for x, y in points)})


def lets_off(table: BattleTable, dice: Sequence[int] = ()) -> BattleTable:
    """Activate the carrier and let blue-2 off where the server suggests."""
    table.activates("blue-1")
    return table.answers("let-off:blue-2", suggested(table), dice=dice)


# --- one unit -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/transport.single-unit")
def test_a_vehicle_and_the_squad_aboard_activate_as_one() -> None:
    table = play(loaded())
    assert table.targets("activate") == {"blue-1": ""}
    table.activates("blue-1").answers("drive-out", way((10, 26)))
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1", "blue-2"]
    assert table.unit("blue-2").aboard == "blue-1"
    assert table.prompt.title == "Activate one of your units"
    assert table.asked == table.state.sides["red"].seat


@pytest.mark.rule("fad4/transport.single-unit")
def test_no_card_is_in_the_deck_for_a_squad_aboard() -> None:
    state = loaded(options={"activation": "cards"}, phase="turn", turn=0, first="", active="")
    table = play(state, dice=[1])
    deck = fad4().deck(table.state)
    assert table.state.turn.unit == "blue-1"
    assert deck is not None
    assert deck.left == {"blue": 0, "red": 1}


@pytest.mark.rule("fad4/transport.single-unit")
def test_a_squad_aboard_is_no_target() -> None:
    table = play(loaded(unit("red", (6, 20)), active="red", first="red"))
    table.activates("red-1")
    assert table.targets("open-fire") == {"blue-1": ""}


@pytest.mark.rule("fad4/transport.single-unit")
def test_seats_are_counted_for_bulky_armour_and_heavy_weapons() -> None:
    book = load("fad4")
    suit = replace(book.armours["light"], traits={"powered": True})
    gun = replace(book.support_weapons["plasma-rifle"], traits={"heavy": True})
    bulky = replace(
        book,
        armours={**book.armours, "light": suit},
        support_weapons={**book.support_weapons, "plasma-rifle": gun},
    )
    edition = FadRuleset("fad4", bulky)
    state = loaded(squad={"support": ["plasma-rifle"]})
    assert seats_free(fad4().rules, state, "blue-1") == 6
    assert seats_free(edition.rules, state, "blue-1") == 10 - 4 * 2 - 1
    crowded = loaded(squad={"support": ["plasma-rifle"], "figures": 5})
    with pytest.raises(RulesetError, match="Blue 1 has 10 seats, and those aboard take up 11"):
        edition.admit(crowded)


@pytest.mark.rule("fad4/transport.single-unit")
def test_a_heavy_weapon_that_a_figure_of_a_squad_serves_takes_a_seat_besides_its_crew() -> None:
    state = loaded(squad={"support": ["light-mortar"]})
    assert seats_free(fad4().rules, state, "blue-1") == 10 - 4 - 1


@pytest.mark.rule("fad4/transport.single-unit")
def test_resolve_is_checked_only_for_a_squad_that_wants_to_get_off() -> None:
    squad = {"figures": 6, "lost": 4, "resolve": "reluctant"}
    quiet = play(loaded(squad=squad)).activates("blue-1").holds()
    assert not quiet.seen(Rolled)
    # One pass: it falls back, and stays aboard; the vehicle acts on.
    table = lets_off(play(loaded(squad=squad)), dice=[6, 1, 1])
    assert table.unit("blue-2").aboard == "blue-1"
    assert table.unit("blue-2").conditions == ("broken",)
    assert "let-off:blue-2" not in table.offered
    table.answers("drive-out", way((10, 26)))
    assert [fact.unit for fact in table.seen(UnitMoved)] == ["blue-1"]
    assert table.unit("blue-2").activated == 1


@pytest.mark.rule("fad4/transport.single-unit")
def test_a_squad_that_routs_when_it_should_get_off_is_gone() -> None:
    squad = {"figures": 6, "lost": 4, "resolve": "reluctant"}
    table = lets_off(play(loaded(squad=squad)), dice=[1, 1, 1])
    assert table.unit("blue-2").left == "routed"
    assert table.unit("blue-2").aboard == ""
    assert "drive-fire" in table.offered


@pytest.mark.rule("fad4/transport.single-unit")
def test_a_squad_may_be_deployed_aboard() -> None:
    state = battle(
        vehicle("blue", None, seats=4),
        unit("blue", None, figures=4),
        unit("blue", None, figures=5),
        unit("red", None, figures=1),
        phase=DEPLOYMENT,
        turn=0,
        first="",
        active="blue",
    )
    table = play(state)
    table.answers("deploy:blue-1", FiguresPlaced(placement(table, "deploy:blue-1").suggested))
    table.answers("deploy:red-1", FiguresPlaced(placement(table, "deploy:red-1").suggested))
    assert [key for key in table.offered if key.startswith("board:")] == ["board:blue-2:blue-1"]
    table.answers("board:blue-2:blue-1")
    assert table.unit("blue-2").aboard == "blue-1"
    assert table.offered == ["deploy:blue-3"]


# --- getting in -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/transport.embark")
def test_a_squad_that_ends_its_move_in_contact_may_get_in() -> None:
    table = play(outside()).activates("blue-2").answers("move-fire", PathsDeclared({}))
    assert table.offered == ["board:blue-1", "stay-out"]
    table.answers("board:blue-1")
    assert table.seen(UnitBoarded) == [UnitBoarded("blue-2", "blue-1", "transport.embark")]
    assert table.unit("blue-2").places() == []


@pytest.mark.rule("fad4/transport.embark")
def test_one_figure_without_contact_keeps_the_whole_squad_out() -> None:
    apart_by_more = [*ALONGSIDE[:3], (11.7, 8.47)]
    table = play(outside(at=apart_by_more)).activates("blue-2").answers("move-out", PathsDeclared({}))
    assert not table.seen(UnitBoarded)
    assert table.asked == table.state.sides["red"].seat


@pytest.mark.rule("fad4/transport.embark")
@pytest.mark.parametrize(("off", "manner"), [(4, "move"), (9, "rush")])
def test_the_server_finds_the_way_into_contact_for_all_figures(off: float, manner: str) -> None:
    away = [(6 + 2.5 * n, 11.5 + off) for n in range(4)]
    table = play(outside(at=away)).activates("blue-2")
    key = f"embark:{manner}:blue-1"
    assert key in table.offered
    table.answers(key)
    moved = table.seen(UnitMoved)[-1]
    assert moved.manner == manner
    assert table.unit("blue-2").aboard == "blue-1"


@pytest.mark.rule("fad4/transport.embark")
def test_no_way_is_offered_beyond_a_rush() -> None:
    table = play(outside(at=(10, 30))).activates("blue-2")
    assert not [key for key in table.offered if key.startswith("embark:")]


@pytest.mark.rule("fad4/transport.embark")
def test_a_squad_without_seats_for_all_does_not_get_in() -> None:
    table = play(outside(seats=3)).activates("blue-2")
    assert not [key for key in table.offered if key.startswith("embark:")]
    table.answers("move-out", PathsDeclared({}))
    assert not table.seen(UnitBoarded)


@pytest.mark.rule("fad4/transport.embark")
@pytest.mark.parametrize(("seats", "boards"), [(4, (("blue-1", TOUCH),)), (3, ())])
def test_a_move_names_the_vehicles_with_seats_for_all(seats: int, boards: tuple[tuple[str, int], ...]) -> None:
    table = play(outside(seats=seats)).activates("blue-2")
    for key in ("move-fire", "move-out"):
        (way,) = table.choice(key).parameters
        assert isinstance(way, PathParameter)
        assert way.boards == boards


@pytest.mark.rule("fad4/transport.embark")
def test_a_squad_may_shoot_first_and_get_in_afterwards() -> None:
    table = play(outside(unit("red", (6, 20)))).activates("blue-2")
    table.answers("fire-move", "red-1", dice=[1, 1])
    table.answers("embark:move:blue-1")
    assert table.unit("blue-2").aboard == "blue-1"


@pytest.mark.rule("fad4/transport.single-unit")
def test_a_vehicle_that_takes_on_a_squad_has_activated_with_it() -> None:
    table = play(outside(unit("red", (6, 40)), unit("red", (26, 40))))
    table.activates("blue-2").answers("embark:move:blue-1")
    assert table.unit("blue-1").activated == 1
    table.activates("red-1").holds()
    assert table.asked == table.state.sides["red"].seat, "blue has no unit left to activate"


# --- getting off ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/transport.disembark")
def test_a_squad_that_gets_off_stands_within_3_inches_and_may_shoot() -> None:
    table = lets_off(play(loaded(unit("red", (6, 25)))))
    hull = bodies(table.unit("blue-1")).values()
    assert all(apart([own], hull) <= 3000 for own in bodies(table.unit("blue-2")).values())
    table.answers("hold-fire")
    assert table.offered == ["fire", "hold"]
    table.chance(1).answers("fire", "red-1")
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert table.seen(Declared)[-1].unit == "blue-2"


@pytest.mark.rule("fad4/transport.disembark")
def test_places_beyond_3_inches_and_out_of_coherency_are_refused() -> None:
    table = play(loaded()).activates("blue-1")
    row = [(8.5, 11), (8.5, 12.1), (8.5, 13.2), (8.5, 9.9)]
    assert table.refused("let-off:blue-2", placed((5.4, 10), *row[1:])).code == "zone"
    assert table.refused("let-off:blue-2", placed(row[0], row[1], row[2], (12.5, 7))).code == "coherency"
    table.answers("let-off:blue-2", placed(*row))
    assert table.seen(UnitPlaced)[-1].places["4"] == (8500, 9900)


@pytest.mark.rule("fad4/transport.disembark")
def test_figures_walk_from_the_hull_to_their_places() -> None:
    # A cliff along the west side: beyond it there is space, but no way of 3".
    cliff = piece("cliff", (7.5, 0), (8, 30))
    table = play(loaded(terrain=[cliff])).activates("blue-1")
    refusal = table.refused("let-off:blue-2", placed((6.9, 10), (6.9, 11), (6.9, 12), (6.9, 9)))
    assert refusal.code == "landing"
    # In woods the same way costs twice as much.
    woods = piece("dense_woods", (2, 0), (9, 30))
    deep, near = [(6.9, 9.0 + n) for n in range(4)], [(7.4, 9.0 + n) for n in range(4)]
    table = play(loaded(terrain=[woods])).activates("blue-1")
    assert table.refused("let-off:blue-2", placed(*deep)).code == "landing"
    table.answers("let-off:blue-2", placed(*near))


@pytest.mark.rule("fad4/transport.disembark")
def test_a_squad_that_gets_off_charges_no_farther_than_the_bonus() -> None:
    # Set down on the north side; red stands 4" from there, or a little more.
    places = placed((9, 13), (10.1, 13), (11.2, 13), (12.3, 13))
    for off, offered in ((4.0, True), (4.1, False)):
        table = play(loaded(unit("red", (9, 14 + off), figures=4))).activates("blue-1")
        table.answers("let-off:blue-2", places).answers("hold-fire")
        assert ("assault" in table.offered) == offered


@pytest.mark.rule("fad4/underfire.move-penalty")
def test_a_squad_under_fire_that_gets_off_charges_as_far_as_the_bonus() -> None:
    table = play(loaded(unit("red", (9, 18), figures=4), squad={"conditions": ["under_fire"]})).activates("blue-1")
    table.answers("let-off:blue-2", placed((9, 13), (10.1, 13), (11.2, 13), (12.3, 13))).answers("hold-fire")
    assert table.targets("assault")["red-1"] == ""


@pytest.mark.rule("fad4/transport.disembark")
def test_the_target_of_a_charge_out_of_a_vehicle_has_its_free_shot() -> None:
    table = play(loaded(unit("red", (9, 17), figures=4))).activates("blue-1")
    table.answers("let-off:blue-2", placed((9, 13), (10.1, 13), (11.2, 13), (12.3, 13))).answers("hold-fire")
    table.answers("assault", "red-1")
    assert table.offered == ["free-shot", "hold-fire"]
    assert table.asked == table.state.sides["red"].seat
    table.answers("hold-fire")
    assert table.path("charge").allowance == 4000


@pytest.mark.rule("fad4/transport.disembark")
@pytest.mark.rule("fad4/move.variable")
def test_with_rolled_moves_a_squad_is_still_set_down_within_3_inches_and_charges_4_without_dice() -> None:
    places = placed((9, 13), (10.1, 13), (11.2, 13), (12.3, 13))
    rolled = {"variable_movement": "on"}
    table = play(loaded(unit("red", (9, 18.1), figures=4), options=rolled)).activates("blue-1")
    far = placed(*[(9 + 1.1 * number, 15.6) for number in range(4)])
    assert table.refused("let-off:blue-2", far).code == "zone", "3.1 inches from the hull"
    table.answers("let-off:blue-2", places).answers("hold-fire")
    assert "assault" not in table.offered
    table = play(loaded(unit("red", (9, 17), figures=4), options=rolled)).activates("blue-1")
    table.answers("let-off:blue-2", places).answers("hold-fire")
    told = fad4().preview(table.state, table.prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert told is not None
    assert "Reaches contact" not in [row.label for row in told.chances], "it is sure"
    table.answers("assault", "red-1").answers("hold-fire")
    assert table.choice("charge").consequence == "All figures close in afterwards."
    assert fad4().preview(table.state, table.prompt, table.prompt.default) is None
    table.chance(1).defaults()
    assert [fact.purpose for fact in table.seen(Rolled)][:2] == ["assault", "assault"], "no die says how far it comes"
    assert table.seen(UnitMoved)[0].manner == "charge"


@pytest.mark.rule("fad4/transport.disembark")
def test_by_agreement_only_enemies_in_contact_are_assaulted() -> None:
    near, touching = (9, 14.5), (9, 14)
    for at, offered in ((near, False), (touching, True)):
        state = loaded(unit("red", at, figures=1), options={"disembark_charge": "off"})
        table = play(state).activates("blue-1")
        table.answers("let-off:blue-2", placed((9, 13), (10.1, 13), (11.2, 13), (12.3, 13))).answers("hold-fire")
        assert ("assault" in table.offered) == offered


@pytest.mark.rule("fad4/transport.disembark-vehicle")
def test_a_vehicle_that_lets_troops_off_fires_and_does_not_drive() -> None:
    table = lets_off(play(loaded(unit("red", (6, 25)))))
    assert table.prompt.title == "Blue 1 may fire"
    assert table.offered == ["fire", "hold-fire"]
    table.answers("fire", Assigned({"m1": "red-1"}), dice=[2, 1])
    # fad4/action.engage-vehicle: no bonus of Open Fire
    assert "action.open-fire" not in dict(lines(table.fire_effect))
    assert not table.seen(UnitMoved)
    assert table.prompt.title == "Blue 2 has got off"


@pytest.mark.rule("fad4/transport.disembark-vehicle")
def test_a_vehicle_lets_several_squads_off() -> None:
    second = unit("blue", None, aboard="blue-1", figures=5)
    table = lets_off(play(loaded(second, unit("red", (6, 40)))))
    assert table.offered == ["let-off:blue-3", "no-more-off"]
    table.answers("let-off:blue-3", suggested(table, "let-off:blue-3")).answers("hold-fire").holds().holds()
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1", "blue-2", "blue-3"]


@pytest.mark.rule("fad4/vehicle.damaged-limits")
def test_a_damaged_vehicle_lets_troops_off_and_does_not_fire() -> None:
    state = loaded(unit("red", (6, 25)), carrier={"conditions": ["vehicle_damaged"], "damage_tokens": 1})
    table = play(state).activates("blue-1", dice=[6, 1, 1])
    table.answers("let-off:blue-2", suggested(table))
    assert table.prompt.title == "Blue 2 has got off"


@pytest.mark.rule("fad4/transport.separate-next-turn")
def test_a_squad_that_has_got_off_activates_on_its_own_next_turn() -> None:
    table = lets_off(play(loaded())).answers("hold-fire").holds()
    assert table.asked == table.state.sides["red"].seat
    table.activates("red-1").holds(dice=[6, 1])
    assert table.state.turn.number == 2
    assert table.targets("activate") == {"blue-1": "", "blue-2": ""}


@pytest.mark.rule("fad4/move.fly")
def test_a_vehicle_in_the_air_takes_on_no_troops_and_lets_none_off() -> None:
    table = play(loaded(carrier={"mobility": "fly"})).activates("blue-1")
    why = table.barred("let-off:blue-2")
    assert why is not None
    assert why.rule == "move.fly"


# --- fire from aboard -----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/transport.soft-skin-fire")
def test_a_squad_shoots_from_a_soft_skinned_vehicle_after_it_drove_cautiously() -> None:
    table = play(loaded(unit("red", (10, 30)), armour=SOFT, weapons=())).activates("blue-1")
    table.answers("drive-fire", way((10, 15)))
    assert table.prompt.title == "Blue 2 may fire from Blue 1"
    table.chance(1).answers("fire", "red-1")
    # From the hull's front at 17" to the base at 29.5": close range is 3" x 5.
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert table.rolled("fire_effect").unit == "blue-2"


@pytest.mark.rule("fad4/transport.soft-skin-fire")
def test_a_squad_aboard_shoots_with_the_bonus_of_open_fire() -> None:
    table = play(loaded(unit("red", (10, 25)), armour=SOFT)).activates("blue-1")
    table.chance(1).answers("fire-all", Assigned({"m1": "red-1"}))
    table.chance(1).answers("open-fire", "red-1")
    assert ("action.open-fire", 2) in lines(table.fire_effect)


@pytest.mark.rule("fad4/transport.soft-skin-fire")
def test_a_squad_opens_fire_from_a_vehicle_without_weapons() -> None:
    table = play(loaded(unit("red", (10, 25)), armour=SOFT, weapons=())).activates("blue-1")
    table.answers("fire-aboard").chance(1).answers("open-fire", "red-1")
    assert ("action.open-fire", 2) in lines(table.fire_effect)


@pytest.mark.rule("fad4/transport.soft-skin-fire")
def test_no_squad_shoots_after_move_out_or_from_behind_armour() -> None:
    out = play(loaded(unit("red", (10, 40)), armour=SOFT)).activates("blue-1").answers("drive-out", way((10, 26)))
    assert out.asked == out.state.sides["red"].seat
    armoured = play(loaded(unit("red", (10, 25)), armour=(0, 0, 3))).activates("blue-1")
    assert "fire-aboard" not in armoured.offered
    armoured.holds()
    assert armoured.asked == armoured.state.sides["red"].seat


# --- a lost vehicle -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/transport.destroyed-by-fire")
def test_passengers_of_a_vehicle_that_is_shot_to_pieces_are_killed_on_4() -> None:
    state = loaded(
        unit("red", (8, 20)),
        armour=SOFT,
        carrier={"resolve": "reluctant", "damage_tokens": 1},
        active="red",
        first="red",
    )
    table = play(state).activates("red-1")
    # Open Fire: 6 + 2 + 1 + 2 riflemen = 11, hits in the open; then damage; then a die for each passenger.
    table.chance(12).answers("open-fire", "blue-1")
    assert table.unit("blue-1").left == "destroyed"
    roll = table.rolled("passengers")
    assert roll.numbers[0].value == 4
    assert roll.faces == (3, 2, 4, 1)
    assert roll.marks == ("pass", "pass", "fail", "pass")
    assert table.seen(FiguresFell)[-1].cause == "passengers"
    assert table.asked == table.state.sides["blue"].seat
    table.defaults()
    survivors = table.unit("blue-2")
    assert survivors.strength == 3
    assert survivors.conditions == ("under_fire",)
    assert not survivors.aboard
    assert table.targets("activate") == {"blue-2": ""}, "it has not activated, and is a unit of its own now"


@pytest.mark.rule("fad4/transport.destroyed-by-fire")
def test_passengers_get_out_unharmed_when_the_vehicle_is_beyond_repair() -> None:
    state = loaded(carrier={"conditions": ["vehicle_damaged"], "damage_tokens": 1})
    table = play(state).activates("blue-1", dice=[1, 1, 1])
    assert table.unit("blue-1").left == "beyond_repair"
    assert table.prompt.title == "Blue 2 gets out of the wreck"
    table.defaults()
    assert table.unit("blue-2").strength == 4
    assert table.seen(ConditionGained)[-1].condition == "under_fire"
    assert table.unit("blue-2").conditions == ("under_fire",)
    assert table.unit("blue-2").activated == 1, "it was one unit with the vehicle when that activated"


@pytest.mark.rule("fad4/transport.destroyed-by-fire")
def test_passengers_without_free_space_are_lost() -> None:
    # A pit round the wreck, with space for two bases south of it.
    walls = [
        piece("cliff", (6, 6), (8.9, 14), id="west"),
        piece("cliff", (11.1, 6), (14, 14), id="east"),
        piece("cliff", (6, 12.1), (14, 16), id="north"),
        piece("cliff", (6, 4), (14, 6.6), id="south"),
    ]
    state = loaded(carrier={"conditions": ["vehicle_damaged"], "damage_tokens": 1}, terrain=walls)
    table = play(state).activates("blue-1", dice=[1, 1, 1])
    table.defaults()
    assert table.unit("blue-2").strength == 2
    assert ("blue-2", "no-space") in {(fact.unit, fact.action) for fact in table.seen(Declared)}


# --- close assault --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.vehicle-passengers")
def test_passengers_die_with_a_vehicle_that_is_destroyed_in_a_close_assault() -> None:
    state = loaded(
        unit("red", (6, 15), figures=8, apart=1.2),
        armour=SOFT,
        carrier={"resolve": "reluctant", "damage_tokens": 1},
        active="red",
        first="red",
    )
    table = play(state).chance(3).activates("red-1").answers("assault", "blue-1").defaults()
    assert table.unit("blue-1").left == "destroyed"
    assert table.unit("blue-2").left == "destroyed"
    assert [fact.rule for fact in table.seen(UnitLeft)] == ["damage.vehicle-removed", "assault.vehicle-passengers"]
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "passengers"]


@pytest.mark.rule("fad4/assault.vehicle-counterattack")
def test_a_squad_set_down_in_contact_with_the_assaulters_fights_them_at_once() -> None:
    # Red stands in contact with the north side of the hull.
    state = loaded(unit("red", [(9.5, 12.5), (10.6, 12.5), (11.7, 12.5)], figures=3))
    table = play(state).activates("blue-1")
    table.answers("let-off:blue-2", placed((8.5, 12.5), (8.5, 11.4), (8.5, 10.3), (8.5, 9.2))).answers("hold-fire")
    assert table.offered == ["assault"]
    assert table.targets("assault") == {"red-1": ""}
    table.chance(5).answers("assault", "red-1")
    assert "free-shot" not in {fact.action for fact in table.seen(Declared)}
    assert table.seen(Declared)[-1].rule.endswith("assault.vehicle-counterattack")
    assert [fact.unit for fact in table.seen(Rolled) if fact.purpose == "assault"] == ["blue-2", "red-1"]
