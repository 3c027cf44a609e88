"""What a match did to the force that a seat brought to it (fad5/campaign.scope)."""

from __future__ import annotations

import random

import msgspec
import pytest
from msgspec.structs import replace

from client_protocol.forces import Force, ForceUnit
from server.kernel.attaching import join
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.state import PostBattle
from server.kernel.desk_facts import ForceBrought
from server.kernel.facts import ConditionGained, FiguresFell, FiguresGained, UnitFormed, UnitLeft
from server.kernel.state import State
from server.opponents.simulation import play
from server.rulesets.fad.campaign import terms
from server.rulesets.fad.campaign.hands import Hand, hands
from server.rulesets.fad.campaign.outcome import outcome
from server.rulesets.fad.campaign.roster import enlist, fielded, force_of, now
from server.rulesets.fad.campaign.steps import after_battle
from server.rulesets.fad.campaign.terms import Settings, Terms
from server.rulesets.fad.setup.forces import units_of
from server.rulesets.fad.setup.positions import marks
from tests.rulesets.fad5.battlefield import fad5
from tests.rulesets.fad5.test_forces import GUN, force, squad, team, vehicle
from tests.rulesets.openings import opened
from tests.support.battlefield import fad, fad4

SCOPE = "fad5/campaign.scope"
SEAT = "blue"


def settled(**settings: bool) -> Terms:
    """Return the terms of a campaign with these settings."""
    return terms.terms(fad5(), msgspec.convert(settings, Settings))


def mustered(*units: ForceUnit) -> State:
    """Return a match to which blue has brought these units."""
    state = replace(fad5().open("wire-pasture", {}), units={})
    for unit in units_of(fad5().book, force(*units), "blue"):
        state = UnitFormed(unit, "").fold(state)
    return state


def hurt(state: State, *units: ForceUnit, **settings: bool) -> list[UnitOutcome]:
    """Return what the match did to these units."""
    return list(outcome(settled(**settings), state, SEAT, force(*units)))


def fallen(state: State, *figures: str, condition: str = "", unit: str = "blue-1") -> State:
    """Return the match with figures that have fallen, and what lies on them."""
    state = FiguresFell(unit, figures, "", "").fold(state)
    return FiguresGained(unit, figures, condition, "").fold(state) if condition else state


@pytest.mark.rule(SCOPE)
def test_the_fallen_are_lost_with_their_places_and_rows() -> None:
    built = squad("plasma-rifle", "flame-thrower", figures=5)
    (found,) = hurt(fallen(mustered(built), "1", "3", "5"), built)
    assert found == UnitOutcome(0, 5, (1, 3, 5))
    (whole,) = enlist(settled(), force(built)).units
    own = hands(whole.started)
    assert [own[place - 1] for place in found.lost] == [Hand("leader"), Hand("gunner", 1), Hand("figure")]
    assert (found.lone, found.wiped_out, found.suffered) == (False, False, True)
    assert hurt(mustered(built), built)[0].suffered is False


@pytest.mark.rule(SCOPE)
@pytest.mark.parametrize(
    ("condition", "lost"),
    [("", True), ("wounded", True), ("captured", True), ("stabilised", False), ("stunned", False)],
)
def test_stabilised_wounded_are_back_and_untreated_wounded_and_prisoners_are_lost(
    condition: str, *, lost: bool
) -> None:
    built = squad(figures=4)
    state = fallen(mustered(built), "2", condition=condition)
    assert hurt(state, built) == [UnitOutcome(0, 4, (2,) if lost else ())]
    assert hurt(state, built, stabilised_return=False) == [UnitOutcome(0, 4, () if condition == "stunned" else (2,))]


@pytest.mark.rule(SCOPE)
@pytest.mark.parametrize("why", ["routed", "lost_heart"])
def test_units_that_have_fled_return_whole_unless_the_league_settles_otherwise(why: str) -> None:
    units = squad(figures=4), vehicle(GUN)
    state = fallen(mustered(*units), "4")
    for unit in ("blue-1", "blue-2"):
        state = UnitLeft(unit, why, "").fold(state)
    assert hurt(state, *units) == [UnitOutcome(0, 4, (4,), left=why), UnitOutcome(1, 1, left=why)]
    assert hurt(state, *units, routed_return=False) == [
        UnitOutcome(0, 4, (1, 2, 3, 4), left=why),
        UnitOutcome(1, 1, (1,), "lost", why),
    ]


@pytest.mark.rule(SCOPE)
@pytest.mark.parametrize(("why", "lost"), [("ambushed", (1, 2, 3)), ("left_table", ()), ("infiltrated", ())])
def test_a_unit_that_left_is_lost_only_if_it_was_destroyed(why: str, lost: tuple[int, ...]) -> None:
    built = squad(figures=3)
    (found,) = hurt(UnitLeft("blue-1", why, "").fold(mustered(built)), built)
    assert (found.lost, found.left, found.wiped_out) == (lost, why, bool(lost))


