"""Minefields: laid before the sides deploy and by rounds, met on the way (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, AssignmentParameter, FiguresPlaced, Picked, PlacementParameter, PointTaken
from server.kernel.belief import SPECTATORS, believed
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, FiguresFell, Rolled, TerrainAdded, TerrainChanged, UnitMoved
from server.kernel.notes import secret
from server.kernel.space.geometry import distance, inches
from server.kernel.state import State
from server.opponents.simulation import play as simulated
from server.rulesets.fad.modules.mines import fields
from server.rulesets.fad.modules.mines.fields import FIELDS, TRUE, Field, marker, place
from tests.rulesets.invariants import Watch
from tests.rulesets.openings import laws
from tests.support.battlefield import BattleTable, battle, driven, fad4, play, shifted, unit, vehicle
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"
FIELD = Field("A", "red", "", ("mine.A.1", "mine.A.2", "mine.A.3"))
AWAY = ((40.0, 40.0), (44.0, 40.0))
"""Where the other two markers lie."""
ON = {"mines": "on", "demolitions": "on"}
"""Engineers are played with the option Demolitions."""


def mined(
    *units: Row,
    at: tuple[float, float] = (10, 18),
    kind: str = "anti-personnel",
    true: int = 1,
    foes: tuple[Row, ...] = (unit("red", (40, 10), id="red", figures=3),),
    **options: str,
) -> State:
    """Return a battle with a field of red's: marker A1 lies at a place (inches), and number `true` is the mine."""
    state = battle(*units, *foes, options={**ON, **options})
    rows = (("A", FIELD.pieces[true - 1], kind),)
    book = {**state.book, FIELDS: (("A", "red", "", *FIELD.pieces),), secret(state.sides["red"].seat, TRUE): rows}
    state = replace(state, book=book)
    for key, (x, y) in zip(FIELD.pieces, (at, *AWAY), strict=True):
        shown = fields.piece_of(
            fad4().rules, state, key, f"Mine marker {fields.number(FIELD, key)}", (inches(x), inches(y))
        )
        state = replace(state, table=replace(state.table, terrain=(*state.table.terrain, shown)))
    return state


def squad(figures: int = 4, **other: object) -> Row:
    return unit("blue", (10, 10), id="blue", figures=figures, **other)  # type: ignore[arg-type]  # rows of a setup


def engineers(row: Row) -> Row:
    """Return a squad of which the first figure is an engineer."""
    rows = row["figures"]
    assert isinstance(rows, list)
    first, *others = rows
    return {**row, "figures": [{**first, "engineer": True}, *others]}


def walks(state: State, inches_up: float, dice: list[int]) -> BattleTable:
    """Let the blue squad walk up the table; `dice` fall on the way."""
    table = play(state).activates("blue")
    return table.answers("move-fire", shifted(state, "blue", 0, inches_up), dice=dice)


def rolled(table: BattleTable, purpose: str) -> list[Rolled]:
    return [fact for fact in table.seen(Rolled) if fact.purpose == purpose]


# --- coming near ----------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_unit_halts_where_it_first_comes_within_four_inches_and_passes_on_five() -> None:
    table = walks(mined(squad()), 6, [5])
    (encounter,) = rolled(table, "minefield")
    assert (encounter.outcome, encounter.numbers[0].value, encounter.marks) == ("A1 past", 5, ("pass",))
    first, second = table.seen(UnitMoved)
    key = next(iter(first.paths))
    # The figure that stands nearest below the marker halts with its edge 4" from it; then all go on as declared.
    assert (
        abs(
            distance(first.paths[key][-1], (inches(10), inches(18)))
            - inches(4)
            - table.unit("blue").figures[key].radius
        )
        < 60
    )
    assert second.paths[key][-1][1] == inches(16)
    assert table.seen(TerrainChanged) == []


