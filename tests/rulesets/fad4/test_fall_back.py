"""Falling back after a close assault: which squads, how far, in which direction, and what stops them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from client_protocol.choices import DirectionParameter, PathsDeclared
from server.kernel.answers.check import TOUCH, in_zone
from server.kernel.facts import ConditionGained, Declared, Fact, FiguresFell, UnitLeft, UnitMoved
from server.kernel.procedure import Game
from server.kernel.space.geometry import Point, centroid, distance, gap, inches, to_mil
from server.kernel.space.paths import largest_gap
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.retreat import Retreat, withdraw
from tests.rulesets.fad4.assaults import assault, charge, touching
from tests.support.battlefield import BattleTable, battle, degrees, fad4, piece, unit
from tests.support.tabletop import Row

RED_LOSES = [6, 1, 4, 1, *[1] * 6]
"""Dice for three against three: 7 to 4, and no figure is killed."""
DRAW = [4, 1, 5, 1, *[1] * 6]
BLUE_LOSES = [1, 1, 3, 1, *[1] * 6]


def fought(
    dice: Sequence[int],
    *others: Row,
    terrain: Sequence[Row] = (),
    at: tuple[float, float] = (20, 20),
    blue: Mapping[str, Any] | None = None,
    red: Mapping[str, Any] | None = None,
) -> BattleTable:
    """Let three blue figures from the south charge three red ones at `at` and fight; the fight's dice are rolled."""
    x, y = at
    state = battle(
        unit("blue", (x, y - 6), **{"figures": 3, **(blue or {})}),
        unit("red", at, **{"figures": 3, "conditions": ["pinned"], **(red or {})}),
        *others,
        terrain=terrain,
    )
    return charge(assault(state), dice)


def cone(table: BattleTable) -> DirectionParameter:
    """Return the parameter that asks for the direction."""
    (parameter,) = table.choice("fall-back").parameters
    assert isinstance(parameter, DirectionParameter)
    return parameter


def places(state: State, unit_id: str) -> dict[str, Point]:
    return {key: figure.at for key, figure in state.units[unit_id].living.items() if figure.at is not None}


def gone(table: BattleTable, before: dict[str, Point], unit_id: str) -> dict[str, int]:
    """Return how far each figure is from where it stood before, in mil."""
    return {key: round(distance(at, before[key])) for key, at in places(table.state, unit_id).items()}


# --- who, and how far -----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.fall-back")
def test_the_losers_of_an_assault_fall_back_six_inches_straight_away() -> None:
    table = fought(RED_LOSES)
    assert (table.asked, table.prompt.rule, cone(table).length) == ("red", "assault.fall-back", inches(6))
    before = places(table.state, "red-1")
    own, theirs = list(before.values()), list(places(table.state, "blue-1").values())
    table.defaults()
    assert set(gone(table, before, "red-1").values()) <= {5_999, 6_000, 6_001}
    # Away: as far from the middle of the enemies as six inches allow.
    middle = centroid(theirs)
    after = centroid(list(places(table.state, "red-1").values()))
    assert distance(middle, after) == pytest.approx(distance(middle, centroid(own)) + 6_000, abs=5)
    assert touching(table.unit("red-1"), table.unit("blue-1")) == 0
    assert table.asked == "red", "the assault is over"


@pytest.mark.rule("fad4/assault.fall-back")
def test_attackers_who_lose_fall_back() -> None:
    table = fought(BLUE_LOSES)
    assert (table.asked, cone(table).unit, cone(table).length) == ("blue", "blue-1", inches(6))


@pytest.mark.rule("fad4/assault.fall-back")
def test_after_a_drawn_assault_both_fall_back_three_inches_the_attacker_first() -> None:
    table = fought(DRAW)
    for seat, unit_id in (("blue", "blue-1"), ("red", "red-1")):
        assert (table.asked, cone(table).unit, cone(table).length) == (seat, unit_id, inches(3))
        before = places(table.state, unit_id)
        table.defaults()
        assert set(gone(table, before, unit_id).values()) <= {2_999, 3_000, 3_001}
    assert [fact.unit for fact in table.seen(UnitMoved) if fact.manner == "fall-back"] == ["blue-1", "red-1"]


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_wiped_out_squad_does_not_fall_back_but_a_loser_without_living_enemies_does() -> None:
    # Red loses all three; then a fight in which the losers kill every winner.
    table = fought([6, 1, 4, 1, 3, 3, 3, 1, 1, 1])
    assert table.seen(UnitMoved)[-1].manner != "fall-back"
    table = fought([6, 1, 4, 1, 1, 1, 1, 5, 5, 5])
    assert (table.unit("blue-1").left, table.asked, cone(table).length) == ("destroyed", "red", inches(6))


