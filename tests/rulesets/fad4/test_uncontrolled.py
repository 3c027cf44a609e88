"""Uncontrolled forces: groups, approaches, discipline, and what their units do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import PointTaken
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, Noted, Reasoned, Rolled, UnitMoved
from server.kernel.programs import UNCONTROLLED
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.opponents.simulation import play as simulated
from server.rulesets.fad.uncontrolled.groups import GATHER, ORDERS, STAND, Group, formed, groups_of
from tests.rulesets.invariants import Watch
from tests.rulesets.openings import laws
from tests.support.battlefield import BattleTable, battle, fad4, piece, play, shifted, unit, vehicle
from tests.support.tabletop import Row

ON = [6, 6, 6]
"""The dice of a test that every group passes."""


def uncontrolled(
    *units: Row,
    approach: str = "engage",
    discipline: str = "3",
    book: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    **other: object,
) -> State:
    """Return a battle in which the rules play red, who is to act."""
    options = {"uncontrolled_approach": approach, "uncontrolled_discipline": discipline, **(options or {})}
    state = battle(*units, options=options, **{"active": "red", "first": "red", **other})  # type: ignore[arg-type]
    return replace(state, desk=replace(state.desk, programs={"red": UNCONTROLLED}), book={**state.book, **(book or {})})


def reasons(table: BattleTable) -> list[tuple[str, str, str]]:
    """Return why units acted as they did: the unit, the reason, the rule."""
    told = [
        fact for fact in table.seen(Reasoned) if ":" not in fact.reason and fact.reason not in {"lowered", "refuge"}
    ]
    return [(fact.unit, fact.reason, fact.rule) for fact in told]


def acts(table: BattleTable, dice: Sequence[int] = (), seed: int = 1) -> BattleTable:
    """Let one unit of red activate and act: its dice are scripted, or fall from a seed."""
    table.defaults()
    if not dice:
        table.chance(seed)
    for _ in range(10):
        if table.state.result is not None or table.asked != "red" or table.prompt.title == "Activate one of your units":
            break
        table.defaults(dice) if dice and table.prompt.title.endswith("choose its action") else table.defaults()
    return table


def names(groups: list[Group]) -> dict[str, tuple[str, ...]]:
    """Return the units of each group."""
    return {group.id: group.units for group in groups}


def the_group(table: BattleTable) -> Group:
    """Return red's only group."""
    (group,) = groups_of(table.state, "red")
    return group


FAR = unit("blue", (4, 2))
"""An enemy far from everything."""


# --- groups -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/ai.scope")
def test_the_rules_answer_the_prompts_of_an_uncontrolled_side_and_of_no_other() -> None:
    state = uncontrolled(unit("blue", (6, 6)), unit("red", (6, 20)))
    table = play(state, ON)
    assert table.prompt.default.choice == "activate"
    acts(table)
    assert reasons(table), "what it does is explained"
    plain = play(replace(state, desk=replace(state.desk, programs={})))
    assert not plain.seen(Rolled)


@pytest.mark.rule("fad4/ai.groups")
def test_groups_of_at_most_four_units_that_stand_next_to_each_other_are_formed() -> None:
    row = [unit("red", (2 + 8 * i, 40), figures=3, id=f"red-{n}") for i, n in enumerate((5, 4, 3, 2, 1))]
    table = play(uncontrolled(FAR, *row), [*ON, *ON])
    assert names(groups_of(table.state, "red")) == {"A": ("red-5", "red-4", "red-3"), "B": ("red-2", "red-1")}


@pytest.mark.rule("fad4/ai.groups")
def test_a_scenario_names_groups_and_none_has_more_than_six_units() -> None:
    row = [unit("red", (2 + 6 * i, 40), figures=1) for i in range(7)]
    named = {"group.X": (("side", "red"), ("units", "red-1", "red-7"), ("approach", "hold"), ("discipline", 5))}
    table = play(uncontrolled(FAR, *row, book=named), [*ON, *ON, *ON])
    assert names(groups_of(table.state, "red"))["X"] == ("red-1", "red-7")
    own = next(group for group in groups_of(table.state, "red") if group.id == "X")
    assert own.approach == "hold"
    state = uncontrolled(FAR, *row)
    crowd = {"group.X": (("side", "red"), ("units", *(f"red-{n}" for n in range(1, 8))))}
    with pytest.raises(RulesetError, match="group X has 7 units; a group has 1 to 6"):
        fad4().admit(replace(state, book=crowd))


