"""Forces: which may be brought, their points line by line, and their way onto the table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Entries, Entry, Force, ForceUnit
from server.kernel.desk_facts import ForceBrought
from server.kernel.facts import ForceDismissed, UnitFormed
from server.kernel.files.forces import counted, examine
from server.kernel.state import State
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.fad.setup.force_tables import Bounds
from server.rulesets.fad.setup.forces import units_of
from server.rulesets.fad.vehicles.squads import squad_of
from tests.support.battlefield import fad4, play

RULE = "fad4/force.building"


def force(*units: ForceUnit) -> Force:
    """Return a force of these units."""
    return Force(FORCE_FORMAT, "fad4", "A test", units)


def squad(*support: str | tuple[str, int], name: str = "Squad", **fields: Entry) -> ForceUnit:
    """Return a squad with these support weapons, or with as many of each as its pair says."""
    pairs = [(weapon, 1) if isinstance(weapon, str) else weapon for weapon in support]
    rows: tuple[Entries, ...] = tuple({"weapon": weapon, "count": count} for weapon, count in pairs)
    return ForceUnit("infantry", name, dict(fields), {"support": rows})


def vehicle(*weapons: str, armour: tuple[int, int, int] = (5, 5, 5), **fields: Entry) -> ForceUnit:
    """Return a vehicle with these weapons, and with this armour to front, side and rear."""
    front, side, rear = armour
    ratings: Entries = {"armour_front": front, "armour_side": side, "armour_rear": rear}
    return ForceUnit(
        "vehicle", "Carrier", {**ratings, **fields}, {"weapons": tuple({"weapon": weapon} for weapon in weapons)}
    )


def team(weapon: str, **fields: Entry) -> ForceUnit:
    """Return a heavy weapons team."""
    return ForceUnit("weapon_team", "Team", {"weapon": weapon, "crew": 3, **fields}, {})


def officer(**fields: Entry) -> ForceUnit:
    """Return an officer."""
    return ForceUnit("officer", "Officer", dict(fields), {})


def sentences(one: Force, **options: Entry) -> list[str]:
    """Return the sentences on what is wrong with a force."""
    return [problem.sentence for problem in examine(fad4(), one, options).problems]


def told(unit: ForceUnit) -> str:
    """Return what a unit costs, as players read it."""
    form = fad4().force_form
    assert form is not None
    return counted(form, examine(fad4(), force(unit), {}).total)


# --- points ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("unit", "points"),
    [
        # The examples of the books: a trooper, a support trooper, a squad of eight
        (squad(figures=1, armour="improved"), "6.5"),
        (squad(figures=8, armour="improved"), "52"),
        (squad("squad-automatic-weapon", figures=8, armour="improved"), "55.9"),
        # A gunner pays nothing for his small arm: 6 x 4 + 4 x 1 + 4 + 1
        (squad("plasma-rifle", "rifle-grenade", figures=6, small_arm="gauss-rifle", quality="conscript"), "33"),
        (squad(("rifle-grenade", 2), figures=2, leader=False, small_arm="gauss-rifle", quality="conscript"), "10"),
        # Resolve changes the factor: 4 x (1.6 + 0.3), 4 x (0.7 - 0.5)
        (squad(figures=1, quality="elite", resolve="determined"), "7.6"),
        (squad(figures=1, quality="rabble", resolve="reluctant"), "0.8"),
        # Half a hundredth is rounded up: 4.25 x 1.3 = 5.525
        (squad(figures=1, small_arm="high-tech-rifle"), "5.53"),
        # Powered armour carries what others cannot: 4 x (4 + 6), a rack and three linked rifles, 6 + 3, times 1.3
        (squad("missile-rack", figures=4, armour="light-powered", linked=True), "63.7"),
        # Who serves a heavy weapon pays for it in place of a small arm: 3 x 4 + 10 + 2 x 1
        (squad(figures=3, heavy_weapon="light-mortar", small_arm="gauss-rifle", quality="conscript"), "24"),
        # The example of the books: an Elite sniper in improved armour, (15 + 1) x 1.6
        (squad(figures=1, sniper=True, armour="improved", quality="elite"), "25.6"),
        # Charges and grenades are for the whole squad: (16 + 2 + 6) x 1.3
        (squad(figures=4, improvised_charges=True, penetrator_grenades=True), "31.2"),
        # 13 + 9 + 4 for armour, 5 for tracks, 5 for the gun, 8 for the crew, 16 for the seats, times 1.3
        (vehicle("machine-gun", seats=8), "78"),
        # A gunner for each further gun: 26 + 5 + 5 + 6 + 3 + 5 + 3
        (vehicle("machine-gun", "heavy-machine-gun", quality="conscript"), "53"),
        # No gun, no commander, and a soft skin costs nothing
        (vehicle(armour=(0, 0, 0), mobility="wheel", quality="conscript", resolve="determined"), "3.9"),
        (vehicle(armour=(12, 12, 12), mobility="fly", quality="conscript"), "373"),
        # The examples of the books: a light cannon with a crew of three, whose carbines refund nothing, and an Inspiring leader
        (team("light-cannon", small_arm="assault-carbine"), "24.7"),
        (officer(leadership="inspiring", armour="improved"), "26"),
    ],
)
def test_a_unit_costs_what_the_tables_say(unit: ForceUnit, points: str) -> None:
    assert told(unit) == points


@pytest.mark.rule(RULE)
def test_the_points_of_a_unit_are_explained_line_by_line() -> None:
    armed = squad("plasma-rifle", figures=6, small_arm="gauss-rifle", armour="improved", quality="elite")
    report = examine(fad4(), force(armed, vehicle("machine-gun", seats=8)), {})
    on_foot, driven = report.units
    assert [(line.stage, line.amount) for line in on_foot.total.lines] == [
        ("ADD", 24_000),
        ("ADD", 6_000),
        ("ADD", 5_000),
        ("ADD", 4_000),
        ("SCALE", 160),
    ]
    assert [line.reason for line in driven.total.lines] == [
        "Front armour 5",
        "Side armour 5",
        "Rear armour 5",
        "Tracked",
        "General purpose machine gun",
        "Crew of 2",
        "8 seats",
        "Regular, Steady",
    ]
    assert (on_foot.total.value, driven.total.value, report.total) == (62_400, 78_000, 140_400)
    assert on_foot.total.unit == "milli"


# --- what may be brought --------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_the_ready_forces_may_be_played_and_cost_about_the_same() -> None:
    totals = []
    for ready in fad4().ready_forces:
        report = examine(fad4(), ready, {"points_limit": 200, "weapon_teams": "on", "officers": "on"})
        assert report.problems == ()
        assert all(unit.card for unit in report.units)
        totals.append(report.total)
    assert len(totals) == 6
    assert max(totals) - min(totals) <= 5_000


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("built", "sentence"),
    [
        (force(), "1 to 12 units; this one has 0"),
        (force(*[squad()] * 13), "1 to 12 units; this one has 13"),
        (force(squad(figures=21)), "Figures cannot be 21; it is a number from 1 to 20"),
        (force(squad(("rifle-grenade", 2), figures=2)), "2 figures, too few for a leader and 2 support weapons"),
        (force(squad(("rifle-grenade", 3), figures=2, leader=False)), "too few for 3 support weapons"),
        (force(squad("missile-rack")), "Missile rack needs powered armour"),
        (force(squad(linked=True)), "linked weapons need powered armour"),
        (
            force(squad("rifle-grenade", figures=2, heavy_weapon="light-mortar")),
            "1 support weapons and a heavy weapon",
        ),
        (force(squad(heavy_weapon="machine-gun")), "needs a crew of its own, or powered armour"),
        (force(squad(heavy_weapon="pistol")), 'Heavy weapon cannot be "pistol"'),
        (force(squad(sniper=True)), "is a sniper: one figure with a sniper rifle and nothing else"),
        (force(squad(small_arm="machine-gun")), 'Small arm cannot be "machine-gun"'),
        (force(squad(linked=True)), "Squad: linked weapons need powered armour"),
        (force(squad(linked=True, armour="light-powered"), squad(linked=True)), "linked weapons need powered armour"),
        (force(vehicle(armour=(2, 3, 3))), "Front armour cannot be 2"),
        (force(vehicle(*["machine-gun"] * 5)), "0 to 4 rows are allowed, not 5"),
        (force(vehicle(seats=21)), "Seats cannot be 21"),
        (force(vehicle(mobility="warp")), 'Mobility cannot be "warp"'),
        (force(*[vehicle(vehicle_squad="First troop")] * 6), "First troop has 6 vehicles; a squad has at most 5"),
        (
            force(vehicle(vehicle_squad="First troop"), vehicle(vehicle_squad="First troop", quality="elite")),
            "are one squad: give them the same Quality and Resolve",
        ),
        (
            force(vehicle(vehicle_squad="First troop"), vehicle(vehicle_squad="First troop", resolve="determined")),
            "are one squad: give them the same Quality and Resolve",
        ),
    ],
)
def test_a_force_that_the_tables_do_not_allow_is_refused_with_a_sentence(built: Force, sentence: str) -> None:
    assert any(sentence in found for found in sentences(built)), sentences(built)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"most_vehicles": 1}, "At most 1 vehicles may be brought; this force has 2"),
        ({"points_limit": 100}, "The force costs 156 points; this match allows 100"),
    ],
)
def test_the_options_of_a_match_may_limit_forces_further(options: dict[str, Entry], sentence: str) -> None:
    built = force(vehicle("machine-gun", seats=8), vehicle("machine-gun", seats=8))
    assert sentences(built, most_vehicles=2, points_limit=200) == []
    assert any(sentence in found for found in sentences(built, **options))


@pytest.mark.rule(RULE)
def test_a_unit_of_a_module_is_brought_only_where_the_module_is_played() -> None:
    alone = force(squad(figures=1, leader=False, sniper=True))
    assert sentences(alone, snipers="on") == []
    assert sentences(alone) == [], "there is no match yet"
    (refused,) = sentences(alone, snipers="off")
    assert refused == "Squad has the trait Sniper: switch the option Snipers on, or take it off."
    (crowded,) = sentences(force(squad(figures=2, leader=False, sniper=True)), snipers="on")
    assert crowded == "Squad is a sniper: one figure with a sniper rifle and nothing else."


@pytest.mark.rule(RULE)
def test_an_edition_without_bounds_takes_no_forces() -> None:
    book = fad4().book
    unbound = FadRuleset("fad4", replace(book, tables=replace(book.tables, bounds=Bounds())))
    assert unbound.force_form is None
    assert not unbound.info.forces
    assert fad4().info.forces


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad4/move.vehicle-squads")
def test_vehicles_of_a_squad_are_alike_and_others_need_not_be() -> None:
    troop = [vehicle(vehicle_squad="First troop")] * 5
    others = [vehicle(vehicle_squad="Second troop", quality="elite"), vehicle(quality="rabble")]
    assert sentences(force(*troop, *others)) == []
    table = play(brought(blue=force(troop[0], *others)))
    assert [squad_of(unit) for unit in table.state.units_of("blue")] == ["First troop", "Second troop", ""]


# --- on the table ---------------------------------------------------------------------------------------------------


def brought(**forces: Force) -> State:
    """Return a match to which these seats bring forces."""
    state = fad4().open("crossroads-patrol", {})
    for seat, one in forces.items():
        state = ForceBrought(seat, one).fold(state)
    return state


@pytest.mark.rule(RULE)
def test_a_brought_force_takes_the_place_of_the_scenarios() -> None:
    own = squad(("plasma-rifle", 2), name="My own", figures=6, quality="elite", resolve="determined", armour="heavy")
    table = play(brought(blue=force(own, vehicle("heavy-machine-gun", hull="truck", seats=6))))
    assert [fact.side for fact in table.seen(ForceDismissed)] == ["blue"]
    assert [fact.unit.name for fact in table.seen(UnitFormed)] == ["My own", "Carrier"]
    on_foot, driven = table.state.units_of("blue")
    assert [figure.role for figure in on_foot.figures.values()] == [
        "leader",
        "plasma-rifle",
        "plasma-rifle",
        "",
        "",
        "",
    ]
    assert on_foot.profile == {
        "quality": "elite",
        "resolve": "determined",
        "small_arm": "assault-rifle",
        "armour": "heavy",
    }
    assert (driven.profile["armour_front"], driven.seats, driven.mounts["m1"].weapon) == (5, 6, "heavy-machine-gun")
    assert len(table.state.units_of("red")) == 2


@pytest.mark.rule(RULE)
def test_the_match_is_off_unless_both_players_accept() -> None:
    table = play(brought(blue=force(squad())))
    assert set(table.prompts) == {"blue", "red"}
    table.answers("accept", seat="blue").answers("decline", seat="red")
    assert table.state.result is not None
    assert table.state.result.winner == ""
    assert "Red patrol did not accept" in table.state.result.reason


@pytest.mark.rule(RULE)
def test_accepted_forces_are_deployed() -> None:
    table = play(brought(blue=force(squad(name="My own"))))
    table.answers("accept", seat="red").answers("accept", seat="blue", dice=[2, 5])
    assert table.asked == "blue"
    assert [choice.label for choice in table.prompt.choices] == ["Deploy My own"]


@pytest.mark.rule(RULE)
def test_a_squad_of_a_setup_may_be_called_from_a_ready_force() -> None:
    units = fad4().muster("blue", "motorised-section")
    assert [unit.name for unit in units] == [
        "1st Motor Squad",
        "2nd Motor Squad",
        "Truck One",
        "Truck Two",
        "Scout Car",
    ]
    assert all(unit.side == "blue" for unit in units)


@pytest.mark.rule(RULE)
def test_a_team_needs_its_crew_and_teams_and_officers_need_their_options() -> None:
    assert sentences(force(team("heavy-cannon"))) == ["Team has a crew of 3; a heavy cannon needs 5."]
    both = force(team("light-cannon"), officer())
    assert sentences(both, weapon_teams="off", officers="off") == [
        "Team has the trait Weapons team: switch the option Heavy weapons teams on, or take it off.",
        "Officer has the trait Officer: switch the option Officers on, or take it off.",
    ]
    assert sentences(both, weapon_teams="on", officers="on") == []


@pytest.mark.rule(RULE)
def test_teams_and_officers_come_onto_the_roster_as_what_they_are() -> None:
    rules = fad4()
    report = examine(rules, force(team("light-cannon"), officer(leadership="heroic", leader_branch="gunnery")), {})
    cards = [{line.label: line.value for line in unit.card} for unit in report.units]
    assert cards[0]["Heavy weapon"].startswith("Light cannon, up to 120")
    assert (cards[1]["Leadership"], cards[1]["Branch"]) == ("Heroic (+3)", "Gunnery")


# --- weapon traits and munitions ------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.parametrize(
    ("unit", "points"),
    [
        # 6 x 4, and 0.5 for each of five rifles; 3 + 0.75 for the gunner
        (
            ForceUnit(
                "infantry",
                "Squad",
                {"figures": 6, "quality": "conscript", "arm_weapon_trait": "terror"},
                {"support": ({"weapon": "squad-automatic-weapon", "count": 1, "weapon_trait": "long-range"},)},
            ),
            "30.25",
        ),
        # 3 x 3, 5 + 3 + 3
        (team("machine-gun", quality="conscript", weapon_trait="gatling", weapon_trait_2="long-range"), "20"),
        # Man portable: two men. 2 x 3, 10 + 5, 5 + 8 + 3 for both types in one round
        (
            team(
                "light-cannon",
                crew=2,
                quality="conscript",
                weapon_trait="man-portable",
                munition="smart",
                munition_2="incendiary",
                munitions_mixed=True,
            ),
            "37",
        ),
    ],
)
def test_weapon_traits_and_munitions_are_paid_for(unit: ForceUnit, points: str) -> None:
    assert sentences(force(unit), weapon_teams="on") == []
    assert told(unit) == points


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_units_of_a_force_have_the_weapons_that_were_asked_for() -> None:
    rows: tuple[Entries, ...] = (
        {"weapon": "light-auto-cannon", "weapon_trait": "gatling", "munition": "swarm", "munition_2": "smash"},
    )
    car = ForceUnit("vehicle", "Car", {}, {"weapons": rows})
    one, two = units_of(fad4().book, force(car, team("machine-gun", weapon_trait="static-weapon")), "blue")
    assert [mount.weapon for mount in one.mounts.values()] == ["light-auto-cannon.gatling.smash.swarm"]
    assert two.figures["1"].role == "machine-gun.static-weapon"
    squads = ForceUnit(
        "infantry",
        "Squad",
        {"arm_weapon_trait": "limited-supply", "heavy_weapon": "light-mortar", "heavy_munition": "ram"},
    )
    (three,) = units_of(fad4().book, force(squads), "blue")
    assert three.profile["small_arm"] == "assault-rifle.limited-supply"
    assert "light-mortar.ram" in [figure.role for figure in three.figures.values()]


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.parametrize(
    ("unit", "sentence"),
    [
        (team("light-chain-gun", weapon_trait="gatling"), "Team: a light chain gun cannot have gatling."),
        (
            team("machine-gun", weapon_trait="static-weapon", weapon_trait_2="man-portable"),
            "Team: a general purpose machine gun cannot have man portable and static at once.",
        ),
        (team("machine-gun", munition="smart"), "Team: a general purpose machine gun cannot have smart."),
        (squad(heavy_weapon_trait="terror"), ""),
        (
            ForceUnit("vehicle", "Car", {}, {"weapons": ({"weapon": "light-beam", "munition": "swarm"},)}),
            "Car: a light beam cannot have swarm.",
        ),
    ],
)
def test_changes_that_a_weapon_cannot_have_are_refused_in_a_force(unit: ForceUnit, sentence: str) -> None:
    assert sentences(force(unit), weapon_teams="on") == ([sentence] if sentence else [])
