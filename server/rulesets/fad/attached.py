"""Units attached to others: who may join whom, and what they share (fad5/adv.weapon-teams.attach, fad5/adv.characters.attach).

An attached unit's figures stand among its host's (`server.kernel.attaching`), so that both are one unit for moves, targets,
losses and markers. What is left is here: who counts as activated, and who goes on when the other is wiped out.
"""

from __future__ import annotations

from collections.abc import Iterator

from server.kernel import traits
from server.kernel.attaching import figures_of, guests, own_figures
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ActivationBegan, ActivationEnded, ConditionGained, FiguresGained, UnitDetached, UnitLeft
from server.kernel.notes import word
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad.game import BUSY, CHARACTER, QUALITY, RESOLVE, UNDER_FIRE, WEAPON_TEAM, FadGame, FadRules

TEAM = "adv.weapon-teams.attach"
ATTACH = "adv.characters.attach"
COHERENCY = "move.coherency-weapon-team"


def rule_of(unit: Unit) -> str:
    """Return the rule by which a unit is attached to others."""
    return ATTACH if is_character(unit) else TEAM


def is_character(unit: Unit) -> bool:
    """Return whether the unit is a character."""
    return traits.has(unit, CHARACTER)


def is_team(unit: Unit) -> bool:
    """Return whether the unit is a heavy weapon with its crew (fad5/unit.definition, fad5/unit.infantry-class)."""
    return traits.has(unit, WEAPON_TEAM)


def team_of(state: State, unit: Unit) -> Unit | None:
    """Return the team that is attached to a unit, or None."""
    return next((guest for guest in guests(state, unit.id) if is_team(guest)), None)


def characters(state: State, unit: Unit) -> list[Unit]:
    """Return the characters who stand among the figures of a unit, in roster order."""
    standing = {str(figure.of) for figure in unit.living.values() if figure.of}
    return [state.units[key] for key in standing_in_order(state, standing) if is_character(state.units[key])]


def standing_in_order(state: State, keys: set[str]) -> list[str]:
    """Return ids of units in roster order."""
    return [key for key in state.units if key in keys] if keys else []


def fit(rules: FadRules, state: State, unit: Unit, host: Unit) -> bool:
    """Return whether a unit may be attached to another of its side, wherever both are."""
    if host.id == unit.id or host.side != unit.side or host.left or host.attached or is_vehicle(host):
        return False
    if is_character(host) or any(marker in traits.of(host) for marker in rules.solitary(state)):
        return False
    if is_character(unit):
        return True
    # fad5/adv.weapon-teams.attach: to an infantry squad, of its Quality and Resolve; one team to each
    alike = all(word(unit.profile, key) == word(host.profile, key) for key in (QUALITY, RESOLVE))
    if not rules.attaches_teams(state):
        return False
    return is_team(unit) and not is_team(host) and alike and team_of(state, host) is None


def hosts(rules: FadRules, state: State, unit: Unit) -> list[str]:
    """Return the units to which a unit may be attached as both are deployed, in roster order. One that others are attached to is
    not attached itself.
    """
    if not (is_character(unit) or is_team(unit)) or guests(state, unit.id):
        return []
    return [host.id for host in state.units_of(unit.side) if fit(rules, state, unit, host)]


# --- activations ----------------------------------------------------------------------------------------------------


def begin(game: FadGame, unit: str) -> Steps[None]:
    """Let who is with a unit that begins to activate, and has acted already this turn, only move along
    (fad5/adv.characters.attach).
    """
    for guest in guests(game.state, unit):
        if guest.activated == game.state.turn.number:
            standing = tuple(key for key, one in figures_of(game.state, guest).items() if not one.fallen)
            if standing:
                yield FiguresGained(unit, standing, BUSY, ATTACH)


def detach(game: FadGame, unit: str, rule: str) -> Steps[None]:
    """Let a unit leave the one to which it is attached. It takes along the markers that both have shared."""
    host = game.unit(str(game.unit(unit).attached))
    shared = [UNDER_FIRE, *(marker.id for marker in game.rules.markers if marker.comes_off)]
    yield UnitDetached(unit, rule)
    for condition in shared:
        if condition in host.conditions and condition not in game.unit(unit).conditions:
            yield ConditionGained(unit, condition, rule)


def settle(game: FadGame) -> Steps[None]:
    """Settle, after an activation, who has activated with a unit, and who goes on alone."""
    for guest in _attached(game.state):
        host = game.unit(str(guest.attached))
        if guest.activated < host.activated == game.state.turn.number:
            # fad5/adv.characters.attach: the unit's activation is its act for the turn
            yield ActivationBegan(guest.id)
            yield ActivationEnded(guest.id)
    for key in dict.fromkeys(str(guest.attached) for guest in _attached(game.state)):
        yield from fallen_guests(game, key)
        host = game.unit(key)
        if any(not figure.fallen for figure in own_figures(host).values()):
            continue
        # fad5/adv.weapon-teams.attach: if the squad is wiped out, the rest goes on alone
        for guest in guests(game.state, key):
            if any(not figure.fallen for figure in figures_of(game.state, guest).values()):
                yield from detach(game, guest.id, rule_of(guest))
        yield UnitLeft(key, "destroyed", "damage.infantry")


def fallen_guests(game: FadGame, host: str) -> Steps[None]:
    """Take the units out of the game whose figures have all fallen among their host's, none of them only wounded."""
    for guest in guests(game.state, host):
        figures = figures_of(game.state, guest).values()
        wounding = game.rules.wounding(game.state)
        wounded = wounding is not None and any(wounding.marker in figure.conditions for figure in figures)
        if all(figure.fallen for figure in figures) and not wounded:
            yield UnitLeft(guest.id, "destroyed", rule_of(guest))


def _attached(state: State) -> Iterator[Unit]:
    return iter([unit for unit in state.units.values() if unit.attached and not unit.left])
