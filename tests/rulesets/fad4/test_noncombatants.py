"""A module of a match: groups that never fight, run from what they see, and can be steered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import ActivationSpent, Declared, FiguresFell, Rolled, UnitLeft, UnitMoved
from server.kernel.state import State
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.victory import decided, held_by
from tests.support.battlefield import (
    BattleTable,
    battle,
    driven,
    fad4,
    lines,
    paths,
    piece,
    play,
    shifted,
    unit,
    vehicle,
)
from tests.support.lucky import luck_of
from tests.support.tabletop import Place, Row

ON = {"noncombatants": "on"}
RULE = "setup.advanced-modules.non-combatants"
WALL: Row = piece("cliff", (0, 14), (48, 16))
"""A cliff from edge to edge, behind which none is seen."""


def group(side: str, at: Place | Sequence[Place], **other: object) -> Row:
    own: dict[str, object] = {"figures": 4, "quality": "rabble", "non_combatant": True, **other}
    return unit(side, at, **{"apart": 1.5, **own})  # type: ignore[arg-type]  # as `unit` takes it


def match(*units: Row, terrain: Sequence[Row] = (), objectives: Sequence[Row] = (), **options: str) -> State:
    return battle(*units, terrain=terrain, objectives=objectives, options={**ON, **options})


def start(table: BattleTable, unit_id: str) -> tuple[int, int]:
    at = table.unit(unit_id).figures["1"].at
    assert at is not None
    return at


# --- adv.noncombatants.profile --------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_non_combatants_never_shoot_and_are_shot_at_with_2_more() -> None:
    state = match(group("blue", (6, 6)), unit("red", (6, 12)))
    why = aim(fad4().rules, state, "blue-1", "red-1")
    assert not isinstance(why, Shot)
    assert why.sentence == "Blue 1 are non-combatants, and never fight."
    table = play(state).activates("blue-1").chance(1).activates("red-1").opens_fire_at("blue-1", dice=[])
    assert ("fire.target-non-combatant", 2) in lines(table.fire_effect)


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_an_assaulter_overruns_them_without_dice_or_losses() -> None:
    state = match(unit("blue", (6, 6)), group("red", (6, 14), resolve="steady"))
    table = play(state).activates("blue-1")
    told = fad4().preview(table.state, table.prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert told is not None
    assert [(row.label, row.value) for row in told.chances][:2] == [
        ("Overrun them", "100%"),
        ("Expected losses of the target", "4.0"),
    ]
    table.answers("assault", "red-1").defaults()
    assert table.seen(Rolled) == []
    assert [(fact.unit, len(fact.figures)) for fact in table.seen(FiguresFell)] == [("red-1", 4)]
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["red-1"]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_match_may_spare_them() -> None:
    state = match(unit("blue", (6, 6)), group("red", (6, 14)), noncombatants_spared="on")
    table = play(state).activates("blue-1")
    assert table.targets("open-fire") == {"red-1": RULE}
    assert table.targets("assault") == {"red-1": RULE}


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_they_take_no_place_among_the_closest_enemies() -> None:
    # Conscripts shoot at one of the two closest: red-1 and red-3, with the group nearer than the farther of them.
    reds = [unit("red", (6, 16), figures=2), group("red", (16, 18)), unit("red", (6, 24), figures=2)]
    far = group("red", (16, 30))
    state = match(unit("blue", (6, 6), quality="conscript"), *reds, far, unit("red", (36, 40), figures=2))
    targets = play(state).activates("blue-1").targets("open-fire")
    assert targets["red-1"] == targets["red-2"] == targets["red-3"] == ""
    assert targets["red-4"] == targets["red-5"] == "shoot.fire-priority"


@pytest.mark.rule("fad4/setup.victory")
def test_a_side_with_non_combatants_alone_has_no_units_to_fight_with() -> None:
    ended = decided(fad4().rules, match(unit("blue", (6, 6)), group("red", (6, 40))))
    assert ended is not None
    assert ended.winner == "blue"
    off = battle(unit("blue", (6, 6)), group("red", (6, 40)), options={})
    assert decided(fad4().rules, off) is None


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            group("blue", (6, 6), quality="elite"),
            "Blue 1 are non-combatants, and count as Rabble: give them that Quality",
        ),
        (unit("blue", (6, 6), neutral=1), "Blue 1 is neutral, which only non-combatants are"),
        (vehicle("blue", (6, 6), traits={"non_combatant": True}), "Blue 1 is a vehicle: non-combatants go on foot"),
    ],
)
def test_a_position_with_groups_that_cannot_be_played_is_refused(row: Row, sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        match(row, unit("red", (6, 40)))


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_position_with_a_neutral_group_needs_the_option() -> None:
    with pytest.raises(RulesetError, match="Neutral: switch the option Non-combatants on"):
        battle(group("blue", (6, 6), neutral=1), unit("red", (6, 40)))


# --- adv.noncombatants.move-out-only, adv.noncombatants.flee ---------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_group_that_sees_no_enemy_only_moves_out_or_holds() -> None:
    state = match(group("blue", (6, 6)), unit("red", (6, 40)), terrain=[WALL])
    table = play(state).activates("blue-1")
    assert table.offered == ["group-move-out", "group-hold"]
    assert table.path("group-move-out").allowance == 12_000
    table.answers("group-move-out", shifted(table.state, "blue-1", 12, 0))
    assert start(table, "blue-1") == (18_000, 6_000)


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_group_that_sees_enemies_rushes_straight_away_from_the_nearest() -> None:
    reds = (unit("red", [(20, 30)]), unit("red", [(40, 20)]))
    table = play(match(group("blue", [(20, 20), (21.5, 20)]), *reds)).activates("blue-1")
    assert [(fact.action, fact.target) for fact in table.seen(Declared)] == [("flees", "red-1")]
    (moved,) = table.seen(UnitMoved)
    assert (moved.manner, moved.rule) == ("rush", RULE)
    # Away from (20, 30), seen from the middle of the group: a little east of south.
    x, y = start(table, "blue-1")
    assert 20_000 < x < 21_500
    assert 8_000 < y < 8_200
    assert table.asked == "red"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_fleeing_group_goes_around_impassable_ground_and_stops_at_the_edge() -> None:
    pond = piece("deep_water", (16, 12), (26, 16))
    table = play(match(group("blue", [(20, 20), (21.5, 20)]), unit("red", [(20, 30)]), terrain=[pond]))
    table.activates("blue-1")
    x, y = start(table, "blue-1")
    assert y < 19_000
    assert not (15_500 < x < 26_500 and 11_500 < y < 16_500)
    near = play(match(group("blue", [(20, 5), (21.5, 5)]), unit("red", [(20, 12)]))).activates("blue-1")
    assert near.unit("blue-1").left == ""
    assert start(near, "blue-1")[1] < 5_000


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_match_may_let_them_leave_the_table() -> None:
    units = (group("blue", [(20, 5), (21.5, 5)]), unit("blue", (40, 6), figures=1), unit("red", [(20, 12)]))
    table = play(match(*units, noncombatants_leave="on")).activates("blue-1")
    assert UnitLeft("blue-1", "left_table", RULE) in table.facts
    # Where a whole Rush leads away from the enemy, they stay on the table.
    far = (group("blue", [(20, 20), (21.5, 20)]), unit("red", [(20, 30)]))
    assert play(match(*far, noncombatants_leave="on")).activates("blue-1").unit("blue-1").left == ""


@pytest.mark.rule("fad4/pin.no-moving")
def test_a_pinned_group_does_not_flee() -> None:
    table = play(match(group("blue", (6, 6), conditions=["pinned"]), unit("red", (6, 20)))).activates("blue-1")
    assert table.seen(UnitMoved) == []
    assert "cornered" in [fact.action for fact in table.seen(Declared)]


# --- neutral groups -------------------------------------------------------------------------------------------------


def crossing() -> State:
    """Return a neutral group that is listed with blue and stands between the lines."""
    neutral = group("blue", [(20, 20), (21.5, 20)], neutral=1)
    return match(unit("blue", [(20, 12)]), neutral, unit("red", (6, 40), figures=2))


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_neutral_groups_act_by_themselves_at_the_end_of_the_turn_and_flee_from_all_armed_units() -> None:
    table = play(crossing())
    assert table.targets("activate") == {"blue-1": ""}
    table.activates("blue-1").holds().activates("red-1").holds(dice=[6, 1])
    assert [(fact.unit, fact.target) for fact in table.seen(Declared) if fact.action == "flees"] == [
        ("blue-2", "blue-1")
    ]
    assert start(table, "blue-2")[1] > 31_000
    assert table.state.turn.number == 2


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_neutral_groups_act_in_their_order_and_stay_if_they_see_none() -> None:
    first = group("red", [(30, 4), (31.5, 4)], neutral=1)
    second = group("blue", [(10, 4), (11.5, 4)], neutral=2)
    state = match(unit("blue", (6, 20)), second, unit("red", (6, 40)), first, terrain=[WALL])
    table = play(state).activates("blue-1").holds().activates("red-1").holds(dice=[6, 1])
    assert [fact.unit for fact in table.seen(Declared) if fact.action == "stays-put"] == []
    assert [fact.unit for fact in table.seen(Declared) if fact.action == "stands-by"] == ["red-2", "blue-2"]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_either_side_may_shoot_at_a_neutral_group() -> None:
    table = play(crossing()).activates("blue-1")
    assert table.targets("open-fire")["blue-2"] == ""
    table.chance(3).opens_fire_at("blue-2", dice=[])
    assert ("fire.target-non-combatant", 2) in lines(table.fire_effect)


@pytest.mark.rule("fad4/setup.victory")
def test_groups_of_a_side_hold_an_objective_and_neutral_ones_do_not() -> None:
    gate: Row = {"id": "gate", "name": "the gate", "at": (20, 20), "radius": 3.0}
    for own, holder in (({}, "blue"), ({"neutral": 1}, "")):
        state = match(group("blue", [(20, 20), (21.5, 20)], **own), unit("red", (6, 40)), objectives=[gate])
        assert held_by(state, state.objectives["gate"]) == holder


# --- adv.noncombatants.control --------------------------------------------------------------------------------------


def meets(side: str = "blue", dice: Sequence[int] = ()) -> BattleTable:
    """Return the table after the red unit "escort" has ended a move 3 inches from a group of `side`, and tried to steer it."""
    families = group(side, [(20, 20), (21.5, 20)], id="families")
    escort = unit("red", [(20, 30)], id="escort")
    state = match(unit("blue", (6, 2)), families, escort, unit("red", (30, 40)), terrain=[WALL])
    table = play(state).activates("blue-1").holds().activates("escort").moves(0, -6)
    return table.answers("steer", "families", dice=dice)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize("side", ["red", "blue"])
def test_a_unit_of_either_side_that_ends_a_move_within_4_inches_steers_a_group(side: str) -> None:
    table = meets(side, dice=[3])
    assert table.rolled("steer").outcome == "steered"
    assert (table.asked, table.state.turn.unit) == ("red", "escort")
    table.answers("steer-to", shifted(table.state, "families", 12, 0))
    assert ActivationSpent("families", RULE) in table.facts
    assert start(table, "families") == (32_000, 20_000)
    # It has had its activation of this turn.
    assert table.unit("families").activated == 1


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_failed_test_steers_none_and_the_group_acts_later() -> None:
    table = meets("red", dice=[2])
    assert table.rolled("steer").outcome == "let-be"
    assert table.unit("families").activated == 0
    assert luck_of(fad4(), table.state, table.facts, "steer", "escort").fell == 0


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_by_default_a_steered_group_comes_to_within_1_inch_of_the_unit() -> None:
    table = meets("red", dice=[6]).defaults()
    assert start(table, "families")[1] == pytest.approx(22_000, abs=250)


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_group_is_steered_within_4_inches_before_it_acts_and_only_if_it_can_move() -> None:
    def offered(y: float, **own: object) -> list[str]:
        state = match(unit("blue", [(20, y)]), group("blue", [(20, 30), (21.5, 30)], **own), unit("red", (6, 46)))
        table = play(state).activates("blue-1").answers("move-fire", paths())
        return [choice.key for choice in table.prompt.choices]

    # 4 inches from edge to edge is 5 from middle to middle.
    assert offered(25)[0] == "steer"
    assert "steer" not in offered(24.999)
    assert "steer" not in offered(25, activated=1)
    assert "steer" not in offered(25, conditions=["pinned"])
    assert "steer" not in offered(25, non_combatant=False, quality="regular")


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_unit_tries_once_an_activation_after_its_move_and_a_vehicle_may_too() -> None:
    state = match(unit("blue", [(20, 25)]), group("blue", [(20, 30), (21.5, 30)]), unit("red", (6, 46)))
    table = play(state).activates("blue-1").answers("move-fire", paths()).answers("steer", "blue-2", dice=[1])
    assert "steer" not in [choice.key for choice in table.prompt.choices]
    held = play(state).activates("blue-1").holds()
    assert held.asked == "red"
    tank = match(vehicle("blue", (20, 20)), group("blue", [(20, 30), (21.5, 30)]), unit("red", (6, 46)))
    drives = play(tank).activates("blue-1").answers("drive-out", driven((20, 24)))
    assert drives.offered == ["steer", "let-be"]


# --- words ----------------------------------------------------------------------------------------------------------


def test_the_log_and_the_card_tell_of_the_groups() -> None:
    table = meets("red", dice=[6])
    told = [fad4().story(table.state, fact) for fact in table.facts]
    texts = [story.text for story in told if story is not None]
    assert "Escort tries to steer Families." in texts
    assert "Escort calls out to non-combatants: they follow." in texts
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("families"))}
    assert card["Non-combatants"] == "flees from enemies in sight; never fights"
    assert card["Steered by"] == 'any unit that ends a move within 4"'


def test_without_the_module_non_combatants_act_like_other_squads() -> None:
    state = battle(group("blue", (6, 6)), unit("red", (6, 20)))
    table = play(state).activates("blue-1")
    assert "open-fire" in table.offered


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_preview_of_steering_has_the_odds_and_what_they_do_else() -> None:
    """adv.noncombatants.control"""
    state = match(unit("blue", (6, 6), figures=2), group("blue", (6, 9)), unit("red", (6, 40)))
    table = play(state).activates("blue-1").answers("move-fire", paths(_1=[(6, 6.5)]))
    steer = Picked("steer", (UnitNamed("blue-2"),))
    told = fad4().preview(table.state, table.prompt, steer)
    assert told is not None
    assert (told.title, told.dice) == ("Blue 1 steers Blue 2", "1D6")
    assert [(chance.label, chance.value) for chance in told.chances] == [("They follow", "67%")]
    assert told.notes == (
        'If they follow, they Rush at once, up to 12" where you like, and have acted for this turn.',
        "If not, they flee from Red 1, which they see when they activate.",
    )
    table.answers("steer", "blue-2", dice=[6])

    def note(dx: float, dy: float) -> str:
        way = shifted(table.state, "blue-2", dx, dy)
        there = fad4().preview(table.state, table.prompt, Picked("steer-to", (way,)))
        assert there is not None
        return there.notes[0]

    assert note(2, 4) == "From there they see Red 1, and flee from it when they next activate."
