"""Checking Resolve, the Morale Test, and what broken units do."""

from __future__ import annotations

from client_protocol.choices import Choice, PathParameter, PathsDeclared, Picked
from server.kernel.facts import ConditionGained, ConditionLost, Declared, UnitLeft
from server.kernel.geometry import direction
from server.kernel.march import march
from server.kernel.procedure import Steps, ask
from server.kernel.prompts import Asked, check_path
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.firing import fire_at, offer_shot, target_choice
from server.rulesets.fad.game import BROKEN, PINNED, FadGame, FadRules, figures_in_cover, in_cover
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.shot import targets
from server.rulesets.shared.distances import enemies_by_distance, visible_enemies
from server.rulesets.shared.ways import ends_of, legal_shifts

UNBROKEN = "unbroken"
RALLIED = "rallied"
FALLS_BACK = "falls_back"
ROUTED = "routed"


def casualties_break(rules: FadRules, unit: Unit) -> bool:
    """Whether the unit's casualties reach its Resolve (fad4/resolve.infantry), out of the figures it began with."""
    original = len(unit.figures)
    return rules.resolve(unit).broken(original - unit.strength, original)


def read_morale(rules: FadRules, passes: int) -> str:
    """What so many passes of a Morale Test mean (fad4/morale.test)."""
    if passes >= rules.book.number("morale", "rally_passes"):
        return RALLIED
    return FALLS_BACK if passes >= rules.book.number("morale", "fall_back_passes") else ROUTED


def check_resolve(game: FadGame, unit: str) -> Steps[str]:
    """Check `unit`'s Resolve on activation, with a Morale Test if it is Broken; returns how it stands. A rout leaves."""
    # fad4/resolve.infantry: on each activation, as long as the losses stand
    if not casualties_break(game.rules, game.unit(unit)):
        return UNBROKEN
    passes = yield from quality_test(game, unit, "morale", "morale.test", lambda n: read_morale(game.rules, n))
    standing = read_morale(game.rules, passes)
    was_broken = BROKEN in game.unit(unit).conditions
    if standing == ROUTED:
        # fad4/morale.rout
        yield UnitLeft(unit, "routed", "morale.rout")
    elif standing == RALLIED and was_broken:
        # fad4/morale.rally
        yield ConditionLost(unit, BROKEN, "morale.rally")
    elif standing == FALLS_BACK and not was_broken:
        # fad4/morale.infantry-fall-back
        yield ConditionGained(unit, BROKEN, "morale.infantry-fall-back")
    return standing


def may_stay(rules: FadRules, state: State, unit: Unit) -> bool:
    """Whether a broken unit need not fall back: in cover, and no enemy unit within 8" (fad4/morale.infantry-fall-back)."""
    near = enemies_by_distance(state, unit)
    safe = rules.book.length("morale", "safe_distance")
    return in_cover(rules, state, unit) and (not near or near[0].distance > safe)


