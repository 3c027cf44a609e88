"""Helpers for tests of fire: which figures may fire at which units, and with what numbers, before any die is rolled."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import AssignmentParameter, Why
from server.kernel.state import State
from server.rulesets.fubar.aim import WALK, fire_parameter
from server.rulesets.fubar.fire import Bout, Numbers, bouts, numbers, volleys
from tests.rulesets.fubar4.battlefield import BattleTable, fubar4, paths, unit
from tests.support.tabletop import Place, Row


def unarmed(side: str, at: Place | Sequence[Place] | None, **other: object) -> Row:
    """Return an infantry unit without small arms."""
    row = unit(side, at, **other)  # type: ignore[arg-type]  # as `unit` takes it
    figures = row["figures"]
    assert isinstance(figures, list)
    return {**row, "figures": [{key: value for key, value in figure.items() if key != "arm"} for figure in figures]}


def offered(state: State, unit: str = "blue-1", moment: str = WALK) -> dict[str, list[str]]:
    """Return the values that each row of `unit` may be given at this moment; empty if no figure may fire."""
    found = fire_parameter(fubar4().rules, state, unit, moment)
    return {} if isinstance(found, Why) else {row.key: [option.key for option in row.options] for row in found.rows}


def parameter(state: State, unit: str = "blue-1", moment: str = WALK) -> AssignmentParameter:
    """Return the parameter that `unit` is asked for when it fires."""
    found = fire_parameter(fubar4().rules, state, unit, moment)
    assert isinstance(found, AssignmentParameter), found
    return found


def barred(state: State, unit: str = "blue-1", moment: str = WALK) -> str:
    """Return the rule by which no figure of `unit` may fire, or "" if one may."""
    found = fire_parameter(fubar4().rules, state, unit, moment)
    return found.rule if isinstance(found, Why) else ""


def bout(state: State, unit: str = "blue-1", target: str = "red-1", moment: str = WALK, weapon: str = "") -> Bout:
    """Return the bout of all figures that can fire at `target`, with `weapon` or the first one offered."""
    given: dict[str, str] = {}
    for row in parameter(state, unit, moment).rows:
        options = [o.key for o in row.options if o.unit == target and o.key.startswith(weapon)]
        if options:
            given[row.key] = options[0]
    (found,) = bouts(fubar4().rules, state, unit, moment, given)
    return found


def volley(state: State, moment: str = WALK, weapon: str = "") -> Numbers:
    """Return the numbers of the first volley of blue-1 at red-1."""
    found = bout(state, moment=moment, weapon=weapon)
    return numbers(fubar4().rules, state, found, volleys(state, found)[0])


def walks_and_fires(table: BattleTable, target: str = "red-1", dice: Sequence[int] = ()) -> BattleTable:
    """Let blue-1 activate, walk nowhere, and fire with every figure that can at `target`."""
    table.activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    return table.fires(target, dice=dice)
