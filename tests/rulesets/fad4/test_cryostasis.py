"""CryoStasis units, which take wounded in (fad4/tech.weapon-tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.forces import FORCE_FORMAT, Force, ForceUnit
from server.kernel.errors import RulesetError
from server.kernel.facts import Declared, FiguresGained, FiguresLost
from server.kernel.files.forces import examine
from server.kernel.state import State
from server.rulesets.fad.modules.cryostasis import HELD
from tests.support.battlefield import battle, driven, fad4, figures, play, unit, vehicle

RULE = "fad4/tech.weapon-tables"


def rescue(*, seats: int = 4, wounded: str = "on", tokens: int = 0) -> State:
    """Return a carrier 3 inches south of a squad of which three figures lie wounded or stabilised."""
    own: dict[str, object] = {"traits": {"cryostasis": True}}
    if tokens:
        own |= {"damage_tokens": tokens, "conditions": ["vehicle_damaged"]}
    carrier = vehicle("blue", (10, 10), id="carrier", seats=seats, **own)  # type: ignore[arg-type]  # as `vehicle` takes it
    host = unit("blue", [(9, 15), (10, 15), (11, 15), (20, 15)], id="host", resolve="reluctant")
    for number, marks in enumerate((["wounded"], ["stabilised"], ["left_lying", "wounded"])):
        host["figures"][number] |= {"fallen": True, "conditions": marks}  # type: ignore[index]  # the rows of figures
    options = {"recover_wounded": wounded}
    if wounded == "off":
        for row in host["figures"][:3]:  # type: ignore[index]
            row["conditions"] = []
    return battle(carrier, host, unit("red", (10, 40), id="red"), options=options)


def casualties(state: State) -> int:
    return fad4().rules.casualties(state.units["host"])


@pytest.mark.rule(RULE)
def test_a_vehicle_takes_in_wounded_of_its_side_that_it_reaches() -> None:
    state = rescue()
    assert casualties(state) == 2
    table = play(state).activates("carrier").answers("drive-out", driven((10, 12.5)))
    assert table.offered == ["takes-in", "leaves-lying"]
    table.answers("takes-in", figures("1", "2", "3"))
    assert [(fact.unit, fact.target) for fact in table.seen(Declared)][-1] == ("carrier", "host")
    assert [fact.condition for fact in table.seen(FiguresGained)] == ["in_stasis"]
    assert [one.conditions for one in table.unit("host").figures.values()] == [("in_stasis",)] * 3 + [()]
    assert casualties(table.state) == 0
    card = {line.label: line.value for line in fad4().card(table.state, table.unit("carrier"))}
    assert card["CryoStasis"] == "3 of 8 wounded"


@pytest.mark.rule(RULE)
def test_it_holds_twice_as_many_as_it_has_seats() -> None:
    table = play(rescue(seats=1)).activates("carrier").answers("drive-out", driven((10, 12.5)))
    assert table.refused("takes-in", figures("1", "2", "3")).code == "figures"
    table.answers("takes-in", figures("1", "3"))
    assert table.state.book[HELD] == (("carrier", "host", "1"), ("carrier", "host", "3"))


@pytest.mark.rule(RULE)
def test_without_contact_or_recover_wounded_it_takes_none_in() -> None:
    short = play(rescue()).activates("carrier").answers("drive-out", driven((10, 12.4)))
    assert short.offered == ["activate"]
    off = play(rescue(wounded="off")).activates("carrier").answers("drive-out", driven((10, 12.5)))
    assert off.offered == ["activate"]


@pytest.mark.rule(RULE)
def test_if_the_vehicle_is_lost_they_are_casualties() -> None:
    state = rescue(tokens=1)
    host = state.units["host"]
    cold = replace(host.figures["2"], conditions=("in_stasis",))
    state = state.with_unit(replace(host, figures={**host.figures, "2": cold}))
    state = replace(state, book={**state.book, HELD: (("carrier", "host", "2"),)})
    before = casualties(state)
    # All dice of the repair fail: it is beyond repair.
    table = play(state).activates("carrier", dice=[1, 1, 1])
    assert table.unit("carrier").left == "beyond_repair"
    assert [(fact.unit, fact.figures, fact.condition) for fact in table.seen(FiguresLost)] == [
        ("host", ("2",), "in_stasis")
    ]
    assert (casualties(table.state), table.state.book[HELD]) == (before + 1, ())


def test_what_has_no_cryostasis_unit() -> None:
    with pytest.raises(RulesetError, match="mounted on a transport vehicle"):
        rescue(seats=0)
    with pytest.raises(RulesetError, match="mounted on a transport vehicle"):
        battle(unit("blue", (6, 6), traits={"cryostasis": True}), unit("red", (6, 20)))
    for note in ("carrier", (("carrier", "host", "9"),)):
        with pytest.raises(RulesetError, match=r"cryostasis\.held"):
            fad4().admit(replace(rescue(), book={HELD: note}))


@pytest.mark.rule(RULE)
def test_the_force_editor_sells_it_with_a_vehicle() -> None:
    def cost(**fields: bool) -> int:
        own: dict[str, str | int | bool] = {"seats": 6, "quality": "conscript", **fields}
        force = Force(FORCE_FORMAT, "fad4", "A test", (ForceUnit("vehicle", "Carrier", own, {}),))
        found = examine(fad4(), force, {})
        assert found.problems == ()
        return found.total

    assert cost(cryostasis=True) == cost() + 5_000
    assert cost(guarded_systems=True) == cost() + 5_000
