"""Resolve checks, the Morale Test, and the activation of broken infantry."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathsDeclared
from server.kernel.facts import ConditionGained, ConditionLost, Declared, Rolled, UnitLeft, UnitMoved
from server.kernel.space.geometry import inches
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, lines, piece, play, shifted, unit
from tests.support.tabletop import Row

RALLY, FALL_BACK, ROUT = [3, 1, 4], [3, 1, 2], [1, 2, 2]
"""Dice of a Regular unit's test (3+): two passes, one, none."""


def losing(lost: int, *, figures: int = 6, resolve: str = "steady", **other: object) -> State:
    """Return a state in which blue-1 has lost some of its figures; the enemy is far to the north, in plain sight."""
    return battle(
        unit("blue", (10, 20), figures=figures, lost=lost, resolve=resolve, **other),  # type: ignore[arg-type]  # as `unit` takes it
        unit("red", (10, 44)),
    )


def broken(*others: Row, terrain: tuple[Row, ...] = (), **blue: object) -> BattleTable:
    """Let blue-1, with three of six figures left, fail to rally with one pass."""
    state = battle(
        unit("blue", (10, 20), lost=3, resolve="steady", **blue),  # type: ignore[arg-type]  # as `unit` takes it
        *(others or (unit("red", (10, 32)),)),
        terrain=terrain,
    )
    return play(state).activates("blue-1", dice=FALL_BACK)


# --- resolve --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/resolve.infantry")
@pytest.mark.parametrize(
    ("resolve", "figures", "enough"),
    [
        ("reluctant", 6, 1),
        ("reluctant", 12, 1),
        ("uncertain", 6, 2),
        ("uncertain", 8, 2),
        ("uncertain", 9, 3),
        ("steady", 8, 4),
        ("steady", 5, 3),
        ("determined", 8, 6),
        ("determined", 6, 5),
    ],
)
def test_a_morale_test_is_due_at_the_casualties_of_the_resolve_and_not_before(
    resolve: str, figures: int, enough: int
) -> None:
    calm = play(losing(enough - 1, figures=figures, resolve=resolve)).activates("blue-1")
    assert calm.seen(Rolled) == []
    shaken = play(losing(enough, figures=figures, resolve=resolve)).activates("blue-1", dice=RALLY)
    assert shaken.rolled("morale").rule == "morale.test"


@pytest.mark.rule("fad4/resolve.infantry")
def test_a_unit_with_heavy_losses_tests_its_morale_at_every_activation() -> None:
    table = play(losing(3)).activates("blue-1", dice=RALLY).holds().activates("red-1").holds(dice=[4, 2])
    assert table.state.turn.number == 2
    table.activates("blue-1", dice=RALLY)
    assert [fact.purpose for fact in table.seen(Rolled)] == ["morale", "initiative", "morale"]


# --- the test -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/morale.test")
@pytest.mark.parametrize(
    ("quality", "dice", "outcome"),
    [
        ("regular", [3, 3, 3], "rallied"),
        ("regular", [6, 3, 2], "rallied"),
        ("regular", [1, 2, 3], "falls_back"),
        ("regular", [2, 1, 2], "routed"),
        ("rabble", [5, 5, 1], "rallied"),
        ("rabble", [4, 4, 5], "falls_back"),
        ("elite", [2, 2, 1], "rallied"),
        ("elite", [1, 1, 1], "routed"),
    ],
)
def test_a_morale_test_rallies_with_two_passes_falls_back_with_one_and_routs_with_none(
    quality: str, dice: list[int], outcome: str
) -> None:
    table = play(losing(3, quality=quality, apart=2.0)).activates("blue-1", dice=dice)
    assert table.rolled("morale").outcome == outcome


@pytest.mark.rule("fad4/morale.rally")
def test_a_unit_that_rallies_acts_normally_and_is_no_longer_broken() -> None:
    table = play(losing(3, conditions=["broken"])).activates("blue-1", dice=RALLY)
    assert [(fact.condition, fact.rule) for fact in table.seen(ConditionLost)] == [("broken", "morale.rally")]
    assert table.prompt.rule == "activation.one-action"
    table.opens_fire_at("red-1", dice=[1, 1, 1])
    assert "fire.shooter-under-fire-or-broken" not in dict(lines(table.fire_effect))