@pytest.mark.rule(RULE)
def test_who_carries_wounded_meets_mines_and_may_fall_with_them() -> None:
    state = mined(squad(), at=(15, 18), recover_wounded="on")
    blue = state.units["blue"]
    lies = replace(blue.figures["4"], fallen=True, conditions=("wounded",))
    state = state.with_unit(replace(blue, figures={**blue.figures, "4": lies}))
    table = play(state).activates("blue")
    # One hit on figure 3, which carries the wounded.
    table.answers("carry-wounded-rush", shifted(state, "blue", 0, 6), dice=[4, 1, 6])
    assert table.path("go-on").allowance < inches(2.6), "what is left of half of a Rush"
    table.defaults()
    figures = table.unit("blue").figures
    assert figures["3"].fallen
    assert figures["4"].at == figures["3"].at
    assert figures["1"].at == (inches(10), inches(16))


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad4/assault.fall-back")
def test_who_falls_back_from_a_close_assault_meets_mines_and_goes_on_straight() -> None:
    foes = (unit("red", (10, 16), id="red", figures=3), unit("red", (40, 40), id="far", figures=1))
    state = mined(unit("blue", (10, 12), id="blue", figures=3), at=(10, 8.5), foes=foes)
    table = play(state).activates("blue").answers("assault", "red").answers("hold-fire")
    table.defaults(dice=[1, 1, 2, 1, *[1] * 6])
    assert rolled(table, "minefield") == [], "on its charge it went away from the marker"
    before = table.unit("blue").places()
    table.defaults(dice=[4, 1, 6])
    assert table.asked == table.state.sides["red"].seat, "the way of blue is not changed"
    after = table.unit("blue")
    assert [key for key, figure in after.figures.items() if figure.fallen] == ["1"]
    assert [(x, y - inches(3)) for (x, y), _ in before[1:]] == [at for at, _ in after.places()]
    assert {fact.manner for fact in table.seen(UnitMoved) if fact.unit == "blue"} == {"charge", "fall-back"}


@pytest.mark.rule(RULE)
@pytest.mark.rule("fad4/setup.advanced-modules")
def test_non_combatants_that_are_steered_meet_mines_and_who_steers_them_may_change_their_way() -> None:
    families = unit("red", (20, 10), id="families", figures=2, quality="rabble", non_combatant=True)
    state = mined(squad(), families, at=(20, 18), noncombatants="on")
    table = play(state).activates("blue").answers("move-fire", shifted(state, "blue", 0.5, 0))
    table.answers("steer", "families", dice=[6])
    table.answers("steer-to", shifted(state, "families", 0, 8), dice=[4, 1, 6])
    assert [fact.purpose for fact in table.seen(Rolled)][:3] == ["steer", "minefield", "mine"]
    assert table.unit("families").strength == 1
    assert (table.asked, table.offered) == (table.state.sides["blue"].seat, ["go-on", "stop"])
    table.answers("stop")
    assert table.prompt.unit == "blue", "its own action goes on"


@pytest.mark.rule(RULE)
def test_a_dummy_is_taken_off_and_the_unit_may_go_on_as_it_declared() -> None:
    table = walks(mined(squad(), true=2), 6, [4])
    assert rolled(table, "minefield")[0].outcome == "A1 dummy"
    assert [(fact.id, fact.piece) for fact in table.seen(TerrainChanged)] == [("mine.A.1", None)]
    assert table.prompt.default.choice == "go-on"
    table.answers(table.prompt.default.choice, *table.prompt.default.values)
    assert {figure.at[1] for figure in table.unit("blue").figures.values() if figure.at} == {inches(16)}


@pytest.mark.rule(RULE)
def test_the_third_marker_is_known_to_be_a_mine_when_both_dummies_are_gone() -> None:
    state = mined(squad(), true=3)
    gone = tuple(piece for piece in state.table.terrain if piece.id != "mine.A.2")
    table = walks(replace(state, table=replace(state.table, terrain=gone)), 6, [1])
    left = [fact.piece.name for fact in table.seen(TerrainChanged) if fact.piece]
    assert left == ["Mine A3"]
    assert fields.known(table.state) == {"mine.A.3": ""}


