"""Buildings that are entered: their walls and openings, moving and firing through these, and what becomes of those inside."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import PathsDeclared, Picked, UnitNamed, Why
from server.kernel.answers.check import check_path
from server.kernel.answers.refusal import Refusal
from server.kernel.dice import Roll
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Fact, FiguresFell, Rolled, TerrainChanged
from server.kernel.files.writing import write
from server.kernel.procedure import Game
from server.kernel.state import State
from server.rulesets.fad import collapse, movement
from server.rulesets.fad.charge import candidates
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, fad5, vehicle
from tests.support.battlefield import figures, lines, play, unit
from tests.support.lucky import luck_of
from tests.support.tabletop import Row

DOOR: Row = {"kind": "door", "at": [24, 20], "width": 2}
WINDOW: Row = {"kind": "window", "at": [28, 23], "width": 2}
FOE = unit("red", (24, 40), figures=1)


def house(*openings: Row, outline: Sequence[tuple[float, float]] = (), **other: object) -> Row:
    """Return a house of 8 by 6 inches, with its lower left corner at (20, 20)."""
    corners = outline or ((20, 20), (28, 20), (28, 26), (20, 26))
    return {"id": "mill", "kind": "house", "name": "Mill", "outline": corners, "openings": list(openings), **other}


def walks(state: State, *points: tuple[float, float]) -> Refusal | None:
    """Return why blue-1's first figure cannot Move through these points; None if it can."""
    path = tuple((round(1000 * x), round(1000 * y)) for x, y in points)
    parameter = movement.path_parameter(fad5().rules, state, "blue-1", movement.MOVE)
    return check_path(state, parameter, PathsDeclared({"1": path}))


def shot_of(state: State, shooter: str, target: str) -> Shot:
    found = aim(fad5().rules, state, shooter, target)
    assert isinstance(found, Shot), found
    return found


