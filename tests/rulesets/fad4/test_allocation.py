"""Options of a match: who is hit, and whether figures out of sight can be."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest

from server.kernel.facts import FiguresFell, Rolled
from server.kernel.state import State
from server.rulesets.fad.previews.losses import losses
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.shared.previews import odds
from tests.support.battlefield import BattleTable, battle, facing, fad4, figures, piece, play, unit

RANDOM = {"hit_allocation": "random"}
OWNER = {"hit_allocation": "owner"}
SPARE = unit("red", (6, 44))


def scored(state: State, *dice: int) -> BattleTable:
    """Return the hits of blue-1's Open Fire at red-1: 5 points and the higher die."""
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=dice)


def fallen(table: BattleTable) -> tuple[str, ...]:
    """Return the figures of the only loss."""
    (fact,) = table.seen(FiguresFell)
    return fact.figures


def shot_at(state: State) -> Shot:
    """Return blue-1's shot at red-1."""
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    return shot


# --- at random ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/hits.allocation-random")
def test_each_hit_is_drawn_among_the_visible_figures_that_have_none() -> None:
    # 6 points, two hits: the fourth of six, then the fourth of the five that are left.
    table = scored(facing(12, options=RANDOM), 1, 1, 4, 4, 6, 6)
    draws = [roll for roll in table.seen(Rolled) if roll.purpose == "allocation"]
    assert [(roll.sides, roll.faces, roll.outcome) for roll in draws] == [(6, (4,), "4"), (5, (4,), "5")]
    assert fallen(table) == ("4", "5")


@pytest.mark.rule("fad4/hits.allocation-random")
def test_the_draw_begins_again_when_every_visible_figure_has_a_hit() -> None:
    state = facing(12, blue={"quality": "elite"}, red={"figures": 2}, options=RANDOM, others=[SPARE])
    # 9 points, three hits on two figures: the second of two, the other one without a die, the second of two again.
    table = scored(state, 3, 1, 2, 2, 1, 1, 6)
    assert [roll.sides for roll in table.seen(Rolled) if roll.purpose == "allocation"] == [2, 2]
    assert fallen(table) == ("2",)


@pytest.mark.rule("fad4/hits.allocation-random")
def test_a_lone_visible_figure_is_hit_without_a_die() -> None:
    state = facing(12, red={"figures": 1}, options=RANDOM, others=[SPARE])
    table = scored(state, 1, 1, 6, 6)
    assert not [roll for roll in table.seen(Rolled) if roll.purpose == "allocation"]


@pytest.mark.rule("fad4/hits.allocation-random")
@pytest.mark.parametrize("hits", [1, 2, 3, 4, 5])
def test_the_odds_of_hits_at_random_are_those_of_every_draw(hits: int) -> None:
    armed = {"support": ["plasma-rifle"], "figures": 3}
    state = facing(12, blue=armed, red={"armour": "breach", "figures": 3}, options=RANDOM, others=[SPARE])
    shot = shot_at(state)
    assert losses(fad4().rules, state, shot, hits) == pytest.approx(_every_draw(3, _chances(state, hits)))


def _chances(state: State, hits: int) -> list[Fraction]:
    """Return the chance of each hit to kill: armour 8, the plasma rifle's hit against 6, the others' with damage 2."""
    assert state.units["blue-1"].profile["small_arm"] == "assault-rifle"
    return [odds.at_least(4), *[odds.at_least(6)] * (hits - 1)]


def _every_draw(count: int, chances: list[Fraction]) -> Mapping[int, float]:
    """Return the distribution of the fallen over all draws, one after the other."""
    spread: dict[int, float] = {}

    def deal(number: int, left: tuple[int, ...], lives: tuple[Fraction, ...], weight: Fraction) -> None:
        if number == len(chances):
            for fell, chance in odds.successes([1 - alive for alive in lives]).items():
                spread[fell] = spread.get(fell, 0) + float(weight * chance)
            return
        among = left or tuple(range(count))
        for drawn in among:
            hit = tuple(alive * (1 - chances[number]) if i == drawn else alive for i, alive in enumerate(lives))
            deal(number + 1, tuple(i for i in among if i != drawn), hit, weight / len(among))

    deal(0, (), (Fraction(1),) * count, Fraction(1))
    return spread


