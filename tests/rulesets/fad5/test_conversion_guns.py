"""Conversion guns: what their shells do to figures, to houses and to vehicles."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Assigned, Picked, PointTaken
from server.kernel.belief import believed
from server.kernel.facts import ConditionGained, FiguresFell, Rolled, TerrainChanged, UnitMoved
from server.kernel.space.geometry import inches
from server.kernel.state import State
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import BattleTable, driven, piece, play, unit
from tests.support.tabletop import Row

RULE = "fad5/weapon.conversion-gun"
DOOR = {"kind": "door", "at": [12, 34], "width": 2}


def hut(width: float = 6, **other: object) -> Row:
    """Return a house with a door in its south side, 24 inches north of the gun."""
    return piece("house", (9, 34), (9 + width, 39), id="hut", name="Hut", openings=[DOOR], **other)


def shelling(*others: Row, terrain: Sequence[Row] = ()) -> State:
    """Return a conversion gun of conscripts, and a red squad of two 20 inches north of it."""
    gun = vehicle("blue", (10, 10), quality="conscript", weapons=["conversion-gun"])
    enemy = unit("red", (10, 31), figures=2, apart=3)
    return battle(gun, enemy, *others, terrain=terrain)


def shelled(state: State, x: float, y: float, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers("blast:m1", PointTaken((inches(x), inches(y))), dice=dice)


@pytest.mark.rule(RULE)
def test_a_die_for_each_figure_in_the_blast_kills_on_four_whatever_its_armour() -> None:
    near = unit("red", (10, 33.5), figures=2, apart=1.2, armour="heavy-powered")
    table = shelled(shelling(near), 10.6, 33, 4, 3, 4, 1)
    (second, first) = [roll for roll in table.seen(Rolled) if roll.purpose == "conversion"]
    assert (first.rule, first.unit, first.target, first.marks) == (
        "weapon.conversion-gun",
        "blue-1",
        "red-1",
        ("fail",),
    )
    assert (second.target, second.faces, second.marks) == ("red-2", (3, 4), ("fail", "kill"))
    assert FiguresFell("red-2", ("2",), "blast", "weapon.conversion-gun") in table.seen(FiguresFell)
    thrown = {fact.unit: fact.manner for fact in table.seen(UnitMoved)}
    assert thrown == {"red-1": "thrown-clear", "red-2": "thrown-clear"}
    assert ConditionGained("red-2", "under_fire", "blast.under-fire") in table.seen(ConditionGained)
    assert not [roll for roll in table.seen(Rolled) if roll.purpose == "strike"]


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad5/damage.building-collapse")
@pytest.mark.parametrize(("die", "falls"), [(1, False), (2, True)])
def test_a_small_house_that_its_blast_reaches_comes_down_on_two(die: int, *, falls: bool) -> None:
    inside = unit("red", [(10, 38), (14, 38)])
    near = unit("blue", (18.5, 41), figures=1)
    state = shelling(inside, near, unit("red", (30, 41), figures=1), terrain=[hut()])
    table = shelled(state, 10, 32.5, 4, 1, die, *([4, 3] if falls else []))
    roll = next(roll for roll in table.seen(Rolled) if roll.purpose == "conversion_terrain")
    assert (roll.rule, roll.outcome, roll.faces) == ("weapon.conversion-gun", "hut", (die,))
    buried = [roll for roll in table.seen(Rolled) if roll.purpose == "buried"]
    if not falls:
        assert (buried, table.seen(TerrainChanged)) == ([], [])
        return
    assert [(roll.rule, roll.unit, roll.faces) for roll in buried] == [("damage.building-collapse", "red-2", (4, 3))]
    assert FiguresFell("red-2", ("1",), "buried", "damage.building-collapse") in table.seen(FiguresFell)
    assert {piece.id: piece.kind for piece in table.state.table.terrain} == {"hut": "rubble"}, "its walls are gone"
    shaken = [fact.unit for fact in table.seen(ConditionGained) if fact.rule == "damage.building-collapse"]
    assert sorted(shaken) == ["blue-2", "red-2"], "red-1 is Under Fire already, and red-3 is farther than 4 inches off"
    assert table.unit("red-2").figures["2"].at == (14_000, 38_000)


@pytest.mark.rule(RULE)
def test_what_is_longer_than_six_inches_stands_and_of_a_wall_nothing_is_left() -> None:
    wall = piece("high_wall", (8, 33.5), (12, 33.5), id="wall")
    wood = piece("woods", (9, 30.5), (13, 30.8), id="wood")
    table = shelled(shelling(terrain=[hut(6.1), wall, wood]), 10, 32.5, 4, 1, 2, 6)
    rolled = [roll.outcome for roll in table.seen(Rolled) if roll.purpose == "conversion_terrain"]
    assert rolled == ["wall", "wood"]
    changed = [(fact.id, fact.piece and fact.piece.kind) for fact in table.seen(TerrainChanged)]
    assert changed == [("wall", None), ("wood", "rubble")]
    assert not [roll for roll in table.seen(Rolled) if roll.purpose == "buried"]


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad5/adv.bogging.bogged")
@pytest.mark.parametrize(
    ("marks", "drives", "rating"),
    [((), True, 3), ((), False, 4), (("immobilised",), False, 6), (("bogged",), False, 4)],
)
def test_its_anti_tank_rating_is_higher_against_a_vehicle_that_stands_or_is_stopped(
    marks: tuple[str, ...], rating: int, *, drives: bool
) -> None:
    gun = vehicle("blue", (10, 10), weapons=["conversion-gun"])
    tank = vehicle("red", (10, 30), id="tank", armour=(12, 12, 12), conditions=list(marks))
    table = play(battle(gun, tank, unit("blue", (24, 4), id="last"), active="red", first="red")).activates("tank")
    if drives:
        table.answers("drive-fire", driven((10, 31), facing=90))
    else:
        table.answers("hold")
    while table.asked == "red":
        table.defaults()
    table.activates("blue-1").answers(
        "fire-drive", Assigned({"m1": "tank"}), dice=[3, 1, 2][: 2 + ("immobilised" not in marks)]
    )
    assert table.rolled("penetration").numbers[0].value == rating


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad5/damage.building-collapse")
def test_the_preview_of_its_blast_says_how_likely_the_house_comes_down() -> None:
    table = play(shelling(terrain=[hut()])).activates("blue-1")
    point = PointTaken((inches(10), inches(32.5)))
    told = fad5().preview(believed(table.state, table.asked), table.prompt, Picked("blast:m1", (point,)))
    assert told is not None
    chances = {row.label: row.per_myriad for row in told.chances}
    assert (chances["On target"], chances["Collapses: Hut"]) == (5000, round(10_000 * 0.5 * 5 / 6))
