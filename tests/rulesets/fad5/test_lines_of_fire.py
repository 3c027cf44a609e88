"""Along which lines units fire: past friends, through woods, between the centres of squads; and whom they may choose."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import PointTaken, UnitParameter, Why
from client_protocol.from_client import Look
from client_protocol.from_server import Sight
from server.kernel.facts import FiguresFell
from server.kernel.space.geometry import inches
from server.kernel.space.values import Hull
from server.kernel.state import State
from server.matches.projections.sight import look
from server.rulesets.fad.lines_of_fire import fire_lines, in_the_way
from server.rulesets.fad.previews.choices import preview_shot
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, effect, facing, fad5, vehicle
from tests.support.battlefield import lines, piece, play, unit
from tests.support.tabletop import Place, Row

FRIENDS = "shoot.through-friendly-infantry"
ONE = {"figures": 1}
CENTRES = {"los_mode": "squad_centre"}


def aimed(state: State, target: str = "red-1") -> Shot | Why:
    return aim(fad5().rules, state, "blue-1", target)


def between(*friends: Place, **other: object) -> State:
    """Return one blue figure, one red figure 20 inches north of it, and a friendly squad at these places."""
    squad = unit("blue", friends, id="friends", **other)  # type: ignore[arg-type]  # as `unit` takes it
    return battle(unit("blue", (20, 6), **ONE), unit("red", (20, 27), **ONE), squad)  # type: ignore[arg-type]


# --- from centre to centre ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/shoot.line-of-sight")
@pytest.mark.parametrize(("edge", "seen"), [(9.9, True), (10.1, False), (10.4, False)])
def test_figures_are_seen_at_the_centres_of_their_bases(edge: float, seen: bool) -> None:
    # The cliff covers the left half of both bases, and a little more or less.
    cliff = piece("cliff", (4, 14), (edge, 15))
    state = battle(unit("blue", (10, 10), **ONE), unit("red", (10, 20), **ONE), terrain=[cliff])  # type: ignore[arg-type]
    assert isinstance(aimed(state), Shot if seen else Why)
    sight = look(fad5(), state, Look("1", "blue-1", "red-1"))
    assert isinstance(sight, Sight)
    assert [ray.clear for ray in sight.rays] == [seen]


@pytest.mark.rule("fad5/shoot.line-of-sight")
def test_a_vehicle_is_seen_at_any_part_of_its_hull() -> None:
    cliff = piece("cliff", (4, 14), (20.2, 15))
    # The cliff hides the middle of the hull, not its front.
    tank = vehicle("red", (20, 20), facing=0)
    state = battle(unit("blue", (20, 10), **ONE), tank, terrain=[cliff])  # type: ignore[arg-type]
    sight = look(fad5(), state, Look("1", "blue-1", "red-1"))
    assert isinstance(sight, Sight)
    assert [ray.clear for ray in sight.rays] == [True]


# --- friends --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/shoot.through-friendly-infantry")
@pytest.mark.parametrize(
    ("friends", "open_to_fire"),
    [
        ([(18, 16), (22, 16)], False),  # a gap of 3"
        ([(17.5, 16), (22.499, 16)], False),
        ([(17.5, 16), (22.5, 16)], True),  # of 4"
        ([(18, 8), (22, 8)], False),  # near to the shooter all the same
        ([(24, 16), (27, 16)], True),
        ([(20, 36), (22, 36)], True),  # behind the target
        ([(20, 16)], False),  # a base on the line
        ([(21.2, 16)], True),
    ],
)
def test_infantry_fires_through_friends_only_where_there_is_a_gap(friends: list[Place], open_to_fire: bool) -> None:
    found = aimed(between(*friends))
    if open_to_fire:
        assert isinstance(found, Shot)
    else:
        sentence = 'Friends stands between Blue 1 and Red 1, without a gap of 4" to fire through.'
        assert found == Why(sentence, "shoot.through-friends")


@pytest.mark.rule("fad5/shoot.through-friendly-infantry")
def test_enemies_who_are_behind_friends_are_seen_and_not_offered() -> None:
    state = between((18, 16), (22, 16))
    table = play(state).activates("blue-1")
    assert table.targets("fire-move") == {"red-1": FRIENDS}
    assert table.refused("fire-move", "red-1").rule == FRIENDS
    assert fad5().finding(state, "sight", "blue-1", "red-1").holds
    assert fad5().finding(state, "fire", "blue-1", "red-1").rule == FRIENDS
    seen = look(fad5(), state, Look("1", "blue-1", "red-1"))
    assert isinstance(seen, Sight)
    assert not seen.rays[0].clear
    told = '0 of 1 figures have a line of fire; 20" between the nearest edges. Friends stands in all lines of fire.'
    assert seen.summary == told
    # Red is no friend of those who stand there.
    assert isinstance(aim(fad5().rules, state, "red-1", "blue-1"), Shot)


@pytest.mark.rule("fad5/shoot.through-friendly-infantry")
@pytest.mark.rule("fad5/shoot.unseeing-members")
def test_figures_behind_friends_add_nothing_and_those_beside_them_fire() -> None:
    friends = unit("blue", [(7.8, 10), (10.8, 10)], id="friends")
    state = battle(unit("blue", (6, 6), figures=6, apart=4), unit("red", (26, 30), figures=2, armour="breach"), friends)
    shot = aimed(state)
    assert isinstance(shot, Shot)
    assert "1" not in shot.firing
    foretold = preview_shot(fad5().rules, state, "blue-1", "red-1")
    assert foretold is not None
    assert "Friends stands in some of its lines of fire." in foretold.notes
    told = fad5().finding(state, "fire", "blue-1", "red-1")
    assert "Friends stands in some of its lines of fire." in [part.sentence for part in told.parts]


@pytest.mark.rule("fad5/shoot.through-own-squad")
def test_figures_fire_through_their_own_squad() -> None:
    column = [(20, 6), (20, 8), (20, 10), (20, 12)]
    shot = aimed(battle(unit("blue", column), unit("red", (20, 27))))
    assert isinstance(shot, Shot)
    assert shot.firing == ("1", "2", "3", "4")


@pytest.mark.rule("fad5/move.flyer-sight")
@pytest.mark.rule("fad5/shoot.through-friendly-infantry")
@pytest.mark.parametrize(("friends", "open_to_fire"), [([(17.5, 12), (22.5, 12)], True), ([(18, 12), (22, 12)], False)])
def test_past_friends_a_flyer_is_fired_at_over_the_terrain(friends: list[Place], *, open_to_fire: bool) -> None:
    def fires(*, landed: bool) -> bool:
        flyer = vehicle("red", (20, 27), mobility="fly", conditions=["landed"] if landed else [])
        own = [unit("blue", (20, 6), figures=1), unit("blue", friends, id="friends")]
        state = battle(*own, flyer, terrain=[piece("cliff", (10, 15), (30, 17))])
        return fire_lines(fad5().rules, state, state.units["blue-1"], state.units["red-1"]).any()

    assert fires(landed=False) is open_to_fire
    assert not fires(landed=True)


@pytest.mark.rule("fad5/shoot.vehicles-over-infantry")
def test_vehicles_fire_over_friendly_infantry() -> None:
    state = between((18, 16), (22, 16))
    own = state.units["blue-1"]
    vehicle = replace(own, figures={"1": replace(own.figures["1"], hull=Hull(4_000, 2_000))})
    assert [friend.id for friend in in_the_way(fad5().rules, state, own)] == ["friends"]
    assert in_the_way(fad5().rules, state, vehicle) == []


@pytest.mark.rule("fad5/shoot.through-friendly-infantry")
def test_a_blast_is_not_aimed_through_friends() -> None:
    team = unit("blue", (20, 6), figures=3, quality="conscript", support=["light-mortar"])
    state = battle(team, unit("red", (20, 27)), unit("blue", [(18, 16), (22, 16)], id="friends"))
    table = play(state).activates("blue-1")
    refusal = table.refused("blast", PointTaken((inches(20), inches(27))))
    assert refusal.rule == FRIENDS
    assert refusal.sentence == "Blue 1 does not fire at that point through those who stand in the way."


# --- woods ----------------------------------------------------------------------------------------------------------


def through(*woods: Row, **options: str) -> State:
    """Return two single figures 20 inches apart, with these woods between them."""
    red = unit("red", (20, 26), **ONE)  # type: ignore[arg-type]
    return battle(unit("blue", (20, 6), **ONE), red, terrain=woods, options=options)  # type: ignore[arg-type]


def wood(south: float, north: float, kind: str = "woods") -> Row:
    return piece(kind, (0, south), (48, north))


@pytest.mark.rule("fad5/shoot.los-vegetation")
@pytest.mark.parametrize(
    ("woods", "seen", "ends"),
    [
        ([(15, 19, "woods")], True, False),
        ([(15, 19.1, "woods")], False, False),
        ([(15, 17, "dense_woods")], True, False),
        ([(15, 17.1, "dense_woods")], False, False),
        # Two strips are added up: 2" and 2" of light woods, 2" of light and 1" of dense ones.
        ([(12, 14, "woods"), (18, 20, "woods")], True, False),
        ([(12, 14, "woods"), (18, 20.1, "woods")], False, False),
        ([(12, 14, "woods"), (18, 19, "dense_woods")], True, False),
        ([(12, 14, "woods"), (18, 19.1, "dense_woods")], False, False),
        # A dense heart is not counted as light woods too.
        ([(14, 17, "woods"), (15, 16, "dense_woods")], True, False),
        # To the target 3" inside, and 5" inside.
        ([(23, 30, "woods")], True, True),
        ([(21, 30, "woods")], False, False),
        # Behind the edge of a thin strip sight goes on for 4", from one of the two ends.
        ([(23, 24, "woods")], True, True),
        ([(8, 9, "woods")], True, True),
    ],
)
def test_a_line_of_sight_ends_in_woods(woods: list[tuple[float, float, str]], seen: bool, ends: bool) -> None:
    pieces = [wood(*strip) | {"id": f"wood-{number}"} for number, strip in enumerate(woods)]
    assert isinstance(aimed(through(*pieces)), Shot) is seen
    assert isinstance(aimed(through(*pieces, woods_los="terminate")), Shot) is ends


@pytest.mark.rule("fad5/shoot.los-vegetation")
def test_the_sight_finding_names_the_wood_in_which_the_line_ends() -> None:
    state = through(wood(12, 14), wood(18, 19.5, "dense_woods"))
    found = fad5().finding(state, "sight", "blue-1", "red-1")
    assert not found.holds
    assert "because of Dense woods" in found.parts[0].sentence


# --- between centres ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/shoot.los-squad-centre")
def test_between_centres_all_figures_fire_and_can_be_hit_or_none() -> None:
    # A wall hides the first four of each squad from the other; the centres lie at x = 12.25, or farther east.
    wall = piece("cliff", (0, 15), (14, 16))
    close = facing(20, terrain=[wall])
    by_figure = aimed(close)
    assert isinstance(by_figure, Shot)
    assert len(by_figure.firing) < 6 or len(by_figure.seen) < 6
    hidden = facing(20, terrain=[wall], options=CENTRES)
    assert isinstance(aimed(hidden), Why)
    assert play(hidden).activates("blue-1").targets("fire-move") == {"red-1": "shoot.line-of-sight"}
    apart = facing(20, terrain=[piece("cliff", (0, 15), (12, 16))], options=CENTRES)
    shot = aimed(apart)
    assert isinstance(shot, Shot)
    # From centre to centre: 21 inches, where the bases are 20 apart.
    assert (len(shot.firing), len(shot.seen), shot.distance, shot.band) == (6, 6, 21_000, "medium")


@pytest.mark.rule("fad5/shoot.los-squad-centre")
def test_the_centre_is_the_middle_of_the_two_figures_that_are_farthest_apart() -> None:
    squad = unit("blue", [(6, 6), (8, 6), (16, 10)])
    state = battle(squad, unit("red", (11, 30), **ONE), options=CENTRES)  # type: ignore[arg-type]
    shot = aimed(state)
    assert isinstance(shot, Shot)
    assert shot.distance == 22_000
    told = fad5().finding(state, "range", "blue-1", "red-1")
    assert told.sentence == 'Red 1 is 22" away from Blue 1, in medium range of its Assault rifles.'
    assert lines(told.numbers[0][1]) == [("shoot.los-squad-centre", 22_000)]
    seen = look(fad5(), state, Look("1", "blue-1", "red-1"))
    assert isinstance(seen, Sight)
    assert [ray.start for ray in seen.rays] == [(11_000, 8_000)]
    assert seen.summary.startswith("The centres of the two see each other")
    found = fad5().finding(state, "sight", "blue-1", "red-1")
    assert (found.sentence, found.rule) == (
        "The centre of Blue 1 sees that of Red 1.",
        "shoot.los-squad-centre",
    )


@pytest.mark.rule("fad5/shoot.los-squad-centre")
@pytest.mark.rule("fad5/shoot.through-friendly-infantry")
def test_friends_between_the_centres_stop_all_fire() -> None:
    friends = unit("blue", [(11, 12), (14, 12)], id="friends")
    assert isinstance(aimed(facing(20, others=[friends])), Shot)
    found = aimed(facing(20, others=[friends], options=CENTRES))
    assert isinstance(found, Why)
    assert found.rule == "shoot.through-friends"


# --- who is not seen, and who may be chosen -------------------------------------------------------------------------


@pytest.mark.rule("fad5/shoot.unseeing-members")
def test_figures_out_of_sight_neither_fire_nor_are_hit() -> None:
    # A cliff stands before the western two: only the eastern ones see each other.
    state = battle(
        unit("blue", [(6, 6), (20, 6)]),
        unit("red", [(6, 27), (20, 27)], armour="breach"),
        terrain=[piece("cliff", (0, 15), (15, 16))],
    )
    shot = aimed(state)
    assert isinstance(shot, Shot)
    assert (shot.firing, shot.seen) == (("2",), ("2",))
    # Two hits, and both fall on the one figure that is seen.
    table = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[6, 1, 1, 1, 6, 6])
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("2",), "fire", "damage.infantry")]


@pytest.mark.rule("fad5/shoot.fire-priority")
def test_non_combatants_take_no_place_in_fire_priority() -> None:
    far = unit("red", (6, 24), figures=2, id="far")
    near = unit("red", (6, 14), figures=2, id="near", non_combatant=True)
    last = unit("red", (20, 34), figures=2, id="last")
    behind = unit("red", (20, 26), figures=2, id="behind", non_combatant=True)
    state = battle(unit("blue", (6, 6), figures=2, quality="rabble"), near, far, behind, last)
    assert play(state).activates("blue-1").targets("fire-move") == {
        "near": "",
        "far": "",
        "behind": "shoot.fire-priority",
        "last": "shoot.fire-priority",
    }


@pytest.mark.rule("fad5/shoot.fire-priority-unharmable")
def test_a_unit_that_can_harm_none_of_those_it_must_choose_does_not_fire() -> None:
    # Rabble must choose the nearest, which stands behind friends.
    friends = unit("blue", [(6, 10), (8.5, 10)], id="friends")
    near, far = unit("red", (7, 16), id="near", **ONE), unit("red", (30, 22), id="far", **ONE)  # type: ignore[arg-type]
    state = battle(unit("blue", (7, 6), quality="rabble", **ONE), near, far, friends)  # type: ignore[arg-type]
    table = play(state).activates("blue-1")
    assert table.targets("fire-move") == {"near": FRIENDS, "far": "shoot.fire-priority-unharmable"}
    (parameter,) = table.choice("fire-move").parameters
    assert isinstance(parameter, UnitParameter)
    why = parameter.candidates[1].why
    assert why is not None
    assert why.sentence == "Rabble units must shoot at the closest enemy they see, and Blue 1 can harm none of these."


@pytest.mark.rule("fad5/shoot.fire-priority-unharmable")
def test_one_legal_target_is_enough_for_fire_priority_to_say_who_is_closer() -> None:
    near, far = unit("red", (7, 16), id="near", **ONE), unit("red", (30, 22), id="far", **ONE)  # type: ignore[arg-type]
    state = battle(unit("blue", (7, 6), quality="rabble", **ONE), near, far)  # type: ignore[arg-type]
    assert play(state).activates("blue-1").targets("fire-move") == {"near": "", "far": "shoot.fire-priority"}


@pytest.mark.rule("fad5/shoot.hits")
def test_the_cover_of_a_squad_is_that_of_the_figures_that_may_be_hit() -> None:
    # Four of six stand in a ruin behind a cliff that hides them; the two that are seen stand in the open.
    ruin = piece("ruin", (0, 20), (14.5, 27))
    state = battle(
        unit("blue", (22, 6), **ONE),  # type: ignore[arg-type]
        unit("red", [(2, 24), (4.5, 24), (7, 24), (9.5, 24), (17, 24), (19.5, 24)]),
        terrain=[ruin, piece("cliff", (0, 18), (15, 19))],
    )
    shot = aimed(state)
    assert isinstance(shot, Shot)
    assert (shot.seen, shot.cover) == (("6", "5"), "none")
    assert fad5().finding(state, "cover", "blue-1", "red-1").holds is False


@pytest.mark.rule("fad5/shoot.mod-rabble-open")
@pytest.mark.parametrize(("kind", "amount"), [(None, 1), ("stream", 0), ("rocks", 0)])
def test_rabble_in_difficult_ground_is_not_in_the_open(kind: str | None, amount: int) -> None:
    terrain = [] if kind is None else [piece(kind, (4, 18.5), (7, 21))]
    state = facing(12, red={"quality": "rabble", "armour": "breach"}, terrain=terrain)
    told = dict(effect(state, [1, 1, 6, 1]))
    assert told.get("shoot.mod-rabble-open", 0) == amount