@pytest.mark.rule(RULE)
def test_a_mine_hits_the_nearest_figures_in_no_cover_and_stays_known() -> None:
    # 3 on the die are 2 hits; damage 1D6 + 4 against heavy armour
    table = walks(mined(squad(armour="heavy")), 6, [4, 3, 6, 1])
    assert rolled(table, "mine")[0].outcome == "anti-personnel 2"
    damage = table.rolled("damage")
    assert (damage.numbers[0].value, damage.faces, damage.unit, damage.side) == (4, (6, 1), "", "red")
    # The first figure stands below the marker, the others to its right.
    assert [fact.figures for fact in table.seen(FiguresFell)] == [("1",)]
    names = sorted(piece.name for piece in table.state.table.terrain)
    assert names == ["Anti-personnel mine A1"]
    assert table.seen(ConditionGained) == []


@pytest.mark.rule(RULE)
def test_more_hits_than_figures_are_lost() -> None:
    table = walks(mined(squad(1)), 6, [1, 6, 6])
    assert rolled(table, "mine")[0].outcome == "anti-personnel 1"
    assert table.unit("blue").left == "destroyed"


@pytest.mark.rule(RULE)
def test_an_engineer_adds_two() -> None:
    table = walks(mined(engineers(squad())), 6, [3])
    assert rolled(table, "minefield")[0].numbers[0].value == 5
    assert rolled(table, "minefield")[0].outcome == "A1 past"


@pytest.mark.rule(RULE)
def test_a_unit_that_only_goes_away_from_a_marker_meets_none() -> None:
    table = walks(mined(squad(), at=(10, 8)), 6, [])
    assert rolled(table, "minefield") == []


@pytest.mark.rule(RULE)
def test_a_unit_meets_a_marker_once_in_an_activation() -> None:
    table = walks(mined(squad(), true=2, at=(10, 30)), 2, [])
    assert rolled(table, "minefield") == []
    # The dummy is taken off, so a real mine is met: it goes on towards it, and rolls no more.
    table = walks(mined(squad()), 6, [1, 1, 1])
    table.answers("go-on", shifted(table.state, "blue", 0, 2))
    assert len(rolled(table, "minefield")) == 1


@pytest.mark.rule(RULE)
def test_a_vehicle_is_hit_on_its_bottom_which_is_rated_as_its_rear() -> None:
    state = mined(vehicle("blue", (10, 6), id="blue", armour=(9, 8, 3)), kind="anti-vehicle")
    table = play(state).activates("blue").answers("drive-fire", driven((10, 15)), dice=[2, 3, 1, 6])
    damage = table.rolled("vehicle_damage")
    assert damage.numbers[0].value == 6
    assert damage.numbers[1].lines[0].reason == "rear armour"
    assert (damage.side, damage.unit) == ("red", "")
    assert len(damage.faces) == 2


@pytest.mark.rule(RULE)
def test_a_preview_says_what_the_player_knows_of_markers_on_the_way() -> None:
    state = mined(squad())
    table = play(state).activates("blue")
    way = Picked("move-fire", (shifted(state, "blue", 0, 6),))
    told = fad4().preview(believed(table.state, "blue"), table.prompt, way)
    assert told is not None
    assert told.notes == ("It comes near Mine marker A1: on 1 to 4 of a die it finds out what that is.",)
    red = fad4().preview(believed(table.state, state.sides["red"].seat), table.prompt, way)
    assert red is not None
    assert "yours: anti-personnel mine" in red.notes[0]


# --- laying ---------------------------------------------------------------------------------------------------------


def laid(table: BattleTable, number: int, kind: str) -> BattleTable:
    """Answer where it is suggested to lay a field, with this number as the mine."""
    placing, which = table.choice("lay").parameters
    assert isinstance(placing, PlacementParameter)
    assert isinstance(which, AssignmentParameter)
    return table.answers(
        "lay", FiguresPlaced(placing.suggested), Assigned({which.rows[number - 1].key: kind}), dice=[1, 1]
    )


@pytest.mark.rule(RULE)
def test_each_side_lays_a_field_before_it_deploys_and_only_its_seat_knows_the_mine() -> None:
    state = fad4().open("crossroads-patrol", ON)
    table = play(state, dice=[1, 1])
    assert "minefield A" in table.prompt.title
    laid(table, 2, "anti-vehicle")
    (first,) = fields.fields(table.state)
    assert [piece.name for piece in fields.markers(table.state)] == [
        "Mine marker A1",
        "Mine marker A2",
        "Mine marker A3",
    ]
    seat = table.state.sides[first.side].seat
    other = next(side.seat for side in table.state.sides.values() if side.seat != seat)
    assert fields.true(believed(table.state, seat), "mine.A.2") == "anti-vehicle"
    for audience in (other, SPECTATORS):
        assert fields.mines(believed(table.state, audience)) == []
    assert "minefield B" in table.prompt.title


