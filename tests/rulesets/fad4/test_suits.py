"""Upgrades of powered armour, and the heavy weapons of its wearers (fad4/tech.personal-armour)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Assigned, PointTaken
from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.errors import RulesetError
from server.kernel.facts import Rolled
from server.kernel.files.forces import examine
from server.kernel.state import State
from server.rulesets.fad.damage import ArmourRating
from server.rulesets.fad.melee import AssaultScore, KillDice
from server.rulesets.fad.modules.weapon_teams import POSTS
from server.rulesets.fad.movement import MOVE, RUSH, allowance
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import battle, fad4, lines, play, unit, vehicle
from tests.support.tabletop import Row

RULE = "fad4/tech.personal-armour"
ON = {"weapon_teams": "on", "snipers": "on"}


def suited(*upgrades: str, **other: object) -> Row:
    own: dict[str, object] = {"figures": 3, "armour": "light-powered", "traits": dict.fromkeys(upgrades, True), **other}
    return unit("blue", (6, 6), **own)  # type: ignore[arg-type]  # as `unit` takes it


def match(own: Row, *others: Row) -> State:
    return battle(own, *(others or (unit("red", (6, 20)),)), options=ON)


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("upgrade", "move", "assault", "armour", "dice"),
    [("", 6, 3, 8, 2), ("scout_suit", 8, 2, 7, 2), ("assault_suit", 6, 3, 8, 3), ("crude_suit", 4, 3, 8, 2)],
)
def test_upgrades_change_the_numbers_of_a_suit(upgrade: str, move: int, assault: int, armour: int, dice: int) -> None:
    state = match(suited(*[upgrade] * bool(upgrade)))
    ask = fad4().rules.advisers.answer
    assert allowance(fad4().rules, state, "blue-1", MOVE).value == 1000 * move
    assert allowance(fad4().rules, state, "blue-1", RUSH).value == 2000 * move
    assert ask(state, ArmourRating("blue-1")).value == armour
    assert ask(state, KillDice("blue-1", "1")).value == dice
    score = ask(state, AssaultScore("blue-1", "red-1", charging=False)).lines
    assert sum(line.amount for line in score if line.rule in {"assault.mod-powered", "tech.suits"}) == assault
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Suit"] == f"+{assault}, {dice} kill dice a figure, deflects kills on 5+ in a close assault"
    assert (card["Move"], card["Armour"]) == (f'{move}"', f"Light powered armour ({armour})")


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (suited("scout_suit", armour="breach"), "scout suits are powered armour"),
        (suited("crude_suit", "shielded_suit"), "crude suits have no other upgrade"),
        (suited("assault_suit", support=["machine-gun"]), "assault suits carry no heavy weapons"),
    ],
)
def test_upgrades_and_weapons_that_do_not_go_together_are_refused(row: Row, sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        match(row)


@pytest.mark.rule(RULE)
def test_the_force_editor_gives_heavy_weapons_and_upgrades_to_powered_armour_alone() -> None:
    def squad(**fields: str | int | bool) -> Force:
        return Force(FORCE_FORMAT, "fad4", "A test", (ForceUnit("infantry", "Squad", {"figures": 4, **fields}, {}),))

    def problems(**fields: str | int | bool) -> list[str]:
        return [row.sentence for row in examine(fad4(), squad(**fields), {"weapon_teams": "on"}).problems]

    assert problems(heavy_weapon="machine-gun") == [
        "Squad: a general purpose machine gun needs a crew of its own, or powered armour."
    ]
    assert problems(heavy_weapon="machine-gun", armour="light-powered", gunner_suit=True) == []
    with pytest.raises(RulesetError, match="switch it on"):
        battle(suited(support=["machine-gun"]), unit("red", (6, 20)), options={"weapon_teams": "off"})
    assert problems(scout_suit=True) == ["Squad: scout suits are powered armour."]
    off = examine(fad4(), squad(heavy_weapon="machine-gun", armour="light-powered"), {"weapon_teams": "off"})
    assert [row.sentence for row in off.problems] == [
        "Squad has a weapon that is fired with the option Heavy weapons teams: switch it on."
    ]
    # 4 x (4 + 6 + 3) and 5 for the machine gun, of conscripts
    cost = examine(
        fad4(),
        squad(heavy_weapon="machine-gun", armour="light-powered", gunner_suit=True, quality="conscript"),
        {"weapon_teams": "on"},
    )
    assert cost.total == 57_000
    # 4 + 6 + 15 for a Marksman suit
    alone = squad(figures=1, armour="light-powered", sniper=True, leader=False, quality="conscript")
    assert examine(fad4(), alone, {"snipers": "on"}).total == 25_000


# --- heavy weapons --------------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_figure_in_powered_armour_fires_its_heavy_weapon_as_a_team_of_one() -> None:
    state = match(suited(support=["heavy-machine-gun"], figures=4))
    shot = aim(fad4().rules, state, "blue-1", "red-1", "1")
    assert isinstance(shot, Shot)
    assert (shot.weapon, shot.firing) == ("heavy-machine-gun", ("1",))
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Heavy weapon"] == 'Heavy machine gun, up to 96", damage +4, Fire Effect +2'
    table = play(state).chance(1).activates("blue-1").answers("open-fire", "red-1")
    assert [choice.label for choice in table.prompt.choices] == [
        "Together",
        "Only the small arms",
        "Only the heavy machine gun",
    ]
    table.answers("part|open|1|red-1")
    assert len(table.rolled("fire_effect").faces) == 1
    assert ("tech.weapon-tables", 2) in lines(table.fire_effect)


def posted(state: State) -> State:
    """Return a state in which it is known where the first figure of blue stood when the turn began."""
    return replace(state, book={**state.book, POSTS: (1, ("blue-1", "1", 6000, 6000))})


@pytest.mark.rule(RULE)
def test_it_does_not_fire_after_a_move_unless_in_a_gunner_suit() -> None:
    plain = play(posted(match(suited(support=["heavy-machine-gun"])))).chance(1).activates("blue-1").moves(0, 1)
    plain.answers("fire", "red-1")
    assert [fact.purpose for fact in plain.seen(Rolled)].count("fire_effect") == 1
    assert "tech.weapon-tables" not in dict(lines(plain.fire_effect))
    state = posted(match(suited("gunner_suit", support=["heavy-machine-gun"])))
    gunner = play(state).chance(1).activates("blue-1").moves(0, 1)
    gunner.answers("fire", "red-1")
    assert len(gunner.prompt.choices) == 3
    assert play(match(suited(support=["heavy-machine-gun"]))).activates("blue-1").barred("move-out") is None


@pytest.mark.rule(RULE)
def test_a_lone_suit_with_a_heavy_weapon_may_assault() -> None:
    table = play(match(suited(support=["heavy-machine-gun"], figures=1), unit("red", (6, 12)))).activates("blue-1")
    assert table.barred("assault") is None


# --- interference, marksmen -----------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_shielded_suits_are_not_shut_down() -> None:
    gun = vehicle("red", (6, 30), facing=270, weapons=("light-cannon.scramble",))
    for shielded in (True, False):
        state = match(
            suited(*["shielded_suit"] * shielded, apart=1.2), gun, unit("red", (30, 40)), unit("blue", (30, 4))
        )
        table = play(state).activates("blue-1").holds().chance(2)
        table.activates("red-1").answers("load", Assigned({"m1": "scramble"}))
        table.answers("blast:m1", PointTaken((7000, 6500)), dice=[6, 6, 6, *([] if shielded else [6] * 3), 6])
        assert (table.unit("blue-1").strength == 3) == shielded


@pytest.mark.rule(RULE)
def test_a_sniper_in_powered_armour_is_not_concealed() -> None:
    own: dict[str, object] = {"figures": 1, "small_arm": "sniper-rifle", "sniper": True, "armour": "light-powered"}
    state = match(unit("blue", (6, 6), **own), unit("red", (6, 27)))  # type: ignore[arg-type]  # as `unit` takes it
    table = play(state).activates("blue-1").holds().chance(1).activates("red-1").opens_fire_at("blue-1", dice=[])
    assert "fire.target-concealed-sniper" not in dict(lines(table.fire_effect))
    card = [line.value for line in fad4().card(state, state.units["blue-1"]) if line.label == "Sniper"]
    assert card == ["Marksman suit, not concealed"]
