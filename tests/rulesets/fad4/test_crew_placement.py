"""The crew of a weapons team keeps within 2" wherever its squad is set down, and not only where it walks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from client_protocol.choices import (
    EndsNear,
    EndsTogether,
    FiguresPlaced,
    PathParameter,
    PathsDeclared,
    PlacementParameter,
)
from server.kernel.answers.check import check_path, check_placement
from server.kernel.facts import Declared, Fact, UnitMoved
from server.kernel.procedure import Game
from server.kernel.space.geometry import Point, inches
from server.kernel.space.paths import largest_gap
from server.kernel.state import State
from server.rulesets.fad.falling_back import retreat
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.retreat import Retreat, withdraw
from tests.support.battlefield import BattleTable, battle, fad4, figures, piece, play, unit, vehicle
from tests.support.tabletop import Place, Row

RULE = "fad4/shoot.individuals"
CREW = ("gun:1", "gun:2", "gun:3")
OFF = "2.3"
"""How far apart the crew would be in the placements that are refused, in inches."""
TOLD = f'The crew of Squad\'s weapon would be {OFF}" apart; its figures may be at most 2" apart.'
ON = {"weapon_teams": "on"}


def squad(at: Place | Sequence[Place] | None, men: int = 3, **other: object) -> Row:
    return unit("blue", at, id="squad", figures=men, apart=1.5, **other)  # type: ignore[arg-type]  # as `unit` takes it


def gun(at: Place | Sequence[Place] | None, crew: int = 3, **other: object) -> Row:
    own: Row = {"id": "gun", "attached": "squad", "support": ["machine-gun"], "weapon_team": True, **other}
    return unit("blue", at, figures=crew, apart=1.5, **own)  # type: ignore[arg-type]  # as `unit` takes it


def widest(places: Mapping[str, Point], keys: Sequence[str] = CREW) -> int:
    return largest_gap([places[key] for key in keys], [500] * len(keys))


def standing(state: State) -> dict[str, Point]:
    return {key: one.at for key, one in state.units["squad"].living.items() if one.at is not None}


def placement(table: BattleTable, key: str) -> PlacementParameter:
    (parameter,) = table.choice(key).parameters
    assert isinstance(parameter, PlacementParameter)
    return parameter


# --- where a squad is placed ----------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_crew_is_deployed_within_two_inches_of_each_other() -> None:
    """move.coherency-weapon-team"""
    units = (squad(None), gun(None), unit("red", None, id="red", figures=3))
    table = play(battle(*units, options=ON, phase="deployment", turn=0, first="", active="blue"))
    parameter = placement(table, "deploy:squad")
    (bond,) = parameter.bonds
    assert (bond.figures, bond.gap, bond.rule) == (CREW, 2_000, "shoot.individuals.weapon-teams")
    # A Regular squad may be torn apart to 4 inches.
    row = {f"{n}": (inches(10 + 1.5 * n), inches(6)) for n in (1, 2, 3)}
    crew = {CREW[0]: (10_000, 8_000), CREW[1]: (11_500, 8_000), CREW[2]: (14_800, 8_000)}
    refusal = table.refused("deploy:squad", FiguresPlaced(({**row, **crew},)))
    assert (refusal.code, refusal.rule, refusal.sentence) == ("coherency", "shoot.individuals.weapon-teams", TOLD)
    assert check_placement(table.state, parameter, FiguresPlaced(({**row, **crew, CREW[2]: (14_500, 8_000)},))) is None


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("men", "crew"), [(2, 3), (6, 2), (5, 4), (1, 5)])
def test_the_suggested_deployment_keeps_every_crew_together(men: int, crew: int) -> None:
    """move.coherency-weapon-team"""
    units = (squad(None, men), gun(None, crew), unit("red", None, id="red", figures=3))
    table = play(battle(*units, options=ON, phase="deployment", turn=0, first="", active="blue"))
    parameter = placement(table, "deploy:squad")
    (places,) = parameter.suggested
    assert widest(places, [f"gun:{n}" for n in range(1, crew + 1)]) <= 2_000
    assert parameter.bonds[0].gap == 2_000
    assert check_placement(table.state, parameter, FiguresPlaced((places,))) is None


def carried() -> Sequence[Row]:
    carrier = vehicle("blue", (20, 20), id="apc", seats=10, mobility="wheel", armour=(6, 4, 3))
    return carrier, squad(None, aboard="apc"), gun(None)


@pytest.mark.rule(RULE)
def test_a_crew_gets_off_a_transport_within_two_inches_of_each_other() -> None:
    """move.coherency-weapon-team"""
    table = play(battle(*carried(), unit("red", (6, 44)), options=ON)).activates("apc")
    parameter = placement(table, "let-off:squad")
    (places,) = parameter.suggested
    assert widest(places) <= 2_000
    west = {key: (18_400, inches(16.8 + 1.1 * n)) for n, key in enumerate(("1", "2", "3", *CREW[:2]))}
    far = FiguresPlaced(({**west, CREW[2]: (18_400, west[CREW[1]][1] + 3_300)},))
    refusal = table.refused("let-off:squad", far)
    assert (refusal.rule, refusal.sentence) == ("shoot.individuals.weapon-teams", TOLD)


@pytest.mark.rule(RULE)
def test_a_crew_gets_out_of_a_wreck_within_two_inches_of_each_other() -> None:
    """move.coherency-weapon-team"""
    carrier, *aboard = carried()
    wrecked = {**carrier, "conditions": ["vehicle_damaged"], "damage_tokens": 1}
    table = play(battle(wrecked, *aboard, unit("red", (6, 44)), options=ON)).activates("apc", dice=[1, 1, 1])
    assert table.prompt.title == "Squad gets out of the wreck"
    parameter = placement(table, "get-out")
    assert parameter.bonds[0].gap == 2_000
    assert widest(parameter.suggested[0]) <= 2_000
    table.defaults()
    assert widest(standing(table.state)) <= 2_000


@pytest.mark.rule(RULE)
def test_a_crew_comes_out_of_a_warp_within_two_inches_of_each_other() -> None:
    """move.coherency-weapon-team"""
    lies = piece("receiver", (29.9, 19.9), (30.1, 20.1), id="lies")
    units = (squad((6, 6), traits={"short_range_warp": True}), gun((6, 8)), unit("red", (6, 44)))
    table = play(battle(*units, terrain=(lies,), options=ON)).activates("squad").answers("command")
    parameter = placement(table, "warp:lies")
    assert widest(parameter.suggested[0]) <= 2_000
    assert parameter.bonds[0].figures == CREW


# --- where a squad falls back ---------------------------------------------------------------------------------------


def withdrawn(state: State) -> tuple[State, list[Fact]]:
    """Let the squad fall back 6 inches northwards from red, and return the state after it and the facts."""
    game = Game[FadRules](fad4().rules, state)
    facts: list[Fact] = []
    for fact in withdraw(game, "squad", Retreat("red", 9000, inches(6), 9000, 4500, "assault.fall-back")):
        assert isinstance(fact, Fact)
        facts.append(fact)
        game.state = fact.fold(game.state)
    return game.state, facts


def stopped(rock: Sequence[Row], *posts: Place) -> State:
    men = squad([(26, 20), (27.5, 20), (29, 20)])
    crew = gun(list(posts))
    return battle(men, crew, unit("red", [(27, 18.6)], id="red"), terrain=rock, options=ON, size=(60, 48))


@pytest.mark.rule("fad4/assault.fall-back")
def test_the_crew_of_a_squad_that_falls_back_from_an_assault_closes_up() -> None:
    """move.coherency-weapon-team: a rock stops one of the crew, and another two go on; within 45 degrees it gets around."""
    rock = piece("cliff", (21, 24), (23.2, 30), id="rock")
    state = stopped((rock,), (22, 20), (23.8, 20), (25, 20))
    after, facts = withdrawn(state)
    ends = standing(after)
    assert ends[CREW[1]] == (23_800, 26_000)
    assert widest(ends) <= 2_000
    assert widest(ends, list(ends)) <= 4_000
    assert [fact for fact in facts if isinstance(fact, Declared)] == []
    assert [fact.rule for fact in facts if isinstance(fact, UnitMoved)] == ["assault.fall-back"]


@pytest.mark.rule("fad4/assault.fall-back")
@pytest.mark.rule("fad4/coherency.broken")
def test_the_log_tells_of_a_crew_that_falls_back_out_of_coherency() -> None:
    """move.coherency-weapon-team: distance and direction come first"""
    after, facts = withdrawn(stopped((), (8, 20), (23.8, 20), (25, 20)))
    told = [story.text for fact in facts if (story := fad4().story(after, fact)) is not None]
    assert "Squad ends with the crew of its weapon out of coherency." in told
    assert [fact.rule for fact in facts if isinstance(fact, Declared)] == [
        "coherency.broken",
        "move.coherency-weapon-team",
    ]


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_a_broken_squad_that_is_hemmed_in_tears_its_crew_apart_as_little_as_it_can() -> None:
    """move.coherency-weapon-team, fad4/coherency.broken"""
    # A corridor with the enemy between the crew and its third man, who has to go the other way.
    walls = (piece("cliff", (5, 17), (45, 19.5), id="south"), piece("cliff", (5, 20.5), (45, 23), id="north"))
    men, crew = squad([(10, 20), (11.5, 20), (13, 20)]), gun([(14.5, 20), (16, 20), (24, 20)])
    state = battle(men, crew, unit("red", (19.5, 20), id="red", figures=1), terrain=walls, options=ON, size=(60, 48))
    found = retreat(fad4().rules, state, "squad")
    assert found.parameter is not None
    assert found.way is not None
    (bond,) = [end for rule in found.parameter.ends for end in rule.any_of if isinstance(end, EndsTogether)]
    moved = {key: path[-1] for key, path in found.way.paths.items()}
    assert bond.gap == widest({**standing(state), **moved})
    assert check_path(state, found.parameter, found.way) is None


# --- and back from scouting -----------------------------------------------------------------------------------------


def third(at: Place) -> PathsDeclared:
    return PathsDeclared({"gun:3": ((inches(at[0]), inches(at[1])),)})


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_scout_of_a_crew_comes_back_to_his_crew() -> None:
    """adv.scout.return, move.coherency-weapon-team"""
    units = (squad((6, 6)), gun((6, 8)), unit("red", (6, 44), id="red"))
    table = play(battle(*units, options={**ON, "scout": "on"})).activates("squad").answers("command")
    table.answers("scout", figures("gun:3")).answers("place-scout", third((16, 14))).answers("command-done")
    table.defaults()
    while table.prompt.title != "Squad: where does its scout come back?":
        table.chance(6).defaults()
    (parameter,) = table.choice("return-scout").parameters
    assert isinstance(parameter, PathParameter)
    (near,) = [end for rule in parameter.ends for end in rule.any_of if isinstance(end, EndsNear)]
    assert (near.reach, near.among) == (2_000, ("gun:1", "gun:2"))
    assert table.refused("return-scout", third((4.6, 4.9))).rule == "shoot.individuals.weapon-teams"
    table.defaults()
    assert widest(standing(table.state)) <= 2_000
