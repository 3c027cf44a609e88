"""A module of a match: a heavy weapon with its crew, alone or attached to a squad."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Candidate, EndsTogether, PathsDeclared, Picked
from client_protocol.explained import Line
from server.kernel.answers.check import check_path
from server.kernel.attaching import figures_of
from server.kernel.errors import RulesetError
from server.kernel.facts import FigureRearmed, Rolled, UnitAttached, UnitDetached, UnitLeft, UnitMoved
from server.kernel.files.setups import write
from server.kernel.state import State
from server.rulesets.fad.damage import bonuses
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.firing import Part
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.shooting import FireEffect, PointsPerHit
from server.rulesets.fad.shot import SMALL_ARMS, Shot, aim
from server.rulesets.fad.vehicles.transport import waiting
from tests.support.battlefield import BattleTable, battle, fad4, figures, lines, piece, play, unit, vehicle
from tests.support.lucky import luck_of
from tests.support.tabletop import Place, Row

ON = {"weapon_teams": "on"}
RULE = "fad4/shoot.individuals"
ONE_DIES = [1, 1, 6, 1]
"""Dice of fire at short range: two hits, of which the first kills."""


def team(side: str, at: Place | Sequence[Place], weapon: str = "machine-gun", crew: int = 3, **other: object) -> Row:
    return unit(side, at, figures=crew, support=[weapon], apart=1.5, weapon_team=True, **other)  # type: ignore[arg-type]


def match(*units: Row, terrain: Sequence[Row] = (), **options: str) -> State:
    return battle(*units, terrain=terrain, options={**ON, **options}, size=(72, 72))


def alone(weapon: str = "machine-gun", **other: object) -> State:
    """Return a blue machine gun with a crew of three, and 20 inches north of it a red squad."""
    own = team("blue", (6, 6), weapon, **other)  # type: ignore[arg-type]  # as `unit` takes it
    return match(own, unit("red", (6, 27)))


def combined(
    weapon: str = "machine-gun",
    *,
    others: Sequence[Row] = (),
    far: float = 14,
    posts: Place | Sequence[Place] = (6, 8),
    **gun: object,
) -> State:
    """Return a blue squad of three with a team of three attached, and a red squad to the north."""
    own: Row = {"id": "gun", "attached": "squad", "activated": 0} | gun
    blue = unit("blue", (6, 6), id="squad", figures=3, apart=1.5)
    crew = team("blue", posts, weapon, **own)  # type: ignore[arg-type]  # as `unit` takes it
    return match(blue, crew, unit("red", (6, 8 + far), id="red"), *others)


def why(table: BattleTable, choice: str) -> str:
    barred = table.barred(choice)
    assert barred is not None
    return barred.sentence


# --- a team alone: adv.weapon-teams.unit, .movement, .fire ----------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_team_fires_its_weapon_with_one_die() -> None:
    """adv.weapon-teams.unit"""
    table = play(alone()).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    assert len(table.rolled("fire_effect").faces) == 1
    # 20 inches are close range of a machine gun, 4 x 7; riflemen do not count.
    assert lines(table.fire_effect) == [
        ("fire.effect-roll", 1),
        ("action.open-fire", 2),
        ("fire.shooter-regular", 1),
        ("tech.weapon-tables", 3),
    ]


@pytest.mark.rule(RULE)
def test_the_damage_of_a_team_is_that_of_its_weapon() -> None:
    """adv.weapon-teams.unit"""
    table = play(alone("heavy-auto-cannon")).activates("blue-1").chance(1).opens_fire_at("red-1", dice=[])
    assert table.rolled("damage").numbers[0].value == 6


@pytest.mark.rule(RULE)
def test_a_team_never_rushes() -> None:
    """adv.weapon-teams.movement"""
    table = play(alone()).activates("blue-1")
    assert why(table, "move-out") == "Blue 1 carries a general purpose machine gun: it moves, and never Rushes."
    assert table.barred("move-fire") is None


@pytest.mark.rule(RULE)
def test_a_team_that_has_moved_does_not_fire() -> None:
    """adv.weapon-teams.fire"""
    state = battle(
        team("blue", (6, 6)), unit("red", (6, 27)), options=ON, phase="turn", turn=0, first="", active="", size=(72, 72)
    )
    table = play(state, dice=[6, 1])
    table.activates("blue-1").moves(1, 0)
    assert table.asked == "red"
    shot = aim(fad4().rules, table.state, "blue-1", "red-1")
    assert not isinstance(shot, Shot)
    assert shot.sentence == "Blue 1 has moved this turn: its general purpose machine gun does not fire."


@pytest.mark.rule(RULE)
def test_a_team_that_has_fired_does_not_move_afterwards() -> None:
    """adv.weapon-teams.fire"""
    table = play(alone()).activates("blue-1").answers("fire-move", "red-1", dice=[1, 1])
    assert why(table, "move").startswith("Blue 1 has fired its general purpose machine gun")


@pytest.mark.rule(RULE)
def test_a_team_starts_no_close_assault_and_keeps_within_two_inches() -> None:
    """adv.weapon-teams.unit"""
    state = match(team("blue", (6, 6)), unit("red", (6, 11)))
    assert why(play(state).activates("blue-1"), "assault") == "Blue 1 is a weapons team and starts no Close Assault."
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Coherency"] == '2"'
    assert card["Crew"] == "3 of 3"
    assert card["Heavy weapon"] == 'General purpose machine gun, up to 84", damage +2, Fire Effect +3'


@pytest.mark.rule(RULE)
def test_a_weapon_that_blasts_is_aimed_at_a_point_and_not_at_men() -> None:
    """adv.weapon-teams.unit"""
    table = play(alone("light-mortar")).activates("blue-1")
    assert table.targets("open-fire")["red-1"] == "blast.declare-role"
    assert table.barred("blast") is None


# --- losses: adv.weapon-teams.crew-loss ---------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_each_man_of_the_crew_that_is_lost_costs_fire_and_an_inch() -> None:
    """adv.weapon-teams.crew-loss"""
    state = alone(lost=2)
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Move"] == '4"'
    # Its losses break it: it passes its test first.
    table = play(match(team("blue", (6, 6), lost=1), unit("red", (6, 27)))).activates("blue-1")
    table.chance(1).opens_fire_at("red-1", dice=[])
    assert ("shoot.individuals.weapon-teams", -1) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
def test_another_man_takes_over_the_weapon_of_one_who_falls() -> None:
    """adv.weapon-teams.crew-loss"""
    state = battle(
        unit("red", (6, 16)),
        team("blue", (6, 6)),
        options={**ON, "hit_allocation": "owner"},
        active="red",
        size=(72, 72),
    )
    # Fire Effect 6 + 2 + 1 + 2 - 0 against men who stand apart in the open: a hit for each 4.
    table = play(state).activates("red-1").opens_fire_at("blue-1", dice=[1, 1])
    table.answers("allocate", figures("1", "2"), dice=[6, 1])
    assert [(fact.figure, fact.role) for fact in table.seen(FigureRearmed)] == [("1", ""), ("2", "machine-gun")]
    texts = [story.text for fact in table.facts if (story := fad4().story(table.state, fact)) is not None]
    assert "Another of the crew of Blue 1 takes over the general purpose machine gun." in texts


# --- attached: adv.weapon-teams.attach ------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_team_is_attached_to_a_squad_of_its_kind_as_both_deploy() -> None:
    """adv.weapon-teams.attach"""
    squads = (
        unit("blue", None, id="like", figures=3),
        unit("blue", None, id="unlike", figures=3, quality="elite"),
        team("blue", None, id="gun"),  # type: ignore[arg-type]  # not placed yet
        unit("red", None, id="red", figures=3),
    )
    state = battle(*squads, options=ON, phase="deployment", turn=0, first="", active="blue")
    table = play(state)
    keys = [choice.key for choice in table.prompt.choices]
    assert "attach:gun:like" in keys
    assert "attach:gun:unlike" not in keys
    table.answers("attach:gun:like")
    assert table.seen(UnitAttached) == [UnitAttached("gun", "like", "shoot.individuals.weapon-teams")]
    assert list(table.unit("like").figures) == ["1", "2", "3", "gun:1", "gun:2", "gun:3"]
    assert table.unit("gun").figures == {}


@pytest.mark.rule(RULE)
def test_squad_and_team_are_one_unit_that_activates_moves_and_is_shot_at_as_one() -> None:
    """adv.weapon-teams.attach"""
    state = combined()
    assert [one.id for one in waiting(state, "blue")] == ["squad"]
    table = play(state).activates("squad")
    assert why(table, "move-out").endswith("it moves, and never Rushes.")
    assert table.barred("move-fire") is None
    table.moves(0, 1)
    assert [fact.unit for fact in table.seen(UnitMoved)] == ["squad"]
    assert set(table.seen(UnitMoved)[0].paths) == set(state.units["squad"].figures)
    shot = aim(fad4().rules, state, "red", "squad")
    assert isinstance(shot, Shot)
    assert {"gun:1", "1"} <= set(shot.seen)
    assert "gun" not in [row.unit for row in fad4_targets(state)]


def fad4_targets(state: State) -> Sequence[Candidate]:
    return targets(fad4().rules, state, "red")


@pytest.mark.rule(RULE)
def test_the_numbers_of_squad_and_team_are_combined_for_resolve() -> None:
    """adv.weapon-teams.attach"""
    # Two of three would break a Steady squad; two of six do not.
    blue = unit("blue", (6, 6), id="squad", figures=3, lost=2, resolve="steady")
    gun = team("blue", (6, 8), id="gun", attached="squad", resolve="steady")
    assert not casualties_break(fad4().rules, match(blue, gun, unit("red", (6, 27))).units["squad"])
    assert casualties_break(fad4().rules, match(blue, unit("red", (6, 27))).units["squad"])


@pytest.mark.rule(RULE)
def test_if_the_squad_is_wiped_out_the_crew_goes_on_alone() -> None:
    """adv.weapon-teams.attach"""
    blue = unit("blue", (6, 12), id="squad", figures=1)
    gun = team("blue", (6, 14), id="gun", attached="squad", activated=0)
    state = battle(blue, gun, unit("red", (6, 6), id="red"), options=ON, active="red", size=(72, 72))
    table = play(state).activates("red").opens_fire_at("squad", dice=ONE_DIES)
    assert table.seen(UnitDetached) == [UnitDetached("gun", "shoot.individuals.weapon-teams")]
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["squad"]
    assert list(table.unit("gun").figures) == ["1", "2", "3"]
    # The marker was on both.
    assert table.unit("gun").conditions == ("under_fire",)
    assert [one.id for one in waiting(table.state, "blue")] == ["gun"]


@pytest.mark.rule(RULE)
def test_if_the_crew_is_wiped_out_the_team_is_lost_and_the_squad_goes_on() -> None:
    """adv.weapon-teams.attach"""
    blue = unit("blue", (6, 14), id="squad", figures=3)
    gun = team("blue", (6, 12), crew=1, id="gun", attached="squad")
    state = battle(blue, gun, unit("red", (6, 6), id="red"), options=ON, active="red", size=(72, 72))
    table = play(state).activates("red").opens_fire_at("squad", dice=ONE_DIES)
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [("gun", "destroyed")]
    assert not table.unit("squad").left


@pytest.mark.parametrize(("armour", "worn", "firing"), [("light-powered", ("assault_suit",), 3), ("breach", (), 1)])
def test_a_squad_with_what_takes_the_place_of_a_heavy_weapon_may_have_a_team_with_it(
    armour: str, worn: Sequence[str], firing: int
) -> None:
    traits = dict.fromkeys(("regen_unit", *worn), True)
    own = unit("blue", (6, 6), id="squad", figures=3, apart=1.5, armour=armour, traits=traits)
    gun = team("blue", (6, 8), id="gun", attached="squad", activated=0, armour=armour)
    state = match(own, gun, unit("red", (6, 22), id="red"))
    # Without powered armour, two of the squad's own three carry the regen unit.
    shot = aim(fad4().rules, state, "squad", "red", SMALL_ARMS)
    assert isinstance(shot, Shot)
    assert len(shot.firing) == firing


CREW = ("gun:1", "gun:2", "gun:3")


def moves(state: State, **shifts: tuple[float, float]) -> PathsDeclared:
    """Return paths of figures of the squad; `gun1` is the first of the crew, `f1` the first of the squad's own."""
    ways: dict[str, tuple[tuple[int, int], ...]] = {}
    for name, (dx, dy) in shifts.items():
        key = f"gun:{name[-1]}" if name.startswith("gun") else name[-1]
        at = state.units["squad"].figures[key].at
        assert at is not None
        ways[key] = ((round(at[0] + dx * 1000), round(at[1] + dy * 1000)),)
    return PathsDeclared(ways)


