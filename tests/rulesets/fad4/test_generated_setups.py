"""Set-ups that are generated as the match begins: stances, recon, edges, missions, contact markers and Recon Points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, AssignmentParameter, FiguresPlaced, PathsDeclared, PlacementParameter
from server.kernel.belief import SPECTATORS, believed
from server.kernel.facts import Fact, MatchEnded, Reasoned, Rolled, UnitLeft
from server.kernel.procedure import Game
from server.kernel.questions import total
from server.kernel.setup_facts import AssetGained, SideDeclared, SideSettled
from server.kernel.space.geometry import Point, distance, inches
from server.kernel.state import Figure, State
from server.opponents.simulation import play as simulated
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.generated import counters
from server.rulesets.fad.generated.ground import objective, sector
from server.rulesets.fad.generated.markers import _found
from server.rulesets.fad.generated.missions import TEXTS
from server.rulesets.fad.generated.noting import due, platoons
from server.rulesets.fad.uncontrolled.discipline import begin_turn
from server.rulesets.fad.uncontrolled.groups import Group, groups_of
from tests.rulesets.fad4.generated import declared, ended, ready, scenario
from tests.rulesets.invariants import Watch
from tests.rulesets.openings import laws
from tests.support.battlefield import BattleTable, battle, fad4, play, vehicle

MISSIONS = list(TEXTS)
OPEN = [50, 50, 50, 50]
SUGGESTED, NEXT = [6] * 5, [2] * 5
"""The dice in secret that suggest which markers of blue's first and second batch are True."""
"""The dice of a marker, or of two objectives."""


def chosen(
    stance: str = "neutral",
    attitude: str = "cautious",
    duty: Sequence[str] = (),
    dice: Sequence[int] = (),
    **options: str | int,
) -> BattleTable:
    """Return a match in which blue has chosen, up to where it is asked next; the dice of red's own choices are left out."""
    options = {"npc_stance": "neutral", "npc_attitude": "cautious", **options}
    table = play(scenario(**options)).answers(stance).answers(attitude)
    return table.answers("send", sent(table, duty), dice=dice)


def sent(table: BattleTable, units: Sequence[str]) -> Assigned:
    """Return the answer that sends units on recon duty."""
    (parameter,) = table.choice("send").parameters
    assert isinstance(parameter, AssignmentParameter)
    return Assigned({row.key: row.options[0].key for row in parameter.rows if row.key in units})


def missions(**faces: int) -> list[int]:
    """Return the dice of a side's missions: 1 for all others."""
    return [faces.get(mission, 1) for mission in ("assault", "expand", "hold", "infiltrate", *MISSIONS[4:])]


def to_missions(table: BattleTable) -> BattleTable:
    """Take the first edge if it is asked, and place the objectives where they are suggested."""
    while "add" not in table.offered:
        table.defaults([] if table.prompt.title.startswith("You have won") else OPEN[:2])
    return table


def secret(table: BattleTable, name: str) -> object:
    return table.state.book.get(f"secret.red.{name}")


# --- stance and attitude ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/npc.stance-attitude")
@pytest.mark.parametrize(("face", "stance"), [(1, "offensive"), (3, "neutral"), (4, "neutral"), (6, "defensive")])
def test_a_die_in_secret_says_the_stance(face: int, stance: str) -> None:
    table = play(scenario()).answers("neutral", dice=[face])
    assert secret(table, "stance") == stance
    for audience in ("blue", SPECTATORS):
        assert all(not key.startswith("secret.red") for key in believed(table.state, audience).book)
    assert "secret.blue.stance" in believed(table.state, "blue").book
    assert not table.seen(Rolled)


@pytest.mark.rule("fad4/npc.stance-attitude")
@pytest.mark.parametrize(("face", "attitude"), [(2, "aggressive"), (3, "cautious"), (5, "passive")])
def test_a_die_in_secret_says_the_attitude(face: int, attitude: str) -> None:
    table = play(scenario()).answers("neutral", dice=[1]).answers("passive", dice=[face])
    assert secret(table, "attitude") == attitude


