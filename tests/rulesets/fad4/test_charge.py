"""Close assault: moving into contact, and closing in."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathsDeclared
from server.kernel.facts import Rolled, UnitMoved
from server.kernel.space.geometry import distance, inches
from server.kernel.space.paths import overlaps
from server.kernel.space.values import Base
from tests.rulesets.fad4.assaults import assault, charge, engaged, touching
from tests.support.battlefield import battle, facing, paths, piece, play, shifted, unit

HARMLESS = [4, 1, 3, 2, *[1] * 12]
"""Dice for six against six: the charge wins by 5 to 3, and no figure is killed."""


@pytest.mark.rule("fad4/assault.move-in")
def test_a_charge_must_bring_at_least_one_figure_into_contact() -> None:
    table = assault(facing(8))
    short = table.refused("charge", shifted(table.state, "blue-1", 0, 7.9))
    assert (short.code, short.rule) == ("path_end", "assault.move-in")
    assert short.sentence == "At least one figure must end touching Red 1."
    assert table.refused("charge", PathsDeclared({})).rule == "assault.move-in"
    assert table.refused("charge", paths(_1=[(2, 10), (2, 14), (5, 14)])).code == "path_too_long"


@pytest.mark.rule("fad4/assault.move-in")
def test_figures_that_the_attacker_does_not_move_close_in_after_the_charge() -> None:
    # The sixth figure leaves the others more than 7" behind: a charge need not keep coherency.
    table = charge(assault(facing(8)), HARMLESS, paths(_6=[(18.5, 14)]))
    charged, *closing = [fact for fact in table.seen(UnitMoved) if fact.manner != "fall-back"]
    assert (charged.manner, charged.paths) == ("charge", {"6": ((18_500, 14_000),)})
    assert [(fact.unit, fact.manner) for fact in closing][:1] == [("blue-1", "contact")]
    assert set(closing[0].paths) == {"1", "2", "3", "4", "5"}


@pytest.mark.rule("fad4/assault.move-in")
@pytest.mark.parametrize(
    ("blue", "red", "scores"),
    [(6, 6, [4, 1, 3, 2]), (3, 8, [6, 1, 2, 1]), (8, 3, [1, 1, 6, 1]), (1, 4, [6, 4, 1]), (4, 1, [1, 1, 5])],
)
def test_after_a_charge_every_figure_of_both_squads_touches_an_enemy(blue: int, red: int, scores: list[int]) -> None:
    start = facing(8, blue={"figures": blue}, red={"figures": red})
    table = charge(assault(start), [*scores, *[1] * (blue + red)])
    state = engaged(start, table)
    attackers, defenders = state.units["blue-1"], state.units["red-1"]
    assert touching(attackers, defenders) == blue
    assert touching(defenders, attackers) == red
    taken: list[Base] = []
    for at, radius in [*attackers.places(), *defenders.places()]:
        assert not overlaps(at, radius, taken)
        taken.append((at, radius))


@pytest.mark.rule("fad4/assault.move-in")
def test_figures_close_in_over_any_distance() -> None:
    column = [(6.0, 20.0), (6.0, 15.5), (6.0, 11.0), (6.0, 6.5)]
    start = battle(unit("blue", column), unit("red", (6, 28), figures=4))
    table = charge(assault(start), [4, 1, 3, 2, *[1] * 8], paths(_1=[(6, 27)]))
    state = engaged(start, table)
    assert touching(state.units["blue-1"], state.units["red-1"]) == 4
    (way,) = table.seen(UnitMoved)[1].paths["4"]
    assert distance(way, (6_000, 6_500)) > inches(19)


@pytest.mark.rule("fad4/assault.move-in")
def test_survivors_of_a_free_shot_who_cannot_reach_contact_move_as_far_as_they_can() -> None:
    strung_out = [(6.0, 6.0), (6.0, 2.5), (8.5, 2.5)]
    state = battle(unit("blue", strung_out), unit("red", (6, 16.5)))
    # 1 + 1 + 2 is one hit: the nearest falls, and the others are 13" away.
    table = assault(state, shot=[1, 1, 6])
    assert table.unit("blue-1").strength == 2
    (moved,) = table.seen(UnitMoved)
    assert (moved.manner, moved.rule) == ("charge", "assault.move-in")
    assert moved.paths == {"2": ((6_000, 12_499),), "3": ((8_500, 12_499),)}
    assert not any(fact.purpose == "assault" for fact in table.seen(Rolled))
    assert (table.unit("blue-1").activated, table.asked) == (1, "red")


@pytest.mark.rule("fad4/assault.move-in")
def test_one_survivor_of_a_free_shot_who_can_reach_contact_charges_alone() -> None:
    strung_out = [(6.0, 6.0), (8.5, 6.0), (6.0, 2.5)]
    state = battle(unit("blue", strung_out), unit("red", (6, 16.5)))
    table = charge(assault(state, shot=[1, 1, 6]), [4, 1, 3, 1, *[1] * 8])
    assert set(table.seen(UnitMoved)[0].paths) <= {"2", "3"}
    assert "2" in table.seen(UnitMoved)[0].paths


ANGLED = (
    piece("cliff", (2, 12), (13, 12.6), id="front"),
    piece("cliff", (2, 9), (2.6, 12), id="west"),
    piece("cliff", (12.4, 10.5), (13, 12), id="east"),
)
"""Cliffs in front and on both sides: the way out turns twice, and no path with a single bend leads out."""


@pytest.mark.rule("fad4/assault.declare")
def test_a_charge_may_go_around_several_corners() -> None:
    state = battle(unit("blue", (10.5, 11), figures=1), unit("red", (14, 14.5), figures=1), terrain=ANGLED)
    table = play(state).activates("blue-1")
    assert table.targets("assault") == {"red-1": ""}
    table = charge(assault(state), [4, 3, 1, 1])
    (way,) = table.seen(UnitMoved)[0].paths.values()
    assert len(way) >= 3


@pytest.mark.rule("fad4/assault.declare")
def test_an_enemy_whose_path_is_longer_than_the_charge_cannot_be_assaulted() -> None:
    sealed = (*ANGLED[:2], piece("cliff", (12.4, 4), (13, 12), id="east"))
    state = battle(unit("blue", (10.5, 11), figures=1), unit("red", (14, 14.5), figures=1), terrain=sealed)
    refusal = play(state).activates("blue-1").refused("assault", "red-1")
    assert refusal.sentence == "No figure of Blue 1 finds a way into contact with Red 1."
    assert refusal.rule == "assault.declare"


@pytest.mark.rule("fad4/assault.move-in")
def test_a_figure_steps_aside_for_the_only_one_that_can_reach_contact() -> None:
    # The first figure stands in a dead end in front of the enemy, shut in by a scout with a small base. Only the second
    # figure, from below, has a path to the one place in contact that is free of friends, and the first one's base overlaps
    # that place.
    alley = (
        piece("cliff", (21.42, 18.8), (24.5, 19.4), id="south"),
        piece("cliff", (21.7, 20.6), (24.5, 21.2), id="north"),
        piece("cliff", (24, 19.4), (24.5, 20.6), id="end"),
        piece("cliff", (15, 20.9), (20.6, 21.6), id="beyond"),
        piece("cliff", (18.3, 18.5), (19.2, 20.9), id="west"),
        piece("cliff", (19.2, 18.5), (20.2, 18.8), id="below"),
    )
    state = battle(
        unit("blue", [(21.95, 20), (20.9, 16)], figures=2),
        unit("blue", (20.85, 18.9), figures=1),
        unit("red", (20, 20), figures=1),
        unit("red", (21.45, 20.45), figures=1, base=0.2),
        terrain=alley,
    )
    table = play(state).activates("blue-1")
    assert table.targets("assault")["red-1"] == ""
    (way,) = assault(state).prompt.default.values
    assert isinstance(way, PathsDeclared)
    assert set(way.paths) == {"1", "2"}


@pytest.mark.rule("fad4/assault.move-in")
def test_survivors_of_a_free_shot_may_charge_around_corners() -> None:
    men = [(11.3, 11), (10.2, 11), (10.2, 9.9)]
    state = battle(unit("blue", men), unit("red", (14, 14.5), figures=4), terrain=ANGLED)
    table = assault(state, shot=[1, 1, 6])
    assert table.unit("blue-1").strength <= 3
    assert table.offered == ["charge"]
