"""Resolve checks, Morale Tests, and the activation of broken units."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from client_protocol.choices import Choice, Picked, Value
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared, UnitLeft
from server.kernel.procedure import Steps, ask, ask_later
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.rulesets.fad import blast
from server.rulesets.fad.falling_back import Retreat, retreat, spends, to_the_edge
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.firing import fire_at, offer_shot, target_choice
from server.rulesets.fad.game import RESOLVE, FadGame, FadRules
from server.rulesets.fad.machines import stands_fast
from server.rulesets.fad.module import Act
from server.rulesets.fad.movement import MOVE
from server.rulesets.fad.travel import go, intent
from server.rulesets.shared.distances import enemies_by_distance

UNBROKEN = "unbroken"
RALLIED = "rallied"
FALLS_BACK = "falls_back"
ROUTED = "routed"


def casualties_break(rules: FadRules, unit: Unit) -> bool:
    """Return whether the unit's casualties, out of the figures it began with, reach its Resolve (fad4/resolve.infantry,
    fad5/resolve.weapon-teams). Some editions' vehicles have none (fad5/resolve.vehicles).
    """
    if RESOLVE not in unit.profile:
        return False
    return rules.resolve(unit).broken(rules.casualties(unit), rules.original(unit))


def must_test(rules: FadRules, unit: Unit) -> bool:
    """Return whether the unit takes a Morale Test when it activates: for its losses or for a marker."""
    return casualties_break(rules, unit) or rules.shaken(unit)


def read_morale(rules: FadRules, passes: int) -> str:
    """Return the result of a Morale Test with this many passes (fad4/morale.test)."""
    if passes >= rules.book.tables.morale.rally_passes:
        return RALLIED
    return FALLS_BACK if passes >= rules.book.tables.morale.fall_back_passes else ROUTED


def may_stay(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether a broken unit need not fall back: it is in cover, and no enemy is within 8"
    (fad4/morale.infantry-fall-back).
    """
    near = enemies_by_distance(state, unit)
    safe = inches(rules.book.tables.morale.safe_distance)
    return rules.chapters.morale.sheltered(rules, state, unit) and (not near or near[0].distance > safe)


def fall_back(game: FadGame, unit: str) -> Steps[None]:
    """Run the activation of a unit that is broken and has not rallied."""
    held = game.rules.held(game.unit(unit))
    if held is not None:
        # fad4/morale.overrides
        yield Declared(unit, held.declared, held.rule)
        return
    picked = yield from ask_later(game, game.state.seat_of(unit), partial(_asked, game.rules, unit))
    stays = picked.choice in {"stay", "fire-stay", blast.BLAST}
    yield Declared(unit, "stay-broken" if stays else "fall-back", "morale.infantry-fall-back")
    if picked.choice == "leave":
        yield from _leave(game, unit)
    elif picked.choice == "fall-back":
        yield from _flee(game, unit, picked.values[0], "morale.infantry-fall-back")
        if game.rules.barred(game.state, game.unit(unit), Act.ADVANCE) is None:
            yield from offer_shot(game, unit)
    elif picked.choice == "fire-fall-back":
        yield from fire_at(game, unit, picked)
        yield from _go(game, unit)
    elif picked.choice == "fire-stay":
        yield from fire_at(game, unit, picked)
    elif picked.choice == blast.BLAST:
        yield from blast.fire(game, unit, picked)


def _asked(rules: FadRules, unit_id: str, state: State) -> Asked:
    unit = state.units[unit_id]
    fast = stands_fast(rules, state, unit)
    found = Retreat(None) if fast else retreat(rules, state, unit_id)
    stays = fast or may_stay(rules, state, unit)
    candidates = targets(rules, state, unit_id)
    rule = "morale.infantry-fall-back"
    choices = []
    if found.parameter is not None:
        # fad5/turn.action-engage: who cannot both move and fire does not fire as it falls back
        rooted = rules.barred(state, unit, Act.ADVANCE)
        afterwards = "; it may shoot afterwards" if rooted is None else ""
        told = f"Away from the enemy{afterwards}.{intent(rules, state, unit_id, MOVE)}"
        shown = rules.foretells_moves(state) or spends(found.parameter)
        choices.append(Choice("fall-back", "Fall back", rule, told, (found.parameter,), preview=shown))
        first = target_choice("fire-fall-back", "Fire, then fall back", rule, "A broken unit shoots badly.", candidates)
        choices.append(first if rooted is None else replace(first, parameters=(), why=rooted))
    elif not stays and rules.leaves_table(state) and to_the_edge(rules, state, unit_id) is not None:
        choices.append(
            Choice("leave", "Leave the table", rule, "There is nowhere else to go: the unit is out of the game.")
        )
    if stays or not choices or (found.parameter is not None and found.way is None):
        choices.append(Choice("stay", "Stay", rule, _staying(found, stays=stays, fast=fast)))
        if stays or found.way is None:
            choices.append(target_choice("fire-stay", "Stay and fire", rule, "A broken unit shoots badly.", candidates))
            # fad5/morale.result-one-infantry: at infantry some weapons fire blasts alone
            choices += blast.choices(rules, state, unit)
    if stays and rules.chapters.morale.stays_first:
        # fad5/morale.result-one-infantry
        default = Picked("stay")
    elif found.way is not None:
        default = Picked("fall-back", (found.way,))
    else:
        default = Picked("stay" if any(choice.key == "stay" for choice in choices) else "leave")
    return Asked(f"{unit.name} is Broken", tuple(choices), default, rule, unit_id)


def _leave(game: FadGame, unit: str) -> Steps[None]:
    """Let the unit leave the table, if its move takes it there."""
    far = to_the_edge(game.rules, game.state, unit)
    travel = game.rules.travel(game.state)
    if travel is not None and far is not None and (yield from travel.reach(game, unit, MOVE)).value < far:
        yield Declared(unit, "stay-broken", "morale.infantry-fall-back")
    else:
        yield UnitLeft(unit, "left_table", "morale.infantry-fall-back")


def _staying(found: Retreat, *, stays: bool, fast: bool = False) -> str:
    """Return the sentence on why a broken unit may stay where it is."""
    if fast:
        return "It does not fall back."
    if stays:
        return "In cover, with no enemy near."
    return (
        "There is no way out."
        if found.parameter is None
        else "No way out was found. Stay only if you find none either."
    )


def _go(game: FadGame, unit: str) -> Steps[None]:
    """Let the unit fall back after its shot, which may have changed which enemy is nearest."""
    rules, state = game.rules, game.believed(game.state.seat_of(unit))
    found = retreat(rules, state, unit)
    if found.parameter is None:
        return
    rule = "morale.infantry-fall-back"
    told = f"Away from the enemy.{intent(rules, state, unit, MOVE)}"
    shown = rules.foretells_moves(state) or spends(found.parameter)
    choices = [Choice("fall-back", "Fall back", rule, told, (found.parameter,), preview=shown)]
    if found.way is None:
        choices.append(Choice("stay", "Stay", rule, _staying(found, stays=False)))
    default = Picked("stay") if found.way is None else Picked("fall-back", (found.way,))
    name = state.units[unit].name
    picked = yield from ask(state.seat_of(unit), Asked(f"{name} falls back", tuple(choices), default, rule, unit))
    if picked.choice == "fall-back":
        yield from _flee(game, unit, picked.values[0], rule)


def _flee(game: FadGame, unit: str, way: Value, rule: str) -> Steps[None]:
    for flees in game.rules.fleeing(game.state):
        yield from flees(game, unit)
    yield from go(game, unit, way, "fall-back", rule)
