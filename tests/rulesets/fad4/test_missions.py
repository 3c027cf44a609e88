"""Missions of generated set-ups: when they are done."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.kernel.facts import MatchEnded, Noted, UnitAttached, UnitLeft
from server.kernel.setup_facts import SideDeclared
from server.kernel.space.geometry import Point, inches
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad.generated import victory
from server.rulesets.fad.generated.noting import platoons
from tests.rulesets.fad4.generated import declared, ended, ready
from tests.support.battlefield import fad4, play, shifted


def moved(state: State, unit: str, at: tuple[int, int]) -> State:
    one = state.units[unit]
    figures = {key: replace(f, at=(at[0] + 1_200 * n, at[1])) for n, (key, f) in enumerate(one.figures.items())}
    return state.with_unit(replace(one, figures=figures))


def over(state: State, turns: int = 1) -> MatchEnded | None:
    """Return how the match ends after so many ends of turns with all where it is."""
    for _ in range(turns):
        facts, state = ended(state)
        if isinstance(facts[-1], MatchEnded):
            return facts[-1]
    return None


@pytest.mark.rule("fad4/npc.missions")
def test_expand_needs_both_middle_objectives_two_turns_in_a_row() -> None:
    state = moved(ready({"blue": "expand", "red": "interfere"}), "blue-1", (22_000, 24_000))
    assert over(state) is None
    won = over(state, 2)
    assert won is not None
    assert won.winner == "blue"
    assert over(moved(state, "red-1", (22_000, 31_000)), 3) is None


def off(state: State, unit: str, objective: str, gap: int) -> State:
    """Return a match with the only figure of a unit so far north of an objective, from its base."""
    one, at = state.units[unit], state.objectives[objective].at
    figure = one.figures["1"]
    return state.with_unit(replace(one, figures={"1": replace(figure, at=(at[0], at[1] + gap + figure.radius))}))


@pytest.mark.rule("fad4/npc.missions")
@pytest.mark.parametrize(("mission", "away", "turns"), [("expand", 8, 2), ("hold", 15, 3)])
def test_an_enemy_is_not_too_near_at_exactly_the_distance(mission: str, away: int, turns: int) -> None:
    state = moved(ready({"blue": mission, "red": "interfere"}), "blue-1", (22_000, 24_000))
    objective = "blue.near" if mission == "hold" else "blue.middle"
    assert over(off(state, "red-1", objective, inches(away)), turns) is not None
    assert over(off(state, "red-1", objective, inches(away) - 1), turns) is None


@pytest.mark.rule("fad4/npc.missions")
def test_assault_takes_the_far_objective_that_was_named() -> None:
    state = moved(ready({"blue": "assault", "red": "interfere"}), "blue-1", (22_000, 40_000))
    state = replace(state, book={**state.book, "secret.blue.target": "blue.far"})
    for number in (1, 2, 3, 4):
        state = moved(state, f"red-{number}", (2_000 + 9_000 * number, 20_000))
    assert over(state, 2) is not None


@pytest.mark.rule("fad4/npc.missions")
def test_hold_keeps_enemies_away_three_turns_in_a_row() -> None:
    state = ready({"blue": "hold", "red": "interfere"})
    assert over(state, 2) is None
    won = over(state, 3)
    assert won is not None
    assert won.winner == "blue"
    assert over(moved(state, "red-1", (24_000, 20_000)), 4) is None


@pytest.mark.rule("fad4/npc.missions")
def test_patrol_touches_both_middle_objectives_and_a_far_one() -> None:
    state = moved(ready({"blue": "patrol", "red": "interfere"}), "blue-1", (23_000, 24_000))
    assert over(state, 2) is None
    won = over(moved(state, "blue-2", (23_000, 40_000)))
    assert won is not None
    assert won.winner == "blue"


@pytest.mark.rule("fad4/npc.missions")
def test_a_patrol_contacts_what_it_passes() -> None:
    state = moved(ready({"blue": "patrol", "red": "interfere"}), "blue-1", (23_000, 21_000))
    turn = replace(state.turn, active="blue", first="blue")
    table = play(replace(state, turn=turn, desk=replace(state.desk, programs={}))).activates("blue-1")
    table.answers("move-fire", shifted(table.state, "blue-1", 0, 5.999))
    assert [row[:2] for row in declared(table, "touched")] == [("blue", "blue.middle"), ("blue", "red.middle")]
    assert table.state.book["secret.blue.touched"] == ("blue.middle", "red.middle")


@pytest.mark.rule("fad4/npc.missions")
def test_a_broken_squad_contacts_what_it_cannot_occupy() -> None:
    for mission, done in (("patrol", True), ("expand", False)):
        state = moved(ready({"blue": mission, "red": "interfere"}), "blue-1", (23_000, 24_000))
        state = moved(state, "blue-2", (23_000, 40_000))
        for key in ("blue-1", "blue-2"):
            state = state.with_unit(replace(state.units[key], conditions=("broken",)))
        assert (over(state, 2) is not None) == done


@pytest.mark.rule("fad4/npc.missions")
def test_infiltrate_takes_a_squad_over_the_enemys_edge() -> None:
    state = moved(ready({"blue": "infiltrate", "red": "interfere"}), "blue-1", (2_000, 47_000))
    facts, _ = ended(state)
    assert [fact.reason for fact in facts if isinstance(fact, UnitLeft)] == [victory.THROUGH]
    assert isinstance(facts[-1], MatchEnded)
    assert facts[-1].winner == "blue"


def officer(state: State, number: int, leadership: str, place: int = 0) -> State:
    """Return a match in which red has an officer too, who stands so many inches along its edge."""
    profile = {**state.units["red-1"].profile, "leadership": leadership, "leader_branch": "infantry"}
    figures = {"1": Figure((2_000 + inches(place), 47_000), 500, "officer")}
    one = Unit(f"red-{number}", "red", leadership, number, profile, figures, traits={"officer": True})
    return replace(state, options={**state.options, "officers": "on"}).with_unit(one)


@pytest.mark.rule("fad4/npc.missions")
def test_the_officer_of_the_highest_leadership_commands_wherever_he_is_or_else_the_first_leader() -> None:
    plain = ready({"blue": "strike", "red": "interfere"})
    assert commander(plain) == ("red-1", "1")
    one = officer(plain, 91, "novice")
    assert commander(one) == ("red-91", "1")
    both = officer(one, 92, "heroic", 3)
    assert commander(both) == ("red-92", "1")
    assert commander(UnitAttached("red-92", "red-1", "adv.characters.attach").fold(both)) == ("red-92", "1")
    lost = both.with_unit(replace(both.units["red-92"], left="ambushed"))
    assert commander(lost) == ("red-91", "1")


def commander(state: State) -> tuple[str, ...]:
    """Return who commands red, as is noted and told when the set-up is over."""
    facts = list(victory.started(fad4().rules, state))
    (told,) = [fact for fact in facts if isinstance(fact, SideDeclared) and fact.side == "red"]
    (noted,) = [fact.value for fact in facts if isinstance(fact, Noted) and fact.key == "generated.commander.red"]
    assert isinstance(noted, tuple)
    assert told.action == "commander"
    assert told.value == noted[0]
    story = fad4().story(state, told)
    assert story is not None
    assert story.text == f"The commander of Red platoon is with {state.units[told.value].name}."
    return tuple(map(str, noted))


@pytest.mark.rule("fad4/npc.missions")
def test_strike_kills_a_commander_who_is_with_a_squad() -> None:
    state = officer(ready({"blue": "strike", "red": "interfere"}), 91, "heroic")
    state = replace(state, book={**state.book, "generated.commander.red": ("red-91", "1")})
    state = UnitAttached("red-91", "red-1", "adv.characters.attach").fold(state)
    assert over(state) is None
    squad = state.units["red-1"]
    figures = {key: replace(one, fallen=key == "red-91:1") for key, one in squad.figures.items()}
    won = over(state.with_unit(replace(squad, figures=figures)))
    assert won is not None
    assert won.winner == "blue"


@pytest.mark.rule("fad4/npc.missions")
@pytest.mark.parametrize(
    ("marker", "struck"), [((), True), (("captured",), True), (("wounded",), False), (("stabilised",), False)]
)
def test_strike_is_not_done_while_the_commander_is_only_wounded(marker: tuple[str, ...], *, struck: bool) -> None:
    state = ready({"blue": "strike", "red": "interfere"})
    squad = state.units["red-1"]
    figures = {**squad.figures, "1": replace(squad.figures["1"], fallen=True, conditions=marker)}
    assert (over(state.with_unit(replace(squad, figures=figures))) is not None) == struck


@pytest.mark.rule("fad4/npc.missions")
def test_sweep_breaks_half_of_the_enemys_units() -> None:
    state = ready({"blue": "sweep", "red": "interfere"})
    state = state.with_unit(replace(state.units["red-1"], left="destroyed"))
    assert over(state) is None
    won = over(state.with_unit(replace(state.units["red-2"], left="routed")))
    assert won is not None
    assert won.winner == "blue"


def with_civilians(state: State, at: Point) -> State:
    """Return a match in which red has four groups of non-combatants too, around a place."""
    for number in range(91, 95):
        figures = {"1": Figure((at[0] + 1_200 * (number - 91), at[1]), 500)}
        profile = dict(state.units["red-1"].profile)
        group = Unit(f"red-{number}", "red", "Clerks", number, profile, figures, traits={"non_combatant": True})
        state = state.with_unit(group)
    return replace(state, options={**state.options, "noncombatants": "on"})


@pytest.mark.rule("fad4/npc.missions")
@pytest.mark.rule("fad4/npc.setup")
def test_non_combatants_count_in_no_mission_and_no_platoon() -> None:
    state = with_civilians(ready({"blue": "sweep", "red": "interfere"}), (2_000, 44_000))
    assert platoons(fad4().rules, state, "red") == 1
    (began,) = [
        fact.value
        for fact in victory.started(fad4().rules, state)
        if isinstance(fact, Noted) and fact.key == victory.BEGAN
    ]
    assert began == tuple(f"{side}-{number}" for side in ("blue", "red") for number in (1, 2, 3, 4))
    held = over(with_civilians(ready({"blue": "hold", "red": "interfere"}), (24_000, 9_500)), 3)
    assert held is not None
    assert held.winner == "blue"
    occupied = with_civilians(ready({"blue": "interfere", "red": "expand"}), (24_000, 24_000))
    assert over(occupied, 3) is None


@pytest.mark.rule("fad4/npc.missions")
def test_interfere_wins_when_the_last_turn_is_over() -> None:
    assert over(ready({"blue": "interfere", "red": "strike"}, turn=7)) is None
    won = over(ready({"blue": "interfere", "red": "strike"}, turn=8))
    assert won is not None
    assert won.winner == "blue"
    drawn = over(ready({"blue": "sweep", "red": "strike"}, turn=8))
    assert drawn is not None
    assert drawn.winner == ""
