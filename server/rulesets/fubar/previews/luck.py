"""The luck of each roll: what is counted, and for which unit (see `server.rulesets.shared.previews.luck`)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.luck import Luck
from server.kernel.facts import Fact, Rolled
from server.kernel.state import State
from server.rulesets.fubar import dice
from server.rulesets.fubar.game import FubarRules
from server.rulesets.fubar.vehicle_damage import DESTROY, DISARM, IMMOBILISE, SIDES, STUN
from server.rulesets.shared.previews.luck import Row, reckon, roll_off, successes, told

WORSE = (STUN, IMMOBILISE, DISARM, DESTROY)
"""The results of vehicle damage, from the least to the worst."""


def _dice(wanted: str, mark: str, before: int = 0) -> Row[FubarRules]:
    """Return a row that counts the dice with this `mark`, for the unit that rolls.

    The fact's numbers are, after the first `before` ones, the needed number and then the modifier, if there is one.
    """

    def row(_rules: FubarRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
        need, *modifiers = (number.value for number in fact.numbers[before:])
        return successes(fact, wanted, mark, [dice.chance(need, sum(modifiers))] * len(fact.faces))

    return row


def _vehicle_damage(rules: FubarRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the worst result of all dice, from 1, for the shooter."""
    table = rules.book.tables.vehicle_damage
    each = [WORSE.index(table.of(face)) + 1 for face in range(1, SIDES + 1)]
    # The worst of several dice is at most a result if every one of them is.
    below = [Fraction(sum(rank <= worst for rank in each), SIDES) ** len(fact.faces) for worst in range(len(WORSE) + 1)]
    spread = {worst: below[worst] - below[worst - 1] for worst in range(1, len(WORSE) + 1)}
    fell = max(WORSE.index(mark) + 1 for mark in fact.marks)
    return (reckon(fact.side, fact.unit, f"the worst damage, 1 to {len(WORSE)}", spread, fell),)


ROWS: Mapping[str, Row[FubarRules]] = {
    "initiative": roll_off,
    "deployment": roll_off,
    "activation": _dice("activation", dice.SAVED),
    "to-hit": _dice("hits", dice.HIT, before=1),
    "save": _dice("saves", dice.SAVED),
    "vehicle-damage": _vehicle_damage,
    "bail-out": _dice("men who get out", dice.SAVED),
    "close-combat": _dice("hits", dice.HIT),
    "close-save": _dice("saves", dice.SAVED),
}
"""The rows by the purpose of the roll. A purpose without a row is not counted as luck."""


def luck(rules: FubarRules, state: State, fact: Fact) -> tuple[Luck, ...]:
    """Return how lucky `fact` was and for whom, as it happens to `state`; () if it is no roll."""
    return told(rules, ROWS, state, fact)
