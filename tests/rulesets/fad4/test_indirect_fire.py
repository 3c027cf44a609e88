"""A module of a match: leaders call strikes of batteries off the table and of mortars on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from client_protocol.choices import Picked, PointParameter, PointTaken
from client_protocol.explained import Line
from client_protocol.view import ImpactView
from server.kernel.answers.check import Asked
from server.kernel.belief import SPECTATORS, believed
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ActivationSpent,
    AssetNoted,
    ConditionGained,
    ConditionLost,
    Declared,
    FiguresGained,
    Rolled,
)
from server.kernel.files.setups import write
from server.kernel.state import State
from server.rulesets.fad.calling import MayCall, TimingNeed
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.shared.turns import waiting
from tests.support.battlefield import BattleTable, battle, fad4, lines, piece, play, unit, vehicle
from tests.support.lucky import luck_of
from tests.support.tabletop import Row

ON = {"indirect_fire": "on"}
GUNS: Row = {"id": "guns", "name": "The guns", "weapon": "medium-cannon"}
RAIL: Row = {"id": "rail", "name": "The rail gun", "weapon": "light-rail-gun"}
SQUAD = unit("blue", (6, 6), leader=True)
ENEMY = unit("red", (6, 30))
MIDDLE = (8.5, 30)
ARRIVES, PINPOINT = [3, 3, 1], [3, 3]


LINE = Line("SET", 1, "scouts", "setup.advanced-modules.artillery")
BETTER = Line("SET", 2, "trained for it", "setup.advanced-modules.artillery")


def match(
    *units: Row, guns: Sequence[Row] = (GUNS,), terrain: Sequence[Row] = (), red: Sequence[Row] = (), **options: object
) -> State:
    return battle(
        *(units or (SQUAD, ENEMY)), terrain=terrain, options={**ON, **options}, assets={"blue": guns, "red": red}
    )


def point(x: float, y: float) -> PointTaken:
    return PointTaken((round(1000 * x), round(1000 * y)))


def commands(state: State, squad: str = "blue-1") -> BattleTable:
    return play(state).activates(squad).answers("command")


def idle(state: State, squad: str = "blue-1") -> tuple[str, str]:
    """Return why a squad has no use for Command, and the rule: it has nothing to call."""
    return why(play(state).activates(squad), "command")


def calls(state: State, at: tuple[float, float], dice: Sequence[int], *, what: str = "guns") -> BattleTable:
    return commands(state).answers(f"call:1:{what}", point(*at), dice=dice)


def why(table: BattleTable, key: str) -> tuple[str, str]:
    refused = table.barred(key)
    assert refused is not None, f"{key} can be picked"
    return refused.sentence, refused.rule


def asset(table: BattleTable, side: str = "blue", key: str = "guns") -> Mapping[str, object]:
    return table.state.sides[side].off_table[key].profile


# --- who calls ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.callers")
def test_without_the_module_command_has_no_strike_to_call() -> None:
    state = battle(SQUAD, ENEMY)
    assert not any(key.startswith("call") for key in play(state).activates("blue-1").offered)
    with pytest.raises(
        RulesetError, match="Blue has The guns off the table: switch the option Indirect Artillery Fire"
    ):
        battle(SQUAD, ENEMY, assets={"blue": [GUNS]})


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.callers")
def test_only_a_leader_who_stands_calls_and_a_unit_calls_once() -> None:
    table = calls(match(), MIDDLE, [1, 1, 3])
    assert table.seen(Declared)[-1] == Declared("blue-1", "call", "setup.advanced-modules.artillery")
    assert table.offered == ["command-fire", "command-done"], "one call for each activation"
    told = ("Blue 1 has no leader on the table to call fire.", "setup.advanced-modules.artillery")
    assert idle(match(unit("blue", (6, 6)), ENEMY)) == told
    fallen = {**SQUAD, "figures": [row | {"fallen": row["id"] == "1"} for row in SQUAD["figures"]]}  # type: ignore[attr-defined]
    assert idle(match(fallen, ENEMY)) == told


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.caller-busy")
def test_who_calls_does_nothing_else_and_the_others_shoot() -> None:
    table = calls(match(), MIDDLE, [1, 1, 3])
    assert table.seen(FiguresGained)[-1].figures == ("1",)
    table.answers("command-fire", "red-1", dice=[1, 1])
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert "5 riflemen" in [line.reason for line in table.fire_effect.lines]


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.caller-busy")
def test_a_leader_who_has_shot_does_not_call() -> None:
    table = commands(match()).answers("command-fire", "red-1", dice=[1, 1])
    assert table.offered == ["activate"], "the leader was among those who shot"


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.callers")
def test_another_module_can_let_others_call_and_change_their_test() -> None:
    edition = FadRuleset("fad4")
    edition.rules.advisers.add(MayCall, lambda _, q: (LINE,) if q.figure == "2" else ())
    edition.rules.advisers.add(TimingNeed, lambda _, q: (BETTER,) if q.figure == "2" else ())
    table = BattleTable(edition, match(), []).activates("blue-1").answers("command")
    assert table.offered[1:3] == ["call:1:guns", "call:2:guns"]
    table.answers("call:2:guns", point(*MIDDLE), dice=[2, 2, 1, *PINPOINT, 1, 1])
    assert table.rolled("timing").numbers[0].value == 2
    assert table.unit("blue-1").figures["2"].conditions == ("at_task",)


# --- where ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.impact-point")
def test_any_point_in_the_callers_sight_may_be_named_at_any_distance() -> None:
    cliff = piece("cliff", (0, 20), (12, 22))
    table = commands(match(SQUAD, unit("red", (24, 46)), terrain=[cliff]))
    (parameter,) = table.choice("call:1:guns").parameters
    assert isinstance(parameter, PointParameter)
    assert parameter.near == ()
    assert refused(table, (6, 30)) == ("Blue 1 does not see that point.", "setup.advanced-modules.artillery")
    assert refused(table, (6, 49))[0].endswith("the point must lie on the table.")
    table.answers("call:1:guns", point(47, 47), dice=[1, 1, 3])


def refused(table: BattleTable, at: tuple[float, float], key: str = "call:1:guns") -> tuple[str, str]:
    found = table.refused(key, point(*at))
    return found.sentence, found.rule


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.impact-point")
def test_only_the_figure_that_calls_has_to_see_the_point() -> None:
    # The squad's last figure sees past the cliff what its leader does not.
    cliff = piece("cliff", (0, 20), (12, 22))
    squad = unit("blue", [(6, 6), (8, 6), (30, 6)], leader=True)
    table = commands(match(squad, unit("red", (30, 40)), terrain=[cliff]))
    assert refused(table, (6, 24))[0] == "Blue 1 does not see that point."


# --- what is called -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.assets")
def test_a_call_uses_up_the_batterys_turn_whether_it_comes_through_or_not() -> None:
    state = match(SQUAD, unit("blue", (26, 6), leader=True), ENEMY)
    table = calls(state, MIDDLE, [1, 1, 3])
    assert table.seen(AssetNoted) == [AssetNoted("blue", "guns", "called", 1)]
    table.answers("command-done").activates("red-1").holds().activates("blue-2")
    assert why(table, "command") == ("The guns was called this turn.", "setup.advanced-modules.artillery")


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.assets")
def test_a_battery_with_counted_strikes_loses_one_for_each_that_comes() -> None:
    counted = {**GUNS, "strikes": 2}
    assert asset(calls(match(guns=[counted]), MIDDLE, [1, 1, 3]))["strikes"] == 2
    assert asset(calls(match(guns=[counted]), MIDDLE, [*ARRIVES, *PINPOINT, 1, 1]))["strikes"] == 1
    empty = commands(match(guns=[{**GUNS, "strikes": 0}, RAIL]))
    assert why(empty, "call:1:guns") == ("The guns has no strike left.", "setup.advanced-modules.artillery")


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.assets")
def test_the_match_can_give_each_side_a_battery_and_none_without_the_module() -> None:
    given = battle(SQUAD, ENEMY, options={**ON, "off_table_artillery": "light-cannon"})
    for side in given.sides.values():
        (own,) = side.off_table.values()
        assert (own.name, own.profile) == ("Light cannon battery", {"weapon": "light-cannon", "quality": "regular"})
    assert fad4().read(write(given)).sides == given.sides, "a position that is read again has no second one"
    without = battle(SQUAD, ENEMY, options={"off_table_artillery": "light-cannon"})
    assert not any(side.off_table for side in without.sides.values())


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.assets")
def test_what_is_hidden_off_the_table_is_known_to_its_side_alone_until_it_is_called() -> None:
    state = match(hidden_forces=True, red=[{**GUNS, "id": "theirs"}])
    assert [len(believed(state, who).sides["blue"].off_table) for who in ("blue", "red", SPECTATORS)] == [1, 0, 0]
    assert len(believed(state, "blue").sides["red"].off_table) == 0
    called = calls(state, MIDDLE, [1, 1, 3]).state
    assert len(believed(called, "red").sides["blue"].off_table) == 1
    assert len(believed(match(), "red").sides["blue"].off_table) == 1, "where nothing is hidden"


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.assets")
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"weapon": "catapult"}, "The guns: weapon 'catapult' is not one of"),
        ({"quality": "brave"}, "The guns: quality 'brave' is not one of"),
        ({"strikes": 21}, "The guns: strikes: 21 is not between 0 and 20"),
        ({"lost": "no"}, "The guns: lost is true or false, not 'no'"),
        ({"range": 3}, "The guns has unknown fields: range"),
        ({"id": "red-1"}, "The guns of Blue has the id 'red-1', which a unit has too"),
        ({"name": ""}, "Blue, asset : "),
    ],
)
def test_a_battery_that_cannot_be_read_is_refused(row: Row, sentence: str) -> None:
    with pytest.raises(RulesetError) as refusal:
        match(guns=[{**GUNS, **row}])
    assert str(refusal.value).startswith(sentence)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.assets")
def test_two_batteries_of_one_id_and_more_than_eight_are_refused() -> None:
    with pytest.raises(RulesetError, match="two assets of Blue have the id 'guns'"):
        match(guns=[GUNS, GUNS])
    with pytest.raises(RulesetError, match="does not fit its schema"):
        match(guns=[{**GUNS, "id": f"g{n}"} for n in range(9)])


# --- mortars on the table -------------------------------------------------------------------------------------------

MORTAR = unit("blue", (30, 6), figures=3, support=["heavy-mortar"])


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.on-board-mortars")
def test_a_strike_of_a_mortar_is_its_activation() -> None:
    marked = {**MORTAR, "conditions": ["under_fire"]}
    table = calls(match(SQUAD, marked, ENEMY, guns=()), MIDDLE, [*ARRIVES, *PINPOINT, 1, 1], what="blue-2")
    assert table.seen(ActivationSpent) == [ActivationSpent("blue-2", "setup.advanced-modules.artillery")]
    assert ConditionLost("blue-2", "under_fire", "setup.advanced-modules.artillery") in table.seen(ConditionLost)
    assert table.state.turn.unit == "blue-1", "the caller goes on"
    table.answers("command-done")
    assert waiting(table.state, "blue") == []


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.on-board-mortars")
def test_a_mortar_must_have_the_point_in_range_and_not_have_activated() -> None:
    # A Conscript's base range is 3 inches, times 10 and 3 is 90.
    light = unit("blue", (2, 2), figures=3, support=["light-mortar"], quality="conscript")
    far = battle(unit("blue", (6, 20), leader=True), light, unit("red", (6, 40)), options=ON, size=(48, 100))
    refusal = commands(far).refused("call:1:blue-2", point(24, 96))
    assert refusal.sentence.endswith('away; Blue 2 reaches 90" with it.')
    assert refusal.rule == "setup.advanced-modules.artillery"
    assert idle(match(SQUAD, {**MORTAR, "activated": 1}, ENEMY, guns=())) == (
        "Blue 2 has activated this turn.",
        "setup.advanced-modules.artillery",
    )


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.on-board-mortars")
def test_no_other_weapon_on_the_table_fires_indirectly() -> None:
    gun = unit("blue", (30, 6), figures=3, support=["light-cannon"])
    tank = vehicle("blue", (30, 12), weapons=["medium-cannon"])
    assert idle(match(SQUAD, gun, tank, ENEMY, guns=())) == (
        "Blue has no battery and no mortar to call.",
        "setup.advanced-modules.artillery",
    )


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.on-board-mortars")
def test_a_mortar_on_a_vehicle_is_called_unless_it_carries_troops() -> None:
    carrier = vehicle("blue", (30, 6), weapons=["heavy-mortar"], seats=6)
    table = calls(match(SQUAD, carrier, ENEMY, guns=()), MIDDLE, [*ARRIVES, *PINPOINT, 1, 1], what="blue-2")
    assert table.seen(ActivationSpent) == [ActivationSpent("blue-2", "setup.advanced-modules.artillery")]
    riders = unit("blue", None, figures=3) | {"aboard": "blue-2"}
    assert idle(match(SQUAD, carrier, riders, ENEMY, guns=()))[0] == "Blue 2 carries troops, which activate with it."


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.mortar-restrictions")
@pytest.mark.parametrize("kind", ["woods", "dense_woods", "building", "bunker"])
def test_no_mortar_fires_from_under_a_roof(kind: str) -> None:
    roof = piece(kind, (28, 4), (38, 8), name="The roof")
    told = ("Blue 2 stands in The roof: its mortar cannot fire from there.", "setup.advanced-modules.artillery")
    assert idle(match(SQUAD, MORTAR, ENEMY, guns=(), terrain=[roof])) == told
    light = unit("blue", (30, 6), figures=3, support=["light-mortar"])
    assert why(play(match(SQUAD, light, ENEMY, terrain=[roof])).activates("blue-2"), "spotted-fire") == told


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.mortar-restrictions")
def test_a_ruin_is_open_to_the_sky() -> None:
    ruin = piece("ruin", (28, 4), (38, 8))
    assert "call:1:blue-2" in commands(match(SQUAD, MORTAR, ENEMY, guns=(), terrain=[ruin])).offered


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.light-mortars")
def test_a_light_mortar_fires_at_what_any_friend_sees_without_a_timing_test() -> None:
    # The mortar stands behind a cliff, and the squad next to it sees the enemy.
    cliff = piece("cliff", (26, 10), (40, 12))
    light = unit("blue", (30, 6), figures=3, support=["light-mortar"])
    state = match(SQUAD, light, unit("red", (30, 30)), guns=(), terrain=[cliff])
    table = play(state).activates("blue-2").answers("spotted-fire", point(32.5, 30), dice=[*PINPOINT, 3, 3, 4, 1])
    assert [fact.purpose for fact in table.seen(Rolled)] == ["accuracy", "strike", "damage"]
    assert table.rolled("accuracy").unit == "blue-2"
    alone = match(light, unit("red", (30, 30)), guns=(), terrain=[cliff])
    blind = play(alone).activates("blue-1")
    assert blind.refused("spotted-fire", point(32.5, 30)).sentence == "Blue 1 does not see that point."
    heavy = play(match(SQUAD, MORTAR, ENEMY)).activates("blue-2")
    assert "spotted-fire" not in heavy.offered


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.light-mortars")
def test_a_vehicle_with_a_light_mortar_fires_it_and_then_its_other_weapons() -> None:
    cliff = piece("cliff", (26, 10), (40, 12))
    carrier = vehicle("blue", (33, 6), weapons=["light-mortar", "machine-gun"])
    state = match(SQUAD, carrier, unit("red", (30, 30)), unit("red", (20, 12)), guns=(), terrain=[cliff])
    table = play(state).activates("blue-2").answers("spotted-fire", point(32.5, 30), dice=[*PINPOINT, 1, 1])
    assert table.offered == ["fire", "hold-fire"]
    table.answers("hold-fire")
    assert table.state.turn.unit == ""


# --- timing ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.timing")
def test_two_passes_of_the_timing_test_bring_the_strike_at_once() -> None:
    # The example of the book: a Regular leader rolls 2, 4, 6.
    table = calls(match(), MIDDLE, [2, 4, 6, *PINPOINT, 1, 1])
    timing = table.rolled("timing")
    assert (timing.marks, timing.outcome) == (("fail", "pass", "pass"), "arrives guns")
    assert [fact.purpose for fact in table.seen(Rolled)] == ["timing", "accuracy", "strike"]


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.timing")
def test_one_pass_is_a_garbled_call_and_none_loses_contact_for_good() -> None:
    garbled = calls(match(), MIDDLE, [1, 2, 6])
    assert garbled.rolled("timing").outcome == "garbled guns"
    assert "lost" not in asset(garbled)
    lost = calls(match(guns=[GUNS, RAIL]), MIDDLE, [1, 2, 1])
    assert lost.rolled("timing").outcome == "lost guns"
    assert asset(lost)["lost"] is True
    later = commands(battle(SQUAD, ENEMY, options=ON, turn=3, assets={"blue": [{**GUNS, "lost": True}, RAIL]}))
    assert why(later, "call:1:guns") == ("Contact with The guns is lost for good.", "setup.advanced-modules.artillery")


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.timing")
def test_timing_goes_by_the_callers_quality_and_accuracy_by_the_crews() -> None:
    squad = unit("blue", (6, 6), leader=True, quality="conscript")
    table = calls(match(squad, ENEMY, guns=[{**GUNS, "quality": "elite"}]), MIDDLE, [4, 4, 3, 2, 2, 1, 1])
    assert [table.rolled(name).numbers[0].value for name in ("timing", "accuracy")] == [4, 2]
    mortar = unit("blue", (30, 6), figures=3, support=["heavy-mortar"], quality="elite")
    on_board = calls(match(squad, mortar, ENEMY, guns=()), MIDDLE, [4, 4, 3, 2, 2, 1, 1], what="blue-2")
    assert [on_board.rolled(name).numbers[0].value for name in ("timing", "accuracy")] == [4, 2]


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.mortar-no-loss")
def test_a_call_to_a_mortar_on_the_table_without_a_pass_only_fails() -> None:
    table = calls(match(SQUAD, MORTAR, ENEMY), MIDDLE, [1, 1, 1], what="blue-2")
    assert table.rolled("timing").outcome == "garbled blue-2"
    assert table.seen(AssetNoted) == []
    assert table.unit("blue-2").activated == 1, "its shot is spent all the same"


# --- accuracy -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.accuracy")
def test_each_failed_die_moves_the_strike_and_nothing_shortens_that() -> None:
    # 1 and 61 degrees: the dice name the sixth of the circle and the degree in it.
    one = calls(match(), MIDDLE, [*ARRIVES, 6, 1, 4, 4, 1, 1, 1])
    assert one.rolled("scatter").outcome == "4000"
    assert impact(one) == ImpactView("blue-1", (8500, 30000), (4500, 30000), 3000, "blast.impact-area")
    # It is called on a point 2 inches away, and goes 12.
    both = calls(match(), (8.5, 9), [*ARRIVES, 1, 2, 6, 6, 4, 1])
    assert both.rolled("scatter").outcome == "12000"
    assert both.rolled("accuracy").outcome == "astray"


def impact(table: BattleTable) -> ImpactView | None:
    return fad4().impact(table.state)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.accuracy")
def test_two_passes_land_on_the_point() -> None:
    table = calls(match(), MIDDLE, [*ARRIVES, *PINPOINT, 1, 1])
    assert table.rolled("accuracy").outcome == "pinpoint"
    assert impact(table) == ImpactView("blue-1", (8500, 30000), (8500, 30000), 3000, "blast.impact-area")


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.impact-point")
def test_a_point_that_was_called_in_vain_is_shown_as_called() -> None:
    table = calls(match(), MIDDLE, [1, 1, 3])
    assert impact(table) == ImpactView(
        "blue-1", (8500, 30000), (8500, 30000), 3000, "setup.advanced-modules.artillery", called=True
    )
    again = fad4().read(write(table.state))
    assert fad4().impact(again) == impact(table)


# --- what a strike does ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.blast-resolution")
def test_a_blast_strikes_all_infantry_around_the_point_with_two_dice() -> None:
    # 4 + 5 against open ground are 3 hits on the figures within 3 inches, damage +3 against 4.
    friend = unit("blue", (8.5, 27.5), figures=1)
    table = calls(match(SQUAD, friend, ENEMY), MIDDLE, [*ARRIVES, *PINPOINT, 4, 5, 1, 1, 1, 1, 1, 1])
    strike = table.rolled("strike")
    assert (strike.faces, strike.outcome) == ((4, 5), "red-1=3 blue-2=3")
    assert {fact.unit for fact in table.seen(ConditionGained)} >= {"red-1"}
    assert "ranging" not in [fact.purpose for fact in table.seen(Rolled)]
    assert table.unit("blue-2").left == "destroyed"


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.blast-resolution")
def test_cover_counts_from_the_point_and_not_from_who_called() -> None:
    wall = piece("wall", (0, 29), (40, 29))
    behind = match(terrain=[wall])
    # The wall stands between the caller and the enemy; the point is on the enemy's side of it.
    table = calls(behind, (8.5, 31), [*ARRIVES, *PINPOINT, 2, 1, 1])
    assert table.rolled("strike").numbers[1].lines[0].reason == "open ground"


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.blast-resolution")
def test_indirect_fire_makes_no_crossfire() -> None:
    state = match(SQUAD, unit("blue", (30, 20), leader=True), ENEMY, crossfire="on")
    table = calls(state, MIDDLE, [*ARRIVES, *PINPOINT, 1, 1]).answers("command-done")
    table.activates("red-1").holds()
    # A shot, a hit, and the initiative of the next turn.
    table.activates("blue-2").answers("fire-move", "red-1", dice=[1, 1, 1]).answers("stay", dice=[6, 1])
    assert "crossfire" not in [fact.purpose for fact in table.seen(Rolled)]


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.armour-immune-to-blast")
def test_no_vehicle_is_affected_by_a_blast_armoured_or_soft() -> None:
    tank, truck = vehicle("red", (20, 30)), vehicle("red", (23, 30), armour=(0, 0, 0))
    table = calls(match(SQUAD, tank, truck), (21, 27), [*ARRIVES, *PINPOINT])
    assert table.seen(Declared)[-1] == Declared("blue-1", "blast-strikes-none", "setup.advanced-modules.artillery")
    assert table.unit("red-1").conditions == table.unit("red-2").conditions == ()


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.non-blast")
def test_another_weapon_strikes_the_unit_nearest_to_the_point() -> None:
    # 1D6 + 0 against open ground: 6 is 2 hits, damage +4 against 4. No range, no Regular, no riflemen.
    state = match(guns=[RAIL])
    table = calls(state, (6, 30.5), [*ARRIVES, *PINPOINT, 6, 1, 1], what="rail")
    effect = table.rolled("indirect_effect")
    assert lines(effect.numbers[0]) == [("setup.advanced-modules.artillery", 6)]
    assert (effect.target, effect.outcome) == ("red-1", "2")
    assert table.rolled("damage").numbers[0].value == 4
    assert ConditionGained("red-1", "under_fire", "setup.advanced-modules.artillery") in table.seen(ConditionGained)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.non-blast")
def test_what_the_target_adds_counts_and_friends_are_struck_too() -> None:
    bunched = unit("red", [(6, 30), (7.2, 30), (8.4, 30)])
    table = calls(match(SQUAD, bunched, guns=[RAIL]), (6, 30.5), [*ARRIVES, *PINPOINT, 1, 1], what="rail")
    assert ("fire.target-bunched-up", 2) in lines(table.rolled("indirect_effect").numbers[0])
    friend = unit("blue", (8, 12))
    own = calls(match(SQUAD, friend, ENEMY, guns=[RAIL]), (8, 12.5), [*ARRIVES, *PINPOINT, 1], what="rail")
    assert own.rolled("indirect_effect").target == "blue-2"


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.non-blast")
def test_with_no_unit_within_an_inch_there_is_no_effect() -> None:
    table = calls(match(guns=[RAIL]), (8.5, 32), [*ARRIVES, *PINPOINT], what="rail")
    assert table.seen(Declared)[-1] == Declared("blue-1", "blast-strikes-none", "setup.advanced-modules.artillery")


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.non-blast")
@pytest.mark.parametrize(("facing", "struck"), [(270, "front armour"), (90, "rear armour"), (0, "side armour")])
def test_a_vehicle_is_struck_on_the_side_towards_the_owners_edge(facing: int, struck: str) -> None:
    # The caller stands to the west of the vehicle, and blue's edge is the south.
    tank = vehicle("red", (40, 8), facing=facing, armour=(6, 5, 4))
    table = calls(match(SQUAD, tank, guns=[RAIL]), (40, 8), [*ARRIVES, *PINPOINT, 6, 6, 6], what="rail")
    damage = table.rolled("vehicle_damage")
    assert damage.numbers[1].lines[0].reason == struck
    # Anti-tank 5 pierces 5.
    assert damage.numbers[1].lines[1].reason == "Light rail gun AP 5"


# --- what is told ---------------------------------------------------------------------------------------------------


def preview(state: State, key: str, at: tuple[float, float], who: str = "blue-1") -> tuple[dict[str, str], str]:
    table = commands(state, who) if key.startswith("call") else play(state).activates(who)
    asked = Asked(table.prompt.title, table.prompt.choices, table.prompt.default, "", who)
    told = fad4().preview(table.state, asked, Picked(key, (point(*at),)))
    assert told is not None
    return {chance.label: chance.value for chance in told.chances}, " ".join(told.notes)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.timing")
def test_the_preview_of_a_call_tells_the_odds() -> None:
    chances, notes = preview(match(), "call:1:guns", MIDDLE)
    # Regular: 4 of 6. Two or three of three pass in 20 of 27, one in 6, none in 1.
    assert chances["The strike comes"] == "74%"
    assert chances["Garbled: no strike"] == "22%"
    assert chances["Contact is lost for good"] == "4%"
    assert chances["Lands on the point, if it comes"] == "44%"
    assert "Expected hits on Red 1" in chances
    assert "Red 1: 3 figures in the blast, open ground." in notes
    on_board, _ = preview(match(SQUAD, MORTAR, ENEMY, guns=()), "call:1:blue-2", MIDDLE)
    assert "Contact is lost for good" not in on_board


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.non-blast")
def test_the_preview_of_an_aimed_strike_tells_whom_it_hits() -> None:
    chances, notes = preview(match(guns=[RAIL]), "call:1:rail", (6, 30.5))
    # Six faces against 3 points: 0, 0, 1, 1, 1, 2 hits.
    assert chances["Expected hits on Red 1"] == "0.8"
    assert "It strikes the unit nearest to the point" in notes
    tank = match(SQUAD, vehicle("red", (20, 30)), guns=[RAIL])
    assert any("amage" in label or "enetrat" in label for label in preview(tank, "call:1:rail", (20, 30))[0])
    assert "No unit is within" in preview(match(guns=[RAIL]), "call:1:rail", (20, 20))[1]


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad5/adv.artillery.light-mortars")
def test_the_preview_of_a_light_mortar_has_no_timing() -> None:
    light = unit("blue", (30, 6), figures=3, support=["light-mortar"])
    chances, _ = preview(match(SQUAD, light, ENEMY), "spotted-fire", MIDDLE, "blue-2")
    assert next(iter(chances)) == "Lands on the point, if it comes"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_the_log_and_the_card_say_what_is_called_and_what_comes_of_it() -> None:
    table = calls(match(), MIDDLE, [1, 2, 1])
    story = fad4().story(table.state, table.rolled("timing"))
    assert story is not None
    assert story.text == "Blue 1 calls The guns: 0 passes, contact is lost for good."
    (own,) = table.state.sides["blue"].off_table.values()
    assert [line.value for line in fad4().asset(table.state, own)] == [
        'Medium cannon, blast 3", damage +3',
        "Regular (3+)",
        "contact lost",
    ]
    luck = luck_of(fad4(), match(), table.facts, "timing")
    assert (luck.side, luck.wanted, luck.fell, luck.expected) == ("blue", "passes", 0, 20_000)
    aimed = calls(match(guns=[RAIL]), (6, 30.5), [*ARRIVES, *PINPOINT, 2], what="rail")
    luck = luck_of(fad4(), match(guns=[RAIL]), aimed.facts, "indirect_effect")
    assert (luck.side, luck.wanted, luck.fell, luck.expected) == ("blue", "Fire Effect", 20_000, 35_000)


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_suggested_point_strikes_enemies_and_no_friends() -> None:
    friend = unit("blue", (11, 28))
    table = commands(match(SQUAD, friend, ENEMY))
    (parameter,) = table.choice("call:1:guns").parameters
    assert isinstance(parameter, PointParameter)
    assert parameter.suggested == (6000, 30000)