@pytest.mark.rule("fad4/ai.groups-only-for-ai")
def test_units_near_an_enemy_activate_first_then_those_with_a_target_then_the_nearest() -> None:
    units = (
        unit("blue", (24, 10), figures=3),
        unit("red", (2, 46), figures=3),
        unit("red", (20, 24), figures=3),
        unit("red", (24, 17), figures=3),
    )
    table = play(uncontrolled(*units), ON)
    assert table.prompt.default.values[0].unit == "red-3", "in assault reach"  # type: ignore[union-attr]


# --- approaches -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/ai.approach")
@pytest.mark.rule("fad4/npc.stance-attitude")
@pytest.mark.parametrize(
    ("die", "approach"), [(1, "engage"), (2, "engage"), (3, "target"), (4, "target"), (5, "hold"), (6, "hold")]
)
def test_a_die_for_the_attitude_says_what_the_groups_are_to_do(die: int, approach: str) -> None:
    relay = [{"id": "relay", "name": "Relay", "at": (24, 24), "radius": 3}]
    state = uncontrolled(FAR, unit("red", (24, 40)), approach="attitude", objectives=relay)
    table = play(state, [die, *ON])
    assert the_group(table).approach == approach
    assert table.rolled("attitude").outcome == approach


@pytest.mark.rule("fad4/ai.approach")
def test_a_group_goes_for_the_nearest_objective_and_engages_where_there_is_none() -> None:
    marks = [{"id": key, "name": key, "at": at, "radius": 3} for key, at in (("far", (40, 4)), ("near", (24, 30)))]
    table = play(uncontrolled(FAR, unit("red", (24, 40)), approach="target", objectives=marks), ON)
    assert the_group(table).goal == "objective:near"
    assert the_group(play(uncontrolled(FAR, unit("red", (24, 40)), approach="target"), ON)).approach == "engage"


@pytest.mark.rule("fad4/ai.approach")
@pytest.mark.parametrize(("there", "at"), [(True, (12, 40)), (False, (24, 42))])
def test_the_place_that_a_group_holds_is_that_of_its_units_on_the_table_or_else_its_zone(
    there: bool, at: tuple[int, int]
) -> None:
    state = uncontrolled(FAR, unit("red", (12, 40), figures=1), unit("red", (40, 40), figures=1), approach="hold")
    for key in ("red-2",) if there else ("red-1", "red-2"):
        one = state.units[key]
        state = state.with_unit(replace(one, figures={"1": replace(one.figures["1"], at=None)}))
    (group,) = formed(fad4().rules, state, state.sides["red"], "hold")
    assert group.at == (inches(at[0]), inches(at[1]))


@pytest.mark.rule("fad4/ai.rallying-point")
def test_the_rallying_point_is_the_middle_of_the_sides_own_edge() -> None:
    assert the_group(play(uncontrolled(FAR, unit("red", (24, 40))), ON)).rally == (inches(24), inches(48))


@pytest.mark.rule("fad4/ai.discipline")
def test_discipline_is_the_quality_of_most_units_and_of_equally_many_the_worse() -> None:
    def row(*qualities: str) -> State:
        units = (unit("red", (2 + 12 * i, 40), quality=quality, figures=3) for i, quality in enumerate(qualities))
        return uncontrolled(FAR, *units, discipline="quality")

    assert the_group(play(row("elite", "elite", "conscript"), ON)).discipline == 2
    worse = fad4().book.qualities["conscript"].need
    assert the_group(play(row("elite", "conscript"), ON)).discipline == worse


