"""Activating a unit: the roll, the effect of a failure, and the side that acts next."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from client_protocol.explained import Explained, Line
from server.kernel import notes
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.facts import (
    ActivationBegan,
    ActivationEnded,
    ConditionGained,
    ConditionLost,
    Declared,
    FiguresLost,
    Rolled,
    SideToAct,
    UnitNoted,
)
from server.kernel.procedure import Steps, ask_later, roll
from server.kernel.questions import Question
from server.kernel.state import State, Unit
from server.rulesets.fubar import actions, withdrawal
from server.rulesets.fubar.coherency import out_of_touch
from server.rulesets.fubar.dice import succeeds
from server.rulesets.fubar.game import (
    ON_GUARD,
    REACTED,
    STUNNED,
    STUNS,
    SUPPRESSED,
    UNTIL_NEXT_TRY,
    FubarGame,
    FubarRules,
    fighting,
    leader,
    sees_any_enemy,
    suppressed,
)
from server.rulesets.shared.turns import round_from, waiting

INITIATIVE = "initiative"
"""The key in the state's book under which the sides are noted, highest initiative first."""


class ActivationNeed(Question, frozen=True):
    """The number that the activation roll of `unit` must reach."""

    unit: str


class ActivationModifier(Question, frozen=True):
    """The number added to the activation roll of `unit`."""

    unit: str


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(ActivationNeed, lambda state, q: _need_lines(rules, state, state.units[q.unit]))
    rules.advisers.add(ActivationModifier, lambda state, q: _modifier_lines(rules, state, state.units[q.unit]))


def _need_lines(rules: FubarRules, state: State, unit: Unit) -> Iterator[Line]:
    level = rules.level(unit)
    # fubar4/unit.training-table
    yield Line("SET", level.activation, level.name, "unit.training-table")
    key = leader(unit)
    # fubar4/activation.leader: unless he is suppressed or out of touch
    if key and SUPPRESSED not in unit.figures[key].conditions:
        own = rules.figure_level(unit, key)
        if own.activation < level.activation and key not in out_of_touch(rules, state, unit):
            yield Line("SET", own.activation, f"{own.name} leader", "activation.leader")


def _modifier_lines(rules: FubarRules, state: State, unit: Unit) -> Iterator[Line]:
    tables = rules.book.tables
    # fubar4/activation.no-visible-enemy
    if not sees_any_enemy(rules, state, unit):
        yield Line("ADD", tables.activation.no_visible_enemy, "no visible enemy", "activation.no-visible-enemy")
    # fubar4/suppress.penalty
    down = len(suppressed(unit))
    if down:
        yield Line("ADD", down * tables.activation.suppressed, f"{down} suppressed", "suppress.penalty")
    # fubar4/unit.coherency
    away = len(out_of_touch(rules, state, unit))
    if away:
        yield Line("ADD", away * tables.activation.out_of_touch, f"{away} out of touch", "unit.coherency")
    # fubar4/vdamage.crew-stunned
    stuns = notes.number(unit.profile, STUNS, 0)
    if stuns:
        yield Line("ADD", stuns * tables.vehicles.stunned, "crew stunned", "vdamage.crew-stunned")


def numbers(rules: FubarRules, state: State, unit: str) -> tuple[Explained, Explained]:
    """Return what the unit's activation roll must reach, and what is added to the roll."""
    return (
        rules.advisers.answer(state, ActivationNeed(unit)),
        rules.advisers.answer(state, ActivationModifier(unit)),
    )


def activate(game: FubarGame, side: str) -> Steps[None]:
    """Let `side` try to activate one unit (fubar4/turn.to-and-fro)."""
    unit = yield from _pick_unit(game, side)
    if not unit:
        yield from _stay_aboard(game, side)
        passed = True
    else:
        # fubar4/turn.marker: every seat sees from now on that the unit has had its try
        yield ActivationBegan(unit)
        # fubar4/action.table: the effects of an action last until the next try
        for condition in UNTIL_NEXT_TRY:
            if condition in game.unit(unit).conditions:
                yield ConditionLost(unit, condition, "action.table")
        passed = yield from _try(game, unit)
        if passed:
            # fubar4/turn.keep-until-fail
            yield from actions.act(game, unit)
        else:
            yield from _fail(game, unit)
        yield ActivationEnded(unit)
    # fubar4/turn.keep-until-fail, fubar4/turn.to-and-fro, fubar4/setup.more-players
    order = initiative_order(game.state)
    keeps = passed and untried(game.state, side)
    after = [side] if keeps else round_from(side, order)
    following = next((other for other in after if untried(game.state, other)), "")
    if following:
        yield SideToAct(following)