@pytest.mark.rule("fad4/npc.stance-attitude")
def test_the_match_may_say_both_and_no_die_falls() -> None:
    table = play(scenario(npc_stance="defensive", npc_attitude="passive")).answers("neutral").answers("cautious")
    assert (secret(table, "stance"), secret(table, "attitude")) == ("defensive", "passive")


@pytest.mark.rule("fad4/npc.stance-attitude")
def test_they_are_shown_with_the_zones_and_before_the_missions_each_with_its_die() -> None:
    table = play(scenario()).answers("neutral", dice=[6]).answers("cautious", dice=[5])
    table.answers("send", Assigned({}), dice=[6, 1])
    table.answers("south", dice=[])
    assert declared(table, "stance") == [("blue", "neutral", ()), ("red", "defensive", (6,))]
    assert declared(table, "attitude") == []
    to_missions(table)
    assert declared(table, "attitude") == [("blue", "cautious", ()), ("red", "passive", (5,))]


@pytest.mark.rule("fad4/npc.stance-attitude")
@pytest.mark.parametrize(
    ("attitude", "approach"), [("aggressive", "engage"), ("cautious", "target"), ("passive", "hold")]
)
def test_its_attitude_gives_the_approach_of_its_groups(attitude: str, approach: str) -> None:
    table = play(scenario(npc_attitude=attitude, npc_stance="neutral")).chance(3)
    while not any(fact.reason.startswith("formed:") for fact in table.seen(Reasoned)):
        table.defaults()
    assert f"formed:{approach}" in {fact.reason for fact in table.seen(Reasoned)}
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "attitude"]


def groups(mission: str, **book: str) -> tuple[State, list[Group]]:
    """Return a match whose first turn begins, in which red is cautious and has this mission, and its groups."""
    state = ready({"blue": "interfere", "red": mission}, turn=1)
    kept = {key: value for key, value in state.book.items() if "group" not in key}
    kept |= {"generated.attitude.red": "cautious", "generated.commander.blue": ("blue-2", "1"), **book}
    game: FadGame = Game(fad4().rules, replace(state, book=kept))
    for step in begin_turn(game):
        if not isinstance(step, Fact):
            return game.state, groups_of(game.state, "red")
        game.state = step.fold(game.state)
    raise AssertionError("a group is tested")


@pytest.mark.rule("fad4/ai.approach")
@pytest.mark.parametrize(
    ("mission", "goal"),
    [
        ("assault", "objective:red.far"),
        ("expand", "objective:blue.middle"),
        ("hold", "objective:blue.far"),
        ("infiltrate", "objective:blue.near"),
        ("patrol", "objective:blue.middle"),
        ("strike", "unit:blue-2"),
        ("sweep", "objective:blue.far"),
    ],
)
def test_a_group_of_a_cautious_force_goes_for_what_its_mission_is_about(mission: str, goal: str) -> None:
    _, (group,) = groups(mission, **{"secret.red.target": "red.far"})
    assert (group.approach, group.goal) == ("target", goal)


@pytest.mark.rule("fad4/ai.approach")
@pytest.mark.rule("fad4/npc.missions")
def test_what_a_group_is_to_do_is_not_told_to_its_enemy() -> None:
    state, (group,) = groups("assault", **{"secret.red.target": "red.far"})
    assert not groups_of(believed(state, "blue"), "red")
    orders = [
        Reasoned("red-1", "formed:target", "ai.groups", group.id, "", group.goal),
        Reasoned("red-1", "target-run", "ai.target-run", group.id, "", group.goal),
        Reasoned("red-1", "achieved", "ai.target-advance", group.id, "", group.goal),
    ]
    for fact in orders:
        assert fad4().story(believed(state, "blue"), fact) is None
        assert fad4().story(believed(state, "red"), fact) is not None
    assert fad4().story(believed(state, "blue"), Reasoned("red-1", "stand-wait", "ai.discipline-hold", group.id))
    outcome = f"{group.id}:orders"
    tested = Rolled("discipline", "ai.discipline-pass", (6, 6, 6), numbers=(total([]),), outcome=outcome, side="red")
    texts = {who: fad4().story(believed(state, who), tested) for who in ("blue", "red")}
    assert [story.text.partition("6, ")[2] for story in texts.values() if story] == [
        "carries on with its orders.",
        "carries on with its orders (Target).",
    ]


