"""An option of a match: moves are rolled, after their owner has said where they are heading."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import PathsDeclared, Picked, UnitNamed
from server.kernel.belief import believed
from server.kernel.facts import Declared, MoveDeclared, Rolled, UnitMoved
from server.kernel.ruleset import Preview
from server.kernel.space.paths import largest_gap
from server.kernel.state import State
from tests.rulesets.fad4.assaults import assault
from tests.support.battlefield import BattleTable, battle, facing, fad4, lines, paths, piece, play, shifted, unit
from tests.support.lucky import holds_every_way, luck_of
from tests.support.tabletop import Row

ON = {"variable_movement": "on"}
FOE = unit("red", (6, 44))
SOUTH = unit("red", (30, 0.6), figures=1)


def squad(*more: Row, terrain: tuple[Row, ...] = (), **blue: object) -> State:
    """Return blue-1 at (6, 6), far from any enemy unless `more` brings one."""
    first = unit("blue", blue.pop("at", (6, 6)), **blue)  # type: ignore[arg-type]  # as `unit` takes it
    return battle(first, *(more or (FOE,)), terrain=terrain, options=ON)


def going(state: State, choice: str, way: PathsDeclared, *dice: int) -> BattleTable:
    """Let blue-1 declare `way` with the action `choice`, and roll for it."""
    return play(state).activates("blue-1").answers(choice, way, dice=dice)


def north(state: State, choice: str, inches: float, *dice: int) -> BattleTable:
    return going(state, choice, shifted(state, "blue-1", 0, inches), *dice)


def gone(table: BattleTable) -> int:
    """Return how far the first figure has moved north of y = 6", in mil."""
    at = table.unit("blue-1").figures["1"].at
    assert at is not None
    return at[1] - 6_000


# --- how far --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.variable")
@pytest.mark.parametrize(
    ("blue", "choice", "dice", "inches", "marks"),
    [
        ({}, "move-fire", [3], 5, ("kept",)),
        ({"quality": "elite"}, "move-fire", [2, 5], 7, ("", "kept")),
        ({}, "move-out", [2, 4], 10, ("kept", "added")),
        # The rulebook's example: an Elite squad rushes.
        ({"quality": "elite"}, "move-out", [2, 5, 3], 12, ("", "kept", "added")),
        ({"conditions": ["under_fire"]}, "move-fire", [3], 3, ("kept",)),
        ({"conditions": ["under_fire"]}, "move-out", [2, 4], 6, ("kept", "added")),
    ],
)
def test_a_squad_moves_as_far_as_its_dice_say(
    blue: dict[str, object], choice: str, dice: Sequence[int], inches: int, marks: tuple[str, ...]
) -> None:
    # Under Fire one may rush away from the enemy.
    start = squad(SOUTH, **blue)  # type: ignore[arg-type]  # as `unit` takes it
    farthest = (
        {"move-fire": 6, "move-out": 12}[choice] if "conditions" in blue else {"move-fire": 8, "move-out": 16}[choice]
    )
    table = north(start, choice, farthest, *dice)
    roll = table.rolled("move")
    assert (roll.numbers[0].value, roll.marks, roll.rule) == (1000 * inches, marks, "move.variable")
    assert gone(table) == 1000 * inches


@pytest.mark.rule("fad4/move.variable")
def test_each_half_of_a_rush_under_fire_loses_its_two_inches() -> None:
    table = north(squad(SOUTH, conditions=["under_fire"]), "move-out", 12, 6, 6)
    assert lines(table.rolled("move").numbers[0]) == [
        ("move.variable", 6000),
        ("move.variable", 6000),
        ("move.variable", 2000),
        ("underfire.move-penalty", -2000),
        ("move.variable", 2000),
        ("underfire.move-penalty", -2000),
    ]


@pytest.mark.rule("fad4/move.variable")
@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.parametrize(
    ("suit", "choice", "dice", "inches"),
    [
        ("scout_suit", "move-fire", [4], 8),
        ("crude_suit", "move-fire", [4], 4),
        ("scout_suit", "move-out", [4, 3], 15),
        ("crude_suit", "move-out", [4, 3], 7),
    ],
)
def test_suits_change_each_half_of_what_is_rolled(suit: str, choice: str, dice: Sequence[int], inches: int) -> None:
    start = squad(armour="light-powered", **{suit: True})  # type: ignore[arg-type]  # as `unit` takes it
    farthest = play(start).activates("blue-1").path(choice).allowance
    table = going(start, choice, shifted(start, "blue-1", 0, farthest / 1000), *dice)
    assert (table.rolled("move").numbers[0].value, gone(table)) == (1000 * inches, 1000 * inches)


