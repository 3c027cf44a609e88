"""What players read: unique names of units, markers in sentences, refusals and titles."""

from __future__ import annotations

import pytest

from client_protocol.forces import Force
from server.kernel.desk_facts import ForceBrought
from server.kernel.facts import ConditionGained, ConditionLost, Fact, FiguresGained, FiguresLost, MountLost, UnitFormed
from server.kernel.state import Unit
from server.rulesets.fubar import game as markers
from server.rulesets.shared.setup.names import told_apart
from tests.rulesets.fubar4.battlefield import battle, fubar4, paths, play, unit, vehicle

STATE = battle(
    unit("blue", (10, 10)), vehicle("blue", (30, 10), weapons=["rpg", "light-cannon"]), unit("red", (10, 40))
)


def text(fact: Fact) -> str:
    """Return a fact's line in the log, or "" if it has none."""
    story = fubar4().story(STATE, fact)
    return "" if story is None else story.text


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        (ConditionGained("blue-1", markers.ON_GUARD, "activation.failed-on-guard"), "Blue 1 is On Guard."),
        (ConditionGained("blue-1", markers.ON_GUARD, "action.on-guard"), ""),
        (ConditionGained("blue-1", markers.DUCKING, "action.duck-and-weave"), ""),
        (ConditionGained("blue-1", markers.REACTED, "action.on-guard"), ""),
        (
            ConditionGained("blue-1", markers.GONE_TO_GROUND, "action.gone-to-ground"),
            "Blue 1 has gone to ground: its cover counts for one level more.",
        ),
        (
            ConditionGained("blue-1", markers.LYING, "action.gone-to-ground"),
            "Blue 1 lies down: it counts as in soft cover.",
        ),
        (ConditionGained("blue-2", markers.STUNNED, "vdamage.crew-stunned"), "The crew of Blue 2 is stunned."),
        (
            ConditionGained("blue-2", markers.IMMOBILISED, "vdamage.immobilised"),
            "Blue 2 is immobilised for the rest of the game.",
        ),
        (ConditionLost("blue-1", markers.FIGHTING, "close.continues"), "Blue 1 is out of close combat."),
        (ConditionLost("blue-1", markers.ON_GUARD, "action.table"), ""),
        (
            FiguresGained("blue-1", ("1", "2"), markers.SUPPRESSED, "fire.unsaved"),
            "2 figures of Blue 1 are suppressed.",
        ),
        (FiguresGained("blue-1", ("1",), markers.SUPPRESSED, "fire.unsaved"), "1 figure of Blue 1 is suppressed."),
        (FiguresLost("blue-1", ("1",), markers.SUPPRESSED, "suppress.recover"), "1 figure of Blue 1 stands up again."),
        (MountLost("blue-2", "m1", "vdamage.weapon-destroyed"), "Blue 2 loses its RPG."),
        (MountLost("blue-2", "m2", "vdamage.weapon-destroyed"), "Blue 2 loses its light cannon."),
    ],
)
def test_the_log_reports_a_marker_by_a_sentence_or_by_the_action_that_set_it(fact: Fact, line: str) -> None:
    assert text(fact) == line


def test_every_marker_has_a_name_of_its_own() -> None:
    words = fubar4().words
    keys = [value for name, value in vars(markers).items() if name in _MARKERS]
    assert len({words[key].label for key in keys}) == len(_MARKERS)
    assert all(phase in words for phase in fubar4().phases)
    assert not set(keys) & set(fubar4().phases)


_MARKERS = {
    "SUPPRESSED",
    "ON_GUARD",
    "REACTED",
    "DUCKING",
    "GONE_TO_GROUND",
    "LYING",
    "FIGHTING",
    "STUNNED",
    "IMMOBILISED",
}


@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_a_refusal_says_why_a_light_vehicle_cannot_drive_through_moderate_cover() -> None:
    truck = vehicle("blue", (10, 10), armour="none")
    why = play(battle(truck, unit("red", (10, 40)))).activates("blue-1", dice=[6]).barred("drive-cover")
    assert why is not None
    assert why.sentence == (
        "Only vehicles with heavy vehicle armour or very heavy vehicle armour drive through moderate cover; "
        "Blue 1 has less."
    )


@pytest.mark.rule("fubar4/action.walk")
def test_a_refusal_names_a_rule_even_if_the_answer_has_none_of_its_own() -> None:
    table = play(battle(unit("blue", (10, 10)), unit("red", (10, 30)))).activates("blue-1", dice=[6])
    refusal = table.answers("walk", paths()).answers("fire-here").refused("fire", paths())
    assert refusal.rule == "action.walk"


# --- names ----------------------------------------------------------------------------------------------------------


def names(*rows: tuple[str, str, int]) -> list[str]:
    """Return the unique names of units (side, name, number)."""
    units = [Unit(f"u{i}", side, name, number, {}, {}) for i, (side, name, number) in enumerate(rows)]
    return [one.name for one in told_apart(units, STATE.sides)]


@pytest.mark.rule("fubar4/unit.forces")
def test_units_of_several_sides_with_the_same_name_get_their_sides_letter() -> None:
    assert names(("blue", "Gun Team", 1), ("blue", "Section", 2), ("red", "Gun Team", 1)) == [
        "Gun Team (B)",
        "Section",
        "Gun Team (R)",
    ]
    assert names(("blue", "Section", 1), ("blue", "Section", 2)) == ["Section (B1)", "Section (B2)"]
    again = names(("blue", "Gun Team (B)", 1), ("red", "Gun Team (R)", 1))
    assert again == ["Gun Team (B)", "Gun Team (R)"]


@pytest.mark.rule("fubar4/unit.forces")
def test_a_brought_force_gets_names_that_differ_from_the_scenarios() -> None:
    rules = fubar4()
    state = rules.open("the-roadblock", {})
    same = next(force for force in rules.ready_forces if "Mortar Team" in _units(force))
    state = ForceBrought("column", same).fold(state)
    table = play(state)
    brought = [fact.unit.name for fact in table.seen(UnitFormed)]
    assert "Mortar Team (C)" in brought
    assert len({one.name for one in table.state.units.values()}) == len(table.state.units)


def _units(force: Force) -> list[str]:
    return [one.name for one in force.units]


@pytest.mark.rule("fubar4/unit.forces")
def test_no_two_units_of_a_scenario_have_the_same_name() -> None:
    for scenario in fubar4().info.scenarios:
        opened = fubar4().open(scenario.id, {})
        assert len({one.name for one in opened.units.values()}) == len(opened.units), scenario.id