@pytest.mark.rule("fad4/assault.fall-back")
@pytest.mark.rule("fad4/pin.no-moving")
def test_pinned_units_fall_back_from_an_assault_and_are_not_broken_by_it() -> None:
    table = fought(RED_LOSES)
    assert "pinned" in table.unit("red-1").conditions
    before = places(table.state, "red-1")
    table.defaults()
    assert min(gone(table, before, "red-1").values()) > 5_900
    assert table.seen(ConditionGained) == []


# --- which way ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.fall-back")
def test_the_owner_may_bend_the_retreat_by_45_degrees() -> None:
    table = fought(RED_LOSES)
    middle = cone(table).middle / 100
    assert table.refused("fall-back", degrees(middle + 45.01)).code == "direction"
    assert table.refused("fall-back", degrees(middle - 45.01)).code == "direction"
    before = places(table.state, "red-1")["1"]
    table.answers("fall-back", degrees(middle + 45))
    after = places(table.state, "red-1")["1"]
    assert after[0] < before[0] - 3_000, "to the left of straight away, which is up"


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreat_leads_away_from_living_enemies_and_not_from_earlier_losses() -> None:
    # Three blue figures fell at the eastern edge in an earlier turn.
    rows: list[Row] = [{"id": str(i), "at": (18 + 2.5 * i, 14)} for i in (1, 2, 3)]
    rows += [{"id": str(i), "at": (28 + 2.5 * i, 20), "fallen": True} for i in (4, 5, 6)]
    with_dead = {"id": "blue-1", "figures": rows}
    state = battle(
        {**unit("blue", (20, 14), figures=3), **with_dead},
        unit("red", (20, 20), figures=3, conditions=["pinned"]),
    )
    table = charge(assault(state), RED_LOSES)
    assert 7_000 < cone(table).middle < 11_000


# --- what stands in the way -----------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreat_ignores_difficult_ground() -> None:
    table = fought(RED_LOSES, terrain=[piece("swamp", (0, 21), (48, 48))])
    before = places(table.state, "red-1")
    table.defaults()
    assert min(gone(table, before, "red-1").values()) > 5_900


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreat_stops_at_impassable_terrain() -> None:
    table = fought(RED_LOSES, terrain=[piece("cliff", (0, 23), (48, 30))])
    before = places(table.state, "red-1")
    table.defaults()
    for key, (_, y) in places(table.state, "red-1").items():
        assert before[key][1] < y <= inches(22.5)


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreat_touches_no_other_enemy() -> None:
    other = unit("blue", (20, 25), figures=3)
    table = fought(RED_LOSES, other)
    before = places(table.state, "red-1")
    table.defaults()
    assert max(gone(table, before, "red-1").values()) < 6_000
    for at, radius in table.unit("red-1").places():
        for there, base in table.unit("blue-2").places():
            assert to_mil(gap(at, radius, there, base)) > TOUCH


@pytest.mark.rule("fad4/assault.fall-back")
@pytest.mark.rule("fad4/coherency.distance")
def test_a_retreat_restores_coherency_where_it_can() -> None:
    # A rock stops figures left of 21"; Rabble keep within 2", and the others have six inches to go.
    rabble = {"quality": "rabble"}
    rock = piece("cliff", (10, 22.5), (21, 32))
    table = fought(RED_LOSES, terrain=[rock], blue=rabble, red=rabble)
    assert places(table.state, "red-1")["1"][0] < inches(21)
    table.defaults()
    ends = places(table.state, "red-1")
    assert (ends["2"][1], ends["3"][1]) == (26_000, 26_000)
    assert ends["1"][1] < 25_000, "it was stopped, and drawn after the others"
    assert largest_gap(list(ends.values()), [500] * len(ends)) <= inches(2)


def withdrawn(state: State, retreat: Retreat) -> tuple[State, list[Fact]]:
    """Let red-1 fall back like this, and return the state after it and the facts."""
    game = Game[FadRules](fad4().rules, state)
    facts: list[Fact] = []
    for fact in withdraw(game, "red-1", retreat):
        assert isinstance(fact, Fact)
        facts.append(fact)
        game.state = fact.fold(game.state)
    return game.state, facts