@pytest.mark.rule(RULE)
def test_the_crew_of_an_attached_team_ends_within_two_inches_of_each_other() -> None:
    """move.coherency-weapon-team"""
    table = play(combined()).activates("squad")
    state = table.state
    # A gap of 0.5 inch lies between each two; a Regular squad may be torn apart to 4 inches, and its crew to 2.
    assert table.path("move-fire").gap == 4_000
    assert table.path("move-fire").ends[-1].any_of == (EndsTogether(CREW, 2_000),)
    refusal = table.refused("move-fire", moves(state, gun3=(1.6, 0)))
    assert (refusal.code, refusal.rule) == ("path_end", "shoot.individuals.weapon-teams")
    assert refusal.sentence == "The crew of Squad's weapon keeps together: no gap between its figures is over 2\"."
    assert check_path(state, table.path("move-fire"), moves(state, gun3=(1.5, 0))) is None
    # The squad's own men are not asked for that, and together all go on.
    assert check_path(state, table.path("move-fire"), moves(state, f3=(2.5, 0))) is None
    whole = {f"gun{n}": (0.0, 4.0) for n in (1, 2, 3)} | {f"f{n}": (0.0, 4.0) for n in (1, 2, 3)}
    assert check_path(state, table.path("move-fire"), moves(state, **whole)) is None