@pytest.mark.rule("fad4/npc.setup")
def test_an_offensive_stance_calls_artillery_where_the_match_plays_it() -> None:
    table = chosen("offensive", dice=[6, 1], indirect_fire="on").answers("south")
    (fact,) = table.seen(AssetGained)
    assert (fact.side, fact.asset.profile["weapon"], fact.asset.profile["strikes"]) == ("blue", "medium-cannon", 2)
    assert not chosen("offensive", dice=[6, 1]).answers("south").seen(AssetGained)


# --- recon ------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/npc.recon-none")
def test_a_passive_defence_sends_no_one() -> None:
    table = chosen(npc_stance="defensive", npc_attitude="passive", dice=[6, 1])
    assert secret(table, "duty") == ()
    # One platoon, Defensive, Passive: 1 + 0 - 1.
    assert secret(table, "points") == 0


@pytest.mark.rule("fad4/npc.recon-traits")
def test_squads_in_scout_suits_go_on_recon_duty() -> None:
    table = chosen(dice=[6, 1])
    assert secret(table, "duty") == ("red-4",)
    # One platoon, Neutral, Cautious, one squad on recon duty: the example of the rule.
    assert secret(table, "points") == 1 + 1 + 2 + 2
    assert not [fact for fact in table.seen(SideDeclared) if "red-4" in fact.value]


@pytest.mark.rule("fad4/npc.recon-traits")
def test_the_least_resolute_are_barred() -> None:
    state = scenario(npc_stance="neutral", npc_attitude="cautious")
    scouts = state.units["red-4"]
    state = state.with_unit(replace(scouts, profile={**scouts.profile, "resolve": "reluctant"}))
    table = play(state).answers("neutral").answers("cautious").answers("send", Assigned({}), dice=[6, 1])
    assert secret(table, "duty") == ()


@pytest.mark.rule("fad4/npc.recon-platoons")
@pytest.mark.parametrize(
    ("trigger", "stance", "attitude", "dice", "duty"),
    [
        ("aggressive", "neutral", "aggressive", [5, 2], ("red-4", "red-2")),
        ("aggressive", "neutral", "aggressive", [4], ("red-4",)),
        ("aggressive", "offensive", "cautious", [], ("red-4",)),
        ("offensive", "offensive", "cautious", [6, 1], ("red-4", "red-1")),
        ("offensive", "neutral", "aggressive", [], ("red-4",)),
        ("either", "neutral", "aggressive", [6, 3], ("red-4", "red-3")),
    ],
)
def test_an_aggressive_force_rolls_for_each_platoon(
    trigger: str, stance: str, attitude: str, dice: list[int], duty: tuple[str, ...]
) -> None:
    table = chosen("offensive", npc_stance=stance, npc_attitude=attitude, npc_recon_trigger=trigger, dice=[*dice, 6, 1])
    assert secret(table, "duty") == duty


@pytest.mark.rule("fad4/npc.setup")
def test_a_player_sends_one_squad_a_platoon_and_any_scouts() -> None:
    table = play(scenario(npc_stance="neutral", npc_attitude="cautious")).answers("neutral").answers("passive")
    assert table.refused("send", sent(table, ["blue-1", "blue-2"])).code
    table.answers("send", sent(table, ["blue-1", "blue-4"]), dice=[6, 1])
    assert table.state.book["secret.blue.points"] == 1 + 1 - 1 + 4
    assert table.state.book["secret.blue.duty"] == ("blue-1", "blue-4")


