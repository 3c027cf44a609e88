"""What the enemy does to an uncontrolled force, noted as it happens: whom it attacks, and who comes near to what is held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from server.kernel.facts import ActivationBegan, ActivationEnded, Declared, Fact, Rolled, UnitNoted
from server.kernel.notes import words
from server.kernel.space.sight import stands_in
from server.kernel.state import State
from server.rulesets.fad.blast import hits_of
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.uncontrolled.discipline import covering, off_goal
from server.rulesets.fad.uncontrolled.groups import ENGAGE, FALL_BACK, HOLD, Group, commanded, group_of, groups_of

VISITED = "visited"
"""The note of a unit that lists the terrain pieces at which it has been (fad4/ai.engage-no-enemy)."""


class Watch:
    """Follows the facts of one procedure."""

    def __init__(self, rules: FadRules) -> None:
        self._rules = rules
        self._began: dict[str, int] = {}

    def noted(self, state: State, fact: Fact) -> Iterator[Fact]:
        """Yield what is noted after `fact`, which has just been folded into `state`."""
        if isinstance(fact, Declared | Rolled):
            yield from _attack(state, fact.unit, _targets(fact))
        elif isinstance(fact, ActivationBegan):
            self._began = _distances(state, fact.unit)
        elif isinstance(fact, ActivationEnded):
            yield from self._ended(state, fact.unit)

    def _ended(self, state: State, unit_id: str) -> Iterator[Fact]:
        # fad4/ai.hold: moving towards = ended its last activation nearer than it began
        now = _distances(state, unit_id)
        for side in commanded(state):
            for group in groups_of(state, side.id):
                key = f"{side.id}.{group.id}"
                if key not in now:
                    continue
                nearer = now[key] < self._began.get(key, now[key])
                if nearer != (unit_id in group.nearing):
                    others = tuple(one for one in group.nearing if one != unit_id)
                    yield replace(group, nearing=(*others, unit_id) if nearer else others).noted
        own = group_of(state, state.units[unit_id])
        if own is not None and own.approach == ENGAGE and state.units[unit_id].on_table:
            yield from self._visits(state, unit_id)

    def _visits(self, state: State, unit_id: str) -> Iterator[Fact]:
        unit = state.units[unit_id]
        known = words(unit.profile, VISITED)
        reach = self._rules.edge_reach()
        new = tuple(
            piece.id
            for piece in covering(self._rules, state)
            if piece.id not in known and any(stands_in(at, radius, piece, reach) for at, radius in unit.places())
        )
        if new:
            yield UnitNoted(unit_id, VISITED, (*known, *new))


def _targets(fact: Declared | Rolled) -> list[str]:
    """Return whom a unit attacks: a shell attacks all whom it strikes, with hits or without."""
    if isinstance(fact, Rolled) and fact.purpose == "strike":
        return [unit for unit, _ in hits_of(fact)]
    return [fact.target] if fact.unit and fact.target else []


def _attack(state: State, attacker: str, targets: Sequence[str]) -> Iterator[Fact]:
    foe, sides = state.units.get(attacker), {side.id for side in commanded(state)}
    changed: dict[str, Group] = {}
    for unit in (state.units[target] for target in targets if target in state.units):
        if foe is None or foe.side == unit.side or unit.side not in sides:
            continue
        group = group_of(state, unit)
        row = (attacker, unit.id, state.turn.number)
        if group is not None and row not in group.attacks:
            known = changed.get(group.id, group)
            changed[group.id] = replace(known, attacks=(*known.attacks, row))
    yield from (group.noted for group in changed.values())


def _distances(state: State, unit_id: str) -> dict[str, int]:
    """Return how far an enemy is from what each group holds, or will hold when it has fallen back, in mil."""
    unit = state.units[unit_id]
    if not unit.on_table:
        return {}
    return {
        f"{side.id}.{group.id}": off_goal(state, group.held, unit)
        for side in commanded(state)
        if side.id != unit.side
        for group in groups_of(state, side.id)
        if group.approach in {HOLD, FALL_BACK}
    }