@pytest.mark.rule(RULE)
def test_a_crew_that_stands_apart_closes_up_as_it_moves() -> None:
    """move.coherency-weapon-team, fad4/coherency.broken"""
    table = play(combined(posts=[(6, 8), (7.5, 8), (11.5, 8)])).activates("squad")
    bound = table.path("move-fire").ends[-1].any_of
    assert bound == (EndsTogether(CREW, 2_000),)  # it can
    assert check_path(table.state, table.path("move-fire"), moves(table.state, f1=(0, 1))) is not None
    assert check_path(table.state, table.path("move-fire"), moves(table.state, gun3=(-1, 0))) is None


@pytest.mark.rule(RULE)
def test_a_crew_that_cannot_close_up_comes_as_near_as_it_can() -> None:
    """move.coherency-weapon-team, fad4/coherency.broken"""
    swamp = piece("swamp", (8.4, 5), (19, 11), id="swamp")
    gun = team("blue", [(6, 8), (9, 8), (18, 8)], id="gun", attached="squad", activated=0)
    men = unit("blue", (6, 6), id="squad", figures=3, apart=4, conditions=["under_fire"])
    table = play(match(men, gun, unit("red", (6, 30), id="red"), terrain=(swamp,))).activates("squad")
    (bound,) = table.path("move-fire").ends[-1].any_of
    assert isinstance(bound, EndsTogether)
    assert bound.gap == 4_000