@pytest.mark.rule("fad5/campaign.vehicle-replacements")
@pytest.mark.parametrize(
    ("condition", "why", "damage"),
    [
        ("", "", ""),
        ("under_fire", "", ""),
        ("bogged", "", ""),
        ("immobilised", "", "damaged"),
        ("out_of_action", "", "damaged"),
        ("", "bailed_out", "damaged"),
        ("immobilised", "destroyed", "lost"),
        ("", "left_table", ""),
    ],
)
def test_a_vehicle_is_damaged_if_it_cannot_go_on_and_destroyed_by_a_kill(condition: str, why: str, damage: str) -> None:
    built = vehicle(GUN)
    state = mustered(built)
    state = ConditionGained("blue-1", condition, "").fold(state) if condition else state
    state = UnitLeft("blue-1", why, "").fold(state) if why else state
    (found,) = hurt(state, built)
    assert (found.damage, found.left, found.lost) == (damage, why, (1,) if damage == "lost" else ())


@pytest.mark.rule(SCOPE)
def test_an_attached_team_has_its_own_losses() -> None:
    units = squad(figures=4), team("light-auto-cannon")
    state = join(mustered(*units), "blue-2", "blue-1")
    state = fallen(state, "2", "blue-2:3")
    assert hurt(state, *units) == [UnitOutcome(0, 4, (2,)), UnitOutcome(1, 3, (3,))]


@pytest.mark.rule(SCOPE)
def test_a_seat_without_a_side_and_a_unit_that_never_came_are_errors() -> None:
    built = squad(figures=4)
    with pytest.raises(ValueError, match="plays no side of this match"):
        outcome(settled(), mustered(built), "green", force(built))
    with pytest.raises(ValueError, match="Carrier was never on the roster"):
        hurt(mustered(built), built, vehicle(GUN))


@pytest.mark.rule(SCOPE)
def test_the_survivors_close_up_and_the_place_of_a_lost_leader_is_taken() -> None:
    built = squad("plasma-rifle", figures=3, commander=True)
    own = settled()
    roster = enlist(own, force(built))
    for lost, missing, weapons in (
        ((1,), (3,), 1),  # the rifleman leads on
        ((1, 3), (2, 3), 0),  # the gunner lays his weapon down
        ((2, 3), (2, 3), 0),
    ):
        state = PostBattle(roster)
        for fact in after_battle(own, roster, [UnitOutcome(0, 3, lost)]):
            state = fact.fold(state)
        unit = state.unit(0)
        assert unit.missing == missing
        left = now(unit)
        assert left is not None
        assert (left.fields["leader"], left.fields["figures"]) == (True, 3 - len(lost))
        assert len(left.rows["support"]) == weapons
        assert own.examine(force(left)).problems == ()


@pytest.mark.rule(SCOPE)
def test_every_reason_for_which_a_unit_leaves_and_every_marker_of_the_treated_is_settled() -> None:
    table = fad5().book.tables.campaign
    whole = {"left_table", "no_room", "infiltrated", "pilots_cut_off"}
    for name in ("fad4", "fad5"):
        left = set(marks(fad(name).rules).left)
        assert left - {*table.destroyed, *table.routed, *table.abandoned} <= whole, name
        markers = {marker.id for marker in fad(name).rules.figure_markers.values() if marker.treated}
        assert markers <= {*table.treated, *table.unhurt}, name


@pytest.mark.rule(SCOPE)
@pytest.mark.parametrize("edition", ["fad4", "fad5"])
@pytest.mark.parametrize("seed", range(6))
def test_the_outcomes_of_whole_matches_lead_on_to_the_next(edition: str, seed: int) -> None:
    rules = fad(edition)
    own, chance = terms.terms(rules), random.Random(seed)
    state = opened(rules, chance.choice(rules.info.scenarios).id, {})
    sides = list(state.sides.values())
    forces: dict[str, Force] = {side.seat: chance.choice(rules.ready_forces) for side in sides}
    for seat, built in forces.items():
        state = ForceBrought(seat, built).fold(state)
    for played in play(rules, state, seed):
        state = played.after
    assert all(f"{side.id}-{len(forces[side.seat].units)}" in state.units for side in sides), (
        "the forces fit on the table"
    )
    for side in sides:
        roster = enlist(own, forces[side.seat])
        found = outcome(own, state, side.seat, forces[side.seat])
        assert len(fielded(own, roster)) == len(found)
        after = PostBattle(roster)
        for fact in after_battle(own, roster, found):
            after = fact.fold(after)
        for one, unit in zip(found, after.roster.units, strict=True):
            met = state.units[f"{side.id}-{one.place + 1}"]
            assert unit.started.kind == "vehicle" or len(unit.missing) >= len(one.lost)
            if not met.left and not met.attached and not met.conditions:
                assert len(one.lost) == sum(figure.fallen for figure in met.figures.values() if not figure.of)
        built_again = force_of(own, after.roster)
        assert built_again is None or own.examine(built_again).problems == ()


def test_fad_4_has_campaigns_too() -> None:
    own = terms.terms(fad4())
    assert own.rule("campaign.quality-loss") == ""
    assert settled().rule("campaign.quality-loss") == "campaign.quality-loss"
