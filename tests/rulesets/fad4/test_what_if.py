"""What-if: a preview from an imagined place agrees with the prompt of a unit that stands there."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import AssignmentParameter, Candidate, Picked, UnitNamed
from server.kernel.bodies import is_vehicle
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.opponents.simulation import play as random_game
from server.rulesets.fad import charge
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.vehicles.assault import allowed, victims
from server.rulesets.fad.vehicles.firing import fire_parameter
from tests.rulesets.fad4.wild import position
from tests.support.battlefield import battle, facing, fad4, line, piece, play, unit, vehicle

FIRES = "Blue 1 fires at Red 1"
STAYS = "Blue 1 stays and fires at Red 1: Open Fire"
ASSAULTS = "Blue 1 assaults Red 1"
BACK = "Red 1 fires back at Blue 1"


def told(state: State, one: str = "blue-1", other: str = "red-1") -> dict[str, Preview]:
    """Return the previews by title, in order."""
    return {foreseen.title: foreseen for foreseen in fad4().what_if(state, one, other)}


def lines(foreseen: Preview, label: str) -> list[str]:
    """Return the rules of a number's lines."""
    return [row.rule for name, number in foreseen.numbers if name == label for row in number.lines]


def test_a_what_if_agrees_with_the_prompt_of_a_unit_that_stands_there() -> None:
    state = facing(7, blue={"conditions": ["under_fire"]}, red={"figures": 4})
    table = play(state).activates("blue-1")
    foretold = told(state)
    assert list(foretold) == [FIRES, STAYS, ASSAULTS, BACK]
    for title, choice in ((FIRES, "fire-move"), (STAYS, "open-fire"), (ASSAULTS, "assault")):
        asked = fad4().preview(table.state, table.prompt, Picked(choice, (UnitNamed("red-1"),)))
        assert asked is not None
        assert replace(asked, title=title) == foretold[title]


@pytest.mark.rule("fad4/activation.clear-markers")
def test_return_fire_in_a_what_if_ignores_markers_that_the_unit_will_have_lost() -> None:
    marked = facing(7, blue={"conditions": ["under_fire"]}, red={"conditions": ["under_fire"]})
    fire = "Fire Effect (without the dice)"
    assert "underfire.fire-penalty" in lines(told(marked)[FIRES], fire)
    back = lines(told(marked)[BACK], fire)
    assert "underfire.harder-target" not in back
    assert "underfire.fire-penalty" in back
    assert told(marked)[BACK].chances == told(facing(7, red={"conditions": ["under_fire"]}))[BACK].chances


@pytest.mark.rule("fad4/pin.no-shooting")
@pytest.mark.rule("fad4/pin.no-assault")
def test_a_what_if_shows_no_action_of_a_pinned_unit() -> None:
    assert list(told(facing(7, blue={"conditions": ["pinned"]}))) == [BACK]
    assert list(told(facing(7, red={"conditions": ["pinned"]}))) == [FIRES, STAYS, ASSAULTS]


@pytest.mark.rule("fad4/resolve.infantry")
def test_a_what_if_says_that_a_unit_must_test_its_morale_first() -> None:
    foretold = told(facing(7, blue={"lost": 4, "resolve": "steady"}))
    assert foretold[FIRES].notes[-1] == "Blue 1 must test its morale first, whenever it activates."
    assert not any("morale" in note for note in foretold[BACK].notes)


def test_a_what_if_is_empty_where_nothing_is_possible() -> None:
    wall = facing(40, terrain=[piece("building", (0, 20), (48, 30))])
    assert told(wall) == {}
    assert told(battle(unit("blue", (6, 6)), unit("blue", (6, 16)), unit("red", (6, 40))), "blue-1", "blue-2") == {}
    for waiting in (unit("blue", None), unit("red", (6, 16))), (unit("blue", (6, 16)), unit("red", None)):
        assert told(battle(*waiting, phase="deployment", turn=0)) == {}


def test_a_what_if_reports_only_ground_and_coherency_as_faults_of_a_place() -> None:
    cliff = piece("cliff", (10, 4), (12, 8))

    def amiss(*places: tuple[float, float]) -> tuple[str, ...]:
        return fad4().amiss(battle(unit("blue", places), unit("red", (6, 40)), terrain=[cliff]), "blue-1")

    assert amiss((6, 6), (9.5, 6)) == ()
    assert amiss((6, 6), (9.6, 6)) == ("Blue 1 cannot stand in Sheer rock.",)
    (apart,) = amiss((6, 12), (6, 24))
    assert apart.startswith('Blue 1 is out of coherency: a gap is 11"; the limit is ')


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_a_what_if_shows_no_shot_that_fire_priority_forbids() -> None:
    state = battle(unit("blue", (6, 6), quality="rabble"), unit("red", (6, 20)), unit("red", (6, 18)))
    assert list(told(state)) == [BACK]
    assert FIRES.replace("Red 1", "Red 2") in told(state, other="red-2")