@pytest.mark.rule(RULE)
def test_the_position_editor_tells_of_a_crew_that_is_torn_apart() -> None:
    """move.coherency-weapon-team"""
    torn = combined(posts=[(6, 8), (7.5, 8), (11.5, 8)])
    assert fad4().amiss(torn, "squad") == (
        'The crew of Squad\'s weapon is out of coherency: a gap is 3"; the limit is 2".',
    )
    assert fad4().amiss(combined(), "squad") == ()


# --- its fire: adv.weapon-teams.attached-move, .separate-targets, .combined-fire ------------------------------------


@pytest.mark.rule(RULE)
def test_if_the_unit_has_moved_only_the_infantry_shoots() -> None:
    """adv.weapon-teams.attached-move"""
    blue = unit("blue", (6, 6), id="squad", figures=3, apart=1.5)
    gun = team("blue", (6, 8), id="gun", attached="squad")
    state = battle(
        blue, gun, unit("red", (6, 24), id="red"), options=ON, phase="turn", turn=0, first="", active="", size=(72, 72)
    )
    table = play(state, dice=[6, 1]).activates("squad").moves(0, 1)
    assert table.unit("squad").figures["gun:1"].at == (6000, 9000)
    table.chance(1).answers("fire", "red")
    assert len(table.rolled("fire_effect").faces) == 2
    assert ("tech.weapon-tables", 3) not in lines(table.fire_effect)