@pytest.mark.rule("fad4/move.variable")
@pytest.mark.rule("fad4/shoot.individuals")
def test_a_weapons_team_rolls_an_inch_less_for_each_man_lost() -> None:
    crew = unit("blue", [(6, 6), (8, 6), (7, 7.5)], support=["machine-gun"], weapon_team=True, lost=1)
    start = battle(crew, FOE, options={"weapon_teams": "on", **ON})
    table = play(start).activates("blue-1")
    assert table.path("move-fire").allowance == 7000
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("blue-1"))}
    assert card["Rolled move"] == '1D6 + 1"'
    table.answers("move-fire", shifted(start, "blue-1", 0, 7), dice=[4])
    assert lines(table.rolled("move").numbers[0]) == [
        ("move.variable", 4000),
        ("move.variable", 2000),
        ("shoot.individuals.weapon-teams", -1000),
    ]
    assert gone(table) == 5000


@pytest.mark.rule("fad4/move.variable")
def test_what_is_taken_off_a_roll_leaves_nothing_below_none() -> None:
    start = squad(armour="light-powered", crude_suit=True, conditions=["under_fire"])
    table = play(start).activates("blue-1")
    way = shifted(start, "blue-1", 0, 2)
    assert chances(foreseen(table, "move-fire", way)) == {"All figures arrive": 5000}  # 1D6 - 2
    assert chances(foreseen(table, "move-fire", shifted(start, "blue-1", 0, 0.5)))["All figures arrive"] == 6667
    table.answers("move-fire", way, dice=[1])
    assert (table.rolled("move").numbers[0].value, gone(table)) == (0, 0)


@pytest.mark.rule("fad4/move.variable")
def test_no_dice_fall_in_a_match_without_the_option() -> None:
    start = battle(unit("blue", (6, 6)), FOE)
    table = north(start, "move-fire", 6)
    assert (table.seen(Rolled), table.seen(MoveDeclared), gone(table)) == ([], [], 6000)
    assert (
        play(start).activates("blue-1").refused("move-fire", shifted(start, "blue-1", 0, 6.1)).code == "path_too_long"
    )


@pytest.mark.rule("fad4/move.variable")
def test_a_broken_squad_that_falls_back_rolls_for_it() -> None:
    start = facing(15, blue={"lost": 5, "figures": 6, "apart": 2.5}, options=ON)
    table = play(start).activates("blue-1", dice=[3, 1, 1])
    table.answers("fall-back", shifted(start, "blue-1", 0, -5), dice=[1])
    assert (table.rolled("move").numbers[0].value, gone(table)) == (3000, -3000)


@pytest.mark.rule("fad4/move.variable")
@pytest.mark.parametrize(("die", "left"), [(1, ""), (2, "left_table")])
def test_a_broken_figure_with_nowhere_to_go_leaves_the_table_only_if_its_roll_takes_it_there(
    die: int, left: str
) -> None:
    # The lane is shut in the east, and the enemy stands at its mouth, which is the table's edge 4" away.
    lane = (
        piece("cliff", (0, 11.2), (5.6, 11.8), id="north"),
        piece("cliff", (0, 9.4), (5.6, 10), id="south"),
        piece("cliff", (5.0, 10), (5.6, 11.2), id="east"),
    )
    start = battle(
        unit("blue", [(4.5, 10.5), (30, 40)], lost=1, resolve="reluctant"),
        unit("red", (0.6, 12.4), figures=1),
        terrain=lane,
        options=ON,
    )
    table = play(start).activates("blue-1", dice=[3, 1, 1])
    assert table.offered == ["leave"]
    table.answers("leave", dice=[die])
    assert (table.rolled("move").numbers[0].value, table.unit("blue-1").left) == (1000 * (die + 2), left)


# --- the declared place ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/move.variable-declare")
def test_a_place_within_the_best_roll_may_be_declared_and_none_beyond() -> None:
    start = squad()
    table = play(start).activates("blue-1")
    refused = table.refused("move-fire", shifted(start, "blue-1", 0, 8.1))
    assert (refused.code, refused.rule) == ("path_too_long", "move.infantry")
    assert gone(north(start, "move-fire", 8, 6)) == 8000


@pytest.mark.rule("fad4/move.variable-declare")
def test_the_dice_fall_after_the_declaration_and_carry_no_figure_past_its_place() -> None:
    table = north(squad(), "move-fire", 4, 6)
    facts = [fact for fact in table.facts if isinstance(fact, MoveDeclared | Rolled | UnitMoved)]
    assert [type(fact) for fact in facts] == [MoveDeclared, Rolled, UnitMoved]
    assert facts[0].paths == facts[2].paths  # type: ignore[union-attr]  # as the line before says
    assert gone(table) == 4000
    assert "comes-short" not in [fact.action for fact in table.seen(Declared)]


