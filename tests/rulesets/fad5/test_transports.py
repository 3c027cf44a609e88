"""Troops in vehicles of FAD 5: getting in, being aboard, getting off (fad5/transport.*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import FiguresPlaced, PathsDeclared, PlacementParameter
from server.kernel.bodies import apart, bodies
from server.kernel.facts import (
    ActivationBegan,
    ConditionGained,
    ConditionLost,
    Declared,
    Rolled,
    UnitBoarded,
    UnitLeft,
    UnitMoved,
    UnitPlaced,
)
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.cards import units_left
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.book import load
from server.rulesets.fad.vehicles.embarking import choices
from server.rulesets.fad.vehicles.transport import seats_free
from server.rulesets.shared.deck import discards
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, piece, play, unit
from tests.support.tabletop import Row

SPARE = unit("red", (30, 46), id="spare")
"""A second unit, so that the turn goes on."""
SIDE = [(12, 11), (12, 9.9), (12, 8.8), (12, 8.0 - 0.3)]
"""Places to the right of a hull of 4" by 2" at (10, 10) that faces north."""


def loaded(
    *others: Row,
    squad: Mapping[str, object] | None = None,
    carrier: Mapping[str, object] | None = None,
    **position: object,
) -> State:
    """Return a carrier at (10, 10) that faces north, with blue-2 aboard, and a red squad at (6, 40)."""
    return battle(
        vehicle("blue", (10, 10), **{"seats": 10, "mobility": "track", **(carrier or {})}),
        unit("blue", None, aboard="blue-1", **{"figures": 4, **(squad or {})}),  # type: ignore[arg-type]
        *(others or (unit("red", (6, 40)),)),
        SPARE,
        **position,
    )


def outside(*others: Row, off: float = 0.3, seats: int = 10, squad: Mapping[str, object] | None = None) -> State:
    """Return an empty carrier at (10, 10) that faces east, and a squad `off` inches from its south side."""
    places = [(8.1 + 1.2 * n, 8.5 - off) for n in range(4)]
    return battle(
        vehicle("blue", (10, 10), facing=0, seats=seats),
        unit("blue", places, **(squad or {})),  # type: ignore[arg-type]
        *(others or (unit("red", (6, 40)),)),
        SPARE,
    )


def placement(table: BattleTable, key: str = "let-off:blue-2") -> PlacementParameter:
    """Return the placement that a choice asks for."""
    (parameter,) = table.choice(key).parameters
    assert isinstance(parameter, PlacementParameter)
    return parameter


def lets_off(table: BattleTable, dice: Sequence[int] = (), key: str = "let-off:blue-2") -> BattleTable:
    """Let a squad off where the server suggests."""
    return table.answers(key, FiguresPlaced(placement(table, key).suggested), dice=dice)


def placed(*at: tuple[float, float]) -> FiguresPlaced:
    """Return places in inches for figures 1, 2 and so on of one squad."""
    return FiguresPlaced(({str(n): (round(1000 * x), round(1000 * y)) for n, (x, y) in enumerate(at, 1)},))


# --- getting in -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/transport.boarding")
@pytest.mark.parametrize(("off", "gets_in"), [(0.5, True), (0.53, False)])
def test_all_figures_of_a_squad_get_in_within_half_an_inch(off: float, *, gets_in: bool) -> None:
    table = play(outside(off=off)).activates("blue-2").answers("move-out", PathsDeclared({}))
    assert ("board:blue-1" in table.offered) is gets_in
    if gets_in:
        table.answers("board:blue-1")
        assert table.seen(UnitBoarded) == [UnitBoarded("blue-2", "blue-1", "transport.boarding")]


@pytest.mark.rule("fad5/transport.boarding")
def test_a_squad_without_seats_for_all_does_not_get_in_nor_into_a_vehicle_out_of_action() -> None:
    assert "embark:move:blue-1" in play(outside()).activates("blue-2").offered
    assert "embark:move:blue-1" not in play(outside(seats=3)).activates("blue-2").offered
    state = outside()
    down = replace(state.units["blue-1"], conditions=("out_of_action",))
    assert "embark:move:blue-1" not in play(state.with_unit(down)).activates("blue-2").offered


@pytest.mark.rule("fad5/transport.boarding")
def test_a_way_in_is_not_remembered_once_the_ground_or_a_unit_on_it_has_changed() -> None:
    others = (unit("red", (6, 40)), unit("red", [(8.1 + 1.2 * n, 44) for n in range(6)], id="screen"))
    rules, state = fad5().rules, outside(*others, off=2.5)
    squad = state.units["blue-2"]

    def offered(now: State) -> list[str]:
        return [choice.key for choice in choices(rules, now, now.units["blue-2"], ("move", "rush"))]

    assert offered(state) == offered(state) == ["embark:move:blue-1"]
    ditch = battle(SPARE, terrain=[piece("deep_water", (0, 7.1), (48, 7.6))]).table.terrain
    assert offered(replace(state, table=replace(state.table, terrain=ditch))) == []
    screen = state.units["screen"]
    line = {key: replace(figure, at=(6300 + 1300 * n, 7400)) for n, (key, figure) in enumerate(screen.figures.items())}
    closed = state.with_unit(replace(screen, figures=line))
    assert closed.units["blue-2"].figures is squad.figures
    assert offered(closed) != ["embark:move:blue-1"]
    assert offered(state) == ["embark:move:blue-1"]


@pytest.mark.rule("fad5/transport.boarding")
def test_a_squad_gets_in_and_the_vehicle_moves_off_in_the_same_turn() -> None:
    table = play(outside()).activates("blue-2").answers("embark:move:blue-1")
    table.activates("red-1").holds()
    assert table.targets("activate") == {"blue-1": ""}
    table.activates("blue-1").answers("drive-out", driven((26, 10)))
    assert table.seen(UnitMoved)[-1].unit == "blue-1"
    assert table.unit("blue-2").aboard == "blue-1"


@pytest.mark.rule("fad5/transport.capacity-powered")
@pytest.mark.rule("fad5/transport.capacity-heavy-weapon")
def test_seats_are_counted_for_powered_armour_and_heavy_weapons() -> None:
    book = load("fad5")
    suit = replace(book.armours["light"], traits={"powered": True})
    gun = replace(book.support_weapons["plasma-rifle"], traits={"heavy": True})
    bulky = FadRuleset(
        "fad5",
        replace(
            book,
            armours={**book.armours, "light": suit},
            support_weapons={**book.support_weapons, "plasma-rifle": gun},
        ),
    )
    state = loaded(squad={"support": ["plasma-rifle"]})
    assert seats_free(fad5().rules, state, "blue-1") == 6
    assert seats_free(bulky.rules, state, "blue-1") == 10 - 4 * 2 - 1


# --- aboard ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/transport.embarked-no-activation")
def test_a_squad_aboard_neither_activates_nor_is_a_target() -> None:
    table = play(loaded(unit("red", (6, 20)))).activates("blue-1").answers("drive-out", driven((20, 10)))
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1"]
    assert table.unit("blue-2").activated == 0
    assert table.activates("red-1").targets("fire-move").keys() == {"blue-1"}


@pytest.mark.rule("fad5/transport.embarked-no-activation")
def test_no_card_is_in_the_deck_for_a_squad_aboard() -> None:
    state = loaded(options={"activation": "cards"}, phase="turn", turn=0, first="", active="")
    table = play(state, dice=[1])
    deck = fad5().deck(table.state)
    assert deck is not None
    assert sum(deck.left.values()) == 2, "blue-1 has drawn, the reds are left"


@pytest.mark.rule("fad5/transport.passengers-idle")
def test_those_aboard_do_not_fire_even_from_a_soft_skin() -> None:
    state = loaded(unit("red", (6, 16)), carrier={"armour": (0, 0, 0), "weapons": ()})
    table = play(state).activates("blue-1")
    assert not [key for key in table.offered if "aboard" in key]
    table.answers("drive-fire", driven())
    assert table.asked == "red", "the activation is over"


# --- getting off ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.marker-removal")
def test_those_aboard_lose_their_markers_with_the_activation_of_their_vehicle() -> None:
    table = play(loaded(squad={"conditions": ["under_fire"]})).activates("blue-1").answers("hold")
    assert table.seen(ConditionLost) == [ConditionLost("blue-2", "under_fire", "turn.marker-removal")]
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1"], "they have not activated"


@pytest.mark.rule("fad5/transport.disembark")
def test_a_squad_is_set_down_within_an_inch_and_the_vehicle_does_nothing_else() -> None:
    table = play(loaded(unit("red", (6, 22)))).activates("blue-1")
    assert table.prompt.default.choice == "hold"
    lets_off(table)
    down = table.seen(UnitPlaced)[-1]
    hull = bodies(table.unit("blue-1")).values()
    assert down.unit == "blue-2"
    assert max(apart([one], hull) for one in bodies(table.unit("blue-2")).values()) <= inches(1)
    # The vehicle neither drives nor fires: the squad is asked next.
    assert table.offered == ["fire", "hold"]
    table.answers("fire", "red-1", dice=[1, 1, 1, 6])
    assert not table.seen(UnitMoved)
    assert (table.unit("blue-1").activated, table.unit("blue-2").activated) == (1, 1)
    assert table.asked == "red"


@pytest.mark.rule("fad5/transport.disembark")
def test_places_farther_off_or_near_an_enemy_are_refused() -> None:
    table = play(loaded(unit("red", [(13, 12.5)]))).activates("blue-1")
    # The hull reaches from 9 to 11: a base of an inch stands up to 12.5 wholly within an inch and its own width.
    fits = [(12.49, 8.2), (12.4, 9.3), (11.5, 7.95)]
    far = table.refused("let-off:blue-2", placed(*fits, (12.6, 10.4)))
    assert far.code == "zone"
    near = table.refused("let-off:blue-2", placed(*fits, (12.4, 11.1)))
    assert (near.code, near.rule) == ("near_enemy", "transport.disembark")
    assert near.sentence == 'Figure 4 of Blue 2 would stand within 1" of an enemy.'
    table.answers("let-off:blue-2", placed(*fits, (12.0, 10.4)))
    assert table.unit("blue-2").places()[0][0] == (12_490, 8_200)


@pytest.mark.rule("fad5/transport.disembark")
def test_figures_are_set_down_an_inch_from_the_enemy() -> None:
    table = play(loaded(unit("red", [(13, 12.5)]))).activates("blue-1")
    assert placement(table).clear == inches(1)
    refusal = table.refused("let-off:blue-2", placed((12, 11), (12, 9.9), (12, 8.8), (12, 7.7)))
    assert (refusal.code, refusal.rule) == ("near_enemy", "transport.disembark")


@pytest.mark.rule("fad5/transport.disembark")
def test_all_squads_aboard_may_get_off_in_the_same_activation() -> None:
    state = battle(
        vehicle("blue", (10, 10), seats=10),
        unit("blue", None, figures=3, aboard="blue-1"),
        unit("blue", None, figures=3, aboard="blue-1"),
        unit("red", (6, 22)),
    )
    table = lets_off(play(state).activates("blue-1"))
    assert table.offered == ["let-off:blue-3", "no-more-off"]
    lets_off(table, key="let-off:blue-3")
    table.answers("fire", "red-1", dice=[1, 1]).answers("hold")
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1", "blue-2", "blue-3"]


@pytest.mark.rule("fad5/transport.disembark")
def test_a_squad_that_activated_before_it_got_in_fires_again() -> None:
    table = play(outside(unit("red", (6, 24)))).activates("blue-2").answers("fire-move", "red-1", dice=[1, 1])
    table.answers("embark:move:blue-1").activates("red-1").holds().activates("blue-1")
    lets_off(table)
    table.answers("fire", "red-1", dice=[1, 1])
    assert [fact.unit for fact in table.seen(ActivationBegan)].count("blue-2") == 1
    assert table.asked == "red"


@pytest.mark.rule("fad5/transport.disembark")
@pytest.mark.parametrize("sequence", ["cards", "expanded-cards"])
def test_the_cards_of_a_squad_that_activates_as_it_gets_off_are_out_of_the_deck(sequence: str) -> None:
    options = {"activation": sequence, "cards_of_a_unit": 2}
    state = loaded(unit("red", (6, 24)), options=options, turn=1, phase="turn", first="", active="")
    table = play(state, [1])
    assert table.seen(ActivationBegan)[-1].unit == "blue-1"
    lets_off(table).answers("hold", dice=[1])
    assert discards(table.state)[:3] == ("blue-1", "blue-2", "blue-2")
    assert "blue-2" not in units_left(fad5().rules, table.state)


@pytest.mark.rule("fad5/transport.disembark")
def test_a_choice_to_let_troops_off_says_what_they_may_do_then() -> None:
    crew = {"figures": 3, "weapon_team": True, "support": ["machine-gun"], "apart": 1.5}
    for squad, then in (({}, "then it may shoot or assault"), (crew, "then it neither shoots nor assaults")):
        said = play(loaded(squad=squad)).activates("blue-1").choice("let-off:blue-2").consequence
        assert said == f'Set down within 1"; {then}. The vehicle does nothing else.'


@pytest.mark.rule("fad5/transport.disembark")
@pytest.mark.parametrize(
    ("dice", "left", "assaults"), [([6, 6, 1], "", True), ([6, 1, 1], "", False), ([1, 1, 1], "routed", False)]
)
def test_resolve_is_checked_as_a_squad_gets_off(dice: list[int], left: str, *, assaults: bool) -> None:
    broken = {"figures": 6, "lost": 4, "resolve": "reluctant"}
    soft = {"armour": (0, 0, 0)}
    near = unit("red", [(12, 14)], figures=1)
    table = play(loaded(near, squad=broken, carrier=soft)).activates("blue-1")
    table.answers("let-off:blue-2", placed(*SIDE[:2]), dice=dice)
    assert table.rolled("morale").faces == tuple(dice)
    assert table.unit("blue-2").left == left
    if left:
        assert table.seen(UnitLeft)[-1].rule == "morale.result-none"
        assert "drive-out" in table.offered, "it has let none off"
        return
    assert ("assault" in table.offered) is assaults
    assert "fire" in table.offered
    assert ("gets-off-shaken" in [fact.action for fact in table.seen(Declared)]) is not assaults


@pytest.mark.rule("fad5/transport.disembark")
def test_a_vehicle_out_of_action_lets_troops_off_in_the_place_of_its_test() -> None:
    table = play(loaded(carrier={"conditions": ["out_of_action"]})).activates("blue-1")
    table.answers("let-troops-off")
    lets_off(table).answers("hold")
    assert not table.seen(Rolled)
    assert table.unit("blue-2").on_table
    assert "out_of_action" in table.unit("blue-1").conditions


@pytest.mark.rule("fad5/transport.disembark-assault")
def test_a_squad_that_gets_off_may_charge_four_inches() -> None:
    # From (12, 11) to (12, 16) it is 4 inches between the bases.
    table = play(loaded(unit("red", [(12, 16)]))).activates("blue-1").answers("let-off:blue-2", placed(*SIDE))
    assert table.offered == ["fire", "assault", "hold"]
    table.answers("assault", "red-1")
    assert Declared("blue-2", "assault", "assault.declare", "red-1") in table.seen(Declared)
    far = play(loaded(unit("red", [(12, 16.1)]))).activates("blue-1").answers("let-off:blue-2", placed(*SIDE))
    why = far.choice("assault").why
    assert why is not None
    assert why.rule == "move.assault-move"


@pytest.mark.rule("fad5/transport.disembark-assault")
@pytest.mark.rule("fad5/move.variable")
def test_with_rolled_moves_a_squad_that_gets_off_charges_the_same_four_inches_without_dice() -> None:
    rolled = {"variable_movement": "on"}
    table = play(loaded(unit("red", [(12, 16)]), options=rolled)).activates("blue-1")
    table.answers("let-off:blue-2", placed(*SIDE)).answers("assault", "red-1").answers("hold-fire")
    assert table.path("charge").allowance == inches(4)
    table.chance(1).defaults()
    assert "move" not in [fact.purpose for fact in table.seen(Rolled)]
    far = play(loaded(unit("red", [(12, 16.1)]), options=rolled)).activates("blue-1")
    far.answers("let-off:blue-2", placed(*SIDE))
    assert "assault" not in far.offered


@pytest.mark.rule("fad5/transport.disembark-assault")
@pytest.mark.rule("fad5/under-fire.movement")
def test_a_squad_under_fire_that_gets_off_charges_four_inches_all_the_same() -> None:
    marked = loaded(unit("red", [(12, 16)]), squad={"conditions": ["under_fire"]})
    table = play(marked).activates("blue-1").answers("let-off:blue-2", placed(*SIDE))
    assert table.targets("assault")["red-1"] == ""


@pytest.mark.rule("fad5/transport.disembark")
@pytest.mark.rule("fad5/assault.free-shot-losses")
def test_a_squad_that_gets_off_makes_no_move_when_its_charge_falls_short() -> None:
    # The free shot kills the figure at (12, 11), the only one in reach of the enemy 3.9" north of it.
    foe = unit("red", [(12, 15.9), (14.5, 15.9), (17, 15.9)], quality="elite")
    table = play(loaded(foe, squad={"figures": 2})).activates("blue-1")
    table.answers("let-off:blue-2", placed((12, 11), (12, 8.5))).answers("assault", "red-1")
    table.answers("free-shot", dice=[6, 1, 1, 6, 6, 6, 1, 1])
    assert table.unit("blue-2").strength == 1
    assert Declared("blue-2", "falls-short", "assault.free-shot-losses", "red-1") in table.seen(Declared)
    assert "move" not in table.offered
    assert table.asked == table.state.sides["red"].seat, "the activation is over"
    assert not [fact for fact in table.seen(UnitMoved) if fact.unit == "blue-2"]


@pytest.mark.rule("fad5/transport.disembark-assault")
def test_an_option_allows_only_enemies_that_are_touched_where_the_squad_is_set_down() -> None:
    state = loaded(unit("red", [(13, 10)], figures=1), options={"disembark_charge": "off"})
    table = play(state).activates("blue-1")
    assert placement(table).clear == 0
    table.answers("let-off:blue-2", placed((12, 10), (12, 8.9), (12, 7.8), (12, 11.1)))
    assert "assault" in table.offered
    apart_by_more = (
        play(state).activates("blue-1").answers("let-off:blue-2", placed((8, 11), (8, 9.9), (8, 8.8), (8, 7.7)))
    )
    assert "assault" not in apart_by_more.offered


# --- walls ----------------------------------------------------------------------------------------------------------


def wall(at: float) -> Row:
    """Return a wall, `at` inches from the table's left side, next to a hull at (10, 10)."""
    return piece("rampart", (at, 2), (at, 18))


