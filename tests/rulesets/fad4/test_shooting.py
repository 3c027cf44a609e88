"""Shooting: legal targets, ranges, and the figures of both squads that take part."""

from __future__ import annotations

import pytest

from client_protocol.choices import Why
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.shot import Shot, aim, band_limits
from server.rulesets.fad.words.cards import card
from tests.support.battlefield import battle, facing, fad4, lines, piece, play, unit
from tests.support.tabletop import Row

ROCK = piece("cliff", (0, 7), (13, 20))
"""Hides the left half of a line at (6, 6) from all figures opposite that stand to the right of it."""


def shot(state: State, shooter: str = "blue-1", target: str = "red-1") -> Shot:
    aimed = aim(fad4().rules, state, shooter, target)
    assert isinstance(aimed, Shot), aimed
    return aimed


def no_shot(state: State) -> str:
    """Return the rule that forbids blue-1 to shoot at red-1."""
    aimed = aim(fad4().rules, state, "blue-1", "red-1")
    assert isinstance(aimed, Why)
    return aimed.rule


# --- one squad, one target, one roll --------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.when")
def test_an_activation_allows_one_shot_at_one_enemy() -> None:
    table = play(facing(12)).activates("blue-1")
    assert table.targets("open-fire") == {"red-1": ""}
    assert table.refused("open-fire", "blue-1").code == "no_such_unit", "friends are no targets"


@pytest.mark.rule("fad4/shoot.squad-one-target")
def test_a_squad_shoots_with_one_roll() -> None:
    table = play(facing(12)).activates("blue-1").fires_at("red-1", dice=[5, 2, 1, 1])
    assert table.rolled("fire_effect").faces == (5, 2)
    assert len([r for r in table.facts if getattr(r, "purpose", "") == "fire_effect"]) == 1


@pytest.mark.rule("fad4/shoot.squad-one-target")
def test_figures_out_of_range_do_not_count_for_a_shot() -> None:
    # Submachine guns in Conscripts' hands: 6" close, 18" long. Three figures stand 18" away, three 19".
    places = [(6, 6), (9, 6), (12, 6), (6, 5), (9, 5), (12, 5)]
    far = unit("red", [(6, 25), (9, 25), (12, 25)])
    blue = unit("blue", places, quality="conscript", small_arm="submachine-gun")
    table = play(battle(blue, far))
    assert shot(table.state).firing == ("1", "2", "3")
    table.activates("blue-1").fires_at("red-1", dice=[5, 1])
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect), "three of six"


@pytest.mark.rule("fad4/shoot.squad-one-target")
def test_figures_that_see_no_target_do_not_count_for_a_shot() -> None:
    state = battle(unit("blue", (6, 6)), unit("red", (13.6, 21), figures=3), terrain=[ROCK])
    assert shot(state).firing == ("4", "5", "6")


@pytest.mark.rule("fad4/shoot.squad-one-target")
def test_range_is_from_the_nearest_firing_figure_to_the_nearest_one_that_it_sees() -> None:
    blue, red = unit("blue", [(6, 6), (10, 6)]), unit("red", [(6, 12), (10, 19)])
    assert shot(battle(blue, red)).distance == inches(5)
    # The nearest enemy is hidden by a rock; the nearest visible one is 12" in front of the second figure.
    hidden = shot(battle(blue, red, terrain=[piece("cliff", (0, 9), (9.4, 10))]))
    assert (hidden.seen, hidden.distance) == (("2",), inches(12))


# --- support weapons ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.support-weapons")
def test_a_support_weapon_adds_to_its_squads_fire_effect() -> None:
    table = play(facing(12, blue={"support": ["squad-automatic-weapon"]})).activates("blue-1")
    table.fires_at("red-1", dice=[3, 2, 1, 1])
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 3),
        ("fire.shooter-regular", 1),
        ("fire.shooter-riflemen", 2),
        ("shoot.support-weapons", 2),
    ]


@pytest.mark.rule("fad4/shoot.support-weapons")
def test_a_support_weapons_die_is_rolled_with_the_squads_dice() -> None:
    table = play(facing(12, blue={"support": ["grenade-launcher", "grenade-launcher"]})).activates("blue-1")
    table.fires_at("red-1", dice=[3, 2, 6, 5, 1, 1, 1, 1, 1])
    roll = table.rolled("fire_effect")
    assert (roll.faces, roll.marks) == ((3, 2, 6, 5), ("kept", "", "added", "added"))
    assert lines(table.fire_effect)[:3] == [
        ("fire.effect-roll", 3),
        ("shoot.support-weapons", 6),
        ("shoot.support-weapons", 5),
    ]


