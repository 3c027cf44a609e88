"""What a match did to the force that a seat brought to it."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from client_protocol.campaigns import CampaignDice
from client_protocol.choices import Picked
from client_protocol.forces import Force, ForceUnit
from server.kernel.belief import believed
from server.kernel.campaigns.facts import fold
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster
from server.kernel.campaigns.rules import CampaignRules
from server.kernel.campaigns.state import PostBattle
from server.kernel.desk_facts import ForceBrought
from server.kernel.facts import ConditionGained, FigureRearmed, FiguresFell, MountLost, UnitFormed, UnitLeft
from server.kernel.procedure import Run
from server.kernel.state import State
from server.opponents.programs import PROGRAMS
from server.opponents.simulation import RandomDice, chance_of
from server.rulesets.fubar.setup.forces import units_of
from server.rulesets.fubar.setup.positions import MARKS
from tests.rulesets.fad5.campaigns import legal
from tests.rulesets.fubar4.battlefield import fubar4
from tests.rulesets.fubar4.campaigns import campaign
from tests.rulesets.fubar4.test_forces import force, section, sentences, tank
from tests.rulesets.openings import opened

SEAT = "blue"
SCENARIO = "three-farms"
"""A scenario in which there is space for every ready force."""
PROGRAM = "recruit"
"""The program that plays whole matches: one that is quick, and bold enough for losses."""


def mustered(*units: ForceUnit) -> State:
    """Return a match to which blue has brought these units."""
    state = replace(fubar4().open("crossed-hedges", {}), units={})
    for unit in units_of(fubar4().book, force(*units), "blue"):
        state = UnitFormed(unit, "").fold(state)
    return state


def hurt(state: State, *units: ForceUnit) -> list[UnitOutcome]:
    """Return what the match did to these units."""
    return list(campaign().outcomes(state, SEAT, force(*units)))


def test_the_fallen_are_lost_with_their_places_and_rows() -> None:
    built = section({"leader": True}, {"count": 2, "support": "rpg"}, {"count": 2})
    assert hurt(mustered(built), built) == [UnitOutcome(0, 5)]
    state = FiguresFell("blue-1", ("1", "3"), "fire", "").fold(mustered(built))
    found = hurt(state, built)
    assert found == [UnitOutcome(0, 5, (1, 3))]
    rules = campaign()
    after = PostBattle(rules.enlist(force(built)))
    after = fold(after, *rules.after_battle(after.roster, found))
    left = rules.force_of(after.roster)
    assert left is not None
    (unit,) = left.units
    assert [(row["count"], row["leader"], row["support"]) for row in unit.rows["figures"]] == [
        (1, False, "rpg"),
        (2, False, "none"),
    ]


def test_a_figure_takes_its_weapon_with_it_even_if_another_took_it_over_in_the_battle() -> None:
    built = section({"count": 1, "support": "heavy-machine-gun"}, {"count": 3})
    state = FiguresFell("blue-1", ("1",), "fire", "").fold(mustered(built))
    state = FigureRearmed("blue-1", "2", "heavy-machine-gun", "").fold(state)
    assert hurt(state, built) == [UnitOutcome(0, 4, (1,))]


def test_figures_that_have_left_the_table_are_lost_and_units_without_free_space_are_not() -> None:
    built = section({"count": 3}), section(name="Other")
    state = FiguresFell("blue-1", ("1", "2", "3"), "left_table", "").fold(mustered(*built))
    state = UnitLeft("blue-1", "left_table", "").fold(state)
    state = UnitLeft("blue-2", "no_room", "").fold(state)
    assert hurt(state, *built) == [
        UnitOutcome(0, 3, (1, 2, 3), left="left_table"),
        UnitOutcome(1, 5, left="no_room"),
    ]


def test_a_unit_aboard_a_vehicle_at_the_end_has_lost_nothing() -> None:
    built = section({"count": 3}), tank("rpg", seats=6)
    state = mustered(*built)
    state = state.with_unit(replace(state.units["blue-1"], aboard="blue-2"))
    assert not any(outcome.suffered for outcome in hurt(state, *built))


@pytest.mark.parametrize(
    ("condition", "damage"), [("", ""), ("stunned", ""), ("immobilised", "damaged"), ("on_guard", "")]
)
def test_a_vehicle_is_damaged_if_it_is_immobilised(condition: str, damage: str) -> None:
    built = tank("rpg")
    state = mustered(built)
    state = ConditionGained("blue-1", condition, "").fold(state) if condition else state
    assert [(outcome.damage, outcome.lost) for outcome in hurt(state, built)] == [(damage, ())]


def test_a_vehicle_is_damaged_if_it_lost_a_weapon_and_destroyed_by_a_wreck() -> None:
    built = tank("rpg")
    state = mustered(built)
    state = MountLost("blue-1", next(iter(state.units["blue-1"].mounts)), "").fold(state)
    assert hurt(state, built) == [UnitOutcome(0, 1, (), "damaged")]
    state = UnitLeft("blue-1", "destroyed", "").fold(state)
    assert hurt(state, built) == [UnitOutcome(0, 1, (1,), "lost", "destroyed")]


def test_every_reason_for_which_a_unit_leaves_is_settled() -> None:
    assert set(MARKS.left) == {"destroyed", "left_table", "no_room"}


def test_a_seat_without_a_side_and_a_unit_that_never_came_are_errors() -> None:
    built = section()
    with pytest.raises(ValueError, match="plays no side of this match"):
        campaign().outcomes(mustered(built), "green", force(built))
    with pytest.raises(ValueError, match="Tank was never on the roster"):
        hurt(mustered(built), built, tank("rpg"))


@pytest.mark.parametrize("seed", range(6))
def test_the_outcomes_of_whole_matches_lead_on_to_the_next(seed: int) -> None:
    rules, chance = campaign(), random.Random(seed)
    held = {seat: rules.enlist(chance.choice(fubar4().ready_forces)) for seat in ("blue", "red")}
    for battle in range(3):
        forces = {seat: built for seat, roster in held.items() if (built := rules.force_of(roster)) is not None}
        if len(forces) < len(held):
            return
        state = fought(forces, seed + 100 * battle)
        for seat, built in forces.items():
            assert sentences(built) == []
            found = rules.outcomes(state, seat, built)
            after = fold(PostBattle(held[seat]), *rules.after_battle(held[seat], found))
            for one, number in zip(found, rules.fielded(held[seat]), strict=True):
                met, unit = state.units[f"{seat}-{one.place + 1}"], held[seat].units[number]
                assert one.strength == unit.strength == len(met.figures)
                if unit.vehicle:
                    assert (one.damage == "lost") == (met.left == "destroyed")
                else:
                    assert len(one.lost) == unit.strength - met.strength
                    assert after.unit(number).strength == met.strength
            held[seat] = settled(rules, after, chance)


def fought(forces: Mapping[str, Force], seed: int) -> State:
    """Return a match of two sides at its end, which programs have played with these forces, by seat."""
    rules = fubar4()
    state = opened(rules, SCENARIO, {})
    for seat, built in forces.items():
        state = ForceBrought(seat, built).fold(state)
    run, steps = Run(rules, state, RandomDice(chance_of(seed))), 0
    run.begin()
    while run.asked is not None:
        seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
        asked, steps = run.asked.seats[seat], steps + 1
        accepts = any(choice.key == "accept" for choice in asked.choices)
        answer = PROGRAMS[PROGRAM].answer(rules, believed(run.state, seat), asked, seat, f"{seed}|{steps}")
        run.answer(seat, Picked("accept") if accepts else answer)
    assert run.state.turn.number > 1, "the forces fit on the table, and the match was played"
    return run.state


def settled(rules: CampaignRules, state: PostBattle, chance: random.Random) -> Roster:
    """Return the roster after the steps of a battle, with random dice and answers."""
    while (due := rules.due(state)) is not None:
        if isinstance(due, CampaignDice):
            state = fold(state, *rules.rolled(state, [chance.randint(1, 6)]))
        else:
            state = fold(state, *rules.answered(state, legal(due, chance)))
    return state.roster
