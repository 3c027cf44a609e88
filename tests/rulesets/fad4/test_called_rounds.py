"""Special rounds of batteries off the table and of mortars that are called (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked, PointTaken
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import FiguresFell, TerrainAdded
from server.kernel.state import State
from server.rulesets.fad.supply import SUPPLY
from tests.support.battlefield import BattleTable, battle, fad4, play, unit, vehicle
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"
ARRIVES, PINPOINT = (3, 3, 1), (3, 3)
MIDDLE = PointTaken((8_500, 30_000))


def match(weapon: str, *others: Row) -> State:
    guns: Row = {"id": "guns", "name": "The guns", "weapon": weapon}
    squad = unit("blue", (6, 6), leader=True)
    return battle(squad, unit("red", (6, 30)), *others, options={"indirect_fire": "on"}, assets={"blue": [guns]})


def commands(state: State) -> BattleTable:
    return play(state).activates("blue-1").answers("command")


def card(state: State) -> dict[str, str]:
    guns = state.sides["blue"].off_table["guns"]
    assets = fad4().rules.assets()
    assert assets is not None
    return {line.label: line.value for line in assets[1].card(fad4().rules, state, guns)}


@pytest.mark.rule(RULE)
def test_the_type_of_round_is_said_with_the_call() -> None:
    table = commands(match("medium-cannon.shrapnel.redeemer"))
    assert [key for key in table.offered if key.startswith("call")] == [
        "call:1:guns",
        "call:1:guns:shrapnel",
        "call:1:guns:redeemer",
    ]
    assert table.choice("call:1:guns:shrapnel").label == "Call The guns with shrapnel rounds"
    told = fad4().preview(believed(table.state, "blue"), table.prompt, Picked("call:1:guns:redeemer", (MIDDLE,)))
    assert told is not None
    assert ("Expected losses: Red 1", "3.0") in [(row.label, row.value) for row in told.chances]
    assert card(table.state)["Rounds"] == "shrapnel, redeemer"


@pytest.mark.rule(RULE)
def test_a_called_redeemer_vaporises_hits_vehicles_and_runs_out() -> None:
    tank = vehicle("red", (8.5, 33), id="tank", armour=(8, 6, 4))
    table = commands(match("medium-cannon.redeemer", tank))
    # The call, its accuracy, the hit on the vehicle, and whether the supply lasts.
    table.answers("call:1:guns:redeemer", MIDDLE, dice=[*ARRIVES, *PINPOINT, 4, 1])
    assert [set(fact.figures) for fact in table.seen(FiguresFell)] == [{"1", "2", "3"}]
    assert len(table.rolled("vehicle_damage").faces) == 1
    assert table.state.book[SUPPLY] == (("blue/guns", "Medium cannon with redeemer rounds", 1),)
    assert card(table.state)["Supply"] == "Medium cannon with redeemer rounds: one use left"
    out = replace(
        table.state, book={**table.state.book, SUPPLY: (("blue/guns", "Medium cannon with redeemer rounds", 0),)}
    )
    fad4().admit(out)
    again = commands(replace(match("medium-cannon.redeemer"), book=out.book))
    why = again.barred("call:1:guns:redeemer")
    assert why is not None
    assert why.sentence == "The guns has used up its medium cannon with redeemer rounds."
    assert again.barred("call:1:guns") is None


@pytest.mark.rule(RULE)
def test_called_nanowire_grows_and_a_conventional_round_strikes_as_before() -> None:
    table = commands(match("medium-cannon.nanowire"))
    table.answers("call:1:guns:nanowire", MIDDLE, dice=[*ARRIVES, *PINPOINT])
    assert [fact.piece.kind for fact in table.seen(TerrainAdded)] == ["nanowire"]
    # The shell itself still pins where it lands.
    assert (table.unit("red-1").strength, table.unit("red-1").conditions) == (6, ("pinned",))
    plain = commands(match("medium-cannon.nanowire"))
    plain.answers("call:1:guns", MIDDLE, dice=[*ARRIVES, *PINPOINT, 1, 1])
    assert plain.seen(TerrainAdded) == []
    # A conventional shell of a medium cannon that lands on a squad pins it.
    assert plain.unit("red-1").conditions == ("pinned",)


@pytest.mark.rule(RULE)
def test_a_mortar_on_the_table_is_called_with_special_rounds_too() -> None:
    mortar = unit("blue", (30, 6), id="mortar", support=["heavy-mortar.cluster"])
    squad = unit("blue", (6, 6), id="squad", leader=True)
    state = battle(squad, mortar, unit("red", (6, 30)), options={"indirect_fire": "on"})
    table = play(state).activates("squad").answers("command")
    assert [key for key in table.offered if key.startswith("call")] == ["call:1:mortar", "call:1:mortar:cluster"]
    table.answers("call:1:mortar:cluster", MIDDLE, dice=[*ARRIVES, *PINPOINT, 1, 1])
    assert table.state.book["impact"][3] == 4_000  # type: ignore[index]  # the radius: 3 inches, and 1 more


@pytest.mark.rule(RULE)
def test_a_battery_is_not_loaded_in_a_setup() -> None:
    with pytest.raises(RulesetError, match="is not one of"):
        match("medium-cannon.cluster@cluster")
