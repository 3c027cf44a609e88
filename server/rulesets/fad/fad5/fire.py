"""FAD 5's rules on which figures count in a shot."""

from __future__ import annotations

from collections.abc import Mapping

from client_protocol.choices import Why
from server.kernel.attaching import own_figures
from server.kernel.bodies import bodies, body, is_vehicle
from server.kernel.space.geometry import gap, inches
from server.kernel.space.hulls import apart
from server.kernel.state import State, Unit
from server.rulesets.fad.buildings import rooms
from server.rulesets.fad.chapters import Fire
from server.rulesets.fad.fad5.anti_tank import lower_rated
from server.rulesets.fad.fad5.openings import at_openings, rivals
from server.rulesets.fad.game import BUSY, UNDER_FIRE, FadRules
from server.rulesets.fad.setup.book import SupportWeapon
from server.rulesets.fad.shot import Shot, band_limits, harmless, modes_in

_DIE = 3.5
"""What a die adds on average."""


def _alone(unit: Unit) -> bool:
    # fad5/shoot.dice: a squad that is down to one figure is an individual
    return unit.strength == 1


def _riflemen(rules: FadRules, state: State, shot: Shot) -> int:
    # fad5/shoot.mod-small-arms: gunners carry no small arms, even where their own weapon does not reach
    # fad5/shoot.one-weapon-per-figure: no figure fires two weapons
    # fad5/damage.last-figure-standard: one has a small arm, also where a position has gunners alone
    unit = state.units[shot.shooter]
    if all(rules.support(figure.role) for figure in unit.living.values()):
        return min(1, len(shot.firing))
    return sum(rules.support(unit.figures[key].role) is None for key in shot.firing)


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
    # fad5/shoot.fire-priority, fad5/under-fire.target-priority: infantry a level lower Under Fire, and never below the lowest
    shaken = UNDER_FIRE in unit.conditions and not is_vehicle(unit)
    lower = rules.book.tables.fire_priority.under_fire_levels if shaken else 0
    levels = list(rules.book.qualities.values())
    return levels[max(0, rules.level(unit) - lower)].fire_priority


def _in_place(rules: FadRules, unit: Unit, fallen: tuple[str, ...]) -> Mapping[str, str]:
    # fad5/damage.last-figure-standard: the gunner who stands nearest falls in the place of the last rifleman, equally near ones
    # in roster order
    own = own_figures(unit)
    standing = [key for key in unit.living if key in own and key not in fallen]
    riflemen = [key for key in fallen if key in own and rules.support(own[key].role) is None]
    if not standing or not riflemen or any(rules.support(own[key].role) is None for key in standing):
        return {}
    last = own[riflemen[-1]]

    def away(key: str) -> float:
        at = own[key].at
        return 0 if last.at is None or at is None else gap(last.at, last.radius, at, own[key].radius)

    return {riflemen[-1]: min(standing, key=away)}


def _placed(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, able: tuple[str, ...], mil: int, mount: str
) -> tuple[str, ...] | Why:
    if is_vehicle(unit) or unit.aboard or not rooms(rules, state):
        return able
    worth = _worth(rules, unit, mil, enemy)
    if mount:
        worth[mount] = 1
    return at_openings(rules, state, unit, enemy, able, worth)


def _worth(rules: FadRules, unit: Unit, mil: int, enemy: Unit) -> dict[str, float]:
    """Return what the support weapons of a unit add at a distance in mil, by the figures that carry them. A gunner carries no
    small arms: where his weapon does not reach, he wants no place.
    """
    return {key: _adds(rules, unit, weapon, mil, enemy) for key, weapon in rules.carried(unit)}


def _rivals(rules: FadRules, state: State, shot: Shot) -> tuple[str, ...]:
    # fad5/shoot.building-openings: the owner may choose who fires
    unit, enemy = state.units[shot.shooter], state.units[shot.target]
    if is_vehicle(unit) or unit.aboard or shot.mount or shot.joined or shot.lone:
        return ()
    idle = harmless(rules, unit, enemy)
    far = band_limits(rules, unit)["long"]
    able = tuple(
        key
        for key, figure in unit.living.items()
        if figure.at is not None
        and key not in idle
        and BUSY not in figure.conditions
        and min(round(apart(body(figure), other)) for other in bodies(enemy).values()) <= far
    )
    return rivals(rules, state, unit, enemy, able, _worth(rules, unit, shot.distance, enemy))


def _adds(rules: FadRules, unit: Unit, weapon: SupportWeapon, mil: int, enemy: Unit) -> float:
    """Return what a support weapon adds to a Fire Effect at a distance in mil, on average."""
    return max(
        (_DIE if mode.fire_effect_die else mode.fire_effect for mode in modes_in(rules, unit, weapon, mil, enemy)),
        default=0,
    )


FIRE = Fire(
    alone=_alone,
    riflemen=_riflemen,
    bunched_up=_bunched_up,
    priority=_priority,
    in_place=_in_place,
    placed=_placed,
    rivals=_rivals,
    spared=lower_rated,
)
