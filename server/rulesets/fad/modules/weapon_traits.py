"""Weapon traits: what weapons do that have been changed (fad4/tech.weapon-tables)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from client_protocol.choices import Why
from server.kernel.errors import RulesetError
from server.kernel.facts import FigureRearmed, Noted, UnitNoted
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad import supply
from server.rulesets.fad.game import ABANDONED, FadGame, FadRules
from server.rulesets.fad.module import Act, FadModule
from server.rulesets.fad.setup.book import HeavyWeapon, SmallArm, SupportWeapon
from server.rulesets.fad.shot import Shot

RULE = "tech.weapon-traits"
LIMITED, CUMBERSOME, STATIC = "limited_supply", "cumbersome", "static_weapon"
"""The traits of weapons that run out, are not fired on the move, and stay where they are."""
MOVED = "weapon_traits.moved"
"""The note of a match that names the unit that has moved in its present activation, if it has weapons that are cumbersome."""

Weapon = SmallArm | SupportWeapon | HeavyWeapon


# --- limited supply -------------------------------------------------------------------------------------------------


def _used(game: FadGame, unit: str, weapons: Sequence[Weapon]) -> Steps[None]:
    for name in dict.fromkeys(weapon.name for weapon in weapons if LIMITED in weapon.traits):
        yield from supply.used(game, unit, name)


def _out(state: State, unit: Unit, weapon: Weapon) -> bool:
    """Return whether a unit has used up what it had for a weapon."""
    return LIMITED in weapon.traits and supply.left(state, unit.id, weapon.name) == 0


def _spent(_rules: FadRules, state: State, unit: Unit, weapon: HeavyWeapon) -> Why | None:
    if _out(state, unit, weapon):
        return Why(f"{unit.name} has used up its {weapon.name.lower()}.", supply.RULE)
    return None


# --- on the move ----------------------------------------------------------------------------------------------------


def _arrived(game: FadGame, unit_id: str) -> Steps[None]:
    unit = game.unit(unit_id)
    if unit.id == game.state.turn.unit and any(CUMBERSOME in weapon.traits for weapon in _carried(game.rules, unit)):
        yield Noted(MOVED, unit_id)


def _concluding(game: FadGame, _unit: str) -> Steps[None]:
    if game.state.book.get(MOVED):
        yield Noted(MOVED, "")


def _carried(rules: FadRules, unit: Unit) -> list[Weapon]:
    if "small_arm" not in unit.profile:
        return []
    return [rules.small_arm(unit), *(weapon for _, weapon in rules.carried(unit))]


def _idle(state: State, unit: Unit, weapon: Weapon) -> bool:
    """Return whether a weapon is not fired now, since its unit has moved, or has nothing left to fire."""
    moved = CUMBERSOME in weapon.traits and state.book.get(MOVED) == unit.id
    return moved or _out(state, unit, weapon)


def _trims(rules: FadRules, state: State, unit: Unit, shot: Shot) -> Shot | Why:
    if shot.mount:
        return _spent(rules, state, unit, rules.mounted(unit, shot.mount)) or shot
    arm, gunners = rules.small_arm(unit), dict(shot.supporting)
    silent = {key for key, weapon in rules.carried(unit) if key in gunners and _idle(state, unit, weapon)}
    supporting = tuple(pair for pair in shot.supporting if pair[0] not in silent)
    if not _idle(state, unit, arm):
        return replace(shot, supporting=supporting) if silent else shot
    firing = tuple(key for key in shot.firing if key in dict(supporting))
    if not firing:
        why = "has used up its shots" if _out(state, unit, arm) else "has moved"
        return Why(f"{unit.name} {why}: its {arm.name.lower()} are not fired.", RULE)
    return replace(shot, firing=firing, supporting=supporting)


# --- what stays where it is -----------------------------------------------------------------------------------------


def _bars(rules: FadRules, state: State, unit: Unit, act: str) -> Why | None:
    crew = rules.crew(state, unit) if act == Act.MOVE else None
    if crew is None or STATIC not in rules.mounted(unit, crew.gunner).traits:
        return None
    name = rules.mounted(unit, crew.gunner).name.lower()
    return Why(f"{unit.name} serves a {name}, which stays where it is.", RULE)


def _leaves(game: FadGame, unit_id: str) -> Steps[None]:
    """Let a crew that falls back leave a weapon that stays where it is."""
    crew = game.rules.crew(game.state, game.unit(unit_id))
    if crew is not None and STATIC in game.rules.mounted(game.unit(unit_id), crew.gunner).traits:
        weapon = game.unit(unit_id).figures[crew.gunner].role
        yield UnitNoted(unit_id, ABANDONED, weapon)
        yield FigureRearmed(unit_id, crew.gunner, "", RULE)


def _admit(state: State) -> None:
    supply.admit(state)
    noted = state.book.get(MOVED, "")
    if noted != "" and noted not in state.units:
        raise RulesetError(f"the book's {MOVED} is a unit")


WEAPON_TRAITS = FadModule(
    id="weapon_traits",
    bars=_bars,
    arrived=_arrived,
    concluding=_concluding,
    flees=_leaves,
    trims=_trims,
    spent=_spent,
    used=_used,
    card=supply.card,
    vehicle_card=supply.card,
    rolls=supply.ROLLS,
    admit=_admit,
)