# --- as the owner picks ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/hits.allocation-owner")
def test_the_owner_of_the_target_picks_who_is_hit() -> None:
    table = scored(facing(12, options=OWNER), 1, 1)
    assert (table.asked, table.offered) == ("red", ["allocate"])
    table.answers("allocate", figures("3", "6"), dice=[6, 1])
    assert fallen(table) == ("3",)


@pytest.mark.rule("fad4/hits.allocation-owner")
def test_by_default_the_nearest_riflemen_are_hit_then_gunners_and_the_leader_last() -> None:
    squad = {"figures": 4, "leader": True, "support": ["squad-automatic-weapon"]}
    table = scored(facing(12, red=squad, options=OWNER, others=[SPARE]), 4, 1)
    (value,) = table.prompt.default.values
    assert value == figures("3", "4", "2")


@pytest.mark.rule("fad4/hits.allocation-owner")
def test_every_visible_figure_takes_a_hit_before_the_owner_gives_one_a_second() -> None:
    state = facing(12, blue={"quality": "elite"}, red={"figures": 2}, options=OWNER, others=[SPARE])
    table = scored(state, 3, 1)
    assert table.prompt.title == "Red 1 takes 1 more hit: choose who"
    table.answers("allocate", figures("2"), dice=[1, 1, 6])
    assert fallen(table) == ("2",)


@pytest.mark.rule("fad4/hits.allocation-owner")
def test_an_owner_without_a_choice_is_not_asked() -> None:
    state = facing(12, red={"figures": 2}, options=OWNER, others=[SPARE])
    assert fallen(scored(state, 1, 1, 6, 6)) == ("1", "2")


@pytest.mark.rule("fad4/hits.allocation-owner")
def test_only_visible_figures_can_be_picked_and_exactly_as_many_as_there_are_hits() -> None:
    table = scored(half_seen(4, options=OWNER), 1, 1)
    assert table.refused("allocate", figures("1", "4")).code == "figures"
    assert table.refused("allocate", figures("1")).code == "figures"
    assert table.refused("allocate", figures("1", "2", "3")).code == "figures"


# --- squads as targets ----------------------------------------------------------------------------------------------


def half_seen(figures: int, seen: int = 3, options: Mapping[str, object] | None = None) -> State:
    """Return a squad of which the first figures stand in sight and the others behind a house."""
    places = [(6 + 2.5 * number, 19.0) for number in range(seen)]
    places += [(6 + 2.5 * number, 28.0) for number in range(figures - seen)]
    house = piece("building", (0, 23), (40, 26))
    return battle(
        unit("blue", (6, 6)), unit("red", places), unit("red", (6, 44)), terrain=[house], options=options, size=(48, 72)
    )


@pytest.mark.rule("fad4/shoot.squad-based-targeting")
@pytest.mark.parametrize(
    ("figures", "option", "hittable"), [(6, "off", 3), (6, "on", 6), (5, "on", 5), (7, "on", 3), (7, "off", 3)]
)
def test_a_squad_that_is_half_in_sight_can_be_hit_as_a_whole(figures: int, option: str, hittable: int) -> None:
    shot = shot_at(half_seen(figures, options={"squad_targeting": option}))
    assert shot.seen == tuple(str(number + 1) for number in range(hittable))


@pytest.mark.rule("fad4/shoot.squad-based-targeting")
def test_figures_out_of_sight_are_hit_after_those_that_are_seen() -> None:
    # 9 points, three hits.
    state = half_seen(4, options={"squad_targeting": "on"})
    assert fallen(scored(state, 4, 1, 6, 6, 6)) == ("1", "2", "3")