# --- the test ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/ai.discipline-test")
@pytest.mark.rule("fad4/ai.discipline-pass")
@pytest.mark.rule("fad4/ai.discipline-hold")
@pytest.mark.rule("fad4/ai.discipline-fail")
@pytest.mark.parametrize(
    ("dice", "standing", "rule"),
    [
        ([3, 4, 6], ORDERS, "ai.discipline-pass"),
        ([3, 1, 6], ORDERS, "ai.discipline-pass"),
        ([2, 1, 3], STAND, "ai.discipline-hold"),
        ([2, 1, 2], GATHER, "ai.discipline-fail"),
    ],
)
def test_three_dice_against_the_discipline_say_what_a_group_does_this_turn(
    dice: list[int], standing: str, rule: str
) -> None:
    table = play(uncontrolled(FAR, unit("red", (24, 40))), dice)
    assert the_group(table).standing == standing
    rolled = table.rolled("discipline")
    assert (rolled.rule, rolled.outcome, rolled.numbers[0].value) == (rule, f"A:{standing}", 3)
    assert list(rolled.marks) == ["pass" if face >= 3 else "fail" for face in dice]


@pytest.mark.rule("fad4/ai.discipline-test")
def test_groups_test_in_roster_order_and_one_whose_last_unit_is_gone_does_not() -> None:
    row = [unit("red", (2 + 8 * i, 40), figures=2) for i in range(6)]
    gone = [{**one, "left": "destroyed"} if i < 3 else one for i, one in enumerate(row)]
    named = {
        f"group.{name}": (("side", "red"), ("units", *units), ("approach", "hold"), ("discipline", 3))
        for name, units in (("A", ("red-4", "red-5", "red-6")), ("B", ("red-1", "red-2", "red-3")))
    }
    table = play(uncontrolled(FAR, *row, book=named), [*ON, *ON])
    assert [roll.outcome for roll in table.seen(Rolled)] == [f"B:{ORDERS}", f"A:{ORDERS}"]
    assert len(play(uncontrolled(FAR, *gone), ON).seen(Rolled)) == 1


@pytest.mark.rule("fad4/ai.discipline-hold")
def test_an_uncertain_unit_seeks_cover_that_it_reaches_and_fires_from_there() -> None:
    woods = piece("dense_woods", (20, 23), (34, 29))
    state = uncontrolled(unit("blue", (20, 14), figures=3), unit("red", (21, 31), figures=3), terrain=[woods])
    table = acts(play(state, [1, 2, 5]))
    assert reasons(table) == [("red-1", "stand-cover", "ai.discipline-hold")]
    assert all(inches(23) <= figure.at[1] <= inches(29) for figure in table.unit("red-1").figures.values() if figure.at)
    assert [fact.action for fact in table.seen(Declared)] == ["engage", "shoot"]


@pytest.mark.rule("fad4/ai.discipline-hold")
@pytest.mark.rule("fad4/ai.speeds")
def test_an_uncertain_unit_without_cover_stays_and_opens_fire_and_assaults_no_enemy() -> None:
    table = acts(play(uncontrolled(unit("blue", (20, 24), figures=3), unit("red", (21, 30), figures=9)), [1, 2, 5]))
    assert reasons(table) == [("red-1", "stand-fire", "ai.discipline-hold")]
    assert not table.seen(UnitMoved)


@pytest.mark.rule("fad4/ai.discipline-fail")
def test_a_group_that_fails_withdraws_without_fire_and_is_not_tested_before_it_is_there() -> None:
    woods = piece("dense_woods", (18, 40), (34, 47))
    state = uncontrolled(unit("blue", (20, 14), figures=3), unit("red", (21, 28), figures=3), terrain=[woods])
    table = acts(play(state, [1, 2, 2]))
    assert the_group(table).refuge == "piece:dense_woods"
    assert reasons(table) == [("red-1", "gather-run", "ai.discipline-fail")]
    assert [fact.action for fact in table.seen(Declared)] == ["move-out"]
    before = len([fact for fact in table.seen(Rolled) if fact.purpose == "discipline"])
    table.activates("blue-1")
    table.answers("hold")
    while table.state.turn.number == 1 and table.state.result is None:
        table.defaults()
    tests = [fact for fact in table.seen(Rolled) if fact.purpose == "discipline"]
    there = table.unit("red-1").figures["1"].at
    assert there is not None
    assert (len(tests) > before) == (there[1] >= inches(40))


