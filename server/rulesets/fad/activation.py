"""Activating a unit: first its Resolve is checked, then it takes one action, then its markers come off."""

from __future__ import annotations

from functools import partial

from client_protocol.choices import Choice, PathsDeclared, Picked, UnitNamed, Why
from server.kernel.answers.check import Asked
from server.kernel.facts import ActivationBegan, ActivationEnded, ConditionLost, Declared, SideToAct
from server.kernel.march import march
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.rulesets.fad import assault, charge, movement
from server.rulesets.fad.firing import fire_at, offer_shot, target_choice
from server.rulesets.fad.game import ENGAGE, MOVE_OUT, OPEN_FIRE, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.module import Act
from server.rulesets.fad.morale import FALLS_BACK, ROUTED, casualties_break, fall_back
from server.rulesets.fad.shot import targets
from server.rulesets.shared.turns import next_side, pick_unit, waiting

_ACTION_OF = {"open-fire": OPEN_FIRE, "move-out": MOVE_OUT}
"""The action that a choice belongs to. Choices that are missing here are ways to engage the enemy."""


def activate(game: FadGame, side: str) -> Steps[None]:
    """Let `side` activate one unit."""
    # fad4/turn.once-per-turn: only units that still wait are offered; the default is the one with the lowest roster number
    # (fad4/turn.alternate-activation)
    waits = partial(waiting, side=side)
    unit = yield from pick_unit(game, side, waits, lambda unit: _note(game.rules, unit), "turn.alternate-activation")
    yield ActivationBegan(unit)
    # fad4/activation.resolve-first
    standing = yield from game.rules.chapters.morale.check_resolve(game, unit)
    if standing == FALLS_BACK:
        yield from fall_back(game, unit)
    elif standing != ROUTED:
        # fad4/activation.one-action
        yield from act(game, unit)
    for condition in coming_off(game.rules, game.unit(unit)):
        yield ConditionLost(unit, condition, "activation.clear-markers")
    yield ActivationEnded(unit)
    # fad4/turn.alternate-activation, fad4/turn.leftover-units
    following = next_side(game.state, side)
    if following:
        yield SideToAct(following)


def coming_off(rules: FadRules, unit: Unit) -> tuple[str, ...]:
    """Return the markers that come off `unit` when its activation ends (fad4/activation.clear-markers)."""
    # fad4/underfire.duration
    under_fire = (UNDER_FIRE,) if UNDER_FIRE in unit.conditions else ()
    return (*under_fire, *rules.coming_off(unit))


def _note(rules: FadRules, unit: Unit) -> str:
    notes = [f"{unit.strength} of {len(unit.figures)}"]
    if casualties_break(rules, unit):
        notes.append("must test morale")
    return ", ".join(notes)


def act(game: FadGame, unit: str) -> Steps[None]:
    """Let an unbroken unit take its one action."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    choices = _actions(game.rules, state, state.units[unit])
    title = f"{state.units[unit].name}: choose its action"
    picked = yield from ask(seat, Asked(title, choices, Picked("hold"), "activation.one-action", unit))
    added = game.rules.action(game.state, picked.choice)
    if added is not None:
        yield from added.carry_out(game, unit, picked)
    elif picked.choice == "hold":
        yield Declared(unit, "hold", "action.engage-infantry")
    elif picked.choice == "open-fire":
        # fad4/action.open-fire
        yield from fire_at(game, unit, picked, open_fire=True)
    elif picked.choice == "move-out":
        # fad4/action.move-out-infantry: no shot, no assault
        yield Declared(unit, "move-out", "action.move-out-infantry")
        yield from _move(game, unit, picked, movement.RUSH, "move.rush")
    elif picked.choice == "move-fire":
        # fad4/action.engage-infantry: the shot is wholly before or wholly after the move
        yield Declared(unit, "engage", "action.engage-infantry")
        yield from _move(game, unit, picked, movement.MOVE, "move.infantry")
        yield from offer_shot(game, unit)
    elif picked.choice == "fire-move":
        yield from fire_at(game, unit, picked)
        yield from _move_after_shot(game, unit)
    else:
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        yield from assault.close_assault(game, unit, named.unit)


def _actions(rules: FadRules, state: State, unit: Unit) -> tuple[Choice, ...]:
    engage, assaulting = "action.engage-infantry", "assault.declare"
    charging = "Engage the Enemy: charge into contact; the target shoots first."
    candidates = targets(rules, state, unit.id)
    move = movement.path_parameter(rules, state, unit.id, movement.MOVE)
    stuck = rules.barred(state, unit, Act.MOVE)
    foes = charge.candidates(rules, state, unit.id)
    bonus = rules.book.tables.fire_effect_modifiers.open_fire
    choices = (
        Choice("move-fire", "Move, then fire", engage, "Engage the Enemy: move, and shoot from there.", (move,), stuck),
        target_choice(
            "fire-move", "Fire, then move", engage, "Engage the Enemy: shoot, and move afterwards.", candidates
        ),
        target_choice(
            "open-fire", "Open Fire", "action.open-fire", f"Shoot with {bonus:+d} and stay where you are.", candidates
        ),
        _move_out(rules, state, unit, stuck),
        target_choice("assault", "Close Assault", assaulting, charging, foes, when=assaulting),
    )
    # fad4/activation.one-action: only actions that the edition has
    own = (choice for choice in choices if rules.has_action(_ACTION_OF.get(choice.key, ENGAGE)))
    return (*own, *rules.offers(state, unit), Choice("hold", "Hold", engage, "Neither move nor shoot."))


def _move_out(rules: FadRules, state: State, unit: Unit, stuck: Why | None) -> Choice:
    rule = "action.move-out-infantry"
    ends = movement.rush_ends(rules, state, unit)
    rush = movement.path_parameter(rules, state, unit.id, movement.RUSH, ends)
    armour = rules.armour(unit)
    if stuck is None and "no_rush" in armour.traits:
        stuck = Why(f"{armour.name} is too heavy to Rush in.", "tech.personal-armour")
    return Choice("move-out", "Move Out", rule, "Rush twice as far, without shooting.", (rush,), stuck)


def _move(game: FadGame, unit: str, picked: Picked, manner: str, rule: str) -> Steps[None]:
    paths = picked.values[0]
    assert isinstance(paths, PathsDeclared), "checked against the choice"
    yield from march(game, unit, paths.paths, manner, rule)


def _move_after_shot(game: FadGame, unit: str) -> Steps[None]:
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    parameter = movement.path_parameter(game.rules, state, unit, movement.MOVE)
    stuck = game.rules.barred(state, state.units[unit], Act.MOVE)
    choices = (
        Choice("move", "Move", "move.infantry", "", (parameter,), stuck),
        Choice("stay", "Stay", "move.infantry"),
    )
    asked = Asked(f"{state.units[unit].name} may move", choices, Picked("stay"), "move.infantry", unit)
    picked = yield from ask(seat, asked)
    if picked.choice == "move":
        yield from _move(game, unit, picked, movement.MOVE, "move.infantry")