@pytest.mark.rule("fad4/npc.setup")
@pytest.mark.parametrize(("face", "outcome"), [(1, "ambushed"), (2, "delayed"), (5, "delayed"), (6, "back")])
def test_recon_duty_is_dangerous(face: int, outcome: str) -> None:
    table = to_missions(chosen(duty=["blue-1"], dice=[6, 1], npc_stance="defensive", npc_attitude="passive"))
    table.answers("add", Assigned({}), dice=[*missions(patrol=6), *missions(hold=6), face, *SUGGESTED])
    assert table.rolled("recon-return").outcome == outcome
    assert ("blue-1" in {fact.unit for fact in table.seen(UnitLeft)}) == (outcome == "ambushed")
    assert table.state.book.get("generated.delayed", ()) == (("blue-1",) if outcome == "delayed" else ())
    # Neutral: five dummies for the platoon and two more, and a True marker for each unit that is there.
    assert f"{4 - (outcome != 'back')} of the {11 - (outcome != 'back')}" in table.prompt.title


@pytest.mark.rule("fad4/npc.setup")
def test_those_aboard_a_vehicle_that_is_lost_on_recon_are_lost_with_it() -> None:
    state = scenario(npc_stance="defensive", npc_attitude="passive")
    carrier = battle(vehicle("blue", (6, 6), id="blue-5", seats=8)).units["blue-5"]
    figures = {"1": replace(carrier.figures["1"], at=None)}
    state = state.with_unit(replace(carrier, number=95, figures=figures))
    state = state.with_unit(replace(state.units["blue-1"], aboard="blue-5"))
    table = play(state).answers("neutral").answers("cautious")
    table = to_missions(table.answers("send", sent(table, ["blue-5"]), dice=[6, 1]))
    table.answers("add", Assigned({}), dice=[*missions(patrol=6), *missions(hold=6), 1, *SUGGESTED])
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [
        ("blue-1", "ambushed"),
        ("blue-5", "ambushed"),
    ]


@pytest.mark.rule("fad4/npc.setup")
def test_squads_aboard_make_platoons_and_those_who_support_them_do_not() -> None:
    state = scenario(npc_stance="neutral")
    more = replace(state.units["blue-1"], id="blue-5", number=95)
    assert platoons(fad4().rules, state, "blue") == 1
    assert platoons(fad4().rules, state.with_unit(more), "blue") == 2
    assert platoons(fad4().rules, state.with_unit(replace(more, aboard="blue-1")), "blue") == 2
    for trait in ("sniper", "officer", "weapon_team"):
        assert platoons(fad4().rules, state.with_unit(replace(more, traits={trait: True})), "blue") == 1


# --- edges and objectives ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/npc.terrain-edge")
def test_if_it_wins_the_roll_its_enemy_gets_a_random_edge() -> None:
    # Both have 1 + 1 + 2 points, red two more for its scouts; a draw is rolled again.
    table = chosen(dice=[5, 3, 1, 6, 4, 50, 50])
    assert declared(table, "edge-won") == [("red", "", ())]
    rolled = table.rolled("random-edge")
    assert (rolled.rule, rolled.faces, rolled.sides, rolled.side, rolled.outcome) == (
        "npc.terrain-edge",
        (4,),
        4,
        "blue",
        "east",
    )
    width = table.state.table.width
    assert [(fact.side, fact.edge, fact.zone[0][0], fact.zone[1][0]) for fact in table.seen(SideSettled)] == [
        ("blue", "east", width - inches(12), width),
        ("red", "west", 0, inches(12)),
    ]


@pytest.mark.rule("fad4/npc.terrain-edge")
def test_its_points_and_dice_for_the_edges_stay_secret() -> None:
    table = chosen(dice=[6, 1])
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "choose-edge"]
    assert declared(table, "edge-won") == [("blue", "", ())]
    assert table.offered == ["south", "north", "west", "east"]


@pytest.mark.rule("fad4/npc.terrain-edge")
def test_its_objectives_are_drawn_in_each_third_away_from_the_others() -> None:
    table = to_missions(chosen(dice=[6, 1]).answers("north"))
    places = {key: one.at for key, one in table.state.objectives.items()}
    assert set(places) == {objective(side, which) for side in ("blue", "red") for which in ("near", "middle", "far")}
    for which in ("near", "middle", "far"):
        corners = sector(table.state, "red", which)
        at = places[objective("red", which)]
        assert min(y for _, y in corners) <= at[1] <= max(y for _, y in corners)
        assert all(distance(at, other) >= inches(6) - 1 for key, other in places.items() if other != at)
    assert [fact.faces for fact in table.seen(Rolled) if fact.purpose == "objective-place"] == [(50, 50)] * 3


