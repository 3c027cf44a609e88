"""Forces: which may be brought, what they count for, and their way onto the table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Entries, Entry, Force, ForceUnit, FormKind
from server.kernel.desk_facts import ForceBrought
from server.kernel.facts import ForceDismissed, MatchEnded, UnitFormed
from server.kernel.files.forces import counted, examine
from server.kernel.state import State
from server.kernel.traits import of
from server.rulesets.fad.setup.forces import units_of
from tests.rulesets.fad5.battlefield import fad5
from tests.support.battlefield import play

RULE = "fad5/points.system"
SCENARIOS = [scenario.id for scenario in fad5().info.scenarios]


def force(*units: ForceUnit) -> Force:
    """Return a force of these units."""
    return Force(FORCE_FORMAT, "fad5", "A test", units)


def squad(*support: str, name: str = "Squad", **fields: Entry) -> ForceUnit:
    """Return a squad with these support weapons."""
    rows: tuple[Entries, ...] = tuple({"weapon": weapon} for weapon in support)
    return ForceUnit("infantry", name, dict(fields), {"support": rows})


def vehicle(*weapons: Entries, name: str = "Carrier", armour: int = 5, **fields: Entry) -> ForceUnit:
    """Return a vehicle with these weapons, and with this armour on each facing."""
    ratings: Entries = {f"armour_{facing}": armour for facing in ("front", "side", "rear")}
    return ForceUnit("vehicle", name, {**ratings, **fields}, {"weapons": weapons})


def team(weapon: str, **fields: Entry) -> ForceUnit:
    """Return a heavy weapon with its crew."""
    return ForceUnit("weapon_team", "Team", {"weapon": weapon, "crew": 3, **fields}, {})


GUN: Entries = {"weapon": "machine-gun"}


def kind(key: str) -> FormKind:
    """Return what the form says of a kind of unit."""
    form = fad5().force_form
    assert form is not None
    return next(one for one in form.kinds if one.key == key)


def sentences(one: Force, **options: Entry) -> list[str]:
    """Return the sentences on what is wrong with a force."""
    return [problem.sentence for problem in examine(fad5(), one, options).problems]


def told(unit: ForceUnit) -> str:
    """Return what a unit costs, as players read it."""
    form = fad5().force_form
    assert form is not None
    return counted(form, examine(fad5(), force(unit), {}).total)


# --- the form -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/resolve.vehicles")
def test_the_form_has_what_the_editions_units_have() -> None:
    form = fad5().force_form
    assert form is not None
    assert [one.key for one in form.kinds] == ["infantry", "vehicle", "weapon_team"]
    squads, vehicles = ({field.key for field in kind(key).fields} for key in ("infantry", "vehicle"))
    assert {"platoon", "commander", "company_commander", "veteran_leader", "recon", "assault_troops"} <= squads
    assert {"platoon", "commander", "fire_control", "open_topped", "shock"} <= vehicles
    assert not {"resolve", "veteran_leader", "assault_troops"} & vehicles, "crews have no Resolve"
    assert not {"open_topped", "shock", "heavy_weapon", "linked"} & squads
    (guns,) = kind("vehicle").lists
    assert [field.key for field in guns.fields] == ["weapon", "arc", "served_outside"]


def test_what_few_units_have_stands_under_headings() -> None:
    groups = {field.key: field.group for field in kind("infantry").fields}
    assert groups["quality"] == groups["small_arm"] == groups["leader"] == ""
    assert groups["commander"] == groups["platoon"] == groups["veteran_leader"] == "Command"
    assert groups["recon"] == groups["sniper"] == "Traits"
    assert {field.group for field in kind("vehicle").fields} == {"", "Command", "Traits of the vehicle"}


# --- points ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("unit", "points"),
    [
        # The examples of the book: a trooper, a squad of eight, a crew of three, an Elite sniper
        (squad(figures=1, armour="improved"), "6.5"),
        (squad(figures=8, armour="improved"), "52"),
        (team("light-cannon", small_arm="assault-carbine"), "24.7"),
        (squad(figures=1, leader=False, sniper=True, armour="improved", quality="elite"), "25.6"),
        # 13 + 9 + 4 for armour, 5 for tracks, 5 for the gun, 8 for the crew, 16 for the seats, times 1.3, without Resolve
        (vehicle(GUN, seats=8), "78"),
        # 9 + 3 + 5 for armour, 10 to warp, 3 for the driver; fire control and shock dice cost nothing
        (vehicle(armour=3, mobility="warp", quality="conscript", fire_control="ultratech", shock=6), "23"),
    ],
)
def test_a_unit_costs_what_the_tables_say(unit: ForceUnit, points: str) -> None:
    assert sentences(force(unit)) == []
    assert told(unit) == points


@pytest.mark.rule("fad5/points.traits")
def test_traits_multiply_what_a_unit_costs() -> None:
    # 4 x 4 x 1.3 = 20.8; 20.8 x 1.3 x 0.9 = 24.336
    assert told(squad(figures=4)) == "20.8"
    both = squad(figures=4, assault_troops=True, weak=True)
    assert told(both) == "24.34"
    (report,) = examine(fad5(), force(both), {}).units
    assert [(line.stage, line.amount, line.rule) for line in report.total.lines][-2:] == [
        ("SCALE", 130, "points.traits"),
        ("SCALE", 90, "points.traits"),
    ]
    assert told(squad(figures=4, commander=True)) == "20.8", "a commander costs nothing"


@pytest.mark.rule(RULE)
def test_points_are_rounded_once_after_all_factors() -> None:
    own: Entries = {
        "figures": 5,
        "leader": False,
        "quality": "rabble",
        "armour": "improved",
        "small_arm": "low-tech-rifle",
    }
    traits: Entries = {"assault_troops": True, "shock_troops": True, "recon": True}
    rabble = ForceUnit("infantry", "Squad", {**own, **traits}, {"support": ()})
    assert told(rabble) == "30.91", "exactly 30.905875, which two roundings on the way would make 30.90"


# --- what may be brought --------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_the_ready_forces_may_be_played_and_cost_about_the_same() -> None:
    totals = {}
    for ready in fad5().ready_forces:
        report = examine(fad5(), ready, {"points_limit": 200})
        assert report.problems == ()
        assert all(unit.card for unit in report.units)
        totals[ready.name] = report.total
    assert totals.pop("Patrol") <= 100_000, "one is for a small table"
    assert len(totals) == 4
    assert max(totals.values()) - min(totals.values()) <= 5_000


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("built", "sentence"),
    [
        (force(), "1 to 12 units; this one has 0"),
        (force(squad(figures=21)), "Figures cannot be 21; it is a number from 1 to 20"),
        (force(squad("rifle-grenade", "rifle-grenade", figures=2)), "too few for a leader and 2 support weapons"),
        (force(squad("missile-rack")), 'Weapon cannot be "missile-rack"'),
        (force(squad(armour="bio-mech")), 'Armour cannot be "bio-mech"'),
        (force(squad(sniper=True)), "is a sniper: one figure with a sniper rifle and nothing else"),
        (force(vehicle(armour=2)), "Front armour cannot be 2"),
        (force(vehicle(resolve="steady")), "Vehicle has no field 'resolve'"),
        (force(vehicle(shock=7)), "Shock dice cannot be 7; it is a number from 0 to 6"),
        (force(vehicle(mobility="emplaced")), 'Mobility cannot be "emplaced"'),
        (force(team("heavy-cannon")), "Team has a crew of 3; a heavy cannon needs 5"),
        (force(team("rpg")), 'Weapon cannot be "rpg"'),
    ],
)
def test_a_force_that_the_tables_do_not_allow_is_refused_with_a_sentence(built: Force, sentence: str) -> None:
    assert any(sentence in found for found in sentences(built)), sentences(built)


@pytest.mark.rule("fad5/unit.platoon-company")
@pytest.mark.parametrize(
    ("units", "sentence", "where"),
    [
        (
            (squad(leader=False, commander=True),),
            "Squad has a platoon's commander and no leader: tick Leader, or take the commander off.",
            (0, "commander"),
        ),
        (
            (squad(leader=False, veteran_leader=True),),
            "Squad has a veteran leader and no leader: tick Leader, or take the veteran off.",
            (0, "veteran_leader"),
        ),
        (
            (squad(name="One", commander=True), squad(name="Two", commander=True)),
            "One and Two both have the commander of those that support all: a platoon has one.",
            (1, "commander"),
        ),
        (
            (
                squad(name="One", commander=True, platoon="First platoon"),
                vehicle(commander=True, platoon="First platoon"),
            ),
            "One and Carrier both have the commander of the first platoon: a platoon has one.",
            (1, "commander"),
        ),
    ],
)
def test_what_is_wrong_with_commanders_is_told_at_their_field(
    units: tuple[ForceUnit, ...], sentence: str, where: tuple[int, str]
) -> None:
    (problem,) = examine(fad5(), force(*units), {}).problems
    assert (problem.sentence, (problem.unit, problem.field)) == (sentence, where)
    assert problem.rule == "unit.platoon-company"


@pytest.mark.rule("fad5/unit.platoon-company")
def test_each_platoon_may_have_a_commander_and_a_single_figure_needs_no_leader() -> None:
    led = [squad(name=name, commander=True, platoon=name) for name in ("First platoon", "Second platoon")]
    alone = squad(name="Colonel", figures=1, leader=False, company_commander=True)
    assert sentences(force(*led, alone)) == []


@pytest.mark.rule("fad5/move.vehicles-individual")
def test_vehicles_of_a_formation_need_not_be_alike() -> None:
    tanks = [vehicle(name=f"Tank {number}", vehicle_squad="First troop") for number in range(6)]
    assert sentences(force(*tanks, vehicle(vehicle_squad="First troop", quality="elite"))) == []


@pytest.mark.rule(RULE)
def test_the_options_of_a_match_may_limit_forces_further() -> None:
    built = force(vehicle(GUN, seats=8), vehicle(GUN, seats=8))
    assert sentences(built, most_vehicles=2, points_limit=200) == []
    assert sentences(built, most_vehicles=1) == ["At most 1 vehicles may be brought; this force has 2."]
    assert sentences(built, points_limit=100) == ["The force costs 156 points; this match allows 100."]


@pytest.mark.rule(RULE)
def test_a_sniper_is_brought_only_where_snipers_are_played() -> None:
    alone = force(squad(figures=1, leader=False, sniper=True))
    assert sentences(alone, snipers="on") == []
    assert sentences(alone, snipers="off") == [
        "Squad has the trait Sniper: switch the option Snipers on, or take it off."
    ]


# --- on the table ---------------------------------------------------------------------------------------------------


def brought(scenario: str = "wire-pasture", **forces: Force) -> State:
    """Return a match to which these seats bring forces."""
    state = fad5().open(scenario, {})
    for seat, one in forces.items():
        state = ForceBrought(seat, one).fold(state)
    return state


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad5/unit.platoon-company")
@pytest.mark.rule("fad5/under-fire.vehicles")
def test_units_of_a_force_have_what_was_asked_for() -> None:
    built = force(
        squad("plasma-rifle", figures=4, platoon="First platoon", commander=True, recon=True),
        vehicle(GUN, {**GUN, "served_outside": True}, fire_control="extensive", shock=3, open_topped=True, seats=6),
        team("light-auto-cannon", platoon="First platoon"),
    )
    on_foot, driven, crew = units_of(fad5().book, built, "blue")
    assert on_foot.profile["platoon"] == crew.profile["platoon"] == "First platoon"
    assert of(on_foot) == {"commander": True, "recon": True}
    assert [figure.role for figure in on_foot.figures.values()] == ["leader", "plasma-rifle", "", ""]
    assert (driven.profile["fire_control"], driven.profile["pintle"], driven.seats) == ("extensive", ("m2",), 6)
    assert "resolve" not in driven.profile
    assert of(driven) == {"shock": 3, "open_topped": True}
    assert of(crew) == {"weapon_team": True}
    assert [figure.role for figure in crew.figures.values()] == ["light-auto-cannon", "", ""]


@pytest.mark.rule(RULE)
def test_a_brought_force_takes_the_place_of_the_scenarios_when_both_accept_it() -> None:
    table = play(brought(blue=force(squad(name="My own"), vehicle(GUN))))
    assert [fact.side for fact in table.seen(ForceDismissed)] == ["blue"]
    assert [fact.unit.name for fact in table.seen(UnitFormed)] == ["My own", "Carrier"]
    table.answers("accept", seat="red").answers("accept", seat="blue", dice=[2, 5])
    assert table.asked == "blue"
    assert {choice.label for choice in table.prompt.choices} == {"Deploy My own", "Deploy Carrier"}


@pytest.mark.rule(RULE)
def test_players_of_a_league_have_accepted_the_forces_by_joining_it() -> None:
    state = brought(blue=force(squad(name="My own")))
    table = play(replace(state, desk=replace(state.desk, league="long-war")), dice=[2, 5])
    assert [fact.unit.name for fact in table.seen(UnitFormed)] == ["My own"]
    assert {choice.label for choice in table.prompt.choices} == {"Deploy My own"}


@pytest.mark.rule(RULE)
@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("ready", [force.name for force in fad5().ready_forces])
def test_a_ready_force_fits_on_every_table_except_tanks_into_an_inn(scenario: str, ready: str) -> None:
    own = next(force for force in fad5().ready_forces if force.name == ready)
    seats = [side.seat for side in fad5().open(scenario, {}).sides.values()]
    table = play(brought(scenario, **dict.fromkeys(seats, own)))
    ended = [fact.reason for fact in table.seen(MatchEnded)]
    if (ready, scenario) == ("Tank Troop", "ferry-inn"):
        assert "The deployment zone of Garrison has no free space for Lead Tank (G)" in ended[0]
        return
    assert ended == []
    assert {choice.key for prompt in table.prompts.values() for choice in prompt.choices} == {"accept", "decline"}
