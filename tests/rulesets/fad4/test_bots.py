"""Bots: figures that go along with a unit and help it, and neither fight nor count for its Resolve (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from client_protocol.choices import FiguresParameter, PathsDeclared, Picked, UnitNamed
from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, FiguresFell, FiguresGained, FiguresRose, Rolled, UnitLeft, UnitMoved
from server.kernel.files.forces import examine
from server.kernel.files.setups import write
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.melee import AssaultScore
from server.rulesets.fad.modules.bots import SHIELDED
from server.rulesets.fad.modules.scout import scouts
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.shooting import FireDice
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.vehicles.assault import in_contact
from tests.support.battlefield import BattleTable, battle, fad4, figures, lines, play, unit, vehicle
from tests.support.lucky import luck_of
from tests.support.tabletop import Row

RULE = "fad4/tech.weapon-tables"


def squad(side: str, at: tuple[float, float], *kinds: str, men: int = 3, **other: object) -> Row:
    """Return a squad of some men, with a bot of each kind behind them in the roster, 2 inches apart."""
    own: Row = {"id": "own" if side == "blue" else "red", "apart": 2, **other}
    row = unit(side, at, figures=men + len(kinds), **own)  # type: ignore[arg-type]  # as `unit` takes it
    rows: Any = row["figures"]
    for bot, kind in zip(rows[men:], kinds, strict=True):
        bot[kind] = True
        if kind == "gun_bot":
            bot["role"] = "squad-automatic-weapon"
    return row


def match(*units: Row, **options: str) -> State:
    return battle(*units, options=options, size=(72, 72))


def fires(state: State, dice: Sequence[int]) -> BattleTable:
    """Let red open fire at the squad with bots: six men at 10 inches, in the open."""
    return play(state).activates("red").opens_fire_at("own", dice=dice)


def under_red(blue: Row, **options: str) -> State:
    red = unit("red", (6, 17), id="red", figures=6, apart=2)
    return battle(blue, red, active="red", options=options, size=(72, 72))


def aimed(state: State) -> Shot:
    shot = aim(fad4().rules, state, "own", "red")
    assert isinstance(shot, Shot)
    return shot


# --- what bots do not do --------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_bot_neither_fires_nor_fights_nor_is_counted_where_its_squad_does() -> None:
    red = unit("red", (6, 17), id="red", figures=3)
    state = match(squad("blue", (6, 6), "med_bot"), red)
    assert aimed(state).firing == ("1", "2", "3")
    own = fad4().rules.advisers.answer(state, AssaultScore("own", "red", charging=False))
    assert [line.rule for line in own.lines] == [], "three against three"
    assert "3 of 4 figures fire" in _shown(state)


def _shown(state: State) -> str:
    table = play(state).activates("own")
    told = fad4().preview(believed(table.state, "blue"), table.prompt, Picked("open-fire", (UnitNamed("red"),)))
    assert told is not None
    return told.notes[0]


@pytest.mark.rule(RULE)
def test_a_bot_in_contact_with_a_vehicle_does_not_strike_at_it() -> None:
    tank = vehicle("red", (9, 12), id="red", facing=0, hull=(8, 2), armour=(0, 0, 0))
    state = match(squad("blue", (6, 6), "med_bot"), tank, unit("red", (40, 60), id="spare"))
    table = play(state).activates("own").answers("assault", "red").defaults(dice=[6, 1, 1, 1])
    assert len(in_contact(table.state, table.unit("own"), table.unit("red"))) == 4
    assert len(table.rolled("vehicle_strike").faces) == 3
    assert ("assault.outnumber", 2) in lines(table.rolled("vehicle_strike").numbers[0])


@pytest.mark.rule(RULE)
def test_one_man_with_a_bot_is_still_an_individual() -> None:
    state = match(squad("blue", (6, 6), "supply_bot", men=1), unit("red", (6, 17), id="red", figures=3))
    assert fad4().rules.advisers.answer(state, FireDice("own", "")).value == 1


@pytest.mark.rule(RULE)
def test_the_loss_of_a_bot_never_affects_morale() -> None:
    # Of three men the loss of one would not break the squad, and one of two (half) would.
    blue = squad("blue", (6, 6), "med_bot", men=2, resolve="steady")
    rows: Any = blue["figures"]
    rows[2]["fallen"] = True
    state = match(blue, unit("red", (6, 17), id="red"))
    assert not casualties_break(fad4().rules, state.units["own"])
    assert (fad4().rules.casualties(state.units["own"]), fad4().rules.original(state.units["own"])) == (0, 2)


@pytest.mark.rule(RULE)
def test_bots_stop_when_no_one_of_their_unit_is_left() -> None:
    table = fires(under_red(squad("blue", (6, 6), "supply_bot", men=1)), [6, 6, 6, 1, 1])
    assert [fact.cause for fact in table.seen(FiguresFell)] == ["fire", "bots"]
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["own"]


# --- damage ---------------------------------------------------------------------------------------------------------


def struck(state: State, *damage: int) -> BattleTable:
    """Let red's fire strike the bot, which stands nearest, and then the man behind it, with these dice of damage."""
    return fires(state, [1, 1, *damage])