@pytest.mark.rule("fad4/npc.setup")
def test_a_player_places_objectives_away_from_the_others() -> None:
    table = chosen(dice=[6, 1]).answers("south")
    table.answers("place", FiguresPlaced(({"1": (24_000, 15_200)},)), dice=OPEN[:2])
    near = table.state.objectives["blue.near"].at
    too_near, there = (near[0], near[1] + inches(6) + 699), (near[0], near[1] + inches(6) + 700)
    refused = table.refused("place", FiguresPlaced(({"1": too_near},)))
    assert (refused.code, refused.rule) == ("near_objective", "npc.setup")
    assert refused.sentence == 'Objective marker 10 would lie within 6" of Near objective B.'
    table.answers("place", FiguresPlaced(({"1": there},)), dice=OPEN[:2])
    assert table.state.objectives["blue.middle"].at == there


@pytest.mark.rule("fad4/npc.setup")
def test_a_player_places_an_objective_where_there_is_space_if_none_is_far_enough_away() -> None:
    state = to_missions(chosen(dice=[6, 1]).answers("south")).state
    marker = counters.counter(fad4().rules, state, "blue", counters.OBJECTIVE, 9)
    at = state.objectives["blue.near"].at
    zone = ((at[0] - 2_000, at[1] - 2_000), (at[0] + 2_000, at[1] - 2_000), (at[0] + 2_000, at[1] + 2_000))
    parameter = counters.placing(state.with_unit(marker), [marker], zone, [at], inches(6))
    assert (parameter.avoid, parameter.clear) == ((), 0)


# --- missions ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/npc.missions")
def test_its_dice_and_its_mission_are_secret_and_it_adds_nothing() -> None:
    table = to_missions(chosen(dice=[6, 1]))
    table.answers("add", Assigned({"sweep": "more"}), dice=[*missions(sweep=6), *missions(strike=6), 1, *SUGGESTED])
    own = table.rolled("missions")
    # Blue: Neutral, Cautious. Sweep 6 + 1.
    assert [number.value for number in own.numbers] == [1, 2, 1, 2, 2, 3, 1, 7]
    assert declared(table, "mission") == [("blue", "sweep", ())]
    assert secret(table, "mission") == "strike"
    assert "generated.mission.red" not in table.state.book
    assert not [key for key in believed(table.state, "blue").book if key.startswith("secret.red")]


@pytest.mark.rule("fad4/npc.missions")
def test_a_draw_of_its_missions_is_settled_by_a_die() -> None:
    table = to_missions(chosen(dice=[6, 1]))
    # Red: Neutral, Cautious. Strike 6, Patrol 4 + 2: the higher die comes first.
    table.answers("add", Assigned({}), dice=[*missions(sweep=6), *missions(strike=6, patrol=4), 2, 1, *SUGGESTED])
    assert secret(table, "mission") == "patrol"


@pytest.mark.rule("fad4/npc.missions")
def test_its_mission_is_told_when_the_match_ends() -> None:
    state = ready({"blue": "interfere", "red": "strike"}, turn=8)
    fallen = state.units["blue-1"]
    leader = next(key for key, figure in fallen.figures.items() if figure.role == "leader")
    figures = {key: replace(one, fallen=key == leader) for key, one in fallen.figures.items()}
    facts, _ = ended(state.with_unit(replace(fallen, figures=figures)))
    assert ("red", "strike") in {(fact.side, fact.value) for fact in facts if isinstance(fact, SideDeclared)}
    assert facts[-1] == MatchEnded("red", "Red platoon has carried out its mission, Strike.", "scenario.mission-done")


@pytest.mark.rule("fad4/npc.setup")
def test_the_same_mission_on_both_sides_escalates() -> None:
    table = to_missions(chosen(dice=[6, 1]))
    table.answers("add", Assigned({}), dice=[*missions(strike=6), *missions(strike=6)])
    assert declared(table, "clash") == [("blue", "strike", ())]
    assert [fact.zone[2][1] - fact.zone[0][1] for fact in table.seen(SideSettled)[-2:]] == [inches(18)] * 2
    assert table.offered == [f"first:blue-{number}" for number in (1, 2, 3, 4)]
    table.answers("first:blue-2").defaults()
    # The rest enters one by one, a unit for each platoon a turn.
    assert [unit.id for unit in table.state.units_of("blue") if unit.on_table] == ["blue-2"]
    assert table.prompt.title == "Blue 1st Squad enters the table"


