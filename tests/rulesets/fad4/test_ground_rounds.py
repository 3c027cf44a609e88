"""Rounds that change the ground: nanowire and wipe (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, Picked, PointTaken, Value
from server.kernel.belief import believed
from server.kernel.facts import Declared, FiguresFell, TerrainAdded, TerrainChanged
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import contains, inches
from server.kernel.state import State
from server.rulesets.fad.arms import ROUNDS
from server.rulesets.fad.vehicles.firing import unfit
from tests.support.battlefield import BattleTable, battle, fad4, piece, play, shifted, unit, vehicle
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"
WOOD = piece("woods", (20, 20), (30, 30), id="wood")


def at(x: float, y: float) -> PointTaken:
    return PointTaken((inches(x), inches(y)))


def gun(load: str, *others: Row, red: Row | None = None, terrain: tuple[Row, ...] = ()) -> BattleTable:
    """Load a vehicle of regulars at (10, 10) with a round."""
    own = vehicle("blue", (10, 10), id="gun", weapons=(f"light-cannon.{load}",))
    enemy = unit("red", (40, 40), id="red", figures=2) if red is None else red
    state = battle(own, *others, enemy, terrain=terrain)
    return play(state).activates("gun").answers("load", Assigned({"m1": load}))


def told(table: BattleTable, value: Value) -> Preview:
    found = fad4().preview(believed(table.state, table.asked), table.prompt, Picked("blast:m1", (value,)))
    assert found is not None
    return found


def kinds(state: State) -> list[str]:
    return [one.kind for one in state.table.terrain]


# --- nanowire -------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_nanowire_grows_where_it_lands_and_harms_no_unit() -> None:
    near = unit("red", (20, 20), id="red", figures=3, apart=1.2)
    table = gun("nanowire", red=near)
    said = told(table, at(20, 20))
    assert [(row.label, row.value) for row in said.chances][-1] == ("Nanowire grows there", "74%")
    table.answers("blast:m1", at(20, 20), dice=[3, 3, 1])
    (wire,) = [fact.piece for fact in table.seen(TerrainAdded)]
    assert (wire.kind, wire.flags, wire.cover, wire.sight) == ("nanowire", ("impassable",), "none", "clear")
    assert contains(wire.outline, (inches(21.9), inches(20)))
    assert not contains(wire.outline, (inches(22.1), inches(20)))
    assert table.seen(FiguresFell) == []
    assert table.unit("red").conditions == ("under_fire",)
    stories = [fad4().story(table.state, fact) for fact in table.seen(Declared)]
    assert [one.text for one in stories if one][-1] == "Gun has nanowire grow where the round lands."


@pytest.mark.rule(RULE)
def test_it_may_be_aimed_where_no_enemy_stands() -> None:
    table = gun(
        "nanowire", red=unit("red", (40, 47), id="red", figures=2), terrain=(piece("cliff", (0, 44), (48, 45)),)
    )
    assert table.barred("blast:m1") is None
    table.answers("blast:m1", at(20, 20), dice=[3, 3, 1])
    assert kinds(table.state) == ["cliff", "nanowire"]


def entangled(y: float = 14) -> State:
    """Return a blue squad south of a patch of nanowire that lies round (20, 20)."""
    wire = piece("nanowire", (18, 18), (22, 22), id="nanowire-1")
    own = unit("blue", (20, y), id="own", figures=1)
    return battle(own, unit("red", (40, 47), id="red", figures=2), terrain=[wire])


@pytest.mark.rule(RULE)
def test_no_unit_enters_nanowire_and_who_stands_in_it_may_leave() -> None:
    table = play(entangled()).activates("own")
    refusal = table.refused("move-fire", shifted(table.state, "own", 0, 5))
    assert refusal.code == "path_impassable"
    inside = play(entangled(20)).activates("own")
    inside.moves(0, -5)
    assert inside.unit("own").figures["1"].at == (20_000, 15_000)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize("figure", [{"role": "flame-thrower"}, {"engineer": True}])
def test_a_flame_thrower_or_an_engineer_clears_it_by_touching_it(figure: dict[str, object]) -> None:
    row = unit("blue", [(20, 14), (22, 14)], id="own", figures=2)
    row["figures"][0] |= figure  # type: ignore[index]  # the rows of figures
    wire = piece("nanowire", (18, 18), (22, 22), id="nanowire-1")
    state = battle(row, unit("red", (40, 47), id="red", figures=2), terrain=[wire], options={"demolitions": "on"})
    table = play(state).activates("own").moves(0, 3.5)
    assert [(fact.id, fact.piece) for fact in table.seen(TerrainChanged)] == [("nanowire-1", None)]
    short = play(state).activates("own").moves(0, 3)
    assert short.seen(TerrainChanged) == []
    plain = play(entangled()).activates("own").moves(0, 3.5)
    assert plain.seen(TerrainChanged) == []


# --- wipe -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_wipe_rounds_take_the_plants_where_they_land() -> None:
    hedge = piece("hedge", (10, 21), (22, 21), id="hedge")
    rocks = piece("rocks", (18, 18), (22, 22), id="rocks")
    table = gun("wipe", terrain=(WOOD, hedge, rocks))
    said = told(table, at(21, 21))
    assert {("Loses a part: Light woods", "74%"), ("Loses a part: Hedge", "74%")} <= {
        (row.label, row.value) for row in said.chances
    }
    table.answers("blast:m1", at(21, 21), dice=[3, 3, 1])
    after = {one.id: one for one in table.state.table.terrain}
    assert not contains(after["wood"].outline, (inches(21), inches(21)))
    assert contains(after["wood"].outline, (inches(25), inches(25)))
    assert after["hedge"].outline == ((10_000, 21_000), (19_000, 21_000))
    assert after["rocks"].outline == ((18_000, 18_000), (22_000, 18_000), (22_000, 22_000), (18_000, 22_000))
    assert table.seen(FiguresFell) == []


@pytest.mark.rule(RULE)
def test_a_small_wood_is_wiped_out_and_a_narrow_one_cut_in_two() -> None:
    small = piece("woods", (19, 19), (21, 21), id="small")
    strip = piece("woods", (12, 20), (30, 21), id="strip")
    table = gun("wipe", terrain=(small, strip))
    table.answers("blast:m1", at(20, 20.5), dice=[3, 3, 1])
    assert [(fact.id, fact.piece is None) for fact in table.seen(TerrainChanged)] == [("small", True), ("strip", False)]
    assert [fact.piece.id for fact in table.seen(TerrainAdded)] == ["strip.2"]
    stories = [
        fad4().story(battle(unit("blue", (1, 1)), unit("red", (9, 9)), terrain=[small, strip]), fact)
        for fact in table.seen(TerrainChanged)
    ]
    assert [one.text for one in stories if one] == ["Light woods is gone.", "Light woods has lost a part."]


@pytest.mark.rule(RULE)
@pytest.mark.parametrize("load", ["nanowire", "wipe"])
def test_neither_is_aimed_at_a_vehicle(load: str) -> None:
    state = battle(
        vehicle("blue", (10, 10), id="gun", weapons=(f"light-cannon.{load}",)), vehicle("red", (10, 30), id="red")
    )
    loaded = replace(state.units["gun"], profile={**state.units["gun"].profile, ROUNDS: (("m1", load),)})
    why = unfit(fad4().rules, state, loaded, "m1", state.units["red"])
    assert why is not None
    assert why.sentence == f"The light cannon with {load} rounds is fired at a point, and harms no unit."