@pytest.mark.rule(RULE)
def test_the_two_highest_of_three_dice_are_added_for_one_fire_effect() -> None:
    """adv.weapon-teams.combined-fire: 2 and 5 for the infantry, 4 for the weapon: 9"""
    table = play(combined()).activates("squad").answers("open-fire", "red")
    assert [choice.label for choice in table.prompt.choices] == [
        "Together",
        "Only the small arms",
        "Only the general purpose machine gun",
    ]
    table.answers(Part("", True, "red").key(), dice=[2, 5, 4, 6, 1, 1, 1, 1])
    roll = table.rolled("fire_effect")
    assert roll.marks == ("", "kept", "kept")
    # 14 - 3 for the bases: 13 inches are medium range of the rifles, the worse of both.
    assert lines(table.fire_effect)[0] == ("shoot.individuals.weapon-teams", 9)
    assert table.rolled("joined_damage").rule == "shoot.individuals.weapon-teams"


@pytest.mark.rule(RULE)
def test_odd_hits_are_of_the_small_arms_and_even_ones_of_the_weapon() -> None:
    """adv.weapon-teams.combined-fire"""
    state = combined("heavy-auto-cannon", far=10)
    shot = aim(fad4().rules, state, "squad", "red")
    assert isinstance(shot, Shot)
    assert shot.joined == "gun:1"
    assert [bonus.value for bonus in bonuses(fad4().rules, state, shot, 4)] == [2, 6, 2, 6]
    table = play(state).activates("squad").answers("open-fire", "red")
    # 6 + 6 and the lines below make three hits: 2 on the first is 4 and reaches light armour, as 1 + 6 does.
    table.answers(Part("", True, "red").key(), dice=[6, 6, 1, *[1] * (table_hits(state))])
    assert table.rolled("joined_damage").marks[:3] == ("fail", "kill", "fail")
    told = fad4().story(table.state, table.rolled("joined_damage"))
    assert told is not None
    assert told.text.startswith("Damage 1D6 +2, and +6 for every second hit, against armour")
    luck = luck_of(fad4(), state, table.facts, "joined_damage", "squad")
    assert luck.wanted == "kills"


def table_hits(state: State) -> int:
    """Return how many hits two sixes make when the unit opens fire together."""
    shot = aim(fad4().rules, state, "squad", "red")
    assert isinstance(shot, Shot)
    effect = fad4().rules.advisers.answer(state, FireEffect(shot, open_fire=True), Line("SET", 12, "", ""))
    return effect.value // fad4().rules.advisers.answer(state, PointsPerHit(shot)).value


@pytest.mark.rule(RULE)
def test_a_unit_that_stands_fires_at_separate_targets() -> None:
    """adv.weapon-teams.separate-targets"""
    state = combined(others=[unit("red", (40, 22), id="other", figures=2)])
    table = play(state).activates("squad").answers("open-fire", "red")
    table.answers(Part(SMALL_ARMS, True, "red").key(), dice=[1, 1, 1])
    assert len(table.rolled("fire_effect").faces) == 2
    offer = table.prompt.choices[0]
    assert offer.key == Part("gun:1", True).key()
    assert [row.unit for row in offer.parameters[0].candidates] == ["other"]  # type: ignore[union-attr]  # names a unit
    table.chance(1).answers(offer.key, "other")
    assert [len(fact.faces) for fact in table.seen(Rolled) if fact.purpose == "fire_effect"] == [2, 1]
    assert set(table.unit("other").conditions) == {"under_fire"}


@pytest.mark.rule(RULE)
def test_a_part_out_of_range_cannot_join() -> None:
    """adv.weapon-teams.combined-fire"""
    shot = aim(fad4().rules, combined(far=60), "squad", "red")
    assert isinstance(shot, Shot)
    assert (shot.mount, shot.joined) == ("gun:1", "")