def untried(state: State, side: str) -> list[Unit]:
    """Return the units of `side` that may still try to activate this turn, in roster order.

    Units in close combat may not: they fight on when the next turn begins (fubar4/close.continues).
    """
    return [unit for unit in waiting(state, side) if not fighting(unit)]


def initiative_order(state: State) -> list[str]:
    """Return the sides, the highest initiative of this turn first."""
    noted = notes.words(state.book, INITIATIVE)
    return list(noted if set(noted) == set(state.sides) else state.sides)


def _pick_unit(game: FubarGame, side: str) -> Steps[str]:
    """Ask `side` which untried unit tries, and return its id; "" if the units that are left stay in their vehicles."""
    picked = yield from ask_later(game, game.state.sides[side].seat, partial(_asked_unit, game.rules, side))
    if picked.choice == "stay-aboard":
        return ""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    return named.unit


def _asked_unit(rules: FubarRules, side: str, state: State) -> Asked:
    units = untried(state, side)
    candidates = tuple(Candidate(unit.id, _note(rules, state, unit)) for unit in units)
    rule = "turn.to-and-fro"
    choices = [Choice("activate", "Activate", rule, "", (UnitParameter("Unit", candidates),), preview=True)]
    # The default is the untried unit with the lowest roster number; passengers come last, because they would have to get out.
    first = next((unit for unit in units if not unit.aboard), units[0])
    default = Picked("activate", (UnitNamed(first.id),))
    if all(unit.aboard for unit in units):
        # fubar4/vehicle.transport: passengers need not try, unless they want to get out or fire
        choices.append(
            Choice("stay-aboard", "Stay aboard", "vehicle.transport", "All passengers stay aboard this turn.")
        )
        default = Picked("stay-aboard")
    return Asked("Activate one of your units", tuple(choices), default, rule)


def _note(rules: FubarRules, state: State, unit: Unit) -> str:
    notes = []
    if not is_vehicle(unit):
        notes.append(f"{unit.strength} of {len(unit.figures)}")
    need, modifier = numbers(rules, state, unit.id)
    notes.append(f"{need.value}+" + (f", {modifier.value:+d}" if modifier.value else ""))
    if unit.aboard:
        notes.append(f"aboard {state.units[unit.aboard].name}")
    return ", ".join(notes)


def _stay_aboard(game: FubarGame, side: str) -> Steps[None]:
    for unit in [unit.id for unit in untried(game.state, side)]:
        yield ActivationBegan(unit)
        yield Declared(unit, "stay-aboard", "vehicle.transport")
        yield ActivationEnded(unit)


def _try(game: FubarGame, unit: str) -> Steps[bool]:
    """Roll for a unit's activation, and return whether it succeeds (fubar4/activation.roll)."""
    need, modifier = numbers(game.rules, game.state, unit)
    (face,) = yield from roll(1, purpose="activation")
    passed = succeeds(face, need.value, modifier.value)
    yield Rolled(
        "activation",
        "activation.roll",
        (face,),
        marks=("pass" if passed else "fail",),
        # A modifier without lines would explain nothing.
        numbers=(need, modifier) if modifier.lines else (need,),
        outcome="passed" if passed else "failed",
        side=game.unit(unit).side,
        unit=unit,
    )
    if STUNNED in game.unit(unit).conditions:
        yield UnitNoted(unit, STUNS, 0)
        yield ConditionLost(unit, STUNNED, "vdamage.crew-stunned")
    # fubar4/suppress.recover: whether the roll succeeds or fails
    down = tuple(suppressed(game.unit(unit)))
    if down:
        yield FiguresLost(unit, down, SUPPRESSED, "suppress.recover")
    return passed


def _fail(game: FubarGame, unit: str) -> Steps[None]:
    """Carry out what a unit does after a failed try: it withdraws or goes On Guard."""
    if withdrawal.must_withdraw(game.rules, game.unit(unit)):
        yield from withdrawal.withdraw(game, unit)
    elif not game.unit(unit).aboard:
        # fubar4/activation.failed-on-guard
        yield ConditionGained(unit, ON_GUARD, "activation.failed-on-guard")


def react_again(game: FubarGame) -> Steps[None]:
    """Let every unit react once more, at the initiative roll (fubar4/action.on-guard)."""
    for unit in list(game.state.units.values()):
        if REACTED in unit.conditions:
            yield ConditionLost(unit.id, REACTED, "action.on-guard")