def default_retreat(rules: FadRules, state: State, parameter: PathParameter) -> PathsDeclared | None:
    """The server's own retreat: a straight one that prefers cover, being out of sight, the own edge, then distance; None when
    there is none (fad4/morale.infantry-fall-back).
    """
    unit = state.units[parameter.unit]
    near = visible_enemies(rules, state, unit) or enemies_by_distance(state, unit)
    if not near:
        return None
    enemy = state.units[near[0].unit].places()[0][0]
    away = direction(enemy, unit.places()[0][0])
    angles = [away + bend * 1500 for bend in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5)]
    lengths = [parameter.allowance - 1, parameter.allowance // 2, parameter.allowance // 6]
    ways = legal_shifts(state, parameter, angles, lengths)
    if not movement.coherent(rules, state, unit):
        ways += [way for way in movement.closing_ways(state, parameter) if check_path(state, parameter, way) is None]
    edge = {"south": (0, -1), "north": (0, 1), "west": (-1, 0), "east": (1, 0)}.get(state.sides[unit.side].edge, (0, 0))

    sight = rules.field(state)
    enemies = [base for foe in state.enemies_of(unit.side) for base in foe.places()]

    def worth(way: PathsDeclared) -> tuple[int, int, int]:
        ends = ends_of(unit, way)
        hidden = sum(not any(sight.sees(*base, *enemy) for enemy in enemies) for base in ends)
        homeward = sum(edge[0] * x + edge[1] * y for (x, y), _ in ends)
        return (figures_in_cover(rules, state, ends), hidden, homeward)

    return max(ways, key=worth, default=None)


def fall_back(game: FadGame, unit: str) -> Steps[None]:
    """The activation of a unit that is broken and was not rallied."""
    if PINNED in game.unit(unit).conditions:
        # fad4/pin.no-moving, fad4/morale.overrides: pinned troops stay put; fad4/pin.no-shooting
        yield Declared(unit, "refuses", "morale.overrides")
        return
    asked = _asked(game, unit)
    picked = yield from ask(game.state.seat_of(unit), asked)
    stays = picked.choice in {"stay", "fire-stay"}
    yield Declared(unit, "stay-broken" if stays else "fall-back", "morale.infantry-fall-back")
    if picked.choice == "leave":
        yield UnitLeft(unit, "left_table", "morale.infantry-fall-back")
    elif picked.choice == "fall-back":
        way = picked.values[0]
        assert isinstance(way, PathsDeclared), "checked before"
        yield from march(game, unit, way.paths, "fall-back", "morale.infantry-fall-back")
        yield from offer_shot(game, unit)
    elif picked.choice == "fire-fall-back":
        yield from fire_at(game, unit, picked)
        yield from _go(game, unit)
    elif picked.choice == "fire-stay":
        yield from fire_at(game, unit, picked)


def _asked(game: FadGame, unit_id: str) -> Asked:
    rules, state = game.rules, game.believed(game.state.seat_of(unit_id))
    unit = state.units[unit_id]
    parameter = movement.path_parameter(
        rules, state, unit_id, movement.MOVE, movement.retreat_ends(rules, state, unit), may_stay=False
    )
    way = default_retreat(rules, state, parameter)
    stays = may_stay(rules, state, unit)
    candidates = targets(rules, state, unit_id)
    rule = "morale.infantry-fall-back"
    choices = []
    if way is not None:
        choices.append(
            Choice("fall-back", "Fall back", rule, "Away from the enemy; it may shoot afterwards.", (parameter,))
        )
        choices.append(
            target_choice("fire-fall-back", "Fire, then fall back", rule, "A broken unit shoots badly.", candidates)
        )
    elif not stays and _by_the_edge(state, unit, parameter.allowance):
        choices.append(
            Choice("leave", "Leave the table", rule, "There is nowhere else to go: the unit is out of the game.")
        )
    if stays or not choices:
        consequence = "In cover, with no enemy near." if stays else "There is no way out."
        choices.append(Choice("stay", "Stay", rule, consequence))
        if stays or way is None:
            choices.append(target_choice("fire-stay", "Stay and fire", rule, "A broken unit shoots badly.", candidates))
    default = Picked("fall-back", (way,)) if way is not None else Picked(choices[0].key)
    return Asked(f"{unit.name} is Broken", tuple(choices), default, rule, unit_id)


def _by_the_edge(state: State, unit: Unit, reach: int) -> bool:
    width, height = state.table.width, state.table.height
    return any(min(x - r, y - r, width - x - r, height - y - r) <= reach for (x, y), r in unit.places())


def _go(game: FadGame, unit: str) -> Steps[None]:
    """The retreat after the shot, which may have changed who is nearest."""
    rules, state = game.rules, game.believed(game.state.seat_of(unit))
    ends = movement.retreat_ends(rules, state, state.units[unit])
    parameter = movement.path_parameter(rules, state, unit, movement.MOVE, ends, may_stay=False)
    way = default_retreat(rules, state, parameter)
    if way is None:
        return
    choice = Choice("fall-back", "Fall back", "morale.infantry-fall-back", "Away from the enemy.", (parameter,))
    name = state.units[unit].name
    asked = Asked(f"{name} falls back", (choice,), Picked("fall-back", (way,)), "morale.infantry-fall-back", unit)
    picked = yield from ask(state.seat_of(unit), asked)
    chosen = picked.values[0]
    assert isinstance(chosen, PathsDeclared), "checked before"
    yield from march(game, unit, chosen.paths, "fall-back", "morale.infantry-fall-back")
