"""One activation: Resolve, one action, and the removal of markers."""

from __future__ import annotations

import pytest

from client_protocol.choices import Picked
from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    ConditionLost,
    Declared,
    Rolled,
    SideToAct,
    UnitMoved,
)
from tests.support.battlefield import battle, facing, lines, play, shifted, unit

EVERYTHING = ["move-fire", "fire-move", "open-fire", "move-out", "assault", "hold"]


@pytest.mark.rule("fad4/activation.resolve-first")
def test_a_unit_with_heavy_losses_takes_its_morale_test_before_it_chooses_an_action() -> None:
    table = play(facing(8, blue={"resolve": "reluctant", "lost": 1}))
    table.activates("blue-1", dice=[3, 3, 1])
    assert [type(fact) for fact in table.facts] == [ActivationBegan, Rolled]
    assert table.rolled("morale").outcome == "rallied"
    assert table.offered == EVERYTHING, "rallied, it acts as usual"


@pytest.mark.rule("fad4/activation.resolve-first")
def test_a_broken_unit_is_not_offered_the_normal_actions() -> None:
    table = play(facing(8, blue={"resolve": "reluctant", "lost": 1}))
    table.activates("blue-1", dice=[3, 1, 1])
    assert not {"move-fire", "fire-move", "open-fire", "move-out", "assault", "hold"} & set(table.offered)


@pytest.mark.rule("fad4/activation.resolve-first")
def test_an_unbroken_unit_takes_no_morale_test() -> None:
    assert play(facing(8)).activates("blue-1").seen(Rolled) == []


@pytest.mark.rule("fad4/activation.one-action")
@pytest.mark.rule("fad4/shoot.when")
def test_an_activation_ends_after_one_action() -> None:
    table = play(facing(8)).activates("blue-1")
    assert table.offered == EVERYTHING
    assert table.prompt.default == Picked("hold"), "the clock's action: neither move nor shoot"
    table.opens_fire_at("red-1", dice=[1, 1, 1, 1])
    assert table.facts[-2:] == [ActivationEnded("blue-1"), SideToAct("red")]


@pytest.mark.rule("fad4/action.engage-infantry")
def test_engage_the_enemy_may_shoot_after_the_whole_move() -> None:
    table = play(facing(24)).activates("blue-1").moves(0, 6)
    assert table.offered == ["fire", "hold-fire"]
    table.answers("fire", "red-1", dice=[4, 1, 1, 1])
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 4),
        ("fire.shooter-regular", 1),
        ("fire.shooter-riflemen", 2),
    ], "18 inches away after the move: close range"
    assert [type(fact) for fact in table.facts if isinstance(fact, UnitMoved | Rolled)] == [UnitMoved, Rolled, Rolled]
    assert table.facts[-2:] == [ActivationEnded("blue-1"), SideToAct("red")]


@pytest.mark.rule("fad4/action.engage-infantry")
def test_engage_the_enemy_may_shoot_before_the_whole_move() -> None:
    table = play(facing(24)).activates("blue-1").answers("fire-move", "red-1", dice=[4, 1, 1])
    assert ("fire.at-medium-range", -2) in lines(table.fire_effect), "24 inches away before the move"
    assert table.offered == ["move", "stay"]
    table.answers("move", shifted(table.state, "blue-1", 0, 6))
    assert table.facts[-2:] == [ActivationEnded("blue-1"), SideToAct("red")], "no second shot"


@pytest.mark.rule("fad4/action.engage-infantry")
def test_engage_the_enemy_may_skip_the_shot_the_move_or_both() -> None:
    table = play(facing(12)).activates("blue-1").moves(0, 3).answers("hold-fire")
    assert table.facts[-1] == SideToAct("red")
    table = play(facing(12)).activates("blue-1").answers("move-fire", shifted(table.state, "blue-1", 0, 0, only=()))
    assert table.seen(UnitMoved) == []
    assert table.offered == ["fire", "hold-fire"]
    assert play(facing(12)).activates("blue-1").holds().facts[-1] == SideToAct("red")


@pytest.mark.rule("fad4/action.engage-infantry")
def test_a_unit_that_assaults_does_not_shoot() -> None:
    table = play(facing(8)).activates("blue-1").answers("assault", "red-1").answers("hold-fire").defaults(dice=[6] * 16)
    assert {roll.unit for roll in table.seen(Rolled) if roll.purpose == "fire_effect"} == set()


@pytest.mark.rule("fad4/action.open-fire")
def test_open_fire_adds_two_to_the_fire_effect_and_allows_no_move() -> None:
    table = play(facing(12)).activates("blue-1").opens_fire_at("red-1", dice=[4, 2, 1, 1, 1])
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 4),
        ("action.open-fire", 2),
        ("fire.shooter-regular", 1),
        ("fire.shooter-riflemen", 2),
    ]
    assert table.fire_effect.value == 9
    assert table.rolled("fire_effect").outcome == "3"
    assert table.asked == "red", "nothing more is asked of the unit, least of all a move"


@pytest.mark.rule("fad4/action.open-fire")
def test_a_shot_by_engage_the_enemy_has_no_open_fire_bonus() -> None:
    table = play(facing(12)).activates("blue-1").fires_at("red-1", dice=[4, 2, 1, 1])
    assert "action.open-fire" not in dict(lines(table.fire_effect))


@pytest.mark.rule("fad4/action.move-out-infantry")
def test_move_out_rushes_without_a_shot_or_an_assault() -> None:
    table = play(facing(16)).activates("blue-1").rushes(0, 12)
    assert table.seen(Declared) == [Declared("blue-1", "move-out", "action.move-out-infantry")]
    assert table.seen(UnitMoved)[0].manner == "rush"
    assert table.asked == "red", "no shot is offered, with an enemy 4 inches away"


@pytest.mark.rule("fad4/activation.clear-markers")
@pytest.mark.rule("fad4/underfire.duration")
@pytest.mark.rule("fad4/pin.duration")
@pytest.mark.parametrize("marker", ["under_fire", "pinned"])
def test_the_under_fire_marker_is_removed_after_the_action(marker: str) -> None:
    table = play(facing(12, blue={"conditions": [marker]})).activates("blue-1")
    assert table.unit("blue-1").conditions == (marker,), "it counts during the activation"
    table.holds()
    assert table.facts[-3:-1] == [
        ConditionLost("blue-1", marker, "activation.clear-markers"),
        ActivationEnded("blue-1"),
    ]
    assert table.unit("blue-1").conditions == ()


@pytest.mark.rule("fad4/activation.clear-markers")
@pytest.mark.parametrize("marker", ["under_fire", "pinned"])
def test_markers_are_removed_even_if_a_broken_unit_only_falls_back_or_stays(marker: str) -> None:
    state = battle(unit("blue", (6, 20), resolve="reluctant", lost=1, conditions=[marker]), unit("red", (6, 30)))
    table = play(state).activates("blue-1", dice=[3, 1, 1])
    if marker == "under_fire":
        table.defaults()
        if table.asked == "blue":
            table.answers("hold-fire")
    assert table.unit("blue-1").conditions == ("broken",)


@pytest.mark.rule("fad4/activation.clear-markers")
def test_only_the_active_unit_loses_its_marker() -> None:
    state = battle(
        unit("blue", (6, 6)),
        unit("blue", (6, 10), conditions=["under_fire"]),
        unit("red", (6, 40), conditions=["pinned"]),
    )
    table = play(state).activates("blue-1").holds()
    assert table.seen(ConditionLost) == []