@pytest.mark.rule("fad4/ai.normal-rules-apply")
def test_a_broken_unit_tests_its_morale_before_it_does_what_its_group_wants() -> None:
    state = uncontrolled(
        unit("blue", (20, 14), figures=3), unit("red", (21, 28), figures=6, lost=4, resolve="reluctant")
    )
    table = play(state, ON)
    table.defaults([1, 1, 1])
    assert table.rolled("morale").rule == "morale.test"
    assert not reasons(table)
    assert table.unit("red-1").left == "routed"


@pytest.mark.rule("fad4/ai.abort")
def test_half_of_a_groups_figures_lost_lowers_its_discipline_once_and_never_beyond_five() -> None:
    half = uncontrolled(FAR, unit("red", (21, 40), figures=6, lost=3))
    table = play(half, ON)
    assert the_group(table).discipline == 4
    assert table.rolled("discipline").numbers[0].value == 4
    assert [fact.rule for fact in table.seen(Reasoned) if fact.reason == "lowered"] == ["ai.abort"]
    assert the_group(play(uncontrolled(FAR, unit("red", (21, 40), figures=6, lost=2)), ON)).discipline == 3
    worst = uncontrolled(FAR, unit("red", (21, 40), figures=6, lost=3), discipline="5")
    assert the_group(play(worst, ON)).discipline == 5


@pytest.mark.rule("fad4/ai.abort")
@pytest.mark.parametrize(("marker", "discipline"), [("wounded", 4), ("stabilised", 3)])
def test_wounded_who_have_been_treated_lower_no_discipline(marker: str, discipline: int) -> None:
    state = uncontrolled(FAR, unit("red", (21, 40), figures=6, lost=3), options={"recover_wounded": "on"})
    squad = state.units["red-1"]
    figures = {
        key: replace(one, conditions=(marker,), at=(inches(20 + int(key)), inches(38))) if one.fallen else one
        for key, one in squad.figures.items()
    }
    assert the_group(play(state.with_unit(replace(squad, figures=figures)), ON)).discipline == discipline


# --- Engage -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/ai.shooting-choice")
def test_a_unit_fires_at_whom_it_expects_most_of_those_that_it_may_fire_at() -> None:
    woods = piece("dense_woods", (4, 8), (16, 14))
    units = (
        unit("blue", (6, 12), figures=4),
        unit("blue", (24, 10), figures=4),
        unit("red", (15, 26), quality="elite"),
    )
    table = acts(play(uncontrolled(*units, terrain=[woods]), ON))
    told = next(fact for fact in table.seen(Declared) if fact.action == "shoot")
    assert told.target == "blue-2", "in the open, where more is expected"
    assert reasons(table) == [("red-1", "engage-fire", "ai.engage")]


@pytest.mark.rule("fad4/ai.shooting-choice")
@pytest.mark.parametrize(
    ("approach", "dice", "reason"),
    [("hold", ON, "hold-fire"), ("engage", ON, "engage-fire"), ("engage", [1, 2, 5], "stand-fire")],
)
@pytest.mark.parametrize("mounted", [True, False])
def test_a_weapon_that_only_blasts_is_fired_at_infantry_from_where_its_unit_stands(
    approach: str, dice: list[int], reason: str, *, mounted: bool
) -> None:
    crew = unit("red", [(24, 42), (26, 42), (25, 43.5)], support=["light-cannon"], weapon_team=True)
    red = vehicle("red", (24, 42), facing=270, weapons=("light-cannon",)) if mounted else crew
    state = uncontrolled(unit("blue", (22, 34)), red, approach=approach, options={"weapon_teams": "on"})
    table = acts(play(state, dice))
    assert [row[1] for row in reasons(table)] == [reason]
    assert [fact.action for fact in table.seen(Declared)] == ["blast"]


