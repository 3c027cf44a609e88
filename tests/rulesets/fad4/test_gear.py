"""Gadgets and gear (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Entries, Force, ForceUnit
from server.kernel.errors import RulesetError
from server.kernel.facts import ConditionGained, Declared, FiguresRose
from server.kernel.files.forces import examine
from server.kernel.state import State
from server.rulesets.fad.modules.gear import MOVED
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad4.assaults import assault
from tests.support.battlefield import battle, driven, facing, fad4, figures, paths, play, shifted, unit, vehicle

RULE = "fad4/tech.weapon-tables"


def traits(*names: str) -> dict[str, object]:
    return {"traits": dict.fromkeys(names, True)}


# --- dazzle suits ---------------------------------------------------------------------------------------------------


def in_sight(apart: float, *, moved: bool) -> bool:
    """Return whether regulars with assault rifles (close to 20 inches, medium to 40) may fire at a squad in dazzle suits."""
    state = facing(apart, red=traits("dazzle_suits"))
    state = replace(state, book={**state.book, MOVED: ("red-1",) if moved else ()})
    return isinstance(aim(fad4().rules, state, "blue-1", "red-1"), Shot)


@pytest.mark.rule(RULE)
def test_who_wears_dazzle_suits_is_fired_at_up_to_close_range_or_medium_if_it_has_moved() -> None:
    assert [in_sight(apart, moved=False) for apart in (20, 20.5)] == [True, False]
    assert [in_sight(apart, moved=True) for apart in (20.5, 40, 40.5)] == [True, True, False]
    why = aim(fad4().rules, facing(21, red=traits("dazzle_suits")), "blue-1", "red-1")
    assert not isinstance(why, Shot)
    assert why.sentence == "Red 1 wears dazzle suits: it is fired at up to close range."


@pytest.mark.rule(RULE)
def test_a_move_counts_until_the_next_activation() -> None:
    state = facing(25, blue=traits("dazzle_suits"), others=[unit("red", (30, 60))])
    table = play(state).activates("blue-1").rushes(0, 1)
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("blue-1"))}
    assert (table.state.book[MOVED], card["Dazzle suits"]) == (("blue-1",), "fired at up to medium range")
    table.activates("red-1").holds().activates("red-2").holds(dice=[6, 1]).activates("blue-1").holds()
    assert table.state.book[MOVED] == ()


@pytest.mark.rule(RULE)
def test_a_charge_and_a_retreat_count_as_moves_and_a_move_to_nowhere_does_not() -> None:
    charge = assault(facing(8, blue=traits("dazzle_suits"))).chance(1).defaults()
    assert charge.state.book[MOVED] == ("blue-1",)
    broken = facing(15, blue={**traits("dazzle_suits"), "lost": 5})
    flight = play(broken).activates("blue-1", dice=[3, 1, 1]).answers("fall-back", shifted(broken, "blue-1", 0, -4))
    assert flight.state.book[MOVED] == ("blue-1",)
    still = play(facing(25, blue=traits("dazzle_suits"))).activates("blue-1").answers("move-fire", paths())
    assert MOVED not in still.state.book


# --- haywire emitters, guarded systems ------------------------------------------------------------------------------


def emitting(**blue: object) -> State:
    powered: dict[str, object] = {"armour": "light-powered", "figures": 2}
    near = unit("red", (6, 20), id="near", **powered)  # type: ignore[arg-type]  # as `unit` takes it
    far = unit("red", (6, 26), id="far", **powered)  # type: ignore[arg-type]
    guard = unit("red", (20, 20), id="guard", **powered, **traits("guarded_systems"))  # type: ignore[arg-type]
    plain = unit("red", (30, 20), id="plain")
    own = unit("blue", (6, 6), id="own", **{**traits("haywire_emitter"), **blue})  # type: ignore[arg-type]
    return battle(own, near, far, guard, plain)


@pytest.mark.rule(RULE)
def test_a_haywire_emitter_marks_powered_armour_within_18_inches_under_fire() -> None:
    table = play(emitting()).activates("own")
    assert table.prompt.default.choice == "haywire"
    table.answers("haywire")
    assert [(fact.unit, fact.condition) for fact in table.seen(ConditionGained)] == [("near", "under_fire")]
    assert table.choice("hold") is not None
    off = play(emitting()).activates("own").answers("no-haywire")
    assert off.seen(ConditionGained) == []


@pytest.mark.rule(RULE)
def test_a_haywire_emitter_spares_its_own_unit_and_counts_friends() -> None:
    friend = unit("blue", (6, 12), id="friend", armour="light-powered", figures=2)
    own = unit("blue", (6, 6), id="own", armour="light-powered", figures=2, **traits("haywire_emitter"))  # type: ignore[arg-type]
    table = play(battle(own, friend, unit("red", (6, 40)))).activates("own")
    assert table.prompt.default.choice == "no-haywire"
    table.answers("haywire")
    assert [fact.unit for fact in table.seen(ConditionGained)] == ["friend"]


# --- regen units ----------------------------------------------------------------------------------------------------


def wounded(*, marker: str = "wounded", **options: str) -> State:
    host = unit("blue", [(6, 10), (20, 10)], id="host", quality="elite")
    host["figures"][0] |= {"fallen": True, "conditions": [marker]}  # type: ignore[index]
    bearer = unit("blue", (6, 6), id="bearer", figures=3, **traits("regen_unit"))  # type: ignore[arg-type]
    return battle(bearer, host, unit("red", (6, 40)), options={"recover_wounded": "on", **options})


@pytest.mark.rule(RULE)
@pytest.mark.parametrize("marker", ["wounded", "stabilised"])
def test_a_regen_unit_heals_one_whom_its_bearers_reach(marker: str) -> None:
    table = play(wounded(marker=marker)).activates("bearer").moves(0, 3)
    assert (table.asked, table.offered) == ("blue", ["regenerates:host", "no-regen"])
    table.answers("regenerates:host", figures("1"))
    assert [fact.unit for fact in table.seen(FiguresRose)] == ["host"]
    assert not table.unit("host").figures["1"].fallen
    assert [fact.action for fact in table.seen(Declared)] == ["engage", "regenerates"]
    short = play(wounded(marker=marker)).activates("bearer").moves(0, 2)
    assert short.seen(FiguresRose) == []


@pytest.mark.rule(RULE)
def test_the_two_who_carry_a_regen_unit_do_not_fire() -> None:
    shot = aim(fad4().rules, facing(12, blue={"figures": 4, **traits("regen_unit")}), "blue-1", "red-1")
    assert isinstance(shot, Shot)
    assert shot.firing == ("1", "2")
    two = aim(fad4().rules, facing(12, blue={"figures": 2, **traits("regen_unit")}), "blue-1", "red-1")
    assert not isinstance(two, Shot)
    suits = facing(12, blue={"figures": 2, "armour": "light-powered", **traits("regen_unit")})
    alone = aim(fad4().rules, suits, "blue-1", "red-1")
    assert isinstance(alone, Shot)


@pytest.mark.rule(RULE)
def test_a_vehicle_with_a_regen_unit_heals_whom_its_hull_touches_and_has_a_weapon_less() -> None:
    host = unit("blue", [(10, 15), (20, 10)], id="host", quality="elite")
    host["figures"][0] |= {"fallen": True, "conditions": ["wounded"]}  # type: ignore[index]
    carrier = vehicle("blue", (10, 10), id="carrier", **traits("regen_unit"))  # type: ignore[arg-type]
    state = battle(carrier, host, unit("red", (6, 40)), options={"recover_wounded": "on"})
    table = play(state).activates("carrier").answers("drive-out", driven((10, 12.5)))
    table.answers("regenerates:host", figures("1"))
    assert [fact.unit for fact in table.seen(FiguresRose)] == ["host"]
    guns: tuple[Entries, ...] = tuple({"weapon": "machine-gun"} for _ in range(4))
    tank = ForceUnit("vehicle", "Tank", {"regen_unit": True}, {"weapons": guns})
    found = examine(fad4(), Force(FORCE_FORMAT, "fad4", "A test", (tank,)), {})
    assert [row.sentence for row in found.problems] == [
        "Tank: a regen unit takes the place of one of its 4 heavy weapons."
    ]
    fewer = ForceUnit("vehicle", "Tank", {"regen_unit": True}, {"weapons": guns[:3]})
    assert examine(fad4(), Force(FORCE_FORMAT, "fad4", "A test", (fewer,)), {}).problems == ()


# --- files ----------------------------------------------------------------------------------------------------------


def test_gear_on_what_does_not_carry_it_is_refused() -> None:
    red = unit("red", (6, 40))
    with pytest.raises(RulesetError, match="2 figures carry a regen unit"):
        battle(unit("blue", (6, 6), figures=1, **traits("regen_unit")), red)  # type: ignore[arg-type]
    with pytest.raises(RulesetError, match="takes the place of a heavy weapon"):
        battle(unit("blue", (6, 6), support=["light-mortar"], **traits("regen_unit")), red)  # type: ignore[arg-type]
    with pytest.raises(RulesetError, match="wears no dazzle suits"):
        battle(vehicle("blue", (6, 6), **traits("dazzle_suits")), red)  # type: ignore[arg-type]


def test_notes_that_are_not_units_are_refused() -> None:
    state = facing(12)
    for note in ("blue-1", ("blue-9",)):
        with pytest.raises(RulesetError, match=r"gear\.moved"):
            fad4().admit(replace(state, book={**state.book, MOVED: note}))
