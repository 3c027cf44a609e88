"""Forces: which may be brought, their weight, and their acceptance by all players."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.desk_facts import ForceBrought
from server.kernel.facts import ForceDismissed, UnitFormed
from server.kernel.files.forces import examine
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import fubar4, play

RULE = "fubar4/unit.forces"


def force(*units: ForceUnit) -> Force:
    """Return a force of these units."""
    return Force(FORCE_FORMAT, "fubar4", "A test", units)


def section(*rows: dict[str, str | int | bool], name: str = "Section", **fields: str | int | bool) -> ForceUnit:
    """Return an infantry unit with these rows of figures (default: five with assault rifles)."""
    return ForceUnit("infantry", name, fields, {"figures": rows or ({"count": 5},)})


def tank(*weapons: str, **fields: str | int | bool) -> ForceUnit:
    """Return a vehicle with these weapons."""
    return ForceUnit("vehicle", "Tank", fields, {"weapons": tuple({"weapon": weapon} for weapon in weapons)})


def sentences(one: Force, **options: str | int | bool) -> list[str]:
    """Return the sentences on what is wrong with a force."""
    return [problem.sentence for problem in examine(fubar4(), one, options).problems]


@pytest.mark.rule(RULE)
def test_every_ready_force_may_be_played() -> None:
    assert fubar4().ready_forces
    for ready in fubar4().ready_forces:
        report = examine(fubar4(), ready, {})
        assert report.problems == ()
        assert report.total == sum(unit.total.value for unit in report.units) > 0
        assert all(unit.card for unit in report.units)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("built", "sentence"),
    [
        (force(), "1 to 12 units; this one has 0"),
        (force(*[section()] * 13), "1 to 12 units; this one has 13"),
        (force(section({"count": 9}, {"count": 4})), "has 13 figures; a unit has at most 12"),
        (force(section({"count": 3, "support": "rpg"})), "has 3 support weapons; a unit has at most 2"),
        (force(section({"count": 2, "leader": True})), "has 2 leaders; a unit has at most one"),
        (force(section({"count": 2, "arm": "railgun"})), 'Small arm cannot be "railgun"'),
        (force(section({"count": 2, "support": "light-cannon"})), 'Support weapon cannot be "light-cannon"'),
        (force(section({"count": 2, "arm": "pistol", "launcher": True})), "only assault rifles"),
        (force(section({"count": 2, "leader_level": "elite"})), "only a leader"),
        (force(section(level="heroic")), 'Level cannot be "heroic"'),
        (force(section(speed=3)), "no field 'speed'"),
        (force(tank()), "1 to 4 rows are allowed, not 0"),
        (force(tank("heavy-cannon", armour="light")), "only tanks, of medium armour or better, mount cannons"),
        (force(tank("heavy-cannon", armour="medium", seats=13)), "Seats cannot be 13; it is a number from 0 to 12"),
        (force(ForceUnit("dragon", "Smaug")), "no kind of unit 'dragon'"),
        (replace(force(section()), edition="fad4"), "for the edition 'fad4'"),
    ],
)
def test_a_force_that_the_tables_do_not_allow_is_refused_with_a_sentence(built: Force, sentence: str) -> None:
    assert any(sentence in found for found in sentences(built)), sentences(built)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"most_units": 1}, "1 to 1 units"),
        ({"most_figures": 4}, "at most 4"),
        ({"most_support": 0}, "at most 0"),
        ({"most_vehicles": 0}, "At most 0 vehicles"),
        ({"best_armour": "light"}, "light armour at most"),
        ({"best_armour": "none"}, "Tank, crew: this match allows no armour at most"),
        ({"weight_limit": 60}, "this match allows 60"),
    ],
)
def test_the_options_of_a_match_may_limit_forces_further(options: dict[str, str | int | bool], sentence: str) -> None:
    built = force(
        section({"count": 1, "support": "rpg"}, {"count": 4, "armour": "heavy"}),
        tank("heavy-cannon", armour="heavy", crew_armour="light"),
    )
    assert sentences(built) == []
    assert any(sentence in found for found in sentences(built, **options))


@pytest.mark.rule(RULE)
@pytest.mark.rule("fubar4/weapon.cannon-mounts")
def test_only_tanks_may_mount_cannons() -> None:
    assert sentences(force(tank("heavy-cannon", armour="medium"))) == []


@pytest.mark.rule(RULE)
def test_a_problem_of_a_force_names_its_unit_and_field() -> None:
    built = force(section(), section({"count": 1}, {"count": 1, "arm": "railgun"}))
    (problem,) = examine(fubar4(), built, {}).problems
    assert (problem.unit, problem.list, problem.row, problem.field) == (1, "figures", 1, "arm")


@pytest.mark.rule(RULE)
def test_the_weight_of_a_unit_is_explained_line_by_line() -> None:
    (unit,) = examine(fubar4(), force(section({"count": 4, "armour": "medium"}, level="elite")), {}).units
    # (3 for a man + 2 for a rifle with 2 FP over 24" + 2 for each of two saving faces) x 4, and a fifth more for the elite
    assert [(line.stage, line.amount) for line in unit.total.lines] == [("ADD", 36), ("SCALE", 120)]
    assert unit.total.value == 43


@pytest.mark.rule(RULE)
def test_an_unreadable_unit_does_not_hide_the_weight_of_the_others() -> None:
    report = examine(fubar4(), force(section(), section(level="heroic"), section()), {"weight_limit": 100})
    assert [problem.unit for problem in report.problems] == [1]
    first, second, third = report.units
    assert first.total == third.total
    assert (second.card, second.total.value) == ((), 0)
    assert report.total == 2 * first.total.value


def brought(**forces: Force) -> State:
    """Return a match to which these seats bring forces."""
    state = fubar4().open("crossed-hedges", {})
    for seat, one in forces.items():
        state = ForceBrought(seat, one).fold(state)
    return state


@pytest.mark.rule(RULE)
def test_a_brought_force_replaces_the_scenarios_force() -> None:
    table = play(brought(blue=force(section(name="My own"), tank("heavy-cannon", armour="medium"))))
    assert [fact.side for fact in table.seen(ForceDismissed)] == ["blue"]
    assert [fact.unit.name for fact in table.seen(UnitFormed)] == ["My own", "Tank"]
    assert [unit.name for unit in table.state.units_of("blue")] == ["My own", "Tank"]
    assert len(table.state.units_of("red")) == 2


@pytest.mark.rule(RULE)
def test_a_match_is_off_unless_all_players_accept_the_forces() -> None:
    table = play(brought(blue=force(section())))
    assert set(table.prompts) == {"blue", "red"}
    assert all(asked.default.choice == "decline" for asked in table.prompts.values())
    table.answers("accept", seat="blue").answers("decline", seat="red")
    assert table.state.result is not None
    assert table.state.result.winner == ""
    assert "Red patrol did not accept" in table.state.result.reason


@pytest.mark.rule(RULE)
def test_accepted_forces_are_deployed() -> None:
    table = play(brought(blue=force(section())))
    table.answers("accept", seat="red").answers("accept", seat="blue", dice=[2, 5])
    assert table.asked == "blue"
    assert [choice.label for choice in table.prompt.choices] == ["Deploy Section"]


@pytest.mark.rule(RULE)
def test_the_scenarios_own_forces_need_no_acceptance() -> None:
    assert play(fubar4().open("crossed-hedges", {}), dice=[2, 5]).asked == "blue"
