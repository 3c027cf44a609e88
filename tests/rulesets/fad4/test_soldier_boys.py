"""Soldier boys: suits that are steered from afar (fad4/tech.personal-armour)."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked, UnitNamed
from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import FiguresFell, FiguresGained, UnitLeft
from server.kernel.files.forces import examine
from server.kernel.state import State
from server.rulesets.fad.shooting import FireEffect
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import battle, facing, fad4, lines, play, unit
from tests.support.tabletop import Row

RULE = "fad4/tech.personal-armour"


def boys(**other: object) -> dict[str, object]:
    own = {"figures": 3, "armour": "light-powered", "traits": {"soldier_boys": True}}
    return {**own, **other}


def damaged(row: Row, *figures: int) -> Row:
    for number in figures:
        row["figures"][number]["conditions"] = ["suit_damaged"]  # type: ignore[index]  # the rows of figures
    return row


def shot_at(*damage: int, **options: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]], str]:
    """Fire cannon at suits rated 8, with damage 6: return who is damaged, who falls, and what the roll for damage says."""
    gun: dict[str, object] = {"figures": 2, "small_arm": "blaster", "support": []}
    table = play(facing(8, red=boys(), blue=gun, options=options)).activates("blue-1")
    # 2D6, +1 Regular, +2 Open Fire: 9 points are 3 hits of damage +4
    table.opens_fire_at("red-1", dice=[6, 1, *damage])
    gained = [fact.figures for fact in table.seen(FiguresGained)]
    fell = [fact.figures for fact in table.seen(FiguresFell)]
    roll = table.rolled("squad_damage" if options else "damage")
    return gained, fell, roll.outcome


@pytest.mark.rule(RULE)
def test_a_hit_by_less_than_3_only_damages_a_suit() -> None:
    # Armour 8, piercing 1 (blasters are +1, damage 4): 7 to reach, 10 to disable.
    assert shot_at(2, 3, 5) == ([("2", "3")], [], "0")
    assert shot_at(2, 3, 6) == ([("2",)], [("3",)], "1")


@pytest.mark.rule(RULE)
def test_the_log_and_the_preview_tell_wounds_from_kills() -> None:
    gun: dict[str, object] = {"figures": 2, "small_arm": "blaster"}
    table = play(facing(8, red=boys(), blue=gun)).activates("blue-1")
    told = fad4().preview(believed(table.state, "blue"), table.prompt, Picked("open-fire", (UnitNamed("red-1"),)))
    assert told is not None
    assert "A suit is only damaged unless the damage beats its armour by 3." in told.notes
    table.opens_fire_at("red-1", dice=[6, 1, 2, 3, 6])
    story = fad4().story(table.state, table.rolled("damage"))
    assert story is not None
    assert story.text == "Damage 1D6 +4 against armour 7: 1 figure of Red 1 out. 1 more hit took none out."


@pytest.mark.rule(RULE)
def test_a_wound_is_told_apart_from_a_kill_without_recover_wounded_and_a_second_one_does_nothing() -> None:
    row = damaged(unit("red", (6, 15), **boys()), 0, 1, 2)  # type: ignore[arg-type]  # as `unit` takes it
    state = battle(unit("blue", (6, 6), figures=2, small_arm="blaster"), row)
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 1, 3, 4, 5])
    assert (table.seen(FiguresGained), table.seen(FiguresFell)) == ([], [])


@pytest.mark.rule(RULE)
def test_where_one_die_counts_for_all_the_farther_half_is_only_damaged() -> None:
    assert shot_at(6, squad_damage="on") == ([("2", "3")], [("1",)], "3 3")


@pytest.mark.rule(RULE)
def test_a_squad_with_a_damaged_suit_does_not_rush() -> None:
    state = battle(damaged(unit("blue", (6, 6), **boys()), 1), unit("red", (6, 30)))  # type: ignore[arg-type]
    table = play(state).activates("blue-1")
    why = table.choice("move-out").why
    assert why is not None
    assert why.sentence == "A suit of Blue 1 is damaged: the squad does not Rush."
    assert table.choice("move-fire").why is None
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Suits"] == "1 damaged: no Rush, and one weapon each"


@pytest.mark.rule(RULE)
def test_a_damaged_suit_fires_one_of_its_linked_weapons() -> None:
    own = boys(figures=6, traits={"soldier_boys": True, "linked": True})
    row = damaged(unit("blue", (6, 6), **own), 0, 1)  # type: ignore[arg-type]
    state = battle(row, unit("red", (6, 20)))
    shot = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    told = fad4().rules.advisers.answer(state, FireEffect(shot)).lines
    # 6 suits with 12 weapons, of which two are silent
    assert [line.reason for line in told if line.rule == "fire.shooter-riflemen"] == ["10 riflemen"]


def shaken() -> State:
    own = boys(figures=4, lost=2, resolve="steady")
    return battle(unit("blue", (6, 20), **own), unit("red", (6, 40)))  # type: ignore[arg-type]


@pytest.mark.rule(RULE)
def test_soldier_boys_that_stay_broken_do_not_fall_back_and_may_shoot() -> None:
    table = play(shaken()).activates("blue-1", dice=[3, 1, 1])
    assert table.offered == ["stay", "fire-stay"]
    story = fad4().story(table.state, table.rolled("morale"))
    assert story is not None
    assert story.text == "Morale Test of Blue 1: 1 pass, it stays broken and where it is."
    table.answers("fire-stay", "red-1", dice=[1, 2])
    assert ("fire.shooter-under-fire-or-broken", -3) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
def test_without_a_pass_they_are_disconnected() -> None:
    table = play(shaken()).activates("blue-1", dice=[1, 1, 1])
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [("blue-1", "pilots_cut_off")]
    story = fad4().story(table.state, table.rolled("morale"))
    assert story is not None
    assert story.text == "Morale Test of Blue 1: 0 passes, it is disconnected, and out of the fight."


@pytest.mark.rule(RULE)
def test_only_powered_armour_is_steered_from_afar() -> None:
    with pytest.raises(RulesetError, match="soldier boys are powered armour"):
        facing(12, blue=boys(armour="heavy"))
    with pytest.raises(RulesetError, match="no other upgrade"):
        facing(12, blue=boys(traits={"soldier_boys": True, "crude_suit": True}))


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("armour", "total"), [("light-powered", 52_000), ("heavy-powered", 72_000)])
def test_what_soldier_boys_cost(armour: str, total: int) -> None:
    fields: dict[str, str | int | bool] = {"figures": 4, "quality": "conscript", "armour": armour, "soldier_boys": True}
    force = Force(FORCE_FORMAT, "fad4", "A test", (ForceUnit("infantry", "Boys", fields, {}),))
    # 4 x (4 + 6 + 3), and 4 x (4 + 9 + 5)
    assert examine(fad4(), force, {}).total == total