@pytest.mark.rule("fad4/move.variable-declare")
def test_each_figure_goes_along_its_own_bends_as_far_as_the_roll_allows() -> None:
    way = paths(_1=[(6, 9), (4.5, 9), (4.5, 10)], _2=[(8.5, 7)])
    table = going(squad(figures=2), "move-fire", way, 2)
    (moved,) = table.seen(UnitMoved)
    assert moved.paths == {"1": ((6000, 9000), (5000, 9000)), "2": ((8500, 7000),)}
    assert (moved.manner, moved.rule) == ("move", "move.infantry")
    assert [(fact.action, fact.rule) for fact in table.seen(Declared)][-1] == ("comes-short", "move.variable-declare")


@pytest.mark.rule("fad4/move.variable-declare")
def test_difficult_ground_is_paid_for_on_the_way() -> None:
    swamp = piece("swamp", (4, 8), (30, 16))
    table = north(squad(terrain=(swamp,)), "move-fire", 5, 2)
    assert gone(table) == 3000  # 2" in the open, and 1" that costs 2" in it


@pytest.mark.rule("fad4/move.variable-declare")
def test_a_figure_that_comes_short_on_a_friend_halts_before_it() -> None:
    # The roll would end 0.5" past the middle of a friend that the figure walks through.
    table = going(squad(unit("blue", (6, 10.5), figures=1), FOE, figures=1), "move-fire", paths(_1=[(6, 13)]), 3)
    assert gone(table) == 3500
    assert table.rolled("move").numbers[0].value == 5000


@pytest.mark.rule("fad4/move.variable-declare")
def test_figures_of_a_squad_may_change_places_and_halt_on_none() -> None:
    start = squad(figures=2, at=(6, 6))
    table = going(start, "move-fire", paths(_1=[(8.5, 6)], _2=[(6, 6)]), 1)
    assert {key: figure.at for key, figure in table.unit("blue-1").figures.items()} == {
        "1": (8500, 6000),
        "2": (6000, 6000),
    }


@pytest.mark.rule("fad4/move.variable-declare")
def test_those_ahead_wait_for_those_who_would_lose_touch() -> None:
    # Both end 3" apart; half way the first would be 5" ahead, since the second goes around a cliff. Regulars keep within 4".
    cliff = piece("cliff", (7.4, 7.5), (9.6, 8))
    start = squad(figures=2, terrain=(cliff,))
    way = paths(_1=[(6, 14)], _2=[(10.6, 7), (10.6, 8.4), (8, 11.2)])
    table = going(start, "move-fire", way, 4)
    places = table.unit("blue-1").places()
    assert largest_gap([at for at, _ in places], [radius for _, radius in places]) <= 4000
    # They stand as far on as they can: any mil more of the one that waits would be too much.
    (ahead,) = table.seen(UnitMoved)[0].paths["1"]
    at = (ahead[0], ahead[1] + 1)
    if ahead[1] < 12_000:
        assert largest_gap([at, places[1][0]], [500, 500]) > 4000


@pytest.mark.rule("fad4/move.variable-declare")
def test_a_rush_under_fire_is_judged_by_the_place_it_is_heading_for() -> None:
    wood = piece("woods", (4, 12), (20, 20))
    start = squad(unit("red", (40, 30), figures=1), terrain=(wood,), conditions=["under_fire"])
    table = play(start).activates("blue-1")
    assert table.refused("move-out", shifted(start, "blue-1", 0, 4)).rule == "underfire.rush-limits"
    table.answers("move-out", shifted(start, "blue-1", 0, 6.6), dice=[1, 1])
    assert gone(table) == 2000


@pytest.mark.rule("fad4/move.variable-declare")
def test_a_squad_that_stays_throws_no_dice() -> None:
    table = going(squad(), "move-fire", PathsDeclared({}))
    assert (table.seen(Rolled), table.seen(UnitMoved)) == ([], [])


# --- the charge -----------------------------------------------------------------------------------------------------


def charged(apart: float, *dice: int) -> BattleTable:
    """Let blue-1 assault red-1, which holds its fire, and charge by the server's own path."""
    return assault(facing(apart, options=ON)).defaults(dice)


@pytest.mark.rule("fad4/move.variable-declare")
def test_a_charge_is_declared_as_far_as_the_best_roll_reaches() -> None:
    assert play(facing(12, options=ON)).activates("blue-1").targets("assault")["red-1"] == ""
    assert play(facing(12.1, options=ON)).activates("blue-1").targets("assault")["red-1"] != ""