@pytest.mark.rule(RULE)
def test_the_preview_of_combined_fire_has_the_odds_of_the_two_highest_of_three() -> None:
    """adv.weapon-teams.combined-fire"""
    table = play(combined()).activates("squad").answers("open-fire", "red")
    told = fad4().preview(table.state, table.prompt, Picked(table.prompt.choices[0].key))
    assert told is not None
    assert told.dice == "two highest of 3D6"
    assert "with the general purpose machine gun" in told.notes[0]
    only = fad4().preview(table.state, table.prompt, Picked(table.prompt.choices[2].key))
    assert only is not None
    assert only.dice == "1D6"


# --- positions ------------------------------------------------------------------------------------------------------


def test_a_position_with_an_attached_team_is_written_as_it_is_read() -> None:
    state = combined(lost=1)
    again = fad4().read(write(state))
    assert again.units == state.units
    assert [one.fallen for one in figures_of(again, again.units["gun"]).values()] == [False, False, True]


@pytest.mark.rule(RULE)
def test_a_position_with_a_team_needs_the_option() -> None:
    with pytest.raises(RulesetError, match="has the trait Weapons team: switch the option Heavy weapons teams on"):
        battle(team("blue", (6, 6)), unit("red", (6, 27)))


@pytest.mark.parametrize(
    ("gun", "sentence"),
    [
        ({"support": []}, "one of its figures that stand serves a heavy weapon"),
        ({"attached": "blue-9"}, "is attached to 'blue-9', which the setup does not have"),
        ({"attached": "red-2"}, "that is no unit on foot of its side"),
        ({"quality": "elite", "attached": "blue-3"}, "a team is attached to a squad of its Quality"),
    ],
)
def test_what_is_no_team_and_what_cannot_have_one_is_refused(gun: dict[str, object], sentence: str) -> None:
    own = team("blue", (6, 6)) | {key: value for key, value in gun.items() if key != "support"}
    if "support" in gun:
        own["figures"][0]["role"] = ""  # type: ignore[index]  # the rows of figures
    with pytest.raises(RulesetError, match=sentence):
        match(own, unit("red", (6, 27), id="red-2"), unit("blue", (40, 6), id="blue-3"))


def crew(**gun: object) -> Row:
    return team("blue", (6, 8), "light-auto-cannon", **gun)  # type: ignore[arg-type]  # as `unit` takes it


@pytest.mark.rule(RULE)
def test_combined_fire_at_a_vehicle_has_the_damage_and_piercing_of_each_weapon_in_turn() -> None:
    """adv.weapon-teams.combined-fire: against vehicles, of gauss rifles (+3, AP 1) and an auto cannon (+6, AP 0)"""
    gun: Row = {"id": "gun", "attached": "squad", "activated": 0, "small_arm": "gauss-rifle"}
    squad = unit("blue", (6, 6), id="squad", figures=3, apart=1.5, small_arm="gauss-rifle")
    tank = vehicle("red", (6, 18), id="tank", facing=270, armour=(8, 6, 4))
    state = match(squad, crew(**gun), tank)
    table = play(state).activates("squad").answers("open-fire", "tank")
    # 6 + 6 of the dice, 2 for Open Fire, 1 for Regulars and for three riflemen, 2 of the cannon: 18 points, six hits.
    table.answers(Part("", True, "tank").key(), dice=[6, 6, 1, 6, 6, 1, 1, 1, 1])
    roll = table.rolled("joined_vehicle_damage")
    assert len(roll.faces) == 6
    added, other, *armour = (number.value for number in roll.numbers)
    assert (added, other, armour) == (3, 6, [11, 12] * 3)
    # 1 + 3 against 12 - 1, 6 + 6 against 12.
    assert roll.marks == ("fail", "hit", "fail", "fail", "fail", "fail")
    assert table.unit("tank").profile["damage_tokens"] == 1


@pytest.mark.rule(RULE)
def test_small_arms_without_an_anti_tank_rating_leave_a_vehicle_to_the_weapon() -> None:
    """adv.weapon-teams.combined-fire"""
    gun: Row = {"id": "gun", "attached": "squad", "activated": 0}
    squad = unit("blue", (6, 6), id="squad", figures=3, apart=1.5)
    state = match(squad, crew(**gun), vehicle("red", (6, 18), id="tank"))
    shot = aim(fad4().rules, state, "squad", "tank")
    assert isinstance(shot, Shot)
    assert (shot.mount, shot.joined) == ("gun:1", "")
