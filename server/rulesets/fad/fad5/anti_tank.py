"""The anti-tank ratings of the hits of a shot at a vehicle."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.explained import Explained, Line
from server.kernel.questions import total
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.setup.book import HeavyWeapon, SmallArm, SupportWeapon
from server.rulesets.fad.shot import Shot, only_rated

OPTION = "squad_at_hits"
"""The option that says whose ratings the hits of a squad have."""
IN_TURN, WORST, BEST = "in-turn", "worst", "best"


def ratings(rules: FadRules, state: State, shot: Shot, hits: int) -> list[Explained]:
    """Return the anti-tank rating of each hit of a shot at a vehicle (fad5/damage.vehicle-penetration): of the weapon that is
    fired, or of a squad's weapons in turn from the highest down, its small arms last, and then round again
    (fad5/shoot.squad-vs-vehicle).
    """
    unit = state.units[shot.shooter]
    if shot.weapon:
        return [_of_heavy(rules, state, shot)] * hits
    if shot.joined:
        # fad5/adv.weapon-teams.combined-fire: odd-numbered hits are of the squad, even-numbered ones of the weapon
        squad = ratings(rules, state, replace(shot, joined=""), (hits + 1) // 2)
        heavy = _rated(rules.mounted(unit, shot.joined))
        return [heavy if i % 2 else squad[i // 2] for i in range(hits)]
    fired = weapons(rules, state, unit, shot)
    return [fired[i % len(fired)] for i in range(hits)]


def _of_heavy(rules: FadRules, state: State, shot: Shot) -> Explained:
    """Return the rating of the heavy weapon of a shot at its target (fad5/weapon.conversion-gun)."""
    row, target = rules.book.heavy_weapons[shot.weapon], state.units[shot.target]
    found = [effect.anti_tank(rules, state, row, target) for effect in rules.effects(row.id) if effect.anti_tank]
    return _rated(replace(row, anti_tank=max(found)) if found else row)


def weapons(rules: FadRules, state: State, unit: Unit, shot: Shot) -> list[Explained]:
    """Return the ratings of the weapons of a squad that take part, in the order in which its hits have them."""
    support = (rules.book.support_weapons[weapon] for _, weapon in shot.supporting)
    squad = "shoot.squad-vs-vehicle"
    fired = sorted((_rated(weapon, squad) for weapon in support), key=lambda rated: -rated.value)
    if rules.chapters.fire.riflemen(rules, state, shot):
        fired.append(_rated(rules.small_arm(unit, shot.firing), squad))
    option = state.options.get(OPTION, IN_TURN)
    if option == IN_TURN:
        return fired
    pick = min if option == WORST else max
    return [pick(fired, key=lambda rated: rated.value)]


def lower_rated(rules: FadRules, state: State, shot: Shot) -> tuple[str, ...]:
    """Return the gunners of a squad whose support weapons have a lower rating than another weapon that it fires at a vehicle: by
    leaving them out its owner has fewer hits, and better ones (fad5/shoot.support-weapons).
    """
    unit = state.units[shot.shooter]
    if not only_rated(rules, state.units[shot.target]) or shot.weapon or shot.joined or shot.lone:
        return ()
    if state.options.get(OPTION, IN_TURN) == BEST:
        return ()
    found = {key: rules.book.support_weapons[weapon].anti_tank or 0 for key, weapon in shot.supporting}
    best = max(found.values(), default=0)
    if rules.chapters.fire.riflemen(rules, state, shot):
        best = max(best, rules.small_arm(unit, shot.firing).anti_tank or 0)
    return tuple(key for key, rating in found.items() if rating < best)


def _rated(weapon: HeavyWeapon | SupportWeapon | SmallArm, rule: str = "tech.weapon-tables") -> Explained:
    assert weapon.anti_tank is not None, "a weapon without a rating is not fired at vehicles"
    return total([Line("SET", weapon.anti_tank, f"{weapon.name}, anti-tank", rule)])