@pytest.mark.rule("fad5/move.building-entry")
def test_a_squad_is_not_set_down_through_a_wall() -> None:
    state = loaded(squad={"figures": 2}, terrain=[wall(11.3)])
    table = play(state).activates("blue-1")
    refused = table.refused("let-off:blue-2", placed((12.3, 10), (12.3, 8.5)))
    assert (refused.rule, refused.sentence) == ("transport.disembark", 'Figure 1 of Blue 2 cannot walk there in 1".')
    lets_off(table)
    assert all(figure.at is not None and figure.at[0] < 11_300 for figure in table.unit("blue-2").living.values())


@pytest.mark.rule("fad5/move.building-entry")
def test_a_squad_does_not_get_in_through_a_wall() -> None:
    squad = [(11.9, 9.2), (11.9, 10.3)]
    for terrain, gets_in in (((), True), ((wall(11.2),), False)):
        carrier = vehicle("blue", (10, 10), seats=10)
        table = play(battle(carrier, unit("blue", squad), unit("red", (6, 40)), SPARE, terrain=terrain)).activates(
            "blue-2"
        )
        assert ("embark:move:blue-1" in table.offered) is gets_in
        table.answers("move-out", PathsDeclared({}))
        assert ("board:blue-1" in table.offered) is gets_in


