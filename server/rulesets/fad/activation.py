"""Activating a unit: first its Resolve is checked, then it takes one action, then its markers come off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from client_protocol.choices import Choice, Picked, UnitNamed, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle, riders
from server.kernel.facts import ActivationBegan, ActivationEnded, ConditionLost, Declared, SideToAct
from server.kernel.procedure import Steps, ask_later
from server.kernel.state import State, Unit
from server.rulesets.fad import assault, attached, blast, charge, command, movement, seizing
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.firing import fire_at, offer_part, offer_shot, target_choice
from server.rulesets.fad.game import COMMAND, ENGAGE, MOVE_OUT, OPEN_FIRE, FadGame, FadRules, coming_off
from server.rulesets.fad.module import Act
from server.rulesets.fad.morale import FALLS_BACK, ROUTED, fall_back, must_test
from server.rulesets.fad.shot import SMALL_ARMS
from server.rulesets.fad.travel import go, intent
from server.rulesets.fad.vehicles import activation as vehicles
from server.rulesets.fad.vehicles import assault as vehicle_assault
from server.rulesets.fad.vehicles import embarking, riding, squads
from server.rulesets.fad.vehicles.passage import Passage
from server.rulesets.fad.vehicles.transport import waiting
from server.rulesets.shared.turns import next_side, pick_unit

_PACES = {movement.MOVE: "move.infantry", movement.RUSH: "move.rush"}
"""The rules of the manners in which units move out."""
_ACTION_OF = {"open-fire": OPEN_FIRE, "move-out": MOVE_OUT, "command": COMMAND}
"""The action that a choice belongs to. Choices that are missing here are ways to engage the enemy."""


def activate(game: FadGame, side: str) -> Steps[None]:
    """Let `side` activate one unit."""
    # fad4/turn.once-per-turn: only units that still wait are offered; the default is the one with the lowest roster number
    # (fad4/turn.alternate-activation)
    waits = partial(waiting, side=side)
    unit = yield from pick_unit(game, side, waits, lambda unit: _note(game.rules, unit), "turn.alternate-activation")
    yield from activate_all(game, unit)
    again = yield from seizing.offer(game, unit)
    if again:
        yield from activate_all(game, again)
    # fad4/turn.alternate-activation, fad4/turn.leftover-units
    following = next_side(game.state, side, able=waiting)
    if following:
        yield SideToAct(following)


def activate_all(game: FadGame, unit: str) -> Steps[None]:
    """Let a unit activate, and after a vehicle the others of its squad (fad4/move.vehicle-squads)."""
    following = unit
    while following:
        yield from activate_unit(game, following)
        following = (yield from squads.next_of_squad(game, unit)) if is_vehicle(game.unit(unit)) else ""


def activate_unit(game: FadGame, unit: str) -> Steps[None]:
    """Let a unit activate, from the check of its Resolve to the end of its action."""
    yield from blast.clear(game.state)
    if game.unit(unit).attached:
        # fad5/adv.characters.attach: who acts on his own leaves the unit that he is with
        yield from attached.detach(game, unit, attached.ATTACH)
    yield ActivationBegan(unit)
    yield from attached.begin(game, unit)
    for begin in game.rules.beginning(game.state):
        yield from begin(game, unit)
    aboard = [rider.id for rider in riders(game.state, unit)]
    passage = Passage()
    # fad4/activation.resolve-first
    if is_vehicle(game.unit(unit)):
        passage = yield from vehicles.activate(game, unit)
    else:
        yield from _activate_squad(game, unit)
    for condition in coming_off(game.rules, game.unit(unit)):
        yield ConditionLost(unit, condition, "activation.clear-markers")
    yield from command.free(game, unit)
    for conclude in game.rules.concluding(game.state):
        yield from conclude(game, unit)
    yield ActivationEnded(unit)
    yield from riding.act(game, unit, aboard, passage)
    yield from embarking.join(game, unit)
    yield from attached.settle(game)
    for end in game.rules.ended(game.state):
        yield from end(game, unit)


def _activate_squad(game: FadGame, unit: str) -> Steps[None]:
    standing = yield from game.rules.chapters.morale.check_resolve(game, unit)
    if standing == FALLS_BACK:
        yield from fall_back(game, unit)
    elif standing != ROUTED:
        for acts in game.rules.instead(game.state):
            if (yield from acts(game, unit)):
                return
        # fad4/activation.one-action
        yield from act(game, unit)


def _note(rules: FadRules, unit: Unit) -> str:
    if is_vehicle(unit):
        return rules.vehicles.state(rules, unit)
    if unit.attached:
        return "leaves the unit that it is with"
    notes = [f"{unit.strength} of {len(unit.figures)}"]
    if must_test(rules, unit):
        notes.append("must test morale")
    return ", ".join(notes)


def act(game: FadGame, unit: str) -> Steps[None]:
    """Let an unbroken unit take its one action."""
    seat = game.state.seat_of(unit)
    while True:
        picked = yield from ask_later(game, seat, partial(_asked_action, game.rules, unit))
        added = game.rules.action(game.state, picked.choice)
        if added is None or not added.free:
            break
        yield from added.carry_out(game, unit, picked)
    boards = embarking.picked_way(picked)
    if boards is not None:
        manner, vehicle = boards
        yield from embarking.embark(game, unit, vehicle, manner)
    elif added is not None:
        yield from added.carry_out(game, unit, picked)
    else:
        yield from _OWN[picked.choice](game, unit, picked)


def _asked_action(rules: FadRules, unit: str, state: State) -> Asked:
    own = state.units[unit]
    title = f"{own.name}: choose its action"
    return Asked(title, _actions(rules, state, own), Picked("hold"), "activation.one-action", unit)


def _hold(_game: FadGame, unit: str, _picked: Picked) -> Steps[None]:
    # fad5/move.coherency-feature: who stays need not keep together
    yield Declared(unit, "hold", "action.engage-infantry")


def _blast(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    yield from blast.fire(game, unit, picked)
    crew = game.rules.crew(game.state, game.unit(unit))
    if crew is not None and not crew.whole:
        yield from offer_part(game, unit, SMALL_ARMS, open_fire=game.rules.has_action(OPEN_FIRE))


def _open_fire(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    # fad4/action.open-fire
    yield from fire_at(game, unit, picked, open_fire=True)


def _command(game: FadGame, unit: str, _picked: Picked) -> Steps[None]:
    yield from command.command(game, unit)


def _moves_out(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    # fad4/action.move-out-infantry: no shot, no assault
    yield Declared(unit, "move-out", "action.move-out-infantry")
    manner = _pace(game.rules, game.state, game.unit(unit))
    yield from go(game, unit, picked.values[0], manner, _PACES[manner])
    yield from embarking.offer_seats(game, unit)


def _moves_and_fires(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    # fad4/action.engage-infantry: the shot is wholly before or wholly after the move
    yield Declared(unit, "engage", "action.engage-infantry")
    yield from go(game, unit, picked.values[0], movement.MOVE, "move.infantry")
    yield from embarking.offer_seats(game, unit)
    if not game.unit(unit).aboard:
        yield from offer_shot(game, unit)


def _fires_and_moves(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    yield from fire_at(game, unit, picked)
    yield from _move_after_shot(game, unit)


def _assault(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    if is_vehicle(game.unit(named.unit)):
        yield from vehicle_assault.assault_vehicle(game, unit, named.unit)
    else:
        yield from assault.close_assault(game, unit, named.unit)


_OWN: Mapping[str, Callable[[FadGame, str, Picked], Steps[None]]] = {
    "hold": _hold,
    blast.BLAST: _blast,
    "open-fire": _open_fire,
    "command": _command,
    "move-out": _moves_out,
    "move-fire": _moves_and_fires,
    "fire-move": _fires_and_moves,
    "assault": _assault,
}
"""What a squad does by each of its choices."""


def _actions(rules: FadRules, state: State, unit: Unit) -> tuple[Choice, ...]:
    engage, assaulting = "action.engage-infantry", "assault.declare"
    charging = "Engage the Enemy: charge into contact; the target shoots first."
    candidates = targets(rules, state, unit.id)
    move = movement.path_parameter(rules, state, unit.id, movement.MOVE)
    stuck = rules.barred(state, unit, Act.MOVE)
    foes = charge.candidates(rules, state, unit.id)
    bonus = rules.book.tables.fire_effect_modifiers.open_fire
    shown = rules.foretells_moves(state)
    choices = (
        Choice(
            "move-fire",
            "Move, then fire",
            engage,
            f"Engage the Enemy: move, and shoot from there.{intent(rules, state, unit.id, movement.MOVE)}",
            (move,),
            stuck or rules.barred(state, unit, Act.ADVANCE),
            shown,
        ),
        target_choice(
            "fire-move", "Fire, then move", engage, "Engage the Enemy: shoot, and move afterwards.", candidates
        ),
        target_choice(
            "open-fire", "Open Fire", "action.open-fire", f"Shoot with {bonus:+d} and stay where you are.", candidates
        ),
        _move_out(rules, state, unit, stuck),
        target_choice("assault", "Close Assault", assaulting, charging, foes, when=assaulting),
        *command.offer(rules, state, unit),
    )
    # fad4/activation.one-action: only actions that the edition has
    own = (choice for choice in choices if rules.has_action(_ACTION_OF.get(choice.key, ENGAGE)))
    return (
        *own,
        *embarking.choices(rules, state, unit, (movement.MOVE, movement.RUSH)),
        *blast.choices(rules, state, unit),
        *rules.offers(state, unit),
        Choice("hold", "Hold", engage, "Neither move nor shoot."),
    )


def _pace(rules: FadRules, state: State, unit: Unit) -> str:
    """Return the manner in which a unit moves out: it Rushes, but for weapons teams that move instead."""
    crew = rules.crew(state, unit)
    moves = crew is not None and crew.whole and rules.book.tables.weapon_team.moves_out
    return movement.MOVE if moves else movement.RUSH


def _move_out(rules: FadRules, state: State, unit: Unit, stuck: Why | None) -> Choice:
    rule = "action.move-out-infantry"
    if _pace(rules, state, unit) == movement.MOVE:
        # fad5/turn.action-move-out
        own = movement.path_parameter(rules, state, unit.id, movement.MOVE)
        told = f"Move, without shooting.{intent(rules, state, unit.id, movement.MOVE)}"
        return Choice("move-out", "Move Out", rule, told, (own,), stuck, rules.foretells_moves(state))
    ends = movement.rush_ends(rules, state, unit)
    rush = movement.path_parameter(rules, state, unit.id, movement.RUSH, ends)
    armour = rules.armour(unit)
    stuck = stuck or rules.barred(state, unit, Act.RUSH)
    if stuck is None and "no_rush" in armour.traits:
        stuck = Why(f"{armour.name} is too heavy to Rush in.", "tech.personal-armour")
    told = intent(rules, state, unit.id, movement.RUSH)
    shown = rules.foretells_moves(state)
    return Choice("move-out", "Move Out", rule, f"Rush twice as far, without shooting.{told}", (rush,), stuck, shown)


def _move_after_shot(game: FadGame, unit: str) -> Steps[None]:
    picked = yield from ask_later(game, game.state.seat_of(unit), partial(_asked_move, game.rules, unit))
    boards = embarking.picked_way(picked)
    if boards is not None:
        manner, vehicle = boards
        yield from embarking.embark(game, unit, vehicle, manner, declare=False)
    elif picked.choice == "move":
        yield from go(game, unit, picked.values[0], movement.MOVE, "move.infantry")
        yield from embarking.offer_seats(game, unit)


def _asked_move(rules: FadRules, unit: str, state: State) -> Asked:
    parameter = movement.path_parameter(rules, state, unit, movement.MOVE)
    stuck = rules.barred(state, state.units[unit], Act.MOVE)
    choices = (
        Choice(
            "move",
            "Move",
            "move.infantry",
            intent(rules, state, unit, movement.MOVE).lstrip(),
            (parameter,),
            stuck,
            rules.foretells_moves(state),
        ),
        *embarking.choices(rules, state, state.units[unit], (movement.MOVE,)),
        Choice("stay", "Stay", "move.infantry"),
    )
    return Asked(f"{state.units[unit].name} may move", choices, Picked("stay"), "move.infantry", unit)