@pytest.mark.rule("fad4/ai.hold")
def test_a_blast_is_aimed_only_at_enemies_that_the_approach_lets_a_unit_attack() -> None:
    units = (
        unit("blue", (4, 14), figures=9, apart=1.6),
        unit("blue", (24, 33), figures=2, apart=1.6),
        vehicle("red", (24, 42), facing=270, weapons=("light-cannon",)),
    )
    table = acts(play(uncontrolled(*units, approach="hold"), ON), seed=3)
    assert reasons(table) == [("red-1", "hold-fire", "ai.hold")]
    (impact,) = [fact.value for fact in table.seen(Noted) if fact.key == "impact" and fact.value]
    assert impact[1][1] > inches(30)  # type: ignore[operator, index]  # the point that was aimed at


@pytest.mark.rule("fad4/ai.groups-only-for-ai")
def test_a_unit_whose_blast_has_a_target_activates_before_one_without() -> None:
    units = (
        unit("blue", (24, 10)),
        unit("red", (4, 36), figures=1),
        vehicle("red", (24, 42), facing=270, weapons=("light-cannon",)),
    )
    wall = piece("building", (0, 30), (20, 34))
    table = play(uncontrolled(*units, terrain=[wall]), ON)
    assert table.prompt.default.values[0].unit == "red-2"  # type: ignore[union-attr]


@pytest.mark.rule("fad4/ai.engage")
@pytest.mark.rule("fad4/ai.assault-factor")
def test_a_higher_assault_factor_assaults_and_a_lower_one_fires() -> None:
    strong = acts(
        play(uncontrolled(unit("blue", (20, 20), figures=3), unit("red", (20, 27), figures=9, apart=1.6)), ON)
    )
    assert reasons(strong) == [("red-1", "engage-assault", "ai.assault-factor")]
    weak = acts(play(uncontrolled(unit("blue", (16, 20), figures=9, apart=1.6), unit("red", (20, 27), figures=3)), ON))
    assert reasons(weak) == [("red-1", "engage-fire", "ai.engage")]


@pytest.mark.rule("fad4/ai.engage-no-enemy")
def test_with_no_enemy_in_sight_a_unit_advances_to_cover_ahead_or_else_to_the_enemys_edge() -> None:
    wall = piece("building", (2, 10), (46, 14))
    woods = piece("dense_woods", (18, 26), (30, 32))
    units = (unit("blue", (20, 4), figures=3), unit("red", (21, 44), figures=3))
    table = acts(play(uncontrolled(*units, terrain=[wall, woods]), ON))
    (told,) = [fact for fact in table.seen(Reasoned) if fact.reason == "engage-feature"]
    assert (told.rule, told.place) == ("ai.engage-no-enemy", "piece:dense_woods")
    assert [fact.action for fact in table.seen(Declared)] == ["engage"]
    bare = acts(play(uncontrolled(*units, terrain=[wall]), ON))
    assert reasons(bare)[0][2] == "ai.engage-no-enemy"


@pytest.mark.rule("fad4/ai.engage")
@pytest.mark.parametrize(
    ("north", "reason", "action"), [(24, "engage-fire", "shoot"), (35, "engage-assault", "assault")]
)
def test_a_squad_that_has_got_off_fights_what_its_approach_lets_it_fight(north: int, reason: str, action: str) -> None:
    units = (
        unit("blue", (20, north), figures=3),
        vehicle("red", (22, 40), facing=270, seats=10, weapons=(), mobility="wheel"),
        unit("red", None, aboard="red-1", figures=9),
    )
    table = acts(play(uncontrolled(*units), ON))
    assert [row[:2] for row in reasons(table)] == [("red-1", "let-off"), ("red-2", reason)]
    assert ("red-2", action) in {(fact.unit, fact.action) for fact in table.seen(Declared)}


# --- Target -----------------------------------------------------------------------------------------------------------

RELAY = [{"id": "relay", "name": "Relay", "at": (24, 12), "radius": 3}]


@pytest.mark.rule("fad4/ai.target-run")
@pytest.mark.rule("fad4/ai.speeds")
def test_with_no_enemy_in_its_way_a_group_runs_and_keeps_together() -> None:
    units = (unit("blue", (44, 46), figures=1), *(unit("red", (18 + 10 * i, 40), figures=2) for i in range(2)))
    table = acts(play(uncontrolled(*units, approach="target", objectives=RELAY), ON))
    assert reasons(table)[0][1:] == ("target-run", "ai.target-run")
    moved = reasons(table)[0][0]
    other = {"red-1": "red-2", "red-2": "red-1"}[moved]
    ends = [at for at, _ in table.unit(moved).places()]
    mates = [at for at, _ in table.unit(other).places()]
    apart = min(((a - c) ** 2 + (b - d) ** 2) ** 0.5 for a, b in ends for c, d in mates) - inches(1)
    assert apart <= inches(8)