# --- setups -------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/move.building-position")
def test_a_building_is_a_room_with_walls_between_its_openings() -> None:
    state = battle(FOE, terrain=[house(DOOR, WINDOW)])
    assert [(piece.id, piece.kind) for piece in state.table.terrain] == [
        ("mill", "house"),
        ("mill.opening-1", "door"),
        ("mill.opening-2", "window"),
        ("mill.wall-1", "house_wall"),
        ("mill.wall-2", "house_wall"),
    ]
    door, window, corner, rest = state.table.terrain[1:]
    assert (door.outline, window.outline) == (
        ((23_000, 20_000), (25_000, 20_000)),
        ((28_000, 22_000), (28_000, 24_000)),
    )
    # From the door round one corner to the window, a quarter of an inch thick.
    assert corner.outline == (
        (25_000, 20_000),
        (28_000, 20_000),
        (28_000, 22_000),
        (27_750, 22_000),
        (27_750, 20_250),
        (25_000, 20_250),
    )
    assert (len(rest.outline), rest.name) == (10, "Wall of Mill")
    turned = battle(FOE, terrain=[house(DOOR, WINDOW, outline=((20, 26), (28, 26), (28, 20), (20, 20)))])
    assert {piece.outline for piece in turned.table.terrain[1:]} == {piece.outline for piece in state.table.terrain[1:]}
    assert fad5().read(write(state)).table == state.table, "a position that is saved keeps its walls"


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (house({**DOOR, "at": [24, 21]}), r"the door of Mill at \[24, 21\] is not on the outline"),
        (house({**DOOR, "at": [21, 20]}), "needs half an inch of wall on both sides"),
        (house(DOOR, {**WINDOW, "at": [26.2, 20]}), "need half an inch of wall between them"),
        (house({**DOOR, "kind": "hedge"}), "'hedge' is no opening of a building"),
        (house({**DOOR, "width": 0.2}), "is not between 0.5"),
        (house(DOOR, kind="woods"), "terrain of the kind 'woods' has no walls"),
        (house(DOOR, id="m" * 55), "is too long for a building"),
        (house(DOOR, linear=True), "is no area"),
    ],
)
def test_a_building_that_cannot_stand_is_refused_with_the_reason(row: Row, sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        battle(FOE, terrain=[row])


def test_an_id_that_a_wall_would_have_too_is_refused() -> None:
    pond: Row = {"id": "mill.wall-1", "kind": "deep_water", "outline": [[2, 2], [4, 2], [4, 4]]}
    with pytest.raises(RulesetError, match=r"two pieces of terrain have the id 'mill\.wall-1'"):
        battle(FOE, terrain=[pond, house(DOOR)])


# --- moving -------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/move.building-entry")
def test_a_building_is_entered_by_its_openings_alone() -> None:
    state = battle(unit("blue", (24, 18), figures=1), FOE, terrain=[house(DOOR, WINDOW)])
    assert walks(state, (24, 22)) is None
    wall = walks(state, (26.5, 19), (26.5, 22))
    assert wall is not None
    assert (wall.code, wall.sentence) == (
        "path_impassable",
        "The path of figure 1 runs into Wall of Mill, which no figure can cross.",
    )
    through = battle(unit("blue", (26.5, 22), figures=1), FOE, terrain=[house(WINDOW)])
    assert walks(through, (26.5, 18)) is not None


@pytest.mark.rule("fad5/move.building-entry")
def test_a_window_costs_three_inches_in_and_out_and_a_door_nothing() -> None:
    def far(
        start: tuple[float, float], end: tuple[float, float], *, cost: int | None = None, kind: str = "window"
    ) -> bool:
        opening = {**WINDOW, "kind": kind}
        options = {} if cost is None else {"window_cost": cost}
        state = battle(unit("blue", start, figures=1), FOE, terrain=[house(opening)], options=options)
        return walks(state, end) is None

    outside, inside = (29, 23), (26, 23)
    for start, end in ((outside, inside), (inside, outside)):
        assert far(start, end), "3 and 3 inches"
        assert not far(start, (end[0] + (0.1 if end[0] > 28 else -0.1), 23))
        assert far(start, (end[0] + (2 if end[0] > 28 else -2), 23), cost=1)
    assert far(outside, (23, 23), kind="door")
    assert not far(outside, (25.9, 23), kind="barred_door")
    state = battle(unit("blue", outside, figures=1), FOE, terrain=[house(WINDOW)])
    refusal = walks(state, (25.5, 23))
    assert refusal is not None
    assert (refusal.rule, "Window of Mill costs more" in refusal.sentence) == ("move.building-entry", True)


@pytest.mark.rule("fad5/move.building-entry")
def test_no_vehicle_drives_into_a_house() -> None:
    wide = house({"kind": "gate", "at": [24, 20], "width": 5})
    state = battle(vehicle("blue", (24, 16), id="tank"), FOE, terrain=[wide])
    table = play(state).activates("tank")
    way = PathsDeclared({"1": ((24_000, 22_000),)})
    driven = next(
        choice.key for choice in table.prompt.choices if choice.parameters and "mill" in str(choice.parameters)
    )
    assert table.refused(driven, way).code == "path_impassable"


@pytest.mark.rule("fad5/move.building-position")
def test_figures_on_either_side_of_a_wall_do_not_touch() -> None:
    terrain = [house(WINDOW)]
    state = battle(unit("blue", (24, 19.5), figures=1), unit("red", (24, 20.75), figures=1), terrain=terrain)
    (found,) = candidates(fad5().rules, state, "blue-1")
    assert found.why is not None, "the way round to the window is longer than an assault"
    assert found.why.rule == "assault.declare"


# --- firing -------------------------------------------------------------------------------------------------------------

TARGET = unit("red", [(24, 12), (26, 12)])


def firing(*places: tuple[float, float], openings: Sequence[Row] = (DOOR,), **own: object) -> Shot | Why:
    """Return the shot of a squad in the house at a target before its door."""
    state = battle(unit("blue", places, **own), TARGET, terrain=[house(*openings)])  # type: ignore[arg-type]  # as `unit` takes it
    return aim(fad5().rules, state, "blue-1", "red-1")


@pytest.mark.rule("fad5/shoot.building-openings")
def test_two_figures_with_small_arms_fire_from_an_opening() -> None:
    three = firing((23.25, 20.8), (24.75, 20.8), (24, 21.5))
    assert isinstance(three, Shot)
    assert three.firing == ("1", "2")
    gate = firing((23.25, 20.8), (24.75, 20.8), (24, 21.5), openings=[{**DOOR, "kind": "gate"}])
    assert isinstance(gate, Shot)
    assert gate.firing == ("1", "2", "3")


@pytest.mark.rule("fad5/shoot.building-openings")
def test_a_support_weapon_takes_all_of_an_opening_and_comes_first() -> None:
    own: Row = {"support": ["", "squad-automatic-weapon"]}
    one = firing((23.25, 20.8), (24.75, 20.8), (24, 21.5), **own)  # type: ignore[arg-type]  # as `unit` takes it
    assert isinstance(one, Shot)
    assert (one.firing, one.supporting) == (("2",), (("2", "squad-automatic-weapon"),))
    # Where it does not reach the others fire.
    short: Row = {"support": ["", "flame-thrower"]}
    rest = firing((23.25, 20.8), (24.75, 20.8), (24, 21.5), **short)  # type: ignore[arg-type]  # as above
    assert isinstance(rest, Shot)
    assert rest.firing == ("1", "3")


@pytest.mark.rule("fad5/shoot.building-openings")
def test_only_figures_near_an_opening_fire_and_others_make_place_for_them() -> None:
    far = firing((24, 22.6))
    assert isinstance(far, Why)
    assert (far.rule, far.sentence) == (
        "shoot.building-openings",
        "No figure of Blue 1 is at a door or window from which it sees Red 1.",
    )
    # The first sees the enemy through both: it leaves the door to the next two.
    between = {"kind": "window", "at": [26.5, 20], "width": 2}
    squad = unit("blue", [(25.2, 20.8), (24.1, 20.8), (23.05, 20.8), (26.3, 20.8)])
    state = battle(squad, unit("red", [(21, 12), (32, 12)]), terrain=[house(DOOR, between)])
    assert shot_of(state, "blue-1", "red-1").firing == ("1", "2", "3", "4")


@pytest.mark.rule("fad5/shoot.building-openings")
def test_figures_in_the_open_and_at_enemies_in_their_own_room_need_no_opening() -> None:
    state = battle(unit("blue", [(24, 18), (22, 25), (26, 25)]), unit("red", [(24, 22)]), terrain=[house(DOOR)])
    assert shot_of(state, "blue-1", "red-1").firing == ("1", "2", "3")


@pytest.mark.rule("fad5/shoot.building-openings")
def test_fire_comes_in_through_openings_alone_and_finds_those_inside_in_hard_cover() -> None:
    inside = unit("red", [(24, 21), (21, 21), (24, 24)])
    state = battle(unit("blue", (24, 12), figures=1), inside, terrain=[house(DOOR)])
    shot = shot_of(state, "blue-1", "red-1")
    assert (shot.seen, shot.cover) == (("1", "3"), "heavy")
    shut = battle(unit("blue", (24, 12), figures=1), inside, terrain=[house({**DOOR, "kind": "barred_door"})])
    blind = aim(fad5().rules, shut, "blue-1", "red-1")
    assert isinstance(blind, Why)
    assert blind.rule == "shoot.line-of-sight"


@pytest.mark.rule("fad5/shoot.building-openings")
def test_the_owner_chooses_who_fires_where_not_all_find_a_place() -> None:
    squad = unit("blue", [(23.25, 20.8), (24.75, 20.8), (24, 21.5)], support=["", "squad-automatic-weapon"])
    state = battle(squad, TARGET, terrain=[house(DOOR)])
    table = play(state).activates("blue-1").answers("fire-move", "red-1")
    assert (table.asked, table.offered) == ("blue", ["take-places"])
    assert table.prompt.rule == "shoot.building-openings"
    assert table.prompt.default == Picked("take-places", (figures("2"),)), "the weapon adds most"
    assert table.answers("take-places", figures("1", "3"), dice=[1, 1]).rolled("fire_effect").unit == "blue-1"
    assert "shoot.mod-support-weapons" not in dict(lines(table.fire_effect)), "the two riflemen fire"
    both = (
        play(state)
        .activates("blue-1")
        .answers("fire-move", "red-1")
        .answers("take-places", figures("2"), dice=[1, 1, 6, 1])
    )
    assert ("shoot.mod-support-weapons", 2) in lines(both.fire_effect)


@pytest.mark.rule("fad5/shoot.building-openings")
def test_where_all_find_a_place_there_is_nothing_to_choose() -> None:
    two = battle(unit("blue", [(23.25, 20.8), (24.75, 20.8)]), TARGET, terrain=[house(DOOR)])
    table = play(two).activates("blue-1").answers("fire-move", "red-1", dice=[1, 1])
    assert table.offered != ["take-places"]


@pytest.mark.rule("fad5/shoot.building-openings")
def test_the_preview_of_a_shot_says_how_many_figures_fire() -> None:
    state = battle(unit("blue", [(23.25, 20.8), (24.75, 20.8), (24, 21.5)]), TARGET, terrain=[house(DOOR)])
    table = play(state).activates("blue-1")
    told = fad5().preview(table.state, table.prompt, Picked("fire-move", (UnitNamed("red-1"),)))
    assert told is not None
    assert "2 of 3 figures fire" in told.notes[0]


# --- falling down -------------------------------------------------------------------------------------------------------


def collapsed(state: State, dice: Sequence[int]) -> tuple[list[Fact], State]:
    """Let the mill collapse, and return what happens and how things stand then."""
    rules: FadRules = fad5().rules
    game, left = Game(rules, state), list(dice)
    facts: list[Fact] = []
    answer: tuple[int, ...] | None = None
    steps = collapse.bring_down(game, "mill")
    while True:
        try:
            step = steps.send(answer)
        except StopIteration:
            assert not left, "dice are left over"
            return facts, game.state
        if isinstance(step, Fact):
            facts.append(step)
            game.state, answer = step.fold(game.state), None
        else:
            assert isinstance(step, Roll)
            answer, left = tuple(left[: step.count]), left[step.count :]


@pytest.mark.rule("fad5/damage.building-collapse")
def test_a_building_that_collapses_is_rubble_and_kills_on_four_or_more() -> None:
    units = (
        unit("blue", [(24, 22), (22, 23), (26, 24)]),
        unit("red", [(21, 25)], armour="heavy-powered"),
        unit("red", (24, 30.4), figures=1),
        unit("red", (26, 31), figures=1),
    )
    state = battle(*units, terrain=[house(DOOR, WINDOW)])
    facts, after = collapsed(state, [3, 4, 6, 4])
    (rubble,) = after.table.terrain
    assert (rubble.id, rubble.name, rubble.kind, rubble.cover) == ("mill", "Rubble of Mill", "rubble", "heavy")
    assert len([fact for fact in facts if isinstance(fact, TerrainChanged)]) == 5
    assert [fact for fact in facts if isinstance(fact, FiguresFell)] == [
        FiguresFell("blue-1", ("2", "3"), "buried", "damage.building-collapse")
    ]
    assert after.units["blue-1"].figures["1"].at == (24_000, 22_000), "who lives stands where he stood"
    marked = [fact.unit for fact in facts if isinstance(fact, ConditionGained)]
    assert marked == ["blue-1", "red-1", "red-2"], "those inside, and those within 4 inches of it"
    rolls = [fact for fact in facts if isinstance(fact, Rolled)]
    assert [roll.numbers[0].value for roll in rolls] == [4, 5]
    told = fad5().story(state, rolls[0])
    assert told is not None
    assert told.text == "The building comes down on Blue 1, each killed on 4+: 1 of 3 live."
    counted = luck_of(fad5(), state, facts, "buried", "blue-1")
    assert counted is not None


@pytest.mark.rule("fad5/damage.building-collapse")
def test_a_flyer_over_a_building_that_collapses_is_not_buried() -> None:
    state = battle(vehicle("blue", (24, 23), mobility="fly"), unit("red", (24, 40)), terrain=[house(DOOR, WINDOW)])
    facts, after = collapsed(state, [])
    assert not [fact for fact in facts if isinstance(fact, Rolled)]
    assert after.units["blue-1"].on_table


# --- storeys ------------------------------------------------------------------------------------------------------------

UPSTAIRS: Row = {
    "id": "loft",
    "kind": "house",
    "name": "Loft",
    "outline": ((28, 20), (36, 20), (36, 26), (28, 26)),
    "openings": [
        {"kind": "door", "at": [28, 23], "width": 2},
        {"kind": "upper_window", "at": [32, 20], "width": 2},
    ],
}
"""The storey above the mill, next to it."""


def mill(*others: Row) -> State:
    """Return a position with a mill of two storeys: its door is in the lower one, which has the stairs."""
    return battle(*others, terrain=[house(DOOR, {"kind": "stairs", "at": [28, 23], "width": 2}), UPSTAIRS])


@pytest.mark.rule("fad5/move.building-position")
def test_a_storey_costs_three_inches_up_and_down_the_stairs() -> None:
    below, above = (26.5, 23), (29.5, 23)
    for start, end in ((below, above), (above, below)):
        state = mill(unit("blue", start, figures=1), FOE)
        assert walks(state, end) is None, "3 inches and the stairs are 6"
        farther = (end[0] + (0.1 if end[0] > start[0] else -0.1), 23)
        refusal = walks(state, farther)
        assert refusal is not None
        assert (refusal.rule, "Stairs of Mill costs more" in refusal.sentence) == ("move.building-position", True)


@pytest.mark.rule("fad5/move.building-position")
def test_an_upper_window_is_fired_through_and_not_gone_through() -> None:
    state = mill(unit("blue", (32, 20.8), figures=1), unit("red", (32, 12), figures=1))
    assert shot_of(state, "blue-1", "red-1").firing == ("1",)
    assert (shot_of(state, "red-1", "blue-1").seen, shot_of(state, "red-1", "blue-1").cover) == (("1",), "heavy")
    for start, end in (((32, 21), (32, 18)), ((32, 18), (32, 22))):
        refusal = walks(mill(unit("blue", start, figures=1), FOE), end)
        assert refusal is not None
        assert refusal.code == "path_impassable"


@pytest.mark.rule("fad5/move.building-position")
def test_through_an_upper_window_no_figure_touches_those_outside() -> None:
    state = mill(unit("blue", (32, 19.5), figures=1), unit("red", (32, 20.75), figures=1))
    assert walks(mill(unit("blue", (32, 19), figures=1), FOE), (32, 19.5)) is None, "up to the wall"
    assert walks(mill(unit("blue", (32, 22), figures=1), FOE), (32, 20.75)) is None
    assert walks(mill(unit("blue", (32, 22), figures=1), FOE), (32, 20.7)) is not None
    (found,) = candidates(fad5().rules, state, "blue-1", movement.MOVE)
    assert found.why is not None, "it is no way in"


@pytest.mark.rule("fad5/move.building-position")
def test_stairs_are_not_seen_through_and_those_who_meet_on_them_fight() -> None:
    state = mill(unit("blue", (25, 23), figures=1), unit("red", (30, 23), figures=1))
    blind = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(blind, Why)
    assert blind.rule == "shoot.line-of-sight"
    met = mill(unit("blue", (27.5, 23), figures=1), unit("red", (28.5, 23), figures=1))
    assert fad5().rules.chapters.fight.fighters(fad5().rules, met, "blue-1", "red-1") == ("1",)
