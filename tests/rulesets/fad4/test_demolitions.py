"""A module of a match: squads rig charges to what nothing else destroys, and blow it up."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ConditionGained,
    Declared,
    FiguresFell,
    FiguresGained,
    Rolled,
    TerrainAdded,
    TerrainChanged,
    UnitLeft,
)
from server.kernel.state import State
from server.rulesets.fad.modules.demolitions import damaged, laid, left
from tests.support.battlefield import BattleTable, battle, fad4, figures, piece, play, unit
from tests.support.lucky import luck_of
from tests.support.tabletop import Place, Row, setup, shifted

ON = {"demolitions": "on"}
RULE = "setup.advanced-modules.demolition"
DAM = piece("building", (4, 8), (30, 12), id="dam", flags=["demolishable"], name="The dam")
NEXT_TO: tuple[Place, ...] = tuple((6 + 2.5 * i, 7) for i in range(6))
"""Places of bases 0.5 inches from the dam."""
AWAY: tuple[Place, ...] = tuple((6 + 2.5 * i, 2) for i in range(6))


def sappers(places: Sequence[Place] = NEXT_TO, engineer: str = "", **other: object) -> Row:
    row = unit("blue", places, demolition_charges=2, **other)  # type: ignore[arg-type]  # as `unit` takes it
    rows: list[Row] = [
        {**figure, **({"engineer": True} if figure["id"] == engineer else {})}
        for figure in row["figures"]  # type: ignore[attr-defined]  # the rows of figures
    ]
    return {**row, "figures": rows}


def match(blue: Row, *more: Row, terrain: Sequence[Row] = (DAM,), turn: int = 1, **options: str) -> State:
    return battle(blue, *(more or (unit("red", (6, 40)),)), terrain=terrain, turn=turn, options={**ON, **options})


def rigs(state: State, figure: str = "1", dice: Sequence[int] = ()) -> BattleTable:
    return play(state).activates("blue-1").answers("command").answers("rig-charges", figures(figure), dice=dice)


def done(table: BattleTable) -> BattleTable:
    """Take no second task, if there is one to take."""
    return table.answers("command-done") if "command-done" in table.offered else table


def again(table: BattleTable, first: str = "blue", dice: Sequence[int] = ()) -> BattleTable:
    """Let red-1 hold, and blue be first in the next turn."""
    table.activates("red-1").holds(dice=[*dice, *([6, 1] if first == "blue" else [1, 6])])
    return table


def laid_at(
    how: str,
    *,
    places: Sequence[Place] = AWAY,
    engineer: str = "",
    **other: object,
) -> State:
    """Return a position in which blue-1 has laid charges at the dam."""
    shown = {"id": "charges-blue-1-1", "kind": "charges", "outline": [(5.7, 7.7), (6.3, 7.7), (6.3, 8.3), (5.7, 8.3)]}
    blue = sappers(places, engineer, **other)
    position = setup(
        "fad4",
        [blue, unit("red", (6, 40))],
        (48, 48),
        12,
        terrain=[DAM, shown],
        options=ON,
        turn={"number": 1, "phase": "activations", "first": "blue", "active": "blue"},
        book={"demolitions.laid": [["blue-1", "dam", "charges-blue-1-1", 6000, 8000, how]]},
    )
    return fad4().read({**position, "table": {"width": 48, "height": 48, "added": 1}})


def blows(state: State, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers("command").answers("detonate-charges", dice=dice)


def dam(state: State) -> tuple[str, str]:
    return next((one.kind, one.name) for one in state.table.terrain if one.id == "dam")


# --- adv.demolitions.charges, adv.demolitions.action ----------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_only_units_with_charges_rig_any_and_each_set_once() -> None:
    why = play(match(unit("blue", NEXT_TO))).activates("blue-1").barred("command")
    assert why is not None
    assert why.sentence == "Blue 1 carries no demolition charges."
    table = rigs(match(sappers()), dice=[6, 6])
    assert left(table.state, table.unit("blue-1")) == 1
    spent = laid_at("spent")
    rows = [("blue-1", "dam", "charges-blue-1-1", 6000, 8000, "spent"), ("blue-1", "dam", "x", 6000, 8000, "spent")]
    spent.book["demolitions.laid"] = tuple(rows)
    none = play(spent).activates("blue-1").barred("command")
    assert none is not None
    assert none.sentence == "Blue 1 has no charges left."


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_charges_are_rigged_to_what_is_flagged_and_to_bunkers_within_1_inch() -> None:
    # Edge to edge: 7 + 0.5 + 1 is 8.5.
    for kind, flags, y, able in (
        ("building", ["demolishable"], 8.5, True),
        ("building", ["demolishable"], 8.501, False),
        ("bunker", [], 8.5, True),
        ("building", [], 8.5, False),
    ):
        target = piece(kind, (4, y), (30, 12), id="dam", flags=flags)
        why = play(match(sappers(), terrain=[target])).activates("blue-1").barred("command")
        assert (why is None) == able


def test_rigging_and_detonating_are_one_task() -> None:
    table = rigs(match(sappers(), unit("red", (6, 20)), terrain=[{**DAM, "sight": "clear"}]), dice=[6, 6])
    assert table.offered == ["command-fire", "command-done"]
    assert "detonate-charges" not in [choice.key for choice in table.prompt.choices]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_position_with_charges_or_engineers_needs_the_option() -> None:
    with pytest.raises(RulesetError, match="Demolition charges: switch the option Demolition on"):
        battle(sappers(), unit("red", (6, 40)))
    engineer: Row = {**sappers(engineer="2")}
    del engineer["demolition_charges"]
    with pytest.raises(RulesetError, match="Engineer: switch the option Demolition on"):
        battle(engineer, unit("red", (6, 40)))


# --- adv.demolitions.rig, adv.demolitions.busy, adv.demolitions.engineer ---------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(("dice", "how"), [((3, 3), ["rigged"]), ((3, 2), ["working"]), ((2, 2), [])])
def test_two_passes_rig_one_needs_time_and_none_fails(dice: tuple[int, int], how: list[str]) -> None:
    table = rigs(match(sappers()), dice=dice)
    assert table.rolled("rig-charges").rule == RULE
    assert [one.how for one in laid(table.state)] == how
    shown = [fact.piece.name for fact in table.seen(TerrainAdded)]
    assert shown == [f"Charges of Blue 1, {'rigged' if one == 'rigged' else 'being rigged'}" for one in how]
    assert left(table.state, table.unit("blue-1")) == 2 - len(how)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize("marker", ["under_fire", "pinned"])
def test_under_fire_one_die_is_rolled_and_one_pass_is_the_most(marker: str) -> None:
    table = rigs(match(sappers(conditions=[marker])), dice=[6])
    assert [one.how for one in laid(table.state)] == ["working"]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_an_engineer_has_one_die_less_and_one_pass_more() -> None:
    table = rigs(match(sappers(engineer="3")), "3", dice=[3])
    assert [one.how for one in laid(table.state)] == ["rigged"]
    none = rigs(match(sappers(engineer="3", conditions=["under_fire"])), "3")
    assert none.rolled("rig-charges").faces == ()
    assert [one.how for one in laid(none.state)] == ["working"]


@pytest.mark.rule("fad4/action.command")
def test_who_rigs_does_nothing_else_and_the_rest_may_shoot() -> None:
    table = rigs(match(sappers(), unit("red", (6, 24)), terrain=[{**DAM, "sight": "clear"}]), dice=[6, 6])
    assert FiguresGained("blue-1", ("1",), "at_task", "action.command") in table.facts
    table.answers("command-fire", "red-1", dice=[1, 1, 1])
    assert "5 riflemen" in [line.reason for line in table.fire_effect.lines]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_charges_lie_where_the_figure_touches_the_target_for_all_to_see() -> None:
    table = rigs(match(sappers()), "2", dice=[6, 6])
    (charges,) = laid(table.state)
    assert (charges.target, charges.at) == ("dam", (8500, 8000))
    (added,) = table.seen(TerrainAdded)
    assert (added.piece.kind, added.piece.cover, added.piece.sight) == ("charges", "none", "clear")


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_squad_that_stays_in_place_finishes_at_the_end_of_its_next_activation() -> None:
    table = again(done(rigs(match(sappers()), dice=[6, 1])))
    table.activates("blue-1")
    assert "rig-charges" not in table.offered
    table.holds()
    assert [one.how for one in laid(table.state)] == ["rigged"]
    assert table.seen(TerrainChanged)[-1].piece == table.state.table.terrain[-1]
    assert table.state.table.terrain[-1].name == "Charges of Blue 1, rigged"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_squad_of_which_a_figure_moves_loses_the_work_and_not_the_charges() -> None:
    table = again(done(rigs(match(sappers()), dice=[6, 1])))
    table.activates("blue-1").answers("move-out", shifted(table.state, "blue-1", 0, -1, ["6"]))
    assert laid(table.state) == []
    assert left(table.state, table.unit("blue-1")) == 2
    assert table.state.table.terrain[-1].id == "dam"
    assert table.state.table.added == 0
    assert "charges-unfinished" in [fact.action for fact in table.seen(Declared)]


# --- adv.demolitions.detonate-clear, adv.demolitions.last-soldier ----------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_charges_are_detonated_from_4_inches_away_at_any_distance() -> None:
    # The charges lie at (6, 8): 4.5 inches from the middle of figure 1.
    for y, able in ((3.5, True), (3.501, False), (0.5, True)):
        state = laid_at("rigged", places=tuple((6 + 2.5 * i, y) for i in range(6)))
        why = play(state).activates("blue-1").barred("command")
        assert (why is None) == able
    near = play(laid_at("rigged", places=NEXT_TO)).activates("blue-1").answers("command").barred("detonate-charges")
    assert near is not None
    assert near.sentence == '2 figures of Blue 1 are closer than 4".'


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize("dice", [(1, 1, 1), (6, 6, 1)])
def test_the_last_figure_may_detonate_next_to_them_and_dies_whatever_the_test_says(dice: tuple[int, ...]) -> None:
    state = laid_at("rigged", places=NEXT_TO, lost=5, resolve="determined")
    table = play(state).activates("blue-1", dice=[6, 6, 6]).answers("command")
    table.answers("detonate-charges", dice=dice)
    assert FiguresFell("blue-1", ("1",), "blast", RULE) in table.facts
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["blue-1"]


# --- adv.demolitions.detonate, adv.demolitions.badly-damaged ---------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(
    ("dice", "kind", "hurt"),
    [
        ((3, 3, 3), "rubble", {}),
        ((3, 3, 2), "rubble", {}),
        ((3, 2, 2), "building", {"dam": "blue-1"}),
        ((2, 2, 2), "building", {}),
    ],
)
def test_what_charges_do_to_their_target(dice: tuple[int, ...], kind: str, hurt: dict[str, str]) -> None:
    table = blows(laid_at("rigged"), *dice)
    assert dam(table.state)[0] == kind
    assert damaged(table.state) == hurt
    # They are used up in every case.
    assert [one.how for one in laid(table.state)] == ["spent"]
    assert "charges" not in [one.kind for one in table.state.table.terrain]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_rubble_is_difficult_ground_and_hard_cover_that_one_sees_over() -> None:
    rubble = blows(laid_at("rigged"), 6, 6, 6).seen(TerrainChanged)[-1].piece
    assert rubble is not None
    assert (rubble.name, rubble.cover, rubble.flags, rubble.sight) == (
        "Rubble of The dam",
        "heavy",
        ("difficult",),
        "clear",
    )


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_an_engineer_of_the_unit_detonates_with_one_pass_for_sure() -> None:
    table = blows(laid_at("rigged", engineer="4"), 3, 1)
    assert table.seen(FiguresGained)[0].figures == ("4",)
    assert table.rolled("detonate-charges").outcome == "destroyed"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_being_under_fire_takes_no_dice_from_the_detonation() -> None:
    table = blows(laid_at("rigged", conditions=["under_fire"]), 3, 3, 3)
    assert len(table.rolled("detonate-charges").faces) == 3


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(
    ("options", "fell", "wounded"), [({}, ("2", "3"), ()), ({"recover_wounded": "on"}, ("1", "2", "3"), ("1", "2"))]
)
def test_figures_inside_what_is_destroyed_roll_for_their_lives(
    options: dict[str, str], fell: tuple[str, ...], wounded: tuple[str, ...]
) -> None:
    state = laid_at("rigged")
    inside = battle(
        unit("blue", (6, 2)), unit("red", [(10, 10), (12, 10), (14, 10), (16, 10), (10, 14)]), options={**ON, **options}
    )
    state = state.with_unit(inside.units["red-1"])
    state = replace(state, options={**state.options, **options})
    table = blows(state, 6, 6, 6, 3, 4, 5, 2)
    (rolled,) = [roll for roll in table.seen(Rolled) if roll.purpose == "collapse"]
    assert rolled.unit == "red-1"
    (lost,) = table.seen(FiguresFell)
    assert lost.figures == fell
    assert (
        tuple(f for fact in table.seen(FiguresGained) if fact.condition == "wounded" for f in fact.figures) == wounded
    )
    assert ConditionGained("red-1", "under_fire", RULE) in table.facts


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(("die", "kind"), [(3, "building"), (4, "rubble")])
def test_a_badly_damaged_target_falls_on_4_at_the_end_of_each_turn(die: int, kind: str) -> None:
    table = blows(laid_at("rigged"), 6, 1, 1)
    again(done(table), dice=[die])
    assert table.rolled("giving_way").rule == RULE
    assert dam(table.state)[0] == kind
    assert damaged(table.state) == ({} if kind == "rubble" else {"dam": "blue-1"})


# --- previews, words and files ---------------------------------------------------------------------------------------


def test_the_previews_have_exact_chances() -> None:
    table = play(match(sappers(engineer="3"))).activates("blue-1").answers("command")
    for figure, chances in (("1", ["44%", "44%", "11%"]), ("3", ["67%", "33%", "0%"])):
        told = fad4().preview(table.state, table.prompt, Picked("rig-charges", (figures(figure),)))
        assert told is not None
        assert [chance.value for chance in told.chances] == chances
    rigged = play(laid_at("rigged")).activates("blue-1").answers("command")
    told = fad4().preview(rigged.state, rigged.prompt, Picked("detonate-charges"))
    assert told is not None
    assert told.title == "Blue 1 blows up The dam"
    assert [chance.value for chance in told.chances] == ["74%", "22%", "4%"]


def test_the_log_the_card_and_the_luck_report_tell_of_the_charges() -> None:
    start = laid_at("rigged", engineer="4")
    card = {line.label: line.value for line in fad4().card(start, start.units["blue-1"])}
    assert card["Charges"] == "1 left; rigged at The dam"
    assert card["Engineer"] == "figure 4"
    table = blows(start, 1, 1)
    again(done(table), dice=[4])
    texts, before = [], start
    for fact in table.facts:
        story = fad4().story(before, fact)
        texts += [] if story is None else [story.text]
        before = fact.fold(before)
    assert "The charges of Blue 1: 1 pass, the target is badly damaged." in texts
    assert "The dam is badly damaged, and gives way." in texts
    assert "The dam is now Rubble of The dam." in texts
    luck = luck_of(fad4(), start, table.facts, "detonate-charges", "blue-1")
    assert (luck.wanted, luck.expected, luck.fell) == ("passes", 13_333, 0)
    luck = luck_of(fad4(), start, table.facts, "giving_way", "blue-1")
    assert (luck.wanted, luck.expected, luck.fell) == ("targets that fall", 5000, 10_000)


@pytest.mark.parametrize(
    "note", ["yes", [["blue-1"]], [["blue-1", "dam", "x", 1, 2, "boom"]], [["blue-1", "dam", "x", 1, 2, "rigged"]]]
)
def test_a_position_whose_charges_cannot_be_read_is_refused(note: object) -> None:
    units = (sappers(), unit("red", (6, 40)))
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    position = setup("fad4", units, (48, 48), 12, terrain=[DAM], turn=turn, options=ON, book={"demolitions.laid": note})
    with pytest.raises(RulesetError, match=r"demolitions\.laid"):
        fad4().read(position)