@pytest.mark.rule("fad4/ai.target-advance")
def test_an_enemy_near_the_line_to_the_objective_is_in_the_way_and_one_aside_is_not() -> None:
    for x, wanted in ((24, "ai.target-advance"), (44, "ai.target-run")):
        units = (unit("blue", (x, 20), figures=1), unit("red", (24, 38), figures=3))
        table = acts(play(uncontrolled(*units, approach="target", objectives=RELAY), ON))
        assert reasons(table)[0][2] == wanted


@pytest.mark.rule("fad4/ai.target-advance")
def test_an_enemy_that_has_fired_at_the_group_is_attacked_in_answer() -> None:
    units = (unit("blue", (41, 34), figures=3), unit("red", (18, 38), figures=9, apart=1.6))
    state = uncontrolled(*units, approach="target", objectives=RELAY, active="blue", first="blue")
    table = play(state, ON).chance(3)
    table.activates("blue-1")
    table.answers("open-fire", "red-1")
    acts(table)
    assert [attack[:2] for attack in the_group(table).attacks] == [("blue-1", "red-1")]
    assert reasons(table)[0][2] == "ai.target-advance"


@pytest.mark.rule("fad4/ai.target-advance")
@pytest.mark.rule("fad4/ai.fall-back")
def test_a_shell_attacks_all_whom_it_strikes_though_it_hits_none() -> None:
    units = (
        vehicle("blue", (24, 20), weapons=("heavy-cannon",)),
        unit("red", (22, 34), figures=2),
        unit("red", (27, 34), figures=2),
    )
    state = uncontrolled(*units, approach="fall-back", active="blue", first="blue")
    table = play(state, ON).activates("blue-1")
    table.answers("blast:m1", PointTaken((25_500, 34_000)), dice=[3, 3, 1, 1, 1])
    assert table.rolled("strike").outcome == "red-1=0 red-2=0"
    assert the_group(table).attacks == (("blue-1", "red-1", 1), ("blue-1", "red-2", 1))


@pytest.mark.rule("fad4/ai.target-advance")
def test_a_group_that_occupies_its_objective_with_no_enemy_near_holds_there() -> None:
    units = (unit("blue", (44, 46), figures=1), unit("red", (22, 12), figures=3))
    table = play(uncontrolled(*units, approach="target", objectives=RELAY), ON)
    assert (the_group(table).approach, the_group(table).goal) == ("hold", "objective:relay")
    assert reasons(table) == [("red-1", "achieved", "ai.target-advance")]


@pytest.mark.rule("fad4/ai.target-assault")
def test_who_occupies_the_objective_is_assaulted_whatever_the_factor_and_others_are_not() -> None:
    strong = unit("blue", (17, 12), figures=9, apart=1.6)
    red = unit("red", (23, 18), figures=3)
    table = acts(play(uncontrolled(strong, red, approach="target", objectives=RELAY), ON))
    assert reasons(table)[0][1:] == ("target-occupier", "ai.target-assault")
    away = [{**RELAY[0], "at": (24, 4)}]
    table = acts(play(uncontrolled(strong, red, approach="target", objectives=away), ON))
    assert reasons(table)[0][1] != "target-assault"


@pytest.mark.rule("fad4/ai.target-assault")
def test_of_several_units_the_one_with_the_best_factor_assaults_an_occupier_first() -> None:
    units = (
        unit("blue", (22, 12), figures=4),
        unit("red", (21, 18), figures=2),
        unit("red", (19, 19), figures=9, apart=1.6),
    )
    table = acts(play(uncontrolled(*units, approach="target", objectives=RELAY), ON))
    assert reasons(table)[0] == ("red-2", "target-occupier", "ai.target-assault")