# --- markers ----------------------------------------------------------------------------------------------------------


def marked() -> BattleTable:
    """Return a match in which blue is to place its first markers; red has no unit on recon duty."""
    table = to_missions(chosen(dice=[6, 1], npc_stance="defensive", npc_attitude="passive"))
    return table.answers("add", Assigned({}), dice=[*missions(sweep=6), *missions(hold=6), *SUGGESTED])


@pytest.mark.rule("fad4/npc.markers-placement")
@pytest.mark.parametrize(("face", "spread"), [(1, "dispersed"), (3, "free"), (6, "concentrated")])
def test_a_die_says_how_its_markers_are_placed(face: int, spread: str) -> None:
    table = marked().defaults([face, *OPEN * 5, *NEXT])
    assert (table.rolled("marker-spread").outcome, table.rolled("marker-spread").faces) == (spread, (face,))
    found = [counters.at(marker) for marker in counters.contacts(table.state, "red")]
    pairs = [distance(one, other) for one, other in combinations(found, 2)]
    if spread == "dispersed":
        assert min(pairs) >= inches(6) - 1
    elif spread == "concentrated":
        assert all(min(distance(at, other) for other in found if other != at) <= inches(12) for at in found)


@pytest.mark.rule("fad4/npc.markers-placement")
def test_dispersed_markers_come_as_far_apart_as_can_be_where_the_zone_is_full() -> None:
    state = marked().state
    side = state.sides["red"]
    left, top = side.zone[0][0], max(y for _, y in side.zone)
    zone: tuple[Point, ...] = ((left, top - 4000), (left + 8000, top - 4000), (left + 8000, top), (left, top))
    state = replace(state, sides={**state.sides, "red": replace(side, zone=zone)})
    for number in (1, 2, 3):
        marker = counters.counter(fad4().rules, state, "red", counters.CONTACT, number)
        at = _found(fad4().rules, state, "red", "dispersed", OPEN)
        state = state.with_unit(replace(marker, figures={"1": Figure(at, counters.RADIUS)}))
    assert len({counters.at(marker) for marker in counters.contacts(state, "red")}) == 3


@pytest.mark.rule("fad4/npc.markers-shuffled")
def test_a_die_says_what_its_marker_is_when_it_is_revealed() -> None:
    table = marked()
    table.chance(5)
    while table.prompt.title != "Spend a Recon Point? You have 4":
        table.defaults()
    assert not [key for key in table.state.book if key.startswith("secret.red") and key.endswith("true")]
    markers = counters.contacts(table.state, "red")
    # Four units, and five dummies less two: what the marker is, is one of seven.
    assert len(markers) == 7
    table.answers("reveal", markers[2].id, dice=[2])
    rolled = table.rolled("marker")
    assert (rolled.rule, rolled.faces, rolled.sides, rolled.outcome) == ("npc.markers-shuffled", (2,), 7, "red-2")
    assert table.unit("red-2").on_table
    assert markers[2].id not in table.state.units
    table.answers("reveal", markers[0].id, dice=[6])
    assert (table.rolled("marker").sides, table.rolled("marker").outcome) == (6, "a dummy")


@pytest.mark.rule("fad4/npc.markers-shuffled")
def test_only_its_own_player_knows_what_a_marker_is() -> None:
    table = marked()
    parameter = table.choice("place").parameters[0]
    assert isinstance(parameter, PlacementParameter)
    truth = Assigned({"contact.blue.2": "true", "contact.blue.5": "true"})
    table.answers("place", FiguresPlaced(parameter.suggested), truth, dice=[3, *OPEN * 5, *NEXT])
    cards = {
        audience: {
            key: fad4().card(believed(table.state, audience), unit)[0].value
            for key, unit in table.state.units.items()
            if key.startswith("contact.blue") and unit.on_table
        }
        for audience in ("blue", "red", SPECTATORS)
    }
    assert cards["blue"]["contact.blue.2"].startswith("True")
    assert cards["blue"]["contact.blue.1"].startswith("Dummy")
    for audience in ("red", SPECTATORS):
        assert set(cards[audience].values()) == {"Something may be there, or nothing"}


