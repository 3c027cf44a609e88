"""The method by which the rules play an uncontrolled side: it answers the prompts of the side's seat.

What it decides becomes the default of the prompt, which the server plays at once; the answer is in the log like a player's. The
facts after it say why. It reads what the seat may know, and rolls no dice.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    FiguresPlaced,
    Picked,
    PlacementParameter,
    PointTaken,
    UnitNamed,
    UnitParameter,
)
from server.kernel.answers.assignments import assignment_fault
from server.kernel.answers.check import Ask, Asked, check
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Fact, Reasoned
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad import movement
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.uncontrolled.approaches import FIRES, MOVES, RUNS, Intent, intent
from server.rulesets.fad.uncontrolled.eyes import Eyes
from server.rulesets.fad.uncontrolled.groups import commanded, group_of
from server.rulesets.fad.uncontrolled.odds import NOTHING, lead
from server.rulesets.fad.uncontrolled.watching import Watch
from server.rulesets.shared.distances import enemies_by_distance


class Decision(Struct, frozen=True):
    """What the method answers to a prompt, and what the log says of it."""

    picked: Picked
    reasons: tuple[Reasoned, ...] = ()


def guided(game: FadGame, steps: Steps[None]) -> Steps[None]:
    """Run a procedure in which the prompts of uncontrolled seats have what the method decides as their default, and note what the
    enemy does to them (fad4/ai.scope). All else happens as in any match (fad4/ai.normal-rules-apply).
    """
    watch, answer = Watch(game.rules), None
    seats = {side.seat: side.id for side in commanded(game.state)}
    while True:
        try:
            step: Any = steps.send(answer)
        except StopIteration:
            return
        if isinstance(step, Ask) and not seats.keys().isdisjoint(step.seats):
            own = {seat: decide(game, seats[seat], seat, asked) for seat, asked in step.seats.items() if seat in seats}
            told = {
                seat: replace(asked, default=own[seat].picked) if seat in own else asked
                for seat, asked in step.seats.items()
            }
            answer = yield Ask(told)
            for seat, decision in own.items():
                if answer[seat] == decision.picked:
                    yield from decision.reasons
            continue
        answer = yield step
        if isinstance(step, Fact):
            yield from watch.noted(game.state, step)


def decide(game: FadGame, side: str, seat: str, asked: Asked) -> Decision:
    """Return what the method answers to a prompt of an uncontrolled seat; its default where the method has no say."""
    state = game.believed(seat)
    found = _decide(game.rules, state, side, asked)
    if found is None or check(state, asked, found.picked) is not None:
        return Decision(asked.default)
    return found


def _decide(rules: FadRules, state: State, side: str, asked: Asked) -> Decision | None:
    open_ = {choice.key: choice for choice in asked.choices if choice.why is None}
    if "accept" in open_:
        return Decision(Picked("accept"))
    if "activate" in open_:
        return _activate(rules, state, side, asked, open_["activate"])
    unit = state.units.get(asked.unit)
    group = group_of(state, unit) if unit is not None and unit.side == side else None
    if unit is None or group is None:
        return None
    eyes = Eyes(rules, state, unit, group, asked)
    if "hold" in open_ and any(key in open_ for key in (*MOVES, *RUNS, *FIRES, "assault")):
        return _act(eyes)
    if "hold-fire" in open_ and "free-shot" not in open_:
        return _shot(eyes)
    return None


# --- whose turn it is -----------------------------------------------------------------------------------------------


def _activate(rules: FadRules, state: State, side: str, asked: Asked, choice: Choice) -> Decision | None:
    """Return the unit that activates: first those in assault reach of an enemy, then those with a target in range, then the
    rest; the nearest to an enemy first, then by roster number (fad4/ai.groups-only-for-ai).
    """
    (parameter,) = choice.parameters
    if not isinstance(parameter, UnitParameter):
        return None
    able = [state.units[row.unit] for row in parameter.candidates if row.why is None]
    if not able:
        return None
    ranked = sorted(able, key=lambda unit: _urgency(rules, state, unit, asked))
    return Decision(Picked("activate", (UnitNamed(ranked[0].id),)))


def _urgency(rules: FadRules, state: State, unit: Unit, asked: Asked) -> tuple[int, int, int, int]:
    group = group_of(state, unit)
    near = enemies_by_distance(state, unit)
    far = near[0].distance if near else 1 << 30
    if group is None:
        return (4, 0, far, unit.number)
    eyes = Eyes(rules, state, unit, group, asked)
    if not is_vehicle(unit) and not unit.aboard:
        reach = movement.allowance(rules, state, unit.id, movement.CHARGE).value
        close = [one.unit for one in near if one.unit in eyes.foes and one.distance <= reach]
        # fad4/ai.target-assault: of several who can assault an occupier the one with the best factor
        factors = [lead(rules, state, unit.id, key) for key in close if eyes.to_clear_out(state.units[key])]
        if factors:
            return (0, -max(factors), far, unit.number)
        if close:
            return (1, 0, far, unit.number)
    if eyes.shot_from(state):
        return (2, 0, far, unit.number)
    return (3, 0, far, unit.number)


# --- what a unit does -----------------------------------------------------------------------------------------------


def _act(eyes: Eyes) -> Decision:
    off = _let_off(eyes)
    if off is not None:
        return off
    wanted = intent(eyes)
    picked = _picked(eyes, wanted) or Picked("hold")
    return Decision(picked, (_told(eyes, wanted),))


def _told(eyes: Eyes, wanted: Intent) -> Reasoned:
    return Reasoned(eyes.unit.id, wanted.reason, wanted.rule, eyes.group.id, wanted.target, wanted.place)


def _picked(eyes: Eyes, wanted: Intent) -> Picked | None:
    """Return the choice of the prompt that does what is wanted."""
    if wanted.act == "assault":
        return Picked("assault", (UnitNamed(wanted.target),))
    if wanted.act in {"move", "run"}:
        keys = MOVES if wanted.act == "move" else RUNS
        key = next((key for key in keys if eyes.choice(key) is not None), "")
        return Picked(key, (wanted.way,)) if key else None
    if wanted.act == "fire":
        return _fire(eyes, FIRES, open_fire=True)
    return None


def _fire(eyes: Eyes, keys: tuple[str, ...], *, open_fire: bool) -> Picked | None:
    """Return the best shot that a prompt offers: aimed, or a blast where that promises more (fad4/ai.shooting-choice)."""
    aimed = next((shot for key in keys if (shot := _aimed(eyes, key, open_fire=open_fire)) is not None), None)
    if aimed is not None and isinstance(aimed[0].values[0], Assigned):
        # The other weapons of a vehicle are fired after that.
        return aimed[0]
    shots = [] if aimed is None else [aimed]
    bursts = eyes.bursts(eyes.state, eyes.asked.choices)
    shots += [(Picked(burst.choice, (PointTaken(burst.at),)), burst.worth) for burst in bursts]
    return max(shots, key=lambda shot: shot[1], default=(None, NOTHING))[0]


def _aimed(eyes: Eyes, key: str, *, open_fire: bool) -> tuple[Picked, Fraction] | None:
    """Return the best shot of a choice that names targets, with what it can be expected to do."""
    found = eyes.choice(key)
    if found is None or not found.parameters:
        return None
    (parameter,) = found.parameters
    if isinstance(parameter, AssignmentParameter):
        given = _assigned(eyes, parameter, open_fire=open_fire)
        return None if given is None else (Picked(key, (given,)), NOTHING)
    ranked = eyes.ranked(eyes.named(key), open_fire=open_fire)
    return (Picked(key, (UnitNamed(ranked[0][0]),)), ranked[0][1]) if ranked else None


def _assigned(eyes: Eyes, parameter: AssignmentParameter, *, open_fire: bool) -> Assigned | None:
    """Return at whom each weapon of a vehicle fires."""
    given: dict[str, str] = {}
    for row in parameter.rows:
        ranked = eyes.ranked([option.key for option in row.options], open_fire=open_fire, mount=row.key)
        if ranked and len(given) < parameter.most:
            given[row.key] = ranked[0][0]
    found = Assigned(given)
    return found if given and assignment_fault(parameter, found) is None else None


def _shot(eyes: Eyes) -> Decision:
    """Return the shot of a unit that has moved, or that it holds its fire where its approach has no target."""
    keys = tuple(
        choice.key
        for choice in eyes.asked.choices
        if choice.key in {"fire", "open-fire"} or choice.key.startswith("part|")
    )
    picked = _fire(eyes, keys, open_fire="open-fire" in keys)
    return Decision(Picked("hold-fire") if picked is None else picked)


def _let_off(eyes: Eyes) -> Decision | None:
    """Return that a vehicle lets troops off: an enemy is in sight, or it is where they are to go."""
    offered = [choice for choice in eyes.asked.choices if choice.why is None and choice.key.startswith("let-off:")]
    if not offered or not (eyes.visible or eyes.group.standing != "orders"):
        return None
    (parameter,) = offered[0].parameters
    if not isinstance(parameter, PlacementParameter):
        return None
    placed = FiguresPlaced(parameter.suggested, parameter.facings)
    told = Reasoned(eyes.unit.id, "let-off", "ai.groups-only-for-ai", eyes.group.id)
    return Decision(Picked(offered[0].key, (placed,)), (told,))
