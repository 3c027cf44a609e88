"""FAD 5's rules on which figures count in a shot."""

from __future__ import annotations

from server.kernel.space.geometry import gap, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.chapters import Fire
from server.rulesets.fad.game import UNDER_FIRE, FadRules
from server.rulesets.fad.shot import Shot


def _alone(unit: Unit) -> bool:
    # fad5/shoot.dice: a squad that is down to one figure is an individual
    return unit.strength == 1


def _riflemen(rules: FadRules, state: State, shot: Shot) -> int:
    # fad5/shoot.mod-small-arms: gunners carry no small arms, even where their own weapon does not reach
    gunners = {key for key, _ in rules.carried(state.units[shot.shooter])}
    return sum(key not in gunners for key in shot.firing)


def _bunched_up(rules: FadRules, unit: Unit) -> bool:
    # fad5/shoot.mod-bunched: a chain of so many figures, with gaps of less than 1" from each to the next
    near = inches(rules.book.tables.bunched_up.gap)
    places = unit.places()
    left = set(range(len(places)))
    while left:
        chain, edge = set[int](), {left.pop()}
        while edge:
            at, radius = places[here := edge.pop()]
            chain.add(here)
            close = {there for there in left if round(gap(at, radius, *places[there])) < near}
            left -= close
            edge |= close
        if len(chain) >= rules.book.tables.bunched_up.figures:
            return True
    return False


def _priority(rules: FadRules, unit: Unit) -> int:
    # fad5/shoot.fire-priority, fad5/under-fire.target-priority: a level lower Under Fire, and never below the lowest
    lower = rules.book.tables.fire_priority.under_fire_levels if UNDER_FIRE in unit.conditions else 0
    levels = list(rules.book.qualities.values())
    return levels[max(0, rules.level(unit) - lower)].fire_priority


FIRE = Fire(alone=_alone, riflemen=_riflemen, bunched_up=_bunched_up, priority=_priority)
