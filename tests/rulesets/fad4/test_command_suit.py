"""Command suits: an officer leads a unit of powered armour from afar (fad4/tech.personal-armour)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, FiguresFell
from server.kernel.files.forces import examine
from server.kernel.state import State
from server.rulesets.fad.leading import LENT
from server.rulesets.fad.modules.characters import leader
from tests.support.battlefield import battle, fad4, play, unit
from tests.support.tabletop import Place, Row

RULE = "fad4/tech.personal-armour"
SUITS: dict[str, object] = {"figures": 2, "armour": "light-powered"}


def chief(at: Place = (6, 8), **other: object) -> Row:
    own = {"id": "chief", "armour": "light-powered", "traits": {"officer": True, "command_suit": True}, **other}
    row = unit("blue", at, figures=1, **own)  # type: ignore[arg-type]  # as `unit` takes it
    row["figures"][0]["role"] = "officer"  # type: ignore[index]  # the rows of figures
    return row | {"leadership": "inspiring", "leader_branch": "infantry"}


def match(*others: Row, **officer: object) -> State:
    own = unit("blue", (6, 6), id="own", **SUITS)  # type: ignore[arg-type]
    far = unit("blue", (40, 6), id="far", **SUITS)  # type: ignore[arg-type]
    plain = unit("blue", (20, 6), id="plain")
    red = unit("red", (20, 30), id="red")
    return battle(own, far, plain, chief(**{"attached": "own", **officer}), *others, red, options={"officers": "on"})  # type: ignore[arg-type]


def led(state: State, *units: str) -> list[str | None]:
    found = (leader(fad4().rules, state, state.units[key]) for key in units)
    return [None if one is None else one.id for one in found]


@pytest.mark.rule(RULE)
def test_the_officer_leads_a_unit_of_powered_armour_anywhere_and_not_his_own() -> None:
    table = play(match()).activates("own")
    assert (table.offered, table.prompt.default.choice) == (["leads-from-afar", "leads-own"], "leads-own")
    assert table.targets("leads-from-afar") == {"far": ""}
    assert led(table.state, "own", "far") == ["chief", None]
    table.answers("leads-from-afar", "far")
    assert led(table.state, "own", "far") == [None, "chief"]
    assert [(fact.unit, fact.target) for fact in table.seen(Declared)] == [("chief", "far")]
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("far"))}
    assert card["Led by"] == "Chief (Inspiring +2, infantry)"
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("chief"))}
    assert card["Command suit"] == "leads Far"


@pytest.mark.rule(RULE)
def test_it_lasts_until_his_unit_activates_again() -> None:
    table = play(match()).activates("own").answers("leads-from-afar", "far").holds()
    table.activates("red").holds().activates("far").holds().activates("plain").holds(dice=[6, 1]).activates("own")
    assert led(table.state, "own", "far") == [None, "chief"]
    table.answers("leads-own")
    assert led(table.state, "own", "far") == ["chief", None]


@pytest.mark.rule(RULE)
def test_his_leadership_helps_the_morale_of_the_unit_that_he_leads_from_afar() -> None:
    state = match()
    state = replace(state, book={**state.book, LENT: (("chief", "far", 1),)})
    again = fad4().rules.again(state, state.units["far"])
    assert again is not None
    assert (again.amount, again.reason) == (2, "Chief")
    assert fad4().rules.again(state, state.units["own"]) is None


@pytest.mark.rule(RULE)
def test_it_ends_if_he_falls() -> None:
    state = match()
    state = replace(state, book={**state.book, LENT: (("chief", "far", 1),)})
    state = FiguresFell("own", ("chief:1",), "fire", RULE).fold(state)
    assert led(state, "own", "far") == [None, None]


@pytest.mark.rule(RULE)
def test_on_his_own_he_is_asked_once_a_turn() -> None:
    table = play(match(attached="", at=(6, 8))).activates("chief")
    table.answers("leads-from-afar", "own").answers("hold")
    # Who joins the unit that he leads, and activates with it, does not pick again.
    assert table.offered == ["join", "on-his-own"]
    table.answers("join", "own").activates("red").holds().activates("own")
    assert "hold" in table.offered


@pytest.mark.rule(RULE)
def test_who_may_wear_a_command_suit() -> None:
    with pytest.raises(RulesetError, match="Command suits are powered armour"):
        match(armour="light")
    with pytest.raises(RulesetError, match="only officers wear Command suits"):
        match(unit("blue", (2, 2), traits={"command_suit": True}))
    state = match()
    for note in ("chief", (("chief", "far"),)):
        with pytest.raises(RulesetError, match=r"command_suits\.lent"):
            fad4().admit(replace(state, book={**state.book, LENT: note}))


@pytest.mark.rule(RULE)
def test_the_force_editor_sells_a_command_suit_to_officers() -> None:
    fields: dict[str, str | int | bool] = {"armour": "light-powered", "quality": "conscript", "command_suit": True}
    force = Force(FORCE_FORMAT, "fad4", "A test", (ForceUnit("officer", "Chief", fields, {}),))
    found = examine(fad4(), force, {"officers": "on"})
    # 10 + 6 + 3
    assert (found.problems, found.total) == ((), 19_000)
    assert fad4().force_form is not None
    squad = next(kind for kind in fad4().force_form.kinds if kind.key == "infantry")  # type: ignore[union-attr]
    assert "command_suit" not in {field.key for field in squad.fields}