@pytest.mark.rule("fad4/morale.rout")
def test_a_unit_that_routs_leaves_the_game_and_ends_its_activation() -> None:
    table = play(losing(3, conditions=["under_fire"])).activates("blue-1", dice=[*ROUT])
    assert [(fact.reason, fact.rule) for fact in table.seen(UnitLeft)] == [("routed", "morale.rout")]
    assert not table.unit("blue-1").on_table
    assert table.state.result is not None, "it was blue's last"


# --- falling back ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_a_unit_with_one_pass_is_broken_and_may_only_fall_back() -> None:
    table = broken()
    assert [(fact.condition, fact.rule) for fact in table.seen(ConditionGained)] == [
        ("broken", "morale.infantry-fall-back")
    ]
    assert table.offered == ["fall-back", "fire-fall-back"]
    assert table.path("fall-back").allowance == inches(6)
    assert table.refused("hold").code == "no_such_choice"
    assert table.refused("assault", "red-1").code == "no_such_choice"


@pytest.mark.rule("fad4/morale.infantry-fall-back")
@pytest.mark.rule("fad4/underfire.move-penalty")
def test_a_broken_unit_under_fire_falls_back_four_inches() -> None:
    assert broken(conditions=["under_fire"]).path("fall-back").allowance == inches(4)


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_every_figure_that_falls_back_ends_farther_from_the_nearest_visible_enemy() -> None:
    table = broken()
    for dx, dy in ((0, 3), (5, 0.01)):
        refusal = table.refused("fall-back", shifted(table.state, "blue-1", dx, dy))
        assert (refusal.code, refusal.rule) == ("path_end", "morale.infantry-fall-back")
    behind = table.refused("fall-back", shifted(table.state, "blue-1", 0, -2, only=["1", "2"]))
    assert behind.code == "path_end", "the third stays where it is"
    assert table.refused("fall-back", PathsDeclared({})).code == "path_end"
    assert table.refused("fall-back", shifted(table.state, "blue-1", 0, -6.1)).rule == "move.infantry"
    table.answers("fall-back", shifted(table.state, "blue-1", 0, -6))
    assert [(fact.manner, fact.rule) for fact in table.seen(UnitMoved)] == [("fall-back", "morale.infantry-fall-back")]


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_a_broken_unit_that_sees_no_enemy_falls_back_from_the_nearest_one() -> None:
    house = piece("building", (5, 24), (25, 26))
    hidden, seen = unit("red", (10, 29), figures=3), unit("red", (38, 20), figures=3)
    away_from_seen = shifted(broken().state, "blue-1", -3, 1)
    sees_one = broken(hidden, seen, terrain=(house,))
    assert sees_one.refused("fall-back", shifted(sees_one.state, "blue-1", 1, -3)).code == "path_end"
    assert sees_one.answers("fall-back", away_from_seen).seen(UnitMoved)
    sees_none = broken(hidden, terrain=(house,))
    assert sees_none.refused("fall-back", away_from_seen).code == "path_end"
    assert sees_none.answers("fall-back", shifted(sees_none.state, "blue-1", 1, -3)).seen(UnitMoved)


@pytest.mark.rule("fad4/morale.infantry-fall-back")
@pytest.mark.rule("fad4/fire.shooter-under-fire-or-broken")
def test_a_broken_unit_may_shoot_badly_after_it_falls_back() -> None:
    table = broken().answers("fall-back", shifted(broken().state, "blue-1", 0, -2))
    assert table.offered == ["fire", "hold-fire"]
    table.answers("fire", "red-1", dice=[2, 1])
    assert ("fire.shooter-under-fire-or-broken", -3) in lines(table.fire_effect)
    assert table.asked == "red"


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_a_broken_unit_that_shoots_first_must_still_fall_back() -> None:
    table = broken().answers("fire-fall-back", "red-1", dice=[2, 1])
    assert ("fire.shooter-under-fire-or-broken", -3) in lines(table.fire_effect)
    assert table.offered == ["fall-back"]
    table.defaults()
    assert table.seen(UnitMoved)
    assert table.asked == "red", "there is no second shot"


