"""The luck of the edition's rolls: worked out by hand, and compared with every way in which the dice can fall."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import PathsDeclared
from client_protocol.luck import Luck
from server.kernel.space.geometry import Point
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import BattleTable, Row, battle, fubar4, given, melee, play, unit, vehicle
from tests.rulesets.fubar4.firing import walks_and_fires
from tests.support.lucky import figures_of, holds_every_way, luck_of

RED = unit("red", (10, 21), figures=3)


def judged(state: State, table: BattleTable, purpose: str, unit_id: str = "") -> Luck:
    """Return the luck of the last roll of this purpose on a table that began with `state`."""
    return luck_of(fubar4(), state, table.facts, purpose, unit_id)


# --- roll-offs ------------------------------------------------------------------------------------------------------


def test_an_initiative_roll_is_luck_for_every_side_with_units_left() -> None:
    # Green, which has lost all its units, does not roll; blue has 1 more by an option.
    state = battle(
        unit("blue", (10, 10)),
        unit("red", (10, 40)),
        unit("green", (4, 20), lost=6, left="destroyed"),
        phase="turn",
        options={"initiative_modifier_1": 1},
    )
    roll = play(state, [5, 2]).rolled("initiative")
    assert fubar4().luck(state, roll) == (
        Luck("blue", "", "the score", 45_000, 60_000, 17_078, 1_667, 1_667),
        Luck("red", "", "the score", 35_000, 20_000, 17_078, 6_667, 1_667),
    )


def test_a_deployment_roll_is_luck_for_all_sides() -> None:
    state = fubar4().open("crossed-hedges", {"deployment": "turns"})
    roll = play(state, [3, 6]).rolled("deployment")
    assert [(luck.side, luck.fell) for luck in fubar4().luck(state, roll)] == list(
        zip(state.sides, (30_000, 60_000), strict=True)
    )


# --- activation -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suppressed", "expected", "deviation"),
    [
        (0, 5_000, 5_000),  # 4+
        (1, 3_333, 4_714),  # 5+
        (2, 1_667, 3_727),  # 6 only
        (5, 1_667, 3_727),  # a 6 always does
    ],
)
def test_an_activation_roll_is_luck_for_the_unit_that_tries(suppressed: int, expected: int, deviation: int) -> None:
    state = battle(unit("blue", (10, 10), suppressed=suppressed), unit("red", (10, 30)))
    passed = judged(state, play(state).activates("blue-1", dice=[6]), "activation")
    assert passed == Luck("blue", "blue-1", "activation", expected, 10_000, deviation, 0, expected)
    failed = judged(state, play(state).activates("blue-1", dice=[1]), "activation")
    assert (failed.fell, failed.better, failed.as_good) == (0, expected, 10_000 - expected)


# --- fire -----------------------------------------------------------------------------------------------------------


def test_a_roll_to_hit_is_luck_for_the_shooter() -> None:
    # Three assault rifles, two dice each, on 4+: five or six hits in 7 of 64 cases, four in 15.
    state = battle(unit("blue", (10, 10), figures=3, level="veteran"), RED)
    luck = judged(state, walks_and_fires(play(state), dice=[1, 2, 4, 4, 5, 6]), "to-hit")
    assert luck == Luck("blue", "blue-1", "hits", 30_000, 40_000, 12_247, 1_094, 2_344)


def test_the_bonus_of_aimed_fire_does_not_count_as_luck() -> None:
    # Two dice on 5+, with 1 added.
    state = battle(unit("blue", (10, 10), figures=1), RED)
    table = play(state).activates("blue-1", dice=[6])
    table.answers("aimed-fire", given(_1="assault-rifle@red-1"), dice=[4, 1])
    assert figures_of(judged(state, table, "to-hit")) == (10_000, 10_000, 7_071, 2_500, 5_000)


def test_saves_are_luck_for_the_unit_that_saves() -> None:
    # Three hits, each saved on 5+.
    state = battle(unit("blue", (10, 10), figures=2), unit("red", (10, 21), armour="medium", level="elite"))
    table = walks_and_fires(play(state), dice=[5, 6, 6, 1, 4, 5, 6])
    assert judged(state, table, "save") == Luck("red", "red-1", "saves", 10_000, 20_000, 8_165, 370, 2_222)
    holds_every_way(3, lambda dice: judged(state, walks_and_fires(play(state), dice=[5, 6, 6, 1, *dice]), "save"))


# --- vehicles -------------------------------------------------------------------------------------------------------


def hulled(hits: int, dice: Sequence[int], **other: object) -> tuple[State, BattleTable]:
    """Let an anti-tank gun hit the vehicle red-1 this often without any save; then `dice` fall."""
    gunner = unit("blue", (10, 10), figures=1, level="elite", support=["light-anti-tank-gun"])
    guns = ("heavy-machine-gun", "rpg", "light-anti-tank-gun")
    own = vehicle("red", (10, 30), **{"armour": "medium", "weapons": guns, **other})  # type: ignore[arg-type]
    state = battle(gunner, own, unit("blue", (40, 2), figures=1), unit("red", (40, 46), figures=1))
    table = play(state).activates("blue-1", dice=[6])
    fallen = [*[6] * hits, *[1] * (3 - hits), *[1] * hits, *dice]
    return state, table.answers("aimed-fire", given(_1="light-anti-tank-gun@red-1"), dice=fallen)


def test_vehicle_damage_is_luck_for_the_shooter() -> None:
    # A die stuns in 2 of 6 cases, immobilises in 1, disarms in 2, destroys in 1. The worst of two dice is a stun in 4 of 36
    # cases, an immobilisation in 5, a lost weapon in 16, destruction in 11.
    luck = judged(*hulled(2, [1, 3]), "vehicle-damage")
    assert luck == Luck("blue", "blue-1", "the worst damage, 1 to 4", 29_444, 20_000, 9_412, 7_500, 1_389)
    one, two = (judged(*hulled(1, [face]), "vehicle-damage") for face in (1, 2))
    assert one == two, "it is the result that counts, not the die"
    holds_every_way(1, lambda dice: judged(*hulled(1, [*dice, *[1] * (2 * (6 in dice))]), "vehicle-damage"))


def test_bailing_out_is_luck_for_the_men_inside() -> None:
    # Two men get out on 5+ each.
    luck = judged(*hulled(1, [6, 4, 5], crew=2), "bail-out")
    assert luck == Luck("red", "red-1-crew", "men who get out", 6_667, 10_000, 6_667, 1_111, 4_444)


# --- close combat ---------------------------------------------------------------------------------------------------


def line(side: str, y: float, **other: object) -> Row:
    """Return three men shoulder to shoulder."""
    return unit(side, (10, y), figures=3, **other)  # type: ignore[arg-type]  # as `unit` has them


def fought(blue: Row, red: Row, dice: Sequence[int]) -> tuple[State, BattleTable]:
    """Let blue-1, 5" in front of red-1, charge straight into it, and roll the dice of the round."""
    state = melee(blue, red)
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    ahead: dict[str, tuple[Point, ...]] = {
        key: ((figure.at[0], figure.at[1] + 5000),)
        for key, figure in table.unit("blue-1").living.items()
        if figure.at is not None
    }
    return state, table.answers("charge", PathsDeclared(ahead), dice=dice)