def ahead(*kinds: str, **other: object) -> State:
    """Return red at 10 inches from a bot, with two men farther off."""
    row = squad("blue", (6, 6), *kinds, men=2, **other)
    rows: Any = row["figures"]
    rows[2]["at"] = (6, 8)
    rows[1]["at"] = (9, 5)
    return under_red(row)


@pytest.mark.rule(RULE)
def test_a_bot_wears_improved_armour_whatever_its_squad_wears() -> None:
    table = struck(ahead("med_bot", armour="none"), 2, 1)
    roll = table.rolled("damage")
    # Two hits: damage +2 against 5 for the bot, and against 2 for the man.
    assert [number.value for number in roll.numbers] == [2, 5, 2]
    assert roll.marks == ("fail", "kill")
    told = fad4().story(table.state, roll)
    assert told is not None
    assert "against armour 5 or 2" in told.text
    assert luck_of(fad4(), table.state, table.facts, "damage", "red").wanted == "kills"


@pytest.mark.rule(RULE)
def test_a_wound_damages_a_bot_and_a_second_one_knocks_it_out() -> None:
    table = struck(ahead("med_bot"), 3, 1)
    assert [(fact.figures, fact.condition) for fact in table.seen(FiguresGained)] == [(("3",), "bot_damaged")]
    assert table.unit("own").figures["3"].fallen is False
    hurt = squad("blue", (6, 6), "med_bot", men=2)
    figure: Any = hurt["figures"]
    figure[2] |= {"at": (6, 8), "conditions": ["bot_damaged"]}
    second = struck(under_red(hurt), 3, 1)
    assert second.unit("own").figures["3"].fallen is True
    why = play(match(hurt, unit("red", (6, 40), id="red"))).activates("own").barred("move-out")
    assert why is not None
    assert why.sentence == "A bot of Own is damaged: the unit does not Rush."


@pytest.mark.rule(RULE)
def test_a_kill_knocks_a_bot_out_at_once() -> None:
    table = struck(ahead("med_bot"), 6, 1)
    assert table.unit("own").figures["3"].fallen is True, "8 against 5 beats its armour by 3"


# --- what each kind does --------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_a_supply_bot_adds_one_to_the_fire_effect() -> None:
    table = play(match(squad("blue", (6, 6), "supply_bot"), unit("red", (6, 17), id="red")))
    table.activates("own").chance(1).opens_fire_at("red", dice=[])
    assert ("tech.weapon-tables.bots", 1) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
def test_a_gun_bot_fires_its_weapon_with_the_squad_and_is_no_rifleman() -> None:
    state = match(squad("blue", (6, 6), "gun_bot"), unit("red", (6, 17), id="red"))
    shot = aimed(state)
    assert shot.firing == ("1", "2", "3", "4")
    assert shot.supporting == (("4", "squad-automatic-weapon"),)
    table = play(state).activates("own").chance(1).opens_fire_at("red", dice=[])
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert ("shoot.support-weapons", 2) in lines(table.fire_effect)


@pytest.mark.rule(RULE)
def test_a_shield_bot_stops_each_of_the_first_three_hits_of_a_turn_on_5() -> None:
    state = under_red(squad("blue", (6, 6), "shield_bot"))
    # 6 of the dice, 2 for Open Fire, 1 for Regulars, 2 for six riflemen: 11 points, three hits; two are stopped.
    table = fires(state, [6, 1, 5, 4, 6, 1])
    roll = table.rolled("shield")
    assert (roll.marks, roll.outcome) == (("pass", "fail", "pass"), "1")
    assert len(table.rolled("damage").faces) == 1
    assert table.state.book[SHIELDED] == (1, ("own", 3))
    told = fad4().story(table.state, roll)
    assert told is not None
    assert told.text == "The shield-bot of Own stops 2 hits."
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("own"))}
    assert card["Shield-bot"] == "stops each of the next 0 hits on 5+"
    assert luck_of(fad4(), table.state, table.facts, "shield", "own").wanted == "hits stopped"


@pytest.mark.rule(RULE)
def test_a_shield_bot_has_met_its_hits_until_the_next_turn() -> None:
    row = under_red(squad("blue", (6, 6), "shield_bot"))
    spent = {**write(row), "book": {SHIELDED: [1, ["own", 3]]}}
    table = fires(fad4().read(spent), [6, 1, 1, 1, 1])
    assert [fact for fact in table.seen(Rolled) if fact.purpose == "shield"] == []
    before = {**write(row), "book": {SHIELDED: [0, ["own", 3]]}}
    assert fires(fad4().read(before), [6, 1, 5, 5, 5]).rolled("shield").outcome == "0"


@pytest.mark.rule(RULE)
def test_the_preview_of_a_shot_counts_what_a_shield_bot_stops() -> None:
    plain, shielded = (_expected(under_red(squad("blue", (6, 6), kind))) for kind in ("med_bot", "shield_bot"))
    # A third of the first three hits is stopped.
    assert shielded == pytest.approx(plain * 2 / 3, rel=0.1)