def fired_at(rules: FadRules, state: State, one: Unit) -> set[str]:
    """Return the enemies at which a prompt would let a unit fire."""
    if not is_vehicle(one):
        return {row.unit for row in targets(rules, state, one.id) if row.why is None}
    parameter = fire_parameter(rules, state, one.id)
    rows = parameter.rows if isinstance(parameter, AssignmentParameter) else ()
    return {option.key for row in rows for option in row.options}


def may_assault(rules: FadRules, state: State, one: Unit) -> tuple[Candidate, ...]:
    """Return the enemies that a prompt would list for a close assault."""
    if not is_vehicle(one):
        return tuple(charge.candidates(rules, state, one.id))
    return victims(rules, state, one.id) if allowed(state) else ()


@pytest.mark.rule("fad4/assault.by-vehicle")
@pytest.mark.rule("fad4/shoot.vehicle-weapons")
def test_a_what_if_has_all_weapons_of_a_vehicle_and_its_assault() -> None:
    state = battle(vehicle("blue", (10, 10), weapons=("machine-gun", "light-auto-cannon")), unit("red", (6, 18)))
    foretold = told(state)
    assert list(foretold) == [FIRES, STAYS, "Blue 1 drives into Red 1", BACK]
    assert foretold[FIRES].dice == "a roll for each weapon"
    back = told(state, "red-1", "blue-1")
    assert list(back)[2] == "Red 1 assaults Blue 1"
    assert "Damaged" in [chance.label for chance in back["Red 1 assaults Blue 1"].chances]


@pytest.mark.rule("fad4/assault.declare")
@pytest.mark.parametrize("seed", range(4))
def test_what_ifs_agree_with_the_prompts_of_random_games(seed: int) -> None:
    edition, chance = fad4(), random.Random(seed)
    for played in random_game(edition, position(chance, {}), seed):
        if chance.randrange(25):
            continue
        state = played.after
        for one in [squad for squad in state.units.values() if squad.on_table]:
            enemies = [enemy.id for enemy in state.enemies_of(one.side) if enemy.on_table]
            foretold = {enemy: [row.title for row in edition.what_if(state, one.id, enemy)] for enemy in enemies}
            shot_at = {enemy for enemy in enemies if any(" fires at " in title for title in foretold[enemy])}
            charged = {
                enemy
                for enemy in enemies
                if any(" assaults " in title or " drives into " in title for title in foretold[enemy])
            }
            assert shot_at == fired_at(edition.rules, state, one)
            assert charged == {row.unit for row in may_assault(edition.rules, state, one) if row.why is None}


@pytest.mark.rule("fad4/blast.impact-area")
def test_a_what_if_has_the_odds_of_a_shell_at_the_target_where_one_may_be_fired() -> None:
    title = "Blue 1 fires its light mortar at a point by Red 1"
    mortar = unit("blue", line((6, 6), 3), figures=3, support=["light-mortar"])
    enemy = unit("red", line((6, 26), 5), figures=5)
    foretold = told(battle(mortar, enemy))
    assert list(foretold)[2:4] == [title, BACK]
    assert [chance.label for chance in foretold[title].chances][:2] == ["On target", "Expected hits on Red 1"]
    # Not at what it does not see.
    wall = piece("cliff", (0, 14), (48, 15))
    assert title not in told(battle(mortar, enemy, terrain=[wall]))
    tank = told(battle(vehicle("blue", (6, 6), weapons=("light-cannon", "heavy-mortar")), enemy))
    assert [name for name in tank if "at a point" in name] == [
        "Blue 1 fires its light cannon at a point by Red 1",
        "Blue 1 fires its heavy mortar at a point by Red 1",
    ]


def test_a_what_if_works_for_units_imagined_in_the_same_place() -> None:
    state = battle(unit("blue", line((6, 6), 5)), unit("red", line((6, 14), 5)))
    heap = {
        key: replace(one, figures={name: replace(figure, at=(6_000, 6_000)) for name, figure in one.figures.items()})
        for key, one in state.units.items()
    }
    assert BACK in told(replace(state, units=heap))
