"""Close assaults in the words of the rulebook, for the tests of that chapter."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import PathsDeclared
from server.kernel.answers.check import touches
from server.kernel.facts import Rolled, UnitMoved
from server.kernel.state import State, Unit
from tests.support.battlefield import BattleTable, lines, play


def assault(state: State, *, shot: Sequence[int] | None = None) -> BattleTable:
    """Let blue-1 assault red-1, which holds its fire, or takes its free shot with the dice `shot`."""
    table = play(state).activates("blue-1").answers("assault", "red-1")
    if table.prompts and table.prompt.choice("hold-fire") is not None:
        table.answers("free-shot", dice=shot) if shot is not None else table.answers("hold-fire")
    return table


def charge(table: BattleTable, dice: Sequence[int], way: PathsDeclared | None = None) -> BattleTable:
    """Charge, by the server's own path unless one is given; then roll the scores and the kills."""
    return table.defaults(dice) if way is None else table.answers("charge", way, dice=dice)


def score(table: BattleTable, unit: str) -> list[tuple[str, int]]:
    """Return the lines of a unit's score in the fight, without the dice."""
    return lines(roll_of(table, "assault", unit).numbers[0])[1:]


def roll_of(table: BattleTable, purpose: str, unit: str) -> Rolled:
    """Return a unit's roll for this purpose."""
    (roll,) = [fact for fact in table.seen(Rolled) if (fact.purpose, fact.unit) == (purpose, unit)]
    return roll


def engaged(start: State, table: BattleTable) -> State:
    """Return the state after all figures closed in, before the fight. The table began with `start`."""
    states = []
    for fact in table.facts:
        start = fact.fold(start)
        if isinstance(fact, UnitMoved) and fact.manner in {"charge", "contact"}:
            states.append(start)
    return states[-1]


def touching(unit: Unit, enemy: Unit) -> int:
    """Return how many living figures of `unit` touch one of `enemy`."""
    return sum(any(touches(base, other) for other in enemy.places()) for base in unit.places())