# --- Recon Points -----------------------------------------------------------------------------------------------------


def spending() -> BattleTable:
    """Return a match in which blue is asked for what it spends Recon Points; red has 3 of them."""
    table = to_missions(
        chosen(dice=[6, 1], npc_stance="neutral", npc_attitude="passive", npc_recon_trigger="offensive")
    )
    table.answers("add", Assigned({}), dice=[*missions(sweep=6), *missions(hold=6), 6, 1, 2, *SUGGESTED])
    table.chance(8)
    while not table.prompt.title.startswith("Spend"):
        table.defaults()
    return table


@pytest.mark.rule("fad4/npc.recon-points")
def test_it_may_spend_a_point_to_block_which_needs_a_die_of_its_own() -> None:
    table = spending()
    left = secret(table, "points")
    assert left == 1 + 1 - 1 + 2
    markers = counters.contacts(table.state, "red")
    # The example of the rule: 5 to try, 3 does not block: the marker is revealed.
    table.answers("reveal", markers[0].id, dice=[5, 3, 11])
    assert [(fact.purpose, fact.outcome) for fact in table.seen(Rolled)[-3:]] == [
        ("block-try", "try"),
        ("block", "failed"),
        ("marker", "a dummy"),
    ]
    assert secret(table, "points") == left - 1
    table.answers("reveal", markers[1].id, dice=[4, 4])
    assert table.rolled("block").outcome == "blocked"
    assert markers[1].id in table.state.units
    table.answers("reveal", markers[1].id, dice=[3, 10])
    assert table.rolled("block-try").outcome == "let"
    assert secret(table, "points") == left - 2


@pytest.mark.rule("fad4/npc.recon-points")
def test_without_a_point_no_die_is_rolled() -> None:
    table = marked()
    table.chance(5)
    while not table.prompt.title.startswith("Spend"):
        table.defaults()
    assert secret(table, "points") == 0
    table.answers("reveal", counters.contacts(table.state, "red")[0].id, dice=[7])
    assert not [fact for fact in table.seen(Rolled) if fact.purpose == "block-try"]


@pytest.mark.rule("fad4/npc.setup")
def test_a_marker_that_comes_near_an_enemy_is_revealed_and_so_is_that() -> None:
    table = spending()
    foe = counters.contacts(table.state, "red")[0]
    (own, *_) = counters.contacts(table.state, "blue")
    at = counters.at(own)
    # It lies 17" away, and comes within 12" by moving.
    near = (at[0], at[1] + inches(17))
    state = table.state.with_unit(replace(foe, figures={"1": replace(foe.figures["1"], at=near)}))
    true = (own.id, *(key for key in state.book["secret.blue.true"] if key != own.id))[:4]  # type: ignore[union-attr]  # a list of words
    table = play(replace(state, book={**state.book, "secret.blue.true": true}))
    table.answers("move", own.id, dice=[1]).answers("go", PathsDeclared({"1": ((at[0], at[1] + inches(6)),)}))
    assert table.prompt.title == f"{own.name} is True: which unit is it?"
    table.defaults([11])
    assert foe.id not in table.state.units
    assert table.rolled("marker").rule == "npc.markers-shuffled"


# --- the sequence -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/npc.setup")
@pytest.mark.parametrize("held", [("red",), ("blue",), ("blue", "red")])
def test_the_set_up_ends_with_every_unit_on_the_table_or_due(held: tuple[str, ...]) -> None:
    for seed in range(3):
        state = scenario(*held)
        watch = Watch(fad4(), state, laws("fad4", state))
        for played in simulated(fad4(), state, seed):
            watch.step(played)
            if played.after.turn.number:
                break
        assert not due(played.after)
        assert not counters.contacts(played.after, "blue")