@pytest.mark.rule("fad5/move.building-entry")
def test_passengers_do_not_get_out_of_a_wreck_through_a_wall() -> None:
    state = loaded(squad={"figures": 2}, carrier={"conditions": ["crew_shaken", "immobilised"]}, terrain=[wall(11.3)])
    table = play(state).activates("blue-1", dice=[6, 1, 1])
    assert table.refused("get-out", placed((12.3, 10), (12.3, 8.5))).code == "landing"
    table.defaults()
    assert all(figure.at is not None and figure.at[0] < 11_300 for figure in table.unit("blue-2").living.values())


# --- out of a flyer -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/move.flyer-touchdown")
def test_a_flyer_in_the_air_touches_down_to_let_troops_off() -> None:
    table = lets_off(play(loaded(carrier={"mobility": "fly"})).activates("blue-1"))
    assert table.seen(ConditionGained)[0] == ConditionGained("blue-1", "touched_down", "move.flyer-touchdown")
    assert table.offered == ["airborne", "land"]
    table.answers("airborne").answers("hold")
    rules, touched = fad5().rules, table.unit("blue-1")
    assert (rules.airborne(touched), rules.out_of_reach(touched)) == (True, False)
    again = play(loaded(carrier={"mobility": "fly", "conditions": ["touched_down"]})).activates("blue-1")
    assert ConditionLost("blue-1", "touched_down", "move.flyer-touchdown") in again.seen(ConditionLost)


@pytest.mark.rule("fad5/move.flyer-touchdown")
def test_a_flyer_that_lets_troops_off_may_land_instead() -> None:
    table = lets_off(play(loaded(carrier={"mobility": "fly"})).activates("blue-1")).answers("land")
    assert table.unit("blue-1").conditions == ("landed",)


@pytest.mark.rule("fad5/move.flyer-touchdown")
def test_a_flyer_does_not_touch_down_where_it_could_not_land() -> None:

    rocks = piece("rocks", (8, 8), (12, 12))
    why = play(loaded(carrier={"mobility": "fly"}, terrain=[rocks])).activates("blue-1").choice("let-off:blue-2").why
    assert why is not None
    assert why.sentence == "Blue 1 cannot land on Rocks."
