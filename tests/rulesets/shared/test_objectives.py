"""Holding objectives, for any number of sides."""

from __future__ import annotations

from server.kernel.facts import ObjectiveHeld
from server.kernel.state import Objective, State
from server.rulesets.shared.objectives import alone, most, near, see_who_holds
from tests.rulesets.shared.three_sides import squad, table, vehicle

HILL = Objective("hill", "The hill", (20_000, 20_000), 3_000, held_by="green")


def state() -> State:
    """Return two blue figures near the hill and one just too far, a red hull that reaches it, and a green squad away from it."""
    blue = squad("blue", figures=3, at=[(20_000, 20_000), (23_500, 20_000), (23_501, 21_000)])
    return table(blue, vehicle("red", at=(14_000, 20_000)), squad("green", figures=1, at=[(40_000, 40_000)]))


def test_bases_and_hulls_that_reach_into_the_radius_count_for_an_objective() -> None:
    assert near(state(), HILL) == {"blue": 2, "red": 1, "green": 0}
    assert near(state(), HILL, lambda _: ()) == {"blue": 0, "red": 0, "green": 0}


def test_an_objective_is_held_by_the_most_or_by_the_only_side() -> None:
    assert most({"blue": 2, "red": 1, "green": 0}) == "blue"
    assert most({"blue": 2, "red": 2, "green": 0}) == ""
    assert most({"blue": 0, "red": 0, "green": 0}) == ""
    assert alone({"blue": 2, "red": 0, "green": 0}) == "blue"
    assert alone({"blue": 2, "red": 1, "green": 0}) == ""


def test_only_a_change_of_an_objectives_holder_is_a_fact() -> None:
    own = State(
        **{field: getattr(state(), field) for field in State.__struct_fields__} | {"objectives": {"hill": HILL}}
    )
    assert list(see_who_holds(own, lambda _, __: "green")) == []
    assert list(see_who_holds(own, lambda _, __: "")) == [ObjectiveHeld("hill", "")]