def test_close_combat_dice_are_luck_for_the_unit_that_strikes() -> None:
    # Veterans on 4+, Seasoned on 5+.
    state, table = fought(line("blue", 10, level="veteran"), line("red", 16), [4, 3, 1, 5, 4, 2])
    assert judged(state, table, "close-combat", "blue-1") == Luck(
        "blue", "blue-1", "hits", 15_000, 10_000, 8_660, 5_000, 3_750
    )
    assert judged(state, table, "close-combat", "red-1") == Luck(
        "red", "red-1", "hits", 10_000, 10_000, 8_165, 2_593, 4_444
    )


def test_the_luck_of_suppressed_figures_uses_their_lower_chance_to_hit() -> None:
    # Two on 5+, and one on a 6.
    state, table = fought(line("blue", 10, level="veteran"), line("red", 16, suppressed=1), [1, 1, 1, 5, 4, 5])
    assert judged(state, table, "close-combat", "red-1").expected == 1_667


def test_close_combat_saves_are_luck_for_the_unit_that_saves() -> None:
    # Two hits, each saved on 5+.
    state, table = fought(line("blue", 10, level="veteran"), line("red", 16, armour="medium"), [4, 4, 1, 1, 1, 1, 5, 4])
    assert judged(state, table, "close-save") == Luck("red", "red-1", "saves", 6_667, 10_000, 6_667, 1_111, 4_444)