def told_apart(state: State, facts: Sequence[Fact]) -> list[str]:
    """Return the log's line on a squad that ended out of coherency, with its rule."""
    found = []
    for fact in facts:
        if isinstance(fact, Declared):
            story = fad4().story(state, fact)
            assert story is not None
            found.append(f"{story.text} [{story.rule}]")
    return found


UPWARD = Retreat("blue-1", 9000, inches(6), 9000, 4500, "assault.fall-back")


@pytest.mark.rule("fad4/assault.fall-back")
@pytest.mark.rule("fad4/coherency.broken")
def test_a_retreat_keeps_distance_and_direction_before_coherency_and_logs_a_broken_one() -> None:
    # Two red figures 16" apart: nothing within six inches and 45 degrees brings them within 4" of each other.
    state = battle(unit("blue", [(20, 19)]), unit("red", [(12, 20), (28, 20)]))
    after, facts = withdrawn(state, UPWARD)
    assert places(after, "red-1") == {"1": (12_000, 26_000), "2": (28_000, 26_000)}
    assert told_apart(after, facts) == ["Red 1 ends out of coherency. [coherency.broken]"]


@pytest.mark.rule("fad4/assault.fall-back")
@pytest.mark.rule("fad4/coherency.broken")
def test_a_stray_may_retreat_at_an_angle_to_rejoin_its_squad_but_no_farther() -> None:
    state = battle(unit("blue", [(20, 19)]), unit("red", [(16, 20), (18, 20), (24, 20)]))
    after, facts = withdrawn(state, UPWARD)
    ends = places(after, "red-1")
    assert (ends["1"], ends["2"]) == ((16_000, 26_000), (18_000, 26_000))
    assert largest_gap(list(ends.values()), [500] * 3) <= inches(4)
    assert to_mil(distance((24_000, 20_000), ends["3"])) <= inches(6)
    assert told_apart(after, facts) == []


@pytest.mark.rule("fad4/assault.fall-back")
def test_no_figure_ends_its_retreat_nearer_to_the_squad_that_it_fought() -> None:
    # Northwards leads past the second blue figure for the second red one, who stands 3" from the nearest of them.
    state = battle(unit("blue", [(20, 19), (27, 25)]), unit("red", [(20, 20), (24, 20)]))
    foes = state.units["blue-1"].places()
    before = min(to_mil(gap((24_000, 20_000), 500, *foe)) for foe in foes)
    after, _ = withdrawn(state, UPWARD)
    end = places(after, "red-1")["2"]
    assert end != (24_000, 26_000)
    assert min(to_mil(gap(end, 500, *foe)) for foe in foes) >= before


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreating_figure_stops_at_the_last_free_place_of_its_path() -> None:
    # A friend stands where the path ends: half a base to the side, 0.3" before the end.
    state = battle(
        unit("blue", [(20, 19)]), unit("red", [(20, 20)], figures=1), unit("red", [(20.5, 25.7)], figures=1, id="red-2")
    )
    after, _ = withdrawn(state, UPWARD)
    (end,) = places(after, "red-1").values()
    # The bases touch: 1" between the centres, half an inch of it sideways.
    assert end == (20_000, 25_700 - 866)


# --- the edge of the table ------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_figure_that_falls_back_off_the_table_is_lost() -> None:
    table = fought(RED_LOSES, at=(20, 44))
    table.defaults()
    assert [(fact.unit, fact.cause, fact.rule) for fact in table.seen(FiguresFell)] == [
        ("red-1", "left_table", "assault.fall-back")
    ]
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [("red-1", "left_table")]


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreat_bent_along_the_edge_may_keep_some_figures_on_the_table() -> None:
    table = fought(RED_LOSES, at=(20, 43))
    table.answers("fall-back", degrees(cone(table).middle / 100 + 45))
    for at, radius in table.unit("red-1").places():
        assert in_zone(at, radius, ((0, 0), (48_000, 0), (48_000, 48_000), (0, 48_000)))


@pytest.mark.rule("fad4/assault.fall-back")
def test_a_retreating_figure_that_is_stopped_before_the_edge_stays_on_the_table() -> None:
    table = fought(RED_LOSES, at=(20, 43), terrain=[piece("cliff", (0, 45), (48, 48))])
    table.defaults()
    assert table.unit("red-1").strength == 3
    assert table.seen(FiguresFell) == []


def test_a_retreat_asks_its_owner_for_a_direction_only() -> None:
    assert fought(RED_LOSES).refused("fall-back", PathsDeclared({})).code == "values"
