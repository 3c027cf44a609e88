"""Powered armour and Bio Mech suits, and the weapons that only powered armour carries."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import FiguresFell
from server.rulesets.fad.modules.pinning import PinLevel
from server.rulesets.fad.movement import CHARGE, MOVE, RUSH, CoherencyDistance, allowance
from server.rulesets.fad.ruleset import FadRuleset
from tests.rulesets.fad4.assaults import assault, charge, roll_of, score
from tests.support.battlefield import BattleTable, battle, facing, fad4, lines, play, shifted, unit
from tests.support.lucky import holds_every_way, luck_of

POWERED: dict[str, object] = {"armour": "light-powered", "figures": 3}
PLAIN: dict[str, object] = {"figures": 3}
FOE = unit("red", (6, 40))


def fought(dice: list[int], blue: dict[str, object], red: dict[str, object]) -> BattleTable:
    return charge(assault(facing(8, blue=blue, red=red)), dice)


def fallen(table: BattleTable, name: str) -> int:
    return sum(len(fact.figures) for fact in table.seen(FiguresFell) if fact.unit == name)


# --- the suits ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/tech.personal-armour")
def test_a_bio_mech_suit_adds_two_inches_before_a_rush_doubles_them() -> None:
    state = battle(unit("blue", (6, 6), armour="bio-mech"), FOE)
    inches = {manner: allowance(fad4().rules, state, "blue-1", manner).value // 1000 for manner in (MOVE, RUSH, CHARGE)}
    assert inches == {MOVE: 8, RUSH: 16, CHARGE: 12}
    assert ("tech.personal-armour", 2000) in lines(allowance(fad4().rules, state, "blue-1", MOVE))


@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.rule("fad4/move.variable")
def test_a_bio_mech_suit_adds_to_both_halves_of_a_rolled_rush() -> None:
    state = battle(unit("blue", (6, 6), armour="bio-mech"), FOE, options={"variable_movement": "on"})
    assert allowance(fad4().rules, state, "blue-1", RUSH).value == 20_000
    table = play(state).activates("blue-1")
    table.answers("move-out", shifted(state, "blue-1", 0, 1), dice=[1, 1])
    assert table.rolled("move").numbers[0].value == 1000 * (1 + 2 + 2 + 1 + 2 + 2)


@pytest.mark.rule("fad4/tech.personal-armour")
@pytest.mark.parametrize(("quality", "level"), [("conscript", 14), ("regular", 16), ("elite", 18)])
@pytest.mark.parametrize("suit", ["light-powered", "heavy-powered"])
def test_powered_armour_keeps_within_six_inches_and_is_harder_to_pin(suit: str, quality: str, level: int) -> None:
    state = battle(unit("blue", (6, 6), armour=suit, quality=quality), FOE)
    assert fad4().rules.advisers.answer(state, CoherencyDistance("blue-1")).value == 6_000
    assert fad4().rules.advisers.answer(state, PinLevel("blue-1")).value == level
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert (card["Coherency"], card["Pinned above"]) == ('6"', str(level))
    assert card["Suit"] == "+3, 2 kill dice a figure, deflects kills on 5+ in a close assault"


@pytest.mark.rule("fad4/tech.personal-armour")
def test_powered_armour_adds_three_to_an_assault_and_two_kill_dice_for_each_figure() -> None:
    table = fought([1, 1, 6, 2, *[1] * 6, *[1] * 3], POWERED, PLAIN)
    assert score(table, "blue-1") == [
        ("assault.charging", 1),
        ("assault.better-armour", 1),
        ("tech.personal-armour", 3),
    ]
    assert (len(roll_of(table, "kills", "blue-1").faces), len(roll_of(table, "kills", "red-1").faces)) == (6, 3)


@pytest.mark.rule("fad4/tech.personal-armour")
def test_powered_armour_undoes_kills_on_a_five_or_six() -> None:
    # 1 + 5 against 6: a draw, which kills on 4+.
    table = fought([1, 1, 6, 2, *[1] * 6, 6, 6, 6, 4, 5, 6], POWERED, PLAIN)
    deflect = roll_of(table, "deflect", "blue-1")
    assert (deflect.marks, deflect.outcome, deflect.rule) == (("fail", "pass", "pass"), "1", "tech.personal-armour")
    table.defaults()
    assert (fallen(table, "blue-1"), fallen(table, "red-1")) == (1, 0)


@pytest.mark.rule("fad4/tech.personal-armour")
def test_nothing_saves_powered_armour_that_is_overrun() -> None:
    # 1 + 1 + 3 for better armour and the suit, against 6 + 1 + 5 + 2 for the charge, numbers and quality.
    blue: dict[str, object] = {"quality": "elite", "figures": 8}
    red: dict[str, object] = {"quality": "conscript", **POWERED}
    table = fought([6, 6, 1, 1, 6, 6, 6], blue, red).defaults()
    assert table.unit("red-1").left == "destroyed"
    # The parting blow is a die for each figure, though the suits give two.
    assert len(roll_of(table, "kills", "red-1").faces) == 3
    assert fallen(table, "blue-1") == 3


@pytest.mark.rule("fad4/tech.personal-armour")
def test_the_log_and_the_luck_report_tell_of_deflected_kills() -> None:
    start = facing(8, blue=POWERED, red=PLAIN)
    table = fought([1, 1, 6, 2, *[1] * 6, 6, 6, 6, 4, 5, 6], POWERED, PLAIN)
    told = fad4().story(table.state, roll_of(table, "deflect", "blue-1"))
    assert told is not None
    assert told.text == "The armour of Blue 1 deflects 2 of 3 kills on 5+."

    def played(faces: object) -> object:
        assert isinstance(faces, tuple)
        played = fought([1, 1, 6, 2, *[1] * 6, 6, 6, 1, *faces], POWERED, PLAIN)
        return luck_of(fad4(), start, played.facts, "deflect", "blue-1")

    holds_every_way(2, played)  # type: ignore[arg-type]  # it takes a tuple of faces


# --- weapons --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_a_figure_with_a_combat_blade_rolls_one_kill_die_more_and_shoots_with_its_squad() -> None:
    blue: dict[str, object] = {"support": ["combat-blade"], "figures": 3}
    table = fought([5, 1, 6, 2, *[1] * 4, *[1] * 3], blue, PLAIN)
    assert len(roll_of(table, "kills", "blue-1").faces) == 4
    shooting = play(facing(12, blue=blue)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    assert ("fire.shooter-riflemen", 1) in lines(shooting.fire_effect)
    assert not any(rule == "shoot.support-weapons" for rule, _ in lines(shooting.fire_effect))


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_linked_weapons_count_each_figure_twice_among_the_riflemen() -> None:
    linked = {**POWERED, "traits": {"linked": True}}
    table = play(facing(12, blue=linked)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1, 1])
    assert ("fire.shooter-riflemen", 2) in lines(table.fire_effect)
    plain = play(facing(12, blue=POWERED)).activates("blue-1").opens_fire_at("red-1", dice=[1, 1, 1])
    assert ("fire.shooter-riflemen", 1) in lines(plain.fire_effect)


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_only_powered_armour_carries_its_weapons() -> None:
    state = battle(unit("blue", (6, 6), armour="heavy-powered", support=["missile-rack"]), FOE)
    assert state.units["blue-1"].figures["1"].role == "missile-rack"
    with pytest.raises(RulesetError, match="Missile rack needs powered armour"):
        battle(unit("blue", (6, 6), armour="breach", support=["missile-rack"]), FOE)
    with pytest.raises(RulesetError, match="linked weapons need powered armour"):
        battle(unit("blue", (6, 6), armour="breach", traits={"linked": True}), FOE)


@pytest.mark.parametrize(
    ("weaker", "whose"), [({"deflects": 0}, "own losses"), ({"kill_dice": 1}, "losses of the target")]
)
def test_the_preview_of_an_assault_counts_kill_dice_and_deflected_kills(weaker: dict[str, int], whose: str) -> None:
    table = play(facing(8, blue=POWERED, red=POWERED)).activates("blue-1")

    def lost(rules: FadRuleset) -> float:
        told = rules.preview(table.state, table.prompt, Picked("assault", (UnitNamed("red-1"),)))
        assert told is not None
        return next(float(row.value) for row in told.chances if row.label == f"Expected {whose}")

    other = FadRuleset("fad4")
    suit = replace(other.book.armours["light-powered"], **weaker)
    other.rules.book = replace(other.book, armours={**other.book.armours, "light-powered": suit})
    worse = {"own losses": lost(other) > lost(fad4()), "losses of the target": lost(other) < lost(fad4())}
    assert worse[whose]