# --- Hold -------------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/ai.hold")
def test_those_who_hold_fire_only_at_enemies_that_threaten_their_position() -> None:
    far = acts(
        play(uncontrolled(unit("blue", (20, 18), figures=3), unit("red", (20, 38), figures=3), approach="hold"), ON)
    )
    assert reasons(far) == [("red-1", "hold-wait", "ai.hold")]
    near = acts(
        play(
            uncontrolled(
                unit("blue", (20, 32), figures=9, apart=1.6), unit("red", (20, 38), figures=3), approach="hold"
            ),
            ON,
        )
    )
    assert reasons(near) == [("red-1", "hold-fire", "ai.hold")]


@pytest.mark.rule("fad4/ai.hold")
@pytest.mark.rule("fad4/ai.fall-back")
@pytest.mark.parametrize(("approach", "north"), [("hold", 38), ("fall-back", 45)])
def test_those_who_hold_a_place_or_their_rallying_point_fire_at_who_comes_nearer(approach: str, north: int) -> None:
    units = (unit("blue", (20, 18), figures=3), unit("red", (20, north), figures=3))
    table = play(uncontrolled(*units, approach=approach, active="blue", first="blue"), ON)
    table.activates("blue-1")
    table.answers("move-fire", shifted(table.state, "blue-1", 0, 4))
    while table.asked == "blue":
        table.answers("hold-fire")
    assert the_group(table).nearing == ("blue-1",)
    acts(table)
    assert reasons(table) == [("red-1", "hold-fire", "ai.hold")]


@pytest.mark.rule("fad4/ai.hold")
def test_a_lost_position_is_reclaimed_by_assault_whatever_the_factor() -> None:
    named = {
        "group.A": (
            ("side", "red"),
            ("units", "red-1"),
            ("approach", "hold"),
            ("at", 24_000, 20_000),
            ("discipline", 3),
        )
    }
    strong = unit("blue", (17, 20), figures=9, apart=1.6)
    table = acts(play(uncontrolled(strong, unit("red", (23, 28), figures=3), book=named), ON))
    assert reasons(table) == [("red-1", "hold-reclaim", "ai.hold")]


# --- Fall Back --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/ai.fall-back")
def test_a_group_that_falls_back_runs_to_its_rallying_point_and_holds_there() -> None:
    table = acts(
        play(uncontrolled(unit("blue", (20, 2), figures=3), unit("red", (22, 20), figures=3), approach="fall-back"), ON)
    )
    assert reasons(table) == [("red-1", "fall-back-run", "ai.fall-back")]
    assert [fact.action for fact in table.seen(Declared)] == ["move-out"]
    there = acts(
        play(uncontrolled(unit("blue", (20, 2), figures=3), unit("red", (22, 45), figures=3), approach="fall-back"), ON)
    )
    assert reasons(there) == [("red-1", "hold-wait", "ai.hold")]


@pytest.mark.rule("fad4/ai.fall-back")
@pytest.mark.rule("fad4/ai.speeds")
def test_a_unit_under_fire_falls_back_at_combat_speed_and_returns_the_fire() -> None:
    red = unit("red", (22, 20), figures=3, conditions=["under_fire"])
    table = acts(play(uncontrolled(unit("blue", (20, 8), figures=3), red, approach="fall-back"), ON))
    assert reasons(table) == [("red-1", "fall-back-return", "ai.fall-back")]
    assert [fact.action for fact in table.seen(Declared)] == ["engage", "shoot"]


# --- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [("red",), ("blue", "red")])
@pytest.mark.parametrize("scenario", ["crossroads-patrol", "dry-ford", "mortar-lane"])
def test_a_game_with_uncontrolled_sides_ends_and_breaks_no_invariant(scenario: str, seats: tuple[str, ...]) -> None:
    rules = fad4()
    start = rules.open(scenario, {})
    own = [side.seat for side in start.sides.values()]
    held = own[1:] if len(seats) == 1 else own
    state = replace(start, desk=replace(start.desk, programs=dict.fromkeys(held, UNCONTROLLED)))
    watch = Watch(rules, state, laws("fad4", state))
    for played in simulated(rules, state, seed=7):
        watch.step(played)
    assert watch.state.result is not None