@pytest.mark.rule("fad4/shoot.support-weapons")
@pytest.mark.parametrize(
    ("weapon", "reaches", "too_far"),
    [
        ("flame-thrower", 4, 4.1),  # base range
        ("assault-shotgun", 20, 20.1),  # close
        ("rapid-fire-saw", 40, 40.1),  # medium
        ("squad-automatic-weapon", 60, None),  # long
    ],
)
def test_a_support_weapon_counts_up_to_its_own_range_band(weapon: str, reaches: float, too_far: float | None) -> None:
    armed = {"support": [weapon]}
    assert shot(facing(reaches, blue=armed)).supporting == (("1", weapon),)
    if too_far is not None:
        assert shot(facing(too_far, blue=armed)).supporting == ()


@pytest.mark.rule("fad4/shoot.support-weapons")
def test_a_support_weapon_counts_only_if_its_gunner_sees_the_target() -> None:
    red = unit("red", (13.6, 21), figures=3)
    hidden = unit("blue", (6, 6), support=["squad-automatic-weapon"])
    assert shot(battle(hidden, red, terrain=[ROCK])).supporting == ()
    seeing = unit("blue", (6, 6), support=["squad-automatic-weapon"] * 4)
    assert shot(battle(seeing, red, terrain=[ROCK])).supporting == (("4", "squad-automatic-weapon"),)


@pytest.mark.rule("fad4/shoot.support-weapons")
def test_the_last_living_figure_shoots_with_the_basic_weapon() -> None:
    last = {"figures": 4, "support": ["squad-automatic-weapon"], "lost": 3}
    assert shot(facing(12, blue=last)).supporting == ()


@pytest.mark.rule("fad4/shoot.support-weapons")
@pytest.mark.parametrize("lone", [{"figures": 1}, {"figures": 4, "lost": 3}])
def test_the_card_of_a_lone_gunner_says_that_his_weapon_does_not_count(lone: dict[str, int]) -> None:
    state = facing(12, blue={"support": ["squad-automatic-weapon"] * lone["figures"], **lone})
    (line,) = [row.value for row in card(fad4().rules, state, state.units["blue-1"]) if row.label == "Support"]
    assert line == "Squad automatic weapon counts for nothing: the last figure fights with the squad's small arm"


@pytest.mark.rule("fad4/shoot.support-weapons")
def test_the_card_of_a_squad_counts_its_support_weapons() -> None:
    state = facing(12, blue={"support": ["flame-thrower", "flame-thrower", "squad-automatic-weapon"], "figures": 4})
    lines = [row.value for row in card(fad4().rules, state, state.units["blue-1"]) if row.label == "Support"]
    assert lines == [
        "2 × Flame thrower, +1D6 up to base range, +2 in a close assault",
        "Squad automatic weapon, +2 up to long range",
    ]


# --- before the shot ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.method")
def test_sight_fire_priority_and_range_are_checked_before_any_die_is_rolled() -> None:
    rock = piece("cliff", (30, 4), (48, 20))
    enemies = [
        unit("red", (6, 12), figures=2, quality="conscript"),
        unit("red", (6, 14), figures=2),
        unit("red", (6, 50), figures=2),
        unit("red", (40, 22), figures=2),
    ]
    rabble = unit("blue", [(6, 6), (8, 6)], quality="rabble", small_arm="submachine-gun")
    table = play(battle(rabble, *enemies, terrain=[rock], size=(48, 60))).activates("blue-1")
    assert table.targets("open-fire") == {
        "red-1": "",
        "red-2": "shoot.fire-priority",
        "red-3": "shoot.range-bands",
        "red-4": "shoot.line-of-sight",
    }
    for target, rule in list(table.targets("open-fire").items())[1:]:
        refused = table.refused("open-fire", target)
        assert (refused.code, refused.rule) == ("not_allowed", rule)


# --- line of sight --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.line-of-sight")
@pytest.mark.parametrize(
    ("kind", "depth", "seen"),
    [
        ("woods", 4, True),
        ("woods", 4.1, False),
        ("dense_woods", 2, True),
        ("dense_woods", 2.1, False),
        ("building", 1, False),
        ("ruin", 1, False),
        ("cliff", 1, False),
        ("hill", 6, True),
        ("stream", 6, True),
    ],
)
def test_woods_block_sight_beyond_their_depth(kind: str, depth: float, seen: bool) -> None:
    between = piece(kind, (-1 + 1, 10), (48, 10 + depth))
    state = facing(16, terrain=[between])
    assert isinstance(aim(fad4().rules, state, "blue-1", "red-1"), Shot) == seen
    if not seen:
        assert no_shot(state) == "shoot.line-of-sight"


@pytest.mark.rule("fad4/shoot.line-of-sight")
def test_figures_in_a_building_see_out_and_are_seen() -> None:
    inside = piece("building", (0, 20), (48, 24))
    state = facing(14.5, terrain=[inside])  # red stands at 21.5
    assert shot(state).seen == shot(state, "red-1", "blue-1").firing


@pytest.mark.rule("fad4/shoot.line-of-sight")
def test_figures_of_either_side_do_not_block_sight() -> None:
    crowd: list[Row] = [unit("blue", (5, 12), figures=12, apart=1.2), unit("red", (5, 14), figures=12, apart=1.2)]
    assert shot(facing(16, others=crowd)).seen == tuple("123456")


