"""The shared functions of FAD 5's tests: those of the family, with this edition's rules."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.explained import Explained
from server.kernel.facts import Rolled
from server.kernel.state import State
from server.rulesets.fad.ruleset import FadRuleset
from tests.support import battlefield
from tests.support.battlefield import BattleTable, fad, lines
from tests.support.tabletop import Place, Row


def fad5() -> FadRuleset:
    """Return the edition's rules, loaded once."""
    return fad("fad5")


def battle(*units: Row, **other: object) -> State:
    """Return a battle (see `tests.support.battlefield.battle`)."""
    return battlefield.battle(*units, **{"rules": fad5(), **other})  # type: ignore[arg-type]  # as `battle` takes it


def vehicle(side: str, at: Place | None, **other: object) -> Row:
    """Return a vehicle as a setup has it (see `tests.support.battlefield.vehicle`): in this edition it has no Resolve."""
    row = battlefield.vehicle(side, at, **other)  # type: ignore[arg-type]  # as `vehicle` takes it
    del row["resolve"]
    return row


def facing(apart: float, **other: object) -> State:
    """Return two facing lines (see `tests.support.battlefield.facing`)."""
    return battlefield.facing(apart, rules=fad5(), **other)  # type: ignore[arg-type]  # as `facing` takes it


def shot(state: State, dice: Sequence[int]) -> BattleTable:
    """Let blue-1 shoot at red-1 and stay where it is."""
    return battlefield.play(state).activates("blue-1").fires_at("red-1", dice)


def effect(state: State, dice: Sequence[int]) -> list[tuple[str, int]]:
    """Return the lines of blue-1's Fire Effect at red-1, without the dice."""
    return lines(shot(state, dice).fire_effect)[1:]


def roll_of(table: BattleTable, purpose: str, unit: str) -> Rolled:
    """Return a unit's last roll for this purpose."""
    return [fact for fact in table.seen(Rolled) if (fact.purpose, fact.unit) == (purpose, unit)][-1]


def value_of(number: Explained, rule: str) -> int:
    """Return what the lines of a rule add to a number."""
    return sum(amount for named, amount in lines(number) if named == rule)