@pytest.mark.rule(RULE)
def test_no_mine_layer_is_loaded_in_a_match_without_minefields() -> None:
    own = vehicle("blue", (10, 10), id="gun", weapons=("light-cannon.mine-layer",))
    table = play(battle(own, unit("red", (40, 40), id="red", figures=2))).activates("gun")
    why = table.choice("load").why
    assert why is not None
    assert "with the option Minefields" in why.sentence


def lays(load: str, *others: Row, dice: list[int]) -> BattleTable:
    """Fire a round that lays mines at (20, 20), which lands there."""
    own = vehicle("blue", (10, 10), id="gun", weapons=(f"light-cannon.{load}",))
    state = battle(own, *others, unit("red", (40, 40), id="red", figures=2), options=ON)
    table = play(state).activates("gun").answers("load", Assigned({"m1": load}))
    return table.answers("blast:m1", PointTaken((inches(20), inches(20))), dice=[3, 3, 1, *dice])


@pytest.mark.rule(RULE)
def test_a_round_lays_three_markers_within_three_inches_of_where_it_lands() -> None:
    table = lays("mine-layer", dice=[1, 1])
    far = table.refused("lay", PointTaken((inches(20), inches(24))), *table.prompt.default.values[1:])
    assert far.rule == "tech.weapon-tables.mines"
    table.answers("lay", *table.prompt.default.values)
    added = [fact.piece for fact in table.seen(TerrainAdded)]
    assert len(added) == 3
    assert all(distance(place(piece), (inches(20), inches(20))) <= inches(3) for piece in added)
    assert fields.true(table.state, "mine.A.1") == "anti-personnel"


@pytest.mark.rule(RULE)
def test_spider_mines_go_where_the_player_of_their_commander_wants() -> None:
    table = lays("spider-mine-layer", engineers(unit("blue", (30, 30), id="sappers", figures=3)), dice=[1, 1])
    table.answers("lay", *table.prompt.default.values)
    table.answers("commander:sappers")
    assert fields.fields(table.state)[0].commander == "sappers"
    before = place(marker(table.state, "mine.A.1") or pytest.fail("it lies there"))
    state = replace(table.state, turn=replace(table.state.turn, unit="", active="blue"))
    again = play(state).activates("sappers")
    moved = (before[0] + inches(4), before[1])
    others = [place(piece) for piece in fields.markers(again.state) if piece.id != "mine.A.1"]
    again.refused("move-spiders", PointTaken((before[0] + inches(5), before[1])), *(PointTaken(at) for at in others))
    again.answers("move-spiders", PointTaken(moved), *(PointTaken(at) for at in others))
    found = marker(again.state, "mine.A.1")
    assert found is not None
    assert distance(place(found), moved) < 3


# --- whole games ----------------------------------------------------------------------------------------------------


def test_whole_games_with_minefields_are_played_to_the_end() -> None:
    rules, met = fad4(), 0
    for seed in range(6):
        start = rules.open(("crossroads-patrol", "contact", "supply-run")[seed % 3], ON)
        watch = Watch(rules, start, laws("fad4", start))
        for played in simulated(rules, start, seed):
            watch.step(played)
            met += sum(isinstance(fact, Rolled) and fact.purpose == "minefield" for fact in played.step.facts)
        assert watch.state.result is not None
    assert met > 6


def test_notes_that_name_no_marker_are_refused() -> None:
    state = mined(squad())
    with pytest.raises(RulesetError, match="minefield A"):
        fields.inspect(fad4().rules, replace(state, book={**state.book, FIELDS: (("A", "green", "", *FIELD.pieces),)}))
    with pytest.raises(RulesetError, match="cannot be read"):
        fields.inspect(fad4().rules, replace(state, book={**state.book, FIELDS: "x"}))
