"""The Reaction card: an enemy that sees the unit drawn next reacts to it, by fire or by a move, before it acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, AssignmentParameter, EndsAlong, EndsAtPiece, EndsFarther, Picked
from server.kernel.errors import RulesetError
from server.kernel.facts import ActivationBegan, ConditionGained, Declared, FiguresFell, Rolled, UnitLeft, UnitMoved
from server.kernel.notes import Note
from server.kernel.space.geometry import inches
from server.rulesets.fad.rushed import RUSHED
from server.rulesets.fad.setup import positions
from server.rulesets.fad.supply import SUPPLY
from server.rulesets.fad.vehicles.squads import SQUAD
from tests.rulesets.fad5.battlefield import fad5
from tests.rulesets.fad5.battlefield import vehicle as vehicle_of_fad5
from tests.rulesets.fad5.expanded import (
    BLUE_1,
    BLUE_2,
    COMMANDER_BLUE,
    REACTION,
    activated,
    dawn,
    position,
    sides,
    with_vehicles,
)
from tests.support.battlefield import BattleTable, driven, lines, piece, play, shifted, unit, vehicle

LAPSE, CARRY = {"reaction_unused": "lapse"}, {"reaction_unused": "carry"}


def reacts(dice: Sequence[int] = (REACTION, BLUE_1), apart: float = 30, **more: object) -> BattleTable:
    """Return a table on which a Reaction card and then that of blue-1 is drawn, red so many inches away."""
    return dawn(dice, apart=apart, **more)  # type: ignore[arg-type]  # as `dawn` takes it


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_an_enemy_that_sees_the_unit_drawn_may_react_before_it_acts() -> None:
    table = reacts()
    assert (table.asked, table.offered) == ("red", ["react", "no-reaction"])
    assert table.prompt.default == Picked("no-reaction")
    assert table.prompt.rule == "turn.cards-reaction"
    assert table.targets("react") == {"red-1": "", "red-2": ""}
    assert activated(table) == []
    table.answers("no-reaction")
    assert (table.asked, activated(table)) == ("blue", ["blue-1"])


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_it_needs_a_line_of_sight() -> None:
    rows = sides(10)
    house = piece("building", (16, 0), (18, 20))
    table = play(position(rows, terrain=[house]), [REACTION, BLUE_1])
    assert table.targets("react") == {"red-1": "", "red-2": "turn.cards-reaction"}
    hidden = play(position(rows, terrain=[piece("building", (0, 10), (48, 11))]), [REACTION, BLUE_1])
    assert (hidden.asked, activated(hidden)) == ("blue", ["blue-1"]), "there is nothing to ask"


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_pinned_units_do_not_react() -> None:
    table = reacts(options={"pinning": "on"}, red_1={"conditions": ["pinned"]})
    assert table.targets("react") == {"red-1": "adv.pinning.no-shooting", "red-2": ""}


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_it_uses_up_nothing_of_the_units_own_activation_and_takes_off_no_marker() -> None:
    table = reacts([3], red_1={"conditions": ["under_fire"]}).holds(dice=[8, BLUE_1])
    assert activated(table) == ["red-1"]
    table.answers("react", "red-1").answers("react-fire", "blue-1", dice=[1, 1])
    assert activated(table) == ["red-1", "blue-1"], "it has acted already, and may react"
    other = reacts(red_1={"conditions": ["under_fire"]}).answers("react", "red-1")
    other.answers("react-fire", "blue-1", dice=[1, 1])
    assert "under_fire" in other.unit("red-1").conditions
    other.holds(dice=[2])
    assert activated(other) == ["blue-1", "red-1"], "it still has its card"


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_if_the_next_card_is_no_units_the_reaction_lapses_unless_the_match_has_it_wait() -> None:
    # Reaction, then the Commander card of blue, then blue-1.
    for options, asked in ((LAPSE, "blue"), (CARRY, "red")):
        table = dawn([REACTION, COMMANDER_BLUE], options, apart=10)
        assert table.offered == ["activate", "no-command"]
        cards = fad5().special_cards(table.state)
        assert cards is not None
        assert cards.aside == (("card:reaction",) if asked == "red" else ())
        table.answers("no-command", dice=[BLUE_1])
        assert table.asked == asked


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_each_reaction_card_is_for_one_units_card() -> None:
    both = {"reaction_cards": "two"}
    # Two in a row: the second one starts to wait anew.
    lapses = dawn([REACTION, REACTION, BLUE_1], both | LAPSE, apart=10).answers("no-reaction").holds(dice=[1])
    assert (lapses.asked, activated(lapses)) == ("blue", ["blue-1", "blue-2"])
    carries = dawn([REACTION, REACTION, BLUE_1], both | CARRY, apart=10).answers("no-reaction").holds(dice=[1])
    assert (carries.asked, carries.offered) == ("red", ["react", "no-reaction"])
    carries.answers("no-reaction").holds(dice=[1])
    assert activated(carries) == ["blue-1", "blue-2", "red-1"]


@pytest.mark.rule("fad5/turn.cards-reaction")
def test_a_unit_that_is_wiped_out_by_the_reaction_does_not_activate() -> None:
    table = reacts(apart=10, blue_1={"lost": 3}).answers("react", "red-1")
    table.answers("react-fire", "blue-1", dice=[4, 1, 1, 1, 6, 6, BLUE_1])
    assert UnitLeft("blue-1", "destroyed", "damage.infantry") in table.seen(UnitLeft)
    assert activated(table) == ["blue-2"]


# --- fire -----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_a_reaction_by_fire_is_normal_fire_that_marks() -> None:
    table = reacts().answers("react", "red-1")
    assert table.offered == ["react-fire", "react-towards", "react-away", "no-reaction"]
    assert table.prompt.default == Picked("no-reaction")
    told = fad5().preview(table.state, table.prompt, Picked("react-fire", table.prompt.default.values))
    assert told is None
    table.answers("react-fire", "blue-1", dice=[1, 1])
    declared = [(fact.unit, fact.action, fact.rule) for fact in table.seen(Declared)]
    assert declared == [
        ("red-1", "react-fire", "turn.reaction-fire"),
        ("red-1", "shoot", "shoot.unit-fires-once"),
    ]
    assert table.seen(ConditionGained) == [ConditionGained("blue-1", "under_fire", "under-fire.marking")]
    assert activated(table) == ["blue-1"]


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_fire_priority_is_waived() -> None:
    rows = sides(10, red_1={"quality": "rabble"})
    # The unit drawn stands behind another one, and Rabble must fire at the nearest.
    rows.append(unit("blue", (6, 12), figures=4))
    table = play(position(rows), [10, BLUE_1]).answers("react", "red-1")
    assert table.targets("react-fire") == {"blue-1": ""}


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_a_unit_out_of_range_may_still_move() -> None:
    table = reacts(red_1={"small_arm": "submachine-gun"}).answers("react", "red-1")
    assert table.targets("react-fire") == {"blue-1": "shoot.range-bands"}
    assert "react-towards" in table.offered


@pytest.mark.rule("fad5/turn.reaction-fire")
@pytest.mark.rule("fad5/move.rush")
def test_a_unit_that_has_rushed_this_turn_does_not_fire_in_reaction() -> None:
    table = reacts([3]).answers("move-out", shifted(reacts([3]).state, "red-1", 0, -6), dice=[8, BLUE_1])
    table.answers("react", "red-1")
    why = table.barred("react-fire")
    assert why is not None
    assert (why.sentence, why.rule) == ("Red 1 has Rushed this turn, and does not fire.", "move.rush")
    assert table.barred("react-away") is None
    walked = (
        reacts([3])
        .answers("move-fire", shifted(reacts([3]).state, "red-1", 0, -6))
        .answers("hold-fire", dice=[8, BLUE_1])
    )
    assert walked.answers("react", "red-1").barred("react-fire") is None


@pytest.mark.rule("fad5/move.rush")
def test_a_note_of_those_who_have_rushed_that_holds_something_else_is_refused() -> None:
    state = reacts([3]).state
    with pytest.raises(RulesetError, match=r"the book's cards\.rushed are a turn and units"):
        positions.admit(replace(state, book={**state.book, RUSHED: ("red-1",)}), fad5().rules)


# --- moves ----------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/turn.reaction-move")
def test_a_unit_moves_straight_towards_the_enemy_or_straight_away() -> None:
    table = reacts(apart=20).answers("react", "red-1")
    towards, away = table.path("react-towards"), table.path("react-away")
    assert towards.allowance == away.allowance == inches(6)
    (ahead,), (back,) = towards.ends[0].any_of, away.ends[0].any_of
    assert (ahead, back) == (EndsAlong(27_000, 1_500), EndsAlong(9_000, 1_500))
    refused = table.refused("react-towards", shifted(table.state, "red-1", 2, -4))
    assert refused.rule == "turn.reaction-move"
    assert table.refused("react-away", shifted(table.state, "red-1", 0, -4)).rule == "turn.reaction-move"
    assert table.refused("react-towards", shifted(table.state, "red-1", 0, -6.1)).rule == "move.infantry-move"
    table.answers("react-towards", shifted(table.state, "red-1", 1, -5))
    moved = table.seen(UnitMoved)[0]
    assert (moved.unit, moved.rule) == ("red-1", "turn.reaction-move")
    assert Declared("red-1", "react-towards", "turn.reaction-move", "blue-1") in table.seen(Declared)
    assert activated(table) == ["blue-1"]


@pytest.mark.rule("fad5/turn.reaction-move")
def test_a_unit_moves_towards_one_piece_of_cover() -> None:
    wood, wall = piece("woods", (0, 30), (6, 34), id="wood"), piece("wall", (40, 20), (46, 20), id="wall")
    table = play(position(sides(20), terrain=[wood, wall]), [REACTION, BLUE_1]).answers("react", "red-1")
    (rule,) = table.path("react-cover").ends
    assert rule.any_of == (EndsAtPiece("wood", 1_000), EndsAtPiece("wall", 1_000))
    # One figure towards the wood, the others towards the wall.
    apart = shifted(table.state, "red-1", 1, 0)
    away = shifted(table.state, "red-1", -1, 1, only=["1"])
    mixed = replace(apart, paths={**apart.paths, **away.paths})
    assert table.refused("react-cover", mixed).rule == "turn.reaction-move"
    table.answers("react-cover", shifted(table.state, "red-1", -1, 3))
    assert Declared("red-1", "react-cover", "turn.reaction-move", "blue-1") in table.seen(Declared)


@pytest.mark.rule("fad5/turn.reaction-move")
def test_a_broken_unit_does_not_move_towards_the_enemy() -> None:
    rows = sides(20, red_1={"conditions": ["broken"], "lost": 1, "resolve": "reluctant"})
    table = play(position(rows, terrain=[piece("woods", (0, 18), (8, 22))]), [REACTION, BLUE_1])
    table.answers("react", "red-1")
    why = table.barred("react-towards")
    assert why is not None
    assert (why.sentence, why.rule) == ("Red 1 is Broken and does not move towards the enemy.", "turn.reaction-move")
    assert EndsFarther(("blue-1",)) in [end for rule in table.path("react-cover").ends for end in rule.any_of]
    assert table.barred("react-away") is None


@pytest.mark.rule("fad5/turn.reaction-move")
def test_without_cover_on_the_table_there_is_none_to_move_to() -> None:
    why = reacts().answers("react", "red-1").barred("react-cover")
    assert why is not None
    assert why.sentence == "There is no cover on the table."


# --- vehicles: also those of FAD 4, which have no fire control --------------------------------------------------------


LIMITED = "machine-gun.limited-supply"


def tank(book: Mapping[str, Note] | None = None, /, **more: object) -> BattleTable:
    """Return a table on which a Reaction card and then that of a squad is drawn, which a tank sees 31 inches away; `book` is what
    the match has noted before.
    """
    rules = with_vehicles()
    rows = [unit("blue", (6, 6), figures=4), vehicle("red", (8, 38), facing=270, **more)]  # type: ignore[arg-type]
    state = position(rows, rules=rules)
    return BattleTable(rules, replace(state, book={**state.book, **(book or {})}), [3, 1])


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_a_vehicle_reacts_with_all_weapons_that_bear_at_the_unit_drawn() -> None:
    table = tank(weapons=["light-auto-cannon", "light-auto-cannon"], quality="conscript").answers("react", "red-1")
    assert table.offered == ["react-fire", "react-towards", "react-away", "no-reaction"]
    table.answers("react-fire", Assigned({"m1": "blue-1", "m2": "blue-1"}), dice=[1, 1, 1])
    shots = [fact for fact in table.seen(Declared) if fact.action == "shoot"]
    assert [(fact.unit, fact.target) for fact in shots] == [("red-1", "blue-1")] * 2
    assert activated(table) == ["blue-1"]


@pytest.mark.rule("fad5/turn.reaction-fire")
@pytest.mark.rule("fad5/shoot.vehicle-weapons")
@pytest.mark.parametrize(("control", "most"), [("primitive", 1), ("extensive", 2)])
def test_a_vehicle_reacts_with_as_many_weapons_as_its_fire_control_allows(control: str, most: int) -> None:
    own = vehicle_of_fad5("red", (8, 38), facing=270, weapons=["machine-gun"] * 3)
    state = position([unit("blue", (6, 6), figures=4), own | {"fire_control": control}], rules=fad5())
    table = BattleTable(fad5(), state, [3, 1]).answers("react", "red-1")
    (weapons,) = table.choice("react-fire").parameters
    assert isinstance(weapons, AssignmentParameter)
    assert (len(weapons.rows), weapons.most, len(weapons.suggested)) == (3, most, most)


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_a_vehicle_that_cannot_fire_is_told_why() -> None:
    table = tank(weapons=[]).answers("react", "red-1")
    why = table.barred("react-fire")
    assert why is not None
    assert why.sentence == "Red 1 has no weapon."


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_a_vehicle_does_not_react_with_a_weapon_that_has_run_out() -> None:
    table = tank({SUPPLY: (("red-1", "General purpose machine gun (limited supply)", 0),)}, weapons=[LIMITED])
    why = table.answers("react", "red-1").barred("react-fire")
    assert why is not None
    assert why.sentence == "Red 1 has used up its general purpose machine gun (limited supply)."


@pytest.mark.rule("fad5/turn.reaction-fire")
def test_after_each_shot_of_a_reaction_a_limited_supply_is_rolled_for() -> None:
    table = (
        tank(weapons=[LIMITED]).chance(1).answers("react", "red-1").answers("react-fire", Assigned({"m1": "blue-1"}))
    )
    assert table.rolled("supply").unit == "red-1"


@pytest.mark.rule("fad5/turn.reaction-fire")
@pytest.mark.parametrize("trait", ["smart-targeting", "auto-target"])
def test_a_squad_reacts_with_all_its_weapons_at_the_unit_drawn_whatever_picks_its_targets(trait: str) -> None:
    rules = with_vehicles()
    rows = [unit("blue", (6 + 12 * place, 19 + 4 * place), figures=2) for place in range(3)]
    rows += [unit("red", (6, 6), figures=4, quality="conscript", support=[f"squad-automatic-weapon.{trait}"])]
    # The deck is blue's cards, red's, and the Reaction card.
    table = BattleTable(rules, position(rows, rules=rules), [5, 3]).chance(1).answers("react", "red-1")
    table.answers("react-fire", "blue-3")
    (shot,) = [fact for fact in table.seen(Rolled) if fact.purpose == "fire_effect"]
    assert shot.target == "blue-3"
    assert {"fire.shooter-riflemen", "shoot.support-weapons"} <= dict(lines(shot.numbers[0])).keys()


@pytest.mark.rule("fad5/turn.reaction-move")
def test_a_vehicle_reacts_at_cautious_speed() -> None:
    table = tank().answers("react", "red-1")
    assert table.path("react-away").allowance == inches(with_vehicles().book.mobilities["track"].cautious)
    table.answers("react-away", driven((8, 44)))
    assert [fact.unit for fact in table.seen(UnitMoved)] == ["red-1"]
    assert [fact.unit for fact in table.seen(ActivationBegan)] == ["blue-1"]
    assert table.seen(FiguresFell) == []
    assert [fact.outcome for fact in table.seen(Rolled)] == ["card:reaction", "blue-1"]


@pytest.mark.rule("fad5/turn.reaction-move")
@pytest.mark.parametrize(
    ("mark", "rule"),
    [("immobilised", "damage.external-immobilised"), ("out_of_action", "damage.vehicle-system-kill")],
)
def test_a_vehicle_that_cannot_drive_makes_no_move_in_reaction(mark: str, rule: str) -> None:
    own = vehicle_of_fad5("red", (8, 38), facing=270, conditions=[mark], weapons=["machine-gun"])
    state = position([unit("blue", (6, 6), figures=4), own, unit("red", (6, 30))], rules=fad5())
    table = BattleTable(fad5(), state, [4, 1])
    if mark == "out_of_action":
        assert table.targets("react")["red-1"] == rule
        return
    table.answers("react", "red-1")
    assert table.barred("react-fire") is None
    for move in ("react-towards", "react-away"):
        why = table.barred(move)
        assert why is not None
        assert why.rule == rule


@pytest.mark.rule("fad5/move.vehicle-formations")
def test_a_move_in_reaction_is_the_one_of_a_scattered_formation() -> None:
    own = [vehicle_of_fad5("red", at, facing=270, **{SQUAD: "Wolves"}) for at in ((8, 38), (40, 38))]
    state = position([unit("blue", (6, 6), figures=4), *own], {"vehicle_formations": "on"}, rules=fad5())
    table = BattleTable(fad5(), state, [4, 1]).answers("react", "red-1")
    table.answers("react-away", driven((8, 42))).holds(dice=[2])
    why = table.barred("drive-out")
    assert (table.state.turn.unit, why and why.rule) == ("red-2", "move.vehicle-formations")


def test_every_face_of_the_deck_is_a_card_of_blue_2_in_its_place() -> None:
    assert activated(dawn([BLUE_2])) == ["blue-2"]
