"""The checks on random games can fail: each is shown a game that breaks it."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Choice, Picked
from client_protocol.view import CardLine, Story
from server.kernel.answers.check import Ask, Asked
from server.kernel.facts import (
    ActivationBegan,
    ConditionGained,
    Declared,
    Fact,
    FiguresFell,
    MountLost,
    PhaseBegan,
    UnitBoarded,
    UnitFormed,
    UnitLeft,
    UnitMoved,
)
from server.kernel.procedure import Step
from server.kernel.space.geometry import Point
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull
from server.kernel.state import Figure, Mount, State, Turn, Unit
from server.opponents.simulation import Played
from tests.rulesets.invariants import Watch
from tests.support.position import position, squad
from tests.support.toy_rules import ToyRules

RULE = "toy/rule"


class Silent(ToyRules):
    """Rules that report nothing and know one rule."""

    @property
    def reference(self) -> tuple[dict[str, str], ...]:
        return ({"id": RULE},)

    def story(self, _state: State, _fact: Fact) -> Story | None:
        return None

    def card(self, _state: State, _unit: Unit) -> tuple[CardLine, ...]:
        return ()


def truck(name: str, at: Point, seats: int = 2) -> Unit:
    hull = Figure(at, 1_000, hull=Hull(4_000, 2_000))
    return Unit(name, name.partition("-")[0], name, 1, {}, {"1": hull}, mounts={"m1": Mount("gun")}, seats=seats)


CLIFF = Terrain(
    "cliff",
    "Sheer rock",
    "cliff",
    ((20_000, 8_000), (22_000, 8_000), (22_000, 12_000), (20_000, 12_000)),
    flags=("impassable",),
)
START = replace(
    position(
        squad("blue-1", [(10_000 + 2_500 * n, 10_000) for n in range(3)]),
        squad("blue-3", [(10_000 + 2_500 * n, 4_000) for n in range(3)]),
        squad("red-1", [(10_000 + 2_500 * n, 20_000) for n in range(3)]),
        truck("blue-2", (30_000, 10_000)),
        truck("red-2", (30_000, 20_000), seats=9),
        terrain=[CLIFF],
    ),
    turn=Turn(1, "activations"),
)  # fmt: skip


def watched(*facts: Fact, forged: State | None = None, ask: Ask | None = None, refused: bool = False) -> None:
    """Let the watch see a step with these facts; `forged` is a state that they do not produce."""
    after = START
    for fact in facts:
        after = fact.fold(after)
    Watch(Silent(), START).step(Played(START, Step((), facts), forged or after, ask, refused=refused))


def moved(*ends: Point, unit: str = "blue-1", facing: int = 0) -> Fact:
    facings = {"1": facing} if facing else {}
    return UnitMoved(unit, "move", {str(i): (end,) for i, end in enumerate(ends, 1)}, RULE, facings)


def test_a_legal_step_passes_the_checks() -> None:
    asked = Asked("Well?", (Choice("go", "Go", RULE),), Picked("go"))
    watched(
        ActivationBegan("blue-1"), moved((10_000, 12_000)), FiguresFell("red-1", ("1",), "fire", RULE),
        ask=Ask({"blue": asked}),
    )  # fmt: skip
    watched(moved((40_000, 30_000), unit="blue-2", facing=4_500), MountLost("red-2", "m1", RULE))


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ([ActivationBegan("blue-1"), ActivationBegan("blue-1")], "activates too often"),
        ([moved((12_000, 10_000))], "stands on another"),
        ([moved((29_000, 10_000))], "stands on a vehicle"),
        ([moved((400, 10_000))], "hangs over the edge"),
        ([moved((19_600, 10_000))], "stands in Sheer rock"),
        ([moved((46_500, 10_000), unit="blue-2")], "the hull at .* hangs over the edge"),
        ([moved((18_500, 10_000), unit="blue-2")], "the hull at .* stands in Sheer rock"),
        ([moved((30_000, 18_500), unit="blue-2")], "overlap"),
        ([moved((30_000, 17_500), unit="blue-2", facing=9_000)], "overlap"),
        ([FiguresFell("red-1", ("1", "2", "3"), "fire", RULE)], "no figures left"),
        ([FiguresFell("red-1", ("1",), "fire", RULE), FiguresFell("red-1", ("1",), "fire", RULE)], "fall again"),
        ([UnitLeft("red-1", "gone", RULE), moved((30_000, 30_000), unit="red-1")], "out of the game and moves"),
        ([FiguresFell("red-1", ("1",), "fire", RULE), UnitFormed(START.units["red-1"], RULE)], "the dead stay dead"),
        ([UnitLeft("red-1", "gone", RULE), UnitFormed(START.units["red-1"], RULE)], "back in the game"),
        ([MountLost("red-2", "m1", RULE), UnitFormed(START.units["red-2"], RULE)], "a lost weapon is back"),
        ([UnitBoarded("blue-1", "red-2", RULE)], "aboard a vehicle of the enemy"),
        ([UnitBoarded("blue-1", "blue-2", RULE)], "more than it has seats"),
        ([UnitBoarded("red-1", "red-2", RULE), UnitLeft("red-2", "gone", RULE)], "which is gone"),
        ([UnitLeft("red-1", "gone", RULE), ConditionGained("red-1", "dizzy", RULE)], "gone and has markers"),
        ([Declared("red-1", "dance", "toy/unheard-of")], "the reference has no toy/unheard-of"),
        ([UnitFormed(squad("red-9", [None]), RULE)], "neither on the table nor aboard"),
    ],
)  # fmt: skip
def test_a_step_that_breaks_a_rule_fails_the_checks(facts: list[Fact], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence):
        watched(*facts)


def test_only_a_unit_stopped_on_its_way_may_overlap_a_friend() -> None:
    watched(ActivationBegan("blue-1"), moved((10_000, 4_500)))
    with pytest.raises(AssertionError, match="stands on another"):
        watched(ActivationBegan("blue-1"), moved((10_000, 19_500)))


def test_a_state_that_differs_from_its_facts_fails_the_checks() -> None:
    with pytest.raises(AssertionError, match="the facts alone make the state"):
        watched(PhaseBegan("activations"), ActivationBegan("blue-1"), forged=START)


def test_refused_samples_and_illegal_defaults_fail_the_checks() -> None:
    with pytest.raises(AssertionError, match="what is sampled"):
        watched(refused=True)
    asked = Asked("Well?", (Choice("go", "Go", RULE),), Picked("stay"))
    with pytest.raises(AssertionError, match="its default is refused"):
        watched(ask=Ask({"blue": asked}))
