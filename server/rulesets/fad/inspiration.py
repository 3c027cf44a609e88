"""The Inspiration card: a veteran leader pushes his squad (fad5/turn.cards-inspiration). It is no activation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from client_protocol.choices import Candidate, Choice, PathsDeclared, Picked, UnitNamed, UnitParameter, Why
from client_protocol.explained import Line
from server.kernel.answers.check import Asked
from server.kernel.facts import ConditionGained, ConditionLost, Declared
from server.kernel.procedure import Steps, ask, ask_later
from server.kernel.questions import total
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.commanders import veterans
from server.rulesets.fad.game import UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.going import along
from server.rulesets.fad.module import Act, Going
from server.rulesets.fad.special_cards import INSPIRATION_RULE
from server.rulesets.fad.travel import arrive

INSPIRED = "inspired"
"""The marker of a squad that passes its next Morale Test."""
MOVE, CALM, NERVE, PASS = "inspire-move", "inspire-calm", "inspire-nerve", "inspire-none"
"""The choices. What a module adds to them has its own."""
MOVE_RULE, CALM_RULE, NERVE_RULE = (
    "turn.inspiration-move",
    "turn.inspiration-under-fire",
    "turn.inspiration-morale",
)


def inspire(game: FadGame, side: str) -> Steps[None]:
    """Let a side inspire one of its squads in one way, if there is one to inspire."""
    seat = game.state.sides[side].seat
    state = game.believed(seat)
    squads = [unit for unit in veterans(state, side) if unit.on_table]
    choices = tuple(_choices(game.rules, state, squads))
    calm = next(choice for choice in choices if choice.key == CALM)
    if all(choice.why is not None for choice in choices):
        return
    # The card is kept for nothing: who does not answer has the first squad that is Under Fire pull itself together.
    default = Picked(PASS) if calm.why is not None else Picked(CALM, (UnitNamed(_able(calm)),))
    none = Choice(PASS, "Nothing", INSPIRATION_RULE, "The card is used up.")
    asked = Asked("An Inspiration card: push one of your squads?", (*choices, none), default, INSPIRATION_RULE)
    picked = yield from ask(seat, asked)
    if picked.choice == PASS:
        return
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    if picked.choice == MOVE:
        yield from _move(game, named.unit)
    elif picked.choice == CALM:
        yield Declared(named.unit, CALM, CALM_RULE)
        yield ConditionLost(named.unit, UNDER_FIRE, CALM_RULE)
    elif picked.choice == NERVE:
        yield Declared(named.unit, NERVE, NERVE_RULE)
        yield ConditionGained(named.unit, INSPIRED, NERVE_RULE)
    else:
        (push,) = (push for push in game.rules.inspires(state) if push.key == picked.choice)
        yield Declared(named.unit, push.key, push.rule)
        yield from push.carry_out(game, named.unit)


def _able(choice: Choice) -> str:
    (parameter,) = choice.parameters
    assert isinstance(parameter, UnitParameter), "each names a squad"
    return next(candidate.unit for candidate in parameter.candidates if candidate.why is None)


def _choices(rules: FadRules, state: State, squads: Sequence[Unit]) -> Iterator[Choice]:
    far = inches_text(_length(rules))
    moves = {unit.id: rules.barred(state, unit, Act.MOVE) for unit in squads}
    yield _choice(MOVE, f"Move {far}", MOVE_RULE, f"One squad moves up to {far}, whatever slows it.", moves)
    name = rules.book.conditions[UNDER_FIRE].name
    calms = {
        unit.id: None if UNDER_FIRE in unit.conditions else Why(f"{unit.name} is not {name}.", CALM_RULE)
        for unit in squads
    }
    yield _choice(CALM, f"No longer {name}", CALM_RULE, f"One squad is not {name} any more.", calms)
    nerves = {
        unit.id: Why(f"{unit.name} passes its next Morale Test already.", NERVE_RULE)
        if INSPIRED in unit.conditions
        else None
        for unit in squads
    }
    text = "One squad passes its next Morale Test without dice, whenever that is."
    yield _choice(NERVE, "Pass the next Morale Test", NERVE_RULE, text, nerves)
    for push in rules.inspires(state):
        yield _choice(
            push.key, push.label, push.rule, push.text, {unit.id: push.barred(rules, state, unit) for unit in squads}
        )


def _choice(key: str, label: str, rule: str, text: str, squads: dict[str, Why | None]) -> Choice:
    candidates = tuple(Candidate(unit, "", why) for unit, why in squads.items())
    why = None
    if all(barred is not None for barred in squads.values()):
        why = next(iter(squads.values()), None) or Why("No squad of yours on the table has a veteran leader.", rule)
    return Choice(key, label, rule, text, (UnitParameter("Squad", candidates),), why)


def _length(rules: FadRules) -> int:
    return inches(rules.book.tables.cards.inspired_move)


def _move(game: FadGame, unit: str) -> Steps[None]:
    """Let a squad move a fixed distance, which nothing but the ground shortens (fad5/turn.inspiration-move)."""
    picked = yield from ask_later(game, game.state.seat_of(unit), partial(_asked_move, game.rules, unit))
    if picked.choice == "stay":
        return
    paths = picked.values[0]
    assert isinstance(paths, PathsDeclared), "checked against the choice"
    yield Declared(unit, MOVE, MOVE_RULE)
    yield from movement.set_out(game, unit, paths)
    far = _length(game.rules)
    yield from along(game, Going(unit=unit, paths=paths.paths, manner=movement.MOVE, rule=MOVE_RULE, limit=far))
    yield from arrive(game, unit)


def _asked_move(rules: FadRules, unit: str, state: State) -> Asked:
    fixed = total([Line("SET", _length(rules), "inspired", MOVE_RULE)], "mil")
    way = movement.path_parameter(rules, state, unit, movement.MOVE, fixed=fixed)
    choices = (Choice("go", "Move", MOVE_RULE, "", (way,)), Choice("stay", "Stay", MOVE_RULE))
    return Asked(f"{state.units[unit].name} is inspired and moves", choices, Picked("stay"), MOVE_RULE, unit)


def holds(game: FadGame, unit: str) -> Steps[bool]:
    """Return whether a squad passes a Morale Test without dice, because it is inspired; it is not inspired any more then
    (fad5/turn.inspiration-morale).
    """
    if INSPIRED not in game.unit(unit).conditions:
        return False
    yield Declared(unit, "holds-inspired", NERVE_RULE)
    yield ConditionLost(unit, INSPIRED, NERVE_RULE)
    return True