@pytest.mark.rule("fad4/shoot.line-of-sight")
@pytest.mark.rule("fad4/hits.allocate-closest")
def test_only_figures_that_are_seen_can_be_hit() -> None:
    red = unit("red", [(4, 21), (6, 21), (8, 21), (14, 21), (16, 21)])
    state = battle(unit("blue", (14, 6)), red, terrain=[ROCK])
    assert set(shot(state).seen) == {"4", "5"}
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 6, 6, 6, 6])
    assert table.unit("red-1").living.keys() == {"1", "2", "3"}, "the third hit falls on one who is seen, and is lost"


# --- fire priority --------------------------------------------------------------------------------------------------


def five_ahead() -> list[Row]:
    """Return five enemy units, 6, 7, 8, 9 and 10 inches away from a line at y = 6."""
    return [unit("red", (6 + i, 13 + i), figures=1) for i in range(5)]


@pytest.mark.rule("fad4/shoot.fire-priority")
@pytest.mark.parametrize(("quality", "closest"), [("rabble", 1), ("conscript", 2), ("regular", 3), ("elite", 4)])
def test_a_target_must_be_among_the_closest_enemies(quality: str, closest: int) -> None:
    table = play(battle(unit("blue", (6, 6), quality=quality), *five_ahead())).activates("blue-1")
    targets = table.targets("open-fire")
    assert list(targets) == [f"red-{n}" for n in range(1, 6)]
    assert [rule == "" for rule in targets.values()] == [n <= closest for n in range(1, 6)]
    assert set(targets.values()) == {"", "shoot.fire-priority"}


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_units_out_of_sight_do_not_count_for_fire_priority() -> None:
    hidden, seen = unit("red", (32, 6), figures=1), unit("red", (6, 35))
    state = battle(unit("blue", (6, 6), quality="rabble"), hidden, seen, terrain=[piece("cliff", (24, 0), (30, 20))])
    assert play(state).activates("blue-1").targets("open-fire") == {"red-2": "", "red-1": "shoot.line-of-sight"}


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_visible_units_out_of_range_count_for_fire_priority() -> None:
    # red-1's nearest figure is out of sight. Its visible one stands 17" away, and submachine guns in the hands of Rabble
    # reach 12".
    near, next_best = unit("red", [(5, 10), (8, 24)]), unit("red", (12, 6), figures=1)
    rabble = unit("blue", (6, 6), figures=1, quality="rabble", small_arm="submachine-gun")
    table = play(battle(rabble, near, next_best, terrain=[piece("cliff", (3, 8), (6.3, 9))])).activates("blue-1")
    assert table.targets("open-fire") == {"red-1": "shoot.range-bands", "red-2": "shoot.fire-priority"}
    assert table.barred("open-fire") is not None


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_either_of_two_equally_near_enemies_may_be_shot_at() -> None:
    left, right = unit("red", (3, 12), figures=1), unit("red", (9, 12), figures=1)
    state = battle(unit("blue", (6, 6), quality="rabble", figures=1), left, right)
    assert play(state).activates("blue-1").targets("open-fire") == {"red-1": "", "red-2": ""}


@pytest.mark.rule("fad4/shoot.fire-priority")
def test_a_unit_under_fire_keeps_its_fire_priority() -> None:
    state = battle(unit("blue", (6, 6), conditions=["under_fire"]), *five_ahead())
    assert list(play(state).activates("blue-1").targets("open-fire").values()).count("") == 3


# --- range ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/shoot.range-bands")
def test_regulars_with_assault_rifles_have_the_printed_range_bands() -> None:
    state = facing(12)
    limits = band_limits(fad4().rules, state.units["blue-1"])
    assert limits == {"base": 4000, "close": 20000, "medium": 40000, "long": 60000}


@pytest.mark.rule("fad4/shoot.range-bands")
@pytest.mark.parametrize(("quality", "base"), [("rabble", 2), ("conscript", 3), ("regular", 4), ("elite", 5)])
def test_base_range_depends_on_the_shooters_quality(quality: str, base: int) -> None:
    limits = band_limits(fad4().rules, facing(12, blue={"quality": quality}).units["blue-1"])
    assert limits["base"] == inches(base)
    assert limits["close"] == inches(5 * base)


@pytest.mark.rule("fad4/shoot.range-bands")
@pytest.mark.parametrize(
    ("apart", "band"),
    [(4, "base"), (4.001, "close"), (20, "close"), (20.001, "medium"), (40, "medium"), (40.001, "long"), (60, "long")],
)
def test_a_range_band_includes_its_upper_edge(apart: float, band: str) -> None:
    assert shot(facing(apart)).band == band


@pytest.mark.rule("fad4/shoot.range-bands")
def test_enemies_beyond_long_range_cannot_be_targeted() -> None:
    assert no_shot(facing(60.001)) == "shoot.range-bands"
    assert play(facing(60.001)).activates("blue-1").barred("open-fire") is not None