@pytest.mark.rule("fad4/move.variable")
def test_a_charge_adds_its_four_inches_to_the_roll() -> None:
    table = charged(8, 2, 4, 1, 3, 2, *[1] * 12)
    roll = table.rolled("move")
    assert lines(roll.numbers[0]) == [("move.variable", 2000), ("move.variable", 2000), ("move.charge-bonus", 4000)]
    assert any(fact.purpose == "assault" for fact in table.seen(Rolled))


@pytest.mark.rule("fad4/move.variable-declare")
def test_a_charge_whose_roll_falls_short_halts_on_its_way_and_there_is_no_fight() -> None:
    table = charged(8, 1)
    assert gone(table) == 7000
    assert [(fact.action, fact.target) for fact in table.seen(Declared)][-1] == ("falls-short", "red-1")
    assert not any(fact.purpose == "assault" for fact in table.seen(Rolled))
    assert (table.unit("blue-1").activated, table.asked) == (1, "red")


# --- words and odds -------------------------------------------------------------------------------------------------


def foreseen(table: BattleTable, choice: str, way: PathsDeclared) -> Preview | None:
    return fad4().preview(believed(table.state, table.asked), table.prompt, Picked(choice, (way,)))


def chances(told: Preview | None) -> dict[str, int]:
    assert told is not None
    return {row.label: row.per_myriad for row in told.chances if row.per_myriad >= 0}


def test_a_preview_says_how_likely_a_squad_arrives() -> None:
    start = squad(figures=2)
    table = play(start).activates("blue-1")
    way = paths(_1=[(6, 12)], _2=[(8.5, 10)])
    assert chances(foreseen(table, "move-fire", way)) == {"All figures arrive": 5000, "A figure arrives": 8333}
    assert chances(foreseen(table, "move-out", way))["All figures arrive"] == 10_000
    assert foreseen(table, "move-fire", PathsDeclared({})) is None
    without = play(battle(unit("blue", (6, 6), figures=2), FOE)).activates("blue-1")
    assert foreseen(without, "move-fire", way) is None


def test_a_preview_of_an_assault_says_how_likely_it_reaches_contact() -> None:
    table = play(facing(9, options=ON)).activates("blue-1")
    told = fad4().preview(table.state, table.prompt, Picked("assault", (UnitNamed("red-1"),)))
    assert chances(told)["Reaches contact"] == 6667  # a 3 or more
    charging = assault(facing(9, options=ON))
    (way,) = charging.prompt.default.values
    assert isinstance(way, PathsDeclared)
    assert chances(foreseen(charging, "charge", way))["Reaches contact"] == 6667


def test_the_log_tells_of_the_intent_the_dice_and_the_way() -> None:
    state = squad()
    table = north(state, "move-fire", 8, 3)
    told = []
    for fact in table.facts:
        story = fad4().story(state, fact)
        if story is not None and story.kind == "move":
            told.append(story)
        state = fact.fold(state)
    assert [story.text for story in told] == [
        "Blue 1 engages the enemy.",
        'Blue 1 says where it is heading, up to 8" away.',
        'The dice give Blue 1 5" of movement.',
        'Blue 1 moves up to 5".',
        "Blue 1 comes short of where it was heading.",
    ]
    intent, went = told[1].trail, told[3].trail
    assert intent is not None
    assert went is not None
    assert (intent.declared, intent.ways["1"]) == (True, ((6000, 6000), (6000, 14000)))
    assert (went.declared, went.ways["1"]) == (False, ((6000, 6000), (6000, 11000)))


@pytest.mark.parametrize(("quality", "choice", "count"), [("regular", "move-fire", 1), ("elite", "move-out", 3)])
def test_the_luck_of_a_move_follows_from_every_way_its_dice_can_fall(quality: str, choice: str, count: int) -> None:
    start = squad(quality=quality)
    holds_every_way(
        count, lambda faces: luck_of(fad4(), start, north(start, choice, 1, *faces).facts, "move", "blue-1")
    )


def test_a_card_and_the_choices_say_what_is_rolled() -> None:
    table = play(squad(quality="elite", conditions=["under_fire"])).activates("blue-1")
    card = {line.label: line.value for line in fad4().card(table.state, table.state.units["blue-1"])}
    assert card["Rolled move"] == 'the highest of 2D6 + 0"'
    choice = table.prompt.choice("move-out")
    assert choice is not None
    assert choice.consequence.endswith('then the highest of 2D6 + 1D6 + 0" says how far it comes.')