@pytest.mark.rule("fad4/morale.infantry-fall-back")
@pytest.mark.parametrize(("apart", "may_stay"), [(8.0, False), (8.1, True)])
def test_a_broken_unit_in_cover_with_no_enemy_within_eight_inches_may_stay(apart: float, *, may_stay: bool) -> None:
    wood = piece("woods", (8, 18), (26, 22))
    table = broken(unit("red", (10, 21 + apart)), terrain=(wood,))
    assert ("stay" in table.offered) is may_stay
    in_the_open = broken(unit("red", (10, 21 + apart)))
    assert "stay" not in in_the_open.offered
    if may_stay:
        assert table.offered == ["fall-back", "fire-fall-back", "stay", "fire-stay"]
        table.answers("fire-stay", "red-1", dice=[2, 1])
        assert table.seen(Declared)[-2].action == "stay-broken", "it is not said to fall back"
        assert ("fire.shooter-under-fire-or-broken", -3) in lines(table.fire_effect)
        assert table.seen(UnitMoved) == []


@pytest.mark.rule("fad4/morale.infantry-fall-back")
@pytest.mark.rule("fad4/hits.half-in-cover")
@pytest.mark.parametrize(("inside", "may_stay"), [(1, False), (2, True)])
def test_a_broken_unit_with_half_of_its_figures_in_cover_may_stay(inside: int, *, may_stay: bool) -> None:
    wood = piece("woods", (8, 18), (8.5 + 2.5 * inside, 22))
    squad = unit("blue", (10, 20), figures=8, lost=4, resolve="steady")
    state = battle(squad, unit("red", (10, 40)), terrain=[wood])
    table = play(state).activates("blue-1", dice=FALL_BACK)
    assert ("stay" in table.offered) is may_stay


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_a_broken_unit_cornered_at_the_edge_leaves_the_table() -> None:
    corner = [(0.5, 0.5), (2.0, 0.5), (3.5, 0.5)]
    state = battle(
        unit("blue", [*corner, (9, 9)], lost=1, resolve="uncertain"),
        unit("red", [(8, 5.5), (1, 8), (3, 8)], quality="elite"),
    )
    table = play(state).activates("blue-1", dice=FALL_BACK)
    assert table.offered == ["leave"]
    table.answers("leave")
    assert [(fact.reason, fact.rule) for fact in table.seen(UnitLeft)] == [("left_table", "morale.infantry-fall-back")]


# --- the server's own retreat ---------------------------------------------------------------------------------------


def retreated(table: BattleTable) -> dict[str, tuple[int, int]]:
    """Return where blue-1 stands after the server's own retreat."""
    table.defaults()
    return {key: figure.at for key, figure in table.unit("blue-1").living.items() if figure.at is not None}


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_the_default_retreat_goes_into_cover_and_does_not_shoot() -> None:
    # A trench does not hide figures, and this one lies farther from home than straight back would be.
    trench = piece("trench", (13, 16), (30, 19.5))
    table = broken(terrain=(trench,))
    ends = retreated(table)
    assert all(13_000 <= x <= 30_000 and 16_000 <= y <= 19_500 for x, y in ends.values())
    assert table.prompt.default.choice == "hold-fire"


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_the_default_retreat_goes_out_of_sight_if_there_is_no_cover() -> None:
    house = piece("building", (0, 21.5), (9.6, 23), cover="none")
    table = broken(unit("red", (12, 34), figures=1), terrain=(house,))
    ends = retreated(table)
    assert max(x for x, _ in ends.values()) < 14_000, "to the left, behind the house"


@pytest.mark.rule("fad4/morale.infantry-fall-back")
def test_the_default_retreat_goes_to_its_own_edge_if_nothing_hides_it() -> None:
    # The enemy is in the east, and home in the south.
    ends = retreated(broken(unit("red", (30, 20), figures=1)))
    assert max(y for _, y in ends.values()) < 15_000


# --- pinned ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/morale.overrides")
@pytest.mark.rule("fad4/pin.no-moving")
@pytest.mark.rule("fad4/pin.no-shooting")
def test_broken_units_that_are_pinned_stay_and_do_not_shoot() -> None:
    table = broken(conditions=["pinned"])
    assert [(fact.action, fact.rule) for fact in table.seen(Declared)] == [("refuses", "morale.overrides")]
    assert table.asked == "red"
    assert table.unit("blue-1").conditions == ("broken",), "the marker is off, the unit is still broken"


@pytest.mark.rule("fad4/morale.rally")
@pytest.mark.rule("fad4/morale.rout")
def test_pinned_units_rally_and_rout_like_others() -> None:
    rallied = play(losing(3, conditions=["pinned"])).activates("blue-1", dice=RALLY)
    assert rallied.offered == ["hold"]
    routed = play(losing(3, conditions=["pinned"])).activates("blue-1", dice=ROUT)
    assert routed.unit("blue-1").left == "routed"