def _expected(state: State) -> float:
    table = play(state).activates("red")
    told = fad4().preview(believed(table.state, "red"), table.prompt, Picked("open-fire", (UnitNamed("own"),)))
    assert told is not None
    assert any("Bots have the armour of their own" in note for note in told.notes)
    return float(next(row.value for row in told.chances if row.label == "Expected losses"))


@pytest.mark.rule(RULE)
def test_a_med_bot_treats_one_of_the_wounded_near_it_without_an_action() -> None:
    blue = squad("blue", (6, 6), "med_bot", men=4, resolve="determined")
    rows: Any = blue["figures"]
    rows[0] |= {"fallen": True, "conditions": ["wounded"]}
    rows[1] |= {"fallen": True, "conditions": ["wounded"]}
    rows[4]["at"] = (8, 8)
    rows[0]["at"] = (6, 22)
    state = match(blue, unit("red", (6, 50), id="red"), recover_wounded="on")
    table = play(state).activates("own")
    assert table.prompt.title == "The med-bot of Own may treat a wounded figure"
    (parameter,) = table.choice("med-bot").parameters
    assert isinstance(parameter, FiguresParameter)
    assert parameter.figures == ("2",), "the other one lies too far off"
    table.answers("med-bot", figures("2"), dice=[6])
    assert Declared("own", "med-bot", "tech.weapon-tables.bots") in table.facts
    assert [fact.unit for fact in table.seen(FiguresRose)] == ["own"]
    assert "engage" in {choice.key for choice in table.prompt.choices} or table.barred("open-fire") is None


@pytest.mark.rule(RULE)
def test_a_spot_bot_scouts_besides_the_scout_and_both_come_back() -> None:
    blue = squad("blue", (6, 6), "spot_bot", men=4)
    table = play(match(blue, unit("red", (6, 60), id="red"), scout="on")).activates("own").answers("command")
    (parameter,) = table.choice("scout").parameters
    assert isinstance(parameter, FiguresParameter)
    assert "5" not in parameter.figures, "a normal trooper goes first"
    table.answers("scout", figures("4")).answers("place-scout", PathsDeclared({"4": ((inches(14), inches(14)),)}))
    assert table.prompt.title == "Own may send its spot-bot ahead too"
    table.answers("send-bot").answers("place-scout", PathsDeclared({"5": ((inches(4), inches(14)),)}))
    assert scouts(table.unit("own")) == ("4", "5")
    assert {key for fact in table.seen(UnitMoved) for key in fact.paths} == {"4", "5"}


# --- setups and forces ----------------------------------------------------------------------------------------------


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        (("med_bot", "supply_bot"), "it has at most 1 bot; 3 with an engineer"),
        (("med_bot",) * 3, "it has at most 1 bot"),
    ],
)
def test_a_unit_without_an_engineer_has_one_bot(kinds: Sequence[str], sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        match(squad("blue", (6, 6), *kinds), unit("red", (6, 17), id="red"))


@pytest.mark.rule(RULE)
def test_a_unit_with_an_engineer_has_up_to_three() -> None:
    blue = squad("blue", (6, 6), "med_bot", "supply_bot", "gun_bot")
    rows: Any = blue["figures"]
    rows[0]["engineer"] = True
    state = match(blue, unit("red", (6, 17), id="red"), demolitions="on")
    card = {line.label: line.value for line in fad4().card(state, state.units["own"])}
    assert card["Bots"] == "med-bot, supply-bot, gun-bot with squad automatic weapon"
    assert fad4().read(write(state)).units == state.units


@pytest.mark.rule(RULE)
def test_only_a_gun_bot_is_armed_and_bots_alone_are_no_unit() -> None:
    armed = squad("blue", (6, 6), "med_bot")
    rows: Any = armed["figures"]
    rows[3]["role"] = "plasma-rifle"
    with pytest.raises(RulesetError, match="a gun-bot has a support weapon, and no other bot is armed"):
        match(armed, unit("red", (6, 17), id="red"))
    with pytest.raises(RulesetError, match="bots go along with others"):
        match(squad("blue", (6, 6), "med_bot", men=0), unit("red", (6, 17), id="red"))


@pytest.mark.rule("fad4/force.building")
@pytest.mark.rule(RULE)
def test_a_squad_of_a_force_has_a_bot_for_its_points() -> None:
    plain, with_bot = (_priced(rows) for rows in ([], [{"bot": "gun_bot", "weapon": "squad-automatic-weapon"}]))
    # 5 for the bot and 3 for its weapon, times the factor of Regular, Steady.
    assert with_bot - plain == 8_000 * 130 // 100


def _priced(rows: list[dict[str, Any]]) -> int:
    form = fad4().force_form
    assert form is not None
    kind = next(kind for kind in form.kinds if kind.key == "infantry")
    fields = {field.key: field.default for field in kind.fields}
    force = Force(
        format=FORCE_FORMAT,
        edition="fad4",
        name="Ours",
        units=(
            ForceUnit("infantry", "Squad", fields | {"quality": "regular", "resolve": "steady"}, {"bots": tuple(rows)}),
        ),
    )
    report = examine(fad4(), force, {})
    assert report.problems == ()
    return report.total
